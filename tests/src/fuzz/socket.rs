//! The socket that a driver talks to: any bytes are a session.

use std::{
    panic,
    sync::{
        Once,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Instant,
};

use platforms::Platform;
use tbx::{Config, Server};

use super::{BASE, bounded, joined, split};

/// What plays the driver in the tests of `tbx`.
#[path = "../../../tbx/tests/client/mod.rs"]
mod client;

/// Bytes of answers that are read.
const ANSWERS: usize = 1 << 20;

/// Panics of other threads: the server's end a connection, and nobody would see them.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, SeqCst);
            before(info);
        }));
    });
}

/// A session of any bytes: the server answers or closes the connection, and serves the next.
pub fn socket(input: &[u8]) {
    let Some((platform, session)) = split(input) else { return };
    count_panics();
    let panics = PANICS.load(SeqCst);
    let start = Instant::now();
    bounded("socket", input, || {
        let mut config = Config { threads: 2, memory: (BASE / 4) as u64, ..Config::new(platform) };
        config.options.max_instructions = 2000;
        let server = Server::start(config).expect("a free port");
        client::send(&server, session, ANSWERS);
        assert!(client::is_alive(&server), "the next connection has no answer");
        drop(server.stop());
    });
    assert_eq!(PANICS.load(SeqCst), panics, "the server has panicked");
    // The work is the server's, in threads of its own.
    assert!(start.elapsed() <= client::TIME, "{} bytes took {:?}", input.len(), start.elapsed());
}

/// Whole sessions: a kernel is launched on each platform.
pub fn sessions() -> Vec<Vec<u8>> {
    Platform::ALL.into_iter().map(|platform| joined(platform, &client::launches())).collect()
}

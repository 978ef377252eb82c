//! The socket that a driver talks to: any bytes are a session.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, TcpStream},
    panic,
    sync::{
        Once,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use platforms::Platform;
use tbx::{Config, Server};

use super::{BASE, bounded, joined, split};

/// What plays the driver in the tests of `tbx`.
#[path = "../../../tbx/tests/client/mod.rs"]
mod client;

/// How long a session may take. The work is the server's, in threads of its own.
const TIME: Duration = Duration::from_secs(20);
/// Bytes of answers that are read. A read of 4 GB is one that a driver may ask for.
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
        send(&server, session);
        assert!(is_alive(&server), "the next connection has no answer");
        drop(server.stop());
    });
    assert_eq!(PANICS.load(SeqCst), panics, "the server has panicked");
    assert!(start.elapsed() <= TIME, "{} bytes took {:?}", input.len(), start.elapsed());
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).expect("it listens");
    stream.set_read_timeout(Some(TIME)).expect("not zero");
    stream.set_write_timeout(Some(TIME)).expect("not zero");
    stream
}

/// Sends bytes, and reads what comes until the other side closes the connection.
fn send(server: &Server, session: &[u8]) {
    let mut stream = connect(server);
    let mut reader = stream.try_clone().expect("a handle");
    let answers = thread::spawn(move || {
        let mut buffer = [0; 1 << 12];
        let mut left = ANSWERS;
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            left -= n.min(left);
            if left == 0 {
                break;
            }
        }
        let _ = reader.shutdown(Shutdown::Both);
    });
    // The server may have closed the connection before all is said.
    let _ = stream.write_all(session);
    let _ = stream.shutdown(Shutdown::Write);
    answers.join().expect("it only reads");
}

fn is_alive(server: &Server) -> bool {
    let mut stream = connect(server);
    let sent = stream.write_all(&client::write(0x1000, &77u32.to_le_bytes()));
    sent.is_ok() && client::read_words(&mut stream, 0x1000, 1) == Some(vec![77])
}

/// Whole sessions: a kernel is launched on each platform.
pub fn sessions() -> Vec<Vec<u8>> {
    Platform::ALL.into_iter().map(|platform| joined(platform, &client::launches())).collect()
}

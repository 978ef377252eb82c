//! Random messages, and those of a session with damage: the server answers, or closes the connection, and lives on.

mod client;

use client::{DATA, HOW_FAR, TURNS, batch, is_alive, launches, message, send};
use platforms::Platform;
use tbx::{Config, Server};

/// Bytes of answers that are read.
const ANSWERS: usize = 1 << 24;

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }

    fn word(&mut self) -> u32 {
        const EDGES: [u32; 8] = [0, 1, 0xffff_ffff, 0x1000, 0x7fff_ffff, 0x8000_0000, DATA as u32, 12];
        match self.next(3) {
            0 => EDGES[self.next(EDGES.len())],
            1 => self.next(256) as u32,
            _ => self.0 as u32,
        }
    }
}

fn server(platform: Platform) -> Server {
    let mut config = Config { threads: 2, memory: 16 << 20, ..Config::new(platform) };
    config.options.max_instructions = 10_000;
    Server::start(config).unwrap()
}

#[test]
fn random_messages() {
    let server = server(Platform::Tgllp);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..60 {
        let mut session = Vec::new();
        for _ in 0..random.next(40) {
            let body: Vec<u32> = (0..random.next(6)).map(|_| random.word()).collect();
            let kind = match random.next(15) {
                13 => HOW_FAR,
                14 => TURNS,
                known => known as u32,
            };
            session.extend(message(kind, random.word(), &body));
        }
        send(&server, &session, ANSWERS);
    }
    assert!(is_alive(&server));
}

#[test]
fn damaged_sessions() {
    let (batch, whole) = (batch(), launches());
    for platform in [Platform::Skl, Platform::Pvc] {
        let server = server(platform);
        send(&server, &whole, ANSWERS);
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for round in 0..150 {
            let mut damaged = whole.clone();
            for _ in 0..1 + random.next(4) {
                // Half of the damage is to the batch.
                let from = if random.next(2) == 0 { 0 } else { whole.len() - batch.len() - 72 };
                let at = from + random.next(whole.len() - from);
                damaged[at] = [0, 0xff, 0x80, damaged[at].wrapping_add(1)][random.next(4)];
            }
            if round % 10 == 9 {
                damaged.truncate(random.next(damaged.len()));
            }
            send(&server, &damaged, ANSWERS);
        }
        assert!(is_alive(&server), "{platform}");
        let findings = server.stop();
        assert!(findings.dispatches() > 0 && findings.is_error(), "{findings}");
    }
}

//! Random messages, and those of a session with damage: the server answers, or closes the connection, and lives on.

mod client;

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use client::{DATA, batch, launches, message, read_words, write};
use platforms::Platform;
use tbx::{Config, Server};

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

/// Sends bytes and reads what comes, until there is nothing to wait for.
fn send(server: &Server, session: &[u8]) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let answers = std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        // Answers may be long: a read of 4 GB is a read.
        let mut left = 1 << 24;
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            left -= n.min(left);
            if left == 0 {
                break;
            }
        }
        let _ = reader.shutdown(Shutdown::Both);
    });
    let _ = stream.write_all(session);
    let _ = stream.shutdown(Shutdown::Write);
    answers.join().unwrap();
}

fn is_alive(server: &Server) -> bool {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(&write(0x1000, &77u32.to_le_bytes())).unwrap();
    read_words(&mut stream, 0x1000, 1) == Some(vec![77])
}

#[test]
fn random_messages() {
    let server = server(Platform::Tgllp);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..60 {
        let mut session = Vec::new();
        for _ in 0..random.next(40) {
            let body: Vec<u32> = (0..random.next(6)).map(|_| random.word()).collect();
            session.extend(message(random.next(13) as u32, random.word(), &body));
        }
        send(&server, &session);
    }
    assert!(is_alive(&server));
}

#[test]
fn damaged_sessions() {
    let (batch, whole) = (batch(), launches());
    for platform in [Platform::Skl, Platform::Pvc] {
        let server = server(platform);
        send(&server, &whole);
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
            send(&server, &damaged);
        }
        assert!(is_alive(&server), "{platform}");
        let findings = server.stop();
        assert!(findings.dispatches() > 0 && findings.is_error(), "{findings}");
    }
}

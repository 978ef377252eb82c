//! Commands in a batch, as a driver sends them, and what is in memory then.

mod client;

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use client::{BATCH, DATA, DATA_PAGES, HOW_FAR, bytes, context, message, read_words, submit, write};
use platforms::Platform;
use tbx::{Config, Findings, Server};

const HIGH: u32 = (DATA >> 32) as u32;

/// An address of data, in two dwords.
fn at(offset: u32) -> [u32; 2] {
    [DATA as u32 + offset, HIGH]
}

fn server() -> Server {
    Server::start(Config { threads: 2, ..Config::new(Platform::Skl) }).unwrap()
}

/// The first words of data after a batch, and what was found.
fn run(batch: &[Vec<u32>]) -> (Vec<u32>, Findings) {
    let server = server();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let mut batch = batch.concat();
    batch.push(0x0a << 23);
    let program = [context(), write(client::BATCH_PAGES, &bytes(&batch)), submit()].concat();
    stream.write_all(&program).unwrap();
    let data = read_words(&mut stream, DATA_PAGES, 16).unwrap();
    drop(stream);
    (data, server.stop())
}

fn mi(opcode: u32, flags: u32, body: &[u32]) -> Vec<u32> {
    let mut out = vec![opcode << 23 | flags | (body.len() as u32 - 1)];
    out.extend(body);
    out
}

fn store(offset: u32, value: u32) -> Vec<u32> {
    mi(0x20, 0, &[at(offset)[0], HIGH, value])
}

#[test]
fn stores_registers_and_arithmetic() {
    let general = |n: u32| 0x2600 + 8 * n;
    let (data, findings) = run(&[
        store(0, 7),
        mi(0x20, 1 << 21, &[at(8)[0], HIGH, 1, 2]),
        mi(0x22, 0, &[general(0), 40, general(0) + 4, 0, general(1), 2, general(1) + 4, 0]),
        // a = R0, b = R1, R2 = a + b
        mi(
            0x1a,
            0,
            &[
                0x080 << 20 | 0x20 << 10,
                0x080 << 20 | 0x21 << 10 | 1,
                0x100 << 20,
                0x180 << 20 | 2 << 10 | 0x31,
            ],
        ),
        mi(0x24, 0, &[general(2), at(16)[0], HIGH]),
        mi(0x2e, 0, &[at(20)[0], HIGH, at(0)[0], HIGH]),
        // adds 5, then exchanges if it is 12
        mi(0x2f, 7 << 8 | 1 << 18, &[at(0)[0], HIGH, 5, 0, 0, 0, 0, 0, 0, 0]),
        mi(0x2f, 0xe << 8 | 1 << 18, &[at(0)[0], HIGH, 12, 99, 0, 0, 0, 0, 0, 0]),
        // PIPE_CONTROL
        [vec![0x7a00_0004, 1 << 14], at(24).to_vec(), vec![11, 12]].concat(),
    ]);
    assert_eq!(data[..8], [99, 0, 1, 2, 42, 7, 11, 12]);
    assert!(!findings.is_error(), "{findings}");
}

#[test]
fn batches_go_on_in_others_and_come_back() {
    let second = BATCH + 0x1000;
    let start = |flags| mi(0x31, flags, &[second as u32, (second >> 32) as u32]);
    for (flags, expected) in [(1 << 22, [1, 2, 3]), (0, [1, 2, 0])] {
        let server = server();
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        let end = vec![0x0a << 23];
        let first = [store(0, 1), start(flags), store(8, 3), end.clone()].concat();
        let other = [store(4, 2), end].concat();
        let program = [
            context(),
            write(client::BATCH_PAGES, &bytes(&first)),
            write(client::BATCH_PAGES + 0x1000, &bytes(&other)),
            submit(),
        ];
        stream.write_all(&program.concat()).unwrap();
        assert_eq!(read_words(&mut stream, DATA_PAGES, 3).unwrap(), expected);
    }
}

#[test]
fn a_semaphore_waits_for_memory() {
    let server = server();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    // Goes on when what is in memory is at least 5.
    let wait = mi(0x1c, 1 << 12, &[5, at(64)[0], HIGH]);
    let batch = [store(0, 1), wait, store(4, 2), vec![0x0a << 23]].concat();
    stream.write_all(&[context(), write(client::BATCH_PAGES, &bytes(&batch)), submit()].concat()).unwrap();
    assert_eq!(read_words(&mut stream, DATA_PAGES, 2).unwrap(), [1, 0]);
    stream.write_all(&write(DATA_PAGES + 64, &4u32.to_le_bytes())).unwrap();
    assert_eq!(read_words(&mut stream, DATA_PAGES, 2).unwrap(), [1, 0]);
    stream.write_all(&write(DATA_PAGES + 64, &6u32.to_le_bytes())).unwrap();
    assert_eq!(read_words(&mut stream, DATA_PAGES, 2).unwrap(), [1, 2]);
}

#[test]
fn the_value_that_says_how_far_the_gpu_is() {
    let server = server();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let mut ask = |before: &[u8], size: usize| {
        stream.write_all(&[before, &message(HOW_FAR, 5, &[])].concat()).unwrap();
        let mut answer = vec![0; 24 + size];
        stream.read_exact(&mut answer).unwrap();
        answer
    };
    assert_eq!(ask(&context(), 0), message(6, 5, &[0, 0, 0]), "nothing has run");
    let said = |offset, value| [vec![0x7a00_0004, 1 << 14], at(offset).to_vec(), vec![value, 1]].concat();
    // The last one counts, and no other store.
    let batch = [said(0x1ff8, 3), said(0x1008, 4), store(0, 1), vec![0x0a << 23]].concat();
    let session = [write(client::BATCH_PAGES, &bytes(&batch)), submit()].concat();
    let place = DATA_PAGES as u32 + 0x1008;
    assert_eq!(ask(&session, 8), [message(6, 5, &[0, place, 8]), bytes(&[4, 1])].concat());
}

#[test]
fn what_cannot_be_run_is_told_and_the_next_submission_runs() {
    let nowhere = mi(0x20, 0, &[0x1000, 0x1234, 1]);
    let endless = mi(0x31, 0, &[BATCH as u32, (BATCH >> 32) as u32]);
    let short = mi(0x20, 0, &[1]);
    let walker = vec![0x7105_000d; 1].into_iter().chain([0; 14]).collect::<Vec<u32>>();
    for (bad, why) in [
        (nowhere, "address 0x123400001000 is not mapped"),
        (endless, "does not end"),
        (short, "allowed: 4"),
        (walker, "is not mapped"),
    ] {
        let (data, findings) = run(&[store(0, 3), bad, store(0, 4)]);
        assert_eq!(data[0], 3);
        assert!(findings.is_error() && findings.to_string().contains(why), "{findings}");
    }
}

#[test]
fn memory_has_a_bound() {
    let server = Server::start(Config { memory: 1 << 20, ..Config::new(Platform::Skl) }).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let mut sent = Ok(());
    for i in 0..1024u64 {
        sent = sent.and_then(|()| stream.write_all(&write(i << 12, &[1; 64])));
    }
    assert!(read_words(&mut stream, 0, 1).is_none(), "the connection is closed");
    // Another connection has all of it.
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.write_all(&write(0, &5u32.to_le_bytes())).unwrap();
    let found = read_words(&mut stream, 0, 1);
    drop(stream);
    let text = server.stop().to_string();
    assert!(found == Some(vec![5]) && text.contains("allowed: 1048576"), "{found:?} {text}");
}

//! Plays the driver: memory, page tables, a context, submissions.
#![allow(dead_code, reason = "each test uses a part")]

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, TcpStream},
    thread,
    time::Duration,
};

use tbx::Server;

/// How long a client waits for the server.
pub const TIME: Duration = Duration::from_secs(20);

/// Where things are: page tables, the context image (global page 1 and 2), the ring (global page 3), a batch, data.
pub const ROOT: u64 = 0x10_0000;
pub const IMAGE: u64 = 0x20_0000;
pub const RING: u64 = 0x20_2000;
pub const BATCH: u64 = 0x7000_0000_0000;
pub const DATA: u64 = 0x5555_0000_1000;
/// Physical addresses of the batch and of data.
pub const BATCH_PAGES: u64 = 0x30_0000;
pub const DATA_PAGES: u64 = 0x40_0000;
/// The render engine.
pub const ENGINE: u32 = 0x2000;

/// Says that the library is there, and of which process.
pub const TURNS: u32 = u32::from_le_bytes(*b"turn");

/// The question how far the GPU is.
pub const HOW_FAR: u32 = u32::from_le_bytes(*b"done");

/// A message: type, number, body.
pub fn message(kind: u32, number: u32, body: &[u32]) -> Vec<u8> {
    [kind, number, 4 * body.len() as u32].iter().chain(body).flat_map(|w| w.to_le_bytes()).collect()
}

pub fn write(address: u64, data: &[u8]) -> Vec<u8> {
    let mut out = message(4, 1, &[((address >> 32) as u32) << 24, address as u32, data.len() as u32]);
    out.extend_from_slice(data);
    out
}

pub fn register(offset: u32, value: u32) -> Vec<u8> {
    message(0, 2, &[1, offset, value])
}

pub fn global(index: u32, page: u64) -> Vec<u8> {
    message(2, 3, &[1, index, page as u32 | 1, (page >> 32) as u32])
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Entries that map pages of the process to physical ones.
pub fn map(address: u64, physical: u64, pages: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..pages {
        let page = (address >> 12) + i;
        let mut table = ROOT;
        for (k, level) in [27, 18, 9].into_iter().enumerate() {
            // A table of its own for each address of data and batch.
            let next = ROOT + 0x1000 * (1 + 8 * u64::from(address == BATCH) + k as u64);
            out.extend(write(table + 8 * (page >> level & 511), &(next | 1).to_le_bytes()));
            table = next;
        }
        let entry = (physical + 0x1000 * i) | 1;
        out.extend(write(table + 8 * (page & 511), &entry.to_le_bytes()));
    }
    out
}

/// A context whose ring starts the batch, and the ring's tail.
pub fn context() -> Vec<u8> {
    let mut out = map(BATCH, BATCH_PAGES, 4);
    out.extend(map(DATA, DATA_PAGES, 16));
    for (index, page) in [(1, IMAGE), (2, IMAGE + 0x1000), (3, RING)] {
        out.extend(global(index, page));
    }
    let mut image = [0u32; 64];
    (image[0x24 / 4], image[0x1c / 4]) = (0x3000, 16);
    (image[0xc4 / 4], image[0xcc / 4]) = ((ROOT >> 32) as u32, ROOT as u32);
    out.extend(write(IMAGE + 0x1000, &bytes(&image)));
    out.extend(write(RING, &bytes(&[0x31 << 23 | 1, BATCH as u32, (BATCH >> 32) as u32, 0])));
    out
}

/// The submission, of Gen11 and later.
pub fn submit() -> Vec<u8> {
    [register(ENGINE + 0x510, 0x1001), register(ENGINE + 0x514, 0), register(ENGINE + 0x550, 1)].concat()
}

/// Bytes of physical memory.
pub fn read(stream: &mut TcpStream, address: u64, length: u32) -> Option<Vec<u8>> {
    let high = ((address >> 32) as u32) << 24;
    stream.write_all(&message(5, 9, &[high, address as u32, length])).ok()?;
    let mut head = [0; 24];
    stream.read_exact(&mut head).ok()?;
    // The lowest bit says that the GPU has not changed what is read.
    head[12] &= !1;
    assert_eq!(head, *message(6, 9, &[high, address as u32, length]).as_slice());
    let mut out = vec![0; length as usize];
    stream.read_exact(&mut out).ok()?;
    Some(out)
}

pub fn read_words(stream: &mut TcpStream, address: u64, count: u32) -> Option<Vec<u32>> {
    let bytes = read(stream, address, 4 * count)?;
    Some(bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect())
}

/// A batch with every command that has an effect, walkers of both kinds among them.
pub fn batch() -> Vec<u8> {
    let high = (DATA >> 32) as u32;
    let low = DATA as u32;
    let batch: [&[u32]; 10] = [
        &[
            0x6101_0011,
            1,
            0,
            0,
            low | 1,
            high,
            low | 1,
            high,
            low | 1,
            high,
            low | 1,
            high,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        ],
        &[0x7000_0007, 0x400, 0, 0x0fff_0000, 0, 0, 0, 0, 0],
        &[0x7002_0002, 0, 32, 0],
        &[0x20 << 23 | 2, low, high, 7],
        &[0x2f << 23 | 7 << 8 | 1 << 18 | 9, low, high, 5, 0, 0, 0, 0, 0, 0, 0],
        &[0x1a << 23 | 2, 0x080 << 20 | 0x20 << 10, 0x100 << 20, 0x180 << 20 | 2 << 10 | 0x31],
        &[0x7a00_0004, 1 << 14, low, high, 1, 2],
        &[0x7105_000d, 0, 64, 0, 1, 0, 0, 4, 0, 0, 2, 0, 2, 0xffff, 0xffff],
        &[0x2 << 29 | 0x5a << 22 | 8, 63, 0, 0, 0, low, high, low + 64, high, 0],
        &[0x0a << 23],
    ];
    bytes(&batch.concat())
}

/// A session that submits the [`batch`], with a descriptor to launch.
pub fn launches() -> Vec<u8> {
    let descriptor = bytes(&[0x100, 0, 0, 0, 0, 1 << 16, 1, 0]);
    [
        context(),
        write(DATA_PAGES, &descriptor),
        write(DATA_PAGES + 0x100, &[0; 512]),
        write(BATCH_PAGES, &batch()),
        submit(),
    ]
    .concat()
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).expect("it listens");
    stream.set_read_timeout(Some(TIME)).expect("not zero");
    stream.set_write_timeout(Some(TIME)).expect("not zero");
    stream
}

/// Sends bytes, and reads what comes until the other side closes the connection, at most so many bytes. A read of
/// 4 GB is one that a driver may ask for.
pub fn send(server: &Server, session: &[u8], answers: usize) {
    let mut stream = connect(server);
    let mut reader = stream.try_clone().expect("a handle");
    let answers = thread::spawn(move || {
        let mut buffer = [0; 1 << 12];
        let mut left = answers;
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

/// Whether the server answers a new connection.
pub fn is_alive(server: &Server) -> bool {
    let mut stream = connect(server);
    let sent = stream.write_all(&write(0x1000, &77u32.to_le_bytes()));
    sent.is_ok() && read_words(&mut stream, 0x1000, 1) == Some(vec![77])
}

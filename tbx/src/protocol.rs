//! The messages of the socket, as the runtime's `tbx_proto.h` and `tbx_sockets_imp.cpp` have them.
//!
//! Each begins with three words: type, number, bytes of its body. All is little-endian. The data that a write carries
//! follow the body and are not among its bytes, so they are left in the stream for the reader to take in pieces.

use narrow::{as_index, low_u32, to_u64};
use std::io::{self, Read, Write};

use crate::Error;

/// The largest body that is read: the messages known have 16 bytes.
const MOST_BODY: u32 = 1 << 16;

/// Kinds of messages, and of their answers, by the names of `tbx_proto.h` without `HAS_`.
mod kind {
    pub const MMIO_REQ: u32 = 0;
    pub const MMIO_RES: u32 = 1;
    pub const GTT_REQ: u32 = 2;
    pub const WRITE_DATA_REQ: u32 = 4;
    pub const READ_DATA_REQ: u32 = 5;
    pub const READ_DATA_RES: u32 = 6;
    pub const CONTROL_REQ: u32 = 11;
}

/// A message of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Settings of the simulator; they have no meaning here.
    Control,
    /// Writes a register.
    RegisterWrite { offset: u32, value: u32 },
    /// Reads a register, and is answered.
    RegisterRead { offset: u32 },
    /// Sets an entry of the global page table.
    Global { index: u32, entry: u64 },
    /// Bytes for the physical memory, which follow.
    Write { address: u64, length: u32 },
    /// Reads physical memory, and is answered.
    Read { address: u64, length: u32 },
    /// The library `turns` is on the other side, in a process with this number.
    Turns { process: u32 },
    /// That library asks what was written last to say how far the GPU is, and is answered as by a read.
    HowFar,
    /// Another kind, without effect.
    Other(u32),
}

/// The next message and its number; `None` at the end of the stream.
///
/// # Errors
///
/// The stream ends inside of a message, or has none.
pub fn read(stream: &mut impl Read) -> Result<Option<(u32, Message)>, Error> {
    let mut head = [0; 12];
    match stream.read(&mut head[..1])? {
        0 => return Ok(None),
        _ => stream.read_exact(&mut head[1..])?,
    }
    let [of_kind, number, size] = words(&head);
    if size > MOST_BODY {
        let reason = format!("found {size} bytes, allowed: up to {MOST_BODY}");
        return Err(Error::Message { number, reason });
    }
    let mut body = [0; 16];
    let known = body.len().min(as_index(size));
    stream.read_exact(&mut body[..known])?;
    io::copy(&mut stream.take(u64::from(size) - to_u64(known)), &mut io::sink())?;
    let need = match of_kind {
        kind::MMIO_REQ | kind::WRITE_DATA_REQ | kind::READ_DATA_REQ => 12,
        kind::GTT_REQ => 16,
        _ => 0,
    };
    if size < need {
        let reason = format!("type {of_kind}: found {size} bytes, allowed: {need}");
        return Err(Error::Message { number, reason });
    }
    let [a, b, c, d] = words(&body);
    // The top byte of the flags is that of the address.
    let address = u64::from(a >> 24) << 32 | u64::from(b);
    let message = match of_kind {
        kind::MMIO_REQ if a & 1 != 0 => Message::RegisterWrite { offset: b, value: c },
        kind::MMIO_REQ => Message::RegisterRead { offset: b },
        kind::GTT_REQ => Message::Global { index: b, entry: u64::from(d) << 32 | u64::from(c) },
        kind::WRITE_DATA_REQ => Message::Write { address, length: c },
        kind::READ_DATA_REQ => Message::Read { address, length: c },
        kind::CONTROL_REQ => Message::Control,
        TURNS => Message::Turns { process: a },
        HOW_FAR => Message::HowFar,
        other => Message::Other(other),
    };
    Ok(Some((number, message)))
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|i| words.get(i).map_or(0, |w| u32::from_le_bytes(*w)))
}

/// Answers a [`Message::RegisterRead`].
///
/// # Errors
///
/// The stream.
pub fn answer_register(stream: &mut impl Write, number: u32, value: u32) -> io::Result<()> {
    put(stream, &[kind::MMIO_RES, number, 4, value])
}

/// In the first word of the answer to a [`Message::Read`], where the driver does not look: the GPU has not changed these
/// bytes since the program's side held them. The library `turns` leaves the program's memory as it is then, and where it
/// has said that it is there, the bytes are not sent, and the bits above say for how many pages behind them the same is
/// true: it answers the driver then, which fetches whole buffers page by page.
const UNCHANGED: u32 = 1;
/// Most of those pages.
pub const MOST_PAGES: u32 = (1 << 16) - 1;

/// The kind of message by which that library says so.
const TURNS: u32 = u32::from_le_bytes(*b"turn");

/// The kind of message by which it asks how far the GPU is.
const HOW_FAR: u32 = u32::from_le_bytes(*b"done");

/// Begins the answer to a [`Message::Read`]: the bytes follow, which the GPU may have left as the program's side has them,
/// and so many pages behind them.
///
/// # Errors
///
/// The stream.
pub fn answer_read(
    stream: &mut impl Write,
    number: u32,
    address: u64,
    length: u32,
    unchanged: Option<u32>,
) -> io::Result<()> {
    let state = unchanged.map_or(0, |pages| pages.min(MOST_PAGES) << 1 | UNCHANGED);
    let first = low_u32(address >> 32) << 24 | state;
    put(stream, &[kind::READ_DATA_RES, number, 12, first, low_u32(address), length])
}

fn put(stream: &mut impl Write, words: &[u32]) -> io::Result<()> {
    words.iter().try_for_each(|w| stream.write_all(&w.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn messages_of_each_kind() {
        let cases: [(&[u32], Message); 11] = [
            (&[TURNS, 7, 0], Message::Turns { process: 0 }),
            (&[TURNS, 7, 4, 1234], Message::Turns { process: 1234 }),
            (&[HOW_FAR, 7, 0], Message::HowFar),
            (&[11, 7, 4, 0x0032_0002], Message::Control),
            (&[0, 7, 12, 0x41, 0x2230, 5], Message::RegisterWrite { offset: 0x2230, value: 5 }),
            (&[0, 7, 12, 0x40, 0x2234, 0], Message::RegisterRead { offset: 0x2234 }),
            (&[2, 7, 16, 1, 3, 0x5001, 2], Message::Global { index: 3, entry: 0x2_0000_5001 }),
            (&[4, 7, 12, 0x0200_0000, 0x1000, 8], Message::Write { address: 0x2_0000_1000, length: 8 }),
            (&[5, 7, 12, 0x0200_0000, 0x1000, 8], Message::Read { address: 0x2_0000_1000, length: 8 }),
            (&[30, 7, 0], Message::Other(30)),
            (&[30, 7, 20, 1, 2, 3, 4, 5], Message::Other(30)),
        ];
        for (words, message) in cases {
            let bytes = bytes(words);
            let mut stream = bytes.as_slice();
            assert_eq!(read(&mut stream).unwrap(), Some((7, message)));
            assert_eq!(read(&mut stream).unwrap(), None, "nothing is left");
        }
    }

    #[test]
    fn what_is_no_message() {
        let cases: [&[u32]; 4] = [&[4, 1], &[4, 1, 8, 0, 0], &[0, 1, 0x7fff_ffff], &[2, 1, 16, 0, 0]];
        for words in cases {
            assert!(read(&mut bytes(words).as_slice()).is_err(), "{words:?}");
        }
        assert!(read(&mut [0u8; 5].as_slice()).is_err());
    }

    #[test]
    fn answers() {
        let mut out = Vec::new();
        answer_register(&mut out, 9, 0x100).unwrap();
        answer_read(&mut out, 10, 0x3_0000_2000, 8, None).unwrap();
        answer_read(&mut out, 11, 0x3_0000_2000, 8, Some(3)).unwrap();
        let known = [1, 9, 4, 0x100, 6, 10, 12, 0x0300_0000, 0x2000, 8, 6, 11, 12, 0x0300_0007, 0x2000, 8];
        assert_eq!(out, bytes(&known));
    }
}

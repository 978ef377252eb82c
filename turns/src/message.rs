//! Where messages of the socket end, and which are questions (`tbx_proto.h`).
//!
//! Three words (type, number, bytes of the body), the body, and behind a write or the answer to a read as many bytes as
//! the third word of the body says. In the answer to a read, this project's server says in a bit of the first word, which
//! the driver does not look at, that the GPU has changed nothing there, and sends no data.

use narrow::{as_index, to_index, to_u64};
use std::ops::Range;

/// Bytes of the head, and of the body that have a meaning here.
const HEAD: usize = 12;
const BODY: usize = 12;

/// Bytes of the longest answer, its data aside.
pub const ANSWER: usize = HEAD + BODY;

/// A register: a write, or with bit 0 of the body clear a question.
const REGISTER: u32 = 0;
/// Memory: a write, a question, an answer.
const WRITE: u32 = 4;
const READ: u32 = 5;
const READ_ANSWER: u32 = 6;

/// In the first word of an answer to a read: the program's side has exchanged these bytes before, and the GPU has not
/// changed them since. The data are left out then.
pub const UNCHANGED: u32 = 1;
/// Bits above it: for how many pages behind those bytes the same is true.
const PAGES: u32 = 0xff_ffff;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Words of a message that says to the server that this library is here, takes answers without data, and of which process the
/// connection is.
pub fn here() -> [u32; 4] {
    [u32::from_le_bytes(*b"turn"), 0, 4, std::process::id()]
}

/// Words of a question to the server: what it has written last to say how far it is. The answer is one to a read.
pub const HOW_FAR: [u32; 3] = [u32::from_le_bytes(*b"done"), 0, 0];

const DONE: u32 = HOW_FAR[0];

impl Completed {
    /// A question for memory.
    pub const ONE_READ: Completed = Completed { messages: 1, questions: 1, urgent: true, others: 0 };
}

/// One direction of a socket, as far as its bytes are known.
#[derive(Debug, Default)]
pub struct Stream {
    /// The beginning of the message that is not whole.
    begun: [u8; ANSWER],
    /// How much of it is there.
    count: usize,
    /// Bytes of the last message that are still to come.
    rest: u64,
    /// Those bytes are memory that the GPU has not changed.
    unchanged: bool,
    /// The last question for memory, or answer to one.
    last: Option<Read>,
    /// The message that ended last writes memory.
    is_write: bool,
}

/// A question for memory, or an answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    number: u32,
    first: u32,
    address: u32,
    length: u32,
}

impl Read {
    fn start(self) -> u64 {
        u64::from(self.first >> 24) << 32 | u64::from(self.address)
    }

    /// An answer by its bytes.
    pub fn of_answer(head: &[u8; ANSWER]) -> Option<Read> {
        let (words, _) = head.as_chunks();
        let &[kind, number, _, first, address, length] = words else { return None };
        let [number, first, address, length] = [number, first, address, length].map(u32::from_le_bytes);
        (u32::from_le_bytes(kind) == READ_ANSWER).then_some(Read { number, first, address, length })
    }

    /// The bytes that it is about.
    pub fn range(self) -> Range<u64> {
        self.start()..self.start() + u64::from(self.length)
    }

    /// Of an answer: whether the GPU has changed the bytes.
    pub fn is_changed(self) -> bool {
        self.first & UNCHANGED == 0
    }

    /// Of an answer: the bytes behind those that the GPU has not changed either.
    pub fn unchanged_behind(self) -> Range<u64> {
        let pages = if self.first & UNCHANGED != 0 { (self.first & PAGES) >> 1 } else { 0 };
        let end = self.range().end;
        end..end + u64::from(pages) * to_u64(PAGE)
    }

    /// The answer to a question for bytes that have not changed.
    pub fn unchanged(self) -> [u8; ANSWER] {
        let first = self.first & !PAGES | UNCHANGED;
        let words = [READ_ANSWER, self.number, to_index(BODY), first, self.address, self.length];
        let mut bytes = [0; ANSWER];
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes
    }
}

/// What some bytes completed. A message whose data are still to come counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    pub messages: u64,
    pub questions: u64,
    /// The server may have something to do now: it is asked, or a register is written.
    pub urgent: bool,
    /// Messages that are not questions for memory.
    pub others: u64,
}

impl Stream {
    /// Takes the next bytes.
    pub fn take(&mut self, mut bytes: &[u8]) -> Completed {
        let mut completed = Completed::default();
        while !bytes.is_empty() {
            if self.rest != 0 {
                let skipped = usize::try_from(self.rest).map_or(bytes.len(), |rest| rest.min(bytes.len()));
                self.rest -= to_u64(skipped);
                bytes = &bytes[skipped..];
                continue;
            }
            let (now, later) = bytes.split_at((self.wanted() - self.count).min(bytes.len()));
            self.begun[self.count..][..now.len()].copy_from_slice(now);
            self.count += now.len();
            bytes = later;
            if self.count == self.wanted() {
                completed.messages += 1;
                let is_question = self.is_question();
                completed.questions += u64::from(is_question);
                completed.urgent |= is_question || self.word(0) == REGISTER;
                completed.others += u64::from(self.word(0) != READ);
                self.end();
            }
        }
        completed
    }

    /// The last question for memory, or answer to one, unless it was looked at before.
    pub fn take_read(&mut self) -> Option<Read> {
        self.last.take_if(|_| !self.is_write)
    }

    /// What the last message writes to memory, if all of its data are to come.
    pub fn begins_to_write(&self) -> Option<Range<u64>> {
        let range = self.last.filter(|_| self.is_write)?.range();
        (range.end - range.start == self.rest).then_some(range)
    }

    /// Passes over data of the message that is not whole.
    pub fn skip(&mut self, count: usize) {
        self.rest = self.rest.saturating_sub(to_u64(count));
    }

    /// Whether a message has begun that is not whole.
    pub fn is_inside(&self) -> bool {
        self.rest != 0 || self.count != 0
    }

    /// Whether data of an answer are to come now.
    pub fn is_in_data(&self) -> bool {
        self.rest != 0
    }

    /// The number of bytes to come now that the GPU has not changed since the program's side knew them.
    pub fn unchanged(&self) -> u64 {
        if self.unchanged { self.rest } else { 0 }
    }

    fn word(&self, index: usize) -> u32 {
        let (words, _) = self.begun[..self.count].as_chunks();
        words.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }

    /// How much of the message must be seen.
    fn wanted(&self) -> usize {
        match self.count {
            0..HEAD => HEAD,
            _ => HEAD + as_index(self.word(2)).min(BODY),
        }
    }

    /// Whether the message that is seen far enough is a question.
    fn is_question(&self) -> bool {
        match self.word(0) {
            READ | DONE => true,
            REGISTER => self.word(3) & 1 == 0,
            _ => false,
        }
    }

    /// Ends the message that is seen far enough.
    fn end(&mut self) {
        let [kind, number, size, first, address, length] = [0, 1, 2, 3, 4, 5].map(|k| self.word(k));
        let carried = if matches!(kind, WRITE | READ_ANSWER) { length } else { 0 };
        self.rest = u64::from(size.saturating_sub(to_index(BODY))) + u64::from(carried);
        self.unchanged = kind == READ_ANSWER && first & UNCHANGED != 0 && size == to_index(BODY);
        self.is_write = kind == WRITE;
        self.last =
            matches!(kind, READ | READ_ANSWER | WRITE).then_some(Read { number, first, address, length });
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn messages_end_where_they_do_however_they_are_cut() {
        let mut all = bytes(&[11, 0, 4, 0x0032_0002]);
        all.extend(bytes(&[REGISTER, 1, 12, 1, 0x2000, 5]));
        all.extend(bytes(&[REGISTER, 2, 12, 0, 0x2000, 0]));
        all.extend(bytes(&[2, 3, 16, 1, 7, 8, 9]));
        all.extend(bytes(&[WRITE, 4, 12, 0, 0x1000, 5]));
        all.extend([1, 2, 3, 4, 5]);
        all.extend(bytes(&[READ, 5, 12, 0, 0x1000, 8]));
        all.extend(bytes(&[99, 6, 0]));
        let whole = Completed { messages: 7, questions: 2, urgent: true, others: 6 };
        for piece in [1, 3, 12, 17, 1000] {
            let mut stream = Stream::default();
            let mut sum = Completed::default();
            for bytes in all.chunks(piece) {
                let now = stream.take(bytes);
                sum.messages += now.messages;
                sum.questions += now.questions;
                sum.urgent |= now.urgent;
                sum.others += now.others;
            }
            assert_eq!((sum, stream.is_inside()), (whole, false), "pieces of {piece}");
        }
        let mut stream = Stream::default();
        stream.take(&all[..all.len() - 1]);
        assert!(stream.is_inside());
        let mut stream = Stream::default();
        assert!(!stream.take(&bytes(&[2, 3, 16, 1, 7, 8, 9])).urgent);
        assert!(!stream.take(&bytes(&[WRITE, 4, 12, 0, 0x1000, 4, 1])).urgent);
        assert!(stream.take(&bytes(&[REGISTER, 1, 12, 1, 0x2000, 5])).urgent);
    }

    #[test]
    fn a_write_begins_before_its_data() {
        let mut stream = Stream::default();
        stream.take(&bytes(&[WRITE, 4, 12, 0x0300_0000, 0x1000, 8]));
        assert_eq!(
            (stream.begins_to_write(), stream.take_read()),
            (Some(0x3_0000_1000..0x3_0000_1008), None)
        );
        stream.take(&[0; 3]);
        assert_eq!(stream.begins_to_write(), None);
        stream.take(&[0; 5]);
        stream.take(&bytes(&[READ, 5, 12, 0, 0x1000, 8]));
        assert_eq!(stream.begins_to_write(), None);
        assert_eq!(stream.take_read().map(Read::range), Some(0x1000..0x1008));
    }

    #[test]
    fn a_question_how_far_the_gpu_is_is_answered_as_a_read() {
        let mut stream = Stream::default();
        let asked = stream.take(&bytes(&HOW_FAR));
        assert_eq!(asked, Completed { messages: 1, questions: 1, urgent: true, others: 1 });
        let head = bytes(&[READ_ANSWER, 0, 12, 0x0300_0000, 0x1008, 8]);
        let read = Read::of_answer(head.as_slice().try_into().unwrap());
        assert_eq!(read.map(Read::range), Some(0x3_0000_1008..0x3_0000_1010));
        assert_eq!(Read::of_answer(&[0; ANSWER]), None);
    }

    #[test]
    fn answers_end_behind_their_data() {
        let mut stream = Stream::default();
        stream.take(&bytes(&[1, 2, 4, 0x77]));
        assert!(!stream.is_inside());
        stream.take(&bytes(&[READ_ANSWER, 5, 12, 0, 0x1000, 8]));
        assert!(stream.is_inside());
        assert_eq!(stream.unchanged(), 0);
        stream.take(&[0; 8]);
        assert!(!stream.is_inside());
        stream.take(&bytes(&[READ_ANSWER, 6, 12, 0x0300_0000 | UNCHANGED, 0x1000, 8]));
        stream.take(&[0; 3]);
        assert_eq!(stream.unchanged(), 5);
        stream.skip(5);
        assert_eq!(stream.take_read().map(Read::unchanged_behind), Some(0x3_0000_1008..0x3_0000_1008));
        assert_eq!((stream.unchanged(), stream.is_inside()), (0, false));
    }
}

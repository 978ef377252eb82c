//! Where messages of the socket end, and which are questions (`tbx_proto.h`).
//!
//! Three words (type, number, bytes of the body), the body, and behind a write or the answer to a read as many bytes as
//! the third word of the body says. In the answer to a read, this project's server says in a bit of the first word, which
//! the driver does not look at, that the GPU has changed nothing there.

use narrow::{as_index, to_index, to_u64};

/// Words of the head, and of the body that have a meaning here.
const HEAD: usize = 12;
const BODY: usize = 12;

/// A register: a write, or with bit 0 of the body clear a question.
const REGISTER: u32 = 0;
/// Memory: a write, a question, an answer.
const WRITE: u32 = 4;
const READ: u32 = 5;
const READ_ANSWER: u32 = 6;

/// In the first word of an answer to a read: the program's side has exchanged these bytes before, and the GPU has not
/// changed them since.
pub const UNCHANGED: u32 = 1;

/// One direction of a socket, as far as its bytes are known.
#[derive(Debug, Default)]
pub struct Stream {
    /// The beginning of the message that is not whole.
    begun: Vec<u8>,
    /// Bytes of the last message that are still to come.
    rest: u64,
    /// Those bytes are memory that the GPU has not changed.
    unchanged: bool,
}

/// What some bytes completed. A message whose data are still to come counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    pub messages: u64,
    pub questions: u64,
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
            let (now, later) = bytes.split_at((self.wanted() - self.begun.len()).min(bytes.len()));
            self.begun.extend_from_slice(now);
            bytes = later;
            if self.begun.len() == self.wanted() {
                completed.messages += 1;
                completed.questions += u64::from(self.end());
            }
        }
        completed
    }

    /// Passes over data of the message that is not whole.
    pub fn skip(&mut self, count: usize) {
        self.rest = self.rest.saturating_sub(to_u64(count));
    }

    /// Whether a message has begun that is not whole.
    pub fn is_inside(&self) -> bool {
        self.rest != 0 || !self.begun.is_empty()
    }

    /// The number of bytes to come now that the GPU has not changed since the program's side knew them.
    pub fn unchanged(&self) -> u64 {
        if self.unchanged { self.rest } else { 0 }
    }

    fn word(&self, index: usize) -> u32 {
        let bytes = self.begun.get(4 * index..4 * index + 4).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }

    /// How much of the message must be seen.
    fn wanted(&self) -> usize {
        match self.begun.len() {
            0..HEAD => HEAD,
            _ => HEAD + as_index(self.word(2)).min(BODY),
        }
    }

    /// Ends the message that is seen far enough, and says whether it is a question.
    fn end(&mut self) -> bool {
        let [kind, size, first, length] = [0, 2, 3, 5].map(|k| self.word(k));
        let carried = if matches!(kind, WRITE | READ_ANSWER) { length } else { 0 };
        self.rest = u64::from(size.saturating_sub(to_index(BODY))) + u64::from(carried);
        self.unchanged = kind == READ_ANSWER && first & UNCHANGED != 0 && size == to_index(BODY);
        self.begun.clear();
        kind == READ || kind == REGISTER && first & 1 == 0
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
        let whole = Completed { messages: 7, questions: 2 };
        for piece in [1, 3, 12, 17, 1000] {
            let mut stream = Stream::default();
            let mut sum = Completed::default();
            for bytes in all.chunks(piece) {
                let now = stream.take(bytes);
                sum.messages += now.messages;
                sum.questions += now.questions;
            }
            assert_eq!((sum, stream.is_inside()), (whole, false), "pieces of {piece}");
        }
        let mut stream = Stream::default();
        stream.take(&all[..all.len() - 1]);
        assert!(stream.is_inside());
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
        assert_eq!((stream.unchanged(), stream.is_inside()), (0, false));
    }
}

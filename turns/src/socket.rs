//! A socket: what is sent and got on it, and what is known of the memory on both sides.

use narrow::to_u64;
use std::{collections::BTreeMap, ops::Range, ptr};

use crate::{
    known::Known,
    message::{ANSWER, Read, Stream, here},
};

/// Places in the program that are remembered.
const MOST_PLACES: usize = 1 << 16;

/// A socket in use.
pub struct Socket {
    pub holder: Option<Thread>,
    pub sent: Stream,
    pub got: Stream,
    /// Questions that are not answered.
    pub open: u64,
    /// What the program has sent and the system has not been given yet.
    pub collected: Vec<u8>,
    /// What the system has given and the program has not asked for yet.
    ahead: Vec<u8>,
    /// How much of it the program has.
    ahead_given: usize,
    /// Addresses of memory that the GPU had not changed when it was asked last, and of which nobody has asked since.
    pub unchanged: Range<u64>,
    /// Where the data of the question that was sent last go is still to be told: its bytes.
    pub asked: Option<Range<u64>>,
    /// Memory whose data are to be sent next.
    pub written: Option<Range<u64>>,
    /// Where the program has memory that was asked for or sent, by its first address: the last one, and the program's.
    pub places: BTreeMap<u64, (u64, usize)>,
    /// What the server holds of the memory that was sent.
    pub known: Known,
    /// A write whose data come next: where it begins in what is collected, and the memory.
    pub write: Option<(usize, Range<u64>)>,
}

/// A thread. (The standard library's number is gone when a thread ends, and drivers send until then.)
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Thread(usize);

impl Thread {
    pub fn current() -> Thread {
        thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| Thread(ptr::from_ref(here).addr()))
    }
}

impl Socket {
    pub fn new() -> Socket {
        Socket {
            holder: None,
            sent: Stream::default(),
            got: Stream::default(),
            open: 0,
            collected: here().iter().flat_map(|word| word.to_le_bytes()).collect(),
            ahead: Vec::new(),
            ahead_given: 0,
            unchanged: 0..0,
            asked: None,
            written: None,
            places: BTreeMap::new(),
            known: Known::default(),
            write: None,
        }
    }

    /// What is collected is to go out.
    pub fn take_collected(&mut self) -> Vec<u8> {
        self.write = None;
        std::mem::take(&mut self.collected)
    }

    /// Whether these bytes are the data of a write that has no effect, and that is taken back then.
    pub fn takes_back(&mut self, data: &[u8]) -> bool {
        let Some((at, range)) = self.write.take() else { return false };
        let is_whole = range.end - range.start == to_u64(data.len());
        if !is_whole {
            self.known.forget(range);
            return false;
        }
        let is_again = self.known.is_again(range.start, data);
        if is_again {
            self.collected.truncate(at);
        }
        is_again
    }

    /// Answers a question for memory, if the server has said enough of that. Who asks for the same again waits for a change,
    /// which the server knows first: it is asked then.
    pub fn answer_itself(&mut self, read: Read, question: &[u8]) -> bool {
        let range = read.range();
        let is_known = self.unchanged.start <= range.start && range.end <= self.unchanged.end;
        if !is_known || self.is_ahead() || question.len() != ANSWER {
            return false;
        }
        self.unchanged.start = range.end;
        self.read_ahead(&read.unchanged());
        true
    }

    /// Bytes that the system has given, to be handed on.
    pub fn read_ahead(&mut self, bytes: &[u8]) {
        self.ahead.extend_from_slice(bytes);
    }

    /// Whether there are bytes to hand on.
    pub fn is_ahead(&self) -> bool {
        self.ahead_given != self.ahead.len()
    }

    /// Hands them on; how many.
    pub fn hand_on(&mut self, out: &mut [u8]) -> usize {
        let rest = &self.ahead[self.ahead_given..];
        let count = out.len().min(rest.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.ahead_given += count;
        if !self.is_ahead() {
            self.ahead.clear();
            self.ahead_given = 0;
        }
        count
    }

    /// The data of an answer go to this address of the program.
    pub fn goes_to(&mut self, place: usize) {
        if let Some(range) = self.asked.take() {
            self.has_place(range, place);
        }
    }

    /// The program has this memory at that address.
    fn has_place(&mut self, range: Range<u64>, place: usize) {
        if self.places.len() < MOST_PLACES || self.places.contains_key(&range.start) {
            self.places.insert(range.start, (range.end, place));
        }
    }

    /// Bytes that are sent: if they are the data of a write, the program has that memory there. Single words are entries of
    /// page tables, which it makes for the message.
    pub fn comes_from(&mut self, data: &[u8]) {
        let Some(range) = self.written.take() else { return };
        if range.end - range.start == to_u64(data.len()) && data.len() > size_of::<u64>() {
            self.has_place(range, data.as_ptr().expose_provenance());
        }
    }

    /// The holder keeps it while a message is not whole or an answer is to come.
    pub fn settle(&mut self) {
        if self.open == 0 && !self.sent.is_inside() && !self.got.is_inside() {
            self.holder = None;
        }
    }
}

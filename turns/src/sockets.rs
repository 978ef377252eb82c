//! Who has a socket.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    ptr,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::message::{ANSWER, Completed, HERE, Read, Stream};

/// Bytes that are collected before they are sent.
const MOST_COLLECTED: usize = 1 << 16;

/// The sockets in use, by number.
pub struct Sockets {
    all: Mutex<All>,
    given_back: Condvar,
}

struct All {
    sockets: BTreeMap<i32, Socket>,
    /// Threads that wait for one.
    waiting: usize,
}

struct Socket {
    holder: Option<Thread>,
    sent: Stream,
    got: Stream,
    /// Questions that are not answered.
    open: u64,
    /// What the program has sent and the system has not been given yet.
    collected: Vec<u8>,
    /// What the system has given and the program has not asked for yet.
    ahead: VecDeque<u8>,
    /// Addresses of memory that the GPU had not changed when it was asked last, and of which nobody has asked since.
    unchanged: Range<u64>,
}

/// A thread. (The standard library's number is gone when a thread ends, and drivers send until then.)
#[derive(Clone, Copy, PartialEq, Eq)]
struct Thread(usize);

impl Thread {
    fn current() -> Thread {
        thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| Thread(ptr::from_ref(here).addr()))
    }
}

impl Socket {
    fn new() -> Socket {
        Socket {
            holder: None,
            sent: Stream::default(),
            got: Stream::default(),
            open: 0,
            collected: HERE.iter().flat_map(|word| word.to_le_bytes()).collect(),
            ahead: VecDeque::new(),
            unchanged: 0..0,
        }
    }

    /// Answers the question that these bytes are, if it is for memory of which the server has said enough. Who asks for the
    /// same again waits for a change, which the server knows first: it is asked then.
    fn answer_itself(&mut self, question: &[u8]) -> bool {
        let Some(read) = self.sent.take_read() else { return false };
        let range = read.range();
        let is_known = self.unchanged.start <= range.start && range.end <= self.unchanged.end;
        if !is_known || !self.ahead.is_empty() || question.len() != ANSWER {
            return false;
        }
        self.unchanged.start = range.end;
        self.ahead.extend(read.unchanged());
        true
    }

    /// The holder keeps it while a message is not whole or an answer is to come.
    fn settle(&mut self) {
        if self.open == 0 && !self.sent.is_inside() && !self.got.is_inside() {
            self.holder = None;
        }
    }
}

impl Sockets {
    pub const fn new() -> Sockets {
        let all = All { sockets: BTreeMap::new(), waiting: 0 };
        Sockets { all: Mutex::new(all), given_back: Condvar::new() }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is a socket that is in use, until it is closed.
    pub fn is_known(&self, number: i32) -> bool {
        self.all().sockets.contains_key(&number)
    }

    /// Waits until the calling thread may send, and gives it the socket.
    pub fn begin(&self, number: i32) {
        let me = Some(Thread::current());
        let mut all = self.all();
        loop {
            let socket = all.sockets.entry(number).or_insert_with(Socket::new);
            if socket.holder.is_none() || socket.holder == me {
                socket.holder = me;
                return;
            }
            all.waiting += 1;
            all = self.given_back.wait(all).unwrap_or_else(PoisonError::into_inner);
            all.waiting -= 1;
        }
    }

    /// The program sends these bytes. They go out now if the server is asked, or may do something, or they are many; before
    /// them goes what is collected of all other sockets: who waits for an answer may wait for what others have sent. No
    /// other thread comes between, so that bytes of a socket stay in order. Whether those of this socket could be given.
    pub fn collect(&self, number: i32, bytes: &[u8], mut give: impl FnMut(i32, &[u8]) -> bool) -> bool {
        let mut all = self.all();
        let Some(socket) = all.sockets.get_mut(&number) else { return false };
        let completed = socket.sent.take(bytes);
        socket.open += completed.questions;
        if completed == Completed::ONE_READ && socket.answer_itself(bytes) {
            return true;
        }
        socket.collected.extend_from_slice(bytes);
        if completed.others != 0 {
            // The GPU may run.
            all.sockets.values_mut().for_each(|socket| socket.unchanged = 0..0);
        }
        let Some(socket) = all.sockets.get_mut(&number) else { return false };
        let mut done = true;
        if completed.urgent || socket.collected.len() >= MOST_COLLECTED {
            let own = std::mem::take(&mut socket.collected);
            let others = all.sockets.iter_mut().filter(|(_, other)| !other.collected.is_empty());
            for (number, other) in others {
                // Its own thread sees the error, too.
                give(*number, &std::mem::take(&mut other.collected));
            }
            done = give(number, &own);
        }
        if !done {
            all.sockets.remove(&number);
        }
        self.settle(&mut all, number);
        done
    }

    /// A socket is closed; what is still to go out is given.
    pub fn close(&self, number: i32, give: impl FnOnce(&[u8])) {
        let mut all = self.all();
        if let Some(socket) = all.sockets.remove(&number) {
            give(&socket.collected);
            self.given_back.notify_all();
        }
    }

    /// Bytes that the system has given, to be handed on.
    pub fn read_ahead(&self, number: i32, bytes: &[u8]) {
        if let Some(socket) = self.all().sockets.get_mut(&number) {
            socket.ahead.extend(bytes);
        }
    }

    /// Hands on what was read ahead; how many bytes.
    pub fn hand_on(&self, number: i32, out: &mut [u8]) -> usize {
        let mut all = self.all();
        let Some(socket) = all.sockets.get_mut(&number) else { return 0 };
        let count = out.len().min(socket.ahead.len());
        for (out, byte) in out.iter_mut().zip(socket.ahead.drain(..count)) {
            *out = byte;
        }
        Self::take(socket, &out[..count]);
        self.settle(&mut all, number);
        count
    }

    /// These bytes came in, and the program has them.
    pub fn got(&self, number: i32, bytes: &[u8]) {
        let mut all = self.all();
        if let Some(socket) = all.sockets.get_mut(&number) {
            Self::take(socket, bytes);
        }
        self.settle(&mut all, number);
    }

    fn take(socket: &mut Socket, bytes: &[u8]) {
        socket.open = socket.open.saturating_sub(socket.got.take(bytes).messages);
        // What the library itself has answered says nothing of what is behind.
        if let Some(range) = socket.got.take_read().map(Read::unchanged_behind)
            && !range.is_empty()
        {
            socket.unchanged = range;
        }
    }

    /// Where an answer stands.
    pub fn answer(&self, number: i32) -> Answer {
        match self.all().sockets.get(&number) {
            None => Answer::Data,
            Some(socket) if !socket.ahead.is_empty() => Answer::Ahead,
            Some(socket) if socket.got.unchanged() != 0 => Answer::Unchanged(socket.got.unchanged()),
            Some(socket) if socket.got.is_inside() => Answer::Data,
            Some(_) => Answer::Begins,
        }
    }

    /// So many bytes of an answer's data came in and are lost, or are not sent.
    pub fn skipped(&self, number: i32, count: usize) {
        let mut all = self.all();
        if let Some(socket) = all.sockets.get_mut(&number) {
            socket.got.skip(count);
        }
        self.settle(&mut all, number);
    }

    /// The connection is at its end.
    pub fn ended(&self, number: i32) {
        self.all().sockets.remove(&number);
        self.given_back.notify_all();
    }

    fn settle(&self, all: &mut All, number: i32) {
        let Some(socket) = all.sockets.get_mut(&number) else { return };
        socket.settle();
        if socket.holder.is_none() && all.waiting != 0 {
            self.given_back.notify_all();
        }
    }
}

/// What comes next on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Its beginning.
    Begins,
    /// What was read ahead.
    Ahead,
    /// Data.
    Data,
    /// Nothing: so many bytes are as they were.
    Unchanged(u64),
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, Ordering::SeqCst},
        thread,
        time::Duration,
    };

    use super::*;
    use crate::message::UNCHANGED;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn a_question_holds_the_socket_until_its_answer_is_there() {
        let sockets = Sockets::new();
        let other_sent = AtomicBool::new(false);
        sockets.begin(3);
        let question = bytes(&[5, 1, 12, 0, 0x1000, 4]);
        let here = bytes(&HERE);
        assert!(sockets.collect(3, &question, |_, given| given == [here.clone(), question.clone()].concat()));
        // The same thread may go on, and so may others on another socket.
        sockets.begin(3);
        thread::scope(|scope| {
            scope.spawn(|| {
                sockets.begin(4);
                sockets.begin(3);
                other_sent.store(true, SeqCst);
                sockets.collect(3, &bytes(&[0, 2, 12, 1, 0x2000, 4]), |_, _| true);
            });
            sockets.got(3, &bytes(&[6, 1, 12, 0, 0x1000, 4]));
            thread::sleep(Duration::from_millis(50));
            assert!(!other_sent.load(SeqCst), "the data of the answer are still to come");
            sockets.got(3, &[0; 4]);
        });
        assert!(other_sent.load(SeqCst));
        // Its message was whole and no question.
        sockets.begin(3);
        sockets.collect(3, &bytes(&[4, 3]), |_, _| true);
        thread::scope(|scope| {
            scope.spawn(|| sockets.begin(3));
            sockets.ended(3);
        });
    }

    #[test]
    fn what_is_no_question_waits_for_one_on_any_socket() {
        let sockets = Sockets::new();
        let entry = bytes(&[2, 3, 16, 1, 7, 8, 9]);
        let here = bytes(&HERE);
        for number in [3, 4] {
            sockets.begin(number);
            assert!(sockets.collect(number, &entry, |_, _| panic!("nobody has asked")));
        }
        let question = bytes(&[0, 2, 12, 0, 0x2000, 0]);
        let mut given = Vec::new();
        sockets.begin(4);
        sockets.collect(4, &question, |number, bytes| {
            given.push((number, bytes.to_vec()));
            true
        });
        let both = [here.clone(), entry.clone()].concat();
        assert_eq!(given, [(3, both.clone()), (4, [both, question].concat())]);
        sockets.begin(3);
        sockets.collect(3, &entry, |_, _| panic!("nobody has asked"));
        let mut last = Vec::new();
        sockets.close(3, |bytes| last.extend_from_slice(bytes));
        assert_eq!(last, entry);
        assert!(!sockets.is_known(3));
    }

    #[test]
    fn answers_come_in_parts_and_may_have_no_data() {
        let sockets = Sockets::new();
        sockets.begin(3);
        sockets.collect(3, &bytes(&[5, 1, 12, 0, 0x1000, 8]), |_, _| true);
        assert_eq!(sockets.answer(3), Answer::Begins);
        sockets.read_ahead(3, &bytes(&[6, 1, 12, UNCHANGED, 0x1000, 8]));
        let mut part = [0; 12];
        for words in [[6, 1, 12], [UNCHANGED, 0x1000, 8]] {
            assert_eq!(sockets.answer(3), Answer::Ahead);
            assert_eq!(sockets.hand_on(3, &mut part), 12);
            assert_eq!(part[..], bytes(&words));
        }
        assert_eq!(sockets.answer(3), Answer::Unchanged(8));
        sockets.skipped(3, 8);
        assert_eq!(sockets.answer(3), Answer::Begins);
    }

    #[test]
    fn pages_behind_one_that_is_unchanged_are_not_asked_for_until_the_gpu_may_have_run() {
        let sockets = Sockets::new();
        let asks = |address: u32| {
            let mut is_asked = false;
            sockets.begin(3);
            sockets.collect(3, &bytes(&[5, 1, 12, 0, address, 4096]), |_, _| {
                is_asked = true;
                true
            });
            let mut head = [0; ANSWER];
            if is_asked {
                sockets.read_ahead(3, &bytes(&[6, 1, 12, UNCHANGED | 3 << 1, address, 4096]));
            }
            assert_eq!(sockets.hand_on(3, &mut head), ANSWER);
            assert_eq!(head[16..], bytes(&[address, 4096])[..]);
            assert_eq!(sockets.answer(3), Answer::Unchanged(4096));
            sockets.skipped(3, 4096);
            is_asked
        };
        assert_eq!([0x1000, 0x2000, 0x4000].map(asks), [true, false, false]);
        assert_eq!(
            [0x4000, 0x5000, 0x9000, 0xa000].map(asks),
            [true, false, true, false],
            "again, or not told"
        );
        sockets.begin(4);
        sockets.collect(4, &bytes(&[0, 2, 12, 1, 0x2230, 7]), |_, _| true);
        assert_eq!([0xb000, 0xc000].map(asks), [true, false], "a submission, on another socket");
    }
}

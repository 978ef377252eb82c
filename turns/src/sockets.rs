//! Who has a socket.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

use crate::{
    known::Known,
    message::{ANSWER, Completed, Read},
    socket::{Socket, Thread},
};

/// Bytes that are collected before they are sent.
const MOST_COLLECTED: usize = 1 << 16;

/// Numbers of sockets below this have a bit.
const BITS: usize = 1024;

/// The sockets in use, by number.
pub struct Sockets {
    all: Mutex<All>,
    given_back: Condvar,
    /// Those that have a bit: a program has many calls for other files.
    known: [AtomicU64; BITS / 64],
}

struct All {
    sockets: BTreeMap<i32, Socket>,
    /// Threads that wait for one.
    waiting: usize,
    /// The socket on which memory was written, and whether it was on another one, too. Each has a memory, and of several
    /// the server takes what was written last: then all has to go out.
    writer: Option<i32>,
    several_write: bool,
}

impl Sockets {
    pub const fn new() -> Sockets {
        let all = All { sockets: BTreeMap::new(), waiting: 0, writer: None, several_write: false };
        let known = [const { AtomicU64::new(0) }; BITS / 64];
        Sockets { all: Mutex::new(all), given_back: Condvar::new(), known }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The word and the bit of a socket.
    fn bit(&self, number: i32) -> Option<(&AtomicU64, u64)> {
        let number = usize::try_from(number).ok()?;
        Some((self.known.get(number / 64)?, 1 << (number % 64)))
    }

    /// Whether this is a socket that is in use, until it is closed.
    pub fn is_known(&self, number: i32) -> bool {
        match self.bit(number) {
            Some((word, bit)) => word.load(SeqCst) & bit != 0,
            None => self.all().sockets.contains_key(&number),
        }
    }

    /// A socket is not in use any more.
    fn forget(&self, all: &mut All, number: i32) -> Option<Socket> {
        if let Some((word, bit)) = self.bit(number) {
            word.fetch_and(!bit, SeqCst);
        }
        all.writer.take_if(|writer| *writer == number);
        all.sockets.remove(&number)
    }

    /// Waits until the calling thread may send, and gives it the socket.
    fn begin(&self, number: i32) -> MutexGuard<'_, All> {
        let me = Some(Thread::current());
        let mut all = self.all();
        loop {
            let socket = all.sockets.entry(number).or_insert_with(|| {
                if let Some((word, bit)) = self.bit(number) {
                    word.fetch_or(bit, SeqCst);
                }
                Socket::new()
            });
            if socket.holder.is_none() || socket.holder == me {
                socket.holder = me;
                return all;
            }
            all.waiting += 1;
            all = self.given_back.wait(all).unwrap_or_else(PoisonError::into_inner);
            all.waiting -= 1;
        }
    }

    /// The program sends these bytes, when it is the calling thread's turn. They go out now if the server is asked, or may do
    /// something, or they are many; before them goes what is collected of all other sockets: who waits for an answer may
    /// wait for what others have sent. No other thread comes between, so that bytes of a socket stay in order. Whether those
    /// of this socket could be given.
    pub fn send(&self, number: i32, bytes: &[u8], mut give: impl FnMut(i32, &[u8]) -> bool) -> bool {
        let mut all = self.begin(number);
        let All { sockets, writer, several_write, .. } = &mut *all;
        let Some(socket) = sockets.get_mut(&number) else { return false };
        let completed = socket.sent.take(bytes);
        socket.open += completed.questions;
        let read = if completed == Completed::ONE_READ { socket.sent.take_read() } else { None };
        if read.is_some_and(|read| socket.answer_itself(read, bytes)) {
            return true;
        }
        socket.asked = read.map(Read::range);
        socket.comes_from(bytes);
        if socket.takes_back(bytes) {
            self.settle(&mut all, number);
            return true;
        }
        let (at, write) = (socket.collected.len(), socket.sent.begins_to_write());
        socket.collected.extend_from_slice(bytes);
        socket.written.clone_from(&write);
        if let Some(range) = write {
            *several_write |= *writer.get_or_insert(number) != number;
            match *several_write {
                true => socket.known = Known::default(),
                false if bytes.len() == ANSWER => socket.write = Some((at, range)),
                false => socket.known.forget(range),
            }
        }
        if completed.others != 0 {
            // The GPU may run.
            sockets.values_mut().for_each(|socket| socket.unchanged = 0..0);
        }
        let Some(socket) = sockets.get_mut(&number) else { return false };
        let mut done = true;
        if completed.urgent || socket.collected.len() >= MOST_COLLECTED {
            let own = socket.take_collected();
            let others = sockets.iter_mut().filter(|(_, other)| !other.collected.is_empty());
            for (number, other) in others {
                // Its own thread sees the error, too.
                give(*number, &other.take_collected());
            }
            done = give(number, &own);
        }
        if !done {
            self.forget(&mut all, number);
        }
        self.settle(&mut all, number);
        done
    }

    /// What comes for the program, which has so many bytes at an address for it. What is there already is handed on: `out`
    /// makes those bytes writable, unless the GPU has not changed them.
    pub fn next<'a>(
        &self,
        number: i32,
        (place, size): (usize, usize),
        out: impl FnOnce() -> &'a mut [u8],
    ) -> Answer {
        let mut all = self.all();
        let Some(socket) = all.sockets.get_mut(&number) else { return Answer::Data };
        if socket.is_ahead() {
            let out = out();
            let count = socket.hand_on(out);
            Self::take(socket, &out[..count]);
            self.settle(&mut all, number);
            return Answer::Given(count);
        }
        if !socket.got.is_inside() {
            return Answer::Begins;
        }
        if socket.got.is_in_data() {
            socket.goes_to(place);
        }
        match socket.got.unchanged() {
            0 => Answer::Data,
            left => {
                let count = usize::try_from(left).map_or(size, |left| size.min(left));
                socket.got.skip(count);
                self.settle(&mut all, number);
                Answer::Given(count)
            }
        }
    }

    /// Where in the program bytes are, if they have been asked for before.
    pub fn place(&self, number: i32, range: Range<u64>) -> Option<usize> {
        let all = self.all();
        let (start, (end, place)) = all.sockets.get(&number)?.places.range(..=range.start).next_back()?;
        let offset = usize::try_from(range.start - start).ok()?;
        (range.end <= *end).then_some(place + offset)
    }

    /// Whether a socket is in use, and nothing is to come on it.
    pub fn is_quiet(&self, number: i32) -> bool {
        let all = self.all();
        let is_quiet = |s: &Socket| s.open == 0 && !s.sent.is_inside() && !s.got.is_inside();
        all.sockets.get(&number).is_some_and(is_quiet)
    }

    /// What is still to go out is given.
    pub fn flush(&self, number: i32, give: impl FnOnce(&[u8])) {
        if let Some(socket) = self.all().sockets.get_mut(&number) {
            give(&socket.take_collected());
        }
    }

    /// A socket is closed; what is still to go out is given.
    pub fn close(&self, number: i32, give: impl FnOnce(&[u8])) {
        let mut all = self.all();
        if let Some(socket) = self.forget(&mut all, number) {
            give(&socket.collected);
            self.given_back.notify_all();
        }
    }

    /// Bytes that the system has given, to be handed on.
    pub fn read_ahead(&self, number: i32, bytes: &[u8]) {
        if let Some(socket) = self.all().sockets.get_mut(&number) {
            socket.read_ahead(bytes);
        }
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
        let Some(answer) = socket.got.take_read() else { return };
        if answer.is_changed() {
            socket.known.forget(answer.range());
        }
        // What the library itself has answered says nothing of what is behind.
        if !answer.unchanged_behind().is_empty() {
            socket.unchanged = answer.unchanged_behind();
        }
    }

    /// So many bytes of an answer's data came in and are lost.
    pub fn skipped(&self, number: i32, count: usize) {
        let mut all = self.all();
        if let Some(socket) = all.sockets.get_mut(&number) {
            socket.got.skip(count);
        }
        self.settle(&mut all, number);
    }

    /// The connection is at its end.
    pub fn ended(&self, number: i32) {
        self.forget(&mut self.all(), number);
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
    /// The beginning of one, from the system.
    Begins,
    /// Data, from the system.
    Data,
    /// So many bytes that the program has now.
    Given(usize),
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicBool, thread, time::Duration};

    use super::*;
    use crate::message::{UNCHANGED, here};

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// What comes on socket 3, with room for so many bytes; those that the GPU has not changed are left.
    fn next(sockets: &Sockets, out: &mut [u8]) -> Answer {
        let before = out.to_vec();
        let mut is_written = false;
        let next = sockets.next(3, (0x7000, before.len()), || {
            is_written = true;
            &mut *out
        });
        assert!(is_written || *out == before);
        next
    }

    #[test]
    fn a_question_holds_the_socket_until_its_answer_is_there() {
        let sockets = Sockets::new();
        let other_sent = AtomicBool::new(false);
        let question = bytes(&[5, 1, 12, 0, 0x1000, 4]);
        let here = bytes(&here());
        assert!(sockets.send(3, &question, |_, given| given == [here.clone(), question.clone()].concat()));
        // The same thread may go on, and so may others on another socket.
        drop(sockets.begin(3));
        thread::scope(|scope| {
            scope.spawn(|| {
                drop(sockets.begin(4));
                drop(sockets.begin(3));
                other_sent.store(true, SeqCst);
                sockets.send(3, &bytes(&[0, 2, 12, 1, 0x2000, 4]), |_, _| true);
            });
            sockets.got(3, &bytes(&[6, 1, 12, 0, 0x1000, 4]));
            thread::sleep(Duration::from_millis(50));
            assert!(!other_sent.load(SeqCst), "the data of the answer are still to come");
            sockets.got(3, &[0; 4]);
        });
        assert!(other_sent.load(SeqCst));
        // Its message was whole and no question.
        sockets.send(3, &bytes(&[4, 3]), |_, _| true);
        thread::scope(|scope| {
            scope.spawn(|| drop(sockets.begin(3)));
            sockets.ended(3);
        });
    }

    #[test]
    fn what_is_no_question_waits_for_one_on_any_socket() {
        let sockets = Sockets::new();
        let entry = bytes(&[2, 3, 16, 1, 7, 8, 9]);
        let here = bytes(&here());
        for number in [3, 4] {
            assert!(sockets.send(number, &entry, |_, _| panic!("nobody has asked")));
        }
        let question = bytes(&[0, 2, 12, 0, 0x2000, 0]);
        let mut given = Vec::new();
        sockets.send(4, &question, |number, bytes| {
            given.push((number, bytes.to_vec()));
            true
        });
        let both = [here.clone(), entry.clone()].concat();
        assert_eq!(given, [(3, both.clone()), (4, [both, question].concat())]);
        sockets.send(3, &entry, |_, _| panic!("nobody has asked"));
        let mut last = Vec::new();
        sockets.close(3, |bytes| last.extend_from_slice(bytes));
        assert_eq!(last, entry);
        assert!(!sockets.is_known(3));
    }

    #[test]
    fn what_is_written_again_does_not_go_out() {
        let sockets = Sockets::new();
        let written = |number: i32, address: u32, data: &[u8]| {
            let mut given = Vec::new();
            let register = bytes(&[0, 2, 12, 1, 0x2230, 7]);
            let head = bytes(&[4, 3, 12, 0, address, data.len() as u32]);
            for part in [&head, data, &register] {
                sockets.send(number, part, |_, bytes| {
                    given.extend_from_slice(bytes);
                    true
                });
            }
            given.strip_suffix(register.as_slice()).unwrap().ends_with(&[&head, data].concat())
        };
        assert_eq!([7, 7, 8, 8].map(|byte| written(3, 0x1000, &[byte; 16])), [true, false, true, false]);
        assert!(written(3, 0x2000, &[8; 16]));
        // The GPU has changed the page that is fetched.
        let fetch = |first: u32, data: &[u8]| {
            sockets.send(3, &bytes(&[5, 1, 12, 0, 0x1000, 4]), |_, _| true);
            sockets.got(3, &[bytes(&[6, 1, 12, first, 0x1000, 4]), data.to_vec()].concat());
            next(&sockets, &mut [0; 4]);
        };
        fetch(UNCHANGED, &[]);
        assert!(!written(3, 0x1000, &[8; 16]));
        fetch(0, &[1; 4]);
        assert!(written(3, 0x1000, &[8; 16]) && !written(3, 0x2000, &[8; 16]));
        // Another socket has another memory, and the last of several writes counts.
        assert!(written(4, 0x1000, &[8; 16]));
        assert!(written(3, 0x1000, &[8; 16]) && written(3, 0x1000, &[8; 16]) && written(4, 0x1000, &[8; 16]));
    }

    #[test]
    fn answers_come_in_parts_and_may_have_no_data() {
        let sockets = Sockets::new();
        sockets.send(3, &bytes(&[5, 1, 12, 0, 0x1000, 8]), |_, _| true);
        assert_eq!(next(&sockets, &mut []), Answer::Begins);
        sockets.read_ahead(3, &bytes(&[6, 1, 12, UNCHANGED, 0x1000, 8]));
        let mut part = [0; 12];
        for words in [[6, 1, 12], [UNCHANGED, 0x1000, 8]] {
            assert_eq!(next(&sockets, &mut part), Answer::Given(12));
            assert_eq!(part[..], bytes(&words));
        }
        assert_eq!(next(&sockets, &mut [1; 6]), Answer::Given(6));
        assert_eq!(next(&sockets, &mut [1; 6]), Answer::Given(2));
        assert_eq!(next(&sockets, &mut []), Answer::Begins);
    }

    #[test]
    fn what_was_asked_for_has_a_place_in_the_program() {
        let sockets = Sockets::new();
        let ask = |address: u32, place: usize| {
            sockets.send(3, &bytes(&[5, 1, 12, 0, address, 4096]), |_, _| true);
            assert!(!sockets.is_quiet(3), "an answer is to come");
            sockets.got(3, &bytes(&[6, 1, 12, 0, address, 4096]));
            for (place, size) in [(place, 4000), (7, 96)] {
                let next = sockets.next(3, (place, size), || panic!("the system has the data"));
                assert_eq!(next, Answer::Data);
                sockets.got(3, &vec![0; size]);
            }
        };
        assert!(!sockets.is_quiet(3));
        ask(0x1000, 0x7000);
        ask(0x3000, 0x9000);
        assert!(sockets.is_quiet(3) && !sockets.is_quiet(4));
        assert_eq!(sockets.place(3, 0x1000..0x1008), Some(0x7000));
        assert_eq!(sockets.place(3, 0x3ff8..0x4000), Some(0x9ff8));
        for none in [0xff8..0x1000, 0x1ffc..0x2004, 0x2000..0x2008, 0x4000..0x4008] {
            assert_eq!(sockets.place(3, none), None);
        }
        assert_eq!(sockets.place(4, 0x1000..0x1008), None);
    }

    #[test]
    fn what_was_sent_has_a_place_in_the_program() {
        let sockets = Sockets::new();
        let (page, word, part) = ([0; 4096], [0; 8], [0; 32]);
        let write = |number: i32, address: u32, length: u32, data: &[u8]| {
            for bytes in [&bytes(&[4, 1, 12, 0, address, length]), data] {
                assert!(sockets.send(number, bytes, |_, _| true));
            }
        };
        let place = |data: &[u8], offset: usize| Some(data.as_ptr().addr() + offset);
        write(3, 0x1000, 4096, &page);
        // Where two connections write, too.
        write(4, 0x1000, 32, &part);
        assert_eq!(sockets.place(3, 0x1ff8..0x2000), place(&page, 0xff8));
        assert_eq!(sockets.place(4, 0x1010..0x1018), place(&part, 16));
        // The last place counts.
        write(3, 0x1000, 32, &part);
        assert_eq!(sockets.place(3, 0x1000..0x1008), place(&part, 0));
        // A word of a page table, and data of which the first part has come.
        write(3, 0x2000, 8, &word);
        write(3, 0x3000, 4096, &part);
        assert!([0x2000..0x2008, 0x3000..0x3008].map(|r| sockets.place(3, r)) == [None, None]);
    }

    #[test]
    fn pages_behind_one_that_is_unchanged_are_not_asked_for_until_the_gpu_may_have_run() {
        let sockets = Sockets::new();
        let asks = |address: u32| {
            let mut is_asked = false;
            sockets.send(3, &bytes(&[5, 1, 12, 0, address, 4096]), |_, _| {
                is_asked = true;
                true
            });
            let mut head = [0; ANSWER];
            if is_asked {
                sockets.read_ahead(3, &bytes(&[6, 1, 12, UNCHANGED | 3 << 1, address, 4096]));
            }
            assert_eq!(next(&sockets, &mut head), Answer::Given(ANSWER));
            assert_eq!(head[16..], bytes(&[address, 4096])[..]);
            assert_eq!(next(&sockets, &mut [1; 4096]), Answer::Given(4096));
            is_asked
        };
        assert_eq!([0x1000, 0x2000, 0x4000].map(asks), [true, false, false]);
        assert_eq!(
            [0x4000, 0x5000, 0x9000, 0xa000].map(asks),
            [true, false, true, false],
            "again, or not told"
        );
        sockets.send(4, &bytes(&[0, 2, 12, 1, 0x2230, 7]), |_, _| true);
        assert_eq!([0xb000, 0xc000].map(asks), [true, false], "a submission, on another socket");
    }
}

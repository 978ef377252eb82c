//! Who has a socket.

use std::{
    collections::BTreeMap,
    ptr,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::message::Stream;

/// The sockets in use, by number.
pub struct Sockets {
    all: Mutex<BTreeMap<i32, Socket>>,
    given_back: Condvar,
}

#[derive(Default)]
struct Socket {
    holder: Option<Thread>,
    sent: Stream,
    got: Stream,
    /// Questions that are not answered.
    open: u64,
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
    /// The holder keeps it while a message is not whole or an answer is to come.
    fn settle(&mut self) {
        if self.open == 0 && !self.sent.is_inside() && !self.got.is_inside() {
            self.holder = None;
        }
    }
}

impl Sockets {
    pub const fn new() -> Sockets {
        Sockets { all: Mutex::new(BTreeMap::new()), given_back: Condvar::new() }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<i32, Socket>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the calling thread may send, and gives it the socket.
    pub fn begin(&self, number: i32) {
        let me = Some(Thread::current());
        let mut all = self.all();
        loop {
            let socket = all.entry(number).or_default();
            if socket.holder.is_none() || socket.holder == me {
                socket.holder = me;
                return;
            }
            all = self.given_back.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// These bytes went out.
    pub fn sent(&self, number: i32, bytes: &[u8]) {
        self.change(number, |socket| socket.open += socket.sent.take(bytes).questions);
    }

    /// These bytes came in.
    pub fn got(&self, number: i32, bytes: &[u8]) {
        self.change(number, |socket| {
            socket.open = socket.open.saturating_sub(socket.got.take(bytes).messages);
        });
    }

    /// The number of bytes that come now and that the GPU has not changed since the program's side knew them.
    pub fn unchanged(&self, number: i32) -> u64 {
        self.all().get(&number).map_or(0, |socket| socket.got.unchanged())
    }

    /// So many bytes of an answer's data came in and are lost.
    pub fn skipped(&self, number: i32, count: usize) {
        self.change(number, |socket| socket.got.skip(count));
    }

    /// The connection is at its end.
    pub fn ended(&self, number: i32) {
        self.all().remove(&number);
        self.given_back.notify_all();
    }

    fn change(&self, number: i32, change: impl FnOnce(&mut Socket)) {
        let mut all = self.all();
        if let Some(socket) = all.get_mut(&number) {
            change(socket);
            socket.settle();
            if socket.holder.is_none() {
                self.given_back.notify_all();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, Ordering::SeqCst},
        thread,
        time::Duration,
    };

    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn a_question_holds_the_socket_until_its_answer_is_there() {
        let sockets = Sockets::new();
        let other_sent = AtomicBool::new(false);
        sockets.begin(3);
        sockets.sent(3, &bytes(&[5, 1, 12, 0, 0x1000, 4]));
        // The same thread may go on, and so may others on another socket.
        sockets.begin(3);
        thread::scope(|scope| {
            scope.spawn(|| {
                sockets.begin(4);
                sockets.begin(3);
                other_sent.store(true, SeqCst);
                sockets.sent(3, &bytes(&[0, 2, 12, 1, 0x2000, 4]));
            });
            sockets.got(3, &bytes(&[6, 1, 12, 0, 0x1000, 4]));
            thread::sleep(Duration::from_millis(50));
            assert!(!other_sent.load(SeqCst), "the data of the answer are still to come");
            sockets.got(3, &[0; 4]);
        });
        assert!(other_sent.load(SeqCst));
        // Its message was whole and no question.
        sockets.begin(3);
        sockets.sent(3, &bytes(&[4, 3]));
        thread::scope(|scope| {
            scope.spawn(|| sockets.begin(3));
            sockets.ended(3);
        });
    }
}

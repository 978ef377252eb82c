//! What a thread takes of the allocator: a library whose allocator is [`Counting`] can bound its own work.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    /// Bytes that this thread has taken, less those that it has given back.
    static TAKEN: Cell<isize> = const { Cell::new(0) };
    /// What that was when [`start`] was called; 0 in a thread that began for the work.
    static START: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // Plain cells without anything to drop are there until the thread is gone.
    let _ = TAKEN.try_with(|taken| taken.set(taken.get().wrapping_add(bytes)));
}

/// [`grown`] counts from here, in this thread.
pub fn start() {
    START.set(TAKEN.get());
}

/// Bytes that this thread has taken since [`start`] and not given back; 0 if it has given back more.
pub fn grown() -> usize {
    usize::try_from(TAKEN.get().wrapping_sub(START.get())).unwrap_or(0)
}

/// The system's allocator, counting for each thread.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call goes to the system's allocator as it came; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc(layout) };
        if !at.is_null() {
            count(layout.size().cast_signed());
        }
        at
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc_zeroed(layout) };
        if !at.is_null() {
            count(layout.size().cast_signed());
        }
        at
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let moved = unsafe { System.realloc(at, layout, size) };
        if !moved.is_null() {
            count(size.cast_signed() - layout.size().cast_signed());
        }
        moved
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) };
        count(-(layout.size().cast_signed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn what_is_taken_and_given_back_is_counted() {
        start();
        let mut list: Vec<u8> = Vec::with_capacity(1000);
        assert_eq!(grown(), 1000);
        list.reserve_exact(5000);
        assert_eq!(grown(), 5000);
        let zeros = vec![0u8; 300];
        assert_eq!(grown(), 5300);
        drop((list, zeros));
        assert_eq!(grown(), 0);
        let handed_over = std::thread::spawn(|| (grown() < 1000, vec![1u8; 4000])).join().unwrap();
        assert!(handed_over.0);
        drop(handed_over);
        assert_eq!(grown(), 0, "gave back more than it took");
    }
}

//! Reading and writing what a C caller points to.
//!
//! A callee can see that a pointer is null or not aligned, and no more; that it points to as many bytes as
//! the caller says is the caller's promise, which each function's `Safety` section spells out and which
//! the headers repeat.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_char},
    slice,
};

/// The bytes at a pointer; `None` for null (whatever the size) and for sizes that no object has.
///
/// # Safety
///
/// A pointer that is not null points to `size` readable bytes that nobody changes during `'a`.
pub unsafe fn bytes<'a>(at: *const u8, size: usize) -> Option<&'a [u8]> {
    if at.is_null() || isize::try_from(size).is_err() {
        return None;
    }
    // SAFETY: not null; u8 is always aligned; size fits isize; the caller promises the bytes are there.
    Some(unsafe { slice::from_raw_parts(at, size) })
}

/// The values at a pointer; `None` for null, a pointer that is not aligned, or too large a count.
///
/// # Safety
///
/// A pointer that is not null points to `count` initialized values that nobody changes during `'a`.
pub unsafe fn values<'a, T>(at: *const T, count: usize) -> Option<&'a [T]> {
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|n| isize::try_from(n).is_ok());
    if at.is_null() || !at.is_aligned() || !fits {
        return None;
    }
    // SAFETY: not null, aligned, its size fits isize; the caller promises the values are there.
    Some(unsafe { slice::from_raw_parts(at, count) })
}

/// The bytes of a C string without its end; `None` for null.
///
/// # Safety
///
/// A pointer that is not null points to a string with a zero byte at its end that nobody changes during
/// `'a`.
pub unsafe fn text<'a>(at: *const c_char) -> Option<&'a [u8]> {
    if at.is_null() {
        return None;
    }
    // SAFETY: not null; the caller promises a string with an end.
    Some(unsafe { CStr::from_ptr(at) }.to_bytes())
}

/// What a pointer points to; `None` for null and for a pointer that is not aligned.
///
/// # Safety
///
/// Such a pointer points to an initialized value that nobody changes during `'a`.
pub unsafe fn shared<'a, T>(at: *const T) -> Option<&'a T> {
    if !at.is_aligned() {
        return None;
    }
    // SAFETY: aligned; as_ref looks for null; the caller promises the rest.
    unsafe { at.as_ref() }
}

/// What a pointer points to, to be changed; `None` for null and for a pointer that is not aligned.
///
/// # Safety
///
/// Such a pointer points to an initialized value that nobody else uses during `'a`.
pub unsafe fn exclusive<'a, T>(at: *mut T) -> Option<&'a mut T> {
    if !at.is_aligned() {
        return None;
    }
    // SAFETY: aligned; as_mut looks for null; the caller promises the rest.
    unsafe { at.as_mut() }
}

/// Writes a value, initialized before or not; false for null and for a pointer that is not aligned.
///
/// # Safety
///
/// Such a pointer points to room for a value that nobody else uses.
pub unsafe fn put<T>(at: *mut T, value: T) -> bool {
    if at.is_null() || !at.is_aligned() {
        return false;
    }
    // SAFETY: not null, aligned; the caller promises the room. `write` does not look at what was there.
    unsafe { at.write(value) };
    true
}

/// Writes a message as a C string into a buffer of `size` bytes, cut short at a character if it must be;
/// does nothing for null.
///
/// # Safety
///
/// A pointer that is not null points to `size` writable bytes that nobody else uses.
pub unsafe fn put_text(at: *mut c_char, size: usize, message: &str) {
    if at.is_null() || size == 0 {
        return;
    }
    let room = message.len().min(size - 1);
    let end = (0..=room).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    let message = &message.as_bytes()[..end];
    // SAFETY: not null; `end + 1 <= size` bytes are written, which the caller promises are there; the
    // message is ours, so the two do not overlap.
    unsafe {
        at.cast::<u8>().copy_from_nonoverlapping(message.as_ptr(), message.len());
        at.cast::<u8>().add(message.len()).write(0);
    }
}

/// A value on the heap, for the caller to keep as an opaque handle; [`take_box`] ends it.
pub fn give_box<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Takes back what [`give_box`] gave; `None` for null.
///
/// # Safety
///
/// A pointer that is not null is from [`give_box`] for the same type, was not taken back before, and is
/// not used afterwards.
pub unsafe fn take_box<T>(at: *mut T) -> Option<Box<T>> {
    if at.is_null() {
        return None;
    }
    // SAFETY: the caller promises that the pointer is from Box::into_raw and still owned.
    Some(unsafe { Box::from_raw(at) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_an_answer() {
        // SAFETY: null pointers are allowed everywhere here.
        unsafe {
            assert_eq!(bytes(std::ptr::null(), 5), None);
            assert_eq!(values::<u32>(std::ptr::null(), 5), None);
            assert_eq!(text(std::ptr::null()), None);
            assert!(shared::<u32>(std::ptr::null()).is_none());
            assert!(exclusive::<u32>(std::ptr::null_mut()).is_none());
            assert!(!put(std::ptr::null_mut(), 5));
            put_text(std::ptr::null_mut(), 5, "message");
            assert!(take_box::<u32>(std::ptr::null_mut()).is_none());
        }
    }

    #[test]
    fn odd_addresses_and_sizes_are_refused() {
        let words = [1u32, 2];
        let odd = words.as_ptr().cast::<u8>().wrapping_add(1).cast::<u32>();
        // SAFETY: the pointers are refused before they are read.
        unsafe {
            assert!(shared(odd).is_none());
            assert!(values(odd, 1).is_none());
            assert!(values(words.as_ptr(), usize::MAX).is_none());
            assert!(bytes(words.as_ptr().cast(), usize::MAX).is_none());
            assert_eq!(values(words.as_ptr(), 2), Some(&words[..]));
        }
    }

    #[test]
    fn messages_are_cut_at_characters_and_ended() {
        for (size, kept) in [(8, "größe"), (7, "größ"), (5, "grö"), (4, "gr"), (1, "")] {
            let mut buffer = [0x55u8; 9];
            // SAFETY: size bytes are there.
            unsafe { put_text(buffer.as_mut_ptr().cast(), size, "größe") };
            assert_eq!(&buffer[..=kept.len()], [kept.as_bytes(), &[0]].concat(), "{size}");
            assert!(buffer[kept.len() + 1..].iter().all(|b| *b == 0x55), "{size}");
        }
    }
}

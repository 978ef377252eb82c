//! Objects as both sides see them: tables of functions, numbers of slots and classes.

use std::ffi::c_void;

use boundary::pointers;

/// A function in a table. Its class and number say which type it has.
pub(super) type Slot = *const ();

/// What is known of any object, ours or not.
#[repr(C)]
pub(super) struct Object {
    pub(super) table: *const Slot,
}

/// Numbers of classes and of types of code: their names in 5 bits a letter.
pub(super) mod id {
    /// `IGC_OCL_DEVC`
    pub const DEVICE: u64 = 0x0154_83da_c4ed_88c8;
    /// `OCL_GEN_BIN`
    pub const PROGRAM: u64 = 0xffb5_01db_486d_ac4e;
}

/// Slots that are called on objects of others, or replaced.
pub(super) mod number {
    pub const RELEASE: usize = 0;
    pub const CREATE: usize = 8;
    pub const MEMORY: usize = 15;
    pub const SIZE: usize = 17;
    pub const CLEAR: usize = 21;
    pub const APPEND: usize = 24;
    pub const SUCCESSFUL: usize = 11;
    pub const TYPE: usize = 13;
    pub const LOG: usize = 14;
    pub const PROGRAM: usize = 15;
    pub const CONTEXT: usize = 15;
    /// [`Translate`](super::Translate).
    pub const TRANSLATE: usize = 11;
    /// [`TranslateForTools`](super::TranslateForTools).
    pub const TRANSLATE_FOR_TOOLS: usize = 12;
    /// [`TranslateSpecial`](super::TranslateSpecial).
    pub const TRANSLATE_SPECIAL: usize = 14;
    /// [`TranslateNamed`](super::TranslateNamed).
    pub const TRANSLATE_NAMED: usize = 15;
}

/// Builds a program. Source and options are buffers, and what comes back is an output or null.
pub(super) type Translate = unsafe extern "C" fn(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
) -> *mut Object;

/// The same with an argument for instrumentation.
pub(super) type TranslateForTools = unsafe extern "C" fn(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
) -> *mut Object;

/// The same with numbers and values of specialization constants.
pub(super) type TranslateSpecial = unsafe extern "C" fn(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    constants: *mut Object,
    values: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
) -> *mut Object;

/// The same with a name for what the compiler dumps: a hash that an earlier step made, or 0.
pub(super) type TranslateNamed = unsafe extern "C" fn(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    constants: *mut Object,
    values: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
    hash: u64,
) -> *mut Object;

/// The function in a slot of an object's table.
///
/// # Safety
///
/// The object is alive, its class has the slot, and `F` is the type of the function there.
pub(super) unsafe fn function<F: Copy>(object: *const Object, slot: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<Slot>()) };
    // SAFETY: the caller promises an object, whose first word points to its table, which has the slot; a function
    // pointer of the type that the caller names is as large as a slot and stands there.
    unsafe { (*object).table.add(slot).cast::<F>().read() }
}

/// What a buffer holds; nothing for null.
///
/// # Safety
///
/// A pointer that is not null is a buffer, and nobody changes it during `'a`.
pub(super) unsafe fn bytes<'a>(buffer: *mut Object) -> &'a [u8] {
    if buffer.is_null() {
        return &[];
    }
    // SAFETY: the caller promises a buffer; these are the types of its functions, and its memory is as large as it
    // says.
    unsafe {
        let memory: unsafe extern "C" fn(*const Object) -> *const u8 = function(buffer, number::MEMORY);
        let size: unsafe extern "C" fn(*const Object) -> usize = function(buffer, number::SIZE);
        pointers::bytes(memory(buffer), size(buffer)).unwrap_or_default()
    }
}

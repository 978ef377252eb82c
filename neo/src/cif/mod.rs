//! The interface between the runtime and its compilers, which Intel calls CIF. All `unsafe` of this crate.
//!
//! # The interface
//!
//! An object's first word points to a table of functions; the object is their first argument. They are the virtual
//! functions of C++ classes in the order of their declarations, called as C functions are on x86-64 (System V):
//! nothing else of C++ crosses. Two words stand before slot 0 (the offset to the whole object and type
//! information), a virtual destructor takes two slots. Sources: `IGC/AdaptorOCL/cif/cif/common/{cif,cif_main}.h`,
//! `cif/builtins/memory/buffer/buffer.h`, `IGC/AdaptorOCL/ocl_igc_interface/*.h`; the calls that a runtime makes:
//! its `compiler_interface.{h,cpp,inl}`.
//!
//! | class | slots |
//! |---|---|
//! | all | 0 release, 1 retain, 2 reference count, 3 and 4 versions, 5 supported versions, 6–7 destructor, 8 create, 9–10 implementation |
//! | main | 9 binary version, 10 first incompatible interface |
//! | buffer | 15 memory, 17 size, 21 clear, 24 append |
//! | device | 11 timer, 12 platform, 13 system, 14 features, 15 translation context, 17 revision |
//! | context | 11, 12, 14 translate, with more and more arguments |
//! | output | 11 successful, 12 warnings, 13 type, 14 log, 15 program, 16 debug data |
//!
//! # Why it is sound
//!
//! * Tables of ours are constants, or are made once and kept for good; no table changes once an object points to it.
//! * An object of ours is a box whose pointer is handed out. Its count is atomic, and it ends when the last reference
//!   is released; whoever calls a function on it holds one, as the interface demands.
//! * What an object of ours holds never changes once it is handed out, so threads may share it.
//! * Objects of others are used only as their class's table says, while the caller holds them: during a call.
//! * A slot that no function of ours stands in takes any arguments, looks at none, and returns 0: that is a call that
//!   System V allows, for the caller takes its arguments away itself.
#![allow(unsafe_code)]

mod front;
mod objects;

use std::ffi::c_void;

use boundary::{guard, pointers};

use crate::Settings;

/// A function in a table. Its class and number say which type it has.
type Slot = *const ();

/// What is known of any object, ours or not.
#[repr(C)]
struct Object {
    table: *const Slot,
}

/// Numbers of classes and of types of code: their names in 5 bits a letter.
mod id {
    /// `IGC_OCL_DEVC`
    pub const DEVICE: u64 = 0x0154_83da_c4ed_88c8;
    /// `OCL_GEN_BIN`
    pub const PROGRAM: u64 = 0xffb5_01db_486d_ac4e;
}

/// Slots that are called on objects of others, or replaced.
mod number {
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
}

/// The function in a slot of an object's table.
///
/// # Safety
///
/// The object is alive, its class has the slot, and `F` is the type of the function there.
unsafe fn function<F: Copy>(object: *const Object, slot: usize) -> F {
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
unsafe fn bytes<'a>(buffer: *mut Object) -> &'a [u8] {
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

/// What the environment and a build's internal options say.
fn settings(internal_options: &[u8]) -> Settings {
    let mut settings = Settings::of_environment();
    settings.add_options(&String::from_utf8_lossy(internal_options).replace('\0', " "));
    settings
}

/// The object that the runtime asks everything of; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn CIFCreateMain() -> *mut c_void {
    let main = guard(|| match Settings::of_environment().compiler {
        Some(compiler) => front::main(&compiler),
        None => objects::main(),
    });
    main.map_or(std::ptr::null_mut(), <*mut Object>::cast)
}

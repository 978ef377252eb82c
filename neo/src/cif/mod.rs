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
//! | context | 11, 12, 14, 15 translate, with more and more arguments |
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

mod abi;
mod front;
mod objects;

use std::ffi::c_void;

use boundary::guard;

use self::abi::Object;
use crate::Settings;

/// The object that the runtime asks everything of; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn CIFCreateMain() -> *mut c_void {
    let main = guard(|| match Settings::of_environment().compiler {
        Some(compiler) => front::main(&compiler),
        None => objects::main(),
    });
    main.map_or(std::ptr::null_mut(), <*mut Object>::cast)
}

//! What stands behind the opaque handles: results and faults with their strings in C's form.

#![allow(non_camel_case_types)]

use std::ffi::CString;

use finalizer::{Binary, Diagnostic, Place};

/// Finalizes kernels for one platform. Keeps scratch memory from call to call; not for two threads at
/// once.
#[derive(Debug)]
pub struct vf_finalizer(pub(crate) finalizer::Finalizer);

/// A string that C can read; zero bytes, which names of broken objects may hold, are dropped.
pub(crate) fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|b| *b != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// The code of one kernel, and what a launch needs. Belongs to its `vf_binaries`.
#[derive(Debug)]
pub struct vf_binary {
    pub(crate) binary: Binary,
    pub(crate) name: CString,
    pub(crate) inputs: Vec<CString>,
    pub(crate) relocations: Vec<CString>,
    pub(crate) symbols: Vec<CString>,
    pub(crate) warnings: vf_error,
}

impl vf_binary {
    fn new(mut binary: Binary) -> vf_binary {
        let warnings = vf_error::new(std::mem::take(&mut binary.warnings));
        vf_binary {
            name: c_string(&binary.info.name),
            inputs: binary.info.inputs.iter().map(|i| c_string(&i.name)).collect(),
            relocations: binary.relocations.iter().map(|r| c_string(&r.symbol)).collect(),
            symbols: binary.symbols.iter().map(|s| c_string(&s.name)).collect(),
            warnings,
            binary,
        }
    }
}

/// The code of all kernels that were asked for.
#[derive(Debug)]
pub struct vf_binaries(pub(crate) Vec<vf_binary>);

impl vf_binaries {
    pub(crate) fn new(binaries: Vec<Binary>) -> vf_binaries {
        vf_binaries(binaries.into_iter().map(vf_binary::new).collect())
    }
}

/// Faults with their strings.
#[derive(Debug)]
pub struct vf_error(pub(crate) Vec<CFault>);

/// One fault.
#[derive(Debug)]
pub(crate) struct CFault {
    pub code: CString,
    pub message: CString,
    pub kernel: Option<CString>,
    pub instruction: Option<CString>,
    pub field: Option<CString>,
    pub index: i64,
    pub place: Place,
    pub length: u32,
}

impl vf_error {
    pub(crate) fn new(list: Vec<Diagnostic>) -> vf_error {
        let one = |d: Diagnostic| CFault {
            code: c_string(d.code),
            message: c_string(&d.message),
            kernel: d.kernel.as_deref().map(c_string),
            index: d.instruction.as_ref().and_then(|i| i.0).map_or(-1, i64::from),
            instruction: d.instruction.as_ref().map(|i| c_string(&i.1)),
            field: d.field.as_deref().map(c_string),
            place: d.place,
            length: d.length.unwrap_or(0),
        };
        vf_error(list.into_iter().map(one).collect())
    }
}

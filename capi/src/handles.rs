//! What stands behind the opaque handles: results and faults with their strings in C's form.

#![allow(non_camel_case_types)]

use narrow::as_index;
use std::{
    ffi::CString,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
};

use boundary::memory;
use finalizer::{Binary, Diagnostic, Options, Place, Refusal, Stop, Watch, inputs_of};
use platforms::Platform;

/// Finalizes kernels for one platform. Keeps scratch memory from call to call; not for two threads at
/// once.
#[derive(Debug)]
pub struct vf_finalizer {
    pub(crate) finalizer: finalizer::Finalizer,
    cancel: Option<Arc<AtomicBool>>,
    /// Bytes; 0 for no limit.
    memory_limit: usize,
}

impl vf_finalizer {
    pub(crate) fn new(options: Options) -> vf_finalizer {
        vf_finalizer { finalizer: finalizer::Finalizer::new(options), cancel: None, memory_limit: 0 }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        if name == "memory-limit" {
            self.memory_limit = value.parse().map_err(|_| {
                let message = format!("found `{value}`, allowed: a number of bytes, 0 for no limit");
                Diagnostic::error("BadOption", message).about(name)
            })?;
            self.watch();
            return Ok(());
        }
        self.finalizer.options_mut().set(name, value).map_err(|mut refusal| {
            // The one that is this library's own.
            let unknown = refusal.0.iter_mut().filter(|d| d.code == "UnknownOption");
            unknown.for_each(|d| d.message += ", memory-limit");
            refusal
        })
    }

    pub(crate) fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.cancel = cancel;
        self.watch();
    }

    fn watch(&mut self) {
        let (cancel, limit) = (self.cancel.clone(), self.memory_limit);
        let watch = match (&cancel, limit) {
            (None, 0) => Watch::NONE,
            _ => Watch::new(move || {
                if cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed)) {
                    return Err(Stop::Cancelled);
                }
                if limit > 0 && memory::grown() > limit { Err(Stop::MemoryLimit) } else { Ok(()) }
            }),
        };
        self.finalizer.options_mut().watch = watch;
    }
}

/// Ends calls that run, from another thread.
#[derive(Debug, Default)]
pub struct vf_cancel(pub(crate) Arc<AtomicBool>);

/// Bytes or text.
#[derive(Debug)]
pub struct vf_buffer(pub(crate) Vec<u8>);

impl vf_buffer {
    /// A zero goes behind the bytes, so that text is a C string.
    pub(crate) fn new(mut bytes: Vec<u8>) -> vf_buffer {
        bytes.push(0);
        vf_buffer(bytes)
    }

    pub(crate) fn size(&self) -> usize {
        self.0.len() - 1
    }
}

/// What an object holds.
#[derive(Debug)]
pub struct vf_object {
    pub(crate) version: (u8, u8),
    pub(crate) kernels: Vec<CKernel>,
    pub(crate) functions: usize,
}

/// A kernel of an object.
#[derive(Debug)]
pub(crate) struct CKernel {
    pub name: CString,
    pub visa_instructions: usize,
    pub inputs: Vec<CInput>,
    pub codes: Vec<CCode>,
}

/// An input of it.
#[derive(Debug)]
pub(crate) struct CInput {
    pub name: CString,
    pub kind: u32,
    pub provenance: u32,
    pub offset: u32,
    pub size: u32,
}

/// Code that it carries.
#[derive(Debug)]
pub(crate) struct CCode {
    pub platform: Option<CString>,
    pub number: u8,
    pub code: Vec<u8>,
}

impl vf_object {
    pub(crate) fn new(module: &visa::Module) -> vf_object {
        let code = |b: &visa::GenBinary| CCode {
            platform: Platform::from_gen_platform(b.platform).map(|p| c_string(p.caps().name)),
            number: b.platform,
            code: b.code.clone(),
        };
        let input = |i: finalizer::InputInfo| CInput {
            name: c_string(&i.name),
            kind: i.kind.number().into(),
            provenance: i.provenance.0.into(),
            offset: i.offset,
            size: i.size,
        };
        let kernel = |k: &visa::Kernel| CKernel {
            name: c_string(&k.name()),
            visa_instructions: as_index(finalizer::instructions(k)),
            inputs: inputs_of(k).into_iter().map(input).collect(),
            codes: k.gen_binaries.iter().map(code).collect(),
        };
        vf_object {
            version: (module.version.major, module.version.minor),
            kernels: module.kernels.iter().map(kernel).collect(),
            functions: module.functions.len(),
        }
    }
}

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
    /// Files of source code.
    pub(crate) files: Vec<CString>,
    /// Passes that were timed.
    pub(crate) passes: Vec<CString>,
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
            files: binary.lines.files.iter().map(|file| c_string(file)).collect(),
            passes: binary.stats.times.iter().map(|t| c_string(t.pass)).collect(),
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

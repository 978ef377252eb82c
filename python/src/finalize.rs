//! Machine code: made, listed, assembled.

use std::{
    borrow::Cow,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError},
};

use finalizer::{Diagnostic, Finalizer, InputInfo, InputKind, Options, Platform, Refusal, Stop, Watch};
use iga::{AsmError, AsmOptions, JsonOptions, ListingOptions};
use pyo3::{PyClass, prelude::*, types::PyBytes};

use crate::error::{Fault, raise};

/// The code of one kernel, and what a launch needs.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Binary {
    name: String,
    platform: String,
    code: Py<PyBytes>,
    simd: u32,
    grf_count: u32,
    grfs_used: u32,
    slm_bytes: u32,
    barriers: u32,
    scratch_bytes: u32,
    spill_bytes: u32,
    visa_instructions: u32,
    gen_instructions: u32,
    spills: u32,
    fills: u32,
    inputs: Vec<Py<Input>>,
    relocations: Vec<Py<Relocation>>,
    symbols: Vec<Py<Symbol>>,
    warnings: Vec<Py<Fault>>,
}

#[pymethods]
impl Binary {
    fn __repr__(&self, py: Python<'_>) -> String {
        let bytes = self.code.as_bytes(py).len();
        format!("<Binary {} for {}: SIMD{}, {bytes} bytes>", self.name, self.platform, self.simd)
    }
}

/// An input of a kernel.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Input {
    name: String,
    /// `general`, `sampler` or `surface`.
    kind: &'static str,
    /// 0 a kernel argument, 1 local size, 2 group count, 3 local id, 16 in registers already.
    provenance: u32,
    offset: u32,
    size: u32,
}

impl Input {
    pub fn new(from: &InputInfo) -> Input {
        Input {
            name: from.name.clone(),
            kind: match from.kind {
                InputKind::General => "general",
                InputKind::Sampler => "sampler",
                InputKind::Surface => "surface",
            },
            provenance: from.provenance.0.into(),
            offset: from.offset,
            size: from.size,
        }
    }
}

/// A dword of the code that a linker fills in.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Relocation {
    symbol: String,
    /// `low` or `high`: which half of the address.
    half: &'static str,
    offset: u32,
}

/// A name that the code defines.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Symbol {
    name: String,
    /// `function` or `kernel`.
    kind: &'static str,
    offset: u32,
    size: u32,
}

fn all<T: PyClass + Into<PyClassInitializer<T>>>(
    py: Python<'_>,
    list: impl Iterator<Item = T>,
) -> PyResult<Vec<Py<T>>> {
    list.map(|one| Py::new(py, one)).collect()
}

impl Binary {
    fn new(py: Python<'_>, from: finalizer::Binary) -> PyResult<Binary> {
        let (info, stats) = (from.info, from.stats);
        let relocation = |r: finalizer::Relocation| Relocation {
            symbol: r.symbol,
            half: match r.kind {
                finalizer::RelocationKind::AddressLow => "low",
                finalizer::RelocationKind::AddressHigh => "high",
            },
            offset: r.offset,
        };
        let symbol = |s: finalizer::Symbol| Symbol {
            name: s.name,
            kind: match s.kind {
                finalizer::SymbolKind::Function => "function",
                finalizer::SymbolKind::Kernel => "kernel",
            },
            offset: s.offset,
            size: s.size,
        };
        Ok(Binary {
            name: info.name,
            platform: info.platform.to_string(),
            code: PyBytes::new(py, &from.code).unbind(),
            simd: info.simd.into(),
            grf_count: info.grf_count.into(),
            grfs_used: info.grfs_used.into(),
            slm_bytes: info.slm_bytes,
            barriers: info.barriers.into(),
            scratch_bytes: info.scratch_bytes,
            spill_bytes: info.spill_bytes,
            visa_instructions: stats.visa_instructions,
            gen_instructions: stats.gen_instructions,
            spills: stats.spills,
            fills: stats.fills,
            inputs: all(py, info.inputs.iter().map(Input::new))?,
            relocations: all(py, from.relocations.into_iter().map(relocation))?,
            symbols: all(py, from.symbols.into_iter().map(symbol))?,
            warnings: all(py, from.warnings.into_iter().map(Fault::new))?,
        })
    }
}

/// Does work without the interpreter's lock. What a signal handler raises ends it.
pub fn without_lock<T: Send>(
    py: Python<'_>,
    mut options: Options,
    work: impl FnOnce(&mut Finalizer) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let keep = Arc::clone(&raised);
    options.watch = Watch::new(move || {
        Python::attach(|py| py.check_signals()).map_err(|error| {
            *keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Stop::Cancelled
        })
    });
    let done = py.detach(|| work(&mut Finalizer::new(options)));
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    done.map_err(|refusal| raise(py, refusal))
}

/// The options of these names.
pub fn options(py: Python<'_>, platform: Platform, named: Vec<(String, String)>) -> PyResult<Options> {
    let mut options = Options::new(platform);
    for (name, value) in named {
        options.set(&name, &value).map_err(|refusal| raise(py, refusal))?;
    }
    Ok(options)
}

/// Finalizes one kernel of the input, or all.
#[pyfunction]
pub fn finalize(
    py: Python<'_>,
    data: Cow<'_, [u8]>,
    platform: &str,
    kernel: Option<&str>,
    threads: usize,
    named: Vec<(String, String)>,
) -> PyResult<Vec<Binary>> {
    let platform = crate::platform::named(platform)?;
    let options = options(py, platform, named)?;
    let made = without_lock(py, options, |finalizer| {
        let module = finalizer::read_input(&data, platform)?;
        let Some(kernel) = kernel else {
            return finalizer
                .finalize_parallel(&module, NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN));
        };
        let index = finalizer::kernel_named(&module, kernel)?;
        Ok(vec![finalizer.finalize_kernel(&module, index)?])
    })?;
    made.into_iter().map(|binary| Binary::new(py, binary)).collect()
}

/// The input with code for the platform in it.
#[pyfunction]
pub fn retarget<'py>(
    py: Python<'py>,
    data: Cow<'_, [u8]>,
    platform: &str,
    named: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = options(py, crate::platform::named(platform)?, named)?;
    let made = without_lock(py, options, |finalizer| rewriter::retarget(&data, finalizer))?;
    Ok(PyBytes::new(py, &made))
}

/// Machine code as text.
#[pyfunction]
pub fn disassemble(py: Python<'_>, code: Cow<'_, [u8]>, platform: &str, json: bool) -> PyResult<String> {
    let platform = crate::platform::named(platform)?;
    Ok(py.detach(|| match json {
        false => iga::disassemble(platform, &code, &ListingOptions::default()),
        true => iga::disassemble_json(platform, &code, &JsonOptions::default()),
    }))
}

/// The machine code of a listing.
#[pyfunction]
pub fn assemble<'py>(
    py: Python<'py>,
    text: &str,
    platform: &str,
    compact: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let platform = crate::platform::named(platform)?;
    let code = py.detach(|| iga::assemble(platform, text, &AsmOptions { compact }));
    let fault = |e: AsmError| Diagnostic::bad_listing(e.line, e.column, &e.found, &e.allowed);
    let code = code.map_err(|errors| raise(py, Refusal(errors.into_iter().map(fault).collect())))?;
    Ok(PyBytes::new(py, &code))
}

/// The names of all platforms.
#[pyfunction]
pub fn platforms() -> Vec<String> {
    Platform::ALL.iter().map(ToString::to_string).collect()
}

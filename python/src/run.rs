//! A kernel on the emulator.

use std::{borrow::Cow, collections::BTreeMap};

use emulator::{Arg, Buffer, Launch, Memory, RunReport, infer, link::Loaded};
use finalizer::{Platform, Refusal, visa::Module};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    error::{raise, refuse},
    finalize::{options, without_lock},
};

/// Counts and findings of a run.
#[pyclass(frozen, get_all, module = "visa_finalize")]
pub struct Report {
    instructions: u64,
    /// Modelled cycles.
    cycles: u64,
    threads: u64,
    opcodes: BTreeMap<String, u64>,
    /// What no correct program does, as text.
    findings: Vec<String>,
}

impl From<RunReport> for Report {
    fn from(from: RunReport) -> Report {
        Report {
            instructions: from.instructions,
            cycles: from.cycles,
            threads: from.threads,
            opcodes: from.opcodes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            findings: from.reports.iter().map(ToString::to_string).collect(),
        }
    }
}

/// An argument as the Python side hands it over; `None` is a null pointer.
#[derive(FromPyObject)]
pub enum Given {
    /// Bytes of shared local memory.
    #[pyo3(transparent)]
    Local(u32),
    /// Whether they are a buffer, and the bytes.
    #[pyo3(transparent)]
    Bytes((bool, Vec<u8>)),
}

struct Job<'a> {
    platform: Platform,
    module: &'a Module,
    index: usize,
    global: [u32; 3],
    local: Option<[u32; 3]>,
    interpret: bool,
    fast: bool,
    max_instructions: u64,
}

/// Runs a kernel; gives the report, and what every buffer holds afterwards.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the Python side names them")]
pub fn run<'py>(
    py: Python<'py>,
    data: Cow<'_, [u8]>,
    platform: &str,
    kernel: Option<&str>,
    args: Vec<Option<Given>>,
    global: [u32; 3],
    local: Option<[u32; 3]>,
    interpret: bool,
    fast: bool,
    max_instructions: u64,
    named: Vec<(String, String)>,
) -> PyResult<(Report, Vec<Option<Bound<'py, PyBytes>>>)> {
    let platform = crate::platform::named(platform)?;
    let module = finalizer::read_input(&data, platform).map_err(|refusal| raise(py, refusal))?;
    let index = match kernel {
        Some(name) => finalizer::kernel_named(&module, name).map_err(|refusal| raise(py, refusal))?,
        None if module.kernels.len() == 1 => 0,
        None => return Err(refuse(py, "WhichKernel", "the input has several kernels, name one")),
    };
    let mut memory = Memory::new();
    let (arguments, buffers) = place(&args, &mut memory);
    let job = Job { platform, module: &module, index, global, local, interpret, fast, max_instructions };
    let options = options(py, platform, named)?;
    let (report, memory) = without_lock(py, options, |finalizer| {
        job.run(finalizer, arguments, &mut memory).map(|report| (report, memory))
    })?;
    let after = buffers.into_iter().map(|b| b.map(|b| PyBytes::new(py, memory.bytes(b)))).collect();
    Ok((report.into(), after))
}

/// The arguments, and which of them are buffers.
fn place(given: &[Option<Given>], memory: &mut Memory) -> (Vec<Arg>, Vec<Option<Buffer>>) {
    let one = |(i, given): (usize, &Option<Given>)| match given {
        Some(Given::Bytes((true, bytes))) => {
            let buffer = memory.add(format!("argument {i}"), bytes.clone());
            (Arg::Buffer(buffer), Some(buffer))
        }
        Some(Given::Bytes((false, bytes))) => (Arg::Scalar(bytes.clone()), None),
        Some(Given::Local(bytes)) => (Arg::Local(*bytes), None),
        None => (Arg::Null, None),
    };
    given.iter().enumerate().map(one).unzip()
}

impl Job<'_> {
    fn run(
        &self,
        finalizer: &mut finalizer::Finalizer,
        args: Vec<Arg>,
        memory: &mut Memory,
    ) -> Result<RunReport, Refusal> {
        let fault =
            |e: emulator::Error| Refusal::from(finalizer::Diagnostic::error("CannotRun", e.to_string()));
        let kernel =
            infer::kernel_info(&self.module.kernels[self.index], self.platform, &args).map_err(fault)?;
        let local = self.local.unwrap_or_else(|| infer::group(self.global, &kernel));
        let mut launch =
            Launch { kernel, global: self.global, local, offset: [0; 3], dimensions: None, args };
        let options = emulator::Options {
            max_instructions: self.max_instructions,
            ..if self.fast { emulator::Options::fast() } else { emulator::Options::default() }
        };
        let loaded = Loaded::default();
        if self.interpret {
            let (module, index) = (self.module, self.index);
            return emulator::visa::run_linked(
                self.platform,
                module,
                index,
                &loaded,
                &launch,
                memory,
                &options,
            )
            .map_err(fault);
        }
        let binary = finalizer.finalize_kernel(self.module, self.index)?;
        launch.kernel.scratch = launch.kernel.scratch.max(binary.info.scratch_bytes);
        launch.kernel.grf_count = binary.info.grf_count.into();
        let code = loaded.link(&rewriter::unit(&binary), &[]).map_err(fault)?;
        emulator::run(self.platform, &code, &launch, memory, &options).map_err(fault)
    }
}

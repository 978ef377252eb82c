//! Our code beside the vISA interpreter: both run over the same data and must leave the same memory.
//! Where they do not, Intel's code is asked for its vote.

use emulator::{Buffer, Memory, Options as RunOptions, RawLaunch, Report};
use finalizer::{Diagnostic, Finalizer, Options};
use platforms::Platform;
use visa::Module;

use crate::{
    data::TestKernel,
    differential::{self, MAX_INSTRUCTIONS, SCRATCH},
    launches::{NoLaunch, Setup},
};

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpretedOutcome {
    /// Both leave the same memory.
    Agrees,
    /// Both leave the same memory, up to what the specification grants approximate functions.
    Near,
    /// The finalizer refused the kernel.
    Refused(String),
    /// There is no launch for this kernel.
    NoLaunch(String),
    /// The interpreter does not finish on these data.
    Unsupported(String),
    /// Our code does not finish, or breaks a rule of the machine.
    OursFails(String),
    /// The interpreter reports something that our code does not do.
    Reported(String),
    /// The memory differs; with whom Intel's code agrees.
    Differs(String),
}

impl InterpretedOutcome {
    /// Short name of the kind.
    pub fn class(&self) -> &'static str {
        match self {
            InterpretedOutcome::Agrees => "agrees",
            InterpretedOutcome::Near => "agrees, approximately",
            InterpretedOutcome::Refused(_) => "refused",
            InterpretedOutcome::NoLaunch(_) => "no launch",
            InterpretedOutcome::Unsupported(_) => "not interpreted",
            InterpretedOutcome::OursFails(_) => "our code fails",
            InterpretedOutcome::Reported(_) => "reported",
            InterpretedOutcome::Differs(_) => "differs",
        }
    }

    /// What there is to say besides.
    pub fn detail(&self) -> &str {
        match self {
            InterpretedOutcome::Agrees | InterpretedOutcome::Near => "",
            InterpretedOutcome::Refused(s)
            | InterpretedOutcome::NoLaunch(s)
            | InterpretedOutcome::Unsupported(s)
            | InterpretedOutcome::OursFails(s)
            | InterpretedOutcome::Reported(s)
            | InterpretedOutcome::Differs(s) => s,
        }
    }
}

/// A kernel's module, with the functions it calls.
///
/// # Errors
///
/// The first fault of the text.
pub fn module(platform: Platform, kernel: &TestKernel) -> Result<Module, String> {
    let read = |text: &str| {
        finalizer::read_text(text.as_bytes(), platform)
            .map_err(|e| e.0.first().map_or(String::new(), |d| d.to_string()))
    };
    let mut module = read(&kernel.visaasm)?;
    for text in &kernel.functions {
        module.link(read(text)?);
    }
    // Functions that are called by address are in an object of their own.
    for text in differential::symbol_table(kernel).iter().flat_map(|t| &t.functions) {
        let mut other = read(text)?;
        other.functions.retain(|f| module.functions.iter().all(|g| g.header_name != f.header_name));
        module.link(other);
    }
    Ok(module)
}

/// Whether the specification grants some instruction of the kernel less than exact results.
fn approximate(module: &Module) -> bool {
    let math = |k: &visa::Kernel| k.code.iter().any(|r| r.opcode.is_math());
    module.kernels.iter().chain(&module.functions).any(math)
}

/// What two results may differ in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grant {
    /// Nothing.
    Bits,
    /// Which of several NaNs comes out: the specification leaves that open.
    Nans,
    /// That, and what the specification grants approximate functions.
    Functions,
}

/// The first byte where two memories differ and a third, of another run of the first, says the byte means
/// something.
fn difference(a: &Memory, b: &Memory, again: &Memory, grant: Grant) -> Option<(String, usize, [Vec<u8>; 2])> {
    for (((_, name, a), (_, _, b)), (_, _, again)) in a.buffers().zip(b.buffers()).zip(again.buffers()) {
        if a == b {
            continue;
        }
        for at in 0..a.len().min(b.len()) {
            if a[at] == b[at] || a[at] != again[at] || grant != Grant::Bits && close(a, b, at, grant) {
                continue;
            }
            let range = at & !7..((at & !7) + 8).min(a.len()).min(b.len());
            return Some((name.to_owned(), at, [a[range.clone()].to_vec(), b[range].to_vec()]));
        }
    }
    None
}

/// Whether the singles or halves around a byte are both NaN, or within what OpenCL grants native functions.
pub(crate) fn close(a: &[u8], b: &[u8], at: usize, grant: Grant) -> bool {
    let single = |m: &[u8]| {
        let at = at & !3;
        m.get(at..at + 4).map(|x| f64::from(f32::from_le_bytes([x[0], x[1], x[2], x[3]])))
    };
    let half = |m: &[u8]| {
        let at = at & !1;
        m.get(at..at + 2).map(|x| f64::from(emulator::num::f16_to_f32(u16::from_le_bytes([x[0], x[1]]))))
    };
    let near = |x: Option<f64>, y: Option<f64>, by: f64| match (x, y) {
        (Some(x), Some(y)) => {
            let little = x == y || (x - y).abs() <= by * x.abs().max(y.abs()).max(1e-3);
            x.is_nan() && y.is_nan() || grant == Grant::Functions && little
        }
        _ => false,
    };
    near(single(a), single(b), 1e-4) || near(half(a), half(b), 4e-3)
}

/// Finalizes a kernel, runs it, interprets it.
pub fn compare(platform: Platform, kernel: &TestKernel) -> InterpretedOutcome {
    compared(platform, kernel).unwrap_or_else(|outcome| outcome)
}

/// The outcome of two runs, or why there are not two.
fn compared(platform: Platform, kernel: &TestKernel) -> Result<InterpretedOutcome, InterpretedOutcome> {
    let module = module(platform, kernel).map_err(InterpretedOutcome::Refused)?;
    let mut setup = Setup::new(kernel, 1).map_err(|NoLaunch(why)| InterpretedOutcome::NoLaunch(why))?;
    setup.launch.kernel.scratch = setup.launch.kernel.scratch.max(SCRATCH);
    let (launch, memory) = (&setup.launch, &setup.memory);
    let interpret = |options: &RunOptions| {
        let mut memory = memory.clone();
        emulator::visa::run_linked(platform, &module, 0, &setup.program, launch, &mut memory, options)
            .map(|report| (report, memory))
    };
    let options = RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::default() };
    let (interpreted, theirs) =
        interpret(&options).map_err(|e| InterpretedOutcome::Unsupported(e.to_string()))?;
    let fast = RunOptions { max_instructions: MAX_INSTRUCTIONS, ..RunOptions::fast() };
    let (_, again) = interpret(&fast)
        .map_err(|e| InterpretedOutcome::Unsupported(format!("only with other contents: {e}")))?;
    let refused = |faults: Vec<Diagnostic>| {
        InterpretedOutcome::Refused(faults.first().map_or(String::new(), |d| d.to_string()))
    };
    let binary = differential::finalize(platform, kernel).map_err(refused)?;
    let table = differential::symbol_table(kernel).map(|t| differential::finalize(platform, t));
    let table = table.transpose().map_err(refused)?;
    let mut mine = memory.clone();
    let ours = setup
        .ours(&binary, table.as_ref())
        .and_then(|code| emulator::run(platform, &code, launch, &mut mine, &options))
        .map_err(|e| InterpretedOutcome::OursFails(e.to_string()))?;
    let grant = if approximate(&module) { Grant::Functions } else { Grant::Nans };
    if let Some((name, at, [a, b])) = difference(&theirs, &mine, &again, grant) {
        let mut intel = memory.clone();
        let ran =
            setup.intel(kernel).and_then(|code| emulator::run(platform, &code, launch, &mut intel, &options));
        let vote = match ran {
            Err(_) => "Intel's code fails",
            Ok(_) if difference(&theirs, &intel, &again, grant).is_none() => "Intel's code as interpreted",
            Ok(_) if difference(&intel, &mine, &intel.clone(), grant).is_none() => "Intel's code as ours",
            Ok(_) => "Intel's code as neither",
        };
        return Ok(InterpretedOutcome::Differs(format!(
            "buffer {name} at byte {at}: interpreter {a:02x?} ours {b:02x?}; {vote}"
        )));
    }
    let unshared = |r: &&Report| r.fault.is_error() && !ours.reports.iter().any(|o| o.fault == r.fault);
    if let Some(r) = interpreted.reports.iter().find(unshared) {
        return Ok(InterpretedOutcome::Reported(r.to_string()));
    }
    Ok(match difference(&theirs, &mine, &again, Grant::Bits) {
        Some(_) => InterpretedOutcome::Near,
        None => InterpretedOutcome::Agrees,
    })
}

/// What a kernel leaves in a buffer, in dwords: our code on the emulator, and its vISA on the interpreter. `prepare` fills a memory
/// for each, and says how the kernel is launched and which buffer is looked at. Whatever is reported fails the test.
pub fn both_leave(
    platform: Platform,
    text: &str,
    prepare: impl Fn(&mut Memory) -> (RawLaunch, Buffer),
) -> [Vec<u32>; 2] {
    let module = finalizer::read_text(text.as_bytes(), platform).expect("legal text");
    let binary = Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).expect("code");
    let options = RunOptions::default();
    ["our code", "the interpreter"].map(|who| {
        let mut memory = Memory::new();
        let (launch, buffer) = prepare(&mut memory);
        let report = match who {
            "our code" => emulator::run_raw(platform, &binary.code, &launch, &mut memory, &options),
            _ => emulator::visa::run_raw(platform, &module, 0, &launch, &mut memory, &options),
        };
        assert_eq!(report.expect("a run").reports, [], "{who}");
        let dword = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        memory.bytes(buffer).chunks_exact(4).map(dword).collect()
    })
}

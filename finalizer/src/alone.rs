//! Passes one by one, from text to text: for tests, benches and tools.

use std::fmt;

use gen_ir::{Kernel, Space};
use platforms::Platform;
use visa::Module;

use crate::{
    Diagnostic, Options, PASSES, Pass, Refusal,
    optimize::Facts,
    pass::{Code, Step, verify},
    registers::Registers,
    routine::run,
    workspace::{Context, Job, Workspace},
};

/// A kernel between passes. It prints as the kernel that it is now, with the vISA instruction that each
/// instruction came from.
///
/// ```
/// use finalizer::{Alone, Pass};
/// use platforms::Platform;
///
/// let text = "V0: 32 bytes, live out
/// B0:
///     or (8|M0) V0(0)<1>:d V0(0)<1;1,0>:d 0:d
///     (W) send.ts (8|M0) _ r127.0<8;8,1>:ud 0x0 0x2000010 {EOT} wr:1+0 rd:0";
/// let pass = Pass::named("legalize").unwrap();
/// let mut kernel = Alone::new(pass, text, Platform::Skl)?;
/// kernel.run(pass)?;
/// println!("{kernel}");
/// # Ok::<(), finalizer::Refusal>(())
/// ```
pub struct Alone {
    options: Options,
    module: Module,
    work: Workspace,
    code: Code,
}

impl Alone {
    /// Reads what pass `first` works on: vISA assembly for `check` and `lower`, else Gen IR in the form that it
    /// prints in.
    ///
    /// # Errors
    ///
    /// The text is not that; the pass works on whole binaries.
    pub fn new(first: &Pass, text: &str, platform: Platform) -> Result<Alone, Refusal> {
        let mut module = Module::default();
        let code = match first.step {
            Step::Source(_) | Step::Lower(_) => {
                module = crate::read_text(text.as_bytes(), platform)?;
                Code::Source
            }
            Step::Virtual(_) | Step::Allocate(_) => Code::Virtual(kernel(text, platform)?),
            Step::Physical(_) => Code::Physical(kernel(text, platform)?),
            Step::Binary(..) => {
                let message = format!("the pass `{}` works on whole binaries", first.name);
                return Err(Diagnostic::error("WrongStage", message).into());
            }
        };
        if module.kernels.is_empty() {
            module.kernels.push(visa::Kernel::default());
        }
        // What was not counted has to be: nothing is known of code that comes from outside.
        let mut work = Workspace::default();
        work.analyses.keep(Facts::NONE);
        let options = Options { verify: true, ..Options::new(platform) };
        Ok(Alone { options, module, work, code })
    }

    /// Runs a pass, whether or not the platform needs it, and checks what it leaves.
    ///
    /// # Errors
    ///
    /// What the pass refuses; what its result breaks of the rules that hold from it on.
    pub fn run(&mut self, pass: &Pass) -> Result<(), Refusal> {
        let source = &self.module.kernels[0];
        let registers = Registers::of(&self.options, source)?.count;
        let cx = Context { options: &self.options, module: &self.module, registers };
        let mut job = Job::new(cx, source, None);
        let code = std::mem::replace(&mut self.code, Code::Source);
        self.code = run(pass, code, &mut job, &mut self.work)?;
        if self.options.verify { verify(pass, &self.code) } else { Ok(()) }
    }

    /// From here on nothing is checked: for measurements.
    pub fn do_not_check(&mut self) {
        self.options.verify = false;
    }

    /// Forgets what passes have left of analyses, so that the next one works out what it needs.
    pub fn forget_analyses(&mut self) {
        self.work.analyses.keep(Facts::NONE);
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Code::Source => Ok(()),
            Code::Virtual(kernel) => write!(f, "{kernel:#}"),
            Code::Physical(kernel) => write!(f, "{kernel:#}"),
        }
    }
}

impl fmt::Debug for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn kernel<S: Space>(text: &str, platform: Platform) -> Result<Kernel<S>, Refusal> {
    gen_ir::parse(text, platform).map_err(|e| Diagnostic::error("BadText", e.to_string()).into())
}

impl Pass {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|p| p.name == name)
    }
}

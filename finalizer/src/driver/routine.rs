//! One kernel or function through the passes, up to code over registers.

use gen_ir::{Kernel, Op, Physical};

use crate::{
    Diagnostic, Options, PassSet, Refusal,
    driver::{
        pass::{Code, Pass, PassBody, Tracker, verify},
        passes::PASSES,
        workspace::{Context, FRAME_UNIT, Job, Routine, Workspace},
    },
    lists::refill,
};

/// A kernel or function, through all passes that work on one. `simd` is the size of the kernel that calls a
/// function.
pub(crate) fn routine(
    cx: Context<'_>,
    source: &visa::Kernel,
    simd: Option<u8>,
    work: &mut Workspace,
    tracker: &mut Tracker,
) -> Result<Routine, Refusal> {
    let mut job = Job::new(cx, source, simd);
    let made = through_passes(cx, &mut job, work, tracker);
    let code = made.map_err(|refusal| refusal.placed_in(source))?;
    let Job { warnings, allocation, calls, frame, entries, symbols, places, .. } = job;
    let insts = code.inst_count();
    Ok(Routine {
        number: 0,
        rank: 0,
        code,
        insts,
        allocation,
        symbols,
        calls,
        frame,
        entries,
        warnings,
        places,
    })
}

/// The code over registers that the passes make of a job.
fn through_passes(
    cx: Context<'_>,
    job: &mut Job<'_>,
    work: &mut Workspace,
    tracker: &mut Tracker,
) -> Result<Kernel<Physical>, Refusal> {
    let source = job.source;
    let mut code = Code::Source;
    tracker.start();
    let skip = cx.options.skip.with(cx.options.level.skips());
    // Most passes, in quick compilation.
    let idle = skip.without(REQUIRED).without(cx.options.print_after);
    for (index, pass) in PASSES.iter().enumerate().filter(|(index, _)| !idle.has(*index)) {
        if matches!(pass.step, PassBody::Binary(..)) {
            continue;
        }
        let runs =
            !(pass.optional && skip.has(index)) && pass.needless_on(cx.options.platform.caps()).is_none();
        if runs {
            cx.options.watch.ask().map_err(|stop| Diagnostic::from(stop).in_kernel(&*source.name()))?;
            run(pass, &mut code, job, work)?;
            tracker.done(pass);
            if cx.options.verify {
                verify(pass, &code)?;
                tracker.start();
            }
        }
        if tracker.prints(index) {
            match runs {
                false => tracker.print(pass, &source.name(), &why_not(pass, cx.options)),
                true => tracker.print(pass, &source.name(), &code),
            }
        }
    }
    let Code::Physical(code) = code else { unreachable!("the list of passes ends with registers") };
    Ok(code)
}

/// Passes that no option skips.
const REQUIRED: PassSet = {
    let (mut required, mut index) = (PassSet::NONE, 0);
    while index < PASSES.len() {
        if !PASSES[index].optional {
            required = required.with(PassSet::of(index));
        }
        index += 1;
    }
    required
};

/// Why a pass does not.
fn why_not(pass: &Pass, options: &Options) -> String {
    match pass.needless_on(options.platform.caps()) {
        Some(why) => format!("it does not run on {}: {why}", options.platform),
        None => "it is switched off".into(),
    }
}

/// One pass, over code where it is: what moves it moves more than some passes read.
pub(crate) fn run(
    pass: &Pass,
    code: &mut Code,
    job: &mut Job<'_>,
    work: &mut Workspace,
) -> Result<(), Refusal> {
    match (pass.step, &mut *code) {
        (PassBody::Source(step), _) => step(job, work)?,
        (PassBody::Lower(step), Code::Source) => *code = Code::Virtual(step(job, work)?),
        (PassBody::Virtual(step), Code::Virtual(kernel)) => {
            if step(kernel, work)? {
                work.analyses.keep(pass.keeps);
            }
        }
        (PassBody::Allocate(step), Code::Virtual(kernel)) => {
            let kernel = std::mem::replace(kernel, Kernel::new("", kernel.platform));
            *code = Code::Physical(step(job, kernel, work)?);
        }
        (PassBody::Physical(step), Code::Physical(kernel)) => step(kernel, job, work)?,
        (_, code) => {
            let form = match code {
                Code::Source => "vISA",
                Code::Virtual(_) => "code over variables",
                Code::Physical(_) => "code over registers",
            };
            let message = format!("the pass `{}` cannot work on {form}", pass.name);
            return Err(Diagnostic::error("WrongStage", message).into());
        }
    }
    Ok(())
}

/// Scratch bytes of a thread: the deepest chain of frames, or a generous stack where that has no end.
pub(crate) fn scratch_bytes(
    kernel: &Routine,
    functions: &[Routine],
    callees: &[u32],
    depth: &mut Vec<u32>,
    deep_stack: u32,
) -> u32 {
    let own = kernel.code.spill_offset + kernel.allocation.scratch_bytes;
    if kernel.calls.callees(callees).is_empty() && !kernel.calls.unknown {
        return own;
    }
    let at = |n: &u32| functions.binary_search_by_key(n, |f| f.number).ok();
    // Each round follows calls one level deeper; what still grows after as many rounds as there are
    // functions calls itself.
    refill(depth, functions.iter().map(|f| f.frame));
    let mut unknown = kernel.calls.unknown || functions.iter().any(|f| f.calls.unknown);
    for round in 0..=functions.len() {
        let mut grown = false;
        for i in 0..functions.len() {
            let below = functions[i].calls.callees(callees).iter().filter_map(at).map(|c| depth[c]).max();
            // A frame of nothing still counts, so that recursion shows.
            let total = functions[i].frame.max(1).saturating_add(below.unwrap_or(0));
            grown |= total > depth[i];
            depth[i] = depth[i].max(total);
        }
        if !grown {
            break;
        }
        unknown |= round == functions.len();
    }
    let called = kernel.calls.callees(callees).iter().filter_map(at).map(|c| depth[c]).max().unwrap_or(0);
    let known = kernel.frame.saturating_add(called).next_multiple_of(FRAME_UNIT);
    if unknown { known.max(deep_stack) } else { known }
}

/// Whether something is called whose address is only known at run time.
pub(crate) fn calls_unknown(kernel: &Kernel<Physical>) -> bool {
    kernel.outside && kernel.insts().any(|(_, i)| i.op == Op::Call && i.branch_target().is_none())
}

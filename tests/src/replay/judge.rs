//! Before and after.

use crate::replay::{Inputs, Machine, Plan};
use gen_ir::{BlockId, Kernel, Op, Physical, Pool, Virtual};
use regalloc::{AllocStats, AllocationMemory, Options, allocate};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Blocks that a run goes through at most.
pub const STEPS: usize = 400;

/// Memory that one kernel leaves to the next.
#[derive(Default)]
pub struct Kept {
    /// The allocator's.
    pub memory: AllocationMemory,
    /// Lists of instructions.
    pub pool: Pool<Physical>,
}

/// What became of a kernel that did not fail.
#[derive(Clone, Copy, Debug)]
pub enum ReplayOutcome {
    /// Its code does the same, at these costs.
    Same(AllocStats),
    /// It needs more registers than there are.
    Refused,
    /// It is no kernel that can be judged: control flow that nobody can write code for.
    Senseless,
}

/// How a kernel failed.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// What went wrong, in the same words for the same sort.
    pub sort: &'static str,
    /// The details.
    pub what: String,
    /// The code, before and, if there is any, after.
    pub code: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n{}", self.sort, self.what, self.code)
    }
}

/// Structures the kernel of a plan, allocates it and runs it before and after.
///
/// # Errors
///
/// The [`Mismatch`] is a fault of the allocator, or of the kernel that was drawn.
pub fn check(plan: &Plan, kept: &mut Kept) -> Result<ReplayOutcome, Mismatch> {
    let mut kernel = plan.kernel();
    if structurizer::structurize(&mut kernel).is_err() {
        return Ok(ReplayOutcome::Senseless);
    }
    check_structured(&kernel, &plan.inputs, plan.quick, kept)
}

/// Allocates a kernel and runs it before and after; `quick`: registers are given quickly.
///
/// # Errors
///
/// The [`Mismatch`] is a fault of the allocator, or of the kernel.
pub fn check_structured(
    kernel: &Kernel<Virtual>,
    inputs: &Inputs,
    quick: bool,
    kept: &mut Kept,
) -> Result<ReplayOutcome, Mismatch> {
    let fail = |sort, what: String| Mismatch { sort, what, code: kernel.to_string() };
    let faults = gen_ir::verify(kernel, gen_ir::Profile::Structured);
    if !faults.is_empty() {
        return Err(fail("verifier, before", format!("{faults:?}")));
    }
    let options = Options { check: true, quick, ..Options::default() };
    let allocated =
        catch_unwind(AssertUnwindSafe(|| allocate(kernel, &options, &mut kept.memory, &mut kept.pool)));
    let (physical, stats) = match allocated {
        Ok(Ok(allocated)) => allocated,
        Ok(Err(regalloc::Error::OutOfRegisters { .. })) => return Ok(ReplayOutcome::Refused),
        Ok(Err(error)) => return Err(fail("allocator", error.to_string())),
        Err(panic) => {
            *kept = Kept::default();
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or(panic.downcast_ref::<&str>().map(|s| (*s).into()));
            return Err(fail("panic", text.unwrap_or_default()));
        }
    };
    let judged = compare(kernel, &physical, inputs, STEPS);
    kept.pool.keep_kernel(physical);
    judged.map(|()| ReplayOutcome::Same(stats))
}

/// Runs code before and after allocation.
///
/// # Errors
///
/// A [`Mismatch`] where they differ.
pub fn compare(
    kernel: &Kernel<Virtual>,
    physical: &Kernel<Physical>,
    inputs: &Inputs,
    steps: usize,
) -> Result<(), Mismatch> {
    let fail = |sort, what: String| Mismatch { sort, what, code: format!("{kernel}\n{physical}") };
    let faults = gen_ir::verify(physical, gen_ir::Profile::Structured);
    if !faults.is_empty() {
        return Err(fail("verifier, after", format!("{faults:?}")));
    }
    let mut before = Machine::new(kernel, inputs);
    before.run(steps).map_err(|what| fail("run, before", what))?;
    let mut after = Machine::new(physical, inputs);
    after.run(steps).map_err(|what| fail("run, after", what))?;
    // Allocation may put instructions in another order: what each did to each lane is compared.
    let again = computed_again(kernel, physical);
    for log in [&mut before.log, &mut after.log] {
        log.retain(|event| !again.contains(&event.0));
        log.sort_by_key(|event| event.0);
    }
    let mut pairs = before.log.iter().zip(&after.log);
    if let Some((a, b)) = pairs.find(|(a, b)| (a.0, a.1) != (b.0, b.1) || !a.3 && (a.2 != b.2 || b.3)) {
        let inst = kernel.insts().find(|(_, i)| i.origin == a.0).map(|(_, i)| i.to_string());
        let inst = inst.unwrap_or_default();
        return Err(fail("another value", format!("{inst}: {a:x?} before, {b:x?} after")));
    }
    if before.log.len() != after.log.len() {
        return Err(fail("events", format!("{} before, {} after", before.log.len(), after.log.len())));
    }
    Ok(())
}

/// The operations that stand elsewhere in allocated code, or more than once: where their results are read. Those
/// readers show whether they are right.
fn computed_again(before: &Kernel<Virtual>, after: &Kernel<Physical>) -> BTreeSet<u32> {
    // Spilling adds moves, which are not logged, and messages, with the origin of what needs them.
    let mut count: BTreeMap<(u32, BlockId), i32> = BTreeMap::new();
    let plain = |op: Op| op != Op::Mov && !op.is_send() && !op.is_branch();
    before.insts().filter(|i| plain(i.1.op)).for_each(|(b, i)| *count.entry((i.origin, b)).or_default() += 1);
    after.insts().filter(|i| plain(i.1.op)).for_each(|(b, i)| *count.entry((i.origin, b)).or_default() -= 1);
    count.into_iter().filter(|&(_, n)| n != 0).map(|((origin, _), _)| origin).collect()
}

//! Counting instructions in raw code, the same way for both sides.

use encoder::decode_all;
use gen_ir::{Arf, Base, Clock, Desc, Dst, ExecSize, Inst, Op, Physical, Reg, SendInfo, Src, Target};
use platforms::Platform;

use crate::annotations::AnnotationClock;

/// What stands in some code.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Instructions that do something: `nop`, `illegal` and `sync` are left out, and so are those that stand there for faults of
    /// the hardware alone (`platforms::Errata`; Intel's finalizer also moves registers to themselves on Gen11): of Intel's code in
    /// hand, which is of 2022, some lacks workarounds that were found later.
    pub instructions: u32,
    /// `sync` instructions, which platforms with a software scoreboard have.
    pub syncs: u32,
    /// Messages that read and write the thread's scratch memory.
    pub scratch: u32,
    /// Words that are no instruction of the platform. Intel's finalizer writes `sends` for Broadwell, which has none, if
    /// the vISA asks for one: such code runs nowhere.
    pub unknown: u32,
}

/// Counts all instructions of some code, each also given to `each`.
pub fn count(platform: Platform, code: &[u8], mut each: impl FnMut(&Inst<Physical>)) -> Counts {
    let mut counts = Counts::default();
    for decoded in decode_all(platform, code) {
        let Ok(i) = decoded.inst else {
            counts.unknown += 1;
            continue;
        };
        match i.op {
            Op::Nop | Op::Illegal => continue,
            Op::Sync => counts.syncs += 1,
            _ if is_dummy(&i) => {}
            _ => counts.instructions += 1,
        }
        if let Some(SendInfo { sfid, desc: Desc::Imm(desc), .. }) = i.send() {
            counts.scratch += u32::from(sfid.is_scratch(*desc));
        }
        each(&i);
    }
    counts
}

fn is_dummy(i: &Inst<Physical>) -> bool {
    if is_read_for_its_own_sake(i) || i.op == Op::Mov && i.exec == ExecSize::S16 && clears_accumulator(i) {
        return true;
    }
    let (Dst::Direct { reg: dst, .. }, Src::Direct { reg: src, mods, .. }) = (i.dst, i.src[0]) else {
        return false;
    };
    if dst != src || mods.any() || i.sat || !matches!(dst.base(), Base::Grf(_)) {
        return false;
    }
    match i.op {
        Op::Mov => {
            i.pred.is_none() && i.cond.is_none() && i.dst.ty() == i.src[0].ty() && i.exec == ExecSize::S8
        }
        Op::Csel => i.exec == ExecSize::S4 && i.src.iter().all(|s| s.reg() == Some(dst)),
        _ => false,
    }
}

/// One channel of a register, or a number, moved to nowhere: what the thread waits for then, or switches at.
fn is_read_for_its_own_sake(i: &Inst<Physical>) -> bool {
    i.op == Op::Mov && i.exec == ExecSize::S1 && i.dst.reg().is_some_and(Reg::is_null)
}

/// `mov (16) acc0.0:f 0`, which stands in front of the message that ends the thread.
fn clears_accumulator(i: &Inst<Physical>) -> bool {
    let accumulator = i.dst.reg().is_some_and(|r| matches!(r.base(), Base::Arf(Arf::Acc(0))));
    accumulator && matches!(i.src[0], Src::Imm { bits: 0, .. })
}

/// How often the body of a loop is taken to run.
const TRIPS: f64 = 8.0;
/// Loops inside of each other that still count.
const DEEPEST: i32 = 4;

/// Cycles of one thread by the model: each instruction's issue and wait, in loops as often as these run.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    /// Instructions wait for the registers that they touch.
    pub by_registers: f64,
    /// With a software scoreboard they wait for what their annotations say; without one as above.
    pub as_annotated: f64,
}

/// Finds both.
pub fn cycles(platform: Platform, code: &[u8]) -> Cycles {
    let insts: Vec<(i64, Inst<Physical>)> =
        decode_all(platform, code).filter_map(|d| Some((i64::from(d.offset), d.inst.ok()?))).collect();
    let mut opened = vec![0; insts.len() + 1];
    for (n, (at, inst)) in insts.iter().enumerate() {
        // A call comes back behind itself, wherever it leads: no loop.
        let Some((jip, uip)) = inst.targets().filter(|_| inst.op != Op::Call) else { continue };
        let back = [jip, uip].into_iter().filter_map(|t| match t {
            Target::Rel(rel) if rel < 0 => Some(at + i64::from(rel)),
            _ => None,
        });
        if let Some(to) = back.min() {
            opened[insts.partition_point(|(offset, _)| *offset < to)] += 1;
            opened[n + 1] -= 1;
        }
    }
    let sum = |issue: &mut dyn FnMut(&Inst<Physical>) -> u64| -> f64 {
        let mut depth = 0;
        let weighted = insts.iter().zip(&opened).map(|((_, inst), opened)| {
            depth += opened;
            issue(inst) as f64 * TRIPS.powi(depth.min(DEEPEST))
        });
        weighted.sum()
    };
    let mut clock = Clock::new(platform.caps());
    let by_registers = sum(&mut |inst| clock.issue(inst));
    if !platform.caps().scoreboard.software {
        return Cycles { by_registers, as_annotated: by_registers };
    }
    let mut clock = AnnotationClock::new(platform);
    Cycles { by_registers, as_annotated: sum(&mut |inst| clock.issue(inst)) }
}

/// A listing in which each instruction has before it the cycles until the next one can issue, as of [`Clock`].
pub fn waits(platform: Platform, code: &[u8]) -> String {
    let mut clock = Clock::new(platform.caps());
    let lines = decode_all(platform, code).map(|word| {
        let cycles = word.inst.as_ref().map_or(0, |inst| clock.issue(inst));
        let text = iga::list(platform, std::slice::from_ref(&word), &iga::ListingOptions::default());
        let text = text.lines().rfind(|line| !line.ends_with(':')).unwrap_or_default();
        format!("{:>6} {cycles:>5}  {}\n", word.offset, text.trim_start())
    });
    lines.collect()
}

//! What keeps known faults of the hardware from happening ([`Errata`]).
//!
//! Behind the schedule, so that what has to stand beside something does. The scoreboard, which comes after, waits for what is
//! added here, and has faults of its own to mind (`swsb`); those that forbid a shape of operands are rules of the hardware like
//! others (`gen_ir::rules`).

use ::messages::gateway::Gateway;
use gen_ir::{
    Arf, Base, Cond, CondMod, Desc, Dst, ExecSize, FlagSub, GrfNum, Inst, Kernel, MathFn, Op, Options,
    Payload, Physical, Pool, Reg, Region, Sfid, Src, SrcMod, Type,
};
use platforms::{Caps, Errata};

use crate::build::{self, Lanes};

/// Adds what the platform's faults ask for. `is_called`: it is a function, not a kernel. `out` is memory to work in.
pub(crate) fn work_around(
    kernel: &mut Kernel<Physical>,
    is_called: bool,
    out: &mut Vec<Inst<Physical>>,
    pool: &mut Pool<Physical>,
) {
    let caps = kernel.platform.caps();
    let errata = &caps.errata;
    let reads_by_lane = errata.addresses_of_all && kernel.insts().any(|(_, i)| has_address_per_channel(i));
    let [_, start] = kernel.payload_ends();
    let pending = if errata.flags_outlive_thread { flags_left(kernel) } else { [false; 2] };
    let mut neighbours = Neighbours::default();
    // The first instruction of a block is where a call leads or returns to.
    let mut is_entered = is_called;
    for b in 0..kernel.blocks.len() {
        let entry = kernel.subroutines.binary_search(&b.into()).is_ok();
        let block = &mut kernel.blocks[b];
        let mut switches = errata.call_without_switch && (is_entered || entry);
        out.clear();
        // So many of the block's instructions are in `out`.
        let mut copied = 0;
        let mut add_at = |n: usize, added| {
            out.extend_from_slice(&block.insts[copied..n]);
            copied = n;
            out.push(added);
        };
        let clears_at = (reads_by_lane && b == 0).then_some(start);
        for (n, inst) in block.insts.iter().enumerate() {
            let mut add = |added| add_at(n, added);
            if clears_at == Some(n) {
                add(clear_addresses());
            }
            // Where lanes wait, their address is that of the instruction, which Intel's code does not let switch.
            if switches && !matches!(inst.op, Op::Join | Op::Endif | Op::Else) {
                add(switch());
                switches = false;
            }
            in_front(inst, caps, &mut neighbours, &mut add);
            if inst.is_eot() {
                at_end(errata, pending, &mut add);
            }
        }
        if clears_at == Some(block.insts.len()) {
            add_at(block.insts.len(), clear_addresses());
        }
        is_entered = switches || block.insts.last().is_some_and(|i| matches!(i.op, Op::Call | Op::Calla));
        if !out.is_empty() {
            out.extend_from_slice(&block.insts[copied..]);
            pool.store(&mut block.insts, out);
        }
        if errata.preempted_r2 {
            for inst in block.insts.iter_mut().filter(|i| sends_r2(i)) {
                inst.opts = inst.opts.with(Options::NO_PREEMPT);
            }
        }
    }
}

/// Instructions before the one at hand that faults are about.
#[derive(Default)]
struct Neighbours {
    /// The last one is a quotient or a power.
    is_quotient: bool,
    /// The last one in the float pipe.
    float: Option<Inst<Physical>>,
}

/// Adds what has to stand in front of an instruction.
fn in_front(
    inst: &Inst<Physical>,
    caps: &Caps,
    before: &mut Neighbours,
    add: &mut impl FnMut(Inst<Physical>),
) {
    let errata = &caps.errata;
    if errata.wide_after_quotient {
        if before.is_quotient && writes_two_registers(inst, caps) {
            add(Inst::new(Op::Nop, ExecSize::S1));
        }
        before.is_quotient = matches!(inst.payload, Payload::Math(MathFn::Fdiv | MathFn::Pow));
    }
    if errata.stale_notifications && signals_barrier(inst) {
        let notified = Dst::packed(Reg::arf(Arf::Notify(0), 0), Type::Ud);
        let clear = build::mov(Lanes::SCALAR, notified, Src::ud(0));
        add(Inst { opts: Options::SWITCH, ..clear });
    }
    if errata.suppressed_reads && changes_channels(inst) {
        let condition = CondMod { cond: Cond::Eq, flag: Reg::flag(FlagSub::F0) };
        add(Inst { cond: Some(condition), ..csel(Type::W) });
    }
    if errata.suppressed_floats && is_of_float_pipe(inst) {
        let shared = |other: &Inst<Physical>| {
            reads_as_single(other) != reads_as_single(inst)
                && other.src.iter().zip(&inst.src).any(|(a, b)| a == b && matches!(a, Src::Direct { .. }))
        };
        if before.float.as_ref().is_some_and(shared) {
            add(csel(Type::F));
        }
        before.float = Some(*inst);
    }
}

/// Adds what has to stand in front of the message that ends the thread.
fn at_end(errata: &Errata, pending: [bool; 2], add: &mut impl FnMut(Inst<Physical>)) {
    for (n, _) in (0..).zip(pending).filter(|(_, pending)| *pending) {
        let flag = Src::scalar(Reg::arf(Arf::Flag(n), 0), Type::Ud);
        add(build::mov(Lanes::SCALAR, Dst::null(Type::Ud), flag));
    }
    if errata.accumulator_outlives_thread {
        let accumulator = Dst::packed(Reg::arf(Arf::Acc(0), 0), Type::F);
        add(build::mov(Lanes::all(ExecSize::S16), accumulator, Src::imm(0, Type::F)));
    }
}

/// `mov null r0 {Switch}`: the thread switches.
fn switch() -> Inst<Physical> {
    let r0 = Src::scalar(Reg::grf(GrfNum::new(0), 0), Type::Ud);
    Inst { opts: Options::SWITCH, ..build::mov(Lanes::SCALAR, Dst::null(Type::Ud), r0) }
}

/// `mov (16) a0.0 0`.
fn clear_addresses() -> Inst<Physical> {
    let addresses = Dst::packed(Reg::arf(Arf::Addr(0), 0), Type::Uw);
    build::mov(Lanes::all(ExecSize::S16), addresses, Src::uw(0))
}

/// A `csel` that leaves four elements of `r1` as they are: what it reads replaces what was kept of registers read before.
fn csel(ty: Type) -> Inst<Physical> {
    let reg = Reg::grf(GrfNum::new(1), 0);
    let [first, last] = [Region::ternary(1, 0), Region::ternary_last(1)].map(|r| Src::new(reg, r, ty));
    let first = if ty == Type::W { Src::new(reg, Region::ternary(4, 1), ty) } else { first };
    build::op(Op::Csel, Lanes::all(ExecSize::S4), Dst::packed(reg, ty), &[first, first, last])
}

/// Whether a source has an address for each channel.
fn has_address_per_channel(inst: &Inst<Physical>) -> bool {
    inst.src.iter().any(|s| matches!(s, Src::Indirect { region, .. } if region.vert == Region::VXH))
}

/// Whether an instruction other than a message writes more than one register.
fn writes_two_registers(inst: &Inst<Physical>, caps: &Caps) -> bool {
    let grf_bytes = u32::from(caps.regs.grf_bytes);
    let in_file = inst.dst.reg().is_some_and(|r| r.grf_number().is_some());
    let crosses = || inst.dst_extent(grf_bytes).is_some_and(|w| w.crosses_registers(grf_bytes));
    !inst.op.is_send() && in_file && crosses()
}

fn signals_barrier(inst: &Inst<Physical>) -> bool {
    let Payload::Send(info) = &inst.payload else { return false };
    let Desc::Imm(desc) = info.desc else { return false };
    info.sfid == Sfid::Gateway && Gateway::from(desc).signals_barrier()
}

/// Whether behind an instruction other channels are on than those that it was issued for: a conditional branch, or a message with
/// a predicate and an answer.
fn changes_channels(inst: &Inst<Physical>) -> bool {
    let answered = || inst.dst.reg().is_some_and(|r| !r.is_null());
    inst.pred.is_some()
        && (matches!(inst.op, Op::Goto | Op::If | Op::While | Op::Break) || inst.op.is_send() && answered())
}

fn sends_r2(inst: &Inst<Physical>) -> bool {
    inst.op.is_send() && inst.src[0].reg().and_then(Reg::grf_number) == Some(GrfNum::new(2))
}

/// Whether the float pipe computes it.
fn is_of_float_pipe(inst: &Inst<Physical>) -> bool {
    let computes = !inst.op.is_send() && inst.op.info().class != gen_ir::Class::Branch;
    computes && inst.dst.ty().or_else(|| inst.src[0].ty()).is_some_and(Type::is_float)
}

/// Whether its sources come by the bus of single floats: moves and choices of halves as they are, and what makes a single float of a
/// double.
fn reads_as_single(inst: &Inst<Physical>) -> bool {
    let (to, from) = (inst.dst.ty(), inst.src[0].ty());
    let as_it_is = !inst.sat && inst.src.iter().all(|s| s.mods() == SrcMod::None);
    let half = from == Some(Type::Hf) && as_it_is;
    match inst.op {
        Op::Mov if half && to == Some(Type::Hf) => true,
        Op::Sel if half && to == Some(Type::Hf) => {
            inst.cond.is_none_or(|c| matches!(c.cond, Cond::Ge | Cond::Lt))
        }
        _ => from == Some(Type::Df) && to == Some(Type::F),
    }
}

/// The flag registers that some block writes and does not read behind.
fn flags_left(kernel: &Kernel<Physical>) -> [bool; 2] {
    let mut left = [false; 2];
    for block in &kernel.blocks {
        let mut here = [false; 2];
        let mut note = |reg: Reg<Physical>, writes| {
            if let Base::Arf(Arf::Flag(n)) = reg.base() {
                here[usize::from(n & 1)] = writes;
            }
        };
        for inst in block.insts.iter().filter(|i| !i.is_eot()) {
            let reads = inst.pred.map(|p| p.flag).into_iter().chain(inst.src.iter().filter_map(Src::reg));
            reads.for_each(|reg| note(reg, false));
            // Conditions of `sel` and `csel` are not written to the flag.
            let condition = inst.cond.filter(|_| inst.writes_flag()).map(|c| c.flag);
            inst.dst.reg().into_iter().chain(condition).for_each(|reg| note(reg, true));
        }
        left[0] |= here[0];
        left[1] |= here[1];
    }
    left
}

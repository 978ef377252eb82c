//! Modes of floats that no instruction computes by are not set.
//!
//! Compilers start every kernel with `or cr0.0 cr0.0 0x4c0`: denormals are kept. Bits of the control register that
//! say how floats are rounded and whether their denormals are kept (vISA specification, "Predefined variables", `%cr0`)
//! mean nothing to a thread whose instructions compute with integers and move bits as they are. Messages do not look at them:
//! the register is the thread's. So the write goes if
//! - it changes no other bit of the register, whose exceptions and masks are everybody's;
//! - nothing else in the kernel reads the register;
//! - no code outside of the kernel runs in the thread.

use gen_ir::{Arf, Base, Inst, Kernel, Op, Reg, Src, SrcMod, Type, Virtual};

/// Rounding (bits 4 and 5), denormals of doubles, singles and halves (6, 7, 10).
const FLOAT_MODES: u64 = 0x4f0;

/// Writes that set nothing but modes of floats become `nop` where nothing computes with floats.
pub(super) fn drop_unread(kernel: &mut Kernel<Virtual>) -> bool {
    if kernel.outside {
        return false;
    }
    let mut writes = 0;
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        if sets_float_modes(inst) {
            writes += 1;
        } else if computes_floats(inst) || reads_control(inst) {
            return false;
        }
    }
    for inst in kernel.blocks.iter_mut().flat_map(|b| &mut b.insts).filter(|i| sets_float_modes(i)) {
        *inst = Inst::new(Op::Nop, inst.exec);
    }
    writes > 0
}

/// Whether this changes modes of floats in the control register, and nothing else.
fn sets_float_modes(inst: &Inst<Virtual>) -> bool {
    let changed = match (inst.op, inst.src[1]) {
        (Op::Or | Op::Xor, Src::Imm { bits, .. }) => bits,
        (Op::And, Src::Imm { bits, .. }) => !bits & u64::from(u32::MAX),
        _ => return false,
    };
    let modes = |r: Reg<Virtual>| r.base() == Base::Arf(Arf::Control(0)) && r.byte == 0;
    let in_place = |s: &Src<Virtual>| matches!(*s, Src::Direct { reg, mods: SrcMod::None, ty: Type::Ud, .. } if modes(reg));
    let whole = inst.dst.ty() == Some(Type::Ud) && inst.exec.lanes() == 1 && inst.cond.is_none();
    whole && inst.dst.reg().is_some_and(modes) && in_place(&inst.src[0]) && changed & !FLOAT_MODES == 0
}

/// Whether the result may depend on how floats are rounded, or on what becomes of denormals. A move of bits as they are
/// does not.
fn computes_floats(inst: &Inst<Virtual>) -> bool {
    let float = |ty: Option<Type>| ty.is_some_and(Type::is_float);
    let any = float(inst.dst.ty()) || inst.src.iter().any(|s| float(s.ty()));
    any && !inst.op.is_send() && !moves_bits(inst)
}

fn moves_bits(inst: &Inst<Virtual>) -> bool {
    let plain = match inst.src[0] {
        Src::Direct { mods, .. } | Src::Indirect { mods, .. } => mods == SrcMod::None,
        _ => true,
    };
    let same = inst.dst.ty() == inst.src[0].ty();
    inst.op == Op::Mov && plain && same && !inst.sat && inst.cond.is_none()
}

/// Whether this looks at the control register.
fn reads_control(inst: &Inst<Virtual>) -> bool {
    let mut found = inst.changes_mode();
    inst.for_each_read(|r| found |= matches!(r.base(), Base::Arf(Arf::Control(_))));
    found
}

//! Instructions that break no rule at a glance: most are.

use platforms::{Caps, Layout};

use crate::{Base, Dst, Inst, Op, Options, Payload, Physical, Reg, Src, SrcMod, Type};

/// Whether an instruction is one for which all rules would look for faults in vain: plain arithmetic on dwords or on
/// single floats, in packed registers and scalars. (A test asks it and the rules.)
#[inline]
pub(super) fn is_plain(caps: &Caps, inst: &Inst<Physical>) -> bool {
    let Dst::Direct { reg: dst, horz: 1, ty } = inst.dst else { return false };
    let [a, b, c] = &inst.src;
    let two = match inst.op {
        Op::Mov | Op::Not => false,
        Op::Add | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr => true,
        Op::Cmp => inst.cond.is_some(),
        Op::Sel => inst.cond.is_some() != inst.pred.is_some(),
        Op::Mul => ty == Type::F,
        _ => return false,
    };
    let (grf, lanes) = (u32::from(caps.regs.grf_bytes), inst.exec.lanes());
    let chan = u32::from(inst.chan);
    let strange = !matches!(ty, Type::D | Type::Ud | Type::F)
        || lanes * 4 > 2 * grf
        || chan + lanes > 32
        || caps.words.layout() == Layout::Xe && !chan.is_multiple_of(lanes)
        || inst.opts.has(Options::ALIGN16)
        || !matches!(inst.payload, Payload::None)
        || !matches!(c, Src::None)
        || matches!(b, Src::None) == two;
    if strange || !(starts(dst, lanes) || dst.is_null() && dst.byte == 0) {
        return false;
    }
    let apart = lanes * 4 > grf && caps.regions.halves_apart;
    let source = |s: &Src<Physical>| {
        let Src::Direct { reg, region, mods: SrcMod::None, ty: from } = *s else { return false };
        let alike = matches!(from, Type::D | Type::Ud) && ty != Type::F || from == Type::F && ty == Type::F;
        let scalar = (region.vert, region.width, region.horz) == (0, 1, 0);
        let row = u32::from(region.width);
        let placed = if scalar {
            reg.byte.is_multiple_of(4) && reg.byte < grf
        } else {
            lanes > 1 && region.is_packed() && row <= lanes && row * 4 <= grf && starts(reg, lanes)
        };
        let clear = !apart || !meets(dst, reg) || !scalar && reg.base() == dst.base();
        alike && placed && clear && matches!(reg.base(), Base::Grf(_))
    };
    let last = |s: &Src<Physical>| match *s {
        Src::Imm { ty: from, .. } => {
            matches!(from, Type::D | Type::Ud) && ty != Type::F || from == Type::F && ty == Type::F
        }
        _ => source(s),
    };
    if two { source(a) && last(b) } else { last(a) }
}

/// Whether an operand starts with a general register, or with a dword of one for one channel.
fn starts(reg: Reg<Physical>, lanes: u32) -> bool {
    let at = if lanes == 1 { reg.byte.is_multiple_of(4) } else { reg.byte == 0 };
    at && matches!(reg.base(), Base::Grf(_))
}

/// Whether two registers of one operand meet those of the other.
fn meets(a: Reg<Physical>, b: Reg<Physical>) -> bool {
    matches!((a.base(), b.base()), (Base::Grf(a), Base::Grf(b)) if a.abs_diff(b) < 2)
}

//! Field codes and what they mean.

use gen_ir::{Arf, Base, Cond, MathFn, Physical, PredCtrl, Reg, Region, Sfid};

/// Register file codes of a two-bit field.
pub(super) const FILE_ARF: u8 = 0;
pub(super) const FILE_GRF: u8 = 1;
pub(super) const FILE_IMM: u8 = 3;

/// Code of `:ud` and `:d`, in register and immediate fields of all platforms.
pub(super) const TYPE_UD: u8 = 0;
pub(super) const TYPE_D: u8 = 1;

const NONE: u8 = 0x80;

/// Vertical stride of each code ([`NONE`]: reserved).
static VERT: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, Region::VXH];

/// Width of each code.
static WIDTH: [u8; 8] = [1, 2, 4, 8, 16, NONE, NONE, NONE];

/// Horizontal stride of each code.
static HORZ: [u8; 4] = [0, 1, 2, 4];

/// Vertical stride of each code of an Align1 ternary source.
static TERNARY_VERT: [u8; 4] = [0, 2, 4, 8];

/// The code of a power of two or 0, as in [`VERT`] and [`HORZ`]: 0, 1, 2, 4, 8... are 0, 1, 2, 3, 4...
#[inline]
const fn stride_code(stride: u8) -> Option<u8> {
    match stride {
        0 => Some(0),
        1 | 2 | 4 | 8 | 16 | 32 => Some(stride.trailing_zeros() as u8 + 1),
        _ => None,
    }
}

/// Vertical stride, with [`Region::VXH`].
#[inline]
pub(super) fn vert(code: u8) -> Option<u8> {
    let value = VERT[(code & 15) as usize];
    (value != NONE).then_some(value)
}

/// The code of a vertical stride.
#[inline]
pub(super) fn vert_code(vert: u8) -> Option<u8> {
    if vert == Region::VXH { Some(15) } else { stride_code(vert) }
}

/// Region width.
#[inline]
pub(super) fn width(code: u8) -> Option<u8> {
    let value = WIDTH[(code & 7) as usize];
    (value != NONE).then_some(value)
}

/// The code of a region width.
#[inline]
pub(super) fn width_code(width: u8) -> Option<u8> {
    match width {
        1 | 2 | 4 | 8 | 16 => Some(width.trailing_zeros() as u8),
        _ => None,
    }
}

/// Horizontal stride.
#[inline]
pub(super) fn horz(code: u8) -> u8 {
    HORZ[(code & 3) as usize]
}

/// The code of a horizontal stride.
#[inline]
pub(super) fn horz_code(horz: u8) -> Option<u8> {
    stride_code(horz).filter(|&code| code < 4)
}

/// Vertical stride of an Align1 ternary source.
#[inline]
pub(super) fn ternary_vert(code: u8) -> u8 {
    TERNARY_VERT[(code & 3) as usize]
}

/// The code of an Align1 ternary source's vertical stride.
#[inline]
pub(super) fn ternary_vert_code(vert: u8) -> Option<u8> {
    match vert {
        0 => Some(0),
        2 => Some(1),
        4 => Some(2),
        8 => Some(3),
        _ => None,
    }
}

use PredCtrl::*;
/// Predicate control in Align1 mode, from code 1 on.
static PRED_ALIGN1: [PredCtrl; 13] =
    [Seq, AnyV, AllV, Any2h, All2h, Any4h, All4h, Any8h, All8h, Any16h, All16h, Any32h, All32h];
/// Predicate control in Align16 mode, from code 1 on.
static PRED_ALIGN16: [PredCtrl; 7] = [Seq, X, Y, Z, W, Any4h, All4h];

/// The predicate control of a code other than 0.
#[inline]
pub(super) fn pred(align16: bool, code: u8) -> Option<PredCtrl> {
    let table: &[PredCtrl] = if align16 { &PRED_ALIGN16 } else { &PRED_ALIGN1 };
    table.get(usize::from(code).wrapping_sub(1)).copied()
}

/// The code of a predicate control.
#[inline]
pub(super) fn pred_code(align16: bool, ctrl: PredCtrl) -> Option<u8> {
    if ctrl == Seq {
        return Some(1);
    }
    let table: &[PredCtrl] = if align16 { &PRED_ALIGN16 } else { &PRED_ALIGN1 };
    table.iter().position(|&c| c == ctrl).map(|i| i as u8 + 1)
}

/// The condition of a code other than 0.
#[inline]
pub(super) fn cond(code: u8) -> Option<Cond> {
    Some(match code {
        1 => Cond::Eq,
        2 => Cond::Ne,
        3 => Cond::Gt,
        4 => Cond::Ge,
        5 => Cond::Lt,
        6 => Cond::Le,
        8 => Cond::Ov,
        9 => Cond::Un,
        _ => return None,
    })
}

/// The code of a condition; none for [`Cond::Eo`], which the math function implies.
#[inline]
pub(super) fn cond_code(cond: Cond) -> Option<u8> {
    match cond {
        Cond::Eo => None,
        other => Some(other as u8),
    }
}

/// The `math` function of a code.
#[inline]
pub(super) fn math(code: u8) -> Option<MathFn> {
    Some(match code {
        1 => MathFn::Inv,
        2 => MathFn::Log,
        3 => MathFn::Exp,
        4 => MathFn::Sqt,
        5 => MathFn::Rsqt,
        6 => MathFn::Sin,
        7 => MathFn::Cos,
        9 => MathFn::Fdiv,
        10 => MathFn::Pow,
        11 => MathFn::Idivmod,
        12 => MathFn::Iqot,
        13 => MathFn::Irem,
        14 => MathFn::Invm,
        15 => MathFn::Rsqtm,
        _ => return None,
    })
}

/// How many sources a `math` function has.
pub(super) fn math_sources(function: MathFn) -> u8 {
    match function {
        MathFn::Fdiv | MathFn::Pow | MathFn::Idivmod | MathFn::Iqot | MathFn::Irem | MathFn::Invm => 2,
        _ => 1,
    }
}

/// Whether a `math` function is a macro, with an extra register beside each operand.
pub(super) fn math_is_macro(function: MathFn) -> bool {
    matches!(function, MathFn::Invm | MathFn::Rsqtm)
}

/// The shared function of a code.
pub(super) fn sfid(code: u8) -> Sfid {
    match code {
        0 => Sfid::Null,
        2 => Sfid::Sampler,
        3 => Sfid::Gateway,
        4 => Sfid::Dc2,
        5 => Sfid::Render,
        6 => Sfid::Urb,
        7 => Sfid::Spawner,
        8 => Sfid::Vme,
        9 => Sfid::DcRo,
        10 => Sfid::Dc0,
        11 => Sfid::Pi,
        12 => Sfid::Dc1,
        13 => Sfid::Cre,
        n => Sfid::Reserved(n),
    }
}

/// The code of a shared function.
pub(super) fn sfid_code(sfid: Sfid) -> Option<u8> {
    Some(match sfid {
        Sfid::Null => 0,
        Sfid::Sampler => 2,
        Sfid::Gateway => 3,
        Sfid::Dc2 => 4,
        Sfid::Render => 5,
        Sfid::Urb => 6,
        Sfid::Spawner => 7,
        Sfid::Vme => 8,
        Sfid::DcRo => 9,
        Sfid::Dc0 => 10,
        Sfid::Pi => 11,
        Sfid::Dc1 => 12,
        Sfid::Cre => 13,
        Sfid::Reserved(n @ (1 | 14 | 15)) => n,
        _ => return None,
    })
}

/// The architecture register that a register number means.
pub(super) fn arf(number: u8) -> Option<Arf> {
    let low = number & 15;
    let (count, arf) = match number >> 4 {
        0x0 => (1, Arf::Null),
        0x1 => (1, Arf::Addr(low)),
        0x2 => (10, Arf::Acc(low)),
        0x3 => (2, Arf::Flag(low)),
        0x4 => (1, Arf::ChannelEnable(low)),
        0x5 => (8, Arf::Msg(low)),
        0x6 => (1, Arf::StackPointer(low)),
        0x7 => (2, Arf::State(low)),
        0x8 => (1, Arf::Control(low)),
        0x9 => (1, Arf::Notify(low)),
        0xa => (1, Arf::Ip),
        0xb => (1, Arf::ThreadDep(low)),
        0xc => (1, Arf::Timestamp(low)),
        0xd => (5, Arf::FlowControl(low)),
        0xf => (1, Arf::Debug(low)),
        _ => return None,
    };
    (low < count).then_some(arf)
}

/// The number of an architecture register, if the layout has it.
pub(super) fn arf_number(reg: Arf) -> Option<u8> {
    let (high, low) = match reg {
        Arf::Null => (0x0, 0),
        Arf::Addr(n) => (0x1, n),
        Arf::Acc(n) => (0x2, n),
        Arf::Flag(n) => (0x3, n),
        Arf::ChannelEnable(n) => (0x4, n),
        Arf::Msg(n) => (0x5, n),
        Arf::StackPointer(n) => (0x6, n),
        Arf::State(n) => (0x7, n),
        Arf::Control(n) => (0x8, n),
        Arf::Notify(n) => (0x9, n),
        Arf::Ip => (0xa, 0),
        Arf::ThreadDep(n) => (0xb, n),
        Arf::Timestamp(n) => (0xc, n),
        Arf::FlowControl(n) => (0xd, n),
        Arf::Debug(n) => (0xf, n),
    };
    let number = high << 4 | low & 15;
    (low < 16 && arf(number) == Some(reg)).then_some(number)
}

/// The register that a file and a number mean.
#[inline]
pub(super) fn register(grf: bool, number: u8, byte: u8) -> Option<Reg<Physical>> {
    if grf {
        (number < 128).then(|| Reg::grf(number.into(), byte.into()))
    } else {
        arf(number).map(|a| Reg::arf(a, byte.into()))
    }
}

/// File (`true`: general) and number of a register.
#[inline]
pub(super) fn register_number(reg: Reg<Physical>) -> Option<(bool, u8)> {
    match reg.base {
        Base::Grf(n) if n < 128 => Some((true, n as u8)),
        Base::Grf(_) => None,
        Base::Arf(a) => arf_number(a).map(|n| (false, n)),
        Base::Var(never) => match never {},
    }
}

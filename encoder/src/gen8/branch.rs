//! Flow control.
//!
//! JIP stands in the place of source 1's immediate, UIP in that of source 0's. The other operands are
//! fixed by the opcode ([`Shape`]); most are `null`, and `ip` where the instruction jumps by itself. They are written, not read.
//!
//! Source 0 of `call` is `null`, but its region varies between compilers: an [`Inst`] holds it as second
//! source where it is not the reference assembler's.

use super::{
    Bad, Encoded, Fault,
    codes::{AccessMode, FILE_IMM, OperandForm, TYPE_D},
    control,
    layout::{Basic, Control},
    operand::{self, Slot, kind},
    rules::Rules,
};
use gen_ir::{Class, Dst, Inst, Op, Options, Payload, Physical, Reg, Src, SrcMod, Target, Type};
use narrow::{low_i32, low_u64, to_u8};

/// What stands in the operands of a flow-control instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// JIP and UIP.
    Both,
    /// JIP.
    Jip,
    /// `jmpi`: JIP after this instruction, or a register in source 1.
    Jmpi,
    /// `brd`: JIP, or a register in source 0.
    Brd,
    /// `brc`: JIP and UIP, or a register in source 0.
    Brc,
    /// `call`, `calla`: JIP, or a register in source 1; a destination.
    Call,
    /// `ret`: a register in source 0.
    Ret,
}

fn shape(op: Op) -> Shape {
    match op {
        Op::Jmpi => Shape::Jmpi,
        Op::Brd => Shape::Brd,
        Op::Brc => Shape::Brc,
        Op::Call | Op::Calla => Shape::Call,
        Op::Ret => Shape::Ret,
        Op::Endif | Op::While | Op::Join => Shape::Jip,
        _ => Shape::Both,
    }
}

/// Register number of `ip`.
const IP: u32 = 0xa0;

/// `jmpi` counts from the instruction after it.
const JMPI_BASE: i32 = 16;

/// The fixed operands, with source 0 or 1 left out where a register stands there.
fn fixed(rules: &Rules, op: Op, shape: Shape, register: bool) -> Basic {
    let w = Basic::new().with_dst_horz_stride(1);
    match shape {
        Shape::Both => w.with_src0_reg_file(FILE_IMM).with_src0_data_type(TYPE_D),
        Shape::Jip => w.with_src1_reg_file(FILE_IMM).with_src1_data_type(TYPE_D),
        Shape::Jmpi => {
            let w = w.with_dst_reg_num(to_u8(IP)).with_src0(IP << 5);
            if register { w } else { w.with_src1_reg_file(FILE_IMM).with_src1_data_type(TYPE_D) }
        }
        Shape::Brd | Shape::Brc => {
            let w = w.with_dst_reg_num(to_u8(IP)).with_dst_data_type(TYPE_D);
            if register { w } else { w.with_src0_reg_file(FILE_IMM).with_src0_data_type(TYPE_D) }
        }
        Shape::Call => {
            let w = Basic::new().with_src0(null_region(rules, op));
            if register { w } else { w.with_src1_reg_file(FILE_IMM).with_src1_data_type(TYPE_D) }
        }
        Shape::Ret => w,
    }
}

/// The region of `call`'s null source 0 in assembled code.
fn null_region(rules: &Rules, op: Op) -> u32 {
    if op == Op::Call { rules.call_region } else { rules.calla_region }
}

/// The region within [`Basic::src0`].
const REGION: u32 = 0x1ff << 16;

pub(super) fn decode(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<(), Fault> {
    let c = Control::from_bits(low_u64(word));
    control::decode(rules, c, Class::Branch, inst)?;
    if c.access_mode() {
        return Err(Fault::new("AccessMode", 1u8, "0 of flow control"));
    }
    inst.sat = false;
    let w = Basic::from_bits(word);
    let shape = shape(inst.op);
    let register = match shape {
        Shape::Both | Shape::Jip => false,
        Shape::Jmpi | Shape::Call => w.src1_reg_file() != FILE_IMM,
        Shape::Brd | Shape::Brc => w.src0_reg_file() != FILE_IMM,
        Shape::Ret => true,
    };
    let (mut jip, mut uip) = (Target::None, Target::None);
    if register {
        let slot = if matches!(shape, Shape::Jmpi | Shape::Call) { Slot::Src1 } else { Slot::Src0 };
        inst.src[0] = operand::decode_src(rules, slot, w)?;
    } else {
        let offset = low_i32(word >> 96);
        let base = if shape == Shape::Jmpi { JMPI_BASE } else { 0 };
        let target =
            offset.checked_add(base).ok_or_else(|| Fault::new("JIP", offset.cast_unsigned(), "32 bits"))?;
        jip = Target::Rel(target);
        if matches!(shape, Shape::Both | Shape::Brc) {
            uip = Target::Rel(low_i32(word >> 64));
        }
    }
    if shape == Shape::Call {
        inst.dst = operand::decode_dst(rules, w, OperandForm::Plain)?;
        if w.src0() & REGION != null_region(rules, inst.op) {
            let null = Basic::new().with_src0(w.src0() & REGION);
            inst.src[1] = operand::decode_src(rules, Slot::Src0, null).unwrap_or(Src::None);
        }
    }
    inst.payload = Payload::Branch { jip, uip, ctrl: c.acc_wr_ctrl() };
    Ok(())
}

pub(super) fn encode(rules: &Rules, inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    let Payload::Branch { jip, uip, ctrl } = inst.payload else {
        return Err(Bad::new("payload", "of another family", "branch targets"));
    };
    if inst.sat || inst.opts.has(Options::ALIGN16) {
        return Err(Bad::new("saturation, Align16", "set", "none on flow control"));
    }
    let c = control::encode(rules, inst, Class::Branch, AccessMode::Align1, number)?.with_acc_wr_ctrl(ctrl);
    let shape = shape(inst.op);
    let register = match inst.src[0] {
        Src::None => shape == Shape::Ret,
        _ => true,
    };
    let plain_null = match inst.src[1] {
        Src::None => true,
        Src::Direct { reg, mods: SrcMod::None, ty: Type::Ud, .. } => shape == Shape::Call && reg == Reg::NULL,
        _ => false,
    };
    if matches!(shape, Shape::Both | Shape::Jip) && register || !plain_null || inst.src[2] != Src::None {
        return Err(Bad::new("sources", kind(&inst.src[0]), "no more than the operation has"));
    }
    let mut w = fixed(rules, inst.op, shape, register);
    if shape == Shape::Call {
        w = operand::encode_dst(rules, &inst.dst, w)?;
        if inst.src[1] != Src::None {
            w = operand::encode_src(rules, Slot::Src0, &inst.src[1], w)?;
        }
    } else if !matches!(inst.dst, Dst::None) {
        return Err(Bad::new("dst", "a destination", "none"));
    }
    let mut targets = 0;
    let has_uip = !register && matches!(shape, Shape::Both | Shape::Brc);
    if register {
        let slot = if matches!(shape, Shape::Jmpi | Shape::Call) { Slot::Src1 } else { Slot::Src0 };
        w = operand::encode_src(rules, slot, &inst.src[0], w)?;
        if jip != Target::None {
            return Err(Bad::new("JIP", "a target", "none beside a register"));
        }
    } else {
        let offset = offset(jip, "JIP")?;
        let base = if shape == Shape::Jmpi { JMPI_BASE } else { 0 };
        let offset = offset.checked_sub(base).ok_or_else(|| Bad::new("JIP", i64::from(offset), "32 bits"))?;
        targets |= u128::from(offset.cast_unsigned()) << 96;
    }
    if has_uip {
        targets |= u128::from((offset(uip, "UIP")?).cast_unsigned()) << 64;
    } else if uip != Target::None {
        return Err(Bad::new("UIP", "a target", "none"));
    }
    Ok(u128::from(c.into_bits()) | w.into_bits() | targets)
}

fn offset(target: Target, what: &'static str) -> Encoded<i32, Bad> {
    match target {
        Target::Rel(bytes) => Ok(bytes),
        Target::Block(_) => Err(Bad::new(what, "a block", "a byte offset")),
        Target::None => Err(Bad::new(what, "none", "a byte offset")),
    }
}

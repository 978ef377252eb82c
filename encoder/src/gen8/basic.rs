//! One- and two-source instructions, and `math`.

use super::{
    Bad, Encoded, Fault, align16,
    codes::{AccessMode, FILE_ARF, FILE_GRF, FILE_IMM, OperandForm, TYPE_UD},
    control,
    layout::{Basic, Control},
    operand::{self, Slot, SourceFields},
    rules::Rules,
};
use gen_ir::{Base, Class, Dst, Inst, Op, OpInfo, Options, Payload, Physical, Src, Type};
use narrow::{low_u32, low_u64};

/// How many sources the instruction encodes.
#[inline]
fn sources(rules: &Rules, info: &OpInfo, inst: &Inst<Physical>) -> u8 {
    match inst.payload {
        Payload::Math(function) => function.sources(),
        _ if inst.op == Op::Movi && !rules.movi_two => 1,
        _ => info.srcs,
    }
}

/// Whether source 1 cannot be a register of that file: only `math` reads one of the architecture, and `movi` has null, or an
/// immediate.
#[inline]
fn file_is_barred(class: Class, op: Op, is_arf: bool) -> bool {
    class == Class::Basic && is_arf != (op == Op::Movi)
}

/// Decodes operands into `inst`.
#[inline]
pub(super) fn decode(
    rules: &Rules,
    info: &OpInfo,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<(), Fault> {
    let class = info.class;
    let c = Control::from_bits(low_u64(word));
    control::decode(rules, c, class, inst)?;
    let w = Basic::from_bits(word);
    let is_macro = matches!(inst.payload, Payload::Math(f) if f.is_macro());
    let count = sources(rules, info, inst);
    if c.access_mode() {
        return align16::decode(rules, w, count, OperandForm::of_macro(is_macro), inst);
    }
    if is_macro && rules.align16 {
        return Err(Fault::new("AccessMode", 0u8, "1 (Align16) in a math macro"));
    }
    let dst = operand::decode_dst(rules, w, OperandForm::of_macro(is_macro));
    let last = if count == 2 { Slot::Src1 } else { Slot::Src0 };
    let file = last.get(w).file;
    let imm = file == FILE_IMM && !is_macro;
    if count == 2 && file <= FILE_GRF && file_is_barred(class, inst.op, file == FILE_ARF) {
        return Err(Fault::new("Src1RegFile", file, "1 (GRF; of movi 0, null), 3 (immediate)"));
    }
    for i in 0..count {
        let slot = if i == 0 { Slot::Src0 } else { Slot::Src1 };
        inst.src[usize::from(i)] = if imm && slot == last {
            decode_imm(rules, slot, w)?
        } else if is_macro {
            align16::decode_macro_align1(rules, slot, w)?
        } else {
            operand::decode_src(rules, slot, w)?
        };
    }
    if inst.op == Op::Movi && matches!(inst.src[1], Src::Indirect { .. }) {
        return Err(Fault::new("Src1AddrMode", 1u8, "0, null of movi"));
    }
    inst.dst = match (dst, &inst.src[0]) {
        // It writes the register that it reads, whatever else stands in the place of a destination.
        (dst, &Src::Direct { reg, ty, .. }) if inst.op == Op::Wait => {
            dst.ok().filter(|dst| dst.reg() == Some(reg)).unwrap_or(Dst::Direct { reg, horz: 1, ty })
        }
        (_, _) if inst.op == Op::Wait => {
            return Err(Fault::new("Src0AddrMode", 1u8, "0, a register that wait reads"));
        }
        (dst, _) => dst?,
    };
    if rules.align16 && align16::reaches_far(inst) {
        return Err(Fault::new("AccessMode", 0u8, "1 (Align16) for acc3 to acc9"));
    }
    Ok(())
}

#[inline]
fn decode_imm(rules: &Rules, slot: Slot, w: Basic) -> Result<Src<Physical>, Fault> {
    let code = slot.get(w).ty;
    let ty = rules.imm.types[usize::from(code)]
        .ok_or_else(|| Fault::new(slot.names().ty, code, "an immediate type of the platform"))?;
    let upper = low_u64(w.into_bits() >> 64);
    let high = low_u32(upper >> 32);
    let bits = match ty {
        Type::Uq | Type::Q | Type::Df => {
            if slot == Slot::Src1 {
                return Err(Fault::new(slot.names().ty, code, "an immediate type of 32 bits"));
            }
            return Ok(Src::Imm { bits: upper, ty });
        }
        // Compilers write the 16 bits twice; the lower ones are read.
        Type::Uw | Type::W | Type::Hf => high & 0xffff,
        _ => high,
    };
    Ok(Src::Imm { bits: bits.into(), ty })
}

/// The word of an instruction.
#[inline]
pub(super) fn encode(rules: &Rules, info: &OpInfo, inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    let class = info.class;
    let mut is_macro = false;
    if class == Class::Math {
        is_macro = control::math_function(inst)?.is_macro();
    } else if !matches!(inst.payload, Payload::None) {
        return Err(Bad::new("payload", "of another family", "none"));
    }
    let count = sources(rules, info, inst);
    let align16 =
        rules.align16 && (is_macro || align16::reaches_far(inst)) || inst.opts.has(Options::ALIGN16);
    let c = control::encode(rules, inst, class, AccessMode::of_bit(align16), number)?;
    let operands = if align16 {
        align16::encode(rules, inst, count, OperandForm::of_macro(is_macro))?
    } else {
        encode_operands(rules, inst, count, is_macro)?
    };
    for src in &inst.src[usize::from(count)..] {
        if !matches!(src, Src::None) {
            return Err(Bad::new("sources", operand::kind(src), "no more than the operation has"));
        }
    }
    Ok(u128::from(c.into_bits()) | operands.into_bits())
}

#[inline]
fn encode_operands(rules: &Rules, inst: &Inst<Physical>, count: u8, is_macro: bool) -> Encoded<Basic, Bad> {
    let dst = match (&inst.dst, &inst.src[0]) {
        // `wait` writes the register that it reads.
        (Dst::None, Src::Direct { reg, ty, .. }) if inst.op == Op::Wait => {
            &Dst::Direct { reg: *reg, horz: 1, ty: *ty }
        }
        (dst, _) => dst,
    };
    if matches!(dst, Dst::Macro { .. }) != is_macro {
        return Err(Bad::new("dst", "of another form", "mme registers in math macros, and only there"));
    }
    let mut w = operand::encode_dst(rules, dst, Basic::new())?;
    if inst.op == Op::Wait && (dst.reg().is_none() || dst.reg() != inst.src[0].reg()) {
        return Err(Bad::new("dst", "another register", "the register that wait reads, or none"));
    }
    for i in 0..count {
        let slot = if i == 0 { Slot::Src0 } else { Slot::Src1 };
        let src = &inst.src[usize::from(i)];
        w = match *src {
            Src::Imm { bits, ty } if i + 1 == count && !is_macro => encode_imm(rules, slot, bits, ty, w)?,
            Src::None if inst.op == Op::Movi && i == 1 => {
                slot.set(w, SourceFields::direct(FILE_ARF, TYPE_UD, 0))
            }
            Src::Macro { .. } if is_macro => {
                align16::encode_macro_align1(rules, slot, src, inst.exec.lanes() == 1, w)?
            }
            _ if is_macro => {
                return Err(Bad::new(slot.names().operand, operand::kind(src), "a math macro register"));
            }
            Src::Direct { reg, .. }
                if i == 1
                    && file_is_barred(inst.op.info().class, inst.op, matches!(reg.base(), Base::Arf(_))) =>
            {
                return Err(Bad::new(
                    "src1",
                    "of the other file",
                    "a general register (of movi null), an immediate",
                ));
            }
            Src::Indirect { .. } if i == 1 && inst.op == Op::Movi => {
                return Err(Bad::new("src1", "an indirect operand", "null of movi, an immediate"));
            }
            _ => operand::encode_src(rules, slot, src, w)?,
        };
    }
    Ok(w)
}

#[inline]
fn encode_imm(rules: &Rules, slot: Slot, bits: u64, ty: Type, w: Basic) -> Encoded<Basic, Bad> {
    let names = slot.names();
    let code =
        rules.imm.code(ty).ok_or_else(|| Bad::new(names.ty, ty, "an immediate type of the platform"))?;
    let Src::Imm { bits: fits, .. } = Src::<Physical>::imm(bits, ty) else { unreachable!() };
    if fits != bits {
        return Err(Bad::new("immediate", low_u32(bits >> 32), "zero beyond the bits of its type"));
    }
    let upper = match ty {
        Type::Uq | Type::Q | Type::Df if slot == Slot::Src0 => bits,
        Type::Uq | Type::Q | Type::Df => {
            return Err(Bad::new(names.ty, ty, "an immediate type of 32 bits"));
        }
        Type::Uw | Type::W | Type::Hf => (bits << 16 | bits) << 32,
        _ => bits << 32,
    };
    let w = slot.set(w, SourceFields::direct(FILE_IMM, code, 0));
    Ok(Basic::from_bits(w.into_bits() | u128::from(upper) << 64))
}

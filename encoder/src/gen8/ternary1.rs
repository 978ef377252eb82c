//! Three-source instructions in Align1 form (Gen11).

use super::{
    Bad, Encoded, Fault,
    codes::{self, AccessMode, OperandForm, RegFile},
    control,
    layout::{Control, Ternary1, Ternary1Src, Ternary1Src2},
    operand::{decode_mme, encode_mme, kind},
    rules::Rules,
};
use gen_ir::{Base, Dst, Inst, Op, Payload, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::{low_u8, low_u32, low_u64, to_u8};

/// Types of the codes with an integer and with a float execution type.
const INT: [Type; 6] = [Type::Ud, Type::D, Type::Uw, Type::W, Type::Ub, Type::B];
const FLOAT: [Type; 4] = [Type::Hf, Type::F, Type::Df, Type::Nf];

/// Region codes of a math macro's source: `<4;1>`.
const MACRO_VERT: u8 = 2;
const MACRO_HORZ: u8 = 1;

const SRC: [&str; 3] = ["src0", "src1", "src2"];

/// What all operands are ("ExecType").
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExecType {
    Int,
    Float,
}

impl ExecType {
    const fn of_bit(float: bool) -> ExecType {
        if float { ExecType::Float } else { ExecType::Int }
    }
}

fn ty(exec_type: ExecType, code: u8, field: &'static str) -> Result<Type, Fault> {
    let table: &[Type] = match exec_type {
        ExecType::Int => &INT,
        ExecType::Float => &FLOAT,
    };
    table.get(usize::from(code)).copied().ok_or_else(|| Fault::new(field, code, "0 to 5, floats 0 to 3"))
}

fn code(exec_type: ExecType, ty: Type, field: &'static str) -> Encoded<u8, Bad> {
    let table: &[Type] = match exec_type {
        ExecType::Int => &INT,
        ExecType::Float => &FLOAT,
    };
    match table.iter().position(|&t| t == ty) {
        Some(code) => Ok(to_u8(code)),
        None => Err(Bad::new(field, ty, "integers of up to 32 bits, or :hf, :f, :df, :nf")),
    }
}

fn register(file: RegFile, number: u8, byte: u8, field: &'static str) -> Result<Reg<Physical>, Fault> {
    codes::register(file, number, byte)
        .ok_or_else(|| Fault::new(field, number, "r0 to r127 or an architecture register"))
}

#[inline]
pub(super) fn decode(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<(), Fault> {
    let c = Control::from_bits(low_u64(word));
    control::decode(rules, c, inst.op.info().class, inst)?;
    if c.access_mode() {
        return Err(Fault::new("AccessMode", 1u8, "0 (Align1)"));
    }
    let w = Ternary1::from_bits(word);
    let exec_type = ExecType::of_bit(w.exec_type());
    let form = OperandForm::of_macro(inst.op == Op::Madm);
    let dst_ty = ty(exec_type, w.dst_data_type(), "DstDataType")?;
    let sub = w.dst_sub_reg_num();
    inst.dst = if form == OperandForm::Macro {
        if w.dst_horz_stride() {
            return Err(Fault::new("DstHorzStride", 1u8, "0 of a math macro"));
        }
        let reg = register(RegFile::general_if(!w.dst_reg_file()), w.dst_reg_num(), 0, "DstRegNum")?;
        Dst::Macro { reg, mme: decode_mme(sub, "DstMathMacroExt")?, ty: dst_ty }
    } else {
        // It counts pairs of bytes, of which the lower bits are not read.
        let reg =
            register(RegFile::general_if(!w.dst_reg_file()), w.dst_reg_num(), (sub & !3) * 2, "DstRegNum")?;
        Dst::Direct { reg, horz: if w.dst_horz_stride() { 2 } else { 1 }, ty: dst_ty }
    };
    let mods = [
        SrcMod::new(w.src0_abs(), w.src0_negate()),
        SrcMod::new(w.src1_abs(), w.src1_negate()),
        SrcMod::new(w.src2_abs(), w.src2_negate()),
    ];
    // Source 0 reads the accumulator where its type is `:nf`, else bit 43 means an immediate.
    let src0_nf = exec_type == ExecType::Float && w.src0() & 7 == 3;
    inst.src[0] = if w.src0_reg_file() && !src0_nf {
        decode_imm(w.src0(), exec_type)?
    } else {
        decode_src(w.src0(), exec_type, RegFile::general_if(!w.src0_reg_file()), mods[0], form)?
    };
    inst.src[1] = decode_src(w.src1(), exec_type, RegFile::general_if(!w.src1_reg_file()), mods[1], form)?;
    inst.src[2] = if w.src2_reg_file() {
        decode_imm(w.src2(), exec_type)?
    } else {
        decode_src2(w.src2(), exec_type, mods[2], form)?
    };
    Ok(())
}

/// A 16-bit immediate above a 3-bit type. It has no modifiers.
fn decode_imm(bits: u32, exec_type: ExecType) -> Result<Src<Physical>, Fault> {
    let ty = ty(exec_type, low_u8(bits) & 7, "SrcDataType")?;
    if !matches!(ty, Type::Uw | Type::W | Type::Hf) {
        return Err(Fault::new("SrcDataType", low_u8(bits) & 7, "a 16-bit type of an immediate"));
    }
    Ok(Src::Imm { bits: u64::from(bits >> 3 & 0xffff), ty })
}

fn decode_src(
    bits: u32,
    exec_type: ExecType,
    file: RegFile,
    mods: SrcMod,
    form: OperandForm,
) -> Result<Src<Physical>, Fault> {
    let s = Ternary1Src::from_bits(bits);
    let ty = ty(exec_type, s.data_type(), "SrcDataType")?;
    if form == OperandForm::Macro {
        if (s.vert_stride(), s.horz_stride(), s.sub_reg_num() & 1) != (MACRO_VERT, MACRO_HORZ, 0) {
            return Err(Fault::new("Src region", s.vert_stride(), "<4;1> in a math macro"));
        }
        let reg = register(file, s.reg_num(), 0, "SrcRegNum")?;
        return Ok(Src::Macro { reg, mme: decode_mme(s.sub_reg_num() >> 1, "MathMacroExt")?, mods, ty });
    }
    let reg = register(file, s.reg_num(), s.sub_reg_num(), "SrcRegNum")?;
    let region = Region::ternary(codes::ternary_vert(s.vert_stride()), codes::horz(s.horz_stride()));
    Ok(Src::Direct { reg, region, mods, ty })
}

fn decode_src2(
    bits: u32,
    exec_type: ExecType,
    mods: SrcMod,
    form: OperandForm,
) -> Result<Src<Physical>, Fault> {
    let s = Ternary1Src2::from_bits(bits);
    let ty = ty(exec_type, s.data_type(), "Src2DataType")?;
    if form == OperandForm::Macro {
        if (s.horz_stride(), s.sub_reg_num() & 1) != (MACRO_HORZ, 0) {
            return Err(Fault::new("Src2 region", s.horz_stride(), "<1> in a math macro"));
        }
        let reg = register(RegFile::Grf, s.reg_num(), 0, "Src2RegNum")?;
        return Ok(Src::Macro { reg, mme: decode_mme(s.sub_reg_num() >> 1, "MathMacroExt")?, mods, ty });
    }
    let reg = register(RegFile::Grf, s.reg_num(), s.sub_reg_num(), "Src2RegNum")?;
    Ok(Src::Direct { reg, region: Region::ternary_last(codes::horz(s.horz_stride())), mods, ty })
}

#[inline]
pub(super) fn encode(rules: &Rules, inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    if !matches!(inst.payload, Payload::None) {
        return Err(Bad::new("payload", "of another family", "none"));
    }
    let c = control::encode(rules, inst, inst.op.info().class, AccessMode::Align1, number)?;
    let form = OperandForm::of_macro(inst.op == Op::Madm);
    let exec_type = ExecType::of_bit(inst.src[0].ty().is_some_and(Type::is_float));
    let mut w = Ternary1::new().with_exec_type(exec_type == ExecType::Float);
    match inst.dst {
        Dst::Macro { reg, mme, ty } if form == OperandForm::Macro => {
            let (file, number, _) = number_of(reg, "dst", OperandForm::Macro)?;
            w = w
                .with_dst_reg_file(file == RegFile::Arf)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num(encode_mme(mme)?)
                .with_dst_data_type(code(exec_type, ty, "dst type")?);
        }
        Dst::Direct { reg, horz: horz @ 1..=2, ty } if form == OperandForm::Plain => {
            let (file, number, sub) = number_of(reg, "dst", OperandForm::Plain)?;
            if !sub.is_multiple_of(8) {
                return Err(Bad::new("dst", reg.byte, "a multiple of 8 bytes with three sources"));
            }
            w = w
                .with_dst_reg_file(file == RegFile::Arf)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num(sub / 2)
                .with_dst_horz_stride(horz == 2)
                .with_dst_data_type(code(exec_type, ty, "dst type")?);
        }
        _ => return Err(Bad::new("dst", "of another form", "a direct register, stride 1 or 2")),
    }
    for (i, src) in inst.src.iter().enumerate() {
        let (bits, file) = encode_src(i, src, exec_type, form)?;
        let mods = src.mods();
        w = match i {
            0 => w
                .with_src0(bits)
                .with_src0_reg_file(file)
                .with_src0_abs(mods.abs())
                .with_src0_negate(mods.neg()),
            1 => w
                .with_src1(bits)
                .with_src1_reg_file(file)
                .with_src1_abs(mods.abs())
                .with_src1_negate(mods.neg()),
            _ => w
                .with_src2(bits)
                .with_src2_reg_file(file)
                .with_src2_abs(mods.abs())
                .with_src2_negate(mods.neg()),
        };
    }
    Ok(u128::from(c.into_bits()) | w.into_bits())
}

/// File, number and subregister of a register.
fn number_of(reg: Reg<Physical>, what: &'static str, form: OperandForm) -> Encoded<(RegFile, u8, u8), Bad> {
    let allowed = "r0 to r127 or an architecture register, byte 0 to 31 (math macros: 0)";
    let (file, number) =
        codes::register_number(reg).ok_or_else(|| Bad::new(what, "another register", allowed))?;
    if reg.byte >= if form == OperandForm::Macro { 1 } else { 32 } {
        return Err(Bad::new(what, reg.byte, allowed));
    }
    Ok((file, number, to_u8(reg.byte)))
}

/// The bits of a source and its file bit.
fn encode_src(
    i: usize,
    src: &Src<Physical>,
    exec_type: ExecType,
    form: OperandForm,
) -> Encoded<(u32, bool), Bad> {
    let what = SRC[i];
    let (reg, ty, vert, horz, sub) = match *src {
        Src::Imm { bits, ty } => {
            if i == 1 || !matches!(ty, Type::Uw | Type::W | Type::Hf) || bits >> 16 != 0 {
                return Err(Bad::new(
                    what,
                    "an immediate",
                    "a register, in src0 and src2 a 16-bit immediate",
                ));
            }
            return Ok((low_u32(bits) << 3 | u32::from(code(exec_type, ty, what)?), true));
        }
        Src::Macro { reg, mme, ty, .. } if form == OperandForm::Macro => {
            (reg, ty, MACRO_VERT, MACRO_HORZ, Some(encode_mme(mme)? << 1))
        }
        Src::Direct { reg, region, ty, .. } if form == OperandForm::Plain => {
            let allowed = "<V;H> with V 0, 2, 4, 8 and H 0, 1, 2, 4; <H> in src2";
            let region = strides(region, i);
            let codes = region.and_then(|(v, h)| Some((codes::ternary_vert_code(v)?, codes::horz_code(h)?)));
            let (vert, horz) = codes.ok_or_else(|| Bad::new(what, "another region", allowed))?;
            (reg, ty, vert, horz, None)
        }
        _ => return Err(Bad::new(what, kind(src), "a direct register, in madm with a macro register")),
    };
    let (file, number, byte) = number_of(reg, what, form)?;
    let sub = sub.unwrap_or(byte);
    let arf_allowed = match i {
        0 => exec_type == ExecType::Float && ty == Type::Nf,
        1 => true,
        _ => false,
    };
    if file == RegFile::Arf && !arf_allowed || i == 2 && !matches!(reg.base(), Base::Grf(_)) {
        return Err(Bad::new(what, "an architecture register", "one in src1, or of type :nf in src0"));
    }
    let ty = code(exec_type, ty, what)?;
    let bits = if i == 2 {
        Ternary1Src2::new()
            .with_data_type(ty)
            .with_horz_stride(horz)
            .with_sub_reg_num(sub)
            .with_reg_num(number)
            .into_bits()
    } else {
        Ternary1Src::new()
            .with_data_type(ty)
            .with_vert_stride(vert)
            .with_horz_stride(horz)
            .with_sub_reg_num(sub)
            .with_reg_num(number)
            .into_bits()
    };
    Ok((bits, file == RegFile::Arf))
}

/// Vertical and horizontal stride of a ternary source (source 2: vertical 0, not encoded). A basic
/// region with an equal ternary one is taken for it.
fn strides(region: Region, i: usize) -> Option<(u8, u8)> {
    const A: u8 = Region::ABSENT;
    let (v, h) = match (region.vert, region.width, region.horz) {
        (A, A, h) => return (i == 2).then_some((0, h)),
        (v, A, h) => (v, h),
        (0, 1, 0) => (0, 0),
        (1, 1, 0) => (2, 1),
        (v, w, h) if h != 0 && u32::from(v) == u32::from(w) * u32::from(h) => (v, h),
        _ => return None,
    };
    if i == 2 {
        // One stride must say it all: `<V;H>` with V = 0 reads one element.
        return if v == 0 && h == 0 { Some((0, 0)) } else { (h != 0).then_some((0, h)) };
    }
    Some((v, h))
}

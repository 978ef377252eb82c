//! Three-source instructions in Align16 form (Gen8, Gen9), shown as the Align1 code they stand for.
//!
//! Sources are packed (`.xyzw`, written `<2;1>`, the last one `<1>`) or one element for all channels
//! (`RepCtrl`, written `<0;0>` and `<0>`). Doubles have no `RepCtrl`: `.xyxy` or `.zwzw` selects one of the two
//! in each 16 bytes. That is one element for all of up to two channels, and [`Region::PAIRS`] for more.
//! An execution size of 1 does not exist; one channel of four (doubles: two of two halves) stands for it.

use super::{
    Bad, Encoded, Fault,
    codes::{AccessMode, OperandForm},
    control,
    layout::{Control, Ternary16, Ternary16Src},
    operand::{decode_mme, encode_mme, kind},
    rules::Rules,
};
use gen_ir::{Base, Dst, ExecSize, GrfNum, Inst, Op, Payload, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::{low_u64, to_u8};

/// Type of each code of `SrcDataType` and `DstDataType`.
const TYPES: [Type; 5] = [Type::F, Type::D, Type::Ud, Type::Df, Type::Hf];

const CHAN_EN_ALL: u8 = 0xf;
const CHAN_SEL_XYZW: u8 = 0xe4;
const CHAN_SEL_XYXY: u8 = 0x44;
const CHAN_SEL_ZWZW: u8 = 0xee;

const PACKED: [Region; 3] = [Region::ternary(2, 1), Region::ternary(2, 1), Region::ternary_last(1)];
const SCALAR: [Region; 3] = [Region::ternary(0, 0), Region::ternary(0, 0), Region::ternary_last(0)];

const SRC: [&str; 3] = ["src0", "src1", "src2"];

fn ty(code: u8, field: &'static str) -> Result<Type, Fault> {
    TYPES.get(usize::from(code)).copied().ok_or_else(|| Fault::new(field, code, "0 to 4"))
}

fn code(ty: Type, field: &'static str) -> Encoded<u8, Bad> {
    match TYPES.iter().position(|&t| t == ty) {
        Some(code) => Ok(to_u8(code)),
        None => Err(Bad::new(field, ty, ":f, :d, :ud, :df, :hf")),
    }
}

#[inline]
pub(super) fn decode(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<(), Fault> {
    let c = Control::from_bits(low_u64(word));
    control::decode(rules, c, inst.op.info().class, inst)?;
    if !c.access_mode() {
        return Err(Fault::new("AccessMode", 0u8, "1 (Align16) with three sources"));
    }
    let w = Ternary16::from_bits(word);
    let dst_ty = ty(w.dst_data_type(), "DstDataType")?;
    let src_ty = ty(w.src_data_type(), "SrcDataType")?;
    let mut types = [src_ty; 3];
    if rules.mixed_half && matches!(src_ty, Type::F | Type::Hf) {
        types[1] = if w.src1_type() { Type::Hf } else { Type::F };
        types[2] = if w.src2_type() { Type::Hf } else { Type::F };
    }
    let form = OperandForm::of_macro(inst.op == Op::Madm);
    if inst.exec == ExecSize::S1 {
        return Err(Fault::new("ExecSize", 0u8, "1 to 5 in Align16 mode"));
    }
    let byte = w.dst_sub_reg_num() * 4;
    let reg = grf(w.dst_reg_num(), byte, "DstRegNum")?;
    inst.dst = if form == OperandForm::Macro {
        Dst::Macro { reg: reg.at(0), mme: decode_mme(w.dst_chan_en(), "DstChanEn")?, ty: dst_ty }
    } else {
        let reg = reg.plus(lone_channel(w.dst_chan_en(), dst_ty, byte, inst)?);
        Dst::Direct { reg, horz: 1, ty: dst_ty }
    };
    let mods = [
        SrcMod::new(w.src0_abs(), w.src0_negate()),
        SrcMod::new(w.src1_abs(), w.src1_negate()),
        SrcMod::new(w.src2_abs(), w.src2_negate()),
    ];
    // Packed sources beside a lone channel are read at that channel; only the first reads as written.
    let packed = form == OperandForm::Macro || inst.exec != ExecSize::S1 || matches!(w.dst_chan_en(), 1 | 3);
    for (i, bits) in [w.src0(), w.src1(), w.src2()].into_iter().enumerate() {
        let mut bits = Ternary16Src::from_bits(bits);
        bits.set_sub_reg_num_1(bits.sub_reg_num_1() && rules.mixed_half);
        inst.src[i] = decode_src(i, bits, inst.exec, form, mods[i], types[i])?;
        if !packed && !matches!(inst.src[i], Src::Direct { region, .. } if region.is_scalar()) {
            return Err(Fault::new("SrcRepCtrl", 0u8, "1 beside a lone channel other than x"));
        }
    }
    Ok(())
}

fn grf(number: u8, byte: u8, field: &'static str) -> Result<Reg<Physical>, Fault> {
    if number < 128 {
        Ok(Reg::grf(GrfNum::from(number), byte.into()))
    } else {
        Err(Fault::new(field, number, "0 to 127"))
    }
}

/// Turns a lone enabled channel into execution size 1, and gives its byte offset.
fn lone_channel(chan_en: u8, ty: Type, byte: u8, inst: &mut Inst<Physical>) -> Result<u32, Fault> {
    if chan_en == CHAN_EN_ALL {
        return Ok(0);
    }
    // The channel must be where its own element stands, or the instruction has no Align1 equal.
    let offset = match (inst.exec, ty, chan_en) {
        (ExecSize::S2, Type::Df, 0x3) if byte.is_multiple_of(16) => 0,
        (ExecSize::S2, Type::Df, 0xc) if byte.is_multiple_of(16) => 8,
        (ExecSize::S4, _, 1 | 2 | 4 | 8) if ty != Type::Df && u32::from(byte) % (ty.bytes() * 4) == 0 => {
            chan_en.trailing_zeros() * ty.bytes()
        }
        _ => return Err(Fault::new("DstChanEn", chan_en, "all, or one of four (:df: half of two)")),
    };
    inst.exec = ExecSize::S1;
    Ok(offset)
}

fn decode_src(
    i: usize,
    s: Ternary16Src,
    exec: ExecSize,
    form: OperandForm,
    mods: SrcMod,
    ty: Type,
) -> Result<Src<Physical>, Fault> {
    let byte = s.sub_reg_num() * 4 + u8::from(s.sub_reg_num_1()) * 2;
    let mut reg = grf(s.reg_num(), byte, "SrcRegNum")?;
    if form == OperandForm::Macro {
        // The extra register stands in the lower half of the channel selection; nothing else is read.
        let mme = decode_mme(s.chan_sel() & 15, "SrcChanSel")?;
        return Ok(Src::Macro { reg: reg.at(0), mme, mods, ty });
    }
    let one_of_two = if exec.lanes() > 2 { Region::PAIRS } else { SCALAR[i] };
    let region = match (s.rep_ctrl(), s.chan_sel()) {
        (false, CHAN_SEL_XYZW) => PACKED[i],
        (true, _) if ty != Type::Df => SCALAR[i],
        (false, CHAN_SEL_XYXY) if ty == Type::Df && byte.is_multiple_of(16) => one_of_two,
        (false, CHAN_SEL_ZWZW) if ty == Type::Df && byte.is_multiple_of(16) => {
            reg.byte += 8;
            one_of_two
        }
        (_, sel) => return Err(Fault::new("SrcRepCtrl, SrcChanSel", sel, "packed, or one element")),
    };
    Ok(Src::Direct { reg, region, mods, ty })
}

/// `ChanSel` beside `RepCtrl`, which does not read it.
const CHAN_SEL_REP: u8 = CHAN_SEL_XYZW;

#[inline]
pub(super) fn encode(rules: &Rules, inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    if !matches!(inst.payload, Payload::None) {
        return Err(Bad::new("payload", "of another family", "none"));
    }
    let form = OperandForm::of_macro(inst.op == Op::Madm);
    let mut c = control::encode(rules, inst, inst.op.info().class, AccessMode::Align16, number)?;
    let (mut w, one) = encode_dst(inst, form, &mut c)?;
    let src_ty = inst.src[0].ty().ok_or_else(|| Bad::new("src0", "none", "a general register"))?;
    w.set_src_data_type(code(src_ty, "src0 type")?);
    let float = |ty| matches!(ty, Type::F | Type::Hf);
    for (i, src) in inst.src.iter().enumerate() {
        let ty = src.ty().ok_or_else(|| Bad::new(SRC[i], "none", "a general register"))?;
        let mixed = rules.mixed_half && float(ty) && float(src_ty);
        if ty != src_ty && !mixed {
            return Err(Bad::new("src1, src2 type", ty, "src0's type (:f and :hf may mix on Gen9)"));
        }
        let bits = encode_src(i, src, inst.exec, form, one)?;
        if bits.sub_reg_num_1() && !rules.mixed_half {
            return Err(Bad::new(SRC[i], "an odd half float", "a multiple of 4 bytes"));
        }
        let s = bits.into_bits();
        let mods = src.mods();
        let half = mixed && ty == Type::Hf;
        w = match i {
            0 => w.with_src0(s).with_src0_abs(mods.abs()).with_src0_negate(mods.neg()),
            1 => w.with_src1(s).with_src1_abs(mods.abs()).with_src1_negate(mods.neg()).with_src1_type(half),
            _ => w.with_src2(s).with_src2_abs(mods.abs()).with_src2_negate(mods.neg()).with_src2_type(half),
        };
    }
    Ok(u128::from(c.into_bits()) | w.into_bits())
}

/// The destination, and whether sources must be one element: a lone channel other than x reads packed ones elsewhere. Such a
/// channel has an execution size of its own.
#[inline]
fn encode_dst(inst: &Inst<Physical>, form: OperandForm, c: &mut Control) -> Encoded<(Ternary16, bool), Bad> {
    let mut w = Ternary16::new();
    let mut one = false;
    match inst.dst {
        Dst::Macro { .. } if inst.exec == ExecSize::S1 => {
            return Err(Bad::new("execution size", 1u32, "2 to 32 in Align16 mode"));
        }
        Dst::Macro { reg, mme, ty } if form == OperandForm::Macro => {
            w = w
                .with_dst_reg_num(grf_number(reg, "dst")?)
                .with_dst_chan_en(encode_mme(mme)?)
                .with_dst_data_type(code(ty, "dst type")?);
            if reg.byte != 0 {
                return Err(Bad::new("dst", reg.byte, "byte 0 of a math macro"));
            }
        }
        Dst::Direct { reg, horz: 1, ty } if form == OperandForm::Plain => {
            w = w.with_dst_reg_num(grf_number(reg, "dst")?).with_dst_data_type(code(ty, "dst type")?);
            let (mut byte, mut chan_en) = (reg.byte, CHAN_EN_ALL);
            if inst.exec == ExecSize::S1 {
                let size = ty.bytes();
                let per_16 = if ty == Type::Df { 2 } else { 4 };
                let lane = byte / size % per_16;
                byte -= lane * size;
                one = lane != 0;
                chan_en = if ty == Type::Df { 3 << (lane * 2) } else { 1 << lane };
                let size = if ty == Type::Df { ExecSize::S2 } else { ExecSize::S4 };
                c.set_exec_size(size.number());
            }
            if byte % 4 != 0 || byte >= 32 {
                return Err(Bad::new("dst", reg.byte, "a multiple of 4 below 32 bytes"));
            }
            w = w.with_dst_chan_en(chan_en).with_dst_sub_reg_num(to_u8(byte) / 4);
        }
        _ => return Err(Bad::new("dst", "of another form", "a general register, stride 1")),
    }
    Ok((w, one))
}

fn grf_number(reg: Reg<Physical>, what: &'static str) -> Encoded<u8, Bad> {
    match reg.base() {
        Base::Grf(n) if n.number() < 128 => Ok(to_u8(n.number())),
        _ => Err(Bad::new(what, "another register", "r0 to r127")),
    }
}

fn encode_src(
    i: usize,
    src: &Src<Physical>,
    exec: ExecSize,
    form: OperandForm,
    one: bool,
) -> Encoded<Ternary16Src, Bad> {
    match *src {
        Src::Macro { reg, mme, .. } if form == OperandForm::Macro => {
            if reg.byte != 0 {
                return Err(Bad::new(SRC[i], reg.byte, "byte 0 of a math macro"));
            }
            Ok(Ternary16Src::new().with_reg_num(grf_number(reg, SRC[i])?).with_chan_sel(encode_mme(mme)?))
        }
        Src::Direct { reg, region, ty, .. } if form == OperandForm::Plain => {
            let mut byte = reg.byte;
            let mut s = Ternary16Src::new().with_reg_num(grf_number(reg, SRC[i])?);
            let odd_even = region == Region::PAIRS;
            if region.is_scalar() || one || odd_even {
                if ty == Type::Df {
                    if (exec.lanes() > 2) != odd_even {
                        return Err(Bad::new(SRC[i], "one :df for all", "at most two channels of one :df"));
                    }
                    let odd = byte % 16 == 8;
                    byte -= if odd { 8 } else { 0 };
                    s.set_chan_sel(if odd { CHAN_SEL_ZWZW } else { CHAN_SEL_XYXY });
                } else if odd_even {
                    return Err(Bad::new(SRC[i], "another region", "packed, or one element"));
                } else {
                    s = s.with_rep_ctrl(true).with_chan_sel(CHAN_SEL_REP);
                }
            } else if is_packed(region) {
                s.set_chan_sel(CHAN_SEL_XYZW);
            } else {
                return Err(Bad::new(SRC[i], "another region", "packed, or one element"));
            }
            if byte % 2 != 0 || byte >= 32 {
                return Err(Bad::new(SRC[i], reg.byte, "a multiple of 2 below 32 bytes"));
            }
            Ok(s.with_sub_reg_num(to_u8(byte) >> 2).with_sub_reg_num_1(byte & 2 != 0))
        }
        _ => Err(Bad::new(SRC[i], kind(src), "a general register, in madm with a macro register")),
    }
}

/// Consecutive elements, in any way of writing it.
fn is_packed(region: Region) -> bool {
    match (region.vert, region.width, region.horz) {
        (Region::ABSENT, Region::ABSENT, 1) | (1, 1, 0) => true,
        (2 | 4 | 8, Region::ABSENT, 1) => true,
        (v, w, 1) => v == w,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platforms::Platform;

    fn mad(exec: ExecSize, src0: Src<Physical>) -> Inst<Physical> {
        let mut inst = Inst::new(Op::Mad, exec);
        inst.opts = gen_ir::Options::ALIGN16;
        inst.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Df);
        let packed = |n, region| Src::new(Reg::grf(GrfNum::new(n), 0), region, Type::Df);
        inst.src = [src0, packed(20, PACKED[1]), packed(30, PACKED[2])];
        inst
    }

    fn one(byte: u32, region: Region) -> Src<Physical> {
        Src::new(Reg::grf(GrfNum::new(46), byte), region, Type::Df)
    }

    /// `.xyxy` and `.zwzw` select within each 16 bytes, whatever the execution size.
    #[test]
    fn a_swizzle_of_doubles_is_no_scalar() {
        for byte in [0, 8] {
            let swizzled = mad(ExecSize::S8, one(byte, Region::PAIRS));
            let word = crate::encode(Platform::Skl, &swizzled).expect("a swizzle");
            let back = crate::decode(Platform::Skl, word).expect("a word");
            assert_eq!(back.src[0], swizzled.src[0]);
            assert!(crate::encode(Platform::Skl, &mad(ExecSize::S8, one(byte, SCALAR[0]))).is_err());
            let lone = mad(ExecSize::S1, one(byte, SCALAR[0]));
            let word = crate::encode(Platform::Skl, &lone).expect("one channel");
            assert_eq!(crate::decode(Platform::Skl, word).expect("a word").src[0], lone.src[0]);
        }
    }
}

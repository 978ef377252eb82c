//! Align16 operands of the basic format, and the operands of math macros.
//!
//! Only what has a meaning without swizzles is supported: packed operands (all channels, in order),
//! math macros, and the accumulators beyond `acc2`, which context save and restore code reaches by
//! Align16 `mov` on Gen8 and Gen9 (the register's number stands in `ChanEn` or `ChanSel`).

use super::{
    Bad, Encoded, Fault,
    codes::{self, FILE_ARF, FILE_GRF, OperandForm, RegFile},
    layout::{Basic, Control, SrcAlign16, SrcDirect},
    operand::{self, RegisterSource, Slot, SourceFields},
    rules::Rules,
};
use gen_ir::{Arf, Base, Dst, ExecSize, Inst, Options, Physical, Reg, Region, Src, SrcMod, Type};
use narrow::low_u64;

/// All channels enabled.
const CHAN_EN_ALL: u8 = 0xf;
/// `.xyzw`, as its lower and upper half.
const CHAN_SEL_PACKED: (u8, u8) = (0x4, 0xe);
/// Code of vertical stride 4, of a packed operand and of a math macro.
const VERT_4: u8 = 3;
/// Code of vertical stride 2, of a math macro on doubles.
const VERT_2: u8 = 2;
/// The region of a math macro in Align1 mode, in codes: `<2;2,1>`, or `<0;1,0>` for a single channel.
const fn macro_region(scalar: bool) -> (u8, u8, u8) {
    if scalar { (0, 0, 0) } else { (2, 1, 1) }
}

/// `acc2`, which stands for `acc2` to `acc9`.
const ACC2: u8 = 0x22;

/// `acc3` to `acc9`.
#[inline]
fn far_acc(reg: Reg<Physical>) -> Option<u8> {
    match reg.base() {
        Base::Arf(Arf::Acc(n @ 3..=9)) => Some(n - 2),
        _ => None,
    }
}

/// Whether an operand is an accumulator that only Align16 code reaches, on platforms that have it.
#[inline]
pub(super) fn reaches_far(inst: &Inst<Physical>) -> bool {
    inst.dst.reg().and_then(far_acc).is_some() || inst.src[0].reg().and_then(far_acc).is_some()
}

/// `ChanSel` of a source in `acc3` to `acc9`: `.yx`, `.zx`, `.wx`, `.xy`, `.yy`, `.zy`, `.wy`, the
/// second letter three times.
fn far_acc_sel(n: u8) -> (u8, u8) {
    (n, if n >> 2 == 0 { 0 } else { 5 })
}

pub(super) fn decode(
    rules: &Rules,
    w: Basic,
    count: u8,
    form: OperandForm,
    inst: &mut Inst<Physical>,
) -> Result<(), Fault> {
    if form == OperandForm::Plain {
        inst.opts = inst.opts.with(Options::ALIGN16);
    }
    inst.dst = decode_dst(rules, w, form)?;
    inst.src[0] = decode_src(rules, Slot::Src0, w, form)?;
    if count == 2 {
        inst.src[1] = decode_src(rules, Slot::Src1, w, form)?;
    }
    Ok(())
}

fn decode_dst(rules: &Rules, w: Basic, form: OperandForm) -> Result<Dst<Physical>, Fault> {
    let code = w.dst_data_type();
    let ty = rules.reg.types[usize::from(code)]
        .ok_or_else(|| Fault::new("DstDataType", code, "a register type of the platform"))?;
    let file = w.dst_reg_file();
    if file > FILE_GRF {
        return Err(Fault::new("DstRegFile", file, "0 (ARF), 1 (GRF)"));
    }
    // The stride is not read: other compilers write 1, as the manual says, Intel's code has none.
    if w.dst_addr_mode() {
        return Err(Fault::new("DstAddrMode", 1u8, "0 in Align16 mode"));
    }
    let (chan_en, high) = (w.dst_sub_reg_num() & 15, w.dst_sub_reg_num() >> 4);
    let reg = codes::register(RegFile::general_if(file == FILE_GRF), w.dst_reg_num(), high << 4)
        .ok_or_else(|| Fault::new("DstRegNum", w.dst_reg_num(), "r0 to r127 or an architecture register"))?;
    if form == OperandForm::Macro {
        let reg = reg.at(0);
        return Ok(Dst::Macro { reg, mme: operand::decode_mme(chan_en, "DstChanEn")?, ty });
    }
    if file == FILE_ARF && w.dst_reg_num() == ACC2 {
        let n = if chan_en == CHAN_EN_ALL { 7 } else { chan_en };
        if high != 0 || n == 0 || n > 7 || chan_en == 7 {
            return Err(Fault::new("DstChanEn", chan_en, "1 to 6, 15 of acc2"));
        }
        return Ok(Dst::Direct { reg: Reg::arf(Arf::Acc(n + 2), 0), horz: 1, ty });
    }
    if chan_en != CHAN_EN_ALL {
        return Err(Fault::new("DstChanEn", chan_en, "15 (all channels)"));
    }
    if far_acc(reg).is_some() {
        return Err(Fault::new("DstRegNum", w.dst_reg_num(), "acc2 for acc3 to acc9 in Align16 mode"));
    }
    Ok(Dst::Direct { reg, horz: 1, ty })
}

fn decode_src(rules: &Rules, slot: Slot, w: Basic, form: OperandForm) -> Result<Src<Physical>, Fault> {
    let names = slot.names();
    let RegisterSource { file, ty, bits, .. } =
        RegisterSource::get(rules, slot, w, "0 (ARF), 1 (GRF) in Align16 mode")?;
    let s = SrcAlign16::from_bits(bits);
    if s.addr_mode() {
        return Err(Fault::new("SrcAddrMode", 1u8, "0 in Align16 mode"));
    }
    let mods = SrcMod::new(s.abs(), s.negate());
    let reg =
        codes::register(RegFile::general_if(file == FILE_GRF), s.reg_num(), u8::from(s.sub_reg_num_4()) << 4)
            .ok_or_else(|| Fault::new(names.reg, s.reg_num(), "r0 to r127 or an architecture register"))?;
    let vert = if form == OperandForm::Macro && ty == Type::Df { VERT_2 } else { VERT_4 };
    if s.vert_stride() != vert {
        return Err(Fault::new(names.region, s.vert_stride(), "vertical stride 4 (math macros on :df: 2)"));
    }
    let sel = (s.chan_sel_xy(), s.chan_sel_zw());
    if form == OperandForm::Macro {
        let reg = reg.at(0);
        return Ok(Src::Macro { reg, mme: operand::decode_mme(sel.0, "SrcChanSel")?, mods, ty });
    }
    if file == FILE_ARF && s.reg_num() == ACC2 {
        if !(1..8).contains(&sel.0) || sel.1 != far_acc_sel(sel.0).1 || s.sub_reg_num_4() {
            return Err(Fault::new("SrcChanSel", sel.0, "1 to 7 of acc2"));
        }
        let reg = Reg::arf(Arf::Acc(sel.0 + 2), 0);
        return Ok(Src::Direct { reg, region: Region::PACKED, mods, ty });
    }
    if sel != CHAN_SEL_PACKED {
        return Err(Fault::new("SrcChanSel", sel.1 << 4 | sel.0, "0xe4 (.xyzw)"));
    }
    if far_acc(reg).is_some() {
        return Err(Fault::new(names.reg, s.reg_num(), "acc2 for acc3 to acc9 in Align16 mode"));
    }
    Ok(Src::Direct { reg, region: Region::PACKED, mods, ty })
}

pub(super) fn encode(
    rules: &Rules,
    inst: &Inst<Physical>,
    count: u8,
    form: OperandForm,
) -> Encoded<Basic, Bad> {
    if !rules.align16 {
        return Err(Bad::new("options", "Align16", "Align1 on this platform"));
    }
    let mut w = encode_dst(rules, &inst.dst, form)?;
    for i in 0..count {
        let slot = if i == 0 { Slot::Src0 } else { Slot::Src1 };
        w = encode_src(rules, slot, &inst.src[usize::from(i)], form, w)?;
    }
    Ok(w)
}

fn encode_dst(rules: &Rules, dst: &Dst<Physical>, form: OperandForm) -> Encoded<Basic, Bad> {
    let (reg, ty, chan_en) = match *dst {
        Dst::Macro { reg, mme, ty } if form == OperandForm::Macro => (reg, ty, operand::encode_mme(mme)?),
        Dst::Direct { reg, horz: 1, ty } if form == OperandForm::Plain => match far_acc(reg) {
            Some(7) => (Reg::arf(Arf::Acc(2), 0), ty, CHAN_EN_ALL),
            Some(n) => (Reg::arf(Arf::Acc(2), 0), ty, n),
            None if matches!(reg.base(), Base::Arf(Arf::Acc(2))) => {
                return Err(Bad::new("dst", "acc2", "another register in Align16 mode"));
            }
            None => (reg, ty, CHAN_EN_ALL),
        },
        _ => return Err(Bad::new("dst", "of another form", "an Align16 destination, stride 1")),
    };
    let (file, number, sub) = operand::direct(reg, "dst")?;
    if sub & 15 != 0 || form == OperandForm::Macro && sub != 0 {
        return Err(Bad::new("dst", reg.byte, "byte 0 or 16 in Align16 mode"));
    }
    Ok(Basic::new()
        .with_dst_reg_file(file)
        .with_dst_reg_num(number)
        .with_dst_sub_reg_num(sub | chan_en)
        .with_dst_data_type(
            rules.reg.code(ty).ok_or_else(|| Bad::new("dst type", ty, "a register type of the platform"))?,
        ))
}

fn encode_src(
    rules: &Rules,
    slot: Slot,
    src: &Src<Physical>,
    form: OperandForm,
    w: Basic,
) -> Encoded<Basic, Bad> {
    let names = slot.names();
    let (reg, mods, ty, sel) = match *src {
        Src::Macro { reg, mme, mods, ty } if form == OperandForm::Macro => {
            (reg, mods, ty, (operand::encode_mme(mme)?, 0))
        }
        Src::Direct { reg, region: Region::PACKED, mods, ty } if form == OperandForm::Plain => {
            match far_acc(reg) {
                Some(n) => (Reg::arf(Arf::Acc(2), 0), mods, ty, far_acc_sel(n)),
                None if matches!(reg.base(), Base::Arf(Arf::Acc(2))) => {
                    return Err(Bad::new(names.operand, "acc2", "another register in Align16 mode"));
                }
                None => (reg, mods, ty, CHAN_SEL_PACKED),
            }
        }
        _ => return Err(Bad::new(names.operand, operand::kind(src), "a packed <1;1,0> register")),
    };
    let (file, number, sub) = operand::direct(reg, names.operand)?;
    if sub & 15 != 0 || form == OperandForm::Macro && sub != 0 {
        return Err(Bad::new(names.operand, reg.byte, "byte 0 or 16 in Align16 mode"));
    }
    let code = rules.reg.code(ty).ok_or_else(|| Bad::new(names.ty, ty, "a register type of the platform"))?;
    let s = SrcAlign16::new()
        .with_chan_sel_xy(sel.0)
        .with_chan_sel_zw(sel.1)
        .with_sub_reg_num_4(sub != 0)
        .with_reg_num(number)
        .with_abs(mods.abs())
        .with_negate(mods.neg())
        .with_vert_stride(if form == OperandForm::Macro && ty == Type::Df { VERT_2 } else { VERT_4 });
    Ok(slot.set(w, SourceFields::direct(file, code, s.into_bits())))
}

/// A math macro's source in Align1 mode (Gen11).
pub(super) fn decode_macro_align1(rules: &Rules, slot: Slot, w: Basic) -> Result<Src<Physical>, Fault> {
    let SourceFields { file, ty, bits, imm_9 } = slot.get(w);
    let names = slot.names();
    let ty = rules.reg.types[usize::from(ty)]
        .ok_or_else(|| Fault::new(names.ty, ty, "a register type of the platform"))?;
    let s = SrcDirect::from_bits(bits);
    if file > FILE_GRF || s.addr_mode() || imm_9 {
        return Err(Fault::new(names.file, file, "a direct register in a math macro"));
    }
    let scalar = Control::from_bits(low_u64(w.into_bits())).exec_size() == ExecSize::S1.number();
    if (s.vert_stride(), s.width(), s.horz_stride()) != macro_region(scalar) {
        return Err(Fault::new(
            names.region,
            s.vert_stride(),
            "<2;2,1> in a math macro, <0;1,0> for one channel",
        ));
    }
    let reg = codes::register(RegFile::general_if(file == FILE_GRF), s.reg_num(), 0)
        .ok_or_else(|| Fault::new(names.reg, s.reg_num(), "r0 to r127 or an architecture register"))?;
    let mme = operand::decode_mme(s.sub_reg_num(), "MathMacroExt")?;
    Ok(Src::Macro { reg, mme, mods: SrcMod::new(s.abs(), s.negate()), ty })
}

/// The fields of a math macro's source in Align1 mode (Gen11).
pub(super) fn encode_macro_align1(
    rules: &Rules,
    slot: Slot,
    src: &Src<Physical>,
    scalar: bool,
    w: Basic,
) -> Encoded<Basic, Bad> {
    let names = slot.names();
    let Src::Macro { reg, mme, mods, ty } = *src else {
        return Err(Bad::new(names.operand, operand::kind(src), "a math macro register"));
    };
    let (file, number, sub) = operand::direct(reg, names.operand)?;
    if sub != 0 {
        return Err(Bad::new(names.operand, reg.byte, "byte 0 in a math macro"));
    }
    let code = rules.reg.code(ty).ok_or_else(|| Bad::new(names.ty, ty, "a register type of the platform"))?;
    let (vert, width, horz) = macro_region(scalar);
    let s = SrcDirect::new()
        .with_sub_reg_num(operand::encode_mme(mme)?)
        .with_reg_num(number)
        .with_abs(mods.abs())
        .with_negate(mods.neg())
        .with_vert_stride(vert)
        .with_width(width)
        .with_horz_stride(horz);
    Ok(slot.set(w, SourceFields::direct(file, code, s.into_bits())))
}

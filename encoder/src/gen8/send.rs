//! Messages: `send` and `sendc`, and the split forms `sends` and `sendsc`.

use super::{
    Bad, Encoded, Fault,
    codes::{self, AccessMode, FILE_ARF, FILE_GRF, FILE_IMM, OperandForm, RegFile},
    control,
    layout::{Basic, Control, Sends, SrcDirect},
    operand::{self, Slot},
    rules::Rules,
};
use gen_ir::{
    AddrSub, Class, Desc, Descriptor, Dst, ExDesc, ExtendedDescriptor, Inst, Op, Payload, Physical, Reg,
    Region, SendInfo, Src, SrcMod, Type,
};
use narrow::{low_u8, low_u16, low_u32, low_u64};

/// The region that stands for "whole registers" in a message operand; no bits hold it but on Gen8.
const WHOLE: Region = Region::new(8, 8, 1);
/// The other way of writing it; one of its bits stands in the word on Gen9 and Gen11 too.
const WHOLE_16: Region = Region::new(16, 16, 1);

/// Register number of `a0`.
const A0: u8 = 0x10;

/// Bits of an extended descriptor that messages with one payload have, by their place in the upper
/// half of the word.
const EX_DESC: [(u32, u32, u32); 4] = [(16, 4, 0), (20, 4, 16), (24, 4, 21), (28, 4, 27)];
/// Bit 84 of a word, in its upper half.
const BIT_84: u64 = 1 << 20;

/// Bits 30 and 29 of a descriptor: half floats come back, or go to a render target; half floats are parameters.
const HALF_BIT: u32 = 1 << 30;
const HALF_PARAMETERS: u32 = 1 << 29;

fn is_half(ty: Option<Type>) -> bool {
    ty == Some(Type::Hf)
}

/// Bit 30 of the immediate descriptor beside a register descriptor. Words without it are read as well: assemblers leave it
/// to whoever writes the text.
fn half_bit(rules: &Rules, inst: &Inst<Physical>) -> u32 {
    let half = is_half(inst.dst.ty()) || is_half(inst.src[0].ty());
    if rules.half_bit_in_word && half { HALF_BIT } else { 0 }
}

/// What stands in the place of a descriptor beside one in a register is not read, but for bits 29 and 30 where hardware takes
/// these from the word (Intel's finalizer, `EncodeSendMsgDesc29_30`). They must be what the types say; no sampler before Gen11
/// takes half floats.
fn beside_register(rules: &Rules, desc: u32, inst: &Inst<Physical>) -> Result<(), Fault> {
    let odd = desc & (HALF_BIT | HALF_PARAMETERS) & !half_bit(rules, inst);
    if rules.half_bit_in_word && odd != 0 {
        return Err(Fault::new("MsgDesc[30:29]", odd >> 29, "bit 30 of a message on half floats"));
    }
    Ok(())
}

fn lengths(
    rules: &Rules,
    word: u128,
    (desc, ex_desc): (Desc<Physical>, ExDesc<Physical>),
    split: bool,
) -> (u8, u8, u8) {
    let (dst, src0) = match desc {
        Desc::Imm(d) => (d.response_length().registers(), d.message_length().registers()),
        Desc::Reg(_) => (0, 0),
    };
    match ex_desc {
        Desc::Imm(d) if split => (dst, src0, d.extended_length().registers() & 15),
        Desc::Reg(_) if split && rules.length_beside_register => {
            (dst, src0, Sends::from_bits(word).ex_desc_6())
        }
        _ => (dst, src0, 0),
    }
}

#[inline]
pub(super) fn decode(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<(), Fault> {
    let c = Control::from_bits(low_u64(word));
    control::decode(rules, c, Class::Send, inst)?;
    let bit_31 = std::mem::take(&mut inst.sat);
    let split = matches!(inst.op, Op::Sends | Op::Sendsc);
    let (desc, ex_desc) =
        if split { decode_split(rules, word, inst)? } else { decode_one(rules, word, inst)? };
    let (dst_len, src0_len, src1_len) = lengths(rules, word, (desc, ex_desc), split);
    let sfid = gen_ir::Sfid::before_lsc(c.cond_modifier());
    if bit_31 && rules.cps_in_word && sfid == gen_ir::Sfid::Sampler {
        inst.opts = inst.opts.with(gen_ir::Options::CPS);
    }
    let eot = word >> 127 != 0;
    inst.payload = Payload::Send(SendInfo { sfid, desc, ex_desc, eot, dst_len, src0_len, src1_len });
    Ok(())
}

type Descs = (Desc<Physical>, ExDesc<Physical>);

fn decode_one(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<Descs, Fault> {
    let upper = low_u64(word >> 64);
    let mut w = Basic::from_bits(word);
    inst.dst = operand::decode_dst(rules, w, OperandForm::Plain)?;
    let mut ex_desc = 0;
    let mut region = WHOLE;
    if !rules.send_region {
        for (bit, len, at) in EX_DESC {
            ex_desc |= low_u32(upper >> at & ((1 << len) - 1)) * (1 << bit);
        }
        if upper & BIT_84 != 0 {
            region = WHOLE_16;
        }
        // What is left of source 0 is a register, without a region.
        let indirect = w.src0() >> 15 & 1 != 0;
        w.set_src0(w.src0() & 0xfff0 | u32::from(!indirect) << 21);
    }
    let src0 = operand::decode_src(rules, Slot::Src0, w)?;
    let low = low_u32(upper >> 32) & 0x7fff_ffff;
    // Intel's finalizer sets the bit beside whatever types it has: the source's says so, as in a split message.
    let by_word = rules.half_bit_in_word && w.src1_reg_file() == FILE_ARF && low & HALF_BIT != 0;
    let half = by_word && !is_half(inst.dst.ty());
    inst.src[0] = match src0 {
        Src::Direct { reg, region: own, ty, .. } => {
            let region = if rules.send_region { own } else { region };
            Src::Direct { reg, region, mods: SrcMod::None, ty: if half { Type::Hf } else { ty } }
        }
        Src::Indirect { addr, imm, region: own, ty, .. } => {
            let region = if rules.send_region { own } else { region };
            Src::Indirect { addr, imm, region, mods: SrcMod::None, ty: if half { Type::Hf } else { ty } }
        }
        _ => return Err(Fault::new("Src0RegFile", w.src0_reg_file(), "0 (ARF), 1 (GRF)")),
    };
    let desc = match w.src1_reg_file() {
        FILE_IMM => Desc::Imm(Descriptor::from_bits(low)),
        FILE_ARF => {
            beside_register(rules, low, inst)?;
            Desc::Reg(Reg::address(AddrSub::A0))
        }
        file => return Err(Fault::new("Src1RegFile", file, "0 (a0), 3 (immediate)")),
    };
    Ok((desc, Desc::Imm(ExtendedDescriptor::from_bits(ex_desc))))
}

fn decode_split(rules: &Rules, word: u128, inst: &mut Inst<Physical>) -> Result<Descs, Fault> {
    let w = Sends::from_bits(word);
    let code = w.dst_data_type();
    let ty = rules.reg.types[usize::from(code)]
        .ok_or_else(|| Fault::new("DstDataType", code, "a register type of the platform"))?;
    inst.dst = if w.dst_addr_mode() {
        if !w.dst_reg_file() {
            return Err(Fault::new("DstRegFile", 0u8, "1 (GRF) with an address"));
        }
        let address =
            SplitAddress { number: w.dst_reg_num(), bit_4: w.dst_sub_reg_num_4(), bit_9: w.dst_addr_imm_9() };
        let (addr, imm) = address.decode();
        Dst::Indirect { addr, imm, horz: 1, ty }
    } else {
        let byte = u8::from(w.dst_sub_reg_num_4()) * 16;
        let reg = codes::register(RegFile::general_if(w.dst_reg_file()), w.dst_reg_num(), byte).ok_or_else(
            || Fault::new("DstRegNum", w.dst_reg_num(), "r0 to r127 or an architecture register"),
        )?;
        Dst::Direct { reg, horz: 1, ty }
    };
    // Source 0 has no type in the word: where the destination does not say that data are half floats, it does.
    let by_word = rules.half_bit_in_word && w.sel_reg32_desc() && w.desc() & HALF_BIT != 0;
    let src0_ty = if by_word && ty != Type::Hf { Type::Hf } else { Type::Ud };
    inst.src[0] = if w.src0_addr_mode() {
        let address = SplitAddress {
            number: w.src0_reg_num(),
            bit_4: w.src0_sub_reg_num_4(),
            bit_9: w.src0_addr_imm_9(),
        };
        let (addr, imm) = address.decode();
        Src::Indirect { addr, imm, region: WHOLE, mods: SrcMod::None, ty: src0_ty }
    } else {
        let byte = u8::from(w.src0_sub_reg_num_4()) * 16;
        let reg = codes::register(RegFile::Grf, w.src0_reg_num(), byte)
            .ok_or_else(|| Fault::new("Src0RegNum", w.src0_reg_num(), "0 to 127"))?;
        Src::new(reg, WHOLE, src0_ty)
    };
    let reg =
        codes::register(RegFile::general_if(w.src1_reg_file()), w.src1_reg_num(), 0).ok_or_else(|| {
            Fault::new("Src1RegNum", w.src1_reg_num(), "r0 to r127 or an architecture register")
        })?;
    inst.src[1] = Src::new(reg, WHOLE, Type::Ud);
    let desc = if w.sel_reg32_desc() {
        beside_register(rules, w.desc(), inst)?;
        Desc::Reg(Reg::address(AddrSub::A0))
    } else {
        Desc::Imm(Descriptor::from_bits(w.desc()))
    };
    let ex_desc = if w.sel_reg32_ex_desc() {
        Desc::Reg(Reg::address(AddrSub::at_dword(low_u8(w.ex_desc_16()) & 7)))
    } else {
        let bits = u32::from(w.ex_desc_16()) << 16 | u32::from(w.ex_desc_6()) << 6;
        Desc::Imm(ExtendedDescriptor::from_bits(bits))
    };
    Ok((desc, ex_desc))
}

/// The fields of a split message's operand behind an address: a subregister and an immediate, a multiple of 16.
struct SplitAddress {
    /// The subregister, and bits 5 to 8 of the immediate.
    number: u8,
    /// Bit 4 of the immediate.
    bit_4: bool,
    /// Bit 9 of the immediate: its sign.
    bit_9: bool,
}

impl SplitAddress {
    fn decode(self) -> (Reg<Physical>, i16) {
        let low = u16::from(self.number & 15) << 5 | u16::from(self.bit_4) << 4;
        (operand::addr_reg(self.number >> 4), operand::addr_imm(low, self.bit_9))
    }

    fn encode(addr: Reg<Physical>, imm: i16, what: &'static str) -> Encoded<SplitAddress, Bad> {
        let (sub, low, bit_9) = operand::indirect(addr, imm, what)?;
        if imm % 16 != 0 {
            return Err(Bad::new(what, i64::from(imm), "a multiple of 16"));
        }
        Ok(SplitAddress { number: sub << 4 | low_u8(low >> 5), bit_4: low & 16 != 0, bit_9 })
    }
}

#[inline]
pub(super) fn encode(rules: &Rules, inst: &Inst<Physical>, number: u8) -> Encoded<u128, Bad> {
    let Payload::Send(info) = &inst.payload else {
        return Err(Bad::new("payload", "of another family", "a message"));
    };
    if inst.sat || inst.opts.has(gen_ir::Options::ALIGN16) {
        return Err(Bad::new("saturation, Align16", "set", "none on a message"));
    }
    let allowed = "a shared function of the platform";
    let sfid = codes::sfid_code(info.sfid).ok_or_else(|| Bad::new("shared function", "another", allowed))?;
    let cps = rules.cps_in_word && inst.opts.has(gen_ir::Options::CPS) && info.sfid == gen_ir::Sfid::Sampler;
    let plain = Inst { opts: if cps { inst.opts.without(gen_ir::Options::CPS) } else { inst.opts }, ..*inst };
    let c = control::encode(rules, &plain, Class::Send, AccessMode::Align1, number)?
        .with_cond_modifier(sfid)
        .with_saturate(cps);
    let split = matches!(inst.op, Op::Sends | Op::Sendsc);
    let operands = if split { encode_split(rules, inst, info)? } else { encode_one(rules, inst, info)? };
    Ok(u128::from(c.into_bits()) | operands | u128::from(info.eot) << 127)
}

fn imm_desc(desc: Descriptor) -> Encoded<u32, Bad> {
    let desc = desc.into_bits();
    if desc >> 31 == 0 { Ok(desc) } else { Err(Bad::new("descriptor", desc, "bit 31 zero")) }
}

/// The dword of the address register that a descriptor is in.
fn a0(reg: Reg<Physical>, what: &'static str, last: u8, allowed: &'static str) -> Encoded<u8, Bad> {
    let dword = reg.address_sub().and_then(AddrSub::dword).filter(|&dword| dword <= last);
    dword.ok_or_else(|| Bad::new(what, "another register", allowed))
}

fn encode_one(rules: &Rules, inst: &Inst<Physical>, info: &SendInfo<Physical>) -> Encoded<u128, Bad> {
    let mut w = operand::encode_dst(rules, &inst.dst, Basic::new())?;
    let src = &inst.src[0];
    if src.mods().any() || inst.src[1] != Src::None || inst.src[2] != Src::None {
        return Err(Bad::new("sources", "others", "one register, without modifiers"));
    }
    w = match *src {
        _ if rules.send_region => operand::encode_src(rules, Slot::Src0, src, w)?,
        Src::Direct { reg, ty, .. } => {
            if reg.byte % 16 != 0 {
                return Err(Bad::new("src0", reg.byte, "byte 0 or 16"));
            }
            operand::encode_src(rules, Slot::Src0, &Src::new(reg, Region::SCALAR, ty), w)?
        }
        Src::Indirect { addr, imm, ty, .. } => {
            if imm % 16 != 0 {
                return Err(Bad::new("src0 address", i64::from(imm), "a multiple of 16"));
            }
            let src = Src::Indirect { addr, imm, region: Region::SCALAR, mods: SrcMod::None, ty };
            operand::encode_src(rules, Slot::Src0, &src, w)?
        }
        _ => return Err(Bad::new("src0", operand::kind(src), "a register")),
    };
    let mut upper = 0u64;
    match info.ex_desc {
        Desc::Imm(d) => {
            let d = d.into_bits();
            let mask = if rules.send_region { 0 } else { 0xffff_0000 };
            if d & !mask != 0 {
                return Err(Bad::new("extended descriptor", d, "bits 31..16 (Gen8: zero)"));
            }
            for (bit, len, at) in EX_DESC {
                upper |= u64::from(d >> bit & ((1 << len) - 1)) << at;
            }
        }
        Desc::Reg(_) => return Err(Bad::new("extended descriptor", "a register", "an immediate")),
    }
    let wide = matches!(src, Src::Direct { region, .. } | Src::Indirect { region, .. } if region.width == 16);
    if wide && !rules.send_region {
        upper |= BIT_84;
    }
    w = match info.desc {
        Desc::Imm(d) => {
            upper |= u64::from(imm_desc(d)?) << 32;
            w.with_src1_reg_file(FILE_IMM)
        }
        Desc::Reg(reg) => {
            a0(reg, "descriptor", 0, "a0.0")?;
            upper |= u64::from(half_bit(rules, inst)) << 32;
            w.with_src1(SrcDirect::new().with_reg_num(A0).into_bits())
        }
    };
    Ok(w.into_bits() | u128::from(upper) << 64)
}

fn encode_split(rules: &Rules, inst: &Inst<Physical>, info: &SendInfo<Physical>) -> Encoded<u128, Bad> {
    let w = split_dst(rules, &inst.dst, Sends::new())?;
    let w = split_sources(&inst.src, w)?;
    let w = match info.desc {
        Desc::Imm(d) => w.with_desc(imm_desc(d)?),
        Desc::Reg(reg) => {
            a0(reg, "descriptor", 0, "a0.0")?;
            w.with_sel_reg32_desc(true).with_desc(half_bit(rules, inst))
        }
    };
    Ok(split_ex_desc(rules, info, w)?.into_bits())
}

/// The destination of a split message.
fn split_dst(rules: &Rules, dst: &Dst<Physical>, w: Sends) -> Encoded<Sends, Bad> {
    let ty = dst.ty().ok_or_else(|| Bad::new("dst", "none", "a destination"))?;
    let code =
        rules.reg.code(ty).ok_or_else(|| Bad::new("dst type", ty, "a register type of the platform"))?;
    let w = w.with_dst_data_type(code);
    match *dst {
        Dst::Direct { reg, .. } => {
            let (file, number, sub) = operand::direct(reg, "dst")?;
            Ok(w.with_dst_reg_file(file == FILE_GRF)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num_4(half_register(sub, "dst")?))
        }
        Dst::Indirect { addr, imm, .. } => {
            let SplitAddress { number, bit_4, bit_9 } = SplitAddress::encode(addr, imm, "dst address")?;
            Ok(w.with_dst_reg_file(true)
                .with_dst_addr_mode(true)
                .with_dst_reg_num(number)
                .with_dst_sub_reg_num_4(bit_4)
                .with_dst_addr_imm_9(bit_9))
        }
        _ => Err(Bad::new("dst", "of another form", "a register")),
    }
}

/// The two payloads of a split message.
fn split_sources(src: &[Src<Physical>; 3], mut w: Sends) -> Encoded<Sends, Bad> {
    match src[0] {
        Src::Direct { reg, mods: SrcMod::None, .. } => {
            let (file, number, sub) = operand::direct(reg, "src0")?;
            if file != FILE_GRF {
                return Err(Bad::new("src0", "an architecture register", "r0 to r127"));
            }
            w = w.with_src0_reg_num(number).with_src0_sub_reg_num_4(half_register(sub, "src0")?);
        }
        Src::Indirect { addr, imm, mods: SrcMod::None, .. } => {
            let SplitAddress { number, bit_4, bit_9 } = SplitAddress::encode(addr, imm, "src0 address")?;
            w = w
                .with_src0_addr_mode(true)
                .with_src0_reg_num(number)
                .with_src0_sub_reg_num_4(bit_4)
                .with_src0_addr_imm_9(bit_9);
        }
        ref other => return Err(Bad::new("src0", operand::kind(other), "a register without modifiers")),
    }
    match src[1] {
        Src::Direct { reg, mods: SrcMod::None, .. } => {
            let (file, number, sub) = operand::direct(reg, "src1")?;
            if sub != 0 {
                return Err(Bad::new("src1", reg.byte, "byte 0"));
            }
            w = w.with_src1_reg_file(file == FILE_GRF).with_src1_reg_num(number);
        }
        ref other => {
            return Err(Bad::new("src1", operand::kind(other), "a direct register without modifiers"));
        }
    }
    Ok(w)
}

/// The extended descriptor of a split message.
fn split_ex_desc(rules: &Rules, info: &SendInfo<Physical>, w: Sends) -> Encoded<Sends, Bad> {
    match info.ex_desc {
        Desc::Imm(d) => {
            let d = d.into_bits();
            if d & 0xfc3f != 0 {
                return Err(Bad::new("extended descriptor", d, "bits 31..16 and 9..6"));
            }
            Ok(w.with_ex_desc_16(low_u16(d >> 16)).with_ex_desc_6(low_u8(d >> 6 & 15)))
        }
        Desc::Reg(reg) => {
            let dword = a0(reg, "extended descriptor", 7, "a0.0, a0.2, ... a0.14")?;
            let length = if rules.length_beside_register { info.src1_len & 15 } else { 0 };
            Ok(w.with_sel_reg32_ex_desc(true).with_ex_desc_16(dword.into()).with_ex_desc_6(length))
        }
    }
}

fn half_register(sub: u8, what: &'static str) -> Encoded<bool, Bad> {
    match sub {
        0 => Ok(false),
        16 => Ok(true),
        _ => Err(Bad::new(what, u32::from(sub), "byte 0 or 16")),
    }
}

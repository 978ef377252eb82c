//! Sampler, video analytics and render target instructions.

use narrow::{to_index, to_u8};

use super::{
    inst::Head,
    lexer::Tok,
    parser::{Parsed, Parser},
};
use crate::{
    op::{AvsBlock, PixelFormat, RtReadMode, RtWriteMode, SampleKind, SamplerOp},
    opcode::Opcode,
    operand::*,
    table::{self, Enc, Slot},
    types::{ChannelMask, Exec},
};

/// Mode bits of a message to a render target and their words.
pub(super) fn target_modes(opcode: Opcode) -> &'static [(&'static str, u16)] {
    if opcode == Opcode::RtRead { &RtReadMode::FLAGS } else { &RtWriteMode::FLAGS }
}

/// Pixel formats as `avs` and the min-max filter write them.
pub(super) const AVS_FORMATS: [&str; 4] =
    ["AVS_16_FULL", "AVS_16_DOWN_SAMPLE", "AVS_8_FULL", "AVS_8_DOWN_SAMPLE"];

/// Names of video analytics operations in text, by sub-opcode.
#[rustfmt::skip]
pub(super) const VA_NAMES: [&str; 25] = [
    "avs", "convolve", "minmax", "minmaxfilter", "erode", "dilate", "boolcentroid", "centroid",
    "CONV_1D_HORIZONTAL", "CONV_1D_VERTICAL", "CONV_1PIXEL", "FLOOD_FILL", "LBP_CREATION", "LBP_CORRELATION", "",
    "CORRELATION_SEARCH", "HDC_CONVOLVE_2D", "HDC_MIN_MAX_FILTER", "HDC_ERODE", "HDC_DILATE", "HDC_LBP_CORRELATION",
    "HDC_LBP_CREATION", "HDC_CONVOLVE_1D_H", "HDC_CONVOLVE_1D_V", "HDC_CONVOLVE_1P",
];

/// Words for a video analytics byte field, by value. Empty words are not written.
pub(super) fn va_words(sub: u8, slot: &str) -> &'static [&'static str] {
    match (sub, slot) {
        (1, _) => &["VA_CONV_16x4", "VA_CONV_INVALID", "VA_CONV_16x1", "VA_CONV_1x1"],
        (3, "execution mode") => &["VA_MMF_16x4", "VA_MMF_INVALID", "VA_MMF_16x1", "VA_MMF_1x1"],
        (3, _) => &AVS_FORMATS,
        (4 | 5, _) => &["VA_ED_64x4", "VA_ED_32x4", "VA_ED_64x1", "VA_ED_32x1"],
        (8..=10, _) => &["4x16", "", "1x16", "1x1"],
        (11, _) => &["4_connect", "8_connect"],
        (12 | 21, _) => &["VA_5x5_mode", "VA_3x3_mode", "VA_BOTH_mode"],
        (17, "mode") => &["VA_MINMAX_ENABLE", "VA_MAX_ENABLE", "VA_MIN_ENABLE"],
        _ => &["VA_Y16_FORMAT", "VA_Y8_FORMAT"],
    }
}

/// A convolution's region size stands after its mode: the sub-opcodes that have one.
pub(super) const fn va_has_region(sub: u8, slot: &str) -> bool {
    sub == 1 || sub == 16 && matches!(slot.as_bytes(), b"format and size")
}

impl<'s> Parser<'s> {
    /// `sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 dst u v`, `load_lz...`, `sample4...`, `resinfo...`
    pub(super) fn sampler_op(&mut self, name: &str, head: Head) -> Parsed<bool> {
        let full = if name == "sample" && self.peek() == Tok::Plus && self.slice_at(1) == "killpix" {
            self.at += 2;
            "sample+killpix"
        } else {
            name
        };
        let Some(op) = SamplerOp::from_name(full) else {
            return Ok(false);
        };
        let opcode = match op.kind() {
            Some(SampleKind::Sample) => Opcode::Sample3d,
            Some(SampleKind::Load) => Opcode::Load3d,
            Some(SampleKind::Gather) => Opcode::Gather43d,
            None => {
                self.info(op, head)?;
                return Ok(true);
            }
        };
        let mut op = u32::from(op.raw());
        for (flag, bit) in [("pixel_null_mask", 8), ("cps", 9), ("divS", 10)] {
            if self.eat_dot_word(flag) {
                op |= 1 << bit;
            }
        }
        let channels = self.sample_channels(opcode)?;
        let exec = self.exec()?;
        let aoffimmi = self.src_operand()?;
        let mut operands = vec![Operand::Num(op), channels, aoffimmi];
        if opcode != Opcode::Load3d {
            operands.push(self.sampler_operand()?);
        }
        operands.push(self.surface_operand()?);
        operands.push(self.raw_operand()?);
        let mut params = Vec::new();
        while matches!(self.peek(), Tok::Ident | Tok::Builtin) {
            params.push(self.raw_operand()?);
        }
        // Newer text has the paired surface before the parameters. Where there is none it is null, which a
        // first coordinate never is.
        let null = Operand::Raw(RawOperand::NULL);
        if params.first() == Some(&null) {
            params.remove(0);
        }
        operands.push(null);
        operands.append(&mut params);
        self.emit(opcode, exec, head, &operands)?;
        Ok(true)
    }

    fn sample_channels(&mut self, opcode: Opcode) -> Parsed<Operand> {
        let at = self.at;
        let mask = self.channels()?;
        if opcode != Opcode::Gather43d {
            return Ok(Operand::Num(mask.0.into()));
        }
        if mask.count() != 1 {
            self.at = at;
            return self.expected("one channel: `.R`, `.G`, `.B` or `.A`");
        }
        Ok(Operand::Num(mask.0.trailing_zeros()))
    }

    fn info(&mut self, op: SamplerOp, head: Head) -> Parsed<()> {
        let channels = self.dot_word().and_then(ChannelMask::from_name).unwrap_or(ChannelMask::RGBA);
        let exec = self.exec()?;
        let surface = self.surface_operand()?;
        let lod = if op == SamplerOp::ResInfo { self.raw_operand()? } else { Operand::Absent };
        let dst = self.raw_operand()?;
        let operands = [Operand::Num(op.raw().into()), Operand::Num(channels.0.into()), surface, lod, dst];
        self.emit(Opcode::Info3d, exec, head, &operands)
    }

    /// `sample.RGBA (16) S0 T6 u v r dst`, `load.RGBA (16) T6 u v r dst`
    pub(super) fn sample_legacy(&mut self, name: &str, head: Head) -> Parsed<()> {
        let channels = self.channels()?;
        let mut mode = u32::from(channels.0);
        if self.eat(Tok::LParen) {
            match self.slice() {
                "8" => {}
                "16" => mode |= 1 << 4,
                _ => return self.expected("8 or 16"),
            }
            self.at += 1;
            self.expect(Tok::RParen, "`)`")?;
        }
        let mut operands = vec![Operand::Num(mode)];
        if name == "sample" {
            operands.push(self.sampler_operand()?);
        }
        operands.push(self.surface_operand()?);
        for _ in 0..4 {
            operands.push(self.raw_operand()?);
        }
        let opcode = if name == "sample" { Opcode::SampleLegacy } else { Opcode::LoadLegacy };
        self.emit(opcode, Exec::SCALAR, head, &operands)
    }

    /// `sample_unorm.RGBA.16-full S0 T6 u v du dv dst`
    pub(super) fn sample_unorm(&mut self, head: Head) -> Parsed<()> {
        let channels = self.channels()?;
        self.expect(Tok::Dot, "`.` and the output format")?;
        let at = self.at;
        let word = self.raw_word(b"");
        let Some(format) = PixelFormat::from_name(word) else {
            self.at = at;
            return self.expected("16-full, 16-downsampled, 8-full or 8-downsampled");
        };
        let mode = Operand::Num((channels.0 | format.raw() << 4).into());
        let (sampler, surface) = (self.sampler_operand()?, self.surface_operand()?);
        let mut operands = vec![mode, sampler, surface];
        for _ in 0..4 {
            operands.push(self.src_operand()?);
        }
        operands.push(self.raw_operand()?);
        self.emit(Opcode::SampleUnorm, Exec::SCALAR, head, &operands)
    }

    /// One of some words.
    fn word_of(&mut self, words: &[&str]) -> Parsed<Operand> {
        let at = self.at;
        let word = self.raw_word(b"");
        match words.iter().position(|w| *w == word) {
            Some(i) => Ok(Operand::Num(to_index(i))),
            None => {
                self.at = at;
                self.expected(&words.join(", "))
            }
        }
    }

    /// `avs.RGBA T6 S0 u v du dv u2d group vertical AVS_16_FULL v2d AVS_16x4 ief dst`
    pub(super) fn avs(&mut self, head: Head) -> Parsed<()> {
        let channels = Operand::Num(self.channels()?.0.into());
        let (surface, sampler) = (self.surface_operand()?, self.sampler_operand()?);
        let mut operands = vec![channels, sampler, surface];
        for _ in 0..7 {
            operands.push(self.src_operand()?);
        }
        operands.push(self.word_of(&AVS_FORMATS)?);
        operands.push(self.src_operand()?);
        operands.push(self.word_of(&AvsBlock::ALL.iter().map(|size| size.name()).collect::<Vec<_>>())?);
        operands.push(self.src_operand()?);
        operands.push(self.raw_operand()?);
        self.emit(Opcode::Avs, Exec::SCALAR, head, &operands)
    }

    /// `va.convolve T6 S0 u v VA_CONV_16x4 15x15 dst` and its kin: the row's operands, surface first.
    pub(super) fn va(&mut self, name: &str, head: Head) -> Parsed<()> {
        let opcode = if name == "va" { Opcode::Va } else { Opcode::VaSklPlus };
        let word = self.dot_word().unwrap_or_default();
        let sub = VA_NAMES.iter().position(|n| *n == word && !n.is_empty()).map(|i| to_u8(i));
        let Some(row) = sub.and_then(|s| table::lookup(opcode, s)) else {
            return self.fail("expected a video analytics operation such as `.convolve`");
        };
        let sub = row.sub.unwrap_or(0);
        let mut operands = Vec::new();
        let mut slots: Vec<&Slot> = row.operand_slots().collect();
        if slots[0].enc == Enc::Sampler {
            let (surface, sampler) = (self.surface_operand()?, self.sampler_operand()?);
            operands.extend([sampler, surface]);
            slots.drain(..2);
        }
        for slot in slots {
            operands.push(match slot.enc {
                Enc::Surface => self.surface_operand()?,
                Enc::Raw => self.raw_operand()?,
                Enc::U8 => self.va_byte(sub, slot.name)?,
                _ if sub == 2 && slot.name == "mode" => self.va_mode()?,
                _ => self.src_operand()?,
            });
        }
        self.emit_sub(opcode, sub, Exec::SCALAR, head, &operands)
    }

    fn va_byte(&mut self, sub: u8, slot: &str) -> Parsed<Operand> {
        let Operand::Num(mut value) = self.word_of(va_words(sub, slot))? else { return Ok(Operand::Num(0)) };
        if va_has_region(sub, slot) && self.word_of(&["15x15", "31x31"])? == Operand::Num(1) {
            value |= if sub == 1 { 0x14 } else { 0x10 };
        }
        Ok(Operand::Num(value))
    }

    /// The min-max mode: a word, or an operand.
    fn va_mode(&mut self) -> Parsed<Operand> {
        let words = va_words(17, "mode");
        if self.peek() == Tok::Ident && words.contains(&self.slice()) {
            let Operand::Num(n) = self.word_of(words)? else { return Ok(Self::zero_operand()) };
            return Ok(Operand::Vector(VectorOperand::imm(crate::types::Type::UB, n.into())));
        }
        self.src_operand()
    }

    /// `rt_write_3d.<A><Z> (M1, 16) T6 ...`, operands in the row's order; `rt_read` alike.
    pub(super) fn render_target(&mut self, opcode: Opcode, head: Head) -> Parsed<()> {
        let modes = target_modes(opcode);
        let mut mode = 0;
        if self.eat(Tok::Dot) {
            while self.eat(Tok::Lt) {
                match modes.iter().find(|m| m.0 == self.slice()) {
                    Some(found) => mode |= u32::from(found.1),
                    None => {
                        let words: Vec<&str> = modes.iter().map(|m| m.0).collect();
                        return self.expected(&words.join(", "));
                    }
                }
                self.at += 1;
                self.expect(Tok::Gt, "`>`")?;
            }
        }
        let exec = self.exec()?;
        let Some(row) = table::lookup(opcode, 0) else {
            return self.fail("no such instruction");
        };
        let mut operands = vec![Operand::Num(mode), self.surface_operand()?];
        for slot in row.operand_slots().skip(2) {
            operands.push(match slot.enc {
                _ if !slot.when.holds(mode) => Operand::Absent,
                Enc::Vector => self.src_operand()?,
                _ => self.raw_operand()?,
            });
        }
        self.emit(opcode, exec, head, &operands)
    }

    /// `urb_write_3d (M1, 8) outputs offset mask handle slot data`
    pub(super) fn urb_write(&mut self, head: Head) -> Parsed<()> {
        let exec = self.exec()?;
        let outputs = self.byte_operand("the number of outputs")?;
        let offset = Operand::Num(self.int_in(0..=65535, "the offset")?);
        let [mask, handle, slot, data] = self.raws()?;
        self.emit(Opcode::UrbWrite3d, exec, head, &[outputs, mask, offset, handle, slot, data])
    }
}

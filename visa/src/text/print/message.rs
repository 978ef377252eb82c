//! Memory, sampler and send instructions.

use std::fmt::{self, Write};

use narrow::{as_index, low_u8};

use super::{
    super::{memory::BLOCK_BYTES, sampler::*},
    Printer,
};
use crate::{
    inst::Record,
    op::{AvsBlock, MediaModifier, PixelFormat, SamplerOp},
    opcode::Opcode,
    operand::*,
    table::{self, Enc, Row, Slot, Text},
    types::*,
};

/// The word for an operation of the sampler.
fn sampler_word(op: Option<SamplerOp>) -> &'static str {
    op.map_or("sampler_unknown", SamplerOp::name)
}

impl Printer<'_> {
    pub(super) fn message(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        match record.opcode {
            Opcode::OwordLd | Opcode::OwordSt | Opcode::OwordLdUnaligned => self.oword(record, operands),
            Opcode::MediaLd | Opcode::MediaSt => self.media(record, operands),
            Opcode::Gather | Opcode::Scatter => self.gather(record, operands),
            Opcode::RawSend | Opcode::RawSends | Opcode::RawSendg => self.send(record, operands),
            Opcode::VmeIme | Opcode::VmeFbr => self.vme(record, operands),
            Opcode::Va | Opcode::VaSklPlus => self.va(record, operands),
            _ => self.sampler_message(record, operands),
        }
    }

    /// A message whose text its row says.
    pub(super) fn by_slots(
        &mut self,
        row: &'static Row,
        record: &Record,
        operands: &[Operand],
    ) -> fmt::Result {
        self.out.push_str(row.name);
        let written = || row.operand_slots().zip(operands);
        for (slot, operand) in written().filter(|(slot, _)| !slot.text.is_operand()) {
            self.behind_name(slot, operand.num())?;
        }
        if row.has_exec() {
            self.exec(record)?;
        }
        for text in [Text::First, Text::Operand] {
            for (_, operand) in written().filter(|(slot, _)| slot.text == text) {
                self.operand(operand)?;
            }
        }
        Ok(())
    }

    /// What stands behind a message's name.
    fn behind_name(&mut self, slot: &Slot, stored: u32) -> fmt::Result {
        match slot.text {
            Text::Power => write!(self.out, ".{}", power(stored)),
            Text::BlockBytes => write!(self.out, ".{}", BLOCK_BYTES[as_index(stored) & 3]),
            Text::Channels => write!(self.out, ".{}", ChannelMask(low_u8(stored)).name()),
            Text::Atomic => self.atomic(stored),
            Text::Block => {
                self.out.push_str(if stored & 8 != 0 { "" } else { ".aligned" });
                write!(self.out, " ({})", power(stored & 7))
            }
            Text::First | Text::Operand | Text::Zero => Ok(()),
        }
    }

    fn atomic(&mut self, raw: u32) -> fmt::Result {
        let op = AtomicOp::from_raw(low_u8(raw) & 31).map_or("", AtomicOp::name);
        let width = match raw >> 5 {
            1 => ".16",
            2 => ".64",
            _ => "",
        };
        write!(self.out, ".{op}{width}")
    }

    fn oword(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        self.out.push_str(record.opcode.name());
        let mut rest = &operands[1..];
        if record.opcode != Opcode::OwordSt {
            self.out.push_str(if operands[1].num() & 1 != 0 { ".mod" } else { "" });
            rest = &operands[2..];
        }
        write!(self.out, " ({})", power(operands[0].num() & 7))?;
        self.all(rest)
    }

    fn media(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let modifier = MediaModifier::from_raw(low_u8(operands[0].num())).unwrap_or(MediaModifier::None);
        write!(self.out, "{}.{modifier} ({},{})", record.opcode, operands[3].num(), operands[4].num())?;
        self.operand(&operands[1])?;
        self.operand(&operands[2])?;
        self.all(&operands[5..])
    }

    fn gather(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let load = record.opcode == Opcode::Gather;
        let modifier = if load && operands[1].num() & 1 != 0 { ".mod" } else { "" };
        let count = operands[if load { 2 } else { 1 }].num();
        let size = match count & 3 {
            0 => ExecSize::S8,
            1 => ExecSize::S16,
            _ => ExecSize::S1,
        };
        write!(self.out, "{}{modifier}.{}", record.opcode, power(operands[0].num() & 3))?;
        self.exec_of(Exec { size, mask: EMask::from_raw(low_u8(count >> 4)) })?;
        self.out.push_str(modifier);
        self.all(&operands[if load { 3 } else { 2 }..])
    }

    fn send(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let modifier = operands[0].num();
        let conditional = if modifier & 1 != 0 { "c" } else { "" };
        let eot = if modifier & 2 != 0 { "_eot" } else { "" };
        match record.opcode {
            Opcode::RawSend => {
                write!(self.out, "raw_send{conditional}")?;
                self.exec(record)?;
                write!(self.out, " {:#x}", operands[1].num())?;
                self.all(&operands[2..])
            }
            Opcode::RawSends => {
                let n = |i: usize| operands[i].num();
                write!(self.out, "raw_sends{conditional}{eot}.{}.{}.{}.{}", n(4), n(1), n(2), n(3))?;
                self.exec(record)?;
                self.all(&operands[5..])
            }
            _ => {
                write!(self.out, "raw_sendg{conditional}{eot}.{:#X}", operands[1].num())?;
                self.exec(record)?;
                for pair in operands[2..8].chunks(2) {
                    self.operand(&pair[0])?;
                    write!(self.out, "/{}", pair[1].num())?;
                }
                self.all(&operands[8..10])?;
                let desc = u64::from(operands[11].num()) << 32 | u64::from(operands[10].num());
                write!(self.out, " 0x{desc:X}")
            }
        }
    }

    fn vme(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        self.out.push_str(record.opcode.name());
        let (inputs, surface, rest) = match record.opcode {
            Opcode::VmeIme => {
                write!(self.out, "({},{})", operands[0].num(), operands[1].num())?;
                (2..4, 4, 5..9)
            }
            _ => {
                self.out.push_str(" (");
                self.operand(&operands[3])?;
                self.out.push(',');
                self.operand(&operands[4])?;
                self.out.push(',');
                self.operand(&operands[5])?;
                self.out.push(')');
                (0..2, 2, 6..7)
            }
        };
        self.operand(&operands[surface])?;
        self.all(&operands[inputs])?;
        self.all(&operands[rest])
    }

    fn va(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let name = VA_NAMES.get(usize::from(record.sub)).copied().unwrap_or("?");
        write!(self.out, "{}.{name}", record.opcode)?;
        let Some(row) = table::lookup(record.opcode, record.sub) else { return Ok(()) };
        let mut start = 0;
        if matches!(operands[0], Operand::Sampler(_)) {
            self.operand(&operands[1])?;
            self.operand(&operands[0])?;
            start = 2;
        }
        for (slot, operand) in row.operand_slots().zip(operands).skip(start) {
            match (slot.enc, operand) {
                (Enc::U8, Operand::Num(n)) => self.va_byte(record.sub, slot.name, *n),
                (_, Operand::Vector(VectorOperand::Immediate { bits, .. }))
                    if record.sub == 2 && slot.name == "mode" =>
                {
                    let word = usize::try_from(*bits)
                        .ok()
                        .and_then(|bits| va_words(17, "mode").get(bits))
                        .copied()
                        .unwrap_or("?");
                    write!(self.out, " {word}")?;
                }
                _ => self.operand(operand)?,
            }
        }
        Ok(())
    }

    fn va_byte(&mut self, sub: u8, slot: &str, value: u32) {
        let words = va_words(sub, slot);
        let (mode, big) = match sub {
            1 => (value & 3, value & 4 != 0),
            _ => (value & 15, value & 16 != 0),
        };
        if let Some(word) = words.get(as_index(mode)).filter(|w| !w.is_empty()) {
            self.out.push(' ');
            self.out.push_str(word);
        }
        if va_has_region(sub, slot) {
            self.out.push_str(if big { " 31x31" } else { " 15x15" });
        }
    }

    fn sampler_message(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        match record.opcode {
            Opcode::Sample3d | Opcode::Load3d | Opcode::Gather43d => self.sample(record, operands),
            Opcode::Info3d => {
                let op = SamplerOp::from_raw(low_u8(operands[0].num()));
                self.out.push_str(sampler_word(op));
                if op.is_some_and(|op| op.kind().is_none()) {
                    write!(self.out, ".{}", ChannelMask(low_u8(operands[1].num())).name())?;
                }
                self.exec(record)?;
                self.all(&operands[2..])
            }
            Opcode::SampleLegacy | Opcode::LoadLegacy => {
                let mode = operands[0].num();
                let lanes = if mode >> 4 & 3 == 0 { 8 } else { 16 };
                write!(self.out, "{}.{} ({lanes})", record.opcode, ChannelMask(low_u8(mode)).name())?;
                self.all(&operands[1..])
            }
            Opcode::SampleUnorm => {
                let mode = operands[0].num();
                let format = PixelFormat::ALL[as_index(mode) >> 4 & 3];
                write!(self.out, "sample_unorm.{}.{format}", ChannelMask(low_u8(mode)).name())?;
                self.all(&operands[1..])
            }
            Opcode::Avs => {
                write!(self.out, "avs.{}", ChannelMask(low_u8(operands[0].num())).name())?;
                self.operand(&operands[2])?;
                self.operand(&operands[1])?;
                self.all(&operands[3..10])?;
                write!(self.out, " {}", AVS_FORMATS[as_index(operands[10].num()) & 3])?;
                self.operand(&operands[11])?;
                write!(self.out, " {}", AvsBlock::ALL[as_index(operands[12].num()) & 3])?;
                self.all(&operands[13..])
            }
            Opcode::RtWrite3d | Opcode::RtRead => {
                self.out.push_str(record.opcode.name());
                let mode = operands[0].num();
                if mode != 0 {
                    self.out.push('.');
                }
                for &(word, bits) in target_modes(record.opcode) {
                    if mode & u32::from(bits) != 0 {
                        write!(self.out, "<{word}>")?;
                    }
                }
                self.exec(record)?;
                self.all(&operands[1..])
            }
            Opcode::UrbWrite3d => {
                self.out.push_str("urb_write_3d");
                self.exec(record)?;
                write!(self.out, " {} {}", operands[0].num(), operands[2].num())?;
                self.operand(&operands[1])?;
                self.all(&operands[3..])
            }
            _ => {
                self.out.push_str(record.opcode.name());
                self.all(operands)
            }
        }
    }

    fn sample(&mut self, record: &Record, operands: &[Operand]) -> fmt::Result {
        let op = operands[0].num();
        self.out.push_str(sampler_word(SamplerOp::from_raw(low_u8(op))));
        for (word, bit) in [(".pixel_null_mask", 8), (".cps", 9), (".divS", 10)] {
            if op >> bit & 1 != 0 {
                self.out.push_str(word);
            }
        }
        let channels = low_u8(operands[1].num());
        let mask = if record.opcode == Opcode::Gather43d { 1 << (channels & 3) } else { channels };
        write!(self.out, ".{}", ChannelMask(mask).name())?;
        self.exec(record)?;
        // Texel offsets, sampler, surface and destination; then the paired surface, if there is one.
        let paired = if record.opcode == Opcode::Load3d { 5 } else { 6 };
        self.out.push(' ');
        self.all(&operands[2..paired])?;
        if !operands[paired].raw().is_null() {
            self.operand(&operands[paired])?;
        }
        self.all(&operands[paired + 1..])
    }
}

const fn power(code: u32) -> u32 {
    1 << (code & 31)
}

//! Messages: what each channel sends is written down, and what comes back is a number of its own for each element.

use super::{Event, Machine, Value, mix};
use crate::replay::{
    files::Files,
    layout::{Lanes, Layout, layout_of, row_bytes},
};
use gen_ir::{Desc, Dst, Inst, SendInfo};
use messages::hdc::ScratchBlock;

/// An element of what a message sends, or of what comes back: its number among those of its channel, its place and bytes.
type Element = (u32, (usize, usize), usize);

/// Where the parts of a message are.
struct Parts {
    /// Storage, first byte and bytes of the two parts of the payload.
    sent: [Option<((usize, usize), usize)>; 2],
    dst: Option<((usize, usize), usize)>,
    header: usize,
}

impl Parts {
    /// The place of a byte of the payload, which goes on in its second part.
    fn sent_at(&self, byte: usize) -> Option<(usize, usize)> {
        let mut byte = byte;
        for ((s, at), len) in self.sent.into_iter().flatten() {
            if byte < len {
                return Some((s, at + byte));
            }
            byte -= len;
        }
        None
    }

    /// Bytes of the first part, and of both.
    fn lengths(&self) -> [usize; 2] {
        let len = |part: Option<(_, usize)>| part.map_or(0, |p| p.1);
        [len(self.sent[0]), len(self.sent[0]) + len(self.sent[1])]
    }
}

/// Number in an event of what no channel has.
const OF_THREAD: u32 = 1 << 16;

impl<S: Files> Machine<'_, S> {
    pub(super) fn message(&mut self, inst: &Inst<S>) -> Result<(), String> {
        let info = *inst.send().ok_or("a message without fields")?;
        let parts = self.parts(inst, &info);
        match layout_of(inst) {
            None => Err(format!("a message that the replay does not know: {info:?}")),
            Some(Layout::Scratch) => self.scratch_message(inst, &info, &parts),
            Some(Layout::Block) => self.block_message(inst, &parts),
            Some(Layout::Lanes(lanes)) => {
                self.lane_message(inst, &parts, lanes);
                Ok(())
            }
        }
    }

    fn parts(&self, inst: &Inst<S>, info: &SendInfo<S>) -> Parts {
        let part = |i: usize, registers: u8| {
            let reg = inst.src[i].reg().filter(|r| !r.is_null())?;
            (registers > 0).then_some((self.at(reg)?, usize::from(registers) * self.grf))
        };
        let dst = match inst.dst {
            Dst::Direct { reg, .. } if !reg.is_null() && info.dst_len > 0 => {
                self.at(reg).map(|at| (at, usize::from(info.dst_len) * self.grf))
            }
            _ => None,
        };
        let header = match info.desc {
            Desc::Imm(desc) if info.sfid.may_have_header() && desc.header_present() => self.grf,
            _ => 0,
        };
        Parts { sent: [part(0, info.src0_len), part(1, info.src1_len)], dst, header }
    }

    /// A message of channels: those that run send their elements, and get theirs.
    fn lane_message(&mut self, inst: &Inst<S>, parts: &Parts, layout: Lanes) {
        let run = self.count_run(inst.origin);
        let mut running = Vec::new();
        let (mut any, mut any_on, mut any_unsure) = (false, false, false);
        // All is sent before anything comes back. What is written down does not depend on what nobody knows.
        for lane in 0..inst.exec.lanes() {
            let channel = lane + u32::from(inst.chan);
            if !inst.no_mask && self.active >> channel & 1 == 0 {
                continue;
            }
            let (on, unsure) = self.lane_pred(inst, lane);
            (any, any_on, any_unsure) = (true, any_on | on, any_unsure | unsure);
            for (number, at, bytes) in self.sent_elements(inst, parts, layout, lane) {
                let value = if on { self.load(at, bytes) } else { Value::known(0) };
                self.log.push((inst.origin, lane << 8 | number, value.bits, value.is_poison() || unsure));
            }
            if on || unsure {
                running.push((lane, unsure));
            }
        }
        // The header is the message's, whoever sends it.
        for byte in (0..if any { parts.header } else { 0 }).step_by(4) {
            let Some(at) = parts.sent_at(byte) else { continue };
            let value = if any_on { self.load(at, 4) } else { Value::known(0) };
            let poison = value.is_poison() || any_unsure;
            self.log.push((inst.origin, OF_THREAD | byte as u32, value.bits, poison));
        }
        for (lane, unsure) in running {
            for (number, at, bytes) in self.response_elements(inst, parts, layout, lane) {
                let value = mix(mix(run, u64::from(inst.origin)), u64::from(lane << 8 | number));
                self.save(at, bytes, Value::known_unless(value, unsure));
            }
        }
        self.behind_channels(inst, parts, layout);
    }

    /// What a channel sends.
    fn sent_elements(&self, inst: &Inst<S>, parts: &Parts, layout: Lanes, lane: u32) -> Vec<Element> {
        let [first, all] = parts.lengths();
        let mut out = Vec::new();
        let (mut row, mut number) = (parts.header, 0);
        while row < all {
            // Where messages are parted, all of the first part are addresses, and all of the second are data.
            let addresses = if layout.parted { row < first } else { number == 0 };
            let element = if addresses { layout.address } else { layout.data };
            let byte = row + lane as usize * element;
            if let Some(at) = parts.sent_at(byte).filter(|_| byte + element <= all) {
                out.push((number, at, element));
            }
            row += self.row(element, inst);
            number += 1;
        }
        out
    }

    /// What a channel gets.
    fn response_elements(&self, inst: &Inst<S>, parts: &Parts, layout: Lanes, lane: u32) -> Vec<Element> {
        let Some(((s, at), len)) = parts.dst else { return Vec::new() };
        let element = layout.response;
        let rows = (0..len).step_by(self.row(element, inst));
        let places = rows.map(|row| row + lane as usize * element).filter(|byte| byte + element <= len);
        (0..).zip(places).map(|(number, byte)| (number, (s, at + byte), element)).collect()
    }

    /// What is behind the last channel in a row of a response is nobody's: lowering and allocation agree on that.
    fn behind_channels(&mut self, inst: &Inst<S>, parts: &Parts, layout: Lanes) {
        let Some(((s, at), len)) = parts.dst else { return };
        let row = self.row(layout.response, inst);
        let used = inst.exec.lanes() as usize * layout.response;
        for first in (0..len).step_by(row) {
            self.store[s].poison[at + (first + used).min(len)..at + (first + row).min(len)].fill(u8::MAX);
        }
    }

    fn row(&self, element: usize, inst: &Inst<S>) -> usize {
        let native = usize::from(self.kernel.platform.caps().regs.native_lanes());
        row_bytes(element, inst.exec.lanes() as usize, native, self.grf)
    }

    /// A message of the thread.
    fn block_message(&mut self, inst: &Inst<S>, parts: &Parts) -> Result<(), String> {
        if !inst.no_mask || inst.pred.is_some() {
            return Err("a block under a mask".into());
        }
        let run = self.count_run(inst.origin);
        let [_, all] = parts.lengths();
        self.log_bytes(inst.origin, parts, 0..all);
        if let Some(((s, at), len)) = parts.dst {
            for byte in (0..len).step_by(4) {
                let value = mix(mix(run, u64::from(inst.origin)), byte as u64);
                self.save((s, at + byte), 4, Value::known(value));
            }
        }
        Ok(())
    }

    fn log_bytes(&mut self, origin: u32, parts: &Parts, bytes: std::ops::Range<usize>) {
        for byte in bytes.step_by(4) {
            let Some(at) = parts.sent_at(byte) else { continue };
            let value = self.load(at, 4);
            let event: Event = (origin, OF_THREAD | byte as u32, value.bits, value.is_poison());
            self.log.push(event);
        }
    }

    /// How often a message was sent before: messages of loops bring another value each time.
    fn count_run(&mut self, origin: u32) -> u64 {
        let n = self.runs.entry(origin).or_insert(0);
        *n += 1;
        *n
    }

    /// A scratch block.
    fn scratch_message(&mut self, inst: &Inst<S>, info: &SendInfo<S>, parts: &Parts) -> Result<(), String> {
        let Desc::Imm(d) = info.desc else { return Err("a scratch message by a register".into()) };
        let block = ScratchBlock::from(d);
        if !inst.no_mask || inst.pred.is_some() || !block.scratch() || !d.header_present() {
            return Err(format!("not a scratch message: {d:?}"));
        }
        let offset = usize::from(block.offset()) * 32;
        let len = 32 << block.size_log2();
        let bytes = parts.sent_at(0).map(|(s, at)| self.store[s].data[at..at + self.grf].to_vec());
        if bytes.as_deref() != Some(&self.store[0].data[..self.grf]) {
            return Err("a scratch message without r0 as its header".into());
        }
        if block.access().is_store() {
            let (s, at) = parts.sent_at(self.grf).ok_or("no data")?;
            self.scratch.copy(offset, &self.store[s], at, len);
        } else {
            let ((s, at), _) = parts.dst.ok_or("no destination")?;
            self.store[s].copy(at, &self.scratch, offset, len);
        }
        Ok(())
    }
}

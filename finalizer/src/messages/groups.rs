//! Messages of more lanes than a shared function takes at once: groups of lanes, one after the other.
//!
//! A raw operand of a message holds blocks of lanes, as of each channel: element `k` of all lanes, then element
//! `k + 1`. So the part of a group is contiguous only where there is one block; else it is gathered into
//! registers of its own. Responses always are, and are brought to their places behind the last message: no
//! group may overwrite what the next one reads.

use gen_ir::{ExecSize, PredCtrl};
use narrow::{as_index, every, to_index, to_u8};
use smallvec::SmallVec;
use visa::{
    Access, Op as Visa, RawOperand, VarId,
    op::{Holds, LaneGroup, LaneMessage, LaneOperand, LaneTarget, Payload},
};

use crate::{
    build::{self, Lanes, VReg},
    lower::{Lowered, Lowerer},
};

/// A response of a group, to be brought to its lanes.
struct Pending {
    lanes: Lanes,
    to: VReg,
    from: VReg,
    bytes: u32,
}

/// Operands that stand for registers of the lowering have numbers from here on.
const STAGED: u32 = 1 << 31;

impl Lowerer<'_> {
    /// Lowers a message with operands per lane, in as many groups of lanes as it takes.
    pub(crate) fn lane_message(&mut self, op: &Visa<'_>, message: LaneMessage) -> Lowered {
        let width = self.group_width(op, message.group);
        if self.lanes.exec.lanes() <= width {
            return self.one_group(op, message.target);
        }
        self.guards_by_lane();
        let whole = self.lanes;
        let mut pending: SmallVec<[Pending; 8]> = SmallVec::new();
        for first in every(0..whole.exec.lanes(), width) {
            self.lanes = Lanes {
                exec: ExecSize::from_lanes(width).unwrap_or(ExecSize::S8),
                chan: whole.chan + to_u8(first),
                no_mask: whole.no_mask,
            };
            let mut part = *op;
            let staged = self.staged.len();
            let done = part.payloads_mut(&mut |operand, payload| {
                self.part_of_group(operand, payload, whole.exec.lanes(), first, &mut pending)
            });
            let done = done.and_then(|()| self.lane_message(&part, message));
            self.staged.truncate(staged);
            done?;
        }
        for p in pending {
            self.lanes = p.lanes;
            self.copy_lanes(p.to, p.from, p.bytes);
        }
        self.lanes = whole;
        Ok(())
    }

    /// What guards a message in groups of lanes is a condition of each lane: whether any or all of them meet it is asked before.
    pub(super) fn guards_by_lane(&mut self) {
        let Some(guard) = self.pred.filter(|p| p.ctrl != PredCtrl::Seq) else { return };
        let (words, flag) = (self.temp(self.lanes.exec.lanes(), 2), self.var(build::flag(self.lanes)));
        for inst in build::by_channel(self.lanes, guard, words, flag) {
            self.emit(inst);
        }
        self.pred = Some(build::pred(flag));
    }

    fn one_group(&mut self, op: &Visa<'_>, target: LaneTarget) -> Lowered {
        match target {
            LaneTarget::Surface => self.dataport(op),
            LaneTarget::Texels => self.typed(op),
            LaneTarget::Memory => self.svm(op),
            LaneTarget::Sampler => self.sampler_info(op),
        }
    }

    /// Lanes of one message.
    fn group_width(&self, op: &Visa<'_>, group: LaneGroup) -> u32 {
        match group {
            LaneGroup::Native => self.native_lanes(),
            LaneGroup::Sixteen => 16,
            LaneGroup::SixteenIfShort => {
                let bytes = |operand: Option<LaneOperand>| operand.map_or(0, |o| o.holds.total(16));
                let data = op.lane_data();
                let access = if data.is_some_and(|d| d.written) { Access::Load } else { Access::Store };
                let short = self.data_fits(access, bytes(op.lane_addresses()), bytes(data));
                if short { 16 } else { self.native_lanes() }
            }
        }
    }

    /// Whether a message's payload or response is as short as the platform needs it.
    pub(crate) fn data_fits(&self, access: Access, addresses: u32, data: u32) -> bool {
        let registers = |bytes: u32| bytes.div_ceil(self.grf());
        let sends = &self.caps.sends;
        match access {
            Access::Load => registers(data) <= sends.response_most.into(),
            Access::Store if sends.split => registers(data) <= sends.second_most.into(),
            Access::Store => registers(addresses) + registers(data) <= sends.payload_most.into(),
        }
    }

    /// What an operand is in a group of lanes.
    fn part_of_group(
        &mut self,
        operand: &mut RawOperand,
        payload: Payload,
        lanes: u32,
        first: u32,
        pending: &mut SmallVec<[Pending; 8]>,
    ) -> Lowered {
        let Holds::Lanes(shape) = payload.holds else { return Ok(()) };
        let whole = self.raw(*operand)?;
        if whole.is_null() {
            return Ok(());
        }
        let own = self.lanes.exec.lanes() * shape.stride;
        let (block, own_block) = (lanes * shape.stride, own.next_multiple_of(self.grf()));
        let at = |k: u32| whole.plus(k * block + first * shape.stride);
        if shape.blocks == 1 && !payload.is_written() {
            *operand = self.stage(at(0));
            return Ok(());
        }
        let staged = self.payload((shape.blocks * own_block).div_ceil(self.grf()));
        for k in 0..shape.blocks {
            let (to, from) = (at(k), staged.plus(k * own_block));
            if payload.is_written() {
                pending.push(Pending { lanes: self.lanes, to, from, bytes: shape.stride });
            } else {
                self.copy_bytes(from, to, own);
            }
        }
        *operand = self.stage(staged);
        Ok(())
    }

    /// An operand that stands for registers.
    pub(crate) fn stage(&mut self, reg: VReg) -> RawOperand {
        self.staged.push(reg);
        RawOperand { var: VarId(STAGED + to_index(self.staged.len()) - 1), offset: 0 }
    }

    /// The registers that an operand of [`stage`](Self::stage) stands for.
    pub(crate) fn staged(&self, operand: RawOperand) -> Option<VReg> {
        let at = operand.var.0.checked_sub(STAGED)?;
        self.staged.get(as_index(at)).map(|reg| reg.plus(operand.offset.into()))
    }
}

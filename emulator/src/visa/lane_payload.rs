//! What of each lane the raw operands of a message hold, and where: as the message's entry in vISA's table says.

use super::thread::VisaThread;
use visa::{
    ExecSize, Inst, RawOperand,
    op::{Holds, LaneOperand, PerLane},
};

/// A raw operand with something of each lane.
#[derive(Clone, Copy)]
pub(super) struct LanePayload {
    pub operand: RawOperand,
    /// How it has that of a lane.
    pub holds: PerLane,
    /// The message writes it.
    pub written: bool,
    /// Bytes from a block of all lanes to the next.
    pitch: u32,
}

impl LanePayload {
    /// Where a lane has its own of a block.
    pub fn at(&self, block: u32, lane: u32) -> u32 {
        block * self.pitch + lane * self.holds.stride
    }

    /// Where the blocks end.
    pub fn end(&self) -> u32 {
        self.holds.blocks * self.pitch
    }
}

impl VisaThread<'_> {
    /// Addresses or coordinates of a message of lanes.
    pub fn lane_addresses(&self, inst: &Inst<'_>) -> Option<LanePayload> {
        Some(self.held(inst.exec.size, inst.op.lane_addresses()?))
    }

    /// What lanes load or store, or get back of an atomic.
    pub fn lane_data(&self, inst: &Inst<'_>) -> Option<LanePayload> {
        Some(self.held(inst.exec.size, inst.op.lane_data()?))
    }

    /// An operand of a message of so many lanes. A message has data of as many lanes as a register has dwords, at least.
    fn held(&self, lanes: ExecSize, operand: LaneOperand) -> LanePayload {
        let LaneOperand { operand, holds, written } = operand;
        let grf = self.program.grf;
        LanePayload { operand, holds, written, pitch: holds.pitch(lanes.lanes().max(grf / 4), grf) }
    }

    /// The operands of a message that hold something of each lane, in the order of its entry.
    pub fn lane_operands(&self, inst: &Inst<'_>) -> Vec<LanePayload> {
        let kernel = self.unit().kernel;
        let mut found = Vec::new();
        inst.op.payloads(|operand, payload| {
            let written = payload.is_written();
            match payload.holds.of_elements(kernel.payload_element_bytes(operand)) {
                Holds::Lanes(holds) => {
                    found.push(self.held(inst.exec.size, LaneOperand { operand, holds, written }));
                }
                Holds::OwnLanes(lanes, holds) => {
                    found.push(LanePayload { operand, holds, written, pitch: holds.blocks(1).total(lanes) });
                }
                _ => {}
            }
        });
        found
    }
}

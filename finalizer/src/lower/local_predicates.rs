//! Which predicates are local to their block: what decides whether logic on them may overwrite disabled channels.

use narrow::low_u32;
use visa::{Kernel, Opcode, Operand, PredId, PredOperand, VectorOperand};

use super::route::Route;
use crate::lists::reset;

/// For each predicate, whether every read follows a write of the same channels in the same block, and
/// reads outside of the mask follow writes outside of it.
#[derive(Debug, Default)]
pub(crate) struct Predicates {
    local: Vec<bool>,
    /// Channels that somebody reads or writes.
    used: Vec<u32>,
    written: Vec<Written>,
}

impl Predicates {
    /// Nothing is known of `count` predicates.
    pub(crate) fn reset(&mut self, count: usize) {
        reset(&mut self.local, count, true);
        reset(&mut self.used, count, 0);
        reset(&mut self.written, count, Written::default());
    }

    /// Whether nobody looks at the bits of channels that writes leave out.
    pub(crate) fn is_local(&self, id: PredId) -> bool {
        id.declared().and_then(|i| self.local.get(i)).copied().unwrap_or(false)
    }

    /// Channels that somebody reads or writes.
    pub(crate) fn used(&self, id: PredId) -> u32 {
        id.declared().and_then(|i| self.used.get(i)).copied().unwrap_or(u32::MAX)
    }

    /// Whether nobody looks at bits of channels from `channel` on.
    pub(crate) fn ends_at(&self, id: PredId, channel: u32) -> bool {
        self.used(id).checked_shr(channel).unwrap_or(0) == 0
    }

    /// Looks at the next instruction that has to do with predicates. It is in block number `block`, counted
    /// from 1.
    pub(crate) fn visit(&mut self, kernel: &Kernel, index: usize, block: u32) {
        let record = &kernel.code[index];
        let exec = match record.opcode {
            // Their operands say.
            Opcode::Gather | Opcode::Scatter => kernel.try_inst(index).map_or(record.exec, |i| i.exec),
            _ => record.exec,
        };
        let first = exec.first_lane();
        let lanes = low_u32(((1u64 << exec.size.lanes()) - 1) << first);
        let all = exec.is_no_mask();
        if let Some(guard) = record.pred {
            self.note(guard, lanes);
            self.read(guard, lanes, all, block);
        }
        // The position of the destination, or of the predicate that is a second one.
        let target = match record.opcode {
            Opcode::Setp => Some(0),
            Opcode::Cmp | Opcode::Invm | Opcode::Rsqtm => Some(1),
            opcode => Route::of(opcode).is_alu().then_some(0),
        };
        let moves_bits = record.opcode == Opcode::Mov;
        let operands = kernel.operands_of(record);
        for (i, operand) in operands.iter().enumerate() {
            let Operand::Vector(VectorOperand::Predicate(p, _)) = operand else { continue };
            if !moves_bits {
                self.note(*p, lanes);
            }
            if target != Some(i) {
                self.read(*p, if moves_bits { u32::MAX } else { lanes }, all || moves_bits, block);
            }
        }
        if let Some(Operand::Vector(VectorOperand::Predicate(p, _))) = target.and_then(|i| operands.get(i)) {
            // Bits of a scalar are set outside of the mask.
            let bits =
                |o: &Operand| matches!(o, Operand::Vector(v) if gives_bits(kernel, exec.size.lanes(), v));
            let all = all || record.opcode == Opcode::Setp && operands.get(1).is_some_and(bits);
            // Logic leaves nothing sure in the other bits of what it operates on.
            if Route::of(record.opcode).is_alu() {
                let whole = match (exec.size.lanes(), first) {
                    (32, _) => u32::MAX,
                    (_, 16..) => 0xffff_0000,
                    _ => 0xffff,
                };
                self.forget(*p, whole);
            }
            if record.pred.is_none() {
                self.write(*p, lanes, all, block);
            }
        }
    }

    fn note(&mut self, p: PredOperand, lanes: u32) {
        if let Some(used) = p.id.declared().and_then(|i| self.used.get_mut(i)) {
            *used |= lanes;
        }
    }

    fn read(&mut self, p: PredOperand, lanes: u32, all: bool, block: u32) {
        let Some(i) = p.id.declared().filter(|i| *i < self.local.len()) else { return };
        let w = self.written[i];
        let there = match (w.block == block, all) {
            (false, _) => 0,
            (true, true) => w.unmasked,
            (true, false) => w.masked | w.unmasked,
        };
        if lanes & !there != 0 {
            self.local[i] = false;
        }
    }

    fn forget(&mut self, p: PredOperand, lanes: u32) {
        let Some(w) = p.id.declared().and_then(|i| self.written.get_mut(i)) else { return };
        (w.masked, w.unmasked) = (w.masked & !lanes, w.unmasked & !lanes);
    }

    fn write(&mut self, p: PredOperand, lanes: u32, all: bool, block: u32) {
        let Some(w) = p.id.declared().and_then(|i| self.written.get_mut(i)) else { return };
        if w.block != block {
            *w = Written { block, ..Written::default() };
        }
        if all {
            w.unmasked |= lanes;
        } else {
            w.masked |= lanes;
        }
    }
}

/// Where a predicate was last written, and for which channels.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    block: u32,
    masked: u32,
    unmasked: u32,
}

/// Whether `setp` of so many lanes takes the bits of an operand one by one, not the lowest of each element: of a scalar, and in media
/// kernels of one element whatever its region (`TranslateALU.cpp` of Intel's finalizer).
pub(super) fn gives_bits(kernel: &Kernel, lanes: u32, src: &VectorOperand) -> bool {
    let region = match src {
        VectorOperand::General(g) => g.region,
        VectorOperand::Indirect(r) => r.region,
        _ => return true,
    };
    region.is_scalar() || kernel.is_cm() && lanes == 1
}

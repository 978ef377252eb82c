//! Instructions added, moved, doubled, cut in halves, taken out.

use visa::{
    EMask, Exec, ExecSize, GeneralOperand, Opcode, Operand, PredId, PredOperand, Predefined, Record, Region,
    Type, VarId, VectorOperand,
};

use super::{
    alter::Drawer,
    change::{Change, Written},
};

/// Whether lanes may go somewhere else at an instruction, or come there.
fn is_flow(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Label
            | Subroutine
            | Jmp
            | Goto
            | Call
            | Ret
            | Fcall
            | Ifcall
            | Fret
            | Switchjmp
            | Lifetime
            | File
            | Loc
    )
}

/// An instruction that no text has.
fn new(opcode: Opcode, exec: Exec, operands: Vec<Operand>) -> Written {
    let record = Record { opcode, sub: 0, exec, pred: None, first: 0, count: 0, place: 0 };
    Written { record, operands }
}

const ONE: Exec = Exec { size: ExecSize::S1, mask: EMask::M1_NM };

/// The bits of the control register that say how floats are rounded, and which of them keep denormals (spec, "%cr0"): rounding
/// is in bits 4 and 5, doubles in 6, singles in 7, halves in 10.
const MODE_BITS: [u64; 8] = [0x10, 0x20, 0x30, 0x40, 0x80, 0x400, 0x4c0, 0x4f0];

impl Drawer<'_> {
    /// Draws a change at the place.
    pub(super) fn change(&mut self) -> Option<Change> {
        let old = Written::of(self.kernel, self.at);
        let is_plain = !is_flow(old.record.opcode);
        let at = self.at;
        let behind = |mut before: Vec<Written>, last: Written| {
            before.push(last);
            Some(Change::at(at, before))
        };
        match self.random.below(20) {
            0 if is_plain => self.halves(old),
            1 if is_plain => self.doubled(old),
            2 => behind(self.modes(), old),
            3 => behind(self.test(old.record.exec)?, old),
            4 if is_plain => Some(Change::at(self.at, Vec::new())),
            5..=6 if is_plain => self.moved(),
            7 if old.record.opcode == Opcode::Jmp => {
                let size = self.threads()?;
                let mut new = old;
                new.record.opcode = Opcode::Goto;
                new.record.exec = Exec { size, mask: EMask::M1 };
                Some(Change::at(self.at, vec![new]))
            }
            _ if !is_plain => {
                let pred = old.record.pred?;
                behind(self.diverge(pred, old.record.exec)?, old)
            }
            _ => {
                let mut new = old.clone();
                for _ in 0..=self.random.below(3) {
                    self.alter(&mut new);
                }
                (new != old).then(|| Change::at(self.at, vec![new]))
            }
        }
    }

    /// Lanes of the thread.
    fn threads(&self) -> Option<ExecSize> {
        let lanes = self.kernel.attr_int("SimdSize").and_then(|n| u32::try_from(n).ok());
        ExecSize::from_lanes(lanes.filter(|n| *n >= 8).unwrap_or(16))
    }

    /// The two halves of an instruction, each with its lanes.
    fn halves(&mut self, old: Written) -> Option<Change> {
        let lanes = old.record.exec.size.lanes();
        let (size, mask) = (ExecSize::from_lanes(lanes / 2)?, old.record.exec.mask);
        if !old.record.opcode.is_plain() && old.record.opcode != Opcode::Cmp {
            return None;
        }
        let mut halves = [old.clone(), old];
        for (half, w) in halves.iter_mut().enumerate() {
            let first = half as u32 * (lanes / 2);
            w.record.exec = Exec { size, mask: EMask::from_raw(mask.raw() + (first / 4) as u8) };
            for operand in &mut w.operands {
                if let Operand::Vector(VectorOperand::General(g)) = operand {
                    *g = self.half_region(*g, first, lanes / 2)?;
                }
            }
        }
        Some(Change::at(self.at, halves.into()))
    }

    /// What a region is for some of its lanes, from `first` on.
    fn half_region(&self, g: GeneralOperand, first: u32, lanes: u32) -> Option<GeneralOperand> {
        let size = self.kernel.var_type(g.var)?.bytes();
        let grf = u32::from(self.platform.caps().regs.grf_bytes);
        let byte = u32::from(g.col) * size + g.region.element(first) * size;
        let region = match (g.region.vstride(), g.region.width(), g.region.hstride()) {
            (Some(_), Some(w), h) if u32::from(w) > lanes => Region::src(h?, 1, 0),
            _ => g.region,
        };
        Some(GeneralOperand { row: g.row + (byte / grf) as u8, col: (byte % grf / size) as u8, region, ..g })
    }

    /// The instruction and another like it.
    fn doubled(&mut self, old: Written) -> Option<Change> {
        let mut new = old.clone();
        for _ in 0..=self.random.below(2) {
            self.alter(&mut new);
        }
        let both = if self.random.below(2) == 0 { [old, new] } else { [new, old] };
        Some(Change::at(self.at, both.into()))
    }

    /// How floats are rounded is changed, or what becomes of denormals.
    fn modes(&mut self) -> Vec<Written> {
        let opcode = *self.random.pick(&[Opcode::Or, Opcode::Xor]);
        let control = |region| {
            let var = VarId(Predefined::Cr0 as u32);
            let g = GeneralOperand { var, row: 0, col: 0, region, modifier: visa::Modifier::None };
            Operand::Vector(VectorOperand::General(g))
        };
        let bits = VectorOperand::imm(Type::UD, *self.random.pick(&MODE_BITS));
        let operands = vec![control(Region::dst(1)), control(Region::src(0, 1, 0)), Operand::Vector(bits)];
        vec![new(opcode, ONE, operands)]
    }

    fn of_predicate(id: PredId) -> Operand {
        Operand::Vector(VectorOperand::Predicate(PredOperand::new(id), visa::Modifier::None))
    }

    /// Predicates set, compared, combined.
    fn test(&mut self, exec: Exec) -> Option<Vec<Written>> {
        let id = self.predicate()?;
        let size = self.kernel.pred_elements(id).and_then(|n| ExecSize::from_lanes(n.into()))?;
        let dst = Self::of_predicate(id);
        Some(match self.random.below(3) {
            0 => {
                let bits = VectorOperand::imm(
                    if size == ExecSize::S32 { Type::UD } else { Type::UW },
                    self.random.bits(),
                );
                vec![new(Opcode::Setp, Exec { size, mask: EMask::M1_NM }, vec![dst, Operand::Vector(bits)])]
            }
            1 => {
                let whole = Exec { size, mask: EMask::M1 };
                let exec = *self.random.pick(&[exec, whole]);
                vec![self.compare(dst, exec)?]
            }
            _ => {
                let mask = *self.random.pick(&[EMask::M1, EMask::M1_NM]);
                vec![self.compare(dst, exec)?, self.logic(id, id, Exec { size, mask })?]
            }
        })
    }

    fn compare(&mut self, dst: Operand, exec: Exec) -> Option<Written> {
        let ty = *self.random.pick(&[Type::D, Type::UD, Type::F, Type::W, Type::UW, Type::Q, Type::HF]);
        let a = self.source(ty)?;
        let b = if self.random.below(2) == 0 { self.source(ty)? } else { Operand::Vector(self.edge(ty)) };
        let relation = Operand::Num(self.random.below(6) as u32);
        Some(new(Opcode::Cmp, exec, vec![relation, dst, a, b]))
    }

    fn logic(&mut self, to: PredId, a: PredId, exec: Exec) -> Option<Written> {
        let opcode = *self.random.pick(&[Opcode::And, Opcode::Or, Opcode::Xor]);
        let b = self.predicate()?;
        Some(new(opcode, exec, [to, a, b].map(Self::of_predicate).into()))
    }

    /// The predicate that a branch goes by differs between lanes.
    fn diverge(&mut self, pred: PredOperand, exec: Exec) -> Option<Vec<Written>> {
        Some(vec![match self.random.below(3) {
            0 => self.logic(pred.id, pred.id, exec)?,
            _ => self.compare(Self::of_predicate(pred.id), exec)?,
        }])
    }

    /// The instruction stands a few places further down.
    fn moved(&mut self) -> Option<Change> {
        let to = self.at + 1 + self.random.below(6);
        let between = self.kernel.code.get(self.at..=to)?;
        if between.iter().any(|r| is_flow(r.opcode)) {
            return None;
        }
        let here = Written::of(self.kernel, self.at);
        let there = Written::of(self.kernel, to);
        let edits = match self.random.below(3) {
            0 => vec![(self.at, vec![there]), (to, vec![here])],
            1 => vec![(self.at, vec![there, here]), (to, Vec::new())],
            _ => vec![(self.at, Vec::new()), (to, vec![there, here])],
        };
        Some(Change { edits })
    }
}

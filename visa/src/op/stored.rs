//! From stored operands to the typed view, and back.

use super::{
    fields::{Fault, Put, Take},
    *,
};
use crate::{inst::Record, opcode::Opcode, table::Family, types::Exec};

/// What a record holds of a typed instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encoded {
    /// Opcode.
    pub opcode: Opcode,
    /// Sub-opcode, 0 for opcodes without.
    pub sub: u8,
    /// Execution size and mask, for the record.
    pub exec: Exec,
}

impl<'a> Op<'a> {
    /// The typed view of a record, and the execution size where operands hold it.
    #[inline]
    pub(crate) fn of(record: &Record, operands: &'a [Operand]) -> Result<(Op<'a>, Option<Exec>), Fault> {
        // Most instructions are of this kind.
        if record.row().is_some_and(|row| row.family == Family::Alu)
            && let Some((Operand::Vector(dst), srcs)) = operands.split_first()
        {
            return Ok((Op::Alu { dst, srcs: Srcs(srcs) }, None));
        }
        Op::other(record, operands)
    }

    #[inline(never)]
    fn other(record: &Record, operands: &'a [Operand]) -> Result<(Op<'a>, Option<Exec>), Fault> {
        let mut t = Take { operands, at: 0, sub: record.sub, exec: None };
        Op::take(record.opcode, &mut t).map(|op| (op, t.exec))
    }

    /// Appends the operands as the table wants them. `opcode` tells apart the members of a family, where
    /// the view does not, and is otherwise not looked at.
    pub(crate) fn encode(&self, opcode: Opcode, exec: Exec, out: &mut Vec<Operand>) -> Encoded {
        let (opcode, sub) = self.put(opcode, &mut Put { operands: out, exec });
        let exec = match opcode {
            // Their operands have it.
            Opcode::Gather | Opcode::Scatter => Exec::SCALAR,
            _ => exec,
        };
        Encoded { opcode, sub, exec }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::{
        inst::Inst,
        model::Kernel,
        table::{self, Enc, Row},
    };

    use super::*;

    /// Operands that fit a row, every number `n`.
    pub fn operands(row: &Row, n: u32) -> Vec<Operand> {
        let vector = VectorOperand::imm(crate::types::Type::UW, 0);
        let one = |slot: &table::Slot| match slot.enc {
            _ if !slot.when.holds(n) => Some(Operand::Absent),
            Enc::LabelCount => None,
            Enc::Vector | Enc::Aoffimmi => Some(Operand::Vector(vector)),
            Enc::Raw | Enc::RawList => Some(Operand::Raw(RawOperand::NULL)),
            Enc::Surface => Some(Operand::Surface(SurfaceId(7))),
            Enc::Sampler => Some(Operand::Sampler(SamplerId(1))),
            Enc::Label | Enc::LabelList => Some(Operand::Label(LabelId(3))),
            Enc::Str | Enc::StrWide => Some(Operand::Str(StrId(2))),
            _ => Some(Operand::Num(n)),
        };
        row.operand_slots().filter_map(one).collect()
    }

    #[test]
    fn every_row_of_the_table_comes_back_from_its_view() {
        let mut views = 0;
        for row in table::rows() {
            // Numbers that mean nothing are refused, and fields without a meaning do not come back: some
            // number fits every field.
            let fits = [0, 1, 2, 3, 4, 10, 0x0101_0707].into_iter().any(|n| {
                let given = operands(row, n);
                let mut kernel = Kernel::default();
                let sub = row.sub.unwrap_or(0);
                if kernel.push(row.opcode, sub, Exec::SCALAR, None, &given).is_err() {
                    return false;
                }
                let Ok(Inst { op, exec, .. }) = kernel.try_inst(0) else { return false };
                let mut made = Vec::new();
                if matches!(op, Op::Other(_)) {
                    return true;
                }
                let encoded = op.encode(row.opcode, exec, &mut made);
                (encoded, made) == (Encoded { opcode: row.opcode, sub, exec: Exec::SCALAR }, given)
            });
            assert!(fits, "{}", row.name);
            views += 1;
        }
        assert_eq!(views, table::rows().count());
    }

    #[test]
    fn operations_of_the_sampler_without_a_meaning_are_refused() {
        let row = table::lookup(Opcode::Sample3d, 0).expect("is there");
        for (op, means) in [(21, true), (22, false), (59, true), (60, false), (0x200, true), (0x216, false)] {
            let mut kernel = Kernel::default();
            let mut given = operands(row, 0);
            given[0] = Operand::Num(op);
            kernel.push(row.opcode, 0, Exec::SCALAR, None, &given).expect("fits the row");
            assert_eq!(kernel.try_inst(0).is_ok(), means, "{op:#x}");
        }
    }
}

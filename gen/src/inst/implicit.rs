//! What an instruction does beside its operands.

use crate::{Dst, ImplicitAccumulator, Inst, Options, Space, Src};

impl<S: Space> Inst<S> {
    /// What the operation does to the accumulator beside its operands. Macros, whose operands name accumulators of their own, do
    /// not count.
    #[inline]
    pub fn implicit_accumulator(&self) -> ImplicitAccumulator {
        let ImplicitAccumulator { reads, writes } = self.op.info().accumulator;
        ImplicitAccumulator { reads, writes: writes || self.opts.has(Options::ACC_WR_EN) }
    }

    /// Whether an operand has the extra bits of the macros for quotients and roots, which are in accumulators.
    pub fn has_macro_operand(&self) -> bool {
        matches!(self.dst, Dst::Macro { .. }) || self.src.iter().any(|s| matches!(s, Src::Macro { .. }))
    }

    /// Whether the flag of the condition is written: a condition that chooses only compares.
    #[inline]
    pub fn writes_flag(&self) -> bool {
        self.cond.is_some() && !self.op.info().chooses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecSize, Op, Physical};

    #[test]
    fn what_stands_beside_the_operands_is_read_and_written() {
        let does = |op| {
            let ImplicitAccumulator { reads, writes } =
                Inst::<Physical>::new(op, ExecSize::S8).implicit_accumulator();
            (reads, writes)
        };
        assert_eq!(
            [Op::Mac, Op::Mach, Op::Addc, Op::Add].map(does),
            [(true, false), (true, true), (false, true), (false, false)]
        );
    }
}

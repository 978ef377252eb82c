//! Moves, arithmetic, logic, comparisons and address arithmetic.

use super::{Dest, KernelBuilder, Source};
use crate::{
    ids::{AddrId, PredId},
    op::{Extreme, Op, Precision},
    opcode::Opcode,
    operand::{Operand, RawOperand, Srcs},
    table::plain_instructions,
    types::{CondMod, Exec, ExecSize, Modifier},
};

macro_rules! functions {
    ($($opcode:ident = $byte:literal $name:literal $builder:ident($($src:ident),+) $kind:ident $same:literal
        [$($slot:expr),+] $(if $($has:ident).+)?;)+) => {
        impl KernelBuilder {
            $(
                #[doc = concat!("`", $name, "`: the instruction of this name, with as many sources.")]
                pub fn $builder(&mut self, exec: Exec, dst: impl Into<Dest>, $($src: impl Into<Source>),+) {
                    self.alu(Opcode::$opcode, exec, dst.into(), &[$($src.into()),+]);
                }
            )+
        }
    };
}
plain_instructions!(functions);

impl KernelBuilder {
    /// Any instruction of one destination and sources.
    pub fn alu(&mut self, opcode: Opcode, exec: Exec, dst: Dest, srcs: &[Source]) {
        let srcs: Vec<Operand> = srcs.iter().map(|s| Operand::Vector(s.operand(exec.size))).collect();
        self.op(opcode, exec, Op::Alu { dst: &dst.operand(), srcs: Srcs::new(&srcs) });
    }

    /// `cmp`: compares lane by lane, into a predicate or into a variable (all ones or zero).
    pub fn cmp(
        &mut self,
        cond: CondMod,
        exec: Exec,
        dst: impl Into<Dest>,
        a: impl Into<Source>,
        b: impl Into<Source>,
    ) {
        let srcs = [a.into(), b.into()].map(|s: Source| Operand::Vector(s.operand(exec.size)));
        let dst = dst.into().operand();
        self.op(Opcode::Cmp, exec, Op::Cmp { cond, nan_variant: false, dst: &dst, srcs: Srcs::new(&srcs) });
    }

    /// `min`.
    pub fn min(&mut self, exec: Exec, dst: impl Into<Dest>, a: impl Into<Source>, b: impl Into<Source>) {
        self.min_max(Extreme::Min, exec, dst.into(), [a.into(), b.into()]);
    }

    /// `max`.
    pub fn max(&mut self, exec: Exec, dst: impl Into<Dest>, a: impl Into<Source>, b: impl Into<Source>) {
        self.min_max(Extreme::Max, exec, dst.into(), [a.into(), b.into()]);
    }

    fn min_max(&mut self, which: Extreme, exec: Exec, dst: Dest, srcs: [Source; 2]) {
        let srcs = srcs.map(|s| Operand::Vector(s.operand(exec.size)));
        self.op(Opcode::Fminmax, exec, Op::MinMax { which, dst: &dst.operand(), srcs: Srcs::new(&srcs) });
    }

    /// `bfn`: the bitwise function of three sources that the truth table gives.
    pub fn bfn(&mut self, function: u8, exec: Exec, dst: impl Into<Dest>, srcs: [Source; 3]) {
        let srcs = srcs.map(|s| Operand::Vector(s.operand(exec.size)));
        let dst = dst.into().operand();
        self.op(Opcode::Bfn, exec, Op::Bfn { function, dst: &dst, srcs: Srcs::new(&srcs) });
    }

    /// `addc`: sum and carry.
    pub fn addc(
        &mut self,
        exec: Exec,
        dst: impl Into<Dest>,
        carry: impl Into<Dest>,
        a: impl Into<Source>,
        b: impl Into<Source>,
    ) {
        self.carry(Opcode::Addc, exec, [dst.into(), carry.into()], [a.into(), b.into()]);
    }

    /// `subb`: difference and borrow.
    pub fn subb(
        &mut self,
        exec: Exec,
        dst: impl Into<Dest>,
        borrow: impl Into<Dest>,
        a: impl Into<Source>,
        b: impl Into<Source>,
    ) {
        self.carry(Opcode::Subb, exec, [dst.into(), borrow.into()], [a.into(), b.into()]);
    }

    fn carry(&mut self, opcode: Opcode, exec: Exec, dsts: [Dest; 2], srcs: [Source; 2]) {
        let srcs = srcs.map(|s| Operand::Vector(s.operand(exec.size)));
        let [dst, carry] = dsts.map(Dest::operand);
        self.op(opcode, exec, Op::Carry { dst: &dst, carry: &carry, srcs: Srcs::new(&srcs) });
    }

    /// `invm`: one step of an IEEE division; the predicate says where it is done already.
    pub fn invm(
        &mut self,
        exec: Exec,
        dst: impl Into<Dest>,
        done: PredId,
        a: impl Into<Source>,
        b: impl Into<Source>,
    ) {
        let srcs = [a.into(), b.into()].map(|s: Source| Operand::Vector(s.operand(exec.size)));
        let (dst, flag) = (dst.into().operand(), super::flag(done));
        self.op(Opcode::Invm, exec, Op::MacroMath { dst: &dst, flag: &flag, srcs: Srcs::new(&srcs) });
    }

    /// `rsqtm`: one step of an IEEE square root.
    pub fn rsqtm(&mut self, exec: Exec, dst: impl Into<Dest>, done: PredId, a: impl Into<Source>) {
        let srcs = [Operand::Vector(a.into().operand(exec.size))];
        let (dst, flag) = (dst.into().operand(), super::flag(done));
        self.op(Opcode::Rsqtm, exec, Op::MacroMath { dst: &dst, flag: &flag, srcs: Srcs::new(&srcs) });
    }

    /// `setp`: a predicate from an integer's bits.
    pub fn setp(&mut self, exec: Exec, dst: PredId, bits: impl Into<Source>) {
        let src = bits.into().operand(exec.size);
        self.op(Opcode::Setp, exec, Op::Setp { dst: &super::flag(dst), src: &src });
    }

    /// `movs`: a surface or sampler handle moves to or from a variable, or is set to a constant.
    pub fn movs(&mut self, exec: Exec, dst: impl Into<Dest>, src: impl Into<Source>) {
        let (dst, src) = (dst.into().operand(), src.into().operand(exec.size));
        self.op(Opcode::Movs, exec, Op::Movs { dst: &dst, src: &src });
    }

    /// `addr_add`: the address of a variable plus bytes.
    pub fn addr_add(&mut self, exec: Exec, dst: AddrId, base: impl Into<Source>, bytes: impl Into<Source>) {
        let dst = super::address(dst, exec.size);
        let base = base.into().operand(ExecSize::S1);
        let offset = bytes.into().operand(exec.size);
        self.op(Opcode::AddrAdd, exec, Op::AddrAdd { dst: &dst, base: &base, offset: &offset });
    }

    /// `dpas`: systolic dot products, accumulated.
    #[allow(clippy::too_many_arguments, reason = "the instruction has as many operands")]
    pub fn dpas(
        &mut self,
        exec: Exec,
        [weight, activation]: [Precision; 2],
        [depth, repeat]: [u8; 2],
        dst: impl Into<RawOperand>,
        acc: impl Into<RawOperand>,
        weights: impl Into<RawOperand>,
        activations: impl Into<Source>,
    ) {
        let (srcs, src2) = ([acc.into(), weights.into()], activations.into().operand(exec.size));
        let op = Op::Dpas { weight, activation, depth, repeat, dst: dst.into(), srcs, src2: &src2 };
        self.op(Opcode::Dpas, exec, op);
    }
}

impl super::Slice {
    /// Negated.
    #[must_use]
    pub const fn neg(self) -> super::Slice {
        self.modify(Modifier::Neg)
    }

    /// Its absolute value.
    #[must_use]
    pub const fn abs(self) -> super::Slice {
        self.modify(Modifier::Abs)
    }

    /// Saturated (destinations).
    #[must_use]
    pub const fn sat(self) -> super::Slice {
        self.modify(Modifier::Sat)
    }

    /// Its bits inverted (logic instructions).
    #[must_use]
    pub const fn inverted(self) -> super::Slice {
        self.modify(Modifier::Not)
    }
}

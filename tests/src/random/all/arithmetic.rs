//! Instructions that compute.

use gen_ir::{
    Arf, Cond, CondMod, Dst, ExecSize, Inst, MathFn, Op, Payload, Physical, Reg, Src, SrcMod, Type,
};
use platforms::Platform;

use super::InstGenerator;

impl InstGenerator<'_> {
    pub(super) fn saturates(op: Op) -> bool {
        !op.info().logic
            && !matches!(
                op,
                Op::Bfrev
                    | Op::Bfe
                    | Op::Bfi1
                    | Op::Bfi2
                    | Op::Fbh
                    | Op::Fbl
                    | Op::Cbit
                    | Op::Lzd
                    | Op::Rol
                    | Op::Ror
                    | Op::Frc
                    | Op::Cmp
                    | Op::Cmpn
                    | Op::Addc
                    | Op::Subb
                    | Op::Mach
                    | Op::Macl
                    | Op::Madm
                    | Op::Wait
                    | Op::Srnd
                    | Op::Smov
                    | Op::Movi
                    | Op::Bfn
            )
    }

    pub(super) fn has_condition(op: Op) -> bool {
        !matches!(
            op,
            Op::Cbit
                | Op::Bfrev
                | Op::Bfe
                | Op::Bfi1
                | Op::Bfi2
                | Op::Fbh
                | Op::Fbl
                | Op::Movi
                | Op::Smov
                | Op::Madm
                | Op::Math
                | Op::Wait
                | Op::Dp4a
                | Op::Srnd
                | Op::Mach
                | Op::Macl
        )
    }

    pub(super) fn basic(&mut self, inst: &mut Inst<Physical>) {
        let op = inst.op;
        if op == Op::Wait {
            inst.exec = ExecSize::S1;
            inst.chan = 0;
            inst.pred = None;
            let reg = Reg::arf(Arf::Notify(0), 4 * self.random.number(3));
            inst.dst = Dst::packed(reg, Type::Ud);
            inst.src[0] = Src::scalar(reg, Type::Ud);
            return;
        }
        if op == Op::Math {
            return self.math(inst);
        }
        let ty = self.ty(op);
        let dst_ty = match op {
            Op::Srnd => Type::Hf,
            _ if self.random.chance(70) => ty,
            _ => self.ty(op),
        };
        inst.dst = self.destination(dst_ty);
        inst.sat = Self::saturates(op) && self.random.chance(10);
        let always = matches!(op, Op::Cmp | Op::Cmpn);
        if always || Self::has_condition(op) {
            self.condition(inst, if always { 100 } else { 15 });
        }
        let align16_ternary = self.caps.words.ternary_align16;
        let count = usize::from(op.info().srcs);
        for i in 0..count {
            inst.src[i] = self.source(op, ty, i);
        }
        if op == Op::Movi && !self.xe() && !align16_ternary {
            inst.src[1] = Src::None;
        }
        let takes_immediate = !matches!(op, Op::Movi | Op::Smov);
        if takes_immediate && self.random.chance(25) {
            inst.src[count - 1] = self.immediate(ty, count == 1);
        }
    }

    pub(super) fn math(&mut self, inst: &mut Inst<Physical>) {
        const PLAIN: [MathFn; 8] = [
            MathFn::Inv,
            MathFn::Log,
            MathFn::Exp,
            MathFn::Sqt,
            MathFn::Rsqt,
            MathFn::Sin,
            MathFn::Cos,
            MathFn::Pow,
        ];
        const DIVISION: [MathFn; 3] = [MathFn::Idivmod, MathFn::Iqot, MathFn::Irem];
        const MACROS: [MathFn; 2] = [MathFn::Invm, MathFn::Rsqtm];
        let function = match self.random.number(4) {
            0 if self.caps.ops.int_div => self.random.pick(&DIVISION),
            1 => self.random.pick(&MACROS),
            2 if self.platform < Platform::Tgllp && self.random.chance(20) => MathFn::Fdiv,
            _ => self.random.pick(&PLAIN),
        };
        inst.payload = Payload::Math(function);
        let binary = matches!(
            function,
            MathFn::Fdiv | MathFn::Pow | MathFn::Idivmod | MathFn::Iqot | MathFn::Irem | MathFn::Invm
        );
        inst.sat = self.random.chance(10) && !DIVISION.contains(&function);
        if MACROS.contains(&function) {
            let ty = self.random.pick(&[Type::F, Type::Df]);
            inst.sat = false;
            inst.dst = Dst::Macro { reg: self.whole_grf(), mme: self.mme(), ty };
            for i in 0..1 + usize::from(binary) {
                let mods = self.mods(inst.op);
                inst.src[i] = Src::Macro { reg: self.whole_grf(), mme: self.mme(), mods, ty };
            }
            let flag = inst.pred.map_or_else(|| self.flag(), |p| p.flag);
            inst.cond = Some(CondMod { cond: Cond::Eo, flag });
            return;
        }
        let ty = if DIVISION.contains(&function) {
            self.random.pick(&[Type::D, Type::Ud])
        } else {
            self.random.pick(&[Type::F, Type::Hf])
        };
        inst.dst = Dst::Direct { reg: self.grf(ty), horz: self.random.pick(&[1, 1, 2]), ty };
        for i in 0..1 + usize::from(binary) {
            let mods = if DIVISION.contains(&function) { SrcMod::None } else { self.mods(inst.op) };
            inst.src[i] = Src::Direct { reg: self.grf(ty), region: self.region(), mods, ty };
        }
        if binary && self.random.chance(15) {
            inst.src[1] = Src::imm(self.random.bits(), ty);
        }
    }

    /// Macros work on vectors; what a scalar one means is not written down.
    pub(super) fn not_scalar(&mut self, inst: &mut Inst<Physical>) {
        if inst.exec == ExecSize::S1 {
            inst.exec = ExecSize::S8;
            inst.chan = 0;
        }
    }

    pub(super) fn ternary(&mut self, inst: &mut Inst<Physical>) {
        let op = inst.op;
        if op == Op::Madm {
            self.not_scalar(inst);
            let ty = self.random.pick(&[Type::F, Type::Df]);
            inst.dst = Dst::Macro { reg: self.whole_grf(), mme: self.mme(), ty };
            for i in 0..3 {
                let mods = self.mods(op);
                inst.src[i] = Src::Macro { reg: self.whole_grf(), mme: self.mme(), mods, ty };
            }
            return;
        }
        if op == Op::Bfn {
            inst.payload = Payload::Bfn(self.random.number(256) as u8);
        }
        let ty = self.ternary_type(op);
        let dst_ty = if self.random.chance(80) { ty } else { self.ternary_type(op) };
        let align16 = self.caps.words.ternary_align16;
        let horz = if align16 { 1 } else { self.random.pick(&[1, 1, 2]) };
        let mut reg = self.grf(dst_ty);
        if !self.caps.memory.lsc && !align16 {
            reg.byte &= !7;
        }
        if !align16 && self.random.chance(5) {
            reg = Reg::arf(Arf::Acc(0), 0);
        }
        inst.dst = Dst::Direct { reg, horz, ty: dst_ty };
        inst.sat = Self::saturates(op) && self.random.chance(10);
        if op == Op::Csel {
            self.condition(inst, 100);
        } else if Self::has_condition(op) {
            self.condition(inst, 15);
        }
        for i in 0..3 {
            let mods = self.mods(op);
            let region = self.ternary_region(i);
            let same = align16 || self.random.chance(80);
            let ty = if same { ty } else { self.ternary_type(op) };
            let mut reg = self.grf(ty);
            if self.platform == Platform::Bdw {
                // Subregisters of Align16 sources count dwords there.
                reg.byte &= !3;
            }
            inst.src[i] = Src::Direct { reg, region, mods, ty };
        }
        if !align16 && self.random.chance(15) {
            let i = self.random.pick(&[0, 2]);
            let ty = if ty.is_float() { Type::Hf } else { self.random.pick(&[Type::W, Type::Uw]) };
            inst.src[i] = Src::imm(self.random.bits(), ty);
        }
    }

    pub(super) fn dpas(&mut self, inst: &mut Inst<Physical>) {
        inst.exec = ExecSize::S16;
        inst.chan = 0;
        inst.no_mask = true;
        inst.pred = None;
        inst.payload = Payload::Dpas { depth: 8, repeat: 1 + self.random.number(8) as u8 };
        let integer = self.random.chance(50);
        let (acc, operands): (&[Type], &[Type]) = if integer {
            (&[Type::D, Type::Ud], &[Type::Ub, Type::B, Type::U4, Type::S4, Type::U2, Type::S2])
        } else {
            (&[Type::F], &[Type::Bf, Type::Hf, Type::Tf32])
        };
        inst.dst = Dst::Direct { reg: self.whole_grf(), horz: 1, ty: self.random.pick(acc) };
        let src0 = if self.random.chance(20) { Reg::NULL } else { self.whole_grf() };
        inst.src[0] = Src::packed(src0, self.random.pick(acc));
        let ty = self.random.pick(operands);
        inst.src[1] = Src::packed(self.whole_grf(), ty);
        let other = if integer { self.random.pick(operands) } else { ty };
        inst.src[2] = Src::packed(self.whole_grf(), other);
    }
}

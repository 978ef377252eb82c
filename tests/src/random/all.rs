//! Random instructions of every platform, built from the opcode tables: everything a platform's words can express, not
//! only what compilers write.
//!
//! What is generated is legal as far as words go: each instruction has an encoding. Whether the hardware
//! gives it a meaning (register regioning, type combinations) is not asked.

use super::Random;
use encoder::{encode, opcodes};
use gen_ir::{
    Arf, Class, Cond, CondMod, Desc, Descriptor, Dst, ExecSize, ExtendedDescriptor, Inst, MathFn, Mme, Op,
    Options, Payload, Physical, Pipe, Pred, PredCtrl, Reg, Region, SbidMode, SendInfo, Sfid, Src, SrcMod,
    Swsb, SyncFn, Target, Type,
};
use messages::ExtendedLength;
use platforms::{Caps, Layout, Platform};

/// `count` random instructions of a platform, each in a native word of its own; branches go to the start
/// of another one.
pub fn kernel(platform: Platform, seed: u64, count: usize) -> Vec<Inst<Physical>> {
    let mut random = Random::new(seed);
    let ops: Vec<Op> = Op::ALL.iter().copied().filter(|&op| opcodes::supports(platform, op)).collect();
    (0..count)
        .map(|at| {
            loop {
                let op = random.pick(&ops);
                let mut g = Generator { platform, caps: platform.caps(), random: &mut random, at, count };
                let inst = g.instruction(op);
                if encode(platform, &inst).is_ok() {
                    return inst;
                }
            }
        })
        .collect()
}

/// The machine code of instructions, each in its native word.
pub fn code(platform: Platform, insts: &[Inst<Physical>]) -> Vec<u8> {
    let word = |i: &Inst<Physical>| encode(platform, i).unwrap_or_else(|e| panic!("{platform} {i}: {e}"));
    insts.iter().flat_map(|i| word(i).to_le_bytes()).collect()
}

struct Generator<'a> {
    platform: Platform,
    caps: &'static Caps,
    random: &'a mut Random,
    at: usize,
    count: usize,
}

const INTEGERS: [Type; 8] = [Type::Ub, Type::B, Type::Uw, Type::W, Type::Ud, Type::D, Type::Uq, Type::Q];
const FLOATS: [Type; 3] = [Type::F, Type::Hf, Type::Df];

impl Generator<'_> {
    fn xe(&self) -> bool {
        self.caps.words.layout() == Layout::Xe
    }

    fn instruction(&mut self, op: Op) -> Inst<Physical> {
        let info = op.info();
        let mut inst = Inst::new(op, self.exec());
        match info.class {
            Class::Nullary => {
                inst.exec = ExecSize::S1;
                return inst;
            }
            Class::Sync => {
                self.sync(&mut inst);
                return inst;
            }
            _ => {}
        }
        self.mask(&mut inst);
        match info.class {
            Class::Send => self.send(&mut inst),
            Class::Branch => self.branch(&mut inst),
            Class::Dpas => self.dpas(&mut inst),
            Class::Ternary => self.ternary(&mut inst),
            _ => self.basic(&mut inst),
        }
        self.options(&mut inst);
        inst
    }

    fn exec(&mut self) -> ExecSize {
        self.random.pick(&ExecSize::ALL)
    }

    /// Channel offset, write enable and predicate.
    fn mask(&mut self, inst: &mut Inst<Physical>) {
        let lanes = inst.exec.lanes();
        let step = lanes.max(4);
        inst.chan = if lanes == 32 { 0 } else { (self.random.number(32 / step) * step) as u8 };
        if lanes < 4 && !self.random.chance(10) {
            inst.chan = 0;
        }
        inst.no_mask = self.random.chance(40);
        let predicated = !matches!(inst.op, Op::Else | Op::Endif | Op::Wait | Op::Nop | Op::Csel | Op::Srnd);
        if predicated && self.random.chance(25) {
            inst.pred = Some(self.predicate());
        }
    }

    fn predicate(&mut self) -> Pred<Physical> {
        const GEN8: [PredCtrl; 13] = [
            PredCtrl::Seq,
            PredCtrl::AnyV,
            PredCtrl::AllV,
            PredCtrl::Any2h,
            PredCtrl::All2h,
            PredCtrl::Any4h,
            PredCtrl::All4h,
            PredCtrl::Any8h,
            PredCtrl::All8h,
            PredCtrl::Any16h,
            PredCtrl::All16h,
            PredCtrl::Any32h,
            PredCtrl::All32h,
        ];
        const XE_HPC: [PredCtrl; 3] = [PredCtrl::Seq, PredCtrl::Any, PredCtrl::All];
        let ctrl = match (self.random.chance(50), self.caps.memory.lsc) {
            (true, _) => PredCtrl::Seq,
            (false, true) => self.random.pick(&XE_HPC),
            (false, false) => self.random.pick(&GEN8),
        };
        Pred { flag: self.flag(), inv: self.random.chance(40), ctrl }
    }

    fn flag(&mut self) -> Reg<Physical> {
        let n = self.random.number(self.caps.regs.flag_count.into()) as u8;
        Reg::arf(Arf::Flag(n), 2 * self.random.number(2))
    }

    fn condition(&mut self, inst: &mut Inst<Physical>, percent: u32) {
        const CONDITIONS: [Cond; 8] =
            [Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le, Cond::Ov, Cond::Un];
        if self.random.chance(percent) {
            let flag = match &inst.pred {
                Some(p) => p.flag,
                None => self.flag(),
            };
            inst.cond = Some(CondMod { cond: self.random.pick(&CONDITIONS), flag });
        }
    }

    fn ty(&mut self, op: Op) -> Type {
        match op {
            Op::Macl => return self.random.pick(&[Type::D, Type::Ud]),
            Op::Srnd => return self.random.pick(&[Type::F, Type::Hf]),
            _ => {}
        }
        let float_only = matches!(
            op,
            Op::Frc
                | Op::Rndd
                | Op::Rnde
                | Op::Rndu
                | Op::Rndz
                | Op::Line
                | Op::Pln
                | Op::Lrp
                | Op::Dp2
                | Op::Dp3
                | Op::Dp4
                | Op::Dph
        );
        let integer_only = op.info().logic
            || matches!(
                op,
                Op::Shl
                    | Op::Shr
                    | Op::Asr
                    | Op::Rol
                    | Op::Ror
                    | Op::Bfrev
                    | Op::Bfe
                    | Op::Bfi1
                    | Op::Bfi2
                    | Op::Fbh
                    | Op::Fbl
                    | Op::Cbit
                    | Op::Lzd
                    | Op::Addc
                    | Op::Subb
                    | Op::Avg
                    | Op::Mach
                    | Op::Macl
                    | Op::Sad2
                    | Op::Sada2
                    | Op::Dp4a
                    | Op::Bfn
                    | Op::Add3
            );
        let float = float_only || (!integer_only && self.random.chance(40));
        if !float {
            self.random.pick(&INTEGERS)
        } else if self.caps.ops.bf16 && takes_bf16(op) && self.random.chance(15) {
            Type::Bf
        } else {
            self.random.pick(&FLOATS)
        }
    }

    fn grf(&mut self, ty: Type) -> Reg<Physical> {
        let number = self.random.number(self.caps.regs.grf_count_large.into()) as u16;
        let byte = if self.random.chance(60) {
            0
        } else {
            self.random.number(u32::from(self.caps.regs.grf_bytes) / ty.bytes()) * ty.bytes()
        };
        Reg::grf(number, byte)
    }

    fn arf(&mut self, ty: Type, dst: bool) -> Reg<Physical> {
        let sub = |g: &mut Self, bytes: u32| g.random.number((bytes / ty.bytes()).max(1)) * ty.bytes();
        match self.random.number(if dst { 5 } else { 7 }) {
            0 => Reg::NULL,
            1 => {
                let n = self.random.number(2) as u8;
                Reg::arf(Arf::Acc(n), sub(self, self.caps.regs.grf_bytes.into()))
            }
            2 => Reg::arf(Arf::Addr(0), sub(self, 32)),
            3 => {
                let n = self.random.number(self.caps.regs.flag_count.into()) as u8;
                Reg::arf(Arf::Flag(n), sub(self, 4))
            }
            4 => Reg::arf(Arf::Control(0), sub(self, 12)),
            5 => Reg::arf(Arf::State(0), sub(self, 16)),
            _ => Reg::arf(Arf::Timestamp(0), sub(self, 16)),
        }
    }

    fn destination(&mut self, ty: Type) -> Dst<Physical> {
        let horz = self.random.pick(&[1, 1, 1, 2, 4]);
        match self.random.number(20) {
            0 => Dst::Indirect { addr: self.address(), imm: self.offset(), horz, ty },
            1 | 2 => Dst::Direct { reg: self.arf(ty, true), horz, ty },
            _ => Dst::Direct { reg: self.grf(ty), horz, ty },
        }
    }

    fn address(&mut self) -> Reg<Physical> {
        Reg::arf(Arf::Addr(0), 2 * self.random.number(16))
    }

    fn offset(&mut self) -> i16 {
        if self.random.chance(30) { 0 } else { self.random.number(1024) as i16 - 512 }
    }

    fn region(&mut self) -> Region {
        if self.random.chance(30) {
            return self.random.pick(&[Region::SCALAR, Region::PACKED, Region::new(8, 8, 1)]);
        }
        Region::new(
            self.random.pick(&[0, 1, 2, 4, 8, 16, 32]),
            self.random.pick(&[1, 2, 4, 8, 16]),
            self.random.pick(&[0, 1, 2, 4]),
        )
    }

    fn mods(&mut self, op: Op) -> SrcMod {
        let neg = self.random.chance(15);
        if op.info().logic {
            return SrcMod::new(false, neg);
        }
        let none = matches!(
            op,
            Op::Bfrev
                | Op::Bfe
                | Op::Bfi1
                | Op::Bfi2
                | Op::Fbh
                | Op::Fbl
                | Op::Cbit
                | Op::Addc
                | Op::Subb
                | Op::Rol
                | Op::Ror
                | Op::Dp4a
                | Op::Sad2
                | Op::Sada2
                | Op::Pln
                | Op::Smov
                | Op::Srnd
        );
        if none { SrcMod::None } else { SrcMod::new(self.random.chance(10), neg) }
    }

    fn source(&mut self, op: Op, ty: Type, index: usize) -> Src<Physical> {
        let mods = self.mods(op);
        match self.random.number(20) {
            0 => {
                let mut region = self.region();
                if self.random.chance(40) {
                    region = Region::new(Region::VXH, self.random.pick(&[1, 2, 4, 8]), region.horz);
                }
                Src::Indirect { addr: self.address(), imm: self.offset(), region, mods, ty }
            }
            // Before Xe the second source is a general register.
            1 if self.xe() || index == 0 => {
                Src::Direct { reg: self.arf(ty, false), region: self.region(), mods, ty }
            }
            _ => Src::Direct { reg: self.grf(ty), region: self.region(), mods, ty },
        }
    }

    fn immediate(&mut self, ty: Type, wide: bool) -> Src<Physical> {
        let ty = match ty {
            Type::Ub | Type::Uw => self.random.pick(&[Type::Uw, Type::Uw, Type::Uv]),
            Type::B | Type::W => self.random.pick(&[Type::W, Type::W, Type::V]),
            Type::F => self.random.pick(&[Type::F, Type::F, Type::F, Type::Vf]),
            Type::Uq if !wide => Type::Ud,
            Type::Q if !wide => Type::D,
            Type::Df if !wide => Type::F,
            Type::Bf => Type::F,
            other => other,
        };
        let bits = match self.random.number(4) {
            0 => u64::from(self.random.number(256)),
            1 => (-i64::from(self.random.number(256))) as u64,
            2 if ty == Type::F => f32::to_bits(self.random.number(1000) as f32 / 8.0).into(),
            2 if ty == Type::Df => f64::to_bits(f64::from(self.random.number(1000)) / 8.0),
            _ => self.random.bits(),
        };
        Src::imm(bits, ty)
    }

    fn saturates(op: Op) -> bool {
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

    fn has_condition(op: Op) -> bool {
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

    fn basic(&mut self, inst: &mut Inst<Physical>) {
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

    fn math(&mut self, inst: &mut Inst<Physical>) {
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
    fn not_scalar(&mut self, inst: &mut Inst<Physical>) {
        if inst.exec == ExecSize::S1 {
            inst.exec = ExecSize::S8;
            inst.chan = 0;
        }
    }

    fn whole_grf(&mut self) -> Reg<Physical> {
        // Messages stay inside the register file.
        let last = self.caps.regs.grf_count_large.min(256 - 32);
        Reg::grf(self.random.number(last.into()) as u16, 0)
    }

    fn mme(&mut self) -> Mme {
        if self.random.chance(20) { Mme::None } else { Mme::Reg(self.random.number(8) as u8) }
    }

    fn ternary(&mut self, inst: &mut Inst<Physical>) {
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

    fn ternary_type(&mut self, op: Op) -> Type {
        let float = match op {
            Op::Csel | Op::Lrp => true,
            Op::Mad => self.random.chance(60),
            _ => false,
        };
        match (float, self.caps.words.ternary_align16) {
            (true, _) => self.random.pick(&FLOATS),
            (false, true) => self.random.pick(&[Type::D, Type::Ud]),
            (false, false) => self.random.pick(&[Type::D, Type::Ud, Type::W, Type::Uw, Type::B, Type::Ub]),
        }
    }

    fn ternary_region(&mut self, index: usize) -> Region {
        let scalar = self.random.chance(25);
        match (index, self.caps.words.ternary_align16) {
            (2, true) => Region::ternary_last(u8::from(!scalar)),
            (_, true) if scalar => Region::ternary(0, 0),
            (_, true) => Region::ternary(2, 1),
            (2, false) => Region::ternary_last(self.random.pick(&[0, 1, 2, 4])),
            (_, false) => {
                let verts: &[u8] = if self.xe() { &[0, 1, 4, 8] } else { &[0, 2, 4, 8] };
                Region::ternary(self.random.pick(verts), self.random.pick(&[0, 1, 2, 4]))
            }
        }
    }

    fn dpas(&mut self, inst: &mut Inst<Physical>) {
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

    fn send(&mut self, inst: &mut Inst<Physical>) {
        let null_dst = self.random.chance(30);
        let ty = if self.xe() {
            Type::Ud
        } else {
            self.random.pick(&[Type::Ud, Type::Ud, Type::F, Type::W, Type::D])
        };
        let reg = if null_dst { Reg::NULL } else { self.whole_grf() };
        inst.dst = Dst::packed(reg, ty);
        let region = if self.xe() { Region::PACKED } else { Region::SCALAR };
        inst.src[0] = Src::new(self.whole_grf(), region, Type::Ud);
        let split = matches!(inst.op, Op::Sends | Op::Sendsc);
        let has_src1 = split || self.xe();
        if has_src1 {
            let reg = if self.random.chance(30) { Reg::NULL } else { self.whole_grf() };
            inst.src[1] = Src::new(reg, region, Type::Ud);
        }
        let sfid = self.function();
        let known = if self.xe() { 0x7fff_ffff } else { 0x1fff_ffff };
        let desc = Descriptor::from_bits(self.random.bits() as u32 & known);
        let mut send = SendInfo {
            sfid,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            eot: self.random.chance(5),
            dst_len: desc.response_length().registers(),
            src0_len: desc.message_length().registers(),
            src1_len: 0,
        };
        if self.random.chance(10) {
            send.desc = Desc::Reg(Reg::arf(Arf::Addr(0), 0));
            (send.dst_len, send.src0_len) = (0, 0);
        }
        if has_src1 {
            let null = inst.src[1].reg().is_some_and(Reg::is_null);
            let length = if null && self.caps.memory.lsc { 0 } else { self.random.number(16) };
            let length = ExtendedLength::of(length);
            send.src1_len = length.registers();
            let in_desc = if self.caps.memory.lsc { ExtendedLength::NONE } else { length };
            send.ex_desc = Desc::Imm(ExtendedDescriptor::of_length(in_desc));
            if self.random.chance(15) {
                send.ex_desc = Desc::Reg(Reg::arf(Arf::Addr(0), 4 * self.random.number(8)));
                send.src1_len = 0;
                if !self.xe() {
                    send.sfid = Sfid::Null;
                }
                if self.caps.memory.lsc {
                    send.src1_len = length.registers();
                    inst.opts = inst.opts.with(Options::EX_BSO);
                }
            } else if self.xe() && self.random.chance(30) {
                let high = (self.random.bits() as u32) & 0xffff_f000;
                if let Desc::Imm(desc) = &mut send.ex_desc {
                    *desc = ExtendedDescriptor::from_bits(desc.into_bits() | high);
                }
            }
        }
        if send.eot {
            inst.src[0] = Src::new(Reg::grf(112 + self.random.number(16) as u16, 0), region, Type::Ud);
        }
        inst.payload = Payload::Send(send);
    }

    fn function(&mut self) -> Sfid {
        const HDC: [Sfid; 9] = [
            Sfid::Sampler,
            Sfid::Gateway,
            Sfid::Render,
            Sfid::Urb,
            Sfid::Spawner,
            Sfid::Vme,
            Sfid::DcRo,
            Sfid::Dc0,
            Sfid::Dc1,
        ];
        const LSC: [Sfid; 11] = [
            Sfid::Ugm,
            Sfid::Ugm,
            Sfid::Ugml,
            Sfid::Slm,
            Sfid::Tgm,
            Sfid::Gateway,
            Sfid::Dc0,
            Sfid::Dc1,
            Sfid::DcRo,
            Sfid::Urb,
            Sfid::Btd,
        ];
        if self.caps.memory.lsc { self.random.pick(&LSC) } else { self.random.pick(&HDC) }
    }

    fn target(&mut self) -> Target {
        let to = self.random.number(self.count as u32) as i32;
        Target::Rel((to - self.at as i32) * 16)
    }

    fn branch(&mut self, inst: &mut Inst<Physical>) {
        let op = inst.op;
        let (mut jip, mut uip) = (Target::None, Target::None);
        if matches!(op, Op::Jmpi) {
            inst.exec = ExecSize::S1;
            inst.chan = 0;
            inst.no_mask = true;
        }
        if op.info().dst {
            inst.dst = Dst::packed(self.whole_grf(), Type::D);
        }
        let register = op == Op::Ret
            || (matches!(op, Op::Jmpi | Op::Brd | Op::Brc | Op::Call | Op::Calla) && self.random.chance(25));
        if register {
            let region = match (self.xe(), op) {
                (false, Op::Ret | Op::Brc) => Region::new(2, 2, 1),
                _ => Region::SCALAR,
            };
            inst.src[0] = Src::Direct { reg: self.whole_grf(), region, mods: SrcMod::None, ty: Type::D };
        } else {
            jip = self.target();
            if op == Op::Calla {
                jip = Target::Rel(16 * self.random.number(self.count as u32) as i32);
            }
            if matches!(op, Op::If | Op::Else | Op::Break | Op::Cont | Op::Halt | Op::Goto | Op::Brc) {
                uip = self.target();
            }
        }
        let ctrl = matches!(op, Op::If | Op::Else | Op::Goto) && self.random.chance(20);
        inst.payload = Payload::Branch { jip, uip, ctrl };
    }

    fn sync(&mut self, inst: &mut Inst<Physical>) {
        const FUNCTIONS: [SyncFn; 5] = [SyncFn::Nop, SyncFn::AllRd, SyncFn::AllWr, SyncFn::Bar, SyncFn::Host];
        let function = self.random.pick(&FUNCTIONS);
        inst.exec = ExecSize::S1;
        inst.payload = Payload::Sync(function);
        inst.src[0] = Src::scalar(Reg::NULL, Type::Ub);
        if matches!(function, SyncFn::AllRd | SyncFn::AllWr) && self.random.chance(60) {
            inst.src[0] = Src::ud(1 + self.random.number(0xffff));
        }
        inst.swsb = self.scoreboard(inst);
    }

    fn options(&mut self, inst: &mut Inst<Physical>) {
        let class = inst.op.info().class;
        if self.xe() {
            inst.swsb = self.scoreboard(inst);
        }
        let mut opts: Vec<Options> = vec![Options::BREAKPOINT];
        if !matches!(class, Class::Branch | Class::Send) {
            if !self.xe() {
                opts.extend([Options::NO_DD_CHK, Options::NO_DD_CLR, Options::SWITCH, Options::ACC_WR_EN]);
            } else if !self.caps.memory.lsc {
                opts.push(Options::ACC_WR_EN);
            }
            opts.push(Options::ATOMIC);
        }
        for option in opts {
            if self.random.chance(4) {
                inst.opts = inst.opts.with(option);
            }
        }
    }

    fn scoreboard(&mut self, inst: &Inst<Physical>) -> Swsb {
        let mut swsb = Swsb::NONE;
        let sbid = self.random.number(self.caps.scoreboard.sbid_count_large.into()) as u8;
        let distance = 1 + self.random.number(7) as u8;
        let out_of_order = inst.op.is_send()
            || matches!(inst.op.info().class, Class::Dpas)
            || (inst.op == Op::Math && !self.caps.scoreboard.multi_pipe);
        let pipe = if self.caps.scoreboard.multi_pipe {
            self.random.pick(&[Pipe::Own, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::All, Pipe::Math])
        } else {
            Pipe::Own
        };
        match self.random.number(5) {
            0 => swsb.dist = Some((pipe, distance)),
            1 if out_of_order => swsb.sbid = Some((SbidMode::Set, sbid)),
            1 | 2 => swsb.sbid = Some((self.random.pick(&[SbidMode::Src, SbidMode::Dst]), sbid)),
            3 => {
                swsb.dist = Some((pipe, distance));
                let mode = if out_of_order { SbidMode::Set } else { SbidMode::Dst };
                swsb.sbid = Some((mode, sbid));
            }
            _ => {}
        }
        swsb
    }
}

/// Whether an operation takes bfloat16 operands.
fn takes_bf16(op: Op) -> bool {
    matches!(op, Op::Mov | Op::Sel | Op::Cmp | Op::Add | Op::Mul | Op::Mac)
}

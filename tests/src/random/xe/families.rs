//! Math functions, three sources, messages, branches, and what instructions wait for.

use super::*;

impl Maker {
    pub(super) fn math(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
        use MathFn::{Cos, Exp, Idivmod, Inv, Invm, Iqot, Irem, Log, Rsqt, Rsqtm, Sin, Sqt};
        let functions: &[MathFn] = if self.caps().ops.int_div {
            &[Inv, Log, Exp, Sqt, Rsqt, Sin, Cos, Idivmod, Iqot, Irem, Invm, Rsqtm]
        } else {
            &[Inv, Log, Exp, Sqt, Rsqt, Sin, Cos, Invm, Rsqtm]
        };
        let function = self.random.pick(functions);
        inst.payload = Payload::Math(function);
        let two = matches!(function, Idivmod | Iqot | Irem | Invm);
        if matches!(function, Invm | Rsqtm) {
            let flags = self.platform.caps().regs.flag_count;
            let flag = match inst.pred {
                Some(p) => p.flag,
                None => Reg::arf(Arf::Flag(self.random.below(flags.into()) as u8), 0),
            };
            inst.cond = Some(CondMod { cond: Cond::Eo, flag });
            let ty = self.random.pick(&[Type::F, Type::Df, Type::Hf]);
            inst.dst = Dst::Macro { reg: self.whole(), mme: self.mme(), ty };
            for i in 0..=usize::from(two) {
                let mods = self.mods(row);
                inst.src[i] = Src::Macro { reg: self.whole(), mme: self.mme(), mods, ty };
            }
            return;
        }
        let ty = match (two, self.random.one_in(2)) {
            (true, true) => Type::D,
            (true, false) => Type::Ud,
            (false, true) => Type::F,
            (false, false) => Type::Hf,
        };
        inst.dst = Dst::Direct { reg: self.reg(ty.bytes(), false), horz: self.random.pick(&[1, 2]), ty };
        for i in 0..=usize::from(two) {
            let (reg, region) = (self.reg(ty.bytes(), false), self.region());
            inst.src[i] = Src::Direct { reg, region, mods: self.mods(row), ty };
        }
    }

    fn whole(&mut self) -> Reg<Physical> {
        // Messages stay inside the register file.
        let last = self.platform.caps().regs.largest_file().grfs.min(256 - 32);
        Reg::grf(GrfNum::new(self.random.below(last.into()) as u16), 0)
    }

    fn mme(&mut self) -> Mme {
        match self.random.below(9) {
            8 => Mme::None,
            n => Mme::Reg(n as u8),
        }
    }

    pub(super) fn ternary(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
        if inst.op == Op::Madm {
            let ty = self.random.pick(&[Type::F, Type::Df, Type::Hf]);
            inst.dst = Dst::Macro { reg: self.whole(), mme: self.mme(), ty };
            for i in 0..3 {
                let mods = self.mods(row);
                inst.src[i] = Src::Macro { reg: self.whole(), mme: self.mme(), mods, ty };
            }
            return;
        }
        let float = self.is_float(inst.op);
        let ty = self.ty(inst.op, float);
        // Tiger Lake's ternary operands start at multiples of 8 bytes in the assembler's eyes.
        let align = |ty: Type| ty.bytes().max(2);
        let dst_align = if self.caps().regions.ternary_align == 4 { align(ty) } else { 8 };
        inst.dst = Dst::Direct { reg: self.reg(dst_align, false), horz: self.random.pick(&[1, 1, 2]), ty };
        for i in 0..3 {
            let ty = self.ty(inst.op, float);
            if i != 1 && self.random.one_in(6) {
                let ty = if float { Type::Hf } else { self.random.pick(&[Type::W, Type::Uw]) };
                inst.src[i] = Src::imm(self.random.bits(), ty);
                continue;
            }
            let horz = self.random.pick(&[0, 1, 2, 4]);
            let region = if i == 2 {
                Region::ternary_last(horz)
            } else {
                Region::ternary(self.random.pick(&[0, 1, 4, 8]), horz)
            };
            let mut reg = self.reg(align(ty), false);
            if self.random.one_in(12) {
                reg = Reg::arf(Arf::Acc(self.random.below(2) as u8), 0);
            }
            inst.src[i] = Src::Direct { reg, region, mods: self.mods(row), ty };
        }
        if inst.op == Op::Bfn {
            inst.payload = Payload::Bfn(self.random.bits() as u8);
        }
    }

    pub(super) fn dpas(&mut self, inst: &mut Inst<Physical>) {
        inst.exec = ExecSize::S16;
        inst.chan &= 16;
        inst.pred = None;
        let r = &mut self.random;
        let (wide, narrow): (&[Type], &[Type]) = match r.below(3) {
            0 => (&[Type::D, Type::Ud], &[Type::B, Type::Ub, Type::S4, Type::U4, Type::S2, Type::U2]),
            1 => (&[Type::F, Type::Bf], &[Type::Bf]),
            _ => (&[Type::F, Type::Hf], &[Type::Hf]),
        };
        let wide_type = r.pick(wide);
        inst.payload = Payload::Dpas { depth: 8, repeat: r.below(8) as u8 + 1 };
        let operand = |reg, ty| Src::Direct { reg, region: Region::PACKED, mods: SrcMod::None, ty };
        let types = [wide_type, r.pick(narrow), r.pick(narrow)];
        inst.dst = Dst::packed(self.whole(), wide_type);
        for (i, ty) in types.into_iter().enumerate() {
            inst.src[i] = operand(self.whole(), ty);
        }
        if self.random.one_in(6) {
            inst.src[0] = operand(Reg::NULL, wide_type);
        }
    }

    pub(super) fn send(&mut self, inst: &mut Inst<Physical>) {
        let dst = if self.random.one_in(3) { Reg::NULL } else { self.whole() };
        let src1 = if self.random.one_in(2) { Reg::NULL } else { self.whole() };
        inst.dst = Dst::packed(dst, Type::Ud);
        inst.src[0] = Src::packed(self.whole(), Type::Ud);
        inst.src[1] = Src::packed(src1, Type::Ud);
        let sends = &self.caps().sends;
        let pairs = self.caps().flow.fused_pairs;
        let r = &mut self.random;
        let more = if sends.late_functions { LATE_SFIDS } else { EARLY_SFIDS };
        let sfid = if r.one_in(3) { r.pick(more) } else { r.pick(SFIDS) };
        let a0 = |word: u32| Reg::arf(Arf::Addr(0), word * 4);
        let desc = match r.one_in(5) {
            true => Desc::Reg(a0(0)),
            false => Desc::Imm(Descriptor::from_bits(r.bits() as u32)),
        };
        let src1_len = if src1.is_null() { 0 } else { r.below(16) as u8 };
        let mut info = SendInfo {
            sfid,
            desc,
            ex_desc: Desc::Reg(a0(r.below(8) as u32)),
            eot: r.one_in(10),
            dst_len: 0,
            src0_len: 0,
            src1_len: 0,
        };
        if r.one_in(4) {
            if sends.surface_offsets && r.one_in(2) {
                inst.opts = inst.opts.with(Options::EX_BSO);
                info.src1_len = src1_len;
                if r.one_in(3) {
                    inst.opts = inst.opts.with(Options::CPS);
                }
            }
        } else {
            let bits = if r.one_in(3) { r.bits() as u32 & 0xffff_f800 } else { 0 };
            let mut ex_desc = ExtendedDescriptor::from_bits(bits);
            if !sends.length_in_word {
                ex_desc = ex_desc.with_extended_length(ExtendedLength::of(src1_len.into()));
            }
            info.ex_desc = Desc::Imm(ex_desc);
            info.src1_len = src1_len;
        }
        if pairs && r.one_in(8) {
            inst.opts = inst.opts.with(Options::SERIALIZE);
        }
        inst.payload = Payload::Send(info);
    }

    pub(super) fn branch(&mut self, inst: &mut Inst<Physical>, at: usize, count: usize) {
        let r = &mut self.random;
        let mut target = || Target::Rel((r.below(count) as i32 - at as i32) * 16);
        let (mut jip, mut uip) = (target(), target());
        let one = matches!(
            inst.op,
            Op::Jmpi | Op::Brd | Op::Endif | Op::While | Op::Join | Op::Call | Op::Calla | Op::Ret
        );
        if one {
            uip = Target::None;
        }
        if inst.op == Op::Jmpi {
            inst.exec = ExecSize::S1;
            inst.chan = 0;
            inst.no_mask = true;
        }
        if inst.op == Op::Calla {
            jip = Target::Rel(r.below(count) as i32 * 16);
        }
        let in_register = matches!(inst.op, Op::Jmpi | Op::Brd | Op::Brc | Op::Call | Op::Calla);
        if inst.op == Op::Ret || in_register && r.one_in(4) {
            (jip, uip) = (Target::None, Target::None);
            let reg = Reg::grf(
                GrfNum::new(r.below(self.platform.caps().regs.largest_file().grfs.into()) as u16),
                r.below(4) as u32 * 4,
            );
            inst.src[0] = Src::scalar(reg, Type::Ud);
        }
        if matches!(inst.op, Op::Call | Op::Calla) {
            inst.dst = Dst::packed(
                Reg::grf(
                    GrfNum::new(r.below(self.platform.caps().regs.largest_file().grfs.into()) as u16),
                    r.below(4) as u32 * 4,
                ),
                Type::Ud,
            );
        }
        let ctrl = matches!(inst.op, Op::If | Op::Else | Op::Goto) && r.one_in(4);
        inst.payload = Payload::Branch { jip, uip, ctrl };
    }

    pub(super) fn sync(&mut self, inst: &mut Inst<Physical>) {
        let named_barriers = self.caps().thread.named_barriers;
        let r = &mut self.random;
        inst.exec = ExecSize::S1;
        inst.chan = 0;
        let function =
            r.pick(&[SyncFn::Nop, SyncFn::Nop, SyncFn::AllRd, SyncFn::AllWr, SyncFn::Bar, SyncFn::Host]);
        inst.payload = Payload::Sync(function);
        let mask = match function {
            SyncFn::AllRd | SyncFn::AllWr => r.one_in(2),
            SyncFn::Bar => named_barriers && r.one_in(2),
            _ => false,
        };
        inst.src[0] = if mask { Src::ud(r.below(0x10000) as u32) } else { Src::scalar(Reg::NULL, Type::Ub) };
    }

    pub(super) fn swsb(&mut self, inst: &mut Inst<Physical>) {
        let in_order = self.caps().scoreboard.pipes;
        let r = &mut self.random;
        if r.one_in(2) {
            return;
        }
        let class = inst.op.info().class;
        let out_of_order =
            matches!(class, Class::Send | Class::Dpas) || class == Class::Math && !in_order.have_math();
        let pipes: &[Pipe] = match in_order {
            Pipes::One => &[Pipe::Own],
            Pipes::Three => &[Pipe::Own, Pipe::All, Pipe::Float, Pipe::Int, Pipe::Long],
            Pipes::Four => &[Pipe::Own, Pipe::All, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math],
        };
        let dist = Some((r.pick(pipes), r.below(7) as u8 + 1));
        let modes: &[SbidMode] =
            if out_of_order { &[SbidMode::Set] } else { &[SbidMode::Src, SbidMode::Dst] };
        let sbid = Some((r.pick(modes), r.below(16) as u8));
        inst.swsb = match r.below(3) {
            0 => Swsb { dist, ..Swsb::NONE },
            1 => Swsb { sbid, ..Swsb::NONE },
            _ => Swsb { dist, sbid, no_acc_sb_set: false },
        };
        // Not every pair can be written.
        if encoder::encode(self.platform, inst).is_err() {
            inst.swsb = Swsb { sbid, ..Swsb::NONE };
        }
    }
}

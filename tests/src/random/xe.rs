//! Instructions of Tiger Lake and Ponte Vecchio.

use super::Random;
use gen_ir::{
    Arf, Class, Cond, CondMod, Desc, Descriptor, Dst, ExecSize, ExtendedDescriptor, GrfNum, Inst, MathFn,
    Mme, Op, Options, Payload, Physical, Pipe, Pred, PredCtrl, Reg, Region, SbidMode, SendInfo, Sfid, Src,
    SrcMod, Swsb, SyncFn, Target, Type,
};
use messages::ExtendedLength;
use platforms::Platform;

/// What may stand beside an operation's operands.
#[derive(Clone, Copy)]
struct OperandRow {
    op: Op,
    pred: bool,
    cond: bool,
    sat: bool,
    mods: bool,
}

const fn row(op: Op, what: &str) -> OperandRow {
    let mut r = OperandRow { op, pred: false, cond: false, sat: false, mods: false };
    let what = what.as_bytes();
    let mut i = 0;
    while i < what.len() {
        match what[i] {
            b'p' => r.pred = true,
            b'f' => r.cond = true,
            b's' => r.sat = true,
            _ => r.mods = true,
        }
        i += 1;
    }
    r
}

// operation, and which of predicate, flag modifier, saturation, source modifiers it may have
#[rustfmt::skip]
const ROWS: &[OperandRow] = &[
    row(Op::Mov, "pfsm"),
    row(Op::Movi, "psm"),
    row(Op::Sel, "pfsm"),
    row(Op::Cmp, "pfm"),
    row(Op::Cmpn, "pfm"),
    row(Op::Csel, "fsm"),
    row(Op::Not, "pfm"),
    row(Op::And, "pfm"),
    row(Op::Or, "pfm"),
    row(Op::Xor, "pfm"),
    row(Op::Shl, "pfsm"),
    row(Op::Shr, "pfsm"),
    row(Op::Asr, "pfsm"),
    row(Op::Rol, "pf"),
    row(Op::Ror, "pf"),
    row(Op::Bfrev, "p"),
    row(Op::Bfe, "p"),
    row(Op::Bfi1, "p"),
    row(Op::Bfi2, "p"),
    row(Op::Bfn, "pf"),
    row(Op::Fbh, "p"),
    row(Op::Fbl, "p"),
    row(Op::Cbit, "p"),
    row(Op::Lzd, "pfm"),
    row(Op::Add, "pfsm"),
    row(Op::Add3, "pfsm"),
    row(Op::Addc, "pf"),
    row(Op::Subb, "pfs"),
    row(Op::Avg, "pfsm"),
    row(Op::Mul, "pfsm"),
    row(Op::Mac, "pfsm"),
    row(Op::Mach, "pm"),
    row(Op::Macl, "pm"),
    row(Op::Mad, "pfsm"),
    row(Op::Madm, "pm"),
    row(Op::Frc, "pfm"),
    row(Op::Rndd, "pfsm"),
    row(Op::Rnde, "pfsm"),
    row(Op::Rndu, "pfsm"),
    row(Op::Rndz, "pfsm"),
    row(Op::Srnd, "s"),
    row(Op::Dp4a, "pfs"),
    row(Op::Math, "psm"),
    row(Op::Dpas, ""),
    row(Op::Send, "p"),
    row(Op::Sendc, "p"),
    row(Op::Jmpi, "p"),
    row(Op::Brc, "p"),
    row(Op::Brd, "p"),
    row(Op::If, "p"),
    row(Op::Else, ""),
    row(Op::Endif, ""),
    row(Op::While, "p"),
    row(Op::Break, "p"),
    row(Op::Cont, "p"),
    row(Op::Halt, "p"),
    row(Op::Goto, "p"),
    row(Op::Join, "p"),
    row(Op::Call, "p"),
    row(Op::Calla, "p"),
    row(Op::Ret, "p"),
    row(Op::Sync, ""),
    row(Op::Nop, ""),
];

const INTS: &[Type] = &[Type::Ub, Type::B, Type::Uw, Type::W, Type::Ud, Type::D, Type::Uq, Type::Q];
const CONDS: &[Cond] = &[Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le, Cond::Ov, Cond::Un];
const SFIDS: &[Sfid] = &[
    Sfid::Null,
    Sfid::Sampler,
    Sfid::Gateway,
    Sfid::Dc2,
    Sfid::Render,
    Sfid::Urb,
    Sfid::DcRo,
    Sfid::Dc0,
    Sfid::Pi,
    Sfid::Dc1,
];
const TGL_SFIDS: &[Sfid] = &[Sfid::Spawner, Sfid::Vme, Sfid::Cre];
const PVC_SFIDS: &[Sfid] = &[Sfid::Ugm, Sfid::Ugml, Sfid::Tgm, Sfid::Slm, Sfid::Btd, Sfid::Rta];
#[rustfmt::skip]
const PREDS: &[PredCtrl] = &[
    PredCtrl::AnyV, PredCtrl::AllV, PredCtrl::Any2h, PredCtrl::All2h, PredCtrl::Any4h, PredCtrl::All4h,
    PredCtrl::Any8h, PredCtrl::All8h, PredCtrl::Any16h, PredCtrl::All16h, PredCtrl::Any32h, PredCtrl::All32h,
];

/// A maker of instructions for one platform.
pub struct Maker {
    platform: Platform,
    rows: Vec<OperandRow>,
    /// Where the numbers come from.
    pub random: Random,
}

impl Maker {
    /// A maker for Tiger Lake or Ponte Vecchio; `branches`: whether it makes flow control.
    pub fn new(platform: Platform, seed: u64, branches: bool) -> Maker {
        let rows = ROWS
            .iter()
            .filter(|r| encoder::opcodes::supports(platform, r.op) && (branches || !r.op.is_branch()))
            .copied()
            .collect();
        Maker { platform, rows, random: Random::new(seed) }
    }

    fn pvc(&self) -> bool {
        self.platform == Platform::Pvc
    }

    /// A random instruction, to stand at place `at` of `count` native ones.
    pub fn inst(&mut self, at: usize, count: usize) -> Inst<Physical> {
        let row = self.random.pick(&self.rows);
        let mut inst = Inst::new(row.op, self.random.pick(&ExecSize::ALL));
        if row.op == Op::Nop {
            inst.exec = ExecSize::S1;
            return inst;
        }
        self.controls(&mut inst, row);
        match row.op.info().class {
            Class::Basic => self.basic(&mut inst, row),
            Class::Math => self.math(&mut inst, row),
            Class::Ternary => self.ternary(&mut inst, row),
            Class::Dpas => self.dpas(&mut inst),
            Class::Send => self.send(&mut inst),
            Class::Branch => self.branch(&mut inst, at, count),
            Class::Sync => self.sync(&mut inst),
            Class::Nullary => {}
        }
        self.swsb(&mut inst);
        inst
    }

    fn controls(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
        let r = &mut self.random;
        let unit = if self.platform == Platform::Pvc { 8 } else { 4 };
        // The first channel is a multiple of the size, but for the smallest.
        let step = inst.exec.lanes().max(unit);
        inst.chan = if r.one_in(3) { (r.below((32 / step) as usize) as u32 * step) as u8 } else { 0 };
        inst.no_mask = r.one_in(3);
        let flags = self.platform.caps().regs.flag_count;
        let flag = Reg::arf(Arf::Flag(r.below(flags.into()) as u8), r.below(2) as u32 * 2);
        if row.pred && r.one_in(3) {
            let ctrl = match (r.one_in(2), self.platform) {
                (true, _) => PredCtrl::Seq,
                (_, Platform::Pvc) => r.pick(&[PredCtrl::Any, PredCtrl::All]),
                _ => r.pick(PREDS),
            };
            inst.pred = Some(Pred { flag, inv: r.one_in(2), ctrl });
        }
        if row.cond && (r.one_in(3) || matches!(row.op, Op::Cmp | Op::Cmpn | Op::Csel)) {
            let conds = if row.op == Op::Bfn { &[Cond::Eq, Cond::Gt, Cond::Lt][..] } else { CONDS };
            inst.cond = Some(CondMod { cond: r.pick(conds), flag });
        }
        // `sel` needs one of them; with both, iga64 refuses.
        if row.op == Op::Sel && inst.cond.is_some() {
            inst.pred = None;
        }
        inst.sat = row.sat && r.one_in(4);
        if r.one_in(12) && !matches!(row.op, Op::Sync) {
            inst.opts = inst.opts.with(Options::ATOMIC);
        }
        let arithmetic = matches!(row.op.info().class, Class::Basic | Class::Ternary);
        if arithmetic && self.platform == Platform::Tgllp && r.one_in(8) {
            inst.opts = inst.opts.with(Options::ACC_WR_EN);
        }
        if r.one_in(40) {
            inst.opts = inst.opts.with(Options::BREAKPOINT);
        }
    }

    /// A type for an operand of `op`; some operations have words for few types only.
    fn ty(&mut self, op: Op, float: bool) -> Type {
        let types: &[Type] = match (op, float) {
            (Op::Macl, _) => &[Type::D, Type::Ud],
            (Op::Srnd, _) => &[Type::F],
            (Op::Mov | Op::Add | Op::Mul | Op::Mad, true) if self.pvc() => {
                &[Type::Hf, Type::F, Type::Df, Type::Bf]
            }
            (_, true) => &[Type::Hf, Type::F, Type::Df],
            (_, false) => INTS,
        };
        self.random.pick(types)
    }

    /// Types that an operation is used with.
    fn is_float(&mut self, op: Op) -> bool {
        match op {
            Op::Frc | Op::Rndd | Op::Rnde | Op::Rndu | Op::Rndz | Op::Srnd | Op::Math => true,
            Op::Mov | Op::Sel | Op::Cmp | Op::Cmpn | Op::Csel | Op::Add | Op::Mul | Op::Mac | Op::Mad => {
                self.random.one_in(2)
            }
            _ => false,
        }
    }

    /// A register for a direct operand, at a multiple of `align` bytes.
    fn reg(&mut self, align: u32, arf: bool) -> Reg<Physical> {
        let grf_bytes = u32::from(self.platform.caps().regs.grf_bytes);
        let r = &mut self.random;
        let byte = |r: &mut Random| {
            if r.one_in(2) { 0 } else { r.below((grf_bytes / align) as usize) as u32 * align }
        };
        if arf && r.one_in(8) {
            return match r.below(3) {
                0 => Reg::NULL,
                1 => Reg::arf(Arf::Acc(r.below(if self.platform == Platform::Pvc { 4 } else { 2 }) as u8), 0),
                _ => Reg::arf(Arf::Addr(0), r.below((32 / align.max(2)) as usize) as u32 * align.max(2)),
            };
        }
        let byte = byte(r);
        Reg::grf(GrfNum::new(r.below(self.platform.caps().regs.grf_count_large.into()) as u16), byte)
    }

    fn region(&mut self) -> Region {
        let r = &mut self.random;
        if r.one_in(2) {
            return r.pick(&[Region::SCALAR, Region::PACKED, Region::new(8, 8, 1), Region::new(2, 1, 0)]);
        }
        let vert = r.pick(&[0, 1, 2, 4, 8, 16, 32]);
        Region::new(vert, r.pick(&[1, 2, 4, 8, 16]), r.pick(&[0, 1, 2, 4]))
    }

    fn mods(&mut self, row: OperandRow) -> SrcMod {
        if !row.mods || !self.random.one_in(3) {
            return SrcMod::None;
        }
        let abs = !row.op.info().logic && self.random.one_in(2);
        SrcMod::new(abs, self.random.one_in(2))
    }

    /// The offset of an indirect operand. Ponte Vecchio's source 1 has no odd ones.
    fn addr_imm(&mut self, even: bool) -> i16 {
        let limit = if self.pvc() { 1024 } else { 512 };
        let imm = self.random.below(2 * limit) as i16 - limit as i16;
        if even { imm & !1 } else { imm }
    }

    fn basic(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
        let float = self.is_float(inst.op);
        let ty = if inst.op == Op::Srnd { Type::Hf } else { self.ty(inst.op, float) };
        inst.dst = self.basic_dst(ty);
        let sources = inst.op.info().srcs;
        for i in 0..sources {
            let ty = self.ty(inst.op, float);
            inst.src[usize::from(i)] = if i + 1 == sources && self.random.one_in(4) {
                self.imm(inst.op, float, sources == 1 && inst.cond.is_none())
            } else {
                self.basic_src(ty, row, i == 1)
            };
        }
        if inst.op == Op::Movi {
            let addr = Reg::arf(Arf::Addr(0), self.random.below(16) as u32 * 2);
            let region = Region { vert: Region::VXH, width: 1, horz: 0 };
            inst.src[0] = Src::Indirect { addr, imm: 0, region, mods: SrcMod::None, ty: Type::Ud };
            inst.src[1] =
                Src::Direct { reg: Reg::NULL, region: Region::PACKED, mods: SrcMod::None, ty: Type::Ud };
        }
    }

    fn basic_dst(&mut self, ty: Type) -> Dst<Physical> {
        let horz = self.random.pick(&[1, 1, 1, 2, 4]);
        if self.random.one_in(12) {
            let addr = Reg::arf(Arf::Addr(0), self.random.below(16) as u32 * 2);
            return Dst::Indirect { addr, imm: self.addr_imm(false), horz, ty };
        }
        Dst::Direct { reg: self.reg(ty.bytes(), true), horz, ty }
    }

    fn basic_src(&mut self, ty: Type, row: OperandRow, second: bool) -> Src<Physical> {
        let (mut region, mods) = (self.region(), self.mods(row));
        if self.random.one_in(12) {
            if self.random.one_in(2) {
                region.vert = Region::VXH;
            }
            let addr = Reg::arf(Arf::Addr(0), self.random.below(16) as u32 * 2);
            return Src::Indirect { addr, imm: self.addr_imm(second), region, mods, ty };
        }
        let align = if second { ty.bytes().max(2) } else { ty.bytes() };
        Src::Direct { reg: self.reg(align, true), region, mods, ty }
    }

    fn imm(&mut self, op: Op, float: bool, long: bool) -> Src<Physical> {
        let ty = match (float, long && self.random.one_in(4)) {
            _ if matches!(op, Op::Macl | Op::Srnd) => self.ty(op, float),
            (true, true) => Type::Df,
            (true, false) => self.random.pick(&[Type::F, Type::F, Type::Hf, Type::Vf]),
            (false, true) => self.random.pick(&[Type::Q, Type::Uq]),
            (false, false) => self.random.pick(&[Type::D, Type::Ud, Type::W, Type::Uw, Type::V, Type::Uv]),
        };
        let bits = match self.random.below(4) {
            0 => self.random.below(16) as u64,
            1 => (self.random.below(4096) as u64).wrapping_sub(2048),
            2 => (self.random.below(4096) as u64) << 20,
            _ => self.random.bits(),
        };
        Src::imm(bits, ty)
    }

    fn math(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
        use MathFn::{Cos, Exp, Idivmod, Inv, Invm, Iqot, Irem, Log, Rsqt, Rsqtm, Sin, Sqt};
        let functions: &[MathFn] = if self.pvc() {
            &[Inv, Log, Exp, Sqt, Rsqt, Sin, Cos, Invm, Rsqtm]
        } else {
            &[Inv, Log, Exp, Sqt, Rsqt, Sin, Cos, Idivmod, Iqot, Irem, Invm, Rsqtm]
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
        let last = self.platform.caps().regs.grf_count_large.min(256 - 32);
        Reg::grf(GrfNum::new(self.random.below(last.into()) as u16), 0)
    }

    fn mme(&mut self) -> Mme {
        match self.random.below(9) {
            8 => Mme::None,
            n => Mme::Reg(n as u8),
        }
    }

    fn ternary(&mut self, inst: &mut Inst<Physical>, row: OperandRow) {
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
        let dst_align = if self.pvc() { align(ty) } else { 8 };
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

    fn dpas(&mut self, inst: &mut Inst<Physical>) {
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

    fn send(&mut self, inst: &mut Inst<Physical>) {
        let dst = if self.random.one_in(3) { Reg::NULL } else { self.whole() };
        let src1 = if self.random.one_in(2) { Reg::NULL } else { self.whole() };
        inst.dst = Dst::packed(dst, Type::Ud);
        inst.src[0] = Src::packed(self.whole(), Type::Ud);
        inst.src[1] = Src::packed(src1, Type::Ud);
        let pvc = self.pvc();
        let r = &mut self.random;
        let more = if pvc { PVC_SFIDS } else { TGL_SFIDS };
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
            if pvc && r.one_in(2) {
                inst.opts = inst.opts.with(Options::EX_BSO);
                info.src1_len = src1_len;
                if r.one_in(3) {
                    inst.opts = inst.opts.with(Options::CPS);
                }
            }
        } else {
            let bits = if r.one_in(3) { r.bits() as u32 & 0xffff_f800 } else { 0 };
            let mut ex_desc = ExtendedDescriptor::from_bits(bits);
            if !pvc {
                ex_desc = ex_desc.with_extended_length(ExtendedLength::of(src1_len.into()));
            }
            info.ex_desc = Desc::Imm(ex_desc);
            info.src1_len = src1_len;
        }
        if !pvc && r.one_in(8) {
            inst.opts = inst.opts.with(Options::SERIALIZE);
        }
        inst.payload = Payload::Send(info);
    }

    fn branch(&mut self, inst: &mut Inst<Physical>, at: usize, count: usize) {
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
                GrfNum::new(r.below(self.platform.caps().regs.grf_count_large.into()) as u16),
                r.below(4) as u32 * 4,
            );
            inst.src[0] = Src::scalar(reg, Type::Ud);
        }
        if matches!(inst.op, Op::Call | Op::Calla) {
            inst.dst = Dst::packed(
                Reg::grf(
                    GrfNum::new(r.below(self.platform.caps().regs.grf_count_large.into()) as u16),
                    r.below(4) as u32 * 4,
                ),
                Type::Ud,
            );
        }
        let ctrl = matches!(inst.op, Op::If | Op::Else | Op::Goto) && r.one_in(4);
        inst.payload = Payload::Branch { jip, uip, ctrl };
    }

    fn sync(&mut self, inst: &mut Inst<Physical>) {
        let pvc = self.pvc();
        let r = &mut self.random;
        inst.exec = ExecSize::S1;
        inst.chan = 0;
        let function =
            r.pick(&[SyncFn::Nop, SyncFn::Nop, SyncFn::AllRd, SyncFn::AllWr, SyncFn::Bar, SyncFn::Host]);
        inst.payload = Payload::Sync(function);
        let mask = match function {
            SyncFn::AllRd | SyncFn::AllWr => r.one_in(2),
            SyncFn::Bar => pvc && r.one_in(2),
            _ => false,
        };
        inst.src[0] = if mask { Src::ud(r.below(0x10000) as u32) } else { Src::scalar(Reg::NULL, Type::Ub) };
    }

    fn swsb(&mut self, inst: &mut Inst<Physical>) {
        let r = &mut self.random;
        if r.one_in(2) {
            return;
        }
        let class = inst.op.info().class;
        let out_of_order = matches!(class, Class::Send | Class::Dpas)
            || class == Class::Math && self.platform == Platform::Tgllp;
        let pipes: &[Pipe] = if self.platform == Platform::Pvc {
            &[Pipe::Own, Pipe::All, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math]
        } else {
            &[Pipe::Own]
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

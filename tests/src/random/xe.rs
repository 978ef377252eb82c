//! Instructions of Tiger Lake and Ponte Vecchio.

mod families;

use super::Random;
use gen_ir::{
    Arf, Class, Cond, CondMod, Desc, Descriptor, Dst, ExecSize, ExtendedDescriptor, GrfNum, Inst, MathFn,
    Mme, Op, Options, Payload, Physical, Pipe, Pred, PredCtrl, Reg, Region, SbidMode, SendInfo, Sfid, Src,
    SrcMod, Swsb, SyncFn, Target, Type,
};
use messages::ExtendedLength;
use platforms::{Caps, Pipes, Platform};

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
const EARLY_SFIDS: &[Sfid] = &[Sfid::Spawner, Sfid::Vme, Sfid::Cre];
const LATE_SFIDS: &[Sfid] = &[Sfid::Ugm, Sfid::Ugml, Sfid::Tgm, Sfid::Slm, Sfid::Btd, Sfid::Rta];
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
    /// A maker for a platform of Tiger Lake's family or Ponte Vecchio's; `branches`: whether it makes flow control.
    pub fn new(platform: Platform, seed: u64, branches: bool) -> Maker {
        let rows = ROWS
            .iter()
            .filter(|r| encoder::opcodes::supports(platform, r.op) && (branches || !r.op.is_branch()))
            .copied()
            .collect();
        Maker { platform, rows, random: Random::new(seed) }
    }

    fn caps(&self) -> &'static Caps {
        self.platform.caps()
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
        let caps = self.caps();
        let r = &mut self.random;
        let unit = if caps.words.nibble_offset { 4 } else { 8 };
        // The first channel is a multiple of the size, but for the smallest.
        let step = inst.exec.lanes().max(unit);
        inst.chan = if r.one_in(3) { (r.below((32 / step) as usize) as u32 * step) as u8 } else { 0 };
        inst.no_mask = r.one_in(3);
        let flags = caps.regs.flag_count;
        let flag = Reg::arf(Arf::Flag(r.below(flags.into()) as u8), r.below(2) as u32 * 2);
        if row.pred && r.one_in(3) {
            let ctrl = match (r.one_in(2), caps.words.pred_width) {
                (true, _) => PredCtrl::Seq,
                (_, false) => r.pick(&[PredCtrl::Any, PredCtrl::All]),
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
        if arithmetic && caps.words.acc_write_enable && r.one_in(8) {
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
            (Op::Mov | Op::Add | Op::Mul | Op::Mad, true) if self.caps().ops.bf16 => {
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
                1 => Reg::arf(Arf::Acc(r.below(self.platform.caps().regs.acc_count.into()) as u8), 0),
                _ => Reg::arf(Arf::Addr(0), r.below((32 / align.max(2)) as usize) as u32 * align.max(2)),
            };
        }
        let byte = byte(r);
        Reg::grf(GrfNum::new(r.below(self.platform.caps().regs.largest_file().grfs.into()) as u16), byte)
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

    /// The offset of an indirect operand. Where offsets count in words, source 1 has no odd ones.
    fn addr_imm(&mut self, even: bool) -> i16 {
        let offsets = encoder::address_offsets(self.platform);
        let imm = offsets.start() + self.random.below(offsets.len()) as i16;
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
}

//! Random instructions of every platform, built from the opcode tables: everything a platform's words can express, not
//! only what compilers write.
//!
//! What is generated is legal as far as words go: each instruction has an encoding. Whether the hardware
//! gives it a meaning (register regioning, type combinations) is not asked.

mod arithmetic;
mod flow;
mod messages;
mod operands;

use super::Random;
use encoder::{encode, opcodes};
use gen_ir::{
    Arf, Class, Cond, CondMod, ExecSize, Inst, Op, Options, Physical, Pipe, Pred, PredCtrl, Reg, SbidMode,
    Swsb, Type,
};
use platforms::{Caps, Layout, Pipes, Platform};

/// `count` random instructions of a platform, each in a native word of its own; branches go to the start
/// of another one.
pub fn kernel(platform: Platform, seed: u64, count: usize) -> Vec<Inst<Physical>> {
    let mut random = Random::new(seed);
    let ops: Vec<Op> = Op::ALL.iter().copied().filter(|&op| opcodes::supports(platform, op)).collect();
    (0..count)
        .map(|at| {
            loop {
                let op = random.pick(&ops);
                let mut g = InstGenerator { platform, caps: platform.caps(), random: &mut random, at, count };
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

struct InstGenerator<'a> {
    platform: Platform,
    caps: &'static Caps,
    random: &'a mut Random,
    at: usize,
    count: usize,
}

const INTEGERS: [Type; 8] = [Type::Ub, Type::B, Type::Uw, Type::W, Type::Ud, Type::D, Type::Uq, Type::Q];
const FLOATS: [Type; 3] = [Type::F, Type::Hf, Type::Df];

impl InstGenerator<'_> {
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
        let ctrl = match (self.random.chance(50), self.caps.memory.lsc) {
            (true, _) => PredCtrl::Seq,
            (false, true) => self.random.pick(&PredCtrl::BY_SIZE),
            (false, false) => self.random.pick(&PredCtrl::BY_WIDTH),
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
        let sbid = self.random.number(self.caps.regs.largest_file().sbids.into()) as u8;
        let distance = 1 + self.random.number(7) as u8;
        let out_of_order = inst.op.is_send()
            || matches!(inst.op.info().class, Class::Dpas)
            || (inst.op == Op::Math && !self.caps.scoreboard.pipes.have_math());
        let pipe = match self.caps.scoreboard.pipes {
            Pipes::One => Pipe::Own,
            Pipes::Three => self.random.pick(&[Pipe::Own, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::All]),
            Pipes::Four => {
                self.random.pick(&[Pipe::Own, Pipe::Float, Pipe::Int, Pipe::Long, Pipe::All, Pipe::Math])
            }
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

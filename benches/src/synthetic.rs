//! Kernels of any size, for measuring how time grows.

use gen_ir::{
    Block, BlockId, Cond, CondMod, Desc, Dst, ExecSize, Inst, Kernel, Op, Payload, Pred, PredCtrl, Reg,
    SendInfo, Sfid, Src, Target, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;

use crate::generated::Random;
use tests::replay::end_of_thread;

/// What a synthetic kernel is like.
#[derive(Clone, Copy, Debug)]
pub struct KernelShape {
    /// Instructions, about.
    pub insts: usize,
    /// Instructions between two branches, about.
    pub block: usize,
    /// Values of two registers alive at a time, about.
    pub live: usize,
}

/// A SIMD16 kernel: arithmetic on values of which `live` are in use, some scalars, comparisons,
/// messages, divergent and uniform branches, loops. Not structured yet.
pub fn kernel(platform: Platform, shape: KernelShape) -> Kernel<Virtual> {
    let mut kernel = Kernel::new("synthetic", platform);
    kernel.simd = 16;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let mut maker = Maker { r: Random(42), kernel, grf, alive: Vec::new() };
    let blocks = (shape.insts / shape.block).max(1);
    let entry = maker.entry(shape.live.max(2));
    maker.add_block(entry);
    for block in 1..=blocks {
        let mut insts = Vec::new();
        while insts.len() + 2 < shape.block {
            maker.value(&mut insts);
        }
        maker.branch(&mut insts, block, blocks);
        maker.add_block(insts);
    }
    maker.add_block(vec![end_of_thread()]);
    maker.kernel
}

/// A kernel that is being made.
struct Maker {
    r: Random,
    kernel: Kernel<Virtual>,
    /// Bytes of a register.
    grf: u32,
    /// The values in use.
    alive: Vec<VarId>,
}

/// A packed source of sixteen integers.
fn packed(v: VarId) -> Src<Virtual> {
    Src::packed(Reg::var_at(v, 0), Type::D)
}

/// A SIMD16 instruction whose destination is a packed one of integers.
fn simd16(op: Op, dst: VarId, src: [Src<Virtual>; 3]) -> Inst<Virtual> {
    Inst { dst: Dst::packed(Reg::var_at(dst, 0), Type::D), src, ..Inst::new(op, ExecSize::S16) }
}

impl Maker {
    fn vector(&mut self) -> VarId {
        self.kernel.add_var(Var::temp(VarClass::General, 64, self.grf))
    }

    fn any_alive(&mut self) -> VarId {
        self.alive[self.r.below(self.alive.len())]
    }

    fn add_block(&mut self, insts: Vec<Inst<Virtual>>) {
        self.kernel.blocks.push(Block { insts, succs: Default::default() });
    }

    /// The first block: so many values come alive.
    fn entry(&mut self, live: usize) -> Vec<Inst<Virtual>> {
        let mut entry = Vec::new();
        for i in 0..live {
            let v = self.vector();
            self.alive.push(v);
            entry.push(Inst {
                dst: Dst::packed(Reg::var_at(v, 0), Type::Ud),
                src: [Src::ud(i as u32), Src::None, Src::None],
                ..Inst::new(Op::Mov, ExecSize::S16)
            });
        }
        entry
    }

    /// What computes something of two values.
    fn value(&mut self, insts: &mut Vec<Inst<Virtual>>) {
        let (a, c) = (self.any_alive(), self.any_alive());
        match self.r.below(10) {
            0 => {
                let s = self.kernel.add_var(Var::temp(VarClass::General, 4, 4));
                insts.push(Inst {
                    no_mask: true,
                    dst: Dst::packed(Reg::var_at(s, 0), Type::D),
                    src: [Src::scalar(Reg::var_at(a, 8), Type::D), Src::ud(3), Src::None],
                    ..Inst::new(Op::Add, ExecSize::S1)
                });
                let scalar = Src::scalar(Reg::var_at(s, 0), Type::D);
                insts.push(simd16(Op::Add, c, [packed(c), scalar, Src::None]));
            }
            1 => {
                let d = self.vector();
                insts.push(self.load(d, a));
                let at = self.r.below(self.alive.len());
                self.alive[at] = d;
            }
            // A temporary chain that ends in a new value in place of an old one.
            _ => {
                let (t, d) = (self.vector(), self.vector());
                insts.push(simd16(Op::Add, t, [packed(a), packed(c), Src::None]));
                insts.push(simd16(Op::Add, d, [packed(t), packed(a), Src::None]));
                let at = self.r.below(self.alive.len());
                // Writing over a value that later blocks read keeps some of them global.
                if self.r.below(4) > 0 {
                    self.alive[at] = d;
                } else {
                    insts.push(simd16(Op::Mov, self.alive[at], [packed(d), Src::None, Src::None]));
                }
            }
        }
    }

    /// A message that reads at sixteen addresses.
    fn load(&self, dst: VarId, addresses: VarId) -> Inst<Virtual> {
        let len = (64 / self.grf) as u8;
        Inst {
            dst: Dst::packed(Reg::var_at(dst, 0), Type::W),
            src: [packed(addresses), Src::None, Src::None],
            payload: Payload::Send(SendInfo {
                sfid: Sfid::Dc1,
                desc: Desc::Imm(gen_ir::Descriptor::from_bits(0x0420_5e00)),
                ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: len,
                src0_len: len,
                src1_len: 0,
            }),
            ..Inst::new(Op::Send, ExecSize::S16)
        }
    }

    /// A comparison and a branch on it, mostly forwards.
    fn branch(&mut self, insts: &mut Vec<Inst<Virtual>>, block: usize, blocks: usize) {
        let flag = self.kernel.add_var(Var::temp(VarClass::Flag, 2, 2));
        let uniform = self.r.below(2) == 0;
        let v = self.any_alive();
        let src = if uniform { Src::scalar(Reg::var_at(v, 0), Type::D) } else { packed(v) };
        insts.push(Inst {
            no_mask: uniform,
            dst: Dst::null(Type::D),
            src: [src, Src::ud(7), Src::None],
            cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(flag, 0) }),
            ..Inst::new(Op::Cmp, ExecSize::S16)
        });
        let to = if self.r.below(8) == 0 {
            block.saturating_sub(self.r.below(4)).max(1)
        } else {
            (block + 1 + self.r.below(3)).min(blocks + 1)
        };
        let uip = Target::Block(BlockId(to as u32));
        insts.push(Inst {
            pred: Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq }),
            payload: Payload::Branch { jip: Target::None, uip, ctrl: false },
            ..Inst::new(Op::Goto, if uniform { ExecSize::S1 } else { ExecSize::S16 })
        });
    }
}

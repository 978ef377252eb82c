//! Kernels of any size, for measuring how time grows.

use gen_ir::{
    Block, BlockId, Cond, CondMod, Desc, Dst, ExecSize, GrfNum, Inst, Kernel, Op, Payload, Pred, PredCtrl,
    Reg, SendInfo, Sfid, Src, Target, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;

use crate::generated::Random;

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
    let mut r = Random(42);
    let mut k = Kernel::new("synthetic", platform);
    k.simd = 16;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let vector = |k: &mut Kernel<Virtual>| k.add_var(Var::temp(VarClass::General, 64, grf));
    let blocks = (shape.insts / shape.block).max(1);
    let mut alive: Vec<VarId> = Vec::new();
    let mut entry = Vec::new();
    for i in 0..shape.live.max(2) {
        let v = vector(&mut k);
        alive.push(v);
        entry.push(Inst {
            dst: Dst::packed(Reg::var_at(v, 0), Type::Ud),
            src: [Src::ud(i as u32), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S16)
        });
    }
    k.blocks.push(Block { insts: entry, succs: Default::default() });
    for b in 1..=blocks {
        let mut insts = Vec::new();
        while insts.len() + 2 < shape.block {
            let packed = |v| Src::packed(Reg::var_at(v, 0), Type::D);
            let (a, c) = (alive[r.below(alive.len())], alive[r.below(alive.len())]);
            match r.below(10) {
                0 => {
                    let s = k.add_var(Var::temp(VarClass::General, 4, 4));
                    insts.push(Inst {
                        no_mask: true,
                        dst: Dst::packed(Reg::var_at(s, 0), Type::D),
                        src: [Src::scalar(Reg::var_at(a, 8), Type::D), Src::ud(3), Src::None],
                        ..Inst::new(Op::Add, ExecSize::S1)
                    });
                    insts.push(Inst {
                        dst: Dst::packed(Reg::var_at(c, 0), Type::D),
                        src: [packed(c), Src::scalar(Reg::var_at(s, 0), Type::D), Src::None],
                        ..Inst::new(Op::Add, ExecSize::S16)
                    });
                }
                1 => {
                    let d = vector(&mut k);
                    let len = (64 / grf) as u8;
                    insts.push(Inst {
                        dst: Dst::packed(Reg::var_at(d, 0), Type::W),
                        src: [packed(a), Src::None, Src::None],
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
                    });
                    let at = r.below(alive.len());
                    alive[at] = d;
                }
                // A temporary chain that ends in a new value in place of an old one.
                _ => {
                    let (t, d) = (vector(&mut k), vector(&mut k));
                    for (dst, x, y) in [(t, a, c), (d, t, a)] {
                        insts.push(Inst {
                            dst: Dst::packed(Reg::var_at(dst, 0), Type::D),
                            src: [packed(x), packed(y), Src::None],
                            ..Inst::new(Op::Add, ExecSize::S16)
                        });
                    }
                    let at = r.below(alive.len());
                    // Writing over a value that later blocks read keeps some of them global.
                    if r.below(4) > 0 {
                        alive[at] = d;
                    } else {
                        insts.push(Inst {
                            dst: Dst::packed(Reg::var_at(alive[at], 0), Type::D),
                            src: [packed(d), Src::None, Src::None],
                            ..Inst::new(Op::Mov, ExecSize::S16)
                        });
                    }
                }
            }
        }
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let uniform = r.below(2) == 0;
        let v = alive[r.below(alive.len())];
        let src = if uniform {
            Src::scalar(Reg::var_at(v, 0), Type::D)
        } else {
            Src::packed(Reg::var_at(v, 0), Type::D)
        };
        insts.push(Inst {
            no_mask: uniform,
            dst: Dst::null(Type::D),
            src: [src, Src::ud(7), Src::None],
            cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(flag, 0) }),
            ..Inst::new(Op::Cmp, ExecSize::S16)
        });
        let to = if r.below(8) == 0 {
            b.saturating_sub(r.below(4)).max(1)
        } else {
            (b + 1 + r.below(3)).min(blocks + 1)
        };
        insts.push(Inst {
            pred: Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq }),
            payload: Payload::Branch {
                jip: Target::None,
                uip: Target::Block(BlockId(to as u32)),
                ctrl: false,
            },
            ..Inst::new(Op::Goto, if uniform { ExecSize::S1 } else { ExecSize::S16 })
        });
        k.blocks.push(Block { insts, succs: Default::default() });
    }
    let end = Inst {
        no_mask: true,
        dst: Dst::null(Type::Ud),
        src: [Src::packed(Reg::grf(GrfNum::R0, 0), Type::Ud), Src::None, Src::None],
        payload: Payload::Send(SendInfo {
            sfid: Sfid::Spawner,
            desc: Desc::Imm(messages::spawner::end_of_thread()),
            ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
            eot: true,
            dst_len: 0,
            src0_len: 1,
            src1_len: 0,
        }),
        ..Inst::new(Op::Send, ExecSize::S8)
    };
    k.blocks.push(Block { insts: vec![end], succs: Default::default() });
    k
}

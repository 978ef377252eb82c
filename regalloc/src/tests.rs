use super::*;
use gen_ir::{Block, BlockId, ExecSize, Inst, Op, Reg, Region, Src, Type, Var};
use platforms::Platform;

fn general(bytes: u32) -> Var {
    Var::temp(VarClass::General, bytes, bytes.min(32))
}

fn add(dst: VarId, a: VarId, b: VarId) -> Inst<Virtual> {
    let src = |v| Src::new(Reg::var_at(v, 0), Region::PACKED, Type::D);
    Inst {
        dst: Dst::packed(Reg::var_at(dst, 0), Type::D),
        src: [src(a), src(b), Src::None],
        ..Inst::new(Op::Add, ExecSize::S8)
    }
}

fn mov(dst: VarId, value: u32) -> Inst<Virtual> {
    Inst {
        dst: Dst::packed(Reg::var_at(dst, 0), Type::Ud),
        src: [Src::ud(value), Src::None, Src::None],
        ..Inst::new(Op::Mov, ExecSize::S8)
    }
}

use gen_ir::Dst;

fn regs(k: &Kernel<Physical>) -> Vec<Vec<u16>> {
    k.insts()
        .map(|(_, i)| {
            let mut out = Vec::new();
            i.for_each_reg(|_, r| {
                if let gen_ir::Base::Grf(n) = r.base {
                    out.push(n);
                }
            });
            out
        })
        .collect()
}

#[test]
fn registers_are_reused_when_values_end() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..4).map(|_| k.add_var(general(32))).collect();
    k.blocks = vec![Block {
        insts: vec![mov(v[0], 1), mov(v[1], 2), add(v[2], v[0], v[1]), add(v[3], v[2], v[2])],
        succs: vec![],
    }];
    let (p, stats) = allocate(&k, &Options::default()).unwrap();
    assert_eq!(regs(&p), [vec![1], vec![2], vec![1, 2, 1], vec![1, 1, 1]]);
    assert_eq!(stats.grfs_used, 3);
}

#[test]
fn waiting_lanes_keep_their_values() {
    // 0: x = 1; goto 2   1: y = 2; use y; goto 3   2: join; use x   3: join
    let mut k = Kernel::new("t", Platform::Icllp);
    let (x, y, z) = (k.add_var(general(32)), k.add_var(general(32)), k.add_var(general(32)));
    let goto = |jip: u32, uip: u32| {
        let mut i = Inst::new(Op::Goto, ExecSize::S8);
        i.payload = gen_ir::Payload::Branch {
            jip: gen_ir::Target::Block(BlockId(jip)),
            uip: gen_ir::Target::Block(BlockId(uip)),
            ctrl: false,
        };
        i
    };
    k.blocks = vec![
        Block { insts: vec![mov(x, 1), goto(2, 2)], succs: vec![BlockId(1), BlockId(2)] },
        Block { insts: vec![mov(y, 2), add(z, y, y), goto(2, 3)], succs: vec![BlockId(3)] },
        Block { insts: vec![Inst::new(Op::Join, ExecSize::S8), add(z, x, x)], succs: vec![BlockId(3)] },
        Block { insts: vec![Inst::new(Op::Join, ExecSize::S8), add(z, z, z)], succs: vec![] },
    ];
    let (p, _) = allocate(&k, &Options::default()).unwrap();
    let r = regs(&p);
    let (rx, ry) = (r[0][0], r[2][0]);
    assert_ne!(rx, ry, "x waits for its lanes while y is written: {r:?}");
}

//! Allocation as a whole, on small kernels.

mod cheaper;
mod checker;
mod largest;
mod liveness;
mod once;
mod orders;
mod own_registers;
mod reuse;
mod spills;

use crate::{
    AllocStats, AllocationMemory, Error, Options, allocate,
    analysis::{
        accesses::Accesses,
        flow::Flow,
        history::History,
        liveness::{Liveness, LivenessMemory},
    },
    check,
    spill::chunks::KEEP,
};
use gen_ir::{
    Block, BlockId, Cond, CondMod, ExecSize, FileByte, GrfNum, Inst, Kernel, Op, Physical, Pool, Pred,
    PredCtrl, Reg, Region, Src, Type, Var, VarClass, VarId, Virtual,
};
use messages::hdc::ScratchBlock;
use narrow::to_index;
use platforms::Platform;
use typed_index_collections::TiVec;

/// A variable of the program, not of lowering.
fn general(bytes: u32) -> Var {
    Var { origin: Some(0), ..temporary(bytes) }
}

fn temporary(bytes: u32) -> Var {
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

/// Adds a value and its first channel.
fn add_first(dst: VarId, v: VarId) -> Inst<Virtual> {
    let of = add(dst, v, v);
    Inst { src: [of.src[0], Src::new(Reg::var_at(v, 0), Region::SCALAR, Type::D), Src::None], ..of }
}

/// What becomes of a kernel, looked at by the checker.
fn allocate_checked(k: &Kernel<Virtual>) -> (Kernel<Physical>, AllocStats) {
    let options = Options { check: true, ..Options::default() };
    allocate(k, &options, &mut AllocationMemory::default(), &mut Pool::default()).unwrap()
}

/// A new value, which takes too long to compute again.
fn value(dst: VarId, of: u32) -> Inst<Virtual> {
    Inst { op: Op::Lzd, ..mov(dst, of) }
}

/// A constant.
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
                if let gen_ir::Base::Grf(n) = r.base() {
                    out.push(n.number());
                }
            });
            out
        })
        .collect()
}

/// A block that is its own successor, under a mask that loses lanes.
fn looped(k: &mut Kernel<Virtual>, mut insts: Vec<Inst<Virtual>>) {
    let mut goto = Inst::new(Op::Goto, ExecSize::S8);
    let flag =
        k.add_var(Var { live_in: true, fixed: Some(FileByte::START), ..Var::temp(VarClass::Flag, 2, 2) });
    goto.pred = Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq });
    let [loop_, out] = [0, 1].map(BlockId);
    goto.payload = gen_ir::Payload::Branch {
        jip: gen_ir::Target::Block(out),
        uip: gen_ir::Target::Block(loop_),
        ctrl: false,
    };
    insts.insert(0, Inst::new(Op::Join, ExecSize::S8));
    insts.push(goto);
    k.simd = 8;
    k.blocks = vec![
        Block { insts, succs: vec![out, loop_].into() },
        Block { insts: vec![Inst::new(Op::Join, ExecSize::S8)], succs: Default::default() },
    ];
}

/// A block of so many registers, each the one before and its first channel: nothing is written where it was read.
fn doubled(count: u32) -> (Kernel<Virtual>, Vec<VarId>) {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..count).map(|_| k.add_var(general(32))).collect();
    let mut insts = vec![value(v[0], 1)];
    insts.extend(v.windows(2).map(|w| add_first(w[1], w[0])));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    (k, v)
}

#[test]
fn registers_are_taken_in_turn_and_used_again() {
    let (k, _) = doubled(200);
    let (p, stats) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    let r = regs(&p);
    assert_eq!(r[..3], [vec![1], vec![1, 1, 2], vec![2, 2, 3]]);
    assert_eq!(r[126..129], [vec![126, 126, 127], vec![127, 127, 1], vec![1, 1, 2]]);
    assert_eq!((stats.grfs_used, stats.spills), (128, 0));
}

#[test]
fn one_crowded_place_leaves_the_others_their_turns() {
    // The last of the values is alive beside a variable of 96 registers in a row, for which no place is left if that value has
    // the register whose turn it is.
    let (mut k, v) = doubled(60);
    let large = k.add_var(general(96 * 32));
    let part = |n: u32| Reg::var_at(large, n * 32);
    let write = |n: u32| Inst { dst: Dst::packed(part(n), Type::Ud), ..value(large, 2) };
    let read = |n: u32| {
        let src = Src::packed(part(n), Type::D);
        Inst {
            src: [src, Src::packed(Reg::var_at(v[59], 0), Type::D), Src::None],
            ..add(v[59], v[59], v[59])
        }
    };
    k.blocks[0].insts.extend((0..96).map(write).chain((0..96).map(read)));
    for spills in [false, true] {
        if spills {
            // And beside so many others that not all have places.
            let more: Vec<VarId> = (0..40).map(|_| k.add_var(general(32))).collect();
            let insts = &mut k.blocks[0].insts;
            let front = insts.len() - 96;
            insts.splice(front..front, more.iter().map(|&m| add(m, v[59], v[59])));
            insts.extend(more.iter().map(|&v| add(v, v, v)));
        }
        let (p, stats) = allocate_checked(&k);
        assert_eq!(stats.spills > 0, spills, "{stats:?}");
        let mut first: Vec<u16> = regs(&p)[..60].iter().filter_map(|r| r.last().copied()).collect();
        first.sort_unstable();
        first.dedup();
        assert!(first.len() > 40, "{spills}: {first:?}");
    }
}

#[test]
fn a_register_that_was_just_in_use_waits_its_turn() {
    let (mut k, v) = doubled(129);
    // The first value is needed until all registers have been taken once.
    k.blocks[0].insts[126] = add(v[126], v[125], v[0]);
    let (p, _) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    assert_eq!(regs(&p)[126..], [vec![126, 1, 126], vec![126, 126, 127], vec![127, 127, 2]]);
}

#[test]
fn what_is_copied_keeps_its_register() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..4).map(|_| k.add_var(general(32))).collect();
    let copy = |to, from| Inst {
        src: [Src::new(Reg::var_at(from, 0), Region::PACKED, Type::Ud), Src::None, Src::None],
        ..mov(to, 0)
    };
    // The second copy's source is read behind it, so both need registers.
    let insts = vec![
        value(v[0], 1),
        copy(v[1], v[0]),
        copy(v[2], v[1]),
        add(v[3], v[2], v[1]),
        add(v[2], v[3], v[1]),
    ];
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (p, _) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    assert_eq!(p.insts().filter(|(_, i)| i.op == Op::Mov).count(), 1);
}

#[test]
fn parts_of_registers_and_flags_are_taken_in_turn() {
    let mut k = Kernel::new("t", Platform::Skl);
    let words = k.add_var(general(32));
    let mut insts = vec![value(words, 1)];
    for _ in 0..10 {
        let (x, f) = (k.add_var(general(4)), k.add_var(Var::temp(VarClass::Flag, 2, 2)));
        insts.push(Inst {
            no_mask: true,
            dst: Dst::packed(Reg::var_at(x, 0), Type::D),
            src: [Src::scalar(Reg::var_at(words, 0), Type::D), Src::ud(1), Src::None],
            cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(f, 0) }),
            ..Inst::new(Op::Add, ExecSize::S1)
        });
        let flag = Reg::var_at(f, 0);
        insts.push(Inst {
            pred: Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq }),
            src: [Src::scalar(Reg::var_at(x, 0), Type::D), Src::None, Src::None],
            dst: Dst::packed(Reg::var_at(words, 0), Type::D),
            ..Inst::new(Op::Not, ExecSize::S1)
        });
    }
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (p, _) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    let adds: Vec<_> = p.insts().map(|(_, i)| *i).filter(|i| i.op == Op::Add).collect();
    let bytes: Vec<u32> = adds.iter().filter_map(|i| i.dst.reg()).map(|r| r.byte).collect();
    assert_eq!(bytes, [0, 4, 8, 12, 16, 20, 24, 28, 0, 4]);
    let flags: Vec<_> = adds.iter().filter_map(|i| i.cond).filter_map(|c| c.flag.flag_sub()).collect();
    assert_eq!(flags[..5], [0, 1, 2, 3, 0].map(gen_ir::FlagSub::from_code));
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
        Block { insts: vec![value(x, 1), goto(2, 2)], succs: vec![BlockId(1), BlockId(2)].into() },
        Block { insts: vec![value(y, 2), add(z, y, y), goto(2, 3)], succs: vec![BlockId(3)].into() },
        Block {
            insts: vec![Inst::new(Op::Join, ExecSize::S8), add(z, x, x)],
            succs: vec![BlockId(3)].into(),
        },
        Block { insts: vec![Inst::new(Op::Join, ExecSize::S8), add(z, z, z)], succs: Default::default() },
    ];
    let (p, _) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    let r = regs(&p);
    let (rx, ry) = (r[0][0], r[2][0]);
    assert_ne!(rx, ry, "x waits for its lanes while y is written: {r:?}");
}

/// A call of the subroutine that begins with block `to`, and its return.
fn call_and_return(back: VarId, to: u32) -> (Inst<Virtual>, Inst<Virtual>) {
    let (jip, uip) = (gen_ir::Target::Block(BlockId(to)), gen_ir::Target::None);
    let call = Inst {
        dst: Dst::packed(Reg::var_at(back, 0), Type::Ud),
        payload: gen_ir::Payload::Branch { jip, uip, ctrl: false },
        ..Inst::new(Op::Call, ExecSize::S8)
    };
    let ret = Inst {
        src: [Src::scalar(Reg::var_at(back, 0), Type::Ud), Src::None, Src::None],
        ..Inst::new(Op::Ret, ExecSize::S8)
    };
    (call, ret)
}

#[test]
fn calls_of_a_subroutine_keep_their_values_apart() {
    // Around each of two calls others of a hundred values are alive; the subroutine needs a few of its own.
    let mut k = Kernel::new("t", Platform::Skl);
    let mut values = |n: u32| -> Vec<VarId> { (0..n).map(|_| k.add_var(general(32))).collect() };
    let (first, second, own) = (values(100), values(100), values(20));
    let (back, sum) = (k.add_var(temporary(8)), k.add_var(general(32)));
    let write = |v: &[VarId]| v.iter().zip(0..).map(|(&v, i)| value(v, i)).collect::<Vec<_>>();
    let read = |v: &[VarId]| v.iter().map(|&v| add(sum, sum, v)).collect::<Vec<_>>();
    let (call, ret) = call_and_return(back, 3);
    let calls = |insts: Vec<_>, n: u32| Block {
        insts: [insts, vec![call]].concat(),
        succs: vec![BlockId(n + 1), BlockId(3)].into(),
    };
    k.blocks = vec![
        calls([vec![value(sum, 0)], write(&first)].concat(), 0),
        calls([read(&first), write(&second)].concat(), 1),
        Block { insts: read(&second), succs: Default::default() },
        Block { insts: [write(&own), read(&own), vec![ret]].concat(), succs: Default::default() },
    ];
    k.subroutines = vec![BlockId(3)];
    let (_, stats) = allocate_checked(&k);
    assert_eq!(stats.spills + stats.fills, 0, "{stats:?}");
}

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

#[test]
fn registers_are_taken_in_turn_and_used_again() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..200).map(|_| k.add_var(general(32))).collect();
    let mut insts = vec![value(v[0], 1)];
    insts.extend(v.windows(2).map(|w| add(w[1], w[0], w[0])));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (p, stats) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    let r = regs(&p);
    assert_eq!(r[..3], [vec![1], vec![1, 1, 2], vec![2, 2, 3]]);
    assert_eq!(r[126..129], [vec![126, 126, 127], vec![127, 127, 1], vec![1, 1, 2]]);
    assert_eq!((stats.grfs_used, stats.spills), (128, 0));
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
    let flags: Vec<_> = adds.iter().filter_map(|i| i.cond).map(|c| (c.flag.base(), c.flag.byte)).collect();
    let flag = |n: u8, byte: u32| (gen_ir::Base::Arf(gen_ir::Arf::Flag(n)), byte);
    assert_eq!(flags[..5], [flag(0, 0), flag(0, 2), flag(1, 0), flag(1, 2), flag(0, 0)]);
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

#[test]
fn calls_of_a_subroutine_keep_their_values_apart() {
    // Around each of two calls others of a hundred values are alive; the subroutine needs a few of its own.
    let mut k = Kernel::new("t", Platform::Skl);
    let mut values = |n: u32| -> Vec<VarId> { (0..n).map(|_| k.add_var(general(32))).collect() };
    let (first, second, own) = (values(100), values(100), values(20));
    let (back, sum) = (k.add_var(temporary(8)), k.add_var(general(32)));
    let write = |v: &[VarId]| v.iter().zip(0..).map(|(&v, i)| value(v, i)).collect::<Vec<_>>();
    let read = |v: &[VarId]| v.iter().map(|&v| add(sum, sum, v)).collect::<Vec<_>>();
    let call = Inst {
        dst: Dst::packed(Reg::var_at(back, 0), Type::Ud),
        payload: gen_ir::Payload::Branch {
            jip: gen_ir::Target::Block(BlockId(3)),
            uip: gen_ir::Target::None,
            ctrl: false,
        },
        ..Inst::new(Op::Call, ExecSize::S8)
    };
    let ret = Inst {
        src: [Src::scalar(Reg::var_at(back, 0), Type::Ud), Src::None, Src::None],
        ..Inst::new(Op::Ret, ExecSize::S8)
    };
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
    let (_, stats) = allocate(
        &k,
        &Options { check: true, ..Options::default() },
        &mut AllocationMemory::default(),
        &mut Pool::default(),
    )
    .unwrap();
    assert_eq!(stats.spills + stats.fills, 0, "{stats:?}");
}

/// Many values live at once: each is written first and read last, `times` times.
fn wide(platform: Platform, n: u32, times: u32) -> Kernel<Virtual> {
    let mut k = Kernel::new("wide", platform);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let v: Vec<VarId> = (0..n).map(|_| k.add_var(Var::temp(VarClass::General, grf, grf))).collect();
    let mut insts: Vec<_> = v.iter().enumerate().map(|(i, &v)| value(v, to_index(i))).collect();
    for i in (0..times).flat_map(|_| 0..v.len()) {
        insts.push(add(v[0], v[0], v[i]));
    }
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

#[test]
fn four_hundred_live_registers() {
    for platform in Platform::ALL {
        let mut k = wide(platform, 400, 2);
        k.spill_offset = 1000;
        let (p, stats) =
            allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default())
                .unwrap();
        assert!(stats.spills > 50 && stats.fills > 100, "{platform}: {stats:?}");
        let grf = u32::from(platform.caps().regs.grf_bytes);
        let (mut low, mut high) = (u32::MAX, 0);
        for (_, i) in p.insts() {
            let Some(s) = i.send() else { continue };
            let gen_ir::Desc::Imm(d) = s.desc else { panic!("scratch messages have constant descriptors") };
            let block = ScratchBlock::from(d);
            let offset = u32::from(block.offset()) * 32;
            low = low.min(offset);
            high = high.max(offset + (1 << block.size_log2()) * 32);
        }
        assert!(low >= 1000 && low < 1000 + grf, "{platform}: spills start at {low}");
        assert!(high <= 1000 + stats.scratch_bytes, "{platform}: {high} {stats:?}");
    }
}

/// Many values alive behind what a kernel itself keeps in scratch memory: the code, checked, and its messages.
fn spilled_far(platform: Platform) -> (Kernel<Physical>, Vec<gen_ir::SendInfo<Physical>>) {
    let mut k = wide(platform, 400, 2);
    k.spill_offset = 200_000;
    let options = Options { check: true, ..Options::default() };
    let (p, stats) = allocate(&k, &options, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    assert!(stats.spills > 50 && stats.scratch_bytes < 131_072, "{platform}: {stats:?}");
    let of_r0 =
        |i: &Inst<Physical>| i.src[0].reg().is_some_and(|r| r.base() == gen_ir::Base::Grf(GrfNum::R0));
    assert!(platform == Platform::Bdw || !p.insts().any(|(_, i)| i.op.is_send() && of_r0(i)));
    let sends = p.insts().filter_map(|(_, i)| i.send()).copied().collect();
    (p, sends)
}

#[test]
fn spills_find_room_behind_more_than_one_message_reaches() {
    for platform in Platform::ALL.iter().filter(|p| !p.caps().memory.scratch_surface) {
        let (p, sends) = spilled_far(*platform);
        // The scratch base goes up by whole kilobytes, offsets make up for the rest.
        assert!(p.insts().any(|(_, i)| i.src[1] == Src::ud(199_680)), "{platform}");
        let offset = |s: &gen_ir::SendInfo<Physical>| match s.desc {
            gen_ir::Desc::Imm(d) => u32::from(ScratchBlock::from(d).offset()) * 32,
            _ => panic!("scratch messages have constant descriptors"),
        };
        assert_eq!(sends.iter().map(offset).min(), Some(320), "{platform}");
    }
}

#[test]
fn a_scratch_surface_has_addresses() {
    for platform in Platform::ALL.iter().filter(|p| p.caps().memory.scratch_surface) {
        let (p, sends) = spilled_far(*platform);
        let slots = 200_000..400_000;
        let addresses: Vec<u64> = p
            .insts()
            .filter(|(_, i)| i.op == Op::Add && i.exec == ExecSize::S1)
            .filter_map(|(_, i)| match i.src[1] {
                Src::Imm { bits, .. } => Some(bits),
                _ => None,
            })
            .collect();
        assert_eq!(addresses.len(), sends.len(), "{platform}");
        assert!(addresses.iter().all(|a| slots.contains(a) && a % 64 == 0), "{platform}: {addresses:?}");
        for s in &sends {
            assert!(
                s.sfid == gen_ir::Sfid::Ugm && matches!(s.ex_desc, gen_ir::Desc::Reg(_)),
                "{platform}: {s:?}"
            );
        }
        // Nothing is added to what names the surface.
        let base = |r: Option<Reg<Physical>>| r == Some(Reg::grf(GrfNum::R0, 20));
        for (_, i) in p.insts().filter(|(_, i)| i.src.iter().any(|s| base(s.reg()))) {
            assert_eq!((i.op, i.src[1]), (Op::And, Src::ud(0xffff_fc00)), "{platform}");
        }
    }
}

#[test]
fn what_is_read_once_is_written_just_before() {
    for platform in Platform::ALL {
        let k = wide(platform, 400, 1);
        let (p, stats) = allocate(
            &k,
            &Options { check: true, ..Options::default() },
            &mut AllocationMemory::default(),
            &mut Pool::default(),
        )
        .unwrap();
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}");
        assert_eq!(p.inst_count(), k.inst_count());
    }
}

#[test]
fn values_side_by_side_are_placed_apart() {
    let mut k = Kernel::new("t", Platform::Skl);
    // Half of each pair is needed at the end only: in an order that knows, all find a place.
    let pairs: Vec<VarId> = (0..100).map(|_| k.add_var(general(64))).collect();
    let half = |v: VarId, byte: u32| Src::packed(Reg::var_at(v, byte), Type::D);
    let mut insts = Vec::new();
    for &v in &pairs {
        for byte in [0, 32] {
            let mut i = value(v, 1);
            i.dst = Dst::packed(Reg::var_at(v, byte), Type::Ud);
            insts.push(i);
        }
    }
    for byte in [0, 0, 0, 32] {
        for w in pairs.windows(2) {
            let mut i = add(w[0], w[0], w[0]);
            i.dst = Dst::packed(Reg::var_at(w[1], byte), Type::D);
            i.src = [half(w[0], byte), half(w[1], byte), Src::None];
            insts.push(i);
        }
    }
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (_, stats) = allocate(
        &k,
        &Options { check: true, ..Options::default() },
        &mut AllocationMemory::default(),
        &mut Pool::default(),
    )
    .unwrap();
    assert_eq!((stats.spills, stats.fills), (0, 0), "{stats:?}");
}

#[test]
fn flags_that_do_not_fit_live_in_registers() {
    let mut k = Kernel::new("flags", Platform::Skl);
    let x = k.add_var(general(32));
    let flags: Vec<VarId> = (0..9).map(|_| k.add_var(Var::temp(VarClass::Flag, 2, 2))).collect();
    let mut insts = vec![value(x, 1)];
    for &f in &flags {
        let mut i = add(x, x, x);
        i.op = Op::Cmp;
        i.dst = Dst::null(Type::D);
        i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::var_at(f, 0) });
        insts.push(i);
    }
    for &f in &flags {
        let mut i = add(x, x, x);
        i.pred = Some(Pred { flag: Reg::var_at(f, 0), inv: false, ctrl: PredCtrl::Seq });
        insts.push(i);
    }
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (_, stats) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    // Four fit; one has to go for each of the others.
    assert_eq!(stats.flag_spills, 12, "{stats:?}");
}

/// Where variable `v` is live: ranges of positions.
fn live(k: &Kernel<Virtual>, v: VarId) -> Vec<(u32, u32)> {
    let (mut accesses, mut flow, mut live) = (Accesses::default(), Flow::default(), Liveness::default());
    flow.find(k);
    accesses.collect(k, &flow, &mut History::default()).unwrap();
    live.compute(k, &accesses, &flow, &History::default(), &mut LivenessMemory::default());
    live.of(v).iter().map(|r| (r.start, r.end)).collect()
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

#[test]
fn what_is_never_written_is_not_kept() {
    let mut k = Kernel::new("t", Platform::Skl);
    let (x, y) = (k.add_var(general(128)), k.add_var(general(32)));
    let mut second = add(y, x, x);
    second.src[1] = Src::packed(Reg::var_at(x, 32), Type::D);
    let mut rest = second;
    rest.src[0] = rest.src[1];
    looped(&mut k, vec![rest, value(x, 1), second]);
    // What is read first is in no write: it needs a register there, and the other value starts with its write.
    assert_eq!(live(&k, x), [(2, 3), (5, 7)]);
}

#[test]
fn values_of_one_block_start_there() {
    let mut k = Kernel::new("t", Platform::Skl);
    let (x, y) = (k.add_var(general(32)), k.add_var(general(32)));
    let unmasked = |mut i: Inst<Virtual>| {
        i.no_mask = true;
        i
    };
    // Read without a mask, after a write under one.
    looped(&mut k, vec![value(x, 1), unmasked(add(y, x, x)), value(x, 2), add(y, x, x)]);
    assert_eq!(live(&k, x), [(3, 5), (7, 9)]);
    // What lanes that do not run have in x is read: the first write counts, and the second ends nothing of it.
    looped(
        &mut k,
        vec![unmasked(value(x, 0)), value(x, 1), unmasked(add(y, x, x)), value(x, 2), add(y, x, x)],
    );
    assert_eq!(live(&k, x), [(3, 7), (9, 11)]);
    // Read first: the block brings it along.
    looped(&mut k, vec![unmasked(add(y, x, x)), value(x, 1)]);
    assert_eq!(live(&k, x), [(0, 8)]);
}

#[test]
fn copies_into_payloads_read_for_lanes_that_run() {
    for (masked, start) in [(true, 7), (false, 0)] {
        let mut k = Kernel::new("t", Platform::Skl);
        let (x, payload) = (k.add_var(general(32)), k.add_var(temporary(32)));
        let copy = Inst {
            no_mask: true,
            src: [Src::packed(Reg::var_at(x, 0), Type::Ud), Src::None, Src::None],
            ..mov(payload, 0)
        };
        let send = Inst {
            no_mask: !masked,
            dst: Dst::null(Type::Ud),
            src: [Src::packed(Reg::var_at(payload, 0), Type::Ud), Src::None, Src::None],
            payload: gen_ir::Payload::Send(gen_ir::SendInfo {
                sfid: gen_ir::Sfid::Dc1,
                desc: gen_ir::Desc::Imm(gen_ir::Descriptor::new()),
                ex_desc: gen_ir::Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: 0,
                src0_len: 1,
                src1_len: 0,
            }),
            ..Inst::new(Op::Send, ExecSize::S8)
        };
        let y = k.add_var(general(32));
        looped(&mut k, vec![value(y, 0), value(y, 0), value(x, 1), copy, send]);
        // Another block knows of it, too.
        k.blocks[1].insts.push(value(x, 2));
        k.blocks[1].insts.push(add(y, x, x));
        assert_eq!(live(&k, x)[0].0, start, "{masked}");
    }
}

#[test]
fn temporaries_of_lowering_start_in_their_block() {
    for (of_program, ranges) in [(false, [(3, 7)]), (true, [(0, 10)])] {
        let mut k = Kernel::new("t", Platform::Skl);
        let x = k.add_var(if of_program { general(32) } else { temporary(32) });
        let y = k.add_var(general(32));
        let flag = k.add_var(Var {
            live_in: true,
            fixed: Some(FileByte::new(4)),
            ..Var::temp(VarClass::Flag, 2, 2)
        });
        let mut some = value(x, 1);
        some.pred = Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq });
        looped(&mut k, vec![some, value(y, 2), add(y, x, y)]);
        assert_eq!(live(&k, x), ranges, "{of_program}");
    }
}

/// Runs the checker on a placement of the kernel's variables.
fn checked(k: &Kernel<Virtual>, at: &[u32]) -> Result<(), Error> {
    let (mut accesses, mut flow) = (Accesses::default(), Flow::default());
    flow.find(k);
    accesses.collect(k, &flow, &mut History::default()).unwrap();
    let at: TiVec<VarId, _> = at.iter().map(|&byte| Some(FileByte::new(byte))).collect();
    check::check(k, &accesses, &flow, &History::default(), &at)
}

/// Some lanes write `x`, wait at block 2 and use it there; the others write and use `y` in between.
fn parted(
    x: &[VarId],
    y: &[VarId],
    z: VarId,
    k: &mut Kernel<Virtual>,
    write: impl Fn(VarId) -> Inst<Virtual>,
) {
    let flag =
        k.add_var(Var { live_in: true, fixed: Some(FileByte::START), ..Var::temp(VarClass::Flag, 2, 2) });
    let goto = |jip: u32, uip: u32, some: bool| {
        let mut i = Inst::new(Op::Goto, ExecSize::S8);
        i.pred = some.then(|| Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq });
        let [jip, uip] = [jip, uip].map(|b| gen_ir::Target::Block(BlockId(b)));
        i.payload = gen_ir::Payload::Branch { jip, uip, ctrl: false };
        i
    };
    let join = Inst::new(Op::Join, ExecSize::S8);
    let mut blocks = [vec![], vec![], vec![join], vec![join]];
    blocks[0].extend(x.iter().map(|&x| value(x, 1)));
    blocks[0].push(goto(2, 2, true));
    blocks[1].extend(y.iter().map(|&y| write(y)));
    blocks[1].extend(y.iter().map(|&y| add(z, y, y)));
    blocks[1].push(goto(2, 3, false));
    blocks[2].extend(x.iter().map(|&x| add(z, x, x)));
    let succs: [&[u32]; 4] = [&[1, 2], &[3], &[3], &[]];
    k.simd = 8;
    k.blocks = blocks
        .into_iter()
        .zip(succs)
        .map(|(insts, s)| Block { insts, succs: s.iter().map(|&b| BlockId(b)).collect() })
        .collect();
}

#[test]
fn checker_tells_waiting_lanes_from_others() {
    let unmasked = |y| Inst { no_mask: true, ..value(y, 2) };
    let words = |y| Inst { dst: Dst::packed(Reg::var_at(y, 0), Type::Uw), ..value(y, 2) };
    let kernel = |write: &dyn Fn(VarId) -> Inst<Virtual>| {
        let mut k = Kernel::new("t", Platform::Skl);
        let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(32))).collect();
        parted(&v[..1], &v[1..2], v[2], &mut k, write);
        k
    };
    let masked = kernel(&|y| value(y, 2));
    assert_eq!(checked(&masked, &[32, 32, 64, 0]), Ok(()), "each lane has its own bytes of both");
    assert!(matches!(checked(&masked, &[32, 36, 96, 0]), Err(Error::Unsound(_))), "bytes of other lanes");
    assert!(matches!(checked(&kernel(&unmasked), &[32, 32, 64, 0]), Err(Error::Unsound(_))));
    assert!(matches!(checked(&kernel(&words), &[32, 32, 64, 0]), Err(Error::Unsound(_))));
}

#[test]
fn waiting_lanes_share_registers_where_those_are_scarce() {
    for (masked, spills) in [(true, false), (false, true)] {
        let mut k = Kernel::new("t", Platform::Skl);
        let v: Vec<VarId> = (0..181).map(|_| k.add_var(general(32))).collect();
        parted(&v[..90], &v[90..180], v[180], &mut k, |y| Inst { no_mask: !masked, ..value(y, 2) });
        // In the order in which they are written, all are alive at once.
        let mut last = add(v[180], v[0], v[90]);
        for pair in v[90..180].windows(2) {
            last.src = [pair[0], pair[1]]
                .map(|v| Src::packed(Reg::var_at(v, 0), Type::D))
                .into_iter()
                .chain([Src::None])
                .collect::<Vec<_>>()
                .try_into()
                .unwrap();
            let at = k.blocks[1].insts.len() - 1;
            k.blocks[1].insts.insert(at, last);
        }
        let (_, stats) = allocate(
            &k,
            &Options { check: true, ..Options::default() },
            &mut AllocationMemory::default(),
            &mut Pool::default(),
        )
        .unwrap();
        assert_eq!(stats.spills > 0, spills, "{masked}: {stats:?}");
    }
}

#[test]
fn checker_sees_lost_values() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(32))).collect();
    let insts = vec![value(v[0], 1), value(v[1], 2), add(v[2], v[0], v[1])];
    k.blocks = vec![Block { insts, succs: Default::default() }];
    assert_eq!(checked(&k, &[32, 64, 32]), Ok(()));
    assert!(matches!(checked(&k, &[32, 32, 64]), Err(Error::Unsound(_))));
    assert!(matches!(checked(&k, &[32, 63, 96]), Err(Error::Unsound(_))), "one byte is enough");
}

#[test]
fn checker_sees_inputs_that_are_elsewhere() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..2).map(|_| k.add_var(general(32))).collect();
    (k.vars[0].fixed, k.vars[0].live_in) = (Some(FileByte::new(32)), true);
    k.blocks = vec![Block { insts: vec![add(v[1], v[0], v[0])], succs: Default::default() }];
    assert_eq!(checked(&k, &[32, 64]), Ok(()));
    assert!(matches!(checked(&k, &[96, 64]), Err(Error::Unsound(_))));
}

#[test]
fn checker_sees_values_lost_between_blocks() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(32))).collect();
    let to = |b: u32| std::iter::once(BlockId(b)).collect();
    // Written, written over in the next block, and read in the one after.
    k.blocks = vec![
        Block { insts: vec![value(v[0], 1)], succs: to(1) },
        Block { insts: vec![value(v[1], 2)], succs: to(2) },
        Block { insts: vec![add(v[2], v[0], v[0])], succs: Default::default() },
    ];
    assert_eq!(checked(&k, &[32, 64, 32]), Ok(()));
    assert!(matches!(checked(&k, &[32, 32, 64]), Err(Error::Unsound(_))));
    // One block touches it and brings it along to its next run.
    k.blocks =
        vec![Block { insts: vec![add(v[2], v[0], v[0]), value(v[0], 1), value(v[1], 2)], succs: to(0) }];
    assert_eq!(checked(&k, &[32, 64, 96]), Ok(()));
    assert!(matches!(checked(&k, &[32, 32, 64]), Err(Error::Unsound(_))));
}

#[test]
fn checker_knows_whose_bytes_are_lost() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(32))).collect();
    let mut any = add(v[2], v[0], v[0]);
    any.no_mask = true;
    let all = Inst { no_mask: true, ..value(v[0], 0) };
    // Written over between two masked writes: of no account to lanes that run, but to those that do not.
    let over = value(v[1], 2);
    looped(&mut k, vec![all, over, value(v[0], 1), add(v[2], v[0], v[0])]);
    assert_eq!(checked(&k, &[32, 32, 64, 0]), Ok(()));
    looped(&mut k, vec![all, over, value(v[0], 1), any]);
    k.vars[3].fixed = None;
    assert_eq!(checked(&k, &[32, 64, 96, 4, 0]), Ok(()));
    assert!(matches!(checked(&k, &[32, 32, 64, 4, 0]), Err(Error::Unsound(_))));
    looped(&mut k, vec![over, value(v[0], 1), any]);
    k.vars[4].fixed = None;
    // What an earlier run left in them is nothing.
    assert_eq!(checked(&k, &[32, 32, 64, 4, 8, 0]), Ok(()));
}

#[test]
fn checker_sees_early_writes() {
    let mut k = Kernel::new("t", Platform::Skl);
    let v: Vec<VarId> = (0..2).map(|_| k.add_var(Var::temp(VarClass::General, 64, 32))).collect();
    let mut i = add(v[1], v[0], v[0]);
    i.exec = ExecSize::S16;
    k.blocks = vec![Block { insts: vec![i], succs: Default::default() }];
    assert_eq!(checked(&k, &[32, 96]), Ok(()));
    assert!(matches!(checked(&k, &[32, 64]), Err(Error::Unsound(_))));
}

#[test]
fn a_spilled_input_is_saved_after_the_kernel_loads_it() {
    let mut k = wide(Platform::Pvc, 200, 2);
    let input = k.add_var(Var { fixed: Some(FileByte::new(5 * 64)), live_in: true, ..general(64) });
    let Some(v) = k.blocks[0].insts[0].dst.reg().and_then(|r| r.var()) else { panic!("no value") };
    let mut load = Inst::new(Op::Send, ExecSize::S16);
    load.dst = Dst::packed(Reg::grf(GrfNum::new(5), 0), Type::Ud);
    load.src[0] = Src::new(Reg::grf(GrfNum::R0, 0), Region::PACKED, Type::Ud);
    load.no_mask = true;
    load.payload = gen_ir::Payload::Send(gen_ir::SendInfo {
        sfid: gen_ir::Sfid::Ugm,
        desc: gen_ir::Desc::Imm(gen_ir::Descriptor::new()),
        ex_desc: gen_ir::Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: false,
        dst_len: 1,
        src0_len: 1,
        src1_len: 0,
    });
    let insts = &mut k.blocks[0].insts;
    insts.insert(0, load);
    insts.push(add(v, v, input));
    k.payload_loads = [0, 1];
    let (p, stats) =
        allocate(&k, &Options::default(), &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    assert!(stats.spills > 12, "{stats:?}");
    let first = p.insts().find(|(_, i)| i.src.iter().any(|s| s.reg() == Some(Reg::grf(GrfNum::new(5), 0))));
    assert!(first.is_some_and(|(_, i)| i.origin == Inst::<Physical>::NO_ORIGIN), "the input is spilled");
    let text = p.blocks[0].insts[0].to_string();
    assert_eq!(p.blocks[0].insts[0].op, Op::Send, "the load is first, not `{text}`");
    assert_eq!(p.blocks[0].insts[0].dst.reg(), Some(Reg::grf(GrfNum::new(5), 0)));
}

/// `count` variables that `first` writes, all alive before the first is read.
fn high_pressure(
    platform: Platform,
    first: impl Fn(VarId, u32) -> Inst<Virtual>,
    count: u32,
) -> Kernel<Virtual> {
    let mut k = Kernel::new("t", platform);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let out = k.add_var(Var { live_out: true, fixed: Some(FileByte::new(grf)), ..general(grf) });
    let vars: Vec<VarId> = (0..count).map(|_| k.add_var(general(grf))).collect();
    let mut insts = vec![value(out, 0)];
    insts.extend((0..).zip(&vars).map(|(n, &v)| first(v, n)));
    insts.extend(vars.iter().map(|&v| add(out, out, v)));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

#[test]
fn what_is_cheap_is_computed_again_and_not_kept_in_memory() {
    let checked = Options { check: true, ..Options::default() };
    for platform in Platform::ALL {
        let kernel = high_pressure(platform, mov, 300);
        let (p, stats) =
            allocate(&kernel, &checked, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
        assert_eq!((stats.spills, stats.fills, stats.scratch_bytes), (0, 0, 0), "{platform}");
        // Each is computed once, where it is read.
        assert_eq!(p.insts().filter(|(_, i)| i.op == Op::Mov).count(), 300, "{platform}");
        assert!((0..300).all(|n| p.insts().any(|(_, i)| i.src[0] == Src::ud(n))), "{platform}");
        let kernel = high_pressure(platform, value, 300);
        let (_, stats) =
            allocate(&kernel, &checked, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
        assert!(stats.spills > 25, "{platform}: {stats:?}");
    }
}

#[test]
fn what_lost_its_source_is_kept_in_memory() {
    for (lost, platform) in [false, true].into_iter().flat_map(|l| Platform::ALL.map(|p| (l, p))) {
        let mut k = high_pressure(platform, mov, 300);
        let grf = u32::from(platform.caps().regs.grf_bytes);
        let source = k.add_var(general(grf));
        let sums = |i: &mut Inst<Virtual>| {
            if i.op == Op::Mov {
                let of = Src::new(Reg::var_at(source, 0), Region::PACKED, Type::Ud);
                (i.op, i.src) = (Op::Add, [of, i.src[0], Src::None]);
            }
        };
        let insts = &mut k.blocks[0].insts;
        insts.iter_mut().for_each(sums);
        insts.insert(0, value(source, 7));
        // It is read at the end again; or else written before the first sum is read.
        let out = VarId(0);
        let at = insts.len() - 300;
        insts.push(add(out, out, source));
        if lost {
            insts.insert(at, value(source, 8));
        }
        let checked = Options { check: true, ..Options::default() };
        let (_, stats) =
            allocate(&k, &checked, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
        assert_eq!(stats.spills > 25, lost, "{platform}: {stats:?}");
        assert_eq!(stats.spills == 0, !lost, "{platform}: {stats:?}");
    }
}

#[test]
fn what_others_are_computed_from_keeps_its_register() {
    let platform = Platform::Skl;
    let mut k = high_pressure(platform, value, 112);
    let many: Vec<VarId> = (1..=112).map(VarId).collect();
    let source = k.add_var(general(32));
    let from_it: Vec<VarId> = (0..20).map(|_| k.add_var(general(32))).collect();
    let sum = |d: VarId, n: u32| Inst {
        op: Op::Add,
        src: [Src::new(Reg::var_at(source, 0), Region::PACKED, Type::Ud), Src::ud(n), Src::None],
        ..mov(d, 0)
    };
    let out = VarId(0);
    let insts = &mut k.blocks[0].insts;
    insts.insert(0, value(source, 7));
    insts.splice(1..1, from_it.iter().zip(0..).map(|(&d, n)| sum(d, n)));
    // Read once, it costs less by itself than each of those does that are read again and again.
    for _ in 0..30 {
        insts.extend(from_it.iter().chain(&many).map(|&v| add(out, out, v)));
    }
    insts.push(add(out, out, source));
    let checked = Options { check: true, ..Options::default() };
    let (_, stats) = allocate(&k, &checked, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    assert_eq!((stats.spills, stats.fills), (0, 0));
}

/// Eight values written before a stretch of 125 others; with a sum of what is read, and a variable for work in
/// between.
struct PressureOnce {
    k: Kernel<Virtual>,
    few: Vec<VarId>,
    sum: VarId,
    between: VarId,
    /// What comes first, and the stretch of high pressure.
    before: Vec<Vec<Inst<Virtual>>>,
}

/// Instructions between two reads: one temporary does not serve both by itself.
const APART: usize = 2 * KEEP as usize;

fn pressure_once() -> PressureOnce {
    let mut k = Kernel::new("t", Platform::Skl);
    k.simd = 8;
    let (few, many): (Vec<VarId>, Vec<VarId>) = (
        (0..8).map(|_| k.add_var(general(32))).collect(),
        (0..125).map(|_| k.add_var(general(32))).collect(),
    );
    let (sum, between) = (k.add_var(general(32)), k.add_var(general(32)));
    k.vars[sum.index()].live_out = true;
    let mut insts: Vec<_> = few.iter().map(|&v| value(v, 1)).collect();
    insts.extend(many.iter().map(|&v| value(v, 2)));
    insts.extend([value(sum, 3), value(between, 4)]);
    // Read often: what costs least to spill are the few.
    let pressed = (0..16).flat_map(|_| many.iter().map(|&v| add(sum, sum, v))).collect();
    PressureOnce { k, few, sum, between, before: vec![insts, pressed] }
}

impl PressureOnce {
    /// Reads the eight so many times.
    fn reads(&self, times: usize) -> Vec<Inst<Virtual>> {
        let work = || std::iter::repeat_n(add(self.between, self.between, self.between), APART);
        let once = || self.few.iter().map(|&v| add(self.sum, self.sum, v)).chain(work());
        (0..times).flat_map(|_| once()).chain([add(self.sum, self.sum, self.between)]).collect()
    }

    /// Allocates with these blocks behind the stretch of high pressure, each with those that follow it.
    fn allocate(mut self, behind: Vec<(Vec<Inst<Virtual>>, &[u32])>) -> (Kernel<Physical>, AllocStats) {
        let mut block = |insts, succs: &[u32]| {
            let succs = succs.iter().map(|&b| BlockId(b)).collect();
            self.k.blocks.push(Block { insts, succs });
        };
        for (insts, next) in self.before.into_iter().zip([1, 2]) {
            block(insts, &[next]);
        }
        behind.into_iter().for_each(|(insts, succs)| block(insts, succs));
        let options = Options { check: true, ..Options::default() };
        allocate(&self.k, &options, &mut AllocationMemory::default(), &mut Pool::default()).unwrap()
    }
}

/// `goto` to a block, for some lanes or all that are there.
fn goto(flag: Option<VarId>, jip: u32, uip: u32) -> Inst<Virtual> {
    let [jip, uip] = [jip, uip].map(|b| gen_ir::Target::Block(BlockId(b)));
    Inst {
        pred: flag.map(|f| Pred { flag: Reg::var_at(f, 0), inv: false, ctrl: PredCtrl::Seq }),
        payload: gen_ir::Payload::Branch { jip, uip, ctrl: false },
        ..Inst::new(Op::Goto, ExecSize::S8)
    }
}

fn add_condition(k: &mut Kernel<Virtual>) -> VarId {
    k.add_var(Var { live_in: true, fixed: Some(FileByte::START), ..Var::temp(VarClass::Flag, 2, 2) })
}

/// Messages that fill, by block.
fn fills(k: &Kernel<Physical>) -> Vec<usize> {
    let is_fill = |i: &&Inst<Physical>| i.op == Op::Send && i.dst.reg().is_some_and(|r| r != Reg::NULL);
    k.blocks.iter().map(|b| b.insts.iter().filter(is_fill).count()).collect()
}

#[test]
fn what_was_spilled_for_a_crowded_stretch_is_read_once_behind_it() {
    let of = pressure_once();
    let reads = of.reads(4);
    let (k, stats) = of.allocate(vec![(reads, &[])]);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize]);
}

#[test]
fn what_is_read_once_serves_the_blocks_behind() {
    let of = pressure_once();
    let [first, second] = [of.reads(1), of.reads(1)];
    let (k, stats) = of.allocate(vec![(first, &[3]), (second, &[])]);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize, 0]);
}

#[test]
fn what_both_sides_of_a_branch_read_is_read_before_it() {
    let mut of = pressure_once();
    let flag = add_condition(&mut of.k);
    of.before[1].push(goto(Some(flag), 3, 3));
    let join = Inst::new(Op::Join, ExecSize::S8);
    let (mut yes, mut no) = (of.reads(1), of.reads(1));
    yes.push(goto(None, 3, 4));
    no.insert(0, join);
    let mut behind = vec![(yes, &[4][..]), (no, &[4]), (vec![join], &[])];
    // The stretch of high pressure ends with the branch.
    of.before.push(vec![]);
    let pressed = of.before.remove(1);
    of.before.truncate(1);
    behind.insert(0, (pressed, &[2, 3]));
    let (k, stats) = of.allocate(behind);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k)[1..], [stats.fills as usize, 0, 0, 0]);
}

#[test]
fn what_a_loop_reads_is_read_before_it() {
    let mut of = pressure_once();
    let flag = add_condition(&mut of.k);
    let mut body = of.reads(1);
    body.insert(0, Inst::new(Op::Join, ExecSize::S8));
    body.push(goto(Some(flag), 4, 3));
    let join = Inst::new(Op::Join, ExecSize::S8);
    let work = std::iter::repeat_n(add(of.between, of.between, of.between), APART).collect();
    let (k, stats) = of.allocate(vec![(work, &[3]), (body, &[4, 3]), (vec![join], &[])]);
    assert!(stats.spills > 0 && stats.fills > 0, "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize, 0, 0]);
}

#[test]
fn what_is_computed_again_is_not_kept_past_its_definition() {
    let PressureOnce { mut k, few, sum, between, before } = pressure_once();
    // In each run of a loop what the one before has left is read, then what this one computes.
    let (source, result) = (between, few[0]);
    let mut computes = mov(result, 77);
    (computes.op, computes.src) = (Op::Add, [add(sum, source, source).src[0], Src::ud(77), Src::None]);
    let work = || std::iter::repeat_n(add(sum, sum, sum), APART);
    let [mut insts, pressed]: [Vec<_>; 2] = before.try_into().unwrap();
    insts.retain(|i| ![result, source].map(Some).contains(&i.dst.reg().and_then(|r| r.var())));
    insts.push(add(sum, sum, result));
    insts.extend(work().chain([add(source, source, source), computes]).chain(work()));
    insts.extend([add(sum, sum, result)].into_iter().chain(pressed).chain([add(sum, sum, source)]));
    looped(&mut k, insts);
    let options = Options { check: true, ..Options::default() };
    let (k, _) = allocate(&k, &options, &mut AllocationMemory::default(), &mut Pool::default()).unwrap();
    let code = &k.blocks[0].insts;
    let at = |of: &dyn Fn(&Inst<Physical>) -> bool| code.iter().position(of).unwrap();
    let computed = |i: &Inst<Physical>| i.src[1] == Src::ud(77);
    let doubled =
        |i: &Inst<Physical>| i.op == Op::Add && i.src[0] == i.src[1] && i.dst.reg() == i.src[0].reg();
    let changes = at(&|i| doubled(i) && i.src[0].reg() != code[at(&|i| doubled(i))].src[0].reg());
    let again = code[changes..].iter().any(computed);
    assert!(again, "what is read behind the source's change is computed behind it");
    assert!(code[..changes].iter().any(computed), "this shows nothing: it is not computed again");
}

/// Eight values written together and read together behind a stretch, `apart` instructions from each other.
fn together(apart: usize) -> AllocStats {
    let of = pressure_once();
    let work = || std::iter::repeat_n(add(of.between, of.between, of.between), apart);
    let reads = of.few.iter().flat_map(|&v| std::iter::once(add(of.sum, of.sum, v)).chain(work()));
    let reads: Vec<_> = reads.chain([add(of.sum, of.sum, of.between)]).collect();
    of.allocate(vec![(reads, &[])]).1
}

#[test]
fn one_message_moves_what_is_touched_together() {
    // Four registers a message.
    let stats = together(1);
    assert!((1..=2).contains(&stats.spills) && (1..=2).contains(&stats.fills), "{stats:?}");
    let stats = together(APART);
    assert!((5..=8).contains(&stats.spills) && (5..=8).contains(&stats.fills), "{stats:?}");
}

//! Results in the place of what they are made of.

use super::*;
use crate::place::{copies::Copies, reuse::Reuse};

/// Sums of two registers each: the first of two values, then of the sum before and a value that stays.
fn sums(platform: Platform) -> (Kernel<Virtual>, usize) {
    let mut k = Kernel::new("sums", platform);
    k.simd = 16;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    // Two registers, whatever these have.
    let exec = if grf == 32 { ExecSize::S16 } else { ExecSize::S32 };
    // More than there are registers for beside each other.
    let count = usize::from(k.grf_count);
    let v: Vec<VarId> = (0..count).map(|_| k.add_var(general(2 * grf))).collect();
    let mut insts = vec![value(v[0], 1), value(v[1], 2)];
    insts.extend((2..count).map(|n| add(v[n], v[n - 1], v[0])));
    k.blocks = vec![Block {
        insts: insts.into_iter().map(|i| Inst { exec, ..i }).collect(),
        succs: Default::default(),
    }];
    (k, count)
}

#[test]
fn a_sum_is_written_where_its_only_term_was() {
    for platform in Platform::ALL {
        let (k, count) = sums(platform);
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        let used = regs(&p);
        let same = used[2..].iter().filter(|of_inst| of_inst[0] == of_inst[2]).count();
        assert_eq!(same, count - 2, "{platform}: {used:?}");
    }
}

#[test]
fn what_another_reads_keeps_its_place() {
    let (mut k, _) = sums(Platform::Skl);
    // Each value is read before, too, by what may come at any time before it is gone.
    let insts = &mut k.blocks[0].insts;
    *insts = insts.iter().flat_map(|&of| [Inst { dst: Dst::None, ..of }, of]).collect();
    let (p, _) = allocate_checked(&k);
    for (n, of_inst) in regs(&p).iter().enumerate() {
        assert!(of_inst.len() < 3 || of_inst[0] != of_inst[2], "{n}: {of_inst:?}");
    }
}

#[test]
fn what_is_read_in_two_ways_is_not_written_over() {
    for platform in Platform::ALL {
        let (mut k, count) = sums(platform);
        // The first channel's value is read for all channels, too: by later steps as well.
        for inst in &mut k.blocks[0].insts[2..] {
            let Src::Direct { reg, ty, .. } = inst.src[0] else { unreachable!() };
            inst.src[1] = Src::new(reg, Region::SCALAR, ty);
        }
        let (mut accesses, mut flow) = (Accesses::default(), Flow::default());
        flow.find(&k);
        accesses.collect(&k, &flow, &mut History::default()).unwrap();
        let mut reuse = Reuse::default();
        reuse.find(&k, &accesses, &Copies::default());
        assert!((0..count).all(|v| reuse.reused(VarId(to_index(v))).is_none()), "{platform}");
    }
}

/// A loop whose every round makes each of some sums of two registers anew, in two steps, and copies it back. All others are
/// alive meanwhile.
fn carried_sums(platform: Platform, count: usize) -> Kernel<Virtual> {
    let mut k = Kernel::new("carried", platform);
    k.simd = 16;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let exec = if grf == 32 { ExecSize::S16 } else { ExecSize::S32 };
    let mut vars = |n: usize| -> Vec<VarId> { (0..n).map(|_| k.add_var(general(2 * grf))).collect() };
    let (kept, first, second, other) = (vars(count), vars(count), vars(count), vars(2));
    let flag =
        k.add_var(Var { live_in: true, fixed: Some(FileByte::START), ..Var::temp(VarClass::Flag, 2, 2) });
    let copy = |to: VarId, from: VarId| Inst { op: Op::Mov, ..add(to, from, from) };
    let copy = |to, from| Inst { src: [copy(to, from).src[0], Src::None, Src::None], ..copy(to, from) };
    let wide = |insts: Vec<Inst<Virtual>>| insts.into_iter().map(|i| Inst { exec, ..i }).collect::<Vec<_>>();
    let start = kept.iter().chain(&other).map(|&v| value(v, 1)).collect();
    let all = || kept.iter().zip(&first).zip(&second).map(|((&k, &f), &s)| (k, f, s));
    let mut round: Vec<_> = all().map(|(k, f, _)| add(f, k, other[0])).collect();
    round.extend(all().map(|(_, f, s)| add(s, f, other[1])));
    let back = all().map(|(k, _, s)| copy(k, s)).collect();
    let end = all().map(|(_, _, s)| add(other[0], other[0], s)).collect();
    let jump = |to: u32, pred: Option<Pred<Virtual>>| Inst {
        pred,
        no_mask: true,
        payload: gen_ir::Payload::Branch {
            jip: gen_ir::Target::Block(BlockId(to)),
            uip: gen_ir::Target::None,
            ctrl: false,
        },
        ..Inst::new(Op::Jmpi, ExecSize::S1)
    };
    let leave = Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq };
    let block = |mut insts: Vec<Inst<Virtual>>, last: Option<Inst<Virtual>>, succs: &[u32]| {
        insts.extend(last);
        Block { insts, succs: succs.iter().map(|&s| BlockId(s)).collect() }
    };
    k.blocks = vec![
        block(wide(start), None, &[1]),
        block(wide(round), Some(jump(3, Some(leave))), &[2, 3]),
        block(wide(back), Some(jump(1, None)), &[1]),
        block(wide(end), None, &[]),
    ];
    k
}

#[test]
fn what_a_loop_carries_stays_where_it_is() {
    for platform in Platform::ALL {
        let k = carried_sums(platform, 24);
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        // No copy is left of those that carry the sums to the next round.
        assert_eq!(p.blocks[2].insts.len(), 1, "{platform}: {:?}", p.blocks[2].insts);
    }
}

/// Every sum's last step writes what the loop carries, which has its place long before the step before is placed. But for one
/// register all are taken.
#[test]
fn a_step_takes_the_place_of_what_is_made_of_it() {
    for platform in Platform::ALL {
        let mut k = carried_sums(platform, 61);
        let step = k.blocks[1].insts[0].src[1];
        for inst in k.blocks[2].insts.iter_mut().filter(|inst| inst.op == Op::Mov) {
            (inst.op, inst.src[1]) = (Op::Add, step);
        }
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        assert!(
            p.blocks[2].insts.iter().all(|i| i.op != Op::Add || i.dst.reg() == i.src[0].reg()),
            "{platform}"
        );
    }
}

/// A loop that makes sums anew in two steps each, ends in this way, and is followed by readers of the sums. They take so many
/// registers; with what is read in front of the loop alone, variables do not fit beside each other.
fn sums_of_a_loop(ty: &str, bytes: usize, regs: usize, end: &str) -> (Kernel<Virtual>, usize) {
    let count = regs * 32 / bytes;
    let early = 128 * 32 / bytes;
    let mut text = format!("V0: flag, 2 bytes, live in\nV1: general, {bytes} bytes, align 32, live in\n");
    for v in 0..2 * count + early {
        text += &format!("V{}: general, {bytes} bytes, align 32\n", v + 2);
    }
    let lines = |line: &dyn Fn(usize, usize) -> String| {
        (0..count).map(|n| line(n + 2, n + 2 + count) + "\n").collect::<String>()
    };
    let add = |to: usize, from: usize, other: usize| {
        format!("add (16|M0) V{to}(0)<1>:{ty} V{from}(0)<8;8,1>:{ty} V{other}(0)<8;8,1>:{ty}")
    };
    text += "B0: -> B1\n";
    for v in 2 + 2 * count..2 + 2 * count + early {
        text += &format!("mov (16|M0) V{v}(0)<1>:{ty} 0x0:{ty}\n{}\n", add(1, 1, v));
    }
    text += &lines(&|sum, _| format!("mov (16|M0) V{sum}(0)<1>:{ty} 0x0:{ty}"));
    text += "B1: -> B2 B3\n";
    text += &lines(&|sum, step| add(step, sum, 1));
    text += &lines(&|sum, step| add(sum, step, 1));
    text += end;
    text += &lines(&|sum, _| add(1, 1, sum));
    (gen_ir::parse(&text, Platform::Icllp).unwrap(), count)
}

/// Every sum and its step in one place.
fn is_each_in_place((k, count): &(Kernel<Virtual>, usize)) -> bool {
    let (p, stats) = allocate_checked(k);
    assert_eq!((stats.spills, stats.fills), (0, 0), "{stats:?}");
    p.blocks[1].insts[..2 * count].iter().all(|inst| inst.dst.reg() == inst.src[0].reg())
}

/// The first step of a sum is written over what the loop carries, although that is read behind the loop, too: whoever reads it
/// there is not moved in front of the step. Nothing here needs registers.
#[test]
fn what_is_read_behind_a_loop_is_written_over_in_it() {
    let jump = "(W&V0(0)) jmpi (1|M0) B3\nB2: -> B1\n(W) jmpi (1|M0) B1\nB3: -> B4\nB4:\n";
    for (ty, bytes) in [("f", 64), ("hf", 32)] {
        assert!(is_each_in_place(&sums_of_a_loop(ty, bytes, 32, jump)), "{ty}");
    }
}

/// Lanes leave the loop one by one. What those hold that have left is apart, lane by lane, from what the others write, so a
/// sum and its step share their registers before these are scarce, and others are free for the scheduler.
#[test]
fn where_lanes_wait_sums_share_registers_before_these_are_scarce() {
    let goto =
        "(V0(0)) goto (16|M0) B3 B3\nB2: -> B1\ngoto.b (16|M0) B3 B1\nB3: -> B4\njoin (16|M0) B4\nB4:\n";
    assert!(is_each_in_place(&sums_of_a_loop("d", 64, 48, goto)));
}

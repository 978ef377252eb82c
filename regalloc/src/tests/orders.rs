//! Orders of instructions that need fewer registers.

use super::*;
use crate::order::{self, OrderMemory, Search};

/// Steps of a hash.
const STEPS: usize = 40;

/// `count` hashes over 16 words each, like SHA-1 in what depends on what, woven step by step, as they are written for
/// channels that one instruction has no room for.
fn woven_hashes(platform: Platform, count: usize) -> Kernel<Virtual> {
    let mut k = Kernel::new("hashes", platform);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let mut insts = Vec::new();
    let new = |k: &mut Kernel<Virtual>| k.add_var(general(grf));
    let mut states = Vec::new();
    for _ in 0..count {
        let words: Vec<VarId> = (0..16).map(|_| new(&mut k)).collect();
        let state: Vec<VarId> = (0..5).map(|_| new(&mut k)).collect();
        states.push((words, state));
    }
    let all = || states.iter().flat_map(|(words, state)| words.iter().chain(state));
    // Each is made of bytes that are alive anyway.
    let bytes = new(&mut k);
    insts.push(value(bytes, 0));
    let part = |v: VarId, n: u32| Inst {
        dst: Dst::Direct { reg: Reg::var_at(v, n), horz: 4, ty: Type::Ub },
        src: [Src::new(Reg::var_at(bytes, n), Region::SCALAR, Type::Ub), Src::None, Src::None],
        ..Inst::new(Op::Mov, if grf == 64 { ExecSize::S16 } else { ExecSize::S8 })
    };
    insts.extend(all().flat_map(|&v| (0..4).map(move |n| part(v, n))));
    for step in 0..STEPS {
        for (words, state) in &mut states {
            let word = words[step % 16];
            let next = new(&mut k);
            insts.push(add(next, state[4], word));
            insts.push(add(next, next, state[step % 3]));
            state.rotate_right(1);
            state[0] = next;
            insts.extend([3, 8, 14].map(|back| add(word, word, words[(step + 16 - back) % 16])));
        }
    }
    let sum = states[0].1[0];
    insts.extend(states.iter().flat_map(|(_, state)| &state[1..]).map(|&v| add(sum, sum, v)));
    k.vars[sum.index()].live_out = true;
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

#[test]
fn what_is_woven_comes_apart_where_registers_are_scarce() {
    for platform in Platform::ALL {
        let k = woven_hashes(platform, 8);
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        assert_eq!(p.inst_count(), k.inst_count(), "{platform}");
    }
}

/// A kernel in the order that a search finds because more is alive than there is room for; none if there is room.
fn ordered(k: &Kernel<Virtual>, search: Search) -> Option<Kernel<Virtual>> {
    let (mut accesses, mut flow, mut live) = (Accesses::default(), Flow::default(), Liveness::default());
    flow.find(k);
    accesses.collect(k, &flow, &mut History::default()).unwrap();
    live.compute(k, &accesses, &flow, &History::default(), &mut LivenessMemory::default());
    let mut memory = OrderMemory::default();
    if !order::is_pressure_high(k, &accesses, &live, &mut memory) {
        return None;
    }
    order::order(k, (&accesses, &live), search, &mut memory, &mut Pool::default())
}

#[test]
fn depth_first_computes_one_after_the_other() {
    let (trees, leaves) = (40, 8);
    let mut k = Kernel::new("trees", Platform::Skl);
    // Sums of values of their own, level by level: each level of all sums comes before the next.
    let mut insts = Vec::new();
    let mut level: Vec<Vec<VarId>> =
        (0..trees).map(|_| (0..leaves).map(|_| k.add_var(general(32))).collect()).collect();
    insts.extend(level.iter().flatten().map(|&v| value(v, 1)));
    while level[0].len() > 1 {
        level = level
            .iter()
            .map(|tree| {
                let pairs = tree.chunks(2).map(|pair| (k.add_var(general(32)), pair[0], pair[1]));
                pairs.map(|(sum, a, b)| (insts.push(add(sum, a, b)), sum).1).collect()
            })
            .collect();
    }
    let sum = level[0][0];
    insts.extend(level[1..].iter().map(|tree| add(sum, sum, tree[0])));
    k.vars[sum.index()].live_out = true;
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let found = ordered(&k, Search::DepthFirst).unwrap();
    assert_eq!(found.blocks[0].insts.len(), k.blocks[0].insts.len());
    // As written, 320 values are alive behind the first level.
    assert!(ordered(&found, Search::DepthFirst).is_none());
}

/// A choice between two values that all channels read, by a flag.
fn choice(dst: VarId, by: VarId, of: [VarId; 2]) -> Inst<Virtual> {
    let src = of.map(|v| Src::new(Reg::var_at(v, 0), Region::SCALAR, Type::D));
    Inst {
        op: Op::Sel,
        src: [src[0], src[1], Src::None],
        pred: Some(Pred { flag: Reg::var_at(by, 0), inv: false, ctrl: PredCtrl::Seq }),
        ..add(dst, dst, dst)
    }
}

fn compare(flag: VarId, a: VarId, b: VarId) -> Inst<Virtual> {
    let cond = Some(CondMod { cond: Cond::Eq, flag: Reg::var_at(flag, 0) });
    Inst { op: Op::Cmp, dst: Dst::null(Type::D), cond, ..add(a, a, b) }
}

#[test]
fn choices_pass_comparisons_that_set_other_flags() {
    let mut k = Kernel::new("choices", Platform::Skl);
    let of = [0; 2].map(|_| k.add_var(Var { live_in: true, ..temporary(4) }));
    let sum = k.add_var(Var { live_in: true, live_out: true, ..general(32) });
    let by = k.add_var(Var { live_in: true, ..Var::temp(VarClass::Flag, 2, 2) });
    let other = k.add_var(Var { live_out: true, ..Var::temp(VarClass::Flag, 2, 2) });
    let values: Vec<VarId> = (0..150).map(|_| k.add_var(general(32))).collect();
    let mut insts: Vec<Inst<Virtual>> = values.iter().map(|&v| choice(v, by, of)).collect();
    insts.push(compare(other, sum, sum));
    insts.extend(values.iter().map(|&v| add(sum, sum, v)));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let found = ordered(&k, Search::LeastAlive).unwrap();
    assert!(ordered(&found, Search::LeastAlive).is_none());
}

#[test]
fn no_more_flags_are_alive_than_there_are() {
    let mut k = Kernel::new("flags", Platform::Skl);
    let of = [0; 2].map(|_| k.add_var(Var { live_in: true, ..temporary(4) }));
    let sum = k.add_var(Var { live_in: true, live_out: true, ..general(32) });
    let mut insts = Vec::new();
    let mut sums = Vec::new();
    for _ in 0..150 {
        let flag = k.add_var(Var::temp(VarClass::Flag, 4, 4));
        let [value, other] = [0; 2].map(|_| k.add_var(general(32)));
        insts.extend([compare(flag, of[0], of[1]), choice(value, flag, of), choice(other, flag, of)]);
        sums.extend([add(sum, sum, value), add(sum, sum, other)]);
    }
    insts.extend(sums);
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let (_, stats) = allocate_checked(&k);
    assert_eq!((stats.spills, stats.flag_spills), (0, 0), "{stats:?}");
}

#[test]
fn flags_that_are_read_in_another_order_than_written_are_not_all_taken() {
    // Addresses are compared one after the other, for each is made of the one before; what is loaded is read in another
    // order.
    let count = 45;
    let mut k = Kernel::new("tiles", Platform::Skl);
    let of = [0; 2].map(|_| k.add_var(Var { live_in: true, ..temporary(4) }));
    let [address, sum] = [0; 2].map(|_| k.add_var(Var { live_in: true, live_out: true, ..general(32) }));
    let mut insts = Vec::new();
    let mut loaded = Vec::new();
    for _ in 0..count {
        let flag = k.add_var(Var::temp(VarClass::Flag, 2, 2));
        let bounded = k.add_var(general(32));
        insts.extend([
            add(address, address, of[0]),
            compare(flag, address, of[1]),
            choice(bounded, flag, of),
        ]);
        loaded.push([0; 4].map(|_| k.add_var(general(32))));
        insts.extend(loaded[loaded.len() - 1].map(|v| add(v, bounded, bounded)));
    }
    insts.extend((0..count).flat_map(|i| loaded[i * 7 % count]).map(|v| add(sum, sum, v)));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    let found = ordered(&k, Search::LeastAlive).unwrap();
    assert!(ordered(&found, Search::LeastAlive).is_none());
}

/// More values are loaded than there are registers for before all are added up: each is loaded long before it is read, and none
/// is in the way of the others.
#[test]
fn loads_are_in_the_order_of_their_readers() {
    let count = 300;
    let mut text = String::from("V0: 32 bytes, live in\nV1: 32 bytes, live in, live out\n");
    let all = || 2..2 + count;
    text.extend(all().map(|v| format!("V{v}: 32 bytes\n")));
    text += "B0:\n";
    let load = |v| format!("send.dc1 (8|M0) V{v}(0)<1>:ud V0(0)<8;8,1>:ud 0x0 0x2106e00 wr:1+0 rd:1\n");
    text.extend(all().map(load));
    text.extend(all().map(|v| format!("add (8|M0) V1(0)<1>:d V1(0)<8;8,1>:d V{v}(0)<8;8,1>:d\n")));
    let k = gen_ir::parse(&text, Platform::Skl).unwrap();
    let found = ordered(&k, Search::LeastAlive).unwrap();
    assert!(ordered(&found, Search::LeastAlive).is_none());
    let insts = &found.blocks[0].insts;
    let place = |is: &dyn Fn(&Inst<Virtual>) -> bool| insts.iter().position(is).unwrap();
    let distance = |v: VarId| {
        let read = place(&|inst| inst.src[1].reg().is_some_and(|r| r.var() == Some(v)));
        read - place(&|inst| inst.dst_var() == Some(v))
    };
    let nearest = all().map(|v| distance(VarId(to_index(v)))).min().unwrap();
    assert!(nearest > 50, "{nearest}");
}

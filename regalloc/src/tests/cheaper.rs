//! What is computed again.

use super::*;

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

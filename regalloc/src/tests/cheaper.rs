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
    for (origin, inst) in (0..).zip(&mut insts) {
        inst.origin = origin;
    }
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

#[test]
fn what_is_cheap_is_computed_again_and_not_kept_in_memory() {
    for platform in Platform::ALL {
        let kernel = high_pressure(platform, mov, 300);
        let (p, stats) = allocate_checked(&kernel);
        assert_eq!((stats.spills, stats.fills, stats.scratch_bytes), (0, 0, 0), "{platform}");
        // Each is computed once, where it is read.
        assert_eq!(p.insts().filter(|(_, i)| i.op == Op::Mov).count(), 300, "{platform}");
        assert!((0..300).all(|n| p.insts().any(|(_, i)| i.src[0] == Src::ud(n))), "{platform}");
        // For debug information one computed again is of its reader.
        let insts: Vec<_> = p.insts().map(|(_, i)| *i).collect();
        let moved = insts.windows(2).filter(|pair| pair[0].op == Op::Mov && pair[0].origin == pair[1].origin);
        assert!(moved.count() > 25, "{platform}");
        let kernel = high_pressure(platform, value, 300);
        let (_, stats) = allocate_checked(&kernel);
        assert!(stats.spills > 25, "{platform}: {stats:?}");
    }
}

/// 300 sums of constants and `of` as many other variables, which are alive before the first is read.
fn sums(platform: Platform, of: usize) -> (Kernel<Virtual>, Vec<VarId>) {
    let mut k = high_pressure(platform, mov, 300);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let sources: Vec<VarId> = (0..of).map(|_| k.add_var(general(grf))).collect();
    let insts = &mut k.blocks[0].insts;
    for (n, i) in insts.iter_mut().filter(|i| i.op == Op::Mov).enumerate() {
        let source = Src::new(Reg::var_at(sources[n % of], 0), Region::PACKED, Type::Ud);
        (i.op, i.src) = (Op::Add, [source, i.src[0], Src::None]);
    }
    for (n, &source) in sources.iter().enumerate().rev() {
        // Each is written before the first sum of it.
        insts.insert(1 + n, value(source, 7));
    }
    (k, sources)
}

#[test]
fn what_lost_its_source_is_kept_in_memory() {
    for (lost, platform) in [false, true].into_iter().flat_map(|l| Platform::ALL.map(|p| (l, p))) {
        let (mut k, sources) = sums(platform, 1);
        let insts = &mut k.blocks[0].insts;
        // It is read at the end again; or else written before the first sum is read.
        let out = VarId(0);
        let at = insts.len() - 300;
        insts.push(add(out, out, sources[0]));
        if lost {
            insts.insert(at, value(sources[0], 8));
        }
        let (_, stats) = allocate_checked(&k);
        assert_eq!(stats.spills > 25, lost, "{platform}: {stats:?}");
        assert_eq!(stats.spills == 0, !lost, "{platform}: {stats:?}");
    }
}

#[test]
fn an_argument_does_not_live_longer_where_a_call_destroys_its_register() {
    for platform in Platform::ALL {
        let (mut k, sources) = sums(platform, 1);
        let grf = u32::from(platform.caps().regs.grf_bytes);
        let at = Some(FileByte::new(2 * grf));
        let source = &mut k.vars[sources[0].index()];
        (source.live_in, source.fixed) = (true, at);
        let destroyed = k.add_var(Var { fixed: at, ..general(grf) });
        let insts = &mut k.blocks[0].insts;
        insts.retain(|i| i.dst_var() != Some(sources[0]));
        let first_read = insts.len() - 300;
        insts.insert(first_read, value(destroyed, 8));
        let (_, stats) = allocate_checked(&k);
        assert!(stats.spills > 25, "{platform}: {stats:?}");
    }
}

#[test]
fn what_many_are_computed_from_lives_longer_for_them() {
    for platform in Platform::ALL {
        let (k, _) = sums(platform, 3);
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills, stats.scratch_bytes), (0, 0, 0), "{platform}");
        // Each sum is computed once, where it is read.
        assert_eq!(p.insts().filter(|(_, i)| i.op == Op::Add).count(), 600, "{platform}");
        assert!((0..300).all(|n| p.insts().any(|(_, i)| i.src[1] == Src::ud(n))), "{platform}");
        // As many sources as sums would take as many registers.
        let (k, _) = sums(platform, 300);
        let (_, stats) = allocate_checked(&k);
        assert!(stats.spills > 25, "{platform}: {stats:?}");
    }
}

#[test]
fn what_a_subroutine_does_not_write_is_computed_again_behind_it() {
    for (lost, platform) in [false, true].into_iter().flat_map(|l| Platform::ALL.map(|p| (l, p))) {
        let (mut k, sources) = sums(platform, 1);
        let (back, own) = (k.add_var(temporary(8)), k.add_var(general(32)));
        let (call, ret) = call_and_return(back, 2);
        let mut first = std::mem::take(&mut k.blocks[0].insts);
        let second = first.split_off(first.len() - 300);
        first.push(call);
        let written = if lost { sources[0] } else { own };
        k.blocks = vec![
            Block { insts: first, succs: vec![BlockId(1), BlockId(2)].into() },
            Block { insts: second, succs: Default::default() },
            Block { insts: vec![value(written, 8), add(own, own, written), ret], succs: Default::default() },
        ];
        k.subroutines = vec![BlockId(2)];
        let (_, stats) = allocate_checked(&k);
        assert_eq!(stats.spills > 25, lost, "{platform}: {stats:?}");
        assert_eq!(stats.spills < 5, !lost, "{platform}: {stats:?}");
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
    let (_, stats) = allocate_checked(&k);
    assert_eq!((stats.spills, stats.fills), (0, 0));
}

//! Results in the place of what they are made of.

use super::*;
use crate::place::heirs::Heirs;

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
        let mut heirs = Heirs::default();
        heirs.find(&k, &accesses);
        assert!((0..count).all(|v| heirs.legacy(VarId(to_index(v))).is_none()), "{platform}");
    }
}

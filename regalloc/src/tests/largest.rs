//! Placing with the largest first.

use super::*;

/// Registers that a large variable has.
const LARGE: u32 = 16;

/// Values of a register each, of which every other is over before a large one begins: then about twice as many
/// registers are free as that has, but no two in a row where values have them as they come. `scalars` are alive
/// from before the values, and as many from when half of them are over; each to the end.
fn gaps(platform: Platform, scalars: u32) -> Kernel<Virtual> {
    let mut k = Kernel::new("gaps", platform);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    // Two registers are left free, and one is for the sum.
    let count = u32::from(k.grf_count) - 4 - 2 * (scalars * 4).div_ceil(grf);
    let mut some = |n: u32, bytes| (0..n).map(|_| k.add_var(general(bytes))).collect::<Vec<_>>();
    let (values, large, sum) = (some(count, grf), some(1, LARGE * grf)[0], some(1, grf)[0]);
    let scalars = [some(scalars, 4), some(scalars, 4)];
    let scalar = |i: Inst<Virtual>| Inst { exec: ExecSize::S1, no_mask: true, ..i };
    let of_large =
        |i: Inst<Virtual>, n: u32| Inst { dst: Dst::packed(Reg::var_at(large, n * grf), Type::Ud), ..i };
    let (over, kept): (Vec<_>, Vec<_>) = values.iter().copied().enumerate().partition(|(n, _)| n % 2 == 0);
    let mut insts = vec![value(sum, 0)];
    insts.extend(scalars[0].iter().map(|&v| scalar(value(v, 1))));
    insts.extend(values.iter().map(|&v| value(v, 2)));
    insts.extend(over.iter().map(|&(_, v)| add(sum, sum, v)));
    insts.extend(scalars[1].iter().map(|&v| scalar(value(v, 3))));
    insts.extend((0..LARGE).map(|n| of_large(value(large, 4), n)));
    insts.extend((0..LARGE).map(|n| {
        let src = Src::packed(Reg::var_at(large, n * grf), Type::D);
        Inst { src: [src, Src::packed(Reg::var_at(sum, 0), Type::D), Src::None], ..add(sum, sum, sum) }
    }));
    insts.extend(kept.iter().map(|&(_, v)| add(sum, sum, v)));
    insts.extend(scalars.iter().flatten().map(|&v| scalar(add(sum, sum, v))));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

#[test]
fn what_needs_registers_in_a_row_is_placed_before_others_take_them_apart() {
    for platform in Platform::ALL {
        let k = gaps(platform, 0);
        let (p, stats) = allocate_checked(&k);
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        assert_eq!(p.inst_count(), k.inst_count(), "{platform}");
    }
}

#[test]
fn what_is_smaller_than_a_register_finds_its_place_behind_it() {
    for platform in Platform::ALL {
        let (p, stats) = allocate_checked(&gaps(platform, 64));
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}: {stats:?}");
        // Scalars share registers.
        let k = gaps(platform, 64);
        assert_eq!(p.inst_count(), k.inst_count(), "{platform}");
    }
}

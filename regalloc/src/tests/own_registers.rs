//! What is smaller than a register and declared to begin one.

use super::*;

/// The sum of so many vectors of half a register's words, all alive at once. To the first ones addresses lead.
fn halves(platform: Platform, count: u32, addressed: u32) -> Kernel<Virtual> {
    let mut k = Kernel::new("halves", platform);
    let bytes = u32::from(platform.caps().regs.grf_bytes) / 2;
    let exec = ExecSize::from_lanes(bytes / 2).unwrap();
    let vectors: Vec<_> = (0..=count)
        .map(|n| {
            let var = Var { own_grf: true, address_taken: n < addressed, ..general(bytes) };
            k.add_var(Var { align: bytes, ..var })
        })
        .collect();
    let of = |v: VarId| Dst::packed(Reg::var_at(v, 0), Type::W);
    let src = |v: VarId| Src::new(Reg::var_at(v, 0), Region::PACKED, Type::W);
    let (&sum, vectors) = vectors.split_first().unwrap();
    let mut insts: Vec<_> = [sum]
        .iter()
        .chain(vectors)
        .map(|&v| Inst { dst: of(v), exec, src: [Src::ud(1), Src::None, Src::None], ..value(v, 1) })
        .collect();
    insts.extend(vectors.iter().map(|&v| Inst {
        dst: of(sum),
        exec,
        src: [src(sum), src(v), Src::None],
        ..add(sum, sum, v)
    }));
    k.blocks = vec![Block { insts, succs: Default::default() }];
    k
}

/// How many vectors do not begin a register, but for the first ones.
fn inside(p: &Kernel<Physical>, skipped: usize) -> usize {
    let values = p.insts().filter(|(_, i)| i.op == Op::Lzd).skip(skipped);
    values.filter(|(_, i)| i.dst.reg().is_some_and(|reg| reg.byte != 0)).count()
}

#[test]
fn each_has_a_register_where_there_is_one() {
    for platform in Platform::ALL {
        let (p, stats) = allocate_checked(&halves(platform, 100, 0));
        assert_eq!((inside(&p, 0), stats.spills), (0, 0), "{platform}");
    }
}

#[test]
fn they_share_registers_before_any_is_spilled() {
    for platform in Platform::ALL {
        let (p, stats) = allocate_checked(&halves(platform, 200, 0));
        assert!(inside(&p, 0) > 70, "{platform}: {}", inside(&p, 0));
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}");
    }
}

#[test]
fn what_addresses_lead_to_begins_a_register_as_it_is_declared() {
    for platform in Platform::ALL {
        const ADDRESSED: u32 = 40;
        let (p, stats) = allocate_checked(&halves(platform, 150, ADDRESSED));
        let (all, behind) = (inside(&p, 0), inside(&p, ADDRESSED as usize));
        assert!(all == behind && behind > 20, "{platform}: {all} {behind}");
        assert_eq!((stats.spills, stats.fills), (0, 0), "{platform}");
    }
}

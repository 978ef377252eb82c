//! The checker, and what it tells apart.

use super::*;

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

/// The kernel with all that it computes in another type.
fn in_type(mut k: Kernel<Virtual>, ty: Type) -> Kernel<Virtual> {
    for inst in k.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if let Dst::Direct { ty: t, .. } = &mut inst.dst {
            *t = ty;
        }
        for src in &mut inst.src {
            if let Src::Direct { ty: t, .. } = src {
                *t = ty;
            }
        }
    }
    k
}

#[test]
fn lanes_have_words_and_qwords_of_their_own() {
    for (ty, bytes) in [(Type::Uw, 32), (Type::D, 32), (Type::Q, 64)] {
        let mut k = Kernel::new("t", Platform::Skl);
        let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(bytes))).collect();
        parted(&v[..1], &v[1..2], v[2], &mut k, |y| value(y, 2));
        let k = in_type(k, ty);
        assert_eq!(checked(&k, &[64, 64, 128, 0]), Ok(()), "{ty:?}");
        // Another lane's bytes: those of half the pitch behind.
        let part = 64 + ty.bytes() / 2;
        assert!(matches!(checked(&k, &[64, part, 256, 0]), Err(Error::Unsound(_))), "{ty:?}");
    }
}

/// More values than there are registers, half of which wait while the others are used.
fn many_parted(ty: Type, masked: bool) -> Kernel<Virtual> {
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
    in_type(k, ty)
}

/// The kernel with twice the lanes, in which instructions that write or read some variables are of the upper half.
fn in_halves(mut k: Kernel<Virtual>, upper: &[VarId]) -> Kernel<Virtual> {
    k.simd *= 2;
    for inst in k.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        let mut is_upper = inst.dst_var().is_some_and(|v| upper.contains(&v));
        inst.for_each_read(|reg| is_upper |= reg.var().is_some_and(|v| upper.contains(&v)));
        if inst.op.info().class == gen_ir::Class::Branch {
            inst.exec = ExecSize::S16;
        } else if is_upper {
            inst.chan = 8;
        }
    }
    k
}

#[test]
fn halves_of_lanes_have_bytes_of_their_own() {
    let sound = |upper: &[u32]| {
        let mut k = Kernel::new("t", Platform::Skl);
        let v: Vec<VarId> = (0..3).map(|_| k.add_var(general(32))).collect();
        parted(&v[..1], &v[1..2], v[2], &mut k, |y| value(y, 2));
        let upper: Vec<VarId> = upper.iter().copied().map(VarId).collect();
        checked(&in_halves(k, &upper), &[32, 32, 64, 0]).is_ok()
    };
    assert_eq!([&[][..], &[0, 1, 2], &[0], &[1]].map(sound), [true, true, false, false]);
}

#[test]
fn halves_that_wait_share_registers_with_the_same_half() {
    for (upper, spills) in [(0..0, false), (0..180, false), (0..90, true)] {
        let k = in_halves(many_parted(Type::D, true), &upper.map(VarId).collect::<Vec<_>>());
        let (_, stats) = allocate_checked(&k);
        assert_eq!(stats.spills > 0, spills, "{stats:?}");
    }
}

#[test]
fn waiting_lanes_share_registers_where_those_are_scarce() {
    let ways = [(true, Type::D, false), (true, Type::Uw, false), (false, Type::D, true)];
    for (masked, ty, spills) in ways {
        let (_, stats) = allocate_checked(&many_parted(ty, masked));
        assert_eq!(stats.spills > 0, spills, "{masked} {ty:?}: {stats:?}");
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
    assert!(matches!(checked(&k, &[64, 32]), Err(Error::Unsound(_))));
    // Each step reads what it writes.
    assert_eq!(checked(&k, &[32, 32]), Ok(()));
    // Channels of words are elsewhere than those of dwords.
    k.blocks[0].insts[0].src[1] = Src::new(Reg::var_at(v[0], 0), Region::PACKED, Type::W);
    assert!(matches!(checked(&k, &[32, 32]), Err(Error::Unsound(_))));
    // So are those of one in two.
    k.blocks[0].insts[0].src[1] = Src::new(Reg::var_at(v[0], 0), Region::SCALAR, Type::D);
    assert!(matches!(checked(&k, &[32, 32]), Err(Error::Unsound(_))));
}

//! What does not fit goes to memory, flags to registers.

use super::*;

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
            // How long the second payload is says the descriptor, or the instruction alone.
            let gen_ir::Desc::Imm(e) = s.ex_desc else {
                panic!("scratch messages have constant descriptors")
            };
            let said = if platform.caps().sends.length_in_word { 0 } else { s.src1_len };
            assert_eq!(e.extended_length().registers(), said, "{platform}: {s:?}");
        }
        assert!(low >= 1000 && low < 1000 + grf, "{platform}: spills start at {low}");
        assert!(high <= 1000 + stats.scratch_bytes, "{platform}: {high} {stats:?}");
    }
}

/// Many values alive behind what a kernel itself keeps in scratch memory: the code, checked, and its messages.
fn spilled_far(platform: Platform) -> (Kernel<Physical>, Vec<gen_ir::SendInfo<Physical>>) {
    let mut k = wide(platform, 400, 2);
    k.spill_offset = 200_000;
    let (p, stats) = allocate_checked(&k);
    assert!(stats.spills > 50 && stats.scratch_bytes < 131_072, "{platform}: {stats:?}");
    let of_r0 =
        |i: &Inst<Physical>| i.src[0].reg().is_some_and(|r| r.base() == gen_ir::Base::Grf(GrfNum::R0));
    assert!(platform == Platform::Bdw || !p.insts().any(|(_, i)| i.op.is_send() && of_r0(i)));
    let sends: Vec<_> = p.insts().filter_map(|(_, i)| i.send()).copied().collect();
    assert_eq!(to_index(sends.len()), stats.spills + stats.fills, "{platform}: {stats:?}");
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
        let (p, stats) = allocate_checked(&k);
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
    let (_, stats) = allocate_checked(&k);
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

#[test]
fn a_spilled_input_is_saved_after_the_kernel_loads_it() {
    let mut k = wide(Platform::Pvc, 200, 2);
    let input = k.add_var(Var { fixed: Some(FileByte::new(5 * 64)), live_in: true, ..general(64) });
    let Some(v) = k.blocks[0].insts[0].dst_var() else { panic!("no value") };
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

/// Vectors of two registers fill the file; each is read twice, and its second reader makes the next of it. Neither of the
/// two may be anywhere else.
#[test]
fn a_result_has_the_place_of_what_it_is_made_of_where_none_other_is_free() {
    let mut k = Kernel::new("t", Platform::Skl);
    let wide = |i: Inst<Virtual>| Inst { exec: Inst::<Virtual>::new(Op::Mov, ExecSize::S16).exec, ..i };
    let sum = k.add_var(general(32));
    let mut vectors = || -> Vec<VarId> { (0..63).map(|_| k.add_var(general(64))).collect() };
    let [first, second] = [vectors(), vectors()];
    // In blocks of their own: else another order would need less room.
    let mut values = vec![value(sum, 1)];
    values.extend(first.iter().map(|&v| wide(value(v, 1))));
    let reads = |vectors: &[VarId]| vectors.iter().map(|&v| add(sum, sum, v)).collect();
    let results = first.iter().zip(&second).map(|(&v, &w)| wide(add(w, v, v))).collect();
    let blocks = [values, reads(&first), results, reads(&second)];
    let next = |b: u32| if b < 3 { vec![BlockId(b + 1)].into() } else { Default::default() };
    k.blocks = (0..).zip(blocks).map(|(b, insts)| Block { insts, succs: next(b) }).collect();
    let (p, stats) = allocate_checked(&k);
    assert_eq!((stats.spills, stats.fills), (0, 0));
    let in_place = regs(&p).iter().filter(|r| r.len() == 3 && r[0] == r[2] && r[0] == r[1]).count();
    assert!(in_place >= 61, "{in_place}");
}

/// Answers of eight registers each, in a row, beside a value that has to stay: of two at a time there is no place for the second,
/// though each is read soon.
#[test]
fn what_is_read_soon_is_spilled_all_the_same_where_nothing_else_can_be() {
    let text = "V0: 32 bytes, live in
                V1: 3520 bytes, live in, live out, no spill
                V2: 256 bytes
                V3: 256 bytes
                V4: 256 bytes
                V5: 32 bytes, live in, live out
                B0:\n";
    let answer = |v| format!("send.dc1 (8|M0) V{v}(0)<1>:ud V0(0)<8;8,1>:ud 0x0 0x2806e00 wr:1+0 rd:8\n");
    // In whatever order: two are wanted at a time.
    let sum = |[a, b]: [u32; 2]| format!("avg (8|M0) V5(0)<1>:d V{a}(32)<8;8,1>:d V{b}(64)<8;8,1>:d\n");
    let text = (2..5)
        .map(answer)
        .chain([[2, 3], [3, 4], [4, 2]].map(sum))
        .fold(text.to_owned(), |text, line| text + &line);
    let k = gen_ir::parse(&text, Platform::Skl).unwrap();
    let (_, stats) = allocate_checked(&k);
    assert!(stats.spills > 0, "{stats:?}");
}

use super::*;
use crate::{Arf, Descriptor, Dst, ExecSize, ExtendedDescriptor, GrfNum, Op, Reg, Region, Src, SrcMod, Type};

mod table;

fn inst(op: Op, exec: ExecSize, dst: Dst<Physical>, srcs: &[Src<Physical>]) -> Inst<Physical> {
    let mut i = Inst::new(op, exec);
    i.dst = dst;
    i.src[..srcs.len()].copy_from_slice(srcs);
    i
}

fn names(platform: Platform, i: &Inst<Physical>) -> Vec<&'static str> {
    check(platform, i).iter().map(|b| b.rule).collect()
}

fn r(n: u16, byte: u32, region: Region, ty: Type) -> Src<Physical> {
    Src::new(Reg::grf(GrfNum::new(n), byte), region, ty)
}

const ROW8: Region = Region::new(8, 8, 1);

#[test]
fn plain_code_is_legal_everywhere() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::D);
    for p in Platform::ALL {
        let i = inst(Op::Add, ExecSize::S8, dst, &[r(4, 0, ROW8, Type::D), Src::d(1)]);
        assert_eq!(names(p, &i), [""; 0], "{p}");
    }
}

#[test]
fn a_narrow_destination_is_strided() {
    let srcs = [r(4, 0, ROW8, Type::D), r(6, 0, ROW8, Type::D)];
    let packed = inst(Op::Add, ExecSize::S8, Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::W), &srcs);
    assert_eq!(names(Platform::Skl, &packed), ["destination-stride"]);
    let strided = Dst::Direct { reg: Reg::grf(GrfNum::new(10), 0), horz: 2, ty: Type::W };
    assert_eq!(names(Platform::Skl, &inst(Op::Add, ExecSize::S8, strided, &srcs)), [""; 0]);
}

#[test]
fn one_half_stands_anywhere() {
    let to = |ty| Dst::packed(Reg::grf(GrfNum::new(10), 2), ty);
    let half = inst(Op::Mov, ExecSize::S1, to(Type::Hf), &[r(4, 0, Region::SCALAR, Type::F)]);
    assert_eq!(names(Platform::Bdw, &half), ["destination-alignment"]);
    assert_eq!(names(Platform::Skl, &half), [""; 0]);
    let word = inst(Op::Mov, ExecSize::S1, to(Type::W), &[r(4, 0, Region::SCALAR, Type::F)]);
    assert_eq!(names(Platform::Skl, &word), ["destination-alignment"]);
}

#[test]
fn rows_do_not_cross_registers() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::D);
    let i = inst(Op::Mov, ExecSize::S8, dst, &[r(4, 16, ROW8, Type::D)]);
    assert_eq!(names(Platform::Skl, &i), ["row-crossing"]);
    let split = inst(Op::Mov, ExecSize::S8, dst, &[r(4, 16, Region::new(4, 4, 1), Type::D)]);
    assert_eq!(names(Platform::Skl, &split), [""; 0]);
}

#[test]
fn three_registers_are_too_many() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Q);
    let i = inst(Op::Mov, ExecSize::S16, dst, &[r(4, 0, ROW8, Type::D)]);
    assert!(names(Platform::Skl, &i).contains(&"destination-span"));
    let wide = inst(Op::Mov, ExecSize::S16, dst, &[r(4, 0, Region::new(2, 1, 0), Type::D)]);
    assert_eq!(names(Platform::Pvc, &wide), [""; 0]);
}

#[test]
fn types_a_platform_lacks() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Df);
    let i = inst(Op::Mov, ExecSize::S4, dst, &[r(4, 0, Region::new(4, 4, 1), Type::Df)]);
    assert_eq!(names(Platform::Skl, &i), [""; 0]);
    assert_eq!(names(Platform::Icllp, &i), ["no-fp64"]);
}

#[test]
fn low_power_parts_keep_wide_lanes_in_place() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Q);
    let i = inst(Op::Mov, ExecSize::S4, dst, &[r(4, 0, Region::new(4, 4, 1), Type::D)]);
    assert_eq!(names(Platform::Skl, &i), [""; 0]);
    assert!(names(Platform::Bxt, &i).contains(&"wide-stride"));
}

#[test]
fn the_first_register_is_not_read_for_the_second() {
    let to = |byte| Dst::packed(Reg::grf(GrfNum::new(10), byte), Type::D);
    let add = |dst, src| inst(Op::Add, ExecSize::S16, dst, &[src, Src::d(1)]);
    let before = add(to(0), r(9, 0, ROW8, Type::D));
    let one = add(to(0), r(10, 4, Region::SCALAR, Type::D));
    let narrow = add(to(0), r(10, 0, Region::new(16, 16, 1), Type::W));
    for reads_result in [before, one, narrow] {
        assert_eq!(names(Platform::Icllp, &reads_result), ["two-registers"], "{reads_result}");
        assert_eq!(names(Platform::Skl, &reads_result), [""; 0]);
    }
    let same = add(to(0), r(10, 0, ROW8, Type::D));
    let after = add(to(0), r(11, 0, ROW8, Type::D));
    let upper = add(to(0), r(11, 4, Region::SCALAR, Type::D));
    for apart in [same, after, upper] {
        assert_eq!(names(Platform::Icllp, &apart), [""; 0], "{apart}");
    }
}

#[test]
fn nothing_wide_is_behind_an_address_on_low_power_parts() {
    let addr = Reg::arf(Arf::Addr(0), 0);
    let to = Dst::Indirect { addr, imm: 0, horz: 1, ty: Type::Q };
    let write = inst(Op::Mov, ExecSize::S4, to, &[r(4, 0, Region::new(4, 4, 1), Type::Q)]);
    let from = Src::Indirect { addr, imm: 0, region: Region::new(4, 4, 1), mods: SrcMod::None, ty: Type::Q };
    let read = inst(Op::Mov, ExecSize::S4, Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Q), &[from]);
    for i in [write, read] {
        assert!(names(Platform::Bxt, &i).contains(&"wide-indirect"), "{i}");
        assert!(!names(Platform::Skl, &i).contains(&"wide-indirect"), "{i}");
    }
}

#[test]
fn immediates_stand_last() {
    let dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::D);
    let i = inst(Op::Add, ExecSize::S8, dst, &[Src::d(1), r(4, 0, ROW8, Type::D)]);
    assert_eq!(names(Platform::Skl, &i), ["immediate-place"]);
}

#[test]
fn the_last_message_leaves_from_the_top() {
    let mut i = inst(Op::Send, ExecSize::S8, Dst::null(Type::Ud), &[r(4, 0, ROW8, Type::Ud)]);
    i.payload = crate::Payload::Send(crate::SendInfo {
        sfid: crate::Sfid::Spawner,
        desc: crate::Desc::Imm(messages::spawner::end_of_thread()),
        ex_desc: crate::Desc::Imm(ExtendedDescriptor::new()),
        eot: true,
        dst_len: 0,
        src0_len: 1,
        src1_len: 0,
    });
    assert_eq!(names(Platform::Skl, &i), ["eot-registers"]);
    i.src[0] = r(127, 0, ROW8, Type::Ud);
    assert_eq!(names(Platform::Skl, &i), [""; 0]);
}

#[test]
fn a_double_is_not_replicated() {
    let mut i = inst(
        Op::Mad,
        ExecSize::S4,
        Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Df),
        &[r(4, 0, Region::PAIRS, Type::Df), r(6, 0, Region::ternary(2, 1), Type::Df)],
    );
    i.src[2] = r(8, 0, Region::ternary_last(1), Type::Df);
    assert_eq!(names(Platform::Skl, &i), ["double-replicated"]);
    i.src[0] = r(4, 0, Region::ternary(0, 0), Type::Df);
    assert_eq!(names(Platform::Skl, &i), ["double-replicated"]);
    i.src[0] = r(4, 0, Region::ternary(2, 1), Type::Df);
    assert_eq!(names(Platform::Skl, &i), [""; 0]);
}

#[test]
fn immediate_vectors_are_read_at_the_destinations_stride() {
    let mov = |exec, horz, ty, imm| {
        inst(Op::Mov, exec, Dst::Direct { reg: Reg::grf(GrfNum::new(10), 0), horz, ty }, &[imm])
    };
    let uv = Src::imm(0x400, Type::Uv);
    for (exec, horz, ty) in [
        (ExecSize::S8, 1, Type::W),
        (ExecSize::S2, 1, Type::Ud),
        (ExecSize::S4, 1, Type::Ud),
        (ExecSize::S4, 2, Type::W),
    ] {
        assert_eq!(names(Platform::Skl, &mov(exec, horz, ty, uv)), [""; 0], "{exec:?} <{horz}>{ty}");
    }
    for (exec, horz, ty) in
        [(ExecSize::S8, 1, Type::Ud), (ExecSize::S8, 2, Type::W), (ExecSize::S4, 1, Type::B)]
    {
        let found = names(Platform::Skl, &mov(exec, horz, ty, uv));
        assert!(found.contains(&"vector-stride"), "{exec:?} <{horz}>{ty}: {found:?}");
    }
    let vf = Src::imm(0x3030_3030, Type::Vf);
    assert_eq!(names(Platform::Skl, &mov(ExecSize::S4, 1, Type::F, vf)), [""; 0]);
    assert_eq!(names(Platform::Skl, &mov(ExecSize::S8, 2, Type::F, vf)), ["vector-stride"]);
}

#[test]
fn stochastic_rounding_is_packed_from_a_register_on() {
    let row = Region::new(1, 1, 0);
    let srcs = [r(4, 0, row, Type::F), r(6, 0, row, Type::F)];
    let good = inst(Op::Srnd, ExecSize::S16, Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Hf), &srcs);
    assert_eq!(names(Platform::Pvc, &good), [""; 0]);
    let single = inst(Op::Srnd, ExecSize::S16, Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::F), &srcs);
    assert_eq!(names(Platform::Pvc, &single), ["srnd-types"]);
    let inside = inst(Op::Srnd, ExecSize::S16, Dst::packed(Reg::grf(GrfNum::new(10), 32), Type::Hf), &srcs);
    assert_eq!(names(Platform::Pvc, &inside), ["srnd-place"]);
    let half = [r(4, 0, Region::SCALAR, Type::Hf), r(6, 0, Region::SCALAR, Type::Hf)];
    let one = inst(Op::Srnd, ExecSize::S1, Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Bf8), &half);
    assert_eq!(names(Platform::Pvc, &one), ["srnd-one"]);
}

#[test]
fn the_last_register_is_no_end_of_an_overlap() {
    let mut i = inst(
        Op::Send,
        ExecSize::S8,
        Dst::packed(Reg::grf(GrfNum::new(126), 0), Type::Ud),
        &[r(126, 0, ROW8, Type::Ud)],
    );
    i.payload = crate::Payload::Send(crate::SendInfo {
        sfid: crate::Sfid::Dc1,
        desc: crate::Desc::Imm(Descriptor::from_bits(0x0220_0010)),
        ex_desc: crate::Desc::Imm(ExtendedDescriptor::new()),
        eot: false,
        dst_len: 2,
        src0_len: 1,
        src1_len: 0,
    });
    for p in [Platform::Bdw, Platform::Skl, Platform::Icllp] {
        assert!(names(p, &i).contains(&"r127"), "{p}");
    }
    assert_eq!(names(Platform::Tgllp, &i), [""; 0]);
}

#[test]
fn narrow_elements_are_packed_in_fixed_ways() {
    let mov = |dst: (u32, u8), ty, src: (u32, u8), from| {
        let to = Dst::Direct { reg: Reg::grf(GrfNum::new(10), dst.0), horz: dst.1, ty };
        inst(Op::Mov, ExecSize::S16, to, &[r(4, src.0, Region::new(src.1, 1, 0), from)])
    };
    use Type::{B, D, W};
    for fits in [
        mov((0, 1), W, (0, 2), W),
        mov((32, 1), W, (0, 2), W),
        mov((0, 2), W, (0, 4), W),
        mov((2, 1), W, (34, 1), W),
        mov((0, 1), B, (1, 4), B),
        mov((1, 1), B, (4, 4), B),
        mov((0, 2), B, (1, 4), B),
        mov((0, 1), W, (1, 4), B),
        mov((4, 1), D, (1, 4), B),
    ] {
        assert_eq!(names(Platform::Pvc, &fits), [""; 0], "{fits}");
    }
    for apart in [
        mov((2, 1), W, (0, 2), W),
        mov((0, 1), W, (0, 4), W),
        mov((1, 2), B, (0, 4), B),
        mov((1, 1), B, (0, 4), B),
        mov((0, 1), B, (0, 8), B),
        mov((0, 1), W, (2, 4), B),
    ] {
        assert_eq!(names(Platform::Pvc, &apart), ["narrow-pack"], "{apart}");
        assert!(!names(Platform::Tgllp, &apart).contains(&"narrow-pack"), "{apart}");
    }
}

#[test]
fn nowhere_is_a_place_too() {
    let cmp = |exec, byte, horz, ty, src: &Src<Physical>| {
        let null = Dst::Direct { reg: Reg::arf(Arf::Null, byte), horz, ty };
        let mut i = inst(Op::Cmp, exec, null, &[*src, *src]);
        i.cond = Some(crate::CondMod { cond: crate::Cond::Lt, flag: Reg::arf(Arf::Flag(0), 0) });
        i
    };
    let words = r(4, 0, Region::new(1, 1, 0), Type::W);
    assert_eq!(names(Platform::Pvc, &cmp(ExecSize::S16, 0, 1, Type::W, &words)), ["narrow-null"]);
    assert_eq!(names(Platform::Pvc, &cmp(ExecSize::S16, 0, 2, Type::W, &words)), [""; 0]);
    let floats = r(4, 32, Region::new(1, 1, 0), Type::F);
    assert_eq!(names(Platform::Pvc, &cmp(ExecSize::S8, 0, 1, Type::F, &floats)), ["lane-shift"]);
    assert_eq!(names(Platform::Pvc, &cmp(ExecSize::S8, 32, 1, Type::F, &floats)), [""; 0]);
    assert_eq!(names(Platform::Skl, &cmp(ExecSize::S8, 0, 1, Type::F, &floats)), [""; 0]);
}

#[test]
fn halves_are_spread_to_packed_floats_alone() {
    let mov = |(byte, horz): (u32, u8), (from, region): (u32, Region)| {
        let to = Dst::Direct { reg: Reg::grf(GrfNum::new(10), byte), horz, ty: Type::F };
        inst(Op::Mov, ExecSize::S16, to, &[r(4, from, region, Type::Hf)])
    };
    let packed = Region::new(1, 1, 0);
    for spreads in
        [mov((0, 1), (0, packed)), mov((0, 1), (32, packed)), mov((0, 1), (0, Region::new(2, 1, 0)))]
    {
        assert_eq!(names(Platform::Pvc, &spreads), [""; 0], "{spreads}");
    }
    for apart in [mov((0, 2), (0, packed)), mov((0, 1), (8, packed))] {
        assert_eq!(names(Platform::Pvc, &apart), ["lane-shift"], "{apart}");
    }
}

#[test]
fn the_last_of_three_sources_lies_as_the_destination() {
    let three = |to: (u32, u8, Type), last: (u32, u8, Type)| {
        let d = Type::D;
        let mut i = inst(
            Op::Mad,
            ExecSize::S8,
            Dst::Direct { reg: Reg::grf(GrfNum::new(10), to.0), horz: to.1, ty: to.2 },
            &[r(4, 0, Region::ternary(0, 0), d), r(6, 0, Region::ternary(0, 0), d)],
        );
        i.src[2] = r(8, last.0, Region::ternary_last(last.1), last.2);
        i
    };
    let (d, w) = (Type::D, Type::W);
    for p in [Platform::Icllp, Platform::Tgllp, Platform::Pvc] {
        assert_eq!(names(p, &three((0, 1, d), (0, 2, w))), [""; 0]);
        assert_eq!(names(p, &three((0, 1, d), (4, 0, w))), [""; 0]);
        assert_eq!(names(p, &three((0, 2, w), (0, 2, w))), [""; 0]);
        assert_eq!(names(p, &three((0, 1, d), (0, 1, w))), ["last-source"]);
        assert_eq!(names(p, &three((0, 2, w), (2, 2, w))), ["last-source"]);
        assert_eq!(names(p, &three((0, 1, w), (0, 1, w))), ["ternary-stride"]);
    }
}

#[test]
fn a_response_does_not_meet_its_payload() {
    let mut i = inst(
        Op::Send,
        ExecSize::S8,
        Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Ud),
        &[r(11, 0, ROW8, Type::Ud)],
    );
    let mut info = crate::SendInfo {
        sfid: crate::Sfid::Dc1,
        desc: crate::Desc::Imm(Descriptor::from_bits(0x0220_0010)),
        ex_desc: crate::Desc::Imm(ExtendedDescriptor::new()),
        eot: false,
        dst_len: 2,
        src0_len: 1,
        src1_len: 0,
    };
    i.payload = crate::Payload::Send(info);
    for p in [Platform::Icllp, Platform::Pvc] {
        assert_eq!(names(p, &i), ["response-overlap"], "{p}");
    }
    for p in [Platform::Bdw, Platform::Skl, Platform::Tgllp] {
        assert_eq!(names(p, &i), [""; 0], "{p}");
    }
    info.dst_len = 1;
    i.payload = crate::Payload::Send(info);
    assert_eq!(names(Platform::Icllp, &i), [""; 0]);
    // One channel's message reads only the beginning of its payload.
    info.src0_len = 2;
    i.payload = crate::Payload::Send(info);
    i.dst = Dst::packed(Reg::grf(GrfNum::new(12), 0), Type::Ud);
    assert_eq!(names(Platform::Icllp, &i), ["response-overlap"]);
    i.exec = ExecSize::S1;
    assert_eq!(names(Platform::Icllp, &i), [""; 0]);
}

#[test]
fn a_message_stays_among_the_registers_of_its_thread() {
    let text = "send.ugm (16|M0) null<1>:ud r126.0<8;8,1>:ud r128.0<8;8,1>:ud 0x0 0x4000504 wr:2+1 rd:0";
    let i = crate::parse_inst::<Physical>(text).unwrap();
    let of = |grfs| check_in(Platform::Pvc, grfs, &i).iter().map(|b| b.rule).collect::<Vec<_>>();
    assert_eq!((of(128), of(256)), (vec!["message-range"], vec![]), "{i}");
}

#[test]
fn halves_are_those_of_the_register_that_bytes_count_on_to() {
    let srcs = [r(11, 0, ROW8, Type::D), Src::d(1)];
    for reg in [Reg::grf(GrfNum::new(11), 16), Reg::grf(GrfNum::new(10), 16).plus(32)] {
        let i = inst(Op::Add, ExecSize::S8, Dst::packed(reg, Type::D), &srcs);
        assert!(names(Platform::Icllp, &i).contains(&"two-registers"), "{reg:?}");
        assert!(!names(Platform::Skl, &i).contains(&"two-registers"), "{reg:?}");
    }
}

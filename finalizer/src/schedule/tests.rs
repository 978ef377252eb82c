use super::*;
use gen_ir::{AddrSub, ExecSize, GrfNum, Src, parse};

/// Orders one block; gives the instructions' old places in their new order.
fn run(platform: Platform, text: &str) -> Vec<usize> {
    let text = format!("kernel \"k\" on {platform}, simd8\nB0:\n{text}");
    let mut k: Kernel<Physical> = parse(&text, platform).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let before = k.blocks[0].insts.clone();
    schedule(&mut k, &mut ScheduleMemory::default());
    let place = |i: &Inst<Physical>| before.iter().position(|b| b == i).unwrap_or(usize::MAX);
    let order: Vec<usize> = k.blocks[0].insts.iter().map(place).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..before.len()), "{order:?}");
    order
}

fn build(graph: &mut Graph, insts: &[Inst<Physical>]) {
    let mut descs = Descriptors::default();
    let of = |i| {
        let kind = kind(i, (Platform::Skl, RegisterSet::ALL), &descs);
        descs.see(i);
        kind
    };
    let kinds: Vec<Mobility> = insts.iter().map(of).collect();
    graph.build((insts, None), &kinds, (Platform::Skl, RegisterSet::ALL));
}

#[test]
fn chains_are_woven() {
    let order = run(
        Platform::Skl,
        "add (8|M0) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f
         add (8|M0) r10.0<1>:f r10.0<8;8,1>:f r3.0<8;8,1>:f
         add (8|M0) r10.0<1>:f r10.0<8;8,1>:f r4.0<8;8,1>:f
         add (8|M0) r20.0<1>:f r5.0<8;8,1>:f r6.0<8;8,1>:f
         add (8|M0) r20.0<1>:f r20.0<8;8,1>:f r6.0<8;8,1>:f
         add (8|M0) r20.0<1>:f r20.0<8;8,1>:f r7.0<8;8,1>:f",
    );
    assert_eq!(order, [0, 3, 1, 4, 2, 5]);
}

#[test]
fn what_shares_bytes_keeps_its_order() {
    // The second half of r10 only, a flag, an accumulator.
    for (first, second, free) in [
        ("mov (1|M0) r10.1<1>:d 1:d", "mov (1|M0) r10.1<1>:d 2:d", false),
        ("mov (1|M0) r10.1<1>:d 1:d", "mov (1|M0) r10.2<1>:d 2:d", true),
        ("cmp (8|M0) (eq)f0.0 null<1>:d r2.0<8;8,1>:d 0:w", "(W&f0.0) mov (8|M0) r5.0<1>:d 1:d", false),
        ("cmp (8|M0) (eq)f0.1 null<1>:d r2.0<8;8,1>:d 0:w", "(W&f0.0) mov (8|M0) r5.0<1>:d 1:d", true),
        ("mul (8|M0) acc0.0<1>:d r2.0<8;8,1>:d 3:w", "mach (8|M0) r5.0<1>:d r2.0<8;8,1>:d 3:d", false),
        ("mov (8|M0) r10.0<1>:d r11.0<8;8,1>:d", "mov (8|M0) r11.0<1>:d 3:d", false),
    ] {
        let text = format!("{first}\n{second}");
        let k: Kernel<Physical> =
            parse(&format!("B0:\n{text}"), Platform::Skl).unwrap_or_else(|e| panic!("{e}"));
        let mut graph = Graph::default();
        build(&mut graph, &k.blocks[0].insts);
        assert_eq!(graph.after(0).next().is_none(), free, "{text}");
    }
}

#[test]
fn loads_pass_each_other_but_no_store() {
    let load = |to: u16, from: u16| {
        let mut i: Inst<Physical> = Inst::new(Op::Send, ExecSize::S8);
        i.dst = Dst::packed(Reg::grf(GrfNum::new(to), 0), gen_ir::Type::Ud);
        i.src[0] = Src::payload(Reg::grf(GrfNum::new(from), 0), ExecSize::S8);
        i.payload = Payload::Send(SendInfo {
            sfid: Sfid::Dc1,
            desc: Desc::Imm(gen_ir::Descriptor::from_bits(0x0210_6e00)),
            ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
            eot: false,
            dst_len: 1,
            src0_len: 1,
            src1_len: 0,
        });
        i
    };
    let mut store = load(0, 20);
    store.dst = Dst::null(gen_ir::Type::Ud);
    if let Payload::Send(s) = &mut store.payload {
        (s.desc, s.dst_len, s.src0_len) = (Desc::Imm(gen_ir::Descriptor::from_bits(0x0402_5e00)), 0, 2);
    }
    assert!(load(1, 2).send().is_some_and(|s| s.only_reads()));
    assert!(!store.send().is_some_and(|s| s.only_reads()));
    let mut graph = Graph::default();
    build(&mut graph, &[load(10, 2), load(11, 3), store, load(12, 4)]);
    let after = |i: usize| graph.after(i).map(|(to, _)| to).collect::<Vec<_>>();
    assert_eq!((after(0), after(1), after(2)), (vec![2], vec![2], vec![3]));
    // The same with the surface in a register: the bits that are added to it say that they are loads.
    let surface = gen_ir::parse_inst("(W) add (1|M0) a0.0<1>:ud r1.0<0;1,0>:ud 0x02106e00:ud");
    let indirect = |mut i: Inst<Physical>| {
        if let Payload::Send(s) = &mut i.payload {
            s.desc = Desc::Reg(Reg::address(AddrSub::A0));
        }
        i
    };
    let insts = [surface.expect("an instruction"), indirect(load(10, 2)), indirect(load(11, 3))];
    build(&mut graph, &insts);
    let after = |i: usize| graph.after(i).map(|(to, _)| to).collect::<Vec<_>>();
    assert_eq!((after(0), after(1)), (vec![2, 1], vec![]));
}

#[test]
fn operands_behind_addresses_wait_for_every_write() {
    let text = "mov (8|M0) r10.0<1>:d 1:d
        mov (8|M0) r11.0<1>:d r[a0.0,0]<8;8,1>:d
        mov (8|M0) r12.0<1>:d 1:d";
    let k: Kernel<Physical> = parse(&format!("B0:\n{text}"), Platform::Skl).unwrap_or_else(|e| panic!("{e}"));
    let mut graph = Graph::default();
    build(&mut graph, &k.blocks[0].insts);
    assert!(graph.after(0).any(|(to, _)| to == 1) && graph.after(1).any(|(to, _)| to == 2));
}

#[test]
fn nothing_passes_what_stays() {
    for stays in [
        "nop",
        "mov (1|M0) cr0.0<1>:ud 0:ud",
        "mov (1|M0) r9.0<1>:ud tm0.0<0;1,0>:ud",
        "add (1|M0) r9.0<1>:d -ip<0;1,0>:d r9.0<0;1,0>:d {NoCompact}",
    ] {
        let order = run(
            Platform::Skl,
            &format!(
                "add (8|M0) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f
                 add (8|M0) r11.0<1>:f r10.0<8;8,1>:f r3.0<8;8,1>:f
                 {stays}
                 add (8|M0) r20.0<1>:f r5.0<8;8,1>:f r6.0<8;8,1>:f
                 add (8|M0) r21.0<1>:f r20.0<8;8,1>:f r6.0<8;8,1>:f"
            ),
        );
        assert_eq!(order, [0, 1, 2, 3, 4], "{stays}");
    }
}

#[test]
fn code_that_has_to_do_with_other_code_is_woven_too() {
    let order = run(
        Platform::Skl,
        "mov (1|M0) r4.0<1>:ud 0x6e10ca2e:ud {SymbolLow}
         add (8|M0) r10.0<1>:d r2.0<8;8,1>:d r4.0<0;1,0>:d
         add (8|M0) r10.0<1>:d r10.0<8;8,1>:d r3.0<8;8,1>:d
         add (8|M0) r20.0<1>:d r5.0<8;8,1>:d r6.0<8;8,1>:d
         add (8|M0) r20.0<1>:d r20.0<8;8,1>:d r7.0<8;8,1>:d",
    );
    assert_eq!(order, [0, 3, 1, 4, 2]);
}

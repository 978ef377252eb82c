//! Where values are live.

use super::*;
use crate::analysis::position::Position;

fn liveness(k: &Kernel<Virtual>) -> Liveness {
    let (mut accesses, mut flow, mut live) = (Accesses::default(), Flow::default(), Liveness::default());
    flow.find(k);
    accesses.collect(k, &flow, &mut History::default()).unwrap();
    live.compute(k, &accesses, &flow, &History::default(), &mut LivenessMemory::default());
    live
}

/// Where variable `v` is live: ranges of positions.
fn live(k: &Kernel<Virtual>, v: VarId) -> Vec<(usize, usize)> {
    liveness(k).of(v).iter().map(|r| (r.start.index(), r.end.index())).collect()
}

#[test]
fn what_is_never_written_is_not_kept() {
    let mut k = Kernel::new("t", Platform::Skl);
    let (x, y) = (k.add_var(general(128)), k.add_var(general(32)));
    let mut second = add(y, x, x);
    second.src[1] = Src::packed(Reg::var_at(x, 32), Type::D);
    let mut rest = second;
    rest.src[0] = rest.src[1];
    looped(&mut k, vec![rest, value(x, 1), second]);
    // What is read first is in no write: it needs a register there, and the other value starts with its write.
    assert_eq!(live(&k, x), [(2, 3), (5, 7)]);
}

/// An instruction of two registers: the first may be written before the second is read.
fn wide(inst: Inst<Virtual>) -> Inst<Virtual> {
    Inst { exec: ExecSize::S16, ..inst }
}

/// A kernel without code, three wide variables, and a sum of the second one that is written to the first, for some of the
/// channels or all of them.
fn written_again(part: bool) -> (Kernel<Virtual>, [VarId; 3], Inst<Virtual>) {
    let mut k = Kernel::new("t", Platform::Skl);
    let [x, y, z] = [0; 3].map(|_| k.add_var(general(64)));
    let given = Var { live_in: true, ..Var::temp(VarClass::Flag, 2, 2) };
    let flag = Reg::var_at(k.add_var(given), 0);
    let pred = part.then_some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    (k, [x, y, z], Inst { pred, ..wide(add(x, y, y)) })
}

#[test]
fn what_a_block_begins_to_write_does_not_come_into_it() {
    for part in [false, true] {
        let (mut k, [x, y, z], sum) = written_again(part);
        let blocks = [
            (vec![wide(value(x, 1)), wide(value(y, 2))], Some(BlockId(1))),
            (vec![sum], Some(BlockId(2))),
            (vec![wide(add(z, x, x))], None),
        ];
        k.blocks = blocks.map(|(insts, to)| Block { insts, succs: to.into_iter().collect() }).into();
        let live = liveness(&k);
        assert!(live.of(x).iter().any(|r| r.start.index() <= 4 && r.end.index() > 4), "{part}");
        assert_eq!([x, y, z].map(|v| live.comes_to(v, 2, &(2..3))), [part, true, false]);
    }
}

#[test]
fn what_is_written_for_nobody_does_not_come_to_the_next_write() {
    for part in [false, true] {
        let (mut k, [x, y, z], early) = written_again(part);
        let insts = vec![wide(value(y, 2)), wide(value(x, 1)), early, wide(add(z, x, x))];
        k.blocks = vec![Block { insts, succs: [].into_iter().collect() }];
        let live = liveness(&k);
        // The ranges of both writes are one.
        assert!(live.before(x, Position::before(2)));
        assert_eq!([x, y, z].map(|v| live.comes_to(v, 2, &(0..4))), [part, true, false]);
    }
}

#[test]
fn what_lanes_hold_that_have_left_a_loop_comes_to_its_blocks() {
    // The registers of V0 are taken from the head of the loop on.
    let text = "V0: general, 64 bytes, align 32
         V1: general, 64 bytes, align 32
         V2: flag, 2 bytes, align 2, live in
         V3: general, 64 bytes, align 32
         B0: -> B1
             mov (16|M0) V0(0)<1>:d 1:d
             mov (16|M0) V1(0)<1>:d 2:d
         B1: -> B2 B3
             (V2(0)) goto (16|M0) B3 B3
         B2: -> B1
             add (16|M0) V0(0)<1>:d V1(0)<8;8,1>:d V1(0)<8;8,1>:d
             goto.b (16|M0) B3 B1
         B3: -> B4
             join (16|M0) B4
         B4:
             add (16|M0) V3(0)<1>:d V0(0)<8;8,1>:d V0(0)<8;8,1>:d";
    let k = gen_ir::parse(text, Platform::Icllp).unwrap();
    assert!(liveness(&k).comes_to(VarId(0), 3, &(3..5)));
}

#[test]
fn what_starts_its_life_in_a_loop_is_not_alive_around_the_next() {
    // Each turn of the inner loop serves some lanes, which leave it and wait, so V0 is alive around that.
    let text = "V0: general, 32 bytes, align 32
         V1: general, 32 bytes, align 32
         V2: flag, 2 bytes, align 2, live in
         B0: -> B1
             mov (8|M0) V1(0)<1>:d 1:d
         B1: -> B2
             mov (8|M0) V1(0)<1>:d 2:d
         B2: -> B3 B2
             sync.start(32) (8|M0) V0(0)<1>:ud
             (V2(0)) mov (8|M0) V0(0)<1>:d V1(0)<8;8,1>:d
             (V2(0)) goto.b (8|M0) B3 B2
         B3: -> B4 B1
             join (8|M0) B4
             mov (8|M0) V1(0)<1>:d V0(0)<8;8,1>:d
             (V2(0)) goto.b (8|M0) B4 B1
         B4:
             join (8|M0) B5
         B5:";
    let comes = |text: &str| {
        let k = gen_ir::parse(text, Platform::Skl).unwrap();
        liveness(&k).at_start(VarId(0), Position::before(1))
    };
    let without = text.replace("sync.start(32) (8|M0) V0(0)<1>:ud", "");
    assert_eq!([comes(text), comes(&without)], [false, true]);
    // It becomes no code.
    let (code, _) = allocate_checked(&gen_ir::parse(text, Platform::Skl).unwrap());
    assert!(code.insts().all(|(_, inst)| inst.op != Op::Sync));
}

#[test]
fn what_all_lanes_of_a_thread_run_ends_the_value_of_all() {
    // In each turn V0 is written whole, then read through an address: in a pair of threads, too, where the others' lanes
    // may run the loop longer; but not where lanes of one thread leave it one after the other.
    let text = "V0: general, 64 bytes, align 32, address taken
         V1: general, 64 bytes, align 32
         V2: general, 4 bytes, align 4, live in
         V3: flag, 2 bytes, align 2
         V4: address, 2 bytes, align 2
         B0: -> B1
         (W) mov (1|M0) V4(0)<1>:uw &V0(0):uw
         B1: -> B2 B3
             mov (16|M0) V0(0)<1>:d 1:d
             mov (16|M0) V1(0)<1>:d r[V4(0),0]<0;1,0>:d
         (W) cmp (16|M0) (lt)V3(0) null<1>:d V2(0)<0;1,0>:d 8:d
             (V3(0)) goto (16|M0) B3 B3
         B2: -> B1
             goto.b (16|M0) B3 B1
         B3:
             join (16|M0) B3";
    let comes = |text: &str, pairs: bool| {
        let mut k = gen_ir::parse(text, Platform::Tgllp).unwrap();
        k.pairs = pairs;
        liveness(&k).at_start(VarId(0), Position::before(1))
    };
    let by_lane = text.replace("(W) cmp", "cmp").replace("V2(0)<0;1,0>", "V1(0)<8;8,1>");
    assert_eq!([comes(text, true), comes(&by_lane, true), comes(text, false)], [false, true, true]);
}

#[test]
fn values_of_one_block_start_there() {
    let mut k = Kernel::new("t", Platform::Skl);
    let (x, y) = (k.add_var(general(32)), k.add_var(general(32)));
    let unmasked = |mut i: Inst<Virtual>| {
        i.no_mask = true;
        i
    };
    // Read without a mask, after a write under one.
    looped(&mut k, vec![value(x, 1), unmasked(add(y, x, x)), value(x, 2), add(y, x, x)]);
    assert_eq!(live(&k, x), [(3, 5), (7, 9)]);
    // What lanes that do not run have in x is read: the first write counts, and the second ends nothing of it.
    looped(
        &mut k,
        vec![unmasked(value(x, 0)), value(x, 1), unmasked(add(y, x, x)), value(x, 2), add(y, x, x)],
    );
    assert_eq!(live(&k, x), [(3, 7), (9, 11)]);
    // Read first: the block brings it along.
    looped(&mut k, vec![unmasked(add(y, x, x)), value(x, 1)]);
    assert_eq!(live(&k, x), [(0, 8)]);
}

#[test]
fn copies_into_payloads_read_for_lanes_that_run() {
    for (masked, start) in [(true, 7), (false, 0)] {
        let mut k = Kernel::new("t", Platform::Skl);
        let (x, payload) = (k.add_var(general(32)), k.add_var(temporary(32)));
        let copy = Inst {
            no_mask: true,
            src: [Src::packed(Reg::var_at(x, 0), Type::Ud), Src::None, Src::None],
            ..mov(payload, 0)
        };
        let send = Inst {
            no_mask: !masked,
            dst: Dst::null(Type::Ud),
            src: [Src::packed(Reg::var_at(payload, 0), Type::Ud), Src::None, Src::None],
            payload: gen_ir::Payload::Send(gen_ir::SendInfo {
                sfid: gen_ir::Sfid::Dc1,
                desc: gen_ir::Desc::Imm(gen_ir::Descriptor::new()),
                ex_desc: gen_ir::Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: 0,
                src0_len: 1,
                src1_len: 0,
            }),
            ..Inst::new(Op::Send, ExecSize::S8)
        };
        let y = k.add_var(general(32));
        looped(&mut k, vec![value(y, 0), value(y, 0), value(x, 1), copy, send]);
        // Another block knows of it, too.
        k.blocks[1].insts.push(value(x, 2));
        k.blocks[1].insts.push(add(y, x, x));
        assert_eq!(live(&k, x)[0].0, start, "{masked}");
    }
}

#[test]
fn temporaries_of_lowering_start_in_their_block() {
    for (of_program, ranges) in [(false, [(3, 7)]), (true, [(0, 10)])] {
        let mut k = Kernel::new("t", Platform::Skl);
        let x = k.add_var(if of_program { general(32) } else { temporary(32) });
        let y = k.add_var(general(32));
        let flag = k.add_var(Var {
            live_in: true,
            fixed: Some(FileByte::new(4)),
            ..Var::temp(VarClass::Flag, 2, 2)
        });
        let mut some = value(x, 1);
        some.pred = Some(Pred { flag: Reg::var_at(flag, 0), inv: false, ctrl: PredCtrl::Seq });
        looped(&mut k, vec![some, value(y, 2), add(y, x, y)]);
        assert_eq!(live(&k, x), ranges, "{of_program}");
    }
}

/// A message that runs where any lane does gives all lanes what it loads. What spilling has loaded before goes back to memory
/// where none runs, for lanes that wait: it stays in its register until then.
#[test]
fn what_spilling_has_loaded_stays_where_a_guarded_message_may_not_run() {
    for spilled in [false, true] {
        let text = format!(
            "V0: general, 32 bytes, align 32{}
             V1: general, 32 bytes, align 32, live in
             V2: flag, 2 bytes, align 2, live in, any on
             V3: general, 32 bytes, align 32, live out
             B0:
                 (W) mov (8|M0) V0(0)<1>:d 1:d
                 (W) mov (8|M0) V3(0)<1>:d V0(0)<8;8,1>:d
                 (W&V2(0).any16h) send.dc1 (8|M0) V0(0)<1>:ud V1(0)<8;8,1>:ud null<1;1,0>:ud 0x0 0x2106e00 wr:1+0 rd:1
                 (W) add (8|M0) V3(0)<1>:d V0(0)<8;8,1>:d V3(0)<8;8,1>:d",
            if spilled { ", no spill" } else { "" }
        );
        let k = gen_ir::parse(&text, Platform::Tgllp).unwrap();
        assert_eq!(liveness(&k).before(VarId(0), Position::before(2)), spilled);
    }
}

/// Some lanes may run a function without the others: what was written for all lanes is read of those, although a write under
/// the mask has come between. All lanes of a kernel run.
#[test]
fn a_function_keeps_what_was_written_for_lanes_that_do_not_run_it() {
    for (end, kept) in [("", false), ("    ret.stack (8|M0) _ V2(0)<2;2,1>:d\n", true)] {
        let text = format!(
            "kernel \"k\" on skl, simd8, outside\nV0: general, 32 bytes, align 32\nV1: general, 32 bytes, align 32\nV2: general, 8 bytes, align 8, fixed at byte 4064, live in\nB0:\n\
             \x20   (W) mov (8|M0) V0(0)<1>:ud 0x1:ud\n    mov (8|M0) V1(0)<1>:ud 0x2:ud\n\
             \x20   mov (8|M0) V0(0)<1>:ud 0x3:ud\n    add (8|M0) V1(0)<1>:ud V0(0)<0;1,0>:ud V1(0)<8;8,1>:ud\n{end}"
        );
        let k = gen_ir::parse(&text, Platform::Skl).unwrap();
        let between = live(&k, VarId(0)).iter().any(|&(start, end)| start <= 2 && end > 3);
        assert_eq!(between, kept, "{text}");
    }
}

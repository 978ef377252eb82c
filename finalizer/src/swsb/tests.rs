//! The smallest cases that tell rules apart.

use super::swsb;
use gen_ir::{
    AddrSub, Arf, Block, BlockId, Cond, CondMod, Desc, Dst, ExecSize, FlagSub, GrfNum, Inst, Kernel, MathFn,
    Op, Payload, Physical, Pipe, Reg, SbidMode, SendInfo, Sfid, Src, Swsb, SyncFn, Target, Type,
};
use platforms::Platform;

type I = Inst<Physical>;

/// `op (8) r[dst]:ty r[src]:ty`.
fn alu(op: Op, dst: u16, src: u16, ty: Type) -> I {
    let mut i = Inst::new(op, ExecSize::S8);
    i.dst = Dst::packed(Reg::grf(GrfNum::new(dst), 0), ty);
    i.src[0] = Src::packed(Reg::grf(GrfNum::new(src), 0), ty);
    i
}

fn mov(dst: u16, src: u16) -> I {
    alu(Op::Mov, dst, src, Type::D)
}

fn math(dst: u16, src: u16) -> I {
    let mut i = alu(Op::Math, dst, src, Type::F);
    i.payload = Payload::Math(MathFn::Inv);
    i
}

/// A load of one register (`dst`) from an address (`src`); `None`: a store.
fn send(dst: Option<u16>, src: u16) -> I {
    let mut i = Inst::new(Op::Send, ExecSize::S8);
    i.dst = Dst::packed(dst.map_or(Reg::NULL, |d| Reg::grf(GrfNum::new(d), 0)), Type::Ud);
    i.src[0] = Src::packed(Reg::grf(GrfNum::new(src), 0), Type::Ud);
    i.src[1] = Src::packed(Reg::NULL, Type::Ud);
    i.payload = Payload::Send(SendInfo {
        sfid: Sfid::Dc0,
        desc: Desc::Imm(gen_ir::Descriptor::new()),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: false,
        dst_len: dst.is_some().into(),
        src0_len: 1,
        src1_len: 0,
    });
    i
}

fn branch(op: Op, to: u32) -> I {
    let mut i = Inst::new(op, ExecSize::S8);
    let to = Target::Block(BlockId(to));
    i.payload = Payload::Branch { jip: to, uip: to, ctrl: false };
    i
}

fn kernel(platform: Platform, blocks: &[(&[I], &[u32])]) -> Kernel<Physical> {
    let mut k = Kernel::new("k", platform);
    for (insts, succs) in blocks {
        k.blocks.push(Block { insts: insts.to_vec(), succs: succs.iter().map(|s| BlockId(*s)).collect() });
    }
    k
}

/// Annotations in assembly syntax, with the inserted `sync` instructions in front of them.
fn run(platform: Platform, blocks: &[(&[I], &[u32])]) -> Vec<String> {
    let mut k = kernel(platform, blocks);
    swsb(&mut k);
    k.blocks.iter().map(|b| b.insts.iter().map(note).collect::<Vec<_>>().join("; ")).collect()
}

fn line(platform: Platform, insts: &[I]) -> String {
    run(platform, &[(insts, &[])]).remove(0)
}

fn note(i: &I) -> String {
    let mut text = match (i.op, i.payload, i.src[0]) {
        (Op::Sync, Payload::Sync(SyncFn::AllRd), Src::Imm { bits, .. }) => format!("allrd {bits:#x} "),
        (Op::Sync, Payload::Sync(SyncFn::AllWr), Src::Imm { bits, .. }) => format!("allwr {bits:#x} "),
        (Op::Sync, ..) => "nop ".into(),
        _ => String::new(),
    };
    let Swsb { dist, sbid, .. } = i.swsb;
    if let Some((pipe, d)) = dist {
        let pipe = match pipe {
            Pipe::Own => "",
            Pipe::All => "A",
            Pipe::Float => "F",
            Pipe::Int => "I",
            Pipe::Long => "L",
            Pipe::Math => "M",
            Pipe::Scalar => "S",
        };
        text += &format!("{pipe}@{d}");
    }
    if let Some((mode, id)) = sbid {
        let mode = match mode {
            SbidMode::Set => "",
            SbidMode::Src => ".src",
            SbidMode::Dst => ".dst",
        };
        text += &format!("${id}{mode}");
    }
    if text.is_empty() { "-".into() } else { text }
}

const TGL: Platform = Platform::Tgllp;
const PVC: Platform = Platform::Pvc;

#[test]
fn one_pipe_orders_writes_and_counts_distances_to_reads() {
    // Write after write and write after read need nothing; a read waits by distance.
    assert_eq!(line(TGL, &[mov(1, 2), mov(1, 3), mov(3, 4), mov(5, 1)]), "-; -; -; @2");
    // Bytes, not registers: the second half is another value.
    let mut half = mov(9, 1);
    half.exec = ExecSize::S4;
    let mut other = half;
    other.src[0] = Src::packed(Reg::grf(GrfNum::new(1), 16), Type::D);
    let mut low = mov(1, 2);
    low.exec = ExecSize::S4;
    assert_eq!(line(TGL, &[low, other, half]), "-; -; @2");
    // A wait covers what is older; results far enough back need none.
    assert_eq!(line(TGL, &[mov(1, 9), mov(2, 9), mov(3, 2), mov(4, 1)]), "-; -; @1; -");
    let mut long = vec![mov(1, 2)];
    long.extend((0..11).map(|i| mov(20 + i, 40)));
    long.push(mov(3, 1));
    assert!(line(TGL, &long).ends_with("-; -"));
    long.remove(5);
    assert!(line(TGL, &long).ends_with("-; @7"));
}

#[test]
fn messages_take_sbids_and_others_wait_for_them() {
    let insts = [mov(1, 2), send(Some(3), 1), mov(1, 9), mov(4, 3)];
    assert_eq!(line(TGL, &insts), "-; @1$0; $0.src; $0.dst");
    // Ponte Vecchio: of a payload that counts as read, the last registers are read once more.
    assert_eq!(line(PVC, &insts), "-; I@1$0; $0.src; -; I@1; $0.dst");
    // Waiting for the result also says that the source was read.
    assert_eq!(line(TGL, &[send(Some(3), 1), mov(4, 3), mov(1, 9)]), "$0; $0.dst; -");
    // Write after write.
    assert_eq!(line(TGL, &[send(Some(3), 1), mov(3, 9)]), "$0; $0.dst");
    // A message overwrites what an instruction in order still reads or writes.
    assert_eq!(line(TGL, &[mov(4, 3), send(Some(3), 1)]), "-; @1$0");
    assert_eq!(line(TGL, &[mov(3, 4), send(Some(3), 1)]), "-; @1$0");
}

#[test]
fn what_does_not_fit_goes_to_sync() {
    let mut add = alu(Op::Add, 5, 3, Type::D);
    add.src[1] = Src::packed(Reg::grf(GrfNum::new(4), 0), Type::D);
    let loads = [send(Some(3), 1), send(Some(4), 2)];
    // Two results: one in the annotation, one before it.
    let text = line(TGL, &[&loads[..], &[add]].concat());
    assert_eq!(text, "$0; $1; nop $1.dst; $0.dst");
    // A message waits for a result by taking its SBID; for a second one it has no room.
    assert_eq!(line(TGL, &[send(Some(3), 1), send(None, 3)]), "$0; $0");
    let mut both = send(None, 3);
    both.src[1] = Src::packed(Reg::grf(GrfNum::new(4), 0), Type::D);
    if let Payload::Send(info) = &mut both.payload {
        info.src1_len = 1;
    }
    assert_eq!(line(TGL, &[&loads[..], &[both]].concat()), "$0; $1; nop $1.dst; $0");
    // Not where only its source is waited for, while the result is on its way.
    let all = |mut i: I| {
        i.no_mask = true;
        i
    };
    assert_eq!(line(TGL, &[send(Some(3), 1), all(send(Some(1), 2))]), "$0; nop $0.src; $1");
    assert_eq!(line(TGL, &[send(None, 1), all(send(Some(1), 2))]), "$0; $0");
    // Messages alike read their sources in order; what comes later still has to wait for the first.
    assert_eq!(line(TGL, &[send(Some(3), 1), send(Some(1), 2)]), "$0; $1");
    let moved = line(TGL, &[send(Some(3), 1), send(Some(1), 2), mov(1, 9)]);
    assert_eq!(moved, "$0; $1; nop $0.src; $1.dst");
    // From two on, a mask.
    let stores = [send(None, 1), send(None, 2), send(None, 3)];
    let mut wide = mov(1, 9);
    wide.exec = ExecSize::S16;
    assert_eq!(line(TGL, &[&stores[..], &[wide]].concat()), "$0; $1; $2; nop $1.src; $0.src");
    wide.exec = ExecSize::S32;
    assert_eq!(line(TGL, &[&stores[..], &[wide]].concat()), "$0; $1; $2; allrd 0x6 ; $0.src");
    // A distance and a result go together, a distance and a source do not.
    let mut both = add;
    both.src[1] = Src::packed(Reg::grf(GrfNum::new(7), 0), Type::D);
    assert_eq!(line(TGL, &[send(Some(3), 1), mov(7, 8), both]), "$0; -; @1$0.dst");
    assert_eq!(line(TGL, &[send(None, 1), mov(7, 8), mov(1, 7)]), "$0; -; nop $0.src; @1");
}

#[test]
fn pipes_of_xe_hpc_are_told_apart() {
    let float = |d, s| alu(Op::Add, d, s, Type::F);
    let long = |d, s| alu(Op::Add, d, s, Type::Df);
    assert_eq!(line(PVC, &[mov(1, 2), float(3, 1), mov(4, 3)]), "-; I@1; F@1");
    assert_eq!(line(PVC, &[long(1, 2), math(8, 9), float(3, 1), mov(4, 8)]), "-; -; L@1; M@1");
    // 64-bit integers are no long pipe's.
    assert_eq!(line(PVC, &[alu(Op::Add, 1, 2, Type::Q), mov(4, 1)]), "-; I@1");
    // Distances count in the pipe of the producer.
    assert_eq!(line(PVC, &[mov(1, 2), float(20, 21), float(22, 21), mov(4, 1)]), "-; -; -; I@1");
    // Across pipes every order matters; within one, none.
    assert_eq!(line(PVC, &[float(3, 1), mov(1, 2), mov(1, 5)]), "-; F@1; -");
    assert_eq!(line(PVC, &[float(1, 3), mov(1, 2)]), "-; F@1");
    // Two pipes at once.
    let mut add = float(5, 1);
    add.src[1] = Src::packed(Reg::grf(GrfNum::new(2), 0), Type::F);
    assert_eq!(line(PVC, &[mov(1, 9), float(2, 9), float(6, 9), add]), "-; -; -; A@1");
    // Bytes are written by way of their word.
    let byte = |byte| {
        let mut i = alu(Op::Mov, 1, 9, Type::B);
        i.dst = Dst::packed(Reg::grf(GrfNum::new(1), byte), Type::B);
        i.exec = ExecSize::S1;
        i
    };
    assert_eq!(line(PVC, &[byte(0), byte(1), byte(2)]), "-; I@1; -");
    assert_eq!(line(TGL, &[byte(0), byte(1), byte(2)]), "-; -; -");
}

#[test]
fn math_is_out_of_order_on_tiger_lake_only() {
    let insts = [mov(1, 2), math(3, 1), alu(Op::Add, 4, 3, Type::F), mov(1, 9)];
    assert_eq!(line(TGL, &insts), "-; @1$0; $0.dst; -");
    assert_eq!(line(PVC, &insts), "-; I@1; M@1; -");
    // It reads its sources in order, for the same channels.
    assert_eq!(line(TGL, &[math(3, 1), math(1, 9)]), "$0; $1");
    let half = I { exec: ExecSize::S8, chan: 8, ..math(1, 9) };
    assert_eq!(line(TGL, &[math(3, 1), half]), "$0; nop $0.src; $1");
}

#[test]
fn odd_registers_wait_for_all_and_hold_up_what_follows() {
    let mut cr = mov(1, 2);
    cr.dst = Dst::packed(Reg::arf(Arf::Control(0), 0), Type::Ud);
    assert_eq!(line(TGL, &[mov(1, 2), cr, mov(3, 4), mov(5, 6)]), "-; @1; @1; -");
    assert_eq!(line(PVC, &[mov(1, 2), cr, mov(3, 4), mov(5, 6)]), "-; A@1; A@1; -");
    assert_eq!(line(TGL, &[send(Some(3), 1), cr, send(None, 3)]), "$0; @1; @1$0");
    // What follows stands behind a sync: that must wait.
    let mut add = alu(Op::Add, 5, 3, Type::D);
    add.src[1] = Src::packed(Reg::grf(GrfNum::new(4), 0), Type::D);
    let insts = [send(Some(3), 1), send(Some(4), 1), cr, add];
    assert_eq!(line(TGL, &insts), "$0; $1; @1; nop @1; nop $1.dst; $0.dst");
    assert_eq!(line(TGL, &[send(Some(3), 1), cr, mov(5, 3)]), "$0; @1; @1$0.dst");
    let mut address = mov(1, 2);
    address.dst = Dst::packed(Reg::address(AddrSub::A0), Type::Uw);
    assert_eq!(line(TGL, &[mov(1, 3), address]), "-; -");
    assert_eq!(line(PVC, &[mov(1, 3), address]), "-; A@1");
}

#[test]
fn flags_wait_across_pipes_only() {
    let cmp = |ty| {
        let mut i = alu(Op::Cmp, 1, 2, ty);
        i.dst = Dst::null(ty);
        i.cond = Some(CondMod { cond: Cond::Gt, flag: Reg::flag(FlagSub::F0) });
        i
    };
    assert_eq!(line(PVC, &[cmp(Type::F), cmp(Type::D)]), "-; F@1");
    assert_eq!(line(PVC, &[cmp(Type::F), cmp(Type::F)]), "-; -");
    let mut predicated = mov(1, 2);
    predicated.pred =
        Some(gen_ir::Pred { flag: Reg::flag(FlagSub::F0), inv: false, ctrl: gen_ir::PredCtrl::Seq });
    assert_eq!(line(PVC, &[cmp(Type::F), predicated]), "-; -");
    assert_eq!(line(PVC, &[predicated, cmp(Type::F)]), "-; I@1");
    assert_eq!(line(TGL, &[predicated, cmp(Type::F)]), "-; -");
}

#[test]
fn both_sides_of_an_if_count_at_its_end() {
    let blocks: [(&[I], &[u32]); 4] = [
        (&[send(Some(3), 1), branch(Op::Goto, 2)], &[1, 2]),
        (&[mov(4, 3), mov(6, 9)], &[3]),
        (&[mov(6, 9), mov(20, 21), mov(22, 23)], &[3]),
        (&[mov(7, 3), mov(8, 6)], &[]),
    ];
    // The load is waited for on one side only; r6 is one place back, or three.
    assert_eq!(run(TGL, &blocks), ["$0; -", "$0.dst; -", "-; -; -", "$0.dst; @2"]);
}

#[test]
fn a_loop_waits_for_its_last_turn() {
    // r1 is read by the store of the turn before; r5 was written at the end of it.
    let body = [mov(1, 5), send(None, 1), mov(5, 6), branch(Op::While, 1)];
    let blocks: [(&[I], &[u32]); 3] = [(&[mov(9, 9)], &[1]), (&body, &[2, 1]), (&[mov(2, 5)], &[])];
    let text = run(TGL, &blocks);
    assert_eq!(text, ["-", "nop $0.src; @1; @1$0; -; -", "@1"]);
}

#[test]
fn a_subroutine_returns_what_is_under_way() {
    let mut call = branch(Op::Call, 2);
    call.dst = Dst::packed(Reg::grf(GrfNum::new(30), 0), Type::Ud);
    let mut ret = Inst::new(Op::Ret, ExecSize::S8);
    ret.src[0] = Src::packed(Reg::grf(GrfNum::new(30), 0), Type::Ud);
    ret.payload = Payload::Branch { jip: Target::None, uip: Target::None, ctrl: false };
    let blocks: [(&[I], &[u32]); 3] =
        [(&[call], &[2, 1]), (&[mov(4, 3)], &[]), (&[send(Some(3), 1), ret], &[])];
    let mut k = kernel(TGL, &blocks);
    k.subroutines.push(BlockId(2));
    swsb(&mut k);
    let notes: Vec<Vec<String>> = k.blocks.iter().map(|b| b.insts.iter().map(note).collect()).collect();
    assert_eq!(notes, [vec!["@1"], vec!["$0.dst"], vec!["$0", "@1"]]);
    // A function leaves nothing behind for callers it does not know.
    k.subroutines.clear();
    swsb(&mut k);
    assert_eq!(k.blocks[2].insts.iter().map(note).collect::<Vec<_>>(), ["$0", "@1$0.dst"]);
}

#[test]
fn sbids_are_reused_when_all_are_taken() {
    let mut insts: Vec<I> = (0..20).map(|i| send(Some(40 + i), i)).collect();
    insts.push(mov(1, 40));
    insts.push(mov(2, 57));
    let text = line(TGL, &insts);
    // The seventeenth takes the first SBID again, which waits for its holder: r40 is there, and r1 and
    // r2 have been read.
    assert!(text.starts_with("$0; $1; "));
    assert!(text.contains("$15; $0; $1; $2; $3; -; $1.dst"), "{text}");
}

#[test]
fn bytes_through_an_address_wait_for_the_words_around_them() {
    let mut bytes = mov(1, 2);
    bytes.dst = Dst::packed(Reg::grf(GrfNum::new(1), 1), Type::B);
    bytes.src[0] = Src::packed(Reg::grf(GrfNum::new(2), 0), Type::B);
    let mut through = bytes;
    through.dst = Dst::Indirect { addr: Reg::address(AddrSub::A0), imm: 0, horz: 1, ty: Type::B };
    assert_eq!(line(PVC, &[bytes, through]), "-; I@1");
    through.dst = Dst::Indirect { addr: Reg::address(AddrSub::A0), imm: 0, horz: 1, ty: Type::W };
    assert_eq!(line(PVC, &[bytes, through]), "-; -");
}

/// What an instruction waits for that names no register of those before, where so many branches come together that each
/// leave a move under way.
fn behind_branches(platform: Platform, branches: u32) -> String {
    let (goto, end) = (branch(Op::Goto, branches), [mov(126, 125)]);
    let moves: Vec<[I; 2]> = (0..branches).map(|i| [mov(1 + narrow::to_u16(i % 100), 125), goto]).collect();
    let succs: Vec<[u32; 2]> = (1..=branches).map(|next| [next, branches]).collect();
    let mut blocks: Vec<(&[I], &[u32])> = moves.iter().zip(&succs).map(|(i, s)| (&i[..], &s[..])).collect();
    blocks.push((&end, &[]));
    run(platform, &blocks).pop().unwrap()
}

#[test]
fn more_than_is_told_apart_is_waited_for() {
    assert_eq!([100, 200].map(|n| behind_branches(TGL, n)), ["-", "@1"]);
    assert_eq!([100, 200].map(|n| behind_branches(Platform::Pvc, n)), ["-", "A@1"]);
}

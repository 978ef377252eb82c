//! Everything that strictness and the scoreboard report, and the legal neighbour that they do not.

use super::*;
use crate::{Dispatch, Fault, Options as RunOptions, RawLaunch, run_program};
use ::messages::{
    Descriptor, MessageLength, ResponseLength, SurfaceIndex,
    hdc::{Dc1, ScatteredSimdMode, Surface as ToSurface},
};
use gen_ir::{GrfNum, Pipe, SbidMode, Swsb, SyncFn};

const SKL: Platform = Platform::Skl;
const TGL: Platform = Platform::Tgllp;

/// Runs a thread whose r1 holds zeros and r2 holds 1 to 8, over a surface of 32 bytes, and says what is
/// reported; the thread ends by `end`.
fn run(platform: Platform, body: &[I], end: &[I]) -> Result<Vec<Fault>, Error> {
    let program = Program::from_insts(platform, &[body, end].concat())?;
    let mut memory = Memory::new();
    let b = memory.add("b", vec![0; 32]);
    let surface = Surface { base: memory.address(b), size: 32, image: None };
    let mut payload = vec![0; 32];
    payload.extend(ONE_TO_8.iter().flat_map(|v| v.to_le_bytes()));
    let launch = RawLaunch {
        simd: 8,
        groups: [1; 3],
        threads: 1,
        payload: vec![payload],
        surfaces: vec![Some(surface)],
        ..RawLaunch::default()
    };
    let dispatch = Dispatch::raw(platform, &launch)?;
    let report = run_program(&program, &dispatch, &mut memory, &RunOptions::default())?;
    Ok(report.reports.iter().map(|r| r.fault).collect())
}

fn faults(platform: Platform, body: &[I]) -> Vec<Fault> {
    run(platform, body, &end(platform)).unwrap()
}

fn all(mut i: I) -> I {
    i.no_mask = true;
    i
}

fn mov(dst: u16, src: u16) -> I {
    inst(Op::Mov, ExecSize::S8, dst, Type::Ud, &[vec8(src, Type::Ud)])
}

fn at(mut i: I, swsb: Swsb) -> I {
    i.swsb = swsb;
    i
}

fn dist(n: u8) -> Swsb {
    Swsb { dist: Some((Pipe::Own, n)), ..Swsb::NONE }
}

fn token(mode: SbidMode) -> Swsb {
    Swsb { sbid: Some((mode, 3)), ..Swsb::NONE }
}

fn eot(reg: u16) -> I {
    let mut i = I::new(Op::Send, ExecSize::S8);
    i.no_mask = true;
    i.dst = Dst::Direct { reg: Reg::NULL, horz: 1, ty: Type::Ud };
    i.src[0] = Src::packed(Reg::grf(GrfNum::new(reg), 0), Type::Ud);
    i.payload = Payload::Send(SendInfo {
        sfid: Sfid::Spawner,
        desc: Desc::Imm(::messages::spawner::end_of_thread()),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: true,
        dst_len: 0,
        src0_len: 1,
        src1_len: 0,
    });
    i
}

fn end(platform: Platform) -> Vec<I> {
    let wait = if platform == SKL { Swsb::NONE } else { dist(1) };
    vec![all(mov(127, 0)), at(eot(127), wait)]
}

/// Untyped read of a dword each, or write.
fn read(address: u16, dst: u16, len: u8) -> I {
    let mut i = I::new(Op::Send, ExecSize::S8);
    i.dst = Dst::packed(Reg::grf(GrfNum::new(dst), 0), Type::Ud);
    i.src[0] = Src::packed(Reg::grf(GrfNum::new(address), 0), Type::Ud);
    i.payload = Payload::Send(SendInfo {
        sfid: Sfid::Dc1,
        desc: untyped(Dc1::UntypedRead, 0, len.into(), 1),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: false,
        dst_len: 1,
        src0_len: len,
        src1_len: 0,
    });
    i
}

/// One channel of eight lanes.
fn untyped(kind: Dc1, surface: u8, payload: u32, response: u32) -> Desc<Physical> {
    let message = ToSurface::new()
        .with_surface(SurfaceIndex(surface))
        .with_disabled_channels(0b1110)
        .with_simd_mode(Some(ScatteredSimdMode::Simd8))
        .with_message_type(Some(kind));
    let lengths = (MessageLength::of(payload), ResponseLength::of(response));
    Desc::Imm(Descriptor::from(message).with_lengths(lengths.0, lengths.1))
}

#[test]
fn a_clean_thread_is_clean() {
    for platform in [SKL, TGL] {
        assert_eq!(faults(platform, &[mov(3, 2)]), []);
    }
    assert_eq!(faults(SKL, &[read(1, 3, 1)]), []);
}

#[test]
fn undefined_branches_and_addresses() {
    let mut jump = branch_if(Op::Jmpi, 0, None);
    (jump.exec, jump.no_mask) = (ExecSize::S1, true);
    assert_eq!(faults(SKL, &[jump]), [Fault::Uninitialized]);
    // Copied, an undefined register is still undefined.
    assert_eq!(faults(SKL, &[mov(21, 20), read(21, 3, 1)])[0], Fault::Uninitialized);
}

#[test]
fn a_selection_is_as_defined_as_what_it_takes() {
    // r20 was never written.
    for (cond, expected) in [(Cond::Eq, None), (Cond::Ne, Some(Fault::Uninitialized))] {
        let mut equal = inst(Op::Cmp, ExecSize::S8, 3, Type::Ud, &[vec8(1, Type::Ud), vec8(1, Type::Ud)]);
        equal.cond = Some(CondMod { cond, flag: flag() });
        let mut sel = inst(Op::Sel, ExecSize::S8, 21, Type::Ud, &[vec8(1, Type::Ud), vec8(20, Type::Ud)]);
        sel.pred = branch_if(Op::Goto, 0, None).pred;
        assert_eq!(faults(SKL, &[equal, sel, read(21, 3, 1)]).first(), expected.as_ref(), "{cond:?}");
    }
}

#[test]
fn a_copy_of_several_channels_keeps_bytes_apart() {
    // Of two words in r20, the lower bytes are written: as halves of flags whose upper channels are off.
    let word = |reg: u16, byte| Reg::grf(GrfNum::new(reg), byte);
    let byte = |at| {
        let mut i = all(inst(Op::Mov, ExecSize::S1, 20, Type::Ub, &[Src::scalar(word(1, 0), Type::Ub)]));
        i.dst = Dst::packed(word(20, at), Type::Ub);
        i
    };
    let pair = Src::new(word(20, 0), Region::new(2, 2, 1), Type::Uw);
    let two = all(inst(Op::Mov, ExecSize::S2, 22, Type::Uw, &[pair]));
    // Two registers, as calls keep them.
    let registers = all(inst(Op::Mov, ExecSize::S16, 22, Type::Ud, &[vec8(20, Type::Ud)]));
    // A choice between a value and itself.
    let itself = vec8(20, Type::F);
    let mut choice = all(inst(Op::Csel, ExecSize::S8, 22, Type::F, &[itself; 3]));
    choice.cond = Some(CondMod { cond: Cond::Eq, flag: flag() });
    for copy in [two, registers, choice] {
        for (at, expected) in [(0, None), (2, None), (1, Some(Fault::Uninitialized))] {
            let spread = inst(Op::Mov, ExecSize::S8, 24, Type::Ud, &[Src::scalar(word(22, at), Type::Ub)]);
            let found = faults(SKL, &[byte(0), byte(2), copy, spread, read(24, 3, 1)]);
            assert_eq!(found.first(), expected.as_ref(), "byte {at}");
        }
    }
}

#[test]
fn undefined_data_stored() {
    // A surface write of x: address, then data.
    let mut write = read(1, 3, 2);
    write.dst = Dst::Direct { reg: Reg::NULL, horz: 1, ty: Type::Ud };
    if let Payload::Send(info) = &mut write.payload {
        (info.desc, info.dst_len) = (untyped(Dc1::UntypedWrite, 0, 2, 0), 0);
    }
    assert_eq!(faults(SKL, &[write]), []);
    let mut second = write;
    second.src[0] = Src::packed(Reg::grf(GrfNum::new(5), 0), Type::Ud);
    assert_eq!(faults(SKL, &[mov(5, 1), second]), [Fault::UndefinedData]);
}

#[test]
fn accesses_out_of_bounds_and_wrong_lengths() {
    let mut far = inst(Op::Add, ExecSize::S8, 3, Type::Ud, &[vec8(1, Type::Ud), Src::ud(30)]);
    assert_eq!(faults(SKL, &[far, read(3, 4, 1)]), [Fault::OutOfBounds]);
    far.src[1] = Src::ud(28);
    assert_eq!(faults(SKL, &[far, read(3, 4, 1)]), []);
    assert_eq!(faults(SKL, &[read(1, 3, 2)]), [Fault::MessageLength]);
    // Without a surface: no memory at address 0.
    let mut flat = read(1, 3, 1);
    if let Payload::Send(info) = &mut flat.payload {
        info.desc = untyped(Dc1::UntypedRead, 0xff, 1, 1);
    }
    assert_eq!(faults(SKL, &[flat]), [Fault::NoMemory]);
}

#[test]
fn illegal_regions() {
    // Rows of eight in an instruction of four channels.
    let wide = inst(Op::Mov, ExecSize::S4, 3, Type::Ud, &[vec8(2, Type::Ud)]);
    assert_eq!(faults(SKL, &[wide]), [Fault::Illegal]);
}

#[test]
fn ends_of_threads() {
    assert!(run(SKL, &[], &[eot(1)]).unwrap().contains(&Fault::Eot));
    assert_eq!(run(SKL, &[], &[eot(120)]).unwrap(), [Fault::Eot]);
    // r2 is not the header.
    assert_eq!(run(SKL, &[], &[all(mov(127, 2)), eot(127)]).unwrap(), [Fault::Eot]);
}

#[test]
fn channels_left_behind() {
    // Half of the channels go to a place behind the end.
    let mut half = inst(Op::Cmp, ExecSize::S8, 3, Type::Ud, &[vec8(2, Type::Ud), Src::ud(4)]);
    half.cond = Some(CondMod { cond: Cond::Gt, flag: flag() });
    let goto = branch_if(Op::Goto, 3, Some(3));
    let tail = [end(SKL), vec![branch(Op::Join, 0, None)], end(SKL)].concat();
    assert_eq!(run(SKL, &[half, goto], &tail).unwrap(), [Fault::LanesLeft]);
}

#[test]
fn results_arrive_no_earlier_than_the_annotations_say() {
    assert_eq!(faults(TGL, &[mov(3, 2), mov(4, 3)]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[mov(3, 2), at(mov(4, 3), dist(1))]), []);
    assert_eq!(faults(TGL, &[mov(3, 2), mov(5, 2), at(mov(4, 3), dist(2))]), []);
    let load = at(read(1, 3, 1), token(SbidMode::Set));
    assert_eq!(faults(TGL, &[load, mov(4, 3)]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[load, at(mov(4, 3), token(SbidMode::Dst))]), []);
    // Overwriting is too early as well.
    assert_eq!(faults(TGL, &[load, mov(3, 2)]), [Fault::Hazard]);
}

#[test]
fn messages_read_their_sources_late() {
    let load = at(read(1, 3, 1), token(SbidMode::Set));
    assert_eq!(faults(TGL, &[load, mov(1, 2)]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[load, at(mov(1, 2), token(SbidMode::Src))]), []);
    let mut sync = I::new(Op::Sync, ExecSize::S1);
    sync.payload = Payload::Sync(SyncFn::AllRd);
    assert_eq!(faults(TGL, &[load, sync, mov(1, 2)]), []);
}

#[test]
fn another_reader_does_not_hide_a_late_one() {
    let load = at(read(1, 3, 1), token(SbidMode::Set));
    // The move has read r1 when r1 is written, the message has not.
    assert_eq!(faults(TGL, &[load, mov(4, 1), mov(1, 2)]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[load, mov(4, 1), at(mov(1, 2), token(SbidMode::Src))]), []);
    // Nothing can wait for a message without a token.
    assert_eq!(faults(TGL, &[read(1, 3, 1), mov(1, 2)]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[read(1, 3, 1), at(mov(4, 3), token(SbidMode::Dst))]), [Fault::Hazard]);
}

#[test]
fn messages_to_one_function_read_in_order_if_all_are_sent() {
    let zero = inst(Op::Mov, ExecSize::S8, 5, Type::Ud, &[Src::ud(0)]);
    let load = at(read(1, 3, 1), token(SbidMode::Set));
    // The answer of the second comes when the first has read r1, unless one of them might not be sent.
    let second = at(read(5, 1, 1), Swsb { sbid: Some((SbidMode::Set, 4)), ..dist(1) });
    assert_eq!(faults(TGL, &[zero, load, second]), []);
    assert_eq!(faults(TGL, &[zero, load, all(second)]), [Fault::Hazard]);
}

#[test]
fn control_registers_wait_for_everything() {
    let change = |arf| {
        let reg = Reg::arf(arf, 0);
        let from = [Src::new(reg, Region::SCALAR, Type::Ud), Src::ud(0x400)];
        let mut or = inst(Op::Or, ExecSize::S1, 0, Type::Ud, &from);
        or.dst = Dst::packed(reg, Type::Ud);
        all(or)
    };
    let or = change(Arf::Control(0));
    let after = at(mov(4, 2), dist(1));
    assert_eq!(faults(TGL, &[mov(3, 2), at(or, dist(1)), after]), []);
    assert_eq!(faults(TGL, &[mov(3, 2), or, after]), [Fault::Hazard]);
    assert_eq!(faults(TGL, &[mov(3, 2), at(or, dist(1)), mov(4, 2)]), [Fault::Hazard]);
    // What is awaited is none.
    assert_eq!(faults(TGL, &[mov(3, 2), change(Arf::ThreadDep(0)), mov(4, 2)]), []);
}

#[test]
fn dependency_control_is_used_in_pairs() {
    let with = |mut i: I, option| {
        i.opts = i.opts.with(option);
        i
    };
    let clear = with(mov(3, 2), Options::NO_DD_CLR);
    let check = with(mov(3, 2), Options::NO_DD_CHK);
    assert_eq!(faults(SKL, &[clear, check, mov(4, 3)]), []);
    assert_eq!(faults(SKL, &[clear, mov(4, 3), check]), [Fault::Hazard]);
    assert_eq!(faults(SKL, &[check]), [Fault::Hazard]);
    assert_eq!(faults(SKL, &[clear]), [Fault::Hazard]);
}

/// With 256 registers a thread ends from the last 16 of those; with 128 there are no others.
#[test]
fn registers_are_as_many_as_the_launch_says() {
    let pvc = Platform::Pvc;
    let faults = |registers: u32, number: u16| {
        let header = inst(Op::Mov, ExecSize::S16, number, Type::Ud, &[vec8(0, Type::Ud)]);
        let header = all(header);
        let mut end = end(pvc);
        let last = end.len() - 1;
        end[last].src[0] = Src::payload(Reg::grf(GrfNum::new(number), 0), end[last].exec);
        end[last].swsb = dist(1);
        if let Payload::Send(info) = &mut end[last].payload {
            info.sfid = Sfid::Gateway;
        }
        let mut code = encoder::CodeBuffer::new();
        let mut kernel = gen_ir::Kernel::new("k", pvc);
        kernel.blocks = vec![gen_ir::Block { insts: vec![header, end[last]], ..gen_ir::Block::default() }];
        code.emit(&kernel, encoder::CodeOptions { compact: false }).unwrap();
        let launch = RawLaunch { simd: 16, groups: [1; 3], threads: 1, registers, ..RawLaunch::default() };
        let options = RunOptions::default();
        let done = crate::run_raw(pvc, code.bytes(), &launch, &mut Memory::new(), &options);
        done.map(|report| report.reports.iter().map(|r| r.fault).collect::<Vec<_>>()).map_err(|_| ())
    };
    assert_eq!(faults(256, 255), Ok(vec![]));
    assert_eq!(faults(0, 255), Ok(vec![]));
    assert_eq!(faults(128, 127), Ok(vec![]));
    assert_eq!(faults(256, 200), Ok(vec![Fault::Eot]));
    assert_eq!(faults(128, 255), Err(()));
    assert_eq!(faults(64, 63), Err(()));
}

/// The second thread goes the first one's way, whose rounds differ in the channels that run; what comes too early is counted
/// each time, and no less where a group has gone before.
#[test]
fn known_ways_hide_nothing() {
    let increment = inst(Op::Add, ExecSize::S8, 4, Type::D, &[vec8(4, Type::D), Src::d(1)]);
    let mut is_done = inst(Op::Cmp, ExecSize::S8, 0, Type::D, &[vec8(4, Type::D), vec8(2, Type::D)]);
    is_done.dst = Dst::null(Type::D);
    is_done.cond = Some(CondMod { cond: Cond::Ge, flag: flag() });
    let mut payload = vec![0; 32];
    payload.extend(ONE_TO_8.iter().flat_map(|v| v.to_le_bytes()));
    let launch =
        RawLaunch { simd: 8, groups: [1; 3], threads: 3, payload: vec![payload], ..RawLaunch::default() };
    let dispatch = Dispatch::raw(TGL, &launch).unwrap();
    let options = RunOptions::default();
    for early in [false, true] {
        let copy = if early { mov(5, 4) } else { at(mov(5, 4), dist(1)) };
        let round = [at(increment, dist(1)), copy, at(is_done, dist(1))];
        let again = [branch_if(Op::Break, 1, Some(1)), branch(Op::While, -4, None)];
        let code = [&[all(mov(4, 1))], &round[..], &again, &end(TGL)].concat();
        let program = Program::from_insts(TGL, &code).unwrap();
        let mut groups = crate::Groups::new(&program, &dispatch, &options, Memory::new());
        let first = groups.run([0; 3]).unwrap();
        let found: Vec<_> = first.reports.iter().map(|r| (r.pc, r.fault, r.count)).collect();
        assert_eq!(found, if early { vec![(32, Fault::Hazard, 3 * 8)] } else { vec![] });
        assert_eq!(groups.run([0; 3]).unwrap(), first);
        let learned = groups.learned();
        let mut others = crate::Groups::new(&program, &dispatch, &options, Memory::new()).knowing(learned);
        assert_eq!(others.run([0; 3]).unwrap(), first);
    }
}

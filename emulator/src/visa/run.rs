//! Running a dispatch: groups one after the other, the threads of a group in turns, as the EU emulator
//! takes them, so that atomics between threads come in the same order.

use super::{
    context::{VisaCx, text},
    layout::VisaProgram,
    thread::VisaThread,
};
use crate::{
    Dispatch, Error, Memory, Options,
    group::{Group, Signal, run_group},
    report::{Reports, RunReport, SendKind},
    thread::Trap,
    watch::{self, Seen, Watch, Watched},
};
use narrow::as_index;
use std::collections::BTreeMap;
use visa::{InputVar, Inst, Op, Predefined, op::BarrierHalf};

/// Instructions a thread runs before the next one gets its turn.
const TURN: u64 = 4096;

struct VisaCounts {
    /// Executions per opcode.
    opcodes: [u64; 256],
    sends: BTreeMap<SendKind, u64>,
    total: u64,
    trace: Vec<String>,
    seen: Vec<Seen>,
}

/// Runs all groups of a dispatch.
pub(super) fn dispatch(
    program: &VisaProgram<'_>,
    dispatch: &Dispatch,
    memory: &mut Memory,
    options: &Options,
) -> Result<RunReport, Error> {
    let mut counts = VisaCounts {
        opcodes: [0; 256],
        sends: BTreeMap::new(),
        total: 0,
        trace: Vec::new(),
        seen: Vec::new(),
    };
    let mut reports = Reports::default();
    let (mut threads, mut asked) = (0, Vec::new());
    let memories = crate::thread_memory::ThreadMemory::new(program.platform, dispatch, memory);
    for z in 0..dispatch.groups[2] {
        for y in 0..dispatch.groups[1] {
            for x in 0..dispatch.groups[0] {
                let mut group = Group {
                    id: [x, y, z],
                    slm: vec![0; as_index(dispatch.slm.next_multiple_of(1024))],
                    threads: dispatch.threads,
                    barriers: Default::default(),
                };
                let mut team = (0..dispatch.threads)
                    .map(|i| start(program, dispatch, options, &group, i, &memories))
                    .collect::<Result<Vec<_>, _>>()?;
                threads += u64::from(dispatch.threads);
                let mut cx = VisaCx {
                    memory,
                    bindings: &dispatch.bindings,
                    group: &mut group,
                    reports: &mut reports,
                    strict: options.strict,
                    doubtful: 0,
                    opaque: &options.opaque,
                    asked: Vec::new(),
                };
                run_group(&mut team, &mut cx, |cx| cx.group, |t, cx| turn(t, cx, options, &mut counts))?;
                asked.append(&mut cx.asked);
            }
        }
    }
    Ok(RunReport {
        threads,
        instructions: counts.total,
        opcodes: visa::Opcode::ALL
            .iter()
            .map(|o| (o.name(), counts.opcodes[usize::from(o.raw())]))
            .filter(|(_, n)| *n != 0)
            .collect(),
        sends: counts.sends,
        reports: reports.into_vec(),
        trace: counts.trace,
        seen: counts.seen,
        asked,
        ..RunReport::default()
    })
}

/// A thread as the hardware starts it: thread header and inputs in place.
fn start<'a>(
    program: &'a VisaProgram<'a>,
    dispatch: &Dispatch,
    options: &Options,
    group: &Group,
    number: u32,
    memories: &crate::thread_memory::ThreadMemory,
) -> Result<VisaThread<'a>, Error> {
    let kernel = program.units[0].kernel;
    let bad = |t: Trap| Error::Launch(t.0);
    let mut lanes = dispatch.masks.get(as_index(number)).copied().unwrap_or(u32::MAX);
    if kernel.is_cm() {
        // Media threads have no lanes switched off.
        lanes = u32::MAX;
    }
    let mut t = VisaThread::new(program, lanes, options.strict).map_err(bad)?;
    t.number = number;
    t.scratch = memories.scratch_of(number);
    t.scratch_shadow = vec![1; as_index(dispatch.scratch)];
    let header = memories.header(dispatch, group.id, number);
    let at = t.predefined(Predefined::R0);
    for (i, v) in header.iter().enumerate().take(as_index(program.grf) / 4) {
        t.provide(at + 4 * i, &v.to_le_bytes());
    }
    let zeros = [Predefined::Cr0, Predefined::Dbg0, Predefined::Msg0, Predefined::Color];
    for var in zeros {
        let at = t.predefined(var);
        t.provide(at, &[0; 16]);
    }
    // The number of the hardware thread, by which kernels find their private memory.
    let at = t.predefined(Predefined::HwTid);
    t.provide(at, &(header[5] & 0x1ff).to_le_bytes());
    let at = t.predefined(Predefined::Sr0);
    t.provide(at, &(number & 7).to_le_bytes());
    t.provide(at + 4, &[0; 4]);
    t.provide(at + 8, &lanes.to_le_bytes());
    t.provide(at + 12, &lanes.to_le_bytes());
    inputs(&mut t, dispatch, number).map_err(bad)?;
    Ok(t)
}

/// Input variables, from the payload.
fn inputs(t: &mut VisaThread<'_>, dispatch: &Dispatch, number: u32) -> Result<(), Trap> {
    let grf = t.program.grf;
    let payload = dispatch.registers(grf, number);
    for input in &t.unit().kernel.inputs {
        let first = i64::from(input.offset) - i64::from(grf);
        let byte = |i: i64| usize::try_from(first + i).ok().and_then(|at| payload.get(at).copied());
        let word = || (0..4).fold(0, |v, i| v | u32::from(byte(i).unwrap_or(0)) << (8 * i));
        match input.var {
            InputVar::General(id) => {
                let (at, len) = t.var(id)?;
                for i in 0..u32::from(input.size).min(len) {
                    if let Some(b) = byte(i.into()) {
                        t.provide(at + as_index(i), &[b]);
                    }
                }
            }
            InputVar::Surface(id) => {
                *t.surface_mut(id, 0).ok_or("an input to no surface")? = word();
            }
            InputVar::Sampler(id) => {
                *t.sampler_mut(id, 0).ok_or("an input to no sampler")? = word();
            }
        }
    }
    Ok(())
}

/// Runs a thread until its turn ends, it waits, or it is done.
fn turn(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    options: &Options,
    counts: &mut VisaCounts,
) -> Result<(), Error> {
    let mut done = 0;
    while t.turn.is_running() && done < TURN {
        let (unit, pc) = (t.unit(), t.frame.pc);
        let trap = |t: &VisaThread<'_>, cx: &VisaCx<'_>, why: Trap| Error::Trap {
            pc,
            inst: text(unit, pc),
            group: cx.group.id,
            thread: t.number,
            reason: why.0,
        };
        let Some(inst) = unit.insts.get(as_index(pc)) else {
            return Err(trap(t, cx, "the thread runs past the end of its code".into()));
        };
        if !matches!(
            inst.op,
            Op::Label(_) | Op::Subroutine(_) | Op::File(_) | Op::Loc(_) | Op::Lifetime { .. }
        ) {
            counts.total += 1;
            counts.opcodes[usize::from(inst.opcode.raw())] += 1;
        }
        done += 1;
        t.executed += 1;
        // Labels too, so that nothing goes on for ever.
        if counts.total.max(t.executed) > options.max_instructions {
            return Err(Error::Limit { instructions: options.max_instructions, pc });
        }
        if options.trace && counts.trace.len() < options.trace_lines {
            let [x, y, z] = cx.group.id;
            counts.trace.push(format!(
                "{x},{y},{z}/{} {pc:5} [{:08x}] {}",
                t.number,
                t.frame.active,
                text(unit, pc)
            ));
        }
        // Variables are the kernel's.
        for &watch in watch::before(&options.watches, pc).iter().filter(|_| t.frame.unit == 0) {
            if counts.seen.len() < options.trace_lines {
                counts.seen.extend(look(t, cx, watch));
            }
        }
        match one(t, cx, inst) {
            Ok(Some(kind)) => *counts.sends.entry(kind).or_insert(0) += 1,
            Ok(None) => {}
            Err(why) => return Err(trap(t, cx, why)),
        }
    }
    Ok(())
}

/// What a watch of a variable sees.
fn look(t: &VisaThread<'_>, cx: &VisaCx<'_>, watch: Watch) -> Option<Seen> {
    let Watched::Variable(id) = watch.of else { return None };
    let (at, len) = t.var(id).ok()?;
    let byte = |at: usize| Some(t.file[at]).filter(|_| !t.undefined(at, 1));
    let bytes = (at..at + as_index(len)).map(byte).collect();
    Some(Seen { watch, group: cx.group.id, thread: t.number, active: t.frame.active, bytes })
}

/// Runs one instruction; says what kind of message it was.
fn one(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<Option<SendKind>, Trap> {
    match inst.op {
        Op::Alu { dst, srcs } => t.alu(inst, dst, &srcs)?,
        Op::Cmp { .. } => t.compare(inst)?,
        Op::MinMax { .. } => t.min_max(inst)?,
        Op::Carry { .. } => t.carry(inst)?,
        Op::MacroMath { .. } => t.macro_math(inst)?,
        Op::Dpas { .. } => t.dpas(inst)?,
        Op::Bfn { .. } => t.bit_function(inst)?,
        Op::Setp { .. } => t.set_predicate(inst)?,
        Op::Movs { .. } => t.move_state(inst)?,
        Op::AddrAdd { .. } => t.address_add(inst)?,
        Op::Label(_)
        | Op::Subroutine(_)
        | Op::Jmp(_)
        | Op::Goto(_)
        | Op::Call(_)
        | Op::Ret
        | Op::Fret
        | Op::Fcall { .. }
        | Op::Ifcall { .. }
        | Op::Faddr { .. }
        | Op::SwitchJmp { .. } => {
            t.branch(inst, cx)?;
            return Ok(None);
        }
        Op::Lifetime { .. } | Op::File(_) | Op::Loc(_) | Op::Yield {} | Op::Breakpoint {} => {}
        Op::Barrier {} => {
            t.turn.signal(cx.group, Signal::of_all(cx.group.threads));
            t.turn.wait(0);
        }
        Op::SplitBarrier { half: BarrierHalf::Signal } => {
            t.turn.signal(cx.group, Signal::of_all(cx.group.threads))
        }
        Op::SplitBarrier { half: BarrierHalf::Wait } => t.turn.wait(0),
        _ => {
            let kind = super::message::message(t, cx, inst)?;
            t.advance();
            return Ok(Some(kind));
        }
    }
    t.advance();
    Ok(None)
}

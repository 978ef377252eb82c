//! Places of variables in debug information: where code of an instruction begins, the place holds what the interpreter has
//! in the variable before that instruction, for each lane that runs.

use std::collections::{BTreeMap, BTreeSet};

use emulator::{Options as RunOptions, RawLaunch, RunReport, Seen, Watch, Watched};
use finalizer::{Binary, Finalizer, Level, Options, PassSet};
use platforms::Platform;
use tests::{data, dbg, interpreted, launches::Setup, visa_random};
use visa::{Opcode, Operand, Region, VarId, VectorOperand};

/// Instructions that a run may take.
const LIMIT: u64 = 300_000;
/// Looks of a run.
const LOOKS: usize = 40_000;

/// What was found of some kernels.
#[derive(Default, Debug)]
struct Counts {
    kernels: usize,
    /// Variables that have a place somewhere, and all that are declared and not aliases.
    placed: usize,
    variables: usize,
    /// Pairs of an instruction and a variable that has a place there.
    pairs: usize,
    /// Bytes that were compared.
    bytes: u64,
}

/// Whose a byte of a variable is. What all write that write it without a mask is the lane's that writes it under the mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Nobody,
    All,
    Lane(u32),
    Several,
}

/// Whose the bytes of a variable are: the lanes' that write them.
fn owners(kernel: &visa::Kernel, id: VarId) -> Vec<Owner> {
    let bytes = kernel.vars[id.declared().unwrap()].bytes() as usize;
    let mut owners = vec![Owner::Nobody; bytes];
    let mut give = |at: usize, owner: Owner| {
        if let Some(old) = owners.get_mut(at) {
            *old = match (*old, owner) {
                (Owner::Nobody | Owner::All, new) => new,
                (old, Owner::All) => old,
                (old, new) if old == new => old,
                _ => Owner::Several,
            };
        }
    };
    for record in &kernel.code {
        let exec = record.exec;
        let (first, lanes) = (exec.first_lane() as usize, exec.size.lanes() as usize);
        for (slot, operand) in kernel.operands_of(record).iter().enumerate() {
            let (var, offset) = match operand {
                Operand::Vector(VectorOperand::General(g)) if slot == 0 => (g.var, 0),
                Operand::Raw(r) => (r.var, usize::from(r.offset)),
                _ => continue,
            };
            let (root, base) = kernel.resolve_alias(var);
            if root != id {
                continue;
            }
            let start = base as usize + offset;
            let size = match operand {
                Operand::Vector(VectorOperand::General(g)) => {
                    let simple = g.region == Region::dst(1) && (g.row, g.col) == (0, 0) && lanes > 1;
                    simple.then(|| kernel.var(var).map_or(4, |v| v.ty.bytes() as usize))
                }
                _ => (lanes > 1).then_some(4),
            };
            match size.filter(|_| !exec.is_no_mask()) {
                Some(size) => {
                    let end = if matches!(operand, Operand::Raw(_)) { bytes } else { start + size * lanes };
                    for at in start..end.min(bytes) {
                        give(at, Owner::Lane((first + (at - start) / size % lanes) as u32));
                    }
                }
                None => (start..bytes).for_each(|at| give(at, Owner::All)),
            }
        }
    }
    owners
}

/// A variable with a place before an instruction, wherever code of that begins.
struct Claim {
    id: VarId,
    variable: Watch,
    places: Vec<Watch>,
}

/// What debug information says of a kernel.
fn claims(kernel: &visa::Kernel, binary: &Binary, counts: &mut Counts) -> Vec<Claim> {
    let routine = dbg::read(&binary.debug_info).expect("a file").remove(0);
    let grf = u32::from(binary.info.platform.caps().regs.grf_bytes);
    let mut starts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let (_, begins) = routine.insts.split_last().expect("an end");
    for &(number, at) in begins {
        starts.entry(number).or_default().push(at + routine.start);
    }
    let mut claims = Vec::new();
    for (i, var) in kernel.vars.iter().enumerate() {
        let id = VarId::from_declared(i);
        let (_, places) = &routine.variables[i];
        assert_eq!(routine.variables[i].0, format!("V{}", id.index()));
        counts.variables += usize::from(var.alias.is_none());
        counts.placed += usize::from(var.alias.is_none() && !places.is_empty());
        let mut behind = 0;
        for place in places {
            assert!(place.range.0 >= behind && place.range.1 >= place.range.0, "in order: {places:?}");
            behind = place.range.1 + 1;
            assert_eq!(place.files, (2, 2));
            let at = u32::from(place.at.0) * grf + u32::from(place.at.1);
            for (&number, offsets) in starts.range(place.range.0..=place.range.1) {
                let watch = |offset: &u32| Watch { at: *offset, of: Watched::Registers(at, var.bytes()) };
                counts.pairs += 1;
                claims.push(Claim {
                    id,
                    variable: Watch { at: number, of: Watched::Variable(id) },
                    places: offsets.iter().map(watch).collect(),
                });
            }
        }
    }
    claims
}

/// What a watch saw of each thread.
type Sights<'a> = BTreeMap<Watch, BTreeMap<([u32; 3], u32), Vec<&'a Seen>>>;

fn sights(report: &RunReport) -> Sights<'_> {
    let mut all = Sights::new();
    for seen in &report.seen {
        all.entry(seen.watch).or_default().entry((seen.group, seen.thread)).or_default().push(seen);
    }
    all
}

fn watches(all: impl Iterator<Item = Watch>) -> Vec<Watch> {
    all.collect::<BTreeSet<Watch>>().into_iter().collect()
}

/// Holds what was seen against what was claimed. Returns the number of bytes compared.
fn compare(
    id: &str,
    kernel: &visa::Kernel,
    claims: &[Claim],
    interpreted: &RunReport,
    ours: &RunReport,
) -> u64 {
    let (wanted, found) = (sights(interpreted), sights(ours));
    let mut compared = 0;
    let mut owners_of = BTreeMap::new();
    for claim in claims {
        // Aliases are where their roots are.
        let is_root = kernel.resolve_alias(claim.id).0 == claim.id;
        let Some(wanted) = wanted.get(&claim.variable).filter(|_| is_root) else { continue };
        let owners = owners_of.entry(claim.id).or_insert_with(|| owners(kernel, claim.id));
        for place in &claim.places {
            for (thread, seen) in found.get(place).into_iter().flatten() {
                let Some(wanted) = wanted.get(thread) else { continue };
                for lane in 0..32 {
                    let on = |s: &&&Seen| s.active >> lane & 1 != 0;
                    let pairs = wanted.iter().filter(on).zip(seen.iter().filter(on));
                    for (round, (a, b)) in pairs.enumerate() {
                        for (at, owner) in owners.iter().enumerate() {
                            let own = *owner == Owner::Lane(lane) || *owner == Owner::All;
                            if !own || a.bytes[at].is_none() {
                                continue;
                            }
                            compared += 1;
                            assert!(
                                a.bytes[at] == b.bytes[at] || both_nan(a, b, at),
                                "{id}: V{} byte {at} before instruction {}, code at {:#x}, thread {thread:?} lane {lane} \
                                 time {round}: interpreter {:02x?}, place {place:?} {:02x?}",
                                claim.id.index(),
                                claim.variable.at,
                                place.at,
                                a.bytes[at],
                                b.bytes[at],
                            );
                        }
                    }
                }
            }
        }
    }
    compared
}

/// Which of several NaNs comes out is open.
fn both_nan(a: &Seen, b: &Seen, at: usize) -> bool {
    let nan = |s: &Seen, size: usize| {
        let start = at & !(size - 1);
        let bytes: Option<Vec<u8>> =
            s.bytes.get(start..start + size).map(|b| b.iter().map(|b| b.unwrap_or(0)).collect());
        bytes.is_some_and(|b| match size {
            2 => b[1] & 0x7c == 0x7c && u16::from_le_bytes([b[0], b[1]]) & 0x3ff != 0,
            4 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]).is_nan(),
            _ => f64::from_le_bytes(b.try_into().unwrap()).is_nan(),
        })
    };
    [2, 4, 8].iter().any(|size| nan(a, *size) && nan(b, *size))
}

fn finalizer(platform: Platform, level: Level) -> Finalizer {
    Finalizer::new(Options { debug_info: true, verify: true, ..Options::with_level(platform, level) })
}

fn looking(watches: Vec<Watch>, strict: bool) -> RunOptions {
    let options =
        RunOptions { max_instructions: LIMIT, trace_lines: LOOKS, watches, ..RunOptions::default() };
    RunOptions { strict, scoreboard: false, ..options }
}

/// Test kernels without functions of their own and without instructions that are only approximate.
fn kernels(platform: Platform, step: usize) -> Counts {
    let mut counts = Counts::default();
    for kernel in data::kernels(platform).iter().filter(|k| k.functions.is_empty()).step_by(step) {
        let Ok(module) = interpreted::module(platform, kernel) else { continue };
        // Addresses of functions are other ones in code.
        let open =
            |r: &visa::Record| r.opcode.is_math() || matches!(r.opcode, Opcode::Faddr | Opcode::Ifcall);
        if module.kernels[0].code.iter().any(open) {
            continue;
        }
        let Ok(binary) = finalizer(platform, Level::O2).finalize_kernel(&module, 0) else { continue };
        let without = Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).expect("code");
        assert_eq!(
            binary.code,
            without.code,
            "{platform} {}: debug information changes no code",
            kernel.id()
        );
        let claims = claims(&module.kernels[0], &binary, &mut counts);
        let Ok(setup) = Setup::new(kernel, 1) else { continue };
        let Ok(code) = setup.ours(&binary, None) else { continue };
        let mut launch = setup.launch.clone();
        launch.kernel.scratch = launch.kernel.scratch.max(1 << 16).max(binary.info.scratch_bytes);
        let options = looking(watches(claims.iter().map(|c| c.variable)), true);
        let mut memory = setup.memory.clone();
        let Ok(wanted) =
            emulator::visa::run_linked(platform, &module, 0, &setup.program, &launch, &mut memory, &options)
        else {
            continue;
        };
        let options = looking(watches(claims.iter().flat_map(|c| c.places.iter().copied())), false);
        let mut memory = setup.memory.clone();
        let Ok(found) = emulator::run(platform, &code, &launch, &mut memory, &options) else { continue };
        let id = format!("{platform} {}", kernel.id());
        counts.bytes += compare(&id, &module.kernels[0], &claims, &wanted, &found);
        counts.kernels += 1;
    }
    println!("{platform}: {counts:?}");
    counts
}

/// Programs with branches, gotos, calls, partial writes.
fn programs(platform: Platform, seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let program = visa_random::generate(visa_random::Settings::new(platform), seed);
        let module = finalizer::read_text(program.text().as_bytes(), platform).expect("text");
        if module.kernels[0].code.iter().any(|r| r.opcode.is_math()) {
            continue;
        }
        let level = if seed % 4 == 0 { Level::O0 } else { Level::O2 };
        let Ok(binary) = finalizer(platform, level).finalize_kernel(&module, 0) else { continue };
        let claims = claims(&module.kernels[0], &binary, &mut counts);
        let numbers = (0..1u32 << 14).flat_map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(7).to_le_bytes());
        let visa_random::Launch { launch, mut memory, .. } =
            visa_random::launch_of(&program, numbers.collect());
        let launch = RawLaunch { registers: binary.info.grf_count.into(), ..launch };
        let options = looking(watches(claims.iter().map(|c| c.variable)), true);
        let Ok(wanted) =
            emulator::visa::run_raw(platform, &module, 0, &launch, &mut memory.clone(), &options)
        else {
            continue;
        };
        let options = looking(watches(claims.iter().flat_map(|c| c.places.iter().copied())), false);
        let Ok(found) = emulator::run_raw(platform, &binary.code, &launch, &mut memory, &options) else {
            continue;
        };
        let id = format!("{platform} seed {seed}");
        counts.bytes += compare(&id, &module.kernels[0], &claims, &wanted, &found);
        counts.kernels += 1;
    }
    println!("{platform}: {counts:?}");
    counts
}

/// A product that is in an accumulator when it is added has no place: its register does not hold it.
#[test]
fn what_is_in_an_accumulator_has_no_place() {
    let text = r#"
.version 3.6
.kernel "k"
.decl V32 v_type=G type=f num_elts=16 align=GRF
.decl V33 v_type=G type=f num_elts=16 align=GRF
.decl V34 v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1 v_name=T6
.input V32 offset=64 size=64
.kernel_attr Target="cm"
    mul (M1, 16) V33(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>
    add (M1, 16) V34(0,0)<1> V33(0,0)<1;1,0> V32(0,0)<1;1,0>
    oword_st (4) T6 0x0:ud V34.0
    ret (M1, 1)
"#;
    for platform in Platform::ALL {
        let module = finalizer::read_text(text.as_bytes(), platform).expect("text");
        let has_place = |skip: PassSet| {
            let options = Options { debug_info: true, verify: true, skip, ..Options::new(platform) };
            let mut finalizer = Finalizer::new(options);
            let binary = finalizer.finalize_kernel(&module, 0).expect("code");
            let claims = claims(&module.kernels[0], &binary, &mut Counts::default());
            // The product is the second variable, and added by the second instruction.
            let product = Watch { at: 1, of: Watched::Variable(VarId::from_declared(1)) };
            claims.iter().any(|claim| claim.variable == product)
        };
        let without = PassSet::named("use-accumulators").expect("a pass");
        assert!(has_place(without), "{platform}");
        let accumulates = platform.caps().regs.float_accumulators.is_some();
        assert_eq!(has_place(PassSet::NONE), !accumulates, "{platform}");
    }
}

#[test]
fn places_hold_what_variables_have() {
    for platform in Platform::ALL {
        let counts = kernels(platform, 25);
        assert!(counts.kernels > 8 && counts.bytes > 100_000, "{platform}: {counts:?}");
        assert!(counts.placed * 3 > counts.variables, "{platform}: {counts:?}");
    }
}

#[test]
fn places_in_random_programs() {
    for platform in Platform::ALL {
        let counts = programs(platform, 0..20);
        assert!(counts.kernels > 5 && counts.bytes > 10_000, "{platform}: {counts:?}");
    }
}

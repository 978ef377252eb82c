//! A form's code beside the vISA interpreter, where it is not equal to Intel's code, or Intel has none.
//!
//! The form stands in the kernel that is compared with Intel's, behind which what the line has changed is stored: the
//! result, and what there is of shared local memory. Addresses, coordinates and surfaces lead into memory;
//! all else is random. Operations of the sampler that nobody models, and raw messages, are black boxes to both
//! ([`emulator::Options::opaque`]): their answer depends on everything that they are asked.

use emulator::{Image, Memory, Options as RunOptions, RawLaunch, RunReport, Sampler, Surface, Texel, Wrap};
use finalizer::{Finalizer, Options};
use messages::Sfid;
use platforms::Platform;

use super::forms::{END, MessageForm, PREDICATE, VARIABLES, program, simd};

/// Bytes behind a surface.
const BYTES: u32 = 1 << 18;
/// Texels along each side of one with a shape, of sixteen bytes each.
const SIDE: u32 = 64;
/// Index of the surface that results are stored to.
const RESULTS: usize = 9;
/// Bytes of a channel that is read back of shared local memory.
const READ_BACK: u32 = 64;

/// The kernel: the form's, and what it changed is stored.
fn text(form: &MessageForm, grf: u32) -> String {
    let plain = program(&form.line, grf);
    let bytes = VARIABLES[4].2 * grf;
    let body = plain.strip_suffix("ret (M1, 1)\n").unwrap_or(&plain);
    let mut text = body
        .replace(".kernel_attr", ".decl T8 v_type=T num_elts=1\n.kernel_attr")
        .replace("main:\n", &format!("main:\nmovs (M1_NM, 1) T8(0) {RESULTS:#x}:ud\n"));
    let mut to = 0;
    let mut store = |text: &mut String, name: &str, bytes: u32| {
        for at in (0..bytes).step_by(64) {
            *text += &format!("oword_st (4) T8 {:#x}:ud {name}.{at}\n", to / 16);
            to += 64;
        }
    };
    store(&mut text, "X", bytes);
    if form.line.contains("slm") {
        // Where the lanes' addresses led.
        text += "gather4_scaled.RGBA (M1_NM, 16) %slm 0x0:ud Y.0 X.0\n";
        store(&mut text, "X", 4 * READ_BACK);
    }
    text + "ret (M1, 1)\n"
}

/// What a form is run with.
struct ProofRun {
    launch: RawLaunch,
    memory: Memory,
}

fn random(seed: u64, at: u64) -> u32 {
    let x = (seed << 32 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 32) as u32
}

impl ProofRun {
    fn new(form: &MessageForm, grf: u32, seed: u64) -> ProofRun {
        let line = &form.line;
        let families =
            ["sample", "load", "lod", "avs", "resinfo", "media", "gather4_typed", "scatter4_typed", "typed"];
        let shaped = form.op.ends_with(" typed") || families.iter().any(|f| form.op.starts_with(f));
        let mut memory = Memory::new();
        let flat = Image::new_2d(SIDE, SIDE, 4, 4, Texel::Uint);
        let image = match coordinates(form) {
            1 => Image { dims: 1, height: 1, ..flat },
            3 => Image { dims: 3, depth: 4, ..flat },
            _ => flat,
        };
        let image = shaped.then_some(image);
        let content =
            |which: u64| (0..u64::from(BYTES / 4)).flat_map(move |i| random(which, i).to_le_bytes());
        let mut surfaces = Vec::new();
        for which in 0..3 {
            let buffer = memory.add_low(format!("surface {which}"), content(100 + which).collect());
            let base = memory.address(buffer);
            surfaces.push(Some(Surface { base, size: BYTES.into(), image: image.clone() }));
        }
        let base = surfaces[0].as_ref().map_or(0, |s| s.base);
        let results = memory.add_low("results", vec![0; 1 << 14]);
        let results = Surface { base: memory.address(results), size: 1 << 14, image: None };
        let table =
            (0..256).map(|i| if i == RESULTS { Some(results.clone()) } else { surfaces[i % 3].clone() });
        let sampler = |i: u32| {
            Some(Sampler {
                normalized: false,
                linear: false,
                wrap: if i & 1 == 0 { Wrap::Edge } else { Wrap::Repeat },
            })
        };
        let launch = RawLaunch {
            simd: simd(line),
            groups: [1; 3],
            threads: 1,
            payload: vec![payload(form, grf, seed, base, shaped)],
            surfaces: table.collect(),
            states: (0..1024).map(|i| surfaces[i % 3].clone()).collect(),
            samplers: (0..16).map(sampler).collect(),
            slm: 1 << 16,
            scratch: 1 << 16,
            ..RawLaunch::default()
        };
        ProofRun { launch, memory }
    }
}

/// Coordinates of a typed form: as many as it names without a gap.
fn coordinates(form: &MessageForm) -> usize {
    let line = &form.line;
    match form.op {
        "gather4_typed" | "scatter4_typed" | "typed_atomic" if line.contains("Y.0 V0.0") => 1,
        "gather4_typed" | "scatter4_typed" if line.contains("Y.64 Z.0") => 3,
        op if op.ends_with(" typed") => line.matches("r1,").count().max(line.matches("r2,").count()) + 1,
        _ => 2,
    }
}

/// Bytes of the registers from the first on.
fn payload(form: &MessageForm, grf: u32, seed: u64, base: u64, shaped: bool) -> Vec<u8> {
    let line = &form.line;
    let has = |words: &[&str]| words.iter().any(|w| line.contains(w));
    let mut bytes: Vec<u8> =
        (0..u64::from(END * grf / 4)).flat_map(|i| random(seed, i).to_le_bytes()).collect();
    let mut set = |name: usize, dword: u32, value: u32| {
        let at = (VARIABLES[name].1 * grf + 4 * dword) as usize;
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    };
    for (dword, value) in scalars(form, seed, base) {
        set(0, dword, value);
    }
    // Lanes' addresses, apart from each other and in no order; or coordinates.
    let flat = has(&["flat[Y]:a32", " T1 ", " T2 ", "%scratch"]) && !has(&["slm"]);
    let scale = if has(&["4*Y"]) { 4 } else { 1 };
    for lane in 0..32 {
        // The inputs, where arguments are, are less than the surfaces.
        let (first, step) = if has(&["arg["]) { (0x40, 0x40) } else { (0x1000, 0x100) };
        let offset = first + (lane * 11 % 32) * step;
        if shaped {
            for name in 1..4 {
                for group in 0..4 {
                    let value = random(seed ^ 77, u64::from(name as u32 * 200 + group * 32 + lane)) % SIDE;
                    set(name, group * 32 + lane, value);
                }
            }
        } else if has(&["Yq"]) {
            let address = (base + u64::from(offset)) / scale;
            set(1, 2 * lane, address as u32);
            set(1, 2 * lane + 1, (address >> 32) as u32);
        } else if has(&[":a16"]) {
            let other = 0x1000 + ((lane * 2 + 1) * 11 % 32) * 0x100;
            set(1, lane / 2, if lane & 1 == 0 { offset | other << 16 } else { continue });
        } else {
            // `gather` and `scatter` count elements.
            let elements = [(".1 (", 1), (".2 (", 2), (".4 (", 4)];
            let size = elements.into_iter().find(|e| matches!(form.op, "gather" | "scatter") && has(&[e.0]));
            set(1, lane, offset + if flat { base as u32 / size.map_or(1, |e| e.1) } else { 0 });
        }
    }
    bytes.split_off(grf as usize)
}

/// What stands in dwords of the first variable: indices of surface and sampler, states of surfaces and samplers, an offset,
/// texel offsets, a descriptor, an address; and the predicate.
fn scalars(form: &MessageForm, seed: u64, base: u64) -> Vec<(u32, u32)> {
    let has = |words: &[&str]| words.iter().any(|w| form.line.contains(w));
    let second = if has(&["bss(D", "ss(D"]) {
        0x3000
    } else if has(&["bti(D"]) {
        0x23
    } else {
        3
    };
    let mut all = vec![(0, 0x21), (1, second), (2, 0x2000), (3, 0x80), (4, 4), (6, 0x123), (7, 0x4c)];
    if has(&["Df(0,4)"]) && has(&["gather", "scatter"]) {
        all.push((4, 64.5f32.to_bits()));
    }
    if form.op.starts_with("raw_send") {
        all.push((6, 0x0210_6e03));
    }
    all.push((PREDICATE, random(seed, 1 << 40)));
    if has(&["Dq(0,1)"]) && has(&["svm_block"]) {
        all.extend([(2, base as u32 + 0x140), (3, (base >> 32) as u32)]);
    }
    if has(&["svm_gather4scaled", "svm_scatter4scaled"]) && has(&["Dq(0,1)"]) {
        all.extend([(2, 0x40), (3, 0)]);
    }
    all
}

fn finding(report: &RunReport) -> Option<String> {
    report.reports.iter().find(|r| r.fault.is_error()).map(ToString::to_string)
}

/// Proves a form: nothing if our code leaves what the interpreter leaves.
///
/// # Errors
///
/// What differs, or why there is nothing to compare.
pub fn prove(platform: Platform, form: &MessageForm) -> Result<(), String> {
    prove_as(platform, form, form)
}

/// Holds the code of one form to what the interpreter says of another: to see that the proof can fail.
///
/// # Errors
///
/// As of [`prove`].
pub fn prove_as(platform: Platform, form: &MessageForm, code: &MessageForm) -> Result<(), String> {
    (1..=2).try_for_each(|seed| prove_with(platform, form, code, seed))
}

fn prove_with(platform: Platform, form: &MessageForm, code: &MessageForm, seed: u64) -> Result<(), String> {
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let first = |e: finalizer::Refusal| e.0.first().map_or(String::new(), ToString::to_string);
    let read = |form| finalizer::read_text(text(form, grf).as_bytes(), platform).map_err(first);
    let module = read(form)?;
    let binary = Finalizer::new(Options::new(platform)).finalize_kernel(&read(code)?, 0).map_err(first)?;
    let ProofRun { launch, memory } = ProofRun::new(form, grf, seed);
    // A raw message is what its instruction says, whatever the function makes of it.
    let opaque = match form.op {
        op if op.starts_with("raw_send") => vec![Sfid::Sampler, Sfid::Dc1],
        "lsc_read_state_info" => vec![Sfid::Tgm],
        "rt_write_3d" => vec![Sfid::Render],
        "nbarrier" => vec![Sfid::Gateway],
        _ => vec![Sfid::Sampler],
    };
    let options = RunOptions { max_instructions: 100_000, opaque, ..RunOptions::default() };
    let (mut wanted, mut found) = (memory.clone(), memory);
    let said = emulator::visa::run_raw(platform, &module, 0, &launch, &mut wanted, &options)
        .map_err(|e| format!("interpreter: {e}"))?;
    if let Some(report) = finding(&said) {
        return Err(format!("interpreter: {report}"));
    }
    let done = emulator::run_raw(platform, &binary.code, &launch, &mut found, &options)
        .map_err(|e| format!("our code: {e}"))?;
    if let Some(report) = finding(&done) {
        return Err(format!("our code: {report}"));
    }
    let sorted = |report: RunReport| {
        let mut asked = report.asked;
        asked.sort_unstable();
        asked
    };
    let (wanted_of, found_of) = (sorted(said), sorted(done));
    if wanted_of != found_of {
        let (a, b) = (wanted_of.len(), found_of.len());
        return Err(format!("other questions ({a} and {b}) to what is not modelled"));
    }
    for ((_, name, a), (_, _, b)) in wanted.buffers().zip(found.buffers()) {
        if let Some(at) = (0..a.len()).find(|i| a[*i] != b[*i]) {
            let near = at & !3..(at & !3) + 4;
            let (a, b) = (&a[near.clone()], &b[near]);
            return Err(format!("{name} at {at:#x}: interpreter {a:02x?}, our code {b:02x?}"));
        }
    }
    Ok(())
}

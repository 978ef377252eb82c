//! Passes tested one by one, by files of text: `tests/filetests/<pass>/<topic>.gen`, or `.visaasm` for lowering.
//! README.md there says how to add one.
//!
//! ```text
//! cargo test -p visa-finalizer --test filetests [legalize/split]
//! REWRITE=1 cargo test -p visa-finalizer --test filetests      writes what passes give, for review with git diff
//! ```

mod file;

use std::{collections::BTreeSet, env, fs, path::Path};

use file::{Case, File};
use finalizer::{Alone, Pass};
use libtest_mimic::{Arguments, Failed, Trial};
use platforms::Platform;
use similar::TextDiff;

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/filetests");
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|f| f.path().extension().is_some_and(|e| e == "gen" || e == "visaasm"));
    let trials = files.map(|f| {
        let name = f.path().strip_prefix(root).unwrap_or(f.path()).display().to_string();
        Trial::test(name, move || one(f.path()))
    });
    let complete = Trial::test("every pass has its cases", move || every_pass_has_cases(Path::new(root)));
    let lowered = Trial::test("every instruction has a case of lowering", move || {
        every_opcode_is_lowered(Path::new(root))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.chain([complete, lowered]).collect()).exit();
}

/// What a platform has of vISA's instructions stands in a case of lowering: what it becomes can be read there.
fn every_opcode_is_lowered(root: &Path) -> Result<(), Failed> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir(root.join("lower"))? {
        for case in File::read(&fs::read_to_string(file?.path())?)?.cases {
            let text = whole_kernel(&case.input, !case.input.contains("ret (M1, "));
            for platform in case.platforms {
                let Ok(module) = finalizer::read_text(text.as_bytes(), platform) else { continue };
                let routines = module.kernels.iter().chain(&module.functions);
                found.extend(routines.flat_map(|k| &k.code).map(|record| record.opcode));
            }
        }
    }
    // Places in the source are no instructions.
    let exists = |row: &&visa::table::Row| Platform::ALL.iter().any(|p| row.is_on(p.caps()));
    let missing: BTreeSet<_> = visa::table::rows()
        .filter(|row| exists(row) && !found.contains(&row.opcode))
        .map(|row| row.opcode.name())
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no case of lowering: {missing:?}").into()) }
}

fn every_pass_has_cases(root: &Path) -> Result<(), Failed> {
    let without: Vec<_> =
        finalizer::PASSES.iter().map(|p| p.name).filter(|name| !root.join(name).is_dir()).collect();
    if without.is_empty() { Ok(()) } else { Err(format!("no file tests: {}", without.join(", ")).into()) }
}

/// One file: all its cases on all platforms.
fn one(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let mut file = File::read(&text)?;
    for case in &mut file.cases {
        case.gives = results(case)?;
    }
    let now = file.to_string();
    if now == text {
        return Ok(());
    }
    if env::var_os("REWRITE").is_some() {
        fs::write(path, now)?;
        return Ok(());
    }
    let difference = TextDiff::from_lines(&text, &now).unified_diff().context_radius(6).to_string();
    Err(format!("- expected, + is now (REWRITE=1 writes it):\n{difference}").into())
}

/// What a case gives, platforms with equal results together. A platform that is like another one, and gives the same, is
/// left out unless the case names it.
fn results(case: &Case) -> Result<Vec<(Vec<Platform>, String)>, Failed> {
    let mut all: Vec<(Vec<Platform>, String)> = Vec::new();
    for &platform in &case.platforms {
        let text = result(case, platform)?;
        let like = platform.with_kernels();
        if !case.named
            && like != platform
            && all.iter().any(|(platforms, t)| platforms.contains(&like) && *t == text)
        {
            continue;
        }
        match all.iter_mut().find(|(_, t)| *t == text) {
            Some((platforms, _)) => platforms.push(platform),
            None => all.push((vec![platform], text)),
        }
    }
    Ok(all)
}

/// What stands at the end of a case that does not end itself.
const END: &str = "    (W) send.ts (8|M0) _ r127.0<8;8,1>:ud 0x0 0x2000010 {EOT} wr:1+0 rd:0\n";

fn result(case: &Case, platform: Platform) -> Result<String, Failed> {
    let passes = case.passes.iter().map(|p| Pass::named(p).ok_or_else(|| format!("no pass `{p}`")));
    let passes: Vec<&Pass> = passes.collect::<Result<_, _>>()?;
    let visa = ["check", "lower"].contains(&&*case.passes[0]);
    let last = case.input.lines().last().unwrap_or_default().trim_start();
    // Passes over whole binaries take code as it stands.
    let whole = ["encode", "join"].contains(&&*case.passes[0]);
    let ends = !whole
        && !last.starts_with("ret")
        && !last.starts_with("fret")
        && (visa || !case.input.contains("EOT"));
    let input = if visa { whole_kernel(&case.input, ends) } else { with_block(&case.input, ends) };
    let run = || {
        let mut kernel = Alone::new(passes[0], &input, platform)?;
        let before = if visa { String::new() } else { kernel.to_string() };
        kernel.options().kernel_id = case.kernel_id;
        kernel.options().start_breakpoint = case.start_breakpoint;
        kernel.options().strict = case.strict;
        kernel.options().level = case.level;
        passes.iter().try_for_each(|pass| kernel.run(pass))?;
        Ok((before, kernel.to_string()))
    };
    match run() {
        Ok((before, text)) => Ok(shown(&before, &text, visa, ends)),
        Err(finalizer::Refusal(faults)) => {
            Ok(faults.iter().map(|f| format!("    refused: {}\n", f.message)).collect())
        }
    }
}

/// Instructions alone stand in a block.
fn with_block(input: &str, ends: bool) -> String {
    let mut text = String::new();
    let mut open = false;
    for line in input.lines() {
        let declares = line.starts_with("kernel ") || line.starts_with('V') && line.contains(':');
        if !open && !declares && !line.starts_with("B0:") {
            text.push_str("B0:\n");
        }
        open |= !declares;
        text.push_str(line);
        text.push('\n');
    }
    if ends {
        text.push_str(END);
    }
    text
}

/// vISA instructions with their declarations become a kernel, or a function where they say so.
fn whole_kernel(input: &str, ends: bool) -> String {
    let declares = |l: &&str| l.starts_with('.') && !l.starts_with(".function");
    let (declared, code): (Vec<&str>, Vec<&str>) = input.lines().partition(declares);
    let simd = if input.contains("SimdSize") { "" } else { ".kernel_attr SimdSize=8\n" };
    let end = if ends { "    ret (M1, 1)\n" } else { "" };
    let kernel = if input.contains(".global_function") { "" } else { ".kernel \"t\"\n" };
    let (declared, code) = (declared.join("\n"), code.join("\n"));
    format!(".version 4.1\n{kernel}{declared}\n{simd}.function \"main\"\nmain:\n{code}\n{end}")
}

/// The lines worth looking at: what the case has given, less what every kernel has, and variables that were not declared so
/// before.
fn shown(before: &str, text: &str, visa: bool, ends: bool) -> String {
    // The `ret` that the end of the thread came from is the last instruction of vISA.
    let origin = |line: &str| line.rsplit_once(" #").and_then(|(_, n)| n.parse::<u32>().ok());
    let last = text.lines().filter_map(origin).max();
    let mut code = Vec::new();
    for line in text.lines().skip(1).filter(|l| !l.starts_with('V')) {
        let inst = visa && line.starts_with(' ');
        let end = inst && (origin(line).is_none() || ends && origin(line) == last);
        if end || ends && !visa && line.contains("EOT") {
            continue;
        }
        code.push(if visa { line.rsplit_once(" #").map_or(line, |(line, _)| line) } else { line });
    }
    if code.first() == Some(&"B0:") && !code.iter().any(|l| l.starts_with("B1:")) {
        code.remove(0);
    }
    let code = code.join("\n");
    let mut out = String::new();
    for line in text.lines().filter(|l| l.starts_with('V')) {
        let name = line.split(':').next().unwrap_or_default();
        let used = code.contains(&format!("{name}("));
        if used && !before.lines().any(|l| l == line) {
            out += &format!("{line}\n");
        }
    }
    out + &code + if code.is_empty() { "" } else { "\n" }
}

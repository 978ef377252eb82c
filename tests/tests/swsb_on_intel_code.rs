//! The scoreboard pass on Intel's own code, without its annotations: the emulator finds no dependency
//! missing, and it takes about as many instructions.

use encoder::{CodeBuffer, CodeOptions};
use gen_ir::{Arf, Base, Kernel, Op, Physical, Target};
use platforms::Platform;
use std::time::Instant;
use tests::{
    blocks::{blocks, decoded, is_scoreboard},
    data,
    launches::Setup,
};

#[test]
fn the_pass_inserts_about_as_few_syncs_as_intel() {
    for platform in data::devices().into_iter().filter(|p| p.caps().scoreboard.software) {
        let (mut insts, mut theirs, mut ours, mut nanos) = (0, 0, 0, 0);
        for k in data::kernels(platform) {
            theirs += decoded(platform, &k.dat).iter().filter(|(_, i)| is_scoreboard(i)).count();
            let mut kernel = blocks(platform, &decoded(platform, &k.dat), true);
            insts += kernel.inst_count();
            let start = Instant::now();
            finalizer::swsb::swsb(&mut kernel);
            nanos += start.elapsed().as_nanos();
            ours += kernel.insts().filter(|(_, i)| is_scoreboard(i)).count();
        }
        println!(
            "{platform}: {insts} instructions, {theirs} syncs by Intel, {ours} by us, {} ns each",
            nanos / insts as u128
        );
        assert!(ours * 2 < theirs * 3, "{platform}: {ours} syncs, {theirs} by Intel");
    }
}

/// Jumps by registers or by `ip`: they know where instructions stood.
fn has_fixed_places(kernel: &Kernel<Physical>) -> bool {
    kernel.insts().any(|(_, i)| {
        let by_register =
            i.op.is_branch() && i.op != Op::Ret && i.targets().is_some_and(|t| t.0 == Target::None);
        let mut by_ip = false;
        i.for_each_reg(|_, r| by_ip |= r.base() == Base::Arf(Arf::Ip));
        by_register || by_ip
    })
}

fn runs_without_findings(platform: Platform) {
    let mut buffer = CodeBuffer::new();
    let options = emulator::Options { max_instructions: 1_000_000, ..emulator::Options::default() };
    let (mut ran, mut findings) = (0, Vec::new());
    for k in data::kernels(platform).iter().filter(|k| k.source.ends_with(".cl")) {
        let Ok(Setup { launch, memory, .. }) = Setup::new(k, 1) else { continue };
        let mut kernel = blocks(platform, &decoded(platform, &k.dat), true);
        if has_fixed_places(&kernel) {
            continue;
        }
        kernel.grf_count = platform.caps().regs.default_file().grfs;
        finalizer::swsb::swsb(&mut kernel);
        buffer.emit(&kernel, CodeOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", k.id()));
        let run = |code: &[u8]| {
            let mut memory = memory.clone();
            let report = emulator::run(platform, code, &launch, &mut memory, &options);
            (report.map(|r| r.reports.into_iter().next()), memory)
        };
        // What the emulator cannot run says nothing.
        let (Ok(None), expected) = run(&k.dat) else { continue };
        ran += 1;
        let (ours, after) = run(buffer.bytes());
        if !matches!(ours, Ok(None)) || !after.buffers().eq(expected.buffers()) {
            findings.push(format!("{}: {ours:?}", k.id()));
        }
    }
    println!("{platform}: {ran} kernels ran");
    assert!(
        findings.is_empty(),
        "{} with findings\n{}",
        findings.len(),
        findings[..findings.len().min(20)].join("\n")
    );
}

#[test]
fn the_emulator_misses_no_dependency() {
    let software = |p: &Platform| p.caps().scoreboard.software;
    let platforms: Vec<Platform> = data::devices().into_iter().filter(software).collect();
    assert!(platforms.contains(&Platform::Tgllp) && platforms.contains(&Platform::Pvc), "{platforms:?}");
    platforms.into_iter().for_each(runs_without_findings);
}

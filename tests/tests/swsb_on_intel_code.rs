//! The scoreboard pass on Intel's own code, without its annotations: the emulator finds no dependency
//! missing, and it takes about as many instructions.

use encoder::{CodeBuffer, CodeOptions, decode_all};
use gen_ir::{
    Arf, Base, Block, BlockId, Class, Inst, Kernel, Op, Options, Payload, Physical, Swsb, SyncFn, Target,
};
use platforms::Platform;
use std::time::Instant;
use tests::{data, launches};

/// Whether an instruction stands there for the scoreboard alone.
fn is_scoreboard(inst: &Inst<Physical>) -> bool {
    matches!(inst.payload, Payload::Sync(SyncFn::Nop | SyncFn::AllRd | SyncFn::AllWr))
}

/// Blocks and edges of some machine code. Every branch may go to each of its targets.
fn blocks(platform: Platform, code: &[u8]) -> Kernel<Physical> {
    let decoded: Vec<(u32, Inst<Physical>)> =
        decode_all(platform, code).map(|d| (d.offset, d.inst.expect("an instruction"))).collect();
    let targets = |at: u32, inst: &Inst<Physical>| -> Vec<u32> {
        let rel = |t| if let Target::Rel(d) = t { Some(at.wrapping_add(d as u32)) } else { None };
        let (jip, uip) = inst.targets().unwrap_or((Target::None, Target::None));
        [rel(jip), rel(uip)].into_iter().flatten().collect()
    };
    let mut leaders: Vec<u32> = vec![0];
    for (i, (at, inst)) in decoded.iter().enumerate() {
        leaders.extend(targets(*at, inst));
        if inst.op.info().class == Class::Branch
            && let Some((next, _)) = decoded.get(i + 1)
        {
            leaders.push(*next);
        }
    }
    leaders.sort_unstable();
    leaders.dedup();
    let block_of = |offset: u32| BlockId(leaders.partition_point(|l| *l <= offset) as u32 - 1);
    let mut kernel = Kernel::new("intel", platform);
    kernel.grf_count = 256;
    kernel.blocks = vec![Block::default(); leaders.len()];
    let mut entries = Vec::new();
    for (i, (at, inst)) in decoded.iter().enumerate() {
        let block = &mut kernel.blocks[block_of(*at).index()];
        let mut inst = *inst;
        inst.swsb = Swsb::NONE;
        inst.opts = inst.opts.without(Options::COMPACTED);
        if !is_scoreboard(&inst) {
            block.insts.push(inst);
        }
        let ends = decoded.get(i + 1).is_none_or(|(next, _)| block_of(*next) != block_of(*at));
        if !ends {
            continue;
        }
        let falls = !inst.is_eot() && inst.op != Op::Ret && decoded.len() > i + 1;
        let fall = falls.then(|| block_of(decoded[i + 1].0));
        let to: Vec<BlockId> = targets(*at, &inst).into_iter().map(block_of).collect();
        if let (Payload::Branch { jip, uip, .. }, Some(last)) = (&mut inst.payload, block.insts.last_mut()) {
            let place = |t: Target| match t {
                Target::Rel(d) => Target::Block(block_of(at.wrapping_add(d as u32))),
                other => other,
            };
            (*jip, *uip) = (place(*jip), place(*uip));
            *last = inst;
        }
        if inst.op == Op::Call {
            entries.extend(to.first().copied());
            block.succs = to.into_iter().chain(fall).collect();
        } else {
            block.succs = fall.into_iter().chain(to).collect();
        }
    }
    entries.sort_unstable();
    entries.dedup();
    kernel.subroutines = entries;
    kernel
}

#[test]
fn the_pass_inserts_about_as_few_syncs_as_intel() {
    for platform in [Platform::Tgllp, Platform::Pvc] {
        let (mut insts, mut theirs, mut ours, mut nanos) = (0, 0, 0, 0);
        for k in data::kernels(platform) {
            let has = decode_all(platform, &k.dat).filter(|d| d.inst.as_ref().is_ok_and(is_scoreboard));
            theirs += has.count();
            let mut kernel = blocks(platform, &k.dat);
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
        i.for_each_reg(|_, r| by_ip |= r.base == Base::Arf(Arf::Ip));
        by_register || by_ip
    })
}

fn runs_without_findings(platform: Platform) {
    let mut buffer = CodeBuffer::new();
    let options = emulator::Options { max_instructions: 1_000_000, ..emulator::Options::default() };
    let (mut ran, mut findings) = (0, Vec::new());
    for k in data::kernels(platform).iter().filter(|k| k.source.ends_with(".cl")) {
        let Ok((launch, memory)) = launches::launch(k, 1) else { continue };
        let mut kernel = blocks(platform, &k.dat);
        if has_fixed_places(&kernel) {
            continue;
        }
        kernel.grf_count = platform.caps().grf_count;
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
fn the_emulator_misses_no_dependency_on_tiger_lake() {
    runs_without_findings(Platform::Tgllp);
}

#[test]
fn the_emulator_misses_no_dependency_on_ponte_vecchio() {
    runs_without_findings(Platform::Pvc);
}

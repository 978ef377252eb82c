//! Blocks and edges of machine code.

use encoder::decode_all;
use gen_ir::{Block, BlockId, Class, Inst, Kernel, Op, Options, Payload, Physical, Swsb, SyncFn, Target};
use platforms::Platform;

/// Whether an instruction stands there for the scoreboard alone.
pub fn is_scoreboard(inst: &Inst<Physical>) -> bool {
    matches!(inst.payload, Payload::Sync(SyncFn::Nop | SyncFn::AllRd | SyncFn::AllWr))
}

/// Byte offset and instruction of code that all decodes.
pub fn decoded(platform: Platform, code: &[u8]) -> Vec<(u32, Inst<Physical>)> {
    decode_all(platform, code).map(|d| (d.offset, d.inst.expect("an instruction"))).collect()
}

/// Blocks and edges of some machine code. Every branch may go to each of its targets. `bare`: without
/// what is there for the scoreboard.
pub fn blocks(platform: Platform, decoded: &[(u32, Inst<Physical>)], bare: bool) -> Kernel<Physical> {
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
        if bare {
            inst.swsb = Swsb::NONE;
        }
        inst.opts = inst.opts.without(Options::COMPACTED);
        if !bare || !is_scoreboard(&inst) {
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

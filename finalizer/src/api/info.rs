//! What a runtime must know of a binary.

use gen_ir::{Kernel, Physical};
use narrow::{as_index, to_index, to_u16};
use visa::Module;

use crate::{FunctionInfo, InputInfo, InputKind, KernelInfo, Symbol, SymbolKind};

/// What a linker finds in the code.
pub(crate) fn symbols_of(info: &KernelInfo, end: u32) -> Vec<Symbol> {
    let size = info.functions.first().map_or(end, |f| f.offset);
    let kernel = Symbol { name: info.name.clone(), kind: SymbolKind::Kernel, offset: 0, size };
    let function = |f: &FunctionInfo| Symbol {
        name: f.name.clone(),
        kind: SymbolKind::Function,
        offset: f.offset,
        size: f.size,
    };
    std::iter::once(kernel).chain(info.functions.iter().map(function)).collect()
}

/// The functions behind a kernel, with the block that each starts at; `offsets` says where instructions start.
pub(crate) fn function_infos(
    module: &Module,
    entries: &[(u32, gen_ir::BlockId)],
    kernel: &Kernel<Physical>,
    offsets: &[u32],
    end: usize,
) -> Vec<FunctionInfo> {
    let (mut block, mut inst) = (0, 0);
    let one = |&(number, entry): &(u32, gen_ir::BlockId)| {
        while block < entry.index() {
            inst += kernel.blocks[block].insts.len();
            block += 1;
        }
        let name = module.functions[as_index(number)].name().into_owned();
        FunctionInfo { name, offset: offsets.get(inst).copied().unwrap_or(to_index(end)), size: 0 }
    };
    let mut infos: Vec<FunctionInfo> = entries.iter().map(one).collect();
    let mut next = to_index(end);
    for info in infos.iter_mut().rev() {
        info.size = next - info.offset;
        next = info.offset;
    }
    infos
}

/// `n` words in `bytes` bytes: the shortfall against 16 bytes each, in units of 8.
pub(crate) fn compacted(code: &[u8], n: usize) -> u32 {
    to_index((n * 16 - code.len()) / 8)
}

/// The inputs of a kernel with their places, as they are known before anything is finalized.
pub fn inputs_of(kernel: &visa::Kernel) -> Vec<InputInfo> {
    kernel.inputs.iter().map(|i| input(kernel, i)).collect()
}

pub(crate) fn info(
    source: &visa::Kernel,
    kernel: &Kernel<Physical>,
    allocation: &regalloc::AllocStats,
) -> KernelInfo {
    let inputs = inputs_of(source);
    let attr = |name| source.attr_int(name).and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
    KernelInfo {
        name: source.name().into_owned(),
        platform: kernel.platform,
        simd: match attr("SimdSize") {
            // The vector compiler's kernels are one channel, and do not say so.
            0 => 1,
            _ => kernel.simd,
        },
        grf_count: kernel.grf_count,
        grfs_used: to_u16(allocation.grfs_used),
        slm_bytes: attr("SLMSize") * 1024,
        barriers: 0,
        scratch_bytes: kernel.spill_offset + allocation.scratch_bytes,
        functions: Vec::new(),
        spill_bytes: allocation.scratch_bytes,
        inputs,
        skip_per_thread_load: 0,
        skip_cross_thread_load: 0,
    }
}

fn input(source: &visa::Kernel, input: &visa::Input) -> InputInfo {
    let declared = |list: &[visa::SimpleVar], at: Option<usize>| {
        at.and_then(|i| list.get(i)).map_or_else(String::new, |v| source.str(v.name).into_owned())
    };
    let (kind, name) = match input.var {
        visa::InputVar::General(v) => (InputKind::General, source.var_name(v).into_owned()),
        visa::InputVar::Sampler(s) => (InputKind::Sampler, declared(&source.samplers, Some(s.index()))),
        visa::InputVar::Surface(s) => (InputKind::Surface, declared(&source.surfaces, s.declared())),
    };
    InputInfo {
        name,
        kind,
        provenance: input.provenance,
        // The verifier has refused negative offsets.
        offset: u32::try_from(input.offset).unwrap_or_default(),
        size: u32::from(input.size),
    }
}

/// vISA instructions that do something: no labels, debug marks or lifetimes.
pub fn instructions(source: &visa::Kernel) -> u32 {
    use visa::Opcode::{File, Label, Lifetime, Loc, Subroutine};
    let does = |r: &&visa::Record| !matches!(r.opcode, Label | Subroutine | Lifetime | File | Loc);
    to_index(source.code.iter().filter(does).count())
}

pub(crate) fn has_barrier(source: &visa::Kernel) -> bool {
    use visa::Opcode::{Barrier, Nbarrier, Sbarrier};
    source.code.iter().any(|r| matches!(r.opcode, Barrier | Nbarrier | Sbarrier))
}

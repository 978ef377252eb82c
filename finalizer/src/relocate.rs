//! Symbols in the code: which dwords a linker fills in.

use gen_ir::{Kernel, Options, Physical};
use visa::StrId;

use crate::{Relocation, RelocationKind};

/// Byte of a 16-byte word where a dword immediate stands, on every platform.
const IMMEDIATE: u32 = 12;

/// A symbol named by an instruction, by the instruction's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    inst: u32,
    name: StrId,
    kind: RelocationKind,
}

/// Takes the marks off instructions whose immediate is a symbol's address, and adds what they name to
/// `symbols`.
pub(crate) fn take_symbols(source: &visa::Kernel, kernel: &mut Kernel<Physical>, symbols: &mut Vec<Symbol>) {
    let marks = [
        (Options::SYMBOL_LOW, RelocationKind::AddressLow),
        (Options::SYMBOL_HIGH, RelocationKind::AddressHigh),
    ];
    if !kernel.outside {
        return;
    }
    let insts = kernel.blocks.iter_mut().flat_map(|b| &mut b.insts);
    for (number, inst) in insts.enumerate() {
        for (mark, kind) in marks {
            if !inst.opts.has(mark) {
                continue;
            }
            inst.opts = inst.opts.without(mark);
            if let Ok(from) = source.try_inst(inst.origin as usize)
                && let visa::Op::Faddr { symbol, .. } | visa::Op::Fcall { function: symbol, .. } = from.op
            {
                symbols.push(Symbol { inst: number as u32, name: symbol, kind });
            }
        }
    }
}

/// Where a symbol of a routine is in the code, given where each instruction of the routine starts.
pub(crate) fn place(symbol: Symbol, source: &visa::Kernel, offsets: &[u32]) -> Relocation {
    Relocation {
        symbol: source.str(symbol.name).into_owned(),
        kind: symbol.kind,
        offset: offsets[symbol.inst as usize] + IMMEDIATE,
    }
}

//! Symbols in the code: which dwords a linker fills in.

use gen_ir::{Kernel, Options, Physical};

use crate::{Relocation, RelocationKind};

/// Byte of a 16-byte word where a dword immediate stands, on every platform.
const IMMEDIATE: u32 = 12;

/// A symbol named by an instruction, by the instruction's number.
pub(crate) struct Symbol {
    inst: usize,
    name: String,
    kind: RelocationKind,
}

impl Symbol {
    /// The same in code that starts `by` instructions later.
    pub(crate) fn moved(self, by: usize) -> Symbol {
        Symbol { inst: self.inst + by, ..self }
    }
}

/// Takes the marks off instructions whose immediate is a symbol's address.
pub(crate) fn take_symbols(source: &visa::Kernel, kernel: &mut Kernel<Physical>) -> Vec<Symbol> {
    let marks = [
        (Options::SYMBOL_LOW, RelocationKind::AddressLow),
        (Options::SYMBOL_HIGH, RelocationKind::AddressHigh),
    ];
    let mut symbols = Vec::new();
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
                symbols.push(Symbol { inst: number, name: source.str(symbol).into_owned(), kind });
            }
        }
    }
    symbols
}

/// Where the symbols are in the code, given where each instruction starts.
pub(crate) fn place(symbols: Vec<Symbol>, offsets: &[u32]) -> Vec<Relocation> {
    let one = |s: Symbol| Relocation { symbol: s.name, kind: s.kind, offset: offsets[s.inst] + IMMEDIATE };
    symbols.into_iter().map(one).collect()
}

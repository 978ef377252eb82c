//! Symbols in the code: which dwords a linker fills in.

use std::fmt;

use gen_ir::{Inst, Kernel, Options, Physical};
use narrow::{as_index, to_index};
use visa::StrId;

use crate::{Relocation, RelocationKind};

/// Byte of a 16-byte word where a dword immediate stands, on every platform.
const IMMEDIATE: u32 = 12;

/// What a runtime puts before the payload of a kernel: the pointer to implicit arguments and what it points to. Intel's
/// finalizer names it so (`CROSS_THREAD_OFF_R0_RELOCATION_NAME`), and adds it to each address that a prologue loads from
/// (`PrologEpilog.cpp`, `emitRelocAddInst`).
pub const PAYLOAD_OFFSET: &str = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

/// What a linker fills in: a symbol of the source, or else [`PAYLOAD_OFFSET`].
type Name = Option<StrId>;

/// A symbol named by an instruction, by the instruction's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolUse {
    inst: u32,
    name: Name,
    kind: RelocationKind,
}

impl SymbolUse {
    /// Says which instruction names which half of what address.
    pub(crate) fn describe(&self, source: &visa::Kernel, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.map_or_else(|| PAYLOAD_OFFSET.to_owned(), |name| source.str(name).into_owned());
        writeln!(f, "symbol: instruction {}, {:?} of {name}", self.inst, self.kind)
    }

    /// The symbol of the source; none for [`PAYLOAD_OFFSET`].
    pub(crate) fn name(&self) -> Name {
        self.name
    }
}

/// Takes the marks off instructions whose immediate is a symbol's address, and adds what they name to
/// `symbols`.
pub(crate) fn take_symbols(
    source: &visa::Kernel,
    kernel: &mut Kernel<Physical>,
    symbols: &mut Vec<SymbolUse>,
) {
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
            // No instruction stands for the prologue.
            let name = match inst.origin {
                Inst::<Physical>::NO_ORIGIN => None,
                origin => match source.try_inst(as_index(origin)).map(|from| from.op) {
                    Ok(visa::Op::Faddr { symbol, .. } | visa::Op::Fcall { function: symbol, .. }) => {
                        Some(symbol)
                    }
                    _ => continue,
                },
            };
            symbols.push(SymbolUse { inst: to_index(number), name, kind });
        }
    }
}

/// Where a symbol of a routine is in the code, given where each instruction of the routine starts.
pub(crate) fn place(symbol: SymbolUse, source: &visa::Kernel, offsets: &[u32]) -> Relocation {
    Relocation {
        symbol: symbol.name.map_or_else(|| PAYLOAD_OFFSET.to_owned(), |name| source.str(name).into_owned()),
        kind: symbol.kind,
        offset: offsets[as_index(symbol.inst)] + IMMEDIATE,
    }
}

//! From a [`Module`] to the bytes of an object.

mod body;
mod code;
mod out;

use narrow::{as_index, to_index};
use out::{Out, limit};

use crate::{
    error::{WriteError, WriteFault},
    model::*,
    read::MAGIC,
};

/// Writes an object of the module's version, or of version 4.1 if that of its text is newer. A module that was read gives
/// the bytes it was read from.
///
/// # Errors
///
/// A value that the version's format has no room for.
pub fn write(module: &Module) -> Result<Vec<u8>, WriteError> {
    let version = module.version.of_object();
    if version.major < 3 {
        let fault = WriteFault::Version { found: version };
        return Err(WriteError { kernel: None, field: "version", fault });
    }
    let encode = |k: &Kernel| {
        let in_kernel = |error| WriteError { kernel: Some(k.name().into_owned()), ..error };
        body::write(k, version).map_err(in_kernel)
    };
    let kernels = module.kernels.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
    let functions = module.functions.iter().map(encode).collect::<Result<Vec<_>, _>>()?;

    let mut plan = Plan::new(module);
    let mut out = Out::new();
    // Offsets do not change the header's size: write it once to learn that, and again when all are known.
    header(&mut out, module, &kernels, &functions, &plan)?;
    let default;
    let layout = if module.layout.is_empty() {
        default = default_layout(module);
        &default
    } else {
        &module.layout
    };
    in_step(module, layout)?;
    let mut at = out.bytes.len();
    for piece in layout {
        at += plan.place(piece, at, module, &kernels, &functions);
    }
    // Gen binaries that were added after reading stand at the end.
    let added = plan.unplaced(module);
    for piece in &added {
        at += plan.place(piece, at, module, &kernels, &functions);
    }
    if at > as_index(u32::MAX) {
        return Err(limit("object size", at, as_index(u32::MAX)));
    }
    out.bytes.clear();
    out.bytes.reserve(at);
    header(&mut out, module, &kernels, &functions, &plan)?;
    for piece in layout.iter().chain(&added) {
        match *piece {
            Piece::Kernel(i) => out.bytes.extend_from_slice(&kernels[as_index(i)].bytes),
            Piece::Function(i) => out.bytes.extend_from_slice(&functions[as_index(i)].bytes),
            Piece::GenBinary(k, b) => {
                out.bytes.extend_from_slice(&module.kernels[as_index(k)].gen_binaries[as_index(b)].code);
            }
            Piece::Gap(ref bytes) => out.bytes.extend_from_slice(bytes),
        }
    }
    Ok(out.bytes)
}

impl Module {
    /// Gives kernel `index` machine code for `platform` (the header's number), in place of code it may
    /// already have for it. Offsets follow when the module is written.
    ///
    /// # Errors
    ///
    /// There is no such kernel, or it has [`MAX_GEN_BINARIES`] for other platforms already.
    pub fn set_gen_binary(&mut self, index: usize, platform: u8, code: Vec<u8>) -> Result<(), WriteError> {
        let last = self.kernels.len().saturating_sub(1);
        let kernel = self.kernels.get_mut(index).ok_or_else(|| limit("kernel", index, last))?;
        if let Some(old) = kernel.gen_binaries.iter_mut().find(|b| b.platform == platform) {
            old.code = code;
            return Ok(());
        }
        if kernel.gen_binaries.len() >= MAX_GEN_BINARIES {
            let error = limit("number of Gen binaries", kernel.gen_binaries.len() + 1, MAX_GEN_BINARIES);
            return Err(WriteError { kernel: Some(kernel.name().into_owned()), ..error });
        }
        let binary = to_index(kernel.gen_binaries.len());
        kernel.gen_binaries.push(GenBinary { platform, code });
        if !self.layout.is_empty() {
            let of_kernel = |p: &Piece| match *p {
                Piece::Kernel(k) | Piece::GenBinary(k, _) => as_index(k) == index,
                _ => false,
            };
            let at = self.layout.iter().rposition(of_kernel).map_or(self.layout.len(), |i| i + 1);
            self.layout.insert(at, Piece::GenBinary(to_index(index), binary));
        }
        Ok(())
    }

    /// Drops all machine code for a platform number, or all if `platform` is `None`.
    pub fn remove_gen_binaries(&mut self, platform: Option<u8>) {
        let goes = |b: &GenBinary| platform.is_none_or(|p| b.platform == p);
        let mut map: Vec<Vec<Option<u32>>> = Vec::with_capacity(self.kernels.len());
        for kernel in &mut self.kernels {
            let mut kept = 0;
            map.push(
                kernel
                    .gen_binaries
                    .iter()
                    .map(|b| {
                        (!goes(b)).then(|| {
                            kept += 1;
                            kept - 1
                        })
                    })
                    .collect(),
            );
            kernel.gen_binaries.retain(|b| !goes(b));
        }
        self.layout.retain_mut(|piece| match piece {
            Piece::GenBinary(k, b) => {
                match map.get(as_index(*k)).and_then(|m| m.get(as_index(*b))).copied().flatten() {
                    Some(new) => {
                        *b = new;
                        true
                    }
                    None => false,
                }
            }
            _ => true,
        });
    }
}

/// Functions first, then kernels, each followed by its machine code.
fn default_layout(module: &Module) -> Vec<Piece> {
    let mut layout: Vec<Piece> = Vec::new();
    layout.extend((0..module.functions.len()).map(|i| Piece::Function(to_index(i))));
    for (k, kernel) in module.kernels.iter().enumerate() {
        layout.push(Piece::Kernel(to_index(k)));
        layout.extend((0..kernel.gen_binaries.len()).map(|b| Piece::GenBinary(to_index(k), to_index(b))));
    }
    layout
}

/// A layout names only what the module's lists hold.
fn in_step(module: &Module, layout: &[Piece]) -> Result<(), WriteError> {
    let inside = |field, index: u32, len: usize| {
        let fault = || limit(field, as_index(index), len.saturating_sub(1));
        if as_index(index) < len { Ok(()) } else { Err(fault()) }
    };
    layout.iter().try_for_each(|piece| match *piece {
        Piece::Kernel(k) => inside("kernel of the layout", k, module.kernels.len()),
        Piece::Function(f) => inside("function of the layout", f, module.functions.len()),
        Piece::GenBinary(k, b) => {
            inside("kernel of the layout", k, module.kernels.len())?;
            inside("Gen binary of the layout", b, module.kernels[as_index(k)].gen_binaries.len())
        }
        Piece::Gap(_) => Ok(()),
    })
}

/// Where each piece goes.
struct Plan {
    kernels: Vec<Option<u32>>,
    functions: Vec<Option<u32>>,
    binaries: Vec<Vec<Option<u32>>>,
}

impl Plan {
    fn new(module: &Module) -> Plan {
        Plan {
            kernels: vec![None; module.kernels.len()],
            functions: vec![None; module.functions.len()],
            binaries: module.kernels.iter().map(|k| vec![None; k.gen_binaries.len()]).collect(),
        }
    }

    /// Notes a piece's offset and returns its size.
    fn place(
        &mut self,
        piece: &Piece,
        at: usize,
        module: &Module,
        kernels: &[body::Body],
        functions: &[body::Body],
    ) -> usize {
        let at = Some(to_index(at));
        match *piece {
            Piece::Kernel(i) => {
                self.kernels[as_index(i)] = at;
                kernels[as_index(i)].bytes.len()
            }
            Piece::Function(i) => {
                self.functions[as_index(i)] = at;
                functions[as_index(i)].bytes.len()
            }
            Piece::GenBinary(k, b) => {
                self.binaries[as_index(k)][as_index(b)] = at;
                module.kernels[as_index(k)].gen_binaries[as_index(b)].code.len()
            }
            Piece::Gap(ref bytes) => bytes.len(),
        }
    }

    /// Pieces that the layout does not name.
    fn unplaced(&self, module: &Module) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (i, at) in self.functions.iter().enumerate() {
            if at.is_none() && !module.functions[i].quirks.no_body {
                pieces.push(Piece::Function(to_index(i)));
            }
        }
        for (k, at) in self.kernels.iter().enumerate() {
            if at.is_none() && !module.kernels[k].quirks.no_body {
                pieces.push(Piece::Kernel(to_index(k)));
            }
            for (b, at) in self.binaries[k].iter().enumerate() {
                if at.is_none() {
                    pieces.push(Piece::GenBinary(to_index(k), to_index(b)));
                }
            }
        }
        pieces
    }
}

fn header(
    out: &mut Out,
    module: &Module,
    kernels: &[body::Body],
    functions: &[body::Body],
    plan: &Plan,
) -> Result<(), WriteError> {
    let version = module.version.of_object();
    out.u32(MAGIC);
    out.u8(version.major);
    out.u8(version.minor);
    out.count16("number of kernels", module.kernels.len())?;
    for (k, kernel) in module.kernels.iter().enumerate() {
        out.name(version, &kernel.header_name)?;
        let size = kernels[k].bytes.len();
        let at = plan.kernels[k].filter(|_| size > 0).unwrap_or(kernel.quirks.empty_offset);
        out.u32(at);
        out.u32(to_index(size));
        out.u32(kernel.quirks.input_offset.unwrap_or(at + kernels[k].inputs_at));
        out.relocs(&kernel.variable_relocs)?;
        out.relocs(&kernel.function_relocs)?;
        out.count8("number of Gen binaries", kernel.gen_binaries.len())?;
        for (b, binary) in kernel.gen_binaries.iter().enumerate() {
            out.u8(binary.platform);
            out.u32(plan.binaries[k][b].unwrap_or(0));
            out.u32(to_index(binary.code.len()));
        }
    }
    out.count16("number of file-scope variables", module.file_vars.len())?;
    for var in &module.file_vars {
        out.u8(var.linkage.0);
        out.count16("name length", var.name.len())?;
        out.bytes.extend_from_slice(&var.name);
        out.u8(var.ty.raw() | var.align.raw() << 4);
        out.u16(var.num_elements);
        out.count8("attribute count", var.attrs.len())?;
        for (name, value) in &var.attrs {
            out.wide(version.at_least(3, 4), "attribute name", *name)?;
            out.count8("attribute size", value.len())?;
            out.bytes.extend_from_slice(value);
        }
    }
    out.count16("number of functions", module.functions.len())?;
    for (i, function) in module.functions.iter().enumerate() {
        out.u8(function.linkage.unwrap_or(Linkage::GLOBAL).0);
        out.name(version, &function.header_name)?;
        let size = functions[i].bytes.len();
        out.u32(plan.functions[i].filter(|_| size > 0).unwrap_or(function.quirks.empty_offset));
        out.u32(to_index(size));
        out.relocs(&function.variable_relocs)?;
        out.relocs(&function.function_relocs)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_is_older_than_3_0() {
        let module = Module { version: Version::new(2, 5), ..Module::default() };
        let error = write(&module).unwrap_err();
        assert_eq!(error.fault, WriteFault::Version { found: Version::new(2, 5) });
        assert_eq!(error.to_string(), "version: found 2.5, allowed: 3.0 to 4.1");
    }
}

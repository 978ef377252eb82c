//! Declarations of a kernel or function.

use narrow::to_index;

use super::{code, out::Out};
use crate::{error::WriteError, model::*};

/// An encoded body.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// Offset of the input table in it.
    pub(super) inputs_at: u32,
}

pub(super) fn write(kernel: &Kernel, version: Version) -> Result<Body, WriteError> {
    if kernel.quirks.no_body {
        return Ok(Body { bytes: Vec::new(), inputs_at: 0 });
    }
    let wide = version.at_least(3, 4);
    let mut out = Out::new();
    out.bytes.reserve(kernel.code.len() * 24 + kernel.vars.len() * 24);
    declarations(&mut out, wide, kernel)?;
    out.u8(0);
    let inputs_at = to_index(out.bytes.len());
    if !kernel.is_function {
        inputs(&mut out, version, kernel)?;
    }
    let size_at = out.bytes.len();
    out.u32(0);
    out.u32(0);
    if kernel.is_function {
        out.u8(kernel.input_size);
        out.u8(kernel.return_value_size);
    }
    out.u16(kernel.attrs.len);
    attributes(&mut out, wide, kernel, kernel.attrs)?;

    out.bytes.extend_from_slice(&kernel.quirks.before_code);
    let entry = out.bytes.len();
    match &kernel.quirks.opaque_code {
        Some(code) => out.bytes.extend_from_slice(code),
        None => code::write(&mut out, kernel, version)?,
    }
    if let Some((size, entry)) = kernel.quirks.stripped_code.filter(|_| kernel.code.is_empty()) {
        out.bytes[size_at..size_at + 4].copy_from_slice(&size.to_le_bytes());
        out.bytes[size_at + 4..size_at + 8].copy_from_slice(&entry.to_le_bytes());
        return Ok(Body { bytes: out.bytes, inputs_at });
    }
    let size = out.bytes.len() - entry;
    out.bytes[size_at..size_at + 4].copy_from_slice(&to_index(size).to_le_bytes());
    out.bytes[size_at + 4..size_at + 8].copy_from_slice(&to_index(entry).to_le_bytes());
    out.bytes.extend_from_slice(&kernel.quirks.after_code);
    Ok(Body { bytes: out.bytes, inputs_at })
}

/// Strings, variables, labels, samplers and surfaces.
fn declarations(out: &mut Out, wide: bool, kernel: &Kernel) -> Result<(), WriteError> {
    if wide {
        out.count32("number of strings", kernel.strings.len())?;
    } else {
        out.count16("number of strings", kernel.strings.len())?;
    }
    for s in kernel.strings.iter() {
        out.bytes.extend_from_slice(s);
        out.u8(0);
    }
    out.wide(wide, "kernel name", kernel.name.0)?;
    if wide {
        out.count32("number of variables", kernel.vars.len())?;
    } else {
        out.count16("number of variables", kernel.vars.len())?;
    }
    for var in &kernel.vars {
        out.wide(wide, "variable name", var.name.0)?;
        out.u8(var.ty.raw() | var.align.raw() << 4);
        out.u16(var.num_elements);
        out.wide(wide, "alias index", var.alias.map_or(0, |a| a.base.0))?;
        out.u16(var.alias.map_or(0, |a| a.offset));
        out.u8(var.alias.is_some_and(|a| a.file_scope).into());
        attributes8(out, wide, kernel, var.attrs)?;
    }
    out.count16("number of address variables", kernel.addrs.len())?;
    simple_vars(out, wide, kernel, &kernel.addrs)?;
    out.count16("number of predicate variables", kernel.preds.len())?;
    simple_vars(out, wide, kernel, &kernel.preds)?;
    out.count16("number of labels", kernel.labels.len())?;
    for label in &kernel.labels {
        out.wide(wide, "label name", label.name.0)?;
        out.u8(label.kind.raw());
        attributes8(out, wide, kernel, label.attrs)?;
    }
    out.count8("number of samplers", kernel.samplers.len())?;
    simple_vars(out, wide, kernel, &kernel.samplers)?;
    out.count8("number of surfaces", kernel.surfaces.len())?;
    simple_vars(out, wide, kernel, &kernel.surfaces)?;
    Ok(())
}

fn attributes8(out: &mut Out, wide: bool, kernel: &Kernel, range: AttrRange) -> Result<(), WriteError> {
    out.count8("attribute count", range.len.into())?;
    attributes(out, wide, kernel, range)
}

fn attributes(out: &mut Out, wide: bool, kernel: &Kernel, range: AttrRange) -> Result<(), WriteError> {
    for (name, value) in kernel.attr_table.range(range) {
        out.wide(wide, "attribute name", name.0)?;
        out.count8("attribute size", value.len())?;
        out.bytes.extend_from_slice(value);
    }
    Ok(())
}

fn simple_vars(out: &mut Out, wide: bool, kernel: &Kernel, vars: &[SimpleVar]) -> Result<(), WriteError> {
    for var in vars {
        out.wide(wide, "variable name", var.name.0)?;
        out.u16(var.num_elements);
        attributes8(out, wide, kernel, var.attrs)?;
    }
    Ok(())
}

fn inputs(out: &mut Out, version: Version, kernel: &Kernel) -> Result<(), WriteError> {
    if version.at_least(3, 5) {
        out.count32("number of inputs", kernel.inputs.len())?;
    } else {
        out.count8("number of inputs", kernel.inputs.len())?;
    }
    for input in &kernel.inputs {
        let (class, index) = match input.var {
            InputVar::General(v) => (0, v.0),
            InputVar::Sampler(s) => (1, s.0.into()),
            InputVar::Surface(s) => (2, s.0.into()),
        };
        out.u8(class | input.provenance.0 << 3);
        out.wide(version.at_least(3, 4), "input variable", index)?;
        out.u16(input.offset.cast_unsigned());
        out.u16(input.size);
    }
    Ok(())
}

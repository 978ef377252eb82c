//! The body of a kernel or function: its declarations, its attributes, and where its code is.

use narrow::{as_index, low_u16, to_index, to_u64};

use super::{
    Extent, bit_properties, code,
    cursor::{Cursor, Read},
    damage,
};
use crate::{error::ErrorKind, ids::*, model::*, types::LabelKind};

/// How the code of a body is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeForm {
    /// As instructions.
    Decoded,
    /// As the bytes that it is.
    Bytes,
}

/// Fills `kernel` from the body at `extent`.
pub(super) fn read(
    bytes: &[u8],
    extent: &Extent,
    version: Version,
    form: CodeForm,
    kernel: &mut Kernel,
) -> Read<()> {
    let end = extent.start + extent.size;
    let wide = version.at_least(3, 4);
    let mut c = Cursor::new(bytes, extent.start..end);
    declarations(&mut c, extent, version, kernel)?;
    let size = as_index(c.u32("code size")?);
    let entry_at = c.pos();
    let entry = as_index(c.u32("code offset")?);
    if kernel.is_function {
        kernel.input_size = c.u8("argument size")?;
        kernel.return_value_size = c.u8("return value size")?;
    }
    let count = c.u16("number of kernel attributes")?;
    kernel.attrs = attributes(&mut c, wide, count, &mut kernel.attr_table)?;

    let (start, stop) =
        (extent.start.saturating_add(entry), extent.start.saturating_add(entry).saturating_add(size));
    if c.pos() == end && size > 0 && start >= end {
        kernel.quirks.stripped_code = Some((to_index(size), to_index(entry)));
        return Ok(());
    }
    if start < c.pos() || stop > end {
        let allowed = "code after the declarations and inside the body";
        let kind = ErrorKind::BadRange { start: to_u64(start), end: to_u64(stop), allowed };
        return Err(c.error_at(entry_at, "code offset and size", kind));
    }
    kernel.quirks.before_code.extend_from_slice(&bytes[c.pos()..start]);
    kernel.quirks.after_code.extend_from_slice(&bytes[stop..end]);
    if form == CodeForm::Bytes {
        kernel.quirks.opaque_code = Some(bytes[start..stop].to_vec());
        return Ok(());
    }
    let at_code = || Cursor::new(bytes, start..stop);
    code::read(&mut at_code(), version, kernel).or_else(|error| {
        kernel.quirks.no_surface_index = true;
        if code::read(&mut at_code(), version, kernel).is_ok() {
            return Ok(());
        }
        if damage::is_damaged(&mut at_code(), version) {
            return Err(at_code().error_at(start, "code", ErrorKind::OperandsMissing));
        }
        Err(error)
    })
}

/// Names, variables, labels, inputs.
fn declarations(c: &mut Cursor<'_>, extent: &Extent, version: Version, kernel: &mut Kernel) -> Read<()> {
    let wide = version.at_least(3, 4);
    strings(c, wide, kernel)?;
    kernel.name = StrId(c.wide(wide, "kernel name")?);
    let var_size = if wide { 15 } else { 11 };
    let count = c.wide(wide, "number of variables")?;
    let count = c.fits("number of variables", u64::from(count), var_size)?;
    kernel.vars.reserve_exact(count);
    for _ in 0..count {
        let var = general_var(c, wide, &mut kernel.attr_table)?;
        kernel.vars.push(var);
    }
    let count = c.u16("number of address variables")?.into();
    let attrs = &mut kernel.attr_table;
    simple_vars(c, wide, count, &mut kernel.addrs, attrs, "address variable")?;
    let count = c.u16("number of predicate variables")?.into();
    simple_vars(c, wide, count, &mut kernel.preds, attrs, "predicate variable")?;
    labels(c, wide, kernel)?;
    let count = c.u8("number of samplers")?.into();
    let attrs = &mut kernel.attr_table;
    simple_vars(c, wide, count, &mut kernel.samplers, attrs, "sampler variable")?;
    let count = c.u8("number of surfaces")?.into();
    simple_vars(c, wide, count, &mut kernel.surfaces, attrs, "surface variable")?;
    let vme = c.u8("number of VME variables")?;
    if vme != 0 {
        return Err(c.illegal(1, "number of VME variables", vme.into(), "0"));
    }
    if !kernel.is_function {
        if as_index(extent.input_offset) != c.pos() {
            kernel.quirks.input_offset = Some(extent.input_offset);
        }
        inputs(c, version, kernel)?;
    }
    Ok(())
}

fn strings(c: &mut Cursor<'_>, wide: bool, kernel: &mut Kernel) -> Read<()> {
    let count = c.wide(wide, "number of strings")?;
    let count = c.fits("number of strings", u64::from(count), 1)?;
    c.c_strs("string", count, &mut kernel.strings)
}

/// Attributes, of which most declarations have none.
#[inline]
fn attributes(c: &mut Cursor<'_>, wide: bool, count: u16, table: &mut AttrTable) -> Read<AttrRange> {
    if count == 0 { Ok(AttrRange::default()) } else { some_attributes(c, wide, count, table) }
}

fn some_attributes(c: &mut Cursor<'_>, wide: bool, count: u16, table: &mut AttrTable) -> Read<AttrRange> {
    let start = to_index(table.len());
    c.fits("number of attributes", u64::from(count), if wide { 5 } else { 3 })?;
    for _ in 0..count {
        let name = StrId(c.wide(wide, "attribute name")?);
        let size = usize::from(c.u8("attribute size")?);
        let value = c.take(size, "attribute value")?;
        table.push(name, value);
    }
    Ok(AttrRange { start, len: count })
}

fn general_var(c: &mut Cursor<'_>, wide: bool, table: &mut AttrTable) -> Read<GeneralVar> {
    let name = StrId(c.wide(wide, "variable name")?);
    let (ty, align) = bit_properties(c)?;
    let num_elements = c.u16("number of elements")?;
    let base = VarId(c.wide(wide, "alias index")?);
    let offset = c.u16("alias offset")?;
    let scope = c.u8("alias scope")?;
    if scope > 1 {
        return Err(c.illegal(1, "alias scope", scope.into(), "0 (local), 1 (file)"));
    }
    let alias = if base.is_null() && scope == 0 {
        if offset != 0 {
            return Err(c.illegal(3, "alias offset", offset.into(), "0 where the variable is no alias"));
        }
        None
    } else {
        Some(Alias { base, offset, file_scope: scope == 1 })
    };
    let count = c.u8("attribute count")?;
    let attrs = attributes(c, wide, count.into(), table)?;
    Ok(GeneralVar { name, ty, align, num_elements, alias, attrs })
}

fn simple_vars(
    c: &mut Cursor<'_>,
    wide: bool,
    count: u64,
    vars: &mut Vec<SimpleVar>,
    table: &mut AttrTable,
    field: &'static str,
) -> Read<()> {
    let count = c.fits(field, count, if wide { 7 } else { 5 })?;
    vars.reserve_exact(count);
    for _ in 0..count {
        let name = StrId(c.wide(wide, "variable name")?);
        let num_elements = c.u16("number of elements")?;
        let attr_count = c.u8("attribute count")?;
        let attrs = attributes(c, wide, attr_count.into(), table)?;
        vars.push(SimpleVar { name, num_elements, attrs });
    }
    Ok(())
}

fn labels(c: &mut Cursor<'_>, wide: bool, kernel: &mut Kernel) -> Read<()> {
    let count = c.u16("number of labels")?;
    let count = c.fits("number of labels", u64::from(count), if wide { 6 } else { 4 })?;
    kernel.labels.reserve_exact(count);
    for _ in 0..count {
        let name = StrId(c.wide(wide, "label name")?);
        let raw = c.u8("label kind")?;
        let kind =
            LabelKind::from_raw(raw).ok_or_else(|| c.illegal(1, "label kind", raw.into(), "0 to 4"))?;
        let attr_count = c.u8("attribute count")?;
        let attrs = attributes(c, wide, attr_count.into(), &mut kernel.attr_table)?;
        kernel.labels.push(Label { name, kind, attrs });
    }
    Ok(())
}

fn inputs(c: &mut Cursor<'_>, version: Version, kernel: &mut Kernel) -> Read<()> {
    let wide = version.at_least(3, 4);
    let count = if version.at_least(3, 5) {
        c.u32("number of inputs")?
    } else {
        u32::from(c.u8("number of inputs")?)
    };
    let count = c.fits("number of inputs", u64::from(count), if wide { 9 } else { 7 })?;
    kernel.inputs.reserve_exact(count);
    for _ in 0..count {
        let kind = c.u8("input kind")?;
        let kind_at = c.pos() - 1;
        let index = c.wide(wide, "input variable")?;
        let var = match kind & 7 {
            0 => InputVar::General(VarId(index)),
            1 if index <= 0xffff => InputVar::Sampler(SamplerId(low_u16(index))),
            2 if index <= 0xffff => InputVar::Surface(SurfaceId(low_u16(index))),
            _ => {
                let allowed = "0 (general), 1 (sampler), 2 (surface) in bits 0-2, state indices below 65536";
                let found = u64::from(kind);
                return Err(c.error_at(kind_at, "input kind", ErrorKind::IllegalValue { found, allowed }));
            }
        };
        let offset = (c.u16("input offset")?).cast_signed();
        let size = c.u16("input size")?;
        kernel.inputs.push(Input { var, provenance: Provenance(kind >> 3), offset, size });
    }
    Ok(())
}

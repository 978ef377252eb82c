//! From bytes to a [`Module`].
//!
//! Every count is checked against the bytes that are left before memory is set aside for it, and no two
//! bodies may share bytes, so memory stays in proportion to the input.

mod body;
mod code;
mod cursor;
mod damage;

use cursor::Cursor;

use crate::{
    error::{Error, ErrorKind, Errors},
    model::*,
    types::{Align, Type},
};

/// First four bytes of an object, "CISA".
pub const MAGIC: u32 = 0x4153_4943;

/// True if the bytes start like a vISA object.
pub fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Reads an object of version 3.0 to 4.1.
///
/// # Errors
///
/// All faults found, each with its byte offset; at most one per kernel.
pub fn read(bytes: &[u8]) -> Result<Module, Errors> {
    read_bodies(bytes, false)
}

/// Reads an object but leaves its code as bytes ([`Quirks::opaque_code`]): enough to list, add and remove
/// Gen binaries of an object whose code cannot be decoded.
///
/// # Errors
///
/// As [`read`], except for faults in code.
pub fn read_declarations(bytes: &[u8]) -> Result<Module, Errors> {
    read_bodies(bytes, true)
}

/// Reads one kernel of an object and all functions; the other kernels keep their name and have no body,
/// Gen binaries are passed over. Gives the module, and the kernel's number if there is one of that name.
///
/// # Errors
///
/// As [`read`], except for faults in what is passed over.
pub fn read_kernel(bytes: &[u8], name: &[u8]) -> Result<(Module, Option<usize>), Errors> {
    let mut c = Cursor::new(bytes, bytes.len());
    let (mut module, bodies) = header(&mut c)?;
    let wanted = module.kernels.iter().position(|k| k.header_name == name);
    let mut wanted_bodies: Vec<&Extent> = bodies
        .iter()
        .filter(|b| match b.piece {
            Piece::Kernel(i) => Some(i as usize) == wanted,
            Piece::Function(_) => true,
            _ => false,
        })
        .collect();
    wanted_bodies.sort_by_key(|b| (b.start, b.size));
    let mut faults = Vec::new();
    let mut free_from = c.pos;
    for body in wanted_bodies {
        let kernel = match body.piece {
            Piece::Function(i) => &mut module.functions[i as usize],
            Piece::Kernel(i) => &mut module.kernels[i as usize],
            _ => continue,
        };
        let end = body.start.saturating_add(body.size);
        if body.start < free_from || end > bytes.len() {
            let allowed = "a range after the header, inside the object, that nothing else uses";
            return Err(bad_range(body, kernel, end, allowed).into());
        }
        free_from = end;
        if let Err(mut error) = body::read(bytes, body, module.version, false, kernel) {
            error.kernel = Some(kernel.name().into_owned());
            faults.push(error);
        }
    }
    for (i, kernel) in module.kernels.iter_mut().enumerate() {
        kernel.quirks.no_body |= Some(i) != wanted;
        kernel.gen_binaries.clear();
    }
    if faults.is_empty() { Ok((module, wanted)) } else { Err(Errors(faults)) }
}

fn bad_range(body: &Extent, kernel: &Kernel, end: usize, allowed: &'static str) -> Error {
    Error {
        offset: body.field_at,
        kernel: Some(kernel.name().into_owned()),
        instruction: None,
        field: "offset and size",
        kind: ErrorKind::BadRange { start: body.start as u64, end: end as u64, allowed },
    }
}

fn read_bodies(bytes: &[u8], keep_code: bool) -> Result<Module, Errors> {
    let mut c = Cursor::new(bytes, bytes.len());
    let (mut module, bodies) = header(&mut c)?;
    module.layout = layout(bytes, c.pos, &mut module, &bodies)?;

    let mut faults = Vec::new();
    for body in &bodies {
        let kernel = match body.piece {
            Piece::Kernel(i) => &mut module.kernels[i as usize],
            Piece::Function(i) => &mut module.functions[i as usize],
            _ => continue,
        };
        if let Err(mut error) = body::read(bytes, body, module.version, keep_code, kernel) {
            error.kernel = Some(kernel.name().into_owned());
            faults.push(error);
        }
    }
    if faults.is_empty() { Ok(module) } else { Err(Errors(faults)) }
}

/// Where the header says a piece is.
struct Extent {
    piece: Piece,
    start: usize,
    size: usize,
    /// Position of the offset field in the header, for messages.
    field_at: usize,
    /// The header's `input_offset`.
    input_offset: u32,
}

fn header(c: &mut Cursor<'_>) -> Result<(Module, Vec<Extent>), Error> {
    let magic = c.u32("magic number")?;
    if magic != MAGIC {
        return Err(c.error_at(0, "magic number", ErrorKind::BadMagic { found: magic }));
    }
    let version = Version::new(c.u8("major version")?, c.u8("minor version")?);
    if !(version.major == 3 || version.major == 4 && version.minor <= 1) {
        let found = (version.major, version.minor);
        return Err(c.error_at(4, "version", ErrorKind::UnsupportedVersion { found }));
    }
    let mut extents = Vec::new();
    let count = c.u16("number of kernels")?;
    let count = c.fits("number of kernels", u64::from(count), 18)?;
    let mut kernels = Vec::with_capacity(count);
    for i in 0..count {
        kernels.push(kernel_info(c, version, i as u32, &mut extents)?);
    }
    let count = c.u16("number of file-scope variables")?;
    let count = c.fits("number of file-scope variables", u64::from(count), 6)?;
    let mut file_vars = Vec::with_capacity(count);
    for _ in 0..count {
        file_vars.push(file_var(c, version)?);
    }
    let count = c.u16("number of functions")?;
    let count = c.fits("number of functions", u64::from(count), 14)?;
    let mut functions = Vec::with_capacity(count);
    for i in 0..count {
        functions.push(function_info(c, version, i as u32, &mut extents)?);
    }
    Ok((
        Module { version, kernels, file_vars, functions, declared_functions: Vec::new(), layout: Vec::new() },
        extents,
    ))
}

fn name(c: &mut Cursor<'_>, version: Version) -> Result<Vec<u8>, Error> {
    let len = if version.at_least(3, 7) {
        usize::from(c.u16("name length")?)
    } else {
        usize::from(c.u8("name length")?)
    };
    Ok(c.take(len, "name")?.to_vec())
}

fn relocs(c: &mut Cursor<'_>, field: &'static str) -> Result<Vec<RelocSym>, Error> {
    let count = c.u16(field)?;
    let count = c.fits(field, u64::from(count), 4)?;
    (0..count).map(|_| Ok(RelocSym { symbolic: c.u16(field)?, resolved: c.u16(field)? })).collect()
}

fn kernel_info(
    c: &mut Cursor<'_>,
    version: Version,
    index: u32,
    extents: &mut Vec<Extent>,
) -> Result<Kernel, Error> {
    let header_name = name(c, version)?;
    let field_at = c.pos;
    let (start, size) = (c.u32("kernel offset")? as usize, c.u32("kernel size")? as usize);
    let input_offset = c.u32("input offset")?;
    let variable_relocs = relocs(c, "variable relocations")?;
    let function_relocs = relocs(c, "function relocations")?;
    let mut kernel = Kernel { header_name, variable_relocs, function_relocs, ..Kernel::default() };
    if size == 0 {
        kernel.quirks.no_body = true;
        kernel.quirks.empty_offset = start as u32;
        kernel.quirks.input_offset = Some(input_offset);
    } else {
        extents.push(Extent { piece: Piece::Kernel(index), start, size, field_at, input_offset });
    }
    let count = c.u8("number of Gen binaries")?;
    let count = c.fits("number of Gen binaries", u64::from(count), 9)?;
    for i in 0..count {
        let platform = c.u8("Gen platform")?;
        let field_at = c.pos;
        let (start, size) = (c.u32("Gen binary offset")? as usize, c.u32("Gen binary size")? as usize);
        kernel.gen_binaries.push(GenBinary { platform, code: Vec::new() });
        let piece = Piece::GenBinary(index, i as u32);
        extents.push(Extent { piece, start, size, field_at, input_offset: 0 });
    }
    Ok(kernel)
}

fn function_info(
    c: &mut Cursor<'_>,
    version: Version,
    index: u32,
    extents: &mut Vec<Extent>,
) -> Result<Kernel, Error> {
    let linkage = Some(Linkage(c.u8("linkage")?));
    let header_name = name(c, version)?;
    let field_at = c.pos;
    let (start, size) = (c.u32("function offset")? as usize, c.u32("function size")? as usize);
    let variable_relocs = relocs(c, "variable relocations")?;
    let function_relocs = relocs(c, "function relocations")?;
    let mut function = Kernel {
        header_name,
        is_function: true,
        linkage,
        variable_relocs,
        function_relocs,
        ..Kernel::default()
    };
    if size == 0 {
        function.quirks.no_body = true;
        function.quirks.empty_offset = start as u32;
    } else {
        extents.push(Extent { piece: Piece::Function(index), start, size, field_at, input_offset: 0 });
    }
    Ok(function)
}

fn file_var(c: &mut Cursor<'_>, version: Version) -> Result<FileVar, Error> {
    let linkage = Linkage(c.u8("linkage")?);
    let name = name(c, version)?;
    let (ty, align) = bit_properties(c)?;
    let num_elements = c.u16("number of elements")?;
    let count = c.u8("attribute count")?;
    let mut attrs = Vec::new();
    for _ in 0..count {
        let name = c.wide(version.at_least(3, 4), "attribute name")?;
        let size = usize::from(c.u8("attribute size")?);
        attrs.push((name, c.take(size, "attribute value")?.to_vec()));
    }
    Ok(FileVar { linkage, name, ty, align, num_elements, attrs })
}

/// Type in the low nibble, alignment in the high one.
fn bit_properties(c: &mut Cursor<'_>) -> Result<(Type, Align), Error> {
    let raw = c.u8("bit properties")?;
    let fault = |c: &Cursor<'_>, allowed| {
        Err(c.error_at(
            c.pos - 1,
            "bit properties",
            ErrorKind::IllegalValue { found: u64::from(raw), allowed },
        ))
    };
    match (Type::from_raw(raw & 15), Align::from_raw(raw >> 4)) {
        (Some(ty), Some(align)) => Ok((ty, align)),
        (None, _) => fault(c, "a type of 0 to 15 in bits 0-3"),
        (_, None) => fault(c, "an alignment of 0 to 9 in bits 4-7"),
    }
}

/// Orders the pieces, checks that they neither leave the object nor overlap, and fills Gen binaries.
fn layout(
    bytes: &[u8],
    header_end: usize,
    module: &mut Module,
    extents: &[Extent],
) -> Result<Vec<Piece>, Error> {
    let mut order: Vec<&Extent> = extents.iter().collect();
    order.sort_by_key(|e| (e.start, e.size));
    let mut pieces = Vec::with_capacity(order.len());
    let mut at = header_end;
    for extent in order {
        let end = extent.start.saturating_add(extent.size);
        let allowed = if end > bytes.len() {
            "a range inside the object"
        } else if extent.start < at {
            "a range after the header that no other kernel, function or Gen binary uses"
        } else {
            if extent.start > at {
                pieces.push(Piece::Gap(bytes[at..extent.start].to_vec()));
            }
            if let Piece::GenBinary(k, b) = extent.piece {
                module.kernels[k as usize].gen_binaries[b as usize].code = bytes[extent.start..end].to_vec();
            }
            pieces.push(extent.piece.clone());
            at = end;
            continue;
        };
        let kernel = match extent.piece {
            Piece::Kernel(i) | Piece::GenBinary(i, _) => &module.kernels[i as usize],
            Piece::Function(i) => &module.functions[i as usize],
            Piece::Gap(_) => continue,
        };
        return Err(bad_range(extent, kernel, end, allowed));
    }
    if at < bytes.len() {
        pieces.push(Piece::Gap(bytes[at..].to_vec()));
    }
    Ok(pieces)
}

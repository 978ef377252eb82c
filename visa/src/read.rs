//! From bytes to a [`Module`].
//!
//! Every count is checked against the bytes that are left before memory is set aside for it, and no two
//! bodies may share bytes, so memory stays in proportion to the input.

mod body;
mod code;
mod cursor;
mod damage;
mod extent;

use body::CodeForm;
use cursor::{Cursor, Read};
use extent::{Extent, Part, bit_properties};
use narrow::{as_index, to_index, to_u64};

use crate::{
    error::{Error, ErrorKind, Errors},
    model::*,
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
    let mut reader = Reader::default();
    reader.bodies(bytes, Depth { code: CodeForm::Decoded, pieces: true })?;
    Ok(reader.into_module())
}

/// Reads an object but leaves its code as bytes ([`Quirks::opaque_code`]): enough to list, add and remove
/// Gen binaries of an object whose code cannot be decoded.
///
/// # Errors
///
/// As [`read`], except for faults in code.
pub fn read_declarations(bytes: &[u8]) -> Result<Module, Errors> {
    let mut reader = Reader::default();
    reader.bodies(bytes, Depth { code: CodeForm::Bytes, pieces: true })?;
    Ok(reader.into_module())
}

/// Reads one kernel of an object and all functions; the other kernels keep their name and have no body,
/// Gen binaries are passed over. Gives the module, and the kernel's number if there is one of that name.
///
/// # Errors
///
/// As [`read`], except for faults in what is passed over.
pub fn read_kernel(bytes: &[u8], name: &[u8]) -> Result<(Module, Option<usize>), Errors> {
    let mut reader = Reader::default();
    let (_, wanted) = reader.kernel(bytes, name)?;
    Ok((reader.into_module(), wanted))
}

/// Reads objects one after the other in the same memory.
///
/// ```
/// # let object = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa"))?;
/// let mut reader = visa::Reader::default();
/// for _ in 0..2 {
///     let module = reader.program(&object)?;
///     assert_eq!(module.kernels[0].name(), "saxpy");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Reader {
    module: Module,
    /// Kernels and functions of earlier objects, for their memory. The last one is taken first, and is the
    /// one that was first in its object: so the same bodies meet the same memory again.
    spare: Vec<Kernel>,
    bodies: Vec<Extent>,
    /// Numbers of bodies, by where they start.
    order: Vec<u32>,
}

/// What is read.
#[derive(Clone, Copy)]
struct Depth {
    /// How code is kept.
    code: CodeForm,
    /// Gen binaries and the order of all pieces are kept, rather than only checked.
    pieces: bool,
}

impl Reader {
    /// Reads the kernels and functions of an object. Gen binaries and what nothing refers to are passed over.
    ///
    /// # Errors
    ///
    /// As [`read`].
    pub fn program(&mut self, bytes: &[u8]) -> Result<&Module, Errors> {
        self.bodies(bytes, Depth { code: CodeForm::Decoded, pieces: false })?;
        for kernel in &mut self.module.kernels {
            kernel.gen_binaries.clear();
        }
        Ok(&self.module)
    }

    /// Reads one kernel and all functions, as [`read_kernel`].
    ///
    /// # Errors
    ///
    /// As [`read`], except for faults in what is passed over.
    pub fn kernel(&mut self, bytes: &[u8], name: &[u8]) -> Result<(&Module, Option<usize>), Errors> {
        let c = self.begin(bytes)?;
        let Reader { module, bodies, order, .. } = self;
        let wanted = module.kernels.iter().position(|k| k.header_name == name);
        let is_wanted = |b: &Extent| match b.piece {
            Part::Kernel(i) => Some(as_index(i)) == wanted,
            Part::Function(_) => true,
            Part::GenBinary(..) => false,
        };
        order.retain(|&b| is_wanted(&bodies[as_index(b)]));
        let mut faults = Vec::new();
        let mut free_from = c.pos();
        for body in order.iter().map(|&b| &bodies[as_index(b)]) {
            let kernel = match body.piece {
                Part::Function(i) => &mut module.functions[as_index(i)],
                Part::Kernel(i) => &mut module.kernels[as_index(i)],
                Part::GenBinary(..) => continue,
            };
            let end = body.start.saturating_add(body.size);
            if body.start < free_from || end > bytes.len() {
                let allowed = "a range after the header, inside the object, that nothing else uses";
                return Err(bad_range(body, kernel, end, allowed).into());
            }
            free_from = end;
            faults.extend(body_fault(bytes, body, module.version, CodeForm::Decoded, kernel));
        }
        for (i, kernel) in module.kernels.iter_mut().enumerate() {
            kernel.quirks.no_body |= Some(i) != wanted;
            kernel.gen_binaries.clear();
        }
        if faults.is_empty() { Ok((&self.module, wanted)) } else { Err(Errors(faults)) }
    }

    /// The last module, with no more memory than it needs.
    fn into_module(self) -> Module {
        let mut module = self.module;
        module.kernels.iter_mut().chain(&mut module.functions).for_each(Kernel::shrink);
        module
    }

    fn bodies(&mut self, bytes: &[u8], depth: Depth) -> Result<(), Errors> {
        let c = self.begin(bytes)?;
        self.layout(bytes, c.pos(), depth.pieces)?;
        let Reader { module, bodies, .. } = self;
        let mut faults = Vec::new();
        for body in bodies {
            let kernel = match body.piece {
                Part::Kernel(i) => &mut module.kernels[as_index(i)],
                Part::Function(i) => &mut module.functions[as_index(i)],
                Part::GenBinary(..) => continue,
            };
            faults.extend(body_fault(bytes, body, module.version, depth.code, kernel));
        }
        if faults.is_empty() { Ok(()) } else { Err(Errors(faults)) }
    }

    /// Reads what stands in front of the bodies.
    fn begin<'a>(&mut self, bytes: &'a [u8]) -> Result<Cursor<'a>, Errors> {
        let mut c = Cursor::new(bytes, 0..bytes.len());
        if u32::try_from(bytes.len()).is_err() {
            let (found, allowed) = (to_u64(bytes.len()), "4 GiB, which offsets of 32 bits reach");
            let kind = ErrorKind::IllegalValue { found, allowed };
            return Err(c.error_at(0, "size of the object", kind).into());
        }
        self.header(&mut c)?;
        Ok(c)
    }

    /// Reads the header, and puts the bodies in order.
    fn header(&mut self, c: &mut Cursor<'_>) -> Read<()> {
        let Reader { module, spare, bodies, order } = self;
        let old = std::mem::take(module);
        let Module { mut kernels, mut functions, mut file_vars, mut layout, .. } = old;
        let old = kernels.drain(..).chain(functions.drain(..));
        spare.extend(old.rev().map(Kernel::emptied));
        file_vars.clear();
        layout.clear();
        bodies.clear();
        *module = Module { kernels, functions, file_vars, layout, ..Module::default() };

        let magic = c.u32("magic number")?;
        if magic != MAGIC {
            return Err(c.error_at(0, "magic number", ErrorKind::BadMagic { found: magic }));
        }
        let version = Version::new(c.u8("major version")?, c.u8("minor version")?);
        if !(version.major == 3 || version.major == 4 && version.minor <= 1) {
            let found = (version.major, version.minor);
            return Err(c.error_at(4, "version", ErrorKind::UnsupportedVersion { found }));
        }
        module.version = version;
        let count = c.u16("number of kernels")?;
        let count = c.fits("number of kernels", u64::from(count), 18)?;
        module.kernels.reserve_exact(count);
        for i in 0..count {
            module.kernels.push(spare.pop().unwrap_or_default());
            kernel_info(c, version, to_index(i), &mut module.kernels[i], bodies)?;
        }
        let count = c.u16("number of file-scope variables")?;
        let count = c.fits("number of file-scope variables", u64::from(count), 6)?;
        module.file_vars.reserve_exact(count);
        for _ in 0..count {
            module.file_vars.push(file_var(c, version)?);
        }
        let count = c.u16("number of functions")?;
        let count = c.fits("number of functions", u64::from(count), 14)?;
        module.functions.reserve_exact(count);
        for i in 0..count {
            module.functions.push(spare.pop().unwrap_or_default());
            function_info(c, version, to_index(i), &mut module.functions[i], bodies)?;
        }
        spare.reserve(module.kernels.len() + module.functions.len());
        order.clear();
        order.extend(0..to_index(bodies.len()));
        // Equal ones are told apart by their number.
        order.sort_unstable_by_key(|&b| (bodies[as_index(b)].start, bodies[as_index(b)].size, b));
        Ok(())
    }

    /// Checks that the pieces neither leave the object nor overlap. If they are to be kept, fills Gen
    /// binaries and the module's layout.
    fn layout(&mut self, bytes: &[u8], header_end: usize, keep: bool) -> Read<()> {
        let Reader { module, bodies, order, .. } = self;
        let pieces = &mut module.layout;
        let mut at = header_end;
        for body in order.iter().map(|&b| &bodies[as_index(b)]) {
            let end = body.start.saturating_add(body.size);
            let allowed = if end > bytes.len() {
                "a range inside the object"
            } else if body.start < at {
                "a range after the header that no other kernel, function or Gen binary uses"
            } else {
                if keep && body.start > at {
                    pieces.push(Piece::Gap(bytes[at..body.start].to_vec()));
                }
                if keep {
                    pieces.push(match body.piece {
                        Part::Kernel(k) => Piece::Kernel(k),
                        Part::Function(f) => Piece::Function(f),
                        Part::GenBinary(k, b) => {
                            let binary = &mut module.kernels[as_index(k)].gen_binaries[as_index(b)];
                            binary.code = bytes[body.start..end].to_vec();
                            Piece::GenBinary(k, b)
                        }
                    });
                }
                at = end;
                continue;
            };
            let kernel = match body.piece {
                Part::Kernel(i) | Part::GenBinary(i, _) => &module.kernels[as_index(i)],
                Part::Function(i) => &module.functions[as_index(i)],
            };
            return Err(bad_range(body, kernel, end, allowed));
        }
        if keep && at < bytes.len() {
            pieces.push(Piece::Gap(bytes[at..].to_vec()));
        }
        Ok(())
    }
}

fn bad_range(body: &Extent, kernel: &Kernel, end: usize, allowed: &'static str) -> Box<Error> {
    Box::new(Error {
        offset: body.field_at,
        kernel: Some(kernel.name().into_owned()),
        instruction: None,
        field: "offset and size",
        kind: ErrorKind::BadRange { start: to_u64(body.start), end: to_u64(end), allowed },
    })
}

fn name<'a>(c: &mut Cursor<'a>, version: Version) -> Read<&'a [u8]> {
    let len = if version.at_least(3, 7) {
        usize::from(c.u16("name length")?)
    } else {
        usize::from(c.u8("name length")?)
    };
    c.take(len, "name")
}

fn relocs(c: &mut Cursor<'_>, field: &'static str, list: &mut Vec<RelocSym>) -> Read<()> {
    let count = c.u16(field)?;
    let count = c.fits(field, u64::from(count), 4)?;
    list.reserve_exact(count);
    for _ in 0..count {
        list.push(RelocSym { symbolic: c.u16(field)?, resolved: c.u16(field)? });
    }
    Ok(())
}

fn kernel_info(
    c: &mut Cursor<'_>,
    version: Version,
    index: u32,
    kernel: &mut Kernel,
    bodies: &mut Vec<Extent>,
) -> Read<()> {
    kernel.header_name.extend_from_slice(name(c, version)?);
    let field_at = c.pos();
    let (start, size) = (as_index(c.u32("kernel offset")?), as_index(c.u32("kernel size")?));
    let input_offset = c.u32("input offset")?;
    relocs(c, "variable relocations", &mut kernel.variable_relocs)?;
    relocs(c, "function relocations", &mut kernel.function_relocs)?;
    if size == 0 {
        kernel.quirks.no_body = true;
        kernel.quirks.empty_offset = to_index(start);
        kernel.quirks.input_offset = Some(input_offset);
    } else {
        bodies.push(Extent { piece: Part::Kernel(index), start, size, field_at, input_offset });
    }
    let count = c.u8("number of Gen binaries")?;
    let count = c.fits("number of Gen binaries", u64::from(count), 9)?;
    for i in 0..count {
        let platform = c.u8("Gen platform")?;
        let field_at = c.pos();
        let (start, size) = (as_index(c.u32("Gen binary offset")?), as_index(c.u32("Gen binary size")?));
        kernel.gen_binaries.push(GenBinary { platform, code: Vec::new() });
        let piece = Part::GenBinary(index, to_index(i));
        bodies.push(Extent { piece, start, size, field_at, input_offset: 0 });
    }
    Ok(())
}

fn function_info(
    c: &mut Cursor<'_>,
    version: Version,
    index: u32,
    function: &mut Kernel,
    bodies: &mut Vec<Extent>,
) -> Read<()> {
    function.is_function = true;
    function.linkage = Some(Linkage(c.u8("linkage")?));
    function.header_name.extend_from_slice(name(c, version)?);
    let field_at = c.pos();
    let (start, size) = (as_index(c.u32("function offset")?), as_index(c.u32("function size")?));
    relocs(c, "variable relocations", &mut function.variable_relocs)?;
    relocs(c, "function relocations", &mut function.function_relocs)?;
    if size == 0 {
        function.quirks.no_body = true;
        function.quirks.empty_offset = to_index(start);
    } else {
        bodies.push(Extent { piece: Part::Function(index), start, size, field_at, input_offset: 0 });
    }
    Ok(())
}

fn file_var(c: &mut Cursor<'_>, version: Version) -> Read<FileVar> {
    let linkage = Linkage(c.u8("linkage")?);
    // Two bytes of length in every version, unlike names of kernels.
    let len = usize::from(c.u16("name length")?);
    let name = c.take(len, "name")?.to_vec();
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

/// Reads a body; what is wrong with it, with the kernel's name.
fn body_fault(
    bytes: &[u8],
    body: &Extent,
    version: Version,
    form: CodeForm,
    kernel: &mut Kernel,
) -> Option<Error> {
    let mut error = body::read(bytes, body, version, form, kernel).err()?;
    error.kernel = Some(kernel.name().into_owned());
    Some(*error)
}

//! The decoded object: kernels, functions, their declarations and code.
//!
//! Specification: "The Virtual ISA Object Format".

mod attributes;
mod declarations;

pub use attributes::*;
pub use declarations::*;

use narrow::as_index;
use std::borrow::Cow;

use crate::{
    ids::{LabelId, PredId, SamplerId, StrId, SurfaceId, VarId},
    inst::Record,
    operand::{Operand, RawOperand, VectorOperand},
    types::{Align, Type},
};

/// vISA version of an object, `major.minor`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Major number: 3 or 4.
    pub major: u8,
    /// Minor number.
    pub minor: u8,
}

impl Version {
    /// 3.6, what older runtimes load.
    pub const V3_6: Version = Version::new(3, 6);
    /// 4.1, the newest version of objects: today's compiler writes text of 4.2, and its reader of objects refuses that
    /// version (IGC, `ByteCodeReaderNG.cpp`).
    pub const V4_1: Version = Version::new(4, 1);

    /// A version.
    pub const fn new(major: u8, minor: u8) -> Version {
        Version { major, minor }
    }

    /// The version of an object that holds what text of this version says.
    #[must_use]
    pub fn of_object(self) -> Version {
        self.min(Version::V4_1)
    }

    /// True from `major.minor` on.
    pub const fn at_least(self, major: u8, minor: u8) -> bool {
        self.major > major || (self.major == major && self.minor >= minor)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Default for Version {
    /// What today's compiler writes.
    fn default() -> Version {
        Version::V4_1
    }
}

/// A vISA object.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// vISA version; it decides the layout of the object.
    pub version: Version,
    /// Kernels, in header order.
    pub kernels: Vec<Kernel>,
    /// File-scope variables (old objects).
    pub file_vars: Vec<FileVar>,
    /// Functions (callees of stack calls), in header order.
    pub functions: Vec<Kernel>,
    /// Functions that text names (`.funcdecl`) and other files hold. Objects do not record them.
    pub declared_functions: Vec<Vec<u8>>,
    /// Order of the pieces after the header. Empty: functions and kernels in header order, each kernel
    /// followed by its Gen binaries.
    pub layout: Vec<Piece>,
}

impl Module {
    /// Makes the module one of another version. What only its bytes had (padding, fields of old writers) is
    /// given up, since another version lays them out anew.
    pub fn set_version(&mut self, version: Version) {
        if version == self.version {
            return;
        }
        self.version = version;
        self.layout.clear();
        for kernel in self.kernels.iter_mut().chain(&mut self.functions) {
            let Quirks { no_body, stripped_code, .. } = kernel.quirks;
            kernel.quirks = Quirks { no_body, stripped_code, ..Quirks::default() };
        }
    }

    /// Takes over the functions of a module, its kernels left out.
    pub fn link_functions(&mut self, mut other: Module) {
        other.set_version(self.version);
        other.kernels.clear();
        self.link(other);
    }

    /// Takes over the kernels and functions of a module of the same version, as when a kernel's text and
    /// its functions' texts are in files of their own.
    pub fn link(&mut self, other: Module) {
        let found: std::collections::BTreeSet<_> = other.functions.iter().map(|f| &f.header_name).collect();
        self.declared_functions.retain(|name| !found.contains(name));
        self.declared_functions.extend(other.declared_functions);
        self.kernels.extend(other.kernels);
        self.functions.extend(other.functions);
        self.file_vars.extend(other.file_vars);
        self.layout.clear();
    }
}

/// A piece of an object after its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// The body of kernel `.0`.
    Kernel(u32),
    /// The body of function `.0`.
    Function(u32),
    /// Gen binary `.1` of kernel `.0`.
    GenBinary(u32, u32),
    /// Bytes that nothing in the header refers to.
    Gap(Vec<u8>),
}

/// Symbol linkage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linkage(pub u8);

impl Linkage {
    /// Defined elsewhere.
    pub const EXTERN: Linkage = Linkage(0);
    /// Local to the object.
    pub const STATIC: Linkage = Linkage(1);
    /// Visible to other objects.
    pub const GLOBAL: Linkage = Linkage(2);
}

/// A file-scope variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileVar {
    /// Linkage.
    pub linkage: Linkage,
    /// Name.
    pub name: Vec<u8>,
    /// Element type.
    pub ty: Type,
    /// Alignment.
    pub align: Align,
    /// Elements.
    pub num_elements: u16,
    /// Attributes: name index and value.
    pub attrs: Vec<(u32, Vec<u8>)>,
}

/// One line of a symbol relocation table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelocSym {
    /// Index used in the code.
    pub symbolic: u16,
    /// Index in the object's table.
    pub resolved: u16,
}

/// Machine code of a kernel for one platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenBinary {
    /// `gen_platform` of the header (3 BDW, 4 CHV, 5 SKL, 6 BXT, 10 ICLLP, 12 TGLLP, 15 PVC).
    pub platform: u8,
    /// The code.
    pub code: Vec<u8>,
}

/// Gen binaries that an object may be given per kernel. Drivers ship objects with more, which are kept.
pub const MAX_GEN_BINARIES: usize = 4;

/// A kernel or function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kernel {
    /// Name in the object's header.
    pub header_name: Vec<u8>,
    /// Function (target of stack calls) rather than kernel.
    pub is_function: bool,
    /// Linkage, of functions only.
    pub linkage: Option<Linkage>,
    /// Relocations of file-scope variables.
    pub variable_relocs: Vec<RelocSym>,
    /// Relocations of functions.
    pub function_relocs: Vec<RelocSym>,
    /// Machine code carried along (kernels only).
    pub gen_binaries: Vec<GenBinary>,

    /// String pool.
    pub strings: StringPool,
    /// Name in the string pool.
    pub name: StrId,
    /// Declared general variables; index with [`VarId::declared`].
    pub vars: Vec<GeneralVar>,
    /// Address variables; index with [`crate::AddrId`].
    pub addrs: Vec<SimpleVar>,
    /// Predicate variables; index with [`PredId::declared`].
    pub preds: Vec<SimpleVar>,
    /// Labels; index with [`LabelId`].
    pub labels: Vec<Label>,
    /// Sampler variables; index with [`SamplerId`].
    pub samplers: Vec<SimpleVar>,
    /// Declared surface variables; index with [`SurfaceId::declared`](crate::SurfaceId::declared).
    pub surfaces: Vec<SimpleVar>,
    /// Input variables (kernels only).
    pub inputs: Vec<Input>,
    /// Bytes of stack call arguments, in registers (functions only).
    pub input_size: u8,
    /// Bytes of the stack call return value, in registers (functions only).
    pub return_value_size: u8,
    /// Attributes of the kernel.
    pub attrs: AttrRange,
    /// All attributes, of the kernel and its variables.
    pub attr_table: AttrTable,

    /// Instructions.
    pub code: Vec<Record>,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,

    /// What [`Record::place`] counts.
    pub places: PlaceKind,
    /// What is needed besides to write the same bytes again.
    pub quirks: Quirks,
}

/// What the places of instructions count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlaceKind {
    /// Bytes from the start of an object.
    #[default]
    Offset,
    /// Lines of a text, from 1.
    Line,
}

/// Departures of an object's bytes from what the writer would choose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Quirks {
    /// Bytes between the declarations and the code.
    pub before_code: Vec<u8>,
    /// Bytes after the code.
    pub after_code: Vec<u8>,
    /// The code as bytes, if it was not decoded ([`crate::read::read_declarations`]).
    pub opaque_code: Option<Vec<u8>>,
    /// The header's `input_offset`, if it does not point to the inputs.
    pub input_offset: Option<u32>,
    /// The header's offset of an empty body.
    pub empty_offset: u32,
    /// LSC instructions have no surface index field, as compilers before the field existed wrote them
    /// (the version number does not tell).
    pub no_surface_index: bool,
    /// The kernel has no body at all (extern function).
    pub no_body: bool,
    /// The body ends with its declarations: whoever shipped the object took the code out of it. The size and
    /// offset that the body still states for the code.
    pub stripped_code: Option<(u32, u32)>,
    /// Operands whose type has bits above the number, which early compilers left there and readers ignore.
    pub type_bits: Vec<TypeBits>,
}

/// Bits of an operand's type that mean nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeBits {
    /// The operand, in [`Kernel::operands`].
    pub operand: u32,
    /// Bits 4 to 7 of the type.
    pub bits: u8,
}

/// A list without its elements, but with its memory.
fn emptied<T>(mut list: Vec<T>) -> Vec<T> {
    list.clear();
    list
}

impl Kernel {
    /// An empty kernel in the memory of this one.
    pub(crate) fn emptied(self) -> Kernel {
        Kernel {
            header_name: emptied(self.header_name),
            variable_relocs: emptied(self.variable_relocs),
            function_relocs: emptied(self.function_relocs),
            gen_binaries: emptied(self.gen_binaries),
            strings: self.strings.emptied(),
            vars: emptied(self.vars),
            addrs: emptied(self.addrs),
            preds: emptied(self.preds),
            labels: emptied(self.labels),
            samplers: emptied(self.samplers),
            surfaces: emptied(self.surfaces),
            inputs: emptied(self.inputs),
            attr_table: self.attr_table.emptied(),
            code: emptied(self.code),
            operands: emptied(self.operands),
            quirks: Quirks {
                before_code: emptied(self.quirks.before_code),
                after_code: emptied(self.quirks.after_code),
                ..Quirks::default()
            },
            ..Kernel::default()
        }
    }

    /// Some of its variables are views of file-scope ones.
    fn uses_file_vars(&self) -> bool {
        self.vars.iter().any(|v| v.alias.is_some_and(|a| a.file_scope))
    }

    /// The kernel with variables of its own in place of the file-scope ones that it has views of: in old objects
    /// those are what all of a thread's code shares, and a kernel is all of it unless it makes stack calls.
    /// What is not in `file_vars` stays, for the verifier to refuse.
    pub fn with_file_vars(&self, file_vars: &[FileVar]) -> Cow<'_, Kernel> {
        if file_vars.is_empty() || !self.uses_file_vars() {
            return Cow::Borrowed(self);
        }
        let mut kernel = self.clone();
        kernel.own_file_vars(file_vars);
        Cow::Owned(kernel)
    }

    fn own_file_vars(&mut self, file_vars: &[FileVar]) {
        let mut own: Vec<Option<VarId>> = vec![None; file_vars.len()];
        for i in 0..self.vars.len() {
            let Some(alias) = self.vars[i].alias.filter(|a| a.file_scope) else { continue };
            let symbol = alias.base.0;
            let reloc = self.variable_relocs.iter().find(|r| u32::from(r.symbolic) == symbol);
            let number = as_index(reloc.map_or(symbol, |r| r.resolved.into()));
            let Some(file_var) = file_vars.get(number) else { continue };
            let base = *own[number].get_or_insert_with(|| {
                let name = self.strings.push(&file_var.name);
                let FileVar { ty, align, num_elements, .. } = *file_var;
                self.vars.push(GeneralVar {
                    name,
                    ty,
                    align,
                    num_elements,
                    alias: None,
                    attrs: AttrRange { start: 0, len: 0 },
                });
                VarId::from_declared(self.vars.len() - 1)
            });
            self.vars[i].alias = Some(Alias { base, offset: alias.offset, file_scope: false });
        }
    }

    /// Gives back the memory of code beyond what it needs.
    pub(crate) fn shrink(&mut self) {
        self.code.shrink_to_fit();
        self.operands.shrink_to_fit();
    }

    /// A string of the pool as text; bytes that are not UTF-8 are replaced, a bad index is empty.
    pub fn str(&self, id: StrId) -> Cow<'_, str> {
        String::from_utf8_lossy(self.strings.get(id).unwrap_or_default())
    }

    /// The kernel's name.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.header_name)
    }

    /// The declared variable, `None` for a predefined one or a bad index.
    pub fn var(&self, id: VarId) -> Option<&GeneralVar> {
        self.vars.get(id.declared()?)
    }

    /// Element type of a variable, predefined ones included.
    pub fn var_type(&self, id: VarId) -> Option<Type> {
        match self.var(id) {
            Some(var) => Some(var.ty),
            None => crate::ids::PREDEFINED.get(id.index()).map(|row| row.ty),
        }
    }

    /// Bytes of an element of each lane in a payload that may be of words or of dwords: the type of its variable says which.
    pub fn payload_element_bytes(&self, raw: RawOperand) -> u32 {
        if self.var_type(raw.var).is_some_and(|ty| ty.bytes() == 2) { 2 } else { 4 }
    }

    /// Name of a variable in assembly.
    pub fn var_name(&self, id: VarId) -> Cow<'_, str> {
        match (self.var(id), crate::ids::PREDEFINED.get(id.index())) {
            (Some(var), _) => self.str(var.name),
            (None, Some(row)) => Cow::Borrowed(row.name),
            (None, None) => Cow::Owned(format!("V{}", id.0)),
        }
    }

    /// What messages call an input: a surface or sampler by its number, and by the name that it was declared with.
    pub fn input_name(&self, input: InputVar) -> Cow<'_, str> {
        let numbered = |number: String, declared: Option<&SimpleVar>| {
            let name = declared.map_or(Cow::Borrowed(""), |var| self.str(var.name));
            Cow::Owned(if name.is_empty() || name == number { number } else { format!("{number} ({name})") })
        };
        match input {
            InputVar::General(id) => self.var_name(id),
            InputVar::Sampler(id) => numbered(format!("S{}", id.0), self.sampler(id)),
            InputVar::Surface(id) => numbered(format!("T{}", id.0), self.surface(id)),
        }
    }

    /// A surface variable, unless it is predefined or not declared.
    pub fn surface(&self, id: SurfaceId) -> Option<&SimpleVar> {
        self.surfaces.get(id.declared()?)
    }

    /// A sampler variable, if it is declared.
    pub fn sampler(&self, id: SamplerId) -> Option<&SimpleVar> {
        self.samplers.get(id.index())
    }

    /// The variable that holds the bytes of `id` and the byte offset in it, through all aliases.
    /// Stops at a bad index and after as many steps as there are variables.
    pub fn resolve_alias(&self, id: VarId) -> (VarId, u32) {
        let (mut at, mut offset) = (id, 0u32);
        for _ in 0..=self.vars.len() {
            match self.var(at).and_then(|v| v.alias) {
                Some(alias) => {
                    at = alias.base;
                    offset += u32::from(alias.offset);
                }
                None => break,
            }
        }
        (at, offset)
    }

    /// Elements of a predicate variable.
    pub fn pred_elements(&self, id: PredId) -> Option<u16> {
        self.preds.get(id.declared()?).map(|p| p.num_elements)
    }

    /// A label's name.
    pub fn label_name(&self, id: LabelId) -> Cow<'_, str> {
        self.labels.get(id.index()).map_or(Cow::Borrowed(""), |l| self.str(l.name))
    }

    /// The value of a kernel attribute.
    pub fn attr(&self, name: &str) -> Option<&[u8]> {
        self.attr_in(self.attrs, name)
    }

    /// The value of an integer kernel attribute (sign-extended; an empty value is 1).
    pub fn attr_int(&self, name: &str) -> Option<i32> {
        self.attr(name).and_then(attr_value)
    }

    /// Whether the kernel says that a Cm compiler made it: its threads then start with every channel on.
    pub fn is_cm(&self) -> bool {
        !self.is_function && self.attr_int("Target") == Some(0)
    }

    /// The value of an attribute in a declaration's range.
    pub fn attr_in(&self, range: AttrRange, name: &str) -> Option<&[u8]> {
        self.attr_table.find(range, |id| self.strings.get(id) == Some(name.as_bytes()))
    }

    /// Type of a vector operand: of the variable, the indirect access or the constant; `UW` for
    /// addresses, `Bool` for predicates, `UD` for state.
    pub fn operand_type(&self, operand: &VectorOperand) -> Option<Type> {
        match operand {
            VectorOperand::General(g) => self.var_type(g.var),
            VectorOperand::Address(_) => Some(Type::UW),
            VectorOperand::Predicate(..) => Some(Type::Bool),
            VectorOperand::Indirect(i) => Some(i.ty),
            VectorOperand::Immediate { ty, .. } => Some(*ty),
            VectorOperand::Surface { .. } | VectorOperand::Sampler { .. } => Some(Type::UD),
        }
    }
}

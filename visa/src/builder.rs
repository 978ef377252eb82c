//! Kernels made in memory, without a file in between.
//!
//! A [`KernelBuilder`] declares variables, which it gives typed handles for, and appends instructions;
//! [`KernelBuilder::finish`] holds the kernel to all rules of the [verifier](crate::verify()) and gives a
//! [`Module`] that can be finalized as it is, written as an object ([`crate::write()`]) or printed as text
//! ([`crate::text::print`]).
//!
//! Every instruction can be made: most have a method; any typed view goes through [`KernelBuilder::op`]
//! (what [`Kernel::inst`] gives can be put in again), and [`KernelBuilder::inst`] takes operands in the
//! order of the instruction table.
//!
//! ```
//! use platforms::Platform;
//! use visa::{Align, CondMod, Exec, ExecSize, Type, builder::{KernelBuilder, not}};
//!
//! // y[lane] = x < 3 ? x * 2.0 : 1.0, for the lanes that are on
//! let mut b = KernelBuilder::new("choose", Platform::Skl);
//! let simd8 = Exec::masked(ExecSize::S8);
//! let x = b.general("x", Type::F, 8, Align::Grf);
//! let y = b.general("y", Type::F, 8, Align::Grf);
//! let small = b.predicate("small", 8);
//! let done = b.label("done");
//! b.input(x, 32);
//! b.attr_int("SimdSize", 8);
//! b.mov(simd8, y, 1.0f32);
//! b.cmp(CondMod::Lt, simd8, small, x, 3.0f32);
//! b.when(not(small)).goto(simd8, done);
//! b.mul(simd8, y, x, 2.0f32);
//! b.place(done);
//! b.ret();
//! let module = b.finish().unwrap();
//!
//! assert!(visa::text::print(&module, Default::default()).contains("goto"));
//! assert_eq!(visa::read(&visa::write(&module).unwrap()).unwrap().kernels[0].code.len(), 7);
//! ```

mod alu;
mod flow;
mod memory;
mod operand;
#[cfg(test)]
mod tests;

use std::fmt;

use narrow::{as_index, low_u8, low_u16, to_index, to_u8, to_u16};
use platforms::Platform;

pub use operand::{Dest, General, Slice, Source, address, all, any, flag, imm, indirect, not};

use crate::{
    error::on_lines,
    ids::*,
    inst::BadOperands,
    model::*,
    op::Op,
    opcode::Opcode,
    operand::{Operand, PredOperand},
    types::{Align, Exec, LabelKind, Type},
    verify::{self, Finding, Severity, VerifyOptions},
};

/// Why a kernel is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// Operands do not fit the instruction's row in the table.
    Operands {
        /// The instruction's number.
        index: u32,
        /// What does not fit.
        fault: BadOperands,
    },
    /// A rule of the specification is broken.
    Rule(Finding),
    /// The object format has no room for it.
    TooMany {
        /// Of what.
        what: &'static str,
        /// As many as fit.
        allowed: u32,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Operands { index, fault } => write!(f, "instruction {index}: {fault}"),
            BuildError::Rule(finding) => write!(f, "{finding}"),
            BuildError::TooMany { what, allowed } => write!(f, "more than {allowed} {what}"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Every fault of a kernel; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildErrors(pub Vec<BuildError>);

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        on_lines(f, &self.0)
    }
}

impl std::error::Error for BuildErrors {}

/// What an attribute belongs to; in the order of the attribute table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    Kernel,
    Var(usize),
    Surface(usize),
}

/// A kernel that is being made.
#[derive(Debug)]
pub struct KernelBuilder {
    kernel: Kernel,
    platform: Platform,
    guard: Option<PredOperand>,
    /// Operands of the instruction at hand.
    operands: Vec<Operand>,
    attrs: Vec<(Owner, StrId, Vec<u8>)>,
    faults: Vec<BuildError>,
}

impl KernelBuilder {
    /// An empty kernel for a platform: its registers' size counts where operands are addressed. The
    /// label that code begins with stands already.
    pub fn new(name: &str, platform: Platform) -> KernelBuilder {
        let mut kernel = Kernel { header_name: name.as_bytes().to_vec(), ..Kernel::default() };
        kernel.name = kernel.strings.push(&without_zeros(name));
        let mut builder = KernelBuilder {
            kernel,
            platform,
            guard: None,
            operands: Vec::new(),
            attrs: Vec::new(),
            faults: Vec::new(),
        };
        let main = builder.subroutine("_main");
        builder.place(main);
        builder
    }

    /// An empty function, which kernels call by `fcall`. Its module goes to theirs by [`Module::link`].
    ///
    /// Arguments come in [`Predefined::Arg`], the result goes to [`Predefined::RetVal`], and
    /// [`KernelBuilder::fret`] leads back.
    pub fn function(name: &str, platform: Platform) -> KernelBuilder {
        let mut builder = KernelBuilder::new(name, platform);
        builder.kernel.is_function = true;
        builder.kernel.linkage = Some(Linkage::GLOBAL);
        builder
    }

    /// Registers that a function's arguments take, and its result.
    pub fn call_sizes(&mut self, arguments: u8, result: u8) {
        (self.kernel.input_size, self.kernel.return_value_size) = (arguments, result);
        self.attr_int("ArgSize", arguments.into());
        self.attr_int("RetValSize", result.into());
    }

    /// The platform it is for.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The kernel so far.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn name(&mut self, name: &str) -> StrId {
        self.kernel.strings.push(&without_zeros(name))
    }

    /// Declares a general variable.
    pub fn general(&mut self, name: &str, ty: Type, elements: u16, align: Align) -> General {
        self.declare(name, ty, elements, align, None)
    }

    /// Declares a view of another variable, from a byte offset on.
    pub fn alias(&mut self, name: &str, ty: Type, elements: u16, base: General, offset: u16) -> General {
        let alias = Alias { base: base.id, offset, file_scope: false };
        self.declare(name, ty, elements, Align::Byte, Some(alias))
    }

    /// A view of a variable that exists without a declaration.
    pub fn predefined(&mut self, var: Predefined) -> General {
        let row = &PREDEFINED[as_index(var.number())];
        let grf_bytes = to_u8(self.platform.caps().regs.grf_bytes);
        General { id: VarId(var.number()), ty: row.ty, elements: row.num_elements, grf_bytes }
    }

    fn declare(
        &mut self,
        name: &str,
        ty: Type,
        num_elements: u16,
        align: Align,
        alias: Option<Alias>,
    ) -> General {
        let name = self.name(name);
        let id = VarId::from_declared(self.kernel.vars.len());
        let attrs = AttrRange::default();
        self.kernel.vars.push(GeneralVar { name, ty, align, num_elements, alias, attrs });
        General { id, ty, elements: num_elements, grf_bytes: to_u8(self.platform.caps().regs.grf_bytes) }
    }

    fn simple(&mut self, name: &str, num_elements: u16) -> SimpleVar {
        SimpleVar { name: self.name(name), num_elements, attrs: AttrRange::default() }
    }

    /// Declares an address variable.
    pub fn address(&mut self, name: &str, elements: u16) -> AddrId {
        let var = self.simple(name, elements);
        self.kernel.addrs.push(var);
        self.check_count("address variables", self.kernel.addrs.len(), 1 << 12);
        AddrId(low_u16(self.kernel.addrs.len() - 1))
    }

    /// Declares a predicate variable of as many lanes.
    pub fn predicate(&mut self, name: &str, lanes: u16) -> PredId {
        let var = self.simple(name, lanes);
        self.kernel.preds.push(var);
        self.check_count("predicate variables", self.kernel.preds.len(), 4095);
        PredId::from_declared(self.kernel.preds.len() - 1)
    }

    /// Declares a sampler.
    pub fn sampler(&mut self, name: &str) -> SamplerId {
        let var = self.simple(name, 1);
        self.kernel.samplers.push(var);
        self.check_count("samplers", self.kernel.samplers.len(), 31);
        SamplerId(low_u16(self.kernel.samplers.len() - 1))
    }

    /// Declares a surface.
    pub fn surface(&mut self, name: &str) -> SurfaceId {
        let var = self.simple(name, 1);
        self.kernel.surfaces.push(var);
        self.check_count("surfaces", self.kernel.surfaces.len(), 250);
        SurfaceId::from_declared(self.kernel.surfaces.len() - 1)
    }

    /// Declares a label of a block; [`KernelBuilder::place`] says where it stands.
    pub fn label(&mut self, name: &str) -> LabelId {
        self.new_label(name, LabelKind::Block)
    }

    /// Declares the label of a subroutine.
    pub fn subroutine(&mut self, name: &str) -> LabelId {
        self.new_label(name, LabelKind::Subroutine)
    }

    fn new_label(&mut self, name: &str, kind: LabelKind) -> LabelId {
        let name = self.name(name);
        self.kernel.labels.push(Label { name, kind, attrs: AttrRange::default() });
        self.check_count("labels", self.kernel.labels.len(), 0xffff);
        LabelId(to_index(self.kernel.labels.len()) - 1)
    }

    /// The index of a string, for names of functions, symbols and files in instructions.
    pub fn string(&mut self, text: &str) -> StrId {
        self.name(text)
    }

    /// The variable holds a kernel argument, from this byte of the register file on.
    pub fn input(&mut self, var: General, offset: i16) {
        self.input_from(var, offset, Provenance::EXPLICIT);
    }

    /// The variable holds a value that the launch defines.
    pub fn input_from(&mut self, var: General, offset: i16, provenance: Provenance) {
        let size = to_u16(var.bytes().min(u16::MAX.into()));
        self.kernel.inputs.push(Input { var: InputVar::General(var.id), provenance, offset, size });
    }

    /// The surface's binding table index comes in four bytes of the register file.
    pub fn surface_input(&mut self, surface: SurfaceId, offset: i16) {
        let var = InputVar::Surface(surface);
        self.kernel.inputs.push(Input { var, provenance: Provenance::EXPLICIT, offset, size: 4 });
    }

    /// The sampler's index comes in four bytes of the register file.
    pub fn sampler_input(&mut self, sampler: SamplerId, offset: i16) {
        let var = InputVar::Sampler(sampler);
        self.kernel.inputs.push(Input { var, provenance: Provenance::EXPLICIT, offset, size: 4 });
    }

    /// Sets an integer attribute of the kernel: `SimdSize`, `SLMSize`, `SpillMemOffset`, ...
    pub fn attr_int(&mut self, name: &str, value: i32) {
        let bytes = match name {
            "Target" => vec![low_u8(value)],
            _ => value.to_le_bytes().to_vec(),
        };
        self.attr(Owner::Kernel, name, bytes);
    }

    /// Sets an attribute of the kernel to bytes; none for one that is there or not.
    pub fn attr_bytes(&mut self, name: &str, value: &[u8]) {
        self.attr(Owner::Kernel, name, value.to_vec());
    }

    /// Sets an attribute of a variable: `Input`, `Output`, `DoNotSpill`, ...
    pub fn var_attr(&mut self, var: General, name: &str, value: &[u8]) {
        if let Some(i) = var.id.declared() {
            self.attr(Owner::Var(i), name, value.to_vec());
        }
    }

    /// Sets an attribute of a surface.
    pub fn surface_attr(&mut self, surface: SurfaceId, name: &str, value: &[u8]) {
        if let Some(i) = surface.declared() {
            self.attr(Owner::Surface(i), name, value.to_vec());
        }
    }

    fn attr(&mut self, owner: Owner, name: &str, value: Vec<u8>) {
        self.check_count("bytes of an attribute", value.len(), 255);
        let name = self.name(name);
        self.attrs.push((owner, name, value));
    }

    fn check_count(&mut self, what: &'static str, found: usize, allowed: u32) {
        let fault = BuildError::TooMany { what, allowed };
        if found > as_index(allowed) && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The next instruction is guarded by a predicate.
    pub fn when(&mut self, guard: impl Into<PredOperand>) -> &mut KernelBuilder {
        self.guard = Some(guard.into());
        self
    }

    /// Appends an instruction by its typed view. `opcode` tells apart the members of a family (`add` from
    /// `mul`); of views that name their instruction it is not looked at. Instructions with a sub-opcode
    /// and no view of their own go through [`KernelBuilder::inst`].
    pub fn op(&mut self, opcode: Opcode, exec: Exec, op: Op<'_>) {
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        let encoded = op.encode(opcode, exec, &mut operands);
        self.inst(encoded.opcode, encoded.sub, encoded.exec, &operands);
        self.operands = operands;
    }

    /// Appends an instruction by its operands, in the order of the instruction table.
    pub fn inst(&mut self, opcode: Opcode, sub: u8, exec: Exec, operands: &[Operand]) {
        let index = to_index(self.kernel.code.len());
        let guard = self.guard.take();
        if let Err(fault) = self.kernel.push_at(opcode, sub, exec, guard, operands, index) {
            self.faults.push(BuildError::Operands { index, fault });
        }
    }

    /// The kernel or function, alone in a module of version 4.1 ([`Module::set_version`] makes it another).
    ///
    /// # Errors
    ///
    /// Every rule of the specification that it breaks.
    pub fn finish(mut self) -> Result<Module, BuildErrors> {
        self.attrs.sort_by_key(|a| a.0);
        for (owner, name, value) in std::mem::take(&mut self.attrs) {
            let start = to_index(self.kernel.attr_table.len());
            self.kernel.attr_table.push(name, &value);
            let range = match owner {
                Owner::Kernel => &mut self.kernel.attrs,
                Owner::Var(i) => &mut self.kernel.vars[i].attrs,
                Owner::Surface(i) => &mut self.kernel.surfaces[i].attrs,
            };
            if range.len == 0 {
                range.start = start;
            }
            range.len = range.len.saturating_add(1);
        }
        let options = VerifyOptions::for_platform(self.platform);
        let findings = verify::verify_kernel(&self.kernel, options);
        let errors = findings.into_iter().filter(|f| f.rule.severity() != Severity::Warning);
        self.faults.extend(errors.map(BuildError::Rule));
        if !self.faults.is_empty() {
            return Err(BuildErrors(self.faults));
        }
        let is_function = self.kernel.is_function;
        let (kernels, functions) =
            if is_function { (Vec::new(), vec![self.kernel]) } else { (vec![self.kernel], Vec::new()) };
        Ok(Module { version: Version::V4_1, kernels, functions, ..Module::default() })
    }
}

/// Strings of the object end at a zero byte.
fn without_zeros(text: &str) -> Vec<u8> {
    text.bytes().filter(|b| *b != 0).collect()
}

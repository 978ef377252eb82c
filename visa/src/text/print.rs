//! vISA assembly from a module, as Intel's `-dumpcommonisa` writes it.

mod inst;
mod labels;
mod lsc;
mod message;

use narrow::as_index;
use std::fmt::{self, Write};

use labels::LabelNames;

use super::{
    TextOptions,
    directive::{AttrKind, PROVENANCES, attr_kind},
};
use crate::{ids::*, model::*, opcode::Opcode, types::Align};

/// Prints all kernels, then all functions, one version line on top.
pub fn print(module: &Module, options: TextOptions) -> String {
    let mut out = format!(".version {}\n", module.version);
    for kernel in module.kernels.iter().chain(&module.functions) {
        let mut printer = Printer::new(&mut out, kernel, options);
        // Writing to a string cannot fail.
        let _ = printer.kernel(module);
    }
    out
}

/// Prints one kernel or function with its version line, as Intel's dumps have one file for each.
pub fn print_kernel(module: &Module, kernel: &Kernel, options: TextOptions) -> String {
    let mut out = format!(".version {}\n", module.version);
    let mut printer = Printer::new(&mut out, kernel, options);
    let _ = printer.kernel(module);
    out
}

struct Printer<'a> {
    out: &'a mut String,
    kernel: &'a Kernel,
    options: TextOptions,
    labels: LabelNames,
}

impl<'a> Printer<'a> {
    fn new(out: &'a mut String, kernel: &'a Kernel, options: TextOptions) -> Printer<'a> {
        let mut printer = Printer { out, kernel, options, labels: LabelNames::default() };
        printer.labels = LabelNames::of(kernel, |id| printer.plain_label(id));
        printer
    }
}

/// A string literal, bytes beyond printable ASCII escaped.
fn quote(out: &mut String, s: &[u8]) {
    out.push('"');
    for &b in s {
        match b {
            7 => out.push_str("\\a"),
            8 => out.push_str("\\b"),
            27 => out.push_str("\\e"),
            12 => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            11 => out.push_str("\\v"),
            b'\'' | b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(b));
            }
            b' '..=b'~' => out.push(char::from(b)),
            _ => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push('"');
}

impl Printer<'_> {
    fn kernel(&mut self, module: &Module) -> fmt::Result {
        let kernel = self.kernel;
        self.out.push_str(if kernel.is_function { "\n.global_function " } else { "\n.kernel " });
        let name: Vec<u8> = kernel.header_name.iter().map(|b| if *b == b'.' { b' ' } else { *b }).collect();
        quote(self.out, &name);
        self.out.push('\n');
        if !kernel.is_function {
            let defined = module.functions.iter().map(|f| &f.header_name);
            for name in defined.chain(&module.declared_functions) {
                self.out.push_str(".funcdecl ");
                quote(self.out, name);
                self.out.push('\n');
            }
        }
        self.predefined()?;
        self.declarations()?;
        self.kernel_attrs()?;
        // A subroutine brings its own line break.
        if kernel.code.first().is_some_and(|first| first.opcode != Opcode::Subroutine) {
            self.out.push('\n');
        }
        for index in 0..kernel.code.len() {
            self.line(index)?;
        }
        Ok(())
    }

    fn predefined(&mut self) -> fmt::Result {
        self.out.push_str("\n/// VISA Predefined Variables");
        for (i, row) in PREDEFINED.iter().enumerate().take(21) {
            write!(self.out, "\n// .decl V{i} v_type=G v_name={}", row.name)?;
        }
        for (i, name) in PREDEFINED_SURFACE_NAMES.iter().enumerate() {
            write!(self.out, "\n// .decl T{i} v_type=T v_name={name}")?;
        }
        self.out.push('\n');
        Ok(())
    }

    fn declarations(&mut self) -> fmt::Result {
        let kernel = self.kernel;
        for (i, var) in kernel.vars.iter().enumerate() {
            self.out.push_str("\n.decl ");
            self.var(VarId::from_declared(i))?;
            write!(self.out, " v_type=G type={} num_elts={}", var.ty, var.num_elements)?;
            if var.align != Align::Byte {
                write!(self.out, " align={}", var.align)?;
            }
            if let Some(alias) = var.alias {
                self.out.push_str(" alias=<");
                self.var(alias.base)?;
                write!(self.out, ", {}>", alias.offset)?;
            }
            self.attrs(var.attrs)?;
        }
        for (class, first, vars) in
            [('A', 0, &kernel.addrs), ('P', as_index(PREDEFINED_PREDS), &kernel.preds)]
        {
            for (i, var) in vars.iter().enumerate() {
                write!(
                    self.out,
                    "\n.decl {class}{} v_type={class} num_elts={}",
                    i + first,
                    var.num_elements
                )?;
                self.attrs(var.attrs)?;
            }
        }
        let states = [('S', 0, &kernel.samplers), ('T', usize::from(PREDEFINED_SURFACES), &kernel.surfaces)];
        for (class, first, vars) in states {
            for (i, var) in vars.iter().enumerate() {
                let name = kernel.str(var.name);
                let (index, elements) = (i + first, var.num_elements);
                write!(self.out, "\n.decl {class}{index} v_type={class} num_elts={elements} v_name={name}")?;
                self.attrs(var.attrs)?;
            }
        }
        for input in &kernel.inputs {
            self.input(input)?;
        }
        Ok(())
    }

    fn input(&mut self, input: &Input) -> fmt::Result {
        if input.provenance == Provenance(4) && self.options.intel_names {
            self.out.push_str("\n.implicit_PSEUDO_INPUT ");
        } else if input.provenance == Provenance::EXPLICIT {
            self.out.push_str("\n.input ");
        } else {
            match PROVENANCES.iter().find(|p| p.1 == input.provenance) {
                Some((name, _)) => write!(self.out, "\n.implicit_{name} ")?,
                None => write!(self.out, "\n.implicit_UNDEFINED_{} ", input.provenance.0)?,
            }
        }
        match input.var {
            InputVar::General(v) => self.var(v)?,
            InputVar::Sampler(s) => write!(self.out, "S{}", s.0)?,
            InputVar::Surface(t) => write!(self.out, "T{}", t.0)?,
        }
        write!(self.out, " offset={} size={}", input.offset, input.size)
    }

    fn attrs(&mut self, range: AttrRange) -> fmt::Result {
        if range.len == 0 {
            return Ok(());
        }
        let kernel = self.kernel;
        for (i, (name, value)) in kernel.attr_table.range(range).enumerate() {
            self.out.push_str(if i == 0 { " attrs={" } else { ", " });
            self.attr(name, value)?;
        }
        self.out.push('}');
        Ok(())
    }

    /// Attributes of the kernel. The path of Intel's own output says nothing of the kernel and is left
    /// out. A kernel without a target is none that says so: only Intel's dumps of objects name the default.
    fn kernel_attrs(&mut self) -> fmt::Result {
        let kernel = self.kernel;
        let mut has_target = false;
        for (name, value) in kernel.attr_table.range(kernel.attrs) {
            let text = kernel.str(name);
            if text == "OutputAsmPath" || text == "AsmName" {
                continue;
            }
            has_target |= text == "Target";
            self.out.push_str("\n.kernel_attr ");
            self.attr(name, value)?;
        }
        if !has_target && self.options.intel_names {
            self.out.push_str("\n.kernel_attr Target=\"3d\"");
        }
        Ok(())
    }

    fn attr(&mut self, name: StrId, value: &[u8]) -> fmt::Result {
        let text = self.kernel.str(name);
        self.out.push_str(&text);
        let kind = attr_kind(&text).unwrap_or(match value.len() {
            0 => AttrKind::Bool,
            1 | 2 | 4 => AttrKind::Int,
            _ => AttrKind::Str,
        });
        match kind {
            AttrKind::Bool => {}
            AttrKind::Str if value.is_empty() => {}
            AttrKind::Int => match (&*text, attr_value(value)) {
                ("Target", Some(0)) => self.out.push_str("=\"cm\""),
                ("Target", Some(1)) => self.out.push_str("=\"3d\""),
                (_, Some(v)) => write!(self.out, "={v}")?,
                (_, None) => {
                    self.out.push('=');
                    quote(self.out, value);
                }
            },
            AttrKind::Str => {
                self.out.push('=');
                quote(self.out, value);
            }
        }
        Ok(())
    }

    /// A general variable's name.
    fn var(&mut self, id: VarId) -> fmt::Result {
        let name = self.kernel.var_name(id);
        self.out.push_str(&name);
        Ok(())
    }

    fn surface(&mut self, id: SurfaceId) -> fmt::Result {
        match PREDEFINED_SURFACE_NAMES.get(id.index()) {
            Some(name) => self.out.push_str(name),
            None => write!(self.out, "T{}", id.0)?,
        }
        Ok(())
    }
}

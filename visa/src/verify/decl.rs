//! Declarations.

use std::iter;

use narrow::{as_index, to_u16};
use platforms::{Platform, Registers};

use super::{Checker, Root, Rule};
use crate::{ids::*, model::*, types::Type};

/// Predefined variables of which there may be aliases (spec "General Variables", which says no to more:
/// Intel's compilers make aliases of `%sp`, `%fp` and `%hw_id`).
const fn may_be_aliased(var: Predefined) -> bool {
    use Predefined::*;
    !matches!(var, ThreadX | ThreadY | GroupIdX | GroupIdY | GroupIdZ | Color)
}

/// Memory for [`Checker::declarations`].
#[derive(Debug, Default)]
pub(super) struct DeclarationMemory {
    /// Of each variable.
    state: Vec<AliasState>,
    /// Aliases on the way to a root.
    path: Vec<usize>,
    /// First byte, end and number of each input.
    ranges: Vec<(u32, u32, usize)>,
}

/// What is known of a variable while aliases are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AliasState {
    New,
    /// It is on the way that is being followed.
    OnPath,
    /// Its root is known.
    Known,
}

impl Checker<'_> {
    pub(super) fn declarations(&mut self, scratch: &mut DeclarationMemory) {
        self.names();
        self.variables();
        self.aliases(&mut scratch.state, &mut scratch.path);
        let file = self.register_file();
        self.inputs(&mut scratch.ranges, file);
        if !self.safety_only {
            self.limits(file);
        }
        self.attributes(file);
    }

    /// Bytes of the largest register file that the platform has, or any with registers of that size.
    fn register_file(&self) -> u32 {
        let grf = self.options.grf_bytes;
        let rows = Platform::ALL.into_iter().map(|p| p.caps().regs);
        let of_size = rows.filter(|regs| u32::from(regs.grf_bytes) == grf);
        let count = match self.options.platform {
            Some(platform) => platform.caps().regs.largest_file().grfs,
            None => of_size.map(|regs| regs.largest_file().grfs).max().unwrap_or_default(),
        };
        grf * u32::from(count)
    }

    fn limits(&mut self, most: u32) {
        let kernel = self.kernel;
        for (class, count, most) in [("A", kernel.addrs.len(), 4096), ("P", kernel.preds.len(), 4095)] {
            if count > most {
                let message = format!("{count} declared, allowed: {most}");
                self.report(Rule::VariableLimit, None, format!("class {class}"), message);
            }
        }
        for (i, var) in kernel.vars.iter().enumerate().filter(|(_, v)| v.bytes() > most) {
            let message = format!("{} bytes, the register file has {most}", var.bytes());
            self.report(Rule::VariableLimit, None, self.var_field(i), message);
        }
    }

    fn attributes(&mut self, file: u32) {
        let file = file.cast_signed();
        let ranges = [
            ("SLMSize", 1024, "kB"),
            ("SpillMemOffset", 1 << 24, "bytes"),
            ("PerThreadInputSize", file, "bytes"),
            ("CrossThreadInputSize", file, "bytes"),
            ("NBarrierCnt", 64, "barriers"),
        ];
        for (name, most, unit) in ranges {
            let Some(value) = self.kernel.attr_int(name) else { continue };
            if !(0..=most).contains(&value) {
                let message = format!("found {value}, allowed: 0 to {most} {unit}");
                self.report(Rule::AttributeRange, None, format!("attribute {name}"), message);
            }
        }
        if self.safety_only {
            return;
        }
        self.one_of("SimdSize", || [0, 1, 8, 16, 32].into_iter());
        // Which of these sizes the platform has, the finalizer says.
        self.one_of("NumGRF", || iter::once(0).chain(Registers::all_sizes().map(i32::from)));
        self.one_of("Target", || [0, 1].into_iter());
    }

    /// An attribute has one of the values that are allowed, if the kernel has it.
    fn one_of<I: Iterator<Item = i32>>(&mut self, name: &str, allowed: impl Fn() -> I) {
        let Some(value) = self.kernel.attr_int(name) else { return };
        if !allowed().any(|one| one == value) {
            let allowed: Vec<_> = allowed().map(|one| one.to_string()).collect();
            let message = format!("found {value}, allowed: {}", allowed.join(", "));
            self.report(Rule::AttributeValue, None, format!("attribute {name}"), message);
        }
    }

    fn name(&mut self, id: StrId, field: impl FnOnce() -> String) {
        let count = self.kernel.strings.len();
        if id.index() >= count {
            self.report(Rule::StringIndex, None, field(), format!("string {}, the pool has {count}", id.0));
        }
    }

    fn length(&mut self, id: StrId, most: usize, field: &str) {
        let bytes = self.kernel.strings.get(id).map_or(0, <[u8]>::len);
        if bytes > most {
            self.report(Rule::NameLength, None, field, format!("{bytes} bytes, allowed: up to {most}"));
        }
    }

    fn lengths(&mut self) {
        let kernel = self.kernel;
        self.length(kernel.name, 1023, "kernel name");
        for label in &kernel.labels {
            self.length(label.name, 1024, "label");
        }
        let attributes = AttrRange { start: 0, len: to_u16(kernel.attr_table.len().min(65535)) };
        for (name, _) in kernel.attr_table.range(attributes) {
            self.length(name, 64, "attribute name");
        }
    }

    fn names(&mut self) {
        let kernel = self.kernel;
        if !self.safety_only {
            self.lengths();
        }
        self.name(kernel.name, || "kernel name".into());
        for (i, var) in kernel.vars.iter().enumerate() {
            self.name(var.name, || format!("V{}", i + as_index(PREDEFINED_VARS)));
        }
        let simple = [&kernel.addrs, &kernel.preds, &kernel.samplers, &kernel.surfaces];
        for (class, vars) in ["A", "P", "S", "T"].into_iter().zip(simple) {
            for (i, var) in vars.iter().enumerate() {
                self.name(var.name, || format!("declaration {i} of class {class}"));
            }
        }
        for (i, label) in kernel.labels.iter().enumerate() {
            self.name(label.name, || format!("label {i}"));
        }
        let all = AttrRange { start: 0, len: to_u16(kernel.attr_table.len().min(65535)) };
        for (name, _) in kernel.attr_table.range(all) {
            self.name(name, || "attribute".into());
        }
    }

    fn variables(&mut self) {
        let kernel = self.kernel;
        for (i, var) in kernel.vars.iter().enumerate() {
            let field = || format!("V{}", i + as_index(PREDEFINED_VARS));
            if var.num_elements == 0 {
                self.report(Rule::VariableSize, None, field(), "0 elements, allowed: 1 to 65535".into());
            }
            if var.ty.is_packed() || var.ty == Type::Bool {
                let message = format!("type {}, which only constants or predicates have", var.ty);
                self.report(Rule::VariableSize, None, field(), message);
            }
        }
        for (i, var) in kernel.addrs.iter().enumerate() {
            if !(1..=16).contains(&var.num_elements) {
                let message = format!("{} elements, allowed: 1 to 16", var.num_elements);
                self.report(Rule::AddressSize, None, format!("A{i}"), message);
            }
        }
        for (i, var) in kernel.preds.iter().enumerate() {
            if !matches!(var.num_elements, 1 | 2 | 4 | 8 | 16 | 32) {
                let message = format!("{} elements, allowed: 1, 2, 4, 8, 16, 32", var.num_elements);
                self.report(Rule::PredicateSize, None, format!("P{}", i + 1), message);
            }
        }
        for (class, vars, most) in [("S", &kernel.samplers, 31), ("T", &kernel.surfaces, 250)] {
            if vars.len() > most {
                let message = format!("{} declared, allowed: {most}", vars.len());
                self.report(Rule::StateCount, None, format!("class {class}"), message);
            }
            for (i, _) in vars.iter().enumerate().filter(|(_, v)| v.num_elements == 0) {
                self.report(
                    Rule::StateCount,
                    None,
                    format!("declaration {i} of class {class}"),
                    "0 elements".into(),
                );
            }
        }
    }

    /// Follows every alias once; each variable is then known as a place in its root.
    fn aliases(&mut self, state: &mut Vec<AliasState>, path: &mut Vec<usize>) {
        let kernel = self.kernel;
        // Most variables are their own roots.
        self.roots.clear();
        self.roots.extend(
            kernel.vars.iter().map(|v| Root { offset: 0, bytes: v.alias.is_none().then(|| v.bytes()) }),
        );
        state.clear();
        state.extend(kernel.vars.iter().map(|v| match v.alias {
            Some(_) => AliasState::New,
            None => AliasState::Known,
        }));
        path.clear();
        for start in (0..kernel.vars.len()).filter(|&i| kernel.vars[i].alias.is_some()) {
            let mut root = self.follow(start, state, path);
            while let Some(i) = path.pop() {
                state[i] = AliasState::Known;
                let Some(alias) = kernel.vars[i].alias else { continue };
                let found = match root {
                    Some(base) => {
                        Root { offset: base.offset.saturating_add(alias.offset.into()), bytes: base.bytes }
                    }
                    None => Root { offset: alias.offset.into(), bytes: None },
                };
                self.alias(i, found);
                self.roots[i] = found;
                root = Some(found);
            }
        }
    }

    /// Goes from a variable to what it is an alias of, and on, and gives the first whose root is known; nothing where the
    /// way ends in a fault. The variables on the way are in `path`.
    fn follow(&mut self, start: usize, state: &mut [AliasState], path: &mut Vec<usize>) -> Option<Root> {
        let mut at = start;
        loop {
            match state[at] {
                AliasState::Known => return Some(self.roots[at]),
                AliasState::OnPath => {
                    let message = "the alias leads back to itself".to_owned();
                    self.report(Rule::AliasCycle, None, self.var_field(at), message);
                    return None;
                }
                AliasState::New => {}
            }
            state[at] = AliasState::OnPath;
            path.push(at);
            let alias = self.kernel.vars[at].alias?;
            match alias.base.declared() {
                Some(base) if base < self.kernel.vars.len() && !alias.file_scope => at = base,
                _ => return self.predefined_base(at, &alias),
            }
        }
    }

    /// The root of an alias of a predefined variable; a fault if it has no base at all.
    fn predefined_base(&mut self, at: usize, alias: &Alias) -> Option<Root> {
        let base = alias.base;
        let message = match (base.declared(), base.predefined()) {
            _ if alias.file_scope => format!("file-scope variable {}, which the object lacks", base.0),
            (Some(_), _) => {
                format!("V{}, the last variable is V{}", base.0, self.kernel.vars.len() + 31)
            }
            (None, None) => format!("V{}, which is reserved", base.0),
            (None, Some(_)) if base.is_null() => format!("V{}, which is reserved", base.0),
            (None, Some(p)) if !may_be_aliased(p) => {
                let name = self.kernel.var_name(base);
                format!(
                    "{name}, of which there are no aliases; allowed: %r0, %arg, %retval, declared variables"
                )
            }
            (None, Some(_)) => return Some(Root { offset: 0, bytes: self.predefined_bytes(base) }),
        };
        self.report(Rule::AliasBase, None, self.var_field(at), message);
        None
    }

    /// Bytes of a predefined variable: a register, or as many as arguments and return values may take.
    pub(super) fn predefined_bytes(&self, var: VarId) -> Option<u32> {
        let grf = self.options.grf_bytes;
        match var.predefined()? {
            Predefined::Null => None,
            Predefined::Arg => Some(32 * grf),
            Predefined::RetVal => Some(12 * grf),
            Predefined::Sp | Predefined::Fp => Some(8),
            Predefined::HwTid => Some(4),
            _ => Some(grf),
        }
    }

    fn var_field(&self, i: usize) -> String {
        let id = VarId::from_declared(i);
        let name = self.kernel.var_name(id);
        if name.is_empty() { format!("V{}", id.0) } else { name.into_owned() }
    }

    fn alias(&mut self, i: usize, root: Root) {
        let var = &self.kernel.vars[i];
        let Some(alias) = var.alias else { return };
        if let Some(bytes) = root.bytes
            && root.offset.saturating_add(var.bytes()) > bytes
        {
            let end = root.offset + var.bytes();
            let message = format!("bytes {} to {end} of a variable of {bytes} bytes", root.offset);
            self.report(Rule::AliasBounds, None, self.var_field(i), message);
        }
        if u32::from(alias.offset) % var.ty.bytes() != 0 {
            let message = format!("offset {}, elements have {} bytes", alias.offset, var.ty.bytes());
            self.report(Rule::AliasAlignment, None, self.var_field(i), message);
        }
    }

    fn inputs(&mut self, ranges: &mut Vec<(u32, u32, usize)>, file: u32) {
        let kernel = self.kernel;
        ranges.clear();
        for (i, input) in kernel.inputs.iter().enumerate() {
            let field = || match input.var {
                InputVar::General(v) if kernel.var(v).is_none() => format!("input {i}"),
                var => format!("input {}", kernel.input_name(var)),
            };
            let exists = match input.var {
                InputVar::General(v) => kernel.var(v).is_some(),
                InputVar::Sampler(s) => s.index() < kernel.samplers.len(),
                InputVar::Surface(t) => t.declared().is_some_and(|i| i < kernel.surfaces.len()),
            };
            if !exists {
                self.report(Rule::InputVariable, None, field(), format!("{:?} is not declared", input.var));
                continue;
            }
            if input.offset < 0 {
                let message = format!("offset {}, allowed: 0 and up", input.offset);
                self.report(Rule::InputVariable, None, field(), message);
                continue;
            }
            let offset = u32::from(input.offset.cast_unsigned());
            let size = u32::from(input.size);
            ranges.push((offset, offset + size, i));
            if offset + size > file {
                let message = format!("bytes {offset} to {}, the register file has {file}", offset + size);
                self.report(Rule::InputRange, None, field(), message);
            }
            match input.var {
                InputVar::General(v) => {
                    kernel.var(v).into_iter().for_each(|var| self.general_input(var, offset, size, field));
                }
                InputVar::Sampler(s) => self.state_input(kernel.samplers.get(s.index()), offset, size, field),
                InputVar::Surface(t) => {
                    let state = t.declared().and_then(|i| kernel.surfaces.get(i));
                    self.state_input(state, offset, size, field);
                }
            }
        }
        if !self.safety_only {
            self.input_order(ranges);
        }
    }

    /// The input of a general variable: all of it, inside one register or from a register on.
    fn general_input(&mut self, var: &GeneralVar, offset: u32, size: u32, field: impl Fn() -> String) {
        let grf = self.options.grf_bytes;
        if var.alias.is_some() {
            self.report(Rule::InputVariable, None, field(), "its variable is an alias".into());
        }
        if size != var.bytes() {
            let message = format!("{size} bytes, its variable has {}", var.bytes());
            self.report(Rule::InputSize, None, field(), message);
        }
        let aligned = if size >= grf {
            offset.is_multiple_of(grf)
        } else {
            offset.is_multiple_of(var.ty.bytes()) && offset % grf + size <= grf
        };
        if !aligned {
            let message = format!("{size} bytes at offset {offset}, registers have {grf} bytes");
            self.report(Rule::InputAlignment, None, field(), message);
        }
    }

    /// The input of a sampler or surface variable: dwords.
    fn state_input(&mut self, state: Option<&SimpleVar>, offset: u32, size: u32, field: impl Fn() -> String) {
        let Some(state) = state else { return };
        let bytes = 4 * u32::from(state.num_elements);
        if size != bytes {
            let message = format!("{size} bytes, its variable has {bytes}");
            self.report(Rule::InputSize, None, field(), message);
        }
        if !offset.is_multiple_of(4) {
            let message = format!("offset {offset}, allowed: multiples of 4");
            self.report(Rule::InputAlignment, None, field(), message);
        }
    }

    /// How many inputs there are, in which order, and that none overlap: `ranges` holds where each starts and ends, and
    /// its number.
    fn input_order(&mut self, ranges: &mut [(u32, u32, usize)]) {
        let kernel = self.kernel;
        if kernel.inputs.len() > 256 {
            let message = format!("{}, allowed: up to 256", kernel.inputs.len());
            self.report(Rule::InputOrder, None, "inputs", message);
        }
        let is_user = |i: &Input| i.provenance == Provenance::EXPLICIT;
        if let Some(first) = kernel.inputs.iter().position(|i| !is_user(i))
            && let Some(after) = kernel.inputs[first..].iter().position(is_user)
        {
            let message =
                format!("input {} is the user's, input {first} before it is implicit", first + after);
            self.report(Rule::InputOrder, None, "inputs", message);
        }
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            if pair[1].0 < pair[0].1 {
                let message = format!("starts at {} inside input {}", pair[1].0, pair[0].2);
                self.report(Rule::InputOverlap, None, format!("input {}", pair[1].2), message);
            }
        }
    }
}

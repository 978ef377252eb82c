//! Where the variables of a kernel or function lie: one run of bytes, each variable apart.
//!
//! Variables whose address is taken come first, below 64 kB, because addresses have 16 bits. An address is
//! a place counted from the start of the predefined variables, which are common to all functions.

use crate::{Error, link::Loaded};
use narrow::{as_index, to_index};
use platforms::Platform;
use visa::{
    InputVar, Inst, Kernel, Module, Op, PREDEFINED, PREDEFINED_SURFACES, PREDEFINED_VARS, SamplerId,
    SimpleVar, VarId, VectorOperand,
};

/// Bytes of the predefined variables, at the start of the file.
pub(super) const COMMON: u32 = 8192;
/// Variables start at multiples of this, and the next one keeps this far away.
pub(super) const APART: u32 = 64;

/// A variable's bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VariablePlace {
    /// First byte: below [`COMMON`] in the common part, else in the frame.
    pub at: u32,
    /// Bytes up to the end of the variable that holds them.
    pub len: u32,
}

/// A kernel or function, ready to run.
pub(super) struct Unit<'a> {
    pub kernel: &'a Kernel,
    pub insts: Vec<Inst<'a>>,
    /// Instruction of each label.
    pub labels: Vec<u32>,
    /// By variable number, predefined ones included.
    pub places: Vec<VariablePlace>,
    /// Bytes of the frame, [`COMMON`] included.
    pub bytes: u32,
    /// The variables that addresses lead to, in ascending order.
    addressed: Vec<VariablePlace>,
    /// First element of each address variable, and of the end.
    pub addrs: Vec<u32>,
    /// The same of surface variables, predefined ones included.
    pub surfaces: Vec<u32>,
    /// The same of sampler variables, up to the bindless one at least.
    pub samplers: Vec<u32>,
}

/// Everything a run needs to know of a module.
pub(super) struct VisaProgram<'a> {
    pub platform: Platform,
    /// Bytes of a register.
    pub grf: u32,
    /// The kernel, then the functions.
    pub units: Vec<Unit<'a>>,
    /// Addresses of the program's constants and variables.
    pub symbols: &'a Loaded,
}

impl<'a> VisaProgram<'a> {
    pub fn new(
        platform: Platform,
        module: &'a Module,
        kernel: usize,
        symbols: &'a Loaded,
    ) -> Result<VisaProgram<'a>, Error> {
        let Some(kernel) = module.kernels.get(kernel) else {
            return Err(Error::Launch(format!("the module has {} kernels", module.kernels.len())));
        };
        let grf = platform.caps().regs.grf_bytes.into();
        let units = std::iter::once(kernel)
            .chain(&module.functions)
            .map(|kernel| Unit::new(kernel, grf))
            .collect::<Result<_, _>>()
            .map_err(Error::Launch)?;
        Ok(VisaProgram { platform, grf, units, symbols })
    }

    /// The function of a name.
    pub fn function(&self, name: &[u8]) -> Option<usize> {
        (1..self.units.len()).find(|i| self.units[*i].kernel.header_name == name)
    }
}

/// Places of the predefined variables. Those that live in the thread header are part of it.
fn predefined() -> Vec<VariablePlace> {
    let header = VarId::R0.0;
    let mut places = vec![VariablePlace::default(); as_index(PREDEFINED_VARS)];
    let mut at = APART;
    places[as_index(header)] = VariablePlace { at, len: 64 };
    let r0 = at;
    at += 2 * APART;
    for (i, row) in PREDEFINED.iter().enumerate() {
        if to_index(i) == header {
            continue;
        }
        if let Some(offset) = row.r0_offset {
            places[i] = VariablePlace { at: r0 + u32::from(offset), len: row.ty.bytes() };
            continue;
        }
        // Registers of the platform count, so argument variables may be twice as long.
        let len = match u32::from(row.num_elements) * row.ty.bytes() {
            n if n > 64 => 2 * n,
            n => n.max(32),
        };
        places[i] = VariablePlace { at, len };
        at += len.next_multiple_of(APART) + APART;
    }
    debug_assert!(at <= COMMON);
    places
}

impl<'a> Unit<'a> {
    /// Whether so many bytes from a place on are of one variable that addresses lead to. (An indirect operand out of
    /// bounds is undefined: documentation/visa/5_operands.md.)
    pub fn is_addressed(&self, at: i64, size: u32) -> bool {
        let Ok(first) = u32::try_from(at) else { return false };
        let behind = self.addressed.partition_point(|p| p.at <= first);
        let place = behind.checked_sub(1).and_then(|i| self.addressed.get(i));
        place.is_some_and(|p| first - p.at + size <= p.len)
    }

    fn new(kernel: &'a Kernel, grf: u32) -> Result<Unit<'a>, String> {
        let mut insts = Vec::with_capacity(kernel.code.len());
        let mut labels = vec![u32::MAX; kernel.labels.len()];
        let mut taken = vec![false; kernel.vars.len()];
        for i in 0..kernel.code.len() {
            let inst = kernel.try_inst(i).map_err(|(field, value)| {
                format!("{}: instruction {i}: {field} is {value}", kernel.name())
            })?;
            match inst.op {
                Op::Label(l) | Op::Subroutine(l) => {
                    if let Some(slot) = labels.get_mut(l.index()) {
                        *slot = to_index(i);
                    }
                }
                Op::AddrAdd { base: VectorOperand::General(g), .. } => {
                    let (root, _) = kernel.resolve_alias(g.var);
                    if let Some(t) = root.declared().and_then(|i| taken.get_mut(i)) {
                        *t = true;
                    }
                }
                _ => {}
            }
            insts.push(inst);
        }
        let samplers = kernel.samplers.len().max(SamplerId::BINDLESS.index() + 1);
        let mut unit = Unit {
            kernel,
            insts,
            labels,
            places: predefined(),
            bytes: COMMON,
            addressed: Vec::new(),
            addrs: starts(kernel.addrs.iter().map(|a| a.num_elements)),
            surfaces: starts((0..PREDEFINED_SURFACES).map(|_| 1).chain(kernel.surfaces.iter().map(handles))),
            samplers: starts((0..samplers).map(|i| kernel.samplers.get(i).map_or(1, handles))),
        };
        unit.addressed.extend(unit.places.iter().filter(|p| p.len > 0));
        unit.addressed.sort_unstable_by_key(|p| (p.at, std::cmp::Reverse(p.len)));
        // What lies in the thread's header is part of that.
        unit.addressed.dedup_by(|inner, outer| inner.at + inner.len <= outer.at + outer.len);
        unit.place(&taken, grf)?;
        Ok(unit)
    }

    fn place(&mut self, taken: &[bool], grf: u32) -> Result<(), String> {
        let kernel = self.kernel;
        self.places.resize(as_index(PREDEFINED_VARS) + kernel.vars.len(), VariablePlace::default());
        let grown = lengths(kernel, grf, taken);
        for wanted in [true, false] {
            for (i, var) in kernel.vars.iter().enumerate() {
                if taken[i] != wanted || var.alias.is_some() {
                    continue;
                }
                let place = VariablePlace { at: self.bytes, len: grown[i] };
                self.places[as_index(PREDEFINED_VARS) + i] = place;
                if wanted {
                    self.addressed.push(place);
                }
                self.bytes = self
                    .bytes
                    .checked_add(grown[i].next_multiple_of(APART) + APART)
                    .filter(|b| *b < 1 << 28)
                    .ok_or("more than 256 MB of variables")?;
            }
            if wanted && self.bytes > 1 << 16 {
                return Err(format!("{}: variables that are addressed take 64 kB", kernel.name()));
            }
        }
        for (i, var) in kernel.vars.iter().enumerate() {
            if var.alias.is_none() {
                continue;
            }
            let (root, offset) = kernel.resolve_alias(VarId::from_declared(i));
            let base = self.places.get(root.index()).copied().unwrap_or_default();
            self.places[as_index(PREDEFINED_VARS) + i] =
                VariablePlace { at: base.at + offset, len: base.len.saturating_sub(offset) };
        }
        Ok(())
    }
}

/// How many bytes each variable is given. Operands may reach over a variable's end, within the registers that the rule
/// `register-tail` allows; of a variable whose address is taken, within the one register that it is aligned to. Aliases may
/// reach beyond their root.
fn lengths(kernel: &Kernel, grf: u32, taken: &[bool]) -> Vec<u32> {
    let least = |(v, taken): (&visa::GeneralVar, &bool)| match taken {
        true if v.align.bytes(grf) < grf => v.bytes(),
        true => v.bytes().max(grf),
        false => v.bytes().max(visa::TAIL_REGISTERS * grf),
    };
    let mut out: Vec<u32> = kernel.vars.iter().zip(taken).map(least).collect();
    for (i, var) in kernel.vars.iter().enumerate() {
        if var.alias.is_some() {
            let (root, offset) = kernel.resolve_alias(VarId::from_declared(i));
            if let Some(len) = root.declared().and_then(|r| out.get_mut(r)) {
                *len = (*len).max(offset + var.bytes());
            }
        }
    }
    for input in &kernel.inputs {
        if let InputVar::General(id) = input.var
            && let Some(len) = id.declared().and_then(|r| out.get_mut(r))
        {
            *len = (*len).max(input.size.into());
        }
    }
    out
}

/// The first element of each variable, and of the end.
fn starts(elements: impl Iterator<Item = u16>) -> Vec<u32> {
    let mut end = 0;
    let mut out = vec![0];
    out.extend(elements.map(|n| {
        end += u32::from(n);
        end
    }));
    out
}

/// Elements of a surface or sampler variable that an operand can name: a byte has the first, and 32 lanes move from there.
fn handles(var: &SimpleVar) -> u16 {
    var.num_elements.clamp(1, 256 + 31)
}

//! Changes of a kernel, and the kernel with some of them.

use std::collections::BTreeSet;

use visa::{
    Alias, AttrRange, GeneralVar, Kernel, Module, Operand, Record, Type, VarId, VectorOperand, VerifyOptions,
    verify::verify_kernel,
};

/// Types that a variable may be seen as.
pub(super) const TYPES: [Type; 11] =
    [Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB, Type::Q, Type::UQ, Type::F, Type::HF, Type::DF];

/// An instruction with its operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// All but the operands; where those are is worked out when a kernel is made of it.
    pub record: Record,
    /// The operands.
    pub operands: Vec<Operand>,
}

impl Written {
    /// The instruction at a position.
    pub fn of(kernel: &Kernel, at: usize) -> Written {
        let record = kernel.code[at];
        Written { record, operands: kernel.operands_of(&record).to_vec() }
    }
}

/// Instructions that stand in place of others. Those of one change belong together.
#[derive(Clone, Debug)]
pub struct Change {
    /// Positions in the kernel as it was, and what stands there instead.
    pub edits: Vec<(usize, Vec<Written>)>,
}

impl Change {
    /// One of a single place.
    pub(super) fn at(at: usize, instead: Vec<Written>) -> Change {
        Change { edits: vec![(at, instead)] }
    }
}

/// The view of a declared variable as another type, which the kernel declares if something names it: behind all declared
/// variables.
pub(super) fn view(kernel: &Kernel, var: VarId, ty: Type) -> Option<VarId> {
    let declared = var.declared().filter(|i| *i < kernel.vars.len())?;
    let at = TYPES.iter().position(|t| *t == ty)?;
    Some(VarId::from_declared(kernel.vars.len() + declared * TYPES.len() + at))
}

/// A kernel of a module with changes.
#[derive(Clone, Debug)]
pub struct Variant<'a> {
    /// The module.
    pub module: &'a Module,
    /// Which of its kernels.
    pub index: usize,
    /// The changes; no two have a position in common.
    pub changes: Vec<Change>,
}

impl Variant<'_> {
    /// The kernel as it was.
    pub fn original(&self) -> &Kernel {
        &self.module.kernels[self.index]
    }

    /// Whether a position is changed.
    pub fn touches(&self, at: usize) -> bool {
        self.changes.iter().any(|c| c.edits.iter().any(|e| e.0 == at))
    }

    /// The kernel with the changes.
    pub fn kernel(&self) -> Kernel {
        let original = self.original();
        let mut kernel = original.clone();
        kernel.quirks.type_bits.clear();
        (kernel.code, kernel.operands) = (Vec::new(), Vec::new());
        let mut edits: Vec<_> = self.changes.iter().flat_map(|c| &c.edits).collect();
        edits.sort_by_key(|e| e.0);
        let mut edits = edits.into_iter().peekable();
        let mut views = BTreeSet::new();
        for at in 0..original.code.len() {
            match edits.next_if(|e| e.0 == at) {
                Some((_, instead)) => instead.iter().for_each(|w| {
                    put(&mut kernel, w);
                    views.extend(w.operands.iter().filter_map(viewed).filter(|v| is_view(original, *v)));
                }),
                None => put(&mut kernel, &Written::of(original, at)),
            }
        }
        declare(&mut kernel, &views);
        kernel
    }

    /// The module with that kernel.
    pub fn module(&self) -> Module {
        let mut module = Module::clone(self.module);
        module.kernels[self.index] = self.kernel();
        module.layout.clear();
        module
    }

    /// Whether the verifier has no more to say of it than of the kernel as it was.
    pub fn is_valid(&self, options: VerifyOptions) -> bool {
        let said = |kernel: &Kernel| {
            verify_kernel(kernel, options).into_iter().map(|f| f.rule.id()).collect::<Vec<_>>()
        };
        let mut before = said(self.original());
        said(&self.kernel()).iter().all(|rule| {
            let known = before.iter().position(|r| r == rule);
            known.map(|i| before.swap_remove(i)).is_some()
        })
    }
}

/// The variable that an operand names.
fn viewed(operand: &Operand) -> Option<VarId> {
    match operand {
        Operand::Vector(VectorOperand::General(g)) => Some(g.var),
        _ => None,
    }
}

fn is_view(original: &Kernel, var: VarId) -> bool {
    var.declared().is_some_and(|i| i >= original.vars.len())
}

fn put(kernel: &mut Kernel, w: &Written) {
    let (first, count) = (kernel.operands.len() as u32, w.operands.len() as u16);
    kernel.operands.extend_from_slice(&w.operands);
    kernel.code.push(Record { first, count, ..w.record });
}

/// Declares views, one behind the other, and has operands name them so.
fn declare(kernel: &mut Kernel, views: &BTreeSet<VarId>) {
    let declared = kernel.vars.len();
    for (i, view) in views.iter().enumerate() {
        let number = view.declared().unwrap_or(declared) - declared;
        let (of, ty) = (number / TYPES.len(), TYPES[number % TYPES.len()]);
        let base = VarId::from_declared(of);
        let name = format!("{}_{}", kernel.var_name(base), ty.name());
        let name = kernel.strings.push(name.as_bytes());
        let var = &kernel.vars[of];
        kernel.vars.push(GeneralVar {
            name,
            ty,
            align: var.align,
            num_elements: (var.bytes() / ty.bytes()).max(1) as u16,
            alias: Some(Alias { base, offset: 0, file_scope: false }),
            attrs: AttrRange::default(),
        });
        for operand in &mut kernel.operands {
            if let Operand::Vector(VectorOperand::General(g)) = operand
                && g.var == *view
            {
                g.var = VarId::from_declared(declared + i);
            }
        }
    }
}

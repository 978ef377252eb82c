//! Names in scope.

use narrow::{to_index, to_u16};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{ids::*, near::similar_name};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    General(VarId),
    Address(AddrId),
    Predicate(PredId),
    Sampler(SamplerId),
    Surface(SurfaceId),
}

impl Symbol {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Symbol::General(_) => "a general variable",
            Symbol::Address(_) => "an address variable",
            Symbol::Predicate(_) => "a predicate variable",
            Symbol::Sampler(_) => "a sampler variable",
            Symbol::Surface(_) => "a surface variable",
        }
    }
}

/// Names, with `{ }` scopes: leaving a scope undoes its declarations.
#[derive(Default)]
pub(super) struct Symbols<'s> {
    names: FxHashMap<&'s str, (Symbol, u32)>,
    undo: Vec<(&'s str, Option<(Symbol, u32)>)>,
    /// Of each open scope: how much is to be undone when it closes, and the byte that opens it.
    scopes: Vec<(usize, usize)>,
    /// Names whose declaration is at fault: what uses them is not at fault again.
    poisoned: FxHashSet<&'s str>,
}

impl<'s> Symbols<'s> {
    /// Declares a name; `false` if the scope has it already.
    pub(super) fn declare(&mut self, name: &'s str, symbol: Symbol) -> bool {
        let depth = to_index(self.scopes.len());
        if self.names.get(name).is_some_and(|(_, d)| *d == depth) {
            return false;
        }
        let old = self.names.insert(name, (symbol, depth));
        if depth > 0 {
            self.undo.push((name, old));
        }
        true
    }

    /// Notes that the declaration of a name is at fault.
    pub(super) fn poison(&mut self, name: &'s str) {
        self.poisoned.insert(name);
    }

    pub(super) fn is_poisoned(&self, name: &str) -> bool {
        self.poisoned.contains(name)
    }

    /// What a name stands for: a declaration in scope, else something predefined.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        match self.names.get(name) {
            Some((symbol, _)) => Some(*symbol),
            None => predefined(name),
        }
    }

    /// Opens a scope at a byte of the text.
    pub(super) fn push_scope(&mut self, at: usize) {
        self.scopes.push((self.undo.len(), at));
    }

    /// Leaves a scope; `false` if there is none.
    pub(super) fn pop_scope(&mut self) -> bool {
        let Some((mark, _)) = self.scopes.pop() else { return false };
        for (name, old) in self.undo.drain(mark..).rev() {
            match old {
                Some(old) => self.names.insert(name, old),
                None => self.names.remove(name),
            };
        }
        true
    }

    /// The innermost scope that is open: the byte that opens it.
    pub(super) fn open_scope(&self) -> Option<usize> {
        self.scopes.last().map(|s| s.1)
    }

    /// A name in scope that is easily mistaken for this one.
    #[cold]
    pub(super) fn similar(&self, name: &str) -> Option<&'s str> {
        if self.names.len() > 4096 {
            return None;
        }
        // In order of names, for equal texts give equal messages.
        let mut known: Vec<&'s str> = self.names.keys().copied().collect();
        known.sort_unstable();
        similar_name(name, known)
    }
}

/// Names that need no declaration: `%r0`, `%slm`, `T0`-`T5`, `S31`, and `V0`-`V21`.
fn predefined(name: &str) -> Option<Symbol> {
    if let Some(i) = PREDEFINED.iter().position(|row| row.name == name) {
        return Some(Symbol::General(VarId(to_index(i))));
    }
    if let Some(i) = PREDEFINED_SURFACE_NAMES.iter().position(|n| *n == name) {
        return Some(Symbol::Surface(SurfaceId(to_u16(i))));
    }
    let index: u16 = name.get(1..)?.parse().ok()?;
    match name.as_bytes()[0] {
        b'T' if index < PREDEFINED_SURFACES => Some(Symbol::Surface(SurfaceId(index))),
        b'S' if index == SamplerId::BINDLESS.0 => Some(Symbol::Sampler(SamplerId::BINDLESS)),
        b'V' if usize::from(index) < PREDEFINED.len() => Some(Symbol::General(VarId(index.into()))),
        _ => None,
    }
}

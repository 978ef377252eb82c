//! Where registers lie, of virtual and physical code alike.

use gen_ir::{Arf, Base, Space, VarId, Virtual};

/// How many storages there are before those of variables: general registers, flags, addresses.
pub const FILES: usize = 3;

/// Registers of a [`Space`]: storage number and first byte.
pub trait Files: Space {
    /// The storage of a base, and where the base starts in it.
    fn locate(base: Base<Self>) -> Option<(usize, usize)>;
}

fn arf(a: Arf) -> Option<(usize, usize)> {
    match a {
        Arf::Flag(n) => Some((1, usize::from(n) * 4)),
        Arf::Addr(_) => Some((2, 0)),
        _ => None,
    }
}

impl Files for Virtual {
    fn locate(base: Base<Self>) -> Option<(usize, usize)> {
        match base {
            Base::Grf(n) => Some((0, usize::from(n))),
            Base::Arf(a) => arf(a),
            Base::Var(VarId(v)) => Some((FILES + v as usize, 0)),
        }
    }
}

impl Files for gen_ir::Physical {
    fn locate(base: Base<Self>) -> Option<(usize, usize)> {
        match base {
            Base::Grf(n) => Some((0, usize::from(n))),
            Base::Arf(a) => arf(a),
            Base::Var(_) => None,
        }
    }
}

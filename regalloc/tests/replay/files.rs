//! Where registers lie, of virtual and physical code alike.

use gen_ir::{Arf, Base, Space, VarId, Virtual};

/// Registers of a [`Space`]: storage number and first byte. Storages: 0 GRFs, 1 flags, 2 addresses,
/// then one per variable.
pub trait Files: Space {
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
            Base::Var(VarId(v)) => Some((3 + v as usize, 0)),
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

//! Which variables are copied to which: if both come to have the same registers, `apply` leaves the copy out.

use gen_ir::{Dst, Kernel, Op, Src, SrcMod, VarClass, VarId, Virtual};

/// Of how many copies of a variable a place is looked at.
const MOST: usize = 6;

/// The copies between general variables of registers, each from both sides.
#[derive(Default)]
pub(crate) struct Copies {
    /// A variable, another, and how far its bytes are behind those of the other; by variable, in code order.
    list: Vec<(u32, u32, i32)>,
}

impl Copies {
    /// Looks for them, if they are wanted.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, wanted: bool) {
        self.list.clear();
        if !wanted {
            return;
        }
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        let movs = kernel.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.op == Op::Mov);
        for inst in movs.filter(|i| !i.sat && i.cond.is_none()) {
            let Dst::Direct { reg: to, horz, ty } = inst.dst else { continue };
            let Src::Direct { reg: from, region, mods: SrcMod::None, ty: read_as } = inst.src[0] else {
                continue;
            };
            let lanes = inst.exec.lanes();
            let raw = ty == read_as || ty.bytes() == read_as.bytes() && ty.is_int() && read_as.is_int();
            let packed = lanes == 1 || horz == 1 && region.one_by_one(lanes);
            let (Some(d), Some(s)) = (to.var(), from.var()) else { continue };
            let general = |v: VarId| {
                let var = &kernel.vars[v.index()];
                var.class == VarClass::General && var.bytes >= grf
            };
            if raw && packed && d != s && general(d) && general(s) {
                let shift = from.byte.cast_signed() - to.byte.cast_signed();
                self.list.push((d.0, s.0, shift));
                self.list.push((s.0, d.0, -shift));
            }
        }
        self.list.sort_by_key(|c| c.0);
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The first copies of a variable: the other variable, and how far behind the other's place its own has to be.
    pub fn of(&self, var: VarId) -> impl Iterator<Item = (VarId, i32)> {
        let from = self.list.partition_point(|c| c.0 < var.0);
        self.list[from..].iter().take(MOST).take_while(move |c| c.0 == var.0).map(|c| (VarId(c.1), c.2))
    }
}

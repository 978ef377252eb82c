//! Which variables are copied to which: if both come to have the same registers, `apply` leaves the copy out.

use gen_ir::{Dst, FileByte, Inst, Kernel, Op, Reg, Space, Src, SrcMod, VarClass, VarId, Virtual};

/// Of how many copies of a variable a place is looked at.
const MOST: usize = 6;

/// Where a move puts bits as they are, packed, and where it has them from, if it does.
pub(crate) fn bits_copied<S: Space>(inst: &Inst<S>) -> Option<(Reg<S>, Reg<S>)> {
    if inst.sat || inst.cond.is_some() {
        return None;
    }
    let Dst::Direct { reg: to, horz, ty } = inst.dst else { return None };
    let Src::Direct { reg: from, region, mods: SrcMod::None, ty: read_as } = inst.src[0] else { return None };
    let lanes = inst.exec.lanes();
    let raw = ty == read_as || ty.bytes() == read_as.bytes() && ty.is_int() && read_as.is_int();
    let packed = lanes == 1 || horz == 1 && region.one_by_one(lanes);
    (raw && packed).then_some((to, from))
}

/// The copies from general variables of whole registers: to which variable, from which, and how far the bytes of the
/// one are behind those of the other.
fn from_registers(kernel: &Kernel<Virtual>) -> impl Iterator<Item = (VarId, VarId, i32)> {
    // Nobody else may have r0.
    let general = |v: VarId| {
        let var = &kernel.vars[v.index()];
        var.class == VarClass::General && var.fixed != Some(FileByte::START)
    };
    let movs = kernel.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.op == Op::Mov);
    movs.filter_map(bits_copied).filter_map(move |(to, from)| {
        let (d, s) = (to.var()?, from.var()?);
        let shift = from.byte.cast_signed() - to.byte.cast_signed();
        (d != s && general(d) && general(s) && is_wide(kernel, s)).then_some((d, s, shift))
    })
}

/// Whether a variable has whole registers.
fn is_wide(kernel: &Kernel<Virtual>, v: VarId) -> bool {
    kernel.vars[v.index()].bytes >= u32::from(kernel.platform.caps().regs.grf_bytes)
}

/// Whether copies may be left out, if both sides come to have the same place: between whole registers.
pub(crate) fn may_be_left_out(kernel: &Kernel<Virtual>) -> bool {
    from_registers(kernel).any(|(to, ..)| is_wide(kernel, to))
}

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
        for (to, from, shift) in from_registers(kernel).filter(|c| is_wide(kernel, c.0)) {
            self.list.push((to.0, from.0, shift));
            self.list.push((from.0, to.0, -shift));
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

//! Which variables are copied to which: if both come to have the same registers, `apply` leaves the copy out.

use crate::analysis::position::Position;
use gen_ir::{Dst, FileByte, Inst, Kernel, Op, Reg, Space, Src, SrcMod, Type, VarClass, VarId, Virtual};

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

/// A copy between general variables, as one of them sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VarCopy {
    /// The one that sees it.
    of: VarId,
    /// The other.
    pub other: VarId,
    /// How far behind the other's place its own has to be, in bytes.
    pub behind: i32,
    /// Where the copy reads, if both may be in one place there, too: all of both, dword by dword or quadword by
    /// quadword. (As for [`Reuse`](super::reuse::Reuse): the instruction has its result's registers from then on.)
    pub meets: Option<Position>,
}

/// The copies from general variables of whole registers or of lanes, as the one sees them that is written.
fn from_registers(kernel: &Kernel<Virtual>) -> impl Iterator<Item = VarCopy> {
    // Nobody else may have r0.
    let general = |v: VarId| {
        let var = &kernel.vars[v.index()];
        var.class == VarClass::General && var.fixed != Some(FileByte::START)
    };
    let insts = (0..).zip(kernel.blocks.iter().flat_map(|b| &b.insts));
    insts.filter(|(_, i)| i.op == Op::Mov).filter_map(move |(at, inst)| {
        let (to, from) = bits_copied(inst)?;
        let (d, s) = (to.var()?, from.var()?);
        let behind = from.byte.cast_signed() - to.byte.cast_signed();
        let bytes = |v: VarId| kernel.vars[v.index()].bytes;
        let element = inst.dst.ty().map_or(0, Type::bytes);
        let whole =
            bytes(d) == bytes(s) && bytes(d).is_multiple_of(u32::from(kernel.platform.caps().regs.grf_bytes));
        let alike = behind == 0 && whole && matches!(element, 4 | 8);
        let meets = alike.then(|| Position::read(at));
        (d != s && general(d) && general(s) && is_wide(kernel, s)).then_some(VarCopy {
            of: d,
            other: s,
            behind,
            meets,
        })
    })
}

/// Whether a variable has whole registers, or lanes have it.
fn is_wide(kernel: &Kernel<Virtual>, v: VarId) -> bool {
    let var = &kernel.vars[v.index()];
    var.own_grf || var.bytes >= u32::from(kernel.platform.caps().regs.grf_bytes)
}

/// Whether copies may be left out, if both sides come to have the same place: between whole registers or what lanes have.
pub(crate) fn may_be_left_out(kernel: &Kernel<Virtual>) -> bool {
    from_registers(kernel).any(|c| is_wide(kernel, c.of))
}

/// The copies between general variables of registers, each from both sides.
#[derive(Default)]
pub(crate) struct Copies {
    /// By variable, in code order.
    list: Vec<VarCopy>,
}

impl Copies {
    /// Looks for them, if they are wanted.
    pub fn find(&mut self, kernel: &Kernel<Virtual>, wanted: bool) {
        self.list.clear();
        if !wanted {
            return;
        }
        for copy in from_registers(kernel).filter(|c| is_wide(kernel, c.of)) {
            self.list.push(copy);
            self.list.push(VarCopy { of: copy.other, other: copy.of, behind: -copy.behind, ..copy });
        }
        self.list.sort_by_key(|c| c.of);
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The first copies of a variable.
    pub fn of(&self, var: VarId) -> impl Iterator<Item = VarCopy> {
        let from = self.list.partition_point(|c| c.of < var);
        self.list[from..].iter().take(MOST).take_while(move |c| c.of == var).copied()
    }
}

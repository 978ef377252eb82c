//! Flags that are not loaded with what they hold.
//!
//! Where flags do not suffice, they are kept in general registers, and each use loads its own: of two parts of a
//! `sel`, both load the same one. `mov f1 = r9; sel (f1); mov f1 = r9; sel (f1)` needs the first alone; nor is
//! `mov r9 = f1` needed behind `mov f1 = r9`. After allocation, for which flag it is is known then.

use gen_ir::{Arf, Base, Dst, Extent, FlagSub, Inst, Kernel, Op, Options, Payload, Physical, Role, Src};

/// A flag and the bytes of a general register that have the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Same {
    flag: Extent,
    general: Extent,
}

/// Memory of the pass: what is known of flags at one place.
#[derive(Debug, Default)]
pub(crate) struct KnownFlags(Vec<Same>);

/// Takes needless moves out of every block.
pub(crate) fn drop_needless(kernel: &mut Kernel<Physical>, KnownFlags(known): &mut KnownFlags) {
    let grf_bytes = kernel.platform.caps().regs.grf_bytes.into();
    for block in &mut kernel.blocks {
        known.clear();
        block.insts.retain(|inst| {
            let moved = moves_flag(inst, grf_bytes);
            if moved.is_some_and(|m| known.contains(&m)) {
                return false;
            }
            if !known.is_empty() {
                forget(known, inst, grf_bytes);
            }
            known.extend(moved);
            true
        });
    }
}

/// The flag and the register between which a scalar move copies all bits, whichever is written.
fn moves_flag(inst: &Inst<Physical>, grf_bytes: u32) -> Option<Same> {
    let plain = inst.op == Op::Mov
        && inst.exec.lanes() == 1
        && inst.no_mask
        && inst.pred.is_none()
        && inst.cond.is_none()
        && !inst.sat
        && inst.opts == Options::NONE
        && inst.payload == Payload::None;
    let (Dst::Direct { reg: to, ty, .. }, Src::Direct { reg: from, ty: read, .. }) = (inst.dst, inst.src[0])
    else {
        return None;
    };
    if !plain || !ty.same_bits(read) || ty.is_float() || inst.src[0].mods().any() {
        return None;
    }
    let (flag, general) = if to.grf_number().is_some() { (from, to) } else { (to, from) };
    Some(Same {
        flag: Extent::new(flag.flag_byte()?.bytes(), ty.bytes()),
        general: Extent::new(general.file_byte(grf_bytes)?.bytes(), ty.bytes()),
    })
}

/// Forgets what an instruction writes.
fn forget(known: &mut Vec<Same>, inst: &Inst<Physical>, grf_bytes: u32) {
    inst.for_each_reg(|role, reg| match (role, reg.base()) {
        // Anywhere.
        (Role::DstAddr, _) => known.clear(),
        // The condition of `sel` is not written.
        (Role::Cond, _) if !inst.writes_flag() => {}
        (Role::Cond | Role::Dst, Base::Arf(Arf::Flag(n))) => {
            let whole = Extent::new(u32::from(n) * FlagSub::REGISTER_BYTES, FlagSub::REGISTER_BYTES);
            known.retain(|k| !k.flag.overlaps(whole));
        }
        (Role::Dst, Base::Grf(first)) => match inst.extent(role, grf_bytes).filter(|e| !e.is_empty()) {
            Some(written) => known.retain(|k| !k.general.overlaps(written.in_file(first, grf_bytes))),
            // As many as only the running kernel knows.
            None => known.clear(),
        },
        _ => {}
    });
}

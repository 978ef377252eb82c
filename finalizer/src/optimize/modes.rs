//! Modes of floats that no instruction computes by are not set.
//!
//! Compilers start every kernel with `or cr0.0 cr0.0 0x4c0`: denormals are kept. Bits of the control register that
//! say how floats are rounded and whether their denormals are kept ([`Inst::sets_float_modes`])
//! mean nothing to a thread whose instructions compute with integers and move bits as they are. Messages do not look at them:
//! the register is the thread's. So the write goes if
//! - it changes no other bit of the register, whose exceptions and masks are everybody's;
//! - nothing else in the kernel reads the register;
//! - no code outside of the kernel runs in the thread.

use gen_ir::{Arf, Base, Inst, Kernel, Op, Virtual};

/// Writes that set nothing but modes of floats become `nop` where nothing computes with floats.
pub(super) fn drop_unread(kernel: &mut Kernel<Virtual>) -> bool {
    if kernel.outside {
        return false;
    }
    let mut writes = 0;
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        if inst.sets_float_modes() {
            writes += 1;
        } else if inst.computes_floats() || reads_control(inst) {
            return false;
        }
    }
    for inst in kernel.blocks.iter_mut().flat_map(|b| &mut b.insts).filter(|i| i.sets_float_modes()) {
        *inst = Inst::new(Op::Nop, inst.exec);
    }
    writes > 0
}

/// Whether this looks at the control register.
fn reads_control(inst: &Inst<Virtual>) -> bool {
    let mut found = inst.changes_mode();
    inst.for_each_read(|r| found |= matches!(r.base(), Base::Arf(Arf::Control(_))));
    found
}

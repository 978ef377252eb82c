//! The registers that callers and callees of stack calls agree on.
//!
//! The convention (registers as in Intel's vISA ABI, "%arg", "%retval", "%sp", "%fp"), where threads have 128
//! registers and where they have 256:
//!
//! | 128 | 256 | what |
//! |---|---|---|
//! | `r0` | `r0` | thread header, never written |
//! | `r26`... | `r26`... | `%arg` on entry, `%retval` on return |
//! | `r1`-`r59`, `r124`, `r125` | `r1`-`r123`, `r252`, `r253` | anything after a call, as are flags and `a0` |
//! | `r60`-`r123` | `r124`-`r251` | the callee gives back what it found |
//! | `r126` | `r254` | header of scratch messages to the callee's frame ([`gen_ir::scratch`]); given back |
//! | `r126.0:uq`, `r126.3:uq` | `r254.0:uq`, `r254.3:uq` | `%impl_arg_buf_ptr`, `%local_id_buf_ptr`, in fields of the header that such messages do not look at (seen in Intel's code of TGLLP) |
//! | `r127.0:ud` | `r255.0:ud` | return address; in `.1` the caller's channels, in `.2` anything |
//! | `r127.2:uq`, `r127.3:uq` | `r255.2:uq`, `r255.3:uq` | `%fp`, `%sp`: the program's own stack in memory |
//!
//! Spills of a function go to its frame: that header is a header whose base (dword 5) is the frame's, a multiple of 1024
//! bytes. Before a function calls, it adds the size of its own frame, and
//! takes it away afterwards. A kernel's frame is the scratch memory that it uses itself.

use gen_ir::{AddrSub, FileByte, FlagSub, Var, VarClass, VarId, Virtual};
use narrow::{every, to_index};
use smallvec::SmallVec;
use visa::Predefined;

use super::{
    exchange::{Exchange, ExchangeLists},
    exchange_uses::{arguments_of, results_of},
    facts::SourceFacts,
    location::Location,
};

/// First register of arguments and results.
pub(super) const ARGUMENTS: u32 = 26;
/// Registers of `%arg` (vISA specification, predefined variables).
pub(super) const MOST_ARGUMENTS: u32 = 32;
/// Registers that are saved together.
pub(super) const SAVED_TOGETHER: u32 = 8;

/// Registers that a callee gives back, of so many: the upper half of all but eight (Intel's finalizer,
/// `StackCallABI`).
pub(super) const fn saved(count: u32) -> std::ops::Range<u32> {
    (count - 8) / 2..count - 4
}

/// Header of the frame's scratch messages.
pub(super) const fn header(count: u32) -> u32 {
    count - 2
}

/// Return address and stack pointers.
pub(super) const fn linkage(count: u32) -> u32 {
    count - 1
}

/// Variables in the registers of the convention.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// Registers of arguments and results.
    pub(super) exchange: VarId,
    /// How `%arg` and `%retval` lie.
    pub(super) lie: Exchange,
    /// `%arg`, and `%retval` where it is written: the exchange if they are shared.
    pub(super) arguments: VarId,
    pub(super) results: VarId,
    /// `%retval` where it is read of what a call gave back.
    pub(super) received: VarId,
    /// `%fp`, then `%sp`.
    pub(super) pointers: VarId,
    /// Return address.
    pub(super) link: VarId,
    /// Where a function keeps its return address.
    pub(super) kept_link: VarId,
    /// Address of a callee, and what a call leaves undefined beside the return address.
    pub(super) target: VarId,
    pub(super) header: VarId,
    /// Registers that a function gives back, as it found them.
    pub(super) saved: Vars,
    /// What a call leaves undefined.
    pub(super) lost: Vars,
}

/// A few variables.
pub(super) type Vars = SmallVec<[VarId; 8]>;

impl Stack {
    /// The variables, if the kernel has to do with stack calls.
    pub(crate) fn of(
        kernel: &visa::Kernel,
        facts: &SourceFacts,
        out: &mut gen_ir::Kernel<Virtual>,
        lists: &mut ExchangeLists,
    ) -> Option<Stack> {
        let caps = out.platform.caps();
        let grf = u32::from(caps.regs.grf_bytes);
        let named = used(kernel, facts, grf)?;
        out.outside = true;
        let function = kernel.is_function;
        let count = u32::from(out.grf_count);
        let (saved, header, linkage) = (saved(count), header(count), linkage(count));
        let at = |register: u32, byte: u32, bytes: u32| Var {
            fixed: Some(FileByte::new(register * grf + byte)),
            no_spill: true,
            live_in: function,
            ..Var::temp(VarClass::General, bytes, bytes.next_power_of_two().min(grf))
        };
        let exchange = named.clamp(1, MOST_ARGUMENTS);
        let lie = Exchange::of(kernel, facts, lists);
        let registers = out.add_var(at(ARGUMENTS, 0, exchange * grf));
        let mut own = || match lie {
            Exchange::Apart => out.add_var(Var::temp(VarClass::General, exchange * grf, grf)),
            _ => registers,
        };
        let (arguments, results, received) = (own(), own(), own());
        let mut stack = Stack {
            exchange: registers,
            lie,
            arguments,
            results,
            received,
            pointers: out.add_var(at(linkage, 16, 16)),
            link: out.add_var(at(linkage, 0, 8)),
            kept_link: out.add_var(Var::temp(VarClass::General, 8, 8)),
            target: out.add_var(Var { live_in: false, ..at(linkage, 8, 8) }),
            header: out.add_var(at(header, 0, grf)),
            saved: Vars::new(),
            lost: Vars::new(),
        };
        if function {
            out.scratch_header = Some(stack.header);
            for first in every(saved.clone(), SAVED_TOGETHER) {
                let var = Var { no_spill: false, ..at(first, 0, SAVED_TOGETHER * grf) };
                stack.saved.push(out.add_var(var));
            }
        }
        let after = ARGUMENTS + exchange;
        for range in [1..ARGUMENTS, after..saved.start, saved.end..header] {
            if !range.is_empty() {
                let var = Var { live_in: false, ..at(range.start, 0, to_index(range.len()) * grf) };
                stack.lost.push(out.add_var(var));
            }
        }
        // What is left of the register with the return address.
        stack.lost.push(stack.target);
        if grf > 32 {
            stack.lost.push(out.add_var(Var { live_in: false, ..at(linkage, 32, grf - 32) }));
        }
        for (class, bytes) in [
            (VarClass::Flag, u32::from(caps.regs.flag_count) * FlagSub::REGISTER_BYTES),
            (VarClass::Address, u32::from(caps.regs.addr_subregs) * AddrSub::BYTES),
        ] {
            let var = Var { fixed: Some(FileByte::START), no_spill: true, ..Var::temp(class, bytes, bytes) };
            stack.lost.push(out.add_var(var));
        }
        Some(stack)
    }

    /// The place of a predefined variable.
    pub(crate) fn location(&self, var: Predefined) -> Location {
        match var {
            Predefined::Arg => Location::Var(self.arguments, 0),
            Predefined::RetVal => Location::Var(self.results, 0),
            Predefined::Fp => Location::Var(self.pointers, 0),
            Predefined::ImplArgBufPtr => Location::Var(self.header, 0),
            Predefined::LocalIdBufPtr => Location::Var(self.header, 24),
            _ => Location::Var(self.pointers, 8),
        }
    }
}

/// Registers of arguments and results that a kernel names, if it has to do with stack calls.
fn used(kernel: &visa::Kernel, facts: &SourceFacts, grf: u32) -> Option<u32> {
    const EXCHANGE: u32 = 1 << Predefined::Arg.number() | 1 << Predefined::RetVal.number();
    const POINTERS: u32 = 1 << Predefined::Sp.number()
        | 1 << Predefined::Fp.number()
        | 1 << Predefined::ImplArgBufPtr.number()
        | 1 << Predefined::LocalIdBufPtr.number();
    let mut found = kernel.is_function || facts.stack.is_some() || facts.named & (EXCHANGE | POINTERS) != 0;
    let mut most = facts.stack.map_or(0, u32::from);
    most = most.max(arguments_of(kernel)).max(results_of(kernel));
    if facts.named & EXCHANGE != 0 {
        most = most.max(MOST_ARGUMENTS);
    }
    if facts.aliased & (EXCHANGE | POINTERS) != 0 {
        for (i, v) in kernel.vars.iter().enumerate().filter(|(_, v)| v.alias.is_some()) {
            let (root, offset) = kernel.resolve_alias(visa::VarId::from_declared(i));
            match root.predefined() {
                Some(Predefined::Arg | Predefined::RetVal) => {
                    found = true;
                    most = most.max(offset.saturating_add(v.bytes()).div_ceil(grf));
                }
                Some(
                    Predefined::Sp | Predefined::Fp | Predefined::ImplArgBufPtr | Predefined::LocalIdBufPtr,
                ) => found = true,
                _ => {}
            }
        }
    }
    found.then_some(most)
}

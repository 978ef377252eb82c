//! Stack calls: `fcall`, `ifcall`, `fret`, and the registers that callers and callees agree on.
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

use gen_ir::{Dst, ExecSize, Op, Outside, Payload, Region, Src, Type, Var, VarClass, VarId, Virtual};
use narrow::{low_u32, to_index, to_u16};
use smallvec::SmallVec;
use visa::{Predefined, VectorOperand};

use super::{Lowered, Lowerer, facts::Facts, vars::Location};
use crate::build::{self, Lanes, VReg, VSrc};

/// First register of arguments and results.
const ARGUMENTS: u32 = 26;
/// Registers of `%arg` (vISA specification, predefined variables).
const MOST_ARGUMENTS: u32 = 32;
/// Registers that are saved together.
const SAVED_TOGETHER: u32 = 8;

/// Registers that a callee gives back, of so many: the upper half of all but eight (Intel's finalizer,
/// `StackCallABI`).
const fn saved(count: u32) -> std::ops::Range<u32> {
    (count - 8) / 2..count - 4
}

/// Header of the frame's scratch messages.
const fn header(count: u32) -> u32 {
    count - 2
}

/// Return address and stack pointers.
const fn linkage(count: u32) -> u32 {
    count - 1
}

/// Variables in the registers of the convention.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// `%arg` and `%retval`.
    exchange: VarId,
    /// `%fp`, then `%sp`.
    pointers: VarId,
    /// Return address.
    link: VarId,
    /// Where a function keeps its return address.
    kept_link: VarId,
    /// Address of a callee, and what a call leaves undefined beside the return address.
    target: VarId,
    header: VarId,
    /// Registers that a function gives back, as it found them.
    saved: Vars,
    /// What a call leaves undefined.
    lost: Vars,
}

/// A few variables.
type Vars = SmallVec<[VarId; 8]>;

impl Stack {
    /// The variables, if the kernel has to do with stack calls.
    pub(crate) fn of(
        kernel: &visa::Kernel,
        facts: &Facts,
        out: &mut gen_ir::Kernel<Virtual>,
    ) -> Option<Stack> {
        let caps = out.platform.caps();
        let grf = u32::from(caps.regs.grf_bytes);
        let named = used(kernel, facts, grf)?;
        out.outside = true;
        let function = kernel.is_function;
        let count = u32::from(out.grf_count);
        let (saved, header, linkage) = (saved(count), header(count), linkage(count));
        let at = |register: u32, byte: u32, bytes: u32| Var {
            fixed: Some(register * grf + byte),
            no_spill: true,
            live_in: function,
            ..Var::temp(VarClass::General, bytes, bytes.next_power_of_two().min(grf))
        };
        let exchange = named.clamp(1, MOST_ARGUMENTS);
        let mut stack = Stack {
            exchange: out.add_var(at(ARGUMENTS, 0, exchange * grf)),
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
            for first in saved.clone().step_by(SAVED_TOGETHER as usize) {
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
            (VarClass::Flag, u32::from(caps.regs.flag_count) * 4),
            (VarClass::Address, u32::from(caps.regs.addr_subregs) * 2),
        ] {
            let var = Var { fixed: Some(0), no_spill: true, ..Var::temp(class, bytes, bytes) };
            stack.lost.push(out.add_var(var));
        }
        Some(stack)
    }

    /// The place of a predefined variable.
    pub(crate) fn location(&self, var: Predefined) -> Location {
        match var {
            Predefined::Arg | Predefined::RetVal => Location::Var(self.exchange, 0),
            Predefined::Fp => Location::Var(self.pointers, 0),
            Predefined::ImplArgBufPtr => Location::Var(self.header, 0),
            Predefined::LocalIdBufPtr => Location::Var(self.header, 24),
            _ => Location::Var(self.pointers, 8),
        }
    }
}

/// Registers of arguments and results that a kernel names, if it has to do with stack calls.
fn used(kernel: &visa::Kernel, facts: &Facts, grf: u32) -> Option<u32> {
    const EXCHANGE: u32 = 1 << Predefined::Arg as u32 | 1 << Predefined::RetVal as u32;
    const POINTERS: u32 = 1 << Predefined::Sp as u32
        | 1 << Predefined::Fp as u32
        | 1 << Predefined::ImplArgBufPtr as u32
        | 1 << Predefined::LocalIdBufPtr as u32;
    let size = |name| kernel.attr_int(name).and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
    let mut found = kernel.is_function || facts.stack.is_some() || facts.named & (EXCHANGE | POINTERS) != 0;
    let mut most = facts.stack.map_or(0, u32::from);
    most = most.max(size("ArgSize")).max(size("RetValSize"));
    most = most.max(kernel.input_size.into()).max(kernel.return_value_size.into());
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

impl Lowerer<'_> {
    fn stack(&self) -> Lowered<Stack> {
        self.vars.stack.clone().ok_or_else(|| "a stack call in a kernel without".into())
    }

    /// Before the first instruction: a kernel opens the frame of those it calls, a function keeps its
    /// return address.
    pub(crate) fn stack_prologue(&mut self) {
        let Some(stack) = self.vars.stack.clone() else { return };
        if self.visa.is_function {
            self.copy_dwords(stack.kept_link, stack.link);
            return;
        }
        for i in 0..self.vars.lists.moved_inputs.len() {
            let (from, to) = self.vars.lists.moved_inputs[i];
            let bytes = self.out.vars[to.index()].bytes;
            self.copy_bytes(VReg::var_at(to, 0), VReg::var_at(from, 0), bytes);
        }
        for inst in gen_ir::scratch::header(self.out.platform, stack.header, 0) {
            self.emit(inst);
        }
        self.move_frame(&stack, false);
        // Programs set the pointers themselves, if they use them.
        let pointers = Dst::packed(VReg::var_at(stack.pointers, 0), Type::Ud);
        self.emit(build::mov(Lanes::all(ExecSize::S4), pointers, Src::ud(0)));
    }

    fn copy_dwords(&mut self, to: VarId, from: VarId) {
        for byte in [0, 4] {
            let dst = Dst::packed(VReg::var_at(to, byte), Type::Ud);
            self.emit(build::mov(Lanes::SCALAR, dst, Src::scalar(VReg::var_at(from, byte), Type::Ud)));
        }
    }

    /// The header's base moves by the size of this function's frame.
    fn move_frame(&mut self, stack: &Stack, leave: bool) {
        let base = VReg::var_at(stack.header, gen_ir::scratch::BASE_BYTE);
        let srcs = [Src::scalar(base, Type::Ud), Src::ud(0)];
        let mut add = build::op(Op::Add, Lanes::SCALAR, Dst::packed(base, Type::Ud), &srcs);
        add.payload = Payload::Outside(Outside::Frame { leave });
        self.emit(add);
    }

    /// Other code reads bytes of a variable here.
    fn touch(&mut self, lanes: Lanes, var: VarId, read: u32) {
        if read == 0 {
            return;
        }
        let read = to_u16(read.min(self.out.vars[var.index()].bytes));
        let source = Src::new(VReg::var_at(var, 0), Region::PACKED, Type::Ud);
        let mut touch = build::op(Op::Sync, lanes, Dst::None, &[source]);
        touch.payload = Payload::Outside(Outside::Touch { read, written: 0 });
        self.emit(touch);
    }

    /// Other code has written a variable here.
    fn lose(&mut self, var: VarId) {
        let written = to_u16(self.out.vars[var.index()].bytes);
        let dst = Dst::packed(VReg::var_at(var, 0), Type::Ud);
        let mut touch = build::op(Op::Sync, Lanes::all(ExecSize::S8), dst, &[]);
        touch.payload = Payload::Outside(Outside::Touch { read: 0, written });
        self.emit(touch);
    }

    /// `fcall`, `ifcall` (with an address).
    pub(crate) fn stack_call(&mut self, address: Option<&VectorOperand>, arguments: u8) -> Lowered {
        let stack = self.stack()?;
        if let Some(pred) = self.pred.take() {
            if self.is_last() {
                return Err("nothing follows a conditional call".into());
            }
            self.skip_unless(pred);
        }
        let address = match address {
            Some(operand) => Some(low_dword(self.scalar_src(operand)?)),
            None => None,
        };
        let link = VReg::var_at(stack.link, 0);
        let target = VReg::var_at(stack.target, 0);
        if self.visa.is_function {
            self.move_frame(&stack, false);
        }
        if let Some(address) = address {
            self.emit(build::mov(Lanes::SCALAR, Dst::packed(target, Type::Ud), address));
        }
        let whole = Lanes { no_mask: true, ..self.lanes };
        self.touch(self.lanes, stack.exchange, u32::from(arguments) * self.grf());
        self.touch(whole, stack.pointers, 16);
        self.touch(whole, stack.header, self.grf());
        let mut call = build::op(Op::Calla, self.lanes, Dst::packed(link, Type::D), &[]);
        call.payload = Payload::Outside(Outside::Call);
        if address.is_some() {
            call.src[0] = Src::scalar(target, Type::Ud);
        }
        self.emit(call);
        self.new_block();
        for var in stack.lost.iter().copied().chain([stack.exchange]) {
            self.lose(var);
        }
        if self.visa.is_function {
            self.move_frame(&stack, true);
        }
        Ok(())
    }

    /// The end of a function: registers get back what was in them.
    pub(crate) fn function_epilogue(&mut self) -> Lowered {
        let stack = self.stack()?;
        let grf = self.grf();
        let copy = self.register_lanes();
        let mut restored = Vars::new();
        let first = saved(self.out.grf_count.into()).start;
        for (i, saved) in stack.saved.iter().enumerate() {
            let place = (first + to_index(i) * SAVED_TOGETHER) * grf;
            let var = Var {
                fixed: Some(place),
                no_spill: true,
                ..Var::temp(VarClass::General, SAVED_TOGETHER * grf, grf)
            };
            let out = self.var(var);
            let bytes = to_u16(SAVED_TOGETHER * grf);
            let from = Src::new(VReg::var_at(*saved, 0), Region::PACKED, Type::Ud);
            let to = Dst::packed(VReg::var_at(out, 0), Type::Ud);
            let mut restore = build::op(Op::Sync, Lanes::all(copy), to, &[from]);
            restore.payload = Payload::Outside(Outside::Touch { read: bytes, written: bytes });
            self.emit(restore);
            restored.push(out);
        }
        self.copy_dwords(stack.link, stack.kept_link);
        let size = self.visa.attr_int("RetValSize").and_then(|v| u32::try_from(v).ok());
        let results = size.unwrap_or_else(|| self.visa.return_value_size.into());
        let whole = Lanes::all(ExecSize::S8);
        let masked = Lanes { exec: self.lanes.exec, chan: self.lanes.chan, no_mask: false };
        self.touch(masked, stack.exchange, results * grf);
        self.touch(whole, stack.pointers, 16);
        self.touch(whole, stack.header, grf);
        for out in restored {
            self.touch(whole, out, SAVED_TOGETHER * grf);
        }
        let exec = ExecSize::from_lanes(u32::from(self.out.simd).clamp(8, 32)).unwrap_or(ExecSize::S16);
        let mut ret = build::op(Op::Ret, Lanes { exec, chan: 0, no_mask: false }, Dst::None, &[]);
        ret.src[0] = Src::new(VReg::var_at(stack.link, 0), Region::new(2, 2, 1), Type::D);
        ret.payload = Payload::Outside(Outside::Return);
        self.emit(ret);
        Ok(())
    }
}

/// The low half of an address.
fn low_dword(address: VSrc) -> VSrc {
    match address {
        Src::Direct { reg, region, .. } => Src::new(reg, region, Type::Ud),
        Src::Imm { bits, .. } => Src::ud(low_u32(bits)),
        other => other,
    }
}

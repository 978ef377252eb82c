//! Control flow (spec "Control Flow", `GOTO`, `JMP`, `CALL`, `RET`, `FCALL`, `FRET`, `SWITCHJMP`).

use super::{context::VisaCx, thread::VisaThread};
use crate::{
    report::Fault,
    thread::{Trap, mask},
};
use narrow::{to_u64, to_usize};
use visa::{Inst, LabelId, Op};

/// Addresses of functions start here, and lie this far apart.
const FUNCTIONS: u64 = 0x4000_0000;

impl VisaThread<'_> {
    fn target(&self, label: LabelId) -> Result<u32, Trap> {
        match self.unit().labels.get(label.index()) {
            Some(&at) if at != u32::MAX => Ok(at),
            _ => Err("the label is not in the code".into()),
        }
    }

    /// Active lanes that a branch takes. A branch of one lane decides for all.
    fn taking(&mut self, inst: &Inst<'_>, cx: &mut VisaCx<'_>) -> Result<u32, Trap> {
        // A jump is one of the whole thread, whatever execution size it states (spec "JMP").
        let scalar = inst.exec.size.lanes() == 1 || matches!(inst.op, Op::Jmp(_));
        // Other kernels are dispatched with as many lanes as their control flow is of.
        if !scalar && self.unit().kernel.is_cm() {
            self.frame.branch_of(mask(inst.exec.size.lanes()) << inst.exec.first_lane());
        }
        let active = if scalar { self.frame.active } else { self.frame.deciding() };
        let Some(p) = &inst.pred else { return Ok(active) };
        let (bits, doubt) = self.predicate(p, inst.exec)?;
        let relevant = if scalar { 1 } else { active.checked_shr(inst.exec.first_lane()).unwrap_or(0) };
        if doubt & relevant != 0 {
            cx.report(self, Fault::Uninitialized, || format!("predicate P{} was never written", p.id.0));
        }
        if scalar {
            return Ok(if bits & 1 != 0 { active } else { 0 });
        }
        Ok(active & bits.checked_shl(inst.exec.first_lane()).unwrap_or(0))
    }

    fn jump(&mut self, lanes: u32, to: u32) {
        let f = &mut self.frame;
        let next = f.pc + 1;
        let deciding = f.deciding();
        if lanes & deciding == deciding {
            f.pc = to;
        } else {
            f.park(lanes & deciding, to);
            f.pc = next;
        }
        f.settle();
    }

    /// Goes on behind an instruction.
    pub fn advance(&mut self) {
        self.frame.pc += 1;
        if self.frame.pc >= self.frame.next {
            self.frame.settle();
        }
    }

    /// Lanes leave the current call; the last of them ends it.
    fn leave_lanes(&mut self, lanes: u32) -> Result<(), Trap> {
        self.frame.lanes &= !lanes;
        self.frame.active &= !lanes;
        if self.frame.lanes & !self.frame.beyond != 0 {
            self.frame.pc += 1;
            self.frame.settle();
            return Ok(());
        }
        if !self.leave() {
            self.turn.end();
        }
        Ok(())
    }

    fn enter(&mut self, unit: Option<usize>, at: u32, lanes: u32) -> Result<(), Trap> {
        // The caller's lanes go on behind the call, together.
        self.advance();
        if lanes == 0 {
            return Ok(());
        }
        self.call(unit, at, lanes)
    }

    /// Runs a branch.
    pub fn branch(&mut self, inst: &Inst<'_>, cx: &mut VisaCx<'_>) -> Result<(), Trap> {
        match inst.op {
            Op::Label(_) => {}
            Op::Subroutine(_) => {}
            Op::Jmp(label) | Op::Goto(label) => {
                let to = self.target(label)?;
                let lanes = self.taking(inst, cx)?;
                self.jump(lanes, to);
                return Ok(());
            }
            Op::SwitchJmp { index, labels } => {
                let (value, _, unknown) = self.scalar(index)?;
                if unknown {
                    cx.report(self, Fault::Uninitialized, || "the index was never written".into());
                }
                if let Some(label) = labels.iter().nth(to_usize(value)) {
                    let to = self.target(label)?;
                    self.jump(self.frame.active, to);
                    return Ok(());
                }
            }
            Op::Call(label) => {
                let to = self.target(label)?;
                let lanes = self.taking(inst, cx)?;
                return self.enter(None, to, lanes);
            }
            Op::Ret | Op::Fret => {
                let lanes = self.taking(inst, cx)?;
                return self.leave_lanes(lanes);
            }
            Op::Fcall { function, .. } => {
                let name = self.unit().kernel.strings.get(function).unwrap_or_default();
                let Some(unit) = self.program.function(name) else {
                    return Err(format!("no function {}", String::from_utf8_lossy(name)).into());
                };
                let lanes = self.taking(inst, cx)?;
                return self.enter(Some(unit), 0, lanes);
            }
            Op::Ifcall { address, .. } => {
                let lanes = self.taking(inst, cx)?;
                if lanes == 0 {
                    self.advance();
                    return Ok(());
                }
                let (value, _, unknown) = self.scalar(address)?;
                if unknown {
                    cx.report(self, Fault::Uninitialized, || "the address was never written".into());
                }
                let unit = value
                    .checked_sub(FUNCTIONS)
                    .filter(|v| v % 64 == 0)
                    .map(|v| to_usize(v / 64))
                    .filter(|u| *u > 0 && *u < self.program.units.len());
                let Some(unit) = unit else { return Err(format!("no function at {value:#x}").into()) };
                return self.enter(Some(unit), 0, lanes);
            }
            Op::Faddr { symbol, dst } => {
                let name = self.unit().kernel.strings.get(symbol).unwrap_or_default();
                let text = String::from_utf8_lossy(name);
                let value = match self.program.function(name) {
                    Some(unit) => FUNCTIONS + 64 * to_u64(unit),
                    None => match self.program.symbols.address(&text) {
                        Some(address) => address,
                        None => return Err(format!("nothing defines the symbol {text}").into()),
                    },
                };
                let mut out = [0; 32];
                out[0] = value;
                self.store(dst, 1, &out, 0)?;
            }
            _ => return Err("no branch".into()),
        }
        self.advance();
        Ok(())
    }
}

//! Labels, branches, calls, barriers and marks.

use super::{Dest, KernelBuilder, Source};
use crate::{
    ids::*,
    op::{Callee, LifetimeMark, LifetimeVar, Op},
    opcode::Opcode,
    operand::{Labels, Operand},
    types::{Exec, ExecSize, LabelKind},
};

impl KernelBuilder {
    /// A label stands here.
    pub fn place(&mut self, label: LabelId) {
        let kind = self.kernel.labels.get(label.index()).map(|l| l.kind);
        match kind {
            Some(LabelKind::Subroutine) => self.op(Opcode::Subroutine, Exec::SCALAR, Op::Subroutine(label)),
            _ => self.op(Opcode::Label, Exec::SCALAR, Op::Label(label)),
        }
    }

    /// `jmp`: all lanes go elsewhere.
    pub fn jmp(&mut self, to: LabelId) {
        self.op(Opcode::Jmp, Exec::SCALAR, Op::Jmp(to));
    }

    /// `goto`: each lane whose guard is true goes elsewhere.
    pub fn goto(&mut self, exec: Exec, to: LabelId) {
        self.op(Opcode::Goto, exec, Op::Goto(to));
    }

    /// `call` of a subroutine.
    pub fn call(&mut self, exec: Exec, to: LabelId) {
        self.op(Opcode::Call, exec, Op::Call(to));
    }

    /// `ret`: the end of the kernel, or of a subroutine that was called with all lanes.
    pub fn ret(&mut self) {
        self.ret_lanes(Exec::SCALAR);
    }

    /// `ret` of each lane.
    pub fn ret_lanes(&mut self, exec: Exec) {
        self.op(Opcode::Ret, exec, Op::Ret);
    }

    /// `fret` from a function.
    pub fn fret(&mut self, exec: Exec) {
        self.op(Opcode::Fret, exec, Op::Fret);
    }

    /// `fcall`: a function by name; sizes of arguments and return value in registers.
    pub fn fcall(&mut self, exec: Exec, function: &str, arg_size: u8, return_size: u8) {
        let function = self.string(function);
        self.op(Opcode::Fcall, exec, Op::Fcall { function, arg_size, return_size });
    }

    /// `ifcall`: a function by address.
    pub fn ifcall(
        &mut self,
        exec: Exec,
        callee: Callee,
        address: impl Into<Source>,
        arg_size: u8,
        return_size: u8,
    ) {
        let address = address.into().operand(exec.size);
        let op = Op::Ifcall { callee, no_return: false, address: &address, arg_size, return_size };
        self.op(Opcode::Ifcall, exec, op);
    }

    /// `faddr`: the address of a symbol, which a linker fills in.
    pub fn faddr(&mut self, symbol: &str, dst: impl Into<Dest>) {
        let symbol = self.string(symbol);
        self.op(Opcode::Faddr, Exec::SCALAR, Op::Faddr { symbol, dst: &dst.into().operand() });
    }

    /// `switchjmp`: to the label that the index counts to.
    pub fn switchjmp(&mut self, index: impl Into<Source>, labels: &[LabelId]) {
        let labels: Vec<Operand> = labels.iter().map(|l| Operand::Label(*l)).collect();
        let index = index.into().operand(ExecSize::S1);
        let op = Op::SwitchJmp { index: &index, labels: Labels::new(&labels) };
        self.op(Opcode::Switchjmp, Exec::SCALAR, op);
    }

    /// `lifetime.start` or `lifetime.end` of a variable.
    pub fn lifetime(&mut self, mark: LifetimeMark, var: LifetimeVar) {
        self.op(Opcode::Lifetime, Exec::SCALAR, Op::Lifetime { mark, var });
    }

    /// The source file of what follows.
    pub fn file(&mut self, name: &str) {
        let name = self.string(name);
        self.op(Opcode::File, Exec::SCALAR, Op::File(name));
    }

    /// The source line of what follows.
    pub fn line_number(&mut self, line: u32) {
        self.op(Opcode::Loc, Exec::SCALAR, Op::Loc(line));
    }
}

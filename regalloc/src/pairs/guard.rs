//! The predicate of instructions that may run only where a channel does.

use gen_ir::{
    Cond, CondMod, Dst, ExecSize, FileByte, GrfNum, Inst, Kernel, Op, Pool, Pred, PredCtrl, Reg, Region, Src,
    Type, Var, VarClass, VarId, Virtual,
};

/// Writes predicates; memory for the instructions of a block.
#[derive(Default)]
pub(super) struct Guards {
    insts: Vec<Inst<Virtual>>,
}

/// What the flags of all blocks are made of.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The channels that may be on.
    width: ExecSize,
    /// A register that is defined.
    r0: Reg<Virtual>,
}

impl Question {
    pub fn of(kernel: &Kernel<Virtual>) -> Question {
        let is_r0 = |v: &Var| v.class == VarClass::General && v.fixed == Some(FileByte::START);
        let header = kernel.vars.iter().position(is_r0);
        Question {
            width: ExecSize::from_lanes(kernel.flow_width()).unwrap_or(ExecSize::S32),
            r0: header.map_or(Reg::grf(GrfNum::new(0), 0), |v| Reg::var_at(v.into(), 0)),
        }
    }
}

impl Guards {
    /// Gives instructions of block `b`, those at `found`, a predicate that holds where any channel is on.
    pub fn add(
        &mut self,
        kernel: &mut Kernel<Virtual>,
        question: Question,
        (b, found): (usize, &[usize]),
        pool: &mut Pool<Virtual>,
    ) {
        let Some(&first) = found.first() else { return };
        let old = std::mem::take(&mut kernel.blocks[b].insts);
        let lanes = found.iter().map(|&i| old[i].exec.lanes()).max().unwrap_or(1);
        self.insts.clear();
        let mut found = found.iter().peekable();
        let mut writer = Writer { pred: None, insts: &mut self.insts };
        for (i, inst) in old.iter().enumerate() {
            if i == first {
                writer.start(kernel, question, lanes, inst.origin);
            }
            match found.next_if(|at| **at == i) {
                Some(_) => writer.guard(kernel, *inst),
                None => writer.insts.push(*inst),
            }
        }
        kernel.blocks[b].insts = old;
        pool.store(&mut kernel.blocks[b].insts, &self.insts);
    }
}

struct Writer<'a> {
    /// Whether any channel is on.
    pred: Option<Pred<Virtual>>,
    insts: &'a mut Vec<Inst<Virtual>>,
}

impl Writer<'_> {
    /// Finds out whether any channel is on, for instructions of up to `lanes`.
    fn start(&mut self, kernel: &mut Kernel<Virtual>, question: Question, lanes: u32, origin: u32) {
        let bytes = if lanes.max(question.width.lanes()) > 16 { 4 } else { 2 };
        let any_on = Var { any_on: true, ..Var::temp(VarClass::Flag, bytes, bytes) };
        let flag = Reg::var_at(kernel.add_var(any_on), 0);
        self.scalar(flag, Src::imm(0, number(bytes)), None, origin);
        // Under the mask, so channels that are off say nothing. Any register is equal to itself (Intel's form of it).
        let itself = Src::scalar(question.r0, Type::Uw);
        self.insts.push(Inst {
            cond: Some(CondMod { cond: Cond::Eq, flag }),
            dst: Dst::null(Type::Uw),
            src: [itself, itself, Src::None],
            origin,
            ..Inst::new(Op::Cmp, question.width)
        });
        let over = if bytes == 4 { ExecSize::S32 } else { ExecSize::S16 };
        let by_width = kernel.platform.caps().words.pred_width;
        self.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::any_of(over, by_width) });
    }

    /// Writes an instruction so that it does nothing where no channel is on.
    fn guard(&mut self, kernel: &mut Kernel<Virtual>, inst: Inst<Virtual>) {
        let chooses = inst.op.info().chooses;
        match (inst.pred, inst.cond) {
            (None, None) => self.insts.push(Inst { pred: self.pred, chan: 0, ..inst }),
            (Some(pred), cond) if !chooses => self.beside_predicate(kernel, inst, pred, cond),
            (_, cond) => self.beside_condition(kernel, inst, cond.filter(|_| !chooses)),
        }
    }

    /// An instruction with a predicate gets one that holds for no channel.
    fn beside_predicate(
        &mut self,
        kernel: &mut Kernel<Virtual>,
        inst: Inst<Virtual>,
        pred: Pred<Virtual>,
        cond: Option<CondMod<Virtual>>,
    ) {
        let Some(old) = pred.flag.var() else { return self.insts.push(inst) };
        let (new, ty) = self.flag_like(kernel, old);
        let none = if pred.inv { u64::MAX } else { 0 };
        self.scalar(Reg::var_at(new, 0), Src::imm(none & ones(ty), ty), None, inst.origin);
        self.copy_flag(kernel, (new, old), (ty, self.pred), inst.origin);
        let flag = Reg::var_at(new, pred.flag.byte);
        // Of both a word has one flag.
        let cond = cond.map(|c| CondMod { flag: Reg::var_at(new, c.flag.byte), ..c });
        self.insts.push(Inst { pred: Some(Pred { flag, ..pred }), cond, ..inst });
        if cond.is_some() {
            self.copy_flag(kernel, (old, new), (ty, self.pred), inst.origin);
        }
    }

    /// An instruction that can have no predicate besides its flag, or chooses by it, writes elsewhere, and its results are
    /// moved.
    fn beside_condition(
        &mut self,
        kernel: &mut Kernel<Virtual>,
        mut inst: Inst<Virtual>,
        cond: Option<CondMod<Virtual>>,
    ) {
        let flags = cond.and_then(|c| Some((c, c.flag.var()?)));
        let flags = flags.map(|(c, old)| {
            let (new, ty) = self.flag_like(kernel, old);
            // The bits that it does not write stay.
            self.copy_flag(kernel, (new, old), (ty, None), inst.origin);
            inst.cond = Some(CondMod { flag: Reg::var_at(new, c.flag.byte), ..c });
            (old, new, ty)
        });
        let result = self.result_elsewhere(kernel, &mut inst);
        self.insts.push(inst);
        self.insts.extend(result);
        if let Some((old, new, ty)) = flags {
            self.copy_flag(kernel, (old, new), (ty, self.pred), inst.origin);
        }
    }

    /// Gives the result of an instruction a temporary, and returns the move from there.
    fn result_elsewhere(
        &self,
        kernel: &mut Kernel<Virtual>,
        inst: &mut Inst<Virtual>,
    ) -> Option<Inst<Virtual>> {
        let (horz, ty) = match inst.dst {
            Dst::Direct { reg, horz, ty } if !reg.is_null() => (horz, ty),
            Dst::Indirect { horz, ty, .. } => (horz, ty),
            _ => return None,
        };
        let stride = horz.max(1);
        let bytes = inst.exec.lanes() * u32::from(stride) * ty.bytes();
        // As far inside a register as the result: rules look at that.
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        let (align, inside) = match inst.dst.reg().and_then(|reg| Some((reg.var()?, reg.byte))) {
            Some((old, byte)) => {
                let align = kernel.vars[old.index()].align.min(grf_bytes);
                (align, byte % align)
            }
            None => (grf_bytes, 0),
        };
        let temp = Var::temp(VarClass::General, (inside + bytes).next_multiple_of(align), align);
        let temp = Reg::var_at(kernel.add_var(temp), inside);
        let bits = same_bits(ty);
        let region = if inst.exec == ExecSize::S1 { Region::SCALAR } else { Region::new(stride, 1, 0) };
        let mut to = std::mem::replace(&mut inst.dst, Dst::Direct { reg: temp, horz, ty });
        if let Dst::Direct { ty, .. } | Dst::Indirect { ty, .. } = &mut to {
            *ty = bits;
        }
        Some(Inst {
            no_mask: true,
            pred: self.pred,
            dst: to,
            src: [Src::new(temp, region, bits), Src::None, Src::None],
            origin: inst.origin,
            ..Inst::new(Op::Mov, inst.exec)
        })
    }

    /// A new flag of the size of another.
    fn flag_like(&self, kernel: &mut Kernel<Virtual>, old: VarId) -> (VarId, Type) {
        let bytes = kernel.vars[old.index()].bytes;
        (kernel.add_var(Var::temp(VarClass::Flag, bytes, bytes)), number(bytes))
    }

    /// A copy of a flag: by way of a general register, as in Intel's code (`applyNoMaskWA`, doPredicateInstWA), which
    /// nowhere moves a flag to a flag.
    fn copy_flag(
        &mut self,
        kernel: &mut Kernel<Virtual>,
        (to, from): (VarId, VarId),
        (ty, pred): (Type, Option<Pred<Virtual>>),
        origin: u32,
    ) {
        let between = Var::temp(VarClass::General, ty.bytes(), ty.bytes());
        let between = Reg::var_at(kernel.add_var(between), 0);
        self.scalar(between, Src::scalar(Reg::var_at(from, 0), ty), None, origin);
        self.scalar(Reg::var_at(to, 0), Src::scalar(between, ty), pred, origin);
    }

    /// A move of one number.
    fn scalar(&mut self, to: Reg<Virtual>, from: Src<Virtual>, pred: Option<Pred<Virtual>>, origin: u32) {
        let ty = from.ty().unwrap_or(Type::Uw);
        self.insts.push(Inst {
            no_mask: true,
            pred,
            dst: Dst::packed(to, ty),
            src: [from, Src::None, Src::None],
            origin,
            ..Inst::new(Op::Mov, ExecSize::S1)
        });
    }
}

/// The bits of a flag as a number.
fn number(bytes: u32) -> Type {
    if bytes == 4 { Type::Ud } else { Type::Uw }
}

fn ones(ty: Type) -> u64 {
    if ty == Type::Ud { u32::MAX.into() } else { u16::MAX.into() }
}

/// A type that moves as bits what is of this type.
fn same_bits(ty: Type) -> Type {
    match ty.bytes() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => ty,
    }
}

//! Instructions of random kernels.

use super::*;
use messages::hdc::{Dc1, Surface};

impl GotoMaker {
    /// A packed or scalar source that stays inside its variable.
    pub(super) fn source(&mut self, exec: ExecSize, chan: u8) -> Src<Virtual> {
        let scalars = self.scalars.clone();
        let vectors = self.vectors.clone();
        match self.r.below(10) {
            0 => Src::ud(self.r.below(1000)),
            1..=3 if !scalars.is_empty() => {
                let v = self.pick(&scalars);
                let ty = if self.bytes(v) >= 4 { Type::D } else { Type::W };
                Src::scalar(Reg::var_at(v, 0), ty)
            }
            4 => {
                let v = self.pick(&vectors);
                let at = self.r.below(self.bytes(v) / 4) * 4;
                Src::scalar(Reg::var_at(v, at), Type::D)
            }
            5..=7
                if !self.by_lane.is_empty()
                    && exec.lanes() + u32::from(chan) <= WIDTH
                    && exec.lanes() >= 4 =>
            {
                let v = self.pick(&self.by_lane.clone());
                let half = self.r.below(self.bytes(v) / 64) * 64;
                Src::packed(Reg::var_at(v, half + u32::from(chan) * 4), Type::D)
            }
            _ => {
                let v = self.pick(&vectors);
                let n = exec.lanes();
                for ty in [Type::Q, Type::D, Type::W, Type::B] {
                    let need = n * ty.bytes();
                    if need > self.bytes(v) || (ty == Type::Q && self.r.chance(50)) {
                        continue;
                    }
                    // Mostly at the lanes' own place.
                    let own = u32::from(chan) * ty.bytes();
                    let room = self.bytes(v) - need;
                    let at = if own <= room && self.r.chance(90) {
                        own
                    } else {
                        self.r.below(room / need + 1) * need
                    };
                    return Src::packed(Reg::var_at(v, at), ty);
                }
                Src::ud(5)
            }
        }
    }

    /// Writes all of a variable, in parts as lowering splits them.
    pub(super) fn whole_write(&mut self, out: &mut Vec<Inst<Virtual>>, v: VarId, no_mask: bool) {
        let bytes = self.bytes(v);
        let (ty, exec) = match bytes {
            12 => (Type::D, ExecSize::S1),
            48 => (Type::D, ExecSize::S4),
            32 => (Type::W, FULL),
            _ => (Type::D, if self.r.chance(30) { ExecSize::S8 } else { FULL }),
        };
        let step = exec.lanes() * ty.bytes();
        let mut at = 0;
        while at < bytes {
            let chan = (at / ty.bytes() % WIDTH) as u8;
            let chan = if exec.lanes() >= 4 { chan & !(exec.lanes().min(16) as u8 - 1) } else { 0 };
            let (a, b) = (self.source(exec, chan), self.source(exec, chan));
            let inst = Inst {
                chan,
                no_mask,
                dst: Dst::packed(Reg::var_at(v, at), ty),
                src: [a, b, Src::None],
                ..Inst::new(Op::Add, exec)
            };
            let inst = self.stamp(inst);
            out.push(inst);
            at += step;
        }
    }

    pub(super) fn flag_write(&mut self, out: &mut Vec<Inst<Virtual>>, flag: VarId, uniform: bool) {
        let (lanes, counter) = (self.lanes, self.counter);
        let a = if uniform {
            Src::scalar(Reg::var_at(lanes, self.r.below(16) * 4), Type::D)
        } else {
            Src::packed(Reg::var_at(lanes, 0), Type::D)
        };
        let inst = Inst {
            no_mask: uniform,
            dst: Dst::null(Type::D),
            src: [a, Src::scalar(Reg::var_at(counter, 0), Type::D), Src::ud(self.r.below(64))],
            cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(flag, 0) }),
            ..Inst::new(Op::Cmp, FULL)
        };
        let inst = self.stamp(inst);
        out.push(inst);
    }

    /// The bytes of dwords one after the other, in any order: together they define the dwords, unless one is missing,
    /// one is written by other lanes, or something reads in between.
    pub(super) fn parts(&mut self, out: &mut Vec<Inst<Virtual>>, v: VarId, vectors: &[VarId]) {
        let at = self.r.below(self.bytes(v) / 64) * 64;
        let no_mask = self.r.chance(30);
        let first = self.r.below(4);
        for i in 0..4 {
            if self.r.chance(5) {
                continue;
            }
            let byte = (first + 3 * i) % 4;
            let (a, b) = (self.source(FULL, 0), self.source(FULL, 0));
            let no_mask = no_mask != self.r.chance(5);
            let inst = self.stamp(Inst {
                no_mask,
                dst: Dst::Direct { reg: Reg::var_at(v, at + byte), horz: 4, ty: Type::B },
                src: [a, b, Src::None],
                ..Inst::new(Op::Add, FULL)
            });
            out.push(inst);
            if self.r.chance(10) {
                let other = self.pick(vectors);
                self.whole_write(out, other, false);
            }
        }
    }

    pub(super) fn instruction(&mut self, out: &mut Vec<Inst<Virtual>>) {
        let (vectors, scalars, flags) = (self.vectors.clone(), self.scalars.clone(), self.flags.clone());
        match self.r.below(20) {
            0..=5 if !self.by_lane.is_empty() => {
                let v = self.pick(&self.by_lane.clone());
                self.whole_write(out, v, false);
            }
            0..=7 => {
                let v = self.pick(&vectors);
                let no_mask = self.r.chance(15);
                self.whole_write(out, v, no_mask);
            }
            8..=11 if !scalars.is_empty() => {
                let v = self.pick(&scalars);
                let ty = match self.bytes(v) {
                    2 => Type::W,
                    4 => Type::D,
                    _ => Type::Q,
                };
                let (a, b) = (self.source(ExecSize::S1, 0), self.source(ExecSize::S1, 0));
                let inst = self.stamp(Inst {
                    no_mask: true,
                    dst: Dst::packed(Reg::var_at(v, 0), ty),
                    src: [a, b, Src::None],
                    ..Inst::new(Op::Add, ExecSize::S1)
                });
                out.push(inst);
            }
            12..=14 => self.part(out, &vectors, &flags),
            15 if !flags.is_empty() => {
                let f = self.pick(&flags);
                let uniform = self.r.chance(30);
                self.flag_write(out, f, uniform);
            }
            16 => {
                let v = self.pick(&vectors);
                if self.bytes(v) < 64 || flags.is_empty() {
                    return;
                }
                let pred = self.predicate(&flags, 100);
                let (a, b) = (self.source(FULL, 0), self.source(FULL, 0));
                let inst = self.stamp(Inst {
                    pred,
                    dst: Dst::packed(Reg::var_at(v, 0), Type::D),
                    src: [a, b, Src::None],
                    ..Inst::new(Op::Sel, FULL)
                });
                out.push(inst);
            }
            _ => self.message(out, &vectors, &flags),
        }
    }

    /// A part of a variable, perhaps strided, perhaps predicated.
    fn part(&mut self, out: &mut Vec<Inst<Virtual>>, vectors: &[VarId], flags: &[VarId]) {
        let v = self.pick(vectors);
        if self.bytes(v) >= 64 && self.r.chance(25) {
            self.parts(out, v, vectors);
            return;
        }
        let (exec, ty, horz) = [
            (ExecSize::S8, Type::W, 1),
            (ExecSize::S8, Type::W, 2),
            (ExecSize::S4, Type::D, 1),
            (ExecSize::S16, Type::B, 2),
            (ExecSize::S1, Type::D, 1),
            (ExecSize::S8, Type::D, 2),
        ][self.r.below(6) as usize];
        let need = exec.lanes() * ty.bytes() * horz;
        if need > self.bytes(v) {
            return;
        }
        let at = self.r.below((self.bytes(v) - need) / need + 1) * need;
        let chan = if exec == ExecSize::S8 && self.r.chance(40) { 8 } else { 0 };
        let (a, b) = (self.source(exec, chan), self.source(exec, chan));
        let pred = self.predicate(flags, 40);
        let no_mask = self.r.chance(30);
        let inst = self.stamp(Inst {
            chan,
            no_mask,
            pred,
            dst: Dst::Direct { reg: Reg::var_at(v, at), horz: horz as u8, ty },
            src: [a, b, Src::None],
            ..Inst::new(Op::Add, exec)
        });
        out.push(inst);
    }

    pub(super) fn predicate(&mut self, flags: &[VarId], percent: u32) -> Option<Pred<Virtual>> {
        (!flags.is_empty() && self.r.chance(percent)).then(|| Pred {
            flag: Reg::var_at(self.pick(flags), 0),
            inv: self.r.chance(50),
            ctrl: PredCtrl::Seq,
        })
    }

    pub(super) fn message(&mut self, out: &mut Vec<Inst<Virtual>>, vectors: &[VarId], flags: &[VarId]) {
        let grf = u32::from(self.k.platform.caps().regs.grf_bytes);
        let whole: Vec<VarId> =
            vectors.iter().copied().filter(|v| self.bytes(*v).is_multiple_of(64)).collect();
        if whole.is_empty() {
            return;
        }
        let (a, b, d) = (self.pick(&whole), self.pick(&whole), self.pick(&whole));
        let split = self.k.platform.caps().sends.split && self.r.chance(50) && a != b;
        let reply = self.r.chance(60);
        let len = |v: VarId| (self.bytes(v) / grf) as u8;
        let (la, lb, ld) = (len(a), len(b), len(d));
        let pred = self.predicate(flags, 20);
        let no_mask = self.r.chance(20);
        let inst = self.stamp(Inst {
            no_mask,
            pred,
            dst: if reply { Dst::packed(Reg::var_at(d, 0), Type::W) } else { Dst::null(Type::W) },
            src: [
                Src::packed(Reg::var_at(a, 0), Type::Ud),
                if split { Src::packed(Reg::var_at(b, 0), Type::Ud) } else { Src::None },
                Src::None,
            ],
            payload: Payload::Send(SendInfo {
                sfid: Sfid::Dc1,
                desc: Desc::Imm(Surface::new().with_message_type(Some(Dc1::UntypedAtomic)).into()),
                ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: if reply { ld } else { 0 },
                src0_len: la,
                src1_len: if split { lb } else { 0 },
            }),
            ..Inst::new(if split { Op::Sends } else { Op::Send }, FULL)
        });
        out.push(inst);
    }
}

//! Instructions that compute.

use super::{BusyVar, KernelMaker, Spot, Style};
use gen_ir::{Dst, ExecSize, Inst, Op, Pred, PredCtrl, Reg, Region, Src, SrcMod, Type, VarId, Virtual};

impl KernelMaker {
    /// A number that hardly any other instruction has.
    pub(super) fn number(&mut self, ty: Type) -> Src<Virtual> {
        Src::imm(1 + self.r.below(60_000) as u64, ty)
    }

    /// One of the execution sizes that have at least eight channels and at most the kernel's.
    fn exec(&mut self, style: Style, most: u32) -> ExecSize {
        let most = most.min(self.simd);
        let sizes: Vec<u32> = [8, 16, 32].into_iter().filter(|n| *n <= most).collect();
        let lanes = match style {
            Style::Full => most,
            Style::Low => 8,
            Style::Own | Style::Any => *self.r.pick(&sizes),
        };
        ExecSize::from_lanes(lanes).expect("a number of channels")
    }

    /// Channels, at most so many, that touch a variable as it is touched, and where, for elements so many bytes apart: none if
    /// that does not fit. `unit`: what places are multiples of.
    pub(super) fn spot(&mut self, subject: BusyVar, (pitch, unit): (u32, u32), most: u32) -> Option<Spot> {
        let style = if self.chance(6) { Style::Any } else { subject.style };
        let exec = self.exec(style, most);
        let groups = self.simd / exec.lanes();
        let chan = match style {
            Style::Low => 0,
            Style::Full | Style::Own | Style::Any => self.below(groups) * exec.lanes(),
        };
        let need = exec.lanes() * pitch;
        let row = (self.simd * pitch).max(unit);
        let own = chan * pitch + self.below((subject.bytes / row).max(1)) * row;
        let room = subject.bytes.checked_sub(need)?;
        let at = match style {
            Style::Own | Style::Full => own,
            Style::Any if self.chance(40) => own,
            Style::Low | Style::Any => {
                let step = need.max(unit).min(self.grf);
                self.below(room / step + 1) * step
            }
        };
        (at <= room && at.is_multiple_of(unit)).then_some(Spot { exec, chan: chan as u8, at })
    }

    fn guard(&mut self, inst: &mut Inst<Virtual>) {
        match self.below(8) {
            0 => inst.no_mask = true,
            1 => {
                let flag = Reg::var_at(self.flag(), 0);
                inst.pred = Some(Pred { flag, inv: self.chance(50), ctrl: PredCtrl::Seq });
                inst.no_mask = self.chance(15);
            }
            _ => {}
        }
    }

    /// A source of a type for channels.
    fn source(&mut self, ty: Type, spot: Spot) -> Src<Virtual> {
        let kind = self.below(10);
        if kind == 0 && ty == Type::Ud {
            let at = self.below(self.simd) * 4;
            return Src::scalar(Reg::var_at(self.lanes, at), ty);
        }
        if kind == 1 && !self.scalars.is_empty() && ty.bytes() <= 4 {
            let scalars = self.scalars.clone();
            return Src::scalar(Reg::var_at(*self.r.pick(&scalars), 0), ty);
        }
        if kind == 2 && ty == Type::Ud {
            return Src::packed(Reg::var_at(self.lanes, u32::from(spot.chan) * 4), ty);
        }
        let subjects = self.subjects.clone();
        let subject = *self.r.pick(&subjects);
        if kind == 3 {
            // An element that some lane has, for all.
            let at = self.below(subject.bytes / ty.bytes()) * ty.bytes();
            return Src::scalar(Reg::var_at(subject.var, at), ty);
        }
        let need = spot.exec.lanes() * ty.bytes();
        let Some(room) = subject.bytes.checked_sub(need) else { return self.number(ty) };
        let own = u32::from(spot.chan) * ty.bytes();
        let mostly_own = if subject.style == Style::Any { 40 } else { 90 };
        let at = if own <= room && self.chance(mostly_own) {
            own
        } else {
            let step = need.min(self.grf);
            self.below(room / step + 1) * step
        };
        if 2 * need - ty.bytes() <= subject.bytes - at && self.chance(10) {
            return Src::new(Reg::var_at(subject.var, at), Region::new(2, 1, 0), ty);
        }
        Src::packed(Reg::var_at(subject.var, at), ty)
    }

    /// A masked, predicated or unmasked write of some of a variable.
    fn write(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let other = *self.r.pick(&[Type::Ub, Type::Uw, Type::Ud, Type::Uq]);
        let ty = if self.chance(85) { subject.ty } else { other };
        let horz = if self.chance(8) { 2 } else { 1 };
        let Some(spot) = self.spot(subject, (ty.bytes() * horz, ty.bytes()), 32) else { return };
        let first = if horz == 2 { self.below(2) * ty.bytes() } else { 0 };
        let reg = Reg::var_at(subject.var, spot.at + first);
        if reg.byte + (spot.exec.lanes() - 1) * horz * ty.bytes() + ty.bytes() > subject.bytes {
            return;
        }
        let mut inst = Inst {
            chan: spot.chan,
            dst: Dst::Direct { reg, horz: horz as u8, ty },
            ..Inst::new(Op::Mov, spot.exec)
        };
        match self.below(3) {
            0 => inst.src[0] = self.number(ty),
            1 => inst.src[0] = self.source(ty, spot),
            _ => {
                inst.op = Op::Add;
                inst.src = [self.source(ty, spot), self.number(ty), Src::None];
                if self.chance(30) {
                    inst.src[1] = self.source(ty, spot);
                }
            }
        }
        self.guard(&mut inst);
        out.push(inst);
    }

    /// Writes all of a variable, as it is touched as a rule.
    pub(super) fn whole_write(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let exec = self.exec(subject.style, 32);
        let step = exec.lanes() * subject.ty.bytes();
        let no_mask = self.chance(25);
        for at in (0..subject.bytes / step).map(|n| n * step) {
            let chan = at / subject.ty.bytes() % self.simd;
            let chan = if subject.style == Style::Low { 0 } else { chan };
            let dst = Dst::packed(Reg::var_at(subject.var, at), subject.ty);
            let src = [self.number(subject.ty), Src::None, Src::None];
            out.push(Inst { no_mask, chan: chan as u8, dst, src, ..Inst::new(Op::Mov, exec) });
        }
    }

    pub(super) fn scalar_write(&mut self, var: VarId, at: u32, value: Src<Virtual>) -> Inst<Virtual> {
        Inst {
            no_mask: true,
            dst: Dst::packed(Reg::var_at(var, at), Type::Ud),
            src: [value, Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S1)
        }
    }

    /// Reads or writes some of a variable through an address, if it has one.
    fn indirect(&mut self, out: &mut Vec<Inst<Virtual>>) {
        let subjects = self.subjects.iter().copied();
        let taken: Vec<BusyVar> = subjects.filter(|s| self.vars[s.var.index()].address_taken).collect();
        if taken.is_empty() {
            return;
        }
        let subject = *self.r.pick(&taken);
        let exec = self.exec(Style::Low, 8);
        let step = exec.lanes() * 4;
        let from = self.below(subject.bytes / step) * step;
        let address = Reg::var_at(self.address, 0);
        out.push(Inst {
            no_mask: true,
            dst: Dst::packed(address, Type::Uw),
            src: [Src::address_of(Reg::var_at(subject.var, from), Type::Uw), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S1)
        });
        let region = Region::PACKED;
        if self.chance(40) {
            let spot = Spot { exec, chan: (self.below(self.simd / 8) * 8) as u8, at: 0 };
            let dst = Dst::Indirect { addr: address, imm: 0, horz: 1, ty: Type::Ud };
            let src = [self.source(Type::Ud, spot), Src::None, Src::None];
            let mut inst = Inst { chan: spot.chan, dst, src, ..Inst::new(Op::Mov, exec) };
            self.guard(&mut inst);
            out.push(inst);
            return;
        }
        let subjects = self.subjects.clone();
        let to = *self.r.pick(&subjects);
        let Some(spot) = self.spot(to, (4, 4), 8).filter(|spot| spot.exec == exec) else { return };
        let mut inst = Inst {
            chan: spot.chan,
            dst: Dst::packed(Reg::var_at(to.var, spot.at), Type::Ud),
            ..Inst::new(Op::Mov, exec)
        };
        inst.src[0] = Src::Indirect { addr: address, imm: 0, region, mods: SrcMod::None, ty: Type::Ud };
        self.guard(&mut inst);
        out.push(inst);
    }

    /// An instruction, or a few that belong together.
    pub(super) fn instructions(&mut self, out: &mut Vec<Inst<Virtual>>) {
        let subjects = self.subjects.clone();
        let subject = *self.r.pick(&subjects);
        match self.below(100) {
            0..40 => self.write(out, subject),
            40..44 => self.whole_write(out, subject),
            44..50 => {
                let (var, bytes) = match self.scalars.first().copied() {
                    Some(scalar) if self.chance(60) => (scalar, 4),
                    _ => (subject.var, subject.bytes),
                };
                let at = self.below(bytes / 4) * 4;
                let value = self.number(Type::Ud);
                out.push(self.scalar_write(var, at, value));
            }
            50..56 => {
                let flag = self.flag();
                let compare = self.compare(flag, false);
                out.push(compare);
            }
            56..72 => self.load(out, subject),
            72..92 => self.store(out, subject),
            92..97 => self.copied_store(out, subject),
            _ => self.indirect(out),
        }
    }
}

//! Instructions as readable text, for dumps between passes and for panics.
//!
//! The syntax is the manuals' assembly, as far as an instruction by itself determines it: variables
//! print as `V12(byte)`, targets as `B3`, byte offsets become subregister numbers. Nothing is lost:
//! [`parse`](crate::parse) reads it back ([`Inst::origin`] is written by the alternate form, `{:#}`, only).
//! The exact listing of machine code, with its columns, labels and message comments, is made by the crate `iga`.

mod kernel;
mod names;

use std::fmt::{self, Display, Formatter, Write};

use narrow::{low_i16, low_i32, low_u32};

use crate::{
    AddrSub, Arf, Base, BlockId, Class, Desc, Dst, ExecSize, FlagSub, InPlace, Inst, Mme, Options, Outside,
    Payload, Reg, Region, SendInfo, Space, Src, SrcMod, Swsb, Target, Type,
};

impl Display for Arf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.name() {
            (name, Some(n)) => write!(f, "{name}{n}"),
            (name, None) => f.write_str(name),
        }
    }
}

impl Display for BlockId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "B{}", self.0)
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Target::None => f.write_char('_'),
            Target::Block(b) => b.fmt(f),
            Target::Rel(n) => write!(f, "{n:+}"),
        }
    }
}

/// A register as an operand of elements of `bytes` bytes: the byte offset becomes a subregister number, or
/// stays one of bytes (`r5.3b`) where it is inside an element.
fn write_reg<S: Space>(f: &mut Formatter<'_>, reg: Reg<S>, bytes: u32) -> fmt::Result {
    let sub = |f: &mut Formatter<'_>, bytes: u32| match reg.byte % bytes {
        0 => write!(f, ".{}", reg.byte / bytes),
        _ => write!(f, ".{}b", reg.byte),
    };
    match reg.base() {
        Base::Grf(n) => {
            write!(f, "{n}")?;
            sub(f, bytes)
        }
        Base::Arf(Arf::Null) if reg.byte == 0 => f.write_str("null"),
        Base::Arf(a) => {
            write!(f, "{a}")?;
            sub(f, unit(a, bytes))
        }
        Base::Var(v) => {
            S::write_var(v, f)?;
            write!(f, "({})", reg.byte)
        }
    }
}

/// Bytes that a subregister number counts by.
pub(crate) const fn unit(arf: Arf, bytes: u32) -> u32 {
    match arf {
        Arf::Addr(_) => AddrSub::BYTES,
        Arf::Flag(_) => FlagSub::BYTES,
        _ => bytes,
    }
}

impl<S: Space> Display for Reg<S> {
    /// Counts in bytes, or in words for flags and addresses.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_reg(f, *self, 1)
    }
}

impl Display for SrcMod {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())
    }
}

impl Display for Region {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.vert, self.width) {
            (Region::ABSENT, _) => write!(f, "<{}>", self.horz),
            (v, Region::ABSENT) => write!(f, "<{v};{}>", self.horz),
            (Region::VXH, w) => write!(f, "<{w},{}>", self.horz),
            (v, w) => write!(f, "<{v};{w},{}>", self.horz),
        }
    }
}

impl Display for Mme {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Mme::Reg(n) => write!(f, "mme{n}"),
            Mme::None => f.write_str("nomme"),
        }
    }
}

fn write_macro<S: Space>(f: &mut Formatter<'_>, reg: Reg<S>, mme: Mme, ty: Type) -> fmt::Result {
    match reg.base() {
        Base::Grf(n) if reg.byte == 0 => write!(f, "{n}.{mme}:{ty}"),
        _ => write!(f, "{reg}.{mme}:{ty}"),
    }
}

impl<S: Space> Display for Dst<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Dst::None => Ok(()),
            Dst::Direct { reg, horz, ty } => {
                write_reg(f, reg, ty.bytes())?;
                write!(f, "<{horz}>:{ty}")
            }
            Dst::Indirect { addr, imm, horz, ty } => write!(f, "r[{addr},{imm}]<{horz}>:{ty}"),
            Dst::Macro { reg, mme, ty } => write_macro(f, reg, mme, ty),
        }
    }
}

/// An immediate: floats as decimals, signed integers in decimal, others and what is no number in hexadecimal.
fn write_imm(f: &mut Formatter<'_>, bits: u64, ty: Type) -> fmt::Result {
    match ty {
        Type::F if !f32::from_bits(low_u32(bits)).is_nan() => {
            write!(f, "{:?}", f32::from_bits(low_u32(bits)))?
        }
        Type::Df if !f64::from_bits(bits).is_nan() => write!(f, "{:?}", f64::from_bits(bits))?,
        Type::W => write!(f, "{}", low_i16(bits))?,
        Type::D => write!(f, "{}", low_i32(bits))?,
        Type::Q => write!(f, "{}", bits.cast_signed())?,
        _ => write!(f, "{bits:#x}")?,
    }
    write!(f, ":{ty}")
}

impl<S: Space> Display for Src<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Src::None => Ok(()),
            Src::Direct { reg, region, mods, ty } => {
                write!(f, "{mods}")?;
                write_reg(f, reg, ty.bytes())?;
                write!(f, "{region}:{ty}")
            }
            Src::Indirect { addr, imm, region, mods, ty } => {
                write!(f, "{mods}r[{addr},{imm}]{region}:{ty}")
            }
            Src::Macro { reg, mme, mods, ty } => {
                write!(f, "{mods}")?;
                write_macro(f, reg, mme, ty)
            }
            Src::AddrOf { reg: InPlace(reg), ty } => {
                f.write_char('&')?;
                write_reg(f, reg, 1)?;
                write!(f, ":{ty}")
            }
            Src::Imm { bits, ty } => write_imm(f, bits, ty),
        }
    }
}

impl<S: Space, D: Copy + Into<u32>> Display for Desc<S, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Desc::Imm(desc) => write!(f, "{:#x}", desc.into()),
            Desc::Reg(r) => r.fmt(f),
        }
    }
}

impl<S: Space> SendInfo<S> {
    fn write_lengths(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, " wr:{}+{} rd:{}", self.src0_len, self.src1_len, self.dst_len)
    }
}

impl Display for Swsb {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut sep = "";
        if let Some((pipe, n)) = self.dist {
            let letter = pipe.letter();
            write!(f, "{letter}@{n}")?;
            sep = ",";
        }
        if let Some((mode, n)) = self.sbid {
            let suffix = mode.suffix();
            write!(f, "{sep}${n}{suffix}")?;
            sep = ",";
        }
        if self.no_acc_sb_set {
            write!(f, "{sep}NoAccSBSet")?;
        }
        Ok(())
    }
}

impl<S: Space> Display for Inst<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.no_mask, &self.pred) {
            (false, None) => {}
            (true, None) => f.write_str("(W) ")?,
            (no_mask, Some(p)) => {
                let (w, inv) = (if no_mask { "W&" } else { "" }, if p.inv { "~" } else { "" });
                write!(f, "({w}{inv}{}{}) ", p.flag, p.ctrl.suffix())?;
            }
        }
        write!(f, "{}", self.op)?;
        self.write_suffix(f)?;
        // Most instructions without lanes to speak of have one.
        let plain = matches!(self.op.info().class, Class::Nullary | Class::Sync);
        if !plain || (self.exec, self.chan) != (ExecSize::S1, 0) {
            write!(f, " ({}|M{})", self.exec.name(), self.chan)?;
        }
        if let Some(c) = &self.cond {
            write!(f, " ({}){}", c.cond.name(), c.flag)?;
        }
        if self.sat {
            f.write_str(" (sat)")?;
        }
        self.write_operands(f)?;
        self.write_options(f)?;
        if let Payload::Send(s) = &self.payload {
            s.write_lengths(f)?;
        }
        if f.alternate() && self.origin != Self::NO_ORIGIN {
            write!(f, " #{}", self.origin)?;
        }
        Ok(())
    }
}

impl<S: Space> Inst<S> {
    /// Whether text of such an instruction has a place for a destination.
    pub(crate) fn shows_dst(&self) -> bool {
        self.op.info().dst
            || matches!(self.payload, Payload::Outside(Outside::Touch { .. } | Outside::StartOfLife { .. }))
    }

    /// What the payload adds to the mnemonic.
    fn write_suffix(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.payload {
            Payload::Math(m) => write!(f, ".{}", m.name()),
            Payload::Sync(s) => write!(f, ".{}", s.name()),
            Payload::Bfn(t) => write!(f, ".0x{t:02X}"),
            Payload::Dpas { depth, repeat } => write!(f, ".{depth}x{repeat}"),
            Payload::Branch { ctrl: true, .. } => f.write_str(".b"),
            Payload::Outside(Outside::Touch { read, written }) => write!(f, ".touch({read},{written})"),
            Payload::Outside(Outside::StartOfLife { written }) => write!(f, ".start({written})"),
            Payload::Outside(Outside::Frame { leave: false }) => f.write_str(".frame"),
            Payload::Outside(Outside::Frame { leave: true }) => f.write_str(".unframe"),
            Payload::Outside(Outside::Callee(n)) => write!(f, ".function{n}"),
            Payload::Outside(Outside::Call | Outside::Return) => f.write_str(".stack"),
            Payload::Send(s) => write!(f, ".{}", s.sfid),
            Payload::None | Payload::Branch { .. } => Ok(()),
        }
    }

    /// Destination, sources, targets, descriptors. `_` stands for an operand that is absent, if another one follows it.
    fn write_operands(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.dst {
            Dst::None if self.shows_dst() => f.write_str(" _")?,
            Dst::None => {}
            dst if self.shows_dst() => write!(f, " {dst}")?,
            dst => write!(f, " to:{dst}")?,
        }
        let sources = self.src.iter().rposition(|s| *s != Src::None).map_or(0, |last| last + 1);
        for src in &self.src[..sources] {
            match src {
                Src::None => f.write_str(" _")?,
                src => write!(f, " {src}")?,
            }
        }
        match &self.payload {
            Payload::Branch { jip, uip: Target::None, .. } => write!(f, " {jip}"),
            Payload::Branch { jip, uip, .. } => write!(f, " {jip} {uip}"),
            Payload::Send(s) => write!(f, " {} {}", s.ex_desc, s.desc),
            _ => Ok(()),
        }
    }

    /// Options, end of thread, and the scoreboard's annotation.
    fn write_options(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let eot = self.is_eot();
        if self.opts == Options::NONE && self.swsb == Swsb::NONE && !eot {
            return Ok(());
        }
        let mut sep = " {";
        let named = Options::NAMES.iter().chain(&Options::MARKS);
        for (_, name) in named.filter(|(o, _)| self.opts.has(*o)) {
            write!(f, "{sep}{name}")?;
            sep = ",";
        }
        if eot {
            write!(f, "{sep}EOT")?;
            sep = ",";
        }
        if self.swsb != Swsb::NONE {
            write!(f, "{sep}{}", self.swsb)?;
        }
        f.write_char('}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cond, CondMod, GrfNum, Op, Physical, Pipe, Pred, PredCtrl, VarId, Virtual};

    #[test]
    fn virtual_instruction() {
        let v = |n, byte| Reg::var_at(VarId(n), byte);
        let mut i: Inst<Virtual> = Inst::new(Op::Add, ExecSize::S8);
        i.no_mask = true;
        i.pred = Some(Pred { flag: v(3, 0), inv: true, ctrl: PredCtrl::Any8h });
        i.cond = Some(CondMod { cond: Cond::Lt, flag: Reg::arf(Arf::Flag(0), 2) });
        i.sat = true;
        i.dst = Dst::packed(v(12, 32), Type::F);
        i.src[0] = Src::Direct { reg: v(1, 4), region: Region::new(8, 8, 1), mods: SrcMod::Neg, ty: Type::F };
        i.src[1] = Src::imm(1.5f32.to_bits().into(), Type::F);
        i.opts = Options::ACC_WR_EN;
        i.swsb.dist = Some((Pipe::Int, 2));
        assert_eq!(
            i.to_string(),
            "(W&~V3(0).any8h) add (8|M0) (lt)f0.1 (sat) V12(32)<1>:f -V1(4)<8;8,1>:f 1.5:f {AccWrEn,I@2}"
        );
    }

    #[test]
    fn physical_forms() {
        let mut i: Inst<Physical> = Inst::new(Op::Goto, ExecSize::S16);
        i.payload = Payload::Branch { jip: Target::Rel(64), uip: Target::Block(BlockId(3)), ctrl: true };
        assert_eq!(i.to_string(), "goto.b (16|M0) +64 B3");
        let mut i: Inst<Physical> = Inst::new(Op::Mov, ExecSize::S1);
        i.dst = Dst::Indirect { addr: Reg::arf(Arf::Addr(0), 6), imm: -16, horz: 1, ty: Type::W };
        i.src[0] = Src::scalar(Reg::grf(GrfNum::new(4), 8), Type::Uw);
        assert_eq!(i.to_string(), "mov (1|M0) r[a0.3,-16]<1>:w r4.4<0;1,0>:uw");
    }
}

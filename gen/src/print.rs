//! Instructions as readable text, for dumps between passes and for panics.
//!
//! The syntax is the manuals' assembly, as far as an instruction by itself determines it: variables
//! print as `V12(byte)`, targets as `B3`, byte offsets become subregister numbers. The exact listing of
//! machine code, with its columns, labels and message comments, is the encoder's.

use std::fmt::{self, Display, Formatter, Write};

use crate::{
    Arf, Base, Block, BlockId, Class, Cond, Desc, Dst, ExecSize, Inst, Kernel, MathFn, Mme, Options, Outside,
    Payload, Pipe, PredCtrl, Reg, Region, SbidMode, SendInfo, Sfid, Space, Src, SrcMod, Swsb, SyncFn, Target,
    Type, VarClass,
};

impl MathFn {
    /// The name in assembly text.
    pub const fn name(self) -> &'static str {
        match self {
            MathFn::Inv => "inv",
            MathFn::Log => "log",
            MathFn::Exp => "exp",
            MathFn::Sqt => "sqt",
            MathFn::Rsqt => "rsqt",
            MathFn::Sin => "sin",
            MathFn::Cos => "cos",
            MathFn::Fdiv => "fdiv",
            MathFn::Pow => "pow",
            MathFn::Idivmod => "idiv",
            MathFn::Iqot => "iqot",
            MathFn::Irem => "irem",
            MathFn::Invm => "invm",
            MathFn::Rsqtm => "rsqtm",
        }
    }
}

impl SyncFn {
    /// The name in assembly text.
    pub const fn name(self) -> &'static str {
        match self {
            SyncFn::Nop => "nop",
            SyncFn::AllRd => "allrd",
            SyncFn::AllWr => "allwr",
            SyncFn::Fence => "fence",
            SyncFn::Bar => "bar",
            SyncFn::Host => "host",
        }
    }
}

impl PredCtrl {
    /// The suffix in assembly text, empty for a channel's own bit.
    pub const fn suffix(self) -> &'static str {
        match self {
            PredCtrl::Seq => "",
            PredCtrl::Any2h => ".any2h",
            PredCtrl::All2h => ".all2h",
            PredCtrl::Any4h => ".any4h",
            PredCtrl::All4h => ".all4h",
            PredCtrl::Any8h => ".any8h",
            PredCtrl::All8h => ".all8h",
            PredCtrl::Any16h => ".any16h",
            PredCtrl::All16h => ".all16h",
            PredCtrl::Any32h => ".any32h",
            PredCtrl::All32h => ".all32h",
            PredCtrl::AnyV => ".anyv",
            PredCtrl::AllV => ".allv",
            PredCtrl::X => ".x",
            PredCtrl::Y => ".y",
            PredCtrl::Z => ".z",
            PredCtrl::W => ".w",
            PredCtrl::Any => ".any",
            PredCtrl::All => ".all",
        }
    }
}

impl Cond {
    /// The name in assembly text.
    pub const fn name(self) -> &'static str {
        match self {
            Cond::Eq => "eq",
            Cond::Ne => "ne",
            Cond::Gt => "gt",
            Cond::Ge => "ge",
            Cond::Lt => "lt",
            Cond::Le => "le",
            Cond::Ov => "ov",
            Cond::Un => "un",
            Cond::Eo => "eo",
        }
    }
}

impl Options {
    /// Names of the options in assembly text, with their bit.
    pub const NAMES: [(Options, &'static str); 13] = [
        (Options::ACC_WR_EN, "AccWrEn"),
        (Options::ATOMIC, "Atomic"),
        (Options::BREAKPOINT, "Breakpoint"),
        (Options::COMPACTED, "Compacted"),
        (Options::NO_DD_CHK, "NoDDChk"),
        (Options::NO_DD_CLR, "NoDDClr"),
        (Options::NO_PREEMPT, "NoPreempt"),
        (Options::NO_SRC_DEP_SET, "NoSrcDepSet"),
        (Options::SWITCH, "Switch"),
        (Options::SERIALIZE, "Serialize"),
        (Options::EX_BSO, "ExBSO"),
        (Options::CPS, "CPS"),
        (Options::ALIGN16, "Align16"),
    ];
}

impl Arf {
    /// The register's name without its number, and the number (`None`: it has none).
    pub const fn name(self) -> (&'static str, Option<u8>) {
        match self {
            Arf::Null => ("null", None),
            Arf::Addr(n) => ("a", Some(n)),
            Arf::Acc(n) => ("acc", Some(n)),
            Arf::Flag(n) => ("f", Some(n)),
            Arf::ChannelEnable(n) => ("ce", Some(n)),
            Arf::Msg(n) => ("msg", Some(n)),
            Arf::StackPointer(n) => ("sp", Some(n)),
            Arf::State(n) => ("sr", Some(n)),
            Arf::Control(n) => ("cr", Some(n)),
            Arf::Notify(n) => ("n", Some(n)),
            Arf::Ip => ("ip", None),
            Arf::ThreadDep(n) => ("tdr", Some(n)),
            Arf::Timestamp(n) => ("tm", Some(n)),
            Arf::FlowControl(n) => ("fc", Some(n)),
            Arf::Debug(n) => ("dbg", Some(n)),
        }
    }
}

impl Display for Arf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.name() {
            (name, Some(n)) => write!(f, "{name}{n}"),
            (name, None) => f.write_str(name),
        }
    }
}

impl Display for Sfid {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sfid::Null => "null",
            Sfid::Sampler => "smpl",
            Sfid::Gateway => "gtwy",
            Sfid::Dc2 => "dc2",
            Sfid::Render => "rc",
            Sfid::Urb => "urb",
            Sfid::Spawner => "ts",
            Sfid::Vme => "vme",
            Sfid::DcRo => "dcro",
            Sfid::Dc0 => "dc0",
            Sfid::Pi => "pixi",
            Sfid::Dc1 => "dc1",
            Sfid::Cre => "cre",
            Sfid::Btd => "btd",
            Sfid::Rta => "rta",
            Sfid::Ugm => "ugm",
            Sfid::Ugml => "ugml",
            Sfid::Tgm => "tgm",
            Sfid::Slm => "slm",
            Sfid::Reserved(n) => return write!(f, "sfid{n}"),
        })
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

/// A register as an operand of elements of `bytes` bytes: the byte offset becomes a subregister number.
fn write_reg<S: Space>(f: &mut Formatter<'_>, reg: Reg<S>, bytes: u32) -> fmt::Result {
    match reg.base() {
        Base::Grf(n) => write!(f, "r{n}.{}", reg.byte / bytes),
        Base::Arf(Arf::Null) => f.write_str("null"),
        Base::Arf(a @ (Arf::Addr(_) | Arf::Flag(_))) => write!(f, "{a}.{}", reg.byte / 2),
        Base::Arf(a) => write!(f, "{a}.{}", reg.byte / bytes),
        Base::Var(v) => {
            S::write_var(v, f)?;
            write!(f, "({})", reg.byte)
        }
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
        f.write_str(match (self.neg(), self.abs()) {
            (false, false) => "",
            (true, false) => "-",
            (false, true) => "(abs)",
            (true, true) => "-(abs)",
        })
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
        Base::Grf(n) => write!(f, "r{n}.{mme}:{ty}"),
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

/// An immediate: floats as decimals, small integers in decimal, others in hexadecimal.
fn write_imm(f: &mut Formatter<'_>, bits: u64, ty: Type) -> fmt::Result {
    match ty {
        Type::F => write!(f, "{:?}", f32::from_bits(bits as u32))?,
        Type::Df => write!(f, "{:?}", f64::from_bits(bits))?,
        Type::W => write!(f, "{}", bits as i16)?,
        Type::D => write!(f, "{}", bits as i32)?,
        Type::Q => write!(f, "{}", bits as i64)?,
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
            Src::AddrOf { reg, ty } => {
                f.write_char('&')?;
                write_reg(f, reg, 1)?;
                write!(f, ":{ty}")
            }
            Src::Imm { bits, ty } => write_imm(f, bits, ty),
        }
    }
}

impl<S: Space> Display for Desc<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Desc::Imm(v) => write!(f, "{v:#x}"),
            Desc::Reg(r) => r.fmt(f),
        }
    }
}

impl<S: Space> SendInfo<S> {
    fn write_lengths(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, " // wr:{}+{}, rd:{}", self.src0_len, self.src1_len, self.dst_len)
    }
}

impl Display for Swsb {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut sep = "";
        if let Some((pipe, n)) = self.dist {
            let letter = match pipe {
                Pipe::Own => "",
                Pipe::Float => "F",
                Pipe::Int => "I",
                Pipe::Long => "L",
                Pipe::Math => "M",
                Pipe::All => "A",
                Pipe::Scalar => "S",
            };
            write!(f, "{letter}@{n}")?;
            sep = ",";
        }
        if let Some((mode, n)) = self.sbid {
            let suffix = match mode {
                SbidMode::Set => "",
                SbidMode::Src => ".src",
                SbidMode::Dst => ".dst",
            };
            write!(f, "{sep}${n}{suffix}")?;
            sep = ",";
        }
        if self.no_acc_sb_set {
            write!(f, "{sep}NoAccSBSet")?;
        }
        Ok(())
    }
}

impl ExecSize {
    /// The number of channels as text.
    pub const fn name(self) -> &'static str {
        ["1", "2", "4", "8", "16", "32"][self as usize]
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
        match &self.payload {
            Payload::Math(m) => write!(f, ".{}", m.name())?,
            Payload::Sync(s) => write!(f, ".{}", s.name())?,
            Payload::Bfn(t) => write!(f, ".0x{t:02X}")?,
            Payload::Dpas { depth, repeat } => write!(f, ".{depth}x{repeat}")?,
            Payload::Branch { ctrl: true, .. } => f.write_str(".b")?,
            Payload::Outside(Outside::Touch { .. }) => f.write_str(".touch")?,
            Payload::Outside(Outside::Frame { .. }) => f.write_str(".frame")?,
            Payload::Outside(Outside::Callee(n)) => write!(f, ".function{n}")?,
            Payload::Send(s) => write!(f, ".{}", s.sfid)?,
            _ => {}
        }
        if !matches!(self.op.info().class, Class::Nullary | Class::Sync) {
            write!(f, " ({}|M{})", self.exec.name(), self.chan)?;
        }
        if let Some(c) = &self.cond {
            write!(f, " ({}){}", c.cond.name(), c.flag)?;
        }
        if self.sat {
            f.write_str(" (sat)")?;
        }
        if self.dst != Dst::None {
            write!(f, " {}", self.dst)?;
        }
        for s in self.src.iter().filter(|s| **s != Src::None) {
            write!(f, " {s}")?;
        }
        match &self.payload {
            Payload::Branch { jip, uip, .. } => {
                write!(f, " {jip}")?;
                if *uip != Target::None {
                    write!(f, " {uip}")?;
                }
            }
            Payload::Send(s) => write!(f, " {} {}", s.ex_desc, s.desc)?,
            _ => {}
        }
        let eot = self.is_eot();
        if self.opts != Options::NONE || self.swsb != Swsb::NONE || eot {
            let mut sep = " {";
            for (_, name) in Options::NAMES.iter().filter(|(o, _)| self.opts.has(*o)) {
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
            f.write_char('}')?;
        }
        match &self.payload {
            Payload::Send(s) => s.write_lengths(f),
            _ => Ok(()),
        }
    }
}

impl<S: Space> Display for Block<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for inst in &self.insts {
            writeln!(f, "    {inst}")?;
        }
        Ok(())
    }
}

impl<S: Space> Display for Kernel<S> {
    /// Variables, then blocks in layout order with their successors.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "// kernel {} on {}, simd{}", self.name, self.platform, self.simd)?;
        for (i, v) in self.vars.iter().enumerate() {
            let class = match v.class {
                VarClass::General => "general",
                VarClass::Flag => "flag",
                VarClass::Address => "address",
            };
            write!(f, "// V{i}: {class}, {} bytes, align {}", v.bytes, v.align)?;
            if let Some(at) = v.fixed {
                write!(f, ", fixed at byte {at}")?;
            }
            for (set, word) in [
                (v.even_grf, "even GRF"),
                (v.live_in, "live in"),
                (v.live_out, "live out"),
                (v.no_spill, "no spill"),
                (v.address_taken, "address taken"),
            ] {
                if set {
                    write!(f, ", {word}")?;
                }
            }
            writeln!(f)?;
        }
        for (i, block) in self.blocks.iter().enumerate() {
            let id = BlockId(i as u32);
            write!(f, "{id}:")?;
            if self.subroutines.contains(&id) {
                f.write_str(" // subroutine")?;
            }
            if !block.succs.is_empty() {
                f.write_str(" // ->")?;
                for s in &block.succs {
                    write!(f, " {s}")?;
                }
            }
            writeln!(f)?;
            block.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CondMod, Op, Physical, Pred, VarId, Virtual};

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
        i.src[0] = Src::scalar(Reg::grf(4, 8), Type::Uw);
        assert_eq!(i.to_string(), "mov (1|M0) r[a0.3,-16]<1>:w r4.4<0;1,0>:uw");
    }
}

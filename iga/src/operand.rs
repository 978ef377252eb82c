//! Operands as text.

use super::columns::Columns;
use gen_ir::{Arf, Base, Class, Mme, Physical, Reg, Region, SrcMod, Type};
use platforms::Caps;

/// The name of a register file and the number in it, as the platform's assembly has them: the upper
/// accumulators are called `mme`, and registers there is only one of have no number.
pub(super) fn register_name(caps: &Caps, reg: Reg<Physical>) -> (&'static str, Option<u16>) {
    let arf = match reg.base() {
        Base::Grf(n) => return ("r", Some(n.number())),
        Base::Arf(arf) => arf,
        Base::Var(never) => match never {},
    };
    let lone = |name, n: u8| (name, (n != 0).then_some(n.into()));
    match arf {
        Arf::Acc(n) => match first_mme(caps) {
            Some(first) if n >= first => ("mme", Some((n - first).into())),
            _ => ("acc", Some(n.into())),
        },
        Arf::ChannelEnable(n) => lone("ce", n),
        Arf::StackPointer(n) => lone("sp", n),
        other => {
            let (name, n) = other.name();
            (name, n.map(u16::from))
        }
    }
}

/// Whether an operand of `dpas`, which is whole registers, starts inside one; the word has a place for that.
pub(super) fn is_inside(class: Class, reg: Reg<Physical>) -> bool {
    class == Class::Dpas && reg.byte != 0
}

/// The accumulator that assembly calls `mme0`, if the platform has such names.
pub(super) fn first_mme(caps: &Caps) -> Option<u8> {
    caps.regs.mme_names.then_some(caps.regs.acc_names)
}

/// Whether assembly writes a subregister number.
fn has_subregisters(reg: Reg<Physical>) -> bool {
    !matches!(reg.base(), Base::Arf(Arf::Null | Arf::Ip | Arf::ChannelEnable(_)))
}

/// The subregister number of a byte offset, in elements of `ty`.
pub(super) fn subregister(byte: u32, ty: Type) -> u32 {
    match ty {
        Type::U4 | Type::S4 => byte * 2,
        Type::U2 | Type::S2 => byte * 4,
        Type::Nf => byte / 4,
        _ => byte / ty.bytes(),
    }
}

impl Columns {
    /// A register without its subregister.
    pub(super) fn bare_register(&mut self, caps: &Caps, reg: Reg<Physical>) {
        let (name, number) = register_name(caps, reg);
        self.put(name);
        if let Some(n) = number {
            self.num(n.into());
        }
    }

    /// A register with its subregister, counted in elements of `ty`.
    pub(super) fn register(&mut self, caps: &Caps, reg: Reg<Physical>, ty: Type) {
        self.bare_register(caps, reg);
        let sub = subregister(reg.byte, ty);
        if has_subregisters(reg) || sub != 0 {
            self.ch('.');
            self.num(sub);
        }
    }

    /// A flag or address subregister, which count in words: `f0.1`, `a0.2`.
    pub(super) fn word_register(&mut self, caps: &Caps, reg: Reg<Physical>) {
        self.bare_register(caps, reg);
        self.ch('.');
        self.num(reg.byte / 2);
    }

    /// An address register that holds a descriptor, which counts in dwords: `a0.2` is byte 8.
    pub(super) fn descriptor_register(&mut self, caps: &Caps, reg: Reg<Physical>) {
        self.bare_register(caps, reg);
        self.ch('.');
        self.num(reg.address_dword());
    }

    /// `r[a0.2,32]`.
    pub(super) fn indirect(&mut self, caps: &Caps, addr: Reg<Physical>, imm: i16) {
        self.put("r[");
        self.word_register(caps, addr);
        if imm != 0 {
            self.ch(',');
            if imm < 0 {
                self.ch('-');
            }
            self.num(imm.unsigned_abs().into());
        }
        self.ch(']');
    }

    /// `.mme3`, `.nomme`.
    pub(super) fn mme(&mut self, mme: Mme) {
        match mme {
            Mme::Reg(n) => {
                self.put(".mme");
                self.num(n.into());
            }
            Mme::None => self.put(".nomme"),
        }
    }

    /// `:ud`.
    pub(super) fn ty(&mut self, ty: Type) {
        self.ch(':');
        self.put(ty.name());
    }

    /// `<1>` of a destination.
    pub(super) fn stride(&mut self, horz: u8) {
        self.ch('<');
        self.num(horz.into());
        self.ch('>');
    }

    /// A source region.
    pub(super) fn region(&mut self, region: Region) {
        self.ch('<');
        let mut sep = "";
        if region.vert != Region::VXH && region.vert != Region::ABSENT {
            self.num(region.vert.into());
            sep = ";";
        }
        if region.width != Region::ABSENT {
            self.put(sep);
            self.num(region.width.into());
            sep = ",";
        }
        self.put(sep);
        self.num(region.horz.into());
        self.ch('>');
    }

    /// `-`, `(abs)`, `-(abs)`, or `~` where negation means `not`.
    pub(super) fn modifier(&mut self, mods: SrcMod, logic: bool) {
        self.put(if logic && mods == SrcMod::Neg { "~" } else { mods.prefix() });
    }
}

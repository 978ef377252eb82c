//! Flow control, to bits and back.

use super::{
    decode::Decoder,
    encode::Encoder,
    layout::{Layout, Operand},
    words::Branch,
};
use crate::{DecodeError, error::Encoded};
use gen_ir::{Dst, Inst, Op, Payload, Physical, Reg, Src, SrcMod, Target, Type};
use narrow::low_u16;

/// What a flow control operation has.
#[derive(Clone, Copy)]
struct BranchForm {
    /// JIP.
    jip: bool,
    /// UIP.
    uip: bool,
    /// A register may stand in place of JIP (and UIP).
    reg: bool,
    /// A destination.
    dst: bool,
    /// `BranchCtrl`.
    ctrl: bool,
}

impl BranchForm {
    const fn of(op: Op) -> BranchForm {
        const JIP: BranchForm = BranchForm { jip: true, uip: false, reg: false, dst: false, ctrl: false };
        match op {
            Op::Brc => BranchForm { uip: true, reg: true, ..JIP },
            Op::If | Op::Else | Op::Goto => BranchForm { uip: true, ctrl: true, ..JIP },
            Op::Break | Op::Cont | Op::Halt => BranchForm { uip: true, ..JIP },
            Op::Jmpi | Op::Brd => BranchForm { reg: true, ..JIP },
            Op::Ret => BranchForm { jip: false, reg: true, ..JIP },
            Op::Call | Op::Calla => BranchForm { reg: true, dst: true, ..JIP },
            _ => JIP,
        }
    }
}

impl Encoder<'_> {
    pub(super) fn branch<L: Layout>(&self) -> Encoded<u128> {
        let i = self.inst;
        let Payload::Branch { jip, uip, ctrl } = i.payload else {
            return Err(self.error("payload", "none", "branch targets"));
        };
        self.no_cond()?;
        self.no_source(1)?;
        if i.sat {
            return Err(self.error("Saturate", "set", "clear"));
        }
        let form = BranchForm::of(i.op);
        if ctrl && !form.ctrl {
            return Err(self.error("BranchCtrl", "set", "clear"));
        }
        let mut w = Branch::new().with_branch_ctrl(ctrl);
        match i.dst {
            Dst::Direct { reg, .. } if form.dst => w = w.with_dst(self.return_reg::<L>("dst", reg)?),
            Dst::None if !form.dst => {}
            _ => return Err(self.error("dst", "another kind of operand", "a register, for calls only")),
        }
        if form.reg {
            match i.src[0] {
                Src::Direct { reg, mods: SrcMod::None, .. } => {
                    return Ok(w.with_uip(self.return_reg::<L>("src0", reg)?.into()).into_bits());
                }
                Src::None => {}
                _ => return Err(self.error("src0", "another kind of operand", "a register")),
            }
        } else if i.src[0] != Src::None {
            return Err(self.error("src0", "present", "none"));
        }
        let (Target::Rel(jip), true) = (jip, form.jip) else {
            return Err(self.error("JIP", "no offset", "an offset in bytes, or a register for src0"));
        };
        w = w.with_src0_is_imm(true).with_jip(jip.cast_unsigned());
        match uip {
            Target::Rel(uip) if form.uip => {
                Ok(w.with_src1_is_imm(true).with_uip(uip.cast_unsigned()).into_bits())
            }
            Target::None if !form.uip => Ok(w.into_bits()),
            _ => Err(self.error("UIP", "no offset", "an offset in bytes, where the operation has one")),
        }
    }

    /// A register of a branch: scalar, and aligned so that the slot says it all.
    fn return_reg<L: Layout>(&self, field: &'static str, reg: Reg<Physical>) -> Encoded<u16> {
        let operand = self.direct::<L>(field, reg, 0)?;
        self.no_low_bit(field, operand)?;
        Ok(operand.slot)
    }
}

impl Decoder {
    pub(super) fn branch<L: Layout>(&self, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        let w = Branch::from_bits(self.word);
        let form = BranchForm::of(inst.op);
        if form.dst {
            inst.dst = Dst::packed(self.branch_reg::<L>("Dst.RegNum", w.dst())?, Type::Ud);
        }
        let (mut jip, mut uip) = (Target::None, Target::None);
        if !w.src0_is_imm() {
            if !form.reg {
                return Err(self.error("Src0.IsImm", 0u32, "1"));
            }
            inst.src[0] = Src::scalar(self.branch_reg::<L>("Src0.RegNum", low_u16(w.uip()))?, Type::Ud);
        } else {
            if !form.jip {
                return Err(self.error("Src0.IsImm", 1u32, "0"));
            }
            jip = Target::Rel(w.jip().cast_signed());
            if form.uip {
                if !w.src1_is_imm() {
                    return Err(self.error("Src1.IsImm", 0u32, "1"));
                }
                uip = Target::Rel(w.uip().cast_signed());
            }
        }
        inst.payload = Payload::Branch { jip, uip, ctrl: form.ctrl && w.branch_ctrl() };
        Ok(())
    }

    /// A register of a branch, which has no stride.
    fn branch_reg<L: Layout>(&self, field: &'static str, slot: u16) -> Result<Reg<Physical>, DecodeError> {
        Ok(self.direct::<L>(field, Operand { slot, indirect: false, low: false })?.0)
    }
}

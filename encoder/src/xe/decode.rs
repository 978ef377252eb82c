//! Words to Gen IR: the controls that all formats have; the rest is by class ([`super::basic`] and its neighbours).
//!
//! Bits that an operation does not read may hold anything, as in the reference disassembler: a word that has some is that
//! without them, which is also what becomes of it when its instruction is encoded again.

use super::{
    codes,
    layout::{Controls, Layout},
};
use crate::{DecodeError, opcodes};
use gen_ir::{Class, Cond, CondMod, ExecSize, Inst, Op, Options, Physical, Pred, Reg, SwsbKind};
use platforms::{Caps, Platform};

/// See [`crate::decode_into`].
#[inline]
pub(super) fn decode_into<L: Layout>(
    platform: Platform,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<(), DecodeError> {
    let controls = L::controls_of(word);
    let Some(op) = opcodes::from_number(platform, controls.opcode) else {
        let found = controls.opcode.into();
        return Err(DecodeError::native(word, "Opcode", found, "an operation of the platform"));
    };
    let d = Decoder { word, caps: platform.caps() };
    inst.op = op;
    match op.info().class {
        Class::Basic => d.basic::<L>(inst)?,
        Class::Math => d.math::<L>(inst)?,
        Class::Sync => d.sync::<L>(inst)?,
        Class::Ternary => d.ternary::<L>(inst)?,
        Class::Dpas => d.dpas::<L>(inst)?,
        Class::Send => d.send(inst)?,
        Class::Branch => d.branch::<L>(inst)?,
        Class::Nullary => return d.nullary::<L>(&controls, inst),
    }
    d.controls::<L>(&controls, inst)
}

#[derive(Clone, Copy)]
pub(super) struct Decoder {
    pub(super) word: u128,
    pub(super) caps: &'static Caps,
}

impl Decoder {
    #[cold]
    pub(super) fn error(
        &self,
        field: &'static str,
        found: impl Into<u64>,
        allowed: &'static str,
    ) -> DecodeError {
        DecodeError::native(self.word, field, found.into(), allowed)
    }

    /// `nop` has an annotation and a breakpoint, `illegal` has nothing.
    fn nullary<L: Layout>(&self, c: &Controls, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        if inst.op == Op::Nop {
            self.swsb::<L>(c.swsb, inst)?;
            if c.debug {
                inst.opts = inst.opts.with(Options::BREAKPOINT);
            }
        }
        Ok(())
    }

    #[inline]
    fn swsb<L: Layout>(&self, code: u16, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        if code != 0 {
            inst.swsb = L::swsb_of(code, SwsbKind::of(inst.op), self.caps.scoreboard.pipes)
                .ok_or_else(|| self.error("SWSB", code, "an annotation"))?;
        }
        Ok(())
    }

    /// Fills what [`Controls`] hold; conditions must be in place, they decide whether the flag counts.
    #[inline]
    pub(super) fn controls<L: Layout>(
        &self,
        c: &Controls,
        inst: &mut Inst<Physical>,
    ) -> Result<(), DecodeError> {
        const SIZES: [Option<ExecSize>; 8] = [
            Some(ExecSize::S1),
            Some(ExecSize::S2),
            Some(ExecSize::S4),
            Some(ExecSize::S8),
            Some(ExecSize::S16),
            Some(ExecSize::S32),
            None,
            None,
        ];
        inst.exec = SIZES[usize::from(c.exec_size & 7)]
            .ok_or_else(|| self.error("ExecSize", c.exec_size, "0 to 5"))?;
        inst.chan = c.channel;
        inst.no_mask = c.no_mask;
        self.swsb::<L>(c.swsb, inst)?;
        let flag = Reg::flag(c.flag);
        if c.pred_ctrl != 0 {
            let ctrl = codes::pred_of(c.pred_ctrl, self.caps.words.pred_width)
                .ok_or_else(|| self.error("PredCtrl", c.pred_ctrl, "a predicate control"))?;
            inst.pred = Some(Pred { flag, inv: c.pred_inv, ctrl });
        }
        if let Some(cond) = &mut inst.cond {
            cond.flag = flag;
        }
        if c.debug {
            inst.opts = inst.opts.with(Options::BREAKPOINT);
        }
        if c.atomic {
            inst.opts = inst.opts.with(Options::ATOMIC);
        }
        Ok(())
    }

    /// A condition; its flag is filled in with the controls.
    pub(super) fn set_cond(&self, code: u8, inst: &mut Inst<Physical>) -> Result<(), DecodeError> {
        if code != 0 {
            let cond =
                Cond::from_code(code).ok_or_else(|| self.error("CondModifier", code, "0 to 6, 8 or 9"))?;
            inst.cond = Some(CondMod { cond, flag: Reg::NULL });
        }
        Ok(())
    }
}

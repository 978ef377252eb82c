//! Words to Gen IR: the controls that all formats have; the rest is by class ([`super::basic`] and its neighbours).
//!
//! Every form names the bits it reads ([`Used`]); all others must be zero, so that a word that decodes
//! can be encoded again without loss.

use super::{
    codes,
    layout::{Controls, Layout},
    words::bits,
};
use crate::{DecodeError, opcodes};
use gen_ir::{Class, Cond, CondMod, ExecSize, Inst, Op, Options, Physical, Pred, Reg, SwsbKind};
use platforms::{Caps, Platform};

/// Opcode, execution size, channel offset, DebugCtrl, MaskCtrl, AtomicCtrl and whatever stands between
/// them but for reserved bit 7, CmptCtrl, and fields that count only beside others.
const CONTROLS: u128 = bits(0, 6) | bits(8, 28) | bits(30, 32);
pub(super) const BIT_33: u128 = bits(33, 33);
pub(super) const SATURATE: u128 = bits(34, 34);
const PRED_INV: u128 = bits(28, 28);
pub(super) const DST: u128 = bits(35, 39) | bits(48, 63);
pub(super) const SRC0: u128 = bits(40, 46) | bits(64, 83);
pub(super) const SRC1: u128 = bits(88, 91) | bits(96, 115) | bits(120, 121);
pub(super) const FUNCTION: u128 = bits(92, 95);

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
    let used = match op.info().class {
        Class::Basic => d.basic::<L>(inst)?,
        Class::Math => d.math::<L>(inst)?,
        Class::Sync => d.sync::<L>(inst)?,
        Class::Ternary => d.ternary::<L>(inst)?,
        Class::Dpas => d.dpas::<L>(inst)?,
        Class::Send => d.send(inst)?,
        Class::Branch => d.branch::<L>(inst)?,
        Class::Nullary => {
            let kept = if op == Op::Nop { L::SWSB | bits(30, 30) } else { 0 };
            d.only(bits(0, 6) | kept)?;
            bits(0, 6) | kept
        }
    };
    d.only(used | CONTROLS)?;
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

    /// Fails on the first bit that is set outside of `used`.
    #[inline]
    fn only(&self, used: u128) -> Result<(), DecodeError> {
        let odd = self.word & !used;
        if odd == 0 {
            return Ok(());
        }
        Err(self.error("Reserved: bit", odd.trailing_zeros(), "zero in this form"))
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
        if c.swsb != 0 {
            inst.swsb = L::swsb_of(c.swsb, SwsbKind::of(inst.op), self.caps.scoreboard.pipes)
                .ok_or_else(|| self.error("SWSB", c.swsb, "an annotation"))?;
        }
        let flag = Reg::flag(c.flag);
        if c.pred_ctrl != 0 {
            let ctrl = codes::pred_of(c.pred_ctrl, self.caps.words.pred_width)
                .ok_or_else(|| self.error("PredCtrl", c.pred_ctrl, "a predicate control"))?;
            inst.pred = Some(Pred { flag, inv: c.pred_inv, ctrl });
        } else {
            let flag_bits = if inst.cond.is_some() { 0 } else { L::FLAG };
            self.only(!(PRED_INV | flag_bits))?;
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

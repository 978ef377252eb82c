//! Gen IR to words: the controls that all formats have; the rest is by class ([`super::basic`] and its neighbours).

use super::{
    codes,
    layout::{Controls, Layout},
};
use crate::{EncodeError, error::Encoded, opcodes};
use gen_ir::{Class, FlagSub, Inst, Op, Options, Physical, Reg, Src, Swsb, SwsbKind};
use platforms::{Caps, Platform};

/// See [`crate::encode`].
#[inline]
pub(super) fn encode<L: Layout>(platform: Platform, inst: &Inst<Physical>) -> Encoded<u128> {
    let e = Encoder { inst, caps: platform.caps() };
    let Some(opcode) = opcodes::number(platform, inst.op) else {
        return Err(e.error("opcode", inst.op.name(), "an operation of the platform"));
    };
    e.check_options()?;
    let controls = L::controls(&e.controls::<L>(opcode)?);
    let rest = match inst.op.info().class {
        Class::Basic => e.basic::<L>()?,
        Class::Math => e.math::<L>()?,
        Class::Sync => e.sync::<L>()?,
        Class::Ternary => e.ternary::<L>()?,
        Class::Dpas => e.dpas::<L>()?,
        Class::Send => e.send()?,
        Class::Branch => e.branch::<L>()?,
        Class::Nullary => return e.nullary::<L>(opcode),
    };
    Ok(controls | rest)
}

#[derive(Clone, Copy)]
pub(super) struct Encoder<'a> {
    pub(super) inst: &'a Inst<Physical>,
    pub(super) caps: &'static Caps,
}

impl Encoder<'_> {
    #[cold]
    pub(super) fn error(
        &self,
        field: &'static str,
        found: impl Into<crate::Found>,
        allowed: &'static str,
    ) -> Box<EncodeError> {
        Box::new(EncodeError::new(self.inst.op, field, found, allowed))
    }

    /// `nop` has only an annotation; `illegal` is zero.
    fn nullary<L: Layout>(&self, opcode: u8) -> Encoded<u128> {
        let i = self.inst;
        let has = if i.op == Op::Illegal { Options::NONE } else { Options::BREAKPOINT };
        if i.opts.without(has.with(Options::COMPACTED)) != Options::NONE {
            return Err(self.error("options", u32::from(i.opts.0), "none, but nop's Breakpoint"));
        }
        if i.op == Op::Illegal {
            return Ok(opcode.into());
        }
        let Some(swsb) = L::swsb_code(i.swsb, SwsbKind::Other, self.caps.scoreboard.pipes) else {
            return Err(self.error("SWSB", "this pair", "what one annotation can say"));
        };
        let debug = i.opts.has(Options::BREAKPOINT);
        Ok(L::controls(&Controls { opcode, swsb, debug, ..Controls::default() }))
    }

    #[inline(always)]
    fn check_options(&self) -> Encoded<()> {
        let op = self.inst.op.info();
        let mut allowed = Options::ATOMIC.with(Options::BREAKPOINT).with(Options::COMPACTED);
        if self.caps.words.acc_write_enable
            && matches!(op.class, Class::Basic | Class::Math | Class::Ternary | Class::Sync)
        {
            allowed = allowed.with(Options::ACC_WR_EN);
        }
        if op.class == Class::Send {
            if self.caps.flow.fused_pairs {
                allowed = allowed.with(Options::SERIALIZE);
            }
            if self.caps.sends.surface_offsets {
                allowed = allowed.with(Options::EX_BSO).with(Options::CPS);
            }
        }
        let odd = self.inst.opts.without(allowed);
        if odd == Options::NONE {
            return Ok(());
        }
        Err(self.error("options", u32::from(odd.0), "the options of this instruction on this platform"))
    }

    #[inline(always)]
    pub(super) fn controls<L: Layout>(&self, opcode: u8) -> Encoded<Controls> {
        let i = self.inst;
        let kind = SwsbKind::of(i.op);
        let swsb = match i.swsb {
            Swsb::NONE => Some(0),
            swsb => L::swsb_code(swsb, kind, self.caps.scoreboard.pipes),
        };
        let swsb = match swsb {
            Some(code) => code,
            None => return Err(self.error("SWSB", "this pair", "what one annotation can say")),
        };
        if !i.chan.is_multiple_of(L::CHANNELS) || i.chan >= 32 {
            return Err(self.error("ChOff", u32::from(i.chan), "a multiple of the channel unit below 32"));
        }
        let mut flag = FlagSub::F0;
        let mut pred_ctrl = 0;
        let mut pred_inv = false;
        if let Some(p) = i.pred {
            flag = self.flag(p.flag)?;
            pred_inv = p.inv;
            pred_ctrl = match codes::pred_code(p.ctrl, self.caps.words.pred_width) {
                Some(code) => code,
                None => {
                    return Err(self.error(
                        "PredCtrl",
                        p.ctrl.number(),
                        "a predicate control of the platform",
                    ));
                }
            };
        }
        if let Some(c) = i.cond {
            let written = self.flag(c.flag)?;
            if i.pred.is_some() && written != flag {
                return Err(self.error("FlagRegNum", u32::from(written.code()), "the predicate's flag"));
            }
            flag = written;
        }
        Ok(Controls {
            opcode,
            swsb,
            exec_size: i.exec.number(),
            channel: i.chan,
            flag,
            pred_ctrl,
            pred_inv,
            debug: i.opts.has(Options::BREAKPOINT),
            no_mask: i.no_mask,
            atomic: i.opts.has(Options::ATOMIC),
        })
    }

    fn flag(&self, reg: Reg<Physical>) -> Encoded<FlagSub> {
        reg.flag_sub()
            .filter(|flag| flag.register() < self.caps.regs.flag_count)
            .ok_or_else(|| self.error("FlagRegNum", reg.byte, "a flag register's first or second half"))
    }

    pub(super) fn cond(&self) -> Encoded<u8> {
        match self.inst.cond {
            None => Ok(0),
            Some(c) => c
                .cond
                .code()
                .ok_or_else(|| self.error("CondModifier", "eo", "a condition; eo belongs to math macros")),
        }
    }

    pub(super) fn no_cond(&self) -> Encoded<()> {
        match self.inst.cond {
            None => Ok(()),
            Some(c) => Err(self.error("CondModifier", c.cond.number(), "none")),
        }
    }

    #[inline(always)]
    pub(super) fn no_source(&self, from: usize) -> Encoded<()> {
        // Without a branch per source: how many there are is hard to foretell.
        let present = |i: usize| u32::from(!matches!(self.inst.src[i], Src::None)) << i;
        if (present(0) | present(1) | present(2)) >> from == 0 {
            return Ok(());
        }
        Err(self.error("sources", "too many", "as many as the operation has"))
    }
}

//! An instruction as the rules look at it.

use std::fmt;

use platforms::Caps;

use super::places::Channels;
use crate::{Arf, Base, Dst, Inst, Op, Physical, Region, Src, SrcMod, Type};

/// A broken rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Broken {
    /// Short stable name.
    pub rule: &'static str,
    /// What the rule says.
    pub says: &'static str,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.says, self.rule)
    }
}

/// What the rules look at.
pub(super) struct Cx<'a> {
    pub(super) caps: &'static Caps,
    pub(super) inst: &'a Inst<Physical>,
    /// General registers of the thread.
    pub(super) grfs: u16,
    /// Those that hold are told of, too.
    pub(super) all: bool,
    /// Is told of each rule that is broken, perhaps several times.
    pub(super) told: &'a mut dyn FnMut(Broken, bool),
}

/// A register source of a one- or two-source instruction, direct or indirect.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) region: Region,
    pub(super) mods: SrcMod,
    pub(super) ty: Type,
    /// Where it starts, unless it is indirect.
    pub(super) at: Option<(Base<Physical>, u32)>,
}

impl Operand {
    pub(super) fn is_acc(&self) -> bool {
        matches!(self.at, Some((Base::Arf(Arf::Acc(_)), _)))
    }

    pub(super) fn is_indirect(&self) -> bool {
        self.at.is_none()
    }

    pub(super) fn is_scalar(&self) -> bool {
        (self.region.vert, self.region.width, self.region.horz) == (0, 1, 0)
    }

    /// Bytes from one channel to the next within a row, or from row to row where rows are single.
    pub(super) fn stride(&self) -> u32 {
        let r = self.region;
        u32::from(if r.horz != 0 { r.horz } else { r.vert }) * self.ty.bytes()
    }

    pub(super) fn channels(&self) -> Channels {
        Channels { step: Some(self.stride()), place: self.at.map(|(_, byte)| byte) }
    }
}

impl<'a> Cx<'a> {
    pub(super) fn require(&mut self, holds: bool, rule: &'static str, says: &'static str) {
        if self.all || !holds {
            (self.told)(Broken { rule, says }, holds);
        }
    }

    pub(super) fn lanes(&self) -> u32 {
        self.inst.exec.lanes()
    }

    pub(super) fn grf(&self) -> u32 {
        u32::from(self.caps.regs.grf_bytes)
    }

    pub(super) fn align16(&self) -> bool {
        self.inst.opts.has(crate::Options::ALIGN16)
    }

    /// The register sources, by number.
    pub(super) fn operands(&self) -> impl Iterator<Item = (usize, Operand)> + use<'a> {
        let inst = self.inst;
        inst.src.iter().enumerate().filter_map(|(i, s)| match *s {
            Src::Direct { reg, region, mods, ty } => {
                Some((i, Operand { region, mods, ty, at: Some((reg.base(), reg.byte)) }))
            }
            Src::Indirect { region, mods, ty, .. } => Some((i, Operand { region, mods, ty, at: None })),
            _ => None,
        })
    }

    /// Types of all sources that are values: source 1 of `smov` is a set of channels.
    pub(super) fn src_types(&self) -> impl Iterator<Item = Type> + use<'a> {
        let inst = self.inst;
        let values = if inst.op == Op::Smov { 1 } else { inst.src.len() };
        inst.src[..values].iter().filter_map(Src::ty)
    }

    pub(super) fn dst_type(&self) -> Option<Type> {
        self.inst.dst.ty()
    }

    /// Destination stride in elements, and offset in its register if it is direct.
    pub(super) fn dst_layout(&self) -> Option<(u32, Option<u32>)> {
        match self.inst.dst {
            Dst::Direct { reg, horz, .. } => Some((u32::from(horz), Some(reg.byte))),
            Dst::Indirect { horz, .. } => Some((u32::from(horz), None)),
            _ => None,
        }
    }

    pub(super) fn dst_channels(&self) -> Option<Channels> {
        let (stride, place) = self.dst_layout()?;
        Some(Channels { step: Some(stride * self.dst_type()?.bytes()), place })
    }

    pub(super) fn dst_is_null(&self) -> bool {
        self.inst.dst.reg().is_some_and(|r| r.is_null())
    }

    /// A conversion to or from 8-bit floats.
    pub(super) fn converts_bf8(&self) -> bool {
        self.inst.op == Op::Mov
            && self.inst.types().any(|t| t == Type::Bf8)
            && self.dst_type() != self.inst.src[0].ty()
    }
}

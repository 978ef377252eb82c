//! The hardware's rules on one physical instruction.
//!
//! [`check`] says which rules an instruction breaks. It is used on everything we emit in tests, and it
//! must stay silent on everything Intel's compilers emit; a report on their code is a fault of ours.
//! The rules come from the Programmer's Reference Manuals: volume 7 (Skylake: "3D Media GPGPU",
//! chapters "Register Region Restrictions" and "Accumulator Restrictions") and volume 2a (the pages of
//! the instructions). Each rule names its chapter.

mod floats;
mod halves;
mod narrow;
mod opcodes;
mod regions;
mod seen;
mod sends;
mod types;
mod wide;

pub use narrow::{Narrow, NarrowSource, narrow_fits};
pub use seen::Seen;

use std::fmt;

use platforms::{Caps, Platform};

use crate::{Arf, Base, Class, Dst, Inst, Physical, Region, Src, SrcMod, Type};

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

/// The rules that an instruction breaks on a platform; empty for a legal one.
pub fn check(platform: Platform, inst: &Inst<Physical>) -> Vec<Broken> {
    let mut broken = Vec::new();
    every_rule(platform, inst, false, &mut |b, _| {
        if !broken.contains(&b) {
            broken.push(b);
        }
    });
    broken
}

/// Tells of each question that the rules ask about an instruction, perhaps several times: the rule, and whether it
/// holds. Some rules ask nothing of most instructions.
pub fn each(platform: Platform, inst: &Inst<Physical>, told: &mut dyn FnMut(&'static str, bool)) {
    every_rule(platform, inst, true, &mut |b, holds| told(b.rule, holds));
}

/// Whether an instruction breaks no rule on a platform. Cheaper than [`check`]; of many instructions, [`Seen`] is asked.
pub fn is_legal(platform: Platform, inst: &Inst<Physical>) -> bool {
    let mut legal = true;
    every_rule(platform, inst, false, &mut |_, _| legal = false);
    legal
}

fn every_rule(platform: Platform, inst: &Inst<Physical>, all: bool, told: &mut dyn FnMut(Broken, bool)) {
    let mut cx = Cx { caps: platform.caps(), inst, all, told };
    match inst.op.info().class {
        Class::Send => sends::check(&mut cx),
        Class::Basic if inst.op == crate::Op::Srnd => {
            regions::check(&mut cx);
            opcodes::check(&mut cx);
        }
        Class::Basic | Class::Math => {
            types::check(&mut cx);
            regions::check(&mut cx);
            floats::check(&mut cx);
            wide::check(&mut cx);
            opcodes::check(&mut cx);
            halves::check(&mut cx);
            narrow::check(&mut cx);
        }
        Class::Ternary => {
            types::check(&mut cx);
            regions::check_ternary(&mut cx);
            opcodes::check(&mut cx);
            halves::check(&mut cx);
            narrow::check(&mut cx);
        }
        Class::Branch | Class::Dpas | Class::Sync | Class::Nullary => {}
    }
    common(&mut cx);
}

/// Rules for every instruction.
fn common(cx: &mut Cx<'_>) {
    let (chan, lanes) = (u32::from(cx.inst.chan), cx.lanes());
    cx.require(chan + lanes <= 32, "channel-range", "channel offset plus execution size reach at most 32");
    // Volume 2a, "Execution Mask Offset": the offset is a multiple of the execution size (Xe).
    if cx.caps.words.layout() == platforms::Layout::Xe {
        cx.require(
            chan % lanes == 0,
            "channel-offset",
            "the channel offset is a multiple of the execution size",
        );
    }
    if !cx.caps.words.ternary_align16 {
        cx.require(!cx.inst.opts.has(crate::Options::ALIGN16), "align16", "the platform has no align16 mode");
    }
}

/// What the rules look at.
struct Cx<'a> {
    caps: &'static Caps,
    inst: &'a Inst<Physical>,
    /// Those that hold are told of, too.
    all: bool,
    /// Is told of each rule that is broken, perhaps several times.
    told: &'a mut dyn FnMut(Broken, bool),
}

/// A register source of a one- or two-source instruction, direct or indirect.
#[derive(Clone, Copy)]
struct Operand {
    region: Region,
    mods: SrcMod,
    ty: Type,
    /// Where it starts, unless it is indirect.
    at: Option<(Base<Physical>, u32)>,
}

impl Operand {
    fn is_acc(&self) -> bool {
        matches!(self.at, Some((Base::Arf(Arf::Acc(_)), _)))
    }

    fn is_indirect(&self) -> bool {
        self.at.is_none()
    }

    fn is_scalar(&self) -> bool {
        (self.region.vert, self.region.width, self.region.horz) == (0, 1, 0)
    }

    /// Bytes from one channel to the next within a row, or from row to row where rows are single.
    fn stride(&self) -> u32 {
        let r = self.region;
        u32::from(if r.horz != 0 { r.horz } else { r.vert }) * self.ty.bytes()
    }
}

impl<'a> Cx<'a> {
    fn require(&mut self, holds: bool, rule: &'static str, says: &'static str) {
        if self.all || !holds {
            (self.told)(Broken { rule, says }, holds);
        }
    }

    fn lanes(&self) -> u32 {
        self.inst.exec.lanes()
    }

    fn grf(&self) -> u32 {
        u32::from(self.caps.regs.grf_bytes)
    }

    fn align16(&self) -> bool {
        self.inst.opts.has(crate::Options::ALIGN16)
    }

    /// The register sources, by number.
    fn operands(&self) -> impl Iterator<Item = (usize, Operand)> + use<'a> {
        let inst = self.inst;
        inst.src.iter().enumerate().filter_map(|(i, s)| match *s {
            Src::Direct { reg, region, mods, ty } => {
                Some((i, Operand { region, mods, ty, at: Some((reg.base(), reg.byte)) }))
            }
            Src::Indirect { region, mods, ty, .. } => Some((i, Operand { region, mods, ty, at: None })),
            _ => None,
        })
    }

    /// Types of all sources.
    fn src_types(&self) -> impl Iterator<Item = Type> + use<'a> {
        let inst = self.inst;
        inst.src.iter().filter_map(Src::ty)
    }

    fn dst_type(&self) -> Option<Type> {
        self.inst.dst.ty()
    }

    /// Destination stride in elements, and offset in its register if it is direct.
    fn dst_layout(&self) -> Option<(u32, Option<u32>)> {
        match self.inst.dst {
            Dst::Direct { reg, horz, .. } => Some((u32::from(horz), Some(reg.byte))),
            Dst::Indirect { horz, .. } => Some((u32::from(horz), None)),
            _ => None,
        }
    }

    fn dst_is_null(&self) -> bool {
        self.inst.dst.reg().is_some_and(|r| r.is_null())
    }

    /// A `mov` that only copies bits: same type up to sign, no modifier, no saturation.
    fn is_raw_move(&self) -> bool {
        let same = match (self.dst_type(), self.inst.src[0].ty()) {
            (Some(d), Some(s)) => d.same_bits(s),
            _ => false,
        };
        self.inst.op == crate::Op::Mov && same && !self.inst.sat && !self.inst.src[0].mods().any()
    }

    /// The type that the hardware computes in (volume 7, "Execution Data Type").
    fn exec_type(&self) -> Option<Type> {
        let rank = |t: Type| match t {
            Type::Nf => 7,
            Type::Q => 6,
            Type::Df => 5,
            Type::D => 4,
            Type::F => 3,
            Type::Hf | Type::Bf => 2,
            _ => 1,
        };
        let widest = self.src_types().map(widened).max_by_key(|t| rank(*t))?;
        let dst = self.dst_type();
        // Mixed half and single float computes in single; a half source alone follows the destination.
        if widest == Type::Hf && dst.is_some_and(|d| d != Type::Hf) {
            return dst.map(widened);
        }
        if self.is_mixed_float() {
            return Some(Type::F);
        }
        Some(widest)
    }

    /// A conversion to or from 8-bit floats.
    fn converts_bf8(&self) -> bool {
        self.inst.op == crate::Op::Mov
            && self.src_types().chain(self.dst_type()).any(|t| t == Type::Bf8)
            && self.dst_type() != self.inst.src[0].ty()
    }

    /// Single and half (or bfloat16) float among the operands.
    fn is_mixed_float(&self) -> bool {
        let all = || self.src_types().chain(self.dst_type()).map(widened);
        all().any(|t| t == Type::F) && all().any(|t| matches!(t, Type::Hf | Type::Bf))
    }
}

/// The type that an operand of type `ty` is computed in.
fn widened(ty: Type) -> Type {
    match ty {
        Type::Ub | Type::B | Type::Uw | Type::W | Type::V | Type::Uv => Type::W,
        Type::Ud | Type::D => Type::D,
        Type::Uq | Type::Q => Type::Q,
        Type::Vf => Type::F,
        other => other,
    }
}

#[cfg(test)]
mod tests;

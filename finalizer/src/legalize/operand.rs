//! What rules ask of operands, and moving operands through temporaries.

use gen_ir::{Base, Dst, ExecSize, Op, PredCtrl, Region, Src, SrcMod, Type, rules::places::Channels};
use narrow::to_u8;

use super::legalizer::{Legalizer, lanes_of};
pub(super) use crate::build::with_modifiers;
use crate::build::{self, Lanes, VInst, VReg, VSrc};

/// The dword that a number's copy has room in: the negative of an unsigned word or byte is a signed dword.
pub(super) fn dword_for(src: &VSrc) -> Type {
    let negative = src.mods().neg() && src.ty().is_some_and(|ty| ty.bytes() < 4);
    if negative || src.ty().is_some_and(Type::is_signed) { Type::D } else { Type::Ud }
}

/// Bytes of what an instruction computes in.
pub(super) fn exec_bytes(inst: &VInst) -> u32 {
    inst.exec_type().map_or(4, Type::bytes)
}

/// The region of a linear stride.
pub(super) fn linear_region(stride: u32, lanes: u32) -> Option<Region> {
    match stride {
        _ if lanes <= 1 => Some(Region::SCALAR),
        0 => Some(Region::SCALAR),
        1 | 2 | 4 | 8 | 16 | 32 => Some(Region::new(to_u8(stride), 1, 0)),
        _ => None,
    }
}

/// Whether an operand reads one value for all channels.
pub(super) fn is_scalar(src: &VSrc, lanes: u32) -> bool {
    match src {
        Src::Direct { region, .. } | Src::Indirect { region, .. } => lanes == 1 || region.is_scalar(),
        Src::Imm { ty, .. } => lanes == 1 || !ty.is_vector(),
        _ => true,
    }
}

/// The same operand without modifiers.
pub(super) fn without_modifiers(src: VSrc) -> VSrc {
    with_modifiers(src, SrcMod::None)
}

/// Which of an operation and the move of its result saturates, if the instruction does that the two are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Saturates {
    Operation,
    Move,
}

impl Legalizer<'_> {
    /// Offset of a general operand in its register, if it is known before allocation.
    pub(super) fn offset_in_grf(&self, reg: VReg) -> Option<u32> {
        self.offset_modulo(reg, self.grf())
    }

    /// Where the channels of a destination lie.
    pub(super) fn dst_channels(&self, inst: &VInst) -> Option<Channels> {
        let Dst::Direct { reg, horz, ty } = inst.dst else { return None };
        Some(Channels { step: Some(u32::from(horz) * ty.bytes()), place: self.offset_in_grf(reg) })
    }

    /// Where the channels of a source in registers lie.
    pub(super) fn src_channels(&self, inst: &VInst, i: usize) -> Option<Channels> {
        let Src::Direct { reg, region, ty, .. } = inst.src[i] else { return None };
        let step = region.stride(inst.exec.lanes()).map(|stride| stride * ty.bytes());
        Some(Channels { step, place: self.offset_in_grf(reg) })
    }

    /// Has an operand begin so many bytes into a register, if that is only a question of where its variable is
    /// placed. A variable that is aligned further breaks no rule that it has kept before.
    pub(super) fn place_in_grf(&mut self, reg: VReg, at: u32) {
        let grf = self.grf();
        if reg.byte % grf == at && reg.var().is_some() && self.is_general(reg) {
            self.raise_alignment(reg, grf);
        }
    }

    /// Whether an operand surely starts at a multiple of `bytes`.
    pub(super) fn is_aligned(&self, reg: VReg, bytes: u32) -> bool {
        self.offset_modulo(reg, bytes) == Some(0)
    }

    /// Whether an operand starts at a multiple of `bytes`. A variable that may, does from now on.
    pub(super) fn starts_at(&mut self, reg: VReg, bytes: u32) -> bool {
        if !self.is_aligned(reg, bytes) && reg.byte.is_multiple_of(bytes) {
            self.raise_alignment(reg, bytes);
        }
        self.is_aligned(reg, bytes)
    }

    /// The byte of a multiple of `bytes` that an operand starts at, if it is known before allocation.
    pub(super) fn offset_modulo(&self, reg: VReg, bytes: u32) -> Option<u32> {
        match reg.base() {
            Base::Var(v) => {
                let var = &self.vars[v.index()];
                match var.fixed {
                    Some(place) => Some((place.bytes() + reg.byte) % bytes),
                    None => var.align.is_multiple_of(bytes).then_some(reg.byte % bytes),
                }
            }
            Base::Grf(_) | Base::Arf(_) => Some(reg.byte % bytes),
        }
    }

    /// Makes a variable start at a register, unless its place is fixed.
    pub(super) fn align_to_register(&mut self, reg: VReg) {
        let grf = self.grf();
        self.raise_alignment(reg, grf);
    }

    /// Raises a variable's alignment to `bytes`, unless its place is fixed.
    pub(super) fn raise_alignment(&mut self, reg: VReg, bytes: u32) {
        if let Base::Var(v) = reg.base() {
            let var = &mut self.vars[v.index()];
            if var.fixed.is_none() && var.align < bytes {
                var.align = bytes;
                self.aligned = true;
            }
        }
    }

    /// Puts source `i` into a temporary of type `ty` whose elements lie `stride` apart (a scalar one if
    /// the source is scalar), and makes `inst` read that.
    pub(super) fn stage_source(&mut self, inst: &mut VInst, i: usize, ty: Type, stride: u32) {
        let mut src = inst.src[i];
        // In bitwise operations a negated source means `not`, which a move does not do.
        let kept = if inst.op.info().logic { src.mods() } else { SrcMod::None };
        if inst.op.info().logic {
            src = without_modifiers(src);
        }
        let lanes = inst.exec.lanes();
        let staged = if is_scalar(&src, lanes) {
            let reg = self.temp(ty.bytes());
            self.helper(build::mov(Lanes::SCALAR, Dst::packed(reg, ty), scalar_view(src)), inst);
            Src::Direct { reg, region: Region::SCALAR, mods: kept, ty }
        } else {
            let reg = self.aligned_temp(lanes * stride * ty.bytes());
            let dst = Dst::Direct { reg, horz: to_u8(stride), ty };
            self.helper(build::mov(lanes_of(inst), dst, src), inst);
            let region = linear_region(stride, lanes).unwrap_or(Region::PACKED);
            Src::Direct { reg, region, mods: kept, ty }
        };
        inst.src[i] = staged;
    }

    /// Puts source `i` into a packed temporary and makes `inst` read that, under the same modifiers: there is a bit more
    /// where the negative of an unsigned number is used than in the temporary.
    pub(super) fn copy_source(&mut self, inst: &mut VInst, i: usize, ty: Type) {
        self.copy_source_apart(inst, i, ty, 1);
    }

    /// The same, into elements that lie `stride` apart.
    pub(super) fn copy_source_apart(&mut self, inst: &mut VInst, i: usize, ty: Type, stride: u32) {
        let mods = inst.src[i].mods();
        inst.src[i] = without_modifiers(inst.src[i]);
        self.stage_source(inst, i, ty, stride);
        inst.src[i] = with_modifiers(inst.src[i], mods);
    }

    /// Puts scalar source `i` into every element of a packed temporary, and makes `inst` read that. Whatever the mask: then the
    /// same temporary serves other channels, too.
    pub(super) fn broadcast_source(&mut self, inst: &mut VInst, i: usize, ty: Type) {
        let lanes = inst.exec.lanes();
        let reg = self.aligned_temp(lanes * ty.bytes());
        let all = Lanes { chan: 0, ..Legalizer::whole(inst, inst.exec) };
        self.helper(build::mov(all, Dst::packed(reg, ty), inst.src[i]), inst);
        inst.src[i] = Src::new(reg, linear_region(1, lanes).unwrap_or(Region::PACKED), ty);
    }

    /// Puts constants of several elements into temporaries, of the types that `wide` makes of theirs. Returns the instruction
    /// that reads those, if there are any.
    pub(super) fn expand_vectors(&mut self, inst: &VInst, wide: impl Fn(Type) -> Type) -> Option<VInst> {
        let mut new = None;
        for i in 0..inst.src.len() {
            if let Some(of) = inst.src[i].vector_type() {
                self.broadcast_source(new.get_or_insert(*inst), i, wide(of));
            }
        }
        new
    }

    /// Emits `inst` with its result in a temporary of type `ty` whose elements lie `stride` apart, then
    /// a move from there to the real destination.
    pub(super) fn stage_destination(&mut self, inst: &VInst, ty: Type, stride: u32, saturates: Saturates) {
        let sats = match saturates {
            Saturates::Operation => [inst.sat, false],
            Saturates::Move => [false, inst.sat],
        };
        self.stage_with(inst, ty, stride, sats);
    }

    /// The same with both the operation and the move saturating, if `inst` does. Where `ty` has the sign of the
    /// destination, together they do what saturation of the exact result does.
    pub(super) fn stage_in_steps(&mut self, inst: &VInst, ty: Type, stride: u32) {
        self.stage_with(inst, ty, stride, [inst.sat; 2]);
    }

    fn stage_with(&mut self, inst: &VInst, ty: Type, stride: u32, [operation, moved]: [bool; 2]) {
        let lanes = inst.exec.lanes();
        let reg = self.aligned_temp(lanes * stride * ty.bytes());
        let op = VInst { dst: Dst::Direct { reg, horz: to_u8(stride), ty }, sat: operation, ..*inst };
        self.helper(op, inst);
        let region = linear_region(stride, lanes).unwrap_or(Region::PACKED);
        let mut copy = build::mov(lanes_of(inst), inst.dst, Src::new(reg, region, ty));
        copy.sat = moved;
        copy.pred = if inst.op == Op::Sel { None } else { inst.pred };
        self.helper(copy, inst);
    }

    /// A flag-free, unpredicated copy of the channels: for helpers that must run for all of them.
    pub(super) fn whole(inst: &VInst, exec: ExecSize) -> Lanes {
        Lanes { exec, chan: inst.chan, no_mask: true }
    }
}

/// A scalar operand as one channel reads it.
pub(super) fn scalar_view(src: VSrc) -> VSrc {
    match src {
        Src::Direct { reg, mods, ty, .. } => Src::Direct { reg, region: Region::SCALAR, mods, ty },
        Src::Indirect { addr, imm, mods, ty, .. } => {
            Src::Indirect { addr, imm, region: Region::SCALAR, mods, ty }
        }
        other => other,
    }
}

/// Predicates that look at a whole group of channels.
pub(super) fn is_group_predicate(inst: &VInst) -> bool {
    inst.pred.is_some_and(|p| matches!(p.ctrl, PredCtrl::Any | PredCtrl::All))
}

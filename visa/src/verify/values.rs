//! Constants in the ranges that instructions take, and the pages of few instructions: conversions, matrices,
//! motion estimation.

use super::{Checker, Rule};
use crate::{inst::Inst, op::*, opcode::Opcode, operand::*, table::Types, types::*};
use narrow::to_u64;

/// The value of a constant operand.
fn constant(v: &VectorOperand) -> Option<u64> {
    match *v {
        VectorOperand::Immediate { ty, bits } if ty.is_int() => {
            let unused = 64 - 8 * ty.bytes();
            Some(if ty.is_signed_int() {
                ((bits << unused).cast_signed() >> unused).cast_unsigned()
            } else {
                bits << unused >> unused
            })
        }
        _ => None,
    }
}

impl Checker<'_> {
    pub(super) fn values(&mut self, index: usize, inst: &Inst<'_>) {
        match inst.op {
            Op::Alu { dst, srcs } if matches!(inst.opcode, Opcode::Fcvt | Opcode::Srnd) => {
                self.conversion(index, inst.opcode, dst, &srcs);
            }
            Op::SwitchJmp { index: at, ref labels } => {
                let count = to_u64(labels.len());
                self.range(index, "number of labels", count, 1, 32);
                if let Some(value) = constant(at) {
                    self.range(index, "index", value, 0, count.saturating_sub(1));
                }
            }
            Op::NamedBarrier { id, kind, producers, consumers, mode } => {
                self.constant(index, "barrier id", id, 0, 31);
                if mode == NamedBarrierMode::Wait {
                    return;
                }
                self.constant(index, "barrier type", kind, 0, 2);
                self.constant(index, "producers", producers, 0, 255);
                self.constant(index, "consumers", consumers, 0, 255);
            }
            Op::MediaBlock { access, plane, x, .. } => {
                self.range(index, "plane", plane.into(), 0, 3);
                if access.is_store()
                    && let Some(x) = constant(x).filter(|x| !x.is_multiple_of(4))
                {
                    let message =
                        format!("found {x}, allowed: multiples of 4, for blocks are stored in dwords");
                    self.report(Rule::ConstantRange, Some(index), "x offset", message);
                }
            }
            Op::Sample(ref s) => {
                if let Some(offsets) = constant(s.aoffimmi) {
                    self.range(index, "texel offsets", offsets, 0, 0xfff);
                }
                self.parameters(index, s);
                self.coarse_pixels(index, s);
            }
            Op::RtWrite(ref rt) => {
                if let Some(target) = rt.target {
                    self.constant(index, "render target index", target, 0, 7);
                }
            }
            Op::UrbWrite { outputs, global_offset, .. } => {
                self.range(index, "number of outputs", outputs.into(), 1, 8);
                self.range(index, "global offset", global_offset.into(), 0, 2047);
            }
            Op::RawSends { sfid, .. } => self.range(index, "shared function", sfid.into(), 0, 15),
            Op::Dpas { weight, activation, depth, repeat, dst, srcs, .. } => {
                self.matrix(index, [weight, activation], [depth, repeat], [dst, srcs[0]]);
            }
            _ => {}
        }
    }

    fn constant(&mut self, index: usize, field: &'static str, v: &VectorOperand, first: u64, last: u64) {
        if let Some(value) = constant(v) {
            self.range(index, field, value, first, last);
        }
    }

    fn range(&mut self, index: usize, field: &'static str, value: u64, first: u64, last: u64) {
        if !(first..=last).contains(&value) {
            let message = format!("found {}, allowed: {first} to {last}", value.cast_signed());
            self.report(Rule::ConstantRange, Some(index), field, message);
        }
    }

    /// A constant whose upper bits are lost: texts keep those that were written, objects 32 of a narrow type.
    pub(super) fn constant_width(&mut self, index: usize, field: &'static str, ty: Type, bits: u64) {
        let fits = ty.bytes() == 8 || i64::try_from(bits).is_ok_and(|value| ty.holds(value));
        if fits || self.safety_only {
            return;
        }
        let left = VectorOperand::imm(ty, bits).immediate().unwrap_or_default();
        let message = format!("{bits:#x} does not fit into `:{ty}`, which leaves {left:#x}");
        self.report(Rule::ConstantWidth, Some(index), field, message);
    }

    /// Offsets of indirect operands, which have ten bits.
    pub(super) fn indirect(&mut self, index: usize, field: &'static str, operand: &IndirectOperand) {
        if !(-512..=511).contains(&operand.offset) {
            let message = format!("found the offset {}, allowed: -512 to 511", operand.offset);
            self.report(Rule::ConstantRange, Some(index), field, message);
        }
        if operand.ty.is_packed() || operand.ty == Type::Bool {
            let message = format!("type {}, which nothing in registers has", operand.ty);
            self.report(Rule::OperandType, Some(index), field, message);
        }
    }

    /// `fcvt` and `srnd` have few pairs of types.
    fn conversion(&mut self, index: usize, opcode: Opcode, dst: &VectorOperand, srcs: &Srcs<'_>) {
        use Type::*;
        let ty = |v: &VectorOperand| self.kernel.operand_type(v);
        let (Some(to), Some(from)) = (ty(dst), srcs.iter().next().and_then(ty)) else { return };
        let (fits, allowed) = match opcode {
            Opcode::Fcvt => (
                matches!((to, from), (HF, UB) | (UB, HF) | (F, UD) | (UD, F)),
                "hf and ub, f and ud, either way",
            ),
            _ => (matches!((to, from), (UB, HF) | (HF, F)), "hf to ub, f to hf"),
        };
        if !fits {
            let message = format!("from {from} to {to}, allowed: {allowed}");
            self.report(Rule::ConversionTypes, Some(index), "types", message);
        }
    }

    /// The level of detail is compensated where the sampler works it out: `sample_3d`, `sample_b`, `sample_c`, `sample_b_c`
    /// and `lod` (specification, 3D_SAMPLE, bit 9 of the operation).
    fn coarse_pixels(&mut self, index: usize, s: &Sample<'_>) {
        use SamplerOp::{Lod, Sample, SampleB, SampleBC, SampleC};
        if s.cps && !matches!(s.op, Sample | SampleB | SampleC | SampleBC | Lod) {
            let message =
                format!("operation {}, allowed: {Sample}, {SampleB}, {SampleC}, {SampleBC}, {Lod}", s.op);
            self.report(Rule::ConstantRange, Some(index), "coarse pixels", message);
        }
    }

    /// Coordinates and the like of a sampler message: 1 to 15, of one type.
    fn parameters(&mut self, index: usize, s: &Sample<'_>) {
        if s.params.len() > 15 {
            let message = format!("{}, allowed: 1 to 15", s.params.len());
            self.report(Rule::SamplerParameters, Some(index), "number of parameters", message);
        }
        let kernel = self.kernel;
        let mut first = None;
        let halves =
            s.kind.is_load() || self.options.platform.is_none_or(|p| p.caps().sampler.half_parameters);
        for raw in s.params.iter().filter(|raw| !raw.is_null()) {
            let Some(ty) = kernel.var_type(raw.var) else { continue };
            let bytes = *first.get_or_insert(ty.bytes());
            let wanted = match (s.kind.is_load(), halves) {
                (true, _) => "2 or 4 bytes",
                (false, true) => "hf or f",
                (false, false) => "f",
            };
            if ty.bytes() != bytes || !matches!(bytes, 2 | 4) || bytes == 2 && !halves {
                let name = kernel.var_name(raw.var);
                let message = format!(
                    "{name} has type {ty}, the first parameter has elements of {bytes} bytes; allowed: one type \
                     for all, {wanted}"
                );
                self.report(Rule::SamplerParameters, Some(index), "parameters", message);
                return;
            }
        }
    }

    /// Precisions, depth, count and types of a matrix instruction.
    fn matrix(
        &mut self,
        index: usize,
        precisions: [Precision; 2],
        [depth, repeat]: [u8; 2],
        [dst, acc]: [RawOperand; 2],
    ) {
        use Precision as P;
        if depth != 8 {
            let message = format!("{depth}, allowed: 8");
            self.report(Rule::MatrixShape, Some(index), "systolic depth", message);
        }
        if !(1..=8).contains(&repeat) {
            let message = format!("{repeat}, allowed: 1 to 8");
            self.report(Rule::MatrixShape, Some(index), "repeat count", message);
        }
        let is_int = |p: P| matches!(p, P::U1 | P::S1 | P::U2 | P::S2 | P::U4 | P::S4 | P::U8 | P::S8);
        let [w, a] = precisions;
        let fits = match (w, a) {
            _ if is_int(w) && is_int(a) => true,
            (P::BF8 | P::HF8, P::BF8 | P::HF8) => true,
            _ => w == a,
        };
        if !fits {
            let message = format!("{w} and {a}, allowed: integers with integers, floats with the same");
            self.report(Rule::MatrixShape, Some(index), "precisions", message);
            return;
        }
        let allowed: &[Type] = match w {
            _ if is_int(w) => &[Type::D, Type::UD],
            P::BF16 => &[Type::F, Type::BF],
            P::FP16 => &[Type::F, Type::HF],
            _ => &[Type::F],
        };
        for (field, raw) in [("destination", dst), ("source 0", acc)] {
            if raw.is_null() {
                continue;
            }
            if let Some(ty) = self.kernel.var_type(raw.var).filter(|ty| !allowed.contains(ty)) {
                let names: Vec<_> = allowed.iter().map(|t| t.name()).collect();
                let message = format!("type {ty}, allowed with {w}: {}", names.join(", "));
                self.report(Rule::MatrixShape, Some(index), field, message);
            }
        }
    }
}

impl Checker<'_> {
    /// Types of payloads that are not those of the table. Where the specification says unsigned, Intel's compilers write
    /// signed integers, too.
    pub(super) fn payload_types(&mut self, index: usize, inst: &Inst<'_>) {
        match inst.op {
            Op::Atomic { op, bits, srcs, dst, .. }
            | Op::TypedAtomic { op, bits, srcs, dst, .. }
            | Op::SvmAtomic { op, bits, srcs, dst, .. } => self.atomic_types(index, op, bits, srcs, dst),
            _ => {}
        }
    }

    fn atomic_types(&mut self, index: usize, op: AtomicOp, bits: u8, srcs: [RawOperand; 2], dst: RawOperand) {
        let allowed = match (op.is_float(), bits) {
            (true, 64) => Types::of(&[Type::DF]),
            (true, _) => Types::of(&[Type::F]),
            (false, 64) => Types::of(&[Type::UQ, Type::Q]),
            (false, _) => Types::DWORD,
        };
        for (field, raw) in [("source 0", srcs[0]), ("source 1", srcs[1]), ("destination", dst)] {
            self.types(index, field, raw, allowed);
        }
    }

    /// The type of the variable that a payload is in.
    pub(super) fn types(&mut self, index: usize, field: &'static str, raw: RawOperand, allowed: Types) {
        if allowed == Types::ANY || raw.is_null() || raw.var.predefined().is_some() {
            return;
        }
        if let Some(ty) = self.kernel.var_type(raw.var).filter(|ty| !allowed.has(*ty)) {
            let message = format!("type {ty}, allowed: {allowed}");
            self.report(Rule::PayloadType, Some(index), field, message);
        }
    }
}

//! `dpas`: dot products of packed rows, accumulated through the systolic array.

use gen_ir::{Dst, Op, Payload, Region, Src, Type};
use visa::{Op as Visa, Opcode, VectorOperand, op::Precision};

use super::{Lowered, Lowerer, NoVariable, Unsupported, operand::gen_type};
use crate::build;

/// The systolic type of a precision that the array has.
fn systolic_type(precision: Precision) -> Lowered<Type> {
    Ok(match precision {
        Precision::U2 => Type::U2,
        Precision::S2 => Type::S2,
        Precision::U4 => Type::U4,
        Precision::S4 => Type::S4,
        Precision::U8 => Type::Ub,
        Precision::S8 => Type::B,
        Precision::BF16 => Type::Bf,
        Precision::FP16 => Type::Hf,
        Precision::TF32 => Type::Tf32,
        Precision::BF8 => Type::Bf8,
        other => return Err(Unsupported::Precision(other).into()),
    })
}

/// Whether products of a systolic type are added to, and become, another type: dwords for integers, for floats a single or
/// the factors' own type.
fn adds(factors: Type, sum: Type) -> bool {
    match factors {
        Type::Bf | Type::Hf => matches!(sum, Type::F) || sum == factors,
        _ if factors.is_float() => sum == Type::F,
        _ => sum.is_dword(),
    }
}

impl Lowerer<'_> {
    /// `dpas`. (`dpasw` shares rows between two threads, which none of our platforms does.)
    pub(crate) fn dpas(&mut self, opcode: Opcode, op: &Visa<'_>) -> Lowered {
        let Visa::Dpas { weight, activation, depth, repeat, dst, srcs, src2 } = *op else {
            unreachable!("{op:?} is no dpas");
        };
        if !self.caps.ops.systolic || opcode == Opcode::Dpasw {
            return self.unsupported(opcode);
        }
        let grf = self.grf();
        let visa = self.visa;
        let type_of =
            |id: visa::VarId| visa.var_type(id).map(|ty| gen_type(ty).ok_or(Unsupported::Bool)).transpose();
        let ty = type_of(dst.var)?.ok_or(Unsupported::NoVariable(NoVariable::Undeclared))?;
        let factors = systolic_type(weight)?;
        let added = (!srcs[0].is_null()).then_some((srcs[0].var, "source 0"));
        for (id, operand) in [(dst.var, "destination")].into_iter().chain(added) {
            if let Some(found) = type_of(id)?.filter(|ty| !adds(factors, *ty)) {
                return Err(Unsupported::Sums { weight, operand, found }.into());
            }
        }
        let rows = u32::from(repeat) * self.lanes.exec.lanes() * ty.bytes();
        let (target, copy) = self.response(dst, rows)?;
        let src0 = if srcs[0].is_null() {
            Src::new(build::VReg::NULL, Region::PACKED, ty)
        } else {
            let ty = type_of(srcs[0].var)?.unwrap_or(ty);
            let bytes = u32::from(repeat) * self.lanes.exec.lanes() * ty.bytes();
            Src::new(self.part(srcs[0], bytes)?.reg, Region::PACKED, ty)
        };
        let weights = self.part(srcs[1], Precision::weight_dwords(weight, activation, depth.into()) * grf)?;
        let VectorOperand::General(_) = src2 else {
            return Err(Unsupported::NotInVariable("activations").into());
        };
        let Src::Direct { reg, .. } = self.src(src2)? else {
            return Err(Unsupported::NotInVariable("activations").into());
        };
        let srcs = [
            src0,
            Src::new(weights.reg, Region::PACKED, factors),
            Src::new(reg, Region::PACKED, systolic_type(activation)?),
        ];
        // The sum of something signed is signed: without saturation it has the same bits.
        let signed = ty.is_int() && srcs.iter().any(|src| src.ty().is_some_and(Type::is_signed));
        let sum = if signed { Type::D } else { ty };
        let mut inst = build::op(Op::Dpas, self.lanes, Dst::packed(target, sum), &srcs);
        inst.payload = Payload::Dpas { depth, repeat };
        let row = inst.matrix_row();
        if !reg.byte.is_multiple_of(row)
            && let Some(read) = inst.src_extent(2, grf)
        {
            let copy = self.payload(read.len().div_ceil(grf));
            self.copy_bytes(copy, reg, read.len());
            inst.src[2] = Src::new(copy, Region::PACKED, systolic_type(activation)?);
        } else if let Some(var) = reg.var() {
            let var = &mut self.out.vars[var.index()];
            var.align = var.align.max(row);
        }
        self.emit_guarded(inst);
        if let Some(to) = copy {
            self.copy_bytes(to, target, rows);
        }
        Ok(())
    }
}

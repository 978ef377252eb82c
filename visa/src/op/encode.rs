//! From the typed view to stored operands: the way back of [`super::build`].

use narrow::to_u8;

use super::{fields::Put, *};
use crate::{
    opcode::Opcode,
    types::{Exec, ExecSize},
};

/// What a record holds of a typed instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encoded {
    /// Opcode.
    pub opcode: Opcode,
    /// Sub-opcode, 0 for opcodes without.
    pub sub: u8,
    /// Execution size and mask, for the record.
    pub exec: Exec,
}

impl Put<'_> {
    fn num(&mut self, n: impl Into<u32>) -> &mut Self {
        self.0.push(Operand::Num(n.into()));
        self
    }

    fn raw(&mut self, r: RawOperand) -> &mut Self {
        self.0.push(Operand::Raw(r));
        self
    }

    fn raws(&mut self, list: &[RawOperand]) -> &mut Self {
        self.0.extend(list.iter().map(|r| Operand::Raw(*r)));
        self
    }

    fn vector(&mut self, v: &VectorOperand) -> &mut Self {
        self.0.push(Operand::Vector(*v));
        self
    }

    fn vectors(&mut self, list: &[&VectorOperand]) -> &mut Self {
        self.0.extend(list.iter().map(|v| Operand::Vector(**v)));
        self
    }

    fn surface(&mut self, s: SurfaceId) -> &mut Self {
        self.0.push(Operand::Surface(s));
        self
    }

    fn sampler(&mut self, s: Option<SamplerId>) -> &mut Self {
        self.0.extend(s.map(Operand::Sampler));
        self
    }

    fn all(&mut self, list: &[Operand]) -> &mut Self {
        self.0.extend_from_slice(list);
        self
    }

    fn cache(&mut self, cache: [LscCache; 2]) -> &mut Self {
        self.num(cache[0].raw()).num(cache[1].raw())
    }

    fn shape(&mut self, shape: LscShape) -> &mut Self {
        // Compilers write one number to both fields: whichever counts.
        let data = shape.channels.map_or(shape.elems.raw(), |m| m.0);
        self.num(shape.size.raw()).num(shape.order.raw()).num(data).num(data)
    }
}

/// 1, 2, 4, ... as a power-of-two code; other numbers give a code that has no meaning.
fn power(n: u8) -> u8 {
    if n.is_power_of_two() { to_u8(n.trailing_zeros()) } else { 0xff }
}

fn atomic(op: AtomicOp, bits: u8) -> u8 {
    let width = match bits {
        32 => 0,
        16 => 1,
        64 => 2,
        _ => 7,
    };
    op.raw() | width << 5
}

/// `gather`/`scatter` have their own code for the execution size; others have no meaning there.
fn lanes(exec: Exec) -> u8 {
    let size = match exec.size {
        ExecSize::S8 => 0,
        ExecSize::S16 => 1,
        ExecSize::S1 => 2,
        _ => 15,
    };
    size | exec.mask.raw() << 4
}

impl Op<'_> {
    /// Appends the operands as the table wants them. `opcode` tells apart the members of a family, where
    /// the view does not, and is otherwise not looked at.
    pub(crate) fn encode(&self, opcode: Opcode, exec: Exec, out: &mut Vec<Operand>) -> Encoded {
        let (opcode, sub) = self.put(opcode, exec, Put(out));
        let exec = match opcode {
            Opcode::Gather | Opcode::Scatter => Exec::SCALAR,
            _ => exec,
        };
        Encoded { opcode, sub, exec }
    }

    fn put(&self, opcode: Opcode, exec: Exec, mut p: Put<'_>) -> (Opcode, u8) {
        use Opcode as O;
        if let Some(opcode) = self.put_fields(opcode, &mut p) {
            return (opcode, 0);
        }
        let pick = |store: bool, st: Opcode, ld: Opcode| if store { st } else { ld };
        let opcode = match *self {
            Op::Alu { dst, srcs } => {
                p.vector(dst).all(srcs.0);
                opcode
            }
            Op::MinMax { max, dst, srcs } => {
                p.num(max).vector(dst).all(srcs.0);
                O::Fminmax
            }
            Op::Bfn { function, dst, srcs } => {
                p.vector(dst).all(srcs.0).num(function);
                O::Bfn
            }
            Op::Cmp { cond, nan_variant, dst, srcs } => {
                p.num(cond.raw() | u8::from(nan_variant) << 7).vector(dst).all(srcs.0);
                O::Cmp
            }
            Op::Dpas { weight, activation, depth, repeat, dst, srcs, src2 } => {
                let info = [weight.raw(), activation.raw(), depth, repeat];
                p.raw(dst).raws(&srcs).vector(src2).num(u32::from_le_bytes(info));
                opcode
            }
            Op::Other(operands) => {
                p.all(operands);
                opcode
            }
            Op::Lifetime { end, var } => {
                let (class, id) = match var {
                    LifetimeVar::General(v) => (0, v.0),
                    LifetimeVar::Address(a) => (1, a.0.into()),
                    LifetimeVar::Predicate(q) => (2, q.0),
                };
                p.num(u8::from(end) | class << 4).num(id);
                O::Lifetime
            }
            Op::SvmBlock { store, unaligned, owords, address, data } => {
                p.num(power(owords) | u8::from(unaligned) << 3).vector(address).raw(data);
                return (O::Svm, if store { 2 } else { 1 });
            }
            Op::SvmGather { store, block_bytes, blocks, addresses, data } => {
                let block = match block_bytes {
                    1 => 0,
                    4 => 1,
                    8 => 2,
                    _ => 3u8,
                };
                p.num(block).num(power(blocks)).raw(addresses).raw(data);
                return (O::Svm, if store { 4 } else { 3 });
            }
            Op::SvmAtomic { op, bits, addresses, srcs, dst } => {
                p.num(atomic(op, bits)).raw(addresses).raws(&srcs).raw(dst);
                return (O::Svm, 5);
            }
            Op::SvmScaled4 { store, mask, address, offsets, data } => {
                p.num(mask.0).num(0u32).vector(address).raw(offsets).raw(data);
                return (O::Svm, if store { 7 } else { 6 });
            }
            Op::OwordBlock { store, unaligned, modified, owords, surface, offset, data } => {
                p.num(power(owords));
                if !store {
                    p.num(modified);
                }
                p.surface(surface).vector(offset).raw(data);
                pick(store, O::OwordSt, pick(unaligned, O::OwordLdUnaligned, O::OwordLd))
            }
            Op::Gather { store, element_bytes, modified, surface, global_offset, offsets, data } => {
                p.num(power(element_bytes));
                if !store {
                    p.num(modified);
                }
                p.num(lanes(exec)).surface(surface).vector(global_offset).raw(offsets).raw(data);
                pick(store, O::Scatter, O::Gather)
            }
            Op::Scaled4 { store, mask, surface, global_offset, offsets, data } => {
                p.num(mask.0).num(0u32).surface(surface).vector(global_offset).raw(offsets).raw(data);
                pick(store, O::Scatter4Scaled, O::Gather4Scaled)
            }
            Op::Scaled { store, blocks, surface, global_offset, offsets, data } => {
                p.num(0u32).num(power(blocks)).num(0u32);
                p.surface(surface).vector(global_offset).raw(offsets).raw(data);
                pick(store, O::ScatterScaled, O::GatherScaled)
            }
            Op::Qword { store, blocks, surface, offsets, data } => {
                p.num(power(blocks)).surface(surface).raw(offsets).raw(data);
                pick(store, O::QwScatter, O::QwGather)
            }
            Op::Atomic { op, bits, surface, offsets, srcs, dst } => {
                p.num(atomic(op, bits)).surface(surface).raw(offsets).raws(&srcs).raw(dst);
                O::DwordAtomic
            }
            Op::TypedAtomic { op, bits, surface, coords, srcs, dst } => {
                p.num(atomic(op, bits)).surface(surface).raws(&coords).raws(&srcs).raw(dst);
                O::TypedAtomic3d
            }
            _ => return self.put_message(opcode, p),
        };
        (opcode, 0)
    }

    fn put_message(&self, opcode: Opcode, mut p: Put<'_>) -> (Opcode, u8) {
        use Opcode as O;
        let opcode = match *self {
            Op::Lsc(l) => {
                p.num(l.sfid.raw()).cache(l.cache).num(l.addr_type.raw());
                p.num(l.addr_scale).num(l.addr_offset.cast_unsigned()).num(l.addr_size.raw()).shape(l.shape);
                p.vector(l.surface).num(l.surface_index).raw(l.dst).raw(l.addr);
                match l.pitch {
                    Some(pitch) => p.vector(pitch).raw(l.src1),
                    None => p.raw(l.src1).raw(l.src2),
                };
                return (O::LscUntyped, l.op.raw());
            }
            Op::LscBlock2d(l) => {
                p.num(l.sfid.raw()).cache(l.cache).num(l.size.raw()).num(l.order.raw());
                p.num(l.blocks).num(l.width).num(l.height).num(l.vnni);
                p.raw(l.dst).vectors(&l.addr).raw(l.src1);
                return (O::LscUntyped, l.op.raw());
            }
            Op::LscAppend(l) => {
                p.num(l.sfid.raw()).cache(l.cache).num(l.addr_type.raw()).shape(l.shape);
                p.vector(l.surface).num(l.surface_index).raw(l.dst).raw(l.src1);
                return (O::LscUntyped, l.op.raw());
            }
            Op::LscTyped(l) => {
                p.cache(l.cache).num(l.addr_type.raw()).num(l.addr_size.raw()).shape(l.shape);
                p.vector(l.surface).num(l.surface_index).raw(l.dst);
                for (at, offset) in l.coords.iter().zip(l.offsets) {
                    p.raw(*at).num(offset.cast_unsigned());
                }
                p.raw(l.coords[3]).raw(l.src1).raw(l.src2);
                return (O::LscTyped, l.op.raw());
            }
            Op::LscTypedBlock2d(l) => {
                p.cache(l.cache).num(l.addr_type.raw()).num(l.width).num(l.height);
                p.vector(l.surface).num(l.surface_index).raw(l.dst).vectors(&l.offsets).raw(l.src1);
                return (O::LscTyped, l.op.raw());
            }
            Op::Sample(s) => {
                s.put(&mut p);
                O::Sample3d
            }
            Op::Load3d(s) => {
                s.put(&mut p);
                O::Load3d
            }
            Op::Gather4(s) => {
                s.put(&mut p);
                O::Gather43d
            }
            Op::SampleLegacy { channels, simd16, sampler, surface, coords, dst } => {
                p.num(channels.0 & 15 | u8::from(simd16) << 4);
                p.sampler(sampler).surface(surface).raws(&coords).raw(dst);
                if sampler.is_some() { O::SampleLegacy } else { O::LoadLegacy }
            }
            Op::SampleUnorm { channels, format, sampler, surface, coords, dst } => {
                p.num(channels.0 & 15 | format << 4);
                p.sampler(Some(sampler)).surface(surface).vectors(&coords).raw(dst);
                O::SampleUnorm
            }
            Op::RawSend { conditional, ext_desc, src_len, dst_len, desc, src, dst } => {
                p.num(conditional).num(ext_desc).num(src_len).num(dst_len).vector(desc).raw(src).raw(dst);
                O::RawSend
            }
            Op::RawSends { conditional, eot, src_len, dst_len, sfid, ext_desc, desc, srcs, dst } => {
                p.num(u8::from(conditional) | u8::from(eot) << 1);
                p.num(src_len[0]).num(src_len[1]).num(dst_len).num(sfid);
                p.vector(ext_desc).vector(desc).raws(&srcs).raw(dst);
                O::RawSends
            }
            Op::Ifcall { uniform, no_return, address, arg_size, return_size } => {
                p.num(u8::from(uniform) | u8::from(no_return) << 1);
                p.vector(address).num(arg_size).num(return_size);
                O::Ifcall
            }
            _ => opcode,
        };
        (opcode, 0)
    }
}

impl Sample<'_> {
    fn put(&self, p: &mut Put<'_>) {
        let flag = |set: bool, bit: u16| u16::from(set) << bit;
        let flags = flag(self.pixel_null_mask, 8) | flag(self.cps, 9) | flag(self.non_uniform_sampler, 10);
        p.num(u16::from(self.op) | flags).num(self.channels).vector(self.aoffimmi);
        p.sampler(self.sampler).surface(self.surface).raw(self.dst).raw(self.paired);
        p.all(self.params.0);
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        inst::Inst,
        model::Kernel,
        table::{self, Enc, Row, When},
    };

    use super::*;

    /// Operands that fit a row, every number `n`.
    fn operands(row: &Row, n: u32) -> Vec<Operand> {
        let vector = VectorOperand::imm(crate::types::Type::UW, 0);
        let one = |slot: &table::Slot| {
            let exists = match slot.when {
                When::Bit(bit) => n >> bit & 1 != 0,
                When::Equals(value) => n == value,
                _ => true,
            };
            match slot.enc {
                _ if !exists => Some(Operand::Absent),
                Enc::LabelCount => None,
                Enc::Vector | Enc::Aoffimmi => Some(Operand::Vector(vector)),
                Enc::Raw | Enc::RawList => Some(Operand::Raw(RawOperand::NULL)),
                Enc::Surface => Some(Operand::Surface(SurfaceId(7))),
                Enc::Sampler => Some(Operand::Sampler(SamplerId(1))),
                Enc::Label | Enc::LabelList => Some(Operand::Label(LabelId(3))),
                Enc::Str | Enc::StrWide => Some(Operand::Str(StrId(2))),
                _ => Some(Operand::Num(n)),
            }
        };
        row.operand_slots().filter_map(one).collect()
    }

    #[test]
    fn every_row_of_the_table_comes_back_from_its_view() {
        let mut views = 0;
        for row in table::rows() {
            // Numbers that mean nothing are refused, and fields without a meaning do not come back: some
            // number fits every field.
            let fits = [0, 1, 2, 3, 4, 10, 0x0101_0707].into_iter().any(|n| {
                let given = operands(row, n);
                let mut kernel = Kernel::default();
                let sub = row.sub.unwrap_or(0);
                if kernel.push(row.opcode, sub, Exec::SCALAR, None, &given).is_err() {
                    return false;
                }
                let Ok(Inst { op, exec, .. }) = kernel.try_inst(0) else { return false };
                let mut made = Vec::new();
                if matches!(op, Op::Other(_)) {
                    return true;
                }
                let encoded = op.encode(row.opcode, exec, &mut made);
                (encoded, made) == (Encoded { opcode: row.opcode, sub, exec: Exec::SCALAR }, given)
            });
            assert!(fits, "{}", row.name);
            views += 1;
        }
        assert_eq!(views, table::rows().count());
    }
}

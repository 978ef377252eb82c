//! From stored operands to the typed view.

use narrow::{low_u8, low_u16};

use super::{
    fields::{Fault, Take},
    *,
};
use crate::{
    inst::Record,
    opcode::Opcode,
    table::Family,
    types::{EMask, Exec, ExecSize},
};

impl<'a> Take<'a> {
    fn vector(&mut self) -> &'a VectorOperand {
        self.next().vector()
    }

    fn raw(&mut self) -> RawOperand {
        self.next().raw()
    }

    fn raws<const N: usize>(&mut self) -> [RawOperand; N] {
        std::array::from_fn(|_| self.raw())
    }

    fn vectors<const N: usize>(&mut self) -> [&'a VectorOperand; N] {
        std::array::from_fn(|_| self.vector())
    }

    fn word(&mut self) -> u16 {
        low_u16(self.num())
    }

    fn surface(&mut self) -> SurfaceId {
        self.next().surface()
    }

    fn sampler(&mut self) -> SamplerId {
        self.next().sampler()
    }

    /// A byte that selects one of an enum's values.
    fn choice<T>(&mut self, field: &'static str, from_raw: fn(u8) -> Option<T>) -> Result<T, Fault> {
        let raw = self.byte();
        from_raw(raw).ok_or((field, u32::from(raw)))
    }

    fn atomic(&mut self) -> Result<(AtomicOp, u8), Fault> {
        let raw = self.byte();
        let bits = match raw >> 5 {
            0 => 32,
            1 => 16,
            2 => 64,
            _ => return Err(("atomic operation", u32::from(raw))),
        };
        let op = AtomicOp::from_raw(raw & 31).ok_or(("atomic operation", u32::from(raw)))?;
        Ok((op, bits))
    }

    /// 1, 2, 4, 8 (, 16) as a power-of-two code.
    fn power(&mut self, field: &'static str, max: u8) -> Result<u8, Fault> {
        let raw = self.byte();
        if raw <= max { Ok(1 << raw) } else { Err((field, u32::from(raw))) }
    }

    fn mask(&mut self) -> ChannelMask {
        ChannelMask(self.byte() & 15)
    }

    fn cache(&mut self) -> Result<[LscCache; 2], Fault> {
        Ok([
            self.choice("L1 cache control", LscCache::from_raw)?,
            self.choice("L3 cache control", LscCache::from_raw)?,
        ])
    }

    fn shape(&mut self, op: LscOp) -> Result<LscShape, Fault> {
        let size = self.choice("data size", LscDataSize::from_raw)?;
        let order = self.choice("data order", LscOrder::from_raw)?;
        let (elems, mask) = (self.byte(), self.byte());
        if op.has_channel_mask() {
            if mask == 0 || mask > 15 {
                return Err(("channel mask", u32::from(mask)));
            }
            Ok(LscShape { size, order, elems: LscElems::X1, channels: Some(ChannelMask(mask)) })
        } else {
            let elems = LscElems::from_raw(elems).ok_or(("data elements", u32::from(elems)))?;
            Ok(LscShape { size, order, elems, channels: None })
        }
    }
}

impl<'a> Op<'a> {
    /// The typed view of a record, and the execution size where operands hold it.
    #[inline]
    pub(crate) fn of(record: &Record, operands: &'a [Operand]) -> Result<(Op<'a>, Option<Exec>), Fault> {
        // Most instructions are of this kind.
        if record.row().is_some_and(|row| row.family == Family::Alu)
            && let Some((Operand::Vector(dst), srcs)) = operands.split_first()
        {
            return Ok((Op::Alu { dst, srcs: Srcs(srcs) }, None));
        }
        Op::other(record, operands)
    }

    #[inline(never)]
    fn other(record: &Record, operands: &'a [Operand]) -> Result<(Op<'a>, Option<Exec>), Fault> {
        let mut t = Take { operands, at: 0 };
        if matches!(record.opcode, Opcode::Gather | Opcode::Scatter) {
            let (op, exec) = gather(record.opcode == Opcode::Scatter, &mut t)?;
            return Ok((op, Some(exec)));
        }
        let op = match record.opcode {
            Opcode::Svm => svm(record.sub, &mut t)?,
            Opcode::LscUntyped => lsc_untyped(record.sub, &mut t)?,
            Opcode::LscTyped => lsc_typed(record.sub, &mut t)?,
            opcode => plain(opcode, &mut t)?,
        };
        Ok((op, None))
    }
}

/// True if every value of the instruction's control fields has a meaning, so that [`Op::of`] gives no fault.
pub(crate) const fn takes_all_fields(opcode: Opcode) -> bool {
    use Opcode as O;
    !matches!(
        opcode,
        O::Gather
            | O::Scatter
            | O::Svm
            | O::LscUntyped
            | O::LscTyped
            | O::LscFence
            | O::Fminmax
            | O::Cmp
            | O::OwordLd
            | O::OwordLdUnaligned
            | O::OwordSt
            | O::GatherScaled
            | O::ScatterScaled
            | O::QwGather
            | O::QwScatter
            | O::DwordAtomic
            | O::TypedAtomic3d
            | O::Dpas
            | O::Dpasw
            | O::Lifetime
    )
}

fn gather<'a>(store: bool, t: &mut Take<'a>) -> Result<(Op<'a>, Exec), Fault> {
    let element_bytes = t.power("element size", 2)?;
    let modified = !store && t.byte() & 1 != 0;
    let count = t.byte();
    let size = match count & 15 {
        0 => ExecSize::S8,
        1 => ExecSize::S16,
        2 => ExecSize::S1,
        _ => return Err(("number of elements", u32::from(count))),
    };
    let op = Op::Gather {
        store,
        element_bytes,
        modified,
        surface: t.surface(),
        global_offset: t.vector(),
        offsets: t.raw(),
        data: t.raw(),
    };
    Ok((op, Exec { size, mask: EMask::from_raw(count >> 4) }))
}

fn svm<'a>(sub: u8, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    Ok(match sub {
        1 | 2 => {
            let properties = t.byte();
            if properties & 7 > 4 {
                return Err(("block properties", u32::from(properties)));
            }
            Op::SvmBlock {
                store: sub == 2,
                unaligned: properties & 0x88 != 0,
                owords: 1 << (properties & 7),
                address: t.vector(),
                data: t.raw(),
            }
        }
        3 | 4 => {
            let block = t.byte();
            let block_bytes = match block & 3 {
                0 => 1,
                1 => 4,
                2 => 8,
                _ => return Err(("block size", u32::from(block))),
            };
            Op::SvmGather {
                store: sub == 4,
                block_bytes,
                blocks: t.power("number of blocks", 3)?,
                addresses: t.raw(),
                data: t.raw(),
            }
        }
        5 => {
            let (op, bits) = t.atomic()?;
            Op::SvmAtomic { op, bits, addresses: t.raw(), srcs: t.raws(), dst: t.raw() }
        }
        6 | 7 => {
            let mask = t.mask();
            t.num();
            Op::SvmScaled4 { store: sub == 7, mask, address: t.vector(), offsets: t.raw(), data: t.raw() }
        }
        _ => return Err(("sub-opcode", u32::from(sub))),
    })
}

fn lsc_untyped<'a>(sub: u8, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    let op = LscOp::from_raw(sub).ok_or(("sub-opcode", u32::from(sub)))?;
    let sfid = t.choice("shared function", LscSfid::from_raw)?;
    let cache = t.cache()?;
    Ok(match op {
        LscOp::LoadBlock2d | LscOp::StoreBlock2d => Op::LscBlock2d(LscBlock2d {
            op,
            sfid,
            cache,
            size: t.choice("data size", LscDataSize::from_raw)?,
            order: t.choice("data order", LscOrder::from_raw)?,
            blocks: t.byte(),
            width: t.word(),
            height: t.word(),
            vnni: t.byte() != 0,
            dst: t.raw(),
            addr: t.vectors(),
            src1: t.raw(),
        }),
        LscOp::ApndctrAtomicAdd | LscOp::ApndctrAtomicSub => Op::LscAppend(LscAppend {
            op,
            sfid,
            cache,
            addr_type: t.choice("address type", LscAddrType::from_raw)?,
            shape: t.shape(op)?,
            surface: t.vector(),
            surface_index: t.num(),
            dst: t.raw(),
            src1: t.raw(),
        }),
        _ => Op::Lsc(Lsc {
            op,
            sfid,
            cache,
            addr_type: t.choice("address type", LscAddrType::from_raw)?,
            addr_scale: t.word(),
            addr_offset: t.num().cast_signed(),
            addr_size: t.choice("address size", LscAddrSize::from_raw)?,
            shape: t.shape(op)?,
            surface: t.vector(),
            surface_index: t.num(),
            dst: t.raw(),
            addr: t.raw(),
            pitch: if op.is_strided() { Some(t.vector()) } else { None },
            src1: t.raw(),
            src2: if op.is_strided() { RawOperand::NULL } else { t.raw() },
        }),
    })
}

fn lsc_typed<'a>(sub: u8, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    let op = LscOp::from_raw(sub).ok_or(("sub-opcode", u32::from(sub)))?;
    let cache = t.cache()?;
    let addr_type = t.choice("address type", LscAddrType::from_raw)?;
    if matches!(op, LscOp::LoadBlock2d | LscOp::StoreBlock2d) {
        return Ok(Op::LscTypedBlock2d(LscTypedBlock2d {
            op,
            cache,
            addr_type,
            width: t.word(),
            height: t.word(),
            surface: t.vector(),
            surface_index: t.num(),
            dst: t.raw(),
            offsets: t.vectors(),
            src1: t.raw(),
        }));
    }
    let addr_size = t.choice("address size", LscAddrSize::from_raw)?;
    let shape = t.shape(op)?;
    let (surface, surface_index, dst) = (t.vector(), t.num(), t.raw());
    let (u, du) = (t.raw(), t.num().cast_signed());
    let (v, dv) = (t.raw(), t.num().cast_signed());
    let (r, dr) = (t.raw(), t.num().cast_signed());
    Ok(Op::LscTyped(LscTyped {
        op,
        cache,
        addr_type,
        addr_size,
        shape,
        surface,
        surface_index,
        dst,
        coords: [u, v, r, t.raw()],
        offsets: [du, dv, dr],
        src1: t.raw(),
        src2: t.raw(),
    }))
}

fn sample<'a>(t: &mut Take<'a>, has_sampler: bool) -> Sample<'a> {
    let op = t.word();
    Sample {
        op: low_u8(op),
        pixel_null_mask: op & 1 << 8 != 0,
        cps: op & 1 << 9 != 0,
        non_uniform_sampler: op & 1 << 10 != 0,
        channels: t.byte(),
        aoffimmi: t.vector(),
        sampler: has_sampler.then(|| t.sampler()),
        surface: t.surface(),
        dst: t.raw(),
        paired: t.raw(),
        params: Raws(t.rest()),
    }
}

fn block<'a>(opcode: Opcode, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    let size = t.byte();
    if size & 7 > 4 {
        return Err(("block size", u32::from(size)));
    }
    Ok(Op::OwordBlock {
        store: opcode == Opcode::OwordSt,
        unaligned: opcode == Opcode::OwordLdUnaligned,
        modified: opcode != Opcode::OwordSt && t.byte() & 1 != 0,
        owords: 1 << (size & 7),
        surface: t.surface(),
        offset: t.vector(),
        data: t.raw(),
    })
}

fn scaled<'a>(store: bool, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    t.num();
    let blocks = t.power("number of blocks", 3)?;
    t.num();
    Ok(Op::Scaled {
        store,
        blocks,
        surface: t.surface(),
        global_offset: t.vector(),
        offsets: t.raw(),
        data: t.raw(),
    })
}

fn lifetime<'a>(t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    let properties = t.byte();
    let id = t.num();
    let var = match properties >> 4 & 3 {
        0 => LifetimeVar::General(VarId(id)),
        1 if id <= 0xffff => LifetimeVar::Address(AddrId(low_u16(id))),
        2 => LifetimeVar::Predicate(PredId(id)),
        _ => return Err(("properties", u32::from(properties))),
    };
    Ok(Op::Lifetime { end: properties & 1 != 0, var })
}

fn dpas<'a>(t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    let (dst, srcs, src2, info) = (t.raw(), t.raws(), t.vector(), t.num());
    let precision = |field, raw: u32| Precision::from_raw(low_u8(raw)).ok_or((field, raw & 0xff));
    Ok(Op::Dpas {
        weight: precision("weight precision", info)?,
        activation: precision("activation precision", info >> 8)?,
        depth: low_u8(info >> 16),
        repeat: (info >> 24) as u8,
        dst,
        srcs,
        src2,
    })
}

fn plain<'a>(opcode: Opcode, t: &mut Take<'a>) -> Result<Op<'a>, Fault> {
    use Opcode as O;
    if let Some(op) = Op::take(opcode, t)? {
        return Ok(op);
    }
    Ok(match opcode {
        O::Fminmax => {
            let which = t.byte();
            if which > 1 {
                return Err(("minimum or maximum", u32::from(which)));
            }
            Op::MinMax { max: which == 1, dst: t.vector(), srcs: Srcs(t.rest()) }
        }
        O::Bfn => {
            let (dst, srcs) = (t.vector(), Srcs(&t.operands[1..4]));
            t.at = 4;
            Op::Bfn { function: t.byte(), dst, srcs }
        }
        O::Cmp => {
            let relation = t.byte();
            let cond = CondMod::from_raw(relation & 7).ok_or(("relation", u32::from(relation)))?;
            Op::Cmp { cond, nan_variant: relation & 0x80 != 0, dst: t.vector(), srcs: Srcs(t.rest()) }
        }

        O::Ifcall => {
            let flags = t.byte();
            Op::Ifcall {
                uniform: flags & 1 != 0,
                no_return: flags & 2 != 0,
                address: t.vector(),
                arg_size: t.byte(),
                return_size: t.byte(),
            }
        }

        O::OwordLd | O::OwordLdUnaligned | O::OwordSt => block(opcode, t)?,
        O::Gather4Scaled | O::Scatter4Scaled => {
            let mask = t.mask();
            t.num();
            Op::Scaled4 {
                store: opcode == O::Scatter4Scaled,
                mask,
                surface: t.surface(),
                global_offset: t.vector(),
                offsets: t.raw(),
                data: t.raw(),
            }
        }
        O::GatherScaled | O::ScatterScaled => scaled(opcode == O::ScatterScaled, t)?,
        O::QwGather | O::QwScatter => Op::Qword {
            store: opcode == O::QwScatter,
            blocks: t.power("number of blocks", 3)?,
            surface: t.surface(),
            offsets: t.raw(),
            data: t.raw(),
        },
        O::DwordAtomic => {
            let (op, bits) = t.atomic()?;
            Op::Atomic { op, bits, surface: t.surface(), offsets: t.raw(), srcs: t.raws(), dst: t.raw() }
        }
        O::TypedAtomic3d => {
            let (op, bits) = t.atomic()?;
            Op::TypedAtomic { op, bits, surface: t.surface(), coords: t.raws(), srcs: t.raws(), dst: t.raw() }
        }

        O::Sample3d => Op::Sample(sample(t, true)),
        O::Load3d => Op::Load3d(sample(t, false)),
        O::Gather43d => Op::Gather4(sample(t, true)),
        O::SampleLegacy | O::LoadLegacy => {
            let mode = t.byte();
            Op::SampleLegacy {
                channels: ChannelMask(mode & 15),
                simd16: mode >> 4 & 3 != 0,
                sampler: (opcode == O::SampleLegacy).then(|| t.sampler()),
                surface: t.surface(),
                coords: t.raws(),
                dst: t.raw(),
            }
        }
        O::SampleUnorm => {
            let mode = t.byte();
            Op::SampleUnorm {
                channels: ChannelMask(mode & 15),
                format: mode >> 4 & 3,
                sampler: t.sampler(),
                surface: t.surface(),
                coords: t.vectors(),
                dst: t.raw(),
            }
        }

        O::RawSend => Op::RawSend {
            conditional: t.byte() & 1 != 0,
            ext_desc: t.num(),
            src_len: t.byte(),
            dst_len: t.byte(),
            desc: t.vector(),
            src: t.raw(),
            dst: t.raw(),
        },
        O::RawSends => {
            let modifier = t.byte();
            Op::RawSends {
                conditional: modifier & 1 != 0,
                eot: modifier & 2 != 0,
                src_len: [t.byte(), t.byte()],
                dst_len: t.byte(),
                sfid: t.byte(),
                ext_desc: t.vector(),
                desc: t.vector(),
                srcs: t.raws(),
                dst: t.raw(),
            }
        }

        O::Dpas | O::Dpasw => dpas(t)?,
        O::Lifetime => lifetime(t)?,
        O::VmeIme | O::VmeSic | O::VmeFbr | O::VmeIdm | O::Avs | O::Va | O::VaSklPlus | O::RawSendg => {
            Op::Other(t.rest())
        }
        _ => Op::Alu { dst: t.vector(), srcs: Srcs(t.rest()) },
    })
}

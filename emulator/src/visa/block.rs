//! Whole blocks (spec `OWORD_LD`, `OWORD_ST`, `SVM_BLOCK_LD`, `MEDIA_LD`), and the raw messages that
//! do the same.

use super::{
    context::VisaCx,
    lsc::Rectangle,
    memory::{Storage, kind, of_index},
    thread::VisaThread,
};
use crate::{group::Signal, opaque::Question, report::SendKind, thread::Trap};
use messages::{
    Access, Descriptor, ExtendedDescriptor, Sfid,
    gateway::{BarrierSignal, Gateway, SubFunction},
    hdc::{Dc0, OwordBlock, OwordCount},
    lsc::{Block2d, BlockShape, Op as LscOp},
};
use narrow::{low_i32, low_u16, low_u32, low_u64};
use visa::{
    Inst, Op, RawOperand,
    lsc::LscOrder,
    op::{BlockAlignment, SendEnd, media_pitch},
};

/// Bytes between memory and a raw operand.
#[derive(Clone, Copy)]
struct Copy {
    place: Storage,
    offset: u64,
    data: RawOperand,
    at: u32,
    bytes: u32,
    access: Access,
}

fn copy(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, c: Copy) -> Result<SendKind, Trap> {
    let mut done = 0;
    while done < c.bytes {
        let n = (c.bytes - done).min(4);
        let from = c.offset.wrapping_add(done.into());
        if c.access.is_store() {
            let v = cx.data(t, c.data, c.at + done, n)?;
            cx.store(t, c.place, from, n, v)?;
        } else {
            cx.load_to(t, (c.place, from, n), (c.data, c.at + done, n), 0)?;
        }
        done += n;
    }
    Ok(kind(c.place, c.access.into()))
}

/// Bytes of a message of the thread that it loads, gets back or stores.
pub(super) fn bytes(t: &VisaThread<'_>, inst: &Inst<'_>) -> Result<u32, Trap> {
    let held = inst.op.data().and_then(|(_, holds)| holds.total(inst.exec.size.lanes(), t.program.grf));
    held.ok_or_else(|| format!("the table does not say how much {} moves", inst.opcode).into())
}

/// Blocks of owords and media blocks. Masks mean nothing to them.
pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::OwordBlock { access, alignment, surface, offset, data, .. } => {
            let place = t.place_of(surface)?;
            let offset = cx.scalar_address(t, offset)? & 0xffff_ffff;
            let offset = match alignment {
                BlockAlignment::Oword => offset * 16,
                BlockAlignment::Dword => offset,
            };
            copy(t, cx, Copy { place, offset, data, at: 0, bytes: bytes(t, inst)?, access })
        }
        Op::SvmBlock { access, address, data, .. } => {
            let offset = cx.scalar_address(t, address)?;
            let bytes = bytes(t, inst)?;
            copy(t, cx, Copy { place: Storage::Flat, offset, data, at: 0, bytes, access })
        }
        Op::MediaBlock { access, modifier, surface, plane, width, height, x, y, data } => {
            // The planes of a surface are surfaces in a row.
            let place = match t.place_of(surface)? {
                Storage::Table(index) => Storage::Table(index + u32::from(plane)),
                place if plane == 0 => place,
                _ => return Err("a plane of a surface that is not in the binding table".into()),
            };
            let field = modifier.bottom_field();
            let (x, y) = (low_i32(cx.scalar_address(t, x)?), low_i32(cx.scalar_address(t, y)?));
            let pitch = media_pitch(width.into());
            let block =
                Media { access, place, field, x, y, width: width.into(), height: height.into(), pitch };
            media(t, cx, block, data)
        }
        _ => Err("no block".into()),
    }
}

#[derive(Clone, Copy)]
struct Media {
    access: Access,
    place: Storage,
    /// One field, the second or the first.
    field: Option<bool>,
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    /// Bytes of registers from a row to the next.
    pitch: u32,
}

/// Reads outside of the image repeat its edge, writes there are dropped.
fn media(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, m: Media, data: RawOperand) -> Result<SendKind, Trap> {
    let surface = cx.surface(m.place)?.clone();
    let Some(image) = surface.image else { return Err("a media block of a surface without shape".into()) };
    let field = m.field.map_or_else(|| Some((image.clone(), 0)), |second| image.field(second));
    let Some((image, start)) = field else { return Err("one field of a tiled image is not modelled".into()) };
    let base = surface.base + start;
    let unit = low_i32(image.texel_bytes());
    let row_bytes = low_i32(image.width) * unit;
    for row in 0..m.height {
        for col in 0..m.width {
            let (cx_, cy) = (m.x.wrapping_add(low_i32(col)), m.y.wrapping_add(low_i32(row)));
            let inside = (0..row_bytes).contains(&cx_) && (0..low_i32(image.height)).contains(&cy);
            let at = row * m.pitch + col;
            if m.access.is_store() {
                if inside {
                    let v = cx.data(t, data, at, 1)?;
                    let to = base + image.byte_offset(low_u64(cx_), low_u64(cy));
                    cx.store(t, Storage::Flat, to, 1, v)?;
                }
                continue;
            }
            let cy = low_u64(cy.clamp(0, low_i32(image.height) - 1));
            let cx_ = if cx_ < 0 {
                cx_.rem_euclid(unit)
            } else if cx_ >= row_bytes {
                row_bytes - unit + cx_ % unit
            } else {
                cx_
            };
            let from = base + image.byte_offset(low_u64(cx_), cy);
            let v = cx.load(t, Storage::Flat, from, 1)?;
            t.raw_store(data, at, 1, v)?;
        }
    }
    Ok(m.access.into())
}

/// Raw messages: oword blocks of the data port, with a header, rectangles of the load/store cache, signals of barriers. The
/// specification leaves messages to the hardware's manual; these are the ones that programs write by hand.
pub(super) fn raw(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    if let Some(kind) = ask(t, cx, inst)? {
        return Ok(kind);
    }
    let Op::RawSends { end: SendEnd::Continues, sfid, src_len, ext_desc, desc, srcs, dst, .. } = inst.op
    else {
        let function = match inst.op {
            Op::RawSend { ext_desc, .. } if !ExtendedDescriptor::from_bits(ext_desc).end_of_thread() => {
                format!("function {}", ExtendedDescriptor::from_bits(ext_desc).target_function())
            }
            _ => "the end of the thread".into(),
        };
        return Err(format!("this raw message to {function} is not modelled").into());
    };
    let ext = ExtendedDescriptor::from_bits(low_u32(cx.scalar_address(t, ext_desc)?));
    let desc = Descriptor::from_bits(low_u32(cx.scalar_address(t, desc)?));
    let function = if sfid != 0 { sfid } else { ext.target_function() };
    let data = match src_len[0] {
        1 => (srcs[1], 0),
        _ => (srcs[0], t.program.grf),
    };
    match Sfid::from_number(function, t.program.platform.caps().sends.late_functions) {
        Sfid::Gateway => return signal(t, cx, desc, srcs[0]),
        Sfid::Ugm => return rectangle(t, cx, desc, (srcs[0], data, dst)),
        _ => {}
    }
    let block = OwordBlock::from(desc);
    // What it does, and what its offset counts.
    let known = match block.message_type() {
        Some(Dc0::OwordBlockRead) => Some((Access::Load, 16)),
        Some(Dc0::UnalignedOwordBlockRead) => Some((Access::Load, 1)),
        Some(Dc0::OwordBlockWrite) => Some((Access::Store, 16)),
        Some(Dc0::UnalignedOwordBlockWrite) => Some((Access::Store, 1)),
        _ => None,
    };
    let known = known.filter(|_| function == Sfid::Dc0.number() && desc.header_present());
    let Some((access, unit)) = known else {
        let bits = desc.into_bits();
        return Err(format!("a raw message {bits:#x} to function {function} is not modelled").into());
    };
    let owords = match block.count() {
        Some(OwordCount::OneHigh) | None => return Err("no such number of owords".into()),
        Some(count) => count.owords(),
    };
    let offset = cx.address(t, srcs[0], 8, 4)? * unit;
    let place = of_index(block.surface());
    if place == Storage::Flat {
        return Err("raw messages to stateless memory are not modelled".into());
    }
    let (data, at) = if access.is_store() { data } else { (dst, 0) };
    copy(t, cx, Copy { place, offset, data, at, bytes: owords * 16, access })
}

/// The signal of a barrier, whose payload says which.
fn signal(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    desc: Descriptor,
    payload: RawOperand,
) -> Result<SendKind, Trap> {
    let sub_function = Gateway::from(desc).sub_function();
    if sub_function != Some(SubFunction::SignalBarrier) {
        return Err(format!("a raw message {sub_function:?} to the gateway is not modelled").into());
    }
    let said = BarrierSignal::from_bits(low_u32(cx.address(t, payload, 4 * BarrierSignal::DWORD, 4)?));
    let signal = if t.program.platform.caps().thread.named_barriers {
        let parts = [said.id(), said.kind(), said.producers(), said.consumers()];
        Signal::named(parts.map(u64::from)).ok_or_else(|| format!("no such barrier: {said:?}"))?
    } else {
        Signal::of_all(cx.group.threads)
    };
    t.turn.signal(cx.group, signal);
    Ok(SendKind::Gateway)
}

/// A two-dimensional block of the load/store cache, described in the first register of its payload.
fn rectangle(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    desc: Descriptor,
    (payload, (stored, at), dst): (RawOperand, (RawOperand, u32), RawOperand),
) -> Result<SendKind, Trap> {
    let block = Block2d::from(desc);
    let access = match block.op() {
        Some(LscOp::LoadBlock2d) => Access::Load,
        Some(LscOp::StoreBlock2d) => Access::Store,
        other => {
            return Err(format!("a raw message {other:?} to the load/store cache is not modelled").into());
        }
    };
    let Some(size) = block.data_size() else { return Err("no such LSC data size".into()) };
    let base = cx.address(t, payload, 0, 8)?;
    let mut words = [0; 6];
    for (word, at) in words.iter_mut().zip((8..).step_by(4)) {
        *word = low_u32(cx.address(t, payload, at, 4)?);
    }
    let [width, height, pitch, x, y, shape] = words;
    let [width, height, pitch] = [width, height, pitch].map(|less_one| u64::from(less_one) + 1);
    let data =
        if access.is_store() { RawOperand { offset: stored.offset + low_u16(at), ..stored } } else { dst };
    let rectangle = Rectangle {
        base,
        width,
        height,
        pitch,
        x,
        y,
        bytes: size.memory_bytes(),
        sizes: BlockShape::from_bits(shape).sizes(),
        order: if block.transpose() { LscOrder::Transpose } else { LscOrder::NonTranspose },
        vnni: block.vnni(),
        access,
        data,
    };
    super::lsc::rectangle(t, cx, &rectangle)
}

/// A raw message to a black box, if its function is one.
fn ask(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<Option<SendKind>, Trap> {
    let (number, ex_desc, desc, srcs, dst) = match inst.op {
        Op::RawSend { ext_desc, src_len, dst_len, desc, src, dst, .. } => {
            let ex_desc = ExtendedDescriptor::from_bits(ext_desc);
            if ex_desc.end_of_thread() {
                return Ok(None);
            }
            let sources = [(src, src_len), (RawOperand::NULL, 0)];
            (
                ex_desc.target_function(),
                ex_desc,
                low_u32(cx.scalar_address(t, desc)?),
                sources,
                (dst, dst_len),
            )
        }
        Op::RawSends {
            end: SendEnd::Continues, sfid, src_len, dst_len, ext_desc, desc, srcs, dst, ..
        } => {
            let ex_desc = ExtendedDescriptor::from_bits(low_u32(cx.scalar_address(t, ext_desc)?));
            let number = if sfid != 0 { sfid } else { ex_desc.target_function() };
            let sources = [(srcs[0], src_len[0]), (srcs[1], src_len[1])];
            (number, ex_desc, low_u32(cx.scalar_address(t, desc)?), sources, (dst, dst_len))
        }
        _ => return Ok(None),
    };
    let function = Sfid::from_number(number, t.program.platform.caps().sends.late_functions);
    if !cx.opaque.contains(&function) {
        return Ok(None);
    }
    let grf = t.program.grf;
    let mut question = Question::message(function, desc, ex_desc.into_bits(), t.enabled(inst)?.0);
    for (src, registers) in srcs.into_iter().filter(|(src, _)| !src.is_null()) {
        for byte in 0..u32::from(registers) * grf {
            let (value, unknown) = t.raw_load(src, byte, 1)?;
            question = question.with(if unknown { 0 } else { value });
        }
    }
    cx.asked.push(question.number());
    if !dst.0.is_null() {
        for byte in 0..u32::from(dst.1) * grf {
            t.raw_store(dst.0, byte, 1, question.byte(byte).into())?;
        }
    }
    Ok(Some(SendKind::Gateway))
}

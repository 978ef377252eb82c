//! Sampling and loads of images (spec `3D_SAMPLE`, `3D_LOAD`, `INFO`). Images have one level, so levels of
//! detail are not looked at.

use super::{context::VisaCx, lane_payload::LanePayload, operand::each, thread::VisaThread};
use crate::{
    memory::Texel,
    messages::{sampler, typed},
    num::{HALF, Round},
    opaque::{Question, Resident, Sampling},
    report::SendKind,
    thread::Trap,
};
use gen_ir::Sfid;
use narrow::{as_index, low_i16, low_i32, low_u32, to_index};
use platforms::Platform;
use visa::{
    ChannelMask, Exec, ExecSize, Inst, Op, SamplerId, SurfaceId,
    op::{Sample, SampleKind, SampleLanes, SamplerOp},
};

/// Positions of u, v and r among the parameters (spec, tables of `3D_SAMPLE` and `3D_LOAD`).
fn positions(platform: Platform, op: SamplerOp) -> Option<[usize; 3]> {
    Some(match op {
        SamplerOp::Sample | SamplerOp::SampleLz | SamplerOp::LoadLz => [0, 1, 2],
        // Bias or level first.
        SamplerOp::SampleB | SamplerOp::SampleL => [1, 2, 3],
        // The level stands after u on BDW, after v since.
        SamplerOp::Load if platform.caps().sampler.level_after_u => [0, 2, 3],
        SamplerOp::Load => [0, 1, 3],
        _ => return None,
    })
}

pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    let held = t.lane_operands(inst);
    match inst.op {
        Op::Sample(ref s) if s.kind == SampleKind::Gather => asked(t, cx, inst, s)?,
        Op::Sample(ref s) => new_texels(t, cx, inst, s)?,
        Op::Avs { .. } if cx.opaque.contains(&Sfid::Sampler) => block(t, cx, inst)?,
        Op::SampleLegacy { channels, lanes, sampler, surface, .. } => {
            let size = match lanes {
                SampleLanes::Eight => ExecSize::S8,
                SampleLanes::Sixteen => ExecSize::S16,
            };
            let on = t.lanes_of(Exec { size, ..inst.exec });
            let [u, v, r, dst] = held[..] else { return Err("no sample of old".into()) };
            texels(
                t,
                cx,
                &SamplerAccess { on, sampler, surface, coords: [u, v, r].map(Some), dst, channels },
            )?;
        }
        Op::Info3d { op: SamplerOp::ResInfo, channels, surface, .. } => {
            let place = t.place_of(surface)?;
            let surface = cx.surface(place)?.clone();
            let Some(image) = surface.image else { return Err("a surface without shape".into()) };
            let Some(&dst) = held.last() else { return Err("a question without an answer".into()) };
            let on = t.lanes_of(inst.exec);
            for i in each(on) {
                let values = image.sizes().map(u64::from);
                reply(t, dst, channels, to_index(i), values)?;
            }
        }
        _ => return Err(format!("this form of {} is not modelled", inst.opcode).into()),
    }
    Ok(SendKind::Sampler)
}

/// Writes a lane's channels, each in registers of its own.
fn reply(
    t: &mut VisaThread<'_>,
    dst: LanePayload,
    channels: ChannelMask,
    lane: u32,
    values: [u64; 4],
) -> Result<(), Trap> {
    for (k, c) in (0..4usize).filter(|c| channels.0 >> c & 1 != 0).enumerate() {
        t.raw_store(dst.operand, dst.at(to_index(k), lane), dst.holds.stride, values[c])?;
    }
    Ok(())
}

/// A sample or a load: which lanes read what, and where it goes.
struct SamplerAccess {
    on: u32,
    sampler: Option<SamplerId>,
    surface: SurfaceId,
    /// U, V, R.
    coords: [Option<LanePayload>; 3],
    dst: LanePayload,
    channels: ChannelMask,
}

/// Destination and parameters of a sample.
fn operands(t: &VisaThread<'_>, inst: &Inst<'_>) -> Result<(LanePayload, Vec<LanePayload>), Trap> {
    let mut held = t.lane_operands(inst);
    let written = held.iter().position(|held| held.written).ok_or("a sample without a destination")?;
    Ok((held.remove(written), held))
}

/// Samples and loads in their present form: coordinates among the parameters.
fn new_texels(
    t: &mut VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    inst: &Inst<'_>,
    s: &Sample<'_>,
) -> Result<(), Trap> {
    let black_box = cx.opaque.contains(&Sfid::Sampler);
    let offsets = cx.scalar_address(t, s.aoffimmi)? & 0xfff;
    let special = s.pixel_null_mask || offsets != 0 || s.sampler == Some(SamplerId::BINDLESS);
    if black_box && (positions(t.program.platform, s.op).is_none() || special) {
        return asked(t, cx, inst, s);
    }
    let plain = !s.pixel_null_mask && s.paired.is_null() && offsets == 0;
    let at = positions(t.program.platform, s.op);
    let (true, Some(at)) = (plain, at) else {
        return Err(format!("operation {} of the sampler is not modelled", s.op).into());
    };
    let (dst, params) = operands(t, inst)?;
    let (on, _) = t.enabled(inst)?;
    let access = SamplerAccess {
        on,
        sampler: s.sampler,
        surface: s.surface,
        coords: at.map(|k| params.get(k).copied()),
        dst,
        channels: ChannelMask(s.channels & 15),
    };
    texels(t, cx, &access)
}

/// A coordinate of a lane, and whether it is of half the size.
fn coordinate(
    t: &VisaThread<'_>,
    cx: &mut VisaCx<'_>,
    held: Option<LanePayload>,
    lane: u32,
) -> Result<(u32, bool), Trap> {
    let Some(held) = held.filter(|held| !held.operand.is_null()) else { return Ok((0, false)) };
    let bytes = held.holds.bytes;
    Ok((low_u32(cx.address(t, held.operand, held.at(0, lane), bytes)?), bytes == 2))
}

fn texels(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, access: &SamplerAccess) -> Result<(), Trap> {
    let place = t.place_of(access.surface)?;
    let surface = cx.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("sampling a surface without shape".into()) };
    let sampler = match access.sampler {
        None => None,
        Some(SamplerId::BINDLESS) => return Err("bindless samplers are not modelled".into()),
        Some(id) => {
            let index = t.sampler_value(id, 0)?;
            match cx.bindings.samplers.get(as_index(index)) {
                Some(Some(sampler)) => Some(*sampler),
                _ => return Err(format!("no sampler at index {index}").into()),
            }
        }
    };
    let half_out = access.dst.holds.bytes == 2;
    for i in each(access.on) {
        let lane = to_index(i);
        let mut given = [(0, false); 3];
        for (given, held) in given.iter_mut().zip(access.coords) {
            *given = coordinate(t, cx, held, lane)?;
        }
        let channels = match sampler {
            None => {
                let c = given.map(|(p, half)| if half { low_i16(p).into() } else { low_i32(p).into() });
                let [x, y, z] = image.place(c);
                let texel = typed::fetch(cx.memory, surface.base, &image, x, y, z)?;
                std::array::from_fn(|c| texel.map_or(0, |texel| typed::unpack(&image, texel, to_index(c))))
            }
            Some(sampler) => {
                let c = given.map(|(p, half)| match half {
                    true => HALF.to_f64(p.into()),
                    false => f32::from_bits(p).into(),
                });
                sampler::sample(cx.memory, surface.base, &image, sampler, c)?
            }
        };
        let values = channels.map(|v| match (half_out, image.texel) {
            (false, _) => u64::from(v),
            (true, Texel::Sint | Texel::Uint) => u64::from(v & 0xffff),
            (true, _) => HALF.from_f64(f32::from_bits(v).into(), Round::Even),
        });
        reply(t, access.dst, access.channels, lane, values)?;
    }
    Ok(())
}

/// A sample or a load by a black box: what it is asked are operation, surface, sampler, offsets and parameters.
fn asked(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>, s: &Sample<'_>) -> Result<(), Trap> {
    let place = t.place_of(s.surface)?;
    let surface = cx.surface(place)?.base;
    let sampler = match s.sampler {
        Some(id) => t.sampler_value(id, 0)?,
        None => 0,
    };
    let offsets = low_u32(cx.scalar_address(t, s.aoffimmi)?);
    // A gather that compares has one channel (volume 7, "Gather4 Source Channel Select").
    let gathers = s.kind == SampleKind::Gather;
    let compares = matches!(s.op, SamplerOp::Gather4C | SamplerOp::Gather4PoC);
    let channel = if gathers && !compares { u32::from(s.channels & 3) << 16 } else { 0 };
    let offsets = offsets & 0xfff | channel;
    let channels = if gathers { ChannelMask::RGBA } else { ChannelMask(s.channels & 15) };
    let sampling = Sampling { op: s.op.raw(), surface, sampler, offsets };
    let (dst, params) = operands(t, inst)?;
    let (on, _) = t.enabled(inst)?;
    let mut resident = Resident::ALL;
    for i in each(on) {
        let lane = to_index(i);
        let mut question = sampling.question();
        for param in &params {
            // A parameter that is left out is zero.
            question = question.with(coordinate(t, cx, Some(*param), lane)?.0.into());
        }
        cx.asked.push(question.number());
        resident.set(lane, question);
        let known = if dst.holds.bytes == 2 { 0xffff } else { u64::MAX };
        reply(t, dst, channels, lane, [0, 1, 2, 3].map(|c| u64::from(question.answer(c)) & known))?;
    }
    if s.pixel_null_mask {
        t.raw_store(dst.operand, dst.end(), 4, resident.word())?;
    }
    Ok(())
}

/// `avs` by a black box: channels and format, places and steps, block, group, mode and bypass.
fn block(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<(), Trap> {
    let Op::Avs { channels, sampler, surface, coords, group, block, format, v2d, size, bypass, dst } =
        inst.op
    else {
        return Err("this instruction is not modelled".into());
    };
    let place = t.place_of(surface)?;
    let mut question = Question::to(Sfid::Sampler)
        .with(cx.surface(place)?.base)
        .with(t.sampler_value(sampler, 0)?.into())
        .with(u64::from(!channels.0 & 15) | u64::from(format.raw()) << 6);
    for operand in [v2d, block].into_iter().chain(coords) {
        let (value, ..) = t.scalar(operand)?;
        question = question.with(value & 0xffff_ffff);
    }
    let bypass = low_u32(cx.scalar_address(t, bypass)?) & 1;
    let group = low_u32(cx.scalar_address(t, group)?);
    question = question.with(group.wrapping_add(u32::from(size.raw()) << 25 | bypass << 27).into());
    cx.asked.push(question.number());
    // Whole registers come back.
    for byte in 0..super::block::bytes(t, inst)?.next_multiple_of(t.program.grf) {
        t.raw_store(dst, byte, 1, question.byte(byte).into())?;
    }
    Ok(())
}

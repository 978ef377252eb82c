//! Sampling and loads of images (spec `3D_SAMPLE`, `3D_LOAD`, `INFO`). Images have one level, so levels of
//! detail are not looked at.

use super::{context::VisaCx, operand::each, thread::VisaThread};
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
    ChannelMask, Exec, ExecSize, Inst, Op, RawOperand, SamplerId, SurfaceId,
    op::{Sample, SampleKind, SampleLanes},
};

/// Positions of u, v and r among the parameters (spec, tables of `3D_SAMPLE` and `3D_LOAD`).
fn positions(platform: Platform, kind: SampleKind, op: u8) -> Option<[usize; 3]> {
    Some(match (kind, op) {
        (SampleKind::Sample, 0 | 24) => [0, 1, 2],
        // Bias or level first.
        (SampleKind::Sample, 1 | 2) => [1, 2, 3],
        // The level stands after u on BDW, after v since.
        (SampleKind::Load, 7) if platform.caps().sampler.level_after_u => [0, 2, 3],
        (SampleKind::Load, 7) => [0, 1, 3],
        (SampleKind::Load, 26) => [0, 1, 2],
        _ => return None,
    })
}

/// The operations that gather a channel of four texels; those that compare have one (volume 7, "Gather4 Source
/// Channel Select").
fn gathers(op: u8) -> bool {
    matches!(op, 8 | 16..=18)
}

pub(super) fn run(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Sample(ref s) if s.kind == SampleKind::Gather => asked(t, cx, inst, s)?,
        Op::Sample(ref s) => new_texels(t, cx, inst, s)?,
        Op::Avs { .. } if cx.opaque.contains(&Sfid::Sampler) => block(t, cx, &inst.op)?,
        Op::SampleLegacy { channels, lanes, sampler, surface, coords, dst, .. } => {
            let size = match lanes {
                SampleLanes::Eight => ExecSize::S8,
                SampleLanes::Sixteen => ExecSize::S16,
            };
            let exec = Exec { size, ..inst.exec };
            let on = t.lanes_of(exec);
            let access = SamplerAccess {
                exec,
                on,
                sampler,
                surface,
                coords,
                half_in: false,
                half_out: false,
                dst,
                channels,
            };
            texels(t, cx, &access)?;
        }
        Op::Info3d { op: 10, channels, surface, dst, .. } => {
            let place = t.place_of(surface)?;
            let surface = cx.surface(place)?.clone();
            let Some(image) = surface.image else { return Err("a surface without shape".into()) };
            let on = t.lanes_of(inst.exec);
            for i in each(on) {
                let values = [image.width, image.height, image.depth, 1].map(u64::from);
                reply(t, inst.exec, dst, channels, to_index(i), 4, values)?;
            }
        }
        _ => return Err(format!("this form of {} is not modelled", inst.opcode).into()),
    }
    Ok(SendKind::Sampler)
}

/// Writes a lane's channels, each in registers of its own.
fn reply(
    t: &mut VisaThread<'_>,
    exec: Exec,
    dst: RawOperand,
    channels: ChannelMask,
    lane: u32,
    slot: u32,
    values: [u64; 4],
) -> Result<(), Trap> {
    let block = (exec.size.lanes() * slot).next_multiple_of(t.program.grf);
    for (k, c) in (0..4usize).filter(|c| channels.0 >> c & 1 != 0).enumerate() {
        t.raw_store(dst, to_index(k) * block + lane * slot, slot, values[c])?;
    }
    Ok(())
}

/// A sample or a load: which lanes read what, and where it goes.
struct SamplerAccess {
    exec: Exec,
    on: u32,
    sampler: Option<SamplerId>,
    surface: SurfaceId,
    /// U, V, R; null for none.
    coords: [RawOperand; 3],
    half_in: bool,
    half_out: bool,
    dst: RawOperand,
    channels: ChannelMask,
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
    if black_box && (positions(t.program.platform, s.kind, s.op).is_none() || special) {
        return asked(t, cx, inst, s);
    }
    let plain = !s.pixel_null_mask && s.paired.is_null() && offsets == 0;
    let at = positions(t.program.platform, s.kind, s.op);
    let (true, Some(at)) = (plain, at) else {
        return Err(format!("operation {} of the sampler is not modelled", s.op).into());
    };
    let half =
        |t: &VisaThread<'_>, r: RawOperand| t.unit().kernel.var_type(r.var).is_some_and(|ty| ty.bytes() == 2);
    let params: Vec<RawOperand> = s.params.iter().collect();
    let (on, _) = t.enabled(inst)?;
    let access = SamplerAccess {
        exec: inst.exec,
        on,
        sampler: s.sampler,
        surface: s.surface,
        coords: at.map(|k| params.get(k).copied().unwrap_or(RawOperand::NULL)),
        half_in: params.first().is_some_and(|p| half(t, *p)),
        half_out: half(t, s.dst),
        dst: s.dst,
        channels: ChannelMask(s.channels & 15),
    };
    texels(t, cx, &access)
}

fn texels(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, access: &SamplerAccess) -> Result<(), Trap> {
    let &SamplerAccess { half_in, half_out, .. } = access;
    let place = t.place_of(access.surface)?;
    let surface = cx.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("sampling a surface without shape".into()) };
    let width = if half_in { 2 } else { 4 };
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
    for i in each(access.on) {
        let lane = to_index(i);
        let mut raw = [0u32; 3];
        for (v, coord) in raw.iter_mut().zip(access.coords).filter(|(_, c)| !c.is_null()) {
            *v = low_u32(cx.address(t, coord, lane * width, width)?);
        }
        let channels = match sampler {
            None => {
                let c = raw.map(|p| if half_in { i64::from(low_i16(p)) } else { i64::from(low_i32(p)) });
                let [x, y, z] = image.place(c);
                let texel = typed::fetch(cx.memory, surface.base, &image, x, y, z)?;
                std::array::from_fn(|c| texel.map_or(0, |texel| typed::unpack(&image, texel, to_index(c))))
            }
            Some(sampler) => {
                let c = raw.map(|p| if half_in { HALF.to_f64(p.into()) } else { f32::from_bits(p).into() });
                sampler::sample(cx.memory, surface.base, &image, sampler, c)?
            }
        };
        let values = channels.map(|v| match (half_out, image.texel) {
            (false, _) => u64::from(v),
            (true, Texel::Sint | Texel::Uint) => u64::from(v & 0xffff),
            (true, _) => HALF.from_f64(f32::from_bits(v).into(), Round::Even),
        });
        let slot = if half_out { 2 } else { 4 };
        reply(t, access.exec, access.dst, access.channels, lane, slot, values)?;
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
    let gathers = gathers(s.op & 31);
    let compares = matches!(s.op, 16 | 18);
    let channel = if gathers && !compares { u32::from(s.channels & 3) << 16 } else { 0 };
    let offsets = offsets & 0xfff | channel;
    let channels = if gathers { ChannelMask::RGBA } else { ChannelMask(s.channels & 15) };
    let sampling = Sampling { op: s.op & 31, surface, sampler, offsets };
    let width = |t: &VisaThread<'_>, r: RawOperand| {
        t.unit().kernel.var_type(r.var).map_or(4, visa::Type::bytes).min(4)
    };
    let params: Vec<RawOperand> = s.params.iter().collect();
    let bytes = params.first().map_or(4, |p| if width(t, *p) == 2 { 2 } else { 4 });
    let slot = if width(t, s.dst) == 2 { 2 } else { 4 };
    let (on, _) = t.enabled(inst)?;
    let mut resident = Resident::ALL;
    for i in each(on) {
        let lane = to_index(i);
        let mut question = sampling.question();
        for param in &params {
            // A parameter that is left out is zero.
            let value = if param.is_null() { 0 } else { cx.address(t, *param, lane * bytes, bytes)? };
            question = question.with(value);
        }
        cx.asked.push(question.number());
        resident.set(lane, question);
        let values =
            [0, 1, 2, 3].map(|c| u64::from(question.answer(c)) & if slot == 2 { 0xffff } else { u64::MAX });
        reply(t, inst.exec, s.dst, channels, lane, slot, values)?;
    }
    if s.pixel_null_mask {
        let block = (inst.exec.size.lanes() * slot).next_multiple_of(t.program.grf);
        t.raw_store(s.dst, channels.count() * block, 4, resident.word())?;
    }
    Ok(())
}

/// `avs` by a black box: channels and format, places and steps, block, group, mode and bypass.
fn block(t: &mut VisaThread<'_>, cx: &mut VisaCx<'_>, op: &Op<'_>) -> Result<(), Trap> {
    let &Op::Avs { channels, sampler, surface, coords, group, block, format, v2d, mode, bypass, dst } = op
    else {
        return Err("this instruction is not modelled".into());
    };
    let place = t.place_of(surface)?;
    let mut question = Question::to(Sfid::Sampler)
        .with(cx.surface(place)?.base)
        .with(t.sampler_value(sampler, 0)?.into())
        .with(u64::from(!channels.0 & 15) | u64::from(format & 3) << 6);
    for operand in [v2d, block].into_iter().chain(coords) {
        let (value, ..) = t.scalar(operand)?;
        question = question.with(value & 0xffff_ffff);
    }
    let bypass = low_u32(cx.scalar_address(t, bypass)?) & 1;
    let group = low_u32(cx.scalar_address(t, group)?);
    question = question.with(group.wrapping_add(u32::from(mode & 3) << 25 | bypass << 27).into());
    cx.asked.push(question.number());
    // Pixels by mode, of one byte or two.
    let pixels = [64, 32, 128, 16][usize::from(mode & 3)];
    let bytes = pixels * channels.count() * if format < 2 { 2 } else { 1 };
    // Whole registers come back.
    for byte in 0..bytes.next_multiple_of(t.program.grf) {
        t.raw_store(dst, byte, 1, question.byte(byte).into())?;
    }
    Ok(())
}

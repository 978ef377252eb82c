//! Sampling and loads of images (spec `3D_SAMPLE`, `3D_LOAD`, `INFO`). Images have one level, so levels of
//! detail are not looked at.

use super::{operand::each, run::Cx, thread::Thread};
use crate::{
    memory::Texel,
    messages::{sampler, typed},
    num::{HALF, Round},
    report::SendKind,
    thread::Trap,
};
use platforms::Platform;
use visa::{ChannelMask, Exec, ExecSize, Inst, Op, RawOperand, SamplerId, SurfaceId, op::Sample};

/// Positions of u, v and r among the parameters (spec, tables of `3D_SAMPLE` and `3D_LOAD`).
fn positions(platform: Platform, load: bool, op: u8) -> Option<[usize; 3]> {
    Some(match (load, op) {
        (false, 0 | 24) => [0, 1, 2],
        // Bias or level first.
        (false, 1 | 2) => [1, 2, 3],
        // The level stands after u on BDW, after v since.
        (true, 7) if platform.caps().sampler.level_after_u => [0, 2, 3],
        (true, 7) => [0, 1, 3],
        (true, 26) => [0, 1, 2],
        _ => return None,
    })
}

pub(super) fn run(t: &mut Thread<'_>, cx: &mut Cx<'_>, inst: &Inst<'_>) -> Result<SendKind, Trap> {
    match inst.op {
        Op::Sample(ref s) => new_texels(t, cx, inst, s, false)?,
        Op::Load3d(ref s) => new_texels(t, cx, inst, s, true)?,
        Op::SampleLegacy { channels, simd16, sampler, surface, coords, dst } => {
            let size = if simd16 { ExecSize::S16 } else { ExecSize::S8 };
            let exec = Exec { size, ..inst.exec };
            let on = t.lanes_of(exec);
            let access =
                Access { exec, on, sampler, surface, coords, half_in: false, half_out: false, dst, channels };
            texels(t, cx, &access)?;
        }
        Op::Info3d { op: 10, channels, surface, dst, .. } => {
            let place = t.place_of(surface)?;
            let surface = cx.surface(place)?.clone();
            let Some(image) = surface.image else { return Err("a surface without shape".into()) };
            let on = t.lanes_of(inst.exec);
            for i in each(on) {
                let values = [image.width, image.height, image.depth, 1].map(u64::from);
                reply(t, inst.exec, dst, channels, i as u32, 4, values)?;
            }
        }
        _ => return Err(format!("this form of {} is not modelled", inst.opcode).into()),
    }
    Ok(SendKind::Sampler)
}

/// Writes a lane's channels, each in registers of its own.
fn reply(
    t: &mut Thread<'_>,
    exec: Exec,
    dst: RawOperand,
    channels: ChannelMask,
    lane: u32,
    slot: u32,
    values: [u64; 4],
) -> Result<(), Trap> {
    let block = (exec.size.lanes() * slot).next_multiple_of(t.program.grf);
    for (k, c) in (0..4usize).filter(|c| channels.0 >> c & 1 != 0).enumerate() {
        t.raw_store(dst, k as u32 * block + lane * slot, slot, values[c])?;
    }
    Ok(())
}

/// A sample or a load: which lanes read what, and where it goes.
struct Access {
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
    t: &mut Thread<'_>,
    cx: &mut Cx<'_>,
    inst: &Inst<'_>,
    s: &Sample<'_>,
    load: bool,
) -> Result<(), Trap> {
    let plain = !s.pixel_null_mask && s.paired.is_null() && s.aoffimmi.immediate() == Some(0);
    let at = positions(t.program.platform, load, s.op);
    let (true, Some(at)) = (plain, at) else {
        return Err(format!("operation {} of the sampler is not modelled", s.op).into());
    };
    let half =
        |t: &Thread<'_>, r: RawOperand| t.unit().kernel.var_type(r.var).is_some_and(|ty| ty.bytes() == 2);
    let params: Vec<RawOperand> = s.params.iter().collect();
    let (on, _) = t.enabled(inst)?;
    let access = Access {
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

fn texels(t: &mut Thread<'_>, cx: &mut Cx<'_>, access: &Access) -> Result<(), Trap> {
    let &Access { half_in, half_out, .. } = access;
    let place = t.place_of(access.surface)?;
    let surface = cx.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("sampling a surface without shape".into()) };
    let width = if half_in { 2 } else { 4 };
    let sampler = match access.sampler {
        None => None,
        Some(SamplerId::BINDLESS) => return Err("bindless samplers are not modelled".into()),
        Some(id) => {
            let index = t.sampler_value(id, 0)?;
            match cx.bindings.samplers.get(index as usize) {
                Some(Some(sampler)) => Some(*sampler),
                _ => return Err(format!("no sampler at index {index}").into()),
            }
        }
    };
    for i in each(access.on) {
        let lane = i as u32;
        let mut raw = [0u32; 3];
        for (v, coord) in raw.iter_mut().zip(access.coords).filter(|(_, c)| !c.is_null()) {
            *v = cx.address(t, coord, lane * width, width)? as u32;
        }
        let channels = match sampler {
            None => {
                let mut c = raw.map(|p| if half_in { i64::from(p as i16) } else { i64::from(p as i32) });
                if image.dims == 1 {
                    // The layer of a one-dimensional array takes v's place.
                    c = [c[0], 0, if image.array { c[1] } else { 0 }];
                } else if image.dims == 2 && !image.array {
                    c[2] = 0;
                }
                let texel = typed::fetch(cx.memory, surface.base, &image, c[0], c[1], c[2])?;
                std::array::from_fn(|c| texel.map_or(0, |texel| typed::unpack(&image, texel, c as u32)))
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

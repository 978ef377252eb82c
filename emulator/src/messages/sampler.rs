//! Sampler messages: `ld`, `sample` in its level-of-detail forms, `resinfo`.
//!
//! Parameters stand one register group each, in the order of PRM volume 7, "Sampler message payload".
//! Images have one level here, so a level of detail is read and not used.

use super::{Mail, typed};
use crate::{
    memory::{Image, Memory, Sampler, Texel, Wrap},
    num::{HALF, Round},
    opaque::{Question, Resident, Sampling},
    report::SendKind,
    thread::Trap,
};
use gen_ir::Sfid;
use messages::sampler::{HeaderControl, MessageType, Parameter, Request, Sample, SimdMode, WideType};
use narrow::{low_i16, low_i32, low_u32, single, to_index, whole};
use platforms::Platform;

/// What is modelled of a message, and which parameters are u, v and r.
enum Modelled {
    Load([u32; 3]),
    Sample([u32; 3]),
    ResInfo,
    /// A black box.
    Opaque,
}

fn modelled(platform: Platform, message: MessageType) -> Option<Modelled> {
    let level_after_u = platform.caps().sampler.level_after_u;
    let row = message.row();
    // Images have one level, so that one of these parameters changes nothing.
    let plain = row.parameters.iter().all(|p| {
        matches!(
            p,
            Parameter::U | Parameter::V | Parameter::R | Parameter::Ai | Parameter::Lod | Parameter::Bias
        )
    });
    let coordinates = || {
        [Parameter::U, Parameter::V, Parameter::R]
            .map(|p| message.position(p, level_after_u).map_or(u32::MAX, |at| to_index(at)))
    };
    Some(match row.form {
        Request::Sample if plain => Modelled::Sample(coordinates()),
        Request::Load if plain => Modelled::Load(coordinates()),
        Request::Query if message == MessageType::ResInfo => Modelled::ResInfo,
        _ => return None,
    })
}

pub(super) fn run(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let message = mail.as_kind::<Sample>();
    let opaque = mail.cx.opaque.contains(&Sfid::Sampler);
    if message.simd_mode() == Some(SimdMode::Simd32) {
        return match message.wide_operation() {
            // Memory is always in order here.
            Some(WideType::Flush) => super::fence(mail),
            Some(WideType::Sample8x8) if opaque => block(mail, message),
            _ => Err("a sampler message of this SIMD mode is not modelled".into()),
        };
    }
    let Some(operation) = message.operation() else {
        return Err(format!("sampler message {:#x} does not exist", message.message_type()).into());
    };
    let control = if mail.header() != 0 {
        HeaderControl::from_bits(low_u32(mail.address(8, 4)?))
    } else {
        HeaderControl::new()
    };
    let sampling = sampling(mail, message, operation, control)?;
    // With the word that says which pixels are resident.
    let null_mask = control.pixel_null_mask();
    let named = operation.row().form.takes_sampler() && sampling.sampler != message.sampler_index().into();
    let special = null_mask || control.offsets() != 0 || named;
    let form = match modelled(mail.cx.program.platform, operation) {
        Some(form) if !(special && opaque) => form,
        _ if opaque => Modelled::Opaque,
        Some(form) => form,
        None => return Err(format!("{operation:?} of the sampler is not modelled").into()),
    };
    let layout = SampleLayout::of(mail, message)?;
    let surface = mail.surface(mail.place(message.surface()))?.clone();
    let Some(image) = surface.image else { return Err("sampling a surface without shape".into()) };
    // A gather brings four texels of the channel that the header names; all else leaves channels out.
    let gathers = operation.row().form == Request::Gather;
    let mask = if gathers { 0 } else { u32::from(control.disabled_channels()) };
    let on = mail.on;
    let mut resident = Resident::ALL;
    let sampling = Sampling { surface: surface.base, ..sampling };
    let lookup = Lookup { form, sampling, image, sampler: message.sampler_index().into() };
    for lane in (0..layout.lanes).filter(|l| on >> l & 1 != 0) {
        let channels = lookup.of_lane(mail, &layout, lane, &mut resident)?;
        layout.reply(mail, lane, channels, mask, lookup.gives_floats())?;
    }
    if null_mask && opaque {
        let shown = 4 - mask.count_ones();
        let at = shown * layout.block;
        // Without a destination nothing comes back.
        if at < mail.rlen * mail.grf {
            mail.reply(at, 4, resident.word())?;
        }
    }
    Ok(SendKind::Sampler)
}

/// What the lanes of a message look up.
struct Lookup {
    form: Modelled,
    sampling: Sampling,
    image: Image,
    sampler: usize,
}

impl Lookup {
    /// The channels that a lane gets; a black box says whether its pixel is resident, too.
    fn of_lane(
        &self,
        mail: &mut Mail<'_, '_>,
        layout: &SampleLayout,
        lane: u32,
        resident: &mut Resident,
    ) -> Result<[u32; 4], Trap> {
        let (base, image) = (self.sampling.surface, &self.image);
        match self.form {
            Modelled::Opaque => {
                let mut question = self.sampling.question();
                for k in 0..layout.count {
                    question = question.with(layout.parameter(mail, lane, k)?.into());
                }
                mail.cx.asked.push(question.number());
                resident.set(lane, question);
                Ok([0, 1, 2, 3].map(|c| question.answer(c)))
            }
            Modelled::ResInfo => Ok(image.sizes()),
            Modelled::Load(at) => {
                let c = layout.parameters(mail, lane, at, coordinate)?;
                load(mail, base, image, c)
            }
            Modelled::Sample(at) => {
                let c = layout.parameters(mail, lane, at, |p, half| {
                    if half { HALF.to_f64(p.into()) } else { f32::from_bits(p).into() }
                })?;
                let Some(Some(sampler)) = mail.cx.bindings.samplers.get(self.sampler).copied() else {
                    return Err(format!("no sampler at index {}", self.sampler).into());
                };
                sample(mail.cx.memory, base, image, sampler, c)
            }
        }
    }

    fn gives_floats(&self) -> bool {
        !matches!(self.form, Modelled::Opaque) && !matches!(self.image.texel, Texel::Sint | Texel::Uint)
    }
}

/// A parameter that is an integer, of half a dword or a whole one.
fn coordinate(bits: u32, half: bool) -> i64 {
    if half { i64::from(low_i16(bits)) } else { i64::from(low_i32(bits)) }
}

/// Where parameters and results of a message lie.
struct SampleLayout {
    lanes: u32,
    /// Bytes of the header; behind it stand `count` parameters of `params` bytes.
    first: u32,
    count: u32,
    params: u32,
    half_params: bool,
    /// Bytes of a channel of the result.
    block: u32,
    half: bool,
}

impl SampleLayout {
    fn of(mail: &Mail<'_, '_>, message: Sample) -> Result<SampleLayout, Trap> {
        let native = u32::from(mail.cx.program.platform.caps().regs.native_lanes());
        let lanes = match message.simd_mode() {
            Some(SimdMode::Simd8) => native,
            Some(SimdMode::Simd16) => 2 * native,
            Some(SimdMode::Simd32) | None => {
                return Err("a sampler message of this SIMD mode is not modelled".into());
            }
        };
        let (half, half_params) = (message.half_results(), message.half_parameters());
        let params = mail.regs(lanes, if half_params { 2 } else { 4 }) * mail.grf;
        let first = mail.header() * mail.grf;
        let count = (mail.len() * mail.grf).saturating_sub(first) / params;
        let block = mail.regs(lanes, if half { 2 } else { 4 }) * mail.grf;
        Ok(SampleLayout { lanes, first, count, params, half_params, block, half })
    }

    /// A lane's value of parameter `k`; what is not sent is zero.
    fn parameter(&self, mail: &mut Mail<'_, '_>, lane: u32, k: u32) -> Result<u32, Trap> {
        if k >= self.count {
            return Ok(0);
        }
        let bytes = if self.half_params { 2 } else { 4 };
        mail.address(self.first + k * self.params + lane * bytes, bytes).map(low_u32)
    }

    /// Three parameters as numbers: `number` is told whether they are of half the size.
    fn parameters<T: Copy + Default>(
        &self,
        mail: &mut Mail<'_, '_>,
        lane: u32,
        at: [u32; 3],
        number: impl Fn(u32, bool) -> T,
    ) -> Result<[T; 3], Trap> {
        let mut c = [T::default(); 3];
        for (v, k) in c.iter_mut().zip(at) {
            *v = number(self.parameter(mail, lane, k)?, self.half_params);
        }
        Ok(c)
    }

    /// Writes a lane's channels, but for those in `mask`; half results are rounded if they are floats.
    fn reply(
        &self,
        mail: &mut Mail<'_, '_>,
        lane: u32,
        channels: [u32; 4],
        mask: u32,
        float: bool,
    ) -> Result<(), Trap> {
        let slot = if self.half { 2 } else { 4 };
        let shown = (0..4usize).filter(|c| mask >> c & 1 == 0);
        for (k, c) in shown.enumerate() {
            let at = to_index(k) * self.block + lane * slot;
            if at + slot > mail.rlen * mail.grf {
                break;
            }
            let v = match (self.half, float) {
                (false, _) => channels[c],
                (true, false) => channels[c] & 0xffff,
                (true, true) => low_u32(HALF.from_f64(f32::from_bits(channels[c]).into(), Round::Even)),
            };
            mail.reply(at, slot, v.into())?;
        }
        Ok(())
    }
}

/// The question to a black box, but for surface and parameters.
fn sampling(
    mail: &mut Mail<'_, '_>,
    message: Sample,
    operation: MessageType,
    control: HeaderControl,
) -> Result<Sampling, Trap> {
    let row = operation.row();
    let offsets = if row.form == Request::Gather { control.into_bits() } else { control.offsets() };
    let mut sampling = Sampling { op: message.message_type(), surface: 0, sampler: 0, offsets };
    if !row.form.takes_sampler() {
        return Ok(sampling);
    }
    sampling.sampler = named_sampler(mail, message)?;
    Ok(sampling)
}

/// The sampler's index; where the header says that states are elsewhere than the thread's, their place.
fn named_sampler(mail: &mut Mail<'_, '_>, message: Sample) -> Result<u32, Trap> {
    if mail.header() != 0 {
        let states = low_u32(mail.address(12, 4)?);
        if states >> 5 != mail.t.u32_at(12) >> 5 {
            return Ok(states);
        }
    }
    Ok(message.sampler_index().into())
}

/// The texel at integer coordinates, as channels of 32 bits; nothing outside of the image.
fn load(mail: &mut Mail<'_, '_>, base: u64, image: &Image, c: [i64; 3]) -> Result<[u32; 4], Trap> {
    let [x, y, z] = image.place(c);
    let texel = typed::fetch(mail.cx.memory, base, image, x, y, z)?;
    Ok(std::array::from_fn(|c| texel.map_or(0, |t| typed::unpack(image, t, to_index(c)))))
}

/// A scaled block of pixels, by a black box: its channels and format in the header, places and steps, block and group
/// in the register behind (volume 7, "sample_8x8 payload").
fn block(mail: &mut Mail<'_, '_>, message: Sample) -> Result<SendKind, Trap> {
    let surface = mail.surface(mail.place(message.surface()))?.base;
    let mut question = Question::to(Sfid::Sampler)
        .with(surface)
        .with(named_sampler(mail, message)?.into())
        .with(HeaderControl::from_bits(low_u32(mail.address(8, 4)?)).block_format().into());
    for dword in 0..8 {
        question = question.with(mail.address(mail.grf + 4 * dword, 4)?);
    }
    mail.cx.asked.push(question.number());
    for byte in 0..mail.rlen * mail.grf {
        mail.reply(byte, 1, question.byte(byte).into())?;
    }
    Ok(SendKind::Sampler)
}

/// The texel a wrapped coordinate names; `None` is the border.
fn wrap(i: i64, n: u32, mode: Wrap) -> Option<i64> {
    let n = i64::from(n);
    match mode {
        Wrap::Edge => Some(i.clamp(0, n - 1)),
        Wrap::Border => (0..n).contains(&i).then_some(i),
        Wrap::Repeat => Some(i.rem_euclid(n)),
        Wrap::Mirror => {
            let k = i.rem_euclid(2 * n);
            Some(if k < n { k } else { 2 * n - 1 - k })
        }
    }
}

/// The colour at a coordinate, as channels of 32 bits.
pub(crate) fn sample(
    memory: &mut Memory,
    base: u64,
    image: &Image,
    s: Sampler,
    c: [f64; 3],
) -> Result<[u32; 4], Trap> {
    let size = [image.width, image.height, image.depth];
    let spatial = usize::from(image.dims);
    // Per axis: the first texel, and the weight of the one behind it.
    let mut first = [0i64; 3];
    let mut weight = [0.0f64; 3];
    let linear = s.linear && !matches!(image.texel, Texel::Sint | Texel::Uint);
    for k in 0..spatial {
        let scaled = if s.normalized { c[k] * f64::from(size[k]) } else { c[k] };
        let scaled = if scaled.is_finite() { scaled } else { 0.0 };
        let at = if linear { scaled - 0.5 } else { scaled };
        first[k] = whole(at.floor());
        // Weights have eight fractional bits.
        weight[k] = if linear { ((at - at.floor()) * 256.0).round_ties_even() / 256.0 } else { 0.0 };
    }
    if image.array {
        let layer = c[spatial.min(2)].round_ties_even();
        first[2] = whole(layer).clamp(0, i64::from(image.depth) - 1);
    }
    let mut sum = [0.0f64; 4];
    let mut exact = [0; 4];
    for corner in 0..8 {
        let mut w = 1.0;
        let mut at = [Some(0i64), Some(0), Some(first[2])];
        for k in 0..3 {
            let far = corner >> k & 1;
            if k >= spatial {
                w *= if far == 0 { 1.0 } else { 0.0 };
                continue;
            }
            w *= if far == 0 { 1.0 - weight[k] } else { weight[k] };
            at[k] = wrap(first[k] + far, size[k], s.wrap);
        }
        if w == 0.0 {
            continue;
        }
        let texel = match at {
            [Some(x), Some(y), Some(z)] => typed::fetch(memory, base, image, x, y, z)?,
            _ => None,
        };
        for (c, out) in sum.iter_mut().enumerate() {
            let bits = match texel {
                Some(t) => typed::unpack(image, t, to_index(c)),
                // The border is transparent black, opaque where the image has no alpha.
                None if c == 3 && image.channels < 4 => typed::unpack(image, 0, 3),
                None => 0,
            };
            exact[c] = bits;
            *out += w * f64::from(f32::from_bits(bits));
        }
    }
    Ok(if linear { sum.map(|v| single(v).to_bits()) } else { exact })
}

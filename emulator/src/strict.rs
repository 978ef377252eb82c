//! Definedness: which register bytes and flag bits depend on something nobody wrote.
//!
//! Reading such a byte is no fault: compilers copy half-written registers, spill them and compute lanes
//! nobody looks at. It is one where a branch, an address or a stored value depends on it; until then it
//! spreads from sources to destinations, lane by lane.

use crate::{
    file,
    lanes::{Places, offset},
    messages::Cx,
    program::{DestPlace, Extra, NOWHERE, Operand, Pc, Predicate, Program, Shape, Step},
    report::Fault,
    shadow::bits,
    thread::{Thread, Trap, mask},
};
use gen_ir::{Op, SrcMod};
use narrow::{as_index, low_u8, low_u16, low_u32, set_little, to_index};

impl Thread {
    pub(crate) fn undefined(&self, at: u32, len: u32) -> bool {
        match &self.shadow {
            Some(s) => s.bytes[as_index(at)..as_index(at + len)].iter().any(|b| *b != 0),
            None => false,
        }
    }

    /// The undefined ones of up to eight bytes, a bit each.
    pub(crate) fn undefined_bytes(&self, at: u32, len: u32) -> u8 {
        self.shadow.as_ref().map_or(0, |s| bits(&s.bytes[as_index(at)..as_index(at + len)]))
    }

    /// The definedness of scratch memory at an address, if the thread has it there and it is tracked.
    pub(crate) fn scratch_shadow(&mut self, address: u64, len: u32) -> Option<&mut [u8]> {
        let from = usize::try_from(address.checked_sub(self.scratch)?).ok()?;
        let shadow = self.shadow.as_mut()?;
        shadow.scratch.get_mut(from..from.checked_add(as_index(len))?)
    }

    /// Up to eight bytes are written, the ones in `undefined` with something undefined.
    pub(crate) fn define_but(&mut self, at: u32, len: u32, undefined: u8) {
        if let Some(s) = &mut self.shadow {
            let bytes = &mut s.bytes[as_index(at)..as_index(at + len)];
            if undefined == 0 {
                return set_little(bytes, 0);
            }
            for (i, b) in bytes.iter_mut().enumerate() {
                *b = undefined >> i & 1;
            }
        }
    }

    /// As if nobody had written these bytes.
    pub(crate) fn undefine(&mut self, at: u32, len: u32) {
        if let Some(s) = &mut self.shadow {
            s.bytes[as_index(at)..as_index(at + len)].fill(1);
        }
    }

    pub(crate) fn define(&mut self, at: u32, len: u32) {
        if let Some(s) = &mut self.shadow {
            s.bytes[as_index(at)..as_index(at + len)].fill(0);
        }
    }
}

/// Bytes from the first to behind the last one that channels of this many lanes touch.
fn extent(shape: Shape, lanes: u8, bytes: u32) -> u32 {
    let last = u32::from(lanes).saturating_sub(1);
    bytes
        + match shape {
            Shape::Scalar => 0,
            Shape::Linear(stride) => last * stride,
            Shape::Rows { vert, width, horz } => {
                last / width * vert + width.saturating_sub(1).min(last) * horz
            }
        }
}

/// The channels in which an instruction looks at a source: `sel` takes one of its two.
fn looked_at(t: &Thread, step: &Step, source: usize) -> u32 {
    match &step.pred {
        Some(p) if step.op == Op::Sel && step.cond.is_none() => {
            let first = t.predicate(p, step);
            if source == 0 { first } else { !first }
        }
        _ => u32::MAX,
    }
}

/// Whether the first two sources lie at the same place.
fn reads_twice(step: &Step) -> bool {
    match (step.src[0].what, step.src[1].what) {
        (Operand::Direct { at: x, shape: s }, Operand::Direct { at: y, shape: r }) => x == y && s == r,
        _ => false,
    }
}

/// Undefined lanes among an instruction's inputs.
fn inputs(t: &Thread, step: &Step, on: u32) -> Result<u32, Trap> {
    let n = usize::from(step.lanes);
    let Some(shadow) = &t.shadow else { return Ok(0) };
    let mut out = 0;
    // x ^ x, x - x and x == x do not depend on x.
    let cancels = matches!(step.op, Op::Xor | Op::Cmp) && reads_twice(step)
        || step.op == Op::Add && reads_twice(step) && step.src[0].mods.neg() != step.src[1].mods.neg();
    for (source, s) in step.src.iter().enumerate() {
        let bytes = as_index(s.ty.bytes());
        let looked_at = looked_at(t, step, source);
        match s.what {
            // Flags, read as a register, have their own bits.
            Operand::Direct { at, .. } if file::is_flag(at) => {
                let k = as_index((at - file::FLAG) / 4);
                if shadow.flags[k] == u32::MAX && !cancels {
                    out |= looked_at;
                }
            }
            Operand::Direct { at, shape }
                if shadow.is_defined(at, extent(shape, step.lanes, s.ty.bytes())) => {}
            Operand::Direct { .. } | Operand::Indirect { .. } => {
                let Some(places) = t.lane_offsets(s, n, on)? else { continue };
                for (i, at) in places[..n].iter().enumerate() {
                    let at = as_index(*at);
                    if shadow.bytes[at..at + bytes].iter().any(|b| *b != 0) && !cancels {
                        out |= looked_at & 1 << i;
                    }
                }
                if let Operand::Indirect { addr, .. } = s.what
                    && shadow.bytes[as_index(addr)..as_index(addr) + 2] != [0, 0]
                {
                    out |= looked_at;
                }
            }
            _ => {}
        }
    }
    if step.op.info().accumulator.reads {
        for i in 0..n {
            let at = as_index(file::ACC) + 4 * i;
            if shadow.bytes[at..at + 4].iter().any(|b| *b != 0) {
                out |= 1 << i;
            }
        }
    }
    Ok(out)
}

/// Channels for which undefined flag bits decide about the predicate: one that is surely set decides
/// whether any is, one that is surely clear whether all are.
fn undecided(t: &Thread, p: &Predicate, step: &Step) -> u32 {
    use gen_ir::PredCtrl::{All2h, All4h, All8h, All16h, All32h, Any2h, Any4h, Any8h, Any16h, Any32h};
    let Some(shadow) = &t.shadow else { return 0 };
    let (unknown, set) = (shadow.flag(p.flag), t.flag(p.flag));
    let (chan, lanes) = (u32::from(step.chan), u32::from(step.lanes));
    let (group, any) = match p.ctrl {
        Any2h => (2, true),
        Any4h => (4, true),
        Any8h => (8, true),
        Any16h => (16, true),
        Any32h => (32, true),
        All2h => (2, false),
        All4h => (4, false),
        All8h => (8, false),
        All16h => (16, false),
        All32h => (32, false),
        _ => return unknown.checked_shr(chan).unwrap_or(0) & mask(lanes),
    };
    let decides = (if any { set } else { !set }) & !unknown;
    let undecided = |lane: &u32| {
        let first = (chan + lane) / group * group;
        let part = |v: u32| v.checked_shr(first).unwrap_or(0) & mask(group);
        part(unknown) != 0 && part(decides) == 0
    };
    (0..lanes).filter(undecided).fold(0, |out, lane| out | 1 << lane)
}

/// Undefined bytes of the result, channel by channel, for operations that keep bytes apart: flags travel
/// through registers in halves, of which one may be undefined, and two of them at once. A choice between a value and itself is a
/// move. `undefined`: the channels that are not defined as a whole. (A result has two registers of 64 bytes at most.)
fn bytewise(t: &Thread, step: &Step, undefined: u32) -> Option<u128> {
    let shadow = t.shadow.as_ref()?;
    let moves = step.op == Op::Csel && reads_twice(step);
    let kept = moves || step.op == Op::Mov || step.op.info().logic;
    let (lanes, size) = (u32::from(step.lanes), step.dst.ty.bytes());
    if !kept || lanes != 1 && (undefined == 0 || lanes * size > u128::BITS) {
        return None;
    }
    let mut out = 0;
    // What decides a bit of the result alone.
    let decisive = match step.op {
        Op::Or => Some(0xff),
        Op::And => Some(0),
        _ => None,
    };
    let mut decided = 0;
    let sources = if moves { 1 } else { step.op.info().srcs.into() };
    for s in step.src.iter().take(sources) {
        let Operand::Direct { at, shape } = s.what else { continue };
        if s.ty.bytes() != size {
            return None;
        }
        let plain = s.mods == SrcMod::None;
        for lane in 0..lanes {
            for b in 0..size {
                let from = at + offset(shape, lane) + b;
                // Of flags a bit each, of which all have to be undefined for the byte to be.
                let (undefined, defined) = if file::is_flag(from) {
                    let k = from - file::FLAG;
                    let bits = shadow.flags[as_index(k / 4)] >> (8 * (k % 4)) & 0xff;
                    (bits == 0xff, bits == 0)
                } else {
                    let defined = shadow.bytes[as_index(from)] == 0;
                    (!defined, defined)
                };
                let decides = defined && plain && Some(t.rf[as_index(from)]) == decisive;
                out |= u128::from(undefined) << (lane * size + b);
                decided |= u128::from(decides) << (lane * size + b);
            }
        }
    }
    Some(out & !decided)
}

/// FNV-1a.
const HASH: u64 = 0xcbf2_9ce4_8422_2325;

fn mix(h: u64, b: &u8) -> u64 {
    (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
}

/// What a message has left in its response, mixed into a hash.
pub(crate) fn hash_response(t: &Thread, program: &Program, step: &Step, seed: u64) -> u64 {
    t.rf[response(program, step)].iter().fold(seed ^ HASH, mix)
}

/// The bytes of a message's response.
fn response(program: &Program, step: &Step) -> std::ops::Range<usize> {
    let Extra::Send(index) = step.extra else { return 0..0 };
    let m = &program.messages[as_index(index)];
    let Some(dst) = m.dst else { return 0..0 };
    let end = as_index(file::GRF_END);
    let from = as_index(dst * program.grf).min(end);
    from..(from + as_index(u32::from(m.dst_len).max(1) * program.grf)).min(end)
}

/// What an ALU instruction will leave undefined; found before it runs, noted after.
pub(crate) struct Outcome {
    on: u32,
    undefined: u32,
    bytes: Option<u128>,
    places: Places,
}

impl Outcome {
    /// The bytes of the destination, if they lie one behind the other, all channels write them, and all is defined.
    fn defines_packed(&self, step: &Step) -> Option<std::ops::Range<usize>> {
        let DestPlace::Direct(at) = step.dst.what else { return None };
        let defined = self.bytes.map_or(self.undefined & self.on == 0, |undefined| undefined == 0);
        let packed = step.dst.stride == step.dst.ty.bytes() && self.on == mask(step.lanes.into());
        let plain = !file::is_flag(at) && !matches!(step.op, Op::Dpas | Op::Dpasw | Op::Math);
        let start = as_index(at);
        (defined && packed && plain).then(|| start..start + as_index(u32::from(step.lanes) * step.dst.stride))
    }

    /// Where the channels that it runs for have their results.
    fn written(&self, step: &Step) -> impl Iterator<Item = u32> {
        let lanes = (0..usize::from(step.lanes)).filter(|i| self.on >> i & 1 != 0);
        lanes.filter_map(|i| self.places.of(i))
    }

    /// The results of these channels count as undefined.
    pub(crate) fn poison(&mut self, channels: u32) {
        if channels != 0 {
            self.undefined |= channels;
            self.bytes = None;
        }
    }

    /// Random bits for what the instruction has computed, zeros and ones more often than they come by
    /// chance; the state of the generator.
    pub(crate) fn scramble(&self, t: &mut Thread, step: &Step, mut seed: u64) -> u64 {
        let mut next = || {
            // splitmix64
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            match z >> 61 {
                0 => 0,
                1 => u64::MAX,
                _ => z ^ (z >> 31),
            }
        };
        for at in self.written(step) {
            let (at, bytes) = (as_index(at), as_index(step.dst.ty.bytes()));
            t.rf[at..at + bytes].copy_from_slice(&next().to_le_bytes()[..bytes]);
        }
        if let Some(c) = &step.cond
            && !step.op.info().chooses
        {
            t.set_flag(c, step, self.on, low_u32(next()));
        }
        seed
    }

    /// What the instruction has left in its destination, its flag and the accumulators, mixed into a hash.
    pub(crate) fn hash(&self, t: &Thread, step: &Step, seed: u64) -> u64 {
        let mut h = seed ^ HASH;
        for at in self.written(step) {
            let at = as_index(at);
            h = t.rf[at..at + as_index(step.dst.ty.bytes())].iter().fold(h, mix);
        }
        if let Some(c) = &step.cond {
            h = t.flag_register(c.flag).to_le_bytes().iter().fold(h, mix);
        }
        if step.acc_write || step.op.info().accumulator.writes {
            h = t.rf[as_index(file::ACC)..as_index(file::END)].iter().fold(h, mix);
        }
        h
    }
}

/// Reports the rules of the hardware that an instruction breaks by its form alone.
pub(crate) fn legal(t: &mut Thread, cx: &mut Cx<'_>, pc: usize) {
    if cx.learned.legal.get(pc) == Some(&true) {
        return;
    }
    let Some((_, Some(inst))) = cx.program.insts().nth(pc) else { return };
    let broken = gen_ir::rules::check_in(cx.program.platform(), low_u16(cx.program.grf_count), inst);
    if broken.is_empty() {
        cx.learned.legal.resize(cx.program.len(), false);
        cx.learned.legal[pc] = true;
    } else {
        cx.report(t, Fault::Illegal, || {
            broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        });
    }
}

/// A message under a predicate that nobody wrote.
pub(crate) fn send(t: &mut Thread, cx: &mut Cx<'_>, step: &Step) {
    let Some(p) = &step.pred else { return };
    if undecided(t, p, step) & t.enabled(step) != 0 {
        cx.report(t, Fault::Uninitialized, || format!("the predicate {} was never written", p.flag));
    }
}

/// The response of a message counts as undefined.
pub(crate) fn poison_response(t: &mut Thread, program: &Program, step: &Step) {
    if let Some(shadow) = &mut t.shadow {
        shadow.bytes[response(program, step)].fill(1);
    }
}

pub(crate) fn before(t: &mut Thread, cx: &mut Cx<'_>, step: &Step) -> Result<Outcome, Trap> {
    let n = usize::from(step.lanes);
    let mut on = t.enabled(step);
    let mut doubtful = 0;
    if let Some(p) = &step.pred {
        doubtful = undecided(t, p, step);
        if step.op != Op::Sel || step.cond.is_some() {
            // Whether lanes with a doubtful predicate are written is undefined, and so are they.
            on &= t.predicate(p, step) | if cx.poison { doubtful } else { 0 };
        }
    }
    if step.op == Op::Smov {
        on &= crate::alu::scatter_mask(step);
    }
    let mut undefined = inputs(t, step, on)? | doubtful;
    if matches!(step.op, Op::Sad2 | Op::Sada2) {
        // Pairs depend on both channels, and the second one of the result is undefined.
        undefined |= undefined >> 1 | 0xaaaa_aaaa;
    }
    let places = t.dest_lanes(&step.dst, n, on)?;
    if on != 0
        && let DestPlace::Indirect { addr, .. } = step.dst.what
        && t.undefined(addr, 2)
    {
        cx.report(t, Fault::Uninitialized, || "the destination's address was never written".into());
    }
    let bytes = if doubtful == 0 { bytewise(t, step, undefined & on) } else { None };
    Ok(Outcome { on, undefined, bytes, places })
}

pub(crate) fn after(t: &mut Thread, step: &Step, o: &Outcome) {
    let n = usize::from(step.lanes);
    let Some(shadow) = &mut t.shadow else { return };
    if let Some(packed) = o.defines_packed(step) {
        shadow.bytes[packed].fill(0);
    } else if let Some(first) = o.places.of(0) {
        let bytes = as_index(step.dst.ty.bytes());
        for i in (0..n).filter(|i| o.on >> i & 1 != 0) {
            let Some(place) = o.places.of(i) else { continue };
            let at = as_index(place);
            let whole = o.undefined >> i & 1 != 0;
            let byte = |b: usize| o.bytes.map_or(whole, |m| m >> (i * bytes + b) & 1 != 0);
            for b in 0..bytes {
                shadow.bytes[at + b] = byte(b).into();
            }
            if file::is_flag(place) {
                for b in 0..bytes.min(4) {
                    let k = place - file::FLAG + to_index(b);
                    let f = &mut shadow.flags[as_index(k / 4 % 4)];
                    let m = 0xff << (8 * (k % 4));
                    *f = if byte(b) { *f | m } else { *f & !m };
                }
            }
        }
        if matches!(step.op, Op::Dpas | Op::Dpasw | Op::Math) {
            // Several registers: defined as a whole.
            let rows = match step.extra {
                Extra::Dpas { repeat, .. } => usize::from(repeat),
                Extra::Math(gen_ir::MathFn::Idivmod) => 2,
                _ => 1,
            };
            if rows > 1 {
                let at = as_index(first);
                shadow.bytes[at..at + rows * n * bytes.max(4)].fill(0);
            }
        }
    }
    if step.acc_write || matches!(step.op, Op::Addc | Op::Subb | Op::Macl) {
        for i in (0..n).filter(|i| o.on >> i & 1 != 0) {
            let at = as_index(file::ACC) + 4 * i;
            shadow.bytes[at..at + 4].fill(low_u8(o.undefined >> i & 1));
        }
    }
    if let Some(c) = &step.cond
        && !step.op.info().chooses
    {
        let shift = file::flag_bit(c.flag, step.chan);
        let f = &mut shadow.flags[usize::from(c.flag.register())];
        let on = o.on.checked_shl(shift).unwrap_or(0);
        *f = *f & !on | o.undefined.checked_shl(shift).unwrap_or(0) & on;
    }
}

/// A branch whose predicate nobody wrote.
pub(crate) fn branch(t: &mut Thread, cx: &mut Cx<'_>, step: &Step) {
    places(t, cx, step);
    let Some(p) = &step.pred else { return };
    let relevant = if step.op == Op::Jmpi { 1 } else { t.enabled(step) };
    // Vector programs ask whether any of sixteen channels is set where they have set one.
    let lax = p.ctrl != gen_ir::PredCtrl::Seq && !cx.poison;
    if !lax && undecided(t, p, step) & relevant != 0 {
        cx.report(t, Fault::Uninitialized, || format!("the predicate {} was never written", p.flag));
    }
}

/// Where JIP may lead: the next place where channels may wait lies ahead, but for the ends of loops; that
/// of `if` is behind an `else` or an `endif`, that of `else` the `endif` (PRM volume 7, flow control).
fn places(t: &mut Thread, cx: &mut Cx<'_>, step: &Step) {
    if step.jip == NOWHERE {
        return;
    }
    let ahead = match step.op {
        Op::If | Op::Else | Op::Endif | Op::Break | Op::Cont | Op::Halt | Op::Join => true,
        Op::Goto => matches!(step.extra, Extra::Branch { ctrl: false }),
        _ => false,
    };
    // A join with nothing behind it names itself.
    let least = if step.op == Op::Join { t.pc } else { t.pc + 1 };
    if ahead && step.jip < least {
        cx.report(t, Fault::Illegal, || "JIP leads backwards".into());
    }
    let op = |pc: Pc| cx.program.steps.get(as_index(pc)).map(|s| s.op);
    let ends = op(step.jip) == Some(Op::Endif);
    let fits = match step.op {
        Op::If => ends || step.jip.checked_sub(1).and_then(op) == Some(Op::Else),
        Op::Else => ends,
        Op::While => step.jip <= t.pc,
        _ => true,
    };
    if !fits {
        cx.report(t, Fault::Illegal, || "JIP leads to no place of its structure".into());
    }
}

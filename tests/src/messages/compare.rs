//! The messages of two codes of one form, held against each other.
//!
//! How a payload is divided between the two ranges of a split message is no difference, nor is what stands
//! where Intel's code leaves a register undefined. Everything else is: function, descriptors, lengths, channels,
//! each dword of the payload, and what the registers of the result hold in the end.

use std::fmt;

use emulator::probe::{Probed, Sent, probe};
use gen_ir::Sfid;
use messages::{
    Descriptor, ExtendedDescriptor, MessageLength, ResponseLength, SurfaceIndex,
    hdc::{self, MemoryFence, Scattered},
    spawner::end_of_thread,
};
use platforms::{EndFence, Platform};

use super::forms::{END, MessageForm, PREDICATE, VARIABLES, simd};

/// Something that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The message, counted from 0; `None` for the result.
    pub message: Option<usize>,
    /// What of it: `descriptor`, `payload[5]`...
    pub field: String,
    /// What ours says.
    pub ours: String,
    /// What Intel's says.
    pub intel: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { message, field, ours, intel } = self;
        match message {
            Some(i) => write!(f, "message {i}, {field}: ours {ours}, Intel's {intel}"),
            None => write!(f, "{field}: ours {ours}, Intel's {intel}"),
        }
    }
}

/// What the registers hold when a thread starts.
struct Start {
    channels: u32,
    registers: Vec<u8>,
    seed: u64,
}

/// Everything that a dword of the register file may be called.
struct Names<'a> {
    grf: u32,
    starts: [&'a Start; 2],
}

fn random(seed: u64, at: u64) -> u32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (x ^ x >> 29) as u32
}

impl Start {
    /// Random contents; the predicate is true for all channels, or random.
    fn new(form: &MessageForm, grf: u32, seed: u64, all: bool) -> Start {
        let mut registers: Vec<u8> =
            (0..u64::from(END * grf / 4)).flat_map(|i| random(seed, i).to_le_bytes()).collect();
        let scalars = (VARIABLES[0].1 * grf) as usize;
        let mut set = |element: u32, value: u32| {
            let at = scalars + 4 * element as usize;
            registers[at..at + 4].copy_from_slice(&value.to_le_bytes());
        };
        // Surface and sampler indices, surface states, and the predicate.
        set(0, 0x20 + (seed as u32 & 7));
        set(1, 3 + (seed as u32 & 7));
        set(2, (0x1234_5000 + (seed as u32 & 7)) << 6 & 0xffff_f000);
        set(3, 0x40 * (seed as u32 & 7));
        // Descriptors.
        set(6, 0x0210_6e00 + (seed as u32 & 7));
        set(7, 0x4c);
        let inverse = form.line.contains("(!P1)");
        set(PREDICATE, if all { if inverse { 0 } else { u32::MAX } } else { random(seed, 1 << 40) });
        let simd = if simd(&form.line) == 32 { u32::MAX } else { 0xffff };
        Start { channels: if all { simd } else { 0xb6d7_5a3c & simd }, registers, seed }
    }

    fn run(&self, platform: Platform, form: &MessageForm, code: &[u8]) -> Result<Probed, String> {
        let simd = simd(&form.line);
        let unused = unused(form, platform.caps().regs.grf_bytes.into());
        probe(platform, code, simd, self.channels, &self.registers, &unused, self.seed)
            .map_err(|e| e.to_string())
    }

    fn dword(&self, i: u32) -> u32 {
        let at = 4 * i as usize;
        u32::from_le_bytes(self.registers[at..at + 4].try_into().expect("four bytes"))
    }
}

/// Register bytes of variables that the form does not name: what is found there is as good as undefined.
fn unused(form: &MessageForm, grf: u32) -> Vec<std::ops::Range<u32>> {
    let named = |name: &str| {
        form.line.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| {
            w.strip_prefix(name)
                .is_some_and(|rest| matches!(rest, "" | "q" | "h" | "f" | "b") || rest.starts_with('r'))
        })
    };
    let some = VARIABLES.into_iter().filter(|(name, ..)| match *name {
        "X" => false,
        "D" => !named("D") && !["P1", "T7", "S1", "S31", "TSS", "bss"].iter().any(|w| form.line.contains(w)),
        name => !named(name),
    });
    some.map(|(_, first, count)| first * grf..(first + count) * grf).collect()
}

impl Names<'_> {
    /// What two runs' values of one dword are in terms of what was there at the start.
    fn of(&self, values: [Option<u32>; 2]) -> String {
        let [Some(a), Some(b)] = values else { return "undefined".into() };
        if a == b {
            return format!("{a:#x}");
        }
        let count = self.starts[0].registers.len() as u32 / 4;
        for i in 0..count {
            let (x, y) = (self.starts[0].dword(i), self.starts[1].dword(i));
            for (plus, text) in [(0u32, ""), (0x40, "+0x40"), (0xffff_fff0, "-0x10")] {
                if x.wrapping_add(plus) == a && y.wrapping_add(plus) == b {
                    return format!("{}{text}", self.name(i));
                }
            }
        }
        "computed".into()
    }

    fn name(&self, dword: u32) -> String {
        let row = dword * 4 / self.grf;
        for (name, first, count) in VARIABLES {
            if (first..first + count).contains(&row) {
                return format!("{name}[{}]", dword - first * self.grf / 4);
            }
        }
        format!("r0.{dword}")
    }
}

/// A scattered message to data cache 0 without its header: the global offset of a header (dword 2) is added to
/// each channel's offset, and nothing else of it counts but for stateless memory (volume 7, "Data Port Messages").
fn without_header(s: &Sent, grf: usize) -> Sent {
    let mut s = s.clone();
    let desc = Descriptor::from_bits(s.desc.0);
    let message = Scattered::from(desc).message_type();
    let scattered = message.is_some_and(|message| matches!(message.row().form, hdc::Form::Scattered(_)));
    let in_table = desc.surface().0 < SurfaceIndex::SCRATCH.0;
    if s.sfid != Sfid::Dc0 || !scattered || !desc.header_present() || !in_table || s.payload.len() < 2 * grf {
        return s;
    }
    let global = dwords(&s.payload[..grf])[2];
    s.payload.drain(..grf);
    s.desc.0 = desc.with_header_present(false).into_bits();
    for i in 0..s.lanes as usize {
        let at = 4 * i..4 * i + 4;
        let offset = dwords(&s.payload[at.clone()])[0];
        let sum = offset.zip(global).map(|(a, b)| a.wrapping_add(b));
        for (k, byte) in at.enumerate() {
            s.payload[byte] = sum.map(|n| n.to_le_bytes()[k]);
        }
    }
    s
}

/// Messages that matter: the end of the thread only where it waits for others.
fn messages(probed: &Probed, grf: u32) -> Vec<Sent> {
    let some =
        probed.sent.iter().filter(|s| !s.eot || s.conditional || s.desc.0 != end_of_thread().into_bits());
    some.map(|s| without_header(s, grf as usize)).collect()
}

/// Without the fences that we put in front of the end where the platform asks for it.
fn without_last_fences(platform: Platform, ours: &mut Vec<Sent>, count: usize) {
    let lengths =
        |d: Descriptor| d.with_lengths(MessageLength::ONE, ResponseLength::ONE).with_header_present(true);
    let last = [SurfaceIndex(0), SurfaceIndex::SHARED_LOCAL].map(|surface| {
        lengths(MemoryFence::new().with_surface(surface).with_commit(true).into()).into_bits()
    });
    let fence = |s: &Sent| s.sfid == Sfid::Dc0 && last.contains(&s.desc.0);
    let fences = platform.caps().memory.fence_before_eot != EndFence::Never;
    while fences && ours.len() > count && ours.last().is_some_and(fence) {
        ours.pop();
    }
}

fn dwords(bytes: &[Option<u8>]) -> Vec<Option<u32>> {
    let whole = |b: &[Option<u8>]| b.iter().rev().try_fold(0u32, |n, b| b.map(|b| n << 8 | u32::from(b)));
    bytes.chunks(4).map(whole).collect()
}

/// All differences between our code and Intel's.
pub fn compare(platform: Platform, form: &MessageForm, ours: &[u8], intel: &[u8]) -> Vec<Difference> {
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let starts =
        [Start::new(form, grf, 1, true), Start::new(form, grf, 2, true), Start::new(form, grf, 3, false)];
    let mut runs = Vec::new();
    for start in &starts {
        match (start.run(platform, form, ours), start.run(platform, form, intel)) {
            (Ok(a), Ok(b)) => runs.push((a, b)),
            (a, b) => {
                let text = |r: Result<Probed, String>| r.err().unwrap_or_else(|| "runs".into());
                return vec![Difference {
                    message: None,
                    field: "run".into(),
                    ours: text(a),
                    intel: text(b),
                }];
            }
        }
    }
    let names = Names { grf, starts: [&starts[0], &starts[1]] };
    let mut out = Vec::new();
    let theirs = messages(&runs[0].1, grf);
    let mut mine = messages(&runs[0].0, grf);
    without_last_fences(platform, &mut mine, theirs.len());
    if mine.len() != theirs.len() {
        let list = |all: &[Sent]| {
            all.iter().map(|s| format!("{}:{:#x}", s.sfid, s.desc.0)).collect::<Vec<_>>().join(" ")
        };
        out.push(Difference {
            message: None,
            field: "messages".into(),
            ours: list(&mine),
            intel: list(&theirs),
        });
        return out;
    }
    let second = (messages(&runs[1].0, grf), messages(&runs[1].1, grf));
    let third = (messages(&runs[2].0, grf), messages(&runs[2].1, grf));
    for i in 0..mine.len() {
        let found = words(platform, &mine[i], &theirs[i]).into_iter();
        out.extend(found.map(|(field, ours, intel)| Difference { message: Some(i), field, ours, intel }));
        if let (Some(a), Some(b)) = (third.0.get(i), third.1.get(i)) {
            out.extend(channels(i, a, b));
        }
        payloads(i, form, [&mine[i], &second.0[i]], [&theirs[i], &second.1[i]], &names, &mut out);
    }
    results(&names, &runs, &mut out);
    out
}

/// Differences between the payloads of two messages, each in two runs.
fn payloads(
    message: usize,
    form: &MessageForm,
    ours: [&Sent; 2],
    intel: [&Sent; 2],
    names: &Names<'_>,
    out: &mut Vec<Difference>,
) {
    let (lanes, no_mask, row) = (intel[0].lanes, intel[0].no_mask, names.grf / 4);
    let (ours, intel) = (ours.map(|s| dwords(&s.payload)), intel.map(|s| dwords(&s.payload)));
    let wide = ["svm", ":a64", "d64"].iter().any(|w| form.line.contains(w));
    for d in 0..ours[0].len().min(intel[0].len()) {
        let at = |side: &[Vec<Option<u32>>; 2]| [0, 1].map(|run: usize| side[run].get(d).copied().flatten());
        let (a, b) = (at(&ours), at(&intel));
        // Nobody looks at channels beyond the size of a message; 64-bit addresses of eight take a register of
        // two where the message has sixteen at least.
        let within = if wide { 2 } else { 1 } * lanes;
        let outside = d as u32 % row >= within || row == 16 && wide && lanes == 8 && d as u32 / row == 1;
        let beyond = (!no_mask || lanes == 1) && lanes < row && outside;
        if a != b && b[0].is_some() && !beyond {
            out.push(Difference {
                message: Some(message),
                field: format!("payload[{d}]"),
                ours: names.of(a),
                intel: names.of(b),
            });
        }
    }
}

/// A difference between the channels that two messages are sent for.
fn channels(message: usize, a: &Sent, b: &Sent) -> Option<Difference> {
    let show = |s: &Sent| format!("({}{}) {:#x}", if s.no_mask { "W " } else { "" }, s.lanes, s.on);
    // A block message without a mask is sent whole, whatever its size.
    let differ = a.on != b.on && !(a.no_mask && b.no_mask);
    differ.then(|| Difference {
        message: Some(message),
        field: "channels".into(),
        ours: show(a),
        intel: show(b),
    })
}

/// What differs between the words of two messages.
fn words(platform: Platform, a: &Sent, b: &Sent) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    let mut field = |name: &str, a: String, b: String| {
        if a != b {
            out.push((name.to_owned(), a, b));
        }
    };
    // Before Gen12 a register with the extended descriptor names the function.
    let registers = !platform.caps().scoreboard.software;
    let function = |s: &Sent| match s.ex_desc {
        (bits, true) if registers => format!("function {}", bits & 15),
        _ => s.sfid.to_string(),
    };
    field("function", function(a), function(b));
    field("conditional", a.conditional.to_string(), b.conditional.to_string());
    let without_length = |s: &Sent| Descriptor::from_bits(s.desc.0).with_message_length(MessageLength::NONE);
    let desc = |s: &Sent| format!("{:#010x}", without_length(s).into_bits());
    field("descriptor", desc(a), desc(b));
    let lsc = platform.caps().memory.lsc;
    let ex_desc = |s: &Sent| {
        let whole = ExtendedDescriptor::from_bits(s.ex_desc.0);
        let shown = if lsc { whole } else { whole.surface_offset() };
        format!("{:#x}{}", shown.into_bits(), if s.ex_bso { " ExBSO" } else { "" })
    };
    field("extended descriptor", ex_desc(a), ex_desc(b));
    field("payload registers", a.payload.len().to_string(), b.payload.len().to_string());
    field("response", a.response.to_string(), b.response.to_string());
    if !(a.no_mask && b.no_mask) {
        field("size", a.lanes.to_string(), b.lanes.to_string());
    }
    out
}

/// What differs in the registers of `X` when the thread ends.
fn results(names: &Names<'_>, runs: &[(Probed, Probed)], out: &mut Vec<Difference>) {
    let (_, first, count) = VARIABLES[4];
    let range = (first * names.grf) as usize..((first + count) * names.grf) as usize;
    let file = |p: &Probed| dwords(p.registers.get(range.clone()).unwrap_or_default());
    let ours = [file(&runs[0].0), file(&runs[1].0)];
    let intel = [file(&runs[0].1), file(&runs[1].1)];
    for d in 0..ours[0].len().min(intel[0].len()) {
        let (a, b) = ([ours[0][d], ours[1][d]], [intel[0][d], intel[1][d]]);
        if a != b && b[0].is_some() {
            out.push(Difference {
                message: None,
                field: format!("X[{d}]"),
                ours: names.of(a),
                intel: names.of(b),
            });
        }
    }
}

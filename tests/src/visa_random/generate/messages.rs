//! Messages of all kinds: payloads put together from what programs compute, results read in parts.

use super::*;
use crate::visa_random::buffer_address;

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Surface,
    Slm,
    Stateless,
}

/// Atomic operations: their words in messages of old and of the load/store cache, and their sources.
#[rustfmt::skip]
const ATOMICS: [(&str, &str, u32); 13] = [
    ("add", "iadd", 1), ("sub", "isub", 1), ("inc", "iinc", 0), ("dec", "idec", 0), ("and", "and", 1), ("or", "or", 1),
    ("xor", "xor", 1), ("min", "umin", 1), ("max", "umax", 1), ("minsint", "smin", 1), ("maxsint", "smax", 1),
    ("xchg", "store", 1), ("cmpxchg", "icas", 2),
];

/// A message's lanes, addresses, and the lines in front of it.
struct Message {
    e: Exec,
    /// Its lanes without mask, from the first on.
    all: Exec,
    place: Where,
    guard: String,
    /// Addresses, or offsets.
    at: String,
    lines: Vec<String>,
}

impl Generator {
    pub(super) fn messages(&mut self) -> Vec<Node> {
        let mut room = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            let lines = match self.r.below(10) {
                0..=5 => self.lanes_message(),
                6..=7 => self.atomic(),
                _ => self.block(),
            };
            let good = !lines.iter().any(|l| l.contains("  "));
            room.extend(good.then_some(Node::Lines(lines)));
            if self.r.one_in(8) {
                room.push(Node::Lines(vec!["barrier".into()]));
            }
        }
        room
    }

    /// Lanes and addresses: each lane of a store has a place of its own, of so many bytes.
    fn message(&mut self, sizes: &[u32], store: bool, bytes: u32) -> Message {
        let lsc = self.caps.memory.lsc;
        let mut place = self.r.pick(&[Where::Surface, Where::Surface, Where::Slm, Where::Stateless]);
        let no_mask = self.r.one_in(5);
        let most = if no_mask { 16 } else { self.simd };
        let fitting: Vec<u32> = sizes.iter().copied().filter(|n| *n <= most).collect();
        let lanes = self.r.pick(&fitting);
        if place == Where::Stateless && lanes * 8 > 2 * self.grf {
            place = Where::Surface;
        }
        let offset = if self.simd >= 2 * lanes && lanes >= 8 && self.r.one_in(3) { lanes } else { 0 };
        let e = Exec { lanes, offset, no_mask: no_mask || lanes < 8 };
        let all = Exec { lanes, offset: 0, no_mask: true };
        let exec = all.text();
        let mut at = self.new_part(Type::UD, lanes);
        let (_, a) = self.src_var(all, Mods::None, &|t| DWORDS.contains(&t));
        let mut lines = Vec::new();
        let limit = if place == Where::Slm { 512 } else { BUFFER };
        let step = (32 * bytes).next_power_of_two();
        let mask = if store { limit.max(step) / step - 1 } else { (limit - 64) & !(bytes.min(4) - 1) };
        lines.push(format!("and {exec} {at}(0,0)<1> {a} {mask:#x}:ud"));
        if store {
            lines.push(format!("shl {exec} {at}(0,0)<1> {at}(0,0)<1;1,0> {:#x}:ud", step.ilog2()));
            let lane = self.new_part(Type::UD, lanes);
            lines.push(format!("mul {exec} {lane}(0,0)<1> lane(0,0)<1;1,0> {:#x}:uw", step / 32));
            lines.push(format!("add {exec} {at}(0,0)<1> {at}(0,0)<1;1,0> {lane}(0,0)<1;1,0>"));
        }
        if place == Where::Stateless {
            let (more, address) = self.full_address(&at, all);
            lines.extend(more);
            at = address;
        }
        let guard = if self.r.one_in(3) { format!("({}) ", self.pred()) } else { String::new() };
        let guard = if lsc && lanes == 1 { String::new() } else { guard };
        Message { e, all, place, guard, at, lines }
    }

    /// Addresses of offsets in the buffer, added as quadwords or put together from dwords.
    fn full_address(&mut self, at: &str, all: Exec) -> (Vec<String>, String) {
        let exec = all.text();
        let quads = self.new_part(Type::UQ, all.lanes);
        let dwords = self.new_view(&quads, Type::UD, 2 * all.lanes);
        let base = buffer_address();
        let lines = if self.r.one_in(2) {
            vec![
                format!("mov {exec} {quads}(0,0)<1> {at}(0,0)<1;1,0>"),
                format!("add {exec} {quads}(0,0)<1> {quads}(0,0)<1;1,0> {base:#x}:uq"),
            ]
        } else {
            vec![
                format!("add {exec} {dwords}(0,0)<2> {at}(0,0)<1;1,0> {:#x}:ud", base as u32),
                format!("mov {exec} {dwords}(0,1)<2> {:#x}:ud", base >> 32),
            ]
        };
        (lines, quads)
    }

    /// A payload of channels, each dwords of so many lanes, filled in one or two pieces.
    fn payload(&mut self, m: &mut Message, channels: u32, fill: bool) -> String {
        let row = self.channel_dwords(m.e.lanes);
        let data = self.new_part(Type::UD, row * channels);
        if !fill {
            return data;
        }
        let int = |t: Type| INTS.contains(&t);
        for channel in 0..channels {
            let halves = if m.e.lanes >= 16 && self.r.one_in(4) { 2 } else { 1 };
            let all = Exec { lanes: m.all.lanes / halves, ..m.all };
            for half in 0..halves {
                let d = self.dword_at(&data, channel * row + half * all.lanes);
                let (_, a) = self.src(all, Mods::Any, &int);
                let line = match self.r.below(3) {
                    0 => format!("add {} {d}<1> {} {a}", all.text(), self.src_var(all, Mods::Any, &int).1),
                    _ => format!("mov {} {d}<1> {a}", all.text()),
                };
                m.lines.push(line);
            }
        }
        data
    }

    /// Dwords that a channel takes in a payload.
    fn channel_dwords(&self, lanes: u32) -> u32 {
        lanes.next_multiple_of(self.grf / 4)
    }

    /// What a message has loaded is read: so many bits of each dword.
    fn read_result(&mut self, m: &mut Message, data: &str, channels: u32, bits: u32) {
        let row = self.channel_dwords(m.e.lanes);
        for channel in 0..channels {
            let s = self.dword_at(data, channel * row);
            let d = self.result(m.all);
            let exec = m.all.text();
            if bits < 32 {
                let mask = u32::MAX >> (32 - bits);
                m.lines.push(format!("and {exec} {d} {s}<1;1,0> {mask:#x}:ud"));
            } else {
                let op = self.r.pick(&["add", "xor", "mul"]);
                let (_, a) = self.src(m.all, Mods::None, &|t| DWORDS.contains(&t));
                m.lines.push(format!("{op} {exec} {d} {s}<1;1,0> {a}"));
            }
        }
    }

    /// A gather or scatter.
    fn lanes_message(&mut self) -> Vec<String> {
        let store = self.r.one_in(2);
        let lsc = self.caps.memory.lsc && self.r.one_in(2);
        // Channels of dwords, or bytes of one.
        let channels = self.r.pick(&[1, 1, 1, 2, 3, 4]);
        let bits = if channels == 1 { self.r.pick(&[8, 16, 32, 32]) } else { 32 };
        let sizes: &[u32] = match (lsc, channels) {
            (true, _) => &[16, 32],
            (_, 1) if bits < 32 => &[1, 8, 16],
            _ => &[8, 16],
        };
        let sizes: Vec<u32> = sizes.iter().copied().filter(|n| *n <= self.simd.max(16)).collect();
        let bytes = if channels == 3 { 16 } else { channels * bits / 8 };
        let mut m = self.message(&sizes, store, bytes);
        if m.e.lanes * 4 > 2 * self.grf {
            return Vec::new();
        }
        let data = self.payload(&mut m, channels, true);
        let line = if lsc {
            Self::lsc_text(&m, store, &data, channels, bits)
        } else {
            self.lanes_text(&m, store, &data, channels, bits)
        };
        m.lines.push(line);
        if !store {
            self.read_result(&mut m, &data, channels, bits);
        } else if self.r.one_in(2) {
            self.read_result(&mut m, &data, channels, 32);
        }
        m.lines
    }

    fn lsc_text(m: &Message, store: bool, data: &str, channels: u32, bits: u32) -> String {
        let (x, guard, at) = (m.e.text(), &m.guard, &m.at);
        let vector = if channels > 1 { format!("x{channels}") } else { String::new() };
        let size = if bits < 32 { format!("d{bits}c32") } else { format!("d32{vector}") };
        let (cache, at) = match m.place {
            Where::Surface => ("ugm", format!("bti(0x0)[{at}]:a32")),
            Where::Slm => ("slm", format!("flat[{at}]:a32")),
            Where::Stateless => ("ugm", format!("flat[{at}]:a64")),
        };
        if store {
            format!("{guard}lsc_store.{cache} {x} {at} {data}:{size}")
        } else {
            format!("{guard}lsc_load.{cache} {x} {data}:{size} {at}")
        }
    }

    fn lanes_text(&mut self, m: &Message, store: bool, data: &str, channels: u32, bits: u32) -> String {
        let (x, guard, at) = (m.e.text(), &m.guard, &m.at);
        let verb = if store { "scatter" } else { "gather" };
        let mask = &"RGBA"[..channels as usize];
        let surface = if m.place == Where::Slm { "%slm" } else { "T6" };
        match m.place {
            Where::Stateless if bits < 32 => {
                format!("{guard}svm_{verb}.1.{} {x} {at}.0 {data}.0", bits / 8)
            }
            Where::Stateless if channels == 3 => {
                format!("{guard}svm_{verb}4scaled.{mask} {x} 0x0:ud {at}.0 {data}.0")
            }
            Where::Stateless => format!("{guard}svm_{verb}.4.{channels} {x} {at}.0 {data}.0"),
            _ if bits < 32 || channels == 1 && self.r.one_in(2) => {
                format!("{guard}{verb}_scaled.{} {x} {surface} 0x0:ud {at}.0 {data}.0", bits / 8)
            }
            _ => format!("{guard}{verb}4_scaled.{mask} {x} {surface} 0x0:ud {at}.0 {data}.0"),
        }
    }

    /// An atomic operation, whose result is read, or not.
    fn atomic(&mut self) -> Vec<String> {
        let lsc = self.caps.memory.lsc && self.r.one_in(2);
        let sizes: &[u32] = if lsc { &[16] } else { &[1, 8, 16] };
        let sizes: Vec<u32> = sizes.iter().copied().filter(|n| *n <= self.simd.max(16)).collect();
        let mut m = self.message(&sizes, true, 4);
        let (old, new, sources) = self.r.pick(&ATOMICS);
        let srcs = [0, 1].map(|i| if i < sources { self.payload(&mut m, 1, true) } else { "%null".into() });
        let read = self.r.one_in(2);
        let dst = match (read, self.r.below(3)) {
            (false, _) => "%null".to_owned(),
            // The result where an operand was.
            (true, 0) if sources > 0 => srcs[0].clone(),
            _ => self.payload(&mut m, 1, true),
        };
        let (x, guard, at) = (m.e.text(), &m.guard, &m.at);
        let [s0, s1] = &srcs;
        let surface = if m.place == Where::Slm { "%slm" } else { "T6" };
        let line = match m.place {
            Where::Surface if lsc => {
                format!("{guard}lsc_atomic_{new}.ugm {x} {dst}:d32 bti(0x0)[{at}]:a32 {s0} {s1}")
            }
            Where::Slm if lsc => {
                format!("{guard}lsc_atomic_{new}.slm {x} {dst}:d32 flat[{at}]:a32 {s0} {s1}")
            }
            Where::Stateless if lsc => {
                format!("{guard}lsc_atomic_{new}.ugm {x} {dst}:d32 flat[{at}]:a64 {s0} {s1}")
            }
            Where::Stateless => format!("{guard}svm_atomic.{old} {x} {at}.0 {dst}.0 {s0}.0 {s1}.0"),
            _ => format!("{guard}dword_atomic.{old} {x} {surface} {at}.0 {s0}.0 {s1}.0 {dst}.0"),
        };
        m.lines.push(line);
        if read {
            self.read_result(&mut m, &dst, 1, 32);
        }
        m.lines
    }

    /// A block at an address that is computed.
    fn block(&mut self) -> Vec<String> {
        let owords = self.r.pick(&[1, 2, 4, 8]);
        let at = self.new_part(Type::UD, 1);
        let (_, a) = self.src_var(SCALAR, Mods::None, &|t| DWORDS.contains(&t));
        let a = a.split_once('<').map_or(a.clone(), |(v, _)| format!("{v}<0;1,0>"));
        let mut lines = Vec::new();
        let dwords = (4 * owords).max(self.grf / 4);
        let data = self.new_part(Type::UD, dwords);
        let piece = dwords.min(16).min(2 * self.grf / 4);
        let all = Exec { lanes: piece, offset: 0, no_mask: true };
        for from in (0..dwords).step_by(piece as usize) {
            let d = self.dword_at(&data, from);
            let (_, s) = self.src(all, Mods::Any, &|t| INTS.contains(&t));
            lines.push(format!("mov {} {d}<1> {s}", all.text()));
        }
        let of = format!("{at}(0,0)<0;1,0>");
        match self.r.below(3) {
            0 => {
                let most = (BUFFER - 256) / 16 - 1;
                lines.push(format!(
                    "and (M1_NM, 1) {at}(0,0)<1> {a} {:#x}:ud",
                    most.next_power_of_two() / 2 - 1
                ));
                let verb = self.r.pick(&["oword_ld", "oword_st"]);
                lines.push(format!("{verb} ({owords}) T6 {of} {data}.0"));
            }
            1 => {
                lines.push(format!("and (M1_NM, 1) {at}(0,0)<1> {a} 0x1ffc:ud"));
                lines.push(format!("oword_ld_unaligned ({owords}) T6 {of} {data}.0"));
            }
            _ => {
                lines.push(format!("and (M1_NM, 1) {at}(0,0)<1> {a} 0x1ff0:ud"));
                let (more, address) = self.full_address(&at, SCALAR);
                lines.extend(more);
                let verb = self.r.pick(&["svm_block_ld", "svm_block_st"]);
                lines.push(format!("{verb} ({owords}) {address}(0,0)<0;1,0> {data}.0"));
            }
        }
        // What is behind a block of less than a register is undefined.
        let piece = piece.min(4 * owords);
        let all = Exec { lanes: piece, ..all };
        for from in (0..4 * owords).step_by(piece as usize) {
            let s = self.dword_at(&data, from);
            let d = self.result(all);
            lines.push(format!("mov {} {d} {s}<1;1,0>", all.text()));
        }
        lines
    }
}

//! What machine code of Tiger Lake and Ponte Vecchio fails to wait for, by the rules that Intel's assembler sets
//! annotations by (`RegDeps.cpp` and `SWSBSetter.cpp` of IGA), along all edges of control flow. What Intel's compiler leaves
//! to the hardware is left to it here (`GRFOnly` of `SWSB_G4IR.cpp`): address registers, who reads accumulators and flags,
//! flags that messages read. Of a message whose descriptor is in a register, the lengths are not known: its first
//! registers count.
//!
//! IGA looks at one block at a time and waits for everything between blocks; here each instruction is followed down every
//! path until something waits for it, or until its pipe is surely done with it. Beside our own pass and its check
//! (`finalizer::swsb`) this shares the decoder and nothing else: pipes, operands, hazards and the walk are stated anew.

mod facts;

use encoder::decode_all;
use gen_ir::{Class, Inst, Op, Payload, Physical, Pipe, RegisterSet, SbidMode, Src, SyncFn, Target};
use platforms::Platform;
use std::collections::HashMap;

use facts::{Facts, Unit};
pub use facts::{Hazard, in_order_pipe};

/// An instruction that starts before one that it depends on is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unmet {
    /// Byte offset of the one that it depends on.
    pub before: u32,
    /// Its own byte offset.
    pub at: u32,
    /// How they meet.
    pub hazard: Hazard,
}

/// In-order instructions after which a result of a pipe is there (`m_Latency…` of `SWSBSetter.hpp`): by [`Unit::Pipe`].
const LATENCY: [u8; 4] = [10, 10, 12, 18];

/// Machine code with its edges.
struct Edges {
    platform: Platform,
    insts: Vec<(u32, Inst<Physical>)>,
    facts: Vec<Facts>,
    next: Vec<Vec<usize>>,
}

impl Edges {
    fn new(platform: Platform, code: &[u8], addressed: RegisterSet) -> Edges {
        let insts: Vec<_> =
            decode_all(platform, code).map(|d| (d.offset, d.inst.expect("an instruction"))).collect();
        let facts = insts.iter().map(|(_, i)| Facts::of(platform, i, addressed)).collect();
        let next = edges(&insts);
        Edges { platform, insts, facts, next }
    }

    /// Whether an in-order instruction, this many of its pipe ago, is done when instruction `n` starts.
    fn waits_for_pipe(&self, n: usize, pipe: u8, age: u8) -> bool {
        let Some((named, distance)) = self.insts[n].1.swsb.dist else { return false };
        let meant = match named {
            Pipe::All => true,
            Pipe::Float => pipe == facts::FLOAT,
            Pipe::Int => pipe == facts::INT,
            Pipe::Long => pipe == facts::LONG,
            Pipe::Math => pipe == facts::MATH,
            Pipe::Own => {
                !self.platform.caps().scoreboard.pipes.have_names() || self.facts[n].unit == Unit::Pipe(pipe)
            }
            Pipe::Scalar => false,
        };
        meant && distance <= age
    }

    /// Whether instruction `n` waits for an SBID's sources, and for its results.
    fn waits_for_token(&self, n: usize, token: u8) -> (bool, bool) {
        let inst = &self.insts[n].1;
        let mask = match inst.src[0] {
            Src::Imm { bits, .. } => bits,
            _ => u64::MAX,
        };
        let masked = mask >> token & 1 == 1;
        match (inst.payload, inst.swsb.sbid) {
            (Payload::Sync(SyncFn::AllWr), _) if masked => return (true, true),
            (Payload::Sync(SyncFn::AllRd), _) if masked => return (true, false),
            _ => {}
        }
        match inst.swsb.sbid {
            // Who takes an SBID that is in use waits for it.
            Some((SbidMode::Set | SbidMode::Dst, id)) if id == token => (true, true),
            Some((SbidMode::Src, id)) if id == token => (true, false),
            _ => (false, false),
        }
    }

    /// Follows an in-order instruction until it is done on every path.
    fn follow_pipe(&self, from: usize, pipe: u8, found: &mut Vec<Unmet>) {
        let mut least: HashMap<usize, u8> = HashMap::new();
        let mut open: Vec<(usize, u8)> = self.next[from].iter().map(|n| (*n, 1)).collect();
        while let Some((n, age)) = open.pop() {
            if least.get(&n).is_some_and(|a| *a <= age) {
                continue;
            }
            least.insert(n, age);
            if self.waits_for_pipe(n, pipe, age) {
                continue;
            }
            if let Some(hazard) = self.facts[from].meets(&self.facts[n], true) {
                found.push(self.unmet(from, n, hazard));
            }
            let age = age + u8::from(self.facts[n].unit == Unit::Pipe(pipe) && !self.facts[n].branch);
            if age <= LATENCY[usize::from(pipe)] {
                open.extend(self.next[n].iter().map(|to| (*to, age)));
            }
        }
    }

    /// Follows an out-of-order instruction until it is done on every path.
    fn follow_token(&self, from: usize, token: u8, found: &mut Vec<Unmet>) {
        // By instruction: whether it was seen with sources that are not read yet, and without.
        let mut seen: HashMap<usize, [bool; 2]> = HashMap::new();
        let mut open: Vec<(usize, bool)> = self.next[from].iter().map(|n| (*n, true)).collect();
        while let Some((n, sources)) = open.pop() {
            let entry = seen.entry(n).or_default();
            if entry[1] || entry[usize::from(sources)] {
                continue;
            }
            entry[usize::from(sources)] = true;
            let (read, written) = self.waits_for_token(n, token);
            if written {
                continue;
            }
            let sources = sources && !read;
            if let Some(hazard) = self.facts[from].meets(&self.facts[n], sources) {
                found.push(self.unmet(from, n, hazard));
            }
            open.extend(self.next[n].iter().map(|to| (*to, sources)));
        }
    }

    fn unmet(&self, before: usize, at: usize, hazard: Hazard) -> Unmet {
        Unmet { before: self.insts[before].0, at: self.insts[at].0, hazard }
    }
}

/// All dependencies that nothing waits for. `registers`: how many the thread has.
pub fn unmet(platform: Platform, code: &[u8], addressed: RegisterSet) -> Vec<Unmet> {
    let code = Edges::new(platform, code, addressed);
    let mut found = Vec::new();
    for (n, facts) in code.facts.iter().enumerate() {
        match (facts.unit, code.insts[n].1.swsb.sbid) {
            (Unit::Pipe(pipe), _) => code.follow_pipe(n, pipe, &mut found),
            (Unit::Other, _) => {}
            (_, Some((SbidMode::Set, token))) => code.follow_token(n, token, &mut found),
            // An end of thread has none, and nothing follows it.
            _ => {}
        }
    }
    found
}

/// Where execution goes from each instruction: on, to its targets, from a return behind the calls of its subroutine.
fn edges(insts: &[(u32, Inst<Physical>)]) -> Vec<Vec<usize>> {
    let place = |offset: u32| insts.binary_search_by_key(&offset, |i| i.0).ok();
    let targets = |n: usize| -> Vec<usize> {
        let (at, inst) = &insts[n];
        let (jip, uip) = inst.targets().unwrap_or((Target::None, Target::None));
        let to = |t| if let Target::Rel(d) = t { place(at.wrapping_add_signed(d)) } else { None };
        // These go to their second target by way of the first alone.
        let one = matches!(inst.op, Op::If | Op::Else | Op::Endif | Op::While | Op::Join);
        [to(jip), to(uip).filter(|_| !one)].into_iter().flatten().collect()
    };
    let on = |n: usize| -> Option<usize> {
        let (_, inst) = &insts[n];
        // No lane is left behind these, and the thread goes where the next ones wait.
        let leaves = matches!(inst.op, Op::Ret | Op::Jmpi | Op::Goto | Op::Break | Op::Cont);
        let ends = inst.is_eot() || leaves && inst.pred.is_none();
        (!ends && n + 1 < insts.len()).then_some(n + 1)
    };
    let calls: Vec<usize> = (0..insts.len()).filter(|n| insts[*n].1.op == Op::Call).collect();
    let mut next: Vec<Vec<usize>> = (0..insts.len())
        .map(|n| if insts[n].1.op.info().class == Class::Branch { targets(n) } else { Vec::new() })
        .zip(0..)
        .map(|(mut to, n)| {
            // A call that every lane makes comes back by the return; others go on past it.
            if insts[n].1.op != Op::Call || insts[n].1.pred.is_some() {
                to.extend(on(n));
            }
            to
        })
        .collect();
    for &call in &calls {
        // The subroutine's own instructions: calls inside it are passed.
        let mut inside = vec![false; insts.len()];
        let mut open = next[call].first().copied().into_iter().collect::<Vec<_>>();
        while let Some(n) = open.pop() {
            if std::mem::replace(&mut inside[n], true) {
                continue;
            }
            match insts[n].1.op {
                Op::Call => open.extend((n + 1 < insts.len()).then_some(n + 1)),
                Op::Ret => {
                    open.extend(on(n));
                    if call + 1 < insts.len() && !next[n].contains(&(call + 1)) {
                        next[n].push(call + 1);
                    }
                }
                _ => open.extend(&next[n]),
            }
        }
    }
    next
}

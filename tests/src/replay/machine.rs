//! A lockstep machine for tests: runs virtual and physical code alike, with lanes, masks and waiting
//! places, and writes down what messages would see.
//!
//! Arithmetic is a hash of the operands, so that every wrong byte shows. Bytes that were never written
//! are poison; what depends on them is not compared.

mod forgotten;
mod message;
mod storage;

use crate::replay::files::{FILES, Files};
use gen_ir::{
    Block, Dst, ExecSize, InPlace, Inst, Kernel, Op, Payload, PredCtrl, Reg, Region, Src, Target, VarId,
};
use std::collections::BTreeMap;
use storage::{MarkedBytes, Value};

/// What an instruction has computed for a channel, or a message has sent of one: instruction, channel and element, value, and
/// whether that depends on poison.
pub type Event = (u32, u32, u64, bool);

/// Registers, memory and lanes of one thread.
pub struct Machine<'k, S: Files> {
    kernel: &'k Kernel<S>,
    store: Vec<MarkedBytes>,
    scratch: MarkedBytes,
    active: u32,
    waiting: [Option<u32>; 32],
    /// Return block, lanes to resume, and the token written to the return address.
    calls: Vec<(usize, u32, u64)>,
    /// What was computed and sent so far.
    pub log: Vec<Event>,
    grf: usize,
    /// The storages of variables that addresses lead to.
    address_taken: Vec<usize>,
    /// How often each message was sent.
    runs: BTreeMap<u32, u64>,
    /// What blocks remember nothing of from an earlier run, by block: storage and byte.
    forgotten: Vec<Vec<(usize, usize)>>,
}

fn mix(mut h: u64, x: u64) -> u64 {
    h ^= x.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(h << 6).wrapping_add(h >> 2);
    h = (h ^ (h >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 29)
}

impl<'k, S: Files> Machine<'k, S> {
    /// A machine in front of the first block. `inputs`: variables, their first bytes in the register file, and what is there.
    pub fn new(kernel: &'k Kernel<S>, inputs: &[(VarId, u32, Vec<u8>)]) -> Self {
        let grf = usize::from(kernel.platform.caps().regs.grf_bytes);
        let mut store = vec![MarkedBytes::blank(grf * 256), MarkedBytes::blank(64), MarkedBytes::blank(64)];
        for v in &kernel.vars {
            store.push(MarkedBytes::blank(v.bytes as usize + 4096));
        }
        // r0 always holds something.
        store[0].poison[..grf].fill(0);
        let physical = kernel.vars.is_empty();
        for (var, fixed, bytes) in inputs {
            let (s, at) = if physical { (0, *fixed as usize) } else { (FILES + var.index(), 0) };
            store[s].fill(at, bytes);
        }
        let active = u32::MAX >> (32 - u32::from(kernel.simd));
        Machine {
            kernel,
            store,
            scratch: MarkedBytes::blank(1 << 17),
            active,
            waiting: [None; 32],
            calls: Vec::new(),
            log: Vec::new(),
            grf,
            address_taken: (FILES..)
                .zip(&kernel.vars)
                .filter(|(_, v)| v.address_taken)
                .map(|(s, _)| s)
                .collect(),
            runs: BTreeMap::new(),
            forgotten: forgotten::forgotten(kernel),
        }
    }

    fn at(&self, reg: Reg<S>) -> Option<(usize, usize)> {
        let (s, first) = S::locate(reg.base())?;
        let unit = if s == 0 { self.grf } else { 1 };
        Some((s, first * unit + reg.byte as usize))
    }

    fn load(&self, (s, at): (usize, usize), bytes: usize) -> Value {
        self.store[s].load(at, bytes)
    }

    fn save(&mut self, (s, at): (usize, usize), bytes: usize, value: Value) {
        self.store[s].save(at, bytes, value);
    }

    /// Runs at most `steps` blocks.
    pub fn run(&mut self, steps: usize) -> Result<(), String> {
        let kernel = self.kernel;
        let mut b = 0;
        for _ in 0..steps {
            let block: &Block<S> =
                kernel.blocks.get(b).ok_or_else(|| format!("ran past the end, block {b}"))?;
            let mut next = b + 1;
            for &(s, mark) in &self.forgotten[b] {
                self.store[s].poison[mark] = u8::MAX;
            }
            for inst in &block.insts {
                if inst.op.opens_block() {
                    self.wake(b);
                    if self.active == 0 {
                        next = block_of(inst.targets().map(|t| t.0))?;
                        break;
                    }
                    continue;
                }
                if inst.is_eot() {
                    if self.waiting.iter().any(Option::is_some) {
                        return Err(format!("ended in block {b} while lanes wait"));
                    }
                    return Ok(());
                }
                if inst.op.is_branch() {
                    next = self.branch(inst, b)?;
                    continue;
                }
                if self.active == 0 {
                    return Err(format!("block {b} runs with no lane"));
                }
                self.step(inst)?;
            }
            // Walking on must not leave anybody behind.
            if next > b {
                for (lane, w) in self.waiting.iter().enumerate() {
                    if w.is_some_and(|w| (b as u32) < w && (w as usize) < next) && self.calls.is_empty() {
                        return Err(format!("from block {b} to {next}: lane {lane} waits between"));
                    }
                }
            }
            b = next;
        }
        Ok(())
    }

    fn branch(&mut self, inst: &Inst<S>, b: usize) -> Result<usize, String> {
        let Payload::Branch { jip, uip, ctrl } = inst.payload else { return Err("no targets".into()) };
        match inst.op {
            Op::Jmpi => {
                let taken = self.decided(inst, 0)?;
                if taken { block_of(Some(jip)) } else { Ok(b + 1) }
            }
            Op::Goto => self.goto(inst, b, (jip, uip, ctrl)),
            Op::If => {
                let mut stay = 0u32;
                for lane in 0..inst.exec.lanes() {
                    if self.active >> lane & 1 != 0 && self.decided(inst, lane)? {
                        stay |= 1 << lane;
                    }
                }
                let to = block_of(Some(jip))?;
                self.wait(self.active & !stay, to as u32);
                self.active = stay;
                if stay != 0 {
                    return Ok(b + 1);
                }
                self.wake(to);
                Ok(to)
            }
            Op::Else => {
                self.wait(self.active, block_of(Some(uip))? as u32);
                self.active = 0;
                self.wake(b + 1);
                if self.active != 0 { Ok(b + 1) } else { block_of(Some(jip)) }
            }
            Op::Call => {
                let token = mix(b as u64, 77);
                self.calls.push((b + 1, self.active, token));
                if let Dst::Direct { reg, .. } = inst.dst
                    && let Some(at) = self.at(reg)
                {
                    self.save(at, 8, Value::known(token));
                }
                block_of(Some(jip))
            }
            Op::Ret => {
                let (to, active, token) = self.calls.pop().ok_or("return without a call")?;
                let at = inst.src[0].reg().and_then(|r| self.at(r)).ok_or("no return address")?;
                if self.load(at, 8).bits != token {
                    return Err("the return address was lost".into());
                }
                self.active = active;
                Ok(to)
            }
            op => Err(format!("{op} is not modelled")),
        }
    }

    /// Lanes that go on at a goto, here or elsewhere, and those that wait. Returns the next block.
    fn goto(
        &mut self,
        inst: &Inst<S>,
        b: usize,
        (jip, uip, ctrl): (Target, Target, bool),
    ) -> Result<usize, String> {
        let mut yes = 0u32;
        for lane in 0..inst.exec.lanes() {
            let channel = lane + u32::from(inst.chan);
            if self.active >> channel & 1 != 0 && self.decided(inst, lane)? {
                yes |= 1 << channel;
            }
        }
        if ctrl {
            let stay = self.active & !yes;
            self.wait(stay, b as u32 + 1);
            self.active = yes;
            return if yes != 0 { block_of(Some(uip)) } else { block_of(Some(jip)) };
        }
        let on_true = self.kernel.platform.caps().flow.goto_jumps_on_true;
        let go = if on_true { yes } else { self.active & !yes };
        self.wait(go, block_of(Some(uip))? as u32);
        self.active &= !go;
        if self.active == 0 { block_of(Some(jip)) } else { Ok(b + 1) }
    }

    /// The lanes that wait at a block go on.
    fn wake(&mut self, b: usize) {
        for lane in 0..32 {
            if self.waiting[lane] == Some(b as u32) {
                self.waiting[lane] = None;
                self.active |= 1 << lane;
            }
        }
    }

    fn wait(&mut self, lanes: u32, at: u32) {
        for lane in 0..32 {
            if lanes >> lane & 1 != 0 {
                self.waiting[lane] = Some(at);
            }
        }
    }

    /// Predicate of a lane at a branch, which has to be known.
    fn decided(&self, inst: &Inst<S>, lane: u32) -> Result<bool, String> {
        match self.lane_pred(inst, lane) {
            (_, true) => Err("a branch by what nobody wrote".into()),
            (on, false) => Ok(on),
        }
    }

    /// Predicate of a lane, and whether it is poison.
    fn lane_pred(&self, inst: &Inst<S>, lane: u32) -> (bool, bool) {
        let Some(p) = inst.pred else { return (true, false) };
        let (s, at) = self.at(p.flag).expect("a flag has a place");
        let bit = (lane + u32::from(inst.chan)) as usize;
        // Any of a group, or the lane's own.
        let group = p.ctrl.channels().expect("a width of its own") as usize;
        assert_eq!(
            p.ctrl,
            if group == 1 {
                PredCtrl::Seq
            } else {
                PredCtrl::any_of(ExecSize::from_lanes(group as u32).unwrap(), true)
            }
        );
        let bits = bit / group * group..(bit / group + 1) * group;
        let bits: Vec<(bool, bool)> = bits.map(|bit| self.store[s].bit(at, bit)).collect();
        (bits.iter().any(|b| b.0) != p.inv, bits.iter().any(|b| b.1))
    }

    fn step(&mut self, inst: &Inst<S>) -> Result<(), String> {
        if inst.op.is_send() {
            return self.message(inst);
        }
        // Operands over two registers run in two halves, the first writing before the second reads.
        let grf = self.grf as u32;
        let long = inst.dst_extent(grf).is_some_and(|e| e.len() > grf)
            || (0..3).any(|i| inst.src_extent(i, grf).is_some_and(|e| e.len() > grf));
        let lanes = inst.exec.lanes();
        if long && lanes > 1 {
            self.lanes(inst, 0, lanes / 2);
            self.lanes(inst, lanes / 2, lanes);
        } else {
            self.lanes(inst, 0, lanes);
        }
        Ok(())
    }

    fn lanes(&mut self, inst: &Inst<S>, from: u32, to: u32) {
        let mut results = Vec::new();
        for lane in from..to {
            let channel = lane + u32::from(inst.chan);
            if !inst.no_mask && self.active >> channel & 1 == 0 {
                continue;
            }
            let (on, unsure) = self.lane_pred(inst, lane);
            let srcs: Vec<Value> = inst.src.iter().filter_map(|s| self.source(s, lane)).collect();
            let poison = srcs.iter().any(|s| s.is_poison());
            let value = match inst.op {
                Op::Mov => srcs[0],
                Op::And => srcs[0].and(srcs[1]),
                Op::Sel => Value::known_unless(srcs[usize::from(!on)].bits, poison),
                op => Value::known_unless(srcs.iter().fold(op as u64, |h, s| mix(h, s.bits)), poison),
            };
            let value = if unsure { Value { poison: u64::MAX, ..value } } else { value };
            results.push((lane, on || inst.op == Op::Sel, unsure, value));
        }
        for (lane, on, unsure, value) in results {
            if inst.op != Op::Mov {
                self.log.push((inst.origin, lane, value.bits, value.is_poison()));
            }
            if !on && !unsure {
                continue;
            }
            if let Some((at, bytes)) = self.destination(&inst.dst, lane) {
                if on {
                    self.save(at, bytes, value);
                } else {
                    self.save(at, bytes, Value::POISON);
                }
            }
            if let Some(c) = &inst.cond
                && let Some((s, at)) = self.at(c.flag)
            {
                let bit = (lane + u32::from(inst.chan)) as usize;
                self.store[s].set_bit(at, bit, (value.bits >> 7 & 1 != 0, value.is_poison()));
            }
        }
    }

    /// Where the result of a channel goes, and its bytes.
    fn destination(&self, dst: &Dst<S>, lane: u32) -> Option<((usize, usize), usize)> {
        let ((s, at), horz, ty) = match *dst {
            Dst::Direct { reg, horz, ty } => (self.at(reg)?, horz, ty),
            Dst::Indirect { addr, imm, horz, ty } => (self.addressed(addr, imm)?, horz, ty),
            _ => return None,
        };
        let bytes = ty.bytes() as usize;
        Some(((s, at + lane as usize * usize::from(horz) * bytes), bytes))
    }

    /// The place that an address leads to.
    fn addressed(&self, addr: Reg<S>, imm: i16) -> Option<(usize, usize)> {
        let address = self.load(self.at(addr)?, 2);
        let (s, at) = self.place_of_address(address.bits).filter(|_| !address.is_poison())?;
        Some((s, at.wrapping_add_signed(isize::from(imm))))
    }

    fn source(&self, src: &Src<S>, lane: u32) -> Option<Value> {
        match *src {
            Src::Imm { bits, .. } => Some(Value::known(bits)),
            Src::Direct { reg, region, ty, .. } => {
                let (s, at) = self.at(reg)?;
                let element = if region == Region::SCALAR { 0 } else { region.element(lane) as usize };
                Some(self.load((s, at + element * ty.bytes() as usize), ty.bytes() as usize))
            }
            Src::AddrOf { reg: InPlace(reg), .. } => {
                let (s, at) = self.at(reg)?;
                Some(Value::known(self.address(s, at)?))
            }
            Src::Indirect { addr, imm, region, ty, .. } => {
                let Some((s, at)) = self.addressed(addr, imm) else { return Some(Value::POISON) };
                let element = if region == Region::SCALAR { 0 } else { region.element(lane) as usize };
                Some(self.load((s, at + element * ty.bytes() as usize), ty.bytes() as usize))
            }
            _ => None,
        }
    }

    /// The number by which addresses name a byte: its place in the register file, or, of code over variables, a number of the
    /// variable and its place in that.
    fn address(&self, s: usize, at: usize) -> Option<u64> {
        if self.address_taken.is_empty() {
            return Some(at as u64);
        }
        let number = self.address_taken.iter().position(|a| *a == s)?;
        Some((number << VARIABLE_BITS | at) as u64)
    }

    fn place_of_address(&self, address: u64) -> Option<(usize, usize)> {
        let address = address as usize;
        if self.address_taken.is_empty() {
            return Some((0, address));
        }
        let s = *self.address_taken.get(address >> VARIABLE_BITS)?;
        Some((s, address % (1 << VARIABLE_BITS)))
    }
}

/// Bits of a byte's number in a variable that addresses lead to.
const VARIABLE_BITS: u32 = 11;

fn block_of(t: Option<Target>) -> Result<usize, String> {
    match t {
        Some(Target::Block(b)) => Ok(b.index()),
        _ => Err("a branch without a block".into()),
    }
}

//! A lockstep machine for tests: runs virtual and physical code alike, with lanes, masks and waiting
//! places, and writes down what messages would see.
//!
//! Arithmetic is a hash of the operands, so that every wrong byte shows. Bytes that were never written
//! are poison; what depends on them is not compared.

use gen_ir::{
    Block, Desc, Dst, ExecSize, Inst, Kernel, Op, Payload, PredCtrl, Reg, Region, Role, Src, Target,
    VarClass, VarId,
};
use messages::hdc::ScratchBlock;

use crate::files::Files;

/// One lane's part of a message: instruction, lane, hash, and whether that depends on poison.
pub type Event = (u32, u32, u64, bool);

/// Bytes with a mark on each that was never written.
#[derive(Clone)]
struct Bytes {
    data: Vec<u8>,
    /// One a byte; one a bit for flags.
    poison: Vec<bool>,
    marks: usize,
}

pub struct Machine<'k, S: Files> {
    kernel: &'k Kernel<S>,
    store: Vec<Bytes>,
    scratch: Bytes,
    active: u32,
    waiting: [Option<u32>; 32],
    /// Return block, lanes to resume, and the token written to the return address.
    calls: Vec<(usize, u32, u64)>,
    pub log: Vec<Event>,
    grf: usize,
    width: u32,
    /// Flags of which blocks remember nothing from an earlier run, by block.
    forgotten: Vec<Vec<usize>>,
}

/// The flags that one block alone touches and there writes first, by block: what an earlier run of the block has left
/// is nothing, not even in lanes that do not run (see `check` in the allocator).
fn forgotten<S: Files>(kernel: &Kernel<S>) -> Vec<Vec<usize>> {
    let mut seen: Vec<Option<(usize, bool)>> = vec![None; 3 + kernel.vars.len()];
    for (b, block) in kernel.blocks.iter().enumerate() {
        for inst in &block.insts {
            for write in [false, true] {
                inst.for_each_reg(|role, reg| {
                    let Some((s, _)) = S::locate(reg.base()).filter(|at| at.0 >= 3) else { return };
                    if matches!(role, Role::Dst | Role::Cond) == write {
                        let (first, written_first) = *seen[s].get_or_insert((b, write));
                        seen[s] = Some((first, written_first && first == b));
                    }
                });
            }
        }
    }
    let mut by_block = vec![Vec::new(); kernel.blocks.len()];
    for (i, var) in kernel.vars.iter().enumerate().filter(|(_, v)| v.class == VarClass::Flag && !v.live_in) {
        if let (Some((b, true)), false) = (seen[3 + i], var.live_out) {
            by_block[b].push(3 + i);
        }
    }
    by_block
}

fn mix(mut h: u64, x: u64) -> u64 {
    h ^= x.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(h << 6).wrapping_add(h >> 2);
    h = (h ^ (h >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 29)
}

/// A value that may be poison.
type Value = (u64, bool);

impl<'k, S: Files> Machine<'k, S> {
    pub fn new(kernel: &'k Kernel<S>, inputs: &[(VarId, u32, Vec<u8>)], width: u32) -> Self {
        let grf = usize::from(kernel.platform.caps().regs.grf_bytes);
        let blank =
            |n: usize, marks: usize| Bytes { data: vec![0xa5; n], poison: vec![true; n * marks], marks };
        let mut store = vec![blank(grf * 256, 1), blank(64, 8), blank(64, 1)];
        for v in &kernel.vars {
            let marks = if v.class == VarClass::Flag { 8 } else { 1 };
            store.push(blank(v.bytes as usize + 4096, marks));
        }
        // r0 always holds something.
        store[0].poison[..grf].fill(false);
        let physical = kernel.vars.is_empty();
        for (var, fixed, bytes) in inputs {
            let (s, at) = if physical { (0, *fixed as usize) } else { (3 + var.index(), 0) };
            store[s].data[at..at + bytes.len()].copy_from_slice(bytes);
            store[s].poison[at..at + bytes.len()].fill(false);
        }
        let active = if width == 32 { u32::MAX } else { (1 << width) - 1 };
        Machine {
            kernel,
            store,
            scratch: blank(1 << 17, 1),
            active,
            waiting: [None; 32],
            calls: Vec::new(),
            log: Vec::new(),
            grf,
            width,
            forgotten: forgotten(kernel),
        }
    }

    fn at(&self, reg: Reg<S>) -> Option<(usize, usize)> {
        let (s, first) = S::locate(reg.base())?;
        let unit = if s == 0 { self.grf } else { 1 };
        Some((s, first * unit + reg.byte as usize))
    }

    fn load(&self, (s, at): (usize, usize), bytes: usize) -> Value {
        let b = &self.store[s];
        let mut v = 0;
        for i in (0..bytes).rev() {
            v = v << 8 | u64::from(b.data[at + i]);
        }
        (v, b.poison[at * b.marks..(at + bytes) * b.marks].iter().any(|p| *p))
    }

    fn save(&mut self, (s, at): (usize, usize), bytes: usize, (v, poison): Value) {
        let b = &mut self.store[s];
        for i in 0..bytes {
            b.data[at + i] = (v >> (8 * i)) as u8;
        }
        b.poison[at * b.marks..(at + bytes) * b.marks].fill(poison);
    }

    /// Runs at most `steps` blocks.
    pub fn run(&mut self, steps: usize) -> Result<(), String> {
        let kernel = self.kernel;
        let mut b = 0;
        for _ in 0..steps {
            let block: &Block<S> =
                kernel.blocks.get(b).ok_or_else(|| format!("ran past the end, block {b}"))?;
            let mut next = b + 1;
            for &s in &self.forgotten[b] {
                self.store[s].poison.fill(true);
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
                let taken = inst.pred.is_none() || self.lane_pred(inst, 0).0;
                if taken { block_of(Some(jip)) } else { Ok(b + 1) }
            }
            Op::Goto => {
                let mut yes = 0u32;
                for lane in 0..inst.exec.lanes() {
                    let channel = lane + u32::from(inst.chan);
                    if self.active >> channel & 1 != 0 && self.lane_pred(inst, lane).0 {
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
            Op::If => {
                let mut stay = 0u32;
                for lane in 0..inst.exec.lanes() {
                    if self.active >> lane & 1 != 0 && self.lane_pred(inst, lane).0 {
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
                    self.save(at, 8, (token, false));
                }
                block_of(Some(jip))
            }
            Op::Ret => {
                let (to, active, token) = self.calls.pop().ok_or("return without a call")?;
                let at = inst.src[0].reg().and_then(|r| self.at(r)).ok_or("no return address")?;
                if self.load(at, 8).0 != token {
                    return Err("the return address was lost".into());
                }
                self.active = active;
                Ok(to)
            }
            op => Err(format!("{op} is not modelled")),
        }
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

    /// Predicate of a lane, and whether it is poison.
    fn lane_pred(&self, inst: &Inst<S>, lane: u32) -> (bool, bool) {
        let Some(p) = inst.pred else { return (true, false) };
        let (s, at) = self.at(p.flag).expect("a flag has a place");
        let b = &self.store[s];
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
        let mut bits = bit / group * group..(bit / group + 1) * group;
        let is_set = |bit: usize| b.data[at + bit / 8] >> (bit % 8) & 1 != 0;
        (bits.clone().any(is_set) != p.inv, bits.any(|bit| b.poison[at * 8 + bit]))
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
            let poison = srcs.iter().any(|s| s.1);
            let value = if inst.op == Op::Mov {
                srcs[0].0
            } else {
                srcs.iter().fold(inst.op as u64, |h, s| mix(h, s.0))
            };
            let value = if inst.op == Op::Sel { srcs[usize::from(!on)].0 } else { value };
            results.push((lane, on || inst.op == Op::Sel, unsure, (value, poison || unsure)));
        }
        for (lane, on, unsure, value) in results {
            if inst.op != Op::Mov {
                self.log.push((inst.origin, lane, value.0, value.1));
            }
            if !on && !unsure {
                continue;
            }
            if let Dst::Direct { reg, horz, ty } = inst.dst
                && let Some((s, at)) = self.at(reg)
            {
                let bytes = ty.bytes() as usize;
                let at = (s, at + lane as usize * usize::from(horz) * bytes);
                if on {
                    self.save(at, bytes, value);
                } else {
                    let old = self.load(at, bytes).0;
                    self.save(at, bytes, (old, true));
                }
            }
            if let Some(c) = &inst.cond
                && let Some((s, at)) = self.at(c.flag)
            {
                let bit = (lane + u32::from(inst.chan)) as usize;
                let b = &mut self.store[s];
                let mask = 1 << (bit % 8);
                b.data[at + bit / 8] =
                    b.data[at + bit / 8] & !mask | if value.0 >> 7 & 1 != 0 { mask } else { 0 };
                b.poison[at * 8 + bit] = value.1;
            }
        }
    }

    fn source(&self, src: &Src<S>, lane: u32) -> Option<Value> {
        match *src {
            Src::Imm { bits, .. } => Some((bits, false)),
            Src::Direct { reg, region, ty, .. } => {
                let (s, at) = self.at(reg)?;
                let element = if region == Region::SCALAR { 0 } else { region.element(lane) as usize };
                Some(self.load((s, at + element * ty.bytes() as usize), ty.bytes() as usize))
            }
            _ => None,
        }
    }

    fn message(&mut self, inst: &Inst<S>) -> Result<(), String> {
        let info = inst.send().ok_or("a message without fields")?;
        let place = |i: usize| inst.src[i].reg().filter(|r| !r.is_null()).and_then(|r| self.at(r));
        let places = [place(0), place(1)];
        let reg = |i: usize| places[i];
        let dst = match inst.dst {
            Dst::Direct { reg, .. } if !reg.is_null() => self.at(reg),
            _ => None,
        };
        if let Desc::Imm(d) = info.desc
            && info.sfid == gen_ir::Sfid::Dc0
        {
            return self.scratch_message(inst, (d, info.src1_len), places, dst);
        }
        // Any other message: each lane reads its dwords and gets a hash of them back.
        let mut replies = Vec::new();
        for lane in 0..self.width.min(inst.exec.lanes()) {
            let channel = lane + u32::from(inst.chan);
            if !inst.no_mask && self.active >> channel & 1 == 0 {
                continue;
            }
            let (on, unsure) = self.lane_pred(inst, lane);
            if !on && !unsure {
                self.log.push((inst.origin, lane, 0, false));
                continue;
            }
            let (mut h, mut poison) = (u64::from(inst.origin), unsure);
            for (at, len) in [(reg(0), info.src0_len), (reg(1), info.src1_len)] {
                let Some((s, at)) = at else { continue };
                let mut dword = lane as usize;
                while dword * 4 < usize::from(len) * self.grf {
                    let v = self.load((s, at + dword * 4), 4);
                    h = mix(h, v.0);
                    poison |= v.1;
                    dword += inst.exec.lanes() as usize;
                }
            }
            self.log.push((inst.origin, lane, if on { h } else { 0 }, poison));
            replies.push((lane as usize, (h, poison), on));
        }
        if let Some((s, at)) = dst {
            for (lane, v, on) in replies {
                let mut dword = lane;
                while dword * 4 < usize::from(info.dst_len) * self.grf {
                    let at = (s, at + dword * 4);
                    let v = if on { (mix(v.0, dword as u64), v.1) } else { (self.load(at, 4).0, true) };
                    self.save(at, 4, v);
                    dword += inst.exec.lanes() as usize;
                }
            }
        }
        Ok(())
    }

    /// A scratch block; its descriptor, and the registers of its second payload.
    fn scratch_message(
        &mut self,
        inst: &Inst<S>,
        (d, src1_len): (gen_ir::Descriptor, u8),
        places: [Option<(usize, usize)>; 2],
        dst: Option<(usize, usize)>,
    ) -> Result<(), String> {
        let block = ScratchBlock::from(d);
        if !inst.no_mask || !block.scratch() || !d.header_present() {
            return Err(format!("not a scratch message: {d:?}"));
        }
        let offset = usize::from(block.offset()) * 32;
        let len = 32 << block.size_log2();
        if block.access().is_store() {
            let at = if src1_len > 0 { places[1] } else { places[0].map(|(s, at)| (s, at + self.grf)) };
            let (s, at) = at.ok_or("no data")?;
            if self.header_of(places[0]) != self.header_of(Some((0, 0))) {
                return Err("a scratch message without r0 as its header".into());
            }
            let from = self.store[s].clone();
            self.scratch.data[offset..offset + len].copy_from_slice(&from.data[at..at + len]);
            self.scratch.poison[offset..offset + len].copy_from_slice(&from.poison[at..at + len]);
        } else {
            if places[0] != Some((0, 0)) {
                return Err("a scratch message without r0 as its header".into());
            }
            let (s, at) = dst.ok_or("no destination")?;
            let to = &mut self.store[s];
            to.data[at..at + len].copy_from_slice(&self.scratch.data[offset..offset + len]);
            to.poison[at..at + len].copy_from_slice(&self.scratch.poison[offset..offset + len]);
        }
        Ok(())
    }

    fn header_of(&self, at: Option<(usize, usize)>) -> Option<&[u8]> {
        at.map(|(s, at)| &self.store[s].data[at..at + self.grf])
    }
}

fn block_of(t: Option<Target>) -> Result<usize, String> {
    match t {
        Some(Target::Block(b)) => Ok(b.index()),
        _ => Err("a branch without a block".into()),
    }
}

//! A thread: its variables, its lanes, and the calls they are in.

use super::layout::{COMMON, Unit, VisaProgram};
use crate::{
    group::{Member, Turn},
    thread::{FloatMode, LANES, Trap, mask},
};
use narrow::{as_index, to_index};
use visa::{Predefined, VarId};

/// A call in progress: of the kernel, a subroutine or a function.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub unit: usize,
    /// Added to places of the frame's own variables.
    pub base: u32,
    pub addr: u32,
    pub pred: u32,
    pub surface: u32,
    pub sampler: u32,
    /// A function, whose variables go with it (subroutines share their caller's).
    pub owns: bool,
    /// Lanes that have not returned yet.
    pub lanes: u32,
    /// Lanes that run, and where.
    pub active: u32,
    pub pc: u32,
    /// Of the lanes that run, those which the branches of the SIMD control flow around them are not for: they are where the
    /// others are.
    pub beyond: u32,
    /// Lanes that wait elsewhere, where, and the lowest of those places.
    pub waiting: u32,
    pub places: [u32; LANES],
    pub next: u32,
}

impl Frame {
    pub fn new(unit: usize, lanes: u32, pc: u32) -> Frame {
        Frame {
            unit,
            base: 0,
            addr: 0,
            pred: 0,
            surface: 0,
            sampler: 0,
            owns: true,
            lanes,
            active: lanes,
            pc,
            beyond: 0,
            waiting: 0,
            places: [0; LANES],
            next: u32::MAX,
        }
    }

    /// Of the lanes that run, those whose branches say where the thread goes.
    pub fn deciding(&self) -> u32 {
        self.active & !self.beyond
    }

    /// A branch for these lanes: while none of them waits for others, it begins a block of SIMD control flow, which no other
    /// lanes have a part in (spec "Execution Mask": such a block has an execution size).
    pub fn branch_of(&mut self, lanes: u32) {
        if self.waiting == 0 && self.lanes & lanes != 0 {
            self.beyond = self.lanes & !lanes;
        }
    }

    /// Lets the lanes at the lowest place run.
    pub fn settle(&mut self) {
        let mut lowest = u32::MAX;
        let mut left = self.waiting;
        while left != 0 {
            let i = as_index(left.trailing_zeros());
            left &= left - 1;
            lowest = lowest.min(self.places[i]);
        }
        if self.deciding() == 0 || lowest < self.pc {
            self.park(self.deciding(), self.pc);
            if self.waiting == 0 {
                return;
            }
            self.pc = lowest;
        }
        self.next = u32::MAX;
        let mut left = self.waiting;
        while left != 0 {
            let i = as_index(left.trailing_zeros());
            left &= left - 1;
            if self.places[i] == self.pc {
                self.active |= 1 << i;
                self.waiting &= !(1 << i);
            } else {
                self.next = self.next.min(self.places[i]);
            }
        }
    }

    /// Sends active lanes to wait at a place.
    pub fn park(&mut self, lanes: u32, at: u32) {
        for i in (0..LANES).filter(|i| lanes >> i & 1 != 0) {
            self.places[i] = at;
        }
        self.waiting |= lanes;
        self.active &= !lanes;
    }
}

pub(super) struct VisaThread<'a> {
    pub program: &'a VisaProgram<'a>,
    /// Bytes of all variables of all frames.
    pub file: Vec<u8>,
    /// Not 0 where a byte depends on something nobody wrote.
    pub shadow: Vec<u8>,
    pub addrs: Vec<u16>,
    pub addr_shadow: Vec<bool>,
    pub preds: Vec<u32>,
    pub pred_shadow: Vec<u32>,
    pub surfaces: Vec<u32>,
    pub samplers: Vec<u32>,
    /// The frame that runs; its callers are below.
    pub frame: Frame,
    pub callers: Vec<Frame>,
    pub mode: FloatMode,
    pub turn: Turn,
    pub number: u32,
    pub strict: bool,
    pub executed: u64,
    /// Where the thread's own memory begins.
    pub scratch: u64,
    /// Not 0 where a byte of that memory depends on something nobody wrote.
    pub scratch_shadow: Vec<u8>,
}

/// Deepest nesting of calls.
const MAX_CALLS: usize = 1000;
/// Most bytes of variables of all calls.
const MAX_FILE: usize = 1 << 28;

impl Member for VisaThread<'_> {
    fn part(&mut self) -> &mut Turn {
        &mut self.turn
    }
}

impl<'a> VisaThread<'a> {
    pub fn new(program: &'a VisaProgram<'a>, lanes: u32, strict: bool) -> Result<VisaThread<'a>, Trap> {
        let mut t = VisaThread {
            program,
            file: Vec::new(),
            shadow: Vec::new(),
            addrs: Vec::new(),
            addr_shadow: Vec::new(),
            preds: Vec::new(),
            pred_shadow: Vec::new(),
            surfaces: Vec::new(),
            samplers: Vec::new(),
            frame: Frame::new(0, lanes, 0),
            callers: Vec::new(),
            mode: FloatMode::from_control(0),
            turn: Turn::default(),
            number: 0,
            strict,
            executed: 0,
            scratch: 0,
            scratch_shadow: Vec::new(),
        };
        t.grow(as_index(COMMON));
        t.frame = t.open(0, lanes)?;
        Ok(t)
    }

    /// What nobody wrote holds a pattern, and never what a lucky kernel would want.
    fn grow(&mut self, bytes: usize) {
        let fill = if self.strict { 0xcd } else { 0 };
        self.file.resize(bytes, fill);
        self.shadow.resize(bytes, 1);
    }

    /// A frame with variables of its own.
    fn open(&mut self, unit: usize, lanes: u32) -> Result<Frame, Trap> {
        let u = &self.program.units[unit];
        let mut f = Frame::new(unit, lanes, 0);
        let old = self.file.len();
        let size = old + as_index(u.bytes - COMMON);
        if size > MAX_FILE || self.callers.len() > MAX_CALLS {
            return Err("calls nest too deep".into());
        }
        f.base = to_index(old) - COMMON;
        self.grow(size);
        let k = u.kernel;
        f.addr = to_index(self.addrs.len());
        let end = |starts: &[u32]| starts.last().map_or(0, |n| as_index(*n));
        let addrs = self.addrs.len() + end(&u.addrs);
        self.addrs.resize(addrs, 0);
        self.addr_shadow.resize(addrs, true);
        f.pred = to_index(self.preds.len());
        self.preds.resize(self.preds.len() + k.preds.len() + 1, if self.strict { 0 } else { u32::MAX });
        self.pred_shadow.resize(self.preds.len(), u32::MAX);
        f.surface = to_index(self.surfaces.len());
        self.surfaces.resize(self.surfaces.len() + end(&u.surfaces), u32::MAX);
        f.sampler = to_index(self.samplers.len());
        self.samplers.resize(self.samplers.len() + end(&u.samplers), u32::MAX);
        Ok(f)
    }

    /// Enters a subroutine at a place, or a function at its start.
    pub fn call(&mut self, unit: Option<usize>, at: u32, lanes: u32) -> Result<(), Trap> {
        let mut inner = match unit {
            Some(unit) => self.open(unit, lanes)?,
            None => {
                let f = &self.frame;
                Frame { owns: false, ..Frame { unit: f.unit, ..f.clone() } }
            }
        };
        if self.callers.len() > MAX_CALLS {
            return Err("calls nest too deep".into());
        }
        inner.lanes = lanes;
        inner.active = lanes;
        inner.beyond = 0;
        inner.waiting = 0;
        inner.next = u32::MAX;
        inner.pc = at;
        let outer = std::mem::replace(&mut self.frame, inner);
        self.callers.push(outer);
        Ok(())
    }

    /// Leaves the current frame. False if it was the kernel's.
    pub fn leave(&mut self) -> bool {
        let Some(outer) = self.callers.pop() else { return false };
        let inner = std::mem::replace(&mut self.frame, outer);
        if inner.owns {
            self.file.truncate(as_index(inner.base + COMMON));
            self.shadow.truncate(self.file.len());
            self.addrs.truncate(as_index(inner.addr));
            self.addr_shadow.truncate(self.addrs.len());
            self.preds.truncate(as_index(inner.pred));
            self.pred_shadow.truncate(self.preds.len());
            self.surfaces.truncate(as_index(inner.surface));
            self.samplers.truncate(as_index(inner.sampler));
        }
        true
    }

    pub fn unit(&self) -> &'a Unit<'a> {
        &self.program.units[self.frame.unit]
    }

    /// A place of the current frame as an index of the file.
    pub fn index(&self, at: u32) -> usize {
        as_index(if at < COMMON { at } else { at + self.frame.base })
    }

    /// First byte of a variable in the file, and its bytes.
    pub fn var(&self, id: VarId) -> Result<(usize, u32), Trap> {
        match self.unit().places.get(id.index()) {
            Some(p) => Ok((self.index(p.at), p.len)),
            None => Err(format!("no variable V{}", id.0).into()),
        }
    }

    /// The first byte of a predefined variable.
    pub fn predefined(&self, var: Predefined) -> usize {
        as_index(self.unit().places[as_index(var.number())].at)
    }

    /// Writes bytes that the hardware provides.
    pub fn provide(&mut self, at: usize, bytes: &[u8]) {
        self.file[at..at + bytes.len()].copy_from_slice(bytes);
        self.shadow[at..at + bytes.len()].fill(0);
    }

    /// The shadow of bytes of memory, where they are the thread's own.
    pub fn own_memory(&mut self, at: u64, len: u32) -> Option<&mut [u8]> {
        let first = usize::try_from(at.checked_sub(self.scratch)?).ok()?;
        self.scratch_shadow.get_mut(first..first.checked_add(as_index(len))?)
    }

    /// Whether any of these bytes is undefined.
    pub fn undefined(&self, at: usize, len: usize) -> bool {
        self.shadow[at..at + len].iter().any(|b| *b != 0)
    }

    /// Lanes that the instruction works on, by execution size, mask and offset.
    pub fn lanes_of(&self, exec: visa::Exec) -> u32 {
        let n = mask(exec.size.lanes());
        if exec.is_no_mask() { n } else { self.frame.active.checked_shr(exec.first_lane()).unwrap_or(0) & n }
    }
}

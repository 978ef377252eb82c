//! The command streamer: rings, batch buffers, and what commands change.
//!
//! A context is a ring and the state that its commands have set. It runs when it is submitted, to its tail, and stands
//! still where a semaphore does not hold; it is asked again when memory has changed. Commands and their fields are those
//! of PRM volume 2 ("Command Reference"), by the names there.

mod mi;
mod pipeline;
mod registers;

use narrow::{as_index, low_u32, to_u32, to_u64};
use std::sync::Arc;

use emulator::Options;

use crate::{
    Error,
    findings::Findings,
    kernels::Kernels,
    memory::{PAGE, World, split},
    pages::{Global, Space},
};

pub use registers::{Registers, engine};

/// Most commands of a submission: what has more does not end.
const MOST_COMMANDS: u32 = 1 << 20;
/// Most batches that wait for one another.
const MOST_DEPTH: usize = 4;
/// Dwords of the longest command.
const MOST_DWORDS: usize = 257;

/// What all contexts share while one runs.
pub struct Machine<'a> {
    pub world: &'a mut Arc<World>,
    pub global: &'a Global,
    pub registers: &'a mut Registers,
    pub kernels: &'a mut Kernels,
    pub findings: &'a mut Findings,
    pub options: &'a Options,
    pub threads: usize,
}

/// Bases of heaps, from STATE_BASE_ADDRESS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    pub general: u64,
    pub surface: u64,
    pub dynamic: u64,
    pub indirect: u64,
    pub instruction: u64,
}

/// What commands have set.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub bases: Bases,
    /// Scratch memory of a thread, from MEDIA_VFE_STATE.
    pub scratch: u32,
    /// Where interface descriptors are, from `bases.dynamic`.
    pub descriptors: u32,
    /// The state of the surface that scratch memory is, from CFE_STATE: its offset from `bases.surface`.
    pub scratch_surface: u64,
}

/// A ring and what it has set.
#[derive(Debug)]
pub struct Context {
    /// The engine's first register.
    pub engine: u32,
    /// The context image's global address.
    pub image: u64,
    space: Space,
    ring: u64,
    size: u32,
    head: u32,
    tail: u32,
    /// Batches that run: where each goes on, the innermost last.
    batches: Vec<u64>,
    /// Where the process was told last that all before is done.
    said_done: Option<u64>,
    pub(crate) state: State,
}

/// What follows a command.
enum Flow {
    Next,
    /// A batch in place of this one, or one to come back from.
    Batch {
        address: u64,
        returns: bool,
    },
    End,
    /// A semaphore does not hold.
    Wait,
}

/// How a context's run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// At its tail.
    Done,
    /// At a semaphore.
    Waits,
}

/// Offsets in a context image's second page, of ring and page table registers (PRM volume 7, "Logical Ring Context").
mod image {
    pub const PAGE: u64 = 0x1000;
    pub const HEAD: u64 = 0x14;
    pub const TAIL: u64 = 0x1c;
    pub const RING: u64 = 0x24;
    pub const CONTROL: u64 = 0x2c;
    pub const ROOT_HIGH: u64 = 0xc4;
    pub const ROOT_LOW: u64 = 0xcc;
}

impl Context {
    /// The context of an image.
    pub fn new(connection: usize, engine: u32, image: u64) -> Context {
        Context {
            engine,
            image,
            space: Space { connection, root: 0 },
            ring: 0,
            size: 0,
            head: 0,
            tail: 0,
            batches: Vec::new(),
            said_done: None,
            state: State::default(),
        }
    }

    /// Reads where the ring is and how far it goes; the image is that of this context.
    ///
    /// # Errors
    ///
    /// The image is not mapped, or is none.
    pub fn submit(&mut self, world: &mut World, global: &Global) -> Result<(), Error> {
        let first = self.size == 0;
        let connection = self.space.connection;
        let field = |offset| global.read_u32(world, connection, self.image + image::PAGE + offset);
        let (head, tail, control) = (field(image::HEAD)?, field(image::TAIL)?, field(image::CONTROL)?);
        self.ring = u64::from(field(image::RING)?);
        self.size = (control & 0x1f_f000) + 0x1000;
        let root = u64::from(field(image::ROOT_HIGH)?) << 32 | u64::from(field(image::ROOT_LOW)?);
        self.space.root = root & !0xfff;
        // The image's head stays what it was at first: this side knows how far it is.
        if first {
            self.head = head & 0x1f_fffc;
        }
        self.tail = tail & 0x1f_fff8;
        if self.head.max(self.tail) > self.size {
            let reason = format!("ring: head {:#x}, tail {:#x}, size {:#x}", self.head, self.tail, self.size);
            return Err(Error::command(self.image, reason));
        }
        world.add_root(connection, self.space.root);
        Ok(())
    }

    /// Runs to the tail, or to a semaphore that does not hold.
    ///
    /// # Errors
    ///
    /// What cannot be run. The context is at its tail then: what else it was to do is lost.
    pub fn run(&mut self, machine: &mut Machine<'_>) -> Result<Ended, Error> {
        let ended = self.steps(machine);
        if ended.is_err() {
            self.batches.clear();
            self.head = self.tail;
        }
        ended
    }

    fn steps(&mut self, machine: &mut Machine<'_>) -> Result<Ended, Error> {
        let mut command = Vec::with_capacity(MOST_DWORDS);
        for _ in 0..MOST_COMMANDS {
            if self.head == self.size {
                self.head = 0;
            }
            if self.batches.is_empty() && self.head == self.tail {
                return Ok(Ended::Done);
            }
            let at = self.batches.last().copied().unwrap_or(u64::from(self.head));
            let first = self.fetch(machine, at, 0)?;
            let count = dwords(first);
            command.clear();
            command.push(first);
            for k in 1..count {
                command.push(self.fetch(machine, at, k)?);
            }
            machine.registers.tick();
            let flow = self.command(machine, at, &command)?;
            if matches!(flow, Flow::Wait) {
                return Ok(Ended::Waits);
            }
            let step = 4 * to_u64(count);
            match self.batches.last_mut() {
                Some(place) => *place += step,
                None => self.head = (self.head + to_u32(step)) % self.size,
            }
            self.follow(at, flow)?;
        }
        Err(Error::command(self.batches.last().copied().unwrap_or(0), "the batch does not end"))
    }

    fn follow(&mut self, at: u64, flow: Flow) -> Result<(), Error> {
        match flow {
            Flow::Next | Flow::Wait => {}
            Flow::End => _ = self.batches.pop(),
            Flow::Batch { address, returns } => {
                if !returns {
                    self.batches.pop();
                }
                if self.batches.len() == MOST_DEPTH {
                    return Err(Error::command(at, "batches are nested too deep"));
                }
                self.batches.push(address);
            }
        }
        Ok(())
    }

    /// A dword of the ring or of a batch.
    fn fetch(&self, machine: &Machine<'_>, at: u64, k: usize) -> Result<u32, Error> {
        let offset = 4 * to_u64(k);
        if self.batches.is_empty() {
            let at = (at + offset) % u64::from(self.size);
            return machine.global.read_u32(machine.world, self.space.connection, self.ring + at);
        }
        Ok(low_u32(self.space.number(machine.world, at.wrapping_add(offset), 4)?))
    }

    fn command(&mut self, machine: &mut Machine<'_>, at: u64, c: &[u32]) -> Result<Flow, Error> {
        match c[0] >> 29 {
            0 => self.mi(machine, at, c),
            2 => self.blit(machine, at, c).map(|()| Flow::Next),
            3 => self.pipeline(machine, at, c).map(|()| Flow::Next),
            _ => Ok(Flow::Next),
        }
    }

    /// Writes a value that says that all before is done, which it is.
    fn say_done(
        &mut self,
        machine: &mut Machine<'_>,
        to: AddressSpace,
        address: u64,
        data: &[u8],
    ) -> Result<(), Error> {
        if to == AddressSpace::Process {
            self.said_done = Some(address);
        }
        self.store(machine, to, address, data)
    }

    /// Where that was last, as a physical address of this connection, and the value.
    pub fn how_far(&self, world: &World) -> Option<(u64, u64)> {
        let address = self.said_done?;
        let (page, offset) = split(address);
        let place = self.space.find(world, page)?.place;
        let value = self.space.number(world, address, 8).ok()?;
        (place.connection == self.space.connection)
            .then(|| (place.page * to_u64(PAGE) + to_u64(offset), value))
    }

    /// Writes to the process, or where a command says so to the global table's memory.
    fn store(
        &self,
        machine: &mut Machine<'_>,
        to: AddressSpace,
        address: u64,
        data: &[u8],
    ) -> Result<(), Error> {
        let world = crate::run::unshared(machine.world);
        match to {
            AddressSpace::Global => machine.global.write(world, self.space.connection, address, data),
            AddressSpace::Process => self.space.write(world, address, data),
        }
    }
}

/// The memory that an address of a command leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressSpace {
    /// That of the process.
    Process,
    /// That of the global table.
    Global,
}

impl AddressSpace {
    /// The global table's where a bit of the command says so.
    const fn global_if(bit: bool) -> AddressSpace {
        if bit { AddressSpace::Global } else { AddressSpace::Process }
    }
}

/// Dwords of a command (PRM volume 2, "Command header").
fn dwords(first: u32) -> usize {
    let short = as_index(first & 0xff) + 2;
    match (first >> 29, first >> 23 & 0x3f, first >> 27 & 3, first >> 16) {
        (0, opcode, ..) if opcode < 0x10 => 1,
        (0 | 2, ..) => short,
        // PIPELINE_SELECT
        (3, _, _, 0x6904) => 1,
        (3, ..) => short,
        _ => 1,
    }
}

/// Bits `low` to `high` of a word.
pub(crate) fn bits(word: u32, low: u32, high: u32) -> u32 {
    word >> low & (u32::MAX >> (31 - (high - low)))
}

/// An address in two dwords: 48 bits, a multiple of `align`.
pub(crate) fn address(c: &[u32], at: usize, align: u64) -> u64 {
    let word = |i: usize| u64::from(c.get(i).copied().unwrap_or(0));
    (word(at + 1) & 0xffff) << 32 | word(at) & !(align - 1)
}

//! A message being handled, and what it may touch besides its thread.

use crate::{
    group::Group,
    launch::Bindings,
    learned::Learned,
    memory::{Memory, Surface},
    probe::Probe,
    program::{Message, Program},
    report::{Fault, Report, Reports, SendKind},
    thread::{Thread, Trap},
};
use gen_ir::{Sfid, scratch};
use messages::{Access, Descriptor, ExtendedDescriptor, SurfaceIndex, lsc::SurfaceStateExtended};
use narrow::{as_index, little, set_little, to_u64, to_usize};

/// The state of the threads' scratch surface, as `r0.5` names it: none of the bindings has that number.
pub(crate) const SCRATCH_STATE: u32 = 0x15 << 20 | scratch::BASE_UNIT;

/// Whether an extended descriptor that says where a surface's state is names the scratch surface's. Its low bits say nothing:
/// Intel's graphics compiler leaves there what `r0.5` holds beside the state.
pub(super) fn names_scratch(ex: ExtendedDescriptor) -> bool {
    let place = |ex: SurfaceStateExtended| ex.byte_offset();
    place(ex.into()) == place(SurfaceStateExtended::from_bits(SCRATCH_STATE >> scratch::SURFACE_SHIFT))
}

/// Everything a running instruction may touch besides its thread.
pub(crate) struct Cx<'a> {
    pub program: &'a Program,
    pub memory: &'a mut Memory,
    pub bindings: &'a Bindings,
    pub group: &'a mut Group,
    pub reports: &'a mut Reports,
    /// What is known of the program.
    pub learned: &'a mut Learned,
    pub strict: bool,
    /// Some instructions' results count as undefined ([`crate::Options::poison`]), this one's among them.
    pub poison: bool,
    pub poisoned: bool,
    /// Messages go there and nowhere else.
    pub probe: Option<&'a mut Probe>,
    /// Functions that are black boxes, and what they were asked.
    pub opaque: &'a [Sfid],
    pub asked: Vec<u64>,
}

impl Cx<'_> {
    pub(crate) fn report(&mut self, t: &Thread, fault: Fault, detail: impl FnOnce() -> String) {
        // Accesses to no memory and hazards are told in any case: nothing else would.
        if !self.strict && !matches!(fault, Fault::Hazard | Fault::NoMemory) {
            return;
        }
        let pc = self.program.offset_of(t.pc);
        let (program, group) = (self.program, self.group.id);
        self.reports.add(fault, pc, || Report {
            fault,
            pc,
            inst: program.text(t.pc),
            detail: detail(),
            group,
            thread: t.number,
            count: 0,
        });
    }
}

/// What a message reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The address space itself.
    Flat,
    /// A surface: binding table, or surface states by offset.
    Table(u32),
    State(u32),
    Slm,
    /// This thread's scratch memory.
    Scratch,
}

/// A message being handled.
pub(crate) struct Mail<'a, 'b> {
    pub t: &'a mut Thread,
    pub cx: &'a mut Cx<'b>,
    pub m: Message,
    pub desc: Descriptor,
    pub ex_desc: ExtendedDescriptor,
    /// Enabled lanes of the instruction.
    pub on: u32,
    pub lanes: u32,
    pub grf: u32,
    /// GRFs of the first and second payload range, and of the response.
    pub len0: u32,
    pub len1: u32,
    pub rlen: u32,
    /// The response overlaps the payload: hardware reads all of the payload before it answers.
    pub late: bool,
    /// Replies held back for that: file offset, bytes, value, undefined bytes.
    pub held: Vec<(u32, u32, u64, u8)>,
    /// Undefined bytes of what was loaded last, and of what is stored next.
    pub doubtful: u8,
}

impl Mail<'_, '_> {
    /// The descriptor as a kind of message.
    pub(crate) fn as_kind<T: From<Descriptor>>(&self) -> T {
        T::from(self.desc)
    }

    /// Registers of the header.
    pub(crate) fn header(&self) -> u32 {
        self.desc.header_present().into()
    }

    /// GRFs of the whole payload.
    pub(crate) fn len(&self) -> u32 {
        self.len0 + self.len1
    }

    /// File offset of a payload byte range. The second range continues the first.
    pub(crate) fn payload(&self, byte: u32, len: u32) -> Result<u32, Trap> {
        let first = self.len0 * self.grf;
        let (reg, within, size) = if byte < first {
            (self.m.src0, byte, first)
        } else {
            (self.m.src1, byte - first, self.len1 * self.grf)
        };
        if within + len > size {
            return Err(format!("the message reads payload byte {byte}, past its end").into());
        }
        let Some(reg) = reg else { return Err("a payload in no general register".into()) };
        let at = reg * self.grf + within;
        if at + len > self.t.grf_end { Err("a payload past the last register".into()) } else { Ok(at) }
    }

    /// A little-endian number of 1, 2, 4 or 8 payload bytes.
    pub(crate) fn number(&self, byte: u32, len: u32) -> Result<u64, Trap> {
        let at = as_index(self.payload(byte, len)?);
        Ok(little(&self.t.rf[at..at + as_index(len)]))
    }

    /// A number that addresses something: it must be defined.
    pub(crate) fn address(&mut self, byte: u32, len: u32) -> Result<u64, Trap> {
        let at = self.payload(byte, len)?;
        self.must_be_defined(at, len, "the address");
        self.number(byte, len)
    }

    /// A number that is stored; whether it is undefined shows in the report of the store.
    pub(crate) fn data(&mut self, byte: u32, len: u32) -> Result<u64, Trap> {
        let at = self.payload(byte, len)?;
        self.doubtful |= self.t.undefined_bytes(at, len);
        self.number(byte, len)
    }

    fn must_be_defined(&mut self, at: u32, len: u32, what: &str) {
        if self.cx.strict && self.t.undefined(at, len) {
            let reg = at / self.grf;
            self.cx.report(self.t, Fault::Uninitialized, || format!("{what} in r{reg} was never written"));
        }
    }

    /// File offset of a response byte range; `None` where the destination is null.
    pub(crate) fn response(&self, byte: u32, len: u32) -> Result<Option<u32>, Trap> {
        if byte + len > self.rlen * self.grf {
            return Err(format!("the message returns byte {byte}, past its response length").into());
        }
        let Some(reg) = self.m.dst else { return Ok(None) };
        let at = reg * self.grf + byte;
        if at + len > self.t.grf_end { Err("a response past the last register".into()) } else { Ok(Some(at)) }
    }

    /// Writes a number of 1 to 8 bytes to the response.
    pub(crate) fn reply(&mut self, byte: u32, len: u32, value: u64) -> Result<(), Trap> {
        let doubtful = std::mem::take(&mut self.doubtful);
        match self.response(byte, len)? {
            Some(at) if self.late => self.held.push((at, len, value, doubtful)),
            Some(at) => self.put(at, len, value, doubtful),
            None => {}
        }
        Ok(())
    }

    pub(super) fn put(&mut self, at: u32, len: u32, value: u64, undefined: u8) {
        let to = as_index(at);
        set_little(&mut self.t.rf[to..to + as_index(len)], value);
        self.t.define_but(at, len, undefined);
    }

    /// GRFs that `lanes` elements of `bytes` bytes take, at least one.
    pub(crate) fn regs(&self, lanes: u32, bytes: u32) -> u32 {
        (lanes * bytes).div_ceil(self.grf).max(1)
    }

    /// Checks the lengths that a message of this type has.
    pub(crate) fn expect(&mut self, payload: u32, response: u32) {
        let (have, back) = (self.len(), self.rlen);
        if have != payload || back != response && self.m.dst.is_some() {
            self.cx.report(self.t, Fault::MessageLength, || {
                format!("{have} registers and {back} back, where the message takes {payload} and {response}")
            });
        }
    }

    /// The same of a message with so many registers of headers and addresses, which sends data or gets them.
    pub(crate) fn expect_access(&mut self, access: Access, front: u32, data: u32) {
        match access {
            Access::Load => self.expect(front, data),
            Access::Store => self.expect(front + data, 0),
        }
    }

    /// Whether scratch memory is a surface here.
    pub(crate) fn scratch_surface(&self) -> bool {
        self.cx.program.platform.caps().memory.scratch_surface
    }

    /// The place a surface index names.
    pub(crate) fn place(&self, surface: SurfaceIndex) -> Place {
        match surface {
            SurfaceIndex::SHARED_LOCAL => Place::Slm,
            SurfaceIndex::STATELESS | SurfaceIndex::STATELESS_INCOHERENT => Place::Flat,
            SurfaceIndex::BINDLESS if self.m.ex_bso => {
                Place::State(SurfaceStateExtended::from(self.ex_desc).byte_offset())
            }
            SurfaceIndex::BINDLESS => Place::State(self.ex_desc.surface_state()),
            SurfaceIndex::SCRATCH => self.scratch_place(),
            SurfaceIndex(n) => Place::Table(n.into()),
        }
    }

    /// What a message reaches that says scratch: the thread's own memory by the state that `r0.5` names, another
    /// surface where a program has set one.
    fn scratch_place(&self) -> Place {
        let own =
            self.ex_desc.into_bits() & scratch::SURFACE_STATE == SCRATCH_STATE || names_scratch(self.ex_desc);
        match self.m.ex_bso {
            _ if own => Place::Scratch,
            true => Place::State(SurfaceStateExtended::from(self.ex_desc).byte_offset()),
            false => Place::State(self.ex_desc.surface_state()),
        }
    }

    pub(crate) fn surface(&self, place: Place) -> Result<&Surface, Trap> {
        let found = match place {
            Place::Table(n) => self.cx.bindings.table.get(as_index(n)),
            Place::State(offset) => self.cx.bindings.states.get(as_index(offset / 64)),
            _ => None,
        };
        match found {
            Some(Some(surface)) => Ok(surface),
            _ => Err(format!("no surface at {place:?}").into()),
        }
    }

    fn outside(&mut self, place: Place, offset: u64, len: u32) {
        self.cx
            .report(self.t, Fault::OutOfBounds, || format!("{place:?}: {len} bytes at offset {offset:#x}"));
    }

    /// The address of a place's bytes; `None` (and a report) out of bounds, where reads give zero and
    /// writes are dropped.
    fn locate(&mut self, place: Place, offset: u64, len: u32) -> Result<Option<u64>, Trap> {
        let (base, size) = match place {
            Place::Flat => return Ok(Some(offset)),
            // Only the low address bits reach shared local memory; compilers set others to tell it apart.
            Place::Slm => {
                let at = offset & 0xff_ffff;
                if at + u64::from(len) > to_u64(self.cx.group.slm.len()) {
                    self.outside(place, at, len);
                    return Ok(None);
                }
                return Ok(Some(at));
            }
            Place::Scratch => (self.t.scratch, self.t.scratch_len.into()),
            _ => {
                let s = self.surface(place)?;
                (s.base, s.size)
            }
        };
        if offset.checked_add(len.into()).is_none_or(|end| end > size) {
            self.outside(place, offset, len);
            return Ok(None);
        }
        Ok(Some(base + offset))
    }

    /// Loads a number of 1 to 8 bytes.
    pub(crate) fn load(&mut self, place: Place, offset: u64, len: u32) -> Result<u64, Trap> {
        let Some(at) = self.locate(place, offset, len)? else { return Ok(0) };
        if place != Place::Slm
            && let Some(shadow) = self.t.scratch_shadow(at, len)
        {
            self.doubtful = crate::shadow::bits(shadow);
        }
        if place == Place::Slm {
            let at = to_usize(at);
            return Ok(little(&self.cx.group.slm[at..at + as_index(len)]));
        }
        match self.cx.memory.load(at, len) {
            Ok(value) => Ok(value),
            Err(e) => {
                self.cx.report(self.t, Fault::NoMemory, || e.to_string());
                Ok(0)
            }
        }
    }

    /// Stores the low 1 to 8 bytes of a number.
    pub(crate) fn store(&mut self, place: Place, offset: u64, len: u32, value: u64) -> Result<(), Trap> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let Some(at) = self.locate(place, offset, len)? else { return Ok(()) };
        let poisoned = self.cx.poisoned;
        match self.t.scratch_shadow(at, len) {
            Some(shadow) if place != Place::Slm => {
                for (i, b) in shadow.iter_mut().enumerate() {
                    *b = u8::from(poisoned) | doubtful >> i & 1;
                }
            }
            _ if doubtful != 0 => {
                self.cx.report(self.t, Fault::UndefinedData, || "what is stored was never written".into());
            }
            _ => {}
        }
        if place == Place::Slm {
            let at = to_usize(at);
            set_little(&mut self.cx.group.slm[at..at + as_index(len)], value);
            return Ok(());
        }
        if let Err(e) = self.cx.memory.store(at, len, value) {
            self.cx.report(self.t, Fault::NoMemory, || e.to_string());
        }
        Ok(())
    }

    pub(crate) fn kind_of(&self, place: Place, otherwise: SendKind) -> SendKind {
        match place {
            Place::Slm => SendKind::Slm,
            Place::Scratch => SendKind::Scratch,
            _ => otherwise,
        }
    }
}

/// Memory here is always in order: a fence only answers.
pub(super) fn fence(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    for i in 0..mail.rlen * mail.grf / 4 {
        mail.reply(4 * i, 4, 0)?;
    }
    Ok(SendKind::Fence)
}

/// The enabled ones of the first lanes.
pub(super) fn lanes_of(on: u32, lanes: u32) -> impl Iterator<Item = u32> {
    (0..lanes.min(32)).filter(move |l| on >> l & 1 != 0)
}

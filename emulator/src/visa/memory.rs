//! Memory as instructions name it: surfaces, shared local memory, plain addresses.

use super::{context::VisaCx, thread::VisaThread};
use crate::{
    memory::Surface,
    messages::SCRATCH_STATE,
    report::{Fault, SendKind},
    thread::Trap,
};
use gen_ir::scratch;
use messages::{Operation, SurfaceIndex};
use narrow::{as_index, low_u64, to_u64, to_usize};
use visa::{AtomicOp, RawOperand, SurfaceId};

/// What an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    /// The address space.
    Flat,
    /// A surface by binding table index.
    Table(u32),
    /// A surface by offset of its state.
    State(u32),
    Slm,
    /// This thread's scratch memory.
    Scratch,
}

/// The place of a binding table index.
pub(super) fn of_index(index: SurfaceIndex) -> Storage {
    match index {
        SurfaceIndex::SHARED_LOCAL => Storage::Slm,
        SurfaceIndex::STATELESS | SurfaceIndex::STATELESS_INCOHERENT => Storage::Flat,
        SurfaceIndex(n) => Storage::Table(n.into()),
    }
}

impl VisaThread<'_> {
    /// The place of a surface variable.
    pub fn place_of(&self, id: SurfaceId) -> Result<Storage, Trap> {
        let value = self.surface_value(id, 0)?;
        match id {
            SurfaceId::BINDLESS | SurfaceId::TSS => Ok(self.state(value)),
            _ => match u8::try_from(value) {
                Ok(index) => Ok(of_index(SurfaceIndex(index))),
                // Code adds it to a descriptor.
                Err(_) => Err(format!("a surface at {value:#x}, which is no binding table index").into()),
            },
        }
    }
}

impl VisaThread<'_> {
    /// The place of a surface's state, as extended descriptors name it: by its offset, which they hold from bit 12 on
    /// where they hold more than that.
    fn state(&self, value: u32) -> Storage {
        let whole = self.program.platform.caps().sends.surface_offsets;
        let own = if whole { SCRATCH_STATE >> scratch::SURFACE_SHIFT } else { SCRATCH_STATE };
        let value = if whole { value & !0x3f } else { value };
        match value {
            value if value == own => Storage::Scratch,
            value if whole => Storage::State(value),
            value => Storage::State(value >> 12 << 6),
        }
    }
}

impl VisaCx<'_> {
    pub fn surface(&self, place: Storage) -> Result<&Surface, Trap> {
        let found = match place {
            Storage::Table(n) => self.bindings.table.get(as_index(n)),
            Storage::State(offset) => self.bindings.states.get(as_index(offset / 64)),
            _ => None,
        };
        match found {
            Some(Some(surface)) => Ok(surface),
            _ => Err(format!("no surface at {place:?}").into()),
        }
    }

    /// Where the bytes are; `None` (and a report) out of bounds, where reads give zero and writes are
    /// dropped.
    fn locate(
        &mut self,
        t: &VisaThread<'_>,
        place: Storage,
        offset: u64,
        len: u32,
    ) -> Result<Option<u64>, Trap> {
        let (base, size, offset) = match place {
            Storage::Flat => return Ok(Some(offset)),
            // Only the low address bits reach shared local memory.
            Storage::Slm => (0, to_u64(self.group.slm.len()), offset & 0xff_ffff),
            Storage::Scratch => (t.scratch, to_u64(t.scratch_shadow.len()), offset),
            _ => {
                let s = self.surface(place)?;
                (s.base, s.size, offset)
            }
        };
        if offset.checked_add(len.into()).is_none_or(|end| end > size) {
            self.report(t, Fault::OutOfBounds, || format!("{place:?}: {len} bytes at offset {offset:#x}"));
            return Ok(None);
        }
        Ok(Some(base + offset))
    }

    /// Loads a number of 1 to 8 bytes.
    pub fn load(&mut self, t: &VisaThread<'_>, place: Storage, offset: u64, len: u32) -> Result<u64, Trap> {
        let at = self.locate(t, place, offset, len)?;
        Ok(at.map_or(0, |at| self.fetch(t, place, at, len)))
    }

    /// The number at a place that is in bounds.
    fn fetch(&mut self, t: &VisaThread<'_>, place: Storage, at: u64, len: u32) -> u64 {
        if place == Storage::Slm {
            let mut b = [0; 8];
            b[..as_index(len)].copy_from_slice(&self.group.slm[to_usize(at)..to_usize(at) + as_index(len)]);
            return u64::from_le_bytes(b);
        }
        match self.memory.load(at, len) {
            Ok(value) => value,
            Err(e) => {
                self.report(t, Fault::NoMemory, || e.to_string());
                0
            }
        }
    }

    /// Loads a number of 1 to 8 bytes, `from`, into the low bytes of some bytes of a raw operand, `to`, shifted to the
    /// left by `shift` bits there. Undefined bytes of the thread's own memory stay undefined.
    pub fn load_to(
        &mut self,
        t: &mut VisaThread<'_>,
        from: (Storage, u64, u32),
        to: (RawOperand, u32, u32),
        shift: u32,
    ) -> Result<(), Trap> {
        let ((place, offset, len), (r, byte, slot)) = (from, to);
        let Some(at) = self.locate(t, place, offset, len)? else { return t.raw_store(r, byte, slot, 0) };
        let value = self.fetch(t, place, at, len);
        let own = own_memory(t, place, at, len);
        let undefined = own.map_or(0, |own| crate::shadow::bits(own));
        t.raw_store(r, byte, slot, value << shift)?;
        t.raw_undefine(r, byte, slot, undefined << (shift / 8))
    }

    /// Stores the low 1 to 8 bytes of a number.
    pub fn store(
        &mut self,
        t: &mut VisaThread<'_>,
        place: Storage,
        offset: u64,
        len: u32,
        value: u64,
    ) -> Result<(), Trap> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let Some(at) = self.locate(t, place, offset, len)? else { return Ok(()) };
        let doubtful = doubtful & u8::MAX >> (8 - len);
        // A thread's scratch memory is like its registers: what is in there may be undefined.
        let own = own_memory(t, place, at, len);
        match own {
            Some(own) => own.iter_mut().enumerate().for_each(|(i, b)| *b = doubtful >> i & 1),
            None if doubtful != 0 => {
                self.report(t, Fault::UndefinedData, || "what is stored was never written".into());
            }
            None => {}
        }
        if place == Storage::Slm {
            self.group.slm[to_usize(at)..to_usize(at) + as_index(len)]
                .copy_from_slice(&value.to_le_bytes()[..as_index(len)]);
            return Ok(());
        }
        if let Err(e) = self.memory.store(at, len, value) {
            self.report(t, Fault::NoMemory, || e.to_string());
        }
        Ok(())
    }

    /// A number that is stored next.
    pub fn data(&mut self, t: &VisaThread<'_>, r: RawOperand, offset: u32, len: u32) -> Result<u64, Trap> {
        let (value, undefined) = t.raw_load_bytes(r, offset, len)?;
        self.doubtful |= undefined;
        Ok(value)
    }

    /// An address out of a raw operand: it must be defined.
    pub fn address(&mut self, t: &VisaThread<'_>, r: RawOperand, offset: u32, len: u32) -> Result<u64, Trap> {
        let (value, unknown) = t.raw_load(r, offset, len)?;
        if unknown {
            self.report(t, Fault::Uninitialized, || {
                format!("the address in {} was never written", t.unit().kernel.var_name(r.var))
            });
        }
        Ok(value)
    }

    /// A scalar that addresses something.
    pub fn scalar_address(
        &mut self,
        t: &mut VisaThread<'_>,
        operand: &visa::VectorOperand,
    ) -> Result<u64, Trap> {
        let (value, ty, unknown) = t.scalar(operand)?;
        if unknown {
            self.report(t, Fault::Uninitialized, || "the address was never written".into());
        }
        // Of a float the integer counts.
        if ty.is_float() {
            return Ok(t.convert(value, ty, operand.modifier(), visa::Type::UD, false));
        }
        Ok(low_u64(super::convert::int_value(value, ty, operand.modifier())))
    }
}

/// The shadow of the bytes at an address, where they are the thread's own memory.
fn own_memory<'t>(t: &'t mut VisaThread<'_>, place: Storage, at: u64, len: u32) -> Option<&'t mut [u8]> {
    if place == Storage::Slm { None } else { t.own_memory(at, len) }
}

/// The kind of an access.
pub(super) fn kind(place: Storage, otherwise: SendKind) -> SendKind {
    match place {
        Storage::Slm => SendKind::Slm,
        Storage::Scratch => SendKind::Scratch,
        _ => otherwise,
    }
}

/// The operation of an atomic, its data operands in the order of [`crate::messages::atomic::Atomic::apply`] (value to compare with
/// first).
pub(super) fn atomic(op: AtomicOp, srcs: [RawOperand; 2]) -> (Operation, [RawOperand; 2]) {
    let [a, b] = srcs;
    let op = match op {
        AtomicOp::Add => Operation::Add,
        AtomicOp::Sub => Operation::Sub,
        AtomicOp::Inc => Operation::Inc,
        AtomicOp::Dec => Operation::Dec,
        AtomicOp::Min => Operation::UMin,
        AtomicOp::Max => Operation::UMax,
        AtomicOp::Xchg => Operation::Store,
        // The new value comes first here.
        AtomicOp::CmpXchg => return (Operation::Cas, [b, a]),
        AtomicOp::And => Operation::And,
        AtomicOp::Or => Operation::Or,
        AtomicOp::Xor => Operation::Xor,
        AtomicOp::IMin => Operation::SMin,
        AtomicOp::IMax => Operation::SMax,
        AtomicOp::PreDec => Operation::PreDec,
        AtomicOp::FMax => Operation::FMax,
        AtomicOp::FMin => Operation::FMin,
        AtomicOp::FCmpWr => Operation::FCas,
        AtomicOp::FAdd => Operation::FAdd,
        AtomicOp::FSub => Operation::FSub,
    };
    (op, [a, b])
}

//! Data port messages with an address per channel: byte, dword, untyped and A64, and atomics.

use super::{Mail, Place, atomic::Atomic, block, fence, lanes_of, typed};
use crate::{report::SendKind, thread::Trap};
use messages::{
    Access, Effect, Operation,
    hdc::{
        A64Scattered, Addresses, Atomic as AtomicMessage, AtomicOp, DataPortMessage, Dc1, ElementType,
        FloatAtomicOp, Form, Scattered, ScatteredSimdMode, Surface,
    },
};
use narrow::{as_index, to_index};

/// Where a scattered message's parts lie, in GRFs and bytes.
struct Layout {
    lanes: u32,
    place: Place,
    /// First address byte in the payload, and bytes of one address.
    first: u32,
    address: u32,
}

impl Mail<'_, '_> {
    fn layout(&self, lanes: u32, place: Place, address: u32) -> Layout {
        Layout { lanes, place, first: self.header() * self.grf, address }
    }

    fn native_lanes(&self) -> u32 {
        self.cx.program.platform.caps().regs.native_lanes().into()
    }

    /// Lanes as the one bit says that most messages have.
    fn simd(&self, sixteen: bool) -> u32 {
        if sixteen { 16 } else { self.native_lanes() }
    }

    fn scattered_address(&mut self, l: &Layout, lane: u32) -> Result<u64, Trap> {
        self.address(l.first + lane * l.address, l.address)
    }

    /// Bytes before the data of a write.
    fn data_start(&self, l: &Layout) -> u32 {
        l.first + self.regs(l.lanes, l.address) * self.grf
    }
}

/// `count` elements of `bytes` bytes per lane, each component in registers of its own.
fn elements(
    mail: &mut Mail<'_, '_>,
    l: &Layout,
    access: Access,
    components: &[u32],
    bytes: u32,
    slot: u32,
    scale: u64,
) -> Result<SendKind, Trap> {
    let block = mail.regs(l.lanes, slot) * mail.grf;
    let start = mail.data_start(l);
    let count = to_index(components.len());
    mail.expect_access(access, start / mail.grf, count * block / mail.grf);
    for lane in lanes_of(mail.on, l.lanes) {
        let base = mail.scattered_address(l, lane)?.wrapping_mul(scale);
        for (k, component) in components.iter().enumerate() {
            let at = base.wrapping_add(u64::from(component * bytes));
            let at = if l.address == 4 { at & 0xffff_ffff } else { at };
            let reg = to_index(k) * block + lane * slot;
            if access.is_store() {
                let v = mail.data(start + reg, bytes)?;
                mail.store(l.place, at, bytes, v)?;
            } else {
                let v = mail.load(l.place, at, bytes)?;
                mail.reply(reg, slot, v)?;
            }
        }
    }
    Ok(mail.kind_of(l.place, access.into()))
}

fn atomics(mail: &mut Mail<'_, '_>, l: &Layout, op: Operation, bytes: u32) -> Result<SendKind, Trap> {
    let returns = mail.as_kind::<AtomicMessage>().returns();
    let slot = bytes.max(4);
    let block = mail.regs(l.lanes, slot) * mail.grf;
    let start = mail.data_start(l);
    let regs = start / mail.grf + op.operands() * block / mail.grf;
    mail.expect(regs, if returns { block / mail.grf } else { 0 });
    for lane in lanes_of(mail.on, l.lanes) {
        let at = mail.scattered_address(l, lane)?;
        let operand = |mail: &mut Mail<'_, '_>, k: u32| {
            if k < op.operands() { mail.data(start + k * block + lane * slot, bytes) } else { Ok(0) }
        };
        let (a, b) = (operand(mail, 0)?, operand(mail, 1)?);
        let old = mail.load(l.place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        mail.store(l.place, at, bytes, new)?;
        if returns {
            mail.reply(lane * slot, slot, op.result(old, new))?;
        }
    }
    Ok(mail.kind_of(l.place, SendKind::Atomic))
}

/// Components a channel mask leaves enabled (a set bit disables).
fn enabled(mask: u8) -> ([u32; 4], usize) {
    let mut out = [0; 4];
    let mut n = 0;
    for c in (0..4).filter(|c| mask >> c & 1 == 0) {
        out[n] = c;
        n += 1;
    }
    (out, n)
}

/// Elements of one lane, by number.
const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Data cache 0, and the messages of it that the read-only cache has.
pub(super) fn dc0(mail: &mut Mail<'_, '_>, row: &DataPortMessage) -> Result<SendKind, Trap> {
    let access = Access::store_if(row.effect == Effect::Store);
    match row.form {
        Form::Fence => fence(mail),
        Form::OwordBlock => block::owords(mail, access, 16),
        Form::UnalignedOwordBlock => block::owords(mail, access, 1),
        Form::Scattered(element) => scattered(mail, element, access),
        _ => not_modelled(row),
    }
}

fn scattered(mail: &mut Mail<'_, '_>, element: ElementType, access: Access) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<Scattered>();
    let lanes = mail.simd(fields.simd16());
    let l = mail.layout(lanes, mail.place(fields.surface()), 4);
    let size = 1 << fields.size_log2();
    match element {
        ElementType::Byte => elements(mail, &l, access, &[0], size, 4, 1),
        // Dword messages count their offsets in dwords.
        ElementType::Dword => elements(mail, &l, access, &[0], 4, 4, 4),
        ElementType::Qword => elements(mail, &l, access, &COUNT[..as_index(size)], 8, 8, 1),
    }
}

fn not_modelled(row: &DataPortMessage) -> Result<SendKind, Trap> {
    Err(format!("the message `{}` ({:?}) is not modelled", row.words, row.form).into())
}

/// Data cache 1: untyped surfaces, atomics, A64.
pub(super) fn dc1(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let Some(message) = Dc1::of(mail.desc) else { return Err("no such message to data cache 1".into()) };
    let row = message.row();
    let access = Access::store_if(row.effect == Effect::Store);
    match row.form {
        Form::Untyped => untyped(mail, row.addresses, access),
        Form::IntegerAtomic(bits) => integer_atomic(mail, row.addresses, u32::from(bits) / 8),
        Form::Counter(32) => integer_atomic(mail, row.addresses, 4),
        Form::FloatAtomic(bits) => float_atomic(mail, row.addresses, u32::from(bits) / 8),
        Form::A64Scattered => scattered_a64(mail, access),
        Form::A64Block => block::a64(mail, access),
        Form::MediaBlock => block::media(mail, access),
        Form::Typed => typed::read_or_write(mail, access),
        Form::TypedAtomic(32) => typed::atomic(mail),
        _ => not_modelled(&row),
    }
}

/// Where a message of data cache 1 goes, and the bytes of an address.
fn target(mail: &Mail<'_, '_>, addresses: Addresses) -> (Place, u32) {
    match addresses {
        Addresses::A64 => (Place::Flat, 8),
        Addresses::Surface | Addresses::Texels => (mail.place(mail.desc.surface()), 4),
    }
}

fn untyped(mail: &mut Mail<'_, '_>, addresses: Addresses, access: Access) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<Surface>();
    let lanes = match fields.simd_mode() {
        Some(ScatteredSimdMode::Simd16) => 16,
        Some(ScatteredSimdMode::Simd8) => mail.native_lanes(),
        Some(ScatteredSimdMode::Simd4x2) | None => return Err("a SIMD4x2 message is not modelled".into()),
    };
    let (components, n) = enabled(fields.disabled_channels());
    let (place, address) = target(mail, addresses);
    let l = mail.layout(lanes, place, address);
    elements(mail, &l, access, &components[..n], 4, 4, 1)
}

fn integer_atomic(mail: &mut Mail<'_, '_>, addresses: Addresses, bytes: u32) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<AtomicMessage>();
    let Some(op) = fields.integer() else { return Err("no such atomic".into()) };
    let (place, address) = target(mail, addresses);
    // The field for the width says how many lanes there are; of dwords at 64-bit addresses how wide they are.
    let (sixteen, bytes) = match addresses {
        Addresses::A64 if bytes == 4 => (false, if fields.width() { 8 } else { bytes }),
        Addresses::A64 => (fields.width(), bytes),
        _ if op == AtomicOp::CmpXchgWide && bytes == 4 => (!fields.width(), 8),
        _ => (!fields.width(), bytes),
    };
    let l = mail.layout(mail.simd(sixteen), place, address);
    atomics(mail, &l, op.row(), bytes)
}

fn float_atomic(mail: &mut Mail<'_, '_>, addresses: Addresses, bytes: u32) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<AtomicMessage>();
    let Some(op) = fields.float() else { return Err("no such atomic".into()) };
    let (place, address) = target(mail, addresses);
    let l = mail.layout(mail.simd(fields.width() == (addresses == Addresses::A64)), place, address);
    let wide = matches!(op, FloatAtomicOp::FAddWide | FloatAtomicOp::FSubWide) && bytes == 4;
    atomics(mail, &l, op.row(), if wide { 8 } else { bytes })
}

fn scattered_a64(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let fields = mail.as_kind::<A64Scattered>();
    let l = mail.layout(mail.simd(fields.simd16()), Place::Flat, 8);
    let n = 1 << fields.count_log2();
    match fields.element() {
        Some(ElementType::Byte) if n == 8 => elements(mail, &l, access, &[0], 8, 8, 1),
        Some(ElementType::Byte) => elements(mail, &l, access, &[0], to_index(n), 4, 1),
        Some(ElementType::Dword) => elements(mail, &l, access, &COUNT[..n], 4, 4, 1),
        Some(ElementType::Qword) => elements(mail, &l, access, &COUNT[..n], 8, 8, 1),
        None => Err("a message with status return is not modelled".into()),
    }
}

//! LSC messages (Xe-HPC): untyped loads, stores and atomics, blocks, fences.

use super::{Mail, Place, atomic::Atomic, lanes_of, mail::names_scratch};
use crate::{opaque::Question, report::SendKind, thread::Trap};
use gen_ir::Sfid;
use messages::{
    Access, Descriptor, Effect, Operation,
    lsc::{
        AddressModel, Block2d, BlockShape, BtiExtended, DataSize, FlatExtended, LscForm, Op, Quad,
        SurfaceStateExtended, Untyped,
    },
};
use narrow::{low_i32, low_u32, low_u64};

/// Bytes in memory and bytes a lane takes in a register, and the shift of the register's bits.
fn data_size(size: Option<DataSize>) -> Result<(u32, u32, u32), Trap> {
    let Some(size) = size else { return Err("no such LSC data size".into()) };
    Ok((size.memory_bytes(), size.register_bytes(), size.register_shift()))
}

struct Target {
    place: Place,
    /// Added to every address.
    offset: i64,
    /// Bytes of an address.
    address: u32,
}

fn target(mail: &Mail<'_, '_>) -> Result<Target, Trap> {
    let desc = mail.as_kind::<Untyped>();
    let Some(address) = desc.address_size() else { return Err("no such LSC address size".into()) };
    let address = address.bytes();
    let ex = mail.ex_desc;
    let (place, offset) = match desc.address_model() {
        Some(AddressModel::Flat) => (Place::Flat, FlatExtended::from(ex).offset().into()),
        Some(AddressModel::Bss) => (Place::State(SurfaceStateExtended::from(ex).byte_offset()), 0),
        // The surface's state in r0.5 leads to this thread's part; compilers leave what else r0.5 holds below it.
        Some(AddressModel::Ss) if names_scratch(ex) => (Place::Scratch, 0),
        Some(AddressModel::Ss) => return Err(format!("no scratch surface at {:#x}", ex.into_bits()).into()),
        Some(AddressModel::Bti) | None => {
            let ex = BtiExtended::from(ex);
            (mail.place(ex.surface()), ex.offset().into())
        }
    };
    let place = if mail.m.sfid == Sfid::Slm { Place::Slm } else { place };
    Ok(Target { place, offset, address })
}

/// Whether a message only brings memory nearer, wherever that is: a load without a destination.
fn brings_nearer(mail: &Mail<'_, '_>, access: Access) -> bool {
    access == Access::Load && mail.rlen == 0 && mail.m.dst.is_none()
}

/// Channels that payload registers are laid out for: the native width at least.
fn width(mail: &Mail<'_, '_>) -> u32 {
    mail.lanes.max(mail.cx.program.platform.caps().regs.native_lanes().into())
}

fn effective(mail: &mut Mail<'_, '_>, t: &Target, lane: u32) -> Result<u64, Trap> {
    let a = mail.address(lane * t.address, t.address)?.wrapping_add_signed(t.offset);
    Ok(if t.address == 8 { a } else { a & 0xffff_ffff })
}

pub(super) fn run(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let op = mail.as_kind::<Untyped>().op();
    let typed = mail.m.sfid == Sfid::Tgm;
    let row = op.map(Op::row);
    let access = Access::store_if(row.is_some_and(|row| row.effect == Effect::Store));
    match row.map(|row| row.form) {
        Some(LscForm::Fence) => super::fence(mail),
        Some(LscForm::Vector) => vector(mail, access),
        Some(LscForm::Strided) => strided(mail, access),
        Some(LscForm::Quad) => quad(mail, access),
        Some(LscForm::Status) => {
            // A bit a lane; all of memory is resident.
            mail.reply(0, 4, mail.on.into())?;
            Ok(SendKind::Load)
        }
        Some(LscForm::Block2d) => block2d(mail, access),
        Some(LscForm::State) if mail.cx.opaque.contains(&Sfid::Tgm) => state_info(mail),
        Some(LscForm::Atomic(operation)) if typed => super::typed::lsc_atomic(mail, operation),
        Some(LscForm::Atomic(operation)) => atomics(mail, operation),
        _ => Err(format!("LSC message {} is not modelled", name(op, mail.desc)).into()),
    }
}

fn name(op: Option<Op>, desc: Descriptor) -> String {
    match op {
        Some(op) => format!("{op:?}"),
        None => format!("of descriptor {:#x}", desc.into_bits()),
    }
}

/// What there is to know of a surface, from a black box, which is told the surface and the first coordinate.
fn state_info(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let place = target(mail)?.place;
    let question = Question::to(Sfid::Tgm).with(mail.surface(place)?.base).with(mail.address(0, 4)?);
    mail.cx.asked.push(question.number());
    for byte in 0..mail.rlen * mail.grf {
        mail.reply(byte, 1, question.byte(byte).into())?;
    }
    Ok(SendKind::Load)
}

/// Moves bytes at an address between memory and a slot of the data, shifted there: those of a store start at a byte of the
/// payload.
fn element(
    mail: &mut Mail<'_, '_>,
    place: Place,
    (at, bytes): (u64, u32),
    (reg, slot, shift): (u32, u32, u32),
    stored: Option<u32>,
) -> Result<(), Trap> {
    match stored {
        Some(start) => {
            let v = mail.data(start + reg, slot)? >> shift;
            mail.store(place, at, bytes, v)
        }
        None => {
            let v = mail.load(place, at, bytes)? << shift;
            mail.reply(reg, slot, v)
        }
    }
}

/// Data of lanes, in memory and in a payload.
struct Elements {
    lanes: u32,
    /// Registers of all.
    registers: u32,
    /// Bytes of a datum in memory.
    bytes: u32,
    /// Its bytes in a register, and the shift of its bits there.
    slot: u32,
    shift: u32,
    /// Bytes of registers from a lane to the next, and from a datum of an address to the next.
    by_lane: u32,
    by_datum: u32,
}

impl Elements {
    /// One datum of all lanes after the other, or, transposed, all data of one lane after the other.
    fn new(
        mail: &Mail<'_, '_>,
        size: Option<DataSize>,
        lanes: u32,
        count: u32,
        transposed: bool,
    ) -> Result<Elements, Trap> {
        let (bytes, slot, shift) = data_size(size)?;
        let (rows, in_row) = if transposed { (lanes, count) } else { (count, lanes) };
        let row = mail.regs(in_row, slot);
        let (near, far) = (slot, row * mail.grf);
        let (by_lane, by_datum) = if transposed { (far, near) } else { (near, far) };
        Ok(Elements { lanes, registers: rows * row, bytes, slot, shift, by_lane, by_datum })
    }

    /// Loads or stores them: of each lane the data at so many data from its address. `sent`: registers of addresses.
    fn transfer(
        &self,
        mail: &mut Mail<'_, '_>,
        access: Access,
        (place, sent): (Place, u32),
        components: impl Iterator<Item = u32> + Clone,
        mut address: impl FnMut(&mut Mail<'_, '_>, u32) -> Result<u64, Trap>,
    ) -> Result<SendKind, Trap> {
        mail.expect_access(access, sent, self.registers);
        if brings_nearer(mail, access) {
            return Ok(SendKind::Load);
        }
        let stored = access.is_store().then_some(mail.len0.max(sent) * mail.grf);
        for lane in lanes_of(mail.on, self.lanes) {
            let base = address(mail, lane)?;
            for (k, c) in (0..).zip(components.clone()) {
                let at = base.wrapping_add(u64::from(c * self.bytes));
                let reg = lane * self.by_lane + k * self.by_datum;
                element(mail, place, (at, self.bytes), (reg, self.slot, self.shift), stored)?;
            }
        }
        Ok(mail.kind_of(place, access.into()))
    }
}

/// What the descriptor says of data that are counted.
fn counted(mail: &Mail<'_, '_>) -> Result<(Option<DataSize>, u32, bool), Trap> {
    let desc = mail.as_kind::<Untyped>();
    let Some(count) = desc.vector_size() else { return Err("no such LSC vector size".into()) };
    Ok((desc.data_size(), count.elements(), desc.transpose()))
}

fn vector(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let t = target(mail)?;
    let (size, count, transposed) = counted(mail)?;
    // Transposed data have one address.
    let lanes = if transposed { 1 } else { width(mail) };
    let elements = Elements::new(mail, size, lanes, count, transposed)?;
    let sent = mail.regs(lanes, t.address);
    elements.transfer(mail, access, (t.place, sent), 0..count, |mail, lane| effective(mail, &t, lane))
}

/// Base address and pitch stand in the first payload register, the pitch in its third dword (Intel's finalizer,
/// `lscBuildStridedPayload`): lane n has its data n pitches behind the base.
fn strided(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let t = target(mail)?;
    let (size, count, transposed) = counted(mail)?;
    let lanes = if transposed { mail.lanes } else { width(mail) };
    let elements = Elements::new(mail, size, lanes, count, transposed)?;
    let (base, pitch) = (effective(mail, &t, 0)?, mail.address(8, 4)?);
    let most = if t.address == 8 { u64::MAX } else { u32::MAX.into() };
    elements.transfer(mail, access, (t.place, 1), 0..count, |_, lane| {
        Ok(base.wrapping_add(pitch.wrapping_mul(lane.into())) & most)
    })
}

fn quad(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    if mail.m.sfid == Sfid::Tgm {
        return super::typed::lsc_quad(mail, access);
    }
    let t = target(mail)?;
    let desc = mail.as_kind::<Quad>();
    let mask = u32::from(desc.channels());
    let lanes = width(mail);
    let elements = Elements::new(mail, desc.data_size(), lanes, mask.count_ones(), false)?;
    let sent = mail.regs(lanes, t.address);
    let channels = (0..4).filter(|c| mask >> c & 1 != 0);
    elements.transfer(mail, access, (t.place, sent), channels, |mail, lane| effective(mail, &t, lane))
}

fn atomics(mail: &mut Mail<'_, '_>, op: Operation) -> Result<SendKind, Trap> {
    let t = target(mail)?;
    let desc = mail.as_kind::<Untyped>();
    let (bytes, slot, shift) = data_size(desc.data_size())?;
    let lanes = width(mail);
    let block = mail.regs(lanes, slot) * mail.grf;
    let address_regs = mail.regs(lanes, t.address);
    let returns = mail.rlen != 0 && mail.m.dst.is_some();
    let back = if returns { block / mail.grf } else { 0 };
    mail.expect(address_regs + op.operands() * block / mail.grf, back);
    let start = mail.len0.max(address_regs) * mail.grf;
    for lane in lanes_of(mail.on, lanes) {
        let at = effective(mail, &t, lane)?;
        let operand = |mail: &mut Mail<'_, '_>, k: u32| -> Result<u64, Trap> {
            if k < op.operands() {
                Ok(mail.data(start + k * block + lane * slot, slot)? >> shift)
            } else {
                Ok(0)
            }
        };
        let (a, b) = (operand(mail, 0)?, operand(mail, 1)?);
        let old = mail.load(t.place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        mail.store(t.place, at, bytes, new)?;
        if returns {
            mail.reply(lane * slot, slot, op.result(old, new) << shift)?;
        }
    }
    Ok(mail.kind_of(t.place, SendKind::Atomic))
}

/// Block2D: base, width, height and pitch (each less one, bytes), x, y and the block's shape in the
/// first payload register. Reads outside give zero, writes outside are dropped. What is left of rows, and of a block's last
/// register, comes back as zero (vISA, LSC_UNTYPED, load of a block: `fill_grf_zeros`).
fn block2d(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let base = mail.address(0, 8)?;
    let mut word = |at: u32| mail.address(at, 4).map(low_u32);
    let (width, height) = (u64::from(word(8)?) + 1, u64::from(word(12)?) + 1);
    let pitch = u64::from(word(16)?) + 1;
    let (x, y) = (i64::from(low_i32(word(20)?)), i64::from(low_i32(word(24)?)));
    let [cols, rows, blocks] = BlockShape::from_bits(word(28)?).sizes();
    if brings_nearer(mail, access) {
        return Ok(SendKind::Load);
    }
    let desc = mail.as_kind::<Block2d>();
    let (bytes, ..) = data_size(desc.data_size())?;
    let (transpose, vnni) = (desc.transpose(), desc.vnni());
    // Elements that VNNI packs into a dword, from consecutive rows.
    let pack = if vnni { 4 / bytes.min(4) } else { 1 };
    let (out_cols, out_rows) = if transpose { (rows, cols) } else { (cols, rows.next_multiple_of(pack)) };
    let row_elements = out_cols.next_power_of_two();
    let block_bytes = (row_elements * out_rows * bytes).next_multiple_of(mail.grf);
    if !access.is_store() {
        for at in (0..blocks * block_bytes).step_by(8) {
            mail.reply(at, 8, 0)?;
        }
    }
    for b in 0..blocks {
        for r in 0..rows {
            for c in 0..cols {
                let (ex, ey) = (x + i64::from(b * cols + c), y + i64::from(r));
                let inside = ex >= 0
                    && ey >= 0
                    && (low_u64(ex) + 1).saturating_mul(bytes.into()) <= width
                    && low_u64(ey) < height;
                let place = if transpose {
                    c * row_elements + r
                } else {
                    (r / pack) * row_elements * pack + c * pack + r % pack
                };
                let reg = b * block_bytes + place * bytes;
                let at = base
                    .wrapping_add(low_u64(ey).wrapping_mul(pitch))
                    .wrapping_add(low_u64(ex).wrapping_mul(bytes.into()));
                if access.is_store() {
                    if inside {
                        let v = mail.data(mail.len0 * mail.grf + reg, bytes)?;
                        mail.store(Place::Flat, at, bytes, v)?;
                    }
                } else {
                    let v = if inside { mail.load(Place::Flat, at, bytes)? } else { 0 };
                    mail.reply(reg, bytes, v)?;
                }
            }
        }
    }
    Ok(access.into())
}

//! What the raw operands of a message hold: its payload and its response. The entries of `table/message.rs` and
//! `table/structs.rs` say it behind each operand, in the words of this file.
//!
//! Lowering and the interpreter both ask, so one cannot judge the other there: Intel's code of each form does
//! (`tests::messages`).
//!
//! | not said here | why |
//! |---|---|
//! | append counters, typed blocks, a paired surface | no platform here has them: nothing is made of them |
//! | what typed loads of the load/store cache give but by channels | it depends on the surface's format |
//! | `sample_unorm` of 8 bits: registers of its response | hardware returns two registers of each channel, of which half are the pixels; lowering knows |
//! | matrices of `dpas` | it is no message; its lengths follow from two precisions and two types (`verify::message`) |
//! | which sources an atomic has | the operation says it, of all messages with atomics: [`AtomicOp::sources`], [`LscOp::atomic_sources`] |
//! | names and types of operands in `tests::messages::forms` of atomics | Intel's reader takes data of the operation's type alone: a matter of how the form is written, not of what the message holds |

use super::*;
use crate::table::{Enc, Role, Slot, Text, Types, When, entry_fields::*};

/// What a raw operand holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// The table does not say: how much it is depends on types, or stands in the message itself.
    Unsaid,
    /// So many bytes of the thread.
    Bytes(u32),
    /// So many whole registers of the thread.
    Registers(u32),
    /// Blocks of the thread, each from a register on.
    Blocks {
        /// How many.
        count: u32,
        /// Bytes of each.
        bytes: u32,
    },
    /// Something of each lane.
    Lanes(PerLane),
    /// So many blocks of an element of each lane, a word or a dword as the variable's type is: see [`Holds::of_elements`].
    Elements(u32),
}

/// How an operand holds something of each lane: in blocks of all lanes, one after the other, as of each channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerLane {
    /// Blocks of all lanes.
    pub blocks: u32,
    /// Bytes of a lane in a block that mean something.
    pub bytes: u32,
    /// Bytes from a lane to the next.
    pub stride: u32,
}

impl PerLane {
    /// In so many blocks.
    #[must_use]
    pub const fn blocks(self, blocks: u32) -> PerLane {
        PerLane { blocks, ..self }
    }

    /// In a dword of each lane at least.
    #[must_use]
    pub const fn in_dwords(self) -> PerLane {
        PerLane { stride: if self.bytes < 4 { 4 } else { self.bytes }, ..self }
    }

    /// Bytes of so many lanes, block after block without a gap.
    pub const fn total(self, lanes: u32) -> u32 {
        self.blocks * lanes * self.stride
    }
}

impl From<PerLane> for Holds {
    fn from(lanes: PerLane) -> Holds {
        Holds::Lanes(lanes)
    }
}

impl Holds {
    /// The same, where an element of each lane has so many bytes.
    #[must_use]
    pub const fn of_elements(self, bytes: u32) -> Holds {
        match self {
            Holds::Elements(blocks) => Holds::Lanes(lanes(bytes).blocks(blocks)),
            other => other,
        }
    }

    /// Bytes of registers of `grf` bytes that so many lanes fill; nothing if that is not said, or depends on the variable's
    /// type. All blocks but the last fill registers.
    pub fn total(self, lanes: u32, grf: u32) -> Option<u32> {
        let blocks = |count: u32, bytes: u32| count.saturating_sub(1) * bytes.next_multiple_of(grf) + bytes;
        match self {
            Holds::Unsaid | Holds::Elements(_) => None,
            Holds::Bytes(bytes) => Some(bytes),
            Holds::Registers(count) => Some(count * grf),
            Holds::Blocks { count, bytes } => Some(blocks(count, bytes)),
            Holds::Lanes(holds) => Some(blocks(holds.blocks, lanes * holds.stride)),
        }
    }
}

/// So many bytes of the thread.
const fn bytes(bytes: u32) -> Holds {
    Holds::Bytes(bytes)
}

/// So many registers of the thread.
fn registers(count: u8) -> Holds {
    Holds::Registers(count.into())
}

/// So many blocks of an element of each lane.
const fn elements(blocks: u32) -> Holds {
    Holds::Elements(blocks)
}

/// So many bytes of each lane.
const fn lanes(bytes: u32) -> PerLane {
    PerLane { blocks: 1, bytes, stride: bytes }
}

/// An operand or the result of an atomic operation of so many bits.
fn atomic(bits: u8) -> PerLane {
    lanes(u32::from(bits) / 8).in_dwords()
}

/// Blocks of each lane: single bytes lie together, in a dword at least, others one block of all lanes after the other.
fn lanes_of_blocks(bytes: u8, blocks: u8) -> PerLane {
    match bytes {
        1 => lanes(blocks.into()).in_dwords(),
        _ => lanes(bytes.into()).blocks(blocks.into()),
    }
}

/// Bytes of registers from a row of a media block to the next: a power of two, at least a dword.
pub fn media_pitch(width: u8) -> u32 {
    u32::from(width).next_power_of_two().max(4)
}

fn media_bytes(width: u8, height: u8) -> u32 {
    media_pitch(width) * u32::from(height)
}

/// Bytes of so many pixels, with 16 or 8 bits of each channel.
const fn pixel_bytes(pixels: u32, channels: ChannelMask, format: u8) -> u32 {
    pixels * channels.count() * if format < 2 { 2 } else { 1 }
}

/// Bytes of the pixels of `sample_unorm`.
const fn unorm_bytes(channels: ChannelMask, format: u8) -> u32 {
    pixel_bytes(32, channels, format)
}

/// Bytes of the pixels of `avs`: 16 by 4, 8 by 4, 16 by 8 or 4 by 4 of them.
const fn avs_bytes(mode: u8, channels: ChannelMask, format: u8) -> u32 {
    let pixels = match mode & 3 {
        0 => 64,
        1 => 32,
        2 => 128,
        _ => 16,
    };
    pixel_bytes(pixels, channels, format)
}

/// What each of the lanes of an old sample or load has in so many channels, or a coordinate: a dword, without a gap
/// (16 lanes fill registers, and eight do where these messages exist).
const fn legacy_bytes(lanes: SampleLanes, channels: u32) -> u32 {
    4 * lanes.count() * channels
}

/// Channels that a sampler message gives: a gather has its one channel of four texels.
pub const fn sampled_channels(kind: SampleKind, channels: u8) -> u32 {
    match kind {
        SampleKind::Gather => 4,
        SampleKind::Sample | SampleKind::Load => ChannelMask(channels & 15).count(),
    }
}

/// Bytes of the records of an integer search, where they come back or go in: two registers, of two references four. The
/// search control is the hardware's field (0, 1, 3, 7; 7 is two references with two records), as in Intel's finalizer, and so
/// is which messages have records: the specification's text counts 0 to 3, and both wherever there is one.
const fn vme_records(search: u8) -> u32 {
    if search == 7 { 128 } else { 64 }
}

/// Bytes that go into an integer search, with records if bit 1 of its stream mode is set.
const fn vme_search_input(stream: u8, search: u8) -> u32 {
    64 + if stream & 2 != 0 { vme_records(search) } else { 0 }
}

/// Bytes that come back from an integer search, with records if bit 0 of its stream mode is set.
const fn vme_search_output(stream: u8, search: u8) -> u32 {
    224 + if stream & 1 != 0 { vme_records(search) } else { 0 }
}

/// Addresses of the load/store cache: one of each lane, or the base of a strided access.
fn lsc_addresses(op: LscOp, size: LscAddrSize) -> Holds {
    if op.is_strided() { bytes(size.bytes()) } else { lanes(size.bytes()).into() }
}

/// Data of the load/store cache: one element of all lanes after the other, or all elements of one address.
fn lsc_data(op: LscOp, shape: LscShape) -> Holds {
    let element = shape.size.register_bytes();
    match (op.kind(), shape.order) {
        _ if op == LscOp::LoadStatus => bytes(4),
        (LscKind::Other, _) => Holds::Unsaid,
        (_, LscOrder::Transpose) => bytes(element * shape.per_address()),
        (_, LscOrder::NonTranspose) => lanes(element).blocks(shape.per_address()).into(),
    }
}

/// Blocks of two dimensions, each from a register on: rows of a power of two of elements, which are columns of memory if
/// transposed. The transformation for `dpas` (VNNI) joins the rows of a dword, so there are as many as fill one. What is
/// larger than the message can say is no block.
fn lsc_blocks2d(
    size: LscDataSize,
    order: LscOrder,
    blocks: u8,
    [width, height]: [u16; 2],
    vnni: bool,
) -> Holds {
    if width > 256 || height > 256 {
        return Holds::Unsaid;
    }
    let element = size.register_bytes();
    let (row, rows) = match order {
        LscOrder::NonTranspose => (width, height),
        LscOrder::Transpose => (height, width),
    };
    let (row, mut rows) = (u32::from(row).next_power_of_two(), u32::from(rows));
    if vnni {
        rows = rows.next_multiple_of((4 / element).max(1));
    }
    Holds::Blocks { count: blocks.into(), bytes: row * rows * element }
}

/// Data of texels. (What loads give that are not of channels, and what messages give that are no accesses, is not said.)
fn lsc_texels(op: LscOp, shape: LscShape) -> Holds {
    if op.kind() == LscKind::Load && op != LscOp::LoadQuad { Holds::Unsaid } else { lsc_data(op, shape) }
}

/// Coordinates of texels, of each lane but in a question about the surface.
fn lsc_coordinates(op: LscOp, size: LscAddrSize) -> Holds {
    match (op, size) {
        (LscOp::ReadStateInfo, _) => Holds::Unsaid,
        (_, LscAddrSize::A16) => lanes(2).into(),
        _ => lanes(4).into(),
    }
}

/// One raw operand of a message.
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// Its field in the table.
    pub slot: &'static Slot,
    /// What it holds.
    pub holds: Holds,
}

impl Payload {
    /// Whether the message writes it.
    pub fn is_written(&self) -> bool {
        self.slot.role == Role::Dst
    }

    /// Whether it is what the message is about: what it loads, gets back or stores.
    fn is_data(&self) -> bool {
        self.is_written() || self.slot.name == "data"
    }
}

/// A raw operand with something of each lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneOperand {
    /// The operand.
    pub operand: RawOperand,
    /// How it holds that.
    pub holds: PerLane,
    /// The message writes it.
    pub written: bool,
}

/// The view of a message, or its pattern. In brackets stands a field that the sub-opcode says.
macro_rules! entry {
    ([$($view:tt)+] $(($($said:ident = $kind:ident::$value:ident),+))? $([$sub:ident])?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {
        $($view)+ { $($($said: $kind::$value,)+)? $($sub,)? $($($($f,)*)?)* }
    };
}

/// Visits the raw operands of an entry. The fields of the view can be changed from then on.
macro_rules! visit_entry {
    ($visit:ident $(($($said:ident = $kind:ident::$value:ident),+))?
        { $($($slot:expr),+ $(=> ($($f:ident: $type:tt $doc:literal),*) $($code:ident)? $(unless $lacks:tt)? $(: $holds:expr)?)?;)* }) => {
        $($(
            #[allow(non_upper_case_globals, dead_code, reason = "the field of the view; few ask it")]
            const $said: $kind = $kind::$value;
        )+)?
        $($($(let mut $f = $f;)*)?)*
        $(visit_group!($visit, [$($slot),+], [$($($lacks)?)?], $($([$f $type])* : [$($holds)?])?);)*
    };
}

/// Visits fields that belong together, unless the instruction has none of them.
macro_rules! visit_group {
    ($visit:ident, $slots:tt, [], $($rest:tt)*) => {
        visit_fields!($visit, $slots, $($rest)*);
    };
    ($visit:ident, $slots:tt, [$lacks:tt], $($rest:tt)*) => {
        if !$lacks {
            visit_fields!($visit, $slots, $($rest)*);
        }
    };
}

/// Visits the fields of a view that a group of fields of the object is.
macro_rules! visit_fields {
    ($visit:ident, $slots:tt, [$f:ident $type:tt] $($rest:tt)*) => {
        visit_field!($visit, $f, $type, $slots, $($rest)*);
        visit_fields!($visit, $slots, $($rest)*);
    };
    ($visit:ident, $slots:tt, $(: $holds:tt)?) => {};
}

/// Visits a field, if it is a raw operand or several.
macro_rules! visit_field {
    ($visit:ident, $field:ident, RawOperand, $slots:tt, $([$($other:tt)+])* : $holds:tt) => {
        visit_each!($visit, [&mut $field], $slots, $holds);
    };
    ($visit:ident, $field:ident, (Option<RawOperand>), $slots:tt, $([$($other:tt)+])* : $holds:tt) => {
        visit_each!($visit, &mut $field, $slots, $holds);
    };
    ($visit:ident, $field:ident, [RawOperand; $count:literal], $slots:tt, $([$($other:tt)+])* : $holds:tt) => {
        visit_each!($visit, &mut $field, $slots, $holds);
    };
    ($visit:ident, $field:ident, (Raws), $slots:tt, $([$($other:tt)+])* : $holds:tt) => {
        visit_list!($visit, $field, $slots, $holds);
    };
    ($visit:ident, $field:ident, $type:tt, $slots:tt, $($rest:tt)*) => {};
}

/// Visits the raw operands of a list, which are the kernel's: they stay as they are.
macro_rules! visit_list {
    ($visit:ident, $list:ident, $slots:tt, $holds:tt) => {{
        const SLOTS: &[Slot] = &$slots;
        let holds = holds!($holds);
        for slot in SLOTS {
            for mut operand in $list.iter() {
                $visit(&mut operand, Payload { slot, holds })?;
            }
        }
    }};
}

/// Visits raw operands, each with its field of the object.
macro_rules! visit_each {
    ($visit:ident, $operands:expr, $slots:tt, $holds:tt) => {{
        const SLOTS: &[Slot] = &$slots;
        let holds = holds!($holds);
        for (operand, slot) in $operands.into_iter().zip(SLOTS.iter().filter(|slot| slot.enc == Enc::Raw)) {
            $visit(operand, Payload { slot, holds })?;
        }
    }};
}

/// What an entry says that an operand holds.
macro_rules! holds {
    ([]) => {
        Holds::Unsaid
    };
    ([$holds:expr]) => {
        Holds::from($holds)
    };
}

macro_rules! payloads {
    ({ $(
        $(#[$doc:meta])*
        $view:ident $builder:ident($($exec:ident)?) $text:ident $(says ($($told:tt)+))? [
            $($message:ident $(= $byte:literal)? $(($message_sub:literal))? $name:literal $(($($said:tt)+))?),+
        ] on $has:tt $fields:tt
    )+ }
    structs { $(
        $(#[$struct_doc:meta])*
        $struct:ident $(<$life:lifetime>)? $struct_builder:ident $(says ($($struct_told:tt)+))?
        [$($struct_of:ident = $struct_byte:literal $struct_name:literal $(($($struct_said:tt)+))?),+]
        on $struct_has:tt $struct_fields:tt
    )+ }
    lsc { $(
        $(#[$lsc_doc:meta])*
        $lsc:ident $(<$lsc_life:lifetime>)? $lsc_builder:ident $lsc_of:ident($lsc_op:ident) [$($operation:ident),+] on $lsc_has:tt $lsc_fields:tt
    )+ }) => {
        impl Op<'_> {
            /// Visits the raw operands of a message in the order of the table, and changes them; but those of lists, the
            /// parameters of a sample, stay as they are.
            ///
            /// # Errors
            ///
            /// The first of the visitor.
            #[allow(unused_variables, unused_mut, reason = "few fields are raw operands, or say what these hold")]
            pub fn payloads_mut<E>(
                &mut self,
                visit: &mut impl FnMut(&mut RawOperand, Payload) -> Result<(), E>,
            ) -> Result<(), E> {
                match *self {
                    $($(entry!([Op::$view] $(($($said)+))? $fields) => {
                        visit_entry!(visit $(($($said)+))? $fields);
                        *self = entry!([Op::$view] $(($($said)+))? $fields);
                    })+)+
                    $($(Op::$struct(entry!([$struct] $(($($struct_said)+))? $struct_fields)) => {
                        visit_entry!(visit $(($($struct_said)+))? $struct_fields);
                        *self = Op::$struct(entry!([$struct] $(($($struct_said)+))? $struct_fields));
                    })+)+
                    $(Op::$lsc(entry!([$lsc] [$lsc_op] $lsc_fields)) => {
                        visit_entry!(visit $lsc_fields);
                        *self = Op::$lsc(entry!([$lsc] [$lsc_op] $lsc_fields));
                    })+
                    _ => {}
                }
                Ok(())
            }
        }
    };
}

macro_rules! with_structs {
    ($($before:tt)+) => {
        struct_instructions!(payloads { $($before)+ });
    };
}
message_instructions!(with_structs);

impl Op<'_> {
    /// Visits the raw operands of a message, as [`Op::payloads_mut`] does.
    pub fn payloads(mut self, mut visit: impl FnMut(RawOperand, Payload)) {
        let seen: Result<(), std::convert::Infallible> = self.payloads_mut(&mut |operand, payload| {
            visit(*operand, payload);
            Ok(())
        });
        seen.unwrap_or_else(|never| match never {});
    }

    /// What a message of the thread loads or gets back, or else stores, and what that holds.
    pub fn data(self) -> Option<(RawOperand, Holds)> {
        let mut found = None;
        self.payloads(|operand, payload| {
            if payload.is_data() {
                found = Some((operand, payload.holds));
            }
        });
        found
    }

    /// Addresses or coordinates of a message of lanes: what its table has first.
    pub fn lane_addresses(self) -> Option<LaneOperand> {
        let mut found = None;
        self.lane_operands(|operand, _| {
            found.get_or_insert(operand);
        });
        found
    }

    /// What lanes load or store, or get back of an atomic.
    pub fn lane_data(self) -> Option<LaneOperand> {
        let mut found = None;
        self.lane_operands(|operand, payload| {
            if payload.is_data() {
                found = Some(operand);
            }
        });
        found
    }

    /// True for a message whose raw operands all hold something of each lane, whatever the types of their variables.
    pub fn has_lanes(self) -> bool {
        let (mut of_lanes, mut others) = (false, false);
        self.payloads(|_, payload| match payload.holds {
            Holds::Lanes(_) => of_lanes = true,
            _ => others = true,
        });
        of_lanes && !others
    }

    fn lane_operands(self, mut visit: impl FnMut(LaneOperand, Payload)) {
        self.payloads(|operand, payload| {
            if let Holds::Lanes(holds) = payload.holds {
                visit(LaneOperand { operand, holds, written: payload.is_written() }, payload);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{super::stored::tests::operands, *};
    use crate::{
        model::Kernel,
        table::{self, Family},
        types::Exec,
    };

    /// Every message is visited field by field of its row, and one of lanes says of each operand what it holds.
    #[test]
    fn operands_are_those_of_the_row() {
        let mut messages = 0;
        for row in table::rows() {
            // A number that means something in most fields.
            let given = operands(row, 1);
            let mut kernel = Kernel::default();
            kernel
                .push(row.opcode, row.sub.unwrap_or(0), Exec::SCALAR, None, &given)
                .unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let Ok(inst) = kernel.try_inst(0) else { continue };
            let (mut visited, mut of_lanes, mut unsaid) = (Vec::new(), false, 0);
            inst.op.payloads(|_, payload| {
                visited.push(*payload.slot);
                of_lanes |= matches!(payload.holds, Holds::Lanes(_));
                unsaid += usize::from(payload.holds == Holds::Unsaid);
            });
            let raws =
                row.operand_slots().zip(&given).filter(|(_, operand)| matches!(operand, Operand::Raw(_)));
            let raws: Vec<Slot> = raws.map(|(slot, _)| *slot).collect();
            if !visited.is_empty() {
                assert_eq!(visited, raws, "{}", row.name);
            }
            if row.family == Family::Message {
                assert!(visited.len() == raws.len() && (!of_lanes || unsaid == 0), "{}", row.name);
                messages += 1;
            }
        }
        assert_eq!(messages, table::messages().count());
    }

    /// Blocks of few lanes begin in registers of their own.
    #[test]
    fn blocks_fill_registers_but_the_last() {
        let held = Holds::from(lanes(4).blocks(3));
        assert_eq!([16, 8, 1].map(|n| held.total(n, 64)), [Some(192), Some(160), Some(132)]);
        assert_eq!(lanes_of_blocks(1, 2), PerLane { blocks: 1, bytes: 2, stride: 4 });
        assert_eq!(lanes_of_blocks(8, 2), PerLane { blocks: 2, bytes: 8, stride: 8 });
        assert_eq!([2, 4].map(|bytes| elements(2).of_elements(bytes).total(8, 32)), [Some(48), Some(64)]);
        assert_eq!(elements(2).total(8, 32), None);
    }

    /// Rows fill dwords where they are joined, and blocks begin in registers of their own.
    #[test]
    fn rows_of_a_block_fill_dwords_where_they_are_joined() {
        use LscOrder::{NonTranspose, Transpose};
        let total =
            |order, blocks, vnni| lsc_blocks2d(LscDataSize::D16, order, blocks, [20, 3], vnni).total(1, 64);
        assert_eq!(total(NonTranspose, 1, false), Some(3 * 64));
        assert_eq!(total(NonTranspose, 1, true), Some(4 * 64));
        assert_eq!(total(Transpose, 1, false), Some(20 * 8));
        assert_eq!(total(Transpose, 2, false), Some(192 + 20 * 8));
    }
}

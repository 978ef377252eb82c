//! What messages give each channel, and read of each: how many bytes apart.
//!
//! Such bytes of channels that do not run are left alone, as other values of waiting lanes. Intel's finalizer counts on the
//! same messages (`updateDstMaskForGatherRaw`, `visa/GraphColor.cpp`); layouts are those of the payloads and
//! writebacks in the manuals (PRM Skylake volume 2d, "MSD1R_US", "MSD1R_A64_US", "MSD1R_A64_BS", "MSD_SAMPLE"; PRM Ponte
//! Vecchio volume 2a, "UGM").

use gen_ir::{Desc, Descriptor, Inst, SendInfo, Sfid, Virtual};
use messages::{
    hdc::{A64Scattered, Addresses, Atomic, Dc1, ElementType, Form, ToDc0},
    lsc::{AddressSize, DataSize, LscForm, Op, Untyped},
    sampler::Sample,
};
use narrow::low_u8;

/// How far apart the bytes of neighbouring channels are in the response of a message that gives each channel of
/// the kernel its own: an element, or several of them, each for all channels. 0: not known to be so. `grf`: bytes of a
/// register.
pub(super) fn response_pitch(inst: &Inst<Virtual>, simd: u32, grf: u32) -> u8 {
    let Some(SendInfo { sfid, desc: Desc::Imm(desc), .. }) = inst.send() else { return 0 };
    let desc = *desc;
    if inst.exec.lanes() != simd || inst.chan != 0 {
        return 0;
    }
    match sfid {
        Sfid::Dc1 => match Dc1::of(desc) {
            Some(Dc1::UntypedRead | Dc1::A64UntypedRead) => 4,
            Some(Dc1::A64ScatteredRead) => match A64Scattered::from(desc).element() {
                Some(ElementType::Dword) => 4,
                Some(ElementType::Qword) => 8,
                _ => 0,
            },
            _ => 0,
        },
        Sfid::Sampler if !Sample::from(desc).half_results() => 4,
        // What is behind the last channel in a register is nobody's.
        Sfid::Sampler if (2 * simd).is_multiple_of(grf) => 2,
        Sfid::Ugm | Sfid::Slm => match vector(Untyped::from(desc)) {
            Some(message) if message.op() == Some(Op::Load) => data_bytes(message),
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether each channel reads its own qwords of source `i` of a message: the addresses, or the data.
pub(super) fn reads_qwords(inst: &Inst<Virtual>, i: usize) -> bool {
    let Some(SendInfo { sfid, desc: Desc::Imm(desc), .. }) = inst.send() else { return false };
    let desc = *desc;
    match sfid {
        Sfid::Dc1 => {
            i == 0
                && !desc.header_present()
                && matches!(Dc1::of(desc), Some(Dc1::A64UntypedRead | Dc1::A64ScatteredRead))
        }
        Sfid::Ugm | Sfid::Slm => vector(Untyped::from(desc)).is_some_and(|message| match i {
            0 => message.address_size() == Some(AddressSize::A64),
            _ => data_bytes(message) == 8,
        }),
        _ => false,
    }
}

/// Bytes that each channel has in the first row of an operand of a message, and in all others: a row is an element of each
/// channel. 0: not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Elements {
    pub first: u8,
    pub rest: u8,
}

impl Elements {
    const UNKNOWN: Elements = Elements::of(0);
    /// What most messages have.
    pub const DWORDS: Elements = Elements::of(4);

    const fn of(bytes: u8) -> Elements {
        Elements { first: bytes, rest: bytes }
    }
}

/// The elements of source `source` of a message, or of its response. Where a message has one source, data stand behind addresses.
pub(super) fn elements(inst: &Inst<Virtual>, source: Option<usize>) -> Elements {
    let Some(&SendInfo { sfid, desc: Desc::Imm(desc), src1_len, .. }) = inst.send() else {
        return Elements::UNKNOWN;
    };
    let (address, data) = match sfid {
        Sfid::Dc0 | Sfid::Dc1 => data_cache(sfid, desc),
        Sfid::Sampler => {
            let message = Sample::from(desc);
            let bytes = |half: bool| if half { 2 } else { 4 };
            return Elements::of(bytes(match source {
                Some(_) => message.half_parameters(),
                None => message.half_results(),
            }));
        }
        Sfid::Ugm | Sfid::Slm => match vector(Untyped::from(desc)) {
            Some(message) => {
                let address = message.address_size().map_or(0, |size| low_u8(size.bytes()));
                let data = message.data_size().map_or(0, |size| low_u8(size.register_bytes()));
                return Elements::of(if source == Some(0) { address } else { data });
            }
            None => (0, 0),
        },
        _ => (0, 0),
    };
    match source {
        Some(0) if src1_len == 0 => Elements { first: address, rest: data },
        Some(0) => Elements::of(address),
        _ => Elements::of(data),
    }
}

/// Bytes of an address and of a datum in messages of the data caches (PRM Skylake volume 2d, payloads of `MSD0_*` and `MSD1_*`):
/// bytes and words of a channel take a dword.
fn data_cache(sfid: Sfid, desc: Descriptor) -> (u8, u8) {
    let row = match (sfid, ToDc0::of(desc)) {
        (Sfid::Dc1, _) => Dc1::of(desc).map(Dc1::row),
        (_, Some(ToDc0::Message(message))) => Some(message.row()),
        _ => None,
    };
    let Some(row) = row else { return (0, 0) };
    let a64 = row.addresses == Addresses::A64;
    let data = match row.form {
        Form::Scattered(ElementType::Qword) => 8,
        Form::IntegerAtomic(32) if a64 && Atomic::from(desc).width() => 8,
        Form::A64Scattered => match A64Scattered::from(desc).element() {
            Some(ElementType::Qword) => 8,
            Some(ElementType::Byte) if A64Scattered::from(desc).count_log2() == 3 => 8,
            _ => 4,
        },
        Form::Scattered(_)
        | Form::Untyped
        | Form::IntegerAtomic(_)
        | Form::FloatAtomic(32)
        | Form::Typed
        | Form::TypedAtomic(_) => 4,
        _ => return (0, 0),
    };
    (if a64 { 8 } else { 4 }, data)
}

/// The message, if each channel has an address and data of its own.
fn vector(message: Untyped) -> Option<Untyped> {
    let form = message.op()?.row().form;
    (matches!(form, LscForm::Vector | LscForm::Atomic(_)) && !message.transpose()).then_some(message)
}

/// Bytes of a channel's element, all of which it takes; 0: not so.
fn data_bytes(message: Untyped) -> u8 {
    message.data_size().map_or(0, |size| match size {
        DataSize::D32 | DataSize::D8U32 | DataSize::D16U32 => 4,
        DataSize::D64 => 8,
        // The rest takes a part of what the channel has.
        DataSize::D8 | DataSize::D16 | DataSize::D16U32H => 0,
    })
}

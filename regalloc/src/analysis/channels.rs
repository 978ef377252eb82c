//! What messages give each channel, and read of each: how many bytes apart.
//!
//! Such bytes of channels that do not run are left alone, as other values of waiting lanes. Intel's finalizer counts on the
//! same messages (`updateDstMaskForGatherRaw`, `visa/GraphColor.cpp`); layouts are those of the payloads and
//! writebacks in the manuals (PRM Skylake volume 2d, "MSD1R_US", "MSD1R_A64_US", "MSD1R_A64_BS", "MSD_SAMPLE"; PRM Ponte
//! Vecchio volume 2a, "UGM").

use gen_ir::{Desc, Inst, SendInfo, Sfid, Virtual};
use messages::{
    hdc::{A64Scattered, Dc1, ElementType},
    lsc::{AddressSize, DataSize, LscForm, Op, Untyped},
    sampler::Sample,
};

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

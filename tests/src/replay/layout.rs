//! Whose bytes are whose in the payloads and responses of messages: what the manuals say of each, and nothing that the
//! allocator knows.
//!
//! A message of n channels has one element of each, channel by channel, then the next of each. Such a row takes whole
//! registers, and on Xe-HPC at least those of the native width, however few channels the instruction has. (PRM Skylake
//! volume 2d, the `MDP` and `MAP` payloads; PRM Ponte Vecchio volume 2a, "UGM"; volume 7, "Sampling Engine", payloads.)

use gen_ir::{Desc, Inst, SendInfo, Sfid, Space};
use messages::{
    hdc::{A64Scattered, Addresses, Atomic, Dc0, Dc1, ElementType, Form, ToDc0},
    lsc::Untyped,
    sampler::Sample,
};

/// What channels have in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Bytes of an element of the first row of what goes out.
    pub address: usize,
    /// The same of the other rows.
    pub data: usize,
    /// The same of the response.
    pub response: usize,
    /// All of the first part of the payload are addresses, and all of the second are data.
    pub parted: bool,
}

/// What a message does with its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each channel has its elements.
    Lanes(Lanes),
    /// The thread has all registers, whatever channels run.
    Block,
    /// A block of the thread's scratch memory.
    Scratch,
}

const fn lanes(address: usize, data: usize) -> Layout {
    Layout::Lanes(Lanes { address, data, response: data, parted: false })
}

/// What the replay knows of a message; none of one that it does not know.
pub fn layout_of<S: Space>(inst: &Inst<S>) -> Option<Layout> {
    let &SendInfo { sfid, desc: Desc::Imm(desc), .. } = inst.send()? else { return None };
    match sfid {
        Sfid::Dc0 => match ToDc0::of(desc)? {
            ToDc0::Scratch => Some(Layout::Scratch),
            ToDc0::Message(message) => dc0(message),
        },
        Sfid::Dc1 => dc1(Dc1::of(desc)?, desc),
        Sfid::Ugm | Sfid::Slm => {
            let message = Untyped::from(desc);
            if message.transpose() {
                return Some(Layout::Block);
            }
            let (address, data) = (message.address_size()?.bytes(), message.data_size()?.register_bytes());
            let (address, data) = (address as usize, data as usize);
            Some(Layout::Lanes(Lanes { address, data, response: data, parted: true }))
        }
        Sfid::Sampler => {
            let message = Sample::from(desc);
            let bytes = |half: bool| if half { 2 } else { 4 };
            let sent = bytes(message.half_parameters());
            let response = bytes(message.half_results());
            Some(Layout::Lanes(Lanes { address: sent, data: sent, response, parted: false }))
        }
        _ => None,
    }
}

fn dc0(message: Dc0) -> Option<Layout> {
    match message.row().form {
        Form::Scattered(ElementType::Qword) => Some(lanes(4, 8)),
        Form::Scattered(_) => Some(lanes(4, 4)),
        Form::OwordBlock | Form::UnalignedOwordBlock => Some(Layout::Block),
        _ => None,
    }
}

fn dc1(message: Dc1, desc: messages::Descriptor) -> Option<Layout> {
    let row = message.row();
    let address = if row.addresses == Addresses::A64 { 8 } else { 4 };
    match row.form {
        Form::Untyped => Some(lanes(address, 4)),
        Form::IntegerAtomic(32) => {
            let wide = address == 8 && Atomic::from(desc).width();
            Some(lanes(address, if wide { 8 } else { 4 }))
        }
        Form::A64Scattered => {
            let fields = A64Scattered::from(desc);
            let data = match fields.element()? {
                // Eight bytes of a channel take a qword, fewer a dword.
                ElementType::Byte if fields.count_log2() == 3 => 8,
                ElementType::Byte | ElementType::Dword => 4,
                ElementType::Qword => 8,
            };
            Some(lanes(8, data))
        }
        Form::A64Block => Some(Layout::Block),
        _ => None,
    }
}

/// Bytes of a row of elements.
pub const fn row_bytes(element: usize, lanes: usize, native: usize, grf: usize) -> usize {
    let lanes = if lanes > native { lanes } else { native };
    (element * lanes).next_multiple_of(grf)
}

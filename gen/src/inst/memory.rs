//! What messages do to memory, and to which: so which of them may change places.

use messages::{
    Access, Effect, Sfid, SurfaceIndex, hdc, interpolator,
    lsc::{self, AddressModel},
    sampler::Sample,
};

use crate::{Desc, SendInfo, Space};

/// Memory that is apart from the rest: what is stored to one is not found in another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemorySpace {
    /// Images, by a sampler's state. A kernel that writes an image may not sample it (OpenCL C 3.0, "Image Read and Write
    /// Functions": images that are both are read without a sampler), and stores come to the sampler's cache by a fence
    /// alone.
    Sampled,
    /// Images, as a sampler loads texels without its state: they may be written by coordinates, too. Who writes a buffer beside
    /// an image that was made of it gets what comes ("Creating Image Objects" of the OpenCL API, `mem_object`).
    Texels,
    /// What a thread group shares.
    SharedLocal,
    /// A thread's own: scratch blocks, and the surface that `r0.5` leads to.
    Scratch,
    /// All else.
    Global,
}

narrow::enum_numbers!(MemorySpace: index usize, number u8);

impl MemorySpace {
    /// Each of them.
    pub const ALL: [MemorySpace; 5] = [
        MemorySpace::Sampled,
        MemorySpace::Texels,
        MemorySpace::SharedLocal,
        MemorySpace::Scratch,
        MemorySpace::Global,
    ];
}

/// What a message does to memory. Two messages keep their order if one of them writes what the other accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// It may do more than read.
    pub writes: bool,
    /// A bit for each space.
    spaces: u8,
}

impl MemoryAccess {
    /// Of atomics, fences, barriers and all of which it is not known what they do: they keep their order to all others.
    pub const ORDERS: MemoryAccess = MemoryAccess { writes: true, spaces: (1 << MemorySpace::ALL.len()) - 1 };

    fn to(spaces: &[MemorySpace], access: Access) -> MemoryAccess {
        let writes = access.is_store();
        MemoryAccess { writes, spaces: spaces.iter().fold(0, |all, space| all | 1 << space.number()) }
    }

    /// The spaces that it may be about.
    pub fn spaces(self) -> impl Iterator<Item = MemorySpace> {
        MemorySpace::ALL.into_iter().filter(move |space| self.spaces >> space.number() & 1 != 0)
    }
}

/// What messages are about that have coordinates: buffers may be seen as images, too.
const IMAGES: &[MemorySpace] = &[MemorySpace::Texels, MemorySpace::Global];

impl<S: Space> SendInfo<S> {
    /// What the message does to memory. With a descriptor in a register it is not known.
    ///
    /// That sampled images, shared local memory and scratch memory are apart from the rest is what Intel's finalizer goes by,
    /// too (`DoMemoryInterfereSend`, visa/LocalScheduler/Dependencies_G4IR.cpp; it has all messages to the sampler apart from
    /// all others).
    ///
    /// Sources: Programmer's Reference Manuals, volume "3D Media GPGPU", "Data Port Messages" (Skylake
    /// volume 7), and the message numbers of the reference disassembler for later platforms.
    pub fn memory_access(&self) -> MemoryAccess {
        self.access_to(self.spaces())
    }

    /// What a message may touch whose surface is known only when it is sent: a register adds the binding table index to the
    /// descriptor, and indices of the data port stand for shared local memory and for scratch memory, too.
    pub fn memory_access_of_any_surface(&self) -> MemoryAccess {
        let spaces = match self.spaces() {
            &[MemorySpace::Global] if matches!(self.sfid, Sfid::Dc0 | Sfid::Dc1) => {
                &[MemorySpace::SharedLocal, MemorySpace::Scratch, MemorySpace::Global]
            }
            &[MemorySpace::Texels, MemorySpace::Global] => &MemorySpace::ALL[..],
            spaces => spaces,
        };
        self.access_to(spaces)
    }

    fn access_to(&self, spaces: &[MemorySpace]) -> MemoryAccess {
        match self.effect() {
            Some(Effect::Load) => MemoryAccess::to(spaces, Access::Load),
            Some(Effect::Store) => MemoryAccess::to(spaces, Access::Store),
            Some(Effect::Atomic | Effect::Order | Effect::Other) | None => MemoryAccess::ORDERS,
        }
    }

    /// Whether the message is known to do nothing but read memory: loads, reads of surfaces and samples,
    /// not fences, atomics or anything without a name here. With a descriptor in a register it is not known.
    pub fn only_reads(&self) -> bool {
        !self.memory_access().writes
    }

    /// What the message does, if that is known.
    fn effect(&self) -> Option<Effect> {
        let Desc::Imm(desc) = self.desc else { return None };
        match self.sfid {
            Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm => lsc::Untyped::from(desc).op()?.plain_effect(),
            Sfid::Dc0 => hdc::dc0_effect(desc),
            Sfid::Dc1 => hdc::dc1_effect(desc),
            Sfid::DcRo => hdc::dc_ro_effect(desc),
            Sfid::Sampler => Sample::from(desc).only_reads().then_some(Effect::Load),
            Sfid::Pi => interpolator::Interpolation::from(desc).only_reads().then_some(Effect::Load),
            _ => None,
        }
    }

    /// The memory that the message may be about.
    fn spaces(&self) -> &'static [MemorySpace] {
        let Desc::Imm(desc) = self.desc else { return &MemorySpace::ALL };
        match self.sfid {
            Sfid::Slm => &[MemorySpace::SharedLocal],
            Sfid::Ugm | Sfid::Ugml if lsc::Untyped::from(desc).address_model() == Some(AddressModel::Ss) => {
                &[MemorySpace::Scratch]
            }
            Sfid::Dc0 | Sfid::Dc1 => match self.sfid.surface(desc) {
                Some(SurfaceIndex::SHARED_LOCAL) => &[MemorySpace::SharedLocal],
                _ if self.sfid.is_scratch_block(desc) => &[MemorySpace::Scratch],
                // Blocks of owords without a surface count from the scratch base or from elsewhere.
                _ if self.sfid.is_scratch(desc) => &[MemorySpace::Scratch, MemorySpace::Global],
                _ if self.sfid.is_by_coordinates(desc) => IMAGES,
                _ => &[MemorySpace::Global],
            },
            Sfid::Sampler if Sample::from(desc).takes_sampler() => &[MemorySpace::Sampled],
            Sfid::Sampler => &[MemorySpace::Texels],
            Sfid::Ugm | Sfid::Ugml | Sfid::DcRo => &[MemorySpace::Global],
            _ => IMAGES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reg, Virtual};
    use messages::{Descriptor, sampler::MessageType};

    fn send(sfid: Sfid, desc: Descriptor) -> SendInfo<Virtual> {
        let none = Desc::Imm(messages::ExtendedDescriptor::new());
        SendInfo {
            sfid,
            desc: Desc::Imm(desc),
            ex_desc: none,
            eot: false,
            dst_len: 1,
            src0_len: 1,
            src1_len: 0,
        }
    }

    #[test]
    fn memory_is_told_apart_by_what_a_message_is() {
        use MemorySpace::{Global, Sampled, Scratch, SharedLocal, Texels};
        let skl = |sfid, desc: u32| send(sfid, Descriptor::from_bits(desc)).memory_access();
        // Untyped reads and writes of surfaces 1 and 254; a typed write; an atomic (data cache 1, types 1, 9, d, 2).
        for (desc, space) in [(1, Global), (0xfe, SharedLocal)] {
            assert_eq!(skl(Sfid::Dc1, 1 << 14 | desc), MemoryAccess::to(&[space], Access::Load));
            assert_eq!(skl(Sfid::Dc1, 9 << 14 | desc), MemoryAccess::to(&[space], Access::Store));
            assert_eq!(skl(Sfid::Dc1, 2 << 14 | desc), MemoryAccess::ORDERS);
        }
        assert_eq!(skl(Sfid::Dc1, 0xd << 14), MemoryAccess::to(&[Texels, Global], Access::Store));
        // A scratch block, read and written; owords without a surface; a fence.
        assert_eq!(skl(Sfid::Dc0, 1 << 18 | 0xfe), MemoryAccess::to(&[Scratch], Access::Load));
        assert_eq!(skl(Sfid::Dc0, 3 << 17 | 0xfe), MemoryAccess::to(&[Scratch], Access::Store));
        assert_eq!(skl(Sfid::Dc0, 0xff), MemoryAccess::to(&[Scratch, Global], Access::Load));
        assert_eq!(skl(Sfid::Dc0, 7 << 14), MemoryAccess::ORDERS);
        // Images by a sampler, and without one: those may be written, too, but not as buffers.
        for (message, space) in [(MessageType::Sample, Sampled), (MessageType::Load, Texels)] {
            let desc = Descriptor::from_bits(Sample::to(message).into_bits());
            assert_eq!(send(Sfid::Sampler, desc).memory_access(), MemoryAccess::to(&[space], Access::Load));
        }
        let mut by_register = send(Sfid::Dc1, Descriptor::from_bits(1 << 14));
        assert_eq!(
            by_register.memory_access_of_any_surface(),
            MemoryAccess::to(&[SharedLocal, Scratch, Global], Access::Load)
        );
        by_register.desc = Desc::Reg(Reg::arf(crate::Arf::Addr(0), 0));
        assert_eq!(by_register.memory_access(), MemoryAccess::ORDERS);
    }
}

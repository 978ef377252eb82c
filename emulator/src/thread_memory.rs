//! Memory that a dispatch's threads find through their headers.

use crate::{launch::Dispatch, memory::Memory, messages::SCRATCH_STATE};
use ::messages::thread::{GROUP_DWORDS, GroupMember, Identity, IndirectData, ScratchSize};
use narrow::{as_index, low_u8, low_u32};
use platforms::Platform;

/// Memory that a dispatch's threads find through their headers.
pub(crate) struct ThreadMemory {
    /// Scratch of each thread of a group.
    scratch: Vec<u64>,
    /// Where the kernel's prologue finds its data on platforms that load it: what all threads see, then
    /// each thread's own.
    indirect: u64,
    /// What `r0.5` names is a surface's state.
    scratch_surface: bool,
    /// `r0` says how many threads the group has.
    named_barriers: bool,
}

impl ThreadMemory {
    /// Allocates it.
    pub(crate) fn new(platform: Platform, dispatch: &Dispatch, memory: &mut Memory) -> ThreadMemory {
        let threads = if dispatch.scratch == 0 { 0 } else { dispatch.threads };
        let scratch = (0..threads)
            .map(|_| {
                let b = memory.add_low("scratch", vec![0; as_index(dispatch.scratch)]);
                memory.address(b)
            })
            .collect();
        let mut indirect = 0;
        if platform.caps().thread.payload_prologue && !dispatch.raw {
            let in_registers = as_index(dispatch.inline).min(dispatch.cross.len());
            let mut data = dispatch.cross[in_registers..].to_vec();
            for own in &dispatch.per_thread {
                data.extend_from_slice(own);
            }
            // The prologue loads whole blocks, past the end of short data.
            data.resize(data.len() + 1024, 0);
            let b = memory.add_low("indirect data", data);
            indirect = memory.address(b);
        } else if !dispatch.indirect.is_empty() {
            let mut data = dispatch.indirect.clone();
            data.resize(data.len() + 1024, 0);
            let b = memory.add_low("indirect data", data);
            indirect = memory.address(b);
        }
        let caps = platform.caps();
        ThreadMemory {
            scratch,
            indirect,
            scratch_surface: caps.memory.scratch_surface,
            named_barriers: caps.thread.named_barriers,
        }
    }

    /// Empties the threads' scratch memory.
    pub(crate) fn clear(&self, bytes: u32, memory: &mut Memory) {
        for &base in &self.scratch {
            if let Ok(bytes) = memory.get_mut(base, bytes) {
                bytes.fill(0);
            }
        }
    }

    /// The address of a thread's scratch memory.
    pub(crate) fn scratch_of(&self, number: u32) -> u64 {
        self.scratch.get(as_index(number)).copied().unwrap_or(0)
    }

    /// The thread header, `r0`.
    pub(crate) fn header(&self, dispatch: &Dispatch, group: [u32; 3], number: u32) -> [u32; 16] {
        let mut r0 = [0u32; 16];
        let mut set = |dword: u32, value| r0[as_index(dword)] = value;
        set(IndirectData::DWORD, low_u32(self.indirect));
        GROUP_DWORDS.into_iter().zip(group).for_each(|(dword, place)| set(dword, place));
        // Elsewhere other things stand there, of one barrier.
        let threads = if self.named_barriers { low_u8(dispatch.threads) } else { 1 };
        let member = GroupMember::new().with_number(low_u8(number)).with_threads(threads);
        set(GroupMember::DWORD, member.into_bits());
        if dispatch.scratch != 0 {
            set(ScratchSize::DWORD, ScratchSize::of(dispatch.scratch).into_bits());
        }
        let scratch = if self.scratch_surface { SCRATCH_STATE } else { low_u32(self.scratch_of(number)) };
        set(Identity::DWORD, scratch & Identity::SCRATCH_MASK | number & Identity::OLD_THREAD_MASK);
        r0
    }
}

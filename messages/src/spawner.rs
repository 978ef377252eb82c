//! The thread spawner: the message that ends a thread up to Tiger Lake (volume 7, "Thread Spawner").

use crate::{Descriptor, MessageLength};
use bitfield_struct::bitfield;

codes! {
    /// What the spawner does.
    pub enum SpawnerOpcode {
        /// Gives back what belongs to the thread.
        DereferenceResource = 0,
        /// Starts a thread.
        SpawnThread = 1,
    }
}

/// A message to the thread spawner.
#[bitfield(u32)]
pub struct ThreadSpawn {
    /// Operation.
    #[bits(1, from = SpawnerOpcode::from_bits, into = SpawnerOpcode::into_bits)]
    pub opcode: Option<SpawnerOpcode>,
    /// A child thread asks (otherwise a root thread).
    pub child: bool,
    /// Must be zero.
    pub reserved: bool,
    #[bits(1)]
    __: u8,
    /// The thread's part of the unified return buffer stays as it is: it is not the thread's to give back.
    pub keep_urb: bool,
    #[bits(27)]
    __: u32,
}

kinds!(Descriptor: ThreadSpawn);

/// The descriptor of the message that ends a thread, whose payload is the thread's header. The message gateway
/// takes the same one where threads end with it.
pub fn end_of_thread() -> Descriptor {
    Descriptor::from(ThreadSpawn::new().with_keep_urb(true)).with_message_length(MessageLength::ONE)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_message_is_that_of_intels_compilers() {
        assert_eq!(super::end_of_thread().into_bits(), 0x0200_0010);
    }
}

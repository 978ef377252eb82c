//! Ray tracing: the accelerator and the bindless thread dispatcher.

use bitfield_struct::bitfield;

/// A message to either of them.
#[bitfield(u32)]
pub struct RayTracing {
    #[bits(8)]
    __: u8,
    /// Sixteen lanes (otherwise eight).
    pub simd16: bool,
    #[bits(5)]
    __: u8,
    /// Message type: 0 traces a ray (accelerator); 1 spawns a thread, 2 overdispatched (dispatcher).
    #[bits(4)]
    pub message_type: u8,
    #[bits(14)]
    __: u16,
}

kinds!(Descriptor: RayTracing);

//! The message gateway: barriers and events (volume 7, "Message Gateway").

use crate::{Descriptor, MessageLength};
use bitfield_struct::bitfield;

codes! {
    /// What the gateway is asked for ("Sub-Function ID").
    pub enum SubFunction {
        /// Ends the thread (Xe-HPC); opened a gateway before.
        EndOfThread = 0,
        /// Signals an event; closed a gateway before.
        SignalEvent = 1,
        /// Monitors an event; forwarded a message before.
        MonitorEvent = 2,
        /// No longer monitors an event.
        UnmonitorEvent = 3,
        /// Signals a barrier.
        SignalBarrier = 4,
        /// Waits for an event.
        WaitForEvent = 6,
        /// Saves a barrier's state.
        SaveBarrier = 8,
        /// Restores a barrier's state.
        RestoreBarrier = 9,
        /// Ends a thread that is run again.
        EndOfThreadReplay = 10,
        /// Restores the stack.
        RestoreStack = 11,
        /// A barrier of the system routine.
        SystemRoutineBarrier = 12,
    }
}

/// A message to the gateway.
#[bitfield(u32)]
pub struct Gateway {
    /// Sub-function. The field has three bits up to Tiger Lake, where no number above 7 exists.
    #[bits(4, from = SubFunction::from_bits, into = SubFunction::into_bits)]
    pub sub_function: Option<SubFunction>,
    #[bits(28)]
    __: u32,
}

kinds!(Gateway);

impl Gateway {
    /// The sub-function by the low three bits alone.
    pub const fn narrow_sub_function(self) -> Option<SubFunction> {
        SubFunction::from_bits(self.into_bits() & 7)
    }
}

/// The descriptor of a barrier's signal, whose payload is one register.
pub fn signal_barrier() -> Descriptor {
    Descriptor::from(Gateway::new().with_sub_function(Some(SubFunction::SignalBarrier)))
        .with_message_length(MessageLength::ONE)
}

//! The message gateway: barriers and events (volume 7, "Message Gateway").

use crate::{Descriptor, MessageLength};
use bitfield_struct::bitfield;
use narrow::{const_u8, const_u16, wide_u8};

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

kinds!(Descriptor: Gateway);

/// What the payload of a barrier's signal says, where several barriers exist or threads are counted.
#[bitfield(u32)]
#[derive(PartialEq, Eq)]
pub struct BarrierSignal {
    /// The barrier's number.
    pub id: u8,
    #[bits(6)]
    __: u8,
    /// Whether the thread produces, consumes or does both.
    #[bits(2)]
    pub kind: u8,
    /// Threads that produce.
    pub producers: u8,
    /// Threads that consume.
    pub consumers: u8,
}

impl BarrierSignal {
    /// Where it stands in the payload.
    pub const DWORD: u32 = 2;
    /// The bytes of the payload that hold the number, the kind (at its upper end), and how many produce and consume.
    pub const BYTES: [u32; 4] = [
        BarrierSignal::byte(BarrierSignal::ID_OFFSET),
        BarrierSignal::byte(BarrierSignal::KIND_OFFSET),
        BarrierSignal::byte(BarrierSignal::PRODUCERS_OFFSET),
        BarrierSignal::byte(BarrierSignal::CONSUMERS_OFFSET),
    ];
    /// How far left the kind stands in its byte.
    pub const KIND_SHIFT: u16 = const_u16(BarrierSignal::KIND_OFFSET % 8);

    const fn byte(offset: usize) -> u32 {
        4 * BarrierSignal::DWORD + wide_u8(const_u8(offset / 8))
    }
}

impl Gateway {
    /// Whether it signals a barrier.
    pub fn signals_barrier(self) -> bool {
        self.sub_function() == Some(SubFunction::SignalBarrier)
    }

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

#[cfg(test)]
mod tests {
    use super::BarrierSignal;

    #[test]
    fn bytes_of_a_signal_are_those_of_its_fields() {
        assert_eq!((BarrierSignal::BYTES, BarrierSignal::KIND_SHIFT), ([8, 9, 10, 11], 6));
        let signal = BarrierSignal::new().with_id(1).with_kind(2).with_producers(3).with_consumers(4);
        assert_eq!(signal.into_bits().to_le_bytes(), [1, 2 << 6, 3, 4]);
    }
}

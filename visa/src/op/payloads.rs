//! What the raw operands of a message hold: its payload and its response. The entries of `table/message.rs` and
//! `table/structs.rs` say it behind each operand, in the words of [`holds`](super::holds).
//!
//! Lowering and the interpreter both ask, so one cannot judge the other there: Intel's code of each form does
//! (`tests::messages`).
//!
//! | not said here | why |
//! |---|---|
//! | append counters, a paired surface | no platform here has them: nothing is made of them |
//! | `sample_unorm` of 8 bits: registers of its response | hardware returns two registers of each channel, of which half are the pixels; lowering knows |
//! | matrices of `dpas` | it is no message; its lengths follow from two precisions and two types (`verify::message`) |
//! | which sources an atomic has | the operation says it, of all messages with atomics: [`AtomicOp::sources`], [`LscOp::atomic_sources`] |
//! | names and types of operands in `tests::messages::forms` of atomics | Intel's reader takes data of the operation's type alone: a matter of how the form is written, not of what the message holds |

use super::{holds::*, *};
use crate::table::{Enc, Role, Slot, Text, Types, When, entry_fields::*};

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

/// A message whose operands are of lanes, as hardware takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneMessage {
    /// What it is about.
    pub target: LaneTarget,
    /// How many lanes at once.
    pub group: LaneGroup,
}

/// What a message of lanes is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneTarget {
    /// A surface, at offsets.
    Surface,
    /// A surface, at texels.
    Texels,
    /// Memory, at addresses of 64 bits.
    Memory,
    /// What the sampler knows of a surface.
    Sampler,
}

/// How many lanes a message takes at once. One of more lanes goes out in groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneGroup {
    /// As many as the platform has dwords in a register.
    Native,
    /// Sixteen.
    Sixteen,
    /// Sixteen where payload and response are as short as descriptors can say, else as many as
    /// [`Native`](LaneGroup::Native).
    SixteenIfShort,
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
        $view:ident $builder:ident($($exec:ident)? $(; $target:ident: $group:ident)?) $text:ident $(says ($($told:tt)+))? [
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

            /// Whose a message of lanes is, and in which groups of lanes it goes out, as its entry says.
            pub fn lane_message(&self) -> Option<LaneMessage> {
                match self {
                    $($(Op::$view { .. } => {
                        Some(LaneMessage { target: LaneTarget::$target, group: LaneGroup::$group })
                    })?)+
                    _ => None,
                }
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

    /// Addresses or coordinates of lanes: what the table has first of what a message reads, if lanes have one each.
    pub fn lane_addresses(self) -> Option<LaneOperand> {
        let mut first = None;
        self.payloads(|operand, payload| {
            if !payload.is_written() {
                first.get_or_insert((operand, payload.holds));
            }
        });
        match first? {
            (operand, Holds::Lanes(holds)) => Some(LaneOperand { operand, holds, written: false }),
            _ => None,
        }
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

    /// Every message is visited field by field of its row, and one of lanes says of each operand what it holds. None goes out
    /// in groups of lanes that has operands of something else.
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
            assert!(inst.op.lane_message().is_none() || inst.op.has_lanes(), "{}", row.name);
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
}

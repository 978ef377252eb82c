//! Gen IR: the one instruction type that lowering produces, passes rewrite, the encoder turns into
//! words and the decoder turns words into.
//!
//! An [`Inst`] has one shape for all opcodes, with a small [`Payload`] for the odd families. Its
//! registers live in a [`Space`]: [`Virtual`] before allocation (operands may name variables),
//! [`Physical`] after it (a variable cannot be expressed). `Kernel<Virtual>` is a control flow graph
//! in layout order; `Kernel<Physical>` is the same with registers assigned. What passes ask of its control flow
//! (predecessors, returns, loops, orders) a [`Cfg`] knows.
//!
//! ```text
//! inst       an instruction                            kernel     variables, blocks, what a runtime needs to know
//!   controls   size, predicate, condition, options     pool       memory that kernels leave to the next
//!   payload    what only some families have            cfg        control flow as a graph
//!   send       messages; send_builder makes one        waits      where lanes wait
//!   swsb       the scoreboard's annotation             print, parse   the text of a kernel, there and back
//! op         the opcodes, a row each                   verify     what holds between passes
//! operand    destinations and sources; their region    rules      what the hardware allows, a row each
//! reg        registers and variables                   timing     what an instruction costs
//! types      data types                                descriptors   what registers of descriptors hold
//! extent     which bytes an operand touches            scratch    headers of messages to scratch memory
//! watch      whether work is to go on                  keys       keys of bits, and what is known of them
//! uniform    predicates that are the same in all lanes    register_set   sets of general registers
//! only_block   the one block in which something happens
//! ```
//!
//! What holds: blocks stand in layout order and a fall-through goes to the next one; a branch is the
//! last instruction of its block; `join` and `endif` are the first of theirs. Byte offsets of operands
//! count from the start of the register or variable.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod cfg;
mod descriptors;
mod extent;
mod inst;
mod kernel;
mod keys;
mod only_block;
mod op;
mod operand;
mod parse;
mod pool;
mod print;
mod reg;
mod region;
mod register_set;
pub mod rules;
pub mod scratch;
mod timing;
mod types;
mod uniform;
mod verify;
mod waits;
mod watch;

pub use cfg::{Call, Cfg, Edge, End, Loop};
pub use descriptors::Descriptors;
pub use extent::*;
pub use inst::*;
pub use kernel::*;
pub use keys::{KeyMemory, KeyWord};
pub use messages::{Descriptor, ExtendedDescriptor, Sfid};
pub use only_block::OnlyBlock;
pub use op::*;
pub use operand::*;
pub use parse::{ParseError, parse, parse_inst};
pub use pool::*;
pub use reg::*;
pub use region::Region;
pub use register_set::RegisterSet;
pub use timing::{Clock, Timing};
pub use types::*;
pub use uniform::*;
pub use verify::*;
pub use waits::*;
pub use watch::{Stop, Watch};

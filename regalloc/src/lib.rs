//! Register allocation: variables of a structured kernel become registers.
//!
//! In: a [`Kernel<Virtual>`](gen_ir::Kernel) after structurization and legalization. Out: the same code as
//! [`Kernel<Physical>`](gen_ir::Kernel), plus spill code.
//!
//! ```text
//! rounds     place, rewrite what finds no place, again      options    choices, and what it cost
//! placing    one kernel placed in several ways              check      proof that no value is lost
//! order      fewer alive at a time                          split      variables of several parts
//! copy       a kernel to rewrite                            apply      variables to registers
//! pairs      what threads that run as pairs must not do
//! rows       lists of lists                                 side_by_side   a register for each, if there is room
//!
//! analysis   what is known of a kernel
//!   access     one touch of a variable                      accesses   all of them, in order
//!   operands   the accesses of an instruction               points_to  what indirect operands may touch
//!   channels   what messages give and read of each channel  owners     whose bytes are whose
//!   pressure   where much is alive
//!   facts      what accesses say of a variable              subranges  parts of variables as sets of bits
//!   composite  what several writes define together          history    what earlier rounds made of variables
//!   flow       the graph, waits, loop depth                 calls      what passes by subroutines
//!   dataflow   liveness across blocks                       liveness   live ranges in layout order
//!   position   positions of a kernel that ranges count
//! place      a place for each variable, or a spill list
//!   find       the first free place                         evict      the cheapest in the way
//!   matrix     when registers are in use                    copies     what would best have one place
//!   held       what has a place                             starts     the order of placing
//!   intervals  what is to be placed, and the result         reuse      what may be written where a source was
//!   sent       registers that a message may still read      ages       which nobody has had for long
//!   tables     the matrices: of one, of what may share      rename     registers anew, once all have some
//! arf        flags and addresses
//!   pressure   whether there may be too many                split      general registers back them
//! spill      general variables to memory
//!   plan       what that will add                           fit        a place for it beside the others
//!   costs      what it costs, and where it helps            chunks     what one message moves
//!   remat      what is computed again instead               extend     sources that live longer for it
//!   groups     what one message moves together
//!   join       temporaries that one can be                  residence  where registers keep what memory has
//!   leftover   what is needed of large answers for long
//!   pack       elements that stand apart
//!   slots      places in memory                             scratch_space  how far messages reach there
//!   transfer   the messages
//! ```
//!
//! Whatever has to remember lists from one kernel to the next has a `...Memory`, named for the pass, as everywhere in
//! the pipeline (`gen_ir::Pool`, on the other hand, lends lists of instructions, which passes hand to each other). One
//! arena for all was the alternative: but what is in these lists outlives a call of the pass, has a type, and is
//! cleared by whoever fills it, so each would be taken from the arena and given back by name, at more places than it
//! has now. "Scratch" always means a thread's scratch memory.
//!
//! **Bounds** of how far, how much and how often something is looked at keep the work nearly linear. Where no measurement is
//! named beside one, it was chosen. Half and twice of each, but for lengths of arrays and of the rounds after which an
//! allocation is given up, gave as many instructions of the kernels that the page of `finalizer::optimize` names, but for
//! these; what follows `/` is messages for spilled values:
//!
//! | bound | half | twice |
//! |---|---|---|
//! | `spill::groups::MOST` | +1643 / +1495 | +239 / +70 |
//! | `spill::groups::NEAR` | +22 / +18 | 0 |
//! | `spill::extend::GAIN` | +1624 / -1053 | -1115 / +555 |
//! | `spill::extend::WORTH` | -436 / +220 | +6 |
//! | `spill::chunks::KEEP` | +811 / +628 | +203 / +185 |
//! | `spill::residence::BLOCKS` | 0 | -9 / -9 |
//! | `place::copies::MOST` | +201 / +34 | 0 |
//! | `place::sent::WHILE` | +24 | +44 |
//! | `place::PARTS_IN_TURN` | -19 | -3 |
//! | `order::graph::CHOICE` | -148 / +38 | -178 / +125 |
//!
//! **The pages of what is subtle.** What one lane needs and what the thread has to keep for lanes that wait:
//! `analysis::liveness`. Writes of parts that end a value only together: `analysis::composite`. What passes by a
//! subroutine: `analysis::calls`. Temporaries, windows and what is computed again: `spill::plan`; places in memory and
//! the messages there: `spill::slots`, `spill::transfer`. What a correct allocation is, and so what is proved of each: `check`.
//!
//! **What holds.** At no position do two variables share a byte while both are needed, by the lanes that
//! run or by lanes that wait elsewhere, but for what an instruction reads and writes just in the same bytes; so no
//! layout or mask of a write can harm another value. `check` proves it for each result, from the accesses alone. That
//! these are right is another matter: the replay, which shares nothing with this crate, runs random kernels before and after
//! (`replay` of the crate `tests`).
//!
//! **Subroutines.** What a subroutine does not write passes by it, at each call by itself: values alive across
//! different calls share registers, and none of them is alive in the other's surroundings (`analysis::calls`,
//! `analysis::liveness`, `Sharing::InCalls`).
//!
//! **Why not regalloc2** for flags and addresses: it wants SSA and puts moves on edges, but flags are
//! written lane by lane and cross blocks of divergent flow, whose edges have no place for
//! a move. The same scan that places general variables as byte ranges places flags (8 or 16 bytes) and
//! `a0` (32 bytes) too, backed by general registers, and costs them next to nothing: one liveness
//! serves all three files. On what both can express, uniform flow over values of one register and flags, ours is
//! held against it: `tests/beside_regalloc2.rs` has regalloc2's checker judge our allocations, and where regalloc2
//! gives every value one register for good, so do we. `REGALLOC2.md` has what it would gain and cost, measured.
//!
//! The stages up to `place` run in rounds: when something finds no place, code is rewritten (`arf`,
//! `spill`) so that it needs one for a few instructions only, and the next round starts afresh. What
//! spilling adds is first tried beside all that was placed (`fit`): if it fits, that was the last round.

// Numbers are converted by name (the crate `narrow`) or with an error.
#![cfg_attr(not(test), deny(clippy::as_conversions))]

mod analysis;
mod apply;
mod arf;
mod check;
mod copy;
mod error;
mod options;
mod order;
mod pairs;
mod place;
mod placing;
mod rounds;
mod rows;
mod side_by_side;
mod spill;
mod split;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use options::{AllocStats, Options, Placed};
pub use pairs::PairGuard;
pub use rounds::{AllocationMemory, allocate};
pub use split::Splitter;

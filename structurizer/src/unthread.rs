//! Jumps that leave several nested regions at once, made to leave them one by one.
//!
//! Compilers send a jump straight to where it ends up:
//!
//! ```text
//!     (p) goto other          if !p
//!     (q) goto inner            if !q
//!     ...
//!     goto end                  else
//! inner:
//!     ...                       endif
//!     goto end                else
//! other:
//!     ...                     endif
//! end:
//! ```
//!
//! The first `goto end` leaves the region of `q` and that of `p`, so neither is a hammock. But the part of `p`
//! that it stands in ends in a jump to the same place. Sent to that jump, which gets a block of its own, it
//! leaves the region of `q` only. What [`structured`] does not turn into an `if` or `else` then goes back
//! to its old target: a goto more on the way would serve nobody.

use crate::{
    plan::Plan,
    structured::{self, Form, Forms, LARGEST, Node, Shape},
};
use gen_ir::{Block, BlockId, Kernel, Payload, Pool, Target, Virtual};
use narrow::{as_index, to_index};

/// Where a jump may go: the start of a block, or the jump at its end, which then gets a block of its own. Twice the block's
/// number, and one more for the jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place(u32);

impl Place {
    /// Of blocks that do not jump.
    const NOWHERE: Place = Place(u32::MAX);

    const fn start_of(block: BlockId) -> Place {
        Place(2 * block.0)
    }

    const fn jump_of(block: BlockId) -> Place {
        Place(2 * block.0 + 1)
    }

    const fn is_jump(self) -> bool {
        self.0 % 2 == 1
    }

    fn block(self) -> usize {
        as_index(self.0) / 2
    }

    /// The number of the block that begins here, where each block's first part has a new number.
    fn renumbered(self, number: &[u32]) -> BlockId {
        BlockId(number[self.block()] + u32::from(self.is_jump()))
    }
}

/// Memory to work in.
#[derive(Debug, Default)]
pub(crate) struct Unthread {
    /// Where each block's jump goes, and where it went.
    to: Vec<Place>,
    was: Vec<Place>,
    /// Blocks whose jumps go elsewhere now.
    moved: Vec<u32>,
    /// For each block, whether its jump stands apart.
    apart: Vec<bool>,
    /// New number of each block.
    number: Vec<u32>,
    model: Vec<Node>,
}

/// Restoring one jump may bar others; so often this is looked at before all are restored. (Chosen: half and
/// twice of it change no code that was seen.)
const ROUNDS: usize = 16;

/// Changes the targets of such jumps and gives the jumps they go to blocks of their own. Returns whether
/// there were any: plans are to be made anew then.
pub(crate) fn split(
    kernel: &mut Kernel<Virtual>,
    nodes: &[Node],
    u: &mut Unthread,
    forms: &mut Forms,
    blocks: &mut Vec<Block<Virtual>>,
    pool: &mut Pool<Virtual>,
) -> bool {
    u.send_to_nearest(kernel, nodes);
    if u.moved.is_empty() {
        return false;
    }
    for round in 0.. {
        u.model(nodes);
        structured::find(&u.model, forms);
        let Unthread { moved, to, was, apart, number, .. } = u;
        let before = moved.len();
        moved.retain(|&g| {
            let g = as_index(g);
            let at = as_index(number[g]) + usize::from(apart[g]);
            let stays = forms.forms[at] != Form::Plain && round < ROUNDS;
            if !stays {
                to[g] = was[g];
            }
            stays
        });
        if moved.is_empty() {
            return false;
        }
        if moved.len() == before {
            break;
        }
    }
    u.apply(kernel, nodes, blocks, pool);
    true
}

impl Unthread {
    /// Sends jumps to the end of the innermost region whose first part ends in a jump to the same place.
    fn send_to_nearest(&mut self, kernel: &Kernel<Virtual>, nodes: &[Node]) {
        let Unthread { to, was, moved, .. } = self;
        to.clear();
        to.extend(nodes.iter().map(|n| n.plan.target().map_or(Place::NOWHERE, Place::start_of)));
        was.clone_from(to);
        moved.clear();
        // Outer regions first, so the innermost has the last word.
        for b in 0..nodes.len() {
            let (Plan::Forward(other), Shape::When) = (nodes[b].plan, nodes[b].shape) else { continue };
            let tail = other.index() - 1;
            let ends = matches!(nodes[tail], Node { plan: Plan::Forward(_), shape: Shape::Always });
            if !ends || tail <= b || tail - b > LARGEST {
                continue;
            }
            let end = BlockId(to_index(tail));
            let is_alone = kernel.blocks[tail].insts.len() == 1;
            let place = if is_alone { Place::start_of(end) } else { Place::jump_of(end) };
            for g in b + 1..tail {
                if to[g] == to[tail] && matches!(nodes[g].plan, Plan::Forward(_)) {
                    if to[g] == was[g] {
                        moved.push(to_index(g));
                    }
                    to[g] = place;
                }
            }
        }
    }

    /// The blocks as they will be.
    fn model(&mut self, nodes: &[Node]) {
        let Unthread { to, moved, apart, number, model, .. } = self;
        apart.clear();
        apart.resize(nodes.len(), false);
        for &g in moved.iter() {
            let place = to[as_index(g)];
            apart[place.block()] |= place.is_jump();
        }
        number.clear();
        let mut next = 0;
        for &a in apart.iter() {
            number.push(next);
            next += 1 + u32::from(a);
        }
        model.clear();
        for (b, node) in nodes.iter().enumerate() {
            let plan = node.plan.retargeted(|_| to[b].renumbered(number));
            if apart[b] {
                model.push(Node::default());
            }
            model.push(Node { plan, shape: node.shape });
        }
    }

    /// Writes the targets, and gives jumps that others go to blocks of their own.
    fn apply(
        &self,
        kernel: &mut Kernel<Virtual>,
        nodes: &[Node],
        blocks: &mut Vec<Block<Virtual>>,
        pool: &mut Pool<Virtual>,
    ) {
        let Unthread { to, was, apart, number, .. } = self;
        let new = |block: BlockId| Place::start_of(block).renumbered(number);
        blocks.clear();
        for (b, mut block) in kernel.blocks.drain(..).enumerate() {
            let jumps = nodes[b].plan != Plan::None;
            for s in &mut block.succs {
                *s = match jumps && Place::start_of(*s) == was[b] {
                    true => to[b].renumbered(number),
                    false => new(*s),
                };
            }
            if let Some(Payload::Branch { jip, uip, .. }) = block.insts.last_mut().map(|i| &mut i.payload) {
                for t in [jip, uip] {
                    if let Target::Block(old) = t {
                        *old = if jumps { to[b].renumbered(number) } else { new(*old) };
                    }
                }
            }
            if apart[b]
                && let Some(jump) = block.insts.pop()
            {
                let mut insts = pool.list(1);
                insts.push(jump);
                let next = BlockId(to_index(blocks.len()) + 1);
                let succs = std::mem::replace(&mut block.succs, [next].into_iter().collect());
                blocks.push(block);
                blocks.push(Block { insts, succs });
            } else {
                blocks.push(block);
            }
        }
        kernel.blocks.append(blocks);
        for s in &mut kernel.subroutines {
            *s = new(*s);
        }
    }
}

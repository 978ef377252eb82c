//! Where variables are read before anything writes them.

use gen_ir::{Direction, Inst, Kernel, Physical};
use narrow::{as_index, to_index};

/// For each block, the variables that some way from its start reads before any writes them.
pub(crate) struct Needs(Vec<Vec<u32>>);

/// What shows an instruction's touches of variables, reads first: the variable, and what happens to it.
type Touch<'a> = dyn Fn(&Inst<Physical>, &mut dyn FnMut(u32, Direction)) + 'a;

/// Bits of all blocks together; for more, nothing is needed anywhere.
const MOST_BITS: usize = 1 << 28;

impl Needs {
    /// Finds them for `count` variables.
    pub fn find(
        code: &Kernel<Physical>,
        count: usize,
        touch: impl Fn(&Inst<Physical>, &mut dyn FnMut(u32, Direction)),
    ) -> Needs {
        let touch: &Touch<'_> = &touch;
        let words = count.div_ceil(64);
        let blocks = code.blocks.len();
        if blocks.saturating_mul(words).saturating_mul(64) > MOST_BITS {
            return Needs(vec![Vec::new(); blocks]);
        }
        let mut needed = vec![0u64; blocks * words];
        let mut written = vec![0u64; blocks * words];
        for (b, block) in code.blocks.iter().enumerate() {
            let range = b * words..(b + 1) * words;
            let (needed, written) = (&mut needed[range.clone()], &mut written[range]);
            for inst in &block.insts {
                touch(inst, &mut |v, does| {
                    let (word, bit) = (as_index(v) / 64, 1 << (v % 64));
                    match does {
                        Direction::Write => written[word] |= bit,
                        Direction::Read => needed[word] |= bit & !written[word],
                    }
                });
            }
        }
        loop {
            let mut changed = false;
            for (b, block) in code.blocks.iter().enumerate().rev() {
                for succ in &block.succs {
                    for w in 0..words {
                        let at = b * words + w;
                        let new = needed[at] | needed[succ.index() * words + w] & !written[at];
                        changed |= std::mem::replace(&mut needed[at], new) != new;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let of_block = |b: usize| {
            let words = needed[b * words..(b + 1) * words].iter().enumerate();
            let variables = words.flat_map(|(w, bits)| {
                (0..64).filter(move |i| bits >> i & 1 != 0).map(move |i| to_index(w * 64 + i))
            });
            variables.collect()
        };
        Needs((0..blocks).map(of_block).collect())
    }

    /// The variables of a block, in order.
    pub fn at(&self, block: usize) -> &[u32] {
        &self.0[block]
    }
}

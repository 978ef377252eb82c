//! Which of a few variables are alive where each block starts.
//!
//! The variables are numbered first ([`VarNumbers`]), so a block takes a bit for each of them and none for all others.

use gen_ir::{Inst, Kernel, Op, Reg, Var, VarId, Virtual};
use narrow::as_index;

use super::own_channels::OwnChannels;
use crate::lists::reset;

const NONE: u32 = u32::MAX;

/// Numbers for a few of a kernel's variables, from 0 on.
#[derive(Debug, Default)]
pub(super) struct VarNumbers {
    /// By variable; [`NONE`] for one without.
    numbers: Vec<u32>,
    count: u32,
}

impl VarNumbers {
    /// Forgets all numbers.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.count = 0;
    }

    /// So many variables have no number yet.
    pub fn start(&mut self, vars: usize) {
        reset(&mut self.numbers, vars, NONE);
        self.count = 0;
    }

    /// The number of a variable, which gets one if fewer than `most` have one.
    pub fn number(&mut self, v: VarId, most: usize) -> Option<u32> {
        let number = &mut self.numbers[v.index()];
        if *number == NONE && as_index(self.count) < most {
            *number = self.count;
            self.count += 1;
        }
        self.of(v)
    }

    /// The number of a variable, if it has one.
    pub fn of(&self, v: VarId) -> Option<u32> {
        Some(self.numbers[v.index()]).filter(|n| *n != NONE)
    }
}

/// Which of the numbered variables are alive where each block starts. A set of them takes `words` words; the vectors have such
/// a set for each block.
#[derive(Debug, Default)]
pub(super) struct LiveIn {
    words: usize,
    /// Variables that are read before they are written anew.
    read: Vec<u64>,
    /// Variables that are written anew.
    written: Vec<u64>,
    alive: Vec<u64>,
}

impl LiveIn {
    /// Whether the variable of a number is alive where a block starts.
    pub fn has(&self, block: usize, number: u32) -> bool {
        self.alive[block * self.words + as_index(number) / 64] >> (number % 64) & 1 != 0
    }

    /// Finds out for all numbered variables of a kernel without subroutines.
    pub fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        grf_bytes: u32,
        channels: &OwnChannels,
        numbers: &VarNumbers,
    ) {
        self.words = as_index(numbers.count).div_ceil(64);
        for set in [&mut self.read, &mut self.written, &mut self.alive] {
            reset(set, kernel.blocks.len() * self.words, 0);
        }
        self.summarize(kernel, grf_bytes, channels, numbers);
        self.solve(kernel);
    }

    /// Looks at each block by itself.
    fn summarize(
        &mut self,
        kernel: &Kernel<Virtual>,
        grf_bytes: u32,
        channels: &OwnChannels,
        numbers: &VarNumbers,
    ) {
        let words = self.words;
        let place = |r: Reg<Virtual>| {
            let v = r.var()?;
            let n = numbers.of(v)?;
            Some((v, as_index(n) / 64, 1 << (n % 64)))
        };
        for (b, block) in kernel.blocks.iter().enumerate() {
            let read = &mut self.read[b * words..][..words];
            let written = &mut self.written[b * words..][..words];
            for inst in &block.insts {
                inst.for_each_read(|r| {
                    if let Some((_, word, bit)) = place(r) {
                        read[word] |= bit & !written[word];
                    }
                });
                if let Some((v, word, bit)) = inst.dst.reg().and_then(place)
                    && (inst.no_mask || channels.are_own(v))
                    && leaves_nothing(&kernel.vars[v.index()], inst, grf_bytes)
                {
                    written[word] |= bit;
                }
            }
        }
    }

    /// Walks from the last block to the first until nothing changes.
    fn solve(&mut self, kernel: &Kernel<Virtual>) {
        let words = self.words;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (b, block) in kernel.blocks.iter().enumerate().rev() {
                for word in 0..words {
                    let behind =
                        block.succs.iter().fold(0, |all, s| all | self.alive[s.index() * words + word]);
                    let here = b * words + word;
                    let alive = self.read[here] | behind & !self.written[here];
                    changed |= alive != self.alive[here];
                    self.alive[here] = alive;
                }
            }
        }
    }
}

/// Whether an instruction leaves nothing of what a variable that it writes holds for the channels that run.
pub(super) fn leaves_nothing(var: &Var, inst: &Inst<Virtual>, grf_bytes: u32) -> bool {
    inst.pred.is_none_or(|_| inst.op == Op::Sel)
        && inst.dst_extent(grf_bytes).is_some_and(|e| e.len() >= var.bytes)
        && inst.dst_is_dense()
}

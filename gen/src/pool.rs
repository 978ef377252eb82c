//! Memory that kernels leave to the kernels after them.

use narrow::as_index;
use std::fmt;

use platforms::Platform;

use crate::{Inst, Kernel, Space};

/// Lists of instructions, and kernels, that nobody needs any longer. What is taken from here is empty but
/// has room, so work that repeats asks the allocator for nothing.
///
/// Lists have room for a power of two of instructions, and come from and go to the others of the same
/// size: whoever takes and keeps the same sizes in any order finds what is needed from the second time on,
/// and nothing is held beyond the most that was in use of each size.
pub struct Pool<S: Space> {
    /// By the binary logarithm of their room.
    lists: Vec<Vec<Vec<Inst<S>>>>,
    /// The last one kept is taken first.
    kernels: Vec<Kernel<S>>,
}

impl<S: Space> Default for Pool<S> {
    fn default() -> Pool<S> {
        Pool { lists: Vec::new(), kernels: Vec::new() }
    }
}

impl<S: Space> fmt::Debug for Pool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.lists.iter().map(Vec::len).sum::<usize>();
        f.debug_struct("Pool").field("lists", &lists).field("kernels", &self.kernels.len()).finish()
    }
}

impl<S: Space> Pool<S> {
    /// An empty list with room for so many instructions.
    pub fn list(&mut self, room: usize) -> Vec<Inst<S>> {
        if room == 0 {
            return Vec::new();
        }
        let class = as_index(room.next_power_of_two().trailing_zeros());
        let kept = self.lists.get_mut(class).and_then(Vec::pop);
        kept.unwrap_or_else(|| Vec::with_capacity(1 << class))
    }

    /// Takes a list back.
    pub fn keep(&mut self, mut list: Vec<Inst<S>>) {
        let Some(class) = list.capacity().checked_ilog2() else { return };
        list.clear();
        let class = as_index(class);
        if self.lists.len() <= class {
            self.lists.resize_with(class + 1, Vec::new);
        }
        self.lists[class].push(list);
    }

    /// Makes room for more instructions at the end of a list.
    pub fn grow(&mut self, list: &mut Vec<Inst<S>>, more: usize) {
        let room = list.len() + more;
        if list.capacity() < room {
            let mut larger = self.list(room);
            larger.extend_from_slice(list);
            self.keep(std::mem::replace(list, larger));
        }
    }

    /// Puts instructions in the place of a list's.
    pub fn store(&mut self, list: &mut Vec<Inst<S>>, insts: &[Inst<S>]) {
        list.clear();
        self.grow(list, insts.len());
        list.extend_from_slice(insts);
    }

    /// An empty kernel.
    pub fn kernel(&mut self, name: &str, platform: Platform) -> Kernel<S> {
        let Some(mut kernel) = self.kernels.pop() else { return Kernel::new(name, platform) };
        kernel.name.push_str(name);
        Kernel {
            name: kernel.name,
            vars: kernel.vars,
            blocks: kernel.blocks,
            subroutines: kernel.subroutines,
            ..Kernel::new(String::new(), platform)
        }
    }

    /// Takes a kernel back, with the lists of its blocks. Of several, the first taken comes back last: then
    /// the same ones meet the same memory again.
    pub fn keep_kernel(&mut self, mut kernel: Kernel<S>) {
        for block in kernel.blocks.drain(..) {
            self.keep(block.insts);
        }
        kernel.name.clear();
        kernel.vars.clear();
        kernel.subroutines.clear();
        self.kernels.push(kernel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecSize, Op, Virtual};

    #[test]
    fn lists_come_back_with_their_room() {
        let mut pool = Pool::<Virtual>::default();
        let nop = Inst::new(Op::Nop, ExecSize::S1);
        let mut list = pool.list(5);
        assert_eq!((list.len(), list.capacity()), (0, 8));
        list.push(nop);
        let at = list.as_ptr();
        pool.keep(list);
        let larger = pool.list(9);
        assert_ne!(larger.as_ptr(), at);
        let mut again = pool.list(6);
        assert_eq!((again.as_ptr(), again.len()), (at, 0));
        pool.store(&mut again, &[nop; 8]);
        assert_eq!(again.as_ptr(), at);
        pool.grow(&mut again, 1);
        assert_eq!((again.len(), again.capacity()), (8, 16));
        let again = pool.list(8);
        assert_eq!(again.as_ptr(), at);
    }

    #[test]
    fn kernels_come_back_empty() {
        let mut pool = Pool::<Virtual>::default();
        let mut kernel = pool.kernel("a", Platform::Skl);
        kernel.blocks.push(crate::Block { insts: pool.list(3), ..Default::default() });
        kernel.simd = 32;
        let at = kernel.blocks.as_ptr();
        pool.keep_kernel(kernel);
        let kernel = pool.kernel("b", Platform::Pvc);
        assert_eq!((kernel.blocks.as_ptr(), kernel.blocks.len(), kernel.simd), (at, 0, 8));
        assert_eq!((kernel.name.as_str(), kernel.platform), ("b", Platform::Pvc));
        assert_eq!(pool.list(3).capacity(), 4);
    }
}

//! All kernels of a module at once.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use visa::Module;

use crate::{Binary, Finalizer, Refusal, driver::finalizer::gather};

impl Finalizer {
    /// Finalizes all kernels of a module on up to `threads` threads. The result is that of
    /// [`Finalizer::finalize_module`], byte for byte: kernels do not depend on each other, and stand in
    /// the module's order whoever finished first. So does what is printed of them.
    ///
    /// The helpers' scratch memory is kept for the next call, as this finalizer's own is.
    ///
    /// # Errors
    ///
    /// Every instruction of any kernel that cannot be finalized.
    pub fn finalize_parallel(
        &mut self,
        module: &Module,
        threads: NonZero<usize>,
    ) -> Result<Vec<Binary>, Refusal> {
        let count = module.kernels.len();
        let helpers = threads.get().min(count).saturating_sub(1);
        if helpers == 0 {
            return self.finalize_module(module);
        }
        let mut workers = self.take_workers(helpers);
        let before = self.take_printed();
        let next = AtomicUsize::new(0);
        let mut done: Vec<Turn> = thread::scope(|scope| {
            let next = &next;
            let started: Vec<_> =
                workers.iter_mut().map(|w| scope.spawn(move || w.take_turns(module, next))).collect();
            let mut done = self.take_turns(module, next);
            for worker in started {
                match worker.join() {
                    Ok(more) => done.extend(more),
                    // A fault of ours: whoever called sees it as if there had been one thread.
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        self.keep_workers(workers);
        done.sort_unstable_by_key(|turn| turn.kernel);
        let printed = before.into_iter().chain(done.iter_mut().filter_map(|turn| turn.printed.take()));
        self.printed = printed.reduce(|all, text| all + &text);
        gather(done.into_iter().map(|turn| turn.result))
    }

    /// Finalizes whichever kernel is next until none is left.
    fn take_turns(&mut self, module: &Module, next: &AtomicUsize) -> Vec<Turn> {
        let mut done = Vec::new();
        loop {
            let kernel = next.fetch_add(1, Ordering::Relaxed);
            if kernel >= module.kernels.len() {
                return done;
            }
            let result = self.finalize_kernel(module, kernel);
            done.push(Turn { kernel, result, printed: self.take_printed() });
        }
    }
}

/// What came of one kernel.
struct Turn {
    /// Its number in the module.
    kernel: usize,
    result: Result<Binary, Refusal>,
    /// See [`Finalizer::take_printed`].
    printed: Option<String>,
}

//! `visa-finalize INPUT... --platform P`: the main job.
//!
//! ```text
//! inputs   which files those are: directories and patterns become lists
//! one      an input through the finalizers, everything in memory
//! outputs  names and contents of what becomes of it
//! ```
//! Inputs are worked on side by side; what is said and written of them comes in their order.

mod inputs;
mod one;
mod outputs;

use narrow::to_u64;
use std::{
    collections::BTreeMap,
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Instant,
};

use finalizer::{Diagnostic, Finalizer, Options, PassSet, Place, Refusal, Severity};
use indicatif::{ProgressBar, ProgressStyle};
use platforms::Platform;
use report::page::{Page, TooLarge};

use crate::{
    args::{Emit, FinalizeArgs},
    console,
    files::{Sink, cannot_write, is_standard},
};
use inputs::Job;
use one::Outcome;
pub use outputs::{Code, Product};

/// Kernels of one input, or inputs, below which progress would only flicker.
const WORTH_A_BAR: usize = 20;

/// Finalizes every input; each one that is refused is reported and the others still go on.
pub fn run(args: &FinalizeArgs) -> ExitCode {
    let jobs = match check_usage(args).and_then(|()| inputs::expand(&args.inputs)) {
        Ok(jobs) => jobs,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let started = Instant::now();
    let mut reporter =
        Reporter { args, written: BTreeMap::new(), page: Ok(Page::default()), refused: 0, warnings: 0 };
    let bar = if jobs.len() > 1 { progress(jobs.len()) } else { ProgressBar::hidden() };
    in_order(args, &jobs, |job, outcome| {
        bar.suspend(|| reporter.tell(job, outcome));
        bar.inc(1);
    });
    bar.finish_and_clear();
    reporter.write_page();
    reporter.summary(jobs.len(), started);
    if reporter.refused > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What the argument parser cannot know.
fn check_usage(args: &FinalizeArgs) -> Result<(), String> {
    if args.platform.is_empty() && !args.only_translates() {
        return Err("code is written for a platform: give --platform".into());
    }
    let mut platforms = args.platform.clone();
    platforms.sort();
    platforms.dedup();
    if platforms.len() != args.platform.len() {
        return Err("--platform names a platform twice".into());
    }
    let streams = args.inputs.iter().filter(|i| is_standard(i)).count();
    match streams {
        0 => Ok(()),
        1 if args.in_place => Err("standard input cannot be replaced".into()),
        1 => Ok(()),
        _ => Err("standard input is named twice".into()),
    }
}

fn finalizers(args: &FinalizeArgs) -> Vec<Finalizer> {
    args.platform.iter().map(|&p| Finalizer::new(options(args, p))).collect()
}

fn options(args: &FinalizeArgs, platform: Platform) -> Options {
    let passes = |names: &[String]| {
        let named = |name: &String| PassSet::named(name).unwrap_or(PassSet::ALL);
        names.iter().map(named).fold(PassSet::NONE, PassSet::with)
    };
    let default = Options::new(platform);
    let mut options = Options {
        grf: args.grf.unwrap_or_default(),
        reserved_registers: args.reserve,
        pairs: args.pairs,
        compact: !args.no_compaction,
        verify: args.verify || default.verify,
        timings: args.stats || args.report.is_some(),
        origins: args.report.is_some(),
        debug_info: args.emits().contains(&Emit::Dbg),
        print_after: passes(&args.print_after),
        level: args.level,
        skip: passes(&args.skip_pass),
        strict: args.strict,
        ..default
    };
    for (name, value) in &args.set {
        // They were tried when the command line was read.
        let _ = options.set(name, value);
    }
    options
}

/// Works on the inputs side by side and hands over what became of each, in their order.
fn in_order(args: &FinalizeArgs, jobs: &[Job], mut done: impl FnMut(&Job, Outcome)) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.jobs.map_or(cores, usize::from).min(jobs.len());
    if threads <= 1 {
        let mut finalizers = finalizers(args);
        for job in jobs {
            let alone = jobs.len() == 1;
            let bar = |kernels| if alone { progress(kernels) } else { ProgressBar::hidden() };
            done(job, one::finalize(args, &mut finalizers, job, bar));
        }
        return;
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // Whoever is far ahead waits, so that results do not pile up behind a slow one.
        let (send, receive) = mpsc::sync_channel(threads * 4);
        for _ in 0..threads {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                let mut finalizers = finalizers(args);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let outcome = one::finalize(args, &mut finalizers, job, |_| ProgressBar::hidden());
                    if send.send((index, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for (index, outcome) in receive {
            waiting.insert(index, outcome);
            while let Some(outcome) = waiting.remove(&turn) {
                done(&jobs[turn], outcome);
                turn += 1;
            }
        }
    });
}

fn progress(steps: usize) -> ProgressBar {
    if steps < WORTH_A_BAR || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("[{bar:40}] {pos}/{len} {eta}").expect("a valid template");
    ProgressBar::new(to_u64(steps)).with_style(style)
}

/// Tells what became of the inputs, one after the other, and writes their results.
struct Reporter<'a> {
    args: &'a FinalizeArgs,
    /// Files written so far, and the inputs that they are from.
    written: BTreeMap<PathBuf, PathBuf>,
    /// The page that was asked for, with the kernels so far.
    page: Result<Page, TooLarge>,
    refused: usize,
    warnings: usize,
}

impl Reporter<'_> {
    fn tell(&mut self, job: &Job, mut outcome: Outcome) {
        // Everything is in memory and nothing was refused: only now touch the file system.
        let written = self.claim(job, &outcome.products).and_then(|()| outputs::write(&outcome.products));
        let is_written = written.is_ok();
        if let Err(Refusal(faults)) = written {
            outcome.faults.extend(faults);
        }
        // What goes to standard output is not mixed with talk.
        let _ = match outcome.products.iter().any(|p| p.sink == Sink::Standard) {
            true => anstream::stderr().write_all(outcome.talk.as_bytes()),
            false => anstream::stdout().write_all(outcome.talk.as_bytes()),
        };
        for kernel in &outcome.pages {
            if let Ok(page) = &mut self.page
                && let Err(e) = page.add(kernel)
            {
                self.page = Err(e);
            }
        }
        self.warnings += outcome.faults.iter().filter(|d| d.severity == Severity::Warning).count();
        self.refused += usize::from(outcome.faults.iter().any(|d| d.severity == Severity::Error));
        console::faults(&job.path, &outcome.faults, self.args.message_format);
        if is_written && !self.args.quiet {
            console::written(&outcome.products, self.args.message_format);
        }
    }

    /// Notes what an input's results are called; none may replace those of another.
    fn claim(&mut self, job: &Job, products: &[Product]) -> Result<(), Refusal> {
        for product in products {
            let Sink::File(path) = &product.sink else { continue };
            if let Some(other) = self.written.insert(path.clone(), job.path.clone()) {
                let (path, other) = (path.display(), other.display());
                let message = format!("{path} already holds a result of {other}; write to another directory");
                return Err(Diagnostic::error("OutputTwice", message).at(Place::Input).into());
            }
        }
        Ok(())
    }

    /// Writes the page; nothing if no kernel got so far.
    fn write_page(&mut self) {
        let Some(path) = &self.args.report else { return };
        let sink = Sink::new(path);
        let written = match &self.page {
            Err(e) => Err(Diagnostic::error("TooLarge", e.to_string())),
            Ok(page) if page.is_empty() => return,
            Ok(page) => {
                let bytes = page.html(env!("VISA_FINALIZE_VERSION")).into_bytes();
                let done =
                    sink.write(&bytes).map(|()| Product { sink: sink.clone(), bytes, code: Vec::new() });
                done.map_err(cannot_write)
            }
        };
        match written {
            Ok(product) if !self.args.quiet => console::written(&[product], self.args.message_format),
            Ok(_) => {}
            Err(fault) => {
                console::faults(path, &[fault], self.args.message_format);
                self.refused += 1;
            }
        }
    }

    fn summary(&self, inputs: usize, started: Instant) {
        if inputs < 2 || self.args.quiet {
            return;
        }
        let (done, refused) = (inputs - self.refused, self.refused);
        let (warnings, seconds) = (self.warnings, started.elapsed().as_secs_f64());
        console::summary(done, refused, warnings, seconds, self.args.message_format);
    }
}

//! What was found, by kernel.

use narrow::to_u64;
use std::{collections::BTreeMap, fmt, sync::Arc};

use emulator::Report;

use crate::{
    kernels::Kernel,
    run::{self, Ran},
};

/// Most different things that are told.
const MOST: usize = 1000;

/// What was found in all kernels.
#[derive(Debug, Default)]
pub struct Findings {
    kernels: BTreeMap<(String, u64), KernelFindings>,
    /// Commands that could not be run, and messages that were none.
    pub faults: Vec<String>,
}

/// What a kernel did.
#[derive(Debug)]
struct KernelFindings {
    kernel: Arc<Kernel>,
    dispatches: u64,
    threads: u64,
    instructions: u64,
    reports: Vec<Report>,
    stopped: Vec<String>,
}

impl Findings {
    /// Adds a dispatch.
    pub fn dispatch(&mut self, kernel: &Arc<Kernel>, ran: Ran, threads: u64, notes: Vec<String>) {
        // By name and length: equal names are of different programs.
        let name = kernel.name.clone();
        let key = match name {
            Some(name) => (name, to_u64(kernel.code.len())),
            None => (format!("(the driver's own, {} bytes)", kernel.code.len()), 0),
        };
        if self.kernels.len() >= MOST && !self.kernels.contains_key(&key) {
            return;
        }
        let found = self.kernels.entry(key).or_insert_with(|| KernelFindings {
            kernel: kernel.clone(),
            dispatches: 0,
            threads: 0,
            instructions: 0,
            reports: Vec::new(),
            stopped: Vec::new(),
        });
        found.dispatches += 1;
        found.threads += ran.groups * threads;
        found.instructions += ran.instructions;
        run::add(&mut found.reports, ran.reports);
        if let Some(why) = ran.stopped {
            let mut text = why.to_string();
            for note in notes {
                text.push_str("; ");
                text.push_str(&note);
            }
            if found.stopped.len() < MOST && !found.stopped.contains(&text) {
                found.stopped.push(text);
            }
        }
    }

    /// Adds what could not be run.
    pub fn fault(&mut self, what: String) {
        if self.faults.len() < MOST && !self.faults.contains(&what) {
            self.faults.push(what);
        }
    }

    /// Whether something was found that no correct program does, or something did not run.
    pub fn is_error(&self) -> bool {
        let bad = |f: &KernelFindings| !f.stopped.is_empty() || f.reports.iter().any(|r| r.fault.is_error());
        !self.faults.is_empty() || self.kernels.values().any(bad)
    }

    /// Dispatches of all kernels.
    pub fn dispatches(&self) -> u64 {
        self.kernels.values().map(|f| f.dispatches).sum()
    }

    /// Instructions of all kernels.
    pub fn instructions(&self) -> u64 {
        self.kernels.values().map(|f| f.instructions).sum()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((name, _), found) in &self.kernels {
            let KernelFindings { dispatches, threads, instructions, reports, stopped, kernel } = found;
            let did = [
                (dispatches, "dispatch", "es"),
                (threads, "thread", "s"),
                (instructions, "instruction", "s"),
            ];
            let did = did.map(|(n, what, many)| format!("{n} {what}{}", if *n == 1 { "" } else { many }));
            write!(f, "{name}: {}: ", did.join(", "))?;
            match reports.len() + stopped.len() {
                0 => writeln!(f, "nothing found")?,
                n => writeln!(f, "{n} found")?,
            }
            let offsets: Vec<u32> = reports.iter().map(|r| r.pc).collect();
            let visa = if offsets.is_empty() { Vec::new() } else { kernel.visa(&offsets) };
            for (report, visa) in reports.iter().zip(visa) {
                writeln!(f, "  {report}")?;
                if let Some(visa) = visa {
                    writeln!(f, "    vISA: {visa}")?;
                }
            }
            for why in stopped {
                writeln!(f, "  stopped: {why}")?;
            }
        }
        self.faults.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}

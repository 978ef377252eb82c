//! Runs a dispatch: groups on all processors, with the result of one group after the other.

use narrow::to_usize;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use emulator::{Dispatch, GroupReport, Groups, Learned, Memory, Options, Program, Report};

use crate::{
    Error,
    memory::World,
    pages::Space,
    view::{Changed, Effects, View},
};

/// Groups that a processor takes in a round: changes become everybody's between rounds.
const ROUND: usize = 64;

/// What to run.
pub struct Job<'a> {
    pub program: &'a Program,
    pub dispatch: &'a Dispatch,
    /// The first group in each dimension, and behind the last.
    pub from: [u32; 3],
    pub to: [u32; 3],
    pub space: Space,
    /// The general state base.
    pub general: u64,
    pub options: &'a Options,
    /// Processors to use.
    pub threads: usize,
    /// What runs of the program have learned of it.
    pub learned: &'a Mutex<Vec<Learned>>,
}

/// What a dispatch did.
#[derive(Debug, Default)]
pub struct Ran {
    /// Groups that ran to their end.
    pub groups: u64,
    /// Their instructions.
    pub instructions: u64,
    /// Findings, in code order.
    pub reports: Vec<Report>,
    /// Groups that ran again, for others had changed what they had read.
    pub again: u64,
    /// What the dispatch stopped at.
    pub stopped: Option<emulator::Error>,
}

type Group = (Result<GroupReport, emulator::Error>, Effects);

/// Runs a dispatch. What it stops at is told; the groups before have their effects.
///
/// # Errors
///
/// There is no memory left.
pub fn run(job: &Job<'_>, world: &mut Arc<World>) -> Result<Ran, Error> {
    let mut ran = Ran::default();
    let mut left = groups(job.from, job.to);
    let mut threads = job.threads.max(1);
    let runners = Runners { job, idle: Mutex::default() };
    while ran.stopped.is_none() {
        let round: Vec<[u32; 3]> = left.by_ref().take(ROUND * threads).collect();
        if round.is_empty() {
            break;
        }
        if threads == 1 {
            in_order(&runners, world, &round, &mut ran)?;
            continue;
        }
        let again = ran.again;
        beside_each_other(&runners, world, &round, threads, &mut ran)?;
        // Groups that work on the same memory run twice for nothing.
        if to_usize(ran.again - again) > round.len() / 4 {
            threads = 1;
        }
    }
    ran.reports.sort_by_key(|r| (r.pc, r.fault));
    Ok(ran)
}

/// Group numbers, x first.
fn groups(from: [u32; 3], to: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (from[2]..to[2])
        .flat_map(move |z| (from[1]..to[1]).flat_map(move |y| (from[0]..to[0]).map(move |x| [x, y, z])))
}

/// What runs groups, kept from one group to the next: its registers and tables are large.
struct Runners<'a> {
    job: &'a Job<'a>,
    idle: Mutex<Vec<Groups<'a>>>,
}

impl<'a> Runners<'a> {
    /// One that looks at a memory.
    fn take(&self, world: &Arc<World>) -> Groups<'a> {
        let mut runner = all(&self.idle).pop().unwrap_or_else(|| {
            let job = self.job;
            let view = View::new(job.space, job.general);
            let learned = all(job.learned).pop().unwrap_or_default();
            let memory = Memory::over(Box::new(view));
            Groups::new(job.program, job.dispatch, job.options, memory).knowing(learned)
        });
        look_at(&mut runner, Some(world.clone()));
        runner
    }

    /// Takes one back. It lets go of the memory, which changes now.
    fn give_back(&self, mut runner: Groups<'a>) {
        look_at(&mut runner, None);
        all(&self.idle).push(runner);
    }
}

impl Drop for Runners<'_> {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *all(&self.idle));
        all(self.job.learned).extend(idle.into_iter().map(Groups::learned));
    }
}

/// What a lock keeps; who held it before is done.
fn all<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_at(runner: &mut Groups<'_>, world: Option<Arc<World>>) {
    if let Some(view) = view(runner) {
        view.look_at(world);
    }
}

fn one(runner: &mut Groups<'_>, group: [u32; 3]) -> Group {
    let result = runner.run(group);
    (result, view(runner).map(View::take).unwrap_or_default())
}

fn view<'a>(runner: &'a mut Groups<'_>) -> Option<&'a mut View> {
    runner.memory().outside()?.as_any().downcast_mut()
}

fn in_order(
    runners: &Runners<'_>,
    world: &mut Arc<World>,
    round: &[[u32; 3]],
    ran: &mut Ran,
) -> Result<(), Error> {
    let mut changed = Changed::default();
    for &group in round {
        if !take(alone(runners, world, group), world, &mut changed, ran)? {
            break;
        }
    }
    Ok(())
}

/// A group, with nothing beside it.
fn alone(runners: &Runners<'_>, world: &Arc<World>, group: [u32; 3]) -> Group {
    let mut runner = runners.take(world);
    let made = one(&mut runner, group);
    runners.give_back(runner);
    made
}

fn beside_each_other(
    runners: &Runners<'_>,
    world: &mut Arc<World>,
    round: &[[u32; 3]],
    threads: usize,
    ran: &mut Ran,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut runner = runners.take(world);
        let mut made = Vec::new();
        while let Some(group) = round.get(next.fetch_add(1, Relaxed)) {
            made.push((*group, one(&mut runner, *group)));
        }
        runners.give_back(runner);
        made
    };
    let made: Vec<Vec<([u32; 3], Group)>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(round.len())).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().filter_map(|w| w.join().ok()).collect()
    });
    let mut made: Vec<_> = made.into_iter().flatten().collect();
    made.sort_by_key(|(group, _)| (group[2], group[1], group[0]));
    let mut made = made.into_iter().peekable();
    let mut changed = Changed::default();
    for &group in round {
        // A group that failed may have read what others were about to change; one without a result had a fault of
        // ours. Both run again, when all before them is done.
        let early = made.next_if(|(g, _)| *g == group).map(|(_, made)| made);
        let early = early.filter(|(result, effects)| result.is_ok() && !changed.meets(effects));
        let made = early.unwrap_or_else(|| {
            ran.again += 1;
            alone(runners, world, group)
        });
        if !take(made, world, &mut changed, ran)? {
            break;
        }
    }
    Ok(())
}

/// Takes a group's result over; whether the dispatch goes on.
fn take(
    (result, effects): Group,
    world: &mut Arc<World>,
    changed: &mut Changed,
    ran: &mut Ran,
) -> Result<bool, Error> {
    let report = match result {
        Ok(report) => report,
        Err(why) => {
            ran.stopped = Some(why);
            return Ok(false);
        }
    };
    ran.groups += 1;
    ran.instructions += report.instructions;
    add(&mut ran.reports, report.reports);
    effects.commit(unshared(world), changed)?;
    Ok(true)
}

/// The memory, to change: nobody else holds it while a submission runs but the groups, which are done.
pub fn unshared(world: &mut Arc<World>) -> &mut World {
    Arc::get_mut(world).expect("a view outlives its group")
}

/// Adds findings: the same one at the same instruction is counted.
pub fn add(all: &mut Vec<Report>, new: Vec<Report>) {
    for report in new {
        match all.iter_mut().find(|r| (r.pc, r.fault) == (report.pc, report.fault)) {
            Some(known) => known.count += report.count,
            None => all.push(report),
        }
    }
}

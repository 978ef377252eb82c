//! The same damaged inputs through Intel's finalizer and ours, a process each: who crashes, who hangs.
//!
//! ```text
//! cargo build --release && cargo run --release -p tests --bin mutants -- --count 2000 [--seed 1] [--keep DIR]
//! ```
//!
//! Half of the inputs are vISA assembly, changed by letters, words and lines, half objects of version 3.6,
//! changed by bytes; all of them for Skylake. `--keep` keeps those that Intel's accepts and ours refuses.

use clap::Parser;
use std::{
    error::Error,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use platforms::Platform;
use tests::{data, mutate, splitmix::SplitMix};

/// Longer than this is a hang; an undamaged kernel of this size takes a hundredth of it.
const LIMIT: Duration = Duration::from_secs(10);
/// Larger kernels are left out: time is spent on more inputs instead.
const LARGEST: usize = 40_000;

/// What a program did with an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Accepted,
    Refused,
    /// Refused without a word.
    Silent,
    Crashed,
    Hung,
}

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Accepted, "accepted"),
    (Outcome::Refused, "refused"),
    (Outcome::Silent, "no word"),
    (Outcome::Crashed, "crashed"),
    (Outcome::Hung, "hung"),
];

/// A finalizer: its name, and the command for an input in a directory of its own.
struct Peer {
    name: &'static str,
    program: PathBuf,
    arguments: fn(&Path) -> Vec<String>,
    counts: [[usize; OUTCOMES.len()]; 2],
}

#[derive(Parser)]
struct Args {
    /// Damaged kernels.
    #[arg(short, long, default_value_t = 2000)]
    count: usize,
    /// What damages them.
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Folder for what a program crashes or hangs on.
    #[arg(long)]
    keep: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Args { count, seed, keep } = Args::parse();
    let mut peers = [
        Peer {
            name: "visa-finalize",
            program: ours()?,
            arguments: our_arguments,
            counts: Default::default(),
        },
        Peer {
            name: "GenX_IR",
            program: "GenX_IR".into(),
            arguments: intel_arguments,
            counts: Default::default(),
        },
    ];
    let kernels: Vec<_> = data::kernels(Platform::Skl).iter().filter(|k| k.visaasm.len() < LARGEST).collect();
    let objects: Vec<_> = kernels.iter().filter_map(|k| k.whole.as_ref()).collect();
    let mut random = SplitMix::new(seed);
    for i in 0..count {
        let is_object = i % 2 == 1;
        let (input, file) = if is_object {
            let mut input = (*random.pick(&objects)).clone();
            mutate::bytes(&mut input, &mut random);
            (input, "k.isa")
        } else {
            let mut input = random.pick(&kernels).visaasm.clone().into_bytes();
            mutate::text(&mut input, &mut random);
            (input, "k.visaasm")
        };
        let mut outcomes = Vec::new();
        for peer in &mut peers {
            let outcome = run(peer, file, &input)?;
            outcomes.push(outcome);
            let column = OUTCOMES.iter().position(|o| o.0 == outcome).ok_or("an outcome")?;
            peer.counts[usize::from(is_object)][column] += 1;
            if peer.name == "visa-finalize" && matches!(outcome, Outcome::Crashed | Outcome::Hung) {
                let kept = std::env::temp_dir().join(format!("mutant-{seed}-{i}-{file}"));
                fs::write(&kept, &input)?;
                println!("{outcome:?}: {}", kept.display());
            }
        }
        if let Some(keep) = &keep
            && outcomes == [Outcome::Refused, Outcome::Accepted]
        {
            fs::create_dir_all(keep)?;
            fs::write(keep.join(format!("{i}-{file}")), &input)?;
        }
    }
    print_counts(&format!("{count} damaged inputs, seed {seed}"), &peers);
    Ok(())
}

/// A table of what became of the inputs.
fn print_counts(title: &str, peers: &[Peer]) {
    print!("{title:<34}");
    for (_, name) in OUTCOMES {
        print!("{name:>10}");
    }
    println!();
    for peer in peers {
        for (counts, what) in peer.counts.iter().zip(["vISA assembly", "objects of version 3.6"]) {
            print!("{:<34}", format!("{}, {what}", peer.name));
            for n in counts {
                print!("{n:>10}");
            }
            println!();
        }
    }
}

/// The command, built beside this program.
fn ours() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?.with_file_name("visa-finalize");
    if program.exists() { Ok(program) } else { Err("build the command first: cargo build --release".into()) }
}

fn our_arguments(input: &Path) -> Vec<String> {
    let dat = input.with_file_name("ours.dat");
    [&*input.to_string_lossy(), "--platform", "skl", "--emit", "dat", "-o", &dat.to_string_lossy()]
        .map(str::to_owned)
        .to_vec()
}

fn intel_arguments(input: &Path) -> Vec<String> {
    let file = input.file_name().unwrap_or_default().to_string_lossy();
    [&*file, "-platform", "SKL", "-binary"].map(str::to_owned).to_vec()
}

fn run(peer: &Peer, file: &str, input: &[u8]) -> Result<Outcome, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(file);
    fs::write(&path, input)?;
    let words = directory.path().join("words");
    let output = File::create(&words)?;
    // No core dumps: thousands of them would fill the disk.
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c 0; exec \"$0\" \"$@\""])
        .arg(&peer.program)
        .args((peer.arguments)(&path))
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(Outcome::Hung);
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let has_code = fs::read_dir(directory.path())?
        .flatten()
        .any(|e| e.path().extension().is_some_and(|x| x == "dat") && e.metadata().is_ok_and(|m| m.len() > 0));
    Ok(judge(status, has_code, fs::metadata(&words)?.len() > 0))
}

fn judge(status: ExitStatus, has_code: bool, has_words: bool) -> Outcome {
    // 101 is the exit status of a Rust program that panicked.
    if status.signal().is_some() || status.code() == Some(101) {
        return Outcome::Crashed;
    }
    match (status.success() || has_code, has_words) {
        (true, _) => Outcome::Accepted,
        (false, true) => Outcome::Refused,
        (false, false) => Outcome::Silent,
    }
}

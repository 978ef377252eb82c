//! Every instruction over types and execution sizes, on every platform: proved by the emulator beside the
//! interpreter, refused by us alone, impossible on that hardware.
//!
//! ```text
//! cargo run --release -p tests --bin coverage -- --table
//! cargo run --release -p tests --bin coverage -- --platform skl --only mul
//! ```

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use clap::Parser;
use platforms::Platform;
use tests::{
    coverage::{
        Beside, Fate, alone, beside, causes, code,
        forms::{Form, forms},
        is_plain, judge, open, random, reasons,
        record::Recorded,
        table, vote,
    },
    oracle::GenxIr,
};

/// What becomes of every form of every instruction.
#[derive(Parser)]
struct Arguments {
    /// Platforms; all if none is named.
    #[arg(long = "platform", value_delimiter = ',')]
    platforms: Vec<Platform>,
    /// Ask Intel's finalizer anew.
    #[arg(long)]
    record: bool,
    /// Ask it for forms that have no answer yet.
    #[arg(long)]
    record_new: bool,
    /// Write the list of open forms anew, for the platforms named.
    #[arg(long)]
    record_open: bool,
    /// Print how many forms of each instruction have which fate; of random ones, which causes Intel's code has to differ.
    #[arg(long)]
    table: bool,
    /// Print why forms are impossible, too.
    #[arg(long)]
    impossible: bool,
    /// Ask Intel's finalizer what each open form means, and run its code.
    #[arg(long)]
    intel: bool,
    /// Random instructions instead: so many, with Intel's finalizer asked about each.
    #[arg(long, value_name = "COUNT")]
    random: Option<usize>,
    /// Which random instructions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The lines of a file instead, one form each, with Intel's finalizer asked about each. Instructions of one form are
    /// separated by `; `; the last is the one that counts.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    texts: Option<PathBuf>,
    /// Ask nobody about each of them: our code beside the interpreter, and what is refused.
    #[arg(long)]
    alone: bool,
    /// Random instructions that break rules of the specification, too.
    #[arg(long)]
    wild: bool,
    /// Write our code of all forms below a folder, and of so many random ones, for `tests/tools/mesa-validator`.
    #[arg(long, value_name = "DIR")]
    codes: Option<PathBuf>,
    /// Only forms that contain this.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() {
    let arguments = Arguments::parse();
    let named = !arguments.platforms.is_empty();
    let mut failed = false;
    for platform in Platform::ALL.into_iter().filter(|p| !named || arguments.platforms.contains(p)) {
        if let Some(folder) = &arguments.codes {
            write_codes(platform, &arguments, folder);
            continue;
        }
        if let Some(file) = &arguments.texts {
            failed |= beside_intel(platform, &arguments, by_hand(file));
            continue;
        }
        if let Some(count) = arguments.random {
            let mut forms = random::forms(arguments.seed, count);
            forms.retain(|f| arguments.wild || is_plain(platform, f));
            failed |= beside_intel(platform, &arguments, forms);
            continue;
        }
        if arguments.record || arguments.record_new {
            Recorded::record(platform, arguments.record);
            continue;
        }
        failed |= all_forms(platform, &arguments);
    }
    std::process::exit(i32::from(failed));
}

/// What becomes of each form; whether one is open that is not listed as such.
fn all_forms(platform: Platform, arguments: &Arguments) -> bool {
    let recorded = Recorded::load(platform);
    let wanted = forms().into_iter().filter(|f| f.line.contains(&arguments.only));
    let fates: Vec<_> = wanted
        .map(|form| {
            let fate = judge(platform, &form, &recorded);
            (form, fate)
        })
        .collect();
    let count = |name: &str| fates.iter().filter(|f| f.1.name() == name).count();
    println!(
        "{platform}: {} proved, {} wrong, {} refused by us alone, {} impossible",
        count("proved"),
        count("wrong"),
        count("refused by us alone"),
        count("impossible")
    );
    let listed = open::load(platform);
    let failed = fates.iter().any(|(form, fate)| fate.is_open() && !listed.contains_key(&form.line));
    if arguments.record_open {
        let open = fates.iter().filter(|f| f.1.is_open());
        open::write(platform, open.map(|(form, fate)| (fate.name(), form.line.as_str())));
    }
    if arguments.table {
        println!("{}", table(platform, &fates));
    }
    let intel = arguments.intel.then(GenxIr::find).flatten();
    for (form, fate) in fates.iter().filter(|(_, fate)| fate.is_open() && intel.is_some()) {
        let vote = intel.as_ref().map_or(String::new(), |intel| vote(platform, form, intel));
        println!("  {}: {} {}\n      {vote}", form.line.replace('\n', "; "), fate.name(), fate.detail());
    }
    if intel.is_some() {
        return failed;
    }
    let open = |fate: &Fate| match fate {
        Fate::Impossible(_) => arguments.impossible,
        fate => fate.is_open(),
    };
    for line in reasons(&fates, open) {
        println!("  {line}");
    }
    failed
}

/// Our code of each form, a file each.
fn write_codes(platform: Platform, arguments: &Arguments, folder: &Path) {
    let folder = folder.join(platform.to_string()).join("ours");
    fs::create_dir_all(&folder).expect("a folder");
    let random = random::forms(arguments.seed, arguments.random.unwrap_or(0));
    let wanted = forms().into_iter().chain(random).filter(|f| f.line.contains(&arguments.only));
    for (n, form) in wanted.enumerate() {
        if let Some(code) = code(platform, &form) {
            fs::write(folder.join(format!("{n}-{}.bin", form.op.replace(' ', "-"))), code).expect("a file");
        }
    }
}

/// The forms of a file, named by the instruction of their last line.
fn by_hand(file: &Path) -> Vec<Form> {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with("//"));
    let names: HashMap<&str, &str> = visa::table::rows().map(|row| (row.name, row.name)).collect();
    let form = |line: &str| {
        let last = line.rsplit("; ").next().unwrap_or_default();
        let guarded = last.starts_with('(').then(|| last.split_once(' ')).flatten();
        let word = guarded.map_or(last, |(_, rest)| rest).split(['.', ' ']).next().unwrap_or_default();
        Form { op: names.get(word).copied().unwrap_or("by hand"), line: line.replace("; ", "\n") }
    };
    lines.map(form).collect()
}

/// Forms beside Intel's finalizer. True if one is wrong, or refused by us alone.
fn beside_intel(platform: Platform, arguments: &Arguments, forms: Vec<Form>) -> bool {
    let Some(intel) = GenxIr::find() else { return false };
    let mut counts = BTreeMap::new();
    let mut causes = BTreeMap::new();
    let mut failed = false;
    for form in forms.into_iter().filter(|f| f.line.contains(&arguments.only)) {
        if arguments.alone {
            let fate = alone(platform, &form);
            let class = match &fate {
                Fate::Wrong(_) => Beside::Wrong,
                Fate::Proved => Beside::Agree,
                _ => Beside::Neither,
            };
            *counts.entry(class).or_insert(0) += 1;
            failed |= class == Beside::Wrong;
            if class != Beside::Agree {
                println!("{platform} {class:?}\t{}\t{}", form.line.replace('\n', "; "), fate.detail());
            }
            continue;
        }
        let (mut fate, mut why) = beside(platform, &form, &intel);
        if matches!(fate, Beside::Other | Beside::Wrong) {
            let cause = causes::cause(platform, &form, &intel, fate, &why);
            *causes.entry((form.op, cause.clone())).or_insert(0) += 1;
            if causes::reason(form.op, &cause).is_some() {
                fate = Beside::Explained;
            }
            why = format!("{cause}\t{why}");
        }
        *counts.entry(fate).or_insert(0) += 1;
        failed |= matches!(fate, Beside::Refused | Beside::Wrong);
        if !matches!(fate, Beside::Agree | Beside::Neither | Beside::RefusedUnverified | Beside::Explained)
            || arguments.table && fate == Beside::Explained
        {
            println!("{platform} {fate:?}\t{}\t{}", form.line.replace('\n', "; "), why.replace('\n', " "));
        }
    }
    if arguments.table {
        for ((op, cause), count) in &causes {
            println!("{count:>4}\t{op}\t{cause}\t{}", causes::reason(op, cause).unwrap_or("?"));
        }
    }
    println!("{platform}: {counts:?}");
    failed
}

//! Every instruction over types and execution sizes, on every platform: proved by the emulator beside the
//! interpreter, refused by us alone, impossible on that hardware.
//!
//! ```text
//! cargo run --release -p tests --bin coverage -- --table
//! cargo run --release -p tests --bin coverage -- --platform skl --only mul
//! ```

use clap::Parser;
use platforms::Platform;
use tests::{
    coverage::{Fate, forms::forms, judge, open, reasons, record::Recorded, table, vote},
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
    /// Print how many forms of each instruction have which fate.
    #[arg(long)]
    table: bool,
    /// Print why forms are impossible, too.
    #[arg(long)]
    impossible: bool,
    /// Ask Intel's finalizer what each open form means, and run its code.
    #[arg(long)]
    intel: bool,
    /// Only forms that contain this.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() {
    let arguments = Arguments::parse();
    let named = !arguments.platforms.is_empty();
    let mut failed = false;
    for platform in Platform::ALL.into_iter().filter(|p| !named || arguments.platforms.contains(p)) {
        if arguments.record || arguments.record_new {
            Recorded::record(platform, arguments.record);
            continue;
        }
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
        failed |= fates.iter().any(|(form, fate)| fate.is_open() && !listed.contains_key(&form.line));
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
            continue;
        }
        let open = |fate: &Fate| match fate {
            Fate::Impossible(_) => arguments.impossible,
            fate => fate.is_open(),
        };
        for line in reasons(&fates, open) {
            println!("  {line}");
        }
    }
    std::process::exit(i32::from(failed));
}

//! Damaged code is noticed: a few planted faults of every kind on every platform.
//!
//! The long form is `cargo run --release -p tests --bin faults`.

use tests::data;
use tests::faults::{FaultKind, FaultVerdict, Planted, plant};

/// Faults a platform.
const PICKS: usize = 16;

#[test]
fn the_emulator_sees_planted_faults() {
    let mut all: Vec<Planted> = Vec::new();
    for platform in data::devices() {
        let planted = plant(platform, PICKS, 7);
        assert_eq!(planted.len(), PICKS, "{platform}: too few places for faults");
        all.extend(planted);
    }
    let seen = |p: &&Planted| {
        matches!(p.verdict, FaultVerdict::Reported | FaultVerdict::Static | FaultVerdict::Changed)
    };
    let unseen = |p: &&Planted| matches!(p.verdict, FaultVerdict::Missed | FaultVerdict::Masked(_));
    let missed: Vec<&Planted> = all.iter().filter(unseen).collect();
    println!("{} faults, {} seen, {} missed", all.len(), all.iter().filter(seen).count(), missed.len());
    for p in &missed {
        println!("missed: {:?} in {} at {}", p.kind, p.kernel, p.place);
    }
    assert!(missed.len() * 50 <= all.len(), "{} of {} missed", missed.len(), all.len());
    for kind in [FaultKind::Dependency, FaultKind::Region, FaultKind::Jip, FaultKind::Spill] {
        let of: Vec<&Planted> = all.iter().filter(|p| p.kind == kind).collect();
        assert!(of.iter().copied().filter(seen).count() * 3 >= of.len(), "{kind:?}: hardly any is seen");
    }
}

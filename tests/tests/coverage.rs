//! Instructions over types and execution sizes (`tests::coverage`): what the emulator does with our code is what the
//! interpreter does with the vISA, and what is not stands in a list,
//! each form by itself. Of so many forms one runs here; all of
//! them by `--bin coverage`.

use platforms::Platform;
use tests::{
    coverage::{
        Fate,
        forms::{Form, forms},
        judge, open,
        record::Recorded,
    },
    impossible,
};

/// Of so many forms one is run where that is slow; `--bin states` runs all of them.
const STEP: usize = if cfg!(debug_assertions) { 11 } else { 1 };

fn check(platform: Platform) {
    let recorded = Recorded::load(platform);
    let mut open = open::load(platform);
    let mut faults = Vec::new();
    let mut proved = 0;
    for form in forms().into_iter().step_by(STEP) {
        let fate = judge(platform, &form, &recorded);
        proved += u32::from(fate == Fate::Proved);
        let known = open.remove(&form.line);
        if let Fate::Impossible(why) = &fate
            && impossible::reason(platform, why).is_none()
        {
            faults.push(format!("{}: impossible without a source: {why}", form.line.replace('\n', "; ")));
        }
        if fate.is_open() != known.is_some() {
            faults.push(format!("{}: {}: {}", form.line.replace('\n', "; "), fate.name(), fate.detail()));
        }
    }
    assert!(
        faults.is_empty(),
        "{platform}: {} forms are other than `open.tsv` says (`coverage --record-open`)\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(proved > 380, "{platform}: only {proved} forms are proved");
}

platforms::test_on_each!(check);

/// A form of three operands of types that the destination has, too.
fn form(op: &'static str, lanes: u32, ty: &str, sources: usize) -> Form {
    let mut line = format!("{op} (M1, {lanes}) X_{ty}(0,0)<1>");
    for name in ["A", "B", "C"].into_iter().take(sources) {
        line += &format!(" {name}_{ty}(0,0)<1;1,0>");
    }
    Form { op, line }
}

fn proved(platform: Platform, form: &Form) {
    assert_eq!(judge(platform, form, &Recorded::load(platform)), Fate::Proved, "{platform}: {}", form.line);
}

/// Saturation of a sum of three, and of a product and a sum, is that of the exact number.
#[test]
fn sums_and_products_saturate_exactly() {
    for platform in Platform::ALL {
        for ty in ["ud", "d", "uw", "w"] {
            for lanes in [8, 16] {
                proved(platform, &form("add3.sat", lanes, ty, 3));
                proved(platform, &form("mad.sat", lanes, ty, 3));
            }
        }
    }
}

/// 64-bit integers saturate where they are emulated.
#[test]
fn qwords_saturate_everywhere() {
    for platform in Platform::ALL {
        for ty in ["q", "uq"] {
            for op in ["add.sat", "shl.sat", "shr.sat", "asr.sat"] {
                proved(platform, &form(op, 8, ty, 2));
            }
        }
        for line in [
            "add.sat (M1, 8) X_d(0,0)<1> A_q(0,0)<1;1,0> B_q(0,0)<1;1,0>",
            "add.sat (M1, 8) X_q(0,0)<1> A_uq(0,0)<1;1,0> B_uq(0,0)<1;1,0>",
            "add.sat (M1, 8) X_ub(0,0)<1> A_q(0,0)<1;1,0> B_w(0,0)<1;1,0>",
            "shl.sat (M1, 8) X_uq(0,0)<1> A_q(0,0)<1;1,0> B_uw(0,0)<1;1,0>",
            "(P1) shl.sat (M1, 8) X_w(0,0)<2> A_q(0,0)<1;1,0> 0x7:uw",
            "shr.sat (M1, 8) X_q(0,0)<1> A_uq(0,0)<1;1,0> B_d(0,0)<1;1,0>",
            "asr.sat (M1, 8) X_b(0,0)<1> A_q(0,0)<1;1,0> B_d(0,0)<1;1,0>",
        ] {
            proved(platform, &Form { op: "", line: line.into() });
        }
    }
}

/// Operations on bits have no saturation: Intel's finalizer writes them without.
#[test]
fn operations_on_bits_do_not_saturate() {
    for platform in Platform::ALL {
        for ty in ["d", "ud", "w", "uw"] {
            for op in ["rol.sat", "ror.sat", "and.sat", "xor.sat"] {
                proved(platform, &form(op, 16, ty, 2));
            }
            proved(platform, &form("not.sat", 16, ty, 1));
        }
        let narrow = "or.sat (M1, 8) X_b(0,0)<1> A_d(0,0)<1;1,0> B_d(0,0)<1;1,0>";
        proved(platform, &Form { op: "", line: narrow.into() });
    }
}

/// Sums of three that say whether they overflow, and conversions of small floats.
#[test]
fn xe_hpc_has_overflow_and_small_floats() {
    let new = |f: &Form| matches!(f.op, "add3.o" | "fcvt");
    let forms: Vec<_> = forms().into_iter().filter(new).collect();
    let recorded = Recorded::load(Platform::Pvc);
    let count = forms.iter().filter(|f| judge(Platform::Pvc, f, &recorded) == Fate::Proved).count();
    let open: Vec<_> = forms.iter().filter(|f| judge(Platform::Pvc, f, &recorded).is_open()).collect();
    assert!(open.is_empty() && count > 80, "{count} proved, open: {open:?}");
}

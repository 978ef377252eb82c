//! The rules beside the test cases of Mesa's validator: what Mesa refuses breaks a rule, and what it takes breaks none but those
//! that are known to be stricter.

use std::collections::BTreeSet;

use tests::mesa::cases;

/// Rules that refuse what Mesa takes, and why.
const STRICTER: [(&str, &str); 12] = [
    (
        "two-registers",
        "Gen11 and later: Intel's code and its finalizer (Mesa's validator does not know the rule)",
    ),
    ("mixed-source", "Broadwell, Ice Lake: Intel's compilers mix no halves there (hasMixMode)"),
    ("mixed-result", "as mixed-source; on Xe-HPC a result of two halves a dword"),
    ("wide-stride", "64 bits, products of dwords: Mesa asks it of fewer platforms"),
    ("wide-offset", "as wide-stride"),
    ("wide-rows", "as wide-stride"),
    ("wide-dep", "as wide-stride"),
    ("wide-indirect", "as wide-stride; Tiger Lake, too"),
    ("lane-shift", "Xe-HPC: Mesa does not judge what an address leads to, nor integers made of halves"),
    ("ternary-stride", "three sources: Intel's finalizer, isGoodAlign1TernarySrc"),
    ("last-source", "three sources: Intel's finalizer, isGoodAlign1TernarySrc"),
    ("destination-element", "a destination in an odd place: Intel's code has none"),
];

/// Cases that Mesa refuses and our rules do not: test, platforms, why.
const TAKEN: [(&str, &str, &str); 8] = [
    (
        "dst_hstride_on_align16_must_be_1",
        "bdw skl",
        "Align16 has no stride: Intel's assembler does not read the field",
    ),
    ("3src_inst_access_mode", "icllp", "Gen11 has no access mode: Intel's assembler does not read the bit"),
    (
        "dpas_src_subreg_nr",
        "pvc",
        "rows that start in the upper half of a register: Mesa counts registers of 32 bytes",
    ),
    ("dpas_types", "pvc", "sums of halves, which Xe-HPC has (iga, bxml/ModelXeHPC.hpp)"),
    ("dst_horizontal_stride_0", "bdw skl", "Align16: Intel's code of math macros says no stride, either"),
    (
        "half_float_conversion",
        "pvc",
        "of Lunar Lake: Intel's code for Xe-HPC packs halves and singles in one move",
    ),
    ("invalid_type_encoding", "icllp pvc", "Mesa has no :nf, :bf8 and :tf32; Intel's assembler does"),
    ("invalid_type_encoding_3src_a1", "icllp pvc", "as invalid_type_encoding"),
];

#[test]
fn what_mesa_refuses_breaks_a_rule() {
    let (mut asked, mut faults) = (0, Vec::new());
    let (mut stricter, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for case in cases().expect("the cases") {
        let Some(broken) = case.broken() else { continue };
        asked += 1;
        let place = || format!("{} {}: {:02x?}", case.platform, case.test, case.code);
        for rule in broken.iter().filter(|_| case.taken) {
            match STRICTER.iter().find(|(name, _)| name == rule) {
                Some((name, _)) => _ = stricter.insert(*name),
                None => faults.push(format!("taken, but breaks {rule}: {}", place())),
            }
        }
        if !case.taken && broken.is_empty() {
            match TAKEN.iter().find(|(test, on, _)| *test == case.test && case.platform.is_in(on)) {
                Some((test, ..)) => _ = taken.insert(*test),
                None => faults.push(format!("refused, but breaks no rule: {}", place())),
            }
        }
    }
    assert!(asked > 1000, "only {asked} cases decode");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!((stricter.len(), taken.len()), (STRICTER.len(), TAKEN.len()), "{stricter:?} {taken:?}");
}

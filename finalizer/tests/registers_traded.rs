//! A pass that takes registers for fewer instructions must not make a kernel spill more than it does without.

use std::fmt::Write;

use finalizer::{Binary, Finalizer, Options, PassSet};
use platforms::Platform;

/// So many values that are alive together, and shifts of each that become insertions under masks.
fn masks(values: usize) -> String {
    let mut text = String::from(".version 3.6\n.kernel \"k\"\n");
    for i in 0..values {
        let _ = writeln!(text, ".decl V{} v_type=G type=ud num_elts=8 align=hword", 32 + i);
        let _ = writeln!(
            text,
            ".decl V{} v_type=G type=f num_elts=8 align=hword alias=<V{}, 0>",
            300 + i,
            32 + i
        );
    }
    for name in ["V200", "V201"] {
        let _ = writeln!(text, ".decl {name} v_type=G type=ud num_elts=8 align=hword");
    }
    text.push_str(".input V32 offset=32 size=32\n.kernel_attr Target=\"cm\"\n");
    for i in 1..values {
        let _ = writeln!(text, "inv (M1, 8) V{}(0,0)<1> V{}(0,0)<1;1,0>", 300 + i, 299 + i);
    }
    for i in (0..values).rev() {
        let (v, n) = (32 + i, 1 + i % 31);
        for _ in 0..2 {
            let _ = writeln!(text, "shl (M1, 8) V200(0,0)<1> V{v}(0,0)<1;1,0> 0x{n:x}:d");
            let _ = writeln!(text, "shr (M1, 8) V201(0,0)<1> V{v}(0,0)<1;1,0> 0x{:x}:d", 32 - n);
            let _ = writeln!(text, "or (M1, 8) V{v}(0,0)<1> V200(0,0)<1;1,0> V201(0,0)<1;1,0>");
        }
        let _ = writeln!(text, "oword_st (2) T0 0x0:ud V{v}.0");
    }
    text.push_str("ret (M1, 1)\n");
    text
}

/// So many values that are alive together; of each message of four registers one is of values that two blocks write.
fn payloads_across_blocks(values: usize) -> String {
    const PAYLOADS: usize = 8;
    let mut text = String::from(".version 3.6\n.kernel \"k\"\n");
    for i in 0..values {
        let _ = writeln!(text, ".decl V{} v_type=G type=f num_elts=8 align=hword", 32 + i);
    }
    for i in 0..PAYLOADS {
        let _ = writeln!(text, ".decl V{} v_type=G type=f num_elts=32 align=hword", 200 + i);
    }
    text.push_str(".decl P1 v_type=P num_elts=1\n.input V32 offset=32 size=32\n.kernel_attr Target=\"cm\"\n");
    for i in 1..values {
        let _ = writeln!(text, "inv (M1, 8) V{}(0,0)<1> V{}(0,0)<1;1,0>", 32 + i, 31 + i);
    }
    text.push_str("cmp.gt (M1_NM, 1) P1 V32(0,0)<0;1,0> 0x0:f\n(P1) jmp (M1, 1) L0\n");
    let last = |i: usize| 31 + values - i;
    for i in 0..PAYLOADS {
        let v = last(i);
        let _ = writeln!(text, "mul (M1, 8) V{v}(0,0)<1> V{v}(0,0)<1;1,0> 0x40000000:f");
    }
    text.push_str("L0:\n");
    for i in 0..PAYLOADS {
        let (v, to) = (last(i), 200 + i);
        for row in 0..3 {
            let _ = writeln!(text, "mul (M1, 8) V{to}({row},0)<1> V{}(0,0)<1;1,0> 0x40400000:f", 32 + row);
        }
        let _ = writeln!(text, "mov (M1, 8) V{to}(3,0)<1> V{v}(0,0)<1;1,0>");
        let _ = writeln!(text, "oword_st (8) T0 0x{:x}:ud V{to}.0", 8 * i);
    }
    for i in 0..values - PAYLOADS {
        let _ = writeln!(text, "oword_st (2) T0 0x{:x}:ud V{}.0", 1024 + 2 * i, 32 + i);
    }
    text.push_str("ret (M1, 1)\n");
    text
}

fn messages(binary: &Binary) -> u32 {
    binary.stats.spills + binary.stats.fills
}

/// Compares kernels of ever more values with what they are without a pass: some gain by it, none spills for it.
fn check(pass: &str, values: impl Iterator<Item = usize>, kernel: fn(usize) -> String) {
    let platform = Platform::Skl;
    let without = PassSet::named(pass).unwrap();
    let mut ours = Finalizer::new(Options::new(platform));
    let mut plain = Finalizer::new(Options { skip: without, ..Options::new(platform) });
    let (mut kept, mut dropped) = (false, false);
    for values in values {
        let text = kernel(values);
        let make = |f: &mut Finalizer| f.finalize_text(&text).unwrap().remove(0);
        let (ours, plain) = (make(&mut ours), make(&mut plain));
        assert!(messages(&ours) <= messages(&plain), "{values} values");
        kept |= ours.code.len() < plain.code.len();
        dropped |= ours.code == plain.code;
    }
    assert!(kept, "no kernel gains");
    assert!(dropped, "no kernel does without");
}

#[test]
fn masks_do_not_make_a_kernel_spill() {
    check("insert-bits", (100..=128).step_by(2), masks);
}

#[test]
fn payloads_across_blocks_do_not_make_a_kernel_spill() {
    check("merge-across-blocks", (100..=124).step_by(4), payloads_across_blocks);
}

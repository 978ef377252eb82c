//! A pass that takes registers for fewer instructions must not make a kernel spill more than it does without.

use std::fmt::Write;

use finalizer::{Binary, Finalizer, Options, PassSet};
use platforms::Platform;

/// So many values that are alive together, and shifts of each that become insertions under masks.
fn kernel(values: usize) -> String {
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

fn messages(binary: &Binary) -> u32 {
    binary.stats.spills + binary.stats.fills
}

#[test]
fn masks_do_not_make_a_kernel_spill() {
    let platform = Platform::Skl;
    let without = PassSet::named("insert-bits").unwrap();
    let mut ours = Finalizer::new(Options::new(platform));
    let mut plain = Finalizer::new(Options { skip: without, ..Options::new(platform) });
    let (mut kept, mut dropped) = (false, false);
    for values in (100..=128).step_by(2) {
        let text = kernel(values);
        let make = |f: &mut Finalizer| f.finalize_text(&text).unwrap().remove(0);
        let (ours, plain) = (make(&mut ours), make(&mut plain));
        assert!(messages(&ours) <= messages(&plain), "{values} values");
        kept |= ours.code.len() < plain.code.len();
        dropped |= ours.code == plain.code;
    }
    assert!(kept, "no kernel has masks");
    assert!(dropped, "no kernel does without");
}

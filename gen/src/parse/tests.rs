use super::*;
use crate::{Physical, Virtual};

fn same<S: Space>(text: &str) {
    let inst: Inst<S> = parse_inst(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(format!("{inst:#}"), text);
}

#[test]
fn instructions_read_as_they_print() {
    for text in [
        "(W&~V3(0).any8h) add (8|M0) (lt)f0.1 (sat) V12(32)<1>:f -V1(4)<8;8,1>:f 1.5:f {AccWrEn,I@2} #7",
        "mov (1|M0) V1(6)<1>:uw &V2(16):uw",
        "(V3(2)) sel (16|M16) r[V5(0),-16]<1>:w -(abs)r[V5(2),4]<1,0>:w 0x7fffffff:ud",
        "mad (8|M8) V0(0)<1>:f V1(0)<1;0>:f V2(0)<0;1>:f V3(0)<1>:f",
        "sync.touch(96,64) V9(0)<1>:ud V9(0)<8;8,1>:ud",
        "sync.start(64) (8|M0) V9(0)<1>:ud",
        "calla.stack (16|M0) V9(0)<1>:ud _ V3(0)<0;1,0>:ud",
        "goto.b (16|M0) _ B3",
        "add.unframe (1|M0) V1(0)<1>:ud V1(0)<0;1,0>:ud",
    ] {
        same::<Virtual>(text);
    }
    for text in [
        "goto.b (16|M0) +64 B3",
        "jmpi (1|M0) r3.2<0;1,0>:d _",
        "(W&f1.0) send.dc1 (8|M0) r10.0<1>:ud r5.0<8;8,1>:ud 0x40 a0.2 {Serialize,EOT,$3} wr:2+1 rd:3",
        "sync.allrd (16|M0) 0x3:ud",
        "nop",
        "nop {NoCompact}",
        "math.invm (8|M0) (eo)f0.0 r4.mme0:f -r5.nomme:f r6.mme7:f {M@1,$2.dst,NoAccSBSet}",
        "bfn.0xCA (16|M0) r4.0<1>:ud r5.0<1;0>:ud r6.0<1;0>:ud 0xff:uw",
        "dpas.8x4 (8|M0) r4.0<1>:f null<1;0>:f r6.0<1>:bf r9.0<1>:bf",
        "mov (4|M0) r4.3b<2>:w r[a0.3,16]<4;4,1>:w",
        "mov (1|M0) f0.1<1>:uw 0x7fc00001:f",
        "mov (1|M0) ip.0<1>:d inf:f",
        "brc (8|M0) to:null<1>:ud +16 -32",
    ] {
        same::<Physical>(text);
    }
}

#[test]
fn kernels_read_as_they_print() {
    let text = "\
kernel \"a \\\"b\\\"\\n\" on pvc, simd16, 256 registers, spills from 64, scratch header V1, outside, payload loads 1+2
V0: general, 64 bytes, align 64, fixed at byte 0, even GRF, live in, for 3
V1: flag, 4 bytes, align 4, live out, no spill, address taken
B0: -> B1 B2
    goto (16|M0) _ B2
B1: subroutine -> B2
B2:
    nop
";
    let kernel: Kernel<Virtual> = parse(text, Platform::Skl).unwrap();
    assert_eq!(format!("{kernel:#}"), text);
}

#[test]
fn faults_have_a_line() {
    let fault = |text: &str| parse::<Physical>(text, Platform::Skl).unwrap_err().to_string();
    assert_eq!(fault("B0:\n  mov (8|M0) V1(0)<1>:d 1:d"), "line 2: `V1(0)`: there are no variables any more");
    assert_eq!(fault("B1:"), "line 1: found B1, allowed: B0, for blocks stand in order");

    assert_eq!(fault("B0:\nmove (8|M0)"), "line 2: `move` is no mnemonic");
    let says = |text: &str, what: &str| {
        let said = fault(&format!("B0:\n{text}"));
        assert!(said.starts_with(&format!("line 2: {what}; ")), "{text}: {said}");
    };
    says("mov (8|M0) r1.0<1>:x 1:d", "`r1.0<1>:x` is no destination");
    says("mov (8|M0) r1.0<1>:d 1:d {Fast}", "`Fast` is no option");
    // As Intel's assembler writes it.
    says("mov (8|M0) (sat)r1.0<1>:d 1:d", "`(sat)` is no condition");
    says("not (8|M0) r1.0<1>:d ~r1.0<1;1,0>:d", "`~r1.0<1;1,0>:d` is no source");
    says("mov (8) r1.0<1>:d 1:d", "found no channels behind `mov`");
    says("mov (8|M0) x1.0<1>:d 1:d", "`x1.0` is no register");
    assert_eq!(fault("V0: 3 nibbles"), "line 1: `3 nibbles` says nothing about a variable");
}

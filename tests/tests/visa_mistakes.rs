//! What a user of vISA assembly does wrong, and what he is told: place and words.

use platforms::Platform;
use visa::{
    VerifyOptions,
    text::{self, TextOptions},
};

const GOOD: &str = r#".version 4.1
.kernel "scale"
.decl V32 v_type=G type=d num_elts=16 align=GRF
.decl V33 v_type=G type=f num_elts=16 align=GRF
.decl V34 v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T006
.input V34 offset=32 size=32
.kernel_attr Target="cm"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) V32(0,0)<1> 0x0:d
    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x4:d
    cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x10:d
    (P1) goto (M1, 16) done
    mul (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x40000000:f
done:
    ret (M1, 1)
"#;

/// What stands in the text, what the user wrote instead, and all that is said of it.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &[&str])] = &[
    ("0x4:d", "V99(0,0)<1;1,0>", &["14:46: `V99` is not declared"]),
    ("    add (", "    ad (", &["14:5: `ad` is no instruction; did you mean `add`?"]),
    ("    add (", "    frobnicate (", &["14:5: `frobnicate` is no instruction"]),
    (".kernel_attr SimdSize", ".kernal_attr SimdSize", &["10:2: `.kernal_attr` is no directive; did you mean `.kernel_attr`?"]),
    ("V32(0,0)<1;1,0> 0x4:d", "V32(0,0) 0x4:d", &["14:39: found `0x4`, expected a region such as `<1;1,0>`"]),
    (" 0x4:d", "", &["14:45: found the end of the line, expected a source: a variable such as `V32(0,0)<1;1,0>` or a constant such as `0x1:d`"]),
    ("0x4:d", "0x4:d 0x5:d", &["14:52: found `0x5`, expected the end of the line"]),
    ("<1;1,0> 0x4:d", "<1;1,0>, 0x4:d", &["14:45: found `,`, expected an operand; blanks separate operands, not commas"]),
    ("0x4:d", "4", &["14:47: found the end of the line, expected a type such as `:ud`"]),
    ("0x40000000:f", "2.0", &["17:47: found `.`, expected a type; a fraction has it right after its digits, as in `2.5:f`"]),
    ("add (M1, 16)", "add", &["14:9: found `V32`, expected an execution size such as `(M1, 16)`"]),
    ("add (M1, 16)", "add (M1, 12)", &["14:14: found `12`, expected an execution size of 1, 2, 4, 8, 16 or 32"]),
    ("add (M1, 16)", "add (m1, 16)", &["14:10: found `m1`, expected M1 to M8, M1_NM to M8_NM"]),
    ("<1> 0x0:d", "<3> 0x0:d", &["13:27: the horizontal stride is 3, allowed: 0, 1, 2, 4"]),
    ("type=f num_elts=16", "num_elts=16", &["4:20: found `num_elts`, expected `type=`"]),
    ("type=f num_elts", "type=float num_elts", &["4:25: found `float`, expected one of ud, d, uw, w, ub, b, uq, q, f, df, hf, bf, bool"]),
    (".version 4.1", ".version 5.0", &["1:10: the major version is 5, allowed: 3 to 4"]),
    (".kernel \"scale\"\n", "", &["2:7: found no kernel to which this belongs, expected `.kernel` or `.global_function` first"]),
    ("    mul (", "    mull (", &["17:5: `mull` is no instruction; did you mean `mul`?"]),
    ("0x40000000:f", "0x40000000:float", &["17:57: found `float`, expected a type: one of ud, d, uw, w, ub, b, df, f, v, vf, uq, uv, q, hf, bf"]),
    ("V32(0,0)<1;1,0> 0x4:d", "V32(0)<1;1,0> 0x4:d", &["14:35: found `)`, expected `,` and the column, as in `(0,0)`"]),
    ("V32(0,0)<1;1,0> 0x4:d", "V32(0,0)<1;3,0> 0x4:d", &["14:41: the width is 3, allowed: 0, 1, 2, 4, 8, 16"]),
    ("add (M1, 16) V32(0,0)<1>", "add (M1, 16) V32(0,0)<1;1,0>", &["14:28: found `;`, expected `>`: the region of a destination is a horizontal stride alone, as in `<1>`"]),
    ("add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x4:d\n", "add (M1, 16) V32(0,0)<1> r[V32(0),0]<1;1,0>:d 0x4:d\n", &["14:32: `V32` is a general variable, expected an address variable"]),
    (".input V34 offset=32 size=32\n.kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n.function \"main\"\nmain:\n    mov (M1, 16) V32(0,0)<1> 0x0:d\n    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>",
     ".decl A0 v_type=A num_elts=4\n.input V34 offset=32 size=32\n.kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n.function \"main\"\nmain:\n    mov (M1, 16) V32(0,0)<1> 0x0:d\n    add (M1, 16) V32(0,0)<1> r[A0(0,0),0]<1;1,0>:d", &["15:36: found `,`, expected `)`: an address variable has one element number, as in `A0(0)`"]),
    ("add (M1, 16)", "add (M1, 16", &["14:17: found `V32`, expected `)`"]),
    ("add (M1, 16)", "add.st (M1, 16)", &["14:9: the instruction takes no `.st`; did you mean `.sat`?"]),
    ("cmp.lt", "cmp.less", &["15:9: expected `.eq`, `.ne`, `.gt`, `.ge`, `.lt` or `.le` after `cmp`"]),
    (".version 4.1", "version 4.1", &["1:1: found no kernel to which this belongs, expected `.kernel` or `.global_function` first; did you mean `.version`?"]),
    ("    mov (", "    {\n    mov (", &["13:5: this scope is not closed; expected `}`"]),
    (".input V34", ".decl colour v_type=G type=d num_elts=1\n.input V34", &[]),
    (".input V34", ".decl colour v_type=G type=d num_elts=1\n.input color", &["9:8: `color` is not declared; did you mean `colour`?"]),
    ("(P1) goto", "(P2) goto", &["16:6: `P2` is not declared"]),
    ("v_type=P num_elts=16", "v_typ=P num_elts=16", &["6:10: found `v_typ`, expected `v_type=`"]),
    ("type=f num_elts=16 ", "type=f ", &["4:27: found `align`, expected `num_elts=`"]),
    (".decl V33", ".decl V32", &["4:7: `V32` is declared twice in this scope", "17:18: `V33` is not declared"]),
    ("SimdSize=16", "SimdSize=sixteen", &["10:23: found `sixteen`, expected a number"]),
    ("    ret", "    RET", &["19:5: `RET` is no instruction; did you mean `ret`?"]),
    ("0x4:d", "0x4:d;", &["14:51: found `;`, expected the end of the line"]),
    ("0x4:d", "0xffff8000:w", &[]),
    ("0x4:d", "-1:ud", &[]),
    ("0x4:d", "0x4:d /* four", &["14:52: this comment is not closed; expected `*/`"]),
    // All at once, and nothing twice.
    ("    mul (M1, 16) V33", "    muul (M1, 16) V33(0,0)<1>\n    gather4_scaled.R (M1, 16) T9 0x0:ud V32.0 V33.0\n    mul (M1, 16) V35",
        &["17:5: `muul` is no instruction; did you mean `mul`?", "18:31: `T9` is not declared", "19:18: `V35` is not declared"]),
    // Against the rules of the specification.
    ("V33(0,0)<1;1,0>", "V32(0,0)<1;1,0>", &["kernel `scale`, instruction 5 (`mul`, line 17), operands: floating-point and integer operands in one instruction [operand-mix]"]),
    ("goto (M1, 16) done", "goto (M1, 16) dne", &["kernel `scale`, instruction 4 (`goto`, line 16), label: `dne` is not defined; did you mean `done`? [label-defined]"]),
    ("goto (M1, 16) done", "goto (M1, 16) donne", &["kernel `scale`, instruction 4 (`goto`, line 16), label: `donne` is not defined; did you mean `done`? [label-defined]"]),
    ("done:\n", "done:\ndone:\n", &["kernel `scale`, instruction 7 (`label`, line 19), label: `done` is defined a second time, first at line 18 [label-defined]"]),
    ("mul (M1, 16)", "mul (M2, 16)", &["kernel `scale`, instruction 5 (`mul`, line 17), execution mask: M2 starts at lane 4; 16 lanes start at a multiple of 16: here at lane 0 [mask-offset]"]),
    ("v_type=P num_elts=16", "v_type=P num_elts=8", &[
        "kernel `scale`, instruction 3 (`cmp`, line 15), destination: P1 has 8 elements, the instruction has 16 lanes [predicate-width]",
        "kernel `scale`, instruction 4 (`goto`, line 16), predicate: P1 has 8 elements, the instruction has 16 lanes [predicate-width]",
    ]),
    ("mul (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x40000000:f", "add3 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x4:w",
        &["kernel `scale`, instruction 5 (`add3`, line 17), opcode: `add3` is no instruction of skl; it exists on: pvc [availability]"]),
    ("type=ud num_elts=8 align=GRF", "type=ud num_elts=8 align=GRF alias=<V33, 60>", &[
        "kernel `scale`, V34: bytes 60 to 92 of a variable of 64 bytes [alias-bounds]",
        "kernel `scale`, input V34: its variable is an alias [input-variable]",
    ]),
    ("    ret (M1, 1)\n", "", &["kernel `scale`, instruction 6 (`label`, line 18), code: control runs on after this instruction [subroutine-end]"]),
    ("mov (M1, 16) V32(0,0)<1>", "mov (M1, 16) V32(2,0)<1>", &["kernel `scale`, instruction 1 (`mov`, line 13), destination: bytes 64 to 128 of V32, which has 64 bytes in all [operand-bounds]"]),
    ("mul (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x40000000:f", "plane (M1, 16) V33(0,0)<1> V33(0,0)<0;1,0> V33(0,0)<1;1,0>",
        &["kernel `scale`, instruction 5 (`plane`, line 17), source: bytes 0 to 128 of V33, which has 64 bytes in all [operand-bounds]"]),
    ("mul (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x40000000:f", "line (M1, 16) V33(0,0)<1> V33(1,5)<0;1,0> V33(0,0)<1;1,0>",
        &["kernel `scale`, instruction 5 (`line`, line 17), source: bytes 52 to 68 of V33, which has 64 bytes in all [operand-bounds]"]),
    ("size=32", "size=64", &["kernel `scale`, input V34: 64 bytes, its variable has 32 [input-size]"]),
    ("add (M1, 16) V32(0,0)<1>", "and.sat (M1, 16) V32(0,0)<1>", &["kernel `scale`, instruction 2 (`and`, line 14), destination: `and` does not saturate [operand-modifier]"]),
];

fn said(source: &str) -> Vec<String> {
    match text::parse(source, TextOptions::default()) {
        Err(faults) => faults.0.iter().map(ToString::to_string).collect(),
        Ok(module) => visa::verify(&module, VerifyOptions::for_platform(Platform::Skl))
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

#[test]
fn mistakes_are_explained() {
    assert_eq!(said(GOOD), [""; 0]);
    let mut other = Vec::new();
    for (right, wrong, expected) in MISTAKES {
        assert!(GOOD.contains(right), "{right}");
        let said = said(&GOOD.replacen(right, wrong, 1));
        if said != **expected {
            other.push(format!("`{wrong}`: {said:#?}"));
        }
    }
    assert!(other.is_empty(), "{}", other.join("\n"));
}

/// Names of files in a comment or a string may be in any encoding; other bytes than text are none.
#[test]
fn other_encodings_are_read() {
    let mut source = GOOD.replacen("    ret", "    // M?ller\n    ret", 1).into_bytes();
    let at = source.iter().position(|b| *b == b'?').unwrap();
    source[at] = 0xfc;
    let module = finalizer::read_text(&source, Platform::Skl).unwrap();
    assert_eq!(visa::verify(&module, VerifyOptions::for_platform(Platform::Skl)), []);
    for other in [&b"\xff\xfe.\0k\0"[..], b"\x89PNG\r\n"] {
        let refusal = finalizer::read_text(other, Platform::Skl).unwrap_err();
        assert_eq!(refusal.0[0].code, "NotVisa");
    }
}

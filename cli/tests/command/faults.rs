//! What is refused, and how.

use super::*;

#[test]
fn a_disassembly_of_several_kernels_is_one_document_that_names_them() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "--emit", "visaasm", "-q"]).status.success());
    let text = fs::read_to_string(dir.path().join("k.visaasm")).unwrap();
    let body = &text[text.find(".kernel").unwrap()..];
    fs::write(dir.path().join("two.visaasm"), text.clone() + &body.replace("saxpy", "again")).unwrap();
    let out = run(dir.path(), &["two.visaasm", "-p", "skl"]);
    assert!(out.status.success(), "{}", stderr(&out));
    let one = run(dir.path(), &["two.visaasm", "-k", "again", "--emit", "visaasm", "-o", "-"]);
    let one = String::from_utf8(one.stdout).unwrap();
    assert!(one.contains(".kernel \"again\"") && !one.contains("saxpy"), "{one}");
    let out = run(dir.path(), &["disasm", "two.gen.isa", "-p", "SKL", "--emit", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let names: Vec<&str> =
        json["kernels"].as_array().unwrap().iter().map(|k| k["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["saxpy", "again"]);
    assert!(json["kernels"][0]["listing"]["elems"].is_array(), "{json}");
}

#[test]
fn what_is_no_code_is_not_disassembled_in_silence() {
    let (dir, _) = with_example();
    fs::write(dir.path().join("noise"), [0x7f; 512]).unwrap();
    let out = run(dir.path(), &["disasm", "noise", "-p", "skl"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("no instruction of skl"), "{}", stderr(&out));
    let out = run(dir.path(), &["disasm", env!("CARGO_BIN_EXE_visa-finalize"), "-p", "skl"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        out.stdout.is_empty() && stderr(&out).contains("found an ELF file of machine"),
        "{}",
        stderr(&out)
    );
}

#[test]
fn bits_that_no_instruction_reads_are_warned_about() {
    let (dir, _) = with_example();
    // mov (8|M0) r80.0<1>:ud r0.0<8;8,1>:ud, with something in reserved bit 7; the same without.
    let word = 0x0000_0000_008d_0000_2a00_0208_0060_0001_u128;
    fs::write(dir.path().join("code"), (word | 1 << 7).to_le_bytes()).unwrap();
    fs::write(dir.path().join("plain"), word.to_le_bytes()).unwrap();
    let out = run(dir.path(), &["disasm", "code", "-p", "skl"]);
    let plain = run(dir.path(), &["disasm", "plain", "-p", "skl"]);
    assert!(out.status.success() && plain.status.success(), "{}", stderr(&out));
    assert!(stderr(&out).contains("UnreadBits") && stderr(&plain).is_empty(), "{}", stderr(&out));
    assert_eq!(out.stdout, plain.stdout);
    assert!(String::from_utf8_lossy(&out.stdout).contains("mov (8|M0)"));
}

#[test]
fn half_a_gigabyte_of_nothing_is_refused_at_once() {
    let (dir, file) = with_example();
    fs::File::create(&file).unwrap().set_len(500 << 20).unwrap();
    let started = std::time::Instant::now();
    let out = run(dir.path(), &["k.isa", "-p", "skl"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("found neither a vISA object"), "{}", stderr(&out));
    for command in [
        &["disasm", "k.isa", "-p", "skl"][..],
        &["asm", "k.isa", "-p", "skl", "-o", "out"],
        &["info", "k.isa", "-p", "skl"],
        &["run", "k.isa", "-p", "skl", "-g", "1"],
        &["strip", "k.isa", "-o", "out"],
    ] {
        let out = run(dir.path(), command);
        assert_eq!(out.status.code(), Some(1), "{command:?}");
        assert!(out.stdout.is_empty() && stderr(&out).contains("k.isa: "), "{command:?}: {}", stderr(&out));
    }
    // Nor does a stream of it have to end.
    let endless = Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .args(["-", "-p", "skl"])
        .stdin(fs::File::open("/dev/zero").unwrap())
        .output()
        .unwrap();
    assert!(stderr(&endless).contains("found neither a vISA object"), "{}", stderr(&endless));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert_eq!(names(dir.path()), ["k.isa"]);
}

#[test]
fn faults_are_told_in_the_order_of_their_lines() {
    let dir = tempfile::tempdir().unwrap();
    let text = HALF_WAY
        .replace("    add", "    mvo (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0>\n    add")
        .replace("f num", "q num");
    fs::write(dir.path().join("k.visaasm"), text + "    bad\n").unwrap();
    let out = run(dir.path(), &["k.visaasm", "-p", "skl", "--message-format", "json"]);
    let lines: Vec<u64> = json_lines(&out).iter().map(|d| d["line"].as_u64().unwrap_or(0)).collect();
    assert!(lines.is_sorted() && lines.len() > 1, "{lines:?}");
    assert!(stderr(&out).contains("`mov`"), "{}", stderr(&out));
}

/// What no rule of the specification's refuses, but a later pass does, stands in its line, too: here rounding of doubles to
/// half floats, the high half of a product of quadwords.
#[test]
fn what_later_passes_refuse_stands_in_its_line() {
    for (types, line, reason) in [
        ("df", "    rndu (M1_NM, 8) V32(0,0)<1> V33(0,0)<1;1,0>", "single floats"),
        ("q", "    mulh (M1_NM, 4) V34(0,0)<1> V34(0,0)<1;1,0> V34(0,0)<1;1,0>", "64-bit product"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=hf num_elts=32 align=GRF\n\
             .decl V33 v_type=G type={types} num_elts=32 align=GRF\n\
             .decl V34 v_type=G type={types} num_elts=32 align=GRF\n.decl T6 v_type=T num_elts=1\n\
             .function \"main\"\nmain:\n    movs (M1_NM, 1) T6(0) 0x0:ud\n{line}\n    \
             oword_st (4) T6 0x0:ud V32.0\n    oword_st (4) T6 0x4:ud V34.0\n    ret (M1, 1)\n"
        );
        fs::write(dir.path().join("k.visaasm"), text).unwrap();
        let out = run(dir.path(), &["k.visaasm", "-p", "pvc", "--emit", "dat"]);
        let said = stderr(&out);
        assert_eq!(out.status.code(), Some(1), "{said}");
        let error = said.split("error").nth(1).unwrap_or_default();
        assert!(error.contains(reason) && error.contains("k.visaasm:10:5"), "{said}");
    }
}

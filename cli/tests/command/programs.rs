//! Compiled programs, two codes side by side, pages.

use super::*;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rewriter/tests/data/plain_new_tgllp.bin");

#[test]
fn a_compiled_program_comes_back_with_our_code() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(PROGRAM, dir.path().join("p.bin")).unwrap();
    let out = run(dir.path(), &["p.bin", "-p", "tgllp", "--emit", "isa,dat"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(names(dir.path()), ["p.bin", "p.gen.bin", "p.saxpy.tgllp.dat", "p.sums.tgllp.dat"]);
    let info = run(dir.path(), &["info", "p.gen.bin"]);
    let text = String::from_utf8_lossy(&info.stdout);
    for part in ["compiled program", "kernel sums", "code        tgllp ", " instructions, "] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert_eq!(run(dir.path(), &["info", "p.gen.bin", "-p", "tgllp"]).stdout, info.stdout);
    // What is inside, in files: the code is ours by now, and the vISA is what it was made from.
    let out = run(dir.path(), &["extract", "p.gen.bin", "-k", "sums", "-o", "held/"]);
    assert!(out.status.success(), "{}", stderr(&out));
    let held = dir.path().join("held");
    assert_eq!(names(&held), ["p.sums.tgllp.dat", "p.sums.visaasm"]);
    let code = fs::read(dir.path().join("p.sums.tgllp.dat")).unwrap();
    // A program's section ends with padding.
    assert!(fs::read(held.join("p.sums.tgllp.dat")).unwrap().starts_with(&code));
    let again = run(&held, &["p.sums.visaasm", "-p", "tgllp", "--emit", "dat", "-o", "again", "-q"]);
    assert!(again.status.success(), "{}", stderr(&again));
    assert!(fs::read(held.join("again")).unwrap() == code);
    let out = run(dir.path(), &["p.bin", "-p", "tgllp", "--emit", "visaasm"]);
    assert!(stderr(&out).contains("`extract`"), "{}", stderr(&out));
    let listing = run(dir.path(), &["disasm", "p.gen.bin", "-p", "tgllp", "-k", "sums"]);
    assert!(listing.status.success() && !listing.stdout.is_empty(), "{}", stderr(&listing));
    let out = run(dir.path(), &["p.bin", "-p", "skl"]);
    assert!(stderr(&out).contains("compiled for tgllp"), "{}", stderr(&out));
}

#[test]
fn kernels_of_a_compiled_program_are_shown_after_a_pass() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(PROGRAM, dir.path().join("p.bin")).unwrap();
    let args = ["p.bin", "-p", "tgllp", "--emit", "dat", "--print-after", "legalize", "--stats"];
    let out = run(dir.path(), &args);
    assert!(out.status.success(), "{}", stderr(&out));
    let shown = format!("{}{}", String::from_utf8_lossy(&out.stdout), stderr(&out));
    for part in
        ["// saxpy after legalize", "// sums after legalize", "send.ts (8|M0)", "p.bin: sums tgllp simd32"]
    {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
}

#[test]
fn diff_compares_codes_of_all_kinds() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl", "--emit", "isa,dat,asm", "-q"]).status.success());
    let plain = ["k.isa", "-p", "skl", "-O", "0", "--emit", "dat", "-o", "plain.dat", "-q"];
    assert!(run(dir.path(), &plain).status.success());
    let diff = |args: &[&str]| run(dir.path(), &[&["diff", "-p", "skl"], args].concat());
    // vISA, an object with code, raw code, a listing: all the same.
    for other in ["k.gen.isa", "k.saxpy.skl.dat", "k.saxpy.skl.asm"] {
        let out = diff(&["k.isa", other]);
        assert_eq!(out.status.code(), Some(0), "{other}: {}", stderr(&out));
        assert!(String::from_utf8_lossy(&out.stdout).contains("saxpy on skl: equal"), "{other}");
    }
    assert_eq!(diff(&["--embedded", "k.gen.isa"]).status.code(), Some(0));

    let out = diff(&["plain.dat", "k.isa"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    let text = String::from_utf8_lossy(&out.stdout);
    for part in ["only in the first", "instructions  ", "cycles  ", " < ", "send"] {
        assert!(
            text.contains(part) || text.lines().any(|l| l.ends_with(part.trim_end())),
            "no {part} in {text}"
        );
    }
    let summary = diff(&["plain.dat", "k.isa", "--summary"]);
    assert!(summary.stdout.len() < out.stdout.len());
    let out = diff(&["plain.dat", "k.isa", "--message-format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let kernel = &json["kernels"][0];
    assert_eq!((&json["equal"], &kernel["equal"]), (&false.into(), &false.into()));
    assert!(kernel["counts"][0]["bytes"].as_u64() > kernel["counts"][1]["bytes"].as_u64(), "{json}");
    assert!(!kernel["changes"].as_array().unwrap().is_empty());

    // Other registers are a difference, unless they need not count.
    let listing = fs::read_to_string(dir.path().join("k.saxpy.skl.asm")).unwrap();
    let highest = (1..100).rev().find(|n| listing.contains(&format!("r{n}."))).expect("a register");
    fs::write(dir.path().join("other.asm"), listing.replace(&format!("r{highest}."), "r100.")).unwrap();
    assert_eq!(diff(&["k.isa", "other.asm"]).status.code(), Some(1));
    assert_eq!(diff(&["k.isa", "other.asm", "--ignore-registers"]).status.code(), Some(0));
}

#[test]
fn debug_information_is_written() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--emit", "dat,dbg", "-o", "out/"]);
    assert!(out.status.success(), "{}", stderr(&out));
    let code = fs::read(dir.path().join("out/k.saxpy.skl.dat")).unwrap();
    let debug = fs::read(dir.path().join("out/k.saxpy.skl.dbg")).unwrap();
    // What it is, one kernel, its name, where it begins, no offsets in the object.
    let start = [&[0x10, 0xd0, 0xad, 0xde, 1, 0, 5, 0], &b"saxpy"[..], &[0; 8]].concat();
    assert!(debug.starts_with(&start), "{:x?}", &debug[..32]);
    // The number behind the last instruction stands with the end of the code.
    let word = |at: usize| u32::from_le_bytes(debug[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(start.len() + 8 * word(start.len())), code.len());
}

#[test]
fn diff_takes_the_size_of_the_register_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("k.visaasm"), ".version 3.6\n.kernel \"k\"\nret (M1, 1)\n").unwrap();
    let emit = ["k.visaasm", "-p", "pvc", "--grf", "256", "--emit", "dat", "-o", "large.dat", "-q"];
    assert!(run(dir.path(), &emit).status.success());
    let files = ["diff", "-p", "pvc", "k.visaasm", "large.dat"];
    assert_eq!(run(dir.path(), &files).status.code(), Some(1), "the thread ends from other registers");
    assert_eq!(run(dir.path(), &[&files[..], &["--grf", "256"]].concat()).status.code(), Some(0));
}

#[test]
fn what_cannot_be_compared_is_a_fault() {
    let (dir, _) = with_example();
    for args in [
        &["k.isa", "absent"][..],
        &["k.isa"],
        &["k.isa", "--embedded"],
        &["k.isa", "k.isa", "--embedded"],
        &["k.isa", "k.isa", "-k", "other"],
    ] {
        let out = run(dir.path(), &[&["diff", "-p", "skl"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(stderr(&out).contains("error"), "{args:?}: {}", stderr(&out));
    }
}

#[test]
fn a_page_is_one_file_and_the_only_one() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "skl,tgllp", "--report", "page.html"]);
    assert!(out.status.success() && stderr(&out).contains("wrote page.html"), "{}", stderr(&out));
    assert_eq!(names(dir.path()), ["k.isa", "page.html"]);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert_eq!(page.matches("<script type=\"application/json\"").count(), 3, "an index and two kernels");
    // Nothing is loaded from anywhere.
    for outside in ["src=", "href=", "@import", "url(", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--report", "-", "--emit", "dat", "-o", "code", "-q"]);
    assert!(out.status.success() && out.stdout.starts_with(b"<!DOCTYPE html>"), "{}", stderr(&out));
    assert_eq!(names(dir.path()), ["code", "k.isa", "page.html"]);
    // A place for the code asks for it.
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--report", "page.html", "-o", "k.out", "-q"]);
    assert!(out.status.success() && dir.path().join("k.out").is_file(), "{}", stderr(&out));
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--report", "p.html", "--beside", "intel"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("no code for skl in the input"), "{}", stderr(&out));
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--beside", "intel"]);
    assert_eq!(out.status.code(), Some(2), "beside what?");
}

//! The command as its users meet it: files in, files out, exit codes, messages.

mod faults;
mod outputs;
mod programs;
#[cfg(unix)]
mod writing;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa");

fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("the command starts")
}

/// A directory with the example in it.
fn with_example() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("k.isa");
    fs::copy(EXAMPLE, &file).unwrap();
    (dir, file)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        dir.read_dir().unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// Messages, one JSON object a line.
fn json_lines(o: &Output) -> Vec<serde_json::Value> {
    stderr(o).lines().map(|l| serde_json::from_str(l).expect(l)).collect()
}

#[test]
fn the_output_is_the_input_with_code_in_it() {
    let (dir, file) = with_example();
    let out = run(dir.path(), &["k.isa", "--platform", "SKL,bdw,tgllp", "--emit", "isa,dat"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!(
        names(dir.path()),
        ["k.gen.isa", "k.isa", "k.saxpy.bdw.dat", "k.saxpy.skl.dat", "k.saxpy.tgllp.dat"]
    );
    let input = fs::read(&file).unwrap();
    let mut module = visa::read(&fs::read(dir.path().join("k.gen.isa")).unwrap()).unwrap();
    for p in ["bdw", "skl", "tgllp"] {
        let number = p.parse::<platforms::Platform>().unwrap().caps().gen_platform;
        let code = fs::read(dir.path().join(format!("k.saxpy.{p}.dat"))).unwrap();
        let binary = module.kernels[0].gen_binaries.iter().find(|b| b.platform == number).unwrap();
        assert_eq!(binary.code, code, "{p}");
    }
    module.remove_gen_binaries(None);
    assert_eq!(visa::write(&module).unwrap(), input);
}

#[test]
fn registers_are_those_that_are_asked_for_where_the_platform_has_them() {
    let dir = tempfile::tempdir().unwrap();
    let text = ".version 3.6\n.kernel \"k\"\n.kernel_attr NumGRF=256\nret (M1, 1)\n";
    fs::write(dir.path().join("k.visaasm"), text).unwrap();
    let registers = |args: &[&str]| {
        let out =
            run(dir.path(), &[&["k.visaasm", "--emit", "asm", "-o", "k.asm", "--stats"], args].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        let listing = fs::read_to_string(dir.path().join("k.asm")).unwrap();
        (String::from_utf8(out.stdout).unwrap().contains("/256 "), listing.contains(" r255 "))
    };
    assert_eq!(registers(&["-p", "pvc"]), (true, true));
    assert_eq!(registers(&["-p", "pvc", "--grf", "128"]), (false, false));
    assert_eq!(registers(&["-p", "pvc", "--grf", "auto"]), (false, false));
    let out = run(dir.path(), &["k.visaasm", "-p", "tgllp"]);
    assert_eq!(out.status.code(), Some(1));
    let message = "NumGRF: found 256 general registers a thread, allowed on tgllp: 128 [RegisterCount]";
    assert!(stderr(&out).contains(message), "{}", stderr(&out));
    assert_eq!(run(dir.path(), &["k.visaasm", "-p", "pvc", "--grf", "64"]).status.code(), Some(2));
}

#[test]
fn options_of_the_libraries_are_set_by_name() {
    let (dir, _) = with_example();
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/mandelbrot_skl.visaasm");
    let few = [text, "-p", "skl", "--reserve", "114", "--emit", "dat", "-o", "code"];
    assert_eq!(run(dir.path(), &few).status.code(), Some(0));
    let out = run(dir.path(), &[&few[..], &["--set", "abort-on-spill=4"]].concat());
    assert_eq!(out.status.code(), Some(1));
    let message = stderr(&out);
    assert!(message.contains("messages for spilled values in") && message.contains("[Spills]"), "{message}");
    let many = run(dir.path(), &[&few[..], &["--set", "abort-on-spill=200"]].concat());
    assert_eq!(many.status.code(), Some(0), "{}", stderr(&many));

    let out = run(
        dir.path(),
        &["k.isa", "-p", "skl", "--emit", "asm", "-o", "k.asm", "--set", "kernel-id=8589934593"],
    );
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let listing = fs::read_to_string(dir.path().join("k.asm")).unwrap();
    let end: Vec<&str> =
        listing.lines().skip_while(|l| !l.contains("EOT")).skip(1).filter(|l| l.contains("mov")).collect();
    assert_eq!(end.len(), 2, "{end:?}");
    assert!(end[0].contains(" 0x1:ud") && end[1].contains(" 0x2:ud"), "{end:?}");
    assert!(end.iter().all(|l| l.starts_with("(W)") && l.contains("null")), "{end:?}");
    assert_eq!(run(dir.path(), &["k.isa", "-p", "skl", "--set", "kernel-id=x"]).status.code(), Some(2));
}

#[test]
fn disasm_and_asm_are_each_others_way_back() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl", "--emit", "isa,dat"]).status.success());
    let listing = run(dir.path(), &["disasm", "k.gen.isa", "--platform", "skl"]);
    assert!(listing.status.success());
    fs::write(dir.path().join("k.asm"), &listing.stdout).unwrap();
    let back = run(dir.path(), &["asm", "k.asm", "--platform", "skl", "-o", "back.dat"]);
    assert!(back.status.success(), "{}", stderr(&back));
    let bytes = |f: &str| fs::read(dir.path().join(f)).unwrap();
    assert_eq!(bytes("back.dat"), bytes("k.saxpy.skl.dat"));
}

#[test]
fn a_truncated_object_is_refused_with_its_offset_and_nothing_is_left() {
    let (dir, file) = with_example();
    let whole = fs::read(&file).unwrap();
    for len in [0, 3, 5, 40, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..len]).unwrap();
        let out = run(dir.path(), &["k.isa", "--platform", "skl"]);
        assert_eq!(out.status.code(), Some(1), "{len} bytes: {}", stderr(&out));
        let said = stderr(&out);
        assert!(said.contains("k.isa"), "{len} bytes: {said}");
        assert_eq!(names(dir.path()), ["k.isa"], "{len} bytes");
    }
}

#[test]
fn faults_come_as_json_where_asked() {
    let (dir, file) = with_example();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let out = run(dir.path(), &["k.isa", "--platform", "skl", "--message-format", "json"]);
    for line in stderr(&out).lines() {
        let fault: serde_json::Value = serde_json::from_str(line).expect(line);
        assert_eq!(fault["severity"], "error");
        assert!(
            fault["offset"].is_u64() && fault["code"].is_string() && fault["message"].is_string(),
            "{line}"
        );
    }
}

#[test]
fn the_version_names_the_commit_where_it_is_known() {
    let out = run(Path::new("."), &["--version"]);
    let said = String::from_utf8_lossy(&out.stdout);
    let version = said.trim_end().strip_prefix("visa-finalize ").expect(&said);
    let (number, commit) = version.split_once(' ').unwrap_or((version, ""));
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    // (0123456789 2026-01-31), or nothing in a tree that Git does not keep.
    if !commit.is_empty() {
        let inner = commit.strip_prefix('(').and_then(|c| c.strip_suffix(')')).expect(&said);
        let (hash, day) = inner.split_once(' ').expect(&said);
        assert!(hash.len() >= 10 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{said}");
        assert!(day.len() == 10, "{said}");
    }
}

#[test]
fn other_names_of_platforms_are_known_and_told() {
    let (dir, _) = with_example();
    let help = run(dir.path(), &["--help"]);
    let help = String::from_utf8_lossy(&help.stdout);
    for (name, platform) in [("tgl", "tgllp"), ("gen12lp", "tgllp"), ("broadwell", "bdw"), ("Gen9", "skl")] {
        assert!(help.contains(&name.to_lowercase()), "{name} in {help}");
        let out = run(dir.path(), &["k.isa", "-p", name, "-o", "out"]);
        assert!(stderr(&out).contains(&format!("for {platform}")), "{}", stderr(&out));
    }
    assert!(help.contains("Exit status: 0 done"), "{help}");
}

#[test]
fn usage_faults_exit_with_2() {
    let (dir, _) = with_example();
    for args in [
        &["k.isa"][..],
        &["k.isa", "--platform", "gen7"],
        &["--platform", "skl"],
        &["k.isa", "-p", "skl,skl"],
        &["k.isa", "-p", "skl", "--print-after", "nothing"],
        &["k.isa", "-p", "skl", "--skip-pass", "allocate"],
    ] {
        assert_eq!(run(dir.path(), args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(names(dir.path()), ["k.isa"]);
}

#[test]
fn the_input_is_replaced_only_on_request() {
    let (dir, file) = with_example();
    let before = fs::read(&file).unwrap();
    let out = run(dir.path(), &["k.isa", "-p", "skl", "-o", "k.isa"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("--in-place"), "{}", stderr(&out));
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(run(dir.path(), &["k.isa", "-p", "skl", "--in-place"]).status.success());
    assert_eq!(names(dir.path()), ["k.isa"]);
    assert!(fs::read(&file).unwrap().len() > before.len());
}

#[test]
fn stats_and_passes_are_shown() {
    let (dir, _) = with_example();
    let out =
        run(dir.path(), &["k.isa", "-p", "skl", "--stats", "--print-after", "legalize", "--emit", "dat"]);
    let text = String::from_utf8_lossy(&out.stdout);
    for word in ["vISA instructions", "Gen instructions", "bytes", "GRFs", "spills", "scratch", "send"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    // All passes that run on the platform are timed.
    let caps = platforms::Platform::Skl.caps();
    for pass in finalizer::PASSES.iter().filter(|p| p.needless_on(caps).is_none()) {
        assert!(text.contains(&format!(" {} ", pass.name)), "{} in {text}", pass.name);
    }
}

#[test]
fn after_every_pass_something_is_printed_or_said() {
    let (dir, _) = with_example();
    let caps = platforms::Platform::Skl.caps();
    for (pass, needless) in finalizer::PASSES.iter().map(|p| (p.name, p.needless_on(caps).is_some())) {
        let out = run(dir.path(), &["k.isa", "-p", "skl", "--emit", "dat", "--print-after", pass]);
        let text = String::from_utf8_lossy(&out.stdout);
        let Some(said) = text.strip_prefix(&format!("// saxpy after {pass}: ")) else {
            panic!("{pass}: {text}")
        };
        match pass {
            "check" => assert!(said.contains("--emit visaasm"), "{said}"),
            _ if needless => assert!(said.contains("does not run on skl"), "{said}"),
            "join" => assert!(said.contains("take-symbols"), "{said}"),
            "encode" => assert!(said.contains("--emit asm"), "{said}"),
            _ => assert!(said.contains("B0:") && said.contains("send"), "{pass}: {said}"),
        }
    }
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--emit", "dat", "--print-after", "all"]);
    let text = String::from_utf8_lossy(&out.stdout);
    let heads = text.lines().filter_map(|l| l.strip_prefix("// saxpy after ")?.split(':').next());
    assert!(heads.eq(finalizer::PASSES.iter().map(|p| p.name)), "{text}");
}

#[test]
fn optional_passes_can_be_left_out() {
    let (dir, _) = with_example();
    let optional = finalizer::PASSES.iter().filter(|p| p.optional).map(|p| p.name);
    let all = optional.collect::<Vec<_>>().join(",");
    let size = |args: &[&str]| {
        let out = run(dir.path(), &[&["k.isa", "-p", "skl", "--verify", "--emit", "dat"], args].concat());
        assert!(out.status.success(), "{}", stderr(&out));
        fs::read(dir.path().join("k.saxpy.skl.dat")).unwrap().len()
    };
    assert!(size(&["--skip-pass", &all]) > size(&[]));
    let out =
        run(dir.path(), &["k.isa", "-p", "skl", "--skip-pass", "coalesce", "--print-after", "coalesce"]);
    assert!(String::from_utf8_lossy(&out.stdout).contains("it is switched off"));
}

#[test]
fn an_unknown_kernel_is_named_beside_the_known_ones() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--kernel", "sbxpy"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("`sbxpy`") && stderr(&out).contains("`saxpy`"), "{}", stderr(&out));
}

#[test]
fn a_fifth_platform_does_not_fit_an_object() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "bdw,skl,bxt,icllp,tgllp"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("4"), "{}", stderr(&out));
    assert_eq!(names(dir.path()), ["k.isa"]);
}

/// A kernel that breaks a rule on line 6, which is tolerated: it adds an integer to a float.
/// A mask that starts in the middle of the lanes that the instruction has.
const HALF_WAY: &str = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8 align=GRF\n\
                     .function \"main\"\nmain:\n    add (M2, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x3f800000:f\n    ret (M1, 1)\n";

/// Messages call surfaces and predicates by number; a text may have other names for them.
#[test]
fn variables_are_found_by_the_names_that_they_were_declared_with() {
    let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n\
                .decl TEXELS v_type=T num_elts=1\n.decl COND v_type=P num_elts=8\n.input TEXELS offset=64 size=8\n\
                .function \"main\"\nmain:\n    (COND) mov (M1, 16) V32(0,0)<1> 0x1:d\n    ret (M1, 1)\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("k.visaasm"), text).unwrap();
    let said = stderr(&run(dir.path(), &["k.visaasm", "-p", "skl"]));
    assert!(said.contains("input T6 (TEXELS): 8 bytes"), "{said}");
    assert!(said.contains("k.visaasm:9:6"), "{said}");
}

#[test]
fn what_breaks_a_rule_is_refused_where_rules_are_strict() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("k.visaasm"), HALF_WAY).unwrap();
    let out = run(dir.path(), &["k.visaasm", "-p", "skl,tgllp", "--emit", "dat", "--strict"]);
    let said = stderr(&out);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert_eq!(names(dir.path()), ["k.visaasm"]);
    assert!(said.contains("k.visaasm:6:9") && said.contains("^^^"), "{said}");
    assert_eq!(said.matches("[mask-offset]").count(), 1, "{said}");

    let out = run(dir.path(), &["k.visaasm", "-p", "skl", "--strict", "--message-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(stderr(&out).trim()).unwrap();
    for (key, value) in
        [("severity", "error"), ("code", "mask-offset"), ("field", "execution mask"), ("kernel", "k")]
    {
        assert_eq!(json[key], value, "{json}");
    }
    assert_eq!((json["line"].as_u64(), json["column"].as_u64()), (Some(6), Some(9)), "{json}");
    assert_eq!(json["instruction"]["opcode"], "add", "{json}");

    let out = run(dir.path(), &["k.visaasm", "-p", "skl", "--emit", "dat"]);
    assert!(stderr(&out).contains("warning") && out.status.success(), "{}", stderr(&out));
    let out = run(dir.path(), &["k.visaasm", "-p", "skl", "--allow", "alias-cycle"]);
    assert_eq!(out.status.code(), Some(2), "later stages rely on that rule");
}

#[test]
fn text_becomes_objects_of_either_version() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("k.visaasm"), HALF_WAY.replace("M2", "M1")).unwrap();
    let mut codes = Vec::new();
    for (name, version) in [("new.isa", [4, 1]), ("old.isa", [3, 6])] {
        let number = format!("{}.{}", version[0], version[1]);
        let emit = ["k.visaasm", "-p", "skl", "--emit", "object", "--isa-version", &number, "-o", name];
        let out = run(dir.path(), &emit);
        assert!(out.status.success(), "{}", stderr(&out));
        assert_eq!(fs::read(dir.path().join(name)).unwrap()[4..6], version);
        assert!(run(dir.path(), &[name, "-p", "skl", "--emit", "dat", "-o", "code"]).status.success());
        codes.push(fs::read(dir.path().join("code")).unwrap());
    }
    assert!(run(dir.path(), &["k.visaasm", "-p", "skl", "--emit", "dat", "-o", "code"]).status.success());
    codes.push(fs::read(dir.path().join("code")).unwrap());
    assert!(codes.windows(2).all(|pair| pair[0] == pair[1]), "one kernel, different code");
    assert_eq!(run(dir.path(), &["k.visaasm", "-p", "skl", "--isa-version", "2.0"]).status.code(), Some(2));
}

#[test]
fn info_shows_kernels_inputs_and_code() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl,tgllp", "-q"]).status.success());
    let out = run(dir.path(), &["info", "k.gen.isa"]);
    let text = String::from_utf8_lossy(&out.stdout);
    for part in
        ["vISA object 4.1", "kernel saxpy", "attribute   SimdSize 16", "code        skl", "code        tgllp"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let out = run(dir.path(), &["info", "k.gen.isa", "--message-format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let code = &json["kernels"][0]["code"][1];
    assert_eq!(code["platform"], "tgllp", "{json}");
    assert!(code["instructions"].as_u64().unwrap() > 10, "{json}");
    assert!(!json["kernels"][0]["inputs"].as_array().unwrap().is_empty());
    assert_eq!(run(dir.path(), &["info", "absent"]).status.code(), Some(1));
}

#[test]
fn completions_and_manual_pages_know_all_commands() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let out = run(dir.path(), &["completions", shell]);
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(
            out.status.success() && text.contains("extract") && text.contains("platform"),
            "{shell}: {text}"
        );
    }
    assert!(run(dir.path(), &["manual", "man"]).status.success());
    let page = fs::read_to_string(dir.path().join("man/visa-finalize-run.1")).unwrap();
    assert!(page.contains("emulator"), "{page}");
    assert!(names(&dir.path().join("man")).contains(&"visa-finalize.1".to_owned()));
}

#[test]
fn colours_are_a_choice() {
    let (dir, _) = with_example();
    let said = |choice| stderr(&run(dir.path(), &["absent.isa", "-p", "skl", "--color", choice]));
    assert!(said("always").contains("\u{1b}["), "{:?}", said("always"));
    assert!(!said("never").contains('\u{1b}'), "{:?}", said("never"));
}

#[test]
fn extract_and_strip_are_the_inverse_of_putting_in() {
    let (dir, file) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl,tgllp", "--emit", "isa,dat", "-q"]).status.success());
    let out = run(dir.path(), &["extract", "k.gen.isa", "-o", "codes/", "-p", "skl"]);
    assert!(stderr(&out).contains("k.saxpy.skl.dat"), "{}", stderr(&out));
    assert!(dir.path().join("codes/k.saxpy.skl.dat").is_file(), "the directory is made");
    let out = run(dir.path(), &["strip", "k.gen.isa", "-p", "tgl", "-o", "one.isa"]);
    assert!(stderr(&out).contains("1 of 2 pieces of code"), "{}", stderr(&out));
    assert!(run(dir.path(), &["strip", "one.isa", "--in-place"]).status.success());
    assert_eq!(fs::read(dir.path().join("one.isa")).unwrap(), fs::read(&file).unwrap());
    assert_eq!(run(dir.path(), &["extract", "one.isa"]).status.code(), Some(1));
    assert_eq!(run(dir.path(), &["strip", "k.gen.isa"]).status.code(), Some(1));
}

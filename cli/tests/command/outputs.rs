//! Where results are written, and what is said of them.

use super::*;

#[test]
fn it_says_what_it_wrote_unless_told_not_to() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "skl,Broadwell"]);
    let said = stderr(&out);
    assert!(said.starts_with("wrote k.gen.isa (") && said.contains("saxpy for bdw, skl"), "{said}");
    assert_eq!(stderr(&run(dir.path(), &["k.isa", "-p", "skl", "-q"])), "");
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--message-format", "json", "--stats"]);
    let size = fs::metadata(dir.path().join("k.gen.isa")).unwrap().len();
    assert_eq!(json_lines(&out)[0]["bytes"], size);
    let stats: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&stats["kernel"], &stats["platform"]), (&"saxpy".into(), &"skl".into()));
}

#[test]
fn several_results_need_a_directory_and_a_directory_is_made() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "-p", "skl,bdw", "--emit", "asm", "-o", "absent"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("2 results for the one file absent"), "{}", stderr(&out));
    assert_eq!(names(dir.path()), ["k.isa"]);
    for (input, below) in [("k.isa", ""), (".", "")] {
        let out = run(dir.path(), &[input, "-p", "skl,bdw", "--emit", "asm", "-o", "made/here/"]);
        assert!(out.status.success(), "{}", stderr(&out));
        let made = dir.path().join("made/here").join(below);
        assert_eq!(names(&made), ["k.saxpy.bdw.asm", "k.saxpy.skl.asm"]);
    }
}

#[test]
fn two_inputs_of_one_name_do_not_overwrite_each_other() {
    let (dir, file) = with_example();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::copy(&file, dir.path().join("a/k.isa")).unwrap();
    let out = run(dir.path(), &["k.isa", "a/k.isa", "-p", "skl", "-o", "out/"]);
    assert_eq!(out.status.code(), Some(1));
    let said = stderr(&out);
    assert!(said.contains("already holds a result of k.isa"), "{said}");
    assert!(said.contains("2 inputs: 1 done, 1 refused"), "{said}");
    // Named as one directory, they keep their places.
    let out = run(dir.path(), &[".", "-p", "skl", "-o", "tree/", "--jobs", "2"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(names(&dir.path().join("tree")), ["a", "k.gen.isa"]);
    assert_eq!(names(&dir.path().join("tree/a")), ["k.gen.isa"]);
}

#[test]
fn standard_input_and_output() {
    let (dir, file) = with_example();
    let pipe = |args: &[&str]| {
        let input = fs::File::open(&file).unwrap();
        let command = env!("CARGO_BIN_EXE_visa-finalize");
        Command::new(command).args(args).current_dir(dir.path()).stdin(input).output().unwrap()
    };
    let out = pipe(&["-", "-p", "skl"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(visa::read(&out.stdout).unwrap().kernels[0].gen_binaries.len(), 1);
    assert_eq!(names(dir.path()), ["k.isa"]);
    let out = pipe(&["-", "-p", "skl", "--emit", "dat", "-o", "code", "--stats"]);
    assert!(stderr(&out).contains("wrote code"), "{}", stderr(&out));
    let code = fs::read(dir.path().join("code")).unwrap();
    assert_eq!(pipe(&["k.isa", "-p", "skl", "--emit", "dat", "-o", "-", "--stats"]).stdout, code);
    assert_eq!(pipe(&["-", "-", "-p", "skl"]).status.code(), Some(2));
    assert_eq!(pipe(&["-", "-p", "skl", "--in-place"]).status.code(), Some(2));
}

#[test]
fn translation_needs_no_platform() {
    let (dir, _) = with_example();
    let out = run(dir.path(), &["k.isa", "--emit", "visaasm,object", "-o", "out/"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(names(&dir.path().join("out")), ["k.isa", "k.visaasm"]);
}

#[test]
fn results_of_results_keep_their_name() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl"]).status.success());
    let out = run(dir.path(), &["k.gen.isa", "-p", "bdw"]);
    assert!(stderr(&out).contains("k.gen.isa is the input"), "{}", stderr(&out));
    assert!(run(dir.path(), &["k.gen.isa", "-p", "bdw", "-o", "out/"]).status.success());
    assert_eq!(names(&dir.path().join("out")), ["k.gen.isa"]);
}

#[test]
fn code_that_an_object_carries_is_named_where_it_is_in_the_way() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "bxt", "--in-place"]).status.success());
    let args = ["k.isa", "-p", "bdw,skl,icllp,tgllp"];
    let out = run(dir.path(), &args);
    assert_eq!(out.status.code(), Some(1));
    let said = stderr(&out);
    assert!(said.contains("bxt, bdw, skl, icllp") && said.contains("--drop-embedded"), "{said}");
    let out = run(dir.path(), &[&args[..], &["--drop-embedded"]].concat());
    assert!(out.status.success(), "{}", stderr(&out));
}

#[test]
fn what_can_be_made_is_written_where_asked() {
    let dir = tempfile::tempdir().unwrap();
    let good = ".kernel \"good\"\n.function \"main\"\nmain:\n    ret (M1, 1)\n";
    let text = ".version 4.1\n".to_owned() + good + &good.replace("good", "other");
    fs::write(dir.path().join("k.visaasm"), text).unwrap();
    let out = run(dir.path(), &["k.visaasm", "-p", "skl", "--emit", "dat", "--keep-going", "-o", "out/"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert_eq!(names(&dir.path().join("out")), ["k.good.skl.dat", "k.other.skl.dat"]);
}

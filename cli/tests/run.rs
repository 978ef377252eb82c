//! `visa-finalize run` on the shipped example: `y = a * x + y` over `n` floats.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
const N: usize = 128;

fn run(dir: &Path, example: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .arg("run")
        .arg(format!("{EXAMPLES}/{example}"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("the command starts")
}

fn floats(f: impl Fn(usize) -> f32) -> Vec<u8> {
    (0..N).flat_map(|i| f(i).to_le_bytes()).collect()
}

fn inputs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("x"), floats(|i| i as f32)).unwrap();
    fs::write(dir.path().join("y"), floats(|i| 100.0 + i as f32)).unwrap();
    dir
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_kernel_runs_on_every_platform_and_on_the_interpreter() {
    let dir = inputs();
    let arguments =
        ["--arg", "buf:y", "--arg", "buf:x", "--arg", "f32:2", "--arg", "u32:100", "--out", "0=out"];
    // Only the first hundred change.
    let expected = floats(|i| 100.0 + i as f32 + if i < 100 { 2.0 * i as f32 } else { 0.0 });
    let cases = [
        ("saxpy_skl.isa", "skl"),
        ("saxpy_skl.visaasm", "skl"),
        ("saxpy_skl.isa", "bdw"),
        ("saxpy_skl.isa", "icllp"),
        ("saxpy_tgllp.isa", "tgllp"),
    ];
    for (example, platform) in cases {
        for with in ["ours", "interpreter"] {
            let mut all = vec!["--platform", platform, "--global", "128", "--local", "32", "--with", with];
            all.extend(arguments);
            let out = run(dir.path(), example, &all);
            assert_eq!(out.status.code(), Some(0), "{example} {platform} {with}: {}", text(&out.stderr));
            assert!(fs::read(dir.path().join("out")).unwrap() == expected, "{example} {platform} {with}");
            assert!(text(&out.stdout).contains("4 groups, 8 threads"), "{}", text(&out.stdout));
        }
    }
}

#[test]
fn figures_traces_and_buffers_are_printed() {
    let dir = inputs();
    let args =
        "-p skl -g 128 --arg buf:y --arg buf:x --arg f32:2 --arg u32:128 --print 0:f32 --print 1 --trace";
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let stdout = text(&out.stdout);
    for part in [
        "instructions  ",
        "cycles  ",
        "opcodes  ",
        "load 16",
        "store 8",
        "eot 8",
        "  100 103 106",
        "] mad (16|M0)",
    ] {
        assert!(stdout.contains(part), "no `{part}` in\n{stdout}");
    }
    assert!(stdout.contains("argument 1, 512 bytes\n0x00000  00 00 00 00 00 00 80 3f"), "{stdout}");
}

#[test]
fn findings_are_reported_and_fail() {
    let dir = inputs();
    let args = "-p skl -g 128 --arg buf:64 --arg buf:x --arg f32:2 --arg u32:128";
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(1));
    let stderr = text(&out.stderr);
    assert!(stderr.contains("out of bounds") && stderr.contains("send"), "{stderr}");
}

#[test]
fn what_does_not_fit_is_explained() {
    let dir = inputs();
    let cases = [
        ("-p skl -g 128 --arg buf:64", "give its .ze_info"),
        ("-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u16:1", "has 2 bytes"),
        (
            "-p skl -g 100 -l 64 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:1",
            "100 work items in groups of 64",
        ),
        ("-p skl -g 128 --arg buf:absent", "absent"),
        (
            "-p skl -g 128 --with intel --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:1",
            "no code of saxpy",
        ),
        ("-p skl -g 128 --kernel other", "saxpy"),
        (
            "-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:128 --out 2=f",
            "argument 2 is no buffer",
        ),
        (
            "-p skl -g 128 --arg buf:512 --arg buf:512 --arg f32:2 --arg u32:128 --max-instructions 10",
            "stopped after 10",
        ),
    ];
    for (args, part) in cases {
        let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
        assert_eq!(out.status.code(), Some(1), "{args}");
        assert!(text(&out.stderr).contains(part), "{args}: {}", text(&out.stderr));
    }
    let out = run(dir.path(), "saxpy_skl.isa", &["-p", "skl", "-g", "128", "--arg", "u8:256"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(!dir.path().join("f").exists());
}

/// What a run says, as one document.
fn document(out: &Output) -> serde_json::Value {
    serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", text(&out.stdout), text(&out.stderr)))
}

const SAXPY: &str = "-p skl -g 128 --arg f32:iota --arg f32[128]:0..4 --arg f32:2 --arg u32:100";

#[test]
fn buffers_are_filled_by_patterns() {
    let dir = tempfile::tempdir().unwrap();
    let args = format!("{SAXPY} --print 0:f32 --message-format json");
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let document = document(&out);
    let values = document["buffers"][0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 128, "an element a work item");
    for (i, value) in values.iter().enumerate() {
        let expected = i as f64 + if i < 100 { 2.0 * (i % 4) as f64 } else { 0.0 };
        assert_eq!(value.as_f64(), Some(expected), "{i}");
    }
}

#[test]
fn a_run_is_told_as_one_json_document() {
    let dir = tempfile::tempdir().unwrap();
    let args = format!("{SAXPY} --message-format json --trace");
    let done = document(&run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>()));
    assert_eq!((&done["kernel"], &done["platform"]), (&"saxpy".into(), &"skl".into()));
    assert_eq!(done["threads"], 8);
    // The last of the threads has nothing below a hundred.
    assert_eq!(done["messages"]["load"], 14);
    assert_eq!(done["trace"].as_array().unwrap().len() as u64, done["instructions"].as_u64().unwrap());
    assert!(done["findings"].as_array().unwrap().is_empty() && done["opcodes"]["mad"].is_u64(), "{done}");
    // What is found is in the document, and not beside it.
    let args = "-p skl -g 128 --arg buf:64 --arg f32:iota --arg f32:2 --arg u32:128 --message-format json";
    let out = run(dir.path(), "saxpy_skl.isa", &args.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(document(&out)["findings"][0]["fault"], "out of bounds");
    assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
}

#[test]
fn global_ids_begin_where_the_launch_says() {
    let dir = tempfile::tempdir().unwrap();
    let args = "-p skl -g 64 --offset 32 --arg f32[128]:1 --arg f32[128]:1 --arg f32:2 --arg u32:128 --print 0:f32 \
                --message-format json";
    for with in ["ours", "interpreter"] {
        let args = format!("{args} --with {with}");
        let out = run(dir.path(), "saxpy_skl.isa", &args.split_whitespace().collect::<Vec<_>>());
        let done = document(&out);
        let changed: Vec<usize> = done["buffers"][0]["values"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .filter(|(_, v)| v.as_f64() == Some(3.0))
            .map(|(i, _)| i)
            .collect();
        assert_eq!(changed, (32..96).collect::<Vec<_>>(), "{with}");
    }
}

/// A caller and its function, as Intel's compiler dumps them: each in a text of its own.
fn caller_and_function(by_address: bool) -> (String, String) {
    use visa::{
        Access, Align, Exec, ExecSize, Predefined, Type,
        builder::KernelBuilder,
        op::{BlockAlignment, Callee, SurfaceModifier},
        text::TextOptions,
    };
    let lanes = Exec::no_mask(ExecSize::S8);
    let mut b = KernelBuilder::function("twice", platforms::Platform::Skl);
    b.call_sizes(1, 1);
    let (arg, ret) = (b.predefined(Predefined::Arg), b.predefined(Predefined::RetVal));
    let x = b.alias("x", Type::UD, 8, arg, 0);
    let y = b.alias("y", Type::UD, 8, ret, 0);
    b.add(lanes, y, x, x);
    b.fret(Exec::masked(ExecSize::S8));
    let function = b.finish().unwrap();

    let mut b = KernelBuilder::new("caller", platforms::Platform::Skl);
    b.attr_int("SimdSize", 8);
    let (arg, ret) = (b.predefined(Predefined::Arg), b.predefined(Predefined::RetVal));
    let x = b.alias("x", Type::UD, 8, arg, 0);
    let y = b.alias("y", Type::UD, 8, ret, 0);
    let (surface, given) = (b.surface("out"), b.general("given", Type::UD, 8, Align::Grf));
    b.input(given, 64);
    b.surface_input(surface, 128);
    b.mov(lanes, x, given);
    if by_address {
        let address = b.general("address", Type::UQ, 1, Align::Qword);
        b.faddr("twice", address);
        b.ifcall(Exec::masked(ExecSize::S8), Callee::Uniform, address, 1, 1);
    } else {
        b.fcall(Exec::masked(ExecSize::S8), "twice", 1, 1);
    }
    b.oword_block(Access::Store, BlockAlignment::Oword, 2, SurfaceModifier::None, surface, 0u32, y);
    b.ret();
    let mut caller = b.finish().unwrap();
    caller.declared_functions = vec![b"twice".to_vec()];
    let print = |module| visa::text::print(module, TextOptions::default());
    (print(&caller), print(&function))
}

/// Cross-thread data begin behind the register that the hardware fills for each thread: at r2.
const ZE_INFO: &str = "\
kernels:
  - name: caller
    execution_env:
      simd_size: 8
      grf_count: 128
    payload_arguments:
      - arg_type: arg_byvalue
        offset: 0
        size: 32
        arg_index: 0
      - arg_type: arg_bypointer
        offset: 32
        size: 0
        arg_index: 1
        addrmode: stateful
        addrspace: global
        access_type: readwrite
      - arg_type: arg_byvalue
        offset: 64
        size: 4
        arg_index: 2
    binding_table_indices:
      - bti_value: 0
        arg_index: 1
";

/// The caller run with a description of its arguments, over some arguments.
fn run_caller(info: &str, args: &str) -> Output {
    run_call(false, info, args)
}

fn run_call(by_address: bool, info: &str, args: &str) -> Output {
    let (caller, function) = caller_and_function(by_address);
    run_texts(&caller, &function, info, args)
}

fn run_texts(caller: &str, function: &str, info: &str, args: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    for (name, contents) in [("caller.visaasm", caller), ("twice.visaasm", function), ("info", info)] {
        fs::write(dir.path().join(name), contents).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .args(
            "run caller.visaasm -p skl -g 8 -l 8 --ze-info info --print 1:u32 --message-format json"
                .split(' '),
        )
        .args(args.split(' '))
        .current_dir(dir.path())
        .output()
        .unwrap()
}

#[test]
fn functions_may_stand_in_other_texts() {
    let args = "--arg u32:1,2,3,4,5,6,7,8 --arg buf:32 --arg u32:0";
    for with in ["ours", "interpreter"] {
        let done = document(&run_caller(ZE_INFO, &format!("{args} --link twice.visaasm --with {with}")));
        assert!(
            done["findings"].as_array().unwrap().is_empty() && done["messages"]["store"] == 1,
            "{with}: {done}"
        );
        let doubled: Vec<u64> = (1..=8).map(|n| 2 * n).collect();
        assert_eq!(done["buffers"][0]["values"], serde_json::json!(doubled), "{with}: {done}");
        if with == "ours" {
            assert_eq!((&done["opcodes"]["call"], &done["opcodes"]["ret"]), (&1.into(), &1.into()), "{done}");
        }
    }
    let alone = run_caller(ZE_INFO, args);
    assert_eq!(alone.status.code(), Some(1), "{}", text(&alone.stdout));
}

/// What is wrong in another text is shown there: what cannot be read, what is no kernel, and what cannot be finalized.
#[test]
fn faults_in_other_texts_are_shown_there() {
    let faults = [
        ("fret (M1, 8)", "frett (M1, 8)", "BadText"),
        ("fret (M1, 8)", "goto (M1, 8) nowhere", "label-defined"),
        ("fret (M1, 8)", "nbarrier.wait 0x1:ub\n    fret (M1, 8)", "UnsupportedInstruction"),
    ];
    let args = "--arg u32:1,2,3,4,5,6,7,8 --arg buf:32 --arg u32:0 --link twice.visaasm";
    for (right, wrong, code) in faults {
        let (caller, function) = caller_and_function(false);
        assert!(function.contains(right), "{function}");
        let function = function.replace(right, wrong);
        let first = wrong.lines().next().expect("a line");
        let place = function.lines().position(|l| l.contains(first));
        let shown = run_texts(&caller, &function, ZE_INFO, args).stderr;
        let shown: Vec<serde_json::Value> =
            text(&shown).lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let [fault] = &*shown else { panic!("{code}: {shown:?}") };
        assert_eq!((&fault["code"], &fault["file"]), (&code.into(), &"twice.visaasm".into()), "{fault}");
        assert_eq!(fault["line"], place.expect("a line") + 1, "{fault}");
    }
}

/// The function comes along with the kernel that takes its address, and the linker finds it there.
#[test]
fn functions_of_the_text_have_addresses() {
    let args = "--arg u32:1,2,3,4,5,6,7,8 --arg buf:32 --arg u32:0 --link twice.visaasm --with";
    for with in ["ours", "interpreter"] {
        let done = document(&run_call(true, ZE_INFO, &format!("{args} {with}")));
        assert!(done["findings"].as_array().unwrap().is_empty(), "{with}: {done}");
        let doubled: Vec<u64> = (1..=8).map(|n| 2 * n).collect();
        assert_eq!(done["buffers"][0]["values"], serde_json::json!(doubled), "{with}: {done}");
    }
}

/// A description that leaves an input out is told so, and one that is complete is not.
#[test]
fn inputs_that_nothing_fills_are_named() {
    let args = "--arg u32:1,2,3,4,5,6,7,8 --arg buf:32 --arg u32:0 --link twice.visaasm --with interpreter";
    let whole = document(&run_caller(ZE_INFO, args));
    assert_eq!(whole["unfilled"], serde_json::json!([]), "{whole}");
    let second = "      - arg_type: arg_byvalue\n        offset: 64\n        size: 4\n        arg_index: 2\n";
    let third = document(&run_caller(&ZE_INFO.replace(second, ""), args));
    assert_eq!(
        third["unfilled"],
        serde_json::json!([{ "name": "T6 (out)", "offset": 128, "bytes": 4 }]),
        "{third}"
    );
}

/// A kernel that stores what the launch says of its dimensions, and where it lies in the payload.
fn kernel_of_dimensions() -> (String, String) {
    use visa::{
        Access, Align, Exec, ExecSize, Type,
        builder::KernelBuilder,
        op::{BlockAlignment, SurfaceModifier},
        text::TextOptions,
    };
    let mut b = KernelBuilder::new("caller", platforms::Platform::Skl);
    b.attr_int("SimdSize", 8);
    let (surface, dimensions) = (b.surface("out"), b.general("dimensions", Type::UD, 8, Align::Grf));
    b.input(dimensions, 64);
    b.surface_input(surface, 128);
    b.oword_block(Access::Store, BlockAlignment::Oword, 1, SurfaceModifier::None, surface, 0u32, dimensions);
    b.mov(Exec::no_mask(ExecSize::S8), dimensions, 0u32);
    b.ret();
    let text = visa::text::print(&b.finish().unwrap(), TextOptions::default());
    let told = "work_dimensions\n        offset: 0\n        size: 4";
    (
        text,
        ZE_INFO.replacen("arg_byvalue\n        offset: 0\n        size: 32\n        arg_index: 0", told, 1),
    )
}

#[test]
fn kernels_are_told_how_many_dimensions_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let (kernel, info) = kernel_of_dimensions();
    assert!(info.contains("work_dimensions"));
    fs::write(dir.path().join("k.visaasm"), kernel).unwrap();
    fs::write(dir.path().join("info"), info).unwrap();
    let cases = [
        ("-g 8 -l 8", 1),
        ("-g 8,2 -l 8", 2),
        ("-g 8,1,2 -l 8", 3),
        ("-g 8 -l 8 --work-dim 3", 3),
        ("-g 8,2 -l 8 --work-dim 2", 2),
    ];
    for (args, expected) in cases {
        for with in ["ours", "interpreter"] {
            let out = Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
                .args(
                    "run k.visaasm -p skl --ze-info info --print 1:u32 --message-format json --with"
                        .split(' '),
                )
                .arg(with)
                .args(args.split(' '))
                .args("--arg u32:0 --arg buf:32 --arg u32:0".split(' '))
                .current_dir(dir.path())
                .output()
                .unwrap();
            assert_eq!(document(&out)["buffers"][0]["values"][0], expected, "{args} {with}");
        }
    }
    let wrong = Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .args("run k.visaasm -p skl -g 8 --work-dim 4".split(' '))
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
}

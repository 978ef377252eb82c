//! OpenCL programs on Intel's drivers of three ages, without a GPU: programs are built with our code, and run on the
//! emulator behind the driver's simulator socket. The programs check themselves (`tests/opencl/check.c`).

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::Trial;
use tbx::{Config, Device, Driver, Findings, LIBRARY, Launch, TURNS};
use tests::{
    needs::{self, Need, check},
    others,
    validate::{AGES, COMPILED, Ocloc, Source, Table},
};

/// A device for each platform of the emulator that a driver serves, and the cases that it passes by.
const DEVICES: [(&str, &[&str]); 5] = [
    // This driver fails with programs whose functions are called through the stack, with Intel's code, too.
    ("bdw", &["calls"]),
    ("skl", &[]),
    ("icllp", &[]),
    ("tgllp", &["calls"]),
    // It has no images, and this driver ends when it maps a buffer without the device's own memory.
    ("pvc", &["calls", "image_copy", "image_sample", "image_blits", "samplers", "maps"]),
];

/// All cases.
const CASES: [&str; 24] = [
    "saxpy",
    "scalars",
    "calls",
    "local_sum",
    "histogram",
    "places",
    "private_array",
    "spill",
    "prints",
    // In front of `queues`: behind it this age's driver for pvc collects commands, and a map that it is to wait for returns
    // before they are submitted, with either code.
    "shared",
    "image_copy",
    "image_sample",
    "image_blits",
    "buffer_blits",
    "queues",
    "waiters",
    "callbacks",
    "maps",
    "events",
    "constants",
    "samplers",
    "linked",
    "variables",
    // The last: behind it the program only ends.
    "leaves",
];

fn main() {
    let mut checks = Vec::new();
    for (name, without) in DEVICES {
        let device = Device::find(name).expect("one of the table");
        let cases: Vec<&str> = CASES.into_iter().filter(|c| !without.contains(c)).collect();
        let again = cases.clone();
        let age = device.driver;
        checks.push(on_driver(format!("ours_{name}"), age, move || runs(device, false, &cases)));
        checks.push(on_driver(format!("intels_{name}"), age, move || runs(device, true, &again)));
        // The driver of such a program asks nothing before it ends.
        checks.push(on_driver(format!("never_waits_{name}"), age, move || {
            runs(device, false, &["never_waits"]);
        }));
        checks.push(on_driver(format!("in_front_{name}"), age, move || front_gives_our_code(device)));
        // Level Zero begins with Gen9.
        if name != "bdw" {
            let needs = [Need::LevelZero, Need::Driver(age), Need::Program("cc")];
            checks.push(check(format!("level_zero_{name}"), &needs, move || {
                level_zero_runs(device, false);
                level_zero_runs(device, true);
            }));
        }
    }
    for name in ["skl", "pvc"] {
        let device = Device::find(name).expect("one of the table");
        checks.push(on_driver(format!("threads_{name}"), device.driver, move || builds_in_threads(device)));
    }
    let skl = Device::find("skl").expect("one of the table");
    checks.push(on_driver("one_or_three".to_owned(), skl.driver, move || threads_agree(skl)));
    checks.push(on_driver("findings".to_owned(), skl.driver, move || findings_name_kernels_and_visa(skl)));
    for name in ["tgllp", "pvc"] {
        checks.push(on_driver(format!("slot_{name}"), "new", move || slot_gives_our_code(name)));
        checks.push(on_driver(format!("in_front_new_{name}"), "new", move || linked_gives_our_code(name)));
    }
    for name in ["skl", "tgllp"] {
        let device = Device::find(name).expect("one of the table");
        checks.push(on_driver(format!("two_processes_{name}"), device.driver, move || two_processes(device)));
        checks.push(on_driver(format!("by_name_{name}"), device.driver, move || starts_by_name(device)));
    }
    for (name, _) in DEVICES {
        let ages = AGES.map(Need::Driver);
        checks.push(check(format!("validate_{name}"), &ages, move || programs_are_valid(name)));
    }
    let ages = [AGES.map(Need::Driver).as_slice(), &[Need::Others]].concat();
    checks.push(check("validate_others", &ages, programs_of_others_are_valid));
    needs::run(checks)
}

/// The driver's reader of each age takes programs with our code: arguments, local memory, scratch, functions, images,
/// strings to print. The bin `validate` asks about all test kernels.
fn programs_are_valid(device: &str) {
    let validators = Ocloc::all().expect("looked up");
    let compiled = COMPILED.into_iter().filter(|(_, d)| *d == device);
    let mut table = Table::default();
    let mut programs = 0;
    for (age, _) in compiled {
        let compiler = validators.iter().find(|v| v.age() == age).unwrap();
        for name in
            ["saxpy", "slm_types", "spill_branches", "stack_calls", "private_arrays", "image_read", "print"]
        {
            let source = tests::data::sources().join(name).with_extension("cl");
            for variant in Source::of_test(&source).unwrap().iter().take(2) {
                if let Some(program) = compiler.compile(variant, device).unwrap() {
                    table.add(&validators, &variant.id, &program).unwrap();
                    programs += 1;
                }
            }
        }
    }
    assert!(
        table.faults.is_empty() && table.not_finalized.is_empty() && programs >= 4,
        "{programs} programs\n{table}"
    );
    assert!(table.counts.values().all(|c| c.ours_alone == 0 && c.accepted > 0), "{table}");
    // Nothing is right of a program that is cut short.
    let whole =
        validators[0].compile(&Source::of_test(&tests::data::sources().join("saxpy.cl")).unwrap()[0], "skl");
    let whole = whole.unwrap().expect("a zebin");
    assert!(validators.iter().all(|v| v.validate(&whole[..whole.len() / 2]).unwrap().is_err()));
}

/// So it does with a program that somebody else wrote, from a list as `tests/tools/get-sources` writes it.
fn programs_of_others_are_valid() {
    let validators = Ocloc::all().expect("looked up");
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list.tsv");
    let kernels = others::installed().expect("looked up").join("usr/share/hashcat/OpenCL");
    let options = "-D KERNEL_STATIC -D INCLUDE_PATH={kernels} -D XM2S(x)=#x -D M2S(x)=XM2S(x) -D VENDOR_ID=8 \
        -D CUDA_ARCH=0 -D HAS_VPERM=0 -D VECT_SIZE=1 -D DEVICE_TYPE=4 -D DGST_R0=0 -D DGST_R1=3 -D DGST_R2=2 \
        -D DGST_R3=1 -D DGST_ELEM=4 -D KERN_TYPE=0 -D ATTACK_EXEC=11 -D ATTACK_KERN=1 -D FIXED_LOCAL_SIZE=8 -cl-std=CL1.2 -w";
    let kernels = kernels.display().to_string();
    let line = format!(
        "# the first of hashcat's\nmarkov\t{kernels}/markov_le.cl\t{}\tIGC_ForceOCLSIMDWidth=16\ttgllp skl\n",
        options.replace("{kernels}", &kernels)
    );
    std::fs::write(&list, line).unwrap();
    let sources = Source::of_list(&list).unwrap();
    assert!(sources.len() == 1 && sources[0].is_for("skl") && !sources[0].is_for("pvc"));
    for (age, device) in [("2243", "tgllp"), ("2435", "skl")] {
        let compiler = validators.iter().find(|v| v.age() == age).unwrap();
        let program = compiler.compile(&sources[0], device).unwrap().expect("a zebin");
        let mut table = Table::default();
        table.add(&validators, "markov", &program).unwrap();
        assert!(table.faults.is_empty() && table.not_finalized.is_empty(), "{table}");
        assert!(
            table.counts.len() == AGES.len() && table.counts.values().all(|c| c.accepted == 1),
            "{table}"
        );
    }
    std::fs::write(&list, "markov\t/nowhere.cl\n").unwrap();
    let why = Source::of_list(&list).unwrap_err().to_string();
    assert!(why.contains("list.tsv:1: ") && why.contains("allowed: name, path"), "{why}");
}

/// A check that needs a driver, and the headers and library to make an OpenCL program for it.
fn on_driver(name: String, age: &'static str, run: impl FnOnce() + Send + 'static) -> Trial {
    check(name, &[Need::Driver("2243"), Need::Driver(age), Need::Program("cc")], run)
}

/// The program that checks itself, or another one of `tests/opencl`, made once.
fn program(name: &str) -> PathBuf {
    linked(name, "-lOpenCL")
}

fn linked(name: &str, library: &str) -> PathBuf {
    use std::sync::Mutex;
    static MAKING: Mutex<()> = Mutex::new(());
    let _one = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("opencl").join(name).with_extension("c");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let time = |p: &Path| p.metadata().and_then(|m| m.modified()).ok();
    if time(&made) > time(&source) {
        return made;
    }
    let tree = Driver::installed("2243").and_then(|d| d.tree().map(Path::to_owned)).expect("looked up");
    let part = made.with_extension("part");
    let status = Command::new("cc")
        .args(["-O1", "-ffp-contract=off", "-o"])
        .arg(&part)
        .arg(source)
        .arg("-I")
        .arg(tree.join("usr/include"))
        .arg("-L")
        .arg(tree.join("libraries"))
        // The libraries that the loader needs are those of the driver that the program runs on.
        .args([library, "-lpthread", "-lm", "-Wl,--unresolved-symbols=ignore-in-shared-libs"])
        .status();
    assert!(status.expect("cc").success());
    std::fs::rename(part, &made).unwrap();
    made
}

/// What cargo built beside this test.
fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().join(name);
    assert!(path.exists(), "cargo has not built {}", path.display());
    path
}

fn launch(device: Device, intel_code: bool) -> Launch {
    Launch {
        device,
        driver: Driver::installed(device.driver).expect("looked up"),
        library: Some(library(LIBRARY)),
        turns: Some(library(TURNS)),
        intel_code,
        config: Config { threads: 2, ..Config::new(device.platform) },
    }
}

fn output(launch: &Launch, case: &[&str]) -> (Output, Findings) {
    let arguments: Vec<OsString> = case.iter().map(OsString::from).collect();
    run(launch, &program("check"), &arguments)
}

/// Runs a program in a directory of its own: the compiler leaves a file there. What runs is our code: a build that would keep
/// the compiler's fails.
fn run(launch: &Launch, program: &Path, arguments: &[OsString]) -> (Output, Findings) {
    let place = tempfile::tempdir().unwrap();
    let start = |c: &mut Command| {
        if !launch.intel_code {
            c.env("VISA_FINALIZE_NEO_MODE", "strict");
        }
        c.current_dir(place.path()).output()
    };
    launch.run(program, arguments, start).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All cases are right, and the emulator finds nothing.
fn runs(device: Device, intel_code: bool, cases: &[&str]) {
    let arguments = [&["1024"], cases].concat();
    let (output, findings) = output(&launch(device, intel_code), &arguments);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}\n{findings}");
    let mut expected = String::new();
    for case in cases {
        if *case == "prints" {
            expected.extend((0..8).map(|i| line(8 * i + 3)));
        }
        expected += &format!("{case} right\n");
    }
    assert_eq!(said, expected);
    assert!(findings.dispatches() >= cases.len() as u64 && !findings.is_error(), "{findings}");
}

fn line(item: u32) -> String {
    format!("item {item} of 64, {:.6}\n", f64::from(item) / 2.0)
}

/// A Level Zero program, by its own loader and the driver's other front end.
fn level_zero_runs(device: Device, intel_code: bool) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("opencl/level_zero.cl");
    let spirv = Ocloc::find(device.driver).expect("looked up").spirv(&source, device.name).unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("level_zero.spv");
    std::fs::write(&file, spirv).unwrap();
    let program = linked("level_zero", "-l:libze_loader.so.1");
    let (output, findings) = run(&launch(device, intel_code), &program, &[file.into(), "40".into()]);
    assert!(output.status.success(), "{}{}\n{findings}", text(&output.stdout), text(&output.stderr));
    assert_eq!(text(&output.stdout), "saxpy right\nlocal_sum right\n");
    let told = findings.to_string();
    assert!(!findings.is_error(), "{told}");
    for kernel in ["saxpy", "local_sum"] {
        let of_kernel = |l: &str| l.starts_with(&format!("{kernel}: 1 dispatch, "));
        assert!(told.lines().any(of_kernel), "{told}");
    }
}

/// What a program starts by name has the same driver: a shell, in it a script, in that `env`.
fn starts_by_name(device: Device) {
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("script");
    std::fs::write(&script, "#!/bin/sh\necho script\nenv \"$@\"\n").unwrap();
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, rights).unwrap();
    let check = program("check");
    let commands = ["\"$0\" 64 saxpy", "\"$1\" \"$0\" 64 histogram"].join(" && ");
    let arguments = [OsString::from("-c"), commands.into(), check.into(), script.into()];
    let (output, findings) = run(&launch(device, false), Path::new("sh"), &arguments);
    assert!(output.status.success() && !findings.is_error(), "{}\n{findings}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "saxpy right\nscript\nhistogram right\n");
    assert!(findings.dispatches() >= 2, "{findings}");
}

/// Two processes at once, with different data at the same addresses.
fn two_processes(device: Device) {
    let cases = ["saxpy", "histogram", "local_sum", "linked", "queues"];
    let (output, findings) = output(&launch(device, false), &[&["twice", "1024"], &cases[..]].concat());
    let said = text(&output.stdout);
    assert!(output.status.success() && !findings.is_error(), "{said}\n{findings}");
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> =
        cases.iter().flat_map(|c| [format!("{c} right"), format!("{c} right")]).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// What a dispatch leaves, and how many instructions it takes, does not depend on how many processors run it.
fn threads_agree(device: Device) {
    let said = |threads| {
        let mut launch = launch(device, false);
        launch.config.threads = threads;
        let (output, findings) = output(&launch, &["8192", "saxpy", "histogram", "local_sum"]);
        assert!(output.status.success(), "{}", text(&output.stdout));
        // How often the driver copies depends on where the system puts the program's buffers.
        let own = |l: &&str| !l.starts_with('(');
        findings.to_string().lines().filter(own).map(str::to_owned).collect::<Vec<_>>()
    };
    let one = said(1);
    assert_eq!(one.len(), 3, "{one:?}");
    assert_eq!(one, said(3));
}

fn builds_in_threads(device: Device) {
    let (output, findings) = output(&launch(device, false), &["threads"]);
    assert!(output.status.success(), "{}\n{findings}", text(&output.stdout));
}

/// Code of the kernels of a program by name. The driver's table of symbols holds code of nobody.
fn codes(program: &[u8]) -> Vec<(String, Vec<u8>)> {
    let read = zebin::Program::read(program).unwrap();
    let kernels = read.units.into_iter().filter(|(name, _)| !name.starts_with("Intel_Symbol"));
    kernels.map(|(name, unit)| (name, unit.code)).collect()
}

/// `ours` is a program with these kernels, whose code differs from the compiler's and is equal to what the rewriter makes of
/// its vISA.
fn assert_ours(ours: &[u8], intels: &[u8], kernels: &[&str]) {
    let platform = rewriter::platform_of(ours).unwrap().unwrap();
    let mut finalizer = finalizer::Finalizer::new(finalizer::Options::new(platform));
    let made = rewriter::finalize(ours, &mut finalizer, rewriter::Options::default()).unwrap();
    let (ours, intels_codes) = (codes(ours), codes(intels));
    assert!(kernels.iter().all(|k| ours.iter().any(|(name, _)| name == k)));
    assert_eq!(ours, codes(&made.bytes));
    let names = |codes: &[(String, Vec<u8>)]| codes.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&intels_codes));
    for ((name, ours), (_, intels)) in ours.iter().zip(&intels_codes) {
        assert_ne!(ours, intels, "{name}");
    }
}

/// Some of the kernels of `check build`.
const BUILT: [&str; 3] = ["saxpy", "spill", "prints"];

/// In front of the compiler: what the driver hands to programs is our code.
fn front_gives_our_code(device: Device) {
    let built = |intel_code| {
        let (output, findings) = output(&launch(device, intel_code), &["build"]);
        assert!(output.status.success(), "{}\n{findings}", text(&output.stdout));
        output.stdout
    };
    assert_ours(&built(false), &built(true), &BUILT);
}

/// The compiler of the driver that has a slot.
const NEW_COMPILER: &str = "libigc.so.2";

/// What a driver with a slot makes of `check`'s program, with our library under a name in front of its own. (This driver has
/// lost its simulator interface, but builds.)
fn built_by_new(device: &str, case: &str, name: &str, variables: &[(&str, &str)]) -> Vec<u8> {
    let driver = Driver::installed("new").expect("looked up");
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(library(LIBRARY), place.path().join(name)).unwrap();
    let mut command = driver.command(&program("check"), Some(place.path()), None).unwrap();
    let output = command
        .arg(case)
        .current_dir(place.path())
        .env("NEOReadDebugKeys", "1")
        .env("ProductFamilyOverride", device)
        .env("UseAubStream", "0")
        .env("SetCommandStreamReceiver", "1")
        .env("NEO_CACHE_PERSISTENT", "0")
        .env("HardwareInfoOverride", "1x6x16")
        .env("UseBindlessMode", "0")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
    output.stdout
}

/// In the finalizer's slot.
fn slot_gives_our_code(device: &str) {
    let built = |mode| {
        let variables = [
            ("InjectInternalBuildOptions", "-ze-emit-zebin-visa-sections"),
            ("FinalizerInputType", "OCL_GEN_BIN"),
            ("FinalizerLibraryName", LIBRARY),
            ("VISA_FINALIZE_NEO_MODE", mode),
        ];
        built_by_new(device, "build", LIBRARY, &variables)
    };
    assert_ours(&built("strict"), &built("off"), &BUILT);
}

/// This driver asks its slot about what is built in one step only; in front of the compiler we see what is linked, too.
fn linked_gives_our_code(device: &str) {
    let driver = Driver::installed("new").expect("looked up");
    let compiler = driver.tree().expect("installed by us").join("libraries").join(NEW_COMPILER);
    let built = |mode| {
        let compiler = compiler.to_str().expect("a path in UTF-8");
        let variables = [("VISA_FINALIZE_NEO_COMPILER", compiler), ("VISA_FINALIZE_NEO_MODE", mode)];
        built_by_new(device, "link", NEW_COMPILER, &variables)
    };
    assert_ours(&built("strict"), &built("off"), &["linked"]);
}

/// A kernel that reads past its buffer: the kernel, the message and the vISA instruction are named.
fn findings_name_kernels_and_visa(device: Device) {
    let (output, findings) = run(&launch(device, false), &program("outside"), &[]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let told = findings.to_string();
    let lines: Vec<&str> = told.lines().map(str::trim).collect();
    assert!(
        findings.is_error() && lines.iter().any(|l| l.starts_with("reads_behind: 1 dispatch,")),
        "{told}"
    );
    assert!(lines.iter().any(|l| l.contains("out of bounds: ") || l.contains("no memory: ")), "{told}");
    assert!(lines.iter().any(|l| l.starts_with("vISA: ") && l.contains("gather")), "{told}");
}

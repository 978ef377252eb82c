//! Programs that others wrote, on Intel's drivers and the emulator: a short form of `tests/tools/others`.

use std::path::Path;

use libtest_mimic::Trial;
use tbx::{Config, Device, Driver, LIBRARY, Launch, TURNS};
use tests::{
    needs::{self, Need, check},
    others,
};

/// Programs of the table that take no second, and what they say when all is right.
const PROGRAMS: [(&str, &str); 4] = [
    ("clinfo", "Intel(R) OpenCL"),
    ("clFFT 64", "*****PASS*****"),
    ("clFFT 16x16", "*****PASS*****"),
    ("clFFT 8x6x10", "*****PASS*****"),
];

fn main() {
    let mut checks: Vec<Trial> = Vec::new();
    for name in ["skl", "tgllp", "pvc"] {
        let device = Device::find(name).expect("one of the table");
        for (code, intel_code) in [("ours", false), ("intels", true)] {
            let needs = [Need::Driver(device.driver), Need::Others];
            checks.push(check(format!("{code}_{name}"), &needs, move || run_right(device, intel_code)));
        }
    }
    needs::run(checks)
}

/// Each ends well, says so, and the emulator finds nothing; all but clinfo have kernels run.
fn run_right(device: Device, intel_code: bool) {
    let programs = others::installed().expect("looked up");
    let driver = Driver::installed(device.driver).expect("looked up");
    for (name, right) in PROGRAMS {
        let place = tempfile::tempdir().unwrap();
        others::tree(driver.tree().expect("looked up"), &programs, place.path()).unwrap();
        let test = std::env::current_exe().unwrap();
        let launch = Launch {
            device,
            driver: Driver::of_tree(place.path()).unwrap(),
            library: Some(test.with_file_name(LIBRARY)),
            turns: Some(test.with_file_name(TURNS)),
            intel_code,
            config: Config { threads: 2, ..Config::new(device.platform) },
        };
        let command = others::command(name, &programs);
        let arguments: Vec<_> = command[1..].iter().map(Into::into).collect();
        let (output, findings) =
            launch.run(Path::new(&command[0]), &arguments, |c| c.current_dir(place.path()).output()).unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(right), "{name}: {said}\n{findings}");
        assert!(
            !findings.is_error() && (findings.dispatches() > 0 || name == "clinfo"),
            "{name}: {findings}"
        );
    }
}

//! What Intel's program makes of the kernels that are compared, kept in a folder, which serves the next time, too. What is
//! made with other words for the program is kept apart.

use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    process::{Command, Stdio},
};

use platforms::{EndFence, Platform};
use tests::data::TestKernel;
use visa::Module;

use crate::Args;

/// The words that ask Intel's program for a platform's code of `input`.
///
/// Where threads must not end before what they wrote has arrived, Intel's compiler asks for the workaround (IGC,
/// `CISABuilder.cpp`; of Cm kernels its finalizer asks itself by the device's stepping, which this program is not told).
/// Ours always does it.
pub fn words<'a>(platform: Platform, input: &'a str, module: &Module) -> Vec<&'a str> {
    let mut words = vec![input, "-platform", platform.caps().genx_name, "-binary", "-output"];
    let clears = match platform.caps().memory.fence_before_eot {
        EndFence::Never => false,
        EndFence::CmData => module.kernels.iter().any(visa::Kernel::is_cm),
        EndFence::Always => true,
    };
    if clears {
        words.push("-waClearHDCWrite");
    }
    words
}

/// The peer's code for a test kernel, from `dir` or else made and put there. Empty where it makes none.
pub fn of_kernel(
    args: &Args,
    dir: &Path,
    platform: Platform,
    kernel: &TestKernel,
    module: &Module,
) -> io::Result<Vec<u8>> {
    let dir = dir.join(words(platform, "", module).concat());
    let file = dir.join(format!("{platform}.{}", kernel.id().replace('/', ".")));
    if file.is_file() {
        return fs::read(file);
    }
    let made = made(args, platform, "peer.visaasm", kernel.visaasm.as_bytes(), module)?;
    let code = made.into_values().next().unwrap_or_default();
    fs::create_dir_all(dir)?;
    fs::write(file, &code)?;
    Ok(code)
}

/// The peer's code for the kernels of a file of programs, by their names, from `dir` or else made and put there.
/// None of those that it makes none for.
pub fn of_program(
    args: &Args,
    dir: &Path,
    platform: Platform,
    file: &Path,
    module: &Module,
) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let id = file.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join(".");
    let dir = dir.join(words(platform, "", module).concat()).join(format!("{platform}.{id}"));
    if !dir.is_dir() {
        let name = file.extension().map_or_else(String::new, |e| format!("peer.{}", e.to_string_lossy()));
        let made = made(args, platform, &name, &fs::read(file)?, module)?;
        fs::create_dir_all(&dir)?;
        for (kernel, code) in &made {
            fs::write(dir.join(kernel), code)?;
        }
        return Ok(made);
    }
    let mut kept = BTreeMap::new();
    for entry in dir.read_dir()? {
        let entry = entry?;
        kept.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?);
    }
    Ok(kept)
}

/// Runs the peer's program on a file: its code by the kernels' names, which it writes into the listings beside.
fn made(
    args: &Args,
    platform: Platform,
    name: &str,
    input: &[u8],
    module: &Module,
) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let work = tempfile::tempdir()?;
    fs::write(work.path().join(name), input)?;
    // Its exit status says nothing: it is that of a fault where a kernel has spilled, too.
    Command::new(&args.peer)
        .args(words(platform, name, module))
        .current_dir(work.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let mut made = BTreeMap::new();
    for entry in work.path().read_dir()? {
        let listing = entry?.path();
        let code = listing.with_extension("dat");
        if listing.extension().is_none_or(|e| e != "asm") || !code.is_file() {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&listing)?).into_owned();
        let kernel = text.lines().find_map(|l| l.strip_prefix("//.kernel "));
        let kernel = kernel.map_or_else(|| name.to_owned(), |k| k.trim().to_owned());
        made.insert(kernel, fs::read(code)?);
    }
    Ok(made)
}

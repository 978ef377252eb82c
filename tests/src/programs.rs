//! Kernels of a folder, with the code that Intel's compilers made of them: real programs and foreign objects.
//!
//! Two kinds of files are taken, at any depth: vISA assembly with the machine code beside it
//! (`kernel.visaasm`, `kernel.dat`, as Intel's compiler dumps them), and objects that carry machine code of
//! the platform (`.isa`). Where the folder has a folder of the platform's name, that one is meant.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use finalizer::Grf;
use platforms::Platform;
use visa::Module;

/// One kernel, and Intel's code for it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its path below the folder, with the kernel's name where the file has several.
    pub id: String,
    /// The file it came from, which the other kernels of that file share.
    pub module: std::rc::Rc<Module>,
    /// Its place among the module's kernels.
    pub index: usize,
    /// Intel's machine code.
    pub code: Vec<u8>,
    /// Registers of a thread that it was made for. The vISA says nothing of an option of the compiler.
    pub grf: Grf,
}

impl Program {
    /// Number of vISA instructions, without labels.
    pub fn instructions(&self) -> usize {
        self.module.kernels[self.index].code.len()
    }
}

/// What the programs of this package that look at code are told: platforms, and whose code.
#[derive(Debug, clap::Args)]
pub struct Corpus {
    /// Platforms.
    #[arg(value_parser = |s: &str| s.parse::<Platform>(), required = true)]
    pub platforms: Vec<Platform>,
    /// Folders of kernels with Intel's code beside them, or inside.
    #[arg(long)]
    pub programs: Vec<PathBuf>,
}

impl Corpus {
    /// Hands the kernels of all folders to `each`; what cannot be read is told on standard error.
    pub fn each(&self, platform: Platform, each: &mut dyn FnMut(&Program)) -> io::Result<()> {
        for folder in &self.programs {
            for file in files(folder, platform)? {
                load(folder, &file, platform, &mut |why| eprintln!("{platform} {why}"))?
                    .iter()
                    .for_each(&mut *each);
            }
        }
        Ok(())
    }
}

/// The files of a folder that may hold kernels for a platform, sorted.
///
/// A platform that is like another has that one's files.
pub fn files(folder: &Path, platform: Platform) -> io::Result<Vec<PathBuf>> {
    let device = platform.with_kernels();
    let of_device = folder.join(device.to_string());
    let mut open = vec![if of_device.is_dir() { of_device } else { folder.to_owned() }];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in dir.read_dir()? {
            let path = entry?.path();
            let text =
                path.extension().is_some_and(|e| e == "visaasm") && path.with_extension("dat").is_file();
            // The object beside a text is a dump of it, without all of its operands.
            let object =
                path.extension().is_some_and(|e| e == "isa") && !path.with_extension("visaasm").is_file();
            if path.is_dir() {
                open.push(path);
            } else if text || object {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The kernels of one of a folder's [`files`] that have code of the platform. What cannot be read is told
/// to `failed` and has none.
pub fn load(
    folder: &Path,
    file: &Path,
    platform: Platform,
    failed: &mut dyn FnMut(String),
) -> io::Result<Vec<Program>> {
    let id = file.strip_prefix(folder).unwrap_or(file).with_extension("").display().to_string();
    let bytes = fs::read(file)?;
    let text = file.extension().is_some_and(|e| e == "visaasm");
    let read = if text { finalizer::read_text(&bytes, platform) } else { finalizer::read_module(&bytes) };
    let mut module = match read {
        Ok(module) => module,
        Err(e) => {
            failed(format!("{id}: {e}"));
            return Ok(Vec::new());
        }
    };
    if text {
        let code = fs::read(file.with_extension("dat"))?;
        let grf = grf_of(&file.with_extension("asm"))?;
        return Ok(vec![Program { id, module: module.into(), index: 0, code, grf }]);
    }
    let codes: Vec<_> = module.kernels.iter_mut().map(|k| code_of(platform, k)).collect();
    let module = std::rc::Rc::new(module);
    let kernels = codes.into_iter().enumerate().filter_map(|(index, code)| {
        let id = format!("{id}/{}", module.kernels[index].name());
        Some(Program { id, module: module.clone(), index, code: code?, grf: Grf::Kernel })
    });
    Ok(kernels.collect())
}

/// The registers of a thread that the head of Intel's listing names; what the kernel says, where there is no listing.
fn grf_of(listing: &Path) -> io::Result<Grf> {
    if !listing.is_file() {
        return Ok(Grf::Kernel);
    }
    let text = fs::read(listing)?;
    let head = String::from_utf8_lossy(&text[..text.len().min(1000)]);
    let count = head.lines().find_map(|l| l.strip_prefix("//.thread_config numGRF=")?.split(',').next());
    count.map_or(Ok(Grf::Kernel), |n| n.parse().map(Grf::Count).map_err(io::Error::other))
}

/// The texts of functions that a text's kernel calls through the stack, in order: beside `kernel.visaasm`, Intel's compiler
/// dumps `kernel.f0.visaasm` and so on.
pub fn functions(file: &Path) -> Vec<String> {
    let text = |n: usize| fs::read_to_string(file.with_extension(format!("f{n}.visaasm"))).ok();
    (0..).map_while(text).collect()
}

/// Takes the code that a kernel's object has for the platform.
fn code_of(platform: Platform, kernel: &mut visa::Kernel) -> Option<Vec<u8>> {
    let of = |b: &&mut visa::GenBinary| Platform::from_gen_platform(b.platform) == Some(platform);
    kernel.gen_binaries.iter_mut().find(of).map(|b| std::mem::take(&mut b.code)).filter(|c| !c.is_empty())
}

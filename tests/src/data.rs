//! The test kernels, as Intel's offline compiler left them for every device.
//!
//! `tests/kernels/compile` makes the archives `tests/data/<device>.tar.zst` that this module reads. One
//! [`TestKernel`] is one kernel at one SIMD size on one platform. `VISA_TEST_DATA` names another directory
//! of such archives, with the sources in `kernels` below it, so that the same commands judge other kernels.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use platforms::{Layout, Platform};

/// One kernel, compiled for one platform at one SIMD size.
#[derive(Clone, Debug)]
pub struct TestKernel {
    /// The platform it was compiled for.
    pub platform: Platform,
    /// File name of the source in `tests/kernels`, such as `saxpy.cl`.
    pub source: String,
    /// What the compilation asked for: `any`, a required sub-group size (`8`, `16`, `32`), or `vc` for
    /// the vector compiler.
    pub variant: String,
    /// The kernel's name.
    pub name: String,
    /// Lanes of one hardware thread that the kernel was compiled for (1 for the vector compiler).
    pub simd: u32,
    /// The vISA object as the compiler dumps it (version 4.1): its code lacks operands, which the
    /// compiler's writer forgets. For the vector compiler, the object of all kernels of the source.
    pub isa: Vec<u8>,
    /// The kernel as a complete object (version 3.6), made of `visaasm` by an older release of Intel's
    /// finalizer with its own machine code inside. None for platforms (Ponte Vecchio) and instructions
    /// that it does not know.
    pub whole: Option<Vec<u8>>,
    /// The same kernel as vISA assembly, with the functions it calls as subroutines.
    pub visaasm: String,
    /// vISA assembly of the functions it calls through the stack, in the object's order.
    pub functions: Vec<String>,
    /// Intel's machine code.
    pub dat: Vec<u8>,
    /// Intel's listing of that code.
    pub asm: String,
    /// YAML text on every kernel of the same compilation: arguments, payload offsets, scratch sizes.
    pub ze_info: String,
    /// The compiled program, where its code refers to symbols.
    pub zebin: Option<Vec<u8>>,
}

impl TestKernel {
    /// A name that no other kernel of the platform has: `saxpy.cl/16/saxpy.simd16`.
    pub fn id(&self) -> String {
        format!("{}/{}/{}.simd{}", self.source, self.variant, self.name, self.simd)
    }

    /// Whether the payload begins in a register, where others load all of it.
    pub fn inline_payload(&self) -> bool {
        self.ze_info.contains("inline_data_payload_size")
    }
}

/// Every test kernel of a platform, sorted by [`TestKernel::id`]. Unpacked once per process.
///
/// A platform that is like another has no archive of its own: its kernels are that one's.
pub fn kernels(platform: Platform) -> &'static [TestKernel] {
    static UNPACKED: [OnceLock<Vec<TestKernel>>; Platform::ALL.len()] =
        [const { OnceLock::new() }; Platform::ALL.len()];
    UNPACKED[platform as usize].get_or_init(|| unpack(platform))
}

/// The one kernel of a platform with this [`TestKernel::id`].
pub fn kernel(platform: Platform, id: &str) -> &'static TestKernel {
    kernels(platform)
        .iter()
        .find(|k| k.id() == id)
        .unwrap_or_else(|| panic!("no test kernel `{id}` for {platform}"))
}

/// The workspace root.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate has a parent directory")
}

/// vISA objects written by other compilers, kept outside of the repository: every `.isa` below
/// `../shared/corpus`, sorted; none where that directory is absent. Checks of nothing else say so: [`crate::needs::Need::Corpus`].
pub fn corpus() -> Vec<PathBuf> {
    objects_below(&corpus_folder())
}

/// Where [`corpus`] looks.
pub fn corpus_folder() -> PathBuf {
    workspace().join("../shared/corpus")
}

/// Every `.isa` below a folder, sorted.
pub fn objects_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        let Ok(entries) = dir.read_dir() else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "isa") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The directory with the sources of the test kernels.
pub fn sources() -> PathBuf {
    match std::env::var_os("VISA_TEST_DATA") {
        Some(other) => PathBuf::from(other).join("kernels"),
        None => workspace().join("tests/kernels"),
    }
}

/// Platforms whose kernels are their own: Intel's code of them is made for these.
pub fn devices() -> Vec<Platform> {
    Platform::ALL.into_iter().filter(|p| p.with_kernels() == *p).collect()
}

/// Those of them whose words are of one family of layouts.
pub fn devices_with(layout: Layout) -> Vec<Platform> {
    devices().into_iter().filter(|p| p.caps().words.layout() == layout).collect()
}

fn archives() -> PathBuf {
    std::env::var_os("VISA_TEST_DATA").map_or_else(|| workspace().join("tests/data"), PathBuf::from)
}

fn unpack(platform: Platform) -> Vec<TestKernel> {
    let device = platform.with_kernels();
    let path = archives().join(format!("{device}.tar.zst"));
    let mut files = read_archive(&path);
    let stems: Vec<String> =
        files.keys().filter_map(|name| name.strip_suffix(".dat")).map(str::to_owned).collect();
    stems
        .iter()
        .map(|stem| {
            let mut take = |extension: &str| {
                files
                    .remove(&format!("{stem}.{extension}"))
                    .unwrap_or_else(|| panic!("{}: {stem} has no .{extension}", path.display()))
            };
            let dat = take("dat");
            let (visaasm, asm) = (text(take("visaasm")), text(take("asm")));
            let whole = files.remove(&format!("{stem}.v36.isa"));
            let functions =
                (0..).map_while(|k| files.remove(&format!("{stem}.f{k}.visaasm")).map(text)).collect();
            let (directory, file) = stem.rsplit_once('/').expect("source/variant/kernel");
            let (source, variant) = directory.split_once('/').expect("source/variant/kernel");
            let (name, simd) = file.rsplit_once(".simd").expect("kernel.simdN");
            let isa = files
                .get(&format!("{stem}.isa"))
                .or_else(|| files.get(&format!("{directory}/module.isa")))
                .unwrap_or_else(|| panic!("{}: {stem} has no .isa", path.display()))
                .clone();
            let ze_info = files.get(&format!("{directory}/ze_info")).cloned().map(text).unwrap_or_default();
            let zebin = files.get(&format!("{directory}/zebin")).cloned();
            TestKernel {
                platform,
                source: source.to_owned(),
                variant: variant.to_owned(),
                name: name.to_owned(),
                simd: simd.parse().expect("a SIMD size"),
                isa,
                whole,
                visaasm,
                functions,
                dat,
                asm,
                ze_info,
                zebin,
            }
        })
        .collect()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn read_archive(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let stream = ruzstd::decoding::StreamingDecoder::new(BufReader::new(file))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut archive = tar::Archive::new(stream);
    let mut files = BTreeMap::new();
    for entry in archive.entries().expect("a tar archive") {
        let mut entry = entry.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = entry.path().expect("a member name").to_string_lossy().into_owned();
        let mut contents = Vec::new();
        entry.read_to_end(&mut contents).unwrap_or_else(|e| panic!("{}: {name}: {e}", path.display()));
        files.insert(name, contents);
    }
    files
}

/// The "kernel" that holds the functions which a program calls indirectly.
pub const SYMBOL_TABLE: &str = "Intel_Symbol_Table_Void_Program";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_complete_kernels() {
        for platform in Platform::ALL {
            let kernels = kernels(platform);
            assert!(kernels.len() >= 80, "{platform}: {} kernels", kernels.len());
            for k in kernels {
                let id = k.id();
                assert!(k.isa.starts_with(b"CISA"), "{platform} {id}: no vISA object");
                assert!(k.visaasm.contains(".kernel"), "{platform} {id}: no vISA assembly");
                assert!(!k.dat.is_empty() && k.dat.len() % 8 == 0, "{platform} {id}: no machine code");
                assert!(k.asm.contains(&format!("//.kernel {}", k.name)), "{platform} {id}: no listing");
                if k.name != SYMBOL_TABLE {
                    assert!(k.ze_info.contains(&k.name), "{platform} {id}: not in .ze_info");
                }
            }
            assert!(kernels.windows(2).all(|w| w[0].id() < w[1].id()), "{platform}: not sorted");
        }
    }

    #[test]
    fn every_source_is_compiled_or_rejected() {
        let rejected = std::fs::read_to_string(workspace().join("tests/data/rejected.txt")).unwrap();
        let sources = workspace().join("tests/kernels").read_dir().unwrap();
        for path in sources.map(|e| e.unwrap().path()) {
            if !path.extension().is_some_and(|e| e == "cl" || e == "ll") {
                continue;
            }
            let source = path.file_name().unwrap().to_str().unwrap();
            for platform in devices() {
                let compiled = kernels(platform).iter().any(|k| k.source == source);
                let refused = rejected.contains(&format!("{platform} {source} "));
                assert!(compiled || refused, "{platform}: run tests/kernels/compile again for {source}");
            }
        }
    }
}

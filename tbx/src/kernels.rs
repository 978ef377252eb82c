//! Which kernel the code at an address is.
//!
//! The driver puts code into memory and says nothing of names. The finalizer's library, which sees every program that is
//! built, keeps each in a directory (`VISA_FINALIZE_NEO_KEEP`); code is looked up there by its bytes, but for those that
//! the driver fills in. Kernels that no program has are the driver's own: it fills and copies buffers with them.

use narrow::{as_index, to_i64, to_u64};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use emulator::{Learned, Program};
use finalizer::{Finalizer, Grf, Options, PAYLOAD_OFFSET};
use gen_ir::{Payload, Target};
use platforms::Platform;
use rustc_hash::FxHashMap;
use visa::text::TextOptions;
use zebin::Unit;

use crate::{
    Error,
    memory::{PAGE, World, split},
    pages::Space,
};

/// The longest code that is looked at where nothing says how long it is.
const MOST_CODE: usize = 1 << 20;
/// The largest file that counts as a program, and the most programs.
const MOST_FILE: u64 = 1 << 28;
const MOST_FILES: usize = 1 << 14;

/// A kernel's code, ready to run.
#[derive(Debug)]
pub struct Kernel {
    /// Its name; none if it is of no program that was built.
    pub name: Option<String>,
    /// Where the code is.
    pub address: u64,
    /// The code.
    pub code: Vec<u8>,
    /// The code, decoded.
    pub program: Program,
    /// Scratch memory that the program says a thread needs.
    pub scratch: u32,
    /// Bytes of the kernel before its code here: launches may enter behind its first instructions.
    pub skip: u32,
    /// What its runs have learned of it.
    pub learned: Mutex<Vec<Learned>>,
    /// The program it is of, and which of its kernels.
    known: Option<(Arc<Vec<u8>>, usize)>,
    registers: u32,
}

/// A kernel of a program that was built.
struct Known {
    file: Arc<Vec<u8>>,
    index: usize,
    name: String,
    unit: Unit,
    scratch: u32,
    skip: u32,
    /// General registers of a thread, 0 where the program does not say.
    registers: u32,
}

/// All kernels known.
pub struct Kernels {
    platform: Platform,
    directory: Option<PathBuf>,
    files: BTreeSet<PathBuf>,
    known: Vec<Known>,
    cache: FxHashMap<u64, Arc<Kernel>>,
}

impl Kernels {
    /// Kernels of a platform, and where built programs are kept.
    pub fn new(platform: Platform, directory: Option<PathBuf>) -> Kernels {
        Kernels {
            platform,
            directory,
            files: BTreeSet::new(),
            known: Vec::new(),
            cache: FxHashMap::default(),
        }
    }

    /// Whose code it is.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The kernel at an address.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there.
    pub fn at(&mut self, world: &World, space: Space, address: u64) -> Result<Arc<Kernel>, Error> {
        if let Some(kernel) = self.cache.get(&address)
            && space.bytes(world, address, kernel.code.len()).is_ok_and(|code| code == kernel.code)
        {
            return Ok(kernel.clone());
        }
        self.look_for_programs();
        let known = self.known.iter().rev().find_map(|k| k.found(world, space, address));
        let (code, skip, known) = match known {
            Some((code, skip, known)) => (code, skip, Some(known)),
            None => (raw(self.platform, world, space, address)?, 0, None),
        };
        let program = match known.map_or(0, |k| k.registers) {
            0 => Program::load(self.platform, &code),
            registers => Program::load_with(self.platform, &code, registers),
        };
        let program = program.map_err(|e| Error::command(address, format!("the kernel's code: {e}")))?;
        let kernel = Arc::new(Kernel {
            name: known.map(|k| k.name.clone()),
            address,
            program,
            scratch: known.map_or(0, |k| k.scratch),
            skip,
            code,
            learned: Mutex::default(),
            known: known.map(|k| (k.file.clone(), k.index)),
            registers: known.map_or(0, |k| k.registers),
        });
        // A driver has a few thousand; who sends more has them decoded again.
        if self.cache.len() >= 1 << 12 {
            self.cache.clear();
        }
        self.cache.insert(address, kernel.clone());
        Ok(kernel)
    }

    fn look_for_programs(&mut self) {
        let Some(directory) = &self.directory else { return };
        let files = fs::read_dir(directory).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()));
        let mut new: Vec<PathBuf> = files
            .filter(|p| p.extension().is_some_and(|e| e == "bin") && !self.files.contains(p))
            .take(MOST_FILES.saturating_sub(self.files.len()))
            .collect();
        new.sort();
        for path in new {
            self.known.extend(programs(&path));
            self.files.insert(path);
        }
    }
}

/// The kernels of a file; none if it is no program.
fn programs(path: &Path) -> Vec<Known> {
    if fs::metadata(path).map_or(0, |m| m.len()) > MOST_FILE {
        return Vec::new();
    }
    let Ok(bytes) = fs::read(path) else { return Vec::new() };
    let Ok(program) = zebin::Program::read(&bytes) else { return Vec::new() };
    let file = Arc::new(bytes);
    let ze_info = &program.ze_info;
    let units = program.units.into_iter().enumerate().map(|(index, (name, unit))| {
        let info = zebin::info::find(ze_info, &name).ok();
        let said = info.map(|i| (i.scratch, i.skip_per_thread_load, i.grf_count));
        let (scratch, skip, registers) = said.unwrap_or_default();
        Known { file: file.clone(), index, name, unit, scratch, skip, registers }
    });
    units.collect()
}

impl Known {
    /// The code as it is in memory, if it is this kernel's: at its start, or where a launch may enter.
    fn found(&self, world: &World, space: Space, address: u64) -> Option<(Vec<u8>, u32, &Known)> {
        let mut skips = vec![0];
        skips.extend((self.skip != 0).then_some(self.skip));
        skips.into_iter().find_map(|skip| {
            let code = self.unit.code.get(as_index(skip)..).filter(|code| !code.is_empty())?;
            // The head first: most kernels differ there.
            let head = code.len().min(64);
            let mut found = space.bytes(world, address, head).ok()?;
            if !self.same(&found, skip) {
                return None;
            }
            found.extend(space.bytes(world, address + to_u64(head), code.len() - head).ok()?);
            self.same(&found, skip).then_some((found, skip, self))
        })
    }

    /// Whether these bytes are the code from `skip` on, but for what a driver fills in.
    fn same(&self, found: &[u8], skip: u32) -> bool {
        let mut filled = found.to_vec();
        for r in &self.unit.relocations {
            let from = as_index(r.offset);
            for at in from..from + r.part.bytes() {
                let Some(here) = at.checked_sub(as_index(skip)) else { continue };
                if let (Some(to), Some(original)) = (filled.get_mut(here), self.unit.code.get(at)) {
                    *to = *original;
                }
            }
        }
        self.unit.code.get(as_index(skip)..).is_some_and(|code| code.starts_with(&filled))
    }
}

/// Code that nobody tells the length of: up to the first end of a thread that no branch goes past.
fn raw(platform: Platform, world: &World, space: Space, address: u64) -> Result<Vec<u8>, Error> {
    let mut code = Vec::new();
    loop {
        let here = address + to_u64(code.len());
        let page = space.bytes(world, here, PAGE - split(here).1);
        match page {
            Ok(page) => code.extend(page),
            Err(why) if code.is_empty() => return Err(why),
            Err(_) => return Ok(code),
        }
        if let Some(end) = end_of(platform, &code) {
            code.truncate(end);
            return Ok(code);
        }
        if code.len() > MOST_CODE {
            return Ok(code);
        }
    }
}

fn end_of(platform: Platform, code: &[u8]) -> Option<usize> {
    let mut furthest = 0;
    for decoded in encoder::decode_all(platform, code) {
        let Ok(inst) = decoded.inst else { continue };
        let end = as_index(decoded.offset) + usize::from(decoded.len);
        if let Payload::Branch { jip, uip, .. } = inst.payload {
            for target in [jip, uip] {
                if let Target::Rel(by) = target {
                    furthest = furthest.max(i64::from(decoded.offset) + i64::from(by));
                }
            }
        }
        if inst.send().is_some_and(|s| s.eot) && to_i64(end) > furthest {
            return (end <= code.len()).then_some(end);
        }
    }
    None
}

impl Kernel {
    /// The vISA instructions that the instructions at byte offsets of the code are for, as text; none if the code is not
    /// this finalizer's.
    pub fn visa(&self, offsets: &[u32]) -> Vec<Option<String>> {
        self.visa_of(offsets).unwrap_or_else(|| vec![None; offsets.len()])
    }

    fn visa_of(&self, offsets: &[u32]) -> Option<Vec<Option<String>>> {
        let (file, index) = self.known.as_ref()?;
        let platform = self.program.platform();
        let texts = rewriter::visa_of(file).ok()?.into_iter().nth(*index)?.texts;
        let mut texts = texts.iter().map(|t| finalizer::read_text(t, platform));
        let mut module = texts.next()?.ok()?;
        for function in texts {
            module.link(function.ok()?);
        }
        let unit = zebin::Program::read(file).ok()?.units.into_iter().nth(*index)?.1;
        let mut finalizer = Finalizer::new(Options { origins: true, ..Options::new(platform) });
        let options = finalizer.options_mut();
        options.relocate_payload = unit.relocations.iter().any(|r| r.symbol == PAYLOAD_OFFSET);
        if let Ok(registers @ 1..) = u16::try_from(self.registers) {
            options.grf = Grf::Count(registers);
        }
        let binary = finalizer.finalize_kernel(&module, 0).ok()?;
        // Padding follows the code in a program.
        if binary.code.is_empty() || !unit.code.starts_with(&binary.code) {
            return None;
        }
        let options =
            TextOptions { grf_bytes: platform.caps().regs.grf_bytes.into(), ..TextOptions::default() };
        let decoded: Vec<u32> = encoder::decode_all(platform, &binary.code).map(|d| d.offset).collect();
        let text = |offset: &u32| {
            let origin = binary.origins.get(decoded.binary_search(&(offset + self.skip)).ok()?)?;
            let routine = match origin.function {
                Some(n) => module.functions.get(as_index(n))?,
                None => module.kernels.first()?,
            };
            let ending = format!(" /// ${}", origin.instruction?);
            let text = visa::text::print_kernel(&module, routine, options);
            let line = text.lines().find_map(|l| l.strip_suffix(&ending))?;
            Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        Some(offsets.iter().map(text).collect())
    }
}

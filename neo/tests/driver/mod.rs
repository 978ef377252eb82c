//! Plays the runtime: loads the library and calls it through tables, as a driver does.
#![allow(unsafe_code)]

use std::{
    ffi::c_void,
    path::{Path, PathBuf},
    ptr::null_mut,
};

type Object = *mut c_void;

const DEVICE: u64 = 0x0154_83da_c4ed_88c8;
const PROGRAM: u64 = 0xffb5_01db_486d_ac4e;
const SPIRV: u64 = 0x1fff_ffff_fff5_8a1f;

/// A context's functions that compile: their slots, and the version of the class that has each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Plain,
    Tools,
    Special,
    /// With a hash, 0x2a.
    Named,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Plain, Way::Tools, Way::Special, Way::Named];

    fn version(self) -> u64 {
        match self {
            Way::Plain => 1,
            Way::Tools => 2,
            Way::Special => 3,
            Way::Named => 4,
        }
    }
}

/// What a build gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    pub ok: bool,
    pub log: String,
    pub program: Vec<u8>,
}

/// The function in a slot of an object's table.
unsafe fn function<F: Copy>(object: Object, slot: usize) -> F {
    unsafe { (*object.cast::<*const F>()).add(slot).read() }
}

unsafe fn release(object: Object) {
    unsafe { function::<unsafe extern "C" fn(Object)>(object, 0)(object) }
}

/// A buffer of the runtime's.
#[repr(C)]
struct Buffer {
    table: *const *const (),
    bytes: *const u8,
    size: usize,
}

unsafe extern "C" fn memory(buffer: *const Buffer) -> *const u8 {
    unsafe { (*buffer).bytes }
}

unsafe extern "C" fn size(buffer: *const Buffer) -> usize {
    unsafe { (*buffer).size }
}

unsafe fn contents(buffer: Object) -> Vec<u8> {
    unsafe {
        let memory: unsafe extern "C" fn(Object) -> *const u8 = function(buffer, 15);
        let size: unsafe extern "C" fn(Object) -> usize = function(buffer, 17);
        std::slice::from_raw_parts(memory(buffer), size(buffer)).to_vec()
    }
}

/// The library, loaded.
pub struct Library(libloading::Library);

/// A file that cargo built beside this test.
pub fn built(name: &str) -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let directory = program.parent().unwrap();
    let places = [directory.join(name), directory.parent().unwrap().join("examples").join(name)];
    places.into_iter().find(|p| p.exists()).unwrap_or_else(|| panic!("cargo has not built {name}"))
}

/// A compiled program of the tests of `rewriter`.
pub fn program(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rewriter/tests/data/");
    std::fs::read(format!("{path}{name}.bin")).unwrap()
}

/// A program whose vISA names an instruction that nobody knows.
pub fn refused() -> Vec<u8> {
    let mut bytes = program("implicit_2435_skl");
    let (known, unknown) = (b"fcall (M1, 8)", b"fcaII (M1, 8)");
    while let Some(at) = bytes.windows(known.len()).position(|w| w == known) {
        bytes[at..at + unknown.len()].copy_from_slice(unknown);
    }
    bytes
}

impl Library {
    pub fn load(path: &Path) -> Library {
        Library(unsafe { libloading::Library::new(path) }.unwrap())
    }

    fn main(&self) -> Object {
        let create = unsafe { self.0.get::<unsafe extern "C" fn() -> Object>(b"CIFCreateMain\0") };
        let main = unsafe { create.unwrap()() };
        assert!(!main.is_null());
        main
    }

    /// One build, as a compiler is asked.
    pub fn build(&self, program: &[u8], internal_options: &str) -> Built {
        self.build_by(Way::Tools, 3, program, internal_options)
    }

    /// One build by a function of a context of a version that has it, or of a later one.
    pub fn build_by(&self, way: Way, version: u64, program: &[u8], internal_options: &str) -> Built {
        assert!(version >= way.version());
        self.translate((way, version), SPIRV, program, internal_options)
    }

    /// One build, as the finalizer's slot is asked.
    pub fn finalize(&self, program: &[u8], internal_options: &str) -> Built {
        self.translate((Way::Tools, 3), PROGRAM, program, internal_options)
    }

    /// A program from one kind of code, with every object that a runtime makes for it.
    fn translate(&self, by: (Way, u64), from: u64, program: &[u8], internal_options: &str) -> Built {
        let main = self.main();
        type Make = unsafe extern "C" fn(Object, u64, u64) -> Object;
        type Context = unsafe extern "C" fn(Object, u64, u64, u64) -> Object;
        type Part = unsafe extern "C" fn(Object, u64) -> Object;
        unsafe {
            let incompatible: unsafe extern "C" fn(Object, u64, Object) -> u64 = function(main, 10);
            assert_eq!(incompatible(main, DEVICE, null_mut()), u64::MAX);
            let (mut least, mut most) = (0u64, 0u64);
            let versions: unsafe extern "C" fn(Object, u64, *mut u64, *mut u64) -> bool = function(main, 5);
            assert!(versions(main, DEVICE, &mut least, &mut most) && least <= 3 && most >= 3);
            let device = function::<Make>(main, 8)(main, DEVICE, 3);
            function::<unsafe extern "C" fn(Object, f32)>(device, 11)(device, 83.3);
            for slot in 12..15 {
                let part = function::<Part>(device, slot)(device, 2);
                function::<unsafe extern "C" fn(Object)>(part, 1)(part);
                function::<unsafe extern "C" fn(Object, u64)>(part, 12)(part, 18);
                release(part);
            }
            let context = function::<Context>(device, 15)(device, by.1, from, PROGRAM);
            assert!(!context.is_null());
            let mut table = [std::ptr::null::<()>(); 26];
            table[15] = memory as *const ();
            table[17] = size as *const ();
            let buffer = |b: &[u8]| Buffer { table: table.as_ptr(), bytes: b.as_ptr(), size: b.len() };
            let mut buffers =
                [buffer(program), buffer(b"-cl-std=CL3.0"), buffer(internal_options.as_bytes())];
            let [source, options, internal] = buffers.each_mut().map(|b| (b as *mut Buffer).cast());
            let output = call(by.0, context, [source, options, internal]);
            let ok = function::<unsafe extern "C" fn(Object) -> bool>(output, 11)(output);
            assert_eq!(function::<unsafe extern "C" fn(Object) -> u64>(output, 13)(output), PROGRAM);
            let [log, program, debug] =
                [14, 15, 16].map(|slot| contents(function::<Part>(output, slot)(output, 1)));
            assert!(debug.is_empty());
            [output, context, device, main].into_iter().for_each(|object| release(object));
            let log = String::from_utf8(log).unwrap().trim_end_matches('\0').to_owned();
            Built { ok, log, program }
        }
    }
}

/// Calls one of a context's functions that compile.
unsafe fn call(way: Way, context: Object, [source, options, internal]: [Object; 3]) -> Object {
    type Plain = unsafe extern "C" fn(Object, u64, Object, Object, Object, Object, u32) -> Object;
    type Tools = unsafe extern "C" fn(Object, u64, Object, Object, Object, Object, u32, Object) -> Object;
    type Special = unsafe extern "C" fn(
        Object,
        u64,
        Object,
        Object,
        Object,
        Object,
        Object,
        Object,
        u32,
        Object,
    ) -> Object;
    type Named = unsafe extern "C" fn(
        Object,
        u64,
        Object,
        Object,
        Object,
        Object,
        Object,
        Object,
        u32,
        Object,
        u64,
    ) -> Object;
    let none: Object = null_mut();
    unsafe {
        match way {
            Way::Plain => function::<Plain>(context, 11)(context, 1, source, options, internal, none, 0),
            Way::Tools => {
                function::<Tools>(context, 12)(context, 1, source, options, internal, none, 0, none)
            }
            Way::Special => {
                let special = function::<Special>(context, 14);
                special(context, 1, source, none, none, options, internal, none, 0, none)
            }
            Way::Named => {
                let named = function::<Named>(context, 15);
                named(context, 1, source, none, none, options, internal, none, 0, none, 0x2a)
            }
        }
    }
}

/// Bytes of memory of this process, where the system tells.
pub fn memory_of_process() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

/// Builds in several threads, twice over: the second half takes no more memory, and all give the same.
pub fn build_many(library: &Library, program: &[u8], expected: &Built) {
    let some = |builds: usize| {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..builds / 8 {
                        assert!(library.build(program, "") == *expected);
                    }
                });
            }
        });
        memory_of_process()
    };
    let (first, second) = (some(504), some(504));
    if let (Some(first), Some(second)) = (first, second) {
        let grown = second.saturating_sub(first);
        // A program is 28,000 bytes: a leak of one a build would be 14 million.
        assert!(grown < 4_000_000, "{grown} bytes more after 504 builds");
    }
}

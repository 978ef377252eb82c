//! A compiler for tests, with the interface of Intel's: its programs are what it is given to compile.
#![allow(unsafe_code)]

use std::{
    ptr::null_mut,
    sync::atomic::{AtomicU32, Ordering},
};

const DEVICE: u64 = 0x0154_83da_c4ed_88c8;
const PROGRAM: u64 = 0xffb5_01db_486d_ac4e;
const SLOTS: usize = 32;
type Slot = *const ();

#[repr(C)]
struct Object {
    table: *const Slot,
    references: AtomicU32,
    bytes: Vec<u8>,
    parts: [*mut Object; 3],
}

#[repr(C)]
struct Table {
    before: [Slot; 2],
    slots: [Slot; SLOTS],
}

// SAFETY: tables never change.
unsafe impl Sync for Table {}

const fn table<const N: usize>(own: [(usize, Slot); N]) -> Table {
    let mut slots = [any as Slot; SLOTS];
    slots[0] = release as Slot;
    slots[1] = retain as Slot;
    let mut i = 0;
    while i < N {
        slots[own[i].0] = own[i].1;
        i += 1;
    }
    Table { before: [std::ptr::null(); 2], slots }
}

static MAIN: Table = table([(5, versions as Slot), (8, create as Slot), (10, incompatible as Slot)]);
static DEVICE_TABLE: Table =
    table([(12, part as Slot), (13, part as Slot), (14, part as Slot), (15, context as Slot)]);
static CONTEXT: Table = table([
    (11, translate as Slot),
    (12, translate as Slot),
    (14, translate as Slot),
    (15, translate_named as Slot),
]);
static OUTPUT: Table = table([
    (11, successful as Slot),
    (13, kind as Slot),
    (14, log as Slot),
    (15, part as Slot),
    (16, debug as Slot),
]);
static BUFFER: Table =
    table([(15, memory as Slot), (17, size as Slot), (21, clear as Slot), (24, append as Slot)]);

fn make(table: &'static Table, bytes: &[u8], parts: [*mut Object; 3]) -> *mut Object {
    let (table, references) = (table.slots.as_ptr(), AtomicU32::new(1));
    Box::into_raw(Box::new(Object { table, references, bytes: bytes.to_vec(), parts }))
}

extern "C" fn any() -> usize {
    0
}

unsafe extern "C" fn release(object: *mut Object) {
    unsafe {
        if (*object).references.fetch_sub(1, Ordering::AcqRel) == 1 {
            let object = Box::from_raw(object);
            object.parts.into_iter().filter(|p| !p.is_null()).for_each(|part| release(part));
        }
    }
}

unsafe extern "C" fn retain(object: *mut Object) {
    unsafe { (*object).references.fetch_add(1, Ordering::Relaxed) };
}

unsafe extern "C" fn versions(_: *mut Object, class: u64, least: *mut u64, most: *mut u64) -> bool {
    unsafe {
        least.write(1);
        most.write(3);
    }
    class == DEVICE
}

extern "C" fn incompatible() -> u64 {
    u64::MAX
}

extern "C" fn create(_: *mut Object, _: u64, _: u64) -> *mut Object {
    make(&DEVICE_TABLE, b"", [make(&BUFFER, b"", [null_mut(); 3]), null_mut(), null_mut()])
}

/// Nothing is compiled to what it is already: there is no context for that.
extern "C" fn context(_: *mut Object, _: u64, from: u64, to: u64) -> *mut Object {
    if from == to { null_mut() } else { make(&CONTEXT, b"", [null_mut(); 3]) }
}

/// The source is where all of them have it.
unsafe extern "C" fn translate(_: *mut Object, _: u64, source: *mut Object) -> *mut Object {
    unsafe { translated(source, b"compiled\0") }
}

unsafe extern "C" fn translate_named(
    _: *mut Object,
    _: u64,
    source: *mut Object,
    _constants: *mut Object,
    _values: *mut Object,
    _options: *mut Object,
    _internal: *mut Object,
    _tracing: *mut Object,
    _traces: u32,
    _tools: *mut Object,
    hash: u64,
) -> *mut Object {
    unsafe { translated(source, format!("compiled {hash:x}\0").as_bytes()) }
}

unsafe fn translated(source: *mut Object, log: &[u8]) -> *mut Object {
    unsafe {
        let table = (*source).table;
        let memory: unsafe extern "C" fn(*mut Object) -> *const u8 =
            table.add(15).cast::<unsafe extern "C" fn(*mut Object) -> *const u8>().read();
        let size = table.add(17).cast::<unsafe extern "C" fn(*mut Object) -> usize>().read();
        let program = std::slice::from_raw_parts(memory(source), size(source));
        let buffer = |bytes| make(&BUFFER, bytes, [null_mut(); 3]);
        make(&OUTPUT, b"", [buffer(program), buffer(log), buffer(b"")])
    }
}

unsafe extern "C" fn part(object: *mut Object) -> *mut Object {
    unsafe { (*object).parts[0] }
}

unsafe extern "C" fn log(object: *mut Object) -> *mut Object {
    unsafe { (*object).parts[1] }
}

unsafe extern "C" fn debug(object: *mut Object) -> *mut Object {
    unsafe { (*object).parts[2] }
}

extern "C" fn successful() -> bool {
    true
}

extern "C" fn kind() -> u64 {
    PROGRAM
}

unsafe extern "C" fn memory(buffer: *mut Object) -> *const u8 {
    unsafe { (*buffer).bytes.as_ptr() }
}

unsafe extern "C" fn size(buffer: *mut Object) -> usize {
    unsafe { (*buffer).bytes.len() }
}

unsafe extern "C" fn clear(buffer: *mut Object) {
    unsafe { (*buffer).bytes.clear() }
}

unsafe extern "C" fn append(buffer: *mut Object, bytes: *const u8, size: usize) -> bool {
    unsafe { (*buffer).bytes.extend_from_slice(std::slice::from_raw_parts(bytes, size)) };
    true
}

/// The object that a runtime asks everything of.
#[unsafe(no_mangle)]
pub extern "C" fn CIFCreateMain() -> *mut std::ffi::c_void {
    make(&MAIN, b"", [null_mut(); 3]).cast()
}

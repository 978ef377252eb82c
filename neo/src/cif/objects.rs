//! Our objects: what the runtime finds in the finalizer's slot.

use std::{
    ffi::{c_char, c_void},
    ptr::null_mut,
    sync::atomic::{AtomicU32, Ordering},
};

use boundary::{guard, pointers};

use super::abi::{
    Object, Slot, Translate, TranslateForTools, TranslateNamed, TranslateSpecial, bytes, id, number,
};
use crate::{Outcome, Settings, work};

/// More slots than any class has.
const SLOTS: usize = 80;
/// What the runtime makes its cache's keys of.
const REVISION: &std::ffi::CStr = c"visa-finalize 0.1.0";
/// Versions of the device's class that these objects serve: later ones only add.
const VERSIONS: (u64, u64) = (1, 3);

#[repr(C)]
struct Table {
    /// Offset to the whole object, and type information.
    before: [usize; 2],
    slots: [Slot; SLOTS],
}

// SAFETY: a table never changes; the functions that it points to may be called from any thread.
unsafe impl Sync for Table {}

#[repr(C)]
struct Ours {
    object: Object,
    references: AtomicU32,
    contents: Contents,
}

/// What an object has beside its functions.
struct Contents {
    /// Of a device, of an output.
    parts: [*mut Object; 3],
    /// Of a buffer, with the zero behind them.
    bytes: Vec<u8>,
    /// Of an output: the translation is there.
    ok: bool,
}

impl Contents {
    const NONE: Contents = Contents { parts: [null_mut(); 3], bytes: Vec::new(), ok: false };
}

fn make(table: &'static Table, contents: Contents) -> *mut Object {
    let object = Object { table: table.slots.as_ptr() };
    Box::into_raw(Box::new(Ours { object, references: AtomicU32::new(1), contents })).cast()
}

/// The main object.
pub fn main() -> *mut Object {
    make(&MAIN, Contents::NONE)
}

fn device() -> *mut Object {
    let parts = [0; 3].map(|_| make(&PLAIN, Contents::NONE));
    make(&DEVICE, Contents { parts, ..Contents::NONE })
}

/// A buffer that holds these bytes for good. A zero is behind them: compilers take options for texts that end so.
pub fn buffer(mut bytes: Vec<u8>) -> *mut Object {
    bytes.push(0);
    make(&BUFFER, Contents { bytes, ..Contents::NONE })
}

/// The result of a translation.
pub fn output(outcome: Outcome) -> *mut Object {
    let parts =
        [buffer(outcome.log.into_bytes()), buffer(outcome.program.unwrap_or_default()), buffer(Vec::new())];
    make(&OUTPUT, Contents { parts, ok: outcome.ok, ..Contents::NONE })
}

/// Our object behind a pointer.
///
/// # Safety
///
/// The pointer is from [`make`], and the caller holds a reference during `'a`.
unsafe fn ours<'a>(object: *const Object) -> &'a Ours {
    // SAFETY: `make` gave a whole `Ours` away, which lives as long as there are references; it is not changed but
    // for the count, which is atomic.
    unsafe { &*object.cast::<Ours>() }
}

const fn table<const N: usize>(own: [(usize, Slot); N]) -> Table {
    let mut slots = [any as Slot; SLOTS];
    slots[0] = release as Slot;
    slots[1] = retain as Slot;
    slots[2] = count as Slot;
    slots[3] = version as Slot;
    slots[4] = version as Slot;
    let mut i = 0;
    while i < N {
        slots[own[i].0] = own[i].1;
        i += 1;
    }
    Table { before: [0; 2], slots }
}

static MAIN: Table =
    table([(5, versions as Slot), (8, create as Slot), (9, version as Slot), (10, incompatible as Slot)]);
static DEVICE: Table = table([
    (12, part::<0> as Slot),
    (13, part::<1> as Slot),
    (14, part::<2> as Slot),
    (15, context as Slot),
    (17, revision as Slot),
]);
static CONTEXT: Table = table([
    (number::TRANSLATE, translate as Translate as Slot),
    (number::TRANSLATE_FOR_TOOLS, translate_for_tools as TranslateForTools as Slot),
    (number::TRANSLATE_SPECIAL, translate_special as TranslateSpecial as Slot),
    (number::TRANSLATE_NAMED, translate_named as TranslateNamed as Slot),
]);
static OUTPUT: Table = table([
    (11, successful as Slot),
    (13, program_type as Slot),
    (14, part::<0> as Slot),
    (15, part::<1> as Slot),
    (16, part::<2> as Slot),
]);
static BUFFER: Table =
    table([(15, memory as Slot), (16, memory as Slot), (17, size as Slot), (18, size as Slot)]);
/// Platform, system, features: setters, which nothing here needs.
static PLAIN: Table = table([]);

/// Any function that need not do anything.
pub(super) extern "C" fn any() -> usize {
    0
}

// In all functions below, `object` is one of ours that the caller holds: they stand in tables of ours only.

unsafe extern "C" fn release(object: *mut Object) {
    // SAFETY: as said above.
    if unsafe { ours(object) }.references.fetch_sub(1, Ordering::AcqRel) != 1 {
        return;
    }
    // SAFETY: this was the last reference; `make` gave the box away, and nobody else can take it back.
    let this = unsafe { Box::from_raw(object.cast::<Ours>()) };
    for part in this.contents.parts.into_iter().filter(|p| !p.is_null()) {
        // SAFETY: parts are ours, and the whole held a reference to each.
        unsafe { release(part) };
    }
}

unsafe extern "C" fn retain(object: *mut Object) {
    // SAFETY: as said above.
    unsafe { ours(object) }.references.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn count(object: *const Object) -> u32 {
    // SAFETY: as said above.
    unsafe { ours(object) }.references.load(Ordering::Relaxed)
}

extern "C" fn version(_: *const Object) -> u64 {
    1
}

unsafe extern "C" fn versions(_: *const Object, class: u64, least: *mut u64, most: *mut u64) -> bool {
    // SAFETY: the caller hands over room for two numbers, or null.
    class == id::DEVICE && unsafe { pointers::put(least, VERSIONS.0) && pointers::put(most, VERSIONS.1) }
}

extern "C" fn create(_: *mut Object, class: u64, _version: u64) -> *mut Object {
    let made = guard(|| if class == id::DEVICE { device() } else { null_mut() });
    made.unwrap_or(null_mut())
}

/// No interface is incompatible.
extern "C" fn incompatible(_: *const Object, _class: u64, _tree: *const c_void) -> u64 {
    u64::MAX
}

/// A part, which the caller retains if it keeps it.
unsafe extern "C" fn part<const N: usize>(object: *const Object, _version: u64) -> *mut Object {
    // SAFETY: as said above.
    unsafe { ours(object) }.contents.parts[N]
}

/// The context of the slot, for any device.
pub(super) extern "C" fn context(_: *mut Object, _version: u64, _from: u64, _to: u64) -> *mut Object {
    guard(|| make(&CONTEXT, Contents::NONE)).unwrap_or(null_mut())
}

extern "C" fn revision(_: *const Object) -> *const c_char {
    REVISION.as_ptr()
}

/// The slot's work. Source and options are the caller's buffers.
unsafe extern "C" fn translate(
    _: *mut Object,
    _version: u64,
    source: *mut Object,
    _options: *mut Object,
    internal_options: *mut Object,
    _tracing: *const c_void,
    _traces: u32,
) -> *mut Object {
    // SAFETY: the caller holds its buffers during the call and does not change them.
    let (source, options) = unsafe { (bytes(source), bytes(internal_options)) };
    let made = guard(|| {
        let mut outcome = work::finalize(source, &Settings::of_build(options));
        outcome.program.get_or_insert_with(|| source.to_vec());
        output(outcome)
    });
    made.unwrap_or(null_mut())
}

unsafe extern "C" fn translate_for_tools(
    object: *mut Object,
    version: u64,
    source: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    _tools: *mut c_void,
) -> *mut Object {
    // SAFETY: the same arguments.
    unsafe { translate(object, version, source, options, internal_options, tracing, traces) }
}

/// Finalized code has no specialization constants any more.
unsafe extern "C" fn translate_special(
    object: *mut Object,
    version: u64,
    source: *mut Object,
    _constants: *mut Object,
    _values: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    _tools: *mut c_void,
) -> *mut Object {
    // SAFETY: the same arguments.
    unsafe { translate(object, version, source, options, internal_options, tracing, traces) }
}

unsafe extern "C" fn translate_named(
    object: *mut Object,
    version: u64,
    source: *mut Object,
    _constants: *mut Object,
    _values: *mut Object,
    options: *mut Object,
    internal_options: *mut Object,
    tracing: *const c_void,
    traces: u32,
    _tools: *mut c_void,
    _hash: u64,
) -> *mut Object {
    // SAFETY: the same arguments.
    unsafe { translate(object, version, source, options, internal_options, tracing, traces) }
}

unsafe extern "C" fn successful(object: *const Object) -> bool {
    // SAFETY: as said above.
    unsafe { ours(object) }.contents.ok
}

extern "C" fn program_type(_: *const Object) -> u64 {
    id::PROGRAM
}

unsafe extern "C" fn memory(object: *const Object) -> *const u8 {
    // SAFETY: as said above.
    unsafe { ours(object) }.contents.bytes.as_ptr()
}

unsafe extern "C" fn size(object: *const Object) -> usize {
    // SAFETY: as said above.
    unsafe { ours(object) }.contents.bytes.len() - 1
}

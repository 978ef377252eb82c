//! In front of the compiler: its objects stay, with tables in which a few functions are ours.

use std::{
    ffi::c_void,
    mem::offset_of,
    path::Path,
    ptr::{addr_of, null_mut},
    sync::{Mutex, OnceLock, PoisonError},
};

use boundary::guard;

use super::{
    abi::{
        Object, Slot, Translate, TranslateForTools, TranslateNamed, TranslateSpecial, bytes, function, id,
        number,
    },
    objects,
};
use crate::{Mode, Outcome, Settings, work};

/// More slots than a class has whose table is replaced.
const SLOTS: usize = 24;

/// Classes whose tables are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Main,
    Device,
    Context,
}

impl Class {
    /// How many slots a version of the class has; `None` for versions that nobody has seen.
    fn slots(self, version: u64) -> Option<usize> {
        let counts: &[usize] = match self {
            Class::Main => &[12],
            Class::Device => &[16, 17, 18, 19, 20, 21],
            Class::Context => &[12, 13, 15, 16],
        };
        counts.get(usize::try_from(version).ok()?.checked_sub(1)?).copied()
    }

    /// Our functions, by slot.
    fn ours(self) -> &'static [(usize, Slot)] {
        // Constants of function pointers are not `Sync`; as functions' results they need not be.
        match self {
            Class::Main => const { &[(number::CREATE, create as Slot)] },
            Class::Device => const { &[(number::CONTEXT, context as Slot)] },
            Class::Context => {
                const {
                    &[
                        (number::TRANSLATE, translate as Translate as Slot),
                        (number::TRANSLATE_FOR_TOOLS, translate_for_tools as TranslateForTools as Slot),
                        (number::TRANSLATE_SPECIAL, translate_special as TranslateSpecial as Slot),
                        (number::TRANSLATE_NAMED, translate_named as TranslateNamed as Slot),
                    ]
                }
            }
        }
    }
}

/// A table that leads here first.
#[repr(C)]
struct Lead {
    original: *const Slot,
    class: Class,
    count: usize,
    /// What stands before slot 0, then the slots.
    before: [Slot; 2],
    slots: [Slot; SLOTS],
}

/// A lead that stays for good.
#[derive(Clone, Copy)]
struct Kept(*const Lead);

// SAFETY: a lead is never changed and never freed.
unsafe impl Send for Kept {}

impl Kept {
    fn table(self) -> *const Slot {
        // SAFETY: the lead is alive. The pointer keeps the right to all of it, which `original` needs.
        unsafe { addr_of!((*self.0).slots) }.cast()
    }

    fn lead(&self) -> &Lead {
        // SAFETY: alive for good, never changed.
        unsafe { &*self.0 }
    }
}

/// All leads: one for each table that a compiler has, some ten.
static LEADS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Gives an object a table with our functions. Objects of unknown versions stay as they are.
///
/// # Safety
///
/// The object is one of the compiler's, of that class and version, alive, and nobody else knows it yet.
unsafe fn lead(object: *mut Object, class: Class, version: u64) {
    let Some(count) = class.slots(version) else { return };
    // SAFETY: an object's first word points to its table.
    let original = unsafe { (*object).table };
    let mut leads = LEADS.lock().unwrap_or_else(PoisonError::into_inner);
    if leads.iter().any(|l| l.table() == original) {
        return;
    }
    let same = |l: &&Kept| {
        let l = l.lead();
        l.original == original && l.class == class && l.count == count
    };
    let kept = match leads.iter().find(same) {
        Some(kept) => *kept,
        None => {
            // SAFETY: the table of that class and version has so many slots and two words before them.
            let kept = unsafe { copy(original, class, count) };
            leads.push(kept);
            kept
        }
    };
    // SAFETY: nobody else uses the object yet; the table stays for good.
    unsafe { (*object).table = kept.table() };
}

/// A copy of a table, with our functions in it.
///
/// # Safety
///
/// The table has `count` slots and two words before them.
unsafe fn copy(original: *const Slot, class: Class, count: usize) -> Kept {
    let mut slots = [objects::any as Slot; SLOTS];
    // SAFETY: the caller promises these words; `count` is one of `Class::slots`, less than `SLOTS`.
    let before = unsafe {
        slots.as_mut_ptr().copy_from_nonoverlapping(original, count);
        [original.sub(2).read(), original.sub(1).read()]
    };
    for (slot, ours) in class.ours().iter().filter(|(slot, _)| *slot < count) {
        slots[*slot] = *ours;
    }
    Kept(Box::into_raw(Box::new(Lead { original, class, count, before, slots })))
}

/// The compiler's own function in a slot.
///
/// # Safety
///
/// The object's table is that of a lead, whose class has the slot, and `F` is the type of the function there.
unsafe fn original<F: Copy>(object: *const Object, slot: usize) -> F {
    // SAFETY: the table lies in its lead, to all of which the pointer has the right (`Kept::table`).
    let lead = unsafe { (*object).table.byte_sub(offset_of!(Lead, slots)).cast::<Lead>() };
    // SAFETY: leads stay for good; the rest is the caller's promise.
    unsafe { function(addr_of!((*lead).original).cast::<Object>(), slot) }
}

/// The compiler's main object, which leads here first; null if there is no compiler.
pub fn main(compiler: &Path) -> *mut Object {
    static COMPILER: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: the user names the compiler; to run what it does when it is loaded is what it is named for.
    let library = COMPILER.get_or_init(|| unsafe { libloading::Library::new(compiler) }.ok());
    let Some(library) = library else { return null_mut() };
    // SAFETY: compilers export this function with this type, and stay loaded.
    let create = unsafe { library.get::<unsafe extern "C" fn() -> *mut Object>(b"CIFCreateMain\0") };
    let Ok(create) = create else { return null_mut() };
    // SAFETY: the function is the compiler's; it gives an object that nobody else knows, or null.
    unsafe {
        let main = create();
        if !main.is_null() {
            lead(main, Class::Main, 1);
        }
        main
    }
}

type Create = unsafe extern "C" fn(*mut Object, u64, u64) -> *mut Object;
type Context = unsafe extern "C" fn(*mut Object, u64, u64, u64) -> *mut Object;

// The functions below stand in leads only, each in a slot of its type; the object is the compiler's, and the caller
// holds it. Nothing in them can unwind but what `guard` holds, and the lock, whose failures are handled.

unsafe extern "C" fn create(main: *mut Object, class: u64, version: u64) -> *mut Object {
    // SAFETY: as said above; what is made is known to nobody else yet.
    unsafe {
        let made = original::<Create>(main, number::CREATE)(main, class, version);
        if class == id::DEVICE && !made.is_null() {
            lead(made, Class::Device, version);
        }
        made
    }
}

unsafe extern "C" fn context(device: *mut Object, version: u64, from: u64, to: u64) -> *mut Object {
    if (from, to) == (id::PROGRAM, id::PROGRAM) {
        // Compilers have none; a runtime asks so whose finalizer's slot names this library, too.
        return objects::context(device, version, from, to);
    }
    // SAFETY: as said above; what is made is known to nobody else yet.
    unsafe {
        let made = original::<Context>(device, number::CONTEXT)(device, version, from, to);
        if to == id::PROGRAM && !made.is_null() {
            lead(made, Class::Context, version);
        }
        made
    }
}

unsafe extern "C" fn translate(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    options: *mut Object,
    internal: *mut Object,
    tracing: *const c_void,
    traces: u32,
) -> *mut Object {
    // SAFETY: as said above; the arguments are the caller's.
    unsafe {
        let translate = original::<Translate>(context, number::TRANSLATE);
        built(internal, |internal| translate(context, version, source, options, internal, tracing, traces))
    }
}

unsafe extern "C" fn translate_for_tools(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    options: *mut Object,
    internal: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
) -> *mut Object {
    // SAFETY: as said above; the arguments are the caller's.
    unsafe {
        let translate = original::<TranslateForTools>(context, number::TRANSLATE_FOR_TOOLS);
        built(internal, |internal| {
            translate(context, version, source, options, internal, tracing, traces, tools)
        })
    }
}

unsafe extern "C" fn translate_special(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    constants: *mut Object,
    values: *mut Object,
    options: *mut Object,
    internal: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
) -> *mut Object {
    // SAFETY: as said above; the arguments are the caller's.
    unsafe {
        let translate = original::<TranslateSpecial>(context, number::TRANSLATE_SPECIAL);
        built(internal, |internal| {
            translate(context, version, source, constants, values, options, internal, tracing, traces, tools)
        })
    }
}

/// The runtimes that have been seen ask for version 3, which lacks this.
unsafe extern "C" fn translate_named(
    context: *mut Object,
    version: u64,
    source: *mut Object,
    constants: *mut Object,
    values: *mut Object,
    options: *mut Object,
    internal: *mut Object,
    tracing: *const c_void,
    traces: u32,
    tools: *mut c_void,
    hash: u64,
) -> *mut Object {
    // SAFETY: as said above; the arguments are the caller's.
    unsafe {
        let translate = original::<TranslateNamed>(context, number::TRANSLATE_NAMED);
        built(internal, |internal| {
            translate(
                context, version, source, constants, values, options, internal, tracing, traces, tools, hash,
            )
        })
    }
}

/// What a build becomes: the compiler is asked for vISA, too, and its result gets our code.
///
/// # Safety
///
/// The options are a buffer or null; `translate` returns an output of the compiler's, which is the caller's alone, or null.
unsafe fn built(
    internal_options: *mut Object,
    translate: impl FnOnce(*mut Object) -> *mut Object,
) -> *mut Object {
    // SAFETY: nobody changes the caller's buffer during the call.
    let options = unsafe { bytes(internal_options) };
    let asking = guard(|| with_visa(options).map(objects::buffer)).ok().flatten();
    let output = translate(asking.unwrap_or(internal_options));
    // SAFETY: the buffer is ours; the output is the caller's, as promised.
    unsafe {
        if let Some(asking) = asking {
            function::<unsafe extern "C" fn(*mut Object)>(asking, number::RELEASE)(asking);
        }
        worked_on(output, internal_options)
    }
}

/// Internal options with which the compiler puts vISA into the program, if these do not ask for it. (The runtime can be told
/// to add an option, but does so only to what is built in one step, not to what is compiled and linked.)
fn with_visa(options: &[u8]) -> Option<Vec<u8>> {
    const ASKS: &[u8] = b"-ze-emit-zebin-visa-sections";
    let is_asked = options.split(|b| b.is_ascii_whitespace() || *b == 0).any(|word| word == ASKS);
    if is_asked || Settings::of_build(options).mode == Mode::Off {
        return None;
    }
    let end = options.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    Some([&options[..end], b" ", ASKS, &options[end..]].concat())
}

/// The compiler's result with our code in it, or ours instead if the build is to fail.
///
/// # Safety
///
/// The output is the compiler's and the caller's alone, or null; the options are a buffer or null.
unsafe fn worked_on(output: *mut Object, internal_options: *mut Object) -> *mut Object {
    if output.is_null() {
        return output;
    }
    // SAFETY: these are functions of an output, with their types; its buffers live as long as it does.
    let (program, log) = unsafe {
        let ok: unsafe extern "C" fn(*const Object) -> bool = function(output, number::SUCCESSFUL);
        let kind: unsafe extern "C" fn(*const Object) -> u64 = function(output, number::TYPE);
        if !ok(output) || kind(output) != id::PROGRAM {
            return output;
        }
        type Part = unsafe extern "C" fn(*mut Object, u64) -> *mut Object;
        let (log, program) = (number::LOG, number::PROGRAM);
        (function::<Part>(output, program)(output, 1), function::<Part>(output, log)(output, 1))
    };
    // SAFETY: buffers of the compiler's, which nobody changes while we look.
    let (old, options) = unsafe { (bytes(program).to_vec(), bytes(internal_options)) };
    let outcome = guard(|| work::finalize(&old, &Settings::of_build(options)));
    let outcome = outcome.unwrap_or_else(|bug| Outcome { ok: true, log: bug.to_string(), program: None });
    if !outcome.ok {
        // SAFETY: the caller gives the compiler's result up for ours.
        unsafe { function::<unsafe extern "C" fn(*mut Object)>(output, number::RELEASE)(output) };
        return objects::output(outcome);
    }
    // SAFETY: the buffers are the caller's alone, with the output.
    unsafe {
        if let Some(new) = &outcome.program
            && !set(program, new)
        {
            set(program, &old);
        }
        if !outcome.log.is_empty() && !log.is_null() {
            // The runtime takes a text to the first zero.
            let mut text = bytes(log).to_vec();
            text.truncate(text.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1));
            if !text.is_empty() {
                text.push(b'\n');
            }
            text.extend_from_slice(outcome.log.as_bytes());
            text.push(0);
            set(log, &text);
        }
    }
    output
}

/// Gives a buffer other contents; whether it has room for them.
///
/// # Safety
///
/// It is a buffer that nobody else uses.
unsafe fn set(buffer: *mut Object, contents: &[u8]) -> bool {
    type Append = unsafe extern "C" fn(*mut Object, *const c_void, usize) -> bool;
    // SAFETY: these are functions of a buffer, with their types; the contents are read only.
    unsafe {
        function::<unsafe extern "C" fn(*mut Object)>(buffer, number::CLEAR)(buffer);
        function::<Append>(buffer, number::APPEND)(buffer, contents.as_ptr().cast(), contents.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_is_asked_for_visa_once() {
        assert_eq!(with_visa(b""), Some(b" -ze-emit-zebin-visa-sections".to_vec()));
        let asking = with_visa(b"-a -b\0\0").unwrap();
        assert_eq!(asking, b"-a -b -ze-emit-zebin-visa-sections\0\0");
        assert_eq!(with_visa(&asking), None);
        assert_eq!(with_visa(b"-ze-emit-zebin-visa-sections -a"), None);
        assert!(with_visa(b"-ze-emit-zebin-visa-sections-not").is_some());
        assert_eq!(with_visa(b"-visa-finalize-mode=off"), None);
    }
}

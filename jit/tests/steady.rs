//! Many compiles in one process: resident memory stays as it is after the first thousand, and how often
//! the allocator is asked, counted.
//!
//! Three thousand compiles here; `COMPILES=100000 cargo test --release -p visa-finalize-jit --test steady -- --nocapture`
//! runs as many as it says.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ffi::{CString, c_void},
    ptr,
    sync::atomic::{AtomicU64, Ordering},
};

use platforms::Platform;
use tests::data::{self, TestKernel};
use visafinalize_jit::{JITCompile, freeBlock};

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Counts what is asked of the system's allocator.
struct Counting;

// SAFETY: every call is handed through to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the one that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(size as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Compiles a kernel and frees its code; gives the code's size, 0 if it is refused.
fn compile(kernel: &TestKernel, name: &CString) -> u32 {
    let object = kernel.whole.as_deref().expect("a complete object");
    let (mut code, mut size) = (ptr::null_mut::<c_void>(), 0);
    // SAFETY: strings have ends, the object its size, and there is room for code and size.
    let status = unsafe {
        JITCompile(
            name.as_ptr(),
            object.as_ptr().cast(),
            object.len() as u32,
            &mut code,
            &mut size,
            c"SKL".as_ptr(),
            object[4].into(),
            object[5].into(),
            0,
            ptr::null(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    // SAFETY: null or from the call above.
    unsafe { freeBlock(code) };
    if status == 0 { size } else { 0 }
}

/// Resident memory in kB; `None` where the system does not say.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

fn counted(work: impl FnOnce()) -> (u64, u64) {
    let before = (CALLS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
    work();
    (CALLS.load(Ordering::Relaxed) - before.0, BYTES.load(Ordering::Relaxed) - before.1)
}

#[test]
fn memory_is_flat_after_the_first_thousand_compiles() {
    let compiles: usize = std::env::var("COMPILES").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    // Small kernels of many kinds, in turns.
    let kernels: Vec<(&TestKernel, CString)> = data::kernels(Platform::Skl)
        .iter()
        .filter(|k| k.whole.as_ref().is_some_and(|w| w.len() < 4_000))
        .step_by(5)
        .map(|k| (k, CString::new(k.name.clone()).unwrap()))
        .filter(|(k, name)| compile(k, name) > 0)
        .take(40)
        .collect();
    assert!(kernels.len() >= 20, "{}", kernels.len());
    let mut after_thousand = None;
    let mut bytes = 0;
    for i in 0..compiles {
        let (kernel, name) = &kernels[i % kernels.len()];
        bytes += u64::from(compile(kernel, name));
        if i == 999 {
            after_thousand = resident();
        }
    }
    let at_end = resident();
    println!(
        "{compiles} compiles, {bytes} bytes of code; resident {after_thousand:?} kB after 1000, {at_end:?} kB at the end"
    );
    if let (Some(early), Some(late)) = (after_thousand, at_end) {
        assert!(late <= early + 256, "resident memory grew from {early} kB to {late} kB");
    }

    // How often the allocator is asked in the steady state, per kernel.
    let mut worst = 0.0f64;
    for (kernel, name) in kernels.iter().step_by(8) {
        let mut size = 0;
        let (calls, allocated) = counted(|| size = compile(kernel, name));
        let (again, _) = counted(|| _ = compile(kernel, name));
        assert_eq!(calls, again, "{}: not steady", kernel.id());
        let instructions = f64::from(size) / 16.0;
        worst = worst.max(calls as f64 / instructions);
        println!("{}: {calls} allocations of {allocated} bytes for {size} bytes of code", kernel.id());
    }
    println!("at most {worst:.1} allocations for 16 bytes of code");
}

//! Arguments that no sound caller hands over: an error code and a message, never a crash.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    ptr,
};

use visafinalize_jit::{FinalizerInfo, JITCompile, JITCompile_v2, freeBlock, getJITVersion};

/// One call, as a caller in C makes it; what is `None` is null.
struct Call {
    name: Option<CString>,
    object: Option<Vec<u8>>,
    size: Option<u32>,
    platform: Option<CString>,
    version: (c_int, c_int),
    count: c_int,
    args: Option<Vec<*const c_char>>,
    room: bool,
}

impl Call {
    /// A call that gives code.
    fn good() -> Call {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa");
        let object = std::fs::read(path).unwrap();
        Call {
            name: Some(c"saxpy".to_owned()),
            version: (object[4].into(), object[5].into()),
            object: Some(object),
            size: None,
            platform: Some(c"SKL".to_owned()),
            count: 0,
            args: None,
            room: true,
        }
    }

    /// The status, the message, and the size of the code.
    fn make(&self) -> (c_int, String, u32) {
        let text = |s: &Option<CString>| s.as_ref().map_or(ptr::null(), |s| s.as_ptr());
        let (mut code, mut size) = (ptr::dangling_mut::<c_void>(), 77);
        let mut message = [0x55 as c_char; 520];
        message[0] = 0;
        let object = self.object.as_ref().map_or(ptr::null(), |o| o.as_ptr());
        let length = self.size.unwrap_or(self.object.as_ref().map_or(9, |o| o.len() as u32));
        let (to_code, to_size): (*mut *mut c_void, *mut c_uint) =
            if self.room { (&mut code, &mut size) } else { (ptr::null_mut(), ptr::null_mut()) };
        let mut info = [0u64; 512];
        // SAFETY: what is not null is as large as it says, strings have ends.
        let status = unsafe {
            JITCompile_v2(
                text(&self.name),
                object.cast(),
                length,
                to_code,
                to_size,
                text(&self.platform),
                self.version.0,
                self.version.1,
                self.count,
                self.args.as_ref().map_or(ptr::null(), |a| a.as_ptr()),
                message.as_mut_ptr(),
                info.as_mut_ptr().cast::<FinalizerInfo>(),
                ptr::null_mut(),
            )
        };
        assert!(message[512..].iter().all(|b| *b == 0x55), "the message leaves its buffer");
        if self.room {
            assert_eq!(status == 0, !code.is_null(), "code if and only if done");
            assert_eq!(status == 0, size > 0);
            // SAFETY: null or from the call.
            unsafe { freeBlock(code) };
        }
        // SAFETY: the message has an end within its 512 bytes.
        let message = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned();
        assert_eq!(status == 0, message.is_empty(), "a message if and only if not done: {message}");
        (status, message, if self.room { size } else { 0 })
    }
}

fn refused(call: Call, status: c_int, word: &str) {
    let (found, message, _) = call.make();
    assert_eq!(found, status, "{message}");
    assert!(message.contains(word), "{message}");
}

#[test]
fn a_sound_call_gives_code_and_information() {
    let (status, message, size) = Call::good().make();
    assert_eq!((status, message.as_str()), (0, ""));
    assert!(size >= 64);
}

/// What options ask for comes in blocks of its own, and not without them.
#[test]
fn debug_information_and_free_registers_come_in_blocks() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa");
    let object = std::fs::read(path).unwrap();
    let block = |words: &[&CStr]| {
        let (mut code, mut size) = (ptr::null_mut::<c_void>(), 0);
        let words: Vec<*const c_char> = words.iter().map(|w| w.as_ptr()).collect();
        let mut info = std::mem::MaybeUninit::<FinalizerInfo>::zeroed();
        // SAFETY: strings have ends, lists their sizes, and there is room for code, size and information.
        let status = unsafe {
            JITCompile(
                c"saxpy".as_ptr(),
                object.as_ptr().cast(),
                object.len() as u32,
                &mut code,
                &mut size,
                c"SKL".as_ptr(),
                object[4].into(),
                object[5].into(),
                words.len() as c_int,
                words.as_ptr(),
                ptr::null_mut(),
                info.as_mut_ptr(),
            )
        };
        assert_eq!(status, 0);
        // SAFETY: the call has filled it; blocks have the bytes that it says, and are freed once.
        unsafe {
            let info = info.assume_init();
            let bytes = |at: *mut c_void, count: c_uint| match at.is_null() {
                true => Vec::new(),
                false => std::slice::from_raw_parts(at.cast::<u8>(), count as usize).to_vec(),
            };
            let debug = bytes(info.gen_debug_info, info.gen_debug_info_size);
            let free = bytes(info.free_grf_info, info.free_grf_info_size);
            for block in [code, info.gen_debug_info, info.free_grf_info] {
                freeBlock(block);
            }
            (debug, free)
        }
    };
    assert_eq!(block(&[]), (Vec::new(), Vec::new()));
    let (debug, free) = block(&[c"-generateDebugInfo", c"-getfreegrfinfo"]);
    let routines = tests::dbg::read(&debug).expect("a file that is read to its end");
    assert_eq!(routines[0].name, "saxpy");
    assert!(routines[0].insts.len() > 5, "{routines:?}");
    let words: Vec<u32> = free.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    assert_eq!(
        (words[0], words[1] as usize, words.last()),
        (0xdead_d00d, words.len() - 3, Some(&0xdead_beef))
    );
    // Bytes of the file of 128 registers, in order, behind r0; a kernel this small leaves most alone.
    let stretches: Vec<(u32, u32)> =
        words[2..words.len() - 1].iter().map(|w| (w & 0xffff, w >> 16)).collect();
    assert!(stretches[0].0 >= 32 && stretches.iter().all(|s| s.0 + s.1 <= 4096), "{stretches:?}");
    assert!(stretches.windows(2).all(|w| w[0].0 + w[0].1 < w[1].0), "{stretches:?}");
    assert!(stretches.iter().map(|s| s.1).sum::<u32>() > 64 * 32, "{stretches:?}");
}

#[test]
fn null_pointers_are_bad_input() {
    refused(Call { name: None, ..Call::good() }, 1, "kernelName");
    refused(Call { object: None, ..Call::good() }, 1, "kernelIsa");
    refused(Call { platform: None, ..Call::good() }, 1, "platform");
    refused(Call { room: false, ..Call::good() }, 1, "genBinary");
    refused(Call { count: 3, ..Call::good() }, 1, "args");
}

#[test]
fn unknown_names_and_platforms_have_their_codes() {
    refused(Call { name: Some(c"nobody".to_owned()), ..Call::good() }, 1, "`nobody`; the object has `saxpy`");
    refused(Call { name: Some(c"".to_owned()), ..Call::good() }, 1, "1 to 255");
    let long = CString::new("x".repeat(256)).unwrap();
    refused(Call { name: Some(long), ..Call::good() }, 1, "1 to 255");
    refused(Call { platform: Some(c"GEN7".to_owned()), ..Call::good() }, 5, "GEN7");
    refused(Call { platform: Some(c"".to_owned()), ..Call::good() }, 5, "allowed");
}

#[test]
fn wrong_sizes_versions_and_counts_are_refused() {
    let whole = Call::good().object.unwrap();
    for size in (0..whole.len() as u32).step_by(7) {
        let (status, message, _) = Call { size: Some(size), ..Call::good() }.make();
        assert!(status == 1 || status == 3, "{size} bytes: {status} {message}");
    }
    refused(Call { version: (3, 99), ..Call::good() }, 1, "where the call says 3.99");
    refused(Call { count: -1, ..Call::good() }, 1, "-1 arguments");
    refused(Call { object: Some(vec![0; 100]), ..Call::good() }, 1, "CISA");
}

#[test]
fn damaged_objects_are_refused_or_compiled_never_worse() {
    let whole = Call::good().object.unwrap();
    for at in 6..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        let (status, message, _) = Call { object: Some(damaged), ..Call::good() }.make();
        assert!([0, 1, 3].contains(&status), "byte {at}: {status} {message}");
        assert!(!message.contains("a fault of the finalizer"), "byte {at}: {message}");
    }
}

#[test]
fn options_may_hold_null_and_unknown_words() {
    let args = vec![c"-stepping".as_ptr(), c"C0".as_ptr(), ptr::null(), c"-nocompaction".as_ptr()];
    let call = Call { count: args.len() as c_int, args: Some(args), ..Call::good() };
    let (status, _, whole) = call.make();
    let (_, _, compacted) = Call::good().make();
    assert_eq!(status, 0);
    assert!(whole > compacted && whole % 16 == 0, "{whole} against {compacted}");
}

#[test]
fn options_have_values() {
    let with = |args: Vec<*const c_char>| {
        Call { count: args.len() as c_int, args: Some(args), ..Call::good() }.make()
    };
    let (_, _, plain) = Call::good().make();
    let (status, _, marked) = with(vec![c"-hashmovs".as_ptr(), c"1".as_ptr(), c"0xffffffff".as_ptr()]);
    assert_eq!((status, marked > plain), (0, true));
    let (status, message, _) = with(vec![c"-TotalGRFNum 256".as_ptr()]);
    assert_eq!(status, 3);
    assert!(message.contains("found 256 general registers a thread, allowed on skl: 128"), "{message}");
    let (status, message, _) = with(vec![c"-reservedGRFNum".as_ptr(), c"all".as_ptr()]);
    assert_eq!(status, 1);
    assert!(message.contains("found `all` behind `-reservedGRFNum`"), "{message}");
}

#[test]
fn everything_null_is_bad_input() {
    let nothing = ptr::null_mut;
    // SAFETY: null is allowed everywhere.
    let status = unsafe {
        JITCompile(
            ptr::null(),
            ptr::null(),
            0,
            nothing(),
            ptr::null_mut(),
            ptr::null(),
            0,
            0,
            0,
            ptr::null(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    assert_eq!(status, 1);
    let (mut major, mut minor) = (0, 0);
    // SAFETY: null or room for a number; null is nothing to free.
    unsafe {
        getJITVersion(ptr::null_mut(), &mut minor);
        getJITVersion(&mut major, ptr::null_mut());
        freeBlock(ptr::null_mut());
    }
    assert_eq!((major, minor), (4, 1));
}

#[test]
fn the_information_block_is_laid_out_as_media_drivers() {
    use std::mem::offset_of;
    assert_eq!(size_of::<FinalizerInfo>(), 80);
    let offsets = [
        offset_of!(FinalizerInfo, is_spill),
        offset_of!(FinalizerInfo, num_grf_used),
        offset_of!(FinalizerInfo, num_asm_count),
        offset_of!(FinalizerInfo, spill_mem_used),
        offset_of!(FinalizerInfo, gen_debug_info),
        offset_of!(FinalizerInfo, gen_debug_info_size),
        offset_of!(FinalizerInfo, num_flag_spill_store),
        offset_of!(FinalizerInfo, num_flag_spill_load),
        offset_of!(FinalizerInfo, uses_barrier),
        offset_of!(FinalizerInfo, bb_num),
        offset_of!(FinalizerInfo, bb_info),
        offset_of!(FinalizerInfo, num_grf_spill_fill),
        offset_of!(FinalizerInfo, free_grf_info),
        offset_of!(FinalizerInfo, free_grf_info_size),
    ];
    assert_eq!(offsets, [0, 4, 8, 12, 16, 24, 28, 32, 36, 40, 48, 56, 64, 72]);
}

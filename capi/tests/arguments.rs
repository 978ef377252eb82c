//! Arguments that no sound caller hands over: a status, never a crash.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, c_char},
    ptr,
};

use visafinalize::exports::*;

fn object() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa")).unwrap()
}

/// The code of the first fault; the error is freed.
fn first_fault(error: *mut vf_error) -> String {
    // SAFETY: a fault of zeros is one that the function overwrites; the error is a live one or null.
    unsafe {
        let mut fault: vf_fault = std::mem::zeroed();
        assert_eq!(vf_error_get(error, 0, &mut fault), vf_status::VF_OK);
        assert_eq!(vf_error_get(error, vf_error_count(error), &mut fault), vf_status::VF_BAD_ARGUMENT);
        let code = CStr::from_ptr(fault.code).to_string_lossy().into_owned();
        vf_error_free(error);
        code
    }
}

fn new(
    platform: *const c_char,
    options: *const vf_options,
) -> Result<*mut vf_finalizer, (vf_status, String)> {
    let (mut finalizer, mut error) = (ptr::dangling_mut(), ptr::null_mut());
    // SAFETY: null or sound.
    let status = unsafe { vf_finalizer_new(platform, options, &mut finalizer, &mut error) };
    if status == vf_status::VF_OK {
        assert!(error.is_null());
        return Ok(finalizer);
    }
    assert!(finalizer.is_null());
    Err((status, first_fault(error)))
}

fn finalize(
    f: *mut vf_finalizer,
    input: Option<&[u8]>,
    kernel: Option<&str>,
) -> Result<usize, (vf_status, String)> {
    let (mut binaries, mut error) = (ptr::dangling_mut(), ptr::null_mut());
    let kernel = kernel.map(|k| CString::new(k).unwrap());
    let kernel = kernel.as_ref().map_or(ptr::null(), |k| k.as_ptr());
    let (at, size) = input.map_or((ptr::null(), 77), |i| (i.as_ptr(), i.len()));
    // SAFETY: null or sound.
    unsafe {
        let status = vf_finalize(f, at, size, kernel, 4, &mut binaries, &mut error);
        if status == vf_status::VF_OK {
            let count = vf_binaries_count(binaries);
            vf_binaries_free(binaries);
            return Ok(count);
        }
        assert!(binaries.is_null());
        Err((status, first_fault(error)))
    }
}

fn refusal(status: vf_status, code: &str) -> (vf_status, String) {
    (status, code.to_owned())
}

#[test]
fn finalizers_are_made_of_sound_arguments_only() {
    assert_eq!(new(ptr::null(), ptr::null()), Err(refusal(vf_status::VF_BAD_ARGUMENT, "BadArgument")));
    for name in [c"gen7", c"", c"\xff"] {
        let expected = refusal(vf_status::VF_UNKNOWN_PLATFORM, "UnknownPlatform");
        assert_eq!(new(name.as_ptr(), ptr::null()), Err(expected));
    }
    let sound = vf_options {
        struct_size: size_of::<vf_options>(),
        no_compaction: false,
        verify: true,
        warnings: true,
        strict: false,
    };
    for struct_size in [0, 1, size_of::<vf_options>() - 1, size_of::<vf_options>() + 8, usize::MAX] {
        let options = vf_options { struct_size, ..sound };
        let expected = refusal(vf_status::VF_BAD_ARGUMENT, "BadArgument");
        assert_eq!(new(c"skl".as_ptr(), &options), Err(expected), "{struct_size}");
    }
    let finalizer = new(c"SKL".as_ptr(), &sound).unwrap();
    // SAFETY: a live finalizer, then null.
    unsafe {
        vf_finalizer_free(finalizer);
        vf_finalizer_free(ptr::null_mut());
        // No room for the result, no room for the error.
        let status = vf_finalizer_new(c"skl".as_ptr(), ptr::null(), ptr::null_mut(), ptr::null_mut());
        assert_eq!(status, vf_status::VF_BAD_ARGUMENT);
    }
}

#[test]
fn inputs_are_refused_with_their_faults() {
    let f = new(c"skl".as_ptr(), ptr::null()).unwrap();
    let object = object();
    assert_eq!(finalize(f, Some(&object), None), Ok(1));
    assert_eq!(finalize(f, Some(&object), Some("saxpy")), Ok(1));
    assert_eq!(
        finalize(f, Some(&object), Some("nobody")),
        Err(refusal(vf_status::VF_UNKNOWN_KERNEL, "UnknownKernel"))
    );
    assert_eq!(finalize(f, None, None), Err(refusal(vf_status::VF_BAD_ARGUMENT, "BadArgument")));
    assert_eq!(
        finalize(ptr::null_mut(), Some(&object), None),
        Err(refusal(vf_status::VF_BAD_ARGUMENT, "BadArgument"))
    );
    assert_eq!(finalize(f, Some(b"\xff\xff"), None), Err(refusal(vf_status::VF_REFUSED, "NotVisa")));
    for size in (0..object.len()).step_by(5) {
        let (status, code) =
            finalize(f, Some(&object[..size]), None).err().unwrap_or((vf_status::VF_OK, String::new()));
        // No bytes at all are a text without kernels.
        assert!(status == vf_status::VF_REFUSED || size < 4, "{size} bytes: {status:?} {code}");
    }
    // SAFETY: the finalizer is live.
    unsafe { vf_finalizer_free(f) };
}

#[test]
fn faults_in_text_have_their_place() {
    let f = new(c"skl".as_ptr(), ptr::null()).unwrap();
    let text = ".version 3.6\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=8\nmob (M1, 8) V32(0,0)<1> 0x1:ud\n";
    let (mut binaries, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: sound arguments; a fault of zeros is one that the function overwrites.
    unsafe {
        let status = vf_finalize(f, text.as_ptr(), text.len(), ptr::null(), 1, &mut binaries, &mut error);
        assert_eq!(status, vf_status::VF_REFUSED);
        let mut fault: vf_fault = std::mem::zeroed();
        assert_eq!(vf_error_get(error, 0, &mut fault), vf_status::VF_OK);
        assert_eq!(fault.place, vf_place::VF_PLACE_LINE);
        assert_eq!((fault.line, fault.column, fault.length), (4, 1, 3), "{fault:?}");
        vf_error_free(error);
        vf_finalizer_free(f);
    }
}

#[test]
fn damaged_objects_are_no_fault_of_the_library() {
    let f = new(c"skl".as_ptr(), ptr::null()).unwrap();
    let object = object();
    for at in 0..object.len() {
        let mut damaged = object.clone();
        damaged[at] ^= 0x81;
        let result = finalize(f, Some(&damaged), None);
        assert!(
            !matches!(result, Err((vf_status::VF_FAULT | vf_status::VF_BAD_ARGUMENT, _))),
            "byte {at}: {result:?}"
        );
    }
    // SAFETY: the finalizer is live.
    unsafe { vf_finalizer_free(f) };
}

#[test]
fn results_answer_null_and_wrong_sizes() {
    let f = new(c"skl".as_ptr(), ptr::null()).unwrap();
    let object = object();
    let mut binaries = ptr::null_mut();
    // SAFETY: live handles, or null where that is allowed; structs of zeros are overwritten or left alone.
    unsafe {
        let status =
            vf_finalize(f, object.as_ptr(), object.len(), ptr::null(), 0, &mut binaries, ptr::null_mut());
        assert_eq!(status, vf_status::VF_OK);
        vf_finalizer_free(f);
        let bad = vf_status::VF_BAD_ARGUMENT;
        let null = ptr::null::<vf_binaries>();
        assert!(vf_binaries_get(binaries, 1).is_null() && vf_binaries_get(null, 0).is_null());
        assert_eq!(vf_binaries_count(null), 0);
        let binary = vf_binaries_get(binaries, 0);

        let mut size = 7;
        assert!(vf_binary_code(ptr::null(), &mut size).is_null() && size == 0);
        assert!(vf_binary_code(binary, ptr::null_mut()).is_null());
        assert!(!vf_binary_code(binary, &mut size).is_null() && size > 0);

        let mut info: vf_kernel_info = std::mem::zeroed();
        assert_eq!(vf_binary_info(binary, &mut info), bad, "size 0");
        info.struct_size = size_of::<vf_kernel_info>() + 1;
        assert_eq!(vf_binary_info(binary, &mut info), bad);
        info.struct_size = size_of::<vf_kernel_info>();
        assert_eq!(vf_binary_info(ptr::null(), &mut info), bad);
        assert_eq!(vf_binary_info(binary, ptr::null_mut()), bad);
        assert_eq!(vf_binary_info(binary, &mut info), vf_status::VF_OK);
        assert_eq!((CStr::from_ptr(info.name), info.simd), (c"saxpy", 16));

        let inputs = vf_binary_input_count(binary);
        let mut input: vf_input = std::mem::zeroed();
        assert_eq!((inputs, vf_binary_input_count(ptr::null())), (9, 0));
        assert_eq!(vf_binary_input(binary, inputs, &mut input), bad);
        assert_eq!(vf_binary_input(binary, 0, ptr::null_mut()), bad);
        assert_eq!(vf_binary_input(binary, 0, &mut input), vf_status::VF_OK);
        assert_eq!((input.offset, input.size), (32, 32));

        let mut symbol: vf_symbol = std::mem::zeroed();
        assert_eq!(vf_binary_symbol_count(binary), 1);
        assert_eq!(vf_binary_symbol(binary, 0, &mut symbol), vf_status::VF_OK);
        assert_eq!((CStr::from_ptr(symbol.name), symbol.size as usize), (c"saxpy", size));
        let mut relocation: vf_relocation = std::mem::zeroed();
        assert_eq!(vf_binary_relocation(binary, 0, &mut relocation), bad, "there are none");
        assert_eq!(vf_error_count(vf_binary_warnings(ptr::null())), 0);
        vf_binaries_free(binaries);
        vf_binaries_free(ptr::null_mut());
        vf_error_free(ptr::null_mut());
    }
}

#[test]
fn buffers_objects_and_handles_take_null_for_an_answer() {
    let (mut buffer, mut error) = (ptr::dangling_mut(), ptr::null_mut());
    let (mut object, mut size) = (ptr::dangling_mut(), 7);
    let (nothing, zero) = (ptr::null::<u8>(), 0);
    // SAFETY: null or sound.
    unsafe {
        let bad = vf_status::VF_BAD_ARGUMENT;
        let skl = c"skl".as_ptr();
        assert_eq!(vf_disassemble(skl, nothing, zero, 0, &mut buffer, &mut error), bad);
        assert!(buffer.is_null());
        vf_error_free(error);
        let code = [0u8; 16];
        assert_eq!(vf_disassemble(skl, code.as_ptr(), 16, 9, &mut buffer, ptr::null_mut()), bad);
        assert_eq!(vf_disassemble(skl, code.as_ptr(), 16, 0, ptr::null_mut(), ptr::null_mut()), bad);
        let unknown = vf_status::VF_UNKNOWN_PLATFORM;
        assert_eq!(
            vf_disassemble(c"gen7".as_ptr(), code.as_ptr(), 16, 0, &mut buffer, ptr::null_mut()),
            unknown
        );
        assert_eq!(vf_assemble(skl, ptr::null(), 1, false, &mut buffer, ptr::null_mut()), bad);
        assert_eq!(vf_retarget(ptr::null_mut(), nothing, 0, &mut buffer, ptr::null_mut()), bad);
        assert_eq!(vf_object_read(nothing, 0, ptr::null(), &mut object, ptr::null_mut()), bad);
        assert_eq!(
            vf_object_read(code.as_ptr(), 16, ptr::null(), &mut object, &mut error),
            vf_status::VF_REFUSED
        );
        assert!(object.is_null());
        vf_error_free(error);
        assert!(vf_buffer_data(ptr::null(), &mut size).is_null() && size == 0);
        vf_buffer_free(ptr::null_mut());
        vf_object_free(ptr::null_mut());
        vf_cancel_request(ptr::null());
        vf_cancel_reset(ptr::null());
        vf_cancel_free(ptr::null_mut());
        assert_eq!(vf_finalizer_set(ptr::null_mut(), skl, skl, ptr::null_mut()), bad);
        assert_eq!(vf_finalizer_set_cancel(ptr::null_mut(), ptr::null()), bad);
        let finalizer = new(skl, ptr::null()).unwrap();
        assert_eq!(vf_finalizer_set(finalizer, ptr::null(), skl, ptr::null_mut()), bad);
        assert_eq!(vf_finalizer_set(finalizer, c"speed".as_ptr(), skl, &mut error), bad);
        assert_eq!(first_fault(error), "UnknownOption");
        let input = start_of_a_program();
        assert_eq!(
            vf_retarget(finalizer, input.as_ptr(), input.len(), &mut buffer, ptr::null_mut()),
            vf_status::VF_REFUSED
        );
        vf_finalizer_free(finalizer);
    }
}

/// The start of an ELF file, and no more.
fn start_of_a_program() -> Vec<u8> {
    b"\x7fELF\x02\x01\x01".to_vec()
}

#[test]
fn what_options_ask_for_beside_the_code_is_there() {
    let text = ".version 3.6\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=8\nFILE \"a.cl\"\nLOC 7\n\
                mov (M1, 8) V32(0,0)<1> 0x1:ud\nret (M1, 1)\n";
    let mut seen = Vec::new();
    for asked in [false, true] {
        let f = new(c"skl".as_ptr(), ptr::null()).unwrap();
        let (mut binaries, mut error) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: live handles, or null where that is allowed; structs of zeros are overwritten or left alone.
        unsafe {
            for option in [c"debug-info", c"free-registers", c"timings"] {
                let value = if asked { c"true" } else { c"false" };
                let status = vf_finalizer_set(f, option.as_ptr(), value.as_ptr(), &mut error);
                assert_eq!(status, vf_status::VF_OK);
            }
            let status = vf_finalize(f, text.as_ptr(), text.len(), ptr::null(), 1, &mut binaries, &mut error);
            assert_eq!(status, vf_status::VF_OK);
            let binary = vf_binaries_get(binaries, 0);
            let mut size = 7;
            assert!(vf_binary_debug_info(ptr::null(), &mut size).is_null() && size == 0);
            assert!(vf_binary_debug_info(binary, ptr::null_mut()).is_null());
            assert_eq!(vf_binary_debug_info(binary, &mut size).is_null(), size == 0);
            let counts = [vf_binary_line_count, vf_binary_free_count, vf_binary_pass_count];
            assert_eq!(counts.map(|count| count(ptr::null())), [0, 0, 0]);
            seen.push((size > 0, counts.map(|count| count(binary) > 0)));

            let bad = vf_status::VF_BAD_ARGUMENT;
            let mut line: vf_line = std::mem::zeroed();
            let mut bytes: vf_register_bytes = std::mem::zeroed();
            let mut time: vf_pass_time = std::mem::zeroed();
            for (index, expected) in [(0, if asked { vf_status::VF_OK } else { bad }), (usize::MAX, bad)] {
                assert_eq!(vf_binary_line(binary, index, &mut line), expected);
                assert_eq!(vf_binary_free(binary, index, &mut bytes), expected);
                assert_eq!(vf_binary_pass(binary, index, &mut time), expected);
            }
            if asked {
                assert_eq!((CStr::from_ptr(line.file), line.line, line.is_statement), (c"a.cl", 7, true));
                assert!(bytes.size > 0 && bytes.offset + bytes.size <= 4096, "{bytes:?}");
                assert!(!CStr::from_ptr(time.pass).is_empty());
            }
            vf_binaries_free(binaries);
            vf_finalizer_free(f);
        }
    }
    assert_eq!(seen, [(false, [false; 3]), (true, [true; 3])]);
}

//! vISA assembly: what Intel prints we read, and we print it as Intel does.

use tests::{
    data,
    texts::{options, tokens, without_places},
};
use visa::text::{self, TextOptions};

/// Reads a text and checks that it prints as it was.
fn round(source: &str, options: TextOptions, id: &str) -> visa::Module {
    let module = text::parse(source, options).unwrap_or_else(|e| panic!("{id}:\n{e}"));
    let printed = text::print(&module, options);
    assert!(tokens(source) == tokens(&printed), "{id}: other tokens");
    module
}

#[test]
fn texts_print_token_for_token_and_go_through_objects() {
    let (mut kernels, mut instructions) = (0, 0);
    for platform in platforms::Platform::ALL {
        let options = options(platform);
        for k in data::kernels(platform) {
            let id = format!("{platform} {}", k.id());
            let mut module = round(&k.visaasm, options, &id);
            for function in &k.functions {
                module.link(round(function, options, &id));
            }

            let object = visa::write(&module).unwrap_or_else(|e| panic!("{id}: {e}"));
            let mut read = visa::read(&object).unwrap_or_else(|e| panic!("{id}: {e}"));
            assert!(visa::write(&read).unwrap() == object, "{id}: other bytes");
            read.declared_functions = module.declared_functions.clone();
            for kernel in read.kernels.iter().chain(&read.functions) {
                instructions += kernel.insts().len();
            }
            assert!(without_places(module) == without_places(read), "{id}: other module");
            kernels += 1;
        }
    }
    println!("{kernels} texts, {instructions} instructions");
}

/// Older runtimes want version 3.6: the same program in the older layout.
#[test]
fn texts_become_old_objects() {
    let platform = platforms::Platform::Skl;
    for k in data::kernels(platform) {
        let mut module = text::parse(&k.visaasm, options(platform)).unwrap();
        module.version = visa::Version::V3_6;
        let object = visa::write(&module).unwrap_or_else(|e| panic!("{}: {e}", k.id()));
        let mut read = visa::read(&object).unwrap_or_else(|e| panic!("{}: {e}", k.id()));
        assert!(object[4..6] == [3, 6] && visa::write(&read).unwrap() == object, "{}", k.id());
        read.declared_functions = module.declared_functions.clone();
        assert!(without_places(module) == without_places(read), "{}: other module", k.id());
    }
}

/// Today's compiler writes text of version 4.2, which no object has (IGC, `ByteCodeReaderNG.cpp`): they are of 4.1.
#[test]
fn text_of_today_becomes_the_newest_objects() {
    let platform = platforms::Platform::Pvc;
    let k = &data::kernels(platform)[0];
    let mut module = text::parse(&k.visaasm, options(platform)).unwrap();
    module.version = visa::Version::V4_1;
    let object = visa::write(&module).unwrap();
    let newer = k.visaasm.replacen(".version 4.1", ".version 4.2", 1);
    let newer = text::parse(&newer, options(platform)).unwrap();
    assert_eq!(newer.version, visa::Version::new(4, 2));
    assert!(visa::write(&newer).unwrap() == object);
}

/// Text, and the objects that it becomes: the same code, whichever way a kernel comes.
#[test]
fn text_and_objects_finalize_to_the_same_bytes() {
    let (mut compared, mut refused) = (0, 0);
    for platform in platforms::Platform::ALL {
        let mut finalizer = finalizer::Finalizer::new(finalizer::Options::new(platform));
        let all = std::env::var_os("VISA_ALL_KERNELS").is_some();
        for k in data::kernels(platform).iter().step_by(if all { 1 } else { 23 }) {
            let id = format!("{platform} {}", k.id());
            let mut module = finalizer::read_text(k.visaasm.as_bytes(), platform).unwrap();
            for function in &k.functions {
                module.link(finalizer::read_text(function.as_bytes(), platform).unwrap());
            }
            let Ok(from_text) = finalizer.finalize_kernel(&module, 0) else {
                refused += 1;
                continue;
            };
            for version in [visa::Version::V4_1, visa::Version::V3_6] {
                module.set_version(version);
                let object = visa::write(&module).unwrap_or_else(|e| panic!("{id}: {e}"));
                let read = finalizer::read_module(&object).unwrap_or_else(|e| panic!("{id}: {e}"));
                let from_object = finalizer.finalize_kernel(&read, 0).unwrap_or_else(|e| panic!("{id}: {e}"));
                assert!(from_text.code == from_object.code, "{id}: other code from version {version}");
            }
            compared += 1;
        }
    }
    println!("{compared} kernels three ways, {refused} refused");
    assert!(compared > 9 * refused);
}

/// What Intel's grammar (`CISA.y`) takes beside what its compilers print: the line, and how we would print it.
#[test]
fn the_grammar_takes_more_than_compilers_print() {
    let kernel = |line: &str| {
        format!(
            ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=ud num_elts=32 align=GRF\n\
             .decl Q v_type=G type=uq num_elts=8 align=GRF\n.decl P1 v_type=P num_elts=16\n\
             .decl T6 v_type=T num_elts=1\n.kernel_attr SimdSize=16\nmain:\n{line}\nL1:\nL2:\n    ret (M1, 1)\n"
        )
    };
    let read = |line: &str| {
        let options = TextOptions::default();
        let module = text::parse(&kernel(line), options).unwrap_or_else(|e| panic!("{line}:\n{e}"));
        text::print(&module, options)
    };
    for (line, printed) in [
        ("mov (M1, 16) A(0,0)<1> %DispatchSimd:ud", "mov (M1, 16) A(0,0)<1> 0x10:ud"),
        ("mov (M1, 16) A(0,0)<1> (%DispatchSimd * 2):ud", "mov (M1, 16) A(0,0)<1> 0x20:ud"),
        ("and.sat (M1, 16) P1 P1 P1", "and (M1, 16) P1 P1 P1"),
        ("switchjmp (M1, 1) A(0,0)<0;1,0> (L1 L2)", "switchjmp (M1, 1) A(0,0)<0;1,0> (L1, L2)"),
        ("switchjmp (M1, 1) A(0,0)<0;1,0> (,L1,,L2,)", "switchjmp (M1, 1) A(0,0)<0;1,0> (L1, L2)"),
        ("oword_ld (M1, 4) T6 0x0:ud A.0", "oword_ld (4) T6 0x0:ud A.0"),
        ("svm_block_ld (M1_NM, 2) Q(0,0)<0;1,0> A.0", "svm_block_ld (2) Q(0,0)<0;1,0> A.0"),
        ("resinfo.RGBA (M1, 8) (T6, 0) A.0 A.32", "resinfo.RGBA (M1, 8) T6 A.0 A.32"),
    ] {
        assert_eq!(read(line), read(printed), "{line}");
    }
    for line in
        ["vme_ime(0,1) %bss A.0 A.0 A.0 A.0 A.0 A.0", "vme_fbr (0x1:ud,0x2:ud,0x3:ud) %bss A.0 A.0 A.0"]
    {
        assert!(read(line).contains(" %bss A.0"), "predefined surfaces have names: {}", read(line));
    }
    for (line, why) in [
        ("resinfo.RGBA (M1, 8) (T6, 1) A.0 A.32", "an index that no platform adds"),
        (
            "lsc_apndctr_atomic_add.ugm (M1, 16) A:d32 bti(0x4) A:d64",
            "a shape that the message does not have",
        ),
    ] {
        assert!(text::parse(&kernel(line), TextOptions::default()).is_err(), "{why}");
    }
    read("lsc_apndctr_atomic_add.ugm (M1, 16) A:d32 bti(0x4) A:d32");
}

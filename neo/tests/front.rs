//! The library in front of a compiler: a fake one, which hands back the program that it is given.

mod driver;

use driver::{Library, Way, build_many, built, program, refused};

/// One test, for the compiler is named by the environment of the whole process.
#[test]
#[allow(unsafe_code)]
fn the_compilers_programs_get_our_code() {
    // SAFETY: no other thread runs yet but the one that waits for this test.
    unsafe { std::env::set_var("VISA_FINALIZE_NEO_COMPILER", built("libfake_compiler.so")) };
    let library = Library::load(&built("libvisafinalize_neo.so"));
    let old = program("plain_2435_icllp");
    let off = library.build(&old, "-visa-finalize-mode=off");
    assert!(off.ok && off.program == old && off.log == "compiled", "{off:?}");
    let made = library.build(&old, "");
    assert!(made.ok && made.log == "compiled", "{}", made.log);
    let code = |bytes: &[u8]| zebin::Program::read(bytes).unwrap().unit("saxpy").unwrap().code.clone();
    assert_ne!(code(&made.program), code(&old));

    // Whichever function a runtime calls, of the version that brought it or of the last.
    for (way, version) in [Way::ALL, Way::ALL].concat().into_iter().zip([1, 2, 3, 4, 4, 4, 4, 4]) {
        let by = library.build_by(way, version, &old, "");
        let log = if way == Way::Named { "compiled 2a" } else { "compiled" };
        assert!(
            by.ok && by.log == log && by.program == made.program,
            "{way:?} of version {version}: {}",
            by.log
        );
    }

    let refused = refused();
    let kept = library.build(&refused, "");
    assert!(kept.ok && kept.program == refused, "{}", kept.log);
    assert!(kept.log.starts_with("compiled\nvisa-finalize: warning: "), "{}", kept.log);
    let failed = library.build(&refused, "-visa-finalize-mode=strict");
    assert!(!failed.ok && failed.log.contains("visa-finalize: error: "), "{}", failed.log);

    // Named for the slot as well, it does the slot's work there: the compiler has no say.
    let finalized = library.finalize(&old, "");
    assert!(finalized.ok && finalized.log.is_empty() && finalized.program == made.program);
    assert_eq!(library.finalize(&made.program, ""), finalized, "our code gives our code");

    build_many(&library, &old, &made);
}

//! The library in the finalizer's slot, loaded and called as a runtime does.

mod driver;

use driver::{Library, Way, build_many, built, program, refused};

fn library() -> Library {
    Library::load(&built("libvisafinalize_neo.so"))
}

#[test]
fn a_build_gives_our_code() {
    let (library, old) = (library(), program("plain_new_tgllp"));
    let made = library.finalize(&old, "-ze-emit-zebin-visa-sections");
    assert!(made.ok && made.log.is_empty(), "{}", made.log);
    let code = |bytes: &[u8]| zebin::Program::read(bytes).unwrap().unit("saxpy").unwrap().code.clone();
    assert_ne!(code(&made.program), code(&old));
    assert_eq!(library.build(&made.program, "").program, made.program, "ours of ours is ours");
    assert_eq!(library.build(&old, "-visa-finalize-mode=off").program, old);
    for way in Way::ALL {
        assert_eq!(library.build_by(way, 4, &old, ""), made, "{way:?}");
    }
}

#[test]
fn what_is_refused_keeps_the_compilers_code_or_fails() {
    let (library, old) = (library(), refused());
    let kept = library.build(&old, "");
    assert!(kept.ok && kept.program == old && kept.log.contains("visa-finalize: warning: "), "{}", kept.log);
    let failed = library.build(&old, "-visa-finalize-mode=strict");
    assert!(!failed.ok && failed.log.contains("visa-finalize: error: "), "{}", failed.log);
}

#[test]
fn a_thousand_builds_in_eight_threads() {
    let (library, old) = (library(), program("plain_new_tgllp"));
    let expected = library.build(&old, "");
    build_many(&library, &old, &expected);
}

/// Every damaged program gives an error, the compiler's code, or a program.
#[test]
fn damaged_programs_never_cross_as_a_crash() {
    let (library, old) = (library(), program("plain_2435_icllp"));
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let (mut kept, mut refused) = (0, 0);
    for round in 0..400 {
        let mut damaged = old.clone();
        for _ in 0..1 + next(4) {
            let at = if round % 4 == 0 { next(64) } else { next(old.len()) };
            damaged[at] = [0, 0xff, 0x80, damaged[at].wrapping_add(1)][next(4)];
        }
        if round % 10 == 9 {
            damaged.truncate(next(damaged.len()));
        }
        let made = library.build(&damaged, "");
        assert!(made.ok && !made.log.contains("a fault of the finalizer"), "round {round}: {}", made.log);
        kept += usize::from(made.program == damaged);
        refused += usize::from(!library.build(&damaged, "-visa-finalize-mode=strict").ok);
    }
    assert!(kept > 20 && refused >= kept, "{kept} kept, {refused} refused");
}

//! vISA objects: what is read is written back byte for byte, and bad bytes are refused with a place.

use tests::data;

/// Objects of the compiler that made the test kernels lack operands (see `visa::read`): their
/// declarations are kept byte for byte, and their code is refused in words that say why.
#[test]
fn objects_without_operands_are_refused_but_kept() {
    for platform in platforms::Platform::ALL {
        for k in data::kernels(platform) {
            let module = visa::read::read_declarations(&k.isa).unwrap_or_else(|e| panic!("{}: {e}", k.id()));
            assert!(visa::write(&module).unwrap() == k.isa, "{}: other bytes", k.id());
            let Err(errors) = visa::read(&k.isa) else { continue };
            for e in errors.0 {
                assert_eq!(e.kind, visa::ErrorKind::OperandsMissing, "{platform} {}: {e}", k.id());
            }
        }
    }
}

/// Complete objects of version 3.6, made of the same kernels by an older release of Intel's finalizer.
#[test]
fn whole_objects_are_written_back_byte_for_byte() {
    let mut objects = 0;
    for platform in platforms::Platform::ALL {
        for k in data::kernels(platform) {
            let Some(whole) = &k.whole else { continue };
            objects += 1;
            let module = visa::read(whole).unwrap_or_else(|e| panic!("{platform} {}: {e}", k.id()));
            assert!(visa::write(&module).unwrap() == *whole, "{platform} {}: other bytes", k.id());
            let names: Vec<_> = module.kernels.iter().map(|kernel| kernel.name()).collect();
            assert_eq!(names, [k.name.as_str()], "{platform} {}", k.id());
        }
    }
    assert!(objects > 3000, "only {objects} objects");
}

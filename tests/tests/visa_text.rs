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

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

/// The foreign objects as text and back.
#[test]
fn objects_go_through_text() {
    let options = TextOptions::default();
    for path in data::corpus() {
        let id = path.display();
        let module = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        // Drivers ship objects whose vISA was taken out: inputs of variables that are not there are no text.
        if module.kernels.iter().any(|k| k.code.is_empty()) {
            continue;
        }
        let printed = text::print(&module, options);
        let parsed = text::parse(&printed, options).unwrap_or_else(|e| panic!("{id}:\n{e}"));
        assert!(tokens(&text::print(&parsed, options)) == tokens(&printed), "{id}: other text");
        for (a, b) in module.kernels.iter().zip(&parsed.kernels) {
            assert_eq!(a.code.len(), b.code.len(), "{id}: {}", a.name());
        }
    }
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

/// Intel's finalizer prints the foreign objects; our dump of them has the same tokens.
#[test]
fn foreign_objects_print_as_intel_prints_them() {
    let Some(genx) = tests::oracle::GenxIr::find() else { return };
    let options = TextOptions { intel_names: true, ..TextOptions::default() };
    let mut dumps = 0;
    for path in data::corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let module = visa::read(&bytes).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let suffixes = [("gen8", "bdw"), ("gen9", "skl"), ("gen11", "icllp"), ("gen12", "tgllp")];
        let platform = suffixes.iter().find(|s| file.contains(s.0)).map_or("skl", |s| s.1).parse().unwrap();
        for dump in genx.dump_visaasm(platform, &bytes) {
            let name = tokens(&dump)[3].trim_matches('"').to_owned();
            let kernel = module.kernels.iter().find(|k| k.name() == name).expect("a kernel of that name");
            let ours = text::print_kernel(&module, kernel, options);
            let (theirs, ours) = (tokens(&dump), tokens(&ours));
            let at = theirs.iter().zip(&ours).position(|(a, b)| a != b);
            let shown = at.map(|i| (&theirs[i..theirs.len().min(i + 4)], &ours[i..ours.len().min(i + 4)]));
            assert!(theirs == ours, "{}: {name}: {shown:?}", path.display());
            dumps += 1;
        }
    }
    println!("{dumps} dumps");
    assert!(dumps > 100 || data::corpus().is_empty(), "{dumps} dumps");
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

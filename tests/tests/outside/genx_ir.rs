//! `GenX_IR`, Intel's finalizer.

use platforms::Platform;
use tests::{data, oracle::GenxIr, texts::tokens};
use visa::text::{self, TextOptions};

pub fn intel_finalizes_the_assembly_of_a_kernel(genx: GenxIr) {
    for platform in Platform::ALL {
        let k = data::kernel(platform, "saxpy.cl/16/saxpy.simd16");
        let made = genx.finalize(platform, &k.visaasm, &[]).expect("machine code");
        assert!(!made.dat.is_empty() && made.asm.contains("//.kernel saxpy"), "{platform}");
        assert!(made.isa.starts_with(b"CISA"), "{platform}");
    }
    assert!(genx.finalize(Platform::Skl, "not a kernel", &[]).is_err());
}

/// Intel's finalizer prints the foreign objects; our dump of them has the same tokens.
pub fn foreign_objects_print_as_intel_prints_them(genx: GenxIr) {
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
    assert!(dumps > 100, "{dumps} dumps");
}

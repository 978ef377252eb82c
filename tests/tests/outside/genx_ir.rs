//! `GenX_IR`, Intel's finalizer.

use platforms::Platform;
use tests::{data, dbg, oracle::GenxIr, texts::tokens};
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

/// Our debug information says of the same kernel what Intel's says: name, end, the number of the last instruction with
/// code, variables and subroutines (Intel's lists those alone that are in registers).
pub fn debug_information_reads_as_intels(genx: GenxIr) {
    let mut compared = 0;
    for platform in Platform::ALL {
        let options = finalizer::Options { debug_info: true, ..finalizer::Options::new(platform) };
        let mut finalizer = finalizer::Finalizer::new(options);
        for kernel in data::kernels(platform).iter().filter(|k| k.functions.is_empty()).step_by(23) {
            let Ok(theirs) = genx.finalize(platform, &kernel.visaasm, &["-generateDebugInfo"]) else {
                continue;
            };
            let Some(theirs_read) = dbg::read(&theirs.dbg) else {
                assert!(theirs.dbg.is_empty(), "{platform} {}: cannot be read", kernel.id());
                continue;
            };
            let Ok(ours) = finalizer.finalize_text(&kernel.visaasm) else { continue };
            let ours_read = dbg::read(&ours[0].debug_info).expect("a file");
            let (a, b) = (&ours_read[0], &theirs_read[0]);
            let id = format!("{platform} {}", kernel.id());
            assert_eq!((&a.name, a.start, &a.offsets), (&b.name, b.start, &b.offsets), "{id}");
            let (end, theirs_end) = (a.insts.last().unwrap(), b.insts.last().unwrap());
            assert_eq!(end.0, theirs_end.0, "{id}: number behind the last instruction");
            assert_eq!(end.1 as usize, ours[0].code.len(), "{id}");
            let missing: Vec<_> =
                b.variables.iter().filter(|v| !a.variables.iter().any(|o| o.0 == v.0)).collect();
            assert!(missing.is_empty(), "{id}: {missing:?}");
            assert_eq!(a.subroutines.len(), b.subroutines.len(), "{id}");
            compared += 1;
        }
    }
    println!("{compared} kernels");
    assert!(compared > 30, "{compared} kernels");
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

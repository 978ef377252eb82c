//! Our code for the test kernels has no instruction form that Intel's code has nowhere, but for those that a table
//! allows with the manual's word for it (`tests::forms`). The forms of Intel's code are recorded: from the test
//! kernels, from real programs, and from random vISA programs that Intel's finalizer compiled. Whatever is in neither
//! table fails the test.

use finalizer::{Finalizer, Options};
use gen_ir::{Dst, ExecSize, GrfNum, Inst, Op, Physical, Reg, Region, Src, Type};
use platforms::Platform;
use tests::{
    data::{devices, kernels},
    differential::module,
    forms::{Allowed, Seen, add, forms, known},
};

fn judge(platform: Platform) {
    let mut allowed = Allowed::read().unwrap();
    let known = known(platform).unwrap();
    let mut finalizer = Finalizer::new(Options::new(platform));
    let mut ours = Seen::new();
    for kernel in kernels(platform) {
        let module = module(platform, kernel).unwrap();
        let binary = finalizer.finalize_kernel(&module, 0).unwrap();
        add(&mut ours, platform, &binary.code, &kernel.id());
    }
    assert!(ours.len() > 500, "{platform}: only {} forms", ours.len());
    let surplus: Vec<String> = ours
        .iter()
        .filter(|(form, _)| !known.contains(*form))
        .filter(|(form, _)| !allowed.allows(platform, form))
        .map(|(form, (n, example))| format!("{n:>5}  {form}\n       {example}"))
        .collect();
    assert!(surplus.is_empty(), "{platform}: {} forms\n{}", surplus.len(), surplus.join("\n"));
}

tests::on_each_platform!(judge);

/// The forms of an instruction that are neither recorded nor allowed.
fn unknown(platform: Platform, inst: &Inst<Physical>) -> Vec<String> {
    let (mut allowed, known) = (Allowed::read().unwrap(), known(platform).unwrap());
    let mut found = Vec::new();
    forms(platform, inst, &mut |form| {
        if !known.contains(form) && !allowed.allows(platform, form) {
            found.push(form.to_owned());
        }
    });
    found
}

/// Faults that encoder, decoder, emulator and rules once agreed upon.
#[test]
fn known_faults_show() {
    // One double for eight channels: the word selects `.xyxy`, each pair of channels its first.
    let mut mad = Inst::new(Op::Mad, ExecSize::S8);
    mad.opts = gen_ir::Options::ALIGN16;
    mad.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Df);
    let doubles = |n, region| Src::new(Reg::grf(GrfNum::new(n), 0), region, Type::Df);
    mad.src = [
        doubles(46, Region::PAIRS),
        doubles(20, Region::ternary(2, 1)),
        doubles(30, Region::ternary_last(1)),
    ];
    for platform in devices().into_iter().filter(|p| p.caps().words.ternary_align16) {
        let word = encoder::encode(platform, &mad).unwrap();
        let found = unknown(platform, &encoder::decode(platform, word).unwrap());
        assert!(found.iter().any(|f| f.starts_with("region ternary (8) df")), "{platform}: {found:?}");
    }
    // Packed words, and bytes at every second place, from every fourth word.
    let from_strided = |exec, dst: Dst<Physical>, ty| {
        let mut mov = Inst::new(Op::Mov, exec);
        mov.dst = dst;
        mov.src[0] = Src::new(Reg::grf(GrfNum::new(109), 0), Region::new(4, 1, 0), ty);
        mov
    };
    let words = from_strided(ExecSize::S16, Dst::packed(Reg::grf(GrfNum::new(113), 0), Type::W), Type::W);
    let every_second = Dst::Direct { reg: Reg::grf(GrfNum::new(31), 1), horz: 2, ty: Type::B };
    let bytes = from_strided(ExecSize::S32, every_second, Type::W);
    for mov in [words, bytes] {
        assert!(!unknown(Platform::Pvc, &mov).is_empty(), "{mov}");
    }
}

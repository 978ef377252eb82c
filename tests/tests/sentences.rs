//! Sentences of the vISA specification (Intel, `documentation/visa/instructions`) that say what comes out at the edge of an
//! image or for lanes that are off: the interpreter and our code leave what the sentence says.

use std::fmt::Write;

use emulator::{Image, Memory, Options as RunOptions, RawLaunch, Surface, Texel};
use finalizer::{Finalizer, Options};
use platforms::Platform::{self, Bdw, Icllp, Pvc, Skl, Tgllp};

const ALL: &[Platform] = &[Bdw, Skl, Icllp, Tgllp, Pvc];

/// A kernel, and what it leaves in `R`.
struct Sentence {
    page: &'static str,
    platforms: &'static [Platform],
    code: &'static str,
    /// From which register of `R` on: a channel of 8 lanes each.
    register: usize,
    dwords: &'static [u32],
}

/// `X` is the columns 0, 1, 99, 16, 3, 99, 2, 4 of an image of 16 by 8 texels of four 32-bit integers; each is its own
/// place in memory, in units of four bytes. `R` is full of 0x11111111. `P1` is lanes 0, 1, 4, 5, 8, 9, 12, 13.
const SENTENCES: &[Sentence] = &[
    Sentence {
        page: "GATHER4_TYPED: on read out of bounds, ones are returned in the alpha channel",
        platforms: ALL,
        code: "gather4_typed.RA (M1, 8) T6 X.0 Z.0 %null.0 %null.0 R.0",
        register: 1,
        dwords: &[3, 7, 1, 1, 15, 1, 11, 19],
    },
    Sentence {
        page: "GATHER4_TYPED: on read out of bounds, zeros in the other channels",
        platforms: ALL,
        code: "gather4_typed.RA (M1, 8) T6 X.0 Z.0 %null.0 %null.0 R.0",
        register: 0,
        dwords: &[0, 4, 0, 0, 12, 0, 8, 16],
    },
    Sentence {
        page: "TYPED_ATOMIC: on read out of bounds, zeros are returned",
        platforms: ALL,
        code: "typed_atomic.add (M1, 8) T6 X.0 Z.0 %null.0 %null.0 Z.0 %null.0 R.0",
        register: 0,
        dwords: &[0, 4, 0, 0, 12, 0, 8, 16],
    },
    Sentence {
        page: "INFO: the third channel of a surface of two dimensions is 0",
        platforms: &[Bdw, Skl, Icllp, Tgllp],
        code: "resinfo.RGBA (M1, 8) T6 Z.0 R.0",
        register: 2,
        dwords: &[0; 8],
    },
    Sentence {
        page: "LSC_UNTYPED: bit n of the status of a load is on in lanes that are on",
        platforms: &[Pvc],
        code: "(P1) lsc_load_status.ugm (M1, 16) R:d32 bti(0x1)[Z]:a32",
        register: 0,
        dwords: &[0x3333, 0x1111_1111],
    },
];

fn text(s: &Sentence) -> String {
    let mut out = String::from(".version 4.1\n.kernel \"k\"\n");
    for (name, elements) in [("X", 16), ("Z", 16), ("R", 64)] {
        let _ = writeln!(out, ".decl {name} v_type=G type=ud num_elts={elements} align=GRF");
    }
    out.push_str(
        ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n\
         .kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n.function \"k\"\nk:\n\
         movs (M1_NM, 1) T6(0) 0x0:ud\nmovs (M1_NM, 1) T7(0) 0x1:ud\nsetp (M1_NM, 16) P1 0x3333:uw\n\
         oword_ld (4) T7 0x0:ud X.0\noword_ld (4) T7 0x4:ud Z.0\n",
    );
    for at in (0..256).step_by(64) {
        let _ = writeln!(out, "oword_ld (4) T7 0x8:ud R.{at}");
    }
    let _ = writeln!(out, "{}", s.code);
    for at in (0..256).step_by(64) {
        let _ = writeln!(out, "oword_st (4) T7 {:#x}:ud R.{at}", at / 16);
    }
    out.push_str("ret (M1, 1)\n");
    out
}

fn bytes(dwords: impl IntoIterator<Item = u32>) -> Vec<u8> {
    dwords.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn what_sentences_say_comes_out() {
    for s in SENTENCES {
        for &platform in s.platforms {
            let module = finalizer::read_text(text(s).as_bytes(), platform).unwrap();
            let code = Finalizer::new(Options { verify: true, ..Options::new(platform) })
                .finalize_kernel(&module, 0)
                .unwrap_or_else(|e| panic!("{}, {platform}: {e:?}", s.page))
                .code
                .to_vec();
            let mut memory = Memory::new();
            let image = memory.add("image", bytes(0..16 * 8 * 4));
            let columns = [0, 1, 99, 16, 3, 99, 2, 4];
            let buffer = memory.add(
                "buffer",
                bytes(columns.into_iter().chain([0; 8]).chain([0; 16]).chain([0x1111_1111; 32])),
            );
            let surface = |of, image| {
                Some(Surface { base: memory.address(of), size: memory.bytes(of).len() as u64, image })
            };
            let shape = Image::new_2d(16, 8, 4, 4, Texel::Uint);
            let launch = RawLaunch {
                simd: 16,
                groups: [1; 3],
                threads: 1,
                surfaces: vec![surface(image, Some(shape)), surface(buffer, None)],
                ..RawLaunch::default()
            };
            let options = RunOptions::default();
            let register = usize::from(platform.caps().regs.grf_bytes);
            let wanted = bytes(s.dwords.iter().copied());
            let holds = |who: &str, m: &Memory| {
                let found = &m.bytes(buffer)[s.register * register..][..wanted.len()];
                assert_eq!(found, wanted, "{}: {who} on {platform}", s.page);
            };
            let mut m = memory.clone();
            emulator::visa::run_raw(platform, &module, 0, &launch, &mut m, &options).unwrap();
            holds("the interpreter", &m);
            let mut m = memory.clone();
            emulator::run_raw(platform, &code, &launch, &mut m, &options).unwrap();
            holds("our code", &m);
        }
    }
}

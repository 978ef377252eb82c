//! What is worked out of machine code, on the shipped example and on a few lines of assembly.

use finalizer::{Finalizer, Options};
use iga::{AsmOptions, assemble};
use platforms::Platform;
use report::{Code, Comparison, Normalize, Tag};

fn code(platform: Platform, text: &str) -> Code {
    let bytes = assemble(platform, text, &AsmOptions::default()).unwrap();
    Code::new(platform, &bytes, Some(&[(32, 64)]))
}

fn example(platform: Platform) -> (Code, finalizer::Binary) {
    let object = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa")).unwrap();
    let mut finalizer = Finalizer::new(Options { origins: true, ..Options::new(platform) });
    let binary = finalizer.finalize_object(&object).unwrap().remove(0);
    let inputs: Vec<(u32, u32)> = binary.info.inputs.iter().map(|i| (i.offset, i.offset + i.size)).collect();
    (Code::new(platform, &binary.code, Some(&inputs)), binary)
}

#[test]
fn every_instruction_has_its_text_its_time_and_its_origin() {
    for platform in [Platform::Bdw, Platform::Skl, Platform::Icllp, Platform::Tgllp] {
        let (code, binary) = example(platform);
        let n = code.insts.len();
        assert_eq!(n, binary.stats.gen_instructions as usize, "{platform}");
        assert_eq!(
            (code.waits.len(), code.pressure.live.len(), binary.origins.len()),
            (n, n, n),
            "{platform}"
        );
        assert!(code.insts.iter().all(|i| !i.text.is_empty()), "{platform}");
        let of_kernel = binary.origins.iter().filter(|o| o.instruction.is_some() && o.function.is_none());
        assert!(of_kernel.count() > n / 2, "{platform}");
        // Two loads, a store, (on some platforms a fence,) the end of the thread.
        let kinds: Vec<(bool, bool)> = code.messages.iter().map(|m| (m.reads, m.eot)).collect();
        assert_eq!(kinds[..3], [(true, false), (true, false), (false, false)], "{platform}");
        assert!(kinds[3..].len() <= 2 && kinds.last() == Some(&(false, true)), "{platform}: {kinds:?}");
        // Whoever needs the loaded data waits for memory.
        let is_read = |on: Option<u32>| code.messages.iter().any(|m| m.reads && Some(m.at as u32) == on);
        assert!(code.waits.iter().any(|w| w.cycles > 100 && is_read(w.on)), "{platform}");
        assert!(code.counts.peak <= u32::from(binary.info.grfs_used), "{platform}");
    }
}

#[test]
fn registers_are_in_use_from_who_makes_a_value_to_who_reads_it_last() {
    let code = code(
        Platform::Skl,
        "mov (8|M0) r10.0<1>:d r1.0<8;8,1>:d\n\
         mov (8|M0) r11.0<1>:d 7:d\n\
         add (8|M0) r12.0<1>:d r10.0<8;8,1>:d r11.0<8;8,1>:d\n\
         mov (8|M0) r10.0<1>:d 0:d\n\
         add (8|M0) r13.0<1>:d r12.0<8;8,1>:d r10.0<8;8,1>:d\n\
         mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
         send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
    );
    let of = |register: u16| -> Vec<(u32, u32)> {
        let mut runs: Vec<_> =
            code.pressure.values.iter().filter(|v| v.first == register).map(|v| (v.start, v.end)).collect();
        runs.sort_unstable();
        runs
    };
    assert_eq!(of(10), [(0, 3), (3, 5)], "two values");
    assert_eq!((of(11), of(12), of(13)), (vec![(1, 3)], vec![(2, 5)], vec![(4, 5)]));
    assert_eq!(of(1), [(0, 1)], "an input, in use until it is read");
    assert_eq!(of(0), [(0, 6)]);
    assert_eq!(code.pressure.live, [3, 3, 4, 3, 4, 2, 1]);
    assert_eq!(code.pressure.peak(), Some(2));
}

#[test]
fn what_waiting_lanes_need_stays_in_use() {
    // r20 is read behind the `endif` and written by the one side alone.
    let code = code(
        Platform::Skl,
        "mov (8|M0) r20.0<1>:d 1:d\n\
         cmp (8|M0) (eq)f0.0 null<1>:d r1.0<8;8,1>:d 0:d\n\
         (f0.0) if (8|M0) L64 L96\n\
         mov (8|M0) r20.0<1>:d 2:d\n\
         else (8|M0) L96 L96\n\
         L64:\n\
         mov (8|M0) r21.0<1>:d 3:d\n\
         L96:\n\
         endif (8|M0) L112\n\
         L112:\n\
         add (8|M0) r22.0<1>:d r20.0<8;8,1>:d 1:d\n\
         mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
         send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
    );
    let add = code.insts.iter().position(|i| i.text.starts_with("add")).unwrap();
    for at in 1..=add {
        let held =
            code.pressure.values.iter().any(|v| v.first == 20 && (v.start..v.end).contains(&(at as u32)));
        assert!(held, "at {at}: {:?}", code.pressure.values);
    }
}

#[test]
fn loops_are_found_and_count_more_often() {
    let code = code(
        Platform::Skl,
        "mov (8|M0) r2.0<1>:d 0:d\n\
         L16:\n\
         add (8|M0) (lt)f0.0 r2.0<1>:d r2.0<8;8,1>:d 1:d\n\
         (f0.0) jmpi L16\n\
         mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
         send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
    );
    assert_eq!(code.flow.starts, [0, 1, 3]);
    assert_eq!(code.flow.depth, [0, 1, 0]);
    let to: Vec<Vec<usize>> = code.flow.edges.iter().map(|e| e.iter().map(|e| e.to).collect()).collect();
    assert_eq!(to, [vec![1], vec![2, 1], vec![]]);
    assert!(code.counts.cycles_in_loops > 4 * code.counts.cycles / 2, "{:?}", code.counts);
    assert!(code.counts.cycles_in_loops > code.counts.cycles);
}

#[test]
fn two_codes_are_aligned_and_registers_need_not_be_the_same() {
    let one = code(Platform::Skl, "mov (8|M0) r2.0<1>:d 0:d\nadd (8|M0) r3.0<1>:d r2.0<8;8,1>:d 1:d\n");
    let other = code(
        Platform::Skl,
        "mov (8|M0) r9.0<1>:d 0:d\nmov (8|M0) r8.0<1>:f 0x0:f\nadd (8|M0) r7.0<1>:d r9.0<8;8,1>:d 1:d\n",
    );
    let tags =
        |normalize| Comparison::new(&one, &other, normalize).rows.iter().map(|r| r.tag).collect::<Vec<_>>();
    let renamed = Normalize { registers: true, ..Normalize::default() };
    assert_eq!(tags(renamed), [Tag::Equal, Tag::Right, Tag::Equal]);
    assert!(!tags(Normalize::default()).contains(&Tag::Equal));
    assert!(Comparison::new(&one, &one, Normalize::default()).is_equal());
    assert!(!Comparison::new(&one, &other, renamed).is_equal());
}

#[test]
fn noise_is_no_reason_to_panic() {
    let mut seed = 1u64;
    for len in [0, 1, 7, 8, 16, 24, 500, 4096] {
        let bytes: Vec<u8> = (0..len)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 56) as u8
            })
            .collect();
        for platform in Platform::ALL {
            let code = Code::new(platform, &bytes, None);
            assert_eq!(code.waits.len(), code.insts.len());
        }
    }
}

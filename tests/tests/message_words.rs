//! Single messages: operation, shared function and descriptors of what our finalizer makes of one or two
//! instructions. The expected words are those of Intel's finalizer.

use finalizer::{Finalizer, Options};
use gen_ir::{Desc, Inst, Payload, Physical};
use platforms::Platform::{self, Bdw, Bxt, Icllp, Pvc, Skl, Tgllp};
use tests::opcodes::program;

/// Our code of a kernel with these lines, and perhaps other declarations.
fn code(platform: Platform, lines: &str, change: impl Fn(String) -> String) -> Result<Vec<u8>, String> {
    let text = change(program(lines));
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    let options = Options { verify: true, ..Options::new(platform) };
    let binary = Finalizer::new(options).finalize_kernel(&module, 0).map_err(|e| e.0[0].message.clone())?;
    Ok(binary.code)
}

fn insts(platform: Platform, code: &[u8]) -> Vec<Inst<Physical>> {
    encoder::decode_all(platform, code).filter_map(|d| d.inst.ok()).collect()
}

/// `operation.function descriptor extended`, of each message but those of the payload's prologue, the fences
/// before the end, and the end itself (but for a conditional one).
fn messages(platform: Platform, lines: &str) -> Vec<String> {
    let code = code(platform, lines, |text| text).unwrap_or_else(|e| panic!("{platform}: {lines}: {e}"));
    let words = insts(platform, &code).into_iter().filter_map(|inst| {
        let Payload::Send(info) = inst.payload else { return None };
        fn word<D: Into<u32>>(desc: Desc<Physical, D>) -> String {
            match desc {
                Desc::Imm(desc) => format!("{:#x}", desc.into()),
                Desc::Reg(_) => "a0".to_owned(),
            }
        }
        let (desc, ex_desc) = (word(info.desc), word(info.ex_desc));
        let prologue = ex_desc == "0xff000000" || desc == "0x219e000";
        let text = format!("{}.{} {desc} {ex_desc}", inst.op, info.sfid);
        let end = info.eot && matches!(inst.op, gen_ir::Op::Send);
        (!prologue && !end).then_some(text)
    });
    words.collect()
}

#[test]
fn the_message_behind_a_wait_is_conditional() {
    let lines = "wait D1(0,0)<0;1,0>\noword_ld (2) T6 0x0:ud X.0\noword_st (2) T6 0x0:ud X.0";
    for platform in Platform::ALL {
        let found = messages(platform, lines);
        assert!(found[0].starts_with("sendc.dc0") && found[1].starts_with("send"), "{platform}: {found:?}");
        assert!(!found[1].starts_with("sendc") && !found[1].starts_with("sendsc"), "{platform}: {found:?}");
        // Also where nothing is cleared, and where the message has two payloads.
        let found = messages(platform, "wait 0x0:ud\noword_st (2) T6 0x0:ud X.0");
        let op = if matches!(platform, Skl | Bxt | Icllp) { "sendsc" } else { "sendc" };
        assert_eq!(found[0].split('.').next(), Some(op), "{platform}: {found:?}");
        // The end of the thread waits, too.
        assert_eq!(messages(platform, "wait 0x0:ud").len(), 1, "{platform}");
    }
}

#[test]
fn a_wait_without_a_message_gets_a_fence() {
    let lines = "wait 0x0:ud\ngoto (M1, 1) next\nnext:\noword_st (2) T6 0x0:ud X.0";
    for (platform, fence) in [(Skl, "sendc.dc0 0x209c000 0x0"), (Pvc, "sendc.slm 0x210011f 0x0")] {
        let found = messages(platform, lines);
        assert_eq!(found[0], fence, "{platform}: {found:?}");
        assert!(found[1].starts_with("send") && !found[1].contains("c."), "{platform}: {found:?}");
    }
}

#[test]
fn planes_of_media_blocks_follow_each_other() {
    for platform in Platform::ALL {
        let found = messages(platform, "media_ld.nomod (32, 8) T6 2 D1(0,0)<0;1,0> 0x0:d X.0");
        let len = if platform == Pvc { 4 } else { 8 };
        assert_eq!(found, [format!("send.dc1 {:#x} 0x0", 0x0209_0005 | len << 20)], "{platform}");
    }
}

/// How many bytes behind the first eight of a register a block of eight bytes leaves as they are.
#[test]
fn a_small_media_block_keeps_the_rest_of_the_register() {
    let lines = "mov (M1, 8) D0(0,0)<1> D2(0,0)<1;1,0>\nmedia_ld.nomod (3, 2) T6 0 0x0:d 0x0:d D0.0\noword_st (4) T6 0x0:ud D0.0";
    for platform in Platform::ALL {
        let code = code(platform, lines, |text| text).expect("code");
        let all = insts(platform, &code);
        let read = all.iter().position(|i| {
            i.send().is_some_and(|s| s.desc == Desc::Imm(gen_ir::Descriptor::from_bits(0x0219_0003)))
        });
        let read = read.unwrap_or_else(|| panic!("{platform}: {all:?}"));
        let write = read + 1 + all[read + 1..].iter().position(|i| i.send().is_some()).expect("a store");
        // Two dwords are moved from the response; the store reads another register.
        let copied: u32 = all[read + 1..write]
            .iter()
            .filter(|i| i.src[0].reg().map(|r| r.base()) == all[read].dst.reg().map(|r| r.base()))
            .map(|i| i.exec.lanes())
            .sum();
        assert_eq!(copied, 2, "{platform}: {:?}", &all[read..=write]);
    }
}

#[test]
fn predefined_surfaces() {
    let found = |platform, surface| messages(platform, &format!("oword_ld (2) {surface} 0x0:ud X.0"));
    assert_eq!(found(Bdw, "T1"), ["send.dc0 0x21802f3 0x0"]);
    assert_eq!(found(Bdw, "T2"), ["send.dc0 0x21802f4 0x0"]);
    for platform in [Skl, Icllp, Tgllp, Pvc] {
        assert_eq!(found(platform, "T2"), ["send.dc0 0x2180202 0x0"], "{platform}");
        let op = if matches!(platform, Skl | Icllp) { "sends" } else { "send" };
        assert_eq!(found(platform, "TSS"), [format!("{op}.dc0 0x21802fb a0")], "{platform}");
        let set = "movs (M1_NM, 1) %bss(0) D1(0,0)<0;1,0>
oword_ld (2) %bss 0x0:ud X.0";
        assert_eq!(messages(platform, set), [format!("{op}.dc0 0x21802fc a0")], "{platform}");
    }
    assert!(code(Bdw, "oword_ld (2) TSS 0x0:ud X.0", |t| t).is_err());
}

#[test]
fn fences_of_the_load_store_cache() {
    let both = |word: &str| ["ugm", "tgm"].map(|f| format!("send.{f} {word} 0x0"));
    assert_eq!(messages(Pvc, "fence_global.E"), both("0x210071f"));
    assert_eq!(messages(Pvc, "fence_global.ER"), both("0x210571f"));
    assert_eq!(messages(Pvc, "fence_local"), ["send.slm 0x210011f 0x0"]);
    assert_eq!(messages(Pvc, "lsc_fence.ugm.evict.gpu"), ["send.ugm 0x210171f 0x0"]);
}

#[test]
fn coarse_pixel_compensation() {
    let lines = "sample_3d.cps.RGBA (M1, 8) 0x0:uw S0 T6 X.0 F1.0 F2.0";
    let ex_desc = |platform| messages(platform, lines)[0].rsplit(' ').next().map(str::to_owned);
    assert_eq!(ex_desc(Tgllp).as_deref(), Some("0x840"));
    // Here it is a bit of the word (Intel's finalizer, `bitsExDescCPSLOD`).
    let code = code(Icllp, lines, |text| text).unwrap();
    let is_sample =
        |i: &Inst<Physical>| matches!(&i.payload, Payload::Send(s) if s.sfid == gen_ir::Sfid::Sampler);
    let sample = insts(Icllp, &code).into_iter().find(is_sample).unwrap();
    assert!(sample.opts.has(gen_ir::Options::CPS));
    let word = code.chunks_exact(16).map(|w| u128::from_le_bytes(w.try_into().unwrap()));
    let sends = word.filter(|w| *w & 0x7f == 0x33 && *w >> 24 & 15 == 2);
    assert!(sends.clone().count() == 1 && sends.into_iter().all(|w| w >> 31 & 1 == 1));
    assert_eq!(ex_desc(Icllp).as_deref(), Some("0x40"));
}

#[test]
fn headers_of_queries() {
    let header = |platform, lines| {
        let found = messages(platform, lines);
        let word = u32::from_str_radix(&found[0].split(' ').nth(1).expect("a descriptor")[2..], 16);
        word.expect("a constant") >> 19 & 1 != 0
    };
    for (platform, query, expected) in [
        (Bdw, "sampleinfo.R (M1, 8) T6 X.0", true),
        (Bdw, "resinfo.R (M1, 8) T6 D1.0 X.0", true),
        (Bdw, "resinfo.RGBA (M1, 8) T6 D1.0 X.0", false),
        (Skl, "resinfo.RGBA (M1, 8) T6 D1.0 X.0", false),
        (Skl, "resinfo.R (M1, 8) T6 D1.0 X.0", true),
        (Icllp, "sampleinfo.R (M1, 8) T6 X.0", false),
        (Icllp, "sampleinfo.RG (M1, 8) T6 X.0", true),
        (Icllp, "resinfo.RGB (M1, 8) T6 D1.0 X.0", false),
        (Icllp, "resinfo.G (M1, 8) T6 D1.0 X.0", true),
    ] {
        assert_eq!(header(platform, query), expected, "{platform}: {query}");
    }
}

#[test]
fn raw_messages_say_how_long_the_second_payload_is() {
    let lines = "raw_sends.10.1.1.0 (M1, 8) 0x0:ud 0x020a0203:ud X.0 D1.0 V0.0";
    for (platform, expected) in [
        (Skl, "sends.dc0 0x20a0203 0x40"),
        (Icllp, "sends.dc0 0x20a0203 0x40"),
        (Tgllp, "send.dc0 0x20a0203 0x40"),
        (Pvc, "send.dc0 0x20a0203 0x0"),
    ] {
        assert_eq!(messages(platform, lines), [expected], "{platform}");
    }
    // The end of a thread as today's compilers write it, and as IGC 1.0.12504 did.
    for name in ["raw_sends_eot.3.1.0.0", "raw_sends.3.eot.1.0.0"] {
        let lines = format!("{name} (M1, 8) 0x0:ud 0x2000010:ud X.0 %null.0 %null.0");
        let code = code(Skl, &lines, |text| text).expect("code");
        let ends = insts(Skl, &code).iter().filter(|i| i.is_eot()).count();
        // The message itself: nothing comes to the `ret` behind it.
        assert_eq!(ends, 1, "{name}");
    }
    let lines = "raw_sends.10.1.1.0 (M1, 8) U0(0,0)<0;1,0> 0x020a0203:ud X.0 D1.0 V0.0";
    let code = code(Pvc, lines, |text| text).expect("code");
    let all = insts(Pvc, &code);
    let send = all.iter().find(|i| i.send().is_some_and(|s| matches!(s.ex_desc, Desc::Reg(_))));
    let send = send.expect("a message");
    assert!(send.opts.has(gen_ir::Options::EX_BSO));
    assert_eq!(send.send().map(|s| s.src1_len), Some(1));
}

#[test]
fn outputs_are_written() {
    let lines = "add (M1, 8) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>";
    let adds = |attrs: &str| {
        let change = |t: String| {
            t.replace(
                ".decl D0 v_type=G type=d num_elts=16 align=hword",
                &format!(".decl D0 v_type=G type=d num_elts=16 align=hword{attrs}"),
            )
        };
        let code = code(Skl, lines, change).expect("code");
        insts(Skl, &code).iter().filter(|i| i.op == gen_ir::Op::Add).count()
    };
    assert_eq!([adds(""), adds(" attrs={Output}"), adds(" attrs={Input_Output}")], [0, 1, 1]);
}

#[test]
fn kernels_that_others_join_are_refused() {
    for (name, refused) in [("Callable", true), ("Composable", true), ("Entry", false), ("Caller", false)] {
        let change = |t: String| t.replace(".function", &format!(".kernel_attr {name}\n.function"));
        assert_eq!(code(Skl, "", change).is_err(), refused, "{name}");
    }
}

//! Messages of more lanes, blocks or bytes than a shared function takes at once: our code on the emulator leaves
//! the memory that the vISA interpreter leaves.

use emulator::{Image, Memory, Options as RunOptions, RawLaunch, Sampler, Surface, Texel, Wrap};
use finalizer::{Finalizer, Options};
use platforms::Platform;

/// `OFF` and `ADR` hold places 64 bytes apart, a lane each; `DATA` numbers; `P1` some of the lanes.
fn text(base: u64, lines: &str) -> String {
    let mut text = r#".version 4.1
.kernel "wide"
.decl IDX v_type=G type=uw num_elts=32 align=GRF
.decl OFF v_type=G type=ud num_elts=32 align=GRF
.decl ADR v_type=G type=uq num_elts=32 align=GRF
.decl DATA v_type=G type=ud num_elts=512 align=GRF
.decl SRC v_type=G type=ud num_elts=32 align=GRF
.decl FLT v_type=G type=f num_elts=32 align=GRF
.decl S1 v_type=S num_elts=1
.decl BASE v_type=G type=uq num_elts=1 align=qword
.decl P1 v_type=P num_elts=32
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.kernel_attr SimdSize=16
.function "main"
main:
    movs (M1, 1) T6(0) 0x0:ud
    movs (M1, 1) T7(0) 0x1:ud
    movs (M1, 1) S1(0) 0x0:ud
    mov (M1_NM, 8) IDX(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) IDX(0,8)<1> IDX(0,0)<1;1,0> 0x8:uw
    add (M1_NM, 16) IDX(1,0)<1> IDX(0,0)<1;1,0> 0x10:uw
    shl (M1_NM, 16) OFF(0,0)<1> IDX(0,0)<1;1,0> 0x6:uw
    shl (M1_NM, 16) OFF(2,0)<1> IDX(1,0)<1;1,0> 0x6:uw
    shl (M1_NM, 16) SRC(0,0)<1> IDX(0,0)<1;1,0> 0x1:uw
    shl (M1_NM, 16) SRC(2,0)<1> IDX(1,0)<1;1,0> 0x1:uw
    setp (M1_NM, 32) P1 0xa5f03c99:ud
"#
    .to_owned();
    text += &format!("    mov (M1_NM, 1) BASE(0,0)<1> {base:#x}:uq\n");
    for row in 0..32 {
        let (from, add) = (row % 2, row * 0x1001 + 5);
        text += &format!("    add (M1_NM, 16) DATA({},0)<1> IDX({from},0)<1;1,0> {add:#x}:ud\n", 2 * row);
    }
    for group in 0..4 {
        text +=
            &format!("    add (M1_NM, 8) ADR({},0)<1> OFF({group},0)<1;1,0> BASE(0,0)<0;1,0>\n", 2 * group);
    }
    for line in lines.lines() {
        text += &format!("    {line}\n");
    }
    for block in 0..16 {
        text += &format!("    oword_st (8) T7 {:#x}:ud DATA.{}\n", block * 8, block * 128);
    }
    text += "    oword_st (8) T7 0x80:ud OFF.0\n    oword_st (8) T7 0x88:ud ADR.0\n    ret (M1, 1)\n";
    text
}

fn check(platform: Platform, lines: &str) -> Result<(), String> {
    let mut memory = Memory::new();
    let contents = (0..1024u32).flat_map(|i| (7 ^ i.wrapping_mul(2_654_435_761)).to_le_bytes());
    let input = memory.add("input", contents.collect());
    let output = memory.add("output", vec![0; 4096]);
    let image = Some(Image::new_2d(32, 32, 1, 4, Texel::Uint));
    let surface =
        |b, image| Some(Surface { base: memory.address(b), size: memory.bytes(b).len() as u64, image });
    let surfaces = vec![surface(input, image), surface(output, None)];
    let sampler = Sampler { normalized: false, linear: false, wrap: Wrap::Edge };
    let launch = RawLaunch {
        simd: 16,
        groups: [1; 3],
        threads: 1,
        surfaces,
        samplers: vec![Some(sampler)],
        scratch: 1 << 16,
        ..RawLaunch::default()
    };
    let text = text(memory.address(input), lines);
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    let mut wanted = memory.clone();
    let report = emulator::visa::run_raw(platform, &module, 0, &launch, &mut wanted, &RunOptions::default());
    if let Some(found) = report.map_err(|e| format!("interpreter: {e}"))?.reports.first() {
        return Err(format!("interpreter: {found}"));
    }
    let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
    let binary = finalizer.finalize_kernel(&module, 0).map_err(|e| e.to_string())?;
    let mut found = memory;
    let report = emulator::run_raw(platform, &binary.code, &launch, &mut found, &RunOptions::default());
    if let Some(found) = report.map_err(|e| format!("our code: {e}"))?.reports.first() {
        return Err(format!("our code: {found}"));
    }
    for (what, b) in [("input", input), ("output", output)] {
        let (a, b) = (wanted.bytes(b), found.bytes(b));
        if let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) {
            return Err(format!("{what}, byte {at:#x}: interpreter {:#x}, our code {:#x}", a[at], b[at]));
        }
    }
    Ok(())
}

fn check_all(forms: &[&str]) {
    let mut wrong = Vec::new();
    for platform in Platform::ALL.into_iter().filter(|p| !p.caps().memory.lsc) {
        for form in forms {
            if let Err(e) = check(platform, form) {
                wrong.push(format!("{platform}: {form}: {e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn surface_messages_of_32_lanes() {
    check_all(&[
        "gather4_scaled.RGBA (M1_NM, 32) T6 0x0:ud OFF.0 DATA.0",
        "(P1) gather4_scaled.RG (M1_NM, 32) T6 0x4:ud OFF.0 DATA.0",
        "(P1) scatter4_scaled.RGB (M1_NM, 32) T6 0x0:ud OFF.0 DATA.0",
        "(P1) gather_scaled.4 (M1_NM, 32) T6 0x0:ud OFF.0 DATA.0",
        "(P1) scatter_scaled.1 (M1_NM, 32) T6 0x0:ud OFF.0 DATA.0",
        "(P1) dword_atomic.add (M1_NM, 32) T6 OFF.0 SRC.0 %null.0 DATA.0",
        "dword_atomic.cmpxchg (M1_NM, 32) T6 OFF.0 SRC.0 DATA.0 DATA.128",
        // Into what it reads from.
        "gather4_scaled.R (M1_NM, 32) T6 0x0:ud OFF.0 OFF.0",
    ]);
}

#[test]
fn messages_to_addresses_of_many_lanes_and_blocks() {
    check_all(&[
        "svm_gather.4.1 (M1_NM, 32) ADR.0 DATA.0",
        "(P1) svm_gather.4.2 (M1_NM, 32) ADR.0 DATA.0",
        "(P1) svm_gather.1.4 (M1_NM, 32) ADR.0 DATA.0",
        "(P1) svm_scatter.4.2 (M1_NM, 32) ADR.0 DATA.0",
        "svm_scatter.8.4 (M1_NM, 16) ADR.0 DATA.0",
        "svm_scatter.4.8 (M1_NM, 16) ADR.0 DATA.0",
        "svm_scatter.8.8 (M1_NM, 8) ADR.0 DATA.0",
        "(P1) svm_scatter.8.8 (M1_NM, 16) ADR.0 DATA.0",
        "(P1) svm_gather.8.8 (M1_NM, 16) ADR.0 DATA.0",
        "svm_gather.8.8 (M1_NM, 16) ADR.0 DATA.0",
        "(P1) svm_atomic.add (M1_NM, 16) ADR.0 DATA.0 SRC.0 %null.0",
        "svm_atomic.add.64 (M1_NM, 16) ADR.0 DATA.0 DATA.128 %null.0",
    ]);
}

#[test]
fn blocks_of_sixteen_owords() {
    check_all(&[
        "oword_ld (16) T6 0x3:ud DATA.64",
        "oword_ld_unaligned (16) T6 0x14:ud DATA.0",
        "oword_st (16) T6 0x2:ud DATA.0",
        "svm_block_ld (16) BASE(0,0)<0;1,0> DATA.32",
        "svm_block_st (16) BASE(0,0)<0;1,0> DATA.32",
    ]);
}

/// The samples and loads of old: three coordinates, all channels in registers of their own.
#[test]
fn samples_and_loads_of_media() {
    check_all(&[
        "load.R (16) T6 SRC.0 SRC.0 DATA.1024 DATA.0",
        "load.RGBA (8) T6 SRC.0 SRC.32 SRC.0 DATA.64",
        "load.GA (16) T6 SRC.0 SRC.64 SRC.0 OFF.0",
        "mov (M1_NM, 16) FLT(0,0)<1> SRC(0,0)<1;1,0>\nsample.RA (16) S1 T6 FLT.0 FLT.0 FLT.0 DATA.0",
        "mov (M1_NM, 16) FLT(0,0)<1> SRC(0,0)<1;1,0>\nsample.B (8) S1 T6 FLT.0 FLT.32 FLT.0 FLT.0",
    ]);
}

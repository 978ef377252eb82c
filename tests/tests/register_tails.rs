//! A copy of `r0` into eight dwords, as kernels for Xe-HPC have it: a warning; what stands behind keeps its value.

use emulator::{Buffer, Memory, Options as RunOptions, RawLaunch, Surface};
use finalizer::{Finalizer, Options};
use platforms::Platform;

const TEXT: &str = r#".version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=hword
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=16
.function "main"
main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) B(0,0)<1> 0x5:ud
    mov (M1_NM, 8) C(0,0)<1> 0x6:ud
    mov (M1_NM, 16) A(0,0)<1> %r0(0,0)<1;1,0>
    oword_st (2) T6 0x0:ud A.0
    oword_st (2) T6 0x2:ud B.0
    oword_st (2) T6 0x4:ud C.0
    ret (M1, 1)
"#;

/// Memory, a surface in it to write to, and one thread of so many lanes.
fn one_thread(simd: u32) -> (Memory, Buffer, RawLaunch) {
    let mut memory = Memory::new();
    let output = memory.add("output", vec![0; 256]);
    let surface = Some(Surface { base: memory.address(output), size: 256, image: None });
    let launch =
        RawLaunch { simd, groups: [1; 3], threads: 1, surfaces: vec![surface], ..RawLaunch::default() };
    (memory, output, launch)
}

#[test]
fn a_variable_has_its_register() {
    // Where it may lie anywhere, too: then it has a register of its own.
    copies_r0(TEXT);
    copies_r0(&TEXT.replacen("align=GRF", "align=dword", 1));
}

fn copies_r0(text: &str) {
    let (memory, output, launch) = one_thread(16);
    let module = finalizer::read_text(text.as_bytes(), Platform::Pvc).expect("text");
    for warnings in [true, false] {
        let mut finalizer = Finalizer::new(Options { verify: true, warnings, ..Options::new(Platform::Pvc) });
        let binary = finalizer.finalize_kernel(&module, 0).expect("code");
        assert_eq!(binary.warnings.len(), usize::from(warnings), "{:?}", binary.warnings);
        let (mut wanted, mut found) = (memory.clone(), memory.clone());
        let options = RunOptions::default();
        let said = emulator::visa::run_raw(Platform::Pvc, &module, 0, &launch, &mut wanted, &options);
        assert!(said.expect("interpreter").reports.is_empty());
        let said = emulator::run_raw(Platform::Pvc, &binary.code, &launch, &mut found, &options);
        assert!(said.expect("our code").reports.is_empty());
        assert_eq!(wanted.bytes(output), found.bytes(output));
        assert_eq!(found.bytes(output)[32..36], [5, 0, 0, 0]);
        assert_eq!(found.bytes(output)[64..68], [6, 0, 0, 0]);
    }
    let strict = Options { strict: true, ..Options::new(Platform::Pvc) };
    assert!(Finalizer::new(strict).finalize_kernel(&module, 0).is_err());
    // Registers of 32 bytes have no such rest.
    assert!(Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&module, 0).is_err());
}

/// Without optimization, IGC writes broadcasts of channels that a thread of eight does not have; none runs.
const BROADCAST: &str = r#".version 4.1
.kernel "k"
.decl A v_type=G type=d num_elts=8 align=dword
.decl B v_type=G type=d num_elts=8 align=hword
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "main"
main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) A(0,0)<1> 0x5:d
    mov (M1_NM, 8) B(0,0)<1> 0x6:d
    jmp (M1, 1) end
    mov (M1_NM, 8) B(0,0)<1> A(1,7)<0;1,0>
end:
    oword_st (2) T6 0x0:ud A.0
    oword_st (2) T6 0x2:ud B.0
    ret (M1, 1)
"#;

#[test]
fn an_element_behind_a_variable_is_read() {
    for platform in tests::data::devices() {
        let (mut memory, output, launch) = one_thread(platform.caps().regs.native_lanes().into());
        let text = BROADCAST.replace("SimdSize=8", &format!("SimdSize={}", launch.simd));
        let module = finalizer::read_text(text.as_bytes(), platform).expect("text");
        let mut finalizer = Finalizer::new(Options { verify: true, ..Options::new(platform) });
        let code = finalizer.finalize_kernel(&module, 0).expect("code").code;
        let options = RunOptions::default();
        let said = emulator::run_raw(platform, &code, &launch, &mut memory, &options).expect("our code");
        assert!(said.reports.is_empty(), "{:?}", said.reports);
        assert_eq!((memory.bytes(output)[0], memory.bytes(output)[32]), (5, 6));
        // As far behind as no thread has channels, it is refused.
        let far = finalizer::read_text(text.replace("A(1,7)", "A(4,0)").as_bytes(), platform).expect("text");
        assert!(Finalizer::new(Options::new(platform)).finalize_kernel(&far, 0).is_err());
    }
}

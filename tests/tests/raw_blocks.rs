//! Two-dimensional blocks, by our code and by the interpreter: raw messages, as XeTLA writes them, which bring them nearer,
//! load and store them; rows that are transformed and end early.

use emulator::RawLaunch;
use platforms::Platform;
use tests::interpreted::both_leave;

/// Rows of 128 bytes; a block of four dwords in eight of them goes from (2, 3) to (9, 20).
const KERNEL: &str = "\
.version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=8 align=GRF
.decl H v_type=G type=ud num_elts=16 align=GRF
.decl HQ v_type=G type=uq num_elts=8 align=GRF alias=<H, 0>
.decl X v_type=G type=ud num_elts=32 align=GRF
.input P offset=64 size=64
.kernel_attr SimdSize=16
.function \"main\"
main:
mov (M1_NM, 16) H(0,0)<1> 0x0:ud
mov (M1_NM, 1) HQ(0,0)<1> P(0,0)<0;1,0>
mov (M1_NM, 1) H(0,2)<1> 0x7f:ud
mov (M1_NM, 1) H(0,3)<1> 0x1f:ud
mov (M1_NM, 1) H(0,4)<1> 0x7f:ud
mov (M1_NM, 1) H(0,5)<1> 0x2:ud
mov (M1_NM, 1) H(0,6)<1> 0x3:ud
mov (M1_NM, 1) H(0,7)<1> 0x703:ud
raw_sends.15.1.0.0 (M1, 1) 0x0:ud 0x2000403:ud H.0 V0.0 V0.0
raw_sends.15.1.0.2 (M1, 1) 0x0:ud 0x2200403:ud H.0 V0.0 X.0
mov (M1_NM, 1) H(0,5)<1> 0x9:ud
mov (M1_NM, 1) H(0,6)<1> 0x14:ud
raw_sends.15.1.2.0 (M1, 1) 0x0:ud 0x2000407:ud H.0 X.0 V0.0
ret (M1, 1)
";

/// One thread, whose payload begins with an address.
fn of_address(address: u64) -> RawLaunch {
    let mut payload = address.to_le_bytes().to_vec();
    payload.resize(64, 0);
    RawLaunch { simd: 16, groups: [1; 3], threads: 1, payload: vec![payload], ..RawLaunch::default() }
}

#[test]
fn blocks_are_moved() {
    let before: Vec<u32> = (0..32 * 32).map(|i| i * 3 + 1).collect();
    let mut expected = before.clone();
    for (row, column) in (0..8).flat_map(|row| (0..4).map(move |column| (row, column))) {
        expected[(20 + row) * 32 + 9 + column] = before[(3 + row) * 32 + 2 + column];
    }
    let found = both_leave(Platform::Pvc, KERNEL, |memory| {
        let picture = memory.add("picture", before.iter().flat_map(|v| v.to_le_bytes()).collect());
        (of_address(memory.address(picture)), picture)
    });
    assert!(found == [expected.clone(), expected], "a block is elsewhere, or other than what was read");
}

/// Three rows of 32 words, of which two make dwords, from rows of 64 bytes; what comes back is stored behind them.
const TRANSFORMED: &str = "\
.version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=64 align=GRF
.input P offset=64 size=64
.kernel_attr SimdSize=16
.function \"main\"
main:
lsc_load_block2d.ugm (M1_NM, 1) X:d16.1x32x3nt flat[P.0,0x3f,0xf,0x3f,0x0,0x0]
lsc_store.ugm (M1_NM, 1) flat[P+0x400]:a64 X:d32x64t
ret (M1, 1)
";

/// The fourth row is missing; zeros stand in its place (IGC, CShader.cpp, `GenISA_LSC2DBlockRead`: "transform block height
/// not multiple of N, zero padded").
#[test]
fn a_missing_row_of_transformed_ones_is_zero() {
    let before: Vec<u16> = (0..16 * 32).map(|i| i * 7 + 1).collect();
    let place = |row: usize, column: usize| row / 2 * 64 + column * 2 + row % 2;
    let mut expected = before.clone();
    expected.resize(0x400 / 2 + 128, 0);
    for (row, column) in (0..3).flat_map(|row| (0..32).map(move |column| (row, column))) {
        expected[0x400 / 2 + place(row, column)] = before[row * 32 + column];
    }
    let bytes = |words: &[u16]| words.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let expected: Vec<u32> =
        bytes(&expected).chunks_exact(4).map(|d| u32::from_le_bytes([d[0], d[1], d[2], d[3]])).collect();
    let found = both_leave(Platform::Pvc, TRANSFORMED, |memory| {
        let mut picture = bytes(&before);
        picture.resize(0x400 + 256, 0xee);
        let picture = memory.add("picture", picture);
        (of_address(memory.address(picture)), picture)
    });
    assert!(found == [expected.clone(), expected], "{found:x?}");
}

/// Every third dword from the fifth on, sixteen of them, and pairs of dwords one after the other; a transposed row.
const STRIDED: &str = "\
.version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=80 align=GRF
.input P offset=64 size=64
.kernel_attr SimdSize=16
.function \"main\"
main:
lsc_load_strided.ugm (M1_NM, 16) X.0:d32 flat[P.0+0x10,0xc]:a64
lsc_load_strided.ugm (M1_NM, 16) X.64:d32x2 flat[P.0+0x100]:a64
lsc_load_strided.ugm (M1_NM, 1) X.192:d32x8t flat[P.0+0x200]:a64
lsc_store_strided.ugm (M1_NM, 16) flat[P.0+0x400,0x10]:a64 X.0:d32x3
lsc_store_strided.ugm (M1_NM, 1) flat[P.0+0x600]:a64 X.192:d32x8t
ret (M1, 1)
";

/// Intel's finalizer adds the offset to the base (`lscLoadEffectiveAddress` before `lscBuildStridedPayload`).
#[test]
fn strided_data_have_an_offset_and_a_pitch() {
    let before: Vec<u32> = (0..0x640 / 4).map(|i| i * 5 + 1).collect();
    let mut expected = before.clone();
    for lane in 0..16 {
        let at = 0x400 / 4 + lane * 4;
        expected[at] = before[4 + lane * 3];
        expected[at + 1] = before[0x100 / 4 + lane * 2];
        expected[at + 2] = before[0x100 / 4 + lane * 2 + 1];
    }
    expected[0x600 / 4..][..8].copy_from_slice(&before[0x200 / 4..][..8]);
    let found = both_leave(Platform::Pvc, STRIDED, |memory| {
        let memory_of = memory.add("numbers", before.iter().flat_map(|v| v.to_le_bytes()).collect());
        (of_address(memory.address(memory_of)), memory_of)
    });
    assert!(found == [expected.clone(), expected], "{found:?}");
}

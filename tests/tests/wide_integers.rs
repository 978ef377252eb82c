//! 64-bit integer operations on every platform whose kernels get their inputs in registers, native or in
//! halves: the emulator's results against Rust's.

use emulator::{Memory, Options as RunOptions, RawLaunch};
use finalizer::{Finalizer, Options};
use platforms::Platform;

const LANES: usize = 8;
const OUT: &str = "out";

type Compute = fn(u64, u64) -> u64;

/// Lines on `A:q`, `B:q`, `UA:uq`, `UB:uq`, `S:ud` (the low dwords of B, a shift count), `F:f` (A as float bits),
/// with the result in `R:q` or `UR:uq`; and what they compute.
#[rustfmt::skip]
const CASES: &[(&str, &str, Compute)] = &[
    ("add", "add (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| a.wrapping_add(b)),
    ("sub", "add (M1, 8) R(0,0)<1> A(0,0)<1;1,0> (-)B(0,0)<1;1,0>", |a, b| a.wrapping_sub(b)),
    ("neg", "mov (M1, 8) R(0,0)<1> (-)A(0,0)<1;1,0>", |a, _| a.wrapping_neg()),
    ("abs", "mov (M1, 8) R(0,0)<1> (abs)A(0,0)<1;1,0>", |a, _| (a as i64).wrapping_abs() as u64),
    ("not", "not (M1, 8) R(0,0)<1> A(0,0)<1;1,0>", |a, _| !a),
    ("and", "and (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| a & b),
    ("mul", "mul (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| a.wrapping_mul(b)),
    ("mad", "mad (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| a.wrapping_mul(b).wrapping_add(b)),
    ("shl", "shl (M1, 8) R(0,0)<1> A(0,0)<1;1,0> S(0,0)<2;1,0>", |a, b| a.wrapping_shl(b as u32)),
    ("shr", "shr (M1, 8) UR(0,0)<1> UA(0,0)<1;1,0> S(0,0)<2;1,0>", |a, b| a.wrapping_shr(b as u32)),
    ("asr", "asr (M1, 8) R(0,0)<1> A(0,0)<1;1,0> S(0,0)<2;1,0>", |a, b| (a as i64).wrapping_shr(b as u32) as u64),
    ("shl by a scalar", "shl (M1, 8) R(0,0)<1> A(0,0)<1;1,0> S(0,0)<0;1,0>", |a, _| a.wrapping_shl(VALUES[0].1 as u32)),
    ("shl by 40", "shl (M1, 8) R(0,0)<1> A(0,0)<1;1,0> 40:d", |a, _| a << 40),
    ("asr by 9", "asr (M1, 8) R(0,0)<1> A(0,0)<1;1,0> 9:d", |a, _| (a as i64 >> 9) as u64),
    ("min", "min (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| (a as i64).min(b as i64) as u64),
    ("max", "max (M1, 8) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", |a, b| a.max(b)),
    ("eq", "cmp.eq (M1, 8) P1 A(0,0)<1;1,0> B(0,0)<1;1,0>\n(P1) sel (M1, 8) R(0,0)<1> A(0,0)<1;1,0> 7:q", |a, b| if a == b { a } else { 7 }),
    ("lt", "cmp.lt (M1, 8) P1 A(0,0)<1;1,0> B(0,0)<1;1,0>\n(P1) sel (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| (a as i64).min(b as i64) as u64),
    ("ge unsigned", "cmp.ge (M1, 8) P1 UA(0,0)<1;1,0> UB(0,0)<1;1,0>\n(P1) sel (M1, 8) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", |a, b| a.max(b)),
    ("add into a dword", "add (M1, 8) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nmov (M1, 8) R(0,0)<1> D(0,0)<1;1,0>", |a, b| a.wrapping_add(b) as i32 as u64),
    ("dword to qword", "mov (M1, 8) R(0,0)<1> DA(0,0)<2;1,0>", |a, _| a as i32 as u64),
    ("saturated to a dword", "mov.sat (M1, 8) D(0,0)<1> A(0,0)<1;1,0>\nmov (M1, 8) R(0,0)<1> D(0,0)<1;1,0>", |a, _| (a as i64).clamp(i32::MIN.into(), i32::MAX.into()) as u64),
    ("to float", "mov (M1, 8) FR(0,0)<1> A(0,0)<1;1,0>\nmov (M1, 8) UR(0,0)<1> UFR(0,0)<1;1,0>", |a, _| (a as i64 as f32).to_bits().into()),
    ("unsigned to float", "mov (M1, 8) FR(0,0)<1> UA(0,0)<1;1,0>\nmov (M1, 8) UR(0,0)<1> UFR(0,0)<1;1,0>", |a, _| (a as f32).to_bits().into()),
    ("a return of some lanes", "mov (M1, 8) R(0,0)<1> A(0,0)<1;1,0>\ncmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0:q\n(P1) ret (M1, 8)", |a, _| if (a as i64) < 0 { 0xeeee_eeee_eeee_eeee } else { a }),
    ("from float", "mov (M1, 8) FR(0,0)<1> A(0,0)<1;1,0>\nmul (M1, 8) FR(0,0)<1> FR(0,0)<1;1,0> 0x3f000000:f\nmov (M1, 8) R(0,0)<1> FR(0,0)<1;1,0>", |a, _| (a as i64 as f32 * 0.5) as i64 as u64),
];

#[rustfmt::skip]
const VALUES: [(u64, u64); LANES] = [
    (0x0123_4567_89ab_cdef, 3), (0xffff_ffff_ffff_ffff, 33), (0, 0), (0x8000_0000_0000_0000, 63),
    (0x0000_0001_0000_0000, 0x0000_0000_ffff_ffff), (0xfedc_ba98_7654_3210, 0x7fff_ffff_ffff_fff8),
    (5, 5), (0x7fff_ffff_8000_0001, 0x8000_0000_0000_0020),
];

fn text(lines: &str) -> String {
    format!(
        "\
.version 4.1
.kernel \"k\"
.decl A v_type=G type=q num_elts=8 align=hword
.decl B v_type=G type=q num_elts=8 align=hword
.decl ADDR v_type=G type=uq num_elts=8 align=hword
.decl R v_type=G type=q num_elts=8 align=hword
.decl D v_type=G type=d num_elts=8 align=hword
.decl FR v_type=G type=f num_elts=8 align=hword
.decl UFR v_type=G type=ud num_elts=8 align=hword alias=<FR, 0>
.decl UA v_type=G type=uq num_elts=8 align=hword alias=<A, 0>
.decl UB v_type=G type=uq num_elts=8 align=hword alias=<B, 0>
.decl UR v_type=G type=uq num_elts=8 align=hword alias=<R, 0>
.decl S v_type=G type=ud num_elts=16 align=hword alias=<B, 0>
.decl DA v_type=G type=d num_elts=16 align=hword alias=<A, 0>
.decl P1 v_type=P num_elts=8
.input A offset=32 size=64
.input B offset=96 size=64
.input ADDR offset=160 size=64
.kernel_attr SimdSize=8
.function \"main\"
main:
{lines}
svm_scatter.8.1 (M1, 8) ADDR.0 R.0
ret (M1, 1)
"
    )
}

fn run(platform: Platform, name: &str, lines: &str) -> Result<Vec<u64>, String> {
    let fault = |e: &dyn std::fmt::Display| format!("{platform} {name}: {e}");
    let module = finalizer::read_text(text(lines).as_bytes(), platform).map_err(|e| fault(&e))?;
    let options = Options { verify: true, ..Options::new(platform) };
    let binary = Finalizer::new(options).finalize_kernel(&module, 0).map_err(|e| fault(&e))?;
    let mut memory = Memory::new();
    let out = memory.add(OUT, vec![0xee; LANES * 8]);
    let address = memory.address(out);
    let mut payload = Vec::new();
    payload.extend(VALUES.iter().flat_map(|v| v.0.to_le_bytes()));
    payload.extend(VALUES.iter().flat_map(|v| v.1.to_le_bytes()));
    payload.extend((0..LANES as u64).flat_map(|i| (address + 8 * i).to_le_bytes()));
    let launch = RawLaunch {
        simd: 8,
        groups: [1, 1, 1],
        threads: 1,
        payload: vec![payload],
        scratch: 1024,
        ..RawLaunch::default()
    };
    let report = emulator::run_raw(platform, &binary.code, &launch, &mut memory, &RunOptions::default())
        .map_err(|e| fault(&e))?;
    if let Some(r) = report.reports.first() {
        return Err(format!("{platform} {name}: {r:?}"));
    }
    let (_, _, bytes) = memory.buffers().find(|(_, n, _)| *n == OUT).expect("the buffer");
    Ok(bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes"))).collect())
}

#[test]
fn all_platforms_compute_in_64_bits() {
    let mut faults = Vec::new();
    for platform in Platform::ALL.into_iter().filter(|p| p.caps().regs.grf_bytes == 32) {
        for (name, lines, compute) in CASES {
            match run(platform, name, lines) {
                Err(e) => faults.push(e),
                Ok(got) => faults.extend(VALUES.into_iter().zip(got).filter_map(|((a, b), got)| {
                    let want = compute(a, b);
                    (got != want).then(|| {
                        format!("{platform} {name}({a:#x}, {b:#x}): found {got:#x}, expected {want:#x}")
                    })
                })),
            }
        }
    }
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

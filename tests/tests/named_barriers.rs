//! Barriers that have a number, and are not of the whole group: threads that share one wait for each other, and for nobody
//! else. On the emulator our code does, and on the interpreter the vISA itself.

use emulator::{RawLaunch, Surface};
use platforms::Platform;
use tests::interpreted::both_leave;

const THREADS: u32 = 4;

/// Thread 0 and 1 meet twice and hand each other what the other has written. Thread 2 produces, thread 3 produces and
/// consumes what both have, and waits for nobody else.
const KERNEL: &str = "\
.version 4.1
.kernel \"k\"
.decl T v_type=G type=ud num_elts=1 align=GRF
.decl T_ub v_type=G type=ub num_elts=4 align=GRF alias=<T, 0>
.decl L v_type=G type=ud num_elts=16 align=GRF
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl V v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=1
.kernel_attr SLMSize=1
.kernel_attr NBarrierCnt=8
.kernel_attr SimdSize=16
.function \"main\"
main:
and (M1_NM, 1) T(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mov (M1_NM, 8) L(0,0)<1> 0x76543210:uv
add (M1_NM, 8) L(0,8)<1> L(0,0)<1;1,0> 0x8:ud
mad (M1_NM, 16) A(0,0)<1> T(0,0)<0;1,0> 0x10:uw L(0,0)<1;1,0>
add (M1_NM, 16) V(0,0)<1> A(0,0)<1;1,0> 0x100:ud
shl (M1_NM, 16) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud
xor (M1_NM, 16) B(0,0)<1> A(0,0)<1;1,0> 0x40:ud
cmp.gt (M1_NM, 1) P1 T(0,0)<0;1,0> 0x1:ud
(P1) jmp (M1, 1) others
lsc_store.slm (M1_NM, 16) flat[A]:a32 V:d32
nbarrier.signal 0x1:ub 0x2:ub
nbarrier.wait 0x1:ub
lsc_load.slm (M1_NM, 16) V:d32 flat[B]:a32
nbarrier.signal 0x1:ub 0x2:ub
add (M1_NM, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1000:ud
add (M1_NM, 1) T(0,0)<1> T(0,0)<0;1,0> 0x0:ud
nbarrier.wait 0x1:ub
lsc_store.slm (M1_NM, 16) flat[A]:a32 V:d32
nbarrier.signal 0x1:ub 0x2:ub
nbarrier.wait 0x1:ub
lsc_load.slm (M1_NM, 16) V:d32 flat[B]:a32
jmp (M1, 1) done
others:
cmp.eq (M1_NM, 1) P1 T(0,0)<0;1,0> 0x3:ud
(P1) jmp (M1, 1) consumer
lsc_store.slm (M1_NM, 16) flat[A]:a32 V:d32
lsc_fence.slm.none.group
nbarrier.signal T_ub(0,0)<0;1,0> 0x1:uw 0x2:ub 0x1:ub
jmp (M1, 1) done
consumer:
nbarrier.signal 0x2:ub 0x0:uw 0x2:ub 0x1:ub
add (M1_NM, 1) T(0,0)<1> T(0,0)<0;1,0> 0xffffffff:ud
nbarrier.wait T_ub(0,0)<0;1,0>
lsc_load.slm (M1_NM, 16) V:d32 flat[B]:a32
done:
lsc_store.ugm (M1_NM, 16) bti(0x0)[A]:a32 V:d32
ret (M1, 1)
";

#[test]
fn threads_wait_for_those_that_share_a_barrier() {
    let from = |thread: u32, added: u32| (0..16).map(move |lane| added + 0x100 + 16 * thread + lane);
    let expected: Vec<u32> =
        [from(0, 0x1000), from(1, 0x1000), from(2, 0), from(2, 0)].into_iter().flatten().collect();
    let found = both_leave(Platform::Pvc, KERNEL, |memory| {
        let out = memory.add_low("out", vec![0; 64 * THREADS as usize]);
        let surface = Surface { base: memory.address(out), size: u64::from(64 * THREADS), image: None };
        let launch = RawLaunch {
            simd: 16,
            groups: [1; 3],
            threads: THREADS,
            surfaces: vec![Some(surface)],
            slm: 1024,
            ..RawLaunch::default()
        };
        (launch, out)
    });
    assert_eq!(found, [expected.clone(), expected]);
}

//! Lanes that return early from a function keep what they return while others go on.

use emulator::{Memory, RawLaunch, Surface};
use finalizer::{Finalizer, Options};
use platforms::Platform;
use tests::interpreted::both_leave;

const LANES: u32 = 16;

/// A kernel that calls a function with the numbers of its lanes and stores what comes back.
fn program(function: &str) -> String {
    format!(
        r#".version 4.1
.kernel "caller"
.decl lane v_type=G type=uw num_elts=16 align=GRF
.decl got v_type=G type=d num_elts=16 align=GRF
.decl arg v_type=G type=d num_elts=16 align=GRF alias=<%arg, 0>
.decl ret v_type=G type=d num_elts=16 align=GRF alias=<%retval, 0>
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=16
.function "caller"
caller:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) lane(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) lane(0,8)<1> lane(0,0)<1;1,0> 0x8:uw
    mov (M1, 16) arg(0,0)<1> lane(0,0)<1;1,0>
    fcall (M1, 16) first 2 2
    mov (M1, 16) got(0,0)<1> ret(0,0)<1;1,0>
    oword_st (4) T6 0x0:ud got.0
    ret (M1, 1)
.global_function "first"
{HEAD}.function "first_0"
first_0:
{function}
    fret (M1, 16)
.global_function "second"
{HEAD}.function "second_0"
second_0:
    mov (M1_NM, 16) x(0,0)<1> 0x1234:d
    mul (M1, 16) x(0,0)<1> arg(0,0)<1;1,0> 0x7:w
    mov (M1, 16) ret(0,0)<1> x(0,0)<1;1,0>
    fret (M1, 16)
"#
    )
}

const HEAD: &str = ".decl x v_type=G type=d num_elts=16 align=GRF
.decl y v_type=G type=d num_elts=16 align=GRF
.decl arg v_type=G type=d num_elts=16 align=GRF alias=<%arg, 0>
.decl ret v_type=G type=d num_elts=16 align=GRF alias=<%retval, 0>
.decl z v_type=G type=d num_elts=16 align=GRF
.decl v0 v_type=G type=d num_elts=16 align=GRF
.decl v1 v_type=G type=d num_elts=16 align=GRF
.decl v2 v_type=G type=d num_elts=16 align=GRF
.decl v3 v_type=G type=d num_elts=16 align=GRF
.decl v4 v_type=G type=d num_elts=16 align=GRF
.decl v5 v_type=G type=d num_elts=16 align=GRF
.decl v6 v_type=G type=d num_elts=16 align=GRF
.decl v7 v_type=G type=d num_elts=16 align=GRF
.decl v8 v_type=G type=d num_elts=16 align=GRF
.decl v9 v_type=G type=d num_elts=16 align=GRF
.decl v10 v_type=G type=d num_elts=16 align=GRF
.decl v11 v_type=G type=d num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.kernel_attr SimdSize=16
.kernel_attr ArgSize=2
.kernel_attr RetValSize=2
";

/// What our code and the interpreter leave in the lanes has to be this.
fn leaves(function: &str, wanted: impl Fn(u32) -> u32) {
    let wanted: Vec<u32> = (0..LANES).map(wanted).collect();
    for platform in Platform::ALL {
        let prepare = |memory: &mut Memory| {
            let buffer = memory.add("out", vec![0; 4 * LANES as usize]);
            let surface = Surface { base: memory.address(buffer), size: u64::from(4 * LANES), image: None };
            let launch = RawLaunch {
                simd: LANES,
                groups: [1; 3],
                threads: 1,
                surfaces: vec![Some(surface)],
                scratch: 1 << 16,
                ..RawLaunch::default()
            };
            (launch, buffer)
        };
        let [ours, interpreted] = both_leave(platform, &program(function), prepare);
        assert_eq!(interpreted, wanted, "{platform}: the interpreter");
        assert_eq!(ours, wanted, "{platform}: our code");
    }
}

/// The callee of the others has the registers of results to itself.
#[test]
fn results_of_early_returns_survive_calls() {
    let function = "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    mov (M1, 16) x(0,0)<1> arg(0,0)<1;1,0>
    add (M1, 16) ret(0,0)<1> x(0,0)<1;1,0> 0x64:w
    (P1) fret (M1, 16)
    mov (M1, 16) arg(0,0)<1> x(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    mov (M1, 16) x(0,0)<1> ret(0,0)<1;1,0>
    add (M1, 16) ret(0,0)<1> x(0,0)<1;1,0> 0x1:w";
    leaves(function, |lane| if lane > 4 { lane + 100 } else { 7 * lane + 1 });
}

/// Arguments are not results, though both have the same registers.
#[test]
fn arguments_are_read_behind_results() {
    let function = "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    mov (M1, 16) ret(0,0)<1> 0x64:w
    (P1) fret (M1, 16)
    add (M1, 16) ret(0,0)<1> arg(0,0)<1;1,0> 0x1:w";
    leaves(function, |lane| if lane > 4 { 100 } else { lane + 1 });
}

/// Some lanes call; the others have their arguments still.
#[test]
fn arguments_of_lanes_that_wait_survive_calls() {
    let function = "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    (P1) goto (M1, 16) other
    mov (M1, 16) y(0,0)<1> arg(0,0)<1;1,0>
    mov (M1, 16) arg(0,0)<1> y(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    mov (M1, 16) x(0,0)<1> ret(0,0)<1;1,0>
    goto (M1, 16) both
other:
    mov (M1, 16) x(0,0)<1> arg(0,0)<1;1,0>
both:
    mov (M1, 16) ret(0,0)<1> x(0,0)<1;1,0>";
    leaves(function, |lane| if lane > 4 { lane } else { 7 * lane });
}

/// Lanes stay in a loop behind a call for as many rounds as they like: none calls meanwhile.
#[test]
fn results_are_read_in_a_loop() {
    let function = "    mov (M1, 16) x(0,0)<1> 0x0:d
    mov (M1, 16) y(0,0)<1> arg(0,0)<1;1,0>
    mov (M1, 16) arg(0,0)<1> y(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
again:
    add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> ret(0,0)<1;1,0>
    add (M1, 16) y(0,0)<1> y(0,0)<1;1,0> -0x1:d
    cmp.ge (M1, 16) P1 y(0,0)<1;1,0> 0x0:d
    (P1) goto (M1, 16) again
    add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> ret(0,0)<1;1,0>
    mov (M1, 16) ret(0,0)<1> x(0,0)<1;1,0>";
    leaves(function, |lane| 7 * lane * (lane + 2));
}

/// In the text the call stands in front of a return of lanes that do not come from it.
#[test]
fn results_of_lanes_that_call_nothing_are_their_own() {
    let function = "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    mov (M1, 16) y(0,0)<1> arg(0,0)<1;1,0>
    mov (M1, 16) ret(0,0)<1> 0x64:w
    (P1) goto (M1, 16) none
    mov (M1, 16) arg(0,0)<1> y(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    mov (M1, 16) x(0,0)<1> ret(0,0)<1;1,0>
    goto (M1, 16) write
none:
    fret (M1, 16)
write:
    mov (M1, 16) ret(0,0)<1> x(0,0)<1;1,0>";
    leaves(function, |lane| if lane > 4 { 100 } else { 7 * lane });
}

/// What a call gave stays in its registers where nothing else happens to them but the function's own results.
#[test]
fn results_of_a_call_are_handed_on() {
    let function = "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    mov (M1, 16) y(0,0)<1> arg(0,0)<1;1,0>
    mov (M1, 16) arg(0,0)<1> y(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    (P1) goto (M1, 16) past
    mov (M1, 16) ret(0,0)<1> 0x64:w
past:";
    leaves(function, |lane| if lane > 4 { 7 * lane } else { 100 });
}

/// Lanes that leave a loop of calls early have what they were given last, though others go on to call: that is refused, as
/// is a result that lanes come to the end with from another call, past a write.
#[test]
fn results_that_others_overwrite_are_refused() {
    let functions = [
        "    mov (M1, 16) x(0,0)<1> arg(0,0)<1;1,0>
again:
    mov (M1, 16) arg(0,0)<1> x(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> -0x1:d
    cmp.ge (M1, 16) P1 x(0,0)<1;1,0> 0x0:d
    (P1) goto (M1, 16) again
    mov (M1, 16) y(0,0)<1> ret(0,0)<1;1,0>
    mov (M1, 16) ret(0,0)<1> y(0,0)<1;1,0>",
        "    cmp.gt (M1, 16) P1 arg(0,0)<1;1,0> 0x4:d
    mov (M1, 16) y(0,0)<1> arg(0,0)<1;1,0>
    mov (M1, 16) ret(0,0)<1> 0x1:w
    mov (M1, 16) arg(0,0)<1> y(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    (P1) goto (M1, 16) past
    mov (M1, 16) ret(0,0)<1> 0x64:w
past:",
    ];
    for function in functions {
        let text = program(function);
        let module = finalizer::read_text(text.as_bytes(), Platform::Skl).expect("legal text");
        let errors = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&module, 0);
        let errors = errors.expect_err("the results are lost").to_string();
        assert!(errors.contains("%retval"), "{errors}");
    }
}

/// Twelve values live across calls in a loop that some lanes leave with a result: on Xe-HPC, where a function spills through the
/// surface of its scratch memory, what was filled once for several blocks had to find a place for longer than it was needed.
#[test]
fn values_across_calls_in_a_loop_with_early_returns() {
    let each = |line: &dyn Fn(u32) -> String| (0..12).map(line).collect::<String>();
    let function = format!(
        "    mov (M1, 16) x(0,0)<1> arg(0,0)<1;1,0>
{}    mov (M1, 16) y(0,0)<1> 0x0:d
AGAIN:
    mov (M1, 16) arg(0,0)<1> x(0,0)<1;1,0>
    fcall (M1, 16) second 2 2
    mov (M1, 16) z(0,0)<1> ret(0,0)<1;1,0>
    cmp.lt (M1, 16) P1 z(0,0)<1;1,0> 0x1e:d
    (P1) mov (M1, 16) ret(0,0)<1> v0(0,0)<1;1,0>
    (P1) fret (M1, 16)
    add (M1, 16) y(0,0)<1> y(0,0)<1;1,0> 0x1:d
    cmp.lt (M1, 16) P1 y(0,0)<1;1,0> 0x3:d
    (P1) goto (M1, 16) AGAIN
    mov (M1, 16) x(0,0)<1> 0x0:d
{}    mov (M1, 16) ret(0,0)<1> x(0,0)<1;1,0>",
        each(&|i| format!("    add (M1, 16) v{i}(0,0)<1> x(0,0)<1;1,0> {i}:d\n")),
        each(&|i| format!("    add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> v{i}(0,0)<1;1,0>\n")),
    );
    leaves(&function, |lane| if 7 * lane < 30 { lane } else { 12 * lane + 66 });
}

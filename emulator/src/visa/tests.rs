//! Small kernels whose outcome the specification tells.

use crate::{Fault, Memory, Options, RawLaunch, RunReport, Surface};
use platforms::Platform;
use visa::text::TextOptions;

const HEAD: &str = "\
.version 4.1
.kernel \"t\"
.decl V32 v_type=G type=d num_elts=16 align=GRFx2
.decl V33 v_type=G type=ud num_elts=16 align=GRFx2
.decl V34 v_type=G type=d num_elts=16 align=GRFx2
.decl V35 v_type=G type=w num_elts=32 align=GRFx2
.decl V36 v_type=G type=f num_elts=16 align=GRFx2
.decl V37 v_type=G type=ub num_elts=64 alias=<V33, 0>
.decl V38 v_type=G type=uw num_elts=32 alias=<V35, 0>
.decl V40 v_type=G type=b num_elts=64 align=GRFx2 alias=<V32, 0>
.decl V41 v_type=G type=df num_elts=16 align=GRFx2
.decl V42 v_type=G type=uw num_elts=16 align=GRFx2
.decl V43 v_type=G type=hf num_elts=16 align=GRFx2 alias=<V42, 0>
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=2
.decl T8 v_type=T num_elts=1
.kernel_attr Target=\"3d\"
.kernel_attr SimdSize=16
.function \"t\"
";

const START: &str = "
main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) V35(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) V35(0,8)<1> V35(0,0)<1;1,0> 0x8:w
    mov (M1_NM, 16) V32(0,0)<1> V35(0,0)<1;1,0>
    shl (M1_NM, 16) V33(0,0)<1> V32(0,0)<1;1,0> 0x2:d
    mov (M1_NM, 16) V34(0,0)<1> 0x0:d
";

const END: &str = "
    scatter4_scaled.R (M1_NM, 16) T6 0x0:ud V33.0 V34.0
    ret (M1, 1)
";

/// Runs code on one thread of 16 lanes; `V32` has the lane numbers, and `V34` is what comes out.
fn run(code: &str) -> ([i32; 16], RunReport) {
    try_run(code).unwrap()
}

/// The same of code that may be stopped.
fn try_run(code: &str) -> Result<([i32; 16], RunReport), crate::Error> {
    run_text(&format!("{HEAD}{START}{code}"))
}

/// The same of a whole kernel.
fn run_text(text: &str) -> Result<([i32; 16], RunReport), crate::Error> {
    let module = visa::text::parse(text, TextOptions::default()).unwrap();
    let mut memory = Memory::new();
    let out = memory.add("out", vec![0; 64]);
    let launch = RawLaunch {
        simd: 16,
        groups: [1; 3],
        threads: 1,
        surfaces: vec![Some(Surface { base: memory.address(out), size: 64, image: None })],
        ..RawLaunch::default()
    };
    let report = super::run_raw(Platform::Skl, &module, 0, &launch, &mut memory, &Options::default())?;
    let bytes = memory.bytes(out);
    let word = |i: usize| i32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap());
    Ok((std::array::from_fn(word), report))
}

fn lanes(f: impl Fn(i32) -> i32) -> [i32; 16] {
    std::array::from_fn(|i| f(i as i32))
}

#[test]
fn lanes_diverge_and_meet_again() {
    let (out, report) = run(&format!(
        "
    cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x5:d
    (P1) goto (M1, 16) low
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> 0x64:d
    goto (M1, 16) done
low:
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> V32(0,0)<1;1,0>
done:
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> 0x1:d
{END}"
    ));
    assert_eq!(out, lanes(|i| if i < 5 { i + 1 } else { 101 }));
    assert_eq!(report.reports, []);
}

#[test]
fn loops_run_as_often_as_each_lane_wants() {
    let (out, _) = run(&format!(
        "
again:
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> 0x2:d
    add (M1_NM, 1) V35(0,0)<1> V35(0,0)<0;1,0> 0x1:w
    cmp.lt (M1, 16) P1 V34(0,0)<1;1,0> V32(0,0)<1;1,0>
    (P1) goto (M1, 16) again
    mov (M1, 1) V34(0,0)<1> V35(0,0)<0;1,0>
{END}"
    ));
    // Lane 0 has the number of rounds: until lane 15 is through.
    assert_eq!(out[1..], lanes(|i| (i + 1).max(2) & !1)[1..]);
    assert_eq!(out[0], 8);
}

#[test]
fn masks_start_at_their_lane() {
    let (out, _) = run(&format!(
        "
    cmp.ge (M1, 16) P1 V32(0,0)<1;1,0> 0x6:d
    (P1) mov (M2, 4) V34(0,4)<1> 0x7:d
    (!P1) mov (M1, 4) V34(0,0)<1> 0x3:d
    setp (M1_NM, 16) P2 0xff00:uw
    (P2) add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> 0x10:d
{END}"
    ));
    assert_eq!(
        out,
        lanes(|i| {
            let low = if i < 4 {
                3
            } else if (6..8).contains(&i) {
                7
            } else {
                0
            };
            low + if i >= 8 { 16 } else { 0 }
        })
    );
}

#[test]
fn addresses_lead_into_variables() {
    let (out, _) = run(&format!(
        "
    addr_add (M1_NM, 1) A0(0)<1> &V32 0x8:uw
    mov (M1_NM, 8) V34(0,0)<1> r[A0(0), 4]<1;1,0>:d
    addr_add (M1_NM, 1) A0(0)<1> &V34 0x20:uw
    mov (M1_NM, 4) r[A0(0), 0]<2>:d 0x9:d
{END}"
    ));
    let expected = [3, 4, 5, 6, 7, 8, 9, 10, 9, 0, 9, 0, 9, 0, 9, 0];
    assert_eq!(out, expected);
}

/// What is behind a variable, or in front of it, is nobody's: an indirect operand there is undefined (specification,
/// operands).
#[test]
fn addresses_stay_in_their_variable() {
    for (offset, inside) in [(0, true), (60, true), (64, false), (-4, false), (-4096, false)] {
        let outcome = try_run(&format!(
            "
    addr_add (M1_NM, 1) A0(0)<1> &V32 {offset}:w
    mov (M1_NM, 1) r[A0(0),0]<1>:d 0x7:d
    {END}"
        ));
        assert_eq!(outcome.is_ok(), inside, "{offset}: {outcome:?}");
        if let Err(e) = outcome {
            assert!(e.to_string().contains("an address that is of no variable"), "{offset}: {e}");
        }
    }
}

/// Of `sad2` the odd channels are undefined (specification, `SAD2`), and so is what one of them addresses.
#[test]
fn nothing_is_written_through_an_undefined_address() {
    for (element, defined) in [(0, true), (1, false)] {
        let outcome = try_run(&format!(
            "
    mov (M1_NM, 16) V33(0,0)<1> 0x0:d
    sad2 (M1_NM, 2) V38(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>
    addr_add (M1_NM, 1) A0(0)<1> &V32 V38(0,{element})<0;1,0>
    mov (M1_NM, 1) r[A0(0),0]<1>:d 0x7:d
    {END}"
        ));
        assert_eq!(outcome.is_ok(), defined, "{element}: {outcome:?}");
        if let Err(e) = outcome {
            assert!(e.to_string().contains("address was never written"), "{element}: {e}");
        }
    }
}

#[test]
fn saturation_and_conversion() {
    let (out, _) = run(&format!(
        "
    mov (M1, 16) V36(0,0)<1> V32(0,0)<1;1,0>
    mul (M1, 16) V36(0,0)<1> V36(0,0)<1;1,0> 0xbf400000:f
    mov (M1, 16) V34(0,0)<1> V36(0,0)<1;1,0>
    mul (M1_NM, 16) V35(0,0)<1> V32(0,0)<1;1,0> 0x2710:w
    add.sat (M1_NM, 1) V35(0,0)<1> V35(0,3)<0;1,0> 0x7530:w
    mov (M1_NM, 1) V34(0,0)<1> V35(0,0)<0;1,0>
{END}"
    ));
    assert_eq!(out[0], 32767);
    assert_eq!(out[1..], lanes(|i| (f64::from(i) * -0.75) as i32)[1..]);
}

#[test]
fn a_branch_on_what_nobody_wrote_is_reported() {
    let (_, report) = run(&format!("    (P2) goto (M1, 16) done\ndone:\n{END}"));
    assert_eq!(report.reports.len(), 1, "{:?}", report.reports);
    assert_eq!(report.reports[0].fault, Fault::Uninitialized);
}

#[test]
fn a_message_for_channels_that_nobody_chose_is_reported() {
    let cmp = "    cmp.lt (M1, 8) P1 V32(0,0)<1;1,0> 0x5:d\n";
    for (lanes, faults) in [(8, vec![]), (16, vec![Fault::Uninitialized])] {
        let scatter = format!("    (P1) scatter4_scaled.R (M1, {lanes}) T6 0x0:ud V33.0 V34.0\n{END}");
        let (_, report) = run(&format!("{cmp}{scatter}"));
        let found: Vec<_> = report.reports.iter().map(|r| r.fault).collect();
        assert_eq!(found, faults, "{lanes} lanes");
    }
}

/// Stores a lane's number to the thread's own memory, `stored` bytes of it, and asks what is loaded from there.
fn own_memory(stored: &str) -> RunReport {
    let code = format!(
        "\
.version 4.1
.kernel \"t\"
.decl V32 v_type=G type=ud num_elts=16 align=GRFx2
.decl V33 v_type=G type=ud num_elts=16 align=GRFx2
.decl V34 v_type=G type=ud num_elts=1 align=dword
.decl V35 v_type=G type=uw num_elts=16 align=GRFx2
.decl P1 v_type=P num_elts=16
.kernel_attr Target=\"3d\"
.kernel_attr SimdSize=16
.function \"t\"
main:
    shr (M1_NM, 1) V34(0,0)<1> %r0(0,5)<0;1,0> 0x4:uw
    mov (M1_NM, 8) V35(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) V35(0,8)<1> V35(0,0)<1;1,0> 0x8:w
    mov (M1_NM, 16) V32(0,0)<1> V35(0,0)<1;1,0>
    shl (M1_NM, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x2:uw
    lsc_store.ugm (M1, 16) ss(V34)[V32]:a32 V32:{stored}
    lsc_load.ugm (M1, 16) V33:d32 ss(V34)[V32]:a32
    cmp.ne (M1, 16) P1 V33(0,0)<1;1,0> 0x4:ud
    (P1) goto (M1, 16) done
done:
    ret (M1, 1)
"
    );
    let module = visa::text::parse(&code, TextOptions::default()).unwrap();
    let launch = RawLaunch { simd: 16, groups: [1; 3], threads: 1, scratch: 1024, ..RawLaunch::default() };
    super::run_raw(Platform::Pvc, &module, 0, &launch, &mut Memory::new(), &Options::default()).unwrap()
}

#[test]
fn bytes_of_own_memory_that_nobody_wrote_are_undefined() {
    let whole = own_memory("d32");
    assert!(whole.reports.is_empty(), "{:?}", whole.reports);
    let half = own_memory("d16u32");
    assert_eq!(half.reports.len(), 1, "{:?}", half.reports);
    assert_eq!(half.reports[0].fault, Fault::Uninitialized);
}

#[test]
fn subroutines_return_when_their_last_lane_does() {
    let (out, _) = run(&format!(
        "
    cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x8:d
    (P1) call (M1, 16) twice
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> 0x1:d
{END}
.function \"twice\"
twice:
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> V32(0,0)<1;1,0>
    cmp.lt (M1, 16) P2 V32(0,0)<1;1,0> 0x2:d
    (P2) ret (M1, 16)
    add (M1, 16) V34(0,0)<1> V34(0,0)<1;1,0> V32(0,0)<1;1,0>
    ret (M1, 16)
"
    ));
    assert_eq!(
        out,
        lanes(|i| if i < 2 {
            i + 1
        } else if i < 8 {
            2 * i + 1
        } else {
            1
        })
    );
}

#[test]
fn sad2_fills_even_lanes() {
    let (out, report) = run(&format!(
        "
    mov (M1_NM, 16) V35(0,0)<1> 0x0:w
    sad2 (M1_NM, 16) V35(0,0)<1> V32_B(0,0)<4;1,0> 0x3:b
    mov (M1_NM, 8) V34(0,0)<1> V35(0,0)<2;1,0>
{END}"
    )
    .replace("V32_B", "V40"));
    // |i - 3| + |i + 1 - 3| for even i.
    assert_eq!(out[..8], [5, 1, 3, 7, 11, 15, 19, 23]);
    assert_eq!(report.reports, []);
}

#[test]
fn doubles_become_halves_by_way_of_singles() {
    let (out, report) = run(&format!(
        "
    mov (M1_NM, 16) V41(0,0)<1> 0x3ff0020000001000:df
    mov (M1_NM, 16) V43(0,0)<1> V41(0,0)<1;1,0>
    mov (M1_NM, 16) V34(0,0)<1> V42(0,0)<1;1,0>
{END}"
    ));
    // A single is as far from one half as from the next, and the first is even; the double was nearer to the next.
    assert_eq!(out, [0x3c00; 16]);
    assert_eq!(report.reports, []);
}

#[test]
fn a_jump_of_several_lanes_is_one_of_the_thread() {
    let (out, _) = run(&format!(
        "
    setp (M1_NM, 16) P1 0xaaaa:uw
    (P1) jmp (M1, 16) L1
    mov (M1_NM, 16) V34(0,0)<1> 0x1:d
L1:
{END}"
    ));
    assert_eq!(out, [1; 16]);
}

#[test]
fn the_not_of_arithmetic_is_a_minus() {
    let (out, _) = run(&format!(
        "
    add (M1_NM, 16) V34(0,0)<1> (~)V32(0,0)<1;1,0> 0x1:d
{END}"
    ));
    assert_eq!(out, lanes(|i| 1 - i));
}

/// Surface variables of several elements are apart from their neighbours, and `movs` moves as many in a row as it has lanes.
#[test]
fn surface_variables_have_elements() {
    let code = format!(
        "    movs (M1_NM, 2) T7(0) V33(0,1)<1;1,0>
    movs (M1_NM, 1) T8(0) 0x9:ud
    movs (M1_NM, 2) V34(0,0)<1> T7(0)
    movs (M1_NM, 1) V34(0,2)<1> T8(0)
{END}"
    );
    assert_eq!(run(&code).0[..3], [4, 8, 9]);
}

/// Media threads have all lanes, whatever is the width of their control flow: where all lanes that a branch is for take it, nothing
/// behind it runs, for a lane that it is not for neither (spec "Branch Instructions").
#[test]
fn lanes_beyond_the_control_flow_go_along() {
    let code = format!(
        "
    setp (M1_NM, 16) P1 0xffff:uw
    mov (M1_NM, 1) V35(0,0)<1> 0x1:w
    (P1) goto (M1, 16) behind
    add (M1_NM, 1) V35(0,0)<1> V35(0,0)<0;1,0> 0x6:w
behind:
    mov (M1_NM, 16) V34(0,0)<1> V35(0,0)<0;1,0>
{END}"
    );
    let (out, _) = run_text(&format!("{HEAD}{START}{code}").replace("3d", "cm")).unwrap();
    assert_eq!(out, [1; 16]);
}

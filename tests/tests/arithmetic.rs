//! Every arithmetic instruction over the edges of its types: what our code leaves on the emulator is what the vISA
//! interpreter leaves. `cargo run --release -p tests --bin arithmetic` does so with Intel's code beside it.

use platforms::Platform;
use tests::arithmetic::{ArithmeticCase, CaseOutcome, cases, known, modified};

fn all_agree(platform: Platform) {
    let mut agree = 0;
    let mut faults = Vec::new();
    // All moves, and every third of the others.
    let some =
        |(i, case): (usize, ArithmeticCase)| (i % 3 == 0 || case.op.starts_with("mov")).then_some(case);
    for case in cases("").into_iter().enumerate().filter_map(some) {
        match case.judge(platform, None) {
            CaseOutcome::Agrees => agree += 1,
            CaseOutcome::Differs(what) | CaseOutcome::IntelDiffers(what) => {
                faults.push(format!("{platform} {case}: {what}"))
            }
            CaseOutcome::Illegal(_) | CaseOutcome::Refused(_) => {}
        }
    }
    assert!(faults.is_empty(), "{} differ\n{}", faults.len(), faults.join("\n"));
    assert!(agree > 3000, "{platform}: only {agree} instructions were compared");
}

/// Integers under modifiers, saturating and not: every eleventh of them. What vISA allows has code on all platforms.
fn modified_integers_agree(platform: Platform) {
    let mut agree = 0;
    let mut faults = Vec::new();
    for case in modified().into_iter().step_by(11) {
        match case.judge(platform, None) {
            CaseOutcome::Agrees => agree += 1,
            CaseOutcome::Illegal(_) => {}
            CaseOutcome::Differs(what) | CaseOutcome::IntelDiffers(what) | CaseOutcome::Refused(what) => {
                faults.push(format!("{platform} {case}: {what}"))
            }
        }
    }
    assert!(faults.is_empty(), "{} differ\n{}", faults.len(), faults.join("\n"));
    assert!(agree > 3000, "{platform}: only {agree} instructions were compared");
}

#[test]
fn modified_integers_agree_on_all_platforms() {
    for platform in [Platform::Skl, Platform::Tgllp, Platform::Pvc] {
        modified_integers_agree(platform);
    }
}

platforms::test_on_each!(all_agree);

/// The code of one kernel of `lines` over general variables, 64 bytes each, that are stored at the end.
fn code(
    platform: Platform,
    vars: &[(&str, &str)],
    lines: &str,
) -> Result<Vec<gen_ir::Inst<gen_ir::Physical>>, String> {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    for (name, ty) in vars {
        text += &format!(".decl {name} v_type=G type={ty} num_elts=64 align=GRF\n");
    }
    text += ".decl T6 v_type=T num_elts=1\n.kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=16\n.function \"k\"\nk:\n";
    text += "movs (M1_NM, 1) T6(0) 0x0:ud\n";
    for (name, _) in vars {
        text += &format!("oword_ld (4) T6 0x0:ud {name}.0\n");
    }
    text += lines;
    for (name, _) in vars {
        text += &format!("\noword_st (4) T6 0x0:ud {name}.0");
    }
    text += "\nret (M1, 1)\n";
    let module = finalizer::read_text(text.as_bytes(), platform).map_err(|e| e.to_string())?;
    let options = finalizer::Options { verify: true, ..finalizer::Options::new(platform) };
    let binary = finalizer::Finalizer::new(options).finalize_kernel(&module, 0).map_err(|e| e.to_string())?;
    Ok(encoder::decode_all(platform, &binary.code).map(|d| d.inst.expect("a word")).collect())
}

#[test]
fn doubles_are_spread_and_not_replicated() {
    for platform in [Platform::Bdw, Platform::Skl] {
        for lanes in [2, 4, 8] {
            let mad = format!("mad (M1_NM, {lanes}) A(0,0)<1> B(0,1)<0;1,0> A(0,0)<1;1,0> B(0,0)<1;1,0>");
            let insts = code(platform, &[("A", "df"), ("B", "df")], &mad).expect("code");
            let mads: Vec<_> = insts.iter().filter(|i| i.op == gen_ir::Op::Mad).collect();
            assert!(!mads.is_empty());
            for i in mads {
                assert_eq!(gen_ir::rules::check(platform, i), [], "{platform}: {i}");
            }
        }
    }
}

#[test]
fn stochastic_rounding_has_the_types_of_the_machine() {
    let vars = [("F", "f"), ("H", "hf"), ("B", "ub"), ("R", "uw"), ("S", "ub")];
    let lines = "srnd (M1_NM, 16) H(0,0)<1> F(0,0)<1;1,0> R(0,0)<1;1,0>\n\
                 srnd (M1_NM, 8) H(0,17)<1> F(0,1)<1;1,0> F(0,0)<0;1,0>\n\
                 srnd (M1_NM, 16) B(0,0)<1> H(0,0)<1;1,0> S(0,0)<1;1,0>\n\
                 srnd (M1_NM, 8) B(0,17)<2> H(0,0)<0;1,0> H(0,2)<2;1,0>\n\
                 srnd (M1_NM, 1) B(0,60)<1> H(0,3)<0;1,0> S(0,1)<0;1,0>";
    let insts = code(Platform::Pvc, &vars, lines).expect("code");
    let rounding: Vec<_> = insts.iter().filter(|i| i.op == gen_ir::Op::Srnd).collect();
    let types: Vec<_> = rounding.iter().filter_map(|i| i.dst.ty()).collect();
    use gen_ir::Type::{Bf8, Hf};
    assert_eq!(types, [Hf, Hf, Bf8, Bf8, Bf8]);
    for i in rounding {
        assert_eq!(gen_ir::rules::check(Platform::Pvc, i), [], "{i}");
    }
}

#[test]
fn doubles_are_refused_where_there_are_none() {
    let vars = [("A", "df"), ("F", "f"), ("H", "hf"), ("Q", "q")];
    for platform in [Platform::Icllp, Platform::Tgllp] {
        for lines in [
            "add (M1_NM, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,4)<1;1,0>",
            "mov (M1_NM, 4) F(0,0)<1> A(0,0)<1;1,0>",
            "mov (M1_NM, 4) H(0,0)<1> A(0,0)<1;1,0>",
            "mov (M1_NM, 4) A(0,0)<1> F(0,0)<1;1,0>",
            "mov (M1_NM, 4) A(0,0)<1> Q(0,0)<1;1,0>",
            "mov (M1_NM, 4) A(0,0)<1> (-)A(0,0)<1;1,0>",
            "mul (M1_NM, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,4)<1;1,0>",
            "min (M1_NM, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,4)<1;1,0>",
            "mad (M1_NM, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,4)<1;1,0> A(0,0)<1;1,0>",
            "rndd (M1_NM, 4) A(0,0)<1> A(0,0)<1;1,0>",
        ] {
            let error = code(platform, &vars, lines).expect_err(lines);
            assert!(error.contains("double"), "{platform} {lines}: {error}");
        }
        code(platform, &vars, "mov (M1_NM, 4) A(0,0)<1> A(0,4)<1;1,0>").expect("a copy");
    }
}

/// A text that begins with `.function` begins a routine; where the payload is loaded first, the body follows.
#[test]
fn a_body_behind_a_loaded_payload_is_whole() {
    let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\n\
                .decl V33 v_type=G type=ud num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n\
                .input V32 offset=64 size=64\n.input V33 offset=128 size=64\n.kernel_attr Target=\"3d\"\n\
                .kernel_attr SimdSize=16\n.kernel_attr PerThreadInputSize=64\n.function \"k\"\nk:\n\
                movs (M1_NM, 1) T6(0) 0x0:ud\n\
                mul (M1_NM, 16) V32(0,0)<1> V32(0,0)<1;1,0> V33(0,0)<1;1,0>\noword_st (4) T6 0x0:ud V32.0\n\
                ret (M1, 1)\n";
    let platform = Platform::Pvc;
    let module = finalizer::read_text(text.as_bytes(), platform).expect("a module");
    let options = finalizer::Options { verify: true, ..finalizer::Options::new(platform) };
    let code = finalizer::Finalizer::new(options).finalize_kernel(&module, 0).expect("code").code;
    let insts: Vec<_> = encoder::decode_all(platform, &code).filter_map(|d| d.inst.ok()).collect();
    let loads =
        insts.iter().filter(|i| i.op == gen_ir::Op::Send && !i.dst.reg().is_some_and(|r| r.is_null()));
    assert!(loads.count() >= 2, "the payload is loaded");
    let multiplies =
        insts.iter().any(|i| matches!(i.op, gen_ir::Op::Mul | gen_ir::Op::Macl | gen_ir::Op::Mach));
    assert!(multiplies, "the body is there");
    let last = |i: &&gen_ir::Inst<gen_ir::Physical>| matches!(i.payload, gen_ir::Payload::Send(s) if s.eot);
    assert_eq!(insts.iter().filter(last).count(), 1);
}

/// Stochastic rounding for all channels: nothing of the mask is kept from the vISA instruction.
#[test]
fn stochastic_rounding_ignores_the_mask_where_it_is_told_to() {
    for (mask, no_mask) in [("M1", false), ("M1_NM", true)] {
        let line = format!("srnd ({mask}, 16) H(0,0)<1> F(0,0)<1;1,0> R(0,0)<1;1,0>");
        let insts = code(Platform::Pvc, &[("F", "f"), ("H", "hf"), ("R", "uw")], &line).expect("code");
        let mut rounding = insts.iter().filter(|i| i.op == gen_ir::Op::Srnd).peekable();
        assert!(rounding.peek().is_some());
        assert!(rounding.all(|i| i.no_mask == no_mask), "{mask}");
    }
}

/// Integers and floats that meet are computed in the widest float among them and converted: no instruction but a move has
/// both. No byte is rotated.
#[test]
fn what_arithmetic_does_not_combine_is_converted() {
    use gen_ir::{Op, Src};
    let vars = [("D", "d"), ("F", "f"), ("H", "hf"), ("W", "w"), ("B", "ub")];
    for platform in Platform::ALL {
        for line in [
            "add (M1_NM, 8) D(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>",
            "add (M1_NM, 8) F(0,0)<1> F(0,0)<1;1,0> D(0,0)<1;1,0>",
            "mul (M1_NM, 8) F(0,0)<1> D(0,0)<1;1,0> D(0,0)<1;1,0>",
            "mad (M1_NM, 8) D(0,0)<1> H(0,0)<1;1,0> H(0,0)<1;1,0> H(0,0)<1;1,0>",
            "mad (M1_NM, 8) F(0,0)<1> F(0,0)<1;1,0> 0x2:w F(0,0)<1;1,0>",
        ] {
            let insts = code(platform, &vars, line).expect(line);
            let mut computed =
                insts.iter().filter(|i| matches!(i.op, Op::Add | Op::Mul | Op::Mad)).peekable();
            assert!(computed.peek().is_some(), "{platform} {line}");
            for inst in computed {
                let types = inst.src.iter().filter_map(Src::ty).chain(inst.dst.ty());
                assert!(
                    types.clone().all(|t| t.is_float()),
                    "{platform} {line}: {types:?}",
                    types = types.collect::<Vec<_>>()
                );
            }
        }
        let rotation = "rol (M1_NM, 8) B(0,0)<1> B(0,0)<1;1,0> W(0,0)<1;1,0>";
        let error = code(platform, &vars, rotation).expect_err(rotation);
        assert!(error.contains("`rol` of :ub"), "{platform}: {error}");
        let packed = "add (M1_NM, 8) F(0,0)<1> F(0,0)<1;1,0> 0x30400000:vf\n\
                      add (M1_NM, 8) W(0,0)<1> W(0,0)<1;1,0> 0x76543210:v";
        code(platform, &vars, packed).expect("packed constants adapt");
    }
}

/// The random number of stochastic rounding is bits: it is no float of another type.
#[test]
fn random_floats_of_another_type_are_refused() {
    let vars = [("F", "f"), ("H", "hf"), ("R", "hf")];
    let line = "srnd (M1_NM, 16) H(0,0)<1> F(0,0)<1;1,0> R(0,0)<1;1,0>";
    let error = code(Platform::Pvc, &vars, line).expect_err(line);
    assert!(error.contains("random bits"), "{error}");
}

/// Every group of cases that Intel computes otherwise has members, on each platform it names, and says who is right.
#[test]
fn groups_of_what_intel_computes_otherwise_have_members() {
    let (groups, all) = (known::groups(), cases(""));
    for platform in Platform::ALL {
        let mut members = vec![0; groups.len()];
        for case in &all {
            if let Some(group) = known::group_of(&groups, platform, case) {
                members[group] += 1;
            }
        }
        for (group, members) in groups.iter().zip(members) {
            let said = group.counts.get(&platform.to_string()).copied().unwrap_or(0);
            assert!(
                said <= members,
                "{platform}: {} has {members} members, {said} of them differ",
                group.name()
            );
        }
    }
    for group in &groups {
        assert!(!group.counts.is_empty() && group.counts.values().all(|n| *n > 0), "{}", group.name());
        assert!(
            matches!(group.right.as_str(), "ours" | "either") && !group.why.is_empty(),
            "{}",
            group.name()
        );
    }
}

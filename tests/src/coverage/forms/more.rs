//! Forms of instructions that compute nothing from numbers: addresses, state, subroutines and functions, jump tables,
//! matrices, marks. And constants on the edges of their types, which the same bits would be another number of.

/// All of them.
pub(super) fn lines(mut add: impl FnMut(&'static str, String)) {
    addresses(&mut add);
    states(&mut add);
    for size in [1, 8, 16, 32] {
        subroutines(size, &mut add);
        functions(size, &mut add);
        marks(size, &mut add);
    }
    for pair in [("ud", "uw"), ("d", "uw"), ("f", "uw")] {
        add(
            "shfl_idx4",
            format!("shfl_idx4 (M1, 16) X_{0}.0 A_{0}(0,0)<1;1,0> B_{1}(0,0)<1;1,0>", pair.0, pair.1),
        );
    }
    jump_tables(&mut add);
    matrices(&mut add);
    edges(&mut add);
}

/// Constants whose bits are another number to a narrower type, or to one of the other sign.
fn edges(add: &mut impl FnMut(&'static str, String)) {
    let wide = ["0xfffffffffffffffe", "0xffffffff80000000", "0xffffffff", "0x80000000"];
    let long = ["uq", "q"].into_iter().flat_map(|ty| wide.map(|bits| (ty, bits)));
    let short =
        [("ud", "0xfffffffe"), ("d", "0xfffffffe"), ("uw", "0xfffe"), ("w", "0xfffe"), ("w", "0x8000")];
    for (ty, bits) in long.chain(short) {
        for (name, op) in [("min max", "min"), ("min max", "max"), ("add", "add.sat"), ("add", "add")] {
            add(name, format!("{op} (M1, 8) X_{ty}(0,0)<1> A_{ty}(0,0)<1;1,0> {bits}:{ty}"));
        }
        for [a, b] in [["A_{ty}(0,0)<1;1,0>", "{bits}:{ty}"], ["{bits}:{ty}", "A_{ty}(0,0)<1;1,0>"]] {
            let [a, b] = [a, b].map(|s| s.replace("{ty}", ty).replace("{bits}", bits));
            add("cmp", format!("cmp.lt (M1, 8) P2 {a} {b}\n(P2) mov (M1, 8) X_ud(0,0)<1> 0x1:ud"));
        }
        add("shr", format!("shr (M1, 8) X_uq(0,0)<1> {bits}:{ty} B_uw(0,0)<1;1,0>"));
        add("mov", format!("mov (M1, 8) X_f(0,0)<1> {bits}:{ty}"));
        add("mov", format!("mov.sat (M1, 8) X_b(0,0)<1> {bits}:{ty}"));
    }
    for bytes in ["0x80:d", "0x80:ud", "0x8080:d", "0xff80:d", "0xffffff80:d"] {
        add("dp4a", format!("dp4a (M1, 8) X_d(0,0)<1> A_d(0,0)<1;1,0> B_ud(0,0)<1;1,0> {bytes}"));
    }
    add("shr", "shr (M1, 8) X_uq(0,0)<1> 0x89abcdef:v B_uw(0,0)<1;1,0>".into());
    for ty in ["uq", "ud", "ub"] {
        add("asr", format!("asr.sat (M1, 8) X_uq(0,0)<1> (-)A_{ty}(0,0)<1;1,0> 0x0:uw"));
        add("asr", format!("asr.sat (M1, 8) X_q(0,0)<1> (-)A_{ty}(0,0)<1;1,0> B_uw(0,0)<1;1,0>"));
    }
}

/// `addr_add` over what it takes, and what is behind the address.
fn addresses(add: &mut impl FnMut(&'static str, String)) {
    let through = "mov (M1, 8) X_ud(0,0)<1> r[A0(0),0]<1;1,0>:ud";
    for ty in ["uw", "w", "ud", "d", "ub", "b"] {
        add("addr_add", format!("addr_add (M1_NM, 1) A0(0)<1> &A 0x20:{ty}\n{through}"));
        add(
            "addr_add",
            format!(
                "and (M1_NM, 1) Y_{ty}(0,0)<1> B_{ty}(0,0)<0;1,0> 0x60:uw\naddr_add (M1_NM, 1) A0(0)<1> &A Y_{ty}(0,0)<0;1,0>\n{through}"
            ),
        );
    }
    for size in [2, 4, 8, 16] {
        add(
            "addr_add",
            format!(
                "and (M1_NM, {size}) Y_uw(0,0)<1> B_uw(0,0)<1;1,0> 0x7c:uw\naddr_add (M1_NM, {size}) A0(0)<1> &A Y_uw(0,0)<1;1,0>\nmov (M1, {size}) X_ud(0,0)<1> r[A0(0),0]<1,0>:ud"
            ),
        );
        add(
            "addr_add",
            format!(
                "addr_add (M1_NM, {size}) A0(0)<1> &A 0x40:uw\nmov (M1, {size}) X_ud(0,0)<1> r[A0(0),0]<1,0>:ud"
            ),
        );
    }
    add(
        "addr_add",
        format!(
            "addr_add (M1_NM, 1) A0(0)<1> &A 0x20:uw\naddr_add (M1_NM, 1) A0(0)<1> A0(0)<1> 0x20:uw\n{through}"
        ),
    );
    add(
        "addr_add",
        format!(
            "addr_add (M1_NM, 1) A1(0)<1> &A 0x20:uw\naddr_add (M1_NM, 1) A0(0)<1> A1(0)<1> 0xffe0:w\n{through}"
        ),
    );
    add("addr_add", "addr_add (M1_NM, 1) A0(0)<1> &A 0x0:uw\nmov (M1_NM, 1) A1(0)<1> A0(0)<1>\nmov (M1, 8) X_ud(0,0)<1> r[A1(0),32]<1;1,0>:ud".into());
    add(
        "addr_add",
        "addr_add (M1_NM, 1) A0(0)<1> &A_ud[32] 0x0:uw\nmov (M1, 8) X_ud(0,0)<1> r[A0(0),0]<1;1,0>:ud".into(),
    );
    for (lanes, region) in [(8, "<4;4,1>"), (16, "<0;1,0>"), (16, "<1;1,0>"), (1, "<0;1,0>"), (8, "<2;1,0>")]
    {
        for ty in ["uw", "ub", "f", "q"] {
            add(
                "addr_add",
                format!(
                    "addr_add (M1_NM, 1) A0(0)<1> &A 0x8:uw\nmov (M1, {lanes}) X_{ty}(0,0)<1> r[A0(0),8]{region}:{ty}"
                ),
            );
        }
    }
    for ty in ["ud", "uw", "ub", "f", "q"] {
        add(
            "addr_add",
            format!(
                "addr_add (M1_NM, 1) A0(0)<1> &X 0x20:uw\nmov (M1, 8) r[A0(0),0]<1>:{ty} A_{ty}(0,0)<1;1,0>\nadd (M1, 8) X_{ty}(0,0)<1> A_{ty}(0,0)<1;1,0> A_{ty}(0,0)<1;1,0>"
            ),
        );
    }
}

/// `movs` from and to state variables.
fn states(add: &mut impl FnMut(&'static str, String)) {
    for line in [
        "movs (M1_NM, 1) T6(0) 0x1:ud\nmovs (M1_NM, 1) T6(0) 0x0:ud\noword_ld (4) T6 0x0:ud X_ud.0",
        "mov (M1_NM, 1) Y_ud(0,0)<1> 0x0:ud\nmovs (M1_NM, 1) T6(0) Y_ud(0,0)<0;1,0>\noword_ld (4) T6 0x0:ud X_ud.0",
        "movs (M1_NM, 1) X_ud(0,0)<1> T7(0)",
        "movs (M1_NM, 1) X_ud(0,3)<1> T6(0)",
        "movs (M1_NM, 1) T6(0) T7(0)\nmovs (M1_NM, 1) X_ud(0,0)<1> T6(0)",
        "movs (M1_NM, 1) S0(0) 0x3:ud\nmovs (M1_NM, 1) X_ud(0,0)<1> S0(0)",
        "movs (M1_NM, 1) S0(0) A_ud(0,1)<0;1,0>\nmovs (M1_NM, 1) X_ud(0,0)<1> S0(0)",
    ] {
        add("movs", line.into());
    }
}

/// `call`, `func` and `ret`, guarded and not.
fn subroutines(size: u32, add: &mut impl FnMut(&'static str, String)) {
    let set = format!("mov (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0>");
    let one = format!("add (M1, {size}) X_ud(0,0)<1> X_ud(0,0)<1;1,0> 0x1:ud");
    let two = format!("add (M1, {size}) X_ud(0,0)<1> X_ud(0,0)<1;1,0> 0x2:ud");
    for guard in ["", "(P1) ", "(!P1) ", "(P1.any) ", "(P1.all) "] {
        add(
            "call",
            format!(
                "{set}\n{guard}call (M1, {size}) sub\n{one}\n.function \"sub\"\nsub:\n{two}\nret (M1, {size})"
            ),
        );
        add(
            "ret",
            format!(
                "{set}\ncall (M1, {size}) sub\n{one}\n.function \"sub\"\nsub:\n{two}\n{guard}ret (M1, {size})\n{two}\nret (M1, {size})"
            ),
        );
    }
    add("call", format!("{set}\ncall (M1, 1) sub\n{one}\n.function \"sub\"\nsub:\n{two}\nret (M1, 1)"));
    add(
        "call",
        format!(
            "{set}\ncall (M1, {size}) sub\n{one}\n.function \"sub\"\nsub:\n{two}\n(P1) call (M1, {size}) leaf\n{one}\nret (M1, {size})\n.function \"leaf\"\nleaf:\n{two}\nret (M1, {size})"
        ),
    );
    add("ret", format!("{set}\n(P1) goto (M1, {size}) L1\n(P2) ret (M1, {size})\nL1:\n{one}"));
}

/// `fcall`, `ifcall`, `faddr` and `fret`.
fn functions(size: u32, add: &mut impl FnMut(&'static str, String)) {
    let back = format!("mov (M1, {size}) X_ud(0,0)<1> R_ud(0,0)<1;1,0>");
    let pass = format!("mov (M1, {size}) G_ud(0,0)<1> A_ud(0,0)<1;1,0>");
    let function = format!(
        ".global_function \"f\"\n.decl V34 v_type=G type=ud num_elts=96 align=GRF alias=<%arg, 0>\n.decl V35 v_type=G type=ud num_elts=96 align=GRF alias=<%retval, 0>\n.kernel_attr SimdSize=SIMD\n.kernel_attr Extern\n.kernel_attr ArgSize=4\n.kernel_attr RetValSize=4\n.function \"f_0\"\nf_0:\nadd (M1, {size}) V35(0,0)<1> V34(0,0)<1;1,0> 0x3:ud\nfret (M1, {size})"
    );
    for guard in ["", "(P1) "] {
        add("fcall", format!("{pass}\n{guard}fcall (M1, {size}) f 4 4\n{guard}{back}\n{function}"));
        add(
            "ifcall",
            format!(
                "{pass}\nfaddr f C_uq(0,0)<1>\n{guard}ifcall (M1, {size}) C_uq(0,0)<0;1,0> 4 4\n{guard}{back}\n{function}"
            ),
        );
    }
    add(
        "faddr",
        format!(
            "{pass}\nfaddr f C_uq(0,0)<1>\nmov (M1_NM, 1) C_uq(0,2)<1> C_uq(0,0)<0;1,0>\nifcall (M1, {size}) C_uq(0,2)<0;1,0> 4 4\n{back}\n{function}"
        ),
    );
    add(
        "fret",
        format!(
            "{pass}\nfcall (M1, {size}) f 4 4\n{back}\n{}",
            function
                .replace(
                    "\nfret",
                    &format!(
                        "\n(P7) fret (M1, {size})\nadd (M1, {size}) V35(0,0)<1> V35(0,0)<1;1,0> 0x3:ud\nfret"
                    )
                )
                .replace("f_0:\n", "f_0:\nsetp (M1_NM, SIMD) P7 0xa5:ud\n")
                .replace(".kernel_attr SimdSize", ".decl P7 v_type=P num_elts=32\n.kernel_attr SimdSize")
        ),
    );
}

/// What computes nothing.
fn marks(size: u32, add: &mut impl FnMut(&'static str, String)) {
    let set = format!("mov (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0>");
    add("label", format!("L1:\n{set}\nL2:"));
    add("lifetime", format!("lifetime.start X_ud\n{set}\nlifetime.end A_ud"));
    add("file", format!("FILE \"k.cl\"\n{set}"));
    add("loc", format!("FILE \"k.cl\"\nLOC 5\n{set}\nLOC 6"));
    add("breakpoint", format!("{set}\nbreakpoint"));
    // It calls a kernel of another compilation unit.
    add("fccall", format!("{set}\nfccall (M1, {size}) elsewhere"));
    add("yield", format!("yield\n{set}"));
}

/// `switchjmp` over types of the index and sizes of the table.
fn jump_tables(add: &mut impl FnMut(&'static str, String)) {
    for count in [1, 2, 5, 16, 32] {
        let names: Vec<_> = (0..count).map(|i| format!("L{i}")).collect();
        let bodies: String = names
            .iter()
            .map(|l| format!("\n{l}:\nadd (M1, 8) X_ud(0,0)<1> X_ud(0,0)<1;1,0> 0x1:ud"))
            .collect();
        for ty in ["ud", "d", "uw", "w", "ub", "b"] {
            for at in [0, count / 2, count - 1] {
                let index =
                    if count % 2 == 1 { format!("{at:#x}:{ty}") } else { format!("Y_{ty}(0,1)<0;1,0>") };
                let set = format!(
                    "mov (M1, 8) X_ud(0,0)<1> A_ud(0,0)<1;1,0>\nmov (M1_NM, 1) Y_{ty}(0,1)<1> {at:#x}:uw"
                );
                add("switchjmp", format!("{set}\nswitchjmp (M1, 1) {index} ({}){bodies}", names.join(", ")));
            }
        }
    }
}

/// `dpas` over precisions, repeat counts and types of sums.
fn matrices(add: &mut impl FnMut(&'static str, String)) {
    let integers = ["u8", "s8", "u4", "s4", "u2", "s2"];
    add("dpasw", "dpasw.s8.u8.8.8 (M1, 8) X_d.0 E_d.0 A_ud.0 B_ud(0,0)".into());
    let mut dpas = |first: &str, second: &str, count: u32, to: &str, sum: &str, view: &str| {
        let sum = if sum.is_empty() { "V0.0".to_owned() } else { format!("E_{sum}.0") };
        add(
            "dpas",
            format!("dpas.{first}.{second}.8.{count} (M1, 16) X_{to}.0 {sum} A_{view}.0 B_{view}(0,0)"),
        );
    };
    for first in integers {
        for second in integers {
            dpas(first, second, 8, "d", "d", "ud");
            dpas(first, second, 3, "ud", "ud", "ud");
        }
    }
    for (precision, view) in [("bf", "bf"), ("hf", "hf"), ("tf32", "f")] {
        for count in 1..=8 {
            dpas(precision, precision, count, "f", "f", view);
        }
        let narrow: &[&str] = if precision == "tf32" { &[] } else { &[precision] };
        let sums = || ["f"].iter().chain(narrow);
        for to in sums() {
            for sum in sums().chain(&[""]) {
                dpas(precision, precision, 4, to, sum, view);
            }
        }
    }
    for count in 1..=8 {
        dpas("s8", "u8", count, "d", "d", "ud");
        dpas("u8", "s4", count, "d", "", "ud");
    }
}

//! The forms: arithmetic from the instruction table, over types and execution sizes; the rest by hand.

mod more;

use visa::{
    Type,
    table::{Enc, Family, Row, Slot, rows},
};

/// One form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The instruction.
    pub op: &'static str,
    /// Its lines.
    pub line: String,
}

/// Types that operands are made of, widest first.
pub(super) const TYPES: [Type; 11] =
    [Type::UD, Type::D, Type::F, Type::HF, Type::DF, Type::UQ, Type::Q, Type::UW, Type::W, Type::UB, Type::B];
/// Types of the forms from the table: bfloat16 besides.
const TABLE_TYPES: [Type; 12] = {
    let mut types = [Type::BF; 12];
    let mut i = 0;
    while i < TYPES.len() {
        types[i] = TYPES[i];
        i += 1;
    }
    types
};
/// Source variables, in the order of operands.
pub(super) const SOURCES: [&str; 4] = ["A", "B", "C", "E"];
/// Masks and sizes besides `M1`.
const MASKS: [(&str, u32); 6] = [("M1_NM", 8), ("M2", 4), ("M3", 8), ("M3_NM", 8), ("M5", 16), ("M5_NM", 16)];

/// All forms, each once.
pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for row in rows().filter(|row| matches!(row.family, Family::Alu)) {
        arithmetic(row, &mut forms);
    }
    more(&mut forms);
    more::lines(|op, line| forms.push(Form { op, line }));
    let mut seen = std::collections::BTreeSet::new();
    forms.retain(|form| seen.insert(form.line.clone()));
    forms
}

/// The forms of a row: each pair of types of destination and sources, each size, and for the first types
/// saturation, predicates, masks, scalars and constants.
fn arithmetic(row: &Row, out: &mut Vec<Form>) {
    let vectors: Vec<&Slot> = row.operand_slots().filter(|s| s.enc == Enc::Vector).collect();
    let Some((dst, srcs)) = vectors.split_first() else { return };
    let name = row.name;
    // What is made of planes reads coefficients, four of them for all lanes.
    let plane = matches!(name, "line" | "plane");
    let mut add = |line: String| out.push(Form { op: name, line });
    let line = |head: &str, lanes: &str, to: Type, from: &[Type], scalar: Option<usize>| {
        let mut text = format!("{head} {lanes} X_{}(0,0)<1>", to.name());
        for (i, ty) in from.iter().enumerate() {
            let region = match (plane && i == 0, scalar == Some(i)) {
                (true, _) => "<0;4,1>",
                (_, true) => "<0;1,0>",
                _ => "<1;1,0>",
            };
            text += &format!(" {}_{}(0,0){region}", SOURCES[i], ty.name());
        }
        text
    };
    let all = |ty: Type| vec![ty; srcs.len()];
    // The specification's text has no page for `line`; the hardware's interpolates singles.
    let has = |slot: &Slot, ty: Type| slot.types.has(ty) && (name != "line" || ty == Type::F);
    let allowed = |slot: &Slot| TABLE_TYPES.into_iter().filter(|t| has(slot, *t)).collect::<Vec<_>>();
    for to in allowed(dst) {
        for from in allowed(srcs[0]) {
            let from: Vec<Type> =
                srcs.iter().map(|s| if has(s, from) { from } else { allowed(s)[0] }).collect();
            // What is rotated has the width of its result.
            if matches!(name, "rol" | "ror") && to.bytes() != from[0].bytes() {
                continue;
            }
            let wide = to.bytes().max(from[0].bytes()) == 8;
            add(line(name, if wide { "(M1, 8)" } else { "(M1, 16)" }, to, &from, None));
        }
    }
    for ty in allowed(srcs[0]) {
        let from: Vec<Type> = srcs.iter().map(|s| if has(s, ty) { ty } else { allowed(s)[0] }).collect();
        let to = if has(dst, ty) { ty } else { allowed(dst)[0] };
        for size in [1, 2, 4, 8, 16, 32] {
            add(line(name, &format!("(M1, {size})"), to, &from, None));
        }
        for other in allowed(srcs[0]).into_iter().filter(|o| srcs.len() > 1 && *o != ty) {
            let mut mixed = from.clone();
            mixed[1] = if has(srcs[1], other) { other } else { continue };
            add(line(name, "(M1, 8)", to, &mixed, None));
        }
        add(line(&format!("{name}.sat"), "(M1, 16)", to, &from, None));
        add(line(&format!("(P1) {name}"), "(M1, 16)", to, &from, None));
        add(line(&format!("(!P1) {name}"), "(M1, 8)", to, &from, None));
        for i in 0..srcs.len() {
            add(line(name, "(M1, 16)", to, &from, Some(i)));
        }
        let text = line(name, "(M1, 16)", to, &from, None);
        if let Some(last) = text.rfind(' ').filter(|_| !plane) {
            add(format!("{} {}", &text[..last], constant(*from.last().unwrap_or(&ty))));
        }
    }
    let first = TYPES.into_iter().find(|t| has(dst, *t) && has(srcs[0], *t));
    for (mask, size) in first.into_iter().flat_map(|_| MASKS) {
        let ty = first.unwrap_or(Type::UD);
        add(line(name, &format!("({mask}, {size})"), ty, &all(ty), None));
    }
}

pub(super) fn constant(ty: Type) -> String {
    match ty {
        // Intel's grammar has no constants of bfloat16; single floats stand beside them.
        Type::F | Type::BF => "0x40200000:f".into(),
        Type::HF => "0x4100:hf".into(),
        Type::DF => "0x4004000000000000:df".into(),
        Type::UB | Type::UW => "0x5:uw".into(),
        Type::B | Type::W => "0x5:w".into(),
        other => format!("0x5:{}", other.name()),
    }
}

/// Instructions that have a form of their own.
fn more(out: &mut Vec<Form>) {
    let mut add = |op: &'static str, line: String| out.push(Form { op, line });
    for size in [1, 8, 16, 32] {
        carries(size, &mut add);
        TABLE_TYPES.into_iter().for_each(|ty| comparisons(size, ty, &mut add));
        masks(size, &mut add);
        conversions(size, &mut add);
        of_three(size, &mut add);
        predicates(size, &mut add);
        macros(size, &mut add);
        flow(size, &mut add);
    }
    modifiers(&mut add);
    saturated(&mut add);
    words_without(&mut add);
    regions(&mut add);
}

fn carries(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for op in ["addc", "subb"] {
        for pred in ["", "(P1) "] {
            add(
                op,
                format!(
                    "{pred}{op} (M1, {size}) X_ud(0,0)<1> Y_ud(0,0)<1> A_ud(0,0)<1;1,0> B_ud(0,0)<1;1,0>"
                ),
            );
        }
    }
}

/// Choices and comparisons of numbers of a type.
fn comparisons(size: u32, ty: Type, add: &mut impl FnMut(&'static str, String)) {
    let t = ty.name();
    for op in ["min", "max", "min.sat"] {
        add("min max", format!("{op} (M1, {size}) X_{t}(0,0)<1> A_{t}(0,0)<1;1,0> B_{t}(0,0)<1;1,0>"));
    }
    for relation in ["eq", "ne", "gt", "ge", "lt", "le"] {
        add(
            "cmp",
            format!(
                "cmp.{relation} (M1, {size}) P1 A_{t}(0,0)<1;1,0> B_{t}(0,0)<1;1,0>\n(P1) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud"
            ),
        );
    }
    add("cmp", format!("cmp.lt (M1, {size}) X_{t}(0,0)<1> A_{t}(0,0)<1;1,0> B_{t}(0,0)<1;1,0>"));
    add(
        "cmp",
        format!(
            "cmp.ge (M1, {size}) P1 A_{t}(0,0)<1;1,0> {}\n(P1) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud",
            constant(ty)
        ),
    );
    if ty.bytes() < 8 && !ty.is_float() {
        add(
            "setp",
            format!("setp (M1, {size}) P1 A_{t}(0,0)<1;1,0>\n(P1) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud"),
        );
        add(
            "setp",
            format!("setp (M1, {size}) P1 A_{t}(0,0)<0;1,0>\n(P1) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud"),
        );
    }
    add("sel", format!("(P1) sel (M1, {size}) X_{t}(0,0)<1> A_{t}(0,0)<1;1,0> B_{t}(0,0)<1;1,0>"));
}

/// Comparisons that write their mask in another type than they compare in.
fn masks(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for to in TABLE_TYPES.into_iter().filter(|_| size == 8) {
        for from in TABLE_TYPES {
            let (to, from) = (to.name(), from.name());
            let sources = format!("A_{from}(0,0)<1;1,0> B_{from}(0,0)<1;1,0>");
            add("cmp", format!("cmp.lt (M1, {size}) X_{to}(0,0)<1> {sources}"));
        }
    }
}

fn conversions(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for (mask, to, from) in [
        ("M1_NM", "ub", "hf"),
        ("M1", "hf", "ub"),
        ("M1_NM", "ud", "f"),
        ("M1", "ud", "f"),
        ("M1", "f", "ud"),
    ] {
        for (dst, src) in
            [("(0,0)<1>", "(0,0)<1;1,0>"), ("(0,3)<2>", "(0,1)<2;1,0>"), ("(0,5)<1>", "(0,7)<0;1,0>")]
        {
            add("fcvt", format!("fcvt ({mask}, {size}) X_{to}{dst} A_{from}{src}"));
        }
    }
}

fn of_three(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for ty in ["ud", "d", "uw", "w"] {
        add(
            "add3.o",
            format!(
                "(P2) add3.o (M1, {size}) X_{ty}(0,0)<1> A_{ty}(0,0)<1;1,0> B_{ty}(0,0)<1;1,0> C_{ty}(0,0)<1;1,0>\n(P2) mov (M1, {size}) Y_ud(0,0)<1> 0x1:ud"
            ),
        );
        for function in ["x00", "x6a", "xe8", "xff"] {
            add(
                "bfn",
                format!(
                    "bfn.{function} (M1, {size}) X_{ty}(0,0)<1> A_{ty}(0,0)<1;1,0> B_{ty}(0,0)<1;1,0> C_{ty}(0,0)<1;1,0>"
                ),
            );
        }
    }
    add("bfn", format!("bfn.x6a (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0> 0xff:uw C_ud(0,0)<1;1,0>"));
    add("bfn", format!("(P1) bfn.x96 (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0> B_ud(0,0)<0;1,0> 0x5:uw"));
}

fn predicates(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for op in ["and", "or", "xor"] {
        add("predicates", format!("{op} (M1, {size}) P2 P1 P1\n(P2) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud"));
    }
    add("predicates", format!("not (M1, {size}) P2 P1\n(P2) mov (M1, {size}) X_ud(0,0)<1> 0x1:ud"));
    for group in ["P1.any", "P1.all", "!P1.any", "!P1.all"] {
        add("predicates", format!("({group}) mov (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0>"));
    }
}

/// The macros of the math unit.
fn macros(size: u32, add: &mut impl FnMut(&'static str, String)) {
    for ty in ["f", "df", "hf"] {
        for op in ["invm", "rsqtm"] {
            let second = if op == "invm" { format!(" B_{ty}(0,0)<1;1,0>") } else { String::new() };
            add(op, format!("{op} (M1, {size}) X_{ty}(0,0)<1> P2 A_{ty}(0,0)<1;1,0>{second}"));
        }
    }
}

fn modifiers(add: &mut impl FnMut(&'static str, String)) {
    for (modifier, to, from) in [
        ("(-)", "f", "f"),
        ("(abs)", "d", "d"),
        ("(-abs)", "hf", "hf"),
        ("(-)", "q", "q"),
        ("(abs)", "df", "df"),
        ("(-)", "b", "b"),
        ("(-)", "ud", "ub"),
        ("(-)", "f", "w"),
    ] {
        add("mov", format!("mov (M1, 8) X_{to}(0,0)<1> {modifier}A_{from}(0,0)<1;1,0>"));
        add("add", format!("add (M1, 8) X_{to}(0,0)<1> A_{from}(0,0)<1;1,0> {modifier}B_{from}(0,0)<1;1,0>"));
    }
}

/// Saturation, and shifts beside 64 bits, of what modifiers take out of its type: the negative of a number without a sign.
fn saturated(add: &mut impl FnMut(&'static str, String)) {
    let line = |op: &str, to: &str, sources: &[(&str, &str)]| {
        let sources = sources.iter().zip(["A", "B", "C"]);
        let sources: Vec<_> = sources.map(|((m, ty), v)| format!("{m}{v}_{ty}(0,0)<1;1,0>")).collect();
        format!("{op} (M1, 8) X_{to}(0,0)<1> {}", sources.join(" "))
    };
    for to in ["uq", "q", "ud", "d", "uw", "b"] {
        for (a, b) in [
            (("(-)", "ud"), ("", "ud")),
            (("(-abs)", "ud"), ("", "d")),
            (("", "uw"), ("(-)", "uw")),
            (("(abs)", "d"), ("(-)", "ub")),
            (("(-)", "d"), ("(-)", "ud")),
        ] {
            add("mul", line("mul.sat", to, &[a, b]));
            add("mad", line("mad.sat", to, &[a, b, ("", b.1)]));
            add("mad", line("mad", to, &[a, b, ("", a.1)]));
        }
        for (a, b) in
            [(("(-)", "ub"), ("", "b")), (("(-abs)", "ud"), ("(-)", "uq")), (("(-)", "uq"), ("", "uw"))]
        {
            for op in ["shl", "shl.sat", "shr", "shr.sat", "asr"] {
                let name = op.trim_end_matches(".sat");
                let name = ["shl", "shr", "asr"].into_iter().find(|n| *n == name).unwrap_or("asr");
                add(name, line(op, to, &[a, b]));
            }
            add("min max", line("min.sat", to, &[a, b]));
        }
        add("min max", line("min.sat", to, &[("", to), ("", "b")]));
        add("min max", line("max.sat", to, &[("", to), ("(-)", to)]));
    }
}

/// Modifiers where the hardware's words have none, saturation of what has none, functions of integers, and bits of 64-bit
/// values where the hardware turns 32.
fn words_without(add: &mut impl FnMut(&'static str, String)) {
    for lanes in [1, 8, 16] {
        let r = if lanes == 1 { "<0;1,0>" } else { "<1;1,0>" };
        for (a, b) in [("(-)", ""), ("", "(-)"), ("(abs)", ""), ("(~)", "")] {
            for op in ["rol", "ror"] {
                add(op, format!("{op} (M1, {lanes}) X_d(0,0)<1> {a}A_d(0,0){r} {b}B_d(0,0){r}"));
            }
            if a != "(~)" {
                add("srnd", format!("srnd (M1_NM, {lanes}) X_hf(0,0)<1> {a}A_f(0,0){r} {b}B_f(0,0){r}"));
                add("srnd", format!("srnd (M1_NM, {lanes}) X_ub(0,0)<1> {a}A_hf(0,0){r} {b}B_hf(0,0){r}"));
            }
        }
        add("srnd", format!("srnd.sat (M1_NM, {lanes}) X_hf(0,0)<1> A_f(0,0){r} B_f(0,0){r}"));
        for (to, from) in [("uq", "ud"), ("ud", "uq"), ("uq", "uq")] {
            for op in ["bfrev", "fbh", "fbl", "cbit", "lzd"] {
                add(op, format!("{op} (M1, {lanes}) X_{to}(0,0)<1> A_{from}(0,0){r}"));
            }
        }
        for op in ["sqrt", "sin", "cos", "inv", "exp", "log", "rsqrt"] {
            for ty in ["d", "ud", "w", "uw", "ub"] {
                add(op, format!("{op} (M1, {lanes}) X_{ty}(0,0)<1> A_{ty}(0,0){r}"));
                add(op, format!("{op} (M1, {lanes}) X_f(0,0)<1> A_{ty}(0,0){r}"));
            }
            add(op, format!("{op} (M1, {lanes}) X_d(0,0)<1> A_f(0,0){r}"));
        }
    }
    for (mask, lanes) in [("M1", 1), ("M1", 8), ("M2", 4), ("M4_NM", 4), ("M5", 8)] {
        for source in ["0x5a:uw", "A_ub(0,1)<0;1,0>", "(~)A_d(0,0)<0;1,0>", "A_w(0,2)<2;1,0>"] {
            add("setp", format!("setp ({mask}, {lanes}) P2 {source}\n(P2) mov (M1, 32) X_ud(0,0)<1> 0x1:ud"));
        }
    }
    for (mask, lanes) in [("M1", 1), ("M3", 8), ("M5_NM", 16), ("M7", 1), ("M7", 4)] {
        for modifier in ["", "(-)", "(~)", "(abs)"] {
            let exec = format!("({mask}, {lanes})");
            add(
                "setp",
                format!("setp {exec} P1 {modifier}A_d(0,0)<0;1,0>\n(P1) mov {exec} X_ud(0,0)<1> 0x1:ud"),
            );
        }
    }
}

fn regions(add: &mut impl FnMut(&'static str, String)) {
    for region in
        ["<0;1,0>", "<1;1,0>", "<2;1,0>", "<4;4,1>", "<8;4,2>", "<0;4,1>", "<4;2,2>", "<2;2,1>", "<16;8,1>"]
    {
        for ty in ["ud", "uw", "ub", "q"] {
            add("regions", format!("mov (M1, 8) X_{ty}(0,0)<1> A_{ty}(0,0){region}"));
            add("regions", format!("mov (M1, 8) X_{ty}(0,1)<2> A_{ty}(0,1){region}"));
        }
    }
}

/// Branches, guarded and not, in a kernel of so many channels.
fn flow(size: u32, add: &mut impl FnMut(&'static str, String)) {
    let set = format!("mov (M1, {size}) X_ud(0,0)<1> A_ud(0,0)<1;1,0>");
    let one = format!("add (M1, {size}) X_ud(0,0)<1> X_ud(0,0)<1;1,0> 0x1:ud");
    for op in ["jmp", "goto"] {
        for guard in ["", "(P1) ", "(!P1) ", "(P1.any) ", "(P1.all) ", "(!P1.any) "] {
            add(op, format!("{set}\n{guard}{op} (M1, {size}) L1\n{one}\nL1:\n{one}"));
            add(op, format!("{set}\n{guard}{op} (M1, 1) L1\n{one}\nL1:\n{one}"));
        }
    }
    // A jump where some channels wait.
    let inside = |body: &str| format!("{set}\n(P1) goto (M1, {size}) L1\n{body}\nL1:\n{one}");
    add("jmp", inside(&format!("jmp (M1, 1) L2\n{one}\nL2:\n{one}")));
    add("jmp", inside(&format!("(P2) jmp (M1, 1) L2\n{one}\nL2:\n{one}")));
    add("switchjmp", format!("{set}\nswitchjmp (M1, 1) 0x1:ud (L1, L2)\n{one}\nL1:\n{one}\nL2:\n{one}"));
    add(
        "switchjmp",
        format!(
            "{set}\nand (M1_NM, 1) Y_ud(0,0)<1> A_ud(0,0)<0;1,0> 0x1:ud\nswitchjmp (M1, 1) Y_ud(0,0)<0;1,0> (L1, L2)\nL1:\n{one}\nL2:\n{one}"
        ),
    );
}

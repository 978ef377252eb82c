//! Which instructions are applied to which types.

use super::ArithmeticCase;
use visa::Type;

/// Types that a variable of arithmetic has.
pub const TYPES: [Type; 12] = [
    Type::UD,
    Type::D,
    Type::UW,
    Type::W,
    Type::UB,
    Type::B,
    Type::UQ,
    Type::Q,
    Type::F,
    Type::DF,
    Type::HF,
    Type::BF,
];

/// Operations of one source, of two, and of three.
const UNARY: &[&str] = &[
    "mov", "not", "bfrev", "cbit", "fbh", "fbl", "lzd", "rndd", "rndu", "rnde", "rndz", "frc", "inv", "log",
    "exp", "sqrt", "rsqrt", "sin", "cos", "sqrtm",
];

const BINARY: &[&str] = &[
    "add", "mul", "mulh", "avg", "and", "or", "xor", "shl", "shr", "asr", "rol", "ror", "min", "max",
    "cmp.eq", "cmp.ne", "cmp.lt", "cmp.ge", "div", "mod", "divm", "pow", "srnd",
];

const TERNARY: &[&str] = &["mad", "lrp", "bfe", "add3"];

/// All cases whose mnemonic begins with `op`.
pub fn cases(op: &str) -> Vec<ArithmeticCase> {
    let mut out = Vec::new();
    let wanted = |name: &&&str| name.starts_with(op) || op.starts_with(**name);
    for name in UNARY.iter().filter(wanted) {
        for dst in TYPES {
            for src in TYPES {
                let plain = ArithmeticCase::new(name, dst, &[src]);
                out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                if src.is_float() || src.is_signed_int() {
                    out.extend(["(-)", "(abs)"].map(|m| ArithmeticCase { mods: vec![m], ..plain.clone() }));
                }
                out.push(plain);
            }
        }
    }
    for name in BINARY.iter().filter(wanted) {
        let compares = name.starts_with("cmp");
        for dst in TYPES {
            if compares && dst != Type::UD {
                continue;
            }
            for a in TYPES {
                for b in TYPES {
                    // Floats do not mix with integers, nor much with each other.
                    let floats = [dst, a, b].map(|t| t.is_float());
                    if floats[1] != floats[2] || floats[0] != floats[1] && !compares {
                        continue;
                    }
                    let plain = ArithmeticCase::new(name, dst, &[a, b]);
                    if !compares {
                        out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                    }
                    if b.is_float() || b.is_signed_int() {
                        out.push(ArithmeticCase { mods: vec!["", "(-)"], ..plain.clone() });
                    }
                    out.push(plain);
                }
            }
        }
    }
    for name in TERNARY.iter().filter(wanted) {
        for ty in TYPES {
            for other in TYPES {
                if ty.is_float() != other.is_float() {
                    continue;
                }
                for types in
                    [[ty, ty, ty], [ty, ty, other], [ty, other, other], [other, ty, ty], [other, other, ty]]
                {
                    let plain = ArithmeticCase::new(name, ty, &types);
                    out.push(ArithmeticCase { op: format!("{name}.sat"), ..plain.clone() });
                    out.push(plain);
                }
            }
        }
    }
    out.dedup();
    out.retain(ArithmeticCase::is_defined);
    out
}

/// Cases of integers under modifiers, with and without saturation: where the negative of an unsigned number has a bit
/// more than its type, and where products have more bits than the place that they saturate to.
pub fn modified() -> Vec<ArithmeticCase> {
    const MODIFIERS: [&str; 4] = ["", "(-)", "(abs)", "(-abs)"];
    let ints = || TYPES.into_iter().filter(|ty| ty.is_int());
    let mut out = Vec::new();
    let mut add = |op: &str, dst: Type, src: &[Type], mods: &[&'static str]| {
        let case = ArithmeticCase { op: op.to_owned(), dst, src: src.to_vec(), mods: mods.to_vec() };
        out.extend(case.is_defined().then_some(case));
    };
    for (dst, a) in ints().flat_map(|dst| ints().map(move |a| (dst, a))) {
        for m in MODIFIERS {
            add("mov", dst, &[a], &[m]);
            add("mov.sat", dst, &[a], &[m]);
        }
        for b in ints() {
            for (m, n) in MODIFIERS.into_iter().flat_map(|m| MODIFIERS.map(|n| (m, n))) {
                for op in ["add", "add.sat", "mul", "mul.sat", "mulh", "min", "max.sat", "cmp.lt", "cmp.eq"] {
                    if !op.starts_with("cmp") || dst == Type::UD {
                        add(op, dst, &[a, b], &[m, n]);
                    }
                }
                add("mad", dst, &[a, b, dst], &[m, n, m]);
                add("add3", dst, &[a, b, a], &[m, n, n]);
            }
        }
    }
    out
}

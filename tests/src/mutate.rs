//! Damage: bytes, words and lines of an input changed by chance, the same in every run.

use crate::splitmix::SplitMix;

/// Words that mean something somewhere, and some that mean nothing anywhere.
const WORDS: &[&str] = &[
    "(",
    ")",
    "<",
    ">",
    "{",
    "}",
    "\"",
    "/*",
    "//",
    ".",
    ",",
    ":",
    ";",
    "=",
    "-",
    "~",
    "!",
    "%",
    "0",
    "1",
    "-1",
    "65535",
    "65536",
    "4294967295",
    "0x7fffffff",
    "0xffffffffffffffffff",
    "99999999999999999999",
    "V0",
    "V32",
    "V0032",
    "%null",
    "%r0",
    "%arg",
    "%sp",
    "P1",
    "A0",
    "S0",
    "T6",
    "T0",
    "%slm",
    "(M1, 16)",
    "(M1_NM, 1)",
    "(M5, 32)",
    "(M3, 8)",
    "<1;1,0>",
    "<0;1,0>",
    "<2;4,1>",
    "<1>",
    "<4>",
    "r[A0(0),0]<1;1,0>:d",
    "&V32",
    ":d32",
    ":uq",
    ":df",
    "0x0:v",
    "0x0:hf",
    "(abs)",
    "(-)",
    "(~)",
    ".sat",
    "alias=<V0032, 4>",
    "num_elts=1",
    "num_elts=65535",
    "type=bool",
    "v_type=P",
    "align=GRFx2",
    "ret (M1, 1)",
    "goto (M1, 16) BB",
    "call (M1, 1) f",
    "BB:",
    ".function \"f\"",
    ".decl",
    ".input",
    ".kernel \"k\"",
    "\n",
    "\t",
    " ",
    "\u{e9}",
];

/// Changes a few bytes.
pub fn bytes(input: &mut Vec<u8>, random: &mut SplitMix) {
    for _ in 0..=random.below(4) {
        let at = random.below(input.len());
        if input.is_empty() {
            return;
        }
        match random.below(8) {
            0 => input[at] ^= 1 << random.below(8),
            1 => input[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => {
                let end = (at + 4).min(input.len());
                input[at..end].fill(0xff);
            }
            3 => {
                let end = (at + random.below(16)).min(input.len());
                input.drain(at..end);
            }
            4 => {
                let end = (at + random.below(64)).min(input.len());
                let piece = input[at..end].to_vec();
                let to = random.below(input.len());
                input.splice(to..to, piece);
            }
            5 if random.below(8) == 0 => input.truncate(at),
            _ => input[at] = random.below(256) as u8,
        }
    }
}

/// Changes a few words, lines or letters of a text.
pub fn text(input: &mut Vec<u8>, random: &mut SplitMix) {
    for _ in 0..=random.below(3) {
        match random.below(8) {
            0 => bytes(input, random),
            1 | 2 => lines(input, random),
            _ => words(input, random),
        }
    }
}

/// Begin and end of the run of bytes around `at` that `inside` accepts.
fn run(input: &[u8], at: usize, inside: impl Fn(u8) -> bool) -> (usize, usize) {
    let start = input[..at].iter().rposition(|b| !inside(*b)).map_or(0, |i| i + 1);
    let end = input[at..].iter().position(|b| !inside(*b)).map_or(input.len(), |i| at + i);
    (start, end.max(start))
}

fn words(input: &mut Vec<u8>, random: &mut SplitMix) {
    let at = random.below(input.len());
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let (start, end) = run(input, at, is_word);
    match random.below(6) {
        0 => {
            input.drain(start..end);
        }
        1 => {
            let other = random.below(input.len());
            let (a, b) = run(input, other, is_word);
            let word = input[a..b].to_vec();
            input.splice(start..end, word);
        }
        2 => {
            let word = random.pick(WORDS).bytes();
            input.splice(start..start, word);
        }
        3 => {
            let number = (1u64 << random.below(40)) - random.below(2) as u64;
            input.splice(start..end, number.to_string().into_bytes());
        }
        _ => {
            let word = random.pick(WORDS).bytes();
            input.splice(start..end, word);
        }
    }
}

fn lines(input: &mut Vec<u8>, random: &mut SplitMix) {
    let line = |input: &[u8], random: &mut SplitMix| {
        let (start, end) = run(input, random.below(input.len()), |b| b != b'\n');
        (start, (end + 1).min(input.len()))
    };
    let (start, end) = line(input, random);
    match random.below(3) {
        0 => {
            input.drain(start..end);
        }
        _ => {
            let (a, b) = line(input, random);
            let copy = input[a..b].to_vec();
            input.splice(start..start, copy);
        }
    }
}

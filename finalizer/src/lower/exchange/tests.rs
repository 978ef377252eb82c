//! Where `%arg` and `%retval` may lie in one place, where not, and what is refused.

use platforms::Platform;

use super::{
    super::{exchange::ExchangeLists, facts::SourceFacts, returned::Unclear},
    Exchange,
};

/// The instruction that a word stands for: `arg=` writes `%arg`, `=arg` reads it, `ret=` and `=ret` do so with `%retval`; `call`
/// calls a function that gives something, `call0` one that gives nothing, `sub` calls a subroutine. With `?`: under a predicate.
fn instruction(word: &str, function: bool) -> String {
    if word.ends_with(':') {
        let routine = if word == "inner:" { ".function \"inner\"\n" } else { "" };
        return format!("{routine}{word}");
    }
    let (guard, word) = word.strip_prefix('?').map_or(("", word), |word| ("(P1) ", word));
    let rest = match word.split_once('>') {
        Some(("goto", to)) => format!("goto (M1, 8) {to}"),
        Some(("jmp", to)) => format!("jmp (M1, 1) {to}"),
        _ => match word {
            "arg=" => "mov (M1, 8) A(0,0)<1> X(0,0)<1;1,0>",
            "=arg" => "mov (M1, 8) X(0,0)<1> A(0,0)<1;1,0>",
            "ret=" => "mov (M1, 8) R(0,0)<1> X(0,0)<1;1,0>",
            "=ret" => "mov (M1, 8) X(0,0)<1> R(0,0)<1;1,0>",
            "ret=ret" => "add (M1, 8) R(0,0)<1> R(0,0)<1;1,0> 0x1:d",
            "x" => "mov (M1, 8) X(0,0)<1> 0x1:d",
            "call" => "fcall (M1, 8) f 1 1",
            "call0" => "fcall (M1, 8) f 1 0",
            "sub" => "call (M1, 8) inner",
            "back" => "ret (M1, 8)",
            "end" if function => "fret (M1, 8)",
            "end" => "ret (M1, 1)",
            _ => panic!("{word}"),
        }
        .into(),
    };
    format!("    {guard}{rest}")
}

/// What is found of a kernel or function, with places as numbers of words.
fn found(of: &str, words: &str, lists: &mut ExchangeLists) -> String {
    let (unit, function, results) = match of {
        "kernel" => (".kernel", false, 1),
        "function" => (".global_function", true, 1),
        "function without results" => (".global_function", true, 0),
        _ => panic!("{of}"),
    };
    let code: Vec<_> = words.split_whitespace().map(|w| instruction(w, function)).collect();
    let text = format!(
        ".version 4.1\n{unit} \"t\"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl A v_type=G type=d num_elts=8 align=GRF alias=<%arg, 0>
.decl R v_type=G type=d num_elts=8 align=GRF alias=<%retval, 0>
.decl P1 v_type=P num_elts=8
.kernel_attr SimdSize=8
.kernel_attr RetValSize={results}
.function \"t_0\"\nt_0:\n{}\n",
        code.join("\n")
    );
    let module = crate::read_text(text.as_bytes(), Platform::Skl).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = module.kernels.first().or(module.functions.first()).expect("one of the two");
    let mut facts = SourceFacts::default();
    facts.gather(kernel);
    // The first instruction is the label in front of all words.
    let lie = match Exchange::of(kernel, &facts, lists) {
        Exchange::Shared => "shared".into(),
        Exchange::Apart => "apart".into(),
        Exchange::Unclear(at, Unclear::HandedOn) => format!("handed on at {}", at - 1),
        Exchange::Unclear(at, Unclear::Read) => format!("unclear at {}", at - 1),
    };
    let read: Vec<_> = lists.readers.iter().map(|at| (at - 1).to_string()).collect();
    if read.is_empty() { lie } else { format!("{lie}, read at {}", read.join(" ")) }
}

#[test]
fn places_of_arguments_and_results() {
    let mut lists = ExchangeLists::default();
    let mut wrong = String::new();
    for line in include_str!("cases.txt").lines().filter(|l| !l.is_empty() && !l.starts_with("//")) {
        let [of, words, expected] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let found = found(of, words, &mut lists);
        if found != expected {
            wrong += &format!("{of} | {words} | {found}, not {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

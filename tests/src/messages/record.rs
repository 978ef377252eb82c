//! Intel's answers: the code that its finalizer makes of each form, one compressed file a platform.
//!
//! A file is lines of `form<TAB>code in hexadecimal`, newlines of the form as `\n`; a form without code was
//! refused. A third field says `unverified` where only the code generator has an answer, and the verifier, which stands
//! in front of it, refuses the form: such code is evidence where ours is the same, and none where it is not.
//! `cargo run -p tests --bin messages -- --record` writes them, with `GenX_IR` and `zstd` installed.

use std::{collections::BTreeMap, path::PathBuf};

use platforms::Platform;

use super::forms::{self, asked};
use crate::{compressed, oracle::GenxIr};

/// What Intel makes of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntelAnswer<'a> {
    /// Code.
    Code(&'a [u8]),
    /// Code of a form that the verifier refuses.
    Unverified(&'a [u8]),
    /// None.
    Refused,
}

/// All answers of a platform.
#[derive(Clone, Default, Debug)]
pub struct RecordedCode {
    codes: BTreeMap<String, Code>,
}

/// Code, empty if there is none.
#[derive(Clone, Default, Debug)]
struct Code {
    bytes: Vec<u8>,
    unverified: bool,
}

/// Options that Intel's compiler gives its finalizer: without a scheduler, the order of messages is that of the
/// text; with preemption (since Skylake), sampler messages there carry a header.
fn options(platform: Platform) -> &'static [&'static str] {
    if platform == Platform::Bdw { &["-noschedule"] } else { &["-noschedule", "-enablePreemption"] }
}

/// What Intel's finalizer says when it refuses a form; nothing if it does not.
pub fn refusal(platform: Platform, line: &str) -> String {
    let Some(genx) = GenxIr::find() else { return "is not installed".into() };
    let program = forms::program(line, platform.caps().regs.grf_bytes.into());
    genx.finalize(platform, &program, options(platform)).err().map_or(String::new(), |e| e.0)
}

/// Intel's code of a form, from the first that has any: the installed release; the same without its verifier, which
/// forbids what its code generator has a meaning for; the newest, whose grammar has more words; the installed one
/// with the kernel in an object, which can hold what its grammar has no words for.
fn asked_of_all(genx: &GenxIr, platform: Platform, line: &str) -> Option<Code> {
    let program = forms::program(line, platform.caps().regs.grf_bytes.into());
    let unverified: Vec<_> = options(platform).iter().copied().chain(["-noverifyCISA"]).collect();
    let text = |genx: GenxIr, options: &[&str]| Some(genx.finalize(platform, &program, options).ok()?.dat);
    let object = || {
        let older = program.replace(".version 4.1", ".version 3.6");
        let module = finalizer::read_text(older.as_bytes(), platform).ok()?;
        genx.finalize_object(platform, &visa::write(&module).ok()?, &unverified).ok()
    };
    if let Some(bytes) = text(*genx, options(platform)) {
        return Some(Code { bytes, unverified: false });
    }
    let bytes =
        text(*genx, &unverified).or_else(|| text(GenxIr::find_new()?, &unverified)).or_else(object)?;
    Some(Code { bytes, unverified: true })
}

fn file(platform: Platform) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("data/messages/{platform}.txt.zst"))
}

impl RecordedCode {
    /// Reads the file of a platform.
    pub fn load(platform: Platform) -> RecordedCode {
        let path = file(platform);
        let text = compressed::read(&path).unwrap_or_else(|| panic!("no {}", path.display()));
        let mut codes = BTreeMap::new();
        for line in text.lines() {
            let mut fields = line.split('\t');
            let (form, code) = (fields.next().expect("form"), fields.next().expect("code"));
            let unverified = fields.next() == Some("unverified");
            let digit = |c: u8| (c as char).to_digit(16).expect("hexadecimal") as u8;
            let bytes = code.as_bytes().chunks(2).map(|p| digit(p[0]) << 4 | digit(p[1])).collect();
            codes.insert(form.replace("\\n", "\n"), Code { bytes, unverified });
        }
        RecordedCode { codes }
    }

    /// What the installed finalizer, with its verifier, says now of forms.
    pub fn now(platform: Platform, forms: &[forms::MessageForm]) -> RecordedCode {
        let Some(genx) = GenxIr::find() else { return RecordedCode::default() };
        let ask = |line: &str| {
            let program = forms::program(line, platform.caps().regs.grf_bytes.into());
            let made = genx.finalize(platform, &program, options(platform)).ok()?;
            // It writes `illegal` where it does not know better, and takes nothing by that.
            (!made.asm.lines().any(|l| l.trim().starts_with("illegal"))).then_some(made.dat)
        };
        let code = |line: &str| Code { bytes: ask(line).unwrap_or_default(), unverified: false };
        RecordedCode { codes: forms.iter().map(|f| (f.line.clone(), code(&f.line))).collect() }
    }

    /// The answer for a form. Panics where there is none: the file is older than the form.
    pub fn answer(&self, line: &str) -> IntelAnswer<'_> {
        match self.codes.get(line) {
            Some(Code { bytes, .. }) if bytes.is_empty() => IntelAnswer::Refused,
            Some(Code { bytes, unverified: false }) => IntelAnswer::Code(bytes),
            Some(Code { bytes, unverified: true }) => IntelAnswer::Unverified(bytes),
            None => panic!("no answer is recorded for `{line}`: run `messages --record`"),
        }
    }

    /// Asks Intel's finalizer for all forms that contain `only`, or those of them that have no code yet, and writes the
    /// file. Other forms keep their answers, and are asked for if they have none.
    pub fn record(platform: Platform, all: bool, only: &str) {
        let Some(genx) = GenxIr::find() else { return };
        let fresh = all && only.is_empty() || !file(platform).exists();
        let old = if fresh { RecordedCode::default() } else { RecordedCode::load(platform) };
        let forms: Vec<_> = forms::forms().into_iter().filter(|form| asked(platform, form)).collect();
        let ask = |line: &str| asked_of_all(&genx, platform, line).unwrap_or_default();
        let lines = |forms: &[forms::MessageForm]| {
            let mut text = String::new();
            for form in forms {
                let keeps = |code: &&Code| !form.line.contains(only) || !all && !code.bytes.is_empty();
                let known = old.codes.get(&form.line).filter(keeps).cloned();
                let code = known.unwrap_or_else(|| ask(&form.line));
                text += &form.line.replace('\n', "\\n");
                text += "\t";
                code.bytes.iter().for_each(|b| text += &format!("{b:02x}"));
                text += if code.unverified { "\tunverified\n" } else { "\n" };
            }
            text
        };
        let (first, second) = forms.split_at(forms.len() / 2);
        let text = std::thread::scope(|scope| {
            let other = scope.spawn(|| lines(second));
            lines(first) + &other.join().expect("the other half")
        });
        compressed::write(&file(platform), &text);
    }
}

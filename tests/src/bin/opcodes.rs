//! vISA instructions by platform: lowered, or refused and why.
//!
//! ```text
//! cargo run --release -p tests --bin opcodes
//! ```

use platforms::Platform;
use tests::opcodes::{FORMS, FormFate, try_form};

fn main() {
    let mut refusals = Vec::new();
    print!("{:<26}", "");
    for p in Platform::ALL {
        print!("{:<8}", p.to_string());
    }
    println!();
    for (name, lines) in FORMS {
        print!("{name:<26}");
        for p in Platform::ALL {
            let word = match try_form(p, lines) {
                FormFate::Lowered => "yes",
                FormFate::Refused(why) => {
                    refusals.push(format!("{name}, {p}: {why}"));
                    "no"
                }
                FormFate::BadText(why) => {
                    refusals.push(format!("{name}, {p}: not understood: {why}"));
                    "?"
                }
            };
            print!("{word:<8}");
        }
        println!();
    }
    for line in refusals {
        println!("{line}");
    }
}

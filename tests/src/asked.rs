//! vISA that was written to have Intel's finalizer show one instruction form each (`tests/data/forms/asked.tsv`).
//!
//! What it makes of them counts as Intel's code when [`crate::forms`] are recorded: a form that our code has and no
//! real program of Intel's is right if Intel's finalizer writes it when it is asked for it.

use std::{fmt::Write, fs, io};

use platforms::Platform;

use crate::{data::workspace, oracle::GenxIr};

/// Types of the variables that a line may name.
const TYPES: [(&str, u32); 11] = [
    ("D", 4),
    ("UD", 4),
    ("W", 2),
    ("UW", 2),
    ("B", 1),
    ("UB", 1),
    ("Q", 8),
    ("UQ", 8),
    ("F", 4),
    ("HF", 2),
    ("DF", 8),
];
/// Elements of each variable.
const ELEMENTS: u32 = 128;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Asked {
    platforms: Vec<String>,
    options: Vec<String>,
    lines: Vec<String>,
}

/// All lines of the table.
///
/// # Errors
///
/// The table cannot be read, or a line has other than three columns.
pub fn asked() -> io::Result<Vec<Asked>> {
    let text = fs::read_to_string(workspace().join("tests/data/forms/asked.tsv"))?;
    let rows = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    rows.map(|line| {
        let [platforms, options, lines] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(io::Error::other(format!("not three columns: {line}")));
        };
        let list = |text: &str, by: &str| text.split(by).map(|s| s.trim().to_owned()).collect();
        let options = if options == "-" { Vec::new() } else { list(options, " ") };
        Ok(Asked { platforms: list(platforms, ","), options, lines: list(lines, ";;") })
    })
    .collect()
}

impl Asked {
    /// Whether the line is for a platform.
    pub fn is_for(&self, platform: Platform) -> bool {
        self.platforms.iter().any(|p| p == "all" || *p == platform.to_string())
    }

    /// The line as a kernel: what it reads is loaded, what it writes is stored.
    pub fn kernel(&self) -> String {
        let mut text = String::from(".version 4.1\n.kernel \"asked\"\n");
        for (name, _) in TYPES {
            for end in ["", "o"] {
                let _ = writeln!(
                    text,
                    ".decl {name}{end} v_type=G type={} num_elts=128 align=GRF",
                    name.to_lowercase()
                );
            }
        }
        text += ".decl P1 v_type=P num_elts=32\n.decl A0 v_type=A num_elts=1\n.decl T6 v_type=T num_elts=1\n.kernel_attr Target=\"3d\"\n\
                 .kernel_attr SimdSize=16\n.function \"asked\"\nasked:\nmovs (M1_NM, 1) T6(0) 0x0:ud\n";
        let blocks = |bytes: u32| (0..bytes * ELEMENTS).step_by(128);
        for (name, bytes) in TYPES {
            for at in blocks(bytes) {
                let _ = writeln!(text, "oword_ld (8) T6 {}:ud {name}.{at}", at / 16);
            }
        }
        for line in &self.lines {
            text += line;
            text += "\n";
        }
        let named = |name: &str| {
            let mut words = self.lines.iter().flat_map(|l| l.split(|c: char| !c.is_ascii_alphanumeric()));
            words.any(|w| w == name)
        };
        for (name, bytes) in TYPES.into_iter().filter(|(name, _)| named(&format!("{name}o"))) {
            for at in blocks(bytes) {
                let _ = writeln!(text, "oword_st (8) T6 {}:ud {name}o.{at}", at / 16);
            }
        }
        text + "ret (M1, 1)\n"
    }

    /// Intel's code of the line.
    ///
    /// # Errors
    ///
    /// Intel's finalizer refuses it.
    pub fn code(&self, platform: Platform, intel: &GenxIr) -> Result<Vec<u8>, String> {
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        intel.finalize(platform, &self.kernel(), &options).map(|f| f.dat).map_err(|e| e.0)
    }
}

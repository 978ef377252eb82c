//! Records what the reference tools say of the test kernels and of random instructions, for the checks
//! that run without them:
//!
//!     cargo run --release -p tests --bin iga-record
//!
//! `tests/golden/iga/kernels.txt` has a line for each kernel: platform, kernel, and digests of the listing,
//! of the code assembled from it, and of JSON without and with definitions (`-`: not recorded or refused).
//! `tests/golden/iga/<platform>.txt` has random instructions, as bytes and as the reference listing.

use std::{fmt::Write, fs};
use tests::{
    data::{devices, kernels, workspace},
    iga::{JSON_EVERY, digest, json_digest},
    oracle::Iga,
    random::all,
};

/// Random instructions that are recorded for each platform.
const RANDOM: usize = 400;

fn main() {
    let iga = Iga::find().expect("iga64 is installed");
    let json2 = Iga::find_json2().expect("iga64-json2 is installed");
    let directory = workspace().join("tests/golden/iga");
    fs::create_dir_all(&directory).expect("a directory for goldens");
    let mut out = String::new();
    for platform in devices() {
        for (i, k) in kernels(platform).iter().enumerate() {
            let answer = iga.disassemble_plainly(platform, &k.dat).ok();
            let listing = answer.as_ref().map(|a| digest(a.as_bytes()));
            let code = answer.and_then(|a| iga.assemble(platform, &a).ok()).map(|c| digest(&c));
            let (mut plain, mut defs) = (None, None);
            if i % JSON_EVERY == 0 {
                plain = json2.json(platform, &k.dat).ok().as_deref().and_then(json_digest);
                defs = json2.json_defs(platform, &k.dat).ok().as_deref().and_then(json_digest);
            }
            let _ = write!(out, "{platform} {}", k.id());
            for d in [listing, code, plain, defs] {
                let _ = match d {
                    Some(d) => write!(out, " {d:016x}"),
                    None => write!(out, " -"),
                };
            }
            out.push('\n');
        }
        let insts = all::kernel(platform, 2, RANDOM);
        let code = all::code(platform, &insts);
        let text = iga.disassemble_plainly(platform, &code).expect("random instructions are legal");
        let hex: String = code.chunks(16).fold(String::new(), |mut s, w| {
            w.iter().for_each(|b| {
                let _ = write!(s, "{b:02x}");
            });
            s.push('\n');
            s
        });
        let path = directory.join(format!("{platform}.txt"));
        fs::write(path, format!("{hex}\n{text}")).expect("a golden is written");
    }
    fs::write(directory.join("kernels.txt"), out).expect("a golden is written");
}

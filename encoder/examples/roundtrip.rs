//! Decodes raw code and encodes it again: `roundtrip PLATFORM [--compacted] FILE...` names every word that
//! does not come back as it was. With `--compacted` the code claims to be compacted wherever it can be,
//! and each native word that has a compacted form is named too.

use encoder::{CMPT_CTRL, compact, decode, encode, expand};
use platforms::Platform;
use std::{env, fs, process::ExitCode};

fn check(platform: Platform, word: u128) -> Result<(), String> {
    let inst = decode(platform, word).map_err(|e| e.to_string())?;
    match encode(platform, &inst) {
        Ok(again) if again == word => Ok(()),
        Ok(again) => Err(format!("{word:032x} became {again:032x}\n  {inst:?}")),
        Err(e) => Err(format!("{word:032x}: {e}\n  {inst:?}")),
    }
}

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let Some(platform) = args.next().and_then(|p| p.parse::<Platform>().ok()) else {
        eprintln!("usage: roundtrip PLATFORM [--compacted] FILE...");
        return ExitCode::from(2);
    };
    let mut args = args.peekable();
    let compacted_all = args.next_if(|a| a == "--compacted").is_some();
    let (mut words, mut compacted, mut bad) = (0u64, 0u64, 0u64);
    for path in args {
        let code = fs::read(&path).expect("a readable file");
        let mut offset = 0;
        while offset + 8 <= code.len() {
            let low = u64::from_le_bytes(code[offset..][..8].try_into().expect("8 bytes"));
            words += 1;
            let (len, result) = if low & CMPT_CTRL != 0 {
                compacted += 1;
                let result = expand(platform, low).map_err(|e| e.to_string()).and_then(|word| {
                    check(platform, word)?;
                    match compact(platform, word) {
                        Some(again) if again == low => Ok(()),
                        other => Err(format!("{low:016x} expanded {word:032x} compacts to {other:x?}")),
                    }
                });
                (8, result)
            } else if let Some(bytes) = code.get(offset..offset + 16) {
                let word = u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
                let result = check(platform, word).and_then(|()| match compact(platform, word) {
                    Some(small) if compacted_all => Err(format!("{word:032x} compacts to {small:016x}")),
                    _ => Ok(()),
                });
                (16, result)
            } else {
                break;
            };
            if let Err(e) = result {
                bad += 1;
                println!("{path}+{offset:#x}: {e}");
            }
            offset += len;
        }
    }
    println!("{platform}: {words} instructions, {compacted} compacted, {bad} not reproduced");
    ExitCode::from(u8::from(bad > 0))
}

//! The committed header is what cbindgen makes of the exported functions.
//!
//! `UPDATE_HEADER=1 cargo test -p visa-finalize-capi --test header` writes it anew.

use std::{fs, path::Path};

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    let modules = ["finalizer", "binary", "error", "code", "control", "object", "reports"];
    let builder = cbindgen::Builder::new().with_config(config);
    let modules = modules.iter().map(|module| format!("exports/{module}.rs"));
    ["exports/shared.rs", "exports.rs", "handles.rs"]
        .into_iter()
        .map(str::to_owned)
        .chain(modules)
        .fold(builder, |builder, source| builder.with_src(root.join("src").join(source)))
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made)
        .unwrap()
        .replace(" # Safety\n\n", " The caller promises:\n")
        .replace(" As [`JITCompile`]", " What JITCompile asks for");
    let path = root.join("include/visa_finalize.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&path, &made).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == made,
        "run UPDATE_HEADER=1 cargo test -p visa-finalize-capi --test header"
    );
}

#[test]
fn the_header_names_every_option() {
    let header = include_str!("../include/visa_finalize.h");
    let missing: Vec<&str> = finalizer::SETTINGS
        .iter()
        .map(|s| s.name)
        .filter(|name| !header.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

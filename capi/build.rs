//! Gives the shared library its SONAME, so that programs ask the loader for the interface that they were linked
//! with: the number is that of `VF_ABI_VERSION`, read from the committed header.

fn main() {
    const HEADER: &str = "include/visa_finalize.h";
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={HEADER}");
    let header = std::fs::read_to_string(HEADER).expect("the header is part of the crate");
    let version = header.lines().find_map(|l| l.strip_prefix("#define VF_ABI_VERSION "));
    let version = version.expect("the header says which interface it is").trim();
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libvisafinalize.so.{version}");
    }
}

//! Pages that list the files of their folder list all of them, and no others.

use std::collections::BTreeSet;

/// The files that a module declares.
fn declared(page: &str) -> BTreeSet<&str> {
    let module =
        |line| str::strip_suffix(line, ";").and_then(|l| l.rsplit_once("mod ")).map(|(_, name)| name);
    page.lines().filter(|l| !l.starts_with("//")).filter_map(module).filter(|name| *name != "tests").collect()
}

/// The files that the indented lines of its table name, before two blanks.
fn listed(page: &str) -> BTreeSet<&str> {
    let table = page.split("//! ```text\n").nth(1).and_then(|rest| rest.split("//! ```\n").next());
    let rows = table.expect("a table").lines().filter_map(|line| line.strip_prefix("//!   "));
    rows.filter_map(|row| row.split_once("  ")).flat_map(|(names, _)| names.split(", ")).collect()
}

#[test]
fn pages_list_all_files() {
    for (folder, page) in [
        ("lower", include_str!("lower/mod.rs")),
        ("legalize", include_str!("legalize/mod.rs")),
        ("messages", include_str!("messages/mod.rs")),
    ] {
        assert_eq!(listed(page), declared(page), "the page of {folder}");
    }
}

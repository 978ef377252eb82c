//! Names of types: two types of one crate do not share one, so that a name, wherever it is read, says which is meant.
//!
//! Private types count, too: whoever reads `Entry` in a file knows what it is only if there is one. Tests are not
//! looked at, nor types that implementations of traits declare.

use std::{collections::BTreeMap, fs, path::Path};

#[test]
fn types_of_a_crate_have_names_of_their_own() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut faults = Vec::new();
    let mut crates = 0;
    for package in fs::read_dir(top).expect("the workspace").map(|entry| entry.expect("an entry").path()) {
        if !package.join("Cargo.toml").exists() || !package.join("src").is_dir() {
            continue;
        }
        crates += 1;
        let name = package.file_name().expect("a name").to_string_lossy().into_owned();
        let mut types = BTreeMap::new();
        collect(&package.join("src"), &mut types);
        types.retain(|_, files: &mut Vec<String>| files.len() > 1);
        faults.extend(types.iter().map(|(of, files)| format!("{name}: {of}: {}", files.join(", "))));
    }
    assert!(crates > 20, "{crates} crates were looked at");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Finds the types of a folder, each with the files that define one of that name.
fn collect(folder: &Path, types: &mut BTreeMap<String, Vec<String>>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() && stem != "bin" && stem != "tests" {
            collect(&path, types);
        } else if path.extension().is_some_and(|e| e == "rs") && stem != "tests" {
            let text = fs::read_to_string(&path).expect("a source");
            for name in text.lines().take_while(|line| *line != "#[cfg(test)]").filter_map(defined) {
                types.entry(name.to_owned()).or_default().push(path.display().to_string());
            }
        }
    }
}

/// The type that a line defines, at the top of a file or of a module in it.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let visible = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    let name = ["struct ", "enum ", "union "].into_iter().find_map(|word| visible.strip_prefix(word))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    name.starts_with(char::is_uppercase).then_some(&name[..end])
}

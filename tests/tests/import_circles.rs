//! Files that import each other: none of a crate may come to stand in a circle of imports, so that the direction of
//! imports stays that of the pipeline, and a file can be read with what it imports and nothing else.
//!
//! An edge goes from a file to the one that defines what it names by a path from `crate`, `super`, `self` or a module of
//! its own, in `use` or where the name is used; a name that a file has from elsewhere belongs to the file that it comes
//! from, and `pub use` is no edge. Tests are not looked at, they may name anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

#[test]
fn files_do_not_import_each_other() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut faults = Vec::new();
    let mut crates = 0;
    for package in fs::read_dir(top).expect("the workspace").map(|entry| entry.expect("an entry").path()) {
        let name = package.file_name().expect("a name").to_string_lossy().into_owned();
        if !package.join("Cargo.toml").exists() || !package.join("src").is_dir() {
            continue;
        }
        crates += 1;
        let sources = Sources::read(&package.join("src"));
        let circles = sources.circles();
        faults.extend(circles.iter().map(|circle| format!("{name}:\n{}", sources.describe(circle))));
    }
    assert!(crates > 20, "{crates} crates were looked at");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Path of a module inside its crate: `lower::stack` is `["lower", "stack"]`.
type ModulePath = Vec<String>;

/// The modules of a crate that are files.
struct Sources {
    modules: BTreeMap<ModulePath, File>,
}

struct File {
    /// What its `use` items name, as absolute paths; a glob ends in `*`.
    imports: Vec<ModulePath>,
    /// What it names by `use`, which modules below it see, too: the name here, and the path it has elsewhere.
    names: Vec<(String, ModulePath)>,
    /// Names of the items that it defines.
    defines: BTreeSet<String>,
}

impl Sources {
    fn read(src: &Path) -> Sources {
        let mut modules = BTreeMap::new();
        let mut folders = vec![src.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path())
            {
                if path.is_dir() {
                    if path != src.join("bin") {
                        folders.push(path);
                    }
                } else if let Some(module) = module_of(src, &path) {
                    let text = fs::read_to_string(&path).expect("a source");
                    modules.insert(module.clone(), File::read(&text, &module));
                }
            }
        }
        Sources { modules }
    }

    /// The file that defines what `path` names, if a file of this crate does.
    fn definer(&self, path: &[String], depth: usize) -> Option<ModulePath> {
        let mut long = path.len();
        while !self.modules.contains_key(&path[..long]) {
            long = long.checked_sub(1)?;
        }
        let (module, rest) = path.split_at(long);
        let file = &self.modules[module];
        let Some(name) = rest.first() else { return Some(module.to_vec()) };
        if depth == 0 || name == "*" || file.defines.contains(name) {
            return Some(module.to_vec());
        }
        let follow = |target: &ModulePath| {
            let whole: ModulePath = target.iter().chain(&rest[1..]).cloned().collect();
            self.definer(&whole, depth - 1)
        };
        if let Some((_, target)) = file.names.iter().find(|(here, _)| here == name) {
            return follow(target);
        }
        let globs = file.names.iter().filter(|(here, _)| here == "*");
        let through_glob = globs.filter_map(|(_, target)| {
            let whole: ModulePath = target[..target.len() - 1].iter().chain(rest).cloned().collect();
            let found = self.definer(&whole, depth - 1)?;
            self.modules[&found].defines.contains(name).then_some(found)
        });
        Some(through_glob.into_iter().next().unwrap_or_else(|| module.to_vec()))
    }

    /// Circles of imports, each with the files in it.
    fn circles(&self) -> Vec<Vec<ModulePath>> {
        let names: Vec<&ModulePath> = self.modules.keys().collect();
        let number: BTreeMap<&ModulePath, usize> = names.iter().enumerate().map(|(n, &m)| (m, n)).collect();
        let mut reaches = vec![BTreeSet::new(); names.len()];
        for (from, module) in names.iter().enumerate() {
            let mut open: Vec<usize> = self.edges(module).iter().map(|to| number[to]).collect();
            while let Some(to) = open.pop() {
                if reaches[from].insert(to) {
                    open.extend(self.edges(names[to]).iter().map(|to| number[to]));
                }
            }
        }
        let mut circles = Vec::new();
        let mut seen = BTreeSet::new();
        for from in 0..names.len() {
            let circle: Vec<usize> = (0..names.len())
                .filter(|&to| reaches[from].contains(&to) && reaches[to].contains(&from))
                .collect();
            if circle.len() > 1 && seen.insert(circle.clone()) {
                circles.push(circle.iter().map(|&n| names[n].clone()).collect());
            }
        }
        circles
    }

    fn edges(&self, module: &ModulePath) -> BTreeSet<ModulePath> {
        let imports = &self.modules[module].imports;
        imports.iter().filter_map(|path| self.definer(path, 8)).filter(|to| to != module).collect()
    }

    fn describe(&self, circle: &[ModulePath]) -> String {
        let line = |module: &ModulePath| {
            let to: Vec<String> =
                self.edges(module).iter().filter(|to| circle.contains(to)).map(written).collect();
            format!("    {} imports {}", written(module), to.join(", "))
        };
        circle.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn written(module: &ModulePath) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("::") }
}

/// The module that a file is; none for files of tests and such that are no Rust.
fn module_of(src: &Path, path: &Path) -> Option<ModulePath> {
    let inside: PathBuf = path.strip_prefix(src).ok()?.with_extension("");
    let mut module: ModulePath = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.extension()? != "rs" || module.iter().any(|part| part == "tests") {
        return None;
    }
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] || module == ["main"] {
        module.pop();
    }
    Some(module)
}

impl File {
    fn read(text: &str, module: &ModulePath) -> File {
        let words = words(text);
        let mut file = File { imports: Vec::new(), names: Vec::new(), defines: BTreeSet::new() };
        let children: BTreeSet<&str> =
            words.windows(3).filter(|w| w[0] == "mod" && w[2] == ";").map(|w| w[1]).collect();
        let (mut at, mut depth) = (0, 0);
        // The module that a word is in, and how deep the braces of modules in the file are.
        let (mut module, mut inside) = (module.clone(), Vec::new());
        while at < words.len() {
            match words[at] {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if inside.last() == Some(&depth) {
                        inside.pop();
                        module.pop();
                    }
                }
                "mod" if words.get(at + 2) == Some(&"{") => {
                    module.push(words[at + 1].to_owned());
                    inside.push(depth);
                    at += 1;
                }
                "#" if words[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) => {
                    at = behind_item(&words, at + 7);
                    continue;
                }
                "use" => {
                    let public = at > 0 && matches!(words[at - 1], "pub" | ")");
                    let mut paths = Vec::new();
                    at = tree(&words, at + 1, &mut Vec::new(), &mut paths);
                    for (mut path, name) in paths {
                        if let Some(path) = absolute(&mut path, &module, &children) {
                            if !public {
                                file.imports.push(path.clone());
                            }
                            file.names.push((name, path));
                        }
                    }
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "macro_rules"
                | "union" => {
                    let name =
                        words.get(at + 1).copied().filter(|&word| word != "!").or(words.get(at + 2).copied());
                    file.defines.extend(name.map(str::to_owned));
                }
                first
                    if words[at + 1..].starts_with(&[":", ":"])
                        && at > 0
                        && !matches!(words[at - 1], ":" | "in") =>
                {
                    let mut path = vec![first.to_owned()];
                    while words[at + 1..].starts_with(&[":", ":"])
                        && words.get(at + 3).is_some_and(|w| is_name(w))
                    {
                        path.push(words[at + 3].to_owned());
                        at += 3;
                    }
                    file.imports.extend(absolute(&mut path, &module, &children));
                }
                _ => {}
            }
            at += 1;
        }
        file
    }
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The path from the top of the crate; none if it leads into another crate.
fn absolute(path: &mut ModulePath, module: &ModulePath, children: &BTreeSet<&str>) -> Option<ModulePath> {
    let mut base = module.clone();
    match path.first()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while path.get(1).is_some_and(|next| next == "super") {
                path.remove(0);
                base.pop();
            }
            base.pop();
        }
        first if children.contains(first) => return Some([base, path.clone()].concat()),
        _ => return None,
    }
    Some([&base, &path[1..]].concat())
}

/// The words of a program, without comments and literals.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let long = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("r#\"") => rest.find("\"#").map_or(rest.len(), |end| end + 2),
            '"' => string(rest),
            '\'' => character(rest),
            _ if first.is_alphanumeric() || first == '_' => {
                let long = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                words.push(&rest[..long]);
                long
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                words.push(&rest[..first.len_utf8()]);
                first.len_utf8()
            }
        };
        rest = &rest[long..];
    }
    words
}

/// How long a string literal is.
fn string(text: &str) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// How long a character literal is, or a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => text[3..].find('\'').map_or(1, |end| end + 4),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1 + text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len() - 1),
    }
}

/// Behind the item that starts at `at`: its `;`, or the end of its braces.
fn behind_item(words: &[&str], at: usize) -> usize {
    let mut depth = 0usize;
    for (n, &word) in words.iter().enumerate().skip(at) {
        match word {
            "{" => depth += 1,
            "}" if depth <= 1 => return n + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return n + 1,
            _ => {}
        }
    }
    words.len()
}

/// Reads a tree of imports; the paths in it, each with the name it gets, go to `found`. Returns what is behind it.
fn tree(
    words: &[&str],
    mut at: usize,
    prefix: &mut ModulePath,
    found: &mut Vec<(ModulePath, String)>,
) -> usize {
    let long = prefix.len();
    while let Some(&word) = words.get(at) {
        match word {
            "{" => {
                at += 1;
                while words.get(at).is_some_and(|&word| word != "}") {
                    at = tree(words, at, prefix, found);
                    at += usize::from(words.get(at) == Some(&","));
                }
                prefix.truncate(long);
                return at + 1;
            }
            ":" => at += 1,
            _ => {
                prefix.push(word.to_owned());
                at += 1;
                if words.get(at) == Some(&":") {
                    continue;
                }
                let mut name = word.to_owned();
                if words.get(at) == Some(&"as") {
                    name = words[at + 1].to_owned();
                    at += 2;
                }
                if word == "self" && prefix.len() > 1 {
                    prefix.pop();
                    name = prefix.last().expect("a name in front").clone();
                }
                found.push((prefix.clone(), name));
                prefix.truncate(long);
                return at;
            }
        }
    }
    at
}

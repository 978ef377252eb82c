//! Names of results.

use std::path::Path;

use crate::files::is_standard;

/// The name of a file's results, before their endings: an object that is a result itself gives results of the
/// same name.
pub fn stem(path: &Path) -> String {
    if is_standard(path) {
        return "stdin".to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.strip_suffix(".gen").map_or(stem.clone(), str::to_owned)
}

/// A kernel's name as a part of a file's.
pub fn of_kernel(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

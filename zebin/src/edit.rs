//! `.ze_info`: values changed where they stand, as text. The document is written by one program (the YAML writer of
//! LLVM) and read by drivers of many ages, whose parsers take less than YAML; so nothing but the changed lines
//! changes, and keys that we do not know stay.

use std::{collections::BTreeMap, ops::Range};

use crate::document::key_and_value;

/// A document, with the lines of each kernel's entry apart from the rest.
pub struct ZeInfo {
    /// The lines before the first kernel.
    head: Vec<String>,
    kernels: Vec<Vec<String>>,
    /// The lines behind the last kernel.
    tail: Vec<String>,
    /// The numbers of the kernels by name.
    names: BTreeMap<String, usize>,
}

/// Where values of a line start, as the compiler writes them.
const VALUE_COLUMN: usize = 17;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `key` and `value` of a line `key: value`, without the mark of a list's item.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    key_and_value(line.strip_prefix("- ").unwrap_or(line))
}

fn line(indent: usize, key: &str, value: impl std::fmt::Display) -> String {
    format!("{:indent$}{:<VALUE_COLUMN$}{value}", "", format!("{key}: "))
}

/// The lines below a heading of a kernel, such as `execution_env`.
fn part(lines: &[String], heading: &str) -> Option<Range<usize>> {
    let start = lines.iter().position(|l| entry(l) == Some((heading, "")))?;
    let depth = indent(&lines[start]);
    let end = (start + 1..lines.len()).find(|i| indent(&lines[*i]) <= depth).unwrap_or(lines.len());
    Some(start + 1..end)
}

/// The items of the list below a heading.
fn items(lines: &[String], heading: &str) -> Vec<Range<usize>> {
    let Some(part) = part(lines, heading) else { return Vec::new() };
    let starts: Vec<usize> = part.clone().filter(|i| lines[*i].trim_start().starts_with("- ")).collect();
    let ends = starts.iter().skip(1).copied().chain([part.end]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

/// The line of a key, and its value.
fn find<'a>(lines: &'a [String], mut range: Range<usize>, key: &str) -> Option<(usize, &'a str)> {
    range.find_map(|i| entry(&lines[i]).filter(|e| e.0 == key).map(|e| (i, e.1)))
}

impl ZeInfo {
    /// Takes a document apart.
    pub fn new(text: &str) -> ZeInfo {
        let mut lines = text.lines().map(str::to_owned).peekable();
        let mut info =
            ZeInfo { head: Vec::new(), kernels: Vec::new(), tail: Vec::new(), names: BTreeMap::new() };
        for line in lines.by_ref() {
            let is_list = line.trim_end() == "kernels:";
            info.head.push(line);
            if is_list {
                break;
            }
        }
        while let Some(line) = lines.next_if(|l| indent(l) > 0) {
            match info.kernels.last_mut() {
                Some(kernel) if !line.starts_with("  - ") => kernel.push(line),
                _ => info.kernels.push(vec![line]),
            }
        }
        for (number, kernel) in info.kernels.iter().enumerate() {
            let name = find(kernel, 0..kernel.len(), "name").map(|found| found.1.to_owned());
            info.names.entry(name.unwrap_or_default()).or_insert(number);
        }
        info.tail.extend(lines);
        info
    }

    /// The document as it is now.
    pub fn text(&self) -> String {
        let lines = self.head.iter().chain(self.kernels.iter().flatten()).chain(&self.tail);
        lines.flat_map(|l| [l.as_str(), "\n"]).collect()
    }

    fn kernel(&mut self, name: &str) -> Option<&mut Vec<String>> {
        self.kernels.get_mut(*self.names.get(name)?)
    }

    /// Whether the document has the kernel.
    pub fn has(&self, kernel: &str) -> bool {
        self.names.contains_key(kernel)
    }

    /// A value of a kernel's `execution_env`.
    pub fn environment(&self, kernel: &str, key: &str) -> Option<u32> {
        let lines = self.kernels.get(*self.names.get(kernel)?)?;
        find(lines, part(lines, "execution_env")?, key)?.1.parse().ok()
    }

    /// Sets a value of a kernel's `execution_env`. A key that is not there stands for 0, and 0 is not added.
    pub fn set_environment(&mut self, kernel: &str, key: &str, value: u32) {
        let Some(lines) = self.kernel(kernel) else { return };
        let Some(part) = part(lines, "execution_env") else { return };
        match find(lines, part.clone(), key).map(|found| found.0) {
            Some(at) if value == 0 => {
                lines.remove(at);
            }
            Some(at) => lines[at] = line(indent(&lines[at]), key, value),
            None if value > 0 => {
                let depth = part.clone().next().map_or(6, |i| indent(&lines[i]));
                lines.insert(part.start, line(depth, key, value));
            }
            None => {}
        }
    }

    /// Says how many bytes of scratch memory a thread of a kernel needs (`per_thread_memory_buffers`). Buffers for
    /// other uses than spilling are never made smaller: what else they hold is the compiler's.
    pub fn set_scratch(&mut self, kernel: &str, bytes: u32) {
        let Some(lines) = self.kernel(kernel) else { return };
        let items = items(lines, "per_thread_memory_buffers");
        let value = |item: &Range<usize>, key: &str| find(lines, item.clone(), key).map(|found| found.1);
        // Slot 1 is private memory of its own surface, which spills do not go to.
        let is_ours = |item: &&Range<usize>| {
            value(item, "type") == Some("scratch") && value(item, "slot").is_none_or(|slot| slot == "0")
        };
        let Some(item) = items.iter().find(is_ours).cloned() else {
            return add_scratch(lines, bytes);
        };
        let is_spills = value(&item, "usage") == Some("spill_fill_space");
        let old = value(&item, "size").and_then(|v| v.parse().ok()).unwrap_or(0);
        let bytes = if is_spills { bytes } else { bytes.max(old) };
        if bytes > 0 {
            if let Some((at, _)) = find(lines, item, "size") {
                lines[at] = line(indent(&lines[at]), "size", bytes);
            }
            return;
        }
        // A buffer of no size is no buffer, and a list of none is no list.
        let heading = if items.len() == 1 { 1 } else { 0 };
        lines.drain(item.start - heading..item.end);
    }
}

fn add_scratch(lines: &mut Vec<String>, bytes: u32) {
    if bytes == 0 {
        return;
    }
    let mut item = vec![
        format!("      - {:<VALUE_COLUMN$}scratch", "type: "),
        line(8, "usage", "spill_fill_space"),
        line(8, "size", bytes),
    ];
    let at = match part(lines, "per_thread_memory_buffers") {
        Some(list) => list.start,
        None => {
            item.insert(0, "    per_thread_memory_buffers:".to_owned());
            lines.len()
        }
    };
    lines.splice(at..at, item);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nversion:         '1.20'\nkernels:\n  - name:            a\n    execution_env:\n      \
                        grf_count:       128\n      simd_size:       8\n    per_thread_memory_buffers:\n      \
                        - type:            scratch\n        usage:           spill_fill_space\n        \
                        size:            131072\n      - type:            global\n        usage:           \
                        private_space\n        size:            5776\n  - name:            b\n    execution_env:\n      \
                        barrier_count:   1\n      simd_size:       16\nkernels_misc_info:\n  - name:            b\n";

    fn changed(change: impl FnOnce(&mut ZeInfo)) -> Vec<String> {
        let mut info = ZeInfo::new(TEXT);
        change(&mut info);
        let new = info.text();
        let gone =
            TEXT.lines().filter(|l| !new.lines().any(|n| n == *l)).map(|l| format!("-{}", l.trim_start()));
        let come =
            new.lines().filter(|l| !TEXT.lines().any(|o| o == *l)).map(|l| format!("+{}", l.trim_start()));
        gone.chain(come).collect()
    }

    #[test]
    fn what_is_not_changed_stays() {
        assert_eq!(ZeInfo::new(TEXT).text(), TEXT);
        assert!(changed(|i| i.set_environment("c", "simd_size", 4)).is_empty());
    }

    #[test]
    fn values_of_the_environment() {
        let info = ZeInfo::new(TEXT);
        assert_eq!(info.environment("b", "barrier_count"), Some(1));
        assert_eq!(info.environment("a", "barrier_count"), None);
        let set = |kernel: &str, key: &str, value| changed(|i| i.set_environment(kernel, key, value));
        assert_eq!(set("b", "barrier_count", 3), ["-barrier_count:   1", "+barrier_count:   3"]);
        assert_eq!(set("b", "barrier_count", 0), ["-barrier_count:   1"]);
        assert_eq!(set("a", "barrier_count", 2), ["+barrier_count:   2"]);
        let long = "offset_to_skip_per_thread_data_load";
        assert_eq!(set("a", long, 128), [format!("+{long}: 128")]);
    }

    #[test]
    fn scratch_memory() {
        let set = |kernel: &str, bytes| changed(|i| i.set_scratch(kernel, bytes));
        assert_eq!(set("a", 4096), ["-size:            131072", "+size:            4096"]);
        assert_eq!(
            set("a", 0),
            ["-- type:            scratch", "-usage:           spill_fill_space", "-size:            131072"]
        );
        assert!(set("b", 0).is_empty());
        let mut info = ZeInfo::new(TEXT);
        info.set_scratch("b", 1024);
        let text = info.text();
        let buffers =
            "simd_size:       16\n    per_thread_memory_buffers:\n      - type:            scratch\n";
        assert!(
            text.contains(buffers) && text.ends_with("kernels_misc_info:\n  - name:            b\n"),
            "{text}"
        );
    }
}

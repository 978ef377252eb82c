//! `.ze_info`: values changed where they stand, as text. The document is written by one program (the YAML writer of
//! LLVM) and read by drivers of many ages, whose parsers take less than YAML; so nothing but the changed lines
//! changes, and keys that we do not know stay.

/// The lines of a document.
pub(crate) struct ZeInfo {
    lines: Vec<String>,
}

/// Where values of a line start, as the compiler writes them.
const VALUE_COLUMN: usize = 17;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `key` and `value` of a line `key: value`, without the mark of a list's item.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (key, value) = line.strip_prefix("- ").unwrap_or(line).split_once(':')?;
    Some((key.trim(), value.trim().trim_matches(['\'', '"'])))
}

fn line(indent: usize, key: &str, value: impl std::fmt::Display) -> String {
    format!("{:indent$}{:<VALUE_COLUMN$}{value}", "", format!("{key}: "))
}

impl ZeInfo {
    pub fn new(text: &str) -> ZeInfo {
        ZeInfo { lines: text.lines().map(str::to_owned).collect() }
    }

    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect()
    }

    /// The lines of a kernel's entry.
    fn kernel(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let list = self.lines.iter().position(|l| l.trim_end() == "kernels:")?;
        let is_entry = |l: &String| l.starts_with("  - ");
        let named = |l: &String| is_entry(l) && entry(l) == Some(("name", name));
        let end =
            (list + 1..self.lines.len()).find(|i| indent(&self.lines[*i]) == 0).unwrap_or(self.lines.len());
        let start = (list + 1..end).find(|i| named(&self.lines[*i]))?;
        let stop = (start + 1..end).find(|i| is_entry(&self.lines[*i])).unwrap_or(end);
        Some(start..stop)
    }

    /// The lines below a heading of a kernel, such as `execution_env`.
    fn part(&self, kernel: &str, heading: &str) -> Option<std::ops::Range<usize>> {
        let lines = self.kernel(kernel)?;
        let start = lines.clone().find(|i| entry(&self.lines[*i]) == Some((heading, "")))?;
        let depth = indent(&self.lines[start]);
        let end = (start + 1..lines.end).find(|i| indent(&self.lines[*i]) <= depth).unwrap_or(lines.end);
        Some(start + 1..end)
    }

    /// Whether the document has the kernel.
    pub fn has(&self, kernel: &str) -> bool {
        self.kernel(kernel).is_some()
    }

    /// Whether a kernel is handed an argument of a kind.
    pub fn has_argument(&self, kernel: &str, kind: &str) -> bool {
        let arguments = self.part(kernel, "payload_arguments").unwrap_or_default();
        arguments.into_iter().any(|i| entry(&self.lines[i]) == Some(("arg_type", kind)))
    }

    /// A value of a kernel's `execution_env`.
    pub fn environment(&self, kernel: &str, key: &str) -> Option<u32> {
        let lines = self.part(kernel, "execution_env")?;
        let found = lines.into_iter().find_map(|i| entry(&self.lines[i]).filter(|e| e.0 == key));
        found?.1.parse().ok()
    }

    /// Sets a value of a kernel's `execution_env`. A key that is not there stands for 0, and 0 is not added.
    pub fn set_environment(&mut self, kernel: &str, key: &str, value: u32) {
        let Some(lines) = self.part(kernel, "execution_env") else { return };
        match lines.clone().find(|i| entry(&self.lines[*i]).is_some_and(|e| e.0 == key)) {
            Some(at) if value == 0 => {
                self.lines.remove(at);
            }
            Some(at) => self.lines[at] = line(indent(&self.lines[at]), key, value),
            None if value > 0 => {
                let depth = lines.clone().next().map_or(6, |i| indent(&self.lines[i]));
                self.lines.insert(lines.start, line(depth, key, value));
            }
            None => {}
        }
    }

    /// Says how many bytes of scratch memory a thread of a kernel needs (`per_thread_memory_buffers`). Buffers for
    /// other uses than spilling are never made smaller: what else they hold is the compiler's.
    pub fn set_scratch(&mut self, kernel: &str, bytes: u32) {
        let items = self.items(kernel, "per_thread_memory_buffers");
        let value = |lines: &ZeInfo, item: &std::ops::Range<usize>, key: &str| {
            let found = item.clone().find_map(|i| entry(&lines.lines[i]).filter(|e| e.0 == key));
            found.map(|e| e.1.to_owned())
        };
        // Slot 1 is private memory of its own surface, which spills do not go to.
        let is_ours = |item: &&std::ops::Range<usize>| {
            value(self, item, "type").as_deref() == Some("scratch")
                && value(self, item, "slot").is_none_or(|slot| slot == "0")
        };
        let Some(item) = items.iter().find(is_ours).cloned() else {
            return self.add_scratch(kernel, bytes);
        };
        let is_spills = value(self, &item, "usage").as_deref() == Some("spill_fill_space");
        let old = value(self, &item, "size").and_then(|v| v.parse().ok()).unwrap_or(0);
        let bytes = if is_spills { bytes } else { bytes.max(old) };
        if bytes > 0 {
            if let Some(at) = item.clone().find(|i| entry(&self.lines[*i]).is_some_and(|e| e.0 == "size")) {
                self.lines[at] = line(indent(&self.lines[at]), "size", bytes);
            }
            return;
        }
        // A buffer of no size is no buffer, and a list of none is no list.
        let heading = if items.len() == 1 { 1 } else { 0 };
        self.lines.drain(item.start - heading..item.end);
    }

    fn items(&self, kernel: &str, heading: &str) -> Vec<std::ops::Range<usize>> {
        let Some(lines) = self.part(kernel, heading) else { return Vec::new() };
        let starts: Vec<usize> =
            lines.clone().filter(|i| self.lines[*i].trim_start().starts_with("- ")).collect();
        let ends = starts.iter().skip(1).copied().chain([lines.end]);
        starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
    }

    fn add_scratch(&mut self, kernel: &str, bytes: u32) {
        if bytes == 0 {
            return;
        }
        let mut item = vec![
            format!("      - {:<VALUE_COLUMN$}scratch", "type: "),
            line(8, "usage", "spill_fill_space"),
            line(8, "size", bytes),
        ];
        let at = match self.part(kernel, "per_thread_memory_buffers") {
            Some(lines) => lines.start,
            None => {
                item.insert(0, "    per_thread_memory_buffers:".to_owned());
                let Some(lines) = self.kernel(kernel) else { return };
                lines.end
            }
        };
        self.lines.splice(at..at, item);
    }
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

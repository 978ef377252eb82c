//! `.ze_info` as a tree: the block YAML that one program writes (the YAML writer of LLVM) and that drivers' own small
//! parsers take: lists, maps, scalars on one line, and lists of scalars in brackets. No anchors, no tags.
//!
//! The tree lies flat, in the order of the lines, so its depth costs nothing.

use crate::Error;

/// A map's key with what stands behind it on its line, or an item of a list.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    indent: usize,
    /// Of an item, empty.
    key: &'a str,
    is_item: bool,
    value: &'a str,
    /// The first entry behind this one and all below it.
    end: usize,
}

/// A document.
pub(crate) struct Document<'a> {
    entries: Vec<Entry<'a>>,
}

/// Some entries below one, or the whole document.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    document: &'a Document<'a>,
    start: usize,
    end: usize,
    value: &'a str,
}

/// The key and the value of a line `key: value`.
pub(crate) fn key_and_value(text: &str) -> Option<(&str, &str)> {
    let (key, value) = match text.split_once(": ") {
        Some(pair) => pair,
        None => (text.trim_end().strip_suffix(':')?, ""),
    };
    Some((unquoted(key), unquoted(value)))
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    match text.as_bytes().first() {
        Some(quote @ (b'\'' | b'"')) => {
            let inner = &text[1..];
            inner.rfind(char::from(*quote)).map_or(inner, |end| &inner[..end])
        }
        _ => text.split(" #").next().unwrap_or_default().trim_end(),
    }
}

impl<'a> Document<'a> {
    /// Reads a document.
    pub fn read(text: &'a str) -> Result<Document<'a>, Error> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for (number, line) in text.trim_end_matches('\0').lines().enumerate() {
            let mut rest = line.trim_start();
            if rest.is_empty() || rest.starts_with('#') || matches!(line.trim_end(), "---" | "...") {
                continue;
            }
            let mut indent = line.len() - rest.len();
            let mut is_item = false;
            while let Some(item) = rest.strip_prefix('-').filter(|r| r.is_empty() || r.starts_with(' ')) {
                entries.push(Entry { indent, key: "", is_item: true, value: "", end: 0 });
                is_item = true;
                let inner = item.trim_start();
                indent += rest.len() - inner.len();
                rest = inner;
            }
            match (key_and_value(rest), entries.last_mut()) {
                (Some((key, value)), _) => {
                    entries.push(Entry { indent, key, is_item: false, value, end: 0 });
                }
                (None, Some(item)) if is_item => item.value = unquoted(rest),
                _ => {
                    let message = format!("line {}: found `{rest}`, allowed: a key and a value", number + 1);
                    return Err(Error::Description(message));
                }
            }
        }
        nest(&mut entries);
        Ok(Document { entries })
    }

    /// The whole document.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, start: 0, end: self.entries.len(), value: "" }
    }
}

/// Says where what is below an entry ends: at the first that is not further in. Items of a list may stand as far in
/// as the list's key.
fn nest(entries: &mut [Entry<'_>]) {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..entries.len() {
        let new = entries[at];
        while let Some(&last) = open.last() {
            let old = &mut entries[last];
            let is_list = new.is_item && !old.is_item && old.indent == new.indent;
            if old.indent < new.indent || is_list {
                break;
            }
            old.end = at;
            open.pop();
        }
        open.push(at);
    }
    let end = entries.len();
    open.into_iter().for_each(|i| entries[i].end = end);
}

impl<'a> Node<'a> {
    fn children(self) -> impl Iterator<Item = (&'a Entry<'a>, Node<'a>)> {
        let document = self.document;
        let mut at = self.start;
        std::iter::from_fn(move || {
            let entry = document.entries.get(at).filter(|_| at < self.end)?;
            let node = Node { document, start: at + 1, end: entry.end, value: entry.value };
            at = entry.end;
            Some((entry, node))
        })
    }

    /// What a key of a map stands for.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.children().find(|(e, _)| !e.is_item && e.key == key).map(|(_, node)| node)
    }

    /// The items of a list below a key; none if there is no such key.
    pub fn list(self, key: &str) -> impl Iterator<Item = Node<'a>> {
        let items = self.get(key).into_iter().flat_map(Node::children);
        items.filter(|(e, _)| e.is_item).map(|(_, node)| node)
    }

    /// What stands on the line.
    pub fn scalar(self) -> &'a str {
        self.value
    }

    /// The scalars of a list of scalars, of either form.
    pub fn scalars(self) -> Vec<&'a str> {
        match self.value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            Some(inner) if inner.trim().is_empty() => Vec::new(),
            Some(inner) => inner.split(',').map(unquoted).collect(),
            None => self.children().map(|(_, item)| item.value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_and_lists_of_both_indentations() {
        let text = "---\nversion:  '1.20' # of the format\nkernels:\n  - name: a\n    env:\n      order: [ 0, 2, 1 ]\n      x: 1\n  \
                    - name: \"b: c\"\n    sizes:\n      - 4\n      - 5\nmisc:\n- name: d\n- name: e\n  x:\nend: true\n...\n";
        let document = Document::read(text).unwrap();
        let root = document.root();
        assert_eq!(root.get("version").unwrap().scalar(), "1.20");
        assert_eq!(root.get("end").unwrap().scalar(), "true");
        let names = |key| -> Vec<&str> { root.list(key).map(|k| k.get("name").unwrap().scalar()).collect() };
        assert_eq!(names("kernels"), ["a", "b: c"]);
        assert_eq!(names("misc"), ["d", "e"]);
        assert!(names("none").is_empty());
        let kernels: Vec<Node<'_>> = root.list("kernels").collect();
        let env = kernels[0].get("env").unwrap();
        assert_eq!(env.get("order").unwrap().scalars(), ["0", "2", "1"]);
        assert_eq!(env.get("x").unwrap().scalar(), "1");
        assert!(env.get("name").is_none());
        assert_eq!(kernels[1].get("sizes").unwrap().scalars(), ["4", "5"]);
    }

    #[test]
    fn what_is_no_entry_is_refused_with_its_line() {
        let error = Document::read("a: 1\nkernels\n").err().unwrap().to_string();
        assert!(error.contains("line 2") && error.contains("kernels"), "{error}");
        assert!(Document::read("").unwrap().root().get("kernels").is_none());
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = format!("a:\n{}x: 1\n", "- ".repeat(200_000));
        assert!(Document::read(&deep).is_ok());
        let stairs: String = (0..2_000).map(|i| format!("{:i$}a:\n", "")).collect();
        assert!(Document::read(&stairs).unwrap().root().get("a").is_some());
    }
}

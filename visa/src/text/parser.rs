//! The parser's core: tokens, faults, statements, constant expressions.

use std::{fmt, ops::Range};

use narrow::{to_index, to_u8, to_u16};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    TextOptions,
    lexer::{Tok, Token, tokens},
    symbols::Symbols,
};
use crate::{
    error::on_lines,
    ids::{LabelId, StrId},
    model::{AttrRange, Kernel, Label, Module, PlaceKind, Version},
    near::suggestion,
    types::LabelKind,
};

/// More faults than this are not collected.
pub(super) const MAX_FAULTS: usize = 1000;

/// A fault in vISA assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in bytes.
    pub column: u32,
    /// Bytes of the text that are at fault.
    pub span: Range<usize>,
    /// What was found and what is allowed.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Fault {}

/// All faults of a text; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        on_lines(f, &self.0)
    }
}

impl std::error::Error for Faults {}

/// Directives, without their dots.
pub(super) const DIRECTIVES: [&str; 10] = [
    "version",
    "kernel",
    "global_function",
    "funcdecl",
    "function",
    "decl",
    "input",
    "kernel_attr",
    "file",
    "loc",
];

/// Parses vISA assembly: one or more kernels and functions.
///
/// # Errors
///
/// Every statement that is at fault, in order.
pub fn parse(text: &str, options: TextOptions) -> Result<Module, Faults> {
    if u32::try_from(text.len()).is_err() {
        let mut parser = Parser::new("", options);
        let _: Parsed<()> = parser.fail_at(0..0, "the text is longer than 4 GiB");
        return parser.finish();
    }
    let mut parser = Parser::new(text, options);
    match text.bytes().position(|b| b == 0) {
        // Names would end there in an object.
        Some(at) => {
            let _: Parsed<()> = parser.fail_at(at..at + 1, "found a zero byte, which no text has");
        }
        None => parser.statements(),
    }
    parser.finish()
}

/// Marks a statement as failed; the fault is in the parser's list.
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct Parser<'s> {
    pub(super) text: &'s str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    /// A place in the text and its line, to count lines from.
    pub(super) line: (usize, u32),
    pub(super) faults: Vec<Fault>,
    pub(super) options: TextOptions,
    pub(super) version: Version,
    kernels: Vec<Kernel>,
    functions: Vec<Kernel>,
    /// Functions named by `.funcdecl`.
    pub(super) declared: Vec<Vec<u8>>,
    /// The kernel or function being read.
    pub(super) kernel: Option<Kernel>,
    /// Its attributes; they go to the kernel's table when it ends.
    pub(super) kernel_attrs: Vec<(StrId, Vec<u8>)>,
    pub(super) symbols: Symbols<'s>,
    /// Labels by name: blocks, then functions (subroutines).
    pub(super) blocks: FxHashMap<&'s str, LabelId>,
    pub(super) subroutines: FxHashMap<String, LabelId>,
    strings: FxHashMap<Vec<u8>, StrId>,
    pub(super) nesting: u32,
    /// Something before the first kernel was reported.
    lacks_kernel: bool,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, options: TextOptions) -> Parser<'s> {
        Parser {
            text,
            tokens: tokens(text),
            at: 0,
            line: (0, 1),
            faults: Vec::new(),
            options,
            version: Version::V4_1,
            kernels: Vec::new(),
            functions: Vec::new(),
            declared: Vec::new(),
            kernel: None,
            kernel_attrs: Vec::new(),
            symbols: Symbols::default(),
            blocks: FxHashMap::default(),
            subroutines: FxHashMap::default(),
            strings: FxHashMap::default(),
            nesting: 0,
            lacks_kernel: false,
        }
    }

    fn finish(mut self) -> Result<Module, Faults> {
        if self.faults.is_empty()
            && let Some(at) = self.symbols.open_scope()
        {
            let _: Parsed<()> = self.fail_at(at..at + 1, "this scope is not closed; expected `}`");
        }
        self.end_kernel();
        if self.faults.is_empty() && self.kernels.is_empty() && self.functions.is_empty() {
            let _: Parsed<()> = self.fail("the text has neither `.kernel` nor `.global_function`");
        }
        if !self.faults.is_empty() {
            return Err(Faults(self.faults));
        }
        Ok(Module {
            version: self.version,
            kernels: self.kernels,
            file_vars: Vec::new(),
            declared_functions: {
                let mut seen: FxHashSet<_> = self.functions.iter().map(|f| f.header_name.clone()).collect();
                self.declared.retain(|name| seen.insert(name.clone()));
                self.declared
            },
            functions: self.functions,
            layout: Vec::new(),
        })
    }

    fn statements(&mut self) {
        loop {
            match self.peek() {
                Tok::End => return,
                Tok::Newline => self.newline(),
                _ => {
                    if self.statement().is_err() {
                        self.skip_line();
                        if self.faults.len() >= MAX_FAULTS {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        if let Some((name, end)) = self.label_name() {
            self.skip_to(end);
            return self.label(name);
        }
        match self.peek() {
            Tok::Dot => self.directive()?,
            Tok::LBrace => {
                self.symbols.push_scope(self.token().at());
                self.at += 1;
                return Ok(());
            }
            Tok::RBrace => {
                if !self.symbols.pop_scope() {
                    return self.fail("`}` without an open scope");
                }
                self.at += 1;
                return Ok(());
            }
            Tok::Ident | Tok::LParen => self.instruction()?,
            _ => return self.expected("a directive, a label or an instruction"),
        }
        match self.peek() {
            Tok::Newline | Tok::RBrace => Ok(()),
            Tok::Slash if self.peek_at(1) == Tok::Star && self.glued(1) => {
                self.fail("this comment is not closed; expected `*/`")
            }
            _ => self.expected("the end of the line"),
        }
    }

    /// A label at this place: its name and the byte after its colon.
    fn label_name(&self) -> Option<(&'s str, u32)> {
        let start = self.token().at();
        let rest = &self.text.as_bytes()[start..];
        let is_first = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'@' | b'?');
        if !rest.first().copied().is_some_and(is_first) {
            return None;
        }
        let len = rest.iter().take_while(|b| is_first(**b) || b.is_ascii_digit() || **b == b'-').count();
        (rest.get(len) == Some(&b':')).then(|| (&self.text[start..start + len], to_index(start + len + 1)))
    }

    pub(super) fn skip_to(&mut self, byte: u32) {
        while self.token().start < byte && self.peek() != Tok::End {
            self.at += 1;
        }
    }

    // ---- kernels ----

    /// Begins a kernel or function.
    pub(super) fn begin_kernel(&mut self, name: &[u8], is_function: bool) {
        self.end_kernel();
        self.symbols = Symbols::default();
        self.blocks.clear();
        self.subroutines.clear();
        self.strings.clear();
        let places = PlaceKind::Line;
        self.kernel = Some(Kernel { header_name: name.to_vec(), is_function, places, ..Kernel::default() });
        // The first string is the empty one.
        self.intern(b"");
        let id = self.intern(name);
        if let Some(kernel) = &mut self.kernel {
            kernel.name = id;
            if is_function {
                kernel.linkage = Some(crate::model::Linkage::GLOBAL);
            }
        }
    }

    fn end_kernel(&mut self) {
        let Some(mut kernel) = self.kernel.take() else { return };
        let start = to_index(kernel.attr_table.len());
        kernel.attrs = AttrRange { start, len: to_u16(self.kernel_attrs.len()) };
        for (name, value) in self.kernel_attrs.drain(..) {
            kernel.attr_table.push(name, &value);
        }
        number_subroutines(&mut kernel);
        if kernel.is_function {
            let size = |name| to_u8(kernel.attr_int(name).unwrap_or(0).clamp(0, 255));
            (kernel.input_size, kernel.return_value_size) = (size("ArgSize"), size("RetValSize"));
            self.functions.push(kernel);
        } else {
            self.kernels.push(kernel);
        }
    }

    /// The kernel being read.
    pub(super) fn k(&mut self) -> Parsed<&mut Kernel> {
        if self.kernel.is_none() {
            // Once: everything up to the kernel has this fault.
            if std::mem::replace(&mut self.lacks_kernel, true) {
                return Err(Failed);
            }
            let word = self.slice();
            let hint =
                suggestion(word, DIRECTIVES).map_or(String::new(), |k| format!("; did you mean `.{k}`?"));
            return self.fail(format!(
                "found no kernel to which this belongs, expected `.kernel` or `.global_function` first{hint}"
            ));
        }
        self.kernel.as_mut().ok_or(Failed)
    }

    /// A string of the pool, added if new.
    pub(super) fn intern(&mut self, s: &[u8]) -> StrId {
        if let Some(id) = self.strings.get(s) {
            return *id;
        }
        let Some(kernel) = &mut self.kernel else { return StrId(0) };
        let id = kernel.strings.push(s);
        self.strings.insert(s.to_vec(), id);
        id
    }

    /// A new label.
    pub(super) fn new_label(&mut self, name: &str, kind: LabelKind) -> Parsed<LabelId> {
        let name = self.intern(name.as_bytes());
        let kernel = self.k()?;
        kernel.labels.push(Label { name, kind, attrs: Default::default() });
        Ok(LabelId(to_index(kernel.labels.len()) - 1))
    }

    // ---- tokens ----
}

/// Subroutines print as `name_<label index>`: where the text's name ends so, the label gets that index,
/// so that printing gives the same text again.
fn number_subroutines(kernel: &mut Kernel) {
    let count = kernel.labels.len();
    // `order[new] = old` and its inverse.
    let mut order: Vec<usize> = (0..count).collect();
    let mut new_of = order.clone();
    for i in 0..count {
        if kernel.labels[i].kind == LabelKind::Block {
            continue;
        }
        let name = kernel.str(kernel.labels[i].name).into_owned();
        let wanted = name.rsplit_once('_').and_then(|(_, n)| n.parse::<usize>().ok());
        if let Some(wanted) = wanted.filter(|w| *w < count) {
            let (now, other) = (new_of[i], order[wanted]);
            order.swap(now, wanted);
            new_of.swap(i, other);
        }
    }
    if order.iter().enumerate().all(|(new, old)| new == *old) {
        return;
    }
    kernel.labels = order.iter().map(|old| kernel.labels[*old].clone()).collect();
    for operand in &mut kernel.operands {
        if let crate::operand::Operand::Label(label) = operand {
            label.0 = to_index(new_of[label.index()]);
        }
    }
}

//! The parser's core: tokens, faults, statements, constant expressions.

use std::{fmt, ops::Range};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    TextOptions,
    lexer::{Tok, Token, tokens},
    symbols::Symbols,
};
use crate::{
    ids::{LabelId, StrId},
    model::{AttrRange, Kernel, Label, Module, PlaceKind, Version},
    near::suggestion,
    types::LabelKind,
};

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
        for (i, fault) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            fault.fmt(f)?;
        }
        Ok(())
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
/// More faults than this are not collected.
const MAX_FAULTS: usize = 1000;
/// Nesting of parentheses in constant expressions.
const MAX_NESTING: u32 = 64;

/// Parses vISA assembly: one or more kernels and functions.
///
/// # Errors
///
/// Every statement that is at fault, in order.
pub fn parse(text: &str, options: TextOptions) -> Result<Module, Faults> {
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

/// A binary operator; `None` for a division by zero.
type Apply = fn(i64, i64) -> Option<i64>;

pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct Parser<'s> {
    pub(super) text: &'s str,
    tokens: Vec<Token>,
    pub(super) at: usize,
    /// A place in the text and its line, to count lines from.
    line: (usize, u32),
    faults: Vec<Fault>,
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
    nesting: u32,
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
                self.symbols.push_scope(self.token().start as usize);
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
        let start = self.token().start as usize;
        let rest = &self.text.as_bytes()[start..];
        let is_first = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'@' | b'?');
        if !rest.first().copied().is_some_and(is_first) {
            return None;
        }
        let len = rest.iter().take_while(|b| is_first(**b) || b.is_ascii_digit() || **b == b'-').count();
        (rest.get(len) == Some(&b':')).then(|| (&self.text[start..start + len], (start + len + 1) as u32))
    }

    fn skip_to(&mut self, byte: u32) {
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
        let start = kernel.attr_table.len() as u32;
        kernel.attrs = AttrRange { start, len: self.kernel_attrs.len() as u16 };
        for (name, value) in self.kernel_attrs.drain(..) {
            kernel.attr_table.push(name, &value);
        }
        number_subroutines(&mut kernel);
        if kernel.is_function {
            let size = |name| kernel.attr_int(name).unwrap_or(0).clamp(0, 255) as u8;
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
        Ok(LabelId(kernel.labels.len() as u32 - 1))
    }

    // ---- tokens ----

    pub(super) fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn peek(&self) -> Tok {
        self.token().tok
    }

    pub(super) fn peek_at(&self, n: usize) -> Tok {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)].tok
    }

    /// The next token's text.
    pub(super) fn slice(&self) -> &'s str {
        self.slice_at(0)
    }

    pub(super) fn slice_at(&self, n: usize) -> &'s str {
        let t = self.tokens[(self.at + n).min(self.tokens.len() - 1)];
        &self.text[t.start as usize..t.end as usize]
    }

    /// No white space before the token `n` ahead.
    pub(super) fn glued(&self, n: usize) -> bool {
        let i = (self.at + n).min(self.tokens.len() - 1);
        i > 0 && self.tokens[i - 1].end == self.tokens[i].start
    }

    pub(super) fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, tok: Tok, what: &str) -> Parsed<&'s str> {
        let text = self.slice();
        if self.eat(tok) { Ok(text) } else { self.expected(what) }
    }

    /// The identifier `word`, if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Tok::Ident && self.slice() == word;
        if found {
            self.at += 1;
        }
        found
    }

    /// `.word`, if it is next: an identifier or number right after a dot.
    pub(super) fn eat_dot_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Tok::Dot && self.slice_at(1) == word && self.glued(1);
        if found {
            self.at += 2;
        }
        found
    }

    /// The word after a dot, if there is one.
    pub(super) fn dot_word(&mut self) -> Option<&'s str> {
        if self.peek() == Tok::Dot
            && matches!(self.peek_at(1), Tok::Ident | Tok::Int | Tok::Hex)
            && self.glued(1)
        {
            self.at += 2;
            let t = self.tokens[self.at - 1];
            return Some(&self.text[t.start as usize..t.end as usize]);
        }
        None
    }

    /// Characters up to white space or one of the delimiters, from the next token on.
    pub(super) fn raw_word(&mut self, delimiters: &[u8]) -> &'s str {
        let start = self.token().start as usize;
        let rest = &self.text.as_bytes()[start..];
        let ends = |b: &u8| b.is_ascii_whitespace() || delimiters.contains(b);
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        self.skip_to((start + len) as u32);
        &self.text[start..start + len]
    }

    fn newline(&mut self) {
        self.at += 1;
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(), Tok::Newline | Tok::End) {
            self.at += 1;
        }
    }

    /// Line of the next token, from 1. Asked for in text order.
    pub(super) fn line(&mut self) -> u32 {
        let start = self.token().start as usize;
        if start > self.line.0 {
            let lines = self.text.as_bytes()[self.line.0..start].iter().filter(|b| **b == b'\n').count();
            self.line = (start, self.line.1 + lines as u32);
        }
        self.line.1
    }

    // ---- faults ----

    pub(super) fn fault_count(&self) -> usize {
        self.faults.len()
    }

    #[cold]
    pub(super) fn fail<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        let t = self.token();
        self.fail_at(t.start as usize..t.end as usize, message)
    }

    #[cold]
    pub(super) fn fail_at<T>(&mut self, span: Range<usize>, message: impl Into<String>) -> Parsed<T> {
        if self.faults.len() < MAX_FAULTS {
            let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
            let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            let line = if self.faults.last().is_some_and(|f| f.span.start <= span.start) {
                let last = self.faults.last().map_or((1, 0), |f| (f.line, f.span.start));
                last.0 + before[last.1.min(before.len())..].iter().filter(|b| **b == b'\n').count() as u32
            } else {
                1 + before.iter().filter(|b| **b == b'\n').count() as u32
            };
            let column = (before.len() - line_start + 1) as u32;
            self.faults.push(Fault { line, column, span, message: message.into() });
        }
        Err(Failed)
    }

    #[cold]
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match self.peek() {
            Tok::Newline | Tok::End => "the end of the line".to_owned(),
            _ => format!("`{}`", self.slice()),
        };
        self.fail(format!("found {found}, expected {what}"))
    }

    // ---- constants ----

    /// A constant expression.
    pub(super) fn int_exp(&mut self) -> Parsed<i64> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.nesting = 0;
            return self.fail(format!("constant expressions nest at most {MAX_NESTING} deep"));
        }
        let condition = self.binary(0)?;
        let value = if self.eat(Tok::Question) {
            let (a, b) = (self.binary(0)?, {
                self.expect(Tok::Colon, "`:`")?;
                self.int_exp()?
            });
            if condition != 0 { a } else { b }
        } else {
            condition
        };
        self.nesting = self.nesting.saturating_sub(1);
        Ok(value)
    }

    /// A constant expression without comparisons, for places where `>` closes a bracket.
    pub(super) fn int_exp_closed(&mut self) -> Parsed<i64> {
        self.binary(4)
    }

    /// Binary operators from `level` up: `&`, `^`, `|`, comparisons, shifts, sums, products.
    fn binary(&mut self, level: u8) -> Parsed<i64> {
        if level == 7 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let pair = |p: &Self, a, b| p.peek() == a && p.peek_at(1) == b && p.glued(1);
            let (tokens, apply): (usize, Apply) = match (level, self.peek()) {
                (0, Tok::Amp) => (1, |a, b| Some(a & b)),
                (1, Tok::Caret) => (1, |a, b| Some(a ^ b)),
                (2, Tok::Pipe) => (1, |a, b| Some(a | b)),
                (3, _) if pair(self, Tok::Eq, Tok::Eq) => (2, |a, b| Some((a == b).into())),
                (3, _) if pair(self, Tok::Bang, Tok::Eq) => (2, |a, b| Some((a != b).into())),
                (3, _) if pair(self, Tok::Lt, Tok::Eq) => (2, |a, b| Some((a <= b).into())),
                (3, _) if pair(self, Tok::Gt, Tok::Eq) => (2, |a, b| Some((a >= b).into())),
                (3, Tok::Lt) => (1, |a, b| Some((a < b).into())),
                (3, Tok::Gt) => (1, |a, b| Some((a > b).into())),
                (4, _) if pair(self, Tok::Lt, Tok::Lt) => (2, |a, b| Some(a.wrapping_shl(b as u32))),
                (4, _) if pair(self, Tok::Gt, Tok::Gt) && self.peek_at(2) == Tok::Gt && self.glued(2) => {
                    (3, |a, b| Some((a as u64).wrapping_shr(b as u32) as i64))
                }
                (4, _) if pair(self, Tok::Gt, Tok::Gt) => (2, |a, b| Some(a.wrapping_shr(b as u32))),
                (5, Tok::Plus) => (1, |a, b| Some(a.wrapping_add(b))),
                (5, Tok::Minus) => (1, |a, b| Some(a.wrapping_sub(b))),
                (6, Tok::Star) => (1, |a, b| Some(a.wrapping_mul(b))),
                (6, Tok::Slash) => (1, |a, b| (b != 0).then(|| a.wrapping_div(b))),
                (6, Tok::Percent) => (1, |a, b| (b != 0).then(|| a.wrapping_rem(b))),
                _ => return Ok(left),
            };
            let operator = self.token();
            self.at += tokens;
            let right = self.binary(level + 1)?;
            left = match apply(left, right) {
                Some(value) => value,
                None => {
                    return self.fail_at(operator.start as usize..operator.end as usize, "division by zero");
                }
            };
        }
    }

    /// `-x`, `~x`, `!x`, a literal, `(x)`, `%sizeof v`.
    pub(super) fn unary(&mut self) -> Parsed<i64> {
        let mut operators = Vec::new();
        while let Tok::Minus | Tok::Tilde | Tok::Bang = self.peek() {
            operators.push(self.peek());
            self.at += 1;
        }
        let mut value = self.primary()?;
        for op in operators.into_iter().rev() {
            value = match op {
                Tok::Minus => value.wrapping_neg(),
                Tok::Tilde => !value,
                _ => (value == 0).into(),
            };
        }
        Ok(value)
    }

    /// A literal, `(x)` or `%sizeof v`.
    pub(super) fn primary(&mut self) -> Parsed<i64> {
        match self.peek() {
            Tok::Int | Tok::Hex => self.literal(),
            Tok::LParen => {
                self.at += 1;
                let value = self.int_exp()?;
                self.expect(Tok::RParen, "`)`")?;
                Ok(value)
            }
            Tok::Builtin if self.slice() == "%sizeof" => {
                self.at += 1;
                let paren = self.eat(Tok::LParen);
                let value = self.size_of()?;
                if paren {
                    self.expect(Tok::RParen, "`)`")?;
                }
                Ok(value)
            }
            _ => self.expected("a number"),
        }
    }

    fn size_of(&mut self) -> Parsed<i64> {
        let name = self.slice();
        if name == "GRF" && self.symbols.find(name).is_none() {
            self.at += 1;
            return Ok(self.options.grf_bytes.into());
        }
        let var = self.general_name()?;
        let kernel = self.k()?;
        Ok(kernel.var(var).map_or(0, |v| v.bytes().into()))
    }

    /// A decimal or hexadecimal literal of up to 64 bits.
    fn literal(&mut self) -> Parsed<i64> {
        let text = self.slice();
        let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => text.parse::<u64>(),
        };
        match parsed {
            Ok(value) => {
                self.at += 1;
                Ok(value as i64)
            }
            Err(_) => self.fail(format!("`{text}` does not fit into 64 bits")),
        }
    }

    /// A fault of all that has been read since a place.
    #[cold]
    pub(super) fn fail_since<T>(&mut self, start: usize, message: impl Into<String>) -> Parsed<T> {
        let end = self.tokens[self.at - 1].end as usize;
        self.fail_at(start..end, message)
    }

    /// A constant expression with a value in a range.
    pub(super) fn int_in(&mut self, range: std::ops::RangeInclusive<i64>, what: &str) -> Parsed<i64> {
        let start = self.token().start as usize;
        let value = self.int_exp()?;
        self.in_range(start, value, range, what)
    }

    pub(super) fn in_range(
        &mut self,
        start: usize,
        value: i64,
        range: std::ops::RangeInclusive<i64>,
        what: &str,
    ) -> Parsed<i64> {
        if range.contains(&value) {
            return Ok(value);
        }
        self.fail_since(start, format!("{what} is {value}, allowed: {} to {}", range.start(), range.end()))
    }

    /// A string literal with its escapes resolved, or an identifier.
    pub(super) fn string_or_ident(&mut self) -> Parsed<Vec<u8>> {
        match self.peek() {
            Tok::Ident => {
                self.at += 1;
                Ok(self.slice_before().as_bytes().to_vec())
            }
            _ => self.string(),
        }
    }

    pub(super) fn slice_before(&self) -> &'s str {
        let t = self.tokens[self.at - 1];
        &self.text[t.start as usize..t.end as usize]
    }

    /// A string literal with its escapes resolved.
    pub(super) fn string(&mut self) -> Parsed<Vec<u8>> {
        if self.peek() != Tok::Str {
            return self.expected("a string");
        }
        let text = self.slice();
        match unescape(&text.as_bytes()[1..text.len() - 1]) {
            Ok(bytes) if bytes.contains(&0) => self.fail("a string holds no zero byte"),
            Ok(bytes) => {
                self.at += 1;
                Ok(bytes)
            }
            Err(escape) => self.fail(format!("`\\{}` is no escape", char::from(escape))),
        }
    }
}

/// Resolves C escapes; the error is the letter after a bad backslash.
fn unescape(text: &[u8]) -> Result<Vec<u8>, u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    while i < text.len() {
        let b = text[i];
        i += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let escape = *text.get(i).ok_or(b' ')?;
        i += 1;
        match escape {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' => out.push(27),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\'' | b'"' | b'?' | b'\\' => out.push(escape),
            b'x' => {
                let digits = text[i..].iter().take(2).take_while(|d| d.is_ascii_hexdigit()).count();
                let hex = std::str::from_utf8(&text[i..i + digits]).unwrap_or_default();
                out.push(u8::from_str_radix(hex, 16).map_err(|_| escape)?);
                i += digits;
            }
            b'0'..=b'7' => {
                let digits = text[i - 1..].iter().take(3).take_while(|d| (b'0'..=b'7').contains(*d)).count();
                let value = text[i - 1..i - 1 + digits].iter().fold(0u32, |v, d| v * 8 + u32::from(d - b'0'));
                out.push(value as u8);
                i += digits - 1;
            }
            other => return Err(other),
        }
    }
    Ok(out)
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
            label.0 = new_of[label.index()] as u32;
        }
    }
}

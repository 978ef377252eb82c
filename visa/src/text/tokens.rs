//! Looking at tokens and taking them, and faults at their places.

use std::ops::Range;

use narrow::to_index;

use super::{
    lexer::{Tok, Token},
    parser::{Failed, Fault, MAX_FAULTS, Parsed, Parser},
};

impl<'s> Parser<'s> {
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
        &self.text[t.range()]
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
            return Some(&self.text[t.range()]);
        }
        None
    }

    /// Characters up to white space or one of the delimiters, from the next token on.
    pub(super) fn raw_word(&mut self, delimiters: &[u8]) -> &'s str {
        let start = self.token().at();
        let rest = &self.text.as_bytes()[start..];
        let ends = |b: &u8| b.is_ascii_whitespace() || delimiters.contains(b);
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        self.skip_to(to_index(start + len));
        &self.text[start..start + len]
    }

    pub(super) fn newline(&mut self) {
        self.at += 1;
    }

    pub(super) fn skip_line(&mut self) {
        while !matches!(self.peek(), Tok::Newline | Tok::End) {
            self.at += 1;
        }
    }

    /// Line of the next token, from 1. Asked for in text order.
    pub(super) fn line(&mut self) -> u32 {
        let start = self.token().at();
        if start > self.line.0 {
            let lines = self.text.as_bytes()[self.line.0..start].iter().filter(|b| **b == b'\n').count();
            self.line = (start, self.line.1 + to_index(lines));
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
        self.fail_at(t.range(), message)
    }

    #[cold]
    pub(super) fn fail_at<T>(&mut self, span: Range<usize>, message: impl Into<String>) -> Parsed<T> {
        if self.faults.len() < MAX_FAULTS {
            let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
            let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            let line = if self.faults.last().is_some_and(|f| f.span.start <= span.start) {
                let last = self.faults.last().map_or((1, 0), |f| (f.line, f.span.start));
                last.0 + to_index(before[last.1.min(before.len())..].iter().filter(|b| **b == b'\n').count())
            } else {
                1 + to_index(before.iter().filter(|b| **b == b'\n').count())
            };
            let column = to_index(before.len() - line_start + 1);
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
}

//! The parser's place in the text, and its error list.

use super::{
    AsmError,
    token::{Spanned, Token, tokens},
};
use narrow::to_index;
use platforms::{Caps, Platform};

/// Where parsing stands.
pub(super) struct Cursor<'a> {
    pub(super) platform: Platform,
    pub(super) caps: &'static Caps,
    text: &'a str,
    tokens: Vec<Spanned<'a>>,
    at: usize,
    /// Faults so far, by byte.
    pub(super) errors: Vec<(usize, String, String)>,
}

impl<'a> Cursor<'a> {
    /// More faults than this are not told apart from a file that is no assembly at all.
    const MOST_ERRORS: usize = 1000;

    pub(super) fn new(platform: Platform, text: &'a str) -> Self {
        let errors = Vec::new();
        Cursor { platform, caps: platform.caps(), text, tokens: tokens(text), at: 0, errors }
    }

    /// Byte at which the next token starts.
    pub(super) fn here(&self) -> usize {
        self.tokens[self.at.min(self.tokens.len() - 1)].start
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens.get(self.at + ahead).map_or(Token::Newline, |t| t.token)
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len());
    }

    /// Takes the token if it is the next one.
    pub(super) fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the token, or reports that it is missing.
    pub(super) fn expect(&mut self, token: Token<'_>, what: &str) -> Option<()> {
        if self.eat(token) {
            return Some(());
        }
        self.unexpected(what)
    }

    /// Takes a word.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        match self.peek() {
            Token::Word(w) => {
                self.advance();
                Some(w)
            }
            _ => None,
        }
    }

    /// Takes the word if it is the next token.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.eat(Token::Word(word))
    }

    /// Takes a small decimal number.
    pub(super) fn small(&mut self) -> Option<u32> {
        match self.peek() {
            Token::Int(digits) => {
                let n = digits.parse().ok()?;
                self.advance();
                Some(n)
            }
            _ => None,
        }
    }

    /// Reports the next token as a fault.
    pub(super) fn unexpected<T>(&mut self, allowed: &str) -> Option<T> {
        let at = self.here();
        let found = match self.tokens.get(self.at) {
            None => "the end of the text".to_owned(),
            Some(t) if matches!(t.token, Token::Newline) => "the end of the line".to_owned(),
            Some(t) => format!("`{}`", &self.text[t.start..t.end]),
        };
        self.error_at(at, found, allowed);
        None
    }

    /// Reports a fault at a byte.
    pub(super) fn error_at(&mut self, at: usize, found: String, allowed: &str) {
        if self.errors.len() < Self::MOST_ERRORS {
            self.errors.push((at, found, allowed.to_owned()));
        }
    }

    /// The text between two bytes.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// Goes to the next line that holds something; `false` at the end.
    pub(super) fn next_line(&mut self) -> bool {
        while self.at < self.tokens.len() {
            if !matches!(self.peek(), Token::Newline | Token::Semicolon) {
                return true;
            }
            self.advance();
        }
        false
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) {
        while self.at < self.tokens.len() && self.peek() != Token::Newline {
            self.advance();
        }
    }

    /// Reports what follows an instruction on its line.
    pub(super) fn end_of_line(&mut self) {
        if !matches!(self.peek(), Token::Newline | Token::Semicolon) {
            let _: Option<()> = self.unexpected("the end of the line");
            self.skip_line();
        }
    }

    /// Takes a label definition.
    pub(super) fn label(&mut self) -> Option<(&'a str, usize)> {
        let at = self.here();
        match (self.peek(), self.peek_at(1)) {
            (Token::Word(name), Token::Colon) => {
                self.advance();
                self.advance();
                Some((name, at))
            }
            _ => None,
        }
    }

    /// The faults with lines and columns, in text order.
    pub(super) fn into_errors(mut self) -> Vec<AsmError> {
        self.errors.sort_by_key(|e| e.0);
        let (mut line, mut line_start, mut seen) = (1, 0, 0);
        let mut all = Vec::with_capacity(self.errors.len());
        for (at, found, allowed) in self.errors {
            for (i, _) in self.text[seen..at].match_indices('\n') {
                line += 1;
                line_start = seen + i + 1;
            }
            seen = at;
            let column = to_index(self.text[line_start..at].chars().count()) + 1;
            all.push(AsmError { line, column, found, allowed });
        }
        all
    }
}

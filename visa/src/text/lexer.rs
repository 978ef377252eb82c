//! Tokens of vISA assembly. Suffixes such as `.RGBA` or `:d32x4` are several tokens; the parser joins
//! them, since what they mean depends on the instruction.

use std::ops::Range;

use logos::Logos;
use narrow::{as_index, low_u32, span, to_index};

/// Kind of a token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip r"\\[ \t\r]*\n")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(super) enum Tok {
    #[token("\n")]
    Newline,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Ident,
    #[regex(r"%[A-Za-z_][A-Za-z0-9_]*")]
    Builtin,
    #[regex(r"0[xX][0-9A-Fa-f]+")]
    Hex,
    #[regex(r"([0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+):(f|F|df|DF)", priority = 10)]
    Float,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(":")]
    Colon,
    #[token("=")]
    Eq,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBrack,
    #[token("]")]
    RBrack,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("<")]
    Lt,
    #[token(">")]
    Gt,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Amp,
    #[token("|")]
    Pipe,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("?")]
    Question,
    #[token("$")]
    #[token("@")]
    Sign,
    /// A character that starts no token.
    Bad,
    /// After the last token.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    /// Byte where it starts.
    pub(super) fn at(self) -> usize {
        as_index(self.start)
    }

    /// Its bytes of the text.
    pub(super) fn range(self) -> Range<usize> {
        span(self.start..self.end)
    }
}

/// All tokens of a text of at most 4 GiB, ended by `Newline` and `End`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(text.len() / 3);
    let mut lexer = Tok::lexer(text);
    while let Some(tok) = lexer.next() {
        let span = lexer.span();
        out.push(Token { tok: tok.unwrap_or(Tok::Bad), start: low_u32(span.start), end: low_u32(span.end) });
    }
    let end = to_index(text.len());
    out.push(Token { tok: Tok::Newline, start: end, end });
    out.push(Token { tok: Tok::End, start: end, end });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Tok> {
        tokens(text).into_iter().map(|t| t.tok).collect()
    }

    #[test]
    fn suffixes_are_not_floats() {
        use Tok::*;
        assert_eq!(kinds("svm_gather.4.2"), [Ident, Dot, Int, Dot, Int, Newline, End]);
        assert_eq!(kinds("1.5e+3:df 2e-1:f 4:f"), [Float, Float, Int, Colon, Ident, Newline, End]);
    }

    #[test]
    fn comments_vanish() {
        use Tok::*;
        assert_eq!(kinds("a // x\n/* y\n * z **/ b"), [Ident, Newline, Ident, Newline, End]);
        assert_eq!(kinds("a \\\n b"), [Ident, Ident, Newline, End]);
        assert_eq!(kinds("/* open"), [Slash, Star, Ident, Newline, End]);
    }
}

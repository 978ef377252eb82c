//! Assembly text as tokens.

use logos::Logos;

/// A token. Registers and mnemonics are words; `r12.4` is a word, a dot and a number.
#[derive(Logos, Clone, Copy, PartialEq, Debug)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*[^/])*\*/")]
pub(super) enum Token<'a> {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word(&'a str),
    /// Decimal, hexadecimal (`0x`) or binary (`0b`).
    #[regex(r"[0-9]+|0[xX][0-9A-Fa-f]+|0[bB][01]+")]
    Int(&'a str),
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Float(&'a str),
    #[token("\n")]
    Newline,
    /// Ends an instruction, and stands inside of regions.
    #[token(";")]
    Semicolon,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("|")]
    Bar,
    #[token("&")]
    Amp,
    #[token("~")]
    Tilde,
    #[token("^")]
    Caret,
    #[token("-")]
    Minus,
    #[token("+")]
    Plus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("@")]
    At,
    #[token("$")]
    Dollar,
    /// Nothing of the above.
    Unknown,
}

/// A token and the byte it starts at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spanned<'a> {
    pub(super) token: Token<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All tokens of a text, with a newline at the end.
pub(super) fn tokens(text: &str) -> Vec<Spanned<'_>> {
    let mut all: Vec<Spanned<'_>> = Token::lexer(text)
        .spanned()
        .map(|(token, span)| Spanned {
            token: token.unwrap_or(Token::Unknown),
            start: span.start,
            end: span.end,
        })
        .collect();
    all.push(Spanned { token: Token::Newline, start: text.len(), end: text.len() });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_numbers() {
        use Token::*;
        let kinds: Vec<_> = tokens("r12.4<0;1,0>:f 1.5e-05 $3.src // c\nf0.1.any8h /* x\n */ 0x1F")
            .into_iter()
            .map(|t| t.token)
            .collect();
        assert_eq!(
            kinds,
            [
                Word("r12"),
                Dot,
                Int("4"),
                Less,
                Int("0"),
                Semicolon,
                Int("1"),
                Comma,
                Int("0"),
                Greater,
                Colon,
                Word("f"),
                Float("1.5e-05"),
                Dollar,
                Int("3"),
                Dot,
                Word("src"),
                Newline,
                Word("f0"),
                Dot,
                Int("1"),
                Dot,
                Word("any8h"),
                Int("0x1F"),
                Newline
            ]
        );
    }
}

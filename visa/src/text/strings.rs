//! Strings with their escapes, and names.

use narrow::low_u8;

use super::{
    lexer::Tok,
    parser::{Parsed, Parser},
};

impl<'s> Parser<'s> {
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
        &self.text[t.range()]
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
                out.push(low_u8(value));
                i += digits - 1;
            }
            other => return Err(other),
        }
    }
    Ok(out)
}

//! The expressions that stand for the truth tables of `bfn`.
//!
//! IGA writes `bfn.(s0&s1|s2)` for `bfn.0xF8`. Bit `s0 + 2*s1 + 4*s2` of a table is the function's value
//! there. Which of the many equal expressions is written was measured with the reference tool; the test
//! below proves each one right. Precedence: `~`, `&`, `^`, `|`, from tight to loose.

/// The expression of each truth table.
#[rustfmt::skip]
pub(super) static EXPRESSIONS: [&str; 256] = [
    "zeros", "~s0&~s1&~s2", "s0&~s1&~s2", "~s1&~s2",
    "~s0&s1&~s2", "~s0&~s2", "(s0^s1)&~s2", "(~s0|~s1)&~s2",
    "s0&s1&~s2", "(s0^~s1)&~s2", "s0&~s2", "(s0|~s1)&~s2",
    "s1&~s2", "(~s0|s1)&~s2", "(s0|s1)&~s2", "~s2",
    "~s0&~s1&s2", "~s0&~s1", "(s0^s2)&~s1", "(~s0|~s2)&~s1",
    "~s0&(s1^s2)", "~s0&(~s1|~s2)", "s0^(s0&s1|s1^s2)", "~s0&~s1|(~s0|~s1)&~s2",
    "(s0^s2)&(s1^s2)", "s0^(s0&s2|~s1)", "s0^(s0|~s1)&s2", "s0&~s2|~s0&~s1",
    "(s0&s2|s1)^s2", "~s0&~s1|s1&~s2", "(s0|s1)^s2", "~s0&~s1|~s2",
    "s0&~s1&s2", "(s0^~s2)&~s1", "s0&~s1", "(s0|~s2)&~s1",
    "(s0^s1)&(s1^s2)", "s0^(s0&s1|~s2)", "s0^(s0|~s2)&s1", "s0&~s1|~s0&~s2",
    "s0&(s1^s2)", "s0^(s0|~s1)&(s1^~s2)", "s0&(~s1|~s2)", "s0&~s1|(s0|~s1)&~s2",
    "(~s0&s2|s1)^s2", "(~s0|s1)^s2", "s0&~s1|s1&~s2", "s0&~s1|~s2",
    "~s1&s2", "(~s0|s2)&~s1", "(s0|s2)&~s1", "~s1",
    "(s0&s1|s2)^s1", "~s0&~s2|~s1&s2", "(s0|s2)^s1", "~s0&~s2|~s1",
    "(~s0&s1|s2)^s1", "(~s0|s2)^s1", "s0&~s2|~s1&s2", "s0&~s2|~s1",
    "s1^s2", "~s0&~s1|s1^s2", "s0&~s1|s1^s2", "~s1|~s2",
    "~s0&s1&s2", "~s0&(s1^~s2)", "(s0^s1)&(s1^~s2)", "(s0&s1|~s2)^s1",
    "~s0&s1", "~s0&(s1|~s2)", "s0^(s0&s2|s1)", "~s0&s1|~s1&~s2",
    "(s0^s2)&s1", "s0^(s0&s2|s1^~s2)", "s0^(s0|s1)&s2", "(s0|~s1)^s2",
    "(~s0|~s2)&s1", "~s0&s1|(~s0|s1)&~s2", "s0&~s2|~s0&s1", "~s0&s1|~s2",
    "~s0&s2", "~s0&(~s1|s2)", "s0^(s0&s1|s2)", "~s0&s2|~s1&~s2",
    "~s0&(s1|s2)", "~s0", "s0^(s1|s2)", "~s0|~s1&~s2",
    "s0^(s0&~s1|s2)", "s0^(~s1|s2)", "s0^s2", "s0^s2|~s0&~s1",
    "~s0&s2|s1&~s2", "~s0|s1&~s2", "s0^s2|s1&~s2", "~s0|~s2",
    "(s0^s1)&s2", "s0^(s0&s1|s1^~s2)", "s0^(s0|s2)&s1", "(s0|~s2)^s1",
    "s0^(s0&~s2|s1)", "s0^(s1|~s2)", "s0^s1", "s0^s1|~s0&~s2",
    "s0^(s0|s1)&(s1^~s2)", "s0^s1^~s2", "s0^s1&s2", "s0^s1&s2|~s1&~s2",
    "(~s0|~s2)^~s1", "s0^(s1|~s2)|s1&~s2", "s0^s1|s0&~s2", "s0^s1|~s2",
    "(~s0|~s1)&s2", "~s0&s2|(~s0|s2)&~s1", "s0&~s1|~s0&s2", "~s0&s2|~s1",
    "~s0&s1|~s1&s2", "~s0|~s1&s2", "s0^s1|~s0&s2", "~s0|~s1",
    "(~s0|~s1)^~s2", "s0^(~s1|s2)|~s1&s2", "s0^s2|s0&~s1", "s0^s2|~s1",
    "~s0&s1|s1^s2", "~s0|s1^s2", "s0^s1|s1^s2", "~s0|~s1|~s2",
    "s0&s1&s2", "(s0^~s1)&(s1^~s2)", "s0&(s1^~s2)", "(~s0&s1|~s2)^s1",
    "(s0^~s2)&s1", "s0^(s0&~s1|~s2)", "s0^(s0|s1)&(s1^s2)", "(~s0|~s1)^s2",
    "s0&s1", "s0^(s0|~s2)&~s1", "s0&(s1|~s2)", "s0&s1|~s1&~s2",
    "(s0|~s2)&s1", "s0&s1|~s0&~s2", "s0&s1|(s0|s1)&~s2", "s0&s1|~s2",
    "(s0^~s1)&s2", "s0^(s0&~s2|~s1)", "s0^(s0|s2)&(s1^s2)", "(~s0|~s2)^s1",
    "s0^(s0&~s1|s1^s2)", "s0^(~s1|~s2)", "s0^s1^s2", "s0^(~s1|~s2)|~s1&~s2",
    "s0^(s0|s2)&~s1", "s0^~s1", "s0^~s1&s2", "s0^~s1|s0&~s2",
    "(s0|~s2)^~s1", "s0^~s1|s1&~s2", "s0^~s1&s2|s1&~s2", "s0^~s1|~s2",
    "s0&s2", "s0^(s0|~s1)&~s2", "s0&(~s1|s2)", "s0&s2|~s1&~s2",
    "s0^(s0|s1)&~s2", "s0^~s2", "s0^s1&~s2", "s0^~s2|s0&~s1",
    "s0&(s1|s2)", "s0^~s1&~s2", "s0", "s0|~s1&~s2",
    "s0&s2|s1&~s2", "s0^~s2|s0&s1", "s0|s1&~s2", "s0|~s2",
    "(s0|~s1)&s2", "s0&s2|~s0&~s1", "s0&s2|(s0|s2)&~s1", "s0&s2|~s1",
    "(s0|~s1)^~s2", "s0^~s2|~s0&~s1", "s0^s1&~s2|~s1&s2", "s0^~s2|~s1",
    "s0&s1|~s1&s2", "s0^~s1|s0&s2", "s0|~s1&s2", "s0|~s1",
    "s0&s1|s1^s2", "s0^~s1|s1^s2", "s0|s1^s2", "s0|~s1|~s2",
    "s1&s2", "(s0&~s1|s2)^~s1", "(~s0&~s1|s2)^~s1", "s1^~s2",
    "(~s0|s2)&s1", "~s0&~s2|s1&s2", "(~s0|s2)^~s1", "~s0&s1|s1^~s2",
    "(s0|s2)&s1", "(s0|s2)^~s1", "s0&~s2|s1&s2", "s0&s1|s1^~s2",
    "s1", "~s0&~s2|s1", "s0&~s2|s1", "s1|~s2",
    "(~s0|s1)&s2", "~s0&~s1|s1&s2", "(~s0|s1)^~s2", "~s0&s2|s1^~s2",
    "~s0&s1|(~s0|s1)&s2", "~s0|s1&s2", "s0^(s1|s2)|s1&s2", "~s0|s1^~s2",
    "s0&s1|~s0&s2", "s0^~s1|s1&s2", "s0^s2|s0&s1", "s0^s2|s1^~s2",
    "~s0&s2|s1", "~s0|s1", "s0^s2|s1", "~s0|s1|~s2",
    "(s0|s1)&s2", "(s0|s1)^~s2", "s0&~s1|s1&s2", "s0&s2|s1^~s2",
    "s0&s2|~s0&s1", "s0^~s2|s1&s2", "s0^s1|s0&s2", "s0^s1|s1^~s2",
    "s0&s1|(s0|s1)&s2", "s0^~s1&~s2|s1&s2", "s0|s1&s2", "s0|s1^~s2",
    "s0&s2|s1", "s0^~s2|s1", "s0|s1", "s0|s1|~s2",
    "s2", "~s0&~s1|s2", "s0&~s1|s2", "~s1|s2",
    "~s0&s1|s2", "~s0|s2", "s0^s1|s2", "~s0|~s1|s2",
    "s0&s1|s2", "s0^~s1|s2", "s0|s2", "s0|~s1|s2",
    "s1|s2", "~s0|s1|s2", "s0|s1|s2", "ones",
];

/// The truth table of an expression, or the byte at which it stops making sense.
pub(super) fn truth_table(expression: &str) -> Result<u8, usize> {
    let mut p = Parser { text: expression.as_bytes(), at: 0, depth: 0 };
    match expression {
        "zeros" => return Ok(0),
        "ones" => return Ok(0xff),
        _ => {}
    }
    let value = p.or()?;
    if p.at == p.text.len() { Ok(value) } else { Err(p.at) }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    /// Nesting beyond which an expression is refused.
    const DEEPEST: u32 = 64;

    fn eat(&mut self, c: u8) -> bool {
        let found = self.text.get(self.at) == Some(&c);
        self.at += usize::from(found);
        found
    }

    fn or(&mut self) -> Result<u8, usize> {
        let mut value = self.xor()?;
        while self.eat(b'|') {
            value |= self.xor()?;
        }
        Ok(value)
    }

    fn xor(&mut self) -> Result<u8, usize> {
        let mut value = self.and()?;
        while self.eat(b'^') {
            value ^= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<u8, usize> {
        let mut value = self.term()?;
        while self.eat(b'&') {
            value &= self.term()?;
        }
        Ok(value)
    }

    fn term(&mut self) -> Result<u8, usize> {
        let mut not = 0;
        while self.eat(b'~') {
            not = !not;
        }
        if self.eat(b'(') {
            self.depth += 1;
            if self.depth > Self::DEEPEST {
                return Err(self.at);
            }
            let value = self.or()?;
            self.depth -= 1;
            return if self.eat(b')') { Ok(value ^ not) } else { Err(self.at) };
        }
        let value = match self.text.get(self.at..self.at + 2) {
            Some(b"s0") => 0xaa,
            Some(b"s1") => 0xcc,
            Some(b"s2") => 0xf0,
            _ => return Err(self.at),
        };
        self.at += 2;
        Ok(value ^ not)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_has_its_truth_table() {
        for (table, text) in EXPRESSIONS.iter().enumerate() {
            assert_eq!(truth_table(text).map(usize::from), Ok(table), "{text}");
        }
    }

    #[test]
    fn bad_expressions_are_refused() {
        assert_eq!(truth_table("s0&"), Err(3));
        assert_eq!(truth_table("(s0"), Err(3));
        assert_eq!(truth_table("s0)"), Err(2));
        assert_eq!(truth_table("s3"), Err(0));
        assert!(truth_table(&"(".repeat(100_000)).is_err());
    }
}

//! Text in columns, padded the way IGA pads.
//!
//! A column that is too wide puts the line in debt; later columns with room to spare pay it off, so the
//! columns after them line up again. Numbers that IGA writes past its column count (immediates,
//! descriptors) take no room: what follows them is padded as if they were not there.

use narrow::{as_index, low_u8};

/// The text so far, and the state of the line's columns.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Everything written.
    pub(super) text: String,
    /// Where the open column starts.
    start: usize,
    /// Width of the open column.
    width: usize,
    /// Bytes in the open column that do not count.
    uncounted: usize,
    /// Bytes by which columns of this line were too wide.
    debt: usize,
}

impl Columns {
    /// Opens a column of `width` bytes.
    pub(super) fn open(&mut self, width: usize) {
        self.start = self.text.len();
        self.width = width;
        self.uncounted = 0;
    }

    /// Closes the column and pads it.
    pub(super) fn close(&mut self) {
        let used = self.text.len() - self.start - self.uncounted;
        if used > self.width {
            self.debt += used - self.width;
        } else {
            let room = self.width - used;
            let paid = room.min(self.debt);
            self.debt -= paid;
            self.spaces(room - paid);
        }
    }

    /// Writes text.
    pub(super) fn put(&mut self, s: &str) {
        self.text.push_str(s);
    }

    /// Writes a character.
    pub(super) fn ch(&mut self, c: char) {
        self.text.push(c);
    }

    /// Writes a number in decimal.
    pub(super) fn num(&mut self, n: u32) {
        put_decimal(&mut self.text, n.into());
    }

    /// Writes spaces.
    pub(super) fn spaces(&mut self, n: usize) {
        const SPACES: &str = "                                ";
        let mut left = n;
        while left > 0 {
            let some = left.min(SPACES.len());
            self.text.push_str(&SPACES[..some]);
            left -= some;
        }
    }

    /// Lets `write` write text that takes no room in the column.
    pub(super) fn uncounted(&mut self, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        write(&mut self.text);
        self.uncounted += self.text.len() - before;
    }

    /// Ends the line.
    pub(super) fn newline(&mut self) {
        self.text.push('\n');
        self.debt = 0;
    }
}

/// Writes `n` in decimal.
pub(super) fn put_decimal(text: &mut String, n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut left = n;
    loop {
        at -= 1;
        digits[at] = b'0' + low_u8(left % 10);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.extend(digits[at..].iter().map(|&d| char::from(d)));
}

/// Writes `n` as `0x`, then at least `width` uppercase digits.
pub(super) fn put_hex(text: &mut String, n: u64, width: usize) {
    let digits = ((67 - as_index((n | 1).leading_zeros())) / 4).max(width);
    text.push_str("0x");
    for i in (0..digits).rev() {
        text.push(char::from(b"0123456789ABCDEF"[usize::from(low_u8(n >> (4 * i) & 15))]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debt_is_paid_by_later_columns() {
        let mut c = Columns::default();
        c.open(3);
        c.put("12345");
        c.close();
        c.open(4);
        c.put("a");
        c.close();
        c.ch('|');
        assert_eq!(c.text, "12345a |");
    }

    #[test]
    fn uncounted_text_takes_no_room() {
        let mut c = Columns::default();
        c.open(4);
        c.uncounted(|t| put_hex(t, 0x2f, 0));
        c.put(":ud");
        c.close();
        assert_eq!(c.text, "0x2F:ud ");
    }

    #[test]
    fn numbers() {
        let mut t = String::new();
        put_hex(&mut t, 0, 0);
        put_hex(&mut t, 0x20f, 8);
        put_hex(&mut t, u64::MAX, 0);
        put_decimal(&mut t, 1200);
        assert_eq!(t, "0x00x0000020F0xFFFFFFFFFFFFFFFF1200");
    }
}

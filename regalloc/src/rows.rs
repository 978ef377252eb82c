//! Lists of different lengths, one after the other in one list: the rows of a sparse matrix.

use gen_ir::{BlockId, VarId};
use narrow::{as_index, span, to_index};

/// Rows of numbers or of what stands for them.
pub(crate) struct Rows<T> {
    /// Where each row begins, and the end of the last one.
    first: Vec<u32>,
    /// What is in them. Whoever builds them row by row adds to the end, and [ends](Rows::end_row) each row.
    pub list: Vec<T>,
}

/// What rows are numbered by.
pub(crate) trait Row: Copy {
    fn number(self) -> usize;
}

impl Row for u32 {
    fn number(self) -> usize {
        as_index(self)
    }
}

impl Row for BlockId {
    fn number(self) -> usize {
        self.index()
    }
}

impl Row for VarId {
    fn number(self) -> usize {
        self.index()
    }
}

impl<T> Rows<T> {
    /// What is in a row.
    pub fn of(&self, row: usize) -> &[T] {
        &self.list[span(self.first[row]..self.first[row + 1])]
    }

    /// Makes it no rows.
    pub fn clear(&mut self) {
        self.list.clear();
        self.first.clear();
        self.first.push(0);
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { first: Vec::new(), list: Vec::new() }
    }
}

impl<T: Copy> Rows<T> {
    /// Makes it `n` rows, each of what is put to its number; in a row the order stays.
    pub fn set<R: Row>(&mut self, n: usize, pairs: &[(R, T)]) {
        let rows = pairs.iter().map(|&(row, _)| row.number());
        self.set_ends(n, rows);
        self.list.clear();
        self.list.extend(pairs.iter().map(|p| p.1));
        for &(row, x) in pairs.iter().rev() {
            let at = &mut self.first[row.number()];
            *at -= 1;
            self.list[as_index(*at)] = x;
        }
    }

    /// Notes where each of `n` rows ends, of which `rows` has the number of each element's. What is then put to a row,
    /// from the last element to the first, goes in front of where that row is noted to begin.
    fn set_ends(&mut self, n: usize, rows: impl Iterator<Item = usize>) {
        self.first.clear();
        self.first.resize(n + 1, 0);
        for row in rows {
            self.first[row] += 1;
        }
        let mut end = 0;
        for first in &mut self.first {
            end += *first;
            *first = end;
        }
    }
}

impl Rows<u32> {
    /// Makes it `n` rows: the rows of `of` in which each number stands.
    pub fn transpose(&mut self, of: &Rows<u32>, n: usize) {
        self.set_ends(n, of.list.iter().map(|&row| row.number()));
        self.list.clear();
        self.list.resize(of.list.len(), 0);
        for row in 0..of.first.len() - 1 {
            for &number in of.of(row) {
                let at = &mut self.first[number.number()];
                *at -= 1;
                self.list[as_index(*at)] = to_index(row);
            }
        }
    }

    /// Ends a row: its numbers are what was added since the last one ended, each once.
    pub fn end_row(&mut self) {
        let from = self.first.last().map_or(0, |&f| as_index(f));
        let row = &mut self.list[from..];
        // Few, as a rule, and nearly in order.
        if row.len() > 16 {
            row.sort_unstable();
        } else {
            for i in 1..row.len() {
                let mut at = i;
                while at > 0 && row[at - 1] > row[at] {
                    row.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
        let mut kept = from;
        for i in from..self.list.len() {
            if i == from || self.list[i] != self.list[kept - 1] {
                self.list[kept] = self.list[i];
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.first.push(to_index(kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_by_number_by_turns_and_transposed() {
        let mut rows = Rows::default();
        rows.set(3, &[(2, 7), (0, 5), (2, 1)]);
        assert_eq!([rows.of(0), rows.of(1), rows.of(2)], [&[5][..], &[], &[7, 1]]);
        rows.clear();
        for row in [&[2, 0, 2][..], &[], &[1, 0]] {
            rows.list.extend(row);
            rows.end_row();
        }
        assert_eq!([rows.of(0), rows.of(1), rows.of(2)], [&[0, 2][..], &[], &[0, 1]]);
        let mut columns = Rows::default();
        columns.transpose(&rows, 3);
        assert_eq!([columns.of(0), columns.of(1), columns.of(2)], [&[2, 0][..], &[2], &[0]]);
    }
}

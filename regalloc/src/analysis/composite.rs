//! Composite definitions: writes that together give a range its value, each a part of every element.
//!
//! Compilers swap the bytes of dwords by `mov (16|M0) V1.3<4>:ub ...`, `V1.0<4>:ub`, `V1.2<4>:ub`, `V1.1<4>:ub`. In a
//! variable whose subranges have more bytes than such a part, none of these writes covers a subrange: the variable would
//! be alive from the start of the kernel on. So the first of them ends the old value of all that they write together, if
//!
//! - they stand in one block, write the same elements for the same channels, all under the mask or all without it,
//! - none is predicated, and
//! - nothing reads any of it between the first and the last.
//!
//! Then no part of the old value is read behind the first write: what it has not written itself, the others do before
//! the next read, for the same lanes.

use gen_ir::VarId;
use narrow::ones_between;

use crate::analysis::{
    access::{Access, Kind},
    accesses::Accesses,
};

/// Definitions that are looked at at the same time; the oldest is forgotten for another.
const MOST: usize = 32;

/// Memory of looking for them.
#[derive(Default)]
pub(crate) struct Composites {
    open: Vec<PartialDefinition>,
}

impl Composites {
    /// Finds the composite definitions of a kernel. Asked anew where its instructions have another order.
    pub fn find(&mut self, accesses: &mut Accesses) {
        accesses.for_each_in_parts(|list, shift| mark(list, shift, &mut self.open));
    }
}

/// A composite definition that lacks some parts yet.
struct PartialDefinition {
    /// Its first write, by place among the accesses.
    first: usize,
    var: VarId,
    start: u32,
    end: u32,
    pitch: u8,
    chan: u8,
    masked: bool,
    /// The bytes of each element that have been written.
    bytes: u8,
}

/// Finds the composite definitions among the accesses of a block: their first writes get the subranges that they cover
/// together. `shift` gives the logarithm of the size of a variable's subranges; `open` is memory.
fn mark(list: &mut [Access], shift: impl Fn(VarId) -> u8, open: &mut Vec<PartialDefinition>) {
    open.clear();
    for i in 0..list.len() {
        let a = list[i];
        if a.kind.has(Kind::READ) {
            open.retain(|o| o.var != a.var || o.end <= a.start || a.end <= o.start);
        } else if a.is_part(shift(a.var)) {
            // What an order before this one has found.
            list[i].subranges = 0;
            part(list, i, open, shift(a.var));
        }
    }
}

/// Adds write `i`, a part, to a definition.
fn part(list: &mut [Access], i: usize, open: &mut Vec<PartialDefinition>, shift: u8) {
    let a = list[i];
    let (elem, pitch) = (u32::from(a.elem), u32::from(a.pitch));
    let within = a.start % pitch;
    if within + elem > pitch || pitch > 8 {
        return;
    }
    let start = a.start - within;
    let end = start + (a.end - a.start).div_ceil(pitch) * pitch;
    let masked = a.kind.has(Kind::MASKED);
    let written = (((1u16 << elem) - 1) << within).to_le_bytes()[0];
    let same = |o: &PartialDefinition| {
        (o.var, o.start, o.end, o.pitch, o.chan, o.masked) == (a.var, start, end, a.pitch, a.chan, masked)
    };
    match open.iter().position(same) {
        Some(at) => {
            open[at].bytes |= written;
            if u32::from(open[at].bytes) == (1 << pitch) - 1 {
                let first = open.swap_remove(at).first;
                list[first].subranges = ones_between(start.div_ceil(1 << shift), end >> shift);
            }
        }
        None => {
            if open.len() == MOST {
                open.remove(0);
            }
            open.push(PartialDefinition {
                first: i,
                var: a.var,
                start,
                end,
                pitch: a.pitch,
                chan: a.chan,
                masked,
                bytes: written,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(byte: u32, kind: Kind) -> Access {
        Access { var: VarId(0), start: byte, end: byte + 61, pitch: 4, elem: 1, chan: 0, kind, subranges: 0 }
    }

    /// Writes of bytes 3, 0, 2, 1 of each dword, and what the first ends. Subranges have four bytes.
    fn found(change: impl Fn(&mut Vec<Access>)) -> Vec<u64> {
        let kind = Kind::of_write(true);
        let mut list = [3, 0, 2, 1].map(|byte| write(byte, kind)).to_vec();
        change(&mut list);
        mark(&mut list, |_| 2, &mut Vec::new());
        list.iter().filter(|a| a.kind.has(Kind::WRITE)).map(|a| a.subranges).collect()
    }

    #[test]
    fn the_first_of_writes_that_cover_a_range_ends_its_old_value() {
        assert_eq!(found(|_| ()), [0xffff, 0, 0, 0]);
    }

    #[test]
    fn one_byte_too_few_another_mask_or_a_read_between_end_nothing() {
        assert_eq!(found(|l| l.truncate(3)), [0; 3]);
        assert_eq!(found(|l| l[2].kind = Kind::of_write(false)), [0; 4]);
        assert_eq!(found(|l| l[2].chan = 16), [0; 4]);
        assert_eq!(found(|l| l.insert(2, Access { kind: Kind::READ, start: 60, end: 64, ..l[0] })), [0; 4]);
        assert_eq!(
            found(|l| l.insert(2, Access { kind: Kind::READ, var: VarId(1), ..l[0] })),
            [0xffff, 0, 0, 0]
        );
    }

    #[test]
    fn another_order_of_the_same_writes_has_another_first() {
        let kind = Kind::of_write(true);
        let mut list = [3, 0, 2, 1].map(|byte| write(byte, kind)).to_vec();
        mark(&mut list, |_| 2, &mut Vec::new());
        list.swap(0, 3);
        mark(&mut list, |_| 2, &mut Vec::new());
        assert_eq!(list.iter().map(|a| a.subranges).collect::<Vec<_>>(), [0xffff, 0, 0, 0]);
    }
}

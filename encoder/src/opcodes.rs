//! Opcode numbers: which number an [`Op`] has in a word layout, and which platforms have it.
//!
//! The numbers are the 7-bit `Opcode` field, bits 6..0 of every word. Source: the opcode encoding
//! tables of the Programmer's Reference Manuals (volume 7, "EU Opcode Encoding"), confirmed with the
//! reference assembler's list of operations for each platform.

use gen_ir::Op;
use narrow::{as_index, const_u8, wide_u8};
use platforms::{Caps, Layout, Platform};

/// The number of an opcode that a layout does not have.
const NONE: u8 = 0xff;

/// What a platform must have for an opcode, beside a number in its layout.
#[derive(Clone, Copy)]
enum Needs {
    /// Nothing more.
    Nothing,
    Rotate,
    Add3Bfn,
    MaclOpcode,
    Madm,
    Srnd,
    Systolic,
    Sad,
    DotProduct,
    Dp4a,
    Planes,
    Lrp,
    SplitSend,
    /// Something that no platform has.
    Another,
}
use Needs::Nothing;

impl Needs {
    const fn met(self, caps: &Caps) -> bool {
        let ops = &caps.ops;
        match self {
            Nothing => true,
            Needs::Rotate => ops.rotate,
            Needs::Add3Bfn => ops.add3_bfn,
            Needs::MaclOpcode => !caps.words.acc_write_enable,
            Needs::Madm => ops.madm,
            Needs::Srnd => ops.srnd,
            Needs::Systolic => ops.systolic,
            Needs::Sad => ops.sad,
            Needs::DotProduct => ops.dot_product,
            Needs::Dp4a => ops.dp4a,
            Needs::Planes => ops.pln,
            Needs::Lrp => ops.lrp,
            Needs::SplitSend => caps.sends.split_opcode,
            Needs::Another => false,
        }
    }
}

struct Row {
    op: Op,
    gen8: u8,
    xe: u8,
    needs: Needs,
}

const fn row(op: Op, gen8: u8, xe: u8, needs: Needs) -> Row {
    Row { op, gen8, xe, needs }
}

// opcode, number on Gen8..11, number on Xe, what it needs; in the order of `Op`
#[rustfmt::skip]
static ROWS: [Row; Op::ALL.len()] = [
    row(Op::Mov, 0x01, 0x61, Nothing),
    row(Op::Movi, 0x03, 0x63, Nothing),
    row(Op::Smov, 0x0a, NONE, Nothing),
    row(Op::Sel, 0x02, 0x62, Nothing),
    row(Op::Cmp, 0x10, 0x70, Nothing),
    row(Op::Cmpn, 0x11, 0x71, Nothing),
    row(Op::Csel, 0x12, 0x72, Nothing),
    row(Op::Not, 0x04, 0x64, Nothing),
    row(Op::And, 0x05, 0x65, Nothing),
    row(Op::Or, 0x06, 0x66, Nothing),
    row(Op::Xor, 0x07, 0x67, Nothing),
    row(Op::Shl, 0x09, 0x69, Nothing),
    row(Op::Shr, 0x08, 0x68, Nothing),
    row(Op::Asr, 0x0c, 0x6c, Nothing),
    row(Op::Rol, 0x0f, 0x6f, Needs::Rotate),
    row(Op::Ror, 0x0e, 0x6e, Needs::Rotate),
    row(Op::Bfrev, 0x17, 0x77, Nothing),
    row(Op::Bfe, 0x18, 0x78, Nothing),
    row(Op::Bfi1, 0x19, 0x79, Nothing),
    row(Op::Bfi2, 0x1a, 0x7a, Nothing),
    row(Op::Bfn, NONE, 0x6b, Needs::Add3Bfn),
    row(Op::Fbh, 0x4b, 0x4b, Nothing),
    row(Op::Fbl, 0x4c, 0x4c, Nothing),
    row(Op::Cbit, 0x4d, 0x4d, Nothing),
    row(Op::Lzd, 0x4a, 0x4a, Nothing),
    row(Op::Add, 0x40, 0x40, Nothing),
    row(Op::Add3, NONE, 0x52, Needs::Add3Bfn),
    row(Op::Addc, 0x4e, 0x4e, Nothing),
    row(Op::Subb, 0x4f, 0x4f, Nothing),
    row(Op::Avg, 0x42, 0x42, Nothing),
    row(Op::Mul, 0x41, 0x41, Nothing),
    row(Op::Mulh, NONE, NONE, Needs::Another),
    row(Op::Mac, 0x48, 0x48, Nothing),
    row(Op::Mach, 0x49, 0x49, Nothing),
    row(Op::Macl, NONE, 0x53, Needs::MaclOpcode),
    row(Op::Mad, 0x5b, 0x5b, Nothing),
    row(Op::Madm, 0x5d, 0x5d, Needs::Madm),
    row(Op::Frc, 0x43, 0x43, Nothing),
    row(Op::Rndd, 0x45, 0x45, Nothing),
    row(Op::Rnde, 0x46, 0x46, Nothing),
    row(Op::Rndu, 0x44, 0x44, Nothing),
    row(Op::Rndz, 0x47, 0x47, Nothing),
    row(Op::Srnd, NONE, 0x54, Needs::Srnd),
    row(Op::Sad2, 0x50, NONE, Needs::Sad),
    row(Op::Sada2, 0x51, NONE, Needs::Sad),
    row(Op::Dp2, 0x57, NONE, Needs::DotProduct),
    row(Op::Dp3, 0x56, NONE, Needs::DotProduct),
    row(Op::Dp4, 0x54, NONE, Needs::DotProduct),
    row(Op::Dph, 0x55, NONE, Needs::DotProduct),
    row(Op::Dp4a, NONE, 0x58, Needs::Dp4a),
    row(Op::Line, 0x59, NONE, Needs::Planes),
    row(Op::Pln, 0x5a, NONE, Needs::Planes),
    row(Op::Lrp, 0x5c, NONE, Needs::Lrp),
    row(Op::Math, 0x38, 0x38, Nothing),
    row(Op::Dpas, NONE, 0x59, Needs::Systolic),
    row(Op::Dpasw, NONE, NONE, Needs::Another),
    row(Op::Send, 0x31, 0x31, Nothing),
    row(Op::Sendc, 0x32, 0x32, Nothing),
    row(Op::Sends, 0x33, NONE, Needs::SplitSend),
    row(Op::Sendsc, 0x34, NONE, Needs::SplitSend),
    row(Op::Jmpi, 0x20, 0x20, Nothing),
    row(Op::Brc, 0x23, 0x23, Nothing),
    row(Op::Brd, 0x21, 0x21, Nothing),
    row(Op::If, 0x22, 0x22, Nothing),
    row(Op::Else, 0x24, 0x24, Nothing),
    row(Op::Endif, 0x25, 0x25, Nothing),
    row(Op::While, 0x27, 0x27, Nothing),
    row(Op::Break, 0x28, 0x28, Nothing),
    row(Op::Cont, 0x29, 0x29, Nothing),
    row(Op::Halt, 0x2a, 0x2a, Nothing),
    row(Op::Goto, 0x2e, 0x2e, Nothing),
    row(Op::Join, 0x2f, 0x2f, Nothing),
    row(Op::Call, 0x2c, 0x2c, Nothing),
    row(Op::Calla, 0x2b, 0x2b, Nothing),
    row(Op::Ret, 0x2d, 0x2d, Nothing),
    row(Op::Wait, 0x30, NONE, Nothing),
    row(Op::Sync, NONE, 0x01, Nothing),
    row(Op::Nop, 0x7e, 0x60, Nothing),
    row(Op::Illegal, 0x00, 0x00, Nothing),
];

const PLATFORMS: usize = Platform::ROWS.len();

/// `Op` of each number, for each platform.
static BY_NUMBER: [[Option<Op>; 128]; PLATFORMS] = by_number();

const fn by_number() -> [[Option<Op>; 128]; PLATFORMS] {
    let mut table = [[None; 128]; PLATFORMS];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        let mut p = 0;
        while p < PLATFORMS {
            let caps = Platform::ROWS[p].caps();
            let number = match caps.words.layout() {
                Layout::Gen8 => row.gen8,
                Layout::Xe => row.xe,
            };
            if number != NONE && row.needs.met(caps) {
                table[p][as_index(wide_u8(number))] = Some(row.op);
            }
            p += 1;
        }
        i += 1;
    }
    table
}

/// The number of each `Op`, for each platform; [`NONE`] where the platform does not have it.
static NUMBERS: [[u8; Op::ALL.len()]; PLATFORMS] = numbers();

const fn numbers() -> [[u8; Op::ALL.len()]; PLATFORMS] {
    let mut table = [[NONE; Op::ALL.len()]; PLATFORMS];
    let mut p = 0;
    while p < PLATFORMS {
        let mut number = 0;
        while number < 128 {
            if let Some(op) = BY_NUMBER[p][number] {
                table[p][op.index()] = const_u8(number);
            }
            number += 1;
        }
        p += 1;
    }
    table
}

/// The opcode that `number` (7 bits) means on a platform.
#[inline]
pub const fn from_number(platform: Platform, number: u8) -> Option<Op> {
    BY_NUMBER[platform.index()][as_index(wide_u8(number & 0x7f))]
}

/// The opcode's number on a platform, if the platform has it.
#[inline]
pub fn number(platform: Platform, op: Op) -> Option<u8> {
    let number = NUMBERS[platform.index()][op.index()];
    (number != NONE).then_some(number)
}

/// Whether a platform has the opcode.
pub fn supports(platform: Platform, op: Op) -> bool {
    number(platform, op).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_order_and_numbers_go_both_ways() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.op.index(), i);
        }
        for p in Platform::ROWS {
            for &op in Op::ALL {
                if let Some(n) = number(p, op) {
                    assert_eq!(from_number(p, n), Some(op), "{p} {op}");
                }
            }
        }
        assert_eq!(number(Platform::Bdw, Op::Sends), None);
        assert_eq!(number(Platform::Bxt, Op::Sends), Some(0x33));
        assert_eq!(from_number(Platform::Pvc, 0x59), Some(Op::Dpas));
    }
}

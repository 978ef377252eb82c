//! Opcode numbers: which number an [`Op`] has in a word layout, and which platforms have it.
//!
//! The numbers are the 7-bit `Opcode` field, bits 6..0 of every word. Source: the opcode encoding
//! tables of the Programmer's Reference Manuals (volume 7, "EU Opcode Encoding"), confirmed with the
//! reference assembler's list of operations for each platform.

use gen_ir::Op;
use platforms::{Layout, Platform};

/// The number of an opcode that a layout does not have.
const NONE: u8 = 0xff;

const BDW: u8 = 1 << Platform::Bdw as u8;
const SKL: u8 = 1 << Platform::Skl as u8 | 1 << Platform::Bxt as u8;
const ICL: u8 = 1 << Platform::Icllp as u8;
const PVC: u8 = 1 << Platform::Pvc as u8;
const GEN8: u8 = BDW | SKL | ICL;
const XE: u8 = 1 << Platform::Tgllp as u8 | PVC;

struct Row {
    op: Op,
    gen8: u8,
    xe: u8,
    platforms: u8,
}

const fn row(op: Op, gen8: u8, xe: u8, platforms: u8) -> Row {
    Row { op, gen8, xe, platforms }
}

// opcode, number on Gen8..11, number on Xe, platforms; in the order of `Op`
#[rustfmt::skip]
static ROWS: [Row; Op::ALL.len()] = [
    row(Op::Mov, 0x01, 0x61, GEN8 | XE),
    row(Op::Movi, 0x03, 0x63, GEN8 | XE),
    row(Op::Smov, 0x0a, NONE, GEN8),
    row(Op::Sel, 0x02, 0x62, GEN8 | XE),
    row(Op::Cmp, 0x10, 0x70, GEN8 | XE),
    row(Op::Cmpn, 0x11, 0x71, GEN8 | XE),
    row(Op::Csel, 0x12, 0x72, GEN8 | XE),
    row(Op::Not, 0x04, 0x64, GEN8 | XE),
    row(Op::And, 0x05, 0x65, GEN8 | XE),
    row(Op::Or, 0x06, 0x66, GEN8 | XE),
    row(Op::Xor, 0x07, 0x67, GEN8 | XE),
    row(Op::Shl, 0x09, 0x69, GEN8 | XE),
    row(Op::Shr, 0x08, 0x68, GEN8 | XE),
    row(Op::Asr, 0x0c, 0x6c, GEN8 | XE),
    row(Op::Rol, 0x0f, 0x6f, ICL | XE),
    row(Op::Ror, 0x0e, 0x6e, ICL | XE),
    row(Op::Bfrev, 0x17, 0x77, GEN8 | XE),
    row(Op::Bfe, 0x18, 0x78, GEN8 | XE),
    row(Op::Bfi1, 0x19, 0x79, GEN8 | XE),
    row(Op::Bfi2, 0x1a, 0x7a, GEN8 | XE),
    row(Op::Bfn, NONE, 0x6b, PVC),
    row(Op::Fbh, 0x4b, 0x4b, GEN8 | XE),
    row(Op::Fbl, 0x4c, 0x4c, GEN8 | XE),
    row(Op::Cbit, 0x4d, 0x4d, GEN8 | XE),
    row(Op::Lzd, 0x4a, 0x4a, GEN8 | XE),
    row(Op::Add, 0x40, 0x40, GEN8 | XE),
    row(Op::Add3, NONE, 0x52, PVC),
    row(Op::Addc, 0x4e, 0x4e, GEN8 | XE),
    row(Op::Subb, 0x4f, 0x4f, GEN8 | XE),
    row(Op::Avg, 0x42, 0x42, GEN8 | XE),
    row(Op::Mul, 0x41, 0x41, GEN8 | XE),
    row(Op::Mac, 0x48, 0x48, GEN8 | XE),
    row(Op::Mach, 0x49, 0x49, GEN8 | XE),
    row(Op::Macl, NONE, 0x53, PVC),
    row(Op::Mad, 0x5b, 0x5b, GEN8 | XE),
    row(Op::Madm, 0x5d, 0x5d, GEN8 | PVC),
    row(Op::Frc, 0x43, 0x43, GEN8 | XE),
    row(Op::Rndd, 0x45, 0x45, GEN8 | XE),
    row(Op::Rnde, 0x46, 0x46, GEN8 | XE),
    row(Op::Rndu, 0x44, 0x44, GEN8 | XE),
    row(Op::Rndz, 0x47, 0x47, GEN8 | XE),
    row(Op::Srnd, NONE, 0x54, PVC),
    row(Op::Sad2, 0x50, NONE, BDW | SKL),
    row(Op::Sada2, 0x51, NONE, BDW | SKL),
    row(Op::Dp2, 0x57, NONE, BDW | SKL),
    row(Op::Dp3, 0x56, NONE, BDW | SKL),
    row(Op::Dp4, 0x54, NONE, BDW | SKL),
    row(Op::Dph, 0x55, NONE, BDW | SKL),
    row(Op::Dp4a, NONE, 0x58, XE),
    row(Op::Line, 0x59, NONE, BDW | SKL),
    row(Op::Pln, 0x5a, NONE, BDW | SKL),
    row(Op::Lrp, 0x5c, NONE, BDW | SKL),
    row(Op::Math, 0x38, 0x38, GEN8 | XE),
    row(Op::Dpas, NONE, 0x59, PVC),
    row(Op::Dpasw, NONE, NONE, 0),
    row(Op::Send, 0x31, 0x31, GEN8 | XE),
    row(Op::Sendc, 0x32, 0x32, GEN8 | XE),
    row(Op::Sends, 0x33, NONE, SKL | ICL),
    row(Op::Sendsc, 0x34, NONE, SKL | ICL),
    row(Op::Jmpi, 0x20, 0x20, GEN8 | XE),
    row(Op::Brc, 0x23, 0x23, GEN8 | XE),
    row(Op::Brd, 0x21, 0x21, GEN8 | XE),
    row(Op::If, 0x22, 0x22, GEN8 | XE),
    row(Op::Else, 0x24, 0x24, GEN8 | XE),
    row(Op::Endif, 0x25, 0x25, GEN8 | XE),
    row(Op::While, 0x27, 0x27, GEN8 | XE),
    row(Op::Break, 0x28, 0x28, GEN8 | XE),
    row(Op::Cont, 0x29, 0x29, GEN8 | XE),
    row(Op::Halt, 0x2a, 0x2a, GEN8 | XE),
    row(Op::Goto, 0x2e, 0x2e, GEN8 | XE),
    row(Op::Join, 0x2f, 0x2f, GEN8 | XE),
    row(Op::Call, 0x2c, 0x2c, GEN8 | XE),
    row(Op::Calla, 0x2b, 0x2b, GEN8 | XE),
    row(Op::Ret, 0x2d, 0x2d, GEN8 | XE),
    row(Op::Wait, 0x30, NONE, GEN8),
    row(Op::Sync, NONE, 0x01, XE),
    row(Op::Nop, 0x7e, 0x60, GEN8 | XE),
    row(Op::Illegal, 0x00, 0x00, GEN8 | XE),
];

const PLATFORMS: usize = Platform::ALL.len();

/// `Op` of each number, for each platform.
static BY_NUMBER: [[Option<Op>; 128]; PLATFORMS] = by_number();

const fn by_number() -> [[Option<Op>; 128]; PLATFORMS] {
    let mut table = [[None; 128]; PLATFORMS];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        let mut p = 0;
        while p < PLATFORMS {
            if row.platforms >> p & 1 != 0 {
                let number = match Platform::ALL[p].caps().words.layout {
                    Layout::Gen8 => row.gen8,
                    Layout::Xe => row.xe,
                };
                table[p][number as usize] = Some(row.op);
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
                table[p][op as usize] = number as u8;
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
    BY_NUMBER[platform as usize][(number & 0x7f) as usize]
}

/// The opcode's number on a platform, if the platform has it.
#[inline]
pub fn number(platform: Platform, op: Op) -> Option<u8> {
    let number = NUMBERS[platform as usize][op as usize];
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
            assert_eq!(row.op as usize, i);
        }
        for p in Platform::ALL {
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

//! The word layout of Gen12 and later.
//!
//! A word's format follows from its opcode. Bits 32..0 are controls, the rest depends on the class of
//! the operation: one or two sources, three sources, systolic, message, flow control. Layouts differ
//! in where the controls stand and in the unit of byte offsets; [`layout::Layout`] hides that from [`encode`](mod@encode)
//! and [`decode`](mod@decode), which deal with values; the classes of operations have a file each, both ways. [`words`]
//! holds the formats, [`tgl`] and [`pvc`] the controls. What a field may hold on a platform (types, functions, options)
//! is asked of the platform's row.

mod basic;
mod branch;
mod codes;
mod compact;
mod decode;
mod encode;
mod hpg_tables;
mod layout;
mod operand;
mod pvc;
mod pvc_tables;
mod send;
mod swsb;
mod ternary;
mod tgl;
mod tgl_tables;
mod words;

use std::ops::RangeInclusive;

use crate::{DecodeError, EncodeError};
use gen_ir::{Inst, Physical};
use layout::Layout;
use narrow::wide_u8;
use platforms::{Caps, Format, Platform, XeFormat};

/// What is asked of the layout of a format's words. A new format has its line here, and two in [`compact`](mod@compact).
macro_rules! of_layout {
    ($format:expr, $asked:ident $(::$function:ident)? ($($argument:expr),*)) => {
        match $format {
            XeFormat::Gen12 | XeFormat::XeHpg => $asked$(::$function)?::<tgl::Tgl>($($argument),*),
            XeFormat::XeHpc => $asked$(::$function)?::<pvc::Pvc>($($argument),*),
        }
    };
}

// A platform's row says no more of its words than their layout has room for.
const _: () = {
    let mut at = 0;
    while at < Platform::ROWS.len() {
        let caps = Platform::ROWS[at].caps();
        if let Format::Xe(format) = caps.words.format {
            of_layout!(format, check_row(caps));
        }
        at += 1;
    }
};

const fn check_row<L: Layout>(caps: &Caps) {
    let Caps { words: row, regs, scoreboard, sends, .. } = caps;
    let swsb_bits = L::SWSB.count_ones();
    assert!(
        row.nibble_offset == (L::CHANNELS == 4),
        "`nibble_offset` of a row, and what channel offsets of its layout count in"
    );
    assert!(
        !(row.acc_write_enable && L::WORD_OFFSETS),
        "`acc_write_enable` of a row, where bit 33 of its layout is one of the destination's byte offset"
    );
    assert!(
        2 * wide_u8(regs.flag_count) <= 1 << L::FLAG.count_ones(),
        "`flag_count` of a row, and the bits of flags in its layout"
    );
    assert!(
        wide_u8(regs.largest_file().sbids) <= if swsb_bits > 8 { 32 } else { 16 },
        "`sbids` of a row's largest file, and the bits of annotations in its layout"
    );
    assert!(
        !scoreboard.pipes.have_math() || swsb_bits > 8,
        "`pipes` of a row, and the bits of annotations in its layout"
    );
    assert!(
        sends.second_most == words::SendWord::MOST_SRC1,
        "`second_most` of a row, and the bits of the second payload's length in its words"
    );
}

/// See [`crate::encode`].
#[inline]
pub fn encode(platform: Platform, format: XeFormat, inst: &Inst<Physical>) -> Result<u128, EncodeError> {
    of_layout!(format, encode::encode(platform, inst)).map_err(|e| *e)
}

/// See [`crate::decode_into`].
#[inline]
pub fn decode_into(
    platform: Platform,
    format: XeFormat,
    word: u128,
    inst: &mut Inst<Physical>,
) -> Result<(), DecodeError> {
    of_layout!(format, decode::decode_into(platform, word, inst))
}

/// See [`crate::address_offsets`].
pub fn address_offsets(format: XeFormat) -> RangeInclusive<i16> {
    const fn of<L: Layout>() -> RangeInclusive<i16> {
        L::ADDR_IMM
    }
    of_layout!(format, of())
}

/// See [`crate::compact`].
#[inline]
pub fn compact(platform: Platform, format: XeFormat, word: u128) -> Option<u64> {
    compact::compact(platform, format, word)
}

/// See [`crate::expand`].
pub fn expand(platform: Platform, format: XeFormat, word: u64) -> Result<u128, DecodeError> {
    compact::expand(platform, format, word)
}

//! A whole kernel as text: labels, then the instructions of each block.

use super::{
    columns::{Columns, put_decimal},
    instruction::{put_instruction, target_offset},
};
use encoder::{Decoded, decode_all};
use gen_ir::{Op, Payload, Target};
use platforms::Platform;

/// How a listing looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListingOptions {
    /// No label lines; targets are displacements in bytes from the branch (`iga64 -n`).
    pub numeric_labels: bool,
    /// Messages to the load/store cache in their own notation (`-Xprint-ldst`):
    /// `load.ugm.d32.a64 (16|M0)  r10:1  [r12:2]`.
    pub load_store: bool,
}

/// Machine code as IGA assembly. Bits that are no instruction become `illegal` with a comment that says
/// where, which bytes, and what is wrong with them.
pub fn disassemble(platform: Platform, code: &[u8], options: &ListingOptions) -> String {
    let decoded: Vec<Decoded> = decode_all(platform, code).collect();
    list(platform, &decoded, options)
}

/// Byte offsets at which blocks start, ascending: the beginning, branch targets, and what follows a
/// branch or the end of the thread.
pub(super) fn block_starts(decoded: &[Decoded]) -> Vec<i64> {
    let mut starts = vec![0];
    for d in decoded {
        let Ok(inst) = &d.inst else { continue };
        if let Payload::Branch { jip, uip, .. } = inst.payload {
            starts.push(i64::from(d.offset) + i64::from(d.len));
            for target in [jip, uip] {
                if let Target::Rel(rel) = target {
                    starts.push(target_offset(inst.op, d.offset, rel));
                }
            }
        } else if inst.is_eot() {
            starts.push(i64::from(d.offset) + i64::from(d.len));
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn put_label(text: &mut String, offset: i64) {
    text.push_str(if offset < 0 { "L_N" } else { "L" });
    put_decimal(text, offset.unsigned_abs());
}

/// Decoded instructions as IGA assembly; see [`disassemble`].
pub fn list(platform: Platform, decoded: &[Decoded], options: &ListingOptions) -> String {
    let mut c = Columns::default();
    c.text.reserve(decoded.len() * 112);
    let starts = block_starts(decoded);
    let mut next = starts.iter().copied().peekable();
    let mut label_lines = |c: &mut Columns, before: i64| {
        while let Some(start) = next.next_if(|&s| s <= before) {
            if !options.numeric_labels {
                put_label(&mut c.text, start);
                c.ch(':');
                c.newline();
            }
        }
    };
    let label = |text: &mut String, offset: i64, displacement: i64| {
        if options.numeric_labels {
            text.push_str(&displacement.to_string());
        } else {
            put_label(text, offset);
        }
    };
    for d in decoded {
        label_lines(&mut c, d.offset.into());
        match &d.inst {
            Ok(inst) => put_instruction(&mut c, platform, inst, d.offset, options.load_store, &label),
            Err(error) => {
                let illegal = gen_ir::Inst::new(Op::Illegal, gen_ir::ExecSize::S1);
                put_instruction(&mut c, platform, &illegal, d.offset, options.load_store, &label);
                c.put(" // ");
                c.put(&error.to_string());
            }
        }
        c.newline();
    }
    label_lines(&mut c, i64::MAX);
    c.text
}

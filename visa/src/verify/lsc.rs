//! Load/store-cache messages: which shapes, addresses and cache controls go together (spec `LSC_UNTYPED`,
//! `LSC_TYPED` and the tables of the shared function's messages).

use super::{Checker, Rule, message::Message};
use crate::{lsc::*, op::*};

/// Cache controls of L1 and L3 that a kind of message takes.
fn caches(kind: LscKind) -> &'static [(LscCache, LscCache)] {
    use LscCache::*;
    match kind {
        LscKind::Load => &[
            (Default, Default),
            (Uncached, Uncached),
            (Uncached, Cached),
            (Cached, Uncached),
            (Cached, Cached),
            (Streaming, Uncached),
            (Streaming, Cached),
            (ReadInvalidate, Cached),
        ],
        LscKind::Store => &[
            (Default, Default),
            (Uncached, Uncached),
            (Uncached, WriteBack),
            (WriteThrough, Uncached),
            (WriteThrough, WriteBack),
            (Streaming, Uncached),
            (Streaming, WriteBack),
            (WriteBack, WriteBack),
        ],
        LscKind::Atomic => &[(Default, Default), (Uncached, Uncached), (Uncached, WriteBack)],
        LscKind::Other => &[],
    }
}

impl Checker<'_> {
    pub(super) fn lsc_caches(&mut self, at: Message, op: LscOp, found: [LscCache; 2]) {
        let allowed = caches(op.kind());
        if !allowed.is_empty() && !allowed.contains(&(found[0], found[1])) {
            let names: Vec<_> = allowed.iter().map(|(a, b)| format!("{a}.{b}")).collect();
            let message = format!("found {}.{}, allowed: {}", found[0], found[1], names.join(", "));
            self.report(Rule::LscCache, Some(at.index), "cache control", message);
        }
    }

    /// Shape, address and target of an untyped message.
    pub(super) fn lsc_common(&mut self, at: Message, lsc: &Lsc<'_>) {
        if lsc.sfid == LscSfid::Slm && lsc.cache != [LscCache::Default; 2] {
            let message = format!("found {}.{}, allowed for slm: none", lsc.cache[0], lsc.cache[1]);
            self.report(Rule::LscCache, Some(at.index), "cache control", message);
        } else {
            self.lsc_caches(at, lsc.op, lsc.cache);
        }
        self.lsc_shape(at, lsc);
        let wrong = |field, message: String| (field, message);
        let fault = match (lsc.sfid, lsc.addr_type, lsc.addr_size) {
            (LscSfid::Tgm, ..) => {
                Some(wrong("shared function", "found tgm, allowed: ugm, ugml, slm, urb".into()))
            }
            (LscSfid::Slm, ty, _) if ty != LscAddrType::Flat => {
                Some(wrong("address type", format!("found {ty}, allowed for slm: flat")))
            }
            (LscSfid::Slm, _, LscAddrSize::A64) => {
                Some(wrong("address size", "found a64, allowed for slm: a16, a32".into()))
            }
            (_, LscAddrType::Bti | LscAddrType::Ss | LscAddrType::Bss, LscAddrSize::A64) => {
                let message = format!("found a64, allowed for {}: a32", lsc.addr_type);
                self.report(Rule::LscOffset, Some(at.index), "address size", message);
                None
            }
            (LscSfid::Ugm, LscAddrType::Flat, LscAddrSize::A16) => {
                Some(wrong("address size", "found a16, allowed for ugm: a32, a64".into()))
            }
            _ => None,
        };
        if let Some((field, message)) = fault {
            self.report(Rule::LscAddress, Some(at.index), field, message);
        }
    }

    fn lsc_shape(&mut self, at: Message, lsc: &Lsc<'_>) {
        let shape = &lsc.shape;
        let (size, count) = (shape.size, shape.per_address());
        let mut faults: Vec<(&str, String)> = Vec::new();
        let short = matches!(size, LscDataSize::D8 | LscDataSize::D16);
        if short {
            let message = format!("found {size}, allowed: d8c32, d16c32, d16c32h, d32, d64");
            self.report(Rule::LscSize, Some(at.index), "data size", message);
        }
        if shape.order == LscOrder::Transpose {
            if at.lanes != 1 {
                faults
                    .push(("execution size", format!("{} lanes, allowed for transposed data: 1", at.lanes)));
            }
            // One element has no order. (Intel's finalizer takes it so.)
            if count > 1 && !short && !matches!(size, LscDataSize::D32 | LscDataSize::D64) {
                faults.push(("data size", format!("found {size}, allowed for transposed data: d32, d64")));
            }
            if !matches!(lsc.op.kind(), LscKind::Load | LscKind::Store) {
                faults.push(("data order", "found transposed data, which atomics do not have".to_owned()));
            }
        } else if count > 1 {
            if !matches!(size, LscDataSize::D32 | LscDataSize::D64) {
                faults.push(("data elements", format!("{count} of {size}, allowed: 1")));
            } else if count > 8 {
                faults.push(("data elements", format!("{count} for each lane, allowed: 1, 2, 3, 4, 8")));
            }
            if lsc.op.kind() == LscKind::Atomic {
                faults.push(("data elements", format!("{count} for each lane, allowed for atomics: 1")));
            }
        }
        for (field, message) in faults {
            self.report(Rule::LscShape, Some(at.index), field, message);
        }
    }

    /// Two-dimensional blocks: rows of up to 64 bytes in all blocks together, up to 32 of them. What the hardware is not known to
    /// have, but examples of the specification, and Intel's finalizer takes, is tolerated.
    pub(super) fn lsc_block2d(&mut self, at: Message, b: &LscBlock2d<'_>) {
        self.lsc_caches(at, b.op, b.cache);
        let is_store = b.op == LscOp::StoreBlock2d;
        let size = b.size.register_bytes();
        let transposed = b.order == LscOrder::Transpose;
        let (width, height, blocks) = (u32::from(b.width), u32::from(b.height), u32::from(b.blocks));
        let mut faults: Vec<(&str, String)> = Vec::new();
        let mut odd: Vec<(&str, String)> = Vec::new();
        if at.lanes != 1 {
            odd.push(("execution size", format!("{} lanes, allowed: 1", at.lanes)));
        }
        if b.sfid != LscSfid::Ugm {
            faults.push(("shared function", format!("found {}, allowed: ugm", b.sfid)));
        }
        let most = if is_store { 8 } else { 32 };
        if !(1..=most).contains(&height) {
            let worse = !(1..=32).contains(&height);
            let list = if worse { &mut faults } else { &mut odd };
            list.push(("block height", format!("{height} rows, allowed: 1 to {most}")));
        }
        if !matches!(blocks, 1 | 2 | 4) || is_store && blocks != 1 {
            let allowed = if is_store { "1" } else { "1, 2, 4" };
            faults.push(("blocks", format!("{blocks}, allowed: {allowed}")));
        }
        if !(1..=64).contains(&(width * size * blocks.max(1))) {
            faults.push((
                "block width",
                format!("{blocks} blocks of {width} elements of {size} bytes, allowed: 1 to 64 bytes in all"),
            ));
        }
        if transposed && (is_store || !matches!(b.size, LscDataSize::D32 | LscDataSize::D64)) {
            odd.push(("data order", "transposed blocks are loads of d32 or d64".to_owned()));
        }
        if b.vnni && (is_store || !matches!(b.size, LscDataSize::D8 | LscDataSize::D16)) {
            odd.push(("vnni", "transformed blocks are loads of d8 or d16".to_owned()));
        }
        for (field, message) in odd {
            self.report(Rule::BlockShape, Some(at.index), field, message);
        }
        for (field, message) in faults {
            self.report(Rule::LscShape, Some(at.index), field, message);
        }
        if is_store {
            self.there(at.index, "source 1", b.src1);
        }
    }
}

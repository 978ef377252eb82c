//! Data port messages with an address per channel: byte, dword, untyped and A64, and atomics.

use super::{Mail, Place, atomic::Atomic, block, lanes_of, typed};
use crate::{report::SendKind, thread::Trap};

/// Where a scattered message's parts lie, in GRFs and bytes.
struct Layout {
    lanes: u32,
    place: Place,
    /// First address byte in the payload, and bytes of one address.
    first: u32,
    address: u32,
}

impl Mail<'_, '_> {
    fn layout(&self, lanes: u32, place: Place, address: u32) -> Layout {
        let head = self.bits(19, 1);
        Layout { lanes, place, first: head * self.grf, address }
    }

    fn simd(&self, wide: bool) -> u32 {
        let native = u32::from(self.cx.program.platform.caps().memory.simd_message);
        if wide { 16 } else { native }
    }

    fn scattered_address(&mut self, l: &Layout, lane: u32) -> Result<u64, Trap> {
        self.address(l.first + lane * l.address, l.address)
    }

    /// Bytes before the data of a write.
    fn data_start(&self, l: &Layout) -> u32 {
        l.first + self.regs(l.lanes, l.address) * self.grf
    }
}

/// `count` elements of `bytes` bytes per lane, each component in registers of its own.
fn elements(
    mail: &mut Mail<'_, '_>,
    l: &Layout,
    write: bool,
    components: &[u32],
    bytes: u32,
    slot: u32,
    scale: u64,
) -> Result<SendKind, Trap> {
    let block = mail.regs(l.lanes, slot) * mail.grf;
    let start = mail.data_start(l);
    let count = components.len() as u32;
    let regs = start / mail.grf + if write { count * block / mail.grf } else { 0 };
    mail.expect(regs, if write { 0 } else { count * block / mail.grf });
    for lane in lanes_of(mail.on, l.lanes) {
        let base = mail.scattered_address(l, lane)?.wrapping_mul(scale);
        for (k, component) in components.iter().enumerate() {
            let at = base.wrapping_add(u64::from(component * bytes));
            let at = if l.address == 4 { at & 0xffff_ffff } else { at };
            let reg = k as u32 * block + lane * slot;
            if write {
                let v = mail.data(start + reg, bytes)?;
                mail.store(l.place, at, bytes, v)?;
            } else {
                let v = mail.load(l.place, at, bytes)?;
                mail.reply(reg, slot, v)?;
            }
        }
    }
    Ok(mail.kind_of(l.place, if write { SendKind::Store } else { SendKind::Load }))
}

fn atomics(mail: &mut Mail<'_, '_>, l: &Layout, op: Atomic, bytes: u32) -> Result<SendKind, Trap> {
    let returns = mail.bits(13, 1) != 0;
    let slot = bytes.max(4);
    let block = mail.regs(l.lanes, slot) * mail.grf;
    let start = mail.data_start(l);
    let regs = start / mail.grf + op.operands() * block / mail.grf;
    mail.expect(regs, if returns { block / mail.grf } else { 0 });
    for lane in lanes_of(mail.on, l.lanes) {
        let at = mail.scattered_address(l, lane)?;
        let operand = |mail: &mut Mail<'_, '_>, k: u32| {
            if k < op.operands() { mail.data(start + k * block + lane * slot, bytes) } else { Ok(0) }
        };
        let (a, b) = (operand(mail, 0)?, operand(mail, 1)?);
        let old = mail.load(l.place, at, bytes)?;
        let new = op.apply(old, a, b, bytes);
        mail.store(l.place, at, bytes, new)?;
        if returns {
            mail.reply(lane * slot, slot, op.result(old, new))?;
        }
    }
    Ok(mail.kind_of(l.place, SendKind::Atomic))
}

/// Components a channel mask leaves enabled (a set bit disables).
fn enabled(mask: u32) -> ([u32; 4], usize) {
    let mut out = [0; 4];
    let mut n = 0;
    for c in (0..4).filter(|c| mask >> c & 1 == 0) {
        out[n] = c;
        n += 1;
    }
    (out, n)
}

/// Data cache 0: byte and dword scattered.
pub(super) fn dc0(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let lanes = mail.simd(mail.bits(8, 1) != 0);
    let place = mail.place(mail.bits(0, 8));
    let l = mail.layout(lanes, place, 4);
    match mail.bits(14, 5) {
        4 => elements(mail, &l, false, &[0], 1 << mail.bits(10, 2), 4, 1),
        0xc => elements(mail, &l, true, &[0], 1 << mail.bits(10, 2), 4, 1),
        // Dword messages count their offsets in dwords.
        3 => elements(mail, &l, false, &[0], 4, 4, 4),
        0xb => elements(mail, &l, true, &[0], 4, 4, 4),
        5 => {
            let n = 1 << mail.bits(10, 2);
            elements(mail, &l, false, &[0, 1, 2, 3, 4, 5, 6, 7][..n], 8, 8, 1)
        }
        0xd => {
            let n = 1 << mail.bits(10, 2);
            elements(mail, &l, true, &[0, 1, 2, 3, 4, 5, 6, 7][..n], 8, 8, 1)
        }
        other => Err(format!("data cache 0 message {other:#x} is not modelled").into()),
    }
}

/// Data cache 1: untyped surfaces, atomics, A64.
pub(super) fn dc1(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let kind = mail.bits(14, 5);
    let a64 = kind & 0x10 != 0 && kind != 0x1b && kind != 0x1c;
    let (place, address) = if a64 { (Place::Flat, 8) } else { (mail.place(mail.bits(0, 8)), 4) };
    // One descriptor bit tells SIMD8 from SIMD16, in either sense.
    let narrow_set = mail.bits(12, 1) != 0;
    match kind {
        1 | 9 | 0x11 | 0x19 => {
            let lanes = match mail.bits(12, 2) {
                1 => mail.simd(true),
                2 => mail.simd(false),
                _ => return Err("a SIMD4x2 message is not modelled".into()),
            };
            let (components, n) = enabled(mail.bits(8, 4));
            let l = mail.layout(lanes, place, address);
            elements(mail, &l, kind & 8 != 0, &components[..n], 4, 4, 1)
        }
        2 | 0xb => {
            let Some(op) = Atomic::from_hdc(mail.bits(8, 4)) else { return Err("no such atomic".into()) };
            let l = mail.layout(mail.simd(!narrow_set), place, address);
            let bytes = if mail.bits(8, 4) == 0 { 8 } else { 4 };
            atomics(mail, &l, op, bytes)
        }
        3 | 0x13 => {
            let Some(op) = Atomic::from_hdc(mail.bits(8, 4)) else { return Err("no such atomic".into()) };
            let wide = if a64 { narrow_set } else { !narrow_set };
            let l = mail.layout(mail.simd(wide), place, address);
            atomics(mail, &l, op, 2)
        }
        0x12 => {
            let Some(op) = Atomic::from_hdc(mail.bits(8, 4)) else { return Err("no such atomic".into()) };
            let l = mail.layout(mail.simd(false), place, address);
            atomics(mail, &l, op, if narrow_set { 8 } else { 4 })
        }
        0x1b | 0x1d => {
            let Some(op) = Atomic::from_hdc_float(mail.bits(8, 3)) else {
                return Err("no such atomic".into());
            };
            let wide = if a64 { narrow_set } else { !narrow_set };
            let l = mail.layout(mail.simd(wide), place, address);
            let bytes = if mail.bits(8, 3) >= 6 { 8 } else { 4 };
            atomics(mail, &l, op, bytes)
        }
        0x1c | 0x1e => {
            let Some(op) = Atomic::from_hdc_float(mail.bits(8, 3)) else {
                return Err("no such atomic".into());
            };
            let wide = if a64 { narrow_set } else { !narrow_set };
            let l = mail.layout(mail.simd(wide), place, address);
            atomics(mail, &l, op, 2)
        }
        0x10 | 0x1a => {
            let lanes = mail.simd(narrow_set);
            let l = mail.layout(lanes, place, address);
            let n = 1 << mail.bits(10, 2);
            let write = kind == 0x1a;
            const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
            match mail.bits(8, 2) {
                0 if n == 8 => elements(mail, &l, write, &[0], 8, 8, 1),
                0 => elements(mail, &l, write, &[0], n as u32, 4, 1),
                1 => elements(mail, &l, write, &COUNT[..n], 4, 4, 1),
                2 => elements(mail, &l, write, &COUNT[..n], 8, 8, 1),
                _ => Err("a message with status return is not modelled".into()),
            }
        }
        0x14 | 0x15 => block::a64(mail),
        4 | 0xa => block::media(mail),
        5 | 0xd => typed::access(mail),
        6 => typed::atomic(mail),
        other => Err(format!("data cache 1 message {other:#x} is not modelled").into()),
    }
}

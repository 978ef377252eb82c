//! Data port messages that move whole blocks: owords, scratch, A64 blocks, media blocks.

use super::{Mail, Place};
use crate::{messages::SCRATCH_STATE, report::SendKind, thread::Trap};
use gen_ir::scratch;
use messages::{
    Access,
    hdc::{A64Block, A64BlockType, MediaBlock, MediaBlockSize, OwordBlock, OwordCount, ScratchBlock},
};
use narrow::{low_i32, low_u32, low_u64, to_u64};

/// Moves `bytes` bytes between memory at `offset` and the payload behind the header or the response, in
/// dwords: what is out of bounds is so by the dword (PRM volume 7, "Surface Bounds Checking" of raw buffers).
fn copy(
    mail: &mut Mail<'_, '_>,
    place: Place,
    offset: u64,
    at: u32,
    bytes: u32,
    access: Access,
) -> Result<(), Trap> {
    let mut done = 0;
    while done < bytes {
        let n = (bytes - done).min(4);
        let from = offset.wrapping_add(done.into());
        if access.is_store() {
            let v = mail.data(mail.grf + at + done, n)?;
            mail.store(place, from, n, v)?;
        } else {
            let v = mail.load(place, from, n)?;
            mail.reply(at + done, n, v)?;
        }
        done += n;
    }
    Ok(())
}

/// Owords of a block, and whether a single one is the high half. Blocks at 64-bit addresses count them alike.
fn oword_count(mail: &Mail<'_, '_>) -> Result<(u32, bool), Trap> {
    match mail.as_kind::<OwordBlock>().count() {
        Some(count) => Ok((count.owords(), count == OwordCount::OneHigh)),
        None => Err("no such number of owords".into()),
    }
}

/// Oword block read and write. The header's dword 2 is the offset, in units of so many bytes.
pub(super) fn owords(mail: &mut Mail<'_, '_>, access: Access, unit: u64) -> Result<SendKind, Trap> {
    let (count, high) = oword_count(mail)?;
    let place = mail.place(mail.desc.surface());
    let mut offset = mail.address(8, 4)? * unit;
    if place == Place::Flat && !mail.scratch_surface() {
        // Stateless blocks are relative to the base in the header's dword 5: the thread's scratch.
        offset += mail.address(scratch::BASE_BYTE, 4)? & !u64::from(scratch::BASE_UNIT - 1);
    }
    let regs = mail.regs(count, 16);
    mail.expect_access(access, 1, regs);
    if mail.on != 0 {
        copy(mail, place, offset, if high { 16 } else { 0 }, count * 16, access)?;
    }
    Ok(mail.kind_of(place, access.into()))
}

/// Scratch block read and write: offset in the descriptor, base (or surface) in the header's dword 5.
pub(super) fn scratch(mail: &mut Mail<'_, '_>) -> Result<SendKind, Trap> {
    let block = mail.as_kind::<ScratchBlock>();
    let access = block.access();
    // Counted in 32 bytes, whatever a register holds.
    let bytes = 32 << block.size_log2();
    let regs = mail.regs(bytes, 1);
    let named = mail.address(scratch::BASE_BYTE, 4)? & u64::from(scratch::SURFACE_STATE);
    let base = if mail.scratch_surface() {
        if named != u64::from(SCRATCH_STATE) {
            return Err(format!("no scratch surface at {named:#x}").into());
        }
        mail.t.scratch
    } else {
        named
    };
    let offset = base + u64::from(block.offset()) * 32;
    mail.expect_access(access, 1, regs);
    let all = crate::thread::mask(mail.lanes);
    for i in 0..bytes / 4 {
        if block.by_dword() && mail.on & all != all && mail.on >> (i % mail.lanes.max(8)) & 1 == 0
            || mail.on == 0
        {
            continue;
        }
        let at = offset + u64::from(4 * i);
        if at + 4 > mail.t.scratch + u64::from(mail.t.scratch_len) || at < mail.t.scratch {
            let end = mail.t.scratch_len;
            let from = at.wrapping_sub(mail.t.scratch);
            mail.cx.report(mail.t, crate::report::Fault::OutOfBounds, || {
                format!("scratch offset {from:#x}, where the thread has {end} bytes")
            });
            continue;
        }
        if access.is_store() {
            // Spilled registers may be partly undefined.
            let v = mail.data(mail.grf + 4 * i, 4)?;
            mail.store(Place::Flat, at, 4, v)?;
        } else {
            let v = mail.load(Place::Flat, at, 4)?;
            mail.reply(4 * i, 4, v)?;
        }
    }
    Ok(SendKind::Scratch)
}

/// A64 block read and write: the address is the header's first qword.
pub(super) fn a64(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let block = mail.as_kind::<A64Block>();
    let (bytes, high) = match block.block_type() {
        Some(A64BlockType::Owords | A64BlockType::UnalignedOwords) => {
            let (n, high) = oword_count(mail)?;
            (n * 16, high)
        }
        Some(A64BlockType::Hwords) => (32 << block.size().saturating_sub(1).min(3), false),
        Some(A64BlockType::DualBlock) | None => return Err("a dual block message is not modelled".into()),
    };
    let address = mail.address(0, 8)?;
    let regs = bytes.div_ceil(mail.grf).max(1);
    mail.expect_access(access, 1, regs);
    if mail.on != 0 {
        copy(mail, Place::Flat, address, if high { 16 } else { 0 }, bytes, access)?;
    }
    Ok(access.into())
}

/// Media block read and write: x and y offsets in the header's dwords 0 and 1 (bytes and rows), width
/// and height less one in dword 2. Reads outside of the image repeat its edge.
pub(super) fn media(mail: &mut Mail<'_, '_>, access: Access) -> Result<SendKind, Trap> {
    let place = mail.place(mail.desc.surface());
    let [x, y, size] = [0, 4, 4 * MediaBlockSize::DWORD].map(|at| mail.address(at, 4));
    let (x, y) = (low_i32(x?), low_i32(y?));
    let [width, height] = MediaBlockSize::from_bits(low_u32(size?)).sizes();
    let surface = mail.surface(place)?.clone();
    let Some(image) = surface.image else { return Err("a media block of a surface without shape".into()) };
    let lines = mail.as_kind::<MediaBlock>();
    let one_field = lines.line_stride_override() && lines.line_stride();
    let field = if one_field { image.field(lines.line_stride_offset()) } else { Some((image.clone(), 0)) };
    let Some((image, start)) = field else { return Err("one field of a tiled image is not modelled".into()) };
    let base = surface.base + start;
    let pitch = width.next_power_of_two().max(4);
    let row_bytes = image.width * image.texel_bytes();
    for row in 0..height {
        for col in 0..width {
            let (cx, cy) = (x.wrapping_add(low_i32(col)), y.wrapping_add(low_i32(row)));
            let inside = (0..low_i32(row_bytes)).contains(&cx) && (0..low_i32(image.height)).contains(&cy);
            let at = row * pitch + col;
            if access.is_store() {
                if inside {
                    let v = mail.data(mail.grf + at, 1)?;
                    let offset = image.byte_offset(low_u64(cx), low_u64(cy));
                    mail.store(Place::Flat, base + offset, 1, v)?;
                }
                continue;
            }
            let cy = low_u64(cy.clamp(0, low_i32(image.height) - 1));
            // Left of the image its first texel repeats, right of it the last one.
            let unit = low_i32(image.texel_bytes());
            let cx = if cx < 0 {
                to_u64(cx.rem_euclid(unit))
            } else if cx >= low_i32(row_bytes) {
                low_u64(low_i32(row_bytes) - unit + cx % unit)
            } else {
                low_u64(cx)
            };
            let v = mail.load(Place::Flat, base + image.byte_offset(cx, cy), 1)?;
            mail.reply(at, 1, v)?;
        }
    }
    Ok(access.into())
}

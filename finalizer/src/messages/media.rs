//! Media block reads and writes.

use gen_ir::{ExecSize, Sfid, Src};
use messages::{
    Descriptor, SurfaceIndex,
    hdc::{Dc1, MediaBlock, MediaBlockSize},
};
use visa::Op as Visa;

use super::{Message, PayloadPart, Surface};
use crate::{
    build::VReg,
    lower::{Lowered, Lowerer, Unsupported},
};

impl Lowerer<'_> {
    /// `media_ld`, `media_st`: the header has the place and size of the block.
    pub(crate) fn media_block(&mut self, op: &Visa<'_>) -> Lowered {
        let Visa::MediaBlock { access, modifier, surface, plane, width, height, x, y, .. } = *op else {
            unreachable!("{op:?} is not a media block");
        };
        let Some(size) = MediaBlockSize::of(width, height) else {
            return Err(Unsupported::MediaBlock { width, height }.into());
        };
        let header = self.copy_of_r0();
        self.set_dword(header, MediaBlockSize::DWORD, Src::ud(size.into_bits()));
        let x = self.scalar_src(x)?;
        self.set_dword(header, 0, x);
        let y = self.scalar_src(y)?;
        self.set_dword(header, 1, y);
        let header = PayloadPart { reg: header, len: 1 };
        let kind = if access.is_store() { Dc1::MediaBlockWrite } else { Dc1::MediaBlockRead };
        let field = modifier.bottom_field();
        let desc = MediaBlock::new()
            .with_message_type(Some(kind))
            .with_line_stride_override(field.is_some())
            .with_line_stride(field.is_some())
            .with_line_stride_offset(field == Some(true));
        let mut desc: Descriptor = desc.into();
        // The planes of a surface have binding table indices in a row (Intel's finalizer adds them too). An index of
        // run time is added to the descriptor, which then has the plane in its place.
        let surface = match self.surface(surface)? {
            Surface::Index(index) => match index.0.checked_add(plane) {
                Some(index) => Surface::Index(SurfaceIndex(index)),
                None => return super::surface_above(u32::from(index.0) + u32::from(plane)),
            },
            Surface::Bindless(..) if plane != 0 => return Err(Unsupported::OfBindless("a plane").into()),
            bindless @ Surface::Bindless(..) => bindless,
            register @ Surface::Register(_) => {
                desc = desc.with_surface(SurfaceIndex(plane));
                register
            }
        };
        let message = Message { sfid: Sfid::Dc1, desc, header: true, response: 0 };
        let (data, bytes) = self.data(*op)?;
        if access.is_store() {
            self.note_write(Some(surface));
            let data = self.part(data, bytes)?;
            return self.send_block(ExecSize::S8, message, VReg::NULL, &[header, data], Some(surface));
        }
        // As many channels as a register has dwords, in Intel's code too (a write has 8 everywhere).
        let exec = self.register_lanes();
        // The response is whole registers: what a smaller block does not hold must stay.
        if bytes < self.grf() {
            let to = self.raw(data)?;
            let staged = self.payload(1);
            self.send_block(exec, Message { response: 1, ..message }, staged, &[header], Some(surface))?;
            if !to.is_null() {
                self.copy_bytes(to, staged, bytes);
            }
            return Ok(());
        }
        self.block_load(exec, message, header, data, bytes, Some(surface))
    }
}

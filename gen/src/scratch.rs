//! The header of messages to a thread's scratch memory, where that is not `r0`.
//!
//! | dword | scratch blocks | scratch surface |
//! |---|---|---|
//! | 0 | as in `r0` | the address of the next message |
//! | 5 | as in `r0`, but bits 31:10 advanced to the frame | the frame's first byte |
//! | 6 | as in `r0` | what names the surface's state, [`SURFACE_SHIFT`] bits further up than an extended descriptor has it |
//!
//! Up to Gen12, bits 31:10 of `r0.5` are the address of the thread's scratch memory in units of 1 kB, and messages
//! count from what their header has there (Intel PRM Skylake volume 2d, "MSD_SCRATCH"). Later they name the state
//! of a surface: nothing may be added to them, and messages beyond the reach of scratch blocks, or relative to a
//! frame, have the surface as extended descriptor and 32-bit addresses in it (Intel's finalizer,
//! `initScratchSurfaceOffset`, `saveRestoreA0`).

use messages::thread::Identity;
use platforms::Platform;
use smallvec::{SmallVec, smallvec};

use crate::{Dst, ExecSize, GrfNum, Inst, Op, Reg, Region, Src, Type, VarId, Virtual};

/// Bytes that the scratch base of scratch blocks counts in.
pub const BASE_UNIT: u32 = 1024;
/// The byte of a header, and of `r0`, that the base is at.
pub const BASE_BYTE: u32 = 4 * Identity::DWORD;
/// The byte of a header that the surface is at.
pub const SURFACE_BYTE: u32 = 24;
/// Bits of `r0.5` that name the surface's state.
pub const SURFACE_STATE: u32 = Identity::SCRATCH_MASK;
/// How far down those go in an extended descriptor.
pub const SURFACE_SHIFT: u16 = 4;

/// Code that makes a header in `header` whose frame starts `base` bytes behind the thread's scratch memory: a
/// multiple of [`BASE_UNIT`].
pub fn header(platform: Platform, header: VarId, base: u32) -> SmallVec<[Inst<Virtual>; 3]> {
    let scalar = |op, to: u32, first, second| Inst {
        no_mask: true,
        dst: Dst::packed(Reg::var_at(header, to), Type::Ud),
        src: [first, second, Src::None],
        origin: Inst::<Virtual>::NO_ORIGIN,
        ..Inst::new(op, ExecSize::S1)
    };
    let caps = platform.caps();
    if caps.memory.scratch_surface {
        let named = Src::scalar(Reg::grf(GrfNum::R0, BASE_BYTE), Type::Ud);
        return smallvec![
            scalar(Op::And, SURFACE_BYTE, named, Src::ud(SURFACE_STATE)),
            scalar(Op::Mov, BASE_BYTE, Src::ud(base), Src::None),
        ];
    }
    // All dwords of the register.
    let lanes = ExecSize::from_lanes(u32::from(caps.regs.grf_bytes) / 4).unwrap_or(ExecSize::S8);
    let mut code = smallvec![Inst {
        no_mask: true,
        dst: Dst::packed(Reg::var_at(header, 0), Type::Ud),
        src: [Src::new(Reg::grf(GrfNum::R0, 0), Region::PACKED, Type::Ud), Src::None, Src::None],
        origin: Inst::<Virtual>::NO_ORIGIN,
        ..Inst::new(Op::Mov, lanes)
    }];
    if base != 0 {
        code.push(scalar(
            Op::Add,
            BASE_BYTE,
            Src::scalar(Reg::var_at(header, BASE_BYTE), Type::Ud),
            Src::ud(base),
        ));
    }
    code
}

//! Commands of the 3D and GPGPU pipeline, and the blitter's copies.

use super::{AddressSpace, Context, Machine, address, bits};
use crate::{Error, walker};
use narrow::{low_u8, low_u32, to_usize};

/// The upper halves of commands' first dwords (PRM volume 2, "Command Reference: Instructions").
mod opcode {
    pub const STATE_BASE_ADDRESS: u32 = 0x6101;
    pub const MEDIA_VFE_STATE: u32 = 0x7000;
    pub const MEDIA_INTERFACE_DESCRIPTOR_LOAD: u32 = 0x7002;
    pub const GPGPU_WALKER: u32 = 0x7105;
    pub const CFE_STATE: u32 = 0x7200;
    /// The two lowest bits are flags.
    pub const COMPUTE_WALKER: u32 = 0x7208;
    pub const COMPUTE_WALKER_LAST: u32 = 0x720b;
    pub const PIPE_CONTROL: u32 = 0x7a00;
}

/// Opcodes of the blitter.
mod blitter {
    pub const MEM_COPY: u32 = 0x5a;
    pub const MEM_SET: u32 = 0x5b;
}

/// Dwords that a command has at least, of which fields are read here.
const fn least_dwords(op: u32) -> usize {
    match op {
        opcode::STATE_BASE_ADDRESS => 12,
        opcode::MEDIA_VFE_STATE | opcode::MEDIA_INTERFACE_DESCRIPTOR_LOAD => 4,
        opcode::CFE_STATE => 2,
        opcode::GPGPU_WALKER => 15,
        opcode::COMPUTE_WALKER..=opcode::COMPUTE_WALKER_LAST => 39,
        opcode::PIPE_CONTROL => 6,
        _ => 1,
    }
}

impl Context {
    pub(super) fn pipeline(&mut self, machine: &mut Machine<'_>, at: u64, c: &[u32]) -> Result<(), Error> {
        let op = c[0] >> 16;
        let need = least_dwords(op);
        if c.len() < need {
            return Err(Error::command(at, format!("{op:#x}: {} dwords, allowed: {need}", c.len())));
        }
        match op {
            // A base counts where its bit 0 is set.
            opcode::STATE_BASE_ADDRESS => {
                let b = &mut self.state.bases;
                let all = [
                    (&mut b.general, 1),
                    (&mut b.surface, 4),
                    (&mut b.dynamic, 6),
                    (&mut b.indirect, 8),
                    (&mut b.instruction, 10),
                ];
                for (base, k) in all.into_iter().filter(|(_, k)| c[*k] & 1 != 0) {
                    *base = address(c, k, 0x1000);
                }
            }
            opcode::MEDIA_VFE_STATE => {
                let has_scratch = c[1] & !0x3ff != 0 || c[2] & 0xffff != 0;
                self.state.scratch = if has_scratch { 1024 << bits(c[1], 0, 3).min(11) } else { 0 };
            }
            opcode::CFE_STATE => self.state.scratch_surface = u64::from(bits(c[1], 10, 31)) * 64,
            opcode::MEDIA_INTERFACE_DESCRIPTOR_LOAD => self.state.descriptors = c[3] & !63,
            opcode::GPGPU_WALKER => walker::gpgpu(machine, self.space, &self.state, at, c)?,
            opcode::COMPUTE_WALKER..=opcode::COMPUTE_WALKER_LAST => {
                walker::compute(machine, self.space, &self.state, at, c)?;
                self.signal(machine, c)?;
            }
            opcode::PIPE_CONTROL => self.pipe_control(machine, c)?,
            _ => {}
        }
        Ok(())
    }

    /// PIPE_CONTROL: perhaps writes a value or the time when all before is done, which it is.
    fn pipe_control(&mut self, machine: &mut Machine<'_>, c: &[u32]) -> Result<(), Error> {
        let (to, space) = (address(c, 2, 4), AddressSpace::global_if(c[1] & 1 << 24 != 0));
        match bits(c[1], 14, 15) {
            1 => {
                let data = u64::from(c[5]) << 32 | u64::from(c[4]);
                self.say_done(machine, space, to, &data.to_le_bytes())
            }
            3 => {
                let now = machine.registers.clock();
                self.store(machine, space, to, &now.to_le_bytes())
            }
            _ => Ok(()),
        }
    }

    /// What COMPUTE_WALKER writes at its end: a value, or when it started and ended by two clocks.
    fn signal(&self, machine: &mut Machine<'_>, c: &[u32]) -> Result<(), Error> {
        let to = address(c, 27, 4);
        match c[26] & 3 {
            1 => {
                let data = u64::from(c[30]) << 32 | u64::from(c[29]);
                self.store(machine, AddressSpace::Process, to, &data.to_le_bytes())
            }
            3 => {
                let end = low_u32(machine.registers.clock());
                let times = [end.wrapping_sub(1), end.wrapping_sub(1), end, end];
                let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
                self.store(machine, AddressSpace::Process, to, &bytes)
            }
            _ => Ok(()),
        }
    }

    /// The blitter's linear copies and fills (MEM_COPY, MEM_SET of Xe-HPC).
    pub(super) fn blit(&mut self, machine: &mut Machine<'_>, at: u64, c: &[u32]) -> Result<(), Error> {
        let op = bits(c[0], 22, 28);
        match (op, c.len()) {
            (blitter::MEM_COPY, 10..) | (blitter::MEM_SET, 7..) => {}
            (blitter::MEM_COPY | blitter::MEM_SET, n) => {
                return Err(Error::command(at, format!("blitter {op:#x} of {n} dwords")));
            }
            // Others are copies of images, which no driver here makes without local memory.
            _ => return Err(Error::command(at, format!("blitter command {op:#x} is not modelled"))),
        }
        let (width, height) = (u64::from(bits(c[1], 0, 23)) + 1, u64::from(bits(c[2], 0, 17)) + 1);
        let matrix = c[0] & 1 << 17 != 0;
        let rows = if matrix { height } else { 1 };
        for row in 0..rows {
            if op == blitter::MEM_SET {
                let to = address(c, 4, 1).wrapping_add(row * (u64::from(bits(c[3], 0, 17)) + 1));
                self.store(machine, AddressSpace::Process, to, &vec![low_u8(c[6] >> 24); to_usize(width)])?;
                continue;
            }
            let pitch = |k: usize| row * (u64::from(bits(c[k], 0, 17)) + 1);
            let (from, to) =
                (address(c, 5, 1).wrapping_add(pitch(3)), address(c, 7, 1).wrapping_add(pitch(4)));
            let data = self.space.bytes(machine.world, from, to_usize(width))?;
            self.store(machine, AddressSpace::Process, to, &data)?;
        }
        Ok(())
    }
}

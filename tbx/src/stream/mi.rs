//! Commands of the streamer itself (MI_*).

use super::{AddressSpace, Context, Flow, Machine, address, bits};
use crate::Error;
use narrow::{low_i32, low_i64, low_u32, low_u64};

/// Opcodes (PRM volume 2, "Memory interface commands").
mod opcode {
    pub const BATCH_BUFFER_END: u32 = 0x0a;
    pub const MATH: u32 = 0x1a;
    pub const SEMAPHORE_WAIT: u32 = 0x1c;
    pub const STORE_DATA_IMM: u32 = 0x20;
    pub const LOAD_REGISTER_IMM: u32 = 0x22;
    pub const STORE_REGISTER_MEM: u32 = 0x24;
    pub const FLUSH_DW: u32 = 0x26;
    pub const LOAD_REGISTER_MEM: u32 = 0x29;
    pub const LOAD_REGISTER_REG: u32 = 0x2a;
    pub const COPY_MEM_MEM: u32 = 0x2e;
    pub const ATOMIC: u32 = 0x2f;
    pub const BATCH_BUFFER_START: u32 = 0x31;
    pub const CONDITIONAL_BATCH_BUFFER_END: u32 = 0x36;
}

/// Bit 22: the address is global, or for a batch that this one goes on behind it.
const GLOBAL: u32 = 1 << 22;
/// The first general register, from an engine's.
const GENERAL: u32 = 0x600;

/// Bit 21 of MI_STORE_DATA_IMM: the data are a qword.
const STORE_QWORD: u32 = 1 << 21;
/// Bit 17: registers of the render engine mean those of the engine that runs the command ("MMIO Remap Enable").
const REMAP: u32 = 1 << 17;
/// Bit 19: the number is one from the engine's first register on ("Add CS MMIO Start Offset").
const ADD_ENGINE: u32 = 1 << 19;

/// Dwords that a command has at least, of which fields are read here.
const fn least_dwords(op: u32) -> usize {
    match op {
        opcode::BATCH_BUFFER_START | opcode::LOAD_REGISTER_REG | opcode::ATOMIC | opcode::FLUSH_DW => 3,
        opcode::SEMAPHORE_WAIT
        | opcode::STORE_DATA_IMM
        | opcode::STORE_REGISTER_MEM
        | opcode::LOAD_REGISTER_MEM
        | opcode::CONDITIONAL_BATCH_BUFFER_END => 4,
        opcode::COPY_MEM_MEM => 5,
        _ => 1,
    }
}

impl Context {
    pub(super) fn mi(&mut self, machine: &mut Machine<'_>, at: u64, c: &[u32]) -> Result<Flow, Error> {
        let op = bits(c[0], 23, 28);
        let need = least_dwords(op);
        if c.len() < need {
            return Err(Error::command(at, format!("MI {op:#x}: {} dwords, allowed: {need}", c.len())));
        }
        match op {
            opcode::BATCH_BUFFER_END
            | opcode::BATCH_BUFFER_START
            | opcode::CONDITIONAL_BATCH_BUFFER_END
            | opcode::SEMAPHORE_WAIT => return self.flow(machine, op, c),
            opcode::LOAD_REGISTER_IMM
            | opcode::STORE_REGISTER_MEM
            | opcode::LOAD_REGISTER_MEM
            | opcode::LOAD_REGISTER_REG => self.move_register(machine, op, c)?,
            opcode::STORE_DATA_IMM | opcode::COPY_MEM_MEM => self.store_data(machine, op, c)?,
            opcode::FLUSH_DW => self.flush(machine, c)?,
            opcode::ATOMIC => self.atomic(machine, at, c)?,
            opcode::MATH => self.math(machine, at, &c[1..])?,
            _ => {}
        }
        Ok(Flow::Next)
    }

    /// What follows a command that may end or leave its batch, or wait.
    fn flow(&self, machine: &Machine<'_>, op: u32, c: &[u32]) -> Result<Flow, Error> {
        let found = |at: u64| Ok::<_, Error>(low_u32(self.space.number(machine.world, at, 4)?));
        Ok(match op {
            opcode::BATCH_BUFFER_START => {
                let returns = self.batches.is_empty() || c[0] & GLOBAL != 0;
                Flow::Batch { address: address(c, 1, 4), returns }
            }
            opcode::CONDITIONAL_BATCH_BUFFER_END if found(address(c, 2, 8))? > c[1] => Flow::Next,
            opcode::SEMAPHORE_WAIT => match holds(bits(c[0], 12, 14), found(address(c, 2, 4))?, c[1]) {
                true => Flow::Next,
                false => Flow::Wait,
            },
            _ => Flow::End,
        })
    }

    /// Between registers and memory, or constants.
    fn move_register(&self, machine: &mut Machine<'_>, op: u32, c: &[u32]) -> Result<(), Error> {
        match op {
            opcode::LOAD_REGISTER_IMM => {
                for pair in c[1..].as_chunks::<2>().0 {
                    machine.registers.set(self.register(c[0], pair[0]), pair[1]);
                }
            }
            opcode::STORE_REGISTER_MEM => {
                let value = machine.registers.get(self.register(c[0], c[1]));
                let space = AddressSpace::global_if(c[0] & GLOBAL != 0);
                self.store(machine, space, address(c, 2, 4), &value.to_le_bytes())?;
            }
            opcode::LOAD_REGISTER_MEM => {
                let value = low_u32(self.space.number(machine.world, address(c, 2, 4), 4)?);
                machine.registers.set(self.register(c[0], c[1]), value);
            }
            _ => {
                let value = machine.registers.get(c[1] & 0x7f_fffc);
                machine.registers.set(c[2] & 0x7f_fffc, value);
            }
        }
        Ok(())
    }

    /// MI_STORE_DATA_IMM and MI_COPY_MEM_MEM.
    fn store_data(&self, machine: &mut Machine<'_>, op: u32, c: &[u32]) -> Result<(), Error> {
        let mut data = match op {
            opcode::STORE_DATA_IMM => c[3].to_le_bytes().to_vec(),
            _ => low_u32(self.space.number(machine.world, address(c, 3, 4), 4)?).to_le_bytes().to_vec(),
        };
        if op == opcode::STORE_DATA_IMM && c[0] & STORE_QWORD != 0 {
            data.extend(c.get(4).copied().unwrap_or(0).to_le_bytes());
        }
        self.store(machine, AddressSpace::global_if(c[0] & GLOBAL != 0), address(c, 1, 4), &data)
    }

    /// A register by its number, of this engine if the command's first dword says so.
    fn register(&self, first: u32, number: u32) -> u32 {
        let number = number & 0x7f_fffc;
        match number {
            _ if first & (REMAP | ADD_ENGINE) != 0 && number < 0x1000 => self.engine + number,
            0x2000..0x3000 if first & REMAP != 0 => self.engine + (number - 0x2000),
            _ => number,
        }
    }

    /// MI_FLUSH_DW: perhaps writes a value or the time when all before is done, which it is.
    fn flush(&mut self, machine: &mut Machine<'_>, c: &[u32]) -> Result<(), Error> {
        let (to, space) = (address(c, 1, 8), AddressSpace::global_if(c[1] & 4 != 0));
        let value = |i: usize| c.get(i).copied().unwrap_or(0);
        match bits(c[0], 14, 15) {
            1 => {
                let data = u64::from(value(4)) << 32 | u64::from(value(3));
                let bytes = if c.len() >= 5 { 8 } else { 4 };
                self.say_done(machine, space, to, &data.to_le_bytes()[..bytes])
            }
            3 => {
                let now = machine.registers.clock();
                self.store(machine, space, to, &now.to_le_bytes())
            }
            _ => Ok(()),
        }
    }

    /// MI_ATOMIC on 4 or 8 bytes ("Atomics": the codes are those of the data port).
    fn atomic(&self, machine: &mut Machine<'_>, at: u64, c: &[u32]) -> Result<(), Error> {
        let bytes = match bits(c[0], 19, 20) {
            0 => 4,
            1 => 8,
            other => return Err(Error::command(at, format!("MI_ATOMIC of size {other}"))),
        };
        let operand = |k: usize| {
            // Inline data: operand 1 and 2 by turns, the low dwords first.
            let low = c.get(3 + k).copied().unwrap_or(0);
            let high = c.get(5 + k).copied().unwrap_or(0);
            u64::from(low) | if bytes == 8 { u64::from(high) << 32 } else { 0 }
        };
        let (to, mask) = (address(c, 1, 4), if bytes == 8 { u64::MAX } else { u32::MAX.into() });
        let old = self.space.number(machine.world, to, bytes)?;
        let (a, b) = (operand(0), operand(1));
        let signed = |v: u64| if bytes == 8 { low_i64(v) } else { i64::from(low_i32(v)) };
        let new = match bits(c[0], 8, 12) {
            0x1 => old & a,
            0x2 => old | a,
            0x3 => old ^ a,
            0x4 => a,
            0x5 => old.wrapping_add(1),
            0x6 => old.wrapping_sub(1),
            0x7 => old.wrapping_add(a),
            0x8 => old.wrapping_sub(a),
            0x9 => a.wrapping_sub(old),
            0xa => low_u64(signed(old).max(signed(a))),
            0xb => low_u64(signed(old).min(signed(a))),
            0xc => old.max(a),
            0xd => old.min(a),
            0xe if old == a => b,
            0xe => old,
            other => return Err(Error::command(at, format!("MI_ATOMIC {other:#x}"))),
        };
        let space = AddressSpace::global_if(c[0] & GLOBAL != 0);
        self.store(machine, space, to, &(new & mask).to_le_bytes()[..bytes])
    }

    /// MI_MATH: a little machine over general registers ("Command Streamer ALU").
    fn math(&self, machine: &mut Machine<'_>, at: u64, program: &[u32]) -> Result<(), Error> {
        let general = |r: u32| self.engine + GENERAL + 8 * r;
        let (mut a, mut b, mut sum, mut carry, mut zero) = (0u64, 0u64, 0u64, false, false);
        for &word in program {
            let (op, to, from) = (word >> 20, bits(word, 10, 19), bits(word, 0, 9));
            let all = |yes: bool| if yes { u64::MAX } else { 0 };
            let load = |machine: &Machine<'_>| {
                let half = |offset| u64::from(machine.registers.get(general(from & 15) + offset));
                half(4) << 32 | half(0)
            };
            match op {
                0x000 => {}
                // LOAD, LOADINV, LOAD0, LOAD1
                0x080 | 0x480 | 0x081 | 0x481 => {
                    let value = match op {
                        0x080 => load(machine),
                        0x480 => !load(machine),
                        other => all(other == 0x481),
                    };
                    *(if to == 0x20 { &mut a } else { &mut b }) = value;
                }
                // ADD, SUB, AND, OR, XOR
                0x100..=0x104 => {
                    (sum, carry) = match op {
                        0x100 => a.overflowing_add(b),
                        0x101 => a.overflowing_sub(b),
                        0x102 => (a & b, false),
                        0x103 => (a | b, false),
                        _ => (a ^ b, false),
                    };
                    zero = sum == 0;
                }
                // STORE, STOREINV
                0x180 | 0x580 => {
                    let value = match from {
                        0x31 => sum,
                        0x32 => all(zero),
                        0x33 => all(carry),
                        other => return Err(Error::command(at, format!("MI_MATH stores {other:#x}"))),
                    };
                    let value = if op == 0x580 { !value } else { value };
                    machine.registers.set(general(to & 15), low_u32(value));
                    machine.registers.set(general(to & 15) + 4, low_u32(value >> 32));
                }
                other => return Err(Error::command(at, format!("MI_MATH {other:#x}"))),
            }
        }
        Ok(())
    }
}

/// MI_SEMAPHORE_WAIT's comparison of what is in memory with what the command says.
fn holds(compare: u32, found: u32, wanted: u32) -> bool {
    match compare {
        0 => found > wanted,
        1 => found >= wanted,
        2 => found < wanted,
        3 => found <= wanted,
        4 => found == wanted,
        _ => found != wanted,
    }
}

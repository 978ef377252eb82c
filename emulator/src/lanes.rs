//! Operands of instructions, moved between registers and lanes.

use crate::{
    program::{Dest, DestPlace, Operand, Shape, Source},
    thread::{LANES, Thread, Trap, mask},
};
use gen_ir::Type;
use narrow::{as_index, low_i8, low_u8, low_u16, low_u32, to_index};

/// Where the lanes of a destination are in the file. Most lie at a stride, and are not written down.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    None,
    Direct { at: u32, stride: u32 },
    Indirect(Box<[u32; LANES]>),
}

impl Places {
    /// The first byte of a lane.
    pub(crate) fn of(&self, lane: usize) -> Option<u32> {
        match self {
            Places::None => None,
            Places::Direct { at, stride } => Some(at + to_index(lane) * stride),
            Places::Indirect(lanes) => Some(lanes[lane]),
        }
    }
}

impl Thread {
    /// First byte of each lane of an indirect source; lanes out of the register file are an error when
    /// they are enabled and read register 0 when not, or when no channel of the thread is on: such a thread computes with
    /// whatever there is (where a loop looks for the next channel it finds none), and only what it writes is guarded.
    #[allow(clippy::too_many_arguments)] // The fields of an indirect operand, and its lanes.
    fn indirect(
        &self,
        addr: u32,
        imm: i32,
        shape: Shape,
        per_row: u32,
        ty: Type,
        n: usize,
        on: u32,
    ) -> Result<[u32; LANES], Trap> {
        let mut out = [0; LANES];
        for (i, o) in out[..n].iter_mut().enumerate() {
            let i = to_index(i);
            let (row, within) = match i.checked_div(per_row) {
                None => (0, offset(shape, i)),
                Some(row) => (row, offset(shape, i % per_row)),
            };
            let base = i64::from(self.u16_at(addr + 2 * row)) + i64::from(imm) + i64::from(within);
            if base >= 0 && base + i64::from(ty.bytes()) <= i64::from(self.grf_end) {
                *o = low_u32(base);
            } else if on >> i & 1 != 0 && !self.is_off() {
                return Err(format!("channel {i} reads registers through address {base:#x}").into());
            }
        }
        Ok(out)
    }

    /// File offset of every lane of a source, for what works byte by byte.
    pub(crate) fn lane_offsets(&self, s: &Source, n: usize, on: u32) -> Result<Option<[u32; LANES]>, Trap> {
        match s.what {
            Operand::Direct { at, shape } => {
                Ok(Some(std::array::from_fn(|i| at + offset(shape, to_index(i)))))
            }
            Operand::Indirect { addr, imm, shape, per_row } => {
                self.indirect(addr, imm, shape, per_row, s.ty, n, on).map(Some)
            }
            _ => Ok(None),
        }
    }

    #[inline(always)]
    fn lanes_of<const B: usize, T: Copy>(
        &self,
        s: &Source,
        n: usize,
        on: u32,
        out: &mut [T; LANES],
        value: impl Fn([u8; B]) -> T,
    ) -> Result<(), Trap> {
        let at_byte = |at: usize| -> [u8; B] {
            let mut b = [0; B];
            b.copy_from_slice(&self.rf[at..at + B]);
            b
        };
        match s.what {
            Operand::Direct { at, shape } => {
                let at = as_index(at);
                match shape {
                    Shape::Scalar => out[..n].fill(value(at_byte(at))),
                    Shape::Linear(stride) if as_index(stride) == B => {
                        let bytes = &self.rf[at..at + n * B];
                        for (o, c) in out.iter_mut().zip(bytes.as_chunks::<B>().0) {
                            *o = value(*c);
                        }
                    }
                    Shape::Linear(stride) => {
                        for (i, o) in out[..n].iter_mut().enumerate() {
                            *o = value(at_byte(at + i * as_index(stride)));
                        }
                    }
                    Shape::Rows { .. } => {
                        for (i, o) in out[..n].iter_mut().enumerate() {
                            *o = value(at_byte(at + as_index(offset(shape, to_index(i)))));
                        }
                    }
                }
            }
            Operand::Indirect { addr, imm, shape, per_row } => {
                let places = self.indirect(addr, imm, shape, per_row, s.ty, n, on)?;
                for (o, at) in out[..n].iter_mut().zip(places) {
                    *o = value(at_byte(as_index(at)));
                }
            }
            Operand::Imm(bits) => {
                let mut b = [0; B];
                b.copy_from_slice(&bits.to_le_bytes()[..B]);
                out[..n].fill(value(b));
            }
            Operand::Vector(v) => {
                for (i, o) in out[..n].iter_mut().enumerate() {
                    let mut b = [0; B];
                    let bytes = i64::from(v[i % 8]).to_le_bytes();
                    b.copy_from_slice(&bytes[..B]);
                    *o = value(b);
                }
            }
            Operand::VectorF(v) => {
                for (i, o) in out[..n].iter_mut().enumerate() {
                    let mut b = [0; B];
                    let bytes = u64::from(v[i % 4].to_bits()).to_le_bytes();
                    b.copy_from_slice(&bytes[..B]);
                    *o = value(b);
                }
            }
            Operand::None => out[..n].fill(value([0; B])),
        }
        Ok(())
    }

    /// The bits of every lane, zero-extended.
    pub(crate) fn raw(&self, s: &Source, n: usize, on: u32, out: &mut [u64; LANES]) -> Result<(), Trap> {
        match s.ty.bytes() {
            1 => self.lanes_of(s, n, on, out, |[b]| u64::from(b)),
            2 => self.lanes_of(s, n, on, out, |b| u64::from(u16::from_le_bytes(b))),
            4 => self.lanes_of(s, n, on, out, |b| u64::from(u32::from_le_bytes(b))),
            _ => self.lanes_of(s, n, on, out, u64::from_le_bytes),
        }
    }

    /// Integer lanes, extended by their type; source modifiers are not applied.
    pub(crate) fn ints(&self, s: &Source, n: usize, on: u32, out: &mut [i64; LANES]) -> Result<(), Trap> {
        match s.ty {
            Type::Ub => self.lanes_of(s, n, on, out, |[b]| i64::from(b)),
            Type::B => self.lanes_of(s, n, on, out, |[b]| i64::from(low_i8(b))),
            Type::Uw | Type::Hf | Type::Bf => self.lanes_of(s, n, on, out, |b| u16::from_le_bytes(b).into()),
            Type::W => self.lanes_of(s, n, on, out, |b| i16::from_le_bytes(b).into()),
            Type::Ud | Type::F => self.lanes_of(s, n, on, out, |b| u32::from_le_bytes(b).into()),
            Type::D => self.lanes_of(s, n, on, out, |b| i32::from_le_bytes(b).into()),
            _ if s.ty.bytes() == 8 => self.lanes_of(s, n, on, out, i64::from_le_bytes),
            _ if s.ty.bytes() == 4 => self.lanes_of(s, n, on, out, |b| u32::from_le_bytes(b).into()),
            _ if s.ty.bytes() == 2 => self.lanes_of(s, n, on, out, |b| u16::from_le_bytes(b).into()),
            _ => self.lanes_of(s, n, on, out, |[b]| i64::from(b)),
        }
    }

    /// File offset of every destination lane.
    pub(crate) fn dest_lanes(&self, d: &Dest, n: usize, on: u32) -> Result<Places, Trap> {
        match d.what {
            DestPlace::None | DestPlace::Null => Ok(Places::None),
            DestPlace::Direct(at) => Ok(Places::Direct { at, stride: d.stride }),
            DestPlace::Indirect { addr, imm } => {
                let shape = Shape::Linear(d.stride);
                let lanes = self.indirect(addr, imm, shape, 0, d.ty, n, on)?;
                Ok(Places::Indirect(Box::new(lanes)))
            }
        }
    }

    /// Stores the low bytes of each lane in `on`.
    pub(crate) fn put(&mut self, d: &Dest, n: usize, on: u32, v: &[u64; LANES]) -> Result<(), Trap> {
        match d.ty.bytes() {
            1 => self.put_lanes(d, n, on, v, |x| [low_u8(x)]),
            2 => self.put_lanes(d, n, on, v, |x| low_u16(x).to_le_bytes()),
            4 => self.put_lanes(d, n, on, v, |x| low_u32(x).to_le_bytes()),
            _ => self.put_lanes(d, n, on, v, |x| x.to_le_bytes()),
        }
    }

    #[inline(always)]
    fn put_lanes<const B: usize>(
        &mut self,
        d: &Dest,
        n: usize,
        on: u32,
        v: &[u64; LANES],
        bytes: impl Fn(u64) -> [u8; B],
    ) -> Result<(), Trap> {
        if let DestPlace::Direct(at) = d.what {
            let (at, stride) = (as_index(at), as_index(d.stride));
            if stride == B && on == mask(to_index(n)) {
                let out = &mut self.rf[at..at + n * B];
                for (o, x) in out.as_chunks_mut::<B>().0.iter_mut().zip(v) {
                    *o = bytes(*x);
                }
            } else {
                let mut left = on;
                while left != 0 {
                    let i = as_index(left.trailing_zeros());
                    left &= left - 1;
                    let to = at + i * stride;
                    self.rf[to..to + B].copy_from_slice(&bytes(v[i]));
                }
            }
            return Ok(());
        }
        let DestPlace::Indirect { addr, imm } = d.what else { return Ok(()) };
        let places = self.indirect(addr, imm, Shape::Linear(d.stride), 0, d.ty, n, on)?;
        for i in 0..n {
            if on >> i & 1 != 0 {
                let to = as_index(places[i]);
                self.rf[to..to + B].copy_from_slice(&bytes(v[i]));
            }
        }
        Ok(())
    }
}

/// Byte offset of a channel's element.
pub(crate) const fn offset(shape: Shape, i: u32) -> u32 {
    match shape {
        Shape::Scalar => 0,
        Shape::Linear(s) => i * s,
        Shape::Rows { vert, width, horz } => i / width * vert + i % width * horz,
    }
}

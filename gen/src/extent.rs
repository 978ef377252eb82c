//! Which bytes an operand touches.
//!
//! Liveness, allocation, scheduling and the scoreboard all ask the same question; this is its one
//! answer. Ranges count from the start of the operand's base (register or variable), so two operands
//! with the same base overlap exactly when their ranges do.

use crate::{AddrSub, Dst, GrfNum, Inst, MathFn, Op, Outside, Payload, Region, Role, Space, Src, Type};

/// A half-open range of bytes from the start of a base.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Extent {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Extent {
    /// `len` bytes from `start` on.
    pub const fn new(start: u32, len: u32) -> Extent {
        Extent { start, end: start + len }
    }

    /// Number of bytes.
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// True for no bytes.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The same bytes of an operand that starts in general register `first`, counted from `r0.0`.
    pub fn in_file(self, first: GrfNum, grf_bytes: u32) -> Extent {
        let start = first.start(grf_bytes).bytes();
        Extent { start: start + self.start, end: start + self.end }
    }

    /// Whether it lies in more than one register. It is not empty.
    pub const fn crosses_registers(self, grf_bytes: u32) -> bool {
        self.start / grf_bytes != (self.end - 1) / grf_bytes
    }

    /// Whether a byte is in both.
    pub const fn overlaps(self, other: Extent) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether every byte of `other` is in this one.
    pub const fn contains(self, other: Extent) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// How many of `lanes` elements that begin at byte `start`, `step` bytes apart, begin below byte `limit`.
pub const fn elements_below(start: u32, step: u32, lanes: u32, limit: u32) -> u32 {
    if start >= limit {
        return 0;
    }
    if step == 0 {
        return lanes;
    }
    let below = (limit - start).div_ceil(step);
    if below < lanes { below } else { lanes }
}

/// Bytes from an element's start to the end of the last element that a direct region reaches.
#[inline]
pub fn region_span(region: Region, ty: Type, lanes: u32) -> u32 {
    let last = if lanes == 1 || region.is_scalar() {
        0
    } else if region.is_packed() {
        lanes - 1
    } else if let Some(stride) = region.ternary_stride() {
        (lanes - 1) * stride
    } else if !region.is_complete() {
        (0..lanes).map(|l| region.element(l)).max().unwrap_or(0)
    } else {
        // Strides are not negative: the last row's first element and the row's last one bound it.
        let width = u32::from(region.width).clamp(1, lanes);
        let rows = lanes.div_ceil(width);
        (rows - 1) * u32::from(region.vert) + (width - 1) * u32::from(region.horz)
    };
    (last + 1) * ty.bytes()
}

impl<S: Space> Inst<S> {
    /// Bytes a register operand touches, if `role` names a register of a direct operand. Indirect
    /// operands give the bytes of the address register, not of what it points to.
    #[inline]
    pub fn extent(&self, role: Role, grf_bytes: u32) -> Option<Extent> {
        match role {
            Role::Dst => self.dst_extent(grf_bytes),
            Role::Src(i) => self.src_extent(usize::from(i), grf_bytes),
            Role::SrcAddr(i) => self.addresses_extent(usize::from(i)),
            Role::DstAddr => match self.dst {
                Dst::Indirect { addr, .. } => Some(Extent::new(addr.byte, AddrSub::BYTES)),
                _ => None,
            },
            Role::AddrOf(_) => None,
            Role::Desc | Role::ExDesc => {
                let send = self.send()?;
                let reg = if role == Role::Desc { send.desc.reg() } else { send.ex_desc.reg() };
                reg.map(|reg| Extent::new(reg.byte, 4))
            }
            Role::Pred => self.pred.map(|p| self.flag_extent(p.flag.byte)),
            Role::Cond => self.cond.map(|c| self.flag_extent(c.flag.byte)),
        }
    }

    /// Bytes of the addresses of an indirect source.
    fn addresses_extent(&self, i: usize) -> Option<Extent> {
        let Src::Indirect { addr, region, .. } = self.src[i] else { return None };
        let rows = match (region.vert, region.width) {
            (Region::VXH, w) => self.exec.lanes().div_ceil(u32::from(w.max(1))),
            _ => 1,
        };
        Some(Extent::new(addr.byte, rows * AddrSub::BYTES))
    }

    /// Bytes the destination writes at most (under a full mask), for a direct destination.
    #[inline]
    pub fn dst_extent(&self, grf_bytes: u32) -> Option<Extent> {
        // Most instructions: this much becomes a part of the caller.
        if let (&Dst::Direct { reg, horz, ty }, Payload::None) = (&self.dst, &self.payload) {
            return Some(Extent::new(reg.byte, self.strided_len(horz.into(), ty)));
        }
        self.odd_dst_extent(grf_bytes)
    }

    /// Bytes from the first to the last channel's element.
    fn strided_len(&self, horz: u32, ty: Type) -> u32 {
        ((self.exec.lanes() - 1) * horz + 1) * ty.bytes()
    }

    #[inline(never)]
    fn odd_dst_extent(&self, grf_bytes: u32) -> Option<Extent> {
        let (reg, horz, ty) = match self.dst {
            Dst::Direct { reg, horz, ty } => (reg, u32::from(horz), ty),
            Dst::Macro { reg, ty, .. } => (reg, 1, ty),
            _ => return None,
        };
        let lanes = self.exec.lanes();
        let len = match &self.payload {
            Payload::Send(s) => u32::from(s.dst_len) * grf_bytes,
            Payload::Dpas { repeat, .. } => u32::from(*repeat) * lanes * ty.bytes(),
            Payload::Math(MathFn::Idivmod) => (lanes * 4).max(grf_bytes) + lanes * 4,
            Payload::Outside(Outside::Touch { written, .. } | Outside::StartOfLife { written }) => {
                u32::from(*written)
            }
            // The return address: an instruction pointer and the caller's mask.
            Payload::Branch { .. } | Payload::Outside(Outside::Call | Outside::Callee(_)) => 8,
            _ => self.strided_len(horz, ty),
        };
        Some(Extent::new(reg.byte, len))
    }

    /// Bytes source `i` reads at most, for a direct source.
    #[inline]
    pub fn src_extent(&self, i: usize, grf_bytes: u32) -> Option<Extent> {
        let (reg, region, ty) = match self.src[i] {
            Src::Direct { reg, region, ty, .. } => (reg, region, ty),
            Src::Macro { reg, ty, .. } => (reg, Region::PACKED, ty),
            _ => return None,
        };
        let len = match (&self.payload, self.op) {
            // Plane coefficients are four floats; pln reads two values a channel.
            (_, Op::Line | Op::Pln) if i == 0 => 16,
            (_, Op::Pln) if i == 1 => self.exec.lanes() * 2 * ty.bytes(),
            (Payload::None | Payload::Math(_), _) => region_span(region, ty, self.exec.lanes()),
            _ => self.family_src_len(i, region, ty, grf_bytes),
        };
        Some(Extent::new(reg.byte, len))
    }

    /// How many bytes source `i` of a family with fields of its own reads.
    fn family_src_len(&self, i: usize, region: Region, ty: Type, grf_bytes: u32) -> u32 {
        let lanes = self.exec.lanes();
        match (&self.payload, self.op, i) {
            (Payload::Send(s), _, 0) => u32::from(s.src0_len) * grf_bytes,
            (Payload::Send(s), _, 1) => u32::from(s.src1_len) * grf_bytes,
            (Payload::Dpas { depth, repeat }, _, _) => {
                let (depth, repeat) = (u32::from(*depth), u32::from(*repeat));
                // Bits of what a stage takes of a source: of each channel of src1, of each row of src2.
                let stage = self.elements_of_stage() * ty.bits();
                match i {
                    0 => repeat * lanes * ty.bytes(),
                    1 => (depth * stage).div_ceil(32) * grf_bytes,
                    // Rows are eight stages apart.
                    _ => ((repeat - 1) * 8 + depth) * stage / 8,
                }
            }
            (Payload::Branch { .. } | Payload::Outside(_), Op::Ret, _) => 8,
            (Payload::Outside(Outside::Touch { read, .. }), _, _) => u32::from(*read),
            _ => region_span(region, ty, lanes),
        }
    }

    /// Bytes that eight stages of `dpas` take of a row of src2, which starts at a multiple of them.
    pub fn matrix_row(&self) -> u32 {
        let bits = self.src[2].ty().map_or(32, Type::bits);
        (8 * self.elements_of_stage() * bits / 8).max(1)
    }

    /// Elements of src1 and of src2 that a stage of `dpas` takes (vISA specification, DPAS: `OPS_PER_CHAN`).
    fn elements_of_stage(&self) -> u32 {
        let bits = |i: usize| self.src[i].ty().map_or(32, Type::bits);
        match (bits(1), bits(2)) {
            (16.., _) => 32 / bits(1),
            (8, _) | (_, 8) => 4,
            _ => 8,
        }
    }

    /// Whether, under a full mask, the destination's extent is written without gaps.
    pub fn dst_is_dense(&self) -> bool {
        match self.dst {
            Dst::Direct { horz, .. } => {
                horz == 1 || self.exec.lanes() == 1 || matches!(self.payload, Payload::Send(_))
            }
            Dst::Macro { .. } => true,
            _ => false,
        }
    }

    /// Flag bytes of the instruction's channels; the channel offset counts from the flag's start.
    fn flag_extent(&self, byte: u32) -> Extent {
        let first = u32::from(self.chan) / 8;
        let last = (u32::from(self.chan) + self.exec.lanes() - 1) / 8;
        Extent { start: byte + first, end: byte + last + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecSize, Physical, Reg};

    fn mov(exec: ExecSize, dst: Dst<Physical>, src: Src<Physical>) -> Inst<Physical> {
        let mut i = Inst::new(Op::Mov, exec);
        i.dst = dst;
        i.src[0] = src;
        i
    }

    #[test]
    fn strides_decide_how_far_an_operand_reaches() {
        let dst = Dst::Direct { reg: Reg::grf(GrfNum::new(4), 2), horz: 2, ty: Type::W };
        let src = Src::new(Reg::grf(GrfNum::new(8), 0), Region::new(8, 4, 2), Type::D);
        let i = mov(ExecSize::S8, dst, src);
        assert_eq!(i.dst_extent(32), Some(Extent { start: 2, end: 2 + 30 }));
        assert!(!i.dst_is_dense());
        assert_eq!(i.src_extent(0, 32), Some(Extent { start: 0, end: (8 + 6 + 1) * 4 }));
        let scalar = mov(ExecSize::S16, dst, Src::scalar(Reg::grf(GrfNum::new(1), 8), Type::Q));
        assert_eq!(scalar.src_extent(0, 32), Some(Extent::new(8, 8)));
    }

    #[test]
    fn a_span_equals_the_furthest_element() {
        for lanes in [1, 2, 4, 8, 16, 32] {
            for (v, w, h) in [(0, 1, 0), (8, 8, 1), (4, 4, 1), (2, 4, 0), (0, 4, 1), (16, 8, 2), (1, 1, 0)] {
                let region = Region::new(v, w, h);
                let furthest = (0..lanes).map(|l| region.element(l)).max().unwrap();
                assert_eq!(
                    region_span(region, Type::D, lanes),
                    (furthest + 1) * 4,
                    "<{v};{w},{h}> x {lanes}"
                );
            }
        }
    }
}

//! Types, registers, regions and immediates.

use gen_ir::{Arf, Dst, GrfNum, Mme, Op, Physical, Reg, Region, Src, SrcMod, Type};

use super::{FLOATS, INTEGERS, InstGenerator, takes_bf16};

impl InstGenerator<'_> {
    pub(super) fn ty(&mut self, op: Op) -> Type {
        match op {
            Op::Macl => return self.random.pick(&[Type::D, Type::Ud]),
            Op::Srnd => return self.random.pick(&[Type::F, Type::Hf]),
            _ => {}
        }
        let float_only = matches!(
            op,
            Op::Frc
                | Op::Rndd
                | Op::Rnde
                | Op::Rndu
                | Op::Rndz
                | Op::Line
                | Op::Pln
                | Op::Lrp
                | Op::Dp2
                | Op::Dp3
                | Op::Dp4
                | Op::Dph
        );
        let integer_only = op.info().logic
            || matches!(
                op,
                Op::Shl
                    | Op::Shr
                    | Op::Asr
                    | Op::Rol
                    | Op::Ror
                    | Op::Bfrev
                    | Op::Bfe
                    | Op::Bfi1
                    | Op::Bfi2
                    | Op::Fbh
                    | Op::Fbl
                    | Op::Cbit
                    | Op::Lzd
                    | Op::Addc
                    | Op::Subb
                    | Op::Avg
                    | Op::Mach
                    | Op::Macl
                    | Op::Sad2
                    | Op::Sada2
                    | Op::Dp4a
                    | Op::Bfn
                    | Op::Add3
            );
        let float = float_only || (!integer_only && self.random.chance(40));
        if !float {
            self.random.pick(&INTEGERS)
        } else if self.caps.ops.bf16 && takes_bf16(op) && self.random.chance(15) {
            Type::Bf
        } else {
            self.random.pick(&FLOATS)
        }
    }

    pub(super) fn grf(&mut self, ty: Type) -> Reg<Physical> {
        let number = self.random.number(self.caps.regs.largest_file().grfs.into()) as u16;
        let byte = if self.random.chance(60) {
            0
        } else {
            self.random.number(u32::from(self.caps.regs.grf_bytes) / ty.bytes()) * ty.bytes()
        };
        Reg::grf(GrfNum::new(number), byte)
    }

    pub(super) fn arf(&mut self, ty: Type, dst: bool) -> Reg<Physical> {
        let sub = |g: &mut Self, bytes: u32| g.random.number((bytes / ty.bytes()).max(1)) * ty.bytes();
        match self.random.number(if dst { 5 } else { 7 }) {
            0 => Reg::NULL,
            1 => {
                let n = self.random.number(2) as u8;
                Reg::arf(Arf::Acc(n), sub(self, self.caps.regs.grf_bytes.into()))
            }
            2 => Reg::arf(Arf::Addr(0), sub(self, 32)),
            3 => {
                let n = self.random.number(self.caps.regs.flag_count.into()) as u8;
                Reg::arf(Arf::Flag(n), sub(self, 4))
            }
            4 => Reg::arf(Arf::Control(0), sub(self, 12)),
            5 => Reg::arf(Arf::State(0), sub(self, 16)),
            _ => Reg::arf(Arf::Timestamp(0), sub(self, 16)),
        }
    }

    pub(super) fn destination(&mut self, ty: Type) -> Dst<Physical> {
        let horz = self.random.pick(&[1, 1, 1, 2, 4]);
        match self.random.number(20) {
            0 => Dst::Indirect { addr: self.address(), imm: self.offset(), horz, ty },
            1 | 2 => Dst::Direct { reg: self.arf(ty, true), horz, ty },
            _ => Dst::Direct { reg: self.grf(ty), horz, ty },
        }
    }

    pub(super) fn address(&mut self) -> Reg<Physical> {
        Reg::arf(Arf::Addr(0), 2 * self.random.number(16))
    }

    pub(super) fn offset(&mut self) -> i16 {
        if self.random.chance(30) { 0 } else { self.random.number(1024) as i16 - 512 }
    }

    pub(super) fn region(&mut self) -> Region {
        if self.random.chance(30) {
            return self.random.pick(&[Region::SCALAR, Region::PACKED, Region::new(8, 8, 1)]);
        }
        Region::new(
            self.random.pick(&[0, 1, 2, 4, 8, 16, 32]),
            self.random.pick(&[1, 2, 4, 8, 16]),
            self.random.pick(&[0, 1, 2, 4]),
        )
    }

    pub(super) fn mods(&mut self, op: Op) -> SrcMod {
        let neg = self.random.chance(15);
        if op.info().logic {
            return SrcMod::new(false, neg);
        }
        let none = matches!(
            op,
            Op::Bfrev
                | Op::Bfe
                | Op::Bfi1
                | Op::Bfi2
                | Op::Fbh
                | Op::Fbl
                | Op::Cbit
                | Op::Addc
                | Op::Subb
                | Op::Rol
                | Op::Ror
                | Op::Dp4a
                | Op::Sad2
                | Op::Sada2
                | Op::Pln
                | Op::Smov
                | Op::Srnd
        );
        if none { SrcMod::None } else { SrcMod::new(self.random.chance(10), neg) }
    }

    pub(super) fn source(&mut self, op: Op, ty: Type, index: usize) -> Src<Physical> {
        let mods = self.mods(op);
        match self.random.number(20) {
            0 => {
                let mut region = self.region();
                if self.random.chance(40) {
                    region = Region::new(Region::VXH, self.random.pick(&[1, 2, 4, 8]), region.horz);
                }
                Src::Indirect { addr: self.address(), imm: self.offset(), region, mods, ty }
            }
            // Before Xe the second source is a general register.
            1 if self.xe() || index == 0 => {
                Src::Direct { reg: self.arf(ty, false), region: self.region(), mods, ty }
            }
            _ => Src::Direct { reg: self.grf(ty), region: self.region(), mods, ty },
        }
    }

    pub(super) fn immediate(&mut self, ty: Type, wide: bool) -> Src<Physical> {
        let ty = match ty {
            Type::Ub | Type::Uw => self.random.pick(&[Type::Uw, Type::Uw, Type::Uv]),
            Type::B | Type::W => self.random.pick(&[Type::W, Type::W, Type::V]),
            Type::F => self.random.pick(&[Type::F, Type::F, Type::F, Type::Vf]),
            Type::Uq if !wide => Type::Ud,
            Type::Q if !wide => Type::D,
            Type::Df if !wide => Type::F,
            Type::Bf => Type::F,
            other => other,
        };
        let bits = match self.random.number(4) {
            0 => u64::from(self.random.number(256)),
            1 => (-i64::from(self.random.number(256))) as u64,
            2 if ty == Type::F => f32::to_bits(self.random.number(1000) as f32 / 8.0).into(),
            2 if ty == Type::Df => f64::to_bits(f64::from(self.random.number(1000)) / 8.0),
            _ => self.random.bits(),
        };
        Src::imm(bits, ty)
    }

    pub(super) fn whole_grf(&mut self) -> Reg<Physical> {
        // Messages stay inside the register file.
        let last = self.caps.regs.largest_file().grfs.min(256 - 32);
        Reg::grf(GrfNum::new(self.random.number(last.into()) as u16), 0)
    }

    pub(super) fn mme(&mut self) -> Mme {
        if self.random.chance(20) { Mme::None } else { Mme::Reg(self.random.number(8) as u8) }
    }

    pub(super) fn ternary_type(&mut self, op: Op) -> Type {
        let float = match op {
            Op::Csel | Op::Lrp => true,
            Op::Mad => self.random.chance(60),
            _ => false,
        };
        match (float, self.caps.words.ternary_align16) {
            (true, _) => self.random.pick(&FLOATS),
            (false, true) => self.random.pick(&[Type::D, Type::Ud]),
            (false, false) => self.random.pick(&[Type::D, Type::Ud, Type::W, Type::Uw, Type::B, Type::Ub]),
        }
    }

    pub(super) fn ternary_region(&mut self, index: usize) -> Region {
        let scalar = self.random.chance(25);
        match (index, self.caps.words.ternary_align16) {
            (2, true) => Region::ternary_last(u8::from(!scalar)),
            (_, true) if scalar => Region::ternary(0, 0),
            (_, true) => Region::ternary(2, 1),
            (2, false) => Region::ternary_last(self.random.pick(&[0, 1, 2, 4])),
            (_, false) => {
                let verts: &[u8] = if self.xe() { &[0, 1, 4, 8] } else { &[0, 2, 4, 8] };
                Region::ternary(self.random.pick(verts), self.random.pick(&[0, 1, 2, 4]))
            }
        }
    }
}

//! Instructions that were found legal before: code repeats the shapes of its instructions.

use platforms::Platform;

use super::is_legal;
use crate::{Class, Dst, GrfNum, Inst, KeyMemory, KeyWord, Op, Payload, Physical, Reg, Region, Src, Type};

/// What the rules look at of an instruction that is neither a message nor `dpas`: all but immediate values, offsets of addresses,
/// which registers there are (but how far sources are from the destination), and what it waits for. Never all zeros. It
/// is kept and compared whole, so an instruction is taken for another only where they agree in all of that.
type Shape = [u64; 5];

/// Judges instructions as [`is_legal`] does, and remembers the shapes of legal ones: code repeats them, so few
/// instructions are held to the rules themselves.
#[derive(Debug, Default)]
pub struct Seen(KeyMemory<5, ()>);

impl Seen {
    /// Makes room for the shapes of a kernel of so many instructions.
    pub fn make_room(&mut self, insts: usize) {
        self.0.make_room(insts);
    }

    /// Whether an instruction breaks no rule on a platform.
    #[inline]
    pub fn is_legal(&mut self, platform: Platform, inst: &Inst<Physical>) -> bool {
        if matches!(inst.op.info().class, Class::Send | Class::Dpas) {
            return is_legal(platform, inst);
        }
        let shape = shape(inst);
        let memory = self.0.of(platform);
        if memory.get(&shape).is_some() {
            debug_assert!(is_legal(platform, inst), "a rule asks for what no shape has: {inst}");
            return true;
        }
        let legal = is_legal(platform, inst);
        if legal {
            memory.add(shape, ());
        }
        legal
    }
}

#[inline]
fn shape(inst: &Inst<Physical>) -> Shape {
    // Of one element rules ask how it is aligned, to 16 bytes at most, and whether it crosses registers, which it does
    // not if it crosses no 16 bytes. What one channel reads and writes is one, and so is what all channels read alike,
    // but for where it is beside the destination.
    let one = inst.exec.lanes() == 1 && inst.op != Op::Srnd;
    let operand = |word: KeyWord, reg: Reg<Physical>, ty: Type, one: bool| {
        let whole = one && reg.byte % 16 + ty.bytes() <= 16;
        let byte = if whole { reg.byte % 16 } else { reg.byte };
        let kind = reg.arf_kind().map_or(0, |kind| 1 + u64::from(kind));
        word.with(ty.number(), 8..16).with(kind, 40..48).with(byte, 48..60)
    };
    let grf = |reg: Reg<Physical>| if one { None } else { reg.grf_number() };
    let payload = match inst.payload {
        Payload::Math(function) => 1 + u64::from(function.number()),
        _ => 0,
    };
    let head = KeyWord::EMPTY
        .with(inst.op.number(), 0..8)
        .with(inst.exec.number(), 8..16)
        .with(inst.chan, 16..24)
        .with(inst.pred.is_some(), 24..25)
        .with(inst.cond.is_some(), 25..26)
        .with(inst.sat, 26..27)
        .with(inst.opts.0, 32..48)
        .with(payload, 48..63)
        .with(true, 63..64);
    let kind = |kind: u64| KeyWord::EMPTY.with(kind, 0..4);
    let (dst, to) = match inst.dst {
        Dst::None => (kind(0), None),
        Dst::Direct { reg, horz, ty } => (operand(kind(1), reg, ty, one).with(horz, 16..24), grf(reg)),
        Dst::Indirect { horz, ty, .. } => (kind(2).with(ty.number(), 8..16).with(horz, 16..24), None),
        Dst::Macro { reg, ty, .. } => (operand(kind(3), reg, ty, one), grf(reg)),
    };
    let strides =
        |word: KeyWord, r: Region| word.with(r.vert, 16..24).with(r.width, 24..32).with(r.horz, 32..40);
    let source = |s: &Src<Physical>| {
        let word = match *s {
            Src::None => kind(0),
            Src::Direct { reg, region, mods, ty } => {
                let distance = distance(to, grf(reg));
                let one = one || distance == 0 && region == Region::SCALAR;
                let word = operand(kind(1), reg, ty, one).with(mods.number(), 4..8);
                strides(word, region).with(distance, 60..64)
            }
            Src::Indirect { region, mods, ty, .. } => {
                strides(kind(2).with(mods.number(), 4..8).with(ty.number(), 8..16), region)
            }
            Src::Macro { reg, mods, ty, .. } => operand(kind(3), reg, ty, one).with(mods.number(), 4..8),
            Src::AddrOf { ty, .. } => kind(4).with(ty.number(), 8..16),
            Src::Imm { ty, .. } => kind(5).with(ty.number(), 8..16),
        };
        word.bits()
    };
    let [a, b, c] = &inst.src;
    [head.bits(), dst.bits(), source(a), source(b), source(c)]
}

/// How far a source starts before the destination, in registers: no operand is longer than four, so one further off
/// is as good as elsewhere, and so is one that starts behind it.
#[inline]
fn distance(to: Option<GrfNum>, from: Option<GrfNum>) -> u64 {
    match (to, from) {
        (Some(to), Some(from)) => match to.number().checked_sub(from.number()) {
            Some(distance @ 0..=4) => 1 + u64::from(distance),
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arf, CondMod, ExecSize, MathFn, SrcMod};

    /// Numbers below a limit, the same in every run (Knuth's linear congruence).
    struct Numbers {
        state: u64,
        grf_bytes: u32,
    }

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.state >> 33) as usize % limit
        }

        fn one<T: Copy>(&mut self, of: &[T]) -> T {
            of[self.below(of.len())]
        }

        fn reg(&mut self) -> Reg<Physical> {
            let byte = self.one(&[0, 0, 0, 1, 2, 4, 8, 16, 32, 60]) % self.grf_bytes;
            match self.below(8) {
                0 => Reg::arf(self.one(&[Arf::Acc(0), Arf::Addr(0), Arf::Null, Arf::State(0)]), byte),
                _ => Reg::grf(GrfNum::new(10 + self.below(9) as u16), byte),
            }
        }

        fn region(&mut self) -> Region {
            let strides = [0, 1, 2, 4, 8, 16, Region::VXH, Region::ABSENT];
            Region::new(
                self.one(&strides),
                self.one(&[1, 2, 4, 8, 16, Region::ABSENT]),
                self.one(&[0, 1, 2, 4]),
            )
        }

        fn ty(&mut self) -> Type {
            self.one(&[Type::D, Type::Ud, Type::F, Type::W, Type::B, Type::Hf, Type::Q, Type::Df, Type::Uv])
        }

        fn src(&mut self) -> Src<Physical> {
            let (region, mods, ty) =
                (self.region(), self.one(&[SrcMod::None, SrcMod::Neg, SrcMod::Abs]), self.ty());
            match self.below(6) {
                0 => Src::Imm { bits: 1, ty },
                1 => Src::Indirect { addr: Reg::arf(Arf::Addr(0), 0), imm: 0, region, mods, ty },
                2 => Src::Direct { reg: self.reg(), region: Region::SCALAR, mods, ty },
                _ => Src::Direct { reg: self.reg(), region, mods, ty },
            }
        }

        fn inst(&mut self) -> Inst<Physical> {
            let op = self.one(&operations());
            let mut i = Inst::new(op, self.one(&ExecSize::ALL));
            i.chan = self.one(&[0, 0, 4, 8, 16]);
            i.sat = self.below(4) == 0;
            let flag = Reg::arf(self.one(&[Arf::Flag(0), Arf::Flag(1)]), self.one(&[0, 2]));
            i.cond = (self.below(4) == 0).then_some(CondMod { cond: crate::Cond::Lt, flag });
            let (horz, ty) = (self.one(&[1, 1, 2, 4, 0]), self.ty());
            i.dst = match self.below(8) {
                0 => Dst::Indirect { addr: Reg::arf(Arf::Addr(0), 0), imm: 0, horz, ty },
                _ => Dst::Direct { reg: self.reg(), horz, ty },
            };
            for n in 0..usize::from(op.info().srcs) {
                i.src[n] = self.src();
            }
            if op == Op::Math {
                i.payload = Payload::Math(self.one(&[MathFn::Inv, MathFn::Idivmod, MathFn::Iqot]));
            }
            i
        }
    }

    /// Those that are kept.
    fn operations() -> Vec<Op> {
        let kept = |op: &Op| matches!(op.info().class, Class::Basic | Class::Ternary | Class::Math);
        Op::ALL.iter().copied().filter(kept).collect()
    }

    /// One place for all shapes: what is remembered is asked again at once.
    #[test]
    fn what_was_seen_is_judged_as_before() {
        for platform in Platform::ALL {
            let mut numbers = Numbers { state: 1, grf_bytes: platform.caps().regs.grf_bytes.into() };
            let (mut seen, mut legal) = (Seen::default(), 0);
            seen.make_room(4096);
            for _ in 0..100_000 {
                let first = numbers.inst();
                // Its neighbour differs in one part, which may be the one that a rule looks at.
                let other = numbers.inst();
                let mut second = first;
                match numbers.below(7) {
                    0 => second.dst = other.dst,
                    1 => second.src = other.src,
                    2 => second.exec = other.exec,
                    3 => second.chan = other.chan,
                    4 => (second.sat, second.cond) = (other.sat, other.cond),
                    5 => second.payload = other.payload,
                    _ => second.src[0] = other.src[0],
                }
                for i in [&first, &second, &first] {
                    let truth = is_legal(platform, i);
                    legal += u32::from(truth);
                    assert_eq!(seen.is_legal(platform, i), truth, "{platform}: {i}");
                    if shape(&first) == shape(&second) {
                        assert_eq!(
                            is_legal(platform, &first),
                            is_legal(platform, &second),
                            "{first} {second}"
                        );
                    }
                }
            }
            assert!(legal > 1000, "{platform}: {legal} legal ones tell little");
        }
    }
}

//! What rules look at of an instruction: code repeats the shapes of its instructions, and one that all rules left alone is
//! not held to them again.

use gen_ir::{Base, Dst, Inst, KeyMemory, KeyWord, Payload, Region, Src, Type, Var, Virtual};
use narrow::to_u64;

use crate::build::{VInst, VReg, extend};

/// All that rules look at of an instruction. Never all zeros. It is kept and compared whole, so an instruction is taken
/// for another only where they agree in all of that.
pub(super) type Shape = [u64; 7];

/// Shapes of instructions that all rules keep, and how these are spelled. (Builds with debug assertions ask the rules all
/// the same.)
pub(super) type Kept = KeyMemory<7, Spelling>;

/// How [`Legalizer::canonical`] spells the operands of an instruction: the sources' regions and the destination's
/// stride. Of any kind for what is no register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    regions: [Region; 3],
    horz: u8,
}

impl Default for Spelling {
    fn default() -> Spelling {
        Spelling { regions: [Region::SCALAR; 3], horz: 1 }
    }
}

impl Spelling {
    /// That of an instruction.
    pub fn of(inst: &VInst) -> Spelling {
        let regions = inst.src.each_ref().map(|s| match *s {
            Src::Direct { region, .. } => region,
            _ => Region::SCALAR,
        });
        Spelling { regions, horz: if let Dst::Direct { horz, .. } = inst.dst { horz } else { 1 } }
    }

    /// Gives it to an instruction of the same shape.
    #[inline]
    pub fn give(self, inst: &mut VInst) {
        for (src, spelled) in inst.src.iter_mut().zip(self.regions) {
            if let Src::Direct { region, .. } = src {
                *region = spelled;
            }
        }
        if let Dst::Direct { horz, .. } = &mut inst.dst {
            *horz = self.horz;
        }
    }
}

/// The shape of an instruction, if it has one: direct operands, no macro, no family with fields of its own. It has the
/// facts about variables in it that rules ask for, so a rule that changes one of them changes the shape.
#[inline]
pub(super) fn of(vars: &[Var], inst: &Inst<Virtual>) -> Option<Shape> {
    let function = match inst.payload {
        Payload::None => 0,
        Payload::Math(function) => 1 + u64::from(function.number()),
        _ => return None,
    };
    let mut head = KeyWord::EMPTY
        .with(inst.op.number(), 0..8)
        .with(inst.exec.number(), 8..12)
        .with(inst.chan, 12..18)
        .with(inst.no_mask, 18..19)
        .with(inst.sat, 19..20)
        .with(inst.opts.0, 48..64);
    // The first half is for the first source.
    let mut rest = KeyWord::EMPTY.with(true, 63..64).with(function, 32..40);
    if let Some(pred) = inst.pred {
        head = head.with(true, 20..21).with(pred.inv, 21..22).with(pred.ctrl.number(), 22..28);
        rest = rest.with(pred.flag.byte & 7, 40..43);
    }
    if let Some(cond) = inst.cond {
        let same = inst.pred.is_some_and(|p| p.flag == cond.flag);
        head = head.with(true, 28..29).with(same, 29..30).with(cond.cond.number(), 30..36);
        rest = rest.with(cond.flag.byte & 7, 43..46);
    }
    let (to, dst) = match inst.dst {
        Dst::None => (None, 0),
        // Hardware has no such stride, so no rule leaves it alone.
        Dst::Direct { horz: 16.., .. } => return None,
        Dst::Direct { reg, horz, ty } => {
            head = head.with(ty.number(), 36..44).with(horz, 44..48);
            (Some(reg), place(vars, reg)?.bits())
        }
        Dst::Indirect { .. } | Dst::Macro { .. } => return None,
    };
    let mut places = [0; 3];
    let mut spelled = [0; 3];
    for (i, n) in (0..).zip(0..3) {
        match inst.src[n] {
            Src::None => spelled[n] = NONE,
            Src::Imm { bits, ty } => {
                (places[n], spelled[n]) = (width(bits, ty), IMM | u64::from(ty.number()) << 24)
            }
            Src::Direct { reg, region, mods, ty } => {
                for (j, m) in (0..).zip(0..n) {
                    if let Src::Direct { reg: other, .. } = inst.src[m]
                        && other.is_in(reg)
                    {
                        let at = 44 + 2 * (i + j);
                        rest = rest.with(true, at..at + 1).with(other.byte == reg.byte, at + 1..at + 2);
                    }
                }
                rest = rest.with(mods.number(), 52 + 2 * i..54 + 2 * i);
                let strides = u32::from_le_bytes([region.vert, region.width, region.horz, 0]);
                spelled[n] = u64::from(strides) | u64::from(ty.number()) << 24;
                let place = place(vars, reg)?;
                places[n] = to.map_or(place, |to| beside(place, to, reg)).bits();
            }
            Src::Indirect { .. } | Src::AddrOf { .. } | Src::Macro { .. } => return None,
        }
    }
    let [a, b, c] = places;
    Some([head.bits(), spelled[0] | rest.bits(), spelled[1] | spelled[2] << 32, dst, a, b, c])
}

/// Strides that no region has, for sources without one.
const NONE: u64 = 0xff_ffff;
const IMM: u64 = 0xff_fffe;

/// What rules ask of an immediate: how many bits it has, as it is written and as a signed and an unsigned number.
#[inline]
fn width(bits: u64, ty: Type) -> u64 {
    let value = extend(bits, ty);
    u64::from(bits.leading_zeros())
        | u64::from(value.leading_zeros()) << 8
        | u64::from(value.leading_ones()) << 16
}

/// What rules ask of an operand's place, in 39 bits.
#[inline]
fn place(vars: &[Var], reg: VReg) -> Option<KeyWord> {
    // No alignment that rules ask for is larger.
    let low = |byte: u32| u64::from(byte % 1024);
    let known = match reg.base() {
        Base::Var(v) => {
            let var = &vars[v.index()];
            // Where it lies is known, or how it is aligned.
            let placed = match var.fixed {
                Some(at) => 1 << 11 | low(at.bytes()),
                None => u64::from(var.align & 0x7ff),
            };
            KeyWord::EMPTY
                .with(true, 0..1)
                .with(to_u64(var.class.index()), 1..3)
                .with(var.address_taken, 3..4)
                .with(placed, 4..16)
                // Whether it is as large as the units in which channels have to stay in place.
                .with(var.bytes.min(64) / 16, 16..24)
        }
        Base::Arf(arf) => KeyWord::EMPTY.with(arf.code().0, 1..8).with(arf.code().1, 8..16),
        Base::Grf(_) => return None,
    };
    Some(known.with(low(reg.byte), 24..39))
}

/// With where a source is beside the destination, if that is in the same variable.
#[inline]
fn beside(place: KeyWord, to: VReg, reg: VReg) -> KeyWord {
    if !to.is_in(reg) {
        return place;
    }
    place.with(true, 39..40).with(reg.byte.wrapping_sub(to.byte) & 0xff_ffff, 40..64)
}

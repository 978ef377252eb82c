//! Instructions that all rules left alone before: code repeats the shapes of its instructions.

use gen_ir::{Base, Dst, Inst, Payload, Region, Src, Type, Var, Virtual, slot};
use platforms::Platform;

use crate::build::{VInst, VReg, extend};

/// Shapes that are kept, as a power of two.
const SHAPES: u32 = 11;

/// All that rules look at of an instruction. Never all zeros.
pub(super) type Shape = [u64; 7];

/// Shapes of instructions that all rules keep. (Builds with debug assertions ask the rules all the same.)
#[derive(Debug, Default)]
pub(super) struct Seen {
    platform: Option<Platform>,
    /// Each at a place that it names.
    kept: Vec<Kept>,
}

/// What is known of instructions of one shape.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Zeros for none.
    shape: Shape,
    spelling: Spelling,
}

/// How [`Legalizer::canonical`] spells the operands of an instruction: the sources' regions and the destination's
/// stride. Of any kind for what is no register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    regions: [Region; 3],
    horz: u8,
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

impl Seen {
    /// From here on it is about a platform.
    pub fn start(&mut self, platform: Platform) {
        if self.platform != Some(platform) {
            self.platform = Some(platform);
            self.kept.clear();
            let none = Spelling { regions: [Region::SCALAR; 3], horz: 1 };
            self.kept.resize(1 << SHAPES, Kept { shape: [0; 7], spelling: none });
        }
    }

    /// How instructions of a shape are spelled, if one was kept.
    #[inline]
    pub fn spelling(&self, shape: &Shape) -> Option<Spelling> {
        let kept = &self.kept[slot(shape, SHAPES)];
        (kept.shape == *shape).then_some(kept.spelling)
    }

    /// Notes that all rules keep instructions of a shape, and how they are spelled then.
    pub fn add(&mut self, shape: Shape, spelling: Spelling) {
        self.kept[slot(&shape, SHAPES)] = Kept { shape, spelling };
    }
}

/// The shape of an instruction, if it has one: direct operands, no macro, no family with fields of its own. It has the
/// facts about variables in it that rules ask for, so a rule that changes one of them changes the shape.
#[inline]
pub(super) fn shape(vars: &[Var], inst: &Inst<Virtual>) -> Option<Shape> {
    let function = match inst.payload {
        Payload::None => 0,
        Payload::Math(function) => 1 + function as u64,
        _ => return None,
    };
    let mut head = inst.op as u64
        | (inst.exec as u64) << 8
        | u64::from(inst.chan) << 12
        | u64::from(inst.no_mask) << 18
        | u64::from(inst.sat) << 19
        | u64::from(inst.opts.0) << 48;
    let mut rest = 1 << 63 | function << 32;
    if let Some(pred) = inst.pred {
        head |= 1 << 20 | u64::from(pred.inv) << 21 | (pred.ctrl as u64) << 22;
        rest |= u64::from(pred.flag.byte & 7) << 40;
    }
    if let Some(cond) = inst.cond {
        head |= 1 << 28 | (cond.cond as u64) << 30;
        rest |= u64::from(cond.flag.byte & 7) << 43;
        head |= u64::from(inst.pred.is_some_and(|p| p.flag == cond.flag)) << 29;
    }
    let (to, dst) = match inst.dst {
        Dst::None => (None, 0),
        Dst::Direct { reg, horz, ty } => {
            head |= (ty as u64) << 36 | u64::from(horz) << 44;
            (Some(reg), place(vars, reg)?)
        }
        Dst::Indirect { .. } | Dst::Macro { .. } => return None,
    };
    let mut places = [0; 3];
    let mut spelled = [0; 3];
    for i in 0..3 {
        match inst.src[i] {
            Src::None => spelled[i] = NONE,
            Src::Imm { bits, ty } => (places[i], spelled[i]) = (width(bits, ty), IMM | (ty as u64) << 24),
            Src::Direct { reg, region, mods, ty } => {
                for j in 0..i {
                    if let Src::Direct { reg: other, .. } = inst.src[j]
                        && other.is_in(reg)
                    {
                        rest |= (1 | u64::from(other.byte == reg.byte) << 1) << (44 + 2 * (i + j));
                    }
                }
                rest |= (mods as u64) << (52 + 2 * i);
                let strides = u32::from_le_bytes([region.vert, region.width, region.horz, 0]);
                spelled[i] = u64::from(strides) | (ty as u64) << 24;
                places[i] = place(vars, reg)? | to.map_or(0, |to| beside(to, reg));
            }
            Src::Indirect { .. } | Src::AddrOf { .. } | Src::Macro { .. } => return None,
        }
    }
    let [a, b, c] = places;
    Some([head, spelled[0] | rest, spelled[1] | spelled[2] << 32, dst, a, b, c])
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
fn place(vars: &[Var], reg: VReg) -> Option<u64> {
    // No alignment that rules ask for is larger.
    let low = |byte: u32| u64::from(byte % 1024);
    let known = match reg.base() {
        Base::Var(v) => {
            let var = &vars[v.index()];
            // Where it lies is known, or how it is aligned.
            let placed = match var.fixed {
                Some(at) => 1 << 11 | low(at),
                None => u64::from(var.align & 0x7ff),
            };
            // Whether it is as large as the units in which channels have to stay in place.
            let bytes = u64::from(var.bytes.min(64) / 16);
            1 | (var.class as u64) << 1 | u64::from(var.address_taken) << 3 | placed << 4 | bytes << 16
        }
        Base::Arf(arf) => u64::from(arf.code().0) << 1 | u64::from(arf.code().1) << 8,
        Base::Grf(_) => return None,
    };
    Some(known | low(reg.byte) << 24)
}

/// Where a source is beside the destination, if that is in the same variable: the bits above its place.
#[inline]
fn beside(to: VReg, reg: VReg) -> u64 {
    if to.is_in(reg) { 1 << 39 | u64::from(reg.byte.wrapping_sub(to.byte) & 0xff_ffff) << 40 } else { 0 }
}

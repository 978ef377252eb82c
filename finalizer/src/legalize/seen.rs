//! Instructions that all rules left alone before: code repeats the shapes of its instructions.

use gen_ir::{Base, Dst, Inst, Payload, Src, VarClass, Virtual};
use platforms::Platform;

use super::Legalizer;
use crate::build::VReg;

/// Shapes that are kept, a power of two.
const SHAPES: usize = 2048;

/// All that rules look at of an instruction, in 64 bits, never 0. Of two shapes one in 2^63 pairs is taken for the
/// other.
pub(super) type Shape = u64;

/// Shapes of instructions that all rules keep. (Builds with debug assertions ask the rules all the same.)
#[derive(Debug, Default)]
pub(super) struct Seen {
    platform: Option<Platform>,
    /// Each at a place that it names; 0 for none.
    shapes: Vec<Shape>,
}

impl Seen {
    /// From here on it is about a platform.
    pub fn start(&mut self, platform: Platform) {
        if self.platform != Some(platform) {
            self.platform = Some(platform);
            self.shapes.clear();
            self.shapes.resize(SHAPES, 0);
        }
    }

    fn place(shape: Shape) -> usize {
        (shape >> 1) as usize % SHAPES
    }

    /// Whether an instruction of this shape was kept.
    pub fn has(&self, shape: Shape) -> bool {
        self.shapes[Seen::place(shape)] == shape
    }

    /// Notes that all rules keep instructions of a shape.
    pub fn add(&mut self, shape: Shape) {
        self.shapes[Seen::place(shape)] = shape;
    }
}

/// The shape of an instruction, if it has one: direct operands, no macro, no family with fields of its own. It has the
/// facts about variables in it that rules ask for, so a rule that changes one of them changes the shape.
pub(super) fn shape(lx: &Legalizer<'_>, inst: &Inst<Virtual>) -> Option<Shape> {
    let function = match inst.payload {
        Payload::None => 0,
        Payload::Math(function) => 1 + function as u64,
        _ => return None,
    };
    let mut head = inst.op as u64
        | (inst.exec as u64) << 8
        | u64::from(inst.chan) << 16
        | u64::from(inst.no_mask) << 24
        | u64::from(inst.sat) << 25
        | u64::from(inst.opts.0) << 48;
    let mut rest = function;
    if let Some(pred) = inst.pred {
        head |= 1 << 26 | u64::from(pred.inv) << 27 | (pred.ctrl as u64) << 32;
        rest |= u64::from(pred.flag.byte & 7) << 8;
    }
    if let Some(cond) = inst.cond {
        head |= 1 << 28 | (cond.cond as u64) << 40;
        rest |= u64::from(cond.flag.byte & 7) << 12;
        head |= u64::from(inst.pred.is_some_and(|p| p.flag == cond.flag)) << 29;
    }
    let (to, dst) = match inst.dst {
        Dst::None => (None, 0),
        Dst::Direct { reg, horz, ty } => {
            rest |= 1 << 16 | u64::from(horz) << 24 | (ty as u64) << 32;
            (Some(reg), operand(lx, reg, None)?)
        }
        Dst::Indirect { .. } | Dst::Macro { .. } => return None,
    };
    let mut sources = [(0, 0); 3];
    for (source, src) in sources.iter_mut().zip(&inst.src) {
        *source = match *src {
            Src::None => (0, 0),
            Src::Imm { bits, ty } => (bits, 1 | (ty as u64) << 8),
            Src::Direct { reg, region, mods, ty } => {
                let strides = u64::from(region.vert) << 16
                    | u64::from(region.width) << 24
                    | u64::from(region.horz) << 32
                    | (mods as u64) << 4;
                (operand(lx, reg, to)?, 2 | (ty as u64) << 8 | strides)
            }
            Src::Indirect { .. } | Src::AddrOf { .. } | Src::Macro { .. } => return None,
        };
    }
    // Sources of the same register.
    let [a, b, c] = inst.src.each_ref().map(Src::reg);
    for (i, (x, y)) in [(a, b), (a, c), (b, c)].into_iter().enumerate() {
        if let (Some(x), Some(y)) = (x, y)
            && x.is_in(y)
        {
            rest |= (1 | u64::from(x.byte == y.byte) << 1) << (40 + 2 * i);
        }
    }
    let [a, b, c] = sources;
    Some(fingerprint([head, rest, dst, a.0, a.1, b.0, b.1, c.0, c.1]))
}

/// What rules ask of an operand's place, and where it is beside the destination if that is in the same variable.
fn operand(lx: &Legalizer<'_>, reg: VReg, to: Option<VReg>) -> Option<u64> {
    let beside = match to {
        Some(to) if to.is_in(reg) => 1 << 39 | u64::from(reg.byte.wrapping_sub(to.byte) & 0xff_ffff) << 40,
        _ => 0,
    };
    // No alignment that rules ask for is larger.
    let low = |byte: u32| u64::from(byte % 1024);
    let place = match reg.base() {
        Base::Var(v) => {
            let var = &lx.vars[v.index()];
            let class = match var.class {
                VarClass::General => 1,
                VarClass::Flag => 2,
                VarClass::Address => 3,
            };
            class
                | u64::from(var.align.trailing_zeros().min(15)) << 3
                | u64::from(var.address_taken) << 7
                | var.fixed.map_or(0, |at| 1 << 38 | low(at) << 8)
                | u64::from(var.bytes.min(255)) << 28
        }
        Base::Arf(arf) => 4 | u64::from(arf.code().0) << 3 | u64::from(arf.code().1) << 8,
        Base::Grf(_) => return None,
    };
    Some(place | low(reg.byte) << 18 | beside)
}

/// All bits of some words in 64: both halves of products.
fn fingerprint(words: [u64; 9]) -> Shape {
    // Odd numbers without a pattern: the golden ratio and square roots in 64 bits.
    const KEYS: [u64; 9] = [
        0x9e37_79b9_7f4a_7c15,
        0x6a09_e667_f3bc_c909,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    let word = |i: usize| u128::from(words[i] ^ KEYS[i]);
    let fold = |product: u128| product as u64 ^ (product >> 64) as u64;
    let pairs = [0, 2, 4, 6].map(|i| fold(word(i) * word(i + 1)));
    let mix = |a: u64, b: u64, key: usize| {
        fold(u128::from(a ^ KEYS[key]) * u128::from(b.rotate_left(32) ^ KEYS[key + 1]))
    };
    let (first, second) = (mix(pairs[0], pairs[1], 0), mix(pairs[2], pairs[3], 2));
    mix(first, second ^ words[8], 4) | 1
}

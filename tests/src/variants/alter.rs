//! One instruction changed where it stands. Whether it is still one is the verifier's to say.

use platforms::Platform;
use visa::{
    CondMod, EMask, Exec, ExecSize, GeneralOperand, Kernel, Modifier, Opcode, Operand, PredCtrl, PredId,
    PredOperand, Region, Type, VectorOperand,
    table::{self, Role},
};

use super::change::{TYPES, Written, view};
use crate::splitmix::SplitMix;

/// What changes are drawn from.
pub(super) struct Drawer<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) platform: Platform,
    pub(super) random: &'a mut SplitMix,
    /// Where in the kernel: operands are those of instructions nearby.
    pub(super) at: usize,
}

/// How far instructions are whose operands are taken.
const NEAR: usize = 24;

const MODIFIERS: [Modifier; 5] =
    [Modifier::None, Modifier::Abs, Modifier::Neg, Modifier::NegAbs, Modifier::Not];
const RELATIONS: [CondMod; 6] =
    [CondMod::Eq, CondMod::Ne, CondMod::Gt, CondMod::Ge, CondMod::Lt, CondMod::Le];
const SIZES: [ExecSize; 6] =
    [ExecSize::S1, ExecSize::S2, ExecSize::S4, ExecSize::S8, ExecSize::S16, ExecSize::S32];
/// Regions of sources that programs have, and some that few have.
const REGIONS: [(u8, u8, u8); 14] = [
    (0, 1, 0),
    (0, 1, 0),
    (1, 1, 0),
    (1, 1, 0),
    (2, 1, 0),
    (4, 1, 0),
    (8, 8, 1),
    (4, 4, 1),
    (0, 2, 1),
    (0, 8, 1),
    (2, 2, 0),
    (8, 4, 2),
    (4, 2, 1),
    (1, 4, 0),
];

impl Drawer<'_> {
    fn coin(&mut self) -> bool {
        self.random.below(2) == 0
    }

    /// Changes one thing, if there is such a thing.
    pub(super) fn alter(&mut self, w: &mut Written) {
        match self.random.below(16) {
            0..=2 => self.opcode(w),
            3..=4 => self.retype(w),
            5 => self.modifier(w),
            6 => self.guard(w),
            7..=8 => self.exec(w),
            9 => self.swap(w),
            10..=11 => self.constant(w),
            12..=13 => self.region(w),
            _ => self.other_operand(w),
        }
    }

    /// Positions of the vector operands with a role.
    fn vectors(w: &Written, role: Option<Role>) -> Vec<usize> {
        let Some(row) = w.record.row() else { return Vec::new() };
        let slots = row.operand_slots().zip(&w.operands).enumerate();
        slots
            .filter(|(_, (slot, o))| matches!(o, Operand::Vector(_)) && role.is_none_or(|r| slot.role == r))
            .map(|(i, _)| i)
            .collect()
    }

    /// One of those that are regions of variables.
    fn general<'w>(&mut self, w: &'w mut Written) -> Option<(bool, &'w mut GeneralOperand)> {
        let found = Self::vectors(w, None);
        let sources = Self::vectors(w, Some(Role::Src));
        if found.is_empty() {
            return None;
        }
        let at = *self.random.pick(&found);
        match &mut w.operands[at] {
            Operand::Vector(VectorOperand::General(g)) => Some((sources.contains(&at), g)),
            _ => None,
        }
    }

    fn opcode(&mut self, w: &mut Written) {
        let dst = Self::vectors(w, Some(Role::Dst));
        let mut sources: Vec<Operand> =
            Self::vectors(w, Some(Role::Src)).into_iter().map(|i| w.operands[i]).collect();
        let (&[dst, ..], false) = (&dst[..], sources.is_empty()) else { return };
        if w.record.opcode == Opcode::Cmp && self.coin() {
            w.operands[0] = Operand::Num(self.random.pick(&RELATIONS).raw().into());
            return;
        }
        let plain: Vec<_> = table::rows()
            .filter(|row| row.sub.is_none() && row.is_on(self.platform.caps()))
            .filter(|row| {
                row.opcode.is_plain()
                    || matches!(
                        row.opcode,
                        Opcode::Fminmax | Opcode::Cmp | Opcode::Bfn | Opcode::Addc | Opcode::Subb
                    )
            })
            .map(|row| (row, row.operand_slots().filter(|s| s.role == Role::Src).count()))
            .collect();
        let alike: Vec<_> = plain.iter().filter(|(_, n)| *n == sources.len()).copied().collect();
        let same = self.random.below(4) > 0 && !alike.is_empty();
        let (row, n) = *self.random.pick(if same { &alike } else { &plain });
        while sources.len() < n {
            let one = *self.random.pick(&sources);
            sources.push(one);
        }
        let dst = w.operands[dst];
        let mut sources = sources.into_iter();
        w.operands = row
            .operand_slots()
            .filter_map(|slot| match slot.role {
                Role::Dst => Some(dst),
                Role::Src => sources.next(),
                _ if row.opcode == Opcode::Cmp => {
                    Some(Operand::Num(self.random.pick(&RELATIONS).raw().into()))
                }
                _ if row.opcode == Opcode::Fminmax => Some(Operand::Num(self.random.below(2) as u32)),
                _ => Some(Operand::Num(self.random.below(256) as u32)),
            })
            .collect();
        w.record.opcode = row.opcode;
        if !row.has_pred() {
            w.record.pred = None;
        }
    }

    /// Another type for an operand, or for all of them.
    fn retype(&mut self, w: &mut Written) {
        let all = self.coin();
        let ty = *self.random.pick(&TYPES);
        let vectors = Self::vectors(w, None);
        if vectors.is_empty() {
            return;
        }
        let only = *self.random.pick(&vectors);
        for at in vectors.into_iter().filter(|at| all || *at == only) {
            w.operands[at] = self.seen_as(w.operands[at], ty);
        }
    }

    fn seen_as(&mut self, operand: Operand, ty: Type) -> Operand {
        let grf = u32::from(self.platform.caps().regs.grf_bytes);
        match operand {
            Operand::Vector(VectorOperand::General(g)) => {
                let of = self.kernel.var_type(g.var).map_or(1, Type::bytes);
                let Some(var) = view(self.kernel, g.var, ty) else { return operand };
                let byte = u32::from(g.col) * of;
                let col = (byte / ty.bytes()).min(grf / ty.bytes() - 1) as u8;
                Operand::Vector(VectorOperand::General(GeneralOperand { var, col, ..g }))
            }
            Operand::Vector(VectorOperand::Immediate { .. }) => Operand::Vector(self.edge(ty)),
            Operand::Vector(VectorOperand::Indirect(i)) => {
                Operand::Vector(VectorOperand::Indirect(visa::IndirectOperand { ty, ..i }))
            }
            other => other,
        }
    }

    fn modifier(&mut self, w: &mut Written) {
        let is_bitwise = w.record.opcode.is_bitwise();
        let modifier = match self.random.below(4) {
            0 if is_bitwise => Modifier::Not,
            _ => *self.random.pick(&MODIFIERS),
        };
        let Some((is_source, g)) = self.general(w) else { return };
        g.modifier = match (is_source, g.modifier) {
            (true, _) => modifier,
            (false, Modifier::Sat) => Modifier::None,
            (false, _) => Modifier::Sat,
        };
    }

    /// A predicate of the kernel.
    pub(super) fn predicate(&mut self) -> Option<PredId> {
        let count = self.kernel.preds.len();
        (count > 0).then(|| PredId::from_declared(self.random.below(count)))
    }

    fn guard(&mut self, w: &mut Written) {
        if !w.record.row().is_some_and(table::Row::has_pred) {
            return;
        }
        match (w.record.pred, self.random.below(4)) {
            (Some(p), 0) => w.record.pred = Some(PredOperand { inverse: !p.inverse, ..p }),
            (Some(_), 1) if w.record.opcode != Opcode::Sel => w.record.pred = None,
            (Some(p), 2) => {
                let ctrl = *self.random.pick(&[PredCtrl::None, PredCtrl::Any, PredCtrl::All]);
                w.record.pred = Some(PredOperand { ctrl, ..p });
            }
            _ => {
                let Some(id) = self.predicate() else { return };
                w.record.pred = Some(PredOperand { inverse: self.coin(), ..PredOperand::new(id) });
            }
        }
    }

    fn exec(&mut self, w: &mut Written) {
        if !w.record.row().is_some_and(table::Row::has_exec) {
            return;
        }
        let Exec { size, mask } = w.record.exec;
        w.record.exec = match self.random.below(4) {
            0 | 1 => Exec { mask: EMask::from_raw(mask.raw() ^ 8), size },
            2 => Exec { mask: EMask::from_raw(mask.raw() & 8 | self.random.below(8) as u8), size },
            _ => Exec { mask, size: *self.random.pick(&SIZES) },
        };
    }

    fn swap(&mut self, w: &mut Written) {
        let sources = Self::vectors(w, Some(Role::Src));
        if sources.len() > 1 {
            let (a, b) = (*self.random.pick(&sources), *self.random.pick(&sources));
            w.operands.swap(a, b);
        }
    }

    /// Another constant, or one in place of a source.
    fn constant(&mut self, w: &mut Written) {
        let sources = Self::vectors(w, Some(Role::Src));
        let is_constant =
            |i: &usize| matches!(w.operands[*i], Operand::Vector(VectorOperand::Immediate { .. }));
        let constants: Vec<usize> = sources.iter().copied().filter(is_constant).collect();
        let at = match (constants.is_empty(), sources.is_empty()) {
            (false, _) if self.random.below(4) > 0 => *self.random.pick(&constants),
            (_, false) => *self.random.pick(&sources),
            _ => return,
        };
        let ty = match &w.operands[at] {
            Operand::Vector(v) => self.kernel.operand_type(v).unwrap_or(Type::UD),
            _ => return,
        };
        w.operands[at] = Operand::Vector(self.edge(ty));
    }

    /// A constant where something ends.
    pub(super) fn edge(&mut self, ty: Type) -> VectorOperand {
        // Bits of exponent and mantissa.
        let float = match ty {
            Type::HF => Some((5, 10)),
            Type::F => Some((8, 23)),
            Type::DF => Some((11, 52)),
            _ => None,
        };
        // No constant is a byte.
        let ty = match ty {
            Type::B => Type::W,
            Type::UB => Type::UW,
            ty if TYPES.contains(&ty) => ty,
            _ => Type::UD,
        };
        let bits = 8 * ty.bytes();
        let top = 1u64 << (bits - 1);
        let Some((exponent, mantissa)) = float else {
            let numbers = [0, 1, 2, 3, 4, u64::MAX, u64::MAX - 1, top, top - 1, 0xff, 0x80, 0xffff];
            let shifts = [u64::from(bits), u64::from(bits) - 1, 1 << (bits / 2), self.random.bits()];
            let value = if self.coin() { *self.random.pick(&numbers) } else { *self.random.pick(&shifts) };
            return VectorOperand::imm(ty, value);
        };
        let infinity = ((1u64 << exponent) - 1) << mantissa;
        let one = ((1u64 << (exponent - 1)) - 1) << mantissa;
        let value = *self.random.pick(&[
            0,
            one,
            one + (1 << mantissa),
            one | 1 << (mantissa - 1),
            infinity,
            infinity | 1 << (mantissa - 1),
            infinity - 1,
            1,
            (1 << mantissa) - 1,
            1 << mantissa,
            one + (u64::from(bits / 2 - 1) << mantissa),
        ]);
        VectorOperand::imm(ty, if self.random.below(3) == 0 { value | top } else { value })
    }

    fn region(&mut self, w: &mut Written) {
        let grf = u32::from(self.platform.caps().regs.grf_bytes);
        let (v, width, h) = *self.random.pick(&REGIONS);
        let stride = *self.random.pick(&[1, 1, 2, 4]);
        let (kind, by) = (self.random.below(3), self.random.below(8) as u32);
        let kernel = self.kernel;
        let Some((is_source, g)) = self.general(w) else { return };
        match kind {
            0 => {
                let size = kernel.var_type(g.var).map_or(1, Type::bytes);
                g.col = (u32::from(g.col) ^ (1 << by)).min(grf / size - 1) as u8;
            }
            1 if by < 3 => g.row ^= 1 << by,
            _ if is_source => g.region = Region::src(v, width, h),
            _ => g.region = Region::dst(stride),
        }
    }

    /// An operand of an instruction nearby, as source; mostly what was written.
    fn nearby(&mut self) -> Option<Operand> {
        let first = self.at.saturating_sub(NEAR);
        let end = (self.at + NEAR / 2).min(self.kernel.code.len());
        let other = Written::of(self.kernel, first + self.random.below(end - first));
        let role = if self.random.below(3) > 0 { Role::Dst } else { Role::Src };
        let found = Self::vectors(&other, Some(role));
        let operand = *other.operands.get(*found.get(self.random.below(found.len()))?)?;
        Some(match (role, operand) {
            (Role::Dst, Operand::Vector(VectorOperand::General(g))) => {
                let h = g.region.hstride().unwrap_or(1);
                let one = other.record.exec.size == ExecSize::S1;
                let region = if one { Region::src(0, 1, 0) } else { Region::src(h, 1, 0) };
                Operand::Vector(VectorOperand::General(GeneralOperand {
                    region,
                    modifier: Modifier::None,
                    ..g
                }))
            }
            (_, operand) => operand,
        })
    }

    /// Another operand, seen as the type that was there.
    fn other_operand(&mut self, w: &mut Written) {
        let all = Self::vectors(w, None);
        let sources = Self::vectors(w, Some(Role::Src));
        if all.is_empty() {
            return;
        }
        let at = *self.random.pick(&all);
        let Operand::Vector(old) = w.operands[at] else { return };
        let (Some(ty), Some(new)) = (self.kernel.operand_type(&old), self.nearby()) else { return };
        let new = if TYPES.contains(&ty) && self.random.below(4) > 0 { self.seen_as(new, ty) } else { new };
        w.operands[at] = match new {
            Operand::Vector(VectorOperand::General(g)) if !sources.contains(&at) => {
                Operand::Vector(VectorOperand::General(GeneralOperand {
                    region: Region::dst(1),
                    modifier: Modifier::None,
                    ..g
                }))
            }
            other => other,
        };
    }

    /// A source of a type, from nearby.
    pub(super) fn source(&mut self, ty: Type) -> Option<Operand> {
        let operand = self.nearby()?;
        Some(self.seen_as(operand, ty))
    }
}

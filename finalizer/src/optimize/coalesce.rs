//! Results go straight to where they are moved.
//!
//! `op s = ...; mov d, s`, where nothing else needs `s`, becomes `op d = ...`. The definition and the
//! move must cover the same bytes and the same channels, and nothing in between may touch `s` or those
//! bytes of `d`. In legal code the result may also go to other strides, where that is legal, and a move that takes
//! the low bytes of integers has the operation write those alone: `shr s:d = ...; mov d<4>:b = s:b` becomes `shr d<4>:b = ...`.

use gen_ir::{
    Class, Dst, Extent, InPlace, Inst, Kernel, Op, Payload, Reg, Region, Role, Src, SrcMod, Type, VarClass,
    VarId, Virtual,
};
use narrow::to_u8;

use platforms::Caps;

use super::{legal::Legality, locality::Locality};

/// Bytes of the widest element that is computed where only its low bytes are written.
const DWORD: u32 = 4;

/// How far apart definition and move may stand. Bounds the work per move.
const REACH: usize = 200;

/// Makes moves of block `b` `nop`. `candidates`: places of moves
/// that are the last to read a variable of the block, in ascending order.
pub(super) fn moves(
    kernel: &mut Kernel<Virtual>,
    b: usize,
    locality: &Locality,
    grf_bytes: u32,
    legality: Legality,
    candidates: impl Iterator<Item = usize>,
) {
    let platform = kernel.platform;
    for i in candidates {
        let insts = &kernel.blocks[b].insts;
        let Some(mv) = Move::of(&insts[i], grf_bytes, legality) else { continue };
        let var = &kernel.vars[mv.dst.index()];
        if !locality.only_in(mv.src, b) || var.class != VarClass::General || var.fixed.is_some() {
            continue;
        }
        let aligned = kernel.vars[mv.dst.index()].align >= grf_bytes && mv.dst_bytes.start % grf_bytes == 0;
        let Some(j) = definition(insts, i, &mv, grf_bytes, (aligned, var.address_taken)) else { continue };
        let mut new = insts[j];
        let cut = new.dst.ty().is_some_and(|ty| mv.cuts(ty));
        if let Dst::Direct { reg, horz, ty } = &mut new.dst {
            *reg = Reg::var_at(mv.dst, mv.dst_bytes.start);
            *horz = mv.dst_horz;
            if cut {
                *ty = mv.ty;
            }
        }
        let unit = match new.op.info().class {
            Class::Ternary if legality.is_legal() => ternary_unit(platform.caps(), new.exec.lanes()),
            _ => 1,
        };
        // Where a narrow result lies in what is computed is asked of a variable that begins with the latter.
        let begins = if cut { DWORD } else { unit };
        if !kernel.vars[mv.dst.index()].align.is_multiple_of(begins)
            || !mv.dst_bytes.start.is_multiple_of(unit)
        {
            continue;
        }
        let legal = |new| gen_ir::rules::allows(platform, new, grf_bytes, &kernel.vars);
        if legality.is_legal() && !(small(&new) && legal(&new)) {
            continue;
        }
        let insts = &mut kernel.blocks[b].insts;
        insts[j] = new;
        insts[i] = Inst::new(Op::Nop, insts[i].exec);
    }
}

/// A move of whole channels between variables.
struct Move {
    dst: VarId,
    src: VarId,
    dst_bytes: Extent,
    src_bytes: Extent,
    chan: u8,
    lanes: u32,
    no_mask: bool,
    /// Of what is written.
    ty: Type,
    /// Bytes of an element that is read.
    read: u32,
    /// Strides in elements.
    dst_horz: u8,
    src_horz: u8,
}

impl Move {
    fn of(inst: &Inst<Virtual>, grf_bytes: u32, legality: Legality) -> Option<Move> {
        if inst.op != Op::Mov || inst.pred.is_some() || inst.cond.is_some() || inst.sat {
            return None;
        }
        let Dst::Direct { reg: dst, horz, ty: dst_ty } = inst.dst else { return None };
        let Src::Direct { reg: src, region, mods: SrcMod::None, ty } = inst.src[0] else { return None };
        let lanes = inst.exec.lanes();
        let raw = ty.same_bits(dst_ty);
        let cut = legality.is_legal() && ty.is_int() && dst_ty.is_int() && dst_ty.bytes() < ty.bytes();
        let src_horz = stride(region, lanes)?;
        if !(raw || cut) || src.var() == dst.var() {
            return None;
        }
        if lanes > 1 && (horz != 1 || src_horz != 1) && !legality.is_legal() {
            return None;
        }
        Some(Move {
            dst: dst.var()?,
            src: src.var()?,
            dst_bytes: inst.dst_extent(grf_bytes)?,
            src_bytes: inst.src_extent(0, grf_bytes)?,
            chan: inst.chan,
            lanes,
            no_mask: inst.no_mask,
            ty: dst_ty,
            read: ty.bytes(),
            dst_horz: horz,
            src_horz,
        })
    }

    /// Whether integers of a type would lose their upper bytes where they are moved to.
    fn cuts(&self, ty: Type) -> bool {
        ty.is_int() && self.ty.is_int() && ty.bytes() > self.ty.bytes()
    }

    /// Whether an instruction writes what is read, and nothing else; or integers of which the move takes the low bytes, where
    /// it could write those alone.
    fn is_of(&self, inst: &Inst<Virtual>, written: Extent) -> bool {
        let Dst::Direct { reg, horz, ty } = inst.dst else { return written == self.src_bytes };
        if self.read == self.ty.bytes() && written == self.src_bytes {
            return true;
        }
        let apart = |horz: u8, bytes: u32| u32::from(horz) * bytes;
        let same_lanes = reg.byte == self.src_bytes.start
            && (self.lanes == 1 || apart(horz, ty.bytes()) == apart(self.src_horz, self.read));
        same_lanes && self.cuts(ty) && gives_low_bytes(inst)
    }
}

/// The instruction before `i` that writes exactly what the move reads, if its result may be renamed. The destination of the
/// move begins a register or not, and addresses lead to it or not.
fn definition(
    insts: &[Inst<Virtual>],
    i: usize,
    mv: &Move,
    grf_bytes: u32,
    (aligned, addressed): (bool, bool),
) -> Option<usize> {
    for (j, inst) in insts[..i].iter().enumerate().rev().filter(|(_, i)| i.op != Op::Nop).take(REACH) {
        if addressed && goes_by_address(inst) {
            return None;
        }
        let writes = |v: VarId| inst.dst.reg().filter(|r| r.var() == Some(v)).and(inst.dst_extent(grf_bytes));
        if let Some(bytes) = writes(mv.src) {
            return (mv.is_of(inst, bytes) && renames(inst, mv, grf_bytes, aligned)).then_some(j);
        }
        if touches(inst, mv, grf_bytes) {
            return None;
        }
    }
    None
}

/// Whether an operation on integers would give the low bytes of its result in a smaller destination: it is cut there, if it does
/// not saturate (volume 7, execution data type). Intel's compilers write this of these operations.
fn gives_low_bytes(inst: &Inst<Virtual>) -> bool {
    let known = matches!(
        inst.op,
        Op::Mov | Op::Not | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr | Op::Add
    );
    known
        && inst.is_plain()
        && inst.src.iter().all(|s| s.ty().is_none_or(Type::is_int))
        && shifts_alike_when_cut(inst)
}

/// Whether a shift gives the low bytes of its result in a smaller destination. How many bits there are to shift, and how many of the
/// count are read, goes by the wider of result and source (volume 2a, "shl", "shr", "asr": six bits of the count with
/// quadwords, else five). A narrower source is widened as its type says.
fn shifts_alike_when_cut(inst: &Inst<Virtual>) -> bool {
    let (Some(result), Some(source)) = (inst.dst.ty(), inst.src[0].ty()) else { return true };
    let widened_alike = match inst.op {
        Op::Shl => true,
        Op::Shr => !source.is_signed(),
        Op::Asr => source.is_signed(),
        _ => return true,
    };
    let few = matches!(inst.src[1], Src::Imm { bits: 0..32, ty } if !ty.is_vector());
    source.bytes() >= result.bytes() || few && widened_alike
}

/// Bytes that the place of a three-source result is a multiple of (volume 7, three-source formats). A single channel's has to be one
/// that words can say, if no other rule asks for more: Ice Lake's and Tiger Lake's count in eight bytes.
fn ternary_unit(caps: &Caps, lanes: u32) -> u32 {
    match (lanes, caps.words.ternary_align16) {
        (2.., _) => 16,
        (_, true) => 4,
        (_, false) => u32::from(caps.regions.ternary_align).min(8),
    }
}

/// Whether the definition may write the move's destination instead.
fn renames(inst: &Inst<Virtual>, mv: &Move, grf_bytes: u32, aligned: bool) -> bool {
    let Dst::Direct { horz, ty, .. } = inst.dst else { return false };
    let send = matches!(inst.payload, Payload::Send(_));
    // Which elements of an immediate vector channels read follows from the destination's stride.
    let vector = inst.src.iter().any(|s| s.vector_type().is_some());
    let strided = inst.op.info().class == Class::Basic && !vector;
    let is_cut = mv.cuts(ty);
    let shape = if send {
        aligned
    } else {
        matches!(inst.op.info().class, Class::Basic | Class::Ternary | Class::Math)
            && (horz == mv.src_horz || mv.lanes == 1 || is_cut)
            && (mv.dst_horz == 1 || mv.lanes == 1 || strided)
    };
    let shape = shape && !(send && (mv.dst_horz != 1 || mv.src_horz != 1));
    // Accumulators go with the channels of a register, three-source results start at a multiple of 16 bytes:
    // elsewhere the instruction would have to be cut or moved through a temporary again.
    let accumulates = inst.implicit_accumulator().writes
        || inst.op == Op::Mulh
        || inst
            .src
            .iter()
            .any(|s| matches!(s, Src::Direct { reg, .. } if reg.var().is_none() && !reg.is_null()));
    let multiple_of = match inst.op.info().class {
        _ if accumulates => grf_bytes,
        Class::Ternary if mv.lanes > 1 => 16,
        _ => 1,
    };
    let shape = shape && mv.dst_bytes.start.is_multiple_of(multiple_of) && (!accumulates || mv.dst_horz == 1);
    let same_channels = inst.exec.lanes() == mv.lanes && inst.chan == mv.chan && inst.no_mask == mv.no_mask;
    // What it reads of the destination, it must read channel by channel at the bytes it then writes.
    let in_place = (0..3).all(|k| match inst.src[k] {
        Src::Direct { reg, region, .. } if reg.var() == Some(mv.dst) => match inst.src_extent(k, grf_bytes) {
            Some(read) if read.overlaps(mv.dst_bytes) => {
                let same = |stride| mv.lanes == 1 || stride == mv.dst_horz;
                !send && read == mv.dst_bytes && stride(region, mv.lanes).is_some_and(same)
            }
            _ => true,
        },
        _ => true,
    });
    shape
        && same_channels
        && (inst.pred.is_none() || inst.op == Op::Sel)
        && in_place
        && !uses_address_of(inst, mv.dst)
}

/// Whether an instruction reads the move's source or touches the bytes of its destination.
fn touches(inst: &Inst<Virtual>, mv: &Move, grf_bytes: u32) -> bool {
    let meets = |reg: Reg<Virtual>| reg.var().is_some_and(|v| v == mv.src || v == mv.dst);
    let mut near = inst.dst.reg().is_some_and(meets) || inst.cond.is_some_and(|c| meets(c.flag));
    inst.for_each_read(|reg| near |= meets(reg));
    if !near {
        return false;
    }
    let mut found = false;
    let pitch = mv.ty.bytes() * u32::from(mv.dst_horz.max(1));
    inst.for_each_reg(|role, reg| {
        found |= reg.var() == Some(mv.src);
        if reg.var() == Some(mv.dst) {
            let between = || match inst.dst {
                Dst::Direct { horz, ty, .. } if role == Role::Dst => {
                    mv.dst_horz == horz
                        && ty.bytes() == mv.ty.bytes()
                        && reg.byte % pitch != mv.dst_bytes.start % pitch
                }
                _ => false,
            };
            found |= inst.extent(role, grf_bytes).is_none_or(|e| e.overlaps(mv.dst_bytes) && !between());
        }
    });
    found
}

fn goes_by_address(inst: &Inst<Virtual>) -> bool {
    matches!(inst.dst, Dst::Indirect { .. }) || inst.reads_through_address()
}

fn uses_address_of(inst: &Inst<Virtual>, var: VarId) -> bool {
    inst.src.iter().any(|s| matches!(s, Src::AddrOf { reg: InPlace(reg), .. } if reg.var() == Some(var)))
}

/// The stride of a region whose channel `n` reads element `n` times that; 1 for a single channel.
fn stride(region: Region, lanes: u32) -> Option<u8> {
    if !region.is_complete() {
        return None;
    }
    if lanes == 1 {
        return Some(1);
    }
    region.stride(lanes).map(to_u8)
}

/// Whether all operands are of at most four bytes an element, in plain instructions.
fn small(inst: &Inst<Virtual>) -> bool {
    let small = |t: Option<Type>| t.is_none_or(|t| t.bytes() <= 4);
    !inst.implicit_accumulator().writes && small(inst.dst.ty()) && inst.src.iter().all(|s| small(s.ty()))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{local, use_counts::UseCounts},
        *,
    };
    use gen_ir::{Block, ExecSize, Var, VarClass};
    use platforms::Platform;

    fn coalesce(k: &mut Kernel<Virtual>) {
        let mut locality = Locality::default();
        locality.find(k, &vec![0; k.blocks.len()]);
        let mut use_counts = UseCounts::default();
        use_counts.count(k);
        local::tidy(k, &locality, &use_counts, 32, Legality::Open, &mut local::LocalMemory::default());
        crate::optimize::dead::drop_nops(k);
    }

    fn kernel() -> (Kernel<Virtual>, Vec<VarId>) {
        let mut k = Kernel::new("k", Platform::Skl);
        // The one in the middle is the block's own.
        let var = |of_others| Var {
            live_in: of_others,
            live_out: of_others,
            ..Var::temp(VarClass::General, 64, 32)
        };
        let v = [true, false, true].map(|of_others| k.add_var(var(of_others))).to_vec();
        k.blocks.push(Block::default());
        (k, v)
    }

    fn inst(op: Op, d: VarId, byte: u32, s: VarId) -> Inst<Virtual> {
        let mut i = Inst::new(op, ExecSize::S8);
        i.dst = Dst::packed(Reg::var_at(d, byte), Type::D);
        i.src[0] = Src::new(Reg::var_at(s, 0), Region::new(8, 8, 1), Type::D);
        if op == Op::Add {
            i.src[1] = Src::d(1);
        }
        i
    }

    #[test]
    fn a_result_is_written_where_it_is_wanted() {
        let (mut k, v) = kernel();
        k.blocks[0].insts = vec![inst(Op::Add, v[1], 0, v[0]), inst(Op::Mov, v[2], 32, v[1])];
        coalesce(&mut k);
        assert_eq!(k.blocks[0].insts, [inst(Op::Add, v[2], 32, v[0])]);
    }

    #[test]
    fn a_loop_counter_is_stepped_in_place() {
        let (mut k, v) = kernel();
        k.blocks[0].insts = vec![inst(Op::Add, v[1], 0, v[0]), inst(Op::Mov, v[0], 0, v[1])];
        coalesce(&mut k);
        assert_eq!(k.blocks[0].insts, [inst(Op::Add, v[0], 0, v[0])]);
    }

    #[test]
    fn a_value_with_another_reader_keeps_its_name() {
        let (mut k, v) = kernel();
        let before =
            vec![inst(Op::Add, v[1], 0, v[0]), inst(Op::Mov, v[2], 0, v[1]), inst(Op::Add, v[0], 0, v[1])];
        k.blocks[0].insts = before.clone();
        coalesce(&mut k);
        assert_eq!(k.blocks[0].insts, before);
    }

    #[test]
    fn bytes_read_in_between_stay() {
        let (mut k, v) = kernel();
        let before =
            vec![inst(Op::Add, v[1], 0, v[0]), inst(Op::Add, v[0], 0, v[2]), inst(Op::Mov, v[2], 0, v[1])];
        k.blocks[0].insts = before.clone();
        coalesce(&mut k);
        assert_eq!(k.blocks[0].insts, before);
    }
}

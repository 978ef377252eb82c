//! Headers that are the same for every message of a kernel are made once, where it begins.
//!
//! Such a header is a copy of `r0`, or one constant, with constants written over some of its dwords; sampler messages and
//! fences have them. A header that is all of `r0` needs no copy. Any other takes a register up to the last message that
//! reads it, so a kernel that spills is compiled again without this pass (`Workspace::registers_traded`). Headers that one
//! block alone has are left to `share-headers`.

use gen_ir::{Dst, FileByte, Inst, Kernel, Op, Reg, Role, Src, Var, VarClass, VarId, Virtual};
use narrow::{as_index, low_u32};

use super::{
    headers::{DWORDS, fills, is_header},
    locality::Locality,
    use_counts::UseCounts,
};
use crate::build::VSrc;

/// How many different headers are made where a kernel begins.
const MOST: usize = 4;
/// Within how many instructions a header is made and read for the last time.
const LONGEST: usize = 64;

/// What a header holds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Content {
    /// What fills it: the source of the first dword.
    base: VSrc,
    /// Constants over that.
    dwords: [Option<u32>; DWORDS],
}

/// A header that is in several places.
#[derive(Clone, Copy, Debug)]
struct RepeatedHeader {
    content: Content,
    /// A block that makes it, and whether another does.
    block: usize,
    several: bool,
    /// Its first place.
    first: usize,
    /// The variable that holds it from now on.
    var: Option<VarId>,
}

/// One place where a header is made and read.
#[derive(Clone, Copy, Debug)]
struct HeaderPlace {
    known: usize,
    var: VarId,
    block: usize,
    /// The first instruction that writes it, and the last that reads it.
    first: usize,
    last: usize,
}

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct ConstantHeaderMemory {
    known: Vec<RepeatedHeader>,
    places: Vec<HeaderPlace>,
    made: Vec<Inst<Virtual>>,
}

/// What came of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub any: bool,
    /// Some header keeps a register for a large part of the kernel.
    pub kept: bool,
}

/// Makes constant headers once. What is not needed any more becomes `nop`.
pub(super) fn hoist(
    kernel: &mut Kernel<Virtual>,
    (locality, use_counts): (&Locality, &UseCounts),
    grf_bytes: u32,
    memory: &mut ConstantHeaderMemory,
) -> Done {
    memory.find(kernel, locality, use_counts, grf_bytes);
    let kept = memory.give_variables(kernel, grf_bytes);
    let any = memory.rewrite(kernel);
    Done { any, kept }
}

impl ConstantHeaderMemory {
    /// Finds the headers of constants, and where they are made.
    fn find(
        &mut self,
        kernel: &Kernel<Virtual>,
        locality: &Locality,
        use_counts: &UseCounts,
        grf_bytes: u32,
    ) {
        let ConstantHeaderMemory { known, places, .. } = self;
        known.clear();
        places.clear();
        for (b, block) in kernel.blocks.iter().enumerate().filter(|(b, _)| locality.any_in(*b)) {
            for (first, inst) in block.insts.iter().enumerate() {
                let Some((base, _)) = fills(inst, grf_bytes) else { continue };
                let Some(var) = inst.dst_var() else { continue };
                if !locality.only_in(var, b)
                    || !is_header(&kernel.vars[var.index()], grf_bytes)
                    || !stays(&base, &kernel.vars, use_counts)
                {
                    continue;
                }
                let insts = &block.insts[first..];
                let Some((dwords, last)) = constants(insts, var, use_counts.reads(var)) else { continue };
                let content = Content { base, dwords };
                let at = known.iter().position(|k| k.content == content).unwrap_or(known.len());
                match known.get_mut(at) {
                    Some(k) => k.several |= k.block != b,
                    None if at < MOST => known.push(RepeatedHeader {
                        content,
                        block: b,
                        several: false,
                        first: places.len(),
                        var: None,
                    }),
                    None => continue,
                }
                places.push(HeaderPlace { known: at, var, block: b, first, last: first + last });
            }
        }
    }

    /// Gives headers of several blocks a variable each; `r0` itself has one. Returns whether there is a new one.
    fn give_variables(&mut self, kernel: &mut Kernel<Virtual>, grf_bytes: u32) -> bool {
        let mut kept = false;
        for header in &mut self.known {
            let Content { base, dwords } = header.content;
            header.var = match base.reg().and_then(Reg::var) {
                Some(r0) if dwords == [None; DWORDS] => Some(r0),
                _ if header.several && !kernel.outside => {
                    kept = true;
                    let align = kernel.vars[self.places[header.first].var.index()].align;
                    Some(kernel.add_var(Var::temp(VarClass::General, grf_bytes, align)))
                }
                _ => None,
            };
        }
        kept
    }

    /// Reads those variables, which are made where the kernel starts. Returns whether anything is.
    fn rewrite(&mut self, kernel: &mut Kernel<Virtual>) -> bool {
        let ConstantHeaderMemory { known, places, made } = self;
        let mut any = false;
        made.clear();
        for (n, place) in places.iter().enumerate() {
            let header = &known[place.known];
            let Some(var) = header.var else { continue };
            any = true;
            let is_new = header.content.base.reg().and_then(Reg::var) != Some(var);
            for inst in &mut kernel.blocks[place.block].insts[place.first..=place.last] {
                let named = |reg: Reg<Virtual>| reg.var() == Some(place.var);
                let there = inst.map_regs(|_, reg| if named(reg) { Reg::var_at(var, reg.byte) } else { reg });
                if !inst.dst.reg().is_some_and(named) {
                    *inst = there;
                    continue;
                }
                if is_new && n == header.first {
                    made.push(there);
                }
                *inst = Inst::new(Op::Nop, inst.exec);
            }
        }
        let [_, start] = kernel.payload_ends();
        if let Some(entry) = kernel.blocks.first_mut() {
            entry.insts.splice(start..start, made.drain(..));
        }
        any
    }
}

/// Whether what fills a header is the same all over the kernel, and, if it is a register, `r0`.
fn stays(base: &VSrc, vars: &[Var], use_counts: &UseCounts) -> bool {
    match base.reg() {
        Some(reg) => reg.var().is_some_and(|v| {
            let var = &vars[v.index()];
            let is_r0 = var.fixed == Some(FileByte::START) && reg.byte == 0;
            is_r0 && var.live_in && var.is_only_named() && !use_counts.vars[v.index()].is_written()
        }),
        None => base.is_imm(),
    }
}

/// The first of these instructions fills a header. Returns the constants that are written over that afterwards, by dword,
/// and the last instruction that reads the header; nothing if the header is used in any other way than this: first
/// constants are written to it, then messages read it `reads` times.
fn constants(insts: &[Inst<Virtual>], var: VarId, reads: u32) -> Option<([Option<u32>; DWORDS], usize)> {
    let mut dwords = [None; DWORDS];
    let mut left = reads;
    for (i, inst) in insts.iter().enumerate().take(LONGEST).skip(1) {
        let (mut writes, mut read) = (false, 0);
        inst.for_each_reg(|role, reg| {
            if reg.var() != Some(var) {
                return;
            }
            match role {
                Role::Dst => writes = true,
                Role::Src(_) if inst.op.is_send() && !inst.is_eot() && reg.byte == 0 => read += 1,
                // One of `reads` that is never found.
                _ => {}
            }
        });
        if writes {
            let Dst::Direct { reg, ty, .. } = inst.dst else { return None };
            let Src::Imm { bits, ty: from } = inst.src[0] else { return None };
            let plain = inst.op == Op::Mov
                && inst.no_mask
                && inst.exec.lanes() == 1
                && inst.pred.is_none()
                && inst.cond.is_none()
                && !inst.sat;
            let dword = ty.is_dword() && from.is_dword() && reg.byte.is_multiple_of(4);
            if !plain || !dword || left < reads {
                return None;
            }
            *dwords.get_mut(as_index(reg.byte / 4))? = Some(low_u32(bits));
        }
        left = left.checked_sub(read)?;
        if left == 0 {
            return Some((dwords, i));
        }
    }
    None
}

//! Where variables of vISA are while their code runs, for debuggers.
//!
//! A place is told for a vISA instruction if, wherever code of that instruction begins, the place holds what the variable
//! has before the instruction: for the lanes that run there, byte by byte. Optimization moves, merges and drops
//! definitions, so nothing is taken for granted but this:
//!
//! * What lowering writes into a variable for an instruction is what the instruction gives it. That is noted behind
//!   lowering ([`Defined`]), and held against what is left in the end: a definition of which some bytes are no longer
//!   written spoils the place from there to the next whole one.
//! * The allocator gives nobody else the registers of a variable while some lane needs it, be it that the lane waits.
//!   So from one block to the next a place holds if the variable is read there before anything writes it, and if its
//!   bytes were right at the end of all blocks before.
//! * Within a block the code is walked in its final order: a write of another's value into the registers ends the place,
//!   and so does a definition that comes too early or late for the instruction. Behind a branch that became predicates,
//!   what its side has written is right for the lanes of that side alone, and nothing is said.
//!
//! Variables whose address is taken have no place, nor have those that were spilled or split, or that share registers
//! by a copy that was left out.

use std::collections::BTreeMap;

use gen_ir::{
    Block, BlockId, Cfg, Direction, Dst, Extent, Inst, Kernel, Op, Payload, Physical, Reg, Role, Var,
    VarClass, VarId, Virtual,
};
use narrow::{as_index, every, ones_between, to_index};
use regalloc::Placed;
use visa::Opcode;

use super::needs::Needs;

/// Steps of the search, together; more code has no places.
const MOST_STEPS: usize = 1 << 28;

/// The number of a vISA instruction; code before all of them has a lower one.
type Number = i64;
const BEFORE_ALL: Number = -1;

/// Parts of a variable, up to 64 of equal size.
pub(crate) type Parts = u64;

/// What lowering writes into variables.
#[derive(Debug)]
pub(crate) struct Defined {
    /// By variable of the code: the declared variable that it stands for.
    roots: Vec<Option<u32>>,
    /// Parts that are written, by variable and instruction.
    written: BTreeMap<(u32, Number), Parts>,
    /// By variable: all parts that hold something.
    needed: Vec<Parts>,
}

/// The place of a declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariablePlace {
    /// The variable, by its number among the declared ones.
    pub root: u32,
    /// Its first byte in the register file.
    pub at: u32,
    /// The instructions before which it is there: first and last.
    pub ranges: Vec<(u32, u32)>,
}

fn number(origin: u32) -> Number {
    if origin == Inst::<Virtual>::NO_ORIGIN { BEFORE_ALL } else { origin.into() }
}

/// Log2 of the bytes in a part.
fn shift(var: &Var) -> u32 {
    var.bytes.div_ceil(64).next_power_of_two().trailing_zeros()
}

/// Parts of its destination that an instruction touches, and those that it covers.
fn written(inst: &Inst<Virtual>, var: &Var, grf_bytes: u32) -> (Parts, Parts) {
    let Some(extent) = inst.dst_extent(grf_bytes) else { return (0, 0) };
    let (shift, end) = (shift(var), extent.end.min(var.bytes));
    let part = 1 << shift;
    let (step, size) = match (&inst.payload, inst.dst) {
        (Payload::None | Payload::Math(_) | Payload::Bfn(_), Dst::Direct { horz, ty, .. }) => {
            (u32::from(horz).max(1) * ty.bytes(), ty.bytes())
        }
        _ => (1, 1),
    };
    let one = |start: u32, end: u32| {
        // What ends with the variable fills its last part.
        let last = if end == var.bytes { end.div_ceil(part) } else { end >> shift };
        (ones_between(start >> shift, end.div_ceil(part)), ones_between(start.div_ceil(part), last))
    };
    if step <= size {
        return one(extent.start, end);
    }
    let elements = every(extent.start..end, step).map(|at| one(at, (at + size).min(end)));
    elements.fold((0, 0), |all, some| (all.0 | some.0, all.1 | some.1))
}

impl Defined {
    /// What a kernel's code writes that has just been lowered.
    pub fn of(source: &visa::Kernel, kernel: &Kernel<Virtual>) -> Defined {
        let mut taken = vec![false; source.vars.len()];
        let root = |var: &Var| {
            let number = as_index(var.origin?);
            let declared = source.vars.get(number).filter(|v| v.alias.is_none())?;
            // Handles of surfaces count by themselves, and come later.
            let is_first = var.class == VarClass::General && !std::mem::replace(&mut taken[number], true);
            (is_first && declared.bytes() > 0).then_some(to_index(number))
        };
        let roots: Vec<Option<u32>> = kernel.vars.iter().map(root).collect();
        let whole = |var: &Var| ones_between(0, var.bytes.div_ceil(1 << shift(var)));
        let mut needed: Vec<Parts> =
            kernel.vars.iter().map(|var| if var.live_in { whole(var) } else { 0 }).collect();
        let grf_bytes = u32::from(kernel.platform.caps().regs.grf_bytes);
        let mut all = BTreeMap::new();
        for (_, inst) in kernel.insts() {
            let Some(v) = inst.dst_var().filter(|v| roots[v.index()].is_some()) else {
                continue;
            };
            let (touched, _) = written(inst, &kernel.vars[v.index()], grf_bytes);
            *all.entry((v.0, number(inst.origin))).or_insert(0) |= touched;
            needed[v.index()] |= touched;
        }
        Defined { roots, written: all, needed }
    }
}

/// A write into a variable that places are looked for.
#[derive(Clone, Copy)]
struct Write {
    /// The instruction in its block.
    at: usize,
    by: Number,
    /// Parts that hold the new value from then on.
    covered: Parts,
    /// It is none of the definitions that lowering made.
    is_foreign: bool,
}

/// A block as the search sees it.
#[derive(Default)]
struct Scene {
    /// By instruction: the vISA instruction whose code begins there.
    starts: Vec<Option<Number>>,
    /// By instruction: the bytes of the register file that it writes.
    stores: Vec<(u32, u32)>,
    /// Writes of each variable, by its number among those looked for.
    writes: BTreeMap<u32, Vec<Write>>,
    /// Definitions that are not whole any more.
    broken: BTreeMap<u32, Vec<Number>>,
}

/// A variable that a place is looked for.
struct Sought {
    var: VarId,
    root: u32,
    /// Its bytes in the register file.
    at: (u32, u32),
    needed: Parts,
    is_input: bool,
}

/// Looks for places. Instructions of the code have as their origin their number among the instructions that were given
/// places.
pub(crate) fn find(
    defined: &Defined,
    placed: &Placed,
    code: &Kernel<Physical>,
    source: &visa::Kernel,
) -> Vec<VariablePlace> {
    let insts: Vec<&Inst<Virtual>> = placed.kernel.insts().map(|(_, inst)| inst).collect();
    let sought = sought(defined, placed);
    let mut number_of = vec![None; placed.kernel.vars.len()];
    for (s, i) in sought.iter().zip(0..) {
        number_of[s.var.index()] = Some(i);
    }
    let flow = blocks_of(source);
    let vars = &placed.kernel.vars;
    let search = Search { insts: &insts, sought: &sought, number_of: &number_of, vars, flow: &flow };
    let mut scenes: Vec<Scene> = code.blocks.iter().map(|b| search.scene(defined, b, code)).collect();
    let lost = search.find_broken(defined, &mut scenes, code);
    let needs = search.needs(code);
    let Some(valid) = search.valid(&scenes, &needs, code) else { return Vec::new() };
    let times = Times::of(&scenes);
    let mut shown = Vec::new();
    let place = |(i, s): (usize, &Sought)| {
        if lost[i] {
            return None;
        }
        shown.clear();
        for &(block, before) in &valid[i] {
            search.walk(&scenes[as_index(block)], to_index(i), before, |n| shown.push(n));
        }
        let ranges = times.ranges(&mut shown);
        (!ranges.is_empty()).then_some(VariablePlace { root: s.root, at: s.at.0, ranges })
    };
    sought.iter().enumerate().filter_map(place).collect()
}

/// The vISA instructions that have code, in order, and how often code of each begins.
struct Times(Vec<(Number, usize)>);

impl Times {
    fn of(scenes: &[Scene]) -> Times {
        let mut all: Vec<Number> = scenes.iter().flat_map(|s| &s.starts).filter_map(|n| *n).collect();
        all.sort_unstable();
        Times(all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect())
    }

    /// Stretches of instructions that were shown wherever their code begins. What has no code is nowhere.
    fn ranges(&self, shown: &mut [Number]) -> Vec<(u32, u32)> {
        shown.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut next = usize::MAX;
        for same in shown.chunk_by(|a, b| a == b) {
            let at = self.0.partition_point(|(n, _)| *n < same[0]);
            let Ok(n) = u32::try_from(same[0]) else { continue };
            if self.0.get(at) != Some(&(same[0], same.len())) {
                continue;
            }
            match ranges.last_mut().filter(|_| at == next) {
                Some(last) => last.1 = n,
                None => ranges.push((n, n)),
            }
            next = at + 1;
        }
        ranges
    }
}

/// The block of each vISA instruction, and how many branches stand before it.
fn blocks_of(source: &visa::Kernel) -> Vec<(u32, u32)> {
    let (mut block, mut branches) = (0, 0);
    let mut ended = false;
    let number = |record: &visa::Record| {
        use Opcode::{Call, Fcall, Fret, Goto, Ifcall, Jmp, Label, Ret, Subroutine, Switchjmp};
        if ended || matches!(record.opcode, Label | Subroutine) {
            block += 1;
        }
        branches += u32::from(ended);
        ended = matches!(record.opcode, Call | Fcall | Fret | Goto | Ifcall | Jmp | Ret | Switchjmp);
        (block, branches)
    };
    source.code.iter().map(number).collect()
}

fn sought(defined: &Defined, placed: &Placed) -> Vec<Sought> {
    let mut sought = Vec::new();
    for (v, root) in defined.roots.iter().enumerate() {
        let (Some(root), Some(Some(at)), Some(var)) = (*root, placed.at.get(v), placed.kernel.vars.get(v))
        else {
            continue;
        };
        if !var.address_taken && defined.needed[v] != 0 {
            let at = (at.bytes(), at.bytes() + var.bytes);
            sought.push(Sought {
                var: VarId::from(v),
                root,
                at,
                needed: defined.needed[v],
                is_input: var.live_in,
            });
        }
    }
    sought
}

struct Search<'a> {
    /// The instructions that were given places.
    insts: &'a [&'a Inst<Virtual>],
    sought: &'a [Sought],
    /// By variable.
    number_of: &'a [Option<u32>],
    vars: &'a [Var],
    /// By vISA instruction: its block, and the branches before it.
    flow: &'a [(u32, u32)],
}

impl Search<'_> {
    fn inst(&self, inst: &Inst<Physical>) -> Option<&Inst<Virtual>> {
        self.insts.get(as_index(inst.origin)).copied()
    }

    fn scene(&self, defined: &Defined, block: &Block<Physical>, code: &Kernel<Physical>) -> Scene {
        let grf_bytes = u32::from(code.platform.caps().regs.grf_bytes);
        let mut scene = Scene::default();
        let mut before = BEFORE_ALL;
        for (at, inst) in block.insts.iter().enumerate() {
            let from = self.inst(inst);
            let by = from.map_or(BEFORE_ALL, |from| number(from.origin));
            scene.starts.push((by != BEFORE_ALL && by != before).then_some(by));
            before = if by == BEFORE_ALL { before } else { by };
            let stored = store(inst, grf_bytes);
            scene.stores.push(stored);
            let Some((i, from)) = from.and_then(|from| Some((self.target(from)?, from))) else { continue };
            let s = &self.sought[as_index(i)];
            if stored.0 >= s.at.1 || stored.1 <= s.at.0 {
                continue;
            }
            let (touched, covered) = written(from, &self.vars[s.var.index()], grf_bytes);
            let made = defined.written.get(&(s.var.0, by)).copied().unwrap_or(0);
            // A predicate that selects between sources leaves no channel out.
            let covered = if from.pred.is_some() && from.op != Op::Sel { 0 } else { covered };
            let write = Write { at, by, covered, is_foreign: touched & !made != 0 };
            scene.writes.entry(i).or_default().push(write);
        }
        scene
    }

    /// The variable among those looked for that an instruction writes.
    fn target(&self, inst: &Inst<Virtual>) -> Option<u32> {
        *self.number_of.get(inst.dst.reg()?.var()?.index())?
    }

    /// Notes in their blocks the definitions that are not whole any more. Returns the variables that have some of which
    /// no block is known.
    fn find_broken(&self, defined: &Defined, scenes: &mut [Scene], code: &Kernel<Physical>) -> Vec<bool> {
        let grf_bytes = u32::from(code.platform.caps().regs.grf_bytes);
        let mut left: BTreeMap<(u32, Number), Parts> = BTreeMap::new();
        let mut found_in: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (b, block) in code.blocks.iter().enumerate() {
            for from in block.insts.iter().filter_map(|inst| self.inst(inst)) {
                if let Some((source, _)) = self.flow.get(as_index(from.origin)) {
                    let blocks = found_in.entry(*source).or_default();
                    if blocks.last() != Some(&b) {
                        blocks.push(b);
                    }
                }
            }
            for (i, write) in scenes[b].writes.iter().flat_map(|(i, w)| w.iter().map(move |w| (*i, w))) {
                let from = self.inst(&block.insts[write.at]);
                let var = &self.vars[self.sought[as_index(i)].var.index()];
                let touched = from.map_or(0, |from| written(from, var, grf_bytes).0);
                *left.entry((i, write.by)).or_insert(0) |= touched;
            }
        }
        let mut lost = vec![false; self.sought.len()];
        for (&(v, by), &made) in &defined.written {
            let Some(i) = self.number_of.get(as_index(v)).copied().flatten() else { continue };
            if left.get(&(i, by)).copied().unwrap_or(0) & made == made {
                continue;
            }
            match self.flow_of(by).and_then(|(source, _)| found_in.get(&source)) {
                Some(blocks) => {
                    for &b in blocks {
                        scenes[b].broken.entry(i).or_default().push(by);
                    }
                }
                None => lost[as_index(i)] = true,
            }
        }
        lost
    }

    /// The block of a vISA instruction, and the branches before it.
    fn flow_of(&self, n: Number) -> Option<(u32, u32)> {
        usize::try_from(n).ok().and_then(|n| self.flow.get(n)).copied()
    }

    /// Where variables are read before they are written.
    fn needs(&self, code: &Kernel<Physical>) -> Needs {
        let touch = |inst: &Inst<Physical>, note: &mut dyn FnMut(u32, Direction)| {
            let Some(from) = self.inst(inst) else { return };
            for does in Direction::BOTH {
                from.for_each_reg(|role, reg| {
                    let i = reg.var().and_then(|v| *self.number_of.get(v.index())?);
                    if let Some(i) = i.filter(|_| does == Direction::write_if(role == Role::Dst)) {
                        note(i, does);
                    }
                });
            }
        };
        Needs::find(code, self.sought.len(), touch)
    }

    /// For each variable, the blocks in which it may have a place, each with the parts of the variable that hold the right
    /// value at the block's start. `None` if that is too much work.
    fn valid(
        &self,
        scenes: &[Scene],
        needs: &Needs,
        code: &Kernel<Physical>,
    ) -> Option<Vec<Vec<(u32, Parts)>>> {
        // What a block that touches a variable makes of its parts, right or wrong before.
        let mut steps = 0usize;
        let mut through: Vec<BTreeMap<u32, (Parts, Parts)>> = Vec::with_capacity(scenes.len());
        for (scene, b) in scenes.iter().zip(0..) {
            let touched = scene.writes.keys().chain(scene.broken.keys());
            let mut of_block = BTreeMap::new();
            for &i in touched {
                steps = steps.saturating_add(scene.starts.len());
                let both = [Parts::MAX, 0].map(|before| self.walk(scene, i, before, |_| {}));
                of_block.insert(i, (both[0], both[1]));
            }
            steps = steps.saturating_add(needs.at(b).len().saturating_mul(scene.starts.len()));
            if steps > MOST_STEPS {
                return None;
            }
            through.push(of_block);
        }
        let mut before: Vec<Vec<Parts>> =
            (0..scenes.len()).map(|b| vec![Parts::MAX; needs.at(b).len()]).collect();
        let flow = Cfg::of(code);
        loop {
            let mut changed = false;
            for b in 0..scenes.len() {
                let of_lanes = flow.preds(BlockId::from(b)).filter(|(_, edge)| edge.is_of_lanes());
                let preds: Vec<usize> = of_lanes.map(|(p, _)| p.index()).collect();
                for (k, &i) in needs.at(b).iter().enumerate() {
                    let enters = if b == 0 && self.sought[as_index(i)].is_input { Parts::MAX } else { 0 };
                    let start = if b == 0 || preds.is_empty() { enters } else { Parts::MAX };
                    let after = |&p: &usize| {
                        let old = needs.at(p).binary_search(&i).map_or(0, |k| before[p][k]);
                        through[p].get(&i).map_or(old, |(kept, made)| old & kept | made)
                    };
                    let new = preds.iter().map(after).fold(start, |all, some| all & some);
                    changed |= std::mem::replace(&mut before[b][k], new) != new;
                }
            }
            if !changed {
                break;
            }
        }
        let mut valid = vec![Vec::new(); self.sought.len()];
        for (scene, b) in scenes.iter().zip(0..) {
            for (k, &i) in needs.at(as_index(b)).iter().enumerate() {
                valid[as_index(i)].push((b, before[as_index(b)][k]));
            }
            for &i in scene.writes.keys().filter(|i| needs.at(as_index(b)).binary_search(i).is_err()) {
                valid[as_index(i)].push((b, 0));
            }
        }
        Some(valid)
    }

    /// Walks through a block with the parts of a variable that are right where it starts. Shows the instructions before
    /// which all of it is; returns the parts that are right at the end.
    fn walk(&self, scene: &Scene, i: u32, before: Parts, mut show: impl FnMut(Number)) -> Parts {
        let s = &self.sought[as_index(i)];
        let writes = scene.writes.get(&i).map_or(&[][..], Vec::as_slice);
        let broken = scene.broken.get(&i).map_or(&[][..], Vec::as_slice);
        // The lowest number of the writes from each one on.
        let mut lowest = vec![Number::MAX; writes.len() + 1];
        for (k, write) in writes.iter().enumerate().rev() {
            lowest[k] = lowest[k + 1].min(write.by);
        }
        let (mut valid, mut k) = (before, 0);
        // The highest number of the writes so far, and of those of all parts.
        let (mut highest, mut whole) = (Number::MIN, Number::MIN);
        // The branches before all of them, if that is one number.
        let mut side: Option<Option<u32>> = None;
        let branches = |n: Number| self.flow_of(n).map(|(_, branches)| branches);
        let is_mended = |n: Number, whole: Number| {
            let last = broken.partition_point(|b| *b < n).checked_sub(1);
            last.is_none_or(|last| whole > broken[last])
        };
        for (at, (start, stored)) in scene.starts.iter().zip(&scene.stores).enumerate() {
            if let Some(n) = *start
                && valid & s.needed == s.needed
                && highest < n
                && lowest[k] >= n
                && side.is_none_or(|side| side == branches(n))
                && is_mended(n, whole)
            {
                show(n);
            }
            match writes.get(k).filter(|w| w.at == at) {
                Some(write) => {
                    k += 1;
                    let own = branches(write.by);
                    side = Some(side.map_or(own, |side| side.filter(|_| side == own)));
                    highest = highest.max(write.by);
                    valid = if write.is_foreign { 0 } else { valid | write.covered };
                    if !write.is_foreign && write.covered & s.needed == s.needed {
                        whole = whole.max(write.by);
                    }
                }
                None if stored.0 < s.at.1 && s.at.0 < stored.1 => valid = 0,
                None => {}
            }
        }
        if is_mended(Number::MAX, whole) { valid } else { 0 }
    }
}

/// The bytes of the register file that an instruction writes.
fn store(inst: &Inst<Physical>, grf_bytes: u32) -> (u32, u32) {
    let first = inst.dst.reg().and_then(Reg::grf_number);
    match (first, inst.dst_extent(grf_bytes)) {
        (Some(first), Some(extent)) => {
            let Extent { start, end } = extent.in_file(first, grf_bytes);
            (start, end)
        }
        _ => (0, 0),
    }
}

//! Values that are read from memory once.

use super::*;

/// Eight values written before a stretch of 125 others; with a sum of what is read, and a variable for work in
/// between.
struct PressureOnce {
    k: Kernel<Virtual>,
    few: Vec<VarId>,
    sum: VarId,
    between: VarId,
    /// What comes first, and the stretch of high pressure.
    before: Vec<Vec<Inst<Virtual>>>,
}

/// Instructions between two reads: one temporary does not serve both by itself.
const APART: usize = 2 * KEEP as usize;

fn pressure_once() -> PressureOnce {
    let mut k = Kernel::new("t", Platform::Skl);
    k.simd = 8;
    let (few, many): (Vec<VarId>, Vec<VarId>) = (
        (0..8).map(|_| k.add_var(general(32))).collect(),
        (0..125).map(|_| k.add_var(general(32))).collect(),
    );
    let (sum, between) = (k.add_var(general(32)), k.add_var(general(32)));
    k.vars[sum.index()].live_out = true;
    let mut insts: Vec<_> = few.iter().map(|&v| value(v, 1)).collect();
    insts.extend(many.iter().map(|&v| value(v, 2)));
    insts.extend([value(sum, 3), value(between, 4)]);
    // Read often: what costs least to spill are the few.
    let pressed = (0..16).flat_map(|_| many.iter().map(|&v| add(sum, sum, v))).collect();
    PressureOnce { k, few, sum, between, before: vec![insts, pressed] }
}

impl PressureOnce {
    /// Reads the eight so many times.
    fn reads(&self, times: usize) -> Vec<Inst<Virtual>> {
        let work = || std::iter::repeat_n(add(self.between, self.between, self.between), APART);
        let once = || self.few.iter().map(|&v| add(self.sum, self.sum, v)).chain(work());
        (0..times).flat_map(|_| once()).chain([add(self.sum, self.sum, self.between)]).collect()
    }

    /// Allocates with these blocks behind the stretch of high pressure, each with those that follow it.
    fn allocate(mut self, behind: Vec<(Vec<Inst<Virtual>>, &[u32])>) -> (Kernel<Physical>, AllocStats) {
        let mut block = |insts, succs: &[u32]| {
            let succs = succs.iter().map(|&b| BlockId(b)).collect();
            self.k.blocks.push(Block { insts, succs });
        };
        for (insts, next) in self.before.into_iter().zip([1, 2]) {
            block(insts, &[next]);
        }
        behind.into_iter().for_each(|(insts, succs)| block(insts, succs));
        allocate_checked(&self.k)
    }
}

/// `goto` to a block, for some lanes or all that are there.
fn goto(flag: Option<VarId>, jip: u32, uip: u32) -> Inst<Virtual> {
    let [jip, uip] = [jip, uip].map(|b| gen_ir::Target::Block(BlockId(b)));
    Inst {
        pred: flag.map(|f| Pred { flag: Reg::var_at(f, 0), inv: false, ctrl: PredCtrl::Seq }),
        payload: gen_ir::Payload::Branch { jip, uip, ctrl: false },
        ..Inst::new(Op::Goto, ExecSize::S8)
    }
}

fn add_condition(k: &mut Kernel<Virtual>) -> VarId {
    k.add_var(Var { live_in: true, fixed: Some(FileByte::START), ..Var::temp(VarClass::Flag, 2, 2) })
}

/// Messages that fill, by block.
fn fills(k: &Kernel<Physical>) -> Vec<usize> {
    let is_fill = |i: &&Inst<Physical>| i.op == Op::Send && i.dst.reg().is_some_and(|r| r != Reg::NULL);
    k.blocks.iter().map(|b| b.insts.iter().filter(is_fill).count()).collect()
}

#[test]
fn what_was_spilled_for_a_crowded_stretch_is_read_once_behind_it() {
    let of = pressure_once();
    let reads = of.reads(4);
    let (k, stats) = of.allocate(vec![(reads, &[])]);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize]);
}

#[test]
fn what_is_read_once_serves_the_blocks_behind() {
    let of = pressure_once();
    let [first, second] = [of.reads(1), of.reads(1)];
    let (k, stats) = of.allocate(vec![(first, &[3]), (second, &[])]);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize, 0]);
}

#[test]
fn what_both_sides_of_a_branch_read_is_read_before_it() {
    let mut of = pressure_once();
    let flag = add_condition(&mut of.k);
    of.before[1].push(goto(Some(flag), 3, 3));
    let join = Inst::new(Op::Join, ExecSize::S8);
    let (mut yes, mut no) = (of.reads(1), of.reads(1));
    yes.push(goto(None, 3, 4));
    no.insert(0, join);
    let mut behind = vec![(yes, &[4][..]), (no, &[4]), (vec![join], &[])];
    // The stretch of high pressure ends with the branch.
    of.before.push(vec![]);
    let pressed = of.before.remove(1);
    of.before.truncate(1);
    behind.insert(0, (pressed, &[2, 3]));
    let (k, stats) = of.allocate(behind);
    assert!(stats.spills > 0 && (1..=8).contains(&stats.fills), "{stats:?}");
    assert_eq!(fills(&k)[1..], [stats.fills as usize, 0, 0, 0]);
}

#[test]
fn what_a_loop_reads_is_read_before_it() {
    let mut of = pressure_once();
    let flag = add_condition(&mut of.k);
    let mut body = of.reads(1);
    body.insert(0, Inst::new(Op::Join, ExecSize::S8));
    body.push(goto(Some(flag), 4, 3));
    let join = Inst::new(Op::Join, ExecSize::S8);
    let work = std::iter::repeat_n(add(of.between, of.between, of.between), APART).collect();
    let (k, stats) = of.allocate(vec![(work, &[3]), (body, &[4, 3]), (vec![join], &[])]);
    assert!(stats.spills > 0 && stats.fills > 0, "{stats:?}");
    assert_eq!(fills(&k), [0, 0, stats.fills as usize, 0, 0]);
}

#[test]
fn what_is_computed_again_is_not_kept_past_its_definition() {
    let PressureOnce { mut k, few, sum, between, before } = pressure_once();
    // In each run of a loop what the one before has left is read, then what this one computes.
    let (source, result) = (between, few[0]);
    let mut computes = mov(result, 77);
    (computes.op, computes.src) = (Op::Add, [add(sum, source, source).src[0], Src::ud(77), Src::None]);
    let work = || std::iter::repeat_n(add(sum, sum, sum), APART);
    let [mut insts, pressed]: [Vec<_>; 2] = before.try_into().unwrap();
    insts.retain(|i| ![result, source].map(Some).contains(&i.dst_var()));
    insts.push(add(sum, sum, result));
    insts.extend(work().chain([add(source, source, source), computes]).chain(work()));
    insts.extend([add(sum, sum, result)].into_iter().chain(pressed).chain([add(sum, sum, source)]));
    looped(&mut k, insts);
    let (k, _) = allocate_checked(&k);
    let code = &k.blocks[0].insts;
    let at = |of: &dyn Fn(&Inst<Physical>) -> bool| code.iter().position(of).unwrap();
    let computed = |i: &Inst<Physical>| i.src[1] == Src::ud(77);
    let doubled =
        |i: &Inst<Physical>| i.op == Op::Add && i.src[0] == i.src[1] && i.dst.reg() == i.src[0].reg();
    let changes = at(&|i| doubled(i) && i.src[0].reg() != code[at(&|i| doubled(i))].src[0].reg());
    let again = code[changes..].iter().any(computed);
    assert!(again, "what is read behind the source's change is computed behind it");
    assert!(code[..changes].iter().any(computed), "this shows nothing: it is not computed again");
}

#[test]
fn what_a_block_begins_to_overwrite_is_no_source_there() {
    let mut of = pressure_once();
    let flag = add_condition(&mut of.k);
    let [_, pressed] = std::mem::take(&mut of.before).try_into().unwrap();
    let many = pressed.iter().filter_map(|i| i.src[1].reg()?.var()).take(125).map(|v| value(v, 2)).collect();
    // Of two registers each: what writes them may write the first before it reads the second.
    let [source, copy, twice] = [0; 3].map(|_| of.k.add_var(general(64)));
    of.k.vars[twice.index()].live_out = true;
    let wide = |i: Inst<Virtual>| Inst { exec: ExecSize::S16, ..i };
    let copies = Inst { src: [add(copy, source, source).src[0], Src::None, Src::None], ..mov(copy, 0) };
    // A loop changes a source last, in a block of its own, from a copy that it made first.
    let first = [value(of.sum, 3), wide(value(source, 4)), wide(value(twice, 5))];
    of.before = vec![many, first.to_vec()];
    let mut body = vec![wide(copies), wide(add(twice, twice, source))];
    body.extend(pressed);
    let back = Inst { op: Op::Jmpi, exec: ExecSize::S1, no_mask: true, ..goto(Some(flag), 2, 2) };
    let changes = vec![wide(add(source, copy, copy)), back];
    let (_, stats) = of.allocate(vec![(body, &[3]), (changes, &[2, 4]), (vec![], &[])]);
    assert!(stats.spills > 0, "this shows nothing: {stats:?}");
}

/// Eight values written together and read together behind a stretch, `apart` instructions from each other.
fn together(apart: usize) -> AllocStats {
    let of = pressure_once();
    let work = || std::iter::repeat_n(add(of.between, of.between, of.between), apart);
    let reads = of.few.iter().flat_map(|&v| std::iter::once(add(of.sum, of.sum, v)).chain(work()));
    let reads: Vec<_> = reads.chain([add(of.sum, of.sum, of.between)]).collect();
    of.allocate(vec![(reads, &[])]).1
}

#[test]
fn one_message_moves_what_is_touched_together() {
    // Four registers a message.
    let stats = together(1);
    assert!((1..=2).contains(&stats.spills) && (1..=2).contains(&stats.fills), "{stats:?}");
    let stats = together(APART);
    assert!((5..=8).contains(&stats.spills) && (5..=8).contains(&stats.fills), "{stats:?}");
}

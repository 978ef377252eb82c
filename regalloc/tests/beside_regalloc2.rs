//! Our allocator beside regalloc2, on programs that both can express: uniform flow, values of one register, flags,
//! each value written once (what joins bring together is a block's parameter there, and a variable that each arm
//! copies to here).
//!
//! regalloc2's checker judges our allocations, and where regalloc2 finds a register for each value without moving
//! any, so do we.

use std::collections::HashMap;

use gen_ir::{
    Block, BlockId, Cond, CondMod, Dst, ExecSize, Inst, Kernel, Op, Payload, Physical, Pool, Pred, PredCtrl,
    Reg, Region, Role, Src, Target, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;
use regalloc::{AllocStats, AllocationMemory, Options, allocate};
use regalloc2::{
    Allocation, Function, InstRange, MachineEnv, Operand, Output, PReg, PRegSet, RegClass, VReg,
    checker::Checker,
};

/// General registers of the programs' thread: as many as regalloc2 has names for in a class. `r0` is not given out.
const REGISTERS: u16 = 64;
/// Subregisters `f0.0` to `f1.1`.
const FLAGS: usize = 4;

/// A program, for regalloc2.
#[derive(Default)]
struct Program {
    /// What each instruction reads and writes, and where it stands in the instruction of ours.
    insts: Vec<Vec<(Role, Value, Use)>>,
    blocks: Vec<Shape>,
    values: usize,
    operands: Vec<Vec<Operand>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Read,
    Written,
}

#[derive(Default)]
struct Shape {
    first: usize,
    end: usize,
    succs: Vec<regalloc2::Block>,
    preds: Vec<regalloc2::Block>,
    params: Vec<VReg>,
    /// For the parameters of the only successor.
    args: Vec<VReg>,
}

impl Function for Program {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, block: regalloc2::Block) -> InstRange {
        let shape = &self.blocks[block.index()];
        InstRange::new(regalloc2::Inst::new(shape.first), regalloc2::Inst::new(shape.end))
    }

    fn block_succs(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].succs
    }

    fn block_preds(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].preds
    }

    fn block_params(&self, block: regalloc2::Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        self.blocks.iter().any(|b| b.succs.is_empty() && b.end == inst.index() + 1)
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        self.blocks.iter().any(|b| !b.succs.is_empty() && b.end == inst.index() + 1)
    }

    fn branch_blockparams(&self, block: regalloc2::Block, _: regalloc2::Inst, _: usize) -> &[VReg] {
        &self.blocks[block.index()].args
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        &self.operands[inst.index()]
    }

    fn inst_clobbers(&self, _: regalloc2::Inst) -> PRegSet {
        PRegSet::empty()
    }

    fn num_vregs(&self) -> usize {
        self.values
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}

/// Numbers below a limit, the same in every run (Knuth's linear congruence).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % limit
    }
}

/// A value, for both.
#[derive(Clone, Copy)]
struct Value {
    vreg: VReg,
    var: VarId,
}

/// Makes a program and our kernel of it, instruction by instruction.
struct Maker {
    numbers: Numbers,
    program: Program,
    kernel: Kernel<Virtual>,
    insts: Vec<Inst<Virtual>>,
    /// Values that may be read here: general ones and flags.
    general: Vec<Value>,
    flags: Vec<Value>,
    /// General values that are kept in use at a time.
    width: usize,
}

impl Maker {
    fn new(seed: u64, width: usize) -> Maker {
        let mut kernel = Kernel::new("random", Platform::Skl);
        kernel.grf_count = REGISTERS;
        let (program, insts) = (Program::default(), Vec::new());
        let (general, flags) = (Vec::new(), Vec::new());
        Maker { numbers: Numbers(seed), program, kernel, insts, general, flags, width }
    }

    fn value_in(&mut self, class: RegClass, var: VarId) -> Value {
        self.program.values += 1;
        Value { vreg: VReg::new(self.program.values - 1, class), var }
    }

    fn value(&mut self) -> Value {
        // A variable of the program: lowering's own values are computed again where registers run out.
        let var = self.kernel.add_var(Var { origin: Some(0), ..Var::temp(VarClass::General, 32, 32) });
        self.value_in(RegClass::Int, var)
    }

    fn flag(&mut self) -> Value {
        let var = self.kernel.add_var(Var::temp(VarClass::Flag, 2, 2));
        self.value_in(RegClass::Float, var)
    }

    fn push(&mut self, mut inst: Inst<Virtual>, operands: &[(Role, Value, Use)]) {
        inst.no_mask = true;
        for &(role, value, _) in operands {
            let reg = Reg::var_at(value.var, 0);
            match role {
                Role::Dst => inst.dst = Dst::packed(reg, Type::D),
                Role::Src(i) => inst.src[usize::from(i)] = Src::new(reg, Region::PACKED, Type::D),
                Role::Cond => inst.cond = Some(CondMod { cond: Cond::Lt, flag: reg }),
                _ => inst.pred = Some(Pred { flag: reg, inv: false, ctrl: PredCtrl::Seq }),
            }
        }
        inst.origin = self.program.insts.len() as u32;
        self.insts.push(inst);
        self.program.insts.push(operands.to_vec());
    }

    fn pick(&mut self) -> Value {
        self.general[self.numbers.below(self.general.len())]
    }

    /// A value made of nothing.
    fn fresh(&mut self) -> Value {
        let value = self.value();
        let inst = Inst { src: [Src::ud(1), Src::None, Src::None], ..Inst::new(Op::Lzd, ExecSize::S8) };
        self.push(inst, &[(Role::Dst, value, Use::Written)]);
        value
    }

    fn copy(&mut self, to: Value, from: Value) {
        let operands = [(Role::Dst, to, Use::Written), (Role::Src(0), from, Use::Read)];
        self.push(Inst::new(Op::Mov, ExecSize::S8), &operands);
    }

    fn note(&mut self, value: Value) {
        self.general.push(value);
        if self.general.len() > self.width {
            self.general.remove(0);
        }
    }

    fn straight(&mut self, count: usize) {
        for _ in 0..count {
            let (a, b) = (self.pick(), self.pick());
            let (first, second) = ((Role::Src(0), a, Use::Read), (Role::Src(1), b, Use::Read));
            match self.numbers.below(6) {
                0 => {
                    let flag = self.flag();
                    let mut compare = Inst::new(Op::Cmp, ExecSize::S8);
                    compare.dst = Dst::null(Type::D);
                    self.push(compare, &[(Role::Cond, flag, Use::Written), first, second]);
                    self.flags.push(flag);
                    if self.flags.len() > 3 {
                        self.flags.remove(0);
                    }
                }
                1 if !self.flags.is_empty() => {
                    let flag = self.flags[self.numbers.below(self.flags.len())];
                    let to = self.value();
                    let operands =
                        [(Role::Dst, to, Use::Written), first, second, (Role::Pred, flag, Use::Read)];
                    self.push(Inst::new(Op::Sel, ExecSize::S8), &operands);
                    self.note(to);
                }
                2 => {
                    let value = self.fresh();
                    self.note(value);
                }
                _ => {
                    let to = self.value();
                    self.push(
                        Inst::new(Op::Add, ExecSize::S8),
                        &[(Role::Dst, to, Use::Written), first, second],
                    );
                    self.note(to);
                }
            }
        }
    }

    /// Ends the block that is open, with a jump to the last of its successors.
    fn end(&mut self, succs: &[usize], flag: Option<Value>, params: &[Value], args: &[Value]) {
        match succs.last() {
            Some(&to) => {
                let mut jump = Inst::new(Op::Jmpi, ExecSize::S1);
                let jip = Target::Block(BlockId(to as u32));
                jump.payload = Payload::Branch { jip, uip: Target::None, ctrl: false };
                let read = flag.map(|f| (Role::Pred, f, Use::Read));
                self.push(jump, read.as_slice());
            }
            None => {
                // What is alive to the end is read there.
                let (a, b) = (self.pick(), self.pick());
                let to = self.value();
                let reads = [(Role::Src(0), a, Use::Read), (Role::Src(1), b, Use::Read)];
                self.push(
                    Inst::new(Op::Add, ExecSize::S8),
                    &[(Role::Dst, to, Use::Written), reads[0], reads[1]],
                );
            }
        }
        let end = self.program.insts.len();
        self.program.blocks.push(Shape {
            first: end - self.insts.len(),
            end,
            succs: succs.iter().map(|&s| regalloc2::Block::new(s)).collect(),
            preds: Vec::new(),
            params: params.iter().map(|p| p.vreg).collect(),
            args: args.iter().map(|a| a.vreg).collect(),
        });
        let succs = succs.iter().map(|&s| BlockId(s as u32)).collect::<Vec<_>>();
        self.kernel.blocks.push(Block { insts: std::mem::take(&mut self.insts), succs: succs.into() });
    }

    /// Reads all values that may be read, so they are alive until here.
    fn read_all(&mut self) {
        for value in self.general.clone() {
            let (sum, to) = (self.pick(), self.value());
            let reads = [(Role::Src(0), sum, Use::Read), (Role::Src(1), value, Use::Read)];
            self.push(Inst::new(Op::Add, ExecSize::S8), &[(Role::Dst, to, Use::Written), reads[0], reads[1]]);
        }
    }

    fn here(&self) -> usize {
        self.program.blocks.len()
    }

    fn condition(&mut self) -> Value {
        let (a, b) = (self.pick(), self.pick());
        let flag = self.flag();
        let mut compare = Inst::new(Op::Cmp, ExecSize::S8);
        compare.dst = Dst::null(Type::D);
        let reads = [(Role::Src(0), a, Use::Read), (Role::Src(1), b, Use::Read)];
        self.push(compare, &[(Role::Cond, flag, Use::Written), reads[0], reads[1]]);
        flag
    }

    /// An `if` with an `else`, both of which give a value; `params` are those of the block that is open. Returns the
    /// parameters of the block that is open then.
    fn diamond(&mut self, params: &[Value]) -> Vec<Value> {
        let flag = self.condition();
        let (at, together) = (self.here(), self.value());
        self.end(&[at + 1, at + 2], Some(flag), params, &[]);
        let before = (self.general.clone(), self.flags.clone());
        for _ in 0..2 {
            (self.general, self.flags) = before.clone();
            let count = 1 + self.numbers.below(8);
            self.straight(count);
            let (from, given) = (self.pick(), self.value_in(RegClass::Int, together.var));
            self.copy(given, from);
            self.end(&[at + 3], None, &[], &[given]);
        }
        (self.general, self.flags) = before;
        self.note(together);
        vec![together]
    }

    /// A loop that carries a value.
    fn turns(&mut self, params: &[Value]) -> Vec<Value> {
        let (at, carried) = (self.here(), self.value());
        let (start, given) = (self.pick(), self.value_in(RegClass::Int, carried.var));
        self.copy(given, start);
        self.end(&[at + 1], None, params, &[given]);
        self.note(carried);
        let flag = self.condition();
        self.end(&[at + 2, at + 3], Some(flag), &[carried], &[]);
        let before = (self.general.clone(), self.flags.clone());
        let count = 1 + self.numbers.below(8);
        self.straight(count);
        let (from, given) = (self.pick(), self.value_in(RegClass::Int, carried.var));
        self.copy(given, from);
        self.end(&[at + 1], None, &[], &[given]);
        (self.general, self.flags) = before;
        Vec::new()
    }

    fn finish(mut self, params: &[Value]) -> (Program, Kernel<Virtual>) {
        self.end(&[], None, params, &[]);
        let program = &mut self.program;
        for from in 0..program.blocks.len() {
            for to in program.blocks[from].succs.clone() {
                program.blocks[to.index()].preds.push(regalloc2::Block::new(from));
            }
        }
        program.operands = program.insts.iter().map(|ops| ops.iter().map(operand).collect()).collect();
        (self.program, self.kernel)
    }
}

fn operand(&(_, value, how): &(Role, Value, Use)) -> Operand {
    match how {
        Use::Read => Operand::reg_use(value.vreg),
        Use::Written => Operand::reg_def(value.vreg),
    }
}

fn random(seed: u64) -> (Program, Kernel<Virtual>) {
    let mut numbers = Numbers(seed);
    let width = [4, 12, 30, 55, 75][numbers.below(5)];
    let mut maker = Maker::new(numbers.0, width);
    for _ in 0..width.min(40) {
        let value = maker.fresh();
        maker.note(value);
    }
    let mut params = Vec::new();
    for _ in 0..2 + numbers.below(5) {
        maker.straight(5 + numbers.below(40));
        match numbers.below(3) {
            0 => {}
            1 => params = maker.diamond(&params),
            _ => params = maker.turns(&params),
        }
    }
    maker.straight(10);
    maker.read_all();
    maker.finish(&params)
}

fn machine() -> MachineEnv {
    let set = |class, range: std::ops::Range<usize>| range.map(|n| PReg::new(n, class)).collect::<PRegSet>();
    MachineEnv {
        preferred_regs_by_class: [
            set(RegClass::Int, 1..REGISTERS.into()),
            set(RegClass::Float, 0..FLAGS),
            PRegSet::empty(),
        ],
        non_preferred_regs_by_class: [PRegSet::empty(); 3],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

fn place(reg: Reg<Physical>) -> PReg {
    match (reg.grf_number(), reg.flag_sub()) {
        (Some(n), _) => PReg::new(n.into(), RegClass::Int),
        (_, Some(flag)) => PReg::new(flag.code().into(), RegClass::Float),
        _ => panic!("{reg} is given to no variable"),
    }
}

/// Our allocation in regalloc2's words. A copy within a register, which allocation leaves out, is there again.
fn output(program: &Program, kernel: &Kernel<Physical>) -> Output {
    let mut places: Vec<HashMap<Role, PReg>> = vec![HashMap::new(); program.insts.len()];
    let mut of_var: HashMap<VarId, PReg> = HashMap::new();
    for (_, inst) in kernel.insts() {
        let at = inst.origin as usize;
        assert!(places[at].is_empty(), "an instruction came to be there twice: {inst}");
        inst.for_each_reg(|role, reg| {
            if let Some((_, value, _)) = program.insts[at].iter().find(|o| o.0 == role) {
                places[at].insert(role, place(reg));
                of_var.insert(value.var, place(reg));
            }
        });
    }
    let mut out = Output::default();
    for (places, operands) in places.iter().zip(&program.insts) {
        out.inst_alloc_offsets.push(out.allocs.len() as u32);
        let copied = operands.iter().find_map(|(_, value, _)| of_var.get(&value.var));
        for (role, value, _) in operands {
            let preg = places.get(role).or_else(|| of_var.get(&value.var)).or(copied);
            out.allocs.push(Allocation::reg(*preg.expect("a register")));
        }
    }
    out
}

fn ours(kernel: &Kernel<Virtual>, quick: bool) -> (Kernel<Physical>, AllocStats) {
    let options = Options { check: true, quick, ..Options::default() };
    allocate(kernel, &options, &mut AllocationMemory::default(), &mut Pool::default()).expect("an allocation")
}

fn judged(program: &Program, machine: &MachineEnv, out: &Output) -> bool {
    let mut checker = Checker::new(program, machine);
    checker.prepare(out);
    checker.run().is_ok()
}

#[test]
fn regalloc2s_checker_finds_no_fault_in_our_allocations() {
    let machine = machine();
    let (mut whole, mut reordered, mut spilled, mut theirs_alone) = (0, 0, 0, 0);
    for seed in 0..600 {
        let (program, kernel) = random(seed);
        let found = regalloc2::run(&program, &machine, &Default::default()).expect("regalloc2 allocates");
        assert!(judged(&program, &machine, &found), "seed {seed}: regalloc2's own");
        let stays = found.num_spillslots == 0 && found.edits.is_empty();
        for quick in [false, true] {
            let (code, stats) = ours(&kernel, quick);
            if stats.spills + stats.fills + stats.flag_spills > 0 {
                theirs_alone += usize::from(stays);
                spilled += 1;
                continue;
            }
            // Where registers run out, ours may change the order of instructions, which regalloc2 does not.
            if !code.insts().map(|(_, i)| i.origin).is_sorted() {
                reordered += 1;
                continue;
            }
            whole += 1;
            let out = output(&program, &code);
            assert!(judged(&program, &machine, &out), "seed {seed}, quick {quick}");
        }
    }
    assert!(whole > 600 && spilled > 100 && reordered < 100, "{whole} {spilled} {reordered}");
    assert_eq!(theirs_alone, 0, "regalloc2 keeps all values where they are, we spill");
}

/// The checker does see what is wrong: two values in one register.
#[test]
fn a_value_in_anothers_register_is_found() {
    let machine = machine();
    let mut found = 0;
    for seed in 0..40 {
        let (program, kernel) = random(seed);
        let (code, stats) = ours(&kernel, false);
        if stats.spills + stats.flag_spills > 0 {
            continue;
        }
        let mut out = output(&program, &code);
        let place = |a: &Allocation| a.as_reg().filter(|r| r.class() == RegClass::Int);
        let (first, other) = (place(&out.allocs[0]), out.allocs.iter().filter_map(place).max());
        assert_ne!(first, other);
        out.allocs.iter_mut().filter(|a| a.as_reg() == other).for_each(|a| {
            *a = Allocation::reg(first.expect("the first instruction writes a general register"));
        });
        found += usize::from(!judged(&program, &machine, &out));
    }
    assert!(found > 10, "{found}");
}

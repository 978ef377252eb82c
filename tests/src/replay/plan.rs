//! Kernels as trees, from which lines and branches can be taken away.

use crate::replay::Inputs;
use gen_ir::{
    Block, BlockId, Cond, CondMod, Desc, Dst, ExecSize, GrfNum, Inst, Kernel, Op, Payload, Pred, PredCtrl,
    Reg, SendInfo, Sfid, Src, Target, Type, Var, VarId, Virtual,
};
use platforms::Platform;

/// Who goes on at a branch.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The flag.
    pub flag: VarId,
    /// Those go on of which it is not set.
    pub inv: bool,
    /// The number that the flag is compared with right before; none: it is as it was.
    pub fresh: Option<u32>,
    /// All lanes decide alike.
    pub uniform: bool,
}

/// A piece of a kernel.
#[derive(Clone, Debug)]
pub enum PlanNode {
    /// Instructions.
    Do(Vec<Inst<Virtual>>),
    /// Lanes that go on at the branch run `then`, others `els`.
    If {
        /// Who runs `then`.
        branch: Branch,
        /// The one side.
        then: Vec<PlanNode>,
        /// The other side.
        els: Vec<PlanNode>,
    },
    /// Lanes that go on at the branch behind the body run it again.
    Loop {
        /// The body.
        body: Vec<PlanNode>,
        /// Who runs it again.
        branch: Branch,
    },
    /// Lanes that go on at the branch leave the innermost loop, or start its next round.
    Leave {
        /// Who leaves.
        branch: Branch,
        /// The next round rather than what is behind the loop.
        again: bool,
    },
    /// Calls a subroutine.
    Call(usize),
}

/// A kernel before its control flow is structured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The platform.
    pub platform: Platform,
    /// Channels.
    pub simd: u8,
    /// Registers that variables are not given.
    pub reserved: u16,
    /// Its variables.
    pub vars: Vec<Var>,
    /// A number for each channel, which nothing writes.
    pub lanes: VarId,
    /// A number that each round of a loop changes.
    pub counter: VarId,
    /// Where calls leave their return address.
    pub return_address: VarId,
    /// What it does.
    pub body: Vec<PlanNode>,
    /// Its subroutines.
    pub subs: Vec<Vec<PlanNode>>,
    /// Variables with values at the start.
    pub inputs: Inputs,
    /// Registers are to be given quickly.
    pub quick: bool,
}

impl Plan {
    /// The kernel, with gotos.
    pub fn kernel(&self) -> Kernel<Virtual> {
        let mut kernel = Kernel::new("replay", self.platform);
        kernel.simd = self.simd;
        kernel.reserved = self.reserved;
        kernel.vars.clone_from(&self.vars);
        let exec = ExecSize::from_lanes(self.simd.into()).expect("a number of channels");
        let mut w = Writer {
            plan: self,
            exec,
            blocks: vec![Block::default()],
            labels: Vec::new(),
            loops: Vec::new(),
            origin: 0,
            subs: Vec::new(),
        };
        w.subs = self.subs.iter().map(|_| w.label()).collect();
        w.nodes(&self.body);
        w.push(end_of_thread());
        for (sub, body) in self.subs.iter().enumerate() {
            w.blocks.push(Block::default());
            w.labels[w.subs[sub]] = w.here();
            w.nodes(body);
            let mut ret = Inst::new(Op::Ret, exec);
            ret.src[0] = Src::packed(Reg::var_at(self.return_address, 0), Type::Ud);
            ret.payload = Payload::Branch { jip: Target::None, uip: Target::None, ctrl: false };
            w.push(ret);
        }
        kernel.subroutines = w.subs.iter().map(|l| w.labels[*l]).collect();
        kernel.blocks = w.finish();
        kernel
    }
}

/// What makes the flag of a branch: of all channels alike, or of each that runs.
fn compare(plan: &Plan, branch: &Branch, number: u32) -> Inst<Virtual> {
    let lanes = Reg::var_at(plan.lanes, 0);
    let first = if branch.uniform { Src::scalar(lanes, Type::Ud) } else { Src::packed(lanes, Type::Ud) };
    let exec = ExecSize::from_lanes(plan.simd.into()).expect("a number of channels");
    Inst {
        no_mask: branch.uniform,
        dst: Dst::null(Type::Ud),
        src: [first, Src::scalar(Reg::var_at(plan.counter, 0), Type::Ud), Src::ud(number)],
        cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(branch.flag, 0) }),
        ..Inst::new(Op::Cmp, exec)
    }
}

fn tick(counter: VarId) -> Inst<Virtual> {
    let counter = Reg::var_at(counter, 0);
    Inst {
        no_mask: true,
        dst: Dst::packed(counter, Type::Ud),
        src: [Src::scalar(counter, Type::Ud), Src::ud(1), Src::None],
        ..Inst::new(Op::Add, ExecSize::S1)
    }
}

/// The message that ends the thread.
pub fn end_of_thread() -> Inst<Virtual> {
    let mut end = Inst::new(Op::Send, ExecSize::S8);
    end.no_mask = true;
    end.dst = Dst::null(Type::Ud);
    end.src[0] = Src::packed(Reg::grf(GrfNum::R0, 0), Type::Ud);
    end.payload = Payload::Send(SendInfo {
        sfid: Sfid::Spawner,
        desc: Desc::Imm(messages::spawner::end_of_thread()),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: true,
        dst_len: 0,
        src0_len: 1,
        src1_len: 0,
    });
    end
}

/// A place in the code, by its number until all are known.
type Label = usize;

struct Writer<'a> {
    plan: &'a Plan,
    exec: ExecSize,
    blocks: Vec<Block<Virtual>>,
    labels: Vec<BlockId>,
    /// Where the next round of each loop around starts, and what is behind it.
    loops: Vec<(Label, Label)>,
    origin: u32,
    subs: Vec<Label>,
}

impl Writer<'_> {
    fn label(&mut self) -> Label {
        self.labels.push(BlockId(0));
        self.labels.len() - 1
    }

    fn here(&self) -> BlockId {
        BlockId::from(self.blocks.len() - 1)
    }

    fn place(&mut self, label: Label) {
        if self.blocks.last().is_some_and(|b| !b.insts.is_empty()) {
            self.blocks.push(Block::default());
        }
        self.labels[label] = self.here();
    }

    fn push(&mut self, inst: Inst<Virtual>) {
        self.origin += 1;
        let inst = Inst { origin: self.origin, ..inst };
        self.blocks.last_mut().expect("there is one").insts.push(inst);
    }

    /// A jump of the lanes for which `pred` holds; targets are labels until the end.
    fn goto(&mut self, label: Label, pred: Option<Pred<Virtual>>, uniform: bool) {
        let mut goto = Inst::new(Op::Goto, if uniform { ExecSize::S1 } else { self.exec });
        goto.pred = pred;
        goto.payload =
            Payload::Branch { jip: Target::None, uip: Target::Block(BlockId::from(label)), ctrl: false };
        self.push(goto);
        self.blocks.push(Block::default());
    }

    /// A jump of the lanes that go on at a branch, or of the others.
    fn branch(&mut self, branch: &Branch, label: Label, others: bool) {
        if let Some(number) = branch.fresh {
            let compare = compare(self.plan, branch, number);
            self.push(compare);
        }
        let flag = Reg::var_at(branch.flag, 0);
        let pred = Pred { flag, inv: branch.inv != others, ctrl: PredCtrl::Seq };
        self.goto(label, Some(pred), branch.uniform);
    }

    fn nodes(&mut self, nodes: &[PlanNode]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &PlanNode) {
        match node {
            PlanNode::Do(insts) => insts.iter().for_each(|inst| self.push(*inst)),
            PlanNode::If { branch, then, els } => {
                let (other, end) = (self.label(), self.label());
                self.branch(branch, other, true);
                self.nodes(then);
                if !els.is_empty() {
                    self.goto(end, None, branch.uniform);
                }
                self.place(other);
                self.nodes(els);
                self.place(end);
            }
            PlanNode::Loop { body, branch } => {
                let (head, latch, end) = (self.label(), self.label(), self.label());
                self.place(head);
                let tick = tick(self.plan.counter);
                self.push(tick);
                self.loops.push((latch, end));
                self.nodes(body);
                self.loops.pop();
                self.place(latch);
                self.branch(branch, head, false);
                self.place(end);
            }
            PlanNode::Leave { branch, again } => {
                if let Some(&(latch, end)) = self.loops.last() {
                    self.branch(branch, if *again { latch } else { end }, false);
                }
            }
            PlanNode::Call(sub) => {
                let mut call = Inst::new(Op::Call, self.exec);
                call.dst = Dst::packed(Reg::var_at(self.plan.return_address, 0), Type::Ud);
                call.payload = Payload::Branch {
                    jip: Target::Block(BlockId::from(self.subs[*sub])),
                    uip: Target::None,
                    ctrl: false,
                };
                self.push(call);
                self.blocks.push(Block::default());
            }
        }
    }

    fn finish(self) -> Vec<Block<Virtual>> {
        let Writer { mut blocks, labels, .. } = self;
        for inst in blocks.iter_mut().flat_map(|b| b.insts.iter_mut()) {
            if let Payload::Branch { jip, uip, .. } = &mut inst.payload {
                for target in [jip, uip] {
                    if let Target::Block(label) = *target {
                        *target = Target::Block(labels[label.index()]);
                    }
                }
            }
        }
        blocks
    }
}

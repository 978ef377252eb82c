//! Random kernels of another sort: jumps from anywhere to anywhere, masks, predicates, partial and overlapping writes.

mod instructions;

use crate::replay::{Inputs, end_of_thread};
use gen_ir::{
    Block, BlockId, Cond, CondMod, Desc, Dst, ExecSize, FileByte, Inst, Kernel, Op, Payload, Pred, PredCtrl,
    Reg, SendInfo, Sfid, Src, Target, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;

/// A small generator of pseudo-random numbers (xorshift64*).
struct XorShift(u64);

impl XorShift {
    fn new(seed: u64) -> XorShift {
        XorShift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % u64::from(n.max(1))) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// How large a kernel is.
#[derive(Clone, Copy, Debug)]
pub struct GotoShape {
    /// Blocks between the first and the last.
    pub blocks: u32,
    /// Most instructions of a block, or groups of them.
    pub insts: u32,
    /// Variables of all channels.
    pub vectors: u32,
    /// Variables of one element.
    pub scalars: u32,
    /// Flags.
    pub flags: u32,
    /// Some blocks call a subroutine.
    pub calls: bool,
    /// Registers of a thread.
    pub registers: u16,
    /// Some vectors are written by masked instructions alone, and each lane touches its own part of them.
    pub by_lane: bool,
}

/// A kernel that is not structured yet.
pub struct Generated {
    /// The kernel.
    pub kernel: Kernel<Virtual>,
    /// Its inputs.
    pub inputs: Inputs,
}

/// Channels of a kernel.
const WIDTH: u32 = 16;
const FULL: ExecSize = ExecSize::S16;

struct GotoMaker {
    r: XorShift,
    k: Kernel<Virtual>,
    lanes: VarId,
    counter: VarId,
    vectors: Vec<VarId>,
    /// Vectors of which each lane touches its own part.
    by_lane: Vec<VarId>,
    scalars: Vec<VarId>,
    flags: Vec<VarId>,
    origin: u32,
}

/// The kernel of a seed.
pub fn generate(seed: u64, platform: Platform, shape: GotoShape) -> Generated {
    let mut r = XorShift::new(seed);
    let mut k = Kernel::new(format!("random{seed}"), platform);
    k.simd = WIDTH as u8;
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let input = |k: &mut Kernel<Virtual>, bytes: u32, at: u32| {
        k.add_var(Var {
            fixed: Some(FileByte::new(at)),
            live_in: true,
            ..Var::temp(VarClass::General, bytes, bytes.min(grf))
        })
    };
    let lanes = input(&mut k, 64, 2 * grf);
    let start = input(&mut k, 4, grf + 8);
    let counter = k.add_var(Var::temp(VarClass::General, 4, 4));
    let mut m = GotoMaker {
        k,
        lanes,
        counter,
        vectors: vec![],
        by_lane: vec![],
        scalars: vec![],
        flags: vec![],
        origin: 0,
        r: XorShift::new(0),
    };
    // Variables of a program: those of lowering hold nothing where a block starts.
    let var = |class, bytes, align| Var { origin: Some(0), ..Var::temp(class, bytes, align) };
    for _ in 0..shape.vectors {
        let bytes = [32, 64, 64, 64, 128, 128, 256, 12, 48][r.below(9) as usize];
        let align = if bytes >= 64 { grf } else { 4 };
        let even = bytes >= 64 && r.chance(10);
        m.vectors.push(m.k.add_var(Var { even_grf: even, ..var(VarClass::General, bytes, align) }));
    }
    for _ in 0..if shape.by_lane { shape.vectors } else { 0 } {
        let bytes = [64, 64, 128][r.below(3) as usize];
        m.by_lane.push(m.k.add_var(var(VarClass::General, bytes, grf)));
    }
    for _ in 0..shape.scalars {
        let bytes = [2, 4, 4, 4, 8][r.below(5) as usize];
        m.scalars.push(m.k.add_var(var(VarClass::General, bytes, bytes)));
    }
    for _ in 0..shape.flags {
        m.flags.push(m.k.add_var(var(VarClass::Flag, 2, 2)));
    }
    m.r = r;
    let seed_bytes: Vec<u8> = (0..64).map(|i| (i as u8).wrapping_mul(37) ^ seed as u8).collect();
    let inputs = vec![(lanes, 2 * grf, seed_bytes), (start, grf + 8, vec![7, seed as u8, 3, 1])];
    let mut entry = vec![m.stamp(Inst {
        no_mask: true,
        dst: Dst::packed(Reg::var_at(counter, 0), Type::Ud),
        src: [Src::scalar(Reg::var_at(start, 0), Type::Ud), Src::None, Src::None],
        ..Inst::new(Op::Mov, ExecSize::S1)
    })];
    for v in m.vectors.clone() {
        if m.r.chance(60) {
            m.whole_write(&mut entry, v, true);
        }
    }
    m.k.blocks.push(Block { insts: entry, succs: Default::default() });
    let body = shape.blocks;
    for b in 1..=body {
        m.block(b, body, shape);
    }
    let end = m.end();
    m.k.blocks.push(Block { insts: end, succs: Default::default() });
    if shape.calls {
        m.subroutine(body + 2, shape);
    }
    Generated { kernel: m.k, inputs }
}

impl GotoMaker {
    fn stamp(&mut self, inst: Inst<Virtual>) -> Inst<Virtual> {
        self.origin += 1;
        Inst { origin: self.origin, ..inst }
    }

    fn pick(&mut self, of: &[VarId]) -> VarId {
        of[self.r.below(of.len() as u32) as usize]
    }

    fn bytes(&self, v: VarId) -> u32 {
        self.k.vars[v.index()].bytes
    }

    fn block(&mut self, b: u32, body: u32, shape: GotoShape) {
        let mut insts = Vec::new();
        let counter = Reg::var_at(self.counter, 0);
        let tick = self.stamp(Inst {
            no_mask: true,
            dst: Dst::packed(counter, Type::Ud),
            src: [Src::scalar(counter, Type::Ud), Src::ud(b), Src::None],
            ..Inst::new(Op::Add, ExecSize::S1)
        });
        insts.push(tick);
        let n = self.r.below(shape.insts) + 1;
        for _ in 0..n {
            self.instruction(&mut insts);
        }
        let kind = self.r.below(10);
        if kind < 8 {
            let flags = self.flags.clone();
            let uniform = self.r.chance(40);
            let conditional = !flags.is_empty() && self.r.chance(85);
            let mut goto = Inst::new(Op::Goto, if uniform { ExecSize::S1 } else { FULL });
            if conditional {
                let f = self.pick(&flags);
                self.flag_write(&mut insts, f, uniform);
                goto.pred =
                    Some(Pred { flag: Reg::var_at(f, 0), inv: self.r.chance(50), ctrl: PredCtrl::Seq });
            }
            // Backward now and then; forward mostly near by.
            let to = if conditional && self.r.chance(25) {
                1 + self.r.below(b)
            } else {
                (b + 1 + self.r.below(4)).min(body + 1)
            };
            goto.payload =
                Payload::Branch { jip: Target::None, uip: Target::Block(BlockId(to)), ctrl: false };
            let goto = self.stamp(goto);
            insts.push(goto);
        } else if kind == 8 && shape.calls {
            let addr = self.k.add_var(Var::temp(VarClass::General, 8, 8));
            // All calls share the return address variable of the subroutine.
            let addr = match self.k.subroutines.first() {
                Some(_) => self.return_var(),
                None => {
                    self.k.subroutines.push(BlockId(body + 2));
                    addr
                }
            };
            let mut call = Inst::new(Op::Call, FULL);
            call.dst = Dst::packed(Reg::var_at(addr, 0), Type::Ud);
            call.payload =
                Payload::Branch { jip: Target::Block(BlockId(body + 2)), uip: Target::None, ctrl: false };
            let call = self.stamp(call);
            insts.push(call);
        }
        self.k.blocks.push(Block { insts, succs: Default::default() });
    }

    /// The destination of the first call.
    fn return_var(&self) -> VarId {
        self.k
            .insts()
            .find(|(_, i)| i.op == Op::Call)
            .and_then(|(_, i)| match i.dst {
                Dst::Direct { reg, .. } => reg.var(),
                _ => None,
            })
            .expect("a call before this one")
    }

    fn subroutine(&mut self, at: u32, shape: GotoShape) {
        if self.k.subroutines.is_empty() {
            return;
        }
        let mut insts = Vec::new();
        for _ in 0..shape.insts.min(6) {
            self.instruction(&mut insts);
        }
        let addr = self.return_var();
        let mut ret = Inst::new(Op::Ret, FULL);
        ret.src[0] = Src::packed(Reg::var_at(addr, 0), Type::Ud);
        ret.payload = Payload::Branch { jip: Target::None, uip: Target::None, ctrl: false };
        let ret = self.stamp(ret);
        insts.push(ret);
        assert_eq!(self.k.blocks.len() as u32, at);
        self.k.blocks.push(Block { insts, succs: Default::default() });
    }

    /// Shows every variable to a message, then ends the thread.
    fn end(&mut self) -> Vec<Inst<Virtual>> {
        let mut insts = Vec::new();
        let vectors = self.vectors.clone();
        for &v in &vectors {
            if self.r.chance(50) && self.bytes(v).is_multiple_of(64) {
                self.message(&mut insts, &[v], &[]);
            }
        }
        let end = self.stamp(end_of_thread());
        insts.push(end);
        insts
    }
}

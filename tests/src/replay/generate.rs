//! Random kernels in which lanes part, and variables that instructions and messages of some of the channels touch.

mod messages;
mod operations;

use crate::{
    replay::{Branch, Plan, PlanNode},
    splitmix::SplitMix,
};
use gen_ir::{
    Cond, CondMod, Dst, ExecSize, FileByte, Inst, Op, Reg, Src, Type, Var, VarClass, VarId, Virtual,
};
use platforms::Platform;

/// What kernels are for.
#[derive(Clone, Copy, Debug)]
pub struct ReplaySettings {
    /// The platform.
    pub platform: Platform,
    /// Registers that variables are given: of what all of them need together, in percent; none: any number.
    pub room: Option<u32>,
}

/// How a variable is touched as a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// Each channel has its own elements, whatever the instruction's channels.
    Own,
    /// By all channels at once.
    Full,
    /// By the first channels, register by register.
    Low,
    /// Anything goes.
    Any,
}

/// A variable that much is done with.
#[derive(Clone, Copy, Debug)]
struct BusyVar {
    var: VarId,
    bytes: u32,
    ty: Type,
    style: Style,
}

/// Channels, and the place of the first one's element.
#[derive(Clone, Copy, Debug)]
struct Spot {
    exec: ExecSize,
    chan: u8,
    at: u32,
}

struct KernelMaker {
    r: SplitMix,
    platform: Platform,
    simd: u32,
    grf: u32,
    vars: Vec<Var>,
    lanes: VarId,
    counter: VarId,
    subjects: Vec<BusyVar>,
    scalars: Vec<VarId>,
    flags: Vec<VarId>,
    /// Variables that take many registers between others.
    large: Vec<BusyVar>,
    address: VarId,
    /// Messages of how many registers at most.
    longest: u32,
}

/// The kernel of a seed.
pub fn generate(settings: ReplaySettings, seed: u64) -> Plan {
    let ReplaySettings { platform, room } = settings;
    let mut r = SplitMix::new(seed);
    let grf = u32::from(platform.caps().regs.grf_bytes);
    let simd = if grf == 64 { *r.pick(&[16, 16, 32]) } else { *r.pick(&[8, 16, 16, 16, 32]) };
    let mut vars = Vec::new();
    let input = |vars: &mut Vec<Var>, bytes: u32, at: u32| {
        let temp = Var::temp(VarClass::General, bytes, bytes.min(grf));
        gen_ir::push_var(vars, Var { fixed: Some(FileByte::new(at)), live_in: true, ..temp })
    };
    let lanes = input(&mut vars, simd * 4, 2 * grf);
    let counter = input(&mut vars, 4, grf + 8);
    let return_address = gen_ir::push_var(&mut vars, Var::temp(VarClass::General, 8, 8));
    let address = gen_ir::push_var(&mut vars, Var { origin: Some(0), ..Var::temp(VarClass::Address, 2, 2) });
    let numbers: Vec<u8> = (0..simd * 4).map(|_| r.bits() as u8).collect();
    let inputs = vec![(lanes, 2 * grf, numbers), (counter, grf + 8, vec![7, seed as u8, 3, 1])];
    let mut m = KernelMaker {
        r,
        platform,
        simd,
        grf,
        vars,
        lanes,
        counter,
        subjects: Vec::new(),
        scalars: Vec::new(),
        flags: Vec::new(),
        large: Vec::new(),
        address,
        longest: 8,
    };
    m.variables();
    let mut body = vec![PlanNode::Do(m.start())];
    let has_subs = m.chance(15);
    body.extend(m.nodes(3, 0, has_subs));
    body.push(PlanNode::Do(m.end()));
    let subs = if has_subs { vec![m.nodes(1, 0, false)] } else { Vec::new() };
    let reserved = m.reserved(room);
    let quick = m.chance(10);
    Plan {
        platform,
        simd: simd as u8,
        reserved,
        vars: m.vars,
        lanes,
        counter,
        return_address,
        body,
        subs,
        inputs,
        quick,
    }
}

impl KernelMaker {
    fn chance(&mut self, percent: usize) -> bool {
        self.r.below(100) < percent
    }

    fn below(&mut self, n: u32) -> u32 {
        self.r.below(n as usize) as u32
    }

    fn general(&mut self, bytes: u32, align: u32, temporary: bool) -> VarId {
        let origin = (!temporary).then_some(0);
        gen_ir::push_var(&mut self.vars, Var { origin, ..Var::temp(VarClass::General, bytes, align) })
    }

    fn variables(&mut self) {
        let usual = *self.r.pick(&[Style::Own, Style::Any, Style::Any, Style::Full]);
        for _ in 0..2 + self.below(4) {
            let ty = *self.r.pick(&[Type::Ud, Type::Ud, Type::Ud, Type::Uw, Type::Uq]);
            let row = (ty.bytes() * self.simd).max(self.grf);
            let bytes = *self.r.pick(&[row / 2, row, row, 2 * row, 2 * row]);
            let bytes = bytes.max(self.grf);
            let style = if self.chance(60) {
                usual
            } else {
                *self.r.pick(&[Style::Own, Style::Full, Style::Low, Style::Any])
            };
            let grf = self.grf;
            let var = self.general(bytes, grf, false);
            self.vars[var.index()].even_grf = self.chance(4);
            self.vars[var.index()].address_taken = self.chance(8);
            self.subjects.push(BusyVar { var, bytes, ty, style });
        }
        for _ in 0..self.below(3) {
            let var = self.general(4, 4, false);
            self.scalars.push(var);
        }
        let bytes = if self.simd == 32 { 4 } else { 2 };
        for _ in 0..1 + self.below(5) {
            let flag = Var { origin: Some(0), ..Var::temp(VarClass::Flag, bytes, bytes) };
            let flag = gen_ir::push_var(&mut self.vars, flag);
            self.flags.push(flag);
        }
        for _ in 0..2 {
            let registers = *self.r.pick(&[2, 4, 4, 8]);
            let grf = self.grf;
            let var = self.general(registers * grf, grf, false);
            self.large.push(BusyVar { var, bytes: registers * grf, ty: Type::Ud, style: Style::Low });
        }
    }

    /// How many registers variables are not given.
    fn reserved(&mut self, room: Option<u32>) -> u16 {
        let registers = |s: &BusyVar| s.bytes / self.grf;
        let subjects: u32 = self.subjects.iter().map(registers).sum();
        let large: u32 = self.large.iter().map(registers).max().unwrap_or(0);
        // What is there at the start, scalars, temporaries.
        let given = 2 + (self.simd * 4).div_ceil(self.grf) + 2;
        let wanted = match room {
            Some(percent) => (subjects + large) * percent / 100,
            None => {
                let less = self.below(subjects + 2);
                *self.r.pick(&[subjects + large, subjects + large - less, subjects + 1, large + 2, 110])
            }
        };
        let all = u32::from(self.platform.caps().regs.default_file().grfs);
        all.saturating_sub(given + wanted + 1) as u16
    }

    fn flag(&mut self) -> VarId {
        let flags = self.flags.clone();
        *self.r.pick(&flags)
    }

    fn branch(&mut self) -> Branch {
        let fresh = self.chance(70).then(|| self.below(1000));
        let uniform = fresh.is_some() && self.chance(25);
        Branch { flag: self.flag(), inv: self.chance(50), fresh, uniform }
    }

    /// Everything gets a value, or nearly.
    fn start(&mut self) -> Vec<Inst<Virtual>> {
        let mut out = Vec::new();
        for flag in self.flags.clone() {
            let compare = self.compare(flag, true);
            out.push(compare);
        }
        for subject in self.subjects.clone() {
            if self.chance(85) {
                self.whole_write(&mut out, subject);
            }
        }
        for scalar in self.scalars.clone() {
            let value = self.number(Type::Ud);
            out.push(self.scalar_write(scalar, 0, value));
        }
        out
    }

    fn compare(&mut self, flag: VarId, no_mask: bool) -> Inst<Virtual> {
        let lanes = Src::packed(Reg::var_at(self.lanes, 0), Type::Ud);
        let counter = Src::scalar(Reg::var_at(self.counter, 0), Type::Ud);
        Inst {
            no_mask,
            dst: Dst::null(Type::Ud),
            src: [lanes, counter, self.number(Type::Ud)],
            cond: Some(CondMod { cond: Cond::Lt, flag: Reg::var_at(flag, 0) }),
            ..Inst::new(Op::Cmp, self.full())
        }
    }

    fn full(&self) -> ExecSize {
        ExecSize::from_lanes(self.simd).expect("a number of channels")
    }

    /// What is left of everything is sent.
    fn end(&mut self) -> Vec<Inst<Virtual>> {
        let mut out = Vec::new();
        for subject in self.subjects.clone() {
            if self.chance(60) {
                self.store(&mut out, subject);
            }
        }
        out
    }

    fn nodes(&mut self, depth: u32, loops: u32, calls: bool) -> Vec<PlanNode> {
        let mut out = Vec::new();
        for _ in 0..*self.r.pick(&[1, 1, 2, 3]) {
            let kind = if depth == 0 { 0 } else { self.below(100) };
            let node = match kind {
                0..25 => PlanNode::Do(self.some(1, 4)),
                25..60 => {
                    let before = self.some(0, 2);
                    out.push(PlanNode::Do(before));
                    let branch = self.branch();
                    let then = self.nodes(depth - 1, loops, calls);
                    let els = if self.chance(50) { self.nodes(depth - 1, loops, calls) } else { Vec::new() };
                    PlanNode::If { branch, then, els }
                }
                60..82 if loops < 2 => {
                    let mut body = self.nodes(depth - 1, loops + 1, calls);
                    body.push(PlanNode::Do(self.some(0, 2)));
                    let branch = Branch { fresh: Some(self.below(1000)), ..self.branch() };
                    PlanNode::Loop { body, branch }
                }
                82..90 if loops > 0 => PlanNode::Leave { branch: self.branch(), again: self.chance(50) },
                90..95 if calls => PlanNode::Call(0),
                _ => PlanNode::Do(self.pressure()),
            };
            out.push(node);
        }
        out
    }

    fn some(&mut self, least: u32, most: u32) -> Vec<Inst<Virtual>> {
        let mut out = Vec::new();
        for _ in 0..least + self.below(most - least + 1) {
            self.instructions(&mut out);
        }
        if self.chance(25) {
            out.extend(self.pressure());
        }
        out
    }

    /// Variables that take many registers for a while.
    fn pressure(&mut self) -> Vec<Inst<Virtual>> {
        let mut out = Vec::new();
        let large = self.large.clone();
        let some = &large[..1 + self.r.below(2)];
        for subject in some {
            self.load_whole(&mut out, *subject);
        }
        if self.chance(20) {
            self.instructions(&mut out);
        }
        for subject in some {
            self.store_whole(&mut out, *subject);
        }
        out
    }
}

use super::*;
use crate::build::{self, Lanes};
use gen_ir::{Block, Desc, ExecSize, FileByte, Payload, SendInfo, Sfid, VarClass};
use platforms::Platform;

/// A block with messages whose headers are copies of `r0` with dwords over them.
struct Built {
    kernel: Kernel<Virtual>,
    r0: VarId,
    /// Where messages are to.
    at: VarId,
}

impl Built {
    fn new() -> Built {
        let mut kernel = Kernel::new("k", Platform::Skl);
        let input = Var { live_in: true, ..Var::temp(VarClass::General, 32, 32) };
        let r0 = kernel.add_var(Var { fixed: Some(FileByte::START), ..input.clone() });
        let at = kernel.add_var(input);
        kernel.blocks.push(Block::default());
        Built { kernel, r0, at }
    }

    fn push(&mut self, inst: Inst<Virtual>) {
        self.kernel.blocks[0].insts.push(inst);
    }

    fn var(&mut self, bytes: u32) -> VarId {
        self.kernel.add_var(Var::temp(VarClass::General, bytes, bytes))
    }

    fn place(&self, n: u32) -> VSrc {
        Src::scalar(Reg::var_at(self.at, 4 * n), Type::D)
    }

    /// A header with such dwords, and its message.
    fn message(&mut self, dwords: &[(u32, VSrc)]) -> VarId {
        let h = self.var(32);
        let from = Src::new(Reg::var_at(self.r0, 0), gen_ir::Region::PACKED, Type::Ud);
        self.push(build::mov(Lanes::all(ExecSize::S8), Dst::packed(Reg::var_at(h, 0), Type::Ud), from));
        for &(n, value) in dwords {
            let to = Dst::packed(Reg::var_at(h, 4 * n), Type::Ud);
            self.push(build::mov(Lanes::SCALAR, to, value));
        }
        let mut send = Inst::new(Op::Send, ExecSize::S8);
        send.dst = Dst::null(Type::Ud);
        send.src[0] = Src::payload(Reg::var_at(h, 0), ExecSize::S8);
        send.payload = Payload::Send(SendInfo {
            sfid: Sfid::Dc1,
            desc: Desc::Imm(gen_ir::Descriptor::new()),
            ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
            eot: false,
            dst_len: 0,
            src0_len: 1,
            src1_len: 0,
        });
        self.push(send);
        h
    }

    /// A scalar variable that is one more than a place.
    fn next_place(&mut self, n: u32) -> VSrc {
        let v = self.var(4);
        let to = Dst::packed(Reg::var_at(v, 0), Type::D);
        self.push(build::op(Op::Add, Lanes::SCALAR, to, &[self.place(n), Src::d(1)]));
        Src::scalar(Reg::var_at(v, 0), Type::D)
    }

    fn run(mut self) -> Vec<Inst<Virtual>> {
        let locality = Locality::of(&self.kernel);
        let mut use_counts = UseCounts::default();
        use_counts.count(&self.kernel);
        share(&mut self.kernel, &locality, &mut use_counts, 32, &mut HeaderMemory::default());
        crate::optimize::dead::drop_nops(&mut self.kernel);
        let insts = std::mem::take(&mut self.kernel.blocks[0].insts);
        check(&insts, self.r0);
        insts
    }
}

/// Every message finds in its header what it was given: told by running the moves.
fn check(insts: &[Inst<Virtual>], r0: VarId) {
    let mut state = std::collections::HashMap::<(VarId, u32), VSrc>::new();
    for inst in insts {
        if let Some((src, step)) = fills(inst, 32) {
            let Some(v) = inst.dst_var() else { continue };
            (0..8).for_each(|n| {
                state.insert((v, 4 * n), filled((src, step), n as usize));
            });
        } else if inst.op == Op::Mov
            && let Some(reg) = inst.dst.reg()
            && let Some(v) = reg.var()
        {
            state.insert((v, reg.byte), inst.src[0]);
        } else if inst.op.is_send() {
            let Some(h) = inst.src[0].reg().and_then(Reg::var) else { continue };
            assert!((0..8).all(|n| state.contains_key(&(h, 4 * n))));
            // What no message of these tests sets comes from r0.
            assert_eq!(state[&(h, 28)].reg().and_then(Reg::var), Some(r0));
        }
    }
}

fn moves(insts: &[Inst<Virtual>]) -> usize {
    insts.iter().filter(|i| i.op == Op::Mov).count()
}

#[test]
fn only_what_changes_is_written_again() {
    let mut k = Built::new();
    let (x, y) = (k.place(0), k.place(1));
    let first = k.message(&[(0, x), (1, y), (2, Src::ud(7))]);
    let z = k.next_place(1);
    k.message(&[(0, x), (1, z), (2, Src::ud(7))]);
    let insts = k.run();
    assert_eq!(moves(&insts), 5);
    let sends = insts.iter().filter(|i| i.op.is_send());
    assert!(sends.into_iter().all(|i| i.src[0].reg().and_then(Reg::var) == Some(first)));
}

#[test]
fn what_another_message_set_comes_from_r0_again() {
    let mut k = Built::new();
    let (x, y) = (k.place(0), k.place(1));
    k.message(&[(0, x), (2, Src::ud(7))]);
    k.message(&[(0, x), (1, y), (3, y)]);
    let insts = k.run();
    // Dword 2 back, 1 and 3 new: not more than a header costs, less its copy.
    assert_eq!(moves(&insts), 6);
    let back = insts.iter().rfind(|i| i.dst.reg().is_some_and(|r| r.byte == 8)).unwrap();
    assert_eq!(back.src[0].reg().map(|r| r.byte), Some(8));
}

#[test]
fn a_value_that_changes_is_written_again() {
    for (changed, count) in [(0, 5), (5, 4)] {
        let mut k = Built::new();
        let (x, y) = (k.place(0), k.place(1));
        k.message(&[(0, x), (1, y), (2, Src::ud(7))]);
        let to = Dst::packed(Reg::var_at(k.at, 4 * changed), Type::D);
        k.push(build::op(Op::Add, Lanes::SCALAR, to, &[x, Src::d(1)]));
        k.message(&[(0, x), (1, y), (2, Src::ud(7))]);
        assert_eq!(moves(&k.run()), count);
    }
}

#[test]
fn headers_that_live_at_once_stay_apart() {
    let mut k = Built::new();
    let x = k.place(0);
    let first = k.message(&[(0, x), (2, Src::ud(7))]);
    k.message(&[(0, x), (2, Src::ud(8))]);
    // The first one again, unchanged: its register still has to hold what it held.
    let again = k.kernel.blocks[0].insts.iter().find(|i| i.op.is_send()).copied().unwrap();
    k.push(again);
    let insts = k.run();
    assert_eq!(moves(&insts), 6);
    assert_eq!(insts.last().and_then(|i| i.src[0].reg()?.var()), Some(first));
}

#[test]
fn a_header_starts_before_the_values_that_go_into_it() {
    let mut k = Built::new();
    let z = k.next_place(1);
    k.message(&[(1, z), (2, Src::ud(7))]);
    let insts = k.run();
    assert!(fills(&insts[0], 32).is_some() && insts[1].op == Op::Add);
}

//! A message's descriptor that the message before had already is not computed again.
//!
//! Where a surface's index comes in a register, each message adds its bits to it in an address register. Rows of
//! messages to one surface ask for the same sum; the address register still holds it, unless another descriptor
//! of the kind, or more addresses than there is room for, came between.

use gen_ir::{
    BlockId, Dst, Extent, Inst, Kernel, OnlyBlock, Op, Payload, Reg, Src, Var, VarClass, VarId, Virtual,
};

use super::formula::Formula;
use crate::lists::{refill, reset};

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct DescriptorMemory {
    /// The block that writes each variable of this pass, once, and alone reads it; several for an address variable that is
    /// written more than once, or read where it is not written.
    block: Vec<OnlyBlock>,
    instead: Vec<Option<VarId>>,
    room: Room,
}

/// How many addresses come between.
#[derive(Debug, Default)]
struct Room {
    bytes: u32,
    clock: u32,
    /// When each address variable was last met; [`NO_ADDRESS`] for others.
    met: Vec<u32>,
}

/// A variable that takes no room.
const NO_ADDRESS: u32 = u32::MAX;

impl Room {
    fn start(&mut self, kernel: &Kernel<Virtual>) {
        self.bytes = u32::from(kernel.platform.caps().regs.addr_subregs) * 2;
        self.clock = 0;
        let start = |v: &Var| if v.class == VarClass::Address { 0 } else { NO_ADDRESS };
        refill(&mut self.met, kernel.vars.iter().map(start));
    }

    /// An address is read or written: descriptors that there is no room for beside it are forgotten.
    fn take(&mut self, reg: Reg<Virtual>, vars: &[Var], last: &mut [Option<Last>; 2]) {
        let Some(v) = reg.var().filter(|v| self.met[v.index()] != NO_ADDRESS) else { return };
        for last in last {
            let Some(l) = last.as_mut().filter(|l| l.var != v && self.met[v.index()] < l.since) else {
                continue;
            };
            l.others += vars[v.index()].bytes;
            if l.others + 4 > self.bytes {
                *last = None;
            }
        }
        self.met[v.index()] = self.clock;
    }
}

/// The last descriptor of a kind.
#[derive(Clone, Copy, Debug)]
struct Last {
    var: VarId,
    formula: Formula,
    /// Bytes of other address variables that came after it, and since when.
    others: u32,
    since: u32,
}

/// Reuses descriptors within blocks; what computed them again becomes `nop`.
pub(super) fn share(kernel: &mut Kernel<Virtual>, grf_bytes: u32, memory: &mut DescriptorMemory) {
    // Variables that vISA declares are addresses; what lowering adds are descriptors.
    let ours = |v: &Var| v.class == VarClass::Address && v.origin.is_none() && v.bytes == 4;
    if kernel.vars.iter().filter(|v| ours(v)).nth(1).is_none() {
        return;
    }
    memory.find(kernel, ours);
    let DescriptorMemory { block: of, instead, room } = memory;
    reset(instead, kernel.vars.len(), None);
    room.start(kernel);
    let Kernel { vars, blocks, .. } = kernel;
    for (b, block) in blocks.iter_mut().enumerate() {
        // Of messages, and of their extensions.
        let mut last: [Option<Last>; 2] = [None; 2];
        for i in 0..block.insts.len() {
            room.clock += 1;
            let insts = &mut block.insts;
            if let Some(send) = insts[i].send()
                && [send.desc.reg(), send.ex_desc.reg()].into_iter().any(|d| renamed(d, instead).is_some())
            {
                insts[i] = insts[i].map_regs(|_, r| match r.var().and_then(|v| instead[v.index()]) {
                    Some(first) => Reg::var_at(first, r.byte),
                    None => r,
                });
            }
            let inst = &insts[i];
            let Some(to) = inst.dst_var() else {
                inst.for_each_read(|r| room.take(r, vars, &mut last));
                continue;
            };
            if of[to.index()].is(b.into())
                && let Some(kind) = kind_of(to, &insts[i + 1..])
            {
                match (Formula::of(inst, vars), last[kind]) {
                    (Some(formula), Some(l)) if l.formula == formula => {
                        instead[to.index()] = Some(l.var);
                        insts[i] = Inst::new(Op::Nop, insts[i].exec);
                    }
                    (formula, _) => {
                        room.take(Reg::var_at(to, 0), vars, &mut last);
                        last[kind] =
                            formula.map(|formula| Last { var: to, formula, others: 0, since: room.clock });
                    }
                }
                continue;
            }
            inst.for_each_read(|r| room.take(r, vars, &mut last));
            room.take(Reg::var_at(to, 0), vars, &mut last);
            let written = inst.dst_extent(grf_bytes).unwrap_or(Extent { start: 0, end: u32::MAX });
            for last in &mut last {
                if last.is_some_and(|l| l.formula.reads(to, written)) {
                    *last = None;
                }
            }
        }
    }
}

/// How far behind its computation the message stands that says which kind of descriptor it is.
const REACH: usize = 64;

/// Whether the first message that reads a descriptor takes it for its own (0) or for the extended one (1).
fn kind_of(var: VarId, insts: &[Inst<Virtual>]) -> Option<usize> {
    let is = |d: Option<Reg<Virtual>>| d.is_some_and(|r| r.var() == Some(var));
    let sends = insts.iter().take(REACH).filter_map(Inst::send);
    sends.map(|s| (is(s.desc.reg()), is(s.ex_desc.reg()))).find_map(|reads| match reads {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    })
}

fn renamed(desc: Option<Reg<Virtual>>, instead: &[Option<VarId>]) -> Option<VarId> {
    desc.and_then(Reg::var).and_then(|v| instead[v.index()])
}

impl DescriptorMemory {
    /// Finds the descriptors that one instruction writes and only messages behind it in its block read.
    fn find(&mut self, kernel: &Kernel<Virtual>, ours: impl Fn(&Var) -> bool) {
        let of = &mut self.block;
        of.clear();
        of.extend(kernel.vars.iter().map(|v| if ours(v) { OnlyBlock::NONE } else { OnlyBlock::SEVERAL }));
        for (b, block) in (0..).map(BlockId).zip(&kernel.blocks) {
            for inst in &block.insts {
                let mut read = |r: Reg<Virtual>, by_message: bool| {
                    let Some(v) = r.var() else { return };
                    let only_block = &mut of[v.index()];
                    if !only_block.is(b) || !by_message {
                        *only_block = OnlyBlock::SEVERAL;
                    }
                };
                match &inst.payload {
                    Payload::Send(s) => {
                        for src in &inst.src {
                            match src {
                                Src::Indirect { addr, .. } => read(*addr, false),
                                src => src.reg().into_iter().for_each(|r| read(r, false)),
                            }
                        }
                        if let Dst::Indirect { addr, .. } = inst.dst {
                            read(addr, false);
                        }
                        for r in [s.desc.reg(), s.ex_desc.reg()].into_iter().flatten() {
                            read(r, true);
                        }
                    }
                    _ => inst.for_each_read(|r| read(r, false)),
                }
                if let Some(v) = inst.dst_var() {
                    let only_block = &mut of[v.index()];
                    match *only_block {
                        OnlyBlock::NONE => only_block.add(b),
                        _ => *only_block = OnlyBlock::SEVERAL,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_ir::{Block, Desc, ExecSize, SendInfo, Sfid, Type};
    use platforms::Platform;

    /// Messages to surfaces whose index is in dword `n` of a variable, with other instructions between.
    struct SurfaceMessages {
        kernel: Kernel<Virtual>,
        surfaces: VarId,
    }

    impl SurfaceMessages {
        fn new() -> SurfaceMessages {
            let mut kernel = Kernel::new("k", Platform::Skl);
            let surfaces = kernel.add_var(Var { live_in: true, ..Var::temp(VarClass::General, 32, 32) });
            kernel.blocks.push(Block::default());
            SurfaceMessages { kernel, surfaces }
        }

        fn message(&mut self, surface: u32, bits: u32) {
            let a0 = Reg::var_at(self.kernel.add_var(Var::temp(VarClass::Address, 4, 4)), 0);
            let mut add = Inst::new(Op::Add, ExecSize::S1);
            add.no_mask = true;
            add.dst = Dst::packed(a0, Type::Ud);
            add.src[0] = Src::scalar(Reg::var_at(self.surfaces, 4 * surface), Type::Ud);
            add.src[1] = Src::ud(bits);
            let mut send = Inst::new(Op::Send, ExecSize::S8);
            send.dst = Dst::null(Type::Ud);
            send.payload = Payload::Send(SendInfo {
                sfid: Sfid::Dc1,
                desc: Desc::Reg(a0),
                ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: 0,
                src0_len: 1,
                src1_len: 0,
            });
            self.kernel.blocks[0].insts.extend([add, send]);
        }

        fn sums(mut self) -> usize {
            share(&mut self.kernel, 32, &mut DescriptorMemory::default());
            let insts = &self.kernel.blocks[0].insts;
            let written = |v: VarId| insts.iter().any(|i| i.dst_var() == Some(v));
            for send in insts.iter().filter_map(Inst::send) {
                assert!(matches!(send.desc, Desc::Reg(r) if r.var().is_some_and(written)));
            }
            insts.iter().filter(|i| i.op == Op::Add).count()
        }
    }

    #[test]
    fn a_row_of_messages_computes_its_descriptor_once() {
        let mut k = SurfaceMessages::new();
        (0..4).for_each(|_| k.message(1, 7));
        assert_eq!(k.sums(), 1);
    }

    #[test]
    fn other_surfaces_and_bits_have_their_own() {
        let mut k = SurfaceMessages::new();
        [(1, 7), (1, 8), (2, 8), (1, 7)].into_iter().for_each(|(s, bits)| k.message(s, bits));
        assert_eq!(k.sums(), 4);
    }

    #[test]
    fn a_surface_that_changes_is_added_again() {
        for (byte, sums) in [(4, 2), (8, 1)] {
            let mut k = SurfaceMessages::new();
            k.message(1, 7);
            let mut mov = Inst::new(Op::Mov, ExecSize::S1);
            mov.dst = Dst::packed(Reg::var_at(k.surfaces, byte), Type::Ud);
            mov.src[0] = Src::ud(3);
            k.kernel.blocks[0].insts.push(mov);
            k.message(1, 7);
            assert_eq!(k.sums(), sums);
        }
    }

    #[test]
    fn addresses_that_need_all_the_room_come_between() {
        for (bytes, sums) in [(32, 2), (16, 1)] {
            let mut k = SurfaceMessages::new();
            k.message(1, 7);
            let a = k.kernel.add_var(Var { origin: Some(0), ..Var::temp(VarClass::Address, bytes, 2) });
            let mut mov = Inst::new(Op::Mov, ExecSize::S8);
            mov.dst = Dst::packed(Reg::var_at(a, 0), Type::Uw);
            mov.src[0] = Src::uw(3);
            k.kernel.blocks[0].insts.push(mov);
            k.message(1, 7);
            assert_eq!(k.sums(), sums);
        }
    }
}

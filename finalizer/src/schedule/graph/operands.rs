//! What an instruction's operands read and write, cell by cell.

use gen_ir::{Arf, Base, Direction, Dst, Extent, GrfNum, Inst, Payload, Physical, PredCtrl, Reg, Role, Src};

use super::{ACCUMULATOR, ADDRESSES, CELLS, FLAGS, GRFS, Graph};

impl Graph {
    /// Sources, and the descriptors of a message.
    #[inline]
    pub(super) fn sources(&mut self, i: u32, inst: &Inst<Physical>, grf_bytes: u32) {
        for (n, (s, src)) in (0..).zip(inst.src.iter().enumerate()) {
            match src {
                Src::None | Src::Imm { .. } => {}
                Src::Direct { reg, .. } | Src::Macro { reg, .. } => match reg.base() {
                    Base::Grf(first) => {
                        if let Some(extent) = inst.src_extent(s, grf_bytes) {
                            self.cells(i, (first.into(), GRFS), self.grf_log, extent, Direction::Read);
                        }
                    }
                    _ => self.special(i, inst, Role::Src(n), *reg),
                },
                Src::Indirect { addr, .. } => self.special(i, inst, Role::SrcAddr(n), *addr),
                Src::AddrOf { .. } => {}
            }
        }
        if let Payload::Send(send) = &inst.payload {
            for (role, reg) in [(Role::Desc, send.desc.reg()), (Role::ExDesc, send.ex_desc.reg())] {
                if let Some(reg) = reg {
                    self.special(i, inst, role, reg);
                }
            }
        }
    }

    #[inline]
    pub(super) fn destination(&mut self, i: u32, inst: &Inst<Physical>, grf_bytes: u32) {
        match &inst.dst {
            Dst::None => {}
            Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => match reg.base() {
                Base::Grf(n) => {
                    if let Some(extent) = inst.dst_extent(grf_bytes) {
                        self.general(i, n, extent);
                    }
                }
                _ => self.special(i, inst, Role::Dst, *reg),
            },
            Dst::Indirect { addr, .. } => {
                self.special(i, inst, Role::DstAddr, *addr);
                self.write_addressed(i);
            }
        }
    }

    /// A destination in general registers.
    fn general(&mut self, i: u32, first: GrfNum, extent: Extent) {
        self.cells(i, (first.into(), GRFS), self.grf_log, extent, Direction::Write);
        self.edge(self.anywhere, i, 1);
        self.writers.push(i);
    }

    /// Any operand.
    #[inline(never)]
    pub(super) fn special(&mut self, i: u32, inst: &Inst<Physical>, role: Role, reg: Reg<Physical>) {
        if role == Role::Cond && !inst.writes_flag() {
            return;
        }
        let Some(extent) = inst.extent(role, 1 << self.grf_log) else { return };
        let direction = role.direction();
        match reg.base() {
            Base::Grf(n) if direction == Direction::Write => self.general(i, n, extent),
            Base::Grf(n) => self.cells(i, (n.into(), GRFS), self.grf_log, extent, Direction::Read),
            Base::Arf(Arf::Flag(_))
                if role == Role::Pred && inst.pred.is_some_and(|p| p.ctrl != PredCtrl::Seq) =>
            {
                // Groups of channels, perhaps of both flags.
                (0..4).for_each(|n| self.read(i, FLAGS + n, u64::MAX));
            }
            Base::Arf(Arf::Flag(n)) => self.cells(i, (FLAGS + usize::from(n), CELLS), 2, extent, direction),
            Base::Arf(Arf::Addr(_)) => self.cells(i, (ADDRESSES, CELLS), 6, extent, direction),
            Base::Arf(Arf::Acc(_)) => self.cells(i, (ACCUMULATOR, CELLS), 6, Extent::new(0, 64), direction),
            _ => {}
        }
    }
}

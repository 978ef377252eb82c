//! Branches and synchronization.

use gen_ir::{Dst, ExecSize, Inst, Op, Payload, Physical, Reg, Region, Src, SrcMod, SyncFn, Target, Type};

use super::InstGenerator;

impl InstGenerator<'_> {
    pub(super) fn target(&mut self) -> Target {
        let to = self.random.number(self.count as u32) as i32;
        Target::Rel((to - self.at as i32) * 16)
    }

    pub(super) fn branch(&mut self, inst: &mut Inst<Physical>) {
        let op = inst.op;
        let (mut jip, mut uip) = (Target::None, Target::None);
        if matches!(op, Op::Jmpi) {
            inst.exec = ExecSize::S1;
            inst.chan = 0;
            inst.no_mask = true;
        }
        if op.info().dst {
            inst.dst = Dst::packed(self.whole_grf(), Type::D);
        }
        let register = op == Op::Ret
            || (matches!(op, Op::Jmpi | Op::Brd | Op::Brc | Op::Call | Op::Calla) && self.random.chance(25));
        if register {
            let region = match (self.xe(), op) {
                (false, Op::Ret | Op::Brc) => Region::new(2, 2, 1),
                _ => Region::SCALAR,
            };
            inst.src[0] = Src::Direct { reg: self.whole_grf(), region, mods: SrcMod::None, ty: Type::D };
        } else {
            jip = self.target();
            if op == Op::Calla {
                jip = Target::Rel(16 * self.random.number(self.count as u32) as i32);
            }
            if matches!(op, Op::If | Op::Else | Op::Break | Op::Cont | Op::Halt | Op::Goto | Op::Brc) {
                uip = self.target();
            }
        }
        let ctrl = matches!(op, Op::If | Op::Else | Op::Goto) && self.random.chance(20);
        inst.payload = Payload::Branch { jip, uip, ctrl };
    }

    pub(super) fn sync(&mut self, inst: &mut Inst<Physical>) {
        const FUNCTIONS: [SyncFn; 5] = [SyncFn::Nop, SyncFn::AllRd, SyncFn::AllWr, SyncFn::Bar, SyncFn::Host];
        let function = self.random.pick(&FUNCTIONS);
        inst.exec = ExecSize::S1;
        inst.payload = Payload::Sync(function);
        inst.src[0] = Src::scalar(Reg::NULL, Type::Ub);
        if matches!(function, SyncFn::AllRd | SyncFn::AllWr) && self.random.chance(60) {
            inst.src[0] = Src::ud(1 + self.random.number(0xffff));
        }
        inst.swsb = self.scoreboard(inst);
    }
}

//! Which way a vISA opcode takes through lowering: most are one Gen instruction with the same operands.

use gen_ir::Op;
use visa::Opcode;

/// vISA opcodes that are one Gen instruction with the operands in the same order.
#[rustfmt::skip]
const DIRECT: &[(Opcode, Op)] = &[
    (Opcode::Add, Op::Add), (Opcode::Add3, Op::Add3), (Opcode::Avg, Op::Avg),
    (Opcode::Frc, Op::Frc), (Opcode::Lrp, Op::Lrp),
    (Opcode::Mul, Op::Mul), (Opcode::Mulh, Op::Mulh),
    (Opcode::Rndd, Op::Rndd), (Opcode::Rndu, Op::Rndu), (Opcode::Rnde, Op::Rnde), (Opcode::Rndz, Op::Rndz),
    (Opcode::Sad2, Op::Sad2), (Opcode::Srnd, Op::Srnd), (Opcode::Lzd, Op::Lzd),
    (Opcode::And, Op::And), (Opcode::Or, Op::Or), (Opcode::Xor, Op::Xor), (Opcode::Not, Op::Not),
    (Opcode::Shl, Op::Shl), (Opcode::Shr, Op::Shr), (Opcode::Asr, Op::Asr),
    (Opcode::Rol, Op::Rol), (Opcode::Ror, Op::Ror), (Opcode::Cbit, Op::Cbit),
    (Opcode::Fbl, Op::Fbl), (Opcode::Fbh, Op::Fbh), (Opcode::Bfrev, Op::Bfrev),
    (Opcode::Mov, Op::Mov), (Opcode::Sel, Op::Sel), (Opcode::Bfe, Op::Bfe), (Opcode::Dp4a, Op::Dp4a),
];

/// How the instructions of an opcode are lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route {
    /// `dst = op(srcs...)`: one Gen instruction with the operands in the same order.
    Direct(Op),
    /// `mad`.
    Mad,
    /// `cmp`.
    Compare,
    /// `goto`.
    Goto,
    /// Others of the form `dst = opcode(srcs...)`.
    Alu,
    /// By what the typed view says.
    Typed,
    /// Nothing to do.
    Mark,
}

static ROUTES: [Route; 256] = {
    let mut routes = [Route::Typed; 256];
    let mut i = 0;
    while i < Opcode::ALL.len() {
        let opcode = Opcode::ALL[i];
        if opcode.is_plain() {
            routes[opcode.index()] = Route::Alu;
        }
        i += 1;
    }
    let mut i = 0;
    while i < DIRECT.len() {
        routes[DIRECT[i].0.index()] = Route::Direct(DIRECT[i].1);
        i += 1;
    }
    use Opcode::{Cmp, File, Goto, Label, Lifetime, Loc, Mad};
    routes[Mad.index()] = Route::Mad;
    routes[Cmp.index()] = Route::Compare;
    routes[Goto.index()] = Route::Goto;
    let mut i = 0;
    let marks = [Label, Lifetime, File, Loc];
    while i < marks.len() {
        routes[marks[i].index()] = Route::Mark;
        i += 1;
    }
    routes
};

impl Route {
    /// The way of an opcode.
    pub(crate) fn of(opcode: Opcode) -> Route {
        ROUTES[usize::from(opcode.raw())]
    }

    /// Whether an instruction's operands are a destination and sources.
    pub(crate) const fn is_alu(self) -> bool {
        matches!(self, Route::Direct(_) | Route::Mad | Route::Alu)
    }
}

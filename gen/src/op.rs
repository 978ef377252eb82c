//! Opcodes: one table row each.

use std::fmt;

/// The shape of an instruction, which decides its word format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// One or two sources in the basic format.
    Basic,
    /// Three sources in the ternary format (align1 or align16).
    Ternary,
    /// `math`: basic format with a function code.
    Math,
    /// `send`, `sendc`, `sends`, `sendsc`.
    Send,
    /// Flow control with JIP and perhaps UIP.
    Branch,
    /// `dpas`.
    Dpas,
    /// `sync` (Xe).
    Sync,
    /// `nop`, `illegal`: no operands.
    Nullary,
}

/// What is true of an opcode on every platform that has it.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Mnemonic in assembly text.
    pub name: &'static str,
    /// Word format.
    pub class: Class,
    /// Whether there is a destination operand.
    pub dst: bool,
    /// Number of sources (branches: registers they may read).
    pub srcs: u8,
    /// A bitwise operation: a negated source means `not`.
    pub logic: bool,
    /// What it does to the accumulator beside its operands.
    pub accumulator: ImplicitAccumulator,
    /// A condition chooses between its sources, and its flag is not written.
    pub chooses: bool,
}

/// What an operation does to the accumulator beside its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImplicitAccumulator {
    /// It is read.
    pub reads: bool,
    /// It is written.
    pub writes: bool,
}

impl ImplicitAccumulator {
    /// It is touched at all.
    pub const fn any(self) -> bool {
        self.reads || self.writes
    }
}

/// What few opcodes have: words behind their rows.
impl OpInfo {
    const fn reads_accumulator(self) -> OpInfo {
        OpInfo { accumulator: ImplicitAccumulator { reads: true, ..self.accumulator }, ..self }
    }

    const fn writes_accumulator(self) -> OpInfo {
        OpInfo { accumulator: ImplicitAccumulator { writes: true, ..self.accumulator }, ..self }
    }

    const fn chooses(self) -> OpInfo {
        OpInfo { chooses: true, ..self }
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $op:ident $name:literal $class:ident $dst:literal $srcs:literal $logic:literal $($word:ident)*;)*) => {
        /// A Gen opcode, independent of its number on a platform.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op,)* }

        narrow::enum_numbers!(Op: number u8, index usize);

        impl Op {
            /// Every opcode, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];

            /// The opcode of a mnemonic.
            pub(crate) fn named(name: &str) -> Option<Op> {
                match name { $($name => Some(Op::$op),)* _ => None }
            }
        }

        static INFO: [OpInfo; Op::ALL.len()] = [$(OpInfo {
            name: $name, class: Class::$class, dst: $dst, srcs: $srcs, logic: $logic,
            accumulator: ImplicitAccumulator { reads: false, writes: false }, chooses: false,
        }$(.$word())*,)*];
    };
}

// opcode mnemonic class has-destination sources bitwise, and words of `OpInfo`.
//
// `mac` adds to the accumulator and writes its destination alone (volume 2a, "mac"; Intel's `hasImplicitAccSrc`,
// `hasImplicitAccDst`).
#[rustfmt::skip]
ops! {
    /// Move and convert.
    Mov "mov" Basic true 1 false;
    /// Indexed move.
    Movi "movi" Basic true 2 false;
    /// Scattered move.
    Smov "smov" Basic true 2 false;
    /// Select by predicate or condition.
    Sel "sel" Basic true 2 false chooses;
    /// Compare.
    Cmp "cmp" Basic true 2 false;
    /// Compare, NaN-aware select form.
    Cmpn "cmpn" Basic true 2 false;
    /// Conditional select.
    Csel "csel" Ternary true 3 false chooses;
    /// Bitwise not.
    Not "not" Basic true 1 true;
    /// Bitwise and.
    And "and" Basic true 2 true;
    /// Bitwise or.
    Or "or" Basic true 2 true;
    /// Bitwise exclusive or.
    Xor "xor" Basic true 2 true;
    /// Shift left.
    Shl "shl" Basic true 2 false;
    /// Logical shift right.
    Shr "shr" Basic true 2 false;
    /// Arithmetic shift right.
    Asr "asr" Basic true 2 false;
    /// Rotate left.
    Rol "rol" Basic true 2 false;
    /// Rotate right.
    Ror "ror" Basic true 2 false;
    /// Bit field reverse.
    Bfrev "bfrev" Basic true 1 false;
    /// Bit field extract.
    Bfe "bfe" Ternary true 3 false;
    /// Bit field insert, mask.
    Bfi1 "bfi1" Basic true 2 false;
    /// Bit field insert.
    Bfi2 "bfi2" Ternary true 3 false;
    /// Three-input boolean function.
    Bfn "bfn" Ternary true 3 false;
    /// Find first bit from the high end.
    Fbh "fbh" Basic true 1 false;
    /// Find first bit from the low end.
    Fbl "fbl" Basic true 1 false;
    /// Count bits set.
    Cbit "cbit" Basic true 1 false;
    /// Leading zero detection.
    Lzd "lzd" Basic true 1 false;
    /// Addition.
    Add "add" Basic true 2 false;
    /// Three-input addition.
    Add3 "add3" Ternary true 3 false;
    /// Addition with carry out to the accumulator.
    Addc "addc" Basic true 2 false writes_accumulator;
    /// Subtraction with borrow out to the accumulator.
    Subb "subb" Basic true 2 false writes_accumulator;
    /// Average, rounding up.
    Avg "avg" Basic true 2 false;
    /// Multiplication.
    Mul "mul" Basic true 2 false;
    /// High half of a product of dwords: what legalization makes `mach` of. No platform has it.
    Mulh "mulh" Basic true 2 false;
    /// Multiply and accumulate.
    Mac "mac" Basic true 2 false reads_accumulator;
    /// Multiply and accumulate, high part.
    Mach "mach" Basic true 2 false reads_accumulator writes_accumulator;
    /// Multiply and accumulate, low part.
    Macl "macl" Basic true 2 false reads_accumulator writes_accumulator;
    /// Multiply and add.
    Mad "mad" Ternary true 3 false;
    /// Multiply and add, macro with extra precision.
    Madm "madm" Ternary true 3 false;
    /// Fraction.
    Frc "frc" Basic true 1 false;
    /// Round down.
    Rndd "rndd" Basic true 1 false;
    /// Round to nearest even.
    Rnde "rnde" Basic true 1 false;
    /// Round up.
    Rndu "rndu" Basic true 1 false;
    /// Round to zero.
    Rndz "rndz" Basic true 1 false;
    /// Stochastic rounding.
    Srnd "srnd" Basic true 2 false;
    /// Sum of absolute differences of two.
    Sad2 "sad2" Basic true 2 false;
    /// Sum of absolute differences of two, accumulating.
    Sada2 "sada2" Basic true 2 false reads_accumulator;
    /// Dot product of two.
    Dp2 "dp2" Basic true 2 false;
    /// Dot product of three.
    Dp3 "dp3" Basic true 2 false;
    /// Dot product of four.
    Dp4 "dp4" Basic true 2 false;
    /// Homogeneous dot product.
    Dph "dph" Basic true 2 false;
    /// Integer dot product of four bytes, accumulating.
    Dp4a "dp4a" Ternary true 3 false;
    /// Line evaluation.
    Line "line" Basic true 2 false;
    /// Plane evaluation.
    Pln "pln" Basic true 2 false;
    /// Linear interpolation.
    Lrp "lrp" Ternary true 3 false;
    /// Extended math; the function is in the payload.
    Math "math" Math true 2 false;
    /// Dot product accumulate systolic.
    Dpas "dpas" Dpas true 3 false;
    /// Dot product accumulate systolic, wide.
    Dpasw "dpasw" Dpas true 3 false;
    /// Message to a shared function.
    Send "send" Send true 1 false;
    /// Message, after thread dependencies are met.
    Sendc "sendc" Send true 1 false;
    /// Split message: two payload ranges (Gen9, Gen11).
    Sends "sends" Send true 2 false;
    /// Split message, after thread dependencies are met (Gen9, Gen11).
    Sendsc "sendsc" Send true 2 false;
    /// Indexed jump, scalar.
    Jmpi "jmpi" Branch false 1 false;
    /// Branch converging.
    Brc "brc" Branch false 1 false;
    /// Branch diverging.
    Brd "brd" Branch false 1 false;
    /// If.
    If "if" Branch false 0 false;
    /// Else.
    Else "else" Branch false 0 false;
    /// End if.
    Endif "endif" Branch false 0 false;
    /// While.
    While "while" Branch false 0 false;
    /// Break.
    Break "break" Branch false 0 false;
    /// Continue.
    Cont "cont" Branch false 0 false;
    /// Halt.
    Halt "halt" Branch false 0 false;
    /// Goto.
    Goto "goto" Branch false 0 false;
    /// Join.
    Join "join" Branch false 0 false;
    /// Call a subroutine, relative.
    Call "call" Branch true 1 false;
    /// Call a subroutine, absolute.
    Calla "calla" Branch true 1 false;
    /// Return from a subroutine.
    Ret "ret" Branch false 1 false;
    /// Wait for a notification.
    Wait "wait" Basic true 1 false;
    /// Scoreboard synchronization; the function is in the payload.
    Sync "sync" Sync false 1 false;
    /// No operation.
    Nop "nop" Nullary false 0 false;
    /// Illegal instruction.
    Illegal "illegal" Nullary false 0 false;
}

impl Op {
    /// The opcode's row.
    #[inline]
    pub const fn info(self) -> &'static OpInfo {
        &INFO[self.index()]
    }

    /// The mnemonic.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether lanes come together at this instruction, so that a block begins with it.
    pub const fn opens_block(self) -> bool {
        matches!(self, Op::Join | Op::Endif)
    }

    /// A message of this kind that is sent when the threads that its own depends on have ended (Programmer's Reference
    /// Manuals, volume "EU Overview", `sendc`). Other opcodes stay.
    #[must_use]
    pub const fn conditional(self) -> Op {
        match self {
            Op::Send => Op::Sendc,
            Op::Sends => Op::Sendsc,
            other => other,
        }
    }

    /// Whether this is a flow-control instruction.
    pub fn is_branch(self) -> bool {
        self.info().class == Class::Branch
    }

    /// Whether this sends a message.
    pub fn is_send(self) -> bool {
        self.info().class == Class::Send
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_match_opcodes() {
        for (i, op) in Op::ALL.iter().enumerate() {
            assert_eq!(op.index(), i);
        }
        assert_eq!(Op::Illegal.name(), "illegal");
    }
}

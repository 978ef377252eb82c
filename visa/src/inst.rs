//! Instructions: how a kernel stores them, and how consumers see them.

use narrow::{as_index, to_index, to_u16};

pub use crate::record::Record;
use crate::{
    lsc::LscOp,
    model::{Kernel, Version},
    op::Op,
    opcode::Opcode,
    operand::{Operand, PredOperand},
    table::{self, Enc, Row, When},
    types::Exec,
};

/// An instruction as consumers see it.
#[derive(Clone, Copy, Debug)]
pub struct Inst<'a> {
    /// Position in the kernel.
    pub index: u32,
    /// Opcode.
    pub opcode: Opcode,
    /// Execution size and mask (of `gather`/`scatter` too, which encode it their own way).
    pub exec: Exec,
    /// Guard predicate.
    pub pred: Option<PredOperand>,
    /// Byte offset in the object, or line of the text.
    pub place: u32,
    /// What it does.
    pub op: Op<'a>,
}

/// A table rule that operands break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadOperands {
    /// The instruction.
    pub opcode: Opcode,
    /// Position among the operands.
    pub operand: usize,
    /// What the table asks for.
    pub expected: &'static str,
}

impl std::fmt::Display for BadOperands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "operand {} of {} must be {}", self.operand, self.opcode, self.expected)
    }
}

impl std::error::Error for BadOperands {}

impl Kernel {
    /// The operands of a record.
    #[inline]
    pub fn operands_of(&self, record: &Record) -> &[Operand] {
        let first = as_index(record.first);
        &self.operands[first..first + usize::from(record.count)]
    }

    /// The instruction at `index`.
    ///
    /// # Errors
    ///
    /// The name and value of a control field that has no meaning, of an `index` where no instruction is, or of
    /// operands that the list does not hold; never for a validated kernel.
    #[inline]
    pub fn try_inst(&self, index: usize) -> Result<Inst<'_>, (&'static str, u32)> {
        let record = self.code.get(index).ok_or(("index", to_index(index)))?;
        let first = as_index(record.first);
        let operands = first.checked_add(record.count.into()).and_then(|end| self.operands.get(first..end));
        let (op, exec) = Op::of(record, operands.ok_or(("first operand", record.first))?)?;
        Ok(Inst {
            index: to_index(index),
            opcode: record.opcode,
            exec: exec.unwrap_or(record.exec),
            pred: record.pred,
            place: record.place,
            op,
        })
    }

    /// The instruction at `index`; panics if a control field has no meaning, which validation excludes.
    pub fn inst(&self, index: usize) -> Inst<'_> {
        match self.try_inst(index) {
            Ok(inst) => inst,
            Err((field, value)) => {
                panic!(
                    "{} at {index}: {field} is {value}, validate the kernel first",
                    self.code[index].opcode
                )
            }
        }
    }

    /// All instructions in order; see [`Kernel::inst`].
    pub fn insts(&self) -> impl ExactSizeIterator<Item = Inst<'_>> {
        (0..self.code.len()).map(|i| self.inst(i))
    }

    /// Appends an instruction.
    ///
    /// # Errors
    ///
    /// Operands that do not fit the table row.
    pub fn push(
        &mut self,
        opcode: Opcode,
        sub: u8,
        exec: Exec,
        pred: Option<PredOperand>,
        operands: &[Operand],
    ) -> Result<(), BadOperands> {
        self.push_at(opcode, sub, exec, pred, operands, 0)
    }

    /// Appends an instruction that came from `place`.
    ///
    /// # Errors
    ///
    /// Operands that do not fit the table row.
    pub fn push_at(
        &mut self,
        opcode: Opcode,
        sub: u8,
        exec: Exec,
        pred: Option<PredOperand>,
        operands: &[Operand],
        place: u32,
    ) -> Result<(), BadOperands> {
        let row =
            table::lookup(opcode, sub).ok_or(BadOperands { opcode, operand: 0, expected: "a sub-opcode" })?;
        check(row, operands)?;
        let first = to_index(self.operands.len());
        self.operands.extend_from_slice(operands);
        self.code.push(Record { opcode, sub, exec, pred, first, count: to_u16(operands.len()), place });
        Ok(())
    }
}

/// Checks the kind and number of operands against the row.
fn check(row: &'static Row, operands: &[Operand]) -> Result<(), BadOperands> {
    let bad = |operand, expected| Err(BadOperands { opcode: row.opcode, operand, expected });
    let mut at = 0;
    let mode = match operands.first() {
        Some(Operand::Num(n)) => *n,
        _ => 0,
    };
    for slot in row.operand_slots() {
        let exists = match slot.when {
            When::Always | When::Since(_) | When::SurfaceIndex => true,
            when => when.holds(first_number(row, operands, mode)),
        };
        let found = operands.get(at);
        let (ok, expected) = match slot.enc {
            _ if !exists => (matches!(found, Some(Operand::Absent)), "absent"),
            Enc::Vector | Enc::Aoffimmi => (matches!(found, Some(Operand::Vector(_))), "a vector operand"),
            Enc::Raw => (matches!(found, Some(Operand::Raw(_))), "a raw operand"),
            Enc::Surface => (matches!(found, Some(Operand::Surface(_))), "a surface"),
            Enc::Sampler => (matches!(found, Some(Operand::Sampler(_))), "a sampler"),
            Enc::Label => (matches!(found, Some(Operand::Label(_))), "a label"),
            Enc::Str | Enc::StrWide => (matches!(found, Some(Operand::Str(_))), "a string"),
            Enc::RawList => {
                let tail = &operands[at.min(operands.len())..];
                return match tail.iter().position(|o| !matches!(o, Operand::Raw(_))) {
                    None if tail.len() <= 255 => Ok(()),
                    None => bad(at, "at most 255 raw operands"),
                    Some(i) => bad(at + i, "a raw operand"),
                };
            }
            Enc::LabelList => {
                let tail = &operands[at.min(operands.len())..];
                return match tail.iter().position(|o| !matches!(o, Operand::Label(_))) {
                    None if tail.len() <= 255 => Ok(()),
                    None => bad(at, "at most 255 labels"),
                    Some(i) => bad(at + i, "a label"),
                };
            }
            Enc::LabelCount => continue,
            Enc::U8 => (matches!(found, Some(Operand::Num(n)) if *n <= 0xff), "a byte"),
            Enc::U16 | Enc::SampleOp => (matches!(found, Some(Operand::Num(n)) if *n <= 0xffff), "a word"),
            Enc::U32 | Enc::I32 | Enc::VarWide => (matches!(found, Some(Operand::Num(_))), "a number"),
            Enc::Exec | Enc::Pred | Enc::Sub => continue,
        };
        if !ok {
            return bad(at, expected);
        }
        at += 1;
    }
    if at == operands.len() { Ok(()) } else { bad(at, "absent") }
}

/// The number that conditional slots look at: the row's first number among its operands.
fn first_number(row: &'static Row, operands: &[Operand], fallback: u32) -> u32 {
    let at = row.operand_slots().position(|s| matches!(s.enc, Enc::U8 | Enc::U16));
    match at.and_then(|i| operands.get(i)) {
        Some(Operand::Num(n)) => *n,
        _ => fallback,
    }
}

impl Version {
    /// `major * 100 + minor`, as the table counts.
    pub(crate) fn number(self) -> u16 {
        u16::from(self.major) * 100 + u16::from(self.minor)
    }
}

impl Inst<'_> {
    /// The LSC operation, for LSC instructions.
    pub fn lsc_op(&self) -> Option<LscOp> {
        self.op.lsc_op()
    }
}

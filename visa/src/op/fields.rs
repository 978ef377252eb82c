//! The fields of an instruction, each by its type: how it is taken from the stored operands, and put there.

use narrow::{low_u8, low_u16};

use super::*;
use crate::types::Exec;

/// A control field that has no meaning: its name and value.
pub(super) type Fault = (&'static str, u32);

/// Reads a record's operands in order.
pub(super) struct Take<'a> {
    pub(super) operands: &'a [Operand],
    pub(super) at: usize,
    /// The record's sub-opcode.
    pub(super) sub: u8,
    /// The execution size and mask, where operands hold them.
    pub(super) exec: Option<Exec>,
}

impl<'a> Take<'a> {
    pub(super) fn next(&mut self) -> &'a Operand {
        self.at += 1;
        &self.operands[self.at - 1]
    }

    /// The next so many.
    pub(super) fn several(&mut self, count: usize) -> &'a [Operand] {
        let several = &self.operands[self.at..self.at + count];
        self.at += count;
        several
    }

    pub(super) fn rest(&mut self) -> &'a [Operand] {
        let rest = &self.operands[self.at..];
        self.at = self.operands.len();
        rest
    }

    pub(super) fn num(&mut self) -> u32 {
        self.next().num()
    }

    pub(super) fn byte(&mut self) -> u8 {
        low_u8(self.num())
    }
}

/// Writes operands in table order.
pub(super) struct Put<'a> {
    pub(super) operands: &'a mut Vec<Operand>,
    /// The instruction's execution size and mask.
    pub(super) exec: Exec,
}

/// One field, or several that belong together.
pub(super) trait Field<'a>: Sized {
    /// The field that comes next.
    fn take(t: &mut Take<'a>) -> Result<Self, Fault>;

    /// Appends the field.
    fn put(self, p: &mut Put<'_>);
}

/// Fields that one operand holds, whatever its value.
macro_rules! fields {
    ($($ty:ty: |$from:ident| $take:expr, |$value:ident| $put:expr;)+) => {
        $(
            impl<'a> Field<'a> for $ty {
                #[inline]
                fn take($from: &mut Take<'a>) -> Result<$ty, Fault> {
                    Ok($take)
                }

                #[inline]
                fn put(self, p: &mut Put<'_>) {
                    let $value = self;
                    p.operands.push($put);
                }
            }
        )+
    };
}

fields! {
    u8: |t| t.byte(), |v| Operand::Num(v.into());
    u16: |t| low_u16(t.num()), |v| Operand::Num(v.into());
    u32: |t| t.num(), |v| Operand::Num(v);
    i32: |t| t.num().cast_signed(), |v| Operand::Num(v.cast_unsigned());
    bool: |t| t.byte() != 0, |v| Operand::Num(v.into());
    FenceMask: |t| FenceMask::from_bits(t.byte()), |v| Operand::Num(v.into_bits().into());
    RtWriteMode: |t| RtWriteMode::from_bits(low_u16(t.num())), |v| Operand::Num(v.into_bits().into());
    RtReadMode: |t| RtReadMode::from_bits(low_u16(t.num())), |v| Operand::Num(v.into_bits().into());
    ChannelMask: |t| ChannelMask(t.byte() & 15), |v| Operand::Num(v.0.into());
    RawOperand: |t| t.next().raw(), |v| Operand::Raw(v);
    &'a VectorOperand: |t| t.next().vector(), |v| Operand::Vector(*v);
    SurfaceId: |t| t.next().surface(), |v| Operand::Surface(v);
    SamplerId: |t| t.next().sampler(), |v| Operand::Sampler(v);
    LabelId: |t| t.next().label(), |v| Operand::Label(v);
    StrId: |t| t.next().str(), |v| Operand::Str(v);
}

/// The last fields: as many as there are.
macro_rules! lists {
    ($($ty:ident)+) => {
        $(
            impl<'a> Field<'a> for $ty<'a> {
                fn take(t: &mut Take<'a>) -> Result<$ty<'a>, Fault> {
                    Ok($ty(t.rest()))
                }

                fn put(self, p: &mut Put<'_>) {
                    p.operands.extend_from_slice(self.0);
                }
            }
        )+
    };
}

lists!(Srcs Raws Labels);

/// Bytes that name one of a few values.
macro_rules! choices {
    ($($ty:ty = $name:literal;)+) => {
        $(
            impl<'a> Field<'a> for $ty {
                fn take(t: &mut Take<'a>) -> Result<$ty, Fault> {
                    let raw = t.byte();
                    <$ty>::from_raw(raw).ok_or(($name, u32::from(raw)))
                }

                fn put(self, p: &mut Put<'_>) {
                    self.raw().put(p);
                }
            }
        )+
    };
}

choices! {
    MediaModifier = "modifier";
    SamplerOp = "operation";
    PixelFormat = "output format";
    AvsBlock = "execution mode";
    VmeStream = "stream mode";
    VmeSearch = "search control";
    LscSfid = "shared function";
    LscFenceOp = "fence operation";
    LscScope = "fence scope";
    LscDataSize = "data size";
    LscOrder = "data order";
    LscAddrType = "address type";
    LscAddrSize = "address size";
}

impl<'a> Field<'a> for [LscCache; 2] {
    fn take(t: &mut Take<'a>) -> Result<[LscCache; 2], Fault> {
        let mut level = |name| {
            let raw = t.byte();
            LscCache::from_raw(raw).ok_or((name, u32::from(raw)))
        };
        Ok([level("L1 cache control")?, level("L3 cache control")?])
    }

    fn put(self, p: &mut Put<'_>) {
        self.into_iter().for_each(|level| level.raw().put(p));
    }
}

/// Fields that may be missing.
macro_rules! options {
    ($($ty:ty)+) => {
        $(
            impl<'a> Field<'a> for Option<$ty> {
                fn take(t: &mut Take<'a>) -> Result<Option<$ty>, Fault> {
                    if matches!(t.operands[t.at], Operand::Absent) {
                        t.at += 1;
                        return Ok(None);
                    }
                    <$ty>::take(t).map(Some)
                }

                fn put(self, p: &mut Put<'_>) {
                    match self {
                        Some(field) => field.put(p),
                        None => p.operands.push(Operand::Absent),
                    }
                }
            }
        )+
    };
}

options!(RawOperand &'a VectorOperand);

/// Operands of one kind, one after the other.
macro_rules! arrays {
    ($($ty:ty)+) => {
        $(
            impl<'a, const N: usize> Field<'a> for [$ty; N] {
                fn take(t: &mut Take<'a>) -> Result<[$ty; N], Fault> {
                    let mut found: [Option<$ty>; N] = [None; N];
                    for one in &mut found {
                        *one = Some(<$ty>::take(t)?);
                    }
                    Ok(found.map(|one| one.expect("all are taken")))
                }

                fn put(self, p: &mut Put<'_>) {
                    self.into_iter().for_each(|one| one.put(p));
                }
            }
        )+
    };
}

arrays!(RawOperand &'a VectorOperand u8 u32);

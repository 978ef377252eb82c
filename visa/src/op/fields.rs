//! The fields of an instruction, each by its type: how it is taken from the stored operands, and put there.
//!
//! Where a view's fields are the stored ones, in their order, one line of [`views`] is the way there and back.

use narrow::{low_u8, low_u16};

use super::*;
use crate::opcode::Opcode;

/// A control field that has no meaning: its name and value.
pub(super) type Fault = (&'static str, u32);

/// Reads a record's operands in order.
pub(super) struct Take<'a> {
    pub(super) operands: &'a [Operand],
    pub(super) at: usize,
}

impl<'a> Take<'a> {
    pub(super) fn next(&mut self) -> &'a Operand {
        self.at += 1;
        &self.operands[self.at - 1]
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
pub(super) struct Put<'a>(pub(super) &'a mut Vec<Operand>);

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
                    p.0.push($put);
                }
            }
        )+
    };
}

fields! {
    u8: |t| t.byte(), |v| Operand::Num(v.into());
    u16: |t| low_u16(t.num()), |v| Operand::Num(v.into());
    u32: |t| t.num(), |v| Operand::Num(v);
    bool: |t| t.byte() != 0, |v| Operand::Num(v.into());
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
                    p.0.extend_from_slice(self.0);
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
                        None => p.0.push(Operand::Absent),
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

arrays!(RawOperand &'a VectorOperand);

macro_rules! views {
    (
        fields { $($own:ident => $own_view:ident { $($own_field:ident),+ };)+ }
        families { $($($member:ident)|+ => $family:ident { $($family_field:ident),+ };)+ }
        stores { $($load:ident, $store:ident => $access:ident { $($access_field:ident),+ };)+ }
        structs { $($struct_of:ident => $struct:ident { $($struct_field:ident),+ };)+ }
        one { $($one_of:ident => $one:ident;)+ }
        none { $($none_of:ident => $none:ident;)+ }
    ) => {
        impl<'a> Op<'a> {
            /// The view of an instruction whose fields are the stored ones; `None` of another one.
            #[inline]
            pub(super) fn take(opcode: Opcode, t: &mut Take<'a>) -> Result<Option<Op<'a>>, Fault> {
                Ok(Some(match opcode {
                    $(Opcode::$own => Op::$own_view { $($own_field: Field::take(t)?),+ },)+
                    $($(Opcode::$member)|+ => Op::$family { $($family_field: Field::take(t)?),+ },)+
                    $(Opcode::$load | Opcode::$store => Op::$access {
                        store: opcode as u8 == Opcode::$store as u8,
                        $($access_field: Field::take(t)?),+
                    },)+
                    $(Opcode::$struct_of => Op::$struct($struct { $($struct_field: Field::take(t)?),+ }),)+
                    $(Opcode::$one_of => Op::$one(Field::take(t)?),)+
                    $(Opcode::$none_of => Op::$none,)+
                    _ => return Ok(None),
                }))
            }

            /// Puts the fields of such a view and gives its opcode; `None` of another one. `opcode` tells apart
            /// the members of a family.
            #[inline]
            pub(super) fn put_fields(&self, opcode: Opcode, p: &mut Put<'_>) -> Option<Opcode> {
                Some(match *self {
                    $(Op::$own_view { $($own_field),+ } => {
                        $($own_field.put(p);)+
                        Opcode::$own
                    })+
                    $(Op::$family { $($family_field),+ } => {
                        $($family_field.put(p);)+
                        opcode
                    })+
                    $(Op::$access { store, $($access_field),+ } => {
                        $($access_field.put(p);)+
                        if store { Opcode::$store } else { Opcode::$load }
                    })+
                    $(Op::$struct($struct { $($struct_field),+ }) => {
                        $($struct_field.put(p);)+
                        Opcode::$struct_of
                    })+
                    $(Op::$one(one) => {
                        one.put(p);
                        Opcode::$one_of
                    })+
                    $(Op::$none => Opcode::$none_of,)+
                    _ => return None,
                })
            }
        }
    };
}

views! {
    fields {
        Setp => Setp { dst, src };
        Movs => Movs { dst, src };
        AddrAdd => AddrAdd { dst, base, offset };
        Fcall => Fcall { function, arg_size, return_size };
        Faddr => Faddr { symbol, dst };
        Switchjmp => SwitchJmp { index, labels };
        LscFence => LscFence { sfid, op, scope };
        Info3d => Info3d { op, channels, surface, lod, dst };
        UrbWrite3d => UrbWrite { outputs, mask, global_offset, handle, per_slot_offset, data };
        Sbarrier => SplitBarrier { signal };
        Nbarrier => NamedBarrier { mode, id, kind, producers, consumers };
        Wait => Wait { mask };
        Fence => Fence { mask };
    }
    families {
        Addc | Subb => Carry { dst, carry, srcs };
        Invm | Rsqtm => MacroMath { dst, flag, srcs };
    }
    stores {
        MediaLd, MediaSt => MediaBlock { modifier, surface, plane, width, height, x, y, data };
        Gather4Typed, Scatter4Typed => Typed4 { mask, surface, coords, data };
    }
    structs {
        RtWrite3d => RtWrite {
            mode, surface, header, sample_index, counter, target, alpha0, output_mask, color, depth, stencil
        };
    }
    one {
        Goto => Goto;
        Label => Label;
        Jmp => Jmp;
        Call => Call;
        Subroutine => Subroutine;
        File => File;
        Loc => Loc;
    }
    none {
        Ret => Ret;
        Fret => Fret;
        Barrier => Barrier;
        Yield => Yield;
        SamplerCacheFlush => SamplerCacheFlush;
        Breakpoint => Breakpoint;
    }
}

//! Rules of `dpas`: the page of the instruction in Bspec, as Mesa's validator and Intel's have it.

use super::Cx;
use crate::{Payload, Type};

pub(super) fn check(cx: &mut Cx<'_>) {
    let Payload::Dpas { depth, .. } = cx.inst.payload else { return };
    let full = cx.lanes() * 4 == cx.grf();
    cx.require(full, "dpas-lanes", "a matrix operation has a channel for each dword of a register");
    cx.require(depth == 8, "dpas-depth", "a matrix operation has eight stages");
    let bare = cx.inst.pred.is_none() && cx.inst.cond.is_none();
    cx.require(bare, "dpas-predicate", "a matrix operation has neither a predicate nor a condition");
    types(cx);
    places(cx);
}

fn types(cx: &mut Cx<'_>) {
    let sums = [cx.dst_type(), cx.inst.src[0].ty()];
    let factors = [cx.inst.src[1].ty(), cx.inst.src[2].ty()];
    let fits = match factors {
        [Some(a), Some(b)] if a.is_int() && b.is_int() => {
            a.bits() <= 8 && b.bits() <= 8 && sums.into_iter().flatten().all(Type::is_dword)
        }
        [Some(a), Some(b)] if a == b => {
            let own = |ty| ty == a && matches!(a, Type::Hf | Type::Bf);
            let narrow = matches!(a, Type::Hf | Type::Bf | Type::Tf32 | Type::Bf8);
            narrow && sums.into_iter().flatten().all(|ty| ty == Type::F || own(ty))
        }
        _ => false,
    };
    cx.require(
        fits,
        "dpas-types",
        "products of bytes and less are added to dwords, of floats to single floats or their own",
    );
    let unsigned = |ty: Type| ty.is_int() && !ty.is_signed();
    let signs = !cx.dst_type().is_some_and(unsigned) || cx.src_types().all(unsigned);
    cx.require(signs, "dpas-sign", "the sum of something signed is signed");
}

fn places(cx: &mut Cx<'_>) {
    let lanes = cx.lanes();
    let at = |place: Option<(u32, u32)>| place.is_none_or(|(byte, bytes)| byte.is_multiple_of(bytes));
    let source = |i: usize| cx.inst.src[i].reg().filter(|reg| !reg.is_null()).map(|reg| reg.byte);
    let sum = |byte: Option<u32>, ty: Option<Type>| byte.zip(ty.map(|ty| lanes * ty.bytes()));
    let dst = cx.inst.dst.reg().map(|reg| reg.byte);
    let holds = at(sum(dst, cx.dst_type()))
        && at(sum(source(0), cx.inst.src[0].ty()))
        && at(source(1).map(|byte| (byte, cx.grf())))
        && at(source(2).map(|byte| (byte, cx.inst.matrix_row())));
    cx.require(
        holds,
        "dpas-place",
        "rows of a matrix start at a multiple of their size, the columns of src1 at a register",
    );
}

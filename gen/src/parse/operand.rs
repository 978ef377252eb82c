//! Operands.

use narrow::low_u64;

use crate::{Arf, Base, Desc, Dst, GrfNum, Mme, Reg, Region, Space, Src, SrcMod, Type};

use super::number::number;

/// A register; a subregister number counts elements of `bytes` bytes.
pub(super) fn reg<S: Space>(text: &str, bytes: u32) -> Result<Reg<S>, String> {
    let none = || {
        format!("`{text}` is no register; allowed: as `r12.3`, `V3(16)`, `f0.1`, `a0.2`, `acc0.0`, `null`")
    };
    if let Some(var) = text.strip_prefix('V') {
        let (var, byte) = var.strip_suffix(')').and_then(|t| t.split_once('(')).ok_or_else(none)?;
        let var = S::var(number(var)?).ok_or_else(|| format!("`{text}`: there are no variables any more"))?;
        return Ok(Reg::new(Base::Var(var), number(byte)?));
    }
    let (name, sub) = text.split_once('.').unwrap_or((text, "0"));
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (file, n) = name.split_at(digits);
    let (base, unit) = if file == "r" {
        (Base::Grf(GrfNum::try_new(number(n)?).ok_or_else(|| format!("there is no r{n}"))?), bytes)
    } else {
        let n = if n.is_empty() { None } else { Some(n.parse().map_err(|_| none())?) };
        let arf = Arf::named(file, n).ok_or_else(none)?;
        (Base::Arf(arf), crate::print::unit(arf, bytes))
    };
    let byte = match sub.strip_suffix('b') {
        Some(byte) => number(byte)?,
        None => number::<u32>(sub)?.checked_mul(unit).ok_or_else(none)?,
    };
    Ok(Reg::new(base, byte))
}

pub(super) fn dst<S: Space>(text: &str) -> Result<Dst<S>, String> {
    let none = || {
        format!("`{text}` is no destination; allowed: as `r1.0<1>:d`, `V1(0)<1>:d`, `r[a0.0,16]<1>:d`, `_`")
    };
    let (place, ty) = typed(text).ok_or_else(none)?;
    if let Some((reg, mme)) = macro_operand(place) {
        return Ok(Dst::Macro { reg: self::reg(reg, 1)?, mme, ty });
    }
    let (place, stride) = place.strip_suffix('>').and_then(|p| p.split_once('<')).ok_or_else(none)?;
    let horz = number(stride)?;
    Ok(match indirect(place)? {
        Some((addr, imm)) => Dst::Indirect { addr, imm, horz, ty },
        None => Dst::Direct { reg: reg(place, ty.bytes())?, horz, ty },
    })
}

pub(super) fn src<S: Space>(text: &str) -> Result<Src<S>, String> {
    if text.starts_with('~') {
        return Err(format!("`{text}` is no source; an operand of logic is inverted by `-`"));
    }
    let none = || {
        format!(
            "`{text}` is no source; allowed: as `-r1.0<8;8,1>:d`, `(abs)V1(0)<1;1,0>:f`, `1:d`, `&V1(0):uw`"
        )
    };
    let (place, ty) = typed(text).ok_or_else(none)?;
    if let Some(place) = place.strip_prefix('&') {
        return Ok(Src::address_of(reg(place, 1)?, ty));
    }
    let (mods, bare) = modifiers(place);
    if let Some((reg, mme)) = macro_operand(bare) {
        return Ok(Src::Macro { reg: self::reg(reg, 1)?, mme, mods, ty });
    }
    let Some((bare, region)) = bare.strip_suffix('>').and_then(|p| p.split_once('<')) else {
        return immediate(place, ty).ok_or_else(none);
    };
    let region = self::region(region).ok_or_else(none)?;
    Ok(match indirect(bare)? {
        Some((addr, imm)) => Src::Indirect { addr, imm, region, mods, ty },
        None => Src::Direct { reg: reg(bare, ty.bytes())?, region, mods, ty },
    })
}

pub(super) fn desc<S: Space, D: From<u32>>(text: &str) -> Result<Desc<S, D>, String> {
    match text.strip_prefix("0x") {
        Some(hex) => match u32::from_str_radix(hex, 16) {
            Ok(bits) => Ok(Desc::Imm(D::from(bits))),
            Err(_) => Err(format!("`{text}` is too large")),
        },
        None => Ok(Desc::Reg(reg(text, 1)?)),
    }
}

/// The part in front of the type, and the type.
fn typed(text: &str) -> Option<(&str, Type)> {
    let (place, ty) = text.rsplit_once(':')?;
    Some((place, Type::named(ty)?))
}

fn modifiers(text: &str) -> (SrcMod, &str) {
    let (neg, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (abs, text) = text.strip_prefix("(abs)").map_or((false, text), |rest| (true, rest));
    (SrcMod::new(abs, neg), text)
}

/// `r5.mme3`: register and number.
fn macro_operand(text: &str) -> Option<(&str, Mme)> {
    if let Some(reg) = text.strip_suffix(".nomme") {
        return Some((reg, Mme::None));
    }
    let (reg, n) = text.rsplit_once(".mme")?;
    Some((reg, Mme::Reg(n.parse().ok()?)))
}

/// `r[a0.3,-16]`: address and offset.
fn indirect<S: Space>(text: &str) -> Result<Option<(Reg<S>, i16)>, String> {
    let Some(inner) = text.strip_prefix("r[").and_then(|t| t.strip_suffix(']')) else { return Ok(None) };
    let (addr, imm) = inner.split_once(',').ok_or_else(|| format!("`{text}` has no offset"))?;
    Ok(Some((reg(addr, 1)?, number(imm)?)))
}

fn region(text: &str) -> Option<Region> {
    let step = |text: &str| text.parse().ok();
    Some(match (text.split_once(';'), text.split_once(',')) {
        (None, None) => Region::ternary_last(step(text)?),
        (None, Some((width, horz))) => Region::new(Region::VXH, step(width)?, step(horz)?),
        (Some((vert, rest)), None) => Region::ternary(step(vert)?, step(rest)?),
        (Some((vert, rest)), Some(_)) => {
            let (width, horz) = rest.split_once(',')?;
            Region::new(step(vert)?, step(width)?, step(horz)?)
        }
    })
}

fn immediate<S: Space>(text: &str, ty: Type) -> Option<Src<S>> {
    let bits = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => match ty {
            Type::F => text.parse::<f32>().ok()?.to_bits().into(),
            Type::Df => text.parse::<f64>().ok()?.to_bits(),
            _ => low_u64(text.parse::<i128>().ok().filter(|n| n.unsigned_abs() <= u64::MAX.into())?),
        },
    };
    Some(Src::imm(bits, ty))
}

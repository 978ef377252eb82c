//! Instructions.

use crate::{
    BlockId, Class, Cond, CondMod, Desc, Descriptor, Dst, ExecSize, ExtendedDescriptor, Inst, MathFn, Op,
    Options, Outside, Payload, Pipe, Pred, PredCtrl, SbidMode, SendInfo, Sfid, Space, Src, Swsb, SyncFn,
    Target,
};

use super::{
    number::{number, number_after},
    operand,
};

/// Reads an instruction. No part of one has blanks in it.
pub(super) fn inst<S: Space>(text: &str) -> Result<Inst<S>, String> {
    let mut words = text.split_whitespace().peekable();
    let mut guard = None;
    if words.peek().is_some_and(|w| w.starts_with('(')) {
        guard = words.next();
    }
    let mnemonic = words.next().ok_or("found no mnemonic behind the predicate")?;
    let (name, suffix) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
    let op = Op::named(name).ok_or_else(|| format!("`{name}` is no mnemonic"))?;
    let mut inst: Inst<S> = Inst::new(op, ExecSize::S1);
    if let Some(guard) = guard {
        predicate(&mut inst, guard)?;
    }
    inst.payload = payload(op, suffix)?;
    if let Some(lanes) = words.next_if(|w| w.starts_with('(') && w.contains('|')) {
        (inst.exec, inst.chan) = channels(lanes)
            .ok_or_else(|| format!("`{lanes}` is no set of channels; allowed: as `(8|M16)`"))?;
    } else if !matches!(op.info().class, Class::Nullary | Class::Sync) {
        return Err(format!("found no channels behind `{mnemonic}`; allowed: as `(8|M16)`"));
    }
    if let Some(word) = words.next_if(|w| w.starts_with('(') && *w != "(sat)" && !w.starts_with("(abs)")) {
        let (cond, flag) = word[1..].split_once(')').ok_or("a condition without end")?;
        let cond = Cond::named(cond).ok_or_else(|| {
            let allowed = Cond::NAMES.join(", ");
            format!("`({cond})` is no condition; allowed: {allowed}, or `(sat)` as a word of its own")
        })?;
        inst.cond = Some(CondMod { cond, flag: operand::reg(flag, 1)? });
    }
    inst.sat = words.next_if_eq(&"(sat)").is_some();
    let mut operands = Vec::new();
    for word in words {
        tail(&mut inst, word, &mut operands)?;
    }
    place(&mut inst, &operands)?;
    Ok(inst)
}

/// `(W&~f0.1.any8h)`.
fn predicate<S: Space>(inst: &mut Inst<S>, text: &str) -> Result<(), String> {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).ok_or("a predicate without end")?;
    let flag = match inner.strip_prefix('W') {
        Some("") => {
            inst.no_mask = true;
            return Ok(());
        }
        Some(rest) => {
            inst.no_mask = true;
            rest.strip_prefix('&')
                .ok_or_else(|| format!("`{text}` is no predicate; allowed: as `(W)`, `(W&f0.0)`"))?
        }
        None => inner,
    };
    let (inv, flag) = flag.strip_prefix('~').map_or((false, flag), |flag| (true, flag));
    // Behind the flag's own number: `f0.1.any8h`, `V3(0).any8h`.
    let from = flag.find('.').filter(|_| !flag.starts_with('V')).map_or(0, |dot| dot + 1);
    let end = flag[from..].find('.').map_or(flag.len(), |at| from + at);
    let ctrl =
        PredCtrl::named(&flag[end..]).ok_or_else(|| format!("`{}` combines no flags", &flag[end..]))?;
    inst.pred = Some(Pred { flag: operand::reg(&flag[..end], 1)?, inv, ctrl });
    Ok(())
}

/// What stands behind the mnemonic's dot. A branch gets its targets later.
fn payload<S: Space>(op: Op, suffix: &str) -> Result<Payload<S>, String> {
    let none = || format!("`{op}` has no `.{suffix}`");
    if let Some(n) = number_after(suffix, "function") {
        return Ok(Payload::Outside(Outside::Callee(n)));
    }
    if let Some(sizes) = suffix.strip_prefix("touch(") {
        let (read, written) = sizes.trim_end_matches(')').split_once(',').ok_or_else(none)?;
        let (read, written) = (number(read)?, number(written)?);
        return Ok(Payload::Outside(Outside::Touch { read, written }));
    }
    if let Some(written) = suffix.strip_prefix("start(") {
        return Ok(Payload::Outside(Outside::StartOfLife {
            written: number(written.trim_end_matches(')'))?,
        }));
    }
    Ok(match (op.info().class, suffix) {
        (_, "") => Payload::None,
        (_, "frame") => Payload::Outside(Outside::Frame { leave: false }),
        (_, "unframe") => Payload::Outside(Outside::Frame { leave: true }),
        (Class::Branch, "stack") if op == Op::Ret => Payload::Outside(Outside::Return),
        (Class::Branch, "stack") => Payload::Outside(Outside::Call),
        (Class::Branch, "b") => Payload::Branch { jip: Target::None, uip: Target::None, ctrl: true },
        (Class::Math, name) => Payload::Math(MathFn::named(name).ok_or_else(none)?),
        (Class::Sync, name) => Payload::Sync(SyncFn::named(name).ok_or_else(none)?),
        (Class::Ternary, table) if op == Op::Bfn => {
            let table = table.strip_prefix("0x").and_then(|t| u8::from_str_radix(t, 16).ok());
            Payload::Bfn(table.ok_or_else(none)?)
        }
        (Class::Dpas, shape) => {
            let (depth, repeat) = shape.split_once('x').ok_or_else(none)?;
            Payload::Dpas { depth: number(depth)?, repeat: number(repeat)? }
        }
        (Class::Send, name) => {
            let sfid = Sfid::named(name).ok_or_else(none)?;
            let none = 0;
            Payload::Send(SendInfo {
                sfid,
                desc: Desc::Imm(Descriptor::new()),
                ex_desc: Desc::Imm(ExtendedDescriptor::new()),
                eot: false,
                dst_len: none,
                src0_len: none,
                src1_len: none,
            })
        }
        _ => return Err(none()),
    })
}

/// `(8|M16)`.
fn channels(text: &str) -> Option<(ExecSize, u8)> {
    let (lanes, first) = text.strip_prefix('(')?.strip_suffix(')')?.split_once("|M")?;
    Some((ExecSize::named(lanes)?, first.parse().ok()?))
}

/// What comes behind the condition: an operand, or one of the few words behind operands.
fn tail<'a, S: Space>(inst: &mut Inst<S>, word: &'a str, operands: &mut Vec<&'a str>) -> Result<(), String> {
    if let Some(list) = word.strip_prefix('{') {
        let list = list.strip_suffix('}').ok_or("options without end")?;
        return list.split(',').try_for_each(|option| self::option(inst, option));
    }
    if let Some(origin) = word.strip_prefix('#') {
        inst.origin = number(origin)?;
        return Ok(());
    }
    if let Payload::Send(send) = &mut inst.payload {
        if let Some(lens) = word.strip_prefix("wr:") {
            let (first, second) = lens.split_once('+').ok_or("the message's length is a sum")?;
            (send.src0_len, send.src1_len) = (number(first)?, number(second)?);
            return Ok(());
        }
        if let Some(len) = word.strip_prefix("rd:") {
            send.dst_len = number(len)?;
            return Ok(());
        }
    }
    operands.push(word);
    Ok(())
}

fn option<S: Space>(inst: &mut Inst<S>, text: &str) -> Result<(), String> {
    let named = Options::NAMES.iter().chain(&Options::MARKS).find(|(_, name)| *name == text);
    match (named, &mut inst.payload) {
        (Some((option, _)), _) => inst.opts = inst.opts.with(*option),
        (None, Payload::Send(send)) if text == "EOT" => send.eot = true,
        _ => annotation(&mut inst.swsb, text).ok_or_else(|| {
            let allowed: Vec<_> = Options::NAMES.iter().map(|(_, name)| *name).collect();
            format!("`{text}` is no option; allowed: {}, EOT, or as `I@2`, `$3.dst`", allowed.join(", "))
        })?,
    }
    Ok(())
}

/// `I@2`, `$3.dst` or `NoAccSBSet`.
fn annotation(swsb: &mut Swsb, text: &str) -> Option<()> {
    if text == "NoAccSBSet" {
        swsb.no_acc_sb_set = true;
    } else if let Some(sbid) = text.strip_prefix('$') {
        let end = sbid.find('.').unwrap_or(sbid.len());
        swsb.sbid = Some((SbidMode::named(&sbid[end..])?, sbid[..end].parse().ok()?));
    } else {
        let (pipe, distance) = text.split_once('@')?;
        swsb.dist = Some((Pipe::named(pipe)?, distance.parse().ok()?));
    }
    Some(())
}

/// Gives the operands their places.
fn place<S: Space>(inst: &mut Inst<S>, operands: &[&str]) -> Result<(), String> {
    let mut rest = operands;
    if inst.shows_dst() {
        let (first, more) = rest.split_first().ok_or("no destination")?;
        inst.dst = if *first == "_" { Dst::None } else { operand::dst(first)? };
        rest = more;
    } else if let Some((first, more)) = rest.split_first()
        && let Some(dst) = first.strip_prefix("to:")
    {
        inst.dst = operand::dst(dst)?;
        rest = more;
    }
    match &mut inst.payload {
        Payload::Send(send) => {
            let Some((more, [ex_desc, desc])) = rest.split_last_chunk::<2>() else {
                return Err("a message ends with its extended descriptor and its descriptor".into());
            };
            (send.ex_desc, send.desc) = (operand::desc(ex_desc)?, operand::desc(desc)?);
            rest = more;
        }
        Payload::None | Payload::Branch { .. } if inst.op.is_branch() => {
            let from = rest.iter().rposition(|w| target(w).is_none()).map_or(0, |last| last + 1);
            let (sources, targets) = rest.split_at(from);
            let at = |i: usize| targets.get(i).and_then(|w| target(w)).unwrap_or(Target::None);
            let ctrl = matches!(inst.payload, Payload::Branch { .. });
            match targets.len() {
                0 if !ctrl => {}
                1 | 2 => inst.payload = Payload::Branch { jip: at(0), uip: at(1), ctrl },
                n => return Err(format!("found {n} targets, allowed: at most 2, JIP and UIP")),
            }
            rest = sources;
        }
        _ => {}
    }
    if rest.len() > inst.src.len() {
        return Err(format!("found {} sources, allowed: at most {}", rest.len(), inst.src.len()));
    }
    for (src, word) in inst.src.iter_mut().zip(rest) {
        *src = if *word == "_" { Src::None } else { operand::src(word)? };
    }
    Ok(())
}

/// A place to go to.
fn target(text: &str) -> Option<Target> {
    match text {
        "_" => Some(Target::None),
        _ => match number_after(text, "B") {
            Some(block) => Some(Target::Block(BlockId(block))),
            None if text.starts_with(['+', '-']) => text.parse().ok().map(Target::Rel),
            None => None,
        },
    }
}

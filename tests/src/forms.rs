//! Instruction forms: what an instruction is beside its register numbers and values, cut into the pieces that the
//! manuals' rules speak of.
//!
//! A form that our code has and Intel's has nowhere is suspect: encoder, decoder, emulator and the rules of
//! `gen_ir` share one understanding, Intel's compilers do not. So each instruction is described by several short
//! texts, a *form* each:
//!
//! | begins with | says |
//! |---|---|
//! | `types` | opcode, types and kinds of all operands, saturation |
//! | `region` | destination and one source: execution size, element sizes, strides, places in the register |
//! | `modifier` | a source modifier, on which operand of which type |
//! | `register` | an operand in an architecture register or behind an address |
//! | `predicate` | predicate control, condition |
//! | `message` | a send without its descriptor's contents |
//! | `control` | instruction options |
//!
//! Signs of integers do not count, nor do register numbers. Places in a register count by the alignment that they
//! have, and only where there are several channels.
//!
//! [`known`] are the forms of Intel's code, recorded from all test kernels, from real programs, and from what Intel's
//! finalizer makes of random vISA and of vISA written for a form in question; [`Allowed`] is the table of forms that
//! only ours has, each line with what allows it: the place in the manual, or a function of Intel's finalizer or of
//! Mesa's validator that says so. There is no other table: a form that is in neither is a fault.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs, io,
    path::PathBuf,
};

use gen_ir::{Arf, Base, Class, Cond, Dst, Inst, Op, Options, Payload, Physical, Reg, Region, Src, Type};
use platforms::Platform;

use crate::data::workspace;

/// Gives each form of an instruction to `found`.
pub fn forms(platform: Platform, inst: &Inst<Physical>, found: &mut dyn FnMut(&str)) {
    let mut f = Forms { grf: platform.caps().regs.grf_bytes.into(), inst, text: String::new(), found };
    match inst.op.info().class {
        Class::Send => f.message(),
        Class::Nullary | Class::Sync => return,
        Class::Branch | Class::Dpas => f.types(),
        Class::Basic | Class::Math | Class::Ternary => {
            f.types();
            f.regions();
            f.modifiers();
            f.registers();
        }
    }
    f.predicate();
    f.control();
}

struct Forms<'a> {
    grf: u32,
    inst: &'a Inst<Physical>,
    text: String,
    found: &'a mut dyn FnMut(&str),
}

/// The opcode, with the function of `math`.
fn opcode(inst: &Inst<Physical>) -> String {
    match inst.payload {
        Payload::Math(f) => format!("math.{f:?}").to_lowercase(),
        _ => inst.op.name().to_owned(),
    }
}

/// A type without its sign.
fn plain(ty: Type) -> &'static str {
    match ty {
        Type::Ub | Type::B => "b",
        Type::Uw | Type::W => "w",
        Type::Ud | Type::D => "d",
        Type::Uq | Type::Q => "q",
        Type::Hf => "hf",
        Type::F => "f",
        Type::Df => "df",
        Type::Nf => "nf",
        Type::Bf => "bf",
        Type::Bf8 => "bf8",
        Type::Tf32 => "tf32",
        Type::V | Type::Uv => "v",
        Type::Vf => "vf",
        Type::U4 | Type::S4 => "4",
        Type::U2 | Type::S2 => "2",
    }
}

/// The kind of a register: empty for a general one.
fn file(reg: Reg<Physical>) -> &'static str {
    match reg.base() {
        Base::Grf(_) => "",
        Base::Arf(arf) => match arf {
            Arf::Null => "null",
            Arf::Addr(_) => "a",
            Arf::Acc(_) => "acc",
            Arf::Flag(_) => "f",
            Arf::ChannelEnable(_) => "ce",
            Arf::State(_) => "sr",
            Arf::Control(_) => "cr",
            Arf::Ip => "ip",
            Arf::Timestamp(_) => "tm",
            _ => "arf",
        },
        _ => "other",
    }
}

/// How channels walk over elements: `1` for packed, another stride, `0` for one element, or rows.
fn walk(region: Region, lanes: u32) -> String {
    if lanes == 1 || region.is_scalar() {
        return "0".to_owned();
    }
    let stride = region.element(1);
    if (0..lanes).all(|i| region.element(i) == i * stride) {
        return stride.to_string();
    }
    match region.width {
        Region::ABSENT => format!("<{};{}>", region.vert, region.horz),
        width => format!("<{};{width},{}>", region.vert, region.horz),
    }
}

/// The alignment of a place in a register, as far as rules care: within 16 bytes beside 8 bytes, else beside the
/// register.
fn place(byte: u32, span: u32, size: u32, grf: u32) -> &'static str {
    if byte / 16 == (byte + span - 1) / 16 {
        return ["", "+1", "+2", "+3", "+4", "+5", "+6", "+7"][byte as usize % 8];
    }
    match byte % grf {
        0 => "@0",
        b if b == grf / 2 => "@half",
        b if b.is_multiple_of(16) => "@16",
        b if b.is_multiple_of(8) => "@8",
        _ if size == 8 => "@off",
        b if b.is_multiple_of(4) => "@4",
        _ if size == 4 => "@off",
        b if b.is_multiple_of(2) => "@2",
        _ if size == 2 => "@off",
        _ => "@1",
    }
}

impl Forms<'_> {
    fn say(&mut self, write: impl FnOnce(&mut String)) {
        self.text.clear();
        write(&mut self.text);
        (self.found)(&self.text);
    }

    fn lanes(&self) -> u32 {
        self.inst.exec.lanes()
    }

    /// Kind and type of a source, beside registers of up to `widest` bytes an element.
    fn source(src: &Src<Physical>, widest: u32) -> String {
        match *src {
            Src::None | Src::AddrOf { .. } => "-".into(),
            // The type of an immediate matters where it is wider than the registers beside it.
            Src::Imm { ty, .. } if ty.is_int() && ty.bytes() <= widest => "imm".into(),
            Src::Imm { ty, .. } => format!("imm:{}", plain(ty)),
            Src::Direct { reg, ty, .. } => format!("{}:{}", file(reg), plain(ty)),
            Src::Macro { ty, .. } => format!("mme:{}", plain(ty)),
            Src::Indirect { ty, .. } => format!("[]:{}", plain(ty)),
        }
    }

    fn destination(dst: &Dst<Physical>) -> String {
        match *dst {
            Dst::None => "-".into(),
            Dst::Direct { reg, ty, .. } => format!("{}:{}", file(reg), plain(ty)),
            Dst::Indirect { ty, .. } => format!("[]:{}", plain(ty)),
            Dst::Macro { ty, .. } => format!("mme:{}", plain(ty)),
        }
    }

    fn types(&mut self) {
        let inst = self.inst;
        let sat = if inst.sat { ".sat" } else { "" };
        let count = usize::from(inst.op.info().srcs);
        self.say(|t| {
            let _ = write!(t, "types {}{sat} {}", opcode(inst), Self::destination(&inst.dst));
            let registers = inst.src.iter().filter(|s| !s.is_imm()).filter_map(Src::ty);
            let widest = registers.map(Type::bytes).max();
            let widest = widest.or(inst.dst.ty().map(Type::bytes)).unwrap_or(8);
            for s in &inst.src[..count] {
                let _ = write!(t, " {}", Self::source(s, widest));
            }
        });
    }

    /// Destination and each source in turn.
    fn regions(&mut self) {
        let (inst, lanes, grf) = (self.inst, self.lanes(), self.grf);
        let class = match inst.op.info().class {
            Class::Ternary => "ternary",
            Class::Math => "math",
            _ => "basic",
        };
        let Dst::Direct { reg: to, horz, ty } = inst.dst else { return };
        if !matches!(to.base(), Base::Grf(_)) && !to.is_null() {
            return;
        }
        let step = u32::from(horz) * ty.bytes();
        let end = to.byte + (lanes - 1) * step + ty.bytes();
        let target = match lanes {
            _ if to.is_null() => "null".to_owned(),
            // One channel: where in its dword it is.
            1 => format!("{}<{horz}>+{}", plain(ty), to.byte % 4),
            _ => {
                let cross = if end > grf { "x" } else { "" };
                format!("{}<{horz}>{}{cross}", plain(ty), place(to.byte, end - to.byte, ty.bytes(), grf))
            }
        };
        for i in 0..3 {
            let Src::Direct { reg, region, ty: from, .. } = inst.src[i] else { continue };
            if !matches!(reg.base(), Base::Grf(_)) {
                continue;
            }
            let walk = walk(region, lanes);
            let at = if walk == "0" {
                // One element for all: only ternary instructions care where it is.
                if class == "ternary" { format!("+{}", reg.byte % 4) } else { String::new() }
            } else {
                let end = inst.src_extent(i, grf).map_or(reg.byte + 1, |e| e.end);
                let span = end - reg.byte;
                // Where source and destination have to be at the same place, it is for floats and qwords, and
                // where a channel moves far.
                let matters = span > 16 || from.is_float() || from.bytes() == 8;
                let same = if matters && reg.byte % grf == to.byte % grf { "=" } else { "" };
                let cross = if end > grf { "x" } else { "" };
                format!("{}{cross}{same}", place(reg.byte, span, from.bytes(), grf))
            };
            let last = if class == "ternary" && i == 2 { "last " } else { "" };
            self.say(|t| {
                let _ = write!(t, "region {class} ({lanes}) {target} {last}{}<{walk}>{at}", plain(from));
            });
        }
        if inst.src.iter().all(|s| s.reg().is_none()) {
            self.say(|t| {
                let _ = write!(t, "region {class} ({lanes}) {target}");
            });
        }
    }

    fn modifiers(&mut self) {
        let inst = self.inst;
        for (i, s) in inst.src.iter().enumerate().filter(|(_, s)| s.mods().any()) {
            self.say(|t| {
                let mods = format!("{:?}", s.mods()).to_lowercase();
                let _ = write!(t, "modifier {} src{i} {mods} {}", opcode(inst), Self::source(s, 8));
            });
        }
    }

    /// Operands that are no general registers.
    fn registers(&mut self) {
        let (inst, lanes) = (self.inst, self.lanes());
        let op = opcode(inst);
        let special = |r: Reg<Physical>| !matches!(r.base(), Base::Grf(_)) && !r.is_null();
        match inst.dst {
            Dst::Direct { reg, horz, ty } if special(reg) => self.say(|t| {
                let at = place(reg.byte, 32, ty.bytes(), 32);
                let _ = write!(t, "register {op} ({lanes}) dst {}{at}<{horz}>:{}", file(reg), plain(ty));
            }),
            Dst::Indirect { horz, ty, .. } => self.say(|t| {
                let _ = write!(t, "register {op} ({lanes}) dst []<{horz}>:{}", plain(ty));
            }),
            _ => {}
        }
        for (i, s) in inst.src.iter().enumerate() {
            match *s {
                Src::Direct { reg, region, ty, .. } if special(reg) => self.say(|t| {
                    let (at, walk) = (place(reg.byte, 32, ty.bytes(), 32), walk(region, lanes));
                    let _ =
                        write!(t, "register {op} ({lanes}) src{i} {}{at}<{walk}>:{}", file(reg), plain(ty));
                }),
                Src::Indirect { region, ty, .. } => self.say(|t| {
                    let walk = match region.vert {
                        Region::VXH => format!("vxh {},{}", region.width.min(lanes as u8), region.horz),
                        _ => walk(region, lanes),
                    };
                    let _ = write!(t, "register {op} ({lanes}) src{i} []<{walk}>:{}", plain(ty));
                }),
                _ => {}
            }
        }
    }

    fn predicate(&mut self) {
        let inst = self.inst;
        if let Some(p) = inst.pred {
            let class = format!("{:?}", inst.op.info().class).to_lowercase();
            self.say(|t| {
                let _ = write!(t, "predicate {class} {:?} ({})", p.ctrl, inst.exec.lanes());
            });
        }
        if let Some(c) = inst.cond {
            let kind = match c.cond {
                Cond::Ov | Cond::Un | Cond::Eo => format!("{:?}", c.cond),
                _ => "order".into(),
            };
            let from = inst.src[0].ty().map_or("-", plain);
            self.say(|t| {
                let _ = write!(t, "predicate {} {kind} {from}", opcode(inst));
            });
        }
    }

    fn message(&mut self) {
        let (inst, lanes) = (self.inst, self.lanes());
        let Payload::Send(info) = inst.payload else { return };
        let from = |d: Option<Reg<Physical>>| if d.is_none() { "imm" } else { "reg" };
        let second = if inst.src[1].reg().is_some_and(|r| !r.is_null()) { " second" } else { "" };
        let to = if inst.dst.reg().is_some_and(|r| r.is_null()) { " null" } else { "" };
        let eot = if info.eot { " eot" } else { "" };
        let (desc, ex) = (from(info.desc.reg()), from(info.ex_desc.reg()));
        self.say(|t| {
            let op = inst.op.name();
            let _ = write!(t, "message {op} ({lanes}) {:?} {desc} {ex}{to}{second}{eot}", info.sfid);
        });
    }

    fn control(&mut self) {
        let inst = self.inst;
        for (option, name) in [
            (Options::ACC_WR_EN, "AccWrEn"),
            (Options::ATOMIC, "Atomic"),
            (Options::SWITCH, "Switch"),
            (Options::NO_PREEMPT, "NoPreempt"),
            (Options::SERIALIZE, "Serialize"),
            (Options::EX_BSO, "ExBSO"),
            (Options::CPS, "CPS"),
            (Options::NO_SRC_DEP_SET, "NoSrcDepSet"),
        ] {
            if inst.opts.has(option) {
                self.say(|t| {
                    let _ = write!(t, "control {} {name}", inst.op.name());
                });
            }
        }
        if inst.opts.has(Options::ALIGN16) && inst.op.info().class == Class::Basic && inst.op != Op::Nop {
            self.say(|t| {
                let _ = write!(t, "control {} align16", inst.op.name());
            });
        }
    }
}

/// Forms with how often each was seen, and where first.
pub type Seen = BTreeMap<String, (u32, String)>;

/// Adds the forms of some code; what does not decode has none.
pub fn add(seen: &mut Seen, platform: Platform, code: &[u8], id: &str) {
    for inst in encoder::decode_all(platform, code).filter_map(|d| d.inst.ok()) {
        forms(platform, &inst, &mut |form| match seen.get_mut(form) {
            Some((n, _)) => *n += 1,
            None => {
                seen.insert(form.to_owned(), (1, format!("{inst}   ({id})")));
            }
        });
    }
}

fn folder() -> PathBuf {
    workspace().join("tests/data/forms")
}

/// The file with the forms of Intel's code.
fn recorded(platform: Platform) -> PathBuf {
    folder().join(format!("{platform}.txt"))
}

/// Words of a form that its line in the file begins with; the rests of all such forms follow, an empty one for
/// the form that has no more.
const HEAD: usize = 4;

/// The recorded forms of Intel's code for a platform.
///
/// # Errors
///
/// The file cannot be read.
pub fn known(platform: Platform) -> io::Result<BTreeSet<String>> {
    let text = fs::read_to_string(recorded(platform))?;
    let line = |line: &str| -> Vec<String> {
        match line.split_once('\t') {
            Some((head, rests)) => {
                rests.split('\t').map(|rest| format!("{head} {rest}").trim_end().to_owned()).collect()
            }
            None => vec![line.to_owned()],
        }
    };
    Ok(text.lines().flat_map(line).collect())
}

/// Records the forms of Intel's code.
///
/// # Errors
///
/// The file cannot be written.
pub fn record(platform: Platform, known: &BTreeSet<String>) -> io::Result<()> {
    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for form in known {
        let (head, rest) = match form.match_indices(' ').nth(HEAD - 1) {
            Some((at, _)) => (&form[..at], &form[at + 1..]),
            None => (form.as_str(), ""),
        };
        lines.entry(head).or_default().push(rest);
    }
    let mut text = String::new();
    for (head, rests) in lines {
        let _ = writeln!(text, "{}", [&[head], &rests[..]].concat().join("\t").trim_end());
    }
    fs::create_dir_all(folder())?;
    fs::write(recorded(platform), text)
}

/// The table of forms that our code has and Intel's has not.
#[derive(Debug)]
pub struct Allowed {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    platforms: Vec<String>,
    pattern: String,
    used: bool,
}

impl Allowed {
    /// Reads the table: lines of platforms, form and citation, with tabs between. `*` in a form stands for
    /// anything.
    ///
    /// # Errors
    ///
    /// The table cannot be read, or a line has no citation.
    pub fn read() -> io::Result<Allowed> {
        let text = fs::read_to_string(folder().join("allowed.tsv"))?;
        let mut rows = Vec::new();
        for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let [platforms, pattern, citation] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(io::Error::other(format!("not three columns: {line}")));
            };
            if !CITED.iter().any(|c| citation.contains(c)) {
                return Err(io::Error::other(format!("no citation: {line}")));
            }
            let platforms = platforms.split(',').map(str::to_owned).collect();
            rows.push(Row { platforms, pattern: pattern.to_owned(), used: false });
        }
        Ok(Allowed { rows })
    }

    /// Whether the table allows a form.
    pub fn allows(&mut self, platform: Platform, form: &str) -> bool {
        let of = |r: &Row| r.platforms.iter().any(|p| p == "all" || *p == platform.to_string());
        let mut found = false;
        for row in self.rows.iter_mut().filter(|r| of(r) && matches(&r.pattern, form)) {
            row.used = true;
            found = true;
        }
        found
    }

    /// Lines that have allowed nothing.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter(|r| !r.used).map(|r| r.pattern.as_str())
    }
}

/// What a citation names one of.
const CITED: [&str; 4] = ["olume", "Bspec", "Intel's", "Mesa's"];

/// Whether a text is as a pattern says, where `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("a b", "a b") && !matches("a b", "a bc"));
        assert!(matches("a *", "a bc") && matches("*c", "a bc") && matches("a*b*c", "axxbyyc"));
        assert!(!matches("a*b*c", "axxcyyb") && !matches("a*d", "a bc"));
    }
}

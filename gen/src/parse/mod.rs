//! Reads kernels in the form that they print in, so that a pass can be given a case of its own.
//!
//! ```text
//! kernel "k" on skl, simd8
//! V0: general, 32 bytes, align 32, live in
//! B0: -> B1
//!     add (8|M0) V1(0)<1>:d V0(0)<8;8,1>:d 1:d     // what is behind slashes is not read
//! B1:
//! ```
//!
//! What a hand-written case does not say has a meaning: the name, the platform that the caller asks for,
//! `simd8`; of a variable, that it is general, and begins a register if it has more than 16 bytes.
//!
//! An instruction is words with blanks between them, and no blanks in them:
//!
//! ```text
//! (W&~f0.1.any8h)   NoMask, predicate: `(W)`, `(f0.0)`, `(~V3(0))`
//! add               mnemonic; behind a dot what only some families have: `math.inv`, `bfn.0xD8`, `send.dc1`
//! (8|M0)            execution size, channel offset
//! (lt)f0.1          condition and its flag
//! (sat)             saturation
//! V12(32)<1>:f      destination: `r5.0<1>:d`, `r[a0.0,16]<1>:d`, `null<1>:ud`; `_` for none
//! -V1(4)<8;8,1>:f   sources: `(abs)r5.0<0;1,0>:d`, `r[a0.0,0]<1,0>:d`; immediates `1:d`, `1.5:f`, `0xff:ud`
//! {AccWrEn,I@2}     options, dependencies
//! ```
//!
//! `V12(32)` is a variable from byte 32 on, `r5.3` the fourth element of a register, `r5.3b` its fourth byte. A minus in
//! front of an operand of logic inverts its bits. Ternary instructions have regions `<1;0>` and `<1>`. A branch ends with its
//! targets, `B3` or `_` for JIP and UIP; a message with its extended descriptor, its descriptor, and its lengths in
//! registers, `wr:1+0 rd:0`.

mod inst;
mod number;
mod operand;

use narrow::as_index;
use std::fmt;

use platforms::Platform;

use self::number::{number, number_after};
use crate::{Block, BlockId, FileByte, Inst, Kernel, RegisterSet, Space, Var, VarClass, VarId};

/// Why text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was found where something else is allowed.
    pub what: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ParseError {}

/// Reads a kernel. `platform` is the one it is for if the text names none.
///
/// # Errors
///
/// The first line that is at fault.
pub fn parse<S: Space>(text: &str, platform: Platform) -> Result<Kernel<S>, ParseError> {
    let mut kernel = Kernel::new("", platform);
    for (i, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            one(&mut kernel, line).map_err(|what| ParseError { line: i + 1, what })?;
        }
    }
    Ok(kernel)
}

/// Reads one instruction.
///
/// # Errors
///
/// What is wrong with it, in line 1.
pub fn parse_inst<S: Space>(text: &str) -> Result<Inst<S>, ParseError> {
    inst::inst(text).map_err(|what| ParseError { line: 1, what })
}

/// A line of a kernel.
fn one<S: Space>(kernel: &mut Kernel<S>, line: &str) -> Result<(), String> {
    if let Some(rest) = line.strip_prefix("kernel ") {
        return head(kernel, rest);
    }
    if let Some((name, rest)) = line.split_once(':') {
        if let Some(number) = number_after(name, "V") {
            return var(kernel, number, rest);
        }
        if let Some(number) = number_after(name, "B") {
            return block(kernel, number, rest);
        }
    }
    let inst = inst::inst(line)?;
    let block = kernel.blocks.last_mut().ok_or("an instruction in front of the first block")?;
    block.insts.push(inst);
    Ok(())
}

fn head<S: Space>(kernel: &mut Kernel<S>, line: &str) -> Result<(), String> {
    let (name, rest) = quoted(line).ok_or("the kernel's name is no text in quotes")?;
    kernel.name = name;
    let rest = match rest.trim().strip_prefix("on ") {
        Some(rest) => {
            let (platform, rest) = rest.split_once(',').unwrap_or((rest, ""));
            kernel.platform = platform.trim().parse().map_err(|_| format!("no platform `{platform}`"))?;
            kernel.grf_count = kernel.platform.caps().regs.default_file().grfs;
            kernel.pairs = kernel.platform.caps().flow.fused_pairs;
            rest
        }
        None => rest,
    };
    for clause in rest.split(',').map(str::trim).filter(|c| !c.is_empty()) {
        if let Some(simd) = clause.strip_prefix("simd") {
            kernel.simd = number(simd)?;
        } else if let Some(count) = clause.strip_suffix(" registers") {
            kernel.grf_count = number(count)?;
        } else if let Some(count) = clause.strip_suffix(" reserved") {
            kernel.reserved = number(count)?;
        } else if let Some(at) = clause.strip_prefix("spills from ") {
            kernel.spill_offset = number(at)?;
        } else if let Some(v) = clause.strip_prefix("scratch header V") {
            kernel.scratch_header = Some(VarId(number(v)?));
        } else if let Some(loads) = clause.strip_prefix("payload loads ") {
            let (own, shared) = loads.split_once('+').ok_or("payload loads are two numbers")?;
            kernel.payload_loads = [number(own)?, number(shared)?];
        } else if let Some(regs) = clause.strip_prefix("addresses lead to ") {
            kernel.addressed = register_set(regs)?;
        } else if clause == "all channels" {
            kernel.all_channels = true;
        } else if clause == "threads alone" {
            kernel.pairs = false;
        } else if clause == "outside" {
            kernel.outside = true;
        } else {
            return Err(format!("`{clause}` says nothing about a kernel"));
        }
    }
    Ok(())
}

/// Registers as `r3 r10-r17`.
fn register_set(text: &str) -> Result<RegisterSet, String> {
    let register = |text: &str| -> Result<u32, String> {
        number(text.strip_prefix('r').ok_or_else(|| format!("`{text}` is no register"))?)
    };
    let mut set = RegisterSet::EMPTY;
    for run in text.split_whitespace() {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let (first, last) = (register(first)?, register(last)?);
        if last < first || last > 255 {
            return Err(format!("`{run}`: registers are r0 to r255, in order"));
        }
        set |= RegisterSet::between(first, last + 1);
    }
    Ok(set)
}

/// Text in quotes as `{:?}` writes it, and what is behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.strip_prefix('"')?.char_indices();
    let mut name = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((name, &text[at + 2..])),
            '\\' => match chars.next()?.1 {
                'n' => name.push('\n'),
                't' => name.push('\t'),
                'r' => name.push('\r'),
                '0' => name.push('\0'),
                'u' => {
                    let code: String =
                        chars.by_ref().map(|c| c.1).skip(1).take_while(|c| *c != '}').collect();
                    name.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                }
                c => name.push(c),
            },
            c => name.push(c),
        }
    }
    None
}

fn var<S: Space>(kernel: &mut Kernel<S>, number: usize, line: &str) -> Result<(), String> {
    if number != kernel.vars.len() {
        return Err(format!(
            "found V{number}, allowed: V{}, for variables stand in order",
            kernel.vars.len()
        ));
    }
    let mut var = Var::temp(VarClass::General, 0, 0);
    for clause in line.split(',').map(str::trim) {
        if let Some(bytes) = clause.strip_suffix(" bytes") {
            var.bytes = self::number(bytes)?;
        } else if let Some(align) = clause.strip_prefix("align ") {
            var.align = self::number(align)?;
        } else if let Some(at) = clause.strip_prefix("fixed at byte ") {
            var.fixed = Some(
                FileByte::try_new(self::number(at)?)
                    .ok_or_else(|| format!("no register file has byte {at}"))?,
            );
        } else if let Some(origin) = clause.strip_prefix("for ") {
            var.origin = Some(self::number(origin)?);
        } else if let Some(class) = VarClass::named(clause) {
            var.class = class;
        } else {
            *match clause {
                "own GRF" => &mut var.own_grf,
                "even GRF" => &mut var.even_grf,
                "live in" => &mut var.live_in,
                "live out" => &mut var.live_out,
                "no spill" => &mut var.no_spill,
                "address taken" => &mut var.address_taken,
                "any on" => &mut var.any_on,
                _ => return Err(format!("`{clause}` says nothing about a variable")),
            } = true;
        }
    }
    if var.align == 0 {
        // As lowering does it: what is larger than half a register begins one.
        var.align = match var.bytes {
            bytes @ 0..=16 => bytes.next_power_of_two(),
            _ => kernel.platform.caps().regs.grf_bytes.into(),
        };
    }
    kernel.vars.push(var);
    Ok(())
}

fn block<S: Space>(kernel: &mut Kernel<S>, number: u32, line: &str) -> Result<(), String> {
    if as_index(number) != kernel.blocks.len() {
        return Err(format!("found B{number}, allowed: B{}, for blocks stand in order", kernel.blocks.len()));
    }
    let (marks, succs) = line.split_once("->").unwrap_or((line, ""));
    match marks.trim() {
        "" => {}
        "subroutine" => kernel.subroutines.push(BlockId(number)),
        marks => return Err(format!("`{marks}` says nothing about a block")),
    }
    let succ = |text| number_after(text, "B").map(BlockId).ok_or_else(|| format!("`{text}` is no block"));
    let succs = succs.split_whitespace().map(succ).collect::<Result<_, _>>()?;
    kernel.blocks.push(Block { insts: Vec::new(), succs });
    Ok(())
}

#[cfg(test)]
mod tests;

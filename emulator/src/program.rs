//! Machine code, decoded once into the form the emulator steps through.
//!
//! Every direct operand is checked against the register file here, so running needs no check; what
//! cannot be run becomes an instruction that says so when it is reached.

use crate::{
    Error,
    file::{self, flat},
};
use gen_ir::{
    Arf, Base, CondMod, Desc, Dst, Inst, MathFn, Mme, Op, Options, Payload, Physical, PredCtrl, Reg, Region,
    Sfid, Src, SrcMod, Swsb, SyncFn, Target, Type,
};
use platforms::Platform;

/// Index of an instruction; one past the last ends the code.
pub(crate) type Pc = u32;
/// No such place.
pub(crate) const NOWHERE: Pc = u32::MAX;

/// The registers an operand's channels touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All channels one element.
    Scalar,
    /// One element after the other, this many bytes apart.
    Linear(u32),
    /// Rows of `width` elements: bytes from row to row and within a row.
    Rows { vert: u32, width: u32, horz: u32 },
}

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    None,
    Imm(u64),
    /// Packed vector immediates, one value per channel (and again after eight).
    Vector([i8; 8]),
    VectorF([f32; 4]),
    Direct {
        at: u32,
        shape: Shape,
    },
    /// `a0` byte offset, immediate offset; with one address per row where `rows` says so.
    Indirect {
        addr: u32,
        imm: i32,
        shape: Shape,
        per_row: u32,
    },
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub what: Operand,
    pub ty: Type,
    pub mods: SrcMod,
    /// Extra-precision register of a math macro.
    pub mme: Option<Mme>,
    pub acc: bool,
}

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dest {
    pub what: DestPlace,
    pub ty: Type,
    /// Bytes from element to element.
    pub stride: u32,
    pub mme: Option<Mme>,
    pub acc: bool,
    /// Written registers change how the thread runs (control, flags do not).
    pub control: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DestPlace {
    None,
    Null,
    Direct(u32),
    Indirect { addr: u32, imm: i32 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    /// Number of the flag register and the bit that channel 0 has.
    pub flag: u8,
    pub bit: u8,
    pub inv: bool,
    pub ctrl: PredCtrl,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub cond: gen_ir::Cond,
    pub flag: u8,
    pub bit: u8,
}

/// A descriptor: known, or in an address register.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescFrom {
    Imm(u32),
    Addr(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub sfid: Sfid,
    pub desc: DescFrom,
    pub ex_desc: DescFrom,
    pub eot: bool,
    pub dst_len: u8,
    pub src0_len: u8,
    pub src1_len: u8,
    /// GRF numbers; `None` is null.
    pub dst: Option<u32>,
    pub src0: Option<u32>,
    pub src1: Option<u32>,
    pub ex_bso: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Extra {
    None,
    Math(MathFn),
    Sync(SyncFn),
    Bfn(u8),
    Dpas {
        depth: u8,
        repeat: u8,
    },
    Branch {
        ctrl: bool,
    },
    Send(u32),
    /// Cannot be run: index of the reason.
    Bad(u32),
}

/// What the arithmetic works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Integers of up to 32 bits.
    Int,
    /// 64-bit integers among the operands.
    Wide,
    Half,
    Single,
    Double,
}

/// An instruction, ready to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub op: Op,
    pub lanes: u8,
    pub chan: u8,
    pub no_mask: bool,
    pub sat: bool,
    pub acc_write: bool,
    /// Channels may be waiting here.
    pub target: bool,
    pub domain: Domain,
    pub pred: Option<Predicate>,
    pub cond: Option<Condition>,
    pub dst: Dest,
    pub src: [Source; 3],
    pub extra: Extra,
    pub jip: Pc,
    pub uip: Pc,
    /// Byte offset from the start of the code.
    pub offset: u32,
    pub opts: Options,
    pub swsb: Swsb,
}

/// A program of a platform.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) platform: Platform,
    /// Bytes of a GRF.
    pub(crate) grf: u32,
    pub(crate) grf_count: u32,
    pub(crate) steps: Vec<Step>,
    pub(crate) messages: Vec<Message>,
    pub(crate) bad: Vec<String>,
    /// Instruction at every 8 bytes of code, [`NOWHERE`] inside of one.
    index: Vec<Pc>,
    insts: Vec<Option<Inst<Physical>>>,
}

impl Program {
    /// Decodes `code` for a platform. Words that do not decode stop the program only when they are run.
    pub fn load(platform: Platform, code: &[u8]) -> Result<Program, Error> {
        let mut insts = Vec::new();
        for decoded in encoder::decode_all(platform, code) {
            let inst = decoded.inst.map_err(|e| e.to_string());
            insts.push((decoded.offset, u32::from(decoded.len), inst));
        }
        Program::build(platform, insts)
    }

    /// A program of instructions at 16 bytes each.
    pub fn from_insts(platform: Platform, insts: &[Inst<Physical>]) -> Result<Program, Error> {
        let placed = insts.iter().enumerate().map(|(i, inst)| (i as u32 * 16, 16, Ok(*inst))).collect();
        Program::build(platform, placed)
    }

    /// The platform.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Byte offset and instruction, in order; `None` where the word does not decode.
    pub fn insts(&self) -> impl Iterator<Item = (u32, Option<&Inst<Physical>>)> {
        self.steps.iter().map(|s| s.offset).zip(self.insts.iter().map(Option::as_ref))
    }

    /// The same program with another instruction at a byte offset; everything else stays where it is.
    ///
    /// # Errors
    ///
    /// No instruction starts at the offset.
    pub fn with_inst(&self, offset: u32, inst: Inst<Physical>) -> Result<Program, Error> {
        let at =
            self.at(offset.into()).ok_or_else(|| Error::Launch(format!("no instruction at {offset:#x}")))?;
        let end = self.index.len() as u32 * 8;
        let next = self.steps.iter().skip(1).map(|s| s.offset).chain([end]);
        let placed =
            self.steps.iter().zip(next).zip(&self.insts).enumerate().map(|(i, ((step, next), old))| {
                let found = if i == at as usize { Some(inst) } else { *old };
                let why = || match step.extra {
                    Extra::Bad(why) => self.bad[why as usize].clone(),
                    _ => String::new(),
                };
                (step.offset, next - step.offset, found.ok_or_else(why))
            });
        Program::build(self.platform, placed.collect())
    }

    /// The text of the instruction at an index.
    pub(crate) fn text(&self, pc: Pc) -> String {
        match self.insts.get(pc as usize) {
            Some(Some(inst)) => inst.to_string(),
            Some(None) => "(does not decode)".into(),
            None => "(end of code)".into(),
        }
    }

    pub(crate) fn offset_of(&self, pc: Pc) -> u32 {
        match self.steps.get(pc as usize) {
            Some(step) => step.offset,
            None => self.index.len() as u32 * 8,
        }
    }

    /// The instruction at a byte offset.
    pub(crate) fn at(&self, offset: i64) -> Option<Pc> {
        if offset < 0 || offset % 8 != 0 {
            return None;
        }
        self.index.get(usize::try_from(offset / 8).ok()?).copied().filter(|&pc| pc != NOWHERE)
    }

    fn build(
        platform: Platform,
        placed: Vec<(u32, u32, Result<Inst<Physical>, String>)>,
    ) -> Result<Program, Error> {
        let caps = platform.caps();
        let end = placed.last().map_or(0, |(at, len, _)| at + len);
        let mut index = vec![NOWHERE; end.div_ceil(8) as usize];
        for (pc, (at, ..)) in placed.iter().enumerate() {
            index[(at / 8) as usize] = pc as Pc;
        }
        let mut program = Program {
            platform,
            grf: caps.grf_bytes.into(),
            grf_count: caps.grf_count_large.max(caps.grf_count).into(),
            steps: Vec::with_capacity(placed.len()),
            messages: Vec::new(),
            bad: Vec::new(),
            index,
            insts: Vec::with_capacity(placed.len()),
        };
        for (at, _, inst) in placed {
            let step = match &inst {
                Ok(inst) => program.step(at, inst),
                Err(reason) => Err(reason.clone()),
            };
            program.insts.push(inst.ok());
            let step = step.unwrap_or_else(|reason| program.unrunnable(at, reason));
            program.steps.push(step);
        }
        program.mark_targets();
        Ok(program)
    }

    fn unrunnable(&mut self, at: u32, reason: String) -> Step {
        self.bad.push(reason);
        Step {
            op: Op::Illegal,
            lanes: 1,
            chan: 0,
            no_mask: true,
            sat: false,
            acc_write: false,
            target: false,
            domain: Domain::Int,
            pred: None,
            cond: None,
            dst: NO_DEST,
            src: [NO_SOURCE; 3],
            extra: Extra::Bad(self.bad.len() as u32 - 1),
            jip: NOWHERE,
            uip: NOWHERE,
            offset: at,
            opts: Options::NONE,
            swsb: Swsb::NONE,
        }
    }

    fn mark_targets(&mut self) {
        let mut marks = vec![false; self.steps.len() + 1];
        for (i, step) in self.steps.iter().enumerate() {
            if !step.op.is_branch() {
                continue;
            }
            marks[i + 1] = true;
            for pc in [step.jip, step.uip] {
                if let Some(mark) = marks.get_mut(pc as usize) {
                    *mark = true;
                }
            }
            // A break's channels go on behind the loop's end, not at it.
            if step.op == Op::Break && (step.uip as usize) < self.steps.len() {
                marks[step.uip as usize + 1] = true;
            }
        }
        for (step, mark) in self.steps.iter_mut().zip(marks) {
            step.target = mark;
        }
    }

    fn step(&mut self, at: u32, inst: &Inst<Physical>) -> Result<Step, String> {
        let lanes = inst.exec.lanes();
        let send = inst.op.is_send();
        let (mut jip, mut uip) = (NOWHERE, NOWHERE);
        let extra = match inst.payload {
            Payload::None | Payload::Outside(_) => Extra::None,
            Payload::Math(f) => Extra::Math(f),
            Payload::Sync(f) => Extra::Sync(f),
            Payload::Bfn(table) => Extra::Bfn(table),
            Payload::Dpas { depth, repeat } => Extra::Dpas { depth, repeat },
            Payload::Branch { jip: j, uip: u, ctrl } => {
                jip = self.target(at, j)?;
                uip = self.target(at, u)?;
                Extra::Branch { ctrl }
            }
            Payload::Send(_) => {
                let message = self.message(inst)?;
                self.messages.push(message);
                Extra::Send(self.messages.len() as u32 - 1)
            }
        };
        if inst.opts.has(Options::ALIGN16) && !self.align16_is_plain(inst) {
            return Err("align16 access with channel selects".into());
        }
        let dst = if send { NO_DEST } else { self.dest(inst, lanes)? };
        let mut src = [NO_SOURCE; 3];
        if !send {
            let rows = matches!(inst.payload, Payload::Dpas { .. });
            for (slot, s) in src.iter_mut().zip(&inst.src) {
                *slot = self.source(s, if rows { 1 } else { lanes }, inst)?;
            }
        }
        // Gen11 and Gen12 tell the low half from the high half by whether the accumulator is written.
        let low = inst.op == Op::Mach
            && !inst.opts.has(Options::ACC_WR_EN)
            && matches!(self.platform, Platform::Icllp | Platform::Tgllp);
        Ok(Step {
            op: if low { Op::Macl } else { inst.op },
            lanes: lanes as u8,
            chan: inst.chan,
            no_mask: inst.no_mask,
            sat: inst.sat,
            acc_write: inst.opts.has(Options::ACC_WR_EN),
            target: false,
            domain: domain(inst),
            pred: match inst.pred {
                Some(p) => {
                    let (flag, bit) = flag(p.flag)?;
                    Some(Predicate { flag, bit, inv: p.inv, ctrl: p.ctrl })
                }
                None => None,
            },
            cond: match inst.cond {
                Some(CondMod { cond, flag: f }) => {
                    let (flag, bit) = flag(f)?;
                    Some(Condition { cond, flag, bit })
                }
                None => None,
            },
            dst,
            src,
            extra,
            jip,
            uip,
            offset: at,
            opts: inst.opts,
            swsb: inst.swsb,
        })
    }

    /// Ternary instructions of Gen8 to Gen11 are align16 by form; as long as they select xyzw or
    /// replicate a scalar, which is what the Gen IR's regions say, nothing is special about them.
    fn align16_is_plain(&self, inst: &Inst<Physical>) -> bool {
        inst.src
            .iter()
            .all(|s| !matches!(s, Src::Direct { region, .. } if region.width == 4 && region.horz == 0))
    }

    fn target(&self, at: u32, target: Target) -> Result<Pc, String> {
        match target {
            Target::None => Ok(NOWHERE),
            Target::Block(_) => Err("a branch to a block, not to a place".into()),
            Target::Rel(rel) => {
                let to = i64::from(at) + i64::from(rel);
                if to == self.index.len() as i64 * 8 {
                    let last = self.index.iter().filter(|&&pc| pc != NOWHERE).count();
                    return Ok(last as Pc);
                }
                self.at(to).ok_or_else(|| format!("a branch to {to:#x}, where no instruction starts"))
            }
        }
    }

    fn message(&self, inst: &Inst<Physical>) -> Result<Message, String> {
        let Some(info) = inst.send() else { return Err("a send without a message".into()) };
        let grf = |reg: Option<Reg<Physical>>| match reg.map(|r| r.base) {
            Some(Base::Grf(n)) => Some(u32::from(n)),
            _ => None,
        };
        let desc = |d: Desc<Physical>| match d {
            Desc::Imm(v) => Ok(DescFrom::Imm(v)),
            Desc::Reg(r) => match flat(r, self.grf, self.grf_count) {
                Some((at, left)) if left >= 4 => Ok(DescFrom::Addr(at)),
                _ => Err("a descriptor outside of its register".to_owned()),
            },
        };
        Ok(Message {
            sfid: info.sfid,
            desc: desc(info.desc)?,
            ex_desc: desc(info.ex_desc)?,
            eot: info.eot,
            dst_len: info.dst_len,
            src0_len: info.src0_len,
            src1_len: info.src1_len,
            dst: grf(inst.dst.reg()),
            src0: grf(inst.src[0].reg()),
            src1: grf(inst.src[1].reg()),
            ex_bso: inst.opts.has(Options::EX_BSO),
        })
    }

    fn dest(&self, inst: &Inst<Physical>, lanes: u32) -> Result<Dest, String> {
        let mut dest = NO_DEST;
        let (reg, horz) = match inst.dst {
            Dst::None => return Ok(dest),
            Dst::Direct { reg, horz, ty } => {
                dest.ty = ty;
                (reg, horz)
            }
            Dst::Macro { reg, mme, ty } => {
                dest.ty = ty;
                dest.mme = Some(mme);
                (reg, 1)
            }
            Dst::Indirect { addr, imm, horz, ty } => {
                let (at, _) = self.place(addr, 2)?;
                let stride = u32::from(horz).max(1) * ty.bytes();
                let what = DestPlace::Indirect { addr: at, imm: imm.into() };
                return Ok(Dest { what, ty, stride, ..dest });
            }
        };
        dest.stride = u32::from(horz).max(1) * dest.ty.bytes();
        if reg.is_null() {
            dest.what = DestPlace::Null;
            return Ok(dest);
        }
        let rows = match inst.payload {
            Payload::Dpas { repeat, .. } => u32::from(repeat),
            _ => 1,
        };
        let bytes = match inst.op {
            Op::Call | Op::Calla => 8,
            _ => ((lanes - 1) * dest.stride + dest.ty.bytes())
                .max((lanes * dest.stride) * rows * u32::from(rows > 1)),
        };
        let (at, _) = self.place(reg, bytes)?;
        dest.what = DestPlace::Direct(at);
        dest.acc = (file::ACC..file::END).contains(&at);
        dest.control = matches!(reg.base, Base::Arf(Arf::Control(_)));
        Ok(dest)
    }

    fn source(&self, src: &Src<Physical>, lanes: u32, inst: &Inst<Physical>) -> Result<Source, String> {
        let Some(ty) = src.ty() else { return Ok(NO_SOURCE) };
        let mut out = Source { ty, mods: src.mods(), ..NO_SOURCE };
        match *src {
            Src::None | Src::AddrOf { .. } => {}
            Src::Imm { bits, ty: Type::V } => {
                let step = vector_step(inst, 2);
                let element = |i: usize| 4 * (i * step % 8);
                out.what = Operand::Vector(std::array::from_fn(|i| ((bits >> element(i)) as i8) << 4 >> 4));
                out.ty = Type::W;
            }
            Src::Imm { bits, ty: Type::Uv } => {
                let step = vector_step(inst, 2);
                let element = |i: usize| 4 * (i * step % 8);
                out.what = Operand::Vector(std::array::from_fn(|i| (bits >> element(i)) as i8 & 15));
                out.ty = Type::Uw;
            }
            Src::Imm { bits, ty: Type::Vf } => {
                let step = vector_step(inst, 4);
                out.what = Operand::VectorF(std::array::from_fn(|i| {
                    crate::num::restricted_float((bits >> (8 * (i * step % 4))) as u8)
                }));
                out.ty = Type::F;
            }
            Src::Imm { bits, .. } => out.what = Operand::Imm(bits),
            Src::Direct { reg, region, .. } => {
                let lanes = match inst.op {
                    Op::Ret => 2,
                    _ => lanes,
                };
                let region = if inst.op == Op::Ret { Region::new(2, 2, 1) } else { region };
                let shape = shape(region, ty.bytes(), lanes)?;
                let (at, _) = self.place(reg, extent(shape, lanes) + ty.bytes())?;
                out.what = Operand::Direct { at, shape };
                out.acc = (file::ACC..file::END).contains(&at);
            }
            Src::Macro { reg, mme, .. } => {
                let (at, _) = self.place(reg, lanes * ty.bytes())?;
                out.what = Operand::Direct { at, shape: Shape::Linear(ty.bytes()) };
                out.mme = Some(mme);
            }
            Src::Indirect { addr, imm, region, .. } => {
                let mut per_row = 0;
                let region = if region.vert == Region::VXH {
                    per_row = u32::from(region.width.max(1));
                    Region::new(0, region.width.max(1), region.horz)
                } else {
                    region
                };
                let rows = if per_row == 0 { 1 } else { lanes.div_ceil(per_row) };
                let (at, _) = self.place(addr, rows * 2)?;
                let shape = shape(region, ty.bytes(), lanes)?;
                out.what = Operand::Indirect { addr: at, imm: imm.into(), shape, per_row };
            }
        }
        Ok(out)
    }

    fn place(&self, reg: Reg<Physical>, bytes: u32) -> Result<(u32, u32), String> {
        match flat(reg, self.grf, self.grf_count) {
            Some((at, left)) if bytes <= left => Ok((at, left)),
            Some(_) => Err(format!("an operand of {bytes} bytes runs past its registers")),
            None => Err("a register the platform does not have".into()),
        }
    }
}

pub(crate) const NO_SOURCE: Source =
    Source { what: Operand::None, ty: Type::Ud, mods: SrcMod::NONE, mme: None, acc: false };
const NO_DEST: Dest =
    Dest { what: DestPlace::None, ty: Type::Ud, stride: 4, mme: None, acc: false, control: false };

fn flag(reg: Reg<Physical>) -> Result<(u8, u8), String> {
    match reg.base {
        Base::Arf(Arf::Flag(n @ 0..4)) if reg.byte < 4 => Ok((n, reg.byte as u8 * 8)),
        _ => Err("a predicate or condition in no flag register".into()),
    }
}

fn shape(region: Region, bytes: u32, lanes: u32) -> Result<Shape, String> {
    if lanes == 1 || region.is_scalar() {
        return Ok(Shape::Scalar);
    }
    if region.width == Region::ABSENT {
        let (v, h) = (u32::from(region.vert), u32::from(region.horz));
        if region.vert == Region::ABSENT {
            return Ok(Shape::Linear(h * bytes));
        }
        return Ok(match (v, h) {
            (_, 0) => Shape::Linear(v * bytes),
            _ if v == h => Shape::Linear(h * bytes),
            _ => Shape::Rows { vert: v * bytes, width: (v / h).max(1), horz: h * bytes },
        });
    }
    if region.width == 0 {
        return Err("a region of width 0".into());
    }
    let (v, w, h) = (u32::from(region.vert), u32::from(region.width), u32::from(region.horz));
    Ok(if w == 1 {
        Shape::Linear(v * bytes)
    } else if v == w * h || w >= lanes {
        Shape::Linear(h * bytes)
    } else {
        Shape::Rows { vert: v * bytes, width: w, horz: h * bytes }
    })
}

/// Offset of the last channel from the first, at most.
fn extent(shape: Shape, lanes: u32) -> u32 {
    match shape {
        Shape::Scalar => 0,
        Shape::Linear(s) => (lanes - 1) * s,
        Shape::Rows { vert, width, horz } => (lanes - 1) / width * vert + (width - 1).min(lanes - 1) * horz,
    }
}

/// The type arithmetic is done in: the widest of the sources, where floats go before integers and a
/// single-precision destination widens half sources (PRM, "Execution data types").
fn domain(inst: &Inst<Physical>) -> Domain {
    let mut found = Domain::Int;
    let mut rank = 0;
    let mut consider = |ty: Type, dst: bool| {
        let (r, d) = match ty {
            Type::Df => (5, Domain::Double),
            Type::F | Type::Vf | Type::Tf32 | Type::Bf | Type::Nf => (4, Domain::Single),
            Type::Hf => (3, Domain::Half),
            Type::Q | Type::Uq => (2, Domain::Wide),
            _ => (1, Domain::Int),
        };
        // A destination only decides among single and half.
        if dst && !(r == 4 && rank == 3) {
            return;
        }
        if r > rank {
            rank = r;
            found = d;
        }
    };
    for s in &inst.src {
        if let Some(ty) = s.ty() {
            consider(ty, false);
        }
    }
    let has_dst = inst.dst.ty();
    if let Some(ty) = has_dst {
        consider(ty, true);
    }
    if found == Domain::Int && matches!(has_dst, Some(Type::Q | Type::Uq)) {
        found = Domain::Wide;
    }
    found
}

/// Elements of an immediate vector from one channel to the next. The vector lies in the bytes of a
/// register, elements of `unit` bytes side by side, and is read with the stride of the destination:
/// Intel's compiler writes `mov (2) r1.0<1>:ud 0x400:uv` for the values 0 and 4.
fn vector_step(inst: &Inst<Physical>, unit: u32) -> usize {
    match inst.dst {
        Dst::Direct { horz, ty, .. } | Dst::Indirect { horz, ty, .. } => {
            (u32::from(horz).max(1) * ty.bytes() / unit).max(1) as usize
        }
        _ => 1,
    }
}

//! Machine code, decoded once into the form the emulator steps through.
//!
//! Every direct operand is checked against the register file here, so running needs no check; what
//! cannot be run becomes an instruction that says so when it is reached.

mod loaded;
mod operand;
mod step;

pub use loaded::Program;
pub(crate) use operand::NO_SOURCE;
pub(crate) use step::*;

use crate::{Error, file::flat};
use gen_ir::{Base, CondMod, Desc, Inst, Op, Options, Payload, Physical, Reg, Src, Swsb, Target, Type};
use narrow::{as_index, low_u8, to_i64, to_index};
use operand::{NO_DEST, domain, flag};
use platforms::Platform;

impl Program {
    /// Decodes `code` for a platform, with as many general registers as its threads can have. Words that do not
    /// decode stop the program only when they are run.
    pub fn load(platform: Platform, code: &[u8]) -> Result<Program, Error> {
        Program::load_with(platform, code, platform.caps().regs.largest_file().grfs.into())
    }

    /// The same with so many general registers a thread. Code that names others stops there.
    ///
    /// # Errors
    ///
    /// The platform's threads cannot have so many.
    pub fn load_with(platform: Platform, code: &[u8], registers: u32) -> Result<Program, Error> {
        let regs = platform.caps().regs;
        if regs.file(registers).is_none() {
            return Err(Error::Launch(format!("{registers} general registers a thread on {platform}")));
        }
        let mut insts = Vec::new();
        for decoded in encoder::decode_all(platform, code) {
            let inst = decoded.inst.map_err(|e| e.to_string());
            insts.push((decoded.offset, u32::from(decoded.len), inst));
        }
        Program::build(platform, registers, insts)
    }

    /// A program of instructions at 16 bytes each.
    pub fn from_insts(platform: Platform, insts: &[Inst<Physical>]) -> Result<Program, Error> {
        let placed = insts.iter().enumerate().map(|(i, inst)| (to_index(i) * 16, 16, Ok(*inst))).collect();
        Program::build(platform, platform.caps().regs.largest_file().grfs.into(), placed)
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
    pub fn insts(&self) -> impl ExactSizeIterator<Item = (u32, Option<&Inst<Physical>>)> {
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
        let end = to_index(self.index.len()) * 8;
        let next = self.steps.iter().skip(1).map(|s| s.offset).chain([end]);
        let placed =
            self.steps.iter().zip(next).zip(&self.insts).enumerate().map(|(i, ((step, next), old))| {
                let found = if i == as_index(at) { Some(inst) } else { *old };
                let why = || match step.extra {
                    Extra::Bad(why) => self.bad[as_index(why)].clone(),
                    _ => String::new(),
                };
                (step.offset, next - step.offset, found.ok_or_else(why))
            });
        Program::build(self.platform, self.grf_count, placed.collect())
    }

    /// The text of the instruction at an index.
    pub(crate) fn text(&self, pc: Pc) -> String {
        match self.insts.get(as_index(pc)) {
            Some(Some(inst)) => inst.to_string(),
            Some(None) => "(does not decode)".into(),
            None => "(end of code)".into(),
        }
    }

    pub(crate) fn offset_of(&self, pc: Pc) -> u32 {
        match self.steps.get(as_index(pc)) {
            Some(step) => step.offset,
            None => to_index(self.index.len()) * 8,
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
        grf_count: u32,
        placed: Vec<(u32, u32, Result<Inst<Physical>, String>)>,
    ) -> Result<Program, Error> {
        let caps = platform.caps();
        let end = placed.last().map_or(0, |(at, len, _)| at + len);
        let mut index = vec![NOWHERE; as_index(end.div_ceil(8))];
        for (pc, (at, ..)) in placed.iter().enumerate() {
            index[as_index(at / 8)] = to_index(pc);
        }
        let mut program = Program {
            platform,
            grf: caps.regs.grf_bytes.into(),
            grf_count,
            steps: Vec::with_capacity(placed.len()),
            messages: Vec::new(),
            bad: Vec::new(),
            index,
            insts: Vec::with_capacity(placed.len()),
            loop_ends: Vec::new(),
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
        if caps.errata.unmasked_pairs {
            program.find_loops();
        }
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
            extra: Extra::Bad(to_index(self.bad.len()) - 1),
            jip: NOWHERE,
            uip: NOWHERE,
            offset: at,
            opts: Options::NONE,
            swsb: Swsb::NONE,
        }
    }

    /// Finds for each instruction the end of the last loop that it is in.
    fn find_loops(&mut self) {
        let mut ends = vec![0; self.steps.len()];
        for (pc, step) in (0..).zip(&self.steps) {
            let head = match (step.op, step.extra) {
                (Op::Goto, Extra::Branch { ctrl: true }) => step.uip,
                (Op::While | Op::Jmpi, _) => step.jip,
                _ => NOWHERE,
            };
            if head <= pc {
                let end = &mut ends[as_index(head)];
                *end = pc + 1;
            }
        }
        let mut last = 0;
        for (pc, end) in (0..).zip(&mut ends) {
            last = last.max(*end);
            *end = if last > pc { last } else { 0 };
        }
        self.loop_ends = ends;
    }

    /// The place behind the last loop that an instruction is in, where threads run as pairs; 0 for none.
    pub(crate) fn loop_end(&self, pc: Pc) -> Pc {
        self.loop_ends.get(as_index(pc)).copied().unwrap_or(0)
    }

    fn mark_targets(&mut self) {
        let mut marks = vec![false; self.steps.len() + 1];
        for (i, step) in self.steps.iter().enumerate() {
            if !step.op.is_branch() {
                continue;
            }
            marks[i + 1] = true;
            for pc in [step.jip, step.uip] {
                if let Some(mark) = marks.get_mut(as_index(pc)) {
                    *mark = true;
                }
            }
            // A break's channels go on behind the loop's end, not at it.
            if step.op == Op::Break && as_index(step.uip) < self.steps.len() {
                marks[as_index(step.uip) + 1] = true;
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
                Extra::Send(to_index(self.messages.len()) - 1)
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
        // One opcode for both halves: whether the accumulator is written tells the low from the high one.
        let caps = self.platform.caps();
        let switch = caps.words.acc_write_enable;
        let low = inst.op == Op::Mach && !inst.opts.has(Options::ACC_WR_EN) && caps.ops.macl && switch;
        // Without that bit it is always written: Intel's code of `madw` reads its low half there.
        let writes = inst.opts.has(Options::ACC_WR_EN) || inst.op == Op::Mach && !switch;
        Ok(Step {
            op: if low { Op::Macl } else { inst.op },
            lanes: low_u8(lanes),
            chan: inst.chan,
            no_mask: inst.no_mask,
            sat: inst.sat,
            acc_write: writes,
            target: false,
            domain: domain(inst),
            pred: match inst.pred {
                Some(p) => Some(Predicate { flag: flag(p.flag)?, inv: p.inv, ctrl: p.ctrl }),
                None => None,
            },
            cond: match inst.cond {
                Some(CondMod { cond, flag: f }) => Some(Condition { cond, flag: flag(f)? }),
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
                if to == to_i64(self.index.len()) * 8 {
                    let last = self.index.iter().filter(|&&pc| pc != NOWHERE).count();
                    return Ok(to_index(last));
                }
                self.at(to).ok_or_else(|| format!("a branch to {to:#x}, where no instruction starts"))
            }
        }
    }

    fn message(&self, inst: &Inst<Physical>) -> Result<Message, String> {
        let Some(info) = inst.send() else { return Err("a send without a message".into()) };
        let grf = |reg: Option<Reg<Physical>>| match reg.map(|r| r.base()) {
            Some(Base::Grf(n)) => Some(u32::from(n)),
            _ => None,
        };
        let address = |r: Reg<Physical>| match flat(r, self.grf, self.grf_count) {
            Some((at, left)) if left >= 4 => Ok(at),
            _ => Err("a descriptor outside of its register".to_owned()),
        };
        Ok(Message {
            sfid: info.sfid,
            desc: match info.desc {
                Desc::Imm(desc) => DescFrom::Imm(desc),
                Desc::Reg(r) => DescFrom::Addr(address(r)?),
            },
            ex_desc: match info.ex_desc {
                Desc::Imm(desc) => DescFrom::Imm(desc),
                Desc::Reg(r) => DescFrom::Addr(address(r)?),
            },
            half: [inst.dst.ty(), inst.src[0].ty()].contains(&Some(Type::Hf)),
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
}

//! One instruction as a line of text.
//!
//! A line has columns: mask and predicate, mnemonic with execution size, condition, destination,
//! sources, descriptors of a message; then options in braces and a comment.

use super::{
    columns::{Columns, put_decimal, put_hex},
    immediate::put_immediate,
    message::{self, Edition, Kind},
    operand::is_inside,
    options::{has_branch_control, has_exec_info, option_names},
    swsb::{put_swsb, sbid_set},
};
use gen_ir::{
    Base, Class, Desc, Dst, Inst, MathFn, Op, Options, Payload, Physical, Reg, Region, SendInfo, Src, Swsb,
    SyncFn, Target, Type,
};
use narrow::low_u32;
use platforms::{Caps, Platform};

/// Column widths.
mod width {
    pub(super) const MASK: usize = 7;
    pub(super) const MNEMONIC: usize = 13;
    pub(super) const CONDITION: usize = 9;
    pub(super) const DST: usize = 12;
    pub(super) const SRC: usize = 16;
    pub(super) const SEND_DST: usize = 7;
    pub(super) const SEND_SRC: usize = 6;
    pub(super) const DESC: usize = 10;
}

/// A source as the text has it: branch targets stand among the sources.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// A register or an immediate.
    Src(Src<Physical>),
    /// A branch target: byte offset from the start of the code.
    Label(i64),
}

/// The sources of an instruction in text order, with branch targets resolved; the instruction stands at
/// byte `offset`.
pub(super) fn shown_sources(inst: &Inst<Physical>, offset: u32) -> ([Shown; 3], usize) {
    let mut shown = [Shown::Src(Src::None); 3];
    let mut count = 0;
    let mut push = |s| {
        shown[count] = s;
        count += 1;
    };
    if let Payload::Branch { jip, uip, .. } = inst.payload {
        if inst.src[0] != Src::None {
            push(Shown::Src(inst.src[0]));
        } else {
            for target in [jip, uip] {
                if let Target::Rel(rel) = target {
                    push(Shown::Label(target_offset(inst.op, offset, rel)));
                }
            }
        }
    } else {
        for s in inst.src.iter().take(source_count(inst)) {
            push(Shown::Src(*s));
        }
    }
    (shown, count)
}

/// Where a branch with displacement `rel` goes: `calla` counts from the start of the code.
pub(super) fn target_offset(op: Op, offset: u32, rel: i32) -> i64 {
    if op == Op::Calla { rel.into() } else { i64::from(offset) + i64::from(rel) }
}

/// Sources of an instruction that is no branch.
fn source_count(inst: &Inst<Physical>) -> usize {
    match inst.payload {
        Payload::Math(f) => f.sources().into(),
        // The decoder tells unary from split messages by the second payload.
        Payload::Send(_) if inst.src[1] != Src::None => 2,
        _ => usize::from(inst.op.info().srcs),
    }
}

/// Writes one instruction, without the newline. `label` writes a branch target, given as the byte
/// offset it is and as the displacement the text has for it; `load_store`
/// writes messages to the load/store cache in their own notation.
pub(super) fn put_instruction(
    c: &mut Columns,
    platform: Platform,
    inst: &Inst<Physical>,
    offset: u32,
    load_store: bool,
    label: &dyn Fn(&mut String, i64, i64),
) {
    let caps = platform.caps();
    let line = Line { caps, inst, offset };
    if let Payload::Send(send) = &inst.payload
        && load_store
        && inst.op == Op::Send
        && let Some(message) = message::decode(Edition::Listing, platform, inst, send)
        && let Some((head, surface)) = message.load_store()
    {
        return line.load_store(c, send, message.data.kind, head, surface);
    }
    line.prefix(c);
    let (sources, count) = shown_sources(inst, offset);
    let options = line.has_options();
    // `wait` writes what it reads, which the text says once.
    if inst.op.info().dst && inst.dst != Dst::None && inst.op != Op::Wait {
        c.put("  ");
        line.destination(c);
    } else if count > 0 || options {
        c.spaces(width::DST);
    }
    if count > 0 {
        line.sources(c, &sources[..count], label);
    } else if options {
        c.spaces(width::SRC);
    }
    if let Payload::Send(send) = &inst.payload {
        c.put("  ");
        line.ex_descriptor(c, send);
        c.put("  ");
        line.descriptor(c, send.desc);
    }
    if options {
        line.options(c);
    }
    if let Payload::Send(send) = &inst.payload {
        c.put(" // ");
        message::put_comment(&mut c.text, platform, inst, send);
    }
}

struct Line<'a> {
    caps: &'static Caps,
    inst: &'a Inst<Physical>,
    /// Byte offset of the instruction.
    offset: u32,
}

impl Line<'_> {
    /// One to three sources; a second column stays where there is one source, but in messages.
    fn sources(&self, c: &mut Columns, sources: &[Shown], label: &dyn Fn(&mut String, i64, i64)) {
        for (i, source) in sources.iter().enumerate() {
            c.put("  ");
            self.source(c, i, *source, label);
        }
        if sources.len() == 1 && !matches!(self.inst.op, Op::Send | Op::Sendc) {
            c.open(width::SRC);
            c.close();
        }
    }

    /// `load.ugm.d32.a64 (16|M0)  r10:1  [r12:2]`.
    fn load_store(&self, c: &mut Columns, send: &SendInfo<Physical>, kind: Kind, head: &str, surface: &str) {
        let lens = message::lengths(self.caps, self.inst, send, self.inst.opts.has(Options::EX_BSO));
        let payload = |c: &mut Columns, reg: Option<Reg<Physical>>, len: Option<u32>| {
            c.bare_register(self.caps, reg.unwrap_or(Reg::NULL));
            if let Some(len) = len {
                c.ch(':');
                c.uncounted(|text| put_decimal(text, len.into()));
            }
        };
        let address = |c: &mut Columns, width: usize| {
            c.open(width);
            c.put(surface);
            c.ch('[');
            payload(c, self.inst.src[0].reg(), lens.src0);
            c.ch(']');
            c.close();
        };
        let column = |c: &mut Columns, width: usize, reg: Option<Reg<Physical>>, len: Option<u32>| {
            c.open(width);
            payload(c, reg, len);
            c.close();
        };
        self.load_store_head(c, head);
        let data = self.inst.src[1].reg();
        if kind == Kind::Store {
            address(c, width::DST);
            c.ch(' ');
            column(c, width::SRC, data, lens.src1);
        } else {
            column(c, width::DST, self.inst.dst.reg(), lens.dst);
            c.ch(' ');
            address(c, width::SRC);
            if kind == Kind::Atomic {
                c.ch(' ');
                column(c, width::SRC, data, lens.src1);
            }
        }
        c.ch(' ');
        if self.has_options() {
            self.options(c);
        }
        self.descriptors_comment(c, send);
    }

    /// Mask, name and channels of a message in the load/store cache's own notation.
    fn load_store_head(&self, c: &mut Columns, head: &str) {
        self.mask(c);
        c.open(width::MNEMONIC + 12);
        c.ch(' ');
        c.put(head);
        c.put(" (");
        c.put(self.inst.exec.name());
        c.put("|M");
        c.num(self.inst.chan.into());
        c.ch(')');
        c.close();
        c.put("  ");
    }

    fn descriptors_comment(&self, c: &mut Columns, send: &SendInfo<Physical>) {
        c.put(" // ex_desc:");
        match send.ex_desc {
            Desc::Imm(desc) => put_hex(&mut c.text, desc.into_bits().into(), 0),
            Desc::Reg(reg) => c.descriptor_register(self.caps, reg),
        }
        if let Desc::Imm(desc) = send.desc {
            c.put("; desc:");
            put_hex(&mut c.text, desc.into_bits().into(), 0);
        }
    }

    fn mask(&self, c: &mut Columns) {
        let inst = self.inst;
        c.open(width::MASK);
        if inst.no_mask || inst.pred.is_some() {
            c.ch('(');
            if inst.no_mask {
                c.ch('W');
            }
            if let Some(pred) = &inst.pred {
                if inst.no_mask {
                    c.ch('&');
                }
                if pred.inv {
                    c.ch('~');
                }
                c.word_register(self.caps, pred.flag);
                c.put(pred.ctrl.suffix());
            }
            c.ch(')');
        }
        c.close();
    }

    fn prefix(&self, c: &mut Columns) {
        let inst = self.inst;
        self.mask(c);
        c.ch(' ');
        c.open(width::MNEMONIC);
        self.mnemonic(c);
        c.close();
        c.ch(' ');
        c.open(width::CONDITION);
        if let Some(cond) = &inst.cond
            && !inst.op.is_send()
        {
            c.ch('(');
            c.put(cond.cond.name());
            c.ch(')');
            c.word_register(self.caps, cond.flag);
        }
        c.close();
    }

    fn mnemonic(&self, c: &mut Columns) {
        let inst = self.inst;
        c.put(inst.op.name());
        match &inst.payload {
            Payload::Math(f) => {
                c.ch('.');
                c.put(f.name());
            }
            Payload::Sync(f) => {
                c.ch('.');
                c.put(f.name());
            }
            Payload::Bfn(table) => {
                c.put(".(");
                c.put(super::bfn::EXPRESSIONS[usize::from(*table)]);
                c.ch(')');
            }
            Payload::Dpas { depth, repeat } => {
                c.ch('.');
                c.num((*depth).into());
                c.ch('x');
                c.num((*repeat).into());
            }
            Payload::Branch { ctrl: true, .. } if has_branch_control(inst.op) => c.put(".b"),
            Payload::Send(send) if !self.caps.sends.function_in_descriptor => {
                c.ch('.');
                c.text.push_str(&send.sfid.to_string());
            }
            _ => {}
        }
        c.ch(' ');
        if has_exec_info(inst.op) {
            c.ch('(');
            c.put(inst.exec.name());
            c.put("|M");
            c.num(inst.chan.into());
            c.ch(')');
        }
    }

    fn is_macro(&self) -> bool {
        self.inst.op == Op::Madm || matches!(self.inst.payload, Payload::Math(MathFn::Invm | MathFn::Rsqtm))
    }

    fn destination(&self, c: &mut Columns) {
        let (inst, caps) = (self.inst, self.caps);
        let class = inst.op.info().class;
        c.open(if class == Class::Send { width::SEND_DST } else { width::DST });
        if inst.sat {
            c.put("(sat)");
        }
        let bare = matches!(class, Class::Send | Class::Dpas);
        let implicit_region = bare || class == Class::Branch || self.is_macro();
        let ty = match inst.dst {
            Dst::None => Type::Ud,
            Dst::Direct { reg, horz, ty } => {
                if bare && !is_inside(class, reg) {
                    c.bare_register(caps, reg);
                } else {
                    c.register(caps, reg, ty);
                }
                if !implicit_region {
                    c.stride(horz);
                }
                ty
            }
            Dst::Indirect { addr, imm, horz, ty } => {
                c.indirect(caps, addr, imm);
                if !implicit_region {
                    c.stride(horz);
                }
                ty
            }
            Dst::Macro { reg, mme, ty } => {
                c.bare_register(caps, reg);
                c.mme(mme);
                ty
            }
        };
        if !self.implicit_dst_type(ty) {
            c.ty(ty);
        }
        c.close();
    }

    /// Whether the text leaves out the destination's type.
    fn implicit_dst_type(&self, ty: Type) -> bool {
        match self.inst.op.info().class {
            Class::Branch => self.caps.words.bare_operands || ty == Type::D,
            Class::Send => {
                self.caps.words.bare_operands
                    || matches!(self.inst.op, Op::Send | Op::Sendc) && ty == Type::Ud
            }
            _ => false,
        }
    }

    fn source(&self, c: &mut Columns, index: usize, src: Shown, label: &dyn Fn(&mut String, i64, i64)) {
        let (inst, caps) = (self.inst, self.caps);
        let info = inst.op.info();
        let src = match src {
            Shown::Label(offset) => {
                c.open(width::SRC);
                let from = if inst.op == Op::Calla { 0 } else { i64::from(self.offset) };
                c.uncounted(|text| label(text, offset, offset - from));
                c.close();
                return;
            }
            Shown::Src(src) => src,
        };
        if let (Payload::Sync(SyncFn::AllRd | SyncFn::AllWr), Src::Imm { bits, .. }) = (&inst.payload, src) {
            return sbid_set(c, low_u32(bits));
        }
        c.open(if info.class == Class::Send { width::SEND_SRC } else { width::SRC });
        let bare = info.class == Class::Send || (info.class == Class::Dpas && index < 2);
        let no_region =
            matches!(info.class, Class::Send | Class::Branch | Class::Dpas | Class::Sync) || self.is_macro();
        c.modifier(src.mods(), info.logic);
        match src {
            Src::None | Src::AddrOf { .. } => {}
            Src::Direct { reg, region, ty, .. } => {
                if bare && !is_inside(info.class, reg) {
                    c.bare_register(caps, reg);
                } else {
                    c.register(caps, reg, ty);
                }
                if let Payload::Send(send) = &inst.payload
                    && index == 1
                    && self.shows_length(send)
                {
                    c.ch(':');
                    c.num(if reg.is_null() { 0 } else { send.src1_len.into() });
                }
                if !no_region {
                    c.region(shown_region(info.class, index, region));
                }
            }
            Src::Indirect { addr, imm, region, .. } => {
                c.indirect(caps, addr, imm);
                if !no_region {
                    c.region(region);
                }
            }
            Src::Macro { reg, mme, .. } => {
                c.bare_register(caps, reg);
                c.mme(mme);
            }
            Src::Imm { bits, ty } => c.uncounted(|text| put_immediate(text, bits, ty)),
        }
        if let Some(ty) = src.ty()
            && !self.implicit_src_type(index, &src, ty)
        {
            c.ty(ty);
        }
        c.close();
    }

    /// Whether the length of the second payload stands in the instruction and not in a descriptor.
    fn shows_length(&self, send: &SendInfo<Physical>) -> bool {
        self.inst.opts.has(Options::EX_BSO)
            || (self.caps.sends.length_in_word && matches!(send.ex_desc, Desc::Imm(_)))
    }

    /// Whether the text leaves out a source's type.
    fn implicit_src_type(&self, index: usize, src: &Src<Physical>, ty: Type) -> bool {
        match self.inst.op.info().class {
            Class::Branch => self.caps.words.bare_operands || ty == Type::D,
            Class::Send => self.caps.words.bare_operands || index == 1 || ty == Type::Ud,
            Class::Sync => {
                src.is_imm() && ty == Type::Ud
                    || src.reg().is_some_and(|r| matches!(r.base(), Base::Arf(gen_ir::Arf::Null)))
            }
            _ => false,
        }
    }

    fn ex_descriptor(&self, c: &mut Columns, send: &SendInfo<Physical>) {
        c.open(width::DESC);
        match send.ex_desc {
            Desc::Imm(desc) => {
                let desc = message::written_ex_desc(self.caps, send, desc);
                c.uncounted(|text| put_hex(text, desc.into_bits().into(), 0));
            }
            Desc::Reg(reg) => c.descriptor_register(self.caps, reg),
        }
        c.close();
    }

    fn descriptor(&self, c: &mut Columns, desc: Desc<Physical>) {
        c.open(width::DESC);
        match desc {
            Desc::Imm(desc) => c.uncounted(|text| put_hex(text, desc.into_bits().into(), 8)),
            Desc::Reg(reg) => c.descriptor_register(self.caps, reg),
        }
        c.close();
    }

    fn has_options(&self) -> bool {
        let hidden = Options::ALIGN16;
        self.inst.opts.without(hidden) != Options::NONE || self.inst.is_eot() || self.inst.swsb != Swsb::NONE
    }

    fn options(&self, c: &mut Columns) {
        let mut sep = " {";
        for &(option, name) in option_names() {
            let set = match option {
                Some(option) => self.inst.opts.has(option),
                None => self.inst.is_eot(),
            };
            if set {
                c.put(sep);
                c.put(name);
                sep = ",";
            }
        }
        put_swsb(c, &self.inst.swsb, sep);
        c.ch('}');
    }
}

/// The region that IGA's syntax gives a source: it has no word for two 64-bit elements of each oword in turn
/// ([`Region::PAIRS`]), which Align16's selection of channels makes of a ternary source, and shows one element.
pub(super) fn shown_region(class: Class, index: usize, region: Region) -> Region {
    match (class, region, index) {
        (Class::Ternary, Region::PAIRS, 2) => Region::ternary_last(0),
        (Class::Ternary, Region::PAIRS, _) => Region::ternary(0, 0),
        _ => region,
    }
}

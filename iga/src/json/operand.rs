//! Operands as JSON objects.

use super::{
    dataflow::{Dep, Flow},
    regset::{Files, RegSet, full_region, is_macro},
    symbol::symbol,
};
use crate::{
    bfn,
    immediate::put_immediate,
    instruction::{Shown, shown_region, shown_sources},
    message::{self, Addressing, Edition, Message, Surface},
    operand::{register_name, subregister},
};
use gen_ir::{
    Class, Desc, Dst, Inst, Mme, Op, Options, Payload, Physical, Reg, Region, SendInfo, Src, SrcMod, Type,
};
use platforms::{Layout, Platform};
use serde_json::{Value, json};

/// Writes operands of one kernel.
pub(super) struct Writer<'a> {
    pub(super) platform: Platform,
    pub(super) files: Files,
    pub(super) flow: Flow<'a>,
}

/// Sources that are registers or immediates.
pub(super) fn source_count(inst: &Inst<Physical>) -> usize {
    shown_sources(inst, 0).0.iter().filter(|s| matches!(s, Shown::Src(s) if *s != Src::None)).count()
}

/// `{"rn":"r","r":12,"sr":4}`, zeros left out.
pub(super) fn reg_value(name: &str, number: u32, sub: u32) -> Value {
    let mut v = json!({ "rn": name });
    if number != 0 {
        v["r"] = json!(number);
    }
    if sub != 0 {
        v["sr"] = json!(sub);
    }
    v
}

/// The function of an instruction that has one.
pub(super) fn subfunction(inst: &Inst<Physical>) -> Option<String> {
    Some(match &inst.payload {
        Payload::Math(f) => f.name().to_owned(),
        Payload::Sync(f) => f.name().to_owned(),
        Payload::Bfn(table) => format!("({})", bfn::EXPRESSIONS[usize::from(*table)]),
        Payload::Dpas { depth, repeat } => format!("{depth}x{repeat}"),
        Payload::Send(send) if matches!(inst.op, Op::Send | Op::Sendc) => send.sfid.to_string(),
        _ => return None,
    })
}

impl Writer<'_> {
    /// Adds the ids of what wrote any of `bytes`.
    pub(super) fn put_defs(&self, v: &mut Value, key: &str, id: usize, bytes: impl FnOnce(Files) -> RegSet) {
        if let Some(flow) = self.flow {
            put_ids(v, key, &flow.defs[id], &bytes(self.files));
        }
    }

    /// Adds the ids of what uses any of `bytes`.
    pub(super) fn put_uses(&self, v: &mut Value, id: usize, bytes: impl FnOnce(Files) -> RegSet) {
        if let Some(flow) = self.flow {
            put_ids(v, "uses", &flow.uses[id], &bytes(self.files));
        }
    }

    fn reg(&self, reg: Reg<Physical>, ty: Type) -> Value {
        let (name, number) = register_name(self.platform.caps(), reg);
        reg_value(name, number.unwrap_or(0).into(), subregister(reg.byte, ty))
    }

    fn address(&self, reg: Reg<Physical>) -> Value {
        self.reg(reg, Type::Uw)
    }

    /// The destination, if the instruction has one.
    pub(super) fn destination(&self, id: usize, inst: &Inst<Physical>) -> Option<Value> {
        if let Payload::Send(send) = &inst.payload {
            return Some(self.send_destination(inst, send));
        }
        if inst.op == Op::Wait {
            return None;
        }
        let class = inst.op.info().class;
        let mut v = match inst.dst {
            Dst::None => return None,
            Dst::Direct { reg, ty, .. } => json!({ "kind": "RD", "reg": self.reg(reg, ty) }),
            Dst::Macro { reg, mme, ty } => {
                json!({ "kind": "RM", "reg": self.reg(reg, ty), "mme": mme_name(mme) })
            }
            Dst::Indirect { addr, imm, .. } => {
                json!({ "kind": "RI", "areg": self.address(addr), "aoff": imm })
            }
        };
        if inst.sat {
            v["sat"] = json!(true);
        }
        if let Dst::Direct { horz, .. } | Dst::Indirect { horz, .. } = inst.dst
            && !matches!(class, Class::Branch | Class::Dpas)
            && !is_macro(inst)
        {
            v["rgn"] = json!({ "h": horz });
        }
        if let Some(ty) = inst.dst.ty() {
            let fixed = class == Class::Branch && self.platform.caps().words.bare_operands;
            v["type"] = json!(if fixed { "d" } else { ty.name() });
        }
        self.put_uses(&mut v, id, |files| files.destination(inst));
        Some(v)
    }

    fn send_destination(&self, inst: &Inst<Physical>, send: &SendInfo<Physical>) -> Value {
        let reg = inst.dst.reg().map_or_else(|| json!({ "rn": "null" }), |r| self.reg(r, Type::Ub));
        match self.lengths(inst, send).dst {
            Some(len) => json!({ "kind": "DA", "reg": reg, "len": len }),
            None => json!({ "kind": "RD", "reg": reg }),
        }
    }

    fn lengths(&self, inst: &Inst<Physical>, send: &SendInfo<Physical>) -> message::Lengths {
        message::lengths(self.platform.caps(), inst, send, inst.opts.has(Options::EX_BSO))
    }

    /// The sources, and a comment on them.
    pub(super) fn sources(
        &self,
        id: usize,
        inst: &Inst<Physical>,
        offset: u32,
    ) -> (Vec<Value>, Option<String>) {
        let (shown, count) = shown_sources(inst, offset);
        let Payload::Send(send) = &inst.payload else {
            let all = shown.iter().take(count).enumerate().map(|(i, s)| self.source(id, inst, i, *s));
            return (all.collect(), None);
        };
        let lens = self.lengths(inst, send);
        let mut comment = None;
        let mut all = Vec::with_capacity(4);
        for index in 0..count {
            let reg =
                inst.src[index].reg().map_or_else(|| json!({ "rn": "null" }), |r| self.reg(r, Type::Ub));
            let mut v;
            let key = match (index, lens.src0, lens.src1) {
                (0, Some(len), _) => {
                    v = json!({ "kind": "AD", "areg": reg, "alen": len });
                    let m = message::decode(Edition::Json, self.platform, inst, send);
                    if let Some(m) = m.filter(|m| m.valid) {
                        self.put_addressing(&mut v, id, &m);
                        comment = Some(m.description);
                    }
                    "adefs"
                }
                (1, _, Some(len)) => {
                    v = json!({ "kind": "DA", "reg": reg, "len": len });
                    "defs"
                }
                _ => {
                    v = json!({ "kind": "RD", "reg": reg });
                    "defs"
                }
            };
            self.put_defs(&mut v, key, id, |files| files.source(inst, index));
            all.push(v);
        }
        let ex_desc = match send.ex_desc {
            Desc::Imm(desc) => Ok(message::written_ex_desc(self.platform.caps(), send, desc).into_bits()),
            Desc::Reg(reg) => Err(reg),
        };
        let desc = match send.desc {
            Desc::Imm(desc) => Ok(desc.into_bits()),
            Desc::Reg(reg) => Err(reg),
        };
        for desc in [ex_desc, desc] {
            all.push(match desc {
                Ok(bits) => json!({ "kind": "IM", "value": format!("0x{bits:X}") }),
                Err(reg) => {
                    let mut v = json!({ "kind": "RD", "reg": self.reg(reg, Type::Ud) });
                    self.put_defs(&mut v, "defs", id, |files| files.descriptor(reg));
                    v
                }
            });
        }
        (all, comment)
    }

    fn put_addressing(&self, v: &mut Value, id: usize, m: &Message) {
        if m.offset != 0 {
            v["aoff"] = json!(m.offset);
        }
        v["stype"] = json!(match m.addressing {
            Addressing::None => "invalid",
            Addressing::Flat => "flat",
            Addressing::Bss => "bss",
            Addressing::Ss => "ss",
            Addressing::Bti => "bti",
        });
        if matches!(m.addressing, Addressing::None | Addressing::Flat) {
            return;
        }
        match m.surface {
            Surface::Imm(n) => v["soff"] = json!(n),
            Surface::Addr(sub) => {
                v["soff"] = reg_value("a", 0, sub);
                let reg = Reg::arf(gen_ir::Arf::Addr(0), sub * 4);
                self.put_defs(v, "sdefs", id, |files| files.descriptor(reg));
            }
        }
    }

    fn source(&self, id: usize, inst: &Inst<Physical>, index: usize, src: Shown) -> Value {
        let src = match src {
            Shown::Label(offset) => return json!({ "kind": "LB", "target": symbol(offset) }),
            Shown::Src(src) => src,
        };
        let class = inst.op.info().class;
        let mut v = match src {
            Src::None | Src::AddrOf { .. } => json!({}),
            Src::Direct { reg, ty, .. } => json!({ "kind": "RD", "reg": self.reg(reg, ty) }),
            Src::Macro { reg, mme, ty, .. } => {
                json!({ "kind": "RM", "reg": self.reg(reg, ty), "mme": mme_name(mme) })
            }
            Src::Indirect { addr, imm, .. } => {
                json!({ "kind": "RI", "areg": self.address(addr), "aoff": imm })
            }
            Src::Imm { bits, ty } => {
                let mut value = String::new();
                put_immediate(&mut value, bits, ty);
                json!({ "kind": "IM", "value": value })
            }
        };
        match src.mods() {
            SrcMod::Neg => v["mods"] = json!("n"),
            SrcMod::Abs => v["mods"] = json!("a"),
            SrcMod::NegAbs => v["mods"] = json!("na"),
            SrcMod::None => {}
        }
        if let Src::Direct { region, .. } | Src::Indirect { region, .. } = src
            && !matches!(class, Class::Branch | Class::Sync | Class::Dpas)
            && !is_macro(inst)
        {
            v["rgn"] = region_value(shown_region(class, index, region));
        }
        // Math macros of these words have a region field, which macro operands leave at its default.
        if matches!(src, Src::Macro { .. })
            && class == Class::Math
            && self.platform.caps().words.layout() == Layout::Xe
        {
            v["rgn"] = region_value(Region::PACKED);
        }
        if let Some(ty) = src.ty() {
            let implicit = class == Class::Branch || (class == Class::Sync && src.is_imm());
            if !implicit {
                v["type"] = json!(ty.name());
            }
        }
        self.put_defs(&mut v, "defs", id, |files| files.source(inst, index));
        v
    }
}

fn region_value(region: Region) -> Value {
    let r = full_region(region);
    if r.vert == Region::VXH {
        return json!({ "w": r.width, "h": r.horz });
    }
    json!({ "v": r.vert, "w": r.width, "h": r.horz })
}

fn mme_name(mme: Mme) -> String {
    mme.to_string()
}

fn put_ids(v: &mut Value, key: &str, deps: &[Dep], bytes: &RegSet) {
    if bytes.is_empty() {
        return;
    }
    let mut ids: Vec<usize> = deps.iter().filter(|d| bytes.intersects(&d.bytes)).map(|d| d.id).collect();
    ids.sort_unstable();
    ids.dedup();
    if !ids.is_empty() {
        v[key] = json!(ids);
    }
}

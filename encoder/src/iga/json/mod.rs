//! A kernel as IGA JSON 2.0.
//!
//! The form is that of IGA's own description of it ("IGA JSON", version 2.0): a list of labels and
//! instructions, operands as objects, and with [`JsonOptions::defs`] which instruction uses what which
//! other one wrote.

mod dataflow;
mod operand;
mod regset;

use super::{
    instruction::{option_names, pipe_letter, target_offset},
    listing::block_starts,
};
use crate::{Decoded, decode_all};
use dataflow::{Block, Dataflow, analyse};
use gen_ir::{Arf, Base, Inst, Op, Payload, Physical, SbidMode, Target};
use operand::Writer;
use platforms::{Layout, Platform};
use regset::Files;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write};

/// What the JSON form says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JsonOptions {
    /// Definitions and uses of every operand, and how many bytes are live (`-Xprint-defs`).
    pub defs: bool,
}

/// Machine code as IGA JSON 2.0.
pub fn disassemble_json(platform: Platform, code: &[u8], options: &JsonOptions) -> String {
    let decoded: Vec<Decoded> = decode_all(platform, code).collect();
    let json = to_json(platform, &decoded, options);
    // An element a line, as the reference tool does for those that fit one.
    let mut text = format!(
        "{{\n  \"version\":{},\n  \"platform\":{},\n  \"elems\":[\n",
        json["version"], json["platform"]
    );
    let elems = json["elems"].as_array().map_or(&[][..], Vec::as_slice);
    for (i, elem) in elems.iter().enumerate() {
        let sep = if i + 1 < elems.len() { "," } else { "" };
        let _ = writeln!(text, "    {elem}{sep}");
    }
    text.push_str("  ]\n}\n");
    text
}

/// Decoded instructions as IGA JSON 2.0.
pub fn to_json(platform: Platform, decoded: &[Decoded], options: &JsonOptions) -> Value {
    let insts: Vec<Option<Inst<Physical>>> = decoded.iter().map(|d| d.inst.ok()).collect();
    let blocks = Blocks::new(decoded);
    let files = Files::new(platform);
    let flow = options.defs.then(|| {
        let none = || regset::Access::default();
        let access: Vec<_> = insts
            .iter()
            .map(|i| i.as_ref().map_or_else(none, |i| files.access(i, operand::source_count(i))))
            .collect();
        analyse(&insts, &access, &blocks.linked(&insts))
    });
    let writer = Writer { platform, files, flow: flow.as_ref() };
    // The reference tool counts from 1 until the analysis numbers everything from 0.
    let first = usize::from(!options.defs);
    let mut elems = Vec::with_capacity(decoded.len() + blocks.starts.len());
    let (preds, succs) = blocks.graph(&insts);
    for (id, range) in blocks.ranges.iter().enumerate() {
        let mut label = json!({ "kind": "L", "id": first + id, "symbol": symbol(blocks.starts[id]) });
        for (key, set) in [("preds", &preds[id]), ("succs", &succs[id])] {
            if !set.is_empty() {
                label[key] = set.iter().map(|b| first + b).collect();
            }
        }
        elems.push(label);
        for i in range.clone() {
            elems.push(match &decoded[i].inst {
                Ok(inst) => {
                    let mut v = writer.instruction(i, inst, decoded[i].offset);
                    v["id"] = json!(first + i);
                    v
                }
                Err(e) => json!({
                    "kind": "I", "id": first + i, "op": "illegal", "es": 1, "srcs": [], "comment": e.to_string(),
                }),
            });
        }
    }
    json!({ "version": "2.0", "platform": platform_name(platform), "elems": elems })
}

/// The platform's name in the JSON form.
fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::Bdw => "bdw",
        Platform::Skl | Platform::Bxt => "skl",
        Platform::Icllp => "icl",
        Platform::Tgllp => "xe",
        Platform::Pvc => "xehpc",
    }
}

/// The label of a byte offset.
fn symbol(offset: i64) -> String {
    format!("L{offset:04}")
}

/// The blocks of a kernel.
struct Blocks {
    /// Byte offset at which each starts.
    starts: Vec<i64>,
    /// The instructions of each.
    ranges: Vec<std::ops::Range<usize>>,
    /// For each instruction, the blocks its targets are.
    targets: Vec<Vec<usize>>,
}

impl Blocks {
    fn new(decoded: &[Decoded]) -> Self {
        let starts = block_starts(decoded);
        let mut bounds: Vec<usize> =
            starts.iter().map(|&s| decoded.partition_point(|d| i64::from(d.offset) < s)).collect();
        bounds.push(decoded.len());
        let ranges = bounds.windows(2).map(|w| w[0]..w[1]).collect();
        let targets = decoded
            .iter()
            .map(|d| {
                let Ok(Inst { op, src, payload: Payload::Branch { jip, uip, .. }, .. }) = &d.inst else {
                    return Vec::new();
                };
                if src[0] != gen_ir::Src::None {
                    return Vec::new();
                }
                [jip, uip]
                    .into_iter()
                    .filter_map(|t| match t {
                        Target::Rel(rel) => starts.binary_search(&target_offset(*op, d.offset, *rel)).ok(),
                        _ => None,
                    })
                    .collect()
            })
            .collect();
        Blocks { starts, ranges, targets }
    }

    /// Whether execution may go on after an instruction.
    fn falls_through(inst: &Inst<Physical>) -> bool {
        let jumps = inst.op == Op::Jmpi && inst.pred.is_none();
        !jumps && !inst.is_eot()
    }

    /// The blocks with their predecessors, for data flow.
    fn linked(&self, insts: &[Option<Inst<Physical>>]) -> Vec<Block> {
        let mut blocks: Vec<Block> =
            self.ranges.iter().map(|r| Block { start: r.start, end: r.end, preds: Vec::new() }).collect();
        for (id, range) in self.ranges.iter().enumerate() {
            let last = range.clone().last();
            let falls = last.and_then(|i| insts[i].as_ref()).is_none_or(Self::falls_through);
            if falls && id + 1 < self.ranges.len() {
                blocks[id + 1].preds.push(id);
            }
            for &target in last.iter().flat_map(|&i| &self.targets[i]) {
                blocks[target].preds.push(id);
            }
        }
        blocks
    }

    /// Predecessors and successors as the JSON form lists them. The reference tool leaves out the step
    /// from a block without a branch to the next one unless its last instruction is predicated or ends
    /// the thread.
    fn graph(&self, insts: &[Option<Inst<Physical>>]) -> (Vec<BTreeSet<usize>>, Vec<BTreeSet<usize>>) {
        let n = self.ranges.len();
        let (mut preds, mut succs) = (vec![BTreeSet::new(); n], vec![BTreeSet::new(); n]);
        for (id, range) in self.ranges.iter().enumerate() {
            let last = range.clone().last();
            let falls = match last.and_then(|i| insts[i].as_ref()) {
                None => true,
                Some(i) if i.op.is_branch() => i.op != Op::Jmpi || i.pred.is_some(),
                Some(i) => i.is_eot() || i.pred.is_some(),
            };
            let next = (falls && id + 1 < n).then_some(id + 1);
            let targets = last.iter().flat_map(|&i| &self.targets[i]).copied();
            for to in targets.chain(next) {
                succs[id].insert(to);
                preds[to].insert(id);
            }
        }
        (preds, succs)
    }
}

impl Writer<'_> {
    /// An instruction and everything about it.
    fn instruction(&self, id: usize, inst: &Inst<Physical>, offset: u32) -> Value {
        let mut v = json!({
            "kind": "I", "op": inst.op.name(), "es": inst.exec.lanes(),
        });
        if let Some(pred) = &inst.pred {
            let mut p = json!({ "func": pred.ctrl.suffix() });
            if pred.inv {
                p["inv"] = json!(true);
            }
            self.put_defs(&mut p, "defs", id, |files| files.predicate(inst));
            v["pred"] = p;
        }
        if inst.no_mask {
            v["wren"] = json!(true);
        }
        if let Some(sub) = operand::subfunction(inst) {
            v["subop"] = json!(sub);
        }
        if inst.chan != 0 {
            v["eo"] = json!(inst.chan);
        }
        self.put_flags(&mut v, id, inst);
        if self.flow.is_some() {
            self.put_implicit(&mut v, id, inst);
        }
        if let Some(dst) = self.destination(id, inst) {
            v["dst"] = dst;
        }
        let (srcs, comment) = self.sources(id, inst, offset);
        v["srcs"] = Value::Array(srcs);
        if self.platform.caps().layout == Layout::Xe {
            put_scoreboard(&mut v, inst);
        }
        let opts = options(inst);
        if !opts.is_empty() {
            v["opts"] = json!(opts);
        }
        if let Some(flow) = self.flow {
            let t = flow.totals[id];
            v["liveTotals"] = json!({ "r": t.grf, "acc": t.acc, "s": 0, "f": t.flag, "a": t.addr });
        }
        if let Some(comment) = comment {
            v["comment"] = json!(comment);
        }
        v
    }

    fn put_flags(&self, v: &mut Value, id: usize, inst: &Inst<Physical>) {
        let cond = inst.cond.filter(|_| !inst.op.is_send());
        if let Some(cond) = &cond {
            let mut fm = json!({ "cond": cond.cond.name() });
            self.put_uses(&mut fm, id, |files| files.condition(inst));
            v["fm"] = fm;
        }
        let shown = cond.filter(|_| inst.op != Op::Sel).map(|c| c.flag);
        if let Some(flag) = inst.pred.map(|p| p.flag).or(shown) {
            let Base::Arf(Arf::Flag(n)) = flag.base() else { return };
            v["freg"] = operand::reg_value("f", n.into(), flag.byte / 2);
        }
    }

    fn put_implicit(&self, v: &mut Value, id: usize, inst: &Inst<Physical>) {
        let (reads, writes) = (self.files.implicit_reads(inst), self.files.implicit_writes(inst));
        if reads.is_empty() && writes.is_empty() {
            return;
        }
        let mut implicit = json!({});
        self.put_defs(&mut implicit, "defs", id, |_| reads);
        self.put_uses(&mut implicit, id, |_| writes);
        v["implicit"] = implicit;
    }
}

fn put_scoreboard(v: &mut Value, inst: &Inst<Physical>) {
    if let Some((pipe, distance)) = inst.swsb.dist {
        v["regDist"] = json!(format!("{}@{distance}", pipe_letter(pipe)));
    }
    if let Some((mode, sbid)) = inst.swsb.sbid {
        let func = match mode {
            SbidMode::Set => "",
            SbidMode::Src => ".src",
            SbidMode::Dst => ".dst",
        };
        v["sbid"] = json!({ "id": sbid, "func": func });
    }
}

fn options(inst: &Inst<Physical>) -> Vec<&'static str> {
    let mut names: Vec<_> = option_names()
        .iter()
        .filter(|(option, _)| match option {
            Some(option) => inst.opts.has(*option),
            None => inst.is_eot(),
        })
        .map(|(_, name)| *name)
        .collect();
    if inst.swsb.no_acc_sb_set {
        names.push("NoAccSBSet");
    }
    names
}

/// What the analysis found, for operands.
type Flow<'a> = Option<&'a Dataflow>;

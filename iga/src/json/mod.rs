//! A kernel as IGA JSON 2.0.
//!
//! The form is that of IGA's own description of it ("IGA JSON", version 2.0): a list of labels and
//! instructions, operands as objects, and with [`JsonOptions::defs`] which instruction uses what which
//! other one wrote.

mod dataflow;
mod operand;
mod regset;
mod symbol;

use super::{instruction::target_offset, listing::block_starts, options::option_names, swsb::pipe_letter};
use dataflow::{Block, analyse};
use encoder::{Decoded, decode_all};
use gen_ir::{Arf, Base, Inst, Op, Payload, Physical, SbidMode, Src, Target};
use operand::Writer;
use platforms::Platform;
use regset::Files;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write, ops::Range};
use symbol::symbol;

/// What the JSON form says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JsonOptions {
    /// Definitions and uses of every operand, and how many bytes are live (`-Xprint-defs`).
    pub defs: bool,
}

/// Machine code as IGA JSON 2.0.
pub fn disassemble_json(platform: Platform, code: &[u8], options: &JsonOptions) -> String {
    let decoded: Vec<Decoded> = decode_all(platform, code).collect();
    // An element a line, as the reference tool does for those that fit one; one at a time, as trees are
    // many times as large as what they are of.
    let mut text = format!(
        "{{\n  \"version\":\"{VERSION}\",\n  \"platform\":\"{}\",\n  \"elems\":[",
        platform.caps().iga_json_name
    );
    text.reserve(decoded.len() * ELEMENT);
    let mut sep = "\n";
    for_each_element(platform, &decoded, options, |elem| {
        let _ = write!(text, "{sep}    {elem}");
        sep = ",\n";
    });
    text.push_str("\n  ]\n}\n");
    text
}

/// Bytes that hold most elements.
const ELEMENT: usize = 240;

/// The version of the form.
const VERSION: &str = "2.0";

/// Decoded instructions as IGA JSON 2.0.
pub fn to_json(platform: Platform, decoded: &[Decoded], options: &JsonOptions) -> Value {
    let mut elems = Vec::new();
    for_each_element(platform, decoded, options, |elem| elems.push(elem));
    json!({ "version": VERSION, "platform": platform.caps().iga_json_name, "elems": elems })
}

/// Gives labels and instructions in order.
fn for_each_element(
    platform: Platform,
    decoded: &[Decoded],
    options: &JsonOptions,
    mut each: impl FnMut(Value),
) {
    let blocks = Blocks::new(decoded);
    let files = Files::new(platform);
    let flow = options.defs.then(|| {
        let none = |_: &_| regset::Access::default();
        let of = |i: &Inst<_>| files.access(i, operand::source_count(i));
        let access: Vec<_> = decoded.iter().map(|d| d.inst.as_ref().map_or_else(none, of)).collect();
        analyse(decoded, &access, &blocks.linked(decoded))
    });
    let writer = Writer { platform, files, flow: flow.as_ref() };
    // The reference tool counts from 1 until the analysis numbers everything from 0.
    let first = usize::from(!options.defs);
    let edges = blocks.edges(decoded);
    let mut rest = &edges[..];
    for id in 0..blocks.len() {
        let mut label = json!({ "kind": "L", "id": first + id, "symbol": symbol(blocks.starts[id]) });
        let (here, later) = rest.split_at(rest.partition_point(|e| e.0 == id));
        rest = later;
        let preds: Vec<usize> = here.iter().map(|e| first + e.1).collect();
        let succs: Vec<usize> = blocks.succs(decoded, id).into_iter().map(|b| first + b).collect();
        for (key, set) in [("preds", preds), ("succs", succs)] {
            if !set.is_empty() {
                label[key] = json!(set);
            }
        }
        each(label);
        for i in blocks.range(id) {
            each(match &decoded[i].inst {
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
}

/// The blocks of a kernel.
struct Blocks {
    /// Byte offset at which each starts.
    starts: Vec<i64>,
    /// The first instruction of each, and how many there are.
    bounds: Vec<usize>,
}

impl Blocks {
    fn new(decoded: &[Decoded]) -> Self {
        let starts = block_starts(decoded);
        let before = |&s: &i64| decoded.partition_point(|d| i64::from(d.offset) < s);
        let bounds = starts.iter().map(before).chain([decoded.len()]).collect();
        Blocks { starts, bounds }
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The instructions of a block.
    fn range(&self, id: usize) -> Range<usize> {
        self.bounds[id]..self.bounds[id + 1]
    }

    /// The last instruction of a block.
    fn last<'a>(&self, decoded: &'a [Decoded], id: usize) -> Option<&'a Decoded> {
        self.range(id).next_back().map(|i| &decoded[i])
    }

    /// The blocks that an instruction names.
    fn targets(&self, last: Option<&Decoded>) -> impl Iterator<Item = usize> {
        let named = match last {
            Some(Decoded {
                offset,
                inst: Ok(Inst { op, src: [Src::None, ..], payload: Payload::Branch { jip, uip, .. }, .. }),
                ..
            }) => [jip, uip].map(|target| match target {
                Target::Rel(rel) => self.starts.binary_search(&target_offset(*op, *offset, *rel)).ok(),
                _ => None,
            }),
            _ => [None; 2],
        };
        named.into_iter().flatten()
    }

    /// Whether execution may go on after an instruction.
    fn falls_through(inst: &Inst<Physical>) -> bool {
        let jumps = inst.op == Op::Jmpi && inst.pred.is_none();
        !jumps && !inst.is_eot()
    }

    /// The blocks with their predecessors, for data flow.
    fn linked(&self, decoded: &[Decoded]) -> Vec<Block> {
        let block = |id| Block { start: self.bounds[id], end: self.bounds[id + 1], preds: Vec::new() };
        let mut blocks: Vec<Block> = (0..self.len()).map(block).collect();
        for id in 0..self.len() {
            let last = self.last(decoded, id);
            let falls = last.and_then(|d| d.inst.as_ref().ok()).is_none_or(Self::falls_through);
            if falls && id + 1 < self.len() {
                blocks[id + 1].preds.push(id);
            }
            for target in self.targets(last) {
                blocks[target].preds.push(id);
            }
        }
        blocks
    }

    /// Where a block goes, as the JSON form lists it. The reference tool leaves out the step from a block
    /// without a branch to the next one unless its last instruction is predicated or ends the thread.
    fn succs(&self, decoded: &[Decoded], id: usize) -> BTreeSet<usize> {
        let last = self.last(decoded, id);
        let falls = match last.and_then(|d| d.inst.as_ref().ok()) {
            None => true,
            Some(i) if i.op.is_branch() => i.op != Op::Jmpi || i.pred.is_some(),
            Some(i) => i.is_eot() || i.pred.is_some(),
        };
        self.targets(last).chain((falls && id + 1 < self.len()).then_some(id + 1)).collect()
    }

    /// All such steps, as to and from, in order.
    fn edges(&self, decoded: &[Decoded]) -> Vec<(usize, usize)> {
        let from = |id| self.succs(decoded, id).into_iter().map(move |to| (to, id));
        let mut edges: Vec<(usize, usize)> = (0..self.len()).flat_map(from).collect();
        edges.sort_unstable();
        edges
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
        put_scoreboard(&mut v, inst);
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

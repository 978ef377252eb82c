//! The page: one file of HTML with its style, its script and its data.

use std::{fmt, time::Duration};

use serde::{Serialize, Serializer};

use crate::{Code, Comparison, Counts, Edge, Message, Normalize, Tag, Value};

/// A kernel on the page.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The file that it is from.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Channels.
    pub simd: u32,
    /// General registers that a thread has.
    pub grf_count: u32,
    /// The vISA, line by line.
    pub visa: Vec<Line>,
    /// vISA instructions.
    pub visa_instructions: u32,
    /// Bytes of scratch memory that spills take.
    pub spill_bytes: u32,
    /// Our code.
    pub code: Code,
    /// For each instruction, the line of [`Kernel::visa`] that it is for.
    pub origins: Vec<Option<usize>>,
    /// Each pass, what it does, and its time.
    pub passes: Vec<(String, String, Duration)>,
    /// Another code of the same kernel, and what to call it.
    pub beside: Option<(String, Code)>,
}

/// A line of vISA.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of the instruction that it is, if it is one.
    pub number: Option<u32>,
    /// Its text.
    pub text: String,
}

/// Bytes of data that a page may have.
const LARGEST: usize = 400 << 20;

/// Why there is no page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// Kernels that would fit.
    pub kernels: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the page would have more than {LARGEST} bytes; {} of the kernels fit: name fewer",
            self.kernels
        )
    }
}

impl std::error::Error for TooLarge {}

const TEMPLATE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPTS: [&str; 5] = [
    include_str!("../page/list.js"),
    include_str!("../page/charts.js"),
    include_str!("../page/panels.js"),
    include_str!("../page/graph.js"),
    include_str!("../page/page.js"),
];

/// A page, piece by piece: kernels are added one after the other and not kept.
#[derive(Debug, Default)]
pub struct Page {
    summaries: Vec<String>,
    data: String,
}

impl Page {
    /// Adds a kernel.
    ///
    /// # Errors
    ///
    /// The page would be larger than a browser opens.
    pub fn add(&mut self, kernel: &Kernel) -> Result<(), TooLarge> {
        let number = self.summaries.len();
        let data = json(&Data::new(kernel));
        if self.data.len() + data.len() > LARGEST {
            return Err(TooLarge { kernels: number });
        }
        self.summaries.push(json(&Summary::new(kernel)));
        self.data += &format!("<script type=\"application/json\" id=\"kernel-{number}\">{data}</script>\n");
        Ok(())
    }

    /// Whether no kernel was added.
    pub fn is_empty(&self) -> bool {
        self.summaries.is_empty()
    }

    /// The page. `version` is that of the program that makes it.
    pub fn html(&self, version: &str) -> String {
        let head = format!("{{\"version\":{},\"kernels\":[{}]}}", json(version), self.summaries.join(",\n"));
        let data = format!("<script type=\"application/json\" id=\"index\">{head}</script>\n{}", self.data);
        let script = SCRIPTS.concat();
        // The data goes in last: nothing is looked for in it.
        let page = TEMPLATE.replace("/*style*/", STYLE).replace("/*script*/", &script);
        page.replacen("<!--data-->", &data, 1)
    }
}

/// JSON that can stand in a script element: no `<` that could end it, or begin a comment.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // Strings, numbers and lists alone: nothing in it can fail to become JSON.
    serde_json::to_string(value).unwrap_or_default().replace('<', "\\u003c")
}

/// What the list of kernels shows.
#[derive(Serialize)]
struct Summary<'a> {
    file: &'a str,
    name: &'a str,
    platform: String,
    simd: u32,
    visa: u32,
    counts: Counts,
    beside: Option<Counts>,
}

impl<'a> Summary<'a> {
    fn new(k: &'a Kernel) -> Summary<'a> {
        Summary {
            file: &k.file,
            name: &k.name,
            platform: k.code.platform.to_string(),
            simd: k.simd,
            visa: k.visa_instructions,
            counts: k.code.counts,
            beside: k.beside.as_ref().map(|(_, code)| code.counts),
        }
    }
}

/// All that the page knows of a kernel, in columns.
#[derive(Serialize)]
struct Data<'a> {
    grf_count: u32,
    visa_instructions: u32,
    spill_bytes: u32,
    /// vISA: text, and the number of the instruction or -1.
    visa: Vec<&'a str>,
    numbers: Vec<i64>,
    codes: Vec<CodeData<'a>>,
    passes: Vec<(&'a str, &'a str, f64)>,
    /// Aligned listings: `=`, `<` or `>`, and the instructions.
    aligned: Vec<(char, i64, i64)>,
}

#[derive(Serialize)]
struct CodeData<'a> {
    label: &'a str,
    counts: Counts,
    offsets: Vec<u32>,
    text: Vec<&'a str>,
    comments: Vec<&'a str>,
    /// Lines of vISA, or -1.
    origins: Vec<i64>,
    waits: Vec<u32>,
    issue: Vec<u32>,
    waits_on: Vec<i64>,
    live: &'a [u16],
    reads: &'a [Vec<u16>],
    writes: &'a [Vec<u16>],
    #[serde(serialize_with = "values")]
    values: &'a [Value],
    peak: i64,
    indirect: usize,
    blocks: &'a [usize],
    edges: &'a [Vec<Edge>],
    depth: &'a [u32],
    messages: &'a [Message],
}

fn values<S: Serializer>(values: &&[Value], s: S) -> Result<S::Ok, S::Error> {
    s.collect_seq(values.iter().map(|v| [v.start, v.end, v.first.into(), v.count.into()]))
}

fn or_minus(n: Option<usize>) -> i64 {
    n.and_then(|n| i64::try_from(n).ok()).unwrap_or(-1)
}

impl<'a> Data<'a> {
    fn new(k: &'a Kernel) -> Data<'a> {
        let ours = CodeData::new("ours", &k.code, &k.origins);
        let other = k.beside.as_ref().map(|(label, code)| CodeData::new(label, code, &[]));
        let aligned = k.beside.as_ref().map(|(_, code)| aligned(&k.code, code)).unwrap_or_default();
        Data {
            grf_count: k.grf_count,
            visa_instructions: k.visa_instructions,
            spill_bytes: k.spill_bytes,
            visa: k.visa.iter().map(|l| l.text.as_str()).collect(),
            numbers: k.visa.iter().map(|l| l.number.map_or(-1, i64::from)).collect(),
            codes: [Some(ours), other].into_iter().flatten().collect(),
            passes: k
                .passes
                .iter()
                .map(|(n, a, t)| (n.as_str(), a.as_str(), t.as_secs_f64() * 1e3))
                .collect(),
            aligned,
        }
    }
}

fn aligned(ours: &Code, other: &Code) -> Vec<(char, i64, i64)> {
    let comparison = Comparison::new(ours, other, Normalize { registers: true, masks: true, options: true });
    let row = |r: &crate::Row| {
        let tag = match r.tag {
            Tag::Equal => '=',
            Tag::Left => '<',
            Tag::Right => '>',
        };
        (tag, or_minus(r.left), or_minus(r.right))
    };
    comparison.rows.iter().map(row).collect()
}

impl<'a> CodeData<'a> {
    fn new(label: &'a str, code: &'a Code, origins: &[Option<usize>]) -> CodeData<'a> {
        let origin = |at: usize| or_minus(origins.get(at).copied().flatten());
        let p = &code.pressure;
        CodeData {
            label,
            counts: code.counts,
            offsets: code.insts.iter().map(|i| i.offset).collect(),
            text: code.insts.iter().map(|i| i.text.as_str()).collect(),
            comments: code.insts.iter().map(|i| i.comment.as_str()).collect(),
            origins: (0..code.insts.len()).map(origin).collect(),
            waits: code.waits.iter().map(|w| w.cycles).collect(),
            issue: code.waits.iter().map(|w| w.issue).collect(),
            waits_on: code.waits.iter().map(|w| w.on.map_or(-1, i64::from)).collect(),
            live: &p.live,
            reads: &p.reads,
            writes: &p.writes,
            values: &p.values,
            peak: or_minus(p.peak()),
            indirect: p.indirect,
            blocks: &code.flow.starts,
            edges: &code.flow.edges,
            depth: &code.flow.depth,
            messages: &code.messages,
        }
    }
}

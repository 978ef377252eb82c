//! Machine code with all that can be said of it.

use encoder::{Decoded, decode_all};
use gen_ir::{Op, Options, Payload};
use iga::{ListingOptions, list};
use narrow::{as_index, to_index};
use platforms::Platform;

use crate::{
    cycles::{self, Wait},
    flow::Flow,
    instruction::Instruction,
    message::{self, Message},
    pressure::{self, Pressure},
};

/// One kernel's code on one platform.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its platform.
    pub platform: Platform,
    /// Bytes.
    pub bytes: usize,
    /// Its instructions.
    pub insts: Vec<Instruction>,
    /// Messages, in code order.
    pub messages: Vec<Message>,
    /// Blocks and edges.
    pub flow: Flow,
    /// What each instruction waits for.
    pub waits: Vec<Wait>,
    /// Registers in use.
    pub pressure: Pressure,
    /// Figures.
    pub counts: Counts,
}

/// Figures of a code.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// All instructions.
    pub instructions: u32,
    /// Bytes.
    pub bytes: u32,
    /// Instructions in the 8-byte form.
    pub compacted: u32,
    /// Messages.
    pub sends: u32,
    /// Of them, messages to scratch memory that read.
    pub scratch_reads: u32,
    /// And those that write.
    pub scratch_writes: u32,
    /// `sync`.
    pub sync: u32,
    /// `nop` and words that are no instruction.
    pub padding: u32,
    /// Cycles of one thread by the model, each instruction executed once.
    pub cycles: u64,
    /// The same with the bodies of loops as often as they are taken to run.
    pub cycles_in_loops: u64,
    /// General registers in use at the peak.
    pub peak: u32,
    /// One past the highest general register that is named.
    pub registers: u32,
}

impl Counts {
    /// Names and values, for tables.
    pub fn rows(&self) -> [(&'static str, u64); 11] {
        [
            ("instructions", self.instructions.into()),
            ("bytes", self.bytes.into()),
            ("compacted", self.compacted.into()),
            ("sends", self.sends.into()),
            ("scratch reads", self.scratch_reads.into()),
            ("scratch writes", self.scratch_writes.into()),
            ("sync", self.sync.into()),
            ("nop and padding", self.padding.into()),
            ("cycles", self.cycles_in_loops),
            ("registers at the peak", self.peak.into()),
            ("registers named", self.registers.into()),
        ]
    }
}

impl Code {
    /// Decodes code and works out all of it. `inputs` are bytes of the register file, from and to, that hold values
    /// at the start, if that is known.
    pub fn new(platform: Platform, code: &[u8], inputs: Option<&[(u32, u32)]>) -> Code {
        let end = code.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        let decoded: Vec<Decoded> =
            decode_all(platform, code).take_while(|d| as_index(d.offset) < end).collect();
        let insts = instructions(platform, &decoded);
        let messages = message::all(&insts);
        let insts = with_lengths(insts, &messages);
        let flow = Flow::new(&insts);
        let (waits, cycles, cycles_in_loops) = cycles::waits(platform, &insts, &flow);
        let pressure = pressure::pressure(platform, &insts, &flow, inputs);
        let counts = Counts {
            cycles,
            cycles_in_loops,
            peak: pressure.peak().map_or(0, |at| pressure.live[at].into()),
            registers: pressure.registers,
            ..counts(code, &insts, &messages)
        };
        Code { platform, bytes: code.len(), insts, messages, flow, waits, pressure, counts }
    }
}

fn instructions(platform: Platform, decoded: &[Decoded]) -> Vec<Instruction> {
    let listing = list(platform, decoded, &ListingOptions::default());
    let is_label = |line: &&str| line.starts_with('L') && line.ends_with(':');
    let mut lines = listing.lines().filter(|line| !is_label(line));
    let instruction = |d: &Decoded| {
        let line = lines.next().unwrap_or_default();
        let (text, comment) = line.split_once("//").unwrap_or((line, ""));
        Instruction {
            offset: d.offset,
            inst: d.inst.ok(),
            text: squeezed(text),
            comment: comment.trim().to_owned(),
        }
    };
    decoded.iter().map(instruction).collect()
}

/// A line of the listing with two spaces where its columns are far apart.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut spaces = 0;
    for c in text.trim().chars() {
        if c == ' ' {
            spaces += 1;
            continue;
        }
        out.push_str(["", " ", "  "][spaces.min(2)]);
        spaces = 0;
        out.push(c);
    }
    out
}

/// Messages whose descriptor is in a register do not say how long they are; what was found out of them does.
fn with_lengths(mut insts: Vec<Instruction>, messages: &[Message]) -> Vec<Instruction> {
    for message in messages {
        if let (Some(inst), Some(descriptor)) = (&mut insts[message.at].inst, message.descriptor)
            && let Payload::Send(send) = &mut inst.payload
        {
            let lengths = messages::Descriptor::from_bits(descriptor);
            send.dst_len = lengths.response_length().registers();
            send.src0_len = lengths.message_length().registers();
        }
    }
    insts
}

fn counts(code: &[u8], insts: &[Instruction], messages: &[Message]) -> Counts {
    let mut counts = Counts {
        instructions: to_index(insts.len()),
        bytes: to_index(code.len()),
        sends: to_index(messages.len()),
        ..Counts::default()
    };
    for message in messages.iter().filter(|m| m.scratch) {
        *(if message.reads { &mut counts.scratch_reads } else { &mut counts.scratch_writes }) += 1;
    }
    for i in insts {
        match &i.inst {
            None => counts.padding += 1,
            Some(inst) => {
                counts.compacted += u32::from(inst.opts.has(Options::COMPACTED));
                counts.sync += u32::from(inst.op == Op::Sync);
                counts.padding += u32::from(matches!(inst.op, Op::Nop | Op::Illegal));
            }
        }
    }
    counts
}

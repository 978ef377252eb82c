//! Messages: what they ask for, and whether they go to scratch memory.

use gen_ir::{Arf, Base, Desc, Dst, Inst, Op, Payload, Physical, SendInfo, Sfid, Src};
use messages::Descriptor;
use narrow::low_u32;

use crate::instruction::Instruction;

/// One message.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Message {
    /// The instruction that sends it.
    pub at: usize,
    /// The shared function.
    pub function: String,
    /// In words, as the listing has it.
    pub meaning: String,
    /// The descriptor, as far as it is known: a register adds to it.
    pub descriptor: Option<u32>,
    /// The part of the descriptor that is added when the code runs is in a register.
    pub in_register: bool,
    /// Registers of the payload's first part, of its second part, and of the response.
    pub lengths: [u32; 3],
    /// The payload starts with a header.
    pub header: bool,
    /// The surface, for the shared functions that name one.
    pub surface: Option<u8>,
    /// It goes to scratch memory.
    pub scratch: bool,
    /// It is known to do nothing but read memory.
    pub reads: bool,
    /// It ends the thread.
    pub eot: bool,
}

/// All messages of a code.
pub(crate) fn all(insts: &[Instruction]) -> Vec<Message> {
    let mut found = Vec::new();
    // What the last instruction that wrote `a0.0` added to it as a constant.
    let mut constant = None;
    for (at, i) in insts.iter().enumerate() {
        let Some(inst) = &i.inst else { continue };
        if let Payload::Send(send) = &inst.payload {
            found.push(one(at, i, send, constant));
        }
        if inst.op.is_branch() {
            constant = None;
        } else if writes_descriptor(inst) {
            constant = constant_of(inst);
        }
    }
    found
}

fn writes_descriptor(inst: &Inst<Physical>) -> bool {
    match inst.dst {
        Dst::Direct { reg, .. } => matches!(reg.base(), Base::Arf(Arf::Addr(_))) && reg.byte == 0,
        _ => false,
    }
}

/// The constant that is combined with a surface to a descriptor: `or a0.0 r5.0 0x2106e00`, or the whole of one.
fn constant_of(inst: &Inst<Physical>) -> Option<u32> {
    let immediate = |src: &Src<Physical>| match src {
        Src::Imm { bits, .. } => Some(low_u32(*bits)),
        _ => None,
    };
    match inst.op {
        Op::Mov if inst.pred.is_none() => immediate(&inst.src[0]),
        Op::Or | Op::Add if inst.pred.is_none() => {
            immediate(&inst.src[1]).or_else(|| immediate(&inst.src[0]))
        }
        _ => None,
    }
}

fn one(at: usize, i: &Instruction, send: &SendInfo<Physical>, constant: Option<u32>) -> Message {
    let (descriptor, in_register) = match send.desc {
        Desc::Imm(desc) => (Some(desc), false),
        Desc::Reg(reg) if reg.byte == 0 => (constant.map(Descriptor::from_bits), true),
        Desc::Reg(_) => (None, true),
    };
    let fields = descriptor.unwrap_or_default();
    let known = descriptor.is_some();
    let lengths = match known {
        true => [fields.message_length().registers(), send.src1_len, fields.response_length().registers()],
        false => [send.src0_len, send.src1_len, send.dst_len],
    }
    .map(u32::from);
    let names_surface =
        matches!(send.sfid, Sfid::Dc0 | Sfid::Dc1 | Sfid::DcRo | Sfid::Render | Sfid::Sampler);
    let whole = SendInfo { desc: Desc::Imm(fields), ..*send };
    Message {
        at,
        function: send.sfid.to_string(),
        meaning: meaning(&i.comment),
        descriptor: descriptor.map(Descriptor::into_bits),
        in_register,
        lengths,
        header: known && send.sfid.may_have_header() && fields.header_present(),
        surface: (known && names_surface && !in_register).then(|| fields.surface().0),
        scratch: known && send.sfid.is_scratch(fields),
        reads: known && whole.only_reads(),
        eot: send.eot,
    }
}

/// What the comment of a listing says behind the lengths.
fn meaning(comment: &str) -> String {
    let (lengths, rest) = comment.split_once("; ").unwrap_or((comment, ""));
    if lengths.starts_with("wr:") { rest.to_owned() } else { comment.to_owned() }
}

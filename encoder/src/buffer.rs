//! A kernel's code: words, compacted where asked, with branch offsets in place.

use crate::{CMPT_CTRL, EncodeError, append_compacted, encode};
use gen_ir::{Inst, Kernel, Op, Options, Payload, Physical, Target};
use narrow::{as_index, low_u64, to_index};

/// How a kernel is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// Compact every instruction that has a 64-bit form. Without it, only those that ask for it by
    /// [`Options::COMPACTED`].
    pub compact: bool,
}

impl Default for CodeOptions {
    fn default() -> Self {
        CodeOptions { compact: true }
    }
}

/// The machine code of one kernel. Reusable: [`CodeBuffer::emit`] keeps the memory of the kernel before.
///
/// Branches with a [`Target::Block`] keep their native form, so one walk settles all places and a
/// second fills in the offsets.
#[derive(Clone, Debug, Default)]
pub struct CodeBuffer {
    bytes: Vec<u8>,
    offsets: Vec<u32>,
    blocks: Vec<u32>,
    branches: Vec<(u32, u32)>,
    padding: u32,
}

impl CodeBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Encodes a kernel, in place of what the buffer held.
    pub fn emit(&mut self, kernel: &Kernel<Physical>, options: CodeOptions) -> Result<(), EncodeError> {
        self.bytes.clear();
        self.offsets.clear();
        self.blocks.clear();
        self.branches.clear();
        self.padding = 0;
        let count = kernel.inst_count();
        self.bytes.reserve(count * 16);
        self.offsets.reserve(count);
        for (b, block) in kernel.blocks.iter().enumerate() {
            self.blocks.push(to_index(self.bytes.len()));
            for (i, inst) in block.insts.iter().enumerate() {
                let index = to_index(self.offsets.len());
                self.offsets.push(to_index(self.bytes.len()));
                self.padding += u32::from(matches!(inst.op, Op::Nop | Op::Illegal | Op::Sync));
                let to_block = has_block_target(inst);
                let word = if to_block {
                    self.branches.push((to_index(b), to_index(i)));
                    // The word is written once all places are known.
                    0
                } else {
                    let word = match inst.opts.has(Options::NO_COMPACT) {
                        true => encode(kernel.platform, &without_marks(inst)),
                        false => encode(kernel.platform, inst),
                    };
                    word.map_err(|e| e.at(index))?
                };
                let may = options.compact && !inst.opts.has(Options::NO_COMPACT);
                if (may || inst.opts.has(Options::COMPACTED)) && !to_block {
                    append_compacted(kernel.platform, word, &mut self.bytes);
                } else {
                    self.bytes.extend_from_slice(&word.to_le_bytes());
                }
            }
        }
        self.blocks.push(to_index(self.bytes.len()));
        self.fill_branches(kernel)
    }

    fn fill_branches(&mut self, kernel: &Kernel<Physical>) -> Result<(), EncodeError> {
        let mut first = 0;
        let mut block = 0;
        for &(b, i) in &self.branches {
            while block < b {
                first += to_index(kernel.blocks[as_index(block)].insts.len());
                block += 1;
            }
            let index = first + i;
            let here = self.offsets[as_index(index)];
            let inst = &kernel.blocks[as_index(b)].insts[as_index(i)];
            let resolve = |target, field| match target {
                Target::Block(to) => match self.blocks.get(to.index()) {
                    Some(&there) => Ok(Target::Rel(there.wrapping_sub(here).cast_signed())),
                    None => {
                        let allowed = "a block of the kernel";
                        Err(EncodeError::new(inst.op, field, to.0, allowed).at(index))
                    }
                },
                other => Ok(other),
            };
            let mut placed = without_marks(inst);
            if let Payload::Branch { jip, uip, .. } = &mut placed.payload {
                *jip = resolve(*jip, "JIP")?;
                *uip = resolve(*uip, "UIP")?;
            }
            let word = encode(kernel.platform, &placed).map_err(|e| e.at(index))?;
            debug_assert_eq!(low_u64(word) & CMPT_CTRL, 0);
            self.bytes[as_index(here)..][..16].copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The code, leaving the buffer empty.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Byte offset of every instruction, in layout order.
    pub fn inst_offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Instructions that compute nothing: `nop`, `illegal` and `sync`.
    pub fn padding(&self) -> u32 {
        self.padding
    }

    /// Byte offset of every block, and the length of the code after the last.
    pub fn block_offsets(&self) -> &[u32] {
        &self.blocks
    }
}

/// The instruction without options that no word has.
fn without_marks(inst: &Inst<Physical>) -> Inst<Physical> {
    Inst { opts: inst.opts.without(Options::NO_COMPACT), ..*inst }
}

fn has_block_target(inst: &Inst<Physical>) -> bool {
    inst.targets()
        .is_some_and(|(jip, uip)| matches!(jip, Target::Block(_)) || matches!(uip, Target::Block(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_all;
    use gen_ir::{Block, BlockId, Dst, ExecSize, FlagSub, GrfNum, Pred, PredCtrl, Reg, Src, Type};
    use platforms::{Layout, Platform};

    fn add() -> Inst<Physical> {
        let mut inst = Inst::new(Op::Add, ExecSize::S8);
        inst.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::F);
        let region = gen_ir::Region::new(8, 8, 1);
        inst.src[0] = Src::new(Reg::grf(GrfNum::new(11), 0), region, Type::F);
        inst.src[1] = Src::new(Reg::grf(GrfNum::new(12), 0), region, Type::F);
        inst
    }

    fn branch(op: Op, jip: u32, uip: Option<u32>) -> Inst<Physical> {
        let mut inst = Inst::new(op, ExecSize::S8);
        let to = |b| Target::Block(BlockId(b));
        inst.payload = Payload::Branch { jip: to(jip), uip: uip.map_or(Target::None, to), ctrl: false };
        let flag = Reg::flag(FlagSub::F0);
        inst.pred = (op == Op::While).then_some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
        inst
    }

    /// `0: add; if -> 2   1: add; add   2: endif -> 3   3: while -> 0   4: nop`
    fn kernel(platform: Platform) -> Kernel<Physical> {
        let mut kernel = Kernel::new("k", platform);
        let blocks = [
            vec![add(), branch(Op::If, 2, Some(2))],
            vec![add(), add()],
            vec![branch(Op::Endif, 3, None)],
            vec![branch(Op::While, 0, None)],
            vec![Inst::new(Op::Nop, ExecSize::S1)],
        ];
        kernel.blocks = blocks.into_iter().map(|insts| Block { insts, succs: Default::default() }).collect();
        kernel
    }

    #[test]
    fn branches_reach_their_blocks_with_and_without_compaction() {
        for platform in Platform::ALL.into_iter().filter(|p| p.caps().words.layout() == Layout::Gen8) {
            for compact in [false, true] {
                let kernel = kernel(platform);
                let mut buffer = CodeBuffer::new();
                buffer.emit(&kernel, CodeOptions { compact }).unwrap();
                let blocks = buffer.block_offsets().to_vec();
                assert_eq!(blocks.len(), 6);
                assert_eq!(blocks[1], if compact { 24 } else { 32 }, "{platform}");
                let decoded: Vec<_> = decode_all(platform, buffer.bytes()).collect();
                let places: Vec<u32> = decoded.iter().map(|d| d.offset).collect();
                assert_eq!(places, buffer.inst_offsets());
                let mut reached = Vec::new();
                for d in &decoded {
                    if let Some((jip, uip)) = d.inst.unwrap().targets() {
                        for target in [jip, uip] {
                            if let Target::Rel(bytes) = target {
                                reached.push(d.offset.wrapping_add_signed(bytes));
                            }
                        }
                    }
                }
                assert_eq!(reached, [blocks[2], blocks[2], blocks[3], blocks[0]], "{platform}");
            }
        }
    }

    #[test]
    fn a_buffer_is_reused_and_gives_equal_bytes() {
        let mut buffer = CodeBuffer::new();
        buffer.emit(&kernel(Platform::Skl), CodeOptions::default()).unwrap();
        let first = buffer.bytes().to_vec();
        buffer.emit(&kernel(Platform::Icllp), CodeOptions { compact: false }).unwrap();
        buffer.emit(&kernel(Platform::Skl), CodeOptions::default()).unwrap();
        assert_eq!(buffer.bytes(), first);
        assert_eq!((buffer.inst_offsets().len(), buffer.block_offsets().len(), buffer.padding()), (7, 6, 1));
        assert_eq!(buffer.take_bytes(), first);
        assert!(buffer.bytes().is_empty());
    }

    #[test]
    fn an_instruction_can_ask_for_its_form() {
        let mut kernel = kernel(Platform::Skl);
        let mut length = |opts, compact| {
            kernel.blocks[1].insts[0].opts = opts;
            let mut buffer = CodeBuffer::new();
            buffer.emit(&kernel, CodeOptions { compact }).unwrap();
            buffer.inst_offsets()[3] - buffer.inst_offsets()[2]
        };
        let (yes, no) = (Options::COMPACTED, Options::NO_COMPACT);
        let lengths = [Options::NONE, yes, no].map(|opts| [length(opts, true), length(opts, false)]);
        assert_eq!(lengths, [[8, 16], [8, 8], [16, 16]]);
    }

    /// Where lanes meet can be given in bytes, and the other target by its block.
    #[test]
    fn either_target_can_be_a_block() {
        let mut kernel = kernel(Platform::Skl);
        let to = |jip, uip| Payload::Branch { jip, uip, ctrl: false };
        kernel.blocks[0].insts[1].payload = to(Target::Rel(32), Target::Block(BlockId(2)));
        let mut buffer = CodeBuffer::new();
        buffer.emit(&kernel, CodeOptions { compact: false }).unwrap();
        let found = decode_all(Platform::Skl, buffer.bytes()).nth(1).unwrap().inst.unwrap();
        assert_eq!(found.payload, to(Target::Rel(32), Target::Rel(48)));
    }

    #[test]
    fn faults_name_the_instruction() {
        let mut bad = kernel(Platform::Skl);
        bad.blocks[3].insts[0] = branch(Op::While, 9, None);
        let e = CodeBuffer::new().emit(&bad, CodeOptions::default()).unwrap_err();
        assert_eq!((e.index, e.op, e.field), (5, Op::While, "JIP"));
        let mut bad = kernel(Platform::Skl);
        bad.blocks[1].insts[1].src[1] = Src::Imm { bits: 1, ty: Type::Ub };
        let e = CodeBuffer::new().emit(&bad, CodeOptions::default()).unwrap_err();
        assert_eq!((e.index, e.op, e.field), (3, Op::Add, "Src1DataType"));
    }
}

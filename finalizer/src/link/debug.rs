//! Debug information as runtimes of Intel's compilers read it, the file `.dbg` of Intel's finalizer: where the code of
//! each vISA instruction begins, subroutines, frames. Source of the form: `emitData` of `visa/DebugInfo.cpp` in
//! intel-graphics-compiler, and what the release of 2023 writes, which has no record of `ce0` and 16 bits for the number
//! of registers that a caller saves (later ones: 32).
//!
//! All numbers are little-endian:
//!
//! | what | form |
//! |---|---|
//! | `0xdeadd010`, number of routines: the kernel, then its functions | u32, u16 |
//! | name, as everywhere: length and bytes | u16, bytes |
//! | where the routine begins in the code; all places of it count from there | u32 |
//! | offset in the object, place: of text none, and none here | u32, pairs of u32 |
//! | number of the vISA instruction, place, in the order of the code; last what follows the highest, and the end | u32, pairs of u32 |
//! | variables: name, number of places | u32, (name, u16, places) |
//! | a place: first and last instruction, file of the variable and of the place (2: general registers) | u16, u16, u8, u8 |
//! | register and byte in it | u16, u16 |
//! | subroutines: name, first and last instruction, places of the return address | u16, (name, u32, u32, u16) |
//! | bytes of the frame; no frame pointer, caller's frame pointer, return address | u16, 3 times u8 |
//! | registers that the callee and the caller save | u16, u16 |
//!
//! A place is told where it holds what the variable has before the instruction, which is not everywhere: see `places`.
//! Numbers of instructions have 16 bits there, so what comes behind has no places.

use gen_ir::{Inst, Kernel, Physical};
use narrow::{as_index, to_index};
use visa::Opcode;

use super::places::VariablePlace;

const MAGIC: u32 = 0xdead_d010;

/// A kernel or function of a binary.
pub(crate) struct DebugRoutine<'a> {
    pub source: &'a visa::Kernel,
    /// The numbers of its instructions in the code, from and to.
    pub insts: (usize, usize),
    /// Bytes of its frame in scratch memory.
    pub frame: u32,
    /// Where its variables are.
    pub places: &'a [VariablePlace],
}

/// General registers, as the file of a variable and as that of a place.
const GENERAL: u8 = 2;

/// The file. `offsets` says where the instructions of the code begin, which has `end` bytes.
pub(crate) fn write(
    code: &Kernel<Physical>,
    parts: &[DebugRoutine<'_>],
    offsets: &[u32],
    end: u32,
) -> Vec<u8> {
    let mut out = DebugFile(Vec::new());
    out.u32(MAGIC);
    out.u16(parts.len());
    let firsts = firsts(code);
    for part in parts {
        let place = |inst: usize| offsets.get(inst).copied().unwrap_or(end);
        let start = place(part.insts.0);
        out.name(&part.source.name());
        out.u32(start);
        out.u32(0);
        let of_part = firsts.iter().filter(|f| (part.insts.0..part.insts.1).contains(&f.0));
        let map: Vec<(u32, u32)> = of_part.map(|&(inst, origin)| (origin, place(inst) - start)).collect();
        let behind = map.iter().map(|m| m.0).max().map_or(0, |n| n + 1);
        out.u32(to_index(map.len()) + 1);
        for (origin, at) in map.into_iter().chain([(behind, place(part.insts.1) - start)]) {
            out.u32(origin);
            out.u32(at);
        }
        let grf_bytes = code.platform.caps().regs.grf_bytes;
        out.variables(part.source, part.places, grf_bytes.into());
        out.subroutines(part.source);
        out.u16(as_index(part.frame));
        out.bytes(&[0; 3]);
        out.u16(0);
        out.u16(0);
    }
    out.0
}

/// Where the code of a vISA instruction begins, or goes on behind another's: numbers of Gen and vISA instructions. Each
/// block begins anew.
fn firsts(code: &Kernel<Physical>) -> Vec<(usize, u32)> {
    let mut firsts = Vec::new();
    let mut number = 0;
    for block in &code.blocks {
        let mut before = Inst::<Physical>::NO_ORIGIN;
        for inst in &block.insts {
            if inst.origin != Inst::<Physical>::NO_ORIGIN && inst.origin != before {
                firsts.push((number, inst.origin));
                before = inst.origin;
            }
            number += 1;
        }
    }
    firsts
}

struct DebugFile(Vec<u8>);

impl DebugFile {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn u32(&mut self, n: u32) {
        self.bytes(&n.to_le_bytes());
    }

    /// A number of 16 bits; larger ones become the largest.
    fn u16(&mut self, n: usize) {
        self.bytes(&u16::try_from(n).unwrap_or(u16::MAX).to_le_bytes());
    }

    fn name(&mut self, name: &str) {
        let bytes = &name.as_bytes()[..name.len().min(u16::MAX.into())];
        self.u16(bytes.len());
        self.bytes(bytes);
    }

    /// Declared variables by the letters and numbers of the text, and where they are.
    fn variables(&mut self, source: &visa::Kernel, places: &[VariablePlace], grf_bytes: u32) {
        let counts = [source.addrs.len(), source.preds.len(), source.surfaces.len(), source.samplers.len()];
        self.u32(to_index(source.vars.len() + counts.iter().sum::<usize>()));
        for i in 0..source.vars.len() {
            let id = visa::VarId::from_declared(i);
            self.name(&format!("V{}", id.index()));
            let (root, offset) = source.resolve_alias(id);
            let root = root.declared().map(to_index);
            let place = places.iter().find(|p| Some(p.root) == root);
            self.places(place.map_or(&[], |p| &p.ranges), place.map_or(0, |p| p.at + offset), grf_bytes);
        }
        let addresses = (0..source.addrs.len()).map(|i| format!("A{i}"));
        let predicates = (0..source.preds.len()).map(|i| format!("P{}", i + 1));
        let surfaces =
            (0..source.surfaces.len()).map(|i| format!("T{}", visa::SurfaceId::from_declared(i).0));
        let samplers = (0..source.samplers.len()).map(|i| format!("S{i}"));
        for name in addresses.chain(predicates).chain(surfaces).chain(samplers) {
            self.name(&name);
            self.u16(0);
        }
    }

    /// A place in general registers, for ranges of instructions.
    fn places(&mut self, ranges: &[(u32, u32)], at: u32, grf_bytes: u32) {
        let told = ranges.iter().filter_map(|&(first, last)| {
            Some((u16::try_from(first).ok()?, u16::try_from(last).unwrap_or(u16::MAX)))
        });
        let told: Vec<(u16, u16)> = told.take(u16::MAX.into()).collect();
        self.u16(told.len());
        for (first, last) in told {
            self.u16(first.into());
            self.u16(last.into());
            self.bytes(&[GENERAL, GENERAL]);
            self.u16(as_index(at / grf_bytes));
            self.u16(as_index(at % grf_bytes));
        }
    }

    /// The subroutines that are called, from their labels to the last `ret` before the next one.
    fn subroutines(&mut self, source: &visa::Kernel) {
        let op = |number: usize| source.try_inst(number).ok().map(|inst| inst.op);
        let mut called = vec![false; source.labels.len()];
        let mut found: Vec<(visa::LabelId, usize, usize)> = Vec::new();
        for (number, record) in source.code.iter().enumerate() {
            match record.opcode {
                Opcode::Call => {
                    if let Some(visa::Op::Call(label)) = op(number)
                        && let Some(called) = called.get_mut(label.index())
                    {
                        *called = true;
                    }
                }
                Opcode::Subroutine => {
                    if let Some(visa::Op::Subroutine(label)) = op(number) {
                        found.push((label, number, number));
                    }
                }
                Opcode::Ret => {
                    if let Some(last) = found.last_mut() {
                        last.2 = number;
                    }
                }
                _ => {}
            }
        }
        found.retain(|(label, ..)| called.get(label.index()) == Some(&true));
        self.u16(found.len());
        for (label, first, last) in found {
            self.name(&source.str(source.labels[label.index()].name));
            self.u32(to_index(first));
            self.u32(to_index(last));
            self.u16(0);
        }
    }
}

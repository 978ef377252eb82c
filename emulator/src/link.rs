//! Linking: symbols of a program and the places in code that wait for their addresses.
//!
//! A compiled program ([`zebin::Program`]) has code of each kernel, constants, variables and relocations. Its
//! functions that are called by address stand in the code of a "kernel" of their own. [`Loaded::new`]
//! puts the data into memory, as a runtime does, and [`Loaded::link`] writes the addresses into code.
//!
//! Code is placed from address 0 on, which is what the instruction pointer counts from: first the
//! kernel, then whatever code holds functions it refers to.

use crate::{Error, memory::Memory};
use narrow::{as_index, to_index};
use std::collections::BTreeMap;
use zebin::{Part, Program, Relocation, Unit};

fn bad(what: impl std::fmt::Display) -> Error {
    Error::Link(what.to_string())
}

/// A program whose data are in memory.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    units: Vec<(String, Unit)>,
    symbols: BTreeMap<String, u64>,
}

impl Loaded {
    /// Puts the data of a program into memory, one buffer a section.
    pub fn new(program: &Program, memory: &mut Memory) -> Result<Loaded, Error> {
        let mut loaded = Loaded { units: program.units.clone(), symbols: BTreeMap::new() };
        let mut buffers = Vec::new();
        for data in &program.data {
            let buffer = memory.add(data.name.clone(), data.bytes.clone());
            let base = memory.address(buffer);
            for (name, offset) in &data.symbols {
                loaded.symbols.insert(name.clone(), base + u64::from(*offset));
            }
            buffers.push(buffer);
        }
        for (data, buffer) in program.data.iter().zip(buffers) {
            let address = |name: &str| loaded.symbols.get(name).copied();
            patch(memory.bytes_mut(buffer), 0, &data.relocations, address)?;
        }
        Ok(loaded)
    }

    /// The code of a kernel.
    pub fn unit(&self, kernel: &str) -> Option<&Unit> {
        self.units.iter().find(|(name, _)| name == kernel).map(|(_, unit)| unit)
    }

    /// The address of a constant or variable of the program.
    pub fn address(&self, symbol: &str) -> Option<u64> {
        self.symbols.get(symbol).copied()
    }

    /// A unit with its addresses filled in, followed by the units of `others` (and then of the program)
    /// that hold functions it needs.
    pub fn link(&self, unit: &Unit, others: &[Unit]) -> Result<Vec<u8>, Error> {
        let program = self.units.iter().map(|(_, u)| u);
        let known: Vec<&Unit> = others.iter().chain(program).collect();
        let mut placed = vec![(0u32, unit)];
        let mut code = unit.code.clone();
        // Functions inside the unit itself are the nearest.
        let own = unit.functions.iter().map(|(name, offset)| (name.as_str(), u64::from(*offset)));
        let mut functions: BTreeMap<&str, u64> = own.collect();
        let mut at = 0;
        while let Some((_, u)) = placed.get(at) {
            at += 1;
            for r in &u.relocations {
                if self.symbols.contains_key(&r.symbol) || functions.contains_key(r.symbol.as_str()) {
                    continue;
                }
                let holds = |u: &&&Unit| u.functions.iter().any(|(name, _)| *name == r.symbol);
                let Some(&holder) = known.iter().find(holds) else {
                    return Err(bad(format!("nothing defines the symbol {}", r.symbol)));
                };
                pad(&mut code);
                let base = to_index(code.len());
                code.extend_from_slice(&holder.code);
                for (name, offset) in &holder.functions {
                    functions.entry(name).or_insert(u64::from(base + offset));
                }
                placed.push((base, holder));
            }
        }
        for (base, u) in placed {
            let address =
                |name: &str| self.symbols.get(name).copied().or_else(|| functions.get(name).copied());
            patch(&mut code, base, &u.relocations, address)?;
        }
        Ok(code)
    }
}

/// Fills code up to the next 64 bytes, with words of 8 bytes: zeros read as words of 16 bytes, and code whose
/// length is 8 more than a multiple of that would have the last one reach into what follows.
fn pad(code: &mut Vec<u8>) {
    while !code.len().is_multiple_of(64) {
        code.extend_from_slice(&encoder::CMPT_CTRL.to_le_bytes());
    }
}

fn patch(
    bytes: &mut [u8],
    base: u32,
    relocations: &[Relocation],
    address: impl Fn(&str) -> Option<u64>,
) -> Result<(), Error> {
    for r in relocations {
        let Some(value) = address(&r.symbol) else {
            return Err(bad(format!("nothing defines the symbol {}", r.symbol)));
        };
        let value = if r.part == Part::High { value >> 32 } else { value };
        let at = as_index(base) + as_index(r.offset);
        let n = r.part.bytes();
        let Some(place) = bytes.get_mut(at..at + n) else {
            return Err(bad(format!("a relocation at {:#x}, past the end", r.offset)));
        };
        place.copy_from_slice(&value.to_le_bytes()[..n]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zebin::Data;

    fn unit(len: usize, relocations: &[(&str, Part, u32)], functions: &[(&str, u32)]) -> Unit {
        Unit {
            code: vec![0; len],
            relocations: relocations
                .iter()
                .map(|&(symbol, part, offset)| Relocation { symbol: symbol.into(), part, offset })
                .collect(),
            functions: functions.iter().map(|&(name, at)| (name.into(), at)).collect(),
        }
    }

    #[test]
    fn addresses_of_data_and_functions_are_filled_in() {
        let program = Program {
            units: vec![("functions".into(), unit(32, &[("table", Part::Low, 12)], &[("f", 16)]))],
            data: vec![Data {
                name: ".data.const".into(),
                bytes: vec![0; 24],
                relocations: vec![Relocation { symbol: "x".into(), part: Part::Whole, offset: 8 }],
                symbols: vec![("table".into(), 0), ("x".into(), 16)],
            }],
            ze_info: String::new(),
        };
        let mut memory = Memory::new();
        let loaded = Loaded::new(&program, &mut memory).unwrap();
        let (buffer, _, bytes) = memory.buffers().next().unwrap();
        let base = memory.address(buffer);
        assert_eq!(bytes[8..16], (base + 16).to_le_bytes());
        let kernel = unit(48, &[("f", Part::Whole, 8), ("x", Part::Low, 28), ("x", Part::High, 44)], &[]);
        let code = loaded.link(&kernel, &[]).unwrap();
        assert_eq!(code.len(), 64 + 32);
        assert_eq!(code[8..16], 80u64.to_le_bytes());
        assert_eq!(code[28..32], ((base + 16) as u32).to_le_bytes());
        assert_eq!(code[44..48], (((base + 16) >> 32) as u32).to_le_bytes());
        assert_eq!(code[64 + 12..64 + 16], (base as u32).to_le_bytes());
        let error = loaded.link(&unit(16, &[("nowhere", Part::Low, 0)], &[]), &[]).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
        assert!(loaded.link(&unit(4, &[("x", Part::Whole, 0)], &[]), &[]).is_err());
    }

    /// Zeros decode in pairs of 8 bytes, and would take the first half of the function's first instruction.
    #[test]
    fn padding_ends_where_the_next_code_begins() {
        use gen_ir::{ExecSize, GrfNum, Inst, Op};
        let mut mov = Inst::new(Op::Mov, ExecSize::S1);
        mov.dst = gen_ir::Dst::packed(gen_ir::Reg::grf(GrfNum::new(1), 0), gen_ir::Type::Ud);
        mov.src[0] = gen_ir::Src::ud(1);
        let word = encoder::encode(platforms::Platform::Skl, &mov).unwrap().to_le_bytes();
        let functions = Unit { code: word.to_vec(), relocations: vec![], functions: vec![("f".into(), 0)] };
        let mut kernel = unit(0, &[("f", Part::Low, 12)], &[]);
        kernel.code = [&word[..], &encoder::CMPT_CTRL.to_le_bytes()].concat();
        let code = Loaded::default().link(&kernel, &[functions]).unwrap();
        let last = encoder::decode_all(platforms::Platform::Skl, &code).last().unwrap();
        assert_eq!((last.offset, last.inst.unwrap().op), (64, Op::Mov));
    }
}

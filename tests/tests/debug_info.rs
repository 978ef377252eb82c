//! Debug information and free registers of our code, held against the code itself.

use std::collections::BTreeSet;

use encoder::decode_all;
use finalizer::{Binary, Finalizer, Options};
use gen_ir::{Base, Role};
use platforms::Platform;
use tests::{data, dbg, texts};

/// Every sixth test kernel, with its functions.
fn each(mut check: impl FnMut(&str, &visa::Module, &Binary)) -> usize {
    let mut kernels = 0;
    for platform in Platform::ALL {
        let options =
            Options { origins: true, debug_info: true, free_registers: true, ..Options::new(platform) };
        let mut finalizer = Finalizer::new(options);
        for kernel in data::kernels(platform).iter().step_by(6) {
            let read = texts::options(platform);
            let mut module = visa::text::parse(&kernel.visaasm, read).expect("a test kernel");
            for function in &kernel.functions {
                module.link(visa::text::parse(function, read).expect("a function"));
            }
            let Ok(binary) = finalizer.finalize_kernel(&module, 0) else { continue };
            check(&format!("{platform} {}", kernel.id()), &module, &binary);
            kernels += 1;
        }
    }
    kernels
}

#[test]
fn places_are_those_of_the_code() {
    let mut functions = 0;
    let kernels = each(|id, module, binary| {
        let routines = dbg::read(&binary.debug_info).expect("a file that is read to its end");
        let words: Vec<_> = decode_all(binary.info.platform, &binary.code).collect();
        let names: Vec<&str> = binary.symbols.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(routines.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), names, "{id}");
        for (routine, symbol) in routines.iter().zip(&binary.symbols) {
            assert_eq!(routine.start, symbol.offset, "{id}");
            let (&(behind, end), map) = routine.insts.split_last().expect("an end");
            assert_eq!(end, symbol.size, "{id}");
            let of_routine = |offset: u32| (symbol.offset..symbol.offset + symbol.size).contains(&offset);
            let mut numbers = BTreeSet::new();
            for (word, origin) in words.iter().zip(&binary.origins).filter(|(w, _)| of_routine(w.offset)) {
                // What goes on from before is not named again.
                let named = map.iter().find(|m| m.1 + symbol.offset == word.offset);
                if let Some(&(number, _)) = named {
                    assert_eq!(Some(number), origin.instruction, "{id}: {:#x}", word.offset);
                }
                numbers.extend(origin.instruction);
            }
            let named: BTreeSet<u32> = map.iter().map(|m| m.0).collect();
            assert_eq!(named, numbers, "{id}: every instruction that has code");
            assert_eq!(behind, named.last().map_or(0, |n| n + 1), "{id}");
            assert!(map.iter().all(|m| words.iter().any(|w| w.offset == m.1 + symbol.offset)), "{id}");
        }
        let source = &module.kernels[0];
        for (name, first, last) in &routines[0].subroutines {
            let at = |n: u32| source.code[n as usize].opcode;
            assert_eq!((at(*first), at(*last)), (visa::Opcode::Subroutine, visa::Opcode::Ret), "{id} {name}");
        }
        functions += routines.len() - 1;
    });
    println!("{kernels} kernels, {functions} functions");
    assert!(kernels > 150 && functions > 0, "{kernels} kernels, {functions} functions");
}

/// What is free is named by no operand of the code, and every other byte is, unless operands have addresses.
#[test]
fn free_registers_are_named_by_no_operand() {
    let mut some = 0;
    let kernels = each(|id, _, binary| {
        let grf = u32::from(binary.info.platform.caps().regs.grf_bytes);
        let mut named = vec![false; usize::from(binary.info.grf_count) * grf as usize];
        named[..grf as usize].fill(true);
        let mut indirect = false;
        for inst in decode_all(binary.info.platform, &binary.code).filter_map(|w| w.inst.ok()) {
            inst.for_each_reg(|role, reg| {
                indirect |= matches!(role, Role::SrcAddr(_) | Role::DstAddr);
                if let (Base::Grf(n), Some(extent)) = (reg.base(), inst.extent(role, grf)) {
                    let bytes = extent.in_file(n, grf);
                    let end = named.len().min(bytes.end as usize);
                    named[bytes.start as usize..end].fill(true);
                }
            });
        }
        let free = binary.free_registers.as_ref().expect("asked for");
        let mut count = 0;
        for &(at, bytes) in free {
            let range = usize::from(at)..usize::from(at) + usize::from(bytes);
            assert!(!named[range].contains(&true), "{id}: {at} {bytes}");
            count += usize::from(bytes);
        }
        if !indirect && binary.relocations.is_empty() {
            assert_eq!(count, named.iter().filter(|n| !**n).count(), "{id}");
            some += 1;
        }
    });
    println!("{some} of {kernels} kernels without addresses");
    assert!(some > 100, "{some} of {kernels}");
}

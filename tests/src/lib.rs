//! Test data and reference tools that the checks of all crates share.
//!
//! - [`arithmetic`]: every arithmetic instruction, type by type, over the edges of its types.
//! - [`asked`]: vISA that asks Intel's finalizer for one instruction form each.
//! - [`blocks`]: blocks and edges of machine code.
//! - [`c_programs`]: building programs in C and C++, and the objects they are run on.
//! - [`data`]: the test kernels of `tests/kernels`, compiled by Intel's compiler for every device.
//! - [`dependencies`]: what code fails to wait for, by the rules of Intel's assembler.
//! - [`mod@dbg`]: a reader of `.dbg` files.
//! - [`iga`]: our listing and assembler against the reference tool's.
//! - [`differential`]: our code beside Intel's on the emulator, over the [`launches`] of every kernel.
//! - [`expected`]: what each test kernel has to compute, in Rust, and how the tools compare with it.
//! - [`faults`]: faults planted in code, and whether the emulator sees them.
//! - [`foreign`]: kernels of foreign objects, launched beside the vISA interpreter.
//! - [`forms`]: instruction forms, ours beside those of Intel's code.
//! - [`fuzz`]: what fuzz targets do with their bytes; [`mutate`]: how inputs are damaged.
//! - [`interpreted`]: our code beside the vISA interpreter.
//! - [`golden`]: samples of Intel's listings, bytes beside text.
//! - [`messages`]: our messages beside those of Intel's finalizer, for every form of every message instruction.
//! - [`needs`]: checks that count as ignored where something is not installed.
//! - [`oracle`]: Intel's own assembler, disassembler and finalizer, where they are installed.
//! - [`programs`]: kernels of a folder, real programs and foreign objects, with Intel's code.
//! - [`random`]: random instructions, built from the opcode tables.
//! - [`replay`]: random kernels before and after register allocation, lane by lane.
//! - [`texts`]: vISA assembly through reader, printer, writer, verifier and finalizer.
//! - [`unread`]: words with something in bits that nobody reads.
//! - [`validate`]: compiled programs with our code before the driver's own validator.
//! - [`variants`]: valid variants of real kernels, for the interpreter and our code.
//! - [`visa_random`]: random vISA programs, for the interpreter and our code.
//! - [`words`]: machine code as words, and the way of a word to Gen IR and back.
//!
//! [`on_each_platform`] is a test for each platform that kernels are compiled for.
//!
//! Only tests use this crate: its functions panic, with the place, when the committed data is damaged.

pub mod arithmetic;
pub mod asked;
pub mod blocks;
pub mod c_programs;
pub mod compressed;
pub mod coverage;
pub mod data;
pub mod dbg;
pub mod dependencies;
pub mod differential;
pub mod expected;
pub mod faults;
pub mod foreign;
pub mod forms;
pub mod fuzz;
pub mod golden;
pub mod iga;
pub mod impossible;
pub mod interpreted;
pub mod launches;
pub mod mesa;
pub mod messages;
pub mod mutate;
pub mod needs;
pub mod opcodes;
pub mod oracle;
pub mod others;
pub mod programs;
pub mod random;
pub mod replay;
pub mod rules;
pub mod splitmix;
pub mod texts;
pub mod unread;
pub mod validate;
pub mod variants;
pub mod visa_random;
pub mod words;

/// A test for each platform, so that they run side by side; it does nothing on those that kernels are not compiled for.
#[macro_export]
macro_rules! on_each_platform {
    ($run:path) => {
        fn on_device(platform: platforms::Platform) {
            if platform.with_kernels() == platform {
                $run(platform);
            }
        }

        platforms::test_on_each!(on_device);
    };
}

//! The command line, as data.

mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use platforms::Platform;

use values::{device, isa_version, offsets, optional_passes, passes, platform, rule, setting, sizes};

const EXIT_STATUS: &str = "\
Exit status: 0 done; 1 an input was refused, or what ran on the emulator broke a rule; 2 wrong usage. \
That of diff: 0 equal, 1 different, 2 a fault.";

/// vISA in, native Intel Gen machine code out.
#[derive(Parser, Debug)]
#[command(
    name = "visa-finalize",
    version = env!("VISA_FINALIZE_VERSION"),
    after_help = EXIT_STATUS,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub color: colorchoice_clap::Color,
    #[command(flatten)]
    pub finalize: FinalizeArgs,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Disassemble raw Gen code, or the code embedded in a vISA object.
    Disasm(DisasmArgs),
    /// Assemble a Gen listing into raw code.
    Asm(AsmArgs),
    /// Run a kernel on the emulator.
    Run(RunArgs),
    /// Run an OpenCL program on Intel's driver without a GPU: its kernels run on the emulator, which says what it found.
    Gpu(GpuArgs),
    /// Compare two codes: figures, and aligned listings. The exit status is that of `diff`: 0 equal, 1 different,
    /// 2 a fault.
    Diff(DiffArgs),
    /// Show what files hold: kernels, inputs and their places, attributes, code.
    Info(InfoArgs),
    /// Take the machine code out of an object.
    Strip(StripArgs),
    /// Write the machine code that an object or a compiled program carries to files.
    Extract(ExtractArgs),
    /// Print the completions of this command for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of this command and its subcommands.
    Manual {
        /// The directory that they go to.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// Finalize vISA objects and vISA assembly.
#[derive(Args, Debug)]
pub struct FinalizeArgs {
    /// vISA objects (.isa), vISA assembly (.visaasm) or compiled programs with vISA in them (zebins); directories, which are searched for those; patterns such
    /// as `kernels/*.isa`; `-` for standard input.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Platforms to write code for.
    #[arg(short, long, value_delimiter = ',', value_name = "P[,P...]", ignore_case = true, value_parser = platform())]
    pub platform: Vec<Platform>,
    /// Where the result goes: a file, `-` for standard output, or a directory (which is made if the path ends with
    /// `/`). Beside the input if absent; standard output for standard input.
    #[arg(short, long, value_name = "PATH", conflicts_with = "in_place")]
    pub output: Option<PathBuf>,
    /// Replace the input object.
    #[arg(long)]
    pub in_place: bool,
    /// Drop the code that the input object carries already; else it stays beside the new code.
    #[arg(long)]
    pub drop_embedded: bool,
    /// What to write; `isa` if absent, with `--report` and no place for it nothing else.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "EMIT")]
    pub emit: Vec<Emit>,
    /// Write a page about the kernels, to look at in a browser: vISA beside the code, registers, waits, messages.
    #[arg(long, value_name = "PAGE.html")]
    pub report: Option<PathBuf>,
    /// Show on that page another code of the same kernels: `intel` for the code that the input carries, or a file
    /// (an object or program with code, raw code, a listing).
    #[arg(long, value_name = "intel|FILE", requires = "report")]
    pub beside: Option<PathBuf>,
    /// Only this kernel; may be given several times.
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Version of the objects that are written, as `3.6`; that of the input if absent.
    #[arg(long, value_name = "M.N", value_parser = isa_version)]
    pub isa_version: Option<visa::Version>,
    /// Take a broken rule of the specification for a warning; may be given several times.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub allow: Vec<visa::Rule>,
    /// Refuse whatever breaks a rule of the specification: warnings are errors.
    #[arg(long, conflicts_with = "allow")]
    pub strict: bool,
    /// Print per kernel what was made of it and how long each pass took.
    #[arg(long)]
    pub stats: bool,
    /// Print the kernel after these passes, or why there is nothing to print.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes())]
    pub print_after: Vec<String>,
    /// Optimization: 0 for the shortest compile time, 1 without the scheduler, 2 everything.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2")]
    pub level: finalizer::Level,
    /// General registers of a thread, where the platform has more than one size of register file; `auto` takes the
    /// most where that makes a kernel spill less. If absent, what the kernel's attribute `NumGRF` or the compiled program
    /// says.
    #[arg(long, value_name = "N|auto")]
    pub grf: Option<finalizer::Grf>,
    /// General registers at the end of the file that no variable is given.
    #[arg(long, value_name = "N", default_value = "0")]
    pub reserve: u16,
    /// Whether threads run as pairs, on Tiger Lake and its like; `auto`: all but those of Cm kernels in vISA objects, which
    /// the media driver starts one by one.
    #[arg(long, value_name = "auto|always|never", default_value = "auto")]
    pub pairs: finalizer::ThreadPairs,
    /// Set an option that has a name in the libraries; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Leave these passes out; may be given several times.
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = optional_passes())]
    pub skip_pass: Vec<String>,
    /// Leave instructions at their full 16 bytes.
    #[arg(long)]
    pub no_compaction: bool,
    /// Check the code after every pass and prove the register allocation.
    #[arg(long)]
    pub verify: bool,
    /// How faults are printed.
    #[arg(long, value_enum, default_value = "human")]
    pub message_format: MessageFormat,
    /// Say nothing of what was written; faults and warnings are still told.
    #[arg(short, long)]
    pub quiet: bool,
    /// Inputs that are worked on at the same time; as many as there are cores if absent.
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,
    /// Write what could be made of an input although some of its kernels were refused; the exit status is still 1.
    #[arg(long)]
    pub keep_going: bool,
}

impl FinalizeArgs {
    /// What is written, the page aside.
    pub fn emits(&self) -> &[Emit] {
        let is_asked_for = self.report.is_none() || self.output.is_some() || self.in_place;
        if self.emit.is_empty() && is_asked_for { &[Emit::Isa] } else { &self.emit }
    }

    /// Whether text and objects become each other without being finalized, as far as the results show.
    pub fn only_translates(&self) -> bool {
        self.report.is_none() && self.emits().iter().all(|e| matches!(e, Emit::Visaasm | Emit::Object))
    }
}

/// Forms of the result.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Emit {
    /// The input object with the code in it, `STEM.gen.isa`; of a compiled program, the program: `STEM.gen.bin`
    Isa,
    /// Raw code, one file a kernel and platform.
    Dat,
    /// IGA listing, one file a kernel and platform.
    Asm,
    /// IGA JSON 2.0, one file a kernel and platform.
    Json,
    /// Debug information in the form of Intel's finalizer, one file a kernel and platform.
    Dbg,
    /// vISA assembly of the input.
    Visaasm,
    /// The input as a vISA object without new code: `STEM.isa`
    Object,
}

impl Emit {
    /// The file name's ending.
    pub fn extension(self) -> &'static str {
        match self {
            Emit::Isa => "gen.isa",
            Emit::Dat => "dat",
            Emit::Asm => "asm",
            Emit::Json => "json",
            Emit::Dbg => "dbg",
            Emit::Visaasm => "visaasm",
            Emit::Object => "isa",
        }
    }
}

/// How faults are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// Arguments of `disasm`.
#[derive(Args, Debug)]
pub struct DisasmArgs {
    /// Raw Gen code, or a vISA object with code in it.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The platform of the code.
    #[arg(short, long, ignore_case = true, value_parser = platform())]
    pub platform: Platform,
    /// Text form.
    #[arg(long, value_enum, default_value = "asm")]
    pub emit: DisasmEmit,
    /// Where the text goes; standard output if absent.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Only this kernel of an object.
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Vec<String>,
}

/// Forms of a disassembly.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisasmEmit {
    /// IGA listing.
    Asm,
    /// IGA JSON 2.0.
    Json,
}

/// Arguments of `asm`.
#[derive(Args, Debug)]
pub struct AsmArgs {
    /// A Gen listing.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The platform to encode for.
    #[arg(short, long, ignore_case = true, value_parser = platform())]
    pub platform: Platform,
    /// Where the code goes.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Compact instructions that are not marked either way.
    #[arg(long)]
    pub auto_compact: bool,
    /// How faults are printed.
    #[arg(long, value_enum, default_value = "human")]
    pub message_format: MessageFormat,
}

/// Arguments of `diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// Two files of any kind: objects and programs with code, raw code, listings; vISA without code of the platform
    /// is finalized.
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    pub inputs: Vec<PathBuf>,
    /// The platform of the code.
    #[arg(short, long, ignore_case = true, value_parser = platform())]
    pub platform: Platform,
    /// Compare what becomes of one file here with the code that it carries.
    #[arg(long)]
    pub embedded: bool,
    /// General registers of a thread in what is finalized, a number or `auto`; what the kernel says, if absent.
    #[arg(long, value_name = "N|auto")]
    pub grf: Option<finalizer::Grf>,
    /// Only these kernels.
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Do not compare which general registers operands are in, only where in them.
    #[arg(long)]
    pub ignore_registers: bool,
    /// Do not compare whether instructions mind the execution mask.
    #[arg(long)]
    pub ignore_masks: bool,
    /// Do not compare options: dependencies, compaction.
    #[arg(long)]
    pub ignore_options: bool,
    /// Only the figures.
    #[arg(short, long)]
    pub summary: bool,
    /// Equal instructions around each difference that are listed.
    #[arg(short = 'U', long, value_name = "N", default_value = "3")]
    pub context: usize,
    /// For people, or one JSON document.
    #[arg(long, value_enum, default_value = "human")]
    pub message_format: MessageFormat,
}

/// Arguments of `info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// vISA objects, vISA assembly, compiled programs (zebins), raw code.
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// The platform of raw code and of text, and of the code of a program that does not name its own.
    #[arg(short, long, ignore_case = true, value_parser = platform())]
    pub platform: Option<Platform>,
    /// For people, or one JSON object a file.
    #[arg(long, value_enum, default_value = "human")]
    pub message_format: MessageFormat,
}

/// Arguments of `strip`.
#[derive(Args, Debug)]
pub struct StripArgs {
    /// A vISA object.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Take out the code of these platforms alone.
    #[arg(short, long, value_delimiter = ',', value_name = "P[,P...]", ignore_case = true, value_parser = platform())]
    pub platform: Vec<Platform>,
    /// Where the object goes.
    #[arg(short, long, conflicts_with = "in_place")]
    pub output: Option<PathBuf>,
    /// Replace the object.
    #[arg(long)]
    pub in_place: bool,
    /// Say nothing of what was written.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `extract`.
#[derive(Args, Debug)]
pub struct ExtractArgs {
    /// A vISA object with code in it, or a compiled program, which gives its vISA, too.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The code of these platforms alone.
    #[arg(short, long, value_delimiter = ',', value_name = "P[,P...]", ignore_case = true, value_parser = platform())]
    pub platform: Vec<Platform>,
    /// The code of these kernels alone.
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// The directory that the files go to; that of the object if absent.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Say nothing of what was written.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// vISA object, vISA assembly, or a compiled program (zebin).
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,
    /// The platform to run on.
    #[arg(short, long, ignore_case = true, value_parser = platform())]
    pub platform: Platform,
    /// Work items in each dimension.
    #[arg(short, long, value_name = "X[,Y[,Z]]", value_parser = sizes)]
    pub global: [u32; 3],
    /// Work items of a group; what the kernel requires, or at most 64 in a row, if absent.
    #[arg(short, long, value_name = "X[,Y[,Z]]", value_parser = sizes)]
    pub local: Option<[u32; 3]>,
    /// Added to the global ids of work items.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = offsets, default_value = "0")]
    pub offset: [u32; 3],
    /// Dimensions that the kernel is told of; those that have more than one work item if absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3))]
    pub work_dim: Option<u32>,
    /// An argument of the kernel, in order: buf:FILE, buf:BYTES (zeros), a value TYPE:VALUE[,VALUE...] with TYPE u8
    /// to u64, i8 to i64, f16, f32 or f64, a buffer `TYPE[COUNT]:PATTERN` with PATTERN `iota`, `A..B`, `random[:SEED]`
    /// or VALUE[,VALUE...] (the count may be left out: `f32:iota` has an element a work item), `slm:BYTES`, `image:WxH[xD]:FORMAT[:FILE]` with FORMAT like rgba8, r32f or
    /// bgra8, `sampler:nearest|linear[,normalized][,edge|border|repeat|mirror]`, null.
    #[arg(short, long = "arg", value_name = "ARG", value_parser = crate::launch::parse)]
    pub args: Vec<crate::launch::Given>,
    /// Another text or object with functions that the kernel calls; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,
    /// Whose code runs.
    #[arg(long, value_enum, default_value = "ours")]
    pub with: With,
    /// General registers of a thread, a number or `auto`; what the kernel or its launch information says, if absent.
    #[arg(long, value_name = "N|auto")]
    pub grf: Option<finalizer::Grf>,
    /// Raw code to run instead of what the input holds.
    #[arg(long, value_name = "FILE")]
    pub code: Option<PathBuf>,
    /// The kernel; needed where the input has several.
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// How the kernel's arguments are laid out (.ze_info, YAML); guessed from its inputs if absent.
    #[arg(long, value_name = "FILE")]
    pub ze_info: Option<PathBuf>,
    /// The compiled program (zebin) of a vISA input: its layout of arguments, constants, variables, functions.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Write what a buffer argument (counted from 0) holds afterwards to a file.
    #[arg(short, long, value_name = "ARG=FILE", value_parser = crate::launch::parse_out)]
    pub out: Vec<(usize, PathBuf)>,
    /// Print what a buffer argument holds afterwards, as elements of a type, hexadecimal without one.
    #[arg(long, value_name = "ARG[:TYPE]", value_parser = crate::launch::parse_print)]
    pub print: Vec<(usize, Option<crate::element::Element>)>,
    /// Print every instruction as it runs.
    #[arg(long)]
    pub trace: bool,
    /// Stop after this many instructions.
    #[arg(long, value_name = "N", default_value = "1000000000")]
    pub max_instructions: u64,
    /// Do not look for undefined values, accesses out of bounds and missed dependencies: faster.
    #[arg(long)]
    pub fast: bool,
    /// For people, or one JSON document on standard output.
    #[arg(long, value_enum, default_value = "human")]
    pub message_format: MessageFormat,
}

/// Arguments of `gpu`.
#[derive(Args, Debug)]
pub struct GpuArgs {
    /// The device that the driver is made to believe in.
    #[arg(short, long, ignore_case = true, value_parser = device())]
    pub device: tbx::Device,
    /// Run the code of Intel's compiler instead of this finalizer's.
    #[arg(long)]
    pub intel_code: bool,
    /// The port of this machine where the driver finds its device; any free one if 0.
    #[arg(long, value_name = "N", default_value = "0")]
    pub port: u16,
    /// A driver that tests/tools/get-neo installed; if absent, that of the device in get-neo's own place, or the system's.
    #[arg(long, value_name = "DIR")]
    pub driver: Option<PathBuf>,
    /// libvisafinalize_neo.so; the one beside this command if absent.
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// Processors to use; all if absent. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Option<u32>,
    /// Do not look for undefined values, accesses out of bounds and missed dependencies: faster.
    #[arg(long)]
    pub fast: bool,
    /// Stop a work group after this many instructions.
    #[arg(long, value_name = "N", default_value = "100000000")]
    pub max_instructions: u64,
    /// Say nothing if nothing was found.
    #[arg(short, long)]
    pub quiet: bool,
    /// The program.
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Its arguments.
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<std::ffi::OsString>,
}

/// Whose code runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum With {
    /// This finalizer's.
    Ours,
    /// The code that the input carries (or `--code`).
    Intel,
    /// Nobody's: the vISA itself runs, on the interpreter.
    Interpreter,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}

//! Results: their names and contents.

use std::{
    borrow::Cow,
    fs,
    path::{MAIN_SEPARATOR, Path, PathBuf},
};

use finalizer::{Binary, Diagnostic, Place, Refusal};
use iga::{JsonOptions, ListingOptions, disassemble, disassemble_json};
use platforms::Platform;
use visa::Module;

use super::inputs::Job;
use crate::{
    args::{Emit, FinalizeArgs},
    files::{Sink, cannot_write, is_standard},
    names,
};

/// The code of one kernel for one platform.
pub struct Done {
    /// The kernel's number in the module.
    pub kernel: usize,
    /// Its code.
    pub binary: Binary,
}

/// What the results are made from.
pub enum Source {
    /// vISA.
    Module(Box<Module>),
    /// A compiled program, with the new code in it.
    Program(Vec<u8>),
}

/// One result.
pub struct Product {
    /// Where it goes.
    pub sink: Sink,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Whose code is in it.
    pub code: Vec<Code>,
}

/// Code in a result.
#[derive(Clone)]
pub struct Code {
    /// The kernel.
    pub kernel: String,
    /// Its platform.
    pub platform: Platform,
    /// Its size.
    pub bytes: usize,
}

impl Code {
    fn of(binary: &Binary) -> Code {
        Code { kernel: binary.info.name.clone(), platform: binary.info.platform, bytes: binary.code.len() }
    }
}

/// Registers of the platform that text is printed for: of the one that was asked for, else of the one that the
/// object has code for.
pub fn text_platform(args: &FinalizeArgs, module: Option<&Module>) -> Platform {
    let embedded = || {
        let mut binaries = module?.kernels.iter().flat_map(|k| &k.gen_binaries);
        binaries.find_map(|b| Platform::from_gen_platform(b.platform))
    };
    args.platform.first().copied().or_else(embedded).unwrap_or(Platform::Skl)
}

/// Everything that is made of an input.
///
/// # Errors
///
/// What does not fit an object; several results for one file; a result that would replace the input.
pub fn products(
    args: &FinalizeArgs,
    job: &Job,
    source: Source,
    done: Vec<Done>,
) -> Result<Vec<Product>, Refusal> {
    let stem = names::stem(&job.path);
    let mut products = of_kernels(args, &stem, &done);
    let product = |bytes, code| Product { sink: Sink::Standard, bytes, code };
    let mut whole = Vec::new();
    let code = done.iter().map(|d| Code::of(&d.binary)).collect();
    match source {
        Source::Module(mut module) => {
            for &emit in args.emits() {
                let bytes = match emit {
                    Emit::Visaasm => text(args, &module),
                    Emit::Object => object(&module)?,
                    Emit::Isa | Emit::Dat | Emit::Asm | Emit::Json | Emit::Dbg => continue,
                };
                whole.push((format!("{stem}.{}", emit.extension()), product(bytes, Vec::new())));
            }
            if args.emits().contains(&Emit::Isa) {
                embed(args, &mut module, done)?;
                whole.push((format!("{stem}.{}", Emit::Isa.extension()), product(object(&module)?, code)));
            }
        }
        Source::Program(bytes) => {
            if args.emits().iter().any(|e| matches!(e, Emit::Visaasm | Emit::Object)) {
                let message = "found a compiled program; `extract` writes its vISA to files, not --emit";
                return Err(Diagnostic::error("NoObject", message).at(Place::Input).into());
            }
            if args.emits().contains(&Emit::Isa) {
                whole.push((format!("{stem}.gen.bin"), product(bytes, code)));
            }
        }
    }
    products.extend(whole);
    place(args, job, products)
}

/// The results of each kernel by itself, with their names.
fn of_kernels(args: &FinalizeArgs, stem: &str, done: &[Done]) -> Vec<(String, Product)> {
    let mut products = Vec::new();
    for &emit in args.emits().iter().filter(|e| matches!(e, Emit::Dat | Emit::Asm | Emit::Json | Emit::Dbg)) {
        for Done { binary, .. } in done {
            let (kernel, platform) = (names::of_kernel(&binary.info.name), binary.info.platform);
            let name = format!("{stem}.{kernel}.{platform}.{}", emit.extension());
            let bytes = contents(binary, emit);
            products.push((name, Product { sink: Sink::Standard, bytes, code: vec![Code::of(binary)] }));
        }
    }
    products
}

/// vISA assembly of the kernels that were asked for, and of all functions, which they may call.
fn text(args: &FinalizeArgs, module: &Module) -> Vec<u8> {
    let mut part = Cow::Borrowed(module);
    if !args.kernel.is_empty() {
        part.to_mut().kernels.retain(|k| args.kernel.iter().any(|name| *name == k.name()));
    }
    let module = &*part;
    let grf_bytes = text_platform(args, Some(module)).caps().regs.grf_bytes.into();
    let options = visa::text::TextOptions { grf_bytes, ..Default::default() };
    visa::text::print(module, options).into_bytes()
}

/// Puts the code into the object.
fn embed(args: &FinalizeArgs, module: &mut Module, done: Vec<Done>) -> Result<(), Refusal> {
    if args.drop_embedded {
        module.remove_gen_binaries(None);
    }
    let mut faults = Vec::new();
    for d in done {
        let platform = d.binary.info.platform.caps().gen_platform;
        if let Err(e) = module.set_gen_binary(d.kernel, platform, d.binary.code) {
            let kernel = &module.kernels[d.kernel];
            let message = format!("{e}; it has code for {}. {DROP}", carried(kernel));
            faults.push(cannot_write(message).in_kernel(&*kernel.name()));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal(faults)) }
}

const DROP: &str =
    "--drop-embedded leaves out the code that the input carries; fewer platforms at a time fit, too";

/// Platforms that a kernel has code for.
fn carried(kernel: &visa::Kernel) -> String {
    let name = |number: u8| {
        Platform::from_gen_platform(number).map_or(format!("platform number {number}"), |p| p.to_string())
    };
    kernel.gen_binaries.iter().map(|b| name(b.platform)).collect::<Vec<_>>().join(", ")
}

fn object(module: &Module) -> Result<Vec<u8>, Refusal> {
    visa::write(module).map_err(|e| cannot_write(e).into())
}

fn contents(b: &Binary, emit: Emit) -> Vec<u8> {
    let platform = b.info.platform;
    match emit {
        Emit::Asm => disassemble(platform, &b.code, &ListingOptions::default()).into_bytes(),
        Emit::Json => disassemble_json(platform, &b.code, &JsonOptions::default()).into_bytes(),
        Emit::Dbg => b.debug_info.clone(),
        _ => b.code.clone(),
    }
}

/// What `--output` means for an input with so many results.
enum Destination {
    Beside,
    Directory(PathBuf),
    Single(Sink),
}

fn destination(args: &FinalizeArgs, job: &Job, results: usize) -> Result<Destination, Refusal> {
    let refuse = |message: String| Err(Diagnostic::error("OutputTwice", message).at(Place::Input).into());
    let Some(output) = &args.output else {
        return match is_standard(&job.path) {
            false => Ok(Destination::Beside),
            true if results == 1 => Ok(Destination::Single(Sink::Standard)),
            true => {
                refuse(format!("{results} results of standard input: --output names a directory for them"))
            }
        };
    };
    if !is_standard(output) && (output.is_dir() || ends_with_separator(output)) {
        return Ok(Destination::Directory(output.join(&job.below)));
    }
    if results == 1 {
        return Ok(Destination::Single(Sink::new(output)));
    }
    let output = output.display();
    refuse(format!(
        "{results} results for the one file {output}; `{output}{MAIN_SEPARATOR}` makes it a directory"
    ))
}

fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Gives each result its place; none may replace the input by accident, or another result.
fn place(args: &FinalizeArgs, job: &Job, named: Vec<(String, Product)>) -> Result<Vec<Product>, Refusal> {
    if args.in_place {
        let object = |(name, p): (String, Product)| {
            let is_object = name.ends_with(".gen.isa") || name.ends_with(".gen.bin");
            let path = if is_object { job.path.clone() } else { job.path.with_file_name(name) };
            Product { sink: Sink::File(path), ..p }
        };
        return Ok(named.into_iter().map(object).collect());
    }
    let destination = destination(args, job, named.len())?;
    let sink = |name: String| match &destination {
        Destination::Beside => Sink::File(job.path.with_file_name(name)),
        Destination::Directory(dir) => Sink::File(dir.join(name)),
        Destination::Single(sink) => sink.clone(),
    };
    let products: Vec<Product> =
        named.into_iter().map(|(name, p)| Product { sink: sink(name), ..p }).collect();
    distinct(job, &products)?;
    Ok(products)
}

fn distinct(job: &Job, products: &[Product]) -> Result<(), Refusal> {
    let mut faults = Vec::new();
    for (i, product) in products.iter().enumerate() {
        let Sink::File(file) = &product.sink else { continue };
        if same_file(file, &job.path) {
            let message = format!("{} is the input; --in-place allows that", file.display());
            faults.push(Diagnostic::error("OutputIsInput", message).at(Place::Input));
        }
        if products[..i].iter().any(|p| p.sink == product.sink) {
            let message = format!("two results would go to {}", file.display());
            faults.push(Diagnostic::error("OutputTwice", message).at(Place::Input));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal(faults)) }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b && a.is_file(),
        _ => false,
    }
}

/// Writes all results of an input; directories that they go to are made.
pub fn write(products: &[Product]) -> Result<(), Refusal> {
    for product in products {
        let made = match &product.sink {
            Sink::File(path) => path.parent().map_or(Ok(()), fs::create_dir_all),
            Sink::Standard => Ok(()),
        };
        made.and_then(|()| product.sink.write(&product.bytes))
            .map_err(|e| cannot_write(format_args!("{}: {e}", product.sink)))?;
    }
    Ok(())
}

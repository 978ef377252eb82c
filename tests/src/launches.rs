//! A launch for every test kernel: arguments by their declared types, contents from a seed.
//!
//! The point is to drive two pieces of code over the same data, so any data will do that keeps the
//! kernel inside its buffers: what is named like an index or a position stays small, everything else
//! takes all values of its type.

use emulator::{Arg, Buffer, Image, Launch, Memory, Sampler, Texel, Wrap, link::Loaded};
use rewriter::unit;
use zebin::{Program, Unit};

use crate::{
    data::{SYMBOL_TABLE, TestKernel, sources},
    splitmix::SplitMix,
};

/// Elements of every buffer, and of those of kernels that read hundreds for each work item.
const ELEMENTS: usize = 4096;
const MANY: usize = 8 * ELEMENTS;
const HUNGRY: [&str; 3] = ["pressure.cl", "live400.cl", "spill_branches.cl"];
/// Work items, in groups of [`GROUP`].
const ITEMS: u32 = 128;
const GROUP: u32 = 64;
/// Texels along each side of an image.
const SIDE: u32 = 16;

/// What buffers of numbers hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Any bits; floats of moderate size.
    Random,
    /// Zeros, ones, halves of numbers, the ends of the range, infinities and NaN among random numbers.
    Edges,
    /// All bits but one.
    Dense,
    /// One bit.
    Sparse,
    /// Zeros and ones.
    Tiny,
}

/// Why a kernel has no launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoLaunch(pub String);

/// A kernel's parameter as the source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Param {
    ty: String,
    name: String,
    pointer: bool,
    local: bool,
}

/// A launch with everything that code for it needs.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The launch.
    pub launch: Launch,
    /// The memory it runs on, constants and variables of the program included.
    pub memory: Memory,
    /// What code is linked with.
    pub program: Loaded,
}

impl Setup {
    /// A launch of a kernel.
    pub fn new(kernel: &TestKernel, seed: u64) -> Result<Setup, NoLaunch> {
        Setup::with(kernel, seed, Contents::Random)
    }

    /// A launch of a kernel over certain numbers.
    pub fn with(kernel: &TestKernel, seed: u64, contents: Contents) -> Result<Setup, NoLaunch> {
        let (launch, memory) = launch(kernel, seed, contents)?;
        Setup::over(kernel, launch, memory)
    }

    /// A given launch of a kernel: the program's constants and variables join the memory.
    pub fn over(kernel: &TestKernel, launch: Launch, mut memory: Memory) -> Result<Setup, NoLaunch> {
        let fault = |e: emulator::Error| NoLaunch(e.to_string());
        let program = match &kernel.zebin {
            Some(zebin) => {
                let program = Program::read(zebin).map_err(|e| NoLaunch(e.to_string()))?;
                Loaded::new(&program, &mut memory).map_err(fault)?
            }
            None => Loaded::default(),
        };
        if launch.kernel.payload.iter().any(|p| p.kind == "printf_buffer") {
            // What is printed counts; the first dword is the next free byte.
            let mut bytes = vec![0; 1 << 16];
            bytes[0] = 4;
            memory.add("printf_buffer", bytes);
        }
        Ok(Setup { launch, memory, program })
    }

    /// Intel's code for the kernel, ready to run.
    pub fn intel(&self, kernel: &TestKernel) -> Result<Vec<u8>, emulator::Error> {
        match self.program.unit(&kernel.name) {
            Some(unit) => self.program.link(unit, &[]),
            None => Ok(kernel.dat.clone()),
        }
    }

    /// Our code for the kernel, ready to run. `table` has functions that it calls by address.
    pub fn ours(
        &self,
        binary: &finalizer::Binary,
        table: Option<&finalizer::Binary>,
    ) -> Result<Vec<u8>, emulator::Error> {
        let tables: Vec<Unit> = table.map(unit).into_iter().collect();
        self.program.link(&unit(binary), &tables)
    }
}

/// A launch, and the memory it runs on.
fn launch(kernel: &TestKernel, seed: u64, contents: Contents) -> Result<(Launch, Memory), NoLaunch> {
    let no = |why: &dyn std::fmt::Display| NoLaunch(why.to_string());
    if kernel.name == SYMBOL_TABLE {
        return Err(no(&"holds functions, is not a kernel"));
    }
    let info = zebin::info::find(&kernel.ze_info, &kernel.name).map_err(|e| no(&e))?;
    let path = sources().join(&kernel.source);
    let source = std::fs::read_to_string(&path).map_err(|e| no(&format!("{}: {e}", path.display())))?;
    let vector = kernel.source.ends_with(".ll");
    let params = if vector { vector_params(&source, &kernel.name) } else { params(&source, &kernel.name) };
    let params = params.ok_or_else(|| no(&"the source has no such kernel"))?;
    let mut memory = Memory::new();
    let mut random = Values(SplitMix::new(seed), contents);
    let elements = if HUNGRY.contains(&kernel.source.as_str()) { MANY } else { ELEMENTS };
    let args =
        params.iter().enumerate().map(|(i, p)| arg(p, i, elements, &mut memory, &mut random)).collect();
    let (mut global, mut local) = ([ITEMS, 1, 1], [GROUP, 1, 1]);
    if vector {
        (global, local) = ([2, 2, 1], [1, 1, 1]);
    } else if info.required_group.iter().any(|&g| g > 0) {
        local = info.required_group.map(|g| g.max(1));
        global = [local[0] * 2, local[1], local[2]];
    } else if source.contains("get_global_id(1)") {
        // Groups as wide as the image, or not.
        local = if contents == Contents::Random { [SIDE, 4, 1] } else { [SIDE / 2, 8, 1] };
        global = [SIDE, SIDE, 1];
    }
    Ok((Launch { kernel: info, global, local, offset: [0; 3], dimensions: None, args }, memory))
}

/// The parameters of a kernel in OpenCL C.
fn params(source: &str, kernel: &str) -> Option<Vec<Param>> {
    let code: String =
        source.lines().map(|l| l.split("//").next().unwrap_or(l)).collect::<Vec<_>>().join(" ");
    let mut from = 0;
    let list = loop {
        let at = from + code[from..].find(kernel)?;
        let before = code[..at].trim_end();
        let after = code[at + kernel.len()..].trim_start();
        if before.ends_with("void") && after.starts_with('(') {
            break after[1..].split(')').next()?.to_owned();
        }
        from = at + kernel.len();
    };
    list.split(',').map(|p| param(p.trim())).collect()
}

/// The parameters of a kernel of the vector compiler: names from its definition, types from the
/// `genx.kernels` metadata (`buffer_t`, `svmptr_t`, `image2d_t`, nothing for a value).
fn vector_params(source: &str, kernel: &str) -> Option<Vec<Param>> {
    let define =
        source.lines().find(|l| l.starts_with("define dllexport") && l.contains(&format!("@{kernel}(")))?;
    let list = define.split_once('(')?.1.split_once(')')?.0;
    let row = source.lines().find(|l| l.starts_with('!') && l.contains(&format!("!\"{kernel}\"")))?;
    // function, name, kinds, SLM, offsets, input or output, types
    let types = row.split(", ").filter(|f| f.starts_with('!') && f[1..].parse::<u32>().is_ok()).nth(3)?;
    let types = source.lines().find_map(|l| l.strip_prefix(&format!("{types} = !{{")))?.strip_suffix('}')?;
    let mut out = Vec::new();
    for (value, ty) in list.split(", ").zip(types.split(", ")) {
        let (bits, name) = value.split_once(" %")?;
        let ty = ty.trim_matches(['!', '"']);
        let pointer = matches!(ty, "buffer_t" | "svmptr_t");
        let ty = match (ty, bits) {
            ("image2d_t", _) => ty,
            (_, "i64") if !pointer => "ulong",
            _ => "uint",
        };
        out.push(Param { ty: ty.to_owned(), name: name.to_owned(), pointer, local: false });
    }
    Some(out)
}

fn param(text: &str) -> Option<Param> {
    let text = text.replace('*', " * ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, rest) = words.split_last()?;
    let qualifier = |w: &&str| {
        matches!(
            *w,
            "global"
                | "const"
                | "constant"
                | "local"
                | "restrict"
                | "volatile"
                | "read_only"
                | "write_only"
                | "read_write"
                | "__global"
                | "__local"
                | "__constant"
                | "*"
                | "unsigned"
                | "struct"
        )
    };
    let ty = rest.iter().find(|w| !qualifier(w))?;
    Some(Param {
        ty: (*ty).to_owned(),
        name: (*name).to_owned(),
        pointer: rest.contains(&"*"),
        local: rest.contains(&"local") || rest.contains(&"__local"),
    })
}

/// Bytes of a scalar or vector type (structures count as 64), and whether its elements are floats of
/// 2, 4 or 8 bytes.
fn shape(ty: &str) -> (usize, usize, bool) {
    let base = ty.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match ty[base.len()..].parse().unwrap_or(1) {
        3 => 4,
        n => n,
    };
    let (size, float) = match base {
        "char" | "uchar" | "bool" => (1, false),
        "short" | "ushort" => (2, false),
        "half" => (2, true),
        "int" | "uint" | "atomic_int" | "atomic_uint" => (4, false),
        "float" | "atomic_float" => (4, true),
        "long" | "ulong" | "size_t" | "atomic_long" | "atomic_ulong" => (8, false),
        "double" => (8, true),
        _ => return (64, 4, false),
    };
    (size * lanes, size, float)
}

fn arg(p: &Param, index: usize, elements: usize, memory: &mut Memory, random: &mut Values) -> Arg {
    if p.ty.starts_with("image") {
        return image(p, memory, random);
    }
    if p.ty == "sampler_t" {
        return Arg::Sampler(Sampler { normalized: true, linear: true, wrap: Wrap::Edge });
    }
    let (bytes, element, float) = shape(&p.ty);
    if p.local {
        return Arg::Local((bytes * 256) as u32);
    }
    if p.pointer {
        return Arg::Buffer(buffer(p, bytes * elements, element, float, memory, random));
    }
    let mut value = Vec::new();
    for _ in 0..bytes / element {
        let v = match (float, element) {
            (true, 8) => 1.5f64.to_bits(),
            (true, 4) => u64::from(1.5f32.to_bits()),
            (true, _) => 0x3e00,
            _ if p.name == "row" => 1,
            _ if ["width", "height", "pitch", "w", "h"].contains(&p.name.as_str()) => u64::from(SIDE),
            _ if random.1 == Contents::Tiny => 1,
            _ if random.1 == Contents::Sparse => 2,
            _ => 3 + index as u64,
        };
        value.extend_from_slice(&v.to_le_bytes()[..element]);
    }
    Arg::Scalar(value)
}

fn buffer(
    p: &Param,
    bytes: usize,
    element: usize,
    float: bool,
    memory: &mut Memory,
    random: &mut Values,
) -> Buffer {
    let small = ["index", "next", "start", "where", "offset", "wanted", "steps", "count", "order", "entry"]
        .iter()
        .any(|n| p.name.contains(n));
    let mut data = Vec::with_capacity(bytes);
    while data.len() < bytes {
        let r = random.next();
        let unit = (r >> 11) as f64 / (1u64 << 53) as f64;
        let v = match (float, element) {
            (true, 8) => (unit * 16.0 - 8.0).to_bits(),
            (true, 4) => u64::from((unit as f32 * 16.0 - 8.0).to_bits()),
            (true, _) => {
                u64::from(emulator::num::f32_to_f16(unit as f32 * 16.0 - 8.0, emulator::num::Round::Even))
            }
            // A list: the low half is an earlier node, the high half a value.
            _ if p.name == "nodes" => {
                r << 32 | (data.len() as u64 / 8).checked_sub(1).map_or(0, |n| r % (n + 1))
            }
            _ if small => r % 64,
            _ => r,
        };
        let v = if small || p.name == "nodes" { v } else { random.shape(v, float, element) };
        data.extend_from_slice(&v.to_le_bytes()[..element]);
    }
    memory.add(p.name.clone(), data)
}

fn image(p: &Param, memory: &mut Memory, random: &mut Values) -> Arg {
    let mut image = Image::new_2d(SIDE, SIDE, 4, 4, Texel::Float);
    let array = p.ty.contains("array");
    if p.ty.starts_with("image1d") {
        (image.dims, image.height) = (1, 1);
        (image.width, image.row_pitch) = (SIDE * SIDE, SIDE * SIDE * 16);
    }
    if p.ty.starts_with("image3d") || array {
        image.depth = 4;
        image.dims = if array { image.dims } else { 3 };
    }
    image.array = array;
    image.slice_pitch = image.row_pitch * image.height;
    let texels = image.bytes() as usize / 4;
    let data = (0..texels).flat_map(|_| ((random.next() >> 40) as f32 / 65536.0).to_le_bytes()).collect();
    let b = memory.add(p.name.clone(), data);
    Arg::Image(b, image)
}

/// Numbers, and what is made of them.
struct Values(SplitMix, Contents);

impl Values {
    fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number of so many bytes for a buffer, in place of `v`.
    fn shape(&mut self, v: u64, float: bool, bytes: usize) -> u64 {
        let bits = 8 * bytes.min(8) as u32;
        let r = self.next();
        let one = 1 << (r % u64::from(bits));
        // Exponent bits of a float, mantissa bits below them.
        let (exponent, mantissa) = match bytes {
            2 => (0x7c00, 10),
            4 => (0x7f80_0000, 23),
            _ => (0x7ff0_0000_0000_0000, 52),
        };
        match (self.1, float) {
            (Contents::Random, _) => v,
            (Contents::Edges, false) => match r >> 60 {
                0..4 => 0,
                4 | 5 => 1,
                6 => u64::MAX,
                7 => 1 << (bits - 1),
                8 | 9 => v >> (64 - bits) >> (bits / 2),
                10 | 11 => v << (bits / 2),
                _ => v,
            },
            (Contents::Edges, true) => match r >> 60 {
                0 | 1 => 0,
                2 => 1 << (bits - 1),
                3 => exponent,
                4 => exponent | 1 << (bits - 1),
                5 => exponent | 1 << (mantissa - 1),
                6 => v & ((1 << mantissa) - 1),
                7 => (exponent - (1 << mantissa)) | v & ((1 << mantissa) - 1),
                // Any exponent.
                8..11 => r,
                _ => v,
            },
            (_, true) => v,
            (Contents::Dense, _) => !one,
            (Contents::Sparse, _) => one,
            (Contents::Tiny, _) => r >> 63,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_the_source() {
        let source = "kernel void other(int x) {}\nkernel SIMD void k(const global uint4 *in, local int *s, // c\n float a) {}";
        let p = params(source, "k").unwrap();
        assert_eq!(p.len(), 3);
        assert_eq!((p[0].ty.as_str(), p[0].pointer, p[0].local), ("uint4", true, false));
        assert!(p[1].local && p[1].pointer);
        assert_eq!((p[2].ty.as_str(), p[2].name.as_str(), p[2].pointer), ("float", "a", false));
    }

    #[test]
    fn parameters_of_the_vector_compiler_are_in_its_metadata() {
        let source = "define dllexport spir_kernel void @k(i32 %in, i64 %out, i32 %limit) #0 {\n\
                      !0 = !{void (i32, i64, i32)* @k, !\"k\", !4, i32 0, !5, !6, !7, i32 0}\n\
                      !4 = !{i32 2, i32 0, i32 0}\n!7 = !{!\"buffer_t\", !\"svmptr_t\", !\"\"}\n";
        let p = vector_params(source, "k").unwrap();
        let seen: Vec<_> = p.iter().map(|p| (p.name.as_str(), p.ty.as_str(), p.pointer)).collect();
        assert_eq!(seen, [("in", "uint", true), ("out", "uint", true), ("limit", "uint", false)]);
        assert!(vector_params(source, "other").is_none());
    }

    #[test]
    fn types_have_sizes() {
        assert_eq!(shape("uint4"), (16, 4, false));
        assert_eq!(shape("half3"), (8, 2, true));
        assert_eq!(shape("double"), (8, 8, true));
    }
}

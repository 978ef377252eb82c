//! The launch information of a kernel from its vISA alone, where no `.ze_info` came with it.
//!
//! The input table says which registers hold inputs, not what they mean. Two conventions are recognised:
//!
//! - Kernels that Intel's OpenCL compiler made (`SimdSize` of 8 or more): local ids first, three word
//!   vectors as wide as the kernel; then eight dwords of global offset and local size; then the arguments in
//!   their order, with the address of each buffer where the kernel keeps it; three dwords of local size
//!   last. Buffers without an address are reached through the binding table, which counts pointer
//!   arguments.
//! - Everything else (Cm): explicit inputs in the order of the table are the arguments; surfaces and buffers
//!   in dwords are binding table indices from 1 on.
//!
//! Where the arguments given do not fit, the answer is an error that shows the inputs.

use crate::{Arg, Error};
use narrow::{as_index, low_u32, to_index};
use platforms::Platform;
use visa::{InputVar, Kernel, Provenance, Type};
use zebin::info::{KernelInfo, PayloadArg};

/// Most work items of a group where nobody says.
const GROUP: u32 = 64;

/// The size of a group where nobody says: what the kernel requires, or the largest part of a row that divides it.
pub fn group(global: [u32; 3], kernel: &KernelInfo) -> [u32; 3] {
    if kernel.required_group.iter().any(|&g| g > 0) {
        return kernel.required_group.map(|g| g.max(1));
    }
    let x = (1..=global[0].min(GROUP)).rev().find(|n| global[0].is_multiple_of(*n)).unwrap_or(1);
    [if kernel.simd == 1 { 1 } else { x }, 1, 1]
}

/// One input: where it lies and how it is declared.
struct Slot {
    offset: u32,
    size: u32,
    ty: Option<Type>,
    elements: u32,
    surface: bool,
    provenance: Provenance,
    name: String,
}

fn slots(kernel: &Kernel) -> Vec<Slot> {
    let mut out: Vec<Slot> = kernel
        .inputs
        .iter()
        .map(|input| {
            let var = match input.var {
                InputVar::General(id) => kernel.var(id),
                _ => None,
            };
            let name = kernel.input_name(input.var).into_owned();
            Slot {
                offset: u32::try_from(input.offset).unwrap_or(0),
                size: input.size.into(),
                ty: var.map(|v| v.ty),
                elements: var.map_or(1, |v| v.num_elements.into()),
                surface: matches!(input.var, InputVar::Surface(_)),
                provenance: input.provenance,
                name,
            }
        })
        .collect();
    out.sort_by_key(|s| s.offset);
    out
}

/// The launch information of `kernel` for these arguments.
///
/// # Errors
///
/// The inputs do not follow a convention that is known, or the arguments do not fit them.
pub fn kernel_info(kernel: &Kernel, platform: Platform, args: &[Arg]) -> Result<KernelInfo, Error> {
    let regs = &platform.caps().regs;
    let (grf, default) = (u32::from(regs.grf_bytes), regs.default_file().grfs.into());
    let attr = |name: &str| low_u32(kernel.attr_int(name).unwrap_or(0).max(0));
    let simd = match attr("SimdSize") {
        n @ (8 | 16 | 32) => n,
        _ => 1,
    };
    let mut info = KernelInfo {
        name: kernel.name().into_owned(),
        simd,
        // 0 leaves it to the finalizer.
        grf_count: kernel.attr_int("NumGRF").map_or(default, |n| low_u32(n.max(0))),
        slm: attr("SLMSize").saturating_mul(1024),
        scratch: attr("SpillMemOffset"),
        walk_order: [0, 1, 2],
        ..KernelInfo::default()
    };
    let slots = slots(kernel);
    let fault = |what: &str| {
        let inputs: Vec<String> =
            slots.iter().map(|s| format!("{} at {} of {} bytes", s.name, s.offset, s.size)).collect();
        Err(Error::Launch(format!(
            "{what}; the kernel's inputs are {}: give its .ze_info",
            if inputs.is_empty() { "none".to_owned() } else { inputs.join(", ") }
        )))
    };
    if simd == 1 {
        vector(&mut info, &slots, args, grf, fault)
    } else {
        opencl(&mut info, &slots, args, grf, fault)
    }
    .map(|()| info)
}

type Fault<'a> = &'a dyn Fn(&str) -> Result<(), Error>;

fn item(kind: &str, offset: u32, size: u32) -> PayloadArg {
    PayloadArg { kind: kind.into(), offset, size, slm_alignment: 1, ..PayloadArg::default() }
}

fn argument(kind: &str, mode: &str, index: usize, offset: u32, size: u32) -> PayloadArg {
    PayloadArg { arg: Some(to_index(index)), mode: mode.into(), ..item(kind, offset, size) }
}

/// Intel's OpenCL compiler.
fn opencl(
    info: &mut KernelInfo,
    slots: &[Slot],
    args: &[Arg],
    grf: u32,
    fault: impl Fn(&str) -> Result<(), Error>,
) -> Result<(), Error> {
    let fault: Fault<'_> = &fault;
    let is_id = |s: &Slot| s.ty.is_some_and(|t| t.bytes() == 2) && s.elements == info.simd;
    let ids = slots.iter().take(3).take_while(|s| is_id(s)).count();
    if ids > 0 {
        let each = (info.simd * 2).next_multiple_of(grf);
        info.per_thread.push(item("local_id", 0, 3 * each));
    }
    let rest = &slots[ids..];
    let Some(first) = rest.first() else {
        return if args.is_empty() { Ok(()) } else { fault("the kernel takes no arguments") };
    };
    let base = first.offset;
    let mut left = rest.iter().peekable();
    if left.next_if(|s| s.ty.is_some_and(|t| t.bytes() == 4) && s.elements == 8).is_some() {
        info.payload.push(item("global_id_offset", 0, 12));
        info.payload.push(item("local_size", 12, 12));
    }
    let mut args_left: Vec<&Slot> = left.collect();
    if let Some(at) = args_left.iter().rposition(|s| s.elements == 3 && s.size == 12) {
        info.payload.push(item("enqueued_local_size", args_left[at].offset - base, 12));
        args_left.remove(at);
    }
    // Sizes that arguments may have in the payload; buffers may be missing from it.
    let pointers = args.iter().filter(|a| matches!(a, Arg::Buffer(_) | Arg::Null)).count();
    let addresses = args_left.iter().filter(|s| s.size == 8 && s.elements == 1).count();
    let wide = args.iter().filter(|a| matches!(a, Arg::Scalar(b) if b.len() == 8)).count();
    if addresses != wide && addresses != wide + pointers {
        return fault("only some buffers have an address");
    }
    let addressed = addresses > wide;
    let mut slots = args_left.into_iter();
    let mut bti = 0;
    for (index, arg) in args.iter().enumerate() {
        let size = match arg {
            Arg::Buffer(_) | Arg::Null => {
                info.bindings.push((bti, to_index(index)));
                bti += 1;
                if !addressed {
                    continue;
                }
                8
            }
            Arg::Image(..) => {
                info.bindings.push((bti, to_index(index)));
                bti += 1;
                continue;
            }
            Arg::Sampler(_) => continue,
            Arg::Local(_) => 4,
            Arg::Scalar(bytes) => to_index(bytes.len()),
        };
        let Some(slot) = slots.next() else { return fault("there are more arguments than inputs") };
        if slot.size != size {
            return fault(&format!("argument {index} has {size} bytes and {} has {}", slot.name, slot.size));
        }
        let offset = slot.offset - base;
        info.payload.push(match arg {
            Arg::Buffer(_) | Arg::Null => argument("arg_bypointer", "stateless", index, offset, 8),
            Arg::Local(_) => argument("arg_bypointer", "slm", index, offset, 4),
            _ => argument("arg_byvalue", "", index, offset, size),
        });
    }
    match slots.next() {
        None => Ok(()),
        Some(slot) => fault(&format!("no argument is given for {}", slot.name)),
    }
}

/// Cm: the explicit inputs are the arguments.
fn vector(
    info: &mut KernelInfo,
    slots: &[Slot],
    args: &[Arg],
    grf: u32,
    fault: impl Fn(&str) -> Result<(), Error>,
) -> Result<(), Error> {
    let fault: Fault<'_> = &fault;
    // The first register is the thread's own (packed local ids).
    let base = slots.first().map_or(0, |s| s.offset - s.offset % grf);
    if base > grf {
        info.per_thread.push(item("packed_local_ids", 0, 6));
    }
    let mut explicit = slots.iter().filter(|s| s.provenance == Provenance::EXPLICIT);
    for (index, arg) in args.iter().enumerate() {
        let Some(slot) = explicit.next() else { return fault("there are more arguments than inputs") };
        let offset = slot.offset - base;
        let narrow = slot.surface || slot.size == 4;
        let found = match arg {
            Arg::Buffer(_) | Arg::Image(..) | Arg::Null if narrow => {
                let bti = to_index(index) + 1;
                info.bindings.push((bti, to_index(index)));
                PayloadArg { bti: Some(bti), ..argument("binding_table_index", "", index, offset, 4) }
            }
            Arg::Buffer(_) | Arg::Null => argument("arg_bypointer", "stateless", index, offset, 8),
            Arg::Scalar(bytes) if bytes.len() == as_index(slot.size) => {
                argument("arg_byvalue", "", index, offset, slot.size)
            }
            _ => return fault(&format!("argument {index} does not fit {}", slot.name)),
        };
        info.payload.push(found);
    }
    match explicit.next() {
        None => Ok(()),
        Some(slot) => fault(&format!("no argument is given for {}", slot.name)),
    }
}

//! What a runtime must know about a compiled kernel: `.ze_info`, as the zebin specification of Intel's graphics
//! compiler describes it (`zeinfo.md`).

use narrow::as_index;
use std::collections::BTreeMap;

use crate::{
    Error,
    document::{Document, Node},
};

/// A kernel's entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Channels of a thread.
    pub simd: u32,
    /// General registers.
    pub grf_count: u32,
    /// Bytes of shared local memory the kernel itself declares.
    pub slm: u32,
    /// Barriers.
    pub barriers: u32,
    /// Bytes of cross-thread data that come in a register instead of memory.
    pub inline_data: u32,
    /// Scratch bytes a thread needs.
    pub scratch: u32,
    /// Private memory in a global buffer: bytes of each thread (or of each channel).
    pub private: Option<Private>,
    /// Work-items of a group, 0 where the kernel does not say.
    pub required_group: [u32; 3],
    /// Which dimension changes first, second and last from lane to lane.
    pub walk_order: [usize; 3],
    /// Bytes of code to skip where hardware puts local ids into registers.
    pub skip_per_thread_load: u32,
    /// Cross-thread data.
    pub payload: Vec<PayloadArg>,
    /// Data of each thread.
    pub per_thread: Vec<PayloadArg>,
    /// Binding table index and kernel argument.
    pub bindings: Vec<(u32, u32)>,
    /// Samplers in the code itself: index, addressing, filter, normalized.
    pub inline_samplers: Vec<InlineSampler>,
    /// The source's view of the arguments, where the compiler noted it.
    pub args: Vec<ArgInfo>,
}

/// An argument as its source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgInfo {
    /// Its name.
    pub name: String,
    /// Its type, such as `float*;8`.
    pub type_name: String,
    /// `__global`, `__local`, `__constant`, `__private`.
    pub space: String,
}

/// Private memory that a runtime allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Private {
    /// Bytes.
    pub size: u32,
    /// The size is that of a channel.
    pub per_channel: bool,
}

/// One item of payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayloadArg {
    /// `arg_type`.
    pub kind: String,
    /// Byte offset in its part of the payload.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Kernel argument.
    pub arg: Option<u32>,
    /// `addrmode`.
    pub mode: String,
    /// `addrspace`.
    pub space: String,
    /// Where an aggregate's element lies in it.
    pub source_offset: u32,
    /// Alignment of local memory.
    pub slm_alignment: u32,
    /// Sampler index.
    pub sampler: Option<u32>,
    /// Binding table index of a constant or global base.
    pub bti: Option<u32>,
}

/// A sampler that the program declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlineSampler {
    /// Sampler index.
    pub index: u32,
    /// `none`, `clamp_border`, `clamp_edge`, `repeat`, `mirror`.
    pub addressing: String,
    /// `nearest`, `linear`.
    pub filter: String,
    /// Normalized coordinates.
    pub normalized: bool,
}

fn wrong(key: &str, found: &str, allowed: &str) -> Error {
    Error::Description(format!("{key}: found `{found}`, allowed: {allowed}"))
}

/// A number; -1 stands for none.
fn number(key: &str, text: &str) -> Result<Option<u32>, Error> {
    match text.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(n) => u32::try_from(n).map(Some).map_err(|_| wrong(key, text, "32 bits")),
        Err(_) => Err(wrong(key, text, "a number")),
    }
}

fn num(node: Node<'_>, key: &str) -> Result<Option<u32>, Error> {
    node.get(key).map_or(Ok(None), |n| number(key, n.scalar()))
}

fn text_of(node: Node<'_>, key: &str) -> String {
    node.get(key).map_or_else(String::new, |n| n.scalar().to_owned())
}

fn flag(node: Node<'_>, key: &str) -> bool {
    node.get(key).is_some_and(|n| n.scalar() == "true")
}

fn triple(node: Node<'_>, key: &str) -> Result<Option<[u32; 3]>, Error> {
    let Some(node) = node.get(key) else { return Ok(None) };
    let numbers = node.scalars();
    if numbers.is_empty() && node.scalar() == "[]" {
        return Ok(None);
    }
    let numbers: Vec<u32> = numbers.iter().filter_map(|n| n.parse().ok()).collect();
    let numbers = numbers.try_into().map_err(|_| wrong(key, node.scalar(), "three numbers"))?;
    Ok(Some(numbers))
}

fn payload(y: Node<'_>) -> Result<PayloadArg, Error> {
    Ok(PayloadArg {
        kind: text_of(y, "arg_type"),
        offset: num(y, "offset")?.unwrap_or(0),
        size: num(y, "size")?.unwrap_or(0),
        arg: num(y, "arg_index")?,
        mode: text_of(y, "addrmode"),
        space: text_of(y, "addrspace"),
        source_offset: num(y, "source_offset")?.unwrap_or(0),
        slm_alignment: num(y, "slm_alignment")?.unwrap_or(1).max(1),
        sampler: num(y, "sampler_index")?,
        bti: num(y, "bti_value")?,
    })
}

/// An order that names a dimension twice says that the rest does not matter.
fn walk_order(given: [u32; 3]) -> [usize; 3] {
    let mut order: Vec<usize> = Vec::new();
    for d in given.map(|d| as_index(d.min(2))).into_iter().chain(0..3) {
        if !order.contains(&d) {
            order.push(d);
        }
    }
    [order[0], order[1], order[2]]
}

/// A kernel's entry.
fn kernel(y: Node<'_>) -> Result<KernelInfo, Error> {
    let mut info = environment(y)?;
    info.payload = y.list("payload_arguments").map(payload).collect::<Result<_, _>>()?;
    info.per_thread = y.list("per_thread_payload_arguments").map(payload).collect::<Result<_, _>>()?;
    for b in y.list("binding_table_indices") {
        if let (Some(bti), Some(arg)) = (num(b, "bti_value")?, num(b, "arg_index")?) {
            info.bindings.push((bti, arg));
        }
    }
    for b in y.list("per_thread_memory_buffers") {
        add_buffer(&mut info, b)?;
    }
    info.inline_samplers = y.list("inline_samplers").map(inline_sampler).collect::<Result<_, _>>()?;
    Ok(info)
}

/// What a kernel needs of the thread that runs it.
fn environment(y: Node<'_>) -> Result<KernelInfo, Error> {
    let env =
        y.get("execution_env").ok_or_else(|| Error::Description("a kernel has no execution_env".into()))?;
    let info = KernelInfo {
        name: text_of(y, "name"),
        simd: num(env, "simd_size")?.unwrap_or(1),
        grf_count: num(env, "grf_count")?.unwrap_or(128),
        slm: num(env, "slm_size")?.unwrap_or(0),
        barriers: num(env, "barrier_count")?.unwrap_or(0),
        skip_per_thread_load: num(env, "offset_to_skip_per_thread_data_load")?.unwrap_or(0),
        inline_data: num(env, "inline_data_payload_size")?.unwrap_or(0),
        required_group: triple(env, "required_work_group_size")?.unwrap_or_default(),
        walk_order: triple(env, "work_group_walk_order_dimensions")?.map_or([0, 1, 2], walk_order),
        ..KernelInfo::default()
    };
    if !matches!(info.simd, 1 | 8 | 16 | 32) {
        return Err(Error::Description(format!("simd_size {} is none of 1, 8, 16, 32", info.simd)));
    }
    Ok(info)
}

/// Memory that each thread has of its own.
fn add_buffer(info: &mut KernelInfo, y: Node<'_>) -> Result<(), Error> {
    let size = num(y, "size")?.unwrap_or(0);
    match text_of(y, "type").as_str() {
        "scratch" => info.scratch = info.scratch.saturating_add(size),
        "global" => info.private = Some(Private { size, per_channel: flag(y, "is_simt_thread") }),
        _ => {}
    }
    Ok(())
}

fn inline_sampler(y: Node<'_>) -> Result<InlineSampler, Error> {
    Ok(InlineSampler {
        index: num(y, "sampler_index")?.unwrap_or(0),
        addressing: text_of(y, "addrmode"),
        filter: text_of(y, "filtermode"),
        normalized: flag(y, "normalized"),
    })
}

/// Every kernel of a `.ze_info` section.
///
/// # Errors
///
/// The text is no such document, or a value is not of its type.
pub fn parse(text: &str) -> Result<Vec<KernelInfo>, Error> {
    let document = Document::read(text)?;
    let root = document.root();
    if root.get("kernels").is_none_or(|k| !matches!(k.scalar(), "" | "[]")) {
        return Err(Error::Description("found no list of kernels".into()));
    }
    let mut kernels: Vec<KernelInfo> = root.list("kernels").map(kernel).collect::<Result<_, _>>()?;
    // The first of a name counts.
    let numbers: BTreeMap<String, usize> =
        kernels.iter().enumerate().rev().map(|(i, k)| (k.name.clone(), i)).collect();
    for misc in root.list("kernels_misc_info") {
        let args = misc.list("args_info").map(|a| ArgInfo {
            name: text_of(a, "name"),
            type_name: text_of(a, "type_name"),
            space: text_of(a, "address_qualifier"),
        });
        if let Some(i) = numbers.get(&text_of(misc, "name")) {
            kernels[*i].args = args.collect();
        }
    }
    Ok(kernels)
}

/// The kernel of this name.
///
/// # Errors
///
/// As [`parse`]; there is no kernel of the name.
pub fn find(text: &str, name: &str) -> Result<KernelInfo, Error> {
    parse(text)?
        .into_iter()
        .find(|k| k.name == name)
        .ok_or_else(|| Error::Description(format!("no kernel `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_read() {
        let text = "---\nversion: '1.20'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      \
                    simd_size: 16\n      slm_size: 64\n    payload_arguments:\n      - arg_type: arg_byvalue\n        \
                    offset: 48\n        size: 4\n        arg_index: 2\n    binding_table_indices:\n      - bti_value: 1\n        \
                    arg_index: 0\n...\n";
        let k = find(text, "k").unwrap();
        assert_eq!((k.simd, k.slm, k.walk_order), (16, 64, [0, 1, 2]));
        assert_eq!((k.payload[0].offset, k.payload[0].arg), (48, Some(2)));
        assert_eq!(k.bindings, [(1, 0)]);
        assert!(find(text, "other").is_err());
        assert!(parse("kernels: [ {").is_err());
    }
}

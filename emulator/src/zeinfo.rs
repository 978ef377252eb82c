//! `.ze_info`: what a runtime must know about a compiled kernel. YAML, as the zebin specification of
//! Intel's graphics compiler describes it (`zeinfo.md`).

use crate::Error;
use yaml_rust2::{Yaml, YamlLoader};

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

fn int(y: &Yaml) -> Option<i64> {
    y.as_i64()
}

fn num(y: &Yaml, key: &str) -> Result<Option<u32>, Error> {
    match &y[key] {
        Yaml::BadValue => Ok(None),
        v => match int(v) {
            Some(-1) => Ok(None),
            Some(n) => {
                u32::try_from(n).map(Some).map_err(|_| Error::ZeInfo(format!("{key}: {n} is out of range")))
            }
            None => Err(Error::ZeInfo(format!("{key}: not a number"))),
        },
    }
}

fn text(y: &Yaml, key: &str) -> String {
    y[key].as_str().unwrap_or_default().to_owned()
}

fn list(y: &Yaml) -> &[Yaml] {
    y.as_vec().map_or(&[], Vec::as_slice)
}

fn triple(y: &Yaml) -> Result<Option<[u32; 3]>, Error> {
    let v = list(y);
    if v.is_empty() {
        return Ok(None);
    }
    let mut out = [0; 3];
    for (o, v) in out.iter_mut().zip(v) {
        *o = int(v)
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(|| Error::ZeInfo("not three numbers".into()))?;
    }
    Ok(Some(out))
}

fn payload(y: &Yaml) -> Result<PayloadArg, Error> {
    Ok(PayloadArg {
        kind: text(y, "arg_type"),
        offset: num(y, "offset")?.unwrap_or(0),
        size: num(y, "size")?.unwrap_or(0),
        arg: num(y, "arg_index")?,
        mode: text(y, "addrmode"),
        space: text(y, "addrspace"),
        source_offset: num(y, "source_offset")?.unwrap_or(0),
        slm_alignment: num(y, "slm_alignment")?.unwrap_or(1).max(1),
        sampler: num(y, "sampler_index")?,
        bti: num(y, "bti_value")?,
    })
}

fn kernel(y: &Yaml) -> Result<KernelInfo, Error> {
    let env = &y["execution_env"];
    let mut info = KernelInfo {
        name: text(y, "name"),
        simd: num(env, "simd_size")?.unwrap_or(1),
        grf_count: num(env, "grf_count")?.unwrap_or(128),
        slm: num(env, "slm_size")?.unwrap_or(0),
        barriers: num(env, "barrier_count")?.unwrap_or(0),
        skip_per_thread_load: num(env, "offset_to_skip_per_thread_data_load")?.unwrap_or(0),
        inline_data: num(env, "inline_data_payload_size")?.unwrap_or(0),
        required_group: triple(&env["required_work_group_size"])?.unwrap_or_default(),
        walk_order: triple(&env["work_group_walk_order_dimensions"])?
            .map_or([0, 1, 2], |o| o.map(|d| d.min(2) as usize)),
        ..KernelInfo::default()
    };
    // An order that names a dimension twice says the rest does not matter.
    let mut seen = [false; 3];
    for d in info.walk_order {
        seen[d] = true;
    }
    if seen != [true; 3] {
        let mut order: Vec<usize> = Vec::new();
        for d in info.walk_order.into_iter().chain(0..3) {
            if !order.contains(&d) {
                order.push(d);
            }
        }
        info.walk_order = [order[0], order[1], order[2]];
    }
    if !matches!(info.simd, 1 | 8 | 16 | 32) {
        return Err(Error::ZeInfo(format!("simd_size {} is none of 1, 8, 16, 32", info.simd)));
    }
    for a in list(&y["payload_arguments"]) {
        info.payload.push(payload(a)?);
    }
    for a in list(&y["per_thread_payload_arguments"]) {
        info.per_thread.push(payload(a)?);
    }
    for b in list(&y["binding_table_indices"]) {
        if let (Some(bti), Some(arg)) = (num(b, "bti_value")?, num(b, "arg_index")?) {
            info.bindings.push((bti, arg));
        }
    }
    for b in list(&y["per_thread_memory_buffers"]) {
        let size = num(b, "size")?.unwrap_or(0);
        match text(b, "type").as_str() {
            "scratch" => info.scratch = info.scratch.saturating_add(size),
            "global" => {
                let per_channel = b["is_simt_thread"].as_bool().unwrap_or(false);
                info.private = Some(Private { size, per_channel });
            }
            _ => {}
        }
    }
    for s in list(&y["inline_samplers"]) {
        info.inline_samplers.push(InlineSampler {
            index: num(s, "sampler_index")?.unwrap_or(0),
            addressing: text(s, "addrmode"),
            filter: text(s, "filtermode"),
            normalized: s["normalized"].as_bool().unwrap_or(false),
        });
    }
    Ok(info)
}

/// Every kernel of a `.ze_info` section.
pub fn parse(yaml: &str) -> Result<Vec<KernelInfo>, Error> {
    let docs = YamlLoader::load_from_str(yaml).map_err(|e| Error::ZeInfo(e.to_string()))?;
    let Some(doc) = docs.first() else { return Err(Error::ZeInfo("empty".into())) };
    let mut kernels: Vec<KernelInfo> = list(&doc["kernels"]).iter().map(kernel).collect::<Result<_, _>>()?;
    for misc in list(&doc["kernels_misc_info"]) {
        let name = text(misc, "name");
        let args = list(&misc["args_info"]).iter().map(|a| ArgInfo {
            name: text(a, "name"),
            type_name: text(a, "type_name"),
            space: text(a, "address_qualifier"),
        });
        if let Some(k) = kernels.iter_mut().find(|k| k.name == name) {
            k.args = args.collect();
        }
    }
    Ok(kernels)
}

/// The kernel of this name.
pub fn find(yaml: &str, name: &str) -> Result<KernelInfo, Error> {
    parse(yaml)?
        .into_iter()
        .find(|k| k.name == name)
        .ok_or_else(|| Error::ZeInfo(format!("no kernel `{name}`")))
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

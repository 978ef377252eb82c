//! What to run and on what: the work items, the kernel's arguments, and how they reach the threads.
//!
//! [`Launch`] is what a user says. [`Dispatch`] is what a runtime makes of it: bytes for every thread,
//! surfaces, samplers. Both the EU emulator and the vISA interpreter run a dispatch.

use crate::{
    Error,
    clk::{channel_order, channel_type},
    local_ids::{dispatched, local_ids, own_bytes},
    memory::{Buffer, Image, Memory, Sampler, Surface, Wrap},
};
use narrow::{as_index, low_u32, to_index, to_u64, to_usize};
use platforms::Platform;
use zebin::info::{KernelInfo, PayloadArg};

/// A kernel argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A buffer.
    Buffer(Buffer),
    /// A value, as many bytes as its type has.
    Scalar(Vec<u8>),
    /// Local memory of this many bytes.
    Local(u32),
    /// An image over a buffer's bytes.
    Image(Buffer, Image),
    /// A sampler.
    Sampler(Sampler),
    /// A null pointer.
    Null,
}

impl Arg {
    /// A 32-bit integer.
    pub fn u32(v: u32) -> Arg {
        Arg::Scalar(v.to_le_bytes().to_vec())
    }

    /// A 64-bit integer.
    pub fn u64(v: u64) -> Arg {
        Arg::Scalar(v.to_le_bytes().to_vec())
    }

    /// A float.
    pub fn f32(v: f32) -> Arg {
        Arg::Scalar(v.to_le_bytes().to_vec())
    }
}

/// A run of an OpenCL kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's `.ze_info`.
    pub kernel: KernelInfo,
    /// Work items in each dimension.
    pub global: [u32; 3],
    /// Work items of a group in each dimension; must divide `global`.
    pub local: [u32; 3],
    /// Added to global ids.
    pub offset: [u32; 3],
    /// Dimensions that the kernel is told of; those up to the last with more than one work item, if absent.
    pub dimensions: Option<u32>,
    /// Arguments in order.
    pub args: Vec<Arg>,
}

/// A run of a kernel that is told its payload directly, as media kernels are.
#[derive(Clone, Debug, Default)]
pub struct RawLaunch {
    /// Channels of a thread (1 for Cm).
    pub simd: u32,
    /// Groups in each dimension.
    pub groups: [u32; 3],
    /// Threads of a group.
    pub threads: u32,
    /// Register bytes from r1 on, for each thread of a group; a single one serves all.
    pub payload: Vec<Vec<u8>>,
    /// The surfaces by binding table index.
    pub surfaces: Vec<Option<Surface>>,
    /// The surfaces by offset of their state over 64.
    pub states: Vec<Option<Surface>>,
    /// The samplers by index.
    pub samplers: Vec<Option<Sampler>>,
    /// Bytes of shared local memory.
    pub slm: u32,
    /// Bytes of scratch memory of a thread.
    pub scratch: u32,
    /// General registers of a thread; as many as the platform can have, if 0.
    pub registers: u32,
}

/// Surfaces and samplers of a dispatch.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By binding table index.
    pub table: Vec<Option<Surface>>,
    /// By surface state offset over 64.
    pub states: Vec<Option<Surface>>,
    /// By sampler index.
    pub samplers: Vec<Option<Sampler>>,
}

/// A launch, laid out for the hardware.
#[derive(Clone, Debug, Default)]
pub struct Dispatch {
    /// Channels of a thread.
    pub simd: u32,
    /// Groups in each dimension.
    pub groups: [u32; 3],
    /// Threads of a group.
    pub threads: u32,
    /// Bytes of shared local memory.
    pub slm: u32,
    /// Scratch bytes of a thread: 0, or a power of two from 1024 on.
    pub scratch: u32,
    /// Surfaces and samplers.
    pub bindings: Bindings,
    /// Data that all threads see, as the payload holds it.
    pub cross: Vec<u8>,
    /// Data of each thread of a group (its local ids), padded to whole registers.
    pub per_thread: Vec<Vec<u8>>,
    /// Channels that run in each thread of a group.
    pub masks: Vec<u32>,
    /// Bytes of `cross` that come in a register where the rest is loaded from memory, which does not have them.
    pub inline: u32,
    /// `cross` and `per_thread` are already register images from r1 on.
    pub raw: bool,
    /// With [`Dispatch::raw`]: memory that the threads' `r0.0` leads to.
    pub indirect: Vec<u8>,
}

const MAX_THREADS: u64 = 64;

impl Dispatch {
    /// Lays out an OpenCL launch.
    pub fn new(platform: Platform, launch: &Launch, memory: &mut Memory) -> Result<Dispatch, Error> {
        let k = &launch.kernel;
        let grf = u32::from(platform.caps().regs.grf_bytes);
        let bad = |what: String| Error::Launch(what);
        let mut groups = [0; 3];
        for (d, count) in groups.iter_mut().enumerate() {
            let (g, l) = (launch.global[d], launch.local[d]);
            if l == 0 || g == 0 || g % l != 0 {
                return Err(bad(format!("{g} work items in groups of {l}")));
            }
            if k.required_group[d] != 0 && k.required_group[d] != l {
                return Err(bad(format!("groups of {l} where the kernel requires {}", k.required_group[d])));
            }
            *count = g / l;
        }
        let items = launch.local.iter().map(|&l| u64::from(l)).product::<u64>();
        let threads = items.div_ceil(k.simd.into());
        if threads > MAX_THREADS * 16 {
            return Err(bad(format!("{items} work items in a group are too many")));
        }
        let threads = low_u32(threads);
        let mut d = Dispatch {
            simd: k.simd,
            groups,
            threads,
            scratch: if k.scratch == 0 { 0 } else { k.scratch.next_power_of_two().max(1024) },
            inline: k.inline_data,
            ..Dispatch::default()
        };
        if k.scratch > 1 << 24 {
            return Err(bad(format!("{} bytes of scratch memory", k.scratch)));
        }
        d.slm = k.slm;
        d.bind(launch, memory)?;
        d.cross = d.cross_data(launch, memory)?;
        for thread in 0..threads {
            let mut own = local_ids(k, launch.local, thread, grf);
            own.resize(as_index(own_bytes(platform, k)), 0);
            d.per_thread.push(own);
            let left = items - u64::from(thread) * u64::from(k.simd);
            d.masks.push(dispatched(low_u32(left.min(k.simd.into())), k.simd));
        }
        Ok(d)
    }

    /// Lays out a launch with its payload given.
    pub fn raw(platform: Platform, launch: &RawLaunch) -> Result<Dispatch, Error> {
        let grf = usize::from(platform.caps().regs.grf_bytes);
        if launch.payload.len() > 1 && launch.payload.len() != as_index(launch.threads) {
            return Err(Error::Launch(format!(
                "{} payloads for {} threads",
                launch.payload.len(),
                launch.threads
            )));
        }
        // Where a kernel loads its inputs itself, it finds them in memory; all threads find the same there.
        let loads = platform.caps().thread.payload_prologue && launch.payload.len() == 1;
        let indirect = if loads { launch.payload[0].clone() } else { Vec::new() };
        let mut per_thread = Vec::new();
        for i in 0..as_index(launch.threads) {
            let mut bytes = launch.payload.get(i).or(launch.payload.first()).cloned().unwrap_or_default();
            if bytes.len() > 126 * grf {
                return Err(Error::Launch(format!("{} bytes of payload", bytes.len())));
            }
            bytes.resize(bytes.len().next_multiple_of(grf), 0);
            per_thread.push(bytes);
        }
        Ok(Dispatch {
            simd: launch.simd,
            groups: launch.groups,
            threads: launch.threads,
            slm: launch.slm,
            scratch: if launch.scratch == 0 { 0 } else { launch.scratch.next_power_of_two().max(1024) },
            bindings: Bindings {
                table: launch.surfaces.clone(),
                states: launch.states.clone(),
                samplers: launch.samplers.clone(),
            },
            cross: Vec::new(),
            masks: vec![dispatched(launch.simd.max(1), launch.simd); as_index(launch.threads)],
            per_thread,
            inline: 0,
            raw: true,
            indirect,
        })
    }

    /// The payload registers of a thread from r1 on, as the kernel's inputs find them: the thread's own
    /// data, then what all threads see.
    pub fn registers(&self, grf: u32, thread: u32) -> Vec<u8> {
        let mut out = self.per_thread.get(as_index(thread)).cloned().unwrap_or_default();
        out.resize(out.len().next_multiple_of(as_index(grf)), 0);
        out.extend_from_slice(&self.cross);
        out.resize(out.len().next_multiple_of(as_index(grf)), 0);
        out
    }

    /// Surfaces and samplers of the arguments.
    fn bind(&mut self, launch: &Launch, memory: &Memory) -> Result<(), Error> {
        for &(bti, arg) in &launch.kernel.bindings {
            if bti > 0xf0 {
                return Err(Error::Launch(format!("binding table index {bti}")));
            }
            let surface = surface(launch, arg, memory)?;
            let bti = as_index(bti);
            if self.bindings.table.len() <= bti {
                self.bindings.table.resize(bti + 1, None);
            }
            self.bindings.table[bti] = surface;
        }
        for s in &launch.kernel.inline_samplers {
            let wrap = match s.addressing.as_str() {
                "clamp_border" => Wrap::Border,
                "repeat" => Wrap::Repeat,
                "mirror" => Wrap::Mirror,
                _ => Wrap::Edge,
            };
            let sampler = Sampler { normalized: s.normalized, linear: s.filter == "linear", wrap };
            self.set_sampler(s.index, sampler);
        }
        Ok(())
    }

    fn set_sampler(&mut self, index: u32, sampler: Sampler) {
        let index = as_index(index & 0xf);
        if self.bindings.samplers.len() <= index {
            self.bindings.samplers.resize(index + 1, None);
        }
        self.bindings.samplers[index] = Some(sampler);
    }

    fn cross_data(&mut self, launch: &Launch, memory: &mut Memory) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        for item in &launch.kernel.payload {
            let bytes = self.item(launch, item, memory)?;
            if item.size == 0 {
                continue;
            }
            let end = u64::from(item.offset) + u64::from(item.size);
            if end > 4096 * 4 {
                return Err(Error::Layout(format!("payload at offset {}", item.offset)));
            }
            if out.len() < to_usize(end) {
                out.resize(to_usize(end), 0);
            }
            let n = bytes.len().min(as_index(item.size));
            let at = as_index(item.offset);
            out[at..at + n].copy_from_slice(&bytes[..n]);
        }
        // The runtime hands over whole 32-byte units.
        out.resize(out.len().next_multiple_of(32), 0);
        Ok(out)
    }

    /// The bytes of one item of the payload.
    fn item(&mut self, launch: &Launch, item: &PayloadArg, memory: &mut Memory) -> Result<Vec<u8>, Error> {
        let kind = item.kind.as_str();
        Ok(match kind {
            "global_id_offset"
            | "local_size"
            | "enqueued_local_size"
            | "group_count"
            | "global_size"
            | "work_dimensions" => self.of_launch(launch, kind),
            "arg_byvalue" => match argument(launch, item)? {
                Arg::Scalar(bytes) => bytes.get(as_index(item.source_offset)..).unwrap_or_default().to_vec(),
                _ => return Err(Error::Launch(format!("argument {:?} is not a value", item.arg))),
            },
            "arg_bypointer" => self.pointer(launch, item, argument(launch, item)?, memory)?,
            "buffer_address" => match argument(launch, item)? {
                Arg::Buffer(b) => memory.address(*b).to_le_bytes().to_vec(),
                _ => vec![0; 8],
            },
            "buffer_size" => match argument(launch, item)? {
                Arg::Buffer(b) => to_u64(memory.bytes(*b).len()).to_le_bytes().to_vec(),
                _ => vec![0; 8],
            },
            "buffer_offset" => vec![0; 8],
            "binding_table_index" => dword(item.bti.unwrap_or(0)),
            "image_width" => dword(image_argument(launch, item)?.width),
            "image_height" => dword(image_argument(launch, item)?.height),
            "image_depth" | "image_array_size" => dword(image_argument(launch, item)?.depth),
            "image_num_mip_levels" | "image_num_samples" => dword(0),
            "image_channel_data_type" => dword(channel_type(image_argument(launch, item)?)),
            "image_channel_order" => dword(channel_order(image_argument(launch, item)?)),
            "sampler_normalized" => dword(sampler_argument(launch, item)?.normalized.into()),
            "sampler_address" => dword(wrap_code(sampler_argument(launch, item)?.wrap)),
            "private_base_stateless" => self.private_memory(launch, memory)?,
            "implicit_arg_buffer" | "printf_buffer" | "assert_buffer" | "sync_buffer" => {
                // A caller that wants to see what is left in it adds it before the launch.
                let b = memory.named(&item.kind);
                let b = b.unwrap_or_else(|| memory.add(item.kind.clone(), vec![0; 1 << 16]));
                memory.address(b).to_le_bytes().to_vec()
            }
            // Kinds without meaning here read as zero.
            _ => vec![0; as_index(item.size)],
        })
    }

    /// What is the same for all threads of a launch.
    fn of_launch(&self, launch: &Launch, kind: &str) -> Vec<u8> {
        let triple = |v: [u32; 3]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        match kind {
            "global_id_offset" => triple(launch.offset),
            "group_count" => triple(self.groups),
            "global_size" => triple(launch.global),
            "work_dimensions" => {
                let used = || launch.global.iter().rposition(|&g| g > 1).map_or(1, |d| to_index(d) + 1);
                dword(launch.dimensions.unwrap_or_else(used))
            }
            _ => triple(launch.local),
        }
    }

    /// The address of new memory for what each lane, or each thread, has of its own; 0 if the kernel needs none.
    fn private_memory(&self, launch: &Launch, memory: &mut Memory) -> Result<Vec<u8>, Error> {
        let Some(p) = launch.kernel.private else { return Ok(vec![0; 8]) };
        let lanes = if p.per_channel { self.simd } else { 1 };
        let size = u64::from(p.size) * u64::from(lanes) * u64::from(self.threads);
        if size > 1 << 28 {
            return Err(Error::Launch(format!("{size} bytes of private memory")));
        }
        let b = memory.add("private", vec![0; to_usize(size)]);
        Ok(memory.address(b).to_le_bytes().to_vec())
    }

    fn pointer(
        &mut self,
        launch: &Launch,
        item: &PayloadArg,
        arg: &Arg,
        memory: &Memory,
    ) -> Result<Vec<u8>, Error> {
        let index = item.arg.unwrap_or(0);
        match (item.mode.as_str(), arg) {
            (_, Arg::Sampler(s)) => {
                self.set_sampler(item.sampler.unwrap_or(0), *s);
                Ok(vec![0; as_index(item.size)])
            }
            ("slm", Arg::Local(bytes)) => {
                let at = self.slm.next_multiple_of(item.slm_alignment.max(1));
                self.slm =
                    at.checked_add(*bytes).ok_or_else(|| Error::Launch("too much local memory".into()))?;
                Ok(at.to_le_bytes().to_vec())
            }
            ("bindless", _) => {
                let s = surface(launch, index, memory)?;
                self.bindings.states.push(s);
                Ok(to_u64((self.bindings.states.len() - 1) * 64).to_le_bytes().to_vec())
            }
            ("stateless", Arg::Buffer(b)) => Ok(memory.address(*b).to_le_bytes().to_vec()),
            ("stateless", Arg::Null) => Ok(vec![0; 8]),
            ("stateful", _) => Ok(vec![0; as_index(item.size)]),
            (mode, arg) => {
                Err(Error::Launch(format!("argument {index}: {arg:?} does not suit a {mode} pointer")))
            }
        }
    }
}

fn surface(launch: &Launch, arg: u32, memory: &Memory) -> Result<Option<Surface>, Error> {
    Ok(match launch.args.get(as_index(arg)) {
        Some(Arg::Buffer(b)) => {
            Some(Surface { base: memory.address(*b), size: to_u64(memory.bytes(*b).len()), image: None })
        }
        Some(Arg::Image(b, image)) => {
            if image.bytes() > to_u64(memory.bytes(*b).len()) {
                return Err(Error::Launch(format!("argument {arg}: the image is larger than its buffer")));
            }
            Some(Surface { base: memory.address(*b), size: image.bytes(), image: Some(image.clone()) })
        }
        Some(Arg::Null) => None,
        Some(other) => return Err(Error::Launch(format!("argument {arg}: {other:?} is no surface"))),
        None => return Err(Error::Launch(format!("argument {arg} is missing"))),
    })
}

fn dword(v: u32) -> Vec<u8> {
    v.to_le_bytes().to_vec()
}

/// The argument that an item is about.
fn argument<'l>(launch: &'l Launch, item: &PayloadArg) -> Result<&'l Arg, Error> {
    let index = item.arg.ok_or_else(|| Error::Layout(format!("{}: no arg_index", item.kind)))?;
    launch.args.get(as_index(index)).ok_or_else(|| Error::Launch(format!("argument {index} is missing")))
}

fn image_argument<'l>(launch: &'l Launch, item: &PayloadArg) -> Result<&'l Image, Error> {
    match argument(launch, item)? {
        Arg::Image(_, image) => Ok(image),
        _ => Err(Error::Launch(format!("argument {:?} is not an image", item.arg))),
    }
}

fn sampler_argument(launch: &Launch, item: &PayloadArg) -> Result<Sampler, Error> {
    match argument(launch, item)? {
        Arg::Sampler(sampler) => Ok(*sampler),
        _ => Err(Error::Launch(format!("argument {:?} is not a sampler", item.arg))),
    }
}

/// `CLK_ADDRESS_CLAMP_TO_EDGE`, `_CLAMP`, `_REPEAT`, `_MIRRORED_REPEAT` as IGC numbers them.
const fn wrap_code(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Edge => 0x2,
        Wrap::Border => 0x4,
        Wrap::Repeat => 0x6,
        Wrap::Mirror => 0x8,
    }
}

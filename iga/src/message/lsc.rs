//! Load/store cache messages (`ugm`, `ugml`, `tgm`, `slm`).

use super::{
    Addressing, Data,
    Kind::{self, Atomic, Load},
    Message, Query, Surface,
};
use gen_ir::Sfid;
use messages::{
    Effect, ResponseLength,
    lsc::{
        AddressModel, AddressSize, Block2d, BtiExtended, Compression, DataSize, Fence, Flush, LscForm, Op,
        Quad, Scope, Untyped, VectorSize,
    },
};
use std::fmt::Write;

/// Cache controls of levels 1 and 3 by number, for loads.
const CACHED_LOADS: [&str; 8] = ["", ".uc.uc", ".uc.ca", ".ca.uc", ".ca.ca", ".st.uc", ".st.ca", ".ri.ca"];
/// The same for stores and atomics.
const CACHED_STORES: [&str; 8] = ["", ".uc.uc", ".uc.wb", ".wt.uc", ".wt.wb", ".st.uc", ".st.wb", ".wb.wb"];

/// Decodes a load/store cache message.
pub(super) fn decode(q: &Query) -> Message {
    let Some(op) = q.as_kind::<Untyped>().op() else { return q.invalid() };
    match op {
        Op::CompressionControl => compression_control(q),
        Op::ReadState => read_state(q),
        Op::Fence => fence(q),
        _ if op.row().words.is_empty() || op.row().newer && !q.newer() => q.invalid(),
        _ => memory(q, op),
    }
}

/// Addressing, and its text in the notation (`bti[3]`, `bss[a0.2]`, empty when flat).
fn surface(q: &Query) -> (Addressing, Surface, String) {
    let (kind, name) = match q.as_kind::<Untyped>().address_model() {
        None | Some(AddressModel::Flat) => return (Addressing::Flat, Surface::Imm(0), String::new()),
        Some(AddressModel::Bss) => (Addressing::Bss, "bss"),
        Some(AddressModel::Ss) => (Addressing::Ss, "ss"),
        Some(AddressModel::Bti) => (Addressing::Bti, "bti"),
    };
    match (kind, q.ex_desc) {
        (_, Err(sub)) => (kind, Surface::Addr(sub), format!("{name}[a0.{sub}]")),
        (Addressing::Bti, Ok(desc)) => {
            let index = BtiExtended::from(desc).surface().0.into();
            (kind, Surface::Imm(index), format!("{name}[{index}]"))
        }
        (_, Ok(desc)) => {
            let offset = desc.surface_offset().into_bits();
            (kind, Surface::Imm(offset), format!("{name}[0x{offset:X}]"))
        }
    }
}

/// `.d32x4t` after the number of bits in memory and in registers.
fn put_data(q: &Query, op: Op, m: &mut Message, controls: &mut String) -> bool {
    let desc = q.as_kind::<Untyped>();
    let size = desc.data_size();
    m.data = Data::new(Kind::of(op.row().effect), size.map_or(0, |s| 8 * s.register_bytes()), 1);
    controls.push('.');
    controls.push_str(size.map_or("0x7", DataSize::name));
    if op.is_quad() {
        let channels = q.as_kind::<Quad>().channels();
        m.data.elements = channels.count_ones();
        controls.push('.');
        controls.extend("xyzw".chars().zip(0..).filter(|&(_, i)| channels >> i & 1 != 0).map(|(c, _)| c));
        return channels != 0;
    }
    let block = op.is_block2d();
    let vector = desc.vector_size().map_or(1, VectorSize::elements);
    let transposed = desc.transpose();
    (m.data.elements, m.data.transposed) = (vector, transposed);
    if vector > 1 || (transposed && !block) {
        let _ = write!(controls, "x{vector}");
    }
    if transposed {
        controls.push('t');
    }
    if op == Op::LoadBlock2d && q.as_kind::<Block2d>().vnni() {
        controls.push('v');
    }
    !(transposed && op == Op::LoadStatus)
}

/// Cache controls of levels 1 and 3, for loads and for stores and atomics.
fn cache(q: &Query, kind: Kind) -> &'static str {
    let table = if kind == Load { &CACHED_LOADS } else { &CACHED_STORES };
    table[usize::from(q.as_kind::<Untyped>().cache_control())]
}

fn memory(q: &Query, op: Op) -> Message {
    let row = op.row();
    let kind = Kind::of(row.effect);
    let mut m = q.empty();
    m.description = row.words.into();
    if q.ex_desc.is_ok_and(|desc| !desc.is_surface_offset()) {
        m.valid = false;
    }
    let desc = q.as_kind::<Untyped>();
    if op == Op::LoadStatus && (desc.transpose() || q.desc.response_length() != ResponseLength::ONE) {
        m.valid = false;
    }
    let (addressing, surface, surface_text) = surface(q);
    (m.addressing, m.surface) = (addressing, surface);
    let mut text = format!("{}.{}", row.mnemonic, q.sfid);
    m.valid &= put_data(q, op, &mut m, &mut text);
    m.data.pair = op.operation().is_some_and(|o| o.operands() == 2);
    let block = op.is_block2d();
    let size = if block { Some(AddressSize::A64) } else { desc.address_size() };
    (m.addr_bits, text) = match size {
        Some(AddressSize::A16) => (16, text + ".a16"),
        Some(AddressSize::A32) => (32, text + ".a32"),
        Some(AddressSize::A64) => (64, text + ".a64"),
        None => {
            m.valid = false;
            (0, text + ".a???")
        }
    };
    if q.sfid != Sfid::Slm {
        text.push_str(cache(q, kind));
    }
    if !surface_text.is_empty() {
        text.push('.');
        text.push_str(&surface_text);
    }
    m.surface_text = surface_text;
    m.notation = op != Op::LoadStatus;
    m.coordinates = q.sfid == Sfid::Tgm && (op.is_quad() || (block && q.newer()) || kind == Atomic);
    if m.valid {
        m.syntax = Some(text);
    }
    m
}

fn compression_control(q: &Query) -> Message {
    let mut m = q.empty();
    // The operation stands in the place of cache control.
    let desc = q.as_kind::<Untyped>();
    let operation = Compression::from_bits(desc.cache_control().into());
    let (name, what) = match operation {
        Some(Compression::PageClear) => ("_pc", " page clear (64k)"),
        Some(Compression::SectorClear) => ("_sc", " sector clear (2-cachelines)"),
        Some(Compression::PageUncompress) => ("_pu", " page uncompress (64k)"),
        Some(Compression::SectorUncompress) => ("_su", " sector uncompress (2-cachelines)"),
        None => {
            m.valid = false;
            ("", "invalid ccs sop")
        }
    };
    m.description = format!("compression-state control{what}");
    let (addressing, surface, surface_text) = surface(q);
    (m.addressing, m.surface) = (addressing, surface);
    let mut text = format!("ccs{name}.{}", q.sfid);
    if matches!(operation, Some(Compression::PageClear | Compression::PageUncompress)) {
        m.valid &= addressing == Addressing::Flat && desc.address_size() == Some(AddressSize::A64);
        m.lanes = 1;
    } else {
        m.lanes = q.full_lanes();
        text.push_str(".a32");
    }
    if !surface_text.is_empty() {
        text.push('.');
        text.push_str(&surface_text);
    }
    if m.valid {
        m.syntax = Some(text);
    }
    m
}

fn read_state(q: &Query) -> Message {
    let (addressing, surface, surface_text) = surface(q);
    let valid = addressing != Addressing::Flat;
    let mut text = format!("read_state.{}", q.sfid);
    if !surface_text.is_empty() {
        text.push('.');
        text.push_str(&surface_text);
    }
    Message {
        description: "read state information".into(),
        syntax: valid.then_some(text),
        addressing,
        surface,
        coordinates: true,
        lanes: 1,
        addr_bits: 64,
        valid,
        ..q.empty()
    }
}

fn fence(q: &Query) -> Message {
    let fence = q.as_kind::<Fence>();
    let (op, op_text) = match fence.flush() {
        Some(Flush::None) => (".none", "no op"),
        Some(Flush::Evict) => (".evict", "evict (dirty lines invalidated and evicted)"),
        Some(Flush::Invalidate) => (".invalidate", "invalidate (all clean lines, but do not evict)"),
        Some(Flush::Discard) => (".discard", "discard (dirty and clean lines invalidated without eviction)"),
        Some(Flush::Clean) => (".clean", "clean (dirty lines written out, but kept in clean state)"),
        Some(Flush::FlushL3) => (".flushl3", "flush L3 only"),
        Some(Flush::Type6) | None => ("", "invalid flush type"),
    };
    let (scope, scope_text) = match fence.scope() {
        Some(Scope::Group) => (".group", "thread group"),
        Some(Scope::Local) => (".local", "slice"),
        Some(Scope::Tile) => (".tile", "tile"),
        Some(Scope::Gpu) => (".gpu", "gpu"),
        Some(Scope::AllGpus) => (".gpus", "all gpus"),
        Some(Scope::SystemRelease) => (".sysrel", "system release"),
        Some(Scope::SystemAcquire) => (".sysacq", "system acquire"),
        None => ("", "invalid flush scope"),
    };
    let valid = !op.is_empty() && !scope.is_empty();
    Message {
        description: format!("fence {op_text} scoped to {scope_text}"),
        syntax: valid.then(|| format!("fence.{}{op}{scope}", q.sfid)),
        lanes: 1,
        valid,
        ..q.empty()
    }
}

/// The operation that a mnemonic of the load/store notation names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    op: Op,
    /// What it does.
    pub(crate) kind: Kind,
}

/// Finds a mnemonic of the load/store notation.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    let written = |op: &&Op| {
        let row = op.row();
        let access = matches!(row.effect, Effect::Load | Effect::Store | Effect::Atomic);
        access && !row.newer && !matches!(row.form, LscForm::Status | LscForm::State) && row.mnemonic == name
    };
    let op = *Op::ALL.iter().find(written).filter(|_| !name.is_empty())?;
    Some(Operation { op, kind: Kind::of(op.row().effect) })
}

/// The descriptor that controls stand for (`d32x4t`, `xyz`, `a64`, `ca`, `ca`); the index of the one at fault
/// otherwise.
pub(crate) fn encode_controls(operation: Operation, controls: &[&str]) -> Result<u32, usize> {
    let op = operation.op;
    let mut at = 0;
    let mut desc = data_control(op, controls.first().ok_or(0usize)?).ok_or(0usize)?;
    at += 1;
    if op.is_quad() {
        let mut channels = 0;
        for c in controls.get(at).ok_or(at)?.chars() {
            channels |= 1 << "xyzw".find(c).ok_or(at)?;
        }
        desc |= Quad::new().with_op(Some(op)).with_channels(channels).into_bits();
        at += 1;
    }
    let size = match controls.get(at) {
        Some(&"a16") if !op.is_block2d() => AddressSize::A16,
        Some(&"a32") if !op.is_block2d() => AddressSize::A32,
        Some(&"a64") => AddressSize::A64,
        _ => return Err(at),
    };
    if !op.is_block2d() {
        desc |= Untyped::new().with_op(Some(op)).with_address_size(Some(size)).into_bits();
    }
    at += 1;
    if let Some(rest) = controls.get(at..).filter(|rest| !rest.is_empty()) {
        let text: String = rest.iter().map(|c| format!(".{c}")).collect();
        let table = if operation.kind == Load { &CACHED_LOADS } else { &CACHED_STORES };
        let code = (0u8..).zip(table).find(|(_, c)| **c == text).ok_or(at)?.0;
        desc |= Untyped::new().with_op(Some(op)).with_cache_control(code).into_bits();
    }
    Ok(desc)
}

/// The operation, data size, vector and order of `d32x4t`, as descriptor bits.
fn data_control(op: Op, data: &str) -> Option<u32> {
    let split = data.find('x').unwrap_or(data.len());
    let (size, vector) = data.split_at(split);
    let (size, mut tail) = match size.find(['t', 'v']) {
        Some(i) if vector.is_empty() => size.split_at(i),
        _ => (size, vector),
    };
    let size = DataSize::ALL.iter().copied().find(|s| s.name() == size)?;
    let mut desc = Untyped::new().with_op(Some(op)).with_data_size(Some(size));
    let plain = desc;
    if let Some(rest) = tail.strip_prefix('x') {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        desc = desc.with_vector_size(Some(VectorSize::of(rest[..end].parse().ok()?)?));
        tail = &rest[end..];
    }
    if let Some(rest) = tail.strip_prefix('t') {
        desc = desc.with_transpose(true);
        tail = rest;
    }
    if op.is_quad() && desc != plain {
        return None;
    }
    let mut bits = desc.into_bits();
    if let Some(rest) = tail.strip_prefix('v').filter(|_| op == Op::LoadBlock2d) {
        bits |= Block2d::new().with_op(Some(op)).with_vnni(true).into_bits();
        tail = rest;
    }
    tail.is_empty().then_some(bits)
}

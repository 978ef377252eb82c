//! Load/store cache messages (`ugm`, `ugml`, `tgm`, `slm`).

use super::{
    Addressing, Data,
    Kind::{self, Atomic, Load, Store},
    Message, Query, Surface,
};
use gen_ir::Sfid;
use messages::{
    Descriptor,
    lsc::{DataSize, Untyped, VectorSize},
};
use std::fmt::Write;

struct Row {
    number: u32,
    name: &'static str,
    kind: Kind,
    /// Channels are chosen by a mask.
    quad: bool,
    description: &'static str,
}

const fn row(number: u32, name: &'static str, kind: Kind, quad: bool, description: &'static str) -> Row {
    Row { number, name, kind, quad, description }
}

#[rustfmt::skip]
static OPS: &[Row] = &[
    row(0x00, "load", Load, false, "gathering load"),
    row(0x01, "load_strided", Load, false, "strided load (a.k.a load_block)"),
    row(0x02, "load_quad", Load, true, "quad load (a.k.a. load_cmask)"),
    row(LOAD_BLOCK2D, "load_block2d", Load, false, "block2d load"),
    row(0x04, "store", Store, false, "scattering store"),
    row(0x05, "store_strided", Store, false, "strided store (a.k.a store_block)"),
    row(0x06, "store_quad", Store, true, "quad store (a.k.a. store_cmask)"),
    row(STORE_BLOCK2D, "store_block2d", Store, false, "block2d store"),
    row(0x08, "atomic_iinc", Atomic, false, "atomic integer increment"),
    row(0x09, "atomic_idec", Atomic, false, "atomic integer decrement"),
    row(0x0a, "atomic_load", Atomic, false, "atomic load"),
    row(0x0b, "atomic_store", Atomic, false, "atomic store"),
    row(0x0c, "atomic_iadd", Atomic, false, "atomic integer add"),
    row(0x0d, "atomic_isub", Atomic, false, "atomic integer subtract"),
    row(0x0e, "atomic_smin", Atomic, false, "atomic signed-integer minimum"),
    row(0x0f, "atomic_smax", Atomic, false, "atomic signed-integer maximum"),
    row(0x10, "atomic_umin", Atomic, false, "atomic unsigned-integer minimum"),
    row(0x11, "atomic_umax", Atomic, false, "atomic unsigned-integer maximum"),
    row(ATOMIC_ICAS, "atomic_icas", Atomic, false, "atomic integer compare and swap"),
    row(0x13, "atomic_fadd", Atomic, false, "atomic float add"),
    row(0x14, "atomic_fsub", Atomic, false, "atomic float subtract"),
    row(0x15, "atomic_fmin", Atomic, false, "atomic float minimum"),
    row(0x16, "atomic_fmax", Atomic, false, "atomic float maximum"),
    row(ATOMIC_FCAS, "atomic_fcas", Atomic, false, "atomic float compare and swap"),
    row(0x18, "atomic_and", Atomic, false, "atomic logical and"),
    row(0x19, "atomic_or", Atomic, false, "atomic logical or"),
    row(0x1a, "atomic_xor", Atomic, false, "atomic logical xor"),
    row(LOAD_STATUS, "load_status", Load, false, "load status"),
    row(0x1c, "store_uncompressed", Store, false, "scattering store uncompressed"),
    row(0x20, "store_uncompressed_quad", Store, true, "store quad uncompressed"),
];

/// Messages that only the newer edition names.
#[rustfmt::skip]
static NEWER_OPS: &[Row] = &[
    row(0x28, "atomic_acadd", Atomic, false, "atomic counter append add"),
    row(0x29, "atomic_acsub", Atomic, false, "atomic counter append sub"),
    row(0x2a, "atomic_acstore", Atomic, false, "atomic counter append store"),
    row(0x31, "load_quad_msrt", Load, true, "load quad from multi-sample render target"),
    row(0x32, "store_quad_msrt", Store, true, "store quad to multi-sample render target"),
];

const LOAD_BLOCK2D: u32 = 0x03;
const STORE_BLOCK2D: u32 = 0x07;
const LOAD_STATUS: u32 = 0x1b;
const ATOMIC_ICAS: u32 = 0x12;
const ATOMIC_FCAS: u32 = 0x17;

/// Cache controls of levels 1 and 3 by number, for loads.
const CACHED_LOADS: [&str; 8] = ["", ".uc.uc", ".uc.ca", ".ca.uc", ".ca.ca", ".st.uc", ".st.ca", ".ri.ca"];
/// The same for stores and atomics.
const CACHED_STORES: [&str; 8] = ["", ".uc.uc", ".uc.wb", ".wt.uc", ".wt.wb", ".st.uc", ".st.wb", ".wb.wb"];

/// Decodes a load/store cache message.
pub(super) fn decode(q: &Query) -> Message {
    match q.bits(0, 6) {
        0x1d => compression_control(q),
        0x1e => read_state(q),
        0x1f => fence(q),
        number => match ops(q.newer()).find(|row| row.number == number) {
            Some(row) => memory(q, row),
            None => q.invalid(),
        },
    }
}

fn ops(newer: bool) -> impl Iterator<Item = &'static Row> {
    OPS.iter().chain(if newer { NEWER_OPS } else { &[] })
}

/// Addressing, and its text in the notation (`bti[3]`, `bss[a0.2]`, empty when flat).
fn surface(q: &Query) -> (Addressing, Surface, String) {
    let kind = match q.bits(29, 2) {
        0 => return (Addressing::Flat, Surface::Imm(0), String::new()),
        1 => Addressing::Bss,
        2 => Addressing::Ss,
        _ => Addressing::Bti,
    };
    let name = match kind {
        Addressing::Bss => "bss",
        Addressing::Ss => "ss",
        _ => "bti",
    };
    match (kind, q.ex_desc) {
        (_, Err(sub)) => (kind, Surface::Addr(sub), format!("{name}[a0.{sub}]")),
        (Addressing::Bti, Ok(bits)) => {
            let index = bits >> 24;
            (kind, Surface::Imm(index), format!("{name}[{index}]"))
        }
        (_, Ok(bits)) => {
            let offset = bits & !0x7ff;
            (kind, Surface::Imm(offset), format!("{name}[0x{offset:X}]"))
        }
    }
}

/// `.d32x4t` after the number of bits in memory and in registers.
fn put_data(q: &Query, row: &Row, m: &mut Message, controls: &mut String) -> bool {
    let desc = Untyped::from(Descriptor::from_bits(q.desc));
    let size = desc.data_size();
    m.data = Data::new(row.kind, size.map_or(0, |s| 8 * s.register_bytes()), 1);
    controls.push('.');
    controls.push_str(size.map_or("0x7", DataSize::name));
    if row.quad {
        m.data.elements = q.bits(12, 4).count_ones();
        controls.push('.');
        controls.extend("xyzw".chars().zip(12..).filter(|&(_, i)| q.bit(i)).map(|(c, _)| c));
        return q.bits(12, 4) != 0;
    }
    let block = matches!(row.number, LOAD_BLOCK2D | STORE_BLOCK2D);
    let vector = desc.vector_size().map_or(1, VectorSize::elements);
    let transposed = desc.transpose();
    (m.data.elements, m.data.transposed) = (vector, transposed);
    if vector > 1 || (transposed && !block) {
        let _ = write!(controls, "x{vector}");
    }
    if transposed {
        controls.push('t');
    }
    if row.number == LOAD_BLOCK2D && q.bit(7) {
        controls.push('v');
    }
    !(transposed && row.number == LOAD_STATUS)
}

/// Cache controls of levels 1 and 3, for loads and for stores and atomics.
fn cache(q: &Query, kind: Kind) -> &'static str {
    let table = if kind == Load { &CACHED_LOADS } else { &CACHED_STORES };
    table[q.bits(17, 3) as usize]
}

fn memory(q: &Query, row: &Row) -> Message {
    let mut m = q.empty();
    m.description = row.description.into();
    if q.ex_desc.is_ok_and(|bits| bits & 0x7ff != 0) {
        m.valid = false;
    }
    if row.number == LOAD_STATUS && (q.bit(15) || q.bits(20, 5) != 1) {
        m.valid = false;
    }
    let (addressing, surface, surface_text) = surface(q);
    (m.addressing, m.surface) = (addressing, surface);
    let mut text = format!("{}.{}", row.name, q.sfid);
    m.valid &= put_data(q, row, &mut m, &mut text);
    m.data.pair = matches!(row.number, ATOMIC_ICAS | ATOMIC_FCAS);
    let block = matches!(row.number, LOAD_BLOCK2D | STORE_BLOCK2D);
    let size = if block { 3 } else { q.bits(7, 2) };
    (m.addr_bits, text) = match size {
        1 => (16, text + ".a16"),
        2 => (32, text + ".a32"),
        3 => (64, text + ".a64"),
        _ => {
            m.valid = false;
            (0, text + ".a???")
        }
    };
    if q.sfid != Sfid::Slm {
        text.push_str(cache(q, row.kind));
    }
    if !surface_text.is_empty() {
        text.push('.');
        text.push_str(&surface_text);
    }
    m.surface_text = surface_text;
    m.notation = row.number != LOAD_STATUS;
    m.coordinates = q.sfid == Sfid::Tgm && (row.quad || (block && q.newer()) || row.kind == Atomic);
    if m.valid {
        m.syntax = Some(text);
    }
    m
}

fn compression_control(q: &Query) -> Message {
    let mut m = q.empty();
    let (name, what) = match q.bits(17, 3) {
        0 => ("_pc", " page clear (64k)"),
        1 => ("_sc", " sector clear (2-cachelines)"),
        2 => ("_pu", " page uncompress (64k)"),
        3 => ("_su", " sector uncompress (2-cachelines)"),
        _ => {
            m.valid = false;
            ("", "invalid ccs sop")
        }
    };
    m.description = format!("compression-state control{what}");
    let (addressing, surface, surface_text) = surface(q);
    (m.addressing, m.surface) = (addressing, surface);
    let mut text = format!("ccs{name}.{}", q.sfid);
    if matches!(q.bits(17, 3), 0 | 2) {
        m.valid &= addressing == Addressing::Flat && q.bits(7, 2) == 3;
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
    let (op, op_text) = match q.bits(12, 3) {
        0 => (".none", "no op"),
        1 => (".evict", "evict (dirty lines invalidated and evicted)"),
        2 => (".invalidate", "invalidate (all clean lines, but do not evict)"),
        3 => (".discard", "discard (dirty and clean lines invalidated without eviction)"),
        4 => (".clean", "clean (dirty lines written out, but kept in clean state)"),
        5 => (".flushl3", "flush L3 only"),
        _ => ("", "invalid flush type"),
    };
    let (scope, scope_text) = match q.bits(9, 3) {
        0 => (".group", "thread group"),
        1 => (".local", "slice"),
        2 => (".tile", "tile"),
        3 => (".gpu", "gpu"),
        4 => (".gpus", "all gpus"),
        5 => (".sysrel", "system release"),
        6 => (".sysacq", "system acquire"),
        _ => ("", "invalid flush scope"),
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
    number: u32,
    quad: bool,
    /// What it does.
    pub(crate) kind: Kind,
}

/// Finds a mnemonic of the load/store notation.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    let row = OPS.iter().find(|row| row.name == name && row.number != LOAD_STATUS)?;
    Some(Operation { number: row.number, quad: row.quad, kind: row.kind })
}

/// The descriptor bits that controls stand for (`d32x4t`, `xyz`, `a64`, `ca`, `ca`); the index of the one at
/// fault otherwise.
pub(crate) fn encode_controls(op: Operation, controls: &[&str]) -> Result<u32, usize> {
    let mut at = 0;
    let data = controls.first().ok_or(0usize)?;
    let split = data.find('x').unwrap_or(data.len());
    let (size, vector) = data.split_at(split);
    let block = matches!(op.number, LOAD_BLOCK2D | STORE_BLOCK2D);
    let (size, mut tail) = match size.find(['t', 'v']) {
        Some(i) if vector.is_empty() => size.split_at(i),
        _ => (size, vector),
    };
    let size = DataSize::ALL.iter().copied().find(|s| s.name() == size).ok_or(0usize)?;
    let mut bits = op.number | Untyped::new().with_data_size(Some(size)).into_bits();
    if let Some(rest) = tail.strip_prefix('x') {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let count: u32 = rest[..end].parse().map_err(|_| 0usize)?;
        let count = VectorSize::of(count).ok_or(0usize)?;
        bits |= Untyped::new().with_vector_size(Some(count)).into_bits();
        tail = &rest[end..];
    }
    if let Some(rest) = tail.strip_prefix('t') {
        bits |= 1 << 15;
        tail = rest;
    }
    if let Some(rest) = tail.strip_prefix('v').filter(|_| op.number == LOAD_BLOCK2D) {
        bits |= 1 << 7;
        tail = rest;
    }
    if !tail.is_empty() || (op.quad && bits >> 12 != 0) {
        return Err(0);
    }
    at += 1;
    if op.quad {
        for c in controls.get(at).ok_or(at)?.chars() {
            bits |= 1 << (12 + "xyzw".find(c).ok_or(at)?);
        }
        at += 1;
    }
    let address = match controls.get(at) {
        Some(&"a16") if !block => 1,
        Some(&"a32") if !block => 2,
        Some(&"a64") => 3,
        _ => return Err(at),
    };
    if !block {
        bits |= address << 7;
    }
    at += 1;
    if let Some(rest) = controls.get(at..).filter(|rest| !rest.is_empty()) {
        let text: String = rest.iter().map(|c| format!(".{c}")).collect();
        let table = if op.kind == Load { &CACHED_LOADS } else { &CACHED_STORES };
        bits |= (table.iter().position(|c| *c == text).ok_or(at)? as u32) << 17;
    }
    Ok(bits)
}

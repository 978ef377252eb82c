//! How far operands reach.

use crate::{
    inst::Record,
    opcode::Opcode,
    operand::*,
    table::{Role, Slot},
    types::Region,
};

/// End of the elements of its address variable that an operand uses.
pub(super) fn address_end(record: &Record, slot: &Slot, v: &VectorOperand) -> u32 {
    match v {
        VectorOperand::Address(a) => {
            u32::from(a.offset) + if slot.role == Role::Dst { 1 } else { a.width.lanes() }
        }
        VectorOperand::Indirect(i) => {
            let lanes = record.exec.size.lanes();
            let rows = match (i.region.vstride(), i.region.width()) {
                (Some(_), _) => 1,
                (None, Some(w)) => (lanes / u32::from(w.max(1))).max(1),
                (None, None) if slot.role == Role::Src => lanes,
                (None, None) => 1,
            };
            u32::from(i.addr_offset) + rows
        }
        _ => 0,
    }
}

/// Operands of these instructions cover what their regions say.
pub(super) const fn plain_region(opcode: Opcode) -> bool {
    !matches!(
        opcode,
        Opcode::Plane | Opcode::Line | Opcode::Dpas | Opcode::Dpasw | Opcode::AddrAdd | Opcode::Movs
    )
}

/// Largest element index that `lanes` lanes of a region reach.
pub(super) const fn last_element(region: Region, lanes: u32) -> u32 {
    let h = match region.hstride() {
        Some(h) => h as u32,
        None => 1,
    };
    let (v, w) = match (region.vstride(), region.width()) {
        (Some(v), Some(w)) if w > 0 => (v as u32, w as u32),
        (None, Some(w)) if w > 0 => (0, w as u32),
        _ => (0, lanes),
    };
    let columns = if w < lanes { w } else { lanes };
    (lanes - 1) / w * v + (columns - 1) * h
}

//! How far operands reach.

use narrow::{as_index, const_u16, wide_u8, wide_u16};

use super::checker::{Checker, Reach};
use crate::{
    ids::{PREDEFINED, PREDEFINED_VARS, VarId},
    inst::Record,
    opcode::Opcode,
    operand::*,
    table::{Role, Slot},
    types::{ExecSize, Region},
};

impl Checker<'_> {
    /// Works out what operands are held against, once for each variable.
    pub(super) fn fill_reaches(&mut self) {
        let mut reaches = std::mem::take(self.reaches);
        let predefined = (0..PREDEFINED_VARS).map(|i| match PREDEFINED.get(as_index(i)) {
            Some(row) => {
                let bytes = self.predefined_bytes(VarId(i)).unwrap_or(u32::MAX);
                Reach { bytes, size: row.ty.bytes() }
            }
            None => Reach::NO_VARIABLE,
        });
        let declared = self.kernel.vars.iter().zip(&*self.roots).map(|(var, root)| {
            let bytes = root.bytes.map_or(u32::MAX, |bytes| bytes.saturating_sub(root.offset));
            Reach { bytes, size: var.ty.bytes() }
        });
        reaches.clear();
        reaches.extend(predefined.chain(declared));
        *self.reaches = reaches;
    }

    /// What operands of a variable are held against.
    #[inline]
    pub(super) fn reach(&self, var: VarId) -> Reach {
        self.reaches.get(var.index()).copied().unwrap_or(Reach::NO_VARIABLE)
    }
}

/// End of the elements of its address variable that an operand uses.
pub(super) fn address_end(record: &Record, slot: &Slot, v: &VectorOperand) -> u32 {
    match v {
        VectorOperand::Address(a) => {
            // A source repeats its elements, a destination has one for each lane.
            let used = if slot.role == Role::Dst { record.exec.size } else { a.width };
            u32::from(a.offset) + used.lanes()
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
        Opcode::Plane
            | Opcode::Line
            | Opcode::Dpas
            | Opcode::Dpasw
            | Opcode::AddrAdd
            | Opcode::Movs
            | Opcode::Madw
    )
}

/// Largest element index that an operand of one of the other instructions reaches: of a plane its four coefficients and,
/// for each eight lanes, eight `u` and eight `v` (specification, PLANE and LINE); of a product of dwords the high halves, from
/// the next of its registers on (MADW), of which each has some elements; what `dpas` reads goes by its depth.
#[inline(never)]
pub(super) fn last_element_of(record: &Record, operand: Option<usize>, region: Region, register: u32) -> u32 {
    let last = last_element(region, record.exec.size);
    match (record.opcode, operand) {
        (Opcode::Madw, Some(0)) => (last + 1).next_multiple_of(register.max(1)) + last,
        (Opcode::Madw | Opcode::Movs, _) => last,
        (Opcode::Plane | Opcode::Line, Some(1)) => 3,
        (Opcode::Plane, Some(2)) => 2 * record.exec.size.lanes().next_multiple_of(8) - 1,
        (Opcode::Plane | Opcode::Line, _) => last,
        _ => 0,
    }
}

/// Largest element index that the lanes of a region reach.
#[inline]
pub(super) fn last_element(region: Region, size: ExecSize) -> u32 {
    LAST_ELEMENT[size.index()][region_code(region.raw())].into()
}

/// A region's three codes of three bits, which its word has at bits 0, 4 and 8.
const fn region_code(raw: u16) -> usize {
    as_index(wide_u16((raw & 7) | (raw >> 1 & 0o70) | (raw >> 2 & 0o700)))
}

/// The last element of each region, by its codes, for each execution size: asked of every operand.
static LAST_ELEMENT: [[u16; 512]; ExecSize::ALL.len()] = {
    let mut last = [[0; 512]; ExecSize::ALL.len()];
    let mut size = 0;
    while size < ExecSize::ALL.len() {
        let mut raw = 0;
        while raw < 0x1000 {
            if let Some(region) = Region::from_raw(raw) {
                last[size][region_code(raw)] = last_of(region, ExecSize::ALL[size].lanes());
            }
            raw += 1;
        }
        size += 1;
    }
    last
};

const fn last_of(region: Region, lanes: u32) -> u16 {
    let h = match region.hstride() {
        Some(h) => wide_u8(h),
        None => 1,
    };
    let (v, w) = match (region.vstride(), region.width()) {
        (Some(v), Some(w)) if w > 0 => (wide_u8(v), wide_u8(w)),
        (None, Some(w)) if w > 0 => (0, wide_u8(w)),
        _ => (0, lanes),
    };
    let columns = if w < lanes { w } else { lanes };
    const_u16(as_index((lanes - 1) / w * v + (columns - 1) * h))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane by lane: the spec's "Region" says where the element of each is.
    #[test]
    fn last_elements_are_those_of_the_farthest_lane() {
        for raw in 0..0x1000u16 {
            let Some(region) = Region::from_raw(raw) else { continue };
            for size in ExecSize::ALL {
                let lanes = size.lanes();
                let h = region.hstride().map_or(1, u32::from);
                let width = region.width().map_or(lanes, u32::from).max(1);
                let v = match (region.vstride(), region.width()) {
                    (Some(v), Some(w)) if w > 0 => u32::from(v),
                    _ => 0,
                };
                let width = if matches!(region.width(), None | Some(0)) { lanes } else { width };
                let farthest = (0..lanes).map(|lane| lane / width * v + lane % width * h).max();
                assert_eq!(Some(last_element(region, *size)), farthest, "{region}, {size}");
            }
        }
    }
}

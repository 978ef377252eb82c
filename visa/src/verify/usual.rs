//! The quick way through the safety rules: instructions of which a few comparisons tell that they keep them.
//!
//! It only ever says that an instruction is safe. What it does not say so of goes through all rules, which
//! know what to report.

use narrow::const_u16;

use super::{
    Checker,
    reach::{address_end, last_element, plain_region},
};
use crate::{
    ids::*,
    inst::Record,
    model::Kernel,
    op::{Op, build::takes_all_fields},
    operand::*,
    table::{Enc, Row, Slot},
    types::{Exec, ExecSize, Region},
};

/// What an operand of a variable is held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Bytes from the first of the variable to the last of its root; all where that is not known, none where
    /// there is no such variable.
    bytes: u32,
    /// Bytes of an element, at least 1.
    size: u32,
}

/// [`last_element`] of each region, by its three codes, for each execution size.
static LAST_ELEMENT: [[u16; 512]; ExecSize::ALL.len()] = {
    let mut last = [[0; 512]; ExecSize::ALL.len()];
    let mut size = 0;
    while size < ExecSize::ALL.len() {
        let mut code = 0;
        while code < 512 {
            let raw = (code & 7) | (code & 0o70) << 1 | (code & 0o700) << 2;
            if let Some(region) = Region::from_raw(raw) {
                last[size][code as usize] =
                    const_u16(last_element(region, ExecSize::ALL[size].lanes()) as u64);
            }
            code += 1;
        }
        size += 1;
    }
    last
};

impl Checker<'_> {
    /// What operands are held against, by the variable's index.
    pub(super) fn reaches(&self, reaches: &mut Vec<Reach>) {
        let kernel = self.kernel;
        reaches.clear();
        reaches.extend((0..PREDEFINED_VARS).map(|i| match PREDEFINED.get(i as usize) {
            Some(row) => {
                let bytes = self.predefined_bytes(VarId(i)).unwrap_or(u32::MAX);
                Reach { bytes, size: row.ty.bytes() }
            }
            None => Reach { bytes: 0, size: 1 },
        }));
        reaches.extend(kernel.vars.iter().zip(&*self.roots).map(|(var, root)| {
            let bytes = root.bytes.map_or(u32::MAX, |bytes| bytes.saturating_sub(root.offset));
            Reach { bytes, size: var.ty.bytes() }
        }));
    }
}

/// A kernel whose declarations keep the safety rules.
pub(super) struct Usual<'a> {
    kernel: &'a Kernel,
    reaches: &'a [Reach],
    grf_bytes: u32,
}

impl<'a> Usual<'a> {
    pub(super) fn new(kernel: &'a Kernel, reaches: &'a [Reach], grf_bytes: u32) -> Usual<'a> {
        Usual { kernel, reaches, grf_bytes }
    }

    /// True if the instruction keeps all safety rules; not for all that do.
    pub(super) fn is_safe(&self, record: &Record, row: &'static Row) -> bool {
        let exec = record.exec;
        if exec.mask.offset() + exec.size.lanes() > 32
            || record.pred.is_some_and(|p| !self.guards(p.id, exec))
        {
            return false;
        }
        let operands = self.kernel.operands_of(record);
        if row.vectors > 0 && operands.len() == usize::from(row.vectors) {
            return row.vector_slots().iter().zip(operands).all(|(slot, o)| self.operand(record, slot, o));
        }
        let mut rest = operands.iter();
        for slot in row.slots {
            let is_safe = match slot.enc {
                Enc::Exec | Enc::Pred | Enc::Sub | Enc::LabelCount => true,
                Enc::RawList | Enc::LabelList => rest.by_ref().all(|o| self.operand(record, slot, o)),
                Enc::VarWide => false,
                _ => rest.next().is_some_and(|o| self.operand(record, slot, o)),
            };
            if !is_safe {
                return false;
            }
        }
        takes_all_fields(record.opcode) || Op::of(record, operands).is_ok()
    }

    #[inline]
    fn operand(&self, record: &Record, slot: &'static Slot, operand: &Operand) -> bool {
        let Operand::Vector(VectorOperand::General(g)) = operand else {
            return self.other(record, slot, operand);
        };
        let Some(reach) = self.reaches.get(g.var.index()) else { return false };
        let last = if slot.scalar || !plain_region(record.opcode) {
            0
        } else {
            LAST_ELEMENT[record.exec.size as usize][region_code(g.region)]
        };
        let origin = u32::from(g.row) * self.grf_bytes + u32::from(g.col) * reach.size;
        slot.classes.has_general() && origin + (u32::from(last) + 1) * reach.size <= reach.bytes
    }

    /// An operand that is no region of a variable.
    #[inline(never)]
    fn other(&self, record: &Record, slot: &'static Slot, operand: &Operand) -> bool {
        let kernel = self.kernel;
        match *operand {
            Operand::Vector(ref v) => {
                slot.classes.has(v)
                    && match *v {
                        VectorOperand::Immediate { .. } => true,
                        VectorOperand::Predicate(p, _) => self.guards(p.id, record.exec),
                        VectorOperand::Address(AddressOperand { addr, .. })
                        | VectorOperand::Indirect(IndirectOperand { addr, .. }) => {
                            let var = kernel.addrs.get(addr.index());
                            var.is_some_and(|var| address_end(record, slot, v) <= var.num_elements.into())
                        }
                        _ => false,
                    }
            }
            Operand::Raw(r) => {
                self.reaches.get(r.var.index()).is_some_and(|reach| u32::from(r.offset) < reach.bytes)
            }
            Operand::Surface(s) => s.declared().is_none_or(|i| i < kernel.surfaces.len()),
            Operand::Sampler(s) => s.index() < kernel.samplers.len() || s == SamplerId::BINDLESS,
            Operand::Label(l) => l.index() < kernel.labels.len(),
            Operand::Str(s) => s.index() < kernel.strings.len(),
            Operand::Num(_) | Operand::Absent => true,
        }
    }

    /// The predicate exists and has an element for each lane, or one for all.
    fn guards(&self, id: PredId, exec: Exec) -> bool {
        self.kernel.pred_elements(id).is_some_and(|n| n == 1 || u32::from(n) >= exec.size.lanes())
    }
}

/// A region's three codes.
#[inline]
fn region_code(region: Region) -> usize {
    let raw = usize::from(region.raw());
    (raw & 7) | (raw >> 1 & 0o70) | (raw >> 2 & 0o700)
}

#[cfg(test)]
mod tests {
    use platforms::Platform;

    use super::*;
    use crate::{
        opcode::Opcode,
        table::{Classes, When, rows},
        text::{TextOptions, parse},
        types::*,
        verify::{VerifyOptions, verify_kernel, verify_safety},
    };

    /// Variables of each class, of all sizes.
    const DECLARATIONS: &str = r#".version 4.1
.kernel "k"
.decl V32 v_type=G type=d num_elts=16 align=hword
.decl V33 v_type=G type=df num_elts=1 align=qword
.decl V34 v_type=G type=uw num_elts=16 align=hword alias=<V32, 32>
.decl V35 v_type=G type=ub num_elts=900 align=hword
.decl V36 v_type=G type=q num_elts=40 align=hword
.decl A0 v_type=A num_elts=4
.decl A1 v_type=A num_elts=16
.decl P1 v_type=P num_elts=1
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=32
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.function "main"
main:
other:
    ret (M1, 1)
"#;

    /// xorshift64*: the same in every run. Operands are likely to be legal where the second field says so.
    struct Random(u64, bool);

    impl Random {
        fn below(&mut self, end: u32) -> u32 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as u32 % end
        }

        /// Mostly a small number.
        fn index(&mut self, end: u32) -> u32 {
            if self.1 {
                0
            } else if self.below(40) == 0 {
                [u32::MAX, 1 << 16, 255, 40][self.below(4) as usize]
            } else {
                self.below(end)
            }
        }

        fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
            list[self.below(list.len() as u32) as usize]
        }

        fn var(&mut self) -> VarId {
            VarId(if self.1 {
                36
            } else if self.below(4) == 0 {
                self.index(38)
            } else {
                32 + self.below(5)
            })
        }

        fn region(&mut self) -> Region {
            if self.1 || self.below(2) == 0 {
                return self.one_of(&[Region::dst(1), Region::src(1, 1, 0), Region::src(0, 1, 0)]);
            }
            Region::from_raw(self.below(8) as u16 | (self.below(8) << 4 | self.below(8) << 8) as u16).unwrap()
        }

        fn pred(&mut self) -> PredOperand {
            PredOperand::new(PredId(if self.1 { 3 } else { self.below(5) }))
        }

        fn vector(&mut self, classes: Classes) -> VectorOperand {
            let found = self.any_vector();
            if self.1 && !classes.has(&found) { self.vector(classes) } else { found }
        }

        fn any_vector(&mut self) -> VectorOperand {
            let (modifier, region) = (Modifier::None, self.region());
            let (row, col) = (self.index(3) as u8, self.index(12) as u8);
            let addr = AddrId(self.index(3) as u16);
            match self.below(12) {
                0 => VectorOperand::imm(self.one_of(Type::ALL), self.index(9).into()),
                1 => VectorOperand::Predicate(self.pred(), modifier),
                2 => {
                    let (offset, width) = (self.below(9) as u8, self.one_of(ExecSize::ALL));
                    VectorOperand::Address(AddressOperand { addr, offset, width, modifier })
                }
                3 => {
                    let (addr_offset, offset, ty) = (self.below(9) as u8, 0, Type::D);
                    let operand = IndirectOperand { addr, addr_offset, offset, ty, region, modifier };
                    VectorOperand::Indirect(operand)
                }
                4 => VectorOperand::Surface { surface: SurfaceId(self.index(8) as u16), offset: 0 },
                5 => VectorOperand::Sampler { sampler: SamplerId(self.index(3) as u16), offset: 0 },
                _ => VectorOperand::General(GeneralOperand { var: self.var(), row, col, region, modifier }),
            }
        }

        fn operand(&mut self, slot: &Slot) -> Operand {
            match slot.enc {
                Enc::Vector | Enc::Aoffimmi => Operand::Vector(self.vector(slot.classes)),
                Enc::Raw | Enc::RawList => {
                    Operand::Raw(RawOperand { var: self.var(), offset: self.index(70) as u16 })
                }
                Enc::Surface => Operand::Surface(SurfaceId(self.index(8) as u16)),
                Enc::Sampler => Operand::Sampler(SamplerId(self.index(3) as u16)),
                Enc::Label | Enc::LabelList => Operand::Label(LabelId(self.index(3))),
                Enc::Str | Enc::StrWide => Operand::Str(StrId(self.index(3))),
                Enc::U8 => Operand::Num(self.index(20) & 0xff),
                Enc::U16 | Enc::SampleOp => Operand::Num(self.index(20) & 0xffff),
                _ => Operand::Num(self.index(40)),
            }
        }

        fn operands(&mut self, row: &'static Row) -> Vec<Operand> {
            let mut operands = Vec::new();
            let mut mode = None;
            for slot in row.operand_slots().filter(|s| s.enc != Enc::LabelCount) {
                let exists = match (slot.when, mode) {
                    (When::Bit(bit), Some(mode)) => mode >> bit & 1 != 0,
                    (When::Equals(value), Some(mode)) => value == mode,
                    _ => true,
                };
                let count = if matches!(slot.enc, Enc::RawList | Enc::LabelList) { self.below(4) } else { 1 };
                for _ in 0..count {
                    operands.push(if exists { self.operand(slot) } else { Operand::Absent });
                }
                if let (Enc::U8 | Enc::U16, None, Some(Operand::Num(n))) = (slot.enc, mode, operands.last()) {
                    mode = Some(*n);
                }
            }
            operands
        }
    }

    /// The quick way finds what the long way does, which goes through all rules: on instructions of each
    /// row with operands right and wrong.
    #[test]
    fn safety_alone_finds_what_all_rules_find() {
        let module = parse(DECLARATIONS, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut kernel = module.kernels[0].clone();
        let (code, operands) = (kernel.code.len() - 1, kernel.operands.len());
        let mut random = Random(0x9e37_79b9_7f4a_7c15, false);
        let mut counts = [0; 2];
        for row in rows() {
            let mut safe = 0;
            for round in 0..100 {
                random.1 = round % 4 == 0;
                kernel.code.truncate(code);
                kernel.operands.truncate(operands);
                let (size, group) = (random.one_of(ExecSize::ALL), random.below(9).saturating_sub(4) as u8);
                let exec = Exec { size, mask: EMask::new(group, round % 2 == 0) };
                let exec = if row.has_exec() { exec } else { Exec::SCALAR };
                let pred = (row.has_pred() && random.below(3) == 0).then(|| random.pred());
                let found = random.operands(row);
                kernel.push(row.opcode, row.sub.unwrap_or(0), exec, pred, &found).unwrap();
                kernel.push(Opcode::Ret, 0, Exec::SCALAR, None, &[]).unwrap();
                if takes_all_fields(row.opcode) {
                    assert!(kernel.try_inst(code).is_ok(), "{}: {found:?}", row.name);
                }
                for platform in [Platform::Skl, Platform::Pvc] {
                    let options = VerifyOptions::for_platform(platform);
                    let mut all = verify_kernel(&kernel, options);
                    all.retain(|f| f.rule.is_safety());
                    assert_eq!(verify_safety(&kernel, options.grf_bytes), all, "{}: {found:?}", row.name);
                    safe += u32::from(all.is_empty());
                    counts[usize::from(all.is_empty())] += 1;
                }
            }
            assert!(safe > 0 || row.vectors == 0, "{}", row.name);
        }
        println!("{} safe, {} unsafe", counts[1], counts[0]);
        assert!(counts.iter().all(|n| *n > 5000), "{counts:?}");
    }

    #[test]
    fn the_table_of_last_elements_is_that_of_regions() {
        for raw in 0..0x1000u16 {
            let Some(region) = Region::from_raw(raw) else { continue };
            for size in ExecSize::ALL {
                let last = LAST_ELEMENT[*size as usize][region_code(region)];
                assert_eq!(u32::from(last), last_element(region, size.lanes()), "{region}, {size}");
            }
        }
    }

    #[test]
    fn rows_of_vectors_have_no_control_fields() {
        for row in rows().filter(|row| row.vectors > 0) {
            assert!(takes_all_fields(row.opcode), "{}", row.name);
        }
    }
}

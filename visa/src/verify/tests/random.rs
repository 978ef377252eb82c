//! Random instructions before the safety rules.

use platforms::Platform;

use crate::{
    ids::*,
    opcode::Opcode,
    operand::*,
    table::{Classes, Enc, Row, Slot, rows},
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
            let exists = mode.is_none_or(|mode| slot.when.holds(mode));
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

/// The safety rules alone find what they find among all rules, and what they leave alone has a typed view: on
/// instructions of each row with operands right and wrong.
#[test]
fn safety_alone_finds_what_all_rules_find() {
    let module = parse(DECLARATIONS, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut kernel = module.kernels[0].clone();
    let (code, operands) = (kernel.code.len() - 1, kernel.operands.len());
    let mut random = Random(0x9e37_79b9_7f4a_7c15, false);
    let mut counts = [0; 2];
    for row in rows() {
        let mut safe = 0;
        kernel.is_function = row.opcode == Opcode::Fret;
        for round in 0..100 {
            random.1 = round % 4 == 0;
            kernel.code.truncate(code);
            kernel.operands.truncate(operands);
            let (size, group) = (random.one_of(ExecSize::ALL), random.below(9).saturating_sub(4) as u8);
            let masked = EMask::of_group(group);
            let exec = Exec { size, mask: if round % 2 == 0 { masked.without_mask() } else { masked } };
            let exec = if row.has_exec() { exec } else { Exec::SCALAR };
            let pred = (row.has_pred() && random.below(3) == 0).then(|| random.pred());
            let found = random.operands(row);
            kernel.push(row.opcode, row.sub.unwrap_or(0), exec, pred, &found).unwrap();
            kernel.push(Opcode::Ret, 0, Exec::SCALAR, None, &[]).unwrap();
            for platform in [Platform::Skl, Platform::Pvc] {
                let options = VerifyOptions::for_platform(platform);
                let mut all = verify_kernel(&kernel, options);
                // Variables that grow are of interest to later stages, too.
                all.retain(|f| f.rule.is_safety() || f.rule == crate::Rule::RegisterTail);
                assert_eq!(verify_safety(&kernel, options.grf_bytes), all, "{}: {found:?}", row.name);
                all.retain(|f| f.rule.is_safety());
                assert!(!all.is_empty() || kernel.try_inst(code).is_ok(), "{}: {found:?}", row.name);
                safe += u32::from(all.is_empty());
                counts[usize::from(all.is_empty())] += 1;
            }
        }
        let simple = row.operand_slots().all(|slot| slot.enc == Enc::Vector);
        assert!(safe > 0 || !simple, "{}", row.name);
    }
    println!("{} safe, {} unsafe", counts[1], counts[0]);
    assert!(counts.iter().all(|n| *n > 5000), "{counts:?}");
}

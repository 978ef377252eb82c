use super::*;
use gen_ir::{Block, ExecSize, Var};
use platforms::Platform;

struct Case {
    kernel: Kernel<Virtual>,
    v: Vec<VarId>,
}

fn case() -> Case {
    let mut kernel = Kernel::new("k", Platform::Skl);
    let v = (0..4).map(|_| kernel.add_var(Var::temp(VarClass::General, 64, 32))).collect();
    kernel.blocks.push(Block::default());
    Case { kernel, v }
}

impl Case {
    fn mov(&mut self, exec: ExecSize, d: (usize, Type), s: Src<Virtual>) {
        let mut i = Inst::new(Op::Mov, exec);
        i.dst = Dst::packed(Reg::var_at(self.v[d.0], 0), d.1);
        i.src[0] = s;
        self.kernel.blocks[0].insts.push(i);
    }

    fn add(&mut self, d: usize, a: Src<Virtual>, b: Src<Virtual>) {
        let mut i = Inst::new(Op::Add, ExecSize::S8);
        i.dst = Dst::packed(Reg::var_at(self.v[d], 0), Type::D);
        i.src[0] = a;
        i.src[1] = b;
        self.kernel.blocks[0].insts.push(i);
    }

    /// The last instruction is for all lanes.
    fn unmask_last(&mut self) {
        self.kernel.blocks[0].insts.last_mut().unwrap().no_mask = true;
    }

    fn src(&self, v: usize, ty: Type) -> Src<Virtual> {
        Src::new(Reg::var_at(self.v[v], 0), Region::new(8, 8, 1), ty)
    }

    fn last(&mut self) -> Inst<Virtual> {
        forward(&mut self.kernel, 32, Legality::Open, &mut Copies::default(), |_, _, _| {});
        *self.kernel.blocks[0].insts.last().unwrap()
    }
}

#[test]
fn a_widening_copy_is_read_at_its_origin() {
    let mut c = case();
    c.mov(ExecSize::S8, (0, Type::D), c.src(1, Type::Uw));
    c.add(2, c.src(0, Type::D), c.src(3, Type::D));
    assert_eq!(c.last().src[0], c.src(1, Type::Uw));
}

#[test]
fn a_masked_copy_serves_no_unmasked_reader() {
    let mut c = case();
    c.mov(ExecSize::S8, (0, Type::D), c.src(1, Type::D));
    c.add(2, c.src(0, Type::D), c.src(3, Type::D));
    c.unmask_last();
    assert_eq!(c.last().src[0], c.src(0, Type::D));
}

#[test]
fn a_write_to_the_origin_ends_the_copy() {
    let mut c = case();
    c.mov(ExecSize::S8, (0, Type::D), c.src(1, Type::D));
    c.mov(ExecSize::S8, (1, Type::D), Src::d(7));
    c.add(2, c.src(0, Type::D), c.src(3, Type::D));
    assert_eq!(c.last().src[0], c.src(0, Type::D));
}

#[test]
fn an_immediate_moves_to_where_it_may_stand() {
    let mut c = case();
    c.mov(ExecSize::S8, (0, Type::D), Src::d(-3));
    c.add(2, c.src(0, Type::D), c.src(3, Type::D));
    let last = c.last();
    assert_eq!(last.src[0], c.src(3, Type::D));
    assert_eq!(last.src[1], Src::d(-3));
}

#[test]
fn a_narrow_comparison_keeps_its_conversion() {
    let mut c = case();
    c.mov(ExecSize::S8, (0, Type::D), c.src(1, Type::Uw));
    c.add(2, c.src(0, Type::D), Src::uw(1));
    let last = c.kernel.blocks[0].insts.last_mut().unwrap();
    (last.op, last.cond) =
        (Op::Cmp, Some(gen_ir::CondMod { cond: gen_ir::Cond::Lt, flag: Reg::flag(gen_ir::FlagSub::F0) }));
    assert_eq!(c.last().src[0], c.src(0, Type::D));
}

#[test]
fn a_strided_copy_is_read_with_its_stride() {
    let mut c = case();
    let bytes = Src::new(Reg::var_at(c.v[1], 2), Region::new(4, 1, 0), Type::Ub);
    c.mov(ExecSize::S8, (0, Type::Ub), bytes);
    c.mov(ExecSize::S8, (3, Type::D), c.src(0, Type::Ub));
    assert_eq!(c.last().src[0], bytes);
}

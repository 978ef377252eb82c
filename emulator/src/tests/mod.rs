//! The smallest telling case per feature, on instructions made by hand.

mod align16;
mod messages;
mod pairs;
mod strict;

use crate::{
    Error, Memory, MemoryFault, Program, dispatch::run_bare, file, launch::Bindings, memory::Surface,
    thread::Thread,
};
use gen_ir::{
    Arf, Cond, CondMod, Desc, Dst, ExecSize, GrfNum, Inst, MathFn, Op, Options, Payload, Physical, Pred,
    PredCtrl, Reg, Region, SendInfo, Sfid, Src, SrcMod, Target, Type,
};
use platforms::Platform;

type I = Inst<Physical>;

fn grf(n: u16, region: Region, ty: Type) -> Src<Physical> {
    Src::new(Reg::grf(GrfNum::new(n), 0), region, ty)
}

fn vec8(n: u16, ty: Type) -> Src<Physical> {
    grf(n, Region::new(8, 8, 1), ty)
}

fn inst(op: Op, exec: ExecSize, dst: u16, ty: Type, src: &[Src<Physical>]) -> I {
    let mut i = I::new(op, exec);
    i.dst = Dst::packed(Reg::grf(GrfNum::new(dst), 0), ty);
    i.src[..src.len()].copy_from_slice(src);
    i
}

fn flag() -> Reg<Physical> {
    Reg::arf(Arf::Flag(0), 0)
}

fn branch(op: Op, jip: i32, uip: Option<i32>) -> I {
    let mut i = I::new(op, ExecSize::S8);
    let uip = uip.map_or(Target::None, |n| Target::Rel(16 * n));
    i.payload = Payload::Branch { jip: Target::Rel(16 * jip), uip, ctrl: false };
    i
}

/// The same for the lanes whose flag is set.
fn branch_if(op: Op, jip: i32, uip: Option<i32>) -> I {
    let pred = Some(Pred { flag: flag(), inv: false, ctrl: PredCtrl::Seq });
    I { pred, ..branch(op, jip, uip) }
}

struct Machine {
    t: Thread,
    memory: Memory,
    bindings: Bindings,
}

impl Machine {
    fn new(platform: Platform) -> Machine {
        let program = Program::from_insts(platform, &[]).unwrap();
        let mut t = Thread::new(&program);
        t.active = 0xff;
        t.dispatched = 0xff;
        Machine { t, memory: Memory::new(), bindings: Bindings::default() }
    }

    fn set(&mut self, reg: u32, values: &[u32]) -> &mut Self {
        for (i, v) in values.iter().enumerate() {
            self.t.set_u32(reg * self.t.grf + 4 * i as u32, *v);
        }
        self
    }

    fn setf(&mut self, reg: u32, values: &[f32]) -> &mut Self {
        self.set(reg, &values.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
    }

    fn get(&self, reg: u32) -> [u32; 8] {
        std::array::from_fn(|i| self.t.u32_at(reg * self.t.grf + 4 * i as u32))
    }

    fn getf(&self, reg: u32) -> [f32; 8] {
        self.get(reg).map(f32::from_bits)
    }

    fn run(&mut self, platform: Platform, insts: &[I]) -> Result<(), String> {
        let program = Program::from_insts(platform, insts).map_err(|e: Error| e.to_string())?;
        self.t.pc = 0;
        run_bare(&program, &mut self.t, &mut self.memory, &self.bindings).map_err(|t| t.0)
    }
}

const ONE_TO_8: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

#[test]
fn regions_pick_rows_strides_and_scalars() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &ONE_TO_8);
    let mov = |region| inst(Op::Mov, ExecSize::S8, 2, Type::D, &[grf(1, region, Type::D)]);
    m.run(Platform::Skl, &[mov(Region::new(4, 4, 1))]).unwrap();
    assert_eq!(m.get(2), ONE_TO_8);
    m.run(Platform::Skl, &[mov(Region::new(0, 1, 0))]).unwrap();
    assert_eq!(m.get(2), [1; 8]);
    m.run(Platform::Skl, &[mov(Region::new(2, 4, 0))]).unwrap();
    assert_eq!(m.get(2), [1, 1, 1, 1, 3, 3, 3, 3]);
    m.run(
        Platform::Skl,
        &[inst(Op::Mov, ExecSize::S4, 3, Type::D, &[grf(1, Region::new(8, 4, 2), Type::D)])],
    )
    .unwrap();
    assert_eq!(m.get(3)[..4], [1, 3, 5, 7]);
}

#[test]
fn indirect_sources_add_address_and_offset() {
    let mut m = Machine::new(Platform::Skl);
    m.set(5, &ONE_TO_8);
    m.t.set_u32(file::ADDR, 5 * 32 + 4);
    let src = Src::Indirect {
        addr: Reg::arf(Arf::Addr(0), 0),
        imm: 4,
        region: Region::new(4, 4, 1),
        mods: SrcMod::None,
        ty: Type::D,
    };
    m.run(Platform::Skl, &[inst(Op::Mov, ExecSize::S4, 2, Type::D, &[src])]).unwrap();
    assert_eq!(m.get(2)[..4], [3, 4, 5, 6]);
    m.t.set_u32(file::ADDR, 128 * 32);
    assert!(m.run(Platform::Skl, &[inst(Op::Mov, ExecSize::S4, 2, Type::D, &[src])]).is_err());
}

#[test]
fn integers_wrap_saturate_and_negate() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[0x7fff_ffff, 5, 0x8000_0000, 0xffff_ffff, 0, 1, 2, 3]);
    let mut add = inst(Op::Add, ExecSize::S8, 2, Type::D, &[vec8(1, Type::D), Src::d(1)]);
    m.run(Platform::Skl, &[add]).unwrap();
    assert_eq!(m.get(2)[0], 0x8000_0000);
    add.sat = true;
    m.run(Platform::Skl, &[add]).unwrap();
    assert_eq!(m.get(2)[0], 0x7fff_ffff);
    let neg = Src::Direct {
        reg: Reg::grf(GrfNum::new(1), 0),
        region: Region::new(8, 8, 1),
        mods: SrcMod::Neg,
        ty: Type::D,
    };
    m.run(Platform::Skl, &[inst(Op::Mov, ExecSize::S8, 2, Type::D, &[neg])]).unwrap();
    assert_eq!(m.get(2)[1], -5i32 as u32);
    m.run(Platform::Skl, &[inst(Op::Asr, ExecSize::S8, 2, Type::D, &[vec8(1, Type::D), Src::uw(4)])])
        .unwrap();
    assert_eq!(m.get(2)[2], 0xf800_0000);
}

#[test]
fn mul_and_mach_give_all_64_bits() {
    let (a, b) = (0x89ab_cdefu32, 0xfedc_ba98u32);
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[a; 8]).set(2, &[b; 8]);
    let acc = Reg::arf(Arf::Acc(0), 0);
    let mut mul = inst(
        Op::Mul,
        ExecSize::S8,
        0,
        Type::Ud,
        &[vec8(1, Type::Ud), grf(2, Region::new(16, 8, 2), Type::Uw)],
    );
    mul.dst = Dst::packed(acc, Type::Ud);
    let mut mach = inst(Op::Mach, ExecSize::S8, 3, Type::Ud, &[vec8(1, Type::Ud), vec8(2, Type::Ud)]);
    mach.opts = Options::ACC_WR_EN;
    let low = inst(Op::Mov, ExecSize::S8, 4, Type::Ud, &[Src::new(acc, Region::new(8, 8, 1), Type::Ud)]);
    m.run(Platform::Skl, &[mul, mach, low]).unwrap();
    let exact = u64::from(a) * u64::from(b);
    assert_eq!((m.get(3)[7], m.get(4)[7]), ((exact >> 32) as u32, exact as u32));
    // Gen12 gives the low half where the accumulator is not written.
    mach.opts = Options::NONE;
    m.run(Platform::Tgllp, &[mul, mach]).unwrap();
    assert_eq!(m.get(3)[0], exact as u32);
}

#[test]
fn carries_and_borrows_go_to_the_accumulator() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[u32::MAX, 1, 0, 7, 0, 0, 0, 0]);
    let acc = Src::new(Reg::arf(Arf::Acc(0), 0), Region::new(8, 8, 1), Type::Ud);
    let carry = inst(Op::Mov, ExecSize::S8, 3, Type::Ud, &[acc]);
    m.run(
        Platform::Skl,
        &[inst(Op::Addc, ExecSize::S8, 2, Type::Ud, &[vec8(1, Type::Ud), Src::ud(1)]), carry],
    )
    .unwrap();
    assert_eq!((m.get(2)[..2].to_vec(), m.get(3)[..2].to_vec()), (vec![0, 2], vec![1, 0]));
    m.run(
        Platform::Skl,
        &[inst(Op::Subb, ExecSize::S8, 2, Type::Ud, &[vec8(1, Type::Ud), Src::ud(5)]), carry],
    )
    .unwrap();
    assert_eq!((m.get(2)[2], m.get(3)[2], m.get(3)[3]), (0xffff_fffb, 1, 0));
}

#[test]
fn floats_round_as_the_control_register_says() {
    let mut m = Machine::new(Platform::Skl);
    m.setf(1, &[1.0; 8]).setf(2, &[2f32.powi(-25); 8]);
    let add = inst(Op::Add, ExecSize::S8, 3, Type::F, &[vec8(1, Type::F), vec8(2, Type::F)]);
    let mode = |bits: u32| {
        let mut i = inst(Op::Mov, ExecSize::S1, 0, Type::Ud, &[Src::ud(bits)]);
        i.dst = Dst::packed(Reg::arf(Arf::Control(0), 0), Type::Ud);
        i
    };
    m.run(Platform::Skl, &[mode(0x4c0), add]).unwrap();
    assert_eq!(m.getf(3)[0], 1.0);
    m.run(Platform::Skl, &[mode(0x4d0), add]).unwrap();
    assert_eq!(m.getf(3)[0].to_bits(), 1.0f32.to_bits() + 1);
    // Denormals vanish unless they are asked to stay.
    m.set(1, &[1; 8]).setf(2, &[0.0; 8]);
    m.run(Platform::Skl, &[mode(0), add]).unwrap();
    assert_eq!(m.get(3)[0], 0);
    m.run(Platform::Skl, &[mode(0x4c0), add]).unwrap();
    assert_eq!(m.get(3)[0], 1);
}

#[test]
fn conversions_truncate_and_stop_at_the_ends() {
    let mut m = Machine::new(Platform::Skl);
    m.setf(1, &[1.9, -1.9, 1e20, -1e20, f32::NAN, 2.5, 0.0, 255.5]);
    m.run(Platform::Skl, &[inst(Op::Mov, ExecSize::S8, 2, Type::D, &[vec8(1, Type::F)])]).unwrap();
    assert_eq!(m.get(2), [1, -1i32 as u32, i32::MAX as u32, i32::MIN as u32, 0, 2, 0, 255]);
    m.run(Platform::Skl, &[inst(Op::Rnde, ExecSize::S8, 2, Type::F, &[vec8(1, Type::F)])]).unwrap();
    assert_eq!(m.getf(2)[5], 2.0);
}

#[test]
fn minimum_prefers_numbers_and_compares_write_enabled_bits_only() {
    let mut m = Machine::new(Platform::Skl);
    m.setf(1, &[1.0, f32::NAN, 3.0, 4.0, 1.0, 1.0, 1.0, 1.0]).setf(2, &[2.0; 8]);
    let mut min = inst(Op::Sel, ExecSize::S8, 3, Type::F, &[vec8(1, Type::F), vec8(2, Type::F)]);
    min.cond = Some(CondMod { cond: Cond::Lt, flag: flag() });
    m.run(Platform::Skl, &[min]).unwrap();
    assert_eq!(m.getf(3)[..4], [1.0, 2.0, 2.0, 2.0]);
    let mut cmp = inst(Op::Cmp, ExecSize::S8, 0, Type::F, &[vec8(1, Type::F), vec8(2, Type::F)]);
    cmp.dst = Dst::null(Type::F);
    cmp.cond = Some(CondMod { cond: Cond::Gt, flag: flag() });
    m.t.active = 0x0f;
    m.t.set_u32(file::FLAG, 0xfff0);
    m.run(Platform::Skl, &[cmp]).unwrap();
    assert_eq!(m.t.flag(gen_ir::FlagSub::F0), 0xfffc);
}

#[test]
fn if_else_endif_run_each_side_once() {
    let mut m = Machine::new(Platform::Skl);
    m.t.set_u32(file::FLAG, 0x0f);
    let set = |v| inst(Op::Mov, ExecSize::S8, 2, Type::D, &[Src::d(v)]);
    let inc = inst(Op::Add, ExecSize::S8, 3, Type::D, &[vec8(3, Type::D), Src::d(1)]);
    m.set(3, &[0; 8]);
    let code = [
        branch_if(Op::If, 3, Some(4)),
        set(1),
        branch(Op::Else, 2, Some(2)),
        set(2),
        branch(Op::Endif, 1, None),
        inc,
    ];
    m.run(Platform::Skl, &code).unwrap();
    assert_eq!((m.get(2), m.get(3)), ([1, 1, 1, 1, 2, 2, 2, 2], [1; 8]));
    assert_eq!((m.t.active, m.t.waiting), (0xff, 0));
}

#[test]
fn loops_end_channel_by_channel() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &ONE_TO_8).set(2, &[0; 8]);
    let inc = inst(Op::Add, ExecSize::S8, 2, Type::D, &[vec8(2, Type::D), Src::d(1)]);
    let mut done = inst(Op::Cmp, ExecSize::S8, 0, Type::D, &[vec8(2, Type::D), vec8(1, Type::D)]);
    done.dst = Dst::null(Type::D);
    done.cond = Some(CondMod { cond: Cond::Ge, flag: flag() });
    let after = inst(Op::Mov, ExecSize::S8, 3, Type::D, &[vec8(2, Type::D)]);
    let code = [inc, done, branch_if(Op::Break, 1, Some(1)), branch(Op::While, -3, None), after];
    m.run(Platform::Skl, &code).unwrap();
    assert_eq!((m.get(2), m.get(3)), (ONE_TO_8, ONE_TO_8));
    assert_eq!((m.t.active, m.t.waiting), (0xff, 0));
}

#[test]
fn goto_jumps_on_false_before_gen11_and_on_true_since() {
    for (platform, expect) in
        [(Platform::Skl, [1, 1, 1, 1, 0, 0, 0, 0]), (Platform::Pvc, [0, 0, 0, 0, 1, 1, 1, 1])]
    {
        let mut m = Machine::new(platform);
        m.t.set_u32(file::FLAG, 0x0f);
        m.set(2, &[0; 8]);
        let set = inst(Op::Mov, ExecSize::S8, 2, Type::D, &[Src::d(1)]);
        let code = [branch_if(Op::Goto, 2, Some(2)), set, branch(Op::Join, 1, None)];
        m.run(platform, &code).unwrap();
        assert_eq!(m.get(2), expect, "{platform}");
        assert_eq!(m.t.active, 0xff);
    }
}

#[test]
fn a_call_returns_to_its_callers_only() {
    let mut m = Machine::new(Platform::Skl);
    m.t.set_u32(file::FLAG, 0x33);
    m.set(2, &[0; 8]);
    let inc = inst(Op::Add, ExecSize::S8, 2, Type::D, &[vec8(2, Type::D), Src::d(1)]);
    let mut call = branch_if(Op::Call, 3, None);
    call.dst = Dst::packed(Reg::grf(GrfNum::new(10), 0), Type::Ud);
    let mut over = branch(Op::Jmpi, 3, None);
    over.no_mask = true;
    let mut ret = branch(Op::Ret, 1, None);
    ret.payload = Payload::Branch { jip: Target::None, uip: Target::None, ctrl: false };
    ret.src[0] = Src::scalar(Reg::grf(GrfNum::new(10), 0), Type::Ud);
    m.run(Platform::Skl, &[call, inc, over, inc, ret]).unwrap();
    assert_eq!(m.get(2), [2, 2, 1, 1, 2, 2, 1, 1]);
}

#[test]
fn surfaces_bound_reads_and_keep_disabled_lanes() {
    let mut m = Machine::new(Platform::Skl);
    let b = m.memory.add("b", (0..32u8).collect());
    let base = m.memory.address(b);
    m.bindings.table = vec![Some(Surface { base, size: 32, image: None })];
    m.set(1, &[0, 4, 8, 28, 32, 40, 12, 16]).set(2, &[9; 8]);
    let mut read = I::new(Op::Send, ExecSize::S8);
    read.dst = Dst::packed(Reg::grf(GrfNum::new(2), 0), Type::Ud);
    read.src[0] = Src::packed(Reg::grf(GrfNum::new(1), 0), Type::Ud);
    // Untyped surface read of x, SIMD8: one register out, one back.
    read.payload = Payload::Send(SendInfo {
        sfid: Sfid::Dc1,
        desc: Desc::Imm(gen_ir::Descriptor::from_bits(0x0210_6e00)),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: false,
        dst_len: 1,
        src0_len: 1,
        src1_len: 0,
    });
    m.t.active = 0x7f;
    m.run(Platform::Skl, &[read]).unwrap();
    assert_eq!(m.get(2), [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x1f1e_1d1c, 0, 0, 0x0f0e_0d0c, 9]);
    assert_eq!(m.memory.load(base + 32, 4), Err(MemoryFault { address: base + 32, len: 4 }));
}

#[test]
fn integer_division_truncates() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[7, -7i32 as u32, 7, 100, 1, 1, 1, 1]).set(2, &[2, 2, -2i32 as u32, 7, 1, 1, 1, 1]);
    let mut q = inst(Op::Math, ExecSize::S8, 3, Type::D, &[vec8(1, Type::D), vec8(2, Type::D)]);
    q.payload = Payload::Math(MathFn::Iqot);
    let mut r = q;
    r.dst = Dst::packed(Reg::grf(GrfNum::new(4), 0), Type::D);
    r.payload = Payload::Math(MathFn::Irem);
    m.run(Platform::Skl, &[q, r]).unwrap();
    assert_eq!(m.get(3)[..4], [3, -3i32 as u32, -3i32 as u32, 14]);
    assert_eq!(m.get(4)[..4], [1, -1i32 as u32, 1, 2]);
}

#[test]
fn three_input_boolean_follows_its_table() {
    let mut m = Machine::new(Platform::Pvc);
    m.set(1, &[0xaaaa_aaaa; 8]).set(2, &[0xcccc_cccc; 8]).set(3, &[0xf0f0_f0f0; 8]);
    let t = |n| grf(n, Region::ternary(1, 1), Type::Ud);
    let mut bfn = inst(Op::Bfn, ExecSize::S8, 4, Type::Ud, &[t(1), t(2), t(3)]);
    for table in [0xf8u8, 0x96, 0x1e, 0x80] {
        bfn.payload = Payload::Bfn(table);
        m.run(Platform::Pvc, &[bfn]).unwrap();
        // The inputs enumerate all combinations, so the result spells the table.
        assert_eq!(m.get(4)[0], u32::from(table) * 0x0101_0101);
    }
}

#[test]
fn wide_integers_saturate_to_floats_from_zero_to_one() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[5, 0, u32::MAX, u32::MAX, 0, 0, 1, 0]);
    let qwords = grf(1, Region::new(4, 4, 1), Type::Q);
    let mut to_f = inst(Op::Mov, ExecSize::S4, 3, Type::F, &[qwords]);
    let mut to_df = inst(Op::Mov, ExecSize::S4, 4, Type::Df, &[qwords]);
    (to_f.sat, to_df.sat) = (true, true);
    m.run(Platform::Skl, &[to_f, to_df]).unwrap();
    assert_eq!(m.getf(3)[..4], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(m.get(4), [0, 0x3ff0_0000, 0, 0, 0, 0, 0, 0x3ff0_0000]);
}

#[test]
fn sad2_fills_the_first_channel_of_a_pair() {
    let mut m = Machine::new(Platform::Skl);
    m.set(1, &[0x0a05_0201, 0]).set(2, &[0x0105_0403, 0]);
    let bytes = |n| grf(n, Region::new(8, 8, 1), Type::Ub);
    m.run(Platform::Skl, &[inst(Op::Sad2, ExecSize::S8, 3, Type::W, &[bytes(1), bytes(2)])]).unwrap();
    // |1 - 3| + |2 - 4|, |5 - 5| + |10 - 1|.
    assert_eq!(m.get(3)[..2].iter().map(|v| v & 0xffff).collect::<Vec<_>>(), [4, 9]);
}

/// The numbers of the specification: 13 random bits below a half's mantissa, 8 below E5M2's.
#[test]
fn srnd_adds_the_random_number_and_truncates() {
    let mut m = Machine::new(Platform::Pvc);
    m.t.active = 0xffff;
    let one = 1.0f32.to_bits();
    m.set(1, &[one + 1, one + 1, one, 0x7f80_0000, 0x7fc0_0000, 0x8000_0001, one | 0x8000_1fff, one]);
    m.set(2, &[0x1ffe, 0x1fff, 0x1fff, 0x1fff, 0x1fff, 0, 1, 0xe000]);
    let random = grf(2, Region::new(2, 1, 0), Type::Uw);
    let mut srnd = inst(Op::Srnd, ExecSize::S8, 3, Type::Hf, &[vec8(1, Type::F), random]);
    srnd.dst = Dst::Direct { reg: Reg::grf(GrfNum::new(3), 0), horz: 2, ty: Type::Hf };
    m.run(Platform::Pvc, &[srnd]).unwrap();
    assert_eq!(
        m.get(3).map(|v| v & 0xffff),
        [0x3c00, 0x3c01, 0x3c00, 0x7c00, 0x7e00, 0x8000, 0xbc01, 0x3c00]
    );
    m.set(1, &[0x3c01, 0x3cff, 0x7bff, 0x0001]).set(2, &[0xff, 0, 0xff, 0xff]);
    let halves = grf(1, Region::new(2, 1, 0), Type::Hf);
    let random = grf(2, Region::new(4, 1, 0), Type::Ub);
    let mut srnd = inst(Op::Srnd, ExecSize::S4, 3, Type::Bf8, &[halves, random]);
    srnd.dst = Dst::Direct { reg: Reg::grf(GrfNum::new(3), 0), horz: 4, ty: Type::Bf8 };
    m.run(Platform::Pvc, &[srnd]).unwrap();
    assert_eq!(m.get(3)[..4].iter().map(|v| v & 0xff).collect::<Vec<_>>(), [0x3d, 0x3c, 0x7c, 0x01]);
}

/// Narrow weights: several stages of a channel lie in its dword, whatever the other channels have.
#[test]
fn dpas_takes_narrow_weights_stage_by_stage() {
    let mut m = Machine::new(Platform::Pvc);
    m.t.active = 0xffff;
    // Channel 0 has ones in its first four stages of 2-bit weights, channel 1 twos in its second.
    m.set(10, &[0x5555_5555, 0x0000_aa00]);
    // One row of bytes: stage s holds four times s + 1.
    let stages: Vec<u32> = (1..=8).map(|s| s * 0x0101_0101).collect();
    m.set(20, &stages);
    let mut dpas = inst(Op::Dpas, ExecSize::S16, 30, Type::D, &[]);
    dpas.src = [
        Src::packed(Reg::NULL, Type::D),
        Src::packed(Reg::grf(GrfNum::new(10), 0), Type::U2),
        Src::packed(Reg::grf(GrfNum::new(20), 0), Type::Ub),
    ];
    dpas.payload = Payload::Dpas { depth: 8, repeat: 1 };
    m.run(Platform::Pvc, &[dpas]).unwrap();
    // Channel 0: 4 * (1 + 2 + 3 + 4); channel 1: stage 1 alone, whose four numbers are 2, times 2.
    assert_eq!(m.get(30)[..2], [40, 16]);
}

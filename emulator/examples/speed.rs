//! How many EU instructions a second the emulator runs: a loop of typical vector instructions.

use emulator::{Dispatch, Memory, Options, Program, RawLaunch, run_program};
use gen_ir::{
    Cond, CondMod, Dst, ExecSize, GrfNum, Inst, Op, Payload, Physical, Pred, PredCtrl, Reg, Region, SendInfo,
    Sfid, Src, Target, Type,
};
use platforms::Platform;
use std::time::Instant;

fn main() {
    let flag = Reg::arf(gen_ir::Arf::Flag(0), 0);
    let vector = |op, dst: u16, ty, srcs: &[Src<Physical>]| {
        let mut i = Inst::<Physical>::new(op, ExecSize::S16);
        i.dst = Dst::packed(Reg::grf(GrfNum::new(dst), 0), ty);
        i.src[..srcs.len()].copy_from_slice(srcs);
        i
    };
    let r = |n, ty| Src::new(Reg::grf(n, 0), Region::new(8, 8, 1), ty);
    let t = |n, ty| Src::new(Reg::grf(n, 0), Region::ternary(8, 1), ty);
    let mut count = Inst::<Physical>::new(Op::Add, ExecSize::S1);
    count.no_mask = true;
    count.dst = Dst::packed(Reg::grf(GrfNum::new(2), 0), Type::D);
    count.src[0] = Src::scalar(Reg::grf(GrfNum::new(2), 0), Type::D);
    count.src[1] = Src::d(-1);
    count.cond = Some(CondMod { cond: Cond::Ne, flag });
    let mut back = Inst::<Physical>::new(Op::Jmpi, ExecSize::S1);
    back.no_mask = true;
    back.pred = Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq });
    let mut load = Inst::<Physical>::new(Op::Mov, ExecSize::S1);
    load.no_mask = true;
    load.dst = Dst::packed(Reg::grf(GrfNum::new(2), 0), Type::D);
    load.src[0] = Src::d(1_000_000);
    let mut eot = Inst::<Physical>::new(Op::Send, ExecSize::S8);
    eot.no_mask = true;
    eot.dst = Dst::null(Type::Ud);
    eot.src[0] = Src::packed(Reg::grf(GrfNum::new(127), 0), Type::Ud);
    eot.payload = Payload::Send(SendInfo {
        sfid: Sfid::Spawner,
        desc: gen_ir::Desc::Imm(messages::spawner::end_of_thread()),
        ex_desc: gen_ir::Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: true,
        dst_len: 0,
        src0_len: 1,
        src1_len: 0,
    });
    let body = [
        vector(Op::Add, 10, Type::D, &[r(GrfNum::new(12), Type::D), Src::d(3)]),
        vector(Op::Mul, 14, Type::F, &[r(GrfNum::new(16), Type::F), r(GrfNum::new(18), Type::F)]),
        vector(Op::Mov, 20, Type::D, &[r(GrfNum::new(10), Type::D)]),
        vector(
            Op::Mad,
            22,
            Type::F,
            &[t(GrfNum::new(14), Type::F), t(GrfNum::new(16), Type::F), t(GrfNum::new(18), Type::F)],
        ),
        vector(Op::Shl, 24, Type::D, &[r(GrfNum::new(10), Type::D), Src::uw(2)]),
        vector(Op::And, 26, Type::D, &[r(GrfNum::new(24), Type::D), r(GrfNum::new(10), Type::D)]),
        vector(Op::Mov, 28, Type::F, &[r(GrfNum::new(26), Type::D)]),
        vector(Op::Add, 12, Type::D, &[r(GrfNum::new(12), Type::D), r(GrfNum::new(26), Type::D)]),
    ];
    let mut insts = vec![load];
    insts.extend(body);
    insts.push(count);
    back.payload = Payload::Branch { jip: Target::Rel(-16 * 9), uip: Target::None, ctrl: false };
    insts.push(back);
    insts.push(eot);
    let program = Program::from_insts(Platform::Skl, &insts).expect("a program");
    let launch = RawLaunch { simd: 16, groups: [1, 1, 1], threads: 1, ..RawLaunch::default() };
    let dispatch = Dispatch::raw(Platform::Skl, &launch).expect("a dispatch");
    for (name, options) in [("plain", Options::fast()), ("checked", Options::default())] {
        let start = Instant::now();
        let report = run_program(&program, &dispatch, &mut Memory::new(), &options).expect("a run");
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {:.1} M instructions/s", report.instructions as f64 / seconds / 1e6);
    }
}

use super::*;
use gen_ir::{
    Block, BlockId, Dst, ExecSize, Inst, Op, Payload, Pred, PredCtrl, Reg, SendInfo, Src, Target, Type,
};
use gen_ir::{Desc, GrfNum, Sfid, Var, VarClass, VarId};
use platforms::Platform;

/// A kernel under construction: one letter per block, the flag variable is number 0.
struct Build(Kernel<Virtual>);

impl Build {
    fn new(platform: Platform) -> Build {
        let mut k = Kernel::new("t", platform);
        k.simd = 16;
        k.add_var(Var::temp(VarClass::Flag, 2, 2));
        Build(k)
    }

    fn nop(mut self) -> Build {
        self.0
            .blocks
            .push(Block { insts: vec![Inst::new(Op::Nop, ExecSize::S1)], succs: Default::default() });
        self
    }

    fn goto(self, exec: ExecSize, to: u32) -> Build {
        self.branch(exec, None, to)
    }

    /// The same where a flag is set.
    fn goto_if(self, exec: ExecSize, to: u32) -> Build {
        let flag = Reg::var_at(VarId(0), 0);
        self.branch(exec, Some(Pred { flag, inv: false, ctrl: PredCtrl::Seq }), to)
    }

    fn branch(mut self, exec: ExecSize, pred: Option<Pred<Virtual>>, to: u32) -> Build {
        let mut i = Inst { pred, ..Inst::new(Op::Goto, exec) };
        i.payload = Payload::Branch { jip: Target::None, uip: Target::Block(BlockId(to)), ctrl: false };
        self.0
            .blocks
            .push(Block { insts: vec![Inst::new(Op::Nop, ExecSize::S1), i], succs: Default::default() });
        self
    }

    fn end(mut self) -> Kernel<Virtual> {
        let mut i = Inst::new(Op::Send, ExecSize::S8);
        i.payload = Payload::Send(SendInfo {
            sfid: Sfid::Spawner,
            desc: Desc::Imm(gen_ir::Descriptor::from_bits(0x0200_0010)),
            ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
            eot: true,
            dst_len: 0,
            src0_len: 1,
            src1_len: 0,
        });
        i.dst = Dst::null(Type::Ud);
        i.src[0] = Src::packed(Reg::grf(GrfNum::new(112), 0), Type::Ud);
        self.0.blocks.push(Block { insts: vec![i], succs: Default::default() });
        self.0
    }
}

/// Flow control as text: `block:op[pred] jip,uip`.
fn flow(k: &Kernel<Virtual>) -> Vec<String> {
    let name = |t: Target| match t {
        Target::Block(b) => b.0.to_string(),
        _ => "-".into(),
    };
    k.insts()
        .filter(|(_, i)| i.op.is_branch())
        .map(|(b, i)| {
            let (jip, uip) = i.targets().unwrap();
            let pred = i.pred.map_or("", |p| if p.inv { "~" } else { "+" });
            let ctrl = if matches!(i.payload, Payload::Branch { ctrl: true, .. }) { ".b" } else { "" };
            format!("{}:{pred}{}{ctrl}({}) {},{}", b.0, i.op, i.exec.lanes(), name(jip), name(uip))
        })
        .collect()
}

const W: ExecSize = ExecSize::S16;
const U: ExecSize = ExecSize::S1;

#[test]
fn divergent_if_else() {
    // 0: goto 2; 1: uniform goto 3; 2: ; 3: end
    let mut k = Build::new(Platform::Pvc).goto_if(W, 2).goto(U, 3).nop().end();
    let s = structurize(&mut k).unwrap();
    assert_eq!(flow(&k), ["0:+goto(16) 2,2", "1:goto(16) 2,3", "2:join(16) 3,-", "3:join(16) 4,-"], "{k:?}");
    assert_eq!((s.jumps, s.joins), (0, 2));
    assert_eq!(s.divergent, [false, true, true, false, false]);
}

#[test]
fn structured_if_else() {
    for platform in [Platform::Skl, Platform::Tgllp] {
        let mut k = Build::new(platform).goto_if(W, 2).goto(U, 3).nop().end();
        let s = structurize(&mut k).unwrap();
        assert_eq!(flow(&k), ["0:~if(16) 2,3", "1:else(16) 3,3", "3:endif(16) 4,-"]);
        assert_eq!(s.divergent, [false, true, true, false, false]);
    }
}

#[test]
fn regions_that_end_together_share_a_join() {
    let mut k = Build::new(Platform::Skl).goto_if(W, 3).goto_if(W, 3).nop().end();
    structurize(&mut k).unwrap();
    assert_eq!(flow(&k), ["0:~goto(16) 3,3", "1:~goto(16) 3,3", "3:join(16) 4,-"]);
}

/// `if p { if p { 2 } else { 3 } } else { 4 }`, where 2 and 3 go straight to 5.
fn nested(platform: Platform) -> Build {
    Build::new(platform).goto_if(W, 4).goto_if(W, 3).goto(U, 5).goto(U, 5).nop()
}

#[test]
fn a_jump_out_of_two_ifs_leaves_one_after_the_other() {
    let mut k = nested(Platform::Skl).end();
    structurize(&mut k).unwrap();
    assert_eq!(
        flow(&k),
        [
            "0:~if(16) 5,6",
            "1:~if(16) 3,4",
            "2:else(16) 4,4",
            "4:endif(16) 5,-",
            "4:else(16) 6,6",
            "6:endif(16) 7,-"
        ]
    );
    // Gotos only: nothing is gained by more stops.
    let mut k = nested(Platform::Pvc).end();
    structurize(&mut k).unwrap();
    let gotos = flow(&k).iter().filter(|f| f.contains("goto")).count();
    assert_eq!((k.blocks.len(), gotos), (7, 4));
}

#[test]
fn a_jump_that_no_structure_takes_keeps_its_target() {
    // As above, but 6 jumps into the second part from behind: nothing is a hammock.
    let tangled = |p| nested(p).goto_if(W, 3).end();
    let mut k = tangled(Platform::Skl);
    structurize(&mut k).unwrap();
    let mut plain = tangled(Platform::Skl);
    structurize_with(&mut plain, BranchStyle::Gotos).unwrap();
    assert_eq!(flow(&k), flow(&plain));
}

#[test]
fn a_loop_at_the_end_of_a_region() {
    let mut k = Build::new(Platform::Skl).goto_if(W, 2).goto_if(W, 1).nop().end();
    structurize(&mut k).unwrap();
    assert_eq!(flow(&k), ["0:~goto(16) 2,2", "1:+goto.b(16) 2,1", "2:join(16) 3,-"]);
}

#[test]
fn gen9_jumps_on_false() {
    // 0: goto 3; 1: goto 2, 2 ends the first region early: 1 goes into the second.
    let mut k = Build::new(Platform::Skl).goto_if(W, 2).goto_if(W, 3).goto(U, 4).nop().end();
    structurize(&mut k).unwrap();
    assert_eq!(
        flow(&k),
        [
            "0:~goto(16) 2,2",
            "1:~goto(16) 2,3",
            "2:join(16) 3,-",
            "2:+goto(16) 3,4",
            "3:join(16) 4,-",
            "4:join(16) 5,-"
        ]
    );
    // The unpredicated goto reads a flag that was just cleared.
    let b = &k.blocks[2].insts;
    assert_eq!(b[b.len() - 2].op, Op::Mov);
}

#[test]
fn uniform_if_else_is_jumps() {
    let mut k = Build::new(Platform::Skl).goto_if(U, 2).goto(U, 3).nop().end();
    let s = structurize(&mut k).unwrap();
    assert_eq!(flow(&k), ["0:+jmpi(1) 2,-", "1:jmpi(1) 3,-"]);
    assert!(s.divergent.iter().all(|d| !d));
}

#[test]
fn loop_with_divergent_exit() {
    // 0: ; 1: body, break to 3; 2: goto 1; 3: end
    let mut k = Build::new(Platform::Icllp).nop().goto_if(W, 3).goto_if(W, 1).end();
    let s = structurize(&mut k).unwrap();
    assert_eq!(flow(&k), ["1:+goto(16) 3,3", "2:+goto.b(16) 3,1", "3:join(16) 4,-"]);
    assert_eq!(s.divergent, [false, true, true, false, false]);
}

#[test]
fn uniform_loop_with_divergent_break_past_it() {
    // 0: ; 1: body, some lanes to 4; 2: uniform back to 1; 3: uniform goto 5 passes 4: must be wide
    let mut k = Build::new(Platform::Icllp).nop().goto_if(W, 4).goto_if(U, 1).goto(U, 5).nop().end();
    let s = structurize(&mut k).unwrap();
    assert_eq!(
        flow(&k),
        ["1:+goto(16) 4,4", "2:+jmpi(1) 1,-", "3:goto(16) 4,5", "4:join(16) 5,-", "5:join(16) 6,-"]
    );
    // Lanes wait at 4 from the loop head on.
    assert_eq!(s.waits.since(BlockId(4)), Some(BlockId(1)));
    assert_eq!(s.divergent, [false, true, true, true, true, false, false]);
}

#[test]
fn unreachable_and_idle() {
    let mut k = Build::new(Platform::Skl).goto(U, 2).nop().goto_if(U, 3).end();
    structurize(&mut k).unwrap();
    // Block 1 goes, then both jumps lead to the next block.
    assert_eq!(flow(&k), Vec::<String>::new());
    assert_eq!(k.blocks.len(), 1);
}

#[test]
fn scalar_predicate_is_spread() {
    // A uniform goto that crosses waiting lanes, on a flag of unknown lanes: copied to all lanes.
    let mut k = Build::new(Platform::Icllp).goto_if(W, 2).goto_if(U, 3).nop().end();
    structurize(&mut k).unwrap();
    let b = &k.blocks[1].insts;
    assert_eq!(b.iter().map(|i| i.op).collect::<Vec<_>>(), [Op::Nop, Op::Mov, Op::Mov, Op::Goto]);
    assert_eq!(b[2].pred.unwrap().flag.var(), Some(VarId(0)));
    assert_eq!(b[3].pred.unwrap().flag.var(), Some(VarId(1)));
    assert!(!b[3].pred.unwrap().inv);
    // Where threads are pairs all are spread, and any of the bits is the bit.
    let mut k = Build::new(Platform::Tgllp).goto_if(U, 2).nop().end();
    structurize(&mut k).unwrap();
    let b = &k.blocks[0].insts;
    assert_eq!((b[1].op, b[1].src[0].reg().and_then(|r| r.var())), (Op::And, Some(VarId(0))));
    let pred = b[2].pred.unwrap();
    assert_eq!((pred.flag.var(), pred.ctrl, pred.inv), (Some(VarId(1)), PredCtrl::Any16h, true));
}

#[test]
fn pairs_of_threads_make_no_jumps() {
    let mut k = Build::new(Platform::Tgllp).nop().goto_if(U, 0).goto(U, 4).nop().end();
    structurize(&mut k).unwrap();
    assert!(k.insts().all(|(_, i)| i.op != Op::Jmpi));
    // Nobody waits behind a loop without a way out at its end.
    let mut k = Build::new(Platform::Tgllp).goto_if(U, 2).goto(U, 0).end();
    structurize(&mut k).unwrap();
    let waits: Vec<_> = Waits::of(&k).iter().collect();
    assert_eq!(waits, [(BlockId(2), BlockId(0))], "{:?}", flow(&k));
}

#[test]
fn faults_are_named() {
    let mut k = Build::new(Platform::Skl).goto_if(U, 9).end();
    assert_eq!(structurize(&mut k).unwrap_err(), Error::BadTarget(BlockId(0)));
    let mut k = Build::new(Platform::Skl).nop().0;
    assert_eq!(structurize(&mut k).unwrap_err(), Error::FallsOffEnd(BlockId(0)));
    let mut k = Kernel::new("t", Platform::Skl);
    assert_eq!(structurize(&mut k).unwrap_err(), Error::Empty);
}

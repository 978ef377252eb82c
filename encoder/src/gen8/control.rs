//! The fields that all formats share.

use super::{
    Bad, Encoded, Fault,
    codes::{self, AccessMode},
    layout::Control,
    rules::Rules,
};
use gen_ir::{
    Class, Cond, CondMod, ExecSize, FlagSub, Inst, MathFn, Op, Options, Payload, Physical, Pred, Reg,
};
use narrow::to_u8;

/// Options whose fields every format has, each with its bit in [`Control`].
const PLAIN: [(Options, u64); 3] = [
    (Options::NO_DD_CLR, Control::new().with_no_dd_clr(true).into_bits()),
    (Options::NO_DD_CHK, Control::new().with_no_dd_chk(true).into_bits()),
    (Options::BREAKPOINT, Control::new().with_debug_ctrl(true).into_bits()),
];

/// Thread control options, from code 1 on.
const THREAD: [Options; 3] = [Options::ATOMIC, Options::SWITCH, Options::NO_PREEMPT];

impl Rules {
    /// Thread control options of the platform, from code 1 on.
    fn thread_options(&self) -> &'static [Options] {
        if self.no_preempt { &THREAD } else { &THREAD[..2] }
    }
}

/// What `AccWrCtrl` says in a class of instructions, if it is an option.
fn bit_28(class: Class) -> Option<Options> {
    match class {
        Class::Branch => None,
        Class::Send => Some(Options::NO_SRC_DEP_SET),
        _ => Some(Options::ACC_WR_EN),
    }
}

/// Bits of which most instructions have none set: all but opcode, access mode, first channel, execution
/// size, saturation, mask control, and the bits beyond [`Control`].
const ODD: u64 = 1 << 7 | 3 << 9 | 3 << 14 | 0x1f << 16 | 0x7f << 24 | 3 << 32;

fn flag(c: Control) -> Reg<Physical> {
    Reg::flag(FlagSub::new(c.flag_reg_num().into(), c.flag_sub_reg_num().into()))
}

fn flag_bits(reg: Reg<Physical>) -> Option<(bool, bool)> {
    let flag = reg.flag_sub().filter(|flag| flag.register() < 2)?;
    Some((flag.register() == 1, flag.half() == 1))
}

/// Fills in what `c` says.
#[inline]
pub(super) fn decode(
    rules: &Rules,
    c: Control,
    class: Class,
    inst: &mut Inst<Physical>,
) -> Result<(), Fault> {
    let exec = c.exec_size();
    inst.exec =
        *ExecSize::ALL.get(usize::from(exec)).ok_or_else(|| Fault::new("ExecSize", exec, "0 to 5"))?;
    inst.chan = c.chan_off() * 4;
    inst.no_mask = c.mask_ctrl();
    inst.sat = c.saturate();
    let word = c.into_bits();
    if word & ODD == 0 && class != Class::Math {
        return Ok(());
    }
    if c.cmpt_ctrl() {
        return Err(Fault::new("CmptCtrl", 1u8, "0"));
    }
    let mut opts = 0;
    for (option, bit) in PLAIN {
        opts |= if word & bit != 0 { option.0 } else { 0 };
    }
    if let Some(last) = c.thread_ctrl().checked_sub(1) {
        let option = rules.thread_options().get(usize::from(last));
        opts |= option.ok_or_else(|| Fault::new("ThreadCtrl", last + 1, "0 to 2; from Gen11 on, 3"))?.0;
    }
    if c.acc_wr_ctrl() {
        opts |= bit_28(class).map_or(0, |o| o.0);
    }
    inst.opts = Options(opts);
    let code = c.pred_ctrl();
    match codes::pred(AccessMode::of_bit(c.access_mode()), code) {
        _ if code == 0 => {}
        Some(ctrl) => inst.pred = Some(Pred { flag: flag(c), inv: c.pred_inv(), ctrl }),
        // It has no predicate.
        None if inst.op == Op::Csel => {}
        None => return Err(Fault::new("PredCtrl", code, "0 to 13, in Align16 mode 0 to 7")),
    }
    let code = c.cond_modifier();
    match class {
        Class::Math => {
            let function =
                MathFn::from_code(code).ok_or_else(|| Fault::new("MathFC", code, "1 to 7, 9 to 15"))?;
            inst.payload = Payload::Math(function);
            if function.is_macro() {
                inst.cond = Some(CondMod { cond: Cond::Eo, flag: flag(c) });
            }
        }
        // The shared function of a message is read with its descriptors; flow control has no condition.
        Class::Send | Class::Branch => {}
        _ if code != 0 => {
            let cond =
                Cond::from_code(code).ok_or_else(|| Fault::new("CondModifier", code, "0 to 6, 8, 9"))?;
            inst.cond = Some(CondMod { cond, flag: flag(c) });
        }
        _ => {}
    }
    Ok(())
}

/// The control fields of an instruction. `mode` is the access mode it is encoded in.
#[inline]
pub(super) fn encode(
    rules: &Rules,
    inst: &Inst<Physical>,
    class: Class,
    mode: AccessMode,
    number: u8,
) -> Encoded<Control, Bad> {
    if !inst.chan.is_multiple_of(4) || inst.chan > 28 {
        return Err(Bad::new("channel offset", u32::from(inst.chan), "a multiple of 4 below 32"));
    }
    let c = Control::new()
        .with_opcode(number)
        .with_access_mode(mode == AccessMode::Align16)
        .with_chan_off(inst.chan / 4)
        .with_exec_size(inst.exec.number())
        .with_saturate(inst.sat)
        .with_mask_ctrl(inst.no_mask);
    let c = with_options(rules, c, inst, class)?;
    let mut c = with_flags(c, inst, class, mode)?;
    if let Payload::Math(function) = inst.payload {
        c.set_cond_modifier(function.number());
    }
    Ok(c)
}

/// The control fields with those of the instruction's options.
#[inline]
fn with_options(rules: &Rules, mut c: Control, inst: &Inst<Physical>, class: Class) -> Encoded<Control, Bad> {
    let mut left = inst.opts.without(Options::COMPACTED.with(Options::ALIGN16));
    if left != Options::NONE {
        for (option, bit) in PLAIN {
            if left.has(option) {
                c = Control::from_bits(c.into_bits() | bit);
                left = left.without(option);
            }
        }
        let threads = rules.thread_options();
        if let Some(i) = threads.iter().position(|&o| left.has(o)) {
            c.set_thread_ctrl(to_u8(i) + 1);
            left = left.without(threads[i]);
        }
        if let Some(option) = bit_28(class).filter(|&o| left.has(o)) {
            c.set_acc_wr_ctrl(true);
            left = left.without(option);
        }
        if left != Options::NONE {
            return Err(Bad::new(
                "options",
                u32::from(left.0),
                "those of the instruction, one thread control",
            ));
        }
    }
    Ok(c)
}

/// The control fields with predicate, condition and their flag.
#[inline]
fn with_flags(
    mut c: Control,
    inst: &Inst<Physical>,
    class: Class,
    mode: AccessMode,
) -> Encoded<Control, Bad> {
    let mut flag = None;
    if let Some(pred) = &inst.pred {
        let code = codes::pred_code(mode, pred.ctrl)
            .ok_or_else(|| Bad::new("predicate control", pred.ctrl.number(), "one of the access mode"))?;
        c.set_pred_ctrl(code);
        c.set_pred_inv(pred.inv);
        flag = Some(pred.flag);
    }
    if let Some(cond) = &inst.cond {
        match (cond.cond, inst.payload) {
            (Cond::Eo, Payload::Math(f)) if f.is_macro() => {}
            (_, Payload::Math(_)) => {
                return Err(Bad::new("condition", cond.cond.number(), "none, or (eo) of a math macro"));
            }
            (code, _) => {
                let code = code
                    .code()
                    .filter(|_| !matches!(class, Class::Send | Class::Branch))
                    .ok_or_else(|| Bad::new("condition", cond.cond.number(), "none"))?;
                c.set_cond_modifier(code);
            }
        }
        if flag.is_some_and(|f| f != cond.flag) {
            return Err(Bad::new("condition flag", "another register", "the predicate's flag"));
        }
        flag = Some(cond.flag);
    }
    if let Some(flag) = flag {
        let (reg, sub) =
            flag_bits(flag).ok_or_else(|| Bad::new("flag", "another register", "f0.0, f0.1, f1.0, f1.1"))?;
        c.set_flag_reg_num(reg);
        c.set_flag_sub_reg_num(sub);
    }
    Ok(c)
}

/// The function of a `math` instruction.
pub(super) fn math_function(inst: &Inst<Physical>) -> Encoded<MathFn, Bad> {
    match inst.payload {
        Payload::Math(function) => Ok(function),
        _ => Err(Bad::new("math function", "none", "a math function")),
    }
}

//! The words of options, and which instructions have no execution size or a branch control.

use gen_ir::{Op, Options};

/// Options in the order that IGA writes them; `None` is the end of the thread.
pub(super) fn option_names() -> &'static [(Option<Options>, &'static str)] {
    &[
        (Some(Options::ACC_WR_EN), "AccWrEn"),
        (Some(Options::ATOMIC), "Atomic"),
        (Some(Options::BREAKPOINT), "Breakpoint"),
        (Some(Options::COMPACTED), "Compacted"),
        (None, "EOT"),
        (Some(Options::NO_DD_CHK), "NoDDChk"),
        (Some(Options::NO_DD_CLR), "NoDDClr"),
        (Some(Options::NO_PREEMPT), "NoPreempt"),
        (Some(Options::NO_SRC_DEP_SET), "NoSrcDepSet"),
        (Some(Options::SWITCH), "Switch"),
        (Some(Options::SERIALIZE), "Serialize"),
        (Some(Options::EX_BSO), "ExBSO"),
        (Some(Options::CPS), "CPS"),
    ]
}

/// Whether the mnemonic is followed by execution size and channel offset.
pub(super) fn has_exec_info(op: Op) -> bool {
    !matches!(op, Op::Sync | Op::Nop | Op::Illegal | Op::Jmpi | Op::Wait)
}

/// Whether assembly shows `BranchCtrl`.
pub(super) fn has_branch_control(op: Op) -> bool {
    matches!(op, Op::If | Op::Else | Op::Goto)
}

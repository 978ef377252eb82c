//! Faults of the hardware.

/// Faults of the hardware of the parts that were sold, which code works around. Sources are the workaround tables of Intel's
/// graphics compiler (`skuwa`) and what its finalizer does where they name one (`visa/SWWA.cpp` if nothing else stands there,
/// `visa/HWCaps.inc`); its code for the platform shows each of them.
///
/// Not here, though its finalizer has them: addresses of compressed instructions (`Wa_13010473643`: the driver's tables have
/// it for a later part, `igt_20_04_hw_wa.c`); fences that do not wait where messages may fault
/// (`WADisableWriteCommitForPageFault`: of drivers that let them, `FtrIoMmuPageFaulting`); and sends among the first eight
/// instructions on Xe-HPC that wait for all pipes (`finalizeDistanceType1`: no fault is named, and such sends wait for one
/// pipe from the ninth on).
#[derive(Clone, Copy, Debug)]
pub struct Errata {
    /// A quotient or power of `math` is wrong if the next instruction writes two registers (`hasFdivPowWA`).
    pub wide_after_quotient: bool,
    /// Where a call leads, and where it returns to, the thread has to switch first (`WaThreadSwitchAfterCall`).
    pub call_without_switch: bool,
    /// A flag that is written and not read may still be awaited when the thread has ended
    /// (`WaClearArfDependenciesBeforeEot`).
    pub flags_outlive_thread: bool,
    /// The count of notifications may be left from before when a barrier is signalled (`WaResetN0BeforeGatewayMessage`).
    pub stale_notifications: bool,
    /// A message from `r2` may be lost where a thread is preempted (`needsNoPreemptR2ForSend`).
    pub preempted_r2: bool,
    /// A source of which each channel has an address of its own reads through those of channels that are off, too: these must
    /// lie in the file (`needResetA0forVxHA0`).
    pub addresses_of_all: bool,
    /// A thread of a pair runs instructions that ignore the mask, though no channel of it is on, where branches are nested
    /// (`Wa_1808850743` in `skuwa/itgl_lp_hw_wa.c`; the page "NoMask WA").
    pub unmasked_pairs: bool,
    /// Both threads of a pair call what the first one's address says, also where no channel of it is on (`Wa_14016243945` is the
    /// mend of later parts; `applyFusedCallWA`, which Intel's compiler asks for on Tiger Lake: `-fusedCallWA 1`).
    pub shared_calls: bool,
    /// What was read for some channels counts as read for all where a branch or a predicated message has changed which are on
    /// (`Wa_16012061344`, `Wa_16012292205`; `insertDummyMovForHWRSWA`).
    pub suppressed_reads: bool,
    /// What was read through an address under a predicate counts as read for all (the same; `fixPredicateIndirectInst`).
    pub suppressed_addresses: bool,
    /// A register that two sources of an instruction read is read once, before all of it is written (`Wa_14018126777`;
    /// `hasIntraReadSuppression`).
    pub suppressed_twins: bool,
    /// The accumulator has to be written before the thread ends (`Wa_14010017096`).
    pub accumulator_outlives_thread: bool,
    /// The message that ends the thread does not wait for what is before it (`Wa_14013672992`).
    pub early_end: bool,
    /// What stands behind the message that ends the thread is fetched: it must be an instruction (`Wa_16013338947`).
    pub fetches_past_end: bool,
    /// A message counts as having read its sources while it may still be reading the last two registers (`PVCSendWARWA`, which
    /// Intel's driver asks for; `insertPVCWA`).
    pub late_payloads: bool,
    /// A source that two neighbours in the float pipe share is not read again, though one reads it by another bus
    /// (`hasFPU0ReadSuppressionIssue`).
    pub suppressed_floats: bool,
    /// A `sel` of dwords whose result are words writes only at even dwords (`hasSelWDstDwExecTypeAlignIssue`).
    pub odd_words_of_sel: bool,
    /// The second source of bytes that stand apart are words at even places (`hasBDstWSrc1EvenAlignIssue`).
    pub odd_words_to_bytes: bool,
    /// The second source of bytes at every other place is no word at every other place (`Wa_16012383669`).
    pub swizzled_words_to_bytes: bool,
}

impl Errata {
    /// Nothing is known to be wrong.
    pub const NONE: Errata = Errata {
        wide_after_quotient: false,
        call_without_switch: false,
        flags_outlive_thread: false,
        stale_notifications: false,
        preempted_r2: false,
        addresses_of_all: false,
        unmasked_pairs: false,
        shared_calls: false,
        suppressed_reads: false,
        suppressed_addresses: false,
        suppressed_twins: false,
        accumulator_outlives_thread: false,
        early_end: false,
        fetches_past_end: false,
        late_payloads: false,
        suppressed_floats: false,
        odd_words_of_sel: false,
        odd_words_to_bytes: false,
        swizzled_words_to_bytes: false,
    };
}

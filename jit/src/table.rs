//! Options of Intel's finalizer that somebody passes to it, and what we do.
//!
//! Names and values: `visa/include/VISAOptionsDefs.h` of intel-graphics-compiler. Who passes them:
//! `IGC/Compiler/CISACodeGen/CISABuilder.cpp` there (`SaveOption`), and `media_driver/agnostic/common/cm/cm_program.cpp`
//! of media-driver. What has an effect on code was measured with `GenX_IR`.

use platforms::Caps;

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Words behind it that are its values.
    pub values: u8,
    /// Who passes it.
    pub by: By,
    /// What becomes of it.
    pub done: Done,
}

/// Who passes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Intel's graphics compiler, to the finalizer inside it.
    Compiler,
    /// Media-driver, to the library that it loads.
    Runtime,
    /// Both.
    Both,
    /// Tools that put code of their own into kernels, and people.
    Tool,
}

/// What we do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// As Intel's finalizer does.
    Obeyed,
    /// Nothing, for this reason.
    NoEffect(&'static str),
    /// The code would have to do something that we do not write.
    Refused,
    /// The same, on platforms where kernels load their payload; on others it says nothing.
    RefusedWithPrologue,
}

impl Done {
    /// Whether the option is refused on a platform.
    pub(crate) fn is_refused(self, caps: &Caps) -> bool {
        match self {
            Self::Refused => true,
            Self::RefusedWithPrologue => caps.thread.payload_prologue,
            Self::Obeyed | Self::NoEffect(_) => false,
        }
    }
}

const NO_OUTPUT: &str = "it asks for files, console output or figures, of which the library writes none";
const OWN_PASSES: &str =
    "it chooses how Intel's passes work, not what the code does; ours decide for themselves";
const CHECKED: &str = "what would be unsafe to compile is looked for in any case";
const R0_IS_KEPT: &str =
    "no variable is given r0; r1 is spared for stack ids of ray tracing, which no kernel here has";
const SAMPLER_HEADERS: &str =
    "messages to the sampler have headers where a platform asks for them, as if it were passed";
const FENCES: &str = "stores are fenced before the end where a platform needs that";
const COHERENT: &str = "stateless messages stay coherent, which is right for all memory";
const OVERLAPS: &str = "registers of operands overlap where a platform allows it, and nowhere else";
const FORMS: &str = "which forms of instructions a platform has, its row says";
const PARTS: &str =
    "it works around faults of parts that were not sold, or of devices that are not among the platforms";
const LATER: &str = "it is about hardware that is not among the platforms";
const EXPERIMENTS: &str = "it marks code or changes it for experiments, and results are the same without";
const UNREAD: &str = "nothing in Intel's finalizer looks at it";
const LINKING: &str = "kernels are linked by their symbols, behind the library";

const fn row(name: &'static str, values: u8, by: By, done: Done) -> Row {
    Row { name, values, by, done }
}

/// The row of an option.
pub(crate) fn find(name: &[u8]) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name.as_bytes() == name)
}

use By::{Both, Compiler, Runtime, Tool};
use Done::{NoEffect, Obeyed, Refused, RefusedWithPrologue};

/// All of them, in the order of their names.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row("--sdbStats",                      0, Compiler, NoEffect(NO_OUTPUT)),
    row("-abortOnSpill",                   1, Compiler, Obeyed),
    row("-abortonspill",                   0, Compiler, Obeyed),
    row("-activeThreadsOnlyBarrier",       0, Compiler, NoEffect(LATER)),
    row("-addIEEEExTrap",                  0, Compiler, Refused),
    row("-addKernelID",                    0, Compiler, NoEffect(EXPERIMENTS)),
    row("-allowaddrtakenspill",            0, Compiler, NoEffect(OWN_PASSES)),
    row("-ALTMode",                        0, Compiler, NoEffect(FORMS)),
    row("-asmToConsole",                   0, Compiler, NoEffect(NO_OUTPUT)),
    row("-autoGRFSelection",               0, Compiler, Obeyed),
    row("-avoidR0R1",                      0, Compiler, NoEffect(R0_IS_KEPT)),
    row("-binary",                         0, Compiler, NoEffect(NO_OUTPUT)),
    row("-boundsChecking",                 0, Compiler, NoEffect(UNREAD)),
    row("-bumpGRFForForceBCR",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-cloneEvaluateSampleInst",        0, Compiler, NoEffect(OWN_PASSES)),
    row("-cloneSampleInst",                0, Compiler, NoEffect(OWN_PASSES)),
    row("-codePatch",                      1, Compiler, NoEffect(EXPERIMENTS)),
    row("-copyA0ToDBG0",                   0, Compiler, NoEffect(EXPERIMENTS)),
    row("-copyMsg0ToDbg0",                 0, Compiler, NoEffect(EXPERIMENTS)),
    row("-crossThreadDataAlignment",       1, Compiler, RefusedWithPrologue),
    row("-debug",                          0, Runtime,  NoEffect(NO_OUTPUT)),
    row("-delayLocalSplit",                0, Compiler, NoEffect(OWN_PASSES)),
    row("-disablecsel",                    0, Compiler, NoEffect(OWN_PASSES)),
    row("-disableGatherRSFusionSyncWA",    0, Compiler, NoEffect(PARTS)),
    row("-disableHFMath",                  0, Compiler, NoEffect(FORMS)),
    row("-disableIGASyntax",               0, Compiler, NoEffect(NO_OUTPUT)),
    row("-disableMixMode",                 0, Compiler, NoEffect(FORMS)),
    row("-disablePrefetchL1",              0, Compiler, NoEffect(LATER)),
    row("-disableRegDistDep",              0, Compiler, NoEffect(OWN_PASSES)),
    row("-dontUseMultiThreadedLatencies",  0, Compiler, NoEffect(OWN_PASSES)),
    row("-DPASTokenReduction",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-dstSrcOverlapWA",                0, Compiler, NoEffect(OVERLAPS)),
    row("-dumpcombinedcisa",               0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpcommonisa",                  0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpFreqBasedSpillCost",         1, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpIgaJson",                    1, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpPassesSubset",               1, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpPayload",                    0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpRAMetadata",                 0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpvisa",                       0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dumpVISASendInfoStats",          0, Compiler, NoEffect(NO_OUTPUT)),
    row("-dynamicSpillSamplerWeight",      1, Compiler, NoEffect(OWN_PASSES)),
    row("-dynamicSpillThreshold",          0, Compiler, NoEffect(OWN_PASSES)),
    row("-dynamicSpillThresholdPercent",   1, Compiler, NoEffect(OWN_PASSES)),
    row("-emitLocation",                   0, Compiler, NoEffect(NO_OUTPUT)),
    row("-emitMoreMoviCases",              0, Compiler, NoEffect(OWN_PASSES)),
    row("-enable320and448Vrt",             0, Compiler, NoEffect(LATER)),
    row("-enableAtomicFusion",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-enableBarrierInstCounterBits",   0, Compiler, NoEffect(LATER)),
    row("-enableBCR",                      0, Compiler, NoEffect(OWN_PASSES)),
    row("-enableBundleCR",                 1, Compiler, NoEffect(OWN_PASSES)),
    row("-enableCoalesceScalarMoves",      0, Compiler, NoEffect(OWN_PASSES)),
    row("-enableEfficient64b",             0, Compiler, NoEffect(LATER)),
    row("-enableHalfLSC",                  0, Compiler, NoEffect(LATER)),
    row("-enableMathDPASWA",               0, Compiler, NoEffect(PARTS)),
    row("-enablePreemption",               0, Compiler, NoEffect(R0_IS_KEPT)),
    row("-enablePreemptionR0Only",         0, Compiler, NoEffect(R0_IS_KEPT)),
    row("-enableSendFusion",               0, Compiler, NoEffect(OWN_PASSES)),
    row("-enableStructurizer",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-enableUnsafeCP_DF",              0, Compiler, NoEffect(OWN_PASSES)),
    row("-expandPlane",                    0, Compiler, NoEffect(FORMS)),
    row("-fastCompileRA",                  0, Compiler, NoEffect(OWN_PASSES)),
    row("-fasterRA",                       0, Compiler, NoEffect(OWN_PASSES)),
    row("-finiteMathOnly",                 0, Compiler, NoEffect(OWN_PASSES)),
    row("-foldEOT",                        0, Compiler, NoEffect(OWN_PASSES)),
    row("-forceAssignRhysicalReg",         1, Compiler, NoEffect(EXPERIMENTS)),
    row("-forceBCR",                       0, Compiler, NoEffect(OWN_PASSES)),
    row("-forceDebugSWSB",                 0, Compiler, NoEffect(OWN_PASSES)),
    row("-forceGRFModeUp",                 1, Compiler, NoEffect(OWN_PASSES)),
    row("-forceMixMode",                   0, Compiler, NoEffect(FORMS)),
    row("-forceNoMaskWA",                  0, Compiler, NoEffect(PARTS)),
    row("-forceSamplerHeader",             0, Compiler, NoEffect(SAMPLER_HEADERS)),
    row("-forcespillcompression",          0, Compiler, NoEffect(OWN_PASSES)),
    row("-forceSpillVariables",            1, Compiler, NoEffect(EXPERIMENTS)),
    row("-forceSrc0ToQwForQwShlWA",        0, Compiler, NoEffect(FORMS)),
    row("-freqBasedSpillCost",             1, Compiler, NoEffect(OWN_PASSES)),
    row("-freqBasedSpillCostFunc",         1, Compiler, NoEffect(OWN_PASSES)),
    row("-freqBasedSpillCostScale",        1, Compiler, NoEffect(OWN_PASSES)),
    row("-fusedCallWA",                    1, Compiler, NoEffect(PARTS)),
    row("-gatherWithImmPreRA",             1, Compiler, NoEffect(OWN_PASSES)),
    row("-generateDebugInfo",              0, Compiler, Obeyed),
    row("-getfreegrfinfo",                 0, Both,     Obeyed),
    row("-globalSendVarSplit",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-GRFBumpUpNumber",                1, Compiler, NoEffect(OWN_PASSES)),
    row("-groupScheduleForBC",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-GTPinIndirRef",                  0, Compiler, NoEffect(NO_OUTPUT)),
    row("-GTPinReRA",                      0, Compiler, NoEffect(OWN_PASSES)),
    row("-GTPinScratchAreaSize",           1, Compiler, Refused),
    row("-hasDoubleAcc",                   0, Compiler, NoEffect(FORMS)),
    row("-hashatprologue",                 0, Compiler, NoEffect(EXPERIMENTS)),
    row("-hashmovs",                       2, Tool,     Obeyed),
    row("-hasNoInt64Add",                  0, Compiler, NoEffect(FORMS)),
    row("-hasRNEandDenorm",                0, Compiler, NoEffect(FORMS)),
    row("-HWThreadNumberPerEU",            1, Compiler, Obeyed),
    row("-hybridRAWithSpill",              0, Compiler, NoEffect(OWN_PASSES)),
    row("-IGAEncoder",                     0, Compiler, NoEffect(OWN_PASSES)),
    row("-IGASWSB",                        0, Compiler, NoEffect(OWN_PASSES)),
    row("-ignoreBFRounding",               0, Compiler, NoEffect(FORMS)),
    row("-indirectInstEnd",                1, Compiler, NoEffect(LATER)),
    row("-indirectInstStart",              1, Compiler, NoEffect(LATER)),
    row("-initializePayload",              0, Compiler, NoEffect(EXPERIMENTS)),
    row("-InjectEntryFences",              0, Compiler, NoEffect(EXPERIMENTS)),
    row("-insertDPASRSDummyMov",           0, Compiler, NoEffect(PARTS)),
    row("-insertRSDummyMov",               0, Compiler, NoEffect(PARTS)),
    row("-isaasmAddDeclarationsAtEnd",     0, Compiler, NoEffect(NO_OUTPUT)),
    row("-isaasmToConsole",                0, Compiler, NoEffect(NO_OUTPUT)),
    row("-keepDPASMacroInSchedule",        0, Compiler, NoEffect(OWN_PASSES)),
    row("-kernelCostInfo",                 0, Compiler, NoEffect(NO_OUTPUT)),
    row("-linearScan",                     0, Compiler, NoEffect(OWN_PASSES)),
    row("-linker",                         1, Compiler, NoEffect(LINKING)),
    row("-localCSEForSendPayload",         0, Compiler, NoEffect(OWN_PASSES)),
    row("-LSCBackupMode",                  0, Compiler, NoEffect(LATER)),
    row("-lscEnableImmOffsFor",            1, Compiler, NoEffect(FORMS)),
    row("-LSCFenceWA",                     0, Compiler, NoEffect(FENCES)),
    row("-lscNonStackSpill",               0, Compiler, NoEffect(OWN_PASSES)),
    row("-manualEnableRSWA",               0, Compiler, NoEffect(PARTS)),
    row("-maxGRFNum",                      1, Compiler, NoEffect(OWN_PASSES)),
    row("-minGRFNum",                      1, Compiler, NoEffect(OWN_PASSES)),
    row("-ncstateless",                    0, Both,     NoEffect(COHERENT)),
    row("-newspillcost",                   0, Compiler, NoEffect(OWN_PASSES)),
    row("-noAccSub",                       0, Compiler, NoEffect(OWN_PASSES)),
    row("-nobxmlencoder",                  0, Compiler, NoEffect(OWN_PASSES)),
    row("-nocompaction",                   0, Compiler, Obeyed),
    row("-nodpsendreorder",                0, Compiler, NoEffect(OWN_PASSES)),
    row("-noflagopt",                      0, Compiler, NoEffect(OWN_PASSES)),
    row("-noFP64bRegion",                  0, Compiler, NoEffect(FORMS)),
    row("-nofuse-typedWrites",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-noifcvt",                        0, Compiler, NoEffect(OWN_PASSES)),
    row("-noLoadPayload",                  0, Compiler, RefusedWithPrologue),
    row("-nolocalra",                      0, Compiler, NoEffect(OWN_PASSES)),
    row("-noLocalSplit",                   0, Compiler, NoEffect(OWN_PASSES)),
    row("-nolvn",                          0, Compiler, NoEffect(OWN_PASSES)),
    row("-noMaskWA",                       0, Compiler, Obeyed),
    row("-nonALTMode",                     0, Compiler, NoEffect(FORMS)),
    row("-nopresched",                     0, Compiler, NoEffect(OWN_PASSES)),
    row("-noremat",                        0, Compiler, NoEffect(OWN_PASSES)),
    row("-noScalarJmp",                    0, Compiler, NoEffect(OWN_PASSES)),
    row("-noSCF",                          0, Compiler, NoEffect(OWN_PASSES)),
    row("-noschedule",                     0, Compiler, Obeyed),
    row("-noSendSrcDstOverlap",            0, Compiler, NoEffect(OVERLAPS)),
    row("-nospillcompression",             0, Compiler, NoEffect(OWN_PASSES)),
    row("-nosplitonspill",                 0, Compiler, NoEffect(OWN_PASSES)),
    row("-noStitchExternFunc",             0, Compiler, NoEffect(LINKING)),
    row("-noverifyCISA",                   0, Compiler, NoEffect(CHECKED)),
    row("-numGeneralAcc",                  1, Compiler, NoEffect(FORMS)),
    row("-optimizeSIMD32",                 0, Compiler, NoEffect(OWN_PASSES)),
    row("-output",                         0, Compiler, NoEffect(NO_OUTPUT)),
    row("-paddingSSOShifter",              1, Compiler, NoEffect(EXPERIMENTS)),
    row("-partialInt64",                   0, Compiler, NoEffect(FORMS)),
    row("-partitionWithFastHybridRA",      0, Compiler, NoEffect(OWN_PASSES)),
    row("-presched-ctrl",                  1, Compiler, NoEffect(OWN_PASSES)),
    row("-presched-extra-grf",             1, Compiler, NoEffect(OWN_PASSES)),
    row("-presched-rp",                    1, Compiler, NoEffect(OWN_PASSES)),
    row("-preSchedForAcc",                 0, Compiler, NoEffect(OWN_PASSES)),
    row("-preserver0",                     0, Compiler, NoEffect(R0_IS_KEPT)),
    row("-printHexFloatInAsm",             0, Compiler, NoEffect(NO_OUTPUT)),
    row("-printInstOffsetInAsm",           0, Compiler, NoEffect(NO_OUTPUT)),
    row("-PVCSendWARWA",                   0, Compiler, NoEffect(PARTS)),
    row("-quickTokenAllocation",           0, Compiler, NoEffect(OWN_PASSES)),
    row("-removeFence",                    0, Compiler, NoEffect(OWN_PASSES)),
    row("-replaceIndirectCallWithJmpi",    0, Compiler, NoEffect(LINKING)),
    row("-rerapostschedule",               0, Both,     NoEffect(OWN_PASSES)),
    row("-reservedGRFNum",                 1, Compiler, Obeyed),
    row("-reserveR0",                      0, Compiler, NoEffect(R0_IS_KEPT)),
    row("-samplerHeaderWA",                0, Compiler, NoEffect(SAMPLER_HEADERS)),
    row("-samplerLSCCaching",              0, Compiler, NoEffect(LATER)),
    row("-SBIDDepLoc",                     0, Compiler, NoEffect(NO_OUTPUT)),
    row("-scalarPipe",                     1, Compiler, NoEffect(LATER)),
    row("-sched-end",                      1, Compiler, NoEffect(OWN_PASSES)),
    row("-sched-start",                    1, Compiler, NoEffect(OWN_PASSES)),
    row("-scheduleEndBB",                  1, Compiler, NoEffect(OWN_PASSES)),
    row("-scheduleStartBB",                1, Compiler, NoEffect(OWN_PASSES)),
    row("-schedWithSendSrcReadCycle",      0, Compiler, NoEffect(OWN_PASSES)),
    row("-scratchAllocForStackInKB",       1, Tool,     Obeyed),
    row("-sdbStatsFile",                   1, Compiler, NoEffect(NO_OUTPUT)),
    row("-selectiveFastRA",                0, Compiler, NoEffect(OWN_PASSES)),
    row("-sendAWProfiling",                0, Compiler, NoEffect(NO_OUTPUT)),
    row("-setA0toTdrForSendc",             0, Compiler, NoEffect(PARTS)),
    row("-setFFID",                        1, Compiler, NoEffect(EXPERIMENTS)),
    row("-setstartbp",                     0, Compiler, Obeyed),
    row("-shaderDumpRegexFilter",          1, Compiler, NoEffect(NO_OUTPUT)),
    row("-skipFDE",                        0, Compiler, NoEffect(NO_OUTPUT)),
    row("-skipPaddingScratchSpaceSize",    1, Compiler, NoEffect(OWN_PASSES)),
    row("-spillAllowed",                   1, Compiler, NoEffect(OWN_PASSES)),
    row("-spillAllowed256GRF",             1, Compiler, NoEffect(OWN_PASSES)),
    row("-spillcompressionThreshold",      1, Compiler, NoEffect(OWN_PASSES)),
    row("-splitbarrierid1",                0, Compiler, NoEffect(LATER)),
    row("-src1Src2OverlapWA",              0, Compiler, NoEffect(OVERLAPS)),
    row("-stepping",                       1, Runtime,  NoEffect(PARTS)),
    row("-supportLSCImmScale",             1, Compiler, NoEffect(FORMS)),
    row("-SWSBInstStall",                  1, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBInstStallEnd",               1, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBMakeLocalWAR",               0, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBReplaceARWithAW",            0, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBStitch",                     0, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBTokenBarrier",               1, Compiler, NoEffect(OWN_PASSES)),
    row("-SWSBTokenNum",                   1, Compiler, NoEffect(OWN_PASSES)),
    row("-threeALUPipes",                  0, Compiler, NoEffect(FORMS)),
    row("-TotalGRFNum",                    1, Compiler, Obeyed),
    row("-useInlineData",                  0, Compiler, RefusedWithPrologue),
    row("-useSBIDCntr",                    0, Compiler, NoEffect(OWN_PASSES)),
    row("-waClearHDCWrite",                0, Compiler, NoEffect(FENCES)),
    row("-waLscUgmFence",                  0, Compiler, NoEffect(FENCES)),
    row("-WARSWSBLocalEnd",                1, Compiler, NoEffect(OWN_PASSES)),
    row("-WARSWSBLocalStart",              1, Compiler, NoEffect(OWN_PASSES)),
    row("-waSlmGOS20",                     0, Compiler, NoEffect(FORMS)),
    row("-wideMulMadOpsEn",                0, Compiler, NoEffect(FORMS)),
    row("-writeCombine",                   0, Compiler, NoEffect(OWN_PASSES)),
    row("-zeroSomeARF",                    0, Compiler, NoEffect(EXPERIMENTS)),
];

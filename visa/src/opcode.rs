//! Opcodes. One line here and one row in [`crate::table`] per opcode.

use crate::types::raw_enum;

raw_enum! {
    /// A vISA opcode; the value is its byte in the object, the word its name in the specification.
    #[allow(missing_docs)]
    #[rustfmt::skip]
    Opcode {
        Add = 0x01 => "add", Avg = 0x02 => "avg", Div = 0x03 => "div", Dp2 = 0x04 => "dp2",
        Dp3 = 0x05 => "dp3", Dp4 = 0x06 => "dp4", Dph = 0x07 => "dph", Exp = 0x08 => "exp",
        Frc = 0x09 => "frc", Line = 0x0a => "line", Log = 0x0b => "log", Mad = 0x0c => "mad",
        Mulh = 0x0d => "mulh", Lrp = 0x0e => "lrp", Mod = 0x0f => "mod", Mul = 0x10 => "mul",
        Pow = 0x11 => "pow", Rndd = 0x12 => "rndd", Rndu = 0x13 => "rndu", Rnde = 0x14 => "rnde",
        Rndz = 0x15 => "rndz", Sad2 = 0x16 => "sad2", Sin = 0x17 => "sin", Cos = 0x18 => "cos",
        Sqrt = 0x19 => "sqrt", Rsqrt = 0x1a => "rsqrt", Inv = 0x1b => "inv", Dpasw = 0x1c => "dpasw",
        Fcvt = 0x1d => "fcvt", Srnd = 0x1e => "srnd", Lzd = 0x1f => "lzd",
        And = 0x20 => "and", Or = 0x21 => "or", Xor = 0x22 => "xor", Not = 0x23 => "not",
        Shl = 0x24 => "shl", Shr = 0x25 => "shr", Asr = 0x26 => "asr", Cbit = 0x27 => "cbit",
        AddrAdd = 0x28 => "addr_add", Mov = 0x29 => "mov", Sel = 0x2a => "sel", Setp = 0x2b => "setp",
        Cmp = 0x2c => "cmp", Movs = 0x2d => "movs", Fbl = 0x2e => "fbl", Fbh = 0x2f => "fbh",
        Subroutine = 0x30 => "func", Label = 0x31 => "label", Jmp = 0x32 => "jmp", Call = 0x33 => "call",
        Ret = 0x34 => "ret", OwordLd = 0x35 => "oword_ld", OwordSt = 0x36 => "oword_st",
        MediaLd = 0x37 => "media_ld", MediaSt = 0x38 => "media_st", Gather = 0x39 => "gather",
        Scatter = 0x3a => "scatter", OwordLdUnaligned = 0x3c => "oword_ld_unaligned",
        SampleLegacy = 0x40 => "sample", SampleUnorm = 0x41 => "sample_unorm", LoadLegacy = 0x42 => "load",
        Avs = 0x43 => "avs", Va = 0x44 => "va", Fminmax = 0x45 => "fminmax", Bfe = 0x46 => "bfe",
        Bfi = 0x47 => "bfi", Bfrev = 0x48 => "bfrev", Addc = 0x49 => "addc", Subb = 0x4a => "subb",
        Gather4Typed = 0x4b => "gather4_typed", Scatter4Typed = 0x4c => "scatter4_typed",
        VaSklPlus = 0x4d => "va_skl_plus", Svm = 0x4e => "svm", Ifcall = 0x4f => "ifcall",
        Faddr = 0x50 => "faddr", File = 0x51 => "file", Loc = 0x52 => "loc",
        VmeIme = 0x54 => "vme_ime", VmeSic = 0x55 => "vme_sic", VmeFbr = 0x56 => "vme_fbr",
        VmeIdm = 0x57 => "vme_idm", Barrier = 0x59 => "barrier",
        SamplerCacheFlush = 0x5a => "sampler_cache_flush", Wait = 0x5b => "wait", Fence = 0x5c => "fence",
        RawSend = 0x5d => "raw_send", Yield = 0x5f => "yield", Nbarrier = 0x60 => "nbarrier",
        Fcall = 0x67 => "fcall", Fret = 0x68 => "fret", Switchjmp = 0x69 => "switchjmp",
        Sad2add = 0x6a => "sad2add", Plane = 0x6b => "plane", Goto = 0x6c => "goto",
        Sample3d = 0x6d => "sample_3d", Load3d = 0x6e => "load_3d", Gather43d = 0x6f => "gather4_3d",
        Info3d = 0x70 => "info_3d", RtWrite3d = 0x71 => "rt_write_3d", UrbWrite3d = 0x72 => "urb_write_3d",
        TypedAtomic3d = 0x73 => "typed_atomic", Gather4Scaled = 0x74 => "gather4_scaled",
        Scatter4Scaled = 0x75 => "scatter4_scaled", GatherScaled = 0x78 => "gather_scaled",
        ScatterScaled = 0x79 => "scatter_scaled", RawSends = 0x7a => "raw_sends",
        Lifetime = 0x7b => "lifetime", Sbarrier = 0x7c => "sbarrier", DwordAtomic = 0x7d => "dword_atomic",
        Sqrtm = 0x7e => "sqrtm", Divm = 0x7f => "divm", Rol = 0x80 => "rol", Ror = 0x81 => "ror",
        Dp4a = 0x82 => "dp4a", Dpas = 0x83 => "dpas", Add3 = 0x84 => "add3", Bfn = 0x85 => "bfn",
        QwGather = 0x86 => "qw_gather", QwScatter = 0x87 => "qw_scatter",
        LscUntyped = 0x89 => "lsc_untyped", LscTyped = 0x8a => "lsc_typed", LscFence = 0x8b => "lsc_fence",
        Madw = 0x91 => "madw", Add3o = 0x92 => "add3.o", RawSendg = 0x93 => "raw_sendg",
        Breakpoint = 0x94 => "breakpoint", Tanh = 0x96 => "tanh", Sigm = 0x97 => "sigm",
        Invm = 0x9b => "invm", Rsqtm = 0x9c => "rsqtm",
    }
}

impl Opcode {
    /// `cos`, `log`, ... : computed by the math unit in its approximate form.
    pub const fn is_math(self) -> bool {
        matches!(
            self,
            Opcode::Cos
                | Opcode::Div
                | Opcode::Exp
                | Opcode::Inv
                | Opcode::Log
                | Opcode::Pow
                | Opcode::Rsqrt
                | Opcode::Sin
                | Opcode::Sqrt
                | Opcode::Tanh
                | Opcode::Sigm
        )
    }

    /// `and`, `or`, `xor`, `not`: may work on predicates, take the bitwise-not modifier.
    pub const fn is_bitwise(self) -> bool {
        matches!(self, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
    }
}

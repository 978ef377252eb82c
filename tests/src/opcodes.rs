//! One small program per vISA instruction: which of them the finalizer lowers on which platform.

use finalizer::{Finalizer, Options};
use platforms::Platform;

/// Instructions as text, over the variables of [`program`]. Where a name stands before a colon, several
/// forms of one opcode have their own rows.
#[rustfmt::skip]
pub const FORMS: &[(&str, &str)] = &[
    ("add", "add (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("add double", "add (M1, 8) DF0(0,0)<1> DF1(0,0)<1;1,0> DF2(0,0)<1;1,0>"),
    ("add 64", "add (M1, 8) Q0(0,0)<1> Q1(0,0)<1;1,0> Q2(0,0)<1;1,0>"),
    ("avg", "avg (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("div", "div (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("div float", "div (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("mod", "mod (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("dp2", "dp2 (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("dp3", "dp3 (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("dp4", "dp4 (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("dph", "dph (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("exp", "exp (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("log", "log (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("log half", "log (M1, 16) H0(0,0)<1> H1(0,0)<1;1,0>"),
    ("frc", "frc (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("line", "line (M1, 16) F0(0,0)<1> F1(0,0)<0;4,1> F2(0,0)<1;1,0>"),
    ("plane", "plane (M1, 16) F0(0,0)<1> F1(0,0)<0;4,1> X(0,0)<1;1,0>"),
    ("lrp", "lrp (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0> F1(0,0)<1;1,0>"),
    ("mad", "mad (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0> F1(0,0)<1;1,0>"),
    ("mad integer", "mad (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    ("add3.o", "add3.o (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0> U1(0,0)<1;1,0> U0(0,0)<1;1,0>"),
    ("fcvt", "fcvt (M1, 16) H0(0,0)<1> UB1(0,0)<1;1,0>"),
    ("srnd", "srnd (M1_NM, 16) H0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("madw", "madw (M1, 16) X(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    ("mulh", "mulh (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("mul", "mul (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("pow", "pow (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("rndd", "rndd (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("rndu", "rndu (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("rnde", "rnde (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("rndz", "rndz (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("sad2", "sad2 (M1, 16) W0(0,0)<1> B1(0,0)<1;1,0> B2(0,0)<1;1,0>"),
    ("sad2add", "sad2add (M1, 16) W0(0,0)<1> B1(0,0)<1;1,0> B2(0,0)<1;1,0> W1(0,0)<1;1,0>"),
    ("sin", "sin (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("cos", "cos (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("sqrt", "sqrt (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("rsqrt", "rsqrt (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("inv", "inv (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("divm", "divm (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("divm double", "divm (M1, 8) DF0(0,0)<1> DF1(0,0)<1;1,0> DF2(0,0)<1;1,0>"),
    ("sqrtm", "sqrtm (M1, 16) F0(0,0)<1> F1(0,0)<1;1,0>"),
    ("invm", "invm (M1, 16) F0(0,0)<1> P1 F1(0,0)<1;1,0> F2(0,0)<1;1,0>"),
    ("rsqtm", "rsqtm (M1, 16) F0(0,0)<1> P1 F1(0,0)<1;1,0>"),
    ("lzd", "lzd (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0>"),
    ("and", "and (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("or", "or (M1, 16) P1 P1 P1"),
    ("xor", "xor (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("not", "not (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0>"),
    ("shl", "shl (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("shr", "shr (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0> U1(0,0)<1;1,0>"),
    ("asr", "asr (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("cbit", "cbit (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0>"),
    ("fbl", "fbl (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0>"),
    ("fbh", "fbh (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0>"),
    ("rol", "rol (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0> U1(0,0)<1;1,0>"),
    ("ror", "ror (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0> U1(0,0)<1;1,0>"),
    ("bfe", "bfe (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    ("bfi", "bfi (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("bfrev", "bfrev (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0>"),
    ("mov", "mov (M1, 16) D0(0,0)<1> W1(0,0)<1;1,0>"),
    ("mov indirect", "mov (M1, 16) D0(0,0)<1> r[A0(0),0]<1,0>:d"),
    ("sel", "(P1) sel (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("min", "min (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("dp4a", "dp4a (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    ("add3", "add3 (M1, 16) D0(0,0)<1> D1(0,0)<1;1,0> D2(0,0)<1;1,0> D1(0,0)<1;1,0>"),
    ("addc", "addc (M1, 16) U0(0,0)<1> U1(0,0)<1> U1(0,0)<1;1,0> U0(0,0)<1;1,0>"),
    ("subb", "subb (M1, 16) U0(0,0)<1> U1(0,0)<1> U1(0,0)<1;1,0> U0(0,0)<1;1,0>"),
    ("bfn", "bfn.xd8 (M1, 16) U0(0,0)<1> U1(0,0)<1;1,0> U1(0,0)<1;1,0> U0(0,0)<1;1,0>"),
    ("cmp", "cmp.eq (M1, 16) P1 D1(0,0)<1;1,0> D2(0,0)<1;1,0>"),
    ("setp", "setp (M1, 16) P1 U1(0,0)<0;1,0>"),
    ("movs", "movs (M1_NM, 1) T6(0) U1(0,0)<0;1,0>"),
    ("addr_add", "addr_add (M1_NM, 1) A0(0)<1> &D0 0x4:uw"),
    ("jmp", "(P1) jmp (M1_NM, 1) out"),
    ("goto", "(P1) goto (M1, 16) out"),
    ("ret conditional", "(P1) ret (M1, 16)"),
    ("call", "call (M1, 16) sub"),
    ("fcall", "fcall (M1, 16) elsewhere 2 2"),
    ("ifcall", "ifcall (M1, 16) U1(0,0)<0;1,0> 2 2"),
    ("faddr", "faddr elsewhere Q0(0,0)<1>"),
    ("switchjmp", "switchjmp (M1_NM, 1) D1(0,0)<0;1,0> (out, out)"),
    ("barrier", "barrier"),
    ("sbarrier", "sbarrier.signal\nsbarrier.wait"),
    ("nbarrier signal", "nbarrier.signal 0x1:ub 0x2:ub"),
    ("nbarrier producers", "nbarrier.signal 0x1:ub 0x0:ub 0x2:ub 0x2:ub"),
    ("nbarrier wait", "nbarrier.wait 0x1:ub"),
    ("sampler_cache_flush", "sampler_cache_flush"),
    ("wait", "wait 0x1:ub"),
    ("fence", "fence_sw"),
    ("yield", "yield"),
    ("breakpoint", "breakpoint"),
    ("file", "FILE \"k.cl\""),
    ("loc", "LOC 5"),
    ("fret", "fcall (M1, 16) f 0 0\nret (M1, 1)\n.global_function \"f\"\n.kernel_attr SimdSize=16\n.function \"f_0\"\nf_0:\nfret (M1, 16)"),
    ("va", "va.minmax T6 F1(0,0)<0;1,0> F1(0,0)<0;1,0> 0x0:ub X.0"),
    ("va_skl_plus", "va_skl_plus.CONV_1D_VERTICAL T6 S0 F1(0,0)<0;1,0> F1(0,0)<0;1,0> 4x16 X.0"),
    ("raw_send", "raw_send (M1, 16) 0xc 2 2 0x4205e00:ud X.0 X.0"),
    ("raw_sends", "raw_sends.12.1.1.0 (M1, 16) 0x0:ud 0x2025e01:ud D1.0 D2.0 V0.0"),
    ("vme_ime", "vme_ime(0,1) T6 X.0 X.0 X.0 X.0 X.0 X.0"),
    ("vme_sic", "vme_sic T6 X.0 X.0 X.0"),
    ("vme_fbr", "vme_fbr (0x0:ud,0x0:ud,0x0:ud) T6 X.0 X.0 X.0"),
    ("vme_idm", "vme_idm T6 X.0 X.0 X.0"),
    ("dpas", "dpas.s8.u8.8.8 (M1, 16) X.0 X.0 X.0 D1(0,0)"),
    ("shfl_idx4", "(P1) shfl_idx4 (M1, 16) X.0 U0(0,0)<1;1,0> UW1(0,0)<1;1,0>"),
    ("dpasw", "dpasw.s8.u8.8.8 (M1, 8) X.0 X.0 X.0 D1(0,0)"),
    ("lifetime", "lifetime.start D0"),
    ("oword_ld", "oword_ld (4) T6 0x0:ud X.0"),
    ("oword_ld_unaligned", "oword_ld_unaligned (4) T6 0x0:ud X.0"),
    ("oword_st", "oword_st (4) T6 0x0:ud X.0"),
    ("media_ld", "media_ld.nomod (32,4) T6 0x0:ud 0x0:ud X.0"),
    ("media_st", "media_st.nomod (32,4) T6 0x0:ud 0x0:ud X.0"),
    ("gather", "gather.4 (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("scatter", "scatter.4 (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("gather byte", "gather.1 (M1, 8) T6 0x0:ud U0.0 X.0"),
    ("gather4_typed", "gather4_typed.RGBA (M1, 8) T6 U0.0 U0.0 V0.0 V0.0 X.0"),
    ("gather4_typed 16", "gather4_typed.RGBA (M1, 16) T6 U0.0 U0.0 V0.0 V0.0 X.0"),
    ("scatter4_typed", "scatter4_typed.RGBA (M1, 8) T6 U0.0 U0.0 V0.0 V0.0 X.0"),
    ("gather4_scaled", "gather4_scaled.RGBA (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("gather4_scaled 32", "gather4_scaled.RG (M1, 32) T6 0x0:ud X.0 X.0"),
    ("gather4_scaled slm", "gather4_scaled.R (M1, 16) T0 0x0:ud U0.0 X.0"),
    ("gather4_scaled bindless", "gather4_scaled.R (M1, 16) %bss 0x0:ud U0.0 X.0"),
    ("scatter4_scaled", "scatter4_scaled.RGBA (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("gather_scaled", "gather_scaled.1 (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("scatter_scaled", "scatter_scaled.1 (M1, 16) T6 0x0:ud U0.0 X.0"),
    ("qw_gather", "qw_gather.1 (M1, 8) T6 U0.0 X.0"),
    ("qw_scatter", "qw_scatter.1 (M1, 8) T6 U0.0 X.0"),
    ("dword_atomic", "dword_atomic.add (M1, 16) T6 U0.0 U1.0 V0.0 X.0"),
    ("dword_atomic cmpxchg", "dword_atomic.cmpxchg (M1, 16) T6 U0.0 U1.0 U0.0 X.0"),
    ("dword_atomic fmax", "dword_atomic.fmax (M1, 16) T6 U0.0 U1.0 V0.0 X.0"),
    ("dword_atomic 32", "dword_atomic.add (M1, 32) T6 X.0 X.0 V0.0 X.0"),
    ("typed_atomic", "typed_atomic.add (M1, 8) T6 U0.0 U0.0 V0.0 V0.0 U1.0 V0.0 X.0"),
    ("svm_block_ld", "svm_block_ld (4) Q1(0,0)<0;1,0> X.0"),
    ("svm_block_st", "svm_block_st (4) Q1(0,0)<0;1,0> X.0"),
    ("svm_gather", "svm_gather.4.1 (M1, 16) X.0 X.0"),
    ("svm_scatter", "svm_scatter.4.1 (M1, 16) X.0 X.0"),
    ("svm_gather 32", "svm_gather.4.1 (M1, 32) X.0 X.0"),
    ("svm_atomic", "svm_atomic.add (M1, 8) X.0 X.0 V0.0 X.0"),
    ("svm_atomic 16", "svm_atomic.add (M1, 16) X.0 X.0 V0.0 X.0"),
    ("svm_gather4scaled", "svm_gather4scaled.RGBA (M1, 8) Q1(0,0)<0;1,0> X.0 X.0"),
    ("svm_scatter4scaled", "svm_scatter4scaled.RGBA (M1, 8) Q1(0,0)<0;1,0> X.0 X.0"),
    ("sample_3d", "sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 X.0 F1.0 F2.0"),
    ("sample_3d 8", "sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 X.0 F1.0 F2.0"),
    ("load_3d", "load_lz.RGBA (M1, 16) 0x0:uw T6 X.0 F1.0 F2.0"),
    ("sample4", "sample4.R (M1, 16) 0x0:uw S0 T6 X.0 F1.0 F2.0"),
    ("info_3d", "resinfo.RGBA (M1, 16) T6 D1.0 X.0"),
    ("sample legacy", "sample.RGBA (16) S0 T6 X.0 X.0 X.0 X.0"),
    ("load legacy", "load.RG (8) T6 X.0 X.0 X.0 X.0"),
    ("avs", "avs.RGBA T6 S0 F1(0,0)<0;1,0> F1(0,0)<0;1,0> F1(0,0)<0;1,0> F1(0,0)<0;1,0> F1(0,0)<0;1,0> 0x1:ud 0x0:ud AVS_16_FULL F1(0,0)<0;1,0> AVS_16x4 0x1:ub X.0"),
    ("sample unorm", "sample_unorm.RGBA.16-full S0 T6 F1(0,0)<0;1,0> F1(0,0)<0;1,0> F1(0,0)<0;1,0> F1(0,0)<0;1,0> X.0"),
    ("rt_write_3d", "rt_write_3d (M1, 16) T6 V0.0 F1.0 F1.0 F1.0 F1.0"),
    ("urb_write_3d", "urb_write_3d (M1, 8) 1 0 V0.0 U0.0 V0.0 X.0"),
    ("lsc_load", "lsc_load.ugm (M1, 16) X:d32x4 flat[X]:a64"),
    ("lsc_load 32", "lsc_load.ugm (M1, 32) X:d32 flat[X]:a64"),
    ("lsc_load slm", "lsc_load.slm (M1, 16) X:d32 flat[U0]:a32"),
    ("lsc_load bti", "lsc_load.ugm (M1, 16) X:d32 bti(0x1)[U0]:a32"),
    ("lsc_load transposed", "lsc_load.ugm (M1_NM, 1) X:d32x16t flat[Q1]:a64"),
    ("lsc_load_quad", "lsc_load_quad.ugm (M1, 16) X:d32.xyzw flat[X]:a64"),
    ("lsc_store", "lsc_store.ugm (M1, 16) flat[X]:a64 X:d32"),
    ("lsc_atomic_iadd", "lsc_atomic_iadd.ugm (M1, 16) X:d32 flat[X]:a64 D1 V0"),
    ("lsc_load_block2d", "lsc_load_block2d.ugm (M1_NM, 1) X:d32.1x16x8nn flat[Q1,0x3f,0x7,0x3f,0x0,0x0]"),
    ("lsc_fence", "lsc_fence.ugm.evict.gpu"),
];

/// A kernel that holds the lines.
pub fn program(lines: &str) -> String {
    let mut decls = String::new();
    let rows = [
        ("D0", "d", 16),
        ("D1", "d", 16),
        ("D2", "d", 16),
        ("U0", "ud", 16),
        ("U1", "ud", 16),
        ("F0", "f", 16),
        ("F1", "f", 16),
        ("F2", "f", 16),
        ("H0", "hf", 16),
        ("H1", "hf", 16),
        ("W0", "w", 16),
        ("W1", "w", 16),
        ("UW1", "uw", 16),
        ("UB1", "ub", 64),
        ("B1", "b", 32),
        ("B2", "b", 32),
        ("Q0", "q", 8),
        ("Q1", "q", 8),
        ("Q2", "q", 8),
        ("DF0", "df", 8),
        ("DF1", "df", 8),
        ("DF2", "df", 8),
        ("X", "d", 512),
    ];
    for (name, ty, count) in rows {
        decls += &format!(".decl {name} v_type=G type={ty} num_elts={count} align=hword\n");
    }
    format!(
        "\
.version 4.1
.kernel \"k\"
{decls}.decl P1 v_type=P num_elts=16
.decl A0 v_type=A num_elts=16
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.input D1 offset=64 size=64
.input D2 offset=128 size=64
.kernel_attr SimdSize=16
.function \"main\"
main:
movs (M1_NM, 1) T6(0) 0x3:ud
movs (M1_NM, 1) S0(0) 0x1:ud
{lines}
out:
ret (M1, 1)
{}",
        if lines.contains("sub") { ".function \"sub\"\nsub:\nret (M1, 16)\n" } else { "" }
    )
}

/// What becomes of a form on a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormFate {
    /// It is finalized.
    Lowered,
    /// The finalizer refuses it.
    Refused(String),
    /// The text is not understood: a mistake in the row.
    BadText(String),
}

/// Tries a form.
pub fn try_form(platform: Platform, lines: &str) -> FormFate {
    let module = match finalizer::read_text(program(lines).as_bytes(), platform) {
        Ok(module) => module,
        Err(e) => return FormFate::BadText(e.to_string()),
    };
    let options = Options { verify: true, ..Options::new(platform) };
    match Finalizer::new(options).finalize_kernel(&module, 0) {
        Ok(_) => FormFate::Lowered,
        Err(e) => FormFate::Refused(e.0.first().map_or(String::new(), |d| d.message.clone())),
    }
}

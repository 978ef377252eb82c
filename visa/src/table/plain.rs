//! The plain instructions: one destination computed from sources. One line says all of one of them, and from it come
//! its [`Opcode`](crate::Opcode), its [`Row`](super::Row) for reader, writer, text and verifier, its function of
//! [`KernelBuilder`](crate::builder::KernelBuilder), and where it exists.
//!
//! | column | what |
//! |---|---|
//! | `Add = 0x01 "add"` | opcode, its byte in the object, its word in assembly |
//! | `add(a, b)` | the builder's function, with its sources |
//! | `arithmetic`, `math`, `bitwise` | computed by the math unit in its approximate form; works on predicates, too, and takes the bitwise-not modifier |
//! | `true`, `false` | sources and destination have types of one kind |
//! | `[EXEC, PRED, dst(..), src(..)]` | the fields behind the opcode, with the types that they take; `EXEC.sizes(..)` where not all execution sizes are taken; `dst_u` is unsaturated, `src_u` unmodified; `dst_p`, `src_p` may be predicates |
//! | `if ops.lrp` | the capability that a platform needs; `if nowhere` where no platform here has it |

/// Gives all lines to another macro, in braces.
macro_rules! plain_instructions {
    ($then:ident) => {
        $then! {
            Add     = 0x01 "add"     add(a, b)              arithmetic true  [EXEC, PRED, dst(NUM), src(NUM), src(NUM)];
            Avg     = 0x02 "avg"     avg(a, b)              arithmetic true  [EXEC, PRED, dst(I32), src(I32), src(I32)];
            Div     = 0x03 "div"     div(a, b)              math       true  [EXEC, PRED, dst(I32.or(FALL)).saturates(FLOATS), src(I32.or(FALL)), src(I32.or(FALL))];
            // Of single floats (volume 2a, "dp2"); the specification has no page for them.
            Dp2     = 0x04 "dp2"     dp2(a, b)              arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF)] if ops.dot_product;
            Dp3     = 0x05 "dp3"     dp3(a, b)              arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF)] if ops.dot_product;
            Dp4     = 0x06 "dp4"     dp4(a, b)              arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF)] if ops.dot_product;
            Dph     = 0x07 "dph"     dph(a, b)              arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF)] if ops.dot_product;
            Exp     = 0x08 "exp"     exp(a)                 math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Frc     = 0x09 "frc"     frc(a)                 arithmetic true  [EXEC, PRED, dst_u(HALF), src(HALF)];
            // The hardware interpolates single floats (volume 2a, "line"); the specification has no page for it.
            Line    = 0x0a "line"    line(a, b)             arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF)] if ops.pln;
            Log     = 0x0b "log"     log(a)                 math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Mad     = 0x0c "mad"     mad(a, b, c)           arithmetic true  [EXEC, PRED, dst(I32.or(FALL)), src(I32.or(FALL)), src(I32.or(FALL)), src(I32.or(FALL))];
            Mulh    = 0x0d "mulh"    mulh(a, b)             arithmetic true  [EXEC, PRED, dst_u(DW), src(DW), src(DW)];
            Lrp     = 0x0e "lrp"     lrp(a, b, c)           arithmetic true  [EXEC, PRED, dst(TF), src(TF), src(TF), src(TF)] if ops.lrp;
            Mod     = 0x0f "mod"     modulo(a, b)           arithmetic true  [EXEC, PRED, dst(I32), src(I32), src(I32)];
            Mul     = 0x10 "mul"     mul(a, b)              arithmetic true  [EXEC, PRED, dst(NUM).saturates(FLOATS), src(NUM), src(NUM)];
            Pow     = 0x11 "pow"     pow(a, b)              math       true  [EXEC, PRED, dst(HALF), src(HALF), src(HALF)];
            Rndd    = 0x12 "rndd"    rndd(a)                arithmetic true  [EXEC, PRED, dst(HALF), src(HALF)];
            Rndu    = 0x13 "rndu"    rndu(a)                arithmetic true  [EXEC, PRED, dst(HALF), src(HALF)];
            Rnde    = 0x14 "rnde"    rnde(a)                arithmetic true  [EXEC, PRED, dst(HALF), src(HALF)];
            Rndz    = 0x15 "rndz"    rndz(a)                arithmetic true  [EXEC, PRED, dst(HALF), src(HALF)];
            Sad2    = 0x16 "sad2"    sad2(a, b)             arithmetic true  [EXEC, PRED, dst(Types::of(&[W, UW])), src(Types::of(&[B, UB])), src(Types::of(&[B, UB]))] if ops.sad;
            Sin     = 0x17 "sin"     sin(a)                 math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Cos     = 0x18 "cos"     cos(a)                 math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Sqrt    = 0x19 "sqrt"    sqrt(a)                math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Rsqrt   = 0x1a "rsqrt"   rsqrt(a)               math       true  [EXEC, PRED, dst(HALF), src(HALF)];
            Inv     = 0x1b "inv"     inv(a)                 math       true  [EXEC, PRED, dst(FALL), src(FALL)];
            Fcvt    = 0x1d "fcvt"    fcvt(a)                arithmetic false [EXEC, dst_u(Types::of(&[UB, B, UD, HF, F])), src_u(Types::of(&[UB, B, UD, HF, F]))] if ops.srnd;
            Srnd    = 0x1e "srnd"    srnd(a, b)             arithmetic false [EXEC, dst_u(Types::of(&[UB, B, HF])), src_u(Types::of(&[HF, BF, F])), src_u(Types::of(&[UB, UW, HF, F]))] if ops.srnd;
            Lzd     = 0x1f "lzd"     lzd(a)                 arithmetic true  [EXEC, PRED, dst_u(TUD), src_u(TUD)];
            And     = 0x20 "and"     and(a, b)              bitwise    true  [EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)];
            Or      = 0x21 "or"      or(a, b)               bitwise    true  [EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)];
            Xor     = 0x22 "xor"     xor(a, b)              bitwise    true  [EXEC, PRED, dst_p(INT), src_p(INT), src_p(INT)];
            Not     = 0x23 "not"     not(a)                 bitwise    true  [EXEC, PRED, dst_p(INT), src_p(INT)];
            Shl     = 0x24 "shl"     shl(a, b)              arithmetic false [EXEC, PRED, dst(INT), src(INT), src(INT)];
            Shr     = 0x25 "shr"     shr(a, b)              arithmetic false [EXEC, PRED, dst(INT), src(INT), src(INT)];
            Asr     = 0x26 "asr"     asr(a, b)              arithmetic false [EXEC, PRED, dst_u(INT), src(INT), src(INT)];
            Cbit    = 0x27 "cbit"    cbit(a)                arithmetic false [EXEC, PRED, dst_u(DW), src_u(I32)];
            Fbl     = 0x2e "fbl"     fbl(a)                 arithmetic false [EXEC, PRED, dst_u(TUD), src_u(I32)];
            Fbh     = 0x2f "fbh"     fbh(a)                 arithmetic false [EXEC, PRED, dst_u(TUD), src_u(DW)];
            Rol     = 0x80 "rol"     rol(a, b)              arithmetic true  [EXEC, PRED, dst_u(WDQ), src_u(WDQ), src_u(WDQ)] if ops.rotate;
            Ror     = 0x81 "ror"     ror(a, b)              arithmetic true  [EXEC, PRED, dst_u(WDQ), src_u(WDQ), src_u(WDQ)] if ops.rotate;
            Bfe     = 0x46 "bfe"     bfe(a, b, c)           arithmetic false [EXEC.sizes(&[1, 4, 8, 16, 32]), PRED, dst_u(DW), src_u(DW), src_u(DW), src_u(DW)];
            Bfi     = 0x47 "bfi"     bfi(a, b, c, d)        arithmetic false [EXEC.sizes(&[1, 4, 8, 16, 32]), PRED, dst_u(DW), src_u(DW), src_u(DW), src_u(DW), src_u(DW)];
            Bfrev   = 0x48 "bfrev"   bfrev(a)               arithmetic false [EXEC, PRED, dst_u(DW), src_u(DW)];
            Mov     = 0x29 "mov"     mov(a)                 arithmetic false [EXEC, PRED, dst_a(ANY), src_a(ANY).classes(Classes(0x3f))];
            Sel     = 0x2a "sel"     sel(a, b)              arithmetic false [EXEC, PRED, dst(ANY), src(ANY), src(ANY)];
            Sad2add = 0x6a "sad2add" sad2add(a, b, c)       arithmetic true  [EXEC, PRED, dst(Types::of(&[W, UW])), src(Types::of(&[B, UB])), src(Types::of(&[B, UB])), src(Types::of(&[W, UW]))] if ops.sad;
            Plane   = 0x6b "plane"   plane(a, b)            arithmetic true  [EXEC.sizes(&[8, 16]), PRED, dst(TF), src(TF), src(TF)] if ops.pln;
            Sqrtm   = 0x7e "sqrtm"   sqrtm(a)               arithmetic true  [EXEC, PRED, dst(FLOAT), src(FLOAT)];
            Divm    = 0x7f "divm"    divm(a, b)             arithmetic true  [EXEC, PRED, dst(FLOAT), src(FLOAT), src(FLOAT)];
            Dp4a    = 0x82 "dp4a"    dp4a(a, b, c)          arithmetic true  [EXEC, PRED, dst(DW), src_u(DW), src_u(DW), src_u(DW)] if ops.dp4a;
            Add3    = 0x84 "add3"    add3(a, b, c)          arithmetic true  [EXEC, PRED, dst(WD), src(WD), src(WD), src(WD)] if ops.add3_bfn;
            Add3o   = 0x92 "add3.o"  add3o(a, b, c)         arithmetic true  [EXEC, PRED, dst(WD), src(WD), src(WD), src(WD)] if ops.add3_bfn;
            Madw    = 0x91 "madw"    madw(a, b, c)          arithmetic true  [EXEC.sizes(&[1, 2, 4, 8, 16]), PRED, dst_u(DW), src(DW), src(DW), src(DW)];
            Tanh    = 0x96 "tanh"    tanh(a)                math       true  [EXEC, PRED, dst(HALF), src(HALF)] if nowhere;
            Sigm    = 0x97 "sigm"    sigm(a)                math       true  [EXEC, PRED, dst(HALF), src(HALF)] if nowhere;
        }
    };
}
pub(crate) use plain_instructions;

//! Names in assembly text, and the way back.

use crate::{Arf, Cond, ExecSize, MathFn, Options, Pipe, PredCtrl, SbidMode, SyncFn, Type, VarClass};

/// One row a value, for both directions.
macro_rules! names {
    ($type:ident $(#[$doc:meta])* $method:ident { $($value:ident $name:literal)* }) => {
        impl $type {
            $(#[$doc])*
            pub const fn $method(self) -> &'static str {
                match self { $($type::$value => $name,)* }
            }

            /// All texts.
            #[allow(dead_code, reason = "not every list is shown to users")]
            pub(crate) const NAMES: &[&str] = &[$($name),*];

            /// The value that has this text.
            pub(crate) fn named(text: &str) -> Option<$type> {
                match text { $($name => Some($type::$value),)* _ => None }
            }
        }
    };
}

names! { MathFn
    /// The name in assembly text.
    name {
        Inv "inv"
        Log "log"
        Exp "exp"
        Sqt "sqt"
        Rsqt "rsqt"
        Sin "sin"
        Cos "cos"
        Fdiv "fdiv"
        Pow "pow"
        Idivmod "idiv"
        Iqot "iqot"
        Irem "irem"
        Invm "invm"
        Rsqtm "rsqtm"
    }
}

names! { SyncFn
    /// The name in assembly text.
    name {
        Nop "nop"
        AllRd "allrd"
        AllWr "allwr"
        Fence "fence"
        Bar "bar"
        Host "host"
    }
}

names! { PredCtrl
    /// The suffix in assembly text, empty for a channel's own bit.
    suffix {
        Seq ""
        Any2h ".any2h"
        All2h ".all2h"
        Any4h ".any4h"
        All4h ".all4h"
        Any8h ".any8h"
        All8h ".all8h"
        Any16h ".any16h"
        All16h ".all16h"
        Any32h ".any32h"
        All32h ".all32h"
        AnyV ".anyv"
        AllV ".allv"
        X ".x"
        Y ".y"
        Z ".z"
        W ".w"
        Any ".any"
        All ".all"
    }
}

names! { Cond
    /// The name in assembly text.
    name {
        Eq "eq"
        Ne "ne"
        Gt "gt"
        Ge "ge"
        Lt "lt"
        Le "le"
        Ov "ov"
        Un "un"
        Eo "eo"
    }
}

names! { Pipe
    /// The letter in front of a distance.
    letter {
        Own ""
        Float "F"
        Int "I"
        Long "L"
        Math "M"
        All "A"
        Scalar "S"
    }
}

names! { SbidMode
    /// The suffix behind an SBID.
    suffix {
        Set ""
        Src ".src"
        Dst ".dst"
    }
}

names! { VarClass
    /// The name in dumps of kernels.
    name {
        General "general"
        Flag "flag"
        Address "address"
    }
}

names! { ExecSize
    /// The number of channels as text.
    name {
        S1 "1"
        S2 "2"
        S4 "4"
        S8 "8"
        S16 "16"
        S32 "32"
    }
}

names! { Type
    /// The name in assembly text, without the colon.
    name {
        Ub "ub"
        B "b"
        Uw "uw"
        W "w"
        Ud "ud"
        D "d"
        Uq "uq"
        Q "q"
        Hf "hf"
        F "f"
        Df "df"
        Nf "nf"
        Bf "bf"
        Bf8 "bf8"
        Tf32 "tf32"
        V "v"
        Uv "uv"
        Vf "vf"
        U4 "u4"
        S4 "s4"
        U2 "u2"
        S2 "s2"
    }
}

impl Options {
    /// Names of the options in assembly text, with their bit.
    pub const NAMES: [(Options, &'static str); 13] = [
        (Options::ACC_WR_EN, "AccWrEn"),
        (Options::ATOMIC, "Atomic"),
        (Options::BREAKPOINT, "Breakpoint"),
        (Options::COMPACTED, "Compacted"),
        (Options::NO_DD_CHK, "NoDDChk"),
        (Options::NO_DD_CLR, "NoDDClr"),
        (Options::NO_PREEMPT, "NoPreempt"),
        (Options::NO_SRC_DEP_SET, "NoSrcDepSet"),
        (Options::SWITCH, "Switch"),
        (Options::SERIALIZE, "Serialize"),
        (Options::EX_BSO, "ExBSO"),
        (Options::CPS, "CPS"),
        (Options::ALIGN16, "Align16"),
    ];

    /// Names of the marks that are no bits of the machine word, with theirs.
    pub(crate) const MARKS: [(Options, &'static str); 3] = [
        (Options::SYMBOL_LOW, "SymbolLow"),
        (Options::SYMBOL_HIGH, "SymbolHigh"),
        (Options::NO_COMPACT, "NoCompact"),
    ];
}

impl Arf {
    /// The register's name without its number, and the number (`None`: it has none).
    pub const fn name(self) -> (&'static str, Option<u8>) {
        match self {
            Arf::Null => ("null", None),
            Arf::Addr(n) => ("a", Some(n)),
            Arf::Acc(n) => ("acc", Some(n)),
            Arf::Flag(n) => ("f", Some(n)),
            Arf::ChannelEnable(n) => ("ce", Some(n)),
            Arf::Msg(n) => ("msg", Some(n)),
            Arf::StackPointer(n) => ("sp", Some(n)),
            Arf::State(n) => ("sr", Some(n)),
            Arf::Control(n) => ("cr", Some(n)),
            Arf::Notify(n) => ("n", Some(n)),
            Arf::Ip => ("ip", None),
            Arf::ThreadDep(n) => ("tdr", Some(n)),
            Arf::Timestamp(n) => ("tm", Some(n)),
            Arf::FlowControl(n) => ("fc", Some(n)),
            Arf::Debug(n) => ("dbg", Some(n)),
        }
    }

    /// The register of a name and a number.
    pub(crate) fn named(name: &str, number: Option<u8>) -> Option<Arf> {
        Some(match (name, number) {
            ("null", None) => Arf::Null,
            ("ip", None) => Arf::Ip,
            ("a", Some(n)) => Arf::Addr(n),
            ("acc", Some(n)) => Arf::Acc(n),
            ("f", Some(n)) => Arf::Flag(n),
            ("ce", Some(n)) => Arf::ChannelEnable(n),
            ("msg", Some(n)) => Arf::Msg(n),
            ("sp", Some(n)) => Arf::StackPointer(n),
            ("sr", Some(n)) => Arf::State(n),
            ("cr", Some(n)) => Arf::Control(n),
            ("n", Some(n)) => Arf::Notify(n),
            ("tdr", Some(n)) => Arf::ThreadDep(n),
            ("tm", Some(n)) => Arf::Timestamp(n),
            ("fc", Some(n)) => Arf::FlowControl(n),
            ("dbg", Some(n)) => Arf::Debug(n),
            _ => return None,
        })
    }
}

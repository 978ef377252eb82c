//! Opcodes. Those of plain instructions are from their lines in `table/plain.rs`, those of most messages from their entries
//! in `table/message.rs` and `table/structs.rs`; of the others, one line here and one row in [`crate::table`] each.

use crate::{
    table::{message_instructions, plain_instructions, struct_instructions},
    types::raw_enum,
};

macro_rules! with_messages {
    ($($plain:tt)+) => {
        message_instructions!(with_structs { $($plain)+ });
    };
}

macro_rules! with_structs {
    ($($before:tt)+) => {
        struct_instructions!(opcodes { $($before)+ });
    };
}

macro_rules! opcodes {
    ({ { $($opcode:ident = $byte:literal $name:literal $builder:ident($($src:ident),+) $kind:ident $same:literal
        [$($slot:expr),+] $(if $($has:ident).+)?;)+ }
    $(
        $(#[$doc:meta])*
        $view:ident $message_builder:ident($($exec:ident)? $(; $($lanes:tt)+)?) $text:ident $(says ($($told:tt)+))? [
            $($message:ident $(= $message_byte:literal)? $(($sub:literal))? $message_name:literal $(($($said:tt)+))?),+
        ] on $on:tt $fields:tt
    )+ }
    structs { $(
        $(#[$struct_doc:meta])*
        $struct:ident $(<$life:lifetime>)? $struct_builder:ident $(says ($($struct_told:tt)+))?
        [$($struct_opcode:ident = $struct_byte:literal $struct_name:literal $(($($struct_said:tt)+))?),+]
        on $struct_on:tt $struct_fields:tt
    )+ }
    lsc $lsc:tt) => {
        raw_enum! {
            /// A vISA opcode; the value is its byte in the object, the word its name in the specification.
            #[allow(missing_docs, reason = "the word of each is its page in the specification")]
            #[rustfmt::skip]
            Opcode {
                $($opcode = $byte => $name,)+
                $($($($message = $message_byte => $message_name,)?)+)+
                $($($struct_opcode = $struct_byte => $struct_name,)+)+
                Dpasw = 0x1c => "dpasw", AddrAdd = 0x28 => "addr_add", Setp = 0x2b => "setp", Cmp = 0x2c => "cmp",
                Movs = 0x2d => "movs", Subroutine = 0x30 => "func", Label = 0x31 => "label", Jmp = 0x32 => "jmp",
                Call = 0x33 => "call", Ret = 0x34 => "ret", Va = 0x44 => "va", Fminmax = 0x45 => "fminmax",
                Addc = 0x49 => "addc", Subb = 0x4a => "subb", VaSklPlus = 0x4d => "va_skl_plus", Svm = 0x4e => "svm",
                Ifcall = 0x4f => "ifcall", Faddr = 0x50 => "faddr", File = 0x51 => "file", Loc = 0x52 => "loc",
                Fcall = 0x67 => "fcall", Fret = 0x68 => "fret", Switchjmp = 0x69 => "switchjmp", Goto = 0x6c => "goto",
                Lifetime = 0x7b => "lifetime", Dpas = 0x83 => "dpas",
                Bfn = 0x85 => "bfn", LscUntyped = 0x89 => "lsc_untyped", LscTyped = 0x8a => "lsc_typed",
                ShflIdx4 = 0x95 => "shfl_idx4", Invm = 0x9b => "invm", Rsqtm = 0x9c => "rsqtm",
            }
        }

        impl Opcode {
            const fn kind(self) -> Option<Kind> {
                match self {
                    $(Opcode::$opcode => Some(Kind::$kind),)+
                    _ => None,
                }
            }
        }
    };
}
plain_instructions!(with_messages);

/// What [`plain_instructions`] says of an instruction, in its words.
#[allow(non_camel_case_types, reason = "words of the table")]
enum Kind {
    arithmetic,
    math,
    bitwise,
}

impl Opcode {
    /// One destination computed from sources: an instruction of `table/plain.rs`.
    pub const fn is_plain(self) -> bool {
        self.kind().is_some()
    }

    /// `cos`, `log`, ... : computed by the math unit in its approximate form.
    pub const fn is_math(self) -> bool {
        matches!(self.kind(), Some(Kind::math))
    }

    /// `and`, `or`, `xor`, `not`: may work on predicates, take the bitwise-not modifier.
    pub const fn is_bitwise(self) -> bool {
        matches!(self.kind(), Some(Kind::bitwise))
    }
}

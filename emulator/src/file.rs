//! The register file as one flat run of bytes: GRFs first, architecture registers behind them.
//!
//! An operand then is an offset, whatever register it names, and the lane loops need no cases. Where a
//! decoded instruction points is checked when the program is loaded ([`flat`] and the extents computed
//! there), indirect accesses when they happen.

use gen_ir::{AddrSub, Arf, Base, FlagSub, Physical, Reg};
use narrow::{const_u8, const_u16, wide_u8, wide_u16};
use platforms::Registers;

/// Bytes before the architecture registers: those of the largest file.
pub(crate) const GRF_END: u32 = wide_u16(const_u16(Registers::MOST_BYTES));
/// `null` reads as zeros from here.
pub(crate) const NULL: u32 = GRF_END;
/// `a0`.
pub(crate) const ADDR: u32 = NULL + 256;
/// `f0` on, 4 bytes each.
pub(crate) const FLAG: u32 = ADDR + 64;
/// How many flag registers are kept.
pub(crate) const FLAG_COUNT: u8 = const_u8(Registers::MOST_FLAGS);
/// How many bytes they have.
pub(crate) const FLAG_BYTES: u32 = wide_u8(FLAG_COUNT) * FlagSub::REGISTER_BYTES;
/// `ce`.
pub(crate) const CE: u32 = FLAG + {
    assert!(FLAG_BYTES <= 64, "the room for flags");
    64
};
/// `sr0`.
pub(crate) const STATE: u32 = CE + 64;
/// `cr0`.
pub(crate) const CONTROL: u32 = STATE + 64;
/// `n0`.
pub(crate) const NOTIFY: u32 = CONTROL + 64;
/// `ip`.
pub(crate) const IP: u32 = NOTIFY + 64;
/// `tm0`.
pub(crate) const TIMESTAMP: u32 = IP + 64;
/// `sp`, `tdr0`, `msg0`, `dbg0`, `fc`: kept, without effect.
pub(crate) const OTHER: u32 = TIMESTAMP + 64;
/// `tdr0`.
pub(crate) const THREAD_DEP: u32 = OTHER + 64;
/// `msg0`.
pub(crate) const MSG: u32 = THREAD_DEP + 64;
/// `acc0` on, one GRF each; the registers of macros come behind those with names.
pub(crate) const ACC: u32 = MSG + 3 * 64;
/// Accumulators kept.
pub(crate) const ACC_COUNT: u32 = wide_u8(const_u8(Registers::MOST_ACCUMULATORS));
/// End of the file, with room for a whole operand behind the last register.
pub(crate) const END: u32 = ACC + ACC_COUNT * wide_u16(const_u16(Registers::MOST_GRF_BYTES));

/// Where a flag register starts.
pub(crate) fn flag(register: u8) -> u32 {
    FLAG + FlagSub::REGISTER_BYTES * u32::from(register)
}

/// The bit of a flag's register that a channel has.
pub(crate) fn flag_bit(flag: FlagSub, chan: u8) -> u32 {
    8 * FlagSub::BYTES * u32::from(flag.half()) + u32::from(chan)
}

/// Whether a byte of the file is one of the flags.
pub(crate) fn is_flag(at: u32) -> bool {
    (FLAG..FLAG + FLAG_BYTES).contains(&at)
}

/// Where a register lies in the file and how many bytes its file goes on for, if the platform's
/// registers reach that far.
pub(crate) fn flat(reg: Reg<Physical>, grf: u32, grf_count: u32) -> Option<(u32, u32)> {
    let (start, len) = match reg.base() {
        Base::Var(never) => match never {},
        Base::Grf(n) => {
            let n = u32::from(n);
            if n >= grf_count {
                return None;
            }
            (n * grf, (grf_count - n) * grf)
        }
        Base::Arf(arf) => match arf {
            Arf::Null => return Some((NULL, 256)),
            Arf::Addr(0) => (ADDR, AddrSub::FILE_BYTES),
            Arf::Flag(n @ 0..FLAG_COUNT) => (flag(n), FLAG + FLAG_BYTES - flag(n)),
            Arf::Acc(n) if u32::from(n) < ACC_COUNT => {
                let n = u32::from(n);
                (ACC + n * grf, (ACC_COUNT - n) * grf)
            }
            Arf::ChannelEnable(_) => (CE, 16),
            Arf::State(_) => (STATE, 32),
            Arf::Control(_) => (CONTROL, 32),
            Arf::Notify(_) => (NOTIFY, 32),
            Arf::Ip => (IP, 4),
            Arf::Timestamp(_) => (TIMESTAMP, 32),
            Arf::StackPointer(_) => (OTHER, 32),
            Arf::ThreadDep(_) => (THREAD_DEP, 32),
            Arf::Msg(_) => (MSG, 32),
            Arf::Debug(_) => (MSG + 64, 32),
            Arf::FlowControl(_) => (MSG + 128, 64),
            Arf::Addr(_) | Arf::Flag(_) | Arf::Acc(_) => return None,
        },
    };
    let left = len.checked_sub(reg.byte)?;
    Some((start + reg.byte, left))
}

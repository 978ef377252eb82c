//! Every variable gets registers of its own, where there is room for all beside each other.
//!
//! Then nobody has to know where a variable is alive, which is most of the work of an allocation: one walk over the
//! operands sees what is named at all, that it stays within its variable, and what messages ask of its place. Nothing
//! shares a byte, so no read finds anything but what was written there, whichever lanes run or wait; and the schedule
//! may move everything, as far as values allow. More registers are in use than need be, which costs nothing (a thread
//! has all of them), and no copy can be left out, which costs instructions: so this is for kernels that copy no whole
//! registers, and for those who have no time ([`Options::quick`](crate::Options::quick)).
//!
//! Whatever is out of the ordinary (operands that reach over their variable's end, inputs that share bytes, descriptors
//! in several address registers) is left to the allocation that looks closely, which has the names of faults, too.

use gen_ir::{Extent, FileByte, Inst, Kernel, Role, Var, VarClass, VarId, Virtual};

use crate::{
    analysis::{
        facts::Needs,
        operands::{flag_bits, role_class},
        subranges::units,
    },
    place::{File, Placement, Strategy},
    placing::aligned,
};

/// Memory of the search.
#[derive(Default)]
pub(crate) struct SideBySide {
    /// By variable: what is asked of its place, if anything names it.
    needs: Vec<Option<Needs>>,
    /// Bytes that fixed variables have, in order.
    fixed: Vec<Extent>,
}

impl SideBySide {
    /// Places the general variables of a kernel; whether there is room for all.
    pub fn place_general(&mut self, kernel: &Kernel<Virtual>, out: &mut Placement) -> bool {
        let file = File { own_grf: true, ..File::of(kernel, VarClass::General, Strategy::Packed) };
        out.start(kernel.vars.len());
        // Behind the payload that is loaded there is nothing to wait for; r0 stays what it is.
        self.see(kernel)
            && (self.place(kernel, file, file.first.max(1), out) || self.place(kernel, file, 1, out))
    }

    /// Places flags or addresses, behind general variables; whether there is room for all.
    pub fn place_arf(&self, kernel: &Kernel<Virtual>, class: VarClass, out: &mut Placement) -> bool {
        let file = File::of(kernel, class, Strategy::Packed);
        out.start(kernel.vars.len());
        for (v, var, needs) in named(kernel, &self.needs, class) {
            let Ok(align) = aligned(v, var, file) else { return false };
            let at = out.used.next_multiple_of(align);
            out.at[v] = FileByte::try_new(at);
            out.used = at + var.bytes;
            // A descriptor is in the first address register.
            if var.fixed.is_some() || out.used > file.reg_bytes() || needs.has(Needs::DESC) && at != 0 {
                return false;
            }
        }
        true
    }

    /// Looks at what operands name; whether all of it is ordinary.
    fn see(&mut self, kernel: &Kernel<Virtual>) -> bool {
        let world = |var: &Var| var.live_out || var.address_taken;
        self.needs.clear();
        self.needs.extend(kernel.vars.iter().map(|var| world(var).then_some(Needs::NONE)));
        let grf = u32::from(kernel.platform.caps().regs.grf_bytes);
        kernel.blocks.iter().flat_map(|block| &block.insts).all(|inst| self.see_inst(kernel, inst, grf))
    }

    fn see_inst(&mut self, kernel: &Kernel<Virtual>, inst: &Inst<Virtual>, grf: u32) -> bool {
        let mut ordinary = true;
        inst.for_each_reg(|role, reg| {
            let Some(v) = reg.var() else { return };
            let (Some(var), Some(needs)) = (kernel.vars.get(v.index()), self.needs.get_mut(v.index())) else {
                ordinary = false;
                return;
            };
            let needs = needs.get_or_insert(Needs::NONE);
            if let Role::AddrOf(_) = role {
                return;
            }
            ordinary &= var.class == role_class(role) || matches!(role, Role::Dst | Role::Src(_));
            // What a read finds behind the end does not matter: the first byte is inside.
            let first = || Extent::new(reg.byte, 1);
            let extent = match role {
                Role::Dst => inst.dst_extent(grf).unwrap_or_else(first),
                _ => first(),
            };
            let extent =
                if var.class == VarClass::Flag { flag_bits(inst, role, reg.byte, extent) } else { extent };
            let bound = if role.is_write() { extent.end } else { extent.start + 1 };
            ordinary &= bound <= units(var);
            match role {
                Role::Dst if inst.op.is_send() => needs.add(Needs::RESPONSE),
                Role::Src(_) if inst.op.is_send() && inst.is_eot() => needs.add(Needs::EOT),
                Role::Desc => needs.add(Needs::DESC),
                _ => {}
            }
        });
        ordinary
    }

    /// Places the general variables that are named in registers from `first` on; whether there is room for all.
    fn place(&mut self, kernel: &Kernel<Virtual>, file: File, first: u32, out: &mut Placement) -> bool {
        let SideBySide { needs, fixed } = self;
        fixed.clear();
        for (v, var, _) in named(kernel, needs, VarClass::General) {
            if let Some(at) = var.fixed {
                fixed.push(Extent::new(at.bytes(), var.bytes));
                out.at[v] = Some(at);
            }
        }
        fixed.sort_unstable();
        let apart = fixed.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let inside = fixed.last().is_none_or(|last| last.end <= file.regs * file.reg_bytes());
        if !apart || !inside {
            return false;
        }
        let mut room = Room::new(kernel, file, first, fixed);
        for (v, var, needs) in named(kernel, needs, VarClass::General) {
            if var.fixed.is_none() {
                let Ok(align) = aligned(v, var, file) else { return false };
                let Some(at) = room.take(var.bytes, align, needs) else { return false };
                out.at[v] = Some(at);
            }
        }
        out.used = room.used;
        true
    }
}

/// Whether the general variables take no more bytes together than there are.
pub(crate) fn may_fit(kernel: &Kernel<Virtual>) -> bool {
    let file = File::of(kernel, VarClass::General, Strategy::Packed);
    let general = kernel.vars.iter().filter(|var| var.class == VarClass::General);
    let bytes: u64 = general.map(|var| u64::from(var.bytes)).sum();
    bytes <= u64::from(file.regs * file.reg_bytes())
}

/// The variables of a class that are named, and what is asked of their places.
fn named<'a>(
    kernel: &'a Kernel<Virtual>,
    needs: &'a [Option<Needs>],
    class: VarClass,
) -> impl Iterator<Item = (VarId, &'a Var, Needs)> {
    let vars = (0..).map(VarId).zip(kernel.vars.iter().zip(needs));
    vars.filter(move |(_, (var, _))| var.class == class)
        .filter_map(|(v, (var, needs))| Some((v, var, (*needs)?)))
}

/// What is free yet of the general registers, in bytes.
struct Room<'a> {
    /// A register.
    grf: u32,
    /// What fixed variables have, in order, from the first on that ends behind `next`.
    fixed: &'a [Extent],
    /// What is free.
    free: Extent,
    /// The rest of a register that smaller variables are in.
    part: Extent,
    /// What is free for messages that end the thread.
    last: Extent,
    /// One past the highest byte in use.
    used: u32,
}

impl<'a> Room<'a> {
    /// All that fixed variables leave from register `first` on. (The limits are those of `placing::interval`.)
    fn new(kernel: &Kernel<Virtual>, file: File, first: u32, fixed: &'a [Extent]) -> Room<'a> {
        let grf = file.reg_bytes();
        let to_messages = if kernel.platform.caps().sends.to_r127 { file.regs } else { file.regs.min(127) };
        let end = to_messages.min(file.regs.saturating_sub(kernel.reserved.into()));
        Room {
            grf,
            fixed,
            free: Extent { start: first * grf, end: end * grf },
            part: Extent::new(0, 0),
            last: Extent { start: file.regs.saturating_sub(16) * grf, end: file.regs * grf },
            used: fixed.last().map_or(0, |last| last.end),
        }
    }

    /// Takes a place for a variable, if there is one.
    fn take(&mut self, bytes: u32, align: u32, needs: Needs) -> Option<FileByte> {
        let at = if needs.has(Needs::EOT) {
            self.take_last(bytes, align, needs)?
        } else if bytes < self.grf && align < self.grf {
            self.take_part(bytes, align)?
        } else {
            self.take_whole(bytes, align)?
        };
        self.used = self.used.max(at + bytes);
        FileByte::try_new(at)
    }

    /// Whole registers.
    fn take_whole(&mut self, bytes: u32, align: u32) -> Option<u32> {
        let (len, align) = (bytes.next_multiple_of(self.grf), align.max(self.grf));
        let mut at = self.free.start.next_multiple_of(align);
        while let [first, rest @ ..] = self.fixed
            && first.start < at + len
        {
            if first.end > at {
                at = first.end.next_multiple_of(align);
            }
            self.fixed = rest;
        }
        self.free.start = at + len;
        (self.free.start <= self.free.end).then_some(at)
    }

    /// A part of a register, beside other parts.
    fn take_part(&mut self, bytes: u32, align: u32) -> Option<u32> {
        let mut at = self.part.start.next_multiple_of(align);
        if at + bytes > self.part.end {
            at = self.take_whole(self.grf, align)?;
            self.part.end = at + self.grf;
        }
        self.part.start = at + bytes;
        Some(at)
    }

    /// Whole registers among the last ones, for a message that ends the thread.
    fn take_last(&mut self, bytes: u32, align: u32, needs: Needs) -> Option<u32> {
        let (len, align) = (bytes.next_multiple_of(self.grf), align.max(self.grf));
        let below = |end: u32| Some(end.checked_sub(len)? & !(align - 1));
        let mut at = below(if needs.has(Needs::RESPONSE) { self.free.end } else { self.last.end })?;
        for taken in self.fixed.iter().rev() {
            if taken.overlaps(Extent::new(at, len)) {
                at = below(taken.start)?;
            }
        }
        self.last.end = at;
        self.free.end = self.free.end.min(at);
        (at >= self.last.start && at >= self.free.start).then_some(at)
    }
}

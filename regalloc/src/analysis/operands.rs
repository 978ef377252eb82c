//! The accesses that an instruction's operands are: their bytes, and how the lanes share them.

use crate::analysis::{
    access::{Access, Kind},
    channels::{elements, reads_qwords, response_pitch},
    facts::{Fact, Scene},
    owners::{Header, OfMessage},
    points_to::PointsTo,
};
use gen_ir::{
    BlockId, Desc, Dst, Extent, InPlace, Inst, Kernel, Op, Outside, Payload, Pred, PredCtrl, Reg, Region,
    Role, Src, Type, VarClass, VarId, Virtual, region_span,
};
use narrow::{low_u8, to_index};
use typed_index_collections::TiSlice;

/// The read of a copy without a mask into a temporary.
pub(super) struct PayloadCopy {
    /// Its index among all accesses.
    pub access: u32,
    pub block: BlockId,
    /// The temporary, and the first byte of it.
    pub to: VarId,
    pub at: u32,
}

/// Instructions of one block on their way into the table of accesses.
pub(super) struct Touches<'a> {
    pub kernel: &'a Kernel<Virtual>,
    /// Bytes of a register, a power of two.
    pub grf: u32,
    /// Responses of messages come in while their payloads are needed.
    pub apart: bool,
    pub list: &'a mut Vec<Access>,
    pub facts: &'a mut TiSlice<VarId, Fact>,
    /// Bytes of variables that no address leads to, by variable as far as there are any.
    pub fronts: &'a TiSlice<VarId, u32>,
    pub copies: &'a mut Vec<PayloadCopy>,
    /// Of general variables nothing is noted.
    pub arf_only: bool,
    pub scene: Scene,
    /// What is wrong with an instruction.
    pub fault: Option<String>,
}

/// What of an instruction's sources counts.
#[derive(Clone, Copy)]
struct Counted {
    /// They reach as far as their regions do.
    plain: bool,
    /// A message or other code reads them.
    send: bool,
    /// The result is of interest, or all that is read.
    result: bool,
}

impl Touches<'_> {
    /// Whether an instruction touches flags or addresses.
    pub fn has_arf(&self, inst: &Inst<Virtual>) -> bool {
        if inst.pred.is_some() || inst.cond.is_some() {
            return true;
        }
        let mut arf = inst.dst.reg().is_some_and(|reg| self.is_arf(reg));
        inst.for_each_read(|reg| arf |= self.is_arf(reg));
        arf
    }

    /// Whether an instruction runs, for all lanes, where any lane does.
    fn is_guarded(&self, inst: &Inst<Virtual>) -> bool {
        let any_on = |p: Pred<Virtual>| p.flag.var().is_some_and(|v| self.kernel.vars[v.index()].any_on);
        inst.no_mask && inst.pred.is_some_and(any_on)
    }

    /// Whether an operand is a flag or an address.
    fn is_arf(&self, reg: Reg<Virtual>) -> bool {
        let fact = reg.var().and_then(|v| self.facts.get(v));
        fact.is_some_and(|fact| fact.class != VarClass::General)
    }

    /// Adds the accesses of an instruction: what it reads, then what it writes.
    #[inline]
    pub fn push(&mut self, inst: &Inst<Virtual>, points_to: &PointsTo) {
        let grf = self.grf;
        let masked = !inst.no_mask && !matches!(inst.op, Op::Jmpi);
        let base = Kind::NONE.with_if(masked, Kind::MASKED);
        let send = inst.op.is_send() || is_touch(inst);
        // Sources reach as far as their regions do.
        let plain = !send && matches!(inst.payload, Payload::None) && !matches!(inst.op, Op::Line | Op::Pln);
        if let Some(p) = inst.pred {
            let cross = p.ctrl != PredCtrl::Seq;
            let kind = base.with(Kind::READ).with_if(cross, Kind::CROSS);
            self.special(inst, Role::Pred, p.flag, Extent::new(p.flag.byte, 1), (kind, 1, 1));
        }
        // How far general operands reach says when the result is there.
        let result = !self.arf_only || inst.dst.reg().is_some_and(|reg| self.is_arf(reg));
        let (mut long, indirect) = self.sources(inst, base, Counted { plain, send, result });
        if let Payload::Send(info) = &inst.payload {
            for (role, reg) in [(Role::Desc, info.desc.reg()), (Role::ExDesc, info.ex_desc.reg())] {
                let Some(reg) = reg else { continue };
                let kind = Kind::READ.with_if(role == Role::Desc, Kind::MESSAGE);
                self.special(inst, role, reg, Extent::new(reg.byte, 4), (kind, 0, 0));
            }
        }
        if let Dst::Indirect { addr, .. } = inst.dst {
            let extent = inst.extent(Role::DstAddr, grf).unwrap_or(Extent::new(addr.byte, 1));
            self.special(inst, Role::DstAddr, addr, extent, (Kind::READ, 0, 0));
        }
        if indirect {
            // Whatever lanes run, they may read what any lane has written.
            let kind = base.with(Kind::READ).with(Kind::CROSS);
            for src in &inst.src {
                if let Src::Indirect { addr, .. } = src {
                    points_to.at(*addr).iter().for_each(|&v| self.whole(v, kind));
                }
            }
        }
        if let Dst::Direct { reg, .. } | Dst::Macro { reg, .. } = inst.dst
            && result
        {
            let extent = inst.dst_extent(grf).unwrap_or(Extent::new(reg.byte, 1));
            long |= (extent.start & (grf - 1)) + extent.len() > grf;
            if let Some(v) = reg.var() {
                // A message that reads for whoever runs gives all of them what it reads. Where nobody runs, what spilling made
                // goes back to memory as it was: others may wait for it.
                let guarded =
                    inst.op.is_send() && self.is_guarded(inst) && !self.kernel.vars[v.index()].no_spill;
                let early = if send { self.apart && inst.op.is_send() } else { long };
                let shape = write_shape(
                    inst,
                    base.with_if(guarded, Kind::GUARDED).with_if(early, Kind::EARLY),
                    send.then(|| response_pitch(inst, self.scene.simd(), grf)),
                );
                self.operand(inst, Role::Dst, reg, extent, shape);
            }
        }
        if let Some(c) = inst.cond {
            let kind = base.with(Kind::WRITE).with_if(inst.pred.is_none(), Kind::SURE);
            let extent = Extent::new(c.flag.byte, 1);
            let access = self.checked(inst, Role::Cond, c.flag, extent, (kind, 1, 1));
            if let Some(access) = access.filter(|_| inst.writes_flag()) {
                self.put(access);
            }
        }
        if let Dst::Indirect { addr, .. } = inst.dst {
            let early = !send && (long || inst.exec.lanes() > 1);
            let kind = Kind::WRITE.with_if(early, Kind::EARLY);
            points_to.at(addr).iter().for_each(|&v| self.whole(v, kind));
        }
    }

    /// Adds what the sources name themselves. Returns whether some operand spans more than one register or stands at an
    /// address (the hardware may run the instruction in several steps, and early results could meet late sources),
    /// and whether one stands at an address.
    #[inline(always)]
    fn sources(&mut self, inst: &Inst<Virtual>, base: Kind, of: Counted) -> (bool, bool) {
        let Counted { plain, send, result } = of;
        let grf = self.grf;
        let (mut long, mut indirect) = (false, false);
        let copied = self.copied_to(inst);
        let header = header(inst) != Header::None;
        for (n, (i, src)) in (0..).zip(inst.src.iter().enumerate()) {
            if !result && !src.named().is_some_and(|reg| self.is_arf(reg)) {
                continue;
            }
            match src {
                Src::Direct { reg, region, ty, .. } if plain => {
                    let (len, shape) = plain_read(*region, *ty, inst.exec.lanes(), base);
                    long |= (reg.byte & (grf - 1)) + len > grf;
                    if let Some(to) = copied.filter(|_| !shape.0.has(Kind::CROSS)) {
                        self.copy(inst, *reg, Extent::new(reg.byte, len), shape, to);
                    } else if reg.var().is_some() {
                        self.operand(inst, Role::Src(n), *reg, Extent::new(reg.byte, len), shape);
                    }
                }
                Src::Direct { reg, .. } | Src::Macro { reg, .. } => {
                    let extent = inst.src_extent(i, grf).unwrap_or(Extent::new(reg.byte, 1));
                    long |= (extent.start & (grf - 1)) + extent.len() > grf;
                    if let Some(v) = reg.var() {
                        let shape = read_shape(inst, i, base, send);
                        self.operand(inst, Role::Src(n), *reg, extent, shape);
                        // All lanes' message has that one header.
                        if header && let Some(fact) = self.facts.get_mut(v) {
                            fact.note_other_reader();
                        }
                    }
                }
                Src::Indirect { addr, .. } => {
                    indirect = true;
                    long |= inst.exec.lanes() > 1;
                    let role = Role::SrcAddr(n);
                    let extent = inst.extent(role, grf).unwrap_or(Extent::new(addr.byte, 1));
                    self.special(inst, role, *addr, extent, (Kind::READ, 0, 0));
                }
                Src::AddrOf { reg: InPlace(reg), .. } => {
                    if let Some(var) = reg.var()
                        && self.facts.get(var).is_none()
                    {
                        self.fault = Some(unknown(var));
                    }
                }
                Src::None | Src::Imm { .. } => {}
            }
        }
        (long, indirect)
    }

    /// The temporary that an instruction copies to, channel by channel and without a mask, if it does, and the byte of it.
    fn copied_to(&self, inst: &Inst<Virtual>) -> Option<(VarId, u32)> {
        if inst.op != Op::Mov || !inst.no_mask || inst.pred.is_some() || inst.cond.is_some() || self.arf_only
        {
            return None;
        }
        let Dst::Direct { reg, horz: 1, .. } = inst.dst else { return None };
        let to = reg.var()?;
        let fact = self.facts.get(to)?;
        // Fewer channels than any message has are fields.
        (inst.exec.lanes() >= 8 && fact.is_temporary() && fact.class == VarClass::General)
            .then_some((to, reg.byte))
    }

    /// Adds the source of a copy to a temporary, of which more is known when all readers of that are.
    fn copy(
        &mut self,
        inst: &Inst<Virtual>,
        reg: Reg<Virtual>,
        extent: Extent,
        shape: (Kind, u8, u8),
        (to, at): (VarId, u32),
    ) {
        if let Some(access) = self.checked(inst, Role::Src(0), reg, extent, shape) {
            self.copies.push(PayloadCopy {
                access: to_index(self.list.len()),
                block: self.scene.block(),
                to,
                at,
            });
            self.list.push(access);
            self.facts[access.var].note_other_reader();
        }
    }

    fn put(&mut self, mut a: Access) {
        let fact = &mut self.facts[a.var];
        if !(self.arf_only && fact.class == VarClass::General) {
            fact.note(&mut a, &self.scene);
            self.list.push(a);
        }
    }

    /// Adds a touch of all of a variable that addresses lead to.
    fn whole(&mut self, var: VarId, kind: Kind) {
        let start = self.fronts.get(var).copied().unwrap_or(0);
        let end = self.kernel.vars[var.index()].bytes;
        let chan = Access::THROUGH_ADDRESS;
        self.put(Access { var, start, end, pitch: 0, elem: 0, chan, kind, subranges: 0 });
    }

    /// Adds a direct source or destination, if it is a variable.
    #[inline]
    fn operand(
        &mut self,
        inst: &Inst<Virtual>,
        role: Role,
        reg: Reg<Virtual>,
        extent: Extent,
        (kind, pitch, elem): (Kind, u8, u8),
    ) {
        let Some(var) = reg.var() else { return };
        match self.facts.get_mut(var) {
            Some(fact) if fact.class == VarClass::General && extent.end <= fact.units => {
                if self.arf_only {
                    return;
                }
                let Extent { start, end } = extent;
                let mut a = Access { var, start, end, pitch, elem, chan: inst.chan, kind, subranges: 0 };
                fact.note(&mut a, &self.scene);
                if self.scene.diverges() && pitch == 0 && kind.has(Kind::MASKED) && inst.op.is_send() {
                    let header = if role == Role::Src(0) { header(inst) } else { Header::None };
                    let source = if let Role::Src(i) = role { Some(usize::from(i)) } else { None };
                    let of = OfMessage { lanes: inst.exec.lanes(), header, elements: elements(inst, source) };
                    fact.note_message(&a, of, self.grf, &self.scene);
                }
                self.list.push(a);
            }
            _ => self.special(inst, role, reg, extent, (kind, pitch, elem)),
        }
    }

    /// Adds any operand, if it is a variable.
    #[inline(never)]
    fn special(
        &mut self,
        inst: &Inst<Virtual>,
        role: Role,
        reg: Reg<Virtual>,
        extent: Extent,
        shape: (Kind, u8, u8),
    ) {
        if let Some(access) = self.checked(inst, role, reg, extent, shape) {
            self.put(access);
        }
    }

    /// The access of an operand, if it is a variable, to what there is of that.
    fn checked(
        &mut self,
        inst: &Inst<Virtual>,
        role: Role,
        reg: Reg<Virtual>,
        mut extent: Extent,
        (kind, pitch, elem): (Kind, u8, u8),
    ) -> Option<Access> {
        let var = reg.var()?;
        let Some(fact) = self.facts.get(var) else {
            self.fault = Some(unknown(var));
            return None;
        };
        let class = role_class(role);
        if fact.class != class && !matches!(role, Role::Dst | Role::Src(_)) {
            self.fault = Some(format!("{role:?}: variable {} is {:?}, not {class:?}", var.0, fact.class));
            return None;
        }
        if fact.class == VarClass::Flag {
            extent = flag_bits(inst, role, reg.byte, extent);
        }
        let mut end = extent.end;
        if end > fact.units {
            // A region may reach past the last element it reads, and a predicate may stand for
            // more lanes than the variable has; a start outside is a fault, and so is a write.
            let send = inst.op.is_send() || is_touch(inst);
            if extent.start >= fact.units || (role == Role::Dst && !send) {
                let bytes = self.kernel.vars[var.index()].bytes;
                self.fault = Some(format!(
                    "{role:?}: bytes {}..{} of variable {}, which has {bytes}",
                    extent.start, extent.end, var.0
                ));
                return None;
            }
            end = fact.units;
        }
        let start = extent.start;
        Some(Access { var, start, end, pitch, elem, chan: inst.chan, kind, subranges: 0 })
    }
}

#[cold]
fn unknown(var: VarId) -> String {
    format!("variable {} does not exist", var.0)
}

/// The bits of a flag variable that an operand touches.
pub(crate) fn flag_bits(inst: &Inst<Virtual>, role: Role, byte: u32, extent: Extent) -> Extent {
    let group = match role {
        Role::Cond => 1,
        Role::Pred => inst.pred.map_or(1, |p| match p.ctrl {
            PredCtrl::Any2h | PredCtrl::All2h => 2,
            PredCtrl::Any4h | PredCtrl::All4h => 4,
            PredCtrl::Any8h | PredCtrl::All8h => 8,
            PredCtrl::Any16h | PredCtrl::All16h => 16,
            PredCtrl::Any32h | PredCtrl::All32h => 32,
            _ => 1,
        }),
        _ => return Extent { start: extent.start * 8, end: extent.end * 8 },
    };
    let first = u32::from(inst.chan) / group * group;
    let last = (u32::from(inst.chan) + inst.exec.lanes()).next_multiple_of(group);
    Extent { start: byte * 8 + first, end: byte * 8 + last }
}

pub(crate) fn role_class(role: Role) -> VarClass {
    match role {
        Role::Pred | Role::Cond => VarClass::Flag,
        Role::SrcAddr(_) | Role::DstAddr | Role::Desc | Role::ExDesc => VarClass::Address,
        Role::Src(_) | Role::Dst | Role::AddrOf(_) => VarClass::General,
    }
}

/// Registers that other code reads or writes: dense, as a message's are.
fn is_touch(inst: &Inst<Virtual>) -> bool {
    matches!(inst.payload, Payload::Outside(Outside::Touch { .. } | Outside::StartOfLife { .. }))
}

/// The header that a message may have.
fn header(inst: &Inst<Virtual>) -> Header {
    let send = inst.send();
    // There, the same bits of a descriptor say what caches do.
    if send.is_some_and(|s| !s.sfid.may_have_header()) {
        return Header::None;
    }
    match send.map(|s| s.desc) {
        Some(Desc::Imm(_)) if inst.exec.lanes() < 8 => Header::Unknown,
        Some(Desc::Imm(desc)) if desc.header_present() => Header::Register,
        Some(Desc::Imm(_)) => Header::None,
        Some(_) => Header::Unknown,
        None if is_touch(inst) => Header::Unknown,
        None => Header::None,
    }
}

/// Kind, pitch and bytes of an element of a write. `outside`: the bytes of an element of what a message or other code writes;
/// 0 where that is not known.
fn write_shape(inst: &Inst<Virtual>, base: Kind, outside: Option<u8>) -> (Kind, u8, u8) {
    let kind = base.with(Kind::WRITE);
    let sure = inst.pred.is_none() || inst.op == Op::Sel || kind.has(Kind::GUARDED);
    if let Some(pitch) = outside {
        return (kind.with_if(sure, Kind::SURE).with_if(inst.op.is_send(), Kind::MESSAGE), pitch, pitch);
    }
    match inst.dst {
        Dst::Direct { horz, ty, .. } => {
            let elem = size(ty);
            let pitch = elem.saturating_mul(horz.max(1));
            (kind.with_if(sure, Kind::SURE), pitch, elem)
        }
        Dst::Macro { ty, .. } => (kind.with_if(sure, Kind::SURE), size(ty), size(ty)),
        Dst::None | Dst::Indirect { .. } => (kind, 0, 0),
    }
}

fn read_shape(inst: &Inst<Virtual>, i: usize, base: Kind, send: bool) -> (Kind, u8, u8) {
    let kind = base.with(Kind::READ);
    if send {
        let kind = kind.with_if(inst.is_eot(), Kind::EOT).with_if(reads_qwords(inst, i), Kind::QWORDS);
        return (kind, 0, 0);
    }
    match inst.src[i] {
        Src::Direct { region, ty, .. } => read_region(region, ty, kind),
        Src::Macro { ty, .. } => (kind, size(ty), size(ty)),
        _ => (kind.with(Kind::CROSS), 0, 0),
    }
}

/// Bytes of an element, at most 8.
fn size(ty: Type) -> u8 {
    low_u8(ty.bytes())
}

/// Bytes that a source reads that reaches as far as its region, and its shape.
fn plain_read(region: Region, ty: Type, lanes: u32, base: Kind) -> (u32, (Kind, u8, u8)) {
    let (kind, bytes) = (base.with(Kind::READ), ty.bytes());
    if region.is_packed() {
        return (lanes * bytes, (kind, size(ty), size(ty)));
    }
    if region == Region::SCALAR {
        return (bytes, (kind.with(Kind::CROSS), 0, size(ty)));
    }
    (region_span(region, ty, lanes), read_region(region, ty, kind))
}

fn read_region(region: Region, ty: Type, kind: Kind) -> (Kind, u8, u8) {
    let elem = size(ty);
    match linear_stride(region) {
        Some(s) if s > 0 => (kind, elem.saturating_mul(s), elem),
        _ => (kind.with(Kind::CROSS), 0, elem),
    }
}

/// The stride in elements of a region whose channels are evenly spaced.
fn linear_stride(r: Region) -> Option<u8> {
    if r.vert == Region::VXH {
        return None;
    }
    if r.width == Region::ABSENT {
        return match (r.vert, r.horz) {
            (Region::ABSENT, h) => Some(h),
            (v, 0) => Some(v),
            // Rows of v / h elements, each h apart: even.
            (v, h) if v % h == 0 => Some(h),
            _ => None,
        };
    }
    if r.width == 1 {
        return Some(r.vert);
    }
    (u32::from(r.width) * u32::from(r.horz) == u32::from(r.vert)).then_some(r.horz)
}

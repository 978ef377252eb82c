//! Every touch of a variable, in instruction order: the flat table that liveness, allocation, spilling
//! and the checker read.

use crate::{Error, points::Points};
use gen_ir::{
    BlockId, Desc, Dst, Extent, Inst, Kernel, Op, Outside, Payload, PredCtrl, Reg, Region, Role, Src, Var,
    VarClass, Virtual,
};

/// One touch of a variable's bytes by an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Variable index.
    pub var: u32,
    /// First byte touched. Flags count in bits, here and below.
    pub start: u32,
    /// One past the last byte touched.
    pub end: u32,
    /// Distance between elements of neighbouring channels; 0 where channels have no fixed place
    /// (messages, scalars): the range is then dense.
    pub pitch: u8,
    /// Size of an element.
    pub elem: u8,
    /// First channel of the instruction.
    pub chan: u8,
    /// What kind of touch this is.
    pub kind: Kind,
}

/// Properties of an access, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(u8);

impl Kind {
    /// Reads.
    pub const READ: Kind = Kind(1);
    /// Writes.
    pub const WRITE: Kind = Kind(1 << 1);
    /// A write of every byte named (by pitch and element) for the lanes that run; not predicated away.
    pub const SURE: Kind = Kind(1 << 2);
    /// The execution mask decides which lanes take part.
    pub const MASKED: Kind = Kind(1 << 3);
    /// A write that may land before the sources have been read to the end.
    pub const EARLY: Kind = Kind(1 << 4);
    /// Lanes read bytes that other lanes own.
    pub const CROSS: Kind = Kind(1 << 5);
    /// Payload of an end-of-thread message.
    pub const EOT: Kind = Kind(1 << 6);
    /// A write: the response of a message. A read: the message descriptor.
    pub const MESSAGE: Kind = Kind(1 << 7);

    pub const fn has(self, other: Kind) -> bool {
        self.0 & other.0 == other.0
    }

    const fn with(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    const fn with_if(self, cond: bool, other: Kind) -> Kind {
        if cond { self.with(other) } else { self }
    }
}

/// The accesses of a kernel, in instruction order (reads of an instruction before its writes).
#[derive(Default)]
pub(crate) struct Accesses {
    list: Vec<Access>,
    /// Index into `list` for each instruction, and the end.
    first: Vec<u32>,
    /// First instruction of each block, and the end.
    pub blocks: Vec<u32>,
    points: Points,
}

impl Accesses {
    /// Collects all accesses; variables and byte ranges are checked here, once.
    pub fn collect(&mut self, kernel: &Kernel<Virtual>) -> Result<(), Error> {
        let grf = u32::from(kernel.platform.caps().grf_bytes);
        let insts = kernel.inst_count();
        self.list.clear();
        self.list.reserve(insts * 4);
        self.first.clear();
        self.first.reserve(insts + 1);
        self.blocks.clear();
        self.points.find(kernel);
        for (b, block) in kernel.blocks.iter().enumerate() {
            self.blocks.push(self.first.len() as u32);
            for (i, inst) in block.insts.iter().enumerate() {
                self.first.push(self.list.len() as u32);
                let mut one = Touches { kernel, inst, grf, list: &mut self.list, long: false };
                one.push(&self.points).map_err(|fault| Error::BadOperand {
                    block: BlockId(b as u32),
                    inst: i,
                    fault,
                })?;
            }
        }
        self.blocks.push(self.first.len() as u32);
        self.first.push(self.list.len() as u32);
        Ok(())
    }

    /// The accesses of instruction `i`, reads first.
    pub fn of(&self, i: usize) -> &[Access] {
        &self.list[self.first[i] as usize..self.first[i + 1] as usize]
    }

    /// Instructions of a block.
    pub fn block(&self, b: usize) -> std::ops::Range<usize> {
        self.blocks[b] as usize..self.blocks[b + 1] as usize
    }

    /// The accesses of a block's instructions.
    pub fn of_block(&self, b: usize) -> &[Access] {
        let r = self.block(b);
        &self.list[self.first[r.start] as usize..self.first[r.end] as usize]
    }

    /// All accesses in order.
    pub fn all(&self) -> &[Access] {
        &self.list
    }
}

/// One instruction on its way into the list.
struct Touches<'a> {
    kernel: &'a Kernel<Virtual>,
    inst: &'a Inst<Virtual>,
    grf: u32,
    list: &'a mut Vec<Access>,
    /// Some operand so far spans more than one register, or stands at an address: the hardware may run the
    /// instruction in several steps, and early results could meet late sources.
    long: bool,
}

impl Touches<'_> {
    fn push(&mut self, points: &Points) -> Result<(), String> {
        let (inst, grf) = (self.inst, self.grf);
        let masked = !inst.no_mask && !matches!(inst.op, Op::Jmpi);
        let base = Kind(0).with_if(masked, Kind::MASKED);
        let send = inst.op.is_send() || is_touch(inst);
        let several = inst.exec.lanes() > 1;
        if let Some(p) = inst.pred {
            let cross = p.ctrl != PredCtrl::Seq;
            let kind = base.with(Kind::READ).with_if(cross, Kind::CROSS);
            self.add(Role::Pred, p.flag, Extent::new(p.flag.byte, 1), (kind, 1, 1))?;
        }
        let mut indirect = false;
        for (i, src) in inst.src.iter().enumerate() {
            let role = Role::Src(i as u8);
            match *src {
                Src::Direct { reg, .. } | Src::Macro { reg, .. } => {
                    let extent = inst.src_extent(i, grf).unwrap_or(Extent::new(reg.byte, 1));
                    self.long |= extent.len() > grf;
                    if reg.var().is_some() {
                        self.add(role, reg, extent, read_shape(inst, i, base))?;
                    }
                }
                Src::Indirect { addr, .. } => {
                    indirect = true;
                    self.long |= several;
                    let role = Role::SrcAddr(i as u8);
                    let extent = inst.extent(role, grf).unwrap_or(Extent::new(addr.byte, 1));
                    self.add(role, addr, extent, (Kind::READ, 0, 0))?;
                }
                Src::AddrOf { reg, .. } => {
                    self.declared(reg)?;
                }
                Src::None | Src::Imm { .. } => {}
            }
        }
        if let Payload::Send(info) = &inst.payload {
            for (role, desc) in [(Role::Desc, info.desc), (Role::ExDesc, info.ex_desc)] {
                let Desc::Reg(reg) = desc else { continue };
                let kind = Kind::READ.with_if(role == Role::Desc, Kind::MESSAGE);
                self.add(role, reg, Extent::new(reg.byte, 4), (kind, 0, 0))?;
            }
        }
        match inst.dst {
            Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => {
                let extent = inst.dst_extent(grf).unwrap_or(Extent::new(reg.byte, 1));
                self.long |= extent.len() > grf;
                if reg.var().is_some() {
                    self.add(Role::Dst, reg, extent, write_shape(inst, base, self.long && !send))?;
                }
            }
            Dst::Indirect { addr, .. } => {
                self.long |= several;
                let extent = inst.extent(Role::DstAddr, grf).unwrap_or(Extent::new(addr.byte, 1));
                self.add(Role::DstAddr, addr, extent, (Kind::READ, 0, 0))?;
            }
            Dst::None => {}
        }
        if let Some(c) = inst.cond {
            let kind = base.with(Kind::WRITE).with_if(inst.pred.is_none(), Kind::SURE);
            let written = !matches!(inst.op, Op::Sel | Op::Csel);
            let extent = Extent::new(c.flag.byte, 1);
            let end = self.list.len();
            self.add(Role::Cond, c.flag, extent, (kind, 1, 1))?;
            if !written {
                self.list.truncate(end);
            }
        }
        if indirect {
            for src in &inst.src {
                if let Src::Indirect { addr, .. } = src {
                    let found = points.at(*addr).iter().map(|&v| whole(self.kernel, v, Kind::READ));
                    self.list.extend(found);
                }
            }
        }
        if let Dst::Indirect { addr, .. } = inst.dst {
            let kind = Kind::WRITE.with_if(self.long && !send, Kind::EARLY);
            self.list.extend(points.at(addr).iter().map(|&v| whole(self.kernel, v, kind)));
        }
        Ok(())
    }

    /// The declaration of an operand's variable, if it is one.
    fn declared(&self, reg: Reg<Virtual>) -> Result<Option<(u32, &Var)>, String> {
        let Some(var) = reg.var() else { return Ok(None) };
        match self.kernel.vars.get(var.index()) {
            Some(decl) => Ok(Some((var.0, decl))),
            None => Err(format!("variable {} does not exist", var.0)),
        }
    }

    fn add(
        &mut self,
        role: Role,
        reg: Reg<Virtual>,
        extent: Extent,
        (kind, pitch, elem): (Kind, u8, u8),
    ) -> Result<(), String> {
        let Some((var, decl)) = self.declared(reg)? else { return Ok(()) };
        let class = role_class(role);
        if decl.class != class && !matches!(role, Role::Dst | Role::Src(_)) {
            return Err(format!("{role:?}: variable {var} is {:?}, not {class:?}", decl.class));
        }
        let (mut extent, mut size) = (extent, decl.bytes);
        if decl.class == VarClass::Flag {
            extent = flag_bits(self.inst, role, reg.byte, extent);
            size *= 8;
        }
        let mut end = extent.end;
        if end > size {
            // A region may reach past the last element it reads, and a predicate may stand for
            // more lanes than the variable has; a start outside is a fault, and so is a write.
            let send = self.inst.op.is_send() || is_touch(self.inst);
            if extent.start >= size || (role == Role::Dst && !send) {
                return Err(format!(
                    "{role:?}: bytes {}..{} of variable {var}, which has {}",
                    extent.start, extent.end, decl.bytes
                ));
            }
            end = size;
        }
        self.list.push(Access { var, start: extent.start, end, pitch, elem, chan: self.inst.chan, kind });
        Ok(())
    }
}

/// A touch of all of a variable.
fn whole(kernel: &Kernel<Virtual>, var: u32, kind: Kind) -> Access {
    Access { var, start: 0, end: kernel.vars[var as usize].bytes, pitch: 0, elem: 0, chan: 0, kind }
}

/// The bits of a flag variable that an operand touches.
fn flag_bits(inst: &Inst<Virtual>, role: Role, byte: u32, extent: Extent) -> Extent {
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

fn role_class(role: Role) -> VarClass {
    match role {
        Role::Pred | Role::Cond => VarClass::Flag,
        Role::SrcAddr(_) | Role::DstAddr | Role::Desc | Role::ExDesc => VarClass::Address,
        Role::Src(_) | Role::Dst | Role::AddrOf(_) => VarClass::General,
    }
}

/// Registers that other code reads or writes: dense, as a message's are.
fn is_touch(inst: &Inst<Virtual>) -> bool {
    matches!(inst.payload, Payload::Outside(Outside::Touch { .. }))
}

fn write_shape(inst: &Inst<Virtual>, base: Kind, early: bool) -> (Kind, u8, u8) {
    let kind = base.with(Kind::WRITE).with_if(early, Kind::EARLY);
    let sure = inst.pred.is_none() || inst.op == Op::Sel;
    if inst.op.is_send() || is_touch(inst) {
        return (kind.with_if(sure, Kind::SURE).with_if(inst.op.is_send(), Kind::MESSAGE), 0, 0);
    }
    match inst.dst {
        Dst::Direct { horz, ty, .. } => {
            let elem = ty.bytes() as u8;
            let pitch = elem.saturating_mul(horz.max(1));
            (kind.with_if(sure, Kind::SURE), pitch, elem)
        }
        Dst::Macro { ty, .. } => (kind.with_if(sure, Kind::SURE), ty.bytes() as u8, ty.bytes() as u8),
        Dst::None | Dst::Indirect { .. } => (kind, 0, 0),
    }
}

fn read_shape(inst: &Inst<Virtual>, i: usize, base: Kind) -> (Kind, u8, u8) {
    let kind = base.with(Kind::READ);
    if inst.op.is_send() || is_touch(inst) {
        return (kind.with_if(inst.is_eot(), Kind::EOT), 0, 0);
    }
    match inst.src[i] {
        Src::Direct { region, ty, .. } => {
            let elem = ty.bytes() as u8;
            match linear_stride(region) {
                Some(s) if s > 0 => (kind, elem.saturating_mul(s), elem),
                _ => (kind.with(Kind::CROSS), 0, elem),
            }
        }
        Src::Macro { ty, .. } => (kind, ty.bytes() as u8, ty.bytes() as u8),
        _ => (kind.with(Kind::CROSS), 0, 0),
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

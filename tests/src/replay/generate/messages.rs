//! Messages: loads and stores of some channels of some registers of variables.

use super::{BusyVar, KernelMaker, Spot, Style};
use crate::replay::layout::row_bytes;
use gen_ir::{
    Desc, Descriptor, Dst, ExecSize, GrfNum, Inst, Op, Payload, Pred, PredCtrl, Reg, SendInfo, Sfid, Src,
    Type, Virtual,
};
use messages::{
    MessageLength, ResponseLength,
    hdc::{A64Scattered, Dc1, ElementType, ScatteredSimdMode, Surface},
    lsc::{AddressSize, DataSize, Op as LscOp, Untyped, VectorSize},
    sampler::{MessageType, Sample, SimdMode},
};

/// Codes of what caches do from here on have the bit that says in other messages that there is a header.
const CACHED: u8 = 4;

/// The registers of a message, and whether there is a header.
struct Registers {
    dst: Option<(Reg<Virtual>, u32)>,
    first: (Reg<Virtual>, u32),
    second: Option<(Reg<Virtual>, u32)>,
    header: bool,
}

fn simd_mode(exec: ExecSize) -> Option<ScatteredSimdMode> {
    Some(if exec.lanes() == 8 { ScatteredSimdMode::Simd8 } else { ScatteredSimdMode::Simd16 })
}

impl KernelMaker {
    /// Registers of a row of elements of a message.
    fn row(&self, element: u32, exec: ExecSize) -> u32 {
        let native = self.platform.caps().regs.native_lanes().into();
        row_bytes(element as usize, exec.lanes() as usize, native, self.grf as usize) as u32 / self.grf
    }

    /// Where a message touches a variable, and how many registers of it.
    fn part(&mut self, subject: BusyVar) -> Option<(Spot, u32)> {
        let grf = self.grf;
        // No message of the data cache or of the sampler has more than 16 channels.
        let most = if self.lsc() && subject.ty != Type::Uw { 32 } else { 16 };
        let mut spot = self.spot(subject, (subject.ty.bytes(), grf), most)?;
        let row = self.row(subject.ty.bytes(), spot.exec);
        let all = (subject.bytes - spot.at) / grf;
        // Messages of all channels start with the first row.
        let most = (all / row).min(self.longest / row);
        if most == 0 {
            return None;
        }
        if most > 1 && self.chance(30) && subject.style != Style::Full {
            spot.at -= spot.at % grf;
        }
        Some((spot, (1 + self.below(most)) * row))
    }

    fn send(&mut self, spot: Spot, (sfid, desc): (Sfid, Descriptor), regs: &Registers) -> Inst<Virtual> {
        let second = regs.second.map_or(0, |s| s.1) as u8;
        let (first, dst) = (regs.first.1, regs.dst.map_or(0, |d| d.1));
        let mut desc = desc.with_lengths(MessageLength::of(first), ResponseLength::of(dst));
        if sfid.may_have_header() {
            desc = desc.with_header_present(regs.header);
        }
        let split =
            second > 0 && self.platform.caps().regs.grf_bytes == 32 && self.platform.caps().sends.split;
        let payload = |reg| Src::payload(reg, spot.exec);
        Inst {
            chan: spot.chan,
            dst: Dst::packed(regs.dst.map_or(Reg::NULL, |d| d.0), Type::Ud),
            src: [payload(regs.first.0), regs.second.map_or(Src::None, |s| payload(s.0)), Src::None],
            payload: Payload::Send(SendInfo {
                sfid,
                desc: Desc::Imm(desc),
                ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
                eot: false,
                dst_len: dst as u8,
                src0_len: first as u8,
                src1_len: second,
            }),
            ..Inst::new(if split { Op::Sends } else { Op::Send }, spot.exec)
        }
    }

    fn guard_message(&mut self, inst: &mut Inst<Virtual>) {
        match self.below(20) {
            0 => inst.no_mask = true,
            1 => {
                let flag = Reg::var_at(self.flag(), 0);
                inst.pred = Some(Pred { flag, inv: self.chance(50), ctrl: PredCtrl::Seq });
            }
            _ => {}
        }
    }

    fn lsc(&self) -> bool {
        self.grf == 64
    }

    /// Addresses of as many channels, which nothing changes.
    fn addresses(&self, spot: Spot, element: u32) -> (Reg<Virtual>, u32) {
        let registers = self.row(element, spot.exec);
        let held = (self.simd * 4).div_ceil(self.grf);
        (Reg::var_at(self.lanes, 0), registers.min(held))
    }

    /// A message that brings a variable new values.
    pub(super) fn load(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let Some((spot, registers)) = self.part(subject) else { return };
        let message = self.load_message(subject.ty, spot);
        let dst = Some((Reg::var_at(subject.var, spot.at), registers));
        let first = self.addresses(spot, 4);
        let mut inst = self.send(spot, message, &Registers { dst, first, second: None, header: false });
        self.guard_message(&mut inst);
        out.push(inst);
    }

    fn load_message(&mut self, ty: Type, spot: Spot) -> (Sfid, Descriptor) {
        if ty == Type::Uw {
            return self.sample(spot, true, false);
        }
        if self.lsc() {
            return self.untyped(LscOp::Load, AddressSize::A32, ty);
        }
        if ty == Type::Uq {
            return (Sfid::Dc1, self.scattered(Dc1::A64ScatteredRead, ElementType::Qword, spot));
        }
        let read =
            Surface::new().with_simd_mode(simd_mode(spot.exec)).with_message_type(Some(Dc1::UntypedRead));
        (Sfid::Dc1, read.into())
    }

    fn scattered(&self, message: Dc1, element: ElementType, spot: Spot) -> Descriptor {
        A64Scattered::new()
            .with_element(Some(element))
            .with_simd16(spot.exec.lanes() > 8)
            .with_message_type(Some(message))
            .into()
    }

    fn sample(&self, spot: Spot, half_results: bool, half_parameters: bool) -> (Sfid, Descriptor) {
        let mode = if spot.exec.lanes() == 8 { SimdMode::Simd8 } else { SimdMode::Simd16 };
        let sample =
            Sample::to(MessageType::Sample).with_simd_mode(Some(mode)).with_half_results(half_results);
        (Sfid::Sampler, sample.with_half_parameters(half_parameters).into())
    }

    fn untyped(&mut self, op: LscOp, addresses: AddressSize, ty: Type) -> (Sfid, Descriptor) {
        let size = match ty {
            Type::Uq => DataSize::D64,
            _ => *self.r.pick(&[
                DataSize::D32,
                DataSize::D32,
                DataSize::D8U32,
                DataSize::D16U32,
                DataSize::D16U32H,
            ]),
        };
        let desc = Untyped::new()
            .with_op(Some(op))
            .with_address_size(Some(addresses))
            .with_data_size(Some(size))
            .with_vector_size(Some(VectorSize::V1))
            .with_cache_control(*self.r.pick(&[0, 0, CACHED, CACHED + 1]));
        (*self.r.pick(&[Sfid::Ugm, Sfid::Ugm, Sfid::Slm]), desc.into())
    }

    /// A message that sends some of a variable: as data, as addresses, or as both.
    pub(super) fn store(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let Some((spot, registers)) = self.part(subject) else { return };
        let payload = (Reg::var_at(subject.var, spot.at), registers);
        let header = registers < self.longest && spot.at >= self.grf && !self.lsc() && self.chance(10);
        let mut inst = if header {
            let payload = (Reg::var_at(subject.var, spot.at - self.grf), registers + 1);
            // Headers are made without a mask, or channels would send what others have not written.
            out.push(self.header(payload.0));
            self.store_of(subject.ty, spot, payload, true)
        } else {
            self.store_of(subject.ty, spot, payload, false)
        };
        self.guard_message(&mut inst);
        out.push(inst);
    }

    fn store_of(
        &mut self,
        ty: Type,
        spot: Spot,
        payload: (Reg<Virtual>, u32),
        header: bool,
    ) -> Inst<Virtual> {
        let alone = Registers { dst: None, first: payload, second: None, header };
        if ty == Type::Uw {
            let half = self.sample(spot, false, true);
            return self.send(spot, half, &alone);
        }
        if self.lsc() {
            let as_data = self.chance(60);
            let wide = ty == Type::Uq;
            let addresses = if wide && !as_data { AddressSize::A64 } else { AddressSize::A32 };
            let op = if as_data { LscOp::Store } else { LscOp::Load };
            let message = self.untyped(op, addresses, ty);
            let first = self.addresses(spot, 4);
            let regs = if as_data { Registers { first, second: Some(payload), ..alone } } else { alone };
            return self.send(spot, message, &regs);
        }
        if ty == Type::Uq {
            let desc = self.scattered(Dc1::A64ScatteredRead, ElementType::Qword, spot);
            return self.send(spot, (Sfid::Dc1, desc), &alone);
        }
        let write =
            Surface::new().with_simd_mode(simd_mode(spot.exec)).with_message_type(Some(Dc1::UntypedWrite));
        let message = (Sfid::Dc1, write.into());
        if self.platform.caps().sends.split && !header && self.chance(40) {
            let first = self.addresses(spot, 4);
            return self.send(spot, message, &Registers { first, second: Some(payload), ..alone });
        }
        self.send(spot, message, &alone)
    }

    fn header(&self, to: Reg<Virtual>) -> Inst<Virtual> {
        Inst {
            no_mask: true,
            dst: Dst::packed(to, Type::Ud),
            src: [Src::packed(Reg::grf(GrfNum::R0, 0), Type::Ud), Src::None, Src::None],
            ..Inst::new(Op::Mov, ExecSize::S8)
        }
    }

    /// A payload that a copy without a mask makes, as lowering makes it: a temporary behind a header.
    pub(super) fn copied_store(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let Some((spot, registers)) = self.part(subject) else { return };
        let (grf, header) = (self.grf, u32::from(!self.lsc() && self.chance(50)));
        let temp = self.general((registers + header) * grf, grf, true);
        if header > 0 {
            out.push(self.header(Reg::var_at(temp, 0)));
        }
        for n in 0..registers {
            let from = Src::packed(Reg::var_at(subject.var, spot.at + n * grf), Type::Ud);
            out.push(Inst {
                no_mask: true,
                dst: Dst::packed(Reg::var_at(temp, (n + header) * grf), Type::Ud),
                src: [from, Src::None, Src::None],
                ..Inst::new(Op::Mov, ExecSize::from_lanes(grf / 4).expect("a register's dwords"))
            });
        }
        let payload = (Reg::var_at(temp, 0), registers + header);
        let inst = self.store_of(subject.ty, spot, payload, header > 0);
        out.push(inst);
    }

    /// Loads all of a variable by the first channels.
    pub(super) fn load_whole(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let spot =
            Spot { exec: ExecSize::from_lanes(self.grf / 4).expect("a register's dwords"), chan: 0, at: 0 };
        let message = self.load_message(Type::Ud, spot);
        let dst = Some((Reg::var_at(subject.var, 0), subject.bytes / self.grf));
        let first = self.addresses(spot, 4);
        out.push(self.send(spot, message, &Registers { dst, first, second: None, header: false }));
    }

    /// Sends all of a variable by the first channels.
    pub(super) fn store_whole(&mut self, out: &mut Vec<Inst<Virtual>>, subject: BusyVar) {
        let spot =
            Spot { exec: ExecSize::from_lanes(self.grf / 4).expect("a register's dwords"), chan: 0, at: 0 };
        let payload = (Reg::var_at(subject.var, 0), subject.bytes / self.grf);
        out.push(self.store_of(Type::Ud, spot, payload, false));
    }
}

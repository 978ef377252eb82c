//! Messages.

use gen_ir::{
    Arf, Desc, Descriptor, Dst, ExtendedDescriptor, GrfNum, Inst, Op, Options, Payload, Physical, Reg,
    Region, SendInfo, Sfid, Src, Type,
};
use messages::ExtendedLength;

use super::InstGenerator;

impl InstGenerator<'_> {
    pub(super) fn send(&mut self, inst: &mut Inst<Physical>) {
        let null_dst = self.random.chance(30);
        let ty = if self.xe() {
            Type::Ud
        } else {
            self.random.pick(&[Type::Ud, Type::Ud, Type::F, Type::W, Type::D])
        };
        let reg = if null_dst { Reg::NULL } else { self.whole_grf() };
        inst.dst = Dst::packed(reg, ty);
        let region = if self.xe() { Region::PACKED } else { Region::SCALAR };
        inst.src[0] = Src::new(self.whole_grf(), region, Type::Ud);
        let split = matches!(inst.op, Op::Sends | Op::Sendsc);
        let has_src1 = split || self.xe();
        if has_src1 {
            let reg = if self.random.chance(30) { Reg::NULL } else { self.whole_grf() };
            inst.src[1] = Src::new(reg, region, Type::Ud);
        }
        let sfid = self.function();
        let known = if self.xe() { 0x7fff_ffff } else { 0x1fff_ffff };
        let desc = Descriptor::from_bits(self.random.bits() as u32 & known);
        let mut send = SendInfo {
            sfid,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(ExtendedDescriptor::new()),
            eot: self.random.chance(5),
            dst_len: desc.response_length().registers(),
            src0_len: desc.message_length().registers(),
            src1_len: 0,
        };
        if self.random.chance(10) {
            send.desc = Desc::Reg(Reg::arf(Arf::Addr(0), 0));
            (send.dst_len, send.src0_len) = (0, 0);
        }
        if has_src1 {
            let null = inst.src[1].reg().is_some_and(Reg::is_null);
            let length = if null && self.caps.memory.lsc { 0 } else { self.random.number(16) };
            let length = ExtendedLength::of(length);
            send.src1_len = length.registers();
            let in_desc = if self.caps.memory.lsc { ExtendedLength::NONE } else { length };
            send.ex_desc = Desc::Imm(ExtendedDescriptor::of_length(in_desc));
            if self.random.chance(15) {
                send.ex_desc = Desc::Reg(Reg::arf(Arf::Addr(0), 4 * self.random.number(8)));
                send.src1_len = 0;
                if !self.xe() {
                    send.sfid = Sfid::Null;
                }
                if self.caps.memory.lsc {
                    send.src1_len = length.registers();
                    inst.opts = inst.opts.with(Options::EX_BSO);
                }
            } else if self.xe() && self.random.chance(30) {
                let high = (self.random.bits() as u32) & 0xffff_f000;
                if let Desc::Imm(desc) = &mut send.ex_desc {
                    *desc = ExtendedDescriptor::from_bits(desc.into_bits() | high);
                }
            }
        }
        if send.eot {
            inst.src[0] =
                Src::new(Reg::grf(GrfNum::new(112 + self.random.number(16) as u16), 0), region, Type::Ud);
        }
        inst.payload = Payload::Send(send);
    }

    pub(super) fn function(&mut self) -> Sfid {
        const HDC: [Sfid; 9] = [
            Sfid::Sampler,
            Sfid::Gateway,
            Sfid::Render,
            Sfid::Urb,
            Sfid::Spawner,
            Sfid::Vme,
            Sfid::DcRo,
            Sfid::Dc0,
            Sfid::Dc1,
        ];
        const LSC: [Sfid; 11] = [
            Sfid::Ugm,
            Sfid::Ugm,
            Sfid::Ugml,
            Sfid::Slm,
            Sfid::Tgm,
            Sfid::Gateway,
            Sfid::Dc0,
            Sfid::Dc1,
            Sfid::DcRo,
            Sfid::Urb,
            Sfid::Btd,
        ];
        if self.caps.memory.lsc { self.random.pick(&LSC) } else { self.random.pick(&HDC) }
    }
}

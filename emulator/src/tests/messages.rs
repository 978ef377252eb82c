//! One message of each family: what it reads, what it writes, what it returns.

use super::*;
use crate::memory::{Image, Sampler, Texel, Wrap};
use ::messages::{Descriptor, MessageLength, ResponseLength};

const SKL: Platform = Platform::Skl;
const PVC: Platform = Platform::Pvc;
const HEADER: u32 = 1 << 19;

/// A send: control bits of the descriptor; destination, payload and second payload as register and length.
fn send(sfid: Sfid, control: u32, dst: (u16, u8), src: (u16, u8), src1: (u16, u8)) -> I {
    let mut i = I::new(if src1.1 > 0 { Op::Sends } else { Op::Send }, ExecSize::S8);
    i.dst = if dst.1 > 0 {
        Dst::packed(Reg::grf(GrfNum::new(dst.0), 0), Type::Ud)
    } else {
        Dst::Direct { reg: Reg::NULL, horz: 1, ty: Type::Ud }
    };
    i.src[0] = Src::packed(Reg::grf(GrfNum::new(src.0), 0), Type::Ud);
    if src1.1 > 0 {
        i.src[1] = Src::packed(Reg::grf(GrfNum::new(src1.0), 0), Type::Ud);
    }
    i.payload = Payload::Send(SendInfo {
        sfid,
        desc: Desc::Imm(
            Descriptor::from_bits(control)
                .with_lengths(MessageLength::of(src.1.into()), ResponseLength::of(dst.1.into())),
        ),
        ex_desc: Desc::Imm(gen_ir::ExtendedDescriptor::new()),
        eot: false,
        dst_len: dst.1,
        src0_len: src.1,
        src1_len: src1.1,
    });
    i
}

const NONE: (u16, u8) = (0, 0);

/// A machine with a surface of these dwords at binding table index 0; its first address.
fn with_surface(platform: Platform, dwords: &[u32]) -> (Machine, u64) {
    let mut m = Machine::new(platform);
    let bytes: Vec<u8> = dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
    let size = bytes.len() as u64;
    let b = m.memory.add("surface", bytes);
    let base = m.memory.address(b);
    m.bindings.table = vec![Some(Surface { base, size, image: None })];
    (m, base)
}

fn dwords(m: &mut Machine, base: u64, n: u64) -> Vec<u32> {
    (0..n).map(|i| m.memory.load(base + 4 * i, 4).unwrap() as u32).collect()
}

/// 64-bit addresses, two dwords each.
fn addresses(base: u64, step: u64) -> Vec<u32> {
    (0..8).map(|i| base + step * i).flat_map(|a| [a as u32, (a >> 32) as u32]).collect()
}

#[test]
fn untyped_and_byte_scattered_accesses() {
    let (mut m, base) = with_surface(SKL, &(0..16).map(|i| i * 0x0101).collect::<Vec<_>>());
    m.set(1, &[60, 56, 52, 48, 44, 40, 36, 32]).set(2, &ONE_TO_8);
    let read = send(Sfid::Dc1, 1 << 14 | 2 << 12 | 0xe << 8, (3, 1), (1, 1), NONE);
    let write = send(Sfid::Dc1, 9 << 14 | 2 << 12 | 0xe << 8, NONE, (1, 1), (2, 1));
    let byte = send(Sfid::Dc0, 4 << 14, (4, 1), (1, 1), NONE);
    let word_out = send(Sfid::Dc0, 0xc << 14 | 1 << 10, NONE, (1, 1), (2, 1));
    m.run(SKL, &[read, byte, write]).unwrap();
    assert_eq!(m.get(3), [15, 14, 13, 12, 11, 10, 9, 8].map(|i| i * 0x0101));
    assert_eq!(m.get(4), [15, 14, 13, 12, 11, 10, 9, 8]);
    assert_eq!(dwords(&mut m, base + 32, 8), [8, 7, 6, 5, 4, 3, 2, 1]);
    m.set(2, &[0xaaaa_bbbb; 8]);
    m.run(SKL, &[word_out]).unwrap();
    assert_eq!(dwords(&mut m, base + 32, 8), [0xbbbb; 8]);
}

#[test]
fn oword_and_a64_blocks() {
    let (mut m, base) = with_surface(SKL, &(0..16).collect::<Vec<_>>());
    // Offset in owords in the third dword of the header; two owords.
    m.set(1, &[0, 0, 1]).set(4, &ONE_TO_8);
    let read = send(Sfid::Dc0, HEADER | 2 << 8, (3, 1), (1, 1), NONE);
    let write = send(Sfid::Dc0, HEADER | 8 << 14 | 2 << 8, NONE, (1, 1), (4, 1));
    m.run(SKL, &[read, write]).unwrap();
    assert_eq!(m.get(3), [4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(dwords(&mut m, base, 16)[4..12], ONE_TO_8);
    m.set(1, &[base as u32, (base >> 32) as u32]);
    let a64 = send(Sfid::Dc1, HEADER | 0x14 << 14 | 2 << 8, (5, 1), (1, 1), NONE);
    let a64_out = send(Sfid::Dc1, HEADER | 0x15 << 14 | 2 << 8, NONE, (1, 1), (4, 1));
    m.run(SKL, &[a64, a64_out]).unwrap();
    assert_eq!(m.get(5), [0, 1, 2, 3, 1, 2, 3, 4]);
    assert_eq!(dwords(&mut m, base, 8), ONE_TO_8);
}

#[test]
fn a64_scattered_accesses_and_scratch() {
    let (mut m, base) = with_surface(SKL, &(0..16).collect::<Vec<_>>());
    m.set(1, &addresses(base, 8)).set(4, &ONE_TO_8);
    let read = send(Sfid::Dc1, 0x10 << 14 | 1 << 8 | 0xff, (3, 1), (1, 2), NONE);
    let write = send(Sfid::Dc1, 0x1a << 14 | 1 << 8 | 0xff, NONE, (1, 2), (4, 1));
    m.run(SKL, &[read, write]).unwrap();
    assert_eq!(m.get(3), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(dwords(&mut m, base, 4), [1, 1, 2, 3]);
    let b = m.memory.add_low("scratch", vec![0; 1024]);
    (m.t.scratch, m.t.scratch_len) = (m.memory.address(b), 1024);
    m.set(6, &[0, 0, 0, 0, 0, m.t.scratch as u32]);
    // One block of 32 bytes at offset 2 * 32.
    let spill = send(Sfid::Dc0, HEADER | 1 << 18 | 1 << 17 | 2, NONE, (6, 1), (4, 1));
    let fill = send(Sfid::Dc0, HEADER | 1 << 18 | 2, (7, 1), (6, 1), NONE);
    m.run(SKL, &[spill, fill]).unwrap();
    assert_eq!(m.get(7), ONE_TO_8);
    assert_eq!(m.memory.bytes(b)[64..68], 1u32.to_le_bytes());
}

/// Compilers shift `r0.5` down to the place of the state, and leave what else it holds below.
#[test]
fn a_scratch_surface_is_named_by_the_place_of_its_state() {
    let mut m = Machine::new(PVC);
    let b = m.memory.add_low("scratch", vec![0; 1024]);
    (m.t.scratch, m.t.scratch_len) = (m.memory.address(b), 1024);
    m.set(1, &[0, 4, 8, 12, 16, 20, 24, 28]).set(2, &ONE_TO_8);
    let mut store = |ex_desc| {
        let mut store = send(Sfid::Ugm, 0x400e_0504, NONE, (1, 1), (2, 1));
        let Payload::Send(info) = &mut store.payload else { unreachable!() };
        info.ex_desc = Desc::Imm(gen_ir::ExtendedDescriptor::from_bits(ex_desc));
        m.run(PVC, &[store])
    };
    let place = crate::messages::SCRATCH_STATE >> 4;
    store(place | 1).unwrap();
    assert!(store(place + 64).is_err());
    assert_eq!(m.memory.bytes(b)[28..32], 8u32.to_le_bytes());
}

#[test]
fn atomics_on_integers_and_floats_and_in_shared_local_memory() {
    let (mut m, base) = with_surface(SKL, &[10; 8]);
    m.set(1, &[0, 0, 4, 4, 8, 12, 16, 20]).set(2, &ONE_TO_8);
    let add = |bti: u32| send(Sfid::Dc1, 2 << 14 | 1 << 13 | 1 << 12 | 7 << 8 | bti, (3, 1), (1, 1), (2, 1));
    m.run(SKL, &[add(0)]).unwrap();
    assert_eq!(m.get(3), [10, 11, 10, 13, 10, 10, 10, 10]);
    assert_eq!(dwords(&mut m, base, 6), [13, 17, 15, 16, 17, 18]);
    m.run(SKL, &[add(0xfe)]).unwrap();
    assert_eq!(m.get(3), [0, 1, 0, 3, 0, 0, 0, 0]);
    m.memory.store(base, 4, 2.5f32.to_bits().into()).unwrap();
    m.setf(2, &[1.0, 7.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    m.t.active = 3;
    let max = send(Sfid::Dc1, 0x1b << 14 | 1 << 13 | 1 << 12 | 1 << 8, (3, 1), (1, 1), (2, 1));
    m.run(SKL, &[max]).unwrap();
    assert_eq!(m.getf(3)[..2], [2.5, 2.5]);
    assert_eq!(m.memory.load(base, 4), Ok(7.5f32.to_bits().into()));
}

fn with_image(platform: Platform, texel: Texel, channels: u8, bytes: Vec<u8>) -> (Machine, u64) {
    let mut m = Machine::new(platform);
    let width = bytes.len() as u32 / 4 / u32::from(channels);
    let image = Image::new_2d(width, 4, channels, 1, texel);
    let size = bytes.len() as u64;
    let b = m.memory.add("image", bytes);
    let base = m.memory.address(b);
    m.bindings.table = vec![Some(Surface { base, size, image: Some(image) })];
    (m, base)
}

#[test]
fn typed_surfaces_convert_and_bound() {
    let (mut m, base) = with_image(SKL, Texel::Unorm, 1, (0..16).map(|i| i * 17).collect());
    m.set(1, &[0, 1, 2, 3, 0, 4, 1, 1]).set(2, &[0, 0, 0, 0, 3, 0, 1, 2]);
    let read = send(Sfid::Dc1, 5 << 14 | 1 << 12 | 0xe << 8, (3, 1), (1, 2), NONE);
    m.run(SKL, &[read]).unwrap();
    let texel = |i: u32| (i * 17) as f32 / 255.0;
    assert_eq!(m.getf(3), [texel(0), texel(1), texel(2), texel(3), texel(12), 0.0, texel(5), texel(9)]);
    m.setf(4, &[1.0; 8]);
    let write = send(Sfid::Dc1, 0xd << 14 | 1 << 12 | 0xe << 8, NONE, (1, 2), (4, 1));
    m.t.active = 1;
    m.run(SKL, &[write]).unwrap();
    assert_eq!(m.memory.load(base, 2), Ok(0x11ff));
}

#[test]
fn typed_messages_have_sixteen_channels_on_ponte_vecchio() {
    let (mut m, base) = with_image(PVC, Texel::Uint, 1, vec![0; 64]);
    (m.t.active, m.t.dispatched) = (0xffff, 0xffff);
    m.set(1, &(0..16).collect::<Vec<_>>()).set(2, &[1; 16]).set(3, &(100..116).collect::<Vec<_>>());
    let mut write = send(Sfid::Dc1, 0xd << 14 | 1 << 12 | 0xe << 8, NONE, (1, 2), (3, 1));
    (write.op, write.exec) = (Op::Send, ExecSize::S16);
    m.run(PVC, &[write]).unwrap();
    assert_eq!(
        (0..16).map(|i| m.memory.load(base + 16 + i, 1).unwrap()).collect::<Vec<_>>(),
        (100..116).collect::<Vec<_>>()
    );
}

#[test]
fn media_blocks_repeat_the_edge_and_drop_writes_outside() {
    let (mut m, base) = with_image(SKL, Texel::Unorm, 1, (0..16).collect());
    // Four bytes by two rows at (-1, 3).
    m.set(1, &[-1i32 as u32, 3, 3 | 1 << 16]);
    let read = send(Sfid::Dc1, HEADER | 4 << 14, (3, 1), (1, 1), NONE);
    m.run(SKL, &[read]).unwrap();
    assert_eq!(m.get(3)[..2], [u32::from_le_bytes([12, 12, 13, 14]); 2]);
    m.set(4, &[0xaabb_ccdd, 0x1122_3344]);
    let write = send(Sfid::Dc1, HEADER | 0xa << 14, NONE, (1, 1), (4, 1));
    m.run(SKL, &[write]).unwrap();
    assert_eq!(m.memory.load(base + 12, 4), Ok(0x0faa_bbcc));
}

#[test]
fn the_sampler_loads_filters_and_tells_sizes() {
    let (mut m, _) = with_image(SKL, Texel::Unorm, 1, [0, 255, 0, 0].repeat(4));
    let sampler = |linear| Some(Sampler { normalized: true, linear, wrap: Wrap::Edge });
    m.bindings.samplers = vec![sampler(false), sampler(true)];
    let of = |kind: u32, index: u32, params: u8| {
        send(Sfid::Sampler, kind << 12 | 1 << 17 | index << 8, (10, 4), (1, params), NONE)
    };
    m.set(1, &[1, 0, 1, 9, 0, 0, 0, 0]).set(2, &[0; 8]).set(3, &[0; 8]);
    m.run(SKL, &[of(7, 0, 3)]).unwrap();
    assert_eq!(m.getf(10)[..4], [1.0, 0.0, 1.0, 0.0]);
    // Between the second texel's middle and the third's.
    m.setf(1, &[0.45, 0.5, 0.375, -3.0, 0.0, 0.0, 0.0, 0.0]).setf(2, &[0.5; 8]).set(3, &[0; 8]);
    m.run(SKL, &[of(0x18, 0, 3)]).unwrap();
    assert_eq!(m.getf(10)[..4], [1.0, 0.0, 1.0, 0.0]);
    m.run(SKL, &[of(0x18, 1, 3)]).unwrap();
    assert_eq!(m.getf(10)[1..4], [0.5, 1.0, 0.0]);
    m.run(SKL, &[of(0xa, 0, 1)]).unwrap();
    assert_eq!((m.get(10)[0], m.get(11)[0]), (4, 4));
    // Alpha of an image without one.
    assert_eq!(m.get(13)[0], 1);
}

#[test]
fn lsc_loads_stores_blocks_and_atomics() {
    let (mut m, base) = with_surface(PVC, &(0..64).collect::<Vec<_>>());
    let a64: Vec<u32> = addresses(base, 16);
    m.set(1, &a64).set(5, &[7; 16]);
    let lsc = |op: u32, more: u32, dst, src1| {
        let mut i = send(Sfid::Ugm, op | 3 << 7 | more, dst, (1, 2), src1);
        i.op = Op::Send;
        i
    };
    let d32 = 2 << 9;
    m.run(PVC, &[lsc(0, d32, (3, 1), NONE), lsc(0, 4 << 9, (4, 1), NONE)]).unwrap();
    assert_eq!(m.get(3), [0, 4, 8, 12, 16, 20, 24, 28]);
    assert_eq!(m.get(4), m.get(3));
    m.run(PVC, &[lsc(4, d32, NONE, (5, 1))]).unwrap();
    assert_eq!(dwords(&mut m, base, 6), [7, 1, 2, 3, 7, 5]);
    m.setf(5, &[0.5; 8]);
    m.memory.store(base, 4, 1.25f32.to_bits().into()).unwrap();
    m.t.active = 1;
    m.run(PVC, &[lsc(0x13, d32, (3, 1), (5, 1))]).unwrap();
    assert_eq!((m.getf(3)[0], m.memory.load(base, 4)), (1.25, Ok(1.75f32.to_bits().into())));
    // Sixteen dwords in a row, for one channel.
    let block = |op: u32, dst, src1| {
        let mut i = send(Sfid::Ugm, op | 3 << 7 | d32 | 5 << 12 | 1 << 15, dst, (1, 1), src1);
        (i.op, i.exec, i.no_mask) = (Op::Send, ExecSize::S1, true);
        i
    };
    m.set(1, &[(base + 64) as u32, (base >> 32) as u32]);
    m.run(PVC, &[block(0, (6, 1), NONE)]).unwrap();
    assert_eq!(m.get(6), [7, 17, 18, 19, 7, 21, 22, 23]);
    m.set(7, &[9; 16]);
    m.run(PVC, &[block(4, NONE, (7, 1))]).unwrap();
    assert_eq!(dwords(&mut m, base + 64, 17), [vec![9; 16], vec![32]].concat());
}

#[test]
fn two_dimensional_blocks_are_bounded_by_their_surface() {
    let (mut m, base) = with_surface(PVC, &(0..64).collect::<Vec<_>>());
    // A surface of 8 dwords by 8 rows; 4 by 2 elements at (6, 1): two columns lie outside.
    m.set(1, &[base as u32, (base >> 32) as u32, 31, 7, 31, 6, 1, 3 | 1 << 8]);
    let block = |op: u32, dst, src1| {
        let mut i = send(Sfid::Ugm, op | 2 << 9, dst, (1, 1), src1);
        (i.op, i.exec, i.no_mask) = (Op::Send, ExecSize::S1, true);
        i
    };
    m.run(PVC, &[block(3, (3, 1), NONE)]).unwrap();
    assert_eq!(m.get(3), [14, 15, 0, 0, 22, 23, 0, 0]);
    m.set(4, &[100; 16]);
    m.run(PVC, &[block(7, NONE, (4, 1))]).unwrap();
    assert_eq!(dwords(&mut m, base, 64)[13..17], [13, 100, 100, 16]);
}

#[test]
fn fences_answer_and_time_goes_on() {
    let mut m = Machine::new(SKL);
    m.set(3, &[5; 8]);
    let fence = send(Sfid::Dc0, HEADER | 7 << 14, (3, 1), (1, 1), NONE);
    let now = |dst| {
        inst(
            Op::Mov,
            ExecSize::S1,
            dst,
            Type::Ud,
            &[Src::new(Reg::arf(Arf::Timestamp(0), 0), Region::SCALAR, Type::Ud)],
        )
    };
    m.run(SKL, &[now(4), fence, now(5)]).unwrap();
    assert_eq!(m.get(3), [0; 8]);
    assert!(m.get(5)[0] >= m.get(4)[0]);
}

#[test]
fn a_block_ends_at_the_last_dword_of_its_surface() {
    let (mut m, _) = with_surface(SKL, &[1, 2, 3, 4, 5, 6, 7]);
    m.set(1, &[0, 0, 1]);
    m.run(SKL, &[send(Sfid::Dc0, HEADER, (3, 1), (1, 1), NONE)]).unwrap();
    assert_eq!(m.get(3)[..4], [5, 6, 7, 0]);
}

#[test]
fn accesses_to_no_memory_read_zero_and_go_on() {
    let (mut m, base) = with_surface(SKL, &[9; 8]);
    m.set(1, &addresses(base + 24, 4)).set(3, &ONE_TO_8).set(4, &ONE_TO_8);
    let read = send(Sfid::Dc1, 0x10 << 14 | 1 << 8 | 0xff, (3, 1), (1, 2), NONE);
    let write = send(Sfid::Dc1, 0x1a << 14 | 1 << 8 | 0xff, NONE, (1, 2), (4, 1));
    m.run(SKL, &[read, write]).unwrap();
    assert_eq!(m.get(3), [9, 9, 0, 0, 0, 0, 0, 0]);
    assert_eq!(dwords(&mut m, base + 20, 3), [9, 1, 2]);
}

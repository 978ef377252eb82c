//! `structs.cl`

use super::prelude::*;
use crate::expected::element::bytes_of;

pub(super) const KERNELS: Kernels = &[("records", records), ("packed", packed), ("settings", settings)];

const N: usize = 120;

/// The members of `Record`: kind, weight, key, total, position.
type Record = (u8, i16, i32, i64, [f32; 3]);

/// A record's bytes: `short` at 2, `int` at 4, `long` at 8, the vector at 16, taking as much as four
/// floats. Nobody defines what the gaps hold.
fn layout(r: &Record) -> (Vec<u8>, Vec<Accept>) {
    let mut bytes = vec![r.0, 0x77];
    bytes.extend(r.1.to_le_bytes());
    bytes.extend(r.2.to_le_bytes());
    bytes.extend(r.3.to_le_bytes());
    bytes.extend(bytes_of(&r.4));
    bytes.extend([0x77; 4]);
    let gap = |at: usize| at == 1 || at >= 28;
    let accept = bytes.iter().enumerate().map(|(at, &b)| if gap(at) { Accept::Anything } else { exactly(b) });
    (bytes.clone(), accept.collect())
}

fn records(t: &mut Target) -> Vec<Case> {
    let (kind, weight, key, total) = (t.ints::<u8>(N), t.ints::<i16>(N), t.ints::<i32>(N), t.ints::<i64>(N));
    let position = t.vectors(N, -10.0, 10.0);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for i in 0..N {
        let [x, y, z, _] = position[i];
        before.extend(layout(&(kind[i], weight[i], key[i], total[i], [x, y, z])).0);
        let flipped = kind[i] ^ 0x80;
        let sum = total[i].wrapping_add(key[i].into());
        after.extend(layout(&(flipped, weight[i].wrapping_add(flipped.into()), 0, sum, [z, x, y])).1);
    }
    Case::groups(3, 40).input(&before).output_of::<u8>(after).only()
}

fn packed(t: &mut Target) -> Vec<Case> {
    let (tag, value, check) = (t.ints::<u8>(N), t.ints::<u32>(N), t.ints::<u16>(N));
    let bytes = |tag: u8, value: u32, check: u16| [&[tag][..], &value.to_le_bytes(), &check.to_le_bytes()].concat();
    let before = flat(N, |i| bytes(tag[i], value[i], check[i]));
    let after =
        flat(N, |i| bytes(tag[i].wrapping_add(1), value[i].wrapping_mul(3), check[i] ^ 0x5aa5));
    Case::groups(3, 40).input(&before).output(&after).only()
}

fn settings(t: &mut Target) -> Vec<Case> {
    let a = t.small(N, -1000, 1000);
    let (scale, bias, gain, limits) = (-7, 250, [1.75f32, -2.5, 1000.25, 0.5], [-3000i16, 4000]);
    let mut bytes = bytes_of(&[scale, bias]);
    bytes.extend(bytes_of(&gain));
    bytes.extend(bytes_of(&limits));
    let out = each(N, |i| {
        (a[i] * scale + bias).clamp(limits[0].into(), limits[1].into()) + gain[i & 3] as i32
    });
    Case::groups(3, 40).input(&a).output(&out).structure(bytes).only()
}

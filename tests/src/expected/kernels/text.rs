//! `text.cl`

use super::prelude::*;

pub(super) const KERNELS: Kernels = &[
    ("find", find),
    ("crc32", crc32),
    ("run_lengths", run_lengths),
    ("hex_digits", hex_digits),
    ("utf8_length", utf8_length),
];

const N: usize = 120;

fn find(t: &mut Target) -> Vec<Case> {
    let text: Vec<u8> = t.below(N + 10, 2).into_iter().map(|v| b'a' + v as u8).collect();
    let run = |pattern: &[u8]| {
        let hits = each(N, |i| u32::from(text[i..].starts_with(pattern)));
        Case::groups(3, 40).input(&text).input(pattern).scalar(pattern.len() as u32).output(&hits)
    };
    vec![run(b"aba"), run(b"b"), run(b"aabba")]
}

/// CRC-32 bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &b| {
        (0..8).fold(crc ^ u32::from(b), |c, _| c >> 1 ^ if c & 1 != 0 { 0xedb8_8320 } else { 0 })
    })
}

fn crc32(t: &mut Target) -> Vec<Case> {
    let length = 9;
    let mut a = t.ints::<u8>(length * N);
    a[..9].copy_from_slice(b"123456789");
    let out = each(N, |i| crc(&a[length * i..][..length]));
    assert_eq!(out[0], 0xcbf4_3926, "the check value of CRC-32");
    Case::groups(3, 40).input(&a).output(&out).scalar(length as u32).only()
}

fn run_lengths(t: &mut Target) -> Vec<Case> {
    let (length, items) = (70, 40);
    let mut a: Vec<u8> = t.below(length * items, 12).into_iter().map(|v| (v / 9) as u8).collect();
    a[..length].fill(3);
    let run = |length: usize, a: &[u8]| {
        let out = each(items, |i| {
            let runs = a[length * i..][..length].chunk_by(|x, y| x == y);
            // Runs of more than 255 count as several.
            runs.map(|r| {
                let (full, rest) = (r.len() / 255, r.len() % 255);
                (full * 3 + rest.min(3)) as u32
            })
            .sum::<u32>()
        });
        Case::groups(2, items / 2).input(a).output(&out).scalar(length as u32)
    };
    let long: Vec<u8> = a.iter().flat_map(|&v| [v; 5]).collect();
    vec![run(length, &a), run(5 * length, &long)]
}

fn hex_digits(t: &mut Target) -> Vec<Case> {
    let a = t.ints::<u32>(N);
    let out = flat(N, |i| format!("{:08x}", a[i]).into_bytes());
    Case::groups(3, 40).input(&a).output(&out).only()
}

fn utf8_length(t: &mut Target) -> Vec<Case> {
    // Lines of letters of one to four bytes; every fifth line has a byte that starts none.
    let letters = ["a", "é", "€", "𝄞", "z"];
    let (mut text, mut start, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..N {
        start.push(text.len() as u32);
        let line = t.below(i % 9, 5);
        line.iter().for_each(|&l| text.extend_from_slice(letters[l as usize].as_bytes()));
        out.push(line.len() as i32);
        if i % 5 == 4 {
            text.push(if i % 2 == 0 { 0x80 } else { 0xff });
            text.extend_from_slice(b"rest");
            out[i] = -1;
        }
    }
    start.push(text.len() as u32);
    Case::groups(3, 40).input(&text).input(&start).output(&out).only()
}

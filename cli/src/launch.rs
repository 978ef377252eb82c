//! Kernel arguments as words of the command line.

use narrow::{to_u8, to_u64, to_usize};
use std::path::{Path, PathBuf};

use emulator::{Arg, Image, Memory, Sampler, Texel, Wrap};

use crate::{element::Element, files::Input, pattern::Pattern};

/// Most bytes of one buffer or image.
const MAX_BYTES: u64 = 1 << 32;

/// An argument as given: what it is, and which file fills it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A buffer of zeros.
    Zeros(usize),
    /// A buffer with a file's bytes.
    File(PathBuf),
    /// A buffer with elements that a pattern makes; as many as there are work items, if nobody says how many.
    Elements(Element, Option<usize>, Pattern),
    /// A value's bytes.
    Value(Vec<u8>),
    /// Shared local memory.
    Local(u32),
    /// An image, of zeros or with a file's bytes.
    Image(Image, Option<PathBuf>),
    /// A sampler.
    Sampler(Sampler),
    /// A null pointer.
    Null,
}

/// Reads `KIND:REST`.
pub fn parse(text: &str) -> Result<Given, String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    match kind {
        "null" => Ok(Given::Null),
        "buf" => match rest.parse::<usize>() {
            Ok(n) if to_u64(n) <= MAX_BYTES => Ok(Given::Zeros(n)),
            Ok(n) => Err(format!("a buffer of {n} bytes; at most {MAX_BYTES}")),
            Err(_) if rest.is_empty() => Err("buf: needs a file or a number of bytes".into()),
            Err(_) => Ok(Given::File(rest.into())),
        },
        "slm" => rest.parse().map(Given::Local).map_err(|_| format!("`{rest}` is not a number of bytes")),
        "image" => image(rest),
        "sampler" => sampler(rest),
        _ => typed(kind, rest),
    }
}

/// `TYPE:VALUE[,VALUE...]`, a value; `TYPE[COUNT]:PATTERN`, a buffer.
fn typed(kind: &str, rest: &str) -> Result<Given, String> {
    let (name, count) = match kind.split_once('[') {
        Some((name, count)) => (name, Some(count.strip_suffix(']').unwrap_or("?"))),
        None => (kind, None),
    };
    let element = Element::parse(name).ok_or_else(|| {
        format!("`{kind}` is no kind of argument; allowed: buf, u8 to u64, i8 to i64, f16, f32, f64, slm, image, sampler, null")
    })?;
    let pattern = Pattern::parse(element, rest)?;
    let count = match (count, &pattern) {
        (None, Pattern::Values(bytes)) => return Ok(Given::Value(bytes.clone())),
        (None | Some(""), _) => pattern.own_count(element),
        (Some(count), _) => {
            let bad = || format!("`{count}` is no number of elements; at most {} bytes", MAX_BYTES);
            let fits =
                |n: &usize| to_u64(*n).checked_mul(to_u64(element.bytes())).is_some_and(|b| b <= MAX_BYTES);
            Some(count.parse::<usize>().ok().filter(fits).ok_or_else(bad)?)
        }
    };
    Ok(Given::Elements(element, count, pattern))
}

/// `WxH[xD]:FORMAT[:FILE]`.
fn image(text: &str) -> Result<Given, String> {
    let mut parts = text.splitn(3, ':');
    let (size, format) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let sizes: Result<Vec<u32>, _> = size.split('x').map(str::parse).collect();
    let sizes =
        sizes.ok().filter(|s| (1..=3).contains(&s.len()) && s.iter().all(|n| (1..=1 << 14).contains(n)));
    let sizes = sizes.ok_or_else(|| format!("`{size}` is no size of an image; write 64x64"))?;
    let (order, rest) = format.split_at(format.find(|c: char| c.is_ascii_digit()).unwrap_or(format.len()));
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (channels, bgra) = match order {
        "r" => (1, false),
        "rg" => (2, false),
        "rgba" => (4, false),
        "bgra" => (4, true),
        _ => return Err(format!("`{format}` is no image format; write rgba8, r32f, rg16i, rgba8ui, bgra8")),
    };
    let texel = match &rest[digits.len()..] {
        "" => Texel::Unorm,
        "s" => Texel::Snorm,
        "f" => Texel::Float,
        "i" => Texel::Sint,
        "ui" => Texel::Uint,
        other => {
            return Err(format!("`{other}` is no kind of texel; allowed: f, i, ui, s, nothing for 0 to 1"));
        }
    };
    let bytes = match (digits, texel) {
        ("8", t) if t != Texel::Float => 1,
        ("16", _) => 2,
        ("32", Texel::Float | Texel::Sint | Texel::Uint) => 4,
        _ => return Err(format!("`{format}`: a channel has 8, 16 or (f, i, ui) 32 bits")),
    };
    let mut image = Image::new_2d(sizes[0], sizes.get(1).copied().unwrap_or(1), channels, bytes, texel);
    image.bgra = bgra;
    image.dims = to_u8(sizes.len());
    image.depth = sizes.get(2).copied().unwrap_or(1);
    if image.bytes() > MAX_BYTES {
        return Err(format!("an image of {} bytes; at most {MAX_BYTES}", image.bytes()));
    }
    Ok(Given::Image(image, parts.next().map(PathBuf::from)))
}

fn sampler(text: &str) -> Result<Given, String> {
    let mut out = Sampler { normalized: false, linear: false, wrap: Wrap::Edge };
    for word in text.split(',').filter(|w| !w.is_empty()) {
        match word {
            "nearest" => out.linear = false,
            "linear" => out.linear = true,
            "normalized" => out.normalized = true,
            "edge" => out.wrap = Wrap::Edge,
            "border" => out.wrap = Wrap::Border,
            "repeat" => out.wrap = Wrap::Repeat,
            "mirror" => out.wrap = Wrap::Mirror,
            _ => return Err(format!("`{word}` is no property of a sampler")),
        }
    }
    Ok(Given::Sampler(out))
}

/// `ARG=FILE`.
pub fn parse_out(text: &str) -> Result<(usize, PathBuf), String> {
    let (index, file) = text.split_once('=').ok_or("write ARGUMENT=FILE, as in 1=out.bin")?;
    let index = index.parse().map_err(|_| format!("`{index}` is not the number of an argument"))?;
    Ok((index, file.into()))
}

/// `ARG[:TYPE]`.
pub fn parse_print(text: &str) -> Result<(usize, Option<Element>), String> {
    let (index, ty) = text.split_once(':').map_or((text, None), |(i, t)| (i, Some(t)));
    let index = index.parse().map_err(|_| format!("`{index}` is not the number of an argument"))?;
    let element = ty.map(|t| Element::parse(t).ok_or_else(|| format!("`{t}` is no type; write f32 or u8")));
    Ok((index, element.transpose()?))
}

/// The arguments of a launch of so many work items, their buffers in memory under the names `arg0`, `arg1`, ...
pub fn place(given: &[Given], work_items: usize, memory: &mut Memory) -> Result<Vec<Arg>, String> {
    let read = |path: &Path| -> Result<Vec<u8>, String> {
        Input::open(path).map(|b| b.to_vec()).map_err(|e| format!("{}: {e}", path.display()))
    };
    let mut out = Vec::new();
    for (i, g) in given.iter().enumerate() {
        let name = format!("arg{i}");
        out.push(match g {
            Given::Zeros(n) => Arg::Buffer(memory.add(name, vec![0; *n])),
            Given::File(path) => Arg::Buffer(memory.add(name, read(path)?)),
            Given::Elements(element, count, pattern) => {
                let count = count.unwrap_or(work_items);
                if to_u64(count) * to_u64(element.bytes()) > MAX_BYTES {
                    return Err(format!("argument {i}: {count} elements are more than {MAX_BYTES} bytes"));
                }
                Arg::Buffer(memory.add(name, pattern.fill(*element, count)))
            }
            Given::Value(bytes) => Arg::Scalar(bytes.clone()),
            Given::Local(n) => Arg::Local(*n),
            Given::Image(image, file) => {
                let bytes = to_usize(image.bytes());
                let data = match file {
                    Some(path) => read(path)?,
                    None => vec![0; bytes],
                };
                if data.len() < bytes {
                    return Err(format!(
                        "argument {i}: the file has {} bytes, the image {bytes}",
                        data.len()
                    ));
                }
                Arg::Image(memory.add(name, data), image.clone())
            }
            Given::Sampler(s) => Arg::Sampler(*s),
            Given::Null => Arg::Null,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        assert_eq!(parse("buf:64"), Ok(Given::Zeros(64)));
        assert_eq!(parse("buf:a/b.bin"), Ok(Given::File("a/b.bin".into())));
        assert_eq!(parse("u32:5"), Ok(Given::Value(vec![5, 0, 0, 0])));
        assert_eq!(parse("i16:-2,0x10"), Ok(Given::Value(vec![0xfe, 0xff, 16, 0])));
        assert_eq!(parse("f32:1.5"), Ok(Given::Value(1.5f32.to_le_bytes().to_vec())));
        assert_eq!(parse("f16:1"), Ok(Given::Value(vec![0, 0x3c])));
        assert_eq!(parse("slm:256"), Ok(Given::Local(256)));
        let elements = |text: &str| match parse(text) {
            Ok(Given::Elements(element, count, _)) => (element, count),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(elements("f32:iota"), (Element::Float(4), None));
        assert_eq!(elements("f32[12]:iota"), (Element::Float(4), Some(12)));
        assert_eq!(elements("u8[]:1,2,3"), (Element::Unsigned(1), Some(3)));
        assert_eq!(elements("i32:-4..4"), (Element::Signed(4), Some(8)));
        for bad in [
            "f32[x]:iota",
            "f32[12:iota",
            "f32[99999999999]:0",
            "i32:4..x",
            "u8[]:300",
            "u8[4]:",
            "f32:iota:x",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let Ok(Given::Image(image, None)) = parse("image:16x8:bgra8") else { panic!() };
        assert_eq!((image.width, image.height, image.channels, image.bgra), (16, 8, 4, true));
        let Ok(Given::Image(image, Some(file))) = parse("image:4x4x4:r32f:a:b") else { panic!() };
        assert_eq!((image.dims, image.depth, file), (3, 4, "a:b".into()));
        for bad in
            ["", "buf", "buf:", "u32:", "u8:256", "i8:-129", "f8:1", "u12:1", "float:1", "image:0x4:rgba8"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for bad in ["image:4x4:rgba", "image:4x4:rgba8f", "image:4x4:xyz8", "sampler:soft", "slm:x"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn elements_are_shown() {
        assert_eq!(Element::parse("i8").unwrap().show(&[0xff]), "-1");
        assert_eq!(Element::parse("u16").unwrap().show(&[0xff, 0xff]), "65535");
        assert_eq!(Element::parse("f16").unwrap().show(&[0, 0x3c]), "1");
        assert_eq!(Element::parse("f64").unwrap().show(&0.25f64.to_le_bytes()), "0.25");
        assert!(Element::parse("f8").is_none());
        assert_eq!(parse_print("2:f32"), Ok((2, Some(Element::Float(4)))));
        assert_eq!(parse_out("1=x"), Ok((1, "x".into())));
        assert!(parse_out("x").is_err() && parse_print("a").is_err() && parse_print("0:b").is_err());
    }
}

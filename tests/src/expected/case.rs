//! One run of a kernel: what goes in, and what has to come out.

use emulator::{Arg, Image, Launch, Memory, Sampler};
use zebin::KernelInfo;

use super::{
    accept::{Accept, show},
    element::{Element, bytes_of},
};

/// What a buffer holds before it is written.
const UNWRITTEN: u8 = 0xa5;

/// What a buffer holds afterwards.
enum Want {
    /// What it held before.
    Same,
    /// For each element of that many bytes, what it may be.
    Elements(usize, Vec<Accept>),
    /// Checks of the case look at it.
    Checked,
}

enum Argument {
    Buffer(Vec<u8>, Option<Image>, Want),
    Other(Arg),
}

/// A check over all buffers, in the order of the arguments.
type Check = Box<dyn Fn(&[&[u8]]) -> Result<(), String>>;

/// One run of a kernel.
pub struct Case {
    /// Work items in each dimension.
    pub global: [u32; 3],
    /// Work items of a group.
    pub local: [u32; 3],
    /// Added to global ids.
    pub offset: [u32; 3],
    arguments: Vec<Argument>,
    checks: Vec<Check>,
}

impl Case {
    /// So many work items in one dimension, in groups of 64 (or all of them, where they are fewer).
    pub fn items(n: usize) -> Case {
        Case::grid([n, 1, 1], [n.min(64), 1, 1])
    }

    /// So many groups of `local` items.
    pub fn groups(groups: usize, local: usize) -> Case {
        Case::grid([groups * local, 1, 1], [local, 1, 1])
    }

    /// Work items and group sizes in all dimensions.
    pub fn grid(global: [usize; 3], local: [usize; 3]) -> Case {
        let narrow = |v: [usize; 3]| v.map(|x| x as u32);
        Case {
            global: narrow(global),
            local: narrow(local),
            offset: [0; 3],
            arguments: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// A buffer that the kernel only reads.
    pub fn input<T: Element>(self, values: &[T]) -> Case {
        self.buffer(bytes_of(values), Want::Same)
    }

    /// A buffer that the kernel fills with these values.
    pub fn output<T: Element>(self, after: &[T]) -> Case {
        let before = vec![UNWRITTEN; after.len() * T::size()];
        self.buffer(before, Want::Elements(T::WIDTH, expectations(after)))
    }

    /// A buffer that the kernel changes from the first values to the second. Where it writes nothing the
    /// two are equal.
    pub fn change<T: Element>(self, before: &[T], after: &[T]) -> Case {
        self.buffer(bytes_of(before), Want::Elements(T::WIDTH, expectations(after)))
    }

    /// A buffer that the kernel fills with allowed values; there is one for each scalar of `T`'s.
    pub fn output_of<T: Element>(self, after: Vec<Accept>) -> Case {
        let before = vec![UNWRITTEN; after.len() * T::WIDTH];
        self.buffer(before, Want::Elements(T::WIDTH, after))
    }

    /// A buffer with these values before, and allowed values for its elements of `T`'s scalars after.
    pub fn change_within<T: Element>(self, before: &[T], after: Vec<Accept>) -> Case {
        self.buffer(bytes_of(before), Want::Elements(T::WIDTH, after))
    }

    /// A buffer that only a check can judge.
    pub fn checked<T: Element>(self, before: &[T]) -> Case {
        self.buffer(bytes_of(before), Want::Checked)
    }

    /// A check over the bytes of all buffers and images, in the order of the arguments.
    pub fn check(mut self, check: impl Fn(&[&[u8]]) -> Result<(), String> + 'static) -> Case {
        self.checks.push(Box::new(check));
        self
    }

    /// An image that the kernel only reads.
    pub fn image(mut self, image: &Image, bytes: Vec<u8>) -> Case {
        self.arguments.push(Argument::Buffer(bytes, Some(image.clone()), Want::Same));
        self
    }

    /// An image with the channels it has to hold afterwards. Before, it holds `before`, or a pattern.
    pub fn image_after(mut self, image: &Image, before: Option<Vec<u8>>, after: Vec<Accept>) -> Case {
        let before = before.unwrap_or_else(|| vec![UNWRITTEN; image.bytes() as usize]);
        let want = Want::Elements(image.channel_bytes.into(), after);
        self.arguments.push(Argument::Buffer(before, Some(image.clone()), want));
        self
    }

    /// A value.
    pub fn scalar<T: Element>(self, value: T) -> Case {
        self.other(Arg::Scalar(bytes_of(&[value])))
    }

    /// A structure by value, as its bytes.
    pub fn structure(self, bytes: Vec<u8>) -> Case {
        self.other(Arg::Scalar(bytes))
    }

    /// So many bytes of local memory.
    pub fn local(self, bytes: usize) -> Case {
        self.other(Arg::Local(bytes as u32))
    }

    /// A sampler.
    pub fn sampler(self, sampler: Sampler) -> Case {
        self.other(Arg::Sampler(sampler))
    }

    /// Ids start here.
    pub fn starting_at(mut self, offset: [u32; 3]) -> Case {
        self.offset = offset;
        self
    }

    /// This case and no other.
    pub fn only(self) -> Vec<Case> {
        vec![self]
    }

    fn buffer(mut self, bytes: Vec<u8>, want: Want) -> Case {
        self.arguments.push(Argument::Buffer(bytes, None, want));
        self
    }

    fn other(mut self, arg: Arg) -> Case {
        self.arguments.push(Argument::Other(arg));
        self
    }

    /// The launch of a kernel, and the memory it starts with.
    pub fn launch(&self, kernel: KernelInfo) -> (Launch, Memory) {
        let mut memory = Memory::new();
        let args = self
            .arguments
            .iter()
            .enumerate()
            .map(|(i, a)| match a {
                Argument::Other(arg) => arg.clone(),
                Argument::Buffer(bytes, image, _) => {
                    let buffer = memory.add(format!("argument {i}"), bytes.clone());
                    match image {
                        Some(image) => Arg::Image(buffer, image.clone()),
                        None => Arg::Buffer(buffer),
                    }
                }
            })
            .collect();
        (
            Launch {
                kernel,
                global: self.global,
                local: self.local,
                offset: self.offset,
                dimensions: None,
                args,
            },
            memory,
        )
    }

    /// What is wrong with the memory that a run leaves, if anything is.
    pub fn judge(&self, memory: &Memory) -> Result<(), String> {
        let after: Vec<&[u8]> = memory.buffers().map(|(_, _, bytes)| bytes).collect();
        let buffers = self.arguments.iter().enumerate().filter_map(|(i, a)| match a {
            Argument::Buffer(before, _, want) => Some((i, before, want)),
            Argument::Other(_) => None,
        });
        for ((i, before, want), after) in buffers.zip(&after) {
            match want {
                Want::Same => {
                    if let Some(at) = (0..before.len()).find(|&at| before[at] != after[at]) {
                        return Err(format!("argument {i} is written to at byte {at}"));
                    }
                }
                Want::Elements(width, elements) => compare(i, *width, elements, after)?,
                Want::Checked => {}
            }
        }
        self.checks.iter().try_for_each(|check| check(&after))
    }
}

fn compare(argument: usize, width: usize, elements: &[Accept], after: &[u8]) -> Result<(), String> {
    if elements.len() * width != after.len() {
        return Err(format!(
            "argument {argument}: {} bytes, expectations for {} of {width}",
            after.len(),
            elements.len()
        ));
    }
    let bits = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |b, &x| b << 8 | u64::from(x));
    let wrong: Vec<_> = after
        .chunks_exact(width)
        .zip(elements)
        .enumerate()
        .filter(|(_, (chunk, want))| !want.allows(bits(chunk), width))
        .collect();
    match wrong.first() {
        None => Ok(()),
        Some((at, (chunk, want))) => Err(format!(
            "argument {argument} element {at}: {} instead of {} ({} of {} elements wrong)",
            show(bits(chunk), width),
            want.describe(width),
            wrong.len(),
            elements.len()
        )),
    }
}

fn expectations<T: Element>(values: &[T]) -> Vec<Accept> {
    let mut out = Vec::with_capacity(values.len() * (T::size() / T::WIDTH));
    values.iter().for_each(|v| v.expect(&mut out));
    out
}

/// One value for each of `n` items.
pub fn each<T>(n: usize, f: impl FnMut(usize) -> T) -> Vec<T> {
    (0..n).map(f).collect()
}

/// A list of values for each of `n` items, one list after the other.
pub fn flat<I: IntoIterator>(n: usize, f: impl FnMut(usize) -> I) -> Vec<I::Item> {
    (0..n).flat_map(f).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_element_is_named() {
        let case = Case::items(2).input(&[1u32]).output(&[1.0f32, f32::NAN]).scalar(1u32);
        let (launch, mut memory) = case.launch(KernelInfo::default());
        assert_eq!(launch.args.len(), 3);
        let (input, output) = {
            let mut ids = memory.buffers().map(|(id, _, _)| id);
            (ids.next().unwrap(), ids.next().unwrap())
        };
        assert!(case.judge(&memory).unwrap_err().contains("argument 1 element 0"));
        memory.bytes_mut(output)[..4].copy_from_slice(&1f32.to_le_bytes());
        assert!(case.judge(&memory).unwrap_err().contains("element 1"));
        memory.bytes_mut(output)[4..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(case.judge(&memory), Ok(()));
        memory.bytes_mut(input)[2] = 1;
        assert!(case.judge(&memory).unwrap_err().contains("argument 0 is written to"));
    }
}

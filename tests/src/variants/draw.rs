//! Variants by chance.

use platforms::Platform;
use visa::{Module, VerifyOptions};

use super::{alter::Drawer, change::Variant};
use crate::splitmix::SplitMix;

/// Tries for each change until one keeps the kernel valid.
const TRIES: usize = 12;

/// The variant of a kernel that a seed makes; none if nothing was found that keeps it valid.
pub fn draw(platform: Platform, module: &Module, index: usize, seed: u64) -> Option<Variant<'_>> {
    let mut random = SplitMix::new(seed);
    let options = VerifyOptions::for_platform(platform);
    let mut variant = Variant { module, index, changes: Vec::new() };
    let kernel = &module.kernels[index];
    let wanted = if random.below(8) == 0 { 6 + random.below(14) } else { 1 + random.below(5) };
    for _ in 0..wanted * TRIES {
        let at = random.below(kernel.code.len());
        let drawn = Drawer { kernel, platform, random: &mut random, at }.change();
        let Some(change) = drawn.filter(|c| !c.edits.iter().any(|e| variant.touches(e.0))) else { continue };
        variant.changes.push(change);
        if !variant.is_valid(options) {
            variant.changes.pop();
        } else if variant.changes.len() == wanted {
            break;
        }
    }
    (!variant.changes.is_empty()).then_some(variant)
}

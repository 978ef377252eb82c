//! Names of labels, each another one.
//!
//! Names differ in the object, perhaps only in characters that assembly does not have, or a block is named as a
//! subroutine is with its number. A block whose name is taken gets its own number behind it.
//!
//! Names are compared by what a hash makes of them, which goes on where characters follow: an object may give one
//! long name to very many labels.

use std::collections::{HashMap, HashSet};

use narrow::to_index;

use crate::{ids::LabelId, model::Kernel, types::LabelKind};

/// How often each label has its number behind its name.
#[derive(Debug, Default)]
pub(super) struct LabelNames(Vec<u8>);

/// FNV-1a.
fn hash(from: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(from, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// A name's hash, and its end.
type Seen = (u64, String);

impl LabelNames {
    /// Looks at the labels of the kernel that is printed; their names without numbers are `plain_label`'s.
    pub fn of(kernel: &Kernel, plain_label: impl Fn(LabelId) -> String) -> LabelNames {
        let mut names: HashMap<_, Seen> = HashMap::new();
        let mut name = |i: usize| {
            let label = &kernel.labels[i];
            let key = (label.name, label.kind == LabelKind::FastComposite);
            let seen = names.entry(key).or_insert_with(|| {
                let plain = plain_label(LabelId(to_index(i)));
                (hash(EMPTY, plain.as_bytes()), plain[plain.len().saturating_sub(12)..].to_owned())
            });
            (seen.0, seen.1.ends_with(&format!("_{i}")))
        };
        let is_subroutine =
            |i: &usize| matches!(kernel.labels[*i].kind, LabelKind::Subroutine | LabelKind::FastComposite);
        let mut used = HashSet::new();
        for i in (0..kernel.labels.len()).filter(is_subroutine) {
            let (plain, numbered) = name(i);
            used.insert(if numbered { plain } else { hash(plain, format!("_{i}").as_bytes()) });
        }
        let mut times = vec![0; kernel.labels.len()];
        for i in (0..kernel.labels.len()).filter(|i| !is_subroutine(i)) {
            let mut now = name(i).0;
            while !used.insert(now) && times[i] < u8::MAX {
                now = hash(now, number(i).as_bytes());
                times[i] += 1;
            }
        }
        LabelNames(times)
    }

    /// What stands behind a label's name.
    pub fn behind(&self, id: LabelId) -> String {
        let times = self.0.get(id.index()).copied().unwrap_or(0);
        number(id.index()).repeat(times.into())
    }
}

fn number(i: usize) -> String {
    format!("_L{i}")
}

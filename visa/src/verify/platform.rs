//! Which platform has which instruction: what the rows of the table say.

use platforms::Platform;

use super::{Checker, Rule};
use crate::inst::Record;

impl Checker<'_> {
    pub(super) fn availability(&mut self, index: usize, record: &Record) {
        let Some(platform) = self.options.platform else { return };
        if let Some(row) = record.row()
            && !row.is_on(platform.caps())
        {
            let caps = Platform::ALL.iter().map(|p| p.caps());
            let have: Vec<_> = caps.filter(|caps| row.is_on(caps)).map(|caps| caps.name).collect();
            let name = row.name;
            let have = if have.is_empty() { "none of these platforms".to_owned() } else { have.join(", ") };
            let message = format!("`{name}` is no instruction of {platform}; it exists on: {have}");
            self.report(Rule::Availability, Some(index), "opcode", message);
        }
    }
}

//! The profiles of a side after reading, with the warnings about each.

use crate::read::warning::Warnings;

/// A profile that was read: its name in messages, and the warnings about it.
pub(crate) struct ReadFile {
    pub(crate) name: String,
    pub(crate) warnings: Warnings,
}

impl ReadFile {
    /// The line at which it is known to be damaged, and how; none if nothing tells that it is.
    pub(super) fn damage(&self) -> Option<String> {
        let (line, warning) = self.warnings.damage.as_ref()?;
        let what = warning.damage().unwrap_or_else(|| warning.to_string());
        Some(format!("{}:{line}: {what}", self.name))
    }
}

/// The profiles of a side.
pub(super) type ReadFiles = Vec<ReadFile>;

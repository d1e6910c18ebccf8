//! The profiles of a side after reading, with the warnings about each.

use crate::read::warning::Warnings;

/// A profile that was read: its name in messages, and the warnings about it.
pub(crate) struct ReadFile {
    pub(crate) name: String,
    pub(crate) warnings: Warnings,
}

/// The profiles of a side.
pub(super) type ReadFiles = Vec<ReadFile>;

//! Annotates profiles in the format of callgrind: functions, call trees and source lines with their costs.
//!
//! Data flows one way: [`read`] fills a [`profile`], the [`view`]s make tables of it, and [`render`] writes
//! them. [`source`] and [`demangle`] serve the views, [`cli`] reads the command line, and [`run()`] is
//! the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod cli;
pub mod demangle;
pub mod options;
pub mod profile;
pub mod read;
pub mod render;
mod run;
pub mod source;
pub mod view;

pub use options::Options;
pub use run::run;

/// A program total grew by more than `--fail-above` allows.
#[derive(Debug)]
pub struct LimitFailed(pub(crate) String);

impl std::fmt::Display for LimitFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LimitFailed {}

/// The user asked for something that there is not.
#[derive(Debug)]
pub struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

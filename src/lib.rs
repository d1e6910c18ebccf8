//! Annotates profiles in the format of callgrind: functions, call trees and source lines with their costs.
//!
//! Data flows one way: [`read`] fills a [`profile`], the [`view`]s make tables of it, and [`render`] writes
//! them. [`source`] and [`demangle`] serve the views, [`cli`] reads the command line, and [`run()`] is
//! the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

#[cfg(feature = "cli")]
pub mod cli;
pub mod demangle;
pub mod graph;
#[cfg(feature = "cli")]
pub mod options;
pub mod profile;
pub mod program;
pub mod read;
pub mod render;
#[cfg(feature = "cli")]
mod run;
pub mod source;
pub mod view;

#[cfg(feature = "cli")]
pub use options::Options;
#[cfg(feature = "cli")]
pub use run::{LimitFailed, UsageError, run};

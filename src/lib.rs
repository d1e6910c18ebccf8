//! Annotates Callgrind and Cachegrind profiles: functions, call trees and source lines with their costs.
//!
//! The program is `cgannotate`; this is what it offers to other programs:
//!
//! ```
//! use cgannotate::{CallGraph, Diff, Filter, Pattern, Profile, RowBy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let profile = Profile::read("testdata/words/words.out")?;
//! let ir = profile.event("Ir").ok_or("no Ir")?;
//! let graph = CallGraph::new(&profile)?;
//! for function in graph.functions_by_inclusive(ir).take(10) {
//!     println!("{:?} {:?} {}", function.inclusive(ir), function.own(ir), function.name());
//!     for call in function.callees() {
//!         println!("    {} x {}", call.count(), call.callee().name());
//!     }
//!     for line in function.lines() {
//!         println!("    {}:{} {:?}", line.file(), line.number(), line.own(ir)?);
//!     }
//! }
//! let find = graph.functions().find(|function| function.name() == "find").ok_or("no find")?;
//! assert_eq!(find.callers().map(|call| call.count()).sum::<i64>(), 2_377);
//!
//! let diff = Diff::read("testdata/words/words-longer.out", "testdata/words/words.out")?;
//! let ir = diff.event("Ir").ok_or("no Ir")?;
//! let program = Filter::new().include_object(Pattern::parse("words")?);
//! for row in diff.rows_with(RowBy::FileFunction, &program)? {
//!     assert!(row.delta(ir)?.or_zero() < 20_000, "{} grew", row.name());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - [`Profile`] is what was read, as [`ReadOptions`] say: its [`Events`], total and parts, its [rows](Profile::rows) by
//!   function, file, object, namespace or name, and [`Warning`]s about its files.
//! - [`CallGraph`] has its [`Function`]s, with the [`Line`]s of each, the calls between them as [`Arc`]s with their
//!   [`CallSite`]s, and the [`Cycle`]s that calls form.
//! - [`Diff`] compares two profiles row by row.
//! - [`Filter`] selects functions or rows by [`Pattern`]s, as the program's options do.
//! - [`Error`] is any error of these; `?` makes it of each.
//!
//! A cost is a [`Count`] for each event: a whole number of what the event counts, such as instructions or bytes, or undefined,
//! which is not 0, where the profile has no number.
//!
//! With `default-features = false` the library is built without the program and its packages.
//!
//! # The rooms
//!
//! ```text
//! data     bytes ──> read ──> profile ──> graph ──> view ──> render ──> bytes
//!                    lines     records    arcs      tables   text, json, dot, …
//! imports  read ──> profile <── graph <── view <── render      source, demangle, program: leaves, import nothing of ours
//!          cli ──> options; run: every room but cli; main, library: the public face of them
//! ```
//!
//! The way of one cost line: `read` cuts the bytes into lines, on a thread of its own, and makes of `42 7` a position and
//! counts; the reader knows the function and file it belongs to and adds it to a place of the `profile`. `graph` adds
//! places up by function, and calls by the functions that they connect. A `view` asks the graph for what it shows, orders it and
//! ends it where the options say. `render` writes the table. `run` is the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod demangle;
#[doc(hidden)]
pub mod graph;
mod library;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod profile;
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod render;
#[cfg(feature = "cli")]
mod run;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod view;

pub use demangle::demangle;
pub use library::{Arc, CallGraph, CallSite, Cycle, Function, Line};
pub use library::{Diff, DiffRow, Profile, Row, RowBy};
pub use library::{Error, ReadError, Warning};
pub use library::{EventId, Events, Formula, FormulaError, ReadOptions};
pub use library::{Filter, Pattern, PatternError};
pub use profile::{Count, Overflow, Part};

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use options::Options;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use run::{LimitFailed, Pager, UsageError, run};

//! The rooms of the program `cgannotate`, which annotates Callgrind and Cachegrind profiles. The crate is the program: what is
//! public here serves its binary, tests and fuzz targets.
//!
//! ```text
//! data     bytes ──> read ──> profile ──> graph ──> view ──> render ──> bytes
//!                    lines     records    arcs      tables   text, json, dot, …
//! imports  read ──> profile <── graph <── view <── render      source, demangle, program: leaves, import nothing of ours
//!          cli ──> options; run: every room but cli
//! ```
//!
//! The way of one cost line: `read` cuts the bytes into lines, on a thread of its own, and makes of `42 7` a position and
//! counts; the reader knows the function and file it belongs to and adds it to a place of the `profile`. `graph` adds
//! places up by function, and calls by the functions that they connect. A `view` asks the graph for what it shows, orders it and
//! ends it where the options say. `render` writes the table. `run` is the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod demangle;
#[doc(hidden)]
pub mod graph;
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
mod run;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod view;

#[doc(hidden)]
pub use options::Options;
#[doc(hidden)]
pub use run::{LimitFailed, Pager, UsageError, run};

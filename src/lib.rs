//! The rooms of the program `cgannotate`, which annotates Callgrind and Cachegrind profiles. The crate is the program: what is
//! public here serves its binary, and [`internal`] its tests and fuzz targets.
//!
//! ```text
//! data     bytes ──> read ──> profile ──> transform ──> graph ──> view ──> render ──> bytes
//!                    lines     records    records      arcs      tables   text, json, dot, …
//! imports  read ──> profile <── graph <── transform <── view <── render   leaves: in_order, source, demangle, program
//!          cli ──> options; run: every room but cli
//! ```
//!
//! The way of one cost line: `read` cuts the bytes into lines, on a thread of its own, and makes of `42 7` a position and
//! counts; the reader knows the function and file it belongs to and adds it to a place of the `profile`. A `transform` makes
//! another profile of it: costs are charged to callers, the two builds of a difference paired. `graph` adds places up by
//! function, and calls by the functions that they connect. A `view` asks the graph for what it shows, orders it and ends it
//! where the options say. `render` writes the table. `run` is the one place where all of them meet.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod cli;
mod demangle;
mod graph;
mod in_order;
#[doc(hidden)]
pub mod internal;
mod options;
mod profile;
mod program;
mod read;
mod render;
mod run;
mod source;
mod transform;
mod view;

pub use cli::{EarlyExit, message_width, parse};
pub use options::Options;
pub use run::{LimitFailed, Messages, Pager, UsageError, message_lines, run};

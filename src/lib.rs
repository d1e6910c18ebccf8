//! The modules of the program `cgannotate`, which annotates Callgrind and Cachegrind profiles. The crate is the program: what
//! is public here serves its binary, and [`internal`] its tests and fuzz targets.
//!
//! ```text
//! data     bytes ──> read ──> profile ──> transform ──> graph ──> view ──> render ──> bytes
//!                    blocks   records    records      arcs      tables   text, json, dot, …
//! imports  read ──> profile <── graph <── transform <── view <── render   leaves: in_order, source, demangle, program
//!          cli ──> options; run: every module but cli
//! ```
//!
//! Several threads of `read` lex the lines of functions; the reader adds their costs to the places of the `profile`. A
//! `transform` makes another profile of it: costs are charged to callers, the two sides of a difference paired. `graph` adds
//! up calls by the functions that they connect. A `view` selects and orders what the options request, and `render` writes it.

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

pub use cli::{EarlyExit, Request, message_width, parse};
pub use options::{Options, RecordOptions};
pub use run::{
    LimitFailed, Messages, NotRecorded, OWN_FAILURE, Pager, Recorded, UsageError, message_lines,
    record, run,
};

//! The integration tests, one binary:
//!
//! - `generated`: generated profiles, whole and damaged, against what they were made from (`model`, `expected`, `damage`)
//!   and against what holds for every profile (`laws`);
//! - `gprof`: conservation in gprof's views; `call_graph` reads what they print;
//! - `gprof_oracle`: the call graph against that of the installed gprof;
//! - `hostile`: what cannot be a stored file, such as one that has no end or changes while it is read;
//! - `json`: the report as JSON, read back;
//! - `output`: files written whole or not at all, the manual page and completions;
//! - `parity`: the same page as the installed callgrind_annotate, wherever that one is right;
//! - `questions`: filters, groups and limits against each other;
//! - `readme`: the examples in README.md;
//! - `sections`: pages with much source, which several threads make;
//! - `sources`: where sources are found;
//! - `stacks`: stacks for flame graphs and the list as csv, added up;
//! - `sums`: conservation of costs in all views of all profiles;
//! - `terminal`: colours, widths, escapes and the progress bar in a real terminal;
//! - `usage`: exit statuses, standard input, closed pipes, the default file;
//! - `written`: profiles written back in callgrind's format.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod call_graph;
mod damage;
mod expected;
mod generated;
mod gprof;
mod gprof_oracle;
mod hostile;
mod json;
mod laws;
mod model;
mod output;
mod parity;
mod questions;
mod readme;
mod sections;
mod sources;
mod stacks;
mod sums;
mod terminal;
mod usage;
mod written;

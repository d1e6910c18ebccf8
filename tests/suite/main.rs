//! The integration tests, one binary:
//!
//! - `golden`: cases in testdata/golden, each a folder with arguments, input and what is to come out;
//! - `parity`: the same page as the installed callgrind_annotate, wherever that one is right;
//! - `readme`: the examples in README.md;
//! - `usage`: exit statuses, standard input, closed pipes, the default file.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod golden;
mod parity;
mod readme;
mod usage;

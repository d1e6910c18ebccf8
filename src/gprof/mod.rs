//! A wing of its own: the command `cgannotate gprof`, which prints the views of GNU gprof. The rest
//! of the program can be read without it.
//!
//! gprof shows a program as a flat profile, as a call graph in which each function stands between
//! its callers and its callees, as counts of calls, and as sources with these counts beside their
//! lines. The command shows two kinds of data this way. Of gprof's own (`gmon.out`, which a program
//! writes if it was compiled with `-pg`) it knows samples of time and numbers of calls, and has to
//! divide the time of a function among its callers by their numbers of calls. A Callgrind profile
//! has the cost of each call, so nothing is divided that was recorded.
//!
//! | module | what it has |
//! | --- | --- |
//! | [`options`] | which views to print, of what, and how |
//! | [`views`] | functions, calls, cycles and costs: what is in a view, in its order |
//! | [`pages`] | the text of each view, with a style for samples and one for recorded costs |
//! | [`report`] | a run: from the options to the pages |
//! | [`cli`] | the command line, with gprof's names and letters |
//!
//! It shares with the rest what is no part of gprof: reading (also that of gprof's data,
//! `read::gmon`, which all reports show), patterns of names, the search for sources, numbers and
//! names in text. Of the wing the rest knows [`options`], because reading depends on them;
//! [`report`] and [`cli`] are above everything else, and only the root of the crate names them.

pub mod cli;
pub mod options;
pub mod pages;
pub mod report;
pub mod views;

pub use options::{GprofOptions, GprofView};

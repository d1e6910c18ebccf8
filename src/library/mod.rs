//! The public library: a profile, its call graph, and the difference of two, for programs in Rust.
//!
//! These types keep their meaning from version to version; the rooms behind them do not.

mod call_graph;
mod call_site;
mod diff;
mod error;
mod events;
mod filter;
mod formula;
mod profile;
mod read_options;
mod reading;
mod rows;
mod traits;

pub use call_graph::{Arc, CallGraph, Cycle, Function, Line};
pub use call_site::CallSite;
pub use diff::Diff;
pub use error::{Error, ReadError, Warning};
pub use events::{EventId, Events};
pub use filter::{Filter, Pattern, PatternError};
pub use formula::{Formula, FormulaError};
pub use profile::Profile;
pub use read_options::ReadOptions;
pub use rows::{DiffRow, Row, RowBy};

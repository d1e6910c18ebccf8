//! The integration tests, one binary:
//!
//! - `arguments`: the order in which profiles are named changes no number;
//! - `cases`: the text of a golden case holds any bytes;
//! - `difference`: in every view, a difference is the new report minus the base one;
//! - `addresses`: profiles with addresses and jumps, written back and read by a reader of its own;
//! - `figures`: the same figure of a row in every format;
//! - `generated`: generated profiles, complete and damaged, compared with what they were made from (`model`, `expected`,
//!   `damage`) and with what is true of every profile (`laws`);
//! - `gprof`: conservation in gprof's views; `gprof_page` reads what they print;
//! - `groups`: rows by line, inlined function, thread and part;
//! - `hostile`: input that cannot be a stored file, such as one that is endless or changes while it is read;
//! - `inclusive`: the rule of inclusive costs, for each function by itself, and that no row costs more than all;
//! - `json`: the report as JSON, read back;
//! - `output`: a whole file or none, the manual page and completions;
//! - `pager`: when a report is read through a pager, and what becomes of the exit status;
//! - `questions`: filters, groups and limits against each other;
//! - `program` runs programs;
//! - `reports` reads reports by names;
//! - `schema`: the report as JSON against its schema;
//! - `sections`: pages with much source, which several threads make;
//! - `sources`: where sources are found;
//! - `stacks`: stacks for flame graphs and the list as csv, added up;
//! - `sums`: conservation of costs in all views of all profiles;
//! - `tables` takes costs, calls and lists from profiles;
//! - `terminal`: colours, widths, escapes and the progress bar in a real terminal;
//! - `trees`: callers and callees over several levels;
//! - `usage`: exit statuses, standard input, closed pipes, the default file;
//! - `written`: profiles exported in callgrind's format.
//! - `wording`: no phrases that were replaced by plain English.

mod addresses;
mod arguments;
mod cases;
mod difference;
mod difference_formats;
mod figures;
mod generated;
mod gprof;
mod groups;
mod hostile;
mod inclusive;
mod instructions;
mod json;
mod output;
mod pager;
mod questions;
mod reports;
mod schema;
mod sections;
mod sources;
mod stacks;
mod sums;
mod terminal;
mod trees;
mod usage;
mod wording;
mod written;

use libtest_mimic::Trial;

/// All tests of these modules.
pub fn trials() -> Vec<Trial> {
    let modules = [
        addresses::trials,
        arguments::trials,
        cases::trials,
        difference::trials,
        difference_formats::trials,
        figures::trials,
        generated::trials,
        gprof::trials,
        groups::trials,
        hostile::trials,
        inclusive::trials,
        instructions::trials,
        json::trials,
        output::trials,
        pager::trials,
        questions::trials,
        schema::trials,
        sections::trials,
        sources::trials,
        stacks::trials,
        sums::trials,
        terminal::trials,
        trees::trials,
        usage::trials,
        wording::trials,
        written::trials,
    ];
    modules.into_iter().flat_map(|trials| trials()).collect()
}

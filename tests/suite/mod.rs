//! The tests of the library and of the running program. Each module says at its head what it checks.

mod addresses;
mod arguments;
mod cases;
mod columns;
mod difference;
mod difference_formats;
mod figures;
mod formats;
mod generated;
mod gprof;
mod groups;
mod hostile;
pub(crate) mod html;
mod inclusive;
mod inlines;
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
mod written;

use libtest_mimic::Trial;

/// All tests of these modules.
pub fn trials() -> Vec<Trial> {
    let modules = [
        addresses::trials,
        arguments::trials,
        cases::trials,
        columns::trials,
        difference::trials,
        difference_formats::trials,
        figures::trials,
        formats::trials,
        generated::trials,
        gprof::trials,
        groups::trials,
        hostile::trials,
        html::trials,
        inclusive::trials,
        instructions::trials,
        inlines::trials,
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
        written::trials,
    ];
    modules.into_iter().flat_map(|trials| trials()).collect()
}

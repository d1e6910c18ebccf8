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

trials_of! {
    addresses arguments cases columns difference difference_formats figures formats generated gprof groups hostile html
    inclusive instructions inlines json output pager questions schema sections sources stacks sums terminal trees usage written
}

//! The tests of the library and of the running program. Each module says at its head what it
//! checks.

mod below;
mod columns;
mod commands;
mod damage;
mod difference;
mod difference_formats;
mod figures;
mod first_screen;
mod generated;
mod gprof;
mod hostile;
pub(crate) mod html;
mod inlines;
mod instructions;
mod laws;
mod output;
mod pager;
mod picture;
mod questions;
mod recursion;
mod reports;
mod schema;
mod series;
mod sources;
mod stacks;
mod terminal;
mod trees;
mod usage;

trials_of! {
    below columns commands damage difference difference_formats figures first_screen generated gprof hostile html
    instructions inlines laws output pager picture questions recursion schema series sources stacks terminal
    trees
    usage
}

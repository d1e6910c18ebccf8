//! What a list has lines for: rows and call cycles.

use std::cmp::Ordering;

use crate::view::label::Label;
use crate::view::rows::{RowId, Rows};

/// What can have a line in the list of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A file and a function.
    Row(RowId),
    /// A call cycle, numbered from 1.
    Cycle(u32),
}

impl Item {
    /// What it is about.
    pub(super) fn label<'p>(self, rows: &Rows<'p>) -> Label<'p> {
        rows.names().label(self, rows)
    }

    /// The same with full names.
    pub(super) fn full_label<'p>(self, rows: &Rows<'p>) -> Label<'p> {
        match self {
            Item::Row(row) => rows.full_label(row),
            Item::Cycle(number) => Label::Cycle(number as usize),
        }
    }

    /// Orders by name; a cycle, as the whole, comes before its parts.
    pub(super) fn cmp_names(self, other: Item, rows: &Rows<'_>) -> Ordering {
        match (self, other) {
            (Item::Row(a), Item::Row(b)) => rows.cmp_names(a, b),
            (Item::Cycle(a), Item::Cycle(b)) => a.cmp(&b),
            (Item::Cycle(_), Item::Row(_)) => Ordering::Less,
            (Item::Row(_), Item::Cycle(_)) => Ordering::Greater,
        }
    }
}

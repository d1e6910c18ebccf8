//! The names of rows in a report: full names, or short ones that are easier to read.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use crate::profile::NameKind;
use crate::source::basename;
use crate::view::label::{Label, RowId};
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;
use crate::view::short_name::{short_file, short_function};

#[derive(Default)]
pub struct RowNames<'p> {
    pub is_short: bool,
    /// Whether names that are equal in different files are different.
    with_files: bool,
    /// Whether full names keep the folders of objects, because a list in columns shortens those
    /// itself.
    keeps_objects: bool,
    listed: HashMap<RowId, Label<'p>>,
}

/// The parts of a short name that are compared: file, name, and line or cycle number.
type NameKey = (Vec<u8>, Vec<u8>, u32);

impl<'p> RowNames<'p> {
    /// Short names, but full ones for listed items whose short names are equal. Without
    /// `with_files`, those of functions in different files are.
    pub fn short(
        items: &[RowId],
        rows: &Rows<'p>,
        with_files: bool,
        keeps_objects: bool,
    ) -> RowNames<'p> {
        let mut names =
            RowNames { is_short: true, with_files, keeps_objects, ..RowNames::default() };
        let labels = names.labels(items, rows);
        names.listed = items.iter().copied().zip(labels).collect();
        names
    }

    pub fn label(&self, item: RowId, rows: &Rows<'p>) -> Label<'p> {
        if !self.is_short {
            return rows.full_label_of(item);
        }
        let listed = self.listed.get(&item).cloned();
        listed.unwrap_or_else(|| {
            short_label(rows.full_label_of(item), rows.row_by, rows.profile.name_kind())
        })
    }

    pub(super) fn labels(&self, items: &[RowId], rows: &Rows<'p>) -> Vec<Label<'p>> {
        let mut labels: Vec<Label<'p>> = items.iter().map(|&item| self.label(item, rows)).collect();
        if !self.is_short {
            return labels;
        }
        let mut of_key: HashMap<NameKey, RowId> = HashMap::new();
        let mut equal: HashSet<NameKey> = HashSet::new();
        for (&item, label) in items.iter().zip(&labels) {
            let key = self.key(label);
            let first = *of_key.entry(key.clone()).or_insert(item);
            // Equal full names, of functions of two objects, would not differ either.
            if first != item && (self.with_files || rows.cmp_items(first, item).is_ne()) {
                equal.insert(key);
            }
        }
        for (&item, label) in items.iter().zip(&mut labels) {
            if !equal.is_empty() && equal.contains(&self.key(label)) {
                *label = self.with_short_object(rows.full_label_of(item));
            }
        }
        labels
    }

    /// A full label, for an item whose short name is ambiguous.
    fn with_short_object<'l>(&self, mut label: Label<'l>) -> Label<'l> {
        if !self.keeps_objects {
            label.object = label.object.map(basename);
        }
        label
    }

    fn key(&self, label: &Label<'_>) -> NameKey {
        let has_file = self.with_files || label.line.is_some();
        let file = label.file.filter(|_| has_file).unwrap_or_default();
        let number = label.line.or(label.whole_cycle());
        (file.to_vec(), label.name.to_vec(), number.unwrap_or(0))
    }
}

fn short_label(mut label: Label<'_>, row_by: RowBy, kind: NameKind) -> Label<'_> {
    label.name = match label.group {
        Some(_) => short_group(&label.name, row_by, kind).into_owned().into(),
        None => short_function(&label.name, kind).into_owned().into(),
    };
    label.file = label.file.map(short_file);
    label.object = label.object.map(basename);
    label
}

fn short_group(name: &[u8], row_by: RowBy, kind: NameKind) -> Cow<'_, [u8]> {
    match row_by {
        RowBy::File => short_file(name).into(),
        RowBy::Object => basename(name).into(),
        RowBy::Name => short_function(name, kind),
        _ => name.into(),
    }
}

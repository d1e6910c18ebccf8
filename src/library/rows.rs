//! The rows of a profile or of a difference, with their costs.

use super::{EventId, Filter};
use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, Overflow, Profile, Sides};
use crate::view::{self, Label, RowId, RowOptions, Rows, self_cost_tables};

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowBy {
    /// The part of a function that lies in one source file, in whatever objects.
    #[default]
    FileFunction,
    /// A function of an object, with the code of other files that was inlined into it. In a difference, functions are
    /// the same by file and name.
    Function,
    /// All functions with one name, in whatever files and objects.
    Name,
    /// All that lies in a source file.
    File,
    /// All functions of an executable or a library.
    Object,
    /// All functions of a C++ class or namespace, or of a Rust module or type.
    Namespace,
}

impl RowBy {
    fn to_view(self) -> view::RowBy {
        match self {
            RowBy::FileFunction => view::RowBy::FileFunction,
            RowBy::Function => view::RowBy::Function,
            RowBy::Name => view::RowBy::Name,
            RowBy::File => view::RowBy::File,
            RowBy::Object => view::RowBy::Object,
            RowBy::Namespace => view::RowBy::Namespace,
        }
    }
}

/// Rows with their costs.
pub(super) struct RowCosts<'p> {
    rows: Rows<'p>,
    own: Sides<CostTable>,
    inclusive: Sides<CostTable>,
}

impl<'p> RowCosts<'p> {
    pub(super) fn new(
        profile: &'p Profile,
        by: RowBy,
        filter: &Filter,
    ) -> Result<RowCosts<'p>, Overflow> {
        let options = RowOptions {
            demangles: true,
            row_by: by.to_view(),
            filter: filter.to_view(),
            ..RowOptions::default()
        };
        let rows = Rows::new(profile, &options);
        let graphs = CallGraph::of_sides(profile, true)?;
        let inclusive = graphs
            .as_ref()
            .try_map(|graph| graph.inclusive(rows.partition()))?;
        let derived = |mut table: CostTable| {
            table.derive(profile.events())?;
            Ok(table)
        };
        Ok(RowCosts {
            own: self_cost_tables(profile, &rows)?.try_map(derived)?,
            inclusive: inclusive.try_map(derived)?,
            rows,
        })
    }

    /// The rows that the filter selected.
    fn selected(&self) -> impl Iterator<Item = RowId> {
        let rows = self.rows.all();
        rows.filter(|&row| self.rows.is_selected(row))
    }

    /// Those of a profile.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        self.selected().map(|row| Row {
            name: name(&self.rows.label(row)),
            own: self.own.new.get(row.index()).to_vec(),
            inclusive: self.inclusive.new.get(row.index()).to_vec(),
        })
    }

    /// Those of a difference.
    pub(super) fn diff_rows(&self) -> impl Iterator<Item = DiffRow> {
        let cost = |tables: &Sides<CostTable>, row: RowId| {
            tables.as_ref().map(|table| table.get(row.index()).to_vec())
        };
        self.selected().map(move |row| DiffRow {
            name: name(&self.rows.label(row)),
            own: cost(&self.own, row),
            inclusive: cost(&self.inclusive, row),
        })
    }
}

fn name(label: &Label<'_>) -> String {
    let text = String::from_utf8_lossy;
    match label {
        Label::Function { file, name, .. } => format!("{}:{}", text(file), text(name)),
        Label::Line { file, line, .. } => format!("{}:{line}", text(file)),
        Label::Group { name, .. } => text(name).into_owned(),
        Label::Cycle(number) => format!("<cycle {number}>"),
    }
}

/// A row of a [`Profile`](super::Profile).
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    own: Vec<Count>,
    inclusive: Vec<Count>,
}

impl Row {
    /// What it is: the function with its file, as `file:function`, or the name of the file, object, namespace or functions. It
    /// is empty if the profile does not say which object it is, or if there is no namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its self cost.
    pub fn own(&self, event: EventId) -> Count {
        self.own[event.0]
    }

    /// Its inclusive cost: what was spent while any of its code was on the stack. Calls within the row count once.
    pub fn inclusive(&self, event: EventId) -> Count {
        self.inclusive[event.0]
    }
}

/// A row of a [`Diff`](super::Diff).
#[derive(Clone, Debug)]
pub struct DiffRow {
    name: String,
    own: Sides<Vec<Count>>,
    inclusive: Sides<Vec<Count>>,
}

impl DiffRow {
    /// What it is, as [`Row::name`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The self cost in the base; undefined if the base has none.
    pub fn before(&self, event: EventId) -> Count {
        before(&self.own, event)
    }

    /// The self cost in the new profile; undefined if it has none.
    pub fn after(&self, event: EventId) -> Count {
        self.own.new[event.0]
    }

    /// How much the self cost grew, negative if it shrank. An undefined cost counts as 0.
    ///
    /// # Errors
    /// [`Overflow`] if that does not fit into 64 bits.
    pub fn delta(&self, event: EventId) -> Result<Count, Overflow> {
        delta(&self.own, event)
    }

    /// The inclusive cost in the base; undefined if the base has none.
    pub fn inclusive_before(&self, event: EventId) -> Count {
        before(&self.inclusive, event)
    }

    /// The inclusive cost in the new profile; undefined if it has none.
    pub fn inclusive_after(&self, event: EventId) -> Count {
        self.inclusive.new[event.0]
    }

    /// How much the inclusive cost grew, negative if it shrank. An undefined cost counts as 0.
    ///
    /// # Errors
    /// [`Overflow`] if that does not fit into 64 bits.
    pub fn inclusive_delta(&self, event: EventId) -> Result<Count, Overflow> {
        delta(&self.inclusive, event)
    }
}

fn before(costs: &Sides<Vec<Count>>, event: EventId) -> Count {
    let base = costs.base.as_ref();
    base.map_or(Count::UNDEFINED, |base| base[event.0])
}

fn delta(costs: &Sides<Vec<Count>>, event: EventId) -> Result<Count, Overflow> {
    let mut delta = costs.new[event.0];
    delta.subtract(before(costs, event))?;
    Ok(delta)
}

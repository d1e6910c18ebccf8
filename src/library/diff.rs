//! The difference of two profiles.

use std::path::Path;

use super::reading::Reading;
use super::{EventId, Events, ReadError, ReadOptions, Warning};
use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, Overflow, Sides};
use crate::view::{Label, RowBy, RowOptions, Rows};

/// Two profiles, compared row by row. Each has its own call graph and inclusive costs.
///
/// Names and paths that differ only in what a build or a machine changes, such as the number of a clone or the folder of the
/// sources, are paired as by the program's `--diff`.
pub struct Diff {
    data: crate::profile::Profile,
    warnings: Vec<Warning>,
}

impl Diff {
    /// Reads two profiles to compare.
    ///
    /// # Errors
    /// One of them cannot be read, or is no profile.
    pub fn read(new: impl AsRef<Path>, base: impl AsRef<Path>) -> Result<Diff, ReadError> {
        Diff::read_with([new], [base], &ReadOptions::default())
    }

    /// Reads two profiles to compare as options say, each the sum of its files.
    ///
    /// # Errors
    /// A file cannot be read, or is no profile; or none of the files has a part, thread or event that the options name.
    pub fn read_with(
        new: impl IntoIterator<Item = impl AsRef<Path>>,
        base: impl IntoIterator<Item = impl AsRef<Path>>,
        options: &ReadOptions,
    ) -> Result<Diff, ReadError> {
        let mut reading = Reading::new(options);
        reading.add_files(new)?;
        reading.begin_base();
        reading.add_files(base)?;
        let (data, warnings) = reading.finish()?;
        Ok(Diff { data, warnings })
    }

    /// What was malformed or contradictory in the files; see [`Profile::warnings`](super::Profile::warnings).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The event with this name: `events().find(name)`.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events().find(name)
    }

    /// What the two profiles count: the events of the new one, then those that only the base has.
    pub fn events(&self) -> Events<'_> {
        Events::new(self.data.events())
    }

    /// The rows of both profiles, by function, file, object or namespace.
    ///
    /// # Errors
    /// [`Overflow`] if a sum or difference does not fit into 64 bits.
    pub fn rows(&self, by: RowBy) -> Result<Vec<Row>, Overflow> {
        let profile = &self.data;
        let options = RowOptions {
            demangles: true,
            row_by: by,
            ..RowOptions::default()
        };
        let rows = Rows::new(profile, &options);
        let fragments = profile.fragments_with_ids();
        let of_fragments = fragments.map(|(id, _)| Some(rows.partition().of_fragment(id) as usize));
        let sides = profile.self_costs()?.as_ref();
        let derived = |table: Result<CostTable, Overflow>| {
            let mut table = table?;
            table.derive(profile.events())?;
            Ok(table)
        };
        let own = sides.try_map(|costs| derived(costs.sum_by(rows.len(), of_fragments.clone())))?;
        let graphs = CallGraph::of_sides(profile, true)?;
        let graphs = graphs.as_ref();
        let inclusive = graphs.try_map(|graph| derived(graph.inclusive(rows.partition())))?;
        let cost = |tables: &Sides<CostTable>, row: usize| {
            tables.as_ref().map(|table| table.get(row).to_vec())
        };
        let row = |id: crate::view::RowId| Row {
            name: name(&rows.label(id)),
            own: cost(&own, id.index()),
            inclusive: cost(&inclusive, id.index()),
        };
        Ok(rows.all().map(row).collect())
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

/// A row of a [`Diff`].
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    own: Sides<Vec<Count>>,
    inclusive: Sides<Vec<Count>>,
}

impl Row {
    /// The function with its file, or the file, object or namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The self cost in the base.
    pub fn before(&self, event: EventId) -> Count {
        before(&self.own, event)
    }

    /// The self cost in the new profile.
    pub fn after(&self, event: EventId) -> Count {
        self.own.new[event.0]
    }

    /// How much the self cost grew.
    ///
    /// # Errors
    /// [`Overflow`] if that does not fit into 64 bits.
    pub fn delta(&self, event: EventId) -> Result<Count, Overflow> {
        delta(&self.own, event)
    }

    /// The inclusive cost in the base.
    pub fn inclusive_before(&self, event: EventId) -> Count {
        before(&self.inclusive, event)
    }

    /// The inclusive cost in the new profile.
    pub fn inclusive_after(&self, event: EventId) -> Count {
        self.inclusive.new[event.0]
    }

    /// How much the inclusive cost grew.
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

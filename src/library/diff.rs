//! The difference of two profiles.

use std::path::Path;

use super::{EventId, ReadError, profile::read_into};
use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, Overflow, ProfileBuilder, Sides};
use crate::view::{Label, RowBy, RowOptions, Rows};

/// Two profiles, compared row by row. Each has its own call graph and inclusive costs.
pub struct Diff {
    data: crate::profile::Profile,
    warnings: Vec<String>,
}

impl Diff {
    /// Reads two profiles to compare.
    ///
    /// # Errors
    /// One of them cannot be read, or is no profile.
    pub fn read(new: impl AsRef<Path>, base: impl AsRef<Path>) -> Result<Diff, ReadError> {
        let (mut builder, mut warnings) = (ProfileBuilder::default(), Vec::new());
        read_into(new.as_ref(), &mut builder, &mut warnings)?;
        builder.begin_base();
        read_into(base.as_ref(), &mut builder, &mut warnings)?;
        Ok(Diff {
            data: builder.finish(),
            warnings,
        })
    }

    /// What was malformed and left out, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The event of a name; see [`Profile::event`](super::Profile::event).
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.data.events().find(name.as_bytes()).map(EventId)
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

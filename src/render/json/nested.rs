//! What is nested in a row: the files and lines of a function, or the functions of a group.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::row::Line;
use super::sides::BothSides;
use super::{Bytes, Cost, JsonReport, Sequence};
use crate::profile::Count;
use crate::view::{Label, NestedPart, PartOf};

/// A file with its lines, or a function.
pub(super) struct Nested<'a, 'p> {
    pub(super) report: &'a JsonReport<'a, 'p>,
    pub(super) part: &'a NestedPart,
}

impl Nested<'_, '_> {
    /// Whether it is shown: of a difference only what changed is.
    pub(super) fn is_shown(&self) -> bool {
        let shows = |cost: &[Count]| self.report.selection.shows(cost);
        shows(&self.part.cost.value) || self.part.lines.iter().any(|line| shows(&line.cost.value))
    }
}

impl Serialize for Nested<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = &self.report.selection.shown[..];
        let mut map = serializer.serialize_map(None)?;
        let functions = self.report.nesting.and_then(|nesting| nesting.functions());
        match (self.part.of, functions) {
            (PartOf::Function(row), Some(functions)) => {
                if let Label::Function {
                    file, name, object, ..
                } = functions.label(row)
                {
                    map.serialize_entry("file", &Bytes(file))?;
                    map.serialize_entry("function", &Bytes(&name))?;
                    map.serialize_entry("object", &object.map(Bytes))?;
                }
            }
            (PartOf::File(file), _) => {
                map.serialize_entry("file", &Bytes(self.report.profile.file(file)))?;
            }
            (PartOf::Function(_), None) => {}
        }
        map.serialize_entry(
            "self",
            &Cost {
                shown,
                cost: &self.part.cost.value,
            },
        )?;
        if let Some(sides) = BothSides::of_self(self.part.cost.counts(), shown) {
            map.serialize_entry("base", &sides.base)?;
            map.serialize_entry("new", &sides.new)?;
        }
        if let PartOf::File(_) = self.part.of {
            let is_difference = self.report.profile.is_difference();
            let lines = self.part.lines.iter();
            let lines = lines.filter(|line| self.report.selection.shows(&line.cost.value));
            let lines = lines.map(|line| Line {
                line: line.key.in_new(),
                base_line: is_difference.then_some(line.base_line),
                cost: Cost {
                    shown,
                    cost: &line.cost.value,
                },
                sides: BothSides::of_self(line.cost.counts(), shown),
                executed: None,
                jumps: None,
            });
            map.serialize_entry("lines", &Sequence(lines))?;
        }
        map.end()
    }
}

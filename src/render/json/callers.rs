//! The callers of a row.

use super::sides::BothSides;
use super::{Bytes, Cost};
use crate::view::{CallLine, Label};

/// Calls from one row.
#[derive(serde::Serialize)]
pub(super) struct Caller<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Bytes<'a>>,
    count: i64,
    inclusive: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
}

impl<'a> Caller<'a> {
    /// The calls of a line of the call tree; none of a cycle as a whole.
    pub(super) fn new(line: &'a CallLine<'_, '_>, shown: &'a [usize]) -> Option<Caller<'a>> {
        let (file, function, group) = match &line.label {
            Label::Function { file, name, .. } => (Some(Bytes(file)), Some(Bytes(name)), None),
            Label::Group { name, .. } => (None, None, Some(Bytes(name))),
            Label::Line { .. } | Label::Cycle(_) => return None,
        };
        Some(Caller {
            file,
            function,
            group,
            count: line.count.value,
            inclusive: Cost {
                shown,
                cost: line.cost.value,
            },
            sides: BothSides::new(None, Some(line.cost), Some(line.count), shown),
        })
    }
}

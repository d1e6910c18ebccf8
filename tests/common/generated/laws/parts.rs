//! The parts of a profile may be in any order, in one file or in several.

use std::io::Cursor;

use cgannotate::internal::profile::{Profile, ProfileBuilder};
use cgannotate::internal::read::{self, ReadOptions};
use cgannotate::internal::view::{CallTree, Label, List, Total};

use super::super::tables::{Graphs, all_rows};
use super::readable;

/// Checks that the parts of a profile, each a complete file, may be in either order, in one file or in several.
pub fn order_of_parts_changes_nothing(parts: &[Vec<u8>]) {
    let read = |parts: &mut dyn Iterator<Item = &Vec<u8>>| {
        let mut builder = ProfileBuilder::default();
        for part in parts {
            let part = Cursor::new(part.clone());
            read::read_from(part, b"p.out", &ReadOptions::default(), &mut builder).ok()?;
        }
        Some(report(&builder.finish()))
    };
    let forwards = read(&mut parts.iter());
    let backwards = read(&mut parts.iter().rev());
    let together = read(&mut [parts.concat()].iter());
    if let (Some(forwards), Some(backwards)) = (&forwards, backwards) {
        assert_eq!(*forwards, backwards);
    }
    if let (Some(forwards), Some(together)) = (forwards, together) {
        assert_eq!(forwards, together);
    }
}

/// The lists by self and inclusive cost, and the calls of each row, as text without the names of parts.
fn report(profile: &Profile) -> Vec<String> {
    let selection = all_rows(profile);
    let total = Total::of(profile);
    let graphs = Graphs::new(profile, &readable());
    let rows = &graphs.rows;
    let name = |label: Label<'_>| match label {
        Label::Line { file, line, .. } => format!("{}:{line}", file.escape_ascii()),
        Label::Function {
            file, name, cycle, ..
        } => {
            format!("{}:{} {cycle:?}", file.escape_ascii(), name.escape_ascii())
        }
        Label::Group { name, .. } => name.escape_ascii().to_string(),
        Label::Cycle(number) => format!("cycle {number}"),
    };
    let tree = CallTree::new(&graphs.sides, rows, &graphs.cycles);
    let lists = [
        List::by_self_cost(profile, rows, &selection, &total),
        graphs.list(&selection),
    ];
    let mut report = vec![format!("{:?}", total.figure.value)];
    for list in &lists {
        for line in list.lines(rows) {
            report.push(format!("{:?} {}", line.cost, name(line.label)));
            let callers = tree.callers(line.item, rows, &selection);
            let callees = tree.callees(line.item, rows, &selection);
            for call in callers.into_iter().chain(callees) {
                report.push(format!(
                    "  {} {:?} {}",
                    call.count.counted.value,
                    call.cost,
                    name(call.label)
                ));
            }
        }
    }
    report
}

//! What is nested in a row adds up to its self cost, and the lines of a file to that of the file.

use cgannotate::internal::profile::Profile;
use cgannotate::internal::view::{
    Alignments, CostFigure, List, ListBy, NestedList, NestedOptions, Nesting, RowBy, Rows,
    Selection, Total,
};

use super::super::tables::all_rows;
use super::sums::KINDS;
use super::{add, rows_by};

/// Checks that what is nested in rows of any kind adds up.
pub fn nested_costs_add_up(profile: &Profile) {
    let mut selection = all_rows(profile);
    if profile.is_difference() {
        selection.compared = Some(selection.shown.clone());
    }
    let total = Total::of(profile);
    for row_by in KINDS {
        add_up(profile, row_by, &selection, &total);
    }
}

fn add_up(profile: &Profile, row_by: RowBy, selection: &Selection, total: &Total) {
    let rows_of = |row_by| Rows::new(profile, &rows_by(row_by));
    let (rows, parts) = (rows_of(row_by), rows_of(Nesting::parts_by(row_by)));
    let nesting = Nesting::new(&rows, parts, selection, Alignments::default(), false);
    let list = List::new(&rows, selection, total, ListBy::SelfCost);
    for line in list.lines(&rows) {
        let parts = nesting.of(line.item);
        let costs = parts.iter().map(|part| part.cost.counts());
        assert_eq!(sum(costs, *line.cost), sum([*line.cost], *line.cost), "a row");
        for part in parts.iter().filter(|part| part.lines.of_row(0).next().is_some()) {
            let cost = part.cost.counts();
            let costs = part.lines.of_row(0).map(|(_, cost)| cost);
            assert_eq!(sum(costs, cost), sum([cost], cost), "a file");
        }
    }
    for min_percent in [0.0, 1.0, 30.0] {
        let options = NestedOptions { event: 0, min_percent, whole: None };
        let nested = NestedList::new(&nesting, &list, options);
        for (position, line) in list.lines(&rows).enumerate() {
            shown_add_up(&nested, position, *line.cost);
        }
    }
}

/// What is shown below a row, with the rest, is the row; below a file the file.
fn shown_add_up(nested: &NestedList<'_>, position: usize, cost: CostFigure<'_>) {
    let below = nested.below(position);
    let top = below.iter().filter(|row| row.level == 0);
    let top = top.map(|row| row.cost.counts());
    if !below.is_empty() {
        assert_eq!(sum(top, cost), sum([cost], cost), "below a row");
    }
    for (at, row) in below.iter().enumerate().filter(|(_, row)| row.level == 0) {
        let lines = below[at + 1..].iter().take_while(|row| row.level == 1);
        let (mut lines, cost) = (lines.peekable(), row.cost.counts());
        if lines.peek().is_some() {
            let lines = lines.map(|row| row.cost.counts());
            assert_eq!(sum(lines, cost), sum([cost], cost), "below a file");
        }
    }
}

/// The sums of the values, and of both sides of a difference.
fn sum<'c>(
    costs: impl IntoIterator<Item = CostFigure<'c>>,
    like: CostFigure<'_>,
) -> [Vec<i128>; 3] {
    let mut sums = [(); 3].map(|()| vec![0; like.value.len()]);
    for cost in costs {
        add(&mut sums[0], cost.value);
        if let Some(sides) = cost.compared {
            add(&mut sums[1], sides.base);
            add(&mut sums[2], sides.new);
        }
    }
    sums
}

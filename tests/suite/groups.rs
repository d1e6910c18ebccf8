//! Rows by line, thread and part: none costs more than its functions, or than the program.

use cgannotate::internal::profile::Count;
use cgannotate::internal::view::{Item, RowBy, Total, self_costs};

use crate::common::corpus::{self, profiles_by};
use crate::common::generated::laws::rows_by;
use crate::common::generated::tables::{Graphs, all_rows};

trials![
    threads_and_parts_cost_what_their_parts_do,
    a_line_costs_itself_at_least_and_the_program_at_most
];

fn threads_and_parts_cost_what_their_parts_do() {
    for row_by in [RowBy::Thread, RowBy::Part] {
        for (path, profile) in profiles_by(row_by) {
            let graphs = Graphs::new(&profile, &rows_by(row_by));
            let rows = &graphs.rows;
            let own = self_costs(&profile, rows);
            let list = graphs.list(&all_rows(&profile));
            for line in list.lines(rows) {
                let (item, figure) = (line.item, line.cost.event(0));
                let Item::Row(row) = item else {
                    panic!("{path:?}: a cycle of {row_by:?}");
                };
                assert_eq!(figure.value, own.get(row.index()).value[0], "{path:?}");
                let name = rows.display_name(row);
                let parts = (1..).zip(profile.parts()).filter(|(number, part)| {
                    let number = number.to_string().into_bytes();
                    match row_by {
                        RowBy::Thread => part.thread.clone().unwrap_or_default()[..] == *name,
                        _ => part.part_number.clone().unwrap_or(number)[..] == *name,
                    }
                });
                let of_parts = parts.filter_map(|(_, part)| {
                    let column = part.columns.iter().position(|&event| event == 0)?;
                    part.self_cost.get(column)?.value()
                });
                assert_eq!(figure.value.or_zero(), of_parts.sum::<i64>(), "{path:?}");
            }
        }
    }
}

fn a_line_costs_itself_at_least_and_the_program_at_most() {
    for (path, profile) in profiles_by(RowBy::Line) {
        if !path.starts_with(corpus::testdata("words")) {
            continue;
        }
        let total = Total::of(&profile);
        let graphs = Graphs::new(&profile, &rows_by(RowBy::Line));
        let own = self_costs(&profile, &graphs.rows);
        let list = graphs.list(&all_rows(&profile));
        let mut checked = 0;
        for line in list.lines(&graphs.rows) {
            let (item, figure) = (line.item, line.cost.event(0));
            let Item::Row(row) = item else {
                panic!("{path:?}: a cycle of lines");
            };
            let self_cost = own.get(row.index()).value[0].or_zero();
            let inclusive = figure.value.or_zero();
            assert!(inclusive >= self_cost, "{path:?}");
            assert!(inclusive <= total.figure.value[0].or_zero(), "{path:?}");
            checked += usize::from(figure.value != Count::UNDEFINED);
        }
        assert!(checked > 1000, "{path:?}");
    }
}

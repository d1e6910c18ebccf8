//! Rows by thread and by part.

use cgannotate::internal::view::{Item, RowBy, self_costs};

use crate::common::corpus::{self, profiles_by};
use crate::common::generated::laws::rows_by;
use crate::common::generated::tables::{Graphs, all_rows};

trials![threads_and_parts_cost_what_their_parts_do];

fn threads_and_parts_cost_what_their_parts_do() {
    for row_by in [RowBy::Thread, RowBy::Part] {
        corpus::for_each(&profiles_by(row_by), |profile| {
            let graphs = Graphs::new(profile, &rows_by(row_by));
            let rows = &graphs.rows;
            let own = self_costs(profile, rows);
            for line in graphs.list(&all_rows(profile)).lines(rows) {
                let Item::Row(row) = line.item else {
                    panic!("a cycle of {row_by:?}");
                };
                let cost = line.cost.value[0];
                assert_eq!(cost, own.get(row.index()).value[0]);
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
                assert_eq!(cost.or_zero(), of_parts.sum::<i64>());
            }
        });
    }
}

//! Programs that never ran: any bytes are played as a small execution, and a profile of it is
//! written, together with the sums of its costs. Nothing here is shared with the reader. The fuzz
//! targets use it too.

mod dice;
mod expect;
mod run;
mod write;

use std::collections::BTreeMap;

pub use dice::Dice;
use run::run;
use write::Writer;

/// Counts, undefined after the last.
pub type Cost = Vec<i64>;

/// Adds event by event; events of one side alone are kept.
pub fn add(sum: &mut Cost, cost: &[i64]) {
    sum.resize(sum.len().max(cost.len()), 0);
    sum.iter_mut().zip(cost).for_each(|(sum, count)| *sum += count);
}

/// File and name: a row of the report.
pub type Row = (Vec<u8>, Vec<u8>);

/// An executed program.
#[derive(Default)]
pub struct Model {
    /// Its profile, one complete text for each part.
    pub parts: Vec<Vec<u8>>,
    pub events: Vec<&'static str>,
    /// Self cost by row, undefined where there is none.
    pub rows: BTreeMap<Row, Cost>,
    /// Self cost by file and line.
    pub lines: BTreeMap<(Vec<u8>, u32), Cost>,
    /// Numbers of calls and their inclusive cost by caller and callee.
    pub calls: BTreeMap<(Row, Row), (i64, Cost)>,
    /// Inclusive cost by row, calculated from the execution. Rows that several functions share are
    /// left out, and so are functions in cycles, of which `laws::functions_follow_the_rule` says
    /// what they cost.
    pub inclusive: BTreeMap<Row, Cost>,
    pub total: Cost,
}

const EVENTS: [&str; 3] = ["Ir", "Dr", "Dw"];

const OBJECTS: [&[u8]; 3] = [b"/bin/prog", b"", b"lib (1).so"];

const FILES: [&[u8]; 5] = [b"a.c", b"b.c", b"php:internal", b"dir/c d.h", b"???"];

const NAMES: [&[u8]; 6] =
    [b"main", b"f", b"operator()<a, b>::x", b"g'2", b"\xff\x1b[31m", b"_ZN1a1bEv"];

#[derive(Clone, Copy, PartialEq)]
struct Function {
    object: usize,
    file: usize,
    name: usize,
}

/// Where a cost or call is: function, file (`???` only if it is the function's: callgrind has no
/// other), line.
type Place = (usize, usize, u32);

/// The sums of a part.
#[derive(Default)]
struct Counted {
    costs: BTreeMap<Place, Cost>,
    calls: BTreeMap<(Place, usize), (i64, Cost)>,
}

impl Model {
    /// Plays an execution by the choices of the dice.
    pub fn play(dice: &mut Dice<'_>) -> Model {
        let mut model =
            Model { events: EVENTS[..1 + dice.below(EVENTS.len())].to_vec(), ..Model::default() };
        let mut functions: Vec<Function> = Vec::new();
        for i in 0..1 + dice.below(NAMES.len()) {
            let function = Function {
                object: dice.below(OBJECTS.len()),
                file: dice.below(FILES.len()),
                name: if dice.once_in(8) { 0 } else { i },
            };
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let mut on_stack = vec![Cost::new(); functions.len()];
        let mut all = Counted::default();
        // The header of a part without costs goes on in the next one.
        let mut may_reverse = false;
        for number in 1..=1 + dice.below(3) {
            let part = run(dice, &functions, &model.events, &mut on_stack);
            let is_empty = part.costs.is_empty() && part.calls.is_empty();
            let writer = Writer::new(dice, &functions, &model.events);
            let text = writer.write(&part, number, may_reverse && !is_empty);
            may_reverse = !is_empty;
            model.parts.push(text);
            for (place, cost) in part.costs {
                add(all.costs.entry(place).or_default(), &cost);
            }
            for (call, (count, cost)) in part.calls {
                let sum = all.calls.entry(call).or_default();
                sum.0 += count;
                add(&mut sum.1, &cost);
            }
        }
        model.add_up(&functions, &all, &on_stack);
        model
    }

    /// All parts in one file.
    pub fn text(&self) -> Vec<u8> {
        self.parts.concat()
    }
}

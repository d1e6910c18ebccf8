//! An execution: functions that call each other and spend costs.

use super::{Cost, Counted, Dice, FILES, Function, Place, add};

/// A call of a function that has not returned.
struct Frame {
    function: usize,
    site: Option<Place>,
    cost: Cost,
}

/// Runs the first function, and what it calls, until the dice end it.
pub(super) fn run(
    dice: &mut Dice<'_>,
    functions: &[Function],
    events: &[&str],
    on_stack: &mut [Cost],
) -> Counted {
    let mut counted = Counted::default();
    let frame = |function, site| Frame { function, site, cost: Cost::new() };
    let mut stack = vec![frame(0, None)];
    let mut steps = 0;
    while let Some(top) = stack.last() {
        let function = top.function;
        let file = match dice.once_in(4) {
            true => dice.below(FILES.len() - 1),
            false => functions[function].file,
        };
        let line = match dice.once_in(30) {
            true => 1_000_000,
            false => dice.below(24) as u32,
        };
        let place = (function, file, line);
        steps += 1;
        match dice.below(4) {
            0 | 3 if steps < 100 && !dice.is_used_up() => {
                let given = match dice.once_in(5) {
                    true => dice.below(events.len() + 1),
                    false => events.len(),
                };
                let cost: Cost = (0..given).map(|_| count(dice)).collect();
                add(counted.costs.entry(place).or_default(), &cost);
                for (f, sum) in on_stack.iter_mut().enumerate() {
                    if stack.iter().any(|frame| frame.function == f) {
                        add(sum, &cost);
                    }
                }
                stack.iter_mut().for_each(|frame| add(&mut frame.cost, &cost));
            }
            1 if stack.len() < 12 && steps < 100 && !dice.is_used_up() => {
                let callee = dice.below(functions.len());
                stack.push(frame(callee, Some(place)));
            }
            _ => {
                let ended = stack.pop();
                let call = ended.and_then(|ended| Some((ended.site?, ended)));
                if let Some((site, ended)) = call {
                    let call = counted.calls.entry((site, ended.function)).or_default();
                    call.0 += 1;
                    add(&mut call.1, &ended.cost);
                }
            }
        }
    }
    counted
}

fn count(dice: &mut Dice<'_>) -> i64 {
    match dice.below(8) {
        0 => 0,
        7 => (dice.below(65536) as i64) << 32,
        6 => dice.below(65536) as i64,
        _ => dice.below(200) as i64,
    }
}

//! How often each function was called, in the order of the sources.

use super::folded::Functions;
use super::graph::{GraphTable, Who};
use crate::profile::Overflow;

/// A function and its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The function's number.
    pub function: u32,
    /// How often it was called.
    pub calls: i64,
}

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also those by the function itself. Functions never called are left out unless `shows_zeros`.
///
/// # Errors
/// [`Overflow`] when a sum does not fit.
pub fn tally(
    functions: &Functions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    shows_zeros: bool,
) -> Result<Vec<Tally>, Overflow> {
    let mut tally = Vec::new();
    for entry in &table.entries {
        let Who::Function(function) = entry.who else {
            continue;
        };
        let own = if with_self { entry.self_calls } else { 0 };
        let calls = entry.calls.checked_add(own).ok_or(Overflow)?;
        if selects(function) && (calls != 0 || shows_zeros) {
            tally.push(Tally { function, calls });
        }
    }
    tally.sort_by(|a, b| {
        let key = |tally: &Tally| {
            let known = &functions.list()[tally.function as usize];
            (functions.file(tally.function), known.line, &known.name)
        };
        let object = |tally: &Tally| functions.object(tally.function);
        key(a).cmp(&key(b)).then_with(|| object(a).cmp(object(b)))
    });
    Ok(tally)
}

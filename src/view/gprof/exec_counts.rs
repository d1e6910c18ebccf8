//! How often each function was called, in the order of the sources.

use super::functions::MergedFunctions;
use super::{EntryOf, GraphTable};
use crate::profile::Overflow;

/// A function and its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecCount {
    /// The function's number.
    pub function: u32,
    /// How often it was called.
    pub calls: i64,
}

/// The calls of all functions that `selects` takes, by file, line and name: those from other functions, and with
/// `with_self` also recursive ones. Functions with fewer than `least` calls are left out.
///
/// # Errors
/// [`Overflow`] when a sum does not fit.
pub fn exec_counts(
    functions: &MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    least: u64,
) -> Result<Vec<ExecCount>, Overflow> {
    let mut counts = Vec::new();
    for entry in &table.entries {
        let EntryOf::Function(function) = entry.of else {
            continue;
        };
        let own = if with_self { entry.self_calls } else { 0 };
        let calls = entry.calls.checked_add(own).ok_or(Overflow)?;
        if selects(function) && calls.unsigned_abs() >= least {
            counts.push(ExecCount { function, calls });
        }
    }
    counts.sort_by_cached_key(|count| {
        let function = &functions.list()[count.function as usize];
        let [file, object] = [
            functions.file(count.function),
            functions.object(count.function),
        ];
        (file, function.line, &function.name, object)
    });
    Ok(counts)
}

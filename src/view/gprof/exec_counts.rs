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
/// `with_self` also those by the function itself. Functions never called are left out unless `shows_zeros`.
///
/// # Errors
/// [`Overflow`] when a sum does not fit.
pub fn exec_counts(
    functions: &MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
    with_self: bool,
    shows_zeros: bool,
) -> Result<Vec<ExecCount>, Overflow> {
    let mut exec_counts = Vec::new();
    for entry in &table.entries {
        let EntryOf::Function(function) = entry.of else {
            continue;
        };
        let own = if with_self { entry.self_calls } else { 0 };
        let calls = entry.calls.checked_add(own).ok_or(Overflow)?;
        if selects(function) && (calls != 0 || shows_zeros) {
            exec_counts.push(ExecCount { function, calls });
        }
    }
    exec_counts.sort_by(|a, b| {
        let key = |exec_counts: &ExecCount| {
            let known = &functions.list()[exec_counts.function as usize];
            (
                functions.file(exec_counts.function),
                known.line,
                &known.name,
            )
        };
        let object = |exec_counts: &ExecCount| functions.object(exec_counts.function);
        key(a).cmp(&key(b)).then_with(|| object(a).cmp(object(b)))
    });
    Ok(exec_counts)
}

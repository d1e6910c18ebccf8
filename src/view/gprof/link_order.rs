//! An order of functions for a linker, which puts those together that are needed together.

use std::cmp::Reverse;

use super::functions::MergedFunctions;
use super::{EntryOf, GraphTable};

/// The names that a linker can know, and how many it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOrder<'f> {
    /// Each name once.
    pub names: Vec<&'f [u8]>,
    /// How many functions have names that are no symbols: demangled ones, or addresses.
    pub others: usize,
}

/// All functions with costs or calls that `selects` takes, the most expensive first; equal ones by number of calls, number of
/// callers and name.
pub fn link_order<'f>(
    functions: &'f MergedFunctions<'_>,
    table: &GraphTable,
    selects: impl Fn(u32) -> bool,
) -> LinkOrder<'f> {
    let mut rows = Vec::new();
    for entry in &table.entries {
        if let EntryOf::Function(function) = entry.of
            && selects(function)
            && (entry.self_cost != 0 || entry.calls != 0 || entry.self_calls != 0)
        {
            let callers = entry.callers.iter().filter(|line| !line.is_itself).count();
            let name: &[u8] = &functions.list()[function as usize].symbol;
            rows.push((Reverse((entry.self_cost, entry.calls, callers)), name));
        }
    }
    rows.sort_unstable();
    let (mut names, mut others) = (Vec::new(), 0);
    let mut known = hashbrown::HashSet::new();
    for (_, name) in rows {
        if !is_symbol(name) {
            others += 1;
        } else if known.insert(name) {
            names.push(name);
        }
    }
    LinkOrder { names, others }
}

/// Whether a name can be that of a symbol.
fn is_symbol(name: &[u8]) -> bool {
    let is_of_symbol = |b: &u8| b.is_ascii_alphanumeric() || b"_.$@".contains(b) || !b.is_ascii();
    name.iter().all(is_of_symbol) && name.first().is_some_and(|first| !first.is_ascii_digit())
}

//! The contexts (`f'caller`) of listed functions that the list leaves out, because each of them
//! costs little: what they cost together.

use hashbrown::HashMap;

use crate::profile::{Count, FileId, ObjectId};
use crate::view::figure::Cost;
use crate::view::label::RowId;
use crate::view::row_costs::{Inclusive, self_costs};
use crate::view::rows::Rows;

/// The contexts of a function that are not listed.
pub struct UnlistedContexts {
    /// A context of the function that is listed.
    pub listed: RowId,
    pub count: usize,
    pub own: Cost,
    /// The sum of their inclusive costs. One may be called below another one.
    pub inclusive: Cost,
    pub calls: i64,
}

/// A function without its callers: its name, its file and its object.
type FunctionOfContext<'p> = (std::borrow::Cow<'p, [u8]>, FileId, ObjectId);

/// The unlisted contexts of each function with a listed one, in the order of the rows; of a profile
/// that is no difference.
pub fn unlisted_contexts(
    rows: &Rows<'_>,
    is_listed: &[bool],
    inclusive: &Inclusive<'_>,
) -> Vec<UnlistedContexts> {
    let profile = rows.profile;
    let key_of = |function| -> FunctionOfContext<'_> {
        let function = profile.function(function);
        (profile.without_callers(function.name), function.file, function.object)
    };
    if !profile.has_contexts() {
        return Vec::new();
    }
    let all: Vec<_> = profile.functions().map(|(id, _)| (id, rows.of_function(id))).collect();
    let mut listed: HashMap<FunctionOfContext<'_>, RowId> = HashMap::new();
    for &(function, row) in all.iter().filter(|(_, row)| is_listed[row.index()]) {
        listed.entry(key_of(function)).or_insert(row);
    }
    let own = self_costs(rows);
    let none = vec![Count::UNDEFINED; profile.events().len()];
    let mut found: Vec<UnlistedContexts> = Vec::new();
    let mut number_of: HashMap<RowId, usize> = HashMap::new();
    // By function the number of what is found that it belongs to.
    let mut belongs_to: Vec<Option<usize>> = vec![None; profile.function_count()];
    for &(function, row) in &all {
        if is_listed[row.index()] || !rows.is_selected(row) {
            continue;
        }
        let Some(&of) = listed.get(&key_of(function)) else {
            continue;
        };
        let number = *number_of.entry(of).or_insert_with(|| {
            let (own, inclusive) = (none.clone(), none.clone());
            found.push(UnlistedContexts { listed: of, count: 0, own, inclusive, calls: 0 });
            found.len() - 1
        });
        belongs_to[function.index()] = Some(number);
        let contexts = &mut found[number];
        contexts.count += 1;
        add(&mut contexts.own, own.get(row.index()).value);
        if let Some(cost) = inclusive.of_row(row) {
            add(&mut contexts.inclusive, cost.value);
        }
    }
    let counts = &profile.sides().new.call_counts;
    for (call, &count) in profile.calls.iter().zip(counts) {
        if let Some(number) = belongs_to[call.callee.index()] {
            found[number].calls += count;
        }
    }
    found
}

fn add(sum: &mut [Count], cost: &[Count]) {
    sum.iter_mut().zip(cost).for_each(|(sum, &count)| sum.add(count));
}

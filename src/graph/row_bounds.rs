//! Proven bounds of the inclusive costs of rows of several functions, in profiles with cycles.
//!
//! A row costs the time that any of its functions is on the stack, or a part of a function's code
//! that the row has. At each of these moments one activation of the row is the outermost one, and
//! it is in one component: a stack is in the functions of a component only once. So the row costs
//! the sum of what it costs by component, if of each component only those moments count at which
//! the row is not on the stack above it.
//!
//! **Within the row.** [`Callers`] finds for each function whether the row may be on the stack when
//! the function is called, and whether it may not be. A function that is called only while the row
//! is on the stack adds nothing to the row. The **entries** of a component are the other calls of
//! the row's functions there, by functions that are not in the row.
//!
//! **Most.** A moment at which an activation is the outermost one of the row is part of an entry of
//! its function, or of an activation that nobody called. It is part of what the function costs, of
//! which an upper bound is known. The moments in a part of a function's code are part of its own
//! lines and of the calls made there. And all moments of a component are part of what the component
//! cost without the calls of it that are surely within the row. The smallest of these sums for each
//! function, part and component, added up, is at least what the row costs.
//!
//! **Least.** Some entries may be nested in others. Let `a` be an entry that begins while a
//! function of the row in this component is on the stack, and `b` the nearest activation of such a
//! function above `a`. Between them the stack leads from the row to the row by way of other
//! functions of the component. So it has a call from the row to another function of the component,
//! and it ends with an entry from there. In the [order](super::order) of functions, it has a back
//! call that leads from at or after the row's first function to at or before its last one, or the
//! entry is a forward call by a function after the row's first one. Of each of these three kinds of
//! calls, let `c` be the last one between `b` and `a`. Two nested entries with the same `c` have no
//! time in common, as no function of the row is between `c` and either of them. So all nested
//! entries cost at most what all calls of one kind cost, and the entries without the cheapest kind
//! are the least that the row costs in the component. It also costs its self costs and the calls
//! that leave the component, since these have no time in common; and what one of its functions
//! costs at least. The row may be on the stack above for at most the cost of those calls of the
//! component that may be within the row; what is left of each component adds up. So do entries from
//! outside the component that are not within the row, as they have no time in common.
//!
//! Like the bounds of functions, these hold for costs without negative counts, in profiles in which
//! callers paid what was spent.

use super::estimate::estimate_between;
use super::row_part::{RowPart, WideRow};
use super::{Arc, ArcId, CallGraph};
use crate::graph::partition::Partition;
use crate::graph::row_callers::{BATCH, Callers, MAX_BATCHES, Seen};
use crate::graph::sum::Sum;
use crate::profile::{Bounds, Count, FragmentId, FunctionId};

/// The calls of a row's functions in one component by functions that are not in the row, and are
/// not surely within it.
struct Entries {
    all: Sum,
    /// Those from outside the component that are not within the row, and the activations that
    /// nobody called.
    first: Sum,
    /// Those by other functions of the component.
    inner: Sum,
    /// Those of them that lead forward in the order, from after the row's first function.
    forward: Sum,
}

impl Entries {
    fn none(width: usize) -> Entries {
        let none = || Sum::none(width);
        Entries { all: none(), first: none(), inner: none(), forward: none() }
    }
}

/// What bounds the costs of all rows.
struct Known<'l> {
    /// The total of each event without negative counts.
    limits: &'l [Option<Count>],
    /// The events of which neither self costs nor calls have negative counts.
    is_bounded: Vec<bool>,
}

/// The bounds of what a row has in one component.
struct Range {
    least: Sum,
    /// Of the moments at which the row is not on the stack above the component.
    least_here: Sum,
    most: Sum,
    /// Of a cycle what all calls of the row's code cost, and what the cycle cost, without what is
    /// surely within the row.
    in_cycle: Option<[Sum; 2]>,
}

/// What is known of a row.
struct RowRange {
    least: Sum,
    most: Sum,
    /// If all of its code is in one cycle, what its calls and what the cycle cost.
    in_cycle: Option<[Sum; 2]>,
}

/// The bounds of a row, and its estimated cost if all of its code is in one cycle.
type BoundsAndEstimate = (Bounds<u32>, Option<Vec<Count>>);

impl CallGraph<'_> {
    /// Whether a function is a member of a cycle.
    pub(super) fn is_in_cycle(&self, function: FunctionId) -> bool {
        let member = self.members.number(function);
        member.is_some_and(|member| self.members.component(member).is_cycle)
    }

    /// What a row has that is not one function; `floor` is what is shown at least. None if its cost
    /// is exact: it is part of a function that is in no cycle, and that is not called there again.
    pub(super) fn wide_row(
        &self,
        row: u32,
        rows: &Partition<'_>,
        floor: Vec<Count>,
    ) -> Option<WideRow> {
        let functions: Vec<FunctionId> =
            rows.at_home(row).filter(|&f| self.has_function(f)).collect();
        let fragments: Vec<FragmentId> =
            rows.inlined(row).filter(|&f| self.has_fragment(f)).collect();
        let is_exact = match (&functions[..], &fragments[..]) {
            ([], &[fragment]) => {
                let function = self.profile.fragment(fragment).function;
                let calls_itself = self.out_of(fragment).any(|(_, arc)| arc.callee == function);
                !self.is_in_cycle(function) && !calls_itself
            }
            _ => false,
        };
        (!is_exact).then_some(WideRow { row, functions, fragments, floor })
    }

    /// The bounds of rows that are not one function, of a profile with cycles.
    pub(super) fn bounds_of_rows(
        &self,
        rows: &Partition<'_>,
        wide: &[WideRow],
        limits: &[Option<Count>],
    ) -> Vec<BoundsAndEstimate> {
        let mut is_bounded: Vec<bool> = limits.iter().map(Option::is_some).collect();
        for (id, _) in self.arcs() {
            for (event, count) in self.cost(id).iter().enumerate() {
                is_bounded[event] &= count.or_zero() >= 0;
            }
        }
        let known = Known { limits, is_bounded };
        let mut bounds = Vec::with_capacity(wide.len());
        let mut several = Vec::new();
        for row in wide {
            match (&row.functions[..], &row.fragments[..]) {
                ([], &[fragment]) => {
                    let [least, most] = self.bounds_of_fragment(fragment);
                    let range = RowRange { least, most, in_cycle: None };
                    bounds.push(self.bounds_of_row(row, &range, &known));
                }
                _ => several.push(row),
            }
        }
        for (number, batch) in several.chunks(BATCH).enumerate() {
            // Copies are on the stack with what they are inlined into.
            let is_known = number < MAX_BATCHES && self.copies.is_none();
            let callers = is_known.then(|| Callers::new(self, rows, batch));
            for (bit, row) in batch.iter().enumerate() {
                let of_row = callers.as_ref().map(|callers| (callers, 1 << bit));
                let seen = Seen { row: row.row, rows, callers: of_row };
                bounds.push(self.bounds_of_row(row, &self.range_of_row(row, &seen), &known));
            }
        }
        bounds
    }

    /// The bounds of a row, from what is known of its code.
    fn bounds_of_row(
        &self,
        row: &WideRow,
        range: &RowRange,
        known: &Known<'_>,
    ) -> BoundsAndEstimate {
        let mut bounds = Bounds {
            of: row.row,
            least: vec![Count::UNDEFINED; self.own.width()],
            most: vec![Count::UNDEFINED; self.own.width()],
            is_bounded: known.is_bounded.clone(),
        };
        let mut estimates = vec![Count::UNDEFINED; self.own.width()];
        for (event, limit) in known.limits.iter().enumerate() {
            if let Some(limit) = limit.filter(|_| known.is_bounded[event]) {
                let floor = i128::from(row.floor[event].or_zero());
                let limited = range.most.of_event(event).min(limit.or_zero().into());
                // What one of its functions costs may be known otherwise than by these calls.
                let at_most = limited.max(floor);
                let at_least = range.least.of_event(event).min(at_most);
                if let Some([whole, entered]) = &range.in_cycle {
                    let [whole, entered] = [whole, entered].map(|sum| sum.of_event(event));
                    let (ends, back) = ([at_least, at_most], (whole - at_least).max(0));
                    let shown = estimate_between(ends, whole, back, entered.max(0));
                    estimates[event] = Count::new(shown.max(floor) as i64);
                }
                bounds.least[event] = Count::new(at_least as i64);
                bounds.most[event] = Count::new(at_most as i64);
            }
        }
        (bounds, range.in_cycle.is_some().then_some(estimates))
    }

    /// The least and the most that a row of several functions or parts of them costs.
    fn range_of_row(&self, row: &WideRow, seen: &Seen<'_, '_, '_>) -> RowRange {
        let mut least = Sum::none(self.own.width());
        for &function in &row.functions {
            self.fragments_of(function).for_each(|fragment| least.add(self.own(fragment)));
        }
        row.fragments.iter().for_each(|&fragment| least.add(self.own(fragment)));
        let mut most = Sum::none(self.own.width());
        let mut least_by_part = most.clone();
        let mut in_cycle = None;
        let (mut functions, mut fragments) = (row.functions.clone(), row.fragments.clone());
        for (number, part) in self.parts(&mut functions, &mut fragments).enumerate() {
            let range = self.range_of_part(part, seen);
            in_cycle = range.in_cycle.filter(|_| number == 0);
            least.raise(&range.least);
            least_by_part.join(&range.least_here);
            most.join(&range.most);
        }
        least.raise(&least_by_part);
        RowRange { least, most, in_cycle }
    }

    /// The bounds of what a row has in one component.
    fn range_of_part(&self, part: RowPart<'_>, seen: &Seen<'_, '_, '_>) -> Range {
        let none = Sum::none(self.own.width());
        let mut range = Range {
            least: none.clone(),
            least_here: none.clone(),
            most: none.clone(),
            in_cycle: None,
        };
        let of_functions = part.functions.iter().flat_map(|&function| self.fragments_of(function));
        for fragment in of_functions.chain(part.fragments.iter().copied()) {
            range.least.add(self.own(fragment));
            let leaving = self.out_of(fragment).filter(|&(_, arc)| self.leaves_component(arc));
            leaving.for_each(|(id, _)| range.least.add(self.cost(id)));
        }
        for &fragment in part.fragments {
            let [least, most] = self.bounds_of_fragment(fragment);
            range.least.raise(&least);
            if !seen.is_within(self.profile.fragment(fragment).function) {
                range.most.join(&most);
            }
        }
        let mut entries = Entries::none(self.own.width());
        let first = part.functions.iter().map(|&function| self.place(function)).min();
        for &function in part.functions {
            let [least, most] = self.bounds_of_function(function);
            range.least.raise(&least);
            if !seen.is_within(function) && !seen.is_level_of_row(self, function) {
                let mut most_here = most;
                // A copy is on the stack without having been called.
                if self.copies.is_none() {
                    most_here.lower(&self.add_entries(function, first, seen, &mut entries));
                }
                range.most.join(&most_here);
            }
        }
        if !part.functions.is_empty() && self.copies.is_none() {
            let mut once = entries.all.clone();
            once.subtract(&self.nested_entries(part.functions, &entries));
            range.least.raise(&once);
        }
        let [perhaps, surely] = self.calls_within(part.component, seen);
        range.least_here = range.least.clone();
        range.least_here.subtract(&perhaps);
        range.least_here.raise(&entries.first);
        if let Some(mut entered) = self.entered(part.component) {
            entered.subtract(&surely);
            range.most.lower(&entered);
            if self.copies.is_none() {
                let mut whole = entries.all;
                for &fragment in part.fragments {
                    whole.add(self.own(fragment));
                    self.out_of(fragment).for_each(|(id, _)| whole.add(self.cost(id)));
                }
                range.in_cycle = Some([whole, entered]);
            }
        }
        range
    }

    /// Adds the entries of a function of a row, whose first function in the component has the place
    /// `first`. Returns what they cost, without those by other functions of which the row has the
    /// code that makes the call.
    fn add_entries(
        &self,
        function: FunctionId,
        first: Option<usize>,
        seen: &Seen<'_, '_, '_>,
        entries: &mut Entries,
    ) -> Sum {
        let mut by_others = Sum::none(self.own.width());
        for sum in [&mut by_others, &mut entries.all, &mut entries.first] {
            sum.add(self.unpaid(function));
        }
        for (id, arc) in self.into(function) {
            let (caller, cost) = (self.caller(arc), self.cost(id));
            if arc.is_nested || seen.is_on_stack(caller) {
                continue;
            }
            let is_by_row = seen.rows.acts_for(arc.caller, seen.row);
            entries.all.add(cost);
            if !is_by_row {
                by_others.add(cost);
            }
            if self.leaves_component(arc) {
                if !is_by_row && !seen.may_be_within(caller) {
                    entries.first.add(cost);
                }
                continue;
            }
            entries.inner.add(cost);
            if !self.goes_back(arc) && Some(self.place(caller)) > first {
                entries.forward.add(cost);
            }
        }
        by_others
    }

    /// The most that nested entries of a row's functions in one component cost.
    fn nested_entries(&self, functions: &[FunctionId], entries: &Entries) -> Sum {
        let mut nested = Sum::none(self.own.width());
        let mut in_order: Vec<usize> =
            functions.iter().filter_map(|&function| self.members.number(function)).collect();
        in_order.sort_unstable_by_key(|&member| self.place(self.members.list[member]));
        let (Some(&first), Some(&last)) = (in_order.first(), in_order.last()) else {
            return nested;
        };
        let (mut out_of, mut back) = (nested.clone(), nested.clone());
        for (event, back) in back.all_mut().enumerate().take(self.own.width()) {
            *back = self.back_calls().spanning(first, last, event);
        }
        let is_in_row = |function: FunctionId| functions.binary_search(&function).is_ok();
        for &function in functions {
            for (id, arc) in self.fragments_of(function).flat_map(|at| self.out_of(at)) {
                if self.leaves_component(arc) || arc.callee == function {
                    continue;
                }
                if !is_in_row(arc.callee) {
                    out_of.add(self.cost(id));
                } else if self.place(arc.callee) < self.place(function) {
                    back.remove(self.cost(id));
                }
            }
        }
        back.join(&entries.forward);
        nested.join(&entries.inner);
        nested.lower(&out_of);
        nested.lower(&back);
        nested
    }

    /// The cost of the calls of a component by others that may be within the row, and of those that
    /// surely are.
    fn calls_within(&self, component: usize, seen: &Seen<'_, '_, '_>) -> [Sum; 2] {
        let (mut perhaps, mut surely) = (Sum::none(self.own.width()), Sum::none(self.own.width()));
        let mut add = |id: ArcId, arc: Arc| {
            let caller = self.caller(arc);
            if seen.is_on_stack(caller) {
                surely.add(self.cost(id));
            }
            if seen.rows.acts_for(arc.caller, seen.row) || seen.may_be_within(caller) {
                perhaps.add(self.cost(id));
            }
        };
        match self.components.get(component) {
            &[function] => {
                let into = self.into(FunctionId(function));
                into.filter(|(_, arc)| self.leaves_component(*arc))
                    .for_each(|(id, arc)| add(id, arc));
            }
            members => {
                let of_member = members.first().and_then(|&f| self.members.number(FunctionId(f)));
                let of_members = of_member.map(|member| self.members.component(member));
                match (of_members, seen.callers) {
                    (Some(of_members), None) => perhaps.add(&of_members.outside),
                    (Some(of_members), Some(_)) => {
                        let entering = of_members.entering.iter();
                        entering.for_each(|&id| add(id, self.arcs[id.index()]));
                    }
                    (None, _) => {}
                }
            }
        }
        [perhaps, surely]
    }

    /// What a cycle cost as a whole.
    fn entered(&self, component: usize) -> Option<Sum> {
        let &member = self.components.get(component).first()?;
        let component = self.members.component(self.members.number(FunctionId(member))?);
        let mut entered = Sum::none(self.own.width());
        entered.add(&component.entered);
        component.is_cycle.then_some(entered)
    }

    /// The bounds of the cost of a function, which are equal if it is exact.
    fn bounds_of_function(&self, function: FunctionId) -> [Sum; 2] {
        let exact = self.inclusive_by_function().costs.get(function.index());
        let [least, most] = match self.estimated(function) {
            Some(bounds) => [&bounds.least[..], &bounds.most[..]],
            None => [exact; 2],
        };
        [least, most].map(|cost| {
            let mut sum = Sum::none(self.own.width());
            sum.add(cost);
            sum
        })
    }

    /// The bounds of the cost of a part of a function's code. What a call of the function itself
    /// costs beyond that code is part of it only where the code makes that call.
    fn bounds_of_fragment(&self, fragment: FragmentId) -> [Sum; 2] {
        let function = self.profile.fragment(fragment).function;
        // Of a function that is never nested, no two calls of others have a time in common.
        let is_never_nested = self.is_never_nested(function);
        let mut least = Sum::none(self.own.width());
        least.add(self.own(fragment));
        let mut most = least.clone();
        for (id, arc) in self.out_of(fragment) {
            most.add(self.cost(id));
            if self.leaves_component(arc) || is_never_nested && arc.callee != function {
                least.add(self.cost(id));
            }
        }
        most.lower(&self.bounds_of_function(function)[1]);
        [least, most]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::profile::{
        Call, Division, FileId, FunctionKey, Part, Place, Position, Profile, ProfileBuilder,
    };

    /// A profile of what functions spent, `f@a 10` in file `a`, and for calls, `f@a>g 10`. The
    /// first file of a function is its own.
    fn profile(text: &str) -> Profile {
        let mut builder = ProfileBuilder::default();
        builder.add_event(b"Ir").unwrap();
        let object = builder.add_object(b"prog").unwrap();
        let position = builder.add_position(Position::of_line(1)).unwrap();
        let mut functions: BTreeMap<&str, FunctionId> = BTreeMap::new();
        for item in text.split(", ") {
            let (code, cost) = item.split_once(' ').unwrap();
            let (code, callee) = code.split_once('>').map_or((code, None), |(a, b)| (a, Some(b)));
            let (name, file) = code.split_once('@').unwrap();
            let file = builder.add_file(file.as_bytes()).unwrap();
            let function = *functions.entry(name).or_insert_with(|| {
                let name = builder.add_name(name.as_bytes()).unwrap();
                builder.functions().add(FunctionKey { object, file, name }).unwrap()
            });
            let fragment = builder.functions().fragment(function, file, Division::None).unwrap();
            let site = Place { fragment, position };
            let cost = [Count::new(cost.parse().unwrap())];
            match callee {
                None => builder.add_cost(site, &cost).unwrap(),
                Some(callee) => {
                    let callee = functions[callee];
                    let call = Call { site, callee, is_nested: false, is_from_nested: false };
                    builder.add_call(call, 1, &cost).unwrap();
                }
            }
        }
        let total = vec![Count::new(1000)];
        builder.add_part(Part { columns: vec![0], total, ..Part::default() }).unwrap();
        builder.finish()
    }

    /// The rows are files. What they cost in truth is known, as the programs were simulated.
    #[test]
    fn bounds_of_files() {
        let table = [
            // f0 and f1 call each other, which begins nothing of the file, and is no more of it. f1
            // is estimated at 32, and no file is below its functions.
            (
                "m@b 20, f0@a 2, f1@a 15, f2@b 22, \
                 m@b>f2 39, f0@a>f1 20, f1@a>f2 10, f1@a>f0 22, f2@b>f1 27",
                "a",
                27,
                Some((17, 32)),
            ),
            // At most what entered the cycle, which m paid.
            (
                "m@b 20, f0@b 8, f1@c 2, f2@c 15, \
                 m@b>f0 25, f0@b>f2 16, f0@b>f1 14, f1@c>f0 12, f2@c>f0 1",
                "c",
                20,
                Some((17, 25)),
            ),
            // f0 is called only while f2, which is of the file, is on the stack: it is exact.
            (
                "m@b 1, m@c 4, f0@a 20, f1@b 3, f2@c 23, \
                 m@c>f1 46, f0@a>f2 1, f1@b>f2 43, f2@c>f0 21",
                "c",
                50,
                None,
            ),
            // Of the calls of f by its own code in file h it is not known what is of that file.
            (
                "m@a 1, f@a 30, f@h 9, g@c 5, k@c 5, \
                 m@a>f 39, m@a>g 10, f@h>f 33, g@c>k 6, k@c>g 1",
                "h",
                39,
                Some((9, 39)),
            ),
        ];
        for (text, file, truth, expected) in table {
            let profile = profile(text);
            let graph = CallGraph::of_sides(&profile, true).new;
            let of_fragment = profile.fragments().iter().map(|fragment| fragment.file.0);
            let rows = Partition::new(&profile, profile.file_count(), of_fragment.collect());
            let FileId(row) = profile.find_file(file.as_bytes()).unwrap();
            let all = graph.inclusive(&rows).bounds;
            let found = all
                .iter()
                .find(|bounds| bounds.of == row)
                .map(|of| (of.least[0].or_zero(), of.most[0].or_zero()));
            assert_eq!(found, expected, "{text}");
            let (least, most) = found.unwrap_or((truth, truth));
            assert!((least..=most).contains(&truth), "{text}");
        }
    }
}

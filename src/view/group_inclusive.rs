//! Inclusive costs of groups of functions: what was spent while one of a group's functions was on the stack.
//!
//! That is what callers from other groups paid for calling in; calls within a group are part of it. A call that comes
//! back, from a function that the group itself called, is part of an earlier call too, and not added again. If both the
//! group and others call such a function, how much of it is for the group is not recorded: it is taken in
//! proportion to what its callers paid. So no group costs more than the program, and all is exact where nothing comes
//! back on two ways. In a cycle of functions each is what it is in the list of functions: its own lines and the calls
//! that leave the cycle; lines that were inlined from another group likewise.

use hashbrown::HashMap;

use super::components::components;
use super::grouped::Grouped;
use super::{Cost, RowId, Rows};
use crate::profile::{Count, FunctionId, Overflow, Profile, Side, add_cost};

/// The inclusive costs of all rows, one after the other, and which rows have any part in the profile.
pub(super) fn group_inclusive(
    profile: &Profile,
    rows: &Rows<'_>,
) -> Result<(Vec<Count>, Vec<bool>), Overflow> {
    let graph = Graph::new(profile, rows);
    let mut has_row = vec![false; rows.len()];
    let named = profile.functions().filter(|(_, seen)| seen.last_seen > 0);
    let named = named.map(|(function, _)| rows.of_function(function));
    let called = rows.of_calls().iter().flat_map(|&(a, b)| [a, b]);
    for row in rows.of_costs().iter().copied().chain(called).chain(named) {
        has_row[row.index()] = true;
    }
    let counts = match profile.both_sides()? {
        None => {
            let cost = |row| profile.costs.cost(row);
            Spent::new(&graph, profile, rows, &cost, &|row| profile.call(row).2)?
                .inclusive(&graph, rows)?
        }
        // Shares are those of each side by itself.
        Some([new, old]) => {
            let width = profile.events.len();
            let side = |side: &Side| {
                let cost = |row: usize| &side.costs[row * width..(row + 1) * width];
                let call = |row: usize| &side.calls[row * width..(row + 1) * width];
                Spent::new(&graph, profile, rows, &cost, &call)?.inclusive(&graph, rows)
            };
            let mut new = side(&new)?;
            for (count, old) in new.iter_mut().zip(side(&old)?) {
                if let Some(old) = old.value() {
                    count.add(Count::new(old.checked_neg().ok_or(Overflow)?)?)?;
                }
            }
            new
        }
    };
    Ok((counts, has_row))
}

/// Who calls whom, cycles of functions being one.
struct Graph {
    /// The place of each function: callers come before those they call; members of a cycle share one.
    place: Vec<usize>,
    /// The functions at each place.
    members: Vec<Vec<u32>>,
    arcs: Vec<Arc>,
    /// The arc of each call of the profile; none if it stays within its place.
    of_call: Vec<Option<u32>>,
    /// The arcs into each place.
    into: Grouped,
    /// The functions of each row, and those of which it has some lines only, each in the order of their places.
    functions: Grouped,
    pieces: Vec<(u32, RowId)>,
    of_row: Grouped,
}

/// The calls from the lines of a function that lie in one row to a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Arc {
    caller: u32,
    site: RowId,
    to: usize,
}

impl Graph {
    fn new(profile: &Profile, rows: &Rows<'_>) -> Graph {
        let functions = profile.functions().count();
        let ends = profile.calls.iter();
        let ends = ends.map(|(call, _)| (call.site.function.0, call.callee.0));
        let mut members = components(functions, ends);
        members.reverse();
        let mut place = vec![0; functions];
        for (number, members) in members.iter().enumerate() {
            members.iter().for_each(|&f| place[f as usize] = number);
        }
        let (mut arcs, mut index) = (Vec::new(), HashMap::new());
        let mut of_call = Vec::new();
        let mut pieces = Vec::new();
        let mut add_piece = |function: u32, row: RowId| {
            let own = rows.of_function(FunctionId(function));
            if own != row {
                pieces.push((function, row));
            }
        };
        for ((call, _), &(site, _)) in profile.calls.iter().zip(rows.of_calls()) {
            let caller = call.site.function.0;
            add_piece(caller, site);
            let to = place[call.callee.index()];
            let arc = Arc { caller, site, to };
            let leaves = place[caller as usize] != to;
            of_call.push(leaves.then(|| {
                *index.entry(arc).or_insert_with(|| {
                    arcs.push(arc);
                    arcs.len() as u32 - 1
                })
            }));
        }
        for ((at, _), &row) in profile.costs.iter().zip(rows.of_costs()) {
            add_piece(at.function.0, row);
        }
        pieces.sort_unstable_by_key(|&(function, row)| (place[function as usize], function, row));
        pieces.dedup();
        let row_of = |function| Some(rows.of_function(FunctionId(function)).index());
        Graph {
            into: Grouped::new(members.len(), arcs.iter().map(|arc| Some(arc.to))),
            functions: Grouped::new(rows.len(), (0..functions as u32).map(row_of)),
            of_row: Grouped::new(rows.len(), pieces.iter().map(|(_, row)| Some(row.index()))),
            place,
            members,
            arcs,
            of_call,
            pieces,
        }
    }
}

/// What each part of the graph spent.
struct Spent {
    width: usize,
    /// By function: its lines, and the calls that leave its place.
    of_function: Vec<Count>,
    /// By piece, likewise.
    of_piece: Vec<Count>,
    /// By arc.
    of_arc: Vec<Count>,
    /// By place: what was paid for all arcs into it.
    paid: Vec<Count>,
}

impl Spent {
    fn new<'c>(
        graph: &Graph,
        profile: &Profile,
        rows: &Rows<'_>,
        cost_of: &dyn Fn(usize) -> &'c [Count],
        cost_of_call: &dyn Fn(usize) -> &'c [Count],
    ) -> Result<Spent, Overflow> {
        let width = profile.events.len();
        let none = |rows: usize| vec![Count::UNDEFINED; rows * width];
        let mut spent = Spent {
            width,
            of_function: none(graph.place.len()),
            of_piece: none(graph.pieces.len()),
            of_arc: none(graph.arcs.len()),
            paid: none(graph.members.len()),
        };
        let piece_of: HashMap<_, _> = graph.pieces.iter().copied().zip(0..).collect();
        let add = |sums: &mut Vec<Count>, at: usize, cost| {
            add_cost(&mut sums[at * width..(at + 1) * width], cost)
        };
        for (number, ((at, _), &row)) in profile.costs.iter().zip(rows.of_costs()).enumerate() {
            add(&mut spent.of_function, at.function.index(), cost_of(number))?;
            if let Some(&piece) = piece_of.get(&(at.function.0, row)) {
                add(&mut spent.of_piece, piece, cost_of(number))?;
            }
        }
        for (number, arc) in graph.of_call.iter().enumerate() {
            let Some(arc) = arc.map(|arc| arc as usize) else {
                continue;
            };
            let Arc { caller, site, to } = graph.arcs[arc];
            let cost = cost_of_call(number);
            add(&mut spent.of_arc, arc, cost)?;
            add(&mut spent.paid, to, cost)?;
            add(&mut spent.of_function, caller as usize, cost)?;
            if let Some(&piece) = piece_of.get(&(caller, site)) {
                add(&mut spent.of_piece, piece, cost)?;
            }
        }
        Ok(spent)
    }

    /// Adds up all rows.
    fn inclusive(&self, graph: &Graph, rows: &Rows<'_>) -> Result<Vec<Count>, Overflow> {
        let mut shares = vec![0.0; graph.members.len() * self.width];
        let mut counts = Vec::new();
        for row in 0..rows.len() as u32 {
            let group = Group {
                row: RowId(row),
                graph,
                rows,
                spent: self,
            };
            counts.extend(group.inclusive(&mut shares)?);
        }
        Ok(counts)
    }
}

/// One group, while it is added up.
struct Group<'g, 'p> {
    row: RowId,
    graph: &'g Graph,
    rows: &'g Rows<'p>,
    spent: &'g Spent,
}

impl Group<'_, '_> {
    fn has(&self, function: u32) -> bool {
        self.rows.of_function(FunctionId(function)) == self.row
    }

    /// The share of an arc's cost that is spent for the group, by what is known of its caller's place.
    fn share_of(&self, arc: Arc, first: usize, shares: &[f64], event: usize) -> f64 {
        let from = self.graph.place[arc.caller as usize];
        if arc.site == self.row || self.has(arc.caller) {
            1.0
        } else if from <= first {
            0.0
        } else {
            shares[from * self.spent.width + event]
        }
    }

    fn inclusive(&self, shares: &mut [f64]) -> Result<Cost, Overflow> {
        let (graph, spent, width) = (self.graph, self.spent, self.spent.width);
        let row = self.row.index();
        let functions = graph.functions.of(row);
        let pieces = graph.of_row.of(row);
        let of_pieces = pieces.iter().map(|&piece| graph.pieces[piece as usize].0);
        let mut places: Vec<_> = functions.iter().copied().chain(of_pieces).collect();
        places
            .iter_mut()
            .for_each(|f| *f = graph.place[*f as usize] as u32);
        places.sort_unstable();
        places.dedup();
        let mut sum = Sum::new(width);
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
            return sum.finish();
        };
        let (first, last) = (first as usize, last as usize);
        shares[first * width..(first + 1) * width].fill(0.0);
        for place in first + 1..=last {
            self.find_shares(place, first, shares);
        }
        for &place in &places {
            let place = place as usize;
            let of_place = shares[place * width..(place + 1) * width].to_vec();
            let members = &graph.members[place];
            let (inside, others): (Vec<u32>, Vec<u32>) =
                members.iter().partition(|&&f| self.has(f));
            let arcs = graph.into.of(place);
            if others.is_empty() && !arcs.is_empty() {
                for &arc in arcs {
                    let paid = &spent.of_arc[arc as usize * width..(arc as usize + 1) * width];
                    let arc = graph.arcs[arc as usize];
                    sum.add(paid, |event| self.share_of(arc, first, shares, event))?;
                }
            } else {
                let share = |event: usize| {
                    if others.is_empty() {
                        0.0
                    } else {
                        of_place[event]
                    }
                };
                for function in inside {
                    let at = function as usize * width;
                    sum.add(&spent.of_function[at..at + width], share)?;
                }
            }
        }
        for &piece in pieces {
            let (function, _) = graph.pieces[piece as usize];
            let at = graph.place[function as usize] * width;
            let own = piece as usize * width;
            sum.add(&spent.of_piece[own..own + width], |event| {
                shares[at + event]
            })?;
        }
        sum.finish()
    }

    /// Notes which share of a place is spent for the group, given those of all places before it.
    fn find_shares(&self, place: usize, first: usize, shares: &mut [f64]) {
        let width = self.spent.width;
        for event in 0..width {
            let paid = self.spent.paid[place * width + event].or_zero();
            let mut of_group = 0.0;
            for &arc in self.graph.into.of(place) {
                let cost = self.spent.of_arc[arc as usize * width + event].or_zero();
                let arc = self.graph.arcs[arc as usize];
                of_group += cost as f64 * self.share_of(arc, first, shares, event);
            }
            shares[place * width + event] = if paid == 0 {
                0.0
            } else {
                of_group / paid as f64
            };
        }
    }
}

/// A sum of counts and of parts of counts.
struct Sum {
    exact: Cost,
    parts: Vec<f64>,
}

impl Sum {
    fn new(width: usize) -> Sum {
        Sum {
            exact: vec![Count::UNDEFINED; width],
            parts: vec![0.0; width],
        }
    }

    /// Adds what of `cost` is not in the share.
    fn add(&mut self, cost: &[Count], share: impl Fn(usize) -> f64) -> Result<(), Overflow> {
        for (event, &count) in cost.iter().enumerate() {
            let share = share(event);
            if share == 0.0 {
                self.exact[event].add(count)?;
            } else if let Some(value) = count.value() {
                self.exact[event].add(Count::ZERO)?;
                self.parts[event] += value as f64 * (1.0 - share);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Cost, Overflow> {
        for (count, part) in self.exact.iter_mut().zip(self.parts) {
            if part.abs() >= i64::MAX as f64 {
                return Err(Overflow);
            }
            if part != 0.0 {
                count.add(Count::new(part.round() as i64)?)?;
            }
        }
        Ok(self.exact)
    }
}

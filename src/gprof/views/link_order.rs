//! The orders in which a linker may be given functions or object files, so that those that call
//! each other are near each other: as GNU gprof 2.40 orders them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use crate::profile::Ordered;
use crate::program::Symbols;
use crate::read::gmon::ProgramPlaces;

/// The objects in order; those of which the program has nothing are last. `calls` are those between
/// places, by number, in the order in which they were recorded.
///
/// What has a place in the order are the program's functions, which [`ObjectMap`] has named after
/// their objects. An object is listed several times if the map has functions of others between its
/// own.
///
/// [`ObjectMap`]: crate::program::ObjectMap
pub fn object_order<'s>(
    symbols: &'s Symbols,
    places: &ProgramPlaces,
    calls: impl Iterator<Item = (u32, u32, u64)>,
) -> Vec<&'s [u8]> {
    let objects: Vec<Option<u32>> = places
        .list
        .iter()
        .map(|place| {
            let symbol = place.symbol.filter(|_| place.is_symbol)?;
            symbols.list[symbol as usize].object
        })
        .collect();
    let order = order_of_objects(&objects, calls);
    let has_place: BTreeSet<u32> = order.iter().copied().collect();
    let rest: BTreeSet<_> = (0..symbols.objects.len() as u32)
        .filter(|object| !has_place.contains(object))
        .map(|object| &*symbols.objects[object as usize])
        .collect();
    order.into_iter().map(|object| &*symbols.objects[object as usize]).chain(rest).collect()
}

/// The objects of functions in order; `objects` are those of all functions, none if the map has no
/// line for a function.
///
/// A call puts two functions next to each other, or one at the nearer end of those that the other
/// one is among. The last 1% of all calls does not count, so that a few functions that are seldom
/// called keep their order, as do all others. Functions next to each other come in the order in
/// which one of them first called another function, be this one in the map or not.
fn order_of_objects(
    objects: &[Option<u32>],
    calls: impl Iterator<Item = (u32, u32, u64)>,
) -> Vec<u32> {
    let between = calls_between(calls);
    let object = |function: u32| objects.get(function as usize).copied().flatten();
    let mut chains = Chains::new(objects.len());
    for (caller, callee, _) in &between[..count_of_most(&between)] {
        if object(*caller).is_some() && object(*callee).is_some() {
            chains.link(*caller, *callee);
        }
    }
    let linked = chains.in_order_of(&between);
    let alone = (0..objects.len() as u32).filter(|&function| !chains.have(function));
    linked.into_iter().chain(alone).filter_map(object).collect()
}

/// The functions of a program in order; `is_called` says by function whether others called it.
/// `calls` are in the order in which they were recorded.
///
/// The calls between two functions that were called put these next to each other, or one at the
/// nearer end of those that the other one is among, the most frequent calls first. Those that are
/// the last 1% of all calls do so among functions that have no place yet. Functions next to each
/// other come in the order of their most frequent calls; others that were called follow, then those
/// that nothing called.
pub fn function_order(
    is_called: &[bool],
    calls: impl Iterator<Item = (u32, u32, u64)>,
) -> Vec<u32> {
    let mut between = calls_between(calls);
    between.sort_by_key(|&(_, _, count)| Reverse(count));
    let (most, others) = between.split_at(count_of_most(&between));
    let is_between_called =
        |call: &&CallCount| is_called[call.0 as usize] && is_called[call.1 as usize];
    let mut chains = Chains::new(is_called.len());
    for (caller, callee, _) in most.iter().filter(is_between_called) {
        chains.link(*caller, *callee);
    }
    let has_place: Vec<bool> = chains.of.iter().map(Option::is_some).collect();
    for (caller, callee, _) in others.iter().filter(is_between_called) {
        if !has_place[*caller as usize] && !has_place[*callee as usize] {
            chains.link(*caller, *callee);
        }
    }
    let linked = chains.in_order_of(&between);
    let alone = (0..is_called.len() as u32).filter(|&function| !chains.have(function));
    let (called, unused): (Vec<_>, Vec<_>) =
        alone.partition(|&function| is_called[function as usize]);
    [linked, called, unused].concat()
}

/// A caller, a callee, and the number of calls.
type CallCount = (u32, u32, u128);

/// The calls between different functions, one item for each pair of them.
fn calls_between(calls: impl Iterator<Item = (u32, u32, u64)>) -> Vec<CallCount> {
    let mut between: Ordered<(u32, u32), u128> = Ordered::default();
    for (caller, callee, count) in calls.filter(|(caller, callee, _)| caller != callee) {
        *between.entry((caller, callee)).or_default() += u128::from(count);
    }
    between.into_iter().map(|((caller, callee), count)| (caller, callee, count)).collect()
}

/// How many items, from the first one on, have at most 99% of all calls.
fn count_of_most(between: &[CallCount]) -> usize {
    let all: u128 = between.iter().map(|(_, _, count)| count).sum();
    let mut sum = 0;
    let is_in_most = |(_, _, count): &&CallCount| {
        sum += count;
        sum * 100 <= all * 99
    };
    between.iter().take_while(is_in_most).count()
}

/// Functions that were put next to each other.
struct Chains {
    list: Vec<VecDeque<u32>>,
    /// By function, the number of its chain and its distance from the function with which the chain
    /// began, to the right; none if it is in no chain.
    of: Vec<Option<(usize, i64)>>,
    /// By chain, the distance of its first function.
    first: Vec<i64>,
}

impl Chains {
    fn new(functions: usize) -> Chains {
        Chains { list: Vec::new(), of: vec![None; functions], first: Vec::new() }
    }

    fn have(&self, function: u32) -> bool {
        self.of[function as usize].is_some()
    }

    /// The functions of all chains: these are in the order in which one of their functions first
    /// is a caller.
    fn in_order_of(&self, calls: &[CallCount]) -> Vec<u32> {
        let mut order = Vec::new();
        let mut is_listed = vec![false; self.list.len()];
        for (caller, _, _) in calls {
            if let Some((chain, _)) = self.of[*caller as usize]
                && !std::mem::replace(&mut is_listed[chain], true)
            {
                order.extend(&self.list[chain]);
            }
        }
        order
    }

    fn link(&mut self, from: u32, to: u32) {
        match (self.of[from as usize], self.of[to as usize]) {
            (None, None) => {
                let chain = self.list.len();
                self.list.push(VecDeque::from([from, to]));
                self.first.push(0);
                self.of[from as usize] = Some((chain, 0));
                self.of[to as usize] = Some((chain, 1));
            }
            (Some((chain, at)), None) => {
                let (before, after) = self.around(chain, at);
                self.add(to, chain, before < after);
            }
            (None, Some((chain, at))) => {
                let (before, after) = self.around(chain, at);
                self.add(from, chain, before <= after);
            }
            (Some(_), Some(_)) => {}
        }
    }

    /// The numbers of functions before and after a place in a chain.
    fn around(&self, chain: usize, at: i64) -> (i64, i64) {
        let before = at - self.first[chain];
        (before, self.list[chain].len() as i64 - 1 - before)
    }

    fn add(&mut self, function: u32, chain: usize, is_before: bool) {
        let functions = &mut self.list[chain];
        if is_before {
            functions.push_front(function);
            self.first[chain] -= 1;
            self.of[function as usize] = Some((chain, self.first[chain]));
        } else {
            let at = self.first[chain] + functions.len() as i64;
            functions.push_back(function);
            self.of[function as usize] = Some((chain, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls<'c>(
        names: &'c [&str],
        calls: &'c str,
    ) -> impl Iterator<Item = (u32, u32, u64)> + use<'c> {
        calls.split_whitespace().map(|call| {
            let number =
                |at: usize| names.iter().position(|name| *name == &call[at..=at]).unwrap() as u32;
            (number(0), number(1), call[2..].parse().unwrap())
        })
    }

    fn joined(names: &[&str], order: Vec<u32>) -> String {
        order.into_iter().map(|number| names[number as usize]).collect::<Vec<_>>().join(" ")
    }

    /// The orders that gprof prints for functions whose objects have their names.
    #[test]
    fn orders_of_objects() {
        // The calls as caller, callee and count; the map has no line for function X.
        let table = [
            ("mc1 mb1 ma1", "b m c a d e f"),
            ("mc1 mb1 ma1 md10", "b m c a d e f"),
            ("mc198 mb1 ma1", "m c a b d e f"),
            ("mc199 mb1 ma1", "m a b c d e f"),
            ("ef1 cd1 ab1", "e f c d m a b"),
            ("eb1 ec1 ed1 ef1", "c e b d m a f"),
            ("be1 ce1 de1 fa1", "d b e c m a f"),
            ("ab1 cd1 ac1 fm1", "a b c d m e f"),
            ("ab1 bb1 ff9", "m a b c d e f"),
            ("aX1 cd1 ea1 ab1", "e a c d m b f"),
            ("Xa1 cd1 ea1 ab1", "c d e a m b f"),
            ("aX1 bX1 cd1 ea1 eb1", "e a c d m b f"),
            ("aX10 bX10 cd10 ea1", "c d m a b e f"),
            ("", "m a b c d e f"),
        ];
        let names = ["m", "a", "b", "c", "d", "e", "f", "X"];
        let mut objects: Vec<Option<u32>> = (0..8).map(Some).collect();
        objects[7] = None;
        for (text, expected) in table {
            let order = order_of_objects(&objects, calls(&names, text));
            assert_eq!(joined(&names, order), expected, "{text}");
        }
    }

    /// The orders that gprof prints with `-r`; `m` calls the first five functions once.
    #[test]
    fn orders_of_functions() {
        let names = ["m", "a", "b", "c", "d", "e", "f"];
        let table = [
            ("", "a b c d e m f"),
            ("da1", "d a b c e m f"),
            ("da1 ec1", "d a e c b m f"),
            ("da1 ec2", "e c d a b m f"),
            ("da1 ac1", "d a b c e m f"),
            ("da1 ac2", "a c b d e m f"),
            ("da1 ac1 ca9", "c a d b e m f"),
            ("eb1 da1 dc1", "e b d a c m f"),
            ("eb1 da1 dc1 ed1", "e b c d a m f"),
            ("eb5 da1 dc5 ed5", "e b d c a m f"),
            ("fm1", "d b m a c e f"),
            ("aa9", "a b c d e m f"),
            ("ff9", "a b c d e m f"),
        ];
        for (text, expected) in table {
            let text = format!("ma1 mb1 mc1 md1 me1 {text}");
            let mut is_called = [false; 7];
            for (caller, callee, _) in calls(&names, &text) {
                is_called[callee as usize] |= caller != callee;
            }
            let order = function_order(&is_called, calls(&names, &text));
            assert_eq!(joined(&names, order), expected, "{text}");
        }
    }
}

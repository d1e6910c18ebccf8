//! What pairs of renamed functions are made of: the functions of one file and readable name are a
//! group, of which the cost, the calls, the lines and the files are compared. Functions whose file
//! is not known are a group if they have the same object.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::demangle::demangle;
use crate::profile::{
    Count, FileId, Function, FunctionId, Measured, NameId, ObjectId, Ordered, Place, Presence,
    Profile, split_suffixes, without_build,
};
use crate::source::is_no_file;

/// The functions of one file and readable name, without what varies from build to build.
pub(super) struct RenameGroup {
    pub(super) file: FileId,
    pub(super) name: Vec<u8>,
    pub(super) functions: Vec<FunctionId>,
    /// Of the two compared sides those that have it.
    pub(super) on: Presence,
    /// Of all sides those that have it.
    pub(super) on_all: Presence,
    pub(super) facts: Facts,
}

/// What is compared of a function on the side that has it. Functions are nodes: a group by its
/// number, any other function by the numbers after them.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) cost: i64,
    /// The calls by others.
    pub(super) calls: i64,
    pub(super) callers: BTreeSet<u32>,
    pub(super) callees: BTreeSet<u32>,
    /// The lines in its own file that have costs.
    pub(super) lines: HashSet<u32>,
    /// All files with code of it.
    pub(super) files: BTreeSet<FileId>,
}

impl RenameGroup {
    /// Adds the compared sides and all sides that have a function.
    fn add(&mut self, on: Presence, on_all: Presence) {
        self.on = self.on.or(on);
        self.on_all = self.on_all.or(on_all);
    }
}

/// The readable names of functions without levels, callers and what varies from build to build,
/// each once, with a number.
#[derive(Default)]
pub(super) struct OwnNames {
    numbers: HashMap<NameId, u32>,
    texts: Ordered<Vec<u8>, ()>,
}

impl OwnNames {
    /// The number of the own name of a name.
    fn number(&mut self, profile: &Profile, name: NameId) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            let own = self.texts.entry(own_name(profile.name(name)));
            let number = own.index() as u32;
            own.or_default();
            number
        })
    }

    fn text(&self, number: u32) -> &[u8] {
        self.texts.get_index(number as usize).map_or(b"", |(text, ())| text)
    }
}

/// By function the sides that have it.
pub(super) fn sides_of_functions(profile: &Profile) -> Vec<Presence> {
    let mut on = vec![Presence::default(); profile.function_count()];
    let mut add = |function: FunctionId, sides: Presence| {
        on[function.index()] = on[function.index()].or(sides);
    };
    for (place, sides) in profile.places_and_sites() {
        add(profile.fragment(place.fragment).function, sides);
    }
    for (number, call) in profile.calls.iter().enumerate() {
        add(call.callee, profile.presence_of_call(number));
    }
    on
}

/// The groups of functions that only one of two sides has.
pub(super) struct RenameGroups {
    pub(super) list: Vec<RenameGroup>,
    /// By function its node.
    pub(super) nodes: Vec<u32>,
    /// The index of the side with the new names; the next one is before it.
    pub(super) later: usize,
}

impl RenameGroups {
    /// None if no function is gone, or none is new. `sides_of` is by function.
    pub(super) fn new(
        profile: &Profile,
        later: usize,
        sides_of: &[Presence],
        names: &mut OwnNames,
    ) -> Option<RenameGroups> {
        let on: Vec<Presence> = sides_of
            .iter()
            .map(|sides| Presence::of(sides.has(later), sides.has(later + 1)))
            .collect();
        let has = |of: Presence| on.contains(&of);
        let [base, new] = [(false, true), (true, false)].map(|(new, base)| Presence::of(new, base));
        if !has(base) || !has(new) {
            return None;
        }
        let mut numbers: HashMap<(FileId, Option<ObjectId>, u32), usize> = HashMap::new();
        let key = |function: &Function, name: u32| {
            let has_file = !is_no_file(profile.file(function.file));
            (function.file, (!has_file).then_some(function.object), name)
        };
        let mut list: Vec<RenameGroup> = Vec::new();
        let is_on_one = |id: FunctionId| on[id.index()].new != on[id.index()].base;
        for (id, function) in profile.functions().filter(|&(id, _)| is_on_one(id)) {
            let name = names.number(profile, function.name);
            let number = *numbers.entry(key(function, name)).or_insert_with(|| {
                list.push(RenameGroup {
                    file: function.file,
                    name: names.text(name).to_vec(),
                    functions: Vec::new(),
                    on: Presence::default(),
                    on_all: Presence::default(),
                    facts: Facts::default(),
                });
                list.len() - 1
            });
            list[number].functions.push(id);
            list[number].add(on[id.index()], sides_of[id.index()]);
        }
        let count = list.len() as u32;
        let mut nodes: Vec<u32> = (0..on.len() as u32).map(|id| count + id).collect();
        for (number, group) in (0..).zip(&list) {
            group.functions.iter().for_each(|id| nodes[id.index()] = number);
        }
        let files: HashSet<FileId> = list.iter().map(|group| group.file).collect();
        let others = profile.functions().filter(|&(id, _)| !is_on_one(id));
        for (id, function) in others.filter(|(_, of)| files.contains(&of.file)) {
            if let Some(&number) = numbers.get(&key(function, names.number(profile, function.name)))
            {
                // Another build of a function that both sides have, or one of other sides.
                list[number].add(on[id.index()], sides_of[id.index()]);
                nodes[id.index()] = number as u32;
            }
        }
        Some(RenameGroups { list, nodes, later })
    }

    /// The two compared sides.
    pub(super) fn sides(profile: &Profile, later: usize) -> impl Iterator<Item = &Measured> {
        profile.sides().iter().skip(later).take(2)
    }

    /// Adds what is compared of the groups that only one side has.
    pub(super) fn add_facts(&mut self, profile: &Profile) {
        let is_compared: Vec<bool> =
            self.list.iter().map(|group| group.on.new != group.on.base).collect();
        let nodes = &self.nodes;
        let group_of_node =
            |node: u32| Some(node as usize).filter(|&node| is_compared.get(node) == Some(&true));
        let groups = &mut self.list;
        let add_place = |groups: &mut [RenameGroup], place: Place, cost: &[Count]| {
            let fragment = profile.fragment(place.fragment);
            let Some(number) = group_of_node(nodes[fragment.function.index()]) else {
                return;
            };
            let RenameGroup { file, facts, .. } = &mut groups[number];
            facts.files.insert(fragment.file);
            let line = profile.line(place);
            if fragment.file == *file && line > 0 {
                facts.lines.insert(line);
            }
            let first = cost.first().map_or(0, |count| count.or_zero());
            facts.cost = facts.cost.saturating_add(first);
        };
        for side in Self::sides(profile, self.later) {
            for (place, cost) in profile.costs_of(side) {
                add_place(groups, place, cost);
            }
            for (call, calls, _) in profile.calls_of(side) {
                add_place(groups, call.site, &[]);
                let caller = profile.fragment(call.site.fragment).function;
                let [caller, callee] = [caller, call.callee].map(|id| nodes[id.index()]);
                if caller == callee {
                    continue;
                }
                if let Some(number) = group_of_node(callee) {
                    let group = &mut groups[number];
                    group.facts.calls = group.facts.calls.saturating_add(calls);
                    group.facts.callers.insert(caller);
                }
                if let Some(number) = group_of_node(caller) {
                    groups[number].facts.callees.insert(callee);
                }
            }
        }
    }

    /// The numbers of the groups that only a side has.
    pub(super) fn only(&self, is_new: bool) -> impl Iterator<Item = usize> {
        let is_only = move |group: &RenameGroup| (group.on.new, group.on.base) == (is_new, !is_new);
        (0..self.list.len()).filter(move |&number| is_only(&self.list[number]))
    }
}

/// The readable name of a function without levels, callers and what varies from build to build.
pub(in crate::transform) fn own_name(symbol: &[u8]) -> Vec<u8> {
    let readable = demangle(symbol);
    let own = split_suffixes(&readable).next().unwrap_or_default();
    without_build(own)
}

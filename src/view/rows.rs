//! The rows of the report: a source file together with the name of a function.
//!
//! One function can have several rows (code inlined from other files), and functions of the same file
//! and name in several objects share one, which shows the object last seen at `fn=`. Where a filter chooses
//! only some of what would share a row, that is a row by itself: what it costs is just what was chosen.

mod finder;

use std::borrow::Cow;
use std::cmp::Ordering;

use super::grouping::Groups;
use super::{Filter, Grouping, Label, Mark};
use crate::demangle::{demangle, is_plain};
use crate::profile::{FileId, FunctionId, NameId, ObjectId, Profile, Sides};
use finder::Finder;

/// The number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId(pub(super) u32);

impl RowId {
    /// The position in lists of rows.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What can have a line in the list of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A file and a function.
    Row(RowId),
    /// A call cycle, numbered from 1.
    Cycle(u32),
}

impl Item {
    /// What it is about.
    pub(super) fn label<'p>(self, rows: &Rows<'p>) -> Label<'p> {
        match self {
            Item::Row(row) => rows.label(row),
            Item::Cycle(number) => Label::Cycle(number as usize),
        }
    }

    /// Orders by name; a cycle, as the whole, comes before its parts.
    pub(super) fn by_name(self, other: Item, rows: &Rows<'_>) -> Ordering {
        match (self, other) {
            (Item::Row(a), Item::Row(b)) => rows.by_name(a, b),
            (Item::Cycle(a), Item::Cycle(b)) => a.cmp(&b),
            (Item::Cycle(_), Item::Row(_)) => Ordering::Less,
            (Item::Row(_), Item::Cycle(_)) => Ordering::Greater,
        }
    }
}

/// How rows are made and shown.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    /// Whether mangled names are made readable.
    pub demangles: bool,
    /// Which rows are asked for: the object of a function, its name, and the file of a line decide.
    pub filter: Filter,
    /// What a row stands for.
    pub grouping: Grouping,
}

/// All rows of a profile.
pub struct Rows<'p> {
    profile: &'p Profile,
    keys: Vec<(FileId, NameId)>,
    /// If rows are groups: these. The name in a key is then a group's number, the file nothing.
    groups: Option<Groups>,
    /// Which rows the filter chose; empty if there is no filter, so that all are.
    is_chosen: Vec<bool>,
    /// When the last function of each row was seen, from 1, and its object.
    objects: Vec<(u32, ObjectId)>,
    /// The call cycles that rows are members of; empty if there are none.
    cycles: Vec<Option<u32>>,
    /// Of a difference: which sides each row is on.
    sides: Vec<Sides>,
    /// The row of each self cost, in the order of the profile's table.
    of_cost: Vec<RowId>,
    /// The rows of caller and callee of each call, likewise.
    of_call: Vec<(RowId, RowId)>,
    /// The row in each function's own file.
    of_function: Vec<RowId>,
    demangles: bool,
    /// By name, whether it is readable as it is; empty if each is looked at when it is needed.
    is_plain: Vec<bool>,
}

impl<'p> Rows<'p> {
    /// Finds the rows of all places, calls and functions.
    pub fn new(profile: &'p Profile, options: &RowOptions) -> Rows<'p> {
        let mut finder = Finder::new(profile, options);
        let mut of_function = vec![None; profile.function_count()];
        let of_cost = profile.costs.iter();
        let of_cost: Vec<RowId> = of_cost
            .map(|(place, _)| {
                let row = finder.row(place.function, place.file);
                if profile.function(place.function).file == place.file {
                    of_function[place.function.index()] = Some(row);
                }
                row
            })
            .collect();
        // Most have a self cost in their own file.
        let of_function = profile.functions().zip(of_function);
        let of_function = of_function
            .map(|((id, function), row)| row.unwrap_or_else(|| finder.row(id, function.file)))
            .collect::<Vec<_>>();
        let of_call = profile.calls.iter();
        let of_call: Vec<(RowId, RowId)> = of_call
            .map(|(call, _)| {
                (
                    finder.row(call.site.function, call.site.file),
                    of_function[call.callee.index()],
                )
            })
            .collect();
        let mut objects = vec![(0, ObjectId(0)); finder.keys.len()];
        for ((_, function), row) in profile.functions().zip(&of_function) {
            let object = &mut objects[row.index()];
            *object = (*object).max((function.last_seen, function.object));
        }
        let sides = sides(profile, finder.keys.len(), &of_cost, &of_call);
        Rows {
            profile,
            keys: finder.keys,
            groups: finder.groups,
            is_chosen: finder.is_chosen,
            objects,
            cycles: Vec::new(),
            sides,
            of_cost,
            of_call,
            of_function,
            demangles: options.demangles,
            is_plain: Vec::new(),
        }
    }

    /// Looks at all names of functions once, for what shows them many times, as the call tree does.
    ///
    /// Measured 2026-11-21, a tree of 459,102 lines with names of 250 bytes: whether they are mangled took 33 of 200 ms
    /// that two threads made lines.
    pub fn look_at_names(&mut self) {
        if self.groups.is_none() && self.demangles {
            self.is_plain = self.profile.names().map(is_plain).collect();
        }
    }

    /// The profile that the rows are of.
    pub(super) fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// Marks a row as a member of a call cycle.
    pub(super) fn set_cycle(&mut self, row: RowId, cycle: usize) {
        self.cycles.resize(self.keys.len(), None);
        self.cycles[row.index()].get_or_insert(cycle as u32);
    }

    /// How many rows there are; their numbers are those below.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The numbers of all rows.
    pub fn all(&self) -> impl Iterator<Item = RowId> + use<> {
        (0..self.keys.len() as u32).map(RowId)
    }

    /// Whether a filter chooses among the rows.
    pub fn are_filtered(&self) -> bool {
        !self.is_chosen.is_empty()
    }

    /// Whether a row is one that the filter chose.
    #[inline]
    pub fn is_chosen(&self, row: RowId) -> bool {
        self.is_chosen.get(row.index()).copied().unwrap_or(true)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The row of each self cost of the profile.
    pub(super) fn of_costs(&self) -> &[RowId] {
        &self.of_cost
    }

    /// The rows of caller and callee of each call of the profile.
    pub(super) fn of_calls(&self) -> &[(RowId, RowId)] {
        &self.of_call
    }

    /// The row of a function in its own file.
    pub fn of_function(&self, function: FunctionId) -> RowId {
        self.of_function[function.index()]
    }

    /// What rows stand for.
    pub fn grouping(&self) -> Grouping {
        self.groups
            .as_ref()
            .map_or(Grouping::Function, |groups| groups.grouping)
    }

    /// The name of a function as it is shown, or that of its group.
    pub fn name_of(&self, function: FunctionId) -> Cow<'p, [u8]> {
        self.readable_name(self.of_function(function))
    }

    /// The file of a row, unless it is a group.
    pub fn file(&self, row: RowId) -> Option<FileId> {
        let is_function = self.groups.is_none();
        is_function.then_some(self.keys[row.index()].0)
    }

    /// The files in which what is listed has costs or calls.
    pub(super) fn files<'i>(&self, items: impl Iterator<Item = &'i Item>) -> Vec<FileId> {
        let rows = items.filter_map(|&item| match item {
            Item::Row(row) => Some(row),
            Item::Cycle(_) => None,
        });
        if self.groups.is_none() {
            return rows.filter_map(|row| self.file(row)).collect();
        }
        let mut is_listed = vec![false; self.len()];
        rows.for_each(|row| is_listed[row.index()] = true);
        let of_costs = self.profile.costs.iter().map(|(place, _)| place.file);
        let of_costs = of_costs.zip(self.of_cost.iter().copied());
        let of_calls = self.profile.calls.iter().map(|(call, _)| call.site.file);
        let of_calls = of_calls.zip(self.of_call.iter().map(|&(caller, _)| caller));
        let files = of_costs.chain(of_calls);
        let files = files.filter(|(_, row)| is_listed[row.index()]);
        let mut files: Vec<_> = files.map(|(file, _)| file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The name of a row's function as it stands in the profile, or that of a group.
    pub(super) fn symbol(&self, row: RowId) -> &[u8] {
        self.name(self.keys[row.index()].1)
    }

    fn name(&self, name: NameId) -> &[u8] {
        match &self.groups {
            None => self.profile.name(name),
            Some(groups) => &groups.texts[name.index()],
        }
    }

    /// Looks at the names and objects of some rows, which lie far apart in memory: if nothing is done with them,
    /// the processor fetches many at a time.
    ///
    /// Measured 2026-11-21 with 51,072 rows and names of 250 bytes, the whole program: their list 94 ms so and 98 ms
    /// without, the tree with their callers and callees 195 and 211 ms.
    pub(super) fn fetch(&self, items: impl Iterator<Item = Item>) {
        let mut seen = 0;
        for item in items {
            if let Item::Row(row) = item {
                let name = self.symbol(row);
                // No loop over the length: a branch that is taken wrong ends all that is under way.
                let byte = |at: usize| name.get(at.min(name.len().wrapping_sub(1)));
                let bytes = [0, 64, 128, 192].map(|at| byte(at).copied().unwrap_or(0));
                seen ^= u32::from_ne_bytes(bytes) ^ self.objects[row.index()].0;
            }
        }
        std::hint::black_box(seen);
    }

    /// The name of a row's function as it is shown, or that of a group.
    pub fn readable_name(&self, row: RowId) -> Cow<'p, [u8]> {
        let (_, name) = self.keys[row.index()];
        match &self.groups {
            None if self.demangles && self.is_plain.get(name.index()) != Some(&true) => {
                demangle(self.profile.name(name))
            }
            None => self.profile.name(name).into(),
            Some(groups) => Cow::Owned(groups.texts[name.index()].clone()),
        }
    }

    /// The call cycle that a row is a member of.
    fn cycle(&self, row: RowId) -> Option<usize> {
        let cycle = self.cycles.get(row.index()).copied().flatten();
        cycle.map(|cycle| cycle as usize)
    }

    /// The object that a row was last seen in.
    fn object(&self, row: RowId) -> Option<&'p [u8]> {
        let (last_seen, object) = self.objects[row.index()];
        (last_seen > 0).then(|| self.profile.known_object(object))?
    }

    /// What a row is about.
    pub fn label(&self, row: RowId) -> Label<'p> {
        let mark = self.sides.get(row.index()).copied().and_then(Mark::of);
        let name = self.readable_name(row);
        match self.file(row) {
            None => Label::Group { name, mark },
            Some(file) => Label::Function {
                file: self.profile.file(file),
                name,
                cycle: self.cycle(row),
                object: self.object(row),
                mark,
            },
        }
    }

    /// Compares two rows as if by their texts `file:name`, as they stand in the profile.
    pub(super) fn by_name(&self, a: RowId, b: RowId) -> Ordering {
        let ((file_a, name_a), (file_b, name_b)) = (self.keys[a.index()], self.keys[b.index()]);
        if file_a == file_b {
            return self.name(name_a).cmp(self.name(name_b));
        }
        let (text_a, text_b) = (self.profile.file(file_a), self.profile.file(file_b));
        let common = text_a.len().min(text_b.len());
        text_a[..common].cmp(&text_b[..common]).then_with(|| {
            let rest_a = text_a[common..]
                .iter()
                .chain(b":")
                .chain(self.profile.name(name_a));
            let rest_b = text_b[common..]
                .iter()
                .chain(b":")
                .chain(self.profile.name(name_b));
            rest_a.cmp(rest_b)
        })
    }
}

/// Which sides of a difference each row is on; empty if there is none.
fn sides(
    profile: &Profile,
    rows: usize,
    of_cost: &[RowId],
    of_call: &[(RowId, RowId)],
) -> Vec<Sides> {
    let Some(base) = &profile.base else {
        return Vec::new();
    };
    let mut sides = vec![Sides::default(); rows];
    let mut join = |row: RowId, other: Sides| sides[row.index()] = sides[row.index()].or(other);
    of_cost
        .iter()
        .enumerate()
        .for_each(|(i, &row)| join(row, base.sides_of_cost(i)));
    for (i, &(caller, callee)) in of_call.iter().enumerate() {
        join(caller, base.sides_of_call(i));
        join(callee, base.sides_of_call(i));
    }
    sides
}

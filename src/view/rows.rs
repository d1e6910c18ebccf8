//! The rows of the report: which code is one row. [`RowBy`] says by what, in most reports by
//! function.
//!
//! Functions of the same file and name in several objects share a row, which shows the object that
//! was last named by `fn=`. In callgrind_annotate's page, where a row is a source file and the name
//! of a function, one function can have several rows: code inlined from other files. If a filter
//! selects only part of what would share a row, that part is a row of its own with only the
//! selected costs.

mod divided;
mod finder;
mod group_places;
mod merge;
mod names;
mod requested;

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use crate::demangle::{demangle, displayed, is_unmangled};
use crate::graph::Partition;
use crate::profile::{
    Call, Division, FileId, FragmentId, FunctionId, NameId, NameTable, ObjectId, Place, Position,
    Presence, Profile,
};
use crate::source::normal;
use crate::view::figure::Mark;
use crate::view::label::{GroupPlace, Label, RowId};
use crate::view::row_by::{RowBy, RowOptions};
use crate::view::rows::divided::{divided_cycles, divided_rows};
use crate::view::rows::finder::{RowFinder, RowKey};
use crate::view::rows::group_places::of_groups;
use crate::view::rows::merge::{merge, presence_of_rows};
use crate::view::rows::requested::requested_rows;
use crate::view::source_texts::SourceTexts;
use crate::view::sums::{Alignments, LineKeys, SumsBuilder};

pub use divided::Divided;
pub use names::{NameOptions, RowNames};

/// The rows of a report: which code belongs to which row, and how a row is named.
pub struct Rows<'p> {
    pub profile: &'p Profile,
    pub row_by: RowBy,
    keys: Vec<RowKey>,
    /// The names of groups, if rows are groups. The name in a key is then a group's number, and the
    /// file is 0.
    groups: Option<NameTable>,
    pub is_filtered: bool,
    /// By row whether the filter selected it; empty without a filter.
    is_selected: Vec<bool>,
    /// Of a difference by row whether a filter has the name of its function.
    is_requested: Vec<bool>,
    /// By row the object of its last named function, else of any of its functions.
    objects: Vec<ObjectId>,
    /// By row whether a function was named.
    is_named: Vec<bool>,
    /// By row the number of its call cycle; empty if cycles are not shown.
    cycles: Vec<Option<u32>>,
    /// By row the sides that it is on; empty if this is not a difference.
    presence: Vec<Presence>,
    /// By group the files and objects of its code; empty if rows are not groups.
    places: Vec<GroupPlace<'p>>,
    /// The known texts of lines, if rows are lines.
    pub sources: SourceTexts,
    /// The disassembled texts of instructions by row, if rows are instructions whose code is found.
    pub instruction_texts: HashMap<RowId, Vec<u8>>,
    pub partition: Partition<'p>,
    /// By row whether it differs between the sides; empty if not needed.
    pub is_changed: Vec<bool>,
    pub(in crate::view) demangles: bool,
    pub names: RowNames<'p>,
    /// By name whether it needs no demangling; empty if each is checked on demand.
    is_unmangled: Vec<bool>,
    /// Whether the names of functions may end with the callers of a context.
    has_contexts: bool,
    /// By row, then by cycle, which figures are estimates; empty if no function was divided.
    divided: Vec<Divided>,
}

const NO_OBJECT: ObjectId = ObjectId(u32::MAX);

impl<'p> Rows<'p> {
    /// Makes the rows of all fragments, numbered in order of first cost, then of functions, then of
    /// calls.
    pub fn new(profile: &'p Profile, options: &RowOptions) -> Rows<'p> {
        let mut finder = RowFinder::new(profile, options);
        let mut of_fragment = vec![u32::MAX; profile.fragments().len()];
        let mut assign = |fragment: FragmentId| {
            let row = &mut of_fragment[fragment.index()];
            if *row == u32::MAX {
                *row = finder.row(fragment);
            }
        };
        let (functions, calls) = (profile.functions(), profile.calls.iter());
        profile.fragments_of_places().for_each(&mut assign);
        functions.for_each(|(id, _)| assign(profile.home(id)));
        calls.for_each(|call| assign(call.site.fragment));
        // Some fragments are only mentioned, by the site of a jump or of a call without a name.
        profile.fragments_with_ids().for_each(|(id, _)| assign(id));
        let mut partition = Partition::new(profile, finder.keys.len(), of_fragment);
        partition.has_homes = !options.row_by.is_place();
        let partition = if profile.is_difference() && !options.exact_match {
            merge(profile, &mut finder, options, partition)
        } else {
            partition
        };
        let objects = RowObjects::new(profile, &partition, &finder.objects);
        let presence = presence_of_rows(profile, &partition);
        Rows {
            profile,
            row_by: options.row_by,
            keys: finder.keys,
            groups: finder.groups.map(|groups| groups.names),
            is_filtered: !options.filter.is_empty(),
            is_requested: requested_rows(profile, &options.filter, &partition, &finder.is_selected),
            is_selected: finder.is_selected,
            objects: objects.of_row,
            is_named: objects.is_named,
            cycles: Vec::new(),
            places: of_groups(profile, options.row_by, &partition, &presence),
            presence,
            sources: SourceTexts::default(),
            instruction_texts: HashMap::new(),
            is_changed: Vec::new(),
            demangles: options.demangles,
            names: RowNames::default(),
            is_unmangled: Vec::new(),
            has_contexts: !options.row_by.is_group() && profile.is_from_callgrind(),
            divided: divided_rows(profile, &partition),
            partition,
        }
    }

    /// Sets the cycles of rows, by the number of each function's.
    pub fn with_cycles(mut self, number_of: impl Fn(FunctionId) -> Option<u32>) -> Rows<'p> {
        if !self.row_by.has_cycles() {
            return self;
        }
        // The functions that are at home in a row come before others whose code was inlined into
        // it; of several cycles the lowest number counts, so that the order in which the sides were
        // read does not matter.
        let mut first: Vec<Option<(bool, u32)>> = vec![None; self.keys.len()];
        for (id, fragment) in self.profile.fragments_with_ids() {
            if let Some(number) = number_of(fragment.function) {
                let order = (self.profile.home(fragment.function) != id, number);
                let known = first[self.of_fragment(id).index()].get_or_insert(order);
                *known = order.min(*known);
            }
        }
        let cycles = first.into_iter();
        self.cycles = cycles.map(|known| Some(known?.1)).collect();
        if self.has_divided() {
            self.divided.extend(divided_cycles(self.profile, number_of));
        }
        self
    }

    /// Checks all names for mangling, for views that show them many times, such as the call tree.
    pub fn with_names_checked(mut self) -> Rows<'p> {
        if self.groups.is_none() && self.demangles {
            self.is_unmangled = self.profile.names().map(is_unmangled).collect();
        }
        self
    }

    /// Whether two rows are the same or members of the same call cycle.
    pub fn are_in_one_cycle(&self, caller: RowId, callee: RowId) -> bool {
        let cycle = self.cycle(caller);
        caller == callee || cycle.is_some() && cycle == self.cycle(callee)
    }

    /// The number of rows; their ids are the numbers below it.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn all(&self) -> impl Iterator<Item = RowId> + use<> {
        (0..self.keys.len() as u32).map(RowId)
    }

    /// The number of the call cycle (from 1), if the item is a cycle.
    #[inline]
    pub fn whole_cycle(&self, item: RowId) -> Option<u32> {
        let after = item.0.checked_sub(self.len() as u32);
        after.map(|after| after + 1)
    }

    #[inline]
    pub fn is_row(&self, item: RowId) -> bool {
        item.index() < self.len()
    }

    pub fn of_cycle(&self, number: u32) -> RowId {
        RowId(self.len() as u32 + number - 1)
    }

    /// The sides that a row is on; all if this is not a difference.
    pub(super) fn presence(&self, row: RowId) -> Presence {
        self.presence.get(row.index()).copied().unwrap_or(Presence::ALL)
    }

    pub fn mark(&self, row: RowId) -> Option<Mark> {
        Mark::of(self.presence(row))
    }

    /// Which figures of a row are estimates, because functions were divided.
    pub fn divided(&self, row: RowId) -> Divided {
        self.divided.get(row.index()).copied().unwrap_or_default()
    }

    /// Whether some function was divided.
    pub fn has_divided(&self) -> bool {
        !self.divided.is_empty()
    }

    #[inline]
    pub fn is_selected(&self, row: RowId) -> bool {
        self.is_selected.get(row.index()) != Some(&false)
    }

    /// Whether the filter selected the row of a fragment.
    pub fn has_selected(&self, fragment: FragmentId) -> bool {
        self.is_selected(self.of_fragment(fragment))
    }

    /// The functions and files of the code in rows that the filter selected.
    pub fn selected_fragments(&self) -> HashSet<(FunctionId, FileId)> {
        let fragments = self.profile.fragments_with_ids();
        let selected = fragments
            .filter(|&(id, _)| self.has_selected(id))
            .map(|(_, fragment)| (fragment.function, fragment.file));
        selected.collect()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    #[inline]
    pub fn of_fragment(&self, fragment: FragmentId) -> RowId {
        RowId(self.partition.of_fragment(fragment))
    }

    #[inline]
    pub fn of_place(&self, place: Place) -> RowId {
        self.of_fragment(place.fragment)
    }

    #[inline]
    pub fn of_call(&self, call: Call) -> (RowId, RowId) {
        (self.of_place(call.site), self.of_function(call.callee))
    }

    /// The row of a function's code in its own file.
    #[inline]
    pub fn of_function(&self, function: FunctionId) -> RowId {
        RowId(self.partition.of_function(function))
    }

    /// Whether a row has code of the profile, and not only functions that made calls that led to
    /// it.
    pub fn has_part(&self, row: RowId) -> bool {
        self.first_function(row).is_none_or(|function| self.profile.has_part_of(function))
    }

    /// The first of the functions whose own file is in a row.
    pub fn first_function(&self, row: RowId) -> Option<FunctionId> {
        self.partition.at_home(row.0).next()
    }

    /// The name of a row as a frame of a stack: without callgrind's callers of a context, which are
    /// the frames above.
    pub fn frame_name(&self, row: RowId) -> Cow<'p, [u8]> {
        if !self.has_contexts {
            return self.display_name(row);
        }
        match self.recorded_name(self.keys[row.index()].name) {
            Cow::Borrowed(name) => displayed(name, self.demangles),
            Cow::Owned(name) => displayed(&name, self.demangles).into_owned().into(),
        }
    }

    /// A name as it was recorded, without the callers of its context.
    pub fn recorded_name(&self, name: NameId) -> Cow<'p, [u8]> {
        if self.has_contexts {
            self.profile.without_callers(name)
        } else {
            self.profile.name(name).into()
        }
    }

    /// The file of a row, unless it is a group.
    pub fn file(&self, row: RowId) -> Option<FileId> {
        let is_function = self.groups.is_none();
        is_function.then_some(self.keys[row.index()].file)
    }

    /// The files in which the listed items have costs or calls.
    pub(super) fn files<'i>(&self, items: impl Iterator<Item = &'i RowId>) -> Vec<FileId> {
        let rows = items.copied().filter(|&item| self.is_row(item));
        if self.row_by == RowBy::FileFunction {
            return rows.filter_map(|row| self.file(row)).collect();
        }
        let mut is_listed = vec![false; self.len()];
        rows.for_each(|row| is_listed[row.index()] = true);
        let fragments =
            self.profile.fragments_in_use().filter(|&id| is_listed[self.of_fragment(id).index()]);
        let mut files: Vec<_> = fragments.map(|id| self.profile.fragment(id).file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The names of files of these rows that have detours, and the same without.
    pub fn paths_with_detours(&self, rows: &[RowId]) -> Vec<(&'p [u8], Cow<'p, [u8]>)> {
        let files = self.files(rows.iter()).into_iter().map(|file| self.profile.file(file));
        files.map(|file| (file, normal(file))).filter(|(file, path)| **file != **path).collect()
    }
}

/// The objects of rows.
struct RowObjects {
    /// By row the object of its last named function, else of any of its functions.
    of_row: Vec<ObjectId>,
    /// By row whether a function was named.
    is_named: Vec<bool>,
}

impl RowObjects {
    /// Of the first rows, `known` are the objects that their keys have.
    fn new(profile: &Profile, partition: &Partition<'_>, known: &[ObjectId]) -> RowObjects {
        let mut objects = vec![(0, NO_OBJECT); partition.len()];
        for (id, function) in profile.functions() {
            let object = &mut objects[partition.of_function(id) as usize];
            let last_named = profile.last_named(function);
            if last_named > 0 {
                *object = (*object).max((last_named, function.object));
            }
        }
        for (of_row, object) in objects.iter_mut().zip(known) {
            of_row.1 = *object;
        }
        let is_named: Vec<bool> = objects.iter().map(|&(_, object)| object != NO_OBJECT).collect();
        for (id, fragment) in profile.fragments_with_ids() {
            let row = partition.of_fragment(id) as usize;
            if !is_named[row] {
                let function = profile.function(fragment.function);
                let last = (profile.last_named(function), function.object);
                let known = objects[row];
                objects[row] = if known.1 == NO_OBJECT { last } else { known.max(last) };
            }
        }
        RowObjects { of_row: objects.into_iter().map(|(_, object)| object).collect(), is_named }
    }
}

impl<'p> Rows<'p> {
    /// The name of a row's function in the profile, or of a group.
    pub fn symbol(&self, row: RowId) -> &[u8] {
        self.name(self.keys[row.index()].name)
    }

    fn name(&self, name: NameId) -> &[u8] {
        match &self.groups {
            None => self.profile.name(name),
            Some(groups) => groups.name(name.0),
        }
    }

    /// Prefetches the start of each name: names are far apart in memory, and the processor overlaps
    /// loads that are not interleaved with other work.
    pub(in crate::view) fn prefetch_names(&self, items: &[RowId]) {
        let mut seen = 0;
        for &row in items {
            if self.is_row(row) {
                let name = self.symbol(row);
                // No loop over the length: its end would be mispredicted.
                let last = name.len().wrapping_sub(1);
                let byte = |at: usize| u32::from(name.get(at.min(last)).copied().unwrap_or(0));
                let bytes = byte(0) ^ byte(64) ^ byte(128) ^ byte(192);
                seen ^= bytes ^ self.objects[row.index()].0;
            }
        }
        std::hint::black_box(seen);
    }

    /// The name of a function in the profile, or the number of a group.
    fn name_id(&self, row: RowId) -> NameId {
        self.keys[row.index()].name
    }

    pub fn display_name(&self, row: RowId) -> Cow<'p, [u8]> {
        let name = self.keys[row.index()].name;
        match &self.groups {
            None if self.demangles && self.is_unmangled.get(name.index()) != Some(&true) => {
                demangle(self.profile.name(name))
            }
            None => self.profile.name(name).into(),
            Some(groups) => Cow::Owned(groups.name(name.0).to_vec()),
        }
    }

    /// The source line of a row, 0 if the row is not a line.
    pub fn line(&self, row: RowId) -> u32 {
        self.keys[row.index()].place.line()
    }

    /// Whether a row is a line that only BASE's text has.
    pub fn is_removed_line(&self, row: RowId) -> bool {
        matches!(self.keys[row.index()].place, Division::RemovedLine(_))
    }

    /// The text of a source line, if it is known.
    fn source(&self, row: RowId) -> Option<&[u8]> {
        let (file, line) = (self.file(row)?, self.line(row));
        if self.is_removed_line(row) {
            self.sources.removed(file, line)
        } else {
            self.sources.get(file, line)
        }
    }

    /// The object and the address of a row that is an instruction of a known object.
    pub fn address(&self, row: RowId) -> Option<(ObjectId, u64)> {
        let object = Some(self.objects[row.index()]).filter(|&object| object != NO_OBJECT)?;
        (self.row_by == RowBy::Instruction).then(|| (object, self.position(row).address))
    }

    fn position(&self, row: RowId) -> Position {
        self.profile.position(self.keys[row.index()].place.position())
    }

    pub fn cycle(&self, row: RowId) -> Option<u32> {
        self.cycles.get(row.index()).copied().flatten()
    }

    fn is_gone(&self, row: RowId) -> bool {
        self.mark(row) == Some(Mark::Gone)
    }

    /// The name of a row's object, of a row that is gone BASE's.
    pub fn object(&self, row: RowId) -> Option<&'p [u8]> {
        let object = Some(self.objects[row.index()]).filter(|&object| object != NO_OBJECT)?;
        let base = if self.is_gone(row) { self.profile.base_object(object) } else { None };
        self.profile.defined_object(base.unwrap_or(object))
    }

    /// The name of a row's file, of a row that is gone BASE's.
    pub fn file_name(&self, row: RowId) -> Option<&'p [u8]> {
        let file = self.file(row)?;
        let base = if self.is_gone(row) { self.profile.base_file(file) } else { None };
        Some(self.profile.file(base.unwrap_or(file)))
    }

    /// The label of a row or a cycle, with full names.
    pub(super) fn full_label_of(&self, row: RowId) -> Label<'p> {
        if let Some(number) = self.whole_cycle(row) {
            return Label { cycle: Some(number), ..Label::default() };
        }
        let file = self.file_name(row);
        match file {
            Some(_) if self.row_by == RowBy::Instruction || self.line(row) > 0 => {
                self.label_of_place(row)
            }
            // All fields without `..Label::default()`, for speed: trees have very many labels.
            _ => Label {
                file,
                name: self.display_name(row),
                line: None,
                source: None,
                cycle: self.cycle(row),
                object: file.and_then(|_| self.object(row)),
                is_named: self.is_named[row.index()],
                group: match file {
                    Some(_) => None,
                    None => {
                        Some(Box::new(self.places.get(row.index()).copied().unwrap_or_default()))
                    }
                },
            },
        }
    }

    /// The label of a source line or an instruction.
    #[cold]
    fn label_of_place(&self, row: RowId) -> Label<'p> {
        // Only BASE's text has a removed line.
        let file_of_line = |file: FileId| match self.profile.base_file(file) {
            Some(base) if self.is_removed_line(row) => base,
            _ => file,
        };
        let file = self.file(row).map(|file| self.profile.file(file_of_line(file)));
        if self.row_by == RowBy::Instruction {
            let Position { address, line, .. } = self.position(row);
            return Label {
                file,
                name: self.display_name(row),
                line: Some(line),
                source: Some(format!("{address:#x}").into_bytes().into()),
                object: self.object(row),
                is_named: true,
                ..Label::default()
            };
        }
        Label {
            file,
            line: Some(self.line(row)),
            source: self.source(row).map(|text| text.trim_ascii().into()),
            ..Label::default()
        }
    }

    pub fn label_of(&self, item: RowId) -> Label<'p> {
        self.names.label(item, self)
    }

    /// The labels of several items that are shown together, with short names that differ.
    pub fn labels_of(&self, items: &[RowId]) -> Vec<Label<'p>> {
        self.names.labels(items, self)
    }

    /// Compares two rows by their texts `file:name`, as in the profile.
    pub(in crate::view) fn cmp_names(&self, a: RowId, b: RowId) -> Ordering {
        if self.row_by == RowBy::Instruction {
            let order = |row| {
                let position = self.position(row);
                let file = self.profile.file(self.keys[row.index()].file);
                (file, position.address, self.object(row), position.line)
            };
            return order(a).cmp(&order(b));
        }
        let (a, b) = (self.keys[a.index()], self.keys[b.index()]);
        if [a, b].iter().any(|key| key.place != Division::None) {
            // Lines of a file are ordered by the first bytes of their function's name, then by
            // number.
            let order = |key: RowKey| {
                let name = self.name(key.name);
                let start = &name[..name.len().min(8)];
                (self.profile.file(key.file), start, key.place.line())
            };
            return order(a).cmp(&order(b));
        }
        if a.file == b.file {
            return self.name(a.name).cmp(self.name(b.name));
        }
        let (text_a, text_b) = (self.profile.file(a.file), self.profile.file(b.file));
        let common = text_a.len().min(text_b.len());
        text_a[..common].cmp(&text_b[..common]).then_with(|| {
            let name = |name: NameId| b":".iter().chain(self.profile.name(name));
            let rest_a = text_a[common..].iter().chain(name(a.name));
            rest_a.cmp(text_b[common..].iter().chain(name(b.name)))
        })
    }

    /// Orders items by name; cycles come before rows.
    pub fn cmp_items(&self, a: RowId, b: RowId) -> Ordering {
        match (self.is_row(a), self.is_row(b)) {
            (true, true) => self.cmp_names(a, b),
            (false, false) => a.cmp(&b),
            (is_row, other) => is_row.cmp(&other),
        }
    }

    /// By row, whether a line's cost or calls, or the calls between it and another row, differ in
    /// these events.
    pub fn changes(&self, events: &[usize], alignments: &Alignments) -> Vec<bool> {
        let profile = self.profile;
        let line_keys = |row| LineKeys::new(alignments, self.file(row));
        let mut lines = SumsBuilder::new(profile);
        for (number, &place) in profile.places.iter().enumerate() {
            let (row, line) = (self.of_place(place), profile.line(place));
            let file = profile.fragment(place.fragment).file;
            line_keys(row).each(line, profile.presence_of_place(number), |key, on| {
                lines.add_place((row, file, key), number, on);
            });
        }
        let has_lines = self.row_by == RowBy::FileFunction;
        let (mut sites, mut calls) = (SumsBuilder::new(profile), SumsBuilder::new(profile));
        for (number, &call) in profile.calls.iter().enumerate() {
            let (caller, callee) = self.of_call(call);
            if self.row_by.is_group() && caller == callee {
                continue;
            }
            let line = profile.line(call.site);
            let line = if has_lines { line } else { 0 };
            let on = profile.presence_of_call(number);
            calls.add_call((caller, callee), number, on);
            line_keys(caller).each(line, on, |key, on| {
                sites.add_call((caller, callee, key), number, on);
            });
        }
        let (lines, sites, calls) = (lines.finish(), sites.finish(), calls.finish());
        let mut is_changed = vec![false; self.len()];
        let mark = |row: RowId| is_changed[row.index()] = true;
        lines
            .changed(events)
            .map(|(row, ..)| row)
            .chain(sites.changed(events).map(|(caller, ..)| caller))
            .chain(calls.changed(events).flat_map(<[RowId; 2]>::from))
            .for_each(mark);
        is_changed
    }

    /// Whether a row is known to differ between the sides.
    pub fn is_changed(&self, item: RowId) -> bool {
        self.is_changed.get(item.index()) == Some(&true)
    }

    /// Whether a row of a difference is listed also if it did not change, as it is asked for.
    pub fn is_requested(&self, item: RowId) -> bool {
        self.is_requested.get(item.index()) == Some(&true)
    }
}

//! Code that was inlined into functions, and the lines of the sources at which it is shown.
//!
//! Debug information says for the addresses of a profile which copies of functions are there, and
//! at which lines they are in place of calls. Code whose line in the function's own file is unknown
//! is shown at the first line of the function. Of each instruction these are its cost and that of
//! the calls that it makes, once at every line.

use hashbrown::{HashMap, HashSet};

use crate::graph::Groups;
use crate::profile::{
    FileId, Fragment, FunctionId, ObjectId, Ordered, Place, Presence, Profile, Sides,
};
use crate::transform::{InlinedCode, InlinedObjects};
use crate::view::charged::shown_files;
use crate::view::label::RowId;
use crate::view::rows::Rows;

/// What the cost of inlined code is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::view) enum InlinedCallee {
    /// A function that the line calls.
    Function(RowId),
    /// A function of which a copy is inlined at the line, by its number.
    Copy(u32),
    /// Code from another file in the function that begins at the line.
    Elsewhere(FileId),
    /// A function that this code calls.
    CalledElsewhere(RowId),
}

/// A place or a call, by its number in the profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::view) enum CostSource {
    Place(u32),
    Call(u32),
}

/// A cost that is shown at a line of a file on one side.
pub(in crate::view) struct InlinedCost {
    pub(in crate::view) file: FileId,
    pub(in crate::view) line: u32,
    pub(in crate::view) callee: InlinedCallee,
    pub(in crate::view) spent: CostSource,
    pub(in crate::view) on: Presence,
}

/// The costs of inlined code in the annotated files.
pub(in crate::view) struct InlinedCosts<'i> {
    costs: Vec<InlinedCost>,
    of_file: Groups,
    /// The files and names of the functions that copies are of.
    pub(super) functions: FunctionNames<'i>,
}

type FunctionNames<'i> = Ordered<(&'i [u8], &'i [u8]), ()>;

impl<'i> InlinedCosts<'i> {
    /// The costs that are shown in the files that `is_annotated` names, only of selected rows.
    pub(in crate::view) fn new(
        rows: &Rows<'_>,
        objects: &'i Sides<InlinedObjects>,
        is_annotated: &[bool],
    ) -> InlinedCosts<'i> {
        let profile = rows.profile;
        let mut finder = CostFinder {
            profile,
            rows,
            own_files: shown_files(profile),
            selected: rows.is_filtered.then(|| rows.selected_fragments()),
            is_annotated,
            costs: Vec::new(),
            functions: FunctionNames::default(),
        };
        for (index, objects) in objects.iter().enumerate() {
            finder.add_side(index, objects);
        }
        let CostFinder { costs, functions, .. } = finder;
        let files = costs.iter().map(|cost| Some(cost.file.index()));
        InlinedCosts { of_file: Groups::new(profile.file_count(), files), costs, functions }
    }

    /// All costs; those of one place or call on one side follow each other, the innermost line
    /// first.
    pub(in crate::view) fn all(&self) -> impl Iterator<Item = &InlinedCost> {
        self.costs.iter()
    }

    pub(super) fn of_file(&self, file: FileId) -> impl Iterator<Item = &InlinedCost> + Clone {
        let numbers = self.of_file.get(file.index()).iter();
        numbers.map(|&number| &self.costs[number as usize])
    }
}

struct CostFinder<'a, 'p, 'i> {
    profile: &'p Profile,
    rows: &'a Rows<'p>,
    /// By function the file that it is shown in; empty if that is always its file in the profile.
    own_files: Vec<FileId>,
    /// The functions and files of selected rows; none if all are selected.
    selected: Option<HashSet<(FunctionId, FileId)>>,
    is_annotated: &'a [bool],
    costs: Vec<InlinedCost>,
    functions: FunctionNames<'i>,
}

/// What is known of one side.
struct CopiesOfSide<'i> {
    index: usize,
    /// By object its inlined code, and the profile's ids of its files.
    objects: HashMap<ObjectId, (&'i InlinedCode, Vec<Option<FileId>>)>,
    /// By function and annotated file the first of its lines there, in the order of the profile.
    first_lines: HashMap<(FunctionId, FileId), u32>,
}

impl<'i> CostFinder<'_, '_, 'i> {
    fn add_side(&mut self, index: usize, objects: &'i InlinedObjects) {
        let profile = self.profile;
        let files = |code: &InlinedCode| {
            let files = code.files.iter().map(|file| profile.find_file(file));
            files.collect::<Vec<_>>()
        };
        let objects = objects.iter().map(|(object, code)| (object, (code, files(code)))).collect();
        let side = CopiesOfSide { index, objects, first_lines: self.first_lines(index) };
        for (number, &place) in (0..).zip(&profile.places) {
            if profile.presence_of_place(number as usize).has(index) {
                let elsewhere = InlinedCallee::Elsewhere(profile.fragment(place.fragment).file);
                self.add(&side, place, CostSource::Place(number), elsewhere);
            }
        }
        for (number, &call) in (0..).zip(&profile.calls) {
            if profile.presence_of_call(number as usize).has(index) {
                let callee = InlinedCallee::CalledElsewhere(self.rows.of_function(call.callee));
                self.add(&side, call.site, CostSource::Call(number), callee);
            }
        }
    }

    fn own_file(&self, function: FunctionId) -> FileId {
        let shown = self.own_files.get(function.index()).copied();
        shown.unwrap_or_else(|| self.profile.function(function).file)
    }

    fn first_lines(&self, side: usize) -> HashMap<(FunctionId, FileId), u32> {
        let profile = self.profile;
        let mut lines = HashMap::new();
        for (place, on) in profile.places_and_sites() {
            let Fragment { function, file, .. } = profile.fragment(place.fragment);
            let line = profile.line(place);
            if on.has(side) && self.is_annotated[file.index()] && line > 0 {
                lines.entry((function, file)).or_insert(line);
            }
        }
        lines
    }

    fn is_selected(&self, place: Place) -> bool {
        let function = self.profile.fragment(place.fragment).function;
        let is_of_selected = |selected: &HashSet<(FunctionId, FileId)>| {
            selected.contains(&(function, self.own_file(function)))
                || self.rows.is_selected(self.rows.of_place(place))
        };
        self.selected.as_ref().is_none_or(is_of_selected)
    }

    /// Adds what was spent at a place to the lines that show it.
    fn add(
        &mut self,
        side: &CopiesOfSide<'i>,
        place: Place,
        spent: CostSource,
        elsewhere: InlinedCallee,
    ) {
        let Fragment { function, file, .. } = self.profile.fragment(place.fragment);
        let own_file = self.own_file(function);
        if side.objects.is_empty() && !self.is_annotated[own_file.index()] {
            return;
        }
        let at = self.profile.code_place(place);
        let object = self.profile.function(function).object;
        let object = side.objects.get(&object).filter(|_| at.address > 0);
        // Where it is known, the file of its declaration.
        let declared =
            object.and_then(|(code, files)| files[code.declared_at(at.address)? as usize]);
        let own_file = declared.unwrap_or(own_file);
        let innermost =
            object.and_then(|(code, files)| Some((code, files, code.copy_at(at.address)?)));
        if innermost.is_none() && file == own_file || !self.is_selected(place) {
            return;
        }
        let first = self.costs.len();
        // Whether the line of the call of the outermost copy is known.
        let mut has_line = false;
        if let Some((code, files, innermost)) = innermost {
            let outer = |&copy: &u32| code.copies[copy as usize].outer;
            for copy in std::iter::successors(Some(innermost), outer) {
                let instance = &code.copies[copy as usize];
                let call_file = match (instance.call_file, code.call_file(copy)) {
                    (Some(file), _) => files[file as usize],
                    (None, Some(name)) => self.profile.find_file(name),
                    (None, None) => Some(own_file),
                };
                let call_file = call_file.filter(|_| instance.call_line > 0);
                has_line = call_file.is_some();
                if let Some(call_file) = call_file {
                    let (of_copy, name) = code.function_of(copy);
                    let (number, _) = self.functions.insert_full((of_copy, name), ());
                    let callee = InlinedCallee::Copy(number as u32);
                    self.push(first, call_file, instance.call_line, callee, spent, side.index);
                }
            }
        }
        if !has_line && file != own_file {
            let line = side.first_lines.get(&(function, own_file)).copied().unwrap_or(0);
            self.push(first, own_file, line, elsewhere, spent, side.index);
        }
    }

    /// Adds a cost to those from `first` on, which are of the same place or call: a copy of a
    /// function in itself has the same line.
    fn push(
        &mut self,
        first: usize,
        file: FileId,
        line: u32,
        callee: InlinedCallee,
        spent: CostSource,
        side: usize,
    ) {
        let on = Presence::default().with(side);
        let is_same = |of: &InlinedCost| (of.file, of.line, of.callee) == (file, line, callee);
        if self.is_annotated[file.index()] && !self.costs[first..].iter().any(is_same) {
            self.costs.push(InlinedCost { file, line, callee, spent, on });
        }
    }
}

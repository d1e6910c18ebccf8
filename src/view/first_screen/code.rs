//! The source lines of a cost or a call: its own, and around it those that its code was inlined
//! into.

use std::ops::RangeInclusive;

use super::files::Files;
use crate::profile::{CodePlace, FileId, FunctionId, ObjectId, Place, Profile};
use crate::program::Statement;
use crate::transform::{CodeIn, InlinedCode, InlinedObjects};
use crate::view::asm::line_executions::CodeKind;

/// A source file by its number in the [`Files`], and a line.
pub(super) type FileLine = (u32, u32);

/// A line that code is in, or that it was inlined into.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) line: FileLine,
    /// The number of the function that was inlined into the line before; none for the function
    /// itself, and if it is not known.
    pub(super) inlined: Option<u32>,
    /// Whether it is a line of the user's own sources.
    pub(super) is_own: bool,
    /// Whether the line is recorded. Otherwise it is the function's first.
    pub(super) is_known: bool,
}

impl CodeOf {
    /// The copy that it is in, behind the number of its function's name.
    pub(super) fn copy(self) -> Option<(u32, u32)> {
        match self {
            CodeOf::Object(_, code) => code.copy,
            CodeOf::Function(_) => None,
        }
    }

    /// The function, without the copy.
    pub(super) fn host(self) -> CodeOf {
        match self {
            CodeOf::Object(object, code) => CodeOf::Object(object, CodeIn { copy: None, ..code }),
            CodeOf::Function(_) => self,
        }
    }
}

/// What the debug information of an object says, with the numbers of this page.
struct OfObject<'p> {
    code: &'p InlinedCode,
    files: Vec<u32>,
    /// The number of its first function.
    functions: u32,
    /// Sorted.
    statements: Vec<StatementOf>,
}

/// A statement of a line that begins at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StatementOf {
    pub(super) line: FileLine,
    pub(super) address: u64,
    pub(super) column: u16,
    pub(super) has_code: bool,
}

/// The code of a profile: the lines of each place, the outermost first.
pub(super) struct Code<'p> {
    pub(super) profile: &'p Profile,
    pub(super) files: Files<'p>,
    /// By object.
    objects: Vec<Option<OfObject<'p>>>,
    /// The names of functions that were inlined, by number.
    pub(super) inlined_names: Vec<&'p [u8]>,
    /// By function the first line of its code that is in its own file, 0 if there is none.
    first_lines: Vec<u32>,
    /// By fragment whether its places may be at lines of the user's own sources.
    may_be_own: Vec<bool>,
}

/// The code that an instruction is in: of an object by its debug information, or of a function of
/// the profile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CodeOf {
    Object(ObjectId, CodeIn),
    Function(FunctionId),
}

impl<'p> Code<'p> {
    pub(super) fn new(
        profile: &'p Profile,
        mut files: Files<'p>,
        inlined: Option<&'p InlinedObjects>,
    ) -> Code<'p> {
        let mut inlined_names = Vec::new();
        let mut objects = Vec::new();
        for (object, code) in inlined.into_iter().flat_map(InlinedObjects::iter) {
            let numbers: Vec<u32> = code.files.iter().map(|name| files.number(name)).collect();
            let mut statements: Vec<_> = code
                .statements
                .at
                .iter()
                .map(|&(address, Statement { file, line, column, has_code })| {
                    let line = (numbers[file as usize], line);
                    StatementOf { line, address, column, has_code }
                })
                .collect();
            statements.sort_unstable();
            let functions = inlined_names.len() as u32;
            inlined_names.extend(code.functions.iter().map(|(_, name)| &name[..]));
            objects.resize_with(object.index(), || None);
            objects.push(Some(OfObject { code, files: numbers, functions, statements }));
        }
        let first_lines = first_lines(profile);
        let may_be_own = Vec::new();
        let mut code = Code { profile, files, objects, inlined_names, first_lines, may_be_own };
        code.may_be_own = code.fragments_with(|file| code.files.is_own(file));
        code
    }

    fn object(&self, object: ObjectId) -> Option<&OfObject<'p>> {
        self.objects.get(object.index())?.as_ref()
    }

    /// The first line of a function's code that is in its own file, 0 if there is none.
    pub(super) fn first_line(&self, function: FunctionId) -> u32 {
        self.first_lines[function.index()]
    }

    /// By fragment whether its places may be at lines of some files.
    pub(super) fn fragments_with(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<bool> {
        let fragments = self.profile.fragments().iter();
        let may_have = fragments.map(|fragment| {
            let function = self.profile.function(fragment.function);
            let files: [FileId; 2] = [fragment.file, function.file];
            files.iter().any(|file| is_wanted(file.0)) || self.object(function.object).is_some()
        });
        may_have.collect()
    }

    /// The lines of a place, as [`frames`](Code::frames) has them; none if no line is the user's
    /// own.
    pub(super) fn own_frames(&self, place: Place, frames: &mut Vec<Frame>) {
        frames.clear();
        if self.may_be_own[place.fragment.index()] {
            self.frames(place, frames);
        }
    }

    /// The lines of a place, the outermost first, in place of those in `frames`.
    pub(super) fn frames(&self, place: Place, frames: &mut Vec<Frame>) {
        frames.clear();
        let at = self.profile.code_place(place);
        if !self.add_inlined(&at, frames) {
            self.add_recorded(&at, frames);
        }
    }

    fn frame(&self, line: FileLine, inlined: Option<u32>, is_known: bool) -> Frame {
        Frame { line, inlined, is_own: line.1 > 0 && self.files.is_own(line.0), is_known }
    }

    /// Adds the lines of an instruction that debug information is known for.
    fn add_inlined(&self, at: &CodePlace, frames: &mut Vec<Frame>) -> bool {
        let object = self.object(self.profile.function(at.function).object);
        let Some((object, found)) =
            object.and_then(|object| Some((object, object.code.at.get(at.address)?)))
        else {
            return false;
        };
        let (Some(file), Some(_)) = (found.file, found.host) else {
            return false;
        };
        let mut line = (object.files[file as usize], found.line);
        let mut next = found.instance;
        // From the innermost copy outwards: a copy's own line, then that of its call.
        while let Some(number) = next {
            let copy = object.code.copies[number as usize];
            let function = Some(object.functions + copy.function);
            frames.push(self.frame(line, function, true));
            line = match copy.call_file {
                Some(file) => (object.files[file as usize], copy.call_line),
                None => (line.0, 0),
            };
            next = copy.outer;
        }
        frames.push(self.frame(line, None, true));
        frames.reverse();
        true
    }

    /// Adds the line that the profile has. Code of another file was inlined somewhere into the
    /// function, for which its first line stands.
    fn add_recorded(&self, at: &CodePlace, frames: &mut Vec<Frame>) {
        let own = self.profile.function(at.function).file;
        let first = self.first_lines[at.function.index()];
        if at.file != own && first > 0 {
            frames.push(self.frame((own.0, first), None, false));
        }
        frames.push(self.frame((at.file.0, at.line), None, true));
    }

    /// The statements of a line that begin between two addresses of the object of a function.
    pub(super) fn statements_of(
        &self,
        function: FunctionId,
        line: FileLine,
        between: &RangeInclusive<u64>,
    ) -> &[StatementOf] {
        let object = self.object(self.profile.function(function).object);
        let all = object.map_or(&[][..], |object| &object.statements);
        let from = all.partition_point(|of| (of.line, of.address) < (line, *between.start()));
        let to = all.partition_point(|of| (of.line, of.address) <= (line, *between.end()));
        all.get(from..to).unwrap_or_default()
    }

    /// What an address of a function says of its statements: those of others may say more.
    pub(super) fn kind_at(&self, function: FunctionId, address: u64) -> CodeKind {
        let object = self.object(self.profile.function(function).object);
        object.map_or(CodeKind::Plain, |object| CodeKind::at(object.code, address))
    }

    pub(super) fn code_at(&self, at: &CodePlace) -> CodeOf {
        let object = self.profile.function(at.function).object;
        let found = self.object(object).and_then(|known| known.code.code_at(at.address));
        found.map_or(CodeOf::Function(at.function), |code| CodeOf::Object(object, code))
    }
}

/// By function the first line of its code that is in its own file, 0 if there is none.
pub fn first_lines(profile: &Profile) -> Vec<u32> {
    let mut first_lines = vec![0; profile.function_count()];
    let sites = profile.calls.iter().map(|call| call.site);
    for place in profile.places.iter().copied().chain(sites) {
        let fragment = profile.fragment(place.fragment);
        let first = &mut first_lines[fragment.function.index()];
        if *first == 0 && fragment.file == profile.function(fragment.function).file {
            *first = profile.line(place);
        }
    }
    first_lines
}

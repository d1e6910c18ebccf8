//! The source files of a difference, with the lines of both sides aligned by their texts.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::graph::Groups;
use crate::profile::{FileId, Measured, Place, Presence, is_unknown_name};
use crate::source::{Change, LineKey, LineMap, TextsOfSides, basename, tokens};
use crate::transform::{body_lines, function_around, lines_of_declarations};
use crate::view::first_screen::{ScreenLine, in_single_blanks};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::why::BaseAndNew;

/// A file, as far as its texts are known.
pub(super) struct AlignedFile {
    /// None if lines of BASE cannot be compared with those of NEW.
    pub(super) lines: Option<AlignedLines>,
    /// NEW's text, if it is known.
    new_text: Vec<u8>,
    /// The start of each line of that text.
    starts: OnceCell<Vec<usize>>,
    name: Vec<u8>,
    base_name: Vec<u8>,
}

/// How the lines of both sides are aligned.
pub(super) enum AlignedLines {
    /// The text is the same.
    Same,
    Both {
        map: Box<LineMap>,
        changes: Vec<Change>,
    },
}

impl AlignedLines {
    /// The key of a line of a side.
    pub(super) fn key(&self, line: u32, is_base: bool) -> LineKey {
        match self {
            AlignedLines::Both { map, .. } if is_base => map.of_old(line),
            _ => LineKey::new_line(line),
        }
    }

    fn is_changed(&self, key: LineKey) -> bool {
        match self {
            AlignedLines::Same => false,
            AlignedLines::Both { map, .. } => map.in_old(key).is_none() || key.removed > 0,
        }
    }
}

impl AlignedFile {
    pub(super) fn new(
        profile_file: (&[u8], &[u8]),
        texts: TextsOfSides,
        rows: &Rows<'_>,
    ) -> AlignedFile {
        let (name, base_name) = profile_file;
        let with = |lines, new_text| AlignedFile {
            lines,
            new_text,
            starts: OnceCell::new(),
            name: name.to_vec(),
            base_name: base_name.to_vec(),
        };
        match texts {
            TextsOfSides::Unknown => with(None, Vec::new()),
            TextsOfSides::OnlyNew(text) => with(None, text),
            TextsOfSides::Same(text) => with(Some(AlignedLines::Same), text),
            TextsOfSides::Both { base, new } => {
                let map = LineMap::new(&base, &new, &rows.profile.renamed().words);
                let mut file = with(None, new);
                let mut changes = map.changes();
                changes.retain(|change| file.is_real(change, &map));
                file.lines = Some(AlignedLines::Both { map: Box::new(map), changes });
                file
            }
        }
    }

    /// Whether the text of NEW is known.
    pub(super) fn has_text(&self) -> bool {
        !self.new_text.is_empty()
    }

    /// Whether a change is one of code: not only of blanks, comments and brackets.
    fn is_real(&self, change: &Change, map: &LineMap) -> bool {
        let mut removed = change.removed.iter().filter_map(|&line| map.removed_text(line));
        let mut added = change.added.iter().filter_map(|&line| self.new_line(line));
        let code_of = |lines: &mut dyn Iterator<Item = &[u8]>| -> Vec<Vec<u8>> {
            let code = lines.filter(|line| is_code(line)).flat_map(tokens);
            code.map(<[u8]>::to_vec).collect()
        };
        code_of(&mut removed) != code_of(&mut added)
    }

    /// A line of NEW's text.
    fn new_line(&self, line: u32) -> Option<&[u8]> {
        let starts = self.starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', &self.new_text).map(|at| at + 1);
            std::iter::once(0).chain(ends).collect()
        });
        let at = (line as usize).checked_sub(1)?;
        let start = *starts.get(at).filter(|&&start| start < self.new_text.len())?;
        let end = starts.get(at + 1).copied().unwrap_or(self.new_text.len());
        Some(&self.new_text[start..end])
    }

    /// A line with its text.
    pub(super) fn line(&self, key: LineKey) -> ScreenLine {
        let (file, line, text) = match (key.removed, &self.lines) {
            (0, _) => (&self.name, key.new, self.new_line(key.new)),
            (removed, Some(AlignedLines::Both { map, .. })) => {
                (&self.base_name, removed, map.removed_text(removed))
            }
            (removed, _) => (&self.base_name, removed, None),
        };
        let text = text.map(in_single_blanks);
        ScreenLine { file: file.clone(), line, text: text.filter(|text| !text.is_empty()) }
    }

    /// A line as it is on a side that has it.
    pub(super) fn line_on(&self, key: LineKey, is_base: bool) -> ScreenLine {
        let line = self.line(key);
        match self.line_before(key).filter(|_| is_base) {
            Some(before) => ScreenLine { file: self.base_name.clone(), line: before, ..line },
            None => line,
        }
    }

    /// The lines of the body of a row's function in NEW's text, if they are known.
    pub(super) fn body_of(
        &self,
        name: &[u8],
        at_lines: &[AtLine],
        row: RowId,
    ) -> Option<RangeInclusive<u32>> {
        let of_row = at_lines.iter().filter(|at| at.row == row);
        let executed = of_row.filter_map(|at| at.key.in_new()).collect();
        body_lines(&self.new_text, &self.name, name, &executed)
    }

    /// The lines of the function in NEW's text that a line is in, if they are known.
    pub(super) fn function_around(&self, line: u32) -> Option<RangeInclusive<u32>> {
        function_around(&self.new_text, &self.name, line)
    }

    /// The headers that NEW's text includes by names in quotes, with their names in NEW and BASE:
    /// in the folder of the file, or below it.
    pub(super) fn headers(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let in_folder = |file: &[u8], name: &[u8]| {
            let folder = file.len() - basename(file).len();
            [&file[..folder], name].concat()
        };
        let names = self.new_text.split(|&byte| byte == b'\n').filter_map(included);
        names.map(|name| (in_folder(&self.name, name), in_folder(&self.base_name, name))).collect()
    }

    /// By line of NEW's text, from 1, whether it declares a constant, a type or a macro; none if
    /// that is not known of its language.
    pub(super) fn declarations(&self) -> Option<Vec<bool>> {
        lines_of_declarations(&self.new_text, &self.name)
    }

    pub(super) fn is_changed(&self, key: LineKey) -> bool {
        self.lines.as_ref().is_some_and(|lines| lines.is_changed(key))
    }

    /// Whether the line is the same but for renamed identifiers.
    pub(super) fn has_new_words(&self, key: LineKey) -> bool {
        match &self.lines {
            Some(AlignedLines::Both { map, .. }) => {
                key.in_new().is_some_and(|line| map.has_new_words(line))
            }
            Some(AlignedLines::Same) | None => false,
        }
    }

    /// The number in BASE's text of a line that both texts have.
    pub(super) fn line_before(&self, key: LineKey) -> Option<u32> {
        match &self.lines {
            Some(AlignedLines::Both { map, .. }) => map.in_old(key).filter(|_| key.removed == 0),
            Some(AlignedLines::Same) | None => None,
        }
    }
}

/// The name in quotes of an `#include`, if it is one of the same folder or below it.
fn included(line: &[u8]) -> Option<&[u8]> {
    let directive = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
    let rest = directive.strip_prefix(b"include")?.trim_ascii_start().strip_prefix(b"\"")?;
    let name = rest.split(|&byte| byte == b'"').next()?;
    let is_below =
        !name.starts_with(b"/") && !name.split(|&byte| byte == b'/').any(|of| of == b"..");
    (is_below && !name.is_empty()).then_some(name)
}

/// Whether a line has more than blanks, a comment or brackets.
pub(super) fn is_code(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_comment = [&b"//"[..], b"/*", b"* ", b"*/"].iter().any(|start| line.starts_with(start));
    !is_comment && line.iter().any(u8::is_ascii_alphanumeric)
}

/// The cost of a row at a line of a file.
#[derive(Clone, Copy)]
pub(super) struct AtLine {
    pub(super) key: LineKey,
    pub(super) row: RowId,
    pub(super) cost: BaseAndNew,
}

/// A line that both sides have, or that one of them has alone.
pub(super) type AlignedLine = (FileId, LineKey);

/// The line of a place, as a line of NEW and as one of BASE.
pub(super) struct KeysOfPlace {
    pub(super) new: AlignedLine,
    pub(super) base: AlignedLine,
}

/// A file, and the number of a change in it.
pub(super) type ChangeInFile = (FileId, u32);

/// The files, each read when it is first asked for.
pub(super) struct AlignedFiles<'p> {
    pub(super) rows: &'p Rows<'p>,
    event: usize,
    texts: &'p dyn Fn(FileId) -> TextsOfSides,
    /// By file the numbers of its places.
    places_of: Groups,
    files: Vec<OnceCell<AlignedFile>>,
    at_lines: Vec<OnceCell<Vec<AtLine>>>,
    missing: RefCell<BTreeSet<FileId>>,
}

impl<'p> AlignedFiles<'p> {
    pub(super) fn new(
        rows: &'p Rows<'p>,
        event: usize,
        texts: &'p dyn Fn(FileId) -> TextsOfSides,
    ) -> AlignedFiles<'p> {
        let profile = rows.profile;
        let count = profile.file_count();
        let of_places = profile.places.iter().map(|place| {
            let file = profile.fragment(place.fragment).file;
            Some(file.index())
        });
        AlignedFiles {
            rows,
            event,
            texts,
            places_of: Groups::new(count, of_places),
            files: (0..count).map(|_| OnceCell::new()).collect(),
            at_lines: (0..count).map(|_| OnceCell::new()).collect(),
            missing: RefCell::default(),
        }
    }

    pub(super) fn get(&self, file: FileId) -> &AlignedFile {
        self.files[file.index()].get_or_init(|| {
            let profile = self.rows.profile;
            let name = profile.file(file);
            let base = profile.base_file(file).map_or(name, |base| profile.file(base));
            let aligned =
                if is_unknown_name(name) { TextsOfSides::Unknown } else { (self.texts)(file) };
            AlignedFile::new((name, base), aligned, self.rows)
        })
    }

    /// The keys of a place's line; none if it has no line, or lines of its file cannot be compared.
    pub(super) fn keys_of(&self, place: Place) -> Option<KeysOfPlace> {
        let profile = self.rows.profile;
        let (file, line) = (profile.fragment(place.fragment).file, profile.line(place));
        let lines = self.get(file).lines.as_ref().filter(|_| line > 0)?;
        let [new, base] = [false, true].map(|is_base| (file, lines.key(line, is_base)));
        Some(KeysOfPlace { new, base })
    }

    /// The change that a line is part of.
    pub(super) fn change_at(&self, file: FileId, key: LineKey) -> Option<ChangeInFile> {
        match &self.get(file).lines {
            Some(AlignedLines::Both { map, .. }) => Some((file, map.number_of_change(key)?)),
            Some(AlignedLines::Same) | None => None,
        }
    }

    /// Notes that a row has code in a file of which only the text of NEW is known.
    pub(super) fn note_missing(&self, file: FileId) {
        if !self.get(file).new_text.is_empty() {
            self.missing.borrow_mut().insert(file);
        }
    }

    pub(super) fn missing(&self) -> Option<Vec<u8>> {
        let first = self.missing.borrow().first().copied();
        first.map(|file| self.rows.profile.file(file).to_vec())
    }

    /// The costs of all rows at the lines of a file, in the order of lines; none if its lines
    /// cannot be compared.
    pub(super) fn at_lines(&self, file: FileId) -> &[AtLine] {
        self.at_lines[file.index()].get_or_init(|| {
            let Some(lines) = &self.get(file).lines else {
                return Vec::new();
            };
            let profile = self.rows.profile;
            let mut sums: BTreeMap<(LineKey, RowId), BaseAndNew> = BTreeMap::new();
            for &number in self.places_of.get(file.index()) {
                let place = profile.places[number as usize];
                let (row, line) = (self.rows.of_place(place), profile.line(place));
                let Presence { new, base, .. } = profile.presence_of_place(number as usize);
                let sides = profile.sides();
                let cost = |side: &Measured| {
                    let cost = side.costs.table.get(number as usize);
                    profile.events().count(cost, self.event).or_zero()
                };
                if line > 0 && new {
                    sums.entry((lines.key(line, false), row)).or_default().new += cost(&sides.new);
                }
                if let Some(side) = sides.base.as_ref().filter(|_| line > 0 && base) {
                    sums.entry((lines.key(line, true), row)).or_default().base += cost(side);
                }
            }
            sums.into_iter().map(|((key, row), cost)| AtLine { key, row, cost }).collect()
        })
    }
}

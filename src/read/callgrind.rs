//! The reader of the callgrind format: the state from line to line, and what each record does to it. Cachegrind's format
//! and xtree files are subsets of it.

mod code;
mod costs;
mod names;
mod parts;

use std::sync::Arc;

use super::ReadOptions;
use super::chunk::Chunk;
use super::compressed_names::CompressedNames;
use super::cursor::{Cursor, Malformed};
use super::header::Header;
use super::line::Line;
use super::name_interner::NameInterner;
use super::record::{Name, Record};
use super::warning::{Error, ErrorKind, Warning, Warnings};
use crate::profile::{
    Count, Division, FileId, FragmentId, FunctionId, LimitExceeded, NameId, ObjectId,
    ProfileBuilder,
};
use code::CodeReader;

/// What the next cost line is.
#[derive(Clone, Copy)]
enum Expected {
    /// A self cost of the current function.
    SelfCost,
    /// The inclusive cost of `count` calls, whose `calls=` is on line `line`.
    Call { count: i64, line: u64 },
    /// The source of a jump, without counts, in callgrind's files. In the oldest edition of the format jumps have one line, and
    /// are from the cost line before. The jump is on line `line`.
    JumpSource { line: u64 },
    /// Ignored: the cost of a call that is left out.
    Ignored,
}

/// The positions that relative ones are relative to.
#[derive(Clone, Copy, Default)]
struct LastPosition {
    address: u64,
    line: u64,
}

/// The callee of the next `calls=`, as far as `cob=`, `cfi=` and `cfn=` have named it.
#[derive(Clone, Copy, Default)]
struct PendingCallee {
    /// Whether any of the three lines has been read.
    is_begun: bool,
    object: Option<ObjectId>,
    file: Option<FileId>,
    name: Option<NameId>,
}

/// The callee of the last `calls=`.
#[derive(Clone, Copy)]
struct LastCallee {
    object: ObjectId,
    file: FileId,
    name: NameId,
}

/// Fills a profile from the lines of one file.
pub(super) struct Reader<'p> {
    profile: &'p mut ProfileBuilder,
    options: &'p ReadOptions,
    /// The name of the file.
    path: &'p [u8],
    interner: Arc<NameInterner>,
    warnings: Warnings,
    /// The number of the current line.
    line: u64,
    /// The header of the current part.
    header: Header,
    /// The events that the header defines by formulas, with their lines.
    definitions: Vec<(u64, Vec<u8>)>,
    /// Whether the current part's body has begun.
    in_body: bool,
    /// Whether costs are added: in the body of a part that the options include.
    is_wanted: bool,
    /// The compressed names, by kind; they are valid for the whole file.
    objects: CompressedNames,
    files: CompressedNames,
    names: CompressedNames,
    /// What relative positions are relative to.
    last: LastPosition,
    /// `ob=`.
    object: ObjectId,
    /// The last of `fl=`, `fi=`, `fe=`: the file of cost lines.
    file: FileId,
    /// `fl=`: the file of functions.
    own_file: Option<FileId>,
    /// `fn=`.
    function: Option<FunctionId>,
    /// The function's code in the current file, if it has been looked up.
    fragment: Option<FragmentId>,
    /// `cfni=`: the function that cost lines were inlined from, if the options keep it, with its name as in the file.
    division: Division,
    inlined_name: Vec<u8>,
    /// The callee of the next `calls=`.
    callee: PendingCallee,
    /// The callee of the last `calls=`; the next one may have no `cfn=` of its own.
    last_callee: Option<LastCallee>,
    /// The target of the last `calls=`, if the options keep targets.
    target: LastPosition,
    /// What the next cost line is.
    expected: Expected,
    /// What is known of instructions, if they are kept.
    code: Option<CodeReader>,
    /// Room for the counts of a line in the profile's columns, if the part has others.
    widened: Vec<Count>,
    /// An estimate of the memory that the headers of parts take, and that of the current one.
    header_bytes: usize,
    own_header_bytes: usize,
}

impl<'p> Reader<'p> {
    /// A reader at the start of a file.
    pub(super) fn new(
        profile: &'p mut ProfileBuilder,
        options: &'p ReadOptions,
        path: &'p [u8],
        interner: Arc<NameInterner>,
    ) -> Result<Reader<'p>, LimitExceeded> {
        let object = profile.add_object(b"")?;
        let file = profile.add_file(b"???")?;
        Ok(Reader {
            profile,
            options,
            path,
            interner,
            warnings: Warnings::default(),
            line: 0,
            header: Header::default(),
            definitions: Vec::new(),
            in_body: false,
            is_wanted: false,
            objects: CompressedNames::default(),
            files: CompressedNames::default(),
            names: CompressedNames::default(),
            last: LastPosition::default(),
            object,
            file,
            own_file: None,
            function: None,
            fragment: None,
            division: Division::NONE,
            inlined_name: Vec::new(),
            callee: PendingCallee::default(),
            last_callee: None,
            target: LastPosition::default(),
            expected: Expected::SelfCost,
            code: options.detail.code.then(CodeReader::new),
            widened: Vec::new(),
            header_bytes: 0,
            own_header_bytes: 0,
        })
    }

    /// The number of the last line read.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads the lines of a chunk.
    pub(super) fn read(&mut self, chunk: &mut Chunk) -> Result<(), Error> {
        let before = self.line;
        if !self.lines(chunk, 0)? {
            // Errors and warnings name the line, so the rest is read line by line.
            chunk.lex_unjoined(&self.interner);
            self.lines(chunk, self.line - before)?;
        }
        Ok(())
    }

    /// Reads the lines after the first `skipped`; false if it stopped before joined lines that have to be read one by one.
    fn lines(&mut self, chunk: &Chunk, skipped: u64) -> Result<bool, Error> {
        let (mut lines, mut counts) = chunk.lines_from(skipped);
        while let Some((line, rest)) = lines.split_first() {
            lines = rest;
            self.line += 1;
            match *line {
                // Borrowed: copied, it would be read in parts before all of it is written.
                Line::Cost(ref cost) => {
                    let (own, others) = counts.split_at(cost.count_len());
                    counts = others;
                    if self.try_add(cost, own) {
                        self.line += cost.lines() - 1;
                    } else if cost.lines() == 1 {
                        self.cost_line(cost, own)?;
                    } else {
                        self.line -= 1;
                        return Ok(false);
                    }
                }
                Line::Malformed(malformed, at) => self.skip_malformed(malformed, at)?,
                Line::OutOfRange { count_len } => {
                    let (own, others) = counts.split_at(count_len.into());
                    counts = others;
                    self.skip_out_of_range(own)?;
                }
                Line::NameRef(kind, id) => {
                    self.abandon_call()?;
                    self.name(kind, Name::Reference(id.into()))?;
                }
                Line::Calls(count) => {
                    self.abandon_call()?;
                    self.calls(count.into());
                }
                Line::CallsTo { count, line } => {
                    self.abandon_call()?;
                    self.calls(count.into());
                    let line = line.into();
                    self.target = LastPosition { address: 0, line };
                }
                Line::Jump => {
                    self.abandon_call()?;
                    self.expected = Expected::JumpSource { line: self.line };
                }
                Line::Blank => {}
                Line::Name(kind, name) => {
                    self.abandon_call()?;
                    self.interned_name(kind, None, name)?;
                }
                Line::NameDef(kind, id, name) => {
                    self.abandon_call()?;
                    self.interned_name(kind, Some(id), name)?;
                }
                Line::Unparsed { start, end } => {
                    self.record(chunk.record(start, end))?;
                }
            }
        }
        Ok(true)
    }

    /// Finishes the file.
    pub(super) fn finish(mut self) -> Result<Warnings, Error> {
        self.abandon_call()?;
        if self.line == 0 {
            return Err(ErrorKind::Empty.into());
        }
        if !self.header.has_events() {
            return Err(ErrorKind::NoEvents.into());
        }
        self.end_part()?;
        self.flush_skipped();
        Ok(self.warnings)
    }

    /// An error at the current line.
    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        Error {
            line: Some(self.line),
            kind,
        }
    }

    /// Adds a warning about the current line.
    #[cold]
    pub(super) fn warn(&mut self, warning: Warning) {
        self.warnings.add(self.line, warning);
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), Error> {
        if !matches!(record, Record::Blank | Record::Inlined(_)) {
            self.abandon_call()?;
        }
        match record {
            Record::Blank | Record::Ignored => Ok(()),
            Record::Header(key, value) => self.header_line(key, value),
            Record::Name(kind, name) => self.name(kind, name),
            Record::Inlined(name) => self.inlined_name(name),
            Record::Calls(value) => match Cursor::new(value).count() {
                Ok(Some(count)) => {
                    self.calls(count);
                    if self.options.detail.targets {
                        self.call_target(value);
                    }
                    Ok(())
                }
                Err(Malformed::CountRange) => Err(self.error(ErrorKind::Number)),
                _ => {
                    self.enter_body();
                    self.expected = Expected::Ignored;
                    if self.is_wanted {
                        self.warn(Warning::CallCount);
                    }
                    Ok(())
                }
            },
            Record::Jump(value) => {
                self.expected = Expected::JumpSource { line: self.line };
                self.jump(false, value)
            }
            Record::ConditionalJump(value) => {
                self.expected = Expected::JumpSource { line: self.line };
                self.jump(true, value)
            }
            Record::Unknown => {
                self.warn(Warning::UnknownLine);
                let is_no_profile = !self.header.has_events() && self.warnings.unlisted() > 0;
                if is_no_profile {
                    Err(ErrorKind::NoEvents.into())
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Reads `calls=`: `count` calls, made where the next cost line is.
    fn calls(&mut self, count: i64) {
        self.enter_body();
        self.expected = Expected::Ignored;
        if !self.is_wanted {
            return;
        }
        let PendingCallee {
            object, file, name, ..
        } = std::mem::take(&mut self.callee);
        if let Some(name) = name {
            self.last_callee = Some(LastCallee {
                object: object.unwrap_or(self.object),
                file: file.unwrap_or(self.file),
                name,
            });
        }
        let line = self.line;
        match self.last_callee {
            Some(_) => self.expected = Expected::Call { count, line },
            None => self.warn(Warning::CallWithoutName),
        }
    }
}

//! The reader of the callgrind format: what a file has said so far, and how lines and blocks change
//! it and the profile. Cachegrind's format and xtree files are subsets of it.

mod block;
mod callees;
mod code;
mod contexts;
mod costs;
mod lost;
mod names;
mod names_check;
mod order;
mod parts;
mod sink;

use std::sync::Arc;

use super::ReadOptions;
use super::chunk::{Chunk, Stretch};
use super::compressed_names::CompressedNames;
use super::cursor::{Cursor, LinePosition};
use super::fast_line::MAX_FAST_LINE;
use super::header::Header;
use super::lexer::{Buffers, LexUntil, Lexer, State, abandon_expected};
use super::name_interner::{InternedName, NameInterner};
use super::warning::{ClosingTotal, Error, ErrorKind, Warning, Warnings};
use crate::profile::{
    Count, Division, FileId, FragmentId, FunctionId, FunctionKey, LimitExceeded, ObjectId,
    ProfileBuilder,
};
use callees::{OpenCallee, OpenCalls};
use code::CodeReader;
use contexts::ContextNames;
use lost::LostCosts;
use names_check::lines_before_damaged_name;
use order::CostOrder;

/// The callee of the next `calls=`, with the names that `cob=`, `cfi=` and `cfn=` have given so
/// far.
#[derive(Clone, Copy, Default, PartialEq)]
struct PendingCallee {
    object: Option<ObjectId>,
    file: Option<FileId>,
    name: Option<InternedName>,
    /// The compressed id of the name, and whether `cfn=` defines it.
    id: Option<u64>,
    defines_id: bool,
}

impl PendingCallee {
    /// Sets the name, and its compressed id, if it has one or `cfn=` defines one.
    #[inline(always)]
    fn set_name(&mut self, name: InternedName, id: Option<u64>, defines_id: bool) {
        self.name = Some(name);
        self.id = id;
        self.defines_id = defines_id;
    }
}

/// The callee of calls that were read.
#[derive(Clone, Copy)]
struct RecordedCallee {
    object: ObjectId,
    file: FileId,
    name: InternedName,
}

/// The compressed names, by kind; they are valid for the whole file.
#[derive(Default)]
struct Ids {
    objects: CompressedNames,
    files: CompressedNames,
    names: CompressedNames,
}

#[derive(Default)]
struct PartState {
    header: Header,
    /// The events that the header defines by formulas, with their lines.
    definitions: Vec<(u64, Vec<u8>)>,
    in_body: bool,
    /// Whether costs are added: in the body of a part that the options include.
    is_wanted: bool,
    /// The number of parts before it in the file.
    before: usize,
    /// An estimate of the memory that the header takes.
    header_bytes: usize,
    /// The last total behind the first line of the body, or of 0 if there is no body.
    closing_total: Option<ClosingTotal>,
}

/// What the next self cost belongs to.
struct Current {
    /// `ob=`, and whether there was one.
    object: ObjectId,
    has_object: bool,
    /// `fl=`: the file of functions.
    own_file: Option<FileId>,
    /// `???`: in callgrind's files `fi=` has it before the jumps of a closed library's code, whose
    /// file is the function's.
    no_file: FileId,
    /// `fn=`.
    function: Option<FunctionId>,
    /// Whether its name had a level of recursion that was removed.
    is_nested: bool,
    /// The compressed id of its name.
    function_id: Option<u64>,
    /// The function's code in the file that was last looked up.
    fragment: Option<(FileId, FragmentId)>,
    /// `cfni=`: the function that cost lines were inlined from, if the options keep it, with its
    /// name as in the file.
    division: Division,
    inlined_name: Vec<u8>,
}

/// The state of unfinished calls.
#[derive(Default)]
struct CallState {
    callee: PendingCallee,
    /// The callee of the last `calls=`; the next one may have no `cfn=` of its own.
    last_callee: Option<RecordedCallee>,
    /// The same callee, if it depends on the rest of the file which function it is.
    open_callee: Option<OpenCallee>,
    /// The target of the last `calls=`, if the options keep targets.
    target: LinePosition,
}

/// Fills a profile from the lines of one file.
pub(super) struct Reader<'p> {
    profile: &'p mut ProfileBuilder,
    options: &'p ReadOptions,
    path: Arc<[u8]>,
    interner: Arc<NameInterner>,
    warnings: Warnings,
    /// The state that the next line depends on.
    state: State<FileId>,
    buffers: Buffers,
    /// Whether some part that the options include has costs.
    has_costs: bool,
    /// The costs of lines that were skipped.
    lost: LostCosts,
    /// The order of Cachegrind's costs, if limits are judged.
    order: CostOrder,
    /// Whether a line before the first `events:` is the format's marker, or a header of a known
    /// key.
    is_marked: bool,
    /// Whether a line before the first `events:` has a carriage return within it.
    has_carriage_returns: bool,
    ids: Ids,
    part: PartState,
    current: Current,
    call: CallState,
    /// The calls whose callees are open, in files that neither callgrind nor cgannotate wrote.
    open_calls: OpenCalls,
    contexts: ContextNames,
    code: Option<CodeReader>,
    /// A buffer for the counts of a line.
    counts: Vec<Count>,
    /// A buffer for counts in the profile's columns, if the part has others.
    widened: Vec<Count>,
}

impl Current {
    /// The state before the first line.
    fn new(profile: &mut ProfileBuilder) -> Result<Current, LimitExceeded> {
        let file = profile.add_file(b"???")?;
        Ok(Current {
            object: profile.add_object(b"")?,
            has_object: false,
            own_file: None,
            no_file: file,
            function: None,
            is_nested: false,
            function_id: None,
            fragment: None,
            division: Division::None,
            inlined_name: Vec::new(),
        })
    }
}

impl<'p> Reader<'p> {
    pub(super) fn new(
        profile: &'p mut ProfileBuilder,
        options: &'p ReadOptions,
        path: &[u8],
        interner: Arc<NameInterner>,
    ) -> Result<Reader<'p>, LimitExceeded> {
        let current = Current::new(profile)?;
        Ok(Reader {
            state: State::new(current.no_file),
            current,
            profile,
            options,
            path: path.into(),
            interner,
            warnings: Warnings::default(),
            buffers: Buffers::default(),
            has_costs: false,
            lost: LostCosts::default(),
            order: CostOrder::default(),
            is_marked: false,
            has_carriage_returns: false,
            ids: Ids::default(),
            part: PartState::default(),
            call: CallState::default(),
            open_calls: OpenCalls::default(),
            contexts: ContextNames::default(),
            code: options.detail.code.then(CodeReader::default),
            counts: Vec::new(),
            widened: Vec::new(),
        })
    }

    /// The number of lines so far.
    pub(super) fn line(&self) -> u64 {
        self.state.line
    }

    pub(super) fn read(&mut self, chunk: &Chunk) -> Result<(), Error> {
        if chunk.has_lone_returns {
            return Err(self.error(ErrorKind::CarriageReturns));
        }
        let before = self.state.line;
        self.add_room_for_contexts(chunk.len);
        self.read_stretches(chunk).map_err(|kind| self.error(kind))?;
        if self.options.is_judged {
            self.check(&chunk.bytes[..chunk.len], before);
        }
        if let Some(first) = chunk.first_nul.filter(|_| self.warnings.damage.is_none()) {
            self.note_nul(&chunk.bytes, first, before);
        }
        Ok(())
    }

    /// Notes what tells that lines of valgrind's tools are damaged, although all of them can be
    /// read.
    /// `before` is the number of lines before them.
    fn check(&mut self, lines: &[u8], before: u64) {
        let header = &self.part.header;
        if header.is_from_cachegrind() {
            self.order.read(lines, before);
        }
        if header.is_from_valgrind()
            && let Some(after) = lines_before_damaged_name(lines)
        {
            self.warnings.note_damage(before + after + 1, Warning::DamagedName);
        }
    }

    /// Warns of NUL bytes that no producer writes: names of valgrind's tools have none, and those
    /// of PHP's anonymous classes have one. `before` is the number of lines before these bytes.
    #[cold]
    fn note_nul(&mut self, bytes: &[u8], first: usize, before: u64) {
        let at = if self.part.header.is_from_valgrind() {
            Some(first)
        } else {
            memchr::memmem::find(&bytes[first..], b"\0\0").map(|at| first + at)
        };
        if let Some(at) = at {
            let newlines = memchr::memchr_iter(b'\n', &bytes[..at]).count();
            self.warnings.add(before + newlines as u64 + 1, Warning::Nul);
        }
    }

    /// Adds the blocks of a chunk, and lexes all other lines from the state that the reader has.
    fn read_stretches(&mut self, chunk: &Chunk) -> Result<(), ErrorKind> {
        for stretch in &chunk.stretches {
            let lines = match stretch {
                Stretch::Block(block) if self.add_block(chunk, block)? => continue,
                Stretch::Block(block) => &block.text,
                Stretch::Lines(lines) => lines,
            };
            let mut cursor = Cursor::new(&chunk.bytes[..lines.end + MAX_FAST_LINE]);
            cursor.advance(lines.start);
            let mut buffers = std::mem::take(&mut self.buffers);
            Lexer::new(self, cursor, &mut buffers).lines(LexUntil::EndOfText)?;
            self.buffers = buffers;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Warnings, Error> {
        self.end().map_err(|kind| self.error(kind))?;
        Ok(self.warnings)
    }

    fn end(&mut self) -> Result<(), ErrorKind> {
        abandon_expected(self)?;
        if self.state.line == 0 {
            return Err(ErrorKind::Empty);
        }
        if self.part.header.layout.events == 0 {
            return Err(if self.has_carriage_returns {
                ErrorKind::CarriageReturns
            } else if self.is_marked {
                ErrorKind::NoPart
            } else {
                ErrorKind::NoProfile
            });
        }
        self.end_part()?;
        self.end_lost_costs()?;
        let out_of_order = self.order.first_out_of_order();
        if let Some(line) = out_of_order.filter(|_| self.part.header.is_from_cachegrind()) {
            self.warnings.note_damage(line, Warning::OutOfOrder);
        }
        self.flush_skipped();
        self.warnings.lines = self.state.line;
        Ok(std::mem::take(&mut self.open_calls).add_to(self.profile)?)
    }

    /// An error at the current line, unless it is about the whole file.
    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        let is_of_file = matches!(
            kind,
            ErrorKind::Empty
                | ErrorKind::NoProfile
                | ErrorKind::NoPart
                | ErrorKind::CarriageReturns
        );
        let line = match kind {
            ErrorKind::NoCosts { line, .. } => Some(line),
            _ => (!is_of_file).then_some(self.state.line),
        };
        Error { line, kind }
    }

    #[cold]
    pub(super) fn add_warning(&mut self, warning: Warning) {
        self.warnings.add(self.state.line, warning);
    }

    /// Sets the callee of the calls that follow: a function with this name.
    fn set_callee(&mut self, name: InternedName) -> Result<(), LimitExceeded> {
        let PendingCallee { object, file, id, defines_id, .. } = self.call.callee;
        let callee = RecordedCallee {
            object: object.unwrap_or(self.current.object),
            file: file.unwrap_or(self.target_file()),
            name,
        };
        let default = FunctionKey { object: callee.object, file: callee.file, name: name.id };
        self.call.last_callee = Some(callee);
        self.call.open_callee = None;
        if self.part.header.layout.names_other_files {
            return Ok(());
        }
        if file.is_none() || object.is_none() && self.current.has_object {
            self.call.open_callee = Some(OpenCallee {
                default,
                object,
                file,
                id,
                is_nested: name.is_nested,
                is_from_nested: self.current.is_nested,
            });
        } else if let Some(id) = id.filter(|_| defines_id) {
            let function = self.profile.functions().add(default)?;
            self.open_calls.note_definition(id, function);
        }
        Ok(())
    }
}

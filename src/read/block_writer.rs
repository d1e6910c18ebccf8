//! Writes a block: what the lexer reads of one function on a thread, which does not know what came
//! before it.
//!
//! The costs at one line of a file are added up to one row. Lines whose meaning depends on what
//! came before the function, and lines that are odd, of which the reader may have to warn, are not
//! written: the reader then lexes the whole function, line by line. Without blocks, reports of 46
//! MB of python3 with addresses took 1.3 to 1.6 times the processor time.

mod rows;

use super::Detail;
use super::block::{
    Block, BlockCall, BlockJump, BlockName, Blocks, CallAddresses, Entry, KnownFile, NameText,
    push_counts, push_zeros,
};
use super::cursor::{Cursor, LinePosition, Malformed};
use super::header::Layout;
use super::jump::JumpLine;
use super::lexer::{Buffers, CallsLine, Expected, LexUntil, Lexer, LineCounts, Sink, State};
use super::name_interner::NameInterner;
use super::record::{Name, NameOf, is_compressed_context};
use super::warning::{ErrorKind, Warning};
use crate::profile::{Count, DivideBy};
use rows::{NO_ROW, add_cost};

/// The file of a function before any `fi=`, `fe=` or `fl=`.
const OWN_FILE: u32 = u32::MAX;

/// Files whose names are written out without an id are numbered from here on, above all ids.
const FIRST_TEXT: u32 = 1 << 31;

/// The maximum number of a block's files that are remembered, so that none of them is defined
/// twice.
const MAX_FILES: usize = 64;

/// The number of a file that is not in [`Blocks::files`].
const UNLISTED: u32 = u32::MAX;

/// Which file of the block, as the sink identifies it.
#[derive(Clone, Copy)]
struct BlockFile {
    /// A compressed id, [`OWN_FILE`], or [`FIRST_TEXT`] plus the index of a name.
    id: u32,
    /// The index in [`Blocks::files`], where one that is not there would be behind all.
    number: u32,
}

impl BlockFile {
    const OWN: BlockFile = BlockFile { id: OWN_FILE, number: 0 };
    /// No file of the block. (A name has no such number, as names take bytes of the chunk.)
    const NONE: BlockFile = BlockFile { id: OWN_FILE - 1, number: UNLISTED };
}

impl PartialEq for BlockFile {
    #[inline(always)]
    fn eq(&self, other: &BlockFile) -> bool {
        self.id == other.id
    }
}

/// The reason why a function is not written: a line depends on what came before it, or is odd.
pub(super) struct NotWritten;

impl From<ErrorKind> for NotWritten {
    fn from(_: ErrorKind) -> NotWritten {
        NotWritten
    }
}

struct BlockWriter<'l> {
    out: &'l mut Blocks,
    interner: &'l NameInterner,
    layout: Layout,
    detail: Detail,
    /// Whether costs are kept by address.
    keeps_addresses: bool,
    state: State<BlockFile>,
    /// The file that the reader is in after the entries so far; none if the next call or row needs
    /// a name first. A name of a known file becomes an entry only where something follows, because
    /// files change often where code is inlined.
    reader_file: BlockFile,
    /// The id of the function's own file, by which `fe=` returns to it.
    own_file: Option<u32>,
    /// Whether an `fl=` line or a definition in the block may have changed the function's own file.
    is_own_file_open: bool,
    /// The file of the last row, that row, and its line; [`NO_ROW`] if there is none.
    row_file: BlockFile,
    last_row: (usize, u64),
    /// Whether any name of the next callee was read, and whether its function's name was.
    is_callee_begun: bool,
    is_callee_named: bool,
    /// Whether `calls=` may repeat the last callee.
    has_callee: bool,
    /// A jump whose source comes next.
    jump: Option<JumpLine>,
}

/// Lexes the function at the cursor into a block and moves the cursor past it. If it cannot be
/// written, returns none and changes nothing. Behind the text there are [`MAX_FAST_LINE`] newlines.
///
/// [`MAX_FAST_LINE`]: super::fast_line::MAX_FAST_LINE
pub(super) fn write_block(
    out: &mut Blocks,
    buffers: &mut Buffers,
    cursor: &mut Cursor<'_>,
    layout: Layout,
    detail: Detail,
    interner: &NameInterner,
) -> Option<Block> {
    let start = cursor.position();
    let first = out.sizes();
    let mut writer = BlockWriter::new(out, layout, detail, interner);
    let mut lexer = Lexer::new(&mut writer, *cursor, buffers);
    let lexed = lexer.lines(LexUntil::EndOfFunction);
    let end = lexer.end();
    let is_before_function = end.rest.first_chunk() == Some(b"fn=");
    let is_written = lexed.and_then(|()| writer.end(is_before_function)).is_ok();
    let BlockWriter { state, has_callee, own_file, .. } = writer;
    if !is_written {
        out.truncate(first, layout.events);
        return None;
    }
    *cursor = end;
    let totals = out.totals.len();
    out.add_totals(first.rows, first.calls, layout.events);
    let count_len = out.rows[first.rows..].iter().fold(0, |most, row| row.count_len.max(most));
    let calls_made = out.calls[first.calls..].iter();
    let jumps = out.jumps[first.jumps..].iter();
    let jumps_made = jumps.map(|BlockJump { jump, .. }| jump.taken + jump.executed).sum();
    Some(Block {
        text: start..end.position(),
        lines: state.line,
        entries: first.entries..out.entries.len(),
        totals,
        count_len: count_len.into(),
        calls_made: calls_made.map(|call| i64::from(call.count)).sum(),
        jumps_made,
        has_callee,
        last: state.last.is_known().then_some(state.last),
        own_file,
    })
}

impl<'l> BlockWriter<'l> {
    #[inline(always)]
    fn new(
        out: &'l mut Blocks,
        layout: Layout,
        detail: Detail,
        interner: &'l NameInterner,
    ) -> BlockWriter<'l> {
        out.index.clear();
        out.files.clear();
        let own = KnownFile { id: OWN_FILE, has_any: false, entry: Entry::OwnFile };
        out.files.push(own);
        BlockWriter {
            out,
            interner,
            layout,
            detail,
            keeps_addresses: layout.keeps_addresses(detail),
            state: State::before_function(BlockFile::OWN),
            reader_file: BlockFile::OWN,
            own_file: None,
            is_own_file_open: false,
            row_file: BlockFile::OWN,
            last_row: NO_ROW,
            is_callee_begun: false,
            is_callee_named: false,
            has_callee: false,
            jump: None,
        }
    }

    /// Ends the block in the file of its last line. Calls and jumps need their costs, and names of
    /// callees their `calls=`.
    fn end(&mut self, is_before_function: bool) -> Result<(), NotWritten> {
        self.check_callee()?;
        // A call behind the block may be in another file than a self cost.
        let is_open = self.layout.is_of_callgrind && !self.state.files.is_plain();
        if is_open && !is_before_function || !matches!(self.state.expected, Expected::SelfCost) {
            return Err(NotWritten);
        }
        self.enter(self.state.files.named())
    }

    /// Rejects a line other than the names of a callee, if such names have been read: `calls=`
    /// follows them.
    #[inline(always)]
    fn check_callee(&self) -> Result<(), NotWritten> {
        if self.is_callee_begun { Err(NotWritten) } else { Ok(()) }
    }

    /// Adds the text of a name, and returns its index.
    fn add_text(
        &mut self,
        kind: NameOf,
        id: Option<u64>,
        text: &[u8],
        at: usize,
    ) -> Result<u32, NotWritten> {
        self.is_own_file_open |= !kind.is_function();
        let number = u32::try_from(self.out.names.len()).map_err(|_| NotWritten)?;
        let has_ids = self.layout.is_of_callgrind && is_compressed_context(text);
        let hash = (kind.is_function() && !has_ids).then(|| self.interner.hash(text));
        self.out.names.push(NameText { id, text: at..at + text.len(), hash, interned: None });
        if number < FIRST_TEXT { Ok(number) } else { Err(NotWritten) }
    }

    /// A name for an entry, and the id that it has if it is that of a file.
    #[inline(always)]
    fn block_name(
        &mut self,
        kind: NameOf,
        name: Name<'_>,
        at: usize,
    ) -> Result<(BlockName, u32), NotWritten> {
        let id_of =
            |id: u64| u32::try_from(id).ok().filter(|&id| id < FIRST_TEXT).ok_or(NotWritten);
        match name {
            Name::Reference(referred) => {
                let id = id_of(referred)?;
                Ok((BlockName::Reference(id), id))
            }
            Name::Text(text) => {
                let number = self.add_text(kind, None, text, at)?;
                Ok((BlockName::Text(number), FIRST_TEXT + number))
            }
            Name::Definition(defined, text) => {
                let id = id_of(defined)?;
                // Rows before it and after it would be in one file.
                let is_again = !kind.is_function()
                    && (self.out.files.len() >= MAX_FILES
                        || self.own_file == Some(id)
                        || self.file_number(id).is_some());
                if is_again {
                    return Err(NotWritten);
                }
                let number = self.add_text(kind, Some(defined), text, at)?;
                Ok((BlockName::Text(number), id))
            }
        }
    }

    /// Whether `fe=` with this id returns to the function's own file. The reader checks that file's
    /// id.
    #[inline]
    fn is_own_file(&mut self, id: u32) -> bool {
        let is_first = self.own_file.is_none() && !self.is_own_file_open;
        if is_first && self.file_number(id).is_none() {
            self.own_file = Some(id);
        }
        self.own_file == Some(id) && !self.is_own_file_open
    }

    #[inline]
    fn file_number(&self, id: u32) -> Option<u32> {
        let number = self.out.files.iter().position(|known| known.id == id);
        number.map(|number| number as u32)
    }

    /// Remembers a file with the entry of its name, if there is room, and returns its number.
    fn add_file(&mut self, id: u32, entry: Entry) -> u32 {
        let number = self.out.files.len();
        if number == MAX_FILES {
            return UNLISTED;
        }
        self.out.files.push(KnownFile { id, has_any: false, entry });
        number as u32
    }

    /// Adds an entry that names the file of what follows, if the reader is in another one. It
    /// cannot if the file is not remembered.
    #[inline(always)]
    fn enter(&mut self, file: BlockFile) -> Result<(), NotWritten> {
        if self.reader_file != file {
            let known = self.out.files.get(file.number as usize).ok_or(NotWritten)?;
            self.out.entries.push(known.entry);
            self.reader_file = file;
        }
        Ok(())
    }

    /// Adds a row in a file.
    #[inline]
    fn push_in_file(&mut self, entry: Entry, file: BlockFile) -> Result<(), NotWritten> {
        self.enter(file)?;
        self.push(entry, file);
        Ok(())
    }

    /// Adds a call or jump in a file, which may be another than that of the next row.
    #[inline]
    fn push_call(&mut self, entry: Entry, file: BlockFile) -> Result<(), NotWritten> {
        let base = self.state.files.target(self.layout.is_of_callgrind);
        if file == base {
            return self.push_in_file(entry, file);
        }
        self.enter(base)?;
        let known = self.out.files.get(file.number as usize).ok_or(NotWritten)?;
        let name = known.entry;
        self.out.entries.extend([Entry::CallFile, name]);
        self.reader_file = BlockFile::NONE;
        self.push(entry, file);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry, file: BlockFile) {
        self.out.entries.push(entry);
        if let Some(known) = self.out.files.get_mut(file.number as usize) {
            known.has_any = true;
        }
    }

    /// The number of the current line, counted from 0.
    #[inline]
    fn line(&self) -> u32 {
        // A chunk has fewer lines than bytes.
        self.state.line as u32 - 1
    }
}

impl Sink for BlockWriter<'_> {
    type File = BlockFile;
    type Stop = NotWritten;

    #[inline(always)]
    fn state(&mut self) -> &mut State<BlockFile> {
        &mut self.state
    }

    #[inline(always)]
    fn layout(&self) -> Layout {
        self.layout
    }

    #[inline(always)]
    fn keeps_targets(&self) -> bool {
        self.detail.targets
    }

    #[inline(always)]
    fn keeps_jumps(&self) -> bool {
        self.detail.jumps
    }

    fn header(&mut self, _: &[u8], _: &[u8]) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    fn unknown_line(&mut self, _: &[u8]) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    fn warn(&mut self, _: u64, _: Warning) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    #[inline(always)]
    fn file(&mut self, kind: NameOf, name: Name<'_>, at: usize) -> Result<BlockFile, NotWritten> {
        self.check_callee()?;
        let (name, written_id) = self.block_name(kind, name, at)?;
        let id = match name {
            BlockName::Reference(id) if kind == NameOf::EndOfInlined && self.is_own_file(id) => {
                OWN_FILE
            }
            _ => written_id,
        };
        let line = self.line();
        let known = self.file_number(id);
        let number = known.unwrap_or_else(|| {
            // A later `fi=` of the file does not make it the function's own.
            self.add_file(id, Entry::Name { line, kind: NameOf::InlinedFile, name })
        });
        let file = BlockFile { id, number };
        if kind == NameOf::File {
            self.is_own_file_open = true;
        }
        if kind == NameOf::File || known.is_none() {
            self.out.entries.push(Entry::Name { line, kind, name });
            self.reader_file = file;
        }
        Ok(file)
    }

    /// Adds a name that is expected here: those of a callee come in any order, and `calls=` follows
    /// them.
    #[inline(always)]
    fn name(&mut self, kind: NameOf, name: Name<'_>, at: usize) -> Result<(), NotWritten> {
        match kind {
            NameOf::CalledObject | NameOf::CalledFile => self.is_callee_begun = true,
            NameOf::CalledFunction => {
                self.is_callee_begun = true;
                self.is_callee_named = true;
            }
            NameOf::OtherFunction => return Err(NotWritten),
            _ => self.check_callee()?,
        }
        let (name, id) = self.block_name(kind, name, at)?;
        if !self.detail.calls
            && self.out.named_ids.add(kind, id)
            && self.is_callee_begun
            && matches!(name, BlockName::Reference(_))
        {
            // All that the reader needs of it is that its id is defined.
            return Ok(());
        }
        self.out.entries.push(Entry::Name { line: self.line(), kind, name });
        Ok(())
    }

    /// Adds `cfni=`: costs before it and after it are not of the same row.
    fn inlined(&mut self, name: &[u8], at: usize) -> Result<(), NotWritten> {
        if self.detail.divide_by != DivideBy::Inlined {
            return Ok(());
        }
        let number = u32::try_from(self.out.names.len()).map_err(|_| NotWritten)?;
        let text = at..at + name.len();
        self.out.names.push(NameText { id: None, text, hash: None, interned: None });
        self.out.entries.push(Entry::Inlined { line: self.line(), name: number });
        self.out.index.clear();
        self.out.files.iter_mut().for_each(|file| file.has_any = false);
        self.last_row = NO_ROW;
        Ok(())
    }

    #[inline(always)]
    fn calls(&mut self) -> Result<bool, NotWritten> {
        let has_own = std::mem::take(&mut self.is_callee_named);
        // Another producer's calls may have the callee of the last ones.
        self.has_callee = has_own || self.has_callee && !self.layout.is_of_callgrind;
        self.is_callee_begun = false;
        if self.has_callee { Ok(true) } else { Err(NotWritten) }
    }

    fn calls_without_count(&mut self) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    /// Takes a jump of few times. A block has fewer than 2^31 of these, so that the sum of their
    /// counts fits into 63 bits.
    fn jump(&mut self, jump: Option<JumpLine>) -> Result<(), NotWritten> {
        let is_small = |times: i64| u32::try_from(times).is_ok();
        self.jump = jump.filter(|jump| is_small(jump.taken) && is_small(jump.executed));
        if self.jump.is_some() { Ok(()) } else { Err(NotWritten) }
    }

    fn jump_without_source(&mut self, _: u64) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    #[inline(always)]
    fn plain_self_costs(&mut self, text: &[u8]) -> Result<usize, NotWritten> {
        self.check_callee()?;
        self.plain_rows(text)
    }

    #[inline(never)]
    fn self_cost(
        &mut self,
        file: BlockFile,
        at: LinePosition,
        cost: LineCounts<'_>,
    ) -> Result<(), NotWritten> {
        self.check_callee()?;
        self.add_self_cost(file, at, cost)
    }

    #[inline(always)]
    fn call_cost(
        &mut self,
        file: BlockFile,
        at: LinePosition,
        calls: CallsLine,
        cost: LineCounts<'_>,
    ) -> Result<(), NotWritten> {
        let line = self.kept_line(at.line);
        let count = u32::try_from(calls.count).map_err(|_| NotWritten)?;
        if !self.detail.calls {
            return self.add_site(file, line, at.address);
        }
        let call_counts = &mut self.out.call_counts;
        let count_len = match cost {
            LineCounts::Plain { counts, len } => {
                push_counts(call_counts, counts);
                len as u8
            }
            LineCounts::Any(_) => add_cost(push_zeros(call_counts, self.layout.events), cost)?,
        };
        let number = self.out.calls.len() as u32;
        self.out.calls.push(BlockCall { line, count, target: calls.target.line as u32, count_len });
        if self.detail.code {
            let addresses = CallAddresses { site: at.address, target: calls.target.address };
            self.out.call_addresses.push(addresses);
        }
        self.push_call(Entry::Call(number), file)
    }

    /// Adds a jump, or what it leaves of itself if it is not kept: the function has code in the
    /// file.
    #[inline(never)]
    fn jump_source(&mut self, file: BlockFile, at: LinePosition) -> Result<(), NotWritten> {
        self.check_callee()?;
        if let Some(jump) = self.jump.take() {
            let number = self.out.jumps.len() as u32;
            self.out.jumps.push(BlockJump { jump, source: at });
            return self.push_call(Entry::Jump(number), file);
        }
        if self.out.files.get(file.number as usize).is_some_and(|known| known.has_any) {
            return Ok(());
        }
        self.push_call(Entry::JumpSource, file)
    }

    fn ignored_cost(&mut self, _: BlockFile, _: LinePosition) -> Result<(), NotWritten> {
        Err(NotWritten)
    }

    fn skip_cost(&mut self, _: Malformed, _: &[u8], _: &[Count]) -> Result<(), NotWritten> {
        Err(NotWritten)
    }
}

//! Lexes blocks: the lines of one function, from its `fn=` line up to the next one.
//!
//! Callgrind writes the first positions of a function in full, so a block can be lexed by itself, on any thread. It finds
//! out which file each line is in, and tells it the reader, which has the state from function to function and adds
//! whole rows to the profile. A block with anything unusual is left to the reader, which reads it line by line with
//! all checks. This file has the state and the lines with names, `calls` the calls and jumps, `costs` the self costs.

mod calls;
mod costs;

use super::Detail;
use super::block::{Block, BlockJump, BlockName, Blocks, Entry, KnownFile, NameText};
use super::cursor::{Cursor, LastPosition};
use super::fast_line::{FastLine, MAX_LINE};
use super::header::Layout;
use super::line_files::LineFiles;
use super::name_interner::NameInterner;
use super::record::{Name, NameKind, is_compressed_context, is_cost_line};
use crate::profile::DivideBy;

/// The file of a function before any `fi=`, `fe=` or `fl=`.
const OWN_FILE: u32 = u32::MAX;

/// Files whose names are written out without an id are numbered from here on, above all ids.
const FIRST_TEXT: u32 = 1 << 31;

/// The maximum number of a block's files that are remembered, so that none of them is defined twice.
const MAX_FILES: usize = 64;

/// No line: positions relative to it are out of range.
const NO_LINE: u64 = u64::MAX;

/// No row or file.
const NONE: usize = usize::MAX;

/// A file of a block.
#[derive(Clone, Copy)]
struct BlockFile {
    /// A compressed id, [`OWN_FILE`], or [`FIRST_TEXT`] plus the index of a name.
    symbol: u32,
    /// The index in [`Blocks::files`]; [`NONE`] if it is not there.
    number: usize,
}

impl BlockFile {
    const OWN: BlockFile = BlockFile { symbol: OWN_FILE, number: 0 };
}

impl PartialEq for BlockFile {
    #[inline(always)]
    fn eq(&self, other: &BlockFile) -> bool {
        self.symbol == other.symbol
    }
}

struct Lexer<'l> {
    out: &'l mut Blocks,
    /// The lines not lexed yet, and [`MAX_LINE`] bytes after the last.
    cursor: Cursor<'l>,
    interner: &'l NameInterner,
    layout: Layout,
    detail: Detail,
    /// Whether costs are kept by address.
    keeps_addresses: bool,
    /// The number of lines so far.
    lines: u32,
    /// The last position; its line is [`NO_LINE`] until one is known.
    last: LastPosition,
    files: LineFiles<BlockFile>,
    /// The file that the reader is in after the entries so far; none if another call or row needs a name first. A name of
    /// a known file becomes an entry only where something follows, because files change often where code is inlined.
    told: Option<BlockFile>,
    /// The id of the function's own file, by which `fe=` returns to it.
    own_file: Option<u32>,
    /// Whether an `fl=` line or a definition in the block may have changed the function's own file.
    is_own_file_open: bool,
    /// The file of the last row, that row, and its line; [`NONE`] and [`NO_LINE`] if there is none.
    row_file: BlockFile,
    last_row: (usize, u64),
    /// Whether any name of the next callee was read, and whether its function's name was.
    is_callee_begun: bool,
    is_callee_named: bool,
    /// Whether `calls=` may repeat the last callee.
    has_callee: bool,
}

impl Blocks {
    /// Lexes the block at the cursor and moves the cursor past it. If anything in it is unusual, returns none and
    /// changes nothing. After the chunk's text there are [`MAX_LINE`] more bytes.
    pub(super) fn block(
        &mut self,
        cursor: &mut Cursor<'_>,
        layout: Layout,
        detail: Detail,
        interner: &NameInterner,
    ) -> Option<Block> {
        let start = cursor.position();
        let first = self.sizes();
        self.index.clear();
        self.files.clear();
        let own = KnownFile { symbol: OWN_FILE, has_any: false, entry: Entry::OwnFile };
        self.files.push(own);
        self.unused_counts.resize(layout.events, 0);
        let mut lexer = Lexer::new(self, *cursor, layout, detail, interner);
        if lexer.lines().is_none() {
            self.truncate(first, layout.events);
            return None;
        }
        let (lines, last, has_callee) = (lexer.lines.into(), lexer.last, lexer.has_callee);
        let own_file = lexer.own_file;
        cursor.advance(lexer.cursor.position() - start);
        let totals = self.totals.len();
        self.add_totals(first.rows, first.calls, layout.events);
        let count_len = self.rows[first.rows..].iter().map(|row| row.count_len).max();
        let calls_made = self.calls[first.calls..].iter();
        let jumps = self.jumps[first.jumps..].iter();
        let jumps_made = jumps.map(|BlockJump { jump, .. }| jump.taken + jump.executed).sum();
        Some(Block {
            text: start..cursor.position(),
            lines,
            entries: first.entries..self.entries.len(),
            totals,
            count_len: count_len.unwrap_or(0).into(),
            calls_made: calls_made.map(|call| i64::from(call.count)).sum(),
            jumps_made,
            has_callee,
            last: (last.line != NO_LINE).then_some(last),
            own_file,
        })
    }
}

impl<'l> Lexer<'l> {
    fn new(
        out: &'l mut Blocks,
        cursor: Cursor<'l>,
        layout: Layout,
        detail: Detail,
        interner: &'l NameInterner,
    ) -> Lexer<'l> {
        Lexer {
            out,
            cursor,
            interner,
            layout,
            detail,
            keeps_addresses: layout.keeps_addresses(detail),
            lines: 0,
            last: LastPosition { address: 0, line: NO_LINE },
            files: LineFiles::new(BlockFile::OWN),
            told: Some(BlockFile::OWN),
            own_file: None,
            is_own_file_open: false,
            row_file: BlockFile::OWN,
            last_row: (NONE, NO_LINE),
            is_callee_begun: false,
            is_callee_named: false,
            has_callee: false,
        }
    }

    #[inline(always)]
    fn next_line(&self) -> Option<FastLine<'l>> {
        FastLine::new(self.cursor.rest).filter(|_| self.cursor.rest.len() > MAX_LINE)
    }

    /// Lexes lines up to the next `fn=`, or to the end.
    fn lines(&mut self) -> Option<()> {
        let start = self.cursor.position();
        while let Some(mut fast) = self.next_line() {
            match fast.peek() {
                byte if is_cost_line(byte) => {
                    self.costs(fast)?;
                    continue;
                }
                b'\n' => self.cursor.advance(1),
                b'#' => drop(self.cursor.take_line()),
                _ => match NameKind::of_line(fast.bytes) {
                    Some((NameKind::Function, _)) if self.cursor.position() > start => {
                        return self.end();
                    }
                    Some((kind, value)) => {
                        fast.advance((fast.bytes.len() - value.len()) as u8);
                        self.name(kind, fast)?;
                    }
                    None if fast.bytes.first_chunk() == Some(b"cfni=") => self.inlined()?,
                    None => self.calls_or_jump(fast)?,
                },
            }
            self.lines += 1;
        }
        // A call in the next chunk may be in another file than a self cost.
        if self.layout.base_ignores_calls && !self.files.is_plain() {
            return None;
        }
        self.end()
    }

    /// Ends the block in the file of its last line; rejects a callee without `calls=`.
    fn end(&mut self) -> Option<()> {
        self.is_complete()?;
        self.tell(self.files.named())
    }

    fn is_complete(&self) -> Option<()> {
        (!self.is_callee_begun).then_some(())
    }

    /// Lexes a line with a name, which begins at `fast`.
    #[inline(always)]
    fn name(&mut self, kind: NameKind, mut fast: FastLine<'l>) -> Option<()> {
        self.expect(kind)?;
        let name_at = fast.position();
        let id = fast.id();
        let (name, file) = match id {
            Some(id) if fast.skip(b'\n') => {
                self.cursor.advance(fast.position());
                let is_end = kind == NameKind::InlinedFile && fast.bytes[1] == b'e';
                let is_own = is_end && self.is_own_file(id);
                (BlockName::Reference(id), if is_own { OWN_FILE } else { id })
            }
            _ => {
                let id = id.filter(|_| fast.skip(b' '));
                let number = self.written_name(kind, name_at, (id, fast.position()))?;
                let id = self.out.names[number as usize].id;
                let file = id.map_or(FIRST_TEXT + number, |id| id as u32);
                (BlockName::Text(number), file)
            }
        };
        let line = self.lines;
        let entry = Entry::Name { line, kind, name };
        if !matches!(kind, NameKind::File | NameKind::InlinedFile) {
            self.out.entries.push(entry);
            return Some(());
        }
        let known = self.file_number(file);
        let number = known.unwrap_or_else(|| {
            // A later `fi=` of the file does not make it the function's own.
            self.add_file(file, Entry::Name { line, kind: NameKind::InlinedFile, name })
        });
        let file = BlockFile { symbol: file, number };
        if kind == NameKind::File {
            self.is_own_file_open = true;
            self.files = LineFiles::new(file);
        } else {
            self.files.name(file);
        }
        if kind == NameKind::File || known.is_none() {
            self.out.entries.push(entry);
            self.told = Some(file);
        }
        Some(())
    }

    /// Lexes a name that is written out, possibly after an id, and returns its index.
    #[inline(never)]
    fn written_name(
        &mut self,
        kind: NameKind,
        name_at: usize,
        (id, text_at): (Option<u32>, usize),
    ) -> Option<u32> {
        let start = self.cursor.position();
        let line = self.cursor.take_line().trim_ascii_end();
        let name_end = start + line.len();
        let rest = line.get(text_at..).unwrap_or_default();
        let (id, text) = match id {
            Some(id) if rest.first().is_some_and(u8::is_ascii_graphic) => (Some(id.into()), rest),
            _ => match Name::parse(&line[name_at..]) {
                Name::Definition(id, text) if id < u64::from(FIRST_TEXT) => (Some(id), text),
                Name::Text(text) => (None, text),
                _ => return None,
            },
        };
        if !kind.is_function()
            && let Some(id) = id
            && (self.out.files.len() >= MAX_FILES
                || self.own_file == Some(id as u32)
                || self.file_number(id as u32).is_some())
        {
            return None;
        }
        self.is_own_file_open |= !kind.is_function();
        let number = u32::try_from(self.out.names.len()).ok()?;
        let has_ids = self.layout.base_ignores_calls && is_compressed_context(text);
        self.out.names.push(NameText {
            id,
            text: name_end - text.len()..name_end,
            hash: (kind.is_function() && !has_ids).then(|| self.interner.hash(text)),
            interned: None,
        });
        (number < FIRST_TEXT).then_some(number)
    }

    /// Whether `fe=` with this id returns to the function's own file. The reader checks that file's id.
    fn is_own_file(&mut self, id: u32) -> bool {
        let is_first = self.own_file.is_none() && !self.is_own_file_open;
        if is_first && self.file_number(id).is_none() {
            self.own_file = Some(id);
        }
        self.own_file == Some(id) && !self.is_own_file_open
    }

    fn file_number(&self, symbol: u32) -> Option<usize> {
        self.out.files.iter().position(|known| known.symbol == symbol)
    }

    /// Remembers a file with the entry of its name, if there is room, and returns its number.
    fn add_file(&mut self, symbol: u32, entry: Entry) -> usize {
        let number = self.out.files.len();
        if number == MAX_FILES {
            return NONE;
        }
        self.out.files.push(KnownFile { symbol, has_any: false, entry });
        number
    }

    /// Adds an entry that names the file of what follows, if the reader is in another one; none if that is not possible.
    #[inline(always)]
    fn tell(&mut self, file: BlockFile) -> Option<()> {
        if self.told != Some(file) {
            self.out.entries.push(self.out.files.get(file.number)?.entry);
            self.told = Some(file);
        }
        Some(())
    }

    /// Adds a row in a file.
    #[inline]
    fn push_in_file(&mut self, entry: Entry, file: BlockFile) -> Option<()> {
        self.tell(file)?;
        self.push_told(entry, file);
        Some(())
    }

    /// Adds a call or jump in a file, which may be another than that of the next row.
    #[inline]
    fn push_call(&mut self, entry: Entry, file: BlockFile) -> Option<()> {
        let base = self.files.target(self.layout.base_ignores_calls);
        if file == base {
            return self.push_in_file(entry, file);
        }
        self.tell(base)?;
        self.out.entries.push(Entry::CallFile);
        self.out.entries.push(self.out.files.get(file.number)?.entry);
        self.told = None;
        self.push_told(entry, file);
        Some(())
    }

    #[inline(always)]
    fn push_told(&mut self, entry: Entry, file: BlockFile) {
        self.out.entries.push(entry);
        if let Some(known) = self.out.files.get_mut(file.number) {
            known.has_any = true;
        }
    }

    /// Rejects a name that is not expected here: the names of a callee come in any order, and `calls=` follows them.
    #[inline(always)]
    fn expect(&mut self, kind: NameKind) -> Option<()> {
        match kind {
            NameKind::CalledObject | NameKind::CalledFile => {}
            NameKind::CalledFunction => self.is_callee_named = true,
            NameKind::OtherFunction => return None,
            _ => return (!self.is_callee_begun).then_some(()),
        }
        self.is_callee_begun = true;
        Some(())
    }

    /// Lexes `cfni=`: costs before it and after it are not of the same row.
    #[cold]
    fn inlined(&mut self) -> Option<()> {
        let start = self.cursor.position();
        let line = self.cursor.take_line();
        if self.detail.divide_by != DivideBy::Inlined {
            return Some(());
        }
        let text = line[b"cfni=".len()..].trim_ascii();
        let text_at = start + line.trim_ascii_end().len() - text.len();
        let name = u32::try_from(self.out.names.len()).ok()?;
        let text = text_at..text_at + text.len();
        self.out.names.push(NameText { id: None, text, hash: None, interned: None });
        self.out.entries.push(Entry::Inlined { line: self.lines, name });
        self.out.index.clear();
        self.out.files.iter_mut().for_each(|file| file.has_any = false);
        self.last_row = (NONE, NO_LINE);
        Some(())
    }
}

//! Blocks: the lines of one function, from its `fn=` line up to the next one.
//!
//! Callgrind writes the first positions of a function in full, so a block can be lexed by itself, on any thread. The
//! costs at one line of a file are added up to one row, and the reader adds whole rows to the profile. Where instructions
//! are kept, each cost line is a row of its own: nearly all are of different instructions, and a second line of one
//! tells of skipped code. A block with anything unusual is left to the reader, which reads it line by line with all
//! checks.

use std::ops::Range;

use super::Detail;
use super::cursor::{Cursor, LAST_LINE, LastPosition};
use super::fast_line::{FastLine, MAX_LINE};
use super::header::{Layout, call_target};
use super::jump::JumpLine;
use super::name_interner::{InternedName, NameInterner};
use super::record::{Name, NameKind, is_compressed_context, is_cost_line};
use crate::profile::{BlockIndex, DivideBy, NameHash};

/// A lexed block: ranges of the lists in the [`Blocks`] of its chunk.
pub(super) struct Block {
    pub(super) text: Range<usize>,
    pub(super) lines: u64,
    pub(super) entries: Range<usize>,
    /// The index of its totals in [`Blocks::totals`].
    pub(super) totals: usize,
    /// The maximum number of defined counts in its rows.
    pub(super) count_len: usize,
    pub(super) calls_made: i64,
    /// How often its jumps were taken and executed, if they are kept.
    pub(super) jumps_made: i64,
    /// Whether it makes calls.
    pub(super) has_callee: bool,
    /// The base of the next relative position; none if no line of the block has a position.
    pub(super) last: Option<LastPosition>,
    /// The id of the function's own file, if an `fe=` line has it.
    pub(super) own_file: Option<u32>,
}

/// An element of a block, in order of first appearance.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// A name on the line of this number, counted from 0 in the block.
    Name { line: u32, kind: NameKind, name: BlockName },
    /// The first cost line of a row; its index in [`Blocks::rows`].
    Row(u32),
    /// The cost line of calls to the last callee; its index in [`Blocks::calls`].
    Call(u32),
    /// The place of calls that are not kept, where instructions are; the index of its row.
    Place(u32),
    /// The source of a jump that is not kept, if nothing came before it in the current file.
    JumpSource,
    /// A jump; its index in [`Blocks::jumps`].
    Jump(u32),
    /// `cfni=`, the function that the next costs were inlined from; the index of its name in [`Blocks::names`].
    Inlined { line: u32, name: u32 },
}

#[derive(Clone, Copy)]
pub(super) enum BlockName {
    /// A compressed id without a text.
    Reference(u32),
    /// The index in [`Blocks::names`].
    Text(u32),
}

/// A name that is written out.
pub(super) struct NameText {
    /// The compressed id that the line defines, if it has one.
    pub(super) id: Option<u64>,
    /// The range of its bytes in the chunk.
    pub(super) text: Range<usize>,
    /// For a function: the hash of its name, and the name once it is interned. Contexts of ids have
    /// neither: the reader knows what their ids are.
    hash: Option<NameHash>,
    pub(super) interned: Option<InternedName>,
}

/// The self cost of a source line. Its counts are in [`Blocks::row_counts`].
pub(super) struct BlockRow {
    pub(super) line: u32,
    /// The number of its defined counts.
    pub(super) count_len: u8,
    /// The file: a compressed id, [`OWN_FILE`], or [`FIRST_TEXT`] plus the index of a name.
    pub(super) file: u32,
}

/// The calls of one `calls=` line. Their cost is in [`Blocks::call_counts`].
pub(super) struct BlockCall {
    pub(super) line: u32,
    pub(super) count: u32,
    /// The line at which the callee begins, 0 if unknown.
    pub(super) target: u32,
    pub(super) count_len: u8,
}

/// A jump and its source.
pub(super) struct BlockJump {
    pub(super) jump: JumpLine,
    pub(super) source: LastPosition,
}

/// The addresses of the calls of one `calls=` line.
#[derive(Clone, Copy)]
pub(super) struct CallAddresses {
    pub(super) site: u64,
    pub(super) target: u64,
}

#[derive(Default)]
pub(super) struct Blocks {
    pub(super) entries: Vec<Entry>,
    pub(super) rows: Vec<BlockRow>,
    pub(super) calls: Vec<BlockCall>,
    pub(super) jumps: Vec<BlockJump>,
    /// The addresses of rows and of calls, if instructions are kept; 0 in a part without addresses.
    pub(super) row_addresses: Vec<u64>,
    pub(super) call_addresses: Vec<CallAddresses>,
    /// The counts of rows and of calls: for each, one per event.
    pub(super) row_counts: Vec<u64>,
    pub(super) call_counts: Vec<u64>,
    /// The counts of calls that are not kept, one per event.
    unused_counts: Vec<u64>,
    /// For each block, the total of its self costs by event, then the total of these and the costs of its calls.
    pub(super) totals: Vec<u64>,
    pub(super) names: Vec<NameText>,
    /// The index of the current block's rows by file and line.
    index: BlockIndex,
    /// The first files of the current block, and whether each has rows, calls or jumps.
    files: Vec<(u32, bool)>,
}

/// The lengths of the lists of [`Blocks`].
#[derive(Clone, Copy, Default)]
struct Sizes {
    entries: usize,
    rows: usize,
    calls: usize,
    jumps: usize,
    names: usize,
}

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
    /// The current file, and its index in [`Blocks::files`]; [`NONE`] if it is not there.
    file: u32,
    file_number: usize,
    /// Whether no self cost has followed the last `fi=` or `fe=`.
    is_file_new: bool,
    /// The name of the current file, if the block had it before and nothing has followed yet. It is added when
    /// something does, because files change often where code is inlined.
    repeated_file: Option<Entry>,
    /// The id of the function's own file, by which `fe=` returns to it.
    own_file: Option<u32>,
    /// Whether an `fl=` line or a definition in the block may have changed the function's own file.
    is_own_file_open: bool,
    /// The row of the last self cost in the current file, and its line; [`NONE`] and [`NO_LINE`] if there is none.
    last_row: (usize, u64),
    /// Whether any name of the next callee was read, and whether its function's name was.
    is_callee_begun: bool,
    is_callee_named: bool,
    /// Whether `calls=` may repeat the last callee.
    has_callee: bool,
}

impl Blocks {
    pub(super) fn clear(&mut self) {
        self.truncate(Sizes::default(), 0);
        self.totals.clear();
    }

    /// Lexes the block at the cursor and moves the cursor past it. If anything in it is unusual, returns none and
    /// changes nothing. After the chunk's text there are [`MAX_LINE`] more bytes.
    pub(super) fn block(
        &mut self,
        cursor: &mut Cursor<'_>,
        (layout, detail): (Layout, Detail),
        interner: &NameInterner,
    ) -> Option<Block> {
        let start = cursor.position();
        let first = self.sizes();
        self.index.clear();
        self.files.clear();
        self.files.push((OWN_FILE, false));
        self.unused_counts.resize(layout.events, 0);
        let mut lexer = Lexer::new(self, *cursor, interner, (layout, detail));
        if lexer.lines().is_none() {
            self.truncate(first, layout.events);
            return None;
        }
        lexer.push_file();
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

    fn sizes(&self) -> Sizes {
        Sizes {
            entries: self.entries.len(),
            rows: self.rows.len(),
            calls: self.calls.len(),
            jumps: self.jumps.len(),
            names: self.names.len(),
        }
    }

    fn truncate(&mut self, sizes: Sizes, events: usize) {
        self.entries.truncate(sizes.entries);
        self.rows.truncate(sizes.rows);
        self.row_counts.truncate(sizes.rows * events);
        self.row_addresses.truncate(sizes.rows);
        self.calls.truncate(sizes.calls);
        self.call_counts.truncate(sizes.calls * events);
        self.call_addresses.truncate(sizes.calls);
        self.jumps.truncate(sizes.jumps);
        self.names.truncate(sizes.names);
    }

    /// Appends the totals of the rows and calls from these indices on.
    fn add_totals(&mut self, row: usize, call: usize, events: usize) {
        let rows = &self.row_counts[row * events..];
        let calls = &self.call_counts[call * events..];
        if events == 1 {
            let own = rows.iter().sum::<u64>();
            self.totals.extend([own, own + calls.iter().sum::<u64>()]);
            return;
        }
        let (own, all) = push_zeros(&mut self.totals, 2 * events).split_at_mut(events);
        add_up(own, rows);
        all.copy_from_slice(own);
        add_up(all, calls);
    }

    /// Interns the names of functions; false if there are too many.
    pub(super) fn intern(&mut self, bytes: &[u8], interner: &NameInterner) -> bool {
        let mut locked = None;
        for name in &mut self.names {
            if let Some(hash) = name.hash.take() {
                let names = locked.get_or_insert_with(|| interner.lock());
                let text = &bytes[name.text.clone()];
                name.interned = interner.intern_in(names, text, hash).ok();
                if name.interned.is_none() {
                    return false;
                }
            }
        }
        true
    }
}

impl<'l> Lexer<'l> {
    fn new(
        out: &'l mut Blocks,
        cursor: Cursor<'l>,
        interner: &'l NameInterner,
        (layout, detail): (Layout, Detail),
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
            file: OWN_FILE,
            file_number: 0,
            is_file_new: false,
            repeated_file: None,
            own_file: None,
            is_own_file_open: false,
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
                        return self.is_complete();
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
        // A call may follow `fi=` in the next chunk.
        self.is_file_used()?;
        self.is_complete()
    }

    /// Rejects a callee without `calls=`.
    fn is_complete(&self) -> Option<()> {
        (!self.is_callee_begun).then_some(())
    }

    /// Rejects an `fi=` directly before a call or jump: in Callgrind's own files it applies to that call or jump alone.
    fn is_file_used(&self) -> Option<()> {
        (!(self.is_file_new && self.layout.base_ignores_calls)).then_some(())
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
        self.is_file_new |= kind == NameKind::InlinedFile;
        match kind {
            NameKind::InlinedFile if self.set_file(file) => self.repeated_file = Some(entry),
            NameKind::InlinedFile => {
                self.repeated_file = None;
                self.out.entries.push(entry);
            }
            NameKind::File => {
                self.is_own_file_open = true;
                self.push_file();
                self.set_file(file);
                self.out.entries.push(entry);
            }
            _ => self.out.entries.push(entry),
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

    fn file_number(&self, file: u32) -> Option<usize> {
        let mut files = self.out.files.iter();
        files.position(|&(known, _)| known == file)
    }

    /// Sets the current file; true if the block had it before.
    fn set_file(&mut self, file: u32) -> bool {
        if file != self.file {
            self.last_row = (NONE, NO_LINE);
        }
        self.file = file;
        let known = self.file_number(file);
        self.file_number = known.unwrap_or(NONE);
        if known.is_none() && self.out.files.len() < MAX_FILES {
            self.file_number = self.out.files.len();
            self.out.files.push((file, false));
        }
        known.is_some()
    }

    /// Adds the name of the current file, if it is pending.
    fn push_file(&mut self) {
        if let Some(name) = self.repeated_file.take() {
            self.out.entries.push(name);
        }
    }

    #[inline]
    fn push_in_file(&mut self, entry: Entry) {
        self.push_file();
        self.out.entries.push(entry);
        if let Some((_, has_any)) = self.out.files.get_mut(self.file_number) {
            *has_any = true;
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
        self.is_file_used()
    }

    /// Lexes `calls=`, `jump=` or `jcnd=` and the cost line that follows.
    #[inline(always)]
    fn calls_or_jump(&mut self, mut fast: FastLine<'l>) -> Option<()> {
        self.is_file_used()?;
        let is_jump = matches!(fast.bytes.first_chunk(), Some(b"jcnd=" | b"jump="));
        if fast.bytes.first_chunk() == Some(b"calls=") {
            fast.advance(6);
            let count = u32::try_from(fast.number()?).ok()?;
            matches!(fast.peek(), b' ' | b'\n').then_some(())?;
            let target = if self.detail.targets {
                self.target(fast)?
            } else {
                fast.skip_line()?;
                self.cursor.advance(fast.position());
                LastPosition::default()
            };
            self.has_callee |= std::mem::take(&mut self.is_callee_named);
            self.is_callee_begun = false;
            return self.call_cost(count, target);
        }
        if !is_jump || self.is_callee_begun {
            return None;
        }
        if self.detail.code {
            return self.jump();
        }
        fast.skip_line()?;
        self.cursor.advance(fast.position());
        self.jump_source()
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
        self.out.files.iter_mut().for_each(|(_, has_any)| *has_any = false);
        self.last_row = (NONE, NO_LINE);
        Some(())
    }

    /// The position of a callee at the end of `calls=`; 0 if it is unknown. `fast` is directly after the number of calls.
    fn target(&mut self, mut fast: FastLine<'l>) -> Option<LastPosition> {
        if fast.skip(b' ')
            && let Some(at) = self.place(&mut fast)
            && fast.skip(b'\n')
        {
            self.cursor.advance(fast.position());
            return Some(at);
        }
        let value = self.cursor.take_line().strip_prefix(b"calls=")?;
        self.can_be_target(value)?;
        Some(call_target(value, self.layout.positions, self.last))
    }

    /// Rejects a target relative to a line before the block.
    fn can_be_target(&self, value: &[u8]) -> Option<()> {
        let is_relative = value.iter().any(|byte| matches!(byte, b'+' | b'-' | b'*'));
        (self.last.line != NO_LINE || !is_relative).then_some(())
    }

    /// Steps over empty lines and comments; none if no cost line follows.
    #[inline(always)]
    fn next_cost_line(&mut self) -> Option<FastLine<'l>> {
        loop {
            // Counts the line before this one; the caller counts the cost line.
            self.lines += 1;
            let fast = self.next_line()?;
            match fast.peek() {
                b'\n' | b'#' => drop(self.cursor.take_line()),
                byte => return is_cost_line(byte).then_some(fast),
            }
        }
    }

    /// Lexes the source of a jump: a cost line without counts. One with counts, as in old files, is left to the reader.
    fn jump_source(&mut self) -> Option<()> {
        let mut fast = self.next_cost_line()?;
        let position = self.place(&mut fast)?;
        if !fast.skip(b'\n') {
            return None;
        }
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = position;
        }
        let file = self.out.files.get(self.file_number);
        if !file.is_some_and(|&(_, has_any)| has_any) {
            self.push_in_file(Entry::JumpSource);
        }
        Some(())
    }

    /// Lexes a jump that is kept, and the cost line with its source.
    fn jump(&mut self) -> Option<()> {
        let line = self.cursor.take_line();
        let (is_conditional, value) = match line.strip_prefix(b"jcnd=") {
            Some(value) => (true, value),
            None => (false, line.strip_prefix(b"jump=")?),
        };
        self.can_be_target(value)?;
        let jump = JumpLine::parse(is_conditional, value, self.layout.positions, self.last).ok()?;
        // So many add up to less than 2^63.
        let is_small = |times: i64| u32::try_from(times).is_ok();
        if !is_small(jump.taken) || !is_small(jump.executed) {
            return None;
        }
        let mut fast = self.next_cost_line()?;
        let source = self.place(&mut fast)?;
        if !fast.skip(b'\n') {
            return None;
        }
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = source;
        }
        let number = self.out.jumps.len() as u32;
        self.out.jumps.push(BlockJump { jump, source });
        self.push_in_file(Entry::Jump(number));
        Some(())
    }

    #[inline(always)]
    fn call_cost(&mut self, count: u32, target: LastPosition) -> Option<()> {
        if !self.has_callee {
            return None;
        }
        let mut fast = self.next_cost_line()?;
        let position = self.place(&mut fast)?;
        let line = self.kept_line(position.line);
        let sums = if self.detail.calls {
            push_zeros(&mut self.out.call_counts, self.layout.events)
        } else {
            &mut self.out.unused_counts
        };
        let count_len = match sums {
            [count] => fast.add_count(count)?,
            counts => fast.add_counts(counts)?,
        };
        self.cursor.advance(fast.position());
        if !self.layout.base_ignores_calls {
            self.last = position;
        }
        if !self.detail.calls {
            if self.keeps_addresses {
                let row = self.push_row(line, position.address);
                self.push_in_file(Entry::Place(row as u32));
                return Some(());
            }
            if u64::from(line) != self.last_row.1 {
                self.last_row = (self.row(line)?, line.into());
            }
            return Some(());
        }
        let call = self.out.calls.len();
        let count_len = count_len as u8;
        self.out.calls.push(BlockCall { line, count, target: target.line as u32, count_len });
        if self.detail.code {
            let addresses = CallAddresses { site: position.address, target: target.address };
            self.out.call_addresses.push(addresses);
        }
        self.push_in_file(Entry::Call(call as u32));
        Some(())
    }

    /// The position of a cost line; none if it is out of range, or relative to a line before the block.
    #[inline(always)]
    fn place(&self, fast: &mut FastLine<'_>) -> Option<LastPosition> {
        self.can_follow(fast)?;
        fast.place(self.layout.positions, self.last)
    }

    /// Without a last position, the first one must be absolute. (A relative line is then out of range.)
    #[inline(always)]
    fn can_follow(&self, fast: &FastLine<'_>) -> Option<()> {
        (self.last.line != NO_LINE || fast.peek().is_ascii_digit()).then_some(())
    }

    #[inline(always)]
    fn costs(&mut self, first: FastLine<'l>) -> Option<()> {
        self.is_file_new = false;
        self.is_complete()?;
        self.can_follow(&first)?;
        if self.keeps_addresses {
            return self.instruction_costs();
        }
        match (self.layout.positions.address, self.layout.events) {
            (false, 1) => self.self_costs::<false, true>(),
            (false, _) => self.self_costs::<false, false>(),
            (true, 1) => self.self_costs::<true, true>(),
            (true, _) => self.self_costs::<true, false>(),
        }
    }

    /// Lexes lines of self costs with or without an `ADDRESS`, with `ONE` event or several. These are constants, so
    /// that each of the four loops keeps its state in registers.
    #[inline(never)]
    fn self_costs<const ADDRESS: bool, const ONE: bool>(&mut self) -> Option<()> {
        let (mut rest, mut last) = (self.cursor.rest, self.last);
        let (mut row, mut row_line) = self.last_row;
        let (mut sum, mut has_count, mut lines) = (0u64, false, 0);
        let kept = if self.detail.lines { u64::MAX } else { 0 };
        loop {
            let mut fast = FastLine::new(rest)?;
            if ADDRESS && !address(&mut fast, &mut last)? {
                break;
            }
            match fast.line_from(last.line) {
                Some(line) => last.line = line,
                None if ADDRESS || is_cost_line(fast.bytes[0]) => return None,
                None => break,
            }
            if last.line > LAST_LINE {
                return None;
            }
            let line = last.line & kept;
            if line != row_line {
                if ONE {
                    self.add_to(row, &mut sum, &mut has_count);
                }
                row_line = line;
                row = self.row(line as u32)?;
            }
            if ONE {
                has_count |= fast.add_count(&mut sum)? == 1;
            } else {
                self.add_counts(row, &mut fast)?;
            }
            rest = &rest[fast.position()..];
            lines += 1;
        }
        if ONE {
            self.add_to(row, &mut sum, &mut has_count);
        }
        self.last = last;
        self.last_row = (row, row_line);
        self.lines += lines;
        self.cursor.advance(self.cursor.rest.len() - rest.len());
        Some(())
    }

    /// Lexes lines of self costs of instructions: each is a row.
    #[inline(never)]
    fn instruction_costs(&mut self) -> Option<()> {
        loop {
            let mut fast = FastLine::new(self.cursor.rest)?;
            if !is_cost_line(fast.peek()) {
                return Some(());
            }
            let at = fast.place(self.layout.positions, self.last)?;
            let row = self.push_row(self.kept_line(at.line), at.address);
            self.push_in_file(Entry::Row(row as u32));
            self.add_counts(row, &mut fast)?;
            self.last = at;
            self.lines += 1;
            self.cursor.advance(fast.position());
        }
    }

    /// The line under which costs are kept; instructions keep theirs.
    #[inline(always)]
    fn kept_line(&self, line: u64) -> u32 {
        if self.keeps_addresses { line as u32 } else { self.detail.line(line as u32) }
    }

    #[inline(always)]
    fn add_counts(&mut self, row: usize, line: &mut FastLine<'_>) -> Option<()> {
        let events = self.layout.events;
        let counts = &mut self.out.row_counts[row * events..][..events];
        let count_len = line.add_counts(counts)? as u8;
        let known = &mut self.out.rows[row].count_len;
        *known = count_len.max(*known);
        Some(())
    }

    /// Adds the sum of some cost lines to their row, if any of them has a count.
    #[inline(always)]
    fn add_to(&mut self, row: usize, sum: &mut u64, has_count: &mut bool) {
        if *has_count {
            self.out.rows[row].count_len = 1;
            self.out.row_counts[row] += *sum;
            (*sum, *has_count) = (0, false);
        }
    }

    /// The row of a line in the current file; none if the index is so crowded that lookups would be slow.
    #[inline(always)]
    fn row(&mut self, line: u32) -> Option<usize> {
        let key = (self.file, line);
        let rows = &self.out.rows;
        let is_it = |row: u32| {
            let row = &rows[row as usize];
            (row.file, row.line) == key
        };
        match self.out.index.find(hash(key), is_it) {
            Ok(row) => Some(row as usize),
            Err(slot) => self.new_row(key, slot),
        }
    }

    fn new_row(&mut self, (file, line): (u32, u32), slot: usize) -> Option<usize> {
        debug_assert_eq!(file, self.file);
        let row = self.push_row(line, 0);
        self.push_in_file(Entry::Row(row as u32));
        let rows = &self.out.rows;
        let hash_of = |row: u32| {
            let row = &rows[row as usize];
            hash((row.file, row.line))
        };
        let at = (hash((file, line)), slot);
        let is_crowded = self.out.index.insert(at, row as u32, hash_of);
        (!is_crowded).then_some(row)
    }

    /// Adds a row without counts in the current file.
    #[inline(always)]
    fn push_row(&mut self, line: u32, address: u64) -> usize {
        let row = self.out.rows.len();
        self.out.rows.push(BlockRow { line, count_len: 0, file: self.file });
        push_zeros(&mut self.out.row_counts, self.layout.events);
        if self.detail.code {
            self.out.row_addresses.push(address);
        }
        row
    }
}

/// Reads the address of a cost line, relative to the last one; false if the line is not a cost line.
#[inline(always)]
fn address(line: &mut FastLine<'_>, last: &mut LastPosition) -> Option<bool> {
    match line.address_from(last.address) {
        Some(address) => last.address = address,
        None if is_cost_line(line.bytes[0]) => return None,
        None => return Some(false),
    }
    Some(true)
}

#[inline(always)]
fn push_zeros(counts: &mut Vec<u64>, events: usize) -> &mut [u64] {
    let len = counts.len();
    match events {
        // Most profiles count one event only.
        1 => counts.push(0),
        _ => counts.resize(len + events, 0),
    }
    &mut counts[len..]
}

fn add_up(sum: &mut [u64], counts: &[u64]) {
    for cost in counts.chunks_exact(sum.len()) {
        for (sum, count) in sum.iter_mut().zip(cost) {
            *sum += count;
        }
    }
}

/// A hash whose low bits are consecutive for consecutive lines.
#[inline(always)]
fn hash((file, line): (u32, u32)) -> u64 {
    u64::from(file).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(line.into())
}

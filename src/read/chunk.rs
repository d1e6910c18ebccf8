//! A chunk: some whole lines of a file. It is cut into stretches: blocks, and lines that the reader
//! has to lex itself.

use std::ops::Range;

use memchr::memmem;

use super::Detail;
use super::block::{Block, Blocks};
use super::block_writer;
use super::cursor::Cursor;
use super::fast_line::MAX_FAST_LINE;
use super::header::Layout;
use super::input::CHUNK;
use super::lexer::Buffers;
use super::name_interner::NameInterner;
use super::record::NameOf;

/// There is hardly more than one entry, name or stretch for these many bytes, so that their lists
/// are not copied.
const ENTRY_BYTES: usize = 16;
const NAME_BYTES: usize = 64;
const STRETCH_BYTES: usize = 128;

#[derive(Default)]
pub(super) struct Chunk {
    /// The lines; once it is lexed, also [`MAX_FAST_LINE`] newlines behind them, so that there are
    /// enough bytes for a `FastLine` at the start of every line.
    pub(super) bytes: Vec<u8>,
    /// The length of the lines in bytes, once it is lexed.
    pub(super) len: usize,
    pub(super) stretches: Vec<Stretch>,
    pub(super) blocks: Blocks,
    buffers: Buffers,
    /// The layout of cost lines that the chunk was lexed with, and the one after it.
    pub(super) layout_before: Layout,
    pub(super) layout_after: Layout,
    /// The index of the first NUL byte.
    pub(super) first_nul: Option<usize>,
    /// Whether a carriage return alone ends a line: what follows it is another line of the format.
    pub(super) has_lone_returns: bool,
}

pub(super) enum Stretch {
    Block(Block),
    /// The bytes of lines that the reader lexes, from the state that it has.
    Lines(Range<usize>),
}

impl Chunk {
    /// Lexes the bytes, where cost lines have `layout` until another header comes.
    pub(super) fn lex(&mut self, layout: Layout, detail: Detail, interner: &NameInterner) {
        self.stretches.clear();
        self.blocks.clear();
        self.layout_before = layout;
        let mut layout = layout;
        self.bytes.truncate(self.len);
        let end = self.bytes.len();
        // Most files have neither. Two searches take a third of the instructions of one for both.
        self.first_nul = memchr::memchr(0, &self.bytes);
        let mut returns = memchr::memchr_iter(b'\r', &self.bytes);
        self.has_lone_returns = returns.any(|at| is_record(&self.bytes[at + 1..]));
        self.bytes.resize(end + MAX_FAST_LINE, b'\n');
        self.blocks.entries.reserve(CHUNK / ENTRY_BYTES);
        self.blocks.names.reserve(CHUNK / NAME_BYTES);
        self.stretches.reserve(CHUNK / STRETCH_BYTES);
        let mut cursor = Cursor::new(&self.bytes);
        let functions = memmem::Finder::new(b"\nfn=");
        // All blocks of a chunk have costs of the same number of events, and names of one kind.
        let mut kind = None;
        while cursor.position() < end {
            let start = cursor.position();
            if layout.has_blocks()
                && *kind.get_or_insert((layout.events, layout.has_suffixes()))
                    == (layout.events, layout.has_suffixes())
                && self.bytes[start..].first_chunk() == Some(b"fn=")
                && let Some(block) = block_writer::write_block(
                    &mut self.blocks,
                    &mut self.buffers,
                    &mut cursor,
                    layout,
                    detail,
                    interner,
                )
            {
                self.stretches.push(Stretch::Block(block));
                continue;
            }
            let next = functions.find(&self.bytes[start..end]).map_or(end, |at| start + at + 1);
            layout.set_from(&self.bytes[start..next]);
            cursor.advance(next - start);
            match self.stretches.last_mut() {
                Some(Stretch::Lines(lines)) => lines.end = next,
                _ => self.stretches.push(Stretch::Lines(start..next)),
            }
        }
        self.layout_after = layout;
        let has_suffixes = kind.is_some_and(|(_, has_suffixes)| has_suffixes);
        if !self.blocks.intern(&self.bytes, interner, has_suffixes) {
            // The reader finds the line where there are too many names.
            self.stretches = vec![Stretch::Lines(0..end)];
        }
    }
}

/// Whether a text begins with a line of a body that has a key.
fn is_record(text: &[u8]) -> bool {
    NameOf::of_line(text).is_some() || text.starts_with(b"calls=")
}

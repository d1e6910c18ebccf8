//! What a thread makes of the lines of a chunk: a block for each function, with rows of self costs,
//! calls and jumps.
//!
//! The costs at one line of a file are added up to one row. Where instructions are kept, each cost
//! line is a row of its own: nearly all are of different instructions, and a second line of one
//! tells of skipped code.

use std::ops::Range;

use super::cursor::LinePosition;
use super::jump::JumpLine;
use super::name_interner::{InternedName, NameInterner};
use super::record::NameOf;
use crate::profile::{BlockIndex, NameHash};

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
    pub(super) last: Option<LinePosition>,
    /// The id of the function's own file, if an `fe=` line has it.
    pub(super) own_file: Option<u32>,
}

/// An element of a block, in order of first appearance.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// A name on the line of this number, counted from 0 in the block. That of a file is the file
    /// of all rows, calls and jumps that follow, up to the next one.
    Name { line: u32, kind: NameOf, name: BlockName },
    /// The file of what follows is the one before the block's first name of a file.
    OwnFile,
    /// The file that the next entry names is only that of the call or jump after it.
    CallFile,
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
    /// `cfni=`, the function that the next costs were inlined from; the index of its name in
    /// [`Blocks::names`].
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
    pub(super) hash: Option<NameHash>,
    pub(super) interned: Option<InternedName>,
}

/// The self cost of a source line. Its counts are in [`Blocks::row_counts`].
pub(super) struct BlockRow {
    pub(super) line: u32,
    /// The number of its defined counts.
    pub(super) count_len: u8,
    /// Its file, as the lexer identifies it.
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
    pub(super) source: LinePosition,
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
    /// For each block, the total of its self costs by event, then the total of these and the costs
    /// of its calls.
    pub(super) totals: Vec<u64>,
    pub(super) names: Vec<NameText>,
    /// The index of the current block's rows by file and line.
    pub(super) index: BlockIndex,
    /// The first files of the current block.
    pub(super) files: Vec<KnownFile>,
    /// Ids that entries of the chunk have.
    pub(super) named_ids: NamedIds,
}

/// Some of the ids of objects, of files and of functions that entries of the chunk have, each in
/// the slot of its low bits. To the reader they are defined from there on.
pub(super) struct NamedIds(Box<[[u32; NAMED_IDS]; 3]>);

const NAMED_IDS: usize = 256;

/// Above all ids.
const NO_ID: u32 = u32::MAX;

impl Default for NamedIds {
    fn default() -> NamedIds {
        NamedIds(Box::new([[NO_ID; NAMED_IDS]; 3]))
    }
}

impl NamedIds {
    fn clear(&mut self) {
        self.0.as_flattened_mut().fill(NO_ID);
    }

    /// Adds an id; true if it is known to be there already.
    #[inline(always)]
    pub(super) fn add(&mut self, kind: NameOf, id: u32) -> bool {
        let ids = match kind {
            NameOf::Object | NameOf::CalledObject => &mut self.0[0],
            NameOf::CalledFile => &mut self.0[1],
            NameOf::Function | NameOf::CalledFunction => &mut self.0[2],
            _ => return false,
        };
        std::mem::replace(&mut ids[id as usize % NAMED_IDS], id) == id
    }
}

/// What is remembered of a file of the current block, so that it is named only once.
pub(super) struct KnownFile {
    /// Its file, as the lexer identifies it.
    pub(super) id: u32,
    /// Whether it has rows, calls or jumps.
    pub(super) has_any: bool,
    /// The entry that names it.
    pub(super) entry: Entry,
}

/// The lengths of the lists of [`Blocks`].
#[derive(Clone, Copy, Default)]
pub(super) struct Sizes {
    pub(super) entries: usize,
    pub(super) rows: usize,
    pub(super) calls: usize,
    pub(super) jumps: usize,
    names: usize,
}

impl Blocks {
    pub(super) fn clear(&mut self) {
        self.truncate(Sizes::default(), 0);
        self.totals.clear();
        self.named_ids.clear();
    }

    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            entries: self.entries.len(),
            rows: self.rows.len(),
            calls: self.calls.len(),
            jumps: self.jumps.len(),
            names: self.names.len(),
        }
    }

    pub(super) fn truncate(&mut self, sizes: Sizes, events: usize) {
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
    pub(super) fn add_totals(&mut self, row: usize, call: usize, events: usize) {
        let rows = &self.row_counts[row * events..];
        let calls = &self.call_counts[call * events..];
        if events == 1 {
            let own = rows.iter().sum::<u64>();
            self.totals.push(own);
            self.totals.push(own + calls.iter().sum::<u64>());
            return;
        }
        let (own, all) = push_zeros(&mut self.totals, 2 * events).split_at_mut(events);
        add_up(own, rows);
        all.copy_from_slice(own);
        add_up(all, calls);
    }

    /// Interns the names of functions; false if there are too many.
    pub(super) fn intern(
        &mut self,
        bytes: &[u8],
        interner: &NameInterner,
        has_suffixes: bool,
    ) -> bool {
        let mut locked = None;
        for name in &mut self.names {
            if let Some(hash) = name.hash.take() {
                let names = locked.get_or_insert_with(|| interner.lock());
                let text = &bytes[name.text.clone()];
                name.interned = interner.intern_in(names, text, hash, has_suffixes).ok();
                if name.interned.is_none() {
                    return false;
                }
            }
        }
        true
    }
}

/// Appends a count for each event.
#[inline(always)]
pub(super) fn push_zeros(counts: &mut Vec<u64>, events: usize) -> &mut [u64] {
    let len = counts.len();
    match events {
        // Most profiles count one event only.
        1 => counts.push(0),
        _ => counts.resize(len + events, 0),
    }
    &mut counts[len..]
}

/// Appends these counts, of which there is one for each event.
#[inline(always)]
pub(super) fn push_counts(to: &mut Vec<u64>, counts: &[u64]) {
    match counts {
        // Most profiles count one event only.
        &[count] => to.push(count),
        counts => to.extend_from_slice(counts),
    }
}

fn add_up(sum: &mut [u64], counts: &[u64]) {
    for cost in counts.chunks_exact(sum.len()) {
        for (sum, count) in sum.iter_mut().zip(cost) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_ids_are_known_by_kind_until_another_one_has_their_slot() {
        let (function, other) = (7, 7 + NAMED_IDS as u32);
        let mut ids = NamedIds::default();
        for (kind, id, is_known) in [
            (NameOf::CalledFunction, function, false),
            (NameOf::CalledFunction, function, true),
            (NameOf::Function, function, true),
            (NameOf::CalledFile, function, false),
            (NameOf::CalledObject, function, false),
            (NameOf::Object, function, true),
            (NameOf::CalledFunction, other, false),
            (NameOf::CalledFunction, function, false),
            (NameOf::JumpFunction, function, false),
        ] {
            assert_eq!(ids.add(kind, id), is_known, "{kind:?} {id}");
        }
        ids.clear();
        assert!(!ids.add(NameOf::CalledFunction, function));
    }
}

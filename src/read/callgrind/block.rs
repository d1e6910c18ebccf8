//! Adds blocks to the profile.

use super::{PendingCallee, Reader, RecordedCallee};
use crate::profile::{Count, LimitExceeded, Place, Position, add_cost};
use crate::read::block::{Block, BlockJump, BlockName, CallAddresses, Entry, NameText};
use crate::read::chunk::Chunk;
use crate::read::cursor::LinePosition;
use crate::read::lexer::{Sink, abandon_expected, take_name};
use crate::read::name_interner::InternedName;
use crate::read::record::{Name, NameOf};
use crate::read::warning::ErrorKind;

impl Reader<'_> {
    /// Adds a block; false, without a change, if its lines have to be read one by one to find a
    /// problem.
    pub(super) fn add_block(&mut self, chunk: &Chunk, block: &Block) -> Result<bool, ErrorKind> {
        let events = self.part.header.part.columns.len();
        let totals = &chunk.blocks.totals[block.totals..][..2 * events];
        if !self.has_own_file(block) || !self.has_room(block, &totals[events..]) {
            return Ok(false);
        }
        abandon_expected(self)?;
        if !self.keeps_addresses() {
            // Skipped code of a part before this one.
            self.flush_skipped();
        }
        let (before, own_file) = (self.state.line, self.own_file());
        // The thread that wrote the block has told apart which lines are in which file: here a name
        // is the file of all that follows, as if a self cost had come first. A call that is in
        // another file than the next self cost has its name directly before it.
        let mut is_of_call = false;
        for &entry in &chunk.blocks.entries[block.entries.clone()] {
            match entry {
                Entry::Name { kind, name: BlockName::Reference(id), .. }
                    if self.is_unused(kind, id) => {}
                Entry::Name { line, kind, name } => {
                    self.state.line = before + u64::from(line) + 1;
                    self.add_block_name(chunk, kind, name)?;
                    if !std::mem::take(&mut is_of_call) {
                        self.state.files.note_self_cost();
                    }
                }
                Entry::OwnFile => {
                    self.state.files.name(own_file);
                    if !std::mem::take(&mut is_of_call) {
                        self.state.files.note_self_cost();
                    }
                }
                Entry::CallFile => is_of_call = true,
                Entry::Row(row) if self.part.is_wanted => {
                    self.add_block_row(chunk, row as usize)?
                }
                Entry::Call(call) if self.part.is_wanted => {
                    self.add_block_call(chunk, call as usize)?
                }
                Entry::Place(row) if self.part.is_wanted => {
                    let place = self.row_place(chunk, row as usize)?;
                    self.profile.add_spent_cost(place, &[])?;
                }
                Entry::JumpSource if self.part.is_wanted => drop(self.fragment()?),
                Entry::Jump(number) if self.part.is_wanted => {
                    let &BlockJump { jump, source } = &chunk.blocks.jumps[number as usize];
                    self.add_jump(jump, source)?;
                }
                Entry::Inlined { line, name } => {
                    self.state.line = before + u64::from(line) + 1;
                    let text = chunk.blocks.names[name as usize].text.clone();
                    self.inlined(&chunk.bytes[text], 0)?;
                }
                _ => {}
            }
        }
        if self.part.is_wanted {
            self.take_counts(&totals[..block.count_len]);
            add_cost(&mut self.part.header.part.self_cost, &self.counts);
            if self.options.detail.calls {
                self.take_counts(&totals[events..]);
            }
            let cost = self.part.header.widened(&self.counts, &mut self.widened);
            self.profile.spend_call(block.calls_made, cost)?;
        }
        self.state.line = before + block.lines;
        self.end_block(block);
        Ok(true)
    }

    /// Sets the state behind the lines of a block.
    fn end_block(&mut self, block: &Block) {
        self.part.header.has_calls |= block.has_callee;
        if !self.options.detail.calls {
            // Names of callees were not looked up: it matters only whether there is one, if the
            // block goes on.
            self.call.callee = PendingCallee::default();
            let any = RecordedCallee {
                object: self.current.object,
                file: self.state.files.named(),
                name: InternedName::of_number(0),
            };
            self.call.last_callee = block.has_callee.then_some(any);
        }
        self.state.last = block.last.unwrap_or(self.state.last);
    }

    /// Whether `fe=` names the function's own file, as in callgrind's files.
    fn has_own_file(&self, block: &Block) -> bool {
        let own_file = self.own_file().0;
        let is_own = |id: u32| self.ids.files.find(id.into()) == Some(own_file);
        block.own_file.is_none_or(is_own)
    }

    /// Whether the totals of a block can be added to the profile without exceeding its limit.
    fn has_room(&mut self, block: &Block, total: &[u64]) -> bool {
        let calls = if self.options.detail.calls { block.calls_made } else { 0 };
        let calls_and_jumps = calls + block.jumps_made;
        self.take_counts(total);
        let all = self.part.header.widened(&self.counts, &mut self.widened);
        self.profile.has_room(all, calls_and_jumps)
    }

    /// Whether a name is that of a callee which is defined and not kept.
    #[inline]
    fn is_unused(&self, kind: NameOf, id: u32) -> bool {
        let ids = match kind {
            _ if self.options.detail.calls => return false,
            NameOf::CalledObject => &self.ids.objects,
            NameOf::CalledFile => &self.ids.files,
            NameOf::CalledFunction => &self.ids.names,
            _ => return false,
        };
        ids.find(id.into()).is_some()
    }

    fn add_block_name(
        &mut self,
        chunk: &Chunk,
        kind: NameOf,
        name: BlockName,
    ) -> Result<(), ErrorKind> {
        let text = match name {
            BlockName::Reference(id) => {
                // As most names are.
                if kind == NameOf::CalledFunction
                    && let Some(name) = self.ids.names.find(id.into())
                {
                    self.call.callee.set_name(
                        InternedName::of_number(name),
                        Some(id.into()),
                        false,
                    );
                    return Ok(());
                }
                return take_name(self, kind, Name::Reference(id.into()), 0);
            }
            BlockName::Text(number) => &chunk.blocks.names[number as usize],
        };
        let NameText { id, text, interned, .. } = text;
        let text = &chunk.bytes[text.clone()];
        match (interned, id) {
            (Some(name), id) => {
                match *id {
                    Some(id) => self.note_text(id, text),
                    None => self.check_text(&Name::Text(text)),
                }
                self.interned_name(kind, *id, *name)
            }
            (None, Some(id)) => take_name(self, kind, Name::Definition(*id, text), 0),
            (None, None) => take_name(self, kind, Name::Text(text), 0),
        }
    }

    /// The place of a row in the current file.
    #[inline]
    fn row_place(&mut self, chunk: &Chunk, row: usize) -> Result<Place, LimitExceeded> {
        let line = chunk.blocks.rows[row].line;
        let address = chunk.blocks.row_addresses.get(row).copied().unwrap_or(0);
        let position = Position { address, ..Position::of_line(line) };
        Ok(Place { fragment: self.fragment()?, position: self.profile.add_position(position)? })
    }

    fn add_block_row(&mut self, chunk: &Chunk, row: usize) -> Result<(), ErrorKind> {
        let events = self.part.header.part.columns.len();
        let place = self.row_place(chunk, row)?;
        let counts = &chunk.blocks.row_counts[row * events..];
        self.take_counts(&counts[..chunk.blocks.rows[row].count_len.into()]);
        let cost = self.part.header.widened(&self.counts, &mut self.widened);
        self.profile.add_spent_cost(place, cost)?;
        if self.keeps_addresses() {
            let counts = std::mem::take(&mut self.counts);
            self.note_code_cost(place, &counts);
            self.counts = counts;
        }
        Ok(())
    }

    fn add_block_call(&mut self, chunk: &Chunk, number: usize) -> Result<(), ErrorKind> {
        let events = self.part.header.part.columns.len();
        let call = &chunk.blocks.calls[number];
        self.calls()?;
        self.call.target = LinePosition { address: 0, line: call.target.into() };
        let mut position = Position::of_line(call.line);
        if let Some(&CallAddresses { site, target }) = chunk.blocks.call_addresses.get(number) {
            (position.address, self.call.target.address) = (site, target);
        }
        let place =
            Place { fragment: self.fragment()?, position: self.profile.add_position(position)? };
        let site = if self.keeps_addresses() { self.call_site(place)? } else { place };
        let counts = &chunk.blocks.call_counts[number * events..];
        self.take_counts(&counts[..call.count_len.into()]);
        let counts = std::mem::take(&mut self.counts);
        let added = self.add_last_callee(site, call.count.into(), &counts);
        self.counts = counts;
        Ok(added?)
    }

    #[inline]
    pub(super) fn take_counts(&mut self, sums: &[u64]) {
        self.counts.clear();
        if let [sum] = sums {
            // Most profiles count one event only.
            return self.counts.push(Count::new(sum.cast_signed()));
        }
        let sums = sums.iter();
        let counts = sums.map(|&sum| Count::new(sum.cast_signed()));
        self.counts.extend(counts);
    }
}

//! Blocks: a function's self costs by file, which the lexer has added up.

use super::{Expected, LastCallee, LastPosition, PendingCallee, Reader};
use crate::profile::{Count, FileId, FragmentId, NameId, ObjectId, Place, PositionId};
use crate::read::block::{BlockName, BlockParts, Defined, MAX_LINE_NUMBER};
use crate::read::record::NameKind;

impl Reader<'_> {
    /// Adds a block; false, and no cost is changed, if its lines have to be read one by one.
    pub(super) fn try_block(&mut self, parts: &BlockParts<'_>) -> bool {
        let block = parts.block;
        let (Some(address), Some(line), Expected::SelfCost, true) = (
            block.address.apply(self.last.address, u64::MAX),
            block.line.apply(self.last.line, MAX_LINE_NUMBER),
            self.expected,
            self.in_body,
        ) else {
            return false;
        };
        let is_pending = self.callee.is_begun && !block.begins_with_call;
        let lacks_function = self.fragment.is_none() && self.function.is_none();
        if self.is_wanted && (is_pending || lacks_function) {
            return false;
        }
        let mut callee = self.callee;
        let all_known = parts
            .names
            .iter()
            .all(|name| self.block_name(name, &mut callee).is_some());
        let file = match parts.segments[block.last as usize].file {
            None => Some(self.file),
            Some(id) => self.files.find(id.into()).map(FileId),
        };
        let (true, Some(file)) = (all_known, file) else {
            return false;
        };
        let is_added = match self.is_wanted {
            true => self.add_segments(parts),
            false => self.knows_files(parts),
        };
        if !is_added {
            return false;
        }
        if self.is_wanted {
            if let (true, Some(name)) = (block.has_calls, callee.name) {
                self.last_callee = Some(LastCallee {
                    object: callee.object.unwrap_or(self.object),
                    file: callee.file.unwrap_or(file),
                    name,
                });
            }
            callee = PendingCallee::default();
        }
        self.callee = callee;
        if block.last > 0 {
            self.file = file;
            self.fragment = None;
        }
        self.last = LastPosition { address, line };
        true
    }

    /// Reads a name of a block; `None` if it is unknown.
    #[inline]
    fn block_name(&mut self, name: &BlockName, callee: &mut PendingCallee) -> Option<()> {
        let id = u64::from(name.id);
        let of_kind = match name.kind {
            NameKind::CalledObject => &self.objects,
            NameKind::CalledFile | NameKind::JumpFile => &self.files,
            _ => &self.names,
        };
        let known = match name.name {
            Defined::Nothing => of_kind.find(id)?,
            Defined::Pending => return None,
            Defined::Name(name) => {
                self.names.define(id, name.0);
                name.0
            }
        };
        match name.kind {
            NameKind::CalledObject => callee.object = Some(ObjectId(known)),
            NameKind::CalledFile => callee.file = Some(FileId(known)),
            NameKind::CalledFunction => callee.name = Some(NameId(known)),
            _ => return Some(()),
        }
        callee.is_begun = true;
        Some(())
    }

    /// Whether all files of a block are known.
    fn knows_files(&self, parts: &BlockParts<'_>) -> bool {
        let mut files = parts.segments.iter().filter_map(|segment| segment.file);
        files.all(|id| self.files.find(id.into()).is_some())
    }

    /// Adds the costs of all segments, or none.
    #[inline]
    fn add_segments(&mut self, parts: &BlockParts<'_>) -> bool {
        if parts.segments.len() > 1 && !self.knows_files(parts) {
            return false;
        }
        let mut counts = parts.counts;
        for (index, segment) in parts.segments.iter().enumerate() {
            let (own, others) = counts.split_at(segment.count_len.into());
            counts = others;
            if !segment.has_place {
                continue;
            }
            let fragment = self.segment_fragment(segment.file);
            let is_added = fragment.is_some_and(|fragment| self.add_segment(fragment, own));
            if !is_added {
                self.undo_segments(parts, index);
                return false;
            }
        }
        true
    }

    /// The fragment of the current function in a file of a block.
    #[inline]
    fn segment_fragment(&mut self, file: Option<u32>) -> Option<FragmentId> {
        let Some(id) = file else {
            return self.fragment().ok();
        };
        let file = FileId(self.files.find(id.into())?);
        self.profile.add_fragment(self.function?, file).ok()
    }

    /// Adds a self cost of a fragment; false, and nothing is changed, if a sum does not fit.
    #[inline]
    fn add_segment(&mut self, fragment: FragmentId, counts: &[Count]) -> bool {
        if self.header.part.add_self_cost(counts).is_err() {
            return false;
        }
        let cost = self.header.widened(counts, &mut self.widened);
        let position = PositionId(0);
        let is_added = self.profile.add_cost(Place { fragment, position }, cost);
        if is_added.is_err() {
            self.undo(counts);
        }
        is_added.is_ok()
    }

    /// Subtracts the costs of the first `added` segments, which are read again line by line until a sum does not fit.
    #[cold]
    fn undo_segments(&mut self, parts: &BlockParts<'_>, added: usize) {
        let mut counts = parts.counts;
        for segment in &parts.segments[..added] {
            let (own, others) = counts.split_at(segment.count_len.into());
            counts = others;
            if let (true, Some(fragment)) = (segment.has_place, self.segment_fragment(segment.file))
            {
                self.undo(own);
                let cost = self.header.widened(own, &mut self.widened);
                let position = PositionId(0);
                self.profile.undo_cost(Place { fragment, position }, cost);
            }
        }
    }
}

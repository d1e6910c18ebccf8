//! Stepping over calls and jumps.

use super::lex::{Context, Open, end_of_reference, positions};
use super::{BlockName, Blocks, Defined, MAX_LINE_NUMBER, Steps};
use crate::read::chunk::{PendingName, Target};
use crate::read::cursor::Cursor;
use crate::read::fast_line::FastLine;
use crate::read::header::Layout;
use crate::read::record::{Name, NameKind};

impl Blocks {
    /// Steps over a call: the names of what is called, `calls=` and the cost line.
    #[inline(always)]
    pub(super) fn call<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        cursor: &mut Cursor<'_>,
        open: &mut Open,
        context: &mut Context<'_>,
    ) -> Option<()> {
        let (names, pending) = (self.names.len(), context.pending.len());
        let lexed = self.call_lines::<ADDRESS, ONE>(*cursor, open, context);
        let Some((after, lines)) = lexed else {
            self.names.truncate(names);
            context.pending.truncate(pending);
            return None;
        };
        *cursor = after;
        open.lines += lines;
        open.has_calls = true;
        open.begins_with_call.get_or_insert(true);
        self.segments[open.first_segment + open.segment].has_place = true;
        Some(())
    }

    /// Returns what follows the call, and the number of its lines.
    #[inline(always)]
    fn call_lines<'c, const ADDRESS: bool, const ONE: bool>(
        &mut self,
        mut cursor: Cursor<'c>,
        open: &mut Open,
        context: &mut Context<'_>,
    ) -> Option<(Cursor<'c>, u32)> {
        let mut lines = 0;
        let mut has_function = false;
        let mut fast = loop {
            let mut fast = FastLine::new(cursor.rest())?;
            let kind = match fast.bytes {
                [b'c', b'f', b'n', b'=', b'(', ..] => NameKind::CalledFunction,
                [b'c', b'f', b'i' | b'l', b'=', b'(', ..] => NameKind::CalledFile,
                [b'c', b'o', b'b', b'=', b'(', ..] => NameKind::CalledObject,
                [b'c', b'a', b'l', b'l', b's', b'=', ..] if has_function => break fast,
                _ => return None,
            };
            has_function |= kind == NameKind::CalledFunction;
            fast.advance(5);
            self.name(kind, &mut cursor, fast, context)?;
            lines += 1;
        };
        fast.advance(6);
        u32::try_from(fast.number()?).ok()?;
        matches!(fast.peek(), b' ' | b'\n').then_some(())?;
        cursor.advance(fast.position());
        cursor.take_line();
        let mut fast = FastLine::new(cursor.rest())?;
        let paths = step_aside::<ADDRESS>(&mut fast, open, context.layout)?;
        if ONE {
            fast.add_count(&mut 0)?;
        } else {
            self.ignored.resize(context.layout.events, 0);
            fast.add_counts(&mut self.ignored)?;
        }
        (open.address, open.line) = paths;
        cursor.advance(fast.position());
        Some((cursor, lines + 2))
    }

    /// Steps over a jump: the names of where it leads, `jump=` or `jcnd=`, and the positions of its source.
    #[inline(always)]
    pub(super) fn jump<const ADDRESS: bool>(
        &mut self,
        cursor: &mut Cursor<'_>,
        open: &mut Open,
        context: &mut Context<'_>,
    ) -> Option<()> {
        // Otherwise the file has a fragment without costs.
        if !self.segments[open.first_segment + open.segment].has_place {
            return None;
        }
        let (names, pending) = (self.names.len(), context.pending.len());
        let lexed = self.jump_lines::<ADDRESS>(*cursor, open, context);
        let Some((after, lines)) = lexed else {
            self.names.truncate(names);
            context.pending.truncate(pending);
            return None;
        };
        *cursor = after;
        open.lines += lines;
        Some(())
    }

    #[inline(always)]
    fn jump_lines<'c, const ADDRESS: bool>(
        &mut self,
        mut cursor: Cursor<'c>,
        open: &mut Open,
        context: &mut Context<'_>,
    ) -> Option<(Cursor<'c>, u32)> {
        let mut lines = 0;
        loop {
            let mut fast = FastLine::new(cursor.rest())?;
            let kind = match fast.bytes {
                [b'j', b'f', b'n', b'=', b'(', ..] => NameKind::JumpFunction,
                [b'j', b'f', b'i', b'=', b'(', ..] => NameKind::JumpFile,
                [b'j', b'u', b'm', b'p', b'=', ..] | [b'j', b'c', b'n', b'd', b'=', ..] => break,
                _ => return None,
            };
            fast.advance(5);
            self.name(kind, &mut cursor, fast, context)?;
            lines += 1;
        }
        cursor.take_line();
        let mut fast = FastLine::new(cursor.rest())?;
        let paths = step_aside::<ADDRESS>(&mut fast, open, context.layout)?;
        // With counts it is a self cost: the oldest edition of the format has no line of the source.
        fast.skip(b'\n').then_some(())?;
        (open.address, open.line) = paths;
        cursor.advance(fast.position());
        Some((cursor, lines + 2))
    }

    /// Lexes the rest of a line with a compressed name, from its id on.
    #[inline(always)]
    fn name(
        &mut self,
        kind: NameKind,
        cursor: &mut Cursor<'_>,
        mut fast: FastLine<'_>,
        context: &mut Context<'_>,
    ) -> Option<()> {
        let value = fast.position() - 1;
        if let Some(id) = end_of_reference(&mut fast) {
            cursor.advance(fast.position());
            self.names.push(BlockName {
                kind,
                id,
                name: Defined::Nothing,
            });
            return Some(());
        }
        if !kind.is_function() {
            return None;
        }
        let start = cursor.position();
        let text = cursor.take_line();
        let Name::Definition(id, name) = Name::parse(&text[value..]) else {
            return None;
        };
        let id = u32::try_from(id).ok()?;
        let target = Target::Block(self.names.len());
        let end = start + text.trim_ascii_end().len();
        let pending = PendingName::new(target, end - name.len()..end, context.interner.hash(name));
        context.pending.push(pending);
        self.names.push(BlockName {
            kind,
            id,
            name: Defined::Pending,
        });
        Some(())
    }
}

/// The paths after the positions of a call or of the source of a jump.
#[inline(always)]
fn step_aside<const ADDRESS: bool>(
    fast: &mut FastLine<'_>,
    open: &Open,
    layout: &Layout,
) -> Option<(Steps, Steps)> {
    let at = fast.positions(positions::<ADDRESS>())?;
    let step = match layout.base_ignores_calls {
        true => Steps::aside,
        false => Steps::then,
    };
    let address = match ADDRESS {
        true => step(open.address, at.address, u64::MAX)?,
        false => open.address,
    };
    Some((address, step(open.line, at.line, MAX_LINE_NUMBER)?))
}

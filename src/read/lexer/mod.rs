//! The lexer of profiles: what each line says, and the state that it depends on.
//!
//! There is one lexer, and two that call it. A thread lexes one function at a time without knowing
//! what came before it: callgrind writes the first positions of a function in full, so that mostly
//! nothing has to be known. What a function's lines say is kept in a block, in which costs are
//! added up. The reader, which has the state from function to function, adds blocks to the profile;
//! all lines that no block can take it lexes itself, from the state that it has.
//!
//! This file has the loop over lines and the lines with names, `calls` the calls and jumps, `costs`
//! the cost lines. What the lines say goes to a [`Sink`].

mod calls;
mod costs;
mod sink;

use super::cursor::Cursor;
use super::fast_line::{FastLine, MAX_FAST_LINE};
use super::header::Layout;
use super::line_files::LineFiles;
use super::record::{Name, NameOf, Record, is_cost_line};
use super::warning::Warning;
use crate::profile::Count;
pub(super) use sink::{CallsLine, Expected, LineCounts, Sink, State};

const CALLEE: &[u8; 4] = b"cfn=";
const CALLS: &[u8; 6] = b"calls=";

/// Where lexing ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LexUntil {
    /// Before the function after the one that begins here, or before a header.
    EndOfFunction,
    EndOfText,
}

pub(super) struct Lexer<'s, 'l, S> {
    sink: &'s mut S,
    /// The lines not lexed yet, and [`MAX_FAST_LINE`] bytes after the last.
    cursor: Cursor<'l>,
    layout: Layout,
    buffers: &'s mut Buffers,
}

/// Room for the counts of a cost line: plain ones, one for each event, and any.
#[derive(Default)]
pub(super) struct Buffers {
    plain: Vec<u64>,
    any: Vec<Count>,
}

/// Abandons calls without their cost line, so that they cannot claim the next one; ends a jump of
/// one line.
#[inline(always)]
pub(super) fn abandon_expected<S: Sink>(sink: &mut S) -> Result<(), S::Stop> {
    if matches!(sink.state().expected, Expected::SelfCost) {
        return Ok(());
    }
    match std::mem::take(&mut sink.state().expected) {
        Expected::Calls(calls) => sink.warn(calls.line, Warning::CallWithoutCost),
        Expected::JumpSource { line } => sink.jump_without_source(line),
        Expected::SelfCost | Expected::Ignored => Ok(()),
    }
}

/// Hands over a name. That of a file is the file of the next lines.
#[inline(always)]
pub(super) fn take_name<S: Sink>(
    sink: &mut S,
    kind: NameOf,
    name: Name<'_>,
    at: usize,
) -> Result<(), S::Stop> {
    if !matches!(kind, NameOf::File | NameOf::InlinedFile | NameOf::EndOfInlined) {
        return sink.name(kind, name, at);
    }
    let file = sink.file(kind, name, at)?;
    let files = &mut sink.state().files;
    if kind == NameOf::File {
        *files = LineFiles::new(file);
    } else {
        files.name(file);
    }
    Ok(())
}

impl<'s, 'l, S: Sink> Lexer<'s, 'l, S> {
    /// A lexer of the text at `cursor`, without the last [`MAX_FAST_LINE`] bytes, which are behind
    /// it.
    #[inline(always)]
    pub(super) fn new(
        sink: &'s mut S,
        cursor: Cursor<'l>,
        buffers: &'s mut Buffers,
    ) -> Lexer<'s, 'l, S> {
        let layout = sink.layout();
        if buffers.plain.len() != layout.events {
            buffers.plain.resize(layout.events, 0);
        }
        Lexer { sink, cursor, layout, buffers }
    }

    /// The text behind the lines that were lexed.
    #[inline(always)]
    pub(super) fn end(&self) -> Cursor<'l> {
        self.cursor
    }

    /// Lexes all lines of the text, or those of one function. It is inlined into the two functions
    /// that call it, which then know where its state is.
    #[inline(always)]
    pub(super) fn lines(&mut self, until: LexUntil) -> Result<(), S::Stop> {
        let start = self.cursor.rest.len();
        while let Some(fast) = self.next_line() {
            if is_cost_line(fast.peek()) {
                self.cost_lines(fast)?;
                continue;
            }
            if fast.peek() == b'\n' {
                self.count_line();
                self.cursor.advance(1);
                continue;
            }
            if self.layout.events == 0 && self.head_line() {
                continue;
            }
            if fast.bytes.first_chunk() == Some(CALLEE) {
                self.name(NameOf::CalledFunction, fast, CALLEE.len())?;
                // Nearly always its calls are next.
                if self.layout.events > 0
                    && let Some(next) = self.next_line()
                    && next.bytes.first_chunk() == Some(CALLS)
                {
                    self.calls(next, CALLS.len())?;
                }
                continue;
            }
            if fast.bytes.first_chunk() == Some(CALLS) {
                self.other_calls(fast)?;
                continue;
            }
            let is_at_end = match NameOf::of_line(fast.bytes) {
                Some((NameOf::Function, _))
                    if until == LexUntil::EndOfFunction && self.cursor.rest.len() < start =>
                {
                    true
                }
                Some((kind, value)) => {
                    self.name(kind, fast, fast.bytes.len() - value.len())?;
                    false
                }
                None => self.other_line(fast, until)?,
            };
            if is_at_end {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next line of the text, if there is one.
    #[inline(always)]
    fn next_line(&self) -> Option<FastLine<'l>> {
        FastLine::new(self.cursor.rest).filter(|_| self.cursor.rest.len() > MAX_FAST_LINE)
    }

    /// Counts a line. (Files have fewer than 2^64.)
    #[inline(always)]
    fn count_line(&mut self) {
        let state = self.sink.state();
        state.line = state.line.wrapping_add(1);
    }

    /// Steps over what was read of the next line.
    #[inline(always)]
    fn step_over(&mut self, fast: FastLine<'l>) {
        self.cursor.rest = &self.cursor.rest[fast.position()..];
    }

    /// Steps over the rest of a line.
    #[inline(always)]
    fn skip_line(&mut self, mut fast: FastLine<'l>) {
        match fast.skip_line() {
            Some(()) => self.step_over(fast),
            None => drop(self.cursor.take_line()),
        }
    }

    /// Steps over a line, which counts from here on, and returns it.
    #[inline(always)]
    fn take_line(&mut self) -> &'l [u8] {
        self.count_line();
        self.cursor.take_line()
    }

    /// Notes a line before the first `events:`. Within a command only headers say anything: true,
    /// behind the line, if it is another one.
    #[cold]
    fn head_line(&mut self) -> bool {
        let line = self.cursor.clone().take_line();
        self.sink.head_line(line);
        let is_of_command =
            self.layout.in_command && !matches!(Record::parse(line), Record::Header(..));
        if is_of_command {
            self.take_line();
        }
        is_of_command
    }

    /// Lexes a line with a name, which begins at `name_at`.
    #[inline(always)]
    fn name(
        &mut self,
        kind: NameOf,
        mut fast: FastLine<'l>,
        name_at: usize,
    ) -> Result<(), S::Stop> {
        self.count_line();
        abandon_expected(self.sink)?;
        fast.advance(name_at as u8);
        let id = fast.id();
        let (name, at) = match id {
            Some(id) if fast.skip(b'\n') => {
                self.step_over(fast);
                (Name::Reference(id.into()), 0)
            }
            _ => {
                let id = id.filter(|_| fast.skip(b' '));
                self.written_name(name_at, id, fast.position())
            }
        };
        take_name(self.sink, kind, name, at)
    }

    /// Lexes any name, perhaps after a plain id, and returns also where its text begins.
    #[inline(never)]
    fn written_name(
        &mut self,
        name_at: usize,
        id: Option<u32>,
        text_at: usize,
    ) -> (Name<'l>, usize) {
        let start = self.cursor.position();
        let line = self.cursor.take_line().trim_ascii_end();
        let end = start + line.len();
        let name = match (id, line.get(text_at..)) {
            (Some(id), Some(text)) if text.first().is_some_and(u8::is_ascii_graphic) => {
                Name::Definition(id.into(), text)
            }
            _ => Name::parse(line.get(name_at..).unwrap_or_default()),
        };
        let at = match name {
            Name::Text(text) | Name::Definition(_, text) => end.saturating_sub(text.len()),
            Name::Reference(_) => end,
        };
        (name, at)
    }

    /// Lexes a line that is neither empty nor has calls, a cost or a name; true, without a change,
    /// if the function ends before it.
    #[inline(always)]
    fn other_line(&mut self, fast: FastLine<'l>, until: LexUntil) -> Result<bool, S::Stop> {
        match fast.bytes {
            [b'j', b'u', b'm', b'p', b'=', ..] => self.jump(fast, false, b"jump=".len())?,
            [b'j', b'c', b'n', b'd', b'=', ..] => self.jump(fast, true, b"jcnd=".len())?,
            [b'#', ..] => drop(self.take_line()),
            _ => return self.rare_line(fast, until),
        }
        Ok(false)
    }

    /// Lexes `calls=` that is not directly below the name of the callee.
    #[inline(never)]
    fn other_calls(&mut self, fast: FastLine<'l>) -> Result<(), S::Stop> {
        self.calls(fast, CALLS.len())
    }

    #[cold]
    fn rare_line(&mut self, fast: FastLine<'l>, until: LexUntil) -> Result<bool, S::Stop> {
        if fast.bytes.starts_with(b"rcalls=") {
            self.calls(fast, b"rcalls=".len())?;
            return Ok(false);
        }
        let start = self.cursor.position();
        let record = Record::parse(self.cursor.clone().take_line());
        if until == LexUntil::EndOfFunction && matches!(record, Record::Header(..)) {
            return Ok(true);
        }
        let line = self.take_line();
        if !matches!(record, Record::Blank | Record::Inlined(_)) {
            abandon_expected(self.sink)?;
        }
        match record {
            Record::Header(key, value) => {
                self.sink.header(key, value)?;
                self.layout = self.sink.layout();
                self.buffers.plain.resize(self.layout.events, 0);
            }
            Record::Blank | Record::Ignored => {}
            Record::Inlined(name) => {
                let at = start + line.trim_ascii_end().len() - name.len();
                self.sink.inlined(name, at)?;
            }
            Record::Unknown if self.costs_without_position(line)? => {}
            Record::Unknown => self.sink.unknown_line(line)?,
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::{LinePosition, Malformed};
    use super::super::jump::JumpLine;
    use super::super::warning::ErrorKind;
    use super::*;

    /// Writes down what lines say: `fn1` for a name with the id 1, `7=5` for a count of 5 at line
    /// 7, `(2>9)7=5` for 2 calls of what begins at line 9, `3@2=1` for a cost in file 3.
    struct Notes {
        state: State<u64>,
        layout: Layout,
        notes: Vec<String>,
    }

    impl Notes {
        fn note(&mut self, note: String) -> Result<(), ErrorKind> {
            self.notes.push(note);
            Ok(())
        }

        fn cost(&self, file: u64, at: LinePosition, cost: LineCounts<'_>) -> String {
            let counts = match cost {
                LineCounts::Plain { counts, len } => {
                    counts[..len].iter().map(u64::to_string).collect::<Vec<_>>()
                }
                LineCounts::Any(counts) => {
                    let text = |count: &Count| {
                        count.value().map_or(".".to_owned(), |count| count.to_string())
                    };
                    counts.iter().map(text).collect()
                }
            };
            format!("{}={}", place(file, at), counts.join(","))
        }
    }

    fn place(file: u64, at: LinePosition) -> String {
        let file = if file == 0 { String::new() } else { format!("{file}@") };
        let address = if at.address == 0 { String::new() } else { format!("{:x}:", at.address) };
        format!("{file}{address}{}", at.line)
    }

    fn id(name: Name<'_>) -> u64 {
        match name {
            Name::Reference(id) | Name::Definition(id, _) => id,
            Name::Text(_) => 0,
        }
    }

    impl Sink for Notes {
        type File = u64;
        type Stop = ErrorKind;

        fn state(&mut self) -> &mut State<u64> {
            &mut self.state
        }

        fn layout(&self) -> Layout {
            self.layout
        }

        fn keeps_targets(&self) -> bool {
            true
        }

        fn keeps_jumps(&self) -> bool {
            true
        }

        fn header(&mut self, key: &[u8], _: &[u8]) -> Result<(), ErrorKind> {
            self.note(String::from_utf8_lossy(key).into_owned())
        }

        fn unknown_line(&mut self, _: &[u8]) -> Result<(), ErrorKind> {
            self.note("unknown".to_owned())
        }

        fn warn(&mut self, line: u64, warning: Warning) -> Result<(), ErrorKind> {
            self.note(format!("{line}: {warning}"))
        }

        fn file(&mut self, _: NameOf, name: Name<'_>, _: usize) -> Result<u64, ErrorKind> {
            Ok(id(name))
        }

        fn name(&mut self, kind: NameOf, name: Name<'_>, at: usize) -> Result<(), ErrorKind> {
            let kind = if kind == NameOf::Function { "fn" } else { "cfn" };
            match name {
                Name::Text(text) => self.note(format!("{kind} {}+{at}", text.len())),
                Name::Definition(id, text) => self.note(format!("{kind}{id} {}+{at}", text.len())),
                Name::Reference(id) => self.note(format!("{kind}{id}")),
            }
        }

        fn inlined(&mut self, name: &[u8], at: usize) -> Result<(), ErrorKind> {
            self.note(format!("cfni {}+{at}", name.len()))
        }

        fn calls(&mut self) -> Result<bool, ErrorKind> {
            Ok(true)
        }

        fn calls_without_count(&mut self) -> Result<(), ErrorKind> {
            self.note("calls?".to_owned())
        }

        fn jump(&mut self, jump: Option<JumpLine>) -> Result<(), ErrorKind> {
            let text = |jump: JumpLine| format!("jump {}/{}", jump.taken, jump.executed);
            self.note(jump.map_or("jump?".to_owned(), text))
        }

        fn jump_without_source(&mut self, line: u64) -> Result<(), ErrorKind> {
            self.note(format!("{line}: no source"))
        }

        fn self_cost(
            &mut self,
            file: u64,
            at: LinePosition,
            cost: LineCounts<'_>,
        ) -> Result<(), ErrorKind> {
            self.note(self.cost(file, at, cost))
        }

        fn call_cost(
            &mut self,
            file: u64,
            at: LinePosition,
            calls: CallsLine,
            cost: LineCounts<'_>,
        ) -> Result<(), ErrorKind> {
            let cost = self.cost(file, at, cost);
            self.note(format!("({}>{}){cost}", calls.count, place(0, calls.target)))
        }

        fn jump_source(&mut self, file: u64, at: LinePosition) -> Result<(), ErrorKind> {
            self.note(format!("from {}", place(file, at)))
        }

        fn ignored_cost(&mut self, file: u64, at: LinePosition) -> Result<(), ErrorKind> {
            self.note(format!("ignored {}", place(file, at)))
        }

        fn skip_cost(
            &mut self,
            malformed: Malformed,
            _: &[u8],
            counts: &[Count],
        ) -> Result<(), ErrorKind> {
            self.note(format!("{malformed:?} {}", counts.len()))
        }
    }

    fn layout(positions: &str, events: &str) -> Layout {
        let mut layout = Layout { is_of_callgrind: true, ..Layout::default() };
        layout.set_from(format!("positions: {positions}\nevents: {events}\n").as_bytes());
        layout
    }

    /// What these lines say after this state, until the function or the text ends.
    fn notes(text: &str, layout: Layout, state: State<u64>, until: LexUntil) -> String {
        let padded = text.to_owned() + &"\n".repeat(MAX_FAST_LINE);
        let mut buffers = Buffers::default();
        let mut sink = Notes { state, layout, notes: Vec::new() };
        let mut lexer = Lexer::new(&mut sink, Cursor::new(padded.as_bytes()), &mut buffers);
        let lexed = lexer.lines(until);
        if let Err(error) = lexed {
            sink.notes.push(error.to_string());
        }
        sink.notes.join(" | ")
    }

    #[test]
    fn a_cost_line_has_a_position_and_counts_in_any_of_their_forms() {
        for (line, expected) in [
            ("7 5", "7=5"),
            ("+2 5 6", "12=5,6"),
            ("-2 5", "8=5"),
            ("* 5", "10=5"),
            ("7", "7="),
            ("7 5 6\r", "7=5,6"),
            ("7\t5  6 ", "7=5,6"),
            ("0x10 0x20", "16=32"),
            ("3-5 6", "3=6"),
            ("3+2 6", "3=6"),
            ("3:2 6", "3=6"),
            ("7 . 6", "7=.,6"),
            ("7 -5 12345678901234", "7=-5,12345678901234"),
            ("7 5x", "Count 0"),
            ("7 5 6 7", "TooManyCounts 2"),
            ("+x 5", "Position 0"),
            ("-11 5 6", "PositionRange 2"),
            ("7 99999999999999999999", "CountRange 0"),
            ("--77-- message", ""),
            ("3-5", "1: a range of positions and too few counts; a blank may be missing | 3="),
        ] {
            let last = LinePosition { address: 0, line: 10 };
            let state = State { last, ..State::new(0) };
            let layout = layout("line", "Ir Dr");
            assert_eq!(
                notes(&format!("{line}\n"), layout, state, LexUntil::EndOfText),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_with_calls_or_a_jump_says_what_the_next_cost_is() {
        for (lines, expected) in [
            ("cfn=(3)/calls=2 +9/* 5/+1 1", "cfn3 | (2>19)10=5 | 11=1"),
            ("calls=2/* 5", "(2>0)10=5"),
            ("rcalls=2 7/* 5", "(2>7)10=5"),
            ("calls=0x10 7/* 5", "(16>7)10=5"),
            ("calls=-2 7/* 5", "1: calls= with a negative count | (-2>7)10=5"),
            ("calls=x/* 5", "calls? | ignored 10"),
            ("calls=99999999999999999999/* 5", "64-bit overflow in a number"),
            ("calls=2 7/# comment//==1== message/* 5", "(2>7)10=5"),
            (
                "calls=2 7/fn=(1)/* 5",
                "1: calls= without following cost line, call skipped | fn1 | 10=5",
            ),
            (
                "calls=2 7/x 5/* 5",
                "1: calls= without following cost line, call skipped | unknown | 10=5",
            ),
            ("calls=2 7/+x 5/* 5", "Position 0 | 10=5"),
            ("jump=3 +1/*/* 5", "jump 3/3 | from 10 | 10=5"),
            ("jcnd=3/4 +1/*", "jump 3/4 | from 10"),
            ("jump=3 +1/* 5", "jump 3/3 | 1: no source | 10=5"),
            ("jump=3 +1/fn=(1)", "jump 3/3 | 1: no source | fn1"),
            ("jump=x/*", "jump? | 1: malformed jump, skipped | from 10"),
            // A file before calls is that of these calls alone, as positions are relative to the
            // last self cost.
            ("7 1/fi=(2)/calls=1 1/+1 5/+2 1", "7=1 | (1>1)2@8=5 | 9=1"),
            ("fl=(1)/fi=(2)/7 1/fe=(1)/8 1", "2@7=1 | 1@8=1"),
        ] {
            let last = LinePosition { address: 0, line: 10 };
            let state = State { last, ..State::new(0) };
            let text = lines.replace('/', "\n").replace("jcnd=3\n4", "jcnd=3/4") + "\n";
            assert_eq!(
                notes(&text, layout("line", "Ir"), state, LexUntil::EndOfText),
                expected,
                "{lines}"
            );
        }
    }

    #[test]
    fn a_name_has_an_id_or_a_text_or_both() {
        for (line, expected) in [
            ("fn=(7)", "fn7"),
            ("fn=(7) main", "fn7 4+7"),
            ("fn= (0x7)  main ", "fn7 4+11"),
            ("fn=main\r", "fn 4+3"),
            ("cfn=(7x) main", "cfn 9+4"),
            ("fn=", "fn 0+3"),
            ("cfni= main ", "cfni 4+6"),
            ("other", "unknown"),
            ("other: value", "other"),
            ("rec=5", ""),
        ] {
            let found = notes(
                &format!("{line}\n"),
                layout("line", "Ir"),
                State::new(0),
                LexUntil::EndOfText,
            );
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_function_is_lexed_by_itself_if_its_first_position_is_absolute() {
        let cases = [
            ("line", "fn=(1)/7 1/+1 2/fn=(2)/3 4", "fn1 | 7=1 | 8=2"),
            ("line", "fn=(1)/7 1/totals: 1/3 4", "fn1 | 7=1"),
            ("line", "fn=(1)/+1 2", "fn1 | PositionRange 1"),
            ("line", "fn=(1)/* 2", "fn1 | PositionRange 1"),
            ("instr line", "fn=(1)/0x10 7 1/+1 * 2", "fn1 | 10:7=1 | 11:7=2"),
            ("instr line", "fn=(1)/+1 7 1", "fn1 | PositionRange 1"),
            ("instr line", "fn=(1)/0x10 +7 1", "fn1 | PositionRange 1"),
            (
                "instr line",
                "fn=(1)/calls=1 +1 7/0x10 7 1",
                "fn1 | 2: position out of range, line skipped | (1>1:7)10:7=1",
            ),
        ];
        for (positions, lines, expected) in cases {
            let text = lines.replace('/', "\n") + "\n";
            let state = State::before_function(0);
            let found = notes(&text, layout(positions, "Ir"), state, LexUntil::EndOfFunction);
            assert_eq!(found, expected, "{lines}");
        }
    }

    #[test]
    fn lines_of_a_command_and_of_the_head_are_no_costs() {
        let head = Layout { in_command: true, ..Layout::default() };
        assert_eq!(notes("7 5\nfn=(1)\ncalls=1 2\n", head, State::new(0), LexUntil::EndOfText), "");
        for (lines, expected) in
            [("==1== message\n", ""), ("7 5\n", "not a callgrind profile (no events: line)")]
        {
            let layout = Layout::default();
            assert_eq!(
                notes(lines, layout, State::new(0), LexUntil::EndOfText),
                expected,
                "{lines}"
            );
        }
    }
}

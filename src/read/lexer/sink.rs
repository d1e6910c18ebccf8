//! What a lexer is called with: the state that lines depend on, and the sink that takes what the
//! lines say.

use super::super::cursor::{LinePosition, Malformed};
use super::super::header::Layout;
use super::super::jump::JumpLine;
use super::super::line_files::LineFiles;
use super::super::record::{Name, NameOf};
use super::super::warning::{ErrorKind, Warning};
use crate::profile::Count;

/// No line: positions relative to it are out of range.
const NO_LINE: u64 = u64::MAX;

impl LinePosition {
    /// The position before the first line of a function, on a thread that has not lexed the lines
    /// before it.
    const UNKNOWN: LinePosition = LinePosition { address: 0, line: NO_LINE };

    /// Whether positions can be relative to it.
    #[inline(always)]
    pub(in crate::read) fn is_known(self) -> bool {
        self.line != NO_LINE
    }

    /// Whether the next position may begin with this byte. Relative to an unknown one, an address
    /// would be wrong; a line is out of range anyway.
    #[inline(always)]
    pub(in crate::read) fn may_precede(self, first: u8) -> bool {
        self.is_known() || first.is_ascii_digit()
    }
}

/// What lines depend on that came before them, but for names.
pub(in crate::read) struct State<F> {
    /// The number of lines so far.
    pub(in crate::read) line: u64,
    /// The position that relative ones are relative to.
    pub(in crate::read) last: LinePosition,
    pub(in crate::read) files: LineFiles<F>,
    pub(in crate::read) expected: Expected,
}

impl<F: Copy + PartialEq> State<F> {
    /// The state before the first line of a file. Lines are in `file` until one names theirs.
    pub(in crate::read) fn new(file: F) -> State<F> {
        State {
            line: 0,
            last: LinePosition::default(),
            files: LineFiles::new(file),
            expected: Expected::SelfCost,
        }
    }

    /// The state before the `fn=` of a function, of which nothing is known but that its file is
    /// `own`.
    pub(in crate::read) fn before_function(own: F) -> State<F> {
        State { last: LinePosition::UNKNOWN, ..State::new(own) }
    }
}

/// What the next cost line is.
#[derive(Clone, Copy, Default)]
pub(in crate::read) enum Expected {
    /// A self cost of the current function.
    #[default]
    SelfCost,
    /// The inclusive cost of calls.
    Calls(CallsLine),
    /// The source of a jump: in callgrind's files a line without counts; in the oldest edition of
    /// the format the cost line before the jump. The jump is on line `line`.
    JumpSource { line: u64 },
    /// Ignored: the cost of calls that are left out.
    Ignored,
}

/// What `calls=` says.
#[derive(Clone, Copy)]
pub(in crate::read) struct CallsLine {
    pub(in crate::read) count: i64,
    /// Where the callee begins, if the sink keeps that; 0 if it is unknown.
    pub(in crate::read) target: LinePosition,
    /// The number of the line.
    pub(in crate::read) line: u64,
}

/// The counts of a cost line.
#[derive(Clone, Copy)]
pub(in crate::read) enum LineCounts<'c> {
    /// Plain numbers, of which a chunk's lines have a sum below 2^63. There is one for each event,
    /// the first `len` of which are on the line.
    Plain { counts: &'c [u64], len: usize },
    /// Any numbers, also negative or undefined ones.
    Any(&'c [Count]),
}

impl LineCounts<'_> {
    #[inline(always)]
    pub(in crate::read) fn is_empty(self) -> bool {
        match self {
            LineCounts::Plain { len, .. } => len == 0,
            LineCounts::Any(counts) => counts.is_empty(),
        }
    }
}

/// What takes the lines of a file in their order: the reader, which adds them to the profile, or a
/// block, which a thread fills and the reader takes later. The lexer changes the sink's state
/// before it hands over what a line says.
pub(in crate::read) trait Sink {
    /// A source file, as the sink identifies it.
    type File: Copy + PartialEq;
    /// Why the sink takes no more lines.
    type Stop: From<ErrorKind>;

    fn state(&mut self) -> &mut State<Self::File>;

    /// How cost lines are laid out until another header comes.
    fn layout(&self) -> Layout;

    /// Whether it needs the targets of calls.
    fn keeps_targets(&self) -> bool;

    /// Whether it needs what is on the lines of jumps.
    fn keeps_jumps(&self) -> bool;

    /// Takes a line before the first `events:`, before what it says.
    fn head_line(&mut self, _line: &[u8]) {}

    fn header(&mut self, key: &[u8], value: &[u8]) -> Result<(), Self::Stop>;

    /// A line that is not one of the format.
    fn unknown_line(&mut self, line: &[u8]) -> Result<(), Self::Stop>;

    /// A warning about the line of this number.
    fn warn(&mut self, line: u64, warning: Warning) -> Result<(), Self::Stop>;

    /// `fl=`, `fi=` or `fe=`: the file of the next lines. The text of the name, if it has one,
    /// begins at the byte `at`.
    fn file(&mut self, kind: NameOf, name: Name<'_>, at: usize) -> Result<Self::File, Self::Stop>;

    /// A name other than that of the file of the next lines. That of a function sets their file,
    /// too: to the function's own.
    fn name(&mut self, kind: NameOf, name: Name<'_>, at: usize) -> Result<(), Self::Stop>;

    /// `cfni=`, the function that the next costs were inlined from, in files of CodSpeed. Its names
    /// are never compressed.
    fn inlined(&mut self, name: &[u8], at: usize) -> Result<(), Self::Stop>;

    /// `calls=`, of a callee that has been named; false if none has been, or the calls are not
    /// needed.
    fn calls(&mut self) -> Result<bool, Self::Stop>;

    /// `calls=` without a number.
    fn calls_without_count(&mut self) -> Result<(), Self::Stop>;

    /// `jump=` or `jcnd=`, if it keeps jumps; none if it is malformed.
    fn jump(&mut self, jump: Option<JumpLine>) -> Result<(), Self::Stop>;

    /// The end of a jump without a line for its source.
    fn jump_without_source(&mut self, line: u64) -> Result<(), Self::Stop>;

    /// As many self costs at the start of `text` as are plain, if it has a faster way to take
    /// several; their length in bytes, and their number is added to that of the lines.
    #[inline(always)]
    fn plain_self_costs(&mut self, _text: &[u8]) -> Result<usize, Self::Stop> {
        Ok(0)
    }

    fn self_cost(
        &mut self,
        file: Self::File,
        at: LinePosition,
        cost: LineCounts<'_>,
    ) -> Result<(), Self::Stop>;

    fn call_cost(
        &mut self,
        file: Self::File,
        at: LinePosition,
        calls: CallsLine,
        cost: LineCounts<'_>,
    ) -> Result<(), Self::Stop>;

    fn jump_source(&mut self, file: Self::File, at: LinePosition) -> Result<(), Self::Stop>;

    /// The cost of calls that are left out.
    fn ignored_cost(&mut self, file: Self::File, at: LinePosition) -> Result<(), Self::Stop>;

    /// A cost line that cannot be read, with its text and the counts that could be read.
    fn skip_cost(
        &mut self,
        malformed: Malformed,
        line: &[u8],
        counts: &[Count],
    ) -> Result<(), Self::Stop>;
}

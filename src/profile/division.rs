//! Divisions: the parts of a function's code in one file that are fragments of their own, in
//! reports whose rows are no functions (threads, parts, lines, ...) or that have to know what was
//! inlined or recursive. Also the ids of a profile's lists.

use crate::profile::position::PositionId;

/// The key that fragments are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DivideBy {
    /// Nothing: a function has one fragment in each file.
    #[default]
    Nothing,
    /// The functions that lines were inlined from, if a file names them.
    Inlined,
    Thread,
    Part,
    Process,
    /// Processes of one command: those of two runs have other numbers.
    Command,
    /// The threads after the first.
    OtherThreads,
    /// These, and levels of recursion that are folded: the first one, and all deeper ones.
    Levels,
}

/// A part of a fragment. All divisions of a profile are of one kind, or none: that of its
/// [`DivideBy`], or lines or instructions if the rows of a report are these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Division {
    /// The code that is in no other division.
    #[default]
    None,
    /// The code that was inlined from functions of this name.
    Inlined(NameId),
    /// What a thread or process executed, or what was executed during a part: its number in the
    /// profile's list of their names.
    Executed(u32),
    /// The code that was executed while its function was already on the stack, by the thread with
    /// this number or else the first one.
    DeeperLevels(Option<u32>),
    /// The code of a known source line.
    Line(u32),
    /// The code of a line that only BASE's text of a source has.
    RemovedLine(u32),
    /// The code of an instruction.
    Instruction(PositionId),
}

impl Division {
    /// The code of a source line, which is unknown if it is 0 or from 2^31 on.
    pub fn of_line(line: u32) -> Division {
        if is_known(line) { Division::Line(line) } else { Division::None }
    }

    /// The code of a line that only BASE's text of a source has.
    pub fn of_removed_line(line: u32) -> Division {
        if is_known(line) { Division::RemovedLine(line) } else { Division::None }
    }

    /// The code of an instruction, by its position.
    pub(super) fn of_position(position: PositionId) -> Division {
        if position == PositionId::UNKNOWN {
            Division::None
        } else {
            Division::Instruction(position)
        }
    }

    /// The number of the line, 0 if it is unknown.
    pub fn line(self) -> u32 {
        match self {
            Division::Line(line) | Division::RemovedLine(line) => line,
            _ => 0,
        }
    }

    /// The position of the instruction.
    pub fn position(self) -> PositionId {
        match self {
            Division::Instruction(position) => position,
            _ => PositionId::UNKNOWN,
        }
    }

    /// The name of the functions that the code was inlined from.
    pub fn inlined(self) -> Option<NameId> {
        match self {
            Division::Inlined(name) => Some(name),
            _ => None,
        }
    }

    /// The number of the thread, process or part.
    pub fn executed(self) -> Option<u32> {
        match self {
            Division::Executed(number) => Some(number),
            Division::DeeperLevels(thread) => thread,
            _ => None,
        }
    }

    /// Whether it was executed while its function was already on the stack.
    pub fn is_deeper(self) -> bool {
        matches!(self, Division::DeeperLevels(_))
    }

    /// The division of deeper levels of recursion of the same thread, or of the first level.
    pub fn of_level(self, is_deeper: bool) -> Division {
        match self.executed() {
            thread if is_deeper => Division::DeeperLevels(thread),
            Some(thread) => Division::Executed(thread),
            None => Division::None,
        }
    }

    /// A number that differs from those of the other divisions of its kind.
    pub(super) fn number(self) -> u32 {
        match self {
            Division::None => 0,
            Division::Inlined(name) => name.0.wrapping_add(1),
            Division::Executed(number) => number.wrapping_add(1),
            Division::DeeperLevels(thread) => {
                thread.map_or(0, |number| number.wrapping_add(1)) | 1 << 31
            }
            Division::Line(line) => line,
            Division::RemovedLine(line) => line | 1 << 31,
            Division::Instruction(position) => position.0,
        }
    }
}

fn is_known(line: u32) -> bool {
    (1..1 << 31).contains(&line)
}

/// Defines an id: an index into one of the profile's lists, of a type of its own.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An object: an executable or a shared library (`ob=`).
    ObjectId
}
id! {
    /// A source file (`fl=`, `fi=`, `fe=`, `cfi=`).
    FileId
}
id! {
    /// The name of a function (`fn=`, `cfn=`), without its file and object.
    NameId
}
id! {
    /// A function: an object, a file and a name.
    FunctionId
}
id! {
    /// The code of one function in one source file.
    FragmentId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_without_a_known_line_or_position_is_in_no_division() {
        for (line, is_known) in [(0, false), (1, true), (1 << 31, false), (u32::MAX, false)] {
            for division in [Division::of_line(line), Division::of_removed_line(line)] {
                assert_eq!(division != Division::None, is_known, "{line}");
                assert_eq!(division.line(), if is_known { line } else { 0 }, "{line}");
            }
        }
        assert_eq!(Division::of_position(PositionId::UNKNOWN), Division::None);
    }

    #[test]
    fn divisions_of_a_kind_have_different_numbers() {
        let divisions = [
            Division::None,
            Division::of_line(1),
            Division::of_removed_line(1),
            Division::of_line(2),
        ];
        let mut numbers = divisions.map(Division::number);
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]), "{numbers:?}");
        assert_ne!(Division::Inlined(NameId(0)).number(), Division::None.number());
        assert_ne!(Division::Executed(0).number(), Division::None.number());
    }
}

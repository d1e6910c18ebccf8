//! The hardest rule of the format: which file a line is in.
//!
//! By the specification, which most producers follow, `fi=` and `fe=` set the file of all lines
//! that follow. In files that callgrind itself wrote, one directly before calls or jumps is only
//! for those of one instruction: the next lines are in the file of the last self cost again, though
//! no line names it, as positions are relative to that line. If the calls or jumps of the
//! instruction go on behind other ones, they are in that other file too.

use super::cursor::LinePosition;

/// The files of a function's lines, up to the current one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineFiles<F> {
    /// The file of the next line: that of the last `fl=`, `fi=` or `fe=`, or of the function if
    /// there was none.
    named: F,
    /// The file of the last self cost, or of the function if there was none.
    base: F,
    /// The file and the position of the last call or jump, if its file was not that of the last
    /// self cost, and there was no other self cost or name of a file since.
    call: Option<(F, LinePosition)>,
}

impl<F: Copy + PartialEq> LineFiles<F> {
    /// The lines of a function in its own file.
    pub(super) fn new(own: F) -> LineFiles<F> {
        LineFiles { named: own, base: own, call: None }
    }

    /// The file of the next self cost.
    #[inline(always)]
    pub(super) fn named(&self) -> F {
        self.named
    }

    /// The file that callees and the targets of jumps are in if no line names it.
    #[inline(always)]
    pub(super) fn target(&self, is_of_callgrind: bool) -> F {
        if is_of_callgrind { self.base } else { self.named }
    }

    /// Reads `fi=` or `fe=`.
    #[inline(always)]
    pub(super) fn name(&mut self, file: F) {
        self.named = file;
        self.call = None;
    }

    /// Reads a self cost.
    #[inline(always)]
    pub(super) fn note_self_cost(&mut self) {
        self.base = self.named;
        self.call = None;
    }

    /// Reads calls or a jump at a position, and returns their file.
    #[inline(always)]
    pub(super) fn note_call(&mut self, at: LinePosition, is_of_callgrind: bool) -> F {
        if !is_of_callgrind {
            self.base = self.named;
        }
        // As for nearly all.
        if self.is_plain() {
            return self.named;
        }
        if let Some((file, _)) = self.call.filter(|&(_, last)| last == at) {
            self.named = file;
        }
        let file = self.named;
        self.call = (file != self.base).then_some((file, at));
        self.named = self.base;
        file
    }

    /// Reads calls or a jump that are skipped.
    pub(super) fn skip_call(&mut self, is_of_callgrind: bool) {
        self.named = self.target(is_of_callgrind);
    }

    /// Whether the next line, whatever it is, is in the file that the last name gives.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.named == self.base && self.call.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of each line of a function in file `a`: `=b` is an `fi=`, `5` a self cost at line
    /// 5, `(5` calls from there.
    fn files(lines: &str, is_of_callgrind: bool) -> String {
        let mut files = LineFiles::new('a');
        let file = |line: &str| -> Option<char> {
            let (kind, rest) = line.split_at(1);
            if kind == "=" {
                files.name(rest.chars().next()?);
                return None;
            }
            if kind != "(" {
                files.note_self_cost();
                return Some(files.named());
            }
            let at = LinePosition { address: 0, line: rest.parse().ok()? };
            Some(files.note_call(at, is_of_callgrind))
        };
        lines.split(' ').filter_map(file).collect()
    }

    #[test]
    fn a_name_before_calls_is_for_those_of_one_instruction_in_files_of_callgrind() {
        for (lines, of_callgrind, of_others) in [
            ("1 (1 2", "aaa", "aaa"),
            ("=b 1 (1 2", "bbb", "bbb"),
            ("1 =b (2 3", "aba", "abb"),
            ("=b (1 2", "ba", "bb"),
            // More calls of the instruction.
            ("1 =b (2 (2 3", "abba", "abbb"),
            // Calls of another one.
            ("1 =b (2 (3 (2", "abaa", "abbb"),
            // A self cost and a name each end the calls of an instruction.
            ("1 =b (2 2 (2", "abaa", "abbb"),
            ("1 =b (2 =c (2 (2 3", "abcca", "abccc"),
            ("1 =b (2 =a (2 3", "abaa", "abaa"),
            ("1 =b 2 =c (3 4", "abcb", "abcc"),
            ("1 =b =c (2 =b 3", "acb", "acb"),
        ] {
            assert_eq!(files(lines, true), of_callgrind, "{lines}");
            assert_eq!(files(lines, false), of_others, "{lines}");
        }
    }

    #[test]
    fn a_callee_that_no_line_names_is_in_the_file_of_the_last_self_cost() {
        let mut files = LineFiles::new('a');
        files.name('b');
        assert_eq!([true, false].map(|is_of_callgrind| files.target(is_of_callgrind)), ['a', 'b']);
        files.note_self_cost();
        assert_eq!([true, false].map(|is_of_callgrind| files.target(is_of_callgrind)), ['b', 'b']);
    }

    #[test]
    fn calls_that_are_skipped_end_their_file() {
        let mut files = LineFiles::new('a');
        files.name('b');
        files.skip_call(true);
        assert!(files.is_plain() && files.named() == 'a');
    }
}

//! The order in which Cachegrind writes costs: by file, then by function, then by line. What does
//! not come after the line before it tells that a name above it was lost or changed, and so does a
//! file that begins without a function.

/// A file without an order has many lines that are out of it: one in fewer lines than these.
const LINES_OF_ONE: u64 = 100;

/// The file of code whose file is unknown, which may be anywhere.
const UNKNOWN: &[u8] = b"???";

#[derive(Default)]
pub(super) struct CostOrder {
    file: Vec<u8>,
    /// The last function, with its file.
    function: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether a function of this file was named.
    is_named: bool,
    /// The line of its last cost.
    line: Option<u64>,
    compared: u64,
    out_of_order: u64,
    /// The number of the first line of the profile that is out of order.
    first: Option<u64>,
}

impl CostOrder {
    /// Reads some lines of a profile; `before` is the number of lines before them.
    pub(super) fn read(&mut self, lines: &[u8], before: u64) {
        for (number, line) in (before + 1..).zip(lines.split(|&byte| byte == b'\n')) {
            match line.trim_ascii_end() {
                [b'f', b'l', b'=', file @ ..] => {
                    self.file = file.to_vec();
                    self.is_named = false;
                }
                [b'f', b'n', b'=', name @ ..] => self.read_function(name, number),
                line @ [b'0'..=b'9', ..] => self.read_cost(line, number),
                _ => {}
            }
        }
    }

    /// The number of the first line that is out of order, if nearly all others are in order.
    pub(super) fn first_out_of_order(&self) -> Option<u64> {
        self.first.filter(|_| self.out_of_order * LINES_OF_ONE <= self.compared)
    }

    fn read_function(&mut self, name: &[u8], number: u64) {
        let function = (self.file.clone(), name.to_vec());
        let is_unknown = |of: &(Vec<u8>, Vec<u8>)| of.0 == UNKNOWN;
        if let Some(last) = &self.function {
            let is_after = function > *last || is_unknown(&function) != is_unknown(last);
            self.compare(is_after, number);
        }
        self.function = Some(function);
        self.is_named = true;
        self.line = None;
    }

    fn read_cost(&mut self, text: &[u8], number: u64) {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
        let line = digits.fold(0, |line: u64, digit| {
            line.saturating_mul(10).saturating_add((digit - b'0').into())
        });
        if let Some(last) = self.line {
            self.compare(line > last && self.is_named, number);
        }
        self.line = Some(line);
    }

    fn compare(&mut self, is_after: bool, number: u64) {
        self.compared += 1;
        if !is_after {
            self.out_of_order += 1;
            self.first.get_or_insert(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two files of two functions each, and a function with many lines.
    fn profile() -> Vec<String> {
        let mut lines = vec!["fl=???", "fn=f", "0 1", "fl=a.c", "fn=b", "7 1", "fn=d", "5 1"];
        lines.extend(["9 1", "fl=c.c", "fn=a", "3 1", "fn=z"]);
        let costs = (1..=200).map(|line| format!("{line} 1"));
        lines.into_iter().map(str::to_owned).chain(costs).collect()
    }

    fn first_out_of_order(lines: &[String]) -> Option<u64> {
        let mut order = CostOrder::default();
        let (start, end) = lines.split_at(lines.len() / 2);
        order.read(start.join("\n").as_bytes(), 0);
        order.read(end.join("\n").as_bytes(), start.len() as u64);
        order.first_out_of_order()
    }

    #[test]
    fn lines_that_do_not_come_after_the_one_before() {
        assert_eq!(first_out_of_order(&profile()), None);
        // Of a line of the profile another text, and the line that is out of order then.
        let table = [
            (5, "fn=e", Some(7)),
            (7, "fn=b", Some(7)),
            (8, "0005 1", None),
            (9, "5 1", Some(9)),
            (11, "fn=zz", Some(13)),
            (10, "fl=A.c", Some(11)),
            // The file of these functions is lost, and the name of one: so its costs are another's.
            (10, "", Some(11)),
            (7, "", Some(8)),
            // The first function of a file.
            (11, "", Some(12)),
            // Code of no known file is anywhere.
            (10, "fl=???", None),
            (1, "fl=z", Some(5)),
        ];
        for (number, text, expected) in table {
            let mut lines = profile();
            text.clone_into(&mut lines[number - 1]);
            assert_eq!(first_out_of_order(&lines), expected, "{number}: {text}");
        }
    }

    /// A tool that writes the same format, and does not sort it.
    #[test]
    fn most_lines_are_in_order() {
        let mut lines = profile();
        lines.truncate(13);
        lines.swap(4, 6);
        assert_eq!(first_out_of_order(&lines), None);
    }
}

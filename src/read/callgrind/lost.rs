//! The costs of lines that were skipped: how many lines, and what they add up to where their counts
//! are decimal numbers.

use super::Reader;
use crate::read::header::words;
use crate::read::warning::{ErrorKind, Warning};

/// Sums are kept in billionths: counts have at most nine decimals here.
const DECIMALS: usize = 9;
const UNIT: i128 = 10i128.pow(DECIMALS as u32);

/// The self costs that a file has and that were not read.
#[derive(Default)]
pub(super) struct LostCosts {
    /// The first line, and why it was skipped.
    first: Option<(u64, Warning)>,
    lines: u64,
    /// The number of lines whose counts could be read as decimal numbers, and their sums by column.
    readable: u64,
    sums: Vec<i128>,
}

impl Reader<'_> {
    /// Counts a self cost that is skipped; `line` is its text, if its counts are not in the
    /// warning.
    #[cold]
    pub(super) fn lose_cost(&mut self, warning: &Warning, line: &[u8]) {
        if self.part.in_body && !self.part.is_wanted {
            return;
        }
        let lost = &mut self.lost;
        lost.lines += 1;
        lost.first.get_or_insert_with(|| (self.state.line, warning.clone()));
        let kinds = self.part.header.layout.positions.count();
        let counts = words(line).skip(kinds).map(parse_decimal).collect::<Option<Vec<_>>>();
        let events = self.part.header.part.columns.len();
        if let Some(counts) = counts.filter(|counts| (1..=events).contains(&counts.len())) {
            lost.readable += 1;
            lost.sums.resize(lost.sums.len().max(counts.len()), 0);
            let pairs = lost.sums.iter_mut().zip(counts);
            pairs.for_each(|(sum, count)| *sum = sum.saturating_add(count));
        }
    }

    /// Reports the costs of skipped lines: an error if there are no others.
    pub(super) fn end_lost_costs(&mut self) -> Result<(), ErrorKind> {
        let lost = std::mem::take(&mut self.lost);
        let Some((line, warning)) = lost.first else {
            return Ok(());
        };
        let lines = match lost.lines {
            1 => "1 line with costs skipped".to_owned(),
            lines => format!("{lines} lines with costs skipped"),
        };
        let columns = &self.part.header.part.columns;
        let costs = lost
            .sums
            .iter()
            .zip(columns)
            .filter(|(sum, _)| **sum != 0)
            .map(|(&sum, &event)| format!("{} {}", text(sum), self.event_name(event)))
            .collect::<Vec<_>>()
            .join(", ");
        let sum = match lost.readable {
            _ if costs.is_empty() => String::new(),
            1 if lost.lines == 1 => format!(": {costs}"),
            readable if readable == lost.lines => format!(": {costs} in all"),
            readable => format!(": {costs} in {readable} of them"),
        };
        let text = lines + &sum;
        if !self.has_costs {
            return Err(ErrorKind::NoCosts { line, warning, lost: text });
        }
        self.warnings.lost_costs = Some(text).filter(|_| !sum.is_empty());
        Ok(())
    }
}

/// A decimal number in billionths, such as `20.5`.
fn parse_decimal(word: &[u8]) -> Option<i128> {
    let text = str::from_utf8(word).ok()?;
    let (digits, sign) = match text.strip_prefix('-') {
        Some(digits) => (digits, -1),
        None => (text, 1),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let has_length = !whole.is_empty() && whole.len() <= 19 && decimals.len() <= DECIMALS;
    let all = format!("{whole}{decimals:0<DECIMALS$}");
    let is_number = has_length && all.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| all.parse::<i128>().ok()).flatten().map(|number| sign * number)
}

/// A number of billionths with the decimals that it needs.
fn text(billionths: i128) -> String {
    let sign = if billionths < 0 { "-" } else { "" };
    let size = billionths.unsigned_abs();
    let (whole, decimals) = (size / UNIT.unsigned_abs(), size % UNIT.unsigned_abs());
    let decimals = format!(".{decimals:0>DECIMALS$}");
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("{sign}{whole}{decimals}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_counts_are_added_up_exactly() {
        for (words, sum) in [
            ("20.5 0.25", "20.75"),
            ("0.1 0.2", "0.3"),
            ("-3.5 1", "-2.5"),
            ("1.000000001 2", "3.000000001"),
            ("9223372036854775807.5 0.5", "9223372036854775808"),
        ] {
            let numbers = words.split(' ').map(|word| parse_decimal(word.as_bytes()).unwrap());
            assert_eq!(text(numbers.sum()), sum, "{words}");
        }
        let digits = "12345678901234567890";
        for word in ["", "-", ".5", "1e3", "0x10", "1.2.3", "+1", "1,5", "1.0000000001", digits] {
            assert_eq!(parse_decimal(word.as_bytes()), None, "{word}");
        }
    }
}

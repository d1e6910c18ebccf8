//! The header of a part: its lines, and what the reader derives from them.

use super::Detail;
use super::cursor::{Cursor, LinePosition, Malformed, PositionColumns};
use super::record::Record;
use super::warning::{ErrorKind, Lack, Warning};
use crate::profile::{Count, NameKind, Part, to_columns};

/// The columns of cost lines: kinds of position and number of counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) positions: PositionColumns,
    /// 0 before the first `events:` of a file.
    pub(super) events: usize,
    /// Whether callgrind itself wrote the file: positions and files are then relative to the last
    /// self-cost line. By the specification, which other producers follow, positions are relative
    /// to the last cost line, also of a call, and `fi=` sets the file of all that follows.
    pub(super) is_of_callgrind: bool,
    /// Whether the file or object of a callee is left out only if it is the current one: callgrind
    /// and cgannotate name all others.
    pub(super) names_other_files: bool,
    /// Whether the creator profiles machine code, and whether instructions are counted.
    pub(super) is_of_machine_code: bool,
    pub(super) counts_instructions: bool,
    /// Whether the header is nothing but `events:`, as scripts write it. They write unknown
    /// positions as they have them.
    pub(super) has_only_events: bool,
    /// Whether the last line was `cmd:` or a further line of the command, before any `events:`:
    /// cachegrind writes newlines in arguments as they are.
    pub(super) in_command: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            positions: PositionColumns { address: false, block: false, line: true },
            events: 0,
            is_of_callgrind: false,
            names_other_files: false,
            is_of_machine_code: false,
            counts_instructions: false,
            has_only_events: true,
            in_command: false,
        }
    }
}

impl Layout {
    /// Updates the layout from a line of a header; false if it has an unknown kind of position.
    fn set(&mut self, key: &[u8], value: &[u8]) -> bool {
        match key {
            b"creator" => {
                let part = Part { creator: Some(value.into()), ..Part::default() };
                self.is_of_callgrind = part.is_from_callgrind();
                let is_own = value.trim_ascii_start().starts_with(b"cgannotate-");
                self.names_other_files = self.is_of_callgrind || is_own;
                self.is_of_machine_code = NameKind::of_part(Some(value), false) == NameKind::Symbol;
            }
            b"positions" if !self.set_positions(value) => return false,
            b"events" => {
                self.events = words(value).count();
                self.counts_instructions = words(value).any(|event| event == b"Ir");
            }
            _ => {}
        }
        self.has_only_events &= key == b"events";
        self.in_command = key == b"cmd" && self.events == 0;
        true
    }

    /// Updates the layout from those of some lines that say how the next functions are to be lexed.
    /// (No command is one of these: threads lex no lines before `events:`.)
    pub(super) fn set_from(&mut self, lines: &[u8]) {
        let mut cursor = Cursor::new(lines);
        while cursor.position() < lines.len() {
            let line = cursor.take_line();
            if matches!(line, [b'c', b'r', ..] | [b'e' | b'p', ..])
                && let Record::Header(key, value) = Record::parse(line)
            {
                self.set(key, value);
            }
        }
    }

    /// Whether names may end with levels of recursion and contexts, which `--fold` removes: an
    /// apostrophe in a name of another kind is a letter.
    pub(super) fn has_suffixes(&self) -> bool {
        self.is_of_machine_code || self.counts_instructions
    }

    /// Whether functions of this layout can be lexed by themselves. Without lines, those of all
    /// costs are that of the function before.
    pub(super) fn has_blocks(&self) -> bool {
        self.positions.line && (1..=u8::MAX.into()).contains(&self.events)
    }

    /// Whether costs and calls are kept by address; without addresses they are kept by line.
    #[inline(always)]
    pub(super) fn keeps_addresses(&self, detail: Detail) -> bool {
        detail.code && self.positions.address
    }

    /// Sets the kinds of position; false if one is unknown.
    fn set_positions(&mut self, value: &[u8]) -> bool {
        self.positions = PositionColumns { address: false, block: false, line: false };
        let mut all_known = true;
        for word in words(value) {
            match word {
                b"instr" | b"addr" => self.positions.address = true,
                b"bb" => self.positions.block = true,
                b"line" => self.positions.line = true,
                _ => all_known = false,
            }
        }
        all_known
    }
}

/// The words of a list with blanks between them.
pub(super) fn words(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

#[derive(Default)]
pub(super) struct Header {
    pub(super) part: Part,
    /// Whether the part's columns are in another order than the profile's.
    is_permuted: bool,
    /// Whether this part had `events:`.
    has_own_events: bool,
    /// The columns of cost lines. (The number of events is that of the part's columns.)
    pub(super) layout: Layout,
    /// The part's `summary:` and `totals:` lines, if they have numbers.
    summary: Option<StatedTotal>,
    totals: Option<StatedTotal>,
    /// Whether the file has any key, and whether all are in the order of cachegrind, which begins
    /// with `desc:` or `cmd:`.
    has_keys: bool,
    has_keys_of_cachegrind: bool,
    /// Whether the events are the nanoseconds of Python's profiler.
    counts_python_time: bool,
    /// Whether the file has calls or objects, which cachegrind does not record.
    pub(super) has_calls: bool,
    pub(super) has_objects: bool,
}

/// What is known of a producer's totals.
struct Producer {
    /// The key of the line with which it ends each part, if it always does.
    closing_key: Option<&'static str>,
    /// Whether `summary:` is the sum of the self costs.
    has_exact_summary: bool,
    /// Whether `summary:` may be above the sum of the self costs in a whole file.
    has_costs_of_no_line: bool,
    /// Whether it rounds the cost of each function, so that their sum may be above `summary:`, too.
    rounds_costs: bool,
    /// Whether it leaves out zeros at the end of a total.
    leaves_out_zeros: bool,
    /// How the events begin whose number in `summary:` is a peak.
    peaks: Option<&'static [u8]>,
    /// Whether of calls of one function by another only those cost that are not within another one.
    counts_outermost_calls: bool,
}

/// A producer that is not known.
const UNKNOWN: Producer = Producer {
    closing_key: None,
    has_exact_summary: false,
    has_costs_of_no_line: false,
    rounds_costs: false,
    leaves_out_zeros: false,
    peaks: None,
    counts_outermost_calls: false,
};

const CALLGRIND: Producer = Producer {
    closing_key: Some("totals"),
    // Costs of signal handlers are in `totals:` alone, and code of no function is in `summary:`
    // alone.
    has_costs_of_no_line: true,
    leaves_out_zeros: true,
    ..UNKNOWN
};

const CACHEGRIND: Producer =
    Producer { closing_key: Some("summary"), has_exact_summary: true, ..UNKNOWN };

/// Valgrind's `--xtree-memory` and `--xtree-leak`.
const XTREE: Producer = Producer { closing_key: Some("totals"), ..UNKNOWN };

/// Its `summary:` is the time of the whole request, and the peak of its memory.
const XDEBUG: Producer = Producer {
    closing_key: Some("summary"),
    has_costs_of_no_line: true,
    peaks: Some(b"Memory"),
    ..UNKNOWN
};

/// Its `summary:` is the sum of Python's own totals. Costs of callers in recursion are lost: Python
/// counts the time of a pair of caller and callee once however often it is on the stack.
const PYPROF2CALLTREE: Producer = Producer {
    has_costs_of_no_line: true,
    rounds_costs: true,
    counts_outermost_calls: true,
    ..UNKNOWN
};

/// A line with the total of a part.
#[derive(Clone)]
struct StatedTotal {
    line: u64,
    counts: Vec<Count>,
}

/// A stated total of an event that is not the sum of the self costs.
pub(super) struct WrongTotal {
    /// The number of the line that states it, and the line's key.
    pub(super) line: u64,
    pub(super) key: &'static str,
    pub(super) column: usize,
    /// Self costs minus stated total.
    pub(super) off: i128,
    pub(super) stated: Count,
    /// Whether costs must be missing, or others than those that the producer wrote.
    pub(super) is_damage: bool,
    /// Whether `totals:` has the sum, so that only costs of no function are beyond it.
    pub(super) is_sum_stated: bool,
}

impl Header {
    /// Whether `key` is one of the format's keys, or `total`, with which PHP's memprof ends its
    /// profiles and which callgrind_annotate does not read. Others are ignored everywhere.
    pub(super) fn knows(key: &[u8]) -> bool {
        let keys =
            b"version creator cmd pid part thread desc positions event events summary totals total";
        words(keys).any(|known| known == key)
    }

    /// Stores a line of the header; `line` is its number.
    pub(super) fn set(
        &mut self,
        key: &[u8],
        value: &[u8],
        line: u64,
    ) -> Result<Option<Warning>, ErrorKind> {
        let part = &mut self.part;
        if !self.layout.set(key, value) {
            return Ok(Some(Warning::PositionColumns));
        }
        self.has_keys_of_cachegrind = match key {
            b"desc" | b"cmd" => self.has_keys_of_cachegrind || !self.has_keys,
            b"events" | b"summary" => self.has_keys_of_cachegrind,
            _ => false,
        };
        self.has_keys = true;
        let number = || (!value.is_empty()).then(|| decimal(value).into());
        match key {
            b"version" if is_later_version(value) => return Err(ErrorKind::Version),
            b"creator" => part.creator = Some(value.into()),
            b"cmd" => part.command = Some(value.into()),
            b"pid" => part.pid = number(),
            b"part" => part.part_number = number(),
            b"thread" => part.thread = number(),
            b"desc" => part.descriptions.push(value.to_vec()),
            b"event" => self.counts_python_time |= value == b"ns : Nanoseconds",
            b"summary" => self.summary = stated_total(value, line)?,
            b"totals" => self.totals = stated_total(value, line)?,
            _ => {}
        }
        Ok(None)
    }

    /// Stores the profile's numbers of the events that `events:` names. A header may have a second
    /// such line, if it names the same events.
    pub(super) fn set_columns(&mut self, columns: Vec<usize>, line: u64) -> Result<(), ErrorKind> {
        if self.has_own_events && columns != self.part.columns {
            return Err(ErrorKind::OtherEvents);
        }
        self.has_own_events = true;
        self.is_permuted = !columns.iter().copied().eq(0..columns.len());
        self.part.self_cost = vec![Count::UNDEFINED; columns.len()];
        self.part.columns = columns;
        self.part.events_line = line;
        Ok(())
    }

    /// The counts of a line in the profile's columns. `wide` has room for them.
    #[inline(always)]
    pub(super) fn widened<'c>(&self, counts: &'c [Count], wide: &'c mut [Count]) -> &'c [Count] {
        if !self.is_permuted {
            return counts;
        }
        to_columns(counts, &self.part.columns, wide);
        wide
    }

    /// Whether callgrind wrote the part to its last line, perhaps without any costs.
    pub(super) fn is_complete(&self) -> bool {
        self.layout.is_of_callgrind && self.totals.is_some()
    }

    /// The producer, as far as its totals are known.
    fn producer(&self) -> Producer {
        let part = &self.part;
        let is_cachegrind = self.has_keys_of_cachegrind && !self.has_calls && !self.has_objects;
        match part.creator.as_deref() {
            Some(_) if part.is_from_callgrind() => CALLGRIND,
            Some([b'x', b't', b'r', b'e', b'e', b'-', ..]) => XTREE,
            Some([b'x', b'd', b'e', b'b', b'u', b'g', ..]) => XDEBUG,
            None if is_cachegrind => CACHEGRIND,
            None if self.counts_python_time => PYPROF2CALLTREE,
            _ => UNKNOWN,
        }
    }

    /// Whether callgrind or cachegrind wrote the part.
    pub(super) fn is_from_valgrind(&self) -> bool {
        self.producer().leaves_out_zeros || self.is_from_cachegrind()
    }

    pub(super) fn is_from_cachegrind(&self) -> bool {
        self.producer().has_exact_summary
    }

    /// What the part lacks of the line with which its producer ends each part, with its key.
    pub(super) fn lacking_total(&self) -> Option<(&'static str, Lack)> {
        let producer = self.producer();
        let key = producer.closing_key?;
        let stated = if key == "totals" { &self.totals } else { &self.summary };
        let given = stated.as_ref().map_or(0, |stated| stated.counts.len());
        let mut others = self.part.self_cost.iter().skip(given);
        let is_whole = |count: &Count| producer.leaves_out_zeros && count.or_zero() == 0;
        if given == 0 {
            Some((key, Lack::Whole))
        } else {
            others.any(|count| !is_whole(count)).then_some((key, Lack::Part))
        }
    }

    /// Whether what `summary:` says of an event is a peak and no sum of costs.
    pub(super) fn has_peak_of(&self, event: &[u8]) -> bool {
        self.producer().peaks.is_some_and(|peaks| event.starts_with(peaks))
    }

    /// Finishes the part, if there is one, and returns it with the stated totals that are wrong.
    /// The next part inherits columns, creator, command and process: callgrind writes these once
    /// per file.
    pub(super) fn end_part(&mut self) -> Option<(Part, Vec<WrongTotal>)> {
        self.has_own_events = false;
        let producer = self.producer();
        let is_total_whole = self.lacking_total().is_none();
        let next = Part {
            creator: self.part.creator.clone(),
            command: self.part.command.clone(),
            pid: self.part.pid.clone(),
            columns: self.part.columns.clone(),
            events_line: self.part.events_line,
            self_cost: vec![Count::UNDEFINED; self.part.columns.len()],
            ..Part::default()
        };
        let mut part = std::mem::replace(&mut self.part, next);
        let events = part.columns.len();
        let (summary, totals) = (self.summary.take(), self.totals.take());
        // What callgrind leaves out is 0.
        let is_padded = producer.leaves_out_zeros && is_total_whole;
        let padded = totals.clone().filter(|_| is_padded).map(|stated| stated.padded(events));
        let summary = summary.and_then(|stated| stated.usable(events));
        let totals = totals.and_then(|stated| stated.usable(events));
        let stated = summary.as_ref().or(totals.as_ref());
        part.is_calculated = stated.is_none();
        part.is_from_cachegrind = producer.has_exact_summary;
        part.counts_outermost_calls = producer.counts_outermost_calls;
        part.total = match stated {
            None => part.self_cost.clone(),
            Some(stated) => {
                let pairs = stated.counts.iter().zip(&part.self_cost);
                pairs.map(|(&stated, &sum)| sum.larger(stated)).collect()
            }
        };
        let compared = padded.or(totals);
        let wrong = wrong_totals(&part, &producer, summary.as_ref(), compared.as_ref());
        (self.layout.events > 0).then_some((part, wrong))
    }
}

impl StatedTotal {
    /// The total with zeros for the events that have no count.
    fn padded(mut self, events: usize) -> StatedTotal {
        self.counts.resize(events, Count::ZERO);
        self
    }

    /// The total; none if it has fewer counts than there are events, or only zeros.
    fn usable(mut self, events: usize) -> Option<StatedTotal> {
        let has_cost = self.counts.iter().any(|count| count.or_zero() != 0);
        self.counts.truncate(events);
        (has_cost && self.counts.len() == events).then_some(self)
    }
}

/// The stated totals that differ from the sum of the self costs; of two equal ones that of
/// `totals:`. Costs of no function, such as the last instruction with `--cache-sim=yes`, are in
/// `summary:` alone: a difference below 0.1% of it is no finding, nor is one of another event that
/// is no larger than such a difference of the first. Costs of signal handlers are in `totals:`
/// alone: these are the total, and a smaller `summary:` is no finding. A sum of rounded costs that
/// is 0.1% above it is none either. Where the producer's `summary:` is the sum of the self costs,
/// any difference is one.
fn wrong_totals(
    part: &Part,
    producer: &Producer,
    summary: Option<&StatedTotal>,
    totals: Option<&StatedTotal>,
) -> Vec<WrongTotal> {
    let count = |stated: Option<&StatedTotal>, column: usize| stated?.counts[column].value();
    let (mut wrong, mut of_no_function) = (Vec::new(), 0);
    for (column, sum) in part.self_cost.iter().enumerate() {
        let of_totals = count(totals, column);
        let of_summary = count(summary, column).filter(|count| of_totals != Some(*count));
        for (stated, count, key) in
            [(summary, of_summary, "summary"), (totals, of_totals, "totals")]
        {
            let Some((stated, count)) = stated.zip(count) else {
                continue;
            };
            let off = i128::from(sum.or_zero()) - i128::from(count);
            let beyond = if producer.rounds_costs { off.abs() } else { -off };
            let is_small = beyond * 1000 < i128::from(count) || beyond <= of_no_function;
            let is_exact = key == "totals" || producer.has_exact_summary;
            // Of negative costs those are missing that would make the sum smaller.
            let is_short = sum.or_zero().unsigned_abs() < count.unsigned_abs();
            let is_of_no_function = !is_exact && beyond > 0 && is_small;
            if column == 0 && is_of_no_function {
                of_no_function = beyond;
            }
            // Callgrind leaves the costs of signal handlers out of its `summary:`, not of
            // `totals:`.
            let is_of_handlers = !is_exact && !is_short && of_totals == Some(sum.or_zero());
            if off != 0 && !is_of_no_function && !is_of_handlers {
                let may_be_short = producer.has_costs_of_no_line || totals.is_some();
                let is_damage = is_exact || is_short && !may_be_short;
                let line = stated.line;
                let stated = Count::new(count);
                let is_sum_stated = key == "summary" && of_totals == Some(sum.or_zero());
                wrong.push(WrongTotal { line, key, column, off, stated, is_damage, is_sum_stated });
            }
        }
    }
    wrong
}

/// Whether the number before the point of a `version:` is above 1.
fn is_later_version(value: &[u8]) -> bool {
    let major = value.split(|&byte| byte == b'.').next().unwrap_or(value);
    parse_number(major).is_some_and(|major| major > 1)
}

/// A number of a header: decimal, or hexadecimal after `0x`.
fn parse_number(value: &[u8]) -> Option<u64> {
    let text = str::from_utf8(value.trim_ascii()).ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        _ if !is_number => None,
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A number of a header in decimal digits; any other text as it is.
pub fn decimal(value: &[u8]) -> Vec<u8> {
    match parse_number(value) {
        Some(number) => number.to_string().into_bytes(),
        None => value.to_vec(),
    }
}

/// The counts of a `summary:` or `totals:` line; none if it does not consist of numbers.
fn stated_total(value: &[u8], line: u64) -> Result<Option<StatedTotal>, ErrorKind> {
    let mut cursor = Cursor::new(value);
    let mut counts = Vec::new();
    while !cursor.end_line() {
        match cursor.count() {
            Ok(count) => counts.push(count.map_or(Count::UNDEFINED, Count::new)),
            Err(Malformed::CountRange) => return Err(ErrorKind::Number),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(StatedTotal { line, counts }))
}

/// The target of `calls=`, which follows the number of calls. A target that is malformed or missing
/// is unknown.
pub(super) fn call_target(
    value: &[u8],
    positions: PositionColumns,
    last: LinePosition,
) -> LinePosition {
    let mut cursor = Cursor::new(value);
    let target = cursor.count().and_then(|_| target(&mut cursor, positions, last));
    target.unwrap_or_default()
}

/// The next positions, relative to the last ones.
pub(super) fn target(
    cursor: &mut Cursor<'_>,
    positions: PositionColumns,
    last: LinePosition,
) -> Result<LinePosition, Malformed> {
    let at = cursor.line_position(positions, last)?.ok_or(Malformed::PositionRange)?;
    Ok(LinePosition {
        address: if positions.address { at.address } else { 0 },
        line: if positions.line { at.line } else { 0 },
    })
}

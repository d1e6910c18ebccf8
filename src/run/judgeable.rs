//! Whether limits can be judged: no file of either side is known to be damaged, and nothing that a
//! file says moves what a limit is about. The first finding is the error, and no limit is judged
//! then.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow, bail};

use super::Context;
use super::lost_code::LostCode;
use super::message::{display_name, display_names};
use super::read_files::ReadFile;
use crate::options::Options;
use crate::profile::{Count, Events, Formula, Measured, NEW, Part, Presence, Profile, Sides};
use crate::view::{Rule, Subject, basename};

/// The end of each error.
pub(super) const NOT_JUDGED: &str = "the limit is not judged";

/// What a part of callgrind's says about why it was written if the program had ended.
const END_OF_PROGRAM: &[u8] = b"Program termination";

/// The name of a benchmark or test without the hash that Cargo puts behind it, which differs where
/// other crates are used: `count` for `count-fad01ed4334679ae`.
fn without_hash(name: &[u8]) -> &[u8] {
    const DIGITS: usize = 16;
    let Some((start, hash)) = name.len().checked_sub(DIGITS).map(|at| name.split_at(at)) else {
        return name;
    };
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    start.strip_suffix(b"-").filter(|_| hash.iter().all(is_digit)).unwrap_or(name)
}

/// The name of the program that a side is a profile of, if its files say so.
pub(super) fn program_of(side: &Measured) -> Option<String> {
    let mut parts = side.parts.iter();
    let command = parts.find_map(|part| part.command.as_deref())?;
    let path = command.split(|&byte| byte == b' ').next()?;
    Some(display_name(without_hash(basename(path))))
}

impl Context<'_> {
    /// Checks that the limits can be judged.
    pub(super) fn check_judgeable(&self) -> Result<()> {
        let files = &self.judged_files();
        check_whole(files)?;
        check_closing_totals(files)?;
        let against = self.options.input.judged_against();
        self.check_programs()?;
        check_collected(&self.profile.sides().as_ref().pair(against))?;
        self.check_called_code()?;
        let parts = self.parts();
        check_numbers(&parts)?;
        check_ends(&parts)?;
        self.check_first_event(&parts)?;
        for limit in &self.options.limits {
            let event = self.limit_event(limit)?;
            self.check_definitions(event)?;
            self.check_recorded(event)?;
        }
        if let Some(patterns) = self.one_sided_patterns() {
            bail!("{patterns}; {NOT_JUDGED}");
        }
        Ok(())
    }

    /// Checks that runs which were chosen by their times are of one program.
    fn check_programs(&self) -> Result<()> {
        let input = &self.options.input;
        let Sides { new, base, .. } = self.profile.sides().as_ref().pair(input.judged_against());
        let programs = base.and_then(|base| program_of(base).zip(program_of(new)));
        if let Some((base, new)) = programs.filter(|(base, new)| base != new)
            && input.is_newest_of_several
        {
            let of_base = self.files_of_side(input.judged_against());
            let of_new = self.files_of_side(NEW);
            bail!(
                "{of_base} is a profile of {base}, and {of_new} one of {new}; {NOT_JUDGED}. Name the file of each"
            );
        }
        Ok(())
    }

    /// The files of NEW and of the side that it is judged against.
    fn judged_files(&self) -> Sides<&[ReadFile]> {
        let files = self.input.files.as_ref().map(Vec::as_slice);
        files.pair(self.options.input.judged_against())
    }

    /// The parts of the judged sides that were read, then those that the options do not include.
    fn parts(&self) -> Sides<Vec<&Part>> {
        let sides = self.profile.sides().as_ref().zip(self.input.files.as_ref());
        sides.pair(self.options.input.judged_against()).map(|(side, files)| {
            let skipped = files.iter().flat_map(|file| &file.warnings.skipped);
            side.parts.iter().chain(skipped).collect()
        })
    }

    /// Checks that no file has lost the costs of a function.
    fn check_called_code(&self) -> Result<()> {
        let judged = [NEW, self.options.input.judged_against()];
        let mut of_judged =
            self.input.changes.lost_code.iter().filter(|lost| judged.contains(&lost.side));
        let Some(LostCode { side, text }) = of_judged.next() else {
            return Ok(());
        };
        bail!("{}: {text}; {NOT_JUDGED}", self.files_of_side(*side));
    }

    /// Checks that a limit without an event is about the same event, whichever side's file names
    /// its events first.
    fn check_first_event(&self, parts: &Sides<Vec<&Part>>) -> Result<()> {
        let requested = &self.options.selection;
        let is_named =
            !requested.sort.is_empty() || requested.sort_by_shown && !requested.show.is_empty();
        let has_default = self.options.limits.iter().any(|limit| limit.event.is_none());
        let firsts = parts.as_ref().map(|parts| parts.first().copied());
        let Some((new, base)) = firsts.new.zip(firsts.base.flatten()) else {
            return Ok(());
        };
        if is_named || !has_default || new.columns.first() == base.columns.first() {
            return Ok(());
        }
        let name = |part: &Part| {
            let event = part.columns.first();
            event.map_or_else(String::new, |&event| self.event_name(event))
        };
        let [of_new, of_base] = [new, base].map(name);
        bail!(
            "{}: the first event is {of_new}, and {of_base} in {}; {NOT_JUDGED} (--fail-above={of_base}:N names it)",
            place_of(new),
            place_of(base)
        );
    }

    /// Checks that the formulas of BASE, or the predefined ones, hold for an event and all that it
    /// is computed from.
    fn check_definitions(&self, event: usize) -> Result<()> {
        let events = self.profile.events();
        let of_options: BTreeSet<&[u8]> =
            self.options.input.events.iter().map(|(name, _)| &name[..]).collect();
        let (mut names, mut next) = (vec![events.name(event).to_vec()], 0);
        while let Some(name) = names.get(next).cloned() {
            next += 1;
            let is_recorded = events.find(&name).is_some_and(|event| events.is_recorded(event));
            if is_recorded {
                continue;
            }
            if !of_options.contains(&name[..]) {
                check_definition(&name, &self.judged_files())?;
            }
            let formula = events.formula(&name);
            let terms = formula.iter().flat_map(|formula| formula.events());
            for term in terms {
                if !names.iter().any(|name| name == term) {
                    names.push(term.to_vec());
                }
            }
        }
        Ok(())
    }

    /// Checks that each part with costs has recorded what an event is computed from.
    fn check_recorded(&self, event: usize) -> Result<()> {
        let events = self.profile.events();
        let needed = match events.terms(event) {
            [] => vec![event],
            terms => {
                let terms = terms.iter().map(|&(_, term)| term);
                terms.chain(events.divisor_of(event)).collect()
            }
        };
        let sides = self.profile.sides().as_ref().pair(self.options.input.judged_against());
        let parts = sides.iter().flat_map(|side| &side.parts);
        for part in parts.filter(|part| part.has_cost()) {
            if let Some(&event) = needed.iter().find(|event| !part.columns.contains(event)) {
                let name = self.event_name(event);
                bail!("{}: no event {name}, which other files have; {NOT_JUDGED}", place_of(part));
            }
        }
        Ok(())
    }

    /// The patterns of the filters that match something on one side only.
    fn one_sided_patterns(&self) -> Option<String> {
        let choices = self.options.rows.filter.choices.iter();
        let rules = choices.flat_map(|choice| {
            let included = choice.include.iter().map(|rule| (rule, ""));
            included.chain(choice.exclude.iter().map(|rule| (rule, "!")))
        });
        let of_filter = rules.filter_map(|(rule, sign)| {
            let (kind, pattern) = rule.kind()?;
            let against = self.options.input.judged_against();
            let side = one_sided(self.profile, against, |subject| rule.matches(subject))?;
            let option = format!("--{kind}={sign}{}", display_name(&pattern.text));
            Some(self.one_sided(&option, side))
        });
        let changing = self
            .input
            .changes
            .one_sided_options
            .iter()
            .map(|(option, side)| self.one_sided(option, *side));
        let all: Vec<String> = of_filter.chain(changing).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Says that an option's pattern matches only on one side.
    fn one_sided(&self, option: &str, side: usize) -> String {
        format!("{option} matches only in {}", self.files_of_side(side))
    }

    /// The files of a side, or what it is called if it has none.
    pub(super) fn files_of_side(&self, side: usize) -> String {
        let names = |files: &Vec<ReadFile>| {
            let names = files.iter().map(|file| file.name.as_str());
            display_names(names)
        };
        let files = self.input.files.get(side).map(names).filter(|files| !files.is_empty());
        files.unwrap_or_else(|| self.options.input.name_of_side(side))
    }

    fn event_name(&self, event: usize) -> String {
        display_name(self.profile.events().name(event))
    }
}

/// The side, NEW or the one that it is judged against, that alone has code that matches. None if
/// the other one has no code at all: then it is not the pattern that leaves something out.
fn one_sided(
    profile: &Profile,
    against: usize,
    matches: impl Fn(&Subject<'_>) -> bool,
) -> Option<usize> {
    let is_matching: Vec<bool> = profile
        .fragments()
        .iter()
        .map(|&fragment| matches(&Subject::of_fragment(profile, fragment)))
        .collect();
    let (mut new, mut base) = (false, false);
    let mut has_code = Presence::default();
    for (place, presence) in profile.places_and_sites() {
        has_code = has_code.or(presence);
        if is_matching[place.fragment.index()] {
            new |= presence.new;
            base |= presence.has(against);
        }
    }
    for (row, call) in profile.calls.iter().enumerate() {
        if is_matching[profile.home(call.callee).index()] {
            let presence = profile.presence_of_call(row);
            new |= presence.new;
            base |= presence.has(against);
        }
    }
    let is_one_sided = new != base && has_code.new && has_code.has(against);
    is_one_sided.then_some(if base { against } else { NEW })
}

/// The options that change the profile whose pattern matches on one of the judged sides only, and
/// that side: those that keep a part, and those that charge code to its callers, which change what
/// a filter selects.
pub(super) fn one_sided_options(options: &Options, profile: &Profile) -> Vec<(String, usize)> {
    if options.limits.is_empty() || !profile.is_difference() {
        return Vec::new();
    }
    let has_filter = !options.rows.filter.is_empty();
    let charged = options.input.charged.iter().filter(|charged| !charged.has_no_pattern());
    let charged = charged.filter(|_| has_filter).filter_map(|charged| {
        let matches =
            |subject: &Subject<'_>| charged.rules.iter().any(|rule| rule.matches(subject));
        let side = one_sided(profile, options.input.judged_against(), matches)?;
        Some((format!("--charge-to-callers={}", display_name(&charged.text)), side))
    });
    let kept = options.input.kept.iter().flat_map(|code| {
        code.patterns.iter().filter_map(|pattern| {
            let rule = Rule::of("function", pattern.clone());
            let against = options.input.judged_against();
            let side = one_sided(profile, against, |subject: &Subject<'_>| rule.matches(subject))?;
            Some((format!("--{}={}", code.option(), display_name(&pattern.text)), side))
        })
    });
    charged.chain(kept).collect()
}

/// Whether callgrind wrote a part because the program had ended.
fn is_end_of_program(part: &Part) -> bool {
    part.description(b"Trigger") == Some(END_OF_PROGRAM)
}

/// The file of a part and the line that names its events.
pub(super) fn place_of(part: &Part) -> String {
    let file = display_name(&part.file);
    // Data that is no text has no lines.
    if part.events_line == 0 { file } else { format!("{file}:{}", part.events_line) }
}

/// Checks that no file is known to be damaged.
fn check_whole(files: &Sides<&[ReadFile]>) -> Result<()> {
    match files.iter().copied().flatten().find_map(ReadFile::damage) {
        Some(damage) => bail!("{damage}; {NOT_JUDGED}"),
        None => Ok(()),
    }
}

/// Checks that either all files end with a total, or none does.
fn check_closing_totals(files: &Sides<&[ReadFile]>) -> Result<()> {
    let closed = files.iter().copied().flatten().find_map(|file| {
        let total = file.warnings.closing_total.filter(|total| total.has_cost)?;
        Some((&file.name, total.key))
    });
    let open = files.iter().copied().flatten().find(|file| file.warnings.closing_total.is_none());
    if let Some(((closed, key), open)) = closed.zip(open) {
        let (name, line) = (&open.name, open.warnings.lines);
        bail!("{name}:{line}: no {key}: line, which {closed} has at its end; {NOT_JUDGED}");
    }
    Ok(())
}

/// Checks that valgrind's tools collected something on each side: without the request or function
/// that begins it they write a whole file of no cost.
fn check_collected(sides: &Sides<&Measured>) -> Result<()> {
    let is_nothing = |count: &Count| count.or_zero() == 0;
    for side in sides.iter() {
        let is_empty = side.parts.iter().all(|part| {
            let is_of_tools = part.is_from_callgrind() || part.is_from_cachegrind;
            is_of_tools && part.self_cost.iter().all(is_nothing)
        });
        if let Some(part) = side.parts.first().filter(|_| is_empty) {
            bail!("{}: nothing was collected; {NOT_JUDGED}", place_of(part));
        }
    }
    Ok(())
}

/// A number that callgrind counts up within a process, from 1: how it is called, and a part's.
type Numbering = (&'static str, fn(&Part) -> Option<&[u8]>);

/// Parts are numbered in order, and threads as they begin. The end of a program has all threads; a
/// request of the program writes only the thread that makes it.
const NUMBERINGS: [Numbering; 2] = [
    ("part", |part| part.part_number.as_deref()),
    ("thread", |part| part.thread.as_deref().filter(|_| is_end_of_program(part))),
];

/// Checks that no number of a part or thread is missing in a process that callgrind wrote: none
/// between two others, and none before the first one, with which another process begins. A part
/// alone may be compared with any other one, and so may a thread.
fn check_numbers(parts: &Sides<Vec<&Part>>) -> Result<()> {
    for (what, number) in NUMBERINGS {
        let missing = |part: &Part, missing: u64, after: u64| {
            anyhow!("{}: no {what} {missing} before {what} {after}; {NOT_JUDGED}", place_of(part))
        };
        let sides = parts.as_ref().map(|parts| numbers_of_processes(parts, number));
        let processes: Vec<&BTreeMap<u64, &Part>> =
            sides.iter().flat_map(BTreeMap::values).collect();
        for numbers in &processes {
            let pairs = numbers.iter().zip(numbers.iter().skip(1));
            for ((before, _), (after, part)) in pairs {
                if after - before > 1 {
                    return Err(missing(part, before + 1, *after));
                }
            }
        }
        let firsts = || processes.iter().filter_map(|numbers| numbers.first_key_value());
        let are_alone = processes.iter().all(|numbers| numbers.len() == 1);
        if let Some((&first, _)) = firsts().next().filter(|_| !are_alone) {
            let first = firsts().map(|(&number, _)| number).fold(first, u64::min);
            if let Some((&number, part)) = firsts().find(|(number, _)| **number > first) {
                return Err(missing(part, first, number));
            }
        }
    }
    Ok(())
}

/// The numbers of the parts of each process that callgrind wrote, with a part that has the number.
fn numbers_of_processes<'p>(
    parts: &[&'p Part],
    number: fn(&Part) -> Option<&[u8]>,
) -> BTreeMap<&'p [u8], BTreeMap<u64, &'p Part>> {
    let mut processes: BTreeMap<&[u8], BTreeMap<u64, &Part>> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.is_from_callgrind()) {
        let pid = part.pid.as_deref().unwrap_or(&part.file);
        let of_part = number(part).and_then(|text| str::from_utf8(text).ok()?.parse().ok());
        if let Some(of_part) = of_part {
            processes.entry(pid).or_default().insert(of_part, part);
        }
    }
    processes
}

/// Checks that both sides have what callgrind writes when the program ends, for each of their
/// processes, or that neither has.
fn check_ends(parts: &Sides<Vec<&Part>>) -> Result<()> {
    let ends = parts.as_ref().map(|parts| {
        let mut processes: BTreeMap<&[u8], (bool, &Part)> = BTreeMap::new();
        for part in parts {
            if part.description(b"Trigger").is_some() {
                let pid = part.pid.as_deref().unwrap_or(&part.file);
                let (has_ended, last) = processes.entry(pid).or_insert((false, part));
                *has_ended |= is_end_of_program(part);
                *last = part;
            }
        }
        let open = processes.values().find(|(has_ended, _)| !has_ended);
        (processes.len(), open.map(|&(_, part)| part))
    });
    let Some(base) = ends.base else {
        return Ok(());
    };
    let (whole, open) = match (ends.new, base) {
        ((_, Some(open)), (1.., None)) => ("BASE", open),
        ((1.., None), (_, Some(open))) => ("NEW", open),
        _ => return Ok(()),
    };
    bail!("{}: no part for the end of the program, which {whole} has; {NOT_JUDGED}", place_of(open))
}

/// Checks that all files define an event as BASE's first definition does, or as the predefined one
/// if BASE has none.
fn check_definition(name: &[u8], files: &Sides<&[ReadFile]>) -> Result<()> {
    let definitions = |files: &'_ [ReadFile]| {
        let mut found = Vec::new();
        for file in files {
            for (line, defined, formula) in &file.warnings.definitions {
                if defined == name {
                    found.push((format!("{}:{line}", file.name), formula.clone()));
                }
            }
        }
        found
    };
    let of_base = files.base.map(definitions).unwrap_or_default();
    let of_new = definitions(files.new);
    let (at, holds) = match of_base.first() {
        Some((at, formula)) => (format!("in {at}"), Some(formula.clone())),
        None => ("by default".to_owned(), Events::predefined(name)),
    };
    let differs = |formula: &Formula| holds.as_ref().is_none_or(|holds| !holds.is_equal(formula));
    let mut all = of_base.iter().chain(&of_new);
    let Some((place, formula)) = all.find(|(_, formula)| differs(formula)) else {
        return Ok(());
    };
    let [name, own] = [name, &formula.to_bytes()[..]].map(display_name);
    Err(match holds {
        Some(holds) => {
            let holds = display_name(holds.to_bytes());
            anyhow!("{place}: event {name} = {own}, and {name} = {holds} {at}; {NOT_JUDGED}")
        }
        None => anyhow!("{place}: event {name} = {own}, which BASE does not define; {NOT_JUDGED}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_cargos_hash() {
        let table = [
            ("count-fad01ed4334679ae", "count"),
            ("my-bench-01b8715fc2b61cfd", "my-bench"),
            ("count", "count"),
            ("count-fad01ed4334679a", "count-fad01ed4334679a"),
            ("count-fad01ed4334679ag", "count-fad01ed4334679ag"),
            ("fad01ed4334679ae", "fad01ed4334679ae"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(without_hash(name.as_bytes()), expected.as_bytes(), "{name}");
        }
    }
}

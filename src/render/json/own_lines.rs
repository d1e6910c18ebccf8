//! The user's most expensive lines, as the first screen has them.

use std::io::{self, Write};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::reasons::SourceLine;
use super::value::{Cost, Maybe, Name, Number};
use super::writer::write_value;
use crate::render::Style;
use crate::render::screen::words::{ScreenWords, large_cache};
use crate::view::{self, CostlyLine, FirstScreen, Times};

/// One of your most expensive lines, with all that it calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct OwnLine<'a> {
    #[serde(flatten)]
    at: SourceLine<'a>,
    /// The function that most of its cost is in at this line.
    function: Name<'a>,
    /// What was executed at the line, inlined code included, and all calls made there, by shown
    /// event.
    inclusive: Vec<Number>,
    /// How often it was executed; null if that is not recorded.
    executions: Option<Number>,
    /// True if that is an estimate, as optimized code leaves it open.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    executions_estimated: Maybe<bool>,
    /// How often its function was called, also by itself, if executions are not recorded; null if
    /// that is not known either.
    calls: Option<Number>,
    /// Whether it leads to itself by recursion, so that the cost is not that of all executions.
    recursive: bool,
    /// Whether the first cost is an estimate, as the profile does not record how much of it is
    /// nested.
    estimated: bool,
    /// With `--below` or `--without` whether the cost is an estimate, divided by what callers paid.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    divided: Maybe<bool>,
    /// The part of the first cost that is of code from other files, whose lines are not recorded.
    unknown_lines: Number,
    /// The function that is called most often at the line, of those with a twentieth of its cost.
    most_called: Option<CalledFunction<'a>>,
    /// The function that has more than half of the cost; null if there is none.
    most_cost: Option<CostlyFunction<'a>>,
    /// The lines that are left out for it, the most expensive first: they have little other cost,
    /// and nothing else leads to it.
    leading: Vec<LeadingLine<'a>>,
    /// What its cost is, in the words of the first screen.
    notes: Vec<String>,
}

/// A line that is left out for one that it leads to.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct LeadingLine<'a> {
    #[serde(flatten)]
    at: SourceLine<'a>,
    /// With all calls, of the first event.
    inclusive: Number,
    estimated: bool,
}

/// A function that is called at a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct CalledFunction<'a> {
    name: Name<'a>,
    calls: Number,
    /// What all of these calls cost; null if some are recursive.
    cost: Option<Number>,
}

/// A function in which a line's cost is.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct CostlyFunction<'a> {
    name: Name<'a>,
    cost: Number,
    /// Whether it is inlined at the line.
    inlined: bool,
}

/// The line with most misses or mispredictions of a kind, if it has a quarter of them.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct LineOfMisses<'a> {
    event: Name<'a>,
    count: Number,
    at: SourceLine<'a>,
    /// The same in the words of the first screen.
    text: String,
    /// The lines that it was inlined into, innermost first, as long as one has nine tenths of what
    /// the line costs itself; or one that has more than half.
    from: Vec<SourceLine<'a>>,
}

/// What the program spent in `main` and outside it.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct StartUpCosts<'a> {
    /// Before `main`: in the dynamic linker, and in initialisers.
    before_main: Cost<'a>,
    /// The functions that cost most there, of those that are called by what leads to `main`.
    called_before: Vec<Name<'a>>,
    /// In `main` with all that it calls.
    main: Cost<'a>,
    /// After `main`: in `exit`.
    after_main: Cost<'a>,
    /// Where code begins that no function is recorded to call, such as threads and handlers of
    /// signals.
    apart: Cost<'a>,
    /// The functions at which that begins, the most expensive first.
    starts: Vec<Name<'a>>,
}

/// The system calls of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SystemCalls<'a> {
    count: Number,
    /// Whether there may be more: only calls of functions of the C library were counted.
    at_least: bool,
    /// The function that makes most of them, and how many.
    function: Name<'a>,
    of_function: Number,
    /// The lines that lead to it, innermost first.
    from: Vec<SourceLine<'a>>,
    /// The same in the words of the first screen.
    text: String,
}

impl<'a> OwnLine<'a> {
    /// None if they are not requested.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<OwnLine<'a>>> {
        let screen = report.screen?;
        // The first cost is that of the event that rows are sorted by.
        let shown = report.listed.style.shown.iter();
        let places: Vec<usize> = shown
            .filter_map(|event| screen.events.iter().position(|of_screen| of_screen == event))
            .collect();
        let words = report.words_of_screen()?;
        Some(screen.lines.iter().map(|line| OwnLine::of(line, &places, &words)).collect())
    }

    fn of(line: &'a CostlyLine, places: &[usize], words: &ScreenWords<'_>) -> OwnLine<'a> {
        let cost = |&place: &usize| Number(line.costs.get(place).copied().unwrap_or(0));
        let (executions, calls) = match line.times {
            Some(Times::Executed(of)) => (Some(Number(of.count)), None),
            Some(Times::Calls { count, .. }) => (None, Some(Number(count))),
            None => (None, None),
        };
        OwnLine {
            at: SourceLine::of(&line.at),
            function: Name(&line.function),
            inclusive: places.iter().map(cost).collect(),
            executions,
            executions_estimated: line
                .times
                .is_some_and(Times::is_estimated)
                .then_some(true)
                .into(),
            calls,
            recursive: line.is_nested,
            estimated: line.is_inexact,
            divided: words.is_part().then_some(line.is_divided).into(),
            unknown_lines: Number(line.elsewhere),
            most_called: line.most_called.as_ref().map(|called| CalledFunction {
                name: Name(&called.name),
                calls: Number(called.count),
                cost: called.cost.map(Number),
            }),
            most_cost: line.most_cost.as_ref().map(|costly| CostlyFunction {
                name: Name(&costly.name),
                cost: Number(costly.cost),
                inlined: costly.is_inlined,
            }),
            leading: line.leading.iter().map(LeadingLine::of).collect(),
            notes: words.notes(line).into_iter().chain(words.leading_note(line)).collect(),
        }
    }
}

impl<'a> LeadingLine<'a> {
    fn of(line: &'a view::LeadingLine) -> LeadingLine<'a> {
        LeadingLine {
            at: SourceLine::of(&line.at),
            inclusive: Number(line.cost),
            estimated: line.is_estimated,
        }
    }
}

impl<'a> LineOfMisses<'a> {
    /// None if lines are not requested.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<LineOfMisses<'a>>> {
        let events = report.listed.rows.profile.events();
        let words = report.words_of_screen()?;
        let of = |misses: &'a view::Misses| LineOfMisses {
            event: Name(events.name(misses.event)),
            count: Number(misses.count),
            at: SourceLine::of(&misses.at),
            text: words.misses(misses).trim_end().to_owned(),
            from: misses.from.iter().map(SourceLine::of).collect(),
        };
        Some(report.screen?.misses.iter().map(of).collect())
    }
}

impl<'a> SystemCalls<'a> {
    /// None if lines are not requested, or there are few system calls.
    pub(super) fn of(report: &'a JsonReport<'_, '_>) -> Option<SystemCalls<'a>> {
        let calls = report.screen?.system_calls.as_ref()?;
        Some(SystemCalls {
            count: Number(calls.count),
            at_least: calls.is_at_least,
            function: Name(&calls.function),
            of_function: Number(calls.of_function),
            from: calls.from.iter().map(SourceLine::of).collect(),
            text: report.words_of_screen()?.system_calls(calls),
        })
    }
}

impl<'a> StartUpCosts<'a> {
    /// None if lines are not requested, or nothing is recorded to call `main`.
    pub(super) fn of(report: &'a JsonReport<'_, '_>) -> Option<StartUpCosts<'a>> {
        let costs = report.main_costs?;
        let cost = |counts| Cost::new(report.listed.style.shown, counts);
        Some(StartUpCosts {
            before_main: cost(&costs.before),
            called_before: costs.called_before.iter().map(|name| Name(name)).collect(),
            main: cost(&costs.main),
            after_main: cost(&costs.after),
            apart: cost(&costs.apart),
            starts: costs.starts.iter().map(|name| Name(name)).collect(),
        })
    }
}

/// Your most expensive lines by an event, for the page.
#[derive(Serialize)]
struct LinesByEvent<'a> {
    /// The index of the event among the shown ones.
    event: usize,
    heading: String,
    /// With their costs of this event alone.
    lines: Vec<OwnLine<'a>>,
    /// What else is said of them, and of the event.
    notes: Vec<String>,
}

/// Writes the most expensive lines by other events than that of the rows' order, as a member.
pub fn write_json_lines_by_event(
    report: &JsonReport<'_, '_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let shown = report.listed.style.shown;
    let of_events = report.screen.map_or(&[][..], |screen| &screen.by_other_events);
    let all = of_events.iter().filter_map(|screen| {
        let event = shown.iter().position(|of| screen.events.first() == Some(of))?;
        let words = report.words_of(screen);
        let lines = screen.lines.iter().map(|line| OwnLine::of(line, &[0], &words)).collect();
        let heading = words.heading_or_reason();
        Some(LinesByEvent { event, heading, lines, notes: report.notes_of(screen) })
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return Ok(());
    }
    let mut text = b",\"lines_by_event\":".to_vec();
    write_value(&all, report.listed.style.unit, &mut text)?;
    out.write_all(&text)
}

impl<'a> JsonReport<'a, '_> {
    /// What a first screen says, with percentages, which are not columns here.
    fn words_of(&self, screen: &'a FirstScreen) -> ScreenWords<'a> {
        let unlimited = Style { width: None, percentages: true, ..self.listed.style };
        ScreenWords::new(screen, self.listed.rows.profile, unlimited)
    }

    fn words_of_screen(&self) -> Option<ScreenWords<'a>> {
        Some(self.words_of(self.screen?))
    }

    /// Whose lines they are, or why there are none; none if they are not requested.
    pub(super) fn heading_of_lines(&self) -> Option<String> {
        Some(self.words_of_screen()?.heading_or_reason())
    }

    /// What else the first screen says of the lines, but for the reason to record others.
    pub(super) fn notes_of_lines(&self) -> Option<Vec<String>> {
        Some(self.notes_of(self.screen?))
    }

    fn notes_of(&self, screen: &'a FirstScreen) -> Vec<String> {
        let words = self.words_of(screen);
        let all = screen.library_work.iter();
        let work = all.map(|work| words.library_work(work).trim_end().to_owned());
        let event = screen.events.first().copied().unwrap_or(0);
        let outside = self.outside_main.get(event).cloned().flatten();
        let all = work.chain(outside).chain(words.missing_source(usize::MAX));
        all.chain(self.cache_size.map(large_cache)).collect()
    }

    /// What the first screen says of each thread.
    pub(super) fn notes_of_threads(&self) -> Vec<Vec<String>> {
        let Some((words, screen)) = self.words_of_screen().zip(self.screen) else {
            return Vec::new();
        };
        screen.work_of_threads.iter().map(|of| words.work_of_thread(of)).collect()
    }

    /// Why other lines are worth recording; none if they are recorded.
    pub(super) fn reason_to_record(&self) -> Option<String> {
        let words = self.words_of_screen().filter(|_| self.record.is_some())?;
        Some(words.reason_to_record())
    }
}

//! The first screen of a profile: reads the debug information that it needs, and makes the commands
//! that it suggests.

use std::cell::OnceCell;
use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::Context;
use super::inlines::{CodeOfFunctions, UnknownLines};
use super::message::display_name;
use super::misses::events_of_misses;
use super::prepare::Prepared;
use crate::graph::CallGraph;
use crate::options::ScreenOptions;
use crate::profile::Count;
use crate::render::{self, AroundMain, FirstScreenPage, SuggestedCommand};
use crate::transform::InlinedObjects;
use crate::view::{
    FirstScreen, MainCosts, OutsideMain, RowId, ScreenInput, ScreenLine, cost_of_main, is_main,
};

/// The estimated cycles of each kind of miss.
const CYCLES: [(&[u8], i64); 3] = [(b"L1m", 10), (b"LLm", 100), (b"Bm", 10)];

/// The maximum number of commands that are suggested.
const MAX_HINTS: usize = 3;

/// A simulated last-level cache is mentioned if it is larger than that of most machines: 64 MB.
const MAX_CACHE: u64 = 64 << 20;

/// What a program spent before, after or apart from `main` is shown from this percentage of the
/// total on.
const MIN_OUTSIDE_PERCENT: f64 = 10.0;

/// The command that records the lines of inlined code is shown if that has more than this part of
/// the total: a tenth.
const MIN_UNKNOWN_PARTS: i128 = 10;

/// What a page has beside what JSON has.
pub(super) struct PageJson<'s> {
    /// The minimum cost of what it shows, in percent of the total.
    pub(super) min_percent: f64,
    pub(super) sources: Option<&'s CodeOfSources>,
}

/// What is inlined in the sources of a page. It is read together with what the page's lines need,
/// as most of it is of the same objects.
pub(super) struct CodeOfSources {
    /// By function whether it has code in the sources.
    is_wanted: Vec<bool>,
    read: OnceCell<CodeOfFunctions>,
}

impl CodeOfSources {
    pub(super) fn of_functions(is_wanted: Vec<bool>) -> CodeOfSources {
        CodeOfSources { is_wanted, read: OnceCell::new() }
    }
}

impl<'r> Context<'r> {
    /// What is inlined in the sources of a page.
    pub(super) fn code_of_page(&self, sources: CodeOfSources) -> CodeOfFunctions {
        let CodeOfSources { is_wanted, read } = sources;
        read.into_inner().unwrap_or_else(|| self.code_of_functions(&is_wanted))
    }

    /// The options of the first screen, if the report is one or begins with its lines.
    pub(super) fn first_screen(&self) -> Option<&'r ScreenOptions> {
        let options = self.options.report.screen();
        // Ratios have no lines; beside them a page for a browser has other events.
        let has_lines = self.ratios.is_empty() || self.options.is_for_browsers();
        options.filter(|_| self.input.sources.is_empty() && has_lines)
    }

    pub(super) fn write_first_screen(
        &self,
        options: &ScreenOptions,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let report = &prepared.report;
        let Some(screen) = self.screen_of(options, prepared, &report.list.items, None) else {
            return Ok(());
        };
        if screen.no_lines.is_none() {
            self.notes_on_code().into_iter().for_each(|note| self.messages.note(note));
        }
        let page = FirstScreenPage {
            report,
            screen: &screen,
            has_list: options.has_list,
            cache_size: self.large_cache(&screen.events),
            outside_main: prepared.graphs.and_then(|graphs| {
                self.outside_main(&graphs.sides.new, &[self.event()]).pop().flatten()
            }),
            record: self.command_for(&screen),
            next: self.next_commands(options, &screen),
            each: self.command_of_each(options),
        };
        Ok(render::write_first_screen(&page, out)?)
    }

    /// The parts of what the program spent outside `main` that have a tenth of the total or more,
    /// by event.
    pub(super) fn outside_main(
        &self,
        graph: &CallGraph<'_>,
        events: &[usize],
    ) -> Vec<Option<String>> {
        let around = self.outside_and_main(graph);
        let line = |&event: &usize| {
            let (outside, below) = around.as_ref()?;
            let around = AroundMain {
                outside,
                all: self.total.reference[event],
                below: below[event],
                is_estimated: false,
                min_percent: MIN_OUTSIDE_PERCENT,
            };
            around.line(event, self.input.scale.factors.is_none(), self.style())
        };
        events.iter().map(line).collect()
    }

    /// What the program spent outside `main`, and in it with all that it calls.
    fn outside_and_main(&self, graph: &CallGraph<'_>) -> Option<(OutsideMain, Vec<Count>)> {
        let (profile, input) = (self.profile, &self.options.input);
        let is_whole = input.kept.is_empty() && input.charged.is_empty() && self.series.is_none();
        let mains: Vec<bool> = profile.functions().map(|(id, _)| is_main(profile, id)).collect();
        let outside = is_whole.then(|| OutsideMain::new(graph, &mains))??;
        Some((outside, cost_of_main(graph, &mains)))
    }

    /// The same with what was spent before `main`.
    pub(super) fn main_costs(&self, graph: &CallGraph<'_>) -> Option<MainCosts> {
        let (outside, main) = self.outside_and_main(graph)?;
        outside.with_main(main, &self.total.reference)
    }

    /// The command that records the lines of inlined code, if much is in such code.
    pub(super) fn command_for(&self, screen: &FirstScreen) -> Option<SuggestedCommand> {
        self.command_to_record().filter(|_| self.has_much_unknown(screen))
    }

    /// The user's most expensive lines, on a page also by other events, and the costliest line of
    /// each of the `listed` rows.
    pub(super) fn screen_of(
        &self,
        options: &ScreenOptions,
        prepared: &Prepared<'_, 'r>,
        listed: &[RowId],
        page: Option<&PageJson<'_>>,
    ) -> Option<FirstScreen> {
        let profile = self.profile;
        let graphs = prepared.graphs?;
        let reads_inlines = options.reads_inlines && profile.sides().new.has_addresses;
        let look_up = |is_wanted: &[bool]| {
            let sources = page.and_then(|page| page.sources);
            reads_inlines.then(|| self.inlined_code(is_wanted, sources))
        };
        let events = profile.events();
        let first = self.event();
        let of_misses = events_of_misses(self.options, events);
        let is_of_lines =
            |event: usize| of_misses.is_empty() || of_misses.contains(&events.name(event));
        let shown = self.selection.shown.iter().copied().filter(|&event| is_of_lines(event));
        let others = shown.filter(|&event| event != first);
        let shown: Vec<usize> = std::iter::once(first).chain(others).collect();
        // The page has the lines of the event that its reader chooses.
        let other_events: Vec<usize> = match page {
            Some(_) => self.selection.shown.iter().copied().filter(|&of| of != first).collect(),
            None => Vec::new(),
        };
        let misses = CYCLES.iter().filter_map(|&(name, cycles)| {
            let event = events.find(name)?;
            shown.contains(&event).then_some((event, cycles))
        });
        let input = ScreenInput {
            graph: &graphs.sides.new,
            rows: &prepared.report.rows,
            listed,
            look_up: &look_up,
            finder: &self.input.finder,
            shows_texts: self.options.shows_texts(),
            events: &shown,
            other_events: &other_events,
            total: self.total.reference.iter().map(|count| count.or_zero()).collect(),
            misses: misses.collect(),
            demangles: self.options.rows.demangles,
        };
        Some(FirstScreen::new(&input))
    }

    /// The size of the simulated last-level cache, if it is larger than usual and its misses are
    /// shown.
    pub(super) fn large_cache(&self, shown: &[usize]) -> Option<u64> {
        let misses = self.profile.events().find(b"LLm")?;
        let description = self.profile.parts().first()?.description(b"LL cache")?;
        let digits: Vec<u8> = description.iter().copied().take_while(u8::is_ascii_digit).collect();
        let size: u64 = str::from_utf8(&digits).ok()?.parse().ok()?;
        (shown.contains(&misses) && size > MAX_CACHE).then_some(size)
    }

    /// The inlined code of the objects that have some of these functions; warns of each object
    /// whose debug information cannot be used.
    fn inlined_code(&self, is_wanted: &[bool], sources: Option<&CodeOfSources>) -> InlinedObjects {
        let code = match sources {
            Some(CodeOfSources { is_wanted: of_sources, read }) => {
                let [code, of_sources] = self.code_of_parts([is_wanted, of_sources]);
                let _ = read.set(of_sources);
                code
            }
            None => self.code_of_functions(is_wanted),
        };
        for unknown in code.unknown {
            if let UnknownLines::OfObject { object, why: Some(why) } = unknown {
                let object = display_name(&object);
                let text = format!("{object}: {why}; the lines of inlined code are unknown");
                self.messages.warn(text);
            }
        }
        code.objects.new
    }

    /// Whether a cost is more than a tenth of the total.
    pub(super) fn is_much(&self, cost: i128) -> bool {
        let total = i128::from(self.total.reference[self.event()].or_zero());
        cost * MIN_UNKNOWN_PARTS > total
    }

    /// Whether so much of the cost is in inlined code whose lines are unknown that the command that
    /// records them is shown.
    fn has_much_unknown(&self, screen: &FirstScreen) -> bool {
        self.is_much(i128::from(screen.unknown.max(screen.largest_elsewhere())))
    }

    /// The commands that show the lines of the screen in their sources, the most important first.
    fn next_commands(
        &self,
        options: &ScreenOptions,
        screen: &FirstScreen,
    ) -> Vec<SuggestedCommand> {
        let mut lines = screen.lines.iter().map(|line| &line.at);
        let first = lines.next();
        let misses = screen.misses.iter().map(|misses| &misses.at);
        let system_calls = screen.system_calls.iter().flat_map(|calls| calls.from.first());
        let known: Vec<&ScreenLine> = lines.clone().chain(first).collect();
        let work = screen.library_work.iter().filter_map(|work| work.shown_line(&known));
        let mut shown: Vec<&ScreenLine> = Vec::new();
        let sentences = misses.chain(system_calls).chain(work);
        let all = first.into_iter().chain(sentences).chain(lines);
        for line in all {
            let is_known = shown.iter().any(|of| (&of.file, of.line) == (&line.file, line.line));
            // A source may be older than the profile, and end before the line.
            if shown.len() < MAX_HINTS && !is_known && line.text.is_some() {
                shown.push(line);
            }
        }
        let mut commands = self.commands_of_lines(options, shown);
        commands.extend(self.command_of_gprof());
        commands
    }

    /// The command that has a row for each process, thread or part, and what these are.
    fn command_of_each(&self, options: &ScreenOptions) -> Option<(&'static str, SuggestedCommand)> {
        let (each, option) = self.division()?;
        Some((each, self.command_again(option, options)?))
    }

    /// The command that prints gprof's own views, if the profile is gprof's data.
    fn command_of_gprof(&self) -> Option<SuggestedCommand> {
        let files = &self.options.input.files;
        let is_again_there = !files.is_empty() && files.iter().all(|file| file != Path::new("-"));
        let is_shown = self.input.is_sampled && !self.profile.is_difference() && is_again_there;
        let command = SuggestedCommand::new("cgannotate gprof");
        is_shown.then(|| files.iter().fold(command, |command, file| command.file(file)))
    }
}

//! The first screen: the user's most expensive lines with all that they call, the costliest line of
//! each listed function, where most misses are, and system calls. Costs are those of the profile's
//! tables; nothing here is a text but names and source lines.

mod below;
mod code;
mod files;
mod items;
mod leads;
mod library_work;
mod lines;
mod misses;
mod no_lines;
mod spent;
mod system_calls;
mod texts;
pub(in crate::view) mod ways;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use self::below::{Executions, LineCallee, most_called, most_cost};
use self::code::{Code, FileLine, Frame};
use self::files::Files;
use self::items::Items;
use self::library_work::{Work, WorkOfLine, library_work, work_of_threads};
use self::lines::{LineCosts, OwnLine, own_lines};
use self::spent::Spent;
use self::system_calls::system_calls;
use crate::demangle::displayed;
use crate::graph::CallGraph;
use crate::profile::{FunctionId, Profile};
use crate::source::{Finder, is_no_file};
use crate::transform::InlinedObjects;
use crate::view::label::RowId;
use crate::view::row_costs::is_inexact;
use crate::view::rows::Rows;
use crate::view::short_name::short_function;

pub use self::below::Times;
pub use self::code::first_lines;
pub use self::files::OwnSources;
pub use self::library_work::LibraryWork;
pub use self::misses::Misses;
pub use self::no_lines::NoLines;
pub(in crate::view) use self::texts::in_single_blanks;

/// The maximum number of lines.
const MAX_LINES: usize = 5;
/// What the screen is made of.
pub struct ScreenInput<'p> {
    pub graph: &'p CallGraph<'p>,
    pub rows: &'p Rows<'p>,
    /// The listed rows.
    pub listed: &'p [RowId],
    /// Reads the debug information of the objects that have some functions, given by whether each
    /// is wanted.
    pub look_up: &'p dyn Fn(&[bool]) -> Option<InlinedObjects>,
    pub finder: &'p Finder,
    /// Whether lines have the texts that are found.
    pub shows_texts: bool,
    /// The event that rows are sorted by, then the others that are shown.
    pub events: &'p [usize],
    /// The events by which the most expensive lines are wanted, too.
    pub other_events: &'p [usize],
    /// By event of the profile, the cost that is 100%.
    pub total: Vec<i64>,
    /// The events whose misses are shown, and how many cycles one is estimated to take.
    pub misses: Vec<(usize, i64)>,
    pub demangles: bool,
}

/// A source line with its text, if the source is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenLine {
    pub file: Vec<u8>,
    pub line: u32,
    /// Trimmed, with single blanks.
    pub text: Option<Vec<u8>>,
}

/// One of the user's most expensive lines.
#[derive(Debug)]
pub struct CostlyLine {
    pub at: ScreenLine,
    /// The function that most of the cost is in at this line.
    pub function: Vec<u8>,
    /// With all calls, by event of [`FirstScreen::events`].
    pub costs: Vec<i64>,
    /// The part of the first cost that is of code from other files, whose lines are not recorded.
    pub elsewhere: i64,
    pub times: Option<Times>,
    /// The name of the line's function, and its first line, as far as it is known.
    definition: (Vec<u8>, u32),
    /// Whether the line leads to itself by recursion, so that its cost is not that of all
    /// executions.
    pub is_nested: bool,
    /// Whether the cost is an estimate, because a function of it was divided.
    pub is_divided: bool,
    /// Whether the cost is an estimate, because the line is executed in recursion.
    pub is_inexact: bool,
    pub most_called: Option<CalledFunction>,
    pub most_cost: Option<CostlyFunction>,
    /// The lines that are left out for this one, to which nothing else leads, the most expensive
    /// first.
    pub leading: Vec<LeadingLine>,
}

impl CostlyLine {
    /// Whether the cost is an estimate.
    pub fn is_estimated(&self) -> bool {
        self.is_divided || self.is_inexact
    }
}

/// A line that leads to another one.
#[derive(Debug)]
pub struct LeadingLine {
    pub at: ScreenLine,
    /// With all calls.
    pub cost: i64,
    pub is_estimated: bool,
}

/// The function that is called most often at a line.
#[derive(Debug)]
pub struct CalledFunction {
    pub name: Vec<u8>,
    pub count: i64,
    /// What all of these calls cost; none if some are recursive.
    pub cost: Option<i64>,
}

/// The function that most of a line's cost is in.
#[derive(Debug)]
pub struct CostlyFunction {
    pub name: Vec<u8>,
    pub cost: i64,
    pub is_inlined: bool,
    /// Whether it is the one that is called most often.
    pub is_most_called: bool,
}

/// The system calls of the program.
#[derive(Debug)]
pub struct ScreenSystemCalls {
    pub count: i64,
    /// Whether there may be more: only calls of functions of the C library were counted.
    pub is_at_least: bool,
    /// The function that makes most of them, and how many.
    pub function: Vec<u8>,
    pub of_function: i64,
    /// The lines that lead to it, innermost first.
    pub from: Vec<ScreenLine>,
}

/// What the program spends in functions of the C and C++ libraries that do one kind of work.
#[derive(Debug)]
pub struct ScreenWork {
    pub kind: LibraryWork,
    pub cost: i64,
    /// None if their number is not known.
    pub calls: Option<i64>,
    /// The functions that most of the cost is in, the most expensive first.
    pub functions: Vec<Vec<u8>>,
    pub line: Option<ScreenWorkOfLine>,
}

/// What a thread costs, and the work of libraries that is much of that.
#[derive(Debug)]
pub struct ThreadWork {
    pub total: i64,
    pub works: Vec<ScreenWork>,
}

/// The work that is for one line.
#[derive(Debug)]
pub struct ScreenWorkOfLine {
    /// The part of the cost, and whether that is an estimate.
    pub cost: i64,
    pub is_estimated: bool,
    /// The function that it is for, if its lines are not recorded.
    pub unknown_in: Option<Vec<u8>>,
    /// The line, and those that lead to it.
    pub from: Vec<ScreenLine>,
    pub repeated: Option<ScreenRepeated>,
}

/// The calls that a line makes each time that its function is called.
#[derive(Debug)]
pub struct ScreenRepeated {
    pub each: i64,
    pub function: Vec<u8>,
    /// The line that most of the function's cost is for.
    pub from: Option<ScreenLine>,
}

impl ScreenWork {
    /// The line to look at if half of the work is for one: where a function that repeats the calls
    /// is called, or else the first one that is not among some `known` lines.
    pub fn shown_line<'a>(&'a self, known: &[&ScreenLine]) -> Option<&'a ScreenLine> {
        let line = self.line.as_ref().filter(|line| line.cost >= self.cost / 2)?;
        match &line.repeated {
            Some(repeated) => repeated.from.as_ref(),
            None => line.from.iter().find(|line| !known.contains(line)),
        }
    }
}

/// What the first screen has beside its list.
#[derive(Debug)]
pub struct FirstScreen {
    pub events: Vec<usize>,
    pub own: OwnSources,
    pub lines: Vec<CostlyLine>,
    pub no_lines: Option<NoLines>,
    /// By listed row its costliest line.
    pub costliest: Vec<Option<ScreenLine>>,
    pub misses: Vec<Misses>,
    pub system_calls: Option<ScreenSystemCalls>,
    pub library_work: Vec<ScreenWork>,
    /// By thread, if code is apart by it.
    pub work_of_threads: Vec<ThreadWork>,
    /// The self cost of the user's own functions that is of code from other files, whose lines are
    /// not recorded.
    pub unknown: i64,
    /// A source of one of the lines that is not found.
    pub missing_source: Option<Vec<u8>>,
    /// The same by other events, but for what does not depend on the event.
    pub by_other_events: Vec<FirstScreen>,
}

impl FirstScreen {
    pub fn new(input: &ScreenInput<'_>) -> FirstScreen {
        let event = input.events.first().copied().unwrap_or(0);
        let profile = input.graph.profile;
        let files = Files::new(profile, input.finder);
        let mut is_wanted = vec![false; profile.function_count()];
        for fragment in profile.fragments() {
            is_wanted[fragment.function.index()] |= files.is_own(fragment.file.0);
        }
        let inlined = (input.look_up)(&is_wanted);
        let code = Code::new(profile, files, inlined.as_ref());
        let items = Items::new(input.graph);
        let mut executions = Executions::new(&items);
        let maker = ScreenMaker { input, spent: Spent { code: &code, items: &items, event } };
        let mut screen = FirstScreen {
            costliest: maker.costliest(),
            misses: maker.misses(),
            system_calls: maker.system_calls(),
            library_work: maker.library_work(),
            work_of_threads: maker.work_of_threads(),
            unknown: maker.unknown(),
            ..maker.lines(input.events.to_vec(), &mut executions)
        };
        let others = input.events.get(1..).unwrap_or_default();
        for &event in input.other_events {
            let maker = ScreenMaker { input, spent: Spent { code: &code, items: &items, event } };
            let rest = others.iter().copied().filter(|&other| other != event);
            let events = std::iter::once(event).chain(rest).collect();
            let lines = maker.lines(events, &mut executions);
            let library_work = maker.library_work();
            screen.by_other_events.push(FirstScreen { library_work, ..lines });
        }
        if !input.shows_texts {
            return screen;
        }
        screen.read_texts(input.finder);
        let FirstScreen { by_other_events, .. } = &mut screen;
        by_other_events.iter_mut().for_each(|of| of.judge_by_sources(input.finder));
        screen.judge_by_sources(input.finder);
        screen
    }

    /// The largest cost of a line that is of code from other files, with its calls.
    pub fn largest_elsewhere(&self) -> i64 {
        self.lines.iter().map(|line| line.elsewhere).max().unwrap_or(0)
    }
}

struct ScreenMaker<'a, 'p> {
    input: &'a ScreenInput<'p>,
    spent: Spent<'a, 'p>,
}

impl<'p> ScreenMaker<'_, 'p> {
    fn profile(&self) -> &'p Profile {
        self.spent.items.profile
    }

    fn screen_line(&self, line: FileLine) -> ScreenLine {
        ScreenLine { file: self.spent.code.files.name(line.0).to_vec(), line: line.1, text: None }
    }

    fn short_name(&self, name: &[u8]) -> Vec<u8> {
        let name: Cow<'_, [u8]> = displayed(name, self.input.demangles);
        short_function(&name, self.profile().name_kind()).into_owned()
    }

    fn name_of(&self, callee: LineCallee) -> Vec<u8> {
        match callee {
            LineCallee::Called(function) => {
                let name = self.profile().name(self.profile().function(function).name);
                self.short_name(self.profile().name_kind().without_suffixes(name))
            }
            LineCallee::Inlined(number) => {
                self.short_name(self.spent.code.inlined_names[number as usize])
            }
        }
    }

    /// The most expensive lines by the first of these events, with their costs of all of them;
    /// nothing else.
    fn lines(&self, events: Vec<usize>, executions: &mut Executions<'_>) -> FirstScreen {
        let Spent { event, code, items } = self.spent;
        let is_negative = self.profile().negative_events().get(event) == Some(&true);
        let mut own = Vec::new();
        if !is_negative {
            own = own_lines(self.spent, self.input.total[event], MAX_LINES, |line| {
                executions.at_least(line, code, items, event)
            });
        }
        let lines: Vec<CostlyLine> =
            own.iter().map(|line| self.costly_line(line, &events, executions)).collect();
        FirstScreen {
            own: code.files.own,
            no_lines: if is_negative {
                Some(NoLines::NegativeCosts)
            } else {
                lines.is_empty().then(|| self.no_lines())
            },
            events,
            lines,
            costliest: Vec::new(),
            misses: Vec::new(),
            system_calls: None,
            library_work: Vec::new(),
            work_of_threads: Vec::new(),
            unknown: 0,
            missing_source: None,
            by_other_events: Vec::new(),
        }
    }

    fn costly_line(
        &self,
        line: &OwnLine,
        events: &[usize],
        executions: &mut Executions<'_>,
    ) -> CostlyLine {
        let (function, elsewhere) = self.most_of(line);
        let costs = line.costs(self.spent.items);
        let of_events =
            events.iter().map(|&event| costs.shown[event].or_zero().min(self.input.total[event]));
        let functions = line.at.iter().map(|at| self.spent.items.function(at.item));
        let of = functions.min();
        let definition = of.map_or((Vec::new(), 0), |of| {
            (self.name_of(LineCallee::Called(of)), self.spent.code.first_line(of))
        });
        let called = most_called(line, self.spent.items, self.spent.event);
        let costly = most_cost(line, self.spent.code, self.spent.items, self.spent.event);
        CostlyLine {
            at: self.screen_line(line.line),
            function: function.map_or_else(Vec::new, |function| self.name_of(function)),
            costs: of_events.collect(),
            elsewhere,
            times: executions.times(line, self.spent.code, self.spent.items),
            definition,
            is_nested: line.is_nested,
            is_divided: self.is_divided(line),
            is_inexact: self.is_inexact(&costs),
            most_cost: costly.map(|costly| CostlyFunction {
                name: self.name_of(costly.callee),
                cost: costly.cost,
                is_inlined: matches!(costly.callee, LineCallee::Inlined(_)),
                is_most_called: called
                    .as_ref()
                    .is_some_and(|called| LineCallee::Called(called.callee) == costly.callee),
            }),
            most_called: called.map(|called| CalledFunction {
                name: self.name_of(LineCallee::Called(called.callee)),
                count: called.count,
                cost: called.cost,
            }),
            leading: line.leading.iter().map(|line| self.leading_line(line)).collect(),
        }
    }

    fn leading_line(&self, line: &OwnLine) -> LeadingLine {
        LeadingLine {
            at: self.screen_line(line.line),
            cost: line.cost,
            is_estimated: self.is_divided(line) || self.is_inexact(&line.costs(self.spent.items)),
        }
    }

    fn is_divided(&self, line: &OwnLine) -> bool {
        let mut counted = line.at.iter().filter(|at| at.is_counted);
        counted.any(|at| self.spent.items.is_divided(at.item))
    }

    fn is_inexact(&self, costs: &LineCosts) -> bool {
        let event = self.spent.event;
        let [least, most] = [&costs.least, &costs.most].map(|of| i128::from(of[event].or_zero()));
        is_inexact(least, most, self.input.total[event].into())
    }

    /// The function that most of a line's cost is in, and the part of the cost that is of code from
    /// other files.
    fn most_of(&self, line: &OwnLine) -> (Option<LineCallee>, i64) {
        let mut of_functions: BTreeMap<LineCallee, i64> = BTreeMap::new();
        let mut elsewhere: i64 = 0;
        let mut frames = Vec::new();
        for at in line.at.iter().filter(|at| at.is_counted) {
            let cost = self.spent.cost(at.item);
            self.spent.frames(at.item, &mut frames);
            let frame = frames[at.position];
            let of = self.spent.items.first_context(self.spent.items.function(at.item));
            let called = LineCallee::Called(of);
            let function = frame.inlined.map_or(called, LineCallee::Inlined);
            *of_functions.entry(function).or_default() += cost;
            if !frame.is_known {
                elsewhere = elsewhere.saturating_add(cost);
            }
        }
        let most = of_functions.into_iter().max_by_key(|&(of, cost)| (cost, Reverse(of)));
        (most.map(|(function, _)| function), elsewhere)
    }

    /// The costliest line of each listed row: that of its code with the calls made there.
    fn costliest(&self) -> Vec<Option<ScreenLine>> {
        let numbers: HashMap<RowId, usize> =
            self.input.listed.iter().enumerate().map(|(at, &row)| (row, at)).collect();
        let mut costs: Vec<HashMap<FileLine, i64>> = vec![HashMap::new(); numbers.len()];
        let mut frames: Vec<Frame> = Vec::new();
        let functions = self.profile().functions().filter_map(|(function, _)| {
            let row = self.input.rows.of_function(function);
            Some((function, *numbers.get(&row)?))
        });
        let items = functions.flat_map(|(function, number)| {
            self.spent.items.of(function).map(move |item| (item, number))
        });
        for (item, number) in items.filter(|&(item, _)| !self.spent.items.is_inner(item)) {
            self.spent.frames(item, &mut frames);
            let is_known = |frame: &&Frame| !is_no_file(self.spent.code.files.name(frame.line.0));
            if let Some(frame) = frames.first().filter(is_known) {
                let cost = costs[number].entry(frame.line).or_default();
                *cost = cost.saturating_add(self.spent.cost(item));
            }
        }
        let of_row = |costs: HashMap<FileLine, i64>| {
            let known = costs.into_iter().filter(|&((_, line), cost)| line > 0 && cost != 0);
            let most = known.max_by_key(|&(line, cost)| (cost.unsigned_abs(), Reverse(line)));
            most.map(|(line, _)| self.screen_line(line))
        };
        costs.into_iter().map(of_row).collect()
    }

    /// The self cost of the user's own functions in code from other files.
    fn unknown(&self) -> i64 {
        let mut sum: i64 = 0;
        let mut frames = Vec::new();
        let profile = self.profile();
        let is_elsewhere: Vec<bool> = profile
            .fragments()
            .iter()
            .map(|fragment| {
                let home = profile.function(fragment.function).file;
                fragment.file != home && self.spent.code.files.is_own(home.0)
            })
            .collect();
        let places = self
            .spent
            .items
            .places()
            .filter(|&item| is_elsewhere[self.spent.items.place(item).fragment.index()]);
        for item in places {
            self.spent.own_frames(item, &mut frames);
            if frames.first().is_some_and(|frame| frame.is_own && !frame.is_known) {
                sum = sum.saturating_add(self.spent.cost(item));
            }
        }
        sum
    }

    fn system_calls(&self) -> Option<ScreenSystemCalls> {
        let found = system_calls(self.spent)?;
        let (function, of_function) = found.most;
        Some(ScreenSystemCalls {
            count: found.count,
            is_at_least: found.is_at_least,
            function: self.name_of(LineCallee::Called(function)),
            of_function,
            from: found.from.into_iter().map(|line| self.screen_line(line)).collect(),
        })
    }

    fn library_work(&self) -> Vec<ScreenWork> {
        if self.profile().negative_events().get(self.spent.event) == Some(&true) {
            return Vec::new();
        }
        let total = self.input.total[self.spent.event];
        let found = library_work(self.spent, total);
        found.into_iter().map(|work| self.screen_work(work)).collect()
    }

    fn work_of_threads(&self) -> Vec<ThreadWork> {
        if self.profile().negative_events().get(self.spent.event) == Some(&true) {
            return Vec::new();
        }
        let found = work_of_threads(self.spent).into_iter();
        let threads = found.map(|of| ThreadWork {
            total: of.total,
            works: of.works.into_iter().map(|work| self.screen_work(work)).collect(),
        });
        threads.collect()
    }

    fn screen_work(&self, work: Work) -> ScreenWork {
        let name = |function: FunctionId| self.name_of(LineCallee::Called(function));
        let of_line = |of: WorkOfLine| ScreenWorkOfLine {
            cost: of.cost,
            is_estimated: of.is_estimated,
            unknown_in: of.unknown_in.map(name),
            from: of.from.into_iter().map(|line| self.screen_line(line)).collect(),
            repeated: of.repeated.map(|repeated| ScreenRepeated {
                each: repeated.each,
                function: name(repeated.of),
                from: repeated.from.map(|line| self.screen_line(line)),
            }),
        };
        ScreenWork {
            kind: work.kind,
            cost: work.cost,
            calls: work.calls,
            functions: work.most.into_iter().map(name).collect(),
            line: work.line.map(of_line),
        }
    }
}

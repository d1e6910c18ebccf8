//! Why rows of a difference changed: by more calls or by more expensive ones, from which callers,
//! and by which changed lines. What is not known is left out: a function has no changed line only
//! if the texts of all of its code are known. Nothing here is a text but names and source lines.

mod aligned;
mod callers;
mod code;
mod elsewhere;
mod inlined;
mod line_costs;

use std::collections::{BTreeMap, HashSet};

use self::aligned::AlignedFiles;
use self::callers::{Link, callers, cost_callers};
use self::code::{changed_places, code_of, part_of_other};
use self::elsewhere::{TextsOfNames, changed_and_executed, changed_declarations};
pub use self::inlined::InlinedOfSides;
use self::line_costs::{CostsOfLines, unchanged_lines};
use crate::graph::{CallGraph, Groups};
use crate::profile::{FileId, Measured, Profile, Sides};
use crate::source::{TextsOfSides, is_of_system};
use crate::view::charged::is_std_object;
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::short_name::short_function;

/// The maximum number of rows with reasons.
const MAX_REASONS: usize = 3;

/// The maximum number of rows among which those with reasons are chosen.
const MAX_CANDIDATES: usize = 10;

/// A row that is explained comes before a larger one if its change is at least this part of the
/// largest: a tenth.
const CHANGED_CODE_PARTS: u64 = 10;

/// The maximum number of changed places of a program.
const MAX_PLACES: usize = 3;

/// Changes below this part of the total's change are not explained: a hundredth.
const SMALL_PARTS: i128 = 100;

/// What reasons are found in.
pub struct WhyInput<'p> {
    pub rows: &'p Rows<'p>,
    pub graphs: &'p Sides<CallGraph<'p>>,
    /// The listed rows.
    pub listed: &'p [RowId],
    pub event: usize,
    /// NEW's total minus BASE's.
    pub change: i64,
    /// What is known of the texts of a file.
    pub texts: &'p dyn Fn(FileId) -> TextsOfSides,
    /// The same of headers, by their names in NEW and in BASE.
    pub texts_of_names: &'p TextsOfNames<'p>,
    /// What is inlined on both sides.
    pub inlined: &'p InlinedOfSides<'p>,
    /// Whether folders were given in which BASE's texts are searched.
    pub has_base_folders: bool,
}

/// Why the rows with the largest changes changed.
#[derive(Debug)]
pub struct Why {
    pub event: usize,
    pub reasons: Vec<Reason>,
    /// The changed places with the largest changes of cost, calls included.
    pub places: Vec<ChangedPlace>,
    /// The change of all changed lines, if there are any and none has a hundredth of the total's
    /// change.
    pub small_changes: Option<i64>,
    /// Whether these changes lack the cost of what is inlined at some of the lines.
    pub lacks_inlined: bool,
    /// The lines that did not change with the largest changes of cost, calls included.
    pub unchanged: Vec<LineWithChange>,
    /// Changed lines that were executed and that no reason names, if no changed line explains some
    /// reason that goes the way of the total.
    pub executed: OtherPlaces,
    /// Changed constants, types and macros, if no changed line explains some reason.
    pub declarations: OtherPlaces,
    /// A source whose text of BASE is not known, if a row has code in it.
    pub missing: Option<Vec<u8>>,
    /// Whether folders were given in which BASE's texts are searched.
    pub has_base_folders: bool,
}

/// Why the self cost of a row changed.
#[derive(Debug)]
pub struct Reason {
    pub row: RowId,
    pub name: Vec<u8>,
    /// The self cost.
    pub cost: BaseAndNew,
    /// The calls by others; none if they are not recorded.
    pub calls: Option<BaseAndNew>,
    /// The calls by itself.
    pub recursive: BaseAndNew,
    /// What adds up to the change; none if a side has no calls.
    pub parts: Option<Parts>,
    /// Where most of the additional or missing calls come from: the caller, its caller, and so on.
    pub callers: Vec<CallerChange>,
    /// The changed code of the last of these callers.
    pub callers_code: Option<ChangedCode>,
    /// Of a function of the C library whose calls cost more or less: the caller whose calls
    /// did, its caller, and so on up to the program's own code.
    pub cost_callers: Vec<CallerChange>,
    /// The changed code of the last of these callers.
    pub cost_code: Option<ChangedCode>,
    /// The changed code of the row itself, if its calls cost more or less.
    pub code: Option<ChangedCode>,
    /// Of a row that only one side has, the one that has its lines on the other.
    pub part_of: Option<PartOfOther>,
}

impl Reason {
    /// Whether anything is known.
    fn is_known(&self) -> bool {
        let has_calls = self.calls.is_some_and(|calls| calls.base != 0 || calls.new != 0);
        has_calls || self.code.is_some() || self.part_of.is_some()
    }

    /// Whether it calls itself more or less often each time that others call it, by a tenth at
    /// least.
    pub fn has_other_recursion(&self) -> bool {
        let Some(calls) = self.calls else {
            return false;
        };
        let after = i128::from(self.recursive.new) * i128::from(calls.base);
        let as_before = i128::from(self.recursive.base) * i128::from(calls.new);
        after != as_before && (after - as_before).abs().saturating_mul(10) >= as_before
    }

    /// The changed code of the row and of its callers.
    pub fn codes(&self) -> impl Iterator<Item = &ChangedCode> {
        [&self.callers_code, &self.cost_code, &self.code].into_iter().flatten()
    }

    /// Whether some changed line explains it.
    fn has_changed_lines(&self) -> bool {
        self.codes().any(|code| !code.places().is_empty())
    }

    /// Gives the changed lines of callers the change of all that they cost.
    fn set_changes_of_callers(&mut self, all: &[ChangedPlace]) {
        for code in [&mut self.callers_code, &mut self.cost_code].into_iter().flatten() {
            if let ChangedCode::Places { places, .. } = code {
                for place in places {
                    let mut same = all
                        .iter()
                        .filter(|of| (&of.removed, &of.added) == (&place.removed, &place.added));
                    if let Some(of_lines) = same.next() {
                        place.change = of_lines.change;
                        place.lacks_inlined = of_lines.lacks_inlined;
                    }
                }
            }
        }
    }

    fn rank(&self) -> Rank {
        let is_unchanged = matches!(self.code, Some(ChangedCode::Unchanged { .. }));
        if self.has_changed_lines() {
            Rank::ChangedLines
        } else if is_unchanged && self.callers.is_empty() && self.part_of.is_none() {
            Rank::SameLines
        } else {
            Rank::Other
        }
    }
}

/// Whether a row became cheaper in a program that costs more, or the other way round.
fn is_against(change: i64, of_total: i64) -> bool {
    change.signum() * of_total.signum() < 0
}

/// What explains a row. Rows that changed lines explain come first: how a program is compiled
/// changes many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    ChangedLines,
    /// Other calls, or nothing that is known.
    Other,
    /// Its own code costs more or less, though all lines are the same; or it is small beside the
    /// largest row.
    SameLines,
    /// It does not explain the change of the total, which goes the other way.
    AgainstTotal,
}

/// A count in BASE and in NEW.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseAndNew {
    pub base: i64,
    pub new: i64,
}

impl BaseAndNew {
    pub fn change(self) -> i64 {
        self.new.saturating_sub(self.base)
    }

    /// The same without the other side.
    fn only(self, is_base: bool) -> BaseAndNew {
        if is_base {
            BaseAndNew { base: self.base, new: 0 }
        } else {
            BaseAndNew { base: 0, new: self.new }
        }
    }

    fn add(&mut self, other: BaseAndNew) {
        self.base = self.base.saturating_add(other.base);
        self.new = self.new.saturating_add(other.new);
    }
}

fn is_known_file(name: &[u8]) -> bool {
    !matches!(name, b"" | b"???")
}

/// The parts of a change, which add up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The additional calls, each at the cost of one before.
    pub by_calls: i64,
    /// The rest: the calls after, each by what it costs more.
    pub by_cost: i64,
}

impl Parts {
    /// None if there were no calls before or are none after.
    pub fn of(cost: BaseAndNew, calls: BaseAndNew) -> Option<Parts> {
        if calls.base <= 0 || calls.new <= 0 {
            return None;
        }
        let [before, after, cost_before] = [calls.base, calls.new, cost.base].map(i128::from);
        let by_calls = i64::try_from(rounded((after - before) * cost_before, before)).ok()?;
        Some(Parts { by_calls, by_cost: cost.change().checked_sub(by_calls)? })
    }

    /// Whether a part is at least a tenth of the change.
    pub fn is_shown(part: i64, cost: BaseAndNew) -> bool {
        part != 0 && i128::from(part).abs() * 10 >= i128::from(cost.change()).abs()
    }
}

/// A quotient by a positive number, rounded; halves away from 0.
fn rounded(count: i128, by: i128) -> i128 {
    let half = if count < 0 { -by } else { by };
    (2 * count + half) / (2 * by)
}

/// A caller that makes more or fewer calls of the function before it.
#[derive(Debug)]
pub struct CallerChange {
    pub name: Vec<u8>,
    /// NEW's calls minus BASE's.
    pub calls: i64,
    /// NEW's cost of these calls minus BASE's.
    pub cost: i64,
    /// Where it makes most of them.
    pub at: Option<ScreenLine>,
    /// Whether that line is new, or gone.
    pub is_changed_line: bool,
    /// How often the caller itself is called, if that does not explain the change.
    pub called: Option<BaseAndNew>,
    /// Whether it is not the program's own.
    pub is_of_library: bool,
}

/// The changed lines in the code of a function.
#[derive(Debug)]
pub enum ChangedCode {
    /// All of its lines are the same.
    Unchanged {
        /// The line with most of the change, if it has half of it.
        largest: Option<(ScreenLine, i64)>,
    },
    Places {
        /// The first ones of all, those with the largest changes of cost first.
        places: Vec<ChangedPlace>,
        more: usize,
    },
}

impl ChangedCode {
    /// Of unchanged code the line with most of the change.
    pub fn largest(&self) -> Option<&ScreenLine> {
        match self {
            ChangedCode::Unchanged { largest } => largest.as_ref().map(|(line, _)| line),
            ChangedCode::Places { .. } => None,
        }
    }

    pub fn places(&self) -> &[ChangedPlace] {
        match self {
            ChangedCode::Unchanged { .. } => &[],
            ChangedCode::Places { places, .. } => places,
        }
    }
}

/// Lines that were removed and added at one place.
#[derive(Clone, Debug)]
pub struct ChangedPlace {
    /// The change of cost at these lines.
    pub change: i64,
    /// The costliest removed and the costliest added line.
    pub removed: Option<ScreenLine>,
    pub added: Option<ScreenLine>,
    /// The first and the last line of code that was removed, and that was added, if there are
    /// several.
    pub removed_lines: Option<(u32, u32)>,
    pub added_lines: Option<(u32, u32)>,
    /// The number of calls that are made at the removed line in BASE, and at the added one in NEW.
    pub calls: BaseAndNew,
    /// Whether the change lacks the cost of what is inlined at these lines.
    pub lacks_inlined: bool,
}

impl ChangedPlace {
    /// Whether another one has the same lines, whichever of them is the costliest there.
    fn has_lines_of(&self, other: &ChangedPlace) -> bool {
        let lines = |line: &Option<ScreenLine>, all: Option<(u32, u32)>| {
            let line = line.as_ref()?;
            Some((line.file.clone(), all.unwrap_or((line.line, line.line))))
        };
        let of = |place: &ChangedPlace| {
            let removed = lines(&place.removed, place.removed_lines);
            (removed, lines(&place.added, place.added_lines))
        };
        of(self) == of(other)
    }
}

/// A line, and how its cost changed.
#[derive(Debug)]
pub struct LineWithChange {
    pub at: ScreenLine,
    pub change: i64,
    /// The number of calls that are made there.
    pub calls: BaseAndNew,
}

/// Changed places that no reason names.
#[derive(Debug, Default)]
pub struct OtherPlaces {
    /// The first ones.
    pub places: Vec<ChangedPlace>,
    pub more: usize,
}

/// The lines of a function that only one side has are part of another function on the other side.
#[derive(Debug)]
pub struct PartOfOther {
    pub name: Vec<u8>,
    /// What the lines cost less there on the side that has the function.
    pub cost: i64,
    /// Whether both sides have that function, so that the lines are inlined there; otherwise it is
    /// on the other side alone.
    pub is_inlined: bool,
}

impl Why {
    pub fn new(input: &WhyInput<'_>) -> Why {
        let maker = ReasonMaker::new(input);
        let files = AlignedFiles::new(input.rows, input.event, input.texts);
        let is_large = |change: i64| {
            i128::from(change).abs() * SMALL_PARTS >= i128::from(input.change).abs() && change != 0
        };
        let mut reasons = maker.reasons(&files, &is_large);
        let of_lines = CostsOfLines::new(&maker, &files);
        let all = changed_places(&files, &of_lines);
        reasons.iter_mut().for_each(|reason| reason.set_changes_of_callers(&all));
        let mut places = all.clone();
        places.retain(|place| is_large(place.change));
        places.truncate(MAX_PLACES);
        let lacks_inlined = |of: &[ChangedPlace]| of.iter().any(|place| place.lacks_inlined);
        let lacks_inlined = lacks_inlined(if places.is_empty() { &all } else { &places });
        let sum = all.iter().fold(0, |sum: i64, place| sum.saturating_add(place.change));
        let small_changes = (sum != 0 && places.is_empty()).then_some(sum);
        let (mut executed, mut declarations) = (OtherPlaces::default(), OtherPlaces::default());
        let goes_with_total = |reason: &&Reason| !is_against(reason.cost.change(), input.change);
        let mut of_total = reasons.iter().filter(goes_with_total).peekable();
        if of_total.peek().is_none() || !of_total.all(Reason::has_changed_lines) {
            let of_reasons = reasons.iter().flat_map(Reason::codes).flat_map(ChangedCode::places);
            let named: Vec<ChangedPlace> = places.iter().chain(of_reasons).cloned().collect();
            executed = changed_and_executed(&files, &of_lines, &named);
        }
        if !reasons.iter().all(Reason::has_changed_lines) {
            declarations = changed_declarations(&files, &of_lines, input.texts_of_names);
        }
        let mut unchanged = unchanged_lines(&maker, &files, &of_lines);
        // A moved line may be one that explains its function.
        let changed = reasons.iter().flat_map(Reason::codes).flat_map(ChangedCode::places);
        let added: Vec<&ScreenLine> = changed.filter_map(|place| place.added.as_ref()).collect();
        unchanged.retain(|line| {
            !added.iter().any(|of| (&of.file, of.line) == (&line.at.file, line.at.line))
        });
        Why {
            event: input.event,
            has_base_folders: input.has_base_folders,
            reasons,
            places,
            small_changes,
            lacks_inlined,
            unchanged,
            executed,
            declarations,
            missing: files.missing(),
        }
    }

    /// The lines of all places and reasons, each once: first the changed ones.
    pub fn lines(&self) -> Vec<&ScreenLine> {
        let of_reasons = self.reasons.iter().flat_map(Reason::codes).flat_map(ChangedCode::places);
        let others = self.executed.places.iter().chain(&self.declarations.places);
        let changed = self.places.iter().chain(of_reasons).chain(others);
        let callers = self.reasons.iter().filter_map(|reason| reason.callers.last()?.at.as_ref());
        let mut known = HashSet::new();
        let lines = changed.filter_map(|place| place.added.as_ref()).chain(callers);
        lines.filter(|line| known.insert((&line.file, line.line))).collect()
    }
}

/// The places and calls of rows.
struct ReasonMaker<'a, 'p> {
    input: &'a WhyInput<'p>,
    profile: &'p Profile,
    places_of: Groups,
    calls_from: Groups,
    calls_to: Groups,
    counts_calls: bool,
    /// By object whether it has debug information.
    has_lines: Vec<bool>,
}

impl<'a, 'p> ReasonMaker<'a, 'p> {
    fn new(input: &'a WhyInput<'p>) -> ReasonMaker<'a, 'p> {
        let rows = input.rows;
        let profile = rows.profile;
        let places = profile.places.iter().map(|&place| Some(rows.of_place(place).index()));
        let ends = || profile.calls.iter().map(|&call| rows.of_call(call));
        let mut has_lines = vec![false; profile.object_count()];
        for fragment in profile.fragments() {
            let object = profile.function(fragment.function).object;
            has_lines[object.index()] |= is_known_file(profile.file(fragment.file));
        }
        ReasonMaker {
            input,
            profile,
            places_of: Groups::new(rows.len(), places),
            calls_from: Groups::new(rows.len(), ends().map(|(caller, _)| Some(caller.index()))),
            calls_to: Groups::new(rows.len(), ends().map(|(_, callee)| Some(callee.index()))),
            counts_calls: profile.counts_calls() && !profile.calls.is_empty(),
            has_lines,
        }
    }

    /// Why the largest rows changed, as [`Rank`] orders them.
    fn reasons(&self, files: &AlignedFiles<'_>, is_large: &dyn Fn(i64) -> bool) -> Vec<Reason> {
        let mut reasons: Vec<(Rank, Reason)> = Vec::new();
        let rows = self.largest();
        let sizes: Vec<u64> =
            rows.iter().map(|&row| self.cost(row).change().unsigned_abs()).collect();
        let of_program = rows.into_iter().zip(&sizes).enumerate();
        let explained =
            of_program.take_while(|&(at, (row, _))| at == 0 || is_large(self.cost(row).change()));
        for (_, (row, &size)) in explained.filter(|(_, (_, size))| **size > 0) {
            if reasons.iter().filter(|(rank, _)| *rank == Rank::ChangedLines).count() == MAX_REASONS
            {
                break;
            }
            let reason = self.reason(row, files);
            if reason.is_known() {
                let is_small = size < sizes[0] / CHANGED_CODE_PARTS;
                let rank = if is_against(self.cost(row).change(), self.input.change) {
                    Rank::AgainstTotal
                } else if is_small {
                    Rank::SameLines
                } else {
                    reason.rank()
                };
                reasons.push((rank, reason));
            }
        }
        reasons.sort_by_key(|(rank, _)| *rank);
        reasons.truncate(MAX_REASONS);
        reasons.into_iter().map(|(_, reason)| reason).collect()
    }

    /// The listed rows with the largest changes.
    fn largest(&self) -> Vec<RowId> {
        let rows = self.input.rows;
        let listed = self.input.listed.iter().copied().filter(|&row| rows.is_row(row));
        let mut changes: Vec<(u64, RowId)> =
            listed.map(|row| (self.cost(row).change().unsigned_abs(), row)).collect();
        changes.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| rows.cmp_items(*x, *y)));
        changes.into_iter().map(|(_, row)| row).take(MAX_CANDIDATES).collect()
    }

    /// The self cost of a row.
    fn cost(&self, row: RowId) -> BaseAndNew {
        let places = self.places_of.get(row.index()).iter();
        Self::sum(places.map(|&place| self.cost_of_place(place)))
    }

    /// Whether a row is a function of the C library or the loader.
    fn is_of_system(&self, row: RowId) -> bool {
        let function = self.input.rows.first_function(row);
        function.is_some_and(|function| {
            let object = self.profile.function(function).object;
            is_std_object(self.profile.object(object))
        })
    }

    /// Whether a row is a function of a library, a toolchain or a downloaded package: in an object
    /// with debug information, what has none is not the program's own.
    fn is_of_library(&self, row: RowId) -> bool {
        let file = self.input.rows.file(row).map_or(&b""[..], |file| self.profile.file(file));
        let object = self.input.rows.first_function(row).map(|of| self.profile.function(of).object);
        let has_lines = object.is_some_and(|object| self.has_lines[object.index()]);
        self.is_of_system(row) || is_of_system(file) || has_lines && !is_known_file(file)
    }

    fn is_on_one_side(&self, row: RowId) -> bool {
        let on = self.input.rows.presence(row);
        on.new != on.base
    }

    /// The short name of a row, or the full one where the list has that: of rows with equal short
    /// names.
    fn name(&self, row: RowId) -> Vec<u8> {
        let rows = self.input.rows;
        if rows.names.is_short {
            return rows.label_of(row).name.into_owned();
        }
        short_function(&rows.display_name(row), self.profile.name_kind()).into_owned()
    }

    fn of_sides(&self, mut count: impl FnMut(&Measured) -> i64) -> BaseAndNew {
        let sides = self.profile.sides();
        BaseAndNew { base: sides.base.as_ref().map_or(0, &mut count), new: count(&sides.new) }
    }

    /// The self cost of a place.
    fn cost_of_place(&self, place: u32) -> BaseAndNew {
        let count = |side: &Measured| {
            self.profile.events().count(side.costs.table.get(place as usize), self.input.event)
        };
        self.of_sides(|side| count(side).or_zero())
    }

    /// The inclusive cost of a call.
    fn cost_of_call(&self, call: u32) -> BaseAndNew {
        let count = |side: &Measured| {
            self.profile.events().count(side.calls.table.get(call as usize), self.input.event)
        };
        self.of_sides(|side| count(side).or_zero())
    }

    fn count_of_call(&self, call: u32) -> BaseAndNew {
        self.of_sides(|side| side.call_counts[call as usize])
    }

    fn sum(of: impl Iterator<Item = BaseAndNew>) -> BaseAndNew {
        let mut sum = BaseAndNew::default();
        of.for_each(|one| sum.add(one));
        sum
    }

    /// The calls of a row by each other one.
    fn calls_by_caller(&self, row: RowId) -> BTreeMap<RowId, Vec<u32>> {
        let mut of_callers: BTreeMap<RowId, Vec<u32>> = BTreeMap::new();
        for &call in self.calls_to.get(row.index()) {
            let (caller, _) = self.input.rows.of_call(self.profile.calls[call as usize]);
            if caller != row {
                of_callers.entry(caller).or_default().push(call);
            }
        }
        of_callers
    }

    /// Whether some of a row's calls are executions of inlined copies, which were not counted.
    fn has_inlined_copies(&self, row: RowId) -> bool {
        let mut calls = self.calls_to.get(row.index()).iter();
        calls.any(|&call| self.profile.is_inlined(self.profile.calls[call as usize].callee))
    }

    fn calls_by_itself(&self, row: RowId) -> BaseAndNew {
        let calls = self.calls_to.get(row.index()).iter().copied();
        let is_recursive =
            |&call: &u32| self.input.rows.of_call(self.profile.calls[call as usize]).0 == row;
        Self::sum(calls.filter(is_recursive).map(|call| self.count_of_call(call)))
    }

    fn calls_by_others(&self, row: RowId) -> BaseAndNew {
        let of_callers = self.calls_by_caller(row);
        Self::sum(of_callers.values().flatten().map(|&call| self.count_of_call(call)))
    }

    fn reason(&self, row: RowId, files: &AlignedFiles<'_>) -> Reason {
        let cost = self.cost(row);
        let knows_calls = self.counts_calls && !self.has_inlined_copies(row);
        let calls = knows_calls.then(|| self.calls_by_others(row));
        let parts = calls.and_then(|calls| Parts::of(cost, calls));
        let is_by_calls = match parts {
            Some(parts) => Parts::is_shown(parts.by_calls, cost),
            None => calls.is_some_and(|calls| calls.change() != 0),
        };
        let is_largely_cost = match parts {
            Some(parts) => Parts::is_shown(parts.by_cost, cost),
            // Without calls nothing else is known.
            None => calls.is_none_or(|calls| calls.base == calls.new),
        };
        let part_of = part_of_other(self, files, row);
        // A new function is no changed one, unless it is a changed version of one that is gone.
        let is_version = part_of.as_ref().is_some_and(|other| !other.is_inlined);
        let is_by_cost = if self.is_on_one_side(row) { is_version } else { is_largely_cost };
        let chain = match calls.filter(|_| is_by_calls) {
            Some(calls) => callers(self, files, row, calls.change()),
            None => Vec::new(),
        };
        let code_of_last = |chain: &[Link]| {
            let last = chain.last().filter(|link| link.is_last);
            last.and_then(|link| code_of(self, files, link.row, None))
        };
        let callers_code = code_of_last(&chain);
        let mut of_cost = Vec::new();
        if is_by_cost && self.is_of_system(row) {
            of_cost = cost_callers(self, files, row);
        }
        // One chain of callers says where both come from.
        let last = of_cost.last().map(|link| link.row);
        if chain.iter().any(|link| Some(link.row) == last) {
            of_cost.clear();
        }
        let change = parts.map_or(cost.change(), |parts| parts.by_cost);
        Reason {
            row,
            name: self.name(row),
            cost,
            calls,
            recursive: self.calls_by_itself(row),
            parts,
            callers_code,
            callers: chain.into_iter().map(|link| link.caller).collect(),
            cost_code: code_of_last(&of_cost),
            cost_callers: of_cost.into_iter().map(|link| link.caller).collect(),
            code: is_by_cost
                .then(|| code_of(self, files, row, Some(change)))
                .flatten()
                // Of another version only the changed lines are known.
                .filter(|code| !is_version || !code.places().is_empty()),
            part_of,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_change() {
        let table = [
            // Twice as many calls, each as expensive as before.
            ((100, 200), (10, 20), Some((100, 0))),
            ((100, 200), (10, 10), Some((0, 100))),
            ((100, 330), (10, 30), Some((200, 30))),
            ((330, 100), (30, 10), Some((-220, -10))),
            // More calls, which cost less.
            ((100, 100), (10, 20), Some((100, -100))),
            ((10, 11), (3, 4), Some((3, -2))),
            ((-10, 11), (3, 4), Some((-3, 24))),
            ((0, 100), (0, 10), None),
            ((100, 0), (10, 0), None),
        ];
        let sides = |(base, new): (i64, i64)| BaseAndNew { base, new };
        for (cost, calls, expected) in table {
            let parts =
                Parts::of(sides(cost), sides(calls)).map(|parts| (parts.by_calls, parts.by_cost));
            assert_eq!(parts, expected, "{cost:?} {calls:?}");
        }
    }

    #[test]
    fn parts_add_up() {
        let counts = [0, 1, 2, 3, 7, 10, 999, 1 << 40, -5];
        for base in counts {
            for new in counts {
                for before in counts {
                    for after in counts {
                        let cost = BaseAndNew { base, new };
                        if let Some(parts) =
                            Parts::of(cost, BaseAndNew { base: before, new: after })
                        {
                            assert_eq!(parts.by_calls + parts.by_cost, new - base);
                        }
                    }
                }
            }
        }
    }
}

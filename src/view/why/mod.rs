//! Why rows of a difference changed: by more calls or by more expensive ones, from which callers,
//! and by which changed lines. What is not known is left out: a function has no changed line only
//! if the texts of all of its code are known. Nothing here is a text but names and source lines.

mod aligned;
mod called_at;
mod callers;
mod code;
mod elsewhere;
mod inlined;
mod line_costs;
mod lines_elsewhere;
mod maker;
mod net;
mod ranked;
mod reason;

use std::collections::HashSet;

use self::elsewhere::{TextsOfNames, changed_and_executed, changed_declarations};
pub use self::inlined::InlinedOfSides;
use self::line_costs::{CostsOfLines, unchanged_lines};
use self::lines_elsewhere::parts_of_others;
use self::maker::ReasonMaker;
use self::net::ChangedPlaces;
use self::ranked::is_against;
pub use self::reason::{
    BaseAndNew, CallerChange, ChangedCode, ChangedPlace, LineWithChange, LinesHere, OtherPlaces,
    PartOfOther, Reason,
};
use crate::graph::CallGraph;
use crate::profile::{FileId, Sides};
use crate::source::TextsOfSides;
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;
use crate::view::rows::Rows;

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
    /// Whether all large rows that only one side has are looked for on the other, not only those
    /// with reasons.
    pub has_parts_of_others: bool,
}

/// Why the rows with the largest changes changed.
#[derive(Debug)]
pub struct Why {
    pub event: usize,
    pub reasons: Vec<Reason>,
    /// If they are wanted, the rows that only one side has and that are parts of others on the
    /// other side.
    pub parts_of_others: Vec<(RowId, PartOfOther)>,
    /// The changed places with the largest changes of cost, calls included.
    pub places: Vec<ChangedPlace>,
    /// The change of all changed lines, if there are any, none has a hundredth of the total's
    /// change, and no reason names one, unless it is known that code is inlined there.
    pub small_changes: Option<i64>,
    /// Whether these changes lack the cost of what is inlined at some of the lines.
    pub lacks_inlined: bool,
    /// The lines that did not change with the largest changes of cost, calls included.
    pub unchanged: Vec<LineWithChange>,
    /// Changed lines that were executed and that no reason names, if no changed line explains some
    /// reason that goes the way of the total.
    pub executed: OtherPlaces,
    /// Changed constants, types and macros, if no changed line explains some reason, or why some
    /// caller makes more or fewer calls.
    pub declarations: OtherPlaces,
    /// A source whose text of BASE is not known, if a row has code in it.
    pub missing: Option<Vec<u8>>,
    /// Whether folders were given in which BASE's texts are searched.
    pub has_base_folders: bool,
}

impl Why {
    pub fn new(input: &WhyInput<'_>) -> Why {
        let maker = ReasonMaker::new(input);
        let files = &maker.files;
        let is_large = |change: i64| {
            i128::from(change).abs() * SMALL_PARTS >= i128::from(input.change).abs() && change != 0
        };
        let mut reasons = maker.reasons(&is_large);
        let of_lines = CostsOfLines::new(&maker);
        let ChangedPlaces { single, net: all } = ChangedPlaces::new(&maker, &of_lines);
        reasons.iter_mut().for_each(|reason| reason.finish_places(&single));
        let mut places = all.clone();
        places.retain(|place| is_large(place.change));
        places.truncate(MAX_PLACES);
        let lacks_inlined = |of: &[ChangedPlace]| of.iter().any(|place| place.lacks_inlined);
        let lacks_inlined = lacks_inlined(if places.is_empty() { &all } else { &places });
        let sum = all.iter().fold(0, |sum: i64, place| sum.saturating_add(place.change));
        // It says nothing of lines that explain a reason, perhaps by what is inlined there.
        let has_named = reasons.iter().any(Reason::has_changed_lines);
        let small_changes = (sum != 0 && places.is_empty() && !has_named).then_some(sum);
        let (mut executed, mut declarations) = (OtherPlaces::default(), OtherPlaces::default());
        let goes_with_total = |reason: &&Reason| !is_against(reason.cost.change(), input.change);
        let mut of_total = reasons.iter().filter(goes_with_total).peekable();
        if of_total.peek().is_none() || !of_total.all(Reason::has_changed_lines) {
            let of_reasons = reasons.iter().flat_map(Reason::codes).flat_map(ChangedCode::places);
            let named: Vec<ChangedPlace> = places.iter().chain(of_reasons).cloned().collect();
            executed = changed_and_executed(files, &of_lines, &named);
        }
        let is_unexplained =
            |reason: &Reason| !reason.has_changed_lines() || reason.has_unexplained_caller();
        if reasons.iter().any(is_unexplained) {
            declarations = changed_declarations(files, &of_lines, input.texts_of_names);
        }
        let mut unchanged = unchanged_lines(&maker, &of_lines);
        // A moved line may be one that explains its function.
        let changed = reasons.iter().flat_map(Reason::codes).flat_map(ChangedCode::places);
        let added: Vec<&ScreenLine> = changed.filter_map(|place| place.added.as_ref()).collect();
        unchanged.retain(|line| {
            !added.iter().any(|of| (&of.file, of.line) == (&line.at.file, line.at.line))
        });
        let wants_parts = input.has_parts_of_others.then_some(());
        Why {
            event: input.event,
            parts_of_others: wants_parts.map_or_else(Vec::new, |()| parts_of_others(&maker)),
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

    /// The same without what is said of the whole program.
    pub fn only_reasons(self) -> Why {
        Why {
            places: Vec::new(),
            small_changes: None,
            lacks_inlined: false,
            unchanged: Vec::new(),
            executed: OtherPlaces::default(),
            declarations: OtherPlaces::default(),
            ..self
        }
    }

    /// Whether no reason is explained by changed lines or by a function in its place, so that other
    /// changed lines may be the cause.
    pub fn has_causes_elsewhere(&self) -> bool {
        let is_explained = |of: &Reason| of.has_changed_lines() || of.part_of.is_some();
        !self.reasons.iter().any(is_explained)
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

//! The places at which code is counted when some of it is charged to its callers.

use super::{ChargedCode, LateFold, START_UP};
use crate::graph::{CallGraph, Partition, RowCosts};
use crate::profile::{
    AddError, Bounds, Division, FileId, Fragment, FragmentId, FunctionId, FunctionKey,
    KnownInclusive, NameId, Place, Portion, Position, PositionId, Profile, ProfileBuilder,
};

/// Where the code of a fragment is counted.
#[derive(Clone, Copy)]
enum Target {
    /// At its own lines of a fragment of the new profile.
    Lines(FragmentId),
    /// At no line of a fragment: that of the function which the code was inlined into.
    NoLine(FragmentId),
    /// At the calls of its function: it is charged to the callers.
    Callers,
}

pub(super) struct Targets {
    of_fragment: Vec<Target>,
    pub(super) is_charged: Vec<bool>,
    /// By function the new function; only for those that are not charged.
    pub(super) of_function: Vec<FunctionId>,
    /// By function whether calls of it are nested calls of the new function, because its name had
    /// a level of recursion that is folded.
    pub(super) is_nested: Vec<bool>,
    /// The fragments that are not charged of charged functions, and the functions that they become.
    pub(super) kept: Vec<(FragmentId, FunctionId)>,
    pub(super) start_up: Place,
}

impl Targets {
    pub(super) fn new(
        profile: &Profile,
        charged: &ChargedCode,
        fold: LateFold,
        builder: &mut ProfileBuilder,
    ) -> Result<Targets, AddError> {
        let (object, file) = (builder.add_object(b"")?, builder.add_file(b"???")?);
        let name = builder.add_name(START_UP)?;
        let start_up = builder.functions().add(FunctionKey { object, file, name })?;
        let mut targets = Targets {
            of_fragment: Vec::new(),
            is_charged: charged.functions.clone(),
            of_function: Vec::new(),
            is_nested: Vec::new(),
            kept: Vec::new(),
            start_up: builder.add_place(start_up, file, Position::default(), Division::None)?,
        };
        let files = own_files(profile, charged);
        targets.add_functions(profile, charged, fold, &files, builder)?;
        targets.add_portions(profile, builder);
        targets.add_fragments(profile, charged, fold, &files, builder)?;
        Ok(targets)
    }

    /// Sets what functions become: one with its code that is not charged, and a folded name.
    fn add_functions(
        &mut self,
        profile: &Profile,
        charged: &ChargedCode,
        fold: LateFold,
        files: &[FileId],
        builder: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        for (id, function) in profile.functions() {
            let (name, is_nested) = folded(function.name, profile, fold, builder)?;
            let key = FunctionKey { object: function.object, file: files[id.index()], name };
            self.is_nested.push(is_nested);
            let becomes = match profile.inlined_into(id) {
                Some(into) => {
                    if charged.functions[into.index()] {
                        builder.functions().move_out(id, into);
                    }
                    id
                }
                None => builder.functions().add(key)?,
            };
            if charged.functions[id.index()] || becomes != id {
                builder.functions().unmark_named(id);
            }
            if becomes != id {
                builder.functions().mark_named(becomes);
            }
            self.of_function.push(becomes);
        }
        Ok(())
    }

    /// Sets what fragments become.
    fn add_fragments(
        &mut self,
        profile: &Profile,
        charged: &ChargedCode,
        fold: LateFold,
        files: &[FileId],
        builder: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        for (id, fragment) in profile.fragments_with_ids() {
            let function = self.of_function[fragment.function.index()];
            let is_function_charged = charged.functions[fragment.function.index()];
            let division = self.division(fragment, fold);
            let target = match (is_function_charged, charged.fragments[id.index()]) {
                (true, true) => Target::Callers,
                (true, false) => self.keep(profile, id, fold, builder)?,
                (false, true) => {
                    let file = files[fragment.function.index()];
                    // The lines are not kept, but levels of recursion are.
                    let division = match division {
                        Division::DeeperLevels(_) | Division::Executed(_) => division,
                        _ => Division::None,
                    };
                    Target::NoLine(builder.functions().fragment(function, file, division)?)
                }
                (false, false) => {
                    let file = fragment.file;
                    Target::Lines(builder.functions().fragment(function, file, division)?)
                }
            };
            self.of_fragment.push(target);
        }
        Ok(())
    }

    /// Sets how much of each new function is part of the profile, by the functions that become it.
    fn add_portions(&self, profile: &Profile, builder: &mut ProfileBuilder) {
        let mut portions: Vec<Option<Portion>> = Vec::new();
        for (id, _) in profile.functions() {
            let becomes = self.of_function[id.index()].index();
            if becomes >= portions.len() {
                portions.resize(becomes + 1, None);
            }
            let portion = profile.portion(id);
            let known = portions[becomes];
            portions[becomes] = Some(known.map_or(portion, |known| known.and(portion)));
        }
        for (id, portion) in (0..).map(FunctionId).zip(portions) {
            if let Some(portion) = portion {
                builder.functions().set_portion(id, portion);
            }
        }
    }

    /// The target of code that is not charged but inlined into a charged function: a function of
    /// its own.
    fn keep(
        &mut self,
        profile: &Profile,
        id: FragmentId,
        fold: LateFold,
        builder: &mut ProfileBuilder,
    ) -> Result<Target, AddError> {
        let fragment = profile.fragment(id);
        let function = profile.function(fragment.function);
        let (name, _) = folded(function.name, profile, fold, builder)?;
        let key = FunctionKey { object: function.object, file: fragment.file, name };
        let new = builder.functions().add(key)?;
        // The function of that file and name may be charged too.
        if self.is_charged.get(new.index()) == Some(&true) {
            return Ok(Target::Callers);
        }
        builder.functions().mark_named(new);
        self.kept.push((id, new));
        let division = self.division(fragment, fold);
        Ok(Target::Lines(builder.functions().fragment(new, fragment.file, division)?))
    }

    /// The division of a fragment whose function's level of recursion is folded.
    fn division(&self, fragment: Fragment, fold: LateFold) -> Division {
        let is_deeper = self.is_nested[fragment.function.index()] && fold.divides_levels;
        if is_deeper { fragment.division.of_level(true) } else { fragment.division }
    }

    /// What the new functions cost with all that they call: as much as before they made other
    /// calls. Charged code is a row of its own.
    pub(super) fn known_inclusive(
        &self,
        graph: &CallGraph<'_>,
        functions: usize,
    ) -> KnownInclusive {
        let profile = graph.profile;
        let row_of = |(id, fragment): (FragmentId, Fragment)| match self.of_fragment[id.index()] {
            Target::Callers => functions as u32,
            _ if self.is_charged[fragment.function.index()] => {
                let kept = self.kept.binary_search_by_key(&id, |(fragment, _)| *fragment);
                kept.map_or(functions as u32, |at| self.kept[at].1.0)
            }
            _ => self.of_function[fragment.function.index()].0,
        };
        let rows: Vec<u32> = profile.fragments_with_ids().map(row_of).collect();
        let mut is_known = vec![false; functions];
        for &row in &rows {
            if let Some(is_known) = is_known.get_mut(row as usize) {
                *is_known = true;
            }
        }
        let RowCosts { costs, bounds } =
            graph.inclusive(&Partition::new(profile, functions + 1, rows));
        let bounds = bounds.into_iter().filter(|bounds| (bounds.of as usize) < functions);
        let of_functions = bounds.map(|Bounds { of, least, most, is_bounded }| Bounds {
            of: FunctionId(of),
            least,
            most,
            is_bounded,
        });
        KnownInclusive { costs, is_known, bounds: of_functions.collect() }
    }

    /// The place at which a cost is counted; none if it is charged to callers.
    pub(super) fn place(&self, place: Place) -> Option<Place> {
        match self.of_fragment[place.fragment.index()] {
            Target::Lines(fragment) => Some(Place { fragment, ..place }),
            Target::NoLine(fragment) => Some(Place { fragment, position: PositionId::UNKNOWN }),
            Target::Callers => None,
        }
    }
}

/// The name of a function of the profile without the suffixes that are folded, and whether these
/// had a level of recursion.
fn folded(
    id: NameId,
    profile: &Profile,
    fold: LateFold,
    builder: &mut ProfileBuilder,
) -> Result<(NameId, bool), AddError> {
    let name = profile.name(id);
    let folded = fold.suffixes.apply(name);
    let id = if *folded.name == *name { id } else { builder.add_name(&folded.name)? };
    Ok((id, folded.is_nested))
}

/// The file of each function. In the profile, a function that begins with code inlined from a
/// charged file has that file; here it has the one of its other files with the highest self cost.
pub fn own_files(profile: &Profile, charged: &ChargedCode) -> Vec<FileId> {
    let mut spent = vec![0; profile.fragments().len()];
    for side in profile.sides().iter() {
        for (place, cost) in profile.costs_of(side) {
            let first = cost.first().map_or(0, |count| count.or_zero());
            spent[place.fragment.index()] += first.max(0);
        }
    }
    let mut best: Vec<Option<FragmentId>> = vec![None; profile.function_count()];
    for (id, fragment) in profile.fragments_with_ids() {
        let function = fragment.function.index();
        let home = profile.home(fragment.function);
        let is_candidate = charged.fragments[home.index()] && !charged.functions[function];
        if is_candidate && !charged.fragments[id.index()] {
            let is_better =
                best[function].is_none_or(|best| spent[id.index()] > spent[best.index()]);
            if is_better {
                best[function] = Some(id);
            }
        }
    }
    let functions = profile.functions().zip(best);
    let files = functions.map(|((_, function), best)| {
        best.map_or(function.file, |best| profile.fragment(best).file)
    });
    files.collect()
}

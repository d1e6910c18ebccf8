//! The places at which code is counted when some of it is charged to its callers.

use super::{ChargedCode, START_UP};
use crate::profile::{
    AddError, Division, FileId, FragmentId, FunctionId, NameId, Place, Position, PositionId,
    Profile, ProfileBuilder, SuffixFold,
};

/// The fragment in which code is counted, and whether its line is kept; none if the code is charged
/// to its callers.
type Target = Option<(FragmentId, bool)>;

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
        fold: SuffixFold,
        builder: &mut ProfileBuilder,
    ) -> Result<Targets, AddError> {
        let (object, file) = (builder.add_object(b"")?, builder.add_file(b"???")?);
        let name = builder.add_name(START_UP)?;
        let start_up = builder.functions().add((object, file, name))?;
        let mut targets = Targets {
            of_fragment: Vec::new(),
            is_charged: charged.functions.clone(),
            of_function: Vec::new(),
            is_nested: Vec::new(),
            kept: Vec::new(),
            start_up: builder.add_place(start_up, file, Position::default(), Division::None)?,
        };
        let files = own_files(profile, charged);
        for (id, function) in profile.functions() {
            let (name, is_nested) = folded(function.name, profile, fold, builder)?;
            let key = (function.object, files[id.index()], name);
            targets.is_nested.push(is_nested);
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
            targets.of_function.push(becomes);
        }
        for (id, fragment) in profile.fragments_with_ids() {
            let function = targets.of_function[fragment.function.index()];
            let is_function_charged = charged.functions[fragment.function.index()];
            let target = match (is_function_charged, charged.fragments[id.index()]) {
                (true, true) => None,
                (true, false) => targets.keep(profile, id, fold, builder)?,
                (false, true) => {
                    let file = files[fragment.function.index()];
                    let functions = builder.functions();
                    Some((functions.fragment(function, file, Division::None)?, false))
                }
                (false, false) => {
                    let (file, division) = (fragment.file, fragment.division);
                    let same = builder.functions().fragment(function, file, division)?;
                    Some((same, true))
                }
            };
            targets.of_fragment.push(target);
        }
        Ok(targets)
    }

    /// The target of code that is not charged but inlined into a charged function: a function of
    /// its own.
    fn keep(
        &mut self,
        profile: &Profile,
        id: FragmentId,
        fold: SuffixFold,
        builder: &mut ProfileBuilder,
    ) -> Result<Target, AddError> {
        let fragment = profile.fragment(id);
        let function = profile.function(fragment.function);
        let (name, _) = folded(function.name, profile, fold, builder)?;
        let key = (function.object, fragment.file, name);
        let new = builder.functions().add(key)?;
        // The function of that file and name may be charged too.
        if self.is_charged.get(new.index()) == Some(&true) {
            return Ok(None);
        }
        builder.functions().mark_named(new);
        self.kept.push((id, new));
        let same = builder.functions().fragment(new, fragment.file, fragment.division)?;
        Ok(Some((same, true)))
    }

    /// The place at which a cost is counted; none if it is charged to callers.
    pub(super) fn place(&self, place: Place) -> Option<Place> {
        let (fragment, is_at_line) = self.of_fragment[place.fragment.index()]?;
        let position = if is_at_line { place.position } else { PositionId::UNKNOWN };
        Some(Place { fragment, position })
    }
}

/// The name of a function of the profile without the suffixes that are folded, and whether these
/// had a level of recursion.
fn folded(
    id: NameId,
    profile: &Profile,
    fold: SuffixFold,
    builder: &mut ProfileBuilder,
) -> Result<(NameId, bool), AddError> {
    let name = profile.name(id);
    let folded = fold.apply(name);
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
            let best = &mut best[function];
            let is_better = best.is_none_or(|best| spent[id.index()] > spent[best.index()]);
            *best = if is_better { Some(id) } else { *best };
        }
    }
    let functions = profile.functions().zip(best);
    let files = functions.map(|((_, function), best)| {
        best.map_or(function.file, |best| profile.fragment(best).file)
    });
    files.collect()
}

//! What the code of objects costs, and the notes on objects whose code is not that of the user's
//! sources: those without debug information, and interpreters.

use super::Context;
use super::message::display_name;
use crate::profile::{NameKind, ObjectId, Profile, is_unknown_name};
use crate::source;

/// The minimum cost of code without debug information that is noted, in percent of the total.
const MIN_LACKING_PERCENT: i128 = 50;

/// The minimum cost without source files in an object without debug information, in percent of its
/// cost.
const MIN_UNKNOWN_PERCENT: i128 = 90;

/// What the code of an object costs itself, of one event.
pub(super) struct CostOfObject<'p> {
    pub(super) name: &'p [u8],
    /// The cost of code whose file is known, and of code whose file is not.
    pub(super) with_file: i128,
    pub(super) without_file: i128,
}

impl CostOfObject<'_> {
    pub(super) fn sum(&self) -> i128 {
        self.with_file + self.without_file
    }

    /// Whether it is a program or library of the user's that has no debug information.
    pub(super) fn is_own_without_lines(&self) -> bool {
        let is_of_others = source::is_of_distribution(self.name) || source::is_of_system(self.name);
        let is_lacking = self.without_file > 0 && self.with_file * 9 <= self.without_file;
        is_lacking && !is_of_others && !is_unknown_name(self.name)
    }
}

/// What each object costs in NEW.
pub(super) fn costs_of_objects(profile: &Profile, event: usize) -> Vec<CostOfObject<'_>> {
    let lacks_file: Vec<bool> = profile.files().map(is_unknown_name).collect();
    let costs = profile.self_costs_by(2 * profile.object_count(), |_, of| {
        let object = profile.function(of.function).object;
        Some(2 * object.index() + usize::from(lacks_file[of.file.index()]))
    });
    let cost_of =
        |row| i128::from(costs.new.get(row).get(event).map_or(0, |count| count.or_zero()));
    let of_object = |at: usize| CostOfObject {
        name: profile.object(ObjectId(at as u32)),
        with_file: cost_of(2 * at),
        without_file: cost_of(2 * at + 1),
    };
    (0..profile.object_count()).map(of_object).collect()
}

/// The object with most of the cost.
pub(super) fn costliest_object(profile: &Profile) -> Option<&[u8]> {
    let objects = costs_of_objects(profile, 0).into_iter();
    objects.max_by_key(CostOfObject::sum).map(|of| of.name)
}

impl Context<'_> {
    /// Notes that most of the cost is in objects without debug information.
    pub(super) fn note_missing_debug(&self) {
        if let Some(note) = self.missing_debug() {
            self.messages.note(note);
        }
    }

    /// The costliest of the user's programs and libraries that have no debug information, with what
    /// has it recorded.
    pub(super) fn own_without_lines(&self) -> Option<String> {
        let objects = costs_of_objects(self.profile, 0).into_iter();
        let lacking = objects.filter(CostOfObject::is_own_without_lines);
        let name = lacking.max_by_key(CostOfObject::sum)?.name;
        let remedy = source::remedy_of_stripped(name);
        Some(format!("{} has no debug information ({remedy})", display_name(name)))
    }

    /// What is to be known of the code of a profile whose lines are shown.
    pub(super) fn notes_on_code(&self) -> Vec<String> {
        let of_objects = self.missing_debug().or_else(|| self.interpreter());
        of_objects.into_iter().chain(self.only_first_lines().map(str::to_owned)).collect()
    }

    /// That most of the cost is in objects without debug information, if it is.
    fn missing_debug(&self) -> Option<String> {
        let profile = self.profile;
        let &event = self.selection.order.first().or(self.selection.shown.first())?;
        let is_of_other_language = profile.name_kind() == NameKind::Other;
        if profile.is_difference() || self.input.is_sampled || is_of_other_language {
            return None;
        }
        let objects = costs_of_objects(profile, event);
        let total: i128 = objects.iter().map(CostOfObject::sum).sum();
        let is_lacking = |of: &&CostOfObject<'_>| {
            let cost = of.sum();
            let lacks = cost > 0 && of.without_file * 100 >= cost * MIN_UNKNOWN_PERCENT;
            lacks && !is_unknown_name(of.name)
        };
        let lacking = || objects.iter().filter(is_lacking);
        let sum: i128 = lacking().map(CostOfObject::sum).sum();
        let largest = lacking().max_by_key(|of| of.sum())?.name;
        if sum * 100 < total * MIN_LACKING_PERCENT {
            return None;
        }
        let event = display_name(profile.events().name(event));
        let object = display_name(largest);
        let percent = sum * 100 / total;
        let without = "programs and libraries without debug information, such as";
        let remedy = source::remedy_of_stripped(largest);
        let of_script = source::interpreter(largest).map(source::not_of_script);
        let script = of_script.map_or_else(String::new, |text| format!("; {text}"));
        Some(format!("{percent}% of {event} is in {without} {object}: {remedy}{script}"))
    }

    /// That most of the cost is that of an interpreter with debug information, whose lines look
    /// like those of the user's program, if it is.
    fn interpreter(&self) -> Option<String> {
        let object = costliest_object(self.profile)?;
        let of_script = source::not_of_script(source::interpreter(object)?);
        Some(format!("{} is an interpreter: {of_script}", display_name(object)))
    }
}

//! `--mine`: how much of the profile is the user's own code, and what to do if nothing is.

use anyhow::anyhow;

use super::Context;
use super::message::display_name;
use crate::profile::{CostTable, Count, ObjectId, Profile, Sides};
use crate::render::{SuggestedCommand, percent};
use crate::source::{interpreter, is_no_file, is_of_package, is_of_system};
use crate::transform::ChargedCode;
use crate::view::basename;

/// The user's own self cost by event, and that of libraries, before it is charged to its callers.
pub(crate) struct OwnShare {
    own: Vec<Count>,
    libraries: Vec<Count>,
}

impl OwnShare {
    /// The share of a profile whose code of libraries is `charged`; none of a comparison.
    pub(super) fn new(profile: &Profile, charged: &ChargedCode) -> Option<OwnShare> {
        if profile.is_difference() {
            return None;
        }
        let costs = profile
            .self_costs_by(2, |fragment, _| Some(usize::from(charged.fragments[fragment.index()])));
        let of = |row| costs.new.get(row).to_vec();
        Some(OwnShare { own: of(0), libraries: of(1) })
    }
}

impl Context<'_> {
    /// How the cost is divided between the user's code and libraries, with the option that lists
    /// these.
    pub(super) fn own_share(&self) -> Option<String> {
        let (share, event) = (self.input.own_share.as_ref()?, self.event());
        let count = |costs: &[Count]| costs.get(event).map_or(0, |count| count.or_zero());
        let (own, libraries) = (count(&share.own), count(&share.libraries));
        let total = Count::new(own.checked_add(libraries)?);
        let of = |count| percent(Count::new(count), total).map(|percent| format!("{percent:.1}%"));
        let name = display_name(self.profile.events().name(event));
        Some(format!(
            "without these: {} of {name} in your code (--file=. in place of --mine), {} in libraries (-g object)",
            of(own)?,
            of(libraries)?
        ))
    }
}

/// The error if nothing is the user's own.
pub(super) fn nothing_is_own(profile: &Profile) -> anyhow::Error {
    let text = "--mine: no source of the profile is below the current directory";
    let cost_of = |costs: &Sides<CostTable>, row| {
        i128::from(costs.new.get(row).first().map_or(0, |count| count.or_zero()))
    };
    let objects = profile.functions().map(|(_, of)| of.object.index() + 1).max().unwrap_or(0);
    let by_object =
        profile.self_costs_by(objects, |_, of| Some(profile.function(of.function).object.index()));
    let costliest = (0..objects).max_by_key(|&row| cost_of(&by_object, row));
    let object = costliest.map(|row| profile.object(ObjectId(row as u32)));
    if let Some(name) = object.and_then(interpreter) {
        return anyhow!(
            "{text}: its functions are those of the interpreter {name}, not of a script"
        );
    }
    let files = profile.files().count();
    let by_file = profile.self_costs_by(files, |_, of| Some(of.file.index()));
    let is_own = |name: &[u8]| !is_of_system(name) && !is_no_file(name) && !is_of_package(name);
    let own = (0..).zip(profile.files()).filter(|(_, name)| is_own(name));
    // The folder of a relative path is not known.
    let most = own.max_by_key(|(row, name)| (name.starts_with(b"/"), cost_of(&by_file, *row)));
    match most {
        Some((_, name)) if name.starts_with(b"/") => {
            let name = display_name(name);
            anyhow!(
                "{text}; the most expensive one is {name}: run it in the folder of these sources"
            )
        }
        Some((_, name)) => {
            let option = SuggestedCommand::new("").option("--file", basename(name));
            let name = display_name(name);
            anyhow!(
                "{text}; the most expensive one is {name}, a path from the folder in which it was \
                 recorded: run it there, or with {option} in place of --mine"
            )
        }
        None => anyhow!("{text}; the program was probably compiled without debug information (-g)"),
    }
}

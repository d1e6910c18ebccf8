//! `--mine`: how much of the profile is the user's own code, and what to do if nothing is.

use anyhow::{Result, anyhow};

use super::Context;
use super::lacking_code::{CostOfObject, costliest_object, costs_of_objects};
use super::message::{Messages, display_name};
use crate::profile::{Count, Fragment, NameKind, Profile, is_unknown_name};
use crate::render::{SuggestedCommand, percent};
use crate::source::{
    folder, interpreter, is_c_library, is_no_file, is_of_distribution, is_of_package, is_of_system,
    not_of_script, remedy_of_stripped,
};
use crate::transform::ChargedCode;
use crate::view::{Charged, Filter, Rule};

/// Where the user's own code is.
enum OwnPlace {
    BelowHere,
    /// In the folder of the option.
    Named,
    /// No source is below the current directory, so it is known by the names of sources and
    /// objects.
    ByName,
}

/// The user's own code.
pub(crate) struct OwnCode {
    place: OwnPlace,
    share: Option<OwnShare>,
}

impl OwnCode {
    /// What is left of a profile whose other code is `charged`, which is all that is not the user's
    /// by its name if no source is below the current directory.
    pub(super) fn found(
        profile: &Profile,
        by_folder: &Charged,
        charged: &mut ChargedCode,
        messages: &Messages,
    ) -> Result<OwnCode> {
        let has_own = charged.fragments.contains(&false);
        if !has_own {
            *charged = own_by_name(profile, by_folder)?;
            messages.note(
                "--mine: no source is below the current directory; shown is what is not known to be of the \
                 system, a toolchain or a package (--mine=FOLDER chooses)",
            );
        }
        if has_own && !profile.is_difference() && profile.name_kind() == NameKind::Symbol {
            note_without_lines(profile, messages);
        }
        let place = match &by_folder.text[..] {
            _ if !has_own => OwnPlace::ByName,
            "" => OwnPlace::BelowHere,
            _ => OwnPlace::Named,
        };
        Ok(OwnCode { place, share: OwnShare::new(profile, charged) })
    }

    /// The filter of `--mine` for this code, in place of the one by folder, which is the last rule
    /// for files.
    pub(super) fn choose_in(&self, filter: &mut Filter) {
        let is_by_name = matches!(self.place, OwnPlace::ByName);
        let mut last = filter.choices.iter_mut().filter_map(|choice| choice.include.last_mut());
        if let Some(rule) = last.find(|rule| rule.file.is_some()).filter(|_| is_by_name) {
            *rule = Rule::of_user();
        }
    }
}

/// The code that is not the user's own by its name, unless a folder was given.
fn own_by_name(profile: &Profile, by_folder: &Charged) -> Result<ChargedCode> {
    let by_name = Charged::of_system().matches(profile);
    let object = costliest_object(profile);
    let is_interpreter = object.and_then(interpreter).is_some();
    if !by_folder.text.is_empty() || is_interpreter || !by_name.fragments.contains(&false) {
        return Err(nothing_is_own(profile, object, &by_folder.text));
    }
    Ok(by_name)
}

/// The user's own self cost by event, and that of libraries, before it is charged to its callers.
struct OwnShare {
    own: Vec<Count>,
    libraries: Vec<Count>,
    /// Whether code of libraries was inlined into the user's functions.
    has_inlined: bool,
}

impl OwnShare {
    /// The share of a profile whose code of libraries is `charged`; none of a comparison.
    fn new(profile: &Profile, charged: &ChargedCode) -> Option<OwnShare> {
        if profile.is_difference() {
            return None;
        }
        let costs = profile
            .self_costs_by(2, |fragment, _| Some(usize::from(charged.fragments[fragment.index()])));
        let of = |row| costs.new.get(row).to_vec();
        Some(OwnShare { own: of(0), libraries: of(1), has_inlined: has_inlined(profile, charged) })
    }
}

/// Whether a function has code of the user's own and code that is charged.
fn has_inlined(profile: &Profile, charged: &ChargedCode) -> bool {
    let mut is_own = vec![false; profile.function_count()];
    let fragments = || profile.fragments().iter().zip(&charged.fragments);
    for (fragment, _) in fragments().filter(|(_, is_charged)| !**is_charged) {
        is_own[fragment.function.index()] = true;
    }
    fragments().any(|(fragment, &is_charged)| is_charged && is_own[fragment.function.index()])
}

impl Context<'_> {
    /// How the cost is divided between the user's code and libraries, with the option that lists
    /// these.
    pub(super) fn own_share(&self) -> Option<String> {
        let own_code = self.input.changes.own_code.as_ref()?;
        let (share, event) = (own_code.share.as_ref()?, self.event());
        let count = |costs: &[Count]| costs.get(event).map_or(0, |count| count.or_zero());
        let (own, libraries) = (count(&share.own), count(&share.libraries));
        // As of all other percentages, which may be more than these together.
        let (totals, _) = self.profile.sides().new.total(self.profile.events());
        let total = totals[event];
        let of = |count| percent(Count::new(count), total).map(|percent| format!("{percent:.1}%"));
        let name = display_name(self.profile.events().name(event));
        let option = match own_code.place {
            OwnPlace::BelowHere => " (--file=. in place of --mine)",
            OwnPlace::Named | OwnPlace::ByName => "",
        };
        let by = if has_crates(self.profile) {
            "-g crate"
        } else if has_objects(self.profile) {
            "-g object"
        } else {
            "-g file"
        };
        // By file the code is where it is here.
        let (from_libraries, part) = if share.has_inlined && by != "-g file" {
            ("in libraries and inlined from them", ", where inlined code is part of its caller")
        } else {
            ("in libraries", "")
        };
        let (own, libraries) = (of(own)?, of(libraries)?);
        let by = SuggestedCommand::new(by);
        Some(format!(
            "without these: {own} of {name} in your code{option}, {libraries} {from_libraries} \
             ({by}{part})"
        ))
    }
}

/// Whether the profile names objects, which those of other languages than C have not.
pub(super) fn has_objects(profile: &Profile) -> bool {
    let mut functions = profile.functions();
    functions.any(|(_, of)| !is_unknown_name(profile.object(of.object)))
}

/// Whether the profile names sources of Rust, whose programs contain the crates that they use.
pub(super) fn has_crates(profile: &Profile) -> bool {
    profile.files().any(|name| name.ends_with(b".rs"))
}

/// The folder that has a source: of one above the current directory the folder that is above both.
fn folder_of(name: &[u8]) -> Vec<u8> {
    let is_above = |part: &&[u8]| *part == b"..";
    let above = name.split(|&byte| byte == b'/').take_while(is_above).count();
    if above > 0 {
        return vec![&b".."[..]; above].join(&b'/');
    }
    folder(name).to_vec()
}

/// Notes which of the user's programs has no debug information, so that it counts as a library.
fn note_without_lines(profile: &Profile, messages: &Messages) {
    let objects = costs_of_objects(profile, 0);
    let total: i128 = objects.iter().map(CostOfObject::sum).sum();
    let event = display_name(profile.events().name(0));
    let lacking = objects.iter().filter(|object| object.is_own_without_lines());
    for CostOfObject { name, without_file, .. } in lacking {
        if total > 0 && without_file * 10 >= total {
            let percent = without_file * 100 / total;
            messages.note(format!(
                "{} has no debug information ({}): {percent}% of {event} is in it and counts as a library's",
                display_name(name),
                remedy_of_stripped(name)
            ));
        }
    }
}

/// The error if nothing is the user's own.
fn nothing_is_own(profile: &Profile, object: Option<&[u8]>, folder: &str) -> anyhow::Error {
    let place = match folder {
        "" => "the current directory".to_owned(),
        folder => display_name(folder.as_bytes()),
    };
    let text = format!("--mine: no source of the profile is below {place}");
    if let Some(name) = object.and_then(interpreter) {
        let of_script = not_of_script(name);
        return anyhow!("{text}: the program is the interpreter {name}: {of_script}");
    }
    let files = profile.files().count();
    // The sources of a distribution's libraries are no user's, wherever these were compiled.
    let of_users = |of: &Fragment| {
        let object = profile.object(profile.function(of.function).object);
        !is_of_distribution(object) && !is_c_library(object)
    };
    let mut has_code = vec![false; files];
    for of in profile.fragments().iter().filter(|of| of_users(of)) {
        has_code[of.file.index()] = true;
    }
    let by_file = profile.self_costs_by(files, |_, of| of_users(&of).then_some(of.file.index()));
    let is_own = |name: &[u8]| !is_of_system(name) && !is_no_file(name) && !is_of_package(name);
    let own = (0..).zip(profile.files()).filter(|&(row, name)| is_own(name) && has_code[row]);
    // The folder of a relative path is not known.
    let cost_of = |row: usize| by_file.new.get(row).first().map_or(0, |count| count.or_zero());
    let most = own.max_by_key(|(row, name)| (name.starts_with(b"/"), cost_of(*row)));
    match most {
        Some((_, name)) => {
            let folder = folder_of(name);
            let option = SuggestedCommand::new("").option("--mine", &folder);
            let name = display_name(name);
            anyhow!("{text}; the most expensive one is {name}: {}", option.to_string().trim_start())
        }
        None if profile.name_kind() == NameKind::Other => {
            anyhow!("{text}; it names none but those of libraries")
        }
        None => anyhow!("{text}; the program was probably compiled without debug information (-g)"),
    }
}

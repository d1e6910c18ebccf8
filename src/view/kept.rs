//! `--below` and `--without`. The functions of such an option are a [`KeptCode`], which keeps what
//! happened below them or the rest ([`Kept`]). What it kept is a [`KeptPart`], with the
//! [`KeptCost`] of each side. The profile itself knows only that it is a part, and what that costs
//! (`KeptOf`).

use super::filter::{Rule, Subject};
use super::outside_main::OutsideMain;
use super::pattern::Pattern;
use crate::profile::{Profile, Sides};
pub use crate::transform::{Kept, KeptCost};

/// The functions of `--below` or `--without`.
#[derive(Clone, Debug)]
pub struct KeptCode {
    pub kept: Kept,
    pub patterns: Vec<Pattern>,
}

/// What an option kept of a profile.
pub struct KeptPart {
    /// The option's name.
    pub option: &'static str,
    /// Its patterns, as they were given.
    pub patterns: Vec<Vec<u8>>,
    pub cost: Sides<KeptCost>,
    /// What was outside `main`, if that is what was kept.
    pub outside: Option<OutsideMain>,
}

impl KeptCode {
    /// The option's name.
    pub fn option(&self) -> &'static str {
        match self.kept {
            Kept::Below => "below",
            Kept::Rest => "without",
        }
    }
}

/// By function, whether a pattern matches it; none if it matches no function.
pub fn matching_functions(pattern: &Pattern, profile: &Profile) -> Option<Vec<bool>> {
    let rule = Rule::of("function", pattern.clone());
    let functions = profile.functions().map(|(id, _)| {
        rule.matches(&Subject::of_fragment(profile, profile.fragment(profile.home(id))))
    });
    let is_matching: Vec<bool> = functions.collect();
    is_matching.contains(&true).then_some(is_matching)
}

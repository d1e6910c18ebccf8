//! Divides counts by a number of calls (`--per`).

use anyhow::{Context as _, Result, bail};

use super::message::{Messages, display_name, display_paths};
use super::unmatched;
use crate::options::Options;
use crate::profile::{Factor, Measured, Overflow, Profile, Sides};
use crate::render::with_commas;
use crate::view::{Pattern, Rule, Subject};

pub(crate) struct Scale {
    /// The divisor of each count where it is shown.
    pub(crate) unit: i64,
    /// The ratio of shown counts to recorded ones; none if they are equal.
    pub(crate) factors: Option<Sides<f64>>,
}

pub(super) fn scale(
    options: &Options,
    profile: Profile,
    messages: &Messages,
) -> Result<(Profile, Scale)> {
    let config = &options.input;
    let in_files = || display_paths(&config.files);
    let Some(pattern) = &config.per else {
        return Ok((profile, Scale { unit: 1, factors: None }));
    };
    let events = profile.events();
    let units: Vec<i64> = (0..events.len()).map(|event| events.unit(event)).collect();
    // Each count is multiplied by `common / divisor of its side`, which is an integer, and divided
    // by `common` where it is shown: so sums, orders and limits are exact.
    let divisors = divisors(pattern, &profile, messages)?;
    // Counts of events with decimals are divided by both units.
    let fits = |unit: &i64| units.iter().all(|of_event| unit.checked_mul(*of_event).is_some());
    let unit = common_multiple(&divisors).filter(fits).ok_or(Overflow).with_context(in_files)?;
    let factors = divisors.as_ref().map(|divisor| Factor { times: unit / divisor, by: 1 });
    let profile = profile.scaled(factors).with_context(in_files)?;
    Ok((profile, Scale { unit, factors: Some(divisors.map(|divisor| 1.0 / divisor as f64)) }))
}

/// The divisor of each side's counts: the number of calls of matching functions.
fn divisors(pattern: &Pattern, profile: &Profile, messages: &Messages) -> Result<Sides<i64>> {
    let sides = profile.sides();
    let is_matching = matching(pattern, profile)?;
    let text = display_name(&pattern.text);
    let mut functions = profile.functions();
    if functions.any(|(id, _)| is_matching[id.index()] && profile.is_inlined(id)) {
        bail!("--per=calls:{text}: how often inlined functions were called is not known");
    }
    let of_side = |side: &Measured, name: &str| -> Result<i64> {
        let calls = calls_from_others(side, profile, &is_matching);
        if calls <= 0 {
            bail!("--per=calls:{text}: no calls from other functions in the {name}");
        }
        Ok(calls)
    };
    let base = sides.base.as_ref().map(|base| of_side(base, "base profile")).transpose()?;
    let is_difference = sides.base.is_some();
    let name = if is_difference { "new profile" } else { "profile" };
    let new = of_side(&sides.new, name)?;
    let others = base.map_or_else(String::new, |base| {
        format!(", those of the base profile by {}", with_commas(base))
    });
    let calls = with_commas(new);
    let note = format!("counts are divided by {calls}, the calls of {text}{others}");
    messages.note(note);
    let base = is_difference.then(|| base.unwrap_or(new));
    Ok(Sides::of(new, base))
}

/// By function, whether a pattern matches it; an error if it matches none.
fn matching(pattern: &Pattern, profile: &Profile) -> Result<Vec<bool>> {
    let rule = Rule::of("function", pattern.clone());
    let kind = profile.name_kind();
    let functions = profile.functions().map(|(_, function)| {
        let (file, name) = (profile.file(function.file), profile.name(function.name));
        rule.matches(&Subject::new(None, file, name).of_kind(kind))
    });
    let is_matching: Vec<bool> = functions.collect();
    if !is_matching.contains(&true) {
        let (text, rules) = (&pattern.text, std::slice::from_ref(&rule));
        let option = format!("per=calls:{}", display_name(text));
        return Err(unmatched::none_of(&option, text, rules, profile));
    }
    Ok(is_matching)
}

/// The number of calls of functions of a set from functions outside it.
fn calls_from_others(side: &Measured, profile: &Profile, is_in_set: &[bool]) -> i64 {
    let calls = profile.calls.iter().zip(&side.call_counts);
    let entering = calls.filter(|(call, _)| {
        let caller = profile.fragment(call.site.fragment).function;
        is_in_set[call.callee.index()] && !is_in_set[caller.index()]
    });
    entering.map(|(_, count)| *count).sum()
}

/// The least common multiple of the divisors; none if it is too large.
fn common_multiple(divisors: &Sides<i64>) -> Option<i64> {
    let Some(base) = divisors.base else {
        return Some(divisors.new);
    };
    let (mut a, mut b) = (divisors.new, base);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (divisors.new / a).checked_mul(base)
}

//! Divides counts by a number of calls or units of work (`--per`), and scales BASE to NEW's total (`--normalize`).

use anyhow::{Context as _, Result, anyhow, bail};

use super::compare::events_of;
use super::message::{Messages, display_name, display_paths};
use super::unmatched;
use crate::options::{InputOptions, Options, Per};
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
    let mut scale = Scale { unit: 1, factors: None };
    if config.per.is_none() && !config.normalizes {
        return Ok((profile, scale));
    }
    let mut factors = profile.sides().as_ref().map(|_| Factor::ONE);
    if config.normalizes {
        factors.base = Some(normalize(options, &profile, messages)?);
    }
    // Each count is multiplied by `common / divisor of its side`, which is an integer, and divided by `common` where it is
    // shown: so sums, orders and limits are exact.
    let divisors = divisors(config, &profile, messages)?;
    scale.unit = common_multiple(divisors).with_context(in_files)?;
    let values = factors.zip(divisors);
    scale.factors = Some(values.map(|(factor, divisor)| factor.value() / divisor as f64));
    let factors = values.try_map(|(factor, divisor)| {
        let times = factor.times.checked_mul(scale.unit / divisor);
        let scaled = times.map(|times| Factor { times, ..factor });
        scaled.ok_or(Overflow)
    });
    let profile = factors.and_then(|factors| profile.scaled(factors));
    Ok((profile.with_context(in_files)?, scale))
}

/// The factor that gives BASE the total of NEW.
fn normalize(options: &Options, profile: &Profile, messages: &Messages) -> Result<Factor> {
    let (sides, events) = (profile.sides(), profile.events());
    let mut sorted = options.selection.sort.iter();
    let sorted = sorted.find_map(|(name, _)| events.find(name));
    let common = || {
        let new = events_of(profile, false);
        events_of(profile, true).intersection(&new).copied().min()
    };
    let event = sorted.or_else(common);
    let event = event.ok_or_else(|| anyhow!("the profiles have no event in common"))?;
    let total = |side: &Measured| side.total(events).0[event].or_zero();
    let (new, base) = (total(&sides.new), sides.base.as_ref().map_or(0, total));
    let name = display_name(events.name(event));
    if base <= 0 || new <= 0 {
        bail!(
            "--normalize: a total of {name} is not positive: {base} of the base profile, {new} of the new one"
        );
    }
    let factor = Factor { times: new, by: base };
    let (new, base, by) = (with_commas(new), with_commas(base), factor.value());
    let text = format!("base profile multiplied by {by:.6}: {name} {base} = {new}");
    messages.note(text);
    Ok(factor)
}

/// The divisor of each side's counts. With --normalize both are that of NEW.
fn divisors(config: &InputOptions, profile: &Profile, messages: &Messages) -> Result<Sides<i64>> {
    let sides = profile.sides();
    let pattern = match &config.per {
        Some(Per::Calls(pattern)) => pattern,
        Some(Per::Number(number)) => return Ok(sides.as_ref().map(|_| *number)),
        None => return Ok(sides.as_ref().map(|_| 1)),
    };
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
    let base = sides.base.as_ref().filter(|_| !config.normalizes);
    let base = base.map(|base| of_side(base, "base profile")).transpose()?;
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
    Ok(Sides { new, base })
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

fn common_multiple(divisors: Sides<i64>) -> Result<i64, Overflow> {
    let Some(base) = divisors.base else {
        return Ok(divisors.new);
    };
    let (mut a, mut b) = (divisors.new, base);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (divisors.new / a).checked_mul(base).ok_or(Overflow)
}

//! What happened below functions, or without them: `--below` and `--without`.

use anyhow::{Context as _, Result};
use thiserror::Error;

use super::Context;
use super::message::{Messages, display_name, display_paths};
use super::not_there::is_in_debug_information;
use super::unmatched::{self, CodeOfProfile};
use crate::graph::CallGraph;
use crate::options::{KeptNames, Options, Page};
use crate::profile::Profile;
use crate::render::{Format, HeaderKind, SuggestedCommand, kept_lines};
use crate::transform::keep;
use crate::view::{
    Kept, KeptCode, KeptPart, OutsideMain, Pattern, Rule, is_main, matching_functions,
};

/// The part of a profile that the options keep, and how much of it each of them kept.
pub(super) fn keep_parts(
    mut profile: Profile,
    options: &Options,
    code_of_profile: CodeOfProfile<'_>,
    messages: &Messages,
) -> Result<(Profile, Vec<KeptPart>)> {
    let mut parts: Vec<KeptPart> = Vec::new();
    for code in &options.input.kept {
        let mut chosen = vec![false; profile.function_count()];
        for pattern in &code.patterns {
            let exact = matching_functions(pattern, &profile);
            if exact.is_none() && may_be_inlined(pattern, &profile, code_of_profile, options) {
                return Err(MayBeInlined(pattern.text.clone()).into());
            }
            let matching = exact
                .or_else(|| widened(code, pattern, &profile, options, messages))
                .ok_or_else(|| {
                    let option = format!("{}={}", code.option(), display_name(&pattern.text));
                    let rule = Rule::of("function", pattern.clone());
                    let finder = code_of_profile.finder.filter(|_| parts.is_empty());
                    let whole = CodeOfProfile { finder, ..code_of_profile };
                    unmatched::no_function(&option, &rule, &profile, whole, options)
                })?;
            chosen.iter_mut().zip(matching).for_each(|(chosen, one)| *chosen |= one);
        }
        let is_below = matches!(code.kept, Kept::Below);
        let are_main =
            profile.functions().all(|(id, _)| !chosen[id.index()] || is_main(&profile, id));
        let outside = if is_below && are_main {
            OutsideMain::new(&CallGraph::of_sides(&profile, true).new, &chosen)
        } else {
            None
        };
        let before = parts.last().map(|part| &part.cost);
        let kept = keep(&profile, &chosen, code.kept, before);
        let (kept, cost) = kept.with_context(|| display_paths(&options.input.files))?;
        let patterns = code.patterns.iter().map(|pattern| pattern.text.clone()).collect();
        parts.push(KeptPart { option: code.option(), patterns, cost, outside });
        profile = kept;
    }
    Ok((profile, parts))
}

/// No function has a name, but an inlined one may have it.
#[derive(Debug, Error)]
#[error("{} may be inlined", display_name(.0))]
pub(super) struct MayBeInlined(pub(super) Vec<u8>);

fn may_be_inlined(
    pattern: &Pattern,
    profile: &Profile,
    code: CodeOfProfile<'_>,
    options: &Options,
) -> bool {
    let input = &options.input;
    let is_open = input.kept_names == KeptNames::InlinedOrWider && !input.inlines;
    let finder = code.finder.filter(|_| is_open && code.has_addresses && options.limits.is_empty());
    finder.is_some_and(|finder| is_in_debug_information(&pattern.text, profile, finder))
}

/// The functions that may be meant by a pattern, with a note; limits do not depend on such a guess.
fn widened(
    code: &KeptCode,
    pattern: &Pattern,
    profile: &Profile,
    options: &Options,
    messages: &Messages,
) -> Option<Vec<bool>> {
    let may_be_wider = options.limits.is_empty() && options.input.kept_names != KeptNames::Exact;
    let mut wider = pattern.wider().filter(|_| may_be_wider);
    let (wider, is_matching) =
        wider.find_map(|wider| matching_functions(&wider, profile).map(|of| (wider, of)))?;
    let text = display_name(&pattern.text);
    let option = SuggestedCommand::new("").option(&format!("--{}", code.option()), &wider.text);
    // A text that is part of other names may be the name of a function without code of its own.
    let is_part = wider.text.starts_with(b"*");
    let inlined = if !is_part || options.input.inlines || !profile.is_from_callgrind() {
        ""
    } else if profile.sides().new.has_addresses {
        "; if it was inlined: --inlines"
    } else {
        "; if it was inlined: record with --dump-instr=yes, then --inlines"
    };
    messages.note(format!("no function's whole name matches {text}; used: {option}{inlined}"));
    Some(is_matching)
}

impl Context<'_> {
    /// How much of the profile was kept, in words.
    pub(super) fn kept_lines(&self, event: usize) -> Vec<String> {
        let has_counts = self.input.scale.factors.is_none();
        let style = self.style();
        let parts = self.input.changes.kept.iter();
        parts.flat_map(|part| kept_lines(part, event, has_counts, style)).collect()
    }

    /// Notes how much of the profile was kept, if the report does not say so.
    pub(super) fn note_kept(&self) {
        let has_words = |format: Format| format.is_for_browsers || format.is_table_for_people();
        let says_so = |page: &Page| {
            let has_header = page.header != HeaderKind::None || page.format.has_details;
            has_words(page.format) || has_header && self.series.is_none()
        };
        if !self.options.report.page().is_some_and(says_so) {
            let lines = self.kept_lines(self.event()).into_iter();
            lines.for_each(|line| self.messages.note(line));
        }
    }
}

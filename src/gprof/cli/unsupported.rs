//! Options that the command does not have: the report's, and those of GNU gprof that are not
//! supported.

use clap::ArgMatches;

use crate::cli::unsupported::{has_option, removed};
use crate::cli::{is_given, page};
use crate::gprof::options::GprofView;
use crate::view::Threshold;

/// The message for an unknown option of gprof's command that is one of the report, or unsupported.
pub(super) fn of_page(option: &str) -> Option<String> {
    if let Some(text) = removed(option) {
        return Some(text);
    }
    if let Some((names, why)) = unsupported(option) {
        return Some(format!("{names} is not supported: {why}"));
    }
    let why = match option {
        "--inlines" => ": how often inlined functions were called is not known",
        _ => "",
    };
    let is_of_page = has_option(&page::command(), option);
    is_of_page.then(|| format!("{option} cannot be combined with gprof reports{why}"))
}

/// Refuses options of annotated sources in gprof's other views, and values that change nothing in
/// any of them.
pub(super) fn check_views(matches: &ArgMatches, views: &[GprofView]) -> Result<(), String> {
    let fold = matches.get_raw("fold").into_iter().flatten();
    let are_names_kept = views == [GprofView::Sum];
    if !are_names_kept && fold.last().is_some_and(|value| value == "none") {
        let text =
            "--fold=none cannot be combined with gprof reports, which merge recursion levels";
        return Err(text.to_owned());
    }
    if views.contains(&GprofView::Sources) {
        return Ok(());
    }
    let sort = matches.get_raw("sort").into_iter().flatten().last();
    let mut events = sort.and_then(|events| events.to_str()).unwrap_or_default().split(',');
    let percent = |event: &str| Threshold::parse(event.rsplit_once(':')?.1);
    if events.any(|event| percent(event).is_some()) {
        let text = "--sort with a percentage cannot be combined with gprof reports other than -A";
        return Err(text.to_owned());
    }
    let of_sources = ["threshold", "top", "min"];
    let mut of_sources = of_sources.iter();
    let given = of_sources.find(|option| is_given(matches, option));
    given.map_or(Ok(()), |option| {
        Err(format!("--{option} cannot be combined with gprof reports other than -A"))
    })
}

/// The unsupported options of gprof, and why: `NAMES: WHY`.
const UNSUPPORTED: [&str; 1] = ["-d, --debug: it is for debugging gprof itself"];

/// The names of an unsupported option of gprof, and why.
pub(super) fn unsupported(option: &str) -> Option<(&'static str, &'static str)> {
    let mut known = UNSUPPORTED.iter().filter_map(|text| text.split_once(": "));
    known.find(|(names, _)| names.split(", ").any(|name| name == option))
}

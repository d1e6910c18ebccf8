//! The options that select functions and calls, and the symspecs of all options.

use clap::Args;

use super::views::ViewArguments;
use crate::view::{PatternError, Scope, Symspec, Symspecs};

#[derive(Args, Debug)]
#[command(next_help_heading = "Functions and calls")]
pub(super) struct SymspecArguments {
    /// Hide these functions in the call graph (repeatable)
    #[arg(short = 'e', value_name = "SYMSPEC")]
    hide: Vec<String>,

    /// Hide them and leave out their self cost
    #[arg(short = 'E', value_name = "SYMSPEC")]
    hide_with_cost: Vec<String>,

    /// Show only these and their callees in the call graph
    #[arg(short = 'f', value_name = "SYMSPEC")]
    only: Vec<String>,

    /// The same, and base percentages on them
    #[arg(short = 'F', value_name = "SYMSPEC")]
    only_with_cost: Vec<String>,

    /// Base percentages on these functions and their callees
    #[arg(short = 'n', long, value_name = "SYMSPEC")]
    time: Vec<String>,

    /// Leave their self cost out of the percentages
    #[arg(short = 'N', long, value_name = "SYMSPEC")]
    no_time: Vec<String>,

    /// Leave out calls from FROM to TO
    ///
    /// An empty side matches every function. With this, -n, -N, -E, -F or -qFROM/TO, costs are divided among the remaining
    /// calls by their number, as in gprof.
    #[arg(short = 'k', value_name = "FROM/TO")]
    without_calls: Vec<String>,
}

impl SymspecArguments {
    /// The symspecs of all options.
    ///
    /// # Errors
    /// What is wrong with one, in words.
    pub(super) fn symspecs(&self, views: &ViewArguments) -> Result<Symspecs, String> {
        use Scope::{Counted, ExecCounts, Flat, Shown, Sources};
        let lists: [(&str, &[String], &'static [Scope], bool); 14] = [
            ("-p", &views.flat_profile, &[Flat], false),
            ("-P", &views.no_flat_profile, &[Flat], true),
            ("-q", &views.graph, &[Shown], false),
            ("-Q", &views.no_graph, &[Shown], true),
            ("-C", &views.exec_counts, &[ExecCounts], false),
            ("-Z", &views.no_exec_counts, &[ExecCounts], true),
            ("-A", &views.annotated_source, &[Sources], false),
            ("-J", &views.no_annotated_source, &[Sources], true),
            ("-e", &self.hide, &[Shown], true),
            ("-E", &self.hide_with_cost, &[Shown, Counted], true),
            ("-f", &self.only, &[Shown], false),
            ("-F", &self.only_with_cost, &[Shown, Counted], false),
            ("-n", &self.time, &[Counted], false),
            ("-N", &self.no_time, &[Counted], true),
        ];
        let mut all = Vec::new();
        for (option, specs, scopes, excludes) in lists {
            for spec in specs.iter().filter(|spec| !spec.is_empty()) {
                let wrong = |error: PatternError| format!("{option} {spec}: {error}");
                let arc = match option {
                    "-q" | "-Q" => Symspec::parse_arc(option, spec, excludes).map_err(wrong)?,
                    _ => None,
                };
                all.push(match arc {
                    Some(arc) => arc,
                    None => Symspec::parse(option, spec, scopes, excludes).map_err(wrong)?,
                });
            }
        }
        for spec in &self.without_calls {
            let arc =
                Symspec::parse_arc("-k", spec, true).map_err(|e| format!("-k {spec}: {e}"))?;
            all.push(arc.ok_or_else(|| format!("-k {spec}: expected FROM/TO"))?);
        }
        Ok(Symspecs { all })
    }
}

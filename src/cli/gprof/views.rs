//! The options that select views.

use clap::Args;

use crate::options::GprofView;
use crate::view::{PatternError, Scope, Symspec, Symspecs};

#[derive(Args, Debug)]
#[command(next_help_heading = "Views")]
pub(super) struct ViewArguments {
    /// Print the flat profile [only SYMSPEC]
    #[arg(short = 'p', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) flat_profile: Vec<String>,

    /// Omit the flat profile [print it without SYMSPEC]
    #[arg(short = 'P', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) no_flat_profile: Vec<String>,

    /// Print the call graph [only SYMSPEC and its callees]
    ///
    /// Each function is listed between its callers and its callees; cycles have entries of their own, and an index follows.
    /// -qFROM/TO prints only these calls. What calls cost is exact; how it divides into self and children is estimated.
    #[arg(short = 'q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) graph: Vec<String>,

    /// Omit the call graph [print it without SYMSPEC]
    #[arg(short = 'Q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) no_graph: Vec<String>,

    /// Print call counts by file and line [only SYMSPEC]
    #[arg(short = 'C', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) exec_counts: Vec<String>,

    /// Omit the call counts [print them without SYMSPEC]
    #[arg(short = 'Z', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) no_exec_counts: Vec<String>,

    /// Print sources with calls of functions [only SYMSPEC]
    ///
    /// Beside the lines at which functions begin; with -l beside all lines how often they were executed, if the profile has
    /// addresses (--dump-instr=yes).
    #[arg(short = 'A', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) annotated_source: Vec<String>,

    /// Omit the annotated sources [print them without SYMSPEC]
    #[arg(short = 'J', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) no_annotated_source: Vec<String>,

    /// Summarise the profiles and exit
    #[arg(short = 'i', long)]
    file_info: bool,

    /// Print function names in link order, hottest first
    #[arg(short = 'r', long)]
    function_ordering: bool,

    /// Write the sum of all profiles to ./callgrind.sum
    ///
    /// Nothing is printed unless a view is requested.
    #[arg(short = 's', long)]
    sum: bool,
}

/// Whether an option whose symspec may be missing is given without one.
fn is_bare(values: &[String]) -> bool {
    values.iter().any(String::is_empty)
}

impl ViewArguments {
    /// Whether no view is requested.
    pub(super) fn is_empty(&self) -> bool {
        let bare = self.file_info || self.function_ordering || self.sum;
        let specs = [
            &self.no_flat_profile,
            &self.no_graph,
            &self.no_exec_counts,
            &self.no_annotated_source,
        ];
        let views = [
            &self.flat_profile,
            &self.graph,
            &self.exec_counts,
            &self.annotated_source,
        ];
        let has_spec = |specs: &&Vec<String>| specs.iter().any(|spec| !spec.is_empty());
        !bare && views.iter().all(|view| view.is_empty()) && !specs.iter().any(has_spec)
    }

    /// The requested views: without any the flat profile and the call graph.
    ///
    /// # Errors
    /// None is left, in words.
    pub(super) fn views(&self) -> Result<Vec<GprofView>, String> {
        if self.file_info {
            return Ok(vec![GprofView::Info]);
        }
        let selects = |yes: &[String], no: &[String]| {
            !yes.is_empty() || no.iter().any(|spec| !spec.is_empty())
        };
        let with_symspecs = [
            (GprofView::Flat, &self.flat_profile, &self.no_flat_profile),
            (GprofView::Graph, &self.graph, &self.no_graph),
            (
                GprofView::ExecCounts,
                &self.exec_counts,
                &self.no_exec_counts,
            ),
            (
                GprofView::Sources,
                &self.annotated_source,
                &self.no_annotated_source,
            ),
        ];
        let selected = with_symspecs.iter().filter(|(_, yes, no)| selects(yes, no));
        let bare = [
            (GprofView::Sum, self.sum),
            (GprofView::LinkOrder, self.function_ordering),
        ];
        let bare = bare.iter().filter(|(_, is_given)| *is_given);
        let mut views: Vec<_> = bare.map(|(view, _)| *view).collect();
        views.extend(selected.map(|(view, ..)| *view));
        if views.is_empty() {
            let default = with_symspecs.iter().take(2);
            let wanted = default.filter(|(_, _, no)| !is_bare(no));
            views.extend(wanted.map(|(view, ..)| *view));
        }
        match views.is_empty() {
            true => Err("-P and -Q together leave nothing to print".to_owned()),
            false => Ok(views),
        }
    }
}

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

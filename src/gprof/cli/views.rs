//! The options that select views, functions and calls.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::gprof::options::{GprofView, StaticCalls};
use crate::gprof::views::{Scope, Symspec, Symspecs};
use crate::view::PatternError;

#[derive(Args, Debug)]
#[command(next_help_heading = "Views")]
pub(super) struct ViewArguments {
    /// Print the flat profile [only SYMSPEC]
    #[arg(short = 'p', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    flat_profile: Vec<String>,

    /// Omit the flat profile [print it without SYMSPEC]
    #[arg(short = 'P', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_flat_profile: Vec<String>,

    /// Print the call graph [only SYMSPEC and its callees]
    ///
    /// Each function is listed between its callers and its callees; cycles have entries of their
    /// own, and an index follows. -qFROM/TO prints only these calls. What calls cost is exact; how
    /// it divides into self and children is estimated.
    #[arg(short = 'q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    graph: Vec<String>,

    /// The same as -q; a value is ignored
    #[arg(short = 'B', value_name = "NAME", hide_short_help = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    other_graph: Vec<String>,

    /// Omit the call graph [print it without SYMSPEC]
    #[arg(short = 'Q', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_graph: Vec<String>,

    /// Print call counts by file and line [only SYMSPEC]
    #[arg(short = 'C', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    exec_counts: Vec<String>,

    /// Omit the call counts [print them without SYMSPEC]
    #[arg(short = 'Z', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_exec_counts: Vec<String>,

    /// Print sources with calls of functions [only SYMSPEC]
    ///
    /// Beside the lines at which functions begin; with -l beside all lines how often they were
    /// executed, if the profile has addresses (--dump-instr=yes).
    #[arg(short = 'A', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    annotated_source: Vec<String>,

    /// Omit the annotated sources [print them without SYMSPEC]
    #[arg(short = 'J', long, value_name = "SYMSPEC")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    no_annotated_source: Vec<String>,

    /// Print what is in each gmon.out, before requested views
    #[arg(short = 'i', long)]
    file_info: bool,

    /// Of gmon.out: print function names in link order
    ///
    /// Functions with most time come first, then those with most calls, then those with most
    /// callers. Unused ones are last. With --as-gprof, functions that call each other most are next
    /// to each other.
    #[arg(short = 'r', long)]
    function_ordering: bool,

    /// Of gmon.out: print object files in link order
    ///
    /// MAP has lines `OBJECT:ADDRESS TYPE FUNCTION`, as `nm -A` prints them for the objects of the
    /// program. Objects whose functions call each other most come first, near each other. Functions
    /// of one object that follow each other in MAP are one function with its name, in all views.
    #[arg(short = 'R', long, value_name = "MAP", value_hint = ValueHint::FilePath)]
    #[arg(hide_short_help = true, conflicts_with = "function_ordering")]
    pub(super) file_ordering: Option<PathBuf>,

    /// Write the sum of all profiles to ./callgrind.sum
    ///
    /// Nothing is printed unless a view is requested.
    #[arg(short = 's', long)]
    sum: bool,
}

/// An option with symspecs: where it applies, and whether it leaves out what they match.
struct SymspecOption<'v> {
    name: &'static str,
    /// Its values; empty where it is given without one.
    specs: &'v [String],
    scopes: &'static [Scope],
    excludes: bool,
}

/// The options that print a view and that omit it.
struct ViewOptions<'v> {
    view: GprofView,
    prints: SymspecOption<'v>,
    omits: SymspecOption<'v>,
}

impl ViewOptions<'_> {
    /// Whether the view is requested; an option that omits functions requests the others.
    fn selects(&self) -> bool {
        !self.prints.specs.is_empty() || self.omits.specs.iter().any(|spec| !spec.is_empty())
    }

    fn omits_all(&self) -> bool {
        self.omits.specs.iter().any(String::is_empty)
    }
}

impl ViewArguments {
    fn options(&self) -> [ViewOptions<'_>; 4] {
        use Scope::{ExecCounts, Flat, Shown, Sources};
        let prints = |name, specs, scopes| SymspecOption { name, specs, scopes, excludes: false };
        let omits = |name, specs, scopes| SymspecOption { name, specs, scopes, excludes: true };
        [
            ViewOptions {
                view: GprofView::Flat,
                prints: prints("-p", &self.flat_profile[..], &[Flat][..]),
                omits: omits("-P", &self.no_flat_profile[..], &[Flat][..]),
            },
            ViewOptions {
                view: GprofView::Graph,
                prints: prints("-q", &self.graph, &[Shown]),
                omits: omits("-Q", &self.no_graph, &[Shown]),
            },
            ViewOptions {
                view: GprofView::ExecCounts,
                prints: prints("-C", &self.exec_counts, &[ExecCounts]),
                omits: omits("-Z", &self.no_exec_counts, &[ExecCounts]),
            },
            ViewOptions {
                view: GprofView::Sources,
                prints: prints("-A", &self.annotated_source, &[Sources]),
                omits: omits("-J", &self.no_annotated_source, &[Sources]),
            },
        ]
    }

    /// Reads `-B` as `-q`.
    pub(super) fn read_other_graph(&mut self) {
        if !self.other_graph.is_empty() {
            self.graph.push(String::new());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let is_order = self.function_ordering || self.file_ordering.is_some();
        let bare = self.file_info || self.sum || is_order;
        !bare && !self.options().iter().any(ViewOptions::selects)
    }

    /// The requested views; by default the flat profile and the call graph. An error if no view is
    /// left. In BSD's layout the call graph comes first, and its index behind the flat profile.
    pub(super) fn views(&self, is_traditional: bool) -> Result<Vec<GprofView>, String> {
        let given = |views: [(GprofView, bool); 2]| {
            views.into_iter().filter(|(_, is_given)| *is_given).map(|(view, _)| view)
        };
        let first = [(GprofView::Sum, self.sum), (GprofView::Info, self.file_info)];
        let last = [
            (GprofView::LinkOrder, self.function_ordering),
            (GprofView::ObjectOrder, self.file_ordering.is_some()),
        ];
        let options = self.options();
        let selected = options.iter().filter(|of| of.selects()).map(|of| of.view);
        let mut views: Vec<_> = given(first).chain(selected).chain(given(last)).collect();
        if views.is_empty() {
            let default = options[..2].iter().filter(|of| !of.omits_all());
            views.extend(default.map(|of| of.view));
        }
        if views.is_empty() {
            return Err("-P and -Q together leave nothing to print".to_owned());
        }
        if let Some(graph) = views.iter().position(|&view| view == GprofView::Graph) {
            views.insert(graph + 1, GprofView::Index);
            let flat = graph.checked_sub(1).filter(|&at| views[at] == GprofView::Flat);
            if let Some(flat) = flat.filter(|_| is_traditional) {
                views.swap(flat, graph);
            }
        }
        Ok(views)
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
    /// An empty side matches every function. With this, -n, -N, -E, -F or -qFROM/TO, calls of a
    /// Callgrind profile keep their recorded cost, and what lies below a function with several
    /// callers is divided by what each paid. Samples of gmon.out are divided by the number of
    /// calls, as in gprof.
    #[arg(short = 'k', value_name = "FROM/TO")]
    without_calls: Vec<String>,

    /// Add the calls in the program's code, with a count of 0
    ///
    /// These are direct calls of functions. Of gprof's data for x86, they are those that gprof
    /// finds: of functions at higher addresses, where samples were counted. For other machines and
    /// for Callgrind profiles they are all that objdump shows.
    #[arg(short = 'c', long)]
    static_call_graph: bool,

    /// The same, with all calls that objdump shows
    #[arg(long, hide_short_help = true)]
    all_static_calls: bool,
}

impl SymspecArguments {
    pub(super) fn static_calls(&self) -> Option<StaticCalls> {
        if self.all_static_calls {
            return Some(StaticCalls::All);
        }
        self.static_call_graph.then_some(StaticCalls::AsGprof)
    }

    pub(super) fn symspecs(&self, views: &ViewArguments) -> Result<Symspecs, String> {
        use Scope::{Counted, Shown};
        let of_views = views.options().into_iter().flat_map(|of| [of.prints, of.omits]);
        let hides = |name, specs, scopes| SymspecOption { name, specs, scopes, excludes: true };
        let keeps = |name, specs, scopes| SymspecOption { name, specs, scopes, excludes: false };
        let others: [SymspecOption<'_>; 7] = [
            hides("-e", &self.hide[..], &[Shown][..]),
            hides("-E", &self.hide_with_cost, &[Shown, Counted]),
            keeps("-f", &self.only[..], &[Shown][..]),
            keeps("-F", &self.only_with_cost, &[Shown, Counted]),
            keeps("-n", &self.time, &[Counted]),
            hides("-N", &self.no_time, &[Counted]),
            // `-k` accepts only `FROM/TO`.
            hides("-k", &self.without_calls, &[]),
        ];
        let mut all = Vec::new();
        for SymspecOption { name, specs, scopes, excludes } in of_views.chain(others) {
            for spec in specs.iter().filter(|spec| !spec.is_empty() || name == "-k") {
                let wrong = |error: PatternError| format!("{name} {spec}: {error}");
                let parsed = Symspec::parse(name, spec, scopes, excludes).map_err(wrong)?;
                if parsed.scopes.is_empty() {
                    return Err(format!("{name} {spec}: expected FROM/TO"));
                }
                all.push(parsed);
            }
        }
        Ok(Symspecs { all })
    }
}

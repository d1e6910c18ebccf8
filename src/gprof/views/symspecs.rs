//! gprof's symspecs: the functions, files or lines that an option applies to, written as
//! `function`, `file`, `file:function`, `file:line`, `file:`, `:function`, `line` or `:line`. Each
//! is parsed into rules of the filter that all views share. Those of a command line select
//! functions, lines and calls.

use crate::read::gmon::ProgramPlaces;
use crate::view::{Pattern, PatternError, Rule, Subject};

/// What a symspec is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Flat,
    /// The functions with an entry in the call graph.
    Shown,
    /// The functions whose cost counts in the call graph.
    Counted,
    ExecCounts,
    Sources,
    Arcs,
}

/// The scopes of functions or lines: all but [`Scope::Arcs`].
const SCOPES: [Scope; 5] =
    [Scope::Flat, Scope::Shown, Scope::Counted, Scope::ExecCounts, Scope::Sources];

/// A function, line or pair of caller and callee, as an option of `gprof` names it.
#[derive(Clone, Debug)]
pub struct Symspec {
    /// The option and its value, as shown in messages.
    pub text: String,
    pub scopes: &'static [Scope],
    pub excludes: bool,
    /// The rules of which one must match the function or line; for `CALLER/CALLEE`, the caller.
    pub(super) rules: Vec<Rule>,
    /// The rules of which one must match the callee of `CALLER/CALLEE`. An empty list on either
    /// side matches all.
    pub(super) callees: Vec<Rule>,
    /// Whether it matches a function, line or call by itself.
    pub has_matched: bool,
    /// Whether it has an effect: in gprof that of `-k` and `-qFROM/TO` only depends on what FROM
    /// matches.
    pub is_used: bool,
}

impl Symspec {
    /// Parses the value of an option. That of `-q`, `-Q` or `-k` may also be `CALLER/CALLEE`, two
    /// symspecs of which each may be empty. The slash of `operator/` is part of the name.
    pub fn parse(
        option: &str,
        spec: &str,
        scopes: &'static [Scope],
        excludes: bool,
    ) -> Result<Symspec, PatternError> {
        let is_name = |at: usize| spec[..at].ends_with("operator");
        let mut slashes = spec.match_indices('/').map(|(at, _)| at);
        let slash = slashes.find(|&at| matches!(option, "-q" | "-Q" | "-k") && !is_name(at));
        let (caller, callee, scopes) = match slash {
            Some(at) => (&spec[..at], &spec[at + 1..], &[Scope::Arcs][..]),
            None => (spec, "", scopes),
        };
        Ok(Symspec {
            text: format!("{option} {spec}"),
            scopes,
            excludes,
            rules: rules(caller)?,
            callees: rules(callee)?,
            has_matched: false,
            is_used: false,
        })
    }

    /// The value of the option.
    pub fn value(&self) -> &str {
        self.text.split_once(' ').map_or("", |(_, value)| value)
    }
}

fn matches_any(rules: &[Rule], subject: &Subject<'_>) -> bool {
    rules.iter().any(|rule| rule.matches(subject))
}

/// The rules of which one must match; none for an empty side of `CALLER/CALLEE`.
fn rules(spec: &str) -> Result<Vec<Rule>, PatternError> {
    if spec.is_empty() {
        return Ok(Vec::new());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (file, rest) = match single_colon(spec) {
        Some(at) => (&spec[..at], &spec[at + 1..]),
        None => ("", spec),
    };
    let file = (!file.is_empty()).then(|| Pattern::parse(file)).transpose()?;
    let with_file = Rule { file, ..Rule::default() };
    if is_number(rest) {
        let line =
            rest.parse().map_err(|_| PatternError::new("a line number that is too large"))?;
        return Ok(vec![Rule { line: Some(line), ..with_file }]);
    }
    if rest.is_empty() && with_file.file.is_some() {
        return Ok(vec![with_file]);
    }
    let mut rules = vec![Rule { function: Some(Pattern::parse(rest)?), ..with_file }];
    if rest == spec && rest.contains('.') {
        // A name with a dot may also be the name of a file.
        rules.push(Rule::of("file", Pattern::parse(rest)?));
    }
    Ok(rules)
}

/// The index of the colon between file and function or line. `::` is part of a name.
fn single_colon(spec: &str) -> Option<usize> {
    let bytes = spec.as_bytes();
    let is_colon = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b':');
    (0..bytes.len())
        .find(|&at| bytes[at] == b':' && !is_colon(at.checked_sub(1)) && !is_colon(Some(at + 1)))
}

/// All symspecs of a command line, in the order in which they apply.
#[derive(Clone, Debug, Default)]
pub struct Symspecs {
    pub all: Vec<Symspec>,
}

impl Symspecs {
    /// For gprof's data: a symspec `f` that equals a symbol matches that symbol alone, not also
    /// `f(int)` or `ns::f`.
    pub fn prefer_symbols(&mut self, subjects: &[Subject<'_>]) {
        let rules = self.all.iter_mut();
        let rules = rules.flat_map(|spec| spec.rules.iter_mut().chain(&mut spec.callees));
        for rule in rules {
            let is_symbol = |function: &Pattern| subjects.iter().any(|s| function.text == s.name);
            rule.is_symbol = rule.function.as_ref().is_some_and(is_symbol);
        }
    }

    /// What the symspecs of a scope include and exclude; `matches` is also whether a symspec has an
    /// effect.
    fn included(
        &mut self,
        scope: Scope,
        matches: impl Fn(&Symspec) -> (Vec<bool>, bool),
    ) -> Included {
        let mut list = Included::default();
        let specs = self.all.iter_mut();
        for spec in specs.filter(|spec| spec.scopes.contains(&scope)) {
            let (matches, has_effect) = matches(spec);
            spec.has_matched |= matches.contains(&true);
            if has_effect {
                spec.is_used = true;
                list.add(spec.excludes, &matches);
            }
        }
        list
    }

    /// The subjects that the symspecs of a scope include and exclude. Symspecs without a match have
    /// no effect.
    pub fn list(&mut self, scope: Scope, subjects: &[Subject<'_>]) -> Included {
        self.included(scope, |spec| {
            let matches = |subject| matches_any(&spec.rules, subject);
            let matches: Vec<bool> = subjects.iter().map(matches).collect();
            let is_any = matches.contains(&true);
            (matches, is_any)
        })
    }

    /// The functions or lines that each scope includes and excludes, as changed by `adjust`.
    pub fn select(
        &mut self,
        subjects: &[Subject<'_>],
        adjust: impl Fn(Scope, &mut Included),
    ) -> Selected {
        Selected(SCOPES.map(|scope| {
            let mut list = self.list(scope, subjects);
            adjust(scope, &mut list);
            list
        }))
    }

    /// Whether each call, given by caller and callee, is included. A symspec may match the caller
    /// or the `line` of the call site. Without `places`, a call must match one of the including
    /// symspecs, if there are any, and none of the excluding ones. With `places` as in gprof: a
    /// symspec is used if its caller side matches a function, and inclusion overrides exclusion.
    pub fn included_calls<'n>(
        &mut self,
        calls: &[(u32, u32)],
        line: impl Fn(usize) -> Option<Subject<'n>>,
        subjects: &[Subject<'_>],
        places: Option<&ProgramPlaces>,
    ) -> Vec<bool> {
        let list = self.included(Scope::Arcs, |spec| {
            let side = |rules: &[Rule]| {
                let matches = |subject| rules.is_empty() || matches_any(rules, subject);
                let mut side: Vec<bool> = subjects.iter().map(matches).collect();
                if let Some(places) = places {
                    places.extend_symbols(&mut side, false);
                }
                side
            };
            let (callers, callees) = (side(&spec.rules), side(&spec.callees));
            let matches: Vec<bool> = calls
                .iter()
                .enumerate()
                .map(|(at, &(from, to))| {
                    let is_line = || line(at).is_some_and(|line| matches_any(&spec.rules, &line));
                    callees[to as usize] && (callers[from as usize] || is_line())
                })
                .collect();
            let decides = if places.is_some() { &callers } else { &matches };
            let has_effect = decides.contains(&true);
            (matches, has_effect)
        });
        let is_included = |call: usize| match places {
            Some(_) => list.includes(call as u32),
            None => list.allows(call),
        };
        (0..calls.len()).map(is_included).collect()
    }

    pub fn scope(&self, scope: Scope) -> bool {
        self.all.iter().any(|spec| spec.scopes.contains(&scope))
    }

    pub fn have_lines(&self) -> bool {
        let sides = self.all.iter().flat_map(|spec| [&spec.rules, &spec.callees]);
        let mut rules = sides.flatten();
        rules.any(|rule| rule.line.is_some())
    }
}

/// The functions, lines or calls that are included and excluded. If both lists are empty, all are
/// included.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// By number, whether an item is explicitly included; empty if none is.
    pub include: Vec<bool>,
    /// By number, whether an item is explicitly excluded; empty if none is.
    pub exclude: Vec<bool>,
}

impl Included {
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    pub fn add(&mut self, excludes: bool, matches: &[bool]) {
        let list = if excludes { &mut self.exclude } else { &mut self.include };
        list.resize(matches.len(), false);
        for (is_in, matches) in list.iter_mut().zip(matches) {
            *is_in |= matches;
        }
    }

    /// Whether an item is included, regardless of its callers. Inclusion overrides exclusion.
    pub fn includes(&self, node: u32) -> bool {
        is_in(&self.include, node) || self.include.is_empty() && !is_in(&self.exclude, node)
    }

    /// Whether an item is included where exclusion overrides inclusion.
    pub fn allows(&self, item: usize) -> bool {
        let is_excluded = self.exclude.get(item) == Some(&true);
        !is_excluded && self.include.get(item).copied().unwrap_or(true)
    }

    /// Whether an item is named by an option that includes it.
    pub fn names(&self, node: u32) -> bool {
        is_in(&self.include, node)
    }

    /// Whether an item is explicitly excluded, even if one of its callers is included.
    pub fn excludes(&self, node: u32) -> bool {
        is_in(&self.exclude, node) && !is_in(&self.include, node)
    }
}

fn is_in(list: &[bool], node: u32) -> bool {
    list.get(node as usize) == Some(&true)
}

/// By scope, what is included and excluded; without symspecs everything is included. In the call
/// graph, callees of an included function are included too; exclusion applies to the function
/// alone.
#[derive(Clone, Debug, Default)]
pub struct Selected([Included; SCOPES.len()]);

impl Selected {
    /// What is included and excluded in one scope; in the others, everything is included.
    #[cfg(test)]
    pub(super) fn of_scope(scope: Scope, included: Included) -> Selected {
        let mut selected = Selected::default();
        selected.0[scope as usize] = included;
        selected
    }

    pub fn of(&self, scope: Scope) -> &Included {
        &self.0[scope as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_first_in_gprofs_data() {
        let spec = Symspec::parse("-p", "f", &[Scope::Flat], false).unwrap();
        let names = ["f", "f(int)", "ns::f", "_Z1fi"];
        let subjects = |names: &[&'static str]| -> Vec<Subject<'static>> {
            let subject = |name: &&'static str| Subject::new(None, b"a.cc", name.as_bytes());
            names.iter().map(subject).collect()
        };
        let selected = |names: &[&'static str]| {
            let mut specs = Symspecs { all: vec![spec.clone()] };
            let subjects = subjects(names);
            specs.prefer_symbols(&subjects);
            specs.list(Scope::Flat, &subjects).include
        };
        assert_eq!(selected(&names), [true, false, false, false]);
        assert_eq!(selected(&names[1..]), [true, true, true]);
    }
}

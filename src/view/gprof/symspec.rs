//! gprof's symspecs: which functions, files or lines an option is about, as `function`, `file`, `file:function`,
//! `file:line`, `file:`, `:function`, `line` or `:line`. They become rules of the one filter.

use crate::view::filter::{IncludeExclude, Rule, Subject};
use std::collections::HashSet;

use super::functions::MergedFunctions;
use super::included::Included;
use crate::view::pattern::{Pattern, PatternError};

/// What a symspec is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The rows of the flat profile.
    Flat,
    /// The entries of the call graph.
    Shown,
    /// Whose cost the call graph counts.
    Counted,
    /// The calls of the call graph.
    Arcs,
    /// The exec_counts of calls.
    ExecCount,
    /// The annotated sources.
    Sources,
}

/// One symspec of the command line.
#[derive(Clone, Debug)]
pub struct Symspec {
    /// The option and its value, as a message names them.
    pub text: String,
    /// What it is for.
    pub scopes: &'static [Scope],
    /// Whether what fits is left out.
    pub excludes: bool,
    /// One of these has to fit; of calls, the caller.
    rules: Vec<Rule>,
    /// Of calls: one of these has to fit the callee. Everything fits an empty side.
    callees: Vec<Rule>,
}

impl Symspec {
    /// Reads a symspec.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse(
        option: &str,
        spec: &str,
        scopes: &'static [Scope],
        excludes: bool,
    ) -> Result<Symspec, PatternError> {
        Ok(Symspec {
            text: format!("{option} {spec}"),
            scopes,
            excludes,
            rules: rules(spec)?,
            callees: Vec::new(),
        })
    }

    /// Reads `CALLER/CALLEE`, two symspecs of which each may be empty; none if there is no slash. The slash of
    /// `operator/` is part of the name.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse_arc(
        option: &str,
        spec: &str,
        excludes: bool,
    ) -> Result<Option<Symspec>, PatternError> {
        let is_name = |at: usize| spec[..at].ends_with("operator");
        let Some((at, _)) = spec.match_indices('/').find(|&(at, _)| !is_name(at)) else {
            return Ok(None);
        };
        let side = |spec: &str| {
            if spec.is_empty() {
                Ok(Vec::new())
            } else {
                rules(spec)
            }
        };
        Ok(Some(Symspec {
            text: format!("{option} {spec}"),
            scopes: &[Scope::Arcs],
            excludes,
            rules: side(&spec[..at])?,
            callees: side(&spec[at + 1..])?,
        }))
    }

    /// Whether it fits a function or line.
    fn fits(&self, subject: &Subject<'_>) -> bool {
        self.rules.iter().any(|rule| rule.matches(subject))
    }

    /// Whether it fits a call.
    fn fits_arc(&self, caller: &Subject<'_>, callee: &Subject<'_>) -> bool {
        let fits = |rules: &[Rule], subject: &Subject<'_>| {
            rules.is_empty() || rules.iter().any(|r| r.matches(subject))
        };
        fits(&self.rules, caller) && fits(&self.callees, callee)
    }
}

/// The rules of which one has to fit.
fn rules(spec: &str) -> Result<Vec<Rule>, PatternError> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (file, rest) = match single_colon(spec) {
        Some(at) => (&spec[..at], &spec[at + 1..]),
        None => ("", spec),
    };
    let file = (!file.is_empty())
        .then(|| Pattern::parse(file))
        .transpose()?;
    let with_file = Rule {
        file,
        ..Rule::default()
    };
    if is_number(rest) {
        let line = rest
            .parse()
            .map_err(|_| PatternError::new("a line number that is too large"))?;
        return Ok(vec![Rule {
            line: Some(line),
            ..with_file
        }]);
    }
    if rest.is_empty() && with_file.file.is_some() {
        return Ok(vec![with_file]);
    }
    let mut rules = vec![Rule {
        function: Some(Pattern::parse(rest)?),
        ..with_file
    }];
    if rest == spec && rest.contains('.') {
        // A name with a dot is that of a file, unless a function has it.
        rules.push(Rule {
            file: Some(Pattern::parse(rest)?),
            ..Rule::default()
        });
    }
    Ok(rules)
}

/// The colon between file and function. Two together are part of a name.
fn single_colon(spec: &str) -> Option<usize> {
    let bytes = spec.as_bytes();
    let is_colon = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b':');
    (0..bytes.len())
        .find(|&at| bytes[at] == b':' && !is_colon(at.checked_sub(1)) && !is_colon(Some(at + 1)))
}

/// All symspecs of the command line.
#[derive(Clone, Debug, Default)]
pub struct Symspecs {
    /// In their order.
    pub all: Vec<Symspec>,
}

/// Which of the symspecs fitted anything.
#[derive(Clone, Debug)]
pub struct Matched(Vec<bool>);

impl Symspecs {
    /// For gprof's data: of a function that is given by its symbol, no namesakes are meant.
    #[must_use]
    pub fn preferring_symbols(mut self, subjects: &[Subject<'_>]) -> Symspecs {
        let rules = self.all.iter_mut();
        let rules = rules.flat_map(|spec| spec.rules.iter_mut().chain(&mut spec.callees));
        for rule in rules {
            let is_symbol = |function: &Pattern| subjects.iter().any(|s| function.text() == s.name);
            rule.is_symbol = rule.function.as_ref().is_some_and(is_symbol);
        }
        self
    }

    /// None of them fitted anything yet.
    pub fn none_matched(&self) -> Matched {
        Matched(vec![false; self.all.len()])
    }

    /// What the symspecs for a scope say of each subject. One that fits none is as if it was not given.
    pub fn list(&self, scope: Scope, subjects: &[Subject<'_>], matched: &mut Matched) -> Included {
        let mut list = Included::default();
        for (spec, matched) in self.all.iter().zip(&mut matched.0) {
            if !spec.scopes.contains(&scope) {
                continue;
            }
            let fits: Vec<bool> = subjects.iter().map(|subject| spec.fits(subject)).collect();
            if !fits.contains(&true) {
                continue;
            }
            *matched = true;
            let known = if spec.excludes {
                &mut list.exclude
            } else {
                &mut list.include
            };
            known.resize(subjects.len(), false);
            known
                .iter_mut()
                .zip(fits)
                .for_each(|(known, fits)| *known |= fits);
        }
        list
    }

    /// Whether each call is kept: it fits one of those included, if there are any, and none of those excluded.
    pub fn included_arcs(
        &self,
        arcs: &[(Subject<'_>, &Subject<'_>)],
        matched: &mut Matched,
    ) -> Vec<bool> {
        let (mut include, mut exclude) = (None, vec![false; arcs.len()]);
        for (spec, matched) in self.all.iter().zip(&mut matched.0) {
            if !spec.scopes.contains(&Scope::Arcs) {
                continue;
            }
            let fits: Vec<bool> = arcs
                .iter()
                .map(|(from, to)| spec.fits_arc(from, to))
                .collect();
            if !fits.contains(&true) {
                continue;
            }
            *matched = true;
            let known = if spec.excludes {
                &mut exclude
            } else {
                include.get_or_insert_with(|| vec![false; arcs.len()])
            };
            known
                .iter_mut()
                .zip(fits)
                .for_each(|(known, fits)| *known |= fits);
        }
        let is_in = |at: usize| include.as_ref().is_none_or(|include| include[at]);
        (0..arcs.len())
            .map(|at| is_in(at) && !exclude[at])
            .collect()
    }

    /// The same by gprof's rules: a symspec counts if its caller is known, and calls that one includes cannot be
    /// excluded.
    pub fn included_arcs_as_gprof(
        &self,
        arcs: &[(&Subject<'_>, &Subject<'_>)],
        callers: &[Subject<'_>],
        matched: &mut Matched,
    ) -> Vec<bool> {
        let (mut include, mut exclude) = (None, vec![false; arcs.len()]);
        for (spec, matched) in self.all.iter().zip(&mut matched.0) {
            let is_known = spec.rules.is_empty() || callers.iter().any(|caller| spec.fits(caller));
            if !spec.scopes.contains(&Scope::Arcs) || !is_known {
                continue;
            }
            *matched = true;
            let known = match spec.excludes {
                true => &mut exclude,
                false => include.get_or_insert_with(|| vec![false; arcs.len()]),
            };
            for (known, (from, to)) in known.iter_mut().zip(arcs) {
                *known |= spec.fits_arc(from, to);
            }
        }
        include.unwrap_or_else(|| exclude.iter().map(|is_excluded| !is_excluded).collect())
    }

    /// Whether there are any for a scope.
    pub fn scope(&self, scope: Scope) -> bool {
        self.all.iter().any(|spec| spec.scopes.contains(&scope))
    }

    /// The symspecs that match nothing of what they are about. `matched` has those that match functions or calls of the call
    /// graph; here the others are held against functions, and against lines for annotated sources and views by line.
    pub fn unmatched_in(
        &self,
        matched: &Matched,
        functions: &MergedFunctions<'_>,
        by_line: bool,
    ) -> Vec<&Symspec> {
        let rest: Vec<_> = self.all.iter().zip(&matched.0).collect();
        let rest = rest.into_iter().filter(|(_, matched)| !**matched);
        let mut rest: Vec<_> = rest.map(|(spec, _)| spec).collect();
        if rest.is_empty() {
            return rest;
        }
        let (homes, subjects) = (functions.subjects(), functions.all_subjects());
        rest.retain(|spec| {
            let is_about = |scope| spec.scopes.contains(&scope);
            let (sources, flat) = (is_about(Scope::Sources), is_about(Scope::Flat));
            let fits = |subjects: &[Subject<'_>]| subjects.iter().any(|s| spec.fits(s));
            let by_function = (flat || is_about(Scope::ExecCount)) && fits(&homes);
            let by_file = sources && fits(&subjects);
            let by_line = sources || flat && by_line;
            let fits_line = || functions.lines().any(|subject| spec.fits(&subject));
            !(by_function || by_file || by_line && fits_line())
        });
        rest
    }

    /// The options and values of the symspecs that matched nothing.
    pub fn unmatched<'s>(&'s self, matched: &'s Matched) -> impl Iterator<Item = &'s str> {
        let specs = self.all.iter().zip(&matched.0);
        specs
            .filter(|(_, matched)| !**matched)
            .map(|(spec, _)| spec.text.as_str())
    }

    /// Whether any of them is about a line.
    pub fn have_lines(&self) -> bool {
        let mut rules = self.all.iter().flat_map(|spec| &spec.rules);
        rules.any(|rule| rule.line.is_some())
    }

    /// Those for some scopes as a choice of the filter, which knows no lines: in place of a line it has the functions
    /// that begin there or have code there. One that matches none of the subjects is as if it was not given.
    pub fn choice(
        &self,
        scopes: &[Scope],
        subjects: &[Subject<'_>],
        matched: &mut Matched,
    ) -> IncludeExclude {
        let mut choice = IncludeExclude::default();
        for (spec, matched) in self.all.iter().zip(&mut matched.0) {
            let is_meant = spec.scopes.iter().any(|scope| scopes.contains(scope));
            if !is_meant || !subjects.iter().any(|subject| spec.fits(subject)) {
                continue;
            }
            *matched = true;
            let rules = if spec.excludes {
                &mut choice.exclude
            } else {
                &mut choice.include
            };
            for rule in &spec.rules {
                if rule.line.is_none() {
                    rules.push(rule.clone());
                } else {
                    let mut known = HashSet::new();
                    let fitting = subjects.iter().filter(|subject| rule.matches(subject));
                    let fitting =
                        fitting.filter(|subject| known.insert((subject.file, subject.name)));
                    rules.extend(fitting.filter_map(function_rule));
                }
            }
        }
        choice
    }
}

/// The rule that a function in its file fits, if its names can be written.
fn function_rule(subject: &Subject<'_>) -> Option<Rule> {
    let pattern = |name| Pattern::parse(std::str::from_utf8(name).ok()?).ok();
    Some(Rule {
        file: Some(pattern(subject.file)?),
        function: Some(pattern(subject.name)?),
        ..Rule::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(spec: &str, file: &str, name: &str, line: u32) -> bool {
        let subject = Subject::new(None, file.as_bytes(), name.as_bytes()).at(line);
        let spec = Symspec::parse("-p", spec, &[Scope::Flat], false).unwrap();
        spec.fits(&subject)
    }

    #[test]
    fn all_forms() {
        let table = [
            ("main", true),
            ("mai", false),
            ("a.c", true),
            ("b.c", false),
            ("a.c:", true),
            ("a.c:main", true),
            ("a.c:f", false),
            ("b.c:main", false),
            ("a.c:7", true),
            ("a.c:8", false),
            (":main", true),
            (":f", false),
            ("7", true),
            (":7", true),
            ("8", false),
            ("src/a.c:main", true),
            ("a:", false),
        ];
        for (spec, expected) in table {
            assert_eq!(fits(spec, "src/a.c", "main", 7), expected, "{spec}");
        }
    }

    #[test]
    fn names_of_other_languages() {
        let table = [
            ("ns::f", "ns::f(int, char)", true),
            ("ns::f", "ns::f(int) const", true),
            ("ns::f", "ns::f(int)::{lambda()#1}::operator()", false),
            ("f", "ns::f", true),
            ("a.cc:ns::f", "ns::f", true),
            ("f", "f'2", true),
            ("f", "f'main", true),
            ("f.part.0", "f.part.0", true),
            ("_Z1fi", "_Z1fi", true),
            ("f(int)", "_Z1fi", true),
        ];
        for (spec, name, expected) in table {
            assert_eq!(fits(spec, "a.cc", name, 1), expected, "{spec} {name}");
        }
    }

    #[test]
    fn symbols_come_first_in_gprofs_data() {
        let spec = Symspec::parse("-p", "f", &[Scope::Flat], false).unwrap();
        let names = ["f", "f(int)", "ns::f", "_Z1fi"];
        let subjects = |names: &[&'static str]| -> Vec<Subject<'static>> {
            let names = names.iter();
            names
                .map(|name| Subject::new(None, b"a.cc", name.as_bytes()))
                .collect()
        };
        let selected = |names: &[&'static str]| {
            let specs = Symspecs {
                all: vec![spec.clone()],
            };
            let subjects = subjects(names);
            let specs = specs.preferring_symbols(&subjects);
            let mut matched = specs.none_matched();
            specs.list(Scope::Flat, &subjects, &mut matched).include
        };
        assert_eq!(selected(&names), [true, false, false, false]);
        assert_eq!(selected(&names[1..]), [true, true, true]);
    }

    #[test]
    fn calls() {
        let subject = |name: &'static str| Subject::new(None, b"a.c", name.as_bytes());
        let fits = |spec: &str, from, to| {
            let spec = Symspec::parse_arc("-k", spec, true).unwrap().unwrap();
            spec.fits_arc(&subject(from), &subject(to))
        };
        assert!(fits("f/g", "f", "g") && !fits("f/g", "g", "f"));
        assert!(fits("f/", "f", "g") && fits("/g", "f", "g") && fits("/", "f", "g"));
        assert!(fits("operator//g", "operator/", "g"));
        assert!(Symspec::parse_arc("-q", "f", false).unwrap().is_none());
    }
}

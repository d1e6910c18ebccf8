//! gprof's symspecs: which functions, files or lines an option is about, as `function`, `file`, `file:function`,
//! `file:line`, `file:`, `:function`, `line` or `:line`. They become rules of the one filter.

use crate::view::filter::{Rule, Subject};
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
    /// The execution counts.
    ExecCounts,
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
    /// Whether what matches is left out.
    pub excludes: bool,
    /// One of these has to match; of calls, the caller.
    pub(super) rules: Vec<Rule>,
    /// Of calls: one of these has to match the callee. An empty side matches everything.
    pub(super) callees: Vec<Rule>,
}

impl Symspec {
    /// Reads a symspec.
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
}

/// Whether one of the rules matches.
pub(super) fn matches_any(rules: &[Rule], subject: &Subject<'_>) -> bool {
    rules.iter().any(|rule| rule.matches(subject))
}

/// The rules of which one has to match.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Symspecs;

    fn fits(spec: &str, file: &str, name: &str, line: u32) -> bool {
        let subject = Subject::new(None, file.as_bytes(), name.as_bytes()).at(line);
        let spec = Symspec::parse("-p", spec, &[Scope::Flat], false).unwrap();
        matches_any(&spec.rules, &subject)
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
    fn calls() {
        let subject = |name: &'static str| Subject::new(None, b"a.c", name.as_bytes());
        let fits = |spec: &str, from, to| {
            let spec = Symspec::parse_arc("-k", spec, true).unwrap().unwrap();
            let specs = Symspecs { all: vec![spec] };
            let (ends, mut matched) = ([subject(from), subject(to)], specs.none_matched());
            !specs.included_calls(&[(0, 1)], |_| None, (&ends, None), &mut matched)[0]
        };
        assert!(fits("f/g", "f", "g") && !fits("f/g", "g", "f"));
        assert!(fits("f/", "f", "g") && fits("/g", "f", "g") && fits("/", "f", "g"));
        assert!(fits("operator//g", "operator/", "g"));
        assert!(Symspec::parse_arc("-q", "f", false).unwrap().is_none());
    }
}

//! What rows consist of: functions, or groups of them.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::demangle::{demangle, displayed};
use crate::profile::{DivideBy, Fragment, NameTable, Profile, without_suffixes};
use crate::view::filter::{Filter, Rule, Subject};
use crate::view::namespace::{crate_of, namespace};
use crate::view::pattern::Pattern;
use crate::view::short_name::short_function;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowBy {
    /// The part of a function that lies in one file, in whatever objects.
    #[default]
    FileFunction,
    /// A function of an object, with the code of other files that was inlined into it.
    Function,
    /// A source line, in whatever functions; where the line is not known, a function.
    Line,
    /// All that lies in a source file.
    File,
    /// All functions of an executable or a library, with what was inlined into them.
    Object,
    /// All functions of a C++ class or namespace, or of a Rust module or type, likewise.
    Namespace,
    /// All functions of a Rust crate or an outermost C++ namespace, likewise.
    Crate,
    /// All instances of a template, or of a generic function, and all functions that differ in parameters alone, likewise.
    Template,
    /// All functions that are shown under one name, in whatever files and objects, likewise.
    Name,
    /// All functions of a bucket that the user defined, likewise.
    Bucket,
    /// What a thread executed.
    Thread,
    /// What was executed in one part of the profile.
    Part,
}

impl RowBy {
    /// Whether a row is no single function: it has no file and is in no cycle.
    pub fn is_group(self) -> bool {
        !matches!(self, RowBy::FileFunction | RowBy::Function | RowBy::Line)
    }

    /// What is above the column of labels.
    pub fn title(self) -> &'static str {
        match self {
            RowBy::FileFunction | RowBy::Function => "file:function",
            RowBy::Line => "file:line",
            RowBy::Thread => "thread",
            RowBy::Part => "part",
            RowBy::File => "file",
            RowBy::Object => "object",
            RowBy::Namespace => "namespace",
            RowBy::Crate => "crate",
            RowBy::Name | RowBy::Template => "function",
            RowBy::Bucket => "bucket",
        }
    }

    /// Whether rows are marked as members of call cycles.
    pub fn has_cycles(self) -> bool {
        !self.is_group() && self != RowBy::Line
    }

    /// Whether rows are called: lines, threads and parts are not.
    pub fn has_callers(self) -> bool {
        self != RowBy::Line && !self.splits_functions()
    }

    /// Whether functions are spread over rows, so that none has a row of its own: nobody calls such rows, and what is called
    /// from them is not called by another row.
    pub fn splits_functions(self) -> bool {
        matches!(self, RowBy::Thread | RowBy::Part)
    }

    /// What has to be kept apart for such rows while a profile is read.
    pub fn divide_by(self) -> DivideBy {
        match self {
            RowBy::Thread => DivideBy::Thread,
            RowBy::Part => DivideBy::Part,
            _ => DivideBy::Nothing,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    pub demangles: bool,
    pub short_names: bool,
    /// Which rows are requested: the object of a function, its name, and the file of a line decide.
    pub filter: Filter,
    pub row_by: RowBy,
    pub buckets: Vec<Bucket>,
    /// Of a difference: only equal names are the same.
    pub exact_match: bool,
}

pub(super) struct Groups<'o> {
    options: &'o RowOptions,
    /// The name of each group; empty if that is not known, or if it is no namespace.
    pub(super) names: NameTable,
    /// The groups so far, by the number of what decides: a file, an object, a division or the name of a function.
    known: HashMap<usize, u32>,
}

impl<'o> Groups<'o> {
    /// No group yet; none at all if rows are functions.
    pub(super) fn new(options: &'o RowOptions) -> Option<Groups<'o>> {
        options.row_by.is_group().then(|| Groups {
            options,
            names: NameTable::default(),
            known: HashMap::new(),
        })
    }

    pub(super) fn of(&mut self, profile: &Profile, fragment: Fragment) -> u32 {
        let (function, row_by) = (profile.function(fragment.function), self.options.row_by);
        let division = fragment.division.number();
        let decides = match row_by {
            RowBy::File => fragment.file.index(),
            RowBy::Object => function.object.index(),
            RowBy::Thread | RowBy::Part => division.map_or(0, |number| number + 1),
            _ => function.name.index(),
        };
        if let Some(&group) = self.known.get(&decides) {
            return group;
        }
        let name = match row_by {
            RowBy::File => profile.file(fragment.file).into(),
            RowBy::Object => (profile.defined_object(function.object).unwrap_or_default()).into(),
            RowBy::Thread | RowBy::Part => {
                (division.map_or(&b""[..], |number| profile.division(number))).into()
            }
            _ => self.group_name(profile.name(function.name)),
        };
        // There are no more than functions, files and objects, which are numbered too.
        let group = self.names.add(&name).unwrap_or(u32::MAX);
        self.known.insert(decides, group);
        group
    }

    /// The bucket or the namespace of a function, or its name as it is shown.
    fn group_name<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        match self.options.row_by {
            RowBy::Bucket => bucket_of(&self.options.buckets, name).to_vec().into(),
            RowBy::Namespace => namespace(&demangle(without_suffixes(name))).into(),
            RowBy::Crate => crate_of(&demangle(without_suffixes(name))).into(),
            RowBy::Template => short_function(&demangle(name)).into_owned().into(),
            _ => displayed(name, self.options.demangles),
        }
    }
}

/// The name of the group of functions that are in no bucket.
pub(super) const OTHER: &[u8] = b"(other)";

/// A name, and which functions it is for.
#[derive(Clone, Debug)]
pub struct Bucket {
    name: String,
    rules: Vec<Rule>,
}

impl Bucket {
    /// Reads `NAME=PATTERN|PATTERN`, with or without blanks around the name and the patterns. What is in slashes is one
    /// regular expression. What is wrong with it fits one line.
    pub fn parse(text: &str) -> Result<Bucket, String> {
        let parts = text.split_once('=');
        let (name, patterns) = parts.ok_or_else(|| "expected NAME=PATTERN".to_owned())?;
        let (name, patterns) = (name.trim(), patterns.trim());
        if name.is_empty() {
            return Err("a bucket without a name".to_owned());
        }
        let is_regex = patterns.len() > 1 && patterns.starts_with('/') && patterns.ends_with('/');
        let rule = |pattern: &str| {
            let pattern = Pattern::parse(pattern.trim()).map_err(|error| error.to_string())?;
            Ok(Rule::of("function", pattern))
        };
        let rules: Result<_, String> = match is_regex {
            true => rule(patterns).map(|rule| vec![rule]),
            false => patterns.split('|').map(rule).collect(),
        };
        Ok(Bucket {
            name: name.to_owned(),
            rules: rules?,
        })
    }

    /// Reads a bucket a line. Empty lines, and those that begin with `#`, are passed over. What is wrong has the
    /// number of its line, from 1.
    pub fn parse_lines(text: &str) -> Result<Vec<Bucket>, (usize, String)> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let read = |(at, line)| Bucket::parse(line).map_err(|error| (at + 1, error));
        lines.map(read).collect()
    }
}

/// The name of the first bucket that a function, by its name in the profile, belongs to.
pub(super) fn bucket_of<'b>(buckets: &'b [Bucket], name: &[u8]) -> &'b [u8] {
    let subject = Subject::new(None, b"", name);
    let is_match = |bucket: &&Bucket| bucket.rules.iter().any(|rule| rule.matches(&subject));
    let found = buckets.iter().find(is_match);
    found.map_or(OTHER, |bucket| bucket.name.as_bytes())
}

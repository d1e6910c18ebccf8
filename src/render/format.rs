//! The formats of a report: their names on the command line, and the options that they support. A format that is a
//! table of the list is defined in the file that writes it.

use std::io::{self, Write};

use super::line::Listed;

#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, and after `|` another spelling.
    names: &'static str,
    pub form: Form,
    /// The ids of the format-dependent options that this format supports, in groups.
    options: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text for people: the list, sources, instructions.
    Text,
    /// callgrind_annotate's page.
    Classic,
    /// Everything in the list, with callees and lines, as JSON.
    Json,
    /// The list as a table for programs.
    Table(WriteTable),
    /// The first rows of the list as a table, with short names, for people.
    Summary(WriteTable),
    Html,
    Folded,
    /// The flame graph of these stacks, as SVG.
    FlameGraph,
    Pprof,
    Dot,
    Callgrind,
}

pub type WriteTable = fn(&Listed<'_, '_>, &mut dyn Write) -> io::Result<()>;

pub(super) const fn format(
    names: &'static str,
    form: Form,
    options: &'static [&'static str],
) -> (&'static str, Format) {
    let format = Format { names, form, options };
    (names, format)
}

impl Form {
    pub fn has_list(self) -> bool {
        self.is_for_people() || matches!(self, Form::Json | Form::Table(_) | Form::Html)
    }

    /// Whether its rows are functions unless requested otherwise, and not the code of functions in
    /// each file, as in callgrind_annotate's page and for what selects among that code.
    pub fn lists_functions(self) -> bool {
        self.has_list() && !matches!(self, Form::Classic)
    }

    pub fn has_stacks(self) -> bool {
        matches!(self, Form::Folded | Form::FlameGraph | Form::Pprof)
    }

    pub fn is_for_people(self) -> bool {
        matches!(self, Form::Text | Form::Classic | Form::Summary(_))
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        self.names.split('|').next().unwrap_or_default()
    }

    pub fn has_option(self, option: &str) -> bool {
        self.options().any(|known| known == option)
    }

    /// The ids of the format-dependent options that it supports.
    pub fn options(self) -> impl Iterator<Item = &'static str> {
        self.options.iter().flat_map(|group| group.split_whitespace())
    }
}

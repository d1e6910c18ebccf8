//! The formats of a report: what the command line calls each, and which options have a use in it. A format that is a table of
//! the list is all in the file that writes it.

use std::io::{self, Write};

use super::list::Listed;

#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, and after `|` another spelling.
    names: &'static str,
    pub form: Form,
    /// Of the options that some format has no use for, those that this one has a use for, as they are named in code.
    options: &'static str,
}

/// What a report is in a format.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text for people: the list, sources, instructions.
    Text,
    /// Everything in the list, with callees and lines, as JSON.
    Json,
    /// The list as a table, for other programs.
    Table(WriteTable),
    /// The first rows of the list as a table, with short names, for people.
    Summary(WriteTable),
    /// A page for a browser.
    Html,
    /// Stacks for flame graphs.
    Folded,
    /// The flame graph of these stacks, as SVG.
    FlameGraph,
    /// These stacks of all events as a profile of pprof.
    Pprof,
    /// The call graph in the language of Graphviz.
    Dot,
    /// The profile in callgrind's format.
    Callgrind,
}

pub type WriteTable = fn(&Listed<'_, '_>, &mut dyn Write) -> io::Result<()>;

pub(super) const fn format(
    names: &'static str,
    form: Form,
    options: &'static str,
) -> (&'static str, Format) {
    let format = Format {
        names,
        form,
        options,
    };
    (names, format)
}

impl Form {
    pub fn has_list(self) -> bool {
        self.is_for_people() || matches!(self, Form::Json | Form::Table(_) | Form::Html)
    }

    /// Whether people read it, as it is or where it is pasted.
    pub fn is_for_people(self) -> bool {
        matches!(self, Form::Text | Form::Summary(_))
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        self.names.split('|').next().unwrap_or_default()
    }

    pub fn has_option(self, option: &str) -> bool {
        self.options.split(' ').any(|known| known == option)
    }
}

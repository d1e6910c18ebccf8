//! What a format of a report is: one entry of the table in [`formats`](super::formats). All other
//! code asks the members of that entry, and only the choice of the writer asks for a format itself.

use std::io::{self, Write};

use super::chosen::ColumnLayout;
use super::line::ReportLines;
use crate::view::Why;

/// A format: an entry of [`FORMATS`](super::FORMATS).
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, and after `|` another spelling.
    pub names: &'static str,
    pub writer: FormatWriter,
    pub content: Contents,
    /// What it can have, and so which options it takes.
    pub features: Features,
    /// Why it lacks features, where the features themselves do not say it.
    pub reasons: &'static [(Features, &'static str)],
    /// Whether people read it: with short names, and without costs that were not requested.
    pub is_for_people: bool,
    /// Whether a browser orders and filters its rows, of which none are left out for that.
    pub is_for_browsers: bool,
    /// Whether it is callgrind_annotate's page, whose rows are the code of functions in each file.
    pub is_classic: bool,
    /// Whether lists, sources and instructions are in columns, with titles of one line.
    pub is_columns: bool,
    /// Which columns its list has.
    pub layout: ColumnLayout,
    /// Whether its list has the lines and the calls of each row.
    pub has_details: bool,
    /// Whether a difference has all events and numbers of calls, and rows where any of them
    /// changed.
    pub compares_all: bool,
    /// Whether it says how many rows were left out.
    pub shows_omitted: bool,
    pub ratios: RatioStyle,
    /// Where its list ends if no option says so, and where a filtered list does.
    pub length: Length,
    pub filtered_length: Length,
    /// The header that it has by default, and the requested one.
    pub headers: [HeaderKind; 2],
    /// Whether recursion levels are merged by default.
    pub folds_recursion: bool,
    /// Whether sources are annotated by default.
    pub annotates: bool,
    /// Whether names are short by default.
    pub short_names: bool,
    /// The width of short names and files, if it does not depend on where the report goes.
    pub width: Option<usize>,
    /// The delimiter of fields.
    pub delimiter: u8,
    /// Whether control characters are always escaped.
    pub is_escaped: bool,
    /// Whether file names are those of the profile, whatever the current directory.
    pub has_full_paths: bool,
    /// Whether it needs source lines for any kind of rows.
    pub reads_lines: bool,
    /// Whether it shows the lines at which called functions begin.
    pub reads_targets: bool,
    /// Whether it shows the addresses of functions, if they are recorded.
    pub reads_addresses: bool,
}

/// What writes a format.
#[derive(Clone, Copy, Debug)]
pub enum FormatWriter {
    /// The list, sources and instructions for people.
    Page,
    Json,
    Html,
    /// The list as a table, which this function writes.
    Table(WriteTable),
    Folded,
    /// The flame graph of these stacks, as SVG.
    FlameGraph,
    /// A note says it if the format was requested by Speedscope's name.
    Pprof {
        is_for_speedscope: bool,
    },
    Dot,
    Callgrind,
}

/// Writes the lines of a list, and of a difference why its largest rows changed.
pub type WriteTable = fn(&ReportLines<'_, '_>, Option<&Why>, &mut dyn Write) -> io::Result<()>;

/// What a format writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// A list of rows, perhaps with sources and instructions.
    List,
    Stacks,
    /// A graph of functions and their calls.
    Graph,
    /// A profile that can be read again.
    Profile,
}

/// How events are shown that are not whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioStyle {
    /// As all other events.
    Columns,
    /// Apart from the events whose counts are whole numbers.
    Members,
    /// Counts may have decimals, but ratios are refused.
    Decimals,
    Refused,
}

/// Where a list ends.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Whether its rows are those that cover the default threshold.
    pub is_cut: bool,
    /// The maximum number of rows.
    pub rows: Option<usize>,
}

impl Length {
    pub(super) const ALL: Length = Length { is_cut: false, rows: None };
}

/// How much is above a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// The command, the profile and the options of the report.
    Full,
    /// One line: the command and its total.
    Line,
    None,
}

/// What a report can have. An option is about one of these, or has an effect in every format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Code is selected.
    Filters,
    /// Costs of other code are charged to its callers, or inlined functions are functions.
    OtherFunctions,
    Difference,
    /// Several profiles, each in a column.
    Series,
    /// Rows are sorted by events.
    Order,
    /// A list ends where rows cover a percentage.
    Threshold,
    /// A list ends after a number of rows, or at small ones.
    Length,
    Inclusive,
    /// Numbers of calls.
    Calls,
    /// The columns can be chosen.
    Columns,
    /// Rows of different kinds.
    Rows,
    /// Rows that are instructions.
    InstructionRows,
    Buckets,
    Tree,
    /// Trees of several levels.
    Depth,
    /// What a row consists of.
    Nested,
    Cycles,
    /// Names are demangled.
    Demangling,
    ShortNames,
    /// Costs are divided by numbers of calls.
    PerCalls,
    Percentages,
    Header,
    Width,
    Colours,
    Sources,
    /// The sources of both sides of a difference.
    BaseSources,
    Instructions,
    /// Executions and jumps.
    Executions,
    /// The user's most expensive lines.
    OwnLines,
    /// Stacks can begin with the innermost function.
    Inverted,
    /// Links to an editor.
    Editor,
    /// Why the largest rows of a difference changed.
    Reasons,
}

impl Feature {
    /// Whether options about it say what a list has, and nothing of sources.
    pub fn is_of_lists(self) -> bool {
        matches!(
            self,
            Feature::Threshold
                | Feature::Length
                | Feature::Inclusive
                | Feature::Calls
                | Feature::Columns
                | Feature::Rows
                | Feature::Buckets
                | Feature::Tree
                | Feature::Depth
                | Feature::Nested
                | Feature::PerCalls
        )
    }

    /// Why an option about a feature has no effect without it, where the option does not say so.
    fn reason(self) -> &'static str {
        match self {
            Feature::Sources | Feature::BaseSources => "it has no sources",
            Feature::Percentages => "it has no percentages",
            Feature::Colours => "it has no colours",
            Feature::Inverted => "stacks are inverted with --format=flamegraph and folded",
            Feature::Editor => "it has no links",
            _ => "",
        }
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug)]
pub struct Features(u32);

impl Features {
    pub(super) const NONE: Features = Features(0);

    pub(super) const ALL: Features = Features(u32::MAX);

    pub(super) const fn of(features: &[Feature]) -> Features {
        Features::NONE.and(features)
    }

    pub(super) const fn and(self, features: &[Feature]) -> Features {
        let mut all = self;
        let mut at = 0;
        while at < features.len() {
            all.0 |= 1 << features[at] as u32;
            at += 1;
        }
        all
    }

    pub(super) const fn without(self, feature: Feature) -> Features {
        Features(self.0 & !(1 << feature as u32))
    }

    pub const fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u32 != 0
    }
}

/// The features that select or move code, which all formats but callgrind_annotate's page have.
pub(super) const CODE: Features = Features::of(&[Feature::Filters, Feature::OtherFunctions]);

/// What all formats have in which the list is a table of rows.
pub(super) const TABLE: Features = CODE.and(&[
    Feature::Difference,
    Feature::Series,
    Feature::Order,
    Feature::Threshold,
    Feature::Length,
    Feature::Inclusive,
    Feature::Calls,
    Feature::Columns,
    Feature::Rows,
    Feature::Buckets,
    Feature::Cycles,
    Feature::Demangling,
    Feature::PerCalls,
    Feature::Percentages,
]);

/// What most formats are: the entries of others name what differs.
pub(super) const PLAIN: Format = Format {
    names: "",
    writer: FormatWriter::Page,
    content: Contents::List,
    features: CODE,
    reasons: &[],
    is_for_people: false,
    is_for_browsers: false,
    is_classic: false,
    is_columns: false,
    layout: ColumnLayout::Costs,
    has_details: false,
    compares_all: false,
    shows_omitted: false,
    ratios: RatioStyle::Refused,
    length: Length::ALL,
    filtered_length: Length::ALL,
    headers: [HeaderKind::None; 2],
    folds_recursion: false,
    annotates: false,
    short_names: false,
    width: None,
    delimiter: b',',
    is_escaped: false,
    has_full_paths: false,
    reads_lines: false,
    reads_targets: false,
    reads_addresses: false,
};

impl Format {
    pub fn name(self) -> &'static str {
        self.names.split('|').next().unwrap_or_default()
    }

    pub fn has(self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// Whether it is a table of the list for people, such as Markdown.
    pub fn is_table_for_people(self) -> bool {
        self.is_for_people && matches!(self.writer, FormatWriter::Table(_))
    }

    pub fn has_list(self) -> bool {
        self.content == Contents::List
    }

    /// Whether it has stacks, as files or in the flame graph of a page.
    pub fn has_stacks(self) -> bool {
        self.content == Contents::Stacks || self.is_for_browsers
    }

    /// Whether it is a list that programs read.
    pub fn is_for_programs(self) -> bool {
        self.has_list() && !self.is_for_people
    }

    /// Whether its rows are functions unless requested otherwise, and not the code of functions in
    /// each file, as in callgrind_annotate's page and for what selects among that code.
    pub fn lists_functions(self) -> bool {
        self.has_list() && !self.is_classic
    }

    /// Why it lacks a feature; empty if there is no more to say.
    pub fn reason(self, feature: Feature) -> &'static str {
        let own = self
            .reasons
            .iter()
            .find(|(features, _)| features.has(feature))
            .map(|(_, reason)| *reason);
        own.unwrap_or(feature.reason())
    }

    /// The entry of a table of words.
    pub(super) const fn named(self) -> (&'static str, Format) {
        (self.names, self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::FORMATS;
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        let mut spellings: Vec<_> =
            FORMATS.iter().flat_map(|(names, _)| names.split('|')).collect();
        let count = spellings.len();
        spellings.sort_unstable();
        spellings.dedup();
        assert_eq!(spellings.len(), count);
        assert!(!spellings.contains(&""));
    }

    #[test]
    fn only_lists_have_what_lists_have() {
        use Feature::{Calls, Columns, Depth, Header, Inclusive, Nested, Threshold, Tree};
        for (name, format) in FORMATS {
            let of_lists = [Calls, Columns, Depth, Header, Inclusive, Nested, Threshold, Tree];
            let has_some = of_lists.into_iter().any(|feature| format.has(feature));
            assert!(format.has_list() || !has_some, "{name}");
        }
    }

    #[test]
    fn a_set_has_its_features() {
        let set = Features::of(&[Feature::Order, Feature::Executions]);
        assert!(set.has(Feature::Order) && set.has(Feature::Executions));
        assert!(!set.has(Feature::Filters) && !Features::NONE.has(Feature::Order));
        assert!(Features::ALL.has(Feature::Executions));
    }
}

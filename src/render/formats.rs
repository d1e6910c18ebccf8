//! The table of formats. A format that is a table of the list has its entry in the file that writes
//! it.

use super::chosen::ColumnLayout;
use super::csv;
use super::format::{
    CODE, Contents, Feature, Features, Format, FormatWriter, HeaderKind, Length, PLAIN, RatioStyle,
    TABLE,
};
use super::markdown::MARKDOWN;

pub const FORMATS: &[(&str, Format)] = &[
    TEXT.named(),
    CLASSIC.named(),
    JSON.named(),
    csv::CSV.named(),
    csv::TSV.named(),
    MARKDOWN.named(),
    HTML.named(),
    FOLDED.named(),
    FLAME_GRAPH.named(),
    PPROF.named(),
    SPEEDSCOPE.named(),
    DOT.named(),
    CALLGRIND.named(),
];

/// cgannotate's own list, sources and instructions.
pub const TEXT: Format = Format {
    names: "text",
    features: Features::ALL.without(Feature::Editor).without(Feature::Inverted),
    is_for_people: true,
    is_columns: true,
    layout: ColumnLayout::Text,
    shows_omitted: true,
    ratios: RatioStyle::Columns,
    length: Length { is_cut: true, rows: Some(40) },
    filtered_length: Length { is_cut: false, rows: Some(1000) },
    headers: [HeaderKind::Line, HeaderKind::Full],
    folds_recursion: true,
    short_names: true,
    reads_lines: true,
    ..PLAIN
};

/// callgrind_annotate's page, byte for byte, because scripts parse it.
pub const CLASSIC: Format = Format {
    names: "classic",
    features: Features::of(&[
        Feature::Order,
        Feature::Threshold,
        Feature::Inclusive,
        Feature::Tree,
        Feature::Cycles,
        Feature::Demangling,
        Feature::ShortNames,
        Feature::Percentages,
        Feature::Colours,
        Feature::Header,
        Feature::Sources,
    ]),
    reasons: &[
        (Features::of(&[Feature::OtherFunctions]), "its functions are those of the profile"),
        (
            Features::of(&[
                Feature::Calls,
                Feature::Columns,
                Feature::Width,
                Feature::PerCalls,
                Feature::Executions,
            ]),
            "its columns are the costs of events",
        ),
        (
            Features::of(&[
                Feature::Difference,
                Feature::Instructions,
                Feature::Nested,
                Feature::Depth,
            ]),
            "callgrind_annotate has no such view",
        ),
        (Features::ALL, "its rows are the code of each function in each file, up to --threshold"),
    ],
    is_for_people: true,
    is_classic: true,
    ratios: RatioStyle::Columns,
    length: Length { is_cut: true, rows: None },
    filtered_length: Length { is_cut: true, rows: None },
    headers: [HeaderKind::Full; 2],
    annotates: true,
    reads_lines: true,
    ..PLAIN
};

/// Everything in the list, with callees and lines, for programs.
const JSON: Format = Format {
    names: "json",
    writer: FormatWriter::Json,
    features: TABLE.and(&[
        Feature::InstructionRows,
        Feature::Tree,
        Feature::Depth,
        Feature::Nested,
        Feature::Instructions,
        Feature::Executions,
        Feature::Reasons,
        Feature::OwnLines,
    ]),
    layout: ColumnLayout::Exact,
    has_details: true,
    compares_all: true,
    shows_omitted: true,
    ratios: RatioStyle::Members,
    has_full_paths: true,
    reads_lines: true,
    reads_targets: true,
    folds_recursion: true,
    ..PLAIN
};

/// A page for a browser: the list, sources and a flame graph.
const HTML: Format = Format {
    names: "html",
    writer: FormatWriter::Html,
    features: CODE.and(&[
        Feature::Difference,
        Feature::Series,
        Feature::Order,
        Feature::Threshold,
        Feature::Length,
        Feature::Inclusive,
        Feature::Buckets,
        Feature::Cycles,
        Feature::Demangling,
        Feature::PerCalls,
        Feature::Sources,
        Feature::BaseSources,
        Feature::Editor,
        Feature::Reasons,
        Feature::OwnLines,
    ]),
    is_for_browsers: true,
    has_details: true,
    shows_omitted: true,
    ratios: RatioStyle::Members,
    folds_recursion: true,
    annotates: true,
    reads_lines: true,
    ..PLAIN
};

const FOLDED: Format = Format {
    names: "folded",
    writer: FormatWriter::Folded,
    content: Contents::Stacks,
    features: CODE.and(&[
        Feature::Inverted,
        Feature::Difference,
        Feature::Order,
        Feature::Length,
        Feature::Rows,
        Feature::Buckets,
        Feature::Demangling,
    ]),
    ..PLAIN
};

const FLAME_GRAPH: Format =
    Format { names: "flamegraph", writer: FormatWriter::FlameGraph, ..FOLDED };

const PPROF: Format = Format {
    names: "pprof",
    writer: FormatWriter::Pprof { is_for_speedscope: false },
    content: Contents::Stacks,
    features: CODE.and(&[
        Feature::Order,
        Feature::Length,
        Feature::Rows,
        Feature::Buckets,
        Feature::Demangling,
    ]),
    reads_lines: true,
    reads_addresses: true,
    ..PLAIN
};

const SPEEDSCOPE: Format = Format {
    names: "speedscope",
    writer: FormatWriter::Pprof { is_for_speedscope: true },
    ..PPROF
};

const DOT: Format = Format {
    names: "dot",
    writer: FormatWriter::Dot,
    content: Contents::Graph,
    features: CODE.and(&[
        Feature::Difference,
        Feature::Order,
        Feature::Length,
        Feature::Rows,
        Feature::Buckets,
        Feature::Cycles,
        Feature::Demangling,
        Feature::ShortNames,
        Feature::PerCalls,
    ]),
    reasons: &[(Features::of(&[Feature::Instructions]), "its nodes are functions")],
    ratios: RatioStyle::Decimals,
    short_names: true,
    ..PLAIN
};

const CALLGRIND: Format = Format {
    names: "callgrind",
    writer: FormatWriter::Callgrind,
    content: Contents::Profile,
    has_full_paths: true,
    reads_lines: true,
    reads_targets: true,
    ..PLAIN
};

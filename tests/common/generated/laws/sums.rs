//! Sums: in every view the costs are those of the cost lines, and the page has the numbers of the
//! views.

use std::collections::BTreeMap;

use cgannotate::internal::profile::{Profile, Sides};
use cgannotate::internal::render::{
    self, ChosenColumns, MeasureTables, Report, ReportLines, ShownCosts,
};
use cgannotate::internal::source::Finder;
use cgannotate::internal::transform::InlinedObjects;
use cgannotate::internal::view::{
    Annotator, CallTree, Choice, Choices, List, ListBy, PathDirection, RowBy, Rows, Selection,
    Total,
};

use super::super::tables::{Graphs, all_rows, calls, costs, counted};
use super::{add, plain_style, readable, rows_by};

/// The kinds of rows that any profile has.
pub(super) const KINDS: [RowBy; 8] = [
    RowBy::FileFunction,
    RowBy::Function,
    RowBy::File,
    RowBy::Folder,
    RowBy::Object,
    RowBy::Namespace,
    RowBy::Name,
    RowBy::Bucket,
];

/// Checks that in every view the costs are those of the cost lines, and that the page has the
/// numbers of the views. Sources are looked for in `folder`.
pub fn sums_hold(profile: &Profile, folder: &[u8]) {
    let (selection, events) = (all_rows(profile), profile.events().len());
    let total = Total::of(profile);
    if profile.parts().iter().all(|part| part.is_calculated) {
        let mut cost = vec![0; events];
        add(&mut cost, &total.figure.value);
        assert_eq!(cost, counted(profile), "the total");
    }
    for row_by in KINDS {
        rows_add_up(profile, row_by, &counted(profile));
        calls_add_up(profile, row_by);
    }
    let rows = Rows::new(profile, &readable());
    let list = List::new(&rows, &selection, &total, ListBy::SelfCost);
    let same_rows = Rows::new(profile, &readable());
    let same_list = List::new(&same_rows, &selection, &total, ListBy::SelfCost);
    numbers_are_read_back(same_list, same_rows, &total, &selection);
    lines_add_up(profile, &rows, &selection, &list, folder);
    let graphs = Graphs::new(profile, &readable());
    let (rows, list) = (&graphs.rows, graphs.list(&selection));
    if profile.calls.is_empty() {
        let sum = sum_of(&list, rows, events);
        assert_eq!(sum, counted(profile), "inclusive without calls");
    }
    let same_graphs = Graphs::new(profile, &readable());
    let same_list = same_graphs.list(&selection);
    numbers_are_read_back(same_list, same_graphs.rows, &total, &selection);
}

/// Checks that the rows of this kind add up to the cost lines, and those of a difference to that of
/// both sides.
pub fn rows_add_up(profile: &Profile, row_by: RowBy, expected: &[i128]) {
    let rows = Rows::new(profile, &rows_by(row_by));
    let (selection, total) = (all_rows(profile), Total::of(profile));
    let list = List::new(&rows, &selection, &total, ListBy::SelfCost);
    let sum = sum_of(&list, &rows, expected.len());
    assert_eq!(sum, expected, "rows by {row_by:?}");
}

/// The sums of all rows of a list.
pub fn sum_of(list: &List, rows: &Rows<'_>, events: usize) -> Vec<i128> {
    let mut sum = vec![0; events];
    list.lines(rows).for_each(|line| add(&mut sum, line.cost.value));
    sum
}

/// Each call is one by others or by the row itself. Callers and callees of all rows are the calls
/// of the profile, each on both ends; between groups those that leave one.
fn calls_add_up(profile: &Profile, row_by: RowBy) {
    let mut selection = all_rows(profile);
    let graphs = Graphs::new(profile, &rows_by(row_by));
    let rows = &graphs.rows;
    let tree = CallTree::new(&graphs.of, rows, false);
    let none = || (0, vec![0; profile.events().len()]);
    let (mut recorded, mut ends) = (none(), [none(), none()]);
    for call in calls(profile) {
        recorded.0 += i128::from(call.count);
        add(&mut recorded.1, call.cost);
    }
    for item in rows.all() {
        let of_item = [
            tree.calls(PathDirection::Callers, item, rows, &selection),
            tree.calls(PathDirection::Callees, item, rows, &selection),
        ];
        for (sum, lines) in ends.iter_mut().zip(of_item) {
            for line in lines {
                if !rows.is_row(line.row) {
                    continue;
                }
                sum.0 += i128::from(line.count.unwrap().value.by_others.or_zero());
                add(&mut sum.1, line.cost().value);
            }
        }
    }
    assert_eq!(ends[0], ends[1], "callers and callees by {row_by:?}");
    assert!(row_by.is_group() || ends[0] == recorded, "{row_by:?}");
    selection.list.shows_calls = true;
    let list = graphs.list(&selection);
    let counts = list.items.iter().zip(list.figures());
    let of_rows = counts.filter(|(item, _)| rows.is_row(**item)).map(|(_, (_, calls))| {
        let calls = calls.unwrap().value;
        i128::from(calls.by_others.or_zero()) + i128::from(calls.recursive.or_zero())
    });
    assert_eq!(of_rows.sum::<i128>(), recorded.0, "calls by {row_by:?}");
}

/// The lines of each annotated file are what was counted in it.
fn lines_add_up(
    profile: &Profile,
    rows: &Rows<'_>,
    selection: &Selection,
    list: &List,
    folder: &[u8],
) {
    let mut by_file: BTreeMap<&[u8], Vec<i128>> = BTreeMap::new();
    for (place, cost) in costs(profile) {
        add(by_file.entry(profile.file(place.file)).or_default(), cost);
    }
    let finder = Finder::new(vec![folder.to_vec()], Vec::new());
    let graphs = Graphs::new(profile, &readable());
    let choices = Choices::new(rows, selection, list, &finder, &[], true, false).files;
    let annotator = Annotator::new(&graphs.of.sides, rows, selection, 2, &choices, None);
    code_elsewhere_adds_up(profile, rows, selection, &choices, &graphs);
    for choice in &choices {
        let Some(found) = &choice.lookup.found else {
            continue;
        };
        let annotation = match annotator.annotate(choice, found, &[], None) {
            Ok(annotated) => annotated.annotation,
            Err(_) => continue,
        };
        let mut sum = vec![0; profile.events().len()];
        if let Some(annotation) = annotation {
            let length = annotation.text.length();
            let lines = || annotation.lines.iter();
            let unidentified = annotation.lines.unidentified.iter();
            unidentified.for_each(|cost| add(&mut sum, &cost.value));
            lines().for_each(|line| add(&mut sum, line.cost.value));
            let (mut annotated, mut with_source) = (vec![0; sum.len()], vec![0; sum.len()]);
            let known = lines().filter(|line| line.line <= length);
            known.for_each(|line| add(&mut with_source, line.cost.value));
            let cost = annotation.cost(profile.events());
            add(&mut annotated, &cost.value);
            assert_eq!(annotated, with_source, "events annotated");
        }
        let counted = by_file.get(&choice.name[..]).cloned().unwrap_or_else(|| vec![0; sum.len()]);
        assert_eq!(sum, counted, "{}", choice.name.escape_ascii());
    }
}

/// Where nothing is known of inlined code, each source shows all code and calls of its functions in
/// other files.
fn code_elsewhere_adds_up(
    profile: &Profile,
    rows: &Rows<'_>,
    selection: &Selection,
    choices: &[Choice],
    graphs: &Graphs<'_>,
) {
    let functions = Rows::new(profile, &rows_by(RowBy::Function));
    let own = |function| functions.label_of(functions.of_function(function)).file.unwrap();
    let none = || (vec![0; profile.events().len()], 0);
    let mut by_file: BTreeMap<&[u8], (Vec<i128>, i128)> = BTreeMap::new();
    for (place, cost) in costs(profile) {
        let own = own(place.function);
        if own != profile.file(place.file) {
            add(&mut by_file.entry(own).or_insert_with(none).0, cost);
        }
    }
    for call in calls(profile) {
        let own = own(call.site.function);
        if own != profile.file(call.site.file) {
            by_file.entry(own).or_insert_with(none).1 += i128::from(call.count);
        }
    }
    let base = profile.sides().base.as_ref().map(|_| InlinedObjects::new());
    let unknown = Sides::of(InlinedObjects::new(), base);
    let annotator =
        Annotator::new(&graphs.of.sides, rows, selection, 2, choices, None).with_inlined(&unknown);
    for choice in choices {
        let Some(found) = &choice.lookup.found else {
            continue;
        };
        let Ok(annotated) = annotator.annotate(choice, found, &[], None) else {
            continue;
        };
        let mut sum = none();
        if let Some(annotation) = &annotated.annotation {
            let lines = &annotation.lines;
            let elsewhere = lines.iter().filter_map(|line| line.elsewhere());
            for elsewhere in elsewhere.chain(lines.elsewhere()) {
                add(&mut sum.0, elsewhere.cost.value);
                let counts = elsewhere.calls().map(|(_, calls, _)| calls.value.by_others);
                sum.1 += counts.map(|count| i128::from(count.or_zero())).sum::<i128>();
            }
        }
        let expected = by_file.get(&choice.name[..]).cloned().unwrap_or_else(none);
        assert_eq!(sum, expected, "code elsewhere of {}", choice.name.escape_ascii());
    }
}

/// The page of a list has the list's numbers, in its order.
fn numbers_are_read_back(list: List, rows: Rows<'_>, total: &Total, selection: &Selection) {
    let style = |escapes| plain_style(rows.profile, &selection.shown, total, escapes);
    let styles = [false, true].map(style);
    let mut report = Report {
        list,
        rows,
        total,
        style: styles[0],
        verdicts: &[],
        kept: Vec::new(),
        renamed: Vec::new(),
        costs: ShownCosts::Listed,
        own: None,
        inclusive: None,
        tables: MeasureTables::default(),
        columns: ChosenColumns::of_costs(styles[0]),
        program: None,
    };
    for style in styles {
        report.style = style;
        let mut page = Vec::new();
        let lines = ReportLines { report: &report, tree: None, nested: None };
        render::write_functions(&lines, &mut page).unwrap();
        let (list, rows, escapes) = (&report.list, &report.rows, style.escapes);
        let is_safe = |&b: &u8| b >= b' ' && b != 0x7f || b == b'\t' || b == b'\n';
        assert!(!escapes || page.iter().all(is_safe));
        let mut lines = page.split(|&b| b == b'\n').skip(3);
        for row in list.lines(rows) {
            let line = lines.next().unwrap();
            let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
            for count in row.cost.value {
                assert_eq!(read_back(words.next().unwrap()), count.value());
            }
        }
        assert_eq!(lines.collect::<Vec<_>>(), [&b""[..], b""]);
    }
}

/// The number that a word of the page says.
fn read_back(word: &[u8]) -> Option<i64> {
    let text = String::from_utf8(word.to_vec()).unwrap().replace(',', "");
    (text != ".").then(|| text.parse().unwrap())
}

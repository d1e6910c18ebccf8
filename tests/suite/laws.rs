//! What holds for every profile, whatever is in it: costs are neither lost nor made on their way from the
//! file to the page. Used by the tests of generated profiles and by the fuzz targets.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};

use cgannotate::profile::{Count, FunctionId, Part, Place, Profile};
use cgannotate::read::{self, Detail, ReadOptions};
use cgannotate::render::{self, Style};
use cgannotate::source::Finder;
use cgannotate::view::{
    AnnotateError, AnnotateOptions, Annotator, Calls, Cycles, FunctionList, Inclusive, Item, Label,
    RowOptions, Rows, Selection, SelectionOptions, Threshold, Total, Written,
};

/// What reading gives: the profile and the warnings, or why there is none.
pub type Outcome = Result<(Profile, Vec<String>), String>;

/// Less than all: what a list of functions needs, and what it needs with the calls around each.
const LESS: [Detail; 2] = [
    Detail {
        lines: false,
        calls: false,
    },
    Detail {
        lines: false,
        calls: true,
    },
];

/// Reads from anything that gives bytes.
pub fn read_from(bytes: impl Read + Send + 'static) -> Outcome {
    read_detail(bytes, Detail::default())
}

/// Reads so much of it.
fn read_detail(bytes: impl Read + Send + 'static, detail: Detail) -> Outcome {
    let mut profile = Profile::default();
    let options = ReadOptions {
        detail,
        ..ReadOptions::default()
    };
    match read::read_from(bytes, b"p.out", &options, &mut profile) {
        Ok(warnings) => {
            let told = warnings.listed().iter();
            let mut told: Vec<_> = told.map(|(line, w)| format!("{line}: {w}")).collect();
            told.push(format!("{} more", warnings.unlisted()));
            Ok((profile, told))
        }
        Err(error) => Err(format!("{:?}: {error}", error.line)),
    }
}

/// Reads a text.
pub fn read_text(text: &[u8]) -> Outcome {
    read_from(Cursor::new(text.to_vec()))
}

/// All that a profile holds, in order, as text.
pub fn dump(profile: &Profile) -> Vec<String> {
    let mut all: Vec<String> = profile
        .parts
        .iter()
        .map(|part| format!("{part:?}"))
        .collect();
    all.extend(
        profile
            .events
            .names()
            .map(|name| name.escape_ascii().to_string()),
    );
    let function = |id| describe(profile, id);
    for (at, cost) in profile.costs.iter() {
        let file = profile.file(at.file).escape_ascii();
        all.push(format!(
            "{} {file}:{} {cost:?}",
            function(at.function),
            at.line
        ));
    }
    for (call, count, cost) in profile.calls() {
        let (site, file) = (call.site, profile.file(call.site.file).escape_ascii());
        let (caller, callee) = (function(site.function), function(call.callee));
        all.push(format!(
            "{caller} {file}:{} > {callee} {count} {cost:?}",
            site.line
        ));
    }
    all
}

/// All that is known of a function.
fn describe(profile: &Profile, id: FunctionId) -> String {
    let f = profile.function(id);
    let (object, file, name) = (
        profile.object(f.object).escape_ascii(),
        profile.file(f.file).escape_ascii(),
        profile.name(f.name).escape_ascii(),
    );
    format!("{object}|{file}|{name}|{}", f.last_seen)
}

/// The outcome as text.
fn dump_of(outcome: Outcome) -> Result<(Vec<String>, Vec<String>), String> {
    outcome.map(|(profile, warnings)| (dump(&profile), warnings))
}

/// Gives its bytes in pieces of these sizes, over and over.
struct Drip {
    bytes: Cursor<Vec<u8>>,
    sizes: Vec<u8>,
    next: usize,
}

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = usize::from(self.sizes[self.next % self.sizes.len()]) + 1;
        self.next += 1;
        let size = size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

/// Cost lines that the reader may take together are the same profile as with a comment after each line, and
/// what is wrong with one is told of the same line.
pub fn lines_may_stand_apart(text: &[u8]) {
    if text.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    let apart = lines.join(&b"\n#\n"[..]);
    let line_before = |told: &String| {
        let (line, what) = told.split_once(": ").unwrap_or((told, ""));
        let some = line.strip_prefix("Some(").and_then(|n| n.strip_suffix(')'));
        let before = |n: &str| n.parse().ok().map(|n: u64| n.div_ceil(2));
        match (some.and_then(before), before(line)) {
            (Some(line), _) => format!("Some({line}): {what}"),
            (None, Some(line)) => format!("{line}: {what}"),
            (None, None) => told.clone(),
        }
    };
    for detail in [Detail::default()].iter().chain(&LESS) {
        let read = |text: &[u8]| read_detail(Cursor::new(text.to_vec()), *detail);
        let apart = match read(&apart) {
            Ok((profile, told)) => Ok((dump(&profile), told.iter().map(line_before).collect())),
            Err(told) => Err(line_before(&told)),
        };
        assert_eq!(dump_of(read(text)), apart, "{detail:?}");
    }
}

/// What is kept if lines and calls are not asked for is what else they add up to. Only sums that do not fit may be
/// others.
pub fn detail_changes_no_sum(text: &[u8]) {
    let read = |detail| read_detail(Cursor::new(text.to_vec()), detail);
    let of_sum = |error: &String| error.contains("a sum of counts does not fit");
    let full = read(Detail::default());
    for detail in LESS {
        match (&full, read(detail)) {
            (Ok((full, told)), Ok((less, told_too))) => {
                assert_eq!(*told, told_too, "{detail:?}");
                assert_eq!(coarse(full, detail), coarse(&less, detail), "{detail:?}");
            }
            (Err(error), Ok(_)) => assert!(of_sum(error), "{detail:?}: {error}"),
            (Ok(_), Err(error)) => assert!(of_sum(&error), "{detail:?}: {error}"),
            // One that does not fit may stand before what is wrong for both.
            (Err(error), Err(less)) => {
                let is_sum = of_sum(error) || of_sum(&less);
                assert!(*error == less || is_sum, "{detail:?}: {error}, {less}");
            }
        }
    }
}

/// Costs by function and file, how often calls were made, and the sums of counts: none if all are undefined.
type Coarse = BTreeMap<String, (i128, Vec<Option<i128>>)>;

/// What a profile holds, without what is not of interest.
fn coarse(profile: &Profile, detail: Detail) -> Coarse {
    let mut rows = Coarse::new();
    let mut add = |key: String, count: i64, cost: &[Count]| {
        let row = rows.entry(key).or_default();
        row.0 += i128::from(count);
        row.1.resize(cost.len(), None);
        for (sum, count) in row.1.iter_mut().zip(cost) {
            if let Some(value) = count.value() {
                *sum = Some(sum.unwrap_or(0) + i128::from(value));
            }
        }
    };
    let place = |at: Place| {
        let file = profile.file(at.file).escape_ascii();
        format!("{} {file}", describe(profile, at.function))
    };
    for (at, cost) in profile.costs.iter() {
        add(place(at), 0, cost);
    }
    for (call, count, cost) in profile.calls() {
        if detail.calls {
            let callee = describe(profile, call.callee);
            add(format!("{} > {callee}", place(call.site)), count, cost);
        } else {
            add(place(call.site), 0, &vec![Count::UNDEFINED; cost.len()]);
        }
    }
    rows
}

/// In whatever pieces the bytes come, and packed, they are the same profile.
pub fn pieces_do_not_matter(text: &[u8], sizes: &[u8]) {
    if text.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let whole = dump_of(read_text(text));
    let sizes = if sizes.is_empty() {
        vec![0]
    } else {
        sizes.to_vec()
    };
    let drip = Drip {
        bytes: Cursor::new(text.to_vec()),
        sizes,
        next: 0,
    };
    assert_eq!(dump_of(read_from(drip)), whole);
    // In two members, cut in the middle.
    let (first, second) = text.split_at(text.len() / 2);
    let packed = [pack(first), pack(second)].concat();
    assert_eq!(dump_of(read_text(&packed)), whole);
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).unwrap();
    gzip.finish().unwrap()
}

/// All rows, by the events in their order.
pub fn all_rows(profile: &Profile) -> Selection {
    let threshold = Threshold::parse("100").unwrap();
    let options = SelectionOptions {
        threshold,
        ..SelectionOptions::default()
    };
    Selection::new(&options, &profile.events).unwrap()
}

/// Rows with readable names, nothing left out.
pub fn readable() -> RowOptions {
    RowOptions {
        demangles: true,
        ..RowOptions::default()
    }
}

fn add(sum: &mut Vec<i128>, cost: &[Count]) {
    sum.resize(sum.len().max(cost.len()), 0);
    sum.iter_mut()
        .zip(cost)
        .for_each(|(sum, count)| *sum += i128::from(count.or_zero()));
}

/// What the cost lines of all parts add up to.
fn counted(profile: &Profile) -> Vec<i128> {
    let mut sum = vec![0; profile.events.len()];
    for part in &profile.parts {
        for (&event, count) in part.columns.iter().zip(&part.self_cost) {
            sum[event] += i128::from(count.or_zero());
        }
    }
    sum
}

fn sum_of(list: &FunctionList, rows: &Rows<'_>, events: usize) -> Vec<i128> {
    let mut sum = vec![0; events];
    list.lines(rows).for_each(|line| add(&mut sum, line.cost));
    sum
}

/// In every view the costs are those of the cost lines, and the page has the numbers of the views. What does
/// not fit into 64 bits is no finding. Sources are looked for in `folder`.
pub fn sums_hold(profile: &Profile, folder: &[u8]) {
    let (selection, events) = (all_rows(profile), profile.events.len());
    let Ok(total) = Total::of(profile) else {
        return;
    };
    if profile.parts.iter().all(Part::is_calculated) {
        let mut cost = vec![0; events];
        add(&mut cost, &total.cost);
        assert_eq!(cost, counted(profile), "the total");
    }
    let mut rows = Rows::new(profile, &readable());
    if let Ok(list) = FunctionList::by_self_cost(profile, &rows, &selection, &total) {
        assert_eq!(sum_of(&list, &rows, events), counted(profile), "the list");
        numbers_are_read_back(&list, &rows, &total, &selection, profile);
        lines_add_up(profile, &rows, &selection, &list, folder);
    }
    let mut cycles = Cycles::find(profile);
    if let Ok(inclusive) = Inclusive::new(profile, &mut rows, &mut cycles, &selection) {
        let list = FunctionList::by_inclusive_cost(&rows, &selection, &total, &inclusive);
        let Ok(list) = list else { return };
        if profile.calls.is_empty() {
            assert_eq!(
                sum_of(&list, &rows, events),
                counted(profile),
                "inclusive without calls"
            );
        }
        numbers_are_read_back(&list, &rows, &total, &selection, profile);
        calls_add_up(profile, &rows, &cycles, &selection, &list);
    }
}

/// Callers and callees of all rows are the calls of the profile, each on both ends.
fn calls_add_up(
    profile: &Profile,
    rows: &Rows<'_>,
    cycles: &Cycles,
    selection: &Selection,
    list: &FunctionList,
) {
    let Ok(calls) = Calls::new(profile, rows, cycles) else {
        return;
    };
    let mut recorded = (0, vec![0; profile.events.len()]);
    for (_, count, cost) in profile.calls() {
        recorded.0 += i128::from(count);
        add(&mut recorded.1, cost);
    }
    let mut ends = [recorded.clone(), recorded.clone()].map(|(_, cost)| (0, vec![0; cost.len()]));
    for &item in list
        .items
        .iter()
        .filter(|item| matches!(item, Item::Row(_)))
    {
        let of_item = [
            calls.callers(item, rows, selection),
            calls.callees(item, rows, selection),
        ];
        for (sum, lines) in ends.iter_mut().zip(of_item) {
            for line in lines
                .iter()
                .filter(|line| !matches!(line.label, Label::Cycle(_)))
            {
                sum.0 += i128::from(line.count);
                add(&mut sum.1, line.cost);
            }
        }
    }
    assert_eq!(ends[0], recorded, "callers");
    assert_eq!(ends[1], recorded, "callees");
}

/// The lines of each annotated file are what was counted in it.
fn lines_add_up(
    profile: &Profile,
    rows: &Rows<'_>,
    selection: &Selection,
    list: &FunctionList,
    folder: &[u8],
) {
    let mut by_file: BTreeMap<&[u8], Vec<i128>> = BTreeMap::new();
    for (place, cost) in profile.costs.iter() {
        add(by_file.entry(profile.file(place.file)).or_default(), cost);
    }
    let options = AnnotateOptions {
        auto: true,
        user: Vec::new(),
        context: 2,
    };
    let finder = Finder::new(vec![folder.to_vec()], Vec::new());
    let cycles = Cycles::find(profile);
    let Ok(choices) = options.choose(profile, rows, selection, list, &finder) else {
        return;
    };
    let annotator = Annotator::new(profile, rows, &cycles, selection, 2, &choices);
    let mut text = Vec::new();
    for choice in &choices {
        let Some(found) = &choice.lookup.found else {
            continue;
        };
        let annotation = match annotator.annotate(choice, found, None, &mut text) {
            Ok(annotated) => annotated.annotation,
            Err(AnnotateError::Unreadable(_)) => continue,
            Err(AnnotateError::Overflow(_)) => return,
        };
        let mut sum = vec![0; profile.events.len()];
        if let Some(mut annotation) = annotation {
            annotation.text.skip(u32::MAX);
            let length = annotation.text.length().unwrap();
            let lines = || annotation.lines.iter();
            let unidentified = annotation.lines.unidentified.iter();
            unidentified.for_each(|cost| add(&mut sum, cost));
            lines().for_each(|line| add(&mut sum, line.cost));
            let (mut annotated, mut with_source) = (vec![0; sum.len()], vec![0; sum.len()]);
            let known = lines().filter(|line| line.line <= length);
            known.for_each(|line| add(&mut with_source, line.cost));
            let Ok(shown) = annotation.end() else { return };
            add(&mut annotated, &shown.cost);
            assert_eq!(annotated, with_source, "events annotated");
        }
        let counted = by_file.get(&choice.name[..]).cloned();
        let counted = counted.unwrap_or_else(|| vec![0; sum.len()]);
        assert_eq!(sum, counted, "{}", choice.name.escape_ascii());
    }
}

/// The page of a list has the list's numbers, in its order.
fn numbers_are_read_back(
    list: &FunctionList,
    rows: &Rows<'_>,
    total: &Total,
    selection: &Selection,
    profile: &Profile,
) {
    for escapes in [false, true] {
        let style = Style {
            percentages: false,
            escapes,
            colours: false,
            width: escapes.then_some(40),
            signed: false,
            shown: &selection.shown,
            total: &total.cost,
        };
        let mut page = Vec::new();
        render::write_functions(list, rows, None, &profile.events, style, &mut page).unwrap();
        let is_safe = |&b: &u8| b >= b' ' && b != 0x7f || b == b'\t' || b == b'\n';
        assert!(!escapes || page.iter().all(is_safe));
        let mut lines = page.split(|&b| b == b'\n').skip(3);
        for row in list.lines(rows) {
            let line = lines.next().unwrap();
            let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
            for count in row.cost {
                assert_eq!(read_back(words.next().unwrap()), count.value());
            }
        }
        assert_eq!(lines.collect::<Vec<_>>(), [&b""[..], b""]);
    }
}

/// A profile that is written back in callgrind's format is read as it was.
pub fn written_is_read_back(profile: &Profile) {
    let (selection, rows) = (
        all_rows(profile),
        Rows::new(profile, &RowOptions::default()),
    );
    let Ok(total) = Total::of(profile) else {
        return;
    };
    let style = Style {
        percentages: false,
        escapes: false,
        colours: false,
        width: None,
        signed: false,
        shown: &selection.shown,
        total: &total.cost,
    };
    let written = Written::new(profile, &rows, &selection);
    let mut text = Vec::new();
    if render::write_callgrind(&written, profile, &total, style, &mut text).is_err() {
        return;
    }
    let (again, _) = read_text(&text).unwrap();
    assert_eq!(by_name(&again), by_name(profile));
    // Where nothing was counted the total is undefined on one side and 0 on the other; one that is stated as 0
    // is passed over by readers, so that it cannot be written.
    let numbers = |total: Total| total.cost.iter().map(|count| count.or_zero()).collect();
    let total: Vec<i64> = numbers(total);
    if total.iter().any(|&count| count != 0) {
        let again: Vec<i64> = numbers(Total::of(&again).unwrap());
        assert_eq!(again, total);
    }
}

/// The number that the page has.
pub fn read_back(word: &[u8]) -> Option<i64> {
    let text = String::from_utf8(word.to_vec()).unwrap().replace(',', "");
    (text != ".").then(|| text.parse().unwrap())
}

/// The costs of a profile by what they are told by: those of rows, lines and calls.
pub fn by_name(profile: &Profile) -> BTreeMap<String, (i128, Vec<i128>)> {
    let mut all: BTreeMap<String, (i128, Vec<i128>)> = BTreeMap::new();
    let row = |function: FunctionId, file| {
        let name = profile.name(profile.function(function).name);
        format!(
            "{}:{}",
            profile.file(file).escape_ascii(),
            name.escape_ascii()
        )
    };
    for (at, cost) in profile.costs.iter() {
        let line = format!("{} line {}", profile.file(at.file).escape_ascii(), at.line);
        for key in [row(at.function, at.file), line] {
            add(&mut all.entry(key).or_default().1, cost);
        }
    }
    for (call, count, cost) in profile.calls() {
        let callee = row(call.callee, profile.function(call.callee).file);
        let key = format!("{} > {callee}", row(call.site.function, call.site.file));
        let sum = all.entry(key).or_default();
        sum.0 += i128::from(count);
        add(&mut sum.1, cost);
    }
    all
}

/// A file cut anywhere has no row with more in it than the whole, if no number of it is below 0, and no line
/// malformed: cut in two one can be sound.
pub fn cutting_raises_nothing(text: &[u8], at: usize) {
    let (Ok((whole, warnings)), Ok((cut, _))) = (read_text(text), read_text(&text[..at])) else {
        return;
    };
    if warnings != ["0 more"] {
        return;
    }
    let whole = by_name(&whole);
    for (key, (count, cost)) in by_name(&cut) {
        let none = (0, Vec::new());
        let (whole_count, whole_cost) = whole.get(&key).unwrap_or(&none);
        assert!(count <= *whole_count, "{key}");
        for (i, count) in cost.iter().enumerate() {
            assert!(*count <= whole_cost.get(i).copied().unwrap_or(0), "{key}");
        }
    }
}

/// The report of a profile in words, without what names its parts: lists by self and inclusive cost, and the
/// calls of each row. Nothing if a number does not fit.
fn report(profile: &Profile) -> Option<Vec<String>> {
    let selection = all_rows(profile);
    let total = Total::of(profile).ok()?;
    let mut rows = Rows::new(profile, &readable());
    let mut cycles = Cycles::find(profile);
    let name = |label: Label<'_>| match label {
        Label::Function {
            file, name, cycle, ..
        } => {
            format!("{}:{} {cycle:?}", file.escape_ascii(), name.escape_ascii())
        }
        Label::Group { name, .. } => name.escape_ascii().to_string(),
        Label::Cycle(number) => format!("cycle {number}"),
    };
    let inclusive = Inclusive::new(profile, &mut rows, &mut cycles, &selection).ok()?;
    let calls = Calls::new(profile, &rows, &cycles).ok()?;
    let lists = [
        FunctionList::by_self_cost(profile, &rows, &selection, &total).ok()?,
        FunctionList::by_inclusive_cost(&rows, &selection, &total, &inclusive).ok()?,
    ];
    let mut report = vec![format!("{:?}", total.cost)];
    for list in &lists {
        for line in list.lines(&rows) {
            report.push(format!("{:?} {}", line.cost, name(line.label)));
            let callers = calls.callers(line.item, &rows, &selection);
            let callees = calls.callees(line.item, &rows, &selection);
            for call in callers.into_iter().chain(callees) {
                report.push(format!(
                    "  {} {:?} {}",
                    call.count,
                    call.cost,
                    name(call.label)
                ));
            }
        }
    }
    Some(report)
}

/// The parts of a profile, each a text that stands for itself, may come in either order, and from one file or
/// several.
pub fn order_of_parts_does_not_matter(parts: &[Vec<u8>]) {
    let read = |parts: &mut dyn Iterator<Item = &Vec<u8>>| {
        let mut profile = Profile::default();
        for part in parts {
            let part = Cursor::new(part.clone());
            read::read_from(part, b"p.out", &ReadOptions::default(), &mut profile).ok()?;
        }
        report(&profile)
    };
    let forwards = read(&mut parts.iter());
    let backwards = read(&mut parts.iter().rev());
    let together = read(&mut [parts.concat()].iter());
    if let (Some(forwards), Some(backwards)) = (&forwards, backwards) {
        assert_eq!(*forwards, backwards);
    }
    if let (Some(forwards), Some(together)) = (forwards, together) {
        assert_eq!(forwards, together);
    }
}

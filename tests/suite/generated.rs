//! Generated profiles of programs that never ran, complete and damaged.

use std::fs;
use std::ops::Range;

use cgannotate::internal::profile::LIMIT;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::corpus;
use crate::common::generated::damage::damaged;
use crate::common::generated::expected;
use crate::common::generated::laws;
use crate::common::generated::model::{Dice, Model};

trials![
    a_profile_has_what_was_executed,
    costs_are_the_same_in_all_views,
    parts_may_come_in_any_order,
    a_cut_raises_no_cost,
    comments_between_lines_change_nothing,
    detail_changes_no_sum,
    chunks_and_gzip_change_nothing,
    comments_between_similar_cost_lines_change_nothing,
    comments_between_lines_of_functions_change_nothing,
    comments_between_short_functions_change_nothing,
    threads_change_nothing,
    a_file_may_be_cut_at_every_byte,
    chunks_and_comments_change_no_stored_profile,
    a_sum_that_is_too_large_is_that_of_its_line,
    lines_that_are_joined_have_the_counts_of_each
];

/// How many cases are tried; debug builds take at most 100, and .ci/run has an optimised one.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: cases.min(if cfg!(debug_assertions) { 100 } else { cases }),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn play(bytes: &[u8]) -> Model {
    Model::play(&mut Dice::new(bytes))
}

/// One of these texts, which have `;` between them.
fn one_of(list: &'static str) -> impl Strategy<Value = &'static str> {
    select(list.split(';').collect::<Vec<_>>())
}

/// Mostly one of the first, sometimes one of the others.
fn mostly(usual: &'static str, odd: &'static str) -> impl Strategy<Value = &'static str> {
    prop_oneof![12 => one_of(usual), 1 => one_of(odd)]
}

/// The text as a line; nothing is none.
fn line(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// One of these lines, or none if nothing is among them.
fn line_of(list: &'static str) -> impl Strategy<Value = String> {
    one_of(list).prop_map(line)
}

/// Some lines, at least and below these numbers.
fn lines(of: impl Strategy<Value = String>, count: Range<usize>) -> impl Strategy<Value = String> {
    vec(of, count).prop_map(|lines| lines.concat())
}

/// Cost lines that differ in little, so that many can be joined, and sometimes other lines.
fn few_lines() -> impl Strategy<Value = String> {
    let cost = |addresses, lines, counts| {
        let words = (one_of(addresses), one_of(lines), one_of(counts));
        words.prop_map(|(address, line, count)| format!("{address} {line} {count}\n"))
    };
    let plain = cost("+1;+2", "+1;-1;-6;*;5", "1");
    let odd = cost(
        "+1;-1;*;0x3;+:",
        "*;5;+:;0x7fffffff",
        "2;1 2;3 4 5;12345678;;.",
    );
    let other = "fi=(1);fi=x;fn=(1);fn=(1) f;cfn=(2) g;calls=1 1;\n;jump=1 2 3";
    lines(
        prop_oneof![16 => plain, 1 => odd, 1 => line_of(other)],
        0..60,
    )
}

/// A cost line of these words. Everything up to `|` is the address.
fn cost_of(
    address: impl Strategy<Value = &'static str>,
    position: impl Strategy<Value = &'static str>,
    count: impl Strategy<Value = &'static str>,
) -> impl Strategy<Value = String> {
    let line = (address, position, count);
    line.prop_map(|(address, line, count)| format!("{address}|{line} {count}\n"))
}

/// `fi=` and `fe=` of the files of a profile, sometimes with another name for the number.
fn inlined_file() -> impl Strategy<Value = String> {
    let file = (one_of("fi;fe"), 1..12u8, mostly("", " x; y"));
    file.prop_map(|(kind, id, name)| format!("{kind}=({id}){name}\n"))
}

/// Functions as callgrind writes them, with calls and jumps, and sometimes what it does not write.
fn functions() -> impl Strategy<Value = String> {
    let address = || mostly("+1;+2;*;0x9", "-1;-9;x;0xfffffffffffffffe");
    let position = || mostly("+1;-1;*;5", "-6;+:;4294967295");
    let count = || mostly("1;2 3", ";1 2 3;1 2 3 4;.;-1;12345678");
    let cost = || cost_of(address(), position(), count());
    let called = (
        line_of(";;;cob=(1);cob=(2);cob=(7) lib"),
        line_of(";;cfi=(1);cfi=(5);cfl=(98);cfi=(4) d.c"),
        mostly("cfn=(1);cfn=(2);cfn=(3) h", ";cfn=(98);cfn=g;fn=(2);cfn=(3"),
    );
    let called = called.prop_map(|(object, file, name)| object + &file + &line(name));
    let calls = mostly(
        "calls=1 +3 +1;calls=2 5;calls=3",
        ";calls=x 1;calls=1 x;calls=1x;calls=1 1\n;calls=-1 5",
    );
    let call = (called, calls, cost());
    let call = call.prop_map(|(called, calls, cost)| called + &line(calls) + &cost);
    let jump = (
        line_of(";;jfi=(1);jfi=(99)"),
        line_of(";;jfn=(2);jfn=(97);jfn=(6) k"),
        mostly("jump=1 +3 +1;jcnd=1/2 +3 *", ";jump=x;jump=1 5\n"),
        prop_oneof![6 => cost_of(address(), position(), one_of("")), 1 => cost()],
    );
    let jump = jump.prop_map(|(file, name, jump, at)| file + &name + &line(jump) + &at);
    let other = "fi=(96);fi=x;fl=(2);fn=(1);fn=(5) m;\n;\n;cfn=(1);what;part: 2\nfn=(1);creator: x;\
        creator: callgrind-3\nfn=(2);events: A\nfn=(1)";
    let any = prop_oneof![
        8 => cost(), 4 => call, 3 => jump, 2 => inlined_file(), 1 => line_of(other)
    ];
    lines(any, 0..60)
}

/// A profile of short functions, of which most are as callgrind writes them and some have one line that is not.
fn short_functions() -> impl Strategy<Value = String> {
    let address = || one_of("+1;+3;*;0x20;-1");
    let position = || one_of("+1;-1;*;5;0;+40");
    let cost = || {
        let count = one_of("1;1;1;2 3;1 2 3;;12345678");
        cost_of(address(), position(), count)
    };
    // Code without debug information repeats all but the address.
    let repeated = (address(), 1..9usize);
    let repeated = repeated.prop_map(|(address, times)| format!("{address}|0 1\n").repeat(times));
    let calls = "calls=1 0x20 5;calls=2 +3 +1 ;calls=2 0x9 7 ;calls=3;calls=1 0 0 0;calls=4 -9 -999;calls=1 5 x";
    let called = (
        line_of(";;cob=(1);cob=(7) lib"),
        line_of(";;cfi=(1);cfl=(5);cfi=(14) d.c"),
        line_of("cfn=(1);cfn=(2);cfn=(3) h;cfn=g"),
        line_of(calls),
        any::<bool>(),
    );
    // lsprof's converter writes the file after the name.
    let call =
        (called, cost()).prop_map(
            |((object, file, name, calls, is_swapped), cost)| match is_swapped {
                true => [object, name, file, calls, cost].concat(),
                false => [object, file, name, calls, cost].concat(),
            },
        );
    let jump = (
        line_of(";jfi=(1);jfn=(2)"),
        line_of("jump=1 0x20 5;jcnd=1/2 +3 *"),
        cost_of(address(), position(), one_of("")),
    );
    let jump = jump.prop_map(|(target, jump, source)| target + &jump + &source);
    let new_file = (12..16u8, 0..4u8).prop_map(|(id, name)| format!("fi=({id}) {name}.h\n"));
    let any = prop_oneof![
        8 => cost(), 2 => repeated, 4 => call, 2 => jump, 2 => inlined_file(), 1 => new_file
    ];
    let any = any.boxed();
    let odd = "+1|-9 1;0xfffffffffffffffe|4294967295 1;+1|4294967296 1;+1|+1 1 2 3 4;+1|* .;+1|* -1;+1|* 1 ;+1| * 1;+1|x 1;\
        cfn=(96);cfn=(2);cob=(2);fi=(95);fi=x;fl=(2);fl=(9) n.c;ob=(8) m;calls=1 5;calls=2 5\n+1|* 4;calls=x;jump=1 5;\n;# x;\
        frfn=(3) x;fi=(1) other.c;part: 2;events: B A C;events: A;positions: line;totals: 1";
    let begin = (
        line_of(";;;ob=(1);ob=(2) lib2"),
        line_of(";;fl=(1);fl=(3);\nfl=(2)"),
        line_of("fn=(1);fn=(2);fn=(4) m;fn=(5) n;fn=k"),
        line_of("0x10|5 1;0x10|5 1;0x18|0 1;;fi=(4)\n0x10|5 2 3;+1|+1 1"),
    );
    let begin = begin.prop_map(|(object, file, name, first)| object + &file + &name + &first);
    let odd = prop_oneof![7 => Just(String::new()), 2 => line_of(odd)];
    let function = (begin, lines(any.clone(), 0..6), odd, lines(any, 0..6));
    let function = function.prop_map(|(begin, lines, odd, more)| begin + &lines + &odd + &more);
    lines(function, 1..9)
}

/// The same lines with their addresses or without.
fn with_addresses(lines: &str, has_addresses: bool) -> String {
    let line = |line: &str| match line.split_once('|') {
        Some((address, rest)) if has_addresses => format!("{address} {rest}"),
        Some((_, rest)) => rest.to_owned(),
        None => line.to_owned(),
    };
    lines.split_inclusive('\n').map(line).collect()
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..400)
}

proptest! {
    #![proptest_config(cases(100))]

    fn a_profile_has_what_was_executed(bytes in bytes()) {
        let model = play(&bytes);
        let (profile, warnings) = laws::read_text(&model.text()).unwrap();
        prop_assert_eq!(warnings, ["0 more"]);
        expected::matches(&model, &profile);
        laws::functions_follow_the_rule(&profile);
        prop_assert!(laws::is_consistent(&profile));
        laws::rows_are_within_bounds(&profile);
    }

    fn costs_are_the_same_in_all_views(bytes in bytes(), damages in vec(any::<(u8, u16, u8)>(), 0..8)) {
        let folder = tempfile::tempdir().unwrap();
        let sources = laws::write_sources(folder.path());
        let text = damaged(&play(&bytes).text(), &damages);
        if let Ok((profile, _)) = laws::read_text(&text) {
            laws::costs_are_the_same_in_all_views(&profile, &sources);
        }
        if let Ok((profile, _)) = laws::read_code(&text) {
            laws::exports_are_read_back(&profile);
        }
    }

    fn parts_may_come_in_any_order(bytes in bytes()) {
        laws::order_of_parts_changes_nothing(&play(&bytes).parts);
    }

    fn a_cut_raises_no_cost(bytes in bytes(), at in any::<prop::sample::Index>()) {
        let text = play(&bytes).text();
        laws::a_cut_raises_no_cost(&text, at.index(text.len() + 1));
    }

    fn comments_between_lines_change_nothing(bytes in bytes(), damages in vec(any::<(u8, u16, u8)>(), 0..8)) {
        laws::comments_between_lines_change_nothing(&damaged(&play(&bytes).text(), &damages));
    }

    fn detail_changes_no_sum(bytes in bytes(), damages in vec(any::<(u8, u16, u8)>(), 0..8)) {
        laws::detail_changes_no_sum(&damaged(&play(&bytes).text(), &damages));
    }

    fn chunks_and_gzip_change_nothing(
        bytes in bytes(),
        damages in vec(any::<(u8, u16, u8)>(), 0..4),
        sizes in vec(any::<u8>(), 0..8),
    ) {
        let text = damaged(&play(&bytes).text(), &damages);
        laws::chunks_and_gzip_change_nothing(&text, &sizes);
    }
}

/// A profile of these lines, with what they refer to. Comments, detail and chunks change nothing of it.
fn reads_the_same(
    creator: &str,
    names: &str,
    lines: &str,
    has_addresses: bool,
    events: &str,
    size: u8,
) {
    let files: String = (1..12).map(|id| format!("fl=({id}) {id}.c\n")).collect();
    let positions = if has_addresses { "instr line" } else { "line" };
    let lines = with_addresses(lines, has_addresses);
    let text = format!(
        "creator: {creator}\npositions: {positions}\nevents: {events}\n{files}{names}{lines}# the end\n"
    );
    laws::comments_between_lines_change_nothing(text.as_bytes());
    laws::detail_changes_no_sum(text.as_bytes());
    laws::chunks_and_gzip_change_nothing(text.as_bytes(), &[size]);
}

proptest! {
    #![proptest_config(cases(1000))]

    fn comments_between_similar_cost_lines_change_nothing(
        lines in few_lines(),
        positions in one_of("line;instr line;instr line;instr bb line"),
        events in one_of("A;A;A B C"),
    ) {
        let text = format!("positions: {positions}\nevents: {events}\nfn=(1) f\n{lines}# the end\n");
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(cases(300))]

    fn comments_between_lines_of_functions_change_nothing(
        lines in functions(),
        creator in one_of("callgrind-3.19.0;xdebug"),
        has_addresses in any::<bool>(),
        events in one_of("A;A B C"),
        size in any::<u8>(),
    ) {
        reads_the_same(creator, "ob=(1) prog\nfn=(1) f\n5 5 1\n", &lines, has_addresses, events, size);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    fn comments_between_short_functions_change_nothing(
        functions in short_functions(),
        creator in one_of("callgrind-3.19.0;callgrind-3.19.0;xdebug"),
        has_addresses in any::<bool>(),
        events in one_of("A;A B C"),
        size in any::<u8>(),
    ) {
        let names = "ob=(1) prog\nfn=(1) f\nfn=(2) g\nfn=(3) h\n";
        reads_the_same(creator, names, &functions, has_addresses, events, size);
    }
}

/// Two parts as callgrind writes them, with all that functions consist of.
fn small() -> String {
    let path = corpus::files_of_case("read/functions-of-callgrind").join("profile.out");
    fs::read_to_string(path).unwrap()
}

/// Wherever a file is cut, it is read as its lines are one by one, and whatever the sizes of its chunks.
fn a_file_may_be_cut_at_every_byte() {
    let small = small();
    for at in 0..=small.len() {
        let text = &small.as_bytes()[..at];
        laws::comments_between_lines_change_nothing(text);
        laws::chunks_and_gzip_change_nothing(text, &[63]);
    }
}

/// The bytes of 300 parts of two layouts, so that many chunks are lexed with one that has changed meanwhile, with one, two,
/// three and eight threads.
fn threads_change_nothing() {
    let small = small();
    let part = |number: usize| match number % 3 {
        0 => small.clone(),
        1 => small.replace("Ir Dr", "Dr Ir"),
        _ => format!("version: 1\npositions: line\nevents: Ir\nfn=f\n{number} 5\n+1 x\n"),
    };
    let text: String = (0..300).map(part).collect();
    for size in [63, 255] {
        laws::threads_change_nothing(text.as_bytes(), size);
    }
}

/// Chunks from 64 bytes up, comments, and less detail, for all profiles of testdata.
fn chunks_and_comments_change_no_stored_profile() {
    for path in corpus::files() {
        let text = fs::read(path).unwrap();
        for size in [63, 64, 255] {
            laws::chunks_and_gzip_change_nothing(&text, &[size]);
        }
        laws::comments_between_lines_change_nothing(&text);
        laws::detail_changes_no_sum(&text);
    }
}

/// Without lines too, the sum that does not fit is that of the line at which it no longer fits.
fn a_sum_that_is_too_large_is_that_of_its_line() {
    let most = LIMIT - 8;
    let files = "fi=(1) y;+1 1 1;fi=(1);+1 1 5;fi=x;+1 1 1;fi=(2) z;fi=(1);+1 1 1;fi=(2);+1 1 1";
    let files = format!("+1 1 {most};{files}").replace(';', "\n");
    // The largest number that is joined with others.
    let joined = "+1 1 9999999999999999\n".repeat(400);
    for (body, line) in [(files, None), (joined, Some("Some(234)"))] {
        let text = format!("positions: instr line\nevents: A\nfn=f\n{body}\n# the end\n");
        let found = |outcome: laws::Outcome| {
            let found = outcome.map(|(_, found)| found);
            found.map_err(|error| error.split(':').next().map(str::to_owned))
        };
        let all = found(laws::read_text(text.as_bytes()));
        assert_eq!(found(laws::read_list(text.as_bytes())), all);
        assert!(line.is_none_or(|line| all == Err(Some(line.to_owned()))));
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
    }
}

fn lines_that_are_joined_have_the_counts_of_each() {
    // More lines in sequence than can be joined.
    let many = "+8 9 1;".to_owned() + &vec!["+1 +1 5"; 700].join(";");
    for body in [
        "+8 9 1;+8 +1 5;+8 +1 5;+8 +1 5",
        // Files in the order of their first costs, not of their names.
        "fl=(2) b;fl=(3) c;+8 9 1;fi=(2);fi=(3);+1 1 1;fi=(2);+1 1 1",
        &many,
        // Different numbers of counts.
        "+8 9 1 1;+1 1 5 6;+1 1 7;+1 1 8 9;+1 1 7",
        "+8 9 1;+1 * 5 6 7;+1 * 8;+1 * 1 2;+1 * 3 4 5;+1 7 6;+1 7 1 1;+1 7 1 1 1",
        "+8 9 1;+1 +1 +1 5;+1 +1 +1 5;+1 +1 5;+1 +1 +1 5",
    ] {
        let body = body.replace(';', "\n");
        for (positions, events) in [("", "A"), ("bb ", "A"), ("", "A B C"), ("bb ", "A B C")] {
            let text = format!(
                "positions: instr {positions}line\nevents: {events}\nfn=f\n{body}\n# the end\n"
            );
            laws::comments_between_lines_change_nothing(text.as_bytes());
        }
    }
}

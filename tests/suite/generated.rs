//! Generated profiles of programs that never ran, complete and damaged.

use cgannotate::internal::profile::LIMIT;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::corpus;
use crate::common::generated::damage::damaged;
use crate::common::generated::expected;
use crate::common::generated::laws;
use crate::common::generated::model::{Dice, Model};
use crate::suite::inclusive;

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
    a_warning_names_the_line_that_is_wrong
];

/// Sources for some of the files that the programs have, in a folder with a slash at its end.
fn sources() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), "line\n".repeat(15)).unwrap();
    std::fs::write(folder.path().join("b.c"), "line\n".repeat(40)).unwrap();
    let name = format!("{}/", folder.path().display()).into_bytes();
    (folder, name)
}

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

/// Cost lines that differ in little, so that many can be joined, and sometimes other lines.
fn few_lines() -> impl Strategy<Value = String> {
    let line = |addresses: &[&'static str], lines: &[&'static str], counts: &[&'static str]| {
        let words = [addresses, lines, counts].map(|words| select(words.to_vec()));
        words.prop_map(|[address, line, count]| format!("{address} {line} {count}\n"))
    };
    let plain = line(&["+1", "+2"], &["+1", "-1", "-6", "*", "5"], &["1"]);
    let odd = line(
        &["+1", "-1", "*", "0x3", "+:"],
        &["*", "5", "+:", "0x7fffffff"],
        &["2", "1 2", "3 4 5", "12345678", "", "."],
    );
    let others = [
        "fi=(1)\n",
        "fi=x\n",
        "fn=(1)\n",
        "fn=(1) f\n",
        "cfn=(2) g\n",
        "calls=1 1\n",
        "\n",
        "jump=1 2 3\n",
    ];
    let other = select(others.to_vec()).prop_map(str::to_owned);
    let line = prop_oneof![16 => plain, 1 => odd, 1 => other];
    vec(line, 0..60).prop_map(|lines| lines.concat())
}

/// Functions as callgrind writes them, with calls and jumps, and sometimes what it does not write. Of a cost line everything
/// up to `|` is the address.
fn functions() -> impl Strategy<Value = String> {
    let one_of = |words: &[&'static str]| select(words.to_vec());
    let mostly = |usual: &[&'static str], odd: &[&'static str]| prop_oneof![12 => select(usual.to_vec()), 1 => select(odd.to_vec())];
    let address = || {
        mostly(
            &["+1", "+2", "*", "0x9"],
            &["-1", "-9", "x", "0xfffffffffffffffe"],
        )
    };
    let position = || mostly(&["+1", "-1", "*", "5"], &["-6", "+:", "4294967295"]);
    let count = || {
        mostly(
            &["1", "2 3"],
            &["", "1 2 3", "1 2 3 4", ".", "-1", "12345678"],
        )
    };
    let cost = || {
        let line = (address(), position(), count());
        line.prop_map(|(address, line, count)| format!("{address}|{line} {count}\n"))
    };
    let source = || (address(), position()).prop_map(|(at, line)| format!("{at}|{line} \n"));
    let called = (
        one_of(&["", "", "", "cob=(1)\n", "cob=(2)\n", "cob=(7) lib\n"]),
        one_of(&[
            "",
            "",
            "cfi=(1)\n",
            "cfi=(5)\n",
            "cfl=(98)\n",
            "cfi=(4) d.c\n",
        ]),
        mostly(
            &["cfn=(1)\n", "cfn=(2)\n", "cfn=(3) h\n"],
            &["", "cfn=(98)\n", "cfn=g\n", "fn=(2)\n", "cfn=(3\n"],
        ),
    );
    let called = called.prop_map(|(object, file, function)| [object, file, function].concat());
    let calls = mostly(
        &["calls=1 +3 +1\n", "calls=2 5\n", "calls=3\n"],
        &[
            "",
            "calls=x 1\n",
            "calls=1 x\n",
            "calls=1x\n",
            "calls=1 1\n\n",
            "calls=-1 5\n",
        ],
    );
    let call = (called, calls, cost()).prop_map(|(called, calls, cost)| called + calls + &cost);
    let jump = (
        one_of(&["", "", "jfi=(1)\n", "jfi=(99)\n"]),
        one_of(&["", "", "jfn=(2)\n", "jfn=(97)\n", "jfn=(6) k\n"]),
        mostly(
            &["jump=1 +3 +1\n", "jcnd=1/2 +3 *\n"],
            &["", "jump=x\n", "jump=1 5\n\n"],
        ),
        prop_oneof![6 => source(), 1 => cost()],
    );
    let jump = jump.prop_map(|(file, function, jump, at)| [file, function, jump, &at].concat());
    let file = (one_of(&["fi", "fe"]), 1..12u8).prop_map(|(kind, id)| format!("{kind}=({id})\n"));
    let other = one_of(&[
        "fi=(96)\n",
        "fi=x\n",
        "fl=(2)\n",
        "fn=(1)\n",
        "fn=(5) m\n",
        "\n",
        "\n",
        "cfn=(1)\n",
        "what\n",
        "part: 2\nfn=(1)\n",
        "creator: x\n",
        "creator: callgrind-3\nfn=(2)\n",
        "events: A\nfn=(1)\n",
    ]);
    let line = prop_oneof![
        8 => cost(), 4 => call, 3 => jump, 2 => file, 1 => other.prop_map(str::to_owned)
    ];
    vec(line, 0..60).prop_map(|lines| lines.concat())
}

/// A profile of short functions, of which most are as callgrind writes them and some have one line that is not. Of a cost line
/// everything up to `|` is the address.
fn short_functions() -> impl Strategy<Value = String> {
    let one_of = |words: &[&'static str]| select(words.to_vec());
    let address = || one_of(&["+1", "+3", "*", "0x20", "-1"]);
    let position = || one_of(&["+1", "-1", "*", "5", "0", "+40"]);
    let count = || one_of(&["1", "1", "1", "2 3", "1 2 3", "", "12345678"]);
    let cost = || {
        let line = (address(), position(), count());
        line.prop_map(|(address, line, count)| format!("{address}|{line} {count}\n"))
    };
    // Code without debug information repeats all but the address.
    let repeated = (address(), 1..9usize);
    let repeated = repeated.prop_map(|(address, times)| format!("{address}|0 1\n").repeat(times));
    let source = (address(), position()).prop_map(|(at, line)| format!("{at}|{line} \n"));
    let called = (
        one_of(&["", "", "cob=(1)\n", "cob=(7) lib\n"]),
        one_of(&["", "", "cfi=(1)\n", "cfl=(5)\n", "cfi=(14) d.c\n"]),
        one_of(&["cfn=(1)\n", "cfn=(2)\n", "cfn=(3) h\n", "cfn=g\n"]),
        one_of(&[
            "calls=1 0x20 5\n",
            "calls=2 +3 +1 \n",
            "calls=2 0x9 7 \n",
            "calls=3\n",
            "calls=1 0 0 0\n",
            "calls=4 -9 -999\n",
            "calls=1 5 x\n",
        ]),
        any::<bool>(),
    );
    // lsprof's converter writes the file after the name.
    let call = (called, cost()).prop_map(|((ob, file, name, calls, is_swapped), cost)| {
        let (first, second) = if is_swapped {
            (name, file)
        } else {
            (file, name)
        };
        [ob, first, second, calls, &cost].concat()
    });
    let jump = (
        one_of(&["", "jfi=(1)\n", "jfn=(2)\n"]),
        one_of(&["jump=1 0x20 5\n", "jcnd=1/2 +3 *\n"]),
        source,
    );
    let jump = jump.prop_map(|(target, jump, source)| [target, jump, &source].concat());
    let file = (one_of(&["fi", "fe"]), 1..12u8).prop_map(|(kind, id)| format!("{kind}=({id})\n"));
    let new_file = (12..16u8, 0..4u8).prop_map(|(id, name)| format!("fi=({id}) {name}.h\n"));
    let line =
        prop_oneof![8 => cost(), 2 => repeated, 4 => call, 2 => jump, 2 => file, 1 => new_file];
    let odd = one_of(&[
        "+1|-9 1\n",
        "0xfffffffffffffffe|4294967295 1\n",
        "+1|4294967296 1\n",
        "+1|+1 1 2 3 4\n",
        "+1|* .\n",
        "+1|* -1\n",
        "+1|* 1 \n",
        "+1| * 1\n",
        "+1|x 1\n",
        "cfn=(96)\n",
        "cfn=(2)\n",
        "cob=(2)\n",
        "fi=(95)\n",
        "fi=x\n",
        "fl=(2)\n",
        "fl=(9) n.c\n",
        "ob=(8) m\n",
        "calls=1 5\n",
        "calls=2 5\n+1|* 4\n",
        "calls=x\n",
        "jump=1 5\n",
        "\n",
        "# x\n",
        "frfn=(3) x\n",
        "fi=(1) other.c\n",
        "part: 2\n",
        "events: B A C\n",
        "events: A\n",
        "positions: line\n",
        "totals: 1\n",
    ]);
    let begin = (
        one_of(&["", "", "", "ob=(1)\n", "ob=(2) lib2\n"]),
        one_of(&["", "", "fl=(1)\n", "fl=(3)\n", "\nfl=(2)\n"]),
        one_of(&["fn=(1)\n", "fn=(2)\n", "fn=(4) m\n", "fn=(5) n\n", "fn=k\n"]),
        one_of(&[
            "0x10|5 1\n",
            "0x10|5 1\n",
            "0x18|0 1\n",
            "",
            "fi=(4)\n0x10|5 2 3\n",
            "+1|+1 1\n",
        ]),
    );
    let begin = begin.prop_map(|(ob, file, name, first)| [ob, file, name, first].concat());
    let odd = prop_oneof![7 => Just(""), 2 => odd];
    let function = (begin, vec(line.clone(), 0..6), odd, vec(line, 0..6));
    let function = function
        .prop_map(|(begin, lines, odd, more)| begin + &lines.concat() + odd + &more.concat());
    vec(function, 1..9).prop_map(|functions| functions.concat())
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
        inclusive::functions_follow_the_rule(&profile);
        prop_assert!(inclusive::is_consistent(&profile));
        inclusive::rows_are_within_bounds(&profile);
    }

    fn costs_are_the_same_in_all_views(bytes in bytes(), damages in vec(any::<(u8, u16, u8)>(), 0..8)) {
        let (_kept, folder) = sources();
        let text = damaged(&play(&bytes).text(), &damages);
        if let Ok((profile, _)) = laws::read_text(&text) {
            laws::sums_hold(&profile, &folder);
            laws::exports_are_read_back(&profile);
            laws::charges_are_conserved(&profile);
            laws::nested_costs_add_up(&profile);
            inclusive::functions_follow_the_rule(&profile);
            inclusive::rows_are_within_bounds(&profile);
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

proptest! {
    #![proptest_config(cases(1000))]

    fn comments_between_similar_cost_lines_change_nothing(
        lines in few_lines(),
        positions in select(vec!["line", "instr line", "instr line", "instr bb line"]),
        events in select(vec!["A", "A", "A B C"]),
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
        creator in select(vec!["callgrind-3.19.0", "xdebug"]),
        has_addresses in any::<bool>(),
        events in select(vec!["A", "A B C"]),
    ) {
        let files: String = (1..12).map(|id| format!("fl=({id}) {id}.c\n")).collect();
        let positions = if has_addresses { "instr line" } else { "line" };
        let lines = with_addresses(&lines, has_addresses);
        let text = format!(
            "creator: {creator}\npositions: {positions}\nevents: {events}\nob=(1) prog\n{files}fn=(1) f\n5 5 1\n{lines}# the end\n"
        );
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(cases(200))]

    fn comments_between_short_functions_change_nothing(
        functions in short_functions(),
        creator in select(vec!["callgrind-3.19.0", "callgrind-3.19.0", "xdebug"]),
        has_addresses in any::<bool>(),
        events in select(vec!["A", "A B C"]),
        size in any::<u8>(),
    ) {
        let files: String = (1..12).map(|id| format!("fl=({id}) {id}.c\n")).collect();
        let names = "ob=(1) prog\nfn=(1) f\nfn=(2) g\nfn=(3) h\n";
        let positions = if has_addresses { "instr line" } else { "line" };
        let functions = with_addresses(&functions, has_addresses);
        let text = format!(
            "creator: {creator}\npositions: {positions}\nevents: {events}\n{names}{files}{functions}# the end\n"
        );
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
        laws::chunks_and_gzip_change_nothing(text.as_bytes(), &[size]);
    }
}

/// Two parts as callgrind writes them, with all that functions consist of.
const SMALL: &str = "# callgrind format
version: 1
creator: callgrind-3.19.0
part: 1
positions: instr line
events: Ir Dr
ob=(1) /bin/p
fl=(1) a.c
fn=(1) main
0x10 5 3 1
+4 +1 2
fi=(2) b.h
+2 7 1 1
+1 * 1
fe=(1)
cob=(2) lib.so
cfi=(3) c.c
cfn=(2) g'2
calls=2 0x90 20
* -1 40 9

jcnd=3/5 0x10 5
0x18 5
fn=(3) h
0x30 9 6
cfn=(1)
calls=1 0x10 5
+2 +1 7 2

ob=(2)
fl=(3)
fn=(2)
0x90 20 40 9
totals: 53 11
part: 2
fn=(3)
0x30 9 6 5
+: 1 1
totals: 6 5
";

/// Wherever a file is cut, it is read as its lines are one by one, and whatever the sizes of its chunks.
fn a_file_may_be_cut_at_every_byte() {
    for at in 0..=SMALL.len() {
        let text = &SMALL.as_bytes()[..at];
        laws::comments_between_lines_change_nothing(text);
        laws::chunks_and_gzip_change_nothing(text, &[63]);
    }
}

/// The bytes of 300 parts of two layouts, so that many chunks are lexed with one that has changed meanwhile, with one, two,
/// three and eight threads.
fn threads_change_nothing() {
    let part = |number: usize| match number % 3 {
        0 => SMALL.to_owned(),
        1 => SMALL.replace("Ir Dr", "Dr Ir"),
        _ => format!("version: 1\npositions: line\nevents: Ir\nfn=f\n{number} 5\n+1 x\n"),
    };
    let text: String = (0..300).map(part).collect();
    for size in [63, 255] {
        laws::threads_change_nothing(text.as_bytes(), size);
    }
}

/// Chunks from 64 bytes up, and comments, for all profiles of testdata.
fn chunks_and_comments_change_no_stored_profile() {
    for (path, _) in corpus::profiles() {
        let text = std::fs::read(path).unwrap();
        for size in [63, 64, 255] {
            laws::chunks_and_gzip_change_nothing(&text, &[size]);
        }
        laws::comments_between_lines_change_nothing(&text);
    }
}

/// Cost lines that could be joined, but for one that is wrong.
fn a_warning_names_the_line_that_is_wrong() {
    // The largest number that may be joined with others.
    let large = 999_999_999_999_999_999i64;
    let many = |count| format!("+1 1 {large}\n").repeat(count);
    // A line number 648 below the largest one.
    const HIGH: &str = "+1 2147483647 1\n+1 +2147483000 1\n";
    let table = [
        // The third address is out of range.
        (
            "0xfffffffffffffffe 1 5\n+1 1 5\n+1 1 5\n+1 1 5\n".to_owned(),
            Ok("6: position out of range, line skipped"),
        ),
        (
            "+5 1 1\n-3 1 1\n+1 1 1\n-9 1 1\n+1 1 1\n".to_owned(),
            Ok("7: position out of range, line skipped"),
        ),
        (
            "-1 1 1\n+3 1 1\n+1 1 1\n".to_owned(),
            Ok("4: position out of range, line skipped"),
        ),
        // Out of range, though the next line comes back.
        (
            "+1 9 1\n-2 1 1\n+3 1 1\n+3 1 1\n".to_owned(),
            Ok("5: position out of range, line skipped"),
        ),
        // Out of range, though one later comes back into it.
        (
            "0xfffffffffffffff0 9 1\n+10 1 1\n+10 1 1\n-10 1 1\n".to_owned(),
            Ok("6: position out of range, line skipped"),
        ),
        (
            "0xfffffffffffffff0 9 1\nfi=x\n* 9 1\n+10 9 1\n+10 9 1\n-10 9 1\n".to_owned(),
            Ok("8: position out of range, line skipped"),
        ),
        // The same of source lines, which matters where all lines of a file are joined.
        (
            "+1 5 1\n+1 -3 1\n+1 +4 1\n+1 -9 1\n+1 +5 1\n".to_owned(),
            Ok("7: position out of range, line skipped"),
        ),
        (
            "+1 5 1\nfi=x\n+1 * 1\n+1 -9 1\n+1 +9 1\n".to_owned(),
            Ok("7: position out of range, line skipped"),
        ),
        (
            format!("{HIGH}fi=x\n+1 * 1\n+1 +1000 1\n+1 -2000 1\n"),
            Ok("8: position out of range, line skipped"),
        ),
        (
            "+1 2147483647 1\nfi=x\n+1 * 1\n+1 +2000000000 1\n+1 +200000000 1\n+1 -2000000000 1\n"
                .to_owned(),
            Ok("8: position out of range, line skipped"),
        ),
        (
            "+1 1 1\n+1 0xffffffffffffffff 1\n+1 5 1\n".to_owned(),
            Ok("5: position out of range, line skipped"),
        ),
        (
            "+1 5 1\nfi=x\n+1 * 1\n+1 -9 1\n+1 7 1\n".to_owned(),
            Ok("7: position out of range, line skipped"),
        ),
        // Out of range between equal lines.
        (
            "+1 5 1\nfi=x\n+1 * 1\n+1 * 1\n+1 -9 1\n+1 +9 1\n".to_owned(),
            Ok("8: position out of range, line skipped"),
        ),
        (
            "0x5 9 1\nfi=x\n+1 * 1\n+1 * 1\n-20 +1 1\n+30 +1 1\n".to_owned(),
            Ok("8: position out of range, line skipped"),
        ),
        // It goes back from a line that is repeated.
        (
            "+8 9 1\n+1 5 1\n+1 +2 1\n+1 5 1\n+1 -6 1\n".to_owned(),
            Ok("8: position out of range, line skipped"),
        ),
        (
            "+8 9 1\n+1 5 1\n+1 -6 1\n+1 5 1\n+1 5 1\n".to_owned(),
            Ok("6: position out of range, line skipped"),
        ),
        // Neither is a number.
        (
            "+8 9 1\n+8 9 1\n+: +1 1\n+8 +1 1\n".to_owned(),
            Ok("6: cost line without a position, skipped"),
        ),
        (
            "+8 9 1\n+8 9 1\n+1 +:5 1\n+8 +1 1\n".to_owned(),
            Ok("6: cost line without a position, skipped"),
        ),
        // The third sum is above the limit.
        (
            many(12),
            Err("Some(6): the counts add up to more than 2^61"),
        ),
        // The sizes of counts add up to more than the limit, while the sum does not.
        (
            format!("+1 2 -{large}\n+1 1 {large}\n+1 3 0\n{}", many(5)),
            Err("Some(7): the counts add up to more than 2^61"),
        ),
        // The largest number that is joined with others.
        (
            "+1 1 9999999999999999\n".repeat(400),
            Err("Some(234): the counts add up to more than 2^61"),
        ),
        // The costs of the first file fit, those of the second do not.
        (
            format!(
                "+1 1 {}\nfi=x\n+1 1 1\nfi=(1) y\n+1 1 1\nfi=(1)\n+1 1 5\nfe=(1)\n+1 1 2\n",
                LIMIT - 8
            ),
            Err("Some(12): the counts add up to more than 2^61"),
        ),
        // The cost of calls, not of the next lines.
        (
            "calls=1 1 1\n+1 1 7\n+1 1 7\n+1 1 7\ncfn=g\ncalls=1 1 1\n\n+1 1 7\n+1 1 7\n+1 1 7\n"
                .to_owned(),
            Ok("4: calls= without preceding cfn="),
        ),
    ];
    for (body, wanted) in table {
        // With enough bytes after it, several bytes of a line are read at once.
        let text = format!("positions: instr line\nevents: A\nfn=f\n{body}# the end\n");
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
        let found = laws::read_text(text.as_bytes()).map(|(_, found)| found[0].clone());
        match (&found, wanted) {
            (Ok(found), Ok(wanted)) => assert!(found.starts_with(wanted), "{found}: {body}"),
            (Err(found), Err(wanted)) => assert!(found.starts_with(wanted), "{found}: {body}"),
            _ => panic!("{found:?}: {body}"),
        }
    }
    // Without lines too, the sum that does not fit is that of the line at which it no longer fits.
    for body in [
        format!(
            "+1 1 {}\nfi=(1) y\n+1 1 1\nfi=(1)\n+1 1 5\nfi=x\n+1 1 1\nfi=(2) z\nfi=(1)\n+1 1 1\nfi=(2)\n+1 1 1\n",
            LIMIT - 8
        ),
        "+1 1 9999999999999999\n".repeat(400),
    ] {
        let text = format!("positions: instr line\nevents: A\nfn=f\n{body}# the end\n");
        let found = laws::read_list(text.as_bytes()).map(|(_, found)| found);
        assert_eq!(
            found.map_err(|error| error.split(':').next().map(str::to_owned)),
            laws::read_text(text.as_bytes())
                .map(|(_, found)| found)
                .map_err(|error| error.split(':').next().map(str::to_owned))
        );
    }
    // More lines in sequence than can be joined, and lines with different numbers of counts.
    let many = "+8 9 1\n".to_owned() + &"+1 +1 5\n".repeat(700);
    let others = [
        "+8 9 1\n+8 +1 5\n+8 +1 5\n+8 +1 5\n",
        // Files in the order of their first costs, not of their names.
        "fl=(2) b\nfl=(3) c\n+8 9 1\nfi=(2)\nfi=(3)\n+1 1 1\nfi=(2)\n+1 1 1\n",
        &many,
        "+8 9 1 1\n+1 1 5 6\n+1 1 7\n+1 1 8 9\n+1 1 7\n",
        "+8 9 1\n+1 * 5 6 7\n+1 * 8\n+1 * 1 2\n+1 * 3 4 5\n+1 7 6\n+1 7 1 1\n+1 7 1 1 1\n",
        "+8 9 1\n+1 +1 +1 5\n+1 +1 +1 5\n+1 +1 5\n+1 +1 +1 5\n",
    ];
    for (body, positions) in others
        .iter()
        .flat_map(|body| [(body, "line"), (body, "bb line")])
    {
        for events in ["A", "A B C"] {
            let head = format!("positions: instr {positions}\nevents: {events}\nfn=f\n");
            laws::comments_between_lines_change_nothing(
                format!("{head}{body}# the end\n").as_bytes(),
            );
        }
    }
}

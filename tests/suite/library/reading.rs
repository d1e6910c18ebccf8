//! Options of reading, events, warnings and errors.

use std::error::Error as _;
use std::path::Path;

use cgannotate::{
    CallGraph, Diff, Error, EventId, Formula, Overflow, Pattern, Profile, ReadError, ReadOptions,
    Row, RowBy,
};

use super::{file, testdata, total, words};
use crate::program::program;

#[test]
fn parts_and_threads() {
    let text = "version: 1\npart: 1\nthread: 1\nevents: Ir\nfn=f\n1 10\n\
                part: 2\nthread: 1\nevents: Ir\nfn=f\n1 200\n\
                part: 3\nthread: 2\nevents: Ir\nfn=f\n1 3000\n";
    let profile = file(text);
    let read = |options: &ReadOptions| Profile::read_with([profile.path()], options);
    let ir = |options: &ReadOptions| total(&read(options).unwrap(), "Ir");
    let new = ReadOptions::new;
    assert_eq!(ir(&new()), Some(3210));
    assert_eq!(ir(&new().part(2)), Some(200));
    assert_eq!(ir(&new().part("1").part(3)), Some(3010));
    assert_eq!(ir(&new().thread(1)), Some(210));
    assert_eq!(ir(&new().thread(1).part(2)), Some(200));
    let path = profile.path().display();
    for (options, expected) in [
        (new().part(4), "no part 4"),
        (new().part(1).thread(3), "no thread 3"),
        (
            new().part(1).thread(2),
            "none of these parts belongs to one of these threads",
        ),
    ] {
        let error = read(&options).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: {expected}"));
        assert_eq!(error.path(), profile.path());
    }
    let diff = Diff::read_with([profile.path()], [profile.path()], &new().part(3)).unwrap();
    let rows = diff.rows(RowBy::Name).unwrap();
    let ir = diff.event("Ir").unwrap();
    assert_eq!(rows[0].before(ir).value(), Some(3000));
    assert_eq!(rows[0].delta(ir).unwrap().value(), Some(0));
}

#[test]
fn names_become_one() {
    let profile = file(
        "events: Ir\nfl=/home/me/p/a.c\nfn=f'2\n1 1\nfn=f\n1 2\nfn=g'main\n1 4\nfl=/home/me/pp/b.c\nfn=g\n1 8\n",
    );
    let names = |options: &ReadOptions| {
        let profile = Profile::read_with([profile.path()], options).unwrap();
        let rows = profile.rows(RowBy::FileFunction).unwrap();
        let ir = profile.event("Ir").unwrap();
        let row = |row: &Row| format!("{} {:?}", row.name(), row.own(ir));
        rows.iter().map(row).collect::<Vec<_>>().join(", ")
    };
    let options = ReadOptions::new().remove_folder("/home/me/p/");
    assert_eq!(
        names(&options),
        "a.c:f'2 1, a.c:f 2, a.c:g'main 4, /home/me/pp/b.c:g 8"
    );
    let folded = options.clone().fold_recursion(true);
    assert_eq!(names(&folded), "a.c:f 3, a.c:g'main 4, /home/me/pp/b.c:g 8");
    let folded = options.fold_callers(true);
    assert_eq!(
        names(&folded),
        "a.c:f'2 1, a.c:f 2, a.c:g 4, /home/me/pp/b.c:g 8"
    );
}

#[test]
fn events_that_are_derived() {
    let formula = |text: &str| Formula::parse(text).unwrap();
    let options = ReadOptions::new()
        .event("Misses", formula("D1mr + D1mw"))
        .event("Rate", formula("D1mr / Dr"))
        .derived_event("CEst");
    let path = testdata("words/words.sim.out");
    let profile = Profile::read_with([&path], &options).unwrap();
    let events = profile.events();
    let added: Vec<_> = events
        .iter()
        .filter(|&event| events.is_derived(event))
        .collect();
    let names: Vec<_> = added.iter().map(|&event| events.name(event)).collect();
    assert_eq!(names, ["Misses", "Rate", "CEst"]);
    assert_eq!(
        added
            .iter()
            .map(|&event| events.is_ratio(event))
            .collect::<Vec<_>>(),
        [false, true, false]
    );
    // The summary line has Ir 597656, Dr 105158, I1mr 274, D1mr 87, D1mw 588, ILmr 269, DLmr 45, DLmw 582, Bcm 8448, Bim 55.
    assert_eq!(total(&profile, "Misses"), Some(87 + 588));
    assert_eq!(
        total(&profile, "Rate"),
        Some((87_000_000 + 105_158 / 2) / 105_158)
    );
    let cycles = 597_656 + 10 * (8448 + 55) + 10 * (274 + 87 + 588) + 100 * (269 + 45 + 582);
    assert_eq!(total(&profile, "CEst"), Some(cycles));
    let [d1mr, dr] = ["D1mr", "Dr"].map(|name| profile.event(name).unwrap());
    let rate = profile.event("Rate").unwrap();
    let graph = CallGraph::new(&profile).unwrap();
    let find = graph
        .functions()
        .find(|function| function.name() == "find")
        .unwrap();
    let expected = find.own(d1mr).or_zero() as f64 / find.own(dr).or_zero() as f64;
    assert!((find.own(rate).or_zero() as f64 / 1e6 - expected).abs() < 1e-6);
    let lacking = [
        (
            ReadOptions::new().event("X", formula("Ir + Gone")),
            "event X: the profile has no event 'Gone'",
        ),
        (
            ReadOptions::new().derived_event("Gone"),
            "no event 'Gone', and none that it can be derived from",
        ),
    ];
    for (options, expected) in lacking {
        let error = Profile::read_with([&path], &options).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: {expected}", path.display()));
    }
    let ir = |profile: &Profile| profile.event("Ir");
    assert_eq!(ir(&profile), ir(&words()));
    assert_eq!(words().event("CEst"), None);
}

#[test]
fn long_names_of_events() {
    let profile = file("event: Ir : Instruction Fetch\nevents: Ir Dr\nfn=f\n1 1 1\n");
    let profile = Profile::read(profile.path()).unwrap();
    let long_name = |event: EventId| profile.events().long_name(event);
    let names: Vec<_> = profile.events().into_iter().map(long_name).collect();
    assert_eq!(names, [Some("Instruction Fetch".into()), None]);
}

#[test]
fn warnings_are_those_of_the_program() {
    let lines = "nonsense\n".repeat(12);
    let profile = file(&format!("events: Ir\nfn=f\n1 1\n{lines}"));
    let path = profile.path().to_str().unwrap();
    let output = program().args([path, "--auto=no"]).run();
    let printed = output.error();
    let printed: Vec<_> = printed
        .lines()
        .filter(|line| line.contains("warning"))
        .collect();
    let read = Profile::read(path).unwrap();
    let texts = read
        .warnings()
        .iter()
        .map(|warning| format!("cgannotate: warning: {warning}"));
    assert_eq!(texts.collect::<Vec<_>>(), printed);
    let [first, .., last] = read.warnings() else {
        panic!("{:?}", read.warnings())
    };
    assert_eq!((first.file(), first.line()), (profile.path(), Some(4)));
    assert_eq!(first.text(), "unrecognised line, skipped");
    assert_eq!(
        (last.line(), last.text()),
        (None, "2 more warnings not shown")
    );
    let diff = Diff::read(testdata("words/words.out"), path).unwrap();
    assert_eq!(diff.warnings(), read.warnings());
}

#[test]
fn one_error_for_all() {
    fn read(path: &Path) -> Result<(), Error> {
        Ok(Profile::read(path).map(drop)?)
    }
    let missing = testdata("missing.out");
    let error = read(&missing).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("{}: ", missing.display()))
    );
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<std::io::Error>());
    assert_eq!(source.unwrap().kind(), std::io::ErrorKind::NotFound);

    let overflow = file("events: Ir\nfn=f\n1 9223372036854775807\n1 1\n");
    let error = read(overflow.path()).unwrap_err();
    assert!(error.source().is_none());
    let line = |error: Error| match error {
        Error::Read(error) => ReadError::line(&error),
        other => panic!("{other}"),
    };
    assert_eq!(line(error), Some(4));

    let pattern = Pattern::parse("/(/").unwrap_err();
    assert_eq!(pattern.text(), "/(/");
    assert!(pattern.to_string().starts_with("pattern '/(/': "));
    let text = pattern.to_string();
    assert_eq!(Error::from(pattern).to_string(), text);
    assert!("".parse::<Pattern>().is_err());
    let formula = "Ir +".parse::<Formula>().unwrap_err();
    let text = "formula 'Ir +': expected [N] EVENT + [N] EVENT ...";
    assert_eq!(Error::from(formula).to_string(), text);
    let overflow = Error::from(Overflow);
    assert_eq!(overflow.to_string(), "64-bit overflow in a sum of counts");
}

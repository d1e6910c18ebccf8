//! The self costs of all profiles of testdata add up to the same in every format; `json` has this of JSON.

use std::path::Path;

use cgannotate::internal::profile::Profile;

use crate::common::corpus::profiles;
use crate::common::formats::{Csv, callgrind, folded, number, pprof::Pprof};
use crate::common::generated::tables::costs;
use crate::common::program::print_of;

trials![self_costs_add_up_in_every_format];

/// The sums of a report by the names of events.
type Sums = Vec<(String, i128)>;

/// The sums that a format has for these events; those of events that it does not have are left out.
fn sums(format: &str, out: &[u8], events: &[String]) -> Sums {
    match format {
        "csv" => {
            let csv = Csv::read(out);
            let sum = |event: &String| {
                let column = csv.column(event);
                let counts = csv.rows.iter().filter_map(|row| number(&row[column]));
                (event.clone(), counts.sum())
            };
            events.iter().map(sum).collect()
        }
        "folded" => {
            let counts = folded(out, 1).into_iter().map(|(_, counts)| counts[0]);
            vec![(events[0].clone(), counts.sum())]
        }
        "pprof" => Pprof::read(out).sums(),
        "callgrind" => {
            let text = String::from_utf8_lossy(out);
            let recorded = text.lines().find_map(|line| line.strip_prefix("events: "));
            let recorded = recorded.unwrap_or_default().split_whitespace();
            let mut sums: Sums = recorded.map(|event| (event.to_owned(), 0)).collect();
            let of_code = callgrind::sums(out).into_iter();
            let own = of_code.filter(|(key, _)| callgrind::is_self_cost(key));
            for (_, counts) in own {
                for ((_, sum), count) in sums.iter_mut().zip(counts) {
                    *sum += i128::from(count);
                }
            }
            sums
        }
        other => panic!("{other}: no such format"),
    }
}

/// What the report in a format adds up to; none where the format cannot express the profile.
fn report(format: &str, path: &Path, events: &[String]) -> Option<Sums> {
    let option = format!("--format={format}");
    let options: &[&str] = match format {
        "csv" => &[&option, "--threshold=100"],
        _ => &[&option],
    };
    let out = print_of(options, path).ok()?;
    Some(sums(format, &out, events))
}

/// The self costs by event.
fn expected(profile: &Profile) -> Sums {
    let names = profile.events().names().enumerate();
    let sum = |(event, name): (usize, &[u8])| {
        let counts = costs(profile).map(|(_, cost)| i128::from(cost[event].or_zero()));
        (String::from_utf8_lossy(name).into_owned(), counts.sum())
    };
    names.map(sum).collect()
}

fn self_costs_add_up_in_every_format() {
    let mut compared = [0; 4];
    for (path, profile) in profiles() {
        let is_plain = profile.events().ratios().is_empty() && !profile.events().is_empty();
        if !is_plain {
            continue;
        }
        let expected = expected(&profile);
        let events: Vec<String> = expected.iter().map(|(event, _)| event.clone()).collect();
        let formats = ["csv", "folded", "pprof", "callgrind"];
        for (format, compared) in formats.into_iter().zip(&mut compared) {
            let Some(found) = report(format, &path, &events) else {
                continue;
            };
            *compared += 1;
            let wrong = found.iter().find(|sum| !expected.contains(sum));
            assert_eq!(wrong, None, "{format} {path:?}: {expected:?}");
        }
    }
    let mut all = compared.iter();
    assert!(all.all(|&compared| compared > 100), "{compared:?}");
}

//! Numbers as text, compared with what other programs and formatting print.

use proptest::prelude::*;

use super::*;
use crate::profile::Count;
use crate::render::percentage;

#[test]
fn commas() {
    let table = [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (-123, "-123"),
        (-1234, "-1,234"),
        (1_234_567, "1,234,567"),
        (i64::MAX, "9,223,372,036,854,775,807"),
        (i64::MIN, "-9,223,372,036,854,775,808"),
    ];
    for (value, text) in table {
        assert_eq!(NumberText::number(value).as_str(), text);
    }
}

#[test]
fn quotients() {
    let table = [
        (0, 7, 2, "0.00"),
        (1, 3, 2, "0.33"),
        (2, 3, 6, "0.666667"),
        (-1, 2, 2, "-0.50"),
        (5, 1000, 2, "0.01"),
        (999_999, 1000, 2, "1,000.00"),
        (i64::MAX, 1, 6, "9,223,372,036,854,775,807.000000"),
        (i64::MIN, i64::MAX, 2, "-1.00"),
    ];
    for (value, by, decimals, text) in table {
        let mut number = NumberText::new();
        number.prepend_quotient(value, by, decimals, true);
        assert_eq!(number.as_str(), text);
    }
}

#[test]
fn percentages_as_callgrind_annotate_has_them() {
    // Printed by callgrind_annotate 3.19 for these counts of 100,000.
    let table = [
        (1_000_000, "1000.0"),
        (100_450, "100.5"),
        (100_350, "100.3"),
        (100_250, "100.2"),
        (100_150, "100.2"),
        (100_051, "100.1"),
        (100_050, "100.0"),
        (99_999, "100.0"),
        (99_995, "100.0"),
        (99_994, "99.99"),
        (9_996, "10.00"),
        (9_995, " 9.99"),
        (25, " 0.03"),
        (15, " 0.01"),
        (4, " 0.00"),
        (-9_994, "-9.99"),
        (-9_995, "-10.0"),
        (-12_350, "-12.3"),
        (-12_351, "-12.4"),
        (-100_000, "-100.0"),
        (-9_999_999, "-10000.0"),
    ];
    let total = Count::new(100_000);
    for (value, text) in table {
        assert_eq!(
            percentage(Count::new(value), total).as_deref(),
            Some(text),
            "{value}"
        );
    }
    assert_eq!(percentage(Count::ZERO, total), None);
    assert_eq!(percentage(Count::UNDEFINED, total), None);
    assert_eq!(percentage(total, Count::ZERO), None);
}

fn text(percent: f64) -> String {
    let mut text = NumberText::new();
    text.prepend_percent(percent);
    text.to_string()
}

/// The same by the standard library, which rounds as printf does.
fn formatted(percent: f64) -> String {
    if percent > -9.995 && percent < 99.995 {
        format!("{percent:5.2}")
    } else {
        format!("{percent:5.1}")
    }
}

#[test]
fn percentages_are_rounded_half_to_even() {
    // Halves, quarters and eighths of a digit are exact.
    for eighth in -100_000..100_000 {
        let percent = f64::from(eighth) / 800.0;
        let exact = f64::from(eighth) / 8.0;
        for percent in [percent, exact, percent.next_up(), percent.next_down()] {
            assert_eq!(text(percent), formatted(percent), "{percent:e}");
        }
    }
}

proptest! {
    #[test]
    fn percentages_are_those_of_the_standard_library(
        count in any::<i64>(), total in any::<i64>(), down in 0u32..63, total_down in 0u32..63,
    ) {
        let (count, total) = (count >> down, total >> total_down);
        prop_assume!(count != 0 && total != 0);
        let percent = count as f64 * 100.0 / total as f64;
        prop_assert_eq!(text(percent), formatted(percent));
    }
}

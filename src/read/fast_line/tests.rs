//! Tests of plain lines.

use super::*;

#[test]
fn plain_numbers_of_all_lengths() {
    let mut text = String::new();
    for length in 1..=19 {
        text.clear();
        text.extend((0..length).map(|i| char::from(b'1' + (i % 9) as u8)));
        let value: u64 = text.parse().unwrap();
        for after in ["\n", " 12345678\n", "\n99999999", "+\n", ".é~é~é"] {
            let input = [&text, after, &"\n".repeat(MAX_LINE)].concat();
            let mut line = FastLine::new(input.as_bytes()).unwrap();
            let number = line.number();
            assert_eq!(number, (length <= MAX_DIGITS).then_some(value), "{input:?}");
            assert!(number.is_none() || line.position() == length);
        }
    }
    let text = ["x12345678", &"\n".repeat(MAX_LINE)].concat();
    assert_eq!(FastLine::new(text.as_bytes()).unwrap().number(), None);
}

/// The counts of a line, if they could be added up.
fn added(text: &str, events: usize) -> Option<Vec<u64>> {
    let input = [text, &"\n".repeat(MAX_LINE)].concat();
    let mut line = FastLine::new(input.as_bytes()).unwrap();
    let mut sums = vec![7; events];
    let len = line.add_counts(&mut sums);
    if let Some(len) = len {
        assert_eq!(line.position(), text.len() + 1, "{text}");
        assert!(sums[len..].iter().all(|&sum| sum == 7));
        return Some(sums[..len].iter().map(|sum| sum - 7).collect());
    }
    None
}

#[test]
fn all_counts_are_added_or_none() {
    assert_eq!(added("", 2), Some(vec![]));
    assert_eq!(added("1 23 4567890123", 3), Some(vec![1, 23, 4567890123]));
    for line in ["1 2 3", "1 2 ", "1  2", "1 .", "1 -2", "1 2x", "x", "1 2\r"] {
        assert_eq!(added(line, 2), None, "{line:?}");
    }
}

#[test]
fn places_are_relative_to_the_last_one() {
    let given = |address| Positions {
        address,
        block: false,
        line: true,
    };
    let last = LastPosition {
        address: 0x100,
        line: 30,
    };
    let table = [
        (false, "569 \n", Some((0x100, 569))),
        (false, "569\n", Some((0x100, 569))),
        (false, "+5 7\n", Some((0x100, 35))),
        (false, "-31 \n", None),
        (false, "* \n", Some((0x100, 30))),
        (false, "\n", None),
        (false, "5x\n", None),
        (true, "0x1a8d20 569 \n", Some((0x1a8d20, 569))),
        (true, "+4 -5 \n", Some((0x104, 25))),
        (true, "569 \n", None),
        (true, "-257 1 \n", None),
    ];
    for (address, text, expected) in table {
        let input = [text, &"\n".repeat(MAX_LINE)].concat();
        let mut line = FastLine::new(input.as_bytes()).unwrap();
        let at = line.place(given(address), last);
        assert_eq!(at.map(|at| (at.address, at.line)), expected, "{text:?}");
    }
}

#[test]
fn lines_are_skipped_up_to_their_end() {
    for len in 0..LAST_NUMBER - 8 {
        let input = [&b"\x0b\t".repeat(len)[..len], &[b'\n'; MAX_LINE]].concat();
        let mut line = FastLine::new(&input).unwrap();
        assert_eq!(line.skip_line().map(|()| line.position()), Some(len + 1));
    }
}

#[test]
fn longer_lines_are_not_plain() {
    for digits in 1..=MAX_DIGITS {
        let number: u64 = "1234567890123"[..digits].parse().unwrap();
        for counts in 1..200 {
            let line = vec![number.to_string(); counts].join(" ");
            let is_short = line.len() - digits <= LAST_NUMBER;
            let expected = is_short.then(|| vec![number; counts]);
            assert_eq!(added(&line, 200), expected, "{line}");
        }
    }
}

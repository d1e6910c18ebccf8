//! The text of a golden case holds any bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::case::{Case, Expected};

trials![a_case_holds_any_bytes];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        &b"\n"[..],
        b"--- ",
        b"--- stdout\n",
        b"\\",
        b"x41",
        b"\r",
        b"\t",
        b"\0",
        b"\x0c",
        b"\xff",
        b"\xc3\xa9",
        b"# ",
    ]);
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    fn a_case_holds_any_bytes(out in bytes(), err in bytes(), status in -1..3) {
        let case = Case::parse("# Nothing.\n$ cgannotate p.out\n").unwrap();
        let expected = Expected { out, err, status };
        let text = case.text(&expected);
        let again = Case::parse(&text).unwrap();
        assert_eq!(again.expected, expected);
        assert_eq!(again.text(&expected), text);
        assert!(text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{text:?}");
    }
}

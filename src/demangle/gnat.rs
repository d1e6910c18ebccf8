//! Names of Ada, as GNAT encodes them: `ada__text_io__put_line__2` is `ada.text_io.put_line`. Any
//! other name is printed in `<>`, as GNU gprof does.

/// The names of operators, which begin with `O`, and how the source has them.
const OPERATORS: [(&str, &str); 19] = [
    ("Oabs", "abs"),
    ("Oadd", "+"),
    ("Oand", "and"),
    ("Oconcat", "&"),
    ("Odivide", "/"),
    ("Oeq", "="),
    ("Oexpon", "**"),
    ("Oge", ">="),
    ("Ogt", ">"),
    ("Ole", "<="),
    ("Olt", "<"),
    ("Omod", "mod"),
    ("Omultiply", "*"),
    ("One", "/="),
    ("Onot", "not"),
    ("Oor", "or"),
    ("Orem", "rem"),
    ("Osubtract", "-"),
    ("Oxor", "xor"),
];

/// What the compiler makes for a unit or type, which begins with three underscores.
const MADE: [(&str, &str); 5] = [
    ("___elabb", "'Elab_Body"),
    ("___elabs", "'Elab_Spec"),
    ("___size", "'Size"),
    ("___alignment", "'Alignment"),
    ("___assign", ".\":=\""),
];

/// Operations of a type that follow its name.
const OPERATIONS: [(&str, &str); 6] = [
    ("DA", ".Adjust"),
    ("DF", ".Finalize"),
    ("SI", "'Input"),
    ("SO", "'Output"),
    ("SR", "'Read"),
    ("SW", "'Write"),
];

/// The name in Ada, or the name in `<>`.
pub(super) fn demangle(name: &str) -> String {
    parse(name).unwrap_or_else(|| format!("<{name}>"))
}

fn parse(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix("_ada_").unwrap_or(name);
    let mut text = String::with_capacity(rest.len() + 2);
    loop {
        if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            let end = end_of_identifier(rest);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        } else {
            let is_it = |(code, _): &&(&str, &str)| {
                rest.strip_prefix(*code)
                    .is_some_and(|after| after.is_empty() || after.starts_with("__"))
            };
            let (code, operator) = OPERATORS.iter().find(is_it)?;
            text.push_str(&format!("\"{operator}\""));
            rest = &rest[code.len()..];
        }
        for (code, made) in MADE.iter().chain(&OPERATIONS) {
            if let Some(after) = rest.strip_prefix(code) {
                text.push_str(made);
                rest = if after.starts_with("___") { &after[1..] } else { after };
                break;
            }
        }
        if is_end(rest) {
            return Some(text);
        }
        rest = rest.strip_prefix("__")?;
        text.push('.');
    }
}

/// The end of the lowercase letters, digits, and underscores between them.
fn end_of_identifier(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_part = |at: usize| {
        bytes.get(at).is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let mut end = 0;
    while is_part(end) || bytes[end..].starts_with(b"_") && is_part(end + 1) {
        end += 1;
    }
    end
}

/// Whether a name ends here: with the body of a task, an operation of a protected object, an entry,
/// the number of an overloaded or a nested function, or where a package is nested.
fn is_end(rest: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let rest = match rest.split_once('.') {
        Some((before, nested)) if !nested.is_empty() && is_number(nested) => before,
        _ => rest,
    };
    let without_number = rest.strip_prefix("__").map_or(rest, |number| {
        let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
        if after.len() < number.len() { after } else { rest }
    });
    let is_nesting = |text: &str| {
        let kinds = text.strip_prefix('X');
        kinds.is_some_and(|kinds| kinds.bytes().all(|kind| kind == b'b' || kind == b'n'))
    };
    let is_entry = |text: &str| {
        let number = text.strip_prefix("_E").and_then(|text| text.strip_suffix('s'));
        number.is_some_and(is_number)
    };
    let rest = without_number;
    matches!(rest, "" | "TKB" | "N" | "P") || is_nesting(rest) || is_entry(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GNU gprof 2.40 prints with `--demangle=gnat`.
    #[test]
    fn names_as_gprof_prints_them() {
        let table = [
            ("ada__text_io__put_line__2", "ada.text_io.put_line"),
            ("_ada_main", "main"),
            ("pkg__e__f__g__h_42", "pkg.e.f.g.h_42"),
            ("pkg__Oadd", "pkg.\"+\""),
            ("pkg__Osubtract__2", "pkg.\"-\""),
            ("pkg___elabb", "pkg'Elab_Body"),
            ("pkg__abc___assign___1", "pkg.abc.\":=\""),
            ("ada__finalization___assign__3", "ada.finalization.\":=\""),
            ("ada__text_io___size__2", "ada.text_io'Size"),
            ("wch_stw__get_utf_32.1", "wch_stw.get_utf_32"),
            ("pkg__typDF", "pkg.typ.Finalize"),
            ("pkg__typSR", "pkg.typ'Read"),
            ("foo__barTKB", "foo.bar"),
            ("foo__task__bar_E5s", "foo.task.bar"),
            ("pkg__prot__protP", "pkg.prot.prot"),
            ("a__bXn", "a.b"),
            ("pkg__one__2Xn", "pkg.one"),
            ("Foo", "<Foo>"),
            ("_Z3fooi", "<_Z3fooi>"),
            ("pkg__typeIP", "<pkg__typeIP>"),
            ("pkg__sub__2__inner__3", "<pkg__sub__2__inner__3>"),
            ("a__foo_E5b", "<a__foo_E5b>"),
            ("pkg__a__", "<pkg__a__>"),
            ("pkg__W_foo", "<pkg__W_foo>"),
            ("pkg__objE", "<pkg__objE>"),
            ("", "<>"),
        ];
        for (name, expected) in table {
            assert_eq!(demangle(name), expected, "{name}");
        }
    }
}

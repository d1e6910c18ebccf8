//! Qualifiers of lambdas and of template parameters, which cpp_demangle prints within the
//! parameters of a lambda: `{lambda(A&&)#1}` for `{lambda(A)#1}&&`. What it prints in their place,
//! behind the type, are the qualifiers of vendors, so `O` before a type becomes such a qualifier
//! named `$O`.

use super::printed::printed;

/// The letters of qualifiers, and how they are printed behind a type.
const QUALIFIERS: [(char, &str); 4] = [('O', "&&"), ('R', "&"), ('P', "*"), ('K', " const")];

/// The name of a symbol with a lambda; none without one, or if a qualifier is not one that is
/// printed behind the type.
pub(super) fn printed_with_lambda(symbol: &str) -> Option<String> {
    if !symbol.contains("Ul") {
        return None;
    }
    let marked = marked(symbol)?;
    unmarked(&printed(&marked)?)
}

/// The symbol with qualifiers of vendors before local classes and template parameters.
fn marked(symbol: &str) -> Option<String> {
    let mut text = String::with_capacity(symbol.len());
    let mut at = 0;
    let mut is_changed = false;
    while let Some(first) = symbol[at..].chars().next() {
        let rest = &symbol[at..];
        if let Some(len) = identifier_len(symbol, at) {
            text.push_str(&rest[..len]);
            at += len;
            continue;
        }
        let is_qualifier = |c| QUALIFIERS.iter().any(|(letter, _)| *letter == c);
        let count = rest.find(|c| !is_qualifier(c)).unwrap_or(0);
        // The qualifiers of a nested name are those of a function.
        let is_of_name = symbol[..at].ends_with('N');
        if count == 0 || is_of_name || !is_marked_type(&rest[count..]) {
            text.push(first);
            at += first.len_utf8();
            continue;
        }
        for letter in rest[..count].chars() {
            text.push_str("U2$");
            text.push(letter);
        }
        at += count;
        is_changed = true;
    }
    is_changed.then_some(text)
}

/// Whether a text begins with a local class, a template parameter, or a type by its number.
fn is_marked_type(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
    let number = text.strip_prefix(['T', 'S']).map(|rest| rest.trim_start_matches(is_digit));
    text.starts_with('Z') || number.is_some_and(|rest| rest.starts_with('_'))
}

/// The length of the identifier at a position of a symbol, with its length before it.
fn identifier_len(symbol: &str, at: usize) -> Option<usize> {
    let rest = &symbol[at..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0)?;
    let before = &symbol[..at];
    // Numbers of substitutions and template parameters, of elements of arrays, and literals.
    let literal = before.strip_suffix('n').unwrap_or(before);
    let is_literal = literal.len() > 1 && literal.as_bytes()[literal.len() - 2] == b'L';
    // `E0_` ends a lambda with a number; of an identifier that begins with `_` nothing is lost.
    let is_number = before.ends_with('E') && rest[digits..].starts_with('_');
    if is_literal || is_number || before.ends_with(['S', 'T', 'A']) {
        return Some(digits);
    }
    let len: usize = rest[..digits].parse().ok()?;
    let end = digits.checked_add(len).filter(|&end| rest.is_char_boundary(end));
    Some(end.unwrap_or(digits))
}

/// The name with qualifiers in place of those of vendors. A reference to a reference is one.
fn unmarked(name: &str) -> Option<String> {
    let mut text = String::with_capacity(name.len());
    let mut parts = name.split(" $");
    text.push_str(parts.next()?);
    for part in parts {
        let letter = part.chars().next()?;
        let qualifier = QUALIFIERS.iter().find(|(other, _)| *other == letter);
        let Some((letter, qualifier)) = qualifier else {
            text.push_str(" $");
            text.push_str(part);
            continue;
        };
        let is_class = text.ends_with("(anonymous namespace)") || !text.ends_with([')', ']']);
        if !is_class {
            return None;
        }
        if *letter != 'O' && *letter != 'R' {
            text.push_str(qualifier);
            text.push_str(&part[1..]);
            continue;
        }
        // A reference to a reference is one, also where cpp_demangle prints the other one.
        let rest = part[1..].trim_start_matches('&');
        let is_single = *letter == 'R' || part.len() - rest.len() == 2;
        if !text.ends_with('&') {
            text.push_str(qualifier);
        }
        if is_single && text.ends_with("&&") {
            text.pop();
        }
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_of_vendors_in_place_of_others() {
        let symbols = [
            ("_Z1fIRKZ1gvEUlvE_EvOT_", Some("_Z1fIU2$RU2$KZ1gvEUlvE_EvU2$OT_")),
            ("_Z1fIPZ1gvEUlvE0_EvRS1_", Some("_Z1fIU2$PZ1gvEUlvE0_EvU2$RS1_")),
            // No qualifier in a name, before another type, or of a function.
            ("_Z3OT_PT0_", Some("_Z3OT_U2$PT0_")),
            ("_Z1fPKcRi", None),
            ("_ZNKS_3fooEv", None),
        ];
        for (symbol, expected) in symbols {
            assert_eq!(marked(symbol).as_deref(), expected, "{symbol}");
        }
    }

    #[test]
    fn qualifiers_behind_types() {
        let names = [
            ("f({lambda()#1} $K $R)", Some("f({lambda()#1} const&)")),
            // A reference to a reference is one.
            ("f(A& $O, A&& $R, A&& $O, A $O&, A $O&&)", Some("f(A&, A&, A&&, A&, A&&)")),
            ("f(A& $K, A $P)", Some("f(A& const, A*)")),
            ("(anonymous namespace) $P", Some("(anonymous namespace)*")),
            // The qualifier of a type of functions or arrays is not printed behind it.
            ("f(int (char) $O)", None),
            ("f(int [3] $R)", None),
        ];
        for (name, expected) in names {
            assert_eq!(unmarked(name).as_deref(), expected, "{name}");
        }
    }
}

//! What cpp_demangle prints of a symbol, with the types and parameters of functions where c++filt
//! has them.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions};

use super::MAX_LEN;

/// The recursion limit for cpp_demangle.
const MAX_DEPTH: u32 = 128;

/// The maximum number of positions in a name to try or change as workarounds for cpp_demangle.
const MAX_TRIES: usize = 50;

/// Demangles a name with cpp_demangle. The functions that a class or a lambda is in have no return
/// types, and the parameters are behind the name.
pub(super) fn printed(symbol: &str) -> Option<String> {
    let options = ParseOptions::default().recursion_limit(MAX_DEPTH);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &options).ok()?;
    let print = |options: DemangleOptions| {
        let mut readable = BoundedText::default();
        let options = options.recursion_limit(MAX_DEPTH);
        parsed.structured_demangle(&mut readable, &options).ok()?;
        Some(readable.text)
    };
    let readable = print(DemangleOptions::default())?;
    if !readable.contains(")::") && !readable.contains(") const::") {
        return Some(readable);
    }
    let without_types = print(DemangleOptions::default().no_return_type())?;
    // What is in braces is no function but a table or a thunk.
    if readable.starts_with('{') {
        return Some(without_types);
    }
    let result = return_type_of_function(&readable, &without_types);
    let name = print(DemangleOptions::default().no_return_type().no_params())?;
    Some(result + &with_parameters_last(&name, without_types))
}

/// The return type before the name of a function, with a blank behind it; empty for what is no
/// template function. `readable` has also the return types of the functions that a class or a
/// lambda is in.
fn return_type_of_function(readable: &str, without_types: &str) -> String {
    let end = readable.rfind(')').filter(|&end| !readable[end..].contains("::"));
    let is_template = |&end: &usize| {
        let (_, parts) = start_of_name(&readable[..=end]);
        let parameters = parts.into_iter().rfind(|&at| readable[at..].starts_with('('));
        parameters.is_some_and(|at| readable[..at].ends_with('>'))
    };
    let Some(end) = end.filter(is_template) else {
        return String::new();
    };
    // Behind these is the type of the function that a template of a lambda is in.
    let deduced = ["auto ", "decltype(auto) "].into_iter().find(|auto| readable.starts_with(auto));
    let result = deduced.or_else(|| readable.strip_suffix(without_types)).or_else(|| {
        let types = return_type(readable, end)?;
        (types.start == 0).then_some(&readable[types])
    });
    without_return_types(result.unwrap_or_default().to_owned())
}

/// The function with its parameters behind its `name`. cpp_demangle prints them within those of a
/// lambda, `{lambda(A(A))#1}::operator() const` for `{lambda(A)#1}::operator()(A) const`.
fn with_parameters_last(name: &str, function: String) -> String {
    let qualifiers = [" const", ""].into_iter().find(|end| function.ends_with(end));
    let Some(qualifiers) = qualifiers.filter(|_| !function.starts_with(name)) else {
        return function;
    };
    let unqualified = &function[..function.len() - qualifiers.len()];
    // cpp_demangle prints the qualifier of a function of a local class without parameters too.
    let name = name.strip_suffix(qualifiers).unwrap_or(name);
    let Some(len) = unqualified.len().checked_sub(name.len()) else {
        return function;
    };
    let equal = name.bytes().zip(unqualified.bytes()).take_while(|(a, b)| a == b).count();
    let is_inserted = |&at: &usize| {
        unqualified.is_char_boundary(at + len)
            && unqualified[..at + len].ends_with(')')
            && unqualified[at + len..] == name[at..]
    };
    let is_bracket = |at: &usize| unqualified.as_bytes().get(*at) == Some(&b'(');
    let at = (0..=equal).rev().filter(is_bracket).take(MAX_TRIES).find(is_inserted);
    at.map(|at| [name, &unqualified[at..at + len], qualifiers].concat()).unwrap_or(function)
}

/// The name without the return types of template functions that a class or a lambda is in, which
/// only cpp_demangle prints: `void f<int>(int)::{lambda()#1}`.
fn without_return_types(mut name: String) -> String {
    // From the end, so that positions before it stay.
    let mut end = name.len();
    for _ in 0..MAX_TRIES {
        let Some(at) = name[..end].rfind(")::").or_else(|| name[..end].rfind(") const::")) else {
            break;
        };
        end = at;
        if let Some(types) = return_type(&name, at) {
            end = types.start;
            name.replace_range(types, "");
        }
    }
    name
}

/// The range of the return type of a template function whose last bracket is at `end`.
pub(super) fn return_type(name: &str, end: usize) -> Option<std::ops::Range<usize>> {
    let (mut start, parts) = start_of_name(&name[..=end]);
    // What a name is that of comes before the type: `guard variable for void f<int>()::a`.
    if start == 0 {
        start = name[..end].find(" for ").map_or(0, |at| at + " for ".len());
    }
    // Only templates have return types.
    let parameters = parts.iter().rev().find(|&&at| name[at..].starts_with('('))?;
    if !name[..*parameters].ends_with('>') {
        return None;
    }
    // The first `auto` is that of a template in the lambda.
    if start == 0 && name.starts_with("auto ") && name[end..].contains(">(") {
        start = "auto ".len();
    }
    let operator = name[start..].find("operator").map_or(name.len(), |at| start + at);
    let mut spaces = parts.iter().rev().filter(|&&at| name[at..].starts_with(' '));
    // A function that a lambda is in may be `const`.
    let is_behind_type =
        |at| (start..operator).contains(&at) && !name[at..].starts_with(" const::");
    let space = spaces.find(|&&at| is_behind_type(at))?;
    Some(start..space + 1)
}

/// The start of the name that ends a text, behind an opening bracket or a comma, and the positions
/// of its blanks and opening brackets outside of others.
pub(super) fn start_of_name(text: &str) -> (usize, Vec<usize>) {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut parts = Vec::new();
    for (at, &byte) in bytes.iter().enumerate().rev() {
        match byte {
            b'<' | b'>' if is_operator(&text[..at]) => {}
            b')' | b'>' | b'}' | b']' => depth += 1,
            b'(' | b'<' | b'{' | b'[' if depth == 0 => return (at + 1, in_order(parts)),
            b'(' | b'<' | b'{' | b'[' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(at);
                }
            }
            b' ' if depth == 0 && at > 0 && bytes[at - 1] == b',' => {
                return (at + 1, in_order(parts));
            }
            b' ' if depth == 0 => parts.push(at),
            _ => {}
        }
    }
    (0, in_order(parts))
}

/// Whether `<` or `>` behind a text is no bracket but belongs to an operator.
pub(super) fn is_operator(before: &str) -> bool {
    before.ends_with('-') || before.trim_end_matches(['<', '>']).ends_with("operator")
}

fn in_order(mut positions: Vec<usize>) -> Vec<usize> {
    positions.reverse();
    positions
}

/// A text of at most [`MAX_LEN`] bytes. Substitutions can double a name repeatedly; a name that
/// gets longer stays mangled.
#[derive(Default)]
pub(super) struct BoundedText {
    pub(super) text: String,
}

impl Write for BoundedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > MAX_LEN {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

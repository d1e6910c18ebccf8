//! Names of C++ as `c++filt` and GNU gprof print them. cpp_demangle parses the symbols; what it
//! prints differently is changed in its text, or in the symbol before.

use super::printed::{is_operator, printed, return_type, start_of_name};
use super::{MAX_LEN, packs, qualifiers};

/// The maximum number of positions in a name to try or change as workarounds for cpp_demangle.
const MAX_TRIES: usize = 50;

/// How classes of the standard library with a short mangled name, such as `Ss`, are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StandardClasses {
    /// `std::basic_string<char, ...>`, as c++filt does.
    Full,
    /// `std::string`, as gprof does; of [`FULL_CLASSES`] those that the symbol has by their short
    /// mangled names.
    Short { abbreviated: [bool; FULL_CLASSES.len()] },
}

impl StandardClasses {
    /// As gprof prints them, if the symbol has their short mangled names.
    pub(super) const SHORT: StandardClasses =
        StandardClasses::Short { abbreviated: [true; FULL_CLASSES.len()] };

    /// How they are printed in the name of a symbol.
    fn of_symbol(self, symbol: &str) -> StandardClasses {
        let StandardClasses::Short { .. } = self else {
            return self;
        };
        let code = without_identifiers(symbol);
        let abbreviated = FULL_CLASSES.map(|(mangled, ..)| code.contains(mangled));
        StandardClasses::Short { abbreviated }
    }
}

/// A mangled name with a space in place of each identifier, which stands behind its length.
fn without_identifiers(symbol: &str) -> String {
    let mut code = String::with_capacity(symbol.len());
    let mut rest = symbol;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        code.push_str(&rest[..at]);
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - at);
        let (number, after) = rest[at..].split_at(digits);
        // Numbers of substitutions, of elements of arrays, and literals such as `Li5E` are no
        // lengths.
        let before = code.strip_suffix('n').unwrap_or(&code);
        let is_literal = before.len() > 1 && before.as_bytes()[before.len() - 2] == b'L';
        let is_length = !is_literal && !code.ends_with(['S', 'T', 'A']);
        let length = number.parse().ok().filter(|_| is_length);
        rest = length.and_then(|length: usize| after.get(length..)).unwrap_or(after);
        code.push(' ');
    }
    code + rest
}

/// The readable name of a symbol.
pub(super) fn demangle(symbol: &str, classes: StandardClasses) -> Option<String> {
    let symbol = symbol.strip_prefix('_').filter(|rest| rest.starts_with("_Z")).unwrap_or(symbol);
    if symbol.len() > MAX_LEN {
        return None;
    }
    let (symbol, clones) = symbol.split_at(symbol.find('.').unwrap_or(symbol.len()));
    if !clones.is_empty() && is_data(symbol) {
        return None;
    }
    let expanded = packs::expanded(symbol);
    let symbol = expanded.as_deref().unwrap_or(symbol);
    let adjusted = qualifiers::printed_with_lambda(symbol)
        .or_else(|| printed(symbol))
        .map(|readable| with_first_parameter(symbol, readable))
        .or_else(|| with_members(symbol))
        .or_else(|| of_several_constructors(symbol))
        .map(with_part_of_class_first)
        .map(|readable| with_declarators_last(&readable))
        .map(with_name_in_return_type)
        .map(|readable| {
            let has_const = without_identifiers(symbol).contains("KF");
            if has_const { with_const_of_functions(&readable) } else { readable }
        })
        .map(|readable| adjust(&readable, classes.of_symbol(symbol)))?;
    Some(with_addresses(&with_numbers_of_packs(&adjusted)) + &clone_suffixes(clones)?)
}

/// Whether a symbol is that of a variable, which c++filt does not read before a suffix: with
/// parameters it is a function.
fn is_data(symbol: &str) -> bool {
    let function = printed(&format!("{symbol}v"));
    let name = function.as_deref().and_then(|function| function.strip_suffix("()"));
    name.is_some_and(|name| printed(symbol).as_deref() == Some(name))
}

/// The name of the group of a class's constructors or destructors, which cpp_demangle does not
/// read, by that of one of them.
fn of_several_constructors(symbol: &str) -> Option<String> {
    let groups = ["C5E", "C5I", "D5E"].into_iter().flat_map(|group| symbol.match_indices(group));
    groups.take(MAX_TRIES).find_map(|(at, _)| {
        let (class, types) = (&symbol[..at + 1], &symbol[at + 2..]);
        let symbol = format!("{class}1{types}");
        printed(&symbol).map(|readable| with_first_parameter(&symbol, readable))
    })
}

/// The name with addresses of functions in arguments as c++filt prints them: `&A::f` of a member,
/// `&(f(int))` of another function, where cpp_demangle prints `&A::f (int)` and `&f (int)`.
fn with_addresses(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        let is_operand = text.ends_with('<') || text.ends_with(", ");
        text.push('&');
        rest = &rest[at + 1..];
        let end = if is_operand { end_of_argument(rest) } else { 0 };
        if let Some(function) = address(&rest[..end]) {
            text.push_str(&function);
            rest = &rest[end..];
        }
    }
    text + rest
}

/// A function as the operand of `&`.
fn address(function: &str) -> Option<String> {
    let (_, parts) = start_of_name(function);
    let start = parts.into_iter().rfind(|&at| function[at..].starts_with('('))?;
    let (name, parameters) = (&function[..start], &function[start..]);
    let end = closing_bracket(parameters)? + 1;
    // cpp_demangle prints the parameters before the last part of a name whose class is known by a
    // substitution.
    if parameters[end..].starts_with("::") {
        let last = &parameters[end..];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        return last[2..].chars().all(is_name).then(|| format!("{name}{last}"));
    }
    let is_qualified = parameters[end..].starts_with(' ');
    let name = name.strip_suffix(' ').or(is_qualified.then_some(name))?;
    let is_member = name.contains("::") && !name.ends_with('>') && parameters.ends_with(')');
    Some(if is_member { name.to_owned() } else { format!("({name}{parameters})") })
}

/// The end of an argument, before the comma or bracket behind it.
fn end_of_argument(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            b',' | b'>' | b')' | b'}' | b']' if depth == 0 => return at,
            b')' | b'>' | b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The name of a construction vtable with the part of the class before the class, which
/// cpp_demangle prints the other way round.
fn with_part_of_class_first(readable: String) -> String {
    let begin = "construction vtable for ";
    let classes = readable.strip_prefix(begin).and_then(|of| of.split_once("-in-"));
    match classes {
        Some((class, part)) => format!("{begin}{part}-in-{class}"),
        None => readable,
    }
}

/// The name with `<T, 0ul, 1ul>` for `<T, (0ul, 1ul)...>`: cpp_demangle does not expand a pack of
/// numbers in an argument.
fn with_numbers_of_packs(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(end) = rest.find(")...>") {
        let start = rest[..end].rfind('(').filter(|&start| {
            let is_part = |c: char| c.is_ascii_digit() || "ul-, ".contains(c);
            let begins_argument = rest[..start].ends_with('<') || rest[..start].ends_with(", ");
            begins_argument && rest[start + 1..end].chars().all(is_part)
        });
        let list = match start {
            Some(start) => [&rest[..start], &rest[start + 1..end]].concat(),
            None => rest[..end + 4].to_owned(),
        };
        text.push_str(&list);
        rest = &rest[end + 4..];
    }
    text + rest
}

/// The suffixes of compilers at the end of a symbol, as c++filt prints them: a word and the numbers
/// behind it are one. None if they are no such suffixes.
fn clone_suffixes(suffixes: &str) -> Option<String> {
    let mut text = String::new();
    for part in suffixes.split('.').skip(1) {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_word = part.bytes().next()?.is_ascii_lowercase() || part.starts_with('_');
        if is_number && text.ends_with(']') {
            text.pop();
            text.push_str(&format!(".{part}]"));
        } else if is_number || is_word {
            text.push_str(&format!(" [clone .{part}]"));
        } else {
            return None;
        }
    }
    Some(text)
}

/// The name with `*`, `&` and `const` behind nested classes: where a class is known by a
/// substitution, cpp_demangle prints `A*::B` for `A::B*`.
fn with_declarators_last(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("::") {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let class = without_declarators(&text).len();
        let is_of_class = |c: char| c.is_alphanumeric() || c == '_' || c == '>';
        let is_class = class < text.len()
            && text[..class].ends_with(is_of_class)
            && !text[..class].ends_with("operator");
        let nested = if is_class { nested_name_len(after) } else { 0 };
        if nested > 0 {
            let declarators = text.split_off(class);
            text.push_str(&after[..nested]);
            text.push_str(&declarators);
            rest = &after[nested..];
        } else {
            text.push_str("::");
            rest = &after[2..];
        }
    }
    text + rest
}

/// The name within a return type that is a pointer or a reference to a function or an array, as C++
/// has it: `void (*f<int>(int))(char)`, where cpp_demangle prints `void (*)(char) f<int>(int)`.
fn with_name_in_return_type(name: String) -> String {
    let types = name.rfind(')').and_then(|end| return_type(&name, end));
    let Some((result, function)) = types.map(|types| name.split_at(types.end)) else {
        return name;
    };
    match end_of_declarator(result) {
        Some(at) => [&result[..at], function, result[at..].trim_end()].concat(),
        None => name,
    }
}

/// The end of the `*` or `&` in the innermost brackets of a type such as `void (*(*)(int))(char)`.
fn end_of_declarator(result: &str) -> Option<usize> {
    let (_, parts) = start_of_name(result);
    let mut at = parts.into_iter().find(|&at| result[at..].starts_with('('))? + 1;
    loop {
        let next = at + result[at..].find(['(', ')'])?;
        let class = result[at..next].trim_end_matches(" const").trim_end_matches(" volatile");
        let is_declarator = class.ends_with(['*', '&']);
        match &result[next..=next] {
            ")" if is_declarator => return Some(next),
            "(" if is_declarator => at = next + 1,
            _ => return None,
        }
    }
}

/// The name with the `const` of function types behind their parameters: cpp_demangle prints `void
/// (A const)` for `void (A) const`. The parameter of a function type has no `const` of its own.
fn with_const_of_functions(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    // For each open bracket, whether it is that of a function type, and whether that is `const`.
    let mut brackets = Vec::new();
    for (at, c) in name.char_indices() {
        let is_bracket = !is_operator(&name[..at]);
        if let (Some((true, is_const)), ',' | ')') = (brackets.last_mut(), c)
            && let Some(class) = text.strip_suffix(" const")
            && class.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '}'))
        {
            text.truncate(class.len());
            *is_const = true;
        }
        match c {
            '(' => brackets.push((text.ends_with(' '), false)),
            '<' | '{' | '[' if is_bracket => brackets.push((false, false)),
            _ => {}
        }
        text.push(c);
        if c == ')' || matches!(c, '>' | '}' | ']') && is_bracket {
            let is_const = brackets.pop().is_some_and(|(_, is_const)| is_const);
            text.push_str(if is_const { " const" } else { "" });
        }
    }
    text
}

fn without_declarators(text: &str) -> &str {
    let mut class = text;
    while let Some(shorter) =
        [" const", " volatile", "*", "&"].iter().find_map(|end| class.strip_suffix(end))
    {
        class = shorter;
    }
    class
}

/// The length of `::B<int>::C` at the start of a text.
fn nested_name_len(text: &str) -> usize {
    let mut len = 0;
    while text[len..].starts_with("::") {
        let name = &text[len + 2..];
        let word = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        let arguments = if name[word..].starts_with('<') {
            closing_bracket(&name[word..]).map_or(0, |end| end + 1)
        } else {
            0
        };
        if word == 0 {
            break;
        }
        len += 2 + word + arguments;
    }
    len
}

/// Restores the first parameter of a constructor template, which cpp_demangle takes as the return
/// type that other templates have: with an inserted return type `void`, it prints the parameter.
fn with_first_parameter(symbol: &str, readable: String) -> String {
    let constructors = ["C1I", "C2I", "C4I", "C5I", "CI1", "CI2"];
    let begins = constructors.iter().filter_map(|begin| symbol.find(begin));
    let Some(begin) = begins.min() else {
        return readable;
    };
    let ends = (begin..symbol.len()).filter(|&at| symbol.as_bytes()[..at].ends_with(b"EE"));
    let with_type = |end| printed(&[&symbol[..end], "v", &symbol[end..]].concat());
    // Whether it is the same name with more text after an opening bracket.
    let has_more = |other: &String| {
        let from_start = readable.bytes().zip(other.bytes());
        let from_end = readable.bytes().rev().zip(other.bytes().rev());
        let start = from_start.take_while(|(a, b)| a == b).count();
        let end = from_end.take_while(|(a, b)| a == b).count();
        let mut brackets = readable.match_indices('(').map(|(at, _)| at + 1);
        let is_parameter = |at| !other[at..].starts_with("void, ");
        other.len() > readable.len()
            && brackets.any(|at| at <= start && readable.len() - at <= end && is_parameter(at))
    };
    let mut others = ends.take(MAX_TRIES).filter_map(with_type);
    others.find(has_more).unwrap_or(readable)
}

/// The members of `std` templates in expressions, as they are mangled and as they are printed.
const MEMBERS: [(&str, &str); 2] = [("E5value", "value"), ("E7__value", "__value")];

/// Demangles a name with members of `std` templates in expressions (`sr`, a class and `5value`),
/// which cpp_demangle does not support: the classes are parsed as operands of `typeid`, which no
/// name has.
fn with_members(symbol: &str) -> Option<String> {
    let begin = "srSt";
    let (end, member) = MEMBERS.into_iter().find(|(end, _)| symbol.contains(end))?;
    let members = symbol.matches(begin).count();
    if members != symbol.matches(end).count() || !(1..=MAX_TRIES).contains(&members) {
        return None;
    }
    let mut text = printed(&symbol.replace(begin, "tiSt").replace(end, "E"))?;
    while let Some((before, class)) = text.split_once("typeid (") {
        let end = closing_bracket(&format!("({class}"))?;
        text = format!("{before}{}::{member}{}", &class[..end - 1], &class[end..]);
    }
    Some(text)
}

/// Prefixes of names that cpp_demangle prints in brackets, up to `)}`, and their replacements.
const PREFIXES: [(&str, &str); 5] = [
    ("{vtable(", "vtable for "),
    ("{vtt(", "VTT for "),
    ("{virtual override thunk({offset(", "non-virtual thunk to "),
    ("{virtual override thunk({virtual offset(", "virtual thunk to "),
    ("{covariant return thunk(", "covariant return thunk to "),
];

/// The types of literals that are printed as a suffix, as in `5u`.
const SUFFIXES: [(&str, &str); 5] = [
    ("(unsigned int)", "u"),
    ("(long)", "l"),
    ("(unsigned long)", "ul"),
    ("(long long)", "ll"),
    ("(unsigned long long)", "ull"),
];

/// Classes of the standard library with a short name, and their arguments of the template
/// `basic_…`.
const CLASSES: [(&str, &str); 4] = [
    ("string", "<char, std::char_traits<char>, std::allocator<char> >"),
    ("istream", "<char, std::char_traits<char> >"),
    ("ostream", "<char, std::char_traits<char> >"),
    ("iostream", "<char, std::char_traits<char> >"),
];

/// The classes with a short name that cpp_demangle prints in full: the short mangled name, the full
/// name, and the short one.
const FULL_CLASSES: [(&str, &str, &str); 2] = [
    ("Si", "basic_istream<char, std::char_traits<char> >", "std::istream"),
    ("Sd", "basic_iostream<char, std::char_traits<char> >", "std::iostream"),
];

/// Other texts, their replacements, and how many of their bytes to replace: the same qualifier
/// twice, the rest of an empty pack in a list, the type of `nullptr`, which has two names, and
/// words for complex numbers and vectors.
const REPLACEMENTS: [(&str, &str, usize); 9] = [
    (" const const", " const", 12),
    (", >", "", 2),
    (", )", "", 2),
    (", ,", "", 2),
    (", &&)", "", 4),
    ("std::nullptr_t", "decltype(nullptr)", 14),
    ("double complex", "double _Complex", 14),
    ("float complex", "float _Complex", 13),
    (" __vector (", " __vector(", 11),
];

/// The name as `c++filt` prints it.
fn adjust(name: &str, classes: StandardClasses) -> String {
    for (begin, words) in PREFIXES {
        let inner = name.strip_prefix(begin);
        if let Some(inner) = inner.and_then(|name| name.strip_suffix(")}")) {
            let offset = inner.split_once(")}, ").filter(|_| begin.ends_with("offset("));
            let inner = offset.map_or(inner, |(_, name)| name);
            return format!("{words}{}", adjust(inner, classes));
        }
    }
    let mut text = String::with_capacity(name.len());
    let (mut at, mut brackets) = (0, Vec::new());
    while let Some(first) = name[at..].chars().next() {
        let rest = &name[at..];
        let other = class(rest, &text, classes)
            .or_else(|| literal(rest))
            .or_else(|| negated_name(rest, classes))
            .or_else(|| literal_operator(rest))
            .or_else(|| called_name(rest));
        at += if let Some((other, length)) = other.or_else(|| other_text(rest)) {
            text.push_str(&other);
            length
        } else {
            if first == '(' && is_after_type(&text) {
                let after = closing_bracket(rest).map(|end| &rest[end + 1..]);
                let is_type = match after {
                    Some("") => name.starts_with("typeinfo "),
                    Some(after) if after.starts_with(['>', ',']) => brackets.last() == Some(&'<'),
                    _ => false,
                };
                text.push_str(if is_type { " " } else { "" });
            }
            match first {
                '<' | '(' | '{' | '[' => brackets.push(first),
                '>' | ')' | '}' | ']' => drop(brackets.pop()),
                _ => {}
            }
            text.push(first);
            first.len_utf8()
        };
    }
    text
}

/// Whether a text ends with the type that a function returns, as in `int (char)`.
fn is_after_type(text: &str) -> bool {
    let is_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '*' | '&');
    text.ends_with(is_type) && !text.ends_with("__vector")
}

/// The index of the bracket that closes the one at the start of a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.find(|c| {
        depth += i32::from(matches!(c, '(' | '<' | '{')) - i32::from(matches!(c, ')' | '>' | '}'));
        depth == 0
    })
}

/// The full name of a class with a short name and the length of the replaced text, in constructors
/// also where other names stay short.
fn class(text: &str, before: &str, classes: StandardClasses) -> Option<(String, usize)> {
    let rest = text.strip_prefix("std::")?;
    if let StandardClasses::Short { abbreviated } = classes
        && let Some(((_, full, short), _)) = FULL_CLASSES
            .iter()
            .zip(abbreviated)
            .find(|((_, full, _), is_abbreviated)| *is_abbreviated && rest.starts_with(full))
    {
        let after = &rest[full.len()..];
        let is_special = ["::basic_", "::~basic_"].iter().any(|begin| after.starts_with(begin));
        return (!is_special).then(|| (short.to_string(), "std::".len() + full.len()));
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let (name, arguments) = CLASSES.iter().find(|(name, _)| rest.starts_with(name))?;
    let after = &rest[name.len()..];
    if before.ends_with(is_word) || after.starts_with(|c| c != ':' && is_word(c)) {
        return None;
    }
    let mut class = format!("std::basic_{name}{arguments}");
    let mut length = "std::".len() + name.len();
    let mut is_full = classes == StandardClasses::Full;
    for special in ["::", "::~"] {
        let function = after.strip_prefix(special);
        let arguments = function.and_then(|function| function.strip_prefix(name));
        if arguments.is_some_and(|arguments| arguments.starts_with(['(', '<'])) {
            class.push_str(&format!("{special}basic_{name}"));
            length += special.len() + name.len();
            is_full = true;
        }
    }
    if after.starts_with('>') {
        class.push(' ');
    }
    is_full.then_some((class, length))
}

/// A number with its type's suffix instead of the type before it, and the length of the replaced
/// text.
fn literal(text: &str) -> Option<(String, usize)> {
    let (kind, suffix) = SUFFIXES.iter().find(|(kind, _)| text.starts_with(kind))?;
    let number = &text[kind.len()..];
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '-');
    let number = &number[..end.unwrap_or(number.len())];
    (!number.is_empty()).then(|| (format!("{number}{suffix}"), kind.len() + number.len()))
}

/// `!a<b>::value` of `!(a<b>::value)`, and the length of the replaced text.
fn negated_name(text: &str, classes: StandardClasses) -> Option<(String, usize)> {
    let rest = text.strip_prefix('!')?;
    let end = closing_bracket(rest).filter(|_| rest.starts_with('('))?;
    let name = &rest[1..end];
    let mut depth = 0;
    let is_name = !name.is_empty()
        && name.chars().all(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth > 0 || c.is_alphanumeric() || matches!(c, '_' | ':' | '>')
        });
    (is_name && !name.ends_with('>')).then(|| (format!("!{}", adjust(name, classes)), end + 2))
}

/// `operator"" _x` of `operator_x::operator ""`, and the length of the replaced text.
fn literal_operator(text: &str) -> Option<(String, usize)> {
    let name = text.strip_prefix("operator")?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let after = name[end..].strip_prefix("::operator \"\"")?;
    Some((format!("operator\"\" {}", &name[..end]), text.len() - after.len()))
}

/// `decltype (begin(` of `decltype ((begin)(`, and the length of the replaced text.
fn called_name(text: &str) -> Option<(String, usize)> {
    let begin = "decltype (";
    let (name, _) = text.strip_prefix(begin)?.strip_prefix('(')?.split_once(")(")?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let is_name = !name.starts_with("::") && name.chars().all(is_part);
    let length = begin.len() + "()(".len() + name.len();
    is_name.then(|| (format!("{begin}{name}("), length))
}

fn other_text(text: &str) -> Option<(String, usize)> {
    let (_, other, length) = REPLACEMENTS.iter().find(|other| text.starts_with(other.0))?;
    Some((other.to_string(), *length))
}

//! Short names of functions and files, which are easier to read.

use std::borrow::Cow;

use super::language::is_of_other_language;
use super::name_syntax::end_of_brackets;
use super::namespace::{bare_name, bare_path, without_parameters};
use crate::profile::NameKind;

/// A function's name without template arguments, parameters and `[clone .isra.0]`. The recursion
/// level is kept, and so are the types of `<Tokens as Iterator>::next`, without their arguments. A
/// name of another language than C++ and Rust is kept whole.
pub fn short_function(name: &[u8], kind: NameKind) -> Cow<'_, [u8]> {
    // A script's path, as profiles of interpreters contain.
    if memchr::memchr(b'/', name).is_some() && memchr::memmem::find(name, b"operator/").is_none() {
        return name.into();
    }
    let plain = kind.without_suffixes(name);
    if let Some(path) = path_with_parameters(plain) {
        return match (path.len() == plain.len(), plain.len() == name.len()) {
            (true, _) => name.into(),
            (_, true) => path.into(),
            _ => [path, &name[plain.len()..]].concat().into(),
        };
    }
    if is_of_other_language(plain, kind) {
        return name.into();
    }
    let suffix = &name[plain.len()..];
    let is_qualified = plain.starts_with(b"<");
    let bare = match is_qualified.then(|| end_of_brackets(plain)).flatten() {
        // `<Type as Trait>` is kept.
        Some(end) => {
            // With `_` in place of the type, the rest is parsed as following a name.
            let rest = bare_name(&[b"_", &plain[end..]].concat(), kind).text;
            match rest.strip_prefix(b"_") {
                Some(rest) => [&without_arguments(&plain[..end]), rest].concat(),
                // The brackets were those of a return type.
                None => rest,
            }
        }
        None if is_qualified => return name.into(),
        None => bare_path(plain).text,
    };
    if bare.is_empty() {
        return name.into();
    }
    [&bare[..], suffix].concat().into()
}

/// A function's name with template arguments, but without return type and parameters.
pub(super) fn with_arguments(name: &[u8], kind: NameKind) -> Vec<u8> {
    let plain = kind.without_suffixes(name);
    let bare =
        str::from_utf8(plain).map_or(plain, |plain| without_parameters(plain, kind).as_bytes());
    [bare, &name[plain.len()..]].concat()
}

/// The `a::f` of most names: words and parameters, as in `a::f(int) const`, or no parameters. None
/// for another name.
fn path_with_parameters(name: &[u8]) -> Option<&[u8]> {
    let is_bare = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let mut rest = name;
    let word = loop {
        let (word, after) = rest.split_at(rest.iter().take_while(is_bare).count());
        rest = match after.strip_prefix(b"::") {
            Some(after) if !word.is_empty() => after,
            _ => break word,
        };
    };
    let parameters = &name[name.len() - rest.len() + word.len()..];
    // An operator's brackets may be part of its name.
    let is_name = !matches!(word, b"" | b"operator" | b"decltype");
    let is_whole = match parameters.first() {
        Some(b'(') => matches!(&parameters[end_of_brackets(parameters)?..], b"" | b" const"),
        after => after.is_none(),
    };
    (is_name && is_whole).then(|| &name[..name.len() - parameters.len()])
}

/// A type without generic arguments: angle brackets that follow a name.
fn without_arguments(name: &[u8]) -> Vec<u8> {
    let (mut short, mut at) = (Vec::new(), 0);
    while let Some(&byte) = name.get(at) {
        let before = at.checked_sub(1).map_or(b' ', |at| name[at]);
        let follows_name = before.is_ascii_alphanumeric() || matches!(before, b'_' | b':');
        let arguments = (byte == b'<' && follows_name).then_some(&name[at..]);
        if let Some(length) = arguments.and_then(end_of_brackets) {
            let end = short.strip_suffix(b"::").map_or(short.len(), <[u8]>::len);
            short.truncate(end);
            at += length;
        } else {
            short.push(byte);
            at += 1;
        }
    }
    short
}

/// A file's name without the directory of Rust's standard library.
pub(super) fn short_file(name: &[u8]) -> &[u8] {
    let library = name.strip_prefix(b"/rustc/").and_then(|rest| {
        let hash = rest.iter().position(|&byte| byte == b'/')?;
        let rest = &rest[hash + 1..];
        Some(rest.strip_prefix(b"library/").unwrap_or(rest))
    });
    library.unwrap_or(name)
}

//! What the names of many languages have in common: brackets, and the clones that compilers make.

use memchr::memmem;

/// The first index outside of all brackets for which `is_wanted` holds.
pub(super) fn find_outside(text: &[u8], is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
    outside_brackets(text).find(|&at| at < text.len() && is_wanted(at))
}

/// The end of the bracketed group at the start of a text, if it is closed.
pub(super) fn end_of_brackets(text: &[u8]) -> Option<usize> {
    outside_brackets(text).find(|&at| at > 0)
}

/// All indices outside of brackets, including the length of the text. Unmatched closing brackets
/// are outside.
pub(super) fn outside_brackets(text: &[u8]) -> impl Iterator<Item = usize> {
    let mut depth = 0usize;
    (0..=text.len()).filter(move |&at| {
        let is_outside = depth == 0;
        match text.get(at) {
            Some(b'<' | b'(' | b'[' | b'{') => depth += 1,
            Some(b'>') if is_arrow(text, at) => {}
            Some(b'>' | b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_outside
    })
}

/// Whether a `>` ends `->` or `=>`, and so closes no bracket.
fn is_arrow(text: &[u8], at: usize) -> bool {
    at > 0 && matches!(text[at - 1], b'-' | b'=')
}

/// A name without `[clone .isra.0]` at its end.
pub(super) fn without_clone(name: &[u8]) -> &[u8] {
    let at = memchr::memchr(b'[', name).and_then(|_| memmem::find(name, b" [clone ."));
    &name[..at.unwrap_or(name.len())]
}

//! Names of contexts that have ids in the place of their functions, as callgrind writes them with
//! `--compress-mangled=yes`: `(996)'2'(987)` is `f'2'main` if 996 is `f` and 987 `main`. In other
//! files such a name is plain text.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::Reader;
use crate::read::name_interner::InternedName;
use crate::read::warning::Warning;

/// The maximum number of bytes of expanded names for each byte of the file, and for a small file.
/// Real profiles need fewer; a hostile one could repeat a long name with a few bytes.
const MAX_EXPANSION: usize = 64;
const MIN_ROOM: usize = 16 << 20;

/// What names of contexts are expanded with.
pub(super) struct ContextNames {
    /// The number of bytes that names may still be expanded by; further names stay as they are.
    room: usize,
    /// The names as they are in the file by id, if the options rename functions: a context is
    /// renamed as a whole.
    texts: HashMap<u64, Vec<u8>>,
}

impl Default for ContextNames {
    fn default() -> ContextNames {
        ContextNames { room: MIN_ROOM, texts: HashMap::new() }
    }
}

impl Reader<'_> {
    /// Makes room for the names in this many more bytes of the file.
    pub(super) fn add_room_for_contexts(&mut self, bytes: usize) {
        self.contexts.room += bytes * MAX_EXPANSION;
    }

    /// Notes a name that a line gives to an id.
    pub(super) fn note_text(&mut self, id: u64, text: &[u8]) {
        if !self.options.rename_functions.is_empty() && !text.contains(&b'\'') {
            self.contexts.texts.insert(id, text.to_vec());
        }
    }

    /// The name with the names of its ids.
    pub(super) fn expanded(&mut self, name: &[u8]) -> Vec<u8> {
        let mut expanded = Vec::with_capacity(name.len());
        for (number, part) in name.split(|&byte| byte == b'\'').enumerate() {
            if number > 0 {
                expanded.push(b'\'');
            }
            match id_of(part) {
                Some(id) => expanded.extend_from_slice(&self.text_of(id)),
                None => expanded.extend_from_slice(part),
            }
            if expanded.len() > self.contexts.room {
                return name.to_vec();
            }
        }
        self.contexts.room -= expanded.len();
        expanded
    }

    /// The name of an id, or the id in parentheses if no line has defined it.
    fn text_of(&mut self, id: u64) -> Cow<'_, [u8]> {
        let name = self.ids.names.find(id).map(InternedName::of_number);
        let Some(name) = name else {
            self.add_warning(Warning::UndefinedId { id, is_damage: true });
            return Cow::Owned(format!("({id})").into_bytes());
        };
        match self.contexts.texts.get(&id) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.interner.lock().name(name.id.0).to_vec()),
        }
    }
}

/// The number of an id in parentheses.
fn id_of(part: &[u8]) -> Option<u64> {
    let digits = part.strip_prefix(b"(")?.strip_suffix(b")")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

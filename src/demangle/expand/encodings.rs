//! What a whole mangled name says: a function with its types, a variable, a thunk or a virtual table.

use std::mem;

use super::{Encoding, Expander, RETURN_TYPE, placeholder, print};

impl Expander<'_> {
    /// The text for a thunk and its offsets.
    pub(super) fn thunk(&mut self) -> Option<&'static str> {
        if self.eat("GTt") {
            return Some("transaction clone for ");
        }
        let (prefix, offsets) = match self.rest() {
            [b'T', b'h', ..] => ("non-virtual thunk to ", 1),
            [b'T', b'v', ..] => ("virtual thunk to ", 1),
            [b'T', b'c', ..] => ("covariant return thunk to ", 2),
            _ => return Some(""),
        };
        self.at += offsets;
        for _ in 0..offsets {
            let numbers = if self.eat("h") { 1 } else { 2 };
            if numbers == 2 {
                self.expect("v")?;
            }
            for _ in 0..numbers {
                self.take_while(|b| b == b'n' || b.is_ascii_digit());
                self.expect("_")?;
            }
        }
        Some(prefix)
    }

    pub(super) fn encoding(&mut self, has_return_type: bool) -> Option<Encoding> {
        self.nested(|expander| {
            if let Some(b'T' | b'G') = expander.peek() {
                let text = expander.special()?;
                return Some(Encoding { text, member: None });
            }
            let name = expander.name()?;
            let mut text = name.part.text();
            if matches!(expander.peek(), None | Some(b'E' | b'.')) {
                let member = Some(text.clone());
                return Some(Encoding { text, member });
            }
            let is_plain = name.part.is_nested && name.part.qualifiers.is_empty();
            let member = (is_plain && name.arguments.is_none()).then(|| text.clone());
            let Some(arguments) = name.arguments else {
                text.push_str(&expander.parameters()?);
                return Some(Encoding { text, member });
            };
            let outer = mem::replace(&mut expander.arguments, arguments);
            text.push_str(&if name.is_special {
                // The first type is left out by cpp_demangle.
                "v".to_owned()
            } else {
                let returned = expander.read_type()?.text();
                if has_return_type && !expander.is_around_name(&returned)? {
                    returned
                } else {
                    placeholder(RETURN_TYPE)
                }
            });
            text.push_str(&expander.parameters()?);
            expander.arguments = outer;
            Some(Encoding { text, member })
        })
    }

    /// Whether the return type of the outermost function is around its name, as in `void (*f<int>())(char)`. What is
    /// before and behind the name is noted.
    fn is_around_name(&mut self, returned: &str) -> Option<bool> {
        let pointed = returned.trim_start_matches(['P', 'R', 'O', 'K', 'V']);
        let is_around = pointed.len() < returned.len() && pointed.starts_with(['A', 'F']);
        if self.depth > 1 || !is_around {
            return Some(false);
        }
        let printed = print(&format!("_Z1f{returned}"), &self.texts)?;
        let printed = printed.strip_prefix("f(")?.strip_suffix(')')?;
        let at = 1 + printed.find("*)").or_else(|| printed.find("&)"))?;
        self.around_name = (printed[..at].to_owned(), printed[at..].to_owned());
        Some(true)
    }

    /// Types up to the end.
    pub(super) fn parameters(&mut self) -> Option<String> {
        let mut text = String::new();
        while !matches!(self.peek(), None | Some(b'E' | b'.')) {
            if matches!(self.rest(), [b'R' | b'O', b'E', ..]) {
                break;
            }
            text.push_str(&self.read_type()?.text());
        }
        Some(if text.is_empty() {
            "v".to_owned()
        } else {
            text
        })
    }

    /// Virtual tables, guard variables and the like.
    fn special(&mut self) -> Option<String> {
        let kind = std::str::from_utf8(self.rest().get(..2)?).ok()?;
        self.at += 2;
        match kind {
            "TV" | "TT" | "TI" | "TS" => Some(format!("{kind}{}", self.read_type()?.text())),
            "TC" => {
                let whole = self.read_type()?.text();
                self.take_while(|b| b.is_ascii_digit());
                self.expect("_")?;
                // The other way round in cpp_demangle.
                Some(format!("TC{}0_{whole}", self.read_type()?.text()))
            }
            "GV" | "TW" | "TH" => Some(format!("{kind}{}", self.name()?.part.text())),
            _ => None,
        }
    }
}

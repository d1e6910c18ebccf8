//! The lexer of all other lines: the bytes of one line in, one borrowed record out. It has no memory: names
//! stay compressed.

/// Whether a line that begins with `byte` is a cost line.
#[inline(always)]
pub fn begins_cost(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'*')
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOf {
    /// `ob=`
    Object,
    /// `fl=`
    File,
    /// `fi=`, `fe=`
    InlinedFile,
    /// `fn=`
    Function,
    /// `cob=`
    CalledObject,
    /// `cfi=`, `cfl=`
    CalledFile,
    /// `cfn=`
    CalledFunction,
    /// `jfi=`, of which only the id is of interest
    JumpFile,
    /// `jfn=`, `frfn=`, of which only the id is of interest
    OtherFunction,
}

impl NameOf {
    /// Whether it belongs to a function.
    pub(super) fn is_function(self) -> bool {
        matches!(
            self,
            NameOf::Function | NameOf::CalledFunction | NameOf::OtherFunction
        )
    }

    /// What the name on a line belongs to, and all that stands after the `=`.
    #[inline]
    pub fn of_line(line: &[u8]) -> Option<(NameOf, &[u8])> {
        Some(match line {
            [b'f', b'n', b'=', value @ ..] => (NameOf::Function, value),
            [b'f', b'i' | b'e', b'=', value @ ..] => (NameOf::InlinedFile, value),
            [b'f', b'l', b'=', value @ ..] => (NameOf::File, value),
            [b'o', b'b', b'=', value @ ..] => (NameOf::Object, value),
            [b'c', b'f', b'n', b'=', value @ ..] => (NameOf::CalledFunction, value),
            [b'c', b'f', b'i' | b'l', b'=', value @ ..] => (NameOf::CalledFile, value),
            [b'c', b'o', b'b', b'=', value @ ..] => (NameOf::CalledObject, value),
            [b'j', b'f', b'i', b'=', value @ ..] => (NameOf::JumpFile, value),
            [b'j', b'f', b'n', b'=', value @ ..] => (NameOf::OtherFunction, value),
            [b'f', b'r', b'f', b'n', b'=', value @ ..] => (NameOf::OtherFunction, value),
            _ => return None,
        })
    }
}

/// A name as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'a> {
    /// `text`
    Plain(&'a [u8]),
    /// `(id) text`: from here on the id stands for the text.
    Defined(u64, &'a [u8]),
    /// `(id)`
    Known(u64),
}

impl<'a> Name<'a> {
    /// Reads what stands after the `=`.
    pub fn parse(value: &'a [u8]) -> Name<'a> {
        Name::compressed(value).unwrap_or(Name::Plain(value))
    }

    fn compressed(value: &'a [u8]) -> Option<Name<'a>> {
        let rest = value.strip_prefix(b"(")?;
        let mut id = 0u64;
        let mut digits = 0;
        while let Some(digit @ b'0'..=b'9') = rest.get(digits) {
            id = id.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            digits += 1;
        }
        let text = rest[digits..].strip_prefix(b")")?.trim_ascii_start();
        match text {
            _ if digits == 0 => None,
            b"" => Some(Name::Known(id)),
            text => Some(Name::Defined(id, text)),
        }
    }
}

/// One line that is no cost line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// An empty line or a comment.
    Blank,
    /// `key: value`, the value without blanks before it.
    Header(&'a [u8], &'a [u8]),
    /// A name that is set, or only gets its id.
    Name(NameOf, Name<'a>),
    /// `calls=` or `rcalls=` and the number of calls; the next line has their cost.
    Calls(&'a [u8]),
    /// `jump=` or `jcnd=`; the next line has the position of its source.
    Jump,
    /// A line that callgrind writes and no view needs.
    Skipped,
    /// None of the format's lines.
    Unknown,
}

impl<'a> Record<'a> {
    /// The record of a line that does not begin as a cost line.
    pub fn parse(line: &'a [u8]) -> Record<'a> {
        if let Some((of, value)) = NameOf::of_line(line) {
            return Record::Name(of, Name::parse(value));
        }
        match line {
            [] | [b'#', ..] => Record::Blank,
            [b'c', b'a', b'l', b'l', b's', b'=', value @ ..] => Record::Calls(value),
            [b'r', b'c', b'a', b'l', b'l', b's', b'=', value @ ..] => Record::Calls(value),
            [b'j', b'u', b'm', b'p', b'=', ..] | [b'j', b'c', b'n', b'd', b'=', ..] => Record::Jump,
            [b'r', b'e', b'c', b'=', ..] | [b'b', b'b', b'=', ..] | [b'l', b'n', b'=', ..] => {
                Record::Skipped
            }
            _ => Record::header(line),
        }
    }

    /// `key: value`, or nothing known.
    fn header(line: &'a [u8]) -> Record<'a> {
        let is_of_key = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        match line.iter().position(|b| !is_of_key(b)) {
            Some(end @ 1..) if line[end] == b':' => {
                Record::Header(&line[..end], line[end + 1..].trim_ascii_start())
            }
            Some(0) if line.trim_ascii().is_empty() => Record::Blank,
            _ => Record::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines() {
        let table: &[(&[u8], Record)] = &[
            (b"", Record::Blank),
            (b"  ", Record::Blank),
            (b"# callgrind format", Record::Blank),
            (b"desc: I1 cache: ", Record::Header(b"desc", b"I1 cache: ")),
            (b"events:", Record::Header(b"events", b"")),
            (b"fl=", Record::Name(NameOf::File, Name::Plain(b""))),
            (b"fe=(7)", Record::Name(NameOf::InlinedFile, Name::Known(7))),
            (
                b"fn=(8) a b",
                Record::Name(NameOf::Function, Name::Defined(8, b"a b")),
            ),
            (
                b"fn=(below main)",
                Record::Name(NameOf::Function, Name::Plain(b"(below main)")),
            ),
            (b"fn=(7", Record::Name(NameOf::Function, Name::Plain(b"(7"))),
            (
                b"cfn=() x",
                Record::Name(NameOf::CalledFunction, Name::Plain(b"() x")),
            ),
            (
                b"frfn=(9) x",
                Record::Name(NameOf::OtherFunction, Name::Defined(9, b"x")),
            ),
            (b"calls=3 0x10 7", Record::Calls(b"3 0x10 7")),
            (b"rcalls=3 7", Record::Calls(b"3 7")),
            (b"jcnd=1/2 +3", Record::Jump),
            (b"jump=1 +3", Record::Jump),
            (b"bb=0x9d570 4 1 5 1", Record::Skipped),
            (b"foo=1", Record::Unknown),
            (b"hello", Record::Unknown),
            (b"hello world", Record::Unknown),
            (b": x", Record::Unknown),
            (b"\x7fELF", Record::Unknown),
        ];
        for (line, record) in table {
            assert_eq!(
                Record::parse(line),
                *record,
                "{}",
                String::from_utf8_lossy(line)
            );
        }
    }

    #[test]
    fn an_id_too_large_for_its_type_is_part_of_the_name() {
        let name = Name::parse(b"(99999999999999999999) x");
        assert_eq!(name, Name::Plain(b"(99999999999999999999) x"));
    }
}

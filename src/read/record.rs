//! What a line other than a cost line is: the bytes of one line in, one borrowed record out,
//! without any state. Names stay compressed.

/// A bit for each byte below 64 that a cost line may start with.
const STARTS_OF_COSTS: u64 = 0x3ff << b'0' | 1 << b'+' | 1 << b'-' | 1 << b'*';

/// Whether a line that starts with `byte` is a cost line.
#[inline(always)]
pub fn is_cost_line(byte: u8) -> bool {
    byte < 64 && STARTS_OF_COSTS >> byte & 1 != 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOf {
    /// `ob=`
    Object,
    /// `fl=`
    File,
    /// `fi=`
    InlinedFile,
    /// `fe=`, with which callgrind returns to the file of the function
    EndOfInlined,
    /// `fn=`
    Function,
    /// `cob=`
    CalledObject,
    /// `cfi=`, `cfl=`
    CalledFile,
    /// `cfn=`
    CalledFunction,
    /// `jfi=`
    JumpFile,
    /// `jfn=`
    JumpFunction,
    /// `frfn=`, which matters only for the id it may define
    OtherFunction,
}

impl NameOf {
    pub(super) fn is_function(self) -> bool {
        matches!(
            self,
            NameOf::Function
                | NameOf::CalledFunction
                | NameOf::JumpFunction
                | NameOf::OtherFunction
        )
    }

    /// The kind of a line with a name, and the text after its `=`.
    #[inline(always)]
    pub fn of_line(line: &[u8]) -> Option<(NameOf, &[u8])> {
        Some(match line {
            [b'f', b'n', b'=', value @ ..] => (NameOf::Function, value),
            [b'f', b'i', b'=', value @ ..] => (NameOf::InlinedFile, value),
            [b'f', b'e', b'=', value @ ..] => (NameOf::EndOfInlined, value),
            [b'f', b'l', b'=', value @ ..] => (NameOf::File, value),
            [b'o', b'b', b'=', value @ ..] => (NameOf::Object, value),
            [b'c', b'f', b'n', b'=', value @ ..] => (NameOf::CalledFunction, value),
            [b'c', b'f', b'i' | b'l', b'=', value @ ..] => (NameOf::CalledFile, value),
            [b'c', b'o', b'b', b'=', value @ ..] => (NameOf::CalledObject, value),
            [b'j', b'f', b'i', b'=', value @ ..] => (NameOf::JumpFile, value),
            [b'j', b'f', b'n', b'=', value @ ..] => (NameOf::JumpFunction, value),
            [b'f', b'r', b'f', b'n', b'=', value @ ..] => (NameOf::OtherFunction, value),
            _ => return None,
        })
    }
}

/// A name as it is in the file.
pub enum Name<'a> {
    /// `text`
    Text(&'a [u8]),
    /// `(id) text`: the id refers to the text from here on.
    Definition(u64, &'a [u8]),
    /// `(id)`
    Reference(u64),
}

impl<'a> Name<'a> {
    /// Parses everything after the `=`. Blanks around it do not belong to the name.
    pub fn parse(value: &'a [u8]) -> Name<'a> {
        let value = value.trim_ascii();
        Name::compressed(value).unwrap_or(Name::Text(value))
    }

    fn compressed(value: &'a [u8]) -> Option<Name<'a>> {
        let rest = value.strip_prefix(b"(")?;
        let mut id = 0u64;
        let mut digits = 0;
        while let Some(digit @ b'0'..=b'9') = rest.get(digits) {
            id = id.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            digits += 1;
        }
        if digits == 1 && rest.starts_with(b"0x") {
            (id, digits) = hexadecimal(&rest[2..])?;
            digits += 2;
        }
        let text = rest[digits..].strip_prefix(b")")?.trim_ascii_start();
        match text {
            _ if digits == 0 => None,
            b"" => Some(Name::Reference(id)),
            text => Some(Name::Definition(id, text)),
        }
    }
}

/// Whether the name of a function is a context with ids in the place of functions: `(996)'2'(987)`.
pub(super) fn is_compressed_context(name: &[u8]) -> bool {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let id = |part: &[u8]| {
        part.strip_prefix(b"(").and_then(|part| part.strip_suffix(b")")).is_some_and(is_number)
    };
    let mut parts = name.split(|&byte| byte == b'\'');
    name.starts_with(b"(")
        && name.contains(&b'\'')
        && parts.next().is_some_and(id)
        && parts.all(|part| id(part) || is_number(part))
}

/// A hexadecimal number and its number of digits.
fn hexadecimal(text: &[u8]) -> Option<(u64, usize)> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok()?;
    Some((u64::from_str_radix(number, 16).ok()?, digits))
}

/// Whether a line is one of valgrind's own, as on its standard error: a message (`==77== Callgrind,
/// ...`), one for its developers (`--77-- ...`, with `-d` `--77:1:main ...`) or one of the program
/// (`**77** ...`), each perhaps with a time (`==00:00:00:01.234 77== ...`).
pub(super) fn is_of_valgrind(line: &[u8]) -> bool {
    let [b'=' | b'-' | b'*', b'=' | b'-' | b'*', text @ ..] = line else {
        return false;
    };
    let sign = &line[..2];
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if let [b':', level, b':', ..] = text[digits..] {
        return sign == b"--" && digits > 0 && level.is_ascii_digit();
    }
    let is_of_number = |b: &u8| b.is_ascii_digit() || matches!(b, b' ' | b':' | b'.');
    let end = text.iter().position(|b| !is_of_number(b)).unwrap_or(text.len());
    let has_process = text[..end].last().is_some_and(u8::is_ascii_digit);
    sign[0] == sign[1] && has_process && text[end..].starts_with(sign)
}

/// A line other than one with a cost, a name, calls or a jump.
pub enum Record<'a> {
    /// An empty line or a comment.
    Blank,
    /// `key: value`, the value without leading blanks.
    Header(&'a [u8], &'a [u8]),
    /// `cfni=`, the function that the next costs were inlined from, in files of CodSpeed. Its names
    /// are never compressed.
    Inlined(&'a [u8]),
    /// A line that some producers write and no report needs.
    Ignored,
    /// Not a line of the format, or one of the others.
    Unknown,
}

impl<'a> Record<'a> {
    pub fn parse(line: &'a [u8]) -> Record<'a> {
        match line {
            [] | [b'#', ..] => Record::Blank,
            [b'r', b'e', b'c', b'=', ..] | [b'b', b'b', b'=', ..] | [b'l', b'n', b'=', ..] => {
                Record::Ignored
            }
            [b'c', b'f', b'n', b'i', b'=', value @ ..] => Record::Inlined(value.trim_ascii()),
            // Xdebug writes this line before it appends to a file.
            _ if line.starts_with(b"==== NEW PROFILING FILE") => Record::Ignored,
            _ if is_of_valgrind(line) => Record::Blank,
            _ => Record::header(line),
        }
    }

    /// `key: value`, or unknown.
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
    #[test]
    fn lines_of_valgrind() {
        for (line, is_of_valgrind) in [
            ("==12== Callgrind, a call-graph generating cache profiler", true),
            ("==12== ", true),
            ("==12==", true),
            ("--12-- warning: L3 cache found", true),
            ("**12** from VALGRIND_PRINTF", true),
            ("==00:00:00:00.123 12== with --time-stamp=yes", true),
            ("--00:00:00:01.000 12--", true),
            ("--12:1:    main Welcome to Valgrind", true),
            ("==12:1:main ", false),
            ("==12-- ", false),
            ("=-12=- ", false),
            ("==== ", false),
            ("==x== ", false),
            ("==12 = ", false),
            ("-12 5", false),
            ("* 5", false),
            ("", false),
        ] {
            assert_eq!(super::is_of_valgrind(line.as_bytes()), is_of_valgrind, "{line}");
        }
    }
}

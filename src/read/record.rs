//! The lexer: bytes of one line in, one borrowed record out. It has no memory: names stay compressed,
//! and a relative position is resolved against the base that the caller hands in.

/// The next thing on a line is not what the format has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No position where one is due, or one that is no number.
    Position,
    /// A position below 0, or above what is kept of its kind.
    PositionRange,
    /// A count that is no number.
    Count,
    /// A count outside of the 64-bit range. Unlike the others this one is an error, not a warning.
    CountRange,
    /// More counts than there are events.
    TooManyCounts,
}

/// Reads the parts of cost lines from bytes that end with a newline.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the first of `bytes`, the last of which is a newline.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// The next byte; at the end the newline that should stand there.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.peek_at(self.at)
    }

    #[inline(always)]
    fn peek_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    /// Whether all bytes are read.
    #[inline(always)]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The rest of the line, without its newline or CR LF, which are stepped over.
    #[inline]
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Steps over the end of the line, if nothing but blanks is before it.
    #[inline(always)]
    pub fn end_line(&mut self) -> bool {
        let byte = self.peek();
        if byte == b'\n' {
            self.at += 1;
            return true;
        }
        byte <= b' ' && self.end_line_behind_blanks()
    }

    #[cold]
    fn end_line_behind_blanks(&mut self) -> bool {
        self.skip_blanks();
        if self.peek() == b'\r' && self.peek_at(self.at + 1) == b'\n' {
            self.at += 1;
        }
        let is_end = self.peek() == b'\n';
        self.at += usize::from(is_end);
        is_end
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// One subposition and the blank after it: absolute, `+n`, `-n` or `*` relative to `base`, each
    /// decimal or hex. Of a range (`n-m`, `n:m`, `n+length`) it is the begin.
    ///
    /// # Errors
    /// [`Malformed::Position`] and [`Malformed::PositionRange`].
    #[inline(always)]
    pub fn position(&mut self, base: u64) -> Result<u64, Malformed> {
        let sign = self.peek();
        if sign == b'*' && self.peek_at(self.at + 1) == b' ' {
            self.at += 2;
            return Ok(base);
        }
        let signs = usize::from(matches!(sign, b'+' | b'-'));
        match self.short_number(self.at + signs) {
            Some((value, end)) => {
                self.at = end;
                let value = match sign {
                    b'+' => base.checked_add(value),
                    b'-' => base.checked_sub(value),
                    _ => return Ok(value),
                };
                value.ok_or(Malformed::PositionRange)
            }
            None => self.rare_position(base),
        }
    }

    /// Any subposition.
    #[cold]
    fn rare_position(&mut self, base: u64) -> Result<u64, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.at += usize::from(matches!(sign, b'*' | b'+' | b'-'));
        let value = match sign {
            b'*' => Some(base),
            b'+' => base.checked_add(self.number().map_err(in_position)?),
            b'-' => base.checked_sub(self.number().map_err(in_position)?),
            _ => Some(self.number().map_err(in_position)?),
        };
        if matches!(self.peek(), b'-' | b'+' | b':') {
            self.at += 1;
            self.number().map_err(in_position)?;
        }
        if self.end_word() {
            value.ok_or(Malformed::PositionRange)
        } else {
            Err(Malformed::Position)
        }
    }

    /// One count and the blank after it. `None` is a `.`, an event that was not counted here.
    /// From 2^63 to 2^64-1 it is a negative number that its producer wrapped.
    ///
    /// # Errors
    /// [`Malformed::Count`] and [`Malformed::CountRange`].
    #[inline(always)]
    pub fn count(&mut self) -> Result<Option<i64>, Malformed> {
        match self.short_number(self.at) {
            Some((value, end)) => {
                self.at = end;
                Ok(Some(value.cast_signed()))
            }
            None => self.rare_count(),
        }
    }

    /// Any count.
    #[cold]
    fn rare_count(&mut self) -> Result<Option<i64>, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.at += usize::from(matches!(sign, b'.' | b'-'));
        let value = match sign {
            b'.' => None,
            b'-' => Some(
                0i64.checked_sub_unsigned(self.number()?)
                    .ok_or(Malformed::CountRange)?,
            ),
            _ => Some(self.number()?.cast_signed()),
        };
        if self.end_word() {
            Ok(value)
        } else {
            Err(Malformed::Count)
        }
    }

    /// Steps over the blanks after a word; false if the word goes on.
    fn end_word(&mut self) -> bool {
        let is_end = self.peek() <= b' ';
        self.skip_blanks();
        is_end
    }

    /// The decimal number of one to seven digits that stands at `at` with a single blank or a newline behind
    /// it, and where the next word or the newline begins. Nearly all numbers are like this, so they are
    /// read eight bytes at a time and without a branch for each digit.
    #[inline(always)]
    fn short_number(&self, at: usize) -> Option<(u64, usize)> {
        let word = u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?);
        // Half of all numbers have one digit.
        let digit = (word as u8).wrapping_sub(b'0');
        let after = (word >> 8) as u8;
        if digit <= 9 && (after == b' ' || after == b'\n') {
            return Some((u64::from(digit), at + 1 + usize::from(after == b' ')));
        }
        // A digit becomes its value; then each byte that is above 9 gets its highest bit set. A carry only
        // reaches bytes behind the first of them.
        let digits = word ^ 0x3030_3030_3030_3030;
        let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
        let bits = others.trailing_zeros() & !7;
        if !(8..64).contains(&bits) {
            return None;
        }
        let after = (word >> bits) as u8;
        let end = at + bits as usize / 8 + usize::from(after == b' ');
        (after == b' ' || after == b'\n').then(|| (decimal(digits << (64 - bits)), end))
    }

    /// A decimal or hex number without sign.
    fn number(&mut self) -> Result<u64, Malformed> {
        let is_hex = self.bytes[self.at..].starts_with(b"0x");
        let radix = if is_hex { 16 } else { 10 };
        self.at += if is_hex { 2 } else { 0 };
        let start = self.at;
        let mut value = Some(0u64);
        while let Some(digit) = char::from(self.peek()).to_digit(radix) {
            value = value.and_then(|v| {
                v.checked_mul(u64::from(radix))?
                    .checked_add(u64::from(digit))
            });
            self.at += 1;
        }
        if self.at == start {
            Err(Malformed::Count)
        } else {
            value.ok_or(Malformed::CountRange)
        }
    }
}

/// The number of eight decimal digits, one a byte, the first in the lowest byte: pairs of digits are
/// added up, then pairs of pairs, then both halves.
#[inline(always)]
fn decimal(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let odd = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
}

fn in_position(number: Malformed) -> Malformed {
    match number {
        Malformed::CountRange => Malformed::PositionRange,
        _ => Malformed::Position,
    }
}

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
        let is_of_key = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let Some(end) = line.iter().position(|b| !is_of_key(b)) else {
            return if line.is_empty() {
                Record::Blank
            } else {
                Record::Unknown
            };
        };
        let (key, value) = (&line[..end], &line[end + 1..]);
        match (line[end], key) {
            (b'#', b"") => Record::Blank,
            (b' ' | b'\t', b"") if value.trim_ascii().is_empty() => Record::Blank,
            (b':', b"") => Record::Unknown,
            (b':', key) => Record::Header(key, value.trim_ascii_start()),
            (b'=', key) => Record::assignment(key, value),
            _ => Record::Unknown,
        }
    }

    fn assignment(key: &'a [u8], value: &'a [u8]) -> Record<'a> {
        let name = |of| Record::Name(of, Name::parse(value));
        match key {
            b"ob" => name(NameOf::Object),
            b"fl" => name(NameOf::File),
            b"fi" | b"fe" => name(NameOf::InlinedFile),
            b"fn" => name(NameOf::Function),
            b"cob" => name(NameOf::CalledObject),
            b"cfi" | b"cfl" => name(NameOf::CalledFile),
            b"cfn" => name(NameOf::CalledFunction),
            b"jfi" => name(NameOf::JumpFile),
            b"jfn" | b"frfn" => name(NameOf::OtherFunction),
            b"calls" | b"rcalls" => Record::Calls(value),
            b"jump" | b"jcnd" => Record::Jump,
            b"rec" | b"bb" | b"ln" => Record::Skipped,
            _ => Record::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions against base 100, then counts, of a whole line.
    fn cost(positions: usize, line: &str) -> Result<(Vec<u64>, Vec<Option<i64>>), Malformed> {
        let text = format!("{line}\n");
        let mut cursor = Cursor::new(text.as_bytes());
        let at = (0..positions)
            .map(|_| cursor.position(100))
            .collect::<Result<_, _>>()?;
        let mut counts = Vec::new();
        while !cursor.end_line() {
            counts.push(cursor.count()?);
        }
        assert!(cursor.is_at_end());
        Ok((at, counts))
    }

    #[test]
    fn cost_lines() {
        let table: &[(usize, &str, &[u64], &[Option<i64>])] = &[
            (1, "7 1", &[7], &[Some(1)]),
            (1, "+3 1 2", &[103], &[Some(1), Some(2)]),
            (1, "-3 . 2", &[97], &[None, Some(2)]),
            (1, "* 5 \t", &[100], &[Some(5)]),
            (1, "12", &[12], &[]),
            (1, "12  4\r", &[12], &[Some(4)]),
            (2, "0x4b67af +0x10 20", &[0x4b67af, 116], &[Some(20)]),
            (2, "0x10-0x20 5+3 1", &[0x10, 5], &[Some(1)]),
            (1, "5:9 1", &[5], &[Some(1)]),
            (1, "1 0x1F -0x1f", &[1], &[Some(31), Some(-31)]),
            (1, "0 00000000000000000000000000000000007", &[0], &[Some(7)]),
            (1, "0 18446744073709550655", &[0], &[Some(-961)]),
            (
                1,
                "0 9223372036854775807 9223372036854775808",
                &[0],
                &[Some(i64::MAX), Some(i64::MIN)],
            ),
            (1, "0 -9223372036854775808", &[0], &[Some(i64::MIN)]),
            (1, "18446744073709551615", &[u64::MAX], &[]),
        ];
        for (positions, line, at, counts) in table {
            assert_eq!(
                cost(*positions, line),
                Ok((at.to_vec(), counts.to_vec())),
                "{line}"
            );
        }
    }

    #[test]
    fn malformed_cost_lines() {
        let table = [
            ("x 1", Malformed::Position),
            ("+ 1", Malformed::Position),
            ("1x 1", Malformed::Position),
            ("*1 1", Malformed::Position),
            ("5- 1", Malformed::Position),
            ("-101 1", Malformed::PositionRange),
            ("+18446744073709551615 1", Malformed::PositionRange),
            ("18446744073709551616 1", Malformed::PositionRange),
            ("1 five", Malformed::Count),
            ("1 5x", Malformed::Count),
            ("1 1.5", Malformed::Count),
            ("1 0x", Malformed::Count),
            ("1 --5", Malformed::Count),
            ("1 .5", Malformed::Count),
            ("1 18446744073709551616", Malformed::CountRange),
            ("1 -9223372036854775809", Malformed::CountRange),
            ("1 100000000000000000000000000000", Malformed::CountRange),
        ];
        for (line, malformed) in table {
            assert_eq!(cost(1, line), Err(malformed), "{line}");
        }
    }

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

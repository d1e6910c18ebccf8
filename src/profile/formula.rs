//! Formulas of events that are sums of others, or ratios of such sums.

/// How many terms are looked at for one event, through all formulas: a file can define them in a circle.
pub(super) const MAX_TERMS: usize = 1000;

/// A sum of other events, each with a factor, or such a sum divided by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(super) terms: Vec<(i64, Vec<u8>)>,
    /// The sum that it is divided by; empty if it is not.
    pub(super) divisor: Vec<(i64, Vec<u8>)>,
}

impl Formula {
    /// The events that it adds up.
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        let terms = self.terms.iter().chain(&self.divisor);
        terms.map(|(_, name)| &name[..])
    }

    /// Reads `Ir + 10 L1m - 2*Dr`. A factor may be hexadecimal, and need no blank after it.
    pub fn parse(text: &[u8]) -> Option<Formula> {
        let text = std::str::from_utf8(text).ok()?.replace('*', " ");
        let text = text.replace('+', " + ").replace('-', " - ");
        let mut terms = Vec::new();
        let (mut sign, mut factor, mut wants_term) = (1, None, true);
        for word in text.split_ascii_whitespace() {
            match word {
                "+" | "-" if factor.is_none() && (!wants_term || terms.is_empty()) => {
                    sign = if word == "-" { -1 } else { 1 };
                    wants_term = true;
                }
                "+" | "-" => return None,
                _ if !wants_term => return None,
                _ if terms.len() == MAX_TERMS => return None,
                _ => {
                    let mut name = word;
                    if factor.is_none() {
                        let (number, rest) = parse_factor(word)?;
                        factor = number;
                        name = rest;
                        if name.is_empty() {
                            continue;
                        }
                    }
                    let factor = sign * factor.take().unwrap_or(1i64);
                    terms.push((factor, name.as_bytes().to_vec()));
                    wants_term = false;
                }
            }
        }
        (!wants_term && !terms.is_empty()).then_some(Formula {
            terms,
            divisor: Vec::new(),
        })
    }

    /// Whether it is a ratio, which is not a sum of counts.
    pub fn is_ratio(&self) -> bool {
        !self.divisor.is_empty()
    }

    /// Reads a sum, or `SUM / SUM`. A sum of several terms is then in parentheses.
    pub fn parse_ratio(text: &[u8]) -> Option<Formula> {
        let Some(slash) = text.iter().position(|&b| b == b'/') else {
            return Formula::parse(text);
        };
        let sum = |text: &[u8]| {
            let text = text.trim_ascii();
            let inner = text.strip_prefix(b"(");
            let inner = inner.and_then(|text| text.strip_suffix(b")"));
            let sum = Formula::parse(inner.unwrap_or(text))?;
            (inner.is_some() || sum.terms.len() == 1).then_some(sum.terms)
        };
        Some(Formula {
            terms: sum(&text[..slash])?,
            divisor: sum(&text[slash + 1..])?,
        })
    }

    /// The same in the form that is read; not of a ratio, which no file may define.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (factor, name) in &self.terms {
            let sign = match (*factor < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.extend_from_slice(sign.as_bytes());
            if factor.unsigned_abs() != 1 {
                text.extend_from_slice(format!("{} ", factor.unsigned_abs()).as_bytes());
            }
            text.extend_from_slice(name);
        }
        text
    }

    /// Reads `NAME = FORMULA`, with or without a long name behind a colon, if a name is before the equals sign. A ratio, where it
    /// may be one, has no long name.
    pub fn parse_definition(text: &[u8], may_be_ratio: bool) -> Option<(Vec<u8>, Formula)> {
        let equals = text.iter().position(|&b| b == b'=')?;
        let (name, formula) = (text[..equals].trim_ascii(), &text[equals + 1..]);
        let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
        let formula = match may_be_ratio && formula.contains(&b'/') {
            _ if !is_name => return None,
            true => Formula::parse_ratio(formula),
            false => {
                let end = memchr::memchr(b':', formula).unwrap_or(formula.len());
                Formula::parse(&formula[..end])
            }
        };
        Some((name.to_vec(), formula?))
    }
}

/// The factor at the start of a word, if there is one, and what follows it.
fn parse_factor(word: &str) -> Option<(Option<i64>, &str)> {
    if let Some(digits) = word.strip_prefix("0x")
        && let Ok(number) = i64::from_str_radix(digits, 16)
    {
        return Some((Some(number), ""));
    }
    let digits = word.find(|c: char| !c.is_ascii_digit());
    let (digits, name) = word.split_at(digits.unwrap_or(word.len()));
    Some(match digits {
        "" => (None, name),
        digits => (Some(digits.parse().ok()?), name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms of a sum, in one form.
    fn sum(terms: &[(i64, Vec<u8>)]) -> String {
        let term = |(factor, name): &(i64, Vec<u8>)| {
            let name = String::from_utf8_lossy(name);
            if *factor == 1 {
                name.into()
            } else {
                format!("{factor} {name}")
            }
        };
        terms.iter().map(term).collect::<Vec<_>>().join("+")
    }

    #[test]
    fn ratios() {
        let table = [
            ("r = D1mr / Dr", Some("D1mr/Dr")),
            ("r=(D1mr + 2 D1mw)/( Dr+Dw )", Some("D1mr+2 D1mw/Dr+Dw")),
            ("r = D1mr", Some("D1mr/")),
            ("r = D1mr + D1mw / Dr", None),
            ("r = D1mr / Dr + Dw", None),
            ("r = D1mr / Dr / Dw", None),
            ("r = / Dr", None),
            ("r = D1mr /", None),
            ("a b = D1mr / Dr", None),
        ];
        for (text, expected) in table {
            let formula = Formula::parse_definition(text.as_bytes(), true);
            let read = formula.map(|(_, it)| format!("{}/{}", sum(&it.terms), sum(&it.divisor)));
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn formulas() {
        let terms = |text: &str| Formula::parse(text.as_bytes()).map(|it| sum(&it.terms));
        for (text, expected) in [
            ("Ir", "Ir"),
            ("Ir + 10 L1m+100*LLm", "Ir+10 L1m+100 LLm"),
            ("- Dr - 2 Dw", "-1 Dr+-2 Dw"),
        ] {
            assert_eq!(terms(text).as_deref(), Some(expected));
        }
        for (text, written) in [
            ("Ir + 10 L1m-3*LLm", "Ir + 10 L1m - 3 LLm"),
            ("-2 Dr+0 X", "-2 Dr + 0 X"),
            ("2Dr + 0x10 Ir - 0x2*L1m", "2 Dr + 16 Ir - 2 L1m"),
        ] {
            let formula = Formula::parse(text.as_bytes()).unwrap();
            assert_eq!(formula.to_bytes(), written.as_bytes());
            assert_eq!(Formula::parse(&formula.to_bytes()), Some(formula));
        }
        for wrong in "|+|Ir +|Ir Dr|2 3 Ir|10|Ir + + Dr|Ir ++ Dr".split('|') {
            assert_eq!(terms(wrong), None, "{wrong}");
        }
    }
}

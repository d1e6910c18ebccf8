//! Formulas of events that are sums of others, or ratios of such sums.

use std::collections::BTreeMap;

/// The maximum number of terms of one event, through all formulas: a file can define them in a circle.
pub(super) const MAX_TERMS: usize = 1000;

/// A sum of other events, each with a factor, or such a sum divided by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(super) terms: Vec<(i64, Vec<u8>)>,
    /// The sum that it is divided by; empty if it is no ratio.
    pub(super) divisor: Vec<(i64, Vec<u8>)>,
}

impl Formula {
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        let terms = self.terms.iter().chain(&self.divisor);
        terms.map(|(_, name)| &name[..])
    }

    /// Whether another formula has the same terms, in any order.
    pub fn is_equal(&self, other: &Formula) -> bool {
        let sums = |terms: &[(i64, Vec<u8>)]| {
            let mut sums: BTreeMap<Vec<u8>, i128> = BTreeMap::new();
            for (factor, name) in terms {
                *sums.entry(name.clone()).or_default() += i128::from(*factor);
            }
            sums.retain(|_, factor| *factor != 0);
            sums
        };
        sums(&self.terms) == sums(&other.terms) && sums(&self.divisor) == sums(&other.divisor)
    }

    /// Reads `Ir + 10 L1m - 2*Dr`. A factor may be hexadecimal, and needs no blank after it.
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
        (!wants_term && !terms.is_empty()).then_some(Formula { terms, divisor: Vec::new() })
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
        Some(Formula { terms: sum(&text[..slash])?, divisor: sum(&text[slash + 1..])? })
    }

    /// The formula as text that can be read again; not for ratios, which no file may define.
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

    /// Reads `NAME = FORMULA`, perhaps with a long name after a colon; none if no name is before the equals sign. Where
    /// ratios are allowed, they have no long name.
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

/// The factor at the start of a word, if there is one, and the rest of the word.
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

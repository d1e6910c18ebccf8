//! Formulas of events that are sums of others, or ratios of such sums.

use std::collections::BTreeMap;

/// The maximum number of terms of one event, through all formulas: a file can define them in a
/// circle.
pub(super) const MAX_TERMS: usize = 1000;

/// The maximum number of decimals of a factor.
const MAX_DECIMALS: usize = 9;

/// A sum of other events, each with a factor, or such a sum divided by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(super) terms: Vec<(i64, Vec<u8>)>,
    /// The number that the sum of the terms is divided by where it is shown: `0.5 Ir` is one `Ir`
    /// of a unit of 2, so that its sums are exact. Always 1 for a ratio.
    pub(super) unit: i64,
    /// The sum that it is divided by; empty if it is no ratio.
    pub(super) divisor: Vec<(i64, Vec<u8>)>,
}

/// Events, each with a factor, and the number that their sum is divided by.
type FactorSum = (Vec<(i64, Vec<u8>)>, i64);

impl Formula {
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        let terms = self.terms.iter().chain(&self.divisor);
        terms.map(|(_, name)| &name[..])
    }

    /// Whether another formula has the same terms, in any order.
    pub fn is_equal(&self, other: &Formula) -> bool {
        let sums = |terms: &[(i64, Vec<u8>)], times: i64| {
            let mut sums: BTreeMap<Vec<u8>, i128> = BTreeMap::new();
            for (factor, name) in terms {
                *sums.entry(name.clone()).or_default() += i128::from(*factor) * i128::from(times);
            }
            sums.retain(|_, factor| *factor != 0);
            sums
        };
        sums(&self.terms, other.unit) == sums(&other.terms, self.unit)
            && sums(&self.divisor, 1) == sums(&other.divisor, 1)
    }

    /// Whether factors have decimals, which no file may have.
    pub fn has_decimals(&self) -> bool {
        self.unit != 1
    }

    /// Reads `Ir + 10 L1m - 2*Dr`. A factor may be hexadecimal, and needs no blank after it.
    pub fn parse(text: &[u8]) -> Option<Formula> {
        let (terms, unit) = parse_sum(text, false)?;
        Some(Formula { terms, unit, divisor: Vec::new() })
    }

    /// Whether it is a ratio, which is not a sum of counts.
    pub fn is_ratio(&self) -> bool {
        !self.divisor.is_empty()
    }

    /// Reads a sum, whose factors may have decimals, or `SUM / SUM`. A sum of several terms is then
    /// in parentheses.
    pub fn parse_ratio(text: &[u8]) -> Option<Formula> {
        let Some(slash) = text.iter().position(|&b| b == b'/') else {
            let (terms, unit) = parse_sum(text, true)?;
            return Some(Formula { terms, unit, divisor: Vec::new() });
        };
        let sum = |text: &[u8]| -> Option<FactorSum> {
            let text = text.trim_ascii();
            let inner = text.strip_prefix(b"(").and_then(|text| text.strip_suffix(b")"));
            let (terms, unit) = parse_sum(inner.unwrap_or(text), true)?;
            (inner.is_some() || terms.len() == 1).then_some((terms, unit))
        };
        let ((terms, unit), (divisor, unit_of_divisor)) =
            (sum(&text[..slash])?, sum(&text[slash + 1..])?);
        // Both sums times both units, so that neither is divided.
        let times = |terms: Vec<(i64, Vec<u8>)>, factor: i64| -> Option<Vec<_>> {
            let terms = terms.into_iter();
            terms.map(|(own, name)| Some((own.checked_mul(factor)?, name))).collect()
        };
        let (terms, divisor) = (times(terms, unit_of_divisor)?, times(divisor, unit)?);
        Some(Formula { terms, unit: 1, divisor })
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
            if factor.unsigned_abs() != self.unit.unsigned_abs() {
                let factor = decimal_text(factor.unsigned_abs(), self.unit.unsigned_abs());
                text.extend_from_slice(format!("{factor} ").as_bytes());
            }
            text.extend_from_slice(name);
        }
        text
    }

    /// Reads `NAME = FORMULA`, of a file perhaps with a long name after a colon; none if no name is
    /// before the equals sign. Only the command line's may be ratios and have decimals.
    pub fn parse_definition(text: &[u8], is_of_file: bool) -> Option<(Vec<u8>, Formula)> {
        let equals = text.iter().position(|&b| b == b'=')?;
        let (name, formula) = (text[..equals].trim_ascii(), &text[equals + 1..]);
        let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
        if !is_name {
            return None;
        }
        let end = memchr::memchr(b':', formula).unwrap_or(formula.len());
        let formula = if is_of_file {
            Formula::parse(&formula[..end])
        } else if formula.contains(&b'/') {
            Formula::parse_ratio(formula)
        } else {
            Formula::parse_ratio(&formula[..end])
        };
        Some((name.to_vec(), formula?))
    }

    /// Whether a `NAME = FORMULA` is none of a file only because a factor has decimals.
    pub fn needs_decimals(text: &[u8]) -> bool {
        Formula::parse_definition(text, true).is_none()
            && Formula::parse_definition(text, false).is_some_and(|(_, of)| !of.is_ratio())
    }
}

/// Reads `[N] EVENT + [N] EVENT - [N] EVENT`.
fn parse_sum(text: &[u8], may_have_decimals: bool) -> Option<FactorSum> {
    let text =
        std::str::from_utf8(text).ok()?.replace('*', " ").replace('+', " + ").replace('-', " - ");
    let mut terms: Vec<(DecimalFactor, Vec<u8>)> = Vec::new();
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
                    let (number, rest) = parse_factor(word, may_have_decimals)?;
                    factor = number;
                    name = rest;
                    if name.is_empty() {
                        continue;
                    }
                }
                let DecimalFactor { digits, decimals } =
                    factor.take().unwrap_or(DecimalFactor::ONE);
                terms.push((
                    DecimalFactor { digits: sign * digits, decimals },
                    name.as_bytes().to_vec(),
                ));
                wants_term = false;
            }
        }
    }
    if wants_term || terms.is_empty() {
        return None;
    }
    // All factors have as many decimals as the one with the most.
    let decimals = terms.iter().map(|(factor, _)| factor.decimals).max().unwrap_or(0);
    let whole = |(factor, name): (DecimalFactor, Vec<u8>)| {
        let power = 10i64.pow(decimals - factor.decimals);
        Some((factor.digits.checked_mul(power)?, name))
    };
    let mut terms = terms.into_iter().map(whole).collect::<Option<Vec<_>>>()?;
    let mut unit = 10i64.pow(decimals);
    let divisor = terms.iter().fold(unit, |divisor, (factor, _)| common_divisor(divisor, *factor));
    unit /= divisor;
    terms.iter_mut().for_each(|(factor, _)| *factor /= divisor);
    Some((terms, unit))
}

/// A number with decimals.
#[derive(Clone, Copy)]
struct DecimalFactor {
    /// Its digits without the decimal point, with its sign.
    digits: i64,
    decimals: u32,
}

impl DecimalFactor {
    const ONE: DecimalFactor = DecimalFactor { digits: 1, decimals: 0 };
}

/// The factor at the start of a word, if there is one, and the rest of the word.
fn parse_factor(word: &str, may_have_decimals: bool) -> Option<(Option<DecimalFactor>, &str)> {
    if let Some(digits) = word.strip_prefix("0x")
        && let Ok(digits) = i64::from_str_radix(digits, 16)
    {
        return Some((Some(DecimalFactor { digits, decimals: 0 }), ""));
    }
    let digits_of = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, mut name) = word.split_at(digits_of(word));
    if whole.is_empty() {
        return Some((None, name));
    }
    let mut digits = whole.to_owned();
    let mut decimals = 0;
    if let Some(after) = name.strip_prefix('.') {
        // No event of another name, `.50Ir`.
        if !may_have_decimals {
            return None;
        }
        decimals = digits_of(after);
        digits += &after[..decimals];
        name = &after[decimals..];
    }
    if decimals > MAX_DECIMALS {
        return None;
    }
    let factor =
        DecimalFactor { digits: digits.parse().ok()?, decimals: u32::try_from(decimals).ok()? };
    Some((Some(factor), name))
}

/// The greatest common divisor of two numbers. The first is positive.
pub(super) fn common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// The number of decimals of a whole number that is divided by `unit`, which divides a power of
/// ten.
pub(super) fn decimals_of(unit: i64) -> u32 {
    (0..18).find(|&decimals| 10i64.pow(decimals) % unit == 0).unwrap_or(18)
}

/// A factor with its decimals.
fn decimal_text(factor: u64, unit: u64) -> String {
    let decimals = decimals_of(i64::try_from(unit).unwrap_or(1)) as usize;
    if decimals == 0 {
        return factor.to_string();
    }
    let scaled = u128::from(factor) * (10u128.pow(decimals as u32) / u128::from(unit));
    let digits = format!("{scaled:0width$}", width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    match rest.trim_end_matches('0') {
        "" => whole.to_owned(),
        rest => format!("{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_may_have_decimals_on_the_command_line() {
        // The formula; its factors and the unit that their sum is divided by; as it is written.
        let table = [
            ("0.00001 Time", Some(("1", 100_000)), "0.00001 Time"),
            ("0.5 Ir + 0.25*Dr - 2Dw", Some(("2 1 -8", 4)), "0.5 Ir + 0.25 Dr - 2 Dw"),
            ("1.50Ir", Some(("3", 2)), "1.5 Ir"),
            ("2.0 Ir", Some(("2", 1)), "2 Ir"),
            ("10.1 Ir + Dr", Some(("101 10", 10)), "10.1 Ir + Dr"),
            ("0.0 Ir", Some(("0", 1)), "0 Ir"),
            ("0.123456789 Ir", Some(("123456789", 1_000_000_000)), "0.123456789 Ir"),
            // More decimals than nine, or numbers that do not fit.
            ("0.1234567890 Ir", None, ""),
            ("9223372036854775807.5 Ir", None, ""),
            ("9223372036854775807 Ir + 0.1 Dr", None, ""),
            // A number alone is no event.
            ("Ir + 0.5", None, ""),
        ];
        for (text, expected, written) in table {
            let formula = Formula::parse_ratio(text.as_bytes());
            let found = formula.as_ref().map(|of| {
                let factors: Vec<_> = of.terms.iter().map(|(of, _)| of.to_string()).collect();
                (factors.join(" "), of.unit)
            });
            let expected = expected.map(|(factors, unit)| (factors.to_owned(), unit));
            assert_eq!(found, expected, "{text}");
            let bytes = formula.map_or(Vec::new(), |formula| formula.to_bytes());
            assert_eq!(String::from_utf8_lossy(&bytes), written, "{text}");
        }
    }

    #[test]
    fn factors_of_a_file_are_whole() {
        // Whether a file may define an event so, and whether it may not because of decimals.
        let table = [
            ("x = 2Ir", true, false),
            ("x = 0x10 Ir + 3*Dr", true, false),
            ("x = 0.5 Ir", false, true),
            ("x = 1.50Ir", false, true),
            ("x = Ir + 2.5*Dr : Long name", false, true),
            ("x = 1.0Ir", false, true),
            ("x = 1.Ir", false, true),
            ("x = Ir +", false, false),
            ("x = 0.5 Ir +", false, false),
            ("x = Ir / Dr", false, false),
            ("x = .Ir", true, false),
            ("x = 1e3", true, false),
        ];
        for (text, is_formula, has_decimals) in table {
            let found = Formula::parse_definition(text.as_bytes(), true);
            assert_eq!(found.is_some(), is_formula, "{text}");
            assert_eq!(Formula::needs_decimals(text.as_bytes()), has_decimals, "{text}");
        }
    }

    #[test]
    fn the_sums_of_a_ratio_are_whole() {
        let ratio = Formula::parse_ratio(b"0.5 Dr / (0.25 Ir + Dw)").unwrap();
        assert_eq!((ratio.terms[0].0, ratio.unit), (4, 1));
        assert_eq!([ratio.divisor[0].0, ratio.divisor[1].0], [2, 8]);
    }

    #[test]
    fn formulas_are_equal_in_any_order_and_unit() {
        let parse = |text: &str| Formula::parse_ratio(text.as_bytes()).unwrap();
        for (one, other, is_equal) in [
            ("Ir + 2 Dr", "Dr + Ir + Dr", true),
            ("0.5 Ir", "0.25 Ir + 0.25 Ir", true),
            ("0.5 Ir", "Ir", false),
            ("0.5 Ir", "5 Ir", false),
        ] {
            assert_eq!(parse(one).is_equal(&parse(other)), is_equal, "{one}, {other}");
        }
    }
}

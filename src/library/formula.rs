//! Formulas of events that are computed from others.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// How an event is computed from others: their sum, or a ratio of sums.
///
/// A sum is written `Ir + 10 L1m - 2 Dr`: events with an optional whole number as factor. A ratio is `D1mr / Dr`; a sum of
/// several events in it is in parentheses, `(D1mr + D1mw) / (Dr + Dw)`.
///
/// The events are those of the profile, those that its `event:` lines define, those of
/// [`ReadOptions`](super::ReadOptions::event), and `L1m`, `L2m`, `LLm`, `Bm` and `CEst` as KCachegrind defines them.
///
/// ```
/// use cgannotate::Formula;
///
/// assert!(Formula::parse("(D1mr + D1mw) / (Dr + Dw)").is_ok());
/// let error = Formula::parse("D1mr +").unwrap_err();
/// assert_eq!(error.text(), "D1mr +");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula(pub(super) crate::profile::Formula);

impl Formula {
    /// Reads a sum or a ratio.
    ///
    /// # Errors
    /// [`FormulaError`] if `text` is neither.
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        let formula = crate::profile::Formula::parse_ratio(text.as_bytes());
        formula.map(Formula).ok_or_else(|| FormulaError {
            text: text.to_owned(),
        })
    }

    /// Whether it is a ratio. The counts of its event are then in millionths.
    pub fn is_ratio(&self) -> bool {
        self.0.is_ratio()
    }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Formula, FormulaError> {
        Formula::parse(text)
    }
}

/// A text that is no [`Formula`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    text: String,
}

impl FormulaError {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        write!(f, "formula '{text}': expected [N] EVENT + [N] EVENT ...")
    }
}

impl Error for FormulaError {}

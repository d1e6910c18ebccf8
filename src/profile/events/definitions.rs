//! Definitions of events: those of files, of the command line and of KCachegrind; and their long names.

use std::borrow::Cow;

use super::{Events, MAX_EVENTS};
use crate::profile::formula::{Formula, MAX_TERMS};

/// Events that KCachegrind derives from callgrind's, and how.
const KCACHEGRIND: [(&str, &str); 5] = [
    ("L1m", "I1mr + D1mr + D1mw"),
    ("L2m", "I2mr + D2mr + D2mw"),
    ("LLm", "ILmr + DLmr + DLmw"),
    ("Bm", "Bim + Bcm"),
    ("CEst", "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"),
];

impl Events {
    /// Defines an event by other events. An event that was recorded stays as it is. There are no more definitions
    /// than there can be events.
    pub fn define(&mut self, name: Vec<u8>, formula: Formula) {
        self.undefine(&name);
        if self.formulas.len() < MAX_EVENTS {
            self.formulas.push((name, formula));
        }
    }

    /// Removes the definition of an event.
    pub fn undefine(&mut self, name: &[u8]) {
        self.formulas.retain(|(known, _)| known != name);
    }

    /// Whether the terms of an event that is not recorded lead to recorded or unknown ones, none back to itself.
    pub fn is_computable(&self, name: &[u8]) -> bool {
        let left = &mut { MAX_TERMS };
        self.add_terms(name, 1, left, &mut Vec::new()).is_some()
    }

    /// Sets the long name of an event from `NAME : LONG NAME` or `NAME = FORMULA : LONG NAME`, if `definition` is one.
    pub fn set_long_name(&mut self, definition: &[u8]) {
        let spaced = definition.windows(2).position(|pair| pair == b" :");
        let colon = spaced.map(|space| space + 1);
        let Some(colon) = colon.or_else(|| definition.iter().position(|&b| b == b':')) else {
            return;
        };
        let mut words = definition[..colon].split(|&b| b == b'=');
        let name = words.next().unwrap_or_default().trim_ascii();
        let long_name = definition[colon + 1..].trim_ascii();
        let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
        if is_name && !long_name.is_empty() {
            self.long_names.retain(|(known, _)| *known != name);
            if self.long_names.len() < MAX_EVENTS {
                self.long_names.push((name.to_vec(), long_name.to_vec()));
            }
        }
    }

    /// The long name of the event called `name`, such as `Instruction Fetch`.
    pub fn long_name(&self, name: &[u8]) -> Option<&[u8]> {
        let (_, long_name) = self.long_names.iter().find(|(known, _)| known == name)?;
        Some(long_name)
    }

    /// All definitions, those of files and of the user.
    pub fn formulas(&self) -> impl Iterator<Item = (&[u8], &Formula)> {
        self.formulas
            .iter()
            .map(|(name, formula)| (&name[..], formula))
    }

    /// The recorded events that the event called `name` is the sum of, each with its factor. Events that were
    /// not recorded count as 0, but one must have been, as in KCachegrind. None for a circle of formulas, and
    /// if a factor does not fit.
    pub(in crate::profile) fn expand(&self, name: &[u8]) -> Option<Vec<(i64, usize)>> {
        let mut terms = Vec::new();
        self.add_terms(name, 1, &mut { MAX_TERMS }, &mut terms)?;
        (!terms.is_empty()).then_some(terms)
    }

    /// Whether a ratio is defined under this name.
    fn is_ratio(&self, name: &[u8]) -> bool {
        let mut formulas = self.formulas.iter();
        formulas.any(|(known, formula)| known == name && formula.is_ratio())
    }

    /// The recorded events that the ratio called `name` is divided by, if it is one.
    pub(super) fn divisor(&self, name: &[u8]) -> Option<Vec<(i64, usize)>> {
        let (_, formula) = self.formulas.iter().find(|(known, _)| known == name)?;
        let mut terms = Vec::new();
        let mut left = MAX_TERMS;
        for (factor, term) in &formula.divisor {
            match self.find(term) {
                Some(event) => terms.push((*factor, event)),
                None => self.add_terms(term, *factor, &mut left, &mut terms)?,
            }
        }
        formula.is_ratio().then_some(terms)
    }

    /// Whether an event is recorded, or can be computed from such events.
    pub fn is_known(&self, name: &[u8]) -> bool {
        self.find(name).is_some() || self.expand(name).is_some()
    }

    /// Whether KCachegrind knows a formula for the event called `name`, of whose terms a profile may lack some.
    pub fn is_predefined(name: &[u8]) -> bool {
        KCACHEGRIND
            .iter()
            .any(|(known, _)| known.as_bytes() == name)
    }

    /// Adds the terms of one event; of one that nothing is known of there are none.
    fn add_terms(
        &self,
        name: &[u8],
        factor: i64,
        left: &mut usize,
        terms: &mut Vec<(i64, usize)>,
    ) -> Option<()> {
        let own = self.formulas.iter().find(|(known, _)| known == name);
        let known = || {
            let (_, text) = KCACHEGRIND
                .iter()
                .find(|(known, _)| known.as_bytes() == name)?;
            Formula::parse(text.as_bytes()).map(Cow::Owned)
        };
        let Some(formula) = own
            .map(|(_, formula)| Cow::Borrowed(formula))
            .or_else(known)
        else {
            return Some(());
        };
        for (own_factor, term) in &formula.terms {
            let factor = factor.checked_mul(*own_factor)?;
            *left = left.checked_sub(1)?;
            match self.find(term) {
                Some(event) => terms.push((factor, event)),
                None if self.is_ratio(term) => return None,
                None => self.add_terms(term, factor, left, terms)?,
            }
        }
        Some(())
    }
}

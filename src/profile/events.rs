//! The events of a profile: their names, and those derived from others.

use std::borrow::Cow;

use crate::profile::budget::LimitExceeded;
use crate::profile::count::{Count, difference, sum_of};
use crate::profile::formula::{Formula, MAX_TERMS, common_divisor, decimals_of};
use crate::profile::time_unit::nanoseconds;

/// The maximum number of events of a profile. Callgrind writes up to 22, valgrind's xtree files 30;
/// each takes eight bytes in every row.
pub const MAX_EVENTS: usize = 255;

/// The events of Callgrind and Cachegrind: the name, and what it counts.
pub const KNOWN_EVENTS: [(&str, &str); 27] = [
    ("Ir", "instructions executed"),
    ("us", "microseconds"),
    ("Dr", "memory reads"),
    ("Dw", "memory writes"),
    ("I1mr", "L1 instruction cache misses"),
    ("D1mr", "L1 data cache read misses"),
    ("D1mw", "L1 data cache write misses"),
    ("ILmr", "last-level instruction misses"),
    ("DLmr", "last-level read misses"),
    ("DLmw", "last-level write misses"),
    ("Bc", "conditional branches"),
    ("Bcm", "mispredicted conditional branches"),
    ("Bi", "indirect branches"),
    ("Bim", "mispredicted indirect branches"),
    ("Ge", "bus events (locked instructions)"),
    ("sysCount", "system calls"),
    ("sysTime", "time in system calls"),
    ("sysCpuTime", "CPU time in system calls"),
    ("ILdmr", "dirty last-level instruction misses"),
    ("DLdmr", "dirty last-level read misses"),
    ("DLdmw", "dirty last-level write misses"),
    ("AcCost1", "L1 cache lines, by use"),
    ("SpLoss1", "L1 bytes loaded and not used"),
    ("L1m", "L1 cache misses"),
    ("LLm", "last-level cache misses"),
    ("Bm", "mispredicted branches"),
    ("CEst", "estimated cycles"),
];

/// The events of perf, and their names here.
const PERF_NAMES: [(&str, &str); 10] = [
    ("instructions", "Ir"),
    ("cycles", "CEst"),
    ("branch-misses", "Bm"),
    ("cache-misses", "LLm"),
    ("L1-dcache-loads", "Dr"),
    ("L1-dcache-stores", "Dw"),
    ("L1-dcache-load-misses", "D1mr"),
    ("L1-icache-load-misses", "I1mr"),
    ("LLC-load-misses", "DLmr"),
    ("LLC-store-misses", "DLmw"),
];

/// The events of a profile, in order of first appearance.
#[derive(Clone, Default)]
pub struct Events {
    names: Vec<Vec<u8>>,
    formulas: Vec<(Vec<u8>, Formula)>,
    long_names: Vec<(Vec<u8>, Vec<u8>)>,
    /// The events derived from others, which are the last ones.
    derived: Vec<Derived>,
    /// Whether JRuby's profiler counted them.
    pub(super) is_of_jruby: bool,
}

/// An event that is derived from others.
#[derive(Clone)]
struct Derived {
    event: usize,
    /// The terms that are added up.
    terms: Vec<(i64, usize)>,
    /// The number that their sum is divided by where it is shown.
    unit: i64,
    /// The terms of the sum that a ratio is divided by.
    divisor: Option<Vec<(i64, usize)>>,
}

/// A ratio of two sums of counts. The second one is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub sum: i64,
    pub by: i64,
}

impl Derived {
    /// The count of the event in a cost.
    fn count(&self, cost: &[Count]) -> Count {
        if self.divisor.is_none() {
            return sum_of(cost, &self.terms);
        }
        let ratio = self.fraction(cost).map(|Fraction { sum, by }| sum as f64 / by as f64);
        ratio.map_or(Count::UNDEFINED, Count::of_ratio)
    }

    /// The two sums of a ratio. It is undefined if either of its sums is, and if it is divided by
    /// 0.
    fn fraction(&self, cost: &[Count]) -> Option<Fraction> {
        let by = sum_of(cost, self.divisor.as_ref()?).value().filter(|&by| by != 0)?;
        Some(Fraction { sum: sum_of(cost, &self.terms).value()?, by })
    }
}

/// The name of an event without the unit behind it: `Memory` of `Memory_(bytes)`.
fn without_unit(name: &[u8]) -> &[u8] {
    let open = name.iter().position(|&byte| byte == b'(').filter(|_| name.ends_with(b")"));
    let is_between = |byte: &u8| matches!(byte, b'_' | b' ');
    let end = open.map_or(name.len(), |open| {
        let before = name[..open].iter().rposition(|byte| !is_between(byte));
        before.map_or(0, |at| at + 1)
    });
    &name[..end]
}

impl Events {
    /// The number of nanoseconds that one of an event is, if its name says that it counts time.
    pub fn nanoseconds(&self, event: &[u8]) -> Option<f64> {
        nanoseconds(event, self.is_of_jruby)
    }

    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The name here of an event of perf, unless the profile has an event called `name`; any other
    /// name itself.
    pub fn own_name<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        let of_perf = PERF_NAMES
            .iter()
            .find(|(perf, _)| perf.as_bytes() == name)
            .filter(|_| self.find(name).is_none());
        of_perf.map_or(name, |(_, own)| own.as_bytes())
    }

    /// The event of that name, also of perf; or the only one whose name differs in case, or by a
    /// unit in parentheses.
    pub fn find_alike(&self, name: &[u8]) -> Option<usize> {
        let name = self.own_name(name);
        let only = |is_alike: &dyn Fn(&[u8]) -> bool| {
            let mut others = (0..self.len()).filter(|&event| is_alike(self.name(event)));
            others.next().filter(|_| others.next().is_none())
        };
        self.find(name)
            .or_else(|| only(&|other| other.eq_ignore_ascii_case(name)))
            .or_else(|| only(&|other| without_unit(other).eq_ignore_ascii_case(name)))
    }

    /// The number of the event called `name`, which is added if it is new.
    pub fn find_or_add(&mut self, name: &[u8]) -> Result<usize, LimitExceeded> {
        if let Some(event) = self.find(name) {
            return Ok(event);
        }
        if self.names.len() == MAX_EVENTS {
            return Err(LimitExceeded);
        }
        self.names.push(name.to_vec());
        Ok(self.names.len() - 1)
    }

    pub fn is_recorded(&self, event: usize) -> bool {
        event < self.len() - self.derived.len()
    }

    /// Adds the event called `name`, unless the list has it, if it can be derived from others.
    /// Returns its number if it was added.
    pub(super) fn add_derived(&mut self, name: &[u8]) -> Result<Option<usize>, LimitExceeded> {
        if self.find(name).is_some() {
            return Ok(None);
        }
        let Some(RecordedSum { mut terms, mut unit }) = self.expand(name) else {
            return Ok(None);
        };
        let ratio = self.formula(name).filter(|formula| formula.is_ratio());
        let mut divisor = None;
        if let Some(sum) = ratio.and_then(|ratio| self.sum(&ratio.divisor, 1)) {
            // Both sums times both units, so that neither is divided.
            let both = times(terms, sum.unit).zip(times(sum.terms, unit));
            let Some((dividend, sum)) = both else {
                return Ok(None);
            };
            (terms, unit, divisor) = (dividend, 1, Some(sum));
        }
        let event = self.find_or_add(name)?;
        self.derived.push(Derived { event, terms, unit, divisor });
        Ok(Some(event))
    }

    pub fn has_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    fn derived(&self, event: usize) -> Option<&Derived> {
        self.derived.iter().find(|derived| derived.event == event)
    }

    /// The terms of a derived event: recorded events with their factors; empty if it is recorded
    /// itself.
    pub fn terms(&self, event: usize) -> &[(i64, usize)] {
        self.derived(event).map_or(&[], |derived| &derived.terms)
    }

    /// The number by which the counts of an event are divided where they are shown, as a formula
    /// with decimals requests: 100,000 of `ms = 0.00001 Time`.
    #[inline]
    pub fn unit(&self, event: usize) -> i64 {
        self.derived(event).map_or(1, |derived| derived.unit)
    }

    /// The number of decimals that the shown counts of an event may have.
    pub fn decimals(&self, event: usize) -> u32 {
        decimals_of(self.unit(event))
    }

    /// The recorded events whose sum a ratio is divided by.
    pub fn divisor_of(&self, ratio: usize) -> impl Iterator<Item = usize> {
        let terms = self.derived(ratio).and_then(|derived| derived.divisor.as_ref());
        terms.into_iter().flatten().map(|&(_, event)| event)
    }

    /// The sums that derived events are computed from; a ratio has two.
    pub(super) fn derived_sums(&self) -> impl Iterator<Item = &[(i64, usize)]> {
        let derived = self.derived.iter();
        let sums = derived.flat_map(|derived| [Some(&derived.terms), derived.divisor.as_ref()]);
        sums.flatten().map(Vec::as_slice)
    }

    /// The count of an event in a cost whose derived events are not set yet.
    #[inline]
    pub fn count(&self, cost: &[Count], event: usize) -> Count {
        // Most profiles derive none, and stacks ask for each instruction.
        if self.derived.is_empty() {
            return cost[event];
        }
        let derived = self.derived(event);
        derived.map_or(cost[event], |derived| derived.count(cost))
    }

    /// Sets the counts of the derived events of a cost by their formulas. A formula holds for a
    /// figure as it is shown, so this comes after all sums: a sum of rounded or partial figures
    /// would differ.
    pub fn derive(&self, cost: &mut [Count]) {
        for derived in &self.derived {
            cost[derived.event] = derived.count(cost);
        }
    }

    /// The two sums of an event that is a ratio, in a cost; none if the ratio is undefined.
    pub fn fraction(&self, cost: &[Count], ratio: usize) -> Option<Fraction> {
        self.derived(ratio)?.fraction(cost)
    }

    /// A cost minus another one, event by event, after derived events were set.
    pub fn difference(&self, new: &[Count], base: &[Count]) -> Vec<Count> {
        let mut change = difference(new, base);
        // The change of a ratio is not the ratio of changes.
        for event in self.ratios() {
            let [new, base] = [new, base].map(|cost| cost[event].ratio());
            change[event] = match (new, base) {
                (None, None) => Count::UNDEFINED,
                _ => Count::of_ratio(new.unwrap_or(0.0) - base.unwrap_or(0.0)),
            };
        }
        change
    }

    /// The events that are ratios, whose counts are those of [`Count::of_ratio`]. Ratios are never
    /// summed.
    pub fn ratios(&self) -> Vec<usize> {
        let ratios = self.derived.iter().filter(|of| of.divisor.is_some());
        ratios.map(|derived| derived.event).collect()
    }

    pub fn recorded(&self) -> impl Iterator<Item = &[u8]> {
        self.names().take(self.len() - self.derived.len())
    }

    pub fn name(&self, event: usize) -> &[u8] {
        &self.names[event]
    }

    /// Whether it is counted at system calls, and not at instructions.
    pub fn is_of_system_calls(&self, event: usize) -> bool {
        matches!(self.name(event), b"sysCount" | b"sysTime" | b"sysCpuTime")
    }

    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// The events that KCachegrind derives from callgrind's, and their formulas.
const KCACHEGRIND_FORMULAS: [(&str, &str); 5] = [
    ("L1m", "I1mr + D1mr + D1mw"),
    ("L2m", "I2mr + D2mr + D2mw"),
    ("LLm", "ILmr + DLmr + DLmw"),
    ("Bm", "Bim + Bcm"),
    ("CEst", "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"),
];

impl Events {
    /// Defines an event by other events; a recorded event is unchanged. There are no more
    /// definitions than there can be events.
    pub fn define(&mut self, name: Vec<u8>, formula: Formula) {
        self.undefine(&name);
        if self.formulas.len() < MAX_EVENTS {
            self.formulas.push((name, formula));
        }
    }

    /// Defines a ratio or a sum by its formula, such as `D1mr/Dr` or `DLmr+DLmw`, if `name` is one
    /// of known events, but of no other ratio.
    pub fn define_unnamed(&mut self, name: &[u8]) {
        let formula = Formula::parse_ratio(name)
            .filter(|formula| formula.is_ratio() || formula.events().nth(1).is_some());
        let is_known = |event: &[u8]| self.is_known(event) && !self.is_ratio(event);
        if let Some(formula) = formula.filter(|formula| formula.events().all(is_known))
            && self.find(name).is_none()
        {
            self.define(name.to_vec(), formula);
        }
    }

    pub fn undefine(&mut self, name: &[u8]) {
        self.formulas.retain(|(known, _)| known != name);
    }

    /// Whether the formulas of an event that is not recorded end at recorded or unknown events,
    /// without a circle.
    pub fn is_computable(&self, name: &[u8]) -> bool {
        let formula = self.formula(name);
        formula.is_none_or(|formula| self.sum(&formula.terms, formula.unit).is_some())
    }

    /// Sets the long name of an event from `NAME : LONG NAME` or `NAME = FORMULA : LONG NAME`, if
    /// `definition` is one.
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
        let formulas = self.formulas.iter();
        formulas.map(|(name, formula)| (&name[..], formula))
    }

    /// The recorded events that the event called `name` is the sum of. Events that were not
    /// recorded count as 0, but one must be, as in KCachegrind. None for a circle of formulas, and
    /// if a factor does not fit.
    fn expand(&self, name: &[u8]) -> Option<RecordedSum> {
        let formula = self.formula(name)?;
        self.sum(&formula.terms, formula.unit).filter(|sum| !sum.terms.is_empty())
    }

    /// The formula of an event, its own or KCachegrind's.
    pub fn formula(&self, name: &[u8]) -> Option<Cow<'_, Formula>> {
        if let Some((_, own)) = self.formulas.iter().find(|(known, _)| known == name) {
            return Some(Cow::Borrowed(own));
        }
        Events::predefined(name).map(Cow::Owned)
    }

    /// The formula of an event with the terms that the profile has alone.
    pub fn formula_of_known(&self, name: &[u8]) -> Option<Formula> {
        let mut formula = self.formula(name)?.into_owned();
        formula.terms.retain(|(_, term)| self.is_known(term));
        (!formula.terms.is_empty()).then_some(formula)
    }

    /// KCachegrind's formula of an event.
    pub fn predefined(name: &[u8]) -> Option<Formula> {
        let mut known = KCACHEGRIND_FORMULAS.iter();
        let (_, text) = known.find(|(known, _)| known.as_bytes() == name)?;
        Formula::parse(text.as_bytes())
    }

    pub fn is_ratio(&self, name: &[u8]) -> bool {
        self.formula(name).is_some_and(|formula| formula.is_ratio())
    }

    /// Whether an event is recorded, or can be computed from such events.
    pub fn is_known(&self, name: &[u8]) -> bool {
        self.find(name).is_some() || self.expand(name).is_some()
    }

    /// Whether KCachegrind has a formula for the event called `name`; a profile may lack some of
    /// its terms.
    pub fn is_predefined(name: &[u8]) -> bool {
        let mut known = KCACHEGRIND_FORMULAS.iter();
        known.any(|(known, _)| known.as_bytes() == name)
    }

    /// KCachegrind's events that can be computed from recorded ones, not only from instructions.
    pub fn computed(&self) -> impl Iterator<Item = &'static [u8]> {
        let names = KCACHEGRIND_FORMULAS.iter().map(|(name, _)| name.as_bytes());
        let has_misses =
            |sum: RecordedSum| sum.terms.iter().any(|&(_, event)| self.names[event] != b"Ir");
        names.filter(move |name| {
            self.find(name).is_none() && self.expand(name).is_some_and(has_misses)
        })
    }

    /// The recorded events that a sum of events, divided by `unit`, consists of.
    fn sum(&self, terms: &[(i64, Vec<u8>)], unit: i64) -> Option<RecordedSum> {
        let mut quotients = Vec::new();
        self.add_terms(terms, Quotient { factor: 1, unit }, &mut { MAX_TERMS }, &mut quotients)?;
        // Sums of different units have a common one.
        let mut unit = 1i64;
        for (quotient, _) in &quotients {
            unit = (unit / common_divisor(unit, quotient.unit)).checked_mul(quotient.unit)?;
        }
        let terms = quotients.into_iter().map(|(quotient, event)| {
            Some((quotient.factor.checked_mul(unit / quotient.unit)?, event))
        });
        let mut sum = RecordedSum { terms: terms.collect::<Option<_>>()?, unit };
        let factors = sum.terms.iter().map(|(factor, _)| *factor);
        let common = factors.fold(unit, common_divisor);
        sum.unit /= common;
        sum.terms.iter_mut().for_each(|(factor, _)| *factor /= common);
        Some(sum)
    }

    /// Adds recorded events; unknown ones and ratios count as 0.
    fn add_terms(
        &self,
        terms: &[(i64, Vec<u8>)],
        of_all: Quotient,
        left: &mut usize,
        recorded: &mut Vec<(Quotient, usize)>,
    ) -> Option<()> {
        for (own_factor, term) in terms {
            let factor = of_all.factor.checked_mul(*own_factor)?;
            *left = left.checked_sub(1)?;
            let event = self.find(term).filter(|&event| self.is_recorded(event));
            if let Some(event) = event {
                recorded.push((Quotient { factor, ..of_all }, event));
            } else if let Some(formula) = self.formula(term).filter(|of| !of.is_ratio()) {
                let unit = of_all.unit.checked_mul(formula.unit)?;
                self.add_terms(&formula.terms, Quotient { factor, unit }, left, recorded)?;
            }
        }
        Some(())
    }
}

/// The factor of a term of a formula, divided by a unit.
#[derive(Clone, Copy)]
struct Quotient {
    factor: i64,
    unit: i64,
}

/// Recorded events, each with its factor, and the number that their sum is divided by where it is
/// shown.
struct RecordedSum {
    terms: Vec<(i64, usize)>,
    unit: i64,
}

/// Terms with other factors; none if these do not fit.
fn times(terms: Vec<(i64, usize)>, factor: i64) -> Option<Vec<(i64, usize)>> {
    terms.into_iter().map(|(own, event)| Some((own.checked_mul(factor)?, event))).collect()
}

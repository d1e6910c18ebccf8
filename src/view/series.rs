//! A series of profiles: their labels, and the largest step of a figure from one profile to the
//! next.

use crate::profile::{Count, Profile};

/// The profiles of a series, by side.
#[derive(Clone)]
pub struct Series {
    labels: Vec<String>,
    /// By side, whether the profile is known to be damaged.
    is_damaged: Vec<bool>,
    /// By side and event, whether the profile has the event.
    has_event: Vec<Vec<bool>>,
    /// By event, whether its counts hold ratios.
    is_ratio: Vec<bool>,
}

/// The change of a figure from one profile of a series to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The side of the later profile.
    pub side: usize,
    pub before: Count,
    pub after: Count,
}

impl Series {
    pub fn new(profile: &Profile, labels: Vec<String>, is_damaged: Vec<bool>) -> Series {
        let events = 0..profile.events().len();
        let of_side = |side| {
            let own = profile.events_of(side);
            events.clone().map(|event| own.contains(&event)).collect()
        };
        let ratios = profile.events().ratios();
        Series {
            has_event: (0..labels.len()).map(of_side).collect(),
            is_ratio: events.clone().map(|event| ratios.contains(&event)).collect(),
            labels,
            is_damaged,
        }
    }

    /// The sides in the order of the profiles: the first one has the greatest index.
    pub fn sides(&self) -> impl DoubleEndedIterator<Item = usize> + Clone + use<> {
        (0..self.labels.len()).rev()
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn label(&self, side: usize) -> &str {
        self.labels.get(side).map_or("", String::as_str)
    }

    pub fn is_damaged(&self, side: usize) -> bool {
        self.is_damaged.get(side) == Some(&true)
    }

    /// Whether a profile has an event, recorded or derived.
    pub fn has_event(&self, side: usize, event: usize) -> bool {
        self.has_event.get(side).is_some_and(|events| events.get(event) == Some(&true))
    }

    /// Whether the counts of an event hold ratios.
    pub fn is_ratio(&self, event: usize) -> bool {
        self.is_ratio.get(event) == Some(&true)
    }

    /// The steps of the counts that `count` has by side. Profiles without the event are passed
    /// over.
    pub fn steps(&self, event: usize, count: impl Fn(usize) -> Count) -> Vec<Step> {
        let sides: Vec<usize> = self.sides().filter(|&side| self.has_event(side, event)).collect();
        let step = |pair: &[usize]| {
            let [before, after] = [pair[0], pair[1]].map(&count);
            Step { side: pair[1], before, after }
        };
        sides.windows(2).map(step).collect()
    }

    /// The largest step, of equal ones the first; none if nothing changes.
    pub fn largest(&self, event: usize, steps: impl IntoIterator<Item = Step>) -> Option<Step> {
        let is_ratio = self.is_ratio(event);
        let size = |step: &Step| size_of_change(step.before, step.after, is_ratio);
        let changes = steps.into_iter().filter(|step| size(step) > 0);
        changes.reduce(|largest, step| if size(&step) > size(&largest) { step } else { largest })
    }
}

/// A number that is larger for a larger change.
fn size_of_change(before: Count, after: Count, is_ratio: bool) -> u128 {
    if is_ratio {
        let [before, after] = [before, after].map(|count| count.ratio().unwrap_or(0.0));
        // The order of the bits of positive numbers is that of the numbers.
        return u128::from((after - before).abs().to_bits());
    }
    u128::from(before.or_zero().abs_diff(after.or_zero()))
}

impl Step {
    /// The change in percent of the absolute value before; none if that is 0.
    pub fn percent(self, is_ratio: bool) -> Option<f64> {
        let value = |count: Count| {
            if is_ratio { count.ratio().unwrap_or(0.0) } else { count.or_zero() as f64 }
        };
        let (before, after) = (value(self.before), value(self.after));
        (before != 0.0).then(|| (after - before) * 100.0 / before.abs())
    }

    /// Whether the count is larger than before.
    pub fn is_increase(self, is_ratio: bool) -> bool {
        if is_ratio {
            self.after.ratio() > self.before.ratio()
        } else {
            self.after.or_zero() > self.before.or_zero()
        }
    }

    /// The change of a count.
    pub fn change(self) -> Count {
        let mut change = Count::new(self.after.or_zero());
        change.subtract(self.before);
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Count = Count::UNDEFINED;

    /// A series of profiles, given by whether each has the only event, the first one first.
    fn series(has_event: &[bool]) -> Series {
        Series {
            labels: has_event.iter().map(|_| String::new()).collect(),
            is_damaged: vec![false; has_event.len()],
            has_event: has_event.iter().rev().map(|&has| vec![has]).collect(),
            is_ratio: vec![false],
        }
    }

    /// The count of each profile, and whether it has the event.
    type Counts<'c> = &'c [(Count, bool)];

    /// The position of a profile, and its step in percent.
    type Found = Option<(usize, Option<f64>)>;

    #[test]
    fn the_largest_step_is_the_first_of_equal_ones() {
        let of = Count::new;
        let table: [(Counts<'_>, Found); 9] = [
            (&[(of(10), true), (of(10), true)], None),
            (&[(of(10), true), (of(20), true), (of(30), true)], Some((1, Some(100.0)))),
            (&[(of(10), true), (of(20), true), (of(35), true)], Some((2, Some(75.0)))),
            (&[(of(40), true), (of(10), true), (of(39), true)], Some((1, Some(-75.0)))),
            (&[(of(-10), true), (of(-5), true)], Some((1, Some(50.0)))),
            (&[(NONE, true), (of(7), true), (of(7), true)], Some((1, None))),
            (&[(of(7), true), (NONE, true)], Some((1, Some(-100.0)))),
            // A profile without the event is no step to 0.
            (&[(of(7), true), (NONE, false), (of(7), true)], None),
            (&[(of(7), true), (NONE, false), (of(14), true)], Some((2, Some(100.0)))),
        ];
        for (counts, expected) in table {
            let has_event: Vec<bool> = counts.iter().map(|&(_, has)| has).collect();
            let last = counts.len() - 1;
            let series = series(&has_event);
            let step = series.largest(0, series.steps(0, |side| counts[last - side].0));
            let found = step.map(|step| (last - step.side, step.percent(false)));
            assert_eq!(found, expected, "{counts:?}");
        }
    }
}

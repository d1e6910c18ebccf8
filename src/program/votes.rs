//! Counts which values addresses have, to choose the one that most of them have.

use std::collections::BTreeMap;
use std::hash::Hash;

use hashbrown::HashMap;

/// By number and value the number of addresses that have it.
pub struct Votes<T> {
    counts: HashMap<(u32, T), usize>,
    /// The last value, and how many addresses in a row have it: most have that of the address
    /// before.
    last: Option<((u32, T), usize)>,
}

impl<T> Default for Votes<T> {
    fn default() -> Votes<T> {
        Votes { counts: HashMap::new(), last: None }
    }
}

impl<T: Copy + Eq + Hash> Votes<T> {
    /// Counts an address that has a value.
    #[inline]
    pub fn add(&mut self, number: u32, value: T) {
        let key = (number, value);
        match &mut self.last {
            Some((last, votes)) if *last == key => *votes += 1,
            _ => {
                if let Some((last, votes)) = self.last.replace((key, 1)) {
                    *self.counts.entry(last).or_default() += votes;
                }
            }
        }
    }
}

/// By number the value with the most votes, the lowest one of equal ones.
pub fn winners<T: Copy, V: Ord + Copy>(
    votes: &Votes<T>,
    numbers: usize,
    value: impl Fn(T) -> V,
) -> Vec<Option<V>> {
    let mut sums: BTreeMap<(u32, V), usize> = BTreeMap::new();
    let counts = votes.counts.iter().map(|(&key, &votes)| (key, votes));
    for ((number, of), votes) in counts.chain(votes.last) {
        *sums.entry((number, value(of))).or_default() += votes;
    }
    let mut best: Vec<Option<(usize, V)>> = vec![None; numbers];
    for ((number, value), votes) in sums {
        let of_number = &mut best[number as usize];
        if of_number.is_none_or(|(most, _)| votes > most) {
            *of_number = Some((votes, value));
        }
    }
    best.into_iter().map(|best| Some(best?.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_with_most_votes_wins_in_whatever_order_they_come() {
        let of = |values: &[&'static str]| {
            let mut votes = Votes::default();
            values.iter().for_each(|&value| votes.add(1, value));
            winners(&votes, 2, |value| value)
        };
        for values in [&["b", "a", "b"], &["b", "b", "a"], &["a", "b", "b"]] {
            assert_eq!(of(values), [None, Some("b")]);
        }
        assert_eq!(of(&["b", "a"]), [None, Some("a")]);
        assert_eq!(of(&[]), [None, None]);
    }
}

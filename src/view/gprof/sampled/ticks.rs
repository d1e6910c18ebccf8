//! How many samples each place gets. A bin that several places share is divided by the bytes of each, in gprof's
//! order of operations: their last bits decide which of two equal rows comes first.

use super::Places;
use crate::profile::Histogram;

/// The names of what measures, which never counts.
const MEASURING: [&[u8]; 6] = [
    b"mcount",
    b"_mcount",
    b"__mcount",
    b"__mcount_internal",
    b"_gprof_mcount",
    b"__mcleanup",
];

/// Whether a function only measures the others.
pub fn is_measuring(name: &[u8]) -> bool {
    MEASURING.contains(&name)
}

/// Samples by place.
#[derive(Clone, Debug, Default)]
pub struct Ticks {
    /// By place.
    pub of: Vec<f64>,
    /// All samples, without those of places that are not counted.
    pub total: f64,
    /// How many units of two bytes a bin of the last histogram covers.
    pub scale: f64,
}

impl Ticks {
    /// Divides samples among the places; those of places that do not count are taken from the total.
    pub fn new(histograms: &[Histogram], places: &Places, counts: impl Fn(usize) -> bool) -> Ticks {
        let mut ticks = Ticks {
            of: vec![0.0; places.list().len()],
            total: 0.0,
            scale: 0.0,
        };
        for histogram in histograms.iter().filter(|histogram| histogram.size > 0) {
            ticks.scale = histogram.scale();
            ticks.add(histogram, places, &counts);
        }
        ticks
    }

    fn add(&mut self, histogram: &Histogram, places: &Places, counts: impl Fn(usize) -> bool) {
        let (start, scale) = (histogram.start / 2, self.scale);
        let edge = |bin: u32| start.saturating_add((scale * f64::from(bin)) as u64);
        let after = |bin: u32| start.saturating_add((scale * (f64::from(bin) + 1.0)) as u64);
        let mut first = 0;
        for &(bin, count) in &histogram.bins {
            let (low, high) = (edge(bin), after(bin));
            self.total += count as f64;
            while first < self.of.len() && places.end_of(first) / 2 <= low {
                first += 1;
            }
            for place in first..self.of.len() {
                let start = places.list()[place].address / 2;
                if start >= high {
                    break;
                }
                let shared = high
                    .min(places.end_of(place) / 2)
                    .saturating_sub(low.max(start));
                if shared == 0 {
                    continue;
                }
                let credit = shared as f64 * count as f64 / scale;
                if counts(place) {
                    self.of[place] += credit;
                } else {
                    self.total -= credit;
                }
            }
        }
    }
}

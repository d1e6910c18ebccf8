//! Samples divided among the places that their bins cover: as ticks in gprof's order of operations, whose last bits decide
//! which of two equal rows comes first, and as whole numbers that add up, for other reports.

use super::{Places, SampledCalls};
use crate::graph::split;
use crate::profile::{Histogram, Overflow, Unit};

/// Millionths of a unit.
const MILLION: u128 = 1_000_000;

/// What samples cost, by place, in millionths of their unit.
#[derive(Clone, Debug, Default)]
pub struct Microseconds {
    /// By place.
    pub of: Vec<u64>,
    /// Of samples in no place.
    pub elsewhere: u64,
}

impl Microseconds {
    /// Divides samples among places. What only measures the others costs nothing.
    pub fn new(
        histograms: &[Histogram],
        unit: &Unit,
        places: &Places,
    ) -> Result<Microseconds, Overflow> {
        let mut costs = Microseconds {
            of: vec![0; places.list().len()],
            elsewhere: 0,
        };
        for histogram in histograms.iter().filter(|histogram| histogram.size > 0) {
            let mut first = 0;
            for &(bin, count) in &histogram.bins {
                let rate = u128::from(unit.rate).max(1);
                let micros = (u128::from(count) * MILLION + rate / 2) / rate;
                let micros = u64::try_from(micros).map_err(|_| Overflow)?;
                let (start, end) = range(histogram, bin);
                while first < costs.of.len() && places.end_of(first) <= start {
                    first += 1;
                }
                costs.divide(micros, (start, end), first, places)?;
            }
        }
        let is_measuring = |&place: &usize| is_measuring(places.name(place));
        for place in (0..costs.of.len()).filter(is_measuring) {
            costs.of[place] = 0;
        }
        Ok(costs)
    }

    /// Divides the time of a bin by the bytes of each place, the largest remainders first.
    fn divide(
        &mut self,
        micros: u64,
        (start, end): (u64, u64),
        first: usize,
        places: &Places,
    ) -> Result<(), Overflow> {
        let mut pieces: Vec<(usize, u64)> = Vec::new();
        for place in first..self.of.len() {
            let begin = places.list()[place].address;
            if begin >= end {
                break;
            }
            let shared = end
                .min(places.end_of(place))
                .saturating_sub(start.max(begin));
            if shared > 0 {
                pieces.push((place, shared));
            }
        }
        if pieces.is_empty() {
            add(&mut self.elsewhere, micros)?;
        }
        let weights: Vec<_> = pieces.iter().map(|piece| i128::from(piece.1)).collect();
        for (&(place, _), part) in pieces.iter().zip(split(micros.into(), &weights)) {
            let part = u64::try_from(part).map_err(|_| Overflow)?;
            add(&mut self.of[place], part)?;
        }
        Ok(())
    }
}

fn add(sum: &mut u64, more: u64) -> Result<(), Overflow> {
    let new = sum.checked_add(more);
    *sum = new
        .filter(|&new| i64::try_from(new).is_ok())
        .ok_or(Overflow)?;
    Ok(())
}

/// The addresses of a bin.
fn range(histogram: &Histogram, bin: u32) -> (u64, u64) {
    let scale = histogram.scale();
    let edge = |bin: f64| {
        let bytes = ((scale * bin) as u64).saturating_mul(2);
        histogram.start.saturating_add(bytes)
    };
    (edge(f64::from(bin)), edge(f64::from(bin) + 1.0))
}

/// The calls between functions, of those between lines and functions.
pub fn calls_of_functions(
    calls: &SampledCalls,
    lines: &Places,
    functions: &Places,
) -> SampledCalls {
    let symbol = |place: u32| lines.list()[place as usize].symbol;
    let mut sum = SampledCalls::new(functions);
    for call in calls.list() {
        if let (Some(caller), Some(callee)) = (symbol(call.caller), symbol(call.callee)) {
            sum.add_between(caller, callee, call.count.unsigned_abs());
        }
    }
    sum
}

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

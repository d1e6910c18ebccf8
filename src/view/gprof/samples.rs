//! The contents of gprof's data by place. The addresses of calls are mapped to places, and the samples of a bin are
//! divided among the places it covers: as [`Ticks`], in gprof's order of operations because rounding decides the order
//! of equal rows, and for other reports as [`Microseconds`], integers that add up.

use crate::graph::split;
use crate::profile::{Histogram, Ordered, RawCall, Samples};
use crate::view::gprof::graph::Calls;
use crate::view::gprof::places::Places;

/// The time of samples by place, in millionths of their unit.
pub struct Microseconds {
    pub of: Vec<u64>,
    /// The time of samples outside all places.
    pub elsewhere: u64,
}

impl Microseconds {
    /// Divides samples among places. The functions that do the profiling cost nothing.
    pub fn new(samples: &Samples, places: &Places) -> Microseconds {
        let mut costs = Microseconds { of: vec![0; places.list.len()], elsewhere: 0 };
        for histogram in samples.histograms() {
            // `split` rounds up the parts with the largest remainders.
            for (count, pieces) in bins(histogram, places, 1) {
                let micros = samples.micros(count);
                if pieces.is_empty() {
                    costs.elsewhere += micros;
                }
                let weights: Vec<_> = pieces.iter().map(|piece| i128::from(piece.1)).collect();
                for (&(place, _), part) in pieces.iter().zip(split(micros.into(), &weights)) {
                    costs.of[place] += part as u64;
                }
            }
        }
        let is_measuring = |&place: &usize| is_measuring(places.name(place));
        for place in (0..costs.of.len()).filter(is_measuring) {
            costs.of[place] = 0;
        }
        costs
    }
}

/// The count of each bin and the places it covers, with the covered size of each in units of `unit` (1 or 2) bytes.
fn bins(
    histogram: &Histogram,
    places: &Places,
    unit: u64,
) -> impl Iterator<Item = (u64, Vec<(usize, u64)>)> {
    let edge = move |bin: f64| {
        let units = ((histogram.scale() * bin) as u64).saturating_mul(2 / unit);
        (histogram.start / unit).saturating_add(units)
    };
    let mut first = 0;
    let count = places.list.len();
    let bins = histogram.bins.iter().filter(|_| histogram.size > 0);
    bins.map(move |(&bin, &samples)| {
        let (low, high) = (edge(f64::from(bin)), edge(f64::from(bin) + 1.0));
        while first < count && places.end_of(first) / unit <= low {
            first += 1;
        }
        let begin = |place: usize| places.list[place].address / unit;
        let covered = (first..count).take_while(|&place| begin(place) < high);
        let pieces = covered.map(|place| {
            let end = high.min(places.end_of(place) / unit);
            (place, end.saturating_sub(low.max(begin(place))))
        });
        (samples, pieces.filter(|piece| piece.1 > 0).collect())
    })
}

/// The functions that do the profiling, whose time is never counted.
const MEASURING: [&[u8]; 6] =
    [b"mcount", b"_mcount", b"__mcount", b"__mcount_internal", b"_gprof_mcount", b"__mcleanup"];

pub fn is_measuring(name: &[u8]) -> bool {
    MEASURING.contains(&name)
}

pub struct Ticks {
    pub of: Vec<f64>,
    /// The number of samples, without those of places that are not counted.
    pub total: f64,
    /// The size of the last histogram's bins in units of two bytes.
    pub scale: f64,
}

impl Ticks {
    /// Divides samples among the places. Samples of places that `counts` does not accept are subtracted from the total.
    pub fn new(histograms: &[Histogram], places: &Places, counts: impl Fn(usize) -> bool) -> Ticks {
        let mut ticks = Ticks { of: vec![0.0; places.list.len()], total: 0.0, scale: 0.0 };
        for histogram in histograms.iter().filter(|histogram| histogram.size > 0) {
            ticks.scale = histogram.scale();
            for (count, pieces) in bins(histogram, places, 2) {
                ticks.total += count as f64;
                for (place, shared) in pieces {
                    let credit = shared as f64 * count as f64 / ticks.scale;
                    if counts(place) {
                        ticks.of[place] += credit;
                    } else {
                        ticks.total -= credit;
                    }
                }
            }
        }
        ticks
    }
}

/// All calls by caller and callee, in the order in which the pairs were first recorded.
#[derive(Clone, Debug, Default)]
pub struct SampledCalls {
    pub between: Ordered<(u32, u32), i64>,
    /// By place, the function that a call to one of its addresses is charged to; `u32::MAX` if none.
    function_of: Vec<u32>,
    /// The number of calls whose caller or callee is outside all places.
    pub lost: u64,
    pub records: u64,
}

impl SampledCalls {
    pub fn new(places: &Places) -> SampledCalls {
        let mut function = u32::MAX;
        let function_of = (0..).zip(&places.list).map(|(number, place)| {
            if place.is_function {
                function = number;
            }
            function
        });
        SampledCalls { function_of: function_of.collect(), ..SampledCalls::default() }
    }

    pub fn add(&mut self, call: RawCall, places: &Places) {
        self.records += 1;
        let callee = places.find(call.to).map(|callee| self.function_of[callee]);
        let ends = places.find(call.from);
        let ends = ends.zip(callee.filter(|&c| c != u32::MAX));
        match ends {
            Some((caller, callee)) => {
                let count = self.between.entry((caller as u32, callee)).or_default();
                *count += call.count.cast_signed();
            }
            None => self.lost += call.count,
        }
    }

    pub fn list(&self) -> Vec<Calls> {
        let calls = self.between.iter().map(|(&(caller, callee), &count)| Calls {
            caller,
            callee,
            count,
            cost: 0,
        });
        calls.collect()
    }
}

//! The samples and calls of a recording as gprof counts them: in its order of operations, because
//! rounding decides the order of equal rows.

use std::sync::OnceLock;

use crate::demangle::{NameStyle, demangle_as_gprof};
use crate::gprof::views::graph::Calls;
use crate::profile::Histogram;
use crate::read::gmon::{ProgramPlaces, RecordedCalls, covered_bins};

pub struct Ticks {
    pub of: Vec<f64>,
    /// The number of samples, without those of places that are not counted.
    pub total: f64,
    /// The size of the last histogram's bins in units of two bytes.
    pub scale: f64,
}

impl Ticks {
    /// Divides samples among the places. Samples of places that `counts` does not accept are
    /// subtracted from the total.
    pub fn new(
        histograms: &[Histogram],
        places: &ProgramPlaces,
        counts: impl Fn(usize) -> bool,
    ) -> Ticks {
        let mut ticks = Ticks { of: vec![0.0; places.list.len()], total: 0.0, scale: 0.0 };
        for histogram in histograms.iter().filter(|histogram| histogram.size > 0) {
            ticks.scale = histogram.scale();
            for bin in covered_bins(histogram, places, 2) {
                let samples = bin.samples as f64;
                ticks.total += samples;
                for (place, shared) in bin.pieces {
                    let credit = shared as f64 * samples / ticks.scale;
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

/// The calls of a recording; their costs are not recorded.
pub fn calls_of(recorded: &RecordedCalls) -> Vec<Calls> {
    let calls = recorded.between.iter().map(|(&(caller, callee), &count)| Calls {
        caller,
        callee,
        count,
        cost: 0,
        is_static: false,
    });
    calls.collect()
}

/// The demangled names of functions, once they were requested.
pub struct ReadableNames {
    style: NameStyle,
    names: Vec<OnceLock<Box<[u8]>>>,
}

impl ReadableNames {
    pub fn new(places: &ProgramPlaces, style: NameStyle) -> ReadableNames {
        ReadableNames { style, names: vec![OnceLock::new(); places.name_count()] }
    }

    /// The demangled name of a place's function.
    pub fn of(&self, places: &ProgramPlaces, place: usize) -> &[u8] {
        let name = &self.names[places.name_number(place)];
        name.get_or_init(|| demangle_as_gprof(places.name(place), self.style).into())
    }
}

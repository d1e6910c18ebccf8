//! What a program recorded in one or several runs, by the places of its code: samples, and the
//! calls between functions.

use std::io::BufRead;

use crate::profile::{Histogram, Ordered, RawCall, Samples};
use crate::program::{NumberLayout, Symbols};
use crate::read::gmon::places::ProgramPlaces;
use crate::read::gmon::{GmonError, GmonFormat, read_gmon};

/// The data of a program's runs, with the places that samples and calls are charged to.
pub struct Recording {
    pub symbols: Symbols,
    pub places: ProgramPlaces,
    pub layout: NumberLayout,
    pub samples: Samples,
    pub calls: RecordedCalls,
}

impl Recording {
    /// A recording of no run yet.
    pub fn new(symbols: Symbols, places: ProgramPlaces, layout: NumberLayout) -> Recording {
        Recording {
            calls: RecordedCalls::new(&places),
            symbols,
            places,
            layout,
            samples: Samples::default(),
        }
    }

    /// Adds the data of a file. After an error the recording is unspecified.
    pub fn read(&mut self, input: impl BufRead, format: GmonFormat) -> Result<(), GmonError> {
        let Recording { symbols, places, layout, samples, calls } = self;
        let mut add = |call| calls.add(call, symbols, places);
        read_gmon(input, *layout, format, samples, &mut add)
    }
}

/// All calls by caller and callee, in the order in which the pairs were first recorded.
#[derive(Clone, Debug, Default)]
pub struct RecordedCalls {
    pub between: Ordered<(u32, u32), i64>,
    /// By place, the function that a call to one of its addresses is charged to; `u32::MAX` if
    /// none.
    function_of: Vec<u32>,
    /// The number of calls whose caller or callee is outside all places.
    pub lost: u64,
    pub records: u64,
    /// The number of records of calls that lead [far](is_far) into a function.
    pub far: u64,
}

impl RecordedCalls {
    fn new(places: &ProgramPlaces) -> RecordedCalls {
        let mut function = u32::MAX;
        let function_of = (0..).zip(&places.list).map(|(number, place)| {
            if place.is_function {
                function = number;
            }
            function
        });
        RecordedCalls { function_of: function_of.collect(), ..RecordedCalls::default() }
    }

    fn add(&mut self, call: RawCall, symbols: &Symbols, places: &ProgramPlaces) {
        self.records += 1;
        self.far += u64::from(is_far(symbols, call.to));
        let callee = places.find(call.to).map(|callee| self.function_of[callee]);
        let ends = places.find(call.from).zip(callee.filter(|&callee| callee != u32::MAX));
        match ends {
            Some((caller, callee)) => {
                let count = self.between.entry((caller as u32, callee)).or_default();
                *count += call.count.cast_signed();
            }
            None => self.lost += call.count,
        }
    }
}

/// The maximum distance in bytes from the start of a function to the code that counts its calls. A
/// larger distance suggests that the program was rebuilt.
const NEAR: u64 = 64;

/// Whether a called address is far into its function. Past the function's size there may be
/// functions without symbols.
fn is_far(symbols: &Symbols, address: u64) -> bool {
    let symbol = symbols.find(address);
    let before = symbol.map_or(&[][..], |symbol| &symbols.list[..=symbol]);
    let function = before.iter().rfind(|symbol| symbol.is_function);
    function
        .is_some_and(|function| (NEAR + 1..function.size).contains(&(address - function.address)))
}

/// A bin of a histogram that has samples.
pub struct CoveredBin {
    pub samples: u64,
    /// The places that it covers, with the covered size of each.
    pub pieces: Vec<(usize, u64)>,
}

/// The bins of a histogram with the places that they cover; sizes are in units of `unit` (1 or 2)
/// bytes.
pub fn covered_bins(
    histogram: &Histogram,
    places: &ProgramPlaces,
    unit: u64,
) -> impl Iterator<Item = CoveredBin> {
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
        CoveredBin { samples, pieces: pieces.filter(|piece| piece.1 > 0).collect() }
    })
}

/// The functions that do the profiling, whose time is never counted.
const MEASURING: [&[u8]; 6] =
    [b"mcount", b"_mcount", b"__mcount", b"__mcount_internal", b"_gprof_mcount", b"__mcleanup"];

pub fn is_measuring(name: &[u8]) -> bool {
    MEASURING.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Symbol;

    #[test]
    fn calls_that_lead_far_into_a_function() {
        let symbol = |address, size, is_function| Symbol {
            address,
            size,
            name: Box::default(),
            is_local: false,
            is_function,
            object: None,
        };
        // A function of 200 bytes with a label in it, and one whose size is not known.
        let symbols = Symbols {
            list: vec![
                symbol(0x1000, 200, true),
                symbol(0x1060, 0, false),
                symbol(0x2000, 0, true),
            ],
            end: 0x2800,
            ..Symbols::default()
        };
        for (address, expected) in [
            (0x1000 + 64, false),
            (0x1000 + 65, true),
            (0x1000 + 199, true),
            (0x1000 + 200, false),
            (0x2500, false),
            (0x2900, false),
        ] {
            assert_eq!(is_far(&symbols, address), expected, "{address:#x}");
        }
    }
}

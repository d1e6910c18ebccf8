//! What gprof does not say: that data and program do not belong together, and what was left out.

use std::io::Write;

use anyhow::{Result, anyhow};

use super::files::SampledFiles;
use crate::profile::Samples;
use crate::program::Symbols;
use crate::render::with_commas;
use crate::run::input::{display_path, display_paths};
use crate::run::message;
use crate::view::SampledCalls;

/// How far behind the start of a function the code that counts its calls may be. A larger distance hints at a
/// program that was built again.
const NEAR: u64 = 64;

/// Whether a call leads far into the function that contains an address. Behind a function may be others, without symbols.
pub(super) fn is_far(symbols: &Symbols, address: u64) -> bool {
    let symbol = symbols.find(address);
    let function = symbol.and_then(|symbol| symbols.function_before(symbol));
    function.is_some_and(|function| {
        let function = &symbols.list[function];
        (NEAR + 1..function.size).contains(&(address - function.address))
    })
}

/// Compares data with its program. Of the calls, `far` lead far into a function. A warning is one line.
///
/// # Errors
/// The data is that of another program.
pub(super) fn check(
    files: &SampledFiles,
    symbols: &Symbols,
    samples: &Samples,
    (calls, far): (&SampledCalls, u64),
    err: &mut impl Write,
) -> Result<()> {
    let profiles = display_paths(&files.profiles);
    let count = samples.total().unwrap_or(u64::MAX);
    let is_any_call_known = !calls.list().is_empty();
    let is_empty = count == 0 && calls.records == 0;
    if !is_empty && !is_any_call_known && !has_known_samples(symbols, samples) {
        let program = display_path(&files.program);
        let (samples, calls) = (commas(count), commas(calls.records));
        return Err(anyhow!(
            "none of the {samples} samples and {calls} calls is in {program}: {profiles} was probably written by another program"
        ));
    }
    if is_other_range(symbols, samples) || far > calls.records / 2 {
        let program = display_path(&files.program);
        let not = match files.profiles.len() {
            1 => "does not match",
            _ => "do not match",
        };
        let why = "which was probably rebuilt since; names may be wrong";
        message::warn(err, format_args!("{profiles} {not} {program}, {why}"))?;
    }
    if calls.lost > 0 {
        let lost = commas(calls.lost);
        let what = "whose caller or callee is in no function of the program";
        message::warn(
            err,
            format_args!("{profiles}: {lost} calls omitted, {what}"),
        )?;
    }
    Ok(())
}

fn commas(count: u64) -> String {
    with_commas(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Whether any sample is between the first symbol and the end of the last.
fn has_known_samples(symbols: &Symbols, samples: &Samples) -> bool {
    let start = symbols.list.first().map_or(0, |symbol| symbol.address);
    let end = symbols.end.max(symbols.code_end);
    samples.histograms().iter().any(|histogram| {
        let bytes = histogram.scale() * 2.0;
        let address = |bin: u32| {
            histogram
                .start
                .saturating_add((bytes * f64::from(bin)) as u64)
        };
        let is_known = |&(bin, _): &(u32, u64)| {
            address(bin) < end && address(bin).saturating_add(bytes as u64 + 1) > start
        };
        histogram.bins.iter().any(is_known)
    })
}

/// Whether the C library of the program would have recorded another range, with the same start: a program may have other
/// ranges recorded than the C library does.
fn is_other_range(symbols: &Symbols, samples: &Samples) -> bool {
    let Some((start, end)) = symbols.code else {
        return false;
    };
    let expected = (start & !3, end.saturating_add(3) & !3);
    let mut with_bins = samples.histograms().iter().filter(|known| known.size > 0);
    with_bins.any(|known| known.start == expected.0 && known.end != expected.1)
}

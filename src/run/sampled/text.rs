//! gprof's data converted to a profile in Callgrind's format, for the reports that need such a profile.

use anyhow::Result;

use super::load::{Loaded, WantedLines};
use crate::graph::{Groups, components, split};
use crate::options::InputOptions;
use crate::profile::Unit;
use crate::render::with_commas;
use crate::run::message::Messages;
use crate::run::sampled::load::SampledFiles;
use crate::view::{Calls, Microseconds};

/// Reads gprof's data and converts it to a profile; with `inlines`, lines have their start
/// addresses. Also returns whether the data has a histogram of samples.
pub(in crate::run) fn as_callgrind(
    files: &SampledFiles,
    options: &InputOptions,
    messages: &Messages,
) -> Result<(Vec<u8>, bool)> {
    let loaded = Loaded::new(files, &options.program, WantedLines::All, messages)?;
    let has_samples = !loaded.samples.histograms().is_empty();
    Ok((Text::new(&loaded, options.inlines).write(files), has_samples))
}

struct Text<'l> {
    loaded: &'l Loaded,
    unit: Unit,
    costs: Microseconds,
    /// All calls, each with its inclusive cost, and their numbers by the place that makes them.
    calls: Vec<(Calls, u64)>,
    of_places: Groups,
    has_addresses: bool,
}

impl<'l> Text<'l> {
    fn new(loaded: &'l Loaded, has_addresses: bool) -> Text<'l> {
        let costs = Microseconds::new(&loaded.samples, &loaded.places);
        let calls = loaded.calls.list();
        let propagated = propagated(loaded, &calls, &costs);
        let callers = calls.iter().map(|call| Some(call.caller as usize));
        Text {
            loaded,
            of_places: Groups::new(loaded.places.list.len(), callers),
            unit: loaded.samples.unit(),
            calls: calls.into_iter().zip(propagated).collect(),
            costs,
            has_addresses,
        }
    }

    fn write(&self, files: &SampledFiles) -> Vec<u8> {
        let samples = with_commas(self.loaded.samples.total());
        let places = &self.loaded.places;
        let letter = match self.unit.letter {
            letter if letter.is_ascii_alphanumeric() => char::from(letter),
            _ => 's',
        };
        let program = files.object.as_os_str().as_encoded_bytes();
        let each = 1.0 / f64::from(self.unit.rate);
        let unit = [&self.unit.name[..], b" (inclusive costs are estimates)"].concat();
        let mut text = b"version: 1\ncreator: gprof\n".to_vec();
        push_line("cmd: ", program, &mut text);
        let samples = format!("desc: Samples: {samples} of {each} ");
        push_line(&samples, &unit, &mut text);
        let instr = if self.has_addresses { "instr " } else { "" };
        text.extend(format!("positions: {instr}line\nevents: u{letter}\n").bytes());
        push_line("ob=", program, &mut text);
        for place in 0..places.list.len() as u32 {
            self.write_place(place, &mut text);
        }
        if self.costs.elsewhere > 0 {
            let (at, cost) = (self.position(0, 0), self.costs.elsewhere);
            text.extend(format!("fl=???\nfn=???\n{at} {cost}\n").bytes());
        }
        let total = self.costs.of.iter().sum::<u64>() + self.costs.elsewhere;
        text.extend(format!("totals: {total}\n").bytes());
        text
    }

    fn position(&self, address: u64, line: u32) -> String {
        match self.has_addresses {
            true => format!("{address:#x} {line}"),
            false => line.to_string(),
        }
    }

    fn write_place(&self, place: u32, text: &mut Vec<u8>) {
        let places = &self.loaded.places;
        let code = &places.list[place as usize];
        let cost = self.costs.of[place as usize];
        let calls = self.of_places.get(place as usize);
        if cost == 0 && calls.is_empty() {
            return;
        }
        let at = self.position(code.address, code.line);
        let start = code.symbol.and_then(|symbol| places.find_symbol(symbol));
        let start = start.unwrap_or(place as usize);
        let file = |place| places.file(place).unwrap_or(b"???");
        push_line("fl=", file(start), text);
        push_line("fn=", places.name(start), text);
        push_line("fi=", file(place as usize), text);
        if cost > 0 {
            text.extend(format!("{at} {cost}\n").bytes());
        }
        for &call in calls.iter().rev() {
            let (call, cost) = &self.calls[call as usize];
            let callee = call.callee as usize;
            push_line("cfi=", file(callee), text);
            push_line("cfn=", places.name(callee), text);
            let (count, target) = (call.count, &places.list[callee]);
            let target = self.position(target.address, target.line);
            text.extend(format!("calls={count} {target}\n{at} {cost}\n").bytes());
        }
    }
}

/// The inclusive costs of calls: what a function or cycle costs with all that it calls, divided among the calls from
/// outside in proportion to their numbers.
fn propagated(loaded: &Loaded, calls: &[Calls], costs: &Microseconds) -> Vec<u64> {
    // Code before the first symbol is taken as one function.
    let none = loaded.symbols.list.len() as u32;
    let symbol = |place: u32| loaded.places.list[place as usize].symbol.unwrap_or(none);
    let caller = |call: u32| symbol(calls[call as usize].caller);
    let callee = |call: u32| symbol(calls[call as usize].callee);
    let functions = none as usize + 1;
    let numbers = 0..calls.len() as u32;
    let out_of = Groups::new(functions, numbers.clone().map(|call| Some(caller(call) as usize)));
    let into = Groups::new(functions, numbers.map(|call| Some(callee(call) as usize)));
    let mut spent = vec![0; functions];
    for (place, &cost) in (0..).zip(&costs.of) {
        spent[symbol(place) as usize] += i128::from(cost);
    }
    let mut paid = vec![0; calls.len()];
    let mut is_done = vec![false; functions];
    // Callees come first.
    for members in components(&out_of, callee).iter() {
        members.iter().for_each(|&of| is_done[of as usize] = true);
        let count = |call: &u32| i128::from(calls[*call as usize].count);
        let is_entering = |call: &u32| !is_done[caller(*call) as usize] && count(call) > 0;
        let entering = members.iter().flat_map(|&of| into.get(of as usize)).copied();
        let entering: Vec<u32> = entering.filter(is_entering).collect();
        let counts: Vec<i128> = entering.iter().map(count).collect();
        let sum = members.iter().map(|&of| spent[of as usize]).sum();
        for (&call, part) in entering.iter().zip(split(sum, &counts)) {
            paid[call as usize] = part as u64;
            spent[caller(call) as usize] += part;
        }
    }
    paid
}

/// Writes a key and a name, with `?` in place of newlines, which the names of a damaged program may contain.
fn push_line(key: &str, name: &[u8], text: &mut Vec<u8>) {
    text.extend(key.bytes());
    text.extend(name.iter().map(|&byte| match byte {
        b'\n' | b'\r' => b'?',
        byte => byte,
    }));
    text.push(b'\n');
}

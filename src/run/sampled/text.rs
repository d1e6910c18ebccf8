//! gprof's data converted to a profile in Callgrind's format, for the reports that need such a profile.

use anyhow::Result;

use super::load::{Loaded, WantedLines};
use crate::graph::{Groups, split};
use crate::options::InputOptions;
use crate::profile::Unit;
use crate::render::with_commas;
use crate::run::message::Messages;
use crate::run::sampled::load::SampledFiles;
use crate::view::{Amount, Calls, Graph, Microseconds, Selected, calls_of_symbols};

/// Reads gprof's data and converts it to a profile; with `inlines`, lines have their start addresses.
pub(in crate::run) fn as_callgrind(
    files: &SampledFiles,
    options: &InputOptions,
    messages: &Messages,
) -> Result<Vec<u8>> {
    let loaded = Loaded::new(files, &options.program, WantedLines::All, messages)?;
    Ok(Text::new(&loaded, options.inlines).write(files))
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

/// The inclusive costs of calls from lines: the time propagated between functions, in proportion to the calls.
fn propagated(loaded: &Loaded, list: &[Calls], costs: &Microseconds) -> Vec<u64> {
    // Code before the first symbol is taken as one function.
    let none = loaded.symbols.list.len() as u32;
    let symbol = |place: u32| loaded.places.list[place as usize].symbol.unwrap_or(none);
    let calls = calls_of_symbols(&loaded.calls, symbol);
    let mut own = vec![0.0; none as usize + 1];
    for (place, &cost) in (0..).zip(&costs.of) {
        own[symbol(place) as usize] += cost as f64;
    }
    let between = calls.list();
    let graph = Graph::new(&own, &between, &Selected::default());
    let of_symbols = list.iter().map(|call| {
        let ends = (symbol(call.caller), symbol(call.callee));
        calls.between.get_index_of(&ends)
    });
    let of_symbols = Groups::new(between.len(), of_symbols);
    let mut costs = vec![0; list.len()];
    for (call, same) in (0..).zip(of_symbols.iter()) {
        let (own, children) = f64::of_calls(&graph, &[call]);
        let micros = i128::from((own + children).round() as u64);
        let count = |&at: &u32| i128::from(list[at as usize].count);
        let counts: Vec<_> = same.iter().map(count).collect();
        for (&at, part) in same.iter().zip(split(micros, &counts)) {
            costs[at as usize] = part as u64;
        }
    }
    costs
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

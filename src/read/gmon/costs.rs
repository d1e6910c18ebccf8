//! Adds a recording to a profile: a cost for each line with samples, in millionths of their unit,
//! and the calls between functions.
//!
//! What calls cost is not recorded. A function or cycle with all that it calls is paid for by its
//! callers, each in proportion to the number of its calls, as in gprof.

use std::borrow::Cow;
use std::sync::Arc;

use super::recording::{Recording, covered_bins, is_measuring};
use crate::graph::{Groups, components, split};
use crate::profile::{
    AddError, Call, Count, DivideBy, Division, FileId, FunctionId, FunctionKey, LimitExceeded,
    ObjectId, Part, Place, Position, PositionId, ProfileBuilder,
};
use crate::read::ReadOptions;
use crate::read::name_interner::{InternedName, NameInterner};
use crate::read::warning::ErrorKind;

/// What a profile says of where a recording comes from.
#[derive(Clone, Copy)]
pub struct Origin<'o> {
    /// The names of the files.
    pub files: &'o [u8],
    /// The program, which is the object of all functions and the command.
    pub program: &'o [u8],
    /// What was sampled, in words.
    pub description: &'o [u8],
}

/// The file or function of code that is in no source file or no function.
const UNKNOWN: &[u8] = b"???";

impl Recording {
    /// Adds the recording to a profile as a part of its own; if it `has_addresses`, its lines have
    /// their start addresses.
    ///
    /// # Errors
    /// If the profile would have too many events, names or costs. `profile` is then unspecified.
    pub fn add_to(
        &self,
        profile: &mut ProfileBuilder,
        origin: Origin<'_>,
        options: &ReadOptions,
        has_addresses: bool,
    ) -> Result<(), ErrorKind> {
        let costs = Microseconds::new(self);
        let event = self.event();
        let event = profile.add_event(&event).map_err(|LimitExceeded| ErrorKind::ManyEvents)?;
        let part = part(event, &costs, origin);
        if !options.includes(&part, 1) {
            return Ok(());
        }
        let interner = NameInterner::new(profile, options);
        let mut writer = Writer {
            object: profile.add_object(&one_line(origin.program))?,
            division: division(options.detail.divide_by, profile)?,
            keeps_addresses: options.detail.code && has_addresses,
            files: vec![None; self.places.file_count() + 1],
            names: vec![None; self.places.name_count()],
            cost: vec![Count::UNDEFINED; profile.events().len()],
            event,
            recording: self,
            options,
            interner: &interner,
            profile,
        };
        writer.add_all(&costs)?;
        interner.return_to(profile);
        if options.detail.code {
            profile.note_instructions(has_addresses, true);
        }
        Ok(profile.add_part(part).map_err(AddError::from)?)
    }

    /// The name of the event: millionths of the unit, `us` for seconds.
    fn event(&self) -> [u8; 2] {
        let letter = self.samples.unit().letter;
        [b'u', if letter.is_ascii_alphanumeric() { letter } else { b's' }]
    }
}

fn part(event: usize, costs: &Microseconds, origin: Origin<'_>) -> Part {
    let is_any = costs.total() > 0;
    let total = if is_any { Count::new(costs.total().cast_signed()) } else { Count::UNDEFINED };
    Part {
        file: origin.files.into(),
        creator: Some(b"gprof"[..].into()),
        command: Some(one_line(origin.program).into()),
        descriptions: vec![one_line(origin.description).into_owned()],
        columns: vec![event],
        self_cost: vec![total],
        total: vec![total],
        is_calculated: !is_any,
        ..Part::default()
    }
}

/// The division of all code: a recording has one thread and one process without a name, and is one
/// part of the profile.
fn division(by: DivideBy, profile: &mut ProfileBuilder) -> Result<Division, LimitExceeded> {
    match by {
        DivideBy::Thread | DivideBy::Process | DivideBy::Command => profile.add_division(b""),
        DivideBy::Part => {
            let number = profile.part_count() + 1;
            profile.add_division_of_process(number.to_string().as_bytes(), Arc::default())
        }
        DivideBy::Nothing | DivideBy::Inlined | DivideBy::OtherThreads | DivideBy::Levels => {
            Ok(Division::None)
        }
    }
}

/// A name with `?` in place of newlines, which the names of a damaged program may contain: every
/// report has one line for a name.
fn one_line(name: &[u8]) -> Cow<'_, [u8]> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if !name.iter().any(is_break) {
        return name.into();
    }
    name.iter().map(|byte| if is_break(byte) { b'?' } else { *byte }).collect()
}

/// The time of samples by place, in millionths of their unit: integers that add up.
struct Microseconds {
    of: Vec<u64>,
    /// The time of samples outside all places.
    elsewhere: u64,
}

impl Microseconds {
    /// Divides samples among places. The functions that do the profiling cost nothing.
    fn new(recording: &Recording) -> Microseconds {
        let (samples, places) = (&recording.samples, &recording.places);
        let mut costs = Microseconds { of: vec![0; places.list.len()], elsewhere: 0 };
        for histogram in samples.histograms() {
            // `split` rounds up the parts with the largest remainders.
            for bin in covered_bins(histogram, places, 1) {
                let micros = samples.micros(bin.samples);
                if bin.pieces.is_empty() {
                    costs.elsewhere += micros;
                }
                let weights: Vec<_> = bin.pieces.iter().map(|&(_, size)| size.into()).collect();
                for (&(place, _), part) in bin.pieces.iter().zip(split(micros.into(), &weights)) {
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

    fn total(&self) -> u64 {
        self.of.iter().sum::<u64>() + self.elsewhere
    }
}

/// Calls from a place to a function, with what they paid for it.
#[derive(Clone, Copy)]
struct PaidCalls {
    caller: u32,
    callee: u32,
    count: i64,
    cost: u64,
}

/// All calls with their inclusive costs: what a function or cycle costs with all that it calls,
/// divided among the calls from outside in proportion to their numbers.
fn paid_calls(recording: &Recording, costs: &Microseconds) -> Vec<PaidCalls> {
    let mut calls: Vec<PaidCalls> = recording
        .calls
        .between
        .iter()
        .map(|(&(caller, callee), &count)| PaidCalls { caller, callee, count, cost: 0 })
        .collect();
    // Code before the first symbol is taken as one function.
    let none = recording.symbols.list.len() as u32;
    let symbol = |place: u32| recording.places.list[place as usize].symbol.unwrap_or(none);
    let callers: Vec<u32> = calls.iter().map(|call| symbol(call.caller)).collect();
    let callees: Vec<u32> = calls.iter().map(|call| symbol(call.callee)).collect();
    let by_function = |ends: &[u32]| {
        Groups::new(none as usize + 1, ends.iter().map(|&function| Some(function as usize)))
    };
    let (out_of, into) = (by_function(&callers), by_function(&callees));
    let mut spent = vec![0; none as usize + 1];
    for (place, &cost) in (0..).zip(&costs.of) {
        spent[symbol(place) as usize] += i128::from(cost);
    }
    let mut is_done = vec![false; spent.len()];
    // Callees come first.
    for members in components(&out_of, |call| callees[call as usize]).iter() {
        members.iter().for_each(|&member| is_done[member as usize] = true);
        let entering =
            members.iter().flat_map(|&member| into.get(member as usize)).map(|&call| call as usize);
        let is_paid = |&call: &usize| !is_done[callers[call] as usize] && calls[call].count > 0;
        let entering: Vec<usize> = entering.filter(is_paid).collect();
        let counts: Vec<i128> = entering.iter().map(|&call| calls[call].count.into()).collect();
        let sum = members.iter().map(|&member| spent[member as usize]).sum();
        for (&call, part) in entering.iter().zip(split(sum, &counts)) {
            calls[call].cost = part as u64;
            spent[callers[call] as usize] += part;
        }
    }
    calls
}

/// Writes a recording into a profile.
struct Writer<'w> {
    recording: &'w Recording,
    options: &'w ReadOptions,
    profile: &'w mut ProfileBuilder,
    interner: &'w NameInterner,
    object: ObjectId,
    division: Division,
    keeps_addresses: bool,
    /// By number of the file, that of code in no file last, its id in the profile.
    files: Vec<Option<FileId>>,
    /// By number of the name, what it is in the profile.
    names: Vec<Option<InternedName>>,
    event: usize,
    /// A buffer for a cost in the profile's columns.
    cost: Vec<Count>,
}

impl Writer<'_> {
    fn add_all(&mut self, costs: &Microseconds) -> Result<(), AddError> {
        let calls = paid_calls(self.recording, costs);
        let callers = calls.iter().map(|calls| Some(calls.caller as usize));
        let of_places = Groups::new(costs.of.len(), callers);
        // Functions with a cost or a call have numbers before those that are only called.
        let mut from_sites = Vec::new();
        for (place, &cost) in costs.of.iter().enumerate() {
            let of_place = of_places.get(place);
            if cost == 0 && of_place.is_empty() {
                continue;
            }
            let site = self.site(place)?;
            if cost > 0 {
                self.add_cost(site, cost)?;
            }
            for &number in of_place.iter().rev() {
                let calls = calls[number as usize];
                let callee = calls.callee as usize;
                from_sites.push((site, calls, self.file(callee)?, self.name(callee)?));
            }
        }
        if costs.elsewhere > 0 {
            let site = self.site_elsewhere()?;
            self.add_cost(site, costs.elsewhere)?;
        }
        for (site, calls, file, name) in from_sites {
            let key = FunctionKey { object: self.object, file, name: name.id };
            if self.options.detail.calls {
                self.add_calls(site, calls, key, name.is_nested)?;
            } else {
                self.profile.add_cost(site, &[])?;
            }
        }
        Ok(())
    }

    fn add_cost(&mut self, site: Place, cost: u64) -> Result<(), AddError> {
        self.cost[self.event] = Count::new(cost.cast_signed());
        self.profile.add_cost(site, &self.cost)
    }

    fn add_calls(
        &mut self,
        site: Place,
        calls: PaidCalls,
        callee: FunctionKey,
        is_nested: bool,
    ) -> Result<(), AddError> {
        let code = &self.recording.places.list[calls.callee as usize];
        let target = if self.options.detail.targets {
            Position { address: code.address, line: code.line, target: PositionId::UNKNOWN }
        } else {
            Position::default()
        };
        let callee = self.profile.functions().add(callee)?;
        self.profile.functions().set_line(callee, target.line);
        let site = self.site_of_calls(site, target)?;
        self.cost[self.event] = Count::new(calls.cost.cast_signed());
        self.profile.add_call(
            Call { site, callee, is_nested, is_from_nested: false },
            calls.count,
            &self.cost,
        )
    }

    /// Where calls are made: the place, with their target if instructions are kept.
    fn site_of_calls(&mut self, site: Place, target: Position) -> Result<Place, LimitExceeded> {
        if !self.keeps_addresses {
            return Ok(site);
        }
        let target = self.profile.add_position(target)?;
        let position = Position { target, ..self.profile.position(site.position) };
        Ok(Place { position: self.profile.add_position(position)?, ..site })
    }

    /// The place of code in the profile: it belongs to the function in which its symbol begins.
    fn site(&mut self, place: usize) -> Result<Place, LimitExceeded> {
        let places = &self.recording.places;
        let code = &places.list[place];
        let start = code.symbol.and_then(|symbol| places.find_symbol(symbol)).unwrap_or(place);
        let (own_file, name) = (self.file(start)?, self.name(start)?);
        let function = self.profile.functions().add(FunctionKey {
            object: self.object,
            file: own_file,
            name: name.id,
        })?;
        let file = self.file(place)?;
        self.place_in(function, file, code.address, code.line)
    }

    /// The place of code in no function.
    fn site_elsewhere(&mut self) -> Result<Place, LimitExceeded> {
        let file = self.profile.add_file(&self.options.file_name(UNKNOWN))?;
        let name = self.interner.intern(UNKNOWN, false)?;
        let function = self.profile.functions().add(FunctionKey {
            object: self.object,
            file,
            name: name.id,
        })?;
        self.place_in(function, file, 0, 0)
    }

    fn place_in(
        &mut self,
        function: FunctionId,
        file: FileId,
        address: u64,
        line: u32,
    ) -> Result<Place, LimitExceeded> {
        self.profile.functions().mark_named(function);
        let position = if self.keeps_addresses {
            Position { address, line, target: PositionId::UNKNOWN }
        } else {
            Position::of_line(self.options.detail.line(line))
        };
        self.profile.add_place(function, file, position, self.division)
    }

    fn file(&mut self, place: usize) -> Result<FileId, LimitExceeded> {
        let places = &self.recording.places;
        let number = places.file_number(place).map_or(places.file_count(), |file| file as usize);
        if let Some(known) = self.files[number] {
            return Ok(known);
        }
        let name = one_line(places.file(place).unwrap_or(UNKNOWN));
        let file = self.profile.add_file(&self.options.file_name(&name))?;
        self.files[number] = Some(file);
        Ok(file)
    }

    fn name(&mut self, place: usize) -> Result<InternedName, LimitExceeded> {
        let number = self.recording.places.name_number(place);
        if let Some(known) = self.names[number] {
            return Ok(known);
        }
        let name = self.interner.intern(&one_line(self.recording.places.name(place)), true)?;
        self.names[number] = Some(name);
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Unit;
    use crate::program::{NumberLayout, Symbol, Symbols};
    use crate::read::gmon::{GmonFormat, ProgramPlaces};

    /// The data of functions of 16 bytes each: a second in each of them, and a call of each by the
    /// one before.
    fn recording(names: &[&[u8]]) -> Recording {
        let address = |number: usize| 0x1000 + 16 * number as u64;
        let symbol = |(number, name): (usize, &&[u8])| Symbol {
            address: address(number),
            size: 16,
            name: (*name).into(),
            is_local: false,
            is_function: true,
            object: None,
        };
        let end = address(names.len());
        let list = names.iter().enumerate().map(symbol).collect();
        let symbols = Symbols { list, end, code_end: end, ..Symbols::default() };
        let places = ProgramPlaces::functions(&symbols, None, |_| false);
        let layout = NumberLayout { is_wide: true, is_big_endian: false };
        let mut recording = Recording::new(symbols, places, layout);
        let samples = &mut recording.samples;
        let bins = (0..names.len() as u32).map(|bin| (bin, 100)).collect();
        let number = samples.add_histogram((address(0), end), names.len() as u32, Unit::default());
        samples.add_bins(number.unwrap(), bins).unwrap();
        let mut file = b"gmon\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
        for callee in 1..names.len() {
            file.push(1);
            file.extend(address(callee - 1).to_le_bytes());
            file.extend(address(callee).to_le_bytes());
            file.extend(3u32.to_le_bytes());
        }
        recording.read(&file[..], GmonFormat::Auto).unwrap();
        recording
    }

    #[test]
    fn a_symbol_is_a_name_even_if_it_looks_like_a_compressed_one() {
        let names: [&[u8]; 5] = [b"(7)", b"(7) odd", b" blanks ", b"", b"one\nline"];
        let mut profile = ProfileBuilder::default();
        let origin = Origin { files: b"gmon.out", program: b"(1) prog", description: b"" };
        let recording = recording(&names);
        recording.add_to(&mut profile, origin, &ReadOptions::default(), false).unwrap();
        let profile = profile.finish();
        let named: Vec<&[u8]> =
            profile.functions().map(|(_, function)| profile.name(function.name)).collect();
        assert_eq!(named, [&b"(7)"[..], b"(7) odd", b" blanks ", b"", b"one?line"]);
        let calls = profile.calls.iter().enumerate().map(|(number, call)| {
            let caller = profile.fragment(call.site.fragment).function;
            let measured = &profile.sides().new;
            let cost = measured.calls.table.get(number)[0];
            (caller.0, call.callee.0, measured.call_counts[number], cost.or_zero())
        });
        let second = 1_000_000;
        let expected = [
            (0, 1, 3, 4 * second),
            (1, 2, 3, 3 * second),
            (2, 3, 3, 2 * second),
            (3, 4, 3, second),
        ];
        assert_eq!(calls.collect::<Vec<_>>(), expected);
        assert!(profile.functions().all(|(_, of)| profile.object(of.object) == b"(1) prog"));
    }
}

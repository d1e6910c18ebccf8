//! Stacks as a pprof profile (`profile.proto`, compressed with gzip): one sample type per event.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;

use super::folded::{StackOptions, keep_largest};
use crate::profile::{FileId, FunctionId, NameId, ObjectId, Ordered, Profile};
use crate::view::{RowId, Rows, Spot, StackLines, Stacks, basename};

/// Writes the stacks of events, each given with its number; the most expensive stacks are those by the first event.
pub fn write_pprof(
    events: &[(usize, Stacks)],
    lines: &StackLines<'_>,
    rows: &Rows<'_>,
    options: StackOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut values = Ordered::default();
    let (mut of_group, is_group) = (HashMap::new(), rows.row_by.is_group());
    let mut frame = |&function: &FunctionId| match is_group {
        true => *(of_group.entry(rows.of_function(function))).or_insert(function),
        false => function,
    };
    for (at, (_, stacks)) in events.iter().enumerate() {
        stacks.for_each(options.min, options.keeps_all, rows, |path, cost| {
            let mut frames: Vec<FunctionId> = path.iter().map(&mut frame).collect();
            // Consecutive frames of a group are one.
            frames.dedup();
            let values = values.entry(frames);
            values.or_insert_with(|| vec![0; events.len()])[at] += cost;
            Ok::<(), io::Error>(())
        })?;
    }
    let mut values: Vec<(Vec<FunctionId>, Vec<i64>)> = values.into_iter().collect();
    if let Some(top) = options.top {
        keep_largest(&mut values, top, |(_, values)| {
            values.first().copied().unwrap_or_default()
        });
    }
    let (profile, mut writer) = (rows.profile, Writer::new(rows));
    for (at, &(event, _)) in events.iter().enumerate() {
        writer.add_event(profile.events().name(event));
        let stacks = values.iter().map(|(path, values)| (&path[..], values[at]));
        lines.split(event, options.min, stacks, |path, spots, cost| {
            writer.add_sample(path, spots, at, cost);
        });
    }
    let mut out = GzEncoder::new(out, Compression::default());
    out.write_all(&writer.finish(events.len()).bytes)?;
    out.finish().map(drop)
}

/// The size of each object's address range, because pprof identifies code by address alone.
const ADDRESS_RANGE: u64 = 1 << 40;

/// A function in a file, which may not be its own; only the row for a group.
type FunctionKey = (RowId, Option<(NameId, FileId)>);

/// Collects what the message has; everything that samples refer to is numbered from 1 in order of appearance.
struct Writer<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    strings: Ordered<Vec<u8>, ()>,
    /// The name and the unit of each event.
    types: Vec<[u64; 2]>,
    comments: Vec<u64>,
    /// The name of the program itself, if the profile has it.
    program: Option<u64>,
    /// The objects with addresses, numbered from 0, the program itself.
    objects: HashMap<ObjectId, u64>,
    /// The name, the symbol and the file of each function.
    functions: Ordered<FunctionKey, [u64; 3]>,
    /// By object, address and the functions and numbers of lines.
    locations: Ordered<(u64, u64, Vec<[u64; 2]>), ()>,
    /// The values of samples by locations.
    samples: Ordered<Vec<u64>, Vec<i64>>,
}

impl<'p> Writer<'p> {
    fn new(rows: &'p Rows<'p>) -> Writer<'p> {
        let profile = rows.profile;
        let mut writer = Writer {
            profile,
            rows,
            strings: Ordered::default(),
            types: Vec::new(),
            comments: Vec::new(),
            program: None,
            objects: HashMap::new(),
            functions: Ordered::default(),
            locations: Ordered::default(),
            samples: Ordered::default(),
        };
        // The format requires the empty string first.
        writer.string(b"");
        for part in &profile.sides().new.parts {
            if let Some(command) = &part.command {
                let comment = writer.string(command);
                writer.comments.push(comment);
            }
        }
        writer.comments.dedup();
        writer.add_main_object();
        writer
    }

    fn string(&mut self, text: &[u8]) -> u64 {
        self.strings.insert_full(text.to_vec(), ()).0 as u64
    }

    fn add_event(&mut self, name: &[u8]) {
        let event = [self.string(name), self.string(b"count")];
        self.types.push(event);
    }

    fn add_sample(&mut self, path: &[FunctionId], spots: &[Spot], event: usize, cost: i64) {
        // Inlined copies share the location of the function that they are inlined into.
        let mut locations = Vec::with_capacity(path.len());
        let mut end = path.len();
        for start in (0..path.len()).rev() {
            let around = self.profile.inlined_into(path[start]);
            if start == 0 || around != Some(path[start - 1]) {
                locations.push(self.location(&path[start..end], &spots[start..end]));
                end = start;
            }
        }
        let values = self.samples.entry(locations).or_default();
        values.resize(event + 1, 0);
        values[event] += cost;
    }

    /// The location of a function and the copies inlined there, the innermost last.
    fn location(&mut self, functions: &[FunctionId], spots: &[Spot]) -> u64 {
        let innermost_first = functions.iter().zip(spots).rev();
        let lines = innermost_first
            .map(|(&function, spot)| [self.function(function, spot), spot.line.into()]);
        let lines: Vec<_> = lines.collect();
        let mut address = spots.last().map_or(0, |spot| spot.address);
        let mut mapping_id = 0;
        if address > 0 {
            let object = self.profile.function(functions[0]).object;
            let next = (self.objects.len() + usize::from(self.program.is_none())) as u64;
            let object = *self.objects.entry(object).or_insert(next);
            let has_symbols = functions.iter().all(|&function| self.is_symbol(function));
            mapping_id = u64::from(object == 0 && has_symbols);
            address = address.wrapping_add(object * ADDRESS_RANGE);
        }
        let location = (mapping_id, address, lines);
        self.locations.insert_full(location, ()).0 as u64 + 1
    }

    fn function(&mut self, id: FunctionId, spot: &Spot) -> u64 {
        let (row, function) = (self.rows.of_function(id), self.profile.function(id));
        let file = spot.file.unwrap_or(function.file);
        let is_group = self.rows.row_by.is_group();
        let key = (row, (!is_group).then_some((function.name, file)));
        if let Some(known) = self.functions.get_index_of(&key) {
            return known as u64 + 1;
        }
        let mut texts = [self.string(&self.rows.frame_name(row)), 0, 0];
        if !is_group {
            texts[1] = self.string(self.profile.name(function.name));
            texts[2] = self.string(self.profile.file(file));
        }
        self.functions.insert_full(key, texts).0 as u64 + 1
    }

    /// Makes the program itself the only mapping, if the profile has it. pprof disassembles it for `-weblist`; for
    /// libraries, it would need their load addresses.
    fn add_main_object(&mut self) {
        let command = self.profile.command();
        let program = command.and_then(|command| command.split(|&byte| byte == b' ').next());
        let Some(program) = program.map(basename) else {
            return;
        };
        let functions = self.profile.functions();
        let objects = functions.map(|(_, function)| function.object);
        let mut objects = objects.filter_map(|object| {
            let name = self.profile.defined_object(object)?;
            Some((object, name))
        });
        let Some((object, name)) = objects.find(|(_, name)| basename(name) == program) else {
            return;
        };
        self.objects.insert(object, 0);
        self.program = Some(self.string(name));
    }

    /// Whether the name is a symbol. pprof finds functions to disassemble by name, and leaves out others, such as
    /// demangled names of C++ and Rust.
    fn is_symbol(&self, function: FunctionId) -> bool {
        let name = self.profile.name(self.profile.function(function).name);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$".contains(byte);
        name.iter().all(is_part)
    }

    /// The message; each sample gets a value for every event.
    fn finish(self, events: usize) -> Message {
        let mut message = Message::default();
        for &[name, unit] in &self.types {
            message.message(1, &Message::of(&[(1, name), (2, unit)]));
        }
        for (locations, mut values) in self.samples {
            values.resize(events, 0);
            let mut sample = Message::default();
            sample.numbers(1, locations);
            sample.numbers(2, values.into_iter().map(i64::cast_unsigned));
            message.message(2, &sample);
        }
        if let Some(name) = self.program {
            // pprof takes addresses as those in the file, even if it is loaded at a fixed address. Then: there are functions,
            // files, lines and inlined functions.
            let range = [(1, 1), (3, u64::MAX), (5, name)];
            let has = [
                (7, 1),
                (8, 1),
                (9, 1),
                (10, self.profile.has_inlined().into()),
            ];
            message.message(3, &Message::of(&[&range[..], &has].concat()));
        }
        for (id, (mapping, address, lines)) in (1..).zip(self.locations.into_keys()) {
            let mut location = Message::of(&[(1, id), (2, mapping), (3, address)]);
            for [function, line] in lines {
                location.message(4, &Message::of(&[(1, function), (2, line)]));
            }
            message.message(4, &location);
        }
        for (id, [name, symbol, file]) in (1..).zip(self.functions.into_values()) {
            message.message(
                5,
                &Message::of(&[(1, id), (2, name), (3, symbol), (4, file)]),
            );
        }
        for text in self.strings.into_keys() {
            message.bytes_of(6, String::from_utf8_lossy(&text).as_bytes());
        }
        message.numbers(13, self.comments);
        message.number(14, self.types.first().map_or(0, |[name, _]| *name));
        message
    }
}

/// A message in the encoding of Protocol Buffers. Fields are known by their numbers in profile.proto; those that are 0 are
/// left out.
#[derive(Default)]
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// A message of fields with numbers.
    fn of(fields: &[(u64, u64)]) -> Message {
        let mut message = Message::default();
        for &(field, number) in fields {
            message.number(field, number);
        }
        message
    }

    /// Seven bits a byte, the lowest first; the eighth marks that more follow.
    fn push(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn number(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.push(field << 3);
            self.push(number);
        }
    }

    fn bytes_of(&mut self, field: u64, bytes: &[u8]) {
        self.push(field << 3 | 2);
        self.push(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    fn message(&mut self, field: u64, message: &Message) {
        self.bytes_of(field, &message.bytes);
    }

    fn numbers(&mut self, field: u64, numbers: impl IntoIterator<Item = u64>) {
        let mut packed = Message::default();
        numbers.into_iter().for_each(|number| packed.push(number));
        if !packed.bytes.is_empty() {
            self.message(field, &packed);
        }
    }
}

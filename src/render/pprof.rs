//! Stacks as a pprof profile (`profile.proto`, compressed with gzip): one sample type per event.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;
use prost::Message;

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
    let mut frame = |&function: &FunctionId| {
        if is_group {
            *(of_group.entry(rows.of_function(function))).or_insert(function)
        } else {
            function
        }
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
        keep_largest(&mut values, top, |(_, values)| values.first().copied().unwrap_or_default());
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
    out.write_all(&writer.finish(events.len()).encode_to_vec())?;
    out.finish().map(drop)
}

/// The size of each object's address range, because pprof identifies code by address alone.
const ADDRESS_RANGE: u64 = 1 << 40;

/// A function in a file, which may not be its own; only the row for a group.
type FunctionKey = (RowId, Option<(NameId, FileId)>);

/// Builds the message; everything that samples refer to is numbered from 1 in order of appearance.
struct Writer<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    strings: Ordered<Vec<u8>, ()>,
    /// The objects with addresses, numbered from 0, the program itself.
    objects: HashMap<ObjectId, u64>,
    functions: Ordered<FunctionKey, proto::Function>,
    /// By object, address and lines.
    locations: Ordered<(u64, u64, Vec<proto::Line>), proto::Location>,
    /// The values of samples by locations.
    samples: Ordered<Vec<u64>, Vec<i64>>,
    message: proto::Profile,
}

impl<'p> Writer<'p> {
    fn new(rows: &'p Rows<'p>) -> Writer<'p> {
        let profile = rows.profile;
        let mut writer = Writer {
            profile,
            rows,
            strings: Ordered::default(),
            objects: HashMap::new(),
            functions: Ordered::default(),
            locations: Ordered::default(),
            samples: Ordered::default(),
            message: proto::Profile::default(),
        };
        // The format requires the empty string first.
        writer.string(b"");
        for part in &profile.sides().new.parts {
            if let Some(command) = &part.command {
                let comment = writer.string(command);
                writer.message.comment.push(comment);
            }
        }
        writer.message.comment.dedup();
        writer.add_main_object();
        writer
    }

    fn string(&mut self, text: &[u8]) -> i64 {
        self.strings.insert_full(text.to_vec(), ()).0 as i64
    }

    fn add_event(&mut self, name: &[u8]) {
        let (name, unit) = (self.string(name), self.string(b"count"));
        let types = &mut self.message.sample_type;
        types.push(proto::ValueType { r#type: name, unit });
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
        let line = innermost_first.map(|(&function, spot)| proto::Line {
            function_id: self.function(function, spot),
            line: i64::from(spot.line),
        });
        let line: Vec<_> = line.collect();
        let mut address = spots.last().map_or(0, |spot| spot.address);
        let mut mapping_id = 0;
        if address > 0 {
            let object = self.profile.function(functions[0]).object;
            let next = (self.objects.len() + usize::from(self.message.mapping.is_empty())) as u64;
            let object = *self.objects.entry(object).or_insert(next);
            let has_symbols = functions.iter().all(|&function| self.is_symbol(function));
            mapping_id = u64::from(object == 0 && has_symbols);
            address = address.wrapping_add(object * ADDRESS_RANGE);
        }
        let id = self.locations.len() as u64 + 1;
        let location = self.locations.entry((mapping_id, address, line));
        let new = |key: &(_, _, Vec<proto::Line>)| proto::Location {
            id,
            mapping_id,
            address,
            line: key.2.clone(),
        };
        location.or_insert_with_key(new).id
    }

    fn function(&mut self, id: FunctionId, spot: &Spot) -> u64 {
        let (row, function) = (self.rows.of_function(id), self.profile.function(id));
        let file = spot.file.unwrap_or(function.file);
        let is_group = self.rows.row_by.is_group();
        let key = (row, (!is_group).then_some((function.name, file)));
        if let Some(known) = self.functions.get_index_of(&key) {
            return known as u64 + 1;
        }
        let number = self.functions.len() as u64 + 1;
        let mut entry = proto::Function {
            id: number,
            name: self.string(&self.rows.frame_name(row)),
            ..proto::Function::default()
        };
        if !is_group {
            entry.system_name = self.string(self.profile.name(function.name));
            entry.filename = self.string(self.profile.file(file));
        }
        self.functions.insert(key, entry);
        number
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
        let filename = self.string(name);
        self.message.mapping.push(proto::Mapping {
            id: 1,
            // pprof takes these as addresses in the file, even if it is loaded at a fixed address.
            memory_limit: u64::MAX,
            filename,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: self.profile.has_inlined(),
        });
    }

    /// Whether the name is a symbol. pprof finds functions to disassemble by name, and leaves out others, such as
    /// demangled names of C++ and Rust.
    fn is_symbol(&self, function: FunctionId) -> bool {
        let name = self.profile.name(self.profile.function(function).name);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$".contains(byte);
        name.iter().all(is_part)
    }

    /// The message; each sample gets a value for every event.
    fn finish(mut self, events: usize) -> proto::Profile {
        let strings = self.strings.into_keys();
        let strings = strings.map(|text| String::from_utf8_lossy(&text).into_owned());
        self.message.string_table = strings.collect();
        self.message.function = self.functions.into_values().collect();
        let samples = self.samples.into_iter().map(|(location_id, mut value)| {
            value.resize(events, 0);
            proto::Sample { location_id, value }
        });
        self.message.sample = samples.collect();
        self.message.location = self.locations.into_values().collect();
        let first = self.message.sample_type.first();
        self.message.default_sample_type = first.map_or(0, |first| first.r#type);
        self.message
    }
}

/// The messages and fields of profile.proto that are written here.
mod proto {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub(super) sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub(super) sample: Vec<Sample>,
        #[prost(message, repeated, tag = "3")]
        pub(super) mapping: Vec<Mapping>,
        #[prost(message, repeated, tag = "4")]
        pub(super) location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub(super) function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub(super) string_table: Vec<String>,
        #[prost(int64, repeated, tag = "13")]
        pub(super) comment: Vec<i64>,
        #[prost(int64, tag = "14")]
        pub(super) default_sample_type: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct ValueType {
        #[prost(int64, tag = "1")]
        pub(super) r#type: i64,
        #[prost(int64, tag = "2")]
        pub(super) unit: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub(super) location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub(super) value: Vec<i64>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Mapping {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(uint64, tag = "3")]
        pub(super) memory_limit: u64,
        #[prost(int64, tag = "5")]
        pub(super) filename: i64,
        #[prost(bool, tag = "7")]
        pub(super) has_functions: bool,
        #[prost(bool, tag = "8")]
        pub(super) has_filenames: bool,
        #[prost(bool, tag = "9")]
        pub(super) has_line_numbers: bool,
        #[prost(bool, tag = "10")]
        pub(super) has_inline_frames: bool,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(uint64, tag = "2")]
        pub(super) mapping_id: u64,
        #[prost(uint64, tag = "3")]
        pub(super) address: u64,
        #[prost(message, repeated, tag = "4")]
        pub(super) line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, Eq, Hash, Message)]
    pub(super) struct Line {
        #[prost(uint64, tag = "1")]
        pub(super) function_id: u64,
        #[prost(int64, tag = "2")]
        pub(super) line: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Function {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(int64, tag = "2")]
        pub(super) name: i64,
        #[prost(int64, tag = "3")]
        pub(super) system_name: i64,
        #[prost(int64, tag = "4")]
        pub(super) filename: i64,
    }
}

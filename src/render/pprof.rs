//! Stacks as a profile of pprof (`profile.proto`, compressed with gzip): one sample type for each event.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;
use prost::Message;

use super::folded::{StackOptions, keep_largest};
use crate::profile::{FunctionId, ObjectId, Profile};
use crate::view::{RowId, Rows, Stacks, basename};

/// Writes the stacks of several events, each given with its number; the most expensive ones are those of the first event.
pub fn write_pprof(
    events: &[(usize, Stacks)],
    profile: &Profile,
    rows: &Rows<'_>,
    options: StackOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = Writer::new(profile, rows);
    for (at, (event, stacks)) in events.iter().enumerate() {
        writer.add_event(profile.events().name(*event));
        stacks.for_each(options.least, options.keeps_all, rows, |path, cost| {
            writer.add_sample(&writer.frames(path), at, cost);
            Ok::<(), io::Error>(())
        })?;
    }
    if let Some(top) = options.top {
        let first = |sample: &proto::Sample| sample.value.first().copied().unwrap_or_default();
        keep_largest(&mut writer.message.sample, top, first);
    }
    let mut out = GzEncoder::new(out, Compression::default());
    out.write_all(&writer.finish(events.len()).encode_to_vec())?;
    out.finish().map(drop)
}

/// A function with its row, or the row alone if rows are groups of functions.
type Frame = (RowId, Option<FunctionId>);

/// Numbers what samples refer to, from 1, as it comes up.
struct Writer<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    strings: HashMap<Vec<u8>, i64>,
    mappings: HashMap<ObjectId, u64>,
    locations: HashMap<Frame, u64>,
    /// By stack, the number of its sample.
    samples: HashMap<Vec<Frame>, usize>,
    message: proto::Profile,
}

impl<'p> Writer<'p> {
    fn new(profile: &'p Profile, rows: &'p Rows<'p>) -> Writer<'p> {
        let mut writer = Writer {
            profile,
            rows,
            strings: HashMap::new(),
            mappings: HashMap::new(),
            locations: HashMap::new(),
            samples: HashMap::new(),
            message: proto::Profile::default(),
        };
        // The format wants the empty string first.
        writer.string(b"");
        for part in profile.sides().new.parts() {
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
        if let Some(&number) = self.strings.get(text) {
            return number;
        }
        let number = self.strings.len() as i64;
        let table = &mut self.message.string_table;
        table.push(String::from_utf8_lossy(text).into_owned());
        self.strings.insert(text.to_vec(), number);
        number
    }

    /// The frames of a stack. A group that calls itself is one frame.
    fn frames(&self, path: &[FunctionId]) -> Vec<Frame> {
        let are_groups = self.rows.row_by().is_group();
        let frame = |&function: &FunctionId| {
            let row = self.rows.of_function(function);
            (row, (!are_groups).then_some(function))
        };
        let mut frames: Vec<_> = path.iter().map(frame).collect();
        if are_groups {
            frames.dedup();
        }
        frames
    }

    fn add_event(&mut self, name: &[u8]) {
        let (name, unit) = (self.string(name), self.string(b"count"));
        let types = &mut self.message.sample_type;
        types.push(proto::ValueType { r#type: name, unit });
    }

    fn add_sample(&mut self, path: &[Frame], event: usize, cost: i64) {
        let sample = match self.samples.get(path) {
            Some(&sample) => sample,
            None => {
                let leaf_first = path.iter().rev();
                let location_id = leaf_first.map(|&frame| self.location(frame));
                let location_id = location_id.collect();
                let value = Vec::new();
                let samples = &mut self.message.sample;
                samples.push(proto::Sample { location_id, value });
                self.samples.insert(path.to_vec(), samples.len() - 1);
                samples.len() - 1
            }
        };
        let values = &mut self.message.sample[sample].value;
        values.resize(event + 1, 0);
        values[event] += cost;
    }

    /// The location of a frame, which is all of the function or group: stacks have no lines.
    fn location(&mut self, (row, function): Frame) -> u64 {
        if let Some(&number) = self.locations.get(&(row, function)) {
            return number;
        }
        let number = self.locations.len() as u64 + 1;
        self.locations.insert((row, function), number);
        let (profile, rows) = (self.profile, self.rows);
        let mut entry = proto::Function {
            id: number,
            name: self.string(&rows.display_name(row)),
            ..proto::Function::default()
        };
        let mut mapping_id = 0;
        if let Some(function) = function {
            let function = profile.function(function);
            entry.system_name = self.string(profile.name(function.name));
            entry.filename = self.string(profile.file(function.file));
            mapping_id = self.mapping(function.object);
        }
        self.message.function.push(entry);
        let line = vec![proto::Line {
            function_id: number,
        }];
        self.message.location.push(proto::Location {
            id: number,
            mapping_id,
            line,
        });
        number
    }

    /// Makes the program itself the first mapping, as pprof expects it, if the profile has it.
    fn add_main_object(&mut self) {
        let command = self.profile.command();
        let program = command.and_then(|command| command.split(|&byte| byte == b' ').next());
        let Some(program) = program.map(basename) else {
            return;
        };
        let functions = self.profile.functions();
        let mut objects = functions.map(|(_, function)| function.object);
        let is_main = |&object: &ObjectId| {
            let name = self.profile.defined_object(object);
            name.map(basename) == Some(program)
        };
        if let Some(object) = objects.find(is_main) {
            self.mapping(object);
        }
    }

    /// The mapping of an object; 0, none, if the profile has no object for a function.
    fn mapping(&mut self, object: ObjectId) -> u64 {
        let Some(name) = self.profile.defined_object(object) else {
            return 0;
        };
        if let Some(&number) = self.mappings.get(&object) {
            return number;
        }
        let number = self.mappings.len() as u64 + 1;
        self.mappings.insert(object, number);
        let filename = self.string(name);
        self.message.mapping.push(proto::Mapping {
            id: number,
            filename,
            has_functions: true,
        });
        number
    }

    /// The message, each sample with as many values as there are events.
    fn finish(mut self, events: usize) -> proto::Profile {
        for sample in &mut self.message.sample {
            sample.value.resize(events, 0);
        }
        let first = self.message.sample_type.first();
        self.message.default_sample_type = first.map_or(0, |first| first.r#type);
        self.message
    }
}

/// The messages of profile.proto, as far as they are written here.
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
        #[prost(int64, tag = "5")]
        pub(super) filename: i64,
        #[prost(bool, tag = "7")]
        pub(super) has_functions: bool,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(uint64, tag = "2")]
        pub(super) mapping_id: u64,
        #[prost(message, repeated, tag = "4")]
        pub(super) line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Line {
        #[prost(uint64, tag = "1")]
        pub(super) function_id: u64,
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

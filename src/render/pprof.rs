//! Stacks as a pprof profile (profile.proto, compressed with gzip): one sample type per event. What
//! is written of that format is in `proto`.

mod proto;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;
use prost::Message as _;

use self::proto::{BUFFER, Fields, push_bytes, push_number, push_varint};
use super::folded::{StackOptions, keep_largest};
use super::numbered::Numbered;
use crate::profile::{FileId, FunctionId, NameId, ObjectId, Ordered, Profile};
use crate::view::{FrameLine, RowId, Rows, StackLines, Stacks, basename};

/// Writes the stacks of events, each given with its number; the most expensive stacks are those by
/// the first event.
pub fn write_pprof(
    stacks_of_events: Vec<(usize, Stacks)>,
    lines: &StackLines<'_>,
    rows: &Rows<'_>,
    options: StackOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    let numbers: Vec<usize> = stacks_of_events.iter().map(|&(event, _)| event).collect();
    let width = numbers.len();
    let mut paths = Paths::default();
    let mut values: Vec<i64> = Vec::new();
    let (mut of_group, is_group) = (HashMap::new(), rows.row_by.is_group());
    let mut frame = |&function: &FunctionId| {
        if is_group {
            *(of_group.entry(rows.of_function(function))).or_insert(function)
        } else {
            function
        }
    };
    let mut frames: Vec<FunctionId> = Vec::new();
    for (at, (_, stacks)) in stacks_of_events.into_iter().enumerate() {
        stacks.for_each(options.min, options.keeps_all, rows, |path, cost| {
            frames.clear();
            frames.extend(path.iter().map(&mut frame));
            // Consecutive frames of a group are one.
            frames.dedup();
            let number = paths.number(&frames);
            values.resize(paths.ends.len() * width, 0);
            values[number * width + at] += cost;
            Ok::<(), io::Error>(())
        })?;
    }
    let value = |number: usize, at: usize| values[number * width + at];
    let mut kept: Vec<usize> = (0..paths.ends.len()).collect();
    if let Some(top) = options.top {
        keep_largest(&mut kept, top, |&number| value(number, 0));
    }
    let (profile, mut writer) = (rows.profile, Writer::new(rows, width));
    for (at, event) in numbers.into_iter().enumerate() {
        writer.add_event(profile.events().name(event));
        writer.found.clear();
        let for_each_stack = |take: &mut dyn FnMut(&[FunctionId], i64)| {
            let mut path = CurrentPath::default();
            for &number in &kept {
                paths.get(number, &mut path);
                take(&path.functions, value(number, at));
            }
        };
        lines.split(event, options.min, for_each_stack, |path, frame_lines, same, cost| {
            writer.add_sample(path, frame_lines, same, at, cost);
        });
    }
    drop((paths, values));
    let mut out = GzEncoder::new(out, COMPRESSION);
    writer.write(&mut out)?;
    out.finish().map(drop)
}

/// Different call paths, numbered in order of appearance. They share the frames that they begin
/// with, as most paths begin like the one before.
#[derive(Default)]
struct Paths {
    /// The innermost frame of a path, and the number, from 1, of the path above it.
    frames: Numbered<(u32, FunctionId)>,
    /// By frame its depth, from 1.
    depths: Vec<u32>,
    /// By frame the number of the path that ends there, from 1; 0 if none does.
    path_of: Vec<u32>,
    /// By path the number of its innermost frame, from 1.
    ends: Vec<u32>,
    /// The last path, each frame with its number, from 1.
    last: Vec<(FunctionId, u32)>,
}

impl Paths {
    fn number(&mut self, path: &[FunctionId]) -> usize {
        let is_same = |((last, _), frame): &(&(FunctionId, u32), &FunctionId)| last == *frame;
        let same = self.last.iter().zip(path).take_while(is_same).count();
        self.last.truncate(same);
        let mut end = self.last.last().map_or(0, |last| last.1);
        for &frame in &path[same..] {
            end = self.frames.number((end, frame)) + 1;
            self.last.push((frame, end));
            if end as usize > self.depths.len() {
                self.depths.push(self.last.len() as u32);
            }
        }
        self.path_of.resize(self.frames.keys().len() + 1, 0);
        let number = &mut self.path_of[end as usize];
        if *number == 0 {
            self.ends.push(end);
            *number = self.ends.len() as u32;
        }
        *number as usize - 1
    }

    /// Sets `path` to the path of this number. What it shares with the path that it is stays.
    fn get(&self, number: usize, path: &mut CurrentPath) {
        let mut next = self.ends[number];
        let length = next.checked_sub(1).map_or(0, |at| self.depths[at as usize] as usize);
        path.numbers.resize(length, 0);
        path.functions.resize(length, FunctionId(0));
        while let Some(at) = next.checked_sub(1) {
            let depth = self.depths[at as usize] as usize - 1;
            if path.numbers[depth] == next {
                return;
            }
            let (above, function) = self.frames.keys()[at as usize];
            path.numbers[depth] = next;
            path.functions[depth] = function;
            next = above;
        }
    }
}

/// A path, outermost frame first, and the numbers of its frames, from 1.
#[derive(Default)]
struct CurrentPath {
    functions: Vec<FunctionId>,
    numbers: Vec<u32>,
}

/// The size of each object's address range, because pprof identifies code by address alone.
const ADDRESS_RANGE: u64 = 1 << 40;

/// Samples repeat each other: the next better level takes half as long again for a twenty-fifth of
/// the size, and the one below makes the file a fifth larger.
const COMPRESSION: Compression = Compression::new(2);

/// A function in a file, which may not be its own, by the texts of its name as it is displayed and
/// as it was recorded; only the former for a group. Contexts are one function: its callers are in
/// the stacks.
type FunctionByName = (i64, Option<(i64, FileId)>);

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct LineOfFunction {
    function: u32,
    line: u32,
    /// The line where this function is inlined, by its number from 1; 0 if it is not inlined.
    around: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FrameLocation {
    address: u64,
    /// The line of the innermost function.
    line: LineOfFunction,
    is_mapped: bool,
}

/// A stack, innermost frame first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Stack {
    location: u32,
    /// The rest of it, by its number from 1; 0 for the outermost frame.
    callers: u32,
}

/// The frames of a stack that share a location.
struct FoundLocation {
    /// The frame after them.
    end: usize,
    /// The number of the location.
    location: u32,
    /// The number of the stack up to here, from 1; 0 while it has called no other.
    stack: u32,
}

/// Builds the message; everything that samples refer to is numbered from 1 in order of appearance.
struct Writer<'p> {
    profile: &'p Profile,
    rows: &'p Rows<'p>,
    events: usize,
    strings: Ordered<Cow<'p, [u8]>, ()>,
    /// By row, name and file the number of its text; 0 until it is needed, and if it is empty.
    text_of_row: Vec<u32>,
    text_of_name: Vec<u32>,
    text_of_file: Vec<u32>,
    /// The objects with addresses, numbered from 0, the program itself.
    objects: HashMap<ObjectId, u64>,
    functions: Ordered<FunctionByName, proto::Function>,
    /// By function its number, from 1, with its own file; 0 until it is needed.
    in_own_files: Vec<u32>,
    /// The last function in a file that is not its own, with its number.
    last_in_other_file: Option<(FunctionId, FileId, u32)>,
    /// The lines that others are inlined into.
    lines: Numbered<LineOfFunction>,
    locations: Numbered<FrameLocation>,
    /// The stacks that call others, which share them.
    callers: Numbered<Stack>,
    /// The stacks of samples, and by sample the value of each event.
    samples: Numbered<Stack>,
    values: Vec<i64>,
    /// The locations of the last sample, outermost first.
    found: Vec<FoundLocation>,
    /// The functions and lines of the last location.
    innermost_first: Vec<(u32, u32)>,
    message: proto::Profile,
}

impl<'p> Writer<'p> {
    fn new(rows: &'p Rows<'p>, events: usize) -> Writer<'p> {
        let profile = rows.profile;
        let mut writer = Writer {
            profile,
            rows,
            events,
            strings: Ordered::default(),
            text_of_row: vec![0; rows.len()],
            text_of_name: vec![0; profile.names().len()],
            text_of_file: vec![0; profile.file_count()],
            objects: HashMap::new(),
            functions: Ordered::default(),
            in_own_files: vec![0; profile.function_count()],
            last_in_other_file: None,
            lines: Numbered::default(),
            locations: Numbered::default(),
            callers: Numbered::default(),
            samples: Numbered::default(),
            values: Vec::new(),
            found: Vec::new(),
            innermost_first: Vec::new(),
            message: proto::Profile::default(),
        };
        // The format requires the empty string first.
        writer.string(&b""[..]);
        for part in &profile.sides().new.parts {
            if let Some(command) = &part.command {
                let comment = writer.string(&command[..]);
                writer.message.comment.push(comment);
            }
        }
        writer.message.comment.dedup();
        writer.add_main_object();
        writer
    }

    fn string(&mut self, text: impl Into<Cow<'p, [u8]>>) -> i64 {
        self.strings.insert_full(text.into(), ()).0 as i64
    }

    /// The number of the text of a row's name.
    fn row_text(&mut self, row: RowId) -> i64 {
        if self.text_of_row[row.index()] == 0 {
            self.text_of_row[row.index()] = self.string(self.rows.frame_name(row)) as u32;
        }
        self.text_of_row[row.index()].into()
    }

    /// The number of the text of a name as it was recorded, without the callers of its context.
    fn name_text(&mut self, name: NameId) -> i64 {
        if self.text_of_name[name.index()] == 0 {
            self.text_of_name[name.index()] = self.string(self.rows.recorded_name(name)) as u32;
        }
        self.text_of_name[name.index()].into()
    }

    fn file_text(&mut self, file: FileId) -> i64 {
        if self.text_of_file[file.index()] == 0 {
            self.text_of_file[file.index()] = self.string(self.profile.file(file)) as u32;
        }
        self.text_of_file[file.index()].into()
    }

    fn add_event(&mut self, name: &'p [u8]) {
        let (name, unit) = (self.string(name), self.string(&b"count"[..]));
        let types = &mut self.message.sample_type;
        types.push(proto::ValueType { r#type: name, unit });
    }

    /// Adds a sample, whose path is not empty; its first `same` frames are those of the last one.
    fn add_sample(
        &mut self,
        path: &[FunctionId],
        frame_lines: &[FrameLine],
        mut same: usize,
        event: usize,
        cost: i64,
    ) {
        // A location is the same if all of its frames are.
        while same < path.len() && !self.begins_location(path, same) {
            same -= 1;
        }
        let known = self.found.partition_point(|found| found.end <= same);
        self.found.truncate(known);
        let first = self.found.last().map_or(0, |last| last.end);
        let mut end = path.len();
        for start in (first..path.len()).rev() {
            if self.begins_location(path, start) {
                let location = self.location(&path[start..end], &frame_lines[start..end]);
                self.found.push(FoundLocation { end, location, stack: 0 });
                end = start;
            }
        }
        self.found[known..].reverse();
        let Some((innermost, above)) = self.found.split_last_mut() else { return };
        let numbered = above.partition_point(|found| found.stack > 0);
        let mut callers = numbered.checked_sub(1).map_or(0, |last| above[last].stack);
        for found in &mut above[numbered..] {
            callers = self.callers.number(Stack { location: found.location, callers }) + 1;
            found.stack = callers;
        }
        let stack = Stack { location: innermost.location, callers };
        // Of one event, equal stacks follow one another, but for contexts with equal names.
        let sample = match event {
            0 => self.samples.number_of_last(stack),
            _ => self.samples.number(stack),
        } as usize;
        self.values.resize(self.samples.keys().len() * self.events, 0);
        self.values[sample * self.events + event] += cost;
    }

    /// Whether a frame is no inlined copy in the one above, whose location it would share.
    fn begins_location(&self, path: &[FunctionId], at: usize) -> bool {
        let around = self.profile.inlined_into(path[at]);
        at == 0 || around != Some(path[at - 1])
    }

    /// The number of the location of a function and the copies inlined there, the innermost last.
    fn location(&mut self, functions: &[FunctionId], frame_lines: &[FrameLine]) -> u32 {
        let mut lines = std::mem::take(&mut self.innermost_first);
        lines.clear();
        for (at, &function) in functions.iter().enumerate().rev() {
            let frame_line = &frame_lines[at];
            lines.push((self.function(function, frame_line), frame_line.line));
        }
        let mut around = 0;
        for &(function, line) in lines[1..].iter().rev() {
            around = self.lines.number(LineOfFunction { function, line, around }) + 1;
        }
        let (function, line) = lines[0];
        self.innermost_first = lines;
        let mut address = frame_lines.last().map_or(0, |frame_line| frame_line.address);
        let mut is_mapped = false;
        if address > 0 {
            let object = self.profile.function(functions[0]).object;
            let next = (self.objects.len() + usize::from(self.message.mapping.is_empty())) as u64;
            let number = *self.objects.entry(object).or_insert(next);
            is_mapped = number == 0 && functions.iter().all(|&function| self.is_symbol(function));
            address = address.wrapping_add(number * ADDRESS_RANGE);
        }
        let line = LineOfFunction { function, line, around };
        self.locations.number(FrameLocation { address, line, is_mapped })
    }

    /// The number of a function, from 1.
    fn function(&mut self, id: FunctionId, frame_line: &FrameLine) -> u32 {
        let own = self.profile.function(id).file;
        let file = frame_line.file.unwrap_or(own);
        if file != own {
            return match self.last_in_other_file {
                Some((last, of_last, number)) if (last, of_last) == (id, file) => number,
                _ => {
                    let number = self.function_in(id, file);
                    self.last_in_other_file = Some((id, file, number));
                    number
                }
            };
        }
        if self.in_own_files[id.index()] == 0 {
            self.in_own_files[id.index()] = self.function_in(id, file);
        }
        self.in_own_files[id.index()]
    }

    /// The number of a function's code in a file, from 1.
    fn function_in(&mut self, id: FunctionId, file: FileId) -> u32 {
        let name = self.row_text(self.rows.of_function(id));
        let recorded =
            (!self.rows.row_by.is_group()).then(|| self.name_text(self.profile.function(id).name));
        let key = (name, recorded.map(|recorded| (recorded, file)));
        if let Some(known) = self.functions.get_index_of(&key) {
            return known as u32 + 1;
        }
        let number = self.functions.len() as u32 + 1;
        let mut entry = proto::Function { id: number.into(), name, ..Default::default() };
        if let Some(recorded) = recorded {
            entry.system_name = recorded;
            entry.filename = self.file_text(file);
        }
        self.functions.insert(key, entry);
        number
    }

    /// Makes the program itself the only mapping, if the profile has it. pprof disassembles it for
    /// `-weblist`; for libraries, it would need their load addresses.
    fn add_main_object(&mut self) {
        let command = self.profile.command();
        let program = command.and_then(|command| command.split(|&byte| byte == b' ').next());
        let Some(program) = program.map(basename) else {
            return;
        };
        let functions = self.profile.functions();
        let mut objects = functions.map(|(_, function)| function.object).filter_map(|object| {
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

    /// Whether the name is a symbol. pprof finds functions to disassemble by name, and leaves out
    /// others, such as demangled names of C++ and Rust.
    fn is_symbol(&self, function: FunctionId) -> bool {
        let name = self.rows.recorded_name(self.profile.function(function).name);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$".contains(byte);
        name.iter().all(is_part)
    }

    /// Writes the message field by field: a message is what its fields are, one after the other.
    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        let first = self.message.sample_type.first();
        let last = proto::Profile {
            comment: std::mem::take(&mut self.message.comment),
            default_sample_type: first.map_or(0, |first| first.r#type),
            ..proto::Profile::default()
        };
        let sample_type = std::mem::take(&mut self.message.sample_type);
        out.write_all(&proto::Profile { sample_type, ..Default::default() }.encode_to_vec())?;
        let mut fields = Fields { encoded: Vec::with_capacity(BUFFER), out };
        let mut message = EncodedMessage::default();
        let ids = self.location_ids();
        let values = self.values.chunks(self.events.max(1));
        for (&stack, values) in self.samples.keys().iter().zip(values) {
            self.encode_sample(stack, values, &ids, &mut message);
            fields.add_bytes(proto::SAMPLE, &message.bytes)?;
        }
        fields.add_message(&self.message)?;
        for (&id, location) in ids.iter().zip(self.locations.keys()) {
            self.encode_location(id, location, &mut message);
            fields.add_bytes(proto::LOCATION, &message.bytes)?;
        }
        for function in self.functions.values() {
            fields.add(proto::FUNCTION, function)?;
        }
        for text in self.strings.into_keys() {
            fields.add_bytes(proto::STRING, String::from_utf8_lossy(&text).as_bytes())?;
        }
        fields.add_message(&last)?;
        fields.flush()
    }

    /// The ids of locations, from 1. Those that most samples have come first, as small ids take
    /// fewer bytes.
    fn location_ids(&self) -> Vec<u64> {
        let mut samples = vec![0u64; self.locations.keys().len()];
        let mut below = vec![0u64; self.callers.keys().len()];
        for stack in self.samples.keys() {
            samples[stack.location as usize] += 1;
            if let Some(callers) = stack.callers.checked_sub(1) {
                below[callers as usize] += 1;
            }
        }
        // Callers come after those around them.
        for (number, stack) in self.callers.keys().iter().enumerate().rev() {
            samples[stack.location as usize] += below[number];
            if let Some(callers) = stack.callers.checked_sub(1) {
                below[callers as usize] += below[number];
            }
        }
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        order.sort_by_key(|&location| Reverse(samples[location as usize]));
        let mut ids = vec![0; samples.len()];
        (1..).zip(order).for_each(|(id, location)| ids[location as usize] = id);
        ids
    }

    /// Encodes a sample: the locations of its stack, the innermost first, and its values.
    fn encode_sample(
        &self,
        stack: Stack,
        values: &[i64],
        ids: &[u64],
        sample: &mut EncodedMessage,
    ) {
        let EncodedMessage { bytes, numbers, callers, of_callers } = sample;
        if *callers != stack.callers {
            *callers = stack.callers;
            of_callers.clear();
            let mut next = stack.callers;
            while let Some(at) = next.checked_sub(1) {
                let Stack { location, callers } = self.callers.keys()[at as usize];
                push_varint(of_callers, ids[location as usize]);
                next = callers;
            }
        }
        bytes.clear();
        numbers.clear();
        push_varint(numbers, ids[stack.location as usize]);
        numbers.extend_from_slice(of_callers);
        push_bytes(bytes, proto::LOCATION_ID, numbers);
        numbers.clear();
        values.iter().for_each(|value| push_varint(numbers, value.cast_unsigned()));
        push_bytes(bytes, proto::VALUE, numbers);
    }

    /// Encodes a location: its lines, the innermost first.
    fn encode_location(&self, id: u64, location: &FrameLocation, message: &mut EncodedMessage) {
        let EncodedMessage { bytes, numbers, .. } = message;
        bytes.clear();
        push_number(bytes, proto::ID, id);
        push_number(bytes, proto::MAPPING_ID, location.is_mapped.into());
        push_number(bytes, proto::ADDRESS, location.address);
        let mut next = Some(location.line);
        while let Some(LineOfFunction { function, line, around }) = next {
            numbers.clear();
            push_number(numbers, proto::FUNCTION_ID, function.into());
            push_number(numbers, proto::LINE_NUMBER, line.into());
            push_bytes(bytes, proto::LINE, numbers);
            next = around.checked_sub(1).map(|at| self.lines.keys()[at as usize]);
        }
    }
}

/// A sample or location, encoded number by number: nearly all of a profile are these, for which
/// prost takes more than twice the time.
#[derive(Default)]
struct EncodedMessage {
    bytes: Vec<u8>,
    /// The numbers of one field.
    numbers: Vec<u8>,
    /// The callers of the last sample's innermost frame, and their encoded locations: the next
    /// sample is mostly of another line with the same callers.
    callers: u32,
    of_callers: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_numbered_in_order_of_appearance() {
        let mut paths = Paths::default();
        let numbered: [&[u32]; 6] = [&[1, 2], &[1, 2, 3], &[1], &[1, 2], &[4, 2], &[]];
        let all = numbered.map(|path| path.iter().copied().map(FunctionId).collect::<Vec<_>>());
        let numbers = all.each_ref().map(|path| paths.number(path));
        assert_eq!(numbers, [0, 1, 2, 0, 3, 4]);
        let mut found = CurrentPath::default();
        for order in [[0, 1, 2, 3, 4, 5], [5, 4, 1, 0, 2, 1]] {
            for at in order {
                paths.get(numbers[at], &mut found);
                assert_eq!(found.functions, all[at]);
            }
        }
    }
}

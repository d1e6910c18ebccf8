//! The functions that were inlined at an address, and the identity of functions.
//!
//! addr2line finds the debug information entries of an address; this reads what it does not report:
//! whether two entries are of the same function, and in which file that was declared.

use std::ops::Range;
use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Unit, UnitOffset};
use hashbrown::{DefaultHashBuilder, HashMap};

use crate::program::address_table::AtAddress;
use crate::program::nesting::Slice;
use crate::program::scopes::Scopes;
use crate::program::sections::DwarfEntry;
use crate::program::votes::{Votes, winners};
use crate::program::{Lines, ProgramError};

type IndexMap<K, V> = indexmap::IndexMap<K, V, DefaultHashBuilder>;
type IndexSet<K> = indexmap::IndexSet<K, DefaultHashBuilder>;

/// A function, as the debug information identifies it.
pub struct InlinedFunction {
    /// The linker name, or else the scopes and the name in the source.
    pub name: String,
    pub is_symbol: bool,
    /// The file of its declaration, if known.
    declared: Option<u32>,
    /// The entry of its declaration.
    entry: usize,
    /// The name in the source, without scopes.
    in_source: Option<String>,
}

/// The identity of a function: its linker name, or else its name and declaration, or else its
/// entry.
#[derive(PartialEq, Eq, Hash)]
pub enum Identity {
    Symbol(String),
    Declared(String, u32, u64),
    Entry(usize),
}

/// An inlined copy of a function, in place of one call.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    pub function: u32,
    /// The enclosing instance; none if it is inlined directly into a function.
    pub outer: Option<u32>,
    pub call_file: Option<u32>,
    /// The line of that call, 0 if unknown.
    pub call_line: u32,
}

/// Looks up addresses, and numbers the functions, instances and files found.
pub struct Inlines<'l, 's> {
    lines: &'l Lines<'s>,
    /// The headers of the units with their offsets, sorted.
    headers: Vec<(usize, gimli::UnitHeader<Slice<'s>>)>,
    units: HashMap<usize, Rc<Unit<Slice<'s>>>>,
    scopes: Scopes<'l, 's>,
    pub functions: IndexMap<Identity, InlinedFunction>,
    function_of_entry: HashMap<usize, u32>,
    /// By entry what it and those that it refers to say.
    described: HashMap<usize, Description>,
    /// The instances found so far, by entry; outer ones come first.
    pub instances: IndexMap<usize, Instance>,
    pub files: IndexSet<String>,
    file_of_index: HashMap<(usize, u64), Option<u32>>,
    /// For functions without a declared file, the number of addresses in each file.
    votes: Votes<u32>,
    /// Whether some of the debug information is in other files (`.dwo`, `dwz -m`), which are not
    /// read.
    pub is_split: bool,
    /// Whether functions are nested too deeply at an address that was looked up.
    pub is_too_deep: bool,
    /// Whether entries of a function without a name refer to each other in a circle.
    pub has_circle: bool,
    /// The function with the code at the last address.
    last_host: Option<Host>,
}

/// What an entry and those that it refers to say of a function: the first of each.
#[derive(Clone, Default)]
struct Description {
    name: Option<Rc<str>>,
    symbol: Option<Rc<str>>,
    /// The file and line of the declaration.
    declared: Option<(u32, u64)>,
    /// The last one of these entries.
    last: usize,
    /// Whether the last one refers to one before it.
    is_circle: bool,
}

/// A function that is not inlined, in its unit.
struct Host {
    unit: DebugInfoOffset,
    entry: UnitOffset,
    /// The addresses around the one that it was found at.
    addresses: Range<u64>,
}

impl<'l, 's> Inlines<'l, 's> {
    pub fn new(lines: &'l Lines<'s>) -> Result<Inlines<'l, 's>, ProgramError> {
        let mut headers = Vec::new();
        let mut units = lines.dwarf.units();
        while let Some(header) = units.next()? {
            headers.extend(header.debug_info_offset().map(|offset| (offset.0, header)));
        }
        Ok(Inlines {
            lines,
            headers,
            units: HashMap::new(),
            scopes: Scopes::new(lines),
            functions: IndexMap::default(),
            function_of_entry: HashMap::new(),
            described: HashMap::new(),
            instances: IndexMap::default(),
            files: IndexSet::default(),
            file_of_index: HashMap::new(),
            votes: Votes::default(),
            is_split: false,
            is_too_deep: false,
            has_circle: false,
            last_host: None,
        })
    }

    /// The file of each function: that of its declaration, or else the one of most of its
    /// addresses.
    pub fn files_of_functions(&self) -> Vec<Option<u32>> {
        let name = |file: u32| (self.files[file as usize].as_str(), file);
        let voted = winners(&self.votes, self.functions.len(), name).into_iter();
        let of_function = |(function, voted): (&InlinedFunction, Option<(&str, u32)>)| {
            function.declared.or(voted.map(|(_, file)| file))
        };
        let functions = self.functions.values();
        functions.zip(voted).map(of_function).collect()
    }

    /// The functions and line at an address; none if the debug information does not cover it. Where
    /// functions are nested too deeply, only the line is read.
    pub fn find(&mut self, address: u64) -> Option<AtAddress> {
        if self.lines.is_too_deep(address)? {
            self.is_too_deep = true;
            let lines = self.lines;
            let (file, line) = lines.find(address)?;
            let file = Some(self.file(file));
            return Some(AtAddress { instance: None, host: None, file, line });
        }
        let found = self.look_up(address).inspect_err(|_| self.lines.is_damaged.set(true));
        found.ok().flatten()
    }

    fn look_up(&mut self, address: u64) -> Result<Option<AtAddress>, gimli::Error> {
        let context = &self.lines.context;
        let mut frames = context.find_frames(address).skip_all_loads()?;
        let mut found = Vec::new();
        while let Some(frame) = frames.next()? {
            let (file, line) = match &frame.location {
                Some(location) => (location.file, location.line.unwrap_or(0)),
                None => (None, 0),
            };
            found.push((frame.dw_die_offset, file.map(|file| self.file(file)), line));
        }
        let Some(&(_, file, line)) = found.first() else {
            return Ok(None);
        };
        let outermost = found.last().and_then(|&(offset, ..)| offset);
        // Finding the unit takes as long as finding all functions.
        let of_last = self
            .last_host
            .as_ref()
            .filter(|host| Some(host.entry) == outermost && host.addresses.contains(&address));
        let is_in_last = of_last.is_some();
        let unit = match of_last {
            Some(host) => Some((Some(host.unit), false)),
            None => {
                let unit = context.find_dwarf_and_unit(address).skip_all_loads();
                unit.map(|unit| (unit.header.debug_info_offset(), unit.dwo_id.is_some()))
            }
        };
        let mut at = AtAddress { instance: None, host: None, file, line };
        let Some((Some(unit), is_split)) = unit else {
            return Ok(Some(at));
        };
        self.is_split |= is_split;
        let entry = |offset: Option<UnitOffset>| offset.map(|offset| unit.0 + offset.0);
        let Some(host) = entry(outermost).filter(|_| !is_split) else {
            return Ok(Some(at));
        };
        if !is_in_last {
            self.last_host = self.host_at(unit, host, address);
        }
        let host = self.function_of(host)?;
        at.host = Some(host);
        // From the outermost frame inwards: the line of the outer frame is that of the inner one's
        // call.
        for (inner, outer) in found.iter().zip(&found[1..]).rev() {
            let Some(entry) = entry(inner.0) else {
                break;
            };
            let instance = self.instance(entry, at.instance, (outer.1, outer.2))?;
            at.instance = Some(instance);
            let function = self.instances[instance as usize].function;
            if let (None, Some(file)) = (self.functions[function as usize].declared, inner.1) {
                self.votes.add(function, file);
            }
        }
        Ok(Some(at))
    }

    /// The function of an entry of a unit that has the code at an address; none if its addresses
    /// are unknown.
    fn host_at(&mut self, unit: DebugInfoOffset, entry: usize, address: u64) -> Option<Host> {
        let (of_entry, offset) = self.unit_of(entry).ok()?;
        let found = of_entry.entry(offset).ok()?;
        let mut ranges = self.lines.dwarf.die_ranges(&of_entry, &found).ok()?;
        while let Some(range) = ranges.next().ok()? {
            let addresses = range.begin..range.end;
            if addresses.contains(&address) {
                return Some(Host { unit, entry: offset, addresses });
            }
        }
        None
    }

    /// The number of an entry's instance, which is in place of the call at this file and line.
    fn instance(
        &mut self,
        entry: usize,
        outer: Option<u32>,
        (call_file, call_line): (Option<u32>, u32),
    ) -> Result<u32, gimli::Error> {
        if let Some(known) = self.instances.get_index_of(&entry) {
            return Ok(known as u32);
        }
        let instance = Instance { function: self.function_of(entry)?, outer, call_file, call_line };
        Ok(self.instances.insert_full(entry, instance).0 as u32)
    }

    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.get_index_of(name);
        known.unwrap_or_else(|| self.files.insert_full(name.to_owned()).0) as u32
    }

    fn unit_of(&mut self, entry: usize) -> Result<(Rc<Unit<Slice<'s>>>, UnitOffset), gimli::Error> {
        let after = self.headers.partition_point(|&(start, _)| start <= entry);
        let none = gimli::Error::NoEntryAtGivenOffset(entry as u64);
        let (start, header) = self.headers[after.checked_sub(1).ok_or(none)?];
        if !self.units.contains_key(&start) {
            let unit = Rc::new(self.lines.dwarf.unit(header)?);
            self.units.insert(start, unit);
        }
        Ok((Rc::clone(&self.units[&start]), UnitOffset(entry - start)))
    }

    /// The number of an entry's function, following the entries that it refers to.
    fn function_of(&mut self, entry: usize) -> Result<u32, gimli::Error> {
        if let Some(&known) = self.function_of_entry.get(&entry) {
            return Ok(known);
        }
        let Description { name, symbol, declared, last, is_circle } = self.describe(entry)?;
        let is_symbol = symbol.is_some();
        let (identity, full) = match symbol {
            Some(symbol) => (Identity::Symbol(symbol.to_string()), symbol.to_string()),
            None => {
                self.has_circle |= is_circle && name.is_none();
                let scope = self.scope_of(last)?.unwrap_or_default();
                let full = scope.to_string() + name.as_deref().unwrap_or("???");
                let identity = match declared {
                    Some((file, line)) => Identity::Declared(full.clone(), file, line),
                    None => Identity::Entry(last),
                };
                (identity, full)
            }
        };
        let known = self.functions.entry(identity);
        let function = known.index() as u32;
        known.or_insert(InlinedFunction {
            name: full,
            is_symbol,
            declared: declared.map(|(file, _)| file),
            entry: last,
            in_source: name.map(|name| name.to_string()),
        });
        self.function_of_entry.insert(entry, function);
        Ok(function)
    }

    /// What an entry and those that it refers to say, however many these are: each is read once.
    fn describe(&mut self, entry: usize) -> Result<Description, gimli::Error> {
        let mut way = Vec::new();
        let mut at = entry;
        let mut described = loop {
            if let Some(known) = self.described.get(&at) {
                break known.clone();
            }
            // An entry that is met again before the end of the way has this.
            let circle = Description { last: at, is_circle: true, ..Description::default() };
            self.described.insert(at, circle);
            let (own, next) = self.describe_alone(at)?;
            match next {
                Some(next) => {
                    way.push((at, own));
                    at = next;
                }
                None => {
                    self.described.insert(at, own.clone());
                    break own;
                }
            }
        };
        for (at, own) in way.into_iter().rev() {
            described = Description {
                name: own.name.or(described.name),
                symbol: own.symbol.or(described.symbol),
                declared: own.declared.or(described.declared),
                ..described
            };
            self.described.insert(at, described.clone());
        }
        Ok(described)
    }

    /// What an entry says by itself, and the one that it refers to.
    fn describe_alone(&mut self, at: usize) -> Result<(Description, Option<usize>), gimli::Error> {
        let (unit, offset) = self.unit_of(at)?;
        let found = unit.entry(offset)?;
        let mut declared = None;
        if let Some(AttributeValue::FileIndex(index)) = found.attr_value(gimli::DW_AT_decl_file) {
            let number = found.attr_value(gimli::DW_AT_decl_line);
            let line = number.and_then(|number| number.udata_value()).unwrap_or(0);
            let file = self.file_of_index(at - offset.0, &unit, index)?;
            declared = file.map(|file| (file, line));
        }
        self.is_split |= is_elsewhere(&found);
        let own = Description {
            name: self.lines.text(&unit, &found, gimli::DW_AT_name).map(Rc::from),
            symbol: self.symbol(&unit, &found).map(Rc::from),
            declared,
            last: at,
            is_circle: false,
        };
        Ok((own, next(&unit, &found)))
    }

    /// Replaces unreadable linker names of functions by scopes and names of the source.
    pub fn name_as_in_source(&mut self, is_unreadable: impl Fn(&InlinedFunction) -> bool) {
        for number in 0..self.functions.len() {
            let function = &self.functions[number];
            if let Some(name) = function.in_source.clone()
                && is_unreadable(function)
                && let Ok(scope) = self.scope_of(function.entry)
            {
                let function = &mut self.functions[number];
                function.name = scope.unwrap_or_default().to_string() + &name;
                function.is_symbol = false;
            }
        }
    }

    fn scope_of(&mut self, entry: usize) -> Result<Option<Rc<str>>, gimli::Error> {
        let (unit, offset) = self.unit_of(entry)?;
        self.scopes.of(entry, &unit, entry - offset.0)
    }

    fn symbol(&self, unit: &Unit<Slice<'s>>, entry: &DwarfEntry<'s>) -> Option<String> {
        let names = [gimli::DW_AT_linkage_name, gimli::DW_AT_MIPS_linkage_name];
        names.iter().find_map(|&name| self.lines.text(unit, entry, name))
    }

    /// The file with this index in a unit's list.
    fn file_of_index(
        &mut self,
        start: usize,
        unit: &Unit<Slice<'s>>,
        index: u64,
    ) -> Result<Option<u32>, gimli::Error> {
        if let Some(&known) = self.file_of_index.get(&(start, index)) {
            return Ok(known);
        }
        let path = file_path(&self.lines.dwarf, unit, index)?;
        let file = path.map(|path| self.file(&path));
        self.file_of_index.insert((start, index), file);
        Ok(file)
    }
}

/// Whether an entry's name, origin or declaration is in another file.
fn is_elsewhere(entry: &DwarfEntry<'_>) -> bool {
    let attributes = [gimli::DW_AT_name, gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
    use AttributeValue::{DebugInfoRefSup, DebugStrRefSup};
    let mut values = attributes.iter().filter_map(|&name| entry.attr_value(name));
    values.any(|value| matches!(value, DebugInfoRefSup(_) | DebugStrRefSup(_)))
}

/// The entry with attributes that this one of the same function lacks.
fn next(unit: &Unit<Slice<'_>>, entry: &DwarfEntry<'_>) -> Option<usize> {
    let origin = entry.attr_value(gimli::DW_AT_abstract_origin);
    match origin.or_else(|| entry.attr_value(gimli::DW_AT_specification))? {
        AttributeValue::UnitRef(offset) => Some(offset.to_debug_info_offset(&unit.header)?.0),
        AttributeValue::DebugInfoRef(DebugInfoOffset(offset)) => Some(offset),
        _ => None,
    }
}

/// The path of a file in a unit's list: relative to its folder, and that relative to the
/// compilation directory.
fn file_path(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    index: u64,
) -> Result<Option<String>, gimli::Error> {
    let header = unit.line_program.as_ref().map(|program| program.header());
    let file = header.and_then(|header| Some((header, header.file(index)?)));
    let Some((header, file)) = file else {
        return Ok(None);
    };
    let folder = file.directory(header).filter(|_| file.directory_index() != 0);
    let own = unit.comp_dir.map(|dir| dir.to_string_lossy().into_owned());
    let mut path = own.unwrap_or_default();
    for part in folder.into_iter().chain([file.path_name()]) {
        let part = dwarf.attr_string(unit, part)?.to_string_lossy();
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(&part);
    }
    Ok(Some(path))
}

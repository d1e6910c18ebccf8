//! The functions that were inlined at an address, and the identity of functions.
//!
//! addr2line finds the debug information entries of an address; this reads what it does not report:
//! whether two entries are of the same function, and in which scope and file that was declared.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::Range;
use std::rc::Rc;

use gimli::{AttributeValue, DebugInfoOffset, Unit, UnitOffset};
use hashbrown::{DefaultHashBuilder, HashMap};

use crate::program::nesting::Slice;
use crate::program::sections::is_mangled;
use crate::program::{Lines, ProgramError};

type IndexMap<K, V> = indexmap::IndexMap<K, V, DefaultHashBuilder>;
type IndexSet<K> = indexmap::IndexSet<K, DefaultHashBuilder>;
type DwarfEntry<'s> = gimli::DebuggingInformationEntry<Slice<'s>>;

/// The length of a scope in bytes from which scopes in it are not added: the names of deeply nested
/// scopes take the square of their depth.
const MAX_SCOPE: usize = 16 << 10;

/// The entries that are scopes of others. Most entries are none, and are only stepped over.
const SCOPES: [gimli::DwTag; 6] = [
    gimli::DW_TAG_namespace,
    gimli::DW_TAG_union_type,
    gimli::DW_TAG_enumeration_type,
    gimli::DW_TAG_class_type,
    gimli::DW_TAG_structure_type,
    gimli::DW_TAG_subprogram,
];

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

/// What the debug information says of an address.
pub struct AtAddress {
    /// The innermost instance; none if nothing was inlined.
    pub instance: Option<u32>,
    /// The function whose code contains the address, inlined or not.
    pub host: Option<u32>,
    pub file: Option<u32>,
    /// The source line, 0 if unknown.
    pub line: u32,
}

/// What the debug information has at the addresses of an object. Addresses that follow one another
/// are found fastest.
#[derive(Default)]
pub struct AddressTable {
    /// Sorted.
    addresses: Vec<u64>,
    found: Vec<AtAddress>,
    /// The number of the address that was found last.
    last: Cell<usize>,
}

impl AddressTable {
    /// A table of different addresses, which are sorted.
    pub fn new(found: impl Iterator<Item = (u64, AtAddress)>) -> AddressTable {
        let (addresses, found) = found.unzip();
        AddressTable { addresses, found, last: Cell::new(0) }
    }

    pub fn get(&self, address: u64) -> Option<&AtAddress> {
        let last = self.last.get();
        let is_it = |&number: &usize| self.addresses.get(number) == Some(&address);
        let near = [last, last + 1].into_iter().find(is_it);
        let number = near.or_else(|| self.addresses.binary_search(&address).ok())?;
        self.last.set(number);
        Some(&self.found[number])
    }

    pub fn values(&self) -> impl Iterator<Item = &AtAddress> {
        self.found.iter()
    }
}

/// Looks up addresses, and numbers the functions, instances and files found.
pub struct Inlines<'l, 's> {
    lines: &'l Lines<'s>,
    /// The headers of the units with their offsets, sorted.
    headers: Vec<(usize, gimli::UnitHeader<Slice<'s>>)>,
    units: HashMap<usize, Rc<Unit<Slice<'s>>>>,
    /// By unit the scopes of its functions, by entry.
    scopes: HashMap<usize, HashMap<usize, Rc<str>>>,
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
            scopes: HashMap::new(),
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
            name: self.text(&unit, &found, gimli::DW_AT_name).map(Rc::from),
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

    fn symbol(&self, unit: &Unit<Slice<'s>>, entry: &DwarfEntry<'s>) -> Option<String> {
        let names = [gimli::DW_AT_linkage_name, gimli::DW_AT_MIPS_linkage_name];
        names.iter().find_map(|&name| self.text(unit, entry, name))
    }

    fn text(
        &self,
        unit: &Unit<Slice<'s>>,
        entry: &DwarfEntry<'s>,
        name: gimli::DwAt,
    ) -> Option<String> {
        let text = self.lines.dwarf.attr_string(unit, entry.attr_value(name)?);
        Some(text.ok()?.to_string_lossy().into_owned())
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

    /// The scopes in which a function was declared, each followed by `::`.
    fn scope_of(&mut self, entry: usize) -> Result<Option<Rc<str>>, gimli::Error> {
        let (unit, offset) = self.unit_of(entry)?;
        let start = entry - offset.0;
        if !self.scopes.contains_key(&start) {
            let scopes = self.scopes_of_unit(&unit, start)?;
            self.scopes.insert(start, scopes);
        }
        Ok(self.scopes[&start].get(&entry).cloned())
    }

    /// The scopes of all functions of a unit that have any. Classes of lambdas have numbers for
    /// names.
    fn scopes_of_unit(
        &self,
        unit: &Unit<Slice<'s>>,
        start: usize,
    ) -> Result<HashMap<usize, Rc<str>>, gimli::Error> {
        let mut scopes = HashMap::new();
        let mut entries = unit.entries_raw(None)?;
        // By depth the scopes of the entries there.
        let mut outer: Vec<Rc<Scope>> = Vec::new();
        // By scope the number of its unnamed classes.
        let mut unnamed: HashMap<Rc<str>, u32> = HashMap::new();
        while !entries.is_empty() {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            let depth = usize::try_from(depth).unwrap_or(0);
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            entries.skip_attributes(abbreviation.attributes())?;
            if depth == 0 {
                let language = unit.entry(offset)?.attr_value(gimli::DW_AT_language);
                if let Some(AttributeValue::Language(language)) = language
                    && !is_mangled(Some(language))
                {
                    break;
                }
            }
            outer.truncate(depth);
            let last = outer.last();
            if !SCOPES.contains(&abbreviation.tag()) {
                outer.push(last.map(Rc::clone).unwrap_or_default());
                continue;
            }
            let mut around = last.map(|last| self.text_of(last, unit)).unwrap_or_default();
            let text = OnceCell::new();
            match abbreviation.tag() {
                gimli::DW_TAG_subprogram => {
                    // A method defined outside its class has name and scope at its declaration.
                    let declaration = declaration(&unit.entry(offset)?);
                    if let Some(outer) = declaration.and_then(|at| scopes.get(&(start + at.0))) {
                        around = Rc::clone(outer);
                    }
                    if !around.is_empty() {
                        scopes.insert(start + offset.0, Rc::clone(&around));
                    }
                }
                gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type
                    if unit.entry(offset)?.attr(gimli::DW_AT_name).is_none() =>
                {
                    let number = unnamed.entry(Rc::clone(&around)).or_default();
                    *number += 1;
                    let is_local = around.ends_with("()::");
                    let name = is_local.then(|| format!("<lambda#{number}>"));
                    let _ = text.set(below(&around, name));
                }
                _ => {}
            }
            outer.push(Rc::new(Scope { around, entry: Some(offset), text }));
        }
        Ok(scopes)
    }

    /// The text of a scope, which ends with `::` unless it is empty.
    fn text_of(&self, scope: &Scope, unit: &Unit<Slice<'s>>) -> Rc<str> {
        let name = || self.name_of_scope(unit, scope.entry?);
        Rc::clone(scope.text.get_or_init(|| below(&scope.around, name())))
    }

    /// The name that the entry of a scope adds to the scope around it.
    fn name_of_scope(&self, unit: &Unit<Slice<'s>>, at: UnitOffset) -> Option<String> {
        let entry = unit.entry(at).ok()?;
        let name = self.text(unit, &entry, gimli::DW_AT_name);
        match entry.tag() {
            gimli::DW_TAG_namespace => name.or_else(|| Some("(anonymous namespace)".to_owned())),
            gimli::DW_TAG_subprogram => {
                let declared = || {
                    let declared = unit.entry(declaration(&entry)?).ok()?;
                    self.text(unit, &declared, gimli::DW_AT_name)
                };
                name.or_else(declared).map(|name| name + "()")
            }
            _ => name,
        }
    }
}

/// A scope. Its text is made when something in it needs that, as most functions and classes are the
/// scope of nothing.
#[derive(Default)]
struct Scope {
    /// The text of the scopes around it.
    around: Rc<str>,
    entry: Option<UnitOffset>,
    text: OnceCell<Rc<str>>,
}

/// The text of a scope with this name in others, unless these are too long.
fn below(around: &Rc<str>, name: Option<String>) -> Rc<str> {
    match name {
        Some(name) if around.len() < MAX_SCOPE => Rc::from(format!("{around}{name}::")),
        _ => Rc::clone(around),
    }
}

/// The offset in its unit of the declaration that an entry defines, if any.
fn declaration(entry: &DwarfEntry<'_>) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_specification)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// By number and value the number of addresses that have it.
pub struct Votes<T> {
    counts: HashMap<(u32, T), usize>,
    /// The last value, and how many addresses in a row have it: most have that of the address
    /// before.
    last: Option<((u32, T), usize)>,
}

impl<T> Default for Votes<T> {
    fn default() -> Votes<T> {
        Votes { counts: HashMap::new(), last: None }
    }
}

impl<T: Copy + Eq + Hash> Votes<T> {
    /// Counts an address that has a value.
    pub fn add(&mut self, number: u32, value: T) {
        let key = (number, value);
        match &mut self.last {
            Some((last, votes)) if *last == key => *votes += 1,
            _ => {
                if let Some((last, votes)) = self.last.replace((key, 1)) {
                    *self.counts.entry(last).or_default() += votes;
                }
            }
        }
    }
}

/// By number the value with the most votes, the lowest one of equal ones.
pub fn winners<T: Copy, V: Ord + Copy>(
    votes: &Votes<T>,
    numbers: usize,
    value: impl Fn(T) -> V,
) -> Vec<Option<V>> {
    let mut sums: BTreeMap<(u32, V), usize> = BTreeMap::new();
    let counts = votes.counts.iter().map(|(&key, &votes)| (key, votes));
    for ((number, of), votes) in counts.chain(votes.last) {
        *sums.entry((number, value(of))).or_default() += votes;
    }
    let mut best: Vec<Option<(usize, V)>> = vec![None; numbers];
    for ((number, value), votes) in sums {
        let best = &mut best[number as usize];
        if best.is_none_or(|(most, _)| votes > most) {
            *best = Some((votes, value));
        }
    }
    best.into_iter().map(|best| Some(best?.1)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_any_order() {
        let at = |line| AtAddress { instance: None, host: None, file: None, line };
        let table = AddressTable::new((1..=5).map(|number| (u64::from(number) * 4, at(number))));
        let line = |address| table.get(address).map(|at| at.line);
        for (address, expected) in [
            (4, Some(1)),
            (8, Some(2)),
            (8, Some(2)),
            (20, Some(5)),
            (24, None),
            (12, Some(3)),
            (6, None),
            (16, Some(4)),
            (0, None),
        ] {
            assert_eq!(line(address), expected, "{address}");
        }
        assert_eq!(AddressTable::default().get(4).map(|at| at.line), None);
    }

    #[test]
    fn the_value_with_most_votes_wins_in_whatever_order_they_come() {
        let of = |values: &[&'static str]| {
            let mut votes = Votes::default();
            values.iter().for_each(|&value| votes.add(1, value));
            winners(&votes, 2, |value| value)
        };
        for values in [&["b", "a", "b"], &["b", "b", "a"], &["a", "b", "b"]] {
            assert_eq!(of(values), [None, Some("b")]);
        }
        assert_eq!(of(&["b", "a"]), [None, Some("a")]);
        assert_eq!(of(&[]), [None, None]);
    }
}

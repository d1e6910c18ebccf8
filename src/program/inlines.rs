//! The functions that were inlined at an address, and the identity of functions: whether two
//! entries of the debug information are of the same function, and in which file that was declared.

use std::ops::Range;
use std::rc::Rc;

use gimli::{
    AbbreviationsCacheStrategy, AttributeValue, DebugInfoOffset, Unit, UnitOffset, UnitRef,
};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};

use crate::program::address_table::AtAddress;
use crate::program::line_table::SourceLine;
use crate::program::ranges::{Dwarf, Slice};
use crate::program::scopes::Scopes;
use crate::program::sections::{self, DwarfEntry, text};
use crate::program::unit_code::InlinedCall;
use crate::program::units::{CompileUnit, Units};
use crate::program::votes::{Votes, winners};
use crate::program::{DebugSections, ProgramError};

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

/// A place in the sources at which a statement begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    pub file: u32,
    pub line: u32,
    /// Two statements of a line are in different columns, all copies of one in the same.
    pub column: u16,
    /// Whether the instruction at which it begins is of its line. The code of a statement that has
    /// none may have been joined with other code, and its mark stands at what follows.
    pub has_code: bool,
}

/// What the debug information says of statements.
#[derive(Default)]
pub struct Statements {
    /// Those that begin at some addresses, which these are sorted by.
    pub at: Vec<(u64, Statement)>,
    /// The addresses of optimized code whose statements are not marked. Sorted.
    pub unmarked: Vec<Range<u64>>,
}

/// Looks up addresses, and numbers the functions, instances and files found.
pub struct Inlines<'s> {
    dwarf: Rc<Dwarf<'s>>,
    units: Rc<Units<'s>>,
    scopes: Scopes,
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
    /// Whether some of the debug information could not be read.
    pub is_damaged: bool,
    /// Whether some of the debug information is in other files (`.dwo`, `dwz -m`), which are not
    /// read.
    pub is_split: bool,
    /// Whether functions are nested too deeply at an address that was looked up.
    pub is_too_deep: bool,
    /// Whether entries of a function without a name refer to each other in a circle.
    pub has_circle: bool,
    /// What was found at the last address.
    last: Option<LastFound>,
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

/// What is at some addresses.
struct LastFound {
    addresses: Range<u64>,
    at: AtAddress,
    /// The functions without a declared file, and the files that these addresses have in them.
    votes: Vec<(u32, u32)>,
}

/// What the unit of an address has there.
struct Code<'s> {
    unit: Rc<CompileUnit<'s>>,
    /// The addresses around with the same code.
    addresses: Range<u64>,
    /// The entry of the function, if known.
    host: Option<UnitOffset>,
    /// What is inlined there, the outermost first.
    calls: Vec<InlinedCall>,
    line: Option<SourceLine>,
}

impl<'s> Inlines<'s> {
    /// Finds the units of an object. Their [statements](Inlines::statements) are read only with
    /// `has_statements`.
    pub fn new(
        sections: &'s DebugSections<'_>,
        has_statements: bool,
    ) -> Result<Inlines<'s>, ProgramError> {
        let dwarf = sections.dwarf_for(AbbreviationsCacheStrategy::Duplicates);
        let units = Rc::new(Units::new(&dwarf, has_statements)?);
        Ok(Inlines::of_units(Rc::new(dwarf), units))
    }

    /// Looks up other addresses of the same object, each unit of which is read once for both.
    pub fn of_same_object(&self) -> Inlines<'s> {
        Inlines::of_units(Rc::clone(&self.dwarf), Rc::clone(&self.units))
    }

    fn of_units(dwarf: Rc<Dwarf<'s>>, units: Rc<Units<'s>>) -> Inlines<'s> {
        Inlines {
            dwarf,
            units,
            scopes: Scopes::default(),
            functions: IndexMap::default(),
            function_of_entry: HashMap::new(),
            described: HashMap::new(),
            instances: IndexMap::default(),
            files: IndexSet::default(),
            file_of_index: HashMap::new(),
            votes: Votes::default(),
            is_damaged: false,
            is_split: false,
            is_too_deep: false,
            has_circle: false,
            last: None,
        }
    }

    /// Whether some unit cannot be read, so that nothing is known of its addresses.
    pub fn has_unreadable_unit(&self) -> bool {
        sections::has_unreadable_unit(&self.dwarf)
    }

    /// The lines that have code, executed or not, in the files that were found. The code of a
    /// function of which a copy ran that was inlined elsewhere is left out: what of it did not run
    /// may have been joined with other code in that copy.
    pub fn lines_with_code(&mut self) -> HashSet<(u32, u32)> {
        let entries: Vec<usize> = self.instances.keys().copied().collect();
        let inlined: HashSet<usize> =
            entries.into_iter().filter_map(|entry| Some(self.describe(entry).ok()?.last)).collect();
        let units = Rc::clone(&self.units);
        let dwarf = Rc::clone(&self.dwarf);
        let mut known = HashSet::new();
        for (unit, range) in units.with_ranges() {
            let Ok((Some(lines), of_unit)) =
                unit.lines(&dwarf).and_then(|lines| Ok((lines, unit.read(&dwarf)?)))
            else {
                continue;
            };
            let mut numbers: HashMap<u64, Option<u32>> = HashMap::new();
            // The last function, which most lines after another are in.
            let (mut function, mut is_inlined) = (0..0, false);
            lines.for_each(range, |address, SourceLine { file, line }| {
                let number = numbers.entry(file).or_insert_with(|| self.found_file(of_unit, file));
                let Some(file) = number.filter(|_| line > 0) else {
                    return;
                };
                if !inlined.is_empty() && !function.contains(&address) {
                    let found = unit.function_at(&dwarf, address).ok().flatten();
                    function = found.as_ref().map_or(0..0, |(_, range)| range.clone());
                    let entry = found.map(|(function, _)| unit.start + function.entry.0);
                    let described = entry.and_then(|entry| self.describe(entry).ok());
                    is_inlined = described.is_some_and(|of| inlined.contains(&of.last));
                }
                if !is_inlined {
                    known.insert((file, line));
                }
            });
        }
        known
    }

    /// The statements that begin at some addresses, which are sorted: those of optimized code that
    /// was compiled by gcc, and in the files that were found. Such code has a mark at the beginning
    /// of each copy of a statement. Other compilers mark where the line changes, and gcc without
    /// optimization all code. The statements of a macro are all at its place, as if they were
    /// copies of one: they are left out.
    pub fn statements(&self, addresses: &[u64]) -> Statements {
        let mut statements = Vec::new();
        let mut unmarked = Vec::new();
        let mut of_macros: HashSet<(Option<u32>, u32, u16)> = HashSet::new();
        for (unit, range) in self.units.with_ranges() {
            let inside = between(addresses, &range);
            if inside.is_empty() {
                continue;
            }
            let (Ok(Some(lines)), Ok(of_unit)) = (unit.lines(&self.dwarf), unit.read(&self.dwarf))
            else {
                continue;
            };
            if !unit.marks_statements(&self.dwarf) {
                if inlines_functions(of_unit) {
                    unmarked.push(range.begin..range.end);
                }
                continue;
            }
            let mut numbers: HashMap<u64, Option<u32>> = HashMap::new();
            lines.for_each_statement(range, |address, line, column, is_same| {
                let SourceLine { file, line: number } = line;
                let file = *numbers.entry(file).or_insert_with(|| self.found_file(of_unit, file));
                if is_same {
                    of_macros.insert((file, number, column));
                }
                if let (Some(file), Ok(_)) = (file, inside.binary_search(&address)) {
                    let has_code = lines.find(address).is_some_and(|(of_code, _)| of_code == line);
                    let statement = Statement { file, line: number, column, has_code };
                    statements.push((address, statement));
                }
            });
        }
        statements.retain(|(_, of)| !of_macros.contains(&(Some(of.file), of.line, of.column)));
        statements.sort_unstable();
        statements.dedup();
        unmarked.sort_unstable_by_key(|range| range.start);
        Statements { at: statements, unmarked }
    }

    /// The number of a unit's file, if it was found at an address.
    fn found_file(&self, unit: UnitRef<'_, Slice<'_>>, file: u64) -> Option<u32> {
        let path = file_path(unit, file).ok()??;
        self.files.get_index_of(&path).map(|number| number as u32)
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
        let last = self.last.as_ref().filter(|last| last.addresses.contains(&address));
        if let Some(LastFound { at, votes, .. }) = last {
            votes.iter().for_each(|&(function, file)| self.votes.add(function, file));
            return Some(*at);
        }
        let found = self.look_up(address);
        self.is_damaged |= found.is_err();
        found.ok().flatten()
    }

    fn look_up(&mut self, address: u64) -> Result<Option<AtAddress>, gimli::Error> {
        let Some(code) = self.code_at(address)? else {
            return Ok(None);
        };
        let Code { unit, addresses, host, calls, line } = code;
        let file = self.file_of_line(&unit, line.map(|line| line.file))?;
        // Innermost calls first.
        let mut files_of_calls = Vec::new();
        for call in calls.iter().rev() {
            files_of_calls.push(self.file_of_line(&unit, call.file)?);
        }
        let number = line.map_or(0, |line| line.line);
        let mut at = AtAddress { instance: None, host: None, file, line: number };
        let is_split = unit.read(&self.dwarf)?.dwo_id.is_some();
        self.is_split |= is_split;
        let mut votes = Vec::new();
        if let Some(host) = host.filter(|_| !is_split) {
            at.host = Some(self.function_of(unit.start + host.0)?);
            // From the outermost call inwards.
            for call in calls {
                let of_call = files_of_calls.pop().flatten();
                let entry = unit.start + call.entry.0;
                let instance = self.instance(entry, at.instance, (of_call, call.line))?;
                at.instance = Some(instance);
                let function = self.instances[instance as usize].function;
                let inside = files_of_calls.last().copied().unwrap_or(file);
                if let (None, Some(file)) = (self.functions[function as usize].declared, inside) {
                    self.votes.add(function, file);
                    votes.push((function, file));
                }
            }
        }
        self.last = Some(LastFound { addresses, at, votes });
        Ok(Some(at))
    }

    /// What the first unit that has something at an address has there: only the line where
    /// functions are nested too deeply.
    fn code_at(&mut self, address: u64) -> Result<Option<Code<'s>>, gimli::Error> {
        let units = Rc::clone(&self.units);
        // In the next unit what is found is of this address alone: the first one may have others.
        let mut around = units.addresses_around(address);
        let alone = address..address.saturating_add(1);
        for unit in units.find(&self.dwarf, address) {
            let mut addresses = std::mem::replace(&mut around, alone.clone());
            let mut limit = |range: Range<u64>| {
                addresses = addresses.start.max(range.start)..addresses.end.min(range.end);
            };
            let (mut host, mut calls) = (None, Vec::new());
            let function = unit.function_at(&self.dwarf, address)?;
            limit(function.as_ref().map_or_else(|| alone.clone(), |(_, range)| range.clone()));
            if let Some((function, _)) = function {
                let inlined = function.inlined(unit.read(&self.dwarf)?)?;
                self.is_too_deep |= inlined.is_too_deep;
                host = Some(function.entry).filter(|_| !inlined.is_too_deep);
                limit(inlined.find(address, &mut calls));
            }
            let line = unit.lines(&self.dwarf)?.and_then(|lines| lines.find(address));
            limit(line.as_ref().map_or_else(|| alone.clone(), |(_, range)| range.clone()));
            if host.is_some() || line.is_some() {
                let (unit, line) = (Rc::clone(unit), line.map(|(line, _)| line));
                return Ok(Some(Code { unit, addresses, host, calls, line }));
            }
        }
        Ok(None)
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

    fn unit_of(&self, entry: usize) -> Result<Rc<CompileUnit<'s>>, gimli::Error> {
        let unit = self.units.with_entry(entry);
        unit.map(Rc::clone).ok_or(gimli::Error::NoEntryAtGivenOffset(entry as u64))
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
        let of_entry = self.unit_of(at)?;
        let dwarf = Rc::clone(&self.dwarf);
        let unit = of_entry.read(&dwarf)?;
        let found = unit.entry(UnitOffset(at - of_entry.start))?;
        let mut declared = None;
        if let Some(AttributeValue::FileIndex(index)) = found.attr_value(gimli::DW_AT_decl_file) {
            let number = found.attr_value(gimli::DW_AT_decl_line);
            let line = number.and_then(|number| number.udata_value()).unwrap_or(0);
            let file = self.file_of_index(&of_entry, index)?;
            declared = file.map(|file| (file, line));
        }
        self.is_split |= is_elsewhere(&found);
        let text = |name| text(unit, &found, name);
        let symbol = text(gimli::DW_AT_linkage_name);
        let own = Description {
            name: text(gimli::DW_AT_name).map(Rc::from),
            symbol: symbol.or_else(|| text(gimli::DW_AT_MIPS_linkage_name)).map(Rc::from),
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
        let of_entry = self.unit_of(entry)?;
        self.scopes.of(entry, of_entry.read(&self.dwarf)?, of_entry.start)
    }

    /// The file with this index in the list of a unit.
    fn file_of_index(
        &mut self,
        unit: &CompileUnit<'s>,
        index: u64,
    ) -> Result<Option<u32>, gimli::Error> {
        if let Some(&known) = self.file_of_index.get(&(unit.start, index)) {
            return Ok(known);
        }
        let path = file_path(unit.read(&self.dwarf)?, index)?;
        let file = path.map(|path| self.file(&path));
        self.file_of_index.insert((unit.start, index), file);
        Ok(file)
    }

    /// The file of a line or a call. Before DWARF 5 file 0 is an unknown one.
    fn file_of_line(
        &mut self,
        unit: &CompileUnit<'s>,
        index: Option<u64>,
    ) -> Result<Option<u32>, gimli::Error> {
        let has_files = unit.read(&self.dwarf)?.line_program.is_some();
        let Some(index) = index.filter(|_| has_files) else {
            return Ok(None);
        };
        let file = self.file_of_index(unit, index)?;
        Ok(if index == 0 { file.or_else(|| Some(self.file(""))) } else { file })
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

/// The addresses in a range, of those that are sorted.
fn between<'a>(addresses: &'a [u64], range: &gimli::Range) -> &'a [u64] {
    let from = addresses.partition_point(|&address| address < range.begin);
    let to = addresses.partition_point(|&address| address < range.end);
    addresses.get(from..to).unwrap_or_default()
}

/// Whether functions are inlined somewhere in a unit, as its kinds of entries tell: then its code
/// is optimized.
fn inlines_functions(unit: UnitRef<'_, Slice<'_>>) -> bool {
    // Compilers number the kinds from 1 on.
    let mut kinds = (1..).map_while(|code| unit.abbreviations.get(code));
    kinds.any(|kind| kind.tag() == gimli::DW_TAG_inlined_subroutine)
}

/// The path of a file in a unit's list: relative to its folder, and that relative to the
/// compilation directory.
fn file_path(unit: UnitRef<'_, Slice<'_>>, index: u64) -> Result<Option<String>, gimli::Error> {
    let header = unit.line_program.as_ref().map(|program| program.header());
    let file = header.and_then(|header| Some((header, header.file(index)?)));
    let Some((header, file)) = file else {
        return Ok(None);
    };
    let folder = file.directory(header).filter(|_| file.directory_index() != 0);
    let own = unit.comp_dir.map(|dir| dir.to_string_lossy().into_owned());
    let mut path = own.unwrap_or_default();
    for part in folder.into_iter().chain([file.path_name()]) {
        let part = unit.attr_string(part)?.to_string_lossy();
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(&part);
    }
    Ok(Some(path))
}

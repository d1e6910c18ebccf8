//! Turns inlined copies into functions, as if nothing had been inlined; only the numbers of calls
//! of copies are unknown.
//!
//! All copies of a function that are inlined into the same function or copy become one function of
//! the new profile: a single function per name would join unrelated callers into cycles. The cost
//! of an address goes to the innermost copy, at the same file and line, and so do the calls made
//! there. The call of a copy is at the line given by the debug information; its cost is the sum of
//! all costs and calls at the copy's addresses. What these calls cost that are part of another call
//! by recursion is apart, as a nested call of the copy.

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use crate::graph::CallGraph;
use crate::profile::{
    AddError, Call, CodePlace, CostTable, Count, Division, FileId, FunctionId, Measured, ObjectId,
    Ordered, Place, Position, PositionId, Profile, ProfileBuilder, Sides, is_unknown_name,
};
use crate::program::{AddressTable, Instance, Statement, Statements};
use crate::transform::{Moved, move_places, with_places};

/// The inlined copies in one object. Its files and functions have the numbers of its debug
/// information, and are spelled as in the profile.
pub struct InlinedCode {
    pub files: Vec<Vec<u8>>,
    /// The file and name of each function.
    pub functions: Vec<(Vec<u8>, Vec<u8>)>,
    /// For each function the number of the first one with its name: the instances of a template or
    /// of a generic function can have the same one.
    pub names: Vec<u32>,
    /// The file that each function is declared in, if that is known; in the profile a function that
    /// begins with inlined code has the file of that code.
    pub declared: Vec<Option<u32>>,
    /// The copies. Enclosing ones have lower numbers.
    pub copies: Vec<Instance>,
    pub at: AddressTable,
    /// The files and lines that have code, executed or not, if they are read. Files of which
    /// nothing was executed are left out.
    pub lines: HashSet<(u32, u32)>,
    /// The statements that begin at the addresses, as far as compilers mark them.
    pub statements: Statements,
    /// By address the number of the instance of a generic function, for functions that have
    /// several: Callgrind leaves the hash out of Rust's names, so that all instances have the same
    /// name.
    pub instances: HashMap<u64, u32>,
}

/// The code of a function, or of a copy that was inlined into it: how often a line of it was
/// executed is how often its most executed instruction was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeIn {
    /// The number of the function in debug information, if that is read.
    pub host: Option<u32>,
    /// The number of the innermost copy, behind that of the name of the function it is a copy of.
    pub copy: Option<(u32, u32)>,
}

impl InlinedCode {
    /// The innermost copy at an address; none if the code is not inlined.
    pub fn copy_at(&self, address: u64) -> Option<u32> {
        self.at.get(address)?.instance
    }

    /// The function whose code is at an address, and the innermost copy in it; none if debug
    /// information does not tell the function.
    pub fn code_at(&self, address: u64) -> Option<CodeIn> {
        let at = self.at.get(address)?;
        let named = |copy: u32| (self.names[self.copies[copy as usize].function as usize], copy);
        Some(CodeIn { host: at.host, copy: at.instance.map(named) }).filter(|of| of.host.is_some())
    }

    /// The statements that begin at an address, each behind it.
    pub fn statements_at(&self, address: u64) -> &[(u64, Statement)] {
        let all = &self.statements.at;
        let from = all.partition_point(|&(at, _)| at < address);
        let count = all[from..].iter().take_while(|&&(at, _)| at == address).count();
        &all[from..from + count]
    }

    /// Whether the code at an address is optimized without marks of its statements.
    pub fn is_unmarked_at(&self, address: u64) -> bool {
        let behind = self.statements.unmarked.partition_point(|range| range.start <= address);
        let before = behind.checked_sub(1).map(|last| &self.statements.unmarked[last]);
        before.is_some_and(|range| range.contains(&address))
    }

    /// The number of the file that the function with the code at an address is declared in, if that
    /// is known.
    pub fn declared_at(&self, address: u64) -> Option<u32> {
        *self.declared.get(self.at.get(address)?.host? as usize)?
    }

    /// The file and name of the function that a copy is of.
    pub fn function_of(&self, copy: u32) -> &(Vec<u8>, Vec<u8>) {
        &self.functions[self.copies[copy as usize].function as usize]
    }

    /// The name of the file with the call of a copy: by default that of the copy or function around
    /// it, which is none for a copy that is inlined directly into a function.
    pub fn call_file(&self, copy: u32) -> Option<&[u8]> {
        let Instance { outer, call_file, .. } = self.copies[copy as usize];
        let around = || outer.map(|outer| &self.function_of(outer).0[..]);
        call_file.map(|file| &self.files[file as usize][..]).or_else(around)
    }

    /// The file and line of an address, for a cost without a line.
    fn line_at(&self, address: u64) -> Option<(&[u8], u32)> {
        let at = self.at.get(address).filter(|at| at.line > 0)?;
        let file = at.file.map(|file| &self.files[file as usize][..]);
        Some((file.unwrap_or(b"???"), at.line))
    }
}

/// The inlined copies in the objects of one side. It is a list by object, as it is asked for the
/// object of each instruction.
#[derive(Default)]
pub struct InlinedObjects {
    list: Vec<Option<InlinedCode>>,
}

impl InlinedObjects {
    pub fn new() -> InlinedObjects {
        InlinedObjects::default()
    }

    pub fn insert(&mut self, object: ObjectId, code: InlinedCode) {
        if object.index() >= self.list.len() {
            self.list.resize_with(object.index() + 1, || None);
        }
        self.list[object.index()] = Some(code);
    }

    #[inline]
    pub fn get(&self, object: ObjectId) -> Option<&InlinedCode> {
        self.list.get(object.index())?.as_ref()
    }

    /// The profile's files, by number, and their lines that have code.
    pub fn lines_of(&self, profile: &Profile) -> HashSet<(usize, u32)> {
        let files = self.files_of(profile);
        let mut lines = HashSet::new();
        for (object, code) in self.iter() {
            let files = &files[object.index()];
            let in_files = code.lines.iter();
            lines.extend(
                in_files.filter_map(|&(file, line)| Some((files[file as usize]?.index(), line))),
            );
        }
        lines
    }

    /// By object the profile's file for each of its files, if the profile has it.
    pub fn files_of(&self, profile: &Profile) -> Vec<Vec<Option<FileId>>> {
        let of_object = |code: &InlinedCode| {
            code.files.iter().map(|name| profile.find_file(name)).collect::<Vec<_>>()
        };
        let objects = self.list.iter();
        objects.map(|code| code.as_ref().map(of_object).unwrap_or_default()).collect()
    }

    /// The statements that begin at an address of an object.
    pub fn statements_at(&self, object: ObjectId, address: u64) -> impl Iterator<Item = Statement> {
        let known = self.get(object).map_or(&[][..], |code| code.statements_at(address));
        known.iter().map(|&(_, statement)| statement)
    }

    /// The objects in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &InlinedCode)> {
        let all = (0..).map(ObjectId).zip(&self.list);
        all.filter_map(|(object, code)| Some((object, code.as_ref()?)))
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The inlined copies at the addresses of NEW.
#[derive(Debug, Default)]
pub struct CopiesAt {
    /// By function and address the number of the innermost copy in the object, if addresses are
    /// kept.
    pub numbers: HashMap<(FunctionId, u64), u32>,
    /// By host function and that number.
    copies: Ordered<(FunctionId, u32), Copy>,
}

impl CopiesAt {
    /// The functions into which copies are inlined.
    pub fn hosts(&self) -> impl Iterator<Item = FunctionId> {
        self.copies.keys().map(|&(host, _)| host)
    }

    /// The file and line of the call of a copy, and the enclosing copy.
    pub fn call_of(&self, host: FunctionId, number: u32) -> Option<(FileId, u32, Option<u32>)> {
        let copy = self.copies.get(&(host, number))?;
        let outer = copy.outer.and_then(|outer| self.copies.get_index(outer as usize));
        Some((copy.file, copy.line, outer.map(|(&(_, number), _)| number)))
    }
}

/// How inlined copies become functions.
#[derive(Clone, Copy)]
pub struct InlinedAs {
    /// Whether the profile's divisions are the functions from which lines were inlined.
    pub named: bool,
    pub keeps: KeptPositions,
    /// Whether mutual recursion forms cycles.
    pub has_cycles: bool,
}

/// The positions of costs and calls in the profile with inlined copies as functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPositions {
    /// The lines of functions that are not inlined, which may tell where these are defined. Nothing
    /// needs those of copies.
    LinesOfFunctions,
    Lines,
    Addresses,
}

/// Turns inlined copies into functions; also returns the copies of NEW by address.
pub fn add_inlined(
    mut profile: Profile,
    objects: Sides<InlinedObjects>,
    InlinedAs { named: names_inlined, keeps, has_cycles }: InlinedAs,
) -> Result<(Profile, CopiesAt), AddError> {
    let none = InlinedObjects::new();
    let mut repeated = repeated_calls(&profile, has_cycles).into_iter();
    let has_positions = keeps == KeptPositions::Addresses;
    let builder = profile.builder_taking_names(has_positions);
    let moving = |side: usize| Moving {
        profile: &profile,
        is_repeated: repeated.next().unwrap_or_default(),
        objects: objects.get(side).unwrap_or(&none),
        names_inlined,
        keeps,
        found: CopiesAt::default(),
        last_place: None,
        last_found: Vec::new(),
        instances: HashMap::new(),
        spent: SpentInCopies::new(&profile),
    };
    let mut sides: Vec<Moving<'_>> = (0..profile.sides().count()).map(moving).collect();
    let moved = move_places(&profile, builder, |moved, side, out| {
        let side = &mut sides[side];
        match moved {
            Moved::Code { place, call, cost } => side.move_costs(place, call, cost, out),
            Moved::End => side.add_calls_of_copies(out),
        }
    });
    let found = sides.into_iter().next().map_or_else(CopiesAt::default, |new| new.found);
    Ok((moved?, found))
}

/// By side and call, whether its cost is part of that of another call.
fn repeated_calls(profile: &Profile, has_cycles: bool) -> Vec<Vec<bool>> {
    let graphs = CallGraph::of_sides(profile, has_cycles);
    let calls = || (0..).zip(&profile.calls);
    let of_side = |(side, graph): (&Measured, &CallGraph<'_>)| {
        calls().map(|(row, &call)| side.calls.has(row) && graph.is_repeated(call)).collect()
    };
    profile.sides().iter().zip(graphs.iter()).map(of_side).collect()
}

/// Divides the instructions of a profile (of one side) by the name of the innermost copy.
pub fn divide_by_inlined(profile: Profile, objects: &InlinedObjects) -> Result<Profile, AddError> {
    if !profile.sides().new.has_addresses {
        return Ok(profile);
    }
    with_places(&profile, |moved, _, out| {
        let Moved::Code { place, .. } = moved else {
            return Ok(());
        };
        let at = profile.code_place(*place);
        let object = objects.get(profile.function(at.function).object);
        let name =
            object.and_then(|object| Some(&object.function_of(object.copy_at(at.address)?).1));
        if let Some(name) = name {
            let division = Division::Inlined(out.add_name(name)?);
            place.fragment = out.functions().fragment(at.function, at.file, division)?;
        }
        Ok(())
    })
}

/// The number of a copy that the profile names, and not the debug information.
const NAMED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Copy {
    function: FunctionId,
    into: FunctionId,
    /// The call site.
    file: FileId,
    line: u32,
    /// The index of the enclosing copy in the list of copies.
    outer: Option<u32>,
}

struct Moving<'a> {
    profile: &'a Profile,
    /// By call whether its cost is part of that of another call, among the calls without copies.
    is_repeated: Vec<bool>,
    objects: &'a InlinedObjects,
    /// Whether divisions are the functions from which lines were inlined, as the profile states.
    names_inlined: bool,
    keeps: KeptPositions,
    found: CopiesAt,
    /// The place that was found last: many instructions of a line follow one another.
    last_place: Option<(PlaceKey, Place)>,
    /// By object and number the index of the copy that was found last, with its host: the
    /// instructions of a host follow one another, but their copies alternate.
    last_found: Vec<Vec<Option<(FunctionId, u32)>>>,
    /// The instances of functions, by the function of the profile and the number of the instance.
    instances: HashMap<(FunctionId, u32), FunctionId>,
    spent: SpentInCopies,
}

/// What a place of the new profile is made of.
type PlaceKey = (FunctionId, FileId, Position, Division);

/// What was spent in a copy, in a division of its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SpentKey {
    /// The index of the copy.
    copy: u32,
    division: Division,
    /// Whether it was spent in calls whose cost is part of that of another call.
    is_repeated: bool,
}

/// The sum of all costs and calls at the addresses of which each copy is the innermost one.
struct SpentInCopies {
    copies: Ordered<SpentKey, ()>,
    costs: CostTable,
    /// By index of a copy the number of what was spent in it last.
    last: Vec<u32>,
}

impl SpentInCopies {
    fn new(profile: &Profile) -> SpentInCopies {
        let costs = CostTable::new(profile.events().len(), 0);
        SpentInCopies { copies: Ordered::default(), costs, last: Vec::new() }
    }

    fn add(&mut self, key: SpentKey, cost: &[Count]) {
        let copy = key.copy as usize;
        if copy >= self.last.len() {
            self.last.resize(copy + 1, 0);
        }
        let known = self.last[copy] as usize;
        let number = match self.copies.get_index(known) {
            Some((of, ())) if *of == key => known,
            _ => self.copies.insert_full(key, ()).0,
        };
        self.last[copy] = number as u32;
        if number == self.costs.len() {
            self.costs.push(cost);
        } else {
            self.costs.add(number, cost);
        }
    }
}

impl Moving<'_> {
    /// Moves a cost, or a call; an empty cost is not added to the calls of copies.
    fn move_costs(
        &mut self,
        place: &mut Place,
        call: Option<(usize, &mut FunctionId)>,
        cost: &[Count],
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let position = place.position;
        let mut at = self.profile.code_place(*place);
        at.function = self.instance(at.function, at.address, out)?;
        let copy;
        (*place, copy) = self.place(at, position, out)?;
        if let Some(copy) = copy
            && !cost.is_empty()
        {
            let division = if self.names_inlined { Division::None } else { at.division };
            let is_repeated = call.as_ref().is_some_and(|&(call, _)| self.is_repeated[call]);
            self.spent.add(SpentKey { copy, division, is_repeated }, cost);
        }
        if let Some((number, callee)) = call {
            let call = self.profile.calls[number];
            *callee = self.instance(call.callee, self.profile.target(call).0, out)?;
        }
        Ok(())
    }

    /// The function that has the code at an address: the given one, or an instance of it.
    fn instance(
        &mut self,
        function: FunctionId,
        address: u64,
        out: &mut ProfileBuilder,
    ) -> Result<FunctionId, AddError> {
        let object = self.objects.get(self.profile.function(function).object);
        let Some(&number) = object.and_then(|object| object.instances.get(&address)) else {
            return Ok(function);
        };
        Ok(match self.instances.entry((function, number)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(out.functions().add_instance(function)?),
        })
    }

    /// The new place of an instruction's cost, and the index of the innermost copy there.
    fn place(
        &mut self,
        at: CodePlace,
        id: PositionId,
        out: &mut ProfileBuilder,
    ) -> Result<(Place, Option<u32>), AddError> {
        let objects = self.objects;
        let object = objects.get(out.functions().get(at.function).object);
        let innermost = object.and_then(|object| Some((object, object.copy_at(at.address)?)));
        let named = at.division.inlined().filter(|_| self.names_inlined);
        let copy = match (innermost, named) {
            (Some((object, number)), _) => {
                if self.keeps == KeptPositions::Addresses {
                    self.found.numbers.insert((at.function, at.address), number);
                }
                Some(self.copy(at.function, object, number, out)?)
            }
            (None, Some(name)) => {
                let function = out.functions().add_inlined(at.function, at.file, name)?;
                // The call site is unknown.
                let (file, line) = (out.functions().get(at.function).file, 0);
                let copy = Copy { function, into: at.function, file, line, outer: None };
                Some(self.found.copies.insert_full((function, NAMED), copy).0 as u32)
            }
            (None, None) => None,
        };
        let function = copy.map_or(at.function, |copy| self.found.copies[copy as usize].function);
        let (mut file, mut line) = (at.file, at.line);
        if at.line == 0
            && let Some(found) = object.and_then(|object| object.line_at(at.address))
        {
            line = found.1;
            if is_unknown_name(self.profile.file(file)) {
                file = out.add_file(found.0)?;
            }
        }
        let position = match self.keeps {
            KeptPositions::Addresses => Position { line, ..self.profile.position(id) },
            _ => self.position_in(copy.is_some(), line),
        };
        let division = named.map_or(at.division, |_| Division::None);
        let key = (function, file, position, division);
        let place = match self.last_place {
            Some((last, place)) if last == key => place,
            _ => out.add_place(function, file, position, division)?,
        };
        self.last_place = Some((key, place));
        Ok((place, copy))
    }

    /// Adds what was spent in each copy to the calls of it and of all copies that enclose it.
    fn add_calls_of_copies(&mut self, out: &mut ProfileBuilder) -> Result<(), AddError> {
        let spent = std::mem::replace(&mut self.spent, SpentInCopies::new(self.profile));
        for (key, cost) in spent.copies.keys().zip(spent.costs.iter()) {
            let SpentKey { copy, division, is_repeated } = *key;
            let mut next = Some(copy);
            while let Some(number) = next {
                let copy = self.found.copies[number as usize];
                let site = self.position_in(copy.outer.is_some(), copy.line);
                let site = out.add_place(copy.into, copy.file, site, division)?;
                let callee = copy.function;
                let call = Call { site, callee, is_nested: is_repeated, is_from_nested: false };
                out.add_call(call, 0, cost)?;
                next = copy.outer;
            }
        }
        Ok(())
    }

    /// The position of a line in a copy, or in a function that is not inlined.
    fn position_in(&self, is_copy: bool, line: u32) -> Position {
        let is_kept = !is_copy || self.keeps != KeptPositions::LinesOfFunctions;
        Position::of_line(if is_kept { line } else { 0 })
    }

    /// Finds or makes a copy of its object in a host function, and its enclosing copies; returns
    /// its index.
    fn copy(
        &mut self,
        host: FunctionId,
        object: &InlinedCode,
        number: u32,
        out: &mut ProfileBuilder,
    ) -> Result<u32, AddError> {
        let at = out.functions().get(host).object.index();
        if at >= self.last_found.len() {
            self.last_found.resize(at + 1, Vec::new());
        }
        if self.last_found[at].len() < object.copies.len() {
            self.last_found[at].resize(object.copies.len(), None);
        }
        match self.last_found[at][number as usize] {
            Some((of, copy)) if of == host => Ok(copy),
            _ => {
                let copy = self.find_or_add_copy(host, object, number, out)?;
                self.last_found[at][number as usize] = Some((host, copy));
                Ok(copy)
            }
        }
    }

    fn find_or_add_copy(
        &mut self,
        host: FunctionId,
        object: &InlinedCode,
        number: u32,
        out: &mut ProfileBuilder,
    ) -> Result<u32, AddError> {
        // The new copies among it and its enclosing ones, the innermost first; a loop, as chains
        // may be long.
        let mut chain = Vec::new();
        let mut next = Some(number);
        let mut around = None;
        while let Some(number) = next {
            around = self.found.copies.get_index_of(&(host, number)).map(|known| known as u32);
            if around.is_some() {
                break;
            }
            chain.push(number);
            next = object.copies[number as usize].outer;
        }
        let host_file = out.functions().get(host).file;
        for &number in chain.iter().rev() {
            let into = around.map_or(host, |around| self.found.copies[around as usize].function);
            let (file, name) = object.function_of(number);
            let (file, name) = (out.add_file(file)?, out.add_name(name)?);
            let call_file = match object.call_file(number) {
                Some(file) => out.add_file(file)?,
                None => host_file,
            };
            let copy = Copy {
                function: out.functions().add_inlined(into, file, name)?,
                into,
                file: call_file,
                line: object.copies[number as usize].call_line,
                outer: around,
            };
            around = Some(self.found.copies.insert_full((host, number), copy).0 as u32);
        }
        Ok(around.unwrap_or_default())
    }
}

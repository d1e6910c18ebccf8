//! Inlined functions as functions: the profile of a program in which nothing was inlined, but for the numbers of calls that
//! nobody counted.
//!
//! A copy of a function is inlined into a function or into another copy, and all that it was inlined there is one function of
//! the new profile: one for each name alone would join callers that have nothing to do with each other into cycles. The
//! cost of an address goes to the innermost copy, at the same file and line, and calls are made by it. The call of a copy is at
//! the line that the debug information gives, and costs all that was spent and called at the addresses below it.

use std::collections::HashMap;

use crate::profile::{
    AddError, Call, CodePlace, Count, Division, FileId, FunctionId, Measured, NameId, ObjectId,
    Place, Profile, ProfileBuilder, Sides,
};

/// A copy of a function in place of one call of it.
#[derive(Clone, Debug)]
pub struct Inlined {
    pub file: Vec<u8>,
    /// Its name as in the profile.
    pub name: Vec<u8>,
    /// The number of the copy that this one is inlined into, which is lower; none if that is a function.
    pub outer: Option<u32>,
    /// The file of the call; none if it is not known.
    pub call_file: Option<Vec<u8>>,
    /// The line of the call, 0 if it is not known.
    pub call_line: u32,
}

/// What was inlined into one object.
#[derive(Debug, Default)]
pub struct InlinedCode {
    pub copies: Vec<Inlined>,
    /// By address the innermost copy there; none if the code is that of a function.
    pub at: HashMap<u64, Option<u32>>,
    /// By address the file and line, for costs without a line.
    pub lines: HashMap<u64, (Vec<u8>, u32)>,
}

/// What was inlined into the objects of one side.
pub type InlinedObjects = HashMap<ObjectId, InlinedCode>;

/// The copies that are at the addresses of NEW.
#[derive(Debug, Default)]
pub struct CopiesAt {
    /// By function and address the innermost copy there, with its number in the object if it has one.
    pub innermost: HashMap<(FunctionId, u64), (FunctionId, Option<u32>)>,
    /// By the function that holds it and that number.
    copies: HashMap<(FunctionId, u32), Copy>,
}

impl CopiesAt {
    /// The file and line of the call of a copy, and the copy around it.
    pub fn call_of(&self, host: FunctionId, number: u32) -> Option<(FileId, u32, Option<u32>)> {
        let copy = self.copies.get(&(host, number))?;
        Some((copy.file, copy.line, copy.outer))
    }
}

/// The same profile with inlined copies as functions, and where they are. What is known by address stays. With
/// `names_inlined` its divisions are the functions that it says lines were inlined from.
pub fn add_inlined(
    profile: Profile,
    objects: Sides<InlinedObjects>,
    names_inlined: bool,
) -> Result<(Profile, CopiesAt), AddError> {
    let mut builder = profile.builder_with_names();
    let mut copies_at = CopiesAt::default();
    let none = InlinedObjects::new();
    builder.add_sides(&profile, |builder, side, is_base| {
        let mut moving = Moving {
            profile: &profile,
            objects: objects.get(is_base).unwrap_or(&none),
            names_inlined,
            found: CopiesAt::default(),
            out: builder,
        };
        moving.run(side)?;
        if !is_base {
            copies_at = moving.found;
        }
        Ok(())
    })?;
    Ok((builder.finish().with_code_of(profile), copies_at))
}

/// The same profile of one side with the name of the innermost copy for the division of each instruction, as it is written.
pub fn divide_by_inlined(profile: Profile, objects: &InlinedObjects) -> Result<Profile, AddError> {
    let side = &profile.sides().new;
    let Some(code) = side.code().filter(|code| code.has_addresses) else {
        return Ok(profile);
    };
    let mut out = profile.builder_with_names();
    for part in side.parts() {
        out.add_part(part.clone())?;
    }
    let divided = |mut at: CodePlace, out: &mut ProfileBuilder| -> Result<CodePlace, AddError> {
        let object = objects.get(&profile.function(at.function).object);
        let copy = object
            .and_then(|object| Some(&object.copies[(*object.at.get(&at.address)?)? as usize]));
        if let Some(copy) = copy {
            at.division = Division::of_inlined(out.add_name(&copy.name)?);
        }
        Ok(at)
    };
    for (at, cost) in code.costs.iter() {
        let at = divided(at, &mut out)?;
        let place = out.add_place(at.function, at.file, at.line, at.division)?;
        out.add_cost(place, cost)?;
        out.code().costs.add(at, cost);
    }
    for (at, cost) in code.skipped.iter() {
        let at = divided(at, &mut out)?;
        out.code().skipped.add(at, cost);
    }
    for (mut call, row) in code.calls.iter() {
        call.site = divided(call.site, &mut out)?;
        let (count, cost, callee) = (row[0].or_zero(), &row[1..], call.callee);
        let at = call.site;
        let site = out.add_place(at.function, at.file, at.line, at.division)?;
        out.add_call(Call { site, callee }, count, cost)?;
        out.code().add_call(call, count, cost);
    }
    for (mut jump, counts) in code.jumps.iter() {
        jump.site = divided(jump.site, &mut out)?;
        jump.target = divided(jump.target, &mut out)?;
        out.add_jump(jump, counts[0].or_zero(), counts[1].or_zero())?;
    }
    let to = out.code();
    (to.has_addresses, to.has_lines) = (code.has_addresses, code.has_lines);
    out.sum_code();
    Ok(out.finish())
}

#[derive(Clone, Copy, Debug)]
struct Copy {
    function: FunctionId,
    /// Its number in the object; none if the profile names it.
    number: Option<u32>,
    into: FunctionId,
    /// Where it is called.
    file: FileId,
    line: u32,
    outer: Option<u32>,
}

/// The costs and calls of one side being moved.
struct Moving<'a> {
    profile: &'a Profile,
    objects: &'a InlinedObjects,
    /// Whether divisions are the functions that a profile says lines were inlined from.
    names_inlined: bool,
    found: CopiesAt,
    out: &'a mut ProfileBuilder,
}

impl Moving<'_> {
    fn run(&mut self, side: &Measured) -> Result<(), AddError> {
        if let Some(code) = side.code().filter(|code| code.has_addresses) {
            for (at, cost) in code.costs.iter() {
                self.add_cost(at, cost)?;
            }
            for (call, row) in code.calls.iter() {
                let (count, cost) = (row[0].or_zero(), &row[1..]);
                self.add_call(call.site, call.callee, count, cost)?;
            }
            return Ok(());
        }
        // Without addresses the profile may name inlined functions.
        let profile = self.profile;
        for (place, cost) in profile.costs_of(side) {
            self.add_cost(profile.location(place), cost)?;
        }
        for (call, count, cost) in profile.calls_of(side) {
            self.add_call(profile.location(call.site), call.callee, count, cost)?;
        }
        Ok(())
    }

    fn add_cost(&mut self, at: CodePlace, cost: &[Count]) -> Result<(), AddError> {
        let (place, copy) = self.place(at)?;
        self.out.add_cost(place, cost)?;
        self.add_to_calls(at, copy, cost)
    }

    fn add_call(
        &mut self,
        at: CodePlace,
        callee: FunctionId,
        count: i64,
        cost: &[Count],
    ) -> Result<(), AddError> {
        let (site, copy) = self.place(at)?;
        self.out.add_call(Call { site, callee }, count, cost)?;
        self.add_to_calls(at, copy, cost)
    }

    /// Where the cost of an instruction goes, and the innermost copy there.
    fn place(&mut self, at: CodePlace) -> Result<(Place, Option<Copy>), AddError> {
        let objects = self.objects;
        let object = objects.get(&self.profile.function(at.function).object);
        let innermost = object.and_then(|object| *object.at.get(&at.address)?);
        let named = at.division.inlined().filter(|_| self.names_inlined);
        let copy = match (innermost, named) {
            (Some(number), _) => Some(self.copy(at.function, number)?),
            (None, Some(name)) => Some(Copy {
                function: self
                    .out
                    .functions()
                    .add_inlined(at.function, at.file, name)?,
                number: None,
                into: at.function,
                // Nobody says where it was called.
                file: self.profile.function(at.function).file,
                line: 0,
                outer: None,
            }),
            (None, None) => None,
        };
        let function = copy.map_or(at.function, |copy| copy.function);
        if let Some(copy) = copy.filter(|_| at.address > 0) {
            let innermost = &mut self.found.innermost;
            innermost.insert((at.function, at.address), (function, copy.number));
        }
        let (mut file, mut line) = (at.file, at.line);
        if line == 0
            && let Some(found) = object.and_then(|object| object.lines.get(&at.address))
        {
            line = found.1;
            if matches!(self.profile.file(file), b"" | b"???") {
                file = self.out.add_file(&found.0)?;
            }
        }
        let division = match named {
            Some(_) => Division::NONE,
            None => at.division,
        };
        Ok((self.out.add_place(function, file, line, division)?, copy))
    }

    /// Adds a cost to the calls of a copy and of all those around it.
    fn add_to_calls(
        &mut self,
        at: CodePlace,
        copy: Option<Copy>,
        cost: &[Count],
    ) -> Result<(), AddError> {
        let division = match self.names_inlined {
            true => Division::NONE,
            false => at.division,
        };
        let mut next = copy;
        while let Some(copy) = next {
            let site = self
                .out
                .add_place(copy.into, copy.file, copy.line, division)?;
            let callee = copy.function;
            self.out.add_call(Call { site, callee }, 0, cost)?;
            let outer = copy.outer.map(|outer| self.copy(at.function, outer));
            next = outer.transpose()?;
        }
        Ok(())
    }

    /// A copy that is inside a function, which is made if it is new, with those around it.
    fn copy(&mut self, host: FunctionId, number: u32) -> Result<Copy, AddError> {
        if let Some(&known) = self.found.copies.get(&(host, number)) {
            return Ok(known);
        }
        let objects = self.objects;
        let copies = &objects[&self.profile.function(host).object].copies;
        // Those around it that are new too, the innermost first: a chain may be longer than the stack has room for.
        let outer = |&number: &u32| copies[number as usize].outer;
        let chain = std::iter::successors(Some(number), outer);
        let chain = chain.take_while(|&number| !self.found.copies.contains_key(&(host, number)));
        let chain: Vec<u32> = chain.collect();
        let mut made = None;
        for &number in chain.iter().rev() {
            let inlined = &copies[number as usize];
            let outer = inlined.outer;
            let around = outer.and_then(|outer| self.found.copies.get(&(host, outer)));
            let into = around.map_or(host, |around| around.function);
            let file = self.out.add_file(&inlined.file)?;
            let name: NameId = self.out.add_name(&inlined.name)?;
            let around = outer.map(|outer| &copies[outer as usize].file);
            let call_file = match inlined.call_file.as_ref().or(around) {
                Some(file) => self.out.add_file(file)?,
                None => self.profile.function(host).file,
            };
            let copy = Copy {
                function: self.out.functions().add_inlined(into, file, name)?,
                number: Some(number),
                into,
                file: call_file,
                line: inlined.call_line,
                outer,
            };
            self.found.copies.insert((host, number), copy);
            made = Some(copy);
        }
        Ok(made.unwrap_or_else(|| self.found.copies[&(host, number)]))
    }
}

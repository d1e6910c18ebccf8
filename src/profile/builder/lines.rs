//! Source lines for costs that have addresses alone: they come from elsewhere, once all costs are read.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{AddError, ProfileBuilder};
use crate::profile::Profile;
use crate::profile::builder::LimitExceeded;
use crate::profile::code::{CodeCall, CodePlace};
use crate::profile::count::Count;
use crate::profile::ids::{FragmentId, ObjectId, PositionId};
use crate::profile::measured::retain;
use crate::profile::records::{Call, Place};
use crate::profile::symbols::Fragment;

/// What is known of an address: the name of a file, and the line.
pub type FoundLine = (Vec<u8>, u32);

/// The source lines of the addresses of objects.
pub type FoundLines = HashMap<(ObjectId, u64), FoundLine>;

impl ProfileBuilder {
    /// The name of an object.
    pub fn object(&self, id: ObjectId) -> &[u8] {
        self.objects.name(id.0)
    }

    /// The addresses of the current side that have no source line, in order, by object; what they call too.
    pub fn addresses_without_lines(&mut self) -> BTreeMap<ObjectId, Vec<u64>> {
        let mut all: BTreeMap<ObjectId, Vec<u64>> = BTreeMap::new();
        let functions = &self.functions;
        let object = |at: CodePlace| functions.get(at.function).object;
        let code = self.current.code_mut(self.events.len());
        let of_costs = code.costs.iter().map(|(at, _)| at);
        let of_calls = code.calls.iter().map(|(call, _)| call.site);
        let of_jumps = code.jumps.iter();
        let of_jumps = of_jumps.flat_map(|(jump, _)| [jump.site, jump.target]);
        let places = of_costs.chain(of_calls).chain(of_jumps);
        for at in places.filter(|at| at.line == 0 && at.address != 0) {
            all.entry(object(at)).or_default().push(at.address);
        }
        for (call, _) in code.calls.iter() {
            if call.line == 0 && call.address != 0 {
                let object = functions.get(call.callee).object;
                all.entry(object).or_default().push(call.address);
            }
        }
        for addresses in all.values_mut() {
            addresses.sort_unstable();
            addresses.dedup();
        }
        all
    }

    /// Moves costs and calls of the current side to the source lines of their addresses.
    pub fn set_lines(&mut self, lines: &FoundLines) -> Result<(), AddError> {
        let Some(mut code) = self.current.take_code() else {
            return Ok(());
        };
        for (at, cost) in code.costs.iter() {
            let to = self.with_line(at, lines)?;
            if to != at {
                let (from, to) = (self.place(at)?, self.place(to)?);
                self.add_cost(to, cost)?;
                self.move_out(from, cost)?;
            }
        }
        for (call, row) in code.calls.iter() {
            let callee_line = self.callee_line(&call, lines);
            self.set_line(call.callee, callee_line);
            let to = self.with_line(call.site, lines)?;
            if to != call.site {
                let (count, cost) = (row[0].or_zero(), &row[1..]);
                let (from, site) = (self.place(call.site)?, self.place(to)?);
                let callee = call.callee;
                self.add_call(Call { site, callee }, count, cost)?;
                self.move_call_out(Call { site: from, callee }, count, cost)?;
            }
        }
        code.costs.map_keys(|at| self.with_line(at, lines))?;
        code.skipped.map_keys(|at| self.with_line(at, lines))?;
        code.calls.map_keys(|call| {
            Ok(CodeCall {
                site: self.with_line(call.site, lines)?,
                line: self.callee_line(&call, lines),
                ..call
            })
        })?;
        code.jumps.map_keys(|mut jump| {
            jump.site = self.with_line(jump.site, lines)?;
            jump.target = self.with_line(jump.target, lines)?;
            Ok(jump)
        })?;
        code.has_lines |= !lines.is_empty();
        self.has_moved = true;
        self.current.put_code(code);
        Ok(())
    }

    /// A place with the line of its address. The file stays if it is known: it is the one that callgrind read.
    fn with_line(&mut self, at: CodePlace, lines: &FoundLines) -> Result<CodePlace, AddError> {
        let object = self.functions.get(at.function).object;
        let found = lines.get(&(object, at.address)).filter(|_| at.line == 0);
        let Some((file, line)) = found else {
            return Ok(at);
        };
        let unknown = self.add_file(b"???")?;
        let file = match at.file == unknown && !file.is_empty() {
            true => self.add_file(file)?,
            false => at.file,
        };
        Ok(CodePlace {
            file,
            line: *line,
            ..at
        })
    }

    fn callee_line(&self, call: &CodeCall, lines: &FoundLines) -> u32 {
        let object = self.functions.get(call.callee).object;
        let found = lines.get(&(object, call.address));
        found
            .filter(|_| call.line == 0)
            .map_or(call.line, |found| found.1)
    }

    fn place(&mut self, at: CodePlace) -> Result<Place, LimitExceeded> {
        let fragment = self.add_fragment(at.function, at.file, at.division)?;
        let position = PositionId(at.line);
        Ok(Place { fragment, position })
    }

    fn move_out(&mut self, from: Place, cost: &[Count]) -> Result<(), AddError> {
        let row = self
            .places
            .row(from, function_of(self.functions.fragments()))?;
        self.current.costs.move_out(row, cost);
        Ok(())
    }

    fn move_call_out(&mut self, from: Call, count: i64, cost: &[Count]) -> Result<(), AddError> {
        let row = self
            .calls
            .row(from, function_of(self.functions.fragments()))?;
        self.current.move_call_out(row, count, cost);
        Ok(())
    }
}

/// Removes the places and calls without a line that lost all to others.
pub(super) fn remove_moved(profile: &mut Profile) {
    let Profile {
        places,
        calls,
        sides,
        ..
    } = profile;
    let has_line = |place: Place| place.position.0 != 0;
    let has_cost = |row| sides.iter().any(|side| !side.lacks_cost(row));
    let has_call = |row| sides.iter().any(|side| !side.lacks_call(row));
    let kept_places = places.iter().enumerate();
    let kept_places: Vec<bool> = kept_places
        .map(|(row, place)| has_line(*place) || has_cost(row))
        .collect();
    let kept_calls = calls.iter().enumerate();
    let kept_calls: Vec<bool> = kept_calls
        .map(|(row, call)| has_line(call.site) || has_call(row))
        .collect();
    retain(places, &kept_places);
    retain(calls, &kept_calls);
    for side in std::iter::once(&mut sides.new).chain(&mut sides.base) {
        side.retain(&kept_places, &kept_calls);
    }
}

fn function_of(fragments: &[Fragment]) -> impl Fn(FragmentId) -> crate::profile::FunctionId {
    |fragment| fragments[fragment.index()].function
}

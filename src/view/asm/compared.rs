//! Instructions of both sides of a difference. They are the same instructions if the object is: after a rebuild addresses
//! mean nothing.

use super::function::compared;
use super::{CallFrom, FunctionCode, Instruction, Instructions};
use crate::profile::{CostTable, Count, FileId, FunctionId, ObjectId};
use crate::view::figure::{Compared, Figure};

/// Of this many addresses that both sides have one may be on another line, in an object that was not rebuilt.
const MAX_DIFFERENT: usize = 100;

/// An object that was rebuilt between the profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// The object.
    pub object: ObjectId,
    /// How many addresses both sides have.
    pub common: usize,
    /// How many of these are in the same function, on the same line.
    pub same: usize,
}

/// An address of an object, and what is there.
type Known = ((ObjectId, u64), (FunctionId, FileId, u32));

impl Instructions<'_> {
    /// The objects that were rebuilt between BASE and these: those whose common addresses are of other lines.
    pub fn rebuilt_since(&self, base: &Instructions<'_>) -> Vec<Rebuilt> {
        let (new, old) = (self.known(), base.known());
        let mut rebuilt = Vec::new();
        let mut rest = &old[..];
        for new in new.chunk_by(|a, b| a.0.0 == b.0.0) {
            let object = new[0].0.0;
            let start = rest.partition_point(|known| known.0.0 < object);
            let end = rest.partition_point(|known| known.0.0 <= object);
            let of_object = &rest[start..end];
            rest = &rest[end..];
            let mut found = Rebuilt {
                object,
                common: 0,
                same: 0,
            };
            let mut others = of_object.iter().peekable();
            for (place, at) in new {
                while others.next_if(|other| other.0 < *place).is_some() {}
                if let Some((_, other)) = others.peek().filter(|other| other.0 == *place) {
                    found.common += 1;
                    found.same += usize::from(at == other);
                }
            }
            let is_on_both = !of_object.is_empty();
            let differs = (found.common - found.same) * MAX_DIFFERENT > found.common;
            if is_on_both && (differs || found.common == 0) {
                rebuilt.push(found);
            }
        }
        rebuilt
    }

    /// Each address once, by object.
    fn known(&self) -> Vec<Known> {
        let object = |function| self.profile().function(function).object;
        let all = self.costs().filter(|(at, _)| at.address != 0);
        let all = all.map(|(at, _)| {
            let place = (object(at.function), at.address);
            (place, (at.function, at.file, at.line))
        });
        let mut known: Vec<Known> = all.collect();
        known.sort_unstable();
        known.dedup_by_key(|known| known.0);
        known
    }
}

impl FunctionCode {
    /// These instructions compared with those of BASE. Jumps and executions are those of NEW.
    pub fn compared_with(self, base: &FunctionCode) -> FunctionCode {
        let nothing = vec![Count::UNDEFINED; self.width()];
        let mut all: Vec<Instruction> = self.instructions.clone();
        let is_gone = |one: &&Instruction| self.find(one.address).is_none();
        all.extend(
            base.instructions
                .iter()
                .filter(is_gone)
                .map(|one| Instruction {
                    fetches: one.fetches.map(|_| 0),
                    executions: one.executions.map(|_| 0),
                    skipped: 0,
                    ..*one
                }),
        );
        all.sort_by_key(|one| one.address);
        let costs_of = |code: &FunctionCode| {
            let mut costs = CostTable::new(code.width(), 0);
            for one in &all {
                let number = code.find(one.address);
                costs.push(number.map_or(&nothing, |number| code.cost(number).value));
            }
            costs
        };
        let (old, new) = (costs_of(base), costs_of(&self));
        let mut costs = new.clone();
        costs.subtract_all(&old);
        let calls = compared_calls(&self.calls, &base.calls);
        FunctionCode {
            instructions: all,
            costs,
            compared: Some((old, new)),
            calls,
            ..self
        }
    }
}

/// The calls of both sides: of each instruction those of each callee at each address.
fn compared_calls(new: &[CallFrom], base: &[CallFrom]) -> Vec<CallFrom> {
    let key = |call: &CallFrom| (call.from, call.callee, call.to);
    let mut all: Vec<(&CallFrom, bool)> = new.iter().map(|call| (call, false)).collect();
    all.extend(base.iter().map(|call| (call, true)));
    all.sort_by_key(|&(call, is_base)| (key(call), is_base));
    let mut calls = Vec::new();
    for group in all.chunk_by(|a, b| key(a.0) == key(b.0)) {
        let of = |side: bool| {
            let call = group.iter().find(|(_, is_base)| *is_base == side);
            let nothing = || vec![Count::UNDEFINED; group[0].0.cost.value.len()];
            call.map_or_else(
                || (0, nothing()),
                |(call, _)| (call.count.value, call.cost.value.clone()),
            )
        };
        let ((count, new), (old_count, base)) = (of(false), of(true));
        let mut change = new.clone();
        let counts = change.iter_mut().zip(&base);
        counts.for_each(|(count, base)| count.subtract(*base));
        let mark = compared(&base, &new).mark;
        calls.push(CallFrom {
            count: Figure {
                value: count - old_count,
                compared: Some(Compared {
                    base: old_count,
                    new: count,
                    mark,
                }),
            },
            cost: Figure {
                value: change,
                compared: Some(Compared { base, new, mark }),
            },
            ..group[0].0.clone()
        });
    }
    calls
}

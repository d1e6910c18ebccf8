//! The algebra of profiles: negate and merge. A difference is the one and the other; no report needs to know.

use super::count::{Count, Overflow, derive, spread};
use super::table::{Call, Key, Place, Table};
use super::{AddError, FunctionId, Part, Profile};

/// On which sides of a difference a row was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// In the profile itself.
    pub new: bool,
    /// In the one that was subtracted.
    pub base: bool,
}

impl Sides {
    /// On the sides of either.
    pub fn or(self, other: Sides) -> Sides {
        Sides {
            new: self.new || other.new,
            base: self.base || other.base,
        }
    }
}

/// What was subtracted from a profile.
pub struct Base {
    /// Its parts.
    pub parts: Vec<Part>,
    /// Its total, in the columns of the difference.
    pub total: Vec<Count>,
    /// By row of the difference's table of costs.
    costs: Vec<Sides>,
    calls: Vec<Sides>,
    /// The rest of it, its counts negative.
    negative: Box<Profile>,
    /// Where its rows went.
    merged: Merged,
}

/// The counts of one side of a difference, in the columns and by the rows of the difference.
pub struct Side {
    /// The self costs, one after the other.
    pub costs: Vec<Count>,
    /// The inclusive costs of calls, likewise.
    pub calls: Vec<Count>,
}

impl Base {
    /// Where the row of a self cost was.
    pub fn sides_of_cost(&self, row: usize) -> Sides {
        self.costs.get(row).copied().unwrap_or_default()
    }

    /// Where the row of a call was.
    pub fn sides_of_call(&self, row: usize) -> Sides {
        self.calls.get(row).copied().unwrap_or_default()
    }
}

impl Profile {
    /// Subtracts `base`: all counts become differences, and rows that only `base` has join.
    ///
    /// # Errors
    /// When a difference does not fit.
    pub fn subtract(&mut self, mut base: Profile) -> Result<(), AddError> {
        let total = base.total()?.0;
        base.negate()?;
        let only_new = |rows| {
            vec![
                Sides {
                    new: true,
                    base: false
                };
                rows
            ]
        };
        let (mut costs, mut calls) = (only_new(self.costs.len()), only_new(self.calls.len()));
        let merged = self.merge(&base)?;
        let both = |sides: &mut Vec<Sides>, rows: &[usize], len: usize| {
            sides.resize(len, Sides::default());
            rows.iter().for_each(|&row| sides[row].base = true);
        };
        both(&mut costs, &merged.costs, self.costs.len());
        both(&mut calls, &merged.calls, self.calls.len());
        let mut wide = vec![Count::UNDEFINED; self.events.len()];
        spread(&total, &merged.events, &mut wide);
        self.base = Some(Base {
            parts: std::mem::take(&mut base.parts),
            total: wide,
            costs,
            calls,
            negative: Box::new(base),
            merged,
        });
        Ok(())
    }

    /// The counts of a difference's sides: its own, and those that were subtracted; none if this is no difference.
    ///
    /// # Errors
    /// [`Overflow`] when a count does not fit.
    pub fn both_sides(&self) -> Result<Option<[Side; 2]>, Overflow> {
        let Some(Base {
            negative, merged, ..
        }) = &self.base
        else {
            return Ok(None);
        };
        let (new_costs, old_costs) =
            self.apart(&self.costs, &negative.costs, &merged.costs, merged)?;
        let (new_calls, old_calls) =
            self.apart(&self.calls, &negative.calls, &merged.calls, merged)?;
        let side = |costs, calls| Side { costs, calls };
        Ok(Some([
            side(new_costs, new_calls),
            side(old_costs, old_calls),
        ]))
    }

    /// Takes a table of differences apart. `rows` tells where those of `negative` went.
    fn apart<K: Key>(
        &self,
        table: &Table<K>,
        negative: &Table<K>,
        rows: &[usize],
        merged: &Merged,
    ) -> Result<(Vec<Count>, Vec<Count>), Overflow> {
        let width = self.events.len();
        let mut new: Vec<Count> = table.iter().flat_map(|(_, cost)| cost.to_vec()).collect();
        let mut old = vec![Count::UNDEFINED; new.len()];
        let mut wide = vec![Count::UNDEFINED; width];
        for (&row, (_, cost)) in rows.iter().zip(negative.iter()) {
            spread(cost, &merged.events, &mut wide);
            for (event, terms) in &self.derived {
                derive(&mut wide, *event, terms)?;
            }
            for (event, count) in wide.iter().enumerate() {
                if let Some(value) = count.value() {
                    let value = Count::new(value.checked_neg().ok_or(Overflow)?)?;
                    old[row * width + event].add(value)?;
                    new[row * width + event].add(value)?;
                }
            }
        }
        Ok((new, old))
    }

    /// Turns the sign of all counts, but for those of the parts.
    fn negate(&mut self) -> Result<(), Overflow> {
        self.costs.negate()?;
        self.calls.negate()?;
        for count in &mut self.call_counts {
            *count = count.checked_neg().ok_or(Overflow)?;
        }
        Ok(())
    }

    /// Adds the rows of another profile to this one's. Its parts stay where they are.
    fn merge(&mut self, other: &Profile) -> Result<Merged, AddError> {
        let mut merged = Merged::default();
        for name in other.events.names() {
            merged.events.push(self.add_event(name)?);
        }
        // By the other's numbers.
        let mut functions: Vec<FunctionId> = Vec::new();
        for (_, function) in other.functions() {
            let object = self.add_object(other.object(function.object))?;
            let file = self.add_file(other.file(function.file))?;
            let name = self.add_name(other.name(function.name))?;
            functions.push(self.add_function(object, file, name)?);
        }
        // Those that this profile has not seen it sees now, in the order in which the other one did.
        let mut seen: Vec<_> = other.functions().collect();
        seen.retain(|(_, function)| function.last_seen > 0);
        seen.sort_unstable_by_key(|(_, function)| function.last_seen);
        for (id, _) in seen {
            let own = functions[id.index()];
            if self.function(own).last_seen == 0 {
                self.see_function(own);
            }
        }
        let place = |profile: &mut Profile, place: Place| -> Result<Place, AddError> {
            let file = profile.add_file(other.file(place.file))?;
            Ok(Place {
                function: functions[place.function.index()],
                file,
                line: place.line,
            })
        };
        let mut wide = vec![Count::UNDEFINED; self.events.len()];
        for (at, cost) in other.costs.iter() {
            let at = place(self, at)?;
            spread(cost, &merged.events, &mut wide);
            self.add_cost(at, &wide)?;
            merged.costs.push(self.costs.row(at)?);
        }
        for (call, count, cost) in other.calls() {
            let call = Call {
                site: place(self, call.site)?,
                callee: functions[call.callee.index()],
            };
            spread(cost, &merged.events, &mut wide);
            self.add_call(call, count, &wide)?;
            merged.calls.push(self.calls.row(call)?);
        }
        Ok(merged)
    }
}

/// Where the rows of a merged profile went.
#[derive(Default)]
struct Merged {
    /// The events by the other's numbers.
    events: Vec<usize>,
    /// The rows that the other has a part in.
    costs: Vec<usize>,
    calls: Vec<usize>,
}

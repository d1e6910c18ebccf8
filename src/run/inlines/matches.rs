//! How the instructions of a profile and the debug information of an object match: whether lines
//! are equal, and which files and functions are the same.

use hashbrown::{HashMap, HashSet};

use super::spent::{CodeCost, ObjectCosts, add};
use crate::profile::{FileId, FunctionId, Profile, is_unknown_name};
use crate::program::{AddressTable, Inlines, Votes};

/// The instructions of an object, and its debug information at their addresses.
pub(super) type LookedUp<'a> = (ObjectCosts<'a>, &'a AddressTable);

/// What one pass over the instructions of an object tells about its debug information.
#[derive(Default)]
pub(super) struct Matches {
    /// The cost with lines, and the part of it whose lines are equal in the object.
    with_lines: i128,
    equal: i128,
    /// For each file and function of the object, the number of addresses that have each of the
    /// profile's there.
    pub(super) of_file: Votes<FileId>,
    pub(super) of_function: Votes<FunctionId>,
    /// The functions of the profile that are several functions in the debug information.
    several: HashSet<FunctionId>,
    /// What was spent in inlined copies, by event.
    pub(super) inlined: Vec<i128>,
}

impl Matches {
    pub(super) fn new(
        profile: &Profile,
        (spent, found): LookedUp<'_>,
        inlines: &Inlines<'_>,
    ) -> Matches {
        let is_known: Vec<bool> = profile.files().map(|file| !is_unknown_name(file)).collect();
        let mut matches = Matches::default();
        let mut first: HashMap<FunctionId, u32> = HashMap::new();
        let mut last = None;
        spent.iter().for_each(|CodeCost { at, cost }| {
            let known = found.get(at.address);
            let has_line = at.line > 0;
            let is_equal = has_line && known.is_some_and(|known| known.line == at.line);
            let count = cost.first().map_or(0, |count| i128::from(count.or_zero()).abs());
            if has_line {
                matches.with_lines += count;
            }
            if is_equal {
                matches.equal += count;
            }
            let Some(known) = known else {
                return;
            };
            if let Some(file) = known.file
                && is_equal
                && is_known[at.file.index()]
            {
                matches.of_file.add(file, at.file);
            }
            if known.instance.is_some() {
                add(&mut matches.inlined, cost);
            }
            let Some(host) = known.host else {
                return;
            };
            matches.of_function.add(host, at.function);
            // Most instructions follow one of the same function.
            let is_new = last.replace((at.function, host)) != Some((at.function, host));
            if is_new
                && inlines.functions[host as usize].is_symbol
                && *first.entry(at.function).or_insert(host) != host
            {
                matches.several.insert(at.function);
            }
        });
        matches
    }

    /// The share of the cost with lines whose lines are equal in the object, in percent; none
    /// without lines.
    pub(super) fn equal_percent(&self) -> Option<i128> {
        (self.with_lines > 0).then(|| self.equal * 100 / self.with_lines)
    }

    /// By address, its function's number in the debug information, if a function of the profile is
    /// several functions there.
    pub(super) fn instances(
        &self,
        inlines: &Inlines<'_>,
        (spent, found): LookedUp<'_>,
    ) -> HashMap<u64, u32> {
        if self.several.is_empty() {
            return HashMap::new();
        }
        let all = spent.iter().filter_map(|CodeCost { at, .. }| {
            let host = found.get(at.address)?.host?;
            let is_one =
                self.several.contains(&at.function) && inlines.functions[host as usize].is_symbol;
            is_one.then_some((at.address, host))
        });
        all.collect()
    }
}

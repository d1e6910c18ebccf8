//! What functions have on one side alone: the functions that the other side lacks, and the lines
//! and calls that others have there.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::ReasonMaker;
use super::super::aligned::AlignedLine;
use crate::profile::Call;
use crate::view::annotate::CostSource;
use crate::view::label::RowId;

/// Of a line that more functions than this have on either side, such as one of a template, it is
/// not known whose it was.
const MAX_AT_LINE: usize = 8;

/// Whether something is in NEW, and in BASE.
type OnSides = [bool; 2];

/// A cost of one side.
pub(super) struct Spent {
    /// The function that it is in, and the one that it is a call of.
    pub(super) row: RowId,
    pub(super) callee: Option<RowId>,
    /// Its line; none if lines of its file cannot be compared.
    pub(super) line: Option<AlignedLine>,
    is_base: bool,
    /// The cost, or what is lacking where BASE has it.
    pub(super) change: i64,
}

impl Spent {
    /// None if it costs nothing, or what it costs is not known, as of calls within a cycle.
    pub(super) fn new(
        maker: &ReasonMaker<'_, '_>,
        source: CostSource,
        is_base: bool,
    ) -> Option<Spent> {
        let (place, call, cost) = match source {
            CostSource::Place(number) => {
                (maker.profile.places[number as usize], None, maker.cost_of_place(number))
            }
            CostSource::Call(number) => {
                let call = maker.profile.calls[number as usize];
                (call.site, Some(call), maker.cost_of_call(number))
            }
        };
        let change = cost.only(is_base).change();
        if change == 0 || call.is_some_and(|call| is_inner(maker, call)) {
            return None;
        }
        let keys = maker.files.keys_of(place);
        Some(Spent {
            row: maker.input.rows.of_place(place),
            callee: call.map(|call| maker.input.rows.of_call(call).1),
            line: keys.map(|keys| if is_base { keys.base } else { keys.new }),
            is_base,
            change,
        })
    }
}

/// Whether a call is within a cycle on some side.
fn is_inner(maker: &ReasonMaker<'_, '_>, call: Call) -> bool {
    let caller = maker.profile.fragment(call.site.fragment).function;
    let (of, to) = maker.input.rows.of_call(call);
    let graphs = &maker.input.graphs;
    let mut sides = [Some(&graphs.new), graphs.base.as_ref()].into_iter().flatten();
    of == to || sides.any(|graph| graph.is_inner(caller, call.callee))
}

/// The functions, lines and calls of one side alone.
pub(super) struct CodeOnOneSide {
    /// The functions that only one side has and whose callers have their cost.
    in_callers: HashSet<RowId>,
    /// All functions that only one side has.
    functions: HashSet<RowId>,
    /// The lines that a function has on a side, BASE or not, alone, and others on the other side.
    lines: HashSet<(RowId, AlignedLine, bool)>,
    /// The calls that a function makes on one side alone, of those that have its lines on the other
    /// or of functions that the other lacks.
    calls: HashSet<(RowId, RowId)>,
}

impl CodeOnOneSide {
    /// Nothing without calls: a function that only one side has costs nothing at other lines then.
    pub(super) fn new(maker: &ReasonMaker<'_, '_>) -> CodeOnOneSide {
        let rows = maker.input.rows;
        let mut code = CodeOnOneSide {
            in_callers: HashSet::new(),
            functions: HashSet::new(),
            lines: HashSet::new(),
            calls: HashSet::new(),
        };
        if maker.profile.calls.is_empty() {
            return code;
        }
        code.functions = rows.all().filter(|&row| maker.is_on_one_side(row)).collect();
        let others = code.add_lines(maker);
        let mut sides: HashMap<(RowId, RowId), OnSides> = HashMap::new();
        for (number, &call) in maker.profile.calls.iter().enumerate() {
            let (caller, callee) = rows.of_call(call);
            let on = maker.profile.presence_of_call(number);
            let sides = sides.entry((caller, callee)).or_default();
            *sides = [sides[0] || on.new, sides[1] || on.base];
            if code.functions.contains(&callee) && !is_inner(maker, call) {
                code.in_callers.insert(callee);
            }
        }
        let of_one_side = sides.into_iter().filter(|(_, on)| on[0] != on[1]).map(|of| of.0);
        code.calls = of_one_side
            .filter(|of| code.functions.contains(&of.1) || others.contains(of))
            .collect();
        code
    }

    /// Adds the lines. Returns the functions that have some, each with one that has them on the
    /// other side.
    fn add_lines(&mut self, maker: &ReasonMaker<'_, '_>) -> HashSet<(RowId, RowId)> {
        let mut at_lines: BTreeMap<AlignedLine, BTreeMap<RowId, OnSides>> = BTreeMap::new();
        for (place, on) in maker.profile.places_and_sites() {
            let Some(keys) = maker.files.keys_of(place) else {
                continue;
            };
            let row = maker.input.rows.of_place(place);
            let of_sides = [(on.new, keys.new), (on.base, keys.base)].into_iter().enumerate();
            for (side, line) in of_sides.filter(|(_, of)| of.0).map(|(side, of)| (side, of.1)) {
                at_lines.entry(line).or_default().entry(row).or_default()[side] = true;
            }
        }
        let mut others = HashSet::new();
        for (line, functions) in at_lines {
            for is_base in [false, true] {
                let (side, other) = (usize::from(is_base), usize::from(!is_base));
                let alone = functions.iter().filter(|(_, on)| on[side] && !on[other]);
                let alone: Vec<RowId> = alone.map(|(row, _)| *row).collect();
                let on_other = functions.iter().filter(|(_, on)| on[other]);
                let on_other: Vec<RowId> = on_other.map(|(row, _)| *row).collect();
                if on_other.is_empty() || alone.len().min(on_other.len()) > MAX_AT_LINE {
                    continue;
                }
                for row in alone {
                    self.lines.insert((row, line, is_base));
                    others.extend(on_other.iter().map(|&other| (row, other)));
                }
            }
        }
        others
    }

    /// Whether a function's cost is that of the lines that call it.
    pub(super) fn is_in_callers(&self, row: RowId) -> bool {
        self.in_callers.contains(&row)
    }

    /// Whether a cost at a line whose text is the same is of code that its function has on one side
    /// alone.
    pub(super) fn has(&self, spent: &Spent) -> bool {
        let is_at = |line: AlignedLine| self.lines.contains(&(spent.row, line, spent.is_base));
        spent.line.is_some_and(is_at)
            || spent.callee.is_some_and(|callee| self.calls.contains(&(spent.row, callee)))
    }
}

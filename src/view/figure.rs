//! Figures: the numbers that a report shows for a row, a line or a call. In a difference a figure
//! has both sides and the change; every view returns figures and every renderer writes them.

use std::ops::Deref;

use crate::profile::{BASE, CostTable, Count, Events, NEW, Presence, Profile, Sides, add_cost};
use crate::view::label::RowId;

/// A figure, or how it changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figure<T> {
    /// The figure; in a difference the change, NEW minus BASE.
    pub value: T,
    /// Both sides; none if this is not a difference.
    pub compared: Option<Compared<T>>,
}

/// The two sides of a figure in a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared<T> {
    pub base: T,
    pub new: T,
    /// Set if only one side has the item of this figure.
    pub mark: Option<Mark>,
}

impl<T> Figure<T> {
    pub fn plain(value: T) -> Figure<T> {
        Figure { value, compared: None }
    }

    /// A figure from both sides, or from one; `change` computes the value of a difference from NEW
    /// and BASE.
    pub(super) fn of(sides: Sides<T>, change: impl FnOnce(&T, &T) -> T) -> Figure<T> {
        let Sides { new, base, .. } = sides;
        let Some(base) = base else {
            return Figure::plain(new);
        };
        Figure { value: change(&new, &base), compared: Some(Compared { base, new, mark: None }) }
    }

    /// A figure with the same value on both sides; usually an empty one to add to.
    pub(super) fn same(value: T, is_difference: bool) -> Figure<T>
    where
        T: Clone,
    {
        let base = is_difference.then(|| value.clone());
        Figure::of(Sides::of(value, base), |new, _| new.clone())
    }

    #[inline]
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> Figure<U> {
        Figure {
            value: of(self.value),
            compared: self.compared.map(|compared| Compared {
                base: of(compared.base),
                new: of(compared.new),
                mark: compared.mark,
            }),
        }
    }

    #[must_use]
    pub fn marked(mut self, mark: Option<Mark>) -> Figure<T> {
        if let Some(compared) = &mut self.compared {
            compared.mark = mark;
        }
        self
    }

    #[inline]
    pub fn as_ref(&self) -> Figure<&T> {
        Figure {
            value: &self.value,
            compared: self.compared.as_ref().map(|compared| Compared {
                base: &compared.base,
                new: &compared.new,
                mark: compared.mark,
            }),
        }
    }

    fn add_with<U>(&mut self, other: Figure<U>, add: impl Fn(&mut T, U)) {
        add(&mut self.value, other.value);
        if let Some((sides, others)) = self.compared.as_mut().zip(other.compared) {
            add(&mut sides.base, others.base);
            add(&mut sides.new, others.new);
        }
    }

    /// The figure on one side of a difference.
    #[inline]
    pub fn on(self, side: usize) -> Option<T> {
        let sides = self.compared?;
        match side {
            NEW => Some(sides.new),
            BASE => Some(sides.base),
            _ => None,
        }
    }

    /// BASE and NEW of a difference.
    pub fn sides(&self) -> Option<(&T, &T)> {
        let compared = self.compared.as_ref()?;
        Some((&compared.base, &compared.new))
    }

    pub fn mark(&self) -> Option<Mark> {
        self.compared.as_ref()?.mark
    }
}

pub type CostFigure<'c> = Figure<&'c [Count]>;

impl CostFigure<'_> {
    pub fn event(&self, event: usize) -> Figure<Count> {
        self.map(|cost| cost[event])
    }

    pub fn to_owned(self) -> Figure<Cost> {
        self.map(<[Count]>::to_vec)
    }

    /// Whether the sides of a difference are equal in these events.
    pub fn is_unchanged(&self, events: &[usize]) -> bool {
        events.iter().all(|&event| self.value[event].or_zero() == 0)
    }
}

impl Figure<Count> {
    pub(super) fn add(&mut self, other: Figure<Count>) {
        self.add_with(other, Count::add);
    }

    /// The change as a percentage of the absolute value of BASE; none if BASE is 0.
    pub fn percent(&self) -> Option<f64> {
        let base = self.compared?.base.or_zero();
        (base != 0).then(|| self.value.or_zero() as f64 * 100.0 / (base as f64).abs())
    }

    /// The same of counts that hold ratios.
    pub fn percent_of_ratio(&self) -> Option<f64> {
        let base = self.compared?.base.ratio().filter(|&base| base != 0.0)?;
        Some(self.value.ratio().unwrap_or(0.0) * 100.0 / base.abs())
    }
}

impl Figure<Cost> {
    /// A figure of undefined costs, with both sides if `is_difference`.
    pub fn undefined(events: usize, is_difference: bool) -> Figure<Cost> {
        Figure::same(vec![Count::UNDEFINED; events], is_difference)
    }

    pub fn derive(&mut self, events: &Events) {
        events.derive(&mut self.value);
        let Some(sides) = &mut self.compared else {
            return;
        };
        events.derive(&mut sides.base);
        events.derive(&mut sides.new);
        if !events.ratios().is_empty() {
            self.value = events.difference(&sides.new, &sides.base);
        }
    }

    pub fn add(&mut self, other: CostFigure<'_>) {
        self.add_with(other, |sum, cost| add_cost(sum, cost));
    }

    pub fn counts(&self) -> CostFigure<'_> {
        self.as_ref().map(Vec::as_slice)
    }
}

/// Numbers of calls. Undefined if there were none, as for the roots of a program and inlined code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCounts {
    pub by_others: Count,
    /// Recursive calls of a function, and calls within a group or cycle.
    pub recursive: Count,
    /// Whether there are executions of inlined copies too, which are not counted.
    pub has_inlined: bool,
    /// The calls by others, within a cycle, while the function was on the stack already; between
    /// two rows those whose cost is part of the cost of others.
    pub nested: Count,
    /// Whether others within a cycle called it, of which the profile does not say how many were
    /// nested.
    pub(super) may_be_nested: bool,
    /// Whether it is not known how many of these there are.
    pub(super) are_uncounted: bool,
    /// Whether the calls by others are an estimate, as those of a path whose functions have other
    /// callers, too.
    pub are_estimated: bool,
}

/// The calls that a cost is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallDivisor {
    /// A self cost, which recursive calls have too.
    AllCalls,
    /// An inclusive cost: that of a call has the cost of those nested in it.
    OutermostCalls,
}

/// The positions of numbers of calls in a row of a table. [`HAS_INLINED`], [`MAY_BE_NESTED`] and
/// [`ARE_UNCOUNTED`] are 0 if there are such calls, else undefined.
pub(super) const BY_OTHERS: usize = 0;
pub(super) const RECURSIVE: usize = 1;
pub(super) const HAS_INLINED: usize = 2;
pub(super) const NESTED: usize = 3;
pub(super) const MAY_BE_NESTED: usize = 4;
pub(super) const ARE_UNCOUNTED: usize = 5;
/// How many there are.
pub(super) const CALL_COUNTS: usize = 6;

impl CallCounts {
    /// The numbers of a row of a table of calls.
    pub fn of_counts(counts: &[Count]) -> CallCounts {
        CallCounts {
            by_others: counts[BY_OTHERS],
            recursive: counts[RECURSIVE],
            has_inlined: counts[HAS_INLINED].value().is_some(),
            nested: counts[NESTED],
            may_be_nested: counts[MAY_BE_NESTED].value().is_some(),
            are_uncounted: counts[ARE_UNCOUNTED].value().is_some(),
            are_estimated: false,
        }
    }

    /// The calls by others and by itself.
    pub fn all(self) -> Count {
        match (self.by_others.value(), self.recursive.value()) {
            (None, None) => Count::UNDEFINED,
            (by_others, recursive) => {
                Count::new(by_others.unwrap_or(0).saturating_add(recursive.unwrap_or(0)))
            }
        }
    }

    /// The cost per call of one of these kinds; none if their number is not known.
    pub fn per_call(self, cost: Count, divisor: CallDivisor) -> Option<f64> {
        let by_others = i128::from(self.by_others.or_zero());
        let (calls, is_known) = match divisor {
            CallDivisor::AllCalls => (by_others + i128::from(self.recursive.or_zero()), true),
            CallDivisor::OutermostCalls => {
                (by_others - i128::from(self.nested.or_zero()), !self.may_be_nested)
            }
        };
        let is_known = is_known && calls > 0 && self.are_all_counted();
        is_known.then(|| cost.or_zero() as f64 / calls as f64)
    }

    /// Whether some calls have a cost, which others are part of.
    pub fn are_partly_nested(&self) -> bool {
        (1..self.by_others.or_zero()).contains(&self.nested.or_zero())
    }

    /// The number of calls by others that were not nested in one another, if some were and their
    /// number is known.
    pub fn outermost(self) -> Option<i64> {
        let nested = self.nested.or_zero();
        let is_known = nested > 0 && !self.may_be_nested;
        is_known.then(|| self.by_others.or_zero().saturating_sub(nested))
    }

    /// Whether all calls were counted.
    pub fn are_all_counted(self) -> bool {
        !self.has_inlined && !self.are_uncounted && !self.are_estimated
    }

    pub(super) fn is_any(self) -> bool {
        (self.by_others.or_zero(), self.recursive.or_zero()) != (0, 0)
    }
}

impl Figure<CallCounts> {
    /// The calls between two rows; undefined if all are executions of inlined copies.
    pub fn of_calls(counted: Figure<i64>, has_inlined: bool) -> Figure<CallCounts> {
        let is_any = counted.sides().unwrap_or((&0, &counted.value)) != (&0, &0);
        counted.map(|number| CallCounts {
            by_others: if is_any || !has_inlined { Count::new(number) } else { Count::UNDEFINED },
            recursive: Count::UNDEFINED,
            has_inlined,
            nested: Count::UNDEFINED,
            may_be_nested: false,
            are_uncounted: false,
            are_estimated: false,
        })
    }

    /// The calls from an instruction, if their number is known.
    pub fn of_known_calls(count: Option<i64>) -> Figure<CallCounts> {
        let calls = Figure::of_calls(Figure::plain(count.unwrap_or(0)), false);
        if count.is_none() { calls.uncounted() } else { calls }
    }

    /// The same with the numbers of those whose cost is part of the cost of others.
    pub(super) fn with_nested(mut self, nested: Figure<i64>) -> Figure<CallCounts> {
        self.add_with(nested, |calls, nested| calls.nested = Count::new(nested));
        self
    }

    /// Whether all calls between two rows are executions of inlined copies.
    pub fn is_inlined(&self) -> bool {
        self.value.has_inlined && self.value.by_others.value().is_none()
    }

    /// Whether calls between two rows were not counted.
    pub fn is_unknown(&self) -> bool {
        self.value.are_uncounted && !self.is_inlined()
    }

    /// The same calls, whose number is not known.
    pub(super) fn uncounted(self) -> Figure<CallCounts> {
        self.map(|calls| CallCounts { by_others: Count::UNDEFINED, are_uncounted: true, ..calls })
    }

    /// The same calls, whose number is an estimate.
    pub(super) fn estimated(self) -> Figure<CallCounts> {
        self.map(|calls| CallCounts { are_estimated: true, ..calls })
    }

    pub fn add(&mut self, other: Figure<CallCounts>) {
        let is_unknown = self.value.are_uncounted || other.value.are_uncounted;
        self.add_with(other, |sum, calls| {
            sum.by_others.add(calls.by_others);
            sum.nested.add(calls.nested);
            sum.has_inlined |= calls.has_inlined;
        });
        if is_unknown {
            *self = self.uncounted();
        }
    }
}

/// A list of cost figures, by index.
pub struct FigureTable {
    /// The figures; in a series of more than two profiles the value is the largest minus the
    /// smallest.
    pub(super) tables: Figure<CostTable>,
    /// The tables of the sides before BASE.
    earlier: Vec<CostTable>,
    /// The marks by index, in a difference whose marks are known.
    marks: Vec<Option<Mark>>,
}

impl FigureTable {
    /// Computes the derived events of all sides.
    pub(super) fn new(sides: Sides<CostTable>, profile: &Profile) -> FigureTable {
        let events = profile.events();
        let mut figures = FigureTable::of_sides(sides.map(|mut table| {
            table.derive(events);
            table
        }));
        if let Figure { value, compared: Some(sides) } = &mut figures.tables
            && !events.ratios().is_empty()
        {
            for row in 0..value.len() {
                let change = events.difference(sides.new.get(row), sides.base.get(row));
                value.get_mut(row).copy_from_slice(&change);
            }
        }
        if profile.is_series() && !figures.earlier.is_empty() {
            let spread = Spread::new(profile);
            for row in 0..figures.tables.value.len() {
                let of_row = spread.of(|side| figures.side(side, row));
                figures.tables.value.get_mut(row).copy_from_slice(&of_row);
            }
        }
        figures
    }

    pub(super) fn of_sides(mut sides: Sides<CostTable>) -> FigureTable {
        let earlier = std::mem::take(&mut sides.earlier);
        let tables = Figure::of(sides, |new, base| {
            let mut changes = new.clone();
            changes.subtract_all(base);
            changes
        });
        FigureTable { earlier, ..FigureTable::of_tables(tables) }
    }

    fn of_tables(tables: Figure<CostTable>) -> FigureTable {
        FigureTable { tables, earlier: Vec::new(), marks: Vec::new() }
    }

    /// The cost at an index on one side.
    #[inline]
    pub fn side(&self, side: usize, row: usize) -> Option<&[Count]> {
        let table = match (side, &self.tables.compared) {
            (NEW, None) => &self.tables.value,
            (NEW, Some(sides)) => &sides.new,
            (BASE, sides) => &sides.as_ref()?.base,
            _ => self.earlier.get(side - 2)?,
        };
        Some(table.get(row))
    }

    /// The change of the cost at an index from one side to NEW; the cost itself if there is no such
    /// side.
    pub fn change_from(&self, side: usize, row: usize, events: &Events) -> Figure<Cost> {
        let on = |side| self.side(side, row).map(<[Count]>::to_vec);
        let new = on(NEW).unwrap_or_default();
        Figure::of(Sides::of(new, on(side)), |new, base| events.difference(new, base))
    }

    /// Whether the counts at an index on a side before BASE differ from those of BASE.
    pub(super) fn has_changed_before(&self, row: usize) -> bool {
        let numbers = |cost: &[Count]| cost.iter().map(|count| count.or_zero()).collect::<Vec<_>>();
        let base = self.side(BASE, row).map(numbers);
        self.earlier.iter().any(|table| Some(numbers(table.get(row))) != base)
    }

    /// The cost at an index, with those of all sides.
    #[inline]
    pub fn item(&self, row: usize) -> ItemCost<'_> {
        ItemFigure { figure: self.get(row), item: Some((self, row)) }
    }

    /// The cost at an index, if the table reaches there.
    pub fn known_item(&self, row: usize) -> Option<ItemCost<'_>> {
        (row < self.tables.value.len()).then(|| self.item(row))
    }

    /// Sets the marks, if this is a difference.
    pub(super) fn with_marks(mut self, marks: impl Iterator<Item = Option<Mark>>) -> FigureTable {
        if self.is_difference() {
            self.marks = marks.collect();
        }
        self
    }

    pub(super) fn append(&mut self, other: &FigureTable) {
        self.marks.resize(self.tables.value.len(), None);
        self.marks.extend(&other.marks);
        let append =
            |to: &mut CostTable, from: &CostTable| from.iter().for_each(|cost| to.push(cost));
        self.tables.add_with(other.tables.as_ref(), append);
        let earlier = self.earlier.iter_mut().zip(&other.earlier);
        earlier.for_each(|(to, from)| append(to, from));
    }

    /// By row of an order, the sum of its figure and of those before it. What has no figure of its
    /// own, as a cycle, adds nothing.
    pub fn running_sums(&self, order: &[RowId], events: &Events) -> FigureTable {
        let last = order.iter().map(|item| item.index() + 1).max();
        FigureTable::of_tables(self.tables.as_ref().map(|table| {
            let mut sums = CostTable::new(table.width(), last.unwrap_or(0));
            let mut sum = vec![Count::UNDEFINED; table.width()];
            for at in order.iter().map(|item| item.index()) {
                if at < table.len() {
                    add_cost(&mut sum, table.get(at));
                }
                sums.get_mut(at).copy_from_slice(&sum);
            }
            sums.derive(events);
            sums
        }))
    }

    /// The figures at these indices, in this order, without their marks.
    pub(super) fn select(&self, rows: impl ExactSizeIterator<Item = usize> + Clone) -> FigureTable {
        let select = |table: &CostTable| {
            let mut selected = CostTable::with_capacity(table.width(), rows.len());
            rows.clone().for_each(|row| selected.push(table.get(row)));
            selected
        };
        let earlier = self.earlier.iter().map(select).collect();
        FigureTable { earlier, ..FigureTable::of_tables(self.tables.as_ref().map(select)) }
    }

    /// The sum of all figures, without derived events.
    pub(super) fn sum(&self) -> Figure<Cost> {
        self.tables.as_ref().map(CostTable::sum)
    }

    pub(super) fn is_difference(&self) -> bool {
        self.tables.compared.is_some()
    }

    #[inline]
    pub fn get(&self, row: usize) -> CostFigure<'_> {
        let figure = self.tables.as_ref().map(|table| table.get(row));
        figure.marked(self.marks.get(row).copied().flatten())
    }
}

/// The [`Figure`] of an item, and where those of all sides are: a series has more than two.
#[derive(Clone, Copy)]
pub struct ItemFigure<'t, T> {
    figure: Figure<T>,
    /// A table, and the index of the item; none if the figure itself has all sides.
    item: Option<(&'t FigureTable, usize)>,
}

pub type ItemCost<'t> = ItemFigure<'t, &'t [Count]>;

impl<T> From<Figure<T>> for ItemFigure<'_, T> {
    fn from(figure: Figure<T>) -> Self {
        ItemFigure { figure, item: None }
    }
}

impl<T> Deref for ItemFigure<'_, T> {
    type Target = Figure<T>;

    fn deref(&self) -> &Figure<T> {
        &self.figure
    }
}

impl<'t> ItemCost<'t> {
    /// The cost on one side of a comparison, if the item is on it.
    pub fn on(self, side: usize) -> Option<&'t [Count]> {
        match self.item {
            Some((table, row)) => table.side(side, row),
            None => self.figure.on(side),
        }
    }

    #[must_use]
    pub fn marked(self, mark: Option<Mark>) -> ItemCost<'t> {
        ItemFigure { figure: self.figure.marked(mark), ..self }
    }

    /// The same item with another figure, whose sides are the same.
    #[must_use]
    pub fn with_figure(self, figure: CostFigure<'t>) -> ItemCost<'t> {
        ItemFigure { figure, ..self }
    }

    /// The item of a table of numbers of calls.
    pub(super) fn calls(self) -> ItemFigure<'t, CallCounts> {
        ItemFigure { figure: self.figure.map(CallCounts::of_counts), item: self.item }
    }
}

impl ItemFigure<'_, CallCounts> {
    /// The numbers on one side of a comparison.
    pub fn on(self, side: usize) -> Option<CallCounts> {
        match self.item {
            Some((table, row)) => table.side(side, row).map(CallCounts::of_counts),
            None => self.figure.on(side),
        }
    }
}

/// The largest minus the smallest of the costs on the sides of a series. A side that did not record
/// an event has none; of the others, a side without a count has 0.
pub struct Spread {
    /// By side and event, whether the side has the event.
    is_known: Vec<Vec<bool>>,
    is_ratio: Vec<bool>,
}

impl Spread {
    pub fn new(profile: &Profile) -> Spread {
        let (events, ratios) = (0..profile.events().len(), profile.events().ratios());
        let of_side = |side| {
            let own = profile.events_of(side);
            events.clone().map(|event| own.contains(&event)).collect()
        };
        Spread {
            is_known: (0..profile.sides().count()).map(of_side).collect(),
            is_ratio: events.clone().map(|event| ratios.contains(&event)).collect(),
        }
    }

    /// The spread by event of the costs that `cost` has by side; undefined where no side has a
    /// count.
    pub fn of<'c>(&self, cost: impl Fn(usize) -> Option<&'c [Count]>) -> Cost {
        let of_event = |event: usize| {
            let known = self.is_known.iter().enumerate().filter(|(_, known)| known[event]);
            let counts = known.filter_map(|(side, _)| Some(*cost(side)?.get(event)?));
            if counts.clone().all(|count| count.value().is_none()) {
                return Count::UNDEFINED;
            }
            // The order of counts that hold ratios is that of the ratios.
            let numbers = counts.map(Count::or_zero);
            let most = Count::new(numbers.clone().max().unwrap_or(0));
            let least = Count::new(numbers.min().unwrap_or(0));
            if self.is_ratio[event] {
                let [most, least] = [most, least].map(|count| count.ratio().unwrap_or(0.0));
                return Count::of_ratio(most - least);
            }
            let mut spread = most;
            spread.subtract(least);
            spread
        };
        (0..self.is_ratio.len()).map(of_event).collect()
    }
}

/// One count per event.
pub type Cost = Vec<Count>;

/// The mark of an item that only one side of a difference has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Only in NEW.
    New,
    /// Only in BASE.
    Gone,
}

impl Mark {
    /// The name of the mark in CSV and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Mark::New => "new",
            Mark::Gone => "gone",
        }
    }

    /// The mark of an item on these sides; none if it is on both or on neither.
    pub fn of(presence: Presence) -> Option<Mark> {
        match (presence.new, presence.base) {
            (true, false) => Some(Mark::New),
            (false, true) => Some(Mark::Gone),
            _ => None,
        }
    }
}

/// By event the smallest and the largest of some counts, if any is defined.
pub struct Extent(pub Vec<Option<(i64, i64)>>);

impl Extent {
    pub fn new(events: usize) -> Extent {
        Extent(vec![None; events])
    }

    #[inline]
    pub fn include(&mut self, cost: &[Count]) {
        for (event, count) in cost.iter().enumerate() {
            if let Some(value) = count.value() {
                let (low, high) = self.0[event].get_or_insert((value, value));
                *low = value.min(*low);
                *high = value.max(*high);
            }
        }
    }
}

/// The total of a profile.
#[derive(Clone)]
pub struct Total {
    pub figure: Figure<Cost>,
    /// Whether it is the sum of the self costs because no file states a total.
    pub is_calculated: bool,
    /// The cost that is 100%, by event: the total, that of BASE, or the largest of a series.
    pub reference: Vec<Count>,
    /// The totals of all sides.
    pub sides: Sides<Cost>,
}

impl Total {
    /// The totals of all sides as a table with a single item.
    pub fn table(&self) -> FigureTable {
        FigureTable::of_sides(self.sides.as_ref().map(|total| {
            let mut table = CostTable::new(total.len(), 1);
            table.get_mut(0).copy_from_slice(total);
            table
        }))
    }

    pub fn of(profile: &Profile) -> Total {
        let (sides, events) = (profile.sides(), profile.events());
        let of_sides = sides.as_ref().map(|side| side.total(events));
        let is_calculated = of_sides.new.1;
        let totals = of_sides.map(|(total, _)| total);
        let mut figure = Figure::of(totals.clone(), |new, base| events.difference(new, base));
        let mut reference = figure.sides().map_or(&figure.value, |(base, _)| base).clone();
        if profile.is_series() {
            let cost = |side: usize| totals.get(side).map(Vec::as_slice);
            figure.value = Spread::new(profile).of(cost);
            for total in totals.iter() {
                let counts = reference.iter_mut().zip(total);
                counts.for_each(|(largest, &count)| *largest = largest.larger(count));
            }
        }
        Total { figure, is_calculated, reference, sides: totals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_per_call() {
        use CallDivisor::{AllCalls, OutermostCalls};
        let counts = |by_others: i64, recursive: i64| CallCounts {
            by_others: Count::new(by_others),
            recursive: Count::new(recursive),
            has_inlined: false,
            nested: Count::UNDEFINED,
            may_be_nested: false,
            are_uncounted: false,
            are_estimated: false,
        };
        let with_nested = CallCounts { nested: Count::new(1), ..counts(3, 0) };
        let in_cycle = CallCounts { may_be_nested: true, ..counts(3, 0) };
        // How often the copies were executed is not counted.
        let with_copies = CallCounts { has_inlined: true, ..counts(3, 0) };
        let with_parts = CallCounts { are_uncounted: true, ..counts(3, 0) };
        // The calls, and 60 for each of all, and of those that are not nested.
        let table = [
            (counts(3, 0), [Some(20.0), Some(20.0)]),
            (counts(3, 2), [Some(12.0), Some(20.0)]),
            (counts(0, 2), [Some(30.0), None]),
            (counts(0, 0), [None, None]),
            (with_nested, [Some(20.0), Some(30.0)]),
            (in_cycle, [Some(20.0), None]),
            (with_copies, [None, None]),
            (with_parts, [None, None]),
        ];
        for (calls, expected) in table {
            let divisors = [AllCalls, OutermostCalls];
            let costs = divisors.map(|divisor| calls.per_call(Count::new(60), divisor));
            assert_eq!(costs, expected, "{calls:?}");
        }
    }
}

//! Figures: the numbers that a report shows for a row, a line or a call. In a difference a figure
//! has both sides and the change; every view returns figures and every renderer writes them.

use crate::profile::{CostTable, Count, Events, Presence, Profile, Sides, add_cost};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figure<T> {
    /// The figure; in a difference the change, NEW minus BASE.
    pub value: T,
    /// Both sides; none if this is not a difference.
    pub compared: Option<Compared<T>>,
}

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
        let Sides { new, base } = sides;
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
        Figure::of(Sides { new: value, base }, |new, _| new.clone())
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

    /// The same of counts that stand for ratios.
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
}

impl CallCounts {
    /// The cost per call. The self cost is divided by all calls; the inclusive cost only by those
    /// from other functions, which include the cost of recursive calls.
    pub fn per_call(self, cost: Count, is_inclusive: bool) -> Option<f64> {
        let nested = if is_inclusive { 0 } else { i128::from(self.recursive.or_zero()) };
        let calls = i128::from(self.by_others.or_zero()) + nested;
        (calls > 0 && !self.has_inlined).then(|| cost.or_zero() as f64 / calls as f64)
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
        })
    }

    /// Whether all calls between two rows are executions of inlined copies.
    pub fn is_inlined(&self) -> bool {
        self.value.has_inlined && self.value.by_others.value().is_none()
    }

    /// Whether calls between two rows were not counted.
    pub fn is_unknown(&self) -> bool {
        !self.value.has_inlined && self.value.by_others.value().is_none()
    }

    pub fn add(&mut self, other: Figure<CallCounts>) {
        self.add_with(other, |sum, calls| {
            sum.by_others.add(calls.by_others);
            sum.has_inlined |= calls.has_inlined;
        });
    }
}

/// A list of cost figures, by index.
pub struct FigureTable {
    pub(super) tables: Figure<CostTable>,
    /// The marks by index, in a difference whose marks are known.
    marks: Vec<Option<Mark>>,
}

impl FigureTable {
    /// Computes the derived events of both sides.
    pub(super) fn new(sides: Sides<CostTable>, events: &Events) -> FigureTable {
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
        figures
    }

    pub(super) fn of_sides(sides: Sides<CostTable>) -> FigureTable {
        FigureTable::of_tables(Figure::of(sides, |new, base| {
            let mut changes = new.clone();
            changes.subtract_all(base);
            changes
        }))
    }

    fn of_tables(tables: Figure<CostTable>) -> FigureTable {
        let marks = Vec::new();
        FigureTable { tables, marks }
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
    }

    /// The figures at these indices, in this order, without their marks.
    pub(super) fn select(&self, rows: impl ExactSizeIterator<Item = usize> + Clone) -> FigureTable {
        FigureTable::of_tables(self.tables.as_ref().map(|table| {
            let mut selected = CostTable::with_capacity(table.width(), rows.len());
            rows.clone().for_each(|row| selected.push(table.get(row)));
            selected
        }))
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

#[derive(Clone)]
pub struct Total {
    pub figure: Figure<Cost>,
    /// Whether it is the sum of the self costs because no file states a total.
    pub is_calculated: bool,
    /// The cost that is 100%, by event: the total, or that of BASE.
    pub reference: Vec<Count>,
}

impl Total {
    pub fn of(profile: &Profile) -> Total {
        let (sides, events) = (profile.sides(), profile.events());
        let totals = sides.as_ref().map(|side| side.total(events));
        let is_calculated = totals.new.1;
        let totals = totals.map(|(total, _)| total);
        let figure = Figure::of(totals, |new, base| events.difference(new, base));
        let reference = figure.sides().map_or(&figure.value, |(base, _)| base).clone();
        Total { figure, is_calculated, reference }
    }
}

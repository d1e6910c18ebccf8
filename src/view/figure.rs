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

    pub(super) fn add_with<U>(&mut self, other: Figure<U>, add: impl Fn(&mut T, U)) {
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
    pub(super) figure: Figure<T>,
    /// A table, and the index of the item; none if the figure itself has all sides.
    pub(super) item: Option<(&'t FigureTable, usize)>,
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

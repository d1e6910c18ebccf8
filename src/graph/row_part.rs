//! The code of a row by component, and what the code in one component costs on behalf of others
//! than the row.

use super::estimate::Estimate;
use super::members::Component;
use super::shares::{ShareSource, Shares};
use super::{Arc, CallGraph};
use crate::profile::{Count, FragmentId, FunctionId, add_cost};

/// A row with the functions that count with all their code, and the parts of other functions.
pub(super) struct WideRow {
    pub(super) row: u32,
    pub(super) functions: Vec<FunctionId>,
    pub(super) fragments: Vec<FragmentId>,
    /// What is shown at least: the cost of a function of the row may be estimated itself.
    pub(super) floor: Vec<Count>,
}

/// What a row has in one component.
#[derive(Clone, Copy)]
pub(super) struct RowPart<'r> {
    pub(super) component: usize,
    pub(super) functions: &'r [FunctionId],
    pub(super) fragments: &'r [FragmentId],
}

/// What all activations of a row's code in one cycle cost on behalf of others than the row, by
/// event: nested ones are counted again.
struct Activations {
    whole: Vec<Estimate>,
    /// What callers outside the cycle paid of it.
    from_outside: Vec<Estimate>,
    /// What callers within the cycle paid of it.
    from_inside: Vec<Estimate>,
    /// The calls by functions after the row's first one that lead forward in the order.
    forward: Vec<Count>,
    /// The calls within the cycle that the row's parts of functions make.
    out_of_parts: Vec<Count>,
}

impl CallGraph<'_> {
    /// The code of a row by component, which puts its functions and its parts of others into that
    /// order.
    pub(super) fn parts<'r>(
        &self,
        functions: &'r mut [FunctionId],
        fragments: &'r mut [FragmentId],
    ) -> impl Iterator<Item = RowPart<'r>> {
        let of_function = |function: &FunctionId| self.component_of(*function);
        let of_fragment =
            |fragment: &FragmentId| self.component_of(self.profile.fragment(*fragment).function);
        functions.sort_by_key(of_function);
        fragments.sort_by_key(of_fragment);
        let (mut functions, mut fragments) = (&*functions, &*fragments);
        std::iter::from_fn(move || {
            let first = [functions.first().map(of_function), fragments.first().map(of_fragment)];
            let component = first.into_iter().flatten().min()?;
            let is_function_here = |function: &&FunctionId| of_function(function) == component;
            let is_fragment_here = |fragment: &&FragmentId| of_fragment(fragment) == component;
            let here = (
                functions.iter().take_while(is_function_here).count(),
                fragments.iter().take_while(is_fragment_here).count(),
            );
            Some(RowPart {
                component,
                functions: functions.split_off(..here.0).unwrap_or_default(),
                fragments: fragments.split_off(..here.1).unwrap_or_default(),
            })
        })
    }

    /// Whether functions of a row, and parts of others in the same component, are on the stack
    /// together, so that their costs do not add up.
    pub(super) fn are_joined(&self, functions: &[FunctionId], fragments: &[FragmentId]) -> bool {
        let first = fragments.first().map(|&fragment| self.profile.fragment(fragment).function);
        let member = first.and_then(|function| self.members.number(function));
        let component = member.map(|member| self.members.component(member));
        functions.len() + fragments.len() > 1
            && component.is_some_and(|of| of.is_cycle && !of.is_mixed.contains(&true))
    }

    /// What functions of a component spent there and outside of it, and what callers outside paid.
    pub(super) fn bounds_of_part(&self, functions: &[FunctionId]) -> [Vec<Count>; 2] {
        let mut spent = vec![Count::UNDEFINED; self.own.width()];
        let mut paid = spent.clone();
        for &function in functions {
            for fragment in self.fragments_of(function) {
                add_cost(&mut spent, self.own(fragment));
                let leaving = self.out_of(fragment).filter(|&(_, arc)| self.leaves_component(arc));
                leaving.for_each(|(id, _)| add_cost(&mut spent, self.cost(id)));
            }
            let entering = self.into(function).filter(|&(_, arc)| self.leaves_component(arc));
            entering.for_each(|(id, _)| add_cost(&mut paid, self.cost(id)));
        }
        [spent, paid]
    }

    /// Adds what a function costs on behalf of others than the row, if it is in no component with
    /// others.
    pub(super) fn add_paid_for_others(
        &self,
        function: FunctionId,
        shares: &Shares<'_, '_>,
        whole: &mut [Estimate],
    ) {
        let unpaid = self.inclusive_by_function().unpaid.get(function.index());
        for (event, &unpaid) in unpaid.iter().enumerate() {
            whole[event].add(unpaid, 1.0);
        }
        for (id, arc) in self.into(function).filter(|&(_, arc)| self.is_counted(arc)) {
            let source = shares.source(arc);
            for (event, &count) in self.cost(id).iter().enumerate() {
                whole[event].add(count, 1.0 - shares.share(source, event));
            }
        }
    }

    /// Whether the calls of an arc begin activations whose cost counts: those that are nested by
    /// their level do not, but those of copies are no levels.
    fn is_counted(&self, arc: Arc) -> bool {
        !arc.is_nested || self.profile.is_inlined(arc.callee)
    }

    /// What a row's code in one component costs on behalf of others, by event. Parts of functions
    /// are only in cycles.
    pub(super) fn inclusive_of_part(
        &self,
        part: RowPart<'_>,
        shares: &Shares<'_, '_>,
    ) -> Vec<Estimate> {
        let members = &self.members;
        let numbers: Option<Vec<usize>> =
            part.functions.iter().map(|&function| members.number(function)).collect();
        let Some(mut numbers) = numbers else {
            let mut whole = vec![Estimate::NONE; self.own.width()];
            for &function in part.functions {
                self.add_paid_for_others(function, shares, &mut whole);
            }
            return whole;
        };
        let one = part.fragments.is_empty().then_some(&numbers[..]);
        let entered_for_others = self.part_entered_for_others(one, shares);
        let mut cost = self.activations(part.functions, entered_for_others.as_deref(), shares);
        if entered_for_others.is_some() {
            return cost.whole;
        }
        self.add_code(part.fragments, &mut cost);
        let of_fragment = |&fragment: &FragmentId| self.profile.fragment(fragment).function;
        let first_fragment = part.fragments.first().map(of_fragment);
        let any = numbers.first().copied();
        let Some(member) = any.or(first_fragment.and_then(|function| members.number(function)))
        else {
            return cost.whole;
        };
        numbers.sort_unstable();
        self.counted_once(members.component(member), &numbers, cost, shares)
    }

    /// What all activations of functions of a row in one cycle cost on behalf of others.
    /// `entered_for_others` is the part of calls within the cycle, if that is known.
    fn activations(
        &self,
        functions: &[FunctionId],
        entered_for_others: Option<&[f64]>,
        shares: &Shares<'_, '_>,
    ) -> Activations {
        let none = vec![Estimate::NONE; self.own.width()];
        let mut cost = Activations {
            whole: none.clone(),
            from_outside: none.clone(),
            from_inside: none,
            forward: vec![Count::UNDEFINED; self.own.width()],
            out_of_parts: vec![Count::UNDEFINED; self.own.width()],
        };
        let first = functions.iter().map(|&function| self.place(function)).min();
        let unpaid = &self.inclusive_by_function().unpaid;
        for &function in functions {
            for (whole, &unpaid) in cost.whole.iter_mut().zip(unpaid.get(function.index())) {
                whole.add(unpaid, 1.0);
            }
            for (id, arc) in self.into(function).filter(|&(_, arc)| self.is_counted(arc)) {
                let source = shares.source(arc);
                let is_outside = self.leaves_component(arc);
                let is_by_row = matches!(source, ShareSource::All);
                let from = if is_outside { &mut cost.from_outside } else { &mut cost.from_inside };
                if !is_outside
                    && !is_by_row
                    && !self.goes_back(arc)
                    && Some(self.place(self.caller(arc))) > first
                {
                    add_cost(&mut cost.forward, self.cost(id));
                }
                for (event, &count) in self.cost(id).iter().enumerate() {
                    let share = match entered_for_others {
                        Some(of_cycle) if !is_outside => of_cycle[event],
                        None if !is_outside && !is_by_row => 1.0,
                        _ => 1.0 - shares.share(source, event),
                    };
                    cost.whole[event].add(count, share);
                    from[event].add(count, share);
                }
            }
        }
        cost
    }

    /// Adds parts of functions of the same cycle: their own cost and all calls made there.
    fn add_code(&self, fragments: &[FragmentId], cost: &mut Activations) {
        for &fragment in fragments {
            for (whole, &own) in cost.whole.iter_mut().zip(self.own(fragment)) {
                whole.add(own, 1.0);
            }
            for (id, arc) in self.out_of(fragment) {
                let paid = self.cost(id);
                for (whole, &count) in cost.whole.iter_mut().zip(paid) {
                    whole.add(count, 1.0);
                }
                if !self.leaves_component(arc) {
                    add_cost(&mut cost.out_of_parts, paid);
                }
            }
        }
    }

    /// The cost of activations without what is counted again in nested ones. `numbers` are those of
    /// the row's functions in the cycle.
    fn counted_once(
        &self,
        component: &Component,
        numbers: &[usize],
        cost: Activations,
        shares: &Shares<'_, '_>,
    ) -> Vec<Estimate> {
        let entered = self.entered_for_others(component, shares);
        let of_event = |event: usize| {
            let mut floor = cost.from_outside[event];
            if component.is_mixed[event] || !shares.can_come_back() {
                let mut spent = Estimate::NONE;
                for &member in numbers {
                    spent.add(self.members.leaving.get(member)[event], 1.0);
                }
                floor = if floor.exceeds(spent) { floor } else { spent };
            }
            if component.is_mixed[event] {
                return floor;
            }
            // No more comes back than what was paid on behalf of others, or is called by parts of
            // functions.
            let forward = cost.forward[event].or_zero().into();
            let by_functions = self.back_calls().of_members(self, numbers, forward, event);
            let back = (by_functions as f64).min(cost.from_inside[event].value())
                + cost.out_of_parts[event].or_zero() as f64;
            cost.whole[event].counted_once(back, entered[event], floor)
        };
        (0..self.own.width()).map(of_event).collect()
    }

    /// The part of what a cycle cost that it was entered for by others than the row, by event, if
    /// the only one of the row's functions there, by its number, has exact costs. That function is
    /// not on the stack when a call of it that is not nested begins: so also of such calls within
    /// the cycle only what others of the row entered it for has been counted.
    fn part_entered_for_others(
        &self,
        numbers: Option<&[usize]>,
        shares: &Shares<'_, '_>,
    ) -> Option<Vec<f64>> {
        let &[one] = numbers? else {
            return None;
        };
        if !self.levels.is_exact(one) {
            return None;
        }
        let component = self.members.component(one);
        let entered = self.entered_for_others(component, shares).into_iter();
        let parts = entered.zip(&component.entered).map(|(for_others, entered)| {
            let whole = entered.or_zero() as f64;
            if whole == 0.0 { 1.0 } else { (for_others.value() / whole).clamp(0.0, 1.0) }
        });
        Some(parts.collect())
    }

    /// What a component cost on behalf of others than the row, by event.
    fn entered_for_others(&self, component: &Component, shares: &Shares<'_, '_>) -> Vec<Estimate> {
        let mut entered: Vec<Estimate> = component
            .entered
            .iter()
            .map(|&count| {
                let mut all = Estimate::NONE;
                all.add(count, 1.0);
                all
            })
            .collect();
        if !shares.can_come_back() {
            return entered;
        }
        for &id in &component.entering {
            let source = shares.source(self.arcs[id.index()]);
            for (event, &count) in self.cost(id).iter().enumerate() {
                entered[event].subtract(count, shares.share(source, event));
            }
        }
        entered
    }
}

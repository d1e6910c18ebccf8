//! The functions of a profile, what they cost, and the calls between them.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::call_site::{CallSite, by_arc};
use super::{EventId, Filter, Profile};
use crate::demangle::demangle;
use crate::graph::{self, ArcId, Groups};
use crate::profile::{CostTable, Count, FunctionId, Overflow, Place};
use crate::view::{self, Subject};

/// The functions of a profile with their costs, and the calls between them.
pub struct CallGraph<'p> {
    pub(super) profile: &'p crate::profile::Profile,
    graph: graph::CallGraph<'p>,
    own: CostTable,
    inclusive: CostTable,
    /// The places of each function.
    places: Groups,
    /// The calls of each arc, once they are needed.
    calls: OnceLock<Groups>,
}

impl<'p> CallGraph<'p> {
    /// The call graph of a profile.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit into 64 bits.
    pub fn new(profile: &'p Profile) -> Result<CallGraph<'p>, Overflow> {
        let profile = &profile.data;
        let graph = graph::CallGraph::of_sides(profile, true)?.new;
        let functions = profile.function_count();
        let function_of = |place: &Place| profile.fragment(place.fragment).function.index();
        let of_places = || {
            profile
                .places()
                .iter()
                .map(|place| Some(function_of(place)))
        };
        let mut own = profile.sides().new.costs().sum_by(functions, of_places())?;
        let mut inclusive = graph.inclusive_by_function()?;
        own.derive(profile.events())?;
        inclusive.derive(profile.events())?;
        Ok(CallGraph {
            profile,
            own,
            inclusive,
            places: Groups::new(functions, of_places()),
            calls: OnceLock::new(),
            graph,
        })
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = Function<'_>> {
        let ids = (0..self.profile.function_count()).map(|id| FunctionId(id as u32));
        ids.map(|id| Function { graph: self, id })
    }

    /// The functions that a filter accepts. It is matched against the source file in which they are defined.
    ///
    /// ```
    /// use cgannotate::{CallGraph, Filter, Pattern, Profile};
    ///
    /// # fn main() -> Result<(), cgannotate::Error> {
    /// let profile = Profile::read("testdata/words/words.out")?;
    /// let graph = CallGraph::new(&profile)?;
    /// let filter = Filter::new().include_function(Pattern::parse("find")?);
    /// let names: Vec<_> = graph.functions_matching(&filter).map(|function| function.name()).collect();
    /// assert_eq!(names, ["find"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn functions_matching<'g>(
        &'g self,
        filter: &Filter,
    ) -> impl Iterator<Item = Function<'g>> + use<'g, 'p> {
        let (filter, profile) = (filter.to_view(), self.profile);
        self.functions().filter(move |function| {
            let fragment = profile.fragment(profile.home(function.id));
            filter.accepts(&Subject::of_fragment(
                profile,
                fragment,
                view::RowBy::Function,
            ))
        })
    }

    /// All functions, the largest self cost first.
    pub fn functions_by_own(&self, event: EventId) -> impl Iterator<Item = Function<'_>> {
        let mut functions: Vec<_> = self.functions().collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.own(event).or_zero()));
        functions.into_iter()
    }

    /// All functions, the largest inclusive cost first.
    pub fn functions_by_inclusive(&self, event: EventId) -> impl Iterator<Item = Function<'_>> {
        let mut functions: Vec<_> = self.functions().collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.inclusive(event).or_zero()));
        functions.into_iter()
    }

    /// The call cycles: functions that call each other in a circle.
    pub fn cycles(&self) -> impl Iterator<Item = Cycle<'_>> {
        let cycles = self.graph.cycles();
        cycles.map(|(component, _)| Cycle {
            graph: self,
            component,
        })
    }
}

/// A function of a [`CallGraph`]. Functions are equal if they are the same one of the same profile; those of two profiles
/// are compared by a [`Diff`](super::Diff).
#[derive(Clone, Copy)]
pub struct Function<'g> {
    pub(super) graph: &'g CallGraph<'g>,
    pub(super) id: FunctionId,
}

impl<'g> Function<'g> {
    /// Its number among [`CallGraph::functions`], from 0; for tables and sets of functions.
    pub fn index(&self) -> usize {
        self.id.index()
    }

    /// Its name, demangled.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&demangle(self.symbol())).into_owned()
    }

    /// Its name as it is in the profile.
    pub fn symbol(&self) -> &'g [u8] {
        let profile = self.graph.profile;
        profile.name(profile.function(self.id).name)
    }

    /// The source file in which it is defined.
    pub fn file(&self) -> Cow<'g, str> {
        let profile = self.graph.profile;
        String::from_utf8_lossy(profile.file(profile.function(self.id).file))
    }

    /// The program or library that contains it, if the profile says so.
    pub fn object(&self) -> Option<Cow<'g, str>> {
        let profile = self.graph.profile;
        let object = profile.defined_object(profile.function(self.id).object);
        object.map(String::from_utf8_lossy)
    }

    /// Its self cost.
    pub fn own(&self, event: EventId) -> Count {
        self.graph.own.get(self.id.index())[event.0]
    }

    /// Its cost with everything it calls. Of a member of a cycle it is the larger of what it spent itself with the calls that
    /// leave the cycle, and of what callers outside the cycle paid for calling it.
    pub fn inclusive(&self, event: EventId) -> Count {
        self.graph.inclusive.get(self.id.index())[event.0]
    }

    /// The calls that it makes. Those from code of other files, inlined into it, are apart.
    pub fn callees(&self) -> impl Iterator<Item = Arc<'g>> + use<'g> {
        let graph = self.graph;
        let fragments = graph.graph.fragments_of(self.id);
        let arcs = fragments.flat_map(|fragment| graph.graph.out_of(fragment));
        arcs.map(move |(id, arc)| Arc { graph, id, arc })
    }

    /// The calls to it.
    pub fn callers(&self) -> impl Iterator<Item = Arc<'g>> + use<'g> {
        let graph = self.graph;
        let arcs = graph::CallGraph::into(&graph.graph, self.id);
        arcs.map(move |(id, arc)| Arc { graph, id, arc })
    }

    /// Its lines that have self cost, in all its source files.
    pub fn lines(&self) -> impl Iterator<Item = Line<'g>> + use<'g> {
        let graph = self.graph;
        let rows = graph.places.get(self.id.index()).iter();
        rows.map(move |&row| Line { graph, row })
    }

    /// The cycle that it is a member of.
    pub fn cycle(&self) -> Option<Cycle<'g>> {
        let component = self.graph.graph.cycle_of(self.id)?;
        Some(Cycle {
            graph: self.graph,
            component,
        })
    }
}

/// All calls from one function to another, made in one source file.
#[derive(Clone, Copy)]
pub struct Arc<'g> {
    graph: &'g CallGraph<'g>,
    id: ArcId,
    arc: graph::Arc,
}

impl<'g> Arc<'g> {
    /// The function that calls.
    pub fn caller(&self) -> Function<'g> {
        Function {
            graph: self.graph,
            id: self.graph.graph.caller(self.arc),
        }
    }

    /// The function that is called.
    pub fn callee(&self) -> Function<'g> {
        Function {
            graph: self.graph,
            id: self.arc.callee,
        }
    }

    /// The number of calls.
    pub fn count(&self) -> i64 {
        self.graph.graph.calls(self.id)
    }

    /// The source lines at which the calls are made. Their counts and costs add up to those of the arc.
    ///
    /// ```
    /// use cgannotate::{CallGraph, Profile};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let profile = Profile::read("testdata/words/words.out")?;
    /// let graph = CallGraph::new(&profile)?;
    /// for call in graph.functions().flat_map(|function| function.callees()) {
    ///     for site in call.sites() {
    ///         println!("{}:{} calls {} x {}", site.file(), site.line(), site.count(), call.callee().name());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn sites(&self) -> impl Iterator<Item = CallSite<'g>> + use<'g> {
        let graph = self.graph;
        let calls = graph
            .calls
            .get_or_init(|| by_arc(graph.profile, &graph.graph));
        let rows = calls.get(self.id.index()).iter();
        rows.map(move |&row| CallSite::new(graph, row))
    }

    /// The inclusive cost of the calls, as it is recorded.
    ///
    /// # Errors
    /// [`Overflow`] if a derived event does not fit into 64 bits.
    pub fn cost(&self, event: EventId) -> Result<Count, Overflow> {
        let events = self.graph.profile.events();
        events.count(self.graph.graph.cost(self.id), event.0)
    }
}

/// A source line of a function.
#[derive(Clone, Copy)]
pub struct Line<'g> {
    graph: &'g CallGraph<'g>,
    row: u32,
}

impl<'g> Line<'g> {
    /// The source file.
    pub fn file(&self) -> Cow<'g, str> {
        let profile = self.graph.profile;
        let place = profile.places()[self.row as usize];
        String::from_utf8_lossy(profile.file(profile.location(place).file))
    }

    /// The line number, 0 if the profile does not say.
    pub fn number(&self) -> u32 {
        let profile = self.graph.profile;
        profile.location(profile.places()[self.row as usize]).line
    }

    /// The self cost of the line.
    ///
    /// # Errors
    /// [`Overflow`] if a derived event does not fit into 64 bits.
    pub fn own(&self, event: EventId) -> Result<Count, Overflow> {
        let profile = self.graph.profile;
        let cost = profile.sides().new.costs().get(self.row as usize);
        profile.events().count(cost, event.0)
    }
}

/// Functions that call each other in a circle.
#[derive(Clone, Copy)]
pub struct Cycle<'g> {
    pub(super) graph: &'g CallGraph<'g>,
    pub(super) component: usize,
}

impl<'g> Cycle<'g> {
    /// Its functions.
    pub fn members(&self) -> impl Iterator<Item = Function<'g>> + use<'g> {
        let graph = self.graph;
        let members = graph.graph.components().get(self.component).iter();
        members.map(move |&id| Function {
            graph,
            id: FunctionId(id),
        })
    }
}

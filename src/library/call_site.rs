//! The lines at which the calls of an arc are made.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{CallGraph, EventId};
use crate::graph::{self, Groups};
use crate::profile::{Count, Overflow, Profile};

/// A source line at which one function calls another.
#[derive(Clone, Copy)]
pub struct CallSite<'g> {
    graph: &'g CallGraph<'g>,
    /// The call's row in the profile.
    row: u32,
}

impl<'g> CallSite<'g> {
    pub(super) fn new(graph: &'g CallGraph<'g>, row: u32) -> CallSite<'g> {
        CallSite { graph, row }
    }

    /// The source file.
    pub fn file(&self) -> Cow<'g, str> {
        let profile = self.graph.profile;
        let site = profile.calls()[self.row as usize].site;
        String::from_utf8_lossy(profile.file(profile.location(site).file))
    }

    /// The number of the line, 0 if the profile does not say.
    pub fn line(&self) -> u32 {
        let profile = self.graph.profile;
        let site = profile.calls()[self.row as usize].site;
        profile.location(site).line
    }

    /// The number of calls made there.
    pub fn count(&self) -> i64 {
        let calls = self.graph.profile.sides().new.call_counts();
        calls[self.row as usize]
    }

    /// The inclusive cost of these calls, as it is recorded.
    ///
    /// # Errors
    /// [`Overflow`] if a derived event does not fit into 64 bits.
    pub fn cost(&self, event: EventId) -> Result<Count, Overflow> {
        let profile = self.graph.profile;
        let cost = profile.sides().new.call_costs().get(self.row as usize);
        profile.events().count(cost, event.0)
    }
}

/// The calls of each arc, by their rows in the profile.
pub(super) fn by_arc(profile: &Profile, graph: &graph::CallGraph<'_>) -> Groups {
    let arcs = graph.arcs().map(|(id, arc)| ((arc.caller, arc.callee), id));
    let arcs: HashMap<_, _> = arcs.collect();
    let arc_of = |call: &crate::profile::Call| {
        let arc = arcs.get(&(call.site.fragment, call.callee));
        arc.map(|arc| arc.index())
    };
    Groups::new(graph.arcs().len(), profile.calls().iter().map(arc_of))
}

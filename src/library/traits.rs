//! What the library's types are when they are compared, and how they are shown for debugging.

use std::fmt::{Debug, Formatter, Result};
use std::ptr;

use super::{Arc, CallGraph, CallSite, Cycle, Diff, Events, Function, Line, Profile};

/// The same function of the same profile.
impl PartialEq for Function<'_> {
    fn eq(&self, other: &Function<'_>) -> bool {
        self.id == other.id && ptr::eq(self.graph.profile, other.graph.profile)
    }
}

impl Eq for Function<'_> {}

/// The same cycle of the same profile.
impl PartialEq for Cycle<'_> {
    fn eq(&self, other: &Cycle<'_>) -> bool {
        self.component == other.component && ptr::eq(self.graph.profile, other.graph.profile)
    }
}

impl Eq for Cycle<'_> {}

impl Debug for Profile {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut shown = f.debug_struct("Profile");
        shown.field("events", &self.events());
        shown.field("parts", &self.parts().len());
        shown.field("functions", &self.data.function_count());
        shown.finish_non_exhaustive()
    }
}

impl Debug for Diff {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut shown = f.debug_struct("Diff");
        shown.field("events", &self.events());
        shown.finish_non_exhaustive()
    }
}

impl Debug for Events<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let names = self.iter().map(|event| self.name(event));
        f.debug_list().entries(names).finish()
    }
}

impl Debug for CallGraph<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut shown = f.debug_struct("CallGraph");
        shown.field("functions", &self.profile.function_count());
        shown.finish_non_exhaustive()
    }
}

impl Debug for Function<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}:{}", self.file(), self.name())
    }
}

impl Debug for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}:{}", self.file(), self.number())
    }
}

impl Debug for CallSite<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}:{} x {}", self.file(), self.line(), self.count())
    }
}

impl Debug for Arc<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (caller, callee) = (self.caller(), self.callee());
        write!(f, "{caller:?} -> {callee:?} x {}", self.count())
    }
}

impl Debug for Cycle<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_list().entries(self.members()).finish()
    }
}

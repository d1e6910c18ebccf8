//! Which functions are shown, and whose time counts, as gprof interprets such lists.

/// Functions included and excluded. Where both are empty, all are included.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// By number, whether a function is included; empty if none is.
    pub include: Vec<bool>,
    /// Whether one is excluded, likewise.
    pub exclude: Vec<bool>,
}

impl Included {
    /// Whether all functions are included.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Adds those that match.
    pub fn add(&mut self, excludes: bool, matches: &[bool]) {
        let list = if excludes {
            &mut self.exclude
        } else {
            &mut self.include
        };
        list.resize(matches.len(), false);
        list.iter_mut()
            .zip(matches)
            .for_each(|(is_in, matches)| *is_in |= matches);
    }

    /// Whether a function is in it by itself, whatever calls it.
    pub fn includes(&self, node: u32) -> bool {
        let is_in = |list: &[bool]| list.get(node as usize).copied().unwrap_or(false);
        is_in(&self.include) || self.include.is_empty() && !is_in(&self.exclude)
    }

    /// Whether a function is not in it, whatever calls it.
    pub fn excludes(&self, node: u32) -> bool {
        let is_in = |list: &[bool]| list.get(node as usize).copied().unwrap_or(false);
        is_in(&self.exclude) && !is_in(&self.include)
    }
}

/// The two lists that scope the call graph. What is called from an included function is included with it;
/// exclusion is of the function alone.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Which entries are printed.
    pub shown: Included,
    /// Whose cost counts.
    pub counted: Included,
}

//! What a profile counts.

use std::borrow::Cow;
use std::iter::Map;
use std::ops::Range;

use crate::profile::Part;

/// An event of a profile, such as `Ir`.
///
/// It belongs to the [`Profile`](super::Profile) or [`Diff`](super::Diff) that gave it, its call graph and its rows. In
/// another profile the same event can have another number: methods there return the count of that event, or panic if there
/// are fewer events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventId(pub(super) usize);

/// The events that a profile counts: those of its files in their order, then those that
/// [`ReadOptions`](super::ReadOptions) add.
///
/// ```
/// use cgannotate::Profile;
///
/// # fn main() -> Result<(), cgannotate::Error> {
/// let profile = Profile::read("testdata/words/words.sim.out")?;
/// let events = profile.events();
/// for event in events {
///     println!("{} {:?}", events.name(event), profile.total(event)?);
/// }
/// assert_eq!(events.len(), 13);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Events<'p> {
    data: &'p crate::profile::Events,
}

impl<'p> Events<'p> {
    pub(super) fn new(data: &'p crate::profile::Events) -> Events<'p> {
        Events { data }
    }

    /// The number of events.
    pub fn len(self) -> usize {
        self.data.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.data.is_empty()
    }

    /// All events.
    pub fn iter(self) -> impl Iterator<Item = EventId> + use<> {
        self.into_iter()
    }

    /// The events that a part counts, in the order of its columns: those of [`Part::total`].
    ///
    /// ```
    /// use cgannotate::Profile;
    ///
    /// # fn main() -> Result<(), cgannotate::Error> {
    /// let profile = Profile::read("testdata/words/words.out")?;
    /// for part in profile.parts() {
    ///     for (event, count) in profile.events().of_part(part).zip(part.total()) {
    ///         println!("{} {count:?}", profile.events().name(event));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_part(self, part: &Part) -> impl Iterator<Item = EventId> {
        part.columns.iter().map(|&event| EventId(event))
    }

    /// The event with this name.
    pub fn find(self, name: &str) -> Option<EventId> {
        self.data.find(name.as_bytes()).map(EventId)
    }

    /// The name of an event, such as `Ir`.
    pub fn name(self, event: EventId) -> Cow<'p, str> {
        String::from_utf8_lossy(self.data.name(event.0))
    }

    /// The long name of an event, such as `Instruction Fetch`, if an `event:` line of the profile has one.
    pub fn long_name(self, event: EventId) -> Option<Cow<'p, str>> {
        let name = self.data.long_name(self.data.name(event.0));
        name.map(String::from_utf8_lossy)
    }

    /// Whether an event is computed from others; otherwise the profile recorded it.
    pub fn is_derived(self, event: EventId) -> bool {
        !self.data.is_recorded(event.0)
    }

    /// Whether an event is a ratio of others. Its counts are in millionths: 250,000 for 0.25. They are never added up; the
    /// ratio of a function is that of the function's sums.
    pub fn is_ratio(self, event: EventId) -> bool {
        self.data.ratios().contains(&event.0)
    }
}

impl IntoIterator for Events<'_> {
    type Item = EventId;
    type IntoIter = Map<Range<usize>, fn(usize) -> EventId>;

    fn into_iter(self) -> Self::IntoIter {
        (0..self.len()).map(EventId)
    }
}

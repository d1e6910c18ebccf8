//! What an option is beside its name, value and help: where it has an effect, and what else depends
//! on it. All of an option is in one entry of a group that [`options`] defines; an entry that does
//! not say it does not compile.

use std::any::Any;
use std::marker::PhantomData;

use clap::ArgMatches;

use crate::render::{Feature, Format};

/// Where an option has an effect.
#[derive(Clone, Copy)]
pub(crate) struct OptionSpec {
    /// The name of its field, which is its id in clap.
    pub(crate) id: &'static str,
    /// What it is about: a format without this refuses it. None if it has an effect in every
    /// format: on what is read, or on where a report is written.
    pub(crate) feature: Option<Feature>,
    /// Whether it has an effect in a format without the feature, or says what is so anyway.
    others: fn(&Given<'_>) -> bool,
    /// Whether callgrind_annotate has it, or it says only where a report goes. With these alone, a
    /// report that is not for a terminal is callgrind_annotate's page.
    pub(crate) is_of_callgrind_annotate: bool,
    /// Which suggested commands have it, too.
    pub(crate) repetition: Repetition,
    /// Whether it changes what the rows of the list are, so that a list stands alone, without the
    /// most expensive lines or the reasons below it.
    changes_rows: RowChange,
}

/// Which suggested commands repeat an option that is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// None: it says which files are read or where the report goes, or it is a limit.
    Never,
    /// Those for another page of the same profile.
    InPages,
    /// All: it changes the numbers of a report or says where its sources are.
    Always,
}

/// When an option changes what the rows of the list are.
#[derive(Clone, Copy)]
enum RowChange {
    Never,
    /// Whenever it is given, and does not say `no`.
    IfOn,
    /// The same, but not in a difference: its reasons are as right.
    IfOnAlone,
    If(fn(&Given<'_>) -> bool),
}

/// The id of the option that makes a report a difference.
const DIFFERENCE: &str = "diff";

/// An option that has an effect in every format.
pub(crate) const EVERYWHERE: OptionSpec = OptionSpec {
    id: "",
    feature: None,
    others: |_| false,
    is_of_callgrind_annotate: false,
    repetition: Repetition::InPages,
    changes_rows: RowChange::Never,
};

/// An option that has an effect in formats with a feature.
pub(crate) const fn about(feature: Feature) -> OptionSpec {
    OptionSpec { feature: Some(feature), ..EVERYWHERE }
}

impl OptionSpec {
    /// The entry of the option with an id.
    pub(crate) const fn of(self, id: &'static str) -> OptionSpec {
        OptionSpec { id, ..self }
    }

    /// An option that other formats take under a condition, too.
    pub(crate) const fn or(self, others: fn(&Given<'_>) -> bool) -> OptionSpec {
        OptionSpec { others, ..self }
    }

    pub(crate) const fn of_callgrind_annotate(self) -> OptionSpec {
        OptionSpec { is_of_callgrind_annotate: true, ..self }
    }

    pub(crate) const fn repeated(self) -> OptionSpec {
        OptionSpec { repetition: Repetition::Always, ..self }
    }

    pub(crate) const fn not_repeated(self) -> OptionSpec {
        OptionSpec { repetition: Repetition::Never, ..self }
    }

    /// An option that changes the rows of the list.
    pub(crate) const fn changing_rows(self) -> OptionSpec {
        OptionSpec { changes_rows: RowChange::IfOn, ..self }
    }

    /// An option that changes the rows of the list, unless it is that of a difference.
    pub(crate) const fn changing_rows_without_reasons(self) -> OptionSpec {
        OptionSpec { changes_rows: RowChange::IfOnAlone, ..self }
    }

    /// An option that changes the rows of the list under a condition.
    pub(crate) const fn changing_rows_if(self, condition: fn(&Given<'_>) -> bool) -> OptionSpec {
        OptionSpec { changes_rows: RowChange::If(condition), ..self }
    }

    pub(super) fn changes_rows(&self, given: &Given<'_>) -> bool {
        match self.changes_rows {
            RowChange::Never => false,
            RowChange::IfOn => given.is_on(self.id),
            RowChange::IfOnAlone => given.is_on(self.id) && !given.is_on(DIFFERENCE),
            RowChange::If(condition) => condition(given),
        }
    }

    pub(super) fn has_effect(&self, given: &Given<'_>) -> bool {
        self.feature.is_none_or(|feature| given.format.has(feature)) || (self.others)(given)
    }
}

/// An option with values of a type.
pub(crate) struct OptionId<T> {
    id: &'static str,
    value: PhantomData<T>,
}

impl<T> OptionId<T> {
    pub(crate) const fn new(id: &'static str) -> OptionId<T> {
        OptionId { id, value: PhantomData }
    }
}

/// The options that are given, and the format of the report.
pub(crate) struct Given<'m> {
    pub(crate) matches: &'m ArgMatches,
    pub(crate) format: Format,
}

impl Given<'_> {
    /// Whether an option is given, and does not say `no`.
    pub(crate) fn has<T>(&self, option: OptionId<T>) -> bool {
        self.is_on(option.id)
    }

    fn is_on(&self, id: &str) -> bool {
        let is_no = matches!(self.matches.try_get_one(id), Ok(Some(false)));
        super::is_given(self.matches, id) && !is_no
    }

    /// The value of an option, given or by default.
    pub(crate) fn value<T: Any + Clone + Send + Sync>(&self, option: OptionId<T>) -> Option<T> {
        self.matches.try_get_one(option.id).ok().flatten().cloned()
    }
}

/// Defines a group of options as a struct of clap. After the type of each option stands where it
/// has an effect. `SPECS` has that of all, and `GROUP::option()` is the id of one.
macro_rules! options {
    (
        $(#[$group:meta])*
        $visible:vis struct $name:ident {
            $($(#[$about:meta])* $field_visible:vis $field:ident: $value:ty = $spec:expr,)*
        }
    ) => {
        $(#[$group])*
        $visible struct $name {
            $($(#[$about])* $field_visible $field: $value,)*
        }

        #[allow(dead_code)]
        impl $name {
            pub(crate) const SPECS: &'static [$crate::cli::spec::OptionSpec] =
                &[$($spec.of(stringify!($field))),*];

            $(
                pub(crate) const fn $field() -> $crate::cli::spec::OptionId<$value> {
                    $crate::cli::spec::OptionId::new(stringify!($field))
                }
            )*
        }
    };
}
pub(crate) use options;

//! Which function a call means if its lines do not name the callee's file, or its object in a file
//! with several.
//!
//! Callgrind itself leaves these out only where they are the current ones. Old versions of Xdebug
//! and converters of other profiles never write them: there a compressed id means the same function
//! wherever it is used, as in KCachegrind, and a name means the function that has it. The function
//! may come after the call, so such calls are kept until the end of the file.

use hashbrown::HashMap;

use crate::profile::{
    Call, CostTable, Count, FileId, FunctionId, FunctionKey, LimitExceeded, NameId, ObjectId,
    Ordered, Place, ProfileBuilder,
};

/// A callee whose object or file no line names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OpenCallee {
    /// What the specification says: the function in the current object and file.
    pub(super) default: FunctionKey,
    /// What `cob=` and `cfi=` name.
    pub(super) object: Option<ObjectId>,
    pub(super) file: Option<FileId>,
    /// The compressed id by which its name is given.
    pub(super) id: Option<u64>,
    /// Whether calls of the name are nested by their level of recursion, and whether the caller is.
    pub(super) is_nested: bool,
    pub(super) is_from_nested: bool,
}

/// The functions that `fn=` lines of the file name, and the calls whose callees are open.
#[derive(Default)]
pub(super) struct OpenCalls {
    /// Each function with the id of its name, and whether it has a cost or a call.
    functions: Ordered<(Option<u64>, FunctionId), bool>,
    /// The calls by site and callee, with their number and the first line of the callee.
    calls: Ordered<(Place, OpenCallee), (i64, u32)>,
    costs: CostTable,
}

impl OpenCalls {
    /// Notes that a line defines the id of a function's name.
    pub(super) fn note_definition(&mut self, id: u64, function: FunctionId) {
        self.functions.entry((Some(id), function)).or_insert(false);
    }

    /// Notes that a function has a cost or a call below an `fn=` line with this id.
    pub(super) fn note_content(&mut self, id: Option<u64>, function: FunctionId) {
        self.functions.insert((id, function), true);
    }

    /// Keeps `count` calls and their cost, which has a count for each event of the profile.
    /// The callee begins at `line`, 0 if that is unknown.
    pub(super) fn add(
        &mut self,
        site: Place,
        callee: OpenCallee,
        count: i64,
        cost: &[Count],
        line: u32,
    ) {
        let entry = self.calls.entry((site, callee));
        let row = entry.index();
        let (sum, first_line) = entry.or_default();
        *sum += count;
        if *first_line == 0 || line != 0 && line < *first_line {
            *first_line = line;
        }
        self.costs.widen(cost.len());
        self.costs.resize(self.calls.len());
        self.costs.add(row, cost);
    }

    /// Adds the calls to the profile.
    pub(super) fn add_to(self, profile: &mut ProfileBuilder) -> Result<(), LimitExceeded> {
        if self.calls.is_empty() {
            return Ok(());
        }
        let known = KnownFunctions::new(&self.functions, profile);
        for (row, (&(site, callee), &(count, line))) in self.calls.iter().enumerate() {
            let key = known.function(callee, profile);
            let (is_nested, is_from_nested) = (callee.is_nested, callee.is_from_nested);
            let callee = profile.functions().add(key)?;
            profile.functions().set_line(callee, line);
            let call = Call { site, callee, is_nested, is_from_nested };
            profile.add_spent_call(call, count, self.costs.get(row))?;
        }
        Ok(())
    }
}

/// What a line says of a callee: the id of its name, if it has one, and its object and file, if
/// they are named.
#[derive(PartialEq, Eq, Hash)]
struct Description {
    id: Option<u64>,
    name: NameId,
    object: Option<ObjectId>,
    file: Option<FileId>,
}

/// The functions that a description is true of.
struct Described {
    first: FunctionKey,
    is_only: bool,
}

/// The functions of the file by all descriptions of them.
struct KnownFunctions {
    with_content: HashMap<Description, Described>,
    defined: HashMap<Description, Described>,
}

impl KnownFunctions {
    fn new(
        functions: &Ordered<(Option<u64>, FunctionId), bool>,
        profile: &mut ProfileBuilder,
    ) -> KnownFunctions {
        let mut known = KnownFunctions { with_content: HashMap::new(), defined: HashMap::new() };
        for (&(id, function), &has_content) in functions {
            let function = profile.functions().get(function).key();
            if has_content {
                // By its name alone too, whether or not the name has an id.
                describe(&mut known.with_content, None, function);
            }
            if id.is_some() {
                let of_kind =
                    if has_content { &mut known.with_content } else { &mut known.defined };
                describe(of_kind, id, function);
            }
        }
        known
    }

    /// The function that a callee means.
    fn function(&self, callee: OpenCallee, profile: &mut ProfileBuilder) -> FunctionKey {
        let OpenCallee { default, object, file, id, .. } = callee;
        let name = default.name;
        let is_default =
            Description { id, name, object: Some(default.object), file: Some(default.file) };
        let described = Description { id, name, object, file };
        let of_kind = |kind: &HashMap<Description, Described>| {
            if kind.contains_key(&is_default) {
                return Some(default);
            }
            // Of several functions an id means the first, a name none.
            let found = kind.get(&described).filter(|found| found.is_only || id.is_some());
            found.map(|found| found.first)
        };
        if id.is_none() && profile.functions().is_named(default) {
            return default;
        }
        of_kind(&self.with_content).or_else(|| of_kind(&self.defined)).unwrap_or(default)
    }
}

/// Adds a function under each of its descriptions with this id.
fn describe(
    functions: &mut HashMap<Description, Described>,
    id: Option<u64>,
    function: FunctionKey,
) {
    let FunctionKey { object, file, name } = function;
    for object in [None, Some(object)] {
        for file in [None, Some(file)] {
            let described = functions
                .entry(Description { id, name, object, file })
                .or_insert(Described { first: function, is_only: true });
            described.is_only &= described.first == function;
        }
    }
}

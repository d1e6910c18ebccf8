//! The scopes in which functions are declared: namespaces, types, and functions around them.

use std::cell::OnceCell;
use std::rc::Rc;

use gimli::{Attribute, AttributeValue, UnitOffset, UnitRef};
use hashbrown::HashMap;

use crate::program::ranges::Slice;
use crate::program::sections::{is_mangled, text};

/// The length of a scope in bytes from which scopes in it are not added: the names of deeply nested
/// scopes take the square of their depth.
const MAX_SCOPE: usize = 16 << 10;

/// The entries that are scopes of others. Most entries are none, and are only stepped over.
const SCOPES: [gimli::DwTag; 6] = [
    gimli::DW_TAG_namespace,
    gimli::DW_TAG_union_type,
    gimli::DW_TAG_enumeration_type,
    gimli::DW_TAG_class_type,
    gimli::DW_TAG_structure_type,
    gimli::DW_TAG_subprogram,
];

/// Finds the scopes of functions. Those of a unit are read when one of them is asked for.
#[derive(Default)]
pub(super) struct Scopes {
    /// By unit the scopes of its functions, by entry.
    of_units: HashMap<usize, HashMap<usize, Rc<str>>>,
}

impl Scopes {
    /// The scopes in which the function of an entry was declared, each followed by `::`. The entry
    /// is in the unit that begins at `start`.
    pub(super) fn of(
        &mut self,
        entry: usize,
        unit: UnitRef<'_, Slice<'_>>,
        start: usize,
    ) -> Result<Option<Rc<str>>, gimli::Error> {
        if !self.of_units.contains_key(&start) {
            let scopes = of_unit(unit, start)?;
            self.of_units.insert(start, scopes);
        }
        Ok(self.of_units[&start].get(&entry).cloned())
    }
}

/// The scopes of all functions of a unit that have any. Classes of lambdas have numbers for names.
fn of_unit(
    unit: UnitRef<'_, Slice<'_>>,
    start: usize,
) -> Result<HashMap<usize, Rc<str>>, gimli::Error> {
    let mut scopes = HashMap::new();
    let mut entries = unit.entries_raw(None)?;
    // By depth the scopes of the entries there.
    let mut outer: Vec<Rc<Scope>> = Vec::new();
    // By scope the number of its unnamed classes.
    let mut unnamed: HashMap<Rc<str>, u32> = HashMap::new();
    while !entries.is_empty() {
        let (offset, depth) = (entries.next_offset(), entries.next_depth());
        let depth = usize::try_from(depth).unwrap_or(0);
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        outer.truncate(depth);
        let last = outer.last();
        if !SCOPES.contains(&abbreviation.tag()) {
            entries.skip_attributes(abbreviation.attributes())?;
            if depth == 0 && is_without_scopes(unit, offset)? {
                break;
            }
            outer.push(last.map(Rc::clone).unwrap_or_default());
            continue;
        }
        let (mut has_name, mut declaration) = (false, None);
        for &attribute in abbreviation.attributes() {
            let attribute = entries.read_attribute(attribute)?;
            has_name |= attribute.name() == gimli::DW_AT_name;
            declaration = declaration.or(declared_by(&attribute));
        }
        let mut around = last.map(|last| text_of(last, unit)).unwrap_or_default();
        let name = OnceCell::new();
        match abbreviation.tag() {
            gimli::DW_TAG_subprogram => {
                // A method defined outside its class has name and scope at its declaration.
                if let Some(outer) = declaration.and_then(|at| scopes.get(&(start + at.0))) {
                    around = Rc::clone(outer);
                }
                if !around.is_empty() {
                    scopes.insert(start + offset.0, Rc::clone(&around));
                }
            }
            gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type if !has_name => {
                let number = unnamed.entry(Rc::clone(&around)).or_default();
                *number += 1;
                let is_local = around.ends_with("()::");
                let lambda = is_local.then(|| format!("<lambda#{number}>"));
                let _ = name.set(below(&around, lambda));
            }
            _ => {}
        }
        outer.push(Rc::new(Scope { around, entry: Some(offset), text: name }));
    }
    Ok(scopes)
}

/// Whether a unit, whose first entry this is, is of a language whose names need no scopes.
fn is_without_scopes(
    unit: UnitRef<'_, Slice<'_>>,
    first: UnitOffset,
) -> Result<bool, gimli::Error> {
    let language = unit.entry(first)?.attr_value(gimli::DW_AT_language);
    Ok(matches!(language, Some(AttributeValue::Language(language)) if !is_mangled(Some(language))))
}

/// The text of a scope, which ends with `::` unless it is empty.
fn text_of(scope: &Scope, unit: UnitRef<'_, Slice<'_>>) -> Rc<str> {
    let name = || name_of_scope(unit, scope.entry?);
    Rc::clone(scope.text.get_or_init(|| below(&scope.around, name())))
}

/// The name that the entry of a scope adds to the scope around it.
fn name_of_scope(unit: UnitRef<'_, Slice<'_>>, at: UnitOffset) -> Option<String> {
    let entry = unit.entry(at).ok()?;
    let name = text(unit, &entry, gimli::DW_AT_name);
    match entry.tag() {
        gimli::DW_TAG_namespace => name.or_else(|| Some("(anonymous namespace)".to_owned())),
        gimli::DW_TAG_subprogram => {
            let declared = || {
                let declaration = entry.attrs().iter().find_map(declared_by)?;
                text(unit, &unit.entry(declaration).ok()?, gimli::DW_AT_name)
            };
            name.or_else(declared).map(|name| name + "()")
        }
        _ => name,
    }
}

/// A scope. Its text is made when something in it needs that, as most functions and classes are the
/// scope of nothing.
#[derive(Default)]
struct Scope {
    /// The text of the scopes around it.
    around: Rc<str>,
    entry: Option<UnitOffset>,
    text: OnceCell<Rc<str>>,
}

/// The text of a scope with this name in others, unless these are too long.
fn below(around: &Rc<str>, name: Option<String>) -> Rc<str> {
    match name {
        Some(name) if around.len() < MAX_SCOPE => Rc::from(format!("{around}{name}::")),
        _ => Rc::clone(around),
    }
}

/// The offset in its unit of the declaration that an entry with this attribute defines, if any.
fn declared_by(attribute: &Attribute<Slice<'_>>) -> Option<UnitOffset> {
    match attribute.value() {
        AttributeValue::UnitRef(offset) if attribute.name() == gimli::DW_AT_specification => {
            Some(offset)
        }
        _ => None,
    }
}

//! Writes a mangled C++ name out in full: each substitution, template parameter and parameter pack is replaced by what
//! it refers to, and each construct that cpp_demangle prints in other words than `c++filt` by one that it prints alike.
//!
//! The grammar is that of the Itanium C++ ABI. What is not known here has no expansion.

mod arguments;
mod encodings;
mod expressions;
mod names;
mod types;

use std::ops::Range;

use super::print;

/// Names whose expansion takes more work than this have none. A step is one production of the grammar, or some bytes copied.
const MAX_STEPS: usize = 50_000;
/// As many copied bytes as count as one step.
const BYTES_PER_STEP: usize = 16;
/// How deep types and expressions may nest.
const MAX_DEPTH: usize = 64;
/// The levels that an expression counts as in addition to its own: cpp_demangle takes much of the stack for one.
const EXPRESSION_DEPTH: usize = 2;

/// Begins a placeholder: `$$5$` is number 5 of [`Expanded::texts`].
pub(super) const PLACEHOLDER: &str = "$$";
/// The placeholder for the return type of a function that something is local to, which is not printed.
pub(super) const RETURN_TYPE: usize = 0;
/// The placeholder for an empty pack at the end of template arguments: no blank precedes what closes them.
pub(super) const EMPTY_PACK: usize = 1;
/// The last component of the name of a function type's return type: a blank follows it.
pub(super) const BLANK: usize = 2;

/// A name without references into itself.
pub(super) struct Expanded {
    /// What precedes the readable name: `non-virtual thunk to `.
    pub(super) prefix: String,
    /// What follows the readable name: the rest of a return type that is around it.
    pub(super) suffix: String,
    /// The mangled name.
    pub(super) name: String,
    /// The texts of placeholders.
    pub(super) texts: Vec<Text>,
}

/// The text of a placeholder.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// Whether it is a name that needs no brackets in an expression.
    pub(super) is_operand: bool,
}

/// The expansion of a name that begins with `_Z`.
pub(super) fn expand(name: &str) -> Option<Expanded> {
    let mut expander = Expander {
        input: name.as_bytes(),
        at: 2,
        substitutions: Vec::new(),
        is_repeating: false,
        arguments: Vec::new(),
        pack: None,
        is_lambda: false,
        conversion: Conversion::None,
        around_name: Default::default(),
        steps: 0,
        depth: 0,
        texts: vec![Text::default(); 3],
    };
    let thunk = expander.thunk()?;
    let encoding = expander.encoding(true)?.text;
    let clone = name.get(expander.at..)?;
    let (before, suffix) = expander.around_name;
    let is_whole = clone.is_empty() || clone.starts_with('.') && suffix.is_empty();
    is_whole.then(|| Expanded {
        prefix: format!("{thunk}{before}"),
        suffix,
        name: format!("_Z{encoding}{clone}"),
        texts: expander.texts,
    })
}

/// A source name.
fn placeholder(number: usize) -> String {
    let name = format!("{PLACEHOLDER}{number}$");
    format!("{}{name}", name.len())
}

/// A type, or a name with its scope.
#[derive(Clone, Debug, Default)]
struct Part {
    /// The function that a local name is in, as `Z…E`.
    function: String,
    /// `const` and the like, of a member function.
    qualifiers: String,
    path: String,
    /// Whether the path has several components, which are written between `N` and `E`.
    is_nested: bool,
}

impl Part {
    fn new(path: impl Into<String>) -> Part {
        Part {
            path: path.into(),
            ..Part::default()
        }
    }

    fn text(&self) -> String {
        let Part {
            function,
            qualifiers,
            path,
            is_nested,
        } = self;
        if *is_nested {
            [function, "N", qualifiers, path, "E"].concat()
        } else {
            [&**function, path].concat()
        }
    }
}

/// A function with its parameters, or a variable.
struct Encoding {
    text: String,
    /// The name of a variable, or of a member function that is no template and not `const`.
    member: Option<String>,
}

/// A template argument: of a pack several, of which each is a type or an expression.
#[derive(Clone, Debug)]
struct Argument {
    values: Vec<Value>,
    is_pack: bool,
}

#[derive(Clone, Debug)]
enum Value {
    Type(Part),
    Expression(String),
}

impl Value {
    /// Whether it is the expansion of an empty pack.
    fn is_empty(&self) -> bool {
        match self {
            Value::Type(part) => part.path.is_empty(),
            Value::Expression(text) => text.is_empty(),
        }
    }

    fn text(&self) -> String {
        match self {
            Value::Type(part) => part.text(),
            // A literal needs no brackets.
            Value::Expression(text) if text.is_empty() || text.starts_with('L') => text.clone(),
            Value::Expression(text) => format!("X{text}E"),
        }
    }
}

/// What can be referred to again: where in the input it is.
#[derive(Clone, Debug)]
struct Substitution {
    input: Range<usize>,
    is_prefix: bool,
}

/// The name of a function or a variable.
#[derive(Default)]
struct Name {
    part: Part,
    /// The template arguments that it ends with.
    arguments: Option<Vec<Argument>>,
    /// Whether it is a constructor, a destructor or a conversion, which have no return type.
    is_special: bool,
}

/// Whether the type of a conversion is read, behind which template arguments are those of the conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversion {
    None,
    /// It is read to find these arguments.
    Preview,
    Type,
}

/// The element of a pack that replaces it while its pattern is read.
#[derive(Clone, Copy, Default)]
struct Pack {
    index: usize,
    len: Option<usize>,
}

struct Expander<'n> {
    input: &'n [u8],
    at: usize,
    substitutions: Vec<Substitution>,
    /// Whether input is read again, so that nothing is added to the substitutions.
    is_repeating: bool,
    /// The arguments that template parameters refer to.
    arguments: Vec<Argument>,
    pack: Option<Pack>,
    /// Whether these are the parameters of a lambda, where a template parameter is an `auto`.
    is_lambda: bool,
    conversion: Conversion,
    /// What of the return type is before and behind the name.
    around_name: (String, String),
    steps: usize,
    depth: usize,
    texts: Vec<Text>,
}

impl<'n> Expander<'n> {
    fn rest(&self) -> &'n [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text.as_bytes())
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    /// The bytes from here that are `wanted`.
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'n str {
        let rest = self.rest();
        let len = rest.iter().take_while(|&&b| wanted(b)).count();
        self.at += len;
        std::str::from_utf8(&rest[..len]).unwrap_or_default()
    }

    /// A number, up to the underscore after it: none is 0, and N is N + 1.
    fn index(&mut self, radix: u32) -> Option<usize> {
        let digits = self.take_while(|b| (b as char).is_digit(radix) && !b.is_ascii_lowercase());
        self.expect("_")?;
        if digits.is_empty() {
            return Some(0);
        }
        usize::try_from(u32::from_str_radix(digits, radix).ok()?)
            .ok()?
            .checked_add(1)
    }

    /// Counts a step and the bytes it copies.
    fn count(&mut self, bytes: usize) -> Option<()> {
        self.steps += 1 + bytes / BYTES_PER_STEP;
        (self.steps <= MAX_STEPS).then_some(())
    }

    /// Counts a level while `read` reads what is nested.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = (self.depth <= MAX_DEPTH).then(|| read(self))?;
        self.depth -= 1;
        found
    }

    /// A source name that is a placeholder for a text.
    fn placeholder_for(&mut self, text: String) -> Option<String> {
        self.add_text(text, false)
    }

    fn add_text(&mut self, text: String, is_operand: bool) -> Option<String> {
        self.count(text.len())?;
        self.texts.push(Text { text, is_operand });
        Some(placeholder(self.texts.len() - 1))
    }

    fn add_substitution(&mut self, start: usize, is_prefix: bool) {
        if !self.is_repeating {
            self.substitutions.push(Substitution {
                input: start..self.at,
                is_prefix,
            });
        }
    }
}

//! What the page of a function is made of, whatever it is written as.

use crate::profile::{FunctionId, Profile};
use crate::view::Label;
use crate::view::asm::{FunctionCode, ObjectCode, Page, Row, SourceTexts, readable_text};

/// All that the page of a function is made of.
pub struct AsmPage<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The function's instructions.
    pub function: &'a FunctionCode,
    /// The code of its object, if it is known.
    pub code: Option<&'a ObjectCode>,
    /// What is shown.
    pub page: &'a Page,
    /// Source lines; none if they are not shown.
    pub sources: Option<&'a SourceTexts>,
    /// Whether it is shown how often instructions were executed.
    pub counts: bool,
    /// Whether names are shown readable.
    pub demangles: bool,
}

impl<'a> AsmPage<'a> {
    pub(in crate::render) fn label(&self, function: FunctionId) -> Label<'a> {
        Label::of_function(self.profile, function, self.demangles)
    }

    /// The text of a row, if it is known.
    pub(super) fn text(&self, row: &Row) -> Option<Vec<u8>> {
        let line = self.code?.get(row.code?)?;
        let is_own = |address| self.function.has_address(address);
        Some(readable_text(line.text, is_own, self.demangles))
    }

    /// The text of the instruction at an address, if it is known.
    pub(super) fn text_at(&self, address: u64) -> Option<Vec<u8>> {
        let code = self.code?.number_of(address);
        self.text(&Row {
            address,
            instruction: None,
            code,
        })
    }

    pub(super) fn bytes(&self, row: &Row) -> &'a [u8] {
        let line = row.code.and_then(|number| self.code?.get(number));
        line.map_or(b"", |line| line.bytes)
    }
}

//! Lines with names: they define compressed names and set the current object, file and function, or
//! the next callee.

use super::{PendingCallee, Reader};
use crate::profile::{
    DivideBy, Division, FileId, FunctionId, FunctionKey, LimitExceeded, NameId, ObjectId,
};
use crate::read::line_files::LineFiles;
use crate::read::name_interner::InternedName;
use crate::read::record::{Name, NameOf, is_compressed_context};
use crate::read::warning::{ErrorKind, Warning};

impl Reader<'_> {
    /// Reads the name of a function that is interned already, and the compressed id that the line
    /// defines.
    pub(super) fn interned_name(
        &mut self,
        kind: NameOf,
        id: Option<u64>,
        name: InternedName,
    ) -> Result<(), ErrorKind> {
        self.enter_body();
        if let Some(id) = id {
            self.ids.names.define(id, name.number());
        }
        Ok(self.function_name(kind, name, id, id.is_some())?)
    }

    /// Sets what a name is of, unless it is that of the file of the next lines.
    pub(super) fn set_name(&mut self, kind: NameOf, name: Name<'_>) -> Result<(), LimitExceeded> {
        match kind {
            NameOf::Object => {
                self.part.header.has_objects = true;
                self.current.object = self.object_id(name)?;
                self.current.has_object = true;
            }
            NameOf::File | NameOf::InlinedFile | NameOf::EndOfInlined => {}
            NameOf::CalledObject => self.call.callee.object = Some(self.object_id(name)?),
            NameOf::CalledFile => self.call.callee.file = Some(self.file_id(name)?),
            NameOf::JumpFile => {
                let file = self.file_id(name)?;
                if let Some(code) = &mut self.code {
                    code.jump_file = Some(file);
                }
            }
            NameOf::Function
            | NameOf::CalledFunction
            | NameOf::JumpFunction
            | NameOf::OtherFunction => {
                let (id, defines_id) = match name {
                    Name::Text(_) => (None, false),
                    Name::Definition(id, _) => (Some(id), true),
                    Name::Reference(id) => (Some(id), false),
                };
                let name = self.name_id(name)?;
                self.function_name(kind, name, id, defines_id)?;
            }
        }
        Ok(())
    }

    /// Sets the current function, or the name of the next callee, which has a compressed id or
    /// gets one.
    fn function_name(
        &mut self,
        kind: NameOf,
        name: InternedName,
        id: Option<u64>,
        defines_id: bool,
    ) -> Result<(), LimitExceeded> {
        match kind {
            NameOf::Function => {
                self.state.files = LineFiles::new(self.own_file());
                let function = self.function_named(name.id)?;
                if self.part.is_wanted {
                    self.profile.functions().mark_named(function);
                }
                self.current.function = Some(function);
                self.current.is_nested = name.is_nested;
                self.current.function_id = id;
                if let Some(id) =
                    id.filter(|_| defines_id && !self.part.header.layout.names_other_files)
                {
                    self.open_calls.note_definition(id, function);
                }
                self.current.fragment = None;
                if self.options.detail.divide_by == DivideBy::Levels {
                    self.current.division = self.current.division.of_level(name.is_nested);
                }
                if !self.current.inlined_name.is_empty() {
                    self.current.inlined_name.clear();
                    self.current.division = Division::None;
                }
                self.call.callee = PendingCallee::default();
                self.call.last_callee = None;
            }
            NameOf::CalledFunction => {
                self.call.callee.set_name(name, id, defines_id);
            }
            NameOf::JumpFunction => {
                if let Some(code) = &mut self.code {
                    code.jump_function = Some(name.id);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The file of a callee, or of the target of a jump, that no line names.
    pub(super) fn target_file(&self) -> FileId {
        self.state.files.target(self.part.header.layout.is_of_callgrind)
    }

    /// The file of functions.
    pub(super) fn own_file(&self) -> FileId {
        self.current.own_file.unwrap_or(self.state.files.named())
    }

    pub(super) fn function_named(&mut self, name: NameId) -> Result<FunctionId, LimitExceeded> {
        let file = self.own_file();
        self.profile.functions().add(FunctionKey { object: self.current.object, file, name })
    }

    fn object_id(&mut self, name: Name<'_>) -> Result<ObjectId, LimitExceeded> {
        self.check_text(&name);
        let add = |text: &[u8]| Ok(self.profile.add_object(text)?.0);
        let found = self.ids.objects.resolve(name, add)?;
        Ok(ObjectId(self.defined(found)))
    }

    pub(super) fn file_id(&mut self, name: Name<'_>) -> Result<FileId, LimitExceeded> {
        self.check_text(&name);
        let options = self.options;
        let add = |text: &[u8]| Ok(self.profile.add_file(&options.file_name(text))?.0);
        let found = self.ids.files.resolve(name, add)?;
        Ok(FileId(self.defined(found)))
    }

    fn name_id(&mut self, name: Name<'_>) -> Result<InternedName, LimitExceeded> {
        self.check_text(&name);
        let has_contexts = self.part.header.layout.is_of_callgrind;
        let expanded;
        let name = match name {
            Name::Text(text) if has_contexts && is_compressed_context(text) => {
                expanded = self.expanded(text);
                Name::Text(&expanded)
            }
            Name::Definition(id, text) if has_contexts && is_compressed_context(text) => {
                expanded = self.expanded(text);
                Name::Definition(id, &expanded)
            }
            Name::Definition(id, text) => {
                self.note_text(id, text);
                name
            }
            name => name,
        };
        let has_suffixes = self.part.header.layout.has_suffixes();
        let add = |text: &[u8]| Ok(self.interner.intern(text, has_suffixes)?.number());
        let found = self.ids.names.resolve(name, add)?;
        Ok(InternedName::of_number(self.defined(found)))
    }

    /// Notes a name of callgrind's that was an id before the file was damaged.
    #[inline(always)]
    pub(super) fn check_text(&mut self, name: &Name<'_>) {
        if let Name::Text(text) = name
            && self.part.header.layout.is_of_callgrind
            && is_damaged_id(text)
        {
            self.warnings.note_damage(self.state.line, Warning::DamagedId);
        }
    }

    /// A resolved id, with a warning if no line has defined it.
    #[inline]
    fn defined(&mut self, (id, undefined): (u32, Option<u64>)) -> u32 {
        if let Some(id) = undefined {
            let creator = self.part.header.part.creator.as_ref();
            let is_old = creator.is_some_and(|creator| creator.starts_with(b"callgrind-0."));
            self.add_warning(Warning::UndefinedId { id, is_damage: !is_old });
        }
        id
    }
}

/// Whether a name is an id with another byte in place of a parenthesis or a digit, or without one.
fn is_damaged_id(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text {
        [b'(', rest @ ..] if !is_compressed_context(text) => digits(rest) > 0,
        _ => digits(text) > 0 && text[digits(text)..] == *b")",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_id_is_no_name() {
        for (name, is_damaged) in [
            ("(712", true),
            ("(712\t", true),
            ("(19:2)", true),
            ("(28!", true),
            ("1052)", true),
            ("main", false),
            ("(below main)", false),
            ("(anonymous namespace)::f()", false),
            ("(2)'(1)", false),
            ("0x1052", false),
            ("7zip.c", false),
            ("", false),
        ] {
            assert_eq!(is_damaged_id(name.as_bytes()), is_damaged, "{name}");
        }
    }
}

//! Lines that name something: what an id stands for, and what is current then.

use super::{Callee, Reader};
use crate::profile::{FileId, FunctionId, NameId, ObjectId, TooMany};
use crate::read::record::{Name, NameOf};
use crate::read::rename::renamed;
use crate::read::warning::{Cause, Error, Warning};

impl Reader<'_> {
    /// Takes in a name.
    pub(super) fn name(&mut self, of: NameOf, name: Name<'_>) -> Result<(), Error> {
        self.enter_body();
        self.set_name(of, name)
            .map_err(|TooMany| self.error(Cause::TooMany))
    }

    fn set_name(&mut self, of: NameOf, name: Name<'_>) -> Result<(), TooMany> {
        match of {
            NameOf::Object => self.object = self.object_id(name)?,
            NameOf::File => {
                self.file = self.file_id(name)?;
                self.own_file = Some(self.file);
            }
            NameOf::InlinedFile => self.file = self.file_id(name)?,
            NameOf::Function => {
                let name = self.name_id(name, true)?;
                self.file = self.own_file.unwrap_or(self.file);
                let function = self.function_named(name)?;
                if self.adds {
                    self.profile.see_function(function);
                }
                self.function = Some(function);
                self.callee = Callee::default();
                self.last_callee = None;
            }
            NameOf::CalledObject => {
                self.callee.object = Some(self.object_id(name)?);
                self.callee.is_begun = true;
            }
            // An empty one is as good as none, as callgrind_annotate has it.
            NameOf::CalledFile if name == Name::Plain(b"") => self.callee.file = None,
            NameOf::CalledFile => {
                self.callee.file = Some(self.file_id(name)?);
                self.callee.is_begun = true;
            }
            NameOf::CalledFunction => {
                self.callee.name = Some(self.name_id(name, true)?);
                self.callee.is_begun = true;
            }
            NameOf::JumpFile => drop(self.file_id(name)?),
            NameOf::OtherFunction => drop(self.name_id(name, false)?),
        }
        Ok(())
    }

    /// The function that an `fn=` with this name begins here.
    pub(super) fn function_named(&mut self, name: NameId) -> Result<FunctionId, TooMany> {
        self.profile
            .add_function(self.object, self.own_file.unwrap_or(self.file), name)
    }

    fn object_id(&mut self, name: Name<'_>) -> Result<ObjectId, TooMany> {
        let (id, undefined) = self
            .objects
            .resolve(name, |text| Ok(self.profile.add_object(text)?.0))?;
        self.tell_undefined(undefined);
        Ok(ObjectId(id))
    }

    fn file_id(&mut self, name: Name<'_>) -> Result<FileId, TooMany> {
        let add = |text: &[u8]| {
            let text = renamed(text, &self.options.rename_files);
            let dir = self.options.working_dir.as_deref();
            let below = dir.and_then(|dir| text.strip_prefix(dir)?.strip_prefix(b"/"));
            let below = below.filter(|below| !below.is_empty());
            Ok(self.profile.add_file(below.unwrap_or(&text))?.0)
        };
        let (id, undefined) = self.files.resolve(name, add)?;
        self.tell_undefined(undefined);
        Ok(FileId(id))
    }

    /// The id of a function's name, whose hash is that of the line at hand or else to be found.
    fn name_id(&mut self, name: Name<'_>, is_hashed: bool) -> Result<NameId, TooMany> {
        let (fold, renames) = (self.options.fold, &self.options.rename_functions);
        // What an id stands for has no hash: the lexer saw the id alone.
        let hash = (is_hashed && !matches!(name, Name::Known(_))).then_some(self.hash);
        let add = |text: &[u8]| {
            let folded = fold.of(text);
            let new = renamed(&folded, renames);
            let id = match hash {
                Some(hash) if std::ptr::eq(&new[..], text) => {
                    self.profile.add_hashed_name(text, hash)
                }
                _ => self.profile.add_name(&new),
            };
            Ok(id?.0)
        };
        let (id, undefined) = self.names.resolve(name, add)?;
        self.tell_undefined(undefined);
        Ok(NameId(id))
    }

    #[inline]
    fn tell_undefined(&mut self, id: Option<u64>) {
        if let Some(id) = id {
            self.warn(Warning::UndefinedId(id));
        }
    }
}

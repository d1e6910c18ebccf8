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

    /// Takes in the name of a function that is kept already, and the id that stands for it.
    pub(super) fn kept_name(
        &mut self,
        of: NameOf,
        id: Option<u32>,
        name: NameId,
    ) -> Result<(), Error> {
        self.enter_body();
        if let Some(id) = id {
            self.names.define(id.into(), name.0);
        }
        self.function_name(of, name)
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
            NameOf::JumpFile => drop(self.file_id(name)?),
            NameOf::Function | NameOf::CalledFunction | NameOf::OtherFunction => {
                let name = self.name_id(name)?;
                self.function_name(of, name)?;
            }
        }
        Ok(())
    }

    /// Notes what is current where a line has this name.
    fn function_name(&mut self, of: NameOf, name: NameId) -> Result<(), TooMany> {
        match of {
            NameOf::Function => {
                self.file = self.own_file.unwrap_or(self.file);
                let function = self.function_named(name)?;
                if self.adds {
                    self.profile.see_function(function);
                }
                self.function = Some(function);
                self.callee = Callee::default();
                self.called = None;
            }
            NameOf::CalledFunction => {
                self.callee.name = Some(name);
                self.callee.is_begun = true;
            }
            _ => {}
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

    fn name_id(&mut self, name: Name<'_>) -> Result<NameId, TooMany> {
        let add = |text: &[u8]| Ok(self.keeper.keep(text)?.0);
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

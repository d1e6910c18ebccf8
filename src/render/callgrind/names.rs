//! Names are written once with a number, later as the number alone: so the names of all functions are numbered in order,
//! while the lines between them are made by several threads.

use std::io;

use super::write_text;
use crate::profile::{Division, FileId, FunctionId, ObjectId, Profile};
use crate::render::number::NumberText;

/// Some functions without the names that are between their lines.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) text: Vec<u8>,
    references: Vec<Reference>,
}

struct Reference {
    /// Where in the text it comes.
    at: usize,
    key: &'static str,
    name: Name,
}

#[derive(Clone, Copy)]
pub(super) enum Name {
    Object(ObjectId),
    File(FileId),
    Function(FunctionId),
    /// The object of functions, if it is another than that of the last.
    CurrentObject(ObjectId),
    /// The function that lines were inlined from.
    Inlined(Division),
}

impl Chunk {
    pub(super) fn name(&mut self, key: &'static str, name: Name) {
        self.references.push(Reference {
            at: self.text.len(),
            key,
            name,
        });
    }
}

pub(super) struct Names<'a> {
    profile: &'a Profile,
    escapes: bool,
    objects: Numbering,
    files: Numbering,
    functions: Numbering,
    /// What a reader has for the next function.
    object: Option<ObjectId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(profile: &'a Profile, escapes: bool) -> Names<'a> {
        Names {
            profile,
            escapes,
            objects: Numbering::default(),
            files: Numbering::default(),
            functions: Numbering::default(),
            object: None,
        }
    }

    /// Appends a chunk with its names, the one after those before.
    pub(super) fn add(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> io::Result<()> {
        let mut done = 0;
        for Reference { at, key, name } in &chunk.references {
            out.extend_from_slice(&chunk.text[done..*at]);
            done = *at;
            self.line(key, *name, out)?;
        }
        out.extend_from_slice(&chunk.text[done..]);
        Ok(())
    }

    fn line(&mut self, key: &str, name: Name, out: &mut Vec<u8>) -> io::Result<()> {
        let profile = self.profile;
        let ((number, is_new), text) = match name {
            Name::CurrentObject(object) if self.object.replace(object) == Some(object) => {
                return Ok(());
            }
            Name::Object(object) | Name::CurrentObject(object) => {
                let number = self.objects.number(object.index());
                (number, profile.object(object))
            }
            Name::File(file) => (self.files.number(file.index()), profile.file(file)),
            // Each function has its own number, also if others have the same name: for KCachegrind a number identifies the
            // function in the file and the object in which it was first named.
            Name::Function(function) => {
                let number = self.functions.number(function.index());
                (number, profile.name(profile.function(function).name))
            }
            Name::Inlined(division) => {
                out.extend_from_slice(b"cfni=");
                let name = division.inlined();
                let name = name.map_or(&b"???"[..], |name| profile.name(name));
                return write_text(name, self.escapes, out);
            }
        };
        out.extend_from_slice(key.as_bytes());
        // A name after a number cannot be empty or start with a space; such names are written without numbers.
        if text.first().is_none_or(u8::is_ascii_whitespace) {
            out.push(b'=');
            return write_text(text, self.escapes, out);
        }
        out.extend_from_slice(b"=(");
        let digits = NumberText::of(|text| text.prepend_digits(number.into(), 1));
        out.extend_from_slice(digits.as_bytes());
        if is_new {
            out.extend_from_slice(b") ");
            return write_text(text, self.escapes, out);
        }
        out.extend_from_slice(b")\n");
        Ok(())
    }
}

/// Numbers objects, files or functions from 1, in the order of writing.
#[derive(Default)]
struct Numbering {
    /// The number by id; 0 if not written yet.
    numbers: Vec<u32>,
    last: u32,
}

impl Numbering {
    /// The number of the name with this index in the profile, and whether it is new.
    fn number(&mut self, index: usize) -> (u32, bool) {
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1, 0);
        }
        let is_new = self.numbers[index] == 0;
        if is_new {
            self.last += 1;
            self.numbers[index] = self.last;
        }
        (self.numbers[index], is_new)
    }
}

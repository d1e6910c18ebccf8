//! In which object files a program's functions are defined, as `nm -A` prints it.

use std::cmp::Ordering;

use indexmap::IndexSet;
use thiserror::Error;

/// The object files of functions, by the lines of a file.
///
/// As in gprof 2.40, a function whose line follows one of the same object belongs to the function
/// before it: what follows each other in the file is one function, with the name of the object.
#[derive(Debug, Default)]
pub struct ObjectMap {
    objects: IndexSet<Box<[u8]>>,
    /// The names of functions in order, each with its line.
    lines: Vec<(Box<[u8]>, ObjectLine)>,
}

/// What the map says of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectLine {
    /// The number of the object in the order of the map.
    pub object: u32,
    /// Whether the line before is of the same object.
    pub continues: bool,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {0} is not 'OBJECT:ADDRESS TYPE NAME', as nm -A prints it")]
pub struct ObjectMapError(usize);

impl ObjectMap {
    /// Parses lines `OBJECT:ADDRESS TYPE NAME`.
    pub fn parse(text: &[u8]) -> Result<ObjectMap, ObjectMapError> {
        let mut map = ObjectMap::default();
        let mut last = None;
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (object, name) = parts(line).ok_or(ObjectMapError(number))?;
            let (object, _) = map.objects.insert_full(object.into());
            let continues = last.replace(object) == Some(object);
            map.lines.push((name.into(), ObjectLine { object: object as u32, continues }));
        }
        map.lines.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(map)
    }

    /// What the map says of a function. Of several lines for one name, as of static functions, the
    /// one counts that the C library's binary search finds.
    pub(super) fn find(&self, function: &[u8]) -> Option<ObjectLine> {
        let mut rest = &self.lines[..];
        while !rest.is_empty() {
            let middle = rest.len() / 2;
            let (name, line) = &rest[middle];
            match function.cmp(name) {
                Ordering::Equal => return Some(*line),
                Ordering::Less => rest = &rest[..middle],
                Ordering::Greater => rest = &rest[middle + 1..],
            }
        }
        None
    }

    /// The names of all objects in the order of the map.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.objects.iter().map(|name| &**name)
    }
}

/// The object and the name of a line of a map.
fn parts(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (object, rest) = line.split_at(line.iter().position(|&byte| byte == b':')?);
    // The address of an undefined symbol is blank.
    let rest = rest[1..].trim_ascii();
    let address = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let after = rest[address..].trim_ascii_start();
    let has_address = address > 0 && after.len() < rest.len() - address;
    let type_and_name = if has_address { after } else { rest };
    let (_, name) = type_and_name.split_at_checked(1).filter(|(_, name)| name.starts_with(b" "))?;
    let name = name.trim_ascii();
    (!object.is_empty() && !name.is_empty()).then_some((object, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let table: [(&str, Option<(&str, &str)>); 10] = [
            ("a.o:0000000000000028 T main", Some(("a.o", "main"))),
            ("lib.a:a.o:0 T main", None),
            (
                "./x/a.o:0 W operator new(unsigned long)",
                Some(("./x/a.o", "operator new(unsigned long)")),
            ),
            ("a.o:                 U puts", Some(("a.o", "puts"))),
            ("a.o:T main", Some(("a.o", "main"))),
            ("a.o:0 D d", Some(("a.o", "d"))),
            ("a.o 0 T main", None),
            ("a.o:0 main", None),
            ("a.o:0T main", None),
            (":0 T main", None),
        ];
        for (line, expected) in table {
            let parsed = parts(line.as_bytes());
            let expected = expected.map(|(object, name)| (object.as_bytes(), name.as_bytes()));
            assert_eq!(parsed, expected, "{line}");
        }
        let error = ObjectMap::parse(b"\na.o:0 T f\nb.o\n").err();
        assert_eq!(error, Some(ObjectMapError(3)));
    }

    #[test]
    fn functions_of_one_object_that_follow_each_other() {
        let text = b"x:0 T f\ny:0 T g\ny:0 T h\n\ny:0 T i\nx:0 T l\nx:0 T k\n";
        let map = ObjectMap::parse(text).unwrap();
        assert!(map.names().eq([b"x", b"y"]));
        for (name, object, continues) in
            [(b"f", 0, false), (b"g", 1, false), (b"h", 1, true), (b"i", 1, true), (b"k", 0, true)]
        {
            let found = map.find(name).unwrap();
            assert_eq!((found.object, found.continues), (object, continues), "{name:?}");
        }
        assert!(map.find(b"gone").is_none());
    }

    /// As gprof 2.40 chooses among static functions of one name.
    #[test]
    fn several_lines_for_a_name() {
        let objects = |names: &str| {
            let lines = names.split(' ').enumerate();
            let text: String = lines.map(|(line, name)| format!("{line}:0 t {name}\n")).collect();
            let map = ObjectMap::parse(text.as_bytes()).unwrap();
            map.find(b"f").map(|line| line.object)
        };
        assert_eq!(objects("f f"), Some(1));
        assert_eq!(objects("f g f"), Some(2));
        assert_eq!(objects("f e f"), Some(0));
        assert_eq!(objects("f f f"), Some(1));
        assert_eq!(objects("f g f f h"), Some(3));
    }
}

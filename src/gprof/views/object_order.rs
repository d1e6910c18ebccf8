//! The order in which a linker may be given object files, so that those that call each other are
//! near each other: as GNU gprof 2.40 orders them, with each object once.

use std::collections::{BTreeSet, HashMap, VecDeque};

use thiserror::Error;

use crate::profile::Ordered;

/// The object files in which functions are defined.
#[derive(Default)]
pub struct ObjectMap {
    objects: Ordered<Box<[u8]>, ()>,
    of_function: HashMap<Box<[u8]>, u32>,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {0} is not 'OBJECT:ADDRESS TYPE NAME', as nm -A prints it")]
pub struct ObjectMapError(usize);

impl ObjectMap {
    /// Parses lines `OBJECT:ADDRESS TYPE NAME`. Of several lines for a name the last one counts.
    pub fn parse(text: &[u8]) -> Result<ObjectMap, ObjectMapError> {
        let mut map = ObjectMap::default();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (object, name) = parts(line).ok_or(ObjectMapError(number))?;
            let (object, _) = map.objects.insert_full(object.into(), ());
            map.of_function.insert(name.into(), object as u32);
        }
        Ok(map)
    }

    /// The objects in order. `functions` are the names of the program's functions by address, and
    /// `calls` those between them, by number, in the order in which they were recorded.
    ///
    /// A call puts two objects next to each other, or one at the nearer end of those that the other
    /// one is among. The last 1% of all calls does not count, so that a few objects that are seldom
    /// called keep the order of their functions, as do all others.
    pub fn order<'m>(
        &'m self,
        functions: &[&[u8]],
        calls: impl Iterator<Item = (u32, u32, u64)>,
    ) -> Vec<&'m [u8]> {
        let object = |function: u32| {
            let name = functions.get(function as usize)?;
            self.of_function.get(*name).copied()
        };
        let mut between: Ordered<(Option<u32>, Option<u32>), u128> = Ordered::default();
        for (caller, callee, count) in calls {
            let (from, to) = (object(caller), object(callee));
            if from != to {
                *between.entry((from, to)).or_default() += u128::from(count);
            }
        }
        let all: u128 = between.values().sum();
        let mut chains = Chains::new(self.objects.len());
        let mut sum = 0;
        for (&ends, count) in &between {
            sum += count;
            if sum * 100 > all * 99 {
                break;
            }
            if let (Some(from), Some(to)) = ends {
                chains.link(from, to);
            }
        }
        let mut order: Vec<u32> = chains.list.iter().flatten().copied().collect();
        let mut has_place: Vec<bool> = chains.of.iter().map(Option::is_some).collect();
        for object in (0..functions.len() as u32).filter_map(object) {
            if !std::mem::replace(&mut has_place[object as usize], true) {
                order.push(object);
            }
        }
        let name = |object: u32| -> &'m [u8] {
            self.objects.get_index(object as usize).map_or(&[], |(name, ())| name)
        };
        // Objects of which the program has nothing.
        let rest: BTreeSet<_> = (0..self.objects.len() as u32)
            .filter(|&object| !has_place[object as usize])
            .map(name)
            .collect();
        order.into_iter().map(name).chain(rest).collect()
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
    let rest = if has_address { after } else { rest };
    let (_, name) = rest.split_at_checked(1).filter(|(_, name)| name.starts_with(b" "))?;
    let name = name.trim_ascii();
    (!object.is_empty() && !name.is_empty()).then_some((object, name))
}

/// Objects that were put next to each other.
struct Chains {
    list: Vec<VecDeque<u32>>,
    /// By object, the number of its chain and its distance from the object with which the chain
    /// began, to the right; none if it is in no chain.
    of: Vec<Option<(usize, i64)>>,
    /// By chain, the distance of its first object.
    first: Vec<i64>,
}

impl Chains {
    fn new(objects: usize) -> Chains {
        Chains { list: Vec::new(), of: vec![None; objects], first: Vec::new() }
    }

    fn link(&mut self, from: u32, to: u32) {
        match (self.of[from as usize], self.of[to as usize]) {
            (None, None) => {
                let chain = self.list.len();
                self.list.push(VecDeque::from([from, to]));
                self.first.push(0);
                self.of[from as usize] = Some((chain, 0));
                self.of[to as usize] = Some((chain, 1));
            }
            (Some((chain, at)), None) => {
                let (before, after) = self.around(chain, at);
                self.add(to, chain, before < after);
            }
            (None, Some((chain, at))) => {
                let (before, after) = self.around(chain, at);
                self.add(from, chain, before <= after);
            }
            (Some(_), Some(_)) => {}
        }
    }

    /// The numbers of objects before and after a place in a chain.
    fn around(&self, chain: usize, at: i64) -> (i64, i64) {
        let before = at - self.first[chain];
        (before, self.list[chain].len() as i64 - 1 - before)
    }

    fn add(&mut self, object: u32, chain: usize, is_before: bool) {
        let objects = &mut self.list[chain];
        if is_before {
            objects.push_front(object);
            self.first[chain] -= 1;
            self.of[object as usize] = Some((chain, self.first[chain]));
        } else {
            let at = self.first[chain] + objects.len() as i64;
            objects.push_back(object);
            self.of[object as usize] = Some((chain, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let table: [(&str, Option<(&str, &str)>); 9] = [
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
            (":0 T main", None),
        ];
        for (line, expected) in table {
            let parsed = parts(line.as_bytes());
            let expected = expected.map(|(object, name)| (object.as_bytes(), name.as_bytes()));
            assert_eq!(parsed, expected, "{line}");
        }
        assert_eq!(ObjectMap::parse(b"\na.o:0 T f\nb.o\n").err(), Some(ObjectMapError(3)));
    }

    /// The orders that gprof prints for functions that have an object each.
    #[test]
    fn orders_of_objects() {
        // Calls as caller, callee and count.
        let table = [
            ("mc1 mb1 ma1", "b m c a d e f"),
            ("mc1 mb1 ma1 md10", "b m c a d e f"),
            ("mc198 mb1 ma1", "m c a b d e f"),
            ("mc199 mb1 ma1", "m a b c d e f"),
            ("ef1 cd1 ab1", "e f c d m a b"),
            ("eb1 ec1 ed1 ef1", "c e b d m a f"),
            ("be1 ce1 de1 fa1", "d b e c m a f"),
            ("ab1 cd1 ac1 fm1", "a b c d m e f"),
            ("ab1 bb1 ff9", "m a b c d e f"),
            ("", "m a b c d e f"),
        ];
        let names = ["m", "a", "b", "c", "d", "e", "f"];
        let lines: String = names.iter().map(|name| format!("{name}:0 T {name}\n")).collect();
        let map = ObjectMap::parse(lines.as_bytes()).unwrap();
        let functions = names.map(str::as_bytes);
        for (calls, expected) in table {
            let calls = calls.split_whitespace().map(|call| {
                let number = |at: usize| {
                    names.iter().position(|name| *name == &call[at..=at]).unwrap() as u32
                };
                (number(0), number(1), call[2..].parse().unwrap())
            });
            let order = map.order(&functions, calls).join(&b' ');
            assert_eq!(String::from_utf8(order).unwrap(), expected);
        }
    }

    #[test]
    fn an_object_is_listed_once_and_one_without_functions_last() {
        let text =
            b"z.o:0 T gone\ny.o:0 T gone too\nx.o:0 T f\ny.o:0 T g\nx.o:0 T h\nx.o:0 T gone\n";
        let map = ObjectMap::parse(text).unwrap();
        let order = map.order(&[b"g", b"none", b"f", b"h"], std::iter::empty());
        assert_eq!(order, [&b"y.o"[..], b"x.o", b"z.o"]);
    }
}

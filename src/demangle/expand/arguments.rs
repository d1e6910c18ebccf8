//! Template arguments, the parameters that refer to them, and packs.

use std::mem;

use super::{Argument, Conversion, EMPTY_PACK, Expander, Pack, Part, Value, placeholder, print};

impl Expander<'_> {
    /// `I…E`, and what each argument is.
    pub(super) fn arguments(&mut self) -> Option<(String, Vec<Argument>)> {
        self.expect("I")?;
        let outer = self.conversion;
        if outer == Conversion::Type {
            self.conversion = Conversion::None;
        }
        let mut arguments = Vec::new();
        while !self.eat("E") {
            let is_pack = self.eat("J") || self.eat("I");
            let mut values = Vec::new();
            while is_pack && !self.eat("E") {
                values.push(self.argument()?);
            }
            if !is_pack {
                values.push(self.argument()?);
            }
            arguments.push(Argument { values, is_pack });
        }
        self.conversion = outer;
        let values = arguments.iter().flat_map(|argument| &argument.values);
        let mut text = "I".to_owned();
        values.for_each(|value| text.push_str(&value.text()));
        if text.len() == 1 {
            text.push_str("JE");
        } else if arguments
            .last()
            .is_some_and(|last| last.values.iter().all(Value::is_empty))
        {
            text.push_str(&placeholder(EMPTY_PACK));
        }
        text.push('E');
        Some((text, arguments))
    }

    fn argument(&mut self) -> Option<Value> {
        self.nested(|expander| match expander.peek()? {
            b'X' => {
                expander.at += 1;
                let text = expander.expression()?;
                expander.expect("E")?;
                Some(Value::Expression(text))
            }
            b'L' => Some(Value::Expression(expander.literal()?)),
            _ => Some(Value::Type(expander.read_type()?)),
        })
    }

    /// The elements of a pack: the pattern read once for each.
    pub(super) fn expanded_pack(
        &mut self,
        operator: &str,
        pattern: impl Fn(&mut Self) -> Option<String>,
    ) -> Option<String> {
        let start = self.at;
        let outer = self.pack.replace(Pack::default());
        let mut text = pattern(self)?;
        let end = self.at;
        let len = self.pack.and_then(|pack| pack.len);
        match len {
            None if operator == "Dp" => {
                // The pack is that of a lambda's parameters, which is not known.
                let printed = print(&format!("_Z1f{text}"), &self.texts)?;
                let pattern = printed.strip_prefix('f')?;
                text = self.placeholder_for(format!("{pattern}..."))?;
            }
            None => text.insert_str(0, operator),
            Some(0) => text.clear(),
            Some(len) => {
                let was_repeating = mem::replace(&mut self.is_repeating, true);
                for index in 1..len {
                    self.pack = Some(Pack {
                        index,
                        len: Some(len),
                    });
                    self.at = start;
                    text.push_str(&pattern(self)?);
                }
                self.is_repeating = was_repeating;
            }
        }
        self.at = end;
        self.pack = outer;
        Some(text)
    }

    /// The argument that a template parameter refers to.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.expect("T")?;
        let index = self.index(10)?;
        if self.is_lambda {
            let name = self.placeholder_for(format!("auto:{}", index + 1))?;
            return Some(Value::Type(Part::new(name)));
        }
        let unknown = || Value::Type(Part::new("v"));
        if self.conversion == Conversion::Preview {
            return Some(unknown());
        }
        let argument = self.arguments.get(index)?;
        let at = if argument.is_pack {
            let pack = self.pack.as_mut()?;
            pack.len = Some(argument.values.len());
            pack.index
        } else {
            0
        };
        // Of an empty pack, what is read here is left out.
        Some(argument.values.get(at).cloned().unwrap_or_else(unknown))
    }
}

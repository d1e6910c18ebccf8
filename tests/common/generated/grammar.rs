//! Text that a grammar describes, by the choices of dice.
//!
//! A line `name: text` is a rule. In a text `;` is a newline, `{a|b|c}` one of these texts, in
//! which `5*b` counts as five, `<name>` the text of a rule, and `[20 a]` is a text fewer than 20
//! times. A line that begins with a blank continues the one before.

use super::model::Dice;

/// A text that the rule with this name describes.
pub fn expand(grammar: &str, rule: &str, dice: &mut Dice<'_>) -> String {
    let lines = grammar.lines().fold(String::new(), |all, line| {
        let separator = if line.starts_with(' ') { "" } else { "\n" };
        all + separator + line.trim_start()
    });
    let rules = lines.lines().filter_map(|line| line.split_once(": "));
    let mut expansion = Expansion { rules: rules.collect(), dice, text: String::new() };
    expansion.write(&format!("<{rule}>"));
    expansion.text
}

struct Expansion<'g, 'd, 'b> {
    rules: Vec<(&'g str, &'g str)>,
    dice: &'d mut Dice<'b>,
    text: String,
}

impl Expansion<'_, '_, '_> {
    fn write(&mut self, mut rest: &str) {
        while let Some(start) = rest.find(['{', '<', '[']) {
            self.text += &rest[..start].replace(';', "\n");
            let bracket = &rest[start..];
            let end = outside(bracket).find(|&(at, depth)| at > 0 && depth == 0);
            let (end, _) = end.expect("a bracket is not closed");
            let inside = &bracket[1..end];
            match bracket.as_bytes()[0] {
                b'{' => {
                    let texts = alternatives(inside);
                    let chosen = self.dice.below(texts.len());
                    self.write(texts[chosen]);
                }
                b'<' => {
                    let rule = self.rules.iter().find(|rule| rule.0 == inside);
                    self.write(rule.unwrap_or_else(|| panic!("no rule {inside}")).1);
                }
                _ => {
                    let (most, text) = inside.split_once(' ').unwrap();
                    let times = self.dice.below(most.parse().unwrap());
                    (0..times).for_each(|_| self.write(text));
                }
            }
            rest = &bracket[end + 1..];
        }
        self.text += &rest.replace(';', "\n");
    }
}

/// The bytes at which brackets open or close, and those between alternatives, each with how many
/// brackets are open behind it.
fn outside(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut depth = 0;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'{' | b'<' | b'[' => depth += 1,
            b'}' | b'>' | b']' => depth -= 1,
            b'|' => {}
            _ => return None,
        }
        Some((at, depth))
    })
}

/// The texts between bars, as often as they count.
fn alternatives(text: &str) -> Vec<&str> {
    let is_bar = |&(at, depth): &(usize, usize)| depth == 0 && text.as_bytes()[at] == b'|';
    let ends = outside(text).filter(is_bar).map(|(at, _)| at);
    let (mut start, mut texts) = (0, Vec::new());
    for end in ends.chain([text.len()]) {
        let part = &text[start..end];
        let counted =
            part.split_once('*').and_then(|(count, text)| Some((count.parse().ok()?, text)));
        let (count, part) = counted.unwrap_or((1, part));
        texts.extend(std::iter::repeat_n(part, count));
        start = end + 1;
    }
    texts
}

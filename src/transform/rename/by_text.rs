//! Renamed functions of a file by its texts: definitions of which most is equal, and names that
//! became each other wherever the texts have them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::bodies::{Body, LineNumbers, NumberedBody, SourceTokens, are_enough, compare};
use super::{PairFinder, RenameCandidate, last_word};
use crate::source::{LineChange, LineMap, RenamedWords, tokens};

/// Bodies of fewer lines are compared by callers and calls, too.
const MIN_LINES: usize = 5;

/// A line that more bodies have says nothing about which of them are similar.
const MAX_BODIES_WITH_LINE: usize = 16;

/// A function of one text whose definition the other text does not have.
struct DefinedFunction<'a, 't> {
    /// The group of its row, if that is on this side alone.
    row: Option<usize>,
    body: NumberedBody<'a, 't>,
}

/// The texts of a file on two sides, BASE before NEW.
struct FileTexts<'t> {
    tokens: [SourceTokens<'t>; 2],
    /// The functions that each defines, by the last word of their names.
    definitions: [Vec<(&'t [u8], Body)>; 2],
    words: [HashSet<&'t [u8]>; 2],
    /// How the lines are aligned if renamed identifiers differ.
    map: LineMap,
}

impl<'t> FileTexts<'t> {
    fn new(file: &[u8], [old, new]: [&'t [u8]; 2]) -> FileTexts<'t> {
        let tokens = [old, new].map(|text| SourceTokens::new(text, file));
        let definitions = tokens.each_ref().map(SourceTokens::definitions);
        let words = definitions.each_ref().map(|of| of.iter().map(|(word, _)| *word).collect());
        FileTexts { tokens, definitions, words, map: LineMap::without_renamed(old, new) }
    }

    /// Whether a definition of one text is not in the other one. A function whose definition is in
    /// both has not been renamed.
    fn is_changed(&self, body: &Body, is_new: bool) -> bool {
        if is_new {
            self.map.change(body.first + 1) == LineChange::Added
        } else {
            self.map.of_old(body.first + 1).in_new().is_none()
        }
    }

    /// Whether a text defines a function of this name.
    fn defines(&self, word: &[u8], is_new: bool) -> bool {
        self.words[usize::from(is_new)].contains(word)
    }
}

/// The identifiers that became others everywhere in the text of BASE.
struct Became<'w> {
    of_old: HashMap<&'w [u8], &'w [u8]>,
    of_new: HashMap<&'w [u8], &'w [u8]>,
}

impl<'w> Became<'w> {
    fn new(renamed: &'w RenamedWords, old: &SourceTokens<'_>) -> Became<'w> {
        // The definition alone may be at the place of another one that is like it.
        let is_used = |(word, _): &(&Vec<u8>, &Vec<u8>)| old.lines_with(word) > 1;
        let of_old: HashMap<&[u8], &[u8]> =
            renamed.iter().filter(is_used).map(|(old, new)| (&old[..], &new[..])).collect();
        let of_new = of_old.iter().map(|(old, new)| (*new, *old)).collect();
        Became { of_old, of_new }
    }

    /// Whether the texts show that one of two names is renamed otherwise.
    fn are_others(&self, old: &[u8], new: &[u8]) -> bool {
        self.of_old.get(old).is_some_and(|of_old| *of_old != new)
            || self.of_new.get(new).is_some_and(|of_new| *of_new != old)
    }
}

/// The bodies that may have enough lines of another one, given the bodies with each line.
fn similar(of: &NumberedBody<'_, '_>, with_line: &HashMap<u32, Vec<usize>>) -> BTreeSet<usize> {
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut common = 0;
    for line in &of.numbers {
        match with_line.get(line) {
            // A bracket.
            Some(bodies) if bodies.len() > MAX_BODIES_WITH_LINE => common += 1,
            Some(bodies) => bodies.iter().for_each(|&body| *votes.entry(body).or_default() += 1),
            None => {}
        }
    }
    let count = of.lines.len();
    // The other body has at least nine elevenths of the lines.
    let is_similar = |votes: usize| are_enough(votes + common, [count, count * 9 / 11]);
    votes.into_iter().filter(|&(_, votes)| is_similar(votes)).map(|(body, _)| body).collect()
}

/// Whether the renamed words turn one name into the other.
fn becomes(old: &[u8], new: &[u8], words: &HashMap<&[u8], &[u8]>) -> bool {
    let renamed = tokens(old).map(|token| words.get(token).copied().unwrap_or(token));
    renamed.eq(tokens(new))
}

impl PairFinder<'_> {
    /// The possible pairs of functions of a file by their texts. A function of the text that is no
    /// row may be what a row was or became, too.
    pub(super) fn by_text(
        &self,
        file: &[u8],
        [old, new]: [&[u8]; 2],
        [gone, came]: [&[usize]; 2],
    ) -> Vec<RenameCandidate> {
        let texts = FileTexts::new(file, [old, new]);
        let renamed = LineMap::new(old, new, &RenamedWords::new()).renamed;
        let mut known = LineNumbers::new();
        let gone = self.changed_functions(&texts, gone, false, &mut known);
        let came = self.changed_functions(&texts, came, true, &mut known);
        let became = Became::new(&renamed, &texts.tokens[0]);
        let mut candidates = self.by_bodies(&gone, &came, &became);
        candidates.extend(self.by_words(&renamed, [&gone, &came], &candidates));
        candidates
    }

    /// The functions of one side whose definitions the other text does not have: those of rows, and
    /// those that only the text has.
    fn changed_functions<'s>(
        &'s self,
        texts: &'s FileTexts<'_>,
        rows: &[usize],
        is_new: bool,
        known: &mut LineNumbers<'s>,
    ) -> Vec<DefinedFunction<'s, 's>> {
        let text = &texts.tokens[usize::from(is_new)];
        let other = &texts.tokens[usize::from(!is_new)];
        let of_row = |&number: &usize| {
            let group = &self.groups.list[number];
            let word = last_word(&group.name)?;
            let body = text.body_of(word, &group.facts.lines)?;
            // Methods of several classes have the same name.
            let is_kept = word == group.name && texts.defines(word, !is_new);
            (texts.is_changed(&body, is_new) && !is_kept).then_some((Some(number), word, body))
        };
        let of_rows: Vec<_> = rows.iter().filter_map(of_row).collect();
        let ends: HashSet<u32> = of_rows.iter().map(|(.., body)| body.last).collect();
        let is_other = |(word, body): &&(&[u8], Body)| {
            !ends.contains(&body.last)
                && texts.is_changed(body, is_new)
                && !texts.defines(word, !is_new)
        };
        let others = texts.definitions[usize::from(is_new)].iter().filter(is_other);
        let of_no_row = others.map(|&(word, body)| (None, word, body));
        let all = of_rows.iter().copied().chain(of_no_row);
        all.map(|(row, word, body)| DefinedFunction {
            row,
            body: NumberedBody::new(text, body, word, other, known),
        })
        .collect()
    }

    /// The possible pairs of functions whose bodies are similar.
    fn by_bodies(
        &self,
        gone: &[DefinedFunction<'_, '_>],
        came: &[DefinedFunction<'_, '_>],
        became: &Became<'_>,
    ) -> Vec<RenameCandidate> {
        let mut with_line: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, function) in came.iter().enumerate() {
            let lines: BTreeSet<u32> = function.body.numbers.iter().copied().collect();
            lines.into_iter().for_each(|line| with_line.entry(line).or_default().push(at));
        }
        let mut candidates = Vec::new();
        let mut keeping_words: HashSet<usize> = HashSet::new();
        // Of a row what else it may be or have been, by its name.
        let mut others: HashSet<(usize, &[u8])> = HashSet::new();
        for DefinedFunction { row: gone, body: of_old } in gone {
            for at in similar(of_old, &with_line) {
                let DefinedFunction { row: new, body: of_new } = &came[at];
                if became.are_others(of_old.word, of_new.word) {
                    continue;
                }
                let Some(compared) = compare(of_old, of_new) else {
                    continue;
                };
                let (Some(gone), Some(new)) = (*gone, *new) else {
                    others.extend(gone.map(|gone| (gone, of_new.word)));
                    others.extend(new.map(|new| (new, of_old.word)));
                    continue;
                };
                let [old_name, new_name] =
                    [gone, new].map(|number| &self.groups.list[number].name[..]);
                if !becomes(old_name, new_name, &compared.words) {
                    continue;
                }
                if compared.is_whole && of_old.word == of_new.word {
                    keeping_words.extend([gone, new]);
                }
                let words = compared.words.into_iter();
                candidates.push(RenameCandidate {
                    gone,
                    new,
                    needs_calls: compared.lines < MIN_LINES,
                    is_by_calls: false,
                    words: words.map(|(old, new)| (old.to_vec(), new.to_vec())).collect(),
                });
            }
        }
        self.retain_likely(&mut candidates, &keeping_words, &others);
        candidates
    }

    /// Leaves out candidates that the other bodies speak against: `keeping_words` are rows whose
    /// whole body another row of that name has, `others` what else a row may be or have been.
    fn retain_likely(
        &self,
        candidates: &mut Vec<RenameCandidate>,
        keeping_words: &HashSet<usize>,
        others: &HashSet<(usize, &[u8])>,
    ) {
        // The methods of a class that got another name keep theirs, though others are similar.
        let last_word_of = |number: usize| last_word(&self.groups.list[number].name);
        candidates.retain(|pair: &RenameCandidate| {
            last_word_of(pair.gone) == last_word_of(pair.new)
                || !keeping_words.contains(&pair.gone) && !keeping_words.contains(&pair.new)
        });
        // What is similar in another class has the same name.
        candidates.retain(|pair: &RenameCandidate| {
            let [gone_word, new_word] = [pair.gone, pair.new].map(last_word_of);
            !others.iter().any(|&(row, word)| {
                row == pair.gone && Some(word) != new_word
                    || row == pair.new && Some(word) != gone_word
            })
        });
    }

    /// The possible pairs whose names became each other wherever the texts have them, although more
    /// of their bodies changed.
    fn by_words(
        &self,
        words: &RenamedWords,
        [gone, came]: [&[DefinedFunction<'_, '_>]; 2],
        known: &[RenameCandidate],
    ) -> Vec<RenameCandidate> {
        let name = |number: usize| &self.groups.list[number].name[..];
        let of_new: HashMap<Vec<&[u8]>, usize> = came
            .iter()
            .filter_map(|function| Some((tokens(name(function.row?)).collect(), function.row?)))
            .collect();
        let known: HashSet<(usize, usize)> =
            known.iter().map(|pair| (pair.gone, pair.new)).collect();
        let pair = |gone: usize| {
            let in_new = |token| words.get(token).map_or(token, |new| &new[..]);
            let renamed: Vec<&[u8]> = tokens(name(gone)).map(in_new).collect();
            let new = *of_new.get(&renamed)?;
            (!known.contains(&(gone, new))).then(|| RenameCandidate {
                gone,
                new,
                needs_calls: false,
                is_by_calls: false,
                words: words.clone(),
            })
        };
        gone.iter().filter_map(|function| pair(function.row?)).collect()
    }
}

//! The texts of changed places, of lines that are not changed, and of changed lines elsewhere.

use super::{ShownLines, WhyTexts, calls_text};
use crate::render::shorten::GAP as ELLIPSIS;
use crate::render::with_commas;
use crate::view::{ChangedPlace, LineWithChange, OtherPlaces, ScreenLine};

/// The number of bytes of equal beginnings that are shown before what differs.
const SHOWN_START: usize = 20;

/// A changed place of the program, or a line that is not changed, with the change of its cost.
pub(in crate::render) struct ChangedLines {
    pub(in crate::render) change: String,
    pub(super) count: i64,
    pub(in crate::render) lines: Vec<String>,
}

impl WhyTexts<'_> {
    /// The removed and the added line of a place, each after its sign, with the lines of which it
    /// is the costliest, and the number of calls that are made there. Of two lines that begin alike
    /// the beginning is left out where there would be no room for what differs.
    pub(super) fn of_place(&self, place: &ChangedPlace) -> Vec<String> {
        let texts = [&place.removed, &place.added].map(|line| line.as_ref()?.text.as_deref());
        let start = match (texts, self.style.width) {
            ([Some(removed), Some(added)], Some(all)) => same_start(removed, added, all),
            _ => None,
        };
        let line = |(sign, line): (char, &ScreenLine)| {
            let end = start.zip(line.text.as_deref()).map(|(start, text)| {
                let text = Some([ELLIPSIS.as_bytes(), &text[start..]].concat());
                ScreenLine { text, ..line.clone() }
            });
            let shown = end.as_ref().unwrap_or(line);
            let (calls, lines) = match sign {
                '-' => (place.calls.base, place.removed_lines),
                _ => (place.calls.new, place.added_lines),
            };
            let of_lines = lines.map(|(first, last)| format!("of {first}-{last}"));
            let of_calls = (calls != 0).then(|| format!("makes {}", calls_text(calls)));
            let notes: Vec<String> = of_lines.into_iter().chain(of_calls).collect();
            let text = match &notes[..] {
                [] => self.line(shown),
                notes => self.line_with_note(shown, &notes.join(", ")),
            };
            format!("{sign} {text}")
        };
        let more = more_places(place.more).map(|more| format!("{more} of its function"));
        signed_lines(place).map(line).chain(more).collect()
    }

    /// The changed places of the program, if there are several or one that no reason has `shown`;
    /// those that it has are only named.
    pub(in crate::render) fn changed_places(&self, shown: &ShownLines) -> Vec<ChangedLines> {
        let is_shown = |place: &&ChangedPlace| {
            let mut lines = place.removed.iter().chain(&place.added);
            lines.all(|line| shown.contains(&(line.file.clone(), line.line)))
        };
        // One place alone is what the reasons are about.
        if self.why.places.len() < 2 && self.why.places.iter().all(|place| is_shown(&place)) {
            return Vec::new();
        }
        let lines = self.why.places.iter().map(|place| ChangedLines {
            change: self.change(place.change),
            count: place.change,
            lines: if is_shown(&place) {
                vec![format!("{}, as above", self.signed_places([place]))]
            } else {
                self.of_place(place)
            },
        });
        lines.collect()
    }

    /// The lines of changed places, each with a sign, without their texts.
    pub(super) fn signed_places<'c>(
        &self,
        places: impl IntoIterator<Item = &'c ChangedPlace>,
    ) -> String {
        let lines = places.into_iter().flat_map(signed_lines);
        let signed = lines.map(|(sign, line)| format!("{sign}{}", self.place(line)));
        signed.collect::<Vec<_>>().join(", ")
    }

    /// The lines that are not changed with the largest changes of cost, but for those that a reason
    /// names.
    pub(in crate::render) fn unchanged_lines(&self) -> Vec<ChangedLines> {
        self.shown_unchanged()
            .map(|line| ChangedLines {
                change: self.change(line.change),
                count: line.change,
                lines: vec![self.line_with_calls(&line.at, line.calls)],
            })
            .collect()
    }

    fn shown_unchanged(&self) -> impl Iterator<Item = &LineWithChange> {
        let of_reasons: Vec<&ScreenLine> =
            self.why.reasons.iter().filter_map(|reason| reason.code.as_ref()?.largest()).collect();
        self.why.unchanged.iter().filter(move |line| !of_reasons.contains(&&line.at))
    }

    pub(in crate::render) fn heading_of_unchanged(&self) -> &'static str {
        if self.shown_unchanged().any(|line| line.has_new_words) {
            "lines that are not changed but for new names"
        } else {
            "lines that are not changed"
        }
    }

    /// The lines of the changed places that no reason names, each as it is now if it is there.
    pub(super) fn places_elsewhere(&self) -> impl Iterator<Item = &ScreenLine> {
        let all = [&self.why.executed, &self.why.declarations].into_iter();
        let places = all.flat_map(|of| &of.places);
        places.filter_map(|place| place.added.as_ref().or(place.removed.as_ref()))
    }

    /// The changed lines that no reason names, below what they are.
    pub(in crate::render) fn elsewhere(&self) -> Vec<(&'static str, Vec<String>)> {
        let of = |OtherPlaces { places, more }: &OtherPlaces| -> Vec<String> {
            let lines = places.iter().flat_map(|place| self.of_place(place));
            lines.chain(more_places(*more)).collect()
        };
        let mut blocks = vec![
            (self.heading_of_executed(), of(&self.why.executed)),
            ("changed lines outside functions", of(&self.why.declarations)),
        ];
        blocks.retain(|(_, lines)| !lines.is_empty());
        blocks
    }

    /// Reasons without changed lines follow these.
    pub(super) fn heading_of_executed(&self) -> &'static str {
        if self.why.has_causes_elsewhere() {
            "changed lines that were executed"
        } else {
            "changed lines in other functions that were executed"
        }
    }
}

/// Where two texts that begin alike are shown from, if they do so for more than two fifths of the
/// width: from a word not far before what differs.
fn same_start(a: &[u8], b: &[u8], width: usize) -> Option<usize> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let mut before = a[..same.saturating_sub(SHOWN_START)].iter();
    let start = before.rposition(|&byte| byte == b' ').map(|at| at + 1);
    start.filter(|_| same * 5 > width * 2)
}

/// The removed and the added line of a place.
pub(super) fn signed_lines(place: &ChangedPlace) -> impl Iterator<Item = (char, &ScreenLine)> {
    let lines = [('-', &place.removed), ('+', &place.added)].into_iter();
    lines.filter_map(|(sign, line)| Some((sign, line.as_ref()?)))
}

/// What is said of places that are not shown.
pub(super) fn more_places(count: usize) -> Option<String> {
    let s = if count == 1 { "" } else { "s" };
    (count > 0).then(|| format!("and {} more place{s}", with_commas(count)))
}

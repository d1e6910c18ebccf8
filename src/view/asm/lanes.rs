//! Arrows next to the instructions: which jumps have one, and in which lane it runs.

use std::collections::{BTreeMap, BTreeSet};

const MAX_LANES: usize = 6;

/// All jumps to one row.
pub struct Arrow {
    pub target: usize,
    pub sources: Vec<usize>,
    pub taken: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Glyph {
    #[default]
    Blank = b' ',
    Through = b'|',
    Top = b'/',
    Bottom = b'\\',
    /// A source or target between the ends.
    Joint = b'+',
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneRow {
    /// By lane, the one nearest to the code first.
    pub glyphs: [Glyph; MAX_LANES],
    pub is_target: bool,
    /// By lane, whether its arrow jumps upwards, as in a loop.
    pub is_loop: [bool; MAX_LANES],
}

pub struct Lanes {
    pub count: usize,
    pub rows: Vec<LaneRow>,
}

impl LaneRow {
    /// The lanes of a row without an instruction, next to this one; arrows with this `end` here
    /// (`Bottom` for a row below) do not reach it.
    pub fn adjacent(&self, end: Glyph) -> LaneRow {
        let passes = |glyph| glyph != Glyph::Blank && glyph != end;
        let glyph = |glyph| {
            if passes(glyph) { Glyph::Through } else { Glyph::Blank }
        };
        LaneRow { glyphs: self.glyphs.map(glyph), is_target: false, is_loop: self.is_loop }
    }
}

impl Lanes {
    /// Lays out arrows next to rows, the most taken first; arrows that do not fit are left out.
    pub fn new(rows: usize, mut arrows: Vec<Arrow>) -> Lanes {
        arrows.retain(|arrow| arrow.sources.iter().any(|&source| source != arrow.target));
        arrows.sort_by_key(|arrow| (std::cmp::Reverse(arrow.taken), arrow.target));
        let mut chosen = choose(rows, arrows);
        chosen.sort_by_key(|arrow| {
            let (top, bottom) = arrow.span();
            (bottom - top, top, arrow.target)
        });
        let mut lanes = Lanes { count: 0, rows: vec![LaneRow::default(); rows] };
        // By lane, its occupied ranges of rows: the first and the last row.
        let mut taken: [BTreeMap<usize, usize>; MAX_LANES] = Default::default();
        for arrow in chosen {
            let (top, bottom) = arrow.span();
            let is_free = |lane: &BTreeMap<usize, usize>| {
                let last = lane.range(..=bottom).next_back();
                last.is_none_or(|(_, &end)| end < top)
            };
            if let Some(lane) = taken.iter().position(is_free) {
                taken[lane].insert(top, bottom);
                lanes.count = lanes.count.max(lane + 1);
                lanes.draw(lane, &arrow);
            }
        }
        lanes
    }

    fn draw(&mut self, lane: usize, arrow: &Arrow) {
        let (top, bottom) = arrow.span();
        let is_loop = bottom > arrow.target;
        for row in &mut self.rows[top..=bottom] {
            row.glyphs[lane] = Glyph::Through;
            row.is_loop[lane] = is_loop;
        }
        for &row in arrow.sources.iter().chain([&arrow.target]) {
            self.rows[row].glyphs[lane] = match row {
                _ if row == top => Glyph::Top,
                _ if row == bottom => Glyph::Bottom,
                _ => Glyph::Joint,
            };
        }
        self.rows[arrow.target].is_target = true;
    }
}

impl Arrow {
    fn span(&self) -> (usize, usize) {
        let span = (self.target, self.target);
        let sources = self.sources.iter();
        sources.fold(span, |(top, bottom), &row| (top.min(row), bottom.max(row)))
    }
}

/// Selects arrows in order, at most as many in each row as there are lanes.
fn choose(rows: usize, arrows: Vec<Arrow>) -> Vec<Arrow> {
    let mut used = vec![0u8; rows];
    let mut full = BTreeSet::new();
    let mut chosen = arrows;
    chosen.retain(|arrow| {
        let (top, bottom) = arrow.span();
        if full.range(top..=bottom).next().is_some() {
            return false;
        }
        for (row, used) in used.iter_mut().enumerate().take(bottom + 1).skip(top) {
            *used += 1;
            if usize::from(*used) == MAX_LANES {
                full.insert(row);
            }
        }
        true
    });
    chosen
}

//! How costs get through a cycle: from the calls that enter it to the self costs of its functions
//! and to the calls that leave it.
//!
//! What was paid for calls into a function of a cycle, and for calls within the cycle, was spent by
//! the function itself or paid for its calls: costs flow along the calls, and no call has more than
//! was recorded. So the cost of the calls that enter a cycle is taken along its calls in small
//! amounts, at each function by one of its calls or to its self cost, each as often as its cost
//! says, until all that enters has arrived where something was spent or the cycle was left. All of
//! both is exact; only which of them belong together is an estimate. A **walk** that comes back to
//! a function goes on where it was there first, as recursive calls are part of the first call.

use crate::view::frame_numbers::FrameNumbers;

/// The steps of all walks through a cycle for each of its calls and self costs, and at most. The
/// amounts are so small that they take about this many.
const STEPS_OF_CALL: usize = 256;
const MAX_STEPS: usize = 1 << 18;

/// The most walks, without those that end as a call has no more cost.
const MAX_WALKS: i128 = 4096;

/// The golden ratio's part of a whole: steps of it come near all parts of the whole evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// The largest part of what enters a cycle, in percent, that its functions may have spent more or
/// less than was paid for them. Of producers that do not record calls apart from nested ones, costs
/// do not flow.
const MAX_UNBALANCED_PERCENT: i128 = 1;

/// Where a walk goes from a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To its self cost, where the walk ends.
    Own,
    /// By the call with this number, which leaves the cycle.
    Leave(usize),
    /// To the function of the cycle with this number; outside cycles, by the call with this number.
    Call(usize),
}

/// A function of a cycle with the calls that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WalkedFrame {
    /// The number of the function.
    pub(super) member: usize,
    /// The frame above it; none if it was called from outside, or by nobody.
    pub(super) above: Option<usize>,
    pub(super) own: i64,
    /// What it paid for calls that leave the cycle.
    pub(super) leaving: Vec<(usize, i64)>,
}

/// A cycle: from each function, the ways with their costs, which are above 0.
pub(super) struct Cycle {
    ways: Vec<Vec<(Way, i64)>>,
    entering: Vec<i64>,
}

impl Cycle {
    /// `entering` is what was paid for each function from outside, or spent without a call.
    pub(super) fn new(ways: Vec<Vec<(Way, i64)>>, entering: Vec<i64>) -> Cycle {
        Cycle { ways, entering }
    }

    /// Whether functions spent what was paid for them.
    fn is_balanced(&self) -> bool {
        let mut paid: Vec<i128> = self.entering.iter().map(|&cost| cost.into()).collect();
        for &(way, cost) in self.ways.iter().flatten() {
            if let Way::Call(callee) = way {
                paid[callee] += i128::from(cost);
            }
        }
        let spent = |ways: &Vec<(Way, i64)>| ways.iter().map(|way| i128::from(way.1)).sum::<i128>();
        let differences =
            self.ways.iter().zip(&paid).map(|(ways, &paid)| (spent(ways) - paid).abs());
        let entering: i128 = self.entering.iter().map(|&cost| i128::from(cost)).sum();
        100 * differences.sum::<i128>() <= MAX_UNBALANCED_PERCENT * entering
    }

    /// The number of functions that are reached, if only one path leads to each of them: then each
    /// has one frame, with all that it spent.
    fn functions_with_one_frame(&self) -> Option<usize> {
        enum Step {
            Enter(usize),
            Leave(usize),
        }
        let mut is_on_path = vec![false; self.ways.len()];
        let mut is_known = is_on_path.clone();
        let entered = self.entering.iter().enumerate().filter(|&(_, &cost)| cost > 0);
        let mut steps: Vec<Step> = entered.map(|(member, _)| Step::Enter(member)).collect();
        let mut count = 0;
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(member) => is_on_path[member] = false,
                // The walk goes on in the frame of the function.
                Step::Enter(member) if is_on_path[member] => {}
                Step::Enter(member) if is_known[member] => return None,
                Step::Enter(member) => {
                    count += 1;
                    is_known[member] = true;
                    is_on_path[member] = true;
                    steps.push(Step::Leave(member));
                    steps.extend(self.ways[member].iter().filter_map(|&(way, _)| match way {
                        Way::Call(callee) => Some(Step::Enter(callee)),
                        Way::Own | Way::Leave(_) => None,
                    }));
                }
            }
        }
        Some(count)
    }

    /// The frames, each after the one above it; none if costs do not flow.
    pub(super) fn frames(&self) -> Option<Vec<WalkedFrame>> {
        if !self.is_balanced() {
            return None;
        }
        let mut walks = Walks::new(self);
        walks.take_all(self);
        walks.add_rest();
        Some(walks.frames)
    }
}

/// The ways from one place, each of which is taken as often as its cost says.
pub(super) struct Ways {
    ways: Vec<OpenWay>,
    at: i64,
    stride: i64,
}

struct OpenWay {
    way: Way,
    left: i64,
    /// The sum of the costs of the ways up to this one.
    end: i64,
    /// The number of this way or of one after it that has cost left, if only the last one says
    /// itself.
    open: usize,
}

impl Ways {
    pub(super) fn new(ways: impl Iterator<Item = (Way, i64)>) -> Ways {
        let mut end = 0i64;
        let open = ways.enumerate().map(|(open, (way, left))| {
            end = end.saturating_add(left);
            OpenWay { way, left, end, open }
        });
        let ways: Vec<OpenWay> = open.collect();
        Ways { stride: ((end as f64 * GOLDEN) as i64).clamp(0, end), at: end / 2, ways }
    }

    /// What all ways had before any was taken.
    fn sum(&self) -> i64 {
        self.ways.last().map_or(0, |way| way.end)
    }

    /// The first way from this one on that has cost left.
    fn open_from(&mut self, from: usize) -> usize {
        let mut end = from;
        while let Some(way) = self.ways.get(end)
            && way.open != end
        {
            end = way.open;
        }
        let mut at = from;
        while at != end {
            at = std::mem::replace(&mut self.ways[at].open, end);
        }
        end
    }

    /// The next way, and how much of an amount goes by it.
    pub(super) fn take(&mut self, amount: i64) -> Option<(Way, i64)> {
        let left = self.sum() - self.stride;
        self.at = if self.at >= left { self.at - left } else { self.at + self.stride };
        let at = self.at;
        let from = self.ways.partition_point(|way| way.end <= at);
        let open = match self.open_from(from) {
            open if open < self.ways.len() => open,
            _ => self.open_from(0),
        };
        let way = self.ways.get_mut(open)?;
        let taken = amount.min(way.left);
        way.left -= taken;
        if way.left == 0 {
            way.open = open + 1;
        }
        Some((way.way, taken))
    }
}

struct Walks {
    /// By function, and after them those into the cycle.
    ways: Vec<Ways>,
    frames: Vec<WalkedFrame>,
    numbers: FrameNumbers,
    /// The frames from the first one to the current one.
    path: Vec<usize>,
    /// By function its place in the path.
    place: Vec<Option<usize>>,
    steps: usize,
}

impl Walks {
    fn new(cycle: &Cycle) -> Walks {
        let entered = cycle.entering.iter().enumerate().filter(|&(_, &cost)| cost > 0);
        let entering = Ways::new(entered.map(|(member, &cost)| (Way::Call(member), cost)));
        let of_members = cycle.ways.iter().map(|ways| Ways::new(ways.iter().copied()));
        Walks {
            ways: of_members.chain([entering]).collect(),
            frames: Vec::new(),
            numbers: FrameNumbers::default(),
            path: Vec::new(),
            place: vec![None; cycle.ways.len()],
            steps: 0,
        }
    }

    /// Takes all that enters along the calls.
    fn take_all(&mut self, cycle: &Cycle) {
        let entering = self.ways[cycle.ways.len()].sum();
        let all: i128 = self.ways.iter().map(|ways| i128::from(ways.sum())).sum();
        let calls: usize = self.ways.iter().map(|ways| ways.ways.len()).sum();
        let max_steps = (STEPS_OF_CALL * calls).min(MAX_STEPS);
        let walks = (max_steps as i128 * i128::from(entering)).checked_div(all).unwrap_or(0);
        let amount = (entering / walks.clamp(1, MAX_WALKS) as i64).max(1);
        // The frame at which an amount is.
        let mut open: Vec<(Option<usize>, i64)> = Vec::new();
        let all_frames = cycle.functions_with_one_frame();
        // The rest belongs to the frames of its functions then.
        while all_frames != Some(self.frames.len()) {
            let (frame, left) = open.pop().unwrap_or((None, amount));
            self.go_to(frame);
            if !self.walk(left, &mut open) && frame.is_none() || self.steps > 4 * max_steps {
                return;
            }
        }
    }

    /// Makes the frame the last one of the path.
    fn go_to(&mut self, frame: Option<usize>) {
        let mut below = Vec::new();
        let mut at = frame;
        while let Some(number) = at
            && self.path.get(self.place[self.frames[number].member].unwrap_or(usize::MAX))
                != Some(&number)
        {
            below.push(number);
            at = self.frames[number].above;
        }
        let kept = at.and_then(|number| self.place[self.frames[number].member]);
        self.cut(kept.map_or(0, |place| place + 1));
        self.steps += below.len();
        below.into_iter().rev().for_each(|number| self.push(number));
    }

    fn cut(&mut self, length: usize) {
        for &number in &self.path[length..] {
            self.place[self.frames[number].member] = None;
        }
        self.path.truncate(length);
    }

    fn push(&mut self, number: usize) {
        self.place[self.frames[number].member] = Some(self.path.len());
        self.path.push(number);
    }

    /// Takes an amount from the last frame of the path to where the walk ends; what a call has no
    /// cost left for is taken up later. Returns whether there was a way.
    fn walk(&mut self, amount: i64, open: &mut Vec<(Option<usize>, i64)>) -> bool {
        let mut amount = amount;
        let mut is_first = true;
        loop {
            let frame = self.path.last().copied();
            let from = frame.map_or(self.ways.len() - 1, |number| self.frames[number].member);
            let Some((way, taken)) = self.ways[from].take(amount) else {
                return !is_first;
            };
            self.steps += 1;
            is_first = false;
            if taken < amount && frame.is_some() {
                open.push((frame, amount - taken));
            }
            amount = taken;
            match (way, frame) {
                (Way::Call(member), _) => self.enter(frame, member),
                (_, None) => return true,
                (Way::Own, Some(number)) => {
                    self.frames[number].own += taken;
                    return true;
                }
                (Way::Leave(call), Some(number)) => {
                    self.frames[number].leaving.push((call, taken));
                    return true;
                }
            }
        }
    }

    /// Goes on with a function that is called, or with its frame in the path.
    fn enter(&mut self, above: Option<usize>, member: usize) {
        if let Some(place) = self.place[member] {
            self.cut(place + 1);
            return;
        }
        let number = self.frame(above, member);
        self.push(number);
    }

    fn frame(&mut self, above: Option<usize>, member: usize) -> usize {
        let next = self.frames.len();
        let number = self.numbers.of(above, member, next);
        if number == next {
            self.frames.push(WalkedFrame { member, above, own: 0, leaving: Vec::new() });
        }
        number
    }

    /// Adds what no walk came to, by rounding or as there were too many steps, to the first frame
    /// of its function, which may be one without a call.
    fn add_rest(&mut self) {
        let mut first: Vec<Option<usize>> = vec![None; self.place.len()];
        for (number, frame) in self.frames.iter().enumerate().rev() {
            first[frame.member] = Some(number);
        }
        for (member, frame) in first.into_iter().enumerate() {
            let rest: Vec<(Way, i64)> = self.ways[member]
                .ways
                .iter()
                .map(|way| (way.way, way.left))
                .filter(|&(way, cost)| cost > 0 && !matches!(way, Way::Call(_)))
                .collect();
            if rest.is_empty() {
                continue;
            }
            let number = frame.unwrap_or_else(|| self.frame(None, member));
            for (way, cost) in rest {
                match way {
                    Way::Own => self.frames[number].own += cost,
                    Way::Leave(call) => self.frames[number].leaving.push((call, cost)),
                    Way::Call(_) => {}
                }
            }
        }
        for frame in &mut self.frames {
            frame.leaving.sort_unstable();
            frame.leaving.dedup_by(|one, before| {
                let is_same = one.0 == before.0;
                if is_same {
                    before.1 += one.1;
                }
                is_same
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By function what its frames spent, and what entered it.
    fn sums(frames: &[WalkedFrame], members: usize) -> (Vec<i64>, Vec<i64>) {
        let (mut spent, mut entered) = (vec![0; members], vec![0; members]);
        for frame in frames {
            let cost = frame.own + frame.leaving.iter().map(|call| call.1).sum::<i64>();
            spent[frame.member] += cost;
            let mut top = frame;
            while let Some(above) = top.above {
                top = &frames[above];
            }
            entered[top.member] += cost;
        }
        (spent, entered)
    }

    #[test]
    fn all_that_enters_arrives() {
        use Way::{Call, Leave, Own};
        // A function, entered for 100, and one that calls it back, which was entered for 10.
        let ring = Cycle::new(
            vec![vec![(Own, 60), (Call(1), 90)], vec![(Own, 50), (Call(0), 50)]],
            vec![100, 10],
        );
        let frames = ring.frames().unwrap();
        assert_eq!(sums(&frames, 2), (vec![60, 50], vec![100, 10]));
        // The second one is entered for more than it spends itself: what it calls, which comes
        // before it, is below it.
        let back = Cycle::new(
            vec![vec![(Own, 30), (Leave(0), 60), (Call(1), 5)], vec![(Own, 10), (Call(0), 25)]],
            vec![70, 30],
        );
        let frames = back.frames().unwrap();
        assert_eq!(sums(&frames, 2), (vec![90, 10], vec![70, 30]));
        let is_back = |frame: &WalkedFrame| frame.member == 0 && frame.above.is_some();
        assert!(frames.iter().any(is_back), "{frames:?}");
    }

    /// Of pairs that were counted once however often they were on the stack.
    #[test]
    fn costs_that_do_not_flow_have_no_frames() {
        let cycle = Cycle::new(
            vec![
                vec![(Way::Own, 60), (Way::Call(1), 40)],
                vec![(Way::Own, 40), (Way::Call(0), 30)],
            ],
            vec![100, 0],
        );
        assert_eq!(cycle.frames(), None);
    }

    #[test]
    fn functions_with_one_path_have_one_frame() {
        use Way::{Call, Own};
        let calls = |callees: &[usize]| -> Vec<(Way, i64)> {
            [Own].into_iter().chain(callees.iter().map(|&to| Call(to))).map(|to| (to, 10)).collect()
        };
        let count = |ways: &[&[usize]], entering: &[i64]| {
            let ways = ways.iter().map(|callees| calls(callees)).collect();
            Cycle::new(ways, entering.to_vec()).functions_with_one_frame()
        };
        assert_eq!(count(&[&[1], &[0, 2], &[1]], &[10, 0, 0]), Some(3));
        // The third one is not reached.
        assert_eq!(count(&[&[1], &[0], &[1]], &[10, 0, 0]), Some(2));
        assert_eq!(count(&[&[1], &[0]], &[10, 10]), None);
        assert_eq!(count(&[&[1, 2], &[2, 0], &[0]], &[10, 0, 0]), None);
    }

    #[test]
    fn an_amount_that_is_more_than_a_way_has_goes_by_several() {
        let mut ways = Ways::new([(Way::Own, 3), (Way::Call(0), 4)].into_iter());
        let mut taken = 0;
        while let Some((_, cost)) = ways.take(5) {
            taken += cost;
        }
        assert_eq!(taken, 7);
    }
}

//! Which places call each other in circles, found in gprof's order: the order of a cycle's members decides in which
//! order their times are added up, and which of two equal ones is printed first.

/// The cycles of a graph, and an order of all places.
pub(super) struct Cycles {
    /// The members of each cycle, the first one that the walk reached first.
    pub(super) members: Vec<Vec<u32>>,
    /// By place the number of its cycle, from 0.
    pub(super) of: Vec<Option<u32>>,
    /// All places, callees before their callers, members of a cycle together by address.
    pub(super) bottom_up: Vec<u32>,
}

/// What the walk knows of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Its number is not known yet: it is on the stack, or in a cycle with something on the stack.
    Open,
    Done,
}

/// A walk through the graph: depth first, places by address, callees in the order of the links.
struct Walk<F> {
    callee: F,
    state: Vec<State>,
    /// By place on the stack its position there.
    position: Vec<u32>,
    /// By place the one that leads the cycle that it is in so far, possibly through others.
    leader: Vec<u32>,
    /// By place the next member of its cycle so far, or itself.
    next: Vec<u32>,
    /// By leader the last member so far.
    last: Vec<u32>,
    /// The leaders on the stack, in its order.
    leaders: Vec<u32>,
    bottom_up: Vec<u32>,
    cycles: Vec<Vec<u32>>,
}

impl Cycles {
    /// Finds the cycles among `size` places; `callee` is one of a place's callees, by its position among them.
    pub(super) fn find(size: usize, callee: impl Fn(u32, usize) -> Option<u32>) -> Cycles {
        let mut walk = Walk {
            callee,
            state: vec![State::New; size],
            position: vec![0; size],
            leader: (0..size as u32).collect(),
            next: (0..size as u32).collect(),
            last: (0..size as u32).collect(),
            leaders: Vec::new(),
            bottom_up: Vec::with_capacity(size),
            cycles: Vec::new(),
        };
        for place in 0..size as u32 {
            if walk.state[place as usize] == State::New {
                walk.from(place);
            }
        }
        let mut cycles = walk.cycles;
        // They are numbered by the addresses of their first members.
        cycles.sort_by_key(|members| members[0]);
        let mut of = vec![None; size];
        for (number, members) in (0..).zip(&cycles) {
            for &member in members {
                of[member as usize] = Some(number);
            }
        }
        Cycles {
            members: cycles,
            of,
            bottom_up: walk.bottom_up,
        }
    }
}

impl<F: Fn(u32, usize) -> Option<u32>> Walk<F> {
    /// Walks from a place to all that it reaches.
    fn from(&mut self, start: u32) {
        let mut stack = vec![(start, 0)];
        self.enter(start, 0);
        while let Some((place, next)) = stack.last_mut() {
            let (place, at) = (*place, *next);
            *next += 1;
            let Some(callee) = (self.callee)(place, at) else {
                stack.pop();
                self.leave(place);
                continue;
            };
            match self.state[callee as usize] {
                State::New => {
                    self.enter(callee, stack.len() as u32);
                    stack.push((callee, 0));
                }
                State::Open => self.close(callee),
                State::Done => {}
            }
        }
    }

    fn enter(&mut self, place: u32, position: u32) {
        self.state[place as usize] = State::Open;
        self.position[place as usize] = position;
        self.leaders.push(place);
    }

    /// Takes all on the stack above an open place, or above the leader of its cycle, into that cycle.
    fn close(&mut self, place: u32) {
        let leader = self.find(place);
        let position = self.position[leader as usize];
        let above = |&leader: &u32| self.position[leader as usize] <= position;
        let keep = self.leaders.partition_point(above);
        for member in self.leaders.split_off(keep) {
            self.leader[member as usize] = leader;
            let last = self.last[leader as usize];
            self.next[last as usize] = member;
            self.last[leader as usize] = self.last[member as usize];
        }
    }

    /// The leader of a place's cycle.
    fn find(&mut self, place: u32) -> u32 {
        let mut leader = place;
        while self.leader[leader as usize] != leader {
            leader = self.leader[leader as usize];
        }
        let mut at = place;
        while self.leader[at as usize] != leader {
            at = std::mem::replace(&mut self.leader[at as usize], leader);
        }
        leader
    }

    /// Gives a place that is left, and all of its cycle, their numbers if it leads the cycle.
    fn leave(&mut self, place: u32) {
        if self.leader[place as usize] != place {
            return;
        }
        self.leaders.pop();
        let mut members = vec![place];
        let mut at = place;
        while self.next[at as usize] != at {
            at = self.next[at as usize];
            members.push(at);
        }
        for &member in &members {
            self.state[member as usize] = State::Done;
        }
        let first = self.bottom_up.len();
        self.bottom_up.extend(&members);
        self.bottom_up[first..].sort_unstable();
        if members.len() > 1 {
            self.cycles.push(members);
        }
    }
}

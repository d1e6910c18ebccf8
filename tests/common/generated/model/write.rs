//! Writes one part of a profile in one of the ways in which producers do.

use super::{Counted, Dice, FILES, Function, NAMES, OBJECTS, add};

pub(super) struct Writer<'m, 'd, 'b> {
    dice: &'m mut Dice<'b>,
    functions: &'m [Function],
    events: &'d [&'static str],
    text: Vec<u8>,
    end: &'static str,
    compresses: bool,
    is_relative: bool,
    /// Whether the line after `calls=` does not change the base of relative positions, nor the
    /// `fi=` before it the file.
    is_callgrind: bool,
    has_address: bool,
    /// After this many lines is an empty line or a comment, also between `calls=` and its costs;
    /// none if it is 0.
    comments_after: usize,
    /// The lines so far.
    lines: usize,
    has_jumps: bool,
    /// Whether lines say from which function they were inlined.
    has_cfni: bool,
    /// Whether this part has its events in the other order.
    is_reversed: bool,
    /// The last address and line.
    base: (u64, u32),
    /// By kind (object, file, function) the name that each number, from 1, was last given to.
    names: [Vec<usize>; 3],
}

/// Whether `cob=` and `cfi=` are written before a call.
#[derive(Clone, Copy)]
enum CalleePlace {
    /// Other producers than callgrind must, if several functions have the callee's name.
    Written,
    /// If they differ from the caller's, and sometimes if they do not.
    WrittenIfOther,
    /// Other producers may leave them out, if one function of the part has the callee's name.
    LeftOut,
}

impl<'m, 'd, 'b> Writer<'m, 'd, 'b> {
    pub(super) fn new(
        dice: &'m mut Dice<'b>,
        functions: &'m [Function],
        events: &'d [&'static str],
    ) -> Self {
        Writer {
            end: if dice.once_in(8) { "\r\n" } else { "\n" },
            compresses: !dice.once_in(3),
            is_relative: !dice.once_in(3),
            is_callgrind: !dice.once_in(3),
            has_address: dice.once_in(3),
            comments_after: dice.below(8).saturating_sub(2),
            lines: 0,
            has_jumps: dice.once_in(3),
            has_cfni: dice.once_in(5),
            is_reversed: false,
            dice,
            functions,
            events,
            text: Vec::new(),
            base: (0, 0),
            names: Default::default(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.extend_from_slice(self.end.as_bytes());
        self.lines += 1;
        if self.lines.checked_rem(self.comments_after) == Some(0) {
            let comment = ["", "# 1 2 fn=(1) x"][self.lines % 2];
            self.text.extend_from_slice(comment.as_bytes());
            self.text.extend_from_slice(self.end.as_bytes());
        }
    }

    /// Writes the part with this number, whose events may be in the other order than those of the
    /// first part.
    pub(super) fn write(mut self, part: &Counted, number: usize, may_reverse: bool) -> Vec<u8> {
        // Counts that are left out are the last ones.
        let mut costs = (part.costs.values()).chain(part.calls.values().map(|(_, cost)| cost));
        let is_full = costs.all(|cost| cost.len() == self.events.len());
        self.is_reversed = may_reverse && is_full && self.dice.once_in(3);
        if self.dice.once_in(3) {
            self.line("# callgrind format");
        }
        self.line("version: 1");
        let creator = ["other", "callgrind-3.19.0"][usize::from(self.is_callgrind)];
        self.line(&format!("creator: {creator}"));
        let positions = ["line", "instr line"][usize::from(self.has_address)];
        if self.dice.once_in(3) {
            self.line("pid: 7");
            self.line(&format!("part: {number}"));
            self.line(&format!("thread: {}", 1 + number / 2));
            self.line("desc: Trigger: Program termination");
        }
        self.line(&format!("positions: {positions}"));
        let mut events = self.events.to_vec();
        if self.is_reversed {
            events.reverse();
        }
        self.line(&format!("events: {}", events.join(" ")));
        let mut total = vec![0; self.events.len()];
        part.costs.values().for_each(|cost| add(&mut total, cost));
        let totals = self.numbers(&total);
        if self.dice.once_in(3) {
            self.line(&format!("summary: {totals}"));
        }
        self.line("");
        for f in 0..self.functions.len() {
            // Its costs and calls in one block or in two, in order or mixed.
            let costs = part.costs.iter().filter(|((by, ..), _)| *by == f);
            let calls = part.calls.iter().filter(|(((by, ..), _), _)| *by == f);
            let costs = costs.map(|(&place, cost)| (place, None, cost));
            let calls = calls
                .map(|(&(site, callee), &(count, ref cost))| (site, Some((callee, count)), cost));
            let mut items: Vec<_> = costs.chain(calls).collect();
            if items.is_empty() {
                continue;
            }
            if self.dice.once_in(3) {
                let by = self.dice.below(items.len());
                items.rotate_left(by);
            } else {
                let own = self.functions[f].file;
                items.sort_by_key(|&((_, file, line), ..)| (file != own, file, line));
            }
            let cut = match self.dice.once_in(4) {
                true => self.dice.below(items.len() + 1),
                false => 0,
            };
            for items in [&items[..cut], &items[cut..]] {
                if items.is_empty() {
                    continue;
                }
                self.function(f);
                let mut file = self.functions[f].file;
                let mut before = None;
                for &((_, at, line), call, cost) in items {
                    // Calls at the position of the call before would be of its instruction.
                    if at != file || before == Some(line) {
                        let is_own = at == self.functions[f].file;
                        self.name(["fi", "fe"][usize::from(is_own)], 1, at, FILES[at]);
                        if call.is_none() || !self.is_callgrind {
                            file = at;
                        }
                    }
                    before = call.map(|_| line);
                    match call {
                        None => self.self_cost(line, cost),
                        Some((callee, count)) => {
                            let place = self.callee_place(part, callee);
                            self.call(f, file, line, callee, place, count, cost);
                        }
                    }
                }
            }
        }
        if self.is_callgrind || !self.dice.once_in(2) {
            self.line(&format!("totals: {totals}"));
        }
        self.text
    }

    fn function(&mut self, f: usize) {
        if self.dice.once_in(4) {
            self.line("");
        }
        let Function { object, file, name } = self.functions[f];
        self.name("ob", 0, object, OBJECTS[object]);
        self.name("fl", 1, file, FILES[file]);
        self.name("fn", 2, name, NAMES[name]);
    }

    /// One line, or some of neighbouring addresses, that add up to the cost.
    fn self_cost(&mut self, line: u32, cost: &[i64]) {
        let times = match self.dice.once_in(3) {
            true => 2 + self.dice.below(5) as i64,
            false => 1,
        };
        let is_even = cost.iter().all(|count| count % times == 0);
        let share = if is_even { times } else { 1 };
        for at in 0..times {
            let own = |count: &i64| if at < share { count / share } else { 0 };
            let own: Vec<_> = cost.iter().map(own).collect();
            if self.has_cfni && self.dice.once_in(2) {
                let name = ["???", "inlined"][usize::from(self.dice.once_in(2))];
                self.line(&format!("cfni={name}"));
            }
            self.position(line, at as u64, true);
            self.text.extend_from_slice(self.numbers(&own).as_bytes());
            let trailing = if self.dice.once_in(12) { " " } else { "" };
            self.line(trailing);
            if self.has_jumps && self.is_callgrind && self.dice.once_in(2) {
                self.jump(line, at as u64);
            }
        }
    }

    /// A jump from the instruction or line that was just written, as callgrind writes it.
    fn jump(&mut self, line: u32, after: u64) {
        if self.dice.once_in(3) {
            self.name("jfi", 1, 1, FILES[1]);
            self.line("jfn=elsewhere");
        }
        let kind = ["jump=1", "jcnd=1/2"][usize::from(self.dice.once_in(2))];
        let target = if self.has_address { "0x10 +3" } else { "7" };
        self.line(&format!("{kind} {target}"));
        self.position(line, after, false);
        self.text.pop();
        self.line("");
    }

    fn callee_place(&mut self, part: &Counted, callee: usize) -> CalleePlace {
        if self.is_callgrind {
            return CalleePlace::WrittenIfOther;
        }
        let name = self.functions[callee].name;
        if self.functions.iter().filter(|function| function.name == name).count() > 1 {
            return CalleePlace::Written;
        }
        let has_costs = part.costs.keys().any(|&(by, ..)| by == callee);
        let has_calls = part.calls.keys().any(|&((by, ..), _)| by == callee);
        if !self.compresses && (has_costs || has_calls) && self.dice.once_in(2) {
            return CalleePlace::LeftOut;
        }
        CalleePlace::WrittenIfOther
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        caller: usize,
        file: usize,
        line: u32,
        callee: usize,
        place: CalleePlace,
        count: i64,
        cost: &[i64],
    ) {
        let to = self.functions[callee];
        let mut is_written = |differs: bool| match place {
            CalleePlace::Written => true,
            CalleePlace::WrittenIfOther => differs || self.dice.once_in(2),
            CalleePlace::LeftOut => false,
        };
        let has_object = is_written(to.object != self.functions[caller].object);
        let has_file = is_written(to.file != file);
        if has_object {
            self.name("cob", 0, to.object, OBJECTS[to.object]);
        }
        if has_file {
            let key = if self.dice.once_in(2) { "cfl" } else { "cfi" };
            self.name(key, 1, to.file, FILES[to.file]);
        }
        self.name("cfn", 2, to.name, NAMES[to.name]);
        let target = if self.has_address { "0x10 +3" } else { "7" };
        self.line(&format!("calls={count} {target}"));
        self.position(line, 0, !self.is_callgrind);
        let counts = self.numbers(cost);
        self.line(&counts);
    }

    /// Writes a name, the first time with a number. Sometimes a name gets another number, which
    /// another name may have had.
    fn name(&mut self, key: &str, kind: usize, name: usize, text: &[u8]) {
        self.text.extend_from_slice(key.as_bytes());
        self.text.push(b'=');
        // An empty name cannot be given a number.
        if self.compresses && !text.is_empty() {
            // Files more often: blocks know them by their numbers.
            let is_new = self.dice.once_in([12, 3, 12][kind]);
            let names = &mut self.names[kind];
            let known = names.iter().rposition(|&known| known == name);
            if let Some(at) = known.filter(|_| !is_new) {
                return self.line(&format!("({})", at + 1));
            }
            let at = match is_new {
                true => self.dice.below(names.len() + 1),
                false => names.len(),
            };
            match names.get_mut(at) {
                Some(known) => *known = name,
                None => names.push(name),
            }
            self.text.extend_from_slice(format!("({}) ", at + 1).as_bytes());
        }
        self.text.extend_from_slice(text);
        self.line("");
    }

    /// The position of a cost line and a blank: an address `after` the first one of its source
    /// line. Relative positions count from it if it `moves` the base.
    fn position(&mut self, line: u32, after: u64, moves: bool) {
        let address = 0x400_000 + u64::from(line) * 8 + after;
        let mut words = Vec::new();
        if self.has_address {
            words.push(match address.checked_sub(self.base.0) {
                Some(0) if self.is_relative => "*".to_owned(),
                Some(by) if self.is_relative => format!("+{by}"),
                None if self.is_relative => format!("-0x{:x}", self.base.0 - address),
                _ => format!("0x{address:x}"),
            });
        }
        words.push(match i64::from(line) - i64::from(self.base.1) {
            0 if self.is_relative => "*".to_owned(),
            by if self.is_relative => format!("{by:+}"),
            _ => line.to_string(),
        });
        if moves {
            self.base = (address, line);
        }
        self.text.extend_from_slice(words.join(" ").as_bytes());
        self.text.push(b' ');
    }

    /// Counts in the order of this part's events.
    fn numbers(&self, counts: &[i64]) -> String {
        let mut counts: Vec<String> = counts.iter().map(i64::to_string).collect();
        if self.is_reversed {
            counts.reverse();
        }
        counts.join(" ")
    }
}

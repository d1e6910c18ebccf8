//! Programs that never ran: from any bytes a small execution is played, and a profile of it written, together
//! with what its costs add up to. Nothing here is shared with the reader. The fuzz targets use it too.

use std::collections::BTreeMap;

/// A source of choices; when its bytes are used up every choice is the first.
pub struct Dice<'b> {
    bytes: &'b [u8],
}

impl<'b> Dice<'b> {
    pub fn new(bytes: &'b [u8]) -> Dice<'b> {
        Dice { bytes }
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        first
    }

    /// A number below `end`, which is at most 65536.
    pub fn below(&mut self, end: usize) -> usize {
        let low = usize::from(self.byte());
        if end <= 256 {
            low % end
        } else {
            (low << 8 | usize::from(self.byte())) % end
        }
    }

    /// True once in `times`, never when the bytes are used up.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    pub fn is_used_up(&self) -> bool {
        self.rest().is_empty()
    }
}

/// Counts, those behind the last not given.
pub type Cost = Vec<i64>;

/// Adds event by event; what only one side has stays.
pub fn add(sum: &mut Cost, cost: &[i64]) {
    sum.resize(sum.len().max(cost.len()), 0);
    sum.iter_mut()
        .zip(cost)
        .for_each(|(sum, count)| *sum += count);
}

/// File and name: a row of the report.
pub type Row = (Vec<u8>, Vec<u8>);

/// An executed program.
#[derive(Default)]
pub struct Model {
    /// Its profile, one text a part. All define their names anew.
    pub parts: Vec<Vec<u8>>,
    pub events: Vec<&'static str>,
    /// Self cost by row, undefined where there is none.
    pub rows: BTreeMap<Row, Cost>,
    /// Self cost by file and line.
    pub lines: BTreeMap<(Vec<u8>, u32), Cost>,
    /// How many calls, and their inclusive cost, by caller and callee.
    pub calls: BTreeMap<(Row, Row), (i64, Cost)>,
    /// Inclusive cost by row, worked out from the execution. Rows that several functions share are left out.
    pub inclusive: BTreeMap<Row, Cost>,
    /// The inclusive costs of the cycles, in no order.
    pub cycles: Vec<Cost>,
    pub total: Cost,
}

const EVENTS: [&str; 3] = ["Ir", "Dr", "Dw"];
const OBJECTS: [&[u8]; 3] = [b"/bin/prog", b"", b"lib (1).so"];
const FILES: [&[u8]; 5] = [b"a.c", b"b.c", b"php:internal", b"dir/c d.h", b"???"];
const NAMES: [&[u8]; 6] = [
    b"main",
    b"f",
    b"operator()<a, b>::x",
    b"g'2",
    b"\xff\x1b[31m",
    b"_ZN1a1bEv",
];

#[derive(Clone, Copy, PartialEq)]
struct Function {
    object: usize,
    file: usize,
    name: usize,
}

/// Where a cost or call is: function, file, line.
type Place = (usize, usize, u32);

/// What a part adds up to before it is written.
#[derive(Default)]
struct Counted {
    costs: BTreeMap<Place, Cost>,
    calls: BTreeMap<(Place, usize), (i64, Cost)>,
}

/// A function that is under way.
struct Frame {
    function: usize,
    site: Option<Place>,
    cost: Cost,
}

impl Model {
    /// Plays what the dice say.
    pub fn play(dice: &mut Dice<'_>) -> Model {
        let mut model = Model {
            events: EVENTS[..1 + dice.below(EVENTS.len())].to_vec(),
            ..Model::default()
        };
        let mut functions: Vec<Function> = Vec::new();
        for i in 0..1 + dice.below(NAMES.len()) {
            let function = Function {
                object: dice.below(OBJECTS.len()),
                file: dice.below(FILES.len()),
                name: if dice.once_in(8) { 0 } else { i },
            };
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let mut on_stack = vec![Cost::new(); functions.len()];
        let mut all = Counted::default();
        for _ in 0..1 + dice.below(3) {
            let part = run(dice, &functions, &model.events, &mut on_stack);
            let text = Writer::new(dice, &functions, &model.events).write(&part);
            model.parts.push(text);
            for (place, cost) in part.costs {
                add(all.costs.entry(place).or_default(), &cost);
            }
            for (call, (count, cost)) in part.calls {
                let sum = all.calls.entry(call).or_default();
                sum.0 += count;
                add(&mut sum.1, &cost);
            }
        }
        model.add_up(&functions, &all, &on_stack);
        model
    }

    /// All parts in one file.
    pub fn text(&self) -> Vec<u8> {
        self.parts.concat()
    }

    fn add_up(&mut self, functions: &[Function], all: &Counted, on_stack: &[Cost]) {
        let name = |f: usize| NAMES[functions[f].name].to_vec();
        let own_row = |f: usize| (FILES[functions[f].file].to_vec(), name(f));
        let row = |(f, file, _): Place| (FILES[file].to_vec(), name(f));
        for (&place, cost) in &all.costs {
            add(self.rows.entry(row(place)).or_default(), cost);
            let line = (FILES[place.1].to_vec(), place.2);
            add(self.lines.entry(line).or_default(), cost);
            add(&mut self.total, cost);
        }
        for (&(site, callee), (count, cost)) in &all.calls {
            let sum = self.calls.entry((row(site), own_row(callee))).or_default();
            sum.0 += count;
            add(&mut sum.1, cost);
        }
        // Who reaches whom, by one more call at a time.
        let size = functions.len();
        let mut reaches = vec![vec![false; size]; size];
        for &((caller, ..), callee) in all.calls.keys() {
            reaches[caller][callee] = true;
        }
        for via in 0..size {
            for from in 0..size {
                for to in 0..size {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        let is_nested = |a: usize, b: usize| a == b || reaches[a][b] && reaches[b][a];
        let in_cycle = |f: usize| (0..size).any(|other| other != f && is_nested(f, other));
        let is_used = |f: usize| {
            let called = all.calls.keys().any(|&((a, ..), b)| a == f || b == f);
            called || all.costs.keys().any(|&(by, ..)| by == f)
        };
        // What each function spent, itself and by calls that leave its cycle, and where.
        let mut spent = vec![Cost::new(); size];
        let mut inlined: BTreeMap<Row, Cost> = BTreeMap::new();
        let leaving = all
            .calls
            .iter()
            .filter(|&(&((caller, ..), callee), _)| !is_nested(caller, callee));
        let leaving = leaving.map(|(&(site, _), (_, cost))| (site, cost));
        for (place, cost) in all
            .costs
            .iter()
            .map(|(&place, cost)| (place, cost))
            .chain(leaving)
        {
            add(&mut spent[place.0], cost);
            if place.1 != functions[place.0].file {
                add(inlined.entry(row(place)).or_default(), cost);
            }
        }
        for f in (0..size).filter(|&f| is_used(f)) {
            let cost = if in_cycle(f) { &spent[f] } else { &on_stack[f] };
            self.inclusive.insert(own_row(f), cost.clone());
        }
        self.inclusive.extend(inlined);
        if all.calls.is_empty() {
            self.inclusive = self.rows.clone();
        }
        let shares = |a: usize| (0..size).any(|b| a != b && functions[a].name == functions[b].name);
        for f in (0..size).filter(|&f| shares(f)) {
            self.inclusive.retain(|(_, of), _| *of != name(f));
        }
        let mut is_counted = vec![false; size];
        for f in (0..size).filter(|&f| in_cycle(f)) {
            if !is_counted[f] {
                let mut sum = Cost::new();
                for member in (0..size).filter(|&member| is_nested(f, member)) {
                    is_counted[member] = true;
                    add(&mut sum, &spent[member]);
                }
                self.cycles.push(sum);
            }
        }
    }
}

/// Runs the first function, and what it calls, until the dice end it.
fn run(
    dice: &mut Dice<'_>,
    functions: &[Function],
    events: &[&str],
    on_stack: &mut [Cost],
) -> Counted {
    let mut counted = Counted::default();
    let root = Frame {
        function: 0,
        site: None,
        cost: Cost::new(),
    };
    let mut stack = vec![root];
    let mut steps = 0;
    while let Some(top) = stack.last() {
        let function = top.function;
        let file = if dice.once_in(4) {
            dice.below(FILES.len())
        } else {
            functions[function].file
        };
        let line = if dice.once_in(30) {
            1_000_000
        } else {
            dice.below(24) as u32
        };
        let place = (function, file, line);
        steps += 1;
        match dice.below(4) {
            0 | 3 if steps < 100 && !dice.is_used_up() => {
                let given = if dice.once_in(5) {
                    dice.below(events.len() + 1)
                } else {
                    events.len()
                };
                let cost: Cost = (0..given).map(|_| count(dice)).collect();
                add(counted.costs.entry(place).or_default(), &cost);
                for (f, sum) in on_stack.iter_mut().enumerate() {
                    if stack.iter().any(|frame| frame.function == f) {
                        add(sum, &cost);
                    }
                }
                stack
                    .iter_mut()
                    .for_each(|frame| add(&mut frame.cost, &cost));
            }
            1 if stack.len() < 12 && steps < 100 && !dice.is_used_up() => {
                let callee = dice.below(functions.len());
                stack.push(Frame {
                    function: callee,
                    site: Some(place),
                    cost: Cost::new(),
                });
            }
            _ => {
                if let Some(Frame {
                    function,
                    site: Some(site),
                    cost,
                }) = stack.pop()
                {
                    let call = counted.calls.entry((site, function)).or_default();
                    call.0 += 1;
                    add(&mut call.1, &cost);
                }
            }
        }
    }
    counted
}

fn count(dice: &mut Dice<'_>) -> i64 {
    match dice.below(8) {
        0 => 0,
        7 => (dice.below(65536) as i64) << 32,
        6 => dice.below(65536) as i64,
        _ => dice.below(200) as i64,
    }
}

/// Writes one part in one of the ways in which producers do.
struct Writer<'m, 'd, 'b> {
    dice: &'m mut Dice<'b>,
    functions: &'m [Function],
    events: &'d [&'static str],
    text: Vec<u8>,
    end: &'static str,
    compresses: bool,
    is_relative: bool,
    /// Whether the line after `calls=` leaves the base of relative positions alone.
    is_callgrind: bool,
    has_address: bool,
    /// The last address and line.
    base: (u64, u32),
    /// Which names have a number, by kind: object, file, function.
    is_defined: [Vec<usize>; 3],
}

impl<'m, 'd, 'b> Writer<'m, 'd, 'b> {
    fn new(dice: &'m mut Dice<'b>, functions: &'m [Function], events: &'d [&'static str]) -> Self {
        Writer {
            end: if dice.once_in(8) { "\r\n" } else { "\n" },
            compresses: !dice.once_in(3),
            is_relative: !dice.once_in(3),
            is_callgrind: !dice.once_in(3),
            has_address: dice.once_in(3),
            dice,
            functions,
            events,
            text: Vec::new(),
            base: (0, 0),
            is_defined: Default::default(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.extend_from_slice(self.end.as_bytes());
    }

    fn write(mut self, part: &Counted) -> Vec<u8> {
        if self.dice.once_in(3) {
            self.line("# callgrind format");
        }
        self.line("version: 1");
        let creator = if self.is_callgrind {
            "callgrind-3.19.0"
        } else {
            "other"
        };
        self.line(&format!("creator: {creator}"));
        let positions = if self.has_address {
            "instr line"
        } else {
            "line"
        };
        self.line(&format!("positions: {positions}"));
        self.line(&format!("events: {}", self.events.join(" ")));
        let mut total = vec![0; self.events.len()];
        part.costs.values().for_each(|cost| add(&mut total, cost));
        let totals = numbers(&total);
        if self.dice.once_in(3) {
            self.line(&format!("summary: {totals}"));
        }
        self.line("");
        for f in 0..self.functions.len() {
            // Its costs and calls in one block or in two, in order or mixed.
            let costs = part.costs.iter().filter(|((by, ..), _)| *by == f);
            let calls = part.calls.iter().filter(|(((by, ..), _), _)| *by == f);
            let costs = costs.map(|(&place, cost)| (place, None, cost));
            let calls =
                calls.map(|(&(site, callee), (count, cost))| (site, Some((callee, *count)), cost));
            let mut items: Vec<_> = costs.chain(calls).collect();
            if items.is_empty() {
                continue;
            }
            if self.dice.once_in(3) {
                let by = self.dice.below(items.len());
                items.rotate_left(by);
            } else {
                items.sort_by_key(|&((_, file, line), ..)| {
                    (file != self.functions[f].file, file, line)
                });
            }
            let cut = if self.dice.once_in(4) {
                self.dice.below(items.len() + 1)
            } else {
                0
            };
            for items in [&items[..cut], &items[cut..]] {
                if items.is_empty() {
                    continue;
                }
                self.function(f);
                let mut file = self.functions[f].file;
                for &((_, at, line), call, cost) in items {
                    if at != file {
                        let key = if at == self.functions[f].file {
                            "fe"
                        } else {
                            "fi"
                        };
                        self.name(key, 1, at, FILES[at]);
                        file = at;
                    }
                    match call {
                        None => self.self_cost(line, cost),
                        Some((callee, count)) => self.call(f, file, line, callee, count, cost),
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
        let times = if self.dice.once_in(3) {
            2 + self.dice.below(5) as i64
        } else {
            1
        };
        let share = if cost.iter().all(|count| count % times == 0) {
            times
        } else {
            1
        };
        for at in 0..times {
            let own = |count: &i64| if at < share { count / share } else { 0 };
            let own: Vec<_> = cost.iter().map(own).collect();
            self.position(line, at as u64, true);
            self.text.extend_from_slice(numbers(&own).as_bytes());
            let trailing = if self.dice.once_in(12) { " " } else { "" };
            self.line(trailing);
        }
    }

    fn call(
        &mut self,
        caller: usize,
        file: usize,
        line: u32,
        callee: usize,
        count: i64,
        cost: &[i64],
    ) {
        let to = self.functions[callee];
        // What is not said is that of the caller.
        if to.object != self.functions[caller].object || self.dice.once_in(2) {
            self.name("cob", 0, to.object, OBJECTS[to.object]);
        }
        if to.file != file || self.dice.once_in(2) {
            let key = if self.dice.once_in(2) { "cfl" } else { "cfi" };
            self.name(key, 1, to.file, FILES[to.file]);
        }
        self.name("cfn", 2, to.name, NAMES[to.name]);
        let target = if self.has_address { "0x10 +3" } else { "7" };
        self.line(&format!("calls={count} {target}"));
        self.position(line, 0, !self.is_callgrind);
        self.line(&numbers(cost));
    }

    fn name(&mut self, key: &str, kind: usize, number: usize, name: &[u8]) {
        let id = number + 1;
        let is_known = self.is_defined[kind].contains(&number);
        self.text.extend_from_slice(key.as_bytes());
        self.text.push(b'=');
        // An empty name cannot be given a number.
        if self.compresses && !name.is_empty() {
            self.text.extend_from_slice(format!("({id})").as_bytes());
            if is_known {
                return self.line("");
            }
            self.is_defined[kind].push(number);
            self.text.push(b' ');
        }
        self.text.extend_from_slice(name);
        self.line("");
    }

    /// The position of a cost line, so far behind the first address of its source line, and a blank. If it `moves` the base, the next one may be relative to it.
    fn position(&mut self, line: u32, behind: u64, moves: bool) {
        let address = 0x400_000 + u64::from(line) * 8 + behind;
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
}

fn numbers(counts: &[i64]) -> String {
    counts
        .iter()
        .map(i64::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

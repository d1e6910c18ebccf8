//! Programs with recursion that are run in memory, so that the inclusive costs are known that a
//! profile cannot tell: what was spent while a function was on the stack at least once.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Random numbers from a seed (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn is_one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// How the functions of a program call each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Layers, of which a lower one rarely calls a higher one.
    RareUpwardCalls,
    /// Layers whose first calls of each function go through a resolver.
    Resolver,
    /// A loop that calls handlers, some of which run the loop again.
    EventLoop,
    /// A function that evaluates expressions calls handlers, which evaluate their operands.
    Interpreter,
    /// Visitors of a tree whose nodes have different types.
    Visitor,
    /// A few functions that call each other to a great depth.
    Deep,
    /// Any function calls any other.
    Random,
    /// Several first functions, each of a thread, with recursion below them.
    Threads,
    /// What runs the program is called again in the middle of it, to load modules.
    LateImports,
}

pub const KINDS: [Kind; 9] = [
    Kind::RareUpwardCalls,
    Kind::Resolver,
    Kind::EventLoop,
    Kind::Interpreter,
    Kind::Visitor,
    Kind::Deep,
    Kind::Random,
    Kind::Threads,
    Kind::LateImports,
];

/// A call of a function that has not returned.
struct Frame {
    function: usize,
    level: usize,
    cost: i64,
    calls_left: usize,
    /// Whether the function is at its code that was inlined from the next file.
    is_inlined: bool,
}

/// A function with its level of recursion.
type Function = (usize, usize);

/// Code of a function: that of its own file, or that which was inlined from the next file.
type Code = (Function, bool);

/// Calls by code of a function of another function.
type Calls = BTreeMap<(Code, Function), Paid>;

#[derive(Default)]
struct Paid {
    count: i64,
    cost: i64,
    /// What those calls cost during which none of these two functions had begun.
    outermost: i64,
}

/// A program that was run.
pub struct Simulated {
    functions: usize,
    /// By code; the highest level has all deeper ones.
    own: BTreeMap<Code, i64>,
    calls: Calls,
    /// The cost while at least one activation of a function was on the stack.
    pub inclusive: Vec<i64>,
    /// The cost while at least two were.
    pub nested: Vec<i64>,
    /// By function, the self cost of each function while that one was on the stack.
    pub below: Vec<Vec<i64>>,
    /// The cost while any function of a file was on the stack. The number of a function modulo the
    /// number of files is that of its file.
    pub files: [i64; 3],
    /// The same of the objects.
    pub objects: [i64; 5],
    /// By function, the cost while it was on the stack at its code that was inlined.
    pub inlined: Vec<i64>,
    /// Whether functions have inlined code.
    has_inlined: bool,
    pub total: i64,
}

impl Simulated {
    /// Runs a program of a kind, whose levels of recursion are recorded up to `levels`. With odd
    /// seeds, functions have code that was inlined from another file.
    pub fn run(kind: Kind, seed: u64, levels: usize) -> Simulated {
        let mut random = Random::new(seed);
        let functions = match kind {
            Kind::Deep => 3 + random.below(4),
            Kind::EventLoop | Kind::Interpreter | Kind::Visitor => 5 + random.below(8),
            _ => 6 + random.below(14),
        };
        let mut run = Simulated {
            functions,
            own: BTreeMap::new(),
            calls: Calls::new(),
            inclusive: vec![0; functions],
            nested: vec![0; functions],
            below: vec![vec![0; functions]; functions],
            files: [0; 3],
            objects: [0; 5],
            inlined: vec![0; functions],
            has_inlined: seed % 2 == 1,
            total: 0,
        };
        let roots = if kind == Kind::Threads { 1 + random.below(4) } else { 1 };
        for root in 0..roots.min(functions) {
            run.thread(kind, root, levels, &mut random);
        }
        run
    }

    /// Runs a thread from its first function.
    fn thread(&mut self, kind: Kind, root: usize, levels: usize, random: &mut Random) {
        let mut active = vec![0usize; self.functions];
        active[root] = 1;
        let calls_left = 20 + random.below(40);
        let is_inlined = false;
        let mut stack = vec![Frame { function: root, level: 1, cost: 0, calls_left, is_inlined }];
        let max_depth = if kind == Kind::Deep { 60 } else { 8 + random.below(12) };
        let mut resolved = vec![false; self.functions];
        let mut activations = 0;
        // By caller and callee the number of calls that have not returned.
        let mut open: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        while let Some(top) = stack.last_mut() {
            let (function, level) = (top.function, top.level);
            let cost = match random.below(4) {
                0 => 0,
                1 => random.below(200) as i64,
                _ => random.below(12) as i64,
            };
            top.cost += cost;
            top.is_inlined = self.has_inlined && (cost + activations as i64) % 3 == 0;
            let code = ((function, level), top.is_inlined);
            self.spend(code, cost, &active, &stack);
            let depth = stack.len();
            let top = &mut stack[depth - 1];
            if top.calls_left > 0 && depth < max_depth && activations < 600 {
                top.calls_left -= 1;
                activations += 1;
                let callee = self.callee(kind, function, &mut resolved, random);
                active[callee] += 1;
                *open.entry([function, callee]).or_default() += 1;
                let level = active[callee].min(levels);
                let calls_left = calls_of(kind, callee, random);
                stack.push(Frame { function: callee, level, cost: 0, calls_left, is_inlined });
                continue;
            }
            let ended = stack.pop().unwrap();
            active[ended.function] -= 1;
            if let Some(caller) = stack.last_mut() {
                caller.cost += ended.cost;
                let code = ((caller.function, caller.level), caller.is_inlined);
                let callee = (ended.function, ended.level);
                let calls = self.calls.entry((code, callee)).or_default();
                calls.count += 1;
                calls.cost += ended.cost;
                let open = open.entry([caller.function, ended.function]).or_default();
                *open -= 1;
                calls.outermost += if *open == 0 { ended.cost } else { 0 };
            }
        }
    }

    fn spend(&mut self, code: Code, cost: i64, active: &[usize], stack: &[Frame]) {
        let (function, _) = code.0;
        *self.own.entry(code).or_default() += cost;
        self.total += cost;
        let is_on_stack = |of: &dyn Fn(usize) -> bool| {
            active.iter().enumerate().any(|(f, &activations)| activations > 0 && of(f))
        };
        let inlined = || stack.iter().filter(|frame| frame.is_inlined).map(|frame| frame.function);
        let files = self.files.len();
        for (file, sum) in self.files.iter_mut().enumerate() {
            let is_in_file = inlined().any(|f| (f + 1) % files == file);
            if is_in_file || is_on_stack(&|f| f % files == file) {
                *sum += cost;
            }
        }
        let objects = self.objects.len();
        for (object, sum) in self.objects.iter_mut().enumerate() {
            if is_on_stack(&|f| f % objects == object) {
                *sum += cost;
            }
        }
        for (f, sum) in self.inlined.iter_mut().enumerate() {
            if inlined().any(|inlined| inlined == f) {
                *sum += cost;
            }
        }
        for (f, &activations) in active.iter().enumerate() {
            if activations > 0 {
                self.below[f][function] += cost;
                self.inclusive[f] += cost;
            }
            if activations > 1 {
                self.nested[f] += cost;
            }
        }
    }

    /// What a function calls next.
    fn callee(
        &self,
        kind: Kind,
        caller: usize,
        resolved: &mut [bool],
        random: &mut Random,
    ) -> usize {
        let last = self.functions - 1;
        let below = |random: &mut Random| caller + 1 + random.below(3);
        match kind {
            Kind::RareUpwardCalls if random.is_one_in(40) => random.below(self.functions),
            Kind::RareUpwardCalls => below(random).min(last),
            // The last function resolves the one that is called, and calls it.
            Kind::Resolver if caller == last => 1 + random.below(last),
            Kind::Resolver => {
                let callee = below(random).min(last - 1).max(1);
                if std::mem::replace(&mut resolved[callee], true) { callee } else { last }
            }
            Kind::EventLoop if caller == 0 => 1,
            Kind::EventLoop if caller == 1 => 2 + random.below(last - 1),
            Kind::EventLoop if random.is_one_in(4) => 1,
            Kind::EventLoop => below(random).min(last),
            Kind::Interpreter if caller == 0 => 1,
            Kind::Interpreter if caller == 1 => 2 + random.below(last - 1),
            Kind::Interpreter if random.is_one_in(3) => last,
            Kind::Interpreter => 1,
            Kind::Visitor if caller.is_multiple_of(2) => (caller + 1).min(last),
            Kind::Visitor => 2 * random.below(self.functions.div_ceil(2)),
            Kind::Deep => (caller + 1) % self.functions,
            Kind::Random | Kind::Threads => random.below(self.functions),
            // The first function runs the program, which is the second one, and modules, which are
            // the next two. The last function loads a module.
            Kind::LateImports if caller == 0 && !std::mem::replace(&mut resolved[1], true) => 1,
            Kind::LateImports if caller == 0 => 2 + random.below(2),
            Kind::LateImports if caller == last => 0,
            Kind::LateImports if random.is_one_in(12) => last,
            Kind::LateImports if caller == 2 => 3,
            Kind::LateImports if caller == 3 => last,
            Kind::LateImports if random.is_one_in(30) => 4 + random.below(last - 4),
            Kind::LateImports => below(random).clamp(4, last),
        }
    }

    /// The profile in Callgrind's format. With several levels, names have them as Callgrind's do.
    pub fn profile(&self) -> String {
        self.profile_by("# callgrind format\ncreator: callgrind-3.19.0\nevents: Ir\n", |paid| {
            paid.cost
        })
    }

    /// The profile of a producer that counts the time of calls of one function by another only
    /// while there is one of them, as cProfile does.
    pub fn profile_of_outermost_calls(&self) -> String {
        let head = "# callgrind format\nevent: ns : Nanoseconds\nevents: ns\n";
        self.profile_by(head, |paid| paid.outermost)
    }

    fn profile_by(&self, head: &str, cost_of: impl Fn(&Paid) -> i64) -> String {
        let name = |(function, level): Function| match level {
            1 => format!("f{function}"),
            level => format!("f{function}'{level}"),
        };
        let file = |function: usize| format!("{}.c", function % self.files.len());
        let object = |function: usize| format!("o{}", function % self.objects.len());
        let mut text = head.to_owned();
        let mut all: Vec<Code> = self.own.keys().copied().collect();
        all.extend(self.calls.keys().map(|(code, _)| *code));
        all.sort_unstable();
        all.dedup();
        for code in all {
            let (function, is_inlined) = code;
            let (object_of, file_of) = (object(function.0), file(function.0));
            let _ = writeln!(text, "ob={object_of}\nfl={file_of}\nfn={}", name(function));
            if is_inlined {
                let _ = writeln!(text, "fi={}", file(function.0 + 1));
            }
            if let Some(own) = self.own.get(&code) {
                let _ = writeln!(text, "1 {own}");
            }
            let calls = self.calls.iter().filter(|((caller, _), _)| *caller == code);
            for ((_, callee), paid) in calls {
                let (object, file, name) = (object(callee.0), file(callee.0), name(*callee));
                let _ = writeln!(text, "cob={object}\ncfi={file}\ncfn={name}");
                let _ = writeln!(text, "calls={} 1\n1 {}", paid.count, cost_of(paid));
            }
        }
        let _ = writeln!(text, "totals: {}", self.total);
        text
    }
}

/// How many calls an activation makes at most.
fn calls_of(kind: Kind, function: usize, random: &mut Random) -> usize {
    match kind {
        Kind::Deep => 1 + usize::from(random.is_one_in(8)),
        Kind::EventLoop | Kind::Interpreter if function == 1 => 1 + random.below(4),
        Kind::LateImports if function == 1 => 10 + random.below(20),
        _ => random.below(4),
    }
}

//! Profiles as callgrind writes them, of programs that never ran, and the sources of these. The same each time.

use std::fmt::Write;

/// How large a profile is.
const SIZE: usize = 10_000_000;

/// How many source files there are.
pub const FILES: usize = 200;

/// How many lines each has.
const LENGTH: usize = 2000;

/// What a profile has most of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Cost lines: few functions with many instructions, again in each of four parts.
    Lines,
    /// Rows: functions with names of a whole calling context and a few lines each.
    Names,
}

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// A profile of about 10 MB.
pub fn profile(shape: Shape) -> Vec<u8> {
    let mut writer = Writer {
        text: String::with_capacity(SIZE + SIZE / 8),
        dice: Dice(0x9e37_79b9_7f4a_7c15),
        shape,
        is_named: Vec::new(),
        total: 0,
    };
    let parts = match shape {
        Shape::Lines => 4,
        Shape::Names => 1,
    };
    for part in 1..=parts {
        writer.part(part, SIZE / parts * part);
    }
    writer.text.into_bytes()
}

/// The name and the text of each source.
pub fn sources() -> impl Iterator<Item = (String, String)> {
    (0..FILES).map(|file| {
        let line = "    for (size_t i = 0; i < count; i++) sum += values[i];\n";
        (file_name(file), line.repeat(LENGTH))
    })
}

fn file_name(file: usize) -> String {
    format!("src/module_{file}.c")
}

struct Writer {
    text: String,
    dice: Dice,
    shape: Shape,
    /// Which functions have been named in this part; the first time the name follows the number.
    is_named: Vec<bool>,
    /// The self cost of this part.
    total: usize,
}

impl Writer {
    /// Adds a part, until the text has `end` bytes.
    fn part(&mut self, part: usize, end: usize) {
        let head = "positions: instr line\nevents: Ir\n\n";
        let version = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n";
        self.add(format_args!(
            "{version}pid: 1\ncmd: ./program\npart: {part}\n\n{head}"
        ));
        self.is_named.clear();
        self.total = 0;
        let mut number = 0;
        while self.text.len() < end {
            self.function(number);
            number += 1;
        }
        let total = self.total;
        self.add(format_args!("totals: {total}\n\n"));
    }

    fn function(&mut self, number: usize) {
        let (lines, calls) = match self.shape {
            Shape::Lines => (120, 12),
            Shape::Names => (5, 2),
        };
        self.text.push_str("ob=(1) /usr/lib/libprogram.so\n");
        self.name("fl", "fn", number);
        let (address, line) = (0x40_0000 + 0x1000 * number, self.dice.below(LENGTH - 500));
        let cost = self.cost();
        self.add(format_args!("{address:#x} {} {cost}\n", line + 1));
        for _ in 1..lines {
            let (step, cost) = (self.dice.below(7) + 1, self.cost());
            match self.dice.below(4) {
                0 => self.add(format_args!("+{step} +{} {cost}\n", step / 2)),
                1 => self.add(format_args!("+{step} +1 {cost}\n")),
                _ => self.add(format_args!("+{step} * {cost}\n")),
            }
            if self.dice.below(lines) < calls {
                let callee = self.callee(number);
                self.name("cfi", "cfn", callee);
                let (count, cost) = (self.dice.below(50) + 1, self.dice.below(1_000_000));
                self.add(format_args!(
                    "calls={count} {:#x} 1\n* * {cost}\n",
                    0x40_0000 + 0x1000 * callee
                ));
            }
            if self.dice.below(10) == 0 {
                let taken = self.dice.below(9) + 1;
                self.add(format_args!("jcnd={taken}/{} +12 +1\n* *\n", taken * 2));
            }
        }
        self.text.push('\n');
    }

    /// A function to call: mostly one further on, so that there are some cycles, but not of all functions.
    fn callee(&mut self, caller: usize) -> usize {
        match self.dice.below(200) {
            0 => caller.saturating_sub(self.dice.below(20)),
            _ => caller + 1 + self.dice.below(40),
        }
    }

    fn cost(&mut self) -> usize {
        let most = [20, 20, 3000, 1_000_000][self.dice.below(4)];
        let cost = self.dice.below(most) + 1;
        self.total += cost;
        cost
    }

    /// The lines that say in which file and function the next costs are, or whom the next call calls.
    fn name(&mut self, file_key: &str, key: &str, number: usize) {
        let file = number / 3 % FILES;
        let (file_number, name) = (file + 1, file_name(file));
        self.add(format_args!("{file_key}=({file_number}) {name}\n"));
        if self.is_named.len() <= number {
            self.is_named.resize(number + 1, false);
        }
        let is_named = std::mem::replace(&mut self.is_named[number], true);
        self.add(format_args!("{key}=({})", number + 1));
        if !is_named {
            self.add(format_args!(" function_{number}"));
            if self.shape == Shape::Names {
                for caller in 1..10 {
                    self.add(format_args!("'caller_{}", number / (caller * 3)));
                }
            }
        }
        self.text.push('\n');
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Nothing can go wrong in memory.
        let _ = self.text.write_fmt(text);
    }
}

//! Runs programs from start to end and measures them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

/// How often each program runs.
const RUNS: usize = 9;

/// How often a program runs that takes longer than [`LONG`].
const LONG_RUNS: usize = 3;
const LONG: Duration = Duration::from_secs(1);

/// Who takes longer than this does not run again.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A program with its arguments.
pub struct Command {
    program: String,
    arguments: Vec<String>,
    output: Option<PathBuf>,
}

impl Command {
    /// A program that reads a file; its output goes nowhere.
    pub fn new(program: &str, options: &[&str], file: &Path) -> Command {
        let options = options.iter().map(|&option| option.to_owned());
        Command {
            program: program.to_owned(),
            arguments: options.chain([file.display().to_string()]).collect(),
            output: None,
        }
    }

    /// The same with its output in a file.
    pub fn writing(mut self, file: &Path) -> Command {
        self.output = Some(file.to_owned());
        self
    }

    /// Another program with the same arguments.
    pub fn with_program(&self, program: &str) -> Command {
        Command {
            program: program.to_owned(),
            arguments: self.arguments.clone(),
            output: None,
        }
    }

    fn output(&self) -> Option<Stdio> {
        match &self.output {
            None => Some(Stdio::null()),
            Some(path) => File::create(path).ok().map(Stdio::from),
        }
    }

    /// How long it takes; none if it does not run or fails.
    pub fn time(&self) -> Option<Duration> {
        let mut command = process::Command::new(&self.program);
        command.args(&self.arguments);
        command.stdout(self.output()?).stderr(Stdio::null());
        let begin = Instant::now();
        let status = command.status().ok()?;
        status.success().then(|| begin.elapsed())
    }

    /// The largest resident size in bytes, by GNU time.
    fn peak(&self) -> Option<u64> {
        let mut time = process::Command::new("/usr/bin/time");
        time.args(["-f", "%M", &self.program]).args(&self.arguments);
        let output = time.stdout(self.output()?).stderr(Stdio::piped());
        let told = output.spawn().ok()?.wait_with_output().ok()?.stderr;
        let kilobytes = String::from_utf8_lossy(&told).lines().last()?.parse();
        kilobytes.ok().map(|kilobytes: u64| kilobytes * 1024)
    }
}

/// What was measured of a program.
pub struct Figures {
    time: Option<Duration>,
    peak: Option<u64>,
}

/// Runs programs in turn, again and again. The first run of each is not counted, unless there is no other.
pub fn in_turn<const N: usize>(commands: [Command; N]) -> [Figures; N] {
    let first = commands.each_ref().map(Command::time);
    let mut times = [const { Vec::new() }; N];
    for round in 0..RUNS {
        for ((command, first), times) in commands.iter().zip(&first).zip(&mut times) {
            let runs = match *first {
                None => 0,
                Some(first) if first > TOO_LONG => 0,
                Some(first) if first > LONG => LONG_RUNS,
                Some(_) => RUNS,
            };
            if round < runs {
                times.extend(command.time());
            }
        }
    }
    std::array::from_fn(|i| {
        let times = &mut times[i];
        times.sort_unstable();
        Figures {
            time: times.get(times.len() / 2).copied().or(first[i]),
            peak: first[i].and_then(|_| commands[i].peak()),
        }
    })
}

impl Figures {
    /// The median time.
    pub fn time(&self) -> String {
        self.time.map_or_else(unknown, |time| {
            format!("{:.1} ms", time.as_secs_f64() * 1e3)
        })
    }

    /// The largest resident size.
    pub fn peak(&self) -> String {
        self.peak
            .map_or_else(unknown, |peak| format!("{:.0} MB", peak as f64 / 1e6))
    }

    /// How many million bytes a second that is.
    pub fn rate(&self, bytes: u64) -> String {
        self.time.map_or_else(unknown, |time| {
            format!("{:.0}", bytes as f64 / 1e6 / time.as_secs_f64())
        })
    }
}

/// How many times longer the first takes.
pub fn ratio(a: &Figures, b: &Figures) -> String {
    a.time.zip(b.time).map_or_else(unknown, |(a, b)| {
        format!("{:.1}", a.as_secs_f64() / b.as_secs_f64())
    })
}

/// A size in million bytes.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn unknown() -> String {
    "?".to_owned()
}

/// The date, the machine and the programs.
pub fn machine() -> String {
    let told = |program: &str, argument: &str| {
        let output = process::Command::new(program).arg(argument).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let line = text
            .ok()
            .and_then(|text| Some(text.lines().next()?.to_owned()));
        line.unwrap_or_else(|| format!("no {program}"))
    };
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("an unknown processor", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {model}, {cores} cores, {}, {}, {}; medians of {RUNS} runs in turn, of {LONG_RUNS} where one takes over a second",
        told("date", "+%Y-%m-%d"),
        told("uname", "-sm"),
        told("rustc", "--version"),
        told("valgrind", "--version"),
    )
}

//! Errors for options that match nothing in the profile, which list what the profile has.
//!
//! Each pattern, part, thread and event has to match something by itself. A pattern that excludes
//! something and matches nothing is only noted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use crate::demangle::displayed;
use crate::options::{InputOptions, Options};
use crate::profile::{
    Events, Formula, Function, FunctionId, NameKind, Part, Profile, RenamedFunction, SuffixFold,
};
use crate::render::{SuggestedCommand, counted, with_commas};
use crate::run::lacking_code::costliest_object;
use crate::run::message::{Messages, display_name, display_path};
use crate::run::not_there::NotThere;
use crate::source::{Finder, interpreter, is_no_file, not_of_script, remedy_of_stripped};
use crate::view::{
    Limit, Pattern, RowBy, Rule, Subject, basename, short_function, without_parameters,
};

const MAX_LISTED: usize = 20;

const MAX_SIMILAR: usize = 3;

const MAX_BARE: usize = 200;

/// An object lacks names if at least this part of its functions has none, a tenth.
const NAMELESS_PARTS: usize = 10;

/// The minimum length of a name that others have in theirs.
const MIN_PART: usize = 3;

/// Of longer names the bare name is listed, which is a pattern for them too.
const MAX_SIMILAR_LEN: usize = 80;

/// Checks that the parts, threads and events that the options name are in what was read.
pub(super) fn check_read(
    options: &Options,
    profile: &Profile,
    skipped: &[Vec<Part>],
) -> Result<()> {
    let (sides, input) = (profile.sides(), &options.input);
    let parts: Vec<_> = sides.iter().flat_map(|side| &side.parts).collect();
    let has_threads = parts.iter().any(|part| part.thread.is_some());
    if options.rows.row_by == RowBy::Thread && !has_threads {
        bail!(
            "--group-by=thread: the profile does not keep threads apart; valgrind does with --separate-threads=yes"
        );
    }
    let has_processes = parts.iter().any(|part| part.pid.is_some() || part.command.is_some());
    if options.rows.row_by == RowBy::Process && !has_processes {
        bail!("--group-by=process: the profile does not say which process it is of (pid:, cmd:)");
    }
    check_parts(input, None, &parts, &skipped.concat())?;
    if profile.is_difference() {
        for (index, (side, skipped)) in sides.iter().zip(skipped).enumerate() {
            if side.parts.is_empty() {
                check_parts(input, Some(&input.name_of_side(index)), &[], skipped)?;
            }
        }
    }
    check_formulas(&options.input, profile.events())
}

/// Checks that each value of `--part` and `--thread` is that of a part, and that some part is left.
fn check_parts(
    options: &InputOptions,
    side: Option<&str>,
    parts: &[&Part],
    skipped: &[Part],
) -> Result<()> {
    let whole = side.unwrap_or("the profile");
    let of_side = side.map_or_else(String::new, |side| format!(" in {side}"));
    let all = || parts.iter().copied().chain(skipped);
    let numbers: BTreeSet<_> = all().filter_map(|part| part.part_number.as_deref()).collect();
    let threads: BTreeSet<_> = all().filter_map(|part| part.thread.as_deref()).collect();
    for (kind, wanted, known) in
        [("part", &options.read.parts, numbers), ("thread", &options.read.threads, threads)]
    {
        let is_name =
            |wanted: &[u8]| kind == "part" && all().any(|part| part.name() == Some(wanted));
        let is_known = |wanted: &[u8]| known.contains(wanted) || is_name(wanted);
        if let Some(unknown) = wanted.iter().find(|wanted| !is_known(wanted)) {
            let unknown = display_name(unknown);
            let has = match known.len() {
                0 => format!("numbers no {kind}s"),
                1 => format!("has {kind} {}", listed(known.into_iter())),
                _ => format!("has {kind}s {}", listed(known.into_iter())),
            };
            bail!("--{kind}: no {kind} {unknown}{of_side} ({whole} {has})");
        }
    }
    if parts.is_empty() {
        let given: Vec<_> = options.read.part_options().map(|option| option.name).collect();
        let both = if given.len() == 2 { "both " } else { "" };
        bail!("no part{of_side} matches {both}{}", given.join(" and "));
    }
    Ok(())
}

/// The error for the name of a file whose part there is not.
pub(super) fn no_part(path: &Path, part: &[u8], skipped: &[Part]) -> anyhow::Error {
    let (path, part) = (display_path(path), display_name(part));
    let in_order = (1..).map(|number: usize| number.to_string().into_bytes());
    let mut known: Vec<Vec<u8>> = Vec::new();
    for (of_skipped, in_order) in skipped.iter().zip(in_order) {
        let number = of_skipped.part_number.as_ref().map_or(in_order, |number| number.to_vec());
        let name = of_skipped.name().map(<[u8]>::to_vec);
        let thread = of_skipped.thread.as_ref().map(|thread| [b"t", &thread[..]].concat());
        for name in [Some(number), name, thread].into_iter().flatten() {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let list = listed(known.iter().map(Vec::as_slice));
    anyhow!("{path}: no part {part} (the file has {list})")
}

fn check_formulas(options: &InputOptions, events: &Events) -> Result<()> {
    for (name, formula) in &options.events {
        let event = events.find(name);
        if event.is_some_and(|event| events.is_recorded(event)) {
            let name = display_name(name);
            bail!("--event={name}: the profile has recorded an event {name}");
        }
        if let Some(unknown) = formula.events().find(|name| !events.is_known(name)) {
            let name = display_name(name);
            return Err(no_event(&format!("--event={name}"), unknown, events));
        }
        if let Some(ratio) = formula.events().find(|name| events.is_ratio(name)) {
            let [name, ratio] = [name, ratio].map(display_name);
            bail!("--event={name}: {ratio} is a ratio, not a number of events");
        }
    }
    Ok(())
}

/// Warnings about formulas in the files that name events the profile does not have. Such an event
/// counts as 0.
pub(super) fn unknown_in_formulas(events: &Events) -> Vec<String> {
    let is_derived = |name: &[u8]| events.find(name).is_none();
    let formulas =
        events.formulas().filter(|(name, _)| is_derived(name) && !Events::is_predefined(name));
    let unknown = formulas.filter_map(|(name, formula)| {
        let unknown = formula.events().find(|term| !events.is_known(term))?;
        let (name, unknown) = (display_name(name), display_name(unknown));
        let known = listed(events.recorded());
        Some(format!(
            "event {name}: the profile has no event '{unknown}', which counts as 0 (it has {known})"
        ))
    });
    unknown.collect()
}

pub(super) fn no_event(option: &str, event: &[u8], events: &Events) -> anyhow::Error {
    let is_known = |name: &[u8]| events.is_known(name);
    let derived = events.formulas().filter(|(_, formula)| formula.events().all(is_known));
    let known = listed(events.recorded().chain(derived.map(|(name, _)| name)));
    let event = display_name(event);
    if matches!(&event[..], "?" | "help" | "list") {
        return anyhow!("the profile has the events {known}{}", described(events));
    }
    let sums: Vec<&[u8]> = events.computed().collect();
    let computed = match &sums[..] {
        [] => String::new(),
        _ => format!("; computed: {}", listed(sums.iter().copied())),
    };
    let is_definition = event.contains('=');
    let definition = || format!("--event '{event}' defines an event that {option} can name");
    let tip = is_definition
        .then(definition)
        .or_else(|| column_of(&event).map(str::to_owned))
        .or_else(|| formula_of_time(&event, events))
        .or_else(|| instead_of_time(&event, events).map(str::to_owned))
        .or_else(|| instead_of_memory(&event, events).map(str::to_owned))
        // A ratio needs no name.
        .or_else(|| recorded_by(event.split('/').next_back()?).map(str::to_owned))
        .map_or_else(|| described(events).to_owned(), |tip| format!("; {tip}"));
    anyhow!("{option}: the profile has no event '{event}' (it has {known}{computed}){tip}")
}

/// What limits there are instead of one of a column that is not of an event.
pub(super) fn no_limit(
    limit: &Limit,
    is_difference: bool,
    events: &Events,
) -> Option<anyhow::Error> {
    let name = display_name(limit.event.as_ref()?);
    column_of(&name)?;
    let number = &limit.number.text;
    let json = |condition: &str| format!("--format=json | jq -e 'all(.rows[]; {condition})'");
    let instead = match (&name[..], is_difference) {
        ("calls", false) => {
            format!("of calls: {}", json(&format!(".called.by_others <= {number}")))
        }
        ("calls", true) => {
            let condition = format!(".new.calls <= .base.calls * (1 + {number} / 100)");
            format!("of calls: {}", json(&condition))
        }
        ("incl" | "incl." | "inclusive", _) => format!("with -i -f NAME, --fail-above={number}"),
        _ => format!("with -f NAME, --fail-above={number}"),
    };
    let known = listed(events.recorded());
    Some(anyhow!(
        "--fail-above={name}: limits are of events ({known}) and of ratios of two; {instead}"
    ))
}

/// Where it says what events count, if that is said of some of them.
fn described(events: &Events) -> &'static str {
    let is_described = |name: &[u8]| {
        name == b"Ir" || str::from_utf8(name).is_ok_and(|name| recorded_by(name).is_some())
    };
    if events.recorded().any(is_described) { "; --help says what they count" } else { "" }
}

/// What shows a column that is not of an event.
fn column_of(name: &str) -> Option<&'static str> {
    match name {
        "calls" => Some("-c shows calls, and `calls` can be the first sort key"),
        "incl" | "incl." | "inclusive" => Some("-i shows inclusive costs and sorts by them"),
        "self" => Some("without -i rows are sorted by self cost"),
        "change" | "diff" | "delta" => Some("with --diff rows are sorted by their change"),
        "before" | "after" | "base" | "new" | "%" => Some(
            "with --diff rows are sorted by their change; a list of BASE or NEW alone is sorted by \
             its cost",
        ),
        _ => None,
    }
}

/// What is said of a time or of cycles if instructions are counted.
fn instead_of_time(name: &str, events: &Events) -> Option<&'static str> {
    const TIMES: [&str; 6] = ["cycle", "cycles", "sec", "second", "seconds", "time"];
    let name = name.to_ascii_lowercase();
    let is_time = TIMES.contains(&&*name) || events.nanoseconds(name.as_bytes()).is_some();
    if !is_time || !events.is_known(b"Ir") {
        None
    } else if events.find(b"I1mr").is_some() {
        Some("it counts instructions, not time; CEst estimates cycles")
    } else {
        Some(
            "it counts instructions, not time; valgrind --cache-sim=yes records what cycles are \
             estimated of, which --show=CEst shows",
        )
    }
}

/// What is said of memory if instructions are counted.
fn instead_of_memory(name: &str, events: &Events) -> Option<&'static str> {
    const OF_MEMORY: [&str; 6] = ["alloc", "allocs", "allocations", "bytes", "heap", "memory"];
    let is_memory = OF_MEMORY.contains(&&*name.to_ascii_lowercase());
    let text = "it counts instructions; valgrind --tool=dhat and --tool=massif tell what is \
                allocated";
    (is_memory && events.is_known(b"Ir")).then_some(text)
}

/// The option that defines a unit of time by an event that counts another one.
fn formula_of_time(name: &str, events: &Events) -> Option<String> {
    let wanted = events.nanoseconds(name.as_bytes())?;
    let of_event = |event: &[u8]| Some((events.nanoseconds(event)?, display_name(event)));
    let (known, event) = events.recorded().find_map(of_event)?;
    let decimal = format!("{:.12}", known / wanted);
    let factor = decimal.trim_end_matches('0').trim_end_matches('.');
    let formula = format!("{name} = {factor} {event}");
    // An event whose name is no word of a formula cannot be used.
    let (_, parsed) = Formula::parse_definition(formula.as_bytes(), false)?;
    parsed.events().eq([event.as_bytes()]).then(|| {
        let option = SuggestedCommand::new("").option("--event", formula.as_bytes());
        format!("{option} defines it")
    })
}

/// The option of valgrind that records an event, as the end of a message.
fn recorded_by(event: &str) -> Option<&'static str> {
    match event {
        "Dr" | "Dw" | "I1mr" | "D1mr" | "D1mw" | "ILmr" | "DLmr" | "DLmw" | "L1m" | "LLm" => {
            Some("valgrind --cache-sim=yes records it")
        }
        "Bc" | "Bcm" | "Bi" | "Bim" | "Bm" => Some("valgrind --branch-sim=yes records it"),
        "Ge" => Some("valgrind --collect-bus=yes records it"),
        "AcCost1" | "SpLoss1" | "AcCost2" | "SpLoss2" => Some("valgrind --cacheuse=yes records it"),
        "sysCount" | "sysTime" | "sysCpuTime" => Some("valgrind --collect-systime=nsec records it"),
        _ => None,
    }
}

/// Matches a pattern without matches anywhere in names, with a note.
pub(super) fn widen(
    options: &mut Options,
    profile: &Profile,
    has_addresses: bool,
    messages: &Messages,
) {
    let subjects = subjects(profile);
    let may_be_inlined = has_addresses && !options.input.inlines;
    let asm = options.code.asm.as_mut();
    let asm = asm.and_then(|asm| asm.functions.as_mut());
    let choices = options.rows.filter.choices.iter_mut().chain(asm);
    for rule in choices.flat_map(|choice| &mut choice.include) {
        let Some((kind, pattern)) = rule.kind() else {
            continue;
        };
        let matches = |rule: &Rule| subjects.iter().any(|subject| rule.matches(subject));
        if matches(rule) {
            continue;
        }
        // Of functions also with what the bare name leaves out, such as template arguments.
        let of_functions = [pattern.in_whole_names(), pattern.in_short_names()];
        let of_functions = of_functions.into_iter().flatten().chain(pattern.before_suffixes());
        let wider = pattern.wider().chain(of_functions.filter(|_| kind == "function"));
        let Some(wider) = wider.map(|wider| Rule::of(kind, wider)).find(|wider| matches(wider))
        else {
            continue;
        };
        let text = display_name(&pattern.text);
        let found = wider.kind().map_or(&b""[..], |(_, pattern)| &pattern.text);
        let shown = if found == pattern.text {
            "matches of names without return types and arguments".to_owned()
        } else {
            SuggestedCommand::new("").option(&format!("--{kind}"), found).to_string()
        };
        let inlined = if may_be_inlined && kind == "function" {
            "; inlined functions need --inlines"
        } else {
            ""
        };
        messages.note(format!("no {kind}'s whole name matches {text}; shown: {shown}{inlined}"));
        *rule = wider;
    }
}

/// Whether a word that is no file is the name of a function.
pub(super) fn is_function(word: &[u8], profile: &Profile) -> bool {
    let pattern = str::from_utf8(word).ok().map(Pattern::parse);
    let Some(Ok(pattern)) = pattern else {
        return false;
    };
    let rule = Rule::of("function", pattern);
    let mut fragments = profile.fragments().iter();
    fragments.any(|fragment| rule.matches(&Subject::of_fragment(profile, *fragment)))
}

/// Checks that each pattern matches something by itself.
pub(super) fn check_filter(
    options: &Options,
    profile: &Profile,
    code: CodeOfProfile<'_>,
    messages: &Messages,
) -> Result<()> {
    let asm = options.code.asm.as_ref();
    let asm = asm.and_then(|asm| asm.functions.as_ref());
    let of_filter = options.rows.filter.choices.iter().map(|of| (of, None));
    let choices: Vec<_> = of_filter.chain(asm.map(|of| (of, Some("asm")))).collect();
    if choices.is_empty() {
        return Ok(());
    }
    let subjects = subjects(profile);
    let matches = |rule: &Rule| subjects.iter().any(|subject| rule.matches(subject));
    let unmatched = |rule: &Rule, option: Option<&str>| {
        let (kind, pattern) = rule.kind().filter(|_| !matches(rule))?;
        Some((option.unwrap_or(kind).to_owned(), pattern.text.clone()))
    };
    for (choice, option) in choices {
        for rule in &choice.include {
            let Some((option, text)) = unmatched(rule, option) else {
                continue;
            };
            let given = format!("{option}={}", display_name(&text));
            return Err(if rule.function.is_some() {
                no_function(&given, rule, profile, code, options)
            } else {
                none_of(&given, &text, std::slice::from_ref(rule), profile)
            });
        }
        for rule in &choice.exclude {
            if let Some((option, text)) = unmatched(rule, option) {
                let similar = similar(&text, &names(rule, &subjects).1);
                let text = display_name(&text);
                messages.note(format!("--{option}=!{text} matches nothing{similar}"));
            }
        }
    }
    Ok(())
}

/// What is known of the code beside the names of the profile.
#[derive(Clone, Copy)]
pub(super) struct CodeOfProfile<'f> {
    pub(super) has_addresses: bool,
    /// Whether a pattern that matches nothing is tried on inlined functions, too.
    pub(super) tries_inlined: bool,
    /// What finds programs and libraries; none if options leave out functions that were called.
    pub(super) finder: Option<&'f Finder>,
}

/// A word of the names that rows of cycles have.
const CYCLE: &[u8] = b"cycle";

/// The error for an option whose pattern matches no function, unless one was inlined.
pub(super) fn no_function(
    option: &str,
    rule: &Rule,
    profile: &Profile,
    code: CodeOfProfile<'_>,
    options: &Options,
) -> anyhow::Error {
    let text = rule.kind().map_or(&b""[..], |(_, pattern)| &pattern.text);
    let error = none_of(option, text, std::slice::from_ref(rule), profile);
    if options.fold() != SuffixFold::default() && matches_without_suffix(text, profile) {
        return anyhow!(
            "{error}; levels of recursion and contexts are added up: --fold=none shows them"
        );
    }
    if let Some(of) = renamed_as(text, profile) {
        let [base, new] = [&of.base, &of.new].map(display_name);
        return anyhow!("{error}; {base} of BASE is {new} in NEW");
    }
    let mut words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    if words.any(|word| word.eq_ignore_ascii_case(CYCLE)) {
        return anyhow!("{error}; -i lists cycles, and marks the functions in them");
    }
    let is_of_symbols = profile.name_kind() != NameKind::Other;
    let all_code = code.finder.filter(|_| is_of_symbols);
    let inlined = if_inlined(profile, code.has_addresses, options);
    match all_code.and_then(|finder| NotThere::find(rule, profile, finder)) {
        Some(NotThere::OtherName(why)) => return anyhow!("--{option}: {why}"),
        Some(NotThere::NeverCalled(why)) => {
            // An inlined one was tried.
            let else_inlined = if code.tries_inlined { "" } else { inlined };
            return anyhow!("--{option}: {why}{else_inlined}");
        }
        None => {}
    }
    let object = costliest_object(profile);
    if let Some(stripped) = object.and_then(|object| without_names(object, profile)) {
        return anyhow!("{error}; {stripped}");
    }
    if let Some(name) = object.and_then(interpreter) {
        let of_script = not_of_script(name);
        return anyhow!("{error}; the program is the interpreter {name}: {of_script}");
    }
    let is_of_gprof = has_creator(profile, b"gprof") && !inlined.is_empty();
    let which =
        if is_of_gprof { "; gprof's data has those that were sampled or called" } else { "" };
    anyhow!("{error}{which}{inlined}")
}

/// What shows a function if it was inlined, as the end of a message.
fn if_inlined(profile: &Profile, has_addresses: bool, options: &Options) -> &'static str {
    // Profiles of interpreters have no inlined functions.
    let may_be_inlined = has_addresses || profile.name_kind() != NameKind::Other;
    if options.input.inlines || !may_be_inlined {
        ""
    } else if has_addresses || has_creator(profile, b"gprof") {
        "; if it was inlined: --inlines"
    } else {
        "; if it was inlined: valgrind --tool=callgrind --dump-instr=yes, and --inlines"
    }
}

fn has_creator(profile: &Profile, creator: &[u8]) -> bool {
    profile.parts().iter().any(|part| part.creator.as_deref() == Some(creator))
}

/// That many functions of an object have no name, so that a pattern may be right, from a tenth on.
/// Of an object with debug information these are of the linker and the start-up code.
fn without_names(object: &[u8], profile: &Profile) -> Option<String> {
    let of_object =
        || profile.functions().filter(|(_, function)| profile.object(function.object) == object);
    if of_object().any(|(_, function)| !is_no_file(profile.file(function.file))) {
        return None;
    }
    let is_nameless = |function: &Function| profile.name(function.name).starts_with(b"0x");
    let nameless = of_object().filter(|(_, function)| is_nameless(function)).count();
    let all = of_object().count();
    (nameless > 0 && nameless * NAMELESS_PARTS >= all).then(|| {
        let (nameless, all) = (with_commas(nameless), with_commas(all));
        let (name, remedy) = (display_name(object), remedy_of_stripped(object));
        format!("{nameless} of {all} functions of {name} have no name but their address: {remedy}")
    })
}

/// The renamed function whose name in BASE is a pattern without wildcards.
fn renamed_as<'p>(pattern: &[u8], profile: &'p Profile) -> Option<&'p RenamedFunction> {
    let mut renamed = profile.renamed().functions.iter();
    renamed.find(|of| {
        let name = displayed(&of.base, true);
        let short = short_function(&name, profile.name_kind());
        // The last component, without what a template or an ABI adds.
        let last = short.rsplit(|&byte| byte == b':').next().unwrap_or_default();
        [&*name, &*short, last].contains(&pattern)
    })
}

/// Whether a pattern matches a function without what follows an apostrophe: a level of recursion or
/// a caller.
fn matches_without_suffix(pattern: &[u8], profile: &Profile) -> bool {
    let end = pattern.iter().position(|&byte| byte == b'\'');
    end.is_some_and(|end| end > 0 && is_function(&pattern[..end], profile))
}

/// The error for an option with the pattern of rules that match nothing.
pub(super) fn none_of(
    option: &str,
    pattern: &[u8],
    rules: &[Rule],
    profile: &Profile,
) -> anyhow::Error {
    let subjects = subjects(profile);
    let by_rule: Vec<_> = rules.iter().map(|rule| names(rule, &subjects)).collect();
    // Several functions may have one name.
    let functions: HashSet<FunctionId> =
        profile.fragments().iter().map(|fragment| fragment.function).collect();
    let count = |(what, names): &(&'static str, Names)| match *what {
        "function" => counted(functions.len(), what),
        _ => counted(names.len(), what),
    };
    let counts = by_rule.iter().map(count).collect::<Vec<_>>().join(", ");
    let all_names = by_rule.into_iter().flat_map(|(_, names)| names).collect();
    let similar = similar(pattern, &all_names);
    anyhow!("--{option} matches none of {counts}{similar}")
}

/// Every function in each of its source files.
fn subjects(profile: &Profile) -> Vec<Subject<'_>> {
    let subject = |&fragment| Subject::of_fragment(profile, fragment);
    profile.fragments().iter().map(subject).collect()
}

type Names = BTreeMap<Vec<u8>, Vec<u8>>;

/// The kind of name that a rule matches, and all names of that kind with their bare names.
fn names(rule: &Rule, subjects: &[Subject<'_>]) -> (&'static str, Names) {
    let with_basename = |path: &[u8]| (path.to_vec(), basename(path).to_vec());
    if rule.file.is_some() {
        let files = subjects.iter().flat_map(|subject| [Some(subject.file), subject.base_file]);
        return ("file", files.flatten().map(with_basename).collect());
    }
    if rule.object.is_some() {
        let objects = subjects.iter().flat_map(|subject| [subject.object, subject.base_object]);
        return ("object", objects.flatten().map(with_basename).collect());
    }
    let names =
        subjects.iter().map(|subject| (subject.demangled().to_vec(), subject.bare().text.clone()));
    ("function", names.collect())
}

/// A name in a message: the bare name of a long one.
fn shown<'n>(name: &'n [u8], bare: &'n [u8]) -> &'n [u8] {
    if name.len() > MAX_SIMILAR_LEN { bare } else { name }
}

/// The files of a profile most similar to a name, as the end of a message.
pub(super) fn similar_files(name: &[u8], profile: &Profile) -> String {
    let files = profile.files().map(|path| (path.to_vec(), basename(path).to_vec()));
    similar(name, &files.collect())
}

/// The functions most similar to the first of some names that no function has, as the end of a
/// message.
pub(crate) fn similar_functions<'n>(
    mut wanted: impl Iterator<Item = &'n [u8]>,
    profile: &Profile,
) -> String {
    let (_, names) = names(&Rule::default(), &subjects(profile));
    let is_known = |name: &[u8]| names.values().any(|bare| bare == name);
    let unknown = wanted.find(|name| !name.is_empty() && !is_known(name));
    unknown.map_or_else(String::new, |name| similar(name, &names))
}

/// The names most similar to a pattern, by their bare names, as the end of a message.
fn similar(pattern: &[u8], names: &Names) -> String {
    let lower = |name: &[u8]| String::from_utf8_lossy(name).to_lowercase();
    // The words between the signs of globs and regular expressions.
    let pattern = lower(pattern);
    let pattern = without_parameters(&pattern, NameKind::Symbol);
    let words = pattern.split(|c: char| "*?[]{}\\^$|/".contains(c));
    let wanted = words.max_by_key(|word| word.len()).unwrap_or_default();
    let scopes = wanted.matches("::").count();
    let distance = |name: &[u8]| {
        let name = lower(name);
        // As many of its last components as the pattern has.
        let start = name.rmatch_indices("::").nth(scopes);
        let last = start.map_or(&name[..], |(at, _)| &name[at + "::".len()..]);
        if name.contains(wanted) {
            return Some(0);
        }
        // A function of the same namespace whose name has the wanted one in it.
        let of_scope = wanted.rsplit_once("::").zip(name.rsplit_once("::"));
        let is_part = |((scope, word), (of, last)): ((&str, &str), (&str, &str))| {
            of == scope && word.len() >= MIN_PART && last.contains(word)
        };
        if of_scope.is_some_and(is_part) {
            return Some(1);
        }
        let distance = strsim::osa_distance(wanted, last);
        (distance <= (wanted.len() / 3).max(1)).then_some(distance)
    };
    let scored = names
        .iter()
        .filter(|(_, bare)| bare.len() <= MAX_BARE)
        .filter_map(|(name, bare)| Some((distance(bare)?, bare.len(), shown(name, bare))));
    let mut scored: Vec<_> = match wanted.len() {
        2..=MAX_BARE => scored.collect(),
        _ => Vec::new(),
    };
    scored.sort_unstable();
    scored.dedup();
    scored.truncate(MAX_SIMILAR);
    if scored.is_empty() {
        return String::new();
    }
    let names = listed(scored.into_iter().map(|(_, _, name)| name));
    format!("; similar: {names}")
}

/// Names in a message, at most [`MAX_LISTED`].
fn listed<'n>(names: impl Iterator<Item = &'n [u8]>) -> String {
    let mut names = names.map(display_name);
    let first: Vec<_> = names.by_ref().take(MAX_LISTED).collect();
    let mut text = first.join(", ");
    if names.next().is_some() {
        text.push_str(", …");
    }
    text
}

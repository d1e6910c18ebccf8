//! The calls in a program's code, which its call graph has with a count of 0 if nothing recorded
//! them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::{Result, anyhow};

use crate::demangle::demangle;
use crate::gprof::options::{GprofOptions, StaticCalls};
use crate::gprof::views::Calls;
use crate::profile::{FunctionId, ObjectId, Profile, is_unknown_name};
use crate::program::{DirectCall, Program, SymbolRules};
use crate::read::gmon::Recording;
use crate::run::Context;
use crate::run::message::{Messages, and_more, display_name, display_path};
use crate::source::{self, Objdump, is_of_system};
use crate::transform::{StaticCallee, add_static_calls as with_calls};

/// Adds the direct calls in a program's code to the recorded ones, behind them as in gprof.
pub(super) fn add_static_calls(
    calls: &mut Vec<Calls>,
    path: &Path,
    gprof: &GprofOptions,
    Recording { places, samples, .. }: &Recording,
    messages: &Messages,
) -> Result<()> {
    let Some(which) = gprof.static_calls else {
        return Ok(());
    };
    let start =
        |address: u64| places.find(address).filter(|&place| places.list[place].address == address);
    let near = if which == StaticCalls::AsGprof {
        let found = Program::open(path)
            .and_then(|program| program.near_calls(|target| start(target).is_some()));
        found.map_err(|error| anyhow!("{}: {error}", display_path(path)))?
    } else {
        None
    };
    // gprof takes the distance to the function as a number without a sign, and looks only where
    // samples were counted.
    let is_counted = |address: u64| {
        let mut histograms = samples.histograms().iter();
        histograms.any(|histogram| (histogram.start..histogram.end).contains(&address))
    };
    let is_of_gprof = near.is_some();
    let finds = |call: &DirectCall| {
        call.target > call.address && is_counted(call.address) && is_counted(call.target)
    };
    let found = near.map_or_else(|| calls_of_objdump(path, &gprof.objdump), Ok)?;
    let mut known: HashSet<_> = calls.iter().map(|call| (call.caller, call.callee)).collect();
    let mut omitted = 0;
    for call in found {
        let Some((caller, callee)) = places.find(call.address).zip(start(call.target)) else {
            continue;
        };
        let (caller, callee) = (caller as u32, callee as u32);
        if !known.insert((caller, callee)) {
            continue;
        }
        if is_of_gprof && !finds(&call) {
            omitted += 1;
        } else {
            calls.push(Calls { caller, callee, count: 0, cost: 0, is_static: true });
        }
    }
    if omitted > 0 {
        let calls = if omitted == 1 { "1 call" } else { &format!("{omitted} calls") };
        messages.note(format!(
            "-c omits {calls} that gprof does not find; --all-static-calls adds them"
        ));
    }
    Ok(())
}

/// The direct calls that objdump shows.
fn calls_of_objdump(path: &Path, objdump: &Objdump) -> Result<Vec<DirectCall>> {
    let calls = objdump
        .calls(path)
        .map_err(|error| {
            let program = display_path(Path::new(&objdump.program));
            anyhow!("{}: -c needs objdump; {program}: {error}", display_path(path))
        })?
        .into_iter()
        .map(|(address, target)| DirectCall { address, target });
    Ok(calls.collect())
}

/// The profile with the direct calls in the code of its objects; none if they are not requested.
/// Objects of the system are left out, and so is the code of functions that never ran, unless these
/// are shown too.
pub(super) fn with_static_calls(
    report: &Context<'_>,
    gprof: &GprofOptions,
) -> Result<Option<Profile>> {
    if gprof.static_calls.is_none() {
        return Ok(None);
    }
    let profile = report.profile;
    let mut calls = Vec::new();
    let mut unread = Vec::new();
    for (object, functions) in functions_by_name(profile) {
        let name = profile.object(object);
        if name.starts_with(SYSTEM) || is_of_system(name) {
            continue;
        }
        let found = report.input.finder.find_object(name);
        let path = source::path(found.as_ref().map_or(name, |found| &found.path));
        let program = Program::open(path.as_ref());
        let symbols = match program.and_then(|program| program.symbols(&SymbolRules::default())) {
            Ok(symbols) => symbols,
            Err(error) => {
                unread.push((name, error));
                continue;
            }
        };
        let function = |symbol: usize| {
            let name = &symbols.list[symbol].name;
            match functions.get(&*demangle(name)) {
                Some(Some(function)) => Some(StaticCallee::Known(*function)),
                // Several functions of one name cannot be told apart.
                Some(None) => None,
                None => Some(StaticCallee::NeverRan(object, name.clone())),
            }
        };
        let mut known = HashSet::new();
        for call in calls_of_objdump(&path, &gprof.objdump)? {
            let start = |&symbol: &usize| symbols.list[symbol].address == call.target;
            let callee = symbols.find(call.target).filter(start).and_then(function);
            let caller = symbols.find(call.address).and_then(function);
            let has_run = |of: &StaticCallee| matches!(of, StaticCallee::Known(_));
            let caller = caller.filter(|caller| gprof.display.zeros || has_run(caller));
            if let Some(ends) = caller.zip(callee)
                && known.insert(ends.clone())
            {
                calls.push(ends);
            }
        }
    }
    if let Some((first, error)) = unread.first() {
        let (first, more) = (display_name(first), and_more(unread.len() - 1));
        report.messages.note(format!("{first}{more}: -c finds no calls there: {error}"));
    }
    leave_out_recorded(profile, &mut calls);
    Ok(Some(with_calls(profile, &calls)?))
}

/// Leaves out calls between functions of which the profile has calls.
fn leave_out_recorded(profile: &Profile, calls: &mut Vec<(StaticCallee, StaticCallee)>) {
    let recorded: HashSet<_> = profile
        .calls
        .iter()
        .map(|call| (profile.fragment(call.site.fragment).function, call.callee))
        .collect();
    calls.retain(|ends| match ends {
        (StaticCallee::Known(caller), StaticCallee::Known(callee)) => {
            !recorded.contains(&(*caller, *callee))
        }
        _ => true,
    });
}

/// The start of the names of the system's libraries, and of those that valgrind loads.
const SYSTEM: &[u8] = b"/usr/lib";

/// The functions of each object by their names; none for a name of several.
fn functions_by_name(
    profile: &Profile,
) -> BTreeMap<ObjectId, HashMap<Vec<u8>, Option<FunctionId>>> {
    let mut objects: BTreeMap<_, HashMap<Vec<u8>, Option<FunctionId>>> = BTreeMap::new();
    for (id, function) in profile.functions() {
        if !is_unknown_name(profile.object(function.object)) {
            let functions = objects.entry(function.object).or_default();
            let name = demangle(profile.name(function.name)).into_owned();
            functions.entry(name).and_modify(|known| *known = None).or_insert(Some(id));
        }
    }
    objects
}

//! What is said of a profile without addresses of instructions, and the command that records it
//! with them.

use super::Context;
use super::misses::{OF_BRANCHES, OF_CACHES, has_any};
use crate::profile::{NameKind, Profile};
use crate::render::{SuggestedCommand, without_marks};

/// The options of Callgrind that record other events.
const OPTIONS_OF_EVENTS: [(&[u8], &str); 3] = [
    (b"Ge", "--collect-bus=yes"),
    (b"AcCost1", "--cacheuse=yes"),
    (b"sysCount", "--collect-systime=nsec"),
];

/// The error for what needs addresses, with the command that records them.
pub(super) fn no_addresses(profile: &Profile) -> String {
    let none = "the profile has no addresses of instructions";
    if profile.is_from_cachegrind() {
        return format!(
            "{none}: Cachegrind records none, valgrind --tool=callgrind --dump-instr=yes does"
        );
    }
    if profile.name_kind() == NameKind::Other {
        return none.to_owned();
    }
    match command_to_record(profile) {
        Some(command) => {
            format!("{none}; this records them: {}", without_marks(&command.to_string()))
        }
        None => format!("{none} (callgrind writes them with --dump-instr=yes)"),
    }
}

/// The command that records the profile with addresses, if it is one of Callgrind without them, and
/// its program is known.
fn command_to_record(profile: &Profile) -> Option<SuggestedCommand> {
    let lacks_addresses = profile.is_from_callgrind()
        && !profile.is_difference()
        && !profile.sides().new.has_addresses;
    let command = profile.command().filter(|_| lacks_addresses)?;
    let events = profile.events();
    let mut record = SuggestedCommand::new("valgrind --tool=callgrind --dump-instr=yes");
    if has_any(events, &OF_CACHES) {
        record = record.words("--cache-sim=yes");
    }
    if has_any(events, &OF_BRANCHES) {
        record = record.words("--branch-sim=yes");
    }
    for (event, option) in OPTIONS_OF_EVENTS {
        if has_any(events, &[event]) {
            record = record.words(option);
        }
    }
    // Callgrind names a thread only where it keeps threads apart.
    if profile.parts().iter().any(|part| part.thread.is_some()) {
        record = record.words("--separate-threads=yes");
    }
    let words = || command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    // The quotes around an argument are lost, and where it ended: of a script after `-c`.
    if words().any(|word| word.iter().any(|byte| b"\"'`\\(){};$|&<>".contains(byte))) {
        return Some(words().take(1).fold(record, SuggestedCommand::word).words("..."));
    }
    Some(words().fold(record, SuggestedCommand::word))
}

impl Context<'_> {
    /// The command that records addresses, which tell the lines of inlined code; none if they are
    /// recorded, though this report does not need them.
    pub(super) fn command_to_record(&self) -> Option<SuggestedCommand> {
        command_to_record(self.profile).filter(|_| !self.input.has_addresses)
    }
}

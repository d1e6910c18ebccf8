//! The unit of time that an event counts, which its name says: `ns`, `Time_(10ns)` of Xdebug, or
//! `wall_time` of ruby-prof. JRuby's profiler has the names of ruby-prof for its nanoseconds.

/// The events of ruby-prof that are times, which it counts in microseconds.
const OF_RUBY_PROF: [&str; 2] = ["wall_time", "process_time"];

/// The file of methods without a source in profiles of JRuby.
pub(super) const FILE_OF_JRUBY: &[u8] = b"(jruby_runtime)";

/// Units of time, and how many nanoseconds one is.
const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// The number of nanoseconds that one of an event is, if its name is a unit of time, or ends with
/// one in brackets, which may have a number.
pub(super) fn nanoseconds(event: &[u8], is_of_jruby: bool) -> Option<f64> {
    let name = str::from_utf8(event).ok()?;
    if OF_RUBY_PROF.contains(&name) {
        return Some(if is_of_jruby { 1.0 } else { 1e3 });
    }
    let in_brackets = name.strip_suffix(')').and_then(|name| name.rsplit_once('('));
    let unit = in_brackets.map_or(name, |(_, unit)| unit);
    let number = unit.trim_end_matches(|c: char| !c.is_ascii_digit());
    let times: f64 = if number.is_empty() { 1.0 } else { number.parse().ok()? };
    let (_, nanoseconds) = UNITS.iter().find(|(known, _)| unit[number.len()..] == **known)?;
    (in_brackets.is_some() || number.is_empty()).then_some(times * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn names_of_events_that_have_a_unit_of_time() {
        let table = [
            ("ns", Some(1.0)),
            ("us", Some(1e3)),
            ("Time_(10ns)", Some(10.0)),
            ("wt (µs)", Some(1e3)),
            ("cpu(ms)", Some(1e6)),
            ("s", Some(1e9)),
            ("10ns", None),
            ("wall_time", Some(1e3)),
            ("process_time", Some(1e3)),
            ("Memory_(bytes)", None),
            ("Ir", None),
            ("(x10ns)", None),
            ("", None),
        ];
        for (name, expected) in table {
            assert_eq!(nanoseconds(name.as_bytes(), false), expected, "{name}");
        }
        assert_eq!(nanoseconds(b"process_time", true), Some(1.0));
        assert_eq!(nanoseconds(b"us", true), Some(1e3));
    }
}

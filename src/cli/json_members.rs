//! The members of `--format=json`, for the man page.

use super::help::Section;

/// Members and what they are.
pub(super) const JSON: Section = (
    "JSON",
    &[
        (
            "",
            "--format=json writes one object. Within a version members keep their meaning; new ones may be added. Numbers \
             are exact signed 64-bit integers. A cost is an array with one number per event, in the order of events; null: \
             no line has this count. Names are those of the profile, whatever the current directory. \
             A name that is not valid UTF-8 is an object with two strings: hex, its bytes, and text. \
             The sources have a JSON schema, testdata/cgannotate.schema.json.",
        ),
        (
            "format, version, program",
            "\"cgannotate\", 2, and the program that wrote it with its version.",
        ),
        (
            "events",
            "The events shown: name, recorded (false for derived events), long_name where the profile has one.",
        ),
        (
            "order, order_by",
            "The events by which rows are sorted, and whether by their self or inclusive costs.",
        ),
        (
            "parts",
            "The files' headers: file, creator, command, pid, part, thread, descriptions, total (a cost), calculated (true \
             if no file stated a total), added_up (of how many parts it is the sum, in files with about a hundred thousand and more).",
        ),
        (
            "total, calculated",
            "The program's total; for --diff the change.",
        ),
        (
            "base, new, unchanged",
            "For --diff: files and total of each side, and rows without a change (rows, self), which are left out; base is \
             null otherwise.",
        ),
        (
            "scale",
            "For --per and --normalize: what the recorded counts of each side (new, base) were multiplied by.",
        ),
        (
            "ratios",
            "Events that are ratios: name and total, a number; rows have them as self and inclusive.",
        ),
        (
            "cycles",
            "Call cycles: number, inclusive, rows (the ids of their members).",
        ),
        (
            "rest",
            "Rows not in the list, as rows and self: more (cut off by a limit), chosen (all that match the filters, null \
             without filters), not_chosen (filtered out).",
        ),
        (
            "rows",
            "The list, one row per line: id, file, function (demangled), symbol (as in the profile), short (the short name), \
             object (or null), cycle (a number or null), mark (for --diff \"new\", \"gone\" or null), called (by_others and by_itself), self, inclusive, \
             lines, calls; with --show-percs self_percent and inclusive_percent, of the total (for --diff of base). With --group-by, group \
             replaces function, symbol and cycle, file and object are null if there are several, files and objects their \
             numbers, and there are no lines. With --group-by=line: file, line, source (or null); a row without a known \
             line is a function.",
        ),
        (
            "lines of a row",
            "line (0 if unknown), self; with --counts executed; with --jumps jumps: file, line, conditional, taken, executed, also of lines without cost.",
        ),
        (
            "nested of a row",
            "With --nested what self is made of, from the most expensive: file, self, lines (line, self) and calls (line, id, count, inclusive) of a function, or \
             file, function, object, self of the functions of a group. For --diff only what changed.",
        ),
        (
            "calls of a row",
            "line, and of the callee id, file and function; count and inclusive, as recorded.",
        ),
        (
            "callers of a row",
            "With --tree=caller or both: file, function, count, inclusive.",
        ),
        (
            "tree of a row",
            "With --tree and --depth, callers and callees over several levels: the lines of each tree with their level (0 \
             directly below the row, each below the last line of a level less), functions (id, file and function; several \
             if each has a single caller), and their part of count and inclusive; complete is false if rows are missing.",
        ),
        (
            "base_line",
            "For --diff in lines, nested lines and calls: the number of the line in BASE, null if it does not have it; line is that in NEW, \
             null if it was removed. Without BASE's text lines of the same number are the same.",
        ),
        (
            "base and new",
            "For --diff in rows, lines, nested, calls and callers: self, inclusive and calls of each side, in addition to the change; \
             null is what a side does not have.",
        ),
        (
            "functions",
            "With --asm: object, file, function, symbol, self, code and instructions of each function.",
        ),
        (
            "code of a function",
            "Its object: state (found, missing, changed, unknown, unreadable), path (or null), and how many of the recorded \
             addresses are matching instructions.",
        ),
        (
            "instructions of a function",
            "address (hexadecimal), file and line (or null), self, executed (null without Ir), skipped (Ir of code that was not profiled by itself), text (or null), bytes (with --asm-raw), jumps (to, conditional, taken, executed), \
             calls (to, object, file, function, count, inclusive).",
        ),
        (
            "CSV",
            "--format=csv has a line of names, then one line per row: what the row is (file, function, object and cycle; with \
             --group-by=line file, line, function and source; of other groups their name, file and object with their \
             numbers), mark with --diff; for each event EVENT (self) and EVENT.inclusive, each followed by .percent with \
             --show-percs; calls and recursive_calls. With --diff each of these numbers is X.base, X.new and X, the change. \
             Names are those of the profile. --inclusive changes the order and adds cycles. An empty value is undefined.",
        ),
    ],
);

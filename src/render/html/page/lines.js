// The lines that cost most with all that they call, where most misses are, and the system calls:
// the first screen of a terminal, in its words.

// Whether the page has the code of a source file.
const hasSource = (path) => places().has(path);

// A place in a source, as a link to it if the page has the source.
function linkToLine({ file, line }, label) {
  const path = pathOf(file);

  return hasSource(path) ? jump({ file: path, line: String(line) }, label, { title: path }) : label;
}

// A sentence with links where it names these places, in their order.
function withLinks(sentence, places) {
  const parts = [];
  let rest = text(sentence);

  for (const at of places) {
    const name = `${last(text(at.file), 1)}:${at.line}`;
    const start = rest.indexOf(name);

    if (start >= 0) {
      parts.push(rest.slice(0, start), linkToLine(at, name));
      rest = rest.slice(start + name.length);
    }
  }
  return [...parts, rest];
}

const placeOfLine = (line) => `${base(pathOf(line.file))}:${line.line}`;

// One of the lines: its cost, its share of all, its place and text, and what its cost is.
function rowOfLine(line, event) {
  const { inclusive, function: name, notes } = line;
  const cost = inclusive[event];
  const source = line.text == null ? `in ${text(name)}` : text(line.text);

  return el(
    "tr",
    null,
    num(count(cost)),
    num(part(cost, totals[event]), "dim"),
    el("td", { class: "mono" }, linkToLine(line, placeOfLine(line))),
    el("td", { class: "mono", title: source }, source),
    el("td", { class: "dim", title: notes.join("; ") }, text(notes.join("; "))),
  );
}

// The part of the page above the list; null if the profile has no such lines.
function yourLines() {
  const { lines = [], misses = [], system_calls: calls, lines_notes: notes = [] } = data;

  if (data.lines_heading == null) {
    return null;
  }
  // Lines have the costs of the first events that are shown.
  const event = events.indexOf(text(data.order[0]));
  const heading = data.lines_heading[0].toUpperCase() + text(data.lines_heading).slice(1);
  const sentences = [
    calls && withLinks(calls.text, calls.from),
    ...misses.map((of) => withLinks(of.text, [of.at])),
    ...notes.map(text),
  ].filter(Boolean);
  const longest = (textOf) => largestOf(lines, (line) => textOf(line).length);
  const figures = longest((line) => count(line.inclusive[event]));
  const content = [
    lines.length > 0 &&
      table(
        {
          style: {
            "--figures": String(Math.max(figures, events[event].length + 1)),
            "--places": String(longest(placeOfLine)),
          },
        },
        null,
        [
          [events[event], ""],
          ["Of all", ""],
          ["Line", "place"],
          ["Source", "source"],
          ["What its cost is"],
        ],
        lines.map((line) => rowOfLine(line, event)),
      ),
    sentences.map((sentence) => el("p", null, sentence)),
    data.record && el("p", null, text(data.record_reason), " ", copyable(data.record)),
  ];
  const isEmpty = content.flat().every((part) => !part);
  const fold = () => {
    const lines = details.open ? "open" : "folded";

    if (lines !== state.lines) {
      go({ lines });
    }
  };
  const details = el(
    "details",
    { ontoggle: fold },
    el("summary", null, el("b", null, heading)),
    content,
  );

  return el(
    "section",
    { id: "lines", "aria-label": "lines that cost most" },
    isEmpty ? el("span", { class: "dim" }, heading) : details,
  );
}

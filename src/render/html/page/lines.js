// The lines that cost most with all that they call, where most misses are, and the system calls:
// the first screen of a terminal, in its words.

// Whether the page has the code of a source file.
const hasSource = (path) => searchedPlaces().has(path);

// A place in a source, as a link to it if the page has the source.
function linkToLine({ file, line, function: name = "" }, label) {
  const path = pathOf(file);
  const hasCode = (r) => r?.files.includes(path);
  const r = name ? rows.find((x) => isNamed(x, text(name)) && hasCode(x)) : hasCode(here) && here;
  const to = { file: path, line: String(line), ...(r ? { f: keyOf(r) } : {}) };

  return hasSource(path) ? stateLink(to, label, { title: path }) : label;
}

const isNamed = (r, name) => [r.name, r.alone, r.bare].includes(name);

// A sentence with links where it names these places, in their order.
function withLinks(sentence, places) {
  const parts = [];
  let rest = text(sentence);

  for (const place of places) {
    const name = `${last(text(place.file), 1)}:${place.line}`;
    const start = rest.indexOf(name);

    if (start >= 0) {
      parts.push(rest.slice(0, start), linkToLine(place, name));
      rest = rest.slice(start + name.length);
    }
  }
  return [...parts, rest];
}

// The source that is the only one of a name with the last folders of its path; null if there is
// none.
function onlySourceOf(name) {
  const found = [...sources().keys()].filter((path) => `/${path}`.endsWith(`/${name}`));

  return found.length === 1 ? found[0] : null;
}

// A text of the program in parts: what it says, and the lines of sources that it names. A minus is
// before those that only BASE has.
function partsWithLines(said) {
  const isOfBase = /^\s*- /.test(said);
  const parts = [];
  let end = 0;

  for (const match of said.matchAll(/([\w.][\w./+-]*\.\w+):([1-9]\d*)\b/g)) {
    const [place, name, number] = match;
    const file = onlySourceOf(name);
    const isRemoved = isOfBase || /(?:^|\s)-$/.test(said.slice(0, match.index));

    if (file != null) {
      const line = isRemoved ? -Number(number) : Number(number);

      parts.push(said.slice(end, match.index), { file, line, place });
      end = match.index + place.length;
    }
  }
  return [...parts, said.slice(end)];
}

// The same text with links to these lines.
const withLinesLinked = (said) =>
  partsWithLines(said).map((part) => (part.file ? linkToLine(part, part.place) : part));

const placeOfLine = (line) => `${baseName(pathOf(line.file))}:${line.line}`;

// The text of a line, or of which function it is.
const sourceOf = (line) => (line.text == null ? `in ${text(line.function)}` : text(line.text));

const isEstimate = (line) => line.estimated || line.divided;

// One of the lines: its cost, its share of all, its place and text, and what its cost is.
function rowOfLine(line, cost) {
  const source = sourceOf(line);
  const isEstimated = isEstimate(line);
  const notes = text(line.notes.join("; "));

  return el(
    "tr",
    null,
    num(countOf(cost, isEstimated), "", isEstimated && (line.divided ? DIVIDED : NESTED)),
    num(shareOf(cost, at(totals), isEstimated), "dim"),
    el("td", { class: "mono" }, linkToLine(line, placeOfLine(line))),
    el("td", { class: "mono", title: source }, source),
    el("td", { class: "dim notes", title: notes }, withLinesLinked(notes)),
  );
}

// The lines by the event that is shown, with their costs, whose lines they are, and what else is
// said of the event.
function linesByEvent() {
  const other = data.lines_by_event?.find((of) => of.event === eventAt);

  return other
    ? { ...other, lines: other.lines.map((line) => [line, line.inclusive[0]]) }
    : {
        heading: text(data.lines_heading),
        lines: data.lines.map((line) => [line, at(line.inclusive)]),
        notes: data.lines_notes ?? [],
      };
}

// Where most misses are: the place, how many of what is counted there these are, and the source.
// The rates are those of the line, if all of these misses are recorded there: not of inlined code.
function sentenceOfMisses({ at: place, event, count: number, text: sentence }) {
  const source = text(place.text);
  const [start, isBefore] = text(sentence).split(`  ${source}`);
  const kind = kindOfMisses(event);
  const costs = [];

  for (const { lines } of partsOf(pathOf(place.file))) {
    lines.forEach((x) => x.line === place.line && addTo(costs, x.self));
  }
  const rate = kind && sumOf(kind.names, costs) === number && rateOf(kind, costs);

  return [
    ...withLinks(start, [place]),
    rate && `, ${rate}`,
    isBefore != null && [": ", el("span", { class: "mono" }, source)],
  ];
}

// The misses of the whole program, each kind with its rates and a link to its event.
function totalsOfMisses() {
  const kinds = ofMisses.map(({ key, brief }) => {
    const kind = kindOfMisses(key);
    const rates = rateOf(kind, totals, "");
    const words = `${count(sumOf(kind.names, totals))} ${brief}`;
    const said = events.includes(key) ? stateLink({ event: key }, words) : words;

    return [said, rates && ` (${rates})`];
  });

  return kinds.length > 0 && kinds.flatMap((said, i) => (i ? ["; ", said] : [said]));
}

// What each of these parts is.
const kindOfParts = hasProcesses
  ? joined(["processes", data.parts.some(({ thread }) => thread) && "threads"], " or ")
  : "threads";

// Which parts of the program have profiles of their own.
const partsOfProgram = () =>
  hasThreads && [
    stateLink({ by: "thread", view: "list" }, `${count(threads.length)} ${kindOfParts}`),
    " are added up",
  ];

// What is said beside the lines: of the event these notes, and the same of all events.
function sentencesOfLines(notes) {
  const { misses, system_calls: calls } = data;

  return [
    totalsOfMisses(),
    calls && withLinks(calls.text, calls.from),
    ...misses.map(sentenceOfMisses),
    ...notes.map((note) => withLinesLinked(text(note))),
    partsOfProgram(),
    ...(data.notes ?? []).map(text),
  ].filter(Boolean);
}

// Which lines the list can have: the user's, or all if the page has no source of the user's.
const ownLines = () => (hasUsersFiles() ? "own" : "line");

// Whether what is said of all lines is not folded with them: there are none, or they are folded as
// there is nothing to read in them.
const standApart = (lines, isInWidePage) => !lines.length || (isInWidePage && !haveLinesToRead);

// The part of the page above the list, by the event that is shown.
function yourLines() {
  const { heading, lines, notes } = linesByEvent();
  const longest = (textOf) => largestOf(lines, (line) => textOf(line).length);
  // The mark of an estimate is as wide as two digits.
  const digits = longest(([line, cost]) => (isEstimate(line) ? "~~" : "") + count(cost));
  const list =
    lines.length > 0 &&
    table(
      {
        style: {
          "--figures": String(Math.max(digits, state.event.length + 1)),
          "--places": String(longest(([line]) => placeOfLine(line))),
          "--sources": String(longest(([line]) => sourceOf(line))),
        },
      },
      null,
      [
        [state.event, ""],
        ["Of all", "", `Share of ${state.event}, of the whole program`],
        ["Line", "place"],
        ["Source", "source"],
        ["What its cost is"],
      ],
      lines.map(([line, cost]) => rowOfLine(line, cost)),
    );
  const sentences = [
    ...sentencesOfLines(notes).map((sentence) => el("p", null, sentence)),
    data.record && el("p", null, text(data.record_reason), " ", copyable(data.record)),
  ];
  const title = heading[0].toUpperCase() + heading.slice(1);
  const fold = () => {
    const now = details.open ? "open" : "folded";

    if (now !== state.lines) {
      go({ lines: now });
    }
  };
  const areApart = standApart(lines, isWide());
  const details =
    list &&
    el(
      "details",
      { ontoggle: fold, open: state.lines === "open" },
      el("summary", null, el("b", null, title)),
      list,
      areApart ? [] : sentences,
    );

  const toOwn = {
    class: "aside",
    title: "each line without what it calls, the most expensive first",
  };
  const isOther = GROUPINGS[state.by].isOfLines;
  const way = isOther
    ? stateLink({ by: "function", view: "list" }, "Functions", { class: "aside" })
    : hasLines && stateLink({ by: ownLines(), view: "list" }, "Lines by self cost", toOwn);

  return [
    (list || sentences.some(Boolean)) && way,
    details || dimmed(title),
    areApart ? sentences : [],
  ];
}

// Shows the lines of the event, which are made anew if it, or what the list has, is another one.
function showLines() {
  const shown = joined([state.event, GROUPINGS[state.by].isOfLines && "lines"], " ");

  if (ui.lines.dataset.shown !== shown) {
    ui.lines.dataset.shown = shown;
    ui.lines.replaceChildren(...[yourLines()].flat(2).filter(Boolean));
  }
  ui.lines.querySelector("details")?.toggleAttribute("open", state.lines === "open");
}
